//! What jobs are made of: loops and parts that several of them share.

pub(super) mod matrix;
mod packed;
pub(super) mod skin;
pub(super) mod sums;
pub(super) mod turn;
pub(super) mod vertices;
pub(super) mod whole_layers;
