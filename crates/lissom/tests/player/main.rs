//! The player, the archives and tracks that it reads, and the order of the crate's modules.

mod archive;
mod layers;
mod player;
mod pose;
mod ragdoll;
mod tracks;

/// It counts by thread, so tests of one binary do not count each other's allocations.
#[global_allocator]
static ALLOCATOR: lissom_testkit::alloc::CountingAllocator = lissom_testkit::alloc::CountingAllocator;
