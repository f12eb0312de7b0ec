//! Changes of structure: links at once, data in a phase of its own.
//!
//! A new parent changes the links (so errors are known at the call) and puts the entity in a queue. The
//! structure phase, at the start of a sync, takes the queue in its order: from each entity it sends the depth
//! down and moves rows whose level changed. Where a row's level stays, everything below it stays too and is
//! not visited. An entity handled before one above it is right for the place its parent then has; if that
//! changes, it is visited again.

use crate::{
    Children, Entity, Keep, World, WorldError,
    level::Row,
    slots::{LANES, NONE, Place},
    store::{DEEP, below},
};
use alloc::vec::Vec;
use lissom_math::Qvs;

impl World {
    /// Gives the entity another parent, or none.
    ///
    /// Costs O(1), and to rule out a cycle a walk that ends with the shorter of two: from the new parent to
    /// its root, and through what lies below the entity.
    pub fn set_parent(
        &mut self,
        entity: Entity,
        parent: Option<Entity>,
        keep: Keep,
    ) -> Result<(), WorldError> {
        let (slot, place) = self.slots.get(entity)?;
        let new = match parent {
            None => NONE,
            Some(parent) => {
                let (new, _) = self.slots.get(parent)?;
                if self.slots.is_in_subtree(slot, new) {
                    return Err(WorldError::Cycle { entity, parent });
                }
                new
            }
        };
        let local = match keep {
            Keep::Local => None,
            Keep::World => Some(self.local_for(new, &self.stores.world(place))?),
        };
        self.leave_lanes(slot);
        if new != NONE {
            self.leave_lanes(new);
        }
        self.move_under(slot, new, local);
        Ok(())
    }

    fn move_under(&mut self, slot: u32, parent: u32, local: Option<Qvs>) {
        self.slots.unlink(slot);
        self.slots.link(slot, parent);
        let place = self.slots.place(slot);
        if let Some(local) = local {
            self.stores.set_local(place, &local);
        }
        if !self.stores.is_external(place) {
            self.stores.set_dirty(place);
        }
        self.dirty = true;
        if !self.slots.is_queued(slot) {
            self.slots.set_queued(slot, true);
            self.queue.push((slot, self.slots.generation(slot)));
        }
    }

    /// Ends an entity. Its handle is dead from here on.
    pub fn despawn(&mut self, entity: Entity, children: Children) -> Result<(), WorldError> {
        let (slot, place) = self.slots.get(entity)?;
        match children {
            Children::Despawn => {
                let whole = place.lane_set().filter(|_| self.slots.parent(slot) == NONE);
                if whole.is_none() {
                    self.leave_lanes(slot);
                }
                let mut doomed = core::mem::take(&mut self.scratch);
                doomed.clear();
                let mut at = slot;
                while at != NONE {
                    doomed.push(at);
                    at = self.slots.next_in_subtree(slot, at);
                }
                self.slots.unlink(slot);
                for &at in &doomed {
                    if whole.is_none() {
                        let place = self.slots.place(at);
                        self.stores.level_mut(place).remove(place.row);
                    }
                    self.slots.remove(at);
                }
                self.scratch = doomed;
                // A whole instance ends where it stands: no row moves.
                if let Some(set) = whole {
                    let lanes = &mut self.stores.lanes[set];
                    lanes.free_lane(lanes.instance_of(place.row));
                }
            }
            Children::HandUp(keep) => {
                let parent = self.slots.parent(slot);
                let mut moves: Vec<(u32, Option<Qvs>)> = Vec::new();
                for child in self.slots.children(slot) {
                    let local = match keep {
                        Keep::Local => None,
                        Keep::World => {
                            let world = self.stores.world(self.slots.place(child));
                            Some(self.local_for(parent, &world)?)
                        }
                    };
                    moves.push((child, local));
                }
                self.leave_lanes(slot);
                for (child, local) in moves {
                    self.move_under(child, parent, local);
                }
                self.slots.unlink(slot);
                let place = self.slots.place(slot);
                self.stores.level_mut(place).remove(place.row);
                self.slots.remove(slot);
            }
        }
        Ok(())
    }

    /// Takes the instance that a slot belongs to out of the lanes, if it is in one.
    pub(crate) fn leave_lanes(&mut self, slot: u32) {
        let place = self.slots.place(slot);
        let Some(set) = place.lane_set() else { return };
        let at = self.stores.lanes[set].instance_of(place.row);
        self.leave_instance(set, at);
    }

    fn leave_instance(&mut self, set: usize, at: u32) {
        let nodes = self.stores.lanes[set].nodes();
        for node in 0..nodes {
            let lanes = &self.stores.lanes[set];
            let row = lanes.row(lanes.row_of(at, node));
            let depth = lanes.shape.depths[node];
            let store = if depth as usize > DEEP { DEEP as u32 } else { depth };
            let parent = self.slots.parent(row.slot);
            let parent_row = if parent == NONE { NONE } else { self.slots.place(parent).row };
            let to = self.stores.levels[store as usize].insert(&row, parent_row);
            self.slots.set_place(row.slot, Place { store, row: to });
        }
        self.stores.lanes[set].free_lane(at);
    }

    #[cfg(feature = "oracles")]
    pub(crate) fn leave_all_lanes(&mut self) {
        for set in 0..self.stores.lanes.len() {
            for block in 0..self.stores.lanes[set].live.len() {
                let mut live = self.stores.lanes[set].live[block];
                while live != 0 {
                    let at = block as u32 * 16 + live.trailing_zeros();
                    live &= live - 1;
                    self.leave_instance(set, at);
                }
            }
        }
        self.stores.lanes.clear();
    }

    /// The structure phase. Returns how many rows moved.
    pub(crate) fn settle(&mut self) -> usize {
        let mut moved = 0;
        let mut queue = core::mem::take(&mut self.queue);
        for (slot, generation) in queue.drain(..) {
            if self.slots.generation(slot) == generation && self.slots.is_queued(slot) {
                self.slots.set_queued(slot, false);
                moved += self.send_down(slot);
            }
        }
        self.queue = queue;
        moved
    }

    /// Puts the rows of a subtree into the levels they belong to.
    fn send_down(&mut self, root: u32) -> usize {
        let mut moved = 0;
        let mut slot = root;
        while slot != NONE {
            let parent = self.slots.parent(slot);
            let above = if parent == NONE { Place::NOWHERE } else { self.slots.place(parent) };
            let store = if parent == NONE { 0 } else { below(above.store) };
            let old = self.slots.place(slot);
            debug_assert!(old.store & LANES == 0, "entities in lanes are never queued");
            if old.store == store {
                self.stores.level_mut(old).parent[old.row as usize] = above.row;
                slot = self.slots.skip_subtree(root, slot);
            } else {
                let row: Row = self.stores.row(old);
                self.stores.level_mut(old).remove(old.row);
                let at = self.stores.levels[store as usize].insert(&row, above.row);
                self.slots.set_place(slot, Place { store, row: at });
                moved += 1;
                slot = self.slots.next_in_subtree(root, slot);
            }
        }
        moved
    }
}
