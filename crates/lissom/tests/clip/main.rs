//! Clips of both forms: their format, how they play, from memory and as streams.

#[path = "../common/mod.rs"]
mod common;

mod allocations;
mod bytes;
mod bytes_by_joint;
mod cost;
mod facts;
mod format;
mod mannequin;
mod parts;
mod playback;
mod rows;
mod still;
mod stream_hostile;
mod streaming;

/// It counts by thread, so tests of one binary do not count each other's allocations.
#[global_allocator]
static ALLOCATOR: lissom_testkit::alloc::CountingAllocator = lissom_testkit::alloc::CountingAllocator;
