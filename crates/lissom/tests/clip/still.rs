//! The pose of what does not move: shared, bounded, and no bit of what is played depends on it.

use crate::common::clips::{keys_clip, rows_clip};
use lissom::{
    Clip, Cursor, JointLod, Skeleton,
    clip::ClipView,
    job::{SampleJob, SampleTime},
    math::{simd::Backend, soa::SoaTransform},
};
use lissom_testkit::compare::assert_same_pose;

/// Clips of both forms, whose channels fit one piece of a scratch or take several.
fn clips() -> Vec<(Skeleton, Clip)> {
    let mut list = Vec::new();
    for joints in [1, 16, 21, 31, 50, 67, 300] {
        let (built, clip) = rows_clip(joints, 40, 30.0);
        list.push((built.skeleton, clip));
        list.push(keys_clip(joints, 2.0, 0.5));
    }
    list
}

fn sample(
    skeleton: &Skeleton,
    clip: ClipView<'_>,
    lod: Option<&JointLod>,
    backend: Backend,
) -> Vec<SoaTransform> {
    let mut pose = skeleton.rest_pose().to_vec();
    let mut cursor = Cursor::new();
    for time in [0.4, 0.9] {
        let (time, cursor, output) = (SampleTime::Clamped(time), &mut cursor, &mut pose[..]);
        SampleJob { skeleton, clip, time, lod, cursor, output }.run_on(backend).unwrap();
    }
    pose
}

#[test]
fn with_it_and_without_it_the_bits_are_the_same_on_every_backend() {
    for (skeleton, clip) in clips() {
        let joints = skeleton.joint_count();
        let lods = [None, Some(JointLod::prefix(joints.div_ceil(2))), Some(JointLod::prefix(joints))];
        for lod in &lods {
            let expected =
                sample(&skeleton, clip.view().lean(), lod.as_ref(), Backend::all().next().unwrap());
            for backend in Backend::all() {
                let what = format!("{joints} joints, {backend}, {lod:?}");
                let kept = sample(&skeleton, clip.view(), lod.as_ref(), backend);
                assert_same_pose(&what, &kept, &expected, joints);
                let lean = sample(&skeleton, clip.view().lean(), lod.as_ref(), backend);
                assert_same_pose(&what, &lean, &expected, joints);
            }
        }
    }
}

#[test]
fn it_is_made_by_the_first_sample_and_takes_at_most_48_bytes_a_joint() {
    let mut kept_some = 0;
    for (skeleton, clip) in clips() {
        assert_eq!(clip.view().kept_bytes(), 0);
        sample(&skeleton, clip.view().lean(), None, Backend::best());
        assert_eq!(clip.view().kept_bytes(), 0, "a lean view keeps nothing");
        sample(&skeleton, clip.view(), None, Backend::best());
        let kept = clip.view().kept_bytes();
        assert!(kept <= 48 * skeleton.joint_count(), "{kept} bytes for {} joints", skeleton.joint_count());
        kept_some += usize::from(kept > 0);
        // Who plays a copy of the clip plays the same one.
        assert_eq!(clip.clone().view().kept_bytes(), kept);
    }
    assert!(kept_some >= 6, "{kept_some}");
}

#[test]
fn threads_that_come_at_once_find_the_same() {
    let (built, clip) = rows_clip(67, 40, 30.0);
    let skeleton = &built.skeleton;
    let expected = sample(skeleton, clip.view().lean(), None, Backend::best());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (clip, expected) = (&clip, &expected);
            scope.spawn(move || {
                let found = sample(skeleton, clip.view(), None, Backend::best());
                assert_same_pose("a thread", &found, expected, 67);
            });
        }
    });
}
