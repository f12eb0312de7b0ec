//! What does not move in a clip of keys: constants over the rest pose.

use super::{
    super::{lanes::part, still::Constants},
    entry::unpack_masks,
    view::View,
};
use lissom_math::{
    simd::{LEN, Simd, WideQuat, WideVec3, load, prelude::*},
    soa::{GROUP, Lanes, SoaQuat, SoaVec3},
};

/// The constants of translations, rotations and scales.
#[inline(always)]
pub(crate) fn constants<'a>(clip: &View<'a>) -> [Held<'a>; 3] {
    [Held::new(clip, 0), Held::new(clip, 1), Held::new(clip, 2)]
}

/// The masks of a kind: constant, linear and cubic lanes of every group, two words each.
#[inline(always)]
pub(super) fn masks_of<'a>(clip: &View<'a>, kind: usize) -> &'a [u32] {
    let masks = clip.run(clip.layout.masks);
    let len = masks.len() / 3;
    &masks[kind * len..(kind + 1) * len]
}

/// One mask of a group; 0 where there is none.
#[inline(always)]
pub(super) fn mask_of(masks: &[u32], group: usize, which: usize) -> u16 {
    match masks.get(group * 2..group * 2 + 2) {
        Some(m) => unpack_masks(m[0], m[1])[which],
        None => 0,
    }
}

/// The constants of a kind.
pub(crate) struct Held<'a> {
    masks: &'a [u32],
    words: &'a [f32],
    start: usize,
    count: usize,
    /// Constants used up by the groups so far.
    used: usize,
}

impl<'a> Held<'a> {
    #[inline(always)]
    fn new(clip: &View<'a>, kind: usize) -> Self {
        let (start, count) = (clip.layout.consts[kind].start, clip.layout.const_lanes[kind]);
        Self { masks: masks_of(clip, kind), words: clip.floats(), start, count, used: 0 }
    }

    /// The next constants of a component; what follows in the clip behind the last, and zeros behind its end.
    #[inline(always)]
    fn next<S: Simd>(&self, s: S, component: usize) -> S::f32s {
        let at = self.start + component * self.count + self.used;
        match self.words.get(at..at + LEN::<S>()) {
            Some(lanes) => S::f32s::from_slice(s, lanes),
            None => load(s, &tail(self.words, at), 0),
        }
    }
}

impl Constants for Held<'_> {
    #[inline(always)]
    fn skip(&mut self, group: usize) {
        self.used += mask_of(self.masks, group, 0).count_ones() as usize;
    }

    #[inline(always)]
    fn vectors<S: Simd>(&mut self, s: S, group: usize, rest: &SoaVec3, out: &mut SoaVec3) {
        let mask = mask_of(self.masks, group, 0);
        if mask == 0 {
            *out = *rest;
            return;
        }
        let mut at = 0;
        while at < GROUP {
            let mask = part::<S>(mask, at);
            let v = WideVec3::<S> { x: self.next(s, 0), y: self.next(s, 1), z: self.next(s, 2) };
            v.expand(s, mask, WideVec3::load(s, rest, at)).store(out, at);
            self.used += mask.count_ones() as usize;
            at += LEN::<S>();
        }
    }

    #[inline(always)]
    fn rotations<S: Simd>(&mut self, s: S, group: usize, rest: &SoaQuat, out: &mut SoaQuat) {
        let mask = mask_of(self.masks, group, 0);
        if mask == 0 {
            *out = *rest;
            return;
        }
        let mut at = 0;
        while at < GROUP {
            let mask = part::<S>(mask, at);
            let (x, y) = (self.next(s, 0), self.next(s, 1));
            let (z, w) = (self.next(s, 2), self.next(s, 3));
            WideQuat { x, y, z, w }.expand(s, mask, WideQuat::load(s, rest, at)).store(out, at);
            self.used += mask.count_ones() as usize;
            at += LEN::<S>();
        }
    }
}

#[cold]
#[inline(never)]
fn tail(floats: &[f32], at: usize) -> Lanes {
    let mut lanes = Lanes::splat(0.0);
    lanes.0.iter_mut().zip(floats.get(at..).unwrap_or_default()).for_each(|(l, v)| *l = *v);
    lanes
}
