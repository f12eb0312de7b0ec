//! The bounded window of a stream's blocks.

use super::super::source::Blocks;
use alloc::{boxed::Box, vec, vec::Vec};

/// The blocks that are there.
#[derive(Debug)]
pub(super) struct Window {
    pub limit: usize,
    pub used: usize,
    /// Where each block is in `slots`; `NOWHERE` or `BROKEN`.
    pub slot_of: Box<[u32]>,
    pub slots: Vec<Slot>,
    /// Slots whose block was dropped; their memory is used again.
    pub free: Vec<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    pub bytes: Vec<u8>,
    pub state: usize,
}

pub(super) const NOWHERE: u32 = u32::MAX;
pub(super) const BROKEN: u32 = u32::MAX - 1;

impl Window {
    /// Room for as many bytes of as many blocks, empty.
    pub fn new(limit: usize, blocks: usize) -> Self {
        Self { limit, used: 0, slot_of: vec![NOWHERE; blocks].into(), slots: Vec::new(), free: Vec::new() }
    }
}

impl Blocks for Window {
    fn block(&self, block: usize) -> Option<(&[u8], &[u8])> {
        let slot = self.slots.get(*self.slot_of.get(block)? as usize)?;
        slot.bytes.split_at_checked(slot.state)
    }
}
