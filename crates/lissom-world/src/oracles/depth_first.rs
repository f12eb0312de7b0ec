//! The seed's first algorithm: depth-first from every root, parents loaded lazily.

use crate::{
    World,
    inherit::{EXTERNAL, compose_root},
    level::Tag,
    slots::NONE,
    stats::SyncStats,
    sync::depth_first::walk,
};

impl World {
    pub(super) fn sync_depth_first(&mut self, version: u64) -> SyncStats {
        let mut stats = SyncStats { passes: 1, ..SyncStats::default() };
        let Self { slots, stores, stack, .. } = self;
        for row in 0..stores.levels[0].tag.len() {
            let level = &mut stores.levels[0];
            let Tag { slot, flags, .. } = level.tag[row];
            if slot == NONE {
                continue;
            }
            stats.checked += 1;
            let moved = level.is_dirty(row as u32);
            if moved && flags & EXTERNAL == 0 {
                level.world[row] = compose_root(&level.local[row], &level.world[row]);
                stats.written += 1;
            }
            stats.add(walk(slots, stores, stack, slot, moved, |_| true, |_, _| ()));
        }
        for level in &mut stores.levels {
            stats.changed += level.mark_and_clear(version);
        }
        stats
    }
}
