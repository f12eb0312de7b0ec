//! A transform hierarchy whose cost follows what moved.
//!
//! Priorities, in order: **same bits** whatever runs, then touching little, then speed, then brevity.
//!
//! ```
//! use lissom_math::{Qvs, Vec3};
//! use lissom_world::{Keep, World};
//!
//! let mut world = World::new();
//! let ship = world.spawn(None, Qvs::from_position(Vec3::new(100.0, 0.0, 0.0)))?;
//! let captain = world.spawn(Some(ship), Qvs::from_position(Vec3::new(0.0, 2.0, 0.0)))?;
//! world.sync();
//! assert_eq!(world.transform(captain)?.position, Vec3::new(100.0, 2.0, 0.0));
//!
//! let before = world.version();
//! world.set_local(ship, Qvs::from_position(Vec3::new(101.0, 0.0, 0.0)))?;      // deferred
//! world.sync();
//! let mut moved = Vec::new();
//! world.changed_since(before, |e| moved.push(e));
//! assert_eq!(moved, [ship, captain]);
//!
//! let mut crew = world.hierarchy(ship)?;                                       // immediate
//! crew.set_local(ship, Qvs::IDENTITY)?;
//! assert_eq!(crew.transform(captain)?.position, Vec3::new(0.0, 2.0, 0.0));
//!
//! world.set_parent(captain, None, Keep::World)?;                               // overboard
//! # Ok::<(), lissom_world::WorldError>(())
//! ```
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | CPU detection at run time |
//! | `rayon` | no | large passes on the current rayon pool; the bits do not change |
//! | `oracles` | no | older algorithms for our tests and bench; no part of the API |
//!
//! # Types and data flow
//!
//! A local transform is a [`Qvs`](lissom_math::Qvs) (32 bytes), a world transform a
//! [`Qvvs`](lissom_math::Qvvs) (48 bytes). Transforms go in and out by value, through an [`Entity`]: a slot and
//! a generation. A slot knows its links (parent, children, siblings; always up to date) and where its data
//! lies, which is one of three kinds of store:
//!
//! - **levels** 0 to 16: all entities of one depth, packed, one array a field;
//! - the **deep** store: whatever is deeper, walked depth-first;
//! - **lanes**: copies of a [`Prefab`], 16 trees a block, node by node side by side.
//!
//! ```text
//! set_local, set_transform, …  ──▶ local, dirty bit + summary bits      (O(1), at the write)
//! set_parent, despawn      ──▶ links at once; the queue              (O(1); errors are known here)
//! sync ─▶ structure phase: rows of the queue's subtrees change level
//!      ─▶ lanes: dirty blocks         ─▶ levels, roots first: dirty words  ─▶ deep: depth-first
//!      └▶ a version for exactly the entities that changed
//! changed_since, transform, …  ◀── versions, a maximum a block; world transforms
//! ```
//!
//! Dirty means: the own local (or stretch, or user word) was written, the own parent changed, or the
//! parent's world transform changed; nothing else, and equal bits count. Level n reads level n - 1, which is
//! finished: the arrays are split there, so tasks hold disjoint `&mut` slices and the compiler proves that
//! nothing races. This crate forbids unsafe code.
//!
//! What did not move is not computed and gets no version. It is touched in two places, for speed: a lane is
//! stored together with its three neighbours, which get the bits they have; and where a quarter of a level
//! changed, every row of the next looks at its parent's bit. [`SyncStats`] counts both.
//!
//! A changed entity is composed exactly once, with one function or a kernel with its bits, from the same
//! inputs. So store, thread count and SIMD backend cannot change a bit; a test holds them, and two older
//! algorithms, to a naive recursive model over a million random operations.
#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;

mod bulk;
mod error;
mod immediate;
mod inherit;
mod joints;
mod lanes;
mod level;
#[cfg(feature = "oracles")]
#[doc(hidden)]
pub mod oracles;
mod prefab;
mod reorder;
mod rows;
mod slots;
mod snapshot;
mod stats;
mod store;
mod structure;
mod sync;
mod version;
mod view;
mod world;

pub use bulk::Handle;
pub use error::{SnapshotError, WorldError};
pub use immediate::{Hierarchy, HierarchyCopy};
pub use inherit::Inherit;
pub use joints::Socket;
pub use prefab::Prefab;
pub use slots::Entity;
pub use stats::SyncStats;
pub use view::TreeView;
pub use world::{Children, Keep, World};
