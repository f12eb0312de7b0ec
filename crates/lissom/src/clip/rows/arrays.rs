//! The arrays that a cursor plays rows from.

use lissom_math::soa::GROUP;

/// How a cursor's words are laid out: arrays of one length, in which the lanes of translations, rotations and
/// scales follow each other, padded to whole groups of 16. Fetching does not care which kind a lane is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrays {
    pub lanes: [u32; 3],
}

/// Arrays: the integers x, y, z of two keys, …
pub(super) const A: usize = 0;
pub(super) const B: usize = 3;
/// … the step (f32), how to read and decode (see [`meta`]), the widths of jump frames and slopes, the bit of
/// a row …
pub(super) const STEP: usize = 6;
pub(super) const META: usize = 7;
/// … and what the keys around the current time say: x, y, z and, for rotations, w (f32).
pub(super) const LEFT: usize = 10;
pub(super) const RIGHT: usize = 14;
const ARRAYS: usize = 18;

impl Arrays {
    /// Words of the whole; a wide load from the last lane on stays inside.
    pub fn total(&self) -> usize {
        if self.len() == 0 { 0 } else { self.len() * ARRAYS + GROUP }
    }

    /// Words of an array.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.used().next_multiple_of(GROUP)
    }

    /// Lanes of all kinds: what is behind them in an array says nothing.
    #[inline(always)]
    pub fn used(&self) -> usize {
        (self.lanes[0] + self.lanes[1] + self.lanes[2]) as usize
    }

    /// Lanes of a kind.
    #[inline(always)]
    pub fn count(&self, kind: usize) -> usize {
        self.lanes[kind] as usize
    }

    /// The first lane of a kind.
    #[inline(always)]
    pub fn first(&self, kind: usize) -> usize {
        match kind {
            0 => 0,
            1 => self.lanes[0] as usize,
            _ => (self.lanes[0] + self.lanes[1]) as usize,
        }
    }

    /// All arrays, to be written.
    #[inline(always)]
    pub(super) fn split<'a>(&self, words: &'a mut [u32]) -> Split<'a> {
        let n = self.len();
        let (a, rest) = words.split_at_mut(3 * n);
        let (b, rest) = rest.split_at_mut(3 * n);
        let (step, rest) = rest.split_at_mut(n);
        let (meta, rest) = rest.split_at_mut(n);
        let (widths, rest) = rest.split_at_mut(n);
        let (offset, rest) = rest.split_at_mut(n);
        let (_, rest) = rest.split_at_mut(4 * n);
        Split {
            a: three(a, n),
            b: three(b, n),
            step,
            meta,
            widths,
            offset,
            next: three(&mut rest[..3 * n], n),
        }
    }
}

#[inline(always)]
fn three(all: &mut [u32], n: usize) -> [&mut [u32]; 3] {
    let (x, rest) = all.split_at_mut(n);
    let (y, z) = rest.split_at_mut(n);
    [x, y, z]
}

/// A cursor's arrays, all of one length.
pub(super) struct Split<'a> {
    pub a: [&'a mut [u32]; 3],
    pub b: [&'a mut [u32]; 3],
    pub step: &'a mut [u32],
    pub meta: &'a mut [u32],
    pub widths: &'a mut [u32],
    pub offset: &'a mut [u32],
    /// Where integers wait that are decoded at once: in the place of the right key.
    pub next: [&'a mut [u32]; 3],
}

/// The bits of a lane's word of the array `META`; a word of `Split::widths` has six widths of five bits.
pub(super) mod meta {
    /// Bits of a difference in x; y and z follow.
    pub const WIDTH: u32 = 5;
    /// Set if the prediction goes on as before; otherwise it stays.
    pub const GOES_ON: u32 = 1 << 15;
    /// Which of 1, i, j, k the rotations are about.
    pub const CENTRE_SHIFT: u32 = 16;
    pub const CENTRE: u32 = 3 << CENTRE_SHIFT;
}
