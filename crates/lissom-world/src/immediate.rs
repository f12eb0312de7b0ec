//! Immediate writes: a child is where its parent put it, at once.
//!
//! An immediate write recomputes the entity and everything below it on the spot, from the parent's world
//! transform as it stands and the present locals (deferred writes below are taken along and are then no
//! longer dirty). A later sync gives the same world transforms as if the write had been deferred.

use crate::{
    Entity, World, WorldError,
    inherit::{EXTERNAL, Flags, compose, compose_root},
    slots::{NONE, Slots},
    sync::depth_first::walk,
    world::{check_local, check_world},
};
use alloc::vec::Vec;
use lissom_math::{Qvs, Qvvs};

/// Exclusive access to one hierarchy, with writes that propagate at once.
pub struct Hierarchy<'w> {
    world: &'w mut World,
    root: u32,
}

impl World {
    /// Opens the hierarchy of a root for immediate writes.
    pub fn hierarchy(&mut self, root: Entity) -> Result<Hierarchy<'_>, WorldError> {
        let (slot, _) = self.slots.get(root)?;
        if self.slots.parent(slot) != NONE {
            return Err(WorldError::NotRoot { entity: root });
        }
        Ok(Hierarchy { world: self, root: slot })
    }
}

impl Hierarchy<'_> {
    fn member(&self, entity: Entity) -> Result<u32, WorldError> {
        let (slot, _) = self.world.slots.get(entity)?;
        if self.world.slots.root(slot) != self.root {
            return Err(WorldError::OtherHierarchy { entity, root: self.world.slots.entity(self.root) });
        }
        Ok(slot)
    }

    /// The local transform of a member.
    pub fn local(&self, entity: Entity) -> Result<Qvs, WorldError> {
        self.member(entity)?;
        self.world.local(entity)
    }

    /// The world transform of a member.
    pub fn transform(&self, entity: Entity) -> Result<Qvvs, WorldError> {
        self.member(entity)?;
        self.world.transform(entity)
    }

    /// Sets a local transform; the entity and everything below it move at once.
    pub fn set_local(&mut self, entity: Entity, local: Qvs) -> Result<(), WorldError> {
        let slot = self.member(entity)?;
        check_local(0, &local)?;
        let place = self.world.slots.place(slot);
        self.world.stores.set_local(place, &local);
        if !self.world.stores.is_external(place) {
            self.world.propagate(slot);
        }
        Ok(())
    }

    /// Sets a world transform, stretch and user word with it; everything below moves at once.
    pub fn set_transform(&mut self, entity: Entity, world: Qvvs) -> Result<(), WorldError> {
        let slot = self.member(entity)?;
        self.world.set_transform(entity, world)?;
        self.world.propagate(slot);
        Ok(())
    }
}

impl World {
    /// Recomputes an entity and everything below it now.
    fn propagate(&mut self, slot: u32) {
        self.version += 1;
        let version = self.version;
        let Self { slots, stores, stack, .. } = self;
        let place = slots.place(slot);
        let flags = stores.flags(place);
        if flags & EXTERNAL == 0 {
            let (local, old) = (stores.local(place), stores.world(place));
            let parent = slots.parent(slot);
            let world = if parent == NONE {
                compose_root(&local, &old)
            } else {
                compose(flags, &stores.world(slots.place(parent)), &local, &old)
            };
            stores.set_world(place, &world);
        }
        stores.clear_dirty(place);
        stores.mark(place, version);
        walk(
            slots,
            stores,
            stack,
            slot,
            true,
            |_| true,
            |stores, slot| {
                let place = slots.place(slot);
                stores.clear_dirty(place);
                stores.mark(place, version);
            },
        );
    }

