//! Equal trees side by side: 16 instances of a prefab in the lanes of one block.
//!
//! A block holds, for every node of the prefab, 16 locals and 16 worlds, in quads of four lanes. One sweep
//! over the nodes, parents first, updates 16 trees with no gather and no shuffle: the parents of a node's
//! lanes are the same lanes of another node. Where one lane is dirty its quad is computed, which costs the
//! same and stores in clean lanes the bits they have; versions count the dirty lanes only.
//!
//! Lanes know no flags and no parents outside the block. An instance leaves for the levels at its first
//! structural change (a child added or taken, a new parent, a flag).

use crate::{level::Row, slots::NONE, stats::SyncStats, version::Block};
use alloc::{sync::Arc, vec::Vec};
use lissom_math::{
    Qvs, Qvvs, dispatch,
    simd::{Backend, Simd},
    soa::GROUP,
    wide_qvvs::{QUAD, QuadQvs, QuadQvvs},
};

/// A cell's lanes lie in memory four by four.
const QUADS: usize = GROUP / QUAD;

/// The topology that instances share: a parent a node, parents first, node 0 the only root.
#[derive(Debug)]
pub(crate) struct Shape {
    pub parents: Vec<u32>,
    pub depths: Vec<u32>,
}

/// All instances of one shape. A *cell* is one node of one block: cell = block · nodes + node.
#[derive(Clone)]
pub(crate) struct LaneSet {
    pub shape: Arc<Shape>,
    pub slot: Vec<[u32; GROUP]>,
    pub local: Vec<[QuadQvs; QUADS]>,
    pub world: Vec<[QuadQvvs; QUADS]>,
    pub dirty: Vec<u16>,
    version: Vec<[u64; GROUP]>,
    version_block: Vec<Block>,
    /// Per block: which lanes hold an instance, and whether anything is dirty.
    pub live: Vec<u16>,
    pub block_dirty: Vec<bool>,
    /// Lanes without an instance: block · 16 + lane.
    free: Vec<u32>,
}

impl LaneSet {
    pub fn new(shape: Arc<Shape>) -> Self {
        Self {
            shape,
            slot: Vec::new(),
            local: Vec::new(),
            world: Vec::new(),
            dirty: Vec::new(),
            version: Vec::new(),
            version_block: Vec::new(),
            live: Vec::new(),
            block_dirty: Vec::new(),
            free: Vec::new(),
        }
    }

    pub fn nodes(&self) -> usize {
        self.shape.parents.len()
    }

    /// Room for one more instance; its nodes are then put with [`LaneSet::put`].
    pub fn take_lane(&mut self) -> u32 {
        if self.free.is_empty() {
            let (block, nodes) = (self.live.len(), self.nodes());
            let cells = (block + 1) * nodes;
            self.slot.resize(cells, [NONE; GROUP]);
            self.local.resize(cells, [QuadQvs::IDENTITY; QUADS]);
            self.world.resize(cells, [QuadQvvs::IDENTITY; QUADS]);
            self.dirty.resize(cells, 0);
            self.version.resize(cells, [0; GROUP]);
            self.version_block.resize(cells, Block::default());
            self.live.push(0);
            self.block_dirty.push(false);
            self.free.extend((0..GROUP as u32).rev().map(|lane| block as u32 * GROUP as u32 + lane));
        }
        let at = self.free.pop().unwrap_or_default();
        self.live[at as usize / GROUP] |= 1 << (at as usize % GROUP);
        at
    }

    /// The row that names node `node` of the instance at `at` in a place.
    pub fn row_of(&self, at: u32, node: usize) -> u32 {
        let (block, lane) = (at as usize / GROUP, at as usize % GROUP);
        ((block * self.nodes() + node) * GROUP + lane) as u32
    }

    /// The instance that a row belongs to.
    pub fn instance_of(&self, row: u32) -> u32 {
        let (cell, lane) = (row as usize / GROUP, row as usize % GROUP);
        (cell / self.nodes() * GROUP + lane) as u32
    }

