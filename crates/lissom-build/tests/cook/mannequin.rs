//! What the mannequin promises: a valid rig, a closed skin, clips that loop, feet that stand.

use lissom::archive::Archive;
use lissom::hash::Fnv64;
use lissom_build::SkeletonBuilder;
use lissom_build::cook::{ClipBuilder, Effort};
use lissom_build::exact::{M34, Trs, V3, larger, smaller};
use lissom_build::mannequin::{self, Detail, Motion};
use lissom_build::mesh::model_matrices;
use lissom_build::pipeline;
use lissom_build::raw::{RawAnimation, RawSkeleton};
use lissom_build::scene::Marker;
use lissom_motion::{Animator, RootStep};
use std::collections::{BTreeMap, BTreeSet};

/// The motions that go.
fn gaits() -> impl Iterator<Item = (Motion, f64)> {
    Motion::ALL.into_iter().filter_map(|motion| Some((motion, motion.duty()?)))
}

fn joint(skeleton: &RawSkeleton, name: &str) -> usize {
    skeleton.joints.iter().position(|j| j.name == name).unwrap_or_else(|| panic!("no joint {name}"))
}

fn sample(skeleton: &RawSkeleton, clip: &RawAnimation, t: f64) -> Vec<Trs> {
    skeleton.joints.iter().zip(&clip.tracks).map(|(j, track)| track.sample(t, j.rest)).collect()
}

fn models(skeleton: &RawSkeleton, clip: &RawAnimation, t: f64) -> Vec<M34> {
    model_matrices(skeleton, &sample(skeleton, clip, t))
}

#[test]
fn the_skeleton_is_valid_depth_first_and_symmetric() {
    let raw = mannequin::skeleton();
    assert!(raw.joints.len() >= 60);
    let built = SkeletonBuilder::build(&raw).unwrap();
    assert!(built.joint_of_raw.iter().enumerate().all(|(raw, joint)| raw == *joint), "already depth-first");
    let mut names: Vec<&str> = raw.joints.iter().map(|j| j.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), raw.joints.len(), "every name once");

    let rest = model_matrices(&raw, &raw.joints.iter().map(|j| j.rest).collect::<Vec<_>>());
    for (left, j) in raw.joints.iter().enumerate().filter(|(_, j)| j.name.ends_with("_l")) {
        let right = joint(&raw, &j.name.replace("_l", "_r"));
        let (l, r) = (rest[left].columns[3], rest[right].columns[3]);
        assert!((l - V3::new(-r.x, r.y, r.z)).length() < 1e-12, "{}", j.name);
        assert!(l.x > 0.0, "{} is on the left, +X", j.name);
    }
    let height = |name: &str| rest[joint(&raw, name)].columns[3].y;
    assert!((1.78..=1.82).contains(&height("head_top")));
    assert!(height("toe_end_l") > 0.0 && height("foot_l") < 0.1);
    assert!(rest[joint(&raw, "toe_end_l")].columns[3].z > 0.15, "it faces +Z");
}

