//! Fetching keys: forward, backward, or from a jump frame. Nothing here interpolates.

use super::{
    super::{error::MissingBlock, source::Source, stats::CursorStats},
    active::Ints,
    scan::{BATCH, due_backward, due_forward},
    state::State,
    view::View,
    window::{Key, Window},
};
use alloc::vec::Vec;
use lissom_math::simd::Backend;

/// Words that a cursor needs.
pub(crate) fn words(clip: &View<'_>) -> usize {
    clip.layout.active.total()
}

/// The state of a cursor that has not fetched anything, and room for its active array.
pub(crate) fn bind(clip: &View<'_>, active: &mut Vec<u32>) -> State {
    active.clear();
    active.resize(words(clip), 0);
    State { shape: clip.layout.shape, ..State::default() }
}

/// What fetching changes: a cursor's state, its words and its counts.
struct Player<'a> {
    state: &'a mut State,
    words: &'a mut [u32],
    stats: &'a mut CursorStats,
}

/// Brings the active array to a row by the cheapest way. The result is the same by every way.
#[inline]
pub(crate) fn advance(
    backend: Backend,
    state: &mut State,
    words: &mut [u32],
    stats: &mut CursorStats,
    clip: &View<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    if !state.placed || to >= state.next_right || to < state.last_left {
        let player = Player { state, words, stats };
        let done = match clip.layout.active.ints_as {
            Ints::Narrow => fetch::<[i16; 3]>(backend, player, clip, to),
            Ints::Packed => fetch::<[u32; 2]>(backend, player, clip, to),
            Ints::Wide => fetch::<[i32; 3]>(backend, player, clip, to),
        };
        if let Err(missing) = done {
            // Some channels may have moved already: start from a jump frame next time.
            state.placed = false;
            return Err(missing);
        }
    }
    state.row = to;
    Ok(())
}

fn fetch<K: Key>(
    backend: Backend,
    mut player: Player<'_>,
    clip: &View<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    player.state.fetched = true;
    if let Some(block) = choose_jump(player.state, clip, to) {
        restore::<K>(&mut player, clip, block)?;
    }
    if to >= player.state.next_right {
        forward::<K>(backend, &mut player, clip, to)?;
    } else if to < player.state.last_left {
        backward::<K>(backend, &mut player, clip, to)?;
    }
    Ok(())
}

/// The block to start from, or `None` to go on from where the cursor is.
fn choose_jump(state: &State, clip: &View<'_>, row: u32) -> Option<usize> {
    // In keys: walking costs the keys in between, a jump frame costs its own.
    let (keys, rows) = (clip.head.keys.saturating_add(1), u64::from(clip.head.rows));
    let walk = |from: u32| u64::from(from.abs_diff(row)).saturating_mul(keys);
    let restoring = 2 * clip.head.channels as u64 * rows;
    let whole = matches!(clip.source, Source::Whole);
    if state.placed && whole && walk(state.row) <= restoring {
        return None;
    }
    // The last block at or before the row, and the one after it: the stream runs both ways.
    let (mut low, mut high) = (0, clip.head.blocks);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if clip.block_entry(middle).first_row <= row { low = middle } else { high = middle }
    }
    let jump = |block: usize| walk(clip.block_entry(block).first_row).saturating_add(restoring);
    let mut best = (low, jump(low));
    if whole && high < clip.head.blocks && jump(high) < best.1 {
        best = (high, jump(high));
    }
    // A stream may have dropped what lies between: go on only inside the block, or into the next one.
    let reachable = whole
        || state.block == low
        || (state.block + 1 == low && state.row <= row && clip.block_bytes(state.block).is_some());
    (!(state.placed && reachable && walk(state.row) <= best.1)).then_some(best.0)
}

/// Fetches every key that is needed up to and including a row.
fn forward<K: Key>(
    backend: Backend,
    player: &mut Player<'_>,
    clip: &View<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    let Player { state, words, stats } = player;
    let mut stream = Stream::open(state, clip)?;
    let mut window = Window::<K>::new(&clip.layout.active, words, clip);
    let mut row = state.next_right;
    let mut done = 0;
    while row <= to {
        // Channels that are due now have their left key here, and no other has a later one.
        state.last_left = row;
        let mut next = u32::MAX;
        for first in (0..window.active.right.len()).step_by(BATCH) {
            let (mut due, later) = due_forward(backend, window.active.right, first, row);
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
    stream.close(&mut state.block, &mut state.bit);
    state.next_right = row;
    state.keys += done;
    stats.keys_read += done;
    Ok(())
}

/// Undoes every key that was needed after a row.
fn backward<K: Key>(
    backend: Backend,
    player: &mut Player<'_>,
    clip: &View<'_>,
    to: u32,
) -> Result<(), MissingBlock> {
    let Player { state, words, stats } = player;
    let mut stream = Stream::open(state, clip)?;
    let mut window = Window::<K>::new(&clip.layout.active, words, clip);
    let mut row = state.last_left;
    let mut done = 0;
    while row > to {
        // Channels that are due now have their right key here, and no other has an earlier one.
        state.next_right = row;
        let mut next = 0;
        for first in (0..window.active.left.len()).step_by(BATCH).rev() {
            let (mut due, earlier) = due_backward(backend, window.active.left, first, row);
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
    stream.close(&mut state.block, &mut state.bit);
    state.last_left = row;
    state.keys = state.keys.saturating_sub(done);
    stats.keys_read += done;
    Ok(())
}

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
    fn open(state: &State, clip: &View<'a>) -> Result<Self, MissingBlock> {
        let mut stream = Self { block: 0, bytes: &[], bits: 0, bit: 0 };
        stream.enter(clip, state.block)?;
        stream.bit = state.bit;
        Ok(stream)
    }

    fn enter(&mut self, clip: &View<'a>, block: usize) -> Result<(), MissingBlock> {
        let (_, bytes) = clip.block_bytes(block).ok_or(MissingBlock { block })?;
        *self = Self { block, bytes, bits: clip.block_entry(block).stream_bits, bit: 0 };
        Ok(())
    }

    /// The bit where the next record of this size starts.
    #[inline(always)]
    fn forward(&mut self, clip: &View<'a>, size: u64) -> Result<u64, MissingBlock> {
        // Blocks may be empty, and a record of no bits needs no block.
        while size > 0 && self.bit >= self.bits && self.block + 1 < clip.head.blocks {
            self.enter(clip, self.block + 1)?;
        }
        let at = self.bit;
        self.bit += size;
        Ok(at)
    }

    /// The bit where the record of this size starts that ends here.
    #[inline(always)]
    fn backward(&mut self, clip: &View<'a>, size: u64) -> Result<u64, MissingBlock> {
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
fn restore<K: Key>(player: &mut Player<'_>, clip: &View<'_>, block: usize) -> Result<(), MissingBlock> {
    let (bytes, _) = clip.block_bytes(block).ok_or(MissingBlock { block })?;
    let jump = clip.block_entry(block);
    let mut window = Window::<K>::new(&clip.layout.active, player.words, clip);
    let (last_left, next_right, keys) = window.restore(bytes, &jump);
    player.stats.keys_read += keys;
    player.stats.jumps += 1;
    let shape = player.state.shape;
    *player.state = State {
        shape,
        placed: true,
        fetched: true,
        row: jump.first_row,
        next_right,
        last_left,
        block,
        bit: 0,
        keys: jump.keys,
    };
    Ok(())
}
