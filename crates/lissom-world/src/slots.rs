//! Handles, and who is whose parent.
//!
//! A slot is what a handle's index names. It knows where the entity's data lies ([`Place`]) and its links:
//! parent, first child, next and previous sibling. The first child's `prev` is the *last* child, so adding
//! at the end and removing anywhere are O(1). Links always tell the present; places may lag behind until
//! the structure phase moves the data.

use crate::WorldError;
use alloc::vec::Vec;
use core::fmt;

/// No entity, no row.
pub(crate) const NONE: u32 = u32::MAX;

/// A handle: stays valid until the entity is despawned, and never names another one after that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entity {
    index: u32,
    generation: u32,
}

impl Entity {
    pub(crate) const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }

    /// The number of its slot: small, dense, reused after a despawn with another generation.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// Counts the entities that had this slot.
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// Index in the low, generation in the high half.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.generation as u64) << 32 | self.index as u64
    }

    /// The inverse of [`Entity::to_bits`]. Any bits are a handle; the world tells whether it is alive.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self { index: bits as u32, generation: (bits >> 32) as u32 }
    }
}

impl fmt::Debug for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation)
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entity {self:?}")
    }
}

/// Where an entity's data lies: a level and a row, or a lane set and a lane of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub store: u32,
    pub row: u32,
}

/// Set in [`Place::store`] for lane sets.
pub(crate) const LANES: u32 = 1 << 31;

impl Place {
    pub const NOWHERE: Self = Self { store: NONE, row: NONE };

    #[inline(always)]
    pub fn lane_set(self) -> Option<usize> {
        (self.store & LANES != 0).then_some((self.store & !LANES) as usize)
    }
}

#[derive(Clone, Copy)]
struct Slot {
    generation: u32,
    place: Place,
    /// [`ALIVE`] | [`QUEUED`]
    state: u32,
}

const ALIVE: u32 = 1;
/// Waits in the structure queue.
const QUEUED: u32 = 2;

#[derive(Clone, Copy)]
struct Links {
    parent: u32,
    first: u32,
    next: u32,
    prev: u32,
}

const UNLINKED: Links = Links { parent: NONE, first: NONE, next: NONE, prev: NONE };

/// The most slots.
pub(crate) const MAX_SLOTS: usize = 1 << 30;

#[derive(Clone, Default)]
pub(crate) struct Slots {
    slots: Vec<Slot>,
    links: Vec<Links>,
    free: Vec<u32>,
    alive: usize,
    #[cfg(feature = "oracles")]
    pub stale: crate::oracles::StaleChunks,
}

impl Slots {
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn alive_count(&self) -> usize {
        self.alive
    }

    pub fn reserve_check(&self, more: usize) -> Result<(), WorldError> {
        if self.alive_count() + more > MAX_SLOTS {
            return Err(WorldError::Full { max: MAX_SLOTS });
        }
        Ok(())
    }

    /// The slot of a live handle.
    #[inline(always)]
    pub fn get(&self, entity: Entity) -> Result<(u32, Place), WorldError> {
        match self.slots.get(entity.index as usize) {
            Some(s) if s.generation == entity.generation && s.state & ALIVE != 0 => {
                Ok((entity.index, s.place))
            }
            _ => Err(WorldError::Dead { entity }),
        }
    }

    #[inline]
    pub fn entity(&self, slot: u32) -> Entity {
        Entity::new(slot, self.slots[slot as usize].generation)
    }

    #[inline(always)]
    pub fn place(&self, slot: u32) -> Place {
        self.slots[slot as usize].place
    }

    #[inline]
    pub fn set_place(&mut self, slot: u32, place: Place) {
        self.slots[slot as usize].place = place;
        #[cfg(feature = "oracles")]
        self.stale.mark(slot);
    }

    #[inline]
    pub fn is_alive(&self, slot: u32) -> bool {
        self.slots[slot as usize].state & ALIVE != 0
    }

    pub fn is_queued(&self, slot: u32) -> bool {
        self.slots[slot as usize].state & QUEUED != 0
    }

    pub fn set_queued(&mut self, slot: u32, queued: bool) {
        let state = &mut self.slots[slot as usize].state;
        *state = if queued { *state | QUEUED } else { *state & !QUEUED };
    }

