//! What can be wrong with the bytes of a clip.

/// Why bytes are not a clip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// The bytes do not start at a multiple of 4 in memory, so they cannot be played in place.
    #[error("the clip's bytes are not 4-byte aligned in memory: copy them into a Clip")]
    Misaligned,
    /// The length is no multiple of 4 or differs from what the header says.
    #[error("the clip is {actual} bytes long, but {expected} are needed")]
    Length {
        /// What the header asks for.
        expected: u64,
        /// What there is.
        actual: u64,
    },
    /// The first four bytes are not a clip's.
    #[error("not a clip: it starts with {found:#010x}")]
    Magic {
        /// What was found.
        found: u32,
    },
    /// A version that this library does not read.
    #[error("clip version {found} is not known; this library reads version {known}")]
    Version {
        /// What was found.
        found: u16,
        /// What is known.
        known: u16,
    },
    /// The clip uses a part of the format that was given up: cook it again.
    #[error("byte {offset}: the clip has {what}, which this library no longer reads: cook it again")]
    Retired {
        /// Where, in bytes from the clip's start.
        offset: u64,
        /// What was given up.
        what: &'static str,
    },
    /// The checksum does not fit the bytes: the clip is damaged.
    #[error("the clip is damaged: its checksum is {found:#018x}, the header says {expected:#018x}")]
    Checksum {
        /// What the header says.
        expected: u64,
        /// What the bytes give.
        found: u64,
    },
    /// A field holds a value that cannot be.
    #[error("byte {offset}: {field} is {value}, which cannot be")]
    Field {
        /// Where, in bytes from the clip's start.
        offset: u64,
        /// Which field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// A number is NaN or infinite.
    #[error("byte {offset}: {field} is not finite")]
    NotFinite {
        /// Where, in bytes from the clip's start.
        offset: u64,
        /// Which field.
        field: &'static str,
    },
}

impl ClipError {
    /// A field that holds what cannot be, as a result.
    pub(super) fn field<T>(offset: usize, field: &'static str, value: u64) -> Result<T, Self> {
        Err(Self::Field { offset: offset as u64, field, value })
    }
}

/// A block that a stream does not have (yet): a clip cannot be played there now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block {block} of the clip is not there")]
pub struct MissingBlock {
    /// The block.
    pub block: usize,
}
