//! The counting allocator counts.

use lissom_testkit::alloc::{
    CountingAllocator, allocations_everywhere, allocations_here, assert_no_alloc, assert_no_alloc_anywhere,
    peak_bytes,
};
use std::hint::black_box;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn every_allocation_of_this_thread_and_of_others_is_counted() {
    let before = allocations_here();
    let mut v = black_box(Vec::with_capacity(4));
    v.extend_from_slice(&[0_u64; 100]);
    drop(black_box(v));
    assert_eq!(allocations_here() - before, 2, "one allocation and one growth");

    let (here, everywhere) = (allocations_here(), allocations_everywhere());
    std::thread::scope(|s| {
        s.spawn(|| drop(black_box(vec![0_u8; 1000])));
    });
    assert!(allocations_everywhere() - everywhere > allocations_here() - here);
}

#[test]
fn an_allocation_where_none_is_allowed_panics() {
    assert_eq!(assert_no_alloc(|| black_box(3) + 4), 7);
    let one = std::panic::catch_unwind(|| assert_no_alloc(|| drop(black_box(Box::new(1)))));
    assert!(one.is_err());
    let elsewhere = std::panic::catch_unwind(|| {
        assert_no_alloc_anywhere(|| {
            std::thread::scope(|s| {
                s.spawn(|| drop(black_box(Box::new(1))));
            });
        });
    });
    assert!(elsewhere.is_err());
}

#[test]
fn the_peak_is_what_was_held_at_once() {
    let kept = vec![0_u8; 5000];
    let (_, peak) = peak_bytes(|| {
        drop(black_box(vec![0_u8; 3000]));
        let mut grown: Vec<u8> = black_box(Vec::with_capacity(1000));
        grown.reserve_exact(2000);
        let other = black_box(vec![0_u8; 500]);
        drop(kept);
        (grown, other)
    });
    assert_eq!(peak, 3000);
    let (_, peak) = peak_bytes(|| black_box(vec![0_u8; 2000]).len() + black_box(vec![0_u8; 100]).len());
    assert!((2000..=2100).contains(&peak), "{peak}");
    assert_eq!(peak_bytes(|| black_box(1)).1, 0);
}
