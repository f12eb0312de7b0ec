//! The numbers of the keys form, shared by reader and writer. `FORMAT.md` explains them.

/// The version of a clip of keys.
pub const VERSION: u16 = 1;
/// Words of the header.
pub const HEADER_WORDS: usize = 32;
/// Words of a channel's entry.
pub const CHANNEL_WORDS: usize = 4;
/// Words of a block's entry.
pub const BLOCK_WORDS: usize = 8;

/// A table of ticks follows; otherwise row i is at tick i.
pub const FLAG_LISTED: u16 = 2;
/// Key integers have 32 bits while playing; otherwise 16.
pub const FLAG_WIDE: u16 = 4;
/// Half floats and 3 × 16-bit rotations, which early cookers could write: no longer read.
pub const RETIRED_PLAIN16: u16 = 8;

/// Header words, by name.
#[allow(missing_docs, reason = "FORMAT.md describes each field")]
pub mod word {
    pub use crate::clip::header::word::*;

    pub const JOINTS: usize = 3;
    pub const DURATION: usize = 8;
    pub const TICKS_PER_SECOND: usize = 10;
    pub const ROWS: usize = 12;
    pub const CHANNELS: usize = 13;
    pub const BLOCKS: usize = 14;
    pub const NAME_BYTES: usize = 15;
    pub const KEYS: usize = 16;
    pub const STREAM_BYTES: usize = 18;
    pub const STATE_BYTES: usize = 20;
    /// Nine lane counts: translation, rotation, scale × constant, linear, cubic.
    pub const LANES: usize = 21;
}

/// A channel's key is predicted as the key that leaves the window plus the residual.
pub const PREDICT_OLDEST: u8 = 0;
/// A channel's key is predicted by going on as before: 2b - a (linear), 4d - 6c + 4b - a (cubic).
pub const PREDICT_SMOOTH: u8 = 1;
