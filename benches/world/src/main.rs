//! The bench `world`: six worlds, six scenarios, Lissom against `bevy_transform` and the streaming floor.
//!
//! `cargo run --release -p lissom-bench-world -- [--json] [--quick] [--only KEYS] [--plots DIR] [--no-peer]`
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench prints, and promises no bits")]

mod curves;
mod floor;
mod ours;
mod peer;
mod scenes;

use lissom_measure::timing::best_of_s;
use lissom_world::{Children, oracles::Algorithm};
use ours::Ours;
use peer::{MODES, Peer};
use scenes::{Picks, Scene};

const SCENARIOS: [&str; 6] =
    ["everything", "1 % random", "10 % of roots", "nothing", "re-parent 1 %", "spawn 1 %"];

/// Times faster than the better Bevy mode; `None` where the issue sets none.
fn goal(key: &str, scenario: usize) -> Option<f64> {
    let of = |goals: [f64; 6]| goals["abcdef".find(key)?..].first().copied().filter(|g| *g > 0.0);
    match scenario {
        0 => of([6.0, 5.0, 2.5, 1.0, 4.0, 3.5]),
        1 => of([8.0, 12.0, 6.0, 0.0, 50.0, 6.0]),
        3 => of([500.0; 6]),
        4 => of([3.0, 3.0, 3.0, 3.0, 20.0, 3.0]),
        _ => None,
    }
}

const MOVE_ROUNDS: usize = 12;

fn time_ours(
    scene: &Scene,
    picks: &Picks,
    scenario: usize,
    algorithm: Algorithm,
    parallel: bool,
    budget: f64,
) -> f64 {
    let mut o = Ours::new(scene, algorithm, parallel);
    match scenario {
        0 => best_of_s(budget, usize::MAX, |t| {
            t(&mut || {
                o.move_all();
                o.world.sync();
            })
        }),
        1 | 2 => {
            let list = if scenario == 1 { &picks.one_percent } else { &picks.tenth_of_roots };
            best_of_s(budget, usize::MAX, |t| {
                t(&mut || {
                    o.move_some(list);
                    o.world.sync();
                })
            })
        }
        3 => {
            best_of_s(budget / 4.0, usize::MAX, |t| {
                // One sync at rest is shorter than the clock's step: time a thousand.
                t(&mut || (0..1000).for_each(|_| _ = std::hint::black_box(o.world.sync())));
            }) / 1000.0
        }
        4 => {
            let mut round = 0;
            best_of_s(f64::INFINITY, MOVE_ROUNDS, |t| {
                t(&mut || {
                    o.set_parents(&picks.moves[round]);
                    o.world.sync();
                });
                round += 1;
            })
        }
        _ => {
            let (parents, locals, count) = prefab_of(scene);
            let prefab = ours::prefab(&parents, &locals);
            let mut old = Vec::new();
            let mut new = Vec::new();
            o.world.spawn_prefab(&prefab, count, None, &mut old).expect("room");
            o.world.sync();
            best_of_s(budget, usize::MAX, |t| {
                t(&mut || {
                    for root in old.iter().step_by(prefab.len()) {
                        o.world.despawn(*root, Children::Despawn).expect("alive");
                    }
                    new.clear();
                    o.world.spawn_prefab(&prefab, count, None, &mut new).expect("room");
                    o.world.sync();
                });
                std::mem::swap(&mut old, &mut new);
            })
        }
    }
}

/// What is spawned and despawned: the scene's own tree if it has copies, else a tree of ten.
fn prefab_of(scene: &Scene) -> (Vec<Option<usize>>, Vec<scenes::Local>, usize) {
    let (parents, locals) = if scene.copies > 1 {
        (scene.parents.clone(), scene.locals.clone())
    } else {
        let small = Scene::new("", "", scenes::small_tree(), 1);
        (small.parents, small.locals)
    };
    let count = scene.entities().div_ceil(100).div_ceil(parents.len());
    (parents, locals, count)
}

