//! Readers of other people's files. Whatever the bytes are, the answer is a value or an [`ImportError`] that
//! says where and why: nothing panics, and nothing is reserved that the bytes could not fill.

pub mod acl_sjson;
pub mod bvh;
mod bytes;
mod error;
#[cfg(feature = "fbx")]
pub mod fbx;
#[cfg(feature = "gltf")]
pub mod gltf;
mod limits;
#[cfg(any(feature = "fbx", feature = "gltf"))]
mod names;
pub mod ozz;
pub mod rawclip;
mod sjson;

pub use error::{ImportError, Place};
pub use limits::ImportLimits;
