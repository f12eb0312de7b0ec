//! The dense form of a clip: a key of every moving channel at every row, in blocks of sixteen rows that stand
//! alone.
//!
//! A key is three integers times the channel's step. In a block they are coded as differences from a prediction,
//! at a width of their own for each component, the same for all rows of the block: so the place of a row is
//! computed, not searched. A step forward adds a row of differences, a step back takes it away again.
//!
//! A block starts with its first key of every channel, as a difference from the channel's first key of all.
//! That is the jump frame, and all there is to know: a seek loads a block and adds at most fifteen rows. The
//! bytes of a block reach over the jump frame of the next one, so the last interval needs no other block.
//!
//! Integers stay integers in the cursor. Evaluation turns both keys into values, interpolates and writes, in
//! registers: for rotations as modified Rodrigues parameters that is one division for two keys.

mod advance;
mod evaluate;
pub mod format;
mod tables;

pub(crate) use advance::{Place, advance, bind};
pub(crate) use evaluate::evaluate;
pub(crate) use tables::Tables;

/// How a cursor's words are laid out for a dense clip: for translations, rotations, scales one after the other,
/// arrays of as many words as there are lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrays {
    pub lanes: [u32; 3],
}

/// Arrays of a kind: the integers x, y, z of three keys, the step (f32), how to read and decode (see [`meta`]),
/// the widths of jump frames and slopes.
const ARRAYS: usize = 12;
const STEP: usize = 9;
const META: usize = 10;

impl Arrays {
    /// Words of the whole; a wide load from the last lane on stays inside.
    pub fn total(&self) -> usize {
        let lanes: u32 = self.lanes.iter().sum();
        if lanes == 0 { 0 } else { lanes as usize * ARRAYS + lissom_math::soa::GROUP }
    }

    /// Lanes of a kind.
    #[inline(always)]
    pub fn count(&self, kind: usize) -> usize {
        self.lanes[kind] as usize
    }

    /// Where a kind's arrays start.
    #[inline(always)]
    pub fn start(&self, kind: usize) -> usize {
        let before: u32 = self.lanes[..kind].iter().sum();
        before as usize * ARRAYS
    }
}

/// The bits of a lane's second last word; the last one has six widths of five bits, as in `WIDTH`.
mod meta {
    /// Bits of a difference in x; y and z follow.
    pub const WIDTH: u32 = 5;
    pub const WIDTH_MASK: u32 = 31;
    /// Set if the prediction goes on as before; otherwise it stays.
    pub const GOES_ON: u32 = 1 << 15;
    /// Which of 1, i, j, k the rotations are about.
    pub const CENTRE_SHIFT: u32 = 16;
    pub const CENTRE: u32 = 3 << CENTRE_SHIFT;
}
