//! The arrays that a cursor plays rows from.

use lissom_math::soa::GROUP;

/// How a cursor's words are laid out: for translations, rotations, scales one after the other,
/// arrays of as many words as there are lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrays {
    pub lanes: [u32; 3],
}

/// Arrays of a kind: the integers x, y, z of three keys, the step (f32), how to read and decode (see [`meta`]),
/// the widths of jump frames and slopes.
pub(super) const ARRAYS: usize = 12;
pub(super) const STEP: usize = 9;
pub(super) const META: usize = 10;

impl Arrays {
    /// Words of the whole; a wide load from the last lane on stays inside.
    pub fn total(&self) -> usize {
        let lanes: u32 = self.lanes.iter().sum();
        if lanes == 0 { 0 } else { lanes as usize * ARRAYS + GROUP }
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
pub(super) mod meta {
    /// Bits of a difference in x; y and z follow.
    pub const WIDTH: u32 = 5;
    pub const WIDTH_MASK: u32 = 31;
    /// Set if the prediction goes on as before; otherwise it stays.
    pub const GOES_ON: u32 = 1 << 15;
    /// Which of 1, i, j, k the rotations are about.
    pub const CENTRE_SHIFT: u32 = 16;
    pub const CENTRE: u32 = 3 << CENTRE_SHIFT;
}
