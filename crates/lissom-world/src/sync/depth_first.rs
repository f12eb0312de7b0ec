//! Depth-first, parents loaded lazily: what lies deeper than the levels, and immediate writes.
//!
//! A parent's world transform is read at most once for all its children, and not at all where nothing
//! below it moved. The walk keeps one frame a row of siblings, not one a level of recursion, and the frame
//! of a last sibling is given to its children: a chain of any length needs one frame.

use crate::{
    World,
    inherit::{EXTERNAL, compose},
    level::WORD,
    slots::{NONE, Place, Slots},
    stats::SyncStats,
    store::{DEEP, DEPTHS, Stores},
};
use alloc::vec::Vec;
use lissom_math::Qvvs;

/// Siblings that are still to be visited, and their parent.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    next: u32,
    parent: u32,
    /// The parent's world transform changed.
    changed: bool,
    /// `world` holds the parent's world transform.
    loaded: bool,
    world: Qvvs,
}

/// Updates everything below `parent`. Whatever changes is left dirty, for the caller to mark.
///
/// Below an entity that did not change the walk goes on only if it is `wanted`. `consume` is for immediate
/// writes: told of every entity that changed, it may mark and clean it at once.
pub(crate) fn walk(
    slots: &Slots,
    stores: &mut Stores,
    stack: &mut Vec<Frame>,
    parent: u32,
    changed: bool,
    wanted: impl Fn(Place) -> bool,
    mut consume: impl FnMut(&mut Stores, u32),
) -> SyncStats {
    let mut stats = SyncStats::default();
    let first = slots.first_child(parent);
    if first == NONE {
        return stats;
    }
    stack.clear();
    // The frame at work lies in variables of its own: down a chain the parent's world transform then goes from
    // product to product in registers.
    let (mut next, mut parent, mut changed, mut loaded) = (first, parent, changed, false);
    let mut above = Qvvs::IDENTITY;
    loop {
        let slot = next;
        next = slots.next_sibling(slot);
        let place = slots.place(slot);
        let flags = stores.flags(place);
        let driven = flags & EXTERNAL != 0;
        let dirty = stores.is_dirty(place);
        let moved = dirty || (changed && !driven);
        stats.checked += 1;
        let mut world = Qvvs::IDENTITY;
        if moved {
            if driven {
                world = stores.world(place);
            } else {
                if !loaded {
                    above = stores.world(slots.place(parent));
                    loaded = true;
                    stats.read += 1;
                }
                world = compose(flags, &above, &stores.local(place), &stores.world(place));
                stores.set_world(place, &world);
                stats.written += 1;
            }
            if !dirty {
                stores.set_dirty(place);
            }
            consume(stores, slot);
        }
        let child = slots.first_child(slot);
        if child != NONE && (moved || wanted(place)) {
            if next != NONE {
                stack.push(Frame { next, parent, changed, loaded, world: above });
            }
            (next, parent, changed, loaded, above) = (child, slot, moved, moved, world);
        } else if next == NONE {
            let Some(frame) = stack.pop() else { return stats };
            (next, parent, changed, loaded, above) =
                (frame.next, frame.parent, frame.changed, frame.loaded, frame.world);
        }
    }
}

impl World {
    /// What lies deeper than the levels: entities of the last level are its roots, and their dirty bits are
    /// final. Only what changed and the paths that lead to something dirty are walked.
    pub(crate) fn walk_deep(&mut self) -> SyncStats {
        let mut stats = SyncStats { passes: 1, ..SyncStats::default() };
        let Self { slots, stores, stack, paths, .. } = self;
        if stores.levels[DEEP].live_count() == 0 {
            return stats;
        }
        paths.mark(slots, stores);
        for word in 0..stores.levels[DEPTHS].word.len() {
            let last = &stores.levels[DEPTHS].word[word];
            let mut todo = (last.dirty | paths.last[word]) & last.live;
            while todo != 0 {
                let bit = todo.trailing_zeros() as usize;
                todo &= todo - 1;
                let moved = stores.levels[DEPTHS].word[word].dirty >> bit & 1 != 0;
                let slot = stores.levels[DEPTHS].tag[word * WORD + bit].slot;
                let wanted = |place: Place| bit_of(&paths.deep, place.row);
                stats.add(walk(slots, stores, stack, slot, moved, wanted, |_, _| ()));
            }
        }
        stats
    }
}

/// Which entities have something dirty below them in the deep store: one bit a row.
#[derive(Clone, Default)]
pub(crate) struct Paths {
    last: Vec<u64>,
    deep: Vec<u64>,
}

impl Paths {
    /// From every dirty entity up, until a marked one: each entity is marked once.
    fn mark(&mut self, slots: &Slots, stores: &Stores) {
        let (last, deep) = (&stores.levels[DEPTHS], &stores.levels[DEEP]);
        for (bits, len) in [(&mut self.last, last.word.len()), (&mut self.deep, deep.word.len())] {
            bits.clear();
            bits.resize(len, 0);
        }
        for (word, bits) in deep.word.iter().enumerate() {
            let mut dirty = bits.dirty;
            while dirty != 0 {
                let mut slot = deep.tag[word * WORD + dirty.trailing_zeros() as usize].slot;
                dirty &= dirty - 1;
                loop {
                    slot = slots.parent(slot);
                    let place = slots.place(slot);
                    let to = if place.store as usize == DEEP { &mut self.deep } else { &mut self.last };
                    if bit_of(to, place.row) {
                        break;
                    }
                    to[place.row as usize / WORD] |= 1 << (place.row as usize % WORD);
                    if place.store as usize != DEEP {
                        break;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn bit_of(bits: &[u64], row: u32) -> bool {
    bits[row as usize / WORD] >> (row as usize % WORD) & 1 != 0
}
