//! The numbers of the stream format, shared by reader and writer. `FORMAT.md` explains them.

/// The first four bytes.
pub const MAGIC: [u8; 4] = *b"LCST";
/// The version that this library reads and writes.
pub const VERSION: u16 = 1;
/// Bytes before the directory.
pub const FIXED_BYTES: usize = 16;
/// Bytes of a directory entry.
pub const ENTRY_BYTES: usize = 24;
