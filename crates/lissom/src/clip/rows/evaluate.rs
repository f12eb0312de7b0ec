//! From decoded keys to a pose: interpolated, over what does not move.

use super::{
    super::lanes::{Channels, Rotations, Scales, Target, Translations, put_over},
    arrays::{LEFT, RIGHT},
    state::State,
    still::mask_of,
    view::View,
};
use lissom_math::{
    simd::{LEN, Simd, WideQuat, WideVec3, prelude::*, splat},
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
    let keys = Keys { state, floats: bytemuck::cast_slice(words), clip, t };
    put_over::<S, Rotations>(s, target, &Turning(keys.of(1)));
    put_over::<S, Translations>(s, target, &Moving(keys.of(0)));
    put_over::<S, Scales>(s, target, &Moving(keys.of(2)));
}

/// What a cursor holds.
struct Keys<'a, 'c> {
    state: &'a State,
    floats: &'a [f32],
    clip: &'c View<'a>,
    t: f32,
}

impl<'a> Keys<'a, '_> {
    /// The channels of a kind.
    #[inline(always)]
    fn of(&self, kind: usize) -> Kind<'a> {
        let View { bytes, tables, .. } = *self.clip;
        let arrays = &self.state.arrays;
        let (n, first, count) = (arrays.len(), arrays.first(kind), arrays.count(kind));
        // Behind the last array there is room for a wide load.
        let len = if count == 0 { 0 } else { count + GROUP };
        let array = |i: usize| &self.floats[i * n + first..i * n + first + len];
        let masks =
            if count == 0 { &[][..] } else { bytes.get(tables.moving_masks[kind]..).unwrap_or_default() };
        Kind {
            masks,
            left: [array(LEFT), array(LEFT + 1), array(LEFT + 2), array(LEFT + 3)],
            right: [array(RIGHT), array(RIGHT + 1), array(RIGHT + 2), array(RIGHT + 3)],
            count,
            t: self.t,
        }
    }
}

/// The moving channels of a kind: x, y, z and w of the left and of the right key.
struct Kind<'a> {
    masks: &'a [u8],
    left: [&'a [f32]; 4],
    right: [&'a [f32]; 4],
    count: usize,
    t: f32,
}

#[inline(always)]
fn at<S: Simd>(s: S, array: &[f32], from: usize) -> S::f32s {
    S::f32s::from_slice(s, &array[from..from + LEN::<S>()])
}

#[inline(always)]
fn vectors<S: Simd>(s: S, key: &[&[f32]; 4], from: usize) -> WideVec3<S> {
    WideVec3 { x: at(s, key[0], from), y: at(s, key[1], from), z: at(s, key[2], from) }
}

#[inline(always)]
fn rotations<S: Simd>(s: S, key: &[&[f32]; 4], from: usize) -> WideQuat<S> {
    WideQuat {
        x: at(s, key[0], from),
        y: at(s, key[1], from),
        z: at(s, key[2], from),
        w: at(s, key[3], from),
    }
}

/// Channels that are vectors.
struct Moving<'a>(Kind<'a>);

impl<S: Simd> Channels<S> for Moving<'_> {
    type Value = WideVec3<S>;

    #[inline(always)]
    fn count(&self) -> usize {
        self.0.count
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.0.masks, group)
    }

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideVec3<S> {
        let Kind { left, right, t, .. } = &self.0;
        vectors(s, left, from).lerp(s, vectors(s, right, from), splat(s, *t))
    }
}

/// Channels that are rotations.
struct Turning<'a>(Kind<'a>);

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
        let Kind { left, right, t, .. } = &self.0;
        rotations(s, left, from).nlerp_near_one(s, rotations(s, right, from), splat(s, *t))
    }
}
