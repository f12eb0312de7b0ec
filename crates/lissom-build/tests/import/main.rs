//! Files in and out: what importers make of right, odd and hostile files, and what is exported again.

mod bad_input;
#[cfg(feature = "gltf")]
mod glb;
#[cfg(feature = "gltf")]
mod gltf;
mod npz;
#[cfg(feature = "gltf")]
mod onto;
mod open;
mod tiny_numbers;
