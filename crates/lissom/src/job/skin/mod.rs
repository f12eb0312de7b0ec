//! Skinning: palettes of joint matrices, morph targets, and vertices moved by matrices or dual quaternions.

mod dual_quat;
mod linear;
mod morph;
mod palette;
mod vertices;

pub use dual_quat::DualQuatSkinJob;
pub use linear::SkinJob;
pub use morph::MorphJob;
pub use palette::{PaletteJob, inverse_binds_from_rest, inverse_transpose};
