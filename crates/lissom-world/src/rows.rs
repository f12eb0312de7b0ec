//! Pages of a level as disjoint slices: what one task takes.

use crate::{
    inherit::Flags,
    level::{Level, WORD, external},
    version::Block,
};
use core::ops::Range;
use lissom_math::{Qvs, Qvvs};

/// A run of pages of one level. The fields are those of [`Level`].
pub(crate) struct Rows<'a> {
    pub slot: &'a [u32],
    pub local: &'a mut [Qvs],
    pub world: &'a mut [Qvvs],
    pub parent: &'a [u32],
    pub flags: &'a [Flags],
    pub version: &'a mut [u64],
    pub live: &'a [u64],
    pub dirty: &'a mut [u64],
    pub special: &'a [u64],
    pub block: &'a mut [Block],
    pub summary: &'a mut [u64],
}

impl<'a> Rows<'a> {
    pub fn of(level: &'a mut Level) -> Self {
        Self {
            slot: &level.slot,
            local: &mut level.local,
            world: &mut level.world,
            parent: &level.parent,
            flags: &level.flags,
            version: &mut level.version,
            live: &level.live,
            dirty: &mut level.dirty,
            special: &level.special,
            block: &mut level.block,
            summary: &mut level.summary,
        }
    }

    /// More than one task's work: several pages.
    #[cfg(feature = "parallel")]
    pub fn is_large(&self) -> bool {
        self.summary.len() > 1
    }

    #[cfg(feature = "parallel")]
    pub fn halves(self) -> (Self, Self) {
        let page = self.summary.len() / 2;
        let word = page * crate::level::PAGE;
        let row = word * WORD;
        let (slot, slot_b) = self.slot.split_at(row);
        let (local, local_b) = self.local.split_at_mut(row);
        let (world, world_b) = self.world.split_at_mut(row);
        let (parent, parent_b) = self.parent.split_at(row);
        let (flags, flags_b) = self.flags.split_at(row);
        let (version, version_b) = self.version.split_at_mut(row);
        let (live, live_b) = self.live.split_at(word);
        let (dirty, dirty_b) = self.dirty.split_at_mut(word);
        let (special, special_b) = self.special.split_at(word);
        let (block, block_b) = self.block.split_at_mut(word);
        let (summary, summary_b) = self.summary.split_at_mut(page);
        (
            Self { slot, local, world, parent, flags, version, live, dirty, special, block, summary },
            Self {
                slot: slot_b,
                local: local_b,
                world: world_b,
                parent: parent_b,
                flags: flags_b,
                version: version_b,
                live: live_b,
                dirty: dirty_b,
                special: special_b,
                block: block_b,
                summary: summary_b,
            },
        )
    }

    /// The rows of a word.
    #[inline(always)]
    pub fn range(&self, word: usize) -> Range<usize> {
        let start = word * WORD;
        let stop = if start + WORD < self.local.len() { start + WORD } else { self.local.len() };
        start..stop
    }

    /// Which rows of a word others drive.
    #[inline(always)]
    pub fn driven(&self, word: usize) -> u64 {
        match self.special[word] {
            0 => 0,
            special => external(special, &self.flags[self.range(word)]),
        }
    }
}