    /// A new node: dirty, version 0.
    pub fn put(&mut self, row: u32, slot: u32, local: &Qvs, world: &Qvvs) {
        let (cell, lane) = split(row);
        self.slot[cell][lane] = slot;
        self.version_block[cell].spread(&mut self.version[cell]);
        self.version[cell][lane] = 0;
        self.set_world(row, world);
        self.set_local(row, local);
        self.set_dirty(row);
    }

    pub fn row(&self, row: u32) -> Row {
        let (cell, lane) = split(row);
        Row {
            slot: self.slot[cell][lane],
            local: self.local[cell][lane / QUAD].lane(lane % QUAD),
            world: self.world[cell][lane / QUAD].lane(lane % QUAD),
            flags: 0,
            version: self.version_of(row),
            dirty: self.is_dirty(row),
        }
    }

    /// Ends an instance: its lanes are free and clean.
    pub fn free_lane(&mut self, at: u32) {
        let (block, lane) = (at as usize / GROUP, at as usize % GROUP);
        self.live[block] &= !(1 << lane);
        for node in 0..self.nodes() {
            let cell = block * self.nodes() + node;
            self.dirty[cell] &= !(1 << lane);
            self.slot[cell][lane] = NONE;
        }
        self.free.push(at);
    }

    pub fn is_empty(&self) -> bool {
        self.free.len() == self.live.len() * GROUP
    }

    pub fn local(&self, row: u32) -> Qvs {
        let (cell, lane) = split(row);
        self.local[cell][lane / QUAD].lane(lane % QUAD)
    }

    pub fn world(&self, row: u32) -> Qvvs {
        let (cell, lane) = split(row);
        self.world[cell][lane / QUAD].lane(lane % QUAD)
    }

    #[inline]
    pub fn set_local(&mut self, row: u32, local: &Qvs) {
        let (cell, lane) = split(row);
        self.local[cell][lane / QUAD].set_lane(lane % QUAD, local);
    }

    pub fn set_world(&mut self, row: u32, world: &Qvvs) {
        let (cell, lane) = split(row);
        self.world[cell][lane / QUAD].set_lane(lane % QUAD, world);
    }

    #[inline]
    pub fn set_dirty(&mut self, row: u32) {
        let (cell, lane) = split(row);
        self.dirty[cell] |= 1 << lane;
        let block = cell / self.nodes();
        self.block_dirty[block] = true;
    }

    pub fn clear_dirty(&mut self, row: u32) {
        let (cell, lane) = split(row);
        self.dirty[cell] &= !(1 << lane);
    }

    pub fn is_dirty(&self, row: u32) -> bool {
        let (cell, lane) = split(row);
        self.dirty[cell] >> lane & 1 != 0
    }

    pub fn version_of(&self, row: u32) -> u64 {
        let (cell, lane) = split(row);
        self.version_block[cell].get(&self.version[cell], lane)
    }

    pub fn mark_one(&mut self, row: u32, version: u64) {
        let (cell, lane) = split(row);
        let live = u64::from(self.live[cell / self.nodes()]);
        self.version_block[cell].mark(&mut self.version[cell], 1 << lane, live, version);
    }

    /// The entities whose version is above `since`, block by block, node by node, through `f(slot)`.
    pub fn changed(&self, since: u64, mut f: impl FnMut(u32)) {
        for (cell, block) in self.version_block.iter().enumerate() {
            if block.max <= since {
                continue;
            }
            let live = u64::from(self.live[cell / self.nodes()]);
            let mut mask = block.changed(&self.version[cell], live, since);
            while mask != 0 {
                f(self.slot[cell][mask.trailing_zeros() as usize]);
                mask &= mask - 1;
            }
        }
    }

    pub fn blocks(&mut self) -> Blocks<'_> {
        Blocks {
            parents: &self.shape.parents,
            slot: &self.slot,
            local: &mut self.local,
            world: &mut self.world,
            dirty: &mut self.dirty,
            version: &mut self.version,
            version_block: &mut self.version_block,
            live: &self.live,
            block_dirty: &mut self.block_dirty,
        }
    }
}

