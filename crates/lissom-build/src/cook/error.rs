//! Why a clip could not be cooked.

use super::keys::EncodeError;
use crate::raw::RawAnimationError;
use lissom::{clip::ClipError, job::JobError};

/// Why a clip could not be cooked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CookError {
    /// The animation is not valid, or not of this skeleton.
    #[error(transparent)]
    Animation(#[from] RawAnimationError),
    /// A precision is not a number above 0.
    #[error("the precision {value} is not finite and above 0")]
    Precision {
        /// What was given.
        value: f64,
    },
    /// A shell distance is not a number above 0.
    #[error("the shell distance {value} is not finite and above 0")]
    Shell {
        /// What was given.
        value: f64,
    },
    /// A joint that the skeleton does not have.
    #[error("a precision for joint {joint}, but the skeleton has {joints}")]
    Joint {
        /// What was given.
        joint: usize,
        /// Joints of the skeleton.
        joints: usize,
    },
    /// A jump spacing or time that is not possible.
    #[error("jump frames at {value} s: the spacing must be above 0, times must be in [0, {duration_s}]")]
    Jumps {
        /// What was given.
        value: f64,
        /// The animation's duration.
        duration_s: f64,
    },
    /// Jump frames were asked for in the form that has its own.
    #[error("jump frames can be chosen for keys only: rows can be started at every sixteenth")]
    JumpsOfRows,
    /// The plan could not be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The clip that was written could not be read: a defect of this library.
    #[error("the clip that was written cannot be read: {0}")]
    Clip(#[from] ClipError),
    /// The clip that was written could not be played: a defect of this library.
    #[error("the clip that was written cannot be played: {0}")]
    Play(#[from] JobError),
    /// There are more rows than can be counted.
    #[error("more than {} rows are needed", u32::MAX)]
    TooManyRows,
    /// Not even every key at the exactness of f32 is within the precision.
    #[error(
        "joint {joint} \"{name}\": the error is {error} at {time_s} s where {precision} is asked for, which is \
         finer than f32 can hold"
    )]
    TooFine {
        /// The joint that is worst off.
        joint: usize,
        /// Its name.
        name: String,
        /// Its error.
        error: f64,
        /// Its precision.
        precision: f64,
        /// When it is worst, in seconds.
        time_s: f64,
    },
    /// No precision makes the clip small enough.
    #[error("the clip takes {smallest} bytes at any precision, and {budget} are allowed")]
    Budget {
        /// What was allowed.
        budget: u64,
        /// The smallest that was found.
        smallest: u64,
    },
}
