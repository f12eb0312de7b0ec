//! Fetching keys: forward, backward, or from a jump frame. Nothing here interpolates.

use super::{
    cursor::{Cursor, Ints, Moment},
    scan::{due_backward, due_forward},
    view::ClipView,
    window::{Key, Window},
};
use lissom_math::simd::Backend;

/// A block that a stream does not have (yet).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissingBlock(pub usize);

/// Brings the active array to a moment by the cheapest way. The result is the same by every way.
#[inline]
pub(crate) fn advance(
    backend: Backend,
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    to: Moment,
) -> Result<(), MissingBlock> {
    if !cursor.placed || to.row >= cursor.next_right || to.row < cursor.last_left {
        match cursor.state.coding {
            Ints::Narrow => fetch::<[i16; 3]>(backend, cursor, clip, to.row)?,
            Ints::Packed => fetch::<[u32; 2]>(backend, cursor, clip, to.row)?,
            Ints::Wide => fetch::<[i32; 3]>(backend, cursor, clip, to.row)?,
        }
    }
    cursor.row = to.row;
    Ok(())
}

fn fetch<K: Key>(
    backend: Backend,
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    cursor.fetched = true;
    if let Some(block) = choose_jump(cursor, clip, to) {
        restore::<K>(cursor, clip, block)?;
    }
    if to >= cursor.next_right {
        forward::<K>(backend, cursor, clip, to)?;
    } else if to < cursor.last_left {
        backward::<K>(backend, cursor, clip, to)?;
    }
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
fn forward<K: Key>(
    backend: Backend,
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    let mut stream = Stream::open(cursor, clip)?;
    let mut window = Window::<K>::new(&cursor.state, &mut cursor.words, clip);
    let mut row = cursor.next_right;
    let mut done = 0;
    while row <= to {
        // Channels that are due now have their left key here, and no other has a later one.
        cursor.last_left = row;
        let mut next = u32::MAX;
        for first in (0..window.state.right.len()).step_by(BATCH) {
            let (mut due, later) = due_forward(backend, window.state.right, first, row);
            next = smaller(next, later);
            done += u64::from(due.count_ones());
            while due != 0 {
                let channel = first + due.trailing_zeros() as usize;
                due &= due - 1;
                let entry = window.entry(channel);
                let at = stream.forward(clip, entry.record_bits())?;
                let right = window.step_forward(channel, &entry, entry.record(stream.bytes, at));
                next = smaller(next, right);
            }
        }
        row = next;
    }
    stream.close(&mut cursor.block, &mut cursor.bit);
    cursor.next_right = row;
    cursor.keys += done;
    cursor.stats.keys_read += done;
    Ok(())
}

/// Undoes every key that was needed after a row.
fn backward<K: Key>(
    backend: Backend,
    cursor: &mut Cursor,
    clip: &ClipView<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    let mut stream = Stream::open(cursor, clip)?;
    let mut window = Window::<K>::new(&cursor.state, &mut cursor.words, clip);
    let mut row = cursor.last_left;
    let mut done = 0;
    while row > to {
        // Channels that are due now have their right key here, and no other has an earlier one.
        cursor.next_right = row;
        let mut next = 0;
        for first in (0..window.state.left.len()).step_by(BATCH).rev() {
            let (mut due, earlier) = due_backward(backend, window.state.left, first, row);
            next = larger(next, earlier);
            done += u64::from(due.count_ones());
            while due != 0 {
                let bit = 63 - due.leading_zeros();
                due ^= 1 << bit;
                let channel = first + bit as usize;
                let entry = window.entry(channel);
                let at = stream.backward(clip, entry.record_bits())?;
                let left = window.step_backward(channel, &entry, entry.record(stream.bytes, at));
                next = larger(next, left);
            }
        }
        row = next;
    }
    stream.close(&mut cursor.block, &mut cursor.bit);
    cursor.last_left = row;
    cursor.keys = cursor.keys.saturating_sub(done);
    cursor.stats.keys_read += done;
    Ok(())
}

/// Channels that are looked at in one go: one bit each.
pub(super) const BATCH: usize = 64;

#[inline(always)]
fn smaller(a: u32, b: u32) -> u32 {
    if b < a { b } else { a }
}

#[inline(always)]
fn larger(a: u32, b: u32) -> u32 {
    if b > a { b } else { a }
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
        // Blocks may be empty, and a record of no bits needs no block.
        while size > 0 && self.bit >= self.bits && self.block + 1 < clip.block_count() {
            self.enter(clip, self.block + 1)?;
        }
        let at = self.bit;
        self.bit += size;
        Ok(at)
    }

    /// The bit where the record of this size starts that ends here.
    #[inline(always)]
    fn backward(&mut self, clip: &ClipView<'a>, size: u64) -> Result<u64, MissingBlock> {
        while size > 0 && self.bit == 0 && self.block > 0 {
            self.enter(clip, self.block - 1)?;
            self.bit = self.bits;
        }
        self.bit = self.bit.saturating_sub(size);
        Ok(self.bit)
    }

    fn close(self, block: &mut usize, bit: &mut u64) {
        *block = self.block;
        *bit = self.bit;
    }
}

/// Takes the whole state from a jump frame.
fn restore<K: Key>(cursor: &mut Cursor, clip: &ClipView<'_>, block: usize) -> Result<(), MissingBlock> {
    let (bytes, _) = clip.block_bytes(block).ok_or(MissingBlock(block))?;
    let jump = clip.block_entry(block);
    let mut window = Window::<K>::new(&cursor.state, &mut cursor.words, clip);
    let (last_left, next_right, keys) = window.restore(bytes, &jump);
    cursor.stats.keys_read += keys;
    cursor.stats.jumps += 1;
    cursor.next_right = next_right;
    cursor.last_left = last_left;
    cursor.row = jump.first_row;
    cursor.keys = jump.keys;
    cursor.block = block;
    cursor.bit = 0;
    cursor.placed = true;
    Ok(())
}
