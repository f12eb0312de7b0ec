//! From decoded keys to a pose: interpolation, over what does not move.
//!
//! No closure here touches a vector, and no vector stands in an array that a loop walks: the one is compiled
//! for the baseline, the other lives in memory.

use super::{
    super::{
        lanes::{
            Channels, InLanes, Kind, Rotations, Scales, Sink, Target, Translations, Under, put_all_still,
            put_over,
        },
        time::Moment,
    },
    active::SetLayout,
    still::{mask_of, masks_of},
    view::View,
};
use lissom_math::simd::{LEN, Simd, WideQuat, WideVec3, prelude::*, splat, strided::Columns};

/// Writes every group that the level of detail asks for.
#[inline(always)]
pub(crate) fn evaluate<S: Simd>(
    s: S,
    words: &[u32],
    clip: &View<'_>,
    at: Moment,
    target: &mut Target<'_, impl Under>,
    sink: impl Sink,
) {
    let of = |kind: usize| Keys { words, clip, kind, at };
    put_kind::<S, Rotations, 4, _>(s, target, sink, of(1));
    put_kind::<S, Translations, 3, _>(s, target, sink, of(0));
    put_kind::<S, Scales, 3, _>(s, target, sink, of(2));
}

/// The decoded keys of a kind, at a moment.
#[derive(Clone, Copy)]
struct Keys<'a> {
    /// The active array.
    words: &'a [u32],
    clip: &'a View<'a>,
    kind: usize,
    at: Moment,
}

/// The linear channels of a kind, and over them the cubic ones; a layer of a blend has none of those.
#[inline(always)]
fn put_kind<'a, S: Simd, K: Kind<S>, const N: usize, U: Under>(
    s: S,
    target: &mut Target<'_, U>,
    sink: impl Sink,
    keys: Keys<'a>,
) where
    Linear<'a, S, N>: Channels<S, Value = K::Value>,
    Cubic<'a, S, N>: Channels<S, Value = K::Value>,
{
    let [linear, cubic] = [0, 1].map(|i| &keys.clip.layout.active.sets[2 * keys.kind + i]);
    if linear.lanes() == 0 {
        put_all_still::<S, K>(s, target, sink);
    } else {
        put_over::<S, K>(s, target, sink, &Linear::new(s, keys, linear));
    }
    if cubic.lanes() > 0 {
        let mut target = Target::<U> { still: None, lod: target.lod, output: &mut *target.output };
        put_over::<S, K>(s, &mut target, sink, &Cubic::new(s, keys, cubic));
    }
}

/// What the channels of a set share, of which there are some.
struct Set<'a> {
    masks: &'a [u32],
    /// Of the left keys.
    ticks: &'a [u32],
    /// 1 / (ticks from left to right).
    spans: &'a [f32],
    count: usize,
    at: Moment,
}

impl<'a> Set<'a> {
    #[inline(always)]
    fn new(keys: Keys<'a>, set: &SetLayout) -> Self {
        let Keys { words, clip, kind, at } = keys;
        let (tick, span) = (clip.layout.active.ticks_start() + set.tick(), set.inverse_span());
        Self {
            masks: masks_of(clip, kind),
            ticks: &words[tick..tick + set.padded()],
            spans: &bytemuck::cast_slice(words)[span..span + set.padded()],
            count: set.lanes(),
            at,
        }
    }

    /// How far each channel is between its left and its right key.
    #[inline(always)]
    fn ratios<S: Simd>(&self, s: S, from: usize) -> S::f32s {
        let ticks = S::u32s::from_slice(s, &self.ticks[from..from + LEN::<S>()]);
        // Ticks are below 2^31 and the left one is not after now, so the difference converts exactly enough.
        let since: S::f32s = (S::u32s::simd_from(s, self.at.tick) - ticks).to_float();
        (since + splat(s, self.at.fraction)) * floats_at(s, self.spans, from)
    }
}

/// A key of the window of a set: the float region of the active array stands first, whole.
#[inline(always)]
fn key<'a, S: Simd, const N: usize>(
    s: S,
    words: &'a [u32],
    set: &SetLayout,
    key: usize,
) -> Columns<'a, S, N> {
    Columns::new(s, bytemuck::cast_slice(words), set.key(key), set.lanes(), set.lanes())
}

struct Linear<'a, S: Simd, const N: usize> {
    set: Set<'a>,
    left: Columns<'a, S, N>,
    right: Columns<'a, S, N>,
}

impl<'a, S: Simd, const N: usize> Linear<'a, S, N> {
    #[inline(always)]
    fn new(s: S, keys: Keys<'a>, set: &SetLayout) -> Self {
        let (left, right) = (key(s, keys.words, set, 0), key(s, keys.words, set, 1));
        Self { set: Set::new(keys, set), left, right }
    }
}

impl<S: Simd, const N: usize> InLanes for Linear<'_, S, N> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.set.count
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.set.masks, group, 1)
    }
}

