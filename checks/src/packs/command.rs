//! The command's smaller things.

use super::Case;

pub const CASES: &[Case] = &[];
