//! What can be wrong with a stream.

use super::super::error::ClipError;

/// What is wrong with a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// Not a stream file.
    #[error("not a clip stream: it starts with {found:?}")]
    Magic {
        /// The first four bytes.
        found: [u8; 4],
    },
    /// A version or codec that this build does not read.
    #[error("byte {offset}: {field} {value} is not supported by this build")]
    Unsupported {
        /// Where.
        offset: u64,
        /// Which field.
        field: &'static str,
        /// Its value.
        value: u32,
    },
    /// The preamble is shorter than it says.
    #[error("the preamble needs {needed} bytes, there are {given}")]
    Short {
        /// Bytes it needs.
        needed: u64,
        /// Bytes given.
        given: u64,
    },
    /// The preamble's checksum does not fit.
    #[error("the preamble is damaged: its checksum is {found:#010x}, not {expected:#010x}")]
    Preamble {
        /// What the file says.
        expected: u32,
        /// What the bytes give.
        found: u32,
    },
    /// A directory entry points nowhere.
    #[error("byte {offset}: the directory entry of block {block} cannot be")]
    Directory {
        /// Where.
        offset: u64,
        /// The block.
        block: usize,
    },
    /// The clip's tables are wrong.
    #[error("the clip's tables: {0}")]
    Clip(#[from] ClipError),
    /// The window cannot hold the largest block.
    #[error("a window of {window} bytes cannot hold block {block}, which needs {needed}")]
    Window {
        /// Bytes of the window.
        window: usize,
        /// The block.
        block: usize,
        /// Bytes it needs.
        needed: usize,
    },
    /// A block's bytes do not fit its checksum or its size. It is skipped from now on.
    #[error("block {block} at byte {offset} is damaged")]
    Damaged {
        /// The block.
        block: usize,
        /// Where it is in the file.
        offset: u64,
    },
    /// A block that was not asked for, or with another length.
    #[error("block {block} was not asked for, or not with {given} bytes")]
    NotWanted {
        /// The block.
        block: usize,
        /// Bytes given.
        given: usize,
    },
}
