//! Golden hashes: the same number for the same poses on every machine, backend and thread count.
//!
//! Values are hashed joint by joint (not group by group), so the width of a group does not count. Any NaN
//! hashes as any other.

use crate::compare::Components;
use lissom::hash::Fnv64;
use lissom_math::soa::{self, SoaTransform};

/// The hash of plain values in order.
#[must_use]
pub fn hash<T: Components>(values: &[T]) -> u64 {
    extend(Fnv64::new(), values).finish()
}

/// Adds plain values to a hash.
#[must_use]
pub fn extend<T: Components>(hash: Fnv64, values: &[T]) -> Fnv64 {
    values.iter().fold(hash, |hash, v| (0..T::NAMES.len()).fold(hash, |hash, i| hash.f32(v.component(i))))
}

/// The hash of the first `joints` joints of a pose.
///
/// # Panics
///
/// If the pose holds fewer joints.
#[must_use]
pub fn hash_pose(pose: &[SoaTransform], joints: usize) -> u64 {
    hash(&soa::to_transforms(pose, joints))
}
