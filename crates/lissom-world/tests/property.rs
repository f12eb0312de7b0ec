//! A million random operations against a naive recursive model: same world transforms, same change lists,
//! same errors; for every algorithm, at every step where the world is synced.

mod common;

use common::{Model, Op, apply, bits, random_op};
use lissom_math::Qvs;
use lissom_testkit::rng::Rng;
use lissom_world::{Entity, Prefab, World, oracles::Algorithm};

const ALGORITHMS: [Algorithm; 5] =
    [Algorithm::Auto, Algorithm::DepthFirst, Algorithm::ByDepth, Algorithm::Levels, Algorithm::Lanes];

fn changed(world: &World, since: u64) -> Vec<Entity> {
    let mut out = Vec::new();
    world.changed_since(since, |e| out.push(e));
    out
}

fn run(seed: u64, operations: usize, target: usize) {
    let mut rng = Rng::new(seed);
    let mut worlds: Vec<World> = ALGORITHMS
        .iter()
        .map(|&a| {
            let mut w = World::new();
            w.set_algorithm(a);
            w
        })
        .collect();
    let mut model = Model::default();
    let shapes: Vec<(Vec<Option<usize>>, Vec<Qvs>)> = (0..4)
        .map(|_| {
            let n = 1 + rng.below(12);
            let parents = (0..n).map(|i| (i > 0).then(|| rng.below(i))).collect();
            (parents, (0..n).map(|_| rng.qvs()).collect())
        })
        .collect();
    let prefabs: Vec<Prefab> = shapes.iter().map(|(p, l)| Prefab::new(p, l).unwrap()).collect();
    let (mut alive, mut dead): (Vec<Entity>, Vec<Entity>) = (Vec::new(), Vec::new());
    let (mut since, mut spawned, mut first) = (0, Vec::new(), Vec::new());
    for step in 0..operations {
        let op = random_op(&mut rng, &alive, &dead, prefabs.len(), target);
        let mut outcome = Ok(());
        for (i, world) in worlds.iter_mut().enumerate() {
            let got = apply(world, &op, &prefabs, &mut spawned);
            if i == 0 {
                outcome = got;
                first.clone_from(&spawned);
            } else {
                assert_eq!((got, &spawned), (outcome, &first), "seed {seed} step {step}: {op:?}");
            }
        }
        let expected = model.apply(&op, &shapes, &first);
        assert_eq!(outcome, expected, "seed {seed} step {step}: {op:?}");
        match op {
            Op::Spawn(..) | Op::Prefab(..) => alive.extend_from_slice(&first),
            Op::Despawn(..) => {
                let (keep, gone) = alive.iter().partition(|e| worlds[0].is_alive(**e));
                alive = keep;
                dead.extend::<Vec<Entity>>(gone);
                if dead.len() > 64 {
                    dead.drain(..32);
                }
            }
            Op::Sync => {
                let expected = model.changed_since(since);
                let places: Vec<_> = alive.iter().map(|e| bits(&model.world(*e))).collect();
                for (world, algorithm) in worlds.iter().zip(ALGORITHMS) {
                    let at = format!("seed {seed} step {step} {algorithm:?}");
                    assert_eq!(world.version(), model.version, "{at}");
                    assert_eq!(world.len(), model.len(), "{at}");
                    let mut list = changed(world, since);
                    list.sort();
                    assert_eq!(list, expected, "{at}: change list");
                    for (&e, place) in alive.iter().zip(&places) {
                        assert_eq!(bits(&world.transform(e).unwrap()), *place, "{at} {e}");
                    }
                }
                // The same memory layout gives the same order.
                assert_eq!(changed(&worlds[1], since), changed(&worlds[2], since));
                assert_eq!(changed(&worlds[1], since), changed(&worlds[3], since));
                // Look back over one sync or several.
                if rng.one_in(3) {
                    since = model.version;
                }
            }
            _ => {}
        }
    }
}

/// 25 seeds of 40,000 operations each: worlds of 40 to 1,000 entities.
fn part(seeds: core::ops::Range<u64>) {
    for seed in seeds {
        run(seed, 40_000, [40, 100, 250, 1000][seed as usize % 4]);
    }
}

#[test]
fn a_million_operations_match_the_naive_model_1() {
    part(0..7);
}

#[test]
fn a_million_operations_match_the_naive_model_2() {
    part(7..13);
}

#[test]
fn a_million_operations_match_the_naive_model_3() {
    part(13..19);
}

#[test]
fn a_million_operations_match_the_naive_model_4() {
    part(19..25);
}
