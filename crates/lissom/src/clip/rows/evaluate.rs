//! From integers to a pose: both keys decoded, interpolated, expanded into their joints' lanes.

use super::{
    super::lanes::{contains, part},
    arrays::{META, STEP, meta},
    format::constant_bytes,
    state::State,
    tables::Tables,
    view::View,
};
use crate::JointLod;
use lissom_math::{
    simd::{LEN, Simd, WideQuat, WideVec3, inverse_sqrt_near_one, prelude::*, splat},
    soa::{GROUP, SoaQuat, SoaTransform, SoaVec3},
};

/// Writes every group that the level of detail asks for, `t` of the way between the cursor's two keys.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the kernel of one job: what it takes is what the job has")]
pub(crate) fn evaluate<S: Simd>(
    s: S,
    state: &State,
    words: &[u32],
    clip: &View<'_>,
    t: f32,
    rest: &[SoaTransform],
    lod: Option<&JointLod>,
    out: &mut [SoaTransform],
) {
    let mut r = Kind::new(state, words, clip, 1);
    for (group, (out, rest)) in out.iter_mut().zip(rest).enumerate() {
        let masks = r.masks(group);
        match lod {
            Some(lod) if !contains(lod, group) => r.skip(masks),
            _ => r.rotations(s, t, masks, &rest.rotation, &mut out.rotation),
        }
    }
    let mut v = Kind::new(state, words, clip, 0);
    for (group, (out, rest)) in out.iter_mut().zip(rest).enumerate() {
        let masks = v.masks(group);
        match lod {
            Some(lod) if !contains(lod, group) => v.skip(masks),
            _ => v.vectors(s, t, masks, &rest.translation, &mut out.translation),
        }
    }
    let mut v = Kind::new(state, words, clip, 2);
    for (group, (out, rest)) in out.iter_mut().zip(rest).enumerate() {
        let masks = v.masks(group);
        match lod {
            Some(lod) if !contains(lod, group) => v.skip(masks),
            _ => v.vectors(s, t, masks, &rest.scale, &mut out.scale),
        }
    }
}

