//! What the world promises, one test a promise.

mod common;

use common::bits;
use lissom_math::{Mat34, Quat, Qvs, Qvvs, Vec3, scalar};
use lissom_testkit::rng::Rng;
use lissom_world::{
    Children, Entity, Handle, Inherit, Keep, Prefab, SnapshotError, Socket, SyncStats, World, WorldError,
    oracles::Algorithm,
};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

const ALGORITHMS: [Algorithm; 5] =
    [Algorithm::Auto, Algorithm::DepthFirst, Algorithm::ByDepth, Algorithm::Levels, Algorithm::Lanes];

fn at(x: f32, y: f32, z: f32) -> Qvs {
    Qvs::from_position(Vec3::new(x, y, z))
}

fn changed(world: &World, since: u64) -> Vec<Entity> {
    let mut out = Vec::new();
    world.changed_since(since, |e| out.push(e));
    out
}

/// Rows in a page: a level of more is cut into tasks.
const PAGE: usize = 4096;

/// Three levels of more than a page, prefabs of more lane blocks than one task takes, flags, and deeper than 16.
fn large(algorithm: Algorithm, parallel: bool) -> (World, Vec<Entity>) {
    let mut rng = Rng::new(5);
    let mut world = World::new();
    world.set_algorithm(algorithm);
    world.set_parallel(parallel);
    let mut all = vec![world.spawn(None, rng.qvs()).unwrap()];
    for i in 1..20_000_usize {
        let parent = match i {
            1..5_000 => 0,
            5_000..10_000 => 1 + rng.below(4_999),
            10_000..15_000 => 5_000 + rng.below(4_999),
            // On a recent one: deep.
            _ => i - 1 - rng.below(3),
        };
        all.push(world.spawn(Some(all[parent]), rng.qvs()).unwrap());
    }
    let shape: Vec<Option<usize>> = (0..9).map(|i: usize| i.checked_sub(1).map(|i| i / 2)).collect();
    let locals: Vec<Qvs> = shape.iter().map(|_| rng.qvs()).collect();
    world.spawn_prefab(&Prefab::new(&shape, &locals).unwrap(), 1_500, None, &mut all).unwrap();
    for i in 0..300 {
        let e = all[rng.below(19_000)];
        world.set_inherit(e, Inherit::from_bits(rng.next_u64() as u8)).unwrap();
        world.set_external(all[rng.below(19_000)], i % 3 == 0).unwrap();
    }
    (world, all)
}

/// What a few frames left behind.
struct Played {
    transforms: Vec<[u32; 12]>,
    /// What changed in each frame.
    lists: Vec<Vec<Entity>>,
    /// Tasks of the frame in which everything moved.
    tasks: usize,
}

impl Played {
    fn same_bits(&self, other: &Self) -> bool {
        self.transforms == other.transforms && self.lists == other.lists
    }
}

/// Four frames: what was spawned, everything, a few, a few with new parents.
fn play(world: &mut World, all: &[Entity]) -> Played {
    let mut rng = Rng::new(6);
    let (mut lists, mut tasks) = (Vec::new(), 0);
    for frame in 0..4 {
        let since = world.version();
        match frame {
            0 => {}
            1 => world.update_locals(|h, l| l.position.y += h.entity().index() as f32 * 0.001).unwrap(),
            _ => {
                for _ in 0..400 {
                    let e = all[rng.below(all.len())];
                    world.set_local(e, rng.qvs()).unwrap();
                    if frame == 3 {
                        // Half of these would be cycles; refusing them is part of it.
                        let _ = world.set_parent(e, Some(all[rng.below(all.len())]), Keep::Local);
                    }
                }
            }
        }
        let stats = world.sync();
        if frame == 1 {
            tasks = stats.tasks;
        }
        let mut list = changed(world, since);
        list.sort();
        lists.push(list);
    }
    let transforms = all.iter().map(|&e| bits(&world.transform(e).unwrap())).collect();
    Played { transforms, lists, tasks }
}

#[test]
fn every_algorithm_and_every_thread_count_gives_the_same_bits() {
    let (mut world, all) = large(Algorithm::DepthFirst, false);
    let expected = play(&mut world, &all);
    assert!(expected.lists.iter().all(|list| list.len() > 400));
    for algorithm in ALGORITHMS {
        let (mut world, all) = large(algorithm, false);
        let alone = play(&mut world, &all);
        assert!(alone.same_bits(&expected), "{algorithm:?} alone");
        // Three levels of two pages and a lane set of two tasks; without lanes one level has three pages.
        let more = match algorithm {
            Algorithm::DepthFirst | Algorithm::ByDepth => 0,
            _ => 4,
        };
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut world, all) = large(algorithm, true);
            let got = pool.install(|| play(&mut world, &all));
            assert!(got.same_bits(&expected), "{algorithm:?} on {threads} threads");
            let (cut, whole) = (got.tasks, alone.tasks);
            assert!(cut >= whole + more, "{algorithm:?}: {cut} tasks on {threads} threads, {whole} alone");
        }
    }
}

#[test]
fn a_level_is_cut_by_pages_and_a_lane_set_by_cells() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let tasks = |parallel: bool, build: &dyn Fn(&mut World)| {
        let mut world = World::new();
        world.set_parallel(parallel);
        build(&mut world);
        pool.install(|| world.sync().tasks)
    };
    // Roots, children and grandchildren: two pages and a bit each.
    let levels = |world: &mut World| {
        let mut above = vec![None; 2 * PAGE + 100];
        for _ in 0..3 {
            for parent in &mut above {
                *parent = Some(world.spawn(*parent, Qvs::IDENTITY).unwrap());
            }
        }
    };
    assert_eq!((tasks(false, &levels), tasks(true, &levels)), (3, 9));
    let shape: Vec<Option<usize>> = (0..9).map(|i: usize| i.checked_sub(1)).collect();
    let prefab = Prefab::new(&shape, &[Qvs::IDENTITY; 9]).unwrap();
    let copies = |count: usize| {
        let build = |world: &mut World| world.spawn_prefab(&prefab, count, None, &mut Vec::new()).unwrap();
        (tasks(false, &build), tasks(true, &build))
    };
    // A block is 16 copies, so 9 cells; 512 cells are one task's work.
    assert_eq!([copies(56 * 16), copies(57 * 16), copies(114 * 16)], [(1, 1), (1, 2), (1, 4)]);
}

