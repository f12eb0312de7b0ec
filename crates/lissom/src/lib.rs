//! Lissom: a data-oriented animation runtime, for games and whatever else plays skeletons.
//!
//! An [`Archive`](archive::Archive) holds skeletons, clips, meshes and what goes along with them. A
//! [`Player`](player::Player) is one character that plays its clips by name. Below it are the [jobs](job): sample,
//! blend, local to model, skin, and others, each a plain struct of borrowed slices; and below those the data:
//! [`Skeleton`], [`clip`], [`track`].
//!
//! ```no_run
//! use lissom::prelude::*;
//!
//! let archive = Archive::open("hero.lsm")?;
//! let mut player = Player::new(&archive)?;
//! player.play("walk")?;
//! loop {
//!     player.update(1.0 / 60.0)?;
//!     for mesh in player.skin()? {
//!         println!("{}: {} vertices", mesh.name, mesh.positions.len());
//!     }
//! #   break;
//! }
//! # Ok::<(), Box<dyn core::error::Error>>(())
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
//! | `parallel` | no | helpers that run a job over several threads with rayon |
//! | `zstd` | no | streams compressed with Zstandard (a C library) can be played |
//! | `gzip` | no | streams compressed with gzip can be played |
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
pub mod player;
pub mod prelude;
mod skeleton;
pub mod track;

pub use bytes::SharedBytes;
pub use clip::{Clip, ClipError, ClipView, Cursor};
pub use lissom_math as math;
pub use lod::{JointLod, LodError};
pub use mask::JointMask;
pub use skeleton::{MAX_JOINTS, Skeleton, SkeletonError, SkeletonParts};
