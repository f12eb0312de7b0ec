//! Lissom's offline side: what authors make, before it becomes what games load.
//!
//! [`raw`] holds editable skeletons and animations in f64; [`SkeletonBuilder`] turns the first into a
//! [`lissom::Skeleton`], [`cook::ClipBuilder`] the second into a [`lissom::Clip`] whose error is bounded.
//! [`exact`] is the f64 arithmetic that everything cooked is measured against, [`import`] and [`export`] meet the
//! rest of the world, and [`mannequin`] is a character made in code.
//!
//! The README's ten lines, from a motion to matrices:
//!
//! ```
//! use lissom::{Clip, Cursor, job::{LocalToModelJob, Models, SampleJob, SampleTime, Update}, math::{Mat4, soa::SoaTransform}};
//! use lissom_build::{SkeletonBuilder, cook::ClipBuilder, mannequin::{self, Motion}};
//!
//! let built = SkeletonBuilder::build(&mannequin::skeleton())?;
//! let cooked = ClipBuilder::default().build(&built, &mannequin::clip(Motion::Walk))?;
//! let (skeleton, clip) = (&built.skeleton, Clip::from_bytes(&cooked.bytes)?);
//!
//! let mut cursor = Cursor::with_room_for(clip.view());
//! let mut pose = vec![SoaTransform::IDENTITY; skeleton.group_count()];
//! let mut matrices = vec![Mat4::IDENTITY; skeleton.joint_count()];
//! SampleJob { skeleton, clip: clip.view(), time: SampleTime::Wrapped(12.5), lod: None,
//!             cursor: &mut cursor, output: &mut pose }.run()?;
//! LocalToModelJob { skeleton, locals: &pose, root: None, update: Update::All, lod: None,
//!                   models: Models::Mat4(&mut matrices) }.run()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Raw data comes in any order; building sorts it:
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
mod influences;
pub mod mannequin;
pub mod material;
pub mod mesh;
mod mesh_fill;
mod quote;
pub mod raw;
pub mod scene;
mod skeleton_builder;

pub use skeleton_builder::{BuiltSkeleton, SkeletonBuilder};
