//! From key integers to floats, 16 lanes at a time, only where keys changed.
//!
//! A fetched key waits in its place as raw integers (as floats), with a bit that says so. Decoding works on
//! whole vectors and keeps the lanes that were decoded before.

use super::{
    active::{SETS, SetLayout},
    state::State,
    view::View,
};
use lissom_math::{
    simd::{LEN, Simd, WideQuat, WideVec3, prelude::*, splat},
    soa::GROUP,
};

/// Decodes every key that was fetched since the last call.
#[inline(always)]
pub(crate) fn decode<S: Simd>(s: S, state: &mut State, words: &mut [u32], clip: &View<'_>) {
    if !state.fetched {
        return;
    }
    state.fetched = false;
    let layout = &clip.layout.active;
    let dirty = layout.dirty_start();
    for index in 0..SETS {
        let set = &layout.sets[index];
        if set.lanes() == 0 {
            continue;
        }
        let consts = &clip.floats()[clip.layout.lane_consts[index].start..];
        for key in 0..set.window() {
            for block in 0..set.blocks() {
                let mask = core::mem::take(&mut words[dirty + set.dirty(key, block)]);
                if mask == 0 {
                    continue;
                }
                let floats: &mut [f32] = bytemuck::cast_slice_mut(words);
                let mut at = block * GROUP;
                let mut part = mask;
                while part != 0 {
                    let mask = S::mask32s::from_bitmask(s, u64::from(part & ((1 << LEN::<S>()) - 1)));
                    match set.width() {
                        4 => rotations(s, floats, set, consts, key, at, mask),
                        _ => vectors(s, floats, set, consts, key, at, mask),
                    }
                    at += LEN::<S>();
                    part >>= LEN::<S>();
                }
            }
        }
        if set.window() == 2 {
            for block in 0..set.blocks() {
                let mut part = core::mem::take(&mut words[dirty + set.swapped(block)]);
                let mut at = block * GROUP;
                while part != 0 {
                    let mask = S::mask32s::from_bitmask(s, u64::from(part & ((1 << LEN::<S>()) - 1)));
                    swap(s, &mut words[..], set, at, mask);
                    at += LEN::<S>();
                    part >>= LEN::<S>();
                }
            }
        }
    }
}

/// Puts the two keys of the lanes that the mask names in order.
#[inline(always)]
fn swap<S: Simd>(s: S, words: &mut [u32], set: &SetLayout, at: usize, mask: S::mask32s) {
    let (n, keys) = (set.lanes(), &mut words[set.key(0)..]);
    let mut i = 0;
    while i < set.width() {
        let (l, r) = (i * n + at, (set.width() + i) * n + at);
        let left = S::u32s::from_slice(s, &keys[l..l + LEN::<S>()]);
        let right = S::u32s::from_slice(s, &keys[r..r + LEN::<S>()]);
        // The left one first: behind its last lane a vector reaches into what follows, which is stored as it
        // was.
        mask.select(right, left).store_slice(&mut keys[l..l + LEN::<S>()]);
        let right = if l + LEN::<S>() > r { S::u32s::from_slice(s, &keys[r..r + LEN::<S>()]) } else { right };
        mask.select(left, right).store_slice(&mut keys[r..r + LEN::<S>()]);
        i += 1;
    }
}

/// A native vector at `at` of an array of `lanes` floats, which may reach into what follows.
#[inline(always)]
fn get<S: Simd>(s: S, floats: &[f32], array: usize, lanes: usize, at: usize) -> S::f32s {
    let start = array * lanes + at;
    match floats.get(start..start + LEN::<S>()) {
        Some(v) => S::f32s::from_slice(s, v),
        None => S::f32s::from_slice(s, &rest(floats, start)[..LEN::<S>()]),
    }
}

#[cold]
#[inline(never)]
fn rest(floats: &[f32], start: usize) -> [f32; GROUP] {
    let mut lanes = [0.0; GROUP];
    lanes.iter_mut().zip(floats.get(start..).unwrap_or_default()).for_each(|(l, v)| *l = *v);
    lanes
}

/// The integers of the lanes that the mask names. Zero elsewhere: what is not a float of ours may be
/// subnormal, and slow.
#[inline(always)]
fn raw<S: Simd>(s: S, keys: &[f32], lanes: usize, at: usize, mask: S::mask32s) -> WideVec3<S> {
    let zero = splat(s, 0.0);
    WideVec3 {
        x: mask.select(get(s, keys, 0, lanes, at), zero),
        y: mask.select(get(s, keys, 1, lanes, at), zero),
        z: mask.select(get(s, keys, 2, lanes, at), zero),
    }
}

/// Stores the lanes that the mask names, and leaves the others as they are.
#[inline(always)]
fn put<S: Simd>(
    s: S,
    v: S::f32s,
    mask: S::mask32s,
    floats: &mut [f32],
    array: usize,
    lanes: usize,
    at: usize,
) {
    let start = array * lanes + at;
    let to = &mut floats[start..start + LEN::<S>()];
    mask.select(v, S::f32s::from_slice(s, to)).store_slice(to);
}

/// base + integer · step
#[inline(always)]
fn vectors<S: Simd>(
    s: S,
    floats: &mut [f32],
    set: &SetLayout,
    consts: &[f32],
    key: usize,
    at: usize,
    mask: S::mask32s,
) {
    let (n, keys) = (set.lanes(), &mut floats[set.key(key)..]);
    let v = raw(s, keys, n, at, mask).scale(mask.select(get(s, consts, 3, n, at), splat(s, 0.0)));
    put(s, get(s, consts, 0, n, at) + v.x, mask, keys, 0, n, at);
    put(s, get(s, consts, 1, n, at) + v.y, mask, keys, 1, n, at);
    put(s, get(s, consts, 2, n, at) + v.z, mask, keys, 2, n, at);
}

/// mean · r, where r is given by modified Rodrigues parameters: axis · tan(angle / 4). One division, no
/// square root, unit length by construction.
#[inline(always)]
fn rotations<S: Simd>(
    s: S,
    floats: &mut [f32],
    set: &SetLayout,
    consts: &[f32],
    key: usize,
    at: usize,
    mask: S::mask32s,
) {
    let (n, keys) = (set.lanes(), &mut floats[set.key(key)..]);
    let v = raw(s, keys, n, at, mask);
    let mean = WideQuat::<S> {
        x: get(s, consts, 0, n, at),
        y: get(s, consts, 1, n, at),
        z: get(s, consts, 2, n, at),
        w: get(s, consts, 3, n, at),
    };
    let v = v.scale(mask.select(get(s, consts, 4, n, at), splat(s, 0.0)));
    put_rotations(s, mean * WideQuat::from_rodrigues(s, v), mask, keys, n, at);
}

#[inline(always)]
fn put_rotations<S: Simd>(s: S, q: WideQuat<S>, mask: S::mask32s, keys: &mut [f32], lanes: usize, at: usize) {
    put(s, q.x, mask, keys, 0, lanes, at);
    put(s, q.y, mask, keys, 1, lanes, at);
    put(s, q.z, mask, keys, 2, lanes, at);
    put(s, q.w, mask, keys, 3, lanes, at);
}
