//! From key integers to floats, 16 lanes at a time, only where keys changed.

use super::{
    advance::Int,
    cursor::{Cursor, SetLayout, State},
    layout::{SETS, format},
    view::ClipView,
};
use lissom_math::{
    simd::{LEN, Simd, WideQuat, WideVec3, load, prelude::*, splat},
    soa::{GROUP, Lanes, SoaQuat, SoaVec3},
};

/// Decodes every key that was fetched since the last call.
#[inline(always)]
pub(crate) fn decode<S: Simd>(s: S, cursor: &mut Cursor, clip: &ClipView<'_>) {
    if cursor.state.wide {
        decode_ints::<S, i32>(s, cursor, clip);
    } else {
        decode_ints::<S, i16>(s, cursor, clip);
    }
}

#[inline(always)]
fn decode_ints<S: Simd, I: Int>(s: S, cursor: &mut Cursor, clip: &ClipView<'_>) {
    let layout = cursor.state;
    let mut state = layout.split::<I>(&mut cursor.words);
    if state.dirty.iter().all(|d| *d == 0) {
        return;
    }
    let plain16 = clip.layout.is(format::FLAG_PLAIN16);
    for index in 0..SETS {
        let set = &layout.sets[index];
        let consts = clip.floats(clip.layout.lane_consts[index]);
        let blocks = set.lanes.div_ceil(GROUP);
        for key in 0..set.window {
            for block in 0..blocks {
                let bit = set.dirty + key * blocks + block;
                if state.dirty[bit / 32] >> (bit % 32) & 1 == 0 {
                    continue;
                }
                match (set.width, plain16) {
                    (4, false) => rotations(s, &mut state, set, consts, key, block * GROUP),
                    (4, true) => plain_rotations(s, &mut state, set, key, block * GROUP),
                    (_, false) => vectors(s, &mut state, set, consts, key, block * GROUP),
                    (_, true) => plain_vectors(&mut state, set, key, block * GROUP),
                }
            }
        }
    }
    state.dirty.fill(0);
}

/// Up to 16 integers of a key's component, as floats; 0 past the set's last lane.
#[inline(always)]
fn ints<I: Int>(state: &State<'_, I>, set: &SetLayout, key: usize, c: usize, at: usize) -> Lanes {
    let all = &state.ints[set.ints + (key * 3 + c) * set.lanes..][..set.lanes];
    let mut lanes = Lanes::splat(0.0);
    if let Some(sixteen) = all.get(at..at + GROUP) {
        for (lane, v) in lanes.0.iter_mut().zip(sixteen) {
            *lane = v.get() as f32;
        }
    } else {
        for (lane, v) in lanes.0.iter_mut().zip(&all[at..]) {
            *lane = v.get() as f32;
        }
    }
    lanes
}

/// Up to 16 numbers of one array of a lane table; 0 past the end.
#[inline(always)]
fn table(consts: &[f32], array: usize, lanes: usize, at: usize) -> Lanes {
    let start = array * lanes + at;
    if let Some(sixteen) = consts.get(start..start + GROUP) {
        // What follows the last lane belongs to another array and is not stored anywhere.
        let mut out = Lanes::splat(0.0);
        out.0.copy_from_slice(sixteen);
        return out;
    }
    let mut out = Lanes::splat(0.0);
    for (lane, v) in out.0.iter_mut().zip(consts.get(start..).unwrap_or_default()) {
        *lane = *v;
    }
    out
}

/// Writes up to 16 lanes of a key's component.
#[inline(always)]
fn put<I>(state: &mut State<'_, I>, set: &SetLayout, key: usize, c: usize, at: usize, lanes: &Lanes) {
    let all = &mut state.floats[set.keys + (key * set.width + c) * set.lanes..][..set.lanes];
    if let Some(sixteen) = all.get_mut(at..at + GROUP) {
        sixteen.copy_from_slice(&lanes.0);
    } else {
        all[at..].iter_mut().zip(&lanes.0).for_each(|(to, v)| *to = *v);
    }
}

/// base + integer · step
#[inline(always)]
fn vectors<S: Simd, I: Int>(
    s: S,
    state: &mut State<'_, I>,
    set: &SetLayout,
    consts: &[f32],
    key: usize,
    at: usize,
) {
    let step = table(consts, 3, set.lanes, at);
    for c in 0..3 {
        let (n, base) = (ints(state, set, key, c, at), table(consts, c, set.lanes, at));
        let mut out = Lanes::splat(0.0);
        let mut i = 0;
        while i < GROUP {
            let v = load(s, &base, i) + load(s, &n, i) * load(s, &step, i);
            lissom_math::simd::store(v, &mut out, i);
            i += LEN::<S>();
        }
        put(state, set, key, c, at, &out);
    }
}

