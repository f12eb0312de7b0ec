//! From decoded keys to a pose: interpolation, over what does not move.
//!
//! No closure here touches a vector, and no vector stands in an array that a loop walks: the one is compiled for the baseline, the
//! other lives in memory.

use super::{
    super::{
        lanes::{Channels, Kind, Rotations, Scales, Sink, Target, Translations, put_all_still, put_over},
        time::Moment,
    },
    active::{ActiveLayout, SetLayout},
    still::{mask_of, masks_of},
    view::View,
};
use lissom_math::simd::{LEN, Simd, WideQuat, WideVec3, prelude::*, splat, strided};

/// Writes every group that the level of detail asks for.
#[inline(always)]
pub(crate) fn evaluate<S: Simd>(
    s: S,
    words: &[u32],
    clip: &View<'_>,
    at: Moment,
    target: &mut Target<'_>,
    sink: impl Sink,
) {
    let active = Decoded { words, layout: &clip.layout.active };
    let of = |set: usize| Set { active, set: &active.layout.sets[set], masks: masks_of(clip, set / 2), at };
    put_both::<S, Rotations>(s, target, sink, &LinearTurns(of(2)), &CubicTurns(of(3)));
    put_both::<S, Translations>(s, target, sink, &Linear(of(0)), &Cubic(of(1)));
    put_both::<S, Scales>(s, target, sink, &Linear(of(4)), &Cubic(of(5)));
}

/// The linear channels of a kind, and over them the cubic ones; a layer of a blend has none of those.
#[inline(always)]
fn put_both<S: Simd, K: Kind<S>>(
    s: S,
    target: &mut Target<'_>,
    sink: impl Sink,
    linear: &impl Channels<S, Value = K::Value>,
    cubic: &impl Channels<S, Value = K::Value>,
) {
    if linear.count() == 0 {
        put_all_still::<S, K>(s, target, sink);
    } else {
        put_over::<S, K>(s, target, sink, linear);
    }
    if cubic.count() > 0 {
        let mut target = Target { still: None, lod: target.lod, output: &mut *target.output };
        put_over::<S, K>(s, &mut target, sink, cubic);
    }
}

/// The active array, all decoded.
#[derive(Clone, Copy)]
struct Decoded<'a> {
    words: &'a [u32],
    layout: &'a ActiveLayout,
}

impl<'a> Decoded<'a> {
    /// The float region stands first, whole.
    #[inline(always)]
    fn floats(self) -> &'a [f32] {
        bytemuck::cast_slice(self.words)
    }
}

/// The channels of a set, at a moment.
#[derive(Clone, Copy)]
struct Set<'a> {
    active: Decoded<'a>,
    set: &'a SetLayout,
    masks: &'a [u32],
    at: Moment,
}

struct Linear<'a>(Set<'a>);
struct Cubic<'a>(Set<'a>);
struct LinearTurns<'a>(Set<'a>);
struct CubicTurns<'a>(Set<'a>);

impl<S: Simd> Channels<S> for Linear<'_> {
    type Value = WideVec3<S>;

    #[inline(always)]
    fn count(&self) -> usize {
        self.0.set.lanes()
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.0.masks, group, 1)
    }

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideVec3<S> {
        let Set { active, set, .. } = self.0;
        let t = self.0.ratios(s, from);
        vec3_at(s, active, set, 0, from).lerp(s, vec3_at(s, active, set, 1, from), t)
    }
}

impl<S: Simd> Channels<S> for Cubic<'_> {
    type Value = WideVec3<S>;

    #[inline(always)]
    fn count(&self) -> usize {
        self.0.set.lanes()
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.0.masks, group, 2)
    }

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideVec3<S> {
        let Set { active, set, .. } = self.0;
        let w = self.0.weights(s, from);
        let (a, b) = (vec3_at(s, active, set, 0, from), vec3_at(s, active, set, 1, from));
        let (c, d) = (vec3_at(s, active, set, 2, from), vec3_at(s, active, set, 3, from));
        WideVec3 { x: w.mix(a.x, b.x, c.x, d.x), y: w.mix(a.y, b.y, c.y, d.y), z: w.mix(a.z, b.z, c.z, d.z) }
    }
}

