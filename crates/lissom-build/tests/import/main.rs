//! Files in and out: what importers make of right, odd and hostile files, and what is exported again.

mod acl;
mod axes;
mod bad_input;
mod bvh;
#[cfg(feature = "gltf")]
mod glb;
#[cfg(feature = "gltf")]
mod gltf;
mod lsm;
mod npz;
#[cfg(feature = "gltf")]
mod onto;
mod open;
mod ozz;
mod rawclip;
mod tiny_numbers;
