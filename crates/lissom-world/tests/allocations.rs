//! No allocation in `sync` at steady size, serial and cut up for threads. Alone in its file: the counter is
//! global, so the threads of the pool are counted too.

use lissom_math::Qvs;
use lissom_testkit::{
    alloc::{CountingAllocator, allocations_everywhere},
    rng::Rng,
};
use lissom_world::{Keep, Prefab, World, oracles::Algorithm};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Allocations in `count` frames after the first hundred, and the tasks of their syncs.
fn frames(algorithm: Algorithm, parallel: bool, count: usize) -> (u64, usize) {
    let mut rng = Rng::new(3);
    let mut world = World::new();
    world.set_algorithm(algorithm);
    world.set_parallel(parallel);
    // Two levels of more than a page.
    let mut all = vec![world.spawn(None, Qvs::IDENTITY).unwrap()];
    for i in 0..9_000 {
        let parent = if i < 4_500 { 0 } else { 1 + rng.below(60) };
        all.push(world.spawn(Some(all[parent]), rng.qvs()).unwrap());
    }
    // Deeper than the levels, too.
    for _ in 0..40 {
        all.push(world.spawn(Some(all[all.len() - 1]), rng.qvs()).unwrap());
    }
    // More lane blocks than one task takes.
    let shape = [None, Some(0_usize), Some(0), Some(1)];
    let prefab = Prefab::new(&shape, &[Qvs::IDENTITY; 4]).unwrap();
    world.spawn_prefab(&prefab, 2_200, None, &mut all).unwrap();
    let pair = (all[5], all[6]);
    let (mut before, mut tasks) = (0, 0);
    for frame in 0..count + 100 {
        if frame == 100 {
            before = allocations_everywhere();
            tasks = 0;
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
        tasks += world.sync().tasks;
        world.set_local(all[frame % all.len()], Qvs::IDENTITY).unwrap();
        tasks += world.sync().tasks;
    }
    (allocations_everywhere() - before, tasks)
}

#[test]
fn ten_thousand_frames_of_steady_size_allocate_nothing() {
    let (allocations, whole) = frames(Algorithm::Auto, false, 10_000);
    assert_eq!(allocations, 0);
    assert_eq!(frames(Algorithm::DepthFirst, false, 100).0, 0);
    assert_eq!(frames(Algorithm::ByDepth, false, 100).0, 0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (allocations, cut) = pool.install(|| frames(Algorithm::Auto, true, 10_000));
    assert_eq!(allocations, 0);
    assert!(
        cut >= whole + 20_000,
        "{cut} tasks, {whole} without threads: two of three parts are cut a frame"
    );
}
