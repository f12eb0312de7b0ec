//! What the cooker promises: never above the precision, at keys or between them, whatever the source is.
//! The errors here are computed by this file's own code, from the bytes alone.

use lissom::{
    clip::{Clip, Cursor},
    job::{SampleJob, SampleTime},
    math::{Transform, soa},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, CookError, CookedClip, Effort, Form, JointPrecision, Jumps, ShellSpace, SkinReach},
    exact::{M34, Q4, Trs, V3, larger, smaller},
    mesh::{Influences, RawMesh, model_matrices},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack},
};
use lissom_testkit::{generate, rng::Rng};
use proptest::prelude::*;
use std::sync::Arc;

/// Plays a clip.
struct Player<'a> {
    skeleton: &'a BuiltSkeleton,
    clip: Clip,
    cursor: Cursor,
}

impl<'a> Player<'a> {
    fn new(skeleton: &'a BuiltSkeleton, bytes: &[u8]) -> Self {
        Self { skeleton, clip: Clip::from_bytes(bytes).unwrap(), cursor: Cursor::new() }
    }

    fn pose(&mut self, time_s: f64) -> Vec<Transform> {
        let skeleton = &self.skeleton.skeleton;
        let mut output = skeleton.rest_pose().to_vec();
        let (clip, time) = (self.clip.view(), SampleTime::Clamped(time_s));
        let cursor = &mut self.cursor;
        SampleJob { skeleton, clip, time, lod: None, cursor, output: &mut output }.run().unwrap();
        soa::to_transforms(&output, skeleton.joint_count())
    }
}

/// The largest distance of shell points of each joint at a time, in skeleton order. The shell is a length of model
/// space in the rest pose.
fn errors(s: &BuiltSkeleton, a: &RawAnimation, pose: &[Transform], time_s: f64, shell: f64) -> Vec<f64> {
    let mut models: Vec<[M34; 3]> = Vec::new();
    let mut errors = Vec::new();
    for (j, decoded) in pose.iter().enumerate() {
        let rest = Trs::from_f32(s.skeleton.rest(j));
        let source = a.tracks[s.raw_of_joint[j]].sample(time_s, rest).to_m34();
        let locals = [rest.to_m34(), source, Trs::from_f32(*decoded).to_m34()];
        let parent = s.skeleton.parent(j).map_or([M34::IDENTITY; 3], |p| models[p]);
        let [rest, source, decoded] = [0, 1, 2].map(|i| parent[i].mul(&locals[i]));
        let apart = |(axis, unit): (usize, V3)| {
            let point = unit * (shell / rest.columns[axis].length());
            (source.mul_point(point) - decoded.mul_point(point)).length()
        };
        let shell = [V3::X, V3::Y, V3::Z].into_iter().enumerate().map(apart);
        let origin = (source.columns[3] - decoded.columns[3]).length();
        errors.push(shell.fold(origin, larger));
        models.push([rest, source, decoded]);
    }
    errors
}

/// True if two neighbouring rotation keys are within a degree of half a turn apart.
fn has_half_turns(a: &RawAnimation) -> bool {
    let apart = |c: &Channel<Q4>| {
        c.keys.windows(2).any(|k| k[0].value.normalize().dot(k[1].value.normalize()).abs() < 0.00873)
    };
    a.tracks.iter().any(|t| apart(&t.rotation))
}

