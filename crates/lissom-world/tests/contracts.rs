//! What the world promises, one test a promise.

mod common;

use common::{Rng, bits};
use lissom_math::{Mat34, Quat, Qvs, Qvvs, Vec3, scalar};
use lissom_world::{
    Algorithm, Children, Entity, Inherit, Keep, Prefab, SnapshotError, Socket, SyncStats, World, WorldError,
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

/// A chain, a wide row, prefabs and flags: more than a page in several levels, and deeper than 16.
fn large(algorithm: Algorithm, parallel: bool) -> (World, Vec<Entity>) {
    let mut rng = Rng::new(5);
    let mut world = World::new();
    world.set_algorithm(algorithm);
    world.set_parallel(parallel);
    let mut all = vec![world.spawn(None, rng.local()).unwrap()];
    for i in 1..20_000_usize {
        // Half hang on a recent entity (deep), half on any (wide).
        let parent = if i % 2 == 0 { all[i - 1 - rng.below(i.min(3))] } else { all[rng.below(i.min(600))] };
        all.push(world.spawn(Some(parent), rng.local()).unwrap());
    }
    let shape: Vec<Option<usize>> = (0..9).map(|i: usize| i.checked_sub(1).map(|i| i / 2)).collect();
    let locals: Vec<Qvs> = shape.iter().map(|_| rng.local()).collect();
    world.spawn_prefab(&Prefab::new(&shape, &locals).unwrap(), 1_500, None, &mut all).unwrap();
    for i in 0..300 {
        let e = all[rng.below(19_000)];
        world.set_inherit(e, Inherit::from_bits(rng.next() as u8)).unwrap();
        world.set_external(all[rng.below(19_000)], i % 3 == 0).unwrap();
    }
    (world, all)
}

/// Three frames: everything, a few, a few with new parents. Every world transform and the change lists.
fn frames(world: &mut World, all: &[Entity]) -> (Vec<[u32; 12]>, Vec<Vec<Entity>>) {
    let mut rng = Rng::new(6);
    let mut lists = Vec::new();
    for frame in 0..4 {
        let since = world.version();
        match frame {
            0 => {}
            1 => world.update_locals(|h, l| l.position.y += h.entity().index() as f32 * 0.001).unwrap(),
            _ => {
                for _ in 0..400 {
                    let e = all[rng.below(all.len())];
                    world.set_local(e, rng.local()).unwrap();
                    if frame == 3 {
                        // Half of these would be cycles; refusing them is part of it.
                        let _ = world.set_parent(e, Some(all[rng.below(all.len())]), Keep::Local);
                    }
                }
            }
        }
        world.sync();
        let mut list = changed(world, since);
        list.sort();
        lists.push(list);
    }
    (all.iter().map(|&e| bits(&world.world(e).unwrap())).collect(), lists)
}

#[test]
fn every_algorithm_and_every_thread_count_gives_the_same_bits() {
    let (mut world, all) = large(Algorithm::DepthFirst, false);
    let expected = frames(&mut world, &all);
    assert!(expected.1.iter().all(|list| list.len() > 400));
    for algorithm in ALGORITHMS {
        let (mut world, all) = large(algorithm, false);
        assert!(frames(&mut world, &all) == expected, "{algorithm:?} alone");
        #[cfg(feature = "parallel")]
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut world, all) = large(algorithm, true);
            let got = pool.install(|| frames(&mut world, &all));
            assert!(got == expected, "{algorithm:?} on {threads} threads");
        }
    }
}

