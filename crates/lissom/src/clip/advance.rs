//! Fetching keys: forward, backward, or from a jump frame. Nothing here interpolates.

use super::{
    bits::{bits_at, signed_at},
    cursor::{Cursor, Moment, SetLayout, State, StateLayout},
    layout::{ChannelEntry, format},
    view::ClipView,
};
use lissom_math::{
    dispatch,
    simd::{Backend, Simd, prelude::*},
    soa::GROUP,
};

/// A key integer while playing: 16 or 32 bits, wrapping.
pub(super) trait Int: bytemuck::Pod {
    fn get(self) -> i32;
    fn put(v: i32) -> Self;
}

impl Int for i16 {
    #[inline(always)]
    fn get(self) -> i32 {
        i32::from(self)
    }
    #[inline(always)]
    fn put(v: i32) -> Self {
        v as Self
    }
}

impl Int for i32 {
    #[inline(always)]
    fn get(self) -> i32 {
        self
    }
    #[inline(always)]
    fn put(v: i32) -> Self {
        v
    }
}

/// A block that a stream does not have (yet).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissingBlock(pub usize);

/// The row after the last: right rows of channels that have no key left.
#[inline(always)]
fn end_row(clip: &ClipView<'_>) -> u32 {
    clip.layout.rows
}

/// Brings the active array to a moment by the cheapest way. The result is the same by every way.
pub(crate) fn advance(
    backend: Backend,
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    to: Moment,
) -> Result<(), MissingBlock> {
    if cursor.state.wide {
        advance_ints::<i32>(backend, cursor, clip, to)
    } else {
        advance_ints::<i16>(backend, cursor, clip, to)
    }
}

fn advance_ints<I: Int>(
    backend: Backend,
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    to: Moment,
) -> Result<(), MissingBlock> {
    if cursor.placed && to.row < cursor.next_right && to.row >= cursor.last_left {
        cursor.row = to.row;
        return Ok(());
    }
    if let Some(block) = choose_jump(cursor, clip, to.row) {
        restore::<I>(cursor, clip, block)?;
    }
    if to.row >= cursor.next_right {
        forward::<I>(backend, cursor, clip, to.row)?;
    } else if to.row < cursor.last_left {
        backward::<I>(backend, cursor, clip, to.row)?;
    }
    cursor.row = to.row;
    Ok(())
}

/// The block to start from, or `None` to go on from where the cursor is.
fn choose_jump(cursor: &Cursor, clip: &ClipView<'_>, row: u32) -> Option<usize> {
    // In keys: walking costs the keys in between, a jump frame costs its own.
    let (keys, rows) = (clip.key_count().saturating_add(1), u64::from(clip.layout.rows));
    let walk = |from: u32| u64::from(from.abs_diff(row)).saturating_mul(keys);
    let restoring = 2 * clip.channel_count() as u64 * rows;
    let whole = matches!(clip.source, super::view::Source::Whole);
    if cursor.placed && whole && walk(cursor.row) <= restoring {
        return None;
    }
    // The last block at or before the row, and the one after it: the stream runs both ways.
    let (mut low, mut high) = (0, clip.block_count());
    while high - low > 1 {
        let middle = low.midpoint(high);
        if clip.block_entry(middle).first_row <= row { low = middle } else { high = middle }
    }
    let jump = |block: usize| walk(clip.block_entry(block).first_row).saturating_add(restoring);
    let mut best = (low, jump(low));
    if whole && high < clip.block_count() && jump(high) < best.1 {
        best = (high, jump(high));
    }
    // A stream may have dropped what lies between: go on only inside the block, or into the next one.
    let reachable = whole
        || cursor.block == low
        || (cursor.block + 1 == low && cursor.row <= row && clip.block_bytes(cursor.block).is_some());
    (!(cursor.placed && reachable && walk(cursor.row) <= best.1)).then_some(best.0)
}

