//! Lissom's offline side: what authors make, before it becomes what games load. For tools; games link [`lissom`].
//!
//! In order of what gives way last:
//!
//! 1. *Bounds.* What was cooked is played by the real player and measured against the source: it is within the
//!    precision that was asked for, or an error names the joint.
//! 2. *Hostile files.* An importer gives a valid [`scene::Scene`] or says where and why not; it never panics and never
//!    takes more memory than [`import::ImportLimits`] allow.
//! 3. *Same bytes.* The same input gives the same bytes on every machine (FBX files apart, which a C library reads).
//! 4. *Size* of what games load, then the time that cooking takes.
//!
//! | module | |
//! |---|---|
//! | [`raw`], [`mesh`], [`scene`] | editable data: motions in f64, meshes with their [materials](mesh::material), and scenes of them |
//! | [`exact`] | the f64 arithmetic that everything cooked is measured against |
//! | [`import`], [`export`] | files of other programs |
//! | [`SkeletonBuilder`], [`cook`] | from raw data to a [`lissom::Skeleton`] and to a [`lissom::Clip`] whose error is bounded |
//! | [`archive`] | writes what games load |
//! | [`edit`], [`recipe`] | what is done to clips before they are cooked, and the file that says so (`lissom.toml`) |
//! | [`retarget`] | motions of one human skeleton on another |
//! | [`feet`] | when feet stand; phase and speed of gaits |
//! | [`graph`] | graphs as files, for `lissom_motion` |
//! | [`matching`] | databases for motion matching, for `lissom_motion` |
//! | [`draft`] | a first graph from the names and speeds of clips |
//! | [`pipeline`] | all of it at once: files or bytes in, an archive, reports and a stamp out |
//! | [`mannequin`] | a character made in code |
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `gltf` | yes | reads glTF 2.0 files |
//! | `draco` | no | reads glTF meshes that are compressed with Draco (`draco-core`, Apache-2.0 only) |
//! | `fbx` | no | reads FBX files (`ufbx`, a C library: needs a C compiler) |
//! | `gzip` | no | clip streams compressed with gzip |
//! | `zstd` | no | clip streams compressed with Zstandard (a C library) |
//!
//! From a scene to the archive that a game opens. Here the scene is the mannequin;
//! `import::open("hero.glb".as_ref(), &ImportOptions::default())?` reads one from a file:
//!
//! ```
//! use lissom_build::{cook::ClipBuilder, mannequin::{self, Detail, Motion}, pipeline};
//!
//! let scene = mannequin::game_scene(&[Motion::Walk], &Detail::default())?;
//! let cooked = pipeline::cook_scene(&scene, &ClipBuilder::default(), &pipeline::serial)?;
//! assert!(cooked.clips[0].cook.error.worst() <= 0.0001);  // metres, measured on what the player decodes
//! let file: Vec<u8> = cooked.archive;                     // hero.lsm
//! # assert!(file.starts_with(b"LSM1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files become archives with [`pipeline::Plan`], which also edits clips and says what became of each file.
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
pub mod draft;
pub mod edit;
pub mod exact;
pub mod export;
pub mod feet;
pub mod graph;
pub mod import;
pub mod mannequin;
pub mod matching;
pub mod mesh;
pub mod pipeline;
pub mod raw;
pub mod recipe;
pub mod retarget;
pub mod scene;
mod skeleton_builder;
mod text;

pub use skeleton_builder::{BuiltSkeleton, SkeletonBuilder};
