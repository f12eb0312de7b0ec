//! What can be wrong with an archive.

use super::SectionKind;
use crate::SkeletonError;
use alloc::string::String;

/// Why an archive, or something in it, was refused. Offsets count from the start of the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The first bytes are something else's.
    #[error("this is not a Lissom archive: it does not start with LSM1")]
    NotAnArchive,
    /// The version is not known.
    #[error("byte {offset}: {what} has version {found}, but only {known} can be read")]
    Version {
        /// Where the version stands.
        offset: u64,
        /// What has the version.
        what: &'static str,
        /// The version found.
        found: u16,
        /// What can be read.
        known: &'static str,
    },
    /// The bytes end too early.
    #[error("byte {offset}: {what} needs {needed} bytes, but only {left} are left")]
    Truncated {
        /// Where the missing thing starts.
        offset: u64,
        /// What it is.
        what: &'static str,
        /// How many bytes it needs.
        needed: u64,
        /// How many there are.
        left: u64,
    },
    /// Bytes have changed since they were written.
    #[error("byte {offset}: {what} is damaged: its checksum is {computed:08x}, not {stored:08x}")]
    Checksum {
        /// Where the damaged part starts.
        offset: u64,
        /// What it is.
        what: &'static str,
        /// As stored.
        stored: u32,
        /// As found.
        computed: u32,
    },
    /// Something contradicts the format or itself.
    #[error("byte {offset}: {reason}")]
    Format {
        /// Where.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// More than the [`Limits`](super::Limits) allow.
    #[error("byte {offset}: {what} is {found}, but the limit is {allowed}")]
    Limit {
        /// Where it stands.
        offset: u64,
        /// What is too large.
        what: &'static str,
        /// What was found.
        found: u64,
        /// The limit.
        allowed: u64,
    },
    /// What stands there is not a skeleton.
    #[error("byte {offset}: {source}")]
    Skeleton {
        /// Where the section starts.
        offset: u64,
        /// What is wrong with it.
        source: SkeletonError,
    },
    /// What stands there is not a clip.
    #[error("byte {offset}: {source}")]
    Clip {
        /// Where the section starts.
        offset: u64,
        /// What is wrong with it.
        source: crate::clip::ClipError,
    },
    /// The bytes do not stand in memory as they must to be used in place; copy them to an
    /// [`AlignedBytes`](super::AlignedBytes).
    #[error("byte {offset}: {what} must stand at a multiple of {needed} in memory to be used in place")]
    Alignment {
        /// Where it stands in the file.
        offset: u64,
        /// What it is.
        what: &'static str,
        /// The alignment it needs.
        needed: usize,
    },
    /// There is no such section.
    #[error("there is no {kind:?} section{}{}", if name.is_some() { " called " } else { "" }, name.as_deref().unwrap_or(""))]
    Missing {
        /// The kind looked for.
        kind: SectionKind,
        /// The name, if one was asked for.
        name: Option<String>,
    },
    /// The reader failed.
    #[cfg(feature = "std")]
    #[error("byte {offset}: {message}")]
    Io {
        /// How far reading came.
        offset: u64,
        /// What kind of failure.
        kind: std::io::ErrorKind,
        /// What the reader said.
        message: String,
    },
}
