//! What jobs are made of: loops and parts that several of them share.

mod contiguous;
pub(super) mod matrix;
pub(super) mod skin;
pub(super) mod sums;
pub(crate) mod turn;
pub(super) mod turn_wide;
pub(super) mod whole_layers;
