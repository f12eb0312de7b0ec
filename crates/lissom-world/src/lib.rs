//! A transform hierarchy that never touches what did not move.
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
mod prefab;
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
pub use sync::Algorithm;
pub use view::TreeView;
pub use world::{Children, Keep, World};
