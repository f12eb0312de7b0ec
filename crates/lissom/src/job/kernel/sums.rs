//! The steps of a blend: of one block of joints for a [`BlendJob`](crate::job::BlendJob), which keeps them in
//! registers, and of whole poses for a [`MixJob`](crate::job::MixJob), which has one pose at a time and keeps
//! them in memory.

use super::whole_layers::add_quat;
use crate::{JointLod, job::BlendLayer};
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Simd, WideQuat, WideTransform, WideVec3, load, prelude::*, select, splat, store},
    soa::{GROUP, Lanes, SoaTransform},
};

/// The sums of one block of joints.
#[derive(Clone, Copy)]
pub(crate) struct Sum<S: Simd> {
    pub pose: WideTransform<S>,
    pub weight: S::f32s,
}

impl<S: Simd> Sum<S> {
    #[inline(always)]
    pub(crate) fn first(t: WideTransform<S>, w: S::f32s) -> Self {
        Self {
            pose: WideTransform {
                translation: t.translation.scale(w),
                rotation: t.rotation.scale(w),
                scale: t.scale.scale(w),
            },
            weight: w,
        }
    }

    #[inline(always)]
    pub(crate) fn add(self, s: S, t: WideTransform<S>, w: S::f32s) -> Self {
        let sum = self.pose;
        let signed = sum.rotation.dot(t.rotation).simd_lt(splat(s, 0.0)).select(-w, w);
        let r = t.rotation.scale(signed);
        Self {
            pose: WideTransform {
                translation: sum.translation + t.translation.scale(w),
                rotation: add_quat(sum.rotation, r),
                scale: sum.scale + t.scale.scale(w),
            },
            weight: self.weight + w,
        }
    }

    /// The rest pose joins where weight is missing.
    #[inline(always)]
    pub(crate) fn filled(self, s: S, threshold: S::f32s, rest: &SoaTransform, at: usize) -> Self {
        let missing = self.weight.simd_lt(threshold);
        if !missing.any_true() {
            return self;
        }
        // Lane by lane: a joint that has its weight must not change because its neighbour has not.
        let filled = self.add(s, WideTransform::load(s, rest, at), threshold - self.weight);
        Self::select(missing, filled, self)
    }

    /// The average, where `inverse` is one over the weight.
    #[inline(always)]
    pub(crate) fn divided(self, s: S, inverse: S::f32s) -> WideTransform<S> {
        WideTransform {
            translation: self.pose.translation.scale(inverse),
            rotation: self.pose.rotation.scale(inverse).normalize(s),
            scale: self.pose.scale.scale(inverse),
        }
    }

    /// `a` where the mask is set, `b` elsewhere.
    #[inline(always)]
    fn select(mask: S::mask32s, a: Self, b: Self) -> Self {
        let (p, q) = (a.pose, b.pose);
        Self {
            pose: WideTransform {
                translation: WideVec3::select(mask, p.translation, q.translation),
                rotation: WideQuat::select(mask, p.rotation, q.rotation),
                scale: WideVec3::select(mask, p.scale, q.scale),
            },
            weight: select::<S>(mask, a.weight, b.weight),
        }
    }
}

/// The weights of a layer in one block of joints.
#[inline(always)]
pub(crate) fn weights<S: Simd>(s: S, layer: &BlendLayer<'_>, group: usize, at: usize) -> S::f32s {
    let w = splat(s, layer.weight);
    match layer.joint_weights {
        None => w,
        Some(lanes) => {
            let (zero, joint) = (splat(s, 0.0), load(s, &lanes[group], at));
            // Written so that NaN fails the test and counts as 0.
            w * joint.simd_gt(zero).select(joint, zero)
        }
    }
}

/// One additive layer onto one block of joints. The rotation is left unnormalised.
#[inline(always)]
pub(crate) fn add_layer<S: Simd>(
    s: S,
    out: WideTransform<S>,
    layer: &BlendLayer<'_>,
    group: usize,
    at: usize,
) -> WideTransform<S> {
    let (zero, one) = (splat(s, 0.0), splat(s, 1.0));
    let t = WideTransform::load(s, &layer.pose[group], at);
    let w = weights(s, layer, group, at);
    let back = layer.weight < 0.0;
    let amount = if back { -w } else { w };

    let side = t.rotation.w.simd_lt(zero).select(-amount, amount);
    // Backwards is the conjugate: the axis changes sign.
    let axis = if back { -side } else { side };
    let delta = WideQuat {
        x: t.rotation.x * axis,
        y: t.rotation.y * axis,
        z: t.rotation.z * axis,
        w: t.rotation.w * side + (one - amount),
    };
    WideTransform {
        translation: out.translation + t.translation.scale(w),
        rotation: delta * out.rotation,
        scale: WideVec3 {
            x: out.scale.x * scale_factor(s, t.scale.x, amount, back),
            y: out.scale.y * scale_factor(s, t.scale.y, amount, back),
            z: out.scale.z * scale_factor(s, t.scale.z, amount, back),
        },
    }
}

