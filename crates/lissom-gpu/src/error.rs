//! What can go wrong.

use lissom::job::JobError;
use lissom_motion::crowd::CrowdError;

/// Why a crowd is not posed on a GPU. What was there stays as it was, unless said otherwise.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The skeleton is larger than the kernel allows.
    #[error("the skeleton has {found} joints; the kernel poses at most {most}")]
    Joints {
        /// How many it has.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// The device allows less than the layout needs; WebGPU's default limits are enough for every skeleton.
    #[error("the device's limit `{limit}` is {found}; {needed} is needed")]
    Limit {
        /// The limit's name in wgpu.
        limit: &'static str,
        /// What the device has.
        found: u64,
        /// What is needed.
        needed: u64,
    },
    /// The crowd does not write its mixes.
    #[error("the crowd writes no mixes: `Outputs::mixes` is false")]
    NoMixes,
    /// A graph, a mask, a level of detail or inverse bind matrices came after the tables were made, or it is another crowd.
    #[error("the crowd has {found} {what}; the tables were made for {made}")]
    Changed {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there were.
        made: usize,
    },
    /// A list has not the length that it must have.
    #[error("`{what}` has {found} entries; {needed} are needed")]
    Length {
        /// The list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it must be.
        needed: usize,
    },
    /// No even rate brings a clip within the bound.
    #[error("clip {clip:?} is {found_mm} mm off on an even rate of {rows} rows; allowed: {most_mm} mm")]
    Keys {
        /// Its name.
        clip: String,
        /// Rows of the last try.
        rows: usize,
        /// How far off it was.
        found_mm: f64,
        /// The bound.
        most_mm: f64,
    },
    /// A clip does not fit into the memory for keys beside those that are played.
    #[error("clip {clip:?} takes {needed} bytes of keys; {free} are free beside the clips that are played")]
    Room {
        /// Its name.
        clip: String,
        /// What it takes.
        needed: usize,
        /// What is free in one piece.
        free: usize,
    },
    /// A clip is played, so it cannot go.
    #[error("clip {clip:?} is played by {members} members")]
    Played {
        /// Its name.
        clip: String,
        /// By how many.
        members: u32,
    },
    /// There is no such clip.
    #[error("there are {clips} clips, and {found} is not among them")]
    NoSuchClip {
        /// What was asked for.
        found: usize,
        /// How many there are.
        clips: usize,
    },
    /// A member is not in the crowd, or something else of it.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// A clip could not be played.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The device poses too far from the CPU: its driver computes something else.
    #[error("the device poses {found_mm} mm from the CPU; allowed: {most_mm} mm")]
    TooFar {
        /// The largest distance.
        found_mm: f64,
        /// The bound.
        most_mm: f64,
    },
    /// The device is lost. A new [`GpuCrowd`](crate::GpuCrowd) on another device is made from the crowd, which has lost nothing.
    #[error("the device is lost: {why}")]
    Lost {
        /// What the driver said.
        why: String,
    },
    /// The device refused something.
    #[error("the device refused: {why}")]
    Device {
        /// What it said.
        why: String,
    },
}
