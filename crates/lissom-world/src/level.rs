//! One level of the hierarchy: rows of entities that all have the same depth.
//!
//! What a sync streams through has arrays of its own, the rest of a row is its *tag*. 64 rows are a *word*
//! (one bit each in `live`, `dirty`, `special`, and one version block), 64 words are a *page* (one bit a word in
//! `summary`): a page is what one task takes. Rows of despawned entities are holes and are filled again, last in first out, so a row never moves while its
//! entity keeps its depth, and the children's parent rows stay right.

use crate::{
    inherit::{EXTERNAL, Flags},
    slots::NONE,
    version::{Block, Versioned},
};
use alloc::vec::Vec;
use lissom_math::{Qvs, Qvvs};

/// Rows in a word.
pub(crate) const WORD: usize = 64;
/// Words in a page.
pub(crate) const PAGE: usize = 64;

#[derive(Clone, Default)]
pub(crate) struct Level {
    pub tag: Vec<Tag>,
    pub local: Vec<Qvs>,
    pub world: Vec<Qvvs>,
    /// The row in the level above; unused in level 0 and in the deep store.
    pub parent: Vec<u32>,
    pub word: Vec<Word>,
    /// One bit a word: has dirty rows.
    pub summary: Vec<u64>,
    free: Vec<u32>,
    live_count: usize,
    pub any_dirty: bool,
}

/// What a sync of everything does not read of a row: what touches one row alone finds it in one cache line.
#[derive(Clone, Copy)]
pub(crate) struct Tag {
    version: u64,
    /// Whose row it is; [`NONE`] in holes.
    pub slot: u32,
    pub flags: Flags,
}

impl Versioned for Tag {
    #[inline(always)]
    fn version(&self) -> u64 {
        self.version
    }

    #[inline(always)]
    fn set_version(&mut self, version: u64) {
        self.version = version;
    }
}

/// The bits of 64 rows, and their version block.
#[derive(Clone, Copy, Default)]
pub(crate) struct Word {
    /// Rows that are not holes.
    pub live: u64,
    /// Rows to be recomputed; during a sync also the rows that were.
    pub dirty: u64,
    /// Rows with any flag.
    pub special: u64,
    pub block: Block,
}

/// Everything that moves with an entity from one store to another.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub slot: u32,
    pub local: Qvs,
    pub world: Qvvs,
    pub flags: Flags,
    pub version: u64,
    pub dirty: bool,
}

impl Level {
    pub fn live_count(&self) -> usize {
        self.live_count
    }

    pub fn insert(&mut self, row: &Row, parent: u32) -> u32 {
        let tag = Tag { version: row.version, slot: row.slot, flags: row.flags };
        let at = match self.free.pop() {
            Some(at) => {
                let i = at as usize;
                self.word[i / WORD].block.spread(word_of(&mut self.tag, i / WORD));
                self.tag[i] = tag;
                self.local[i] = row.local;
                self.world[i] = row.world;
                self.parent[i] = parent;
                i
            }
            None => {
                let i = self.tag.len();
                if i.is_multiple_of(WORD) {
                    self.word.push(Word::default());
                    if i.is_multiple_of(WORD * PAGE) {
                        self.summary.push(0);
                    }
                }
                self.word[i / WORD].block.spread(word_of(&mut self.tag, i / WORD));
                self.tag.push(tag);
                self.local.push(row.local);
                self.world.push(row.world);
                self.parent.push(parent);
                i
            }
        };
        let (word, bit) = (&mut self.word[at / WORD], 1 << (at % WORD));
        word.live |= bit;
        self.live_count += 1;
        if row.flags != 0 {
            word.special |= bit;
        }
        if row.version > word.block.max {
            word.block.max = row.version;
        }
        if row.dirty {
            self.set_dirty(at as u32);
        }
        at as u32
    }

    pub fn row(&self, at: u32) -> Row {
        let i = at as usize;
        let Tag { slot, flags, .. } = self.tag[i];
        Row {
            slot,
            local: self.local[i],
            world: self.world[i],
            flags,
            version: self.version_of(at),
            dirty: self.is_dirty(at),
        }
    }

