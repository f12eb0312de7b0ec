//! A clip of rows while it is played.

use super::{
    super::{header::Head, source::Source, time::Moment},
    format::BLOCK_ROWS,
    tables::Tables,
};

/// The bytes of a clip of rows, and what was checked of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub bytes: &'a [u8],
    pub head: &'a Head,
    pub tables: &'a Tables,
    pub source: Source<'a>,
}

impl<'a> View<'a> {
    /// The bytes of a block and the jump frame after it; `None` if a stream does not have it.
    #[inline]
    pub fn block(&self, block: usize) -> Option<&'a [u8]> {
        match self.source {
            Source::Window(blocks) => blocks.block(block).map(|(_, bytes)| bytes),
            Source::Whole => Some(self.tables.block(self.bytes, block, self.head.blocks)),
        }
    }

    /// Its first row, the keys consumed when playing starts there, the bytes of a block.
    pub fn block_facts(&self, block: usize) -> (u32, u64, u64) {
        let first = block as u32 * BLOCK_ROWS;
        let keys = (u64::from(first) + 2) * self.head.channels as u64;
        (first, keys, self.tables.block_len(self.bytes, block, self.head.blocks) as u64)
    }

    /// The interval that a time in seconds lies in, by the row it starts at, and how far into it; times
    /// outside [0, duration] are clamped. The end is all of the way to the last row.
    #[inline]
    pub fn moment(&self, time_s: f64) -> Moment {
        let last = self.head.last_row();
        let (tick, fraction) = self.head.tick_at(time_s, last);
        if tick >= last { Moment { tick: last - 1, fraction: 1.0 } } else { Moment { tick, fraction } }
    }
}
