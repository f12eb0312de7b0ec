//! Where a player finds the blocks of a clip.

/// The clip's own bytes, or a window of a stream's.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    Whole,
    Window(&'a dyn Blocks),
}

/// Blocks that may not be there yet.
pub(crate) trait Blocks: core::fmt::Debug + Sync {
    /// The jump frame and the stream of a block.
    fn block(&self, block: usize) -> Option<(&[u8], &[u8])>;
}