/// Comes back true when both sides have called it; false after a long wait for the other.
fn meet(arrived: &AtomicUsize) -> bool {
    let start = Instant::now();
    arrived.fetch_add(1, Ordering::SeqCst);
    while arrived.load(Ordering::SeqCst) < 2 {
        if start.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

#[test]
fn whole_world_writes_and_several_hierarchies_run_on_two_threads_at_once() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut world = World::new();
    let mut all = Vec::new();
    world.spawn_many(None, &vec![Qvs::IDENTITY; 2 * PAGE], &mut all).unwrap();
    let ends = [all[0], all[2 * PAGE - 1]];
    let (arrived, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let count = |met_now: bool| met.fetch_add(usize::from(met_now), Ordering::SeqCst);
    pool.install(|| {
        let stop_at_the_ends = |h: Handle<'_>, _: &mut Qvs| {
            if ends.contains(&h.entity()) {
                count(meet(&arrived));
            }
        };
        world.update_locals(stop_at_the_ends).unwrap();
    });
    assert_eq!(met.load(Ordering::SeqCst), 2, "the first page waits for the second, on another thread");
    arrived.store(0, Ordering::SeqCst);
    pool.install(|| world.edit_hierarchies(&ends, |_, _| _ = count(meet(&arrived))).unwrap());
    assert_eq!(met.load(Ordering::SeqCst), 4, "each hierarchy waits for the other");
}

/// The seed's scene with pages for chunks: roots A and B, their children mixed in C, grandchildren D and E.
/// Only A moves. D and E are two tasks of one level; whatever their order, B and E keep their version.
#[test]
fn the_seeds_scene_on_two_threads_has_one_outcome() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut world = World::new();
    let page = |world: &mut World, parent: &dyn Fn(usize) -> Option<Entity>| -> Vec<Entity> {
        (0..PAGE).map(|i| world.spawn(parent(i), at(0.0, i as f32, 0.0)).unwrap()).collect()
    };
    let a = page(&mut world, &|_| None);
    let b = page(&mut world, &|_| None);
    let c = page(&mut world, &|i| Some(if i % 2 == 0 { a[i] } else { b[i] }));
    let d = page(&mut world, &|i| Some(c[i / 2 * 2]));
    let e = page(&mut world, &|i| Some(c[i / 2 * 2 + 1]));
    pool.install(|| world.sync());
    for round in 1..=200 {
        for &root in &a {
            world.set_local(root, at(round as f32, 0.0, 0.0)).unwrap();
        }
        let stats = pool.install(|| world.sync());
        assert_eq!((stats.changed, stats.tasks), (PAGE + PAGE / 2 + PAGE, 2 + 1 + 2));
        let (old, new) = (1, world.version());
        let all_at = |page: &[Entity], v| page.iter().all(|&e| world.entity_version(e) == Ok(v));
        assert!(all_at(&a, new) && all_at(&d, new) && all_at(&b, old) && all_at(&e, old), "round {round}");
        assert!(c.chunks(2).all(|c| all_at(&c[..1], new) && all_at(&c[1..], old)), "round {round}");
        assert_eq!(world.transform(d[7]).unwrap().position.x, round as f32);
    }
}

#[test]
fn every_simd_backend_gives_the_same_bits() {
    let (mut world, all) = large(Algorithm::Lanes, false);
    let expected = play(&mut world, &all);
    for backend in lissom_math::simd::Backend::all() {
        let (mut world, all) = large(Algorithm::Lanes, false);
        world.set_backend(backend);
        assert!(play(&mut world, &all).same_bits(&expected), "{backend}");
    }
}

#[test]
fn a_sync_at_rest_reads_and_writes_nothing() {
    for algorithm in ALGORITHMS {
        let (mut world, all) = large(algorithm, false);
        world.sync();
        assert_eq!(world.sync(), SyncStats::default(), "{algorithm:?}");
        world.set_local(all[3], Qvs::IDENTITY).unwrap();
        assert!(world.sync().changed > 0);
        let version = world.version();
        assert_eq!(world.sync(), SyncStats::default(), "{algorithm:?}: nothing since the last call");
        assert_eq!(world.version(), version);
        assert_eq!(changed(&world, version), []);
    }
}

#[test]
fn a_change_lists_exactly_what_depends_on_it_and_equal_bits_count() {
    for algorithm in ALGORITHMS {
        let mut world = World::new();
        world.set_algorithm(algorithm);
        let prefab = Prefab::new(&[None, Some(0_usize), Some(1), Some(0)], &[Qvs::IDENTITY; 4]).unwrap();
        let mut all = Vec::new();
        world.spawn_prefab(&prefab, 40, None, &mut all).unwrap();
        world.sync();
        let since = world.version();
        // The same local again, in the middle of a lane block and of a word of rows.
        let node = all[4 * 7 + 1];
        world.set_local(node, Qvs::IDENTITY).unwrap();
        let stats = world.sync();
        assert_eq!(changed(&world, since), [node, all[4 * 7 + 2]], "{algorithm:?}");
        // A lane is stored with its three neighbours.
        let lanes = matches!(algorithm, Algorithm::Auto | Algorithm::Lanes);
        assert_eq!((stats.changed, stats.written), (2, if lanes { 8 } else { 2 }), "{algorithm:?}");
        // Two syncs later the older change is still told from the newer.
        world.set_local(all[3], Qvs::IDENTITY).unwrap();
        world.sync();
        assert_eq!(changed(&world, since + 1), [all[3]]);
        assert_eq!(changed(&world, since).len(), 3);
    }
}

