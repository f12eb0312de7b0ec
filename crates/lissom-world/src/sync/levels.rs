//! Packed levels: the layout that beats the seed's two algorithms.
//!
//! A level's rows are packed, its parents lie in the level above, which is finished: the levels are split
//! there, and pages of the current one are handed to tasks as disjoint `&mut` slices. No race is possible,
//! and what a row becomes does not depend on who computes it.
//!
//! How rows learn that their parent changed is chosen a level, by what changed above:
//!
//! - nothing: only the rows' own dirty bits count, clean words are never looked at;
//! - everything: every row is dirty, no look-up;
//! - little: the changed parents *push* the bit down their child lists;
//! - much: every row *pulls* its parent's bit, in memory order.

use crate::{
    World,
    inherit::{compose, compose_root},
    level::{Level, PAGE, Tag, WORD, Word},
    rows::Rows,
    slots::{NONE, Slots},
    stats::SyncStats,
    store::DEEP,
};
use lissom_math::{
    Qvs, Qvvs, dispatch,
    simd::{Backend, Simd},
    wide_qvvs::mul_rows,
};

/// How rows learn of their parents' change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Their own bits say it all.
    Own,
    /// Every row is dirty.
    All,
    /// Each looks at its parent's bit.
    Pull,
}

/// A parent in this many, or more, changed: pulling is cheaper than pushing (measured with the bench's
/// dirty-share plot).
const PUSH_SHARE: usize = 4;

/// What all tasks of a sync share.
#[derive(Clone, Copy)]
struct How {
    version: u64,
    backend: Backend,
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "read only with threads"))]
    parallel: bool,
}

/// The finished level.
#[derive(Clone, Copy)]
struct Above<'a> {
    world: &'a [Qvvs],
    word: &'a [Word],
}

impl World {
    pub(crate) fn sync_levels(&mut self, version: u64) -> SyncStats {
        let mut stats = SyncStats::default();
        let how = How { version, backend: self.backend, parallel: self.parallel };
        let levels = &mut self.stores.levels;
        let mut changed_above = 0;
        for at in 0..DEEP {
            let (done, rest) = levels.split_at_mut(at);
            let level = &mut rest[0];
            let above = done.last();
            let parents = above.map_or(0, Level::live_count);
            let mark = if changed_above == 0 || level.live_count() == 0 {
                Mark::Own
            } else if changed_above == parents {
                Mark::All
            } else if changed_above * PUSH_SHARE < parents {
                if let Some(above) = above {
                    push(&self.slots, above, level);
                }
                Mark::Own
            } else {
                Mark::Pull
            };
            changed_above = 0;
            if mark != Mark::Own || level.any_dirty {
                level.any_dirty = true;
                let above = above.map(|l| Above { world: &l.world, word: &l.word });
                let mut pass = run(Rows::of(level), above, mark, how);
                pass.passes = 1;
                changed_above = pass.changed;
                stats.add(pass);
            }
        }
        if changed_above != 0 || self.stores.levels[DEEP].any_dirty {
            stats.add(self.walk_deep());
            stats.changed += self.stores.levels[DEEP].mark_and_clear(version);
        }
        for level in &mut self.stores.levels[..DEEP] {
            level.clear_all_dirty();
        }
        stats
    }
}

/// The changed parents tell their children.
fn push(slots: &Slots, above: &Level, level: &mut Level) {
    for (page, &words) in above.summary.iter().enumerate() {
        let mut words = words;
        while words != 0 {
            let word = page * PAGE + words.trailing_zeros() as usize;
            words &= words - 1;
            let mut mask = above.word[word].dirty;
            while mask != 0 {
                let row = word * WORD + mask.trailing_zeros() as usize;
                mask &= mask - 1;
                for child in slots.children(above.tag[row].slot) {
                    let at = slots.place(child).row;
                    if !level.is_external(at) {
                        level.set_dirty(at);
                    }
                }
            }
        }
    }
}

fn run(rows: Rows<'_>, above: Option<Above<'_>>, mark: Mark, how: How) -> SyncStats {
    #[cfg(feature = "rayon")]
    if how.parallel && rows.is_large() {
        let (a, b) = rows.halves();
        let (mut x, y) = rayon::join(|| run(a, above, mark, how), || run(b, above, mark, how));
        x.add(y);
        return x;
    }
    dispatch!(how.backend, s => work(s, rows, above, mark, how.version))
}

