//! Readers of other people's files. Whatever the bytes are, the answer is a value or an [`ImportError`] that
//! says where and why: nothing panics, and nothing is reserved that the bytes could not fill.
//!
//! [`open()`] reads any of them into a [`Scene`](crate::scene::Scene).

// The wall: here nothing is taken on trust. (Tests may.)
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::arithmetic_side_effects,
        clippy::panic
    )
)]

pub mod acl_sjson;
mod axes;
mod budget;
pub mod bvh;
mod bytes;
mod clip_names;
mod error;
#[cfg(feature = "fbx")]
pub mod fbx;
#[cfg(any(feature = "fbx", feature = "gltf"))]
mod files;
mod format;
#[cfg(feature = "gltf")]
pub mod gltf;
mod guess;
mod limits;
pub mod lsm;
mod matching;
#[cfg(any(feature = "fbx", feature = "gltf"))]
mod names;
pub mod npz;
mod onto;
mod open;
mod options;
pub mod ozz;
pub mod rawclip;
mod read_options;
mod rebase;
mod sense;
mod sjson;

pub use axes::Axis;
pub use clip_names::{UniqueNames, stem};
pub use error::{ImportError, Place};
pub use format::Format;
pub use limits::ImportLimits;
pub use matching::MatchError;
pub(crate) use matching::{lend, retarget};
pub(crate) use onto::bring_onto;
pub use open::{OpenError, open, open_bytes, open_read, open_skeleton, read_beside, read_limited};
pub(crate) use open::{finish, parse};
pub use options::{ImportOptions, MotionFit, Unit};
pub use read_options::ReadOptions;