#[test]
fn the_skin_is_valid_closed_and_follows_the_rest_pose() {
    let raw = mannequin::skeleton();
    let mesh = mannequin::mesh(&Detail::default()).unwrap();
    mesh.validate(raw.joints.len()).unwrap();
    let vertices = mesh.positions.len();
    assert!((9_000..=11_500).contains(&vertices), "{vertices}");

    // Closed: every edge has as many neighbours one way as the other.
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for t in mesh.indices.chunks_exact(3) {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            assert_ne!(a, b);
            *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
        }
    }
    assert!(edges.values().all(|n| *n == 0), "the skin has a hole");

    let mut outward = 0;
    for t in mesh.indices.chunks_exact(3) {
        let [a, b, c] = [t[0], t[1], t[2]].map(|i| mesh.positions[i as usize].map(f64::from));
        let v = |p: [f64; 3]| V3::new(p[0], p[1], p[2]);
        let face = (v(b) - v(a)).cross(v(c) - v(a));
        let n = mesh.normals[t[0] as usize].map(f64::from);
        outward += usize::from(face.dot(v(n)) > 0.0);
    }
    assert!(outward * 1000 > mesh.triangle_count() * 995, "{outward} of {}", mesh.triangle_count());

    for i in 0..vertices {
        let (n, t) = (mesh.normals[i], mesh.tangents[i]);
        let across = n[0] * t[0] + n[1] * t[1] + n[2] * t[2];
        assert!(across.abs() < 1e-4, "tangent {i} is not across its normal: {across}");
        let w: Vec<f32> = mesh.influences.of(i).map(|(_, w)| w).collect();
        assert!(w[0] >= w[1] && w[1] >= w[2] && w[2] >= w[3], "strongest first at {i}");
    }
    assert!(mesh.tangents.iter().any(|t| t[3] > 0.0) && mesh.tangents.iter().any(|t| t[3] < 0.0));

    let rest = model_matrices(&raw, &raw.joints.iter().map(|j| j.rest).collect::<Vec<_>>());
    let (positions, _) = mesh.skin(&rest);
    let off = |(a, b): (&[f32; 3], &[f32; 3])| (0..3).all(|c| (a[c] - b[c]).abs() < 1e-6);
    assert!(positions.iter().zip(&mesh.positions).all(off));
}

#[test]
fn detail_makes_more_or_fewer_vertices_and_has_limits() {
    let coarse = mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap();
    assert!((1_000..4_000).contains(&coarse.positions.len()), "{}", coarse.positions.len());
    coarse.validate(mannequin::skeleton().joints.len()).unwrap();
    for (body_m, hand_m) in [(0.001, 0.005), (f64::NAN, 0.005), (0.01, 0.5)] {
        assert!(mannequin::mesh(&Detail { body_m, hand_m }).is_err());
    }
}

#[test]
fn every_clip_is_valid_and_only_root_and_hips_are_moved() {
    let raw = mannequin::skeleton();
    for (motion, clip) in Motion::ALL.into_iter().zip(mannequin::clips()) {
        clip.validate(raw.joints.len()).unwrap();
        assert_eq!(clip.name, motion.name());
        for (j, track) in clip.tracks.iter().enumerate() {
            let name = &raw.joints[j].name;
            assert!(track.scale.keys.is_empty());
            assert!(track.translation.keys.is_empty() || ["root", "hips"].contains(&name.as_str()), "{name}");
        }
    }
    assert_eq!(mannequin::clip(Motion::Performance).duration_s, 15.0);
}

#[test]
fn loops_close_and_gaits_travel_at_constant_speed() {
    let raw = mannequin::skeleton();
    for motion in Motion::ALL {
        let clip = mannequin::clip(motion);
        let (first, last) = (sample(&raw, &clip, 0.0), sample(&raw, &clip, clip.duration_s));
        let travel = motion.velocity() * clip.duration_s;
        if clip.looping {
            assert!((last[0].translation - first[0].translation - travel).length() < 1e-9, "{motion:?}");
            for (j, (a, b)) in first.iter().zip(&last).enumerate().skip(1) {
                let name = &raw.joints[j].name;
                assert!((a.translation - b.translation).length() < 1e-9, "{motion:?} {name}");
                assert!(1.0 - a.rotation.dot(b.rotation) < 1e-9, "{motion:?} {name}");
            }
        }
        if motion.duty().is_some() {
            for i in 0..50 {
                let t = clip.duration_s * f64::from(i) / 50.0;
                let root = sample(&raw, &clip, t)[0].translation;
                assert!((root - motion.velocity() * t).length() < 1e-9);
            }
        }
    }
}

/// The lowest point of a foot's sole in model space: heel, ball, or tip of the toes.
fn sole(raw: &RawSkeleton, models: &[M34], side: &str) -> f64 {
    let foot = &models[joint(raw, &format!("foot_{side}"))];
    let heel = foot.mul_point(V3::new(0.0, -0.085, -0.055)).y;
    let toes = &models[joint(raw, &format!("toes_{side}"))];
    let ball = toes.mul_point(V3::new(0.0, -0.022, 0.0)).y;
    let tip = toes.mul_point(V3::new(0.0, -0.022, 0.07)).y;
    smaller(smaller(heel, ball), tip)
}

