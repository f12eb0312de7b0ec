//! What the clip tests share.

use lissom::{Clip, Skeleton, SkeletonParts, math::Transform};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{
        ClipBuilder, ClipPlan, Effort, Form, Jumps, PlanChannel, PlanKeys, PlanTrack, TimePoints, encode,
    },
    exact::{Q4, Trs, V3},
    raw::{Curve, Key, RawAnimation, RawJoint, RawSkeleton, RawTrack},
};
use lissom_testkit::{generate::v3, rng::Rng};

/// A chain of joints with a rest pose that differs from joint to joint.
pub fn skeleton(joints: usize) -> Skeleton {
    let parents: Vec<_> = (0..joints as u16).map(|j| j.checked_sub(1)).collect();
    let names: Vec<_> = (0..joints).map(|j| format!("joint {j}")).collect();
    let rest: Vec<_> = (0..joints)
        .map(|j| Transform { translation: V3::new(0.0, j as f64, 0.5).to_f32(), ..Transform::IDENTITY })
        .collect();
    Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).unwrap()
}

/// Every joint turns, every third one moves too; keys on a third of the rows.
pub fn long_plan(rng: &mut Rng, skeleton: &Skeleton, seconds: f64, jump_s: f64) -> ClipPlan {
    let rows = (seconds * 30.0) as u32 + 1;
    let mut channels = Vec::new();
    for joint in 0..skeleton.joint_count() as u16 {
        let keyed = |rng: &mut Rng| -> Vec<u32> {
            (0..rows).filter(|r| *r == 0 || *r == rows - 1 || rng.below(3) == 0).collect()
        };
        if joint % 3 == 0 {
            let keys = keyed(rng).into_iter().map(|r| (r, v3(rng, 1.0))).collect();
            let track = PlanTrack { curve: Curve::Linear, keys, tolerance: 1e-3 };
            channels.push(PlanChannel { joint, keys: PlanKeys::Translation(track) });
        }
        let mut q = Q4::IDENTITY;
        let turn = |r: u32, rng: &mut Rng| {
            q = (q * Q4::from_axis_angle(v3(rng, 1.0).normalize_or(V3::X), 0.2)).normalize();
            (r, q)
        };
        let mut turn = turn;
        let keys = keyed(rng).into_iter().map(|r| turn(r, rng)).collect();
        let curve = if joint % 4 == 1 { Curve::Hermite } else { Curve::Linear };
        let track = PlanTrack { curve, keys, tolerance: 1e-3 };
        channels.push(PlanChannel { joint, keys: PlanKeys::Rotation(track) });
    }
    ClipPlan {
        name: "long".into(),
        looping: false,
        times: TimePoints::Uniform { rate: 30.0, count: rows },
        joint_count: skeleton.joint_count(),
        skeleton_identity: skeleton.identity(),
        channels,
        jumps: Jumps::Every(jump_s),
    }
}

/// A clip in the rows form: every joint of a branching skeleton turns at every row, every fifth one moves too.
pub fn rows_clip(joints: usize, rows: usize, rate: f64) -> (BuiltSkeleton, Clip) {
    let mut rng = Rng::new(joints as u64);
    let joint = |j: usize| RawJoint {
        name: format!("j{j}"),
        // Chains, and branches that start a few joints back.
        parent: j.checked_sub(if j % 6 == 5 { 4 } else { 1 }),
        rest: Trs::from_translation(V3::new(0.0, 0.2, 0.01 * j as f64)),
    };
    let raw = RawSkeleton { joints: (0..joints).map(joint).collect() };
    let skeleton = SkeletonBuilder::build(&raw).unwrap();
    let track = |j: usize| {
        let (phase, axis) = (rng.unit_f64() * 6.0, v3(&mut rng, 1.0).normalize_or(V3::X));
        let wave = |i: usize| libm::sin(i as f64 * 0.37 + phase);
        let time = |i: usize| i as f64 / rate;
        let mut track = RawTrack::default();
        let turn = |i| Key { time_s: time(i), value: Q4::from_axis_angle(axis, 0.4 * wave(i)) };
        track.rotation.keys = (0..rows).map(turn).collect();
        if j.is_multiple_of(5) {
            let step = |i| Key { time_s: time(i), value: V3::new(wave(i), 0.2, 0.02 * i as f64) };
            track.translation.keys = (0..rows).map(step).collect();
        }
        track
    };
    let tracks = (0..joints).map(track).collect();
    let duration_s = (rows - 1) as f64 / rate;
    let animation = RawAnimation { name: "rows".into(), duration_s, looping: false, additive: false, tracks };
    let builder = ClipBuilder { form: Form::Rows, effort: Effort::Fast, ..ClipBuilder::default() };
    let clip = Clip::from_bytes(&builder.build(&skeleton, &animation).unwrap().bytes).unwrap();
    assert_eq!(clip.view().row_count(), rows as u32);
    (skeleton, clip)
}

/// A clip in the keys form, with jump frames.
pub fn keys_clip(joints: usize, seconds: f64, jump_s: f64) -> (Skeleton, Clip) {
    let skeleton = skeleton(joints);
    let plan = long_plan(&mut Rng::new(joints as u64), &skeleton, seconds, jump_s);
    (skeleton, Clip::from_bytes(&encode(&plan).unwrap()).unwrap())
}