#[test]
fn every_simd_backend_gives_the_same_bits() {
    let (mut world, all) = large(Algorithm::Lanes, false);
    let expected = frames(&mut world, &all);
    for backend in lissom_math::simd::Backend::all() {
        let (mut world, all) = large(Algorithm::Lanes, false);
        world.set_backend(backend);
        assert!(frames(&mut world, &all) == expected, "{backend}");
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
        assert_eq!((stats.changed, stats.written), (2, 2), "{algorithm:?}");
        // Two syncs later the older change is still told from the newer.
        world.set_local(all[3], Qvs::IDENTITY).unwrap();
        world.sync();
        assert_eq!(changed(&world, since + 1), [all[3]]);
        assert_eq!(changed(&world, since).len(), 3);
    }
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
        assert_eq!(world.world(tip).unwrap().position.x, 100_000.0);
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
    assert_eq!(world.world(child).unwrap().position, Vec3::new(2.0, 0.0, 0.0));
    assert_eq!(world.world(all[4]).unwrap().position, Vec3::new(1.0, 5.0, 0.0));
    // A despawned instance's lane is used again.
    world.despawn(all[0], Children::Despawn).unwrap();
    let mut again = Vec::new();
    world.spawn_prefab(&prefab, 2, None, &mut again).unwrap();
    world.sync();
    assert_eq!(world.world(again[5]).unwrap().position, Vec3::new(2.0, 0.0, 0.0));
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
    assert_eq!(world.world(c).unwrap().position.x, 7.0);
    assert_eq!(world.parent(c), Ok(Some(a)));
    let e = world.spawn(Some(d), Qvs::IDENTITY).unwrap();
    world.despawn(d, Children::HandUp(Keep::Local)).unwrap();
    world.sync();
    assert_eq!(world.world(e).unwrap().position.x, 1.0);
    world.despawn(a, Children::HandUp(Keep::World)).unwrap();
    world.sync();
    assert_eq!((world.parent(c), world.world(c).unwrap().position.x), (Ok(None), 7.0));
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
        world.set_world(driven, there).unwrap();
        let since = world.version();
        world.sync();
        assert_eq!(changed(&world, since), [driven, child]);
        assert_eq!(world.world(child).unwrap().position, Vec3::new(9.0, 10.0, 9.0));
        // The parent moves: the driven one does not, nor what follows it.
        world.set_local(root, at(5.0, 0.0, 0.0)).unwrap();
        world.set_local(driven, at(1.0, 0.0, 0.0)).unwrap();
        let since = world.version();
        assert_eq!(world.sync().written, 1);
        assert_eq!(changed(&world, since), [root]);
        assert_eq!(world.world(driven).unwrap(), there);
        // Taken back, it follows its parent again.
        world.set_external(driven, false).unwrap();
        world.sync();
        assert_eq!(world.world(driven).unwrap().position, Vec3::new(6.0, 0.0, 0.0));
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
        assert_eq!(world.world(shadow), world.world(root));
        world.set_inherit(shadow, Inherit::ALL).unwrap();
        world.sync();
        assert_eq!(changed(&world, since + 1), [shadow]);
        assert_eq!(world.world(shadow).unwrap().position, Vec3::new(1.0, 4.0, 3.0));
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
    assert_eq!(tree.world(child).unwrap().position, Vec3::new(3.0, 1.0, 0.0));
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
        (world.set_world(gone, Qvvs::IDENTITY).err(), dead),
        (world.despawn(gone, Children::Despawn).err(), dead),
        (world.set_parent(gone, None, Keep::Local).err(), dead),
        (world.set_parent(a, Some(gone), Keep::Local).err(), dead),
        (world.set_inherit(gone, Inherit::ALL).err(), dead),
        (world.set_external(gone, true).err(), dead),
        (world.local(gone).err(), dead),
        (world.world(gone).err(), dead),
        (world.hierarchy(gone).err(), dead),
        (world.set_parent(a, Some(b), Keep::Local).err(), WorldError::Cycle { entity: a, parent: b }),
        (world.set_parent(a, Some(a), Keep::Local).err(), WorldError::Cycle { entity: a, parent: a }),
        (world.spawn(None, nan).err(), not_finite(0, "position")),
        (world.set_local(a, nan).err(), not_finite(0, "position")),
        (world.set_world(a, nan_world).err(), not_finite(0, "stretch")),
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
        assert_eq!(bits(&world.world(e).unwrap()), bits(&back.world(e).unwrap()));
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
fn packing_puts_children_in_the_order_of_their_parents_and_changes_nothing_else() {
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
    world.pack();
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
    assert!(near(&world.world_matrix(hand).unwrap(), &expected), "mirrored and scaled");
    let tip = expected.mul_point([0.0, 1.0, 0.0]);
    assert!(scalar::length(scalar::sub(world.world(sword).unwrap().position, Vec3::from_array(tip))) < 1e-4);
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
            assert!(near(&world.world_matrix(joint).unwrap(), model), "t = {t}");
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
    let q = world.world(tip).unwrap().rotation;
    assert!((scalar::quat_dot(q, q) - 1.0).abs() < 1.0e-6);
}