#[test]
fn gaits_are_in_phase_left_lands_at_0_right_at_a_half() {
    let raw = mannequin::skeleton();
    assert_eq!(gaits().count(), 8);
    for (motion, duty) in gaits() {
        let clip = mannequin::clip(motion);
        for (side, start) in [("l", 0.0), ("r", 0.5)] {
            let height = |phase: f64| {
                let phase = (phase + start).rem_euclid(1.0);
                sole(&raw, &models(&raw, &clip, phase * clip.duration_s), side)
            };
            assert!(height(0.02).abs() < 0.012, "{motion:?} {side} has landed: {}", height(0.02));
            assert!(height(duty * 0.5).abs() < 0.004, "{motion:?} {side} stands");
            assert!(height(-0.08) > 0.012, "{motion:?} {side} is still in the air: {}", height(-0.08));
            assert!(height(duty + 0.15) > 0.02, "{motion:?} {side} has left: {}", height(duty + 0.15));
        }
    }
}

#[test]
fn a_planted_foot_slides_less_than_4_mm() {
    let raw = mannequin::skeleton();
    assert_eq!(gaits().count(), 8);
    for (motion, duty) in gaits() {
        let clip = mannequin::clip(motion);
        // The ball is planted from the flat foot to just before toe-off.
        for (side, start) in [("toes_l", 0.0), ("toes_r", 0.5)] {
            let at = joint(&raw, side);
            let places: Vec<V3> = (0..=40)
                .map(|i| {
                    let phase = start + duty * (0.35 + 0.6 * f64::from(i) / 40.0);
                    let whole = phase.floor();
                    let shift = motion.velocity() * (clip.duration_s * whole);
                    models(&raw, &clip, (phase - whole) * clip.duration_s)[at].columns[3] + shift
                })
                .collect();
            let slide = places.iter().map(|p| (*p - places[0]).length()).fold(0.0, larger);
            assert!(slide < 0.004, "{motion:?} {side}: {slide} m");
        }
    }
}

#[test]
fn feet_stand_still_between_steps_and_never_sink() {
    let raw = mannequin::skeleton();
    for motion in Motion::ALL {
        let clip = mannequin::clip(motion);
        let frames = (clip.duration_s * 60.0) as usize;
        for i in 0..=frames {
            let m = models(&raw, &clip, i as f64 / 60.0);
            for side in ["l", "r"] {
                let low = sole(&raw, &m, side);
                // Between two keys a leg swings on an arc where the foot's way was straight.
                let most = if i.is_multiple_of(2) { 0.001 } else { 0.012 };
                assert!(low > -most, "{motion:?} {side} sinks to {low} at frame {i} of 60 Hz");
            }
        }
    }
    for motion in [Motion::Idle, Motion::Wave, Motion::Crouch] {
        let clip = mannequin::clip(motion);
        for name in ["toes_l", "toes_r"] {
            let at = joint(&raw, name);
            let first = models(&raw, &clip, 0.0)[at].columns[3];
            for i in 0..=60 {
                let p = models(&raw, &clip, clip.duration_s * f64::from(i) / 60.0)[at].columns[3];
                assert!((p - first).length() < 0.002, "{motion:?} {name}: {p:?}");
            }
        }
    }
}

#[test]
fn a_turn_steps_one_foot_at_a_time_and_the_other_stands() {
    let raw = mannequin::skeleton();
    let clip = mannequin::clip(Motion::Turn);
    // The left heel lands at 0.68 s, its ball is down at 0.8 s.
    for (name, from, to) in [("toes_r", 0.0, 0.8), ("toes_l", 0.0, 0.28), ("toes_l", 0.81, 1.6)] {
        let at = joint(&raw, name);
        let first = models(&raw, &clip, from)[at].columns[3];
        for i in 0..=40 {
            let t = from + (to - from) * f64::from(i) / 40.0;
            let slide = (models(&raw, &clip, t)[at].columns[3] - first).length();
            assert!(slide < 0.004, "{name} slides {slide} m by {t} s");
        }
    }
    let end = models(&raw, &clip, clip.duration_s);
    assert!((end[0].columns[2] - V3::X).length() < 1e-9, "it faces +X, a quarter to the left");
}

