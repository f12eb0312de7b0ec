//! Feet of a blend of gaits: between a walk and a jog no foot stands still by itself; held, they do.
#![allow(clippy::print_stdout, reason = "figures for who asks with --nocapture")]

use lissom::{
    job::{
        BlendJob, BlendLayer, FootLock, FootLockRule, LocalToModelJob, Models, TwoBoneCorrection,
        TwoBoneIkJob, Update,
    },
    math::{
        Mat34, Quat, Vec3,
        scalar::{add, length, quat_mul, sub},
        soa::{self, SoaTransform},
    },
    track::{Playhead, Repeat, Timeline, TrackView},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    mannequin::{self, Motion},
    raw::{RawAnimation, RawUserTrack, RootMotionRule},
};
use lissom_motion::{RootStep, root::RootMotion};

const DT_S: f64 = 1.0 / 60.0;

/// A gait without its travel, and its travel.
struct Gait {
    motion: RawAnimation,
    travel: [Travel; 2],
}

struct Travel {
    raw: RawUserTrack,
    ratios: Vec<f32>,
    values: Vec<f32>,
    steps: Vec<u8>,
}

impl Travel {
    fn new(raw: RawUserTrack) -> Self {
        let components = raw.kind.components();
        let ratios = raw.keys.iter().map(|key| key.ratio as f32).collect();
        let values =
            raw.keys.iter().flat_map(|key| key.value[..components].iter().map(|v| *v as f32)).collect();
        let steps = vec![0; raw.keys.len().div_ceil(8)];
        Self { raw, ratios, values, steps }
    }

    fn view(&self) -> TrackView<'_> {
        TrackView { kind: self.raw.kind, ratios: &self.ratios, values: &self.values, steps: &self.steps }
    }
}

impl Gait {
    fn new(motion: Motion) -> Self {
        let skeleton = mannequin::skeleton();
        let rooted = mannequin::clip(motion).root_motion(&skeleton, 0, &RootMotionRule::default()).unwrap();
        Self { motion: rooted.motion, travel: rooted.tracks.map(Travel::new) }
    }

    fn pose(&self, built: &BuiltSkeleton, ratio: f64) -> Vec<SoaTransform> {
        let pose = self.motion.pose(&mannequin::skeleton(), ratio * self.motion.duration_s);
        let pose: Vec<_> = built.raw_of_joint.iter().map(|raw| pose[*raw].to_f32()).collect();
        soa::from_transforms(&pose)
    }

    fn step(&self, from: Playhead, to: Playhead, line: &Timeline) -> RootStep {
        let [place, turn] = &self.travel;
        RootMotion { translation: Some(place.view()), rotation: Some(turn.view()) }
            .step(&line.between(from, to))
    }
}

fn joint(built: &BuiltSkeleton, name: &str) -> usize {
    (0..built.skeleton.joint_count()).find(|joint| built.skeleton.name(*joint) == name).unwrap()
}

/// A leg with its bend brought to a target: where its ankle is then.
fn ankle_after(
    locals: &[SoaTransform],
    models: &[Mat34],
    leg: [usize; 3],
    parent: &Mat34,
    target: Vec3,
) -> Vec3 {
    let [hip, knee, ankle] = leg;
    let mut found = TwoBoneCorrection::default();
    let mut job = TwoBoneIkJob::new([&models[hip], &models[knee], &models[ankle]], target, &mut found);
    (job.mid_axis, job.pole) = (Vec3::NEG_X, Vec3::ZERO);
    job.run().unwrap();
    let turned = |joint: usize, q: Quat| {
        let mut local = soa::lane(locals, joint);
        local.rotation = quat_mul(local.rotation, q);
        local.to_mat34()
    };
    let at = parent.mul(&turned(hip, found.start)).mul(&turned(knee, found.mid));
    at.mul(&soa::lane(locals, ankle).to_mat34()).translation()
}

#[test]
fn feet_in_stance_of_a_blend_stand_when_they_are_held() {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let skeleton = &built.skeleton;
    let gaits = [Gait::new(Motion::Walk), Gait::new(Motion::Jog)];
    let (weights, joints) = ([0.6_f32, 0.4], skeleton.joint_count());
    let duration_s: f64 =
        gaits.iter().zip(weights).map(|(gait, weight)| gait.motion.duration_s * f64::from(weight)).sum();
    // One phase for both: a lap of the blend.
    let line = Timeline::new(duration_s, Repeat::Loop).unwrap();
    let mut head = line.start();
    let mut root = RootStep::IDENTITY;
    let legs = ["l", "r"]
        .map(|side| ["thigh", "shin", "foot", "toes"].map(|name| joint(&built, &format!("{name}_{side}"))));
    let hips = joint(&built, "hips");
    let rest = skeleton.rest_pose();
    let mut locks = [FootLock::default(); 2];
    let rule = FootLockRule::default();
    let mut before = [None; 2];
    let (mut free, mut held, mut stood) = (0.0, 0.0, 0);
    let mut output = rest.to_vec();
    for _ in 0..600 {
        let span = line.advance(head, DT_S).unwrap();
        let steps =
            gaits.iter().zip(weights).map(|(gait, weight)| (weight, gait.step(head, span.to(), &line)));
        root = root.then(&RootStep::blended(steps));
        head = span.to();
        let ratio = line.time_s(head) / duration_s;
        let poses = gaits.each_ref().map(|gait| gait.pose(&built, ratio));
        let layers: Vec<_> = poses
            .iter()
            .zip(weights)
            .map(|(pose, weight)| BlendLayer { weight, pose, joint_weights: None })
            .collect();
        BlendJob::new(&layers, rest, &mut output).run().unwrap();
        let mut models = vec![Mat34::IDENTITY; joints];
        LocalToModelJob {
            skeleton,
            locals: &output,
            root: None,
            update: Update::All,
            lod: None,
            models: Models::Mat34(&mut models),
        }
        .run()
        .unwrap();
        let place = root.to_transform().translation;
        for (foot, [hip, knee, ankle, toes]) in legs.into_iter().enumerate() {
            let ball = add(place, models[toes].translation());
            // What a contact marker would say.
            let contact = ball.y < 0.035;
            let shall = locks[foot].update(ball, contact, DT_S as f32, &rule).unwrap();
            let target = add(models[ankle].translation(), sub(shall, ball));
            let ankle_is = ankle_after(&output, &models, [hip, knee, ankle], &models[hips], target);
            // The foot keeps its direction: its ball goes where the ankle goes.
            let ball_is = add(ball, sub(ankle_is, models[ankle].translation()));
            let faster = |worst: f32, a: Vec3, b: Vec3| {
                let speed = length(sub(a, b)) / DT_S as f32;
                if speed > worst { speed } else { worst }
            };
            if let (Some((was, was_is)), true, true) = (before[foot], contact, locks[foot].held) {
                (free, held) = (faster(free, ball, was), faster(held, ball_is, was_is));
                stood += 1;
            }
            before[foot] = contact.then_some((ball, ball_is));
        }
    }
    println!(
        "fastest foot in stance: {:.1} cm/s free, {:.2} cm/s held, {stood} frames",
        free * 100.0,
        held * 100.0
    );
    assert!(stood > 300, "{stood}");
    assert!(free > 0.05, "nothing to hold: {free} m/s");
    assert!(held < 0.02, "{held} m/s");
}