    /// A new slot without place, parent or children.
    pub fn insert(&mut self) -> u32 {
        self.alive += 1;
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize].state = ALIVE;
            return slot;
        }
        let slot = self.slots.len() as u32;
        self.slots.push(Slot { generation: 0, place: Place::NOWHERE, state: ALIVE });
        self.links.push(UNLINKED);
        slot
    }

    /// Ends a slot that has no links left to other live slots.
    pub fn remove(&mut self, slot: u32) {
        self.alive -= 1;
        self.set_place(slot, Place::NOWHERE);
        let s = &mut self.slots[slot as usize];
        s.state = 0;
        // A slot whose generations are used up is never used again.
        if s.generation < u32::MAX {
            s.generation += 1;
            self.free.push(slot);
        }
        self.links[slot as usize] = UNLINKED;
    }

    #[inline(always)]
    pub fn parent(&self, slot: u32) -> u32 {
        self.links[slot as usize].parent
    }

    #[inline(always)]
    pub fn first_child(&self, slot: u32) -> u32 {
        self.links[slot as usize].first
    }

    #[inline(always)]
    pub fn next_sibling(&self, slot: u32) -> u32 {
        self.links[slot as usize].next
    }

    pub fn children(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let mut child = self.first_child(slot);
        core::iter::from_fn(move || {
            let this = (child != NONE).then_some(child)?;
            child = self.next_sibling(this);
            Some(this)
        })
    }

    /// Adds a parentless slot as the last child.
    pub fn link(&mut self, slot: u32, parent: u32) {
        if parent == NONE {
            return;
        }
        let first = self.links[parent as usize].first;
        if first == NONE {
            self.links[parent as usize].first = slot;
            self.links[slot as usize].prev = slot;
        } else {
            let last = self.links[first as usize].prev;
            self.links[last as usize].next = slot;
            self.links[slot as usize].prev = last;
            self.links[first as usize].prev = slot;
        }
        let l = &mut self.links[slot as usize];
        (l.parent, l.next) = (parent, NONE);
    }

    /// Takes a slot from its parent; its own children stay with it.
    pub fn unlink(&mut self, slot: u32) {
        let Links { parent, next, prev, .. } = self.links[slot as usize];
        if parent == NONE {
            return;
        }
        let first = self.links[parent as usize].first;
        if first == slot {
            self.links[parent as usize].first = next;
        } else {
            self.links[prev as usize].next = next;
        }
        // The first child's `prev` is the last child.
        if next != NONE {
            self.links[next as usize].prev = prev;
        } else if first != slot {
            self.links[first as usize].prev = prev;
        }
        let l = &mut self.links[slot as usize];
        (l.parent, l.next, l.prev) = (NONE, NONE, NONE);
    }

    /// The next slot of the subtree of `root` after `slot`: parents first, children in order. No stack.
    #[inline]
    pub fn next_in_subtree(&self, root: u32, slot: u32) -> u32 {
        let first = self.first_child(slot);
        if first != NONE { first } else { self.skip_subtree(root, slot) }
    }

    /// Likewise, but not below `slot`.
    #[inline]
    pub fn skip_subtree(&self, root: u32, mut slot: u32) -> u32 {
        while slot != root {
            let next = self.next_sibling(slot);
            if next != NONE {
                return next;
            }
            slot = self.parent(slot);
        }
        NONE
    }

    /// The root above a slot.
    pub fn root(&self, mut slot: u32) -> u32 {
        while self.parent(slot) != NONE {
            slot = self.parent(slot);
        }
        slot
    }

    /// True where `below` is `above` or lies under it. Walks up from one and down from the other, a step each:
    /// whichever ends first has the answer, and most subtrees are small.
    pub fn is_in_subtree(&self, above: u32, below: u32) -> bool {
        let (mut up, mut down) = (below, above);
        loop {
            if up == above || down == below {
                return true;
            }
            down = self.next_in_subtree(above, down);
            if down == NONE {
                return false;
            }
            up = self.parent(up);
            if up == NONE {
                return false;
            }
        }
    }

    pub fn free_list(&self) -> &[u32] {
        &self.free
    }

    /// For a snapshot: `count` dead slots with these generations, the free list in its order.
    pub fn restore(generations: &[u32], free: Vec<u32>) -> Self {
        let n = generations.len();
        Self {
            slots: generations
                .iter()
                .map(|&generation| Slot { generation, place: Place::NOWHERE, state: 0 })
                .collect(),
            links: alloc::vec![UNLINKED; n],
            free,
            alive: 0,
            #[cfg(feature = "oracles")]
            stale: crate::oracles::StaleChunks::default(),
        }
    }

    /// For a snapshot: brings a dead slot to life.
    pub fn revive(&mut self, slot: u32) {
        self.alive += 1;
        self.slots[slot as usize].state = ALIVE;
    }

    pub fn generation(&self, slot: u32) -> u32 {
        self.slots[slot as usize].generation
    }
}
