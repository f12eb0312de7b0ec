//! From decoded keys to a pose: interpolation, and the copy of what does not move.
//!
//! Channels stand compactly, in joint order, while a pose has a lane for every joint. For each block of
//! output lanes the channels that belong there are one run; it is loaded, interpolated, and *expanded* into
//! the lanes that the mask names, over the constants, over the rest pose. Channels are never interpolated
//! where nothing moves.
//!
//! No closure here touches a vector: one that goes through `map` or `from_fn` is compiled for the baseline,
//! and everything in it becomes ten times slower.

use super::{
    cursor::{Cursor, Moment, SetLayout},
    view::ClipView,
};
use crate::job::JointLod;
use lissom_math::{
    simd::{LEN, Simd, load, prelude::*, splat, store},
    soa::{GROUP, Lanes, SoaTransform},
};

/// Lanes consumed so far of a kind's constants, linear and cubic channels.
type Used = [usize; 3];

/// Writes every group that the level of detail asks for.
#[inline(always)]
pub(crate) fn evaluate<S: Simd>(
    s: S,
    cursor: &Cursor,
    clip: &ClipView<'_>,
    at: Moment,
    rest: &[SoaTransform],
    lod: Option<&JointLod>,
    out: &mut [SoaTransform],
) {
    let time = Time { tick: at.tick, fraction: splat(s, at.fraction) };
    let mut used: [Used; 3] = [[0; 3]; 3];
    for (group, (out, rest)) in out.iter_mut().zip(rest).enumerate() {
        let masks: [[u16; 3]; 3] = core::array::from_fn(|kind| clip.masks(kind, group));
        if lod.is_none_or(|lod| lod.contains_group(group)) {
            let [t, r, k] = &mut used;
            let (from, to) = (&rest.rotation, &mut out.rotation);
            block_4(
                s,
                cursor,
                clip,
                &time,
                masks[1],
                r,
                [&from.x, &from.y, &from.z, &from.w],
                [&mut to.x, &mut to.y, &mut to.z, &mut to.w],
            );
            let vectors =
                [(0, &rest.translation, &mut out.translation, t), (2, &rest.scale, &mut out.scale, k)];
            for (kind, from, to, used) in vectors {
                block_3(
                    s,
                    cursor,
                    clip,
                    &time,
                    kind,
                    masks[kind],
                    used,
                    [&from.x, &from.y, &from.z],
                    [&mut to.x, &mut to.y, &mut to.z],
                );
            }
        } else {
            for (used, masks) in used.iter_mut().zip(masks) {
                (0..3).for_each(|i| used[i] += masks[i].count_ones() as usize);
            }
        }
    }
}

struct Time<V> {
    tick: u32,
    fraction: V,
}

/// A native vector of floats at `at`; zeros where the array ends.
#[inline(always)]
fn floats_at<S: Simd>(s: S, floats: &[f32], at: usize) -> S::f32s {
    match floats.get(at..at + LEN::<S>()) {
        Some(lanes) => S::f32s::from_slice(s, lanes),
        None => tail(s, floats, at),
    }
}

#[inline(always)]
fn tail<S: Simd>(s: S, floats: &[f32], at: usize) -> S::f32s {
    let mut lanes = Lanes::splat(0.0);
    lanes.0.iter_mut().zip(floats.get(at..).unwrap_or_default()).for_each(|(l, v)| *l = *v);
    load(s, &lanes, 0)
}

/// How far each channel is between its left and its right key.
#[inline(always)]
fn ratios<S: Simd>(
    s: S,
    cursor: &Cursor,
    set: &SetLayout,
    floats: &[f32],
    time: &Time<S::f32s>,
    lane: usize,
) -> S::f32s {
    let words = &cursor.words[cursor.state.floats..];
    let ticks = match words.get(set.tick + lane..set.tick + lane + S::u32s::LEN) {
        Some(lanes) => S::u32s::from_slice(s, lanes),
        None => {
            let mut lanes = [0; GROUP];
            lanes.iter_mut().zip(&words[set.tick + lane..]).for_each(|(l, w)| *l = *w);
            S::u32s::from_slice(s, &lanes[..S::u32s::LEN])
        }
    };
    // Ticks are below 2^31 and the left one is not after now, so the difference converts exactly enough.
    let since: S::f32s = (S::u32s::simd_from(s, time.tick) - ticks).to_float();
    (since + time.fraction) * floats_at(s, floats, set.inverse_span + lane)
}

/// The window's key `key`, component `c`, from a lane on.
#[inline(always)]
fn key<S: Simd>(s: S, set: &SetLayout, floats: &[f32], key: usize, c: usize, lane: usize) -> S::f32s {
    floats_at(s, floats, set.keys + (key * set.width + c) * set.lanes + lane)
}