    pub fn remove(&mut self, at: u32) {
        let (word, bit) = (&mut self.word[at as usize / WORD], 1_u64 << (at as usize % WORD));
        word.live &= !bit;
        word.dirty &= !bit;
        word.special &= !bit;
        self.tag[at as usize].slot = NONE;
        self.free.push(at);
        self.live_count -= 1;
    }

    #[inline(always)]
    pub fn set_dirty(&mut self, at: u32) {
        let word = at as usize / WORD;
        self.word[word].dirty |= 1 << (at as usize % WORD);
        self.summary[word / PAGE] |= 1 << (word % PAGE);
        self.any_dirty = true;
    }

    pub fn clear_dirty(&mut self, at: u32) {
        self.word[at as usize / WORD].dirty &= !(1 << (at as usize % WORD));
    }

    #[inline(always)]
    pub fn is_dirty(&self, at: u32) -> bool {
        self.word[at as usize / WORD].dirty >> (at as usize % WORD) & 1 != 0
    }

    /// True where others drive the row. Asks the bits first: they are in cache when the flags are not.
    #[inline(always)]
    pub fn is_external(&self, at: u32) -> bool {
        let i = at as usize;
        self.word[i / WORD].special >> (i % WORD) & 1 != 0 && self.tag[i].flags & EXTERNAL != 0
    }

    pub fn version_of(&self, at: u32) -> u64 {
        let word = at as usize / WORD;
        self.word[word].block.get(&self.tag[word * WORD..], at as usize % WORD)
    }

    pub fn mark_one(&mut self, at: u32, version: u64) {
        let word = at as usize / WORD;
        let bit = 1 << (at as usize % WORD);
        let Word { live, ref mut block, .. } = self.word[word];
        block.mark(word_of(&mut self.tag, word), bit, live, version);
    }

    pub fn set_flags(&mut self, at: u32, flags: Flags) {
        self.tag[at as usize].flags = flags;
        let (word, bit) = (&mut self.word[at as usize / WORD], 1_u64 << (at as usize % WORD));
        if flags != 0 {
            word.special |= bit;
        } else {
            word.special &= !bit;
        }
    }

    /// Gives every dirty row this version, and forgets that it was dirty.
    pub fn mark_and_clear(&mut self, version: u64) -> usize {
        let mut count = 0;
        if !self.any_dirty {
            return 0;
        }
        for page in 0..self.summary.len() {
            let mut words = core::mem::take(&mut self.summary[page]);
            while words != 0 {
                let word = page * PAGE + words.trailing_zeros() as usize;
                words &= words - 1;
                let Word { live, ref mut dirty, ref mut block, .. } = self.word[word];
                let mask = core::mem::take(dirty);
                count += mask.count_ones() as usize;
                if mask != 0 {
                    block.mark(word_of(&mut self.tag, word), mask, live, version);
                }
            }
        }
        self.any_dirty = false;
        count
    }

    /// Forgets what was dirty.
    pub fn clear_all_dirty(&mut self) {
        if !self.any_dirty {
            return;
        }
        for (page, words) in self.summary.iter_mut().enumerate() {
            let mut words = core::mem::take(words);
            while words != 0 {
                self.word[page * PAGE + words.trailing_zeros() as usize].dirty = 0;
                words &= words - 1;
            }
        }
        self.any_dirty = false;
    }

    /// The rows whose version is above `since`, in order, through `f(slot)`.
    pub fn changed(&self, since: u64, mut f: impl FnMut(u32)) {
        for (i, word) in self.word.iter().enumerate() {
            let start = i * WORD;
            let mut mask = word.block.changed(&self.tag[start..], word.live, since);
            while mask != 0 {
                f(self.tag[start + mask.trailing_zeros() as usize].slot);
                mask &= mask - 1;
            }
        }
    }
}

/// The entries of one word.
#[inline(always)]
fn word_of<T>(rows: &mut [T], word: usize) -> &mut [T] {
    let start = word * WORD;
    let end = if start + WORD < rows.len() { start + WORD } else { rows.len() };
    &mut rows[start..end]
}

/// Which rows of a word others drive.
#[inline(always)]
pub(crate) fn external(special: u64, tags: &[Tag]) -> u64 {
    let (mut out, mut rest) = (0, special);
    while rest != 0 {
        let i = rest.trailing_zeros();
        out |= u64::from(tags[i as usize].flags & EXTERNAL != 0) << i;
        rest &= rest - 1;
    }
    out
}
