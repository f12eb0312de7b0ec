//! The seed's second algorithm: by depth over chunks, as an ECS with mixed chunks would run it.
//!
//! A chunk is 64 consecutive handles; its entities may have any depths. Each chunk has a 32-bit mask: the
//! low half says which of 16 depths it holds (a root's child has depth 0) and is rebuilt only when depths
//! or membership change; the high half says at which depths it needs an update, and is cleared once a sync.
//! For each depth there is a list of its chunks, in order of the handles; a mixed chunk stands in several.
//! At each depth a *check* pass decides which chunks need work and writes masks only, then an *update* pass
//! writes transforms and looks at no other chunk's state of this depth. So the order of chunks within a
//! pass cannot matter: the seed's race (see the test) has no place to happen.
//!
//! The check is a chunk's, the update an entity's: the seed recomputes the clean neighbours in a chunk that
//! needs work, here each looks at its own and its parent's dirty bit, both in cache by then. (Neighbours could
//! not be recomputed blindly: one that just stopped keeping a component keeps it until its next change.)

use crate::{
    World,
    inherit::{EXTERNAL, compose},
    level::Tag,
    slots::NONE,
    stats::SyncStats,
    store::{DEPTHS, Stores},
};
use alloc::vec::Vec;

/// Handles in a chunk.
pub(super) const CHUNK: usize = 64;

/// Cached masks and lists.
#[derive(Clone, Default)]
pub(super) struct ByDepth {
    masks: Vec<u32>,
    lists: [Vec<u32>; DEPTHS],
    /// How often a chunk's mask was computed anew, and how often the lists were. For the tests.
    #[cfg(test)]
    rebuilt: (usize, usize),
}

/// Which of the 16 depths a store is: 0 for roots' children; `None` for roots and what is deeper.
fn depth(store: u32) -> Option<u8> {
    let below = store.checked_sub(1)?;
    ((below as usize) < DEPTHS).then_some(below as u8)
}

impl World {
    pub(super) fn sync_by_depth(&mut self, version: u64) -> SyncStats {
        let mut stats = self.sync_roots();
        self.refresh_chunks();
        for d in 0..DEPTHS {
            if self.oracles.by_depth.lists[d].is_empty() {
                continue;
            }
            let list = core::mem::take(&mut self.oracles.by_depth.lists[d]);
            for &chunk in &list {
                if self.check_chunk(chunk, d as u8, &mut stats) {
                    self.oracles.by_depth.masks[chunk as usize] |= 1 << (16 + d);
                }
            }
            for &chunk in &list {
                if self.oracles.by_depth.masks[chunk as usize] >> (16 + d) & 1 != 0 {
                    self.update_chunk(chunk, d as u8, &mut stats);
                }
            }
            stats.passes += 2;
            self.oracles.by_depth.lists[d] = list;
        }
        stats.add(self.walk_deep());
        for level in &mut self.stores.levels {
            stats.changed += level.mark_and_clear(version);
        }
        stats
    }

    fn sync_roots(&mut self) -> SyncStats {
        let mut stats = SyncStats { passes: 1, ..SyncStats::default() };
        let roots = &mut self.stores.levels[0];
        for row in 0..roots.tag.len() {
            let Tag { slot, flags, .. } = roots.tag[row];
            if slot != NONE && roots.is_dirty(row as u32) && flags & EXTERNAL == 0 {
                roots.world[row] = crate::inherit::compose_root(&roots.local[row], &roots.world[row]);
                stats.written += 1;
            }
        }
        stats
    }

    /// Clears the high halves; rebuilds the low halves of chunks whose members changed, and then the lists.
    fn refresh_chunks(&mut self) {
        let chunks = self.slots.len().div_ceil(CHUNK);
        let by_depth = &mut self.oracles.by_depth;
        let mut changed = by_depth.masks.len() != chunks;
        by_depth.masks.resize(chunks, 0);
        for mask in &mut by_depth.masks {
            *mask &= 0xffff;
        }
        for group in 0..self.slots.stale.0.len() {
            let mut stale = core::mem::take(&mut self.slots.stale.0[group]);
            while stale != 0 {
                let chunk = group * 64 + stale.trailing_zeros() as usize;
                stale &= stale - 1;
                let mask = members(chunk as u32, self.slots.len())
                    .filter(|&slot| self.slots.is_alive(slot))
                    .filter_map(|slot| depth(self.slots.place(slot).store))
                    .fold(0, |mask, d| mask | 1 << d);
                changed |= by_depth.masks[chunk] != mask;
                by_depth.masks[chunk] = mask;
                #[cfg(test)]
                {
                    by_depth.rebuilt.0 += 1;
                }
            }
        }
        if changed {
            #[cfg(test)]
            {
                by_depth.rebuilt.1 += 1;
            }
            by_depth.lists.iter_mut().for_each(Vec::clear);
            for (chunk, &mask) in by_depth.masks.iter().enumerate() {
                let mut rest = mask;
                while rest != 0 {
                    by_depth.lists[rest.trailing_zeros() as usize].push(chunk as u32);
                    rest &= rest - 1;
                }
            }
        }
    }

    /// Does the chunk need an update at this depth? Reads dirty bits, writes nothing.
    fn check_chunk(&self, chunk: u32, d: u8, stats: &mut SyncStats) -> bool {
        // The fast path: something of the chunk itself changed; no need to look at parents.
        for slot in members(chunk, self.slots.len()) {
            if let Some(row) = self.at_depth(slot, d) {
                stats.checked += 1;
                if self.stores.levels[usize::from(d) + 1].is_dirty(row) {
                    return true;
                }
            }
        }
        members(chunk, self.slots.len()).any(|slot| {
            self.at_depth(slot, d).is_some() && {
                let parent = self.slots.place(self.slots.parent(slot));
                self.stores.levels[usize::from(d)].is_dirty(parent.row)
            }
        })
    }

