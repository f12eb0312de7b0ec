//! From decoded keys to a pose: interpolated, over what does not move.

use super::{
    super::lanes::{Channels, Kind, Rotations, Scales, Sink, Target, Translations, put_all_still, put_over},
    arrays::Arrays,
    still::mask_of,
    view::View,
};
use lissom_math::simd::{Simd, WideQuat, WideVec3, splat, strided};

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
    target: &mut Target<'_>,
    sink: impl Sink,
) {
    let of = |kind: usize| Moving::new(keys, clip, kind, t);
    put_kind::<S, Rotations>(s, target, sink, &Turning(of(1)));
    put_kind::<S, Translations>(s, target, sink, &of(0));
    put_kind::<S, Scales>(s, target, sink, &of(2));
}

#[inline(always)]
fn put_kind<S: Simd, K: Kind<S>>(
    s: S,
    target: &mut Target<'_>,
    sink: impl Sink,
    channels: &impl Channels<S, Value = K::Value>,
) {
    if channels.count() == 0 {
        put_all_still::<S, K>(s, target, sink);
    } else {
        put_over::<S, K>(s, target, sink, channels);
    }
}

/// The moving channels of a kind, as vectors.
struct Moving<'a> {
    floats: &'a [f32],
    /// Where x of the left and of the right key start, and from there to y.
    left: usize,
    right: usize,
    stride: usize,
    masks: &'a [u8],
    count: usize,
    t: f32,
}

impl<'a> Moving<'a> {
    #[inline(always)]
    fn new(keys: &Keys<'a>, clip: &View<'a>, kind: usize, t: f32) -> Self {
        let arrays = &keys.arrays;
        Self {
            floats: keys.floats,
            left: keys.left + arrays.first(kind),
            right: keys.right + arrays.first(kind),
            stride: arrays.len(),
            masks: clip.bytes.get(clip.tables.moving_masks[kind]..).unwrap_or_default(),
            count: arrays.count(kind),
            t,
        }
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
        let a = strided::vectors(s, self.floats, self.left + from, self.stride);
        let b = strided::vectors(s, self.floats, self.right + from, self.stride);
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
        let keys = &self.0;
        let a = strided::rotations(s, keys.floats, keys.left + from, keys.stride);
        let b = strided::rotations(s, keys.floats, keys.right + from, keys.stride);
        a.nlerp_near_one(s, b, splat(s, keys.t))
    }
}
