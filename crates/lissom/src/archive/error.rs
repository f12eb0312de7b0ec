//! What can be wrong with an archive.

use super::SectionKind;
use crate::{SkeletonError, mesh::MeshError};
use alloc::{format, string::String};
use core::fmt;

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
    #[error("there is no {kind:?} section{}{known}", Called(name.as_deref()))]
    Missing {
        /// The kind looked for.
        kind: SectionKind,
        /// The name, if one was asked for.
        name: Option<String>,
        /// What there is of this kind, in words; shortened if it is much.
        known: String,
    },
    /// What stands there is not a mesh that can be skinned.
    #[error("byte {offset}: {source}")]
    Mesh {
        /// Where the section starts.
        offset: u64,
        /// What is wrong with it.
        source: MeshError,
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

/// ` called "NAME"`, or nothing.
struct Called<'a>(Option<&'a str>);

impl fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " called {:?}", shortened(name)))
    }
}

/// Names listed in an error, and characters of one.
const LISTED: usize = 12;
const NAME_CHARS: usize = 60;

fn shortened(name: &str) -> &str {
    name.char_indices().nth(NAME_CHARS).map_or(name, |(end, _)| name.get(..end).unwrap_or_default())
}

impl ArchiveError {
    /// There is nothing of this name; these are the names of what there is.
    pub(crate) fn missing<'n>(
        kind: SectionKind,
        name: Option<&str>,
        names: impl Iterator<Item = &'n str>,
    ) -> Self {
        Self::Missing { kind, name: name.map(|name| shortened(name).into()), known: Self::known(names) }
    }

    /// `; there are "walk", "run" and 3 more`: bounded, however many and long the names are.
    pub(crate) fn known<'n>(names: impl Iterator<Item = &'n str>) -> String {
        let mut listed = String::new();
        let mut count = 0_usize;
        for name in names {
            if count < LISTED {
                let start = if count == 0 { "; there are " } else { ", " };
                listed.push_str(&format!("{start}{:?}", shortened(name)));
            }
            count = count.saturating_add(1);
        }
        match count.checked_sub(LISTED) {
            _ if count == 0 => "; there is none of this kind".into(),
            None | Some(0) => listed,
            Some(more) => format!("{listed} and {more} more"),
        }
    }
}
