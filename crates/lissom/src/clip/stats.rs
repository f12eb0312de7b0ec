//! What a cursor counts.

/// What a cursor did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CursorStats {
    /// Keys read from the stream or from jump frames.
    pub keys_read: u64,
    /// Times a jump frame was restored.
    pub jumps: u64,
}
