//! Motions brought onto other rigs.

use super::Case;

pub const CASES: &[Case] = &[];