/// One kind: its masks, its constants, its lanes, and how many of them are used up.
struct Kind<'a> {
    constant_masks: &'a [u8],
    moving_masks: &'a [u8],
    constants: Constants<'a>,
    /// x, y, z of the left and of the right key.
    left: [&'a [u32]; 3],
    right: [&'a [u32]; 3],
    step: &'a [u32],
    meta: &'a [u32],
    constant: usize,
    lane: usize,
}

impl<'a> Kind<'a> {
    #[inline(always)]
    fn new(state: &State, words: &'a [u32], clip: &View<'a>, kind: usize) -> Self {
        let View { bytes, tables, .. } = *clip;
        let masks =
            |at: usize, lanes: u32| if lanes == 0 { &[][..] } else { bytes.get(at..).unwrap_or_default() };
        let (lanes, start) = (state.arrays.count(kind), state.arrays.start(kind));
        // Behind the last array there is room for a wide load.
        let len = if lanes == 0 { 0 } else { lanes + GROUP };
        let array = |i: usize| &words[start + i * lanes..start + i * lanes + len];
        // Between two blocks the right key is the third.
        let first = if state.row == tables.last_of_block(state.row) { 3 } else { 0 };
        Self {
            constant_masks: masks(tables.constant_masks[kind], tables.constants[kind]),
            moving_masks: masks(tables.moving_masks[kind], tables.lanes[kind]),
            constants: Constants::new(bytes, tables, kind),
            left: [array(first), array(first + 1), array(first + 2)],
            right: [array(first + 3), array(first + 4), array(first + 5)],
            step: array(STEP),
            meta: array(META),
            constant: 0,
            lane: 0,
        }
    }

    #[inline(always)]
    fn masks(&self, group: usize) -> [u16; 2] {
        let mask = |masks: &[u8]| match masks.get(group * 2..group * 2 + 2) {
            Some(m) => u16::from_le_bytes([m[0], m[1]]),
            None => 0,
        };
        [mask(self.constant_masks), mask(self.moving_masks)]
    }

    #[inline(always)]
    fn skip(&mut self, masks: [u16; 2]) {
        self.constant += masks[0].count_ones() as usize;
        self.lane += masks[1].count_ones() as usize;
    }

    /// A key of the lanes from the next one on.
    #[inline(always)]
    fn key<S: Simd>(&self, s: S, arrays: [&[u32]; 3], step: S::f32s) -> WideVec3<S> {
        WideVec3 {
            x: ints(s, arrays[0], self.lane) * step,
            y: ints(s, arrays[1], self.lane) * step,
            z: ints(s, arrays[2], self.lane) * step,
        }
    }

    /// The steps of the next lanes. Zero behind as many as the mask takes: what stands there is no float, and
    /// arithmetic on subnormal numbers takes a hundred times as long.
    #[inline(always)]
    fn step<S: Simd>(&self, s: S, mask: u32) -> S::f32s {
        let floats: &[f32] = bytemuck::cast_slice(self.step);
        let steps = S::f32s::from_slice(s, &floats[self.lane..self.lane + LEN::<S>()]);
        S::mask32s::from_bitmask(s, (1 << mask.count_ones()) - 1).select(steps, splat(s, 0.0))
    }

    #[inline(always)]
    fn meta<S: Simd>(&self, s: S) -> S::u32s {
        S::u32s::from_slice(s, &self.meta[self.lane..self.lane + LEN::<S>()])
    }

    #[inline(always)]
    fn vectors<S: Simd>(&mut self, s: S, t: f32, masks: [u16; 2], rest: &SoaVec3, out: &mut SoaVec3) {
        if masks == [0; 2] {
            *out = *rest;
            return;
        }
        let mut at = 0;
        while at < GROUP {
            let mut v = WideVec3::load(s, rest, at);
            let mask = part::<S>(masks[0], at);
            if mask != 0 {
                v = self.constants.vector(s, self.constant).expand(s, mask, v);
                self.constant += mask.count_ones() as usize;
            }
            let mask = part::<S>(masks[1], at);
            if mask != 0 {
                let step = self.step(s, mask);
                let (a, b) = (self.key(s, self.left, step), self.key(s, self.right, step));
                v = a.lerp(s, b, splat(s, t)).expand(s, mask, v);
                self.lane += mask.count_ones() as usize;
            }
            v.store(out, at);
            at += LEN::<S>();
        }
    }

    #[inline(always)]
    fn rotations<S: Simd>(&mut self, s: S, t: f32, masks: [u16; 2], rest: &SoaQuat, out: &mut SoaQuat) {
        if masks == [0; 2] {
            *out = *rest;
            return;
        }
        let mut at = 0;
        while at < GROUP {
            let mut v = WideQuat::load(s, rest, at);
            let mask = part::<S>(masks[0], at);
            if mask != 0 {
                v = self.constants.rotation(s, self.constant).expand(s, mask, v);
                self.constant += mask.count_ones() as usize;
            }
            let mask = part::<S>(masks[1], at);
            if mask != 0 {
                let (step, meta) = (self.step(s, mask), self.meta(s));
                let (a, b) = (self.key(s, self.left, step), self.key(s, self.right, step));
                v = about(s, meta, between(s, a, b, splat(s, t))).expand(s, mask, v);
                self.lane += mask.count_ones() as usize;
            }
            v.store(out, at);
            at += LEN::<S>();
        }
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

/// The constants of a kind: arrays of integers of one to four bytes.
struct Constants<'a> {
    arrays: [&'a [u8]; 3],
    width: usize,
    step: f32,
}

impl<'a> Constants<'a> {
    #[inline(always)]
    fn new(bytes: &'a [u8], tables: &Tables, kind: usize) -> Self {
        let width = constant_bytes(tables.flags, kind);
        let len = tables.constants[kind] as usize * width;
        // Up to the end of the clip: wide loads may reach beyond an array.
        let array = |i: usize| bytes.get(tables.constants_at[kind] + i * len..).unwrap_or_default();
        Self { arrays: [array(0), array(1), array(2)], width, step: tables.constant_step[kind] }
    }

    /// A number a lane, from constant `at` on; anything behind the last.
    #[inline(always)]
    fn lanes<S: Simd>(&self, s: S, array: usize, at: usize) -> S::f32s {
        let from = at * self.width;
        let array = self.arrays[array];
        // Four bytes are read for each number, however many it has.
        let room = (LEN::<S>() - 1) * self.width + 4;
        if from + room <= array.len() {
            self.unpack(s, &array[from..from + room])
        } else {
            self.unpack(s, &last(array, from)[..room])
        }
    }

    #[inline(always)]
    fn unpack<S: Simd>(&self, s: S, bytes: &[u8]) -> S::f32s {
        let mut ints = [0_i32; GROUP];
        // Loops and not iterators: those are compiled for the baseline.
        match self.width {
            2 => unpack_each::<2>(&mut ints[..LEN::<S>()], bytes),
            3 => unpack_each::<3>(&mut ints[..LEN::<S>()], bytes),
            4 => unpack_each::<4>(&mut ints[..LEN::<S>()], bytes),
            _ => unpack_each::<1>(&mut ints[..LEN::<S>()], bytes),
        }
        S::i32s::from_slice(s, &ints[..LEN::<S>()]).to_float()
    }

    #[inline(always)]
    fn vector<S: Simd>(&self, s: S, at: usize) -> WideVec3<S> {
        let step = splat(s, self.step);
        WideVec3 {
            x: self.lanes(s, 0, at) * step,
            y: self.lanes(s, 1, at) * step,
            z: self.lanes(s, 2, at) * step,
        }
    }

    #[inline(always)]
    fn rotation<S: Simd>(&self, s: S, at: usize) -> WideQuat<S> {
        WideQuat::from_rodrigues(s, self.vector(s, at))
    }
}

#[inline(always)]
fn unpack_each<const WIDTH: usize>(ints: &mut [i32], bytes: &[u8]) {
    let bytes = &bytes[..(ints.len() - 1) * WIDTH + 4];
    let mut i = 0;
    while i < ints.len() {
        let at = i * WIDTH;
        let four = u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        ints[i] = ((four << (32 - 8 * WIDTH)) as i32) >> (32 - 8 * WIDTH);
        i += 1;
    }
}

/// What is left of an array, and zeros.
#[cold]
#[inline(never)]
fn last(array: &[u8], from: usize) -> [u8; 4 * GROUP] {
    let mut bytes = [0; 4 * GROUP];
    bytes.iter_mut().zip(array.get(from..).unwrap_or_default()).for_each(|(to, b)| *to = *b);
    bytes
}
