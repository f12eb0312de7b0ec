//! How much a layer plays at once.

/// States that one layer plays at once: the leading one, and those that it takes over from. A further transition takes
/// the oldest out.
pub const MAX_VOICES: usize = 4;
/// One-shots that one layer plays at once: the newest, and one that it takes over from.
pub const MAX_SHOTS: usize = 2;
/// Sections of a montage that begin in one step and are told, at most: the first ones.
pub(crate) const MAX_JUMPS: usize = 4;
/// What states and one-shots of one layer can do in a step: every state comes, changes, ends and goes, every one-shot
/// begins and ends, with sections on its way, and newer ones push out as many as there can be.
pub(crate) const MAX_EVENTS: usize = 5 * (MAX_VOICES + 1) + (4 + MAX_JUMPS) * MAX_SHOTS;
