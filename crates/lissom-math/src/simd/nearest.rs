//! Squared distances in whole numbers, of sixteen rows at once: what a search for the nearest row is made of.
//!
//! Numbers are stored with [`ZERO`] added, so that they are never negative: the distance from a box is then two
//! subtractions that stop at 0. Everything is an integer, so every backend gives the same bits. The caller makes sure
//! that no difference exceeds 15 bits and no sum 31.

use super::LEN;
use crate::soa::{GROUP, Lanes};
use fearless_simd::{Simd, prelude::*};

/// What is added to a number to store it.
pub const ZERO: u16 = 1 << 15;

/// Pairs of columns after which a search looks whether it may stop: eight columns.
const EARLY: usize = 4;

/// Two columns of sixteen rows, row by row: one cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs(pub [u16; 2 * GROUP]);

impl Pairs {
    /// Zeros.
    pub const NONE: Self = Self([ZERO; 2 * GROUP]);
}

/// Two columns of sixteen boxes: from here, to there.
pub type Boxes = [Pairs; 2];

/// Two columns of a query as they are compared with rows.
#[inline(always)]
#[must_use]
pub const fn pair(first: i16, second: i16) -> u32 {
    (first.cast_unsigned() ^ ZERO) as u32 | ((second.cast_unsigned() ^ ZERO) as u32) << 16
}

/// The squared distances of sixteen rows from a query. A bit is set for each row that is no further than `most`; `out`
/// holds the distances of these rows, and anything for the others.
#[inline(always)]
pub fn distances<S: Simd>(s: S, rows: &[Pairs], query: &[u32], most: i32, out: &mut [i32; GROUP]) -> u32 {
    let one = |row: &Pairs, query: S::u16s, at: usize| -> S::i16s {
        let row = S::u16s::from_slice(s, &row.0[2 * at..2 * at + 2 * LEN::<S>()]);
        (row - query).bitcast()
    };
    by_lanes(s, rows, query, most, out, one)
}

/// The squared distances of sixteen boxes from a query: no row inside is nearer. Otherwise as [`distances`].
#[inline(always)]
pub fn box_distances<S: Simd>(
    s: S,
    boxes: &[Boxes],
    query: &[u32],
    most: i32,
    out: &mut [i32; GROUP],
) -> u32 {
    let one = |[from, to]: &Boxes, query: S::u16s, at: usize| -> S::i16s {
        let from = S::u16s::from_slice(s, &from.0[2 * at..2 * at + 2 * LEN::<S>()]);
        let to = S::u16s::from_slice(s, &to.0[2 * at..2 * at + 2 * LEN::<S>()]);
        // At most one of the two is not 0.
        (from.saturating_sub(query) | query.saturating_sub(to)).bitcast()
    };
    by_lanes(s, boxes, query, most, out, one)
}

/// Runs a vector's lanes through all columns before the next vector's.
#[inline(always)]
fn by_lanes<S: Simd, T>(
    s: S,
    columns: &[T],
    query: &[u32],
    most: i32,
    out: &mut [i32; GROUP],
    one: impl Fn(&T, S::u16s, usize) -> S::i16s + Copy,
) -> u32 {
    // Literals, so that the compiler knows every place: a loop would check each.
    let mut near = lanes::<S, T, 0>(s, columns, query, most, out, one);
    if LEN::<S>() <= 8 {
        near |= lanes::<S, T, 1>(s, columns, query, most, out, one);
    }
    if LEN::<S>() <= 4 {
        near |= lanes::<S, T, 2>(s, columns, query, most, out, one);
        near |= lanes::<S, T, 3>(s, columns, query, most, out, one);
    }
    near
}

#[inline(always)]
fn lanes<S: Simd, T, const VECTOR: usize>(
    s: S,
    columns: &[T],
    query: &[u32],
    most: i32,
    out: &mut [i32; GROUP],
    one: impl Fn(&T, S::u16s, usize) -> S::i16s,
) -> u32 {
    let at = VECTOR * LEN::<S>();
    let most = S::i32s::simd_from(s, most);
    let mut sum = S::i32s::simd_from(s, 0);
    for (count, (column, pair)) in columns.iter().zip(query).enumerate() {
        if count == EARLY && !sum.simd_le(most).any_true() {
            return 0;
        }
        let difference = one(column, S::u32s::simd_from(s, *pair).bitcast(), at);
        sum += difference.pairwise_dot_product(difference);
    }
    sum.store_slice(&mut out[at..at + LEN::<S>()]);
    (sum.simd_le(most).to_bitmask() as u32) << at
}

