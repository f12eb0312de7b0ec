//! What does not move in a clip of rows: constants over the rest pose.

use super::{
    super::{lanes::part, still::Constants},
    format::constant_bytes,
    view::View,
};
use lissom_math::{
    simd::{LEN, Simd, WideQuat, WideVec3, prelude::*, splat},
    soa::{GROUP, SoaQuat, SoaVec3},
};

/// The constants of translations, rotations and scales.
#[inline(always)]
pub(crate) fn constants<'a>(clip: &View<'a>) -> [Held<'a>; 3] {
    [Held::new(clip, 0), Held::new(clip, 1), Held::new(clip, 2)]
}

/// The mask of a group; 0 where there is none.
#[inline(always)]
pub(super) fn mask_of(masks: &[u8], group: usize) -> u16 {
    match masks.get(group * 2..group * 2 + 2) {
        Some(m) => u16::from_le_bytes([m[0], m[1]]),
        None => 0,
    }
}

/// The constants of a kind: arrays of integers of one to four bytes.
pub(crate) struct Held<'a> {
    masks: &'a [u8],
    arrays: [&'a [u8]; 3],
    width: usize,
    step: f32,
    /// Constants used up by the groups so far.
    used: usize,
}

impl<'a> Held<'a> {
    #[inline(always)]
    fn new(clip: &View<'a>, kind: usize) -> Self {
        let View { bytes, tables, .. } = *clip;
        let width = constant_bytes(tables.flags, kind);
        let len = tables.constants[kind] as usize * width;
        // Up to the end of the clip: wide loads may reach beyond an array.
        let array = |i: usize| bytes.get(tables.constants_at[kind] + i * len..).unwrap_or_default();
        let masks = match tables.constants[kind] {
            0 => &[][..],
            _ => bytes.get(tables.constant_masks[kind]..).unwrap_or_default(),
        };
        let arrays = [array(0), array(1), array(2)];
        Self { masks, arrays, width, step: tables.constant_step[kind], used: 0 }
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
}

impl Constants for Held<'_> {
    #[inline(always)]
    fn skip(&mut self, group: usize) {
        self.used += mask_of(self.masks, group).count_ones() as usize;
    }

    #[inline(always)]
    fn vectors<S: Simd>(&mut self, s: S, group: usize, rest: &SoaVec3, out: &mut SoaVec3) {
        let mask = mask_of(self.masks, group);
        if mask == 0 {
            *out = *rest;
            return;
        }
        let mut at = 0;
        while at < GROUP {
            let mut v = WideVec3::load(s, rest, at);
            let mask = part::<S>(mask, at);
            if mask != 0 {
                v = self.vector(s, self.used).expand(s, mask, v);
                self.used += mask.count_ones() as usize;
            }
            v.store(out, at);
            at += LEN::<S>();
        }
    }

    #[inline(always)]
    fn rotations<S: Simd>(&mut self, s: S, group: usize, rest: &SoaQuat, out: &mut SoaQuat) {
        let mask = mask_of(self.masks, group);
        if mask == 0 {
            *out = *rest;
            return;
        }
        let mut at = 0;
        while at < GROUP {
            let mut v = WideQuat::load(s, rest, at);
            let mask = part::<S>(mask, at);
            if mask != 0 {
                v = WideQuat::from_rodrigues(s, self.vector(s, self.used)).expand(s, mask, v);
                self.used += mask.count_ones() as usize;
            }
            v.store(out, at);
            at += LEN::<S>();
        }
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
