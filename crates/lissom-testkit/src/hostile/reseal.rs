//! Makes checksums right again, so that changed bytes get past them.

use lissom::{
    archive::{
        SectionKind,
        layout::{ENTRY_BYTES, HEADER_BYTES},
    },
    clip::{
        ClipStream,
        format::stream::{ENTRY_BYTES as STREAM_ENTRY, FIXED_BYTES},
    },
};
use lissom_build::cook::seal;

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

fn range(start: usize, length: usize) -> core::ops::Range<usize> {
    start..start.saturating_add(length)
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(four) = bytes.get_mut(range(at, 4)) {
        four.copy_from_slice(&value.to_le_bytes());
    }
}

/// An archive: the clips in it, every section that is there, the table, the header.
pub(super) fn archive(bytes: &mut [u8]) {
    let sections = number(bytes, 12).unwrap_or_default() as usize;
    let names = number(bytes, 24).unwrap_or_default() as usize;
    for section in 0..sections.min(bytes.len() / ENTRY_BYTES) {
        let entry = HEADER_BYTES + section * ENTRY_BYTES;
        let (Some(kind), Some(start), Some(length)) =
            (number(bytes, entry), number(bytes, entry + 8), number(bytes, entry + 16))
        else {
            break;
        };
        let Some(payload) = bytes.get_mut(range(start as usize, length as usize)) else { continue };
        if SectionKind::from_code(kind) == SectionKind::Clip {
            seal(payload);
        }
        let checksum = crc32fast::hash(payload);
        put(bytes, entry + 24, checksum);
    }
    let table = sections.saturating_mul(ENTRY_BYTES).saturating_add(names);
    if let Some(table) = bytes.get(range(HEADER_BYTES, table)) {
        let checksum = crc32fast::hash(table);
        put(bytes, 28, checksum);
    }
    if let Some(header) = bytes.get(..HEADER_BYTES - 4) {
        let checksum = crc32fast::hash(header);
        put(bytes, HEADER_BYTES - 4, checksum);
    }
}

/// A packed archive: what is coded, its length, the header.
pub(super) fn packed(bytes: &mut [u8]) {
    const HEAD: usize = 36;
    let Some(coded) = bytes.get(HEAD..) else { return };
    let (checksum, length) = (crc32fast::hash(coded), bytes.len() as u32);
    put(bytes, 12, checksum);
    put(bytes, 24, length);
    let checksum = crc32fast::hash(&bytes[..HEAD - 4]);
    put(bytes, HEAD - 4, checksum);
}

/// A stream: every piece that is there, then the preamble.
pub(super) fn stream(bytes: &mut [u8]) {
    let Ok(preamble) = ClipStream::preamble_len(bytes) else { return };
    let blocks = number(bytes, 12).unwrap_or_default() as usize;
    for block in 0..blocks.min(bytes.len() / STREAM_ENTRY) {
        let entry = FIXED_BYTES + block * STREAM_ENTRY;
        let (Some(from), Some(length)) = (number(bytes, entry), number(bytes, entry + 8)) else { break };
        if let Some(piece) = bytes.get(range(from as usize, length as usize)) {
            let checksum = crc32fast::hash(piece);
            put(bytes, entry + 20, checksum);
        }
    }
    let Some(end) = usize::try_from(preamble).ok().and_then(|p| p.checked_sub(4)) else { return };
    if let Some(body) = bytes.get(..end) {
        let checksum = crc32fast::hash(body);
        put(bytes, end, checksum);
    }
}
