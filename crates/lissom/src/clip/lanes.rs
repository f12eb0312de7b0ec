//! What evaluation does in both forms.

use crate::JointLod;
use lissom_math::simd::{LEN, Simd};

/// The lanes of a mask that fall into the native vector at `at`.
#[inline(always)]
pub(super) fn part<S: Simd>(mask: u16, at: usize) -> u32 {
    (u32::from(mask) >> at) & ((1 << LEN::<S>()) - 1)
}

/// Once, and not in every loop of every backend.
#[inline(never)]
pub(super) fn contains(lod: &JointLod, group: usize) -> bool {
    lod.contains_group(group)
}
