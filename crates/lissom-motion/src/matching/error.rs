//! What can be wrong with a database or a query.

use alloc::string::String;

/// Why a description is no database.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
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
    /// Too little of something.
    #[error("a database needs {0}")]
    None(&'static str),
    /// A number that is not allowed.
    #[error("{what} {index}: `{field}` is {value}; allowed: {allowed}")]
    Value {
        /// What has the number.
        what: &'static str,
        /// Which of these.
        index: usize,
        /// What it was given as.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it may be, in words.
        allowed: &'static str,
    },
    /// A list of the wrong length.
    #[error("{what}: {found}, but the ranges have {needed} frames")]
    Length {
        /// Which list.
        what: &'static str,
        /// How many frames it is for.
        found: usize,
        /// How many there are.
        needed: usize,
    },
    /// Something of which there are fewer.
    #[error("{what} {index} names {of} {found}, but there are {count}")]
    Unknown {
        /// What names it.
        what: &'static str,
        /// Which of these.
        index: usize,
        /// What is named.
        of: &'static str,
        /// Its number.
        found: usize,
        /// How many there are.
        count: usize,
    },
    /// Two of a name.
    #[error("two {what} are called {name:?}")]
    Twice {
        /// What they are.
        what: &'static str,
        /// Their name.
        name: String,
    },
    /// A name that says nothing, or too long a one.
    #[error("{what} {index}: a name has 1 to 1024 bytes")]
    Name {
        /// What has the name.
        what: &'static str,
        /// Which of these.
        index: usize,
    },
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Not as many values as there are features.
    #[error("{found} values, but the database has {needed} features")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there should be.
        needed: usize,
    },
    /// A value that is infinite, or no number.
    #[error("the value of feature {feature} is not finite")]
    NotFinite {
        /// Which.
        feature: usize,
    },
    /// There is no tag of this name.
    #[error("there is no tag called {0:?}")]
    UnknownTag(String),
    /// No frame that may be found has all of the tags.
    #[error("no frame has all of these tags: {0}")]
    NoFrame(String),
    /// There is no such frame.
    #[error("there is no frame {found}: the database has {count}")]
    UnknownFrame {
        /// Its number.
        found: u32,
        /// How many there are.
        count: u32,
    },
    /// A cost that is negative, infinite, or no number.
    #[error("a transition cannot cost {0}")]
    Cost(f32),
    /// The query was made for another database.
    #[error("the query was made for another database")]
    OtherDatabase,
    /// Not as many places for answers as there are queries.
    #[error("{found} places for the answers of {needed} queries")]
    Answers {
        /// How many places there are.
        found: usize,
        /// How many queries there are.
        needed: usize,
    },
}
