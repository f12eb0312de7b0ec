//! What can be wrong with a file, and where.

use crate::raw::{RawAnimationError, RawSkeletonError};
use core::fmt;

/// A place in a file. The file's own name is known to whoever opened it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A byte, counted from 0.
    Byte(u64),
    /// A line of text, counted from 1.
    Line(u64),
    /// An element of a structured file, by its path.
    Path(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Path(path) => f.write_str(path),
        }
    }
}

/// Why a file was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The bytes are of another format.
    #[error("{place}: this is not {expected}")]
    NotThisFormat {
        /// Where it shows.
        place: Place,
        /// What was looked for.
        expected: &'static str,
    },
    /// The format is known, its version is not.
    #[error("{place}: {what} has version {found}, but only {known} can be read")]
    Version {
        /// Where the version stands.
        place: Place,
        /// What has the version.
        what: String,
        /// The version found.
        found: u32,
        /// The versions that can be read.
        known: &'static str,
    },
    /// The file ends too early.
    #[error("{place}: {what} needs {needed} bytes, but only {left} are left")]
    Truncated {
        /// Where the missing thing starts.
        place: Place,
        /// What is missing.
        what: &'static str,
        /// How many bytes it needs.
        needed: u64,
        /// How many there are.
        left: u64,
    },
    /// Something contradicts the format or itself.
    #[error("{place}: {reason}")]
    Format {
        /// Where.
        place: Place,
        /// What is wrong: the field, the value, what was allowed.
        reason: String,
    },
    /// A count is beyond what is supported.
    #[error("{place}: {what} is {found}, but at most {allowed} is possible")]
    Limit {
        /// Where.
        place: Place,
        /// What is too large.
        what: &'static str,
        /// What was found.
        found: u64,
        /// The limit.
        allowed: u64,
    },
    /// Where something stands is no place in any world: the file is damaged, or was read wrongly.
    #[error("{place}: it is {found:e} m from the origin; nothing is farther than {allowed:e} m")]
    Senseless {
        /// What stands there.
        place: Place,
        /// How far away, in metres; not finite if it overflowed.
        found: f64,
        /// The farthest that makes sense.
        allowed: f64,
    },
    /// The skeleton in the file is not one.
    #[error("{place}: {source}")]
    Skeleton {
        /// Where the skeleton starts.
        place: Place,
        /// What is wrong with it.
        source: RawSkeletonError,
    },
    /// The animation in the file is not one.
    #[error("{place}: {source}")]
    Animation {
        /// Where the animation starts.
        place: Place,
        /// What is wrong with it.
        source: RawAnimationError,
    },
}

impl ImportError {
    /// What is wrong, without where.
    #[must_use]
    pub fn reason(&self) -> String {
        let (whole, place) = (self.to_string(), self.place().to_string());
        whole.strip_prefix(&place).and_then(|t| t.strip_prefix(": ")).unwrap_or(&whole).to_owned()
    }

    /// Where it happened.
    #[must_use]
    pub fn place(&self) -> &Place {
        match self {
            Self::NotThisFormat { place, .. }
            | Self::Version { place, .. }
            | Self::Truncated { place, .. }
            | Self::Format { place, .. }
            | Self::Limit { place, .. }
            | Self::Senseless { place, .. }
            | Self::Skeleton { place, .. }
            | Self::Animation { place, .. } => place,
        }
    }
}