/// 1 + (v − 1)·amount, or one over that backwards.
#[inline(always)]
fn scale_factor<S: Simd>(s: S, v: S::f32s, amount: S::f32s, back: bool) -> S::f32s {
    let one = splat(s, 1.0);
    let f = one + (v - one) * amount;
    if back { f.simd_eq(splat(s, 0.0)).select(one, one / f) } else { f }
}

/// Every block of joints of the level: its group, and its place in it.
#[inline(always)]
fn blocks<S: Simd>(groups: usize, lod: Option<&JointLod>) -> impl Iterator<Item = (usize, usize)> {
    let groups = (0..groups).filter(move |group| lod.is_none_or(|lod| lod.contains_group(*group)));
    groups.flat_map(|group| (0..GROUP).step_by(LEN::<S>()).map(move |at| (group, at)))
}

#[inline(always)]
fn put<S: Simd>(pose: WideTransform<S>, to: &mut SoaTransform, at: usize) {
    pose.translation.store(&mut to.translation, at);
    pose.rotation.store(&mut to.rotation, at);
    pose.scale.store(&mut to.scale, at);
}

/// Adds a layer to sums and their weights; the first one replaces what was there.
pub(crate) fn sum_layer(
    backend: Backend,
    layer: &BlendLayer<'_>,
    lod: Option<&JointLod>,
    first: bool,
    totals: &mut [Lanes],
    sums: &mut [SoaTransform],
) {
    dispatch!(backend, s => sum_layer_kernel(s, layer, lod, first, totals, sums));
}

#[inline(always)]
fn sum_layer_kernel<S: Simd>(
    s: S,
    layer: &BlendLayer<'_>,
    lod: Option<&JointLod>,
    first: bool,
    totals: &mut [Lanes],
    sums: &mut [SoaTransform],
) {
    for (group, at) in blocks::<S>(sums.len(), lod) {
        let (pose, w) = (WideTransform::load(s, &layer.pose[group], at), weights(s, layer, group, at));
        let sum = if first {
            Sum::first(pose, w)
        } else {
            let so_far =
                Sum { pose: WideTransform::load(s, &sums[group], at), weight: load(s, &totals[group], at) };
            so_far.add(s, pose, w)
        };
        put(sum.pose, &mut sums[group], at);
        store(sum.weight, &mut totals[group], at);
    }
}

/// Fills in the rest pose where weight is missing, and divides by the weights.
pub(crate) fn divide_sums(
    backend: Backend,
    threshold: f32,
    rest: &[SoaTransform],
    lod: Option<&JointLod>,
    totals: &[Lanes],
    sums: &mut [SoaTransform],
) {
    dispatch!(backend, s => divide_sums_kernel(s, threshold, rest, lod, totals, sums));
}

#[inline(always)]
fn divide_sums_kernel<S: Simd>(
    s: S,
    threshold: f32,
    rest: &[SoaTransform],
    lod: Option<&JointLod>,
    totals: &[Lanes],
    sums: &mut [SoaTransform],
) {
    for (group, at) in blocks::<S>(sums.len(), lod) {
        let sum = Sum { pose: WideTransform::load(s, &sums[group], at), weight: load(s, &totals[group], at) };
        let sum = sum.filled(s, splat(s, threshold), &rest[group], at);
        put(sum.divided(s, splat(s, 1.0) / sum.weight), &mut sums[group], at);
    }
}

/// Adds an additive layer to a pose; `last` normalises the rotations afterwards.
pub(crate) fn add_to_pose(
    backend: Backend,
    layer: &BlendLayer<'_>,
    lod: Option<&JointLod>,
    last: bool,
    pose: &mut [SoaTransform],
) {
    dispatch!(backend, s => add_to_pose_kernel(s, layer, lod, last, pose));
}

#[inline(always)]
fn add_to_pose_kernel<S: Simd>(
    s: S,
    layer: &BlendLayer<'_>,
    lod: Option<&JointLod>,
    last: bool,
    pose: &mut [SoaTransform],
) {
    for (group, at) in blocks::<S>(pose.len(), lod) {
        let mut out = add_layer(s, WideTransform::load(s, &pose[group], at), layer, group, at);
        if last {
            out.rotation = out.rotation.normalize(s);
        }
        put(out, &mut pose[group], at);
    }
}
