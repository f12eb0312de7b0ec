//! What every clip starts with: the words both forms share, and the facts both forms tell.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::error::ClipError;

/// The first word: "LCLP".
pub const MAGIC: u32 = u32::from_le_bytes(*b"LCLP");
/// The last pose is the first one again.
pub const FLAG_LOOPING: u16 = 1;

/// Header words of both forms, by name.
#[allow(missing_docs, reason = "FORMAT.md describes each field")]
pub mod word {
    pub const MAGIC: usize = 0;
    pub const VERSION_FLAGS: usize = 1;
    pub const TOTAL_WORDS: usize = 2;
    pub const IDENTITY: usize = 4;
    pub const SKELETON: usize = 6;
}

/// The identity of a clip: the hash of all its words but the two that hold it.
#[must_use]
pub fn checksum(words: &[u32]) -> u64 {
    let mut hash = crate::hash::Fnv64::new();
    for (at, word) in words.iter().enumerate() {
        if at != word::IDENTITY && at != word::IDENTITY + 1 {
            hash = hash.word(*word);
        }
    }
    hash.finish()
}

/// What both forms tell about a clip. Places are bytes from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Head {
    pub joints: usize,
    pub identity: u64,
    pub skeleton: u64,
    pub duration_s: f64,
    pub ticks_per_s: f64,
    pub looping: bool,
    pub name_at: usize,
    pub name_len: usize,
    /// Distinct times that keys stand at; at least 2.
    pub rows: u32,
    /// Channels that move, and channels that hold one value.
    pub channels: usize,
    pub constants: usize,
    pub blocks: usize,
    pub keys: u64,
    /// Bytes before the first block, of all jump frames, of what stands between them.
    pub table_bytes: usize,
    pub jump_bytes: usize,
    pub stream_bytes: usize,
}

impl Head {
    /// The last row: where the clip ends.
    #[inline(always)]
    pub fn last_row(&self) -> u32 {
        self.rows.saturating_sub(1)
    }

    /// The tick at or before a time in seconds, and how far it is to the next; times outside [0, duration]
    /// are clamped.
    #[inline]
    pub fn tick_at(&self, time_s: f64, last: u32) -> (u32, f32) {
        if time_s >= self.duration_s {
            return (last, 0.0);
        }
        let ticks = if time_s > 0.0 { time_s * self.ticks_per_s } else { 0.0 };
        // Ticks are below 2^31, so the cast keeps the whole part; what lies past the end is the end.
        // A time that was computed as tick / rate must find its tick again: rounding may have lost two units
        // in the last place on the way.
        let tick = (ticks * (1.0 + 2.0 * f64::EPSILON)) as u32;
        if tick >= last {
            return (last, 0.0);
        }
        let past = ticks - f64::from(tick);
        (tick, if past > 0.0 { past as f32 } else { 0.0 })
    }
}

/// The word at a place; 0 where there is none.
#[inline(always)]
pub(super) fn word_at(words: &[u32], at: usize) -> u32 {
    words.get(at).copied().unwrap_or_default()
}

/// Two words as one number, the low one first.
#[inline(always)]
pub(super) fn long_at(words: &[u32], at: usize) -> u64 {
    u64::from(word_at(words, at)) | u64::from(word_at(words, at.saturating_add(1))) << 32
}

/// A duration or rate: finite and above 0, or an error that names it.
pub(super) fn positive(bits: u64, offset: usize, field: &'static str) -> Result<f64, ClipError> {
    let v = f64::from_bits(bits);
    if v.is_finite() && v > 0.0 { Ok(v) } else { ClipError::field(offset, field, bits) }
}

/// The number of joints, if a clip can have it.
pub(super) fn check_joints(joints: usize, offset: usize) -> Result<usize, ClipError> {
    if joints == 0 || joints > crate::MAX_JOINTS {
        return ClipError::field(offset, "the joint count", joints as u64);
    }
    Ok(joints)
}

/// The number of rows, if a clip can have it.
pub(super) fn check_rows(rows: u32, offset: usize) -> Result<u32, ClipError> {
    if !(2..=0x7fff_fff0).contains(&rows) {
        return ClipError::field(offset, "the row count", u64::from(rows));
    }
    Ok(rows)
}
