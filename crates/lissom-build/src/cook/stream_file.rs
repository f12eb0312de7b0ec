//! Clips as stream files: cut at jump frames into pieces that are compressed and checksummed alone.

use lissom::clip::{
    Clip, Codec,
    format::stream::{ENTRY_BYTES, FIXED_BYTES, MAGIC, VERSION},
};

/// Why a stream file could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamFileError {
    /// This build was made without the codec.
    #[error("this build has no {codec:?}: enable the feature of that name")]
    Codec {
        /// The codec asked for.
        codec: Codec,
    },
    /// A block is larger than 4 GiB: cook with jump frames.
    #[error("block {block} is larger than 4 GiB: cook the clip with jump frames")]
    BlockTooLarge {
        /// The block.
        block: usize,
    },
}

/// The bytes of a stream file: what `lissom::clip::ClipStream` plays.
///
/// # Errors
///
/// Every case of [`StreamFileError`].
pub fn write_stream(clip: &Clip, codec: Codec) -> Result<Vec<u8>, StreamFileError> {
    let view = clip.view();
    let (head, blocks) = (view.head_bytes(), view.block_count());
    let preamble = FIXED_BYTES + blocks * ENTRY_BYTES + head.len() + 4;

    let mut pieces: Vec<u8> = Vec::new();
    let mut directory: Vec<u8> = Vec::with_capacity(blocks * ENTRY_BYTES);
    for block in 0..blocks {
        let too_large = StreamFileError::BlockTooLarge { block };
        let size = |len: usize| u32::try_from(len).map_err(|_| too_large.clone());
        let (state, stream) = view.stored_block(block);
        let compressed = compress(codec, &[state, stream].concat())?;
        directory.extend(((preamble + pieces.len()) as u64).to_le_bytes());
        for len in [compressed.len(), state.len(), stream.len()] {
            directory.extend(size(len)?.to_le_bytes());
        }
        directory.extend(crc32fast::hash(&compressed).to_le_bytes());
        pieces.extend(compressed);
    }

    let mut file = Vec::with_capacity(preamble + pieces.len());
    file.extend(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend([codec.to_byte(), 0]);
    file.extend((head.len() as u32).to_le_bytes());
    file.extend((blocks as u32).to_le_bytes());
    file.extend(directory);
    file.extend(head);
    file.extend(crc32fast::hash(&file).to_le_bytes());
    file.extend(pieces);
    Ok(file)
}

fn compress(codec: Codec, bytes: &[u8]) -> Result<Vec<u8>, StreamFileError> {
    match codec {
        Codec::None => Ok(bytes.to_vec()),
        Codec::Lz4 => Ok(lz4_flex::block::compress(bytes)),
        #[cfg(feature = "zstd")]
        Codec::Zstd => zstd::bulk::compress(bytes, 19).map_err(|_| StreamFileError::Codec { codec }),
        #[cfg(feature = "gzip")]
        Codec::Gzip => {
            use std::io::Write;
            let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            out.write_all(bytes).and_then(|()| out.finish()).map_err(|_| StreamFileError::Codec { codec })
        }
        codec => Err(StreamFileError::Codec { codec }),
    }
}
