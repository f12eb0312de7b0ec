//! Bringing world transforms up to date.
//!
//! | file | for | looks at |
//! |---|---|---|
//! | [`lanes`](crate::lanes) | instances of prefabs, 16 equal trees at once | the blocks that are dirty |
//! | `levels` | everything else down to depth 16, in memory order | the words that have dirty rows |
//! | `depth_first` | what is deeper, and immediate writes | paths to something dirty |
//!
//! All see the same dirty bits and call the same product, so it does not matter where an entity stands.

pub(crate) mod depth_first;
pub(crate) mod levels;

use crate::{World, lanes::Blocks, stats::SyncStats};
use lissom_math::simd::Backend;

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
        #[cfg(feature = "oracles")]
        stats.add(self.sync_as_told(version));
        #[cfg(not(feature = "oracles"))]
        stats.add(self.sync_levels(version));
        if stats.changed != 0 {
            self.version = version;
        }
        stats
    }
}

fn run_blocks(blocks: Blocks<'_>, backend: Backend, version: u64, parallel: bool) -> SyncStats {
    #[cfg(feature = "rayon")]
    if parallel && blocks.is_large() {
        let (a, b) = blocks.halves();
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
