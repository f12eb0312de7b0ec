//! Why a graph or a state refuses something.

use crate::reader::FormatError;
use alloc::string::String;
use lissom::{pose::RigError, track::TimeError};

/// Why something was not done. Nothing has changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// There is nothing of this name.
    #[error("there is no {what} called {name:?}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// By what name.
        name: String,
    },
    /// A value of another kind than the parameter.
    #[error("parameter {name:?} is {is}, and cannot be set to {found}")]
    Kind {
        /// The parameter.
        name: String,
        /// Its kind.
        is: &'static str,
        /// The kind of the value.
        found: &'static str,
    },
    /// The state, or a key, belongs to another graph.
    #[error("this belongs to another graph")]
    OtherGraph,
    /// A number that is not allowed.
    #[error(transparent)]
    Value(#[from] TimeError),
    /// The graph keeps no pose that is taken over.
    #[error("the graph keeps no pose that is taken over: set `hand_over` in its description")]
    NoMemory,
    /// No pose has been kept under this name.
    #[error("no pose has been kept under this name yet")]
    NothingKept,
    /// The graph keeps nothing to fade by inertia with.
    #[error(
        "no transition of the graph is by inertia: set `inertia` in its description, so that code may ask for it"
    )]
    NoInertia,
    /// A section of another montage than the one-shot plays.
    #[error("the one-shot does not play the montage of this section")]
    OtherSection,
    /// The state is not played by motion matching.
    #[error("this state is not played by motion matching")]
    NotMatched,
    /// A graph that was made without the databases that its states are played by.
    #[error("the graph was made without its database {0:?}")]
    NoDatabase(String),
    /// A database for motion matching that was made for another skeleton.
    #[error("database {0:?} was made for another skeleton")]
    OtherSkeleton(String),
    /// A state holds feet, and no clip of its database says when one stands.
    #[error(
        "no clip of database {database:?} has a marker {marker:?} that lasts: nothing says when this foot stands"
    )]
    NoContact {
        /// The database.
        database: String,
        /// The marker.
        marker: String,
    },
    /// A state holds feet, and the skeleton has no legs that are known.
    #[error("a state holds feet, but {0}")]
    Legs(RigError),
    /// These bytes are no state of this graph.
    #[error("byte {offset}: {reason}")]
    Format {
        /// Where.
        offset: usize,
        /// What is wrong.
        reason: &'static str,
    },
}

impl From<FormatError> for StateError {
    fn from(FormatError { offset, reason }: FormatError) -> Self {
        Self::Format { offset, reason }
    }
}

impl StateError {
    pub(crate) fn kind(name: &str, is: &'static str, found: &'static str) -> Self {
        Self::Kind { name: name.chars().take(60).collect(), is, found }
    }

    pub(crate) fn unknown(what: &'static str, name: &str) -> Self {
        Self::Unknown { what, name: name.chars().take(60).collect() }
    }
}