#[test]
fn a_jump_goes_from_part_to_part_without_a_jump() {
    let raw = mannequin::skeleton();
    let pose = |motion: Motion, ratio: f64| {
        let clip = mannequin::clip(motion);
        sample(&raw, &clip, clip.duration_s * ratio)
    };
    let stands = |motion| pose(motion, 0.0);
    let seams = [
        (pose(Motion::JumpStart, 1.0), pose(Motion::JumpAir, 0.0)),
        (pose(Motion::JumpAir, 1.0), pose(Motion::JumpLand, 0.0)),
        (stands(Motion::JumpStart), pose(Motion::JumpLand, 1.0)),
    ];
    for (seam, (a, b)) in seams.iter().enumerate() {
        for (j, (a, b)) in a.iter().zip(b).enumerate() {
            let name = &raw.joints[j].name;
            assert!((a.translation - b.translation).length() < 0.005, "seam {seam}: {name}");
            assert!(a.rotation.dot(b.rotation).abs() > 0.9995, "seam {seam}: {name}");
        }
    }
    let clip = mannequin::clip(Motion::JumpAir);
    for i in 0..=30 {
        let m = models(&raw, &clip, clip.duration_s * f64::from(i) / 30.0);
        assert!(sole(&raw, &m, "l") > 0.05 && sole(&raw, &m, "r") > 0.05, "both feet are off the floor");
    }
}

/// Where a marker says that a foot stands, it does, and nowhere else.
#[test]
fn markers_say_when_feet_stand() {
    let raw = mannequin::skeleton();
    for motion in Motion::ALL {
        let (clip, markers) = (mannequin::clip(motion), mannequin::markers(motion));
        assert!(markers.is_sorted_by(|a, b| a.time_s <= b.time_s), "{motion:?}");
        assert!(markers.iter().all(|m| m.time_s + m.duration_s <= clip.duration_s + 1e-12), "{motion:?}");
        if matches!(motion, Motion::Performance | Motion::JumpAir) {
            assert!(markers.is_empty());
            continue;
        }
        for (side, word) in [("l", "left"), ("r", "right")] {
            let spans: Vec<_> = markers.iter().filter(|m| m.name == format!("contact_{word}")).collect();
            let steps = markers.iter().filter(|m| m.name == format!("step_{word}")).count();
            assert!(!spans.is_empty(), "{motion:?} {side}");
            assert_eq!(
                steps,
                usize::from(motion.duty().is_some() || spans[0].time_s > 0.0 || spans.len() > 1)
            );
            for i in 0..=100 {
                let t = clip.duration_s * f64::from(i) / 100.0;
                let low = sole(&raw, &models(&raw, &clip, t), side);
                let lap = if clip.looping { clip.duration_s } else { 0.0 };
                let inside = |margin: f64| {
                    let around =
                        |m: &&Marker, t: f64| t > m.time_s + margin && t < m.time_s + m.duration_s - margin;
                    spans.iter().any(|m| [t - lap, t, t + lap].into_iter().any(|t| around(m, t)))
                };
                assert!(!inside(0.02) || low < 0.015, "{motion:?} {side} at {t}: it is {low} m up");
                assert!(inside(-0.12) || low > 0.004, "{motion:?} {side} at {t}: it is {low} m up");
            }
        }
    }
}

