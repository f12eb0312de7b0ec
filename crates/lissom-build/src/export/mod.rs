//! What other programs read: glTF 2.0 in its binary form.

mod binary;
mod glb;

pub use glb::{ExportError, Scene, write_glb};