impl<S: Simd> Channels<S> for Linear<'_, S, 3> {
    type Value = WideVec3<S>;

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideVec3<S> {
        self.left.vectors(from).lerp(s, self.right.vectors(from), self.set.ratios(s, from))
    }
}

impl<S: Simd> Channels<S> for Linear<'_, S, 4> {
    type Value = WideQuat<S>;

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideQuat<S> {
        self.left.rotations(from).nlerp_near_one(s, self.right.rotations(from), self.set.ratios(s, from))
    }
}

struct Cubic<'a, S: Simd, const N: usize> {
    set: Set<'a>,
    oldest: Columns<'a, S, N>,
    left: Columns<'a, S, N>,
    right: Columns<'a, S, N>,
    newest: Columns<'a, S, N>,
    /// What the differences of the outer keys are as slopes at the left and at the right one.
    slopes: [&'a [f32]; 2],
}

impl<'a, S: Simd, const N: usize> Cubic<'a, S, N> {
    #[inline(always)]
    fn new(s: S, keys: Keys<'a>, set: &SetLayout) -> Self {
        let key = |i: usize| key(s, keys.words, set, i);
        let floats: &[f32] = bytemuck::cast_slice(keys.words);
        let slopes =
            [set.slopes(), set.slopes() + set.lanes()].map(|start| &floats[start..start + set.padded()]);
        let (oldest, left, right, newest) = (key(0), key(1), key(2), key(3));
        Self { set: Set::new(keys, set), oldest, left, right, newest, slopes }
    }

    /// The four weights of cubics whose slopes follow from the outer keys.
    #[inline(always)]
    fn weights(&self, s: S, from: usize) -> Weights<S> {
        let t = self.set.ratios(s, from);
        let t2 = t * t;
        let t3 = t2 * t;
        // The slope at the left key is (right - oldest) · a, at the right key (newest - left) · b.
        let a = floats_at(s, self.slopes[0], from) * ((t3 - (t2 + t2)) + t);
        let b = floats_at(s, self.slopes[1], from) * (t3 - t2);
        let rise = t2 * splat(s, 3.0) - (t3 + t3);
        Weights { a: -a, b: (splat(s, 1.0) - rise) - b, c: rise + a, d: b }
    }
}

impl<S: Simd, const N: usize> InLanes for Cubic<'_, S, N> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.set.count
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.set.masks, group, 2)
    }
}

impl<S: Simd> Channels<S> for Cubic<'_, S, 3> {
    type Value = WideVec3<S>;

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideVec3<S> {
        let w = self.weights(s, from);
        let (a, b) = (self.oldest.vectors(from), self.left.vectors(from));
        let (c, d) = (self.right.vectors(from), self.newest.vectors(from));
        WideVec3 { x: w.mix(a.x, b.x, c.x, d.x), y: w.mix(a.y, b.y, c.y, d.y), z: w.mix(a.z, b.z, c.z, d.z) }
    }
}

impl<S: Simd> Channels<S> for Cubic<'_, S, 4> {
    type Value = WideQuat<S>;

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideQuat<S> {
        let w = self.weights(s, from);
        let (a, b) = (self.oldest.rotations(from), self.left.rotations(from));
        let (c, d) = (self.right.rotations(from), self.newest.rotations(from));
        curve_rotations(s, &w, a, b, c, d)
    }
}

/// A native vector at `at`.
#[inline(always)]
fn floats_at<S: Simd>(s: S, floats: &[f32], at: usize) -> S::f32s {
    S::f32s::from_slice(s, &floats[at..at + LEN::<S>()])
}

/// What the oldest, left, right and newest key count for.
struct Weights<S: Simd> {
    a: S::f32s,
    b: S::f32s,
    c: S::f32s,
    d: S::f32s,
}

impl<S: Simd> Weights<S> {
    #[inline(always)]
    fn mix(&self, a: S::f32s, b: S::f32s, c: S::f32s, d: S::f32s) -> S::f32s {
        (a * self.a + b * self.b) + (c * self.c + d * self.d)
    }
}

/// The cubic through `b` and `c`, normalised.
#[inline(always)]
fn curve_rotations<S: Simd>(
    s: S,
    w: &Weights<S>,
    a: WideQuat<S>,
    b: WideQuat<S>,
    c: WideQuat<S>,
    d: WideQuat<S>,
) -> WideQuat<S> {
    // One hemisphere, neighbour by neighbour from the left key.
    let a = a.near(s, b);
    let c = c.near(s, b);
    let d = d.near(s, c);
    WideQuat {
        x: w.mix(a.x, b.x, c.x, d.x),
        y: w.mix(a.y, b.y, c.y, d.y),
        z: w.mix(a.z, b.z, c.z, d.z),
        w: w.mix(a.w, b.w, c.w, d.w),
    }
    .normalize(s)
}
