//! How much a layer plays at once.

/// States that one layer plays at once: the leading one, and those that it takes over from. A further transition takes
/// the oldest out.
pub const MAX_VOICES: usize = 4;
/// One-shots that one layer plays at once: the newest, and one that it takes over from.
pub const MAX_SHOTS: usize = 2;