/// All four keys of the window, component `c`, from a lane on.
#[inline(always)]
fn window_of<S: Simd>(s: S, set: &SetLayout, floats: &[f32], c: usize, lane: usize) -> [S::f32s; 4] {
    [
        key(s, set, floats, 0, c, lane),
        key(s, set, floats, 1, c, lane),
        key(s, set, floats, 2, c, lane),
        key(s, set, floats, 3, c, lane),
    ]
}

/// A rotation key of the window, from a lane on.
#[inline(always)]
fn rotation<S: Simd>(s: S, set: &SetLayout, floats: &[f32], at: usize, lane: usize) -> [S::f32s; 4] {
    [
        key(s, set, floats, at, 0, lane),
        key(s, set, floats, at, 1, lane),
        key(s, set, floats, at, 2, lane),
        key(s, set, floats, at, 3, lane),
    ]
}

/// `q`, or its negative where that is nearer to `other`.
#[inline(always)]
fn near<S: Simd>(s: S, q: [S::f32s; 4], other: [S::f32s; 4]) -> [S::f32s; 4] {
    let away = dot(q, other).simd_lt(splat(s, 0.0));
    [away.select(-q[0], q[0]), away.select(-q[1], q[1]), away.select(-q[2], q[2]), away.select(-q[3], q[3])]
}

/// Puts consecutive `values` into the lanes of `out` that `mask` names.
#[inline(always)]
fn expand<S: Simd>(s: S, values: S::f32s, mask: u32, out: S::f32s) -> S::f32s {
    values.expand_merge(S::mask32s::from_bitmask(s, u64::from(mask)), out)
}

/// The lanes of a mask that fall into the native vector at `at`.
#[inline(always)]
fn part<S: Simd>(mask: u16, at: usize) -> u32 {
    (u32::from(mask) >> at) & ((1 << LEN::<S>()) - 1)
}

/// A translation or scale block.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "one call site a channel kind")]
fn block_3<S: Simd>(
    s: S,
    cursor: &Cursor,
    clip: &ClipView<'_>,
    time: &Time<S::f32s>,
    kind: usize,
    masks: [u16; 3],
    used: &mut Used,
    from: [&Lanes; 3],
    to: [&mut Lanes; 3],
) {
    if masks == [0; 3] {
        for (to, from) in to.into_iter().zip(from) {
            *to = *from;
        }
        return;
    }
    let floats = cursor.state.floats(&cursor.words);
    let [linear, cubic] = [&cursor.state.sets[kind * 2], &cursor.state.sets[kind * 2 + 1]];
    let consts = clip.floats(clip.layout.consts[kind]);
    let count = clip.layout.const_lanes[kind];
    let [to_x, to_y, to_z] = to;
    let mut at = 0;
    while at < GROUP {
        let mut v = [load(s, from[0], at), load(s, from[1], at), load(s, from[2], at)];
        let mask = part::<S>(masks[0], at);
        if mask != 0 {
            for (c, v) in v.iter_mut().enumerate() {
                *v = expand(s, floats_at(s, consts, c * count + used[0]), mask, *v);
            }
            used[0] += mask.count_ones() as usize;
        }
        let mask = part::<S>(masks[1], at);
        if mask != 0 {
            let lane = used[1];
            let t = ratios(s, cursor, linear, floats, time, lane);
            let u = splat(s, 1.0) - t;
            for (c, v) in v.iter_mut().enumerate() {
                let (a, b) = (key(s, linear, floats, 0, c, lane), key(s, linear, floats, 1, c, lane));
                *v = expand(s, a * u + b * t, mask, *v);
            }
            used[1] += mask.count_ones() as usize;
        }
        let mask = part::<S>(masks[2], at);
        if mask != 0 {
            let lane = used[2];
            let h = Hermite::new(s, cursor, cubic, floats, time, lane);
            for (c, v) in v.iter_mut().enumerate() {
                *v = expand(s, h.at(window_of(s, cubic, floats, c, lane)), mask, *v);
            }
            used[2] += mask.count_ones() as usize;
        }
        store(v[0], to_x, at);
        store(v[1], to_y, at);
        store(v[2], to_z, at);
        at += LEN::<S>();
    }
}

