//! What a sync did.

/// What one [`sync`](crate::World::sync) did. At rest all are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncStats {
    /// Entities whose own or whose parent's change was looked at.
    pub checked: usize,
    /// World transforms of parents that were read, once for each product.
    pub read: usize,
    /// World transforms that were stored: those of changed entities, but not of externally driven ones. Lanes
    /// store four neighbours together, so clean ones are stored there again, with the bits that they had.
    pub written: usize,
    /// Entities whose world transform changed: what [`changed_since`](crate::World::changed_since) lists.
    pub changed: usize,
    /// Passes run: levels, lane blocks, a walk below them.
    pub passes: usize,
    /// Pieces that levels and lanes were cut into: more than one each where threads share the work.
    pub tasks: usize,
    /// Entities that the structure phase moved to another level.
    pub moved: usize,
}

impl SyncStats {
    pub(crate) fn add(&mut self, other: Self) {
        self.checked += other.checked;
        self.read += other.read;
        self.written += other.written;
        self.changed += other.changed;
        self.passes += other.passes;
        self.tasks += other.tasks;
        self.moved += other.moved;
    }
}
