//! What can be wrong with the description of a graph.

use crate::matching::{MatchingLoadError, QueryError};
use alloc::{boxed::Box, string::String};
use lissom::pose::RigError;

/// Why a description is no graph: where, and what.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name}: {problem}")]
pub struct GraphError {
    /// Where in the description, by numbers.
    pub place: Place,
    /// Where, by names: `layer "body", state "walk"`.
    pub name: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// A place in a description: numbers of list entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// All of it.
    Graph,
    /// A parameter.
    Parameter(usize),
    /// A mask.
    Mask(usize),
    /// A clip that no state plays.
    Clip(usize),
    /// A montage.
    Montage(usize),
    /// A section of a montage.
    Section(usize, usize),
    /// A marker by which clips are kept in step.
    Sync(usize),
    /// A name of a pose that is kept.
    Pose(usize),
    /// A layer.
    Layer(usize),
    /// A state of a layer.
    State(usize, usize),
    /// A point of a blend of a state of a layer.
    Point(usize, usize, usize),
    /// A transition of a layer.
    Transition(usize, usize),
    /// A condition of a transition of a layer.
    Condition(usize, usize, usize),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is nothing of this name.
    #[error("there is no {what} called {name:?}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// By what name.
        name: String,
    },
    /// The name is taken.
    #[error("there is another {what} of this name")]
    Twice {
        /// What has the name.
        what: &'static str,
    },
    /// The name says nothing.
    #[error("a name may not be empty, nor \"*\"")]
    NoName,
    /// A number that is not allowed.
    #[error("`{field}` is {value}; allowed: {allowed}")]
    Value {
        /// What it was given as.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it may be, in words.
        allowed: &'static str,
    },
    /// A parameter of a kind that cannot be used like this.
    #[error("{name:?} is {found}; here it must be {allowed}")]
    Kind {
        /// The parameter.
        name: String,
        /// What it is.
        found: &'static str,
        /// What it may be, in words.
        allowed: &'static str,
    },
    /// Points of a blend that cannot be blended.
    #[error("{0}")]
    Points(&'static str),
    /// A database for motion matching that is there, and cannot be searched.
    #[error(transparent)]
    Database(Box<MatchingLoadError>),
    /// Tags that a state cannot be played by.
    #[error("database {database:?}: {problem}")]
    Tags {
        /// The database.
        database: String,
        /// What is wrong with them.
        problem: QueryError,
    },
    /// A state holds feet, and the skeleton has no legs that are known.
    #[error("it holds feet, but {0}")]
    Legs(RigError),
    /// No clip is kept in step.
    #[error("no clip passes each of these markers once, in this order")]
    Sync,
    /// No way leads to the state.
    #[error("no transition leads here")]
    Unreachable,
    /// Too much of something.
    #[error("{what}: {found}, but the limit is {allowed}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        found: usize,
        /// The limit.
        allowed: usize,
    },
}
