//! Pages of a level as disjoint slices: what one task takes.

use crate::level::{Level, Tag, WORD, Word, external};
use core::ops::Range;
use lissom_math::{Qvs, Qvvs};

/// A run of pages of one level. The fields are those of [`Level`].
pub(crate) struct Rows<'a> {
    pub tag: &'a mut [Tag],
    pub local: &'a mut [Qvs],
    pub world: &'a mut [Qvvs],
    pub parent: &'a [u32],
    pub word: &'a mut [Word],
    pub summary: &'a mut [u64],
}

impl<'a> Rows<'a> {
    pub fn of(level: &'a mut Level) -> Self {
        Self {
            tag: &mut level.tag,
            local: &mut level.local,
            world: &mut level.world,
            parent: &level.parent,
            word: &mut level.word,
            summary: &mut level.summary,
        }
    }

    /// More than one task's work: several pages.
    #[cfg(feature = "rayon")]
    pub fn is_large(&self) -> bool {
        self.summary.len() > 1
    }

    #[cfg(feature = "rayon")]
    pub fn halves(self) -> (Self, Self) {
        let page = self.summary.len() / 2;
        let word = page * crate::level::PAGE;
        let row = word * WORD;
        let (tag, tag_b) = self.tag.split_at_mut(row);
        let (local, local_b) = self.local.split_at_mut(row);
        let (world, world_b) = self.world.split_at_mut(row);
        let (parent, parent_b) = self.parent.split_at(row);
        let (word, word_b) = self.word.split_at_mut(word);
        let (summary, summary_b) = self.summary.split_at_mut(page);
        (
            Self { tag, local, world, parent, word, summary },
            Self {
                tag: tag_b,
                local: local_b,
                world: world_b,
                parent: parent_b,
                word: word_b,
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
        match self.word[word].special {
            0 => 0,
            special => external(special, &self.tag[self.range(word)]),
        }
    }
}
