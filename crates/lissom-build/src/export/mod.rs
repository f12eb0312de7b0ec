//! What other programs read: glTF 2.0 in its binary form.

mod animation;
mod binary;
mod glb;
mod meshes;
mod surfaces;

pub use glb::{ExportError, write_glb};