fn time_peer(scene: &Scene, picks: &Picks, scenario: usize, mode: peer::Mode, budget: f64) -> f64 {
    let mut p = Peer::new(scene, mode);
    match scenario {
        0 => best_of_s(budget, usize::MAX, |t| {
            t(&mut || {
                p.move_all();
                p.sync();
            });
            p.frame_end();
        }),
        1 | 2 => {
            let list = if scenario == 1 { &picks.one_percent } else { &picks.tenth_of_roots };
            best_of_s(budget, usize::MAX, |t| {
                t(&mut || {
                    p.move_some(list);
                    p.sync();
                });
                p.frame_end();
            })
        }
        3 => best_of_s(budget / 2.0, usize::MAX, |t| {
            t(&mut || p.sync());
            p.frame_end();
        }),
        4 => {
            let mut round = 0;
            best_of_s(f64::INFINITY, MOVE_ROUNDS, |t| {
                t(&mut || {
                    p.set_parents(&picks.moves[round]);
                    p.sync();
                });
                p.frame_end();
                round += 1;
            })
        }
        _ => {
            let (parents, locals, count) = prefab_of(scene);
            let mut old: Vec<_> = (0..count).map(|_| p.spawn_tree(&parents, &locals)[0]).collect();
            p.sync();
            p.frame_end();
            best_of_s(budget, usize::MAX, |t| {
                let mut new = Vec::with_capacity(count);
                t(&mut || {
                    for root in &old {
                        p.world.despawn(*root);
                    }
                    for _ in 0..count {
                        new.push(p.spawn_tree(&parents, &locals)[0]);
                    }
                    p.sync();
                });
                p.frame_end();
                old = new;
            })
        }
    }
}

/// Both sides must have computed the same world before their times mean anything.
fn check_same(scene: &Scene, picks: &Picks) {
    let mut o = Ours::new(scene, Algorithm::Auto, true);
    let mut p = Peer::new(scene, MODES[1]);
    o.move_all();
    o.move_some(&picks.one_percent);
    o.set_parents(&picks.moves[0]);
    o.world.sync();
    p.move_all();
    p.move_some(&picks.one_percent);
    p.set_parents(&picks.moves[0]);
    p.sync();
    let step = (scene.entities() / 1000).max(1);
    for i in (0..scene.entities()).step_by(step) {
        let (a, b) = (o.world_position(i), p.world_position(i));
        // A product of 10,000 matrices drifts from one of 10,000 renormalised rotations.
        let far = (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f32::max);
        let size = (0..3).map(|k| b[k].abs()).fold(1.0, f32::max);
        assert!(far < 0.02 * size, "{}: entity {i} is at {a:?} here and at {b:?} in the peer", scene.key);
    }
}

struct Args {
    json: bool,
    peer: bool,
    budget: f64,
    only: String,
    scenarios: Vec<usize>,
    algorithms: bool,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let has = |name: &str| args.iter().any(|a| a == name);
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).cloned();
    let plots = value("--plots");
    let args = Args {
        json: has("--json"),
        peer: !has("--no-peer"),
        budget: if has("--quick") { 0.15 } else { 0.6 },
        only: value("--only").unwrap_or_else(|| "abcdef".into()),
        scenarios: value("--scenarios")
            .map_or((0..6).collect(), |v| v.bytes().map(|b| usize::from(b - b'0')).collect()),
        algorithms: !has("--no-algorithms"),
    };
    bevy_tasks::ComputeTaskPool::get_or_init(|| bevy_tasks::TaskPoolBuilder::new().num_threads(2).build());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    // A frame runs inside the pool, as a game's would: entering it from outside costs more than a small sync.
    pool.install(|| match &plots {
        Some(folder) => {
            curves::write(folder.as_ref(), args.budget / 2.0, args.peer).expect("the folder can be written")
        }
        None => run(&args),
    });
}

