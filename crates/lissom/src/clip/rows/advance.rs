//! Fetching rows: a block's first, the next one, the one before.

use super::{
    super::{
        bits::{Bits, read_3, word_at},
        error::MissingBlock,
        stats::CursorStats,
    },
    arrays::{A, Arrays, B, LEFT, RIGHT, Split, meta},
    decode::decode,
    format::{self, BLOCK_ROWS},
    state::{Place, State},
    tables::Tables,
    view::View,
};
use alloc::vec::Vec;
use lissom_math::{
    dispatch,
    simd::{Backend, LEN, Simd, prelude::*, unpack::three_numbers},
};

/// How the interval lies to the one that is decoded already.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// It starts where that ends.
    Forward,
    /// It ends where that starts.
    Backward,
    Far,
}

/// Brings the keys to the interval that starts at a row (before the last one) by the cheapest way.
#[inline(always)]
pub(crate) fn advance(
    backend: Backend,
    state: &mut State,
    words: &mut [u32],
    stats: &mut CursorStats,
    clip: &View<'_>,
    row: u32,
) -> Result<(), MissingBlock> {
    if state.placed && state.row == row { Ok(()) } else { fetch(backend, state, words, stats, clip, row) }
}

#[inline(never)]
fn fetch(
    backend: Backend,
    state: &mut State,
    words: &mut [u32],
    stats: &mut CursorStats,
    clip: &View<'_>,
    row: u32,
) -> Result<(), MissingBlock> {
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
    let step = match state.placed {
        true if state.row + 1 == row => Step::Forward,
        true if state.row == row + 1 => Step::Backward,
        _ => Step::Far,
    };
    let next = row == last && step != Step::Backward;
    let from = if fresh { first } else { place.at };
    let rows = u64::from(from.abs_diff(wanted)) + u64::from(fresh) + u64::from(next);
    dispatch!(backend, s => {
        if fresh {
            place = load(arrays, words, clip, bytes, block);
        }
        walk(s, arrays, words, bytes, &mut place, wanted);
        place_keys(s, arrays, words, clip, bytes, index, step, next, if row < last { [A, B] } else { [B, RIGHT] });
    });
    let channels = clip.head.channels as u64;
    stats.jumps += u64::from(fresh);
    stats.keys_read += rows * channels;
    let keys = (u64::from(row) + 2) * channels;
    *state = State { arrays, placed: true, row, block: index, place, keys };
    Ok(())
}

/// Decodes what of the keys around the interval was not decoded yet. `from` says which integers they are.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the last step of `advance`, apart so that it reads alone")]
fn place_keys<S: Simd>(
    s: S,
    arrays: Arrays,
    words: &mut [u32],
    clip: &View<'_>,
    bytes: &[u8],
    block: usize,
    step: Step,
    next: bool,
    from: [usize; 2],
) {
    let n = arrays.len();
    let (left, right) = (LEFT * n..(LEFT + 4) * n, RIGHT * n..(RIGHT + 4) * n);
    match step {
        Step::Forward => words.copy_within(right, LEFT * n),
        Step::Backward => words.copy_within(left, RIGHT * n),
        Step::Far => {}
    }
    if step != Step::Forward {
        decode(s, arrays, words, from[0], LEFT);
    }
    if step != Step::Backward {
        if next {
            load_next(arrays, words, clip, bytes, block);
        }
        decode(s, arrays, words, from[1], RIGHT);
    }
}

