//! From integers to a pose: both keys decoded and interpolated, over what does not move.

use super::{
    super::lanes::{Channels, Rotations, Scales, Target, Translations, put_over},
    arrays::{META, STEP, meta},
    state::State,
    still::mask_of,
    view::View,
};
use lissom_math::{
    simd::{LEN, Simd, WideQuat, WideVec3, inverse_sqrt_near_one, prelude::*, splat},
    soa::GROUP,
};

/// Writes every group that the level of detail asks for, `t` of the way between the cursor's two keys.
#[inline(always)]
pub(crate) fn evaluate<S: Simd>(
    s: S,
    state: &State,
    words: &[u32],
    clip: &View<'_>,
    t: f32,
    target: &mut Target<'_>,
) {
    put_over::<S, Rotations>(s, target, &Turning(Moving::new(state, words, clip, 1, t)));
    put_over::<S, Translations>(s, target, &Moving::new(state, words, clip, 0, t));
    put_over::<S, Scales>(s, target, &Moving::new(state, words, clip, 2, t));
}

/// The moving channels of a kind, as vectors.
struct Moving<'a> {
    masks: &'a [u8],
    /// x, y, z of the left and of the right key.
    left: [&'a [u32]; 3],
    right: [&'a [u32]; 3],
    step: &'a [u32],
    meta: &'a [u32],
    count: usize,
    t: f32,
}

impl<'a> Moving<'a> {
    #[inline(always)]
    fn new(state: &State, words: &'a [u32], clip: &View<'a>, kind: usize, t: f32) -> Self {
        let View { bytes, tables, .. } = *clip;
        let (count, start) = (state.arrays.count(kind), state.arrays.start(kind));
        // Behind the last array there is room for a wide load.
        let len = if count == 0 { 0 } else { count + GROUP };
        let array = |i: usize| &words[start + i * count..start + i * count + len];
        // Between two blocks the right key is the third.
        let first = if state.row == tables.last_of_block(state.row) { 3 } else { 0 };
        let masks =
            if count == 0 { &[][..] } else { bytes.get(tables.moving_masks[kind]..).unwrap_or_default() };
        Self {
            masks,
            left: [array(first), array(first + 1), array(first + 2)],
            right: [array(first + 3), array(first + 4), array(first + 5)],
            step: array(STEP),
            meta: array(META),
            count,
            t,
        }
    }

    /// A key of the lanes from one on.
    #[inline(always)]
    fn key<S: Simd>(&self, s: S, arrays: [&[u32]; 3], step: S::f32s, from: usize) -> WideVec3<S> {
        WideVec3 {
            x: ints(s, arrays[0], from) * step,
            y: ints(s, arrays[1], from) * step,
            z: ints(s, arrays[2], from) * step,
        }
    }

    /// The steps of the lanes from one on. Zero behind the last lane: what stands there is no float, and arithmetic
    /// on subnormal numbers takes a hundred times as long.
    #[inline(always)]
    fn step<S: Simd>(&self, s: S, from: usize) -> S::f32s {
        let floats: &[f32] = bytemuck::cast_slice(self.step);
        let steps = S::f32s::from_slice(s, &floats[from..from + LEN::<S>()]);
        let left = self.count - from;
        if left >= LEN::<S>() {
            return steps;
        }
        S::mask32s::from_bitmask(s, (1 << left) - 1).select(steps, splat(s, 0.0))
    }
}

impl<S: Simd> Channels<S> for Moving<'_> {
    type Value = WideVec3<S>;

    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.masks, group)
    }

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideVec3<S> {
        let step = self.step(s, from);
        let (a, b) = (self.key(s, self.left, step, from), self.key(s, self.right, step, from));
        a.lerp(s, b, splat(s, self.t))
    }
}

/// The moving channels of a kind, as rotations.
struct Turning<'a>(Moving<'a>);

impl<S: Simd> Channels<S> for Turning<'_> {
    type Value = WideQuat<S>;

    #[inline(always)]
    fn count(&self) -> usize {
        self.0.count
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.0.masks, group)
    }

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideQuat<S> {
        let m = &self.0;
        let (step, meta) = (m.step(s, from), S::u32s::from_slice(s, &m.meta[from..from + LEN::<S>()]));
        let (a, b) = (m.key(s, m.left, step, from), m.key(s, m.right, step, from));
        about(s, meta, between(s, a, b, splat(s, m.t)))
    }
}

/// Integers as floats.
#[inline(always)]
fn ints<S: Simd>(s: S, words: &[u32], at: usize) -> S::f32s {
    let signed: &[i32] = bytemuck::cast_slice(words);
    S::i32s::from_slice(s, &signed[at..at + LEN::<S>()]).to_float()
}

/// From the rotation with parameters `a` to that with `b` by the shorter way: their quaternions mixed and
/// normalised. A quaternion is (2 m, 1 - m·m) / (1 + m·m).
#[inline(always)]
fn between<S: Simd>(s: S, a: WideVec3<S>, b: WideVec3<S>, t: S::f32s) -> WideQuat<S> {
    let (one, two) = (splat(s, 1.0), splat(s, 2.0));
    let (aa, bb, ab) = (a.dot(a), b.dot(b), a.dot(b));
    let (aw, bw) = (one - aa, one - bb);
    let (al, bl) = (one + aa, one + bb);
    let away = (splat(s, 4.0) * ab + aw * bw).simd_lt(splat(s, 0.0));
    // One division for both.
    let inverse = one / (al * bl);
    let u = (one - t) * (bl * inverse);
    let t = away.select(-t, t) * (al * inverse);
    let (u2, t2) = (u * two, t * two);
    let q = WideQuat::<S> {
        x: a.x * u2 + b.x * t2,
        y: a.y * u2 + b.y * t2,
        z: a.z * u2 + b.z * t2,
        w: aw * u + bw * t,
    };
    // Between unit quaternions on one hemisphere the squared length is in [1/2, 1].
    q.scale(inverse_sqrt_near_one(s, q.dot(q)))
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