impl<S: Simd> Channels<S> for LinearTurns<'_> {
    type Value = WideQuat<S>;

    #[inline(always)]
    fn count(&self) -> usize {
        self.0.set.lanes()
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.0.masks, group, 1)
    }

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideQuat<S> {
        let Set { active, set, .. } = self.0;
        let t = self.0.ratios(s, from);
        quat_at(s, active, set, 0, from).nlerp_near_one(s, quat_at(s, active, set, 1, from), t)
    }
}

impl<S: Simd> Channels<S> for CubicTurns<'_> {
    type Value = WideQuat<S>;

    #[inline(always)]
    fn count(&self) -> usize {
        self.0.set.lanes()
    }

    #[inline(always)]
    fn mask(&self, group: usize) -> u16 {
        mask_of(self.0.masks, group, 2)
    }

    #[inline(always)]
    fn interpolate(&self, s: S, from: usize) -> WideQuat<S> {
        let Set { active, set, .. } = self.0;
        let w = self.0.weights(s, from);
        let (a, b) = (quat_at(s, active, set, 0, from), quat_at(s, active, set, 1, from));
        let (c, d) = (quat_at(s, active, set, 2, from), quat_at(s, active, set, 3, from));
        curve_rotations(s, &w, a, b, c, d)
    }
}

impl Set<'_> {
    /// How far each channel is between its left and its right key.
    #[inline(always)]
    fn ratios<S: Simd>(&self, s: S, from: usize) -> S::f32s {
        let Self { active, set, at, .. } = *self;
        let (start, len) = (active.layout.ticks_start() + set.tick(), set.padded());
        let ticks = &active.words[start..start + len];
        let spans = &active.floats()[set.inverse_span()..set.inverse_span() + len];
        let ticks = S::u32s::from_slice(s, &ticks[from..from + LEN::<S>()]);
        // Ticks are below 2^31 and the left one is not after now, so the difference converts exactly enough.
        let since: S::f32s = (S::u32s::simd_from(s, at.tick) - ticks).to_float();
        (since + splat(s, at.fraction)) * floats_at(s, spans, from)
    }

    /// The four weights of cubics whose slopes follow from the outer keys.
    #[inline(always)]
    fn weights<S: Simd>(&self, s: S, from: usize) -> Weights<S> {
        let t = self.ratios(s, from);
        let t2 = t * t;
        let t3 = t2 * t;
        // The slope at the left key is (right - oldest) · a, at the right key (newest - left) · b.
        let (floats, slopes) = (self.active.floats(), self.set.slopes() + from);
        let a = floats_at(s, floats, slopes) * ((t3 - (t2 + t2)) + t);
        let b = floats_at(s, floats, slopes + self.set.lanes()) * (t3 - t2);
        let rise = t2 * splat(s, 3.0) - (t3 + t3);
        Weights { a: -a, b: (splat(s, 1.0) - rise) - b, c: rise + a, d: b }
    }
}

/// A native vector at `at`.
#[inline(always)]
fn floats_at<S: Simd>(s: S, floats: &[f32], at: usize) -> S::f32s {
    S::f32s::from_slice(s, &floats[at..at + LEN::<S>()])
}

/// A translation or scale key of the window, from a lane on.
#[inline(always)]
fn vec3_at<S: Simd>(s: S, active: Decoded<'_>, set: &SetLayout, key: usize, at: usize) -> WideVec3<S> {
    strided::vectors(s, active.floats(), set.key(key) + at, set.lanes())
}

/// A rotation key of the window, from a lane on.
#[inline(always)]
fn quat_at<S: Simd>(s: S, active: Decoded<'_>, set: &SetLayout, key: usize, at: usize) -> WideQuat<S> {
    strided::rotations(s, active.floats(), set.key(key) + at, set.lanes())
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
