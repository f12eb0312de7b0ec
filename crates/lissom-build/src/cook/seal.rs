//! The checksum of a clip's bytes.

use lissom::clip::format::keys::{self as format, word};

/// Writes the checksum that fits the bytes of a clip. For tools that change a clip, and for tests that must get
/// past the checksum; bytes shorter than a header stay as they are.
pub fn seal(bytes: &mut [u8]) {
    if bytes.len() < lissom::clip::format::rows::HEADER_WORDS * 4 {
        return;
    }
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    seal_words(&mut words);
    for at in [word::IDENTITY, word::IDENTITY + 1] {
        bytes[at * 4..at * 4 + 4].copy_from_slice(&words[at].to_le_bytes());
    }
}

/// The same for words.
pub(super) fn seal_words(words: &mut [u32]) {
    let hash = format::checksum(words);
    words[word::IDENTITY] = hash as u32;
    words[word::IDENTITY + 1] = (hash >> 32) as u32;
}
