//! The keys of a block, rounded to integers.

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