#[inline(always)]
fn split(row: u32) -> (usize, usize) {
    (row as usize / GROUP, row as usize % GROUP)
}

/// A run of blocks: what one task takes.
pub(crate) struct Blocks<'a> {
    parents: &'a [u32],
    pub slot: &'a [[u32; GROUP]],
    pub local: &'a mut [[QuadQvs; QUADS]],
    world: &'a mut [[QuadQvvs; QUADS]],
    pub dirty: &'a mut [u16],
    version: &'a mut [[u64; GROUP]],
    version_block: &'a mut [Block],
    pub live: &'a [u16],
    pub block_dirty: &'a mut [bool],
}

impl<'a> Blocks<'a> {
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// More than one task's work: some 8,000 entities take 20 to 30 microseconds.
    #[cfg(feature = "rayon")]
    pub fn is_large(&self) -> bool {
        const MIN_CELLS: usize = 512;
        self.live.len() > 1 && self.live.len() * self.nodes() > MIN_CELLS
    }

    #[cfg(feature = "rayon")]
    pub fn halves(self) -> (Self, Self) {
        let block = self.live.len() / 2;
        let cell = block * self.parents.len();
        let (slot, slot_b) = self.slot.split_at(cell);
        let (local, local_b) = self.local.split_at_mut(cell);
        let (world, world_b) = self.world.split_at_mut(cell);
        let (dirty, dirty_b) = self.dirty.split_at_mut(cell);
        let (version, version_b) = self.version.split_at_mut(cell);
        let (version_block, version_block_b) = self.version_block.split_at_mut(cell);
        let (live, live_b) = self.live.split_at(block);
        let (block_dirty, block_dirty_b) = self.block_dirty.split_at_mut(block);
        let parents = self.parents;
        (
            Self { parents, slot, local, world, dirty, version, version_block, live, block_dirty },
            Self {
                parents,
                slot: slot_b,
                local: local_b,
                world: world_b,
                dirty: dirty_b,
                version: version_b,
                version_block: version_block_b,
                live: live_b,
                block_dirty: block_dirty_b,
            },
        )
    }

    pub fn sync(self, backend: Backend, version: u64) -> SyncStats {
        dispatch!(backend, s => sync_blocks(s, self, version))
    }
}

#[inline(always)]
fn sync_blocks<S: Simd>(s: S, b: Blocks<'_>, version: u64) -> SyncStats {
    let mut stats = SyncStats::default();
    let nodes = b.parents.len();
    for block in 0..b.live.len() {
        if !core::mem::take(&mut b.block_dirty[block]) {
            continue;
        }
        stats.passes += 1;
        let live = u64::from(b.live[block]);
        let cells = block * nodes..(block + 1) * nodes;
        let world = &mut b.world[cells.clone()];
        let dirty = &mut b.dirty[cells.clone()];
        let local = &b.local[cells.clone()];
        let versions = &mut b.version[cells.clone()];
        let version_blocks = &mut b.version_block[cells];
        for (node, &parent) in b.parents.iter().enumerate() {
            let above = if parent == NONE { 0 } else { dirty[parent as usize] };
            let mask = dirty[node] | above;
            stats.checked += live.count_ones() as usize;
            if mask == 0 {
                continue;
            }
            dirty[node] = mask;
            let (done, rest) = world.split_at_mut(node);
            let mut stored = 0;
            for quad in 0..QUADS {
                if mask >> (quad * QUAD) & 0xf == 0 {
                    continue;
                }
                stored += QUAD;
                let (to, local) = (&mut rest[0][quad], &local[node][quad]);
                if parent == NONE {
                    to.copy_local(local);
                } else {
                    to.set_mul(s, &done[parent as usize][quad], local);
                }
            }
            stats.read += if parent == NONE { 0 } else { stored };
            stats.written += stored;
            stats.changed += mask.count_ones() as usize;
            version_blocks[node].mark(&mut versions[node], u64::from(mask), live, version);
        }
        dirty.fill(0);
    }
    stats.tasks = usize::from(stats.passes != 0);
    stats
}
