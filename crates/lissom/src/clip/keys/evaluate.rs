//! From decoded keys to a pose: interpolation, and the copy of what does not move.
//!
//! Channels stand compactly, in joint order, while a pose has a lane for every joint. For each block of
//! output lanes the channels that belong there are one run; it is loaded, interpolated, and *expanded* into
//! the lanes that the mask names, over the constants, over the rest pose. Channels are never interpolated
//! where nothing moves.
//!
//! All arrays of a set are sliced to one length: then one comparison a block covers all its loads. What most
//! blocks need is sliced before the first one, the rest where it is used. No closure here touches a vector, and no
//! vector stands in an array that a loop walks: the one is compiled for the baseline, the other lives in memory.

use super::{
    super::{
        lanes::{contains, part},
        time::Moment,
    },
    active::{ActiveLayout, SetLayout},
    entry::unpack_masks,
    view::View,
};
use crate::JointLod;
use lissom_math::{
    simd::{LEN, Simd, WideQuat, WideVec3, load, prelude::*, splat},
    soa::{GROUP, Lanes, SoaQuat, SoaTransform, SoaVec3},
};

/// Writes every group that the level of detail asks for.
#[inline(always)]
pub(crate) fn evaluate<S: Simd>(
    s: S,
    words: &[u32],
    clip: &View<'_>,
    at: Moment,
    rest: &[SoaTransform],
    lod: Option<&JointLod>,
    out: &mut [SoaTransform],
) {
    let now = Now { tick: S::u32s::simd_from(s, at.tick), fraction: splat(s, at.fraction) };
    let active = Decoded { words, layout: &clip.layout.active };
    let sets = &active.layout.sets;
    let masks = clip.run(clip.layout.masks);
    let (t_masks, masks) = masks.split_at(masks.len() / 3);
    let (r_masks, k_masks) = masks.split_at(masks.len() / 2);
    // Kind by kind: rotations are one long chain of operations, and only several blocks side by side keep the
    // CPU busy.
    let mut r = Rotations::new(active, clip, &sets[2], &sets[3]);
    for (group, ((out, rest), masks)) in out.iter_mut().zip(rest).zip(r_masks.chunks_exact(2)).enumerate() {
        let masks = unpack_masks(masks[0], masks[1]);
        match lod {
            Some(lod) if !contains(lod, group) => r.used.skip(masks),
            _ => r.block(s, &now, masks, &rest.rotation, &mut out.rotation),
        }
    }
    let mut t = Vectors::new(active, clip, 0, &sets[0], &sets[1]);
    for (group, ((out, rest), masks)) in out.iter_mut().zip(rest).zip(t_masks.chunks_exact(2)).enumerate() {
        let masks = unpack_masks(masks[0], masks[1]);
        match lod {
            Some(lod) if !contains(lod, group) => t.used.skip(masks),
            _ => t.block(s, &now, masks, &rest.translation, &mut out.translation),
        }
    }
    let mut k = Vectors::new(active, clip, 2, &sets[4], &sets[5]);
    for (group, ((out, rest), masks)) in out.iter_mut().zip(rest).zip(k_masks.chunks_exact(2)).enumerate() {
        let masks = unpack_masks(masks[0], masks[1]);
        match lod {
            Some(lod) if !contains(lod, group) => k.used.skip(masks),
            _ => k.block(s, &now, masks, &rest.scale, &mut out.scale),
        }
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

struct Now<S: Simd> {
    tick: S::u32s,
    fraction: S::f32s,
}

/// Lanes consumed so far of a kind's constants, linear and cubic channels.
#[derive(Default)]
struct Used {
    constant: usize,
    linear: usize,
    cubic: usize,
}

impl Used {
    #[inline(always)]
    fn skip(&mut self, masks: [u16; 3]) {
        self.constant += masks[0].count_ones() as usize;
        self.linear += masks[1].count_ones() as usize;
        self.cubic += masks[2].count_ones() as usize;
    }
}

/// A native vector at `at`.
#[inline(always)]
fn floats_at<S: Simd>(s: S, floats: &[f32], at: usize) -> S::f32s {
    S::f32s::from_slice(s, &floats[at..at + LEN::<S>()])
}

/// A native vector at `at`; zeros where the array ends.
#[inline(always)]
fn consts_at<S: Simd>(s: S, floats: &[f32], at: usize) -> S::f32s {
    match floats.get(at..at + LEN::<S>()) {
        Some(lanes) => S::f32s::from_slice(s, lanes),
        None => load(s, &tail(floats, at), 0),
    }
}

#[cold]
#[inline(never)]
fn tail(floats: &[f32], at: usize) -> Lanes {
    let mut lanes = Lanes::splat(0.0);
    lanes.0.iter_mut().zip(floats.get(at..).unwrap_or_default()).for_each(|(l, v)| *l = *v);
    lanes
}

/// Where the arrays of a kind's constants end: with room for a wide load behind, unless the clip ends there.
#[inline(always)]
fn consts_len(words: &[f32], start: usize, width: usize, lanes: usize) -> usize {
    if start + width * lanes + GROUP <= words.len() { lanes + GROUP } else { lanes }
}

/// Arrays `first`, `first + 1`, … of `stride` floats, each cut to `len` (which may reach into the next).
#[inline(always)]
fn three(floats: &[f32], start: usize, stride: usize, len: usize) -> [&[f32]; 3] {
    [
        &floats[start..start + len],
        &floats[start + stride..start + stride + len],
        &floats[start + 2 * stride..start + 2 * stride + len],
    ]
}

#[inline(always)]
fn four(floats: &[f32], start: usize, stride: usize, len: usize) -> [&[f32]; 4] {
    let [a, b, c] = three(floats, start, stride, len);
    [a, b, c, &floats[start + 3 * stride..start + 3 * stride + len]]
}

/// A translation or scale key of the window, from a lane on.
#[inline(always)]
fn vec3_at<S: Simd>(s: S, active: Decoded<'_>, set: &SetLayout, key: usize, at: usize) -> WideVec3<S> {
    let [x, y, z] = three(active.floats(), set.key(key), set.lanes(), set.padded());
    WideVec3 { x: floats_at(s, x, at), y: floats_at(s, y, at), z: floats_at(s, z, at) }
}

#[inline(always)]
fn quat_at<S: Simd>(s: S, arrays: [&[f32]; 4], at: usize) -> WideQuat<S> {
    WideQuat {
        x: floats_at(s, arrays[0], at),
        y: floats_at(s, arrays[1], at),
        z: floats_at(s, arrays[2], at),
        w: floats_at(s, arrays[3], at),
    }
}

/// The times of a set's channels.
struct Times<'a> {
    tick: &'a [u32],
    inverse_span: &'a [f32],
}

impl<'a> Times<'a> {
    #[inline(always)]
    fn new(active: Decoded<'a>, set: &SetLayout) -> Self {
        let (tick, span, len) = (active.layout.ticks_start() + set.tick(), set.inverse_span(), set.padded());
        Self { tick: &active.words[tick..tick + len], inverse_span: &active.floats()[span..span + len] }
    }

    /// How far each channel is between its left and its right key.
    #[inline(always)]
    fn ratios<S: Simd>(&self, s: S, now: &Now<S>, lane: usize) -> S::f32s {
        let ticks = S::u32s::from_slice(s, &self.tick[lane..lane + LEN::<S>()]);
        // Ticks are below 2^31 and the left one is not after now, so the difference converts exactly enough.
        let since: S::f32s = (now.tick - ticks).to_float();
        (since + now.fraction) * floats_at(s, self.inverse_span, lane)
    }
}

/// The four weights of cubics whose slopes follow from the outer keys.
#[inline(always)]
fn weights<S: Simd>(s: S, active: Decoded<'_>, set: &SetLayout, now: &Now<S>, lane: usize) -> Weights<S> {
    let t = Times::new(active, set).ratios(s, now, lane);
    let t2 = t * t;
    let t3 = t2 * t;
    // The slope at the left key is (right - oldest) · a, at the right key (newest - left) · b.
    let (floats, slopes) = (active.floats(), set.slopes() + lane);
    let a = floats_at(s, floats, slopes) * ((t3 - (t2 + t2)) + t);
    let b = floats_at(s, floats, slopes + set.lanes()) * (t3 - t2);
    let rise = t2 * splat(s, 3.0) - (t3 + t3);
    Weights { a: -a, b: (splat(s, 1.0) - rise) - b, c: rise + a, d: b }
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

/// Translations or scales.
struct Vectors<'a> {
    used: Used,
    consts: [&'a [f32]; 3],
    active: Decoded<'a>,
    linear: &'a SetLayout,
    cubic: &'a SetLayout,
}

impl<'a> Vectors<'a> {
    #[inline(always)]
    fn new(
        active: Decoded<'a>,
        clip: &View<'a>,
        kind: usize,
        linear: &'a SetLayout,
        cubic: &'a SetLayout,
    ) -> Self {
        let words = clip.floats();
        let (start, count) = (clip.layout.consts[kind].start, clip.layout.const_lanes[kind]);
        let consts = three(words, start, count, consts_len(words, start, 3, count));
        Self { used: Used::default(), consts, active, linear, cubic }
    }

    #[inline(always)]
    fn block<S: Simd>(&mut self, s: S, now: &Now<S>, masks: [u16; 3], rest: &SoaVec3, out: &mut SoaVec3) {
        if masks == [0; 3] {
            *out = *rest;
            return;
        }
        let mut at = 0;
        while at < GROUP {
            let mut v = WideVec3::load(s, rest, at);
            let mask = part::<S>(masks[0], at);
            if mask != 0 {
                let (c, lane) = (&self.consts, self.used.constant);
                let (x, y, z) =
                    (consts_at(s, c[0], lane), consts_at(s, c[1], lane), consts_at(s, c[2], lane));
                v = WideVec3 { x, y, z }.expand(s, mask, v);
                self.used.constant += mask.count_ones() as usize;
            }
            let mask = part::<S>(masks[1], at);
            if mask != 0 {
                let lane = self.used.linear;
                let (active, set) = (self.active, self.linear);
                let t = Times::new(active, set).ratios(s, now, lane);
                let (a, b) = (vec3_at(s, active, set, 0, lane), vec3_at(s, active, set, 1, lane));
                v = a.lerp(s, b, t).expand(s, mask, v);
                self.used.linear += mask.count_ones() as usize;
            }
            let mask = part::<S>(masks[2], at);
            if mask != 0 {
                let lane = self.used.cubic;
                let (active, set) = (self.active, self.cubic);
                let w = weights(s, active, set, now, lane);
                let (a, b) = (vec3_at(s, active, set, 0, lane), vec3_at(s, active, set, 1, lane));
                let (c, d) = (vec3_at(s, active, set, 2, lane), vec3_at(s, active, set, 3, lane));
                let mixed = WideVec3 {
                    x: w.mix(a.x, b.x, c.x, d.x),
                    y: w.mix(a.y, b.y, c.y, d.y),
                    z: w.mix(a.z, b.z, c.z, d.z),
                };
                v = mixed.expand(s, mask, v);
                self.used.cubic += mask.count_ones() as usize;
            }
            v.store(out, at);
            at += LEN::<S>();
        }
    }
}

struct Rotations<'a> {
    used: Used,
    consts: [&'a [f32]; 4],
    left: [&'a [f32]; 4],
    right: [&'a [f32]; 4],
    times: Times<'a>,
    active: Decoded<'a>,
    cubic: &'a SetLayout,
}

impl<'a> Rotations<'a> {
    #[inline(always)]
    fn new(active: Decoded<'a>, clip: &View<'a>, linear: &SetLayout, cubic: &'a SetLayout) -> Self {
        let (floats, lanes, len) = (active.floats(), linear.lanes(), linear.padded());
        let words = clip.floats();
        let (start, count) = (clip.layout.consts[1].start, clip.layout.const_lanes[1]);
        Self {
            used: Used::default(),
            consts: four(words, start, count, consts_len(words, start, 4, count)),
            left: four(floats, linear.key(0), lanes, len),
            right: four(floats, linear.key(1), lanes, len),
            times: Times::new(active, linear),
            active,
            cubic,
        }
    }

    /// A key of the cubics' window, from a lane on.
    #[inline(always)]
    fn cubic_at<S: Simd>(&self, s: S, key: usize, at: usize) -> WideQuat<S> {
        let set = self.cubic;
        quat_at(s, four(self.active.floats(), set.key(key), set.lanes(), set.padded()), at)
    }

    #[inline(always)]
    fn block<S: Simd>(&mut self, s: S, now: &Now<S>, masks: [u16; 3], rest: &SoaQuat, out: &mut SoaQuat) {
        if masks == [0; 3] {
            *out = *rest;
            return;
        }
        let mut at = 0;
        while at < GROUP {
            let mut v = WideQuat::load(s, rest, at);
            let mask = part::<S>(masks[0], at);
            if mask != 0 {
                let (c, lane) = (&self.consts, self.used.constant);
                let (x, y) = (consts_at(s, c[0], lane), consts_at(s, c[1], lane));
                let (z, w) = (consts_at(s, c[2], lane), consts_at(s, c[3], lane));
                v = WideQuat { x, y, z, w }.expand(s, mask, v);
                self.used.constant += mask.count_ones() as usize;
            }
            let mask = part::<S>(masks[1], at);
            if mask != 0 {
                let lane = self.used.linear;
                let t = self.times.ratios(s, now, lane);
                let (a, b) = (quat_at(s, self.left, lane), quat_at(s, self.right, lane));
                v = a.nlerp_near_one(s, b, t).expand(s, mask, v);
                self.used.linear += mask.count_ones() as usize;
            }
            let mask = part::<S>(masks[2], at);
            if mask != 0 {
                let lane = self.used.cubic;
                let w = weights(s, self.active, self.cubic, now, lane);
                let (a, b) = (self.cubic_at(s, 0, lane), self.cubic_at(s, 1, lane));
                let (c, d) = (self.cubic_at(s, 2, lane), self.cubic_at(s, 3, lane));
                v = curve_rotations(s, &w, a, b, c, d).expand(s, mask, v);
                self.used.cubic += mask.count_ones() as usize;
            }
            v.store(out, at);
            at += LEN::<S>();
        }
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