    fn update_chunk(&mut self, chunk: u32, d: u8, stats: &mut SyncStats) {
        for slot in members(chunk, self.slots.len()) {
            let Some(row) = self.at_depth(slot, d) else { continue };
            let parent = self.slots.place(self.slots.parent(slot)).row as usize;
            let Stores { levels, .. } = &mut self.stores;
            let (done, rest) = levels.split_at_mut(usize::from(d) + 1);
            let (above, level, i) = (&done[usize::from(d)], &mut rest[0], row as usize);
            let flags = level.tag[i].flags;
            if flags & EXTERNAL != 0 {
                continue;
            }
            let exact = level.is_dirty(row) || above.is_dirty(parent as u32);
            if !exact {
                continue;
            }
            level.world[i] = compose(flags, &above.world[parent], &level.local[i], &level.world[i]);
            stats.read += 1;
            stats.written += 1;
            level.set_dirty(row);
        }
    }

    /// The row of a slot that lies at this depth.
    #[inline(always)]
    fn at_depth(&self, slot: u32, d: u8) -> Option<u32> {
        let place = self.slots.place(slot);
        (place.store == u32::from(d) + 1).then_some(place.row)
    }
}

/// The slots of a chunk.
#[inline(always)]
fn members(chunk: u32, slots: usize) -> core::ops::Range<u32> {
    let start = chunk * CHUNK as u32;
    let end = if (start as usize) + CHUNK < slots { start + CHUNK as u32 } else { slots as u32 };
    start..end
}

#[cfg(test)]
mod tests {
    use crate::{Entity, Keep, World, oracles::Algorithm};
    use lissom_math::{Qvs, Vec3};

    /// The newest version among a chunk's entities.
    fn chunk_version(world: &World, chunk: u32) -> u64 {
        let of = |slot| world.stores.version(world.slots.place(slot));
        super::members(chunk, world.slots.len()).map(of).max().unwrap_or(0)
    }

    /// The seed's scene: chunks A and B hold roots 1 and 2; C holds their children 3 and 4; D and E hold
    /// the grandchildren 5 and 6. Only A changed. A check by chunk would give E a new version too.
    #[test]
    fn in_the_seeds_scene_the_neighbour_of_what_moved_keeps_its_version_and_so_does_what_hangs_on_it() {
        let mut world = World::new();
        world.set_algorithm(Algorithm::ByDepth);
        // 64 handles a chunk. Fillers are roots of their own that never move again.
        let mut chunk = |members: &[Option<Entity>]| -> Vec<Entity> {
            let ids = members.iter().map(|&p| world.spawn(p, Qvs::IDENTITY).unwrap()).collect();
            for _ in members.len()..super::CHUNK {
                world.spawn(None, Qvs::IDENTITY).unwrap();
            }
            ids
        };
        let a = chunk(&[None]);
        let b = chunk(&[None]);
        let c = chunk(&[Some(a[0]), Some(b[0])]);
        chunk(&[Some(c[0])]);
        chunk(&[Some(c[1])]);
        // Everything was last written in version 10; nothing since version 15; the global version is 20.
        world.version = 9;
        world.sync();
        world.version = 19;
        world.set_local(a[0], Qvs::from_position(Vec3::new(1.0, 0.0, 0.0))).unwrap();
        let stats = world.sync();
        assert_eq!(world.version(), 20);
        assert_eq!(stats.changed, 3, "entities 1, 3 and 5");
        assert_eq!(stats.written, 3, "entity 4, neighbour of 3, was left alone");
        let versions: [u64; 5] = core::array::from_fn(|i| chunk_version(&world, i as u32));
        assert_eq!(versions, [20, 10, 20, 20, 10], "A C D at 20, B E keep 10");
    }

    #[test]
    fn a_mixed_chunk_stands_in_several_lists_and_only_changes_rebuild_them() {
        let mut world = World::new();
        world.set_algorithm(Algorithm::ByDepth);
        let root = world.spawn(None, Qvs::IDENTITY).unwrap();
        let child = world.spawn(Some(root), Qvs::IDENTITY).unwrap();
        let grandchild = world.spawn(Some(child), Qvs::IDENTITY).unwrap();
        world.sync();
        let lists = |w: &World| [0, 1].map(|d: usize| w.oracles.by_depth.lists[d].clone());
        assert_eq!(world.oracles.by_depth.masks[0] & 0xffff, 0b11);
        assert_eq!(lists(&world), [vec![0], vec![0]]);
        assert_eq!(world.oracles.by_depth.rebuilt, (1, 1));
        // Moving is no change of depths or members.
        for _ in 0..3 {
            world.set_local(child, Qvs::IDENTITY).unwrap();
            assert_eq!(world.sync().changed, 2);
        }
        assert_eq!(world.oracles.by_depth.rebuilt, (1, 1));
        // A child more at a depth that the chunk has: its mask is looked at, the lists stay.
        world.spawn(Some(root), Qvs::IDENTITY).unwrap();
        world.sync();
        assert_eq!(world.oracles.by_depth.rebuilt, (2, 1));
        // A move to depth 0 leaves depth 1 empty.
        world.set_parent(grandchild, Some(root), Keep::Local).unwrap();
        world.sync();
        assert_eq!(world.oracles.by_depth.rebuilt, (3, 2));
        assert_eq!(world.oracles.by_depth.masks[0] & 0xffff, 0b01);
        assert_eq!(lists(&world), [vec![0], vec![]]);
    }
}
