//! No allocation in `sync` at steady size, serial and parallel. Alone in its file: the counter is global.

mod common;

use common::Rng;
use lissom_math::Qvs;
use lissom_testkit::alloc::{CountingAllocator, allocations_everywhere};
use lissom_world::{Algorithm, Keep, Prefab, World};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn frames(algorithm: Algorithm, parallel: bool, count: usize) -> u64 {
    let mut rng = Rng::new(3);
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
            before = allocations_everywhere();
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
    allocations_everywhere() - before
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
