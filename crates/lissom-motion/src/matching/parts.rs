//! The description of a database: plain lists, which a cooker or a program fills in.

use alloc::{string::String, vec::Vec};
use core::fmt;

/// Features that a frame has at most.
pub const MAX_FEATURES: usize = 64;
/// Columns at most: the features, and a frame's bias, to an even number.
pub const MAX_COLUMNS: usize = 66;
/// Frames of a database at most: 19 hours at 60 Hz.
pub const MAX_FRAMES: usize = 1 << 22;
/// Ranges at most, and clips.
pub const MAX_RANGES: usize = 1 << 16;
/// Tags at most: one bit each.
pub const MAX_TAGS: usize = 32;
/// Bytes of a name at most.
pub const MAX_NAME: usize = 1 << 10;
/// The number of deviations that a stored number can hold, as a fraction: 64 thirds.
const REACH: (f32, f32) = (64.0, 3.0);

/// A database as it is cooked and stored. [`Database::new`](super::Database::new) checks it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatabaseParts {
    /// The identity of the skeleton that the clips move.
    pub skeleton: u64,
    /// Frames per second.
    pub rate_hz: f32,
    /// What the bits of [`FrameRange::tags`] are called, from the lowest on.
    pub tags: Vec<String>,
    /// The clips that frames are of.
    pub clips: Vec<String>,
    /// Features that are weighed together.
    pub groups: Vec<FeatureGroup>,
    /// What is known of a frame.
    pub features: Vec<Feature>,
    /// Pieces of clips. Frames are numbered through them in this order.
    pub ranges: Vec<FrameRange>,
    /// All features of the first frame, then of the second, as [`Feature`] says. None is beyond ±[`clamp()`].
    pub rows: Vec<i16>,
    /// What each frame costs beside its distance: the square of this number. Empty if no frame costs more than another.
    pub biases: Vec<i16>,
}

/// Features that are weighed together.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureGroup {
    /// What people call it.
    pub name: String,
    /// By how much its differences count. It is contained in the scale of its features.
    pub weight: f32,
}

/// One number that is known of a frame. It is stored as `(value - offset) · scale`, rounded.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// The number of its group.
    pub group: u32,
    /// What it is.
    pub kind: FeatureKind,
    /// Which component: 0, 1 or 2 for x, y or z.
    pub axis: u8,
    /// Its mean.
    pub offset: f32,
    /// The group's weight over its deviation, in steps. 0 for a feature that does not count.
    pub scale: f32,
}

/// What a feature is. Everything is in the character's frame: the place of its root motion at this time.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureKind {
    /// Where a joint is, in metres.
    JointPosition {
        /// The joint's name.
        joint: String,
    },
    /// How fast a joint moves over the ground, in metres per second.
    JointVelocity {
        /// The joint's name.
        joint: String,
    },
    /// Where the character will be, in metres; where it was, if the time is negative.
    TrajectoryPosition {
        /// Seconds from now.
        time_s: f32,
    },
    /// Where the character will face, as a direction of length 1; where it faced, if the time is negative.
    TrajectoryDirection {
        /// Seconds from now.
        time_s: f32,
    },
    /// The value of a track beside the clip.
    Track {
        /// The track's name.
        name: String,
    },
}

impl fmt::Display for Feature {
    /// "position of hips, x".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |f: &mut fmt::Formatter<'_>, what: &str, time_s: f32| {
            let (when, time_s) = if time_s < 0.0 { ("before", -time_s) } else { ("in", time_s) };
            write!(f, "{what} {when} {time_s:.2} s")
        };
        match &self.kind {
            FeatureKind::JointPosition { joint } => write!(f, "position of {joint}"),
            FeatureKind::JointVelocity { joint } => write!(f, "velocity of {joint}"),
            FeatureKind::TrajectoryPosition { time_s } => time(f, "trajectory", *time_s),
            FeatureKind::TrajectoryDirection { time_s } => time(f, "direction", *time_s),
            FeatureKind::Track { name } => write!(f, "track {name}"),
        }?;
        write!(f, ", {}", ["x", "y", "z"].get(usize::from(self.axis)).unwrap_or(&"?"))
    }
}

/// A piece of a clip. Its frames are `1 / rate` seconds apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameRange {
    /// The number of its clip.
    pub clip: u32,
    /// The time of its first frame in the clip.
    pub start_s: f32,
    /// Whether the clip is a mirrored copy.
    pub mirrored: bool,
    /// The tags of its frames, a bit each.
    pub tags: u32,
    /// How many frames it has; at least one.
    pub frames: u32,
    /// The first frame, counted in the range, that a search may find.
    pub entry_from: u32,
    /// The frame behind the last that a search may find. Frames from here on are played, and never found.
    pub entry_to: u32,
}

impl DatabaseParts {
    /// How many columns a stored frame has.
    #[must_use]
    pub fn columns(&self) -> usize {
        columns(self.features.len(), !self.biases.is_empty())
    }
}

/// How many columns a stored frame has: its features, its bias if there is one, to an even number.
#[must_use]
pub const fn columns(features: usize, has_biases: bool) -> usize {
    (features + has_biases as usize).next_multiple_of(2)
}

/// The largest number that a frame of so many columns stores. No sum of squared differences reaches 2^31, and no
/// difference 2^15.
#[must_use]
pub const fn clamp(columns: usize) -> i16 {
    let columns = if columns == 0 { 1 } else { columns as u64 };
    let most = (i32::MAX as u64 / (4 * columns)).isqrt();
    if most < 16_383 { most as i16 } else { 16_383 }
}

/// How many steps a weighted standard deviation has. A stored number holds 21 of them to either side.
#[must_use]
pub const fn steps(columns: usize) -> f32 {
    clamp(columns) as f32 * REACH.1 / REACH.0
}
