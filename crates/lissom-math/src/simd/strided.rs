//! Values whose components stand in arrays one behind the other.
#![allow(
    unsafe_code,
    reason = "one check for all components: a check for each is a fifth of what interpolating takes"
)]

use super::{LEN, WideQuat, WideVec3};
use fearless_simd::{Simd, prelude::*};

/// Vectors from a lane on: x at `at`, y and z each `stride` floats further. Panics if they reach beyond the end.
#[inline(always)]
#[must_use]
pub fn vectors<S: Simd>(s: S, floats: &[f32], at: usize, stride: usize) -> WideVec3<S> {
    check::<S>(floats, at, stride, 2);
    let get = |i: usize| lanes::<S>(floats, at + i * stride);
    WideVec3 {
        x: S::f32s::from_slice(s, get(0)),
        y: S::f32s::from_slice(s, get(1)),
        z: S::f32s::from_slice(s, get(2)),
    }
}

/// Rotations from a lane on: x at `at`, y, z and w each `stride` floats further. Panics if they reach beyond the end.
#[inline(always)]
#[must_use]
pub fn rotations<S: Simd>(s: S, floats: &[f32], at: usize, stride: usize) -> WideQuat<S> {
    check::<S>(floats, at, stride, 3);
    let get = |i: usize| lanes::<S>(floats, at + i * stride);
    WideQuat {
        x: S::f32s::from_slice(s, get(0)),
        y: S::f32s::from_slice(s, get(1)),
        z: S::f32s::from_slice(s, get(2)),
        w: S::f32s::from_slice(s, get(3)),
    }
}

/// Panics unless the vectors at `at` and up to `strides` strides behind it are inside.
#[inline(always)]
fn check<S: Simd>(floats: &[f32], at: usize, stride: usize, strides: usize) {
    let len = floats.len();
    // A slice of f32 is shorter than a quarter of what usize counts, so the sum below is right.
    assert!(at <= len && stride <= len, "arrays out of range");
    assert!(at + strides * stride + LEN::<S>() <= len, "arrays out of range");
}

#[inline(always)]
fn lanes<S: Simd>(floats: &[f32], at: usize) -> &[f32] {
    debug_assert!(at + LEN::<S>() <= floats.len());
    // SAFETY: both callers have checked that the last of their vectors ends inside; the others end before it.
    unsafe { floats.get_unchecked(at..at + LEN::<S>()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dispatch, simd::Backend};

    #[inline(always)]
    fn compare<S: Simd>(s: S, floats: &[f32]) {
        for stride in 0..20 {
            let most = |strides: usize| (floats.len() - LEN::<S>()).checked_sub(strides * stride);
            for at in 0..=most(2).unwrap_or(0) {
                let v = vectors(s, floats, at, stride);
                for (i, lanes) in [v.x, v.y, v.z].into_iter().enumerate() {
                    assert_eq!(lanes.as_slice(), &floats[at + i * stride..][..LEN::<S>()]);
                }
            }
            for at in 0..=most(3).unwrap_or(0) {
                let q = rotations(s, floats, at, stride);
                for (i, lanes) in [q.x, q.y, q.z, q.w].into_iter().enumerate() {
                    assert_eq!(lanes.as_slice(), &floats[at + i * stride..][..LEN::<S>()]);
                }
            }
        }
    }

    #[test]
    fn components_are_those_of_the_slices() {
        let floats: Vec<f32> = (0..80).map(|i| i as f32).collect();
        for backend in Backend::all() {
            dispatch!(backend, s => compare(s, &floats));
        }
    }

    #[test]
    fn nothing_is_read_beyond_the_end() {
        let floats = [0.0; 40];
        for backend in Backend::all() {
            for (at, stride) in [(30, 9), (41, 0), (0, 41), (usize::MAX, 0), (0, usize::MAX / 3), (37, 0)] {
                let refused = std::panic::catch_unwind(|| {
                    dispatch!(backend, s => { let _ = rotations(s, &floats, at, stride); });
                });
                assert!(refused.is_err(), "{backend}: {at}, {stride}");
                let refused = std::panic::catch_unwind(|| {
                    dispatch!(backend, s => { let _ = vectors(s, &floats, at, stride); });
                });
                assert!(refused.is_err(), "{backend}: {at}, {stride}");
            }
        }
    }
}
