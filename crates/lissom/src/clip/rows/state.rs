//! What a cursor knows of a clip of rows, besides its arrays.

use super::{
    arrays::{Arrays, LEFT, RIGHT},
    evaluate::Keys,
    view::View,
};

/// The interval that the arrays hold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    /// How the words are laid out.
    pub arrays: Arrays,
    /// True once the arrays hold keys of the clip.
    pub placed: bool,
    /// The row that the interval starts at, and its block.
    pub row: u32,
    pub block: usize,
    pub place: Place,
    /// Keys consumed up to here by a player that came from time 0.
    pub keys: u64,
}

impl State {
    /// The keys around the current time, in the cursor's words.
    #[inline(always)]
    pub fn keys<'a>(&self, words: &'a [u32]) -> Keys<'a> {
        let (arrays, stride) = (self.arrays, self.arrays.len());
        Keys { arrays, floats: bytemuck::cast_slice(words), left: LEFT * stride, right: RIGHT * stride }
    }

    /// True if the words are laid out as this clip's.
    #[inline]
    pub fn fits(&self, clip: &View<'_>) -> bool {
        self.arrays.lanes == clip.tables.lanes
    }
}

/// Where a cursor stands in a block. The integers are those of rows `at - 1` and `at`; both lie in the block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub at: u32,
    /// Bits of a row, and where the block's second one starts.
    pub row_bits: u32,
    pub rows_bit: u64,
}
