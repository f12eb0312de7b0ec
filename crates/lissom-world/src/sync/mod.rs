//! Bringing world transforms up to date: which algorithm runs.
//!
//! All algorithms see the same dirty bits and call the same product, so they give the same bits and mark
//! the same entities. They differ in what they touch on the way:
//!
//! | file | walks | reads at least | good for |
//! |---|---|---|---|
//! | `depth_first` | every tree from its root | every entity's links | what is deeper than 16, immediate writes |
//! | `by_depth` | chunks of handles, depth by depth | every chunk's entities a check | the seed's scene: ECS chunks |
//! | `levels` | rows of a level, in memory order | the words that have dirty rows | everything else |
//! | [`lanes`](crate::lanes) | 16 equal trees at once | the blocks that are dirty | prefabs |

pub(crate) mod by_depth;
pub(crate) mod depth_first;
pub(crate) mod levels;

use crate::{
    World,
    lanes::{Blocks, MIN_CELLS},
    stats::SyncStats,
};
use lissom_math::simd::Backend;

/// Which algorithm [`World::sync`](crate::World::sync) uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// What the crate finds best, by part: prefab instances in lanes, other entities in packed levels (levels
    /// of up to 4,096 on one thread, larger ones on all), what is deeper than 16 depth-first.
    #[default]
    Auto,
    /// Depth-first with lazy parent load. Serial.
    DepthFirst,
    /// By depth over chunks of 64 handles, as an ECS would: check pass, then update pass. Serial.
    ByDepth,
    /// Packed levels; prefab instances too.
    Levels,
    /// Prefab instances in lanes, everything else in packed levels.
    Lanes,
}

impl Algorithm {
    /// True where prefab instances may stand in lanes.
    pub(crate) fn has_lanes(self) -> bool {
        matches!(self, Self::Auto | Self::Lanes)
    }
}

impl World {
    /// Brings every world transform that depends on a change up to date, each once.
    ///
    /// First the structure phase moves the data of entities whose depth changed, then the changed part is
    /// recomputed. May be called several times a frame; each call does what changed since the last one.
    /// Allocates nothing once the world has its size (the structure phase may).
    pub fn sync(&mut self) -> SyncStats {
        let mut stats = SyncStats::default();
        if !core::mem::take(&mut self.dirty) {
            return stats;
        }
        stats.moved = self.settle();
        let version = self.version + 1;
        for set in &mut self.stores.lanes {
            stats.add(run_blocks(set.blocks(), self.backend, version, self.parallel));
        }
        let part = match self.algorithm {
            Algorithm::DepthFirst => self.sync_depth_first(version),
            Algorithm::ByDepth => self.sync_by_depth(version),
            Algorithm::Auto | Algorithm::Levels | Algorithm::Lanes => self.sync_levels(version),
        };
        stats.add(part);
        if stats.changed != 0 {
            self.version = version;
        }
        stats
    }
}

fn run_blocks(blocks: Blocks<'_>, backend: Backend, version: u64, parallel: bool) -> SyncStats {
    #[cfg(feature = "parallel")]
    if parallel && blocks.len() > 1 && blocks.len() * blocks.nodes() > MIN_CELLS {
        let half = blocks.len() / 2;
        let (a, b) = blocks.split_at(half);
        let (mut x, y) = rayon::join(
            || run_blocks(a, backend, version, parallel),
            || run_blocks(b, backend, version, parallel),
        );
        x.add(y);
        return x;
    }
    let _ = parallel;
    blocks.sync(backend, version)
}
