//! Which channels need a key at a row.

use lissom_math::{
    dispatch,
    simd::{Backend, Simd, prelude::*},
    soa::GROUP,
};

/// Channels that are looked at in one go: one bit each.
pub(super) const BATCH: usize = 64;

/// One bit for each of the right rows from `first` on that equals `row`, and the smallest of the others.
pub(super) fn due_forward(backend: Backend, rows: &[u32], first: usize, row: u32) -> (u64, u32) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, rows: &[u32], row: u32) -> (u64, u32) {
        let wanted = S::u32s::simd_from(s, row);
        let none = S::u32s::simd_from(s, u32::MAX);
        let (mut mask, mut least, mut at) = (0, none, 0);
        for lanes in rows.chunks_exact(S::u32s::LEN) {
            let rows = S::u32s::from_slice(s, lanes);
            let due = rows.simd_eq(wanted);
            mask |= due.to_bitmask() << at;
            let others = due.select(none, rows);
            least = others.simd_lt(least).select(others, least);
            at += S::u32s::LEN;
        }
        let mut lanes = [u32::MAX; GROUP];
        least.store_slice(&mut lanes[..S::u32s::LEN]);
        (mask, lanes.into_iter().fold(u32::MAX, |a, b| if b < a { b } else { a }))
    }
    let rows = batch(rows, first);
    dispatch!(backend, s => kernel(s, rows, row))
}

/// One bit for each of the left rows from `first` on that equals `row`, and the largest of the others.
pub(super) fn due_backward(backend: Backend, rows: &[u32], first: usize, row: u32) -> (u64, u32) {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, rows: &[u32], row: u32) -> (u64, u32) {
        let wanted = S::u32s::simd_from(s, row);
        let none = S::u32s::simd_from(s, 0);
        let (mut mask, mut most, mut at) = (0, none, 0);
        for lanes in rows.chunks_exact(S::u32s::LEN) {
            let rows = S::u32s::from_slice(s, lanes);
            let due = rows.simd_eq(wanted);
            mask |= due.to_bitmask() << at;
            let others = due.select(none, rows);
            most = others.simd_gt(most).select(others, most);
            at += S::u32s::LEN;
        }
        let mut lanes = [0; GROUP];
        most.store_slice(&mut lanes[..S::u32s::LEN]);
        (mask, lanes.into_iter().fold(0, |a, b| if b > a { b } else { a }))
    }
    let rows = batch(rows, first);
    dispatch!(backend, s => kernel(s, rows, row))
}

/// Rows are padded to whole groups of 16, so no vector is cut off.
#[inline(always)]
fn batch(rows: &[u32], first: usize) -> &[u32] {
    let end = if rows.len() < first + BATCH { rows.len() } else { first + BATCH };
    &rows[first..end]
}
