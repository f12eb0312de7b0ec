//! The common operations over slices of groups, on a chosen backend.
//!
//! Each works on the shortest of its slices and gives, lane by lane, the bits of its twin in
//! [`crate::scalar`]. Jobs fuse these steps; here they stand alone, to be used and to be tested.

use crate::{
    dispatch,
    simd::{Backend, LEN, Simd, WideMat34, WideQuat, WideTransform, WideVec3, load},
    soa::{GROUP, Lanes, SoaMat34, SoaQuat, SoaTransform, SoaVec3},
};

/// Calls `step(at)` for every block of native lanes in a group.
#[inline(always)]
fn blocks<S: Simd>(mut step: impl FnMut(usize)) {
    let mut at = 0;
    while at < GROUP {
        step(at);
        at += LEN::<S>();
    }
}

/// out = a·b, the Hamilton product.
pub fn quat_mul(backend: Backend, a: &[SoaQuat], b: &[SoaQuat], out: &mut [SoaQuat]) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, a: &[SoaQuat], b: &[SoaQuat], out: &mut [SoaQuat]) {
        for ((a, b), out) in a.iter().zip(b).zip(out) {
            blocks::<S>(
                #[inline(always)]
                |at| (WideQuat::load(s, a, at) * WideQuat::load(s, b, at)).store(out, at),
            );
        }
    }
    dispatch!(backend, s => kernel(s, a, b, out));
}

/// q = q / |q|; the identity where |q| is zero or not a number.
pub fn quat_normalize(backend: Backend, q: &mut [SoaQuat]) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, q: &mut [SoaQuat]) {
        for q in q {
            blocks::<S>(
                #[inline(always)]
                |at| WideQuat::load(s, q, at).normalize(s).store(q, at),
            );
        }
    }
    dispatch!(backend, s => kernel(s, q));
}

/// out = normalised interpolation from a to b along the shorter path.
pub fn quat_nlerp(backend: Backend, a: &[SoaQuat], b: &[SoaQuat], t: &[Lanes], out: &mut [SoaQuat]) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, a: &[SoaQuat], b: &[SoaQuat], t: &[Lanes], out: &mut [SoaQuat]) {
        for (((a, b), t), out) in a.iter().zip(b).zip(t).zip(out) {
            blocks::<S>(
                #[inline(always)]
                |at| {
                    let b = WideQuat::load(s, b, at);
                    WideQuat::load(s, a, at).nlerp(s, b, load(s, t, at)).store(out, at);
                },
            );
        }
    }
    dispatch!(backend, s => kernel(s, a, b, t, out));
}

/// out = v rotated by the unit quaternion q.
pub fn quat_rotate(backend: Backend, q: &[SoaQuat], v: &[SoaVec3], out: &mut [SoaVec3]) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, q: &[SoaQuat], v: &[SoaVec3], out: &mut [SoaVec3]) {
        for ((q, v), out) in q.iter().zip(v).zip(out) {
            blocks::<S>(
                #[inline(always)]
                |at| WideQuat::load(s, q, at).rotate(WideVec3::load(s, v, at)).store(out, at),
            );
        }
    }
    dispatch!(backend, s => kernel(s, q, v, out));
}

/// out = a·(1 - t) + b·t
pub fn vec3_lerp(backend: Backend, a: &[SoaVec3], b: &[SoaVec3], t: &[Lanes], out: &mut [SoaVec3]) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, a: &[SoaVec3], b: &[SoaVec3], t: &[Lanes], out: &mut [SoaVec3]) {
        for (((a, b), t), out) in a.iter().zip(b).zip(t).zip(out) {
            blocks::<S>(
                #[inline(always)]
                |at| {
                    let b = WideVec3::load(s, b, at);
                    WideVec3::load(s, a, at).lerp(s, b, load(s, t, at)).store(out, at);
                },
            );
        }
    }
    dispatch!(backend, s => kernel(s, a, b, t, out));
}

/// out = the affine matrices of local transforms.
pub fn transform_to_mat34(backend: Backend, t: &[SoaTransform], out: &mut [SoaMat34]) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, t: &[SoaTransform], out: &mut [SoaMat34]) {
        for (t, out) in t.iter().zip(out) {
            blocks::<S>(
                #[inline(always)]
                |at| WideTransform::load(s, t, at).to_mat34(s).store(out, at),
            );
        }
    }
    dispatch!(backend, s => kernel(s, t, out));
}

/// out = a·b, affine.
pub fn mat34_mul(backend: Backend, a: &[SoaMat34], b: &[SoaMat34], out: &mut [SoaMat34]) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, a: &[SoaMat34], b: &[SoaMat34], out: &mut [SoaMat34]) {
        for ((a, b), out) in a.iter().zip(b).zip(out) {
            blocks::<S>(
                #[inline(always)]
                |at| (WideMat34::load(s, a, at) * WideMat34::load(s, b, at)).store(out, at),
            );
        }
    }
    dispatch!(backend, s => kernel(s, a, b, out));
}
