//! Motion matching: the search finds what plain code finds, on every backend, and says what is wrong.

mod errors;
mod exact;
mod kit;
mod limits;
mod places;
mod saved;

use lissom_testkit::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
