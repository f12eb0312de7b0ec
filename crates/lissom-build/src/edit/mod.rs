//! What is done to clips between reading and cooking.
//!
//! ```text
//!  ClipRule, ClipRule …     from a recipe file, from options, from code
//!     │ whose pattern fits the clip's name; of each kind of edit the last one said counts
//!     ▼
//!  skip ─ trim ─ rate ─ reverse ─ mirror ─ root motion ─ in place ─ loop ─ contacts ─ gait ─ name ─ events ─ precision ─▶ difference to another clip
//!  each file by itself, always in this order                                                           when all files are read
//! ```
//!
//! An edit is a pure function of one clip on one skeleton: joints' keys, user tracks (morph weights too) and markers change
//! together. What moves joints lives with [`RawAnimation`](crate::raw::RawAnimation); here they are strung together.

mod error;
mod follow;
mod parts;

pub(crate) use error::DidYouMean;
pub use error::{EditError, EditReason};
pub use follow::{Asked, Edited, follow};
pub(crate) use follow::{Needs, take_differences};
pub use parts::{facing, left_and_right};

use crate::{
    feet::ContactRule,
    import::Axis,
    raw::{RootMotionRule, Travel},
    scene::Marker,
};

/// What is done to the clips that a pattern names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipRule {
    /// Their names: `*` stands for any characters, `?` for one, upper and lower case are the same. With [`Self::from`], the
    /// name of the clip that is made.
    pub clips: String,
    /// The clip, by its name in the file, that a new one is made of.
    pub from: Option<String>,
    /// In any order; they are done in that of [`EditKind`].
    pub edits: Vec<Edit>,
    /// Where that was said.
    pub line: Option<usize>,
}

/// One edit, and where it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// What is done.
    pub kind: EditKind,
    /// The line of the recipe, from 1; `None` if it was not a recipe that asked.
    pub line: Option<usize>,
}

/// What can be done to a clip, in the order in which it is done. Of two of a kind, the later one counts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EditKind {
    /// True leaves the clip out.
    Skip(bool),
    /// The part between two times in seconds; `None` is the clip's own end.
    Trim(Option<f64>, Option<f64>),
    /// Keys at a fixed rate in Hz, above 0.
    Rate(f64),
    /// True turns time round.
    Reverse(bool),
    /// Left becomes right, through the plane with this normal.
    Mirror(Option<Axis>),
    /// Takes root motion out of a joint into tracks beside the clip.
    RootMotion(Option<RootEdit>),
    /// Takes travel over the ground out.
    InPlace(Option<Travel>),
    /// Whether it ends where it starts.
    Loop(Looping),
    /// Marks when feet stand.
    Contacts(Option<ContactRule>),
    /// True adds the tracks of a gait's phase and speed.
    Gait(bool),
    /// What it is called; a `*` is what the first `*` of the pattern stands for, or the old name.
    Name(String),
    /// Extra markers; times are those of the edited clip.
    Events(Vec<Marker>),
    /// The largest error allowed, in metres.
    Precision(f64),
    /// The same for the joints that a pattern names.
    Joints(Vec<(String, f64)>),
    /// Only what the motion adds to something else.
    Additive(Additive),
}

/// Which root motion is taken out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RootEdit {
    /// True for a motion on the spot: its way is the one on which feet that stand do not slide. Then no joint gives it.
    pub from_feet: bool,
    /// The joint, by a pattern; `None`: the one that carries the character, or else the first.
    pub joint: Option<String>,
    /// What of its movement.
    pub rule: RootMotionRule,
}

impl RootEdit {
    /// By a word of a recipe or an option: a joint, `from feet`, or nothing.
    #[must_use]
    pub fn named(word: &str) -> Self {
        let from_feet = word == "from feet";
        let joint = (!from_feet && !word.is_empty()).then(|| word.to_owned());
        Self { from_feet, joint, ..Self::default() }
    }
}

/// Whether a clip ends where it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looping {
    /// It does if its first and last pose are the same within the precision, and something moves between.
    #[default]
    Auto,
    /// It must; refused where it does not.
    Yes,
    /// Not marked as a loop.
    No,
    /// It is made to: what the last pose is off is taken away little by little.
    Close,
}

/// What an additive clip is the difference to.
#[derive(Clone, Debug, PartialEq)]
pub enum Additive {
    /// To nothing: a clip as it is.
    No,
    /// To the skeleton's rest pose.
    Rest,
    /// To its own first pose.
    First,
    /// To another clip of the archive, by the name it has there: to its pose at a time in seconds, or to all of it, moment
    /// by moment, stretched to last as long.
    Clip {
        /// Its name.
        name: String,
        /// When.
        at_s: Option<f64>,
    },
}

impl EditKind {
    /// As recipes call it.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Skip(_) => "skip",
            Self::Trim(..) => "trim",
            Self::Rate(_) => "rate",
            Self::Reverse(_) => "reverse",
            Self::Mirror(_) => "mirror",
            Self::RootMotion(_) => "root-motion",
            Self::InPlace(_) => "in-place",
            Self::Loop(_) => "loop",
            Self::Contacts(_) => "contacts",
            Self::Gait(_) => "gait",
            Self::Name(_) => "name",
            Self::Events(_) => "events",
            Self::Precision(_) => "precision",
            Self::Joints(_) => "joints",
            Self::Additive(_) => "additive",
        }
    }

    /// Its turn.
    fn rank(&self) -> usize {
        KEYS.iter().position(|k| *k == self.key()).unwrap_or(KEYS.len())
    }
}

/// All keys of edits, in the order in which they are done.
pub(crate) const KEYS: [&str; 15] = [
    "skip",
    "trim",
    "rate",
    "reverse",
    "mirror",
    "root-motion",
    "in-place",
    "loop",
    "contacts",
    "gait",
    "name",
    "events",
    "precision",
    "joints",
    "additive",
];
