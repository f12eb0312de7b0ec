//! The generators as `proptest` strategies. What fails shrinks towards fewer joints and a smaller seed.

use crate::{
    generate,
    rng::{NASTY, Rng},
};
use core::ops::RangeInclusive;
use lissom::Skeleton;
use lissom_build::raw::{RawAnimation, RawSkeleton};
use lissom_math::Transform;
use proptest::prelude::*;

/// A seed and a number of joints, made into something.
fn seeded<T: core::fmt::Debug>(
    joints: RangeInclusive<usize>,
    make: fn(&mut Rng, usize) -> T,
) -> impl Strategy<Value = T> {
    (joints, any::<u64>()).prop_map(move |(joints, seed)| make(&mut Rng::new(seed), joints))
}

/// [`generate::skeleton`]
pub fn skeleton(joints: RangeInclusive<usize>) -> impl Strategy<Value = Skeleton> {
    seeded(joints, generate::skeleton)
}

/// [`generate::raw_skeleton`]
pub fn raw_skeleton(joints: RangeInclusive<usize>) -> impl Strategy<Value = RawSkeleton> {
    seeded(joints, generate::raw_skeleton)
}

/// [`generate::pose`]
pub fn pose(joints: RangeInclusive<usize>) -> impl Strategy<Value = Vec<Transform>> {
    seeded(joints, generate::pose)
}

/// [`generate::nasty_pose`]
pub fn nasty_pose(joints: RangeInclusive<usize>) -> impl Strategy<Value = Vec<Transform>> {
    seeded(joints, generate::nasty_pose)
}

/// [`generate::raw_animation`]
pub fn raw_animation(joints: RangeInclusive<usize>) -> impl Strategy<Value = RawAnimation> {
    seeded(joints, generate::raw_animation)
}

/// A raw skeleton and an animation of it.
pub fn animated(joints: RangeInclusive<usize>) -> impl Strategy<Value = (RawSkeleton, RawAnimation)> {
    seeded(joints, |rng, joints| (generate::raw_skeleton(rng, joints), generate::raw_animation(rng, joints)))
}

/// Any f32, with the ones that break careless code more often than chance has it.
pub fn nasty_f32() -> impl Strategy<Value = f32> {
    prop_oneof![proptest::sample::select(&NASTY[..]), any::<u32>().prop_map(f32::from_bits), -2.0_f32..2.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest! {
        #[test]
        fn strategies_give_valid_things((raw, animation) in animated(1..=40), s in skeleton(1..=40)) {
            prop_assert_eq!(raw.validate(), Ok(()));
            prop_assert_eq!(animation.validate(raw.joints.len()), Ok(()));
            prop_assert!((1..=40).contains(&s.joint_count()));
        }
    }
}
