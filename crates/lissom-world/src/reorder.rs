//! Putting rows back into breadth-first order.
//!
//! Rows keep their place while they keep their depth, and holes are filled last in first out. After many
//! structural changes a level's children no longer stand in the order of their parents, and holes thin it
//! out. `World::reorder` lays every level out anew: children in the order of their parents, siblings in theirs, no
//! holes; the deep store depth-first, as it is walked.

use crate::{
    World,
    level::Level,
    slots::{NONE, Place},
    store::{DEEP, DEPTHS},
};
use alloc::vec::Vec;

impl World {
    /// Lays the levels out anew, in breadth-first order and without holes. Handles, transforms, versions and
    /// what is dirty stay; the order of [`World::changed_since`] follows the new layout.
    ///
    /// Costs a walk over the whole world: for after a level load, or every few thousand structural changes.
    pub fn reorder(&mut self) {
        self.settle();
        let mut old = core::mem::take(&mut self.stores.levels);
        self.stores.levels = (0..=DEEP).map(|_| Level::default()).collect();
        let mut order: Vec<u32> =
            old[0].tag.iter().map(|tag| tag.slot).filter(|slot| *slot != NONE).collect();
        let mut below = Vec::new();
        for store in 0..=DEPTHS {
            for &slot in &order {
                self.relay(&mut old, slot, store);
                below.extend(self.slots.children(slot));
            }
            core::mem::swap(&mut order, &mut below);
            below.clear();
        }
        for &root in &order {
            let mut slot = root;
            while slot != NONE {
                self.relay(&mut old, slot, DEEP);
                slot = self.slots.next_in_subtree(root, slot);
            }
        }
    }

    /// Moves one row; its parent was moved before.
    fn relay(&mut self, old: &mut [Level], slot: u32, store: usize) {
        let row = old[store].row(self.slots.place(slot).row);
        let parent = self.slots.parent(slot);
        let above = if parent == NONE { NONE } else { self.slots.place(parent).row };
        let at = self.stores.levels[store].insert(&row, above);
        self.slots.set_place(slot, Place { store: store as u32, row: at });
    }
}
