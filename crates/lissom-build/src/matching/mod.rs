//! Databases for motion matching, cooked from clips: what [`lissom_motion::matching`] searches.
//!
//! A [`MatchingRule`] says which clips, and which features of them. A recipe has one per table under `matching`. Without
//! a word it is for a human: where the feet are, how fast they and the hips move, where the character will be and face
//! in a third, two thirds and a whole second.
//!
//! Everything is measured in the character's frame, which is the place and turn of its root motion. So a clip needs root
//! motion (`root-motion` in a recipe). Clips of one database must agree on what is ahead: take the root motion of clips
//! that start in any direction with `reference = "rest"`.

mod error;
mod features;
mod normalise;
mod pieces;

pub use error::MatchingError;
pub use features::{MatchedMotion, cook};
pub use normalise::CookedMatching;

use crate::text::pattern::fits;

/// What a mirrored copy of a clip is called behind the clip's own name.
pub const MIRRORED: &str = "_mirrored";

/// Which clips a database is made of, and what it knows of them.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchingRule {
    /// What it is called.
    pub name: String,
    /// Its clips, with ranges and tags.
    pub clips: Vec<MatchedClips>,
    /// True adds a copy of each clip, left and right changed.
    pub mirrored: bool,
    /// Frames per second.
    pub rate_hz: f64,
    /// Seconds at the start and at the end of each range that are played, and never found.
    pub no_entry_s: [f64; 2],
    /// Joints, and what is known of them.
    pub joints: Vec<MatchedJoint>,
    /// Tracks of one to three numbers beside the clips, and by how much each counts.
    pub tracks: Vec<(String, f64)>,
    /// When the trajectory is known, in seconds from now; negative for the past.
    pub trajectory_s: Vec<f64>,
    /// By how much features count.
    pub weights: MatchingWeights,
    /// Where that was said.
    pub line: Option<usize>,
}

/// Clips of a database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchedClips {
    /// Their names: `*` stands for any characters, `?` for one, upper and lower case are the same.
    pub clips: String,
    /// From when to when; `None` is the clip's own end.
    pub range_s: (Option<f64>, Option<f64>),
    /// What their frames are tagged with. A frame that several entries pick has the tags of all.
    pub tags: Vec<String>,
    /// As [`MatchingRule::no_entry_s`], of these clips; `None`: as that says. A frame that several entries pick is found if one of them
    /// allows it.
    pub no_entry_s: Option<[f64; 2]>,
    /// What a frame costs beside its distance, in squared deviations: another one is found unless it is further away by more. Of a frame
    /// that several entries pick, the highest counts.
    pub cost: f64,
}

/// A joint of which something is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchedJoint {
    /// A bone of a human as recipes write it (`left_foot`), or a joint's name.
    pub joint: String,
    /// Whether its position counts.
    pub position: Counts,
    /// Whether its velocity counts.
    pub velocity: Counts,
}

/// Whether something counts, and by how much.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Counts {
    /// It does not.
    #[default]
    No,
    /// By the weight of its kind, among [`MatchingRule::weights`].
    AsItsKind,
    /// By a weight of its own.
    By(f64),
}

impl Counts {
    /// The weight, where its kind has this one; `None` if it does not count.
    fn weight(self, of_kind: f64) -> Option<f64> {
        match self {
            Self::No => None,
            Self::AsItsKind => Some(of_kind),
            Self::By(weight) => Some(weight),
        }
    }
}

/// By how much features count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchingWeights {
    /// Positions of joints.
    pub position: f64,
    /// Velocities of joints.
    pub velocity: f64,
    /// Positions of the trajectory.
    pub trajectory: f64,
    /// Directions of the trajectory.
    pub direction: f64,
}

impl Default for MatchingWeights {
    fn default() -> Self {
        Self { position: 0.75, velocity: 1.0, trajectory: 1.0, direction: 1.5 }
    }
}

impl MatchingRule {
    /// A rule for a human, of no clips.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let joint = |joint: &str, position| {
            let velocity = Counts::AsItsKind;
            MatchedJoint { joint: joint.into(), position, velocity }
        };
        let foot = |name: &str| joint(name, Counts::AsItsKind);
        Self {
            name: name.into(),
            clips: Vec::new(),
            mirrored: false,
            rate_hz: 30.0,
            no_entry_s: [0.0, 1.0 / 3.0],
            joints: vec![foot("left_foot"), foot("right_foot"), joint("hips", Counts::No)],
            tracks: Vec::new(),
            trajectory_s: vec![1.0 / 3.0, 2.0 / 3.0, 1.0],
            weights: MatchingWeights::default(),
            line: None,
        }
    }

    /// The ranges of a clip, by its name.
    pub(crate) fn picks<'a>(&'a self, clip: &'a str) -> impl Iterator<Item = &'a MatchedClips> {
        self.clips.iter().filter(move |own| fits(&own.clips, clip))
    }
}
