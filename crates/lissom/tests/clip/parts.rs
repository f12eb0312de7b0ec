//! Parts of a pose: one joint, one channel, a level of detail.

use crate::common::clips::{long_plan, skeleton};
use lissom::{
    Clip, Cursor, JointMask, Skeleton,
    job::{ChannelValue, JointChannel},
    job::{JobError, JointLod, SampleJob, SampleTime},
    math::{
        Transform,
        soa::{self, GROUP, SoaTransform},
    },
};
use lissom_build::cook::encode;
use lissom_testkit::compare::assert_same_pose;
use lissom_testkit::rng::Rng;

fn rig(joints: usize) -> (Skeleton, Clip) {
    let skeleton = skeleton(joints);
    let clip =
        Clip::from_bytes(&encode(&long_plan(&mut Rng::new(59), &skeleton, 3.0, 0.5)).unwrap()).unwrap();
    (skeleton, clip)
}

fn sample(
    skeleton: &Skeleton,
    clip: &Clip,
    time: SampleTime,
    lod: Option<&JointLod>,
    out: &mut [SoaTransform],
) {
    let cursor = &mut Cursor::new();
    SampleJob { skeleton, clip: clip.view(), time, lod, cursor, output: out }.run().unwrap();
}

fn bits(t: Transform) -> [u32; 10] {
    t.to_array().map(f32::to_bits)
}

#[test]
fn one_joint_and_one_channel_have_the_bits_of_the_whole_pose() {
    let (skeleton, clip) = rig(67);
    for time in [
        SampleTime::Clamped(-1.0),
        SampleTime::Clamped(1.234),
        SampleTime::Wrapped(100.01),
        SampleTime::Ratio(0.5),
        SampleTime::Clamped(9.0),
    ] {
        let mut pose = vec![SoaTransform::IDENTITY; skeleton.group_count()];
        sample(&skeleton, &clip, time, None, &mut pose);
        for joint in 0..skeleton.joint_count() {
            let expected = soa::lane(&pose, joint);
            let one = clip.view().sample_joint(&skeleton, joint, time).unwrap();
            assert_eq!(bits(one), bits(expected), "joint {joint} at {time:?}");
            let channel = |c| clip.view().sample_channel(&skeleton, joint, c, time).unwrap();
            assert_eq!(
                channel(JointChannel::Translation),
                ChannelValue::Translation(expected.translation),
                "joint {joint}"
            );
            assert_eq!(channel(JointChannel::Rotation), ChannelValue::Rotation(expected.rotation));
            assert_eq!(channel(JointChannel::Scale), ChannelValue::Scale(expected.scale));
        }
    }
}

#[test]
fn one_joint_refuses_what_a_job_refuses() {
    let (ours, clip) = rig(20);
    let at = |skeleton: &Skeleton, joint, time| clip.view().sample_joint(skeleton, joint, time);
    let start = SampleTime::Clamped(0.0);
    assert_eq!(at(&ours, 20, start), Err(JobError::NoSuchJoint { field: "joint", joint: 20, joints: 20 }));
    assert!(matches!(at(&ours, 0, SampleTime::Ratio(f64::NAN)), Err(JobError::Value { field: "time", .. })));
    assert!(matches!(at(&skeleton(21), 0, start), Err(JobError::OtherSkeleton { field: "clip", .. })));
}

/// Samples at a level into an output that holds something else everywhere: groups of the level get the bits of
/// the whole pose, the others keep what they had.
fn level_writes_its_groups_alone(
    skeleton: &Skeleton,
    clip: &Clip,
    lod: &JointLod,
    expected_groups: &[usize],
) {
    let (joints, groups) = (skeleton.joint_count(), skeleton.group_count());
    let before =
        soa::from_transforms(&vec![Transform::from_array([f32::from_bits(0x7fc1_2345); 10]); joints]);
    for time in [0.0, 0.51, 2.9].map(SampleTime::Clamped) {
        let mut whole = vec![SoaTransform::IDENTITY; groups];
        sample(skeleton, clip, time, None, &mut whole);
        let mut level = before.clone();
        sample(skeleton, clip, time, Some(lod), &mut level);
        for group in 0..groups {
            let first = group * GROUP;
            let last = (first + GROUP).min(joints);
            let inside = expected_groups.contains(&group);
            let expected = if inside { &whole } else { &before };
            assert_same_pose(
                &format!("group {group} at {time:?}"),
                &level[group..=group],
                &expected[group..=group],
                last - first,
            );
            assert_eq!((first..last).any(|j| lod.contains(j)), inside);
        }
    }
}

#[test]
fn a_prefix_writes_its_groups_and_leaves_the_others() {
    let (skeleton, clip) = rig(67);
    level_writes_its_groups_alone(&skeleton, &clip, &JointLod::prefix(0), &[]);
    level_writes_its_groups_alone(&skeleton, &clip, &JointLod::prefix(16), &[0]);
    level_writes_its_groups_alone(&skeleton, &clip, &JointLod::prefix(17), &[0, 1]);
    level_writes_its_groups_alone(&skeleton, &clip, &JointLod::prefix(1000), &[0, 1, 2, 3, 4]);
}

#[test]
fn a_mask_writes_its_groups_and_leaves_the_others() {
    // A root with 66 children, so that a mask may leave groups out in the middle.
    let parents: Vec<Option<u16>> = (0..67).map(|j| (j > 0).then_some(0)).collect();
    let names: Vec<String> = (0..67).map(|j| format!("joint {j}")).collect();
    let rest = vec![Transform::IDENTITY; 67];
    let parts = lissom::SkeletonParts { parents: &parents, names: &names, rest: &rest };
    let skeleton = Skeleton::new(parts).unwrap();
    let clip =
        Clip::from_bytes(&encode(&long_plan(&mut Rng::new(61), &skeleton, 3.0, 0.5)).unwrap()).unwrap();
    let mut mask = JointMask::none(&skeleton);
    mask.insert(0);
    mask.insert(40);
    mask.insert(66);
    let lod = JointLod::from_mask(&skeleton, mask).unwrap();
    level_writes_its_groups_alone(&skeleton, &clip, &lod, &[0, 2, 4]);
    let mut output = vec![SoaTransform::IDENTITY; 2];
    let other = crate::common::clips::skeleton(20);
    let clip = Clip::from_bytes(&encode(&long_plan(&mut Rng::new(61), &other, 3.0, 0.5)).unwrap()).unwrap();
    let refused = SampleJob {
        skeleton: &other,
        clip: clip.view(),
        time: SampleTime::Clamped(0.0),
        lod: Some(&lod),
        cursor: &mut Cursor::new(),
        output: &mut output,
    }
    .run();
    assert!(matches!(refused, Err(JobError::Mismatch { field: "lod", found: 67, expected: 20, .. })));
    assert_eq!(output, vec![SoaTransform::IDENTITY; 2]);
}