/// Cooks, and looks for itself at keys and at random times.
fn must_hold(builder: &ClipBuilder, s: &BuiltSkeleton, a: &RawAnimation, what: &str) -> CookedClip {
    let cooked = builder.build(s, a).unwrap_or_else(|e| panic!("{what}: {e}"));
    let report = &cooked.report;
    assert!(report.within, "{what}");
    assert_eq!(report.bytes, cooked.bytes.len() as u64);
    assert!(report.error.worst() <= builder.precision, "{what}: {}", report.error.worst());
    let half_turns = has_half_turns(a);
    let mut player = Player::new(s, &cooked.bytes);
    let mut rng = Rng::new(what.len() as u64);
    let keys = a.tracks.iter().flat_map(|t| {
        let (x, y, z) = (&t.translation.keys, &t.rotation.keys, &t.scale.keys);
        let times = x.iter().map(|k| k.time_s).chain(y.iter().map(|k| k.time_s));
        times.chain(z.iter().map(|k| k.time_s)).collect::<Vec<_>>()
    });
    // A hair after a key, where a step has happened; but not where the path is ambiguous from there on.
    let hair = if half_turns { 1.0 } else { 1.0 + 2e-6 };
    let mut times: Vec<f64> = keys.map(|t| smaller(t * hair, a.duration_s)).collect();
    times.truncate(300);
    if !half_turns {
        times.extend((0..200).map(|_| rng.range_f64(0.0, a.duration_s)));
    }
    for t in times {
        for (j, e) in errors(s, a, &player.pose(t), t, builder.shell).into_iter().enumerate() {
            // Seven times between keys cannot see every last part in a hundred.
            assert!(e <= builder.precision * 1.05, "{what}: joint {j} is off by {e} at {t} s");
        }
    }
    cooked
}

fn fan(joints: usize, rng: &mut Rng) -> BuiltSkeleton {
    let joint = |j: usize| RawJoint {
        name: format!("j{j}"),
        parent: (j > 0).then(|| if rng.one_in(3) { rng.below(j) } else { j - 1 }),
        rest: Trs::from_translation(V3::new(rng.range_f64(-0.1, 0.1), 0.2, rng.range_f64(-0.1, 0.1))),
    };
    SkeletonBuilder::build(&RawSkeleton { joints: (0..joints).map(joint).collect() }).unwrap()
}

/// An arm under an armature of some scale: lengths are the same metres in model space whatever it is. A helmet of the
/// skin stands 25 cm from the last joint.
fn scaled_arm(scale: f64) -> (BuiltSkeleton, RawMesh, RawAnimation) {
    let size = V3::new(scale, scale, scale);
    let bone = |parent: usize, x: f64| RawJoint {
        name: format!("bone{parent}"),
        parent: Some(parent),
        rest: Trs::from_translation(V3::new(x / scale, 0.0, 0.0)),
    };
    let armature =
        RawJoint { name: "armature".into(), parent: None, rest: Trs { scale: size, ..Trs::IDENTITY } };
    let joints = vec![armature, bone(0, 0.1), bone(1, 0.3), bone(2, 0.25), bone(3, 0.1)];
    let skeleton = RawSkeleton { joints };
    let built = SkeletonBuilder::build(&skeleton).unwrap();
    let rest: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
    let binds: Vec<M34> = model_matrices(&skeleton, &rest).iter().map(|m| m.inverse().unwrap()).collect();
    let at = |i: usize| {
        let angle = i as f64;
        [0.75 + 0.25 * libm::cos(angle), 0.25 * libm::sin(angle), 0.01 * angle].map(|c| c as f32)
    };
    let positions: Vec<[f32; 3]> = (0..24).map(at).collect();
    let weights = |i: usize| if i.is_multiple_of(3) { [0.5, 0.5] } else { [1.0, 0.0] };
    let weights: Vec<[f32; 2]> = (0..positions.len()).map(weights).collect();
    let mesh = RawMesh {
        influences: Influences::from_rows(&vec![[4, 3]; positions.len()], &weights),
        positions,
        inverse_binds: binds,
        ..RawMesh::default()
    };
    let turn = |j: usize, i: usize| {
        let t = i as f64 / 30.0;
        let axis = V3::new(0.3, 1.0, 0.2 * j as f64).normalize_or(V3::Y);
        Q4::from_axis_angle(
            axis,
            0.6 * libm::sin(t * (3.0 + j as f64)) + 0.05 * libm::sin(t * 17.0 + j as f64),
        )
    };
    let track = |j: usize| {
        let keys = (0..45).map(|i| (i as f64 / 30.0, turn(j, i)));
        RawTrack { rotation: Channel::new(Curve::Linear, keys), ..Default::default() }
    };
    let tracks = std::iter::once(RawTrack::default()).chain((1..5).map(track)).collect();
    let animation =
        RawAnimation { name: "arm".into(), duration_s: 44.0 / 30.0, tracks, ..Default::default() };
    (built, mesh, animation)
}

