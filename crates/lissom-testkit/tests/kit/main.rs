//! One binary for the tests that stand in the kit. What counts allocations of all threads, and what runs without the counting
//! allocator, are binaries of their own beside it.

mod golden;
mod hostile;
mod large_files;
mod packed;

use lissom_testkit::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
