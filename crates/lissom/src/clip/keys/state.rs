//! What a cursor knows of a clip of keys, besides its active array.

use super::{active::Shape, view::View};

/// One position in the stream, and what the active array holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    /// How the active array is laid out.
    pub shape: Shape,
    /// True once the active array holds a state of the clip.
    pub placed: bool,
    /// True if keys were fetched that may not be decoded yet.
    pub fetched: bool,
    /// Keys are right for this row.
    pub row: u32,
    /// The smallest right row and the largest left row: outside of these, nothing is due.
    pub next_right: u32,
    pub last_left: u32,
    /// The position in the stream: a block and a bit of it.
    pub block: usize,
    pub bit: u64,
    /// Keys consumed up to here by a player that came from time 0.
    pub keys: u64,
}

impl State {
    /// True if the active array is laid out as this clip's.
    #[inline]
    pub fn fits(&self, clip: &View<'_>) -> bool {
        self.shape == clip.layout.shape
    }
}
