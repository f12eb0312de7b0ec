//! Nothing is allocated, over ten thousand frames of every job.

use crate::common::stage::{Assets, Character};
use lissom_testkit::alloc::assert_no_alloc;

#[test]
fn ten_thousand_frames_allocate_nothing() {
    let assets = Assets::new(1);
    let mut character = Character::new(&assets);
    // The CPU is asked once, which may allocate.
    let _ = lissom::math::simd::Backend::best();
    assert_no_alloc(|| (0..10_000).for_each(|frame| character.frame(frame as f32 / 10_000.0)));
}