/// Fetches every key that is needed up to and including a row.
fn forward<I: Int>(
    backend: Backend,
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    let layout = cursor.state;
    let mut stream = Stream::open(cursor, clip)?;
    let mut state = layout.split::<I>(&mut cursor.words);
    let mut row = cursor.next_right;
    while row <= to {
        pass_on_dirty(&mut state, &layout, true);
        let mut done = 0;
        for first in (0..layout.channels).step_by(BATCH) {
            let mut due = equal_mask(backend, state.right, first, row);
            done += u64::from(due.count_ones());
            while due != 0 {
                let channel = first + due.trailing_zeros() as usize;
                due &= due - 1;
                let entry = clip.channel_entry(channel);
                let at = stream.forward(clip, entry.record_bits())?;
                let span = bits_at(stream.bytes, at, entry.span_bits.into()).wrapping_add(entry.span_base);
                step_forward(&mut state, &layout, clip, channel, &entry, span, stream.residuals(at, &entry));
            }
        }
        cursor.keys += done;
        cursor.stats.keys_read += done;
        row = smallest(state.right);
    }
    stream.close(&mut cursor.block, &mut cursor.bit);
    cursor.next_right = row;
    cursor.last_left = largest(state.left);
    Ok(())
}

/// Undoes every key that was needed after a row.
fn backward<I: Int>(
    backend: Backend,
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    let layout = cursor.state;
    let mut stream = Stream::open(cursor, clip)?;
    let mut state = layout.split::<I>(&mut cursor.words);
    let mut row = cursor.last_left;
    while row > to {
        pass_on_dirty(&mut state, &layout, false);
        let mut done = 0;
        for first in (0..layout.channels).step_by(BATCH).rev() {
            let mut due = equal_mask(backend, state.left, first, row);
            done += u64::from(due.count_ones());
            while due != 0 {
                let bit = 63 - due.leading_zeros();
                due ^= 1 << bit;
                let channel = first + bit as usize;
                let entry = clip.channel_entry(channel);
                let at = stream.backward(clip, entry.record_bits())?;
                let span = bits_at(stream.bytes, at, entry.span_bits.into()).wrapping_add(entry.span_base);
                step_backward(&mut state, &layout, clip, channel, &entry, span, stream.residuals(at, &entry));
            }
        }
        cursor.keys = cursor.keys.saturating_sub(done);
        cursor.stats.keys_read += done;
        row = largest(state.left);
    }
    stream.close(&mut cursor.block, &mut cursor.bit);
    cursor.last_left = row;
    cursor.next_right = smallest(state.right);
    Ok(())
}

/// Channels that are looked at in one go: one bit each.
const BATCH: usize = 64;

/// One bit for each of the rows from `first` on that equals `row`.
fn equal_mask(backend: Backend, rows: &[u32], first: usize, row: u32) -> u64 {
    #[inline(always)]
    fn kernel<S: Simd>(s: S, rows: &[u32], row: u32) -> u64 {
        let len = S::u32s::LEN;
        let wanted = S::u32s::simd_from(s, row);
        let mut mask = 0;
        for (at, lanes) in rows.chunks_exact(len).enumerate() {
            mask |= S::u32s::from_slice(s, lanes).simd_eq(wanted).to_bitmask() << (at * len);
        }
        mask
    }
    // Rows are padded to whole groups of 16, so nothing is left over.
    let end = if rows.len() < first + BATCH { rows.len() } else { first + BATCH };
    let rows = &rows[first..end];
    dispatch!(backend, s => kernel(s, rows, row))
}

#[inline(always)]
fn smallest(rows: &[u32]) -> u32 {
    rows.iter().fold(u32::MAX, |a, b| if *b < a { *b } else { a })
}

#[inline(always)]
fn largest(rows: &[u32]) -> u32 {
    rows.iter().fold(0, |a, b| if *b > a { *b } else { a })
}

/// The place in the stream while keys are read: a block's bytes and a bit in it.
struct Stream<'a> {
    block: usize,
    bytes: &'a [u8],
    bits: u64,
    bit: u64,
}

