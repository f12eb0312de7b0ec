//! No allocation in `sync` at steady size, serial and parallel. Alone in its file: the counter is global.
#![allow(unsafe_code, reason = "a global allocator is unsafe to implement; this one only counts")]

mod common;

use common::Rng;
use lissom_math::Qvs;
use lissom_world::{Algorithm, Keep, Prefab, World};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as our caller promised.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as our caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as our caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn frames(algorithm: Algorithm, parallel: bool, count: usize) -> usize {
    let mut rng = Rng(3);
    let mut world = World::new();
    world.set_algorithm(algorithm);
    world.set_parallel(parallel);
    let mut all = vec![world.spawn(None, Qvs::IDENTITY).unwrap()];
    for _ in 0..9_000 {
        let parent = all[rng.below(all.len().min(60))];
        all.push(world.spawn(Some(parent), rng.local()).unwrap());
    }
    // Deeper than the levels, too.
    for _ in 0..40 {
        all.push(world.spawn(Some(all[all.len() - 1]), rng.local()).unwrap());
    }
    let shape = [None, Some(0_usize), Some(0), Some(1)];
    let prefab = Prefab::new(&shape, &[Qvs::IDENTITY; 4]).unwrap();
    world.spawn_prefab(&prefab, 100, None, &mut all).unwrap();
    let pair = (all[5], all[6]);
    let mut before = 0;
    for frame in 0..count + 100 {
        if frame == 100 {
            before = COUNT.load(Ordering::Relaxed);
        }
        if frame % 50 == 0 {
            world.update_locals(|_, l| l.position.x += 0.5).unwrap();
        }
        for _ in 0..20 {
            world.set_local(all[rng.below(all.len())], Qvs::IDENTITY).unwrap();
        }
        // To and fro between two depths: the structure phase, too, finds room it had before.
        let parent = if frame % 2 == 0 { Some(pair.1) } else { None };
        world.set_parent(pair.0, parent, Keep::Local).unwrap();
        world.sync();
        world.set_local(all[frame % all.len()], Qvs::IDENTITY).unwrap();
        world.sync();
    }
    COUNT.load(Ordering::Relaxed) - before
}

#[test]
fn ten_thousand_frames_of_steady_size_allocate_nothing() {
    assert_eq!(frames(Algorithm::Auto, false, 10_000), 0);
    assert_eq!(frames(Algorithm::DepthFirst, false, 500), 0);
    assert_eq!(frames(Algorithm::ByDepth, false, 500), 0);
    #[cfg(feature = "parallel")]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert_eq!(pool.install(|| frames(Algorithm::Auto, true, 10_000)), 0);
    }
}
