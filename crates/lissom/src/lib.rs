//! Lissom: a data-oriented animation runtime, for games and whatever else plays skeletons.
//!
//! An [`Archive`](archive::Archive) holds skeletons, clips, meshes and what belongs to them. A
//! [`Player`](player::Player) is one character that plays clips by name. Below it are the [jobs](job):
//! sample, blend, local to model, skin and others, each a plain struct of borrowed slices. Below the jobs is
//! the data: [`Skeleton`], [`clip`], [`track`], [`mesh`]. Graphs and crowds are in `lissom-motion`, importers
//! in `lissom-build`.
//!
//! # Play a clip
//!
//! ```no_run
//! use lissom::prelude::*;
//!
//! let archive = Archive::open("hero.lsm")?;
//! let mut player = Player::new(&archive)?;
//! player.play("walk")?;
//! loop {
//!     player.update(1.0 / 60.0)?;
//!     println!("the root is at {:?}", player.models()[0]);
//! #   break;
//! }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Fade to another clip, and react to markers
//!
//! ```no_run
//! use lissom::prelude::*;
//!
//! let archive = Archive::open("hero.lsm")?;
//! let mut player = Player::new(&archive)?;
//! player.play("walk")?;
//! player.update(1.0 / 60.0)?;
//! // For a fifth of a second, both clips are blended.
//! player.play_with("run", PlayOptions { fade_s: 0.2, ..PlayOptions::default() })?;
//! player.update(1.0 / 60.0)?;
//! for event in player.events() {
//!     println!("{} passed the marker {}", event.clip, event.marker.name);
//! }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Skin
//!
//! ```no_run
//! use lissom::prelude::*;
//!
//! let archive = Archive::open("hero.lsm")?;
//! let mut player = Player::new(&archive)?;
//! player.play("walk")?;
//! player.update(1.0 / 60.0)?;
//! // On the CPU: morph targets, then joints.
//! for mesh in player.skin()? {
//!     println!("{}: {} vertices", mesh.name, mesh.positions.len());
//! }
//! // On the GPU: the matrices that a vertex shader needs.
//! println!("{} matrices", player.palette("body")?.len());
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Put a hand on something
//!
//! ```
//! use lissom::{
//!     job::{TwoBoneCorrection, TwoBoneIkJob},
//!     math::{Transform, Vec3},
//! };
//!
//! // The joints in model space, as `Player::models` has them.
//! let at = |x, y| Transform::from_translation(Vec3::new(x, y, 0.0)).to_mat34();
//! let (shoulder, elbow, hand) = (at(0.0, 0.0), at(0.3, 0.1), at(0.6, 0.0));
//! let handle = Vec3::new(0.2, 0.4, 0.0);
//! let mut found = TwoBoneCorrection::default();
//! TwoBoneIkJob::new([&shoulder, &elbow, &hand], handle, &mut found).run()?;
//! assert!(found.reached);
//! // Multiply `found.start` and `found.mid` from the right to the local rotations of shoulder and elbow.
//! # Ok::<(), lissom::job::JobError>(())
//! ```
//!
//! # Priorities, in order
//!
//! 1. The same bits on every machine, backend and thread count, however a time was reached.
//! 2. No file, and no input of a job, can do harm: a value or a typed error that says what is wrong.
//! 3. Nothing is allocated after loading and the first frame.
//! 4. Speed, then bytes; figures are in `BENCHMARKS.md`.
//!
//! `PROMISES.md` names the test that keeps each promise. `no_std` with `alloc`; no unsafe code.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | CPU detection at run time, reading files, std errors |
//! | `rayon` | no | helpers that run a job over several threads with rayon |
//! | `scalar` | no | the scalar backend also where every CPU has vectors: for tests and benches |
//! | `zstd` | no | streams compressed with Zstandard (a C library) can be played |
//! | `gzip` | no | streams compressed with gzip can be played |
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

pub mod archive;
pub mod bones;
mod bytes;
pub mod clip;
#[doc(hidden)]
pub mod hash;
pub mod job;
mod lod;
mod mask;
pub mod mesh;
pub mod player;
pub mod pose;
pub mod prelude;
pub mod ragdoll;
mod skeleton;
pub mod track;

pub use bytes::SharedBytes;
pub use clip::{Clip, ClipError, ClipView, Cursor};
pub use lissom_math as math;
pub use lod::{JointLod, LodError};
pub use mask::JointMask;
pub use skeleton::{MAX_JOINTS, Skeleton, SkeletonError, SkeletonParts};