#[test]
fn knees_and_elbows_bend_the_right_way() {
    let raw = mannequin::skeleton();
    for motion in Motion::ALL {
        let clip = mannequin::clip(motion);
        for i in 0..=60 {
            let pose = sample(&raw, &clip, clip.duration_s * f64::from(i) / 60.0);
            for side in ["l", "r"] {
                // A knee bends back: about +x. Straight legs carry a little of the rest pose's bend.
                let knee = pose[joint(&raw, &format!("shin_{side}"))].rotation;
                assert!(knee.x * knee.w.signum() > -0.06, "{motion:?} knee {side}: {knee:?}");
                assert!(knee.y.abs() < 0.05 && knee.z.abs() < 0.05, "{motion:?} a knee is a hinge: {knee:?}");
                let elbow = pose[joint(&raw, &format!("forearm_{side}"))].rotation;
                let bend = elbow.y * elbow.w.signum() * if side == "l" { -1.0 } else { 1.0 };
                assert!(bend >= 0.0, "{motion:?} elbow {side}: {elbow:?}");
            }
        }
    }
}

#[test]
fn nothing_jumps_between_frames() {
    let raw = mannequin::skeleton();
    for motion in Motion::ALL {
        let clip = mannequin::clip(motion);
        let frames = (clip.duration_s * 30.0).round() as usize;
        let mut before = sample(&raw, &clip, 0.0);
        for i in 1..=frames {
            let now = sample(&raw, &clip, i as f64 / 30.0);
            for (j, (a, b)) in before.iter().zip(&now).enumerate() {
                let turn =
                    2.0 * libm::acos(smaller(a.rotation.near(b.rotation).dot(b.rotation), 1.0)).to_degrees();
                assert!(turn < 45.0, "{motion:?} {} turns {turn} degrees in frame {i}", raw.joints[j].name);
                let way = (a.translation - b.translation).length();
                // A runner's root does 4.4 m/s; the hips only go with it, unless they push off and land.
                let jumps = matches!(motion, Motion::JumpStart | Motion::JumpLand);
                let most = if j == 0 {
                    0.15
                } else if jumps {
                    0.09
                } else {
                    0.045
                };
                assert!(way < most, "{motion:?} {} moves {way} m in frame {i}", raw.joints[j].name);
            }
            before = now;
        }
    }
}

/// The same on every machine: f64 with a fixed order of operations and `libm`, rounded to f32.
#[test]
fn rig_skin_and_clips_meet_their_golden_hashes() {
    let raw = mannequin::skeleton();
    let poses = |motion: Motion| {
        let clip = mannequin::clip(motion);
        let mut hash = Fnv64::new();
        for i in 0..16 {
            for local in sample(&raw, &clip, clip.duration_s * f64::from(i) / 15.0) {
                hash = local.to_f32().to_array().into_iter().fold(hash, Fnv64::f32);
            }
        }
        (motion.name(), hash.finish())
    };
    let mesh = mannequin::mesh(&Detail::default()).unwrap();
    let mut hash =
        mesh.positions.iter().chain(&mesh.normals).flatten().copied().fold(Fnv64::new(), Fnv64::f32);
    hash = mesh.influences.weights.iter().copied().fold(hash, Fnv64::f32);
    hash = mesh.indices.iter().copied().fold(hash, Fnv64::u32);
    let mut found: Vec<(&str, u64)> = Motion::ALL.into_iter().map(poses).collect();
    found.push(("mesh", hash.finish()));
    assert_eq!(found, GOLDEN);
}

const GOLDEN: [(&str, u64); 18] = [
    ("idle", 0x5adfc77c98dbaf8d),
    ("walk", 0x479d2f8d72603662),
    ("jog", 0xb0891fb1940dbbcd),
    ("run", 0xdaabe19c4305bf98),
    ("wave", 0x2bc047bdaf34b5c4),
    ("crouch", 0xce911f600757d033),
    ("turn", 0x6d5829121204fd2c),
    ("performance", 0x5658edc782718483),
    ("back", 0x3213510aa257d1a7),
    ("strafe_left", 0x911e6d96074a2408),
    ("strafe_right", 0xb615be98f3278ac1),
    ("turn_right", 0x34dbb9087d02c87c),
    ("jump_start", 0x4468b0e9e534d3a4),
    ("jump_air", 0x5789dbf3dd3fa463),
    ("jump_land", 0xccbf7d34e1782963),
    ("jog_left", 0xc8a788979d9a70d1),
    ("jog_right", 0x5be6813d081f3713),
    ("mesh", 0x46d181e1d7752ab9),
];