/// The largest distance of skinned vertices, joint origins and shell points (3 cm in model space) at a time.
fn seen_error(s: &BuiltSkeleton, mesh: &RawMesh, a: &RawAnimation, pose: &[Transform], time_s: f64) -> f64 {
    let joints = s.skeleton.joint_count();
    let rest = |j: usize| Trs::from_f32(s.skeleton.rest(j));
    let models = |local: &dyn Fn(usize) -> M34| {
        let mut models: Vec<M34> = Vec::new();
        for j in 0..joints {
            models.push(s.skeleton.parent(j).map_or(local(j), |p| models[p].mul(&local(j))));
        }
        models
    };
    let at_rest = models(&|j| rest(j).to_m34());
    let source = models(&|j| a.tracks[s.raw_of_joint[j]].sample(time_s, rest(j)).to_m34());
    let decoded = models(&|j| Trs::from_f32(pose[j]).to_m34());
    let mut worst = 0.0;
    for j in 0..joints {
        let size = at_rest[j].columns[0].length();
        for p in [V3::ZERO, V3::X * (0.03 / size), V3::Y * (0.03 / size), V3::Z * (0.03 / size)] {
            worst = larger((source[j].mul_point(p) - decoded[j].mul_point(p)).length(), worst);
        }
    }
    for (vertex, p) in mesh.positions.iter().enumerate() {
        let p = V3::new(p[0].into(), p[1].into(), p[2].into());
        let mut off = V3::ZERO;
        for (raw, weight) in mesh.influences.of(vertex).filter(|(_, w)| *w > 0.0) {
            let (j, own) =
                (s.joint_of_raw[usize::from(raw)], mesh.inverse_binds[usize::from(raw)].mul_point(p));
            off = off + (decoded[j].mul_point(own) - source[j].mul_point(own)) * f64::from(weight);
        }
        worst = larger(off.length(), worst);
    }
    worst
}

#[test]
fn what_people_see_is_within_the_precision_under_an_armature_of_any_scale() {
    let mut sizes = Vec::new();
    for scale in [0.01, 1.0, 100.0] {
        for form in [Form::Rows, Form::Keys] {
            let (s, mesh, a) = scaled_arm(scale);
            let mut skin = SkinReach::default();
            skin.add(&s, &mesh, &[]);
            let builder = ClipBuilder { form, skin: Some(Arc::new(skin)), ..Default::default() };
            let cooked = builder.build(&s, &a).unwrap();
            assert!(cooked.report.error.worst() <= builder.precision);
            let mut player = Player::new(&s, &cooked.bytes);
            let mut rng = Rng::new(7);
            let keys = (0..45).map(|i| f64::from(i) / 30.0);
            let times: Vec<f64> = keys.chain((0..500).map(|_| rng.range_f64(0.0, a.duration_s))).collect();
            for t in times {
                let off = seen_error(&s, &mesh, &a, &player.pose(t), t);
                assert!(off <= builder.precision * 1.01, "scale {scale}, {form:?}: {off} m off at {t} s");
            }
            if form == Form::Rows {
                sizes.push(cooked.bytes.len());
            }
        }
    }
    // The same motion takes the same bytes whatever the armature's scale is: a shell of 3 m would take many more.
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(most * 100 <= least * 103, "{sizes:?}");
}

/// The same, added to the rest pose as the runtime adds a layer of weight 1.
fn added(s: &BuiltSkeleton, difference: Vec<Transform>) -> Vec<Transform> {
    let onto = |(j, d): (usize, Transform)| {
        let (rest, d) = (Trs::from_f32(s.skeleton.rest(j)), Trs::from_f32(d));
        let scale = rest.scale.mul_each(d.scale);
        Trs { translation: rest.translation + d.translation, rotation: d.rotation * rest.rotation, scale }
            .to_f32()
    };
    difference.into_iter().enumerate().map(onto).collect()
}