/// `(value - offset) · scale`, rounded to the nearest whole number, to the even one of two, within `±most`. `most` is
/// below 2^22. A value that is no number becomes `most`.
#[inline(always)]
pub fn quantise<S: Simd>(s: S, values: &Lanes, offsets: &Lanes, scales: &Lanes, most: f32, out: &mut [i16]) {
    // Numbers of this size have no fraction: adding it rounds, and taking it away is exact.
    let whole = super::splat(s, 12_582_912.0);
    let (low, high) = (super::splat(s, -most), super::splat(s, most));
    for (at, out) in (0..GROUP).step_by(LEN::<S>()).zip(out.chunks_mut(LEN::<S>())) {
        let of = |lanes: &Lanes| super::load(s, lanes, at);
        let v = (of(values) - of(offsets)) * of(scales);
        let v = v.simd_lt(high).select(v, high);
        let v = v.simd_gt(low).select(v, low);
        let v: S::i32s = ((v + whole) - whole).to_int();
        for (to, v) in out.iter_mut().zip(v.as_slice()) {
            *to = *v as i16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dispatch, simd::Backend};

    /// Numbers of a seed, within ±`most`.
    fn numbers(seed: u64, most: i64) -> impl FnMut() -> i16 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // The largest numbers are as common as all others.
            let edges = [most, -most, 0, 1];
            let v = (state >> 20) as i64;
            (if v % 2 == 0 { edges[(v / 2 % 4) as usize] } else { v / 2 % (2 * most + 1) - most }) as i16
        }
    }

    fn stored(v: i16) -> u16 {
        v.cast_unsigned() ^ ZERO
    }

    #[test]
    fn distances_are_those_of_plain_code_at_the_limits() {
        for pairs in [1, 2, 3, 4, 5, 6, 14, 33] {
            // The largest numbers whose sum is below 2^31.
            let most = ((i64::from(i32::MAX) / (8 * pairs as i64)) as f64).sqrt() as i64;
            for seed in 0..40 {
                let mut number = numbers(seed, most);
                let query: Vec<[i16; 2]> = (0..pairs).map(|_| [number(), number()]).collect();
                let words: Vec<u32> = query.iter().map(|q| pair(q[0], q[1])).collect();
                let mut rows: Vec<[i16; 32]> =
                    (0..pairs).map(|_| core::array::from_fn(|_| number())).collect();
                if seed % 3 == 0 {
                    // Nothing is added behind the eight columns after which a search may stop.
                    let rest = rows.iter_mut().zip(&query).skip(EARLY);
                    rest.for_each(|(row, q)| *row = core::array::from_fn(|i| q[i % 2]));
                }
                let more: Vec<[i16; 32]> = (0..pairs).map(|_| core::array::from_fn(|_| number())).collect();
                let boxes: Vec<Boxes> = rows
                    .iter()
                    .zip(&more)
                    .map(|(a, b)| {
                        let of = |pick: fn(i16, i16) -> i16| {
                            Pairs(core::array::from_fn(|i| stored(pick(a[i], b[i]))))
                        };
                        [of(Ord::min), of(Ord::max)]
                    })
                    .collect();
                let stored: Vec<Pairs> = rows.iter().map(|row| Pairs(row.map(stored))).collect();
                let plain: [i64; 16] = core::array::from_fn(|lane| {
                    (0..2 * pairs)
                        .map(|c| {
                            let d = i64::from(rows[c / 2][2 * lane + c % 2]) - i64::from(query[c / 2][c % 2]);
                            d * d
                        })
                        .sum()
                });
                let plain_boxes: [i64; 16] = core::array::from_fn(|lane| {
                    (0..2 * pairs)
                        .map(|c| {
                            let (a, b) = (rows[c / 2][2 * lane + c % 2], more[c / 2][2 * lane + c % 2]);
                            let q = query[c / 2][c % 2];
                            let nearest = if q < a.min(b) { a.min(b) } else { q.min(a.max(b)) };
                            (i64::from(nearest) - i64::from(q)).pow(2)
                        })
                        .sum()
                });
                for (lane, of_box) in plain_boxes.iter().enumerate() {
                    assert!(*of_box <= plain[lane], "a box is further than what is in it");
                }
                let sums = plain.iter().chain(&plain_boxes).copied();
                for limit in sums.flat_map(|v| [v, v - 1]).chain([i64::from(i32::MAX), 0]) {
                    let limit = i32::try_from(limit).unwrap();
                    for backend in Backend::all() {
                        let (mut a, mut b) = ([0; 16], [0; 16]);
                        let near = dispatch!(backend, s => distances(s, &stored, &words, limit, &mut a));
                        let near_boxes =
                            dispatch!(backend, s => box_distances(s, &boxes, &words, limit, &mut b));
                        for lane in 0..16 {
                            for (near, found, plain) in
                                [(near, a[lane], plain[lane]), (near_boxes, b[lane], plain_boxes[lane])]
                            {
                                let is_near = plain <= i64::from(limit);
                                assert_eq!(near >> lane & 1 == 1, is_near, "{backend}, lane {lane}");
                                assert!(!is_near || i64::from(found) == plain, "{backend}, lane {lane}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_rounded_to_even_and_kept_within_bounds() {
        let values: [f32; 16] = core::array::from_fn(|i| i as f32 * 0.5 - 4.0);
        let nasty = [
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -0.0,
            1e-40,
            4_094.5,
            4_095.5,
            -4_095.5,
            4_096.0,
            4_093.5,
            2.500_000_2,
            0.499_999_97,
            -0.5,
            -1.5,
        ];
        for (values, expected) in [
            (values, [-4, -4, -3, -2, -2, -2, -1, 0, 0, 0, 1, 2, 2, 2, 3, 4]),
            (
                nasty,
                [4_095, -4_095, 4_095, -4_095, 4_095, 0, 0, 4_094, 4_095, -4_095, 4_095, 4_094, 3, 0, 0, -2],
            ),
        ] {
            for backend in Backend::all() {
                let mut out = [0; 16];
                let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
                dispatch!(backend, s => quantise(s, &Lanes(values), &zero, &one, 4_095.0, &mut out));
                assert_eq!(out, expected, "{backend}");
            }
        }
    }
}
