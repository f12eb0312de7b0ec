//! Why a database cannot be cooked.

use lissom_motion::matching::DatabaseError;

/// Why a database cannot be cooked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchingError {
    /// No clip is called so.
    #[error("no clip fits {pattern:?}")]
    NoClip {
        /// The pattern.
        pattern: String,
    },
    /// A clip without root motion: there is no telling where the character is.
    #[error("clip {clip:?} has no root motion; `root-motion = true` under `clips` gives it one")]
    NoRoot {
        /// The clip.
        clip: String,
    },
    /// A clip that is what is added to a pose.
    #[error("clip {clip:?} is additive")]
    Additive {
        /// The clip.
        clip: String,
    },
    /// The skeleton has no such joint, and no such bone was found.
    #[error("the skeleton has neither a bone nor a joint {joint:?}")]
    NoJoint {
        /// The name.
        joint: String,
    },
    /// A clip without a track that counts, or with one of more than three numbers, or of another number than the first clip's.
    #[error("clip {clip:?} has no track {track:?} of {needed}")]
    NoTrack {
        /// The clip.
        clip: String,
        /// The track.
        track: String,
        /// How many numbers it must have, in words.
        needed: &'static str,
    },
    /// Two skeletons.
    #[error("clips {first:?} and {other:?} are of different skeletons")]
    Skeletons {
        /// A clip.
        first: String,
        /// A clip of another skeleton.
        other: String,
    },
    /// Nothing is known of a frame.
    #[error("no joint, no time of the trajectory and no track counts")]
    NoFeature,
    /// Too many frames for a rate and clips of that length.
    #[error("more than {allowed} frames")]
    TooLong {
        /// How many there may be.
        allowed: usize,
    },
    /// A motion that is not finite.
    #[error("clip {clip:?} moves to where no number is")]
    NotFinite {
        /// The clip.
        clip: String,
    },
    /// What came out is no database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}
