//! The mannequin's motions on another human, pose by pose: other names, other proportions, another rest pose.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::job::{RetargetJob, RetargetScratch};
use lissom_build::{
    SkeletonBuilder,
    exact::Q4,
    mannequin::{self, Motion},
    raw::RawSkeleton,
    retarget::{Bone, BoneMap, Goals, Part, Preset, Retarget, Side},
};
use lissom_draw::palette;
use lissom_examples::{Actor, bones};

/// A child with Mixamo's names: shorter, of which the legs more than the rest, in a T-pose.
fn child() -> RawSkeleton {
    let mut skeleton = mannequin::skeleton();
    let map = BoneMap::by_preset(&skeleton, Preset::Mannequin);
    let is_leg = |part| matches!(part, Part::LowerLeg | Part::Foot);
    for (index, joint) in skeleton.joints.iter_mut().enumerate() {
        let bone = map.joints.iter().find(|(_, joint)| **joint == index).map(|(bone, _)| *bone);
        joint.name = bone.and_then(|bone| Preset::Mixamo.name(bone)).unwrap_or(format!("extra_{index}"));
        joint.rest.translation = joint.rest.translation * 0.68;
        if bone.is_some_and(|bone| is_leg(bone.part)) {
            joint.rest.translation = joint.rest.translation * 0.85;
        }
    }
    let arm = |side| map.joints.get(&Bone { part: Part::UpperArm, side }).copied();
    for joint in [Side::Left, Side::Right].into_iter().filter_map(arm) {
        skeleton.joints[joint].rest.rotation = Q4::IDENTITY;
    }
    skeleton
}

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Walk, Motion::Run, Motion::Wave, Motion::Crouch])?;
    let (own, other) = (mannequin::skeleton(), child());
    // Once, when a character is loaded: who is who, and what is not matched.
    let maps = [BoneMap::guess(&own), BoneMap::guess(&other)];
    let goals = Goals { feet: true, ..Goals::default() };
    let pair = Retarget::new((&own, &maps[0]), (&other, &maps[1]), goals)?;
    println!(
        "by the names of {:?}; legs are {:.2} as long",
        maps[1].preset.context("a rig")?,
        pair.report().ratio
    );
    pair.report().notes().iter().for_each(|note| println!("{note}"));
    let (source, target) = (SkeletonBuilder::build(&own)?, SkeletonBuilder::build(&other)?);
    let plan = pair.plan(&source, &target);

    // Every frame.
    let mut scratch = RetargetScratch::new(&source.skeleton, &target.skeleton);
    let mut pose = target.skeleton.rest_pose().to_vec();
    let mut figures = Vec::new();
    for (clip, ratio) in [("walk", 0.05), ("walk", 0.4), ("run", 0.1), ("wave", 0.5), ("crouch", 0.5)] {
        let input = actor.pose(clip, ratio)?;
        RetargetJob {
            plan: &plan,
            source: &source.skeleton,
            target: &target.skeleton,
            input: &input,
            scratch: &mut scratch,
            output: &mut pose,
        }
        .run()?;
        let mut figure = actor.figure(clip, palette::SAGE, &input)?;
        figure.rods = bones(&target.skeleton, &pose, [0.7, 0.0, 0.0], palette::CLAY)?;
        figures.push(figure);
    }
    actor.strip("retarget", [0.5, 0.15, 1.0], &figures)
}