#[test]
fn a_difference_is_within_the_precision_when_it_is_added_under_an_armature_of_any_scale() {
    let mut sizes = Vec::new();
    for scale in [0.01, 1.0, 100.0] {
        for form in [Form::Rows, Form::Keys] {
            let (s, mesh, mut a) = scaled_arm(scale);
            // All three kinds of channels move.
            let keys = |i: i32| (f64::from(i) / 30.0, libm::sin(f64::from(i) * 0.3));
            let slide = |i: i32| (keys(i).0, V3::new(0.25 + 0.05 * keys(i).1, 0.02, 0.0) * (1.0 / scale));
            a.tracks[3].translation = Channel::new(Curve::Linear, (0..45).map(slide));
            let swell = |i: i32| (keys(i).0, V3::ONE * (1.0 + 0.2 * keys(i).1));
            a.tracks[2].scale = Channel::new(Curve::Linear, (0..45).map(swell));
            let rest = |raw: usize| Trs::from_f32(s.skeleton.rest(s.joint_of_raw[raw]));
            let raw = RawSkeleton {
                joints: (0..5).map(|j| RawJoint { rest: rest(j), ..Default::default() }).collect(),
            };
            let difference = a.added_to(&raw, &(0..5).map(rest).collect::<Vec<_>>()).unwrap();
            let mut skin = SkinReach::default();
            skin.add(&s, &mesh, &[]);
            let builder = ClipBuilder { form, skin: Some(Arc::new(skin)), ..Default::default() };
            let cooked = builder.build(&s, &difference).unwrap();
            let mut player = Player::new(&s, &cooked.bytes);
            let mut rng = Rng::new(8);
            let times = (0..45).map(|i| f64::from(i) / 30.0);
            for t in times.chain((0..500).map(|_| rng.range_f64(0.0, a.duration_s))).collect::<Vec<_>>() {
                let off = seen_error(&s, &mesh, &a, &added(&s, player.pose(t)), t);
                assert!(off <= builder.precision * 1.01, "scale {scale}, {form:?}: {off} m off at {t} s");
            }
            if form == Form::Rows {
                sizes.push(cooked.bytes.len());
            }
        }
    }
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    assert!(most * 100 <= least * 105, "{sizes:?}");
}