impl<'a> Stream<'a> {
    fn open(cursor: &Cursor, clip: &ClipView<'a>) -> Result<Self, MissingBlock> {
        let mut stream = Self { block: 0, bytes: &[], bits: 0, bit: 0 };
        stream.enter(clip, cursor.block)?;
        stream.bit = cursor.bit;
        Ok(stream)
    }

    fn enter(&mut self, clip: &ClipView<'a>, block: usize) -> Result<(), MissingBlock> {
        let (_, bytes) = clip.block_bytes(block).ok_or(MissingBlock(block))?;
        *self = Self { block, bytes, bits: clip.block_entry(block).stream_bits, bit: 0 };
        Ok(())
    }

    /// The bit where the next record of this size starts.
    #[inline(always)]
    fn forward(&mut self, clip: &ClipView<'a>, size: u64) -> Result<u64, MissingBlock> {
        if self.bit >= self.bits && self.block + 1 < clip.block_count() {
            self.enter(clip, self.block + 1)?;
        }
        let at = self.bit;
        self.bit += size;
        Ok(at)
    }

    /// The bit where the record of this size starts that ends here.
    #[inline(always)]
    fn backward(&mut self, clip: &ClipView<'a>, size: u64) -> Result<u64, MissingBlock> {
        if self.bit == 0 && self.block > 0 {
            self.enter(clip, self.block - 1)?;
            self.bit = self.bits;
        }
        self.bit = self.bit.saturating_sub(size);
        Ok(self.bit)
    }

    #[inline(always)]
    fn residuals(&self, at: u64, entry: &ChannelEntry) -> [i32; 3] {
        let [x, y, z] = entry.residual_bits.map(u32::from);
        let at = at + u64::from(entry.span_bits);
        [
            signed_at(self.bytes, at, x),
            signed_at(self.bytes, at + u64::from(x), y),
            signed_at(self.bytes, at + u64::from(x + y), z),
        ]
    }

    fn close(self, block: &mut usize, bit: &mut u64) {
        *block = self.block;
        *bit = self.bit;
    }
}

/// A channel leaves its oldest key and takes the next one.
#[inline(always)]
fn step_forward<I: Int>(
    state: &mut State<'_, I>,
    layout: &StateLayout,
    clip: &ClipView<'_>,
    channel: usize,
    entry: &ChannelEntry,
    span: u32,
    residuals: [i32; 3],
) {
    let set = &layout.sets[usize::from(entry.set)];
    let (lane, n, last) = (usize::from(entry.lane), set.lanes, set.window - 1);
    for (c, residual) in residuals.into_iter().enumerate() {
        let at = |key: usize| set.ints + (key * 3 + c) * n + lane;
        let key = |k: usize| state.ints[at(k)].get();
        let next = predict(entry, set, key).wrapping_add(residual);
        for k in 0..last {
            state.ints[at(k)] = state.ints[at(k + 1)];
        }
        state.ints[at(last)] = I::put(next);
    }
    for c in 0..set.width {
        for k in 0..last {
            let at = |key: usize| set.keys + (key * set.width + c) * n + lane;
            state.floats[at(k)] = state.floats[at(k + 1)];
        }
    }
    mark(state, set, last, lane);

    let end = end_row(clip);
    let (left, right) = (state.left[channel], state.right[channel]);
    // A damaged clip could stand still or run back: then its channel ends.
    let after = |row: u32, before: u32| if row > before && row < end { row } else { end };
    if set.window == 2 {
        state.left[channel] = right;
        state.right[channel] = after(left.saturating_add(span), right);
    } else {
        let outer = set.outer_rows - state.words_start;
        let (oldest, newest) = (outer + lane, outer + n + lane);
        let next = after(state.words[oldest].saturating_add(span), state.words[newest]);
        state.words[oldest] = left;
        state.left[channel] = right;
        state.right[channel] = after(state.words[newest], right);
        state.words[newest] = next;
    }
    set_span(state, set, clip, channel, entry, lane);
}

