//! Fetching rows: a block's first, the next one, the one before.

use super::{
    super::{
        bits::{Bits, read_3, word_at},
        error::MissingBlock,
        stats::CursorStats,
    },
    arrays::{ARRAYS, Arrays, meta},
    format::{self, BLOCK_ROWS},
    state::{Place, State},
    tables::Tables,
    view::View,
};
use alloc::vec::Vec;
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Simd, prelude::*},
    soa::GROUP,
};

/// Brings the integers to the interval that starts at a row (before the last one) by the cheapest way.
#[inline]
pub(crate) fn advance(
    backend: Backend,
    state: &mut State,
    words: &mut [u32],
    stats: &mut CursorStats,
    clip: &View<'_>,
    row: u32,
) -> Result<(), MissingBlock> {
    if state.placed && state.row == row {
        return Ok(());
    }
    let block = row / BLOCK_ROWS;
    let first = block * BLOCK_ROWS;
    let last = clip.tables.last_of_block(row);
    // What follows the last row is no key of this block.
    let wanted = if row < last { row + 1 } else { last };
    let index = block as usize;
    let bytes = clip.block(index).ok_or(MissingBlock { block: index })?;
    let arrays = state.arrays;
    let mut place = state.place;
    let here = state.placed && state.block == index;
    let fresh = !here || place.at > wanted && place.at - wanted > wanted - first;
    let next = row == last && (fresh || !place.has_next);
    let from = if fresh { first } else { place.at };
    let rows = u64::from(from.abs_diff(wanted)) + u64::from(fresh) + u64::from(next);
    dispatch!(backend, s => {
        if fresh {
            place = load(arrays, words, clip, bytes, block);
        }
        walk(s, arrays, words, bytes, &mut place, wanted);
        if next {
            load_next(arrays, words, clip, bytes, index);
        }
    });
    place.has_next |= next;
    let channels = clip.head.channels as u64;
    stats.jumps += u64::from(fresh);
    stats.keys_read += rows * channels;
    let keys = (u64::from(row) + 2) * channels;
    *state = State { arrays, placed: true, row, block: index, place, keys };
    Ok(())
}

/// The arrays of one kind, all of one length.
#[inline(always)]
fn arrays_of<'a>(arrays: &Arrays, words: &'a mut [u32], kind: usize) -> [&'a mut [u32]; ARRAYS] {
    let (start, n) = (arrays.start(kind), arrays.count(kind));
    let (a0, rest) = words[start..start + ARRAYS * n].split_at_mut(n);
    let (a1, rest) = rest.split_at_mut(n);
    let (a2, rest) = rest.split_at_mut(n);
    let (b0, rest) = rest.split_at_mut(n);
    let (b1, rest) = rest.split_at_mut(n);
    let (b2, rest) = rest.split_at_mut(n);
    let (c0, rest) = rest.split_at_mut(n);
    let (c1, rest) = rest.split_at_mut(n);
    let (c2, rest) = rest.split_at_mut(n);
    let (step, rest) = rest.split_at_mut(n);
    let (meta, widths) = rest.split_at_mut(n);
    [a0, a1, a2, b0, b1, b2, c0, c1, c2, step, meta, widths]
}

/// Three numbers of the widths in the low bits of a word, and the bit behind them.
#[inline(always)]
fn three(bytes: &[u8], bit: u64, widths: u32) -> ([i32; 3], u64) {
    let x = widths & meta::WIDTH_MASK;
    let y = widths >> meta::WIDTH & meta::WIDTH_MASK;
    let z = widths >> (2 * meta::WIDTH) & meta::WIDTH_MASK;
    let all = u64::from(x + y + z);
    let byte = (bit >> 3) as usize;
    // Eight bytes hold all usual numbers; the end of the clip and very wide ones take the long way.
    let v = if all <= Bits::ROOM && byte + 8 <= bytes.len() {
        let b = &bytes[byte..byte + 8];
        let word = u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]) >> (bit & 7);
        [signed(word, x), signed(word >> x, y), signed(word >> (x + y), z)]
    } else {
        read_3(bytes, bit, [x as u8, y as u8, z as u8])
    };
    (v, bit + all)
}

/// The low bits of a word as a two's complement number; no bits are 0.
#[inline(always)]
fn signed(word: u64, width: u32) -> i32 {
    let (low, sign) = (word & ((1 << width) - 1), (1_u64 << width) >> 1);
    ((low ^ sign).wrapping_sub(sign)) as i32
}

/// Words that a cursor needs.
pub(crate) fn words(clip: &View<'_>) -> usize {
    Arrays { lanes: clip.tables.lanes }.total()
}