    /// Immediate writes to several hierarchies at once: `f` gets each in turn, on any thread (feature
    /// `rayon`), as a copy that is written back when all are done. All writes get one version.
    ///
    /// The result does not depend on the threads: hierarchies share nothing.
    pub fn edit_hierarchies(
        &mut self,
        roots: &[Entity],
        f: impl Fn(usize, &mut HierarchyCopy<'_>) + Sync,
    ) -> Result<(), WorldError> {
        let mut index = alloc::vec![NONE; self.slots.len()];
        let mut copies: Vec<Vec<Node>> = Vec::with_capacity(roots.len());
        for &root in roots {
            let (slot, _) = self.slots.get(root)?;
            if self.slots.parent(slot) != NONE {
                return Err(WorldError::NotRoot { entity: root });
            }
            if index[slot as usize] != NONE {
                return Err(WorldError::Twice { entity: root });
            }
            copies.push(self.copy_out(slot, &mut index));
        }
        let slots = &self.slots;
        let run = |(i, nodes): (usize, &mut Vec<Node>)| {
            f(i, &mut HierarchyCopy { slots, index: &index, nodes });
        };
        #[cfg(feature = "rayon")]
        if self.parallel {
            use rayon::prelude::*;
            copies.par_iter_mut().enumerate().for_each(run);
        } else {
            copies.iter_mut().enumerate().for_each(run);
        }
        #[cfg(not(feature = "rayon"))]
        copies.iter_mut().enumerate().for_each(run);

        let version = self.version + 1;
        for node in copies.iter().flatten() {
            let place = self.slots.place(node.slot);
            self.stores.set_local(place, &node.local);
            if node.changed {
                self.version = version;
                self.stores.set_world(place, &node.world);
                self.stores.clear_dirty(place);
                self.stores.mark(place, version);
            }
        }
        Ok(())
    }

    /// A hierarchy in depth-first order; `index` learns where each slot stands.
    fn copy_out(&self, root: u32, index: &mut [u32]) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut slot = root;
        while slot != NONE {
            let place = self.slots.place(slot);
            let parent = self.slots.parent(slot);
            index[slot as usize] = nodes.len() as u32;
            nodes.push(Node {
                slot,
                parent: if parent == NONE { NONE } else { index[parent as usize] },
                local: self.stores.local(place),
                world: self.stores.world(place),
                flags: self.stores.flags(place),
                dirty: self.stores.is_dirty(place),
                changed: false,
                fresh: false,
            });
            slot = self.slots.next_in_subtree(root, slot);
        }
        nodes
    }
}

struct Node {
    slot: u32,
    parent: u32,
    local: Qvs,
    world: Qvvs,
    flags: Flags,
    dirty: bool,
    /// Changed by any write so far.
    changed: bool,
    /// Changed by the write at work.
    fresh: bool,
}

/// One hierarchy of [`World::edit_hierarchies`].
pub struct HierarchyCopy<'w> {
    slots: &'w Slots,
    index: &'w [u32],
    nodes: &'w mut Vec<Node>,
}

impl HierarchyCopy<'_> {
    fn member(&self, entity: Entity) -> Result<usize, WorldError> {
        let (slot, _) = self.slots.get(entity)?;
        let at = self.index[slot as usize] as usize;
        match self.nodes.get(at) {
            Some(node) if node.slot == slot => Ok(at),
            _ => Err(WorldError::OtherHierarchy { entity, root: self.root() }),
        }
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> Entity {
        self.slots.entity(self.nodes[0].slot)
    }

    /// The local transform of a member.
    pub fn local(&self, entity: Entity) -> Result<Qvs, WorldError> {
        Ok(self.nodes[self.member(entity)?].local)
    }

    /// The world transform of a member.
    pub fn transform(&self, entity: Entity) -> Result<Qvvs, WorldError> {
        Ok(self.nodes[self.member(entity)?].world)
    }

    /// Sets a local transform; the entity and everything below it move at once.
    pub fn set_local(&mut self, entity: Entity, local: Qvs) -> Result<(), WorldError> {
        let at = self.member(entity)?;
        check_local(0, &local)?;
        self.nodes[at].local = local;
        if self.nodes[at].flags & EXTERNAL == 0 {
            self.propagate(at);
        }
        Ok(())
    }

    /// Sets a world transform, stretch and user word with it; everything below moves at once.
    pub fn set_transform(&mut self, entity: Entity, world: Qvvs) -> Result<(), WorldError> {
        let at = self.member(entity)?;
        check_world(0, &world)?;
        let (flags, parent) = (self.nodes[at].flags, self.nodes[at].parent);
        if flags & EXTERNAL == 0 {
            let local = if parent == NONE {
                Qvs { rotation: world.rotation, position: world.position, scale: world.scale }
            } else {
                self.nodes[parent as usize].world.inverse_mul(&world)
            };
            if !local.is_finite() {
                let parent = self.slots.entity(self.nodes[parent as usize].slot);
                return Err(WorldError::NotInvertible { parent });
            }
            self.nodes[at].local = local;
        }
        let node = &mut self.nodes[at];
        let old = node.world;
        node.world =
            if flags != 0 { world } else { Qvvs { stretch: world.stretch, user: world.user, ..old } };
        self.propagate(at);
        Ok(())
    }

    /// Depth-first order: what lies below stands right behind.
    fn propagate(&mut self, at: usize) {
        for i in at..self.nodes.len() {
            let (done, rest) = self.nodes.split_at_mut(i);
            let node = &mut rest[0];
            let above = (node.parent != NONE).then(|| &done[node.parent as usize]);
            if i > at && (node.parent as usize) < at {
                break;
            }
            let driven = node.flags & EXTERNAL != 0;
            let moved = i == at || node.dirty || (above.is_some_and(|p| p.fresh) && !driven);
            node.fresh = moved;
            if moved {
                node.changed = true;
                node.dirty = false;
                if !driven {
                    node.world = match above {
                        None => compose_root(&node.local, &node.world),
                        Some(parent) => compose(node.flags, &parent.world, &node.local, &node.world),
                    };
                }
            }
        }
    }
}
