//! The most frequent blend: few layers, none partial, and together at least the threshold.

use lissom_math::{
    simd::{LEN, Simd, WideQuat, load, prelude::*, splat, store},
    soa::{GROUP, Lanes, SoaTransform},
};

/// The most layers that [`blend_whole`] is made for.
pub(crate) const MOST: usize = 4;

/// A layer without joint weights.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub pose: &'a [SoaTransform],
    pub weight: f32,
}

/// Σ w·v of the layers times `inverse`, rotations normalised: the steps of [`BlendJob`](crate::job::BlendJob)
/// in the same order.
///
/// A rotation is one long chain of operations that wait for each other, so two blocks of joints go side by
/// side; the other components fill the gaps.
#[inline(always)]
pub(crate) fn blend_whole<S: Simd, const N: usize>(
    s: S,
    layers: [Whole<'_>; N],
    inverse: f32,
    output: &mut [SoaTransform],
) {
    let inverse = splat(s, inverse);
    // Weights and poses apart: as pairs they would go through memory, group by group.
    let mut weights = [inverse; N];
    let mut i = 0;
    while i < N {
        weights[i] = splat(s, layers[i].weight);
        i += 1;
    }
    if LEN::<S>() < GROUP {
        for (group, output) in output.iter_mut().enumerate() {
            let poses = layers.map(|l| &l.pose[group]);
            let mut at = 0;
            while at < GROUP {
                let next = at + LEN::<S>();
                let (p, q) = rotations(s, (&poses, at), (&poses, next), &weights, inverse);
                vectors(s, &poses, &weights, at, inverse, output);
                vectors(s, &poses, &weights, next, inverse, output);
                p.store(&mut output.rotation, at);
                q.store(&mut output.rotation, next);
                at = next + LEN::<S>();
            }
        }
        return;
    }
    let (pairs, odd) = output.as_chunks_mut::<2>();
    for (pair, [first, second]) in pairs.iter_mut().enumerate() {
        let p = layers.map(|l| &l.pose[2 * pair]);
        let q = layers.map(|l| &l.pose[2 * pair + 1]);
        let (rotation_p, rotation_q) = rotations(s, (&p, 0), (&q, 0), &weights, inverse);
        vectors(s, &p, &weights, 0, inverse, first);
        vectors(s, &q, &weights, 0, inverse, second);
        rotation_p.store(&mut first.rotation, 0);
        rotation_q.store(&mut second.rotation, 0);
    }
    if let [last] = odd {
        let p = layers.map(|l| &l.pose[2 * pairs.len()]);
        let (rotation, _) = rotations(s, (&p, 0), (&p, 0), &weights, inverse);
        vectors(s, &p, &weights, 0, inverse, last);
        rotation.store(&mut last.rotation, 0);
    }
}

/// The rotations of two blocks of joints, step by step side by side.
#[inline(always)]
fn rotations<S: Simd, const N: usize>(
    s: S,
    (p, at_p): (&[&SoaTransform; N], usize),
    (q, at_q): (&[&SoaTransform; N], usize),
    weights: &[S::f32s; N],
    inverse: S::f32s,
) -> (WideQuat<S>, WideQuat<S>) {
    let mut sum_p = WideQuat::load(s, &p[0].rotation, at_p).scale(weights[0]);
    let mut sum_q = WideQuat::load(s, &q[0].rotation, at_q).scale(weights[0]);
    let mut i = 1;
    while i < N {
        let w = weights[i];
        let r_p = WideQuat::load(s, &p[i].rotation, at_p);
        let r_q = WideQuat::load(s, &q[i].rotation, at_q);
        let (dot_p, dot_q) = (sum_p.dot(r_p), sum_q.dot(r_q));
        let w_p = dot_p.simd_lt(splat(s, 0.0)).select(-w, w);
        let w_q = dot_q.simd_lt(splat(s, 0.0)).select(-w, w);
        sum_p = add_quat(sum_p, r_p.scale(w_p));
        sum_q = add_quat(sum_q, r_q.scale(w_q));
        i += 1;
    }
    (sum_p.scale(inverse).normalize(s), sum_q.scale(inverse).normalize(s))
}

/// Translations and scales of one block of joints, one component after the other.
#[inline(always)]
fn vectors<S: Simd, const N: usize>(
    s: S,
    poses: &[&SoaTransform; N],
    weights: &[S::f32s; N],
    at: usize,
    inverse: S::f32s,
    output: &mut SoaTransform,
) {
    let SoaTransform { translation: t, scale, .. } = output;
    component(s, poses.map(|p| &p.translation.x), weights, at, inverse, &mut t.x);
    component(s, poses.map(|p| &p.translation.y), weights, at, inverse, &mut t.y);
    component(s, poses.map(|p| &p.translation.z), weights, at, inverse, &mut t.z);
    component(s, poses.map(|p| &p.scale.x), weights, at, inverse, &mut scale.x);
    component(s, poses.map(|p| &p.scale.y), weights, at, inverse, &mut scale.y);
    component(s, poses.map(|p| &p.scale.z), weights, at, inverse, &mut scale.z);
}

#[inline(always)]
fn component<S: Simd, const N: usize>(
    s: S,
    lanes: [&Lanes; N],
    weights: &[S::f32s; N],
    at: usize,
    inverse: S::f32s,
    output: &mut Lanes,
) {
    let mut sum = load(s, lanes[0], at) * weights[0];
    let mut i = 1;
    while i < N {
        sum += load(s, lanes[i], at) * weights[i];
        i += 1;
    }
    store(sum * inverse, output, at);
}

#[inline(always)]
pub(crate) fn add_quat<S: Simd>(a: WideQuat<S>, b: WideQuat<S>) -> WideQuat<S> {
    WideQuat { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z, w: a.w + b.w }
}