#[inline(always)]
fn work<S: Simd>(s: S, rows: Rows<'_>, above: Option<Above<'_>>, mark: Mark, version: u64) -> SyncStats {
    let mut stats = SyncStats { tasks: 1, ..SyncStats::default() };
    for page in 0..rows.summary.len() {
        let end = if (page + 1) * PAGE < rows.word.len() { (page + 1) * PAGE } else { rows.word.len() };
        let mut words = match mark {
            Mark::Own => rows.summary[page],
            _ => u64::MAX >> (PAGE - (end - page * PAGE)),
        };
        while words != 0 {
            let bit = words.trailing_zeros() as usize;
            words &= words - 1;
            let word = page * PAGE + bit;
            let range = rows.range(word);
            let Word { live, dirty: own, special, .. } = rows.word[word];
            let driven = rows.driven(word);
            let parent = &rows.parent[range.clone()];
            let mask = match (mark, above) {
                (Mark::All, _) => own | (live & !driven),
                (Mark::Pull, Some(above)) => own | (pulled(parent, above.word) & live & !driven),
                _ => own,
            };
            stats.checked += if mark == Mark::Own { mask } else { live }.count_ones() as usize;
            if mask == 0 {
                continue;
            }
            rows.word[word].dirty = mask;
            rows.summary[page] |= 1 << bit;
            stats.changed += mask.count_ones() as usize;
            rows.word[word].block.mark(&mut rows.tag[range.clone()], mask, live, version);
            let todo = mask & !driven;
            stats.written += todo.count_ones() as usize;
            let (tag, local) = (&rows.tag[range.clone()], &rows.local[range.clone()]);
            let world = &mut rows.world[range];
            match above {
                None => update_roots(todo, local, world),
                Some(above) => {
                    stats.read += todo.count_ones() as usize;
                    if special == 0 {
                        update_plain(s, todo, above.world, parent, local, world);
                    } else {
                        update_special(todo, above.world, parent, tag, local, world);
                    }
                }
            }
        }
    }
    stats
}

/// Which rows' parents are dirty.
#[inline(always)]
fn pulled(parent: &[u32], words: &[Word]) -> u64 {
    let mut mask = 0;
    for (i, &p) in parent.iter().enumerate() {
        // A hole may name a parent that was never there.
        if p != NONE {
            mask |= (words[p as usize / WORD].dirty >> (p as usize % WORD) & 1) << i;
        }
    }
    mask
}

fn update_roots(mut mask: u64, local: &[Qvs], world: &mut [Qvvs]) {
    while mask != 0 {
        let i = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        world[i] = compose_root(&local[i], &world[i]);
    }
}

#[inline(always)]
fn update_plain<S: Simd>(
    s: S,
    mut mask: u64,
    above: &[Qvvs],
    parent: &[u32],
    local: &[Qvs],
    world: &mut [Qvvs],
) {
    // Four neighbours that are all dirty go through the kernel together.
    let mut quads = mask & mask >> 1;
    quads &= quads >> 2 & 0x1111_1111_1111_1111;
    mask &= !(quads * 0xf);
    while quads != 0 {
        let i = quads.trailing_zeros() as usize;
        quads &= quads - 1;
        if let (Ok(parent), Ok(local), Ok(world)) =
            (parent[i..i + 4].try_into(), local[i..i + 4].try_into(), (&mut world[i..i + 4]).try_into())
        {
            mul_rows(s, above, parent, local, world);
        }
    }
    while mask != 0 {
        let i = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        world[i] = above[parent[i] as usize].mul(&local[i], world[i].stretch, world[i].user);
    }
}

fn update_special(
    mut mask: u64,
    above: &[Qvvs],
    parent: &[u32],
    tag: &[Tag],
    local: &[Qvs],
    world: &mut [Qvvs],
) {
    while mask != 0 {
        let i = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        world[i] = compose(tag[i].flags, &above[parent[i] as usize], &local[i], &world[i]);
    }
}