/// Three numbers of the widths in the low bits of a word, and the bit behind them.
#[inline(always)]
fn three(bytes: &[u8], bit: u64, widths: u32) -> ([i32; 3], u64) {
    let x = widths & 31;
    let y = widths >> meta::WIDTH & 31;
    let z = widths >> (2 * meta::WIDTH) & 31;
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
    if arrays.total() > 0 {
        let Split { step, meta, widths, .. } = arrays.split(words);
        for kind in 0..3 {
            for lane in 0..arrays.count(kind) {
                let record = clip.tables.record(clip.bytes, kind, lane, clip.head.blocks);
                let lane = arrays.first(kind) + lane;
                step[lane] = format::step(kind, record.code).to_bits();
                meta[lane] = record.centre << meta::CENTRE_SHIFT;
                let [x, y, z] = record.state;
                let [u, v, w] = record.slope;
                widths[lane] = x | y << 5 | z << 10 | u << 15 | v << 20 | w << 25;
            }
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
    let Split { a: [ax, ay, az], b: [bx, by, bz], meta: metas, widths, offset, .. } = arrays.split(words);
    let width = tables.width_bits();
    let mut state = 0;
    let mut head = if block == 0 { 0 } else { tables.state_bytes as u64 * 8 };
    let mut slope = head + clip.head.channels as u64 * u64::from(1 + 3 * width);
    let mut row_bits = 0;
    let (mut kind, mut lane) = (0, 0);
    while kind < 3 {
        let (mut base, stride, base_widths) = first_keys(tables, kind);
        let end = lane + arrays.count(kind);
        while lane < end {
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
            offset[lane] = row_bits;
            row_bits += x + y + z;
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
    Place { at: block * BLOCK_ROWS, row_bits, rows_bit: slope }
}

/// Takes the first key of every channel of the next block, which stands at the end of these bytes, into the
/// place of the right key. After the last block comes the first again.
#[inline(always)]
fn load_next(arrays: Arrays, words: &mut [u32], clip: &View<'_>, bytes: &[u8], block: usize) {
    let View { tables, bytes: clip_bytes, .. } = *clip;
    let Split { next: [cx, cy, cz], widths, .. } = arrays.split(words);
    let mut state = bytes.len().saturating_sub(tables.state_bytes) as u64 * 8;
    let goes_round = block + 1 == clip.head.blocks;
    let (mut kind, mut lane) = (0, 0);
    while kind < 3 {
        let (mut base, stride, base_widths) = first_keys(tables, kind);
        let end = lane + arrays.count(kind);
        while lane < end {
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

/// Adds the row after `place.at`; or, going back, takes that row away again, which is not the block's first
/// or second.
#[inline(always)]
fn step<S: Simd, const BACK: bool>(s: S, arrays: Arrays, words: &mut [u32], bytes: &[u8], place: &Place) {
    let row = u64::from(place.at % BLOCK_ROWS);
    // Going back, a prediction that stays is undone by the row before: it is what led to the key before this
    // one.
    let from = if BACK { row.saturating_sub(2) } else { row };
    let bit = place.rows_bit + from * u64::from(place.row_bits);
    let Split { a: [ax, ay, az], b: [bx, by, bz], meta, offset, .. } = arrays.split(words);
    let mut at = 0;
    while at < arrays.used() {
        let lanes = at..at + LEN::<S>();
        let metas = S::u32s::from_slice(s, &meta[lanes.clone()]);
        let mut offsets = S::u32s::from_slice(s, &offset[lanes.clone()]);
        let zero = S::u32s::simd_from(s, 0);
        let on = (metas & S::u32s::simd_from(s, meta::GOES_ON)).simd_gt(zero);
        if BACK {
            offsets += on.select(S::u32s::simd_from(s, place.row_bits), zero);
        }
        let [x, y, z] = three_numbers(s, bytes, bit, offsets, metas);
        move_keys::<S, BACK>(s, on, &mut ax[lanes.clone()], &mut bx[lanes.clone()], x);
        move_keys::<S, BACK>(s, on, &mut ay[lanes.clone()], &mut by[lanes.clone()], y);
        move_keys::<S, BACK>(s, on, &mut az[lanes.clone()], &mut bz[lanes], z);
        at += LEN::<S>();
    }
}

/// One component. Forward: (a, b) becomes (b, b + (b - a where it goes on) + d). Backward is the inverse:
/// (a + (a - b) + d where it goes on, else a - d; a).
#[inline(always)]
fn move_keys<S: Simd, const BACK: bool>(s: S, on: S::mask32s, a: &mut [u32], b: &mut [u32], d: S::u32s) {
    let (old, new) = (S::u32s::from_slice(s, a), S::u32s::from_slice(s, b));
    let (left, right) = if BACK {
        (on.select(old + (old - new) + d, old - d), old)
    } else {
        (new, new + on.select(new - old, S::u32s::simd_from(s, 0)) + d)
    };
    left.store_slice(a);
    right.store_slice(b);
}
