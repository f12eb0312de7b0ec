//! The mannequin's clips at every jump spacing: every way to a time gives the same bits, within the precision.

use lissom::{
    Clip, Cursor, Skeleton,
    job::{SampleJob, SampleTime},
    math::soa::{self, SoaTransform},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, Effort, Form, Jumps},
    exact::{M34, Trs, V3, larger},
    mannequin,
    raw::RawAnimation,
};
use lissom_testkit::compare::assert_same_pose;
use lissom_testkit::rng::Rng;

const TIMES: usize = 2000;

fn sample(skeleton: &Skeleton, clip: &Clip, cursor: &mut Cursor, time_s: f64, output: &mut [SoaTransform]) {
    let time = SampleTime::Wrapped(time_s);
    SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output }.run().unwrap();
}

/// Frames at 60 Hz by a clock that trembles up to a millisecond, over as many loops as it takes: each loop meets
/// the clip at other times.
fn frames(rng: &mut Rng) -> Vec<f64> {
    (0..TIMES).map(|i| if i == 0 { 0.0 } else { i as f64 / 60.0 + rng.signed_f64() * 1e-3 }).collect()
}

fn every_way_agrees(form: Form, jumps: Option<Jumps>) {
    let skeleton = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let builder = ClipBuilder { form, jumps: jumps.clone(), effort: Effort::Fast, ..ClipBuilder::default() };
    let mut rng = Rng::new(41);
    let animations = mannequin::clips();
    assert_eq!(animations.len(), mannequin::Motion::ALL.len());
    for animation in &animations {
        let what = format!("{}, jumps {jumps:?}", animation.name);
        let cooked = builder.build(&skeleton, animation).unwrap();
        assert!(cooked.report.within, "{what}: {}", cooked.report.error.worst());
        let clip = Clip::from_bytes(&cooked.bytes).unwrap();
        let spacing = if let Some(Jumps::Every(s)) = jumps { s } else { f64::INFINITY };
        // No jump frame stands at the end.
        let mut blocks = larger((animation.duration_s / spacing - 1e-9).ceil(), 1.0) as usize;
        if form == Form::Rows {
            // A loop that ends where it began leaves its last row out.
            let stored = clip.view().row_count() - u32::from(cooked.bytes[7] >> 7);
            blocks = stored.div_ceil(16) as usize;
        }
        assert_eq!(clip.view().block_count(), blocks, "{what}");
        agrees(&skeleton.skeleton, &clip, &mut rng, &what);
        stays_within(&skeleton, animation, &clip, builder.precision, builder.shell, &mut rng, &what);
    }
}

fn agrees(skeleton: &Skeleton, clip: &Clip, rng: &mut Rng, what: &str) {
    let times = frames(rng);
    let joints = skeleton.joint_count();
    let blank = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut forward = Cursor::new();
    let mut ahead = vec![blank.clone(); TIMES];
    for (t, pose) in times.iter().zip(&mut ahead) {
        sample(skeleton, clip, &mut forward, *t, pose);
    }
    let mut order: Vec<usize> = (0..TIMES).collect();
    for i in (1..TIMES).rev() {
        order.swap(i, rng.below(i + 1));
    }
    let (mut backward, mut wild, mut pose) = (Cursor::new(), Cursor::new(), blank);
    for i in (0..TIMES).rev() {
        sample(skeleton, clip, &mut backward, times[i], &mut pose);
        assert_same_pose(&format!("{what}: backward to {}", times[i]), &pose, &ahead[i], joints);
    }
    for i in order {
        sample(skeleton, clip, &mut wild, times[i], &mut pose);
        assert_same_pose(&format!("{what}: jump to {}", times[i]), &pose, &ahead[i], joints);
        sample(skeleton, clip, &mut Cursor::new(), times[i], &mut pose);
        assert_same_pose(&format!("{what}: fresh at {}", times[i]), &pose, &ahead[i], joints);
    }
}

/// The error in model space at random times. The cooker looks at a fixed number of times between keys; 2 % is what
/// the true maximum may lie above the largest of those.
fn stays_within(
    skeleton: &BuiltSkeleton,
    animation: &RawAnimation,
    clip: &Clip,
    precision: f64,
    shell: f64,
    rng: &mut Rng,
    what: &str,
) {
    let joints = &skeleton.skeleton;
    let mut cursor = Cursor::new();
    let mut pose = vec![SoaTransform::IDENTITY; joints.group_count()];
    for _ in 0..50 {
        let t = rng.unit_f64() * animation.duration_s;
        sample(joints, clip, &mut cursor, t, &mut pose);
        let mut models: Vec<(M34, M34)> = Vec::new();
        for j in 0..joints.joint_count() {
            let rest = Trs::from_f32(joints.rest(j));
            let source = animation.tracks[skeleton.raw_of_joint[j]].sample(t, rest).to_m34();
            let played = Trs::from_f32(soa::lane(&pose, j)).to_m34();
            let pair = match joints.parent(j) {
                Some(p) => (models[p].0.mul(&source), models[p].1.mul(&played)),
                None => (source, played),
            };
            for axis in [V3::X, V3::Y, V3::Z] {
                let off = (pair.0.mul_point(axis * shell) - pair.1.mul_point(axis * shell)).length();
                assert!(off <= precision * 1.02, "{what}: {off} at {t}, joint {}", joints.name(j));
            }
            models.push(pair);
        }
    }
}

#[test]
fn every_way_agrees_without_jump_frames() {
    every_way_agrees(Form::Keys, Some(Jumps::None));
}

#[test]
fn every_way_agrees_with_jump_frames_every_2_s() {
    every_way_agrees(Form::Keys, Some(Jumps::Every(2.0)));
}

#[test]
fn every_way_agrees_with_jump_frames_every_second() {
    every_way_agrees(Form::Keys, Some(Jumps::Every(1.0)));
}

#[test]
fn every_way_agrees_with_jump_frames_every_half_second() {
    every_way_agrees(Form::Keys, Some(Jumps::Every(0.5)));
}

#[test]
fn every_way_agrees_with_jump_frames_every_quarter_second() {
    every_way_agrees(Form::Keys, Some(Jumps::Every(0.25)));
}

#[test]
fn every_way_agrees_on_rows() {
    every_way_agrees(Form::Rows, None);
}
