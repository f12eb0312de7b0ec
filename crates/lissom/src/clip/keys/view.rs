//! A clip of keys while it is played.

use super::{
    super::{header::Head, source::Source, time::Moment},
    entry::BlockEntry,
    format::{BLOCK_WORDS, CHANNEL_WORDS, FLAG_LISTED},
    layout::{Layout, Run},
};

/// The words of a clip of keys, and what was checked of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub words: &'a [u32],
    pub head: &'a Head,
    pub layout: &'a Layout,
    pub source: Source<'a>,
}

impl<'a> View<'a> {
    #[inline(always)]
    pub fn run(&self, run: Run) -> &'a [u32] {
        run.of(self.words)
    }

    /// The words as floats.
    #[inline(always)]
    pub fn floats(&self) -> &'a [f32] {
        bytemuck::cast_slice(self.words)
    }

    /// True if channels are cubic: those are written over what the others left.
    #[inline]
    pub fn has_cubics(&self) -> bool {
        let [_, t, _, r, _, s] = self.layout.shape.lanes;
        t | r | s != 0
    }

    /// The entries of the channels, still packed.
    #[inline(always)]
    pub fn channels(&self) -> &'a [[u32; CHANNEL_WORDS]] {
        self.run(self.layout.channel_table).as_chunks().0
    }

    pub fn block_entry(&self, block: usize) -> BlockEntry {
        let entries: &[[u32; BLOCK_WORDS]] = self.run(self.layout.block_table).as_chunks().0;
        BlockEntry::unpack(&entries[block])
    }

    /// The jump frame and the stream of a block; `None` if a stream does not have it.
    #[inline]
    pub fn block_bytes(&self, block: usize) -> Option<(&'a [u8], &'a [u8])> {
        match self.source {
            Source::Window(blocks) => blocks.block(block),
            Source::Whole => {
                let e = self.block_entry(block);
                let states: &[u8] = bytemuck::cast_slice(self.run(self.layout.states));
                let stream: &[u8] = bytemuck::cast_slice(self.run(self.layout.stream));
                Some((states.get(e.state_byte as usize..)?, stream.get(e.stream_byte as usize..)?))
            }
        }
    }

    /// The jump frame and the stream of a block, as stored.
    pub fn stored_block(&self, block: usize) -> Option<(&'a [u8], &'a [u8])> {
        let (state, stream) = self.block_bytes(block)?;
        let e = self.block_entry(block);
        let next = (block + 1 < self.head.blocks).then(|| self.block_entry(block + 1).state_byte as usize);
        let state_len = next.unwrap_or(self.head.jump_bytes).saturating_sub(e.state_byte as usize);
        let stream_len = e.stream_bits.div_ceil(8) as usize;
        Some((state.get(..state_len).unwrap_or(state), stream.get(..stream_len).unwrap_or(stream)))
    }

    /// The tick of a row; rows past the end are at the end.
    #[inline(always)]
    pub fn tick(&self, row: u32) -> u32 {
        let last = self.head.last_row();
        let row = if row > last { last } else { row };
        if self.layout.is(FLAG_LISTED) { self.run(self.layout.ticks)[row as usize] } else { row }
    }

    /// The moment of a time in seconds and the row it lies in, looked for near `hint`; times outside [0,
    /// duration] are clamped.
    #[inline]
    pub fn moment(&self, time_s: f64, hint: u32) -> (Moment, u32) {
        let last_row = self.head.last_row();
        let last = self.tick(last_row);
        let (tick, fraction) = self.head.tick_at(time_s, last);
        let row = if tick == last { last_row } else { self.row_of_tick(tick, hint) };
        (Moment { tick, fraction }, row)
    }

    /// The last row at or before a tick before the end, looked for near `hint`.
    #[inline]
    fn row_of_tick(&self, tick: u32, hint: u32) -> u32 {
        if !self.layout.is(FLAG_LISTED) {
            return tick;
        }
        let ticks = self.run(self.layout.ticks);
        let here = hint as usize;
        if let (Some(a), Some(b)) = (ticks.get(here), ticks.get(here + 1))
            && *a <= tick
            && tick < *b
        {
            return hint;
        }
        // The first tick is 0, so there is always a row before.
        (ticks.partition_point(|t| *t <= tick) - 1) as u32
    }
}
