//! Lissom: a data-oriented animation runtime.
//!
//! Immutable assets ([`Skeleton`]), structure-of-arrays poses, and jobs that read inputs, write outputs
//! and touch nothing else. `no_std` with `alloc`; nothing allocates after loading.
//!
//! ```
//! use lissom::{Skeleton, SkeletonParts, math::Transform};
//!
//! let skeleton = Skeleton::new(SkeletonParts {
//!     parents: &[None, Some(0), Some(1), Some(0)],
//!     names: &["hips", "spine", "head", "tail"],
//!     rest: &[Transform::IDENTITY; 4],
//! })?;
//! let spine = skeleton.find("spine").unwrap();
//! assert_eq!(skeleton.subtree(spine), 1..3);
//! assert!(skeleton.is_leaf(3));
//! # Ok::<(), lissom::SkeletonError>(())
//! ```
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | CPU detection at run time, loading from `std::io::Read` |
//! | `parallel` | no | helpers that run a job over several threads with rayon |
//! | `gzip` | no | streams compressed with gzip can be played |
//! | `zstd` | no | streams compressed with Zstandard (a C library) can be played |
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

pub mod archive;
mod bytes;
pub mod clip;
#[doc(hidden)]
pub mod hash;
pub mod job;
mod lod;
mod mask;
pub mod mesh;
mod skeleton;

pub use bytes::SharedBytes;
pub use clip::{Clip, ClipError, ClipView, Cursor};
pub use lissom_math as math;
pub use lod::{JointLod, LodError};
pub use mask::JointMask;
pub use skeleton::{MAX_JOINTS, Skeleton, SkeletonError, SkeletonParts};
