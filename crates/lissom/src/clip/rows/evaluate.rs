//! From decoded keys to a pose: interpolated, over what does not move.

use super::{
    super::lanes::{
        Channels, InLanes, Rotations, Scales, Sink, Target, Translations, Under, put_all_still, put_over,
    },
    arrays::Arrays,
    still::mask_of,
    view::View,
};
use lissom_math::simd::{Simd, WideQuat, WideVec3, splat, strided::Columns};

/// The two keys that a time lies between, decoded: in a cursor, or in a table of all.
pub(crate) struct Keys<'a> {
    pub arrays: Arrays,
    pub floats: &'a [f32],
    /// Where the left one starts: x, y, z, w of all lanes; and the right one.
    pub left: usize,
    pub right: usize,
}

/// Writes every group that the level of detail asks for, `t` of the way between two keys.
#[inline(always)]
pub(crate) fn evaluate<S: Simd>(
    s: S,
    keys: &Keys<'_>,
    clip: &View<'_>,
    t: f32,
    target: &mut Target<'_, impl Under>,
    sink: impl Sink,
) {
    let Keys { arrays, .. } = *keys;
    match arrays.count(1) {
        0 => put_all_still::<S, Rotations>(s, target, sink),
        _ => put_over::<S, Rotations>(s, target, sink, &Moving::<S, 4>::new(s, keys, clip, 1, t)),
    }
    match arrays.count(0) {
        0 => put_all_still::<S, Translations>(s, target, sink),
        _ => put_over::<S, Translations>(s, target, sink, &Moving::<S, 3>::new(s, keys, clip, 0, t)),
    }
    match arrays.count(2) {
        0 => put_all_still::<S, Scales>(s, target, sink),
        _ => put_over::<S, Scales>(s, target, sink, &Moving::<S, 3>::new(s, keys, clip, 2, t)),
    }
}

/// The moving channels of a kind, of which there are some.
struct Moving<'a, S: Simd, const N: usize> {
    left: Columns<'a, S, N>,
    right: Columns<'a, S, N>,
    masks: &'a [u8],
    count: usize,
    t: f32,
}

impl<'a, S: Simd, const N: usize> Moving<'a, S, N> {
    #[inline(always)]
    fn new(s: S, keys: &Keys<'a>, clip: &View<'a>, kind: usize, t: f32) -> Self {
        let Keys { arrays, floats, left, right } = *keys;
        let (first, stride, count) = (arrays.first(kind), arrays.len(), arrays.count(kind));
        Self {
            left: Columns::new(s, floats, left + first, stride, count),
            right: Columns::new(s, floats, right + first, stride, count),
            masks: clip.bytes.get(clip.tables.moving_masks[kind]..).unwrap_or_default(),
            count,
            t,
        }
    }
}

impl<S: Simd, const N: usize> InLanes for Moving<'_, S, N> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.masks, group)
    }
}

impl<S: Simd> Channels<S> for Moving<'_, S, 3> {
    type Value = WideVec3<S>;

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideVec3<S> {
        self.left.vectors(from).lerp(s, self.right.vectors(from), splat(s, self.t))
    }
}

impl<S: Simd> Channels<S> for Moving<'_, S, 4> {
    type Value = WideQuat<S>;

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideQuat<S> {
        self.left.rotations(from).nlerp_near_one(s, self.right.rotations(from), splat(s, self.t))
    }
}