/// A channel gives its newest key back and takes the one before its oldest.
#[inline(always)]
fn step_backward<I: Int>(
    state: &mut State<'_, I>,
    layout: &StateLayout,
    clip: &ClipView<'_>,
    channel: usize,
    entry: &ChannelEntry,
    span: u32,
    residuals: [i32; 3],
) {
    let set = &layout.sets[usize::from(entry.set)];
    let (lane, n, last) = (usize::from(entry.lane), set.lanes, set.window - 1);
    for (c, residual) in residuals.into_iter().enumerate() {
        let at = |key: usize| set.ints + (key * 3 + c) * n + lane;
        let key = |k: usize| state.ints[at(k)].get();
        let before = recall(entry, set, key, residual);
        for k in (0..last).rev() {
            state.ints[at(k + 1)] = state.ints[at(k)];
        }
        state.ints[at(0)] = I::put(before);
    }
    for c in 0..set.width {
        for k in (0..last).rev() {
            let at = |key: usize| set.keys + (key * set.width + c) * n + lane;
            state.floats[at(k + 1)] = state.floats[at(k)];
        }
    }
    mark(state, set, 0, lane);

    let (left, right) = (state.left[channel], state.right[channel]);
    let before = |row: u32, after: u32| if row < after { row } else { 0 };
    if set.window == 2 {
        state.right[channel] = left;
        state.left[channel] = before(right.wrapping_sub(span), left);
    } else {
        let outer = set.outer_rows - state.words_start;
        let (oldest, newest) = (outer + lane, outer + n + lane);
        let first = state.words[newest].wrapping_sub(span);
        let first = if first <= state.words[oldest] { first } else { 0 };
        state.words[newest] = right;
        state.right[channel] = left;
        state.left[channel] = before(state.words[oldest], left);
        state.words[oldest] = first;
    }
    set_span(state, set, clip, channel, entry, lane);
}

/// The next key's integer, before the residual.
#[inline(always)]
fn predict(entry: &ChannelEntry, set: &SetLayout, key: impl Fn(usize) -> i32) -> i32 {
    match (entry.predictor == format::PREDICT_SMOOTH, set.window) {
        (false, _) => key(0),
        (true, 2) => key(1).wrapping_mul(2).wrapping_sub(key(0)),
        (true, _) => {
            let odd = key(3).wrapping_add(key(1)).wrapping_mul(4);
            odd.wrapping_sub(key(2).wrapping_mul(6)).wrapping_sub(key(0))
        }
    }
}

/// The integer that left the window when the newest one came: the inverse of [`predict`] plus residual.
#[inline(always)]
fn recall(entry: &ChannelEntry, set: &SetLayout, key: impl Fn(usize) -> i32, residual: i32) -> i32 {
    match (entry.predictor == format::PREDICT_SMOOTH, set.window) {
        (false, w) => key(w - 1).wrapping_sub(residual),
        (true, 2) => key(0).wrapping_mul(2).wrapping_sub(key(1)).wrapping_add(residual),
        (true, _) => {
            let odd = key(2).wrapping_add(key(0)).wrapping_mul(4);
            odd.wrapping_sub(key(1).wrapping_mul(6)).wrapping_sub(key(3)).wrapping_add(residual)
        }
    }
}

/// Ticks of the interval that a channel is in.
#[inline(always)]
fn set_span<I>(
    state: &mut State<'_, I>,
    set: &SetLayout,
    clip: &ClipView<'_>,
    channel: usize,
    entry: &ChannelEntry,
    lane: usize,
) {
    let (left, right) = (clip.tick(state.left[channel]), clip.tick(state.right[channel]));
    let span = right.wrapping_sub(left) as f32;
    state.words[set.tick - state.words_start + lane] = left;
    let moves = !entry.step && right > left;
    state.floats[set.inverse_span + lane] = if moves { 1.0 / span } else { 0.0 };
    if set.window == 4 {
        let outer = set.outer_rows - state.words_start;
        let oldest = clip.tick(state.words[outer + lane]);
        let newest = clip.tick(state.words[outer + set.lanes + lane]);
        let share = |a: u32, b: u32| if b > a { span / (b - a) as f32 } else { 0.0 };
        state.floats[set.slopes + lane] = share(oldest, right);
        state.floats[set.slopes + set.lanes + lane] = share(left, newest);
    }
}