fn run(args: &Args) {
    for scene in scenes::all(1).iter().filter(|s| args.only.contains(s.key)) {
        let picks = scenes::picks(scene, MOVE_ROUNDS);
        let n = scene.entities();
        if args.peer {
            check_same(scene, &picks);
        }
        let floor = floor::ns_per_entity(n);
        if !args.json {
            println!(
                "\n{}) {}: {} entities; streaming floor of 132 bytes {:.2} ns an entity",
                scene.key, scene.name, n, floor
            );
            println!(
                "   {:<14} {:>12} {:>12} {:>12} {:<14} {:>8} {:>6}",
                "scenario", "2 threads", "1 thread", "bevy", "its mode", "times", "goal"
            );
        }
        for &scenario in &args.scenarios {
            let two = time_ours(scene, &picks, scenario, Algorithm::Auto, true, args.budget);
            let one = time_ours(scene, &picks, scenario, Algorithm::Auto, false, args.budget);
            let (mut peer, mut mode) = (f64::NAN, "-");
            if args.peer {
                for m in MODES {
                    let t = time_peer(scene, &picks, scenario, m, args.budget / 2.0);
                    if peer.is_nan() || t < peer {
                        (peer, mode) = (t, m.name);
                    }
                }
            }
            let times = peer / two;
            let goal = goal(scene.key, scenario);
            if args.json {
                println!(
                    "{{\"world\":\"{}\",\"scenario\":\"{}\",\"two_threads_s\":{two:e},\"one_thread_s\":{one:e},\"peer_s\":{peer:e},\"peer_mode\":\"{mode}\",\"floor_ns\":{floor:.3}}}",
                    scene.key, SCENARIOS[scenario]
                );
            } else {
                println!(
                    "   {:<14} {:>12} {:>12} {:>12} {:<14} {:>8.1} {:>6} {}",
                    SCENARIOS[scenario],
                    show(two),
                    show(one),
                    show(peer),
                    mode,
                    times,
                    goal.map_or("-".into(), |g| format!("{g}")),
                    goal.map_or("", |g| if times >= g { "met" } else { "MISSED" }),
                );
            }
            if scenario == 0 && !args.json {
                let sync = time_sync_alone(scene, Algorithm::Auto, args.budget);
                println!(
                    "   1 thread: {:.2} ns an entity, of them sync {:.2}; {:.2} and {:.2} times the floor",
                    one * 1e9 / n as f64,
                    sync * 1e9 / n as f64,
                    one * 1e9 / n as f64 / floor,
                    sync * 1e9 / n as f64 / floor
                );
            }
        }
        if args.algorithms && !args.json {
            algorithms(scene, &picks, args);
        }
    }
}

/// The sync of a fully moved world on one thread, without the writes before it.
fn time_sync_alone(scene: &Scene, algorithm: Algorithm, budget: f64) -> f64 {
    let mut o = Ours::new(scene, algorithm, false);
    best_of_s(budget, usize::MAX, |t| {
        o.move_all();
        t(&mut || _ = std::hint::black_box(o.world.sync()));
    })
}

fn algorithms(scene: &Scene, picks: &Picks, args: &Args) {
    println!("   each algorithm alone, 1 thread, ns an entity of the world: everything / 1 % random");
    for algorithm in [Algorithm::DepthFirst, Algorithm::ByDepth, Algorithm::Levels, Algorithm::Lanes] {
        if algorithm == Algorithm::Lanes && scene.copies == 1 {
            continue;
        }
        let n = scene.entities() as f64;
        let all = time_ours(scene, picks, 0, algorithm, false, args.budget / 2.0);
        let some = time_ours(scene, picks, 1, algorithm, false, args.budget / 2.0);
        println!("   {:<14} {:>8.2} {:>8.3}", format!("{algorithm:?}"), all * 1e9 / n, some * 1e9 / n);
    }
}

fn show(seconds: f64) -> String {
    match seconds {
        s if s.is_nan() => "-".into(),
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} us", s * 1e6),
        s => format!("{:.3} ms", s * 1e3),
    }
}
