//! What other programs read: glTF 2.0 in its binary form, whole or with the rest of an existing file, and BVH.

mod animation;
mod binary;
mod bvh;
mod glb;
mod graphs;
mod meshes;
#[cfg(feature = "gltf")]
mod onto;
mod packing;
mod straight;
mod surfaces;

use std::{
    fs,
    hash::{BuildHasher, Hasher, RandomState},
    io,
    path::Path,
};

pub use bvh::{BvhWriteError, write_bvh};
pub use glb::{ExportError, write_glb};
#[cfg(feature = "gltf")]
pub use onto::{OntoError, write_glb_onto};

/// Writes a file whole or not at all: beside it first, then under its name. Others may write the same one meanwhile, on other
/// machines too: each has a part of its own.
///
/// # Errors
///
/// What the file system says; what was there before is there still.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut part = path.as_os_str().to_owned();
    // A hasher of the standard library starts with what the system has at random.
    part.push(format!(".{:016x}.part", RandomState::new().build_hasher().finish()));
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The first failure is the one to tell; a part that was never written cannot be removed.
        let _ = fs::remove_file(&part);
    }
    written
}
