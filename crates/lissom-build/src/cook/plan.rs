//! What to write: the keys that stay, and how exactly each must be kept. The fitter makes plans, the
//! encoder turns them into clip bytes.

use crate::{
    exact::{Q4, V3},
    raw::Curve,
};

/// A clip before it becomes bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipPlan {
    /// May be empty.
    pub name: String,
    /// True if the last pose is the first one again.
    pub looping: bool,
    /// All times that keys stand at.
    pub times: TimePoints,
    /// Joints of the skeleton.
    pub joint_count: usize,
    /// The skeleton's identity.
    pub skeleton_identity: u64,
    /// Sorted by joint, then translation, rotation, scale. Channels that are not listed are the rest pose.
    pub channels: Vec<PlanChannel>,
    /// Where playback can start.
    pub jumps: Jumps,
}

/// All times that keys stand at, in seconds: the first is 0, the last is the duration.
#[derive(Clone, Debug, PartialEq)]
pub enum TimePoints {
    /// Row i is at i / rate; the last row is at the duration.
    Uniform {
        /// Rows a second.
        rate: f64,
        /// How many rows; at least 2.
        count: u32,
    },
    /// Strictly rising; at least 2.
    Listed(Vec<f64>),
}

/// One channel of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanChannel {
    /// The joint, in skeleton order.
    pub joint: u16,
    /// What it moves, and its keys.
    pub keys: PlanKeys,
}

/// The keys of a channel.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanKeys {
    /// Translation.
    Translation(PlanTrack<V3>),
    /// Rotation: unit quaternions.
    Rotation(PlanTrack<Q4>),
    /// Scale.
    Scale(PlanTrack<V3>),
}

/// Keys in order.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanTrack<V> {
    /// [`Curve::Step`], [`Curve::Linear`] or [`Curve::Hermite`].
    pub curve: Curve,
    /// (row, value): one key is a constant; otherwise the first is at row 0, the last at the last row.
    pub keys: Vec<(u32, V)>,
    /// How far a decoded key may be from its value: a distance for vectors (in their own unit), an angle in
    /// radians for rotations.
    pub tolerance: f64,
}

/// Where playback can start besides time 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Jumps {
    /// Nowhere.
    None,
    /// Every so many seconds.
    Every(f64),
    /// At these times, in seconds.
    At(Vec<f64>),
}

impl TimePoints {
    /// How many rows.
    #[must_use]
    pub fn count(&self) -> u32 {
        match self {
            Self::Uniform { count, .. } => *count,
            Self::Listed(times) => times.len() as u32,
        }
    }

    /// The time of a row in seconds.
    #[must_use]
    pub fn time_s(&self, row: u32) -> f64 {
        match self {
            Self::Uniform { rate, .. } => f64::from(row) / rate,
            Self::Listed(times) => times[row as usize],
        }
    }

    /// The time of the last row, in seconds.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.time_s(self.count() - 1)
    }
}
