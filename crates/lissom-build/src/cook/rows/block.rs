//! The keys of a block: rounded to integers, coded as differences.

use crate::exact::clamp;
use lissom::clip::format::rows::BLOCK_ROWS;

/// Rows of a block.
pub(super) const BLOCK: usize = BLOCK_ROWS as usize;

/// A key before rounding, in steps.
pub(super) type KeyTarget = [f64; 3];

/// The integer nearest to a number of steps.
pub(super) fn nearest(v: f64) -> i32 {
    // Beyond 24 bits f32 would round the integer; the caller checks the widths.
    clamp(libm::round(v), -1e9, 1e9) as i32
}

/// The first row whose difference counts: a slope takes care of the one before.
pub(super) fn first_row(goes_on: bool) -> usize {
    if goes_on { 2 } else { 1 }
}

/// What is coded for a row.
pub(super) fn difference(keys: &[[i32; 3]], component: usize, goes_on: bool, row: usize) -> i32 {
    let at = |r: usize| keys[r][component];
    let held = at(row).wrapping_sub(at(row - 1));
    if goes_on { held.wrapping_sub(at(row - 1)).wrapping_add(at(row - 2)) } else { held }
}