/// Notes that a key of the window must be decoded for the 16 lanes around this one.
#[inline(always)]
fn mark<I>(state: &mut State<'_, I>, set: &SetLayout, key: usize, lane: usize) {
    let bit = set.dirty + key * set.lanes.div_ceil(GROUP) + lane / GROUP;
    state.dirty[bit / 32] |= 1 << (bit % 32);
}

/// Keys that were fetched but not decoded are about to change places in the window: so must their marks.
#[inline(always)]
fn pass_on_dirty<I>(state: &mut State<'_, I>, layout: &StateLayout, forward: bool) {
    if state.dirty.iter().all(|d| *d == 0) {
        return;
    }
    for set in &layout.sets {
        let blocks = set.lanes.div_ceil(GROUP);
        let last = (set.window - 1) * blocks;
        for i in 0..last {
            // Towards the key that takes the place: in ascending order going forward, descending going back.
            let (to, from) = if forward { (i, i + blocks) } else { (last + blocks - 1 - i, last - 1 - i) };
            let (to, from) = (set.dirty + to, set.dirty + from);
            let mark = state.dirty[from / 32] >> (from % 32) & 1;
            state.dirty[to / 32] |= mark << (to % 32);
        }
    }
}

/// Takes the whole state from a jump frame.
fn restore<I: Int>(cursor: &mut Cursor, clip: &ClipView<'_>, block: usize) -> Result<(), MissingBlock> {
    let (bytes, _) = clip.block_bytes(block).ok_or(MissingBlock(block))?;
    let jump = clip.block_entry(block);
    let layout = cursor.state;
    let mut state = layout.split::<I>(&mut cursor.words);
    state.left.fill(0);
    state.right.fill(u32::MAX);
    state.dirty.fill(u32::MAX);
    let end = end_row(clip);
    let mut at = 0;
    for channel in 0..clip.channel_count() {
        let entry = clip.channel_entry(channel);
        let set = &layout.sets[usize::from(entry.set)];
        let (lane, n) = (usize::from(entry.lane), set.lanes);
        // Rows: the left one looking back from the jump, then the distances from key to key.
        let mut distance = || {
            let d = bits_at(bytes, at, jump.row_bits);
            at += u64::from(jump.row_bits);
            d
        };
        let left = jump.first_row.saturating_sub(distance());
        let clamp = |row: u32| if row < end { row } else { end };
        let right = clamp(left.saturating_add(distance()));
        if set.window == 4 {
            let outer = set.outer_rows - state.words_start;
            state.words[outer + lane] = left.saturating_sub(distance());
            state.words[outer + n + lane] = clamp(right.saturating_add(distance()));
        }
        state.left[channel] = left;
        state.right[channel] = if right > jump.first_row { right } else { end };
        for key in 0..set.window {
            for c in 0..3 {
                let bits = u32::from(entry.value_bits[c]);
                state.ints[set.ints + (key * 3 + c) * n + lane] = I::put(signed_at(bytes, at, bits));
                at += u64::from(bits);
            }
        }
        set_span(&mut state, set, clip, channel, &entry, lane);
        cursor.stats.keys_read += set.window as u64;
    }
    cursor.stats.jumps += 1;
    cursor.next_right = smallest(state.right);
    cursor.last_left = largest(state.left);
    cursor.row = jump.first_row;
    cursor.keys = jump.keys;
    cursor.block = block;
    cursor.bit = 0;
    cursor.placed = true;
    Ok(())
}
