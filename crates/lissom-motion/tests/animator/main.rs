//! One character: what an animator plays, transitions by inertia, root motion, and feet that are held.

mod decisions;
mod foot_lock;
mod inertial;
mod playing;
mod recording;
mod root_motion;
mod threshold;

use lissom_testkit::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