/// A rotation block.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "one call site")]
fn block_4<S: Simd>(
    s: S,
    cursor: &Cursor,
    clip: &ClipView<'_>,
    time: &Time<S::f32s>,
    masks: [u16; 3],
    used: &mut Used,
    from: [&Lanes; 4],
    to: [&mut Lanes; 4],
) {
    if masks == [0; 3] {
        for (to, from) in to.into_iter().zip(from) {
            *to = *from;
        }
        return;
    }
    let floats = cursor.state.floats(&cursor.words);
    let [linear, cubic] = [&cursor.state.sets[2], &cursor.state.sets[3]];
    let consts = clip.floats(clip.layout.consts[1]);
    let count = clip.layout.const_lanes[1];
    let [to_x, to_y, to_z, to_w] = to;
    let mut at = 0;
    while at < GROUP {
        let mut v = [load(s, from[0], at), load(s, from[1], at), load(s, from[2], at), load(s, from[3], at)];
        let mask = part::<S>(masks[0], at);
        if mask != 0 {
            for (c, v) in v.iter_mut().enumerate() {
                *v = expand(s, floats_at(s, consts, c * count + used[0]), mask, *v);
            }
            used[0] += mask.count_ones() as usize;
        }
        let mask = part::<S>(masks[1], at);
        if mask != 0 {
            let lane = used[1];
            let t = ratios(s, cursor, linear, floats, time, lane);
            let (a, b) = (rotation(s, linear, floats, 0, lane), rotation(s, linear, floats, 1, lane));
            let u = splat(s, 1.0) - t;
            let t = dot(a, b).simd_lt(splat(s, 0.0)).select(-t, t);
            let q = [a[0] * u + b[0] * t, a[1] * u + b[1] * t, a[2] * u + b[2] * t, a[3] * u + b[3] * t];
            // Between unit quaternions on one hemisphere the squared length is in [1/2, 1].
            let inverse = inverse_sqrt_near_one(s, dot(q, q));
            for (c, v) in v.iter_mut().enumerate() {
                *v = expand(s, q[c] * inverse, mask, *v);
            }
            used[1] += mask.count_ones() as usize;
        }
        let mask = part::<S>(masks[2], at);
        if mask != 0 {
            let lane = used[2];
            let h = Hermite::new(s, cursor, cubic, floats, time, lane);
            // One hemisphere, neighbour by neighbour from the left key.
            let b = rotation(s, cubic, floats, 1, lane);
            let a = near(s, rotation(s, cubic, floats, 0, lane), b);
            let c = near(s, rotation(s, cubic, floats, 2, lane), b);
            let d = near(s, rotation(s, cubic, floats, 3, lane), c);
            let q = [
                h.at([a[0], b[0], c[0], d[0]]),
                h.at([a[1], b[1], c[1], d[1]]),
                h.at([a[2], b[2], c[2], d[2]]),
                h.at([a[3], b[3], c[3], d[3]]),
            ];
            let l2 = dot(q, q);
            let ok = l2.simd_gt(splat(s, lissom_math::scalar::MIN_LENGTH_SQUARED));
            let inverse = splat(s, 1.0) / l2.sqrt();
            for (c, v) in v.iter_mut().enumerate() {
                let identity = splat(s, if c == 3 { 1.0 } else { 0.0 });
                *v = expand(s, ok.select(q[c] * inverse, identity), mask, *v);
            }
            used[2] += mask.count_ones() as usize;
        }
        store(v[0], to_x, at);
        store(v[1], to_y, at);
        store(v[2], to_z, at);
        store(v[3], to_w, at);
        at += LEN::<S>();
    }
}

#[inline(always)]
fn dot<V: Copy + core::ops::Add<Output = V> + core::ops::Mul<Output = V>>(a: [V; 4], b: [V; 4]) -> V {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

/// 1 / √d for d in [0.45, 1.05], to about one unit in the last place: a parabola (0.7 % off), then two Newton
/// steps. Only additions and multiplications, so the same bits everywhere, and a third of the time that an
/// exact square root and division take.
#[inline(always)]
fn inverse_sqrt_near_one<S: Simd>(s: S, d: S::f32s) -> S::f32s {
    let three_halves = splat(s, 1.5);
    let mut y = splat(s, 2.252_764_5) + d * (splat(s, -2.094_35) + d * splat(s, 0.840_639_35));
    let half = d * splat(s, 0.5);
    y = y * (three_halves - half * (y * y));
    y * (three_halves - half * (y * y))
}

/// The four weights of a cubic whose slopes follow from the outer keys.
struct Hermite<V> {
    weights: [V; 4],
}

impl<V: Copy + core::ops::Add<Output = V> + core::ops::Mul<Output = V>> Hermite<V> {
    #[inline(always)]
    fn new<S: Simd<f32s = V>>(
        s: S,
        cursor: &Cursor,
        set: &SetLayout,
        floats: &[f32],
        time: &Time<V>,
        lane: usize,
    ) -> Self
    where
        V: SimdFloat<S, Element = f32>,
    {
        let t = ratios(s, cursor, set, floats, time, lane);
        let t2 = t * t;
        let t3 = t2 * t;
        // The slope at the left key is (right - oldest) · a, at the right key (newest - left) · b.
        let a = floats_at(s, floats, set.slopes + lane) * ((t3 - (t2 + t2)) + t);
        let b = floats_at(s, floats, set.slopes + set.lanes + lane) * (t3 - t2);
        let rise = t2 * splat(s, 3.0) - (t3 + t3);
        Self { weights: [-a, (splat(s, 1.0) - rise) - b, rise + a, b] }
    }

    #[inline(always)]
    fn at(&self, k: [V; 4]) -> V {
        let [a, b, c, d] = self.weights;
        (k[0] * a + k[1] * b) + (k[2] * c + k[3] * d)
    }
}