#[test]
fn one_write_costs_what_depends_on_it() {
    let mut world = World::new();
    world.set_parallel(false);
    // A thousand parents of ten, and 1,500 prefab copies of nine nodes in lanes.
    let (mut parents, mut leaves, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    let root = world.spawn(None, Qvs::IDENTITY).unwrap();
    world.spawn_many(Some(root), &[Qvs::IDENTITY; 1_000], &mut parents).unwrap();
    for &parent in &parents {
        world.spawn_many(Some(parent), &[Qvs::IDENTITY; 10], &mut leaves).unwrap();
    }
    let shape: Vec<Option<usize>> = (0..9).map(|i: usize| i.checked_sub(1).map(|i| i / 2)).collect();
    let prefab = Prefab::new(&shape, &[Qvs::IDENTITY; 9]).unwrap();
    world.spawn_prefab(&prefab, 1_500, None, &mut copies).unwrap();
    world.sync();
    let mut after = |entity: Entity| {
        world.set_local(entity, Qvs::IDENTITY).unwrap();
        world.sync()
    };
    let one = SyncStats { checked: 1, read: 1, written: 1, changed: 1, passes: 1, tasks: 1, moved: 0 };
    assert_eq!(after(leaves[5_555]), one, "a leaf");
    let family = SyncStats { checked: 11, read: 11, written: 11, changed: 11, passes: 2, tasks: 2, ..one };
    assert_eq!(after(parents[555]), family, "a parent and its ten");
    // In lanes a block of 16 copies is looked at, and whole quads are computed.
    let block = SyncStats { checked: 16 * 9, ..one };
    assert_eq!(after(copies[777 * 9 + 8]), SyncStats { read: 4, written: 4, ..block }, "a lane's leaf");
    let tree = SyncStats { read: 8 * 4, written: 9 * 4, changed: 9, ..block };
    assert_eq!(after(copies[777 * 9]), tree, "a lane's root");
}

#[test]
fn copies_of_a_prefab_node_lie_together() {
    // What `changed_since` lists is in memory order.
    let parents = [None, Some(0_usize), Some(0), Some(1)];
    let depths = [0, 1, 1, 2];
    let (nodes, copies) = (parents.len(), 100);
    let prefab = Prefab::new(&parents, &[Qvs::IDENTITY; 4]).unwrap();
    for algorithm in [Algorithm::Auto, Algorithm::Levels] {
        let mut world = World::new();
        world.set_algorithm(algorithm);
        let mut all = Vec::new();
        world.spawn_prefab(&prefab, copies, None, &mut all).unwrap();
        world.sync();
        // 64 copies at a time, node by node: so are the handles.
        let batches = [0..64, 64..100];
        let mut next = 0;
        for batch in batches.clone() {
            for node in 0..nodes {
                for copy in batch.clone() {
                    assert_eq!(all[copy * nodes + node].index(), next);
                    next += 1;
                }
            }
        }
        let mut expected = Vec::new();
        if algorithm == Algorithm::Auto {
            for block in (0..copies).step_by(16) {
                for node in 0..nodes {
                    expected.extend((block..copies.min(block + 16)).map(|copy| all[copy * nodes + node]));
                }
            }
        } else {
            for depth in 0..3 {
                for batch in batches.clone() {
                    for node in (0..nodes).filter(|&n| depths[n] == depth) {
                        expected.extend(batch.clone().map(|copy| all[copy * nodes + node]));
                    }
                }
            }
        }
        assert!(changed(&world, 0) == expected, "{algorithm:?}");
    }
}

#[test]
fn rows_that_change_their_level_are_counted_and_nothing_else_moves() {
    let mut world = World::new();
    let other = world.spawn(None, at(100.0, 0.0, 0.0)).unwrap();
    // A chain from depth 0 to 29. Levels end at depth 16; what is deeper lies in one store.
    let mut chain = vec![world.spawn(None, at(1.0, 0.0, 0.0)).unwrap()];
    for i in 1..30 {
        chain.push(world.spawn(Some(chain[i - 1]), at(1.0, 0.0, 0.0)).unwrap());
    }
    assert_eq!(world.sync().moved, 0);
    let x = |world: &World, i: usize| world.transform(chain[i]).unwrap().position.x;
    world.set_parent(chain[0], Some(other), Keep::Local).unwrap();
    assert_eq!(world.sync().moved, 17, "depths 0 to 16 go down by one, the rest is deep already");
    assert_eq!((x(&world, 16), x(&world, 29)), (117.0, 130.0));
    world.set_parent(chain[0], None, Keep::Local).unwrap();
    assert_eq!(world.sync().moved, 17, "and up again");
    assert_eq!((x(&world, 16), x(&world, 29)), (17.0, 30.0));
    // The same depth under another parent: no row moves.
    world.set_parent(chain[1], Some(other), Keep::Local).unwrap();
    assert_eq!(world.sync().moved, 0);
    assert_eq!((x(&world, 0), x(&world, 29)), (1.0, 129.0));
}

#[test]
fn the_parents_transform_is_that_of_the_last_sync_and_a_root_has_none() {
    let mut world = World::new();
    let root = world.spawn(None, at(1.0, 0.0, 0.0)).unwrap();
    let child = world.spawn(Some(root), at(0.0, 1.0, 0.0)).unwrap();
    let grandchild = world.spawn(Some(child), at(0.0, 0.0, 1.0)).unwrap();
    world.sync();
    let place = |w: &World, e| w.parent_transform(e).unwrap().map(|t| t.position);
    assert_eq!(place(&world, root), None);
    assert_eq!(place(&world, child), Some(Vec3::new(1.0, 0.0, 0.0)));
    assert_eq!(place(&world, grandchild), Some(Vec3::new(1.0, 1.0, 0.0)));
    world.set_local(root, at(5.0, 0.0, 0.0)).unwrap();
    assert_eq!(place(&world, grandchild), Some(Vec3::new(1.0, 1.0, 0.0)), "not synced yet");
    world.sync();
    assert_eq!(place(&world, grandchild), Some(Vec3::new(5.0, 1.0, 0.0)));
    // In lanes the parent's transform lies in another cell.
    let prefab = Prefab::new(&[None, Some(0_usize), Some(0)], &[at(2.0, 0.0, 0.0); 3]).unwrap();
    let mut copy = Vec::new();
    world.spawn_prefab(&prefab, 1, None, &mut copy).unwrap();
    world.sync();
    assert_eq!(place(&world, copy[2]), Some(Vec3::new(2.0, 0.0, 0.0)));
    world.despawn(root, Children::Despawn).unwrap();
    assert_eq!(world.parent_transform(child), Err(WorldError::Dead { entity: child }));
}

#[test]
fn a_parent_is_read_once_for_all_its_children_and_not_at_all_where_nothing_moved() {
    let mut world = World::new();
    world.set_algorithm(Algorithm::DepthFirst);
    let root = world.spawn(None, Qvs::IDENTITY).unwrap();
    let mut children = Vec::new();
    world.spawn_many(Some(root), &[Qvs::IDENTITY; 10], &mut children).unwrap();
    let still = world.spawn(None, Qvs::IDENTITY).unwrap();
    world.spawn_many(Some(still), &[Qvs::IDENTITY; 10], &mut Vec::new()).unwrap();
    world.sync();
    // Seven of ten children move, their parent does not.
    for &c in &children[..7] {
        world.set_local(c, Qvs::IDENTITY).unwrap();
    }
    let stats = world.sync();
    assert_eq!((stats.read, stats.written), (1, 7));
}

#[test]
fn a_chain_of_100_000_is_walked_without_recursion() {
    for algorithm in ALGORITHMS {
        let mut world = World::new();
        world.set_algorithm(algorithm);
        let mut tip = world.spawn(None, at(1.0, 0.0, 0.0)).unwrap();
        let root = tip;
        for _ in 1..100_000 {
            tip = world.spawn(Some(tip), at(1.0, 0.0, 0.0)).unwrap();
        }
        world.sync();
        assert_eq!(world.transform(tip).unwrap().position.x, 100_000.0);
        world.set_local(root, at(2.0, 0.0, 0.0)).unwrap();
        assert_eq!(world.sync().changed, 100_000);
        world.despawn(root, Children::Despawn).unwrap();
        assert!(world.is_empty());
    }
}

#[test]
fn an_instance_leaves_its_lane_at_the_first_structural_change_and_others_stay() {
    let mut world = World::new();
    let prefab = Prefab::new(&[None, Some(0_usize), Some(0)], &[at(1.0, 0.0, 0.0); 3]).unwrap();
    let mut all = Vec::new();
    world.spawn_prefab(&prefab, 5, None, &mut all).unwrap();
    world.sync();
    let lanes = |w: &World, i: usize| w.tree(all[i * 3]).unwrap().to_string().matches("lane").count();
    assert_eq!((lanes(&world, 0), lanes(&world, 1)), (3, 3));
    // Moving and reading are no structural changes.
    world.set_local(all[4], at(0.0, 5.0, 0.0)).unwrap();
    world.sync();
    assert_eq!(lanes(&world, 1), 3);
    let child = world.spawn(Some(all[5]), Qvs::IDENTITY).unwrap();
    world.sync();
    assert_eq!((lanes(&world, 0), lanes(&world, 1), lanes(&world, 2)), (3, 0, 3));
    assert_eq!(world.transform(child).unwrap().position, Vec3::new(2.0, 0.0, 0.0));
    assert_eq!(world.transform(all[4]).unwrap().position, Vec3::new(1.0, 5.0, 0.0));
    // A despawned instance's lane is used again.
    world.despawn(all[0], Children::Despawn).unwrap();
    let mut again = Vec::new();
    world.spawn_prefab(&prefab, 2, None, &mut again).unwrap();
    world.sync();
    assert_eq!(world.transform(again[5]).unwrap().position, Vec3::new(2.0, 0.0, 0.0));
    assert!(!world.is_alive(all[0]));
}

#[test]
fn despawn_takes_children_along_or_hands_them_up() {
    let mut world = World::new();
    let a = world.spawn(None, at(1.0, 0.0, 0.0)).unwrap();
    let b = world.spawn(Some(a), at(2.0, 0.0, 0.0)).unwrap();
    let c = world.spawn(Some(b), at(4.0, 0.0, 0.0)).unwrap();
    let d = world.spawn(Some(b), at(8.0, 0.0, 0.0)).unwrap();
    world.sync();
    world.despawn(b, Children::HandUp(Keep::World)).unwrap();
    world.sync();
    assert_eq!(world.children(a).unwrap().collect::<Vec<_>>(), [c, d]);
    assert_eq!(world.transform(c).unwrap().position.x, 7.0);
    assert_eq!(world.parent(c), Ok(Some(a)));
    let e = world.spawn(Some(d), Qvs::IDENTITY).unwrap();
    world.despawn(d, Children::HandUp(Keep::Local)).unwrap();
    world.sync();
    assert_eq!(world.transform(e).unwrap().position.x, 1.0);
    world.despawn(a, Children::HandUp(Keep::World)).unwrap();
    world.sync();
    assert_eq!((world.parent(c), world.transform(c).unwrap().position.x), (Ok(None), 7.0));
    world.despawn(c, Children::Despawn).unwrap();
    assert_eq!(world.entities().collect::<Vec<_>>(), [e]);
}

#[test]
fn an_external_entity_is_the_callers_and_its_descendants_follow() {
    for algorithm in ALGORITHMS {
        let mut world = World::new();
        world.set_algorithm(algorithm);
        let root = world.spawn(None, Qvs::IDENTITY).unwrap();
        let driven = world.spawn(Some(root), Qvs::IDENTITY).unwrap();
        let child = world.spawn(Some(driven), at(0.0, 1.0, 0.0)).unwrap();
        world.sync();
        world.set_external(driven, true).unwrap();
        let there = Qvvs { position: Vec3::new(9.0, 9.0, 9.0), ..Qvvs::IDENTITY };
        world.set_transform(driven, there).unwrap();
        let since = world.version();
        world.sync();
        assert_eq!(changed(&world, since), [driven, child]);
        assert_eq!(world.transform(child).unwrap().position, Vec3::new(9.0, 10.0, 9.0));
        // The parent moves: the driven one does not, nor what follows it.
        world.set_local(root, at(5.0, 0.0, 0.0)).unwrap();
        world.set_local(driven, at(1.0, 0.0, 0.0)).unwrap();
        let since = world.version();
        assert_eq!(world.sync().written, 1);
        assert_eq!(changed(&world, since), [root]);
        assert_eq!(world.transform(driven).unwrap(), there);
        // Taken back, it follows its parent again.
        world.set_external(driven, false).unwrap();
        world.sync();
        assert_eq!(world.transform(driven).unwrap().position, Vec3::new(6.0, 0.0, 0.0));
    }
}

#[test]
fn copying_the_parent_is_a_change_when_set_and_when_cleared() {
    for algorithm in ALGORITHMS {
        let mut world = World::new();
        world.set_algorithm(algorithm);
        let root = world.spawn(None, at(1.0, 2.0, 3.0)).unwrap();
        let shadow = world.spawn(Some(root), at(0.0, 1.0, 0.0)).unwrap();
        world.set_stretch(root, Vec3::new(1.0, 2.0, 1.0)).unwrap();
        world.set_user(root, 42).unwrap();
        world.sync();
        let since = world.version();
        world.set_inherit(shadow, Inherit::COPY_PARENT).unwrap();
        world.sync();
        assert_eq!(changed(&world, since), [shadow]);
        assert_eq!(world.transform(shadow), world.transform(root));
        world.set_inherit(shadow, Inherit::ALL).unwrap();
        world.sync();
        assert_eq!(changed(&world, since + 1), [shadow]);
        assert_eq!(world.transform(shadow).unwrap().position, Vec3::new(1.0, 4.0, 3.0));
        // Other flags are no change.
        world.set_inherit(shadow, Inherit::KEEP_X).unwrap();
        assert_eq!(world.sync(), SyncStats::default());
    }
}

#[test]
fn an_immediate_write_shows_below_at_once_and_a_sync_adds_nothing() {
    let mut world = World::new();
    let root = world.spawn(None, Qvs::IDENTITY).unwrap();
    let child = world.spawn(Some(root), at(0.0, 1.0, 0.0)).unwrap();
    let other = world.spawn(None, Qvs::IDENTITY).unwrap();
    world.sync();
    let since = world.version();
    let mut tree = world.hierarchy(root).unwrap();
    tree.set_local(root, at(3.0, 0.0, 0.0)).unwrap();
    assert_eq!(tree.transform(child).unwrap().position, Vec3::new(3.0, 1.0, 0.0));
    assert_eq!(tree.set_local(other, Qvs::IDENTITY), Err(WorldError::OtherHierarchy { entity: other, root }));
    assert_eq!(changed(&world, since), [root, child]);
    assert_eq!(world.sync().changed, 0);
    assert_eq!(world.hierarchy(child).err(), Some(WorldError::NotRoot { entity: child }));
}

#[test]
fn bad_input_gives_a_typed_error_and_leaves_the_world_as_it_was() {
    let mut world = World::new();
    let a = world.spawn(None, Qvs::IDENTITY).unwrap();
    let b = world.spawn(Some(a), at(1.0, 0.0, 0.0)).unwrap();
    let gone = world.spawn(None, Qvs::IDENTITY).unwrap();
    let flat = world.spawn(None, Qvs { scale: 0.0, ..Qvs::IDENTITY }).unwrap();
    world.despawn(gone, Children::Despawn).unwrap();
    world.sync();
    let before = world.to_bytes();
    let nan = Qvs { position: Vec3::new(0.0, f32::NAN, 0.0), ..Qvs::IDENTITY };
    let nan_world = Qvvs { stretch: Vec3::new(f32::INFINITY, 1.0, 1.0), ..Qvvs::IDENTITY };
    let dead = WorldError::Dead { entity: gone };
    let not_finite = |index, field| WorldError::NotFinite { index, field };
    let errors = [
        (world.spawn(Some(gone), Qvs::IDENTITY).err(), dead),
        (world.set_local(gone, Qvs::IDENTITY).err(), dead),
        (world.set_transform(gone, Qvvs::IDENTITY).err(), dead),
        (world.despawn(gone, Children::Despawn).err(), dead),
        (world.set_parent(gone, None, Keep::Local).err(), dead),
        (world.set_parent(a, Some(gone), Keep::Local).err(), dead),
        (world.set_inherit(gone, Inherit::ALL).err(), dead),
        (world.set_external(gone, true).err(), dead),
        (world.local(gone).err(), dead),
        (world.transform(gone).err(), dead),
        (world.hierarchy(gone).err(), dead),
        (world.set_parent(a, Some(b), Keep::Local).err(), WorldError::Cycle { entity: a, parent: b }),
        (world.set_parent(a, Some(a), Keep::Local).err(), WorldError::Cycle { entity: a, parent: a }),
        (world.spawn(None, nan).err(), not_finite(0, "position")),
        (world.set_local(a, nan).err(), not_finite(0, "position")),
        (world.set_transform(a, nan_world).err(), not_finite(0, "stretch")),
        (world.set_stretch(a, nan_world.stretch).err(), not_finite(0, "stretch")),
        (world.set_locals(&[a, b], &[Qvs::IDENTITY, nan]).err(), not_finite(1, "position")),
        (world.set_locals(&[a, gone], &[Qvs::IDENTITY; 2]).err(), dead),
        (world.spawn_many(None, &[Qvs::IDENTITY, nan], &mut Vec::new()).err(), not_finite(1, "position")),
        (world.set_parent(b, Some(flat), Keep::World).err(), WorldError::NotInvertible { parent: flat }),
        (world.edit_hierarchies(&[a, a], |_, _| ()).err(), WorldError::Twice { entity: a }),
    ];
    for (i, (got, expected)) in errors.into_iter().enumerate() {
        assert_eq!(got, Some(expected), "case {i}");
    }
    assert!(world.to_bytes() == before, "the world is as it was");
    assert_eq!(world.sync(), SyncStats::default());
    // A list taken before: what went along with its parent is a typed error, nothing else happens.
    let list: Vec<Entity> = world.subtree(a).unwrap().collect();
    let results: Vec<_> = list.iter().map(|&e| world.despawn(e, Children::Despawn)).collect();
    assert_eq!(results, [Ok(()), Err(WorldError::Dead { entity: b })]);
    // A whole-world write that is not finite leaves that entity alone and says which.
    let old = world.local(flat).unwrap();
    assert_eq!(world.update_locals(|_, l| l.scale = f32::NAN), Err(WorldError::Update { entity: flat }));
    assert_eq!(world.local(flat), Ok(old));
}

#[test]
fn parents_changed_in_any_order_before_one_sync_give_the_same_world() {
    const COUNT: usize = 40;
    // A chain from roots, longer than there are levels, each link with a leaf; and one link moved twice.
    let build = |order: &[usize]| {
        let mut world = World::new();
        let all: Vec<Entity> =
            (0..COUNT).map(|i| world.spawn(None, at(i as f32, 1.0, 0.0)).unwrap()).collect();
        let leaves: Vec<Entity> =
            all.iter().map(|&e| world.spawn(Some(e), at(0.0, 0.0, 1.0)).unwrap()).collect();
        world.sync();
        world.set_parent(all[7], Some(leaves[3]), Keep::Local).unwrap();
        for &i in order {
            world.set_parent(all[i], Some(all[i - 1]), Keep::Local).unwrap();
        }
        world.sync();
        assert_eq!(world.sync(), SyncStats::default());
        let bits: Vec<_> = all.iter().chain(&leaves).map(|&e| bits(&world.transform(e).unwrap())).collect();
        // What moved as a whole and what moves now agree: rows know their parents.
        world.set_local(all[0], at(5.0, 0.0, 0.0)).unwrap();
        assert_eq!(world.sync().changed, 2 * COUNT);
        let x = world.transform(leaves[COUNT - 1]).unwrap().position.x;
        assert_eq!(x, 5.0 + (1..COUNT).sum::<usize>() as f32);
        bits
    };
    let down: Vec<usize> = (1..COUNT).collect();
    let up: Vec<usize> = (1..COUNT).rev().collect();
    let mixed: Vec<usize> = (1..COUNT).map(|i| i * 17 % COUNT).filter(|i| *i != 0).collect();
    let (down, up, mixed) = (build(&down), build(&up), build(&mixed));
    assert!(down == up && down == mixed);
}

#[test]
fn a_cycle_is_found_whether_the_way_up_or_the_subtree_is_longer() {
    let mut world = World::new();
    let root = world.spawn(None, Qvs::IDENTITY).unwrap();
    let mut chain = vec![world.spawn(Some(root), Qvs::IDENTITY).unwrap()];
    for i in 0..30 {
        chain.push(world.spawn(Some(chain[i]), Qvs::IDENTITY).unwrap());
        world.spawn(Some(chain[i]), Qvs::IDENTITY).unwrap();
    }
    let leaf = world.spawn(Some(root), Qvs::IDENTITY).unwrap();
    for (entity, parent) in [(0, 0), (0, 1), (0, 30), (15, 30), (15, 16), (29, 30), (30, 30)] {
        let (entity, parent) = (chain[entity], chain[parent]);
        let cycle = WorldError::Cycle { entity, parent };
        assert_eq!(world.set_parent(entity, Some(parent), Keep::Local), Err(cycle));
    }
    assert!(world.set_parent(root, Some(leaf), Keep::Local).is_err());
    // Under another parent what was a cycle is none, and the other way round.
    world.set_parent(chain[20], Some(leaf), Keep::Local).unwrap();
    world.set_parent(chain[10], Some(chain[30]), Keep::Local).unwrap();
    let cycle = WorldError::Cycle { entity: leaf, parent: chain[11] };
    assert_eq!(world.set_parent(leaf, Some(chain[11]), Keep::Local), Err(cycle));
    world.set_parent(leaf, Some(chain[9]), Keep::Local).unwrap();
    assert_eq!(world.root(chain[11]), Ok(root));
}

#[test]
fn many_written_at_once_are_as_if_written_one_by_one() {
    for algorithm in [Algorithm::Auto, Algorithm::Levels] {
        let (mut one, all) = large(algorithm, false);
        one.sync();
        let (mut many, mut set) = (one.clone(), one.clone());
        let mut rng = Rng::new(8);
        // Some of them twice.
        let picks: Vec<Entity> = (0..3_000).map(|_| all[rng.below(all.len() / 3) * 3]).collect();
        let locals: Vec<Qvs> = picks.iter().map(|_| rng.qvs()).collect();
        for (&e, local) in picks.iter().zip(&locals) {
            one.set_local(e, *local).unwrap();
            one.update_local(e, |l| l.position.x += 1.0).unwrap();
        }
        set.set_locals(&picks, &locals).unwrap();
        set.update_each(&picks, |_, _| ()).unwrap();
        let mut order = Vec::new();
        many.update_each(&picks, |i, l| {
            order.push(i);
            *l = locals[i];
            l.position.x += 1.0;
        })
        .unwrap();
        assert!(order.iter().copied().eq(0..picks.len()));
        assert_eq!(one.sync(), many.sync());
        assert!(one.to_bytes() == many.to_bytes());
        for (i, &e) in picks.iter().enumerate() {
            let last = picks.iter().rposition(|p| *p == e).unwrap_or(i);
            assert_eq!(set.local(e), Ok(locals[last]));
        }
    }
}

#[test]
fn of_many_written_at_once_a_dead_one_stops_all_and_one_not_finite_only_itself() {
    let mut world = World::new();
    let all: Vec<Entity> = (0..4).map(|i| world.spawn(None, at(i as f32, 0.0, 0.0)).unwrap()).collect();
    let dead = world.spawn(None, Qvs::IDENTITY).unwrap();
    world.despawn(dead, Children::Despawn).unwrap();
    world.sync();
    let before = world.to_bytes();
    let list = [all[0], dead, all[1]];
    let mut calls = 0;
    assert_eq!(world.update_each(&list, |_, _| calls += 1), Err(WorldError::Dead { entity: dead }));
    assert_eq!(world.set_locals(&list, &[Qvs::IDENTITY; 3]), Err(WorldError::Dead { entity: dead }));
    let bad = [Qvs::IDENTITY, Qvs { scale: f32::NAN, ..Qvs::IDENTITY }];
    let not_finite = WorldError::NotFinite { index: 1, field: "scale" };
    assert_eq!(world.set_locals(&all[..2], &bad), Err(not_finite));
    // The first that is wrong is named, whatever is wrong with it.
    assert_eq!(world.set_locals(&[all[0], all[1], dead], &[bad[0], bad[1], bad[0]]), Err(not_finite));
    assert_eq!(calls, 0);
    assert!(world.to_bytes() == before, "nothing was written");
    let error = world.update_each(&all, |i, l| l.position.y = if i % 2 == 1 { f32::INFINITY } else { 5.0 });
    assert_eq!(error, Err(WorldError::Update { entity: all[1] }));
    assert_eq!(world.sync().changed, 2);
    let y = |e| world.transform(e).unwrap().position.y;
    assert_eq!([y(all[0]), y(all[1]), y(all[2]), y(all[3])], [5.0, 0.0, 5.0, 0.0]);
}

#[test]
fn a_handle_never_names_the_next_owner_of_its_slot() {
    let mut world = World::new();
    let old = world.spawn(None, Qvs::IDENTITY).unwrap();
    world.despawn(old, Children::Despawn).unwrap();
    let new = world.spawn(None, Qvs::IDENTITY).unwrap();
    assert_eq!(old.index(), new.index());
    assert!(!world.is_alive(old) && world.is_alive(new));
    assert_eq!(Entity::from_bits(new.to_bits()), new);
}

#[test]
fn bad_prefabs_are_refused() {
    let one = [Qvs::IDENTITY];
    let two = [Qvs::IDENTITY; 2];
    let none: [Option<usize>; 0] = [];
    assert!(matches!(Prefab::new(&none, &[]), Err(WorldError::Length { .. })));
    assert!(matches!(Prefab::new(&[None::<usize>], &two), Err(WorldError::Length { .. })));
    assert_eq!(Prefab::new(&[None::<usize>, None], &two).err(), Some(WorldError::PrefabRoot { node: 1 }));
    let order = WorldError::ParentOrder { node: 1, parent: 1 };
    assert_eq!(Prefab::new(&[None, Some(1_usize)], &two).err(), Some(order));
    assert_eq!(Prefab::new(&[Some(0_usize)], &one).err(), Some(WorldError::PrefabRoot { node: 0 }));
}

#[test]
fn a_snapshot_restores_a_world_that_goes_on_the_same() {
    let (mut world, all) = large(Algorithm::Auto, false);
    world.sync();
    world.set_local(all[7], Qvs::IDENTITY).unwrap();
    world.set_parent(all[9], None, Keep::World).unwrap();
    world.despawn(all[all.len() - 5], Children::Despawn).unwrap();
    let bytes = world.to_bytes();
    let mut back = World::from_bytes(&bytes).unwrap();
    assert!(back.to_bytes() == bytes, "bytes of the restored world");
    let a = world.spawn(None, Qvs::IDENTITY).unwrap();
    assert_eq!(back.spawn(None, Qvs::IDENTITY).unwrap(), a, "handles go on the same");
    let since = world.version();
    assert_eq!((world.sync().changed, world.version()), (back.sync().changed, back.version()));
    let (mut x, mut y) = (changed(&world, since), changed(&back, since));
    x.sort();
    y.sort();
    assert_eq!(x, y);
    for e in world.entities() {
        assert_eq!(bits(&world.transform(e).unwrap()), bits(&back.transform(e).unwrap()));
    }
}

#[test]
fn bytes_that_are_no_snapshot_give_an_error_and_never_a_panic() {
    let mut world = World::new();
    let a = world.spawn(None, Qvs::IDENTITY).unwrap();
    let b = world.spawn(Some(a), Qvs::IDENTITY).unwrap();
    world.spawn(Some(b), Qvs::IDENTITY).unwrap();
    world.sync();
    let good = world.to_bytes();
    for len in 0..good.len() {
        let cut = World::from_bytes(&good[..len]).err();
        assert!(matches!(cut, Some(SnapshotError::Truncated { .. })), "{len}: {cut:?}");
    }
    let mut long = good.clone();
    long.push(0);
    assert!(matches!(World::from_bytes(&long), Err(SnapshotError::Trailing { extra: 1, .. })));
    // Every byte changed in several ways: an error or a world, and that world works.
    for i in 0..good.len() {
        for change in [1, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[i] ^= change;
            if let Ok(mut world) = World::from_bytes(&bad) {
                world.sync();
                assert_eq!(world.len(), 3);
            }
        }
    }
}

#[test]
fn reordering_puts_children_in_the_order_of_their_parents_and_changes_nothing_else() {
    let mut world = World::new();
    let mut roots = Vec::new();
    world.spawn_many(None, &[Qvs::IDENTITY; 3], &mut roots).unwrap();
    // Children spawned against the order of their parents, and a hole among them.
    let mut children = Vec::new();
    for &root in roots.iter().rev() {
        world.spawn_many(Some(root), &[at(1.0, 0.0, 0.0); 2], &mut children).unwrap();
    }
    world.despawn(children[2], Children::Despawn).unwrap();
    world.sync();
    let bytes = world.to_bytes();
    world.reorder();
    assert!(world.to_bytes() == bytes);
    assert_eq!(world.sync(), SyncStats::default());
    let [a, b, c] = [roots[0], roots[1], roots[2]];
    let expected = [a, b, c, children[4], children[5], children[3], children[0], children[1]];
    assert_eq!(changed(&world, 0), expected);
}

fn matrix(position: Vec3, angle: f32, scale: Vec3) -> Mat34 {
    lissom_math::Transform {
        translation: position,
        rotation: scalar::quat_from_axis_angle(Vec3::new(0.0, 0.6, 0.8), angle),
        scale,
    }
    .to_mat34()
}

fn near(a: &Mat34, b: &Mat34) -> bool {
    a.columns.iter().flatten().zip(b.columns.iter().flatten()).all(|(a, b)| (a - b).abs() < 1.0e-4)
}

#[test]
fn a_socket_lies_at_its_joint_and_what_hangs_on_it_follows() {
    let mut world = World::new();
    let hero = world.spawn(None, at(10.0, 0.0, 0.0)).unwrap();
    let hand = world.spawn(Some(hero), Qvs::IDENTITY).unwrap();
    let sword = world.spawn(Some(hand), at(0.0, 1.0, 0.0)).unwrap();
    let models = [Mat34::IDENTITY, matrix(Vec3::new(1.0, 2.0, 3.0), 0.7, Vec3::new(2.0, 2.0, -2.0))];
    let socket = Socket { entity: hand, joint: 1 };
    world.copy_sockets(&[socket], &models).unwrap();
    world.sync();
    let mut expected = models[1];
    expected.columns[3][0] += 10.0;
    assert!(near(&world.matrix(hand).unwrap(), &expected), "mirrored and scaled");
    let tip = expected.mul_point([0.0, 1.0, 0.0]);
    assert!(
        scalar::length(scalar::sub(world.transform(sword).unwrap().position, Vec3::from_array(tip))) < 1e-4
    );
    let flat = [matrix(Vec3::ZERO, 0.0, Vec3::new(0.0, 1.0, 1.0))];
    let before = world.to_bytes();
    let hand0 = Socket { joint: 0, ..socket };
    assert_eq!(world.copy_sockets(&[hand0], &flat), Err(WorldError::FlatMatrix { joint: 0 }));
    let none = WorldError::NoSuchJoint { joint: 1, count: 1 };
    assert_eq!(world.copy_sockets(&[hand0, socket], &models[..1]), Err(none));
    assert!(world.to_bytes() == before);
}

#[test]
fn a_skeleton_becomes_a_hierarchy_with_the_same_matrices() {
    let mut world = World::new();
    let hero = world.spawn(None, Qvs::IDENTITY).unwrap();
    let parents: [Option<u16>; 4] = [None, Some(0), Some(1), Some(0)];
    let pose = |t: f32| -> Vec<Mat34> {
        (0..4)
            .map(|i| {
                let i = i as f32;
                matrix(Vec3::new(i, t, i * t), 0.3 * i + t, Vec3::new(1.0 + 0.1 * i, 1.5, 0.5))
            })
            .collect()
    };
    let mut joints = Vec::new();
    world.spawn_skeleton(Some(hero), &parents, &pose(0.0), &mut joints).unwrap();
    for t in [0.0, 0.5, 1.5] {
        world.set_skeleton(&joints, &parents, &pose(t)).unwrap();
        world.sync();
        for (&joint, model) in joints.iter().zip(&pose(t)) {
            assert!(near(&world.matrix(joint).unwrap(), model), "t = {t}");
        }
    }
    assert_eq!(world.parent(joints[2]), Ok(Some(joints[1])));
    let order: [Option<u16>; 2] = [None, Some(1)];
    let error = world.spawn_skeleton(None, &order, &pose(0.0)[..2], &mut Vec::new());
    assert_eq!(error, Err(WorldError::ParentOrder { node: 1, parent: 1 }));
}

#[test]
fn rotations_stay_of_unit_length_down_a_long_chain() {
    let mut world = World::new();
    let turn = Qvs {
        rotation: Quat::from_xyzw(0.018, 0.6, 0.3, 0.741),
        position: Vec3::new(0.1, 0.0, 0.0),
        scale: 1.0,
    };
    let mut tip = world.spawn(None, turn).unwrap();
    for _ in 0..5_000 {
        tip = world.spawn(Some(tip), turn).unwrap();
    }
    world.sync();
    let q = world.transform(tip).unwrap().rotation;
    assert!((scalar::quat_dot(q, q) - 1.0).abs() < 1.0e-6);
}
