//! Lissom's offline side: what authors make, before it becomes what games load.
//!
//! [`raw`] holds editable skeletons and animations in f64; [`SkeletonBuilder`] turns the first into a
//! [`lissom::Skeleton`]. [`exact`] is the f64 arithmetic that everything cooked is measured against.
//!
//! ```
//! use lissom_build::{raw::{RawJoint, RawSkeleton}, SkeletonBuilder, exact::{Trs, V3}};
//!
//! let raw = RawSkeleton { joints: vec![
//!     RawJoint { name: "foot".into(), parent: Some(1), rest: Trs::from_translation(V3::new(0.0, -0.9, 0.0)) },
//!     RawJoint { name: "hips".into(), parent: None, rest: Trs::from_translation(V3::new(0.0, 0.9, 0.0)) },
//! ]};
//! let built = SkeletonBuilder::build(&raw)?;
//! assert_eq!(built.skeleton.name(0), "hips");     // parents first
//! assert_eq!(built.joint_of_raw, [1, 0]);         // where each raw joint went
//! # Ok::<(), lissom_build::raw::RawSkeletonError>(())
//! ```

pub mod archive;
pub mod cook;
pub mod exact;
pub mod export;
pub mod import;
pub mod mannequin;
pub mod mesh;
pub mod raw;
mod skeleton_builder;

pub use skeleton_builder::{BuiltSkeleton, SkeletonBuilder};