/// mean · r, where r is given by modified Rodrigues parameters: axis · tan(angle / 4). One division, no
/// square root, unit length by construction.
#[inline(always)]
fn rotations<S: Simd, I: Int>(
    s: S,
    state: &mut State<'_, I>,
    set: &SetLayout,
    consts: &[f32],
    key: usize,
    at: usize,
) {
    let n = SoaVec3 {
        x: ints(state, set, key, 0, at),
        y: ints(state, set, key, 1, at),
        z: ints(state, set, key, 2, at),
    };
    let mean = SoaQuat {
        x: table(consts, 0, set.lanes, at),
        y: table(consts, 1, set.lanes, at),
        z: table(consts, 2, set.lanes, at),
        w: table(consts, 3, set.lanes, at),
    };
    let step = table(consts, 4, set.lanes, at);
    let mut out = SoaQuat::IDENTITY;
    let one = splat(s, 1.0);
    let mut i = 0;
    while i < GROUP {
        let v = WideVec3::load(s, &n, i).scale(load(s, &step, i));
        let squared = (v.x * v.x + v.y * v.y) + v.z * v.z;
        let inverse = one / (one + squared);
        let r = v.scale(inverse + inverse);
        let r = WideQuat::<S> { x: r.x, y: r.y, z: r.z, w: (one - squared) * inverse };
        (WideQuat::load(s, &mean, i) * r).store(&mut out, i);
        i += LEN::<S>();
    }
    put_rotations(state, set, key, at, &out);
}

/// x, y, z as integers over ±1, w recomputed and not negative.
#[inline(always)]
fn plain_rotations<S: Simd, I: Int>(s: S, state: &mut State<'_, I>, set: &SetLayout, key: usize, at: usize) {
    let n = SoaVec3 {
        x: ints(state, set, key, 0, at),
        y: ints(state, set, key, 1, at),
        z: ints(state, set, key, 2, at),
    };
    let mut out = SoaQuat::IDENTITY;
    let (zero, one) = (splat(s, 0.0), splat(s, 1.0));
    let mut i = 0;
    while i < GROUP {
        let v = WideVec3::load(s, &n, i).scale(splat(s, 1.0 / 32767.0));
        let left = one - ((v.x * v.x + v.y * v.y) + v.z * v.z);
        let w = left.simd_gt(zero).select(left, zero).sqrt();
        WideQuat::<S> { x: v.x, y: v.y, z: v.z, w }.normalize(s).store(&mut out, i);
        i += LEN::<S>();
    }
    put_rotations(state, set, key, at, &out);
}

#[inline(always)]
fn put_rotations<I>(state: &mut State<'_, I>, set: &SetLayout, key: usize, at: usize, q: &SoaQuat) {
    put(state, set, key, 0, at, &q.x);
    put(state, set, key, 1, at, &q.y);
    put(state, set, key, 2, at, &q.z);
    put(state, set, key, 3, at, &q.w);
}

/// Half floats.
#[inline(always)]
fn plain_vectors<I: Int>(state: &mut State<'_, I>, set: &SetLayout, key: usize, at: usize) {
    for c in 0..3 {
        let all = &state.ints[set.ints + (key * 3 + c) * set.lanes..][..set.lanes];
        let mut lanes = Lanes::splat(0.0);
        for (lane, v) in lanes.0.iter_mut().zip(&all[at..]) {
            *lane = half_to_f32(v.get() as u16);
        }
        put(state, set, key, c, at, &lanes);
    }
}

/// The value of a half float, exactly.
pub(crate) fn half_to_f32(half: u16) -> f32 {
    let (sign, exponent, fraction) = (half >> 15, half >> 10 & 31, half & 1023);
    let magnitude = match exponent {
        // Subnormal: fraction · 2^-24.
        0 => f32::from(fraction) * (1.0 / 16_777_216.0),
        31 => {
            if fraction == 0 {
                f32::INFINITY
            } else {
                f32::NAN
            }
        }
        e => f32::from_bits((u32::from(e) + 112) << 23 | u32::from(fraction) << 13),
    };
    if sign != 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::half_to_f32;

    #[test]
    fn half_floats_have_their_known_values() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x0001, 5.960_464_5e-8),
            (0x7bff, 65504.0),
            (0x0400, 6.103_515_6e-5),
        ] {
            assert_eq!(half_to_f32(bits), value);
        }
        assert!(half_to_f32(0x7e00).is_nan() && half_to_f32(0xfc00) == f32::NEG_INFINITY);
        assert!(half_to_f32(0x8000).is_sign_negative());
    }
}