/// The state of a cursor that has not fetched anything. Fills in what does not change from block to block.
pub(crate) fn bind(clip: &View<'_>, words: &mut Vec<u32>) -> State {
    let arrays = Arrays { lanes: clip.tables.lanes };
    words.clear();
    words.resize(arrays.total(), 0);
    for kind in 0..3 {
        let [.., steps, metas, widths] = arrays_of(&arrays, words, kind);
        for lane in 0..metas.len() {
            let record = clip.tables.record(clip.bytes, kind, lane, clip.head.blocks);
            steps[lane] = format::step(kind, record.code).to_bits();
            metas[lane] = record.centre << meta::CENTRE_SHIFT;
            let [x, y, z] = record.state;
            let [u, v, w] = record.slope;
            widths[lane] = x | y << 5 | z << 10 | u << 15 | v << 20 | w << 25;
        }
    }
    State { arrays, ..State::default() }
}

/// Where the first keys of a kind's channels stand, from lane to lane, and their widths as in `meta`.
#[inline(always)]
fn first_keys(tables: &Tables, kind: usize) -> (u64, u64, u32) {
    let (size, bits) = (tables.record_bits[kind], tables.base_bits[kind]);
    let widths = bits | bits << meta::WIDTH | bits << (2 * meta::WIDTH);
    (tables.records[kind] + u64::from(size - 3 * bits), u64::from(size), widths)
}

/// Takes the first key of every channel of a block, and how its rows are coded.
#[inline(always)]
fn load(arrays: Arrays, words: &mut [u32], clip: &View<'_>, bytes: &[u8], block: u32) -> Place {
    let View { tables, bytes: clip_bytes, .. } = *clip;
    let width = tables.width_bits();
    let mut state = 0;
    let mut head = if block == 0 { 0 } else { tables.state_bytes as u64 * 8 };
    let mut slope = head + clip.head.channels as u64 * u64::from(1 + 3 * width);
    let mut row_bits = 0;
    let mut kind = 0;
    while kind < 3 {
        let (mut base, stride, base_widths) = first_keys(tables, kind);
        let [ax, ay, az, bx, by, bz, _, _, _, _, metas, widths] = arrays_of(&arrays, words, kind);
        let mut lane = 0;
        while lane < metas.len() {
            let (mut first, _) = three(clip_bytes, base, base_widths);
            base += stride;
            if block > 0 {
                let (off, end) = three(bytes, state, widths[lane]);
                first = [
                    first[0].wrapping_add(off[0]),
                    first[1].wrapping_add(off[1]),
                    first[2].wrapping_add(off[2]),
                ];
                state = end;
            }
            let mut bits = word_at(bytes, head);
            let goes_on = bits.take(1) != 0;
            let (x, y, z) = (bits.take(width), bits.take(width), bits.take(width));
            head += u64::from(1 + 3 * width);
            let mut before = first;
            if goes_on {
                let (steep, end) = three(bytes, slope, widths[lane] >> 15);
                before = [
                    first[0].wrapping_sub(steep[0] << x),
                    first[1].wrapping_sub(steep[1] << y),
                    first[2].wrapping_sub(steep[2] << z),
                ];
                slope = end;
            }
            row_bits += u64::from(x + y + z);
            (ax[lane], ay[lane], az[lane]) = (before[0] as u32, before[1] as u32, before[2] as u32);
            (bx[lane], by[lane], bz[lane]) = (first[0] as u32, first[1] as u32, first[2] as u32);
            metas[lane] = metas[lane] & meta::CENTRE
                | x
                | y << meta::WIDTH
                | z << (2 * meta::WIDTH)
                | if goes_on { meta::GOES_ON } else { 0 };
            lane += 1;
        }
        kind += 1;
    }
    Place { at: block * BLOCK_ROWS, row_bits, rows_bit: slope, has_next: false }
}

/// Takes the first key of every channel of the next block, which stands at the end of these bytes. After the last
/// block comes the first again.
#[inline(always)]
fn load_next(arrays: Arrays, words: &mut [u32], clip: &View<'_>, bytes: &[u8], block: usize) {
    let View { tables, bytes: clip_bytes, .. } = *clip;
    let mut state = bytes.len().saturating_sub(tables.state_bytes) as u64 * 8;
    let goes_round = block + 1 == clip.head.blocks;
    let mut kind = 0;
    while kind < 3 {
        let (mut base, stride, base_widths) = first_keys(tables, kind);
        let [_, _, _, _, _, _, cx, cy, cz, _, _, widths] = arrays_of(&arrays, words, kind);
        let mut lane = 0;
        while lane < widths.len() {
            let (first, _) = three(clip_bytes, base, base_widths);
            let (off, end) = if goes_round { ([0; 3], state) } else { three(bytes, state, widths[lane]) };
            cx[lane] = first[0].wrapping_add(off[0]) as u32;
            cy[lane] = first[1].wrapping_add(off[1]) as u32;
            cz[lane] = first[2].wrapping_add(off[2]) as u32;
            base += stride;
            state = end;
            lane += 1;
        }
        kind += 1;
    }
}

