//! One level of the hierarchy: rows of entities that all have the same depth.
//!
//! Each field is its own array. 64 rows are a *word* (one bit each in `live`, `dirty`, `special`, and one
//! version block), 64 words are a *page* (one bit a word in `summary`): a page is what one task takes. Rows
//! of despawned entities are holes and are filled again, last in first out, so a row never moves while its
//! entity keeps its depth, and the children's parent rows stay right.

use crate::{
    inherit::{EXTERNAL, Flags},
    slots::NONE,
    version::Block,
};
use alloc::vec::Vec;
use lissom_math::{Qvs, Qvvs};

/// Rows in a word.
pub(crate) const WORD: usize = 64;
/// Words in a page.
pub(crate) const PAGE: usize = 64;

#[derive(Clone, Default)]
pub(crate) struct Level {
    /// Whose row it is; [`NONE`] in holes.
    pub slot: Vec<u32>,
    pub local: Vec<Qvs>,
    pub world: Vec<Qvvs>,
    /// The row in the level above; unused in level 0 and in the deep store.
    pub parent: Vec<u32>,
    pub flags: Vec<Flags>,
    pub version: Vec<u64>,
    /// Rows that are not holes.
    pub live: Vec<u64>,
    /// Rows to be recomputed; during a sync also the rows that were.
    pub dirty: Vec<u64>,
    /// Rows with any flag.
    pub special: Vec<u64>,
    pub block: Vec<Block>,
    /// One bit a word: has dirty rows.
    pub summary: Vec<u64>,
    free: Vec<u32>,
    live_count: usize,
    pub any_dirty: bool,
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
        let at = match self.free.pop() {
            Some(at) => {
                let i = at as usize;
                self.slot[i] = row.slot;
                self.local[i] = row.local;
                self.world[i] = row.world;
                self.parent[i] = parent;
                self.flags[i] = row.flags;
                i
            }
            None => {
                let i = self.slot.len();
                self.slot.push(row.slot);
                self.local.push(row.local);
                self.world.push(row.world);
                self.parent.push(parent);
                self.flags.push(row.flags);
                self.version.push(0);
                if i.is_multiple_of(WORD) {
                    self.live.push(0);
                    self.dirty.push(0);
                    self.special.push(0);
                    self.block.push(Block::default());
                    if i.is_multiple_of(WORD * PAGE) {
                        self.summary.push(0);
                    }
                }
                i
            }
        };
        let (word, bit) = (at / WORD, 1 << (at % WORD));
        self.live[word] |= bit;
        self.live_count += 1;
        if row.flags != 0 {
            self.special[word] |= bit;
        }
        let versions = word_of(&mut self.version, word);
        let block = &mut self.block[word];
        block.spread(versions);
        versions[at % WORD] = row.version;
        if row.version > block.max {
            block.max = row.version;
        }
        if row.dirty {
            self.set_dirty(at as u32);
        }
        at as u32
    }

    pub fn row(&self, at: u32) -> Row {
        let i = at as usize;
        Row {
            slot: self.slot[i],
            local: self.local[i],
            world: self.world[i],
            flags: self.flags[i],
            version: self.version_of(at),
            dirty: self.is_dirty(at),
        }
    }

    pub fn remove(&mut self, at: u32) {
        let (word, bit) = (at as usize / WORD, 1_u64 << (at as usize % WORD));
        self.live[word] &= !bit;
        self.dirty[word] &= !bit;
        self.special[word] &= !bit;
        self.slot[at as usize] = NONE;
        self.free.push(at);
        self.live_count -= 1;
    }

    #[inline(always)]
    pub fn set_dirty(&mut self, at: u32) {
        let word = at as usize / WORD;
        self.dirty[word] |= 1 << (at as usize % WORD);
        self.summary[word / PAGE] |= 1 << (word % PAGE);
        self.any_dirty = true;
    }

    pub fn clear_dirty(&mut self, at: u32) {
        self.dirty[at as usize / WORD] &= !(1 << (at as usize % WORD));
    }

    #[inline(always)]
    pub fn is_dirty(&self, at: u32) -> bool {
        self.dirty[at as usize / WORD] >> (at as usize % WORD) & 1 != 0
    }

    /// True where others drive the row. Asks the bits first: they are in cache when the flags are not.
    #[inline(always)]
    pub fn is_external(&self, at: u32) -> bool {
        let i = at as usize;
        self.special[i / WORD] >> (i % WORD) & 1 != 0 && self.flags[i] & EXTERNAL != 0
    }

    pub fn version_of(&self, at: u32) -> u64 {
        let word = at as usize / WORD;
        self.block[word].get(&self.version[word * WORD..], at as usize % WORD)
    }

    pub fn mark_one(&mut self, at: u32, version: u64) {
        let word = at as usize / WORD;
        let bit = 1 << (at as usize % WORD);
        self.block[word].mark(word_of(&mut self.version, word), bit, self.live[word], version);
    }

    pub fn set_flags(&mut self, at: u32, flags: Flags) {
        self.flags[at as usize] = flags;
        let (word, bit) = (at as usize / WORD, 1_u64 << (at as usize % WORD));
        if flags != 0 {
            self.special[word] |= bit;
        } else {
            self.special[word] &= !bit;
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
                let mask = core::mem::take(&mut self.dirty[word]);
                count += mask.count_ones() as usize;
                if mask != 0 {
                    self.block[word].mark(word_of(&mut self.version, word), mask, self.live[word], version);
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
                self.dirty[page * PAGE + words.trailing_zeros() as usize] = 0;
                words &= words - 1;
            }
        }
        self.any_dirty = false;
    }

    /// The rows whose version is above `since`, in order, through `f(slot)`.
    pub fn changed(&self, since: u64, mut f: impl FnMut(u32)) {
        for (word, block) in self.block.iter().enumerate() {
            let start = word * WORD;
            let mut mask = block.changed(&self.version[start..], self.live[word], since);
            while mask != 0 {
                f(self.slot[start + mask.trailing_zeros() as usize]);
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
pub(crate) fn external(special: u64, flags: &[Flags]) -> u64 {
    let (mut out, mut rest) = (0, special);
    while rest != 0 {
        let i = rest.trailing_zeros();
        out |= u64::from(flags[i as usize] & EXTERNAL != 0) << i;
        rest &= rest - 1;
    }
    out
}
