//! What can be wrong with what a crowd is told.

use super::Member;
use crate::{memory::KeepError, state::StateError};
use lissom::{mesh::MeshError, player::PlayError, track::TimeError};

/// Why a crowd did not do what it was told. It is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CrowdError {
    /// There is no such member, or no longer.
    #[error("there is no member {member}, or no longer")]
    Unknown {
        /// Who was asked for.
        member: Member,
    },
    /// A member that plays clips by itself has no graph, and one that a graph plays has no clips of its own.
    #[error("member {member} is not played by {expected}")]
    OtherMind {
        /// Who.
        member: Member,
        /// By what it was taken to be played.
        expected: &'static str,
    },
    /// The graph belongs to another crowd.
    #[error("this crowd has {graphs} graphs, and {found} is not among them")]
    NoSuchGraph {
        /// Its number.
        found: usize,
        /// How many there are.
        graphs: usize,
    },
    /// What is asked for is not among what the crowd writes.
    #[error("the crowd writes no {what}: its outputs say so")]
    NotWritten {
        /// What.
        what: &'static str,
    },
    /// Bounds, or weights of morph targets, of another mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A member plays a clip that this skeleton has not.
    #[error("this crowd has {clips} clips, and {found} is not among them")]
    NoSuchClip {
        /// Its number.
        found: usize,
        /// How many there are.
        clips: usize,
    },
    /// More clips than a member plays by itself.
    #[error("{found} clips; a member plays by itself at most {allowed}")]
    TooManyClips {
        /// How many were given.
        found: usize,
        /// How many there may be.
        allowed: usize,
    },
    /// Lists that go together differ in length, or a buffer is too small.
    #[error("`{field}` has {found} {what}, but {needed} are needed")]
    Length {
        /// What is too short, or does not match.
        field: &'static str,
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        needed: usize,
    },
    /// A crowd has at most 2³² members, and at most 2¹⁶ graphs.
    #[error("no more {what} fit into a crowd")]
    Full {
        /// Of what.
        what: &'static str,
    },
    /// A number that is not allowed.
    #[error(transparent)]
    Value(#[from] TimeError),
    /// Something of a graph.
    #[error(transparent)]
    State(#[from] StateError),
    /// Something of the archive, or a job.
    #[error(transparent)]
    Play(#[from] PlayError),
}

impl From<KeepError> for CrowdError {
    fn from(error: KeepError) -> Self {
        match error {
            KeepError::State(error) => error.into(),
            KeepError::Job(error) => Self::Play(error.into()),
        }
    }
}

/// A number that is not allowed.
pub(super) fn value(field: &'static str, value: f64, allowed: &'static str) -> CrowdError {
    TimeError { field, value, allowed }.into()
}

/// Lists that go together have one length.
pub(super) fn same_length(field: &'static str, found: usize, needed: usize) -> Result<(), CrowdError> {
    if found == needed { Ok(()) } else { Err(CrowdError::Length { field, what: "entries", found, needed }) }
}
