//! Why an edit is not possible.

use crate::{
    feet::FeetError,
    raw::RawEditError,
    text::quote::{Quote, Seconds},
};
use core::fmt;

/// Why a clip cannot be edited as asked. Every message names the clip, the key, and the recipe's line if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct EditError {
    /// The clip, by the name that it had when the edit's turn came.
    pub clip: String,
    /// The edit, as recipes call it.
    pub key: &'static str,
    /// Where it was asked for.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: EditReason,
}

/// What is wrong with an edit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditReason {
    /// The motion does not allow it.
    #[error(transparent)]
    Motion(#[from] RawEditError),
    /// It was said to be a loop.
    #[error(
        "its last pose is not its first: joint {} is {:.3} mm off; \"close\" would make it so",
        Quote(joint),
        distance_m * 1e3
    )]
    NoLoop {
        /// The joint that is farthest off.
        joint: String,
        /// How far, in metres.
        distance_m: f64,
    },
    /// A moment that the clip does not have.
    #[error("{} is at {} s, but the clip has {} s", Quote(event), Seconds(*at_s), Seconds(*duration_s))]
    Event {
        /// The event.
        event: String,
        /// Its end.
        at_s: f64,
        /// The clip's.
        duration_s: f64,
    },
    /// No clip of this archive is called so.
    #[error("there is no clip {}{}", Quote(wanted), DidYouMean(near.as_deref()))]
    NoClip {
        /// The name.
        wanted: String,
        /// One that is much like it.
        near: Option<String>,
    },
    /// No joint of the skeleton is called so.
    #[error("there is no joint {}{}", Quote(wanted), DidYouMean(near.as_deref()))]
    NoJoint {
        /// The name.
        wanted: String,
        /// One that is much like it.
        near: Option<String>,
    },
    /// Feet, or a gait, cannot be told.
    #[error(transparent)]
    Feet(#[from] FeetError),
    /// It was taken out before: the tracks would say two things.
    #[error("it has root motion already")]
    HasRoot,
    /// The other clip moves another skeleton.
    #[error("clip {} has another skeleton", Quote(other))]
    OtherSkeleton {
        /// The other clip.
        other: String,
    },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "clip {}: {}", Quote(&self.clip), self.key)?;
        if let Some(line) = self.line {
            write!(f, " (line {line} of the recipe)")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for EditError {}

/// The end of a message about a name.
pub(crate) struct DidYouMean<'a>(pub(crate) Option<&'a str>);

impl fmt::Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |near| write!(f, "; did you mean {}?", Quote(near)))
    }
}
