//! How the pieces of a stream are compressed.

use super::error::StreamError;

/// How the pieces of a stream are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Codec {
    /// Not at all.
    None,
    /// LZ4 blocks: pure Rust, the default.
    Lz4,
    /// Zstandard; needs the feature `zstd`.
    Zstd,
    /// Gzip; needs the feature `gzip`.
    Gzip,
}

impl Codec {
    /// The byte that stands for it in a file.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Lz4 => 1,
            Self::Zstd => 2,
            Self::Gzip => 3,
        }
    }

    pub(super) fn from_byte(byte: u8) -> Result<Self, StreamError> {
        match byte {
            0 => Ok(Self::None),
            1 => Ok(Self::Lz4),
            #[cfg(feature = "zstd")]
            2 => Ok(Self::Zstd),
            #[cfg(feature = "gzip")]
            3 => Ok(Self::Gzip),
            _ => Err(StreamError::Unsupported { offset: 6, field: "codec", value: byte.into() }),
        }
    }

    /// Unpacks into exactly as many bytes as there must be.
    pub(super) fn unpack(self, bytes: &[u8], out: &mut [u8]) -> bool {
        match self {
            Self::None => {
                let fits = bytes.len() == out.len();
                if fits {
                    out.copy_from_slice(bytes);
                }
                fits
            }
            Self::Lz4 => lz4_flex::block::decompress_into(bytes, out).is_ok_and(|n| n == out.len()),
            #[cfg(feature = "zstd")]
            Self::Zstd => zstd::bulk::decompress_to_buffer(bytes, out).is_ok_and(|n| n == out.len()),
            #[cfg(feature = "gzip")]
            Self::Gzip => {
                use std::io::Read;
                let mut reader = flate2::read::GzDecoder::new(bytes);
                reader.read_exact(out).is_ok() && matches!(reader.read(&mut [0]), Ok(0))
            }
            #[cfg(not(all(feature = "zstd", feature = "gzip")))]
            _ => false,
        }
    }
}
