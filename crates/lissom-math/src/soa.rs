//! Structure-of-arrays groups: the memory that poses are made of.
//!
//! A pose of n joints is `n.div_ceil(GROUP)` groups. Joint j sits in group j / 16, lane j % 16. Every
//! component of a group is its own run of 16 consecutive f32, 64-byte aligned: one AVX-512 register, two
//! of AVX2, four of SSE2, NEON or wasm. The layout is public and fixed; files never store it.
//!
//! | type | bytes | order |
//! |---|---|---|
//! | [`Lanes`] | 64 | 16 × f32 |
//! | [`SoaVec3`] | 192 | x, y, z |
//! | [`SoaQuat`] | 256 | x, y, z, w |
//! | [`SoaTransform`] | 640 | translation, rotation, scale |
//! | [`SoaMat34`] | 768 | columns x, y, z, translation |
//!
//! Lanes past the last joint are spare. Packing fills them with the identity; jobs may write anything
//! finite there and never let them reach another lane.

use crate::{Mat34, Quat, Transform, Vec3};
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};

/// Joints in a group. One constant decides; everything else follows from it.
pub const GROUP: usize = 16;

/// One component of 16 joints.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; GROUP]);

/// 16 vectors.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SoaVec3 {
    /// All x.
    pub x: Lanes,
    /// All y.
    pub y: Lanes,
    /// All z.
    pub z: Lanes,
}

/// 16 quaternions.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SoaQuat {
    /// All x.
    pub x: Lanes,
    /// All y.
    pub y: Lanes,
    /// All z.
    pub z: Lanes,
    /// All w.
    pub w: Lanes,
}

/// 16 local transforms.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SoaTransform {
    /// Translations.
    pub translation: SoaVec3,
    /// Rotations, unit quaternions.
    pub rotation: SoaQuat,
    /// Scales.
    pub scale: SoaVec3,
}

/// 16 affine matrices.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SoaMat34 {
    /// The images of x, y and z, then of the origin.
    pub columns: [SoaVec3; 4],
}

impl Lanes {
    /// The same value in every lane.
    #[must_use]
    pub const fn splat(v: f32) -> Self {
        Self([v; GROUP])
    }
}

impl SoaVec3 {
    /// 0 in every lane.
    pub const ZERO: Self = Self::splat(Vec3::ZERO);
    /// 1 in every lane.
    pub const ONE: Self = Self::splat(Vec3::ONE);

    /// The same vector in every lane.
    #[must_use]
    pub const fn splat(v: Vec3) -> Self {
        Self { x: Lanes::splat(v.x), y: Lanes::splat(v.y), z: Lanes::splat(v.z) }
    }

    /// The vector in lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    #[must_use]
    pub fn lane(&self, i: usize) -> Vec3 {
        Vec3::new(self.x.0[i], self.y.0[i], self.z.0[i])
    }

    /// Writes lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    pub fn set_lane(&mut self, i: usize, v: Vec3) {
        self.x.0[i] = v.x;
        self.y.0[i] = v.y;
        self.z.0[i] = v.z;
    }
}

impl SoaQuat {
    /// The identity in every lane.
    pub const IDENTITY: Self =
        Self { x: Lanes::splat(0.0), y: Lanes::splat(0.0), z: Lanes::splat(0.0), w: Lanes::splat(1.0) };

    /// The quaternion in lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    #[must_use]
    pub fn lane(&self, i: usize) -> Quat {
        Quat::from_xyzw(self.x.0[i], self.y.0[i], self.z.0[i], self.w.0[i])
    }

    /// Writes lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    pub fn set_lane(&mut self, i: usize, q: Quat) {
        self.x.0[i] = q.x;
        self.y.0[i] = q.y;
        self.z.0[i] = q.z;
        self.w.0[i] = q.w;
    }
}

impl SoaTransform {
    /// The identity in every lane.
    pub const IDENTITY: Self =
        Self { translation: SoaVec3::ZERO, rotation: SoaQuat::IDENTITY, scale: SoaVec3::ONE };