#[test]
fn a_shell_in_the_joints_own_units_is_there_for_whoever_asks() {
    let (s, mesh, a) = scaled_arm(0.01);
    let builder = ClipBuilder { shell_space: ShellSpace::Joint, ..Default::default() };
    let cooked = builder.build(&s, &a).unwrap();
    let mut player = Player::new(&s, &cooked.bytes);
    let worst = (0..45).map(|i| f64::from(i) / 30.0).map(|t| seen_error(&s, &mesh, &a, &player.pose(t), t));
    // Under a scale of 0.01 it says nothing about what people see.
    assert!(worst.fold(0.0, larger) > 5.0 * builder.precision);
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Style {
    Smooth,
    Noisy,
    Stepped,
    Scaled,
    Flips,
}

fn motion(style: Style, joints: usize, samples: usize, rng: &mut Rng) -> RawAnimation {
    let rate = [24.0, 30.0, 60.0, 17.3][rng.below(4)];
    let duration_s = (samples.max(2) - 1) as f64 / rate;
    let track = |rng: &mut Rng| {
        let (f, phase) = (rng.range_f64(0.2, 2.0), rng.range_f64(0.0, 6.0));
        let axis = V3::from_f32(rng.vec3(1.0)).normalize_or(V3::X);
        let mut times: Vec<f64> = (0..samples).map(|i| i as f64 / rate).collect();
        if joints < 1000 && style != Style::Flips && rng.one_in(4) {
            times =
                times.into_iter().map(|t| smaller(t + rng.range_f64(0.0, 0.4) / rate, duration_s)).collect();
            times.dedup();
        }
        let noise = if style == Style::Noisy { 0.05 } else { 0.0 };
        let mut wave = |t: f64| libm::sin(t * f * 6.0 + phase) + noise * rng.range_f64(-1.0, 1.0);
        let curve = if style == Style::Stepped { Curve::Step } else { Curve::Linear };
        let rotation = times.iter().enumerate().map(|(i, t)| {
            let flip = if style == Style::Flips && i % 3 == 0 { core::f64::consts::PI * 0.9999 } else { 0.0 };
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            (*t, Q4::from_axis_angle(axis, wave(*t) + flip).scaled(sign))
        });
        let rotation = Channel::new(curve, rotation);
        let translation = times.iter().map(|t| (*t, V3::new(0.0, 0.2 + 0.1 * wave(*t), 0.02)));
        let translation = Channel::new(curve, translation);
        let mut track = RawTrack { rotation, ..Default::default() };
        if rng.one_in(3) {
            track.translation = translation;
        }
        if style == Style::Scaled {
            let scale = |t: &f64| {
                let s = 1.0 + 0.3 * libm::sin(t * 5.0 + phase);
                (*t, V3::new(s, s * 1.1, -s))
            };
            track.scale = Channel::new(curve, times.iter().map(scale));
        }
        track
    };
    let tracks = (0..joints).map(|_| track(rng)).collect();
    RawAnimation { name: "motion".into(), duration_s, looping: false, additive: false, tracks }
}

#[test]
fn the_bound_holds_on_every_kind_of_motion() {
    let mut rng = Rng::new(1);
    for style in [Style::Smooth, Style::Noisy, Style::Stepped, Style::Scaled, Style::Flips] {
        for (joints, samples) in [(1, 1), (1, 2), (3, 3), (7, 40), (20, 30), (2, 200)] {
            let s = fan(joints, &mut rng);
            let a = motion(style, joints, samples, &mut rng);
            // Scales multiply down a chain: f32 itself is no better than this then.
            let precision = if style == Style::Scaled { 1e-3 } else { 1e-4 };
            let builder = ClipBuilder { precision, ..Default::default() };
            must_hold(&builder, &s, &a, &format!("{style:?}, {joints} joints, {samples} samples"));
        }
    }
}

#[test]
fn the_bound_holds_for_many_joints_and_many_samples() {
    let mut rng = Rng::new(2);
    for (joints, samples, precision) in [(300, 12, 1e-2), (2000, 8, 1e-1), (3, 10_000, 1e-3)] {
        let s = fan(joints, &mut rng);
        let a = motion(Style::Noisy, joints, samples, &mut rng);
        let builder = ClipBuilder { precision, effort: Effort::Fast, ..Default::default() };
        must_hold(&builder, &s, &a, &format!("{joints} joints, {samples} samples"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_bound_holds_for_random_clips(
        seed: u64,
        style in 0..5_usize,
        joints in 1..14_usize,
        samples in 1..70_usize,
        octave in 0..7_i32,
        rows: bool,
        hard: bool,
    ) {
        let mut rng = Rng::new(seed);
        let style = [Style::Smooth, Style::Noisy, Style::Stepped, Style::Scaled, Style::Flips][style];
        let (s, a) = (fan(joints, &mut rng), motion(style, joints, samples, &mut rng));
        let finest = if style == Style::Scaled { 1e-3 } else { 1e-4 };
        let builder = ClipBuilder {
            precision: finest * libm::exp2(f64::from(octave)),
            form: if rows { Form::Rows } else { Form::Keys },
            effort: if hard { Effort::Default } else { Effort::Fast },
            ..Default::default()
        };
        must_hold(&builder, &s, &a, &format!("{seed}: {style:?}, {joints} joints, {samples} samples, {builder:?}"));
    }
}

#[test]
fn the_bound_holds_for_every_curve_and_keys_at_any_times() {
    let mut rng = Rng::new(3);
    for case in 0..24 {
        let joints = 1 + rng.below(4);
        let s = SkeletonBuilder::build(&generate::raw_skeleton(&mut rng, joints)).unwrap();
        let a = generate::raw_animation(&mut rng, joints);
        let builder = ClipBuilder { precision: 2e-3, shell: 0.1, ..Default::default() };
        must_hold(&builder, &s, &a, &format!("case {case}, {joints} joints"));
    }
}

#[test]
fn known_values_come_through() {
    let s = fan(1, &mut Rng::new(4));
    let keys = [(0.0, 2.0), (0.2, 6.0), (0.4, 8.0), (0.6, 10.0), (1.0, 11.0)];
    let translation = Channel::new(Curve::Linear, keys.map(|(t, x)| (t, V3::new(x, 0.0, 0.0))));
    let turn = [(0.0, Q4::new(0.0, 0.0, 0.0, -1.0)), (1.0, Q4::new(0.0, 1.0, 0.0, 0.0))];
    let late = Channel::new(Curve::Linear, [(0.2, V3::ONE * 7.0), (0.6, V3::ONE * 9.0)]);
    let track = RawTrack { translation, rotation: Channel::new(Curve::Linear, turn), scale: late };
    let a = RawAnimation { duration_s: 1.0, tracks: vec![track], ..Default::default() };
    for reduce in [true, false] {
        let cooked = ClipBuilder { reduce, ..Default::default() }.build(&s, &a).unwrap();
        let mut player = Player::new(&s, &cooked.bytes);
        for (t, x) in [(0.1, 4.0), (0.3, 7.0), (0.5, 9.0)] {
            assert!((player.pose(t)[0].translation.x - x).abs() <= 1e-4);
        }
        for (t, x) in [(0.3, 7.5), (0.0, 7.0), (1.0, 9.0)] {
            assert!((player.pose(t)[0].scale.y - x).abs() <= 1e-2);
        }
        let half = player.pose(0.5)[0].rotation;
        assert!((half.y.abs() - 0.5_f32.sqrt()).abs() < 1e-3 && (half.w.abs() - 0.5_f32.sqrt()).abs() < 1e-3);
    }
}

#[test]
fn without_reduction_every_key_stays_where_and_what_it_was() {
    let mut rng = Rng::new(5);
    let s = fan(6, &mut rng);
    let mut a = motion(Style::Noisy, 6, 25, &mut rng);
    // A channel of equal keys, one with fewer, one with a single key.
    let still = V3::new(0.0, 0.2, 0.0);
    a.tracks[2].scale =
        Channel::new(Curve::Linear, (0..5).map(|i| (f64::from(i) * a.duration_s / 4.0, V3::ONE)));
    a.tracks[4].translation = Channel::new(Curve::Step, [(0.0, still), (a.duration_s, still * 2.0)]);
    a.tracks[5].translation = Channel::new(Curve::Linear, [(a.duration_s * 0.5, still)]);
    let cooked = ClipBuilder { reduce: false, ..Default::default() }.build(&s, &a).unwrap();
    let mut keys = 0;
    let mut player = Player::new(&s, &cooked.bytes);
    for (raw, track) in a.tracks.iter().enumerate() {
        let count = |times: Vec<f64>| match times.len() {
            0 | 1 => times.len(),
            n => n + usize::from(times[0] > 0.0) + usize::from(times[n - 1] < a.duration_s),
        };
        keys += count(track.translation.keys.iter().map(|k| k.time_s).collect());
        keys += count(track.rotation.keys.iter().map(|k| k.time_s).collect());
        keys += count(track.scale.keys.iter().map(|k| k.time_s).collect());
        for k in &track.rotation.keys {
            let q = Q4::from_f32(player.pose(k.time_s)[s.joint_of_raw[raw]].rotation);
            let d = q.near(k.value).plus(k.value.normalize().scaled(-1.0));
            assert!(d.dot(d).sqrt() < 1e-6, "{d:?}");
        }
        for k in &track.translation.keys {
            let v = V3::from_f32(player.pose(k.time_s)[s.joint_of_raw[raw]].translation);
            assert!((v - k.value).length() < 1e-6, "{v:?} for {:?}", k.value);
        }
    }
    assert_eq!(cooked.report.keys_after, keys as u64);
    assert!(cooked.report.within);
}

#[test]
fn a_joint_can_have_a_precision_and_a_shell_of_its_own() {
    let mut rng = Rng::new(6);
    let s = fan(8, &mut rng);
    let a = motion(Style::Noisy, 8, 60, &mut rng);
    let even = ClipBuilder { precision: 1e-3, ..Default::default() };
    let loose = must_hold(&even, &s, &a, "even");
    let own = JointPrecision { joint: 5, precision: Some(1e-5), shell: Some(0.2) };
    let builder = ClipBuilder { joints: vec![own], ..even.clone() };
    let fine = must_hold(&ClipBuilder { shell: 0.03, ..builder }, &s, &a, "one fine joint");
    assert!(loose.report.error.joints[5].worst() > 1e-5);
    assert!(fine.report.error.joints[5].worst() <= 1e-5);
    assert!(fine.report.bytes > loose.report.bytes);
    let mut player = Player::new(&s, &fine.bytes);
    for i in 0..200 {
        let t = a.duration_s * f64::from(i) / 199.0;
        assert!(errors(&s, &a, &player.pose(t), t, 0.2)[5] <= 1.05e-5);
    }
}

#[test]
fn still_channels_cost_nothing_or_one_value() {
    let mut rng = Rng::new(7);
    let s = fan(4, &mut rng);
    let times = || (0..50).map(|i| f64::from(i) / 30.0);
    let rest = |raw: usize| Trs::from_f32(s.skeleton.rest(s.joint_of_raw[raw]));
    let mut a =
        RawAnimation { duration_s: 49.0 / 30.0, tracks: vec![RawTrack::default(); 4], ..Default::default() };
    a.tracks[1].translation = Channel::new(Curve::Linear, times().map(|t| (t, rest(1).translation)));
    // Moves by a thousandth of the precision.
    let trembling = times().map(|t| (t, V3::new(0.5, 1e-7 * libm::sin(t), 0.0)));
    a.tracks[2].translation = Channel::new(Curve::Linear, trembling);
    let cooked = must_hold(&ClipBuilder::default(), &s, &a, "still");
    let clip = Clip::from_bytes(&cooked.bytes).unwrap();
    assert_eq!((clip.view().channel_count(), clip.view().constant_count()), (0, 1));
    assert_eq!(cooked.report.keys_after, 1);
}

#[test]
fn smooth_motion_needs_few_keys() {
    let mut rng = Rng::new(8);
    let s = fan(2, &mut rng);
    let turn = |t: f64| Q4::from_axis_angle(V3::Y, libm::sin(t));
    let mut a = RawAnimation { duration_s: 5.0, tracks: vec![RawTrack::default(); 2], ..Default::default() };
    a.tracks[0].rotation =
        Channel::new(Curve::Linear, (0..=300).map(|i| (f64::from(i) / 60.0, turn(f64::from(i) / 60.0))));
    let cooked =
        must_hold(&ClipBuilder { precision: 1e-3, form: Form::Keys, ..Default::default() }, &s, &a, "smooth");
    assert!(cooked.report.keys_after < 100, "{} keys", cooked.report.keys_after);
    assert_eq!(cooked.report.keys_before, 301);
}

#[test]
fn a_precision_beyond_f32_is_refused_with_its_joint() {
    let mut rng = Rng::new(10);
    let s = fan(3, &mut rng);
    let a = motion(Style::Noisy, 3, 10, &mut rng);
    match (ClipBuilder { precision: 1e-12, ..Default::default() }).build(&s, &a) {
        Err(CookError::TooFine { error, precision, .. }) => assert!(error > precision && precision == 1e-12),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_vertex_beyond_f32_is_refused_before_any_search() {
    let (s, mut mesh, a) = scaled_arm(1.0);
    mesh.positions[5] = [4e8, 0.0, 0.0];
    let mut skin = SkinReach::default();
    skin.add(&s, &mesh, &[]);
    for form in [Form::Auto, Form::Rows, Form::Keys] {
        let builder = ClipBuilder { form, skin: Some(Arc::new(skin.clone())), ..Default::default() };
        match builder.build(&s, &a) {
            // At the first look at the source as f32; a search would end with its worst moment.
            Err(CookError::TooFine { name, error, precision, time_s, .. }) => {
                assert_eq!((&*name, precision, time_s), ("bone3", builder.precision, 0.0));
                assert!(error > 64.0 * precision, "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let s = fan(2, &mut Rng::new(11));
    let good = motion(Style::Smooth, 2, 10, &mut Rng::new(11));
    let build = |b: ClipBuilder| b.build(&s, &good).map(|c| c.report.bytes);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let b = ClipBuilder { precision: bad, ..Default::default() };
        assert!(matches!(build(b), Err(CookError::Precision { .. })));
        let b = ClipBuilder { shell: bad, ..Default::default() };
        assert!(matches!(build(b), Err(CookError::Shell { .. })));
        let own = JointPrecision { joint: 1, precision: Some(bad), shell: None };
        let b = ClipBuilder { joints: vec![own], ..Default::default() };
        assert!(matches!(build(b), Err(CookError::Precision { .. })));
        let b = ClipBuilder { jumps: Some(Jumps::Every(bad)), ..Default::default() };
        assert!(matches!(build(b), Err(CookError::Jumps { .. })));
    }
    let own = JointPrecision { joint: 2, precision: None, shell: None };
    let b = ClipBuilder { joints: vec![own], ..Default::default() };
    assert_eq!(build(b), Err(CookError::Joint { joint: 2, joints: 2 }));
    let b = ClipBuilder { form: Form::Rows, jumps: Some(Jumps::Every(0.5)), ..Default::default() };
    assert_eq!(build(b), Err(CookError::JumpsOfRows));
    let b = ClipBuilder { jumps: Some(Jumps::At(vec![99.0])), ..Default::default() };
    assert!(matches!(build(b), Err(CookError::Jumps { value: 99.0, .. })));
    let other = fan(3, &mut Rng::new(12));
    assert!(matches!(ClipBuilder::default().build(&other, &good), Err(CookError::Animation(_))));
    let none = RawAnimation { duration_s: 0.0, ..good.clone() };
    assert!(matches!(ClipBuilder::default().build(&s, &none), Err(CookError::Animation(_))));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let s = fan(9, &mut Rng::new(13));
    let a = motion(Style::Noisy, 9, 40, &mut Rng::new(13));
    let cook = || ClipBuilder::default().build(&s, &a).unwrap();
    assert_eq!(cook(), cook());
}

#[test]
fn sixteen_thousand_joints_and_an_hour_both_cook() {
    let mut rng = Rng::new(14);
    let many = 16_384;
    let joint = |j: usize| RawJoint {
        name: String::new(),
        parent: (j > 0).then(|| (j - 1) / 3),
        rest: Trs::from_translation(V3::new(0.0, 0.1, 0.0)),
    };
    let s = SkeletonBuilder::build(&RawSkeleton { joints: (0..many).map(joint).collect() }).unwrap();
    let a = motion(Style::Smooth, many, 4, &mut rng);
    let builder = ClipBuilder { precision: 1e-3, effort: Effort::Fast, ..Default::default() };
    let cooked = builder.build(&s, &a).unwrap();
    assert!(cooked.report.within);
    let mut player = Player::new(&s, &cooked.bytes);
    let worst = errors(&s, &a, &player.pose(a.duration_s * 0.3), a.duration_s * 0.3, 0.03);
    assert!(worst.iter().all(|e| *e <= 1e-3));

    let s = fan(2, &mut rng);
    let mut a =
        RawAnimation { duration_s: 3600.0, tracks: vec![RawTrack::default(); 2], ..Default::default() };
    let turn = |i: i32| (f64::from(i) / 10.0, Q4::from_axis_angle(V3::Y, libm::sin(f64::from(i) * 0.07)));
    a.tracks[0].rotation = Channel::new(Curve::Linear, (0..=36_000).map(turn));
    must_hold(
        &ClipBuilder { precision: 1e-3, effort: Effort::Fast, ..Default::default() },
        &s,
        &a,
        "an hour",
    );
}

#[test]
fn a_budget_gives_the_smallest_error_that_fits() {
    let mut rng = Rng::new(77);
    let (s, a) = (fan(12, &mut rng), motion(Style::Smooth, 12, 90, &mut rng));
    let builder = ClipBuilder { effort: Effort::Fast, ..Default::default() };
    let usual = must_hold(&builder, &s, &a, "usual").report;
    for share in [0.6, 1.0, 1.3] {
        let budget = (usual.bytes as f64 * share) as u64;
        let clip = ClipBuilder { budget: Some(budget), ..builder.clone() }.build(&s, &a).unwrap();
        assert!(clip.report.bytes <= budget && clip.report.within);
        // Not far below what is allowed, and the more is allowed the smaller the error.
        assert!(clip.report.bytes as f64 > budget as f64 * 0.9, "{} of {budget}", clip.report.bytes);
        let (error, before) = (clip.report.error.worst(), usual.error.worst());
        assert!(if share > 1.0 { error < before } else { error >= before * 0.9 }, "{error} against {before}");
    }
    let refused = ClipBuilder { budget: Some(100), ..builder }.build(&s, &a);
    assert!(
        matches!(refused, Err(CookError::Budget { budget: 100, smallest }) if smallest > 100),
        "{refused:?}"
    );
}
