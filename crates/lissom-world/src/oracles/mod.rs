//! Older algorithms, kept to compare with: the tests hold them all to the same bits, the bench measures what
//! replaced them. No part of the API, and not compiled without the feature `oracles`.
//!
//! All see the same dirty bits and call the same product, so they mark the same entities. They differ in what
//! they touch on the way:
//!
//! | algorithm | walks | reads at least |
//! |---|---|---|
//! | depth-first | every tree from its root | every entity's links |
//! | by depth | chunks of handles, depth by depth | every chunk's entities, to check |
//! | levels | rows of a level, in memory order | the words that have dirty rows |
//! | lanes | 16 equal trees at once | the blocks that are dirty |

mod by_depth;
mod depth_first;

use crate::{World, stats::SyncStats};
use alloc::vec::Vec;
use by_depth::ByDepth;

/// Which algorithm [`World::sync`] uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// What users get.
    #[default]
    Auto,
    /// Depth-first with lazy parent load. Serial.
    DepthFirst,
    /// By depth over chunks of 64 handles, as an ECS would: check pass, then update pass. Serial.
    ByDepth,
    /// Packed levels; prefab instances too.
    Levels,
    /// Prefab instances in lanes however small they are, everything else in packed levels.
    Lanes,
}

/// The algorithm in force, and what the older ones keep between syncs.
#[derive(Clone, Default)]
pub(crate) struct Oracles {
    algorithm: Algorithm,
    by_depth: ByDepth,
}

impl Oracles {
    /// Whether new instances of a prefab stand in lanes; `None` leaves it to the product's own rule.
    pub fn lanes(&self) -> Option<bool> {
        match self.algorithm {
            Algorithm::Auto => None,
            Algorithm::Lanes => Some(true),
            Algorithm::DepthFirst | Algorithm::ByDepth | Algorithm::Levels => Some(false),
        }
    }
}

/// One bit a chunk of 64 slots: its members' places changed.
#[derive(Clone, Default)]
pub(crate) struct StaleChunks(Vec<u64>);

impl StaleChunks {
    pub fn mark(&mut self, slot: u32) {
        let chunk = slot as usize / by_depth::CHUNK;
        if self.0.len() <= chunk / 64 {
            self.0.resize(chunk / 64 + 1, 0);
        }
        self.0[chunk / 64] |= 1 << (chunk % 64);
    }
}

impl World {
    /// Chooses the algorithm of the following syncs. One without lanes takes all instances out of them.
    #[doc(hidden)]
    pub fn set_algorithm(&mut self, algorithm: Algorithm) {
        self.oracles.algorithm = algorithm;
        if self.oracles.lanes() == Some(false) {
            self.leave_all_lanes();
        }
    }

    /// The part of a sync that is not lanes.
    pub(crate) fn sync_as_told(&mut self, version: u64) -> SyncStats {
        match self.oracles.algorithm {
            Algorithm::DepthFirst => self.sync_depth_first(version),
            Algorithm::ByDepth => self.sync_by_depth(version),
            Algorithm::Auto | Algorithm::Levels | Algorithm::Lanes => self.sync_levels(version),
        }
    }
}
