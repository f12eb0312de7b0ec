//! What other programs read: glTF 2.0 in its binary form, whole or with the rest of an existing file, and BVH.

mod animation;
mod binary;
mod bvh;
mod glb;
mod graphs;
mod meshes;
#[cfg(feature = "gltf")]
mod onto;
mod straight;
mod surfaces;

pub use bvh::{BvhWriteError, write_bvh};
pub use glb::{ExportError, write_glb};
#[cfg(feature = "gltf")]
pub use onto::{OntoError, write_glb_onto};
