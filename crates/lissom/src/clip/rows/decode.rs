//! From the integers of a key to what it says, once, when it is fetched.

use super::arrays::{Arrays, META, STEP, meta};
use lissom_math::simd::{LEN, Simd, WideQuat, WideVec3, prelude::*};

/// Decodes the integers in the three arrays from `from` on into those from `to` on (which may be the same): a
/// vector is its integers times the step; of a rotation those are modified Rodrigues parameters about its
/// centre.
#[inline(always)]
pub(super) fn decode<S: Simd>(s: S, arrays: Arrays, words: &mut [u32], from: usize, to: usize) {
    let n = arrays.len();
    let (first, end) = (arrays.first(1), arrays.first(2));
    let mut at = 0;
    while at < arrays.used() {
        let array = |array: usize| array * n + at..array * n + at + LEN::<S>();
        let step = S::f32s::from_slice(s, bytemuck::cast_slice(&words[array(STEP)]));
        let v = WideVec3::<S> {
            x: ints(s, &words[array(from)]) * step,
            y: ints(s, &words[array(from + 1)]) * step,
            z: ints(s, &words[array(from + 2)]) * step,
        };
        let (mut x, mut y, mut z) = (v.x, v.y, v.z);
        if at < end && at + LEN::<S>() > first {
            let q = about(s, S::u32s::from_slice(s, &words[array(META)]), WideQuat::from_rodrigues(s, v));
            // Lanes before the first rotation and behind the last are vectors.
            let from_first = if at < first { !0 << (first - at) } else { !0_u64 };
            let to_end = if at + LEN::<S>() > end { (1 << (end - at)) - 1 } else { !0 };
            let turns = S::mask32s::from_bitmask(s, from_first & to_end & ((1 << LEN::<S>()) - 1));
            (x, y, z) = (turns.select(q.x, x), turns.select(q.y, y), turns.select(q.z, z));
            q.w.store_slice(bytemuck::cast_slice_mut(&mut words[array(to + 3)]));
        }
        x.store_slice(bytemuck::cast_slice_mut(&mut words[array(to)]));
        y.store_slice(bytemuck::cast_slice_mut(&mut words[array(to + 1)]));
        z.store_slice(bytemuck::cast_slice_mut(&mut words[array(to + 2)]));
        at += LEN::<S>();
    }
}

/// Integers as floats.
#[inline(always)]
fn ints<S: Simd>(s: S, words: &[u32]) -> S::f32s {
    S::i32s::from_slice(s, bytemuck::cast_slice(words)).to_float()
}

/// The centre (1, i, j or k) times a quaternion: its components in another order, some negated.
#[inline(always)]
fn about<S: Simd>(s: S, meta: S::u32s, q: WideQuat<S>) -> WideQuat<S> {
    let centre = meta & S::u32s::simd_from(s, meta::CENTRE);
    let is_i = centre.simd_eq(S::u32s::simd_from(s, 1 << meta::CENTRE_SHIFT));
    let is_j = centre.simd_eq(S::u32s::simd_from(s, 2 << meta::CENTRE_SHIFT));
    let is_k = centre.simd_eq(S::u32s::simd_from(s, 3 << meta::CENTRE_SHIFT));
    WideQuat {
        x: is_i.select(q.w, is_j.select(q.z, is_k.select(-q.y, q.x))),
        y: is_i.select(-q.z, is_j.select(q.w, is_k.select(q.x, q.y))),
        z: is_i.select(q.y, is_j.select(-q.x, is_k.select(q.w, q.z))),
        w: is_i.select(-q.x, is_j.select(-q.y, is_k.select(-q.z, q.w))),
    }
}
