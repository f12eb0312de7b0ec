//! Contacts, gaits and root motion from feet.

use super::Case;

pub const CASES: &[Case] = &[];