/// The mannequin as a game has it.
pub(super) fn played() -> Archive {
    let scene = mannequin::game_scene(&mannequin::GRAPH_MOTIONS, &Detail::default()).unwrap();
    let builder = ClipBuilder { precision: 1e-3, effort: Effort::Fast, ..ClipBuilder::default() };
    Archive::read(&pipeline::cook_scene(&scene, &builder, &pipeline::serial).unwrap().archive).unwrap()
}

/// Every state is reached, every clip is seen, and the character goes where it is told.
#[test]
fn its_graph_plays_all_that_it_can_do() {
    let archive = played();
    let mut hero = Animator::new(&archive, mannequin::GRAPH).unwrap();
    let graph = hero.graph().clone();
    let [ahead, left] = ["ahead", "left"].map(|name| graph.float(name).unwrap());
    let grounded = graph.bool("grounded").unwrap();
    let mut seen = BTreeSet::new();
    let mut go = |hero: &mut Animator, seconds: f64| {
        let mut way = RootStep::IDENTITY;
        for _ in 0..(seconds * 60.0) as usize {
            hero.update(1.0 / 60.0).unwrap();
            way = way.then(&hero.root_delta());
            let shown = hero.frame().entries().iter().filter(|entry| entry.weight > 0.0);
            seen.extend(shown.map(|entry| usize::from(entry.clip)));
        }
        way
    };
    let leading = |hero: &Animator| hero.state().leading(&graph, 0).unwrap().to_owned();

    for (motion, duty) in gaits() {
        let velocity = motion.velocity();
        hero.set(left, velocity.x as f32).unwrap();
        hero.set(ahead, velocity.z as f32).unwrap();
        go(&mut hero, 1.5);
        let [x, _, z] = go(&mut hero, 2.0).translation;
        let off = V3::new(x, 0.0, z).distance(velocity * 2.0);
        assert!(off < 0.1 * velocity.length() * 2.0, "{motion:?}: {x} {z} m in 2 s");
        let runs = duty < 0.5;
        assert_eq!(leading(&hero), if runs { "run" } else { "move" });
    }
    hero.set(left, 0.0).unwrap();
    hero.set(ahead, 0.0).unwrap();
    go(&mut hero, 1.5);

    for (name, turn) in [("turn_left", 0.5_f64), ("turn_right", -0.5)] {
        hero.trigger(graph.trigger(name).unwrap()).unwrap();
        let first = go(&mut hero, 0.5);
        assert_eq!(leading(&hero), name);
        let way = first.then(&go(&mut hero, 2.0));
        assert_eq!(leading(&hero), "move");
        let [.., y, _, w] = way.rotation;
        let turned = 2.0 * libm::atan2(y, w) / std::f64::consts::PI;
        assert!((turned - turn).abs() < 0.05, "{name}: {} degrees", 180.0 * turned);
    }
    hero.trigger(graph.trigger("crouch").unwrap()).unwrap();
    go(&mut hero, 1.0);
    assert_eq!(leading(&hero), "crouch");
    go(&mut hero, 2.0);
    assert_eq!(leading(&hero), "move");

    // A jump, then a ledge.
    hero.trigger(graph.trigger("jump").unwrap()).unwrap();
    go(&mut hero, 0.4);
    assert_eq!(leading(&hero), "jump");
    for _ in 0..2 {
        hero.set(grounded, false).unwrap();
        go(&mut hero, 0.8);
        assert_eq!(leading(&hero), "air");
        hero.set(grounded, true).unwrap();
        go(&mut hero, 0.2);
        assert_eq!(leading(&hero), "land");
        go(&mut hero, 1.0);
        assert_eq!(leading(&hero), "move");
    }
    hero.play("wave").on("upper_body").start().unwrap();
    go(&mut hero, 0.5);
    let missed: Vec<&str> = (0..graph.clips().len())
        .filter(|clip| !seen.contains(clip))
        .map(|clip| &*graph.clips()[clip].name)
        .collect();
    assert!(missed.is_empty(), "never seen: {missed:?}");
}
