//! What files of each format carry, in and out.

use super::Case;

pub const CASES: &[Case] = &[];