/// Differences of a row, for a few lanes.
#[derive(Clone, Copy)]
struct Differences {
    x: [i32; GROUP],
    y: [i32; GROUP],
    z: [i32; GROUP],
}

impl Differences {
    const NONE: Self = Self { x: [0; GROUP], y: [0; GROUP], z: [0; GROUP] };
}

/// Goes from row to row of a block until `place.at` is the one wanted.
#[inline(always)]
fn walk<S: Simd>(s: S, arrays: Arrays, words: &mut [u32], bytes: &[u8], place: &mut Place, wanted: u32) {
    while place.at < wanted {
        step::<S, false>(s, arrays, words, bytes, place);
        place.at += 1;
    }
    while place.at > wanted {
        step::<S, true>(s, arrays, words, bytes, place);
        place.at -= 1;
    }
}

/// Adds the row after `place.at`; or, going back, takes that row away again, which is not the block's first or second.
#[inline(always)]
fn step<S: Simd, const BACK: bool>(s: S, arrays: Arrays, words: &mut [u32], bytes: &[u8], place: &Place) {
    let row = u64::from(place.at % BLOCK_ROWS);
    // Going back, a prediction that stays is undone by the row before: it is what led to the key before this one.
    let from = if BACK { row.saturating_sub(2) } else { row };
    let mut bit = place.rows_bit + from * place.row_bits;
    let mut d = Differences::NONE;
    let mut kind = 0;
    while kind < 3 {
        let [ax, ay, az, bx, by, bz, _, _, _, _, metas, _] = arrays_of(&arrays, words, kind);
        let mut first = 0;
        while first < metas.len() {
            let metas = &metas[first..];
            let count = if metas.len() < GROUP { metas.len() } else { GROUP };
            let mut lane = 0;
            while lane < count {
                let goes_on = metas[lane] & meta::GOES_ON != 0;
                let further = if BACK && goes_on { place.row_bits } else { 0 };
                let (v, end) = three(bytes, bit + further, metas[lane]);
                (d.x[lane % GROUP], d.y[lane % GROUP], d.z[lane % GROUP]) = (v[0], v[1], v[2]);
                bit = end - further;
                lane += 1;
            }
            move_keys::<S, BACK>(s, metas, &mut ax[first..], &mut bx[first..], &d.x, count);
            move_keys::<S, BACK>(s, metas, &mut ay[first..], &mut by[first..], &d.y, count);
            move_keys::<S, BACK>(s, metas, &mut az[first..], &mut bz[first..], &d.z, count);
            first += GROUP;
        }
        kind += 1;
    }
}

/// One component of up to 16 lanes. Forward: (a, b) becomes (b, b + (b - a where it goes on) + d). Backward is the
/// inverse: (a + (a - b) + d where it goes on, else a - d; a).
#[inline(always)]
fn move_keys<S: Simd, const BACK: bool>(
    s: S,
    metas: &[u32],
    a: &mut [u32],
    b: &mut [u32],
    d: &[i32; GROUP],
    count: usize,
) {
    let mut at = 0;
    if count == GROUP {
        let (metas, a, b) = (&metas[..GROUP], &mut a[..GROUP], &mut b[..GROUP]);
        let d: &[u32] = bytemuck::cast_slice(d);
        while at < GROUP {
            let end = at + LEN::<S>();
            let (old, new) = (S::u32s::from_slice(s, &a[at..end]), S::u32s::from_slice(s, &b[at..end]));
            let (d, on) = (S::u32s::from_slice(s, &d[at..end]), goes_on(s, &metas[at..end]));
            let (left, right) = if BACK {
                (on.select(old + (old - new) + d, old - d), old)
            } else {
                (new, new + on.select(new - old, S::u32s::simd_from(s, 0)) + d)
            };
            left.store_slice(&mut a[at..end]);
            right.store_slice(&mut b[at..end]);
            at = end;
        }
        return;
    }
    while at < count {
        let (old, new, d, on) = (a[at], b[at], d[at] as u32, metas[at] & meta::GOES_ON != 0);
        (a[at], b[at]) = match (BACK, on) {
            (true, true) => (old.wrapping_add(old.wrapping_sub(new)).wrapping_add(d), old),
            (true, false) => (old.wrapping_sub(d), old),
            (false, true) => (new, new.wrapping_add(new.wrapping_sub(old)).wrapping_add(d)),
            (false, false) => (new, new.wrapping_add(d)),
        };
        at += 1;
    }
}

#[inline(always)]
fn goes_on<S: Simd>(s: S, metas: &[u32]) -> S::mask32s {
    let bit = S::u32s::from_slice(s, metas) & S::u32s::simd_from(s, meta::GOES_ON);
    bit.simd_gt(S::u32s::simd_from(s, 0))
}
