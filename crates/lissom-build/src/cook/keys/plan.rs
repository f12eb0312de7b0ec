//! What to write: the keys that stay, and how exactly each must be kept. The fitter makes plans, the
//! encoder turns them into clip bytes.

use crate::{
    cook::timeline::TimePoints,
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
    /// At this interval, in seconds.
    Every(f64),
    /// At these times, in seconds.
    At(Vec<f64>),
}
