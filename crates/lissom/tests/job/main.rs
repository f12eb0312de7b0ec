//! Jobs: what each computes, what it refuses, on every backend and any number of threads.

#[path = "../common/mod.rs"]
mod common;

mod batch;
mod feet;
mod hand;
mod hostile;
mod ik;
mod ik_chain;
mod ik_lanes;
mod inertia;
mod kernel_parity;
mod memory;
mod mix;
mod pages;
mod pose;
mod retarget;
mod springs;
mod threads;

/// It counts by thread, so tests of one binary do not count each other's allocations.
#[global_allocator]
static ALLOCATOR: lissom_testkit::alloc::CountingAllocator = lissom_testkit::alloc::CountingAllocator;
