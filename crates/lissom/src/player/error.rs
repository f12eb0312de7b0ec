//! What can go wrong with a player.

use crate::{archive::ArchiveError, job::JobError, track::TimeError};
use alloc::string::String;

/// Why a player did not do what it was told. It is as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// There is no such clip, track or mesh, or something is wrong with it.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A job refused to run.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A time, a speed or a fade that makes no sense.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// No skeleton, or more than one: then [`Player::of_skeleton`](super::Player::of_skeleton) says which.
    #[error("a player needs to know its skeleton: there must be one, or its name be given{known}")]
    Skeletons {
        /// What there is, in words.
        known: String,
    },
    /// A clip of this name was made for another skeleton.
    #[error("the clip {clip:?} was made for another skeleton")]
    OtherSkeleton {
        /// The clip.
        clip: String,
    },
    /// Nothing plays.
    #[error("no clip is playing")]
    Silent,
}
