//! The preamble of a stream file: the directory of its blocks and the clip's tables, checked.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{
    super::contents::Contents,
    codec::Codec,
    error::StreamError,
    format::{self, ENTRY_BYTES, FIXED_BYTES},
};
use alloc::{boxed::Box, vec::Vec};

/// Where a block is in the file, and what it is when it is unpacked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub offset: u64,
    pub stored: usize,
    pub state: usize,
    pub stream: usize,
    pub crc: u32,
}

impl Entry {
    /// Bytes of the block in memory.
    pub fn size(&self) -> usize {
        self.state.saturating_add(self.stream)
    }
}

/// A checked preamble.
#[derive(Debug)]
pub(super) struct Preamble {
    pub head: Box<[u32]>,
    pub contents: Contents,
    pub codec: Codec,
    pub directory: Box<[Entry]>,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..).and_then(|b| b.first_chunk());
    u32::from_le_bytes(four.copied().unwrap_or_default())
}

/// How long the preamble is, from the first 16 bytes of the file.
pub(super) fn preamble_len(first: &[u8]) -> Result<u64, StreamError> {
    let Some(fixed) = first.first_chunk::<FIXED_BYTES>() else {
        return Err(StreamError::Short { needed: FIXED_BYTES as u64, given: first.len() as u64 });
    };
    let found = [fixed[0], fixed[1], fixed[2], fixed[3]];
    if found != format::MAGIC {
        return Err(StreamError::Magic { found });
    }
    let version = u16::from_le_bytes([fixed[4], fixed[5]]);
    if version != format::VERSION {
        return Err(StreamError::Unsupported { offset: 4, field: "version", value: version.into() });
    }
    let (head, blocks) = (u64::from(u32_at(fixed, 8)), u64::from(u32_at(fixed, 12)));
    let entries = blocks.saturating_mul(ENTRY_BYTES as u64);
    Ok(entries.saturating_add(head).saturating_add(const { FIXED_BYTES as u64 + 4 }))
}

impl Preamble {
    /// Checks the bytes. Every block must fit into the window.
    pub fn read(preamble: &[u8], window_bytes: usize) -> Result<Self, StreamError> {
        let needed = preamble_len(preamble)?;
        let short = StreamError::Short { needed, given: preamble.len() as u64 };
        let body = usize::try_from(needed).ok().and_then(|n| preamble.get(..n.saturating_sub(4)));
        let Some((body, checksum)) =
            body.and_then(|body| preamble.get(body.len()..)?.first_chunk().map(|c| (body, *c)))
        else {
            return Err(short);
        };
        let (expected, found) = (u32::from_le_bytes(checksum), crc32fast::hash(body));
        if expected != found {
            return Err(StreamError::Preamble { expected, found });
        }
        let codec = Codec::from_byte(body.get(6).copied().unwrap_or_default())?;
        let blocks = u32_at(body, 12) as usize;
        let rest = body.get(FIXED_BYTES..).unwrap_or_default();
        let Some((entries, head)) = rest.split_at_checked(blocks.saturating_mul(ENTRY_BYTES)) else {
            return Err(short);
        };
        let head: Box<[u32]> = head.as_chunks().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
        let contents = Contents::parse(&head, true)?;
        if contents.head.blocks != blocks {
            return Err(StreamError::Directory { offset: 12, block: blocks });
        }
        let mut directory = Vec::with_capacity(blocks);
        for (block, e) in entries.as_chunks::<ENTRY_BYTES>().0.iter().enumerate() {
            let offset = u64::from(u32_at(e, 0)) | u64::from(u32_at(e, 4)) << 32;
            let [stored, state, stream] = [8, 12, 16].map(|at| u32_at(e, at) as usize);
            let entry = Entry { offset, stored, state, stream, crc: u32_at(e, 20) };
            let at = (block as u64).saturating_mul(ENTRY_BYTES as u64).saturating_add(FIXED_BYTES as u64);
            // Pieces cannot blow up beyond what a block can be, whatever the directory says.
            if offset < needed || offset.checked_add(stored as u64).is_none() {
                return Err(StreamError::Directory { offset: at, block });
            }
            let needed = entry.size();
            if needed > window_bytes {
                return Err(StreamError::Window { window: window_bytes, block, needed });
            }
            directory.push(entry);
        }
        Ok(Self { head, contents, codec, directory: directory.into() })
    }
}