    /// The transform in lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    #[must_use]
    pub fn lane(&self, i: usize) -> Transform {
        Transform {
            translation: self.translation.lane(i),
            rotation: self.rotation.lane(i),
            scale: self.scale.lane(i),
        }
    }

    /// Writes lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    pub fn set_lane(&mut self, i: usize, t: Transform) {
        self.translation.set_lane(i, t.translation);
        self.rotation.set_lane(i, t.rotation);
        self.scale.set_lane(i, t.scale);
    }
}

impl SoaMat34 {
    /// The identity in every lane.
    pub const IDENTITY: Self = Self {
        columns: [SoaVec3::splat(Vec3::X), SoaVec3::splat(Vec3::Y), SoaVec3::splat(Vec3::Z), SoaVec3::ZERO],
    };

    /// The matrix in lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    #[must_use]
    pub fn lane(&self, i: usize) -> Mat34 {
        Mat34 { columns: self.columns.each_ref().map(|c| c.lane(i).to_array()) }
    }

    /// Writes lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    pub fn set_lane(&mut self, i: usize, m: &Mat34) {
        for (column, v) in self.columns.iter_mut().zip(m.columns) {
            column.set_lane(i, Vec3::from_array(v));
        }
    }
}

impl Default for SoaTransform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// Groups that hold `joints` joints.
#[inline]
#[must_use]
pub const fn group_count(joints: usize) -> usize {
    joints.div_ceil(GROUP)
}

/// Lays transforms out as groups; spare lanes are the identity.
#[must_use]
pub fn from_transforms(transforms: &[Transform]) -> Vec<SoaTransform> {
    let mut groups = alloc::vec![SoaTransform::IDENTITY; group_count(transforms.len())];
    for (j, t) in transforms.iter().enumerate() {
        groups[j / GROUP].set_lane(j % GROUP, *t);
    }
    groups
}

/// The first `count` transforms of the groups. Panics if the groups hold fewer.
#[must_use]
pub fn to_transforms(groups: &[SoaTransform], count: usize) -> Vec<Transform> {
    (0..count).map(|j| lane(groups, j)).collect()
}

/// Joint `j` of the groups. Panics if the groups hold fewer.
#[inline]
#[must_use]
pub fn lane(groups: &[SoaTransform], j: usize) -> Transform {
    groups[j / GROUP].lane(j % GROUP)
}

/// Lays one number per joint (weights, masks) out as groups; spare lanes are 0.
#[must_use]
pub fn from_floats(values: &[f32]) -> Vec<Lanes> {
    let mut groups = alloc::vec![Lanes::splat(0.0); group_count(values.len())];
    for (j, v) in values.iter().enumerate() {
        groups[j / GROUP].0[j % GROUP] = *v;
    }
    groups
}

const _: () = assert!(size_of::<SoaTransform>() == 640 && align_of::<SoaTransform>() == 64);
const _: () = assert!(size_of::<SoaMat34>() == 768);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_every_transform_and_fill_spare_lanes_with_identity() {
        for n in [0, 1, 15, 16, 17, 67] {
            let joints: Vec<Transform> = (0..n)
                .map(|i| Transform::from_array(core::array::from_fn(|c| (i * 10 + c) as f32)))
                .collect();
            let groups = from_transforms(&joints);
            assert_eq!(groups.len(), group_count(n));
            assert_eq!(to_transforms(&groups, n), joints);
            for spare in n..groups.len() * GROUP {
                assert_eq!(lane(&groups, spare), Transform::IDENTITY);
            }
        }
    }

    #[test]
    fn the_layout_is_one_run_of_lanes_a_component() {
        let mut group = SoaTransform::IDENTITY;
        group.set_lane(3, Transform::from_array(core::array::from_fn(|c| c as f32)));
        let floats: &[f32] = bytemuck::cast_slice(core::slice::from_ref(&group));
        for component in 0..10 {
            assert_eq!(floats[component * GROUP + 3], component as f32);
        }
    }
}
