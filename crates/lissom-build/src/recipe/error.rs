//! What is wrong with a recipe.

use crate::{edit::DidYouMean, text::quote::Quote};

/// Why a recipe is refused. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// It is longer than any recipe.
    #[error("it has {bytes} bytes; a recipe may have {allowed}")]
    TooLong {
        /// What it has.
        bytes: usize,
        /// The limit.
        allowed: usize,
    },
    /// It is not UTF-8.
    #[error("line {line}: this is not text")]
    NoText {
        /// Where.
        line: usize,
    },
    /// It is not TOML.
    #[error("line {line}: {reason}")]
    Syntax {
        /// Where.
        line: usize,
        /// What the parser says.
        reason: String,
    },
    /// A key that nobody reads.
    #[error("line {line}: {table} has no key {}{}", Quote(key), DidYouMean(*near))]
    UnknownKey {
        /// Where.
        line: usize,
        /// The table.
        table: String,
        /// The key.
        key: String,
        /// One that is much like it.
        near: Option<&'static str>,
    },
    /// A value that cannot be meant.
    #[error("line {line}: {key}: {reason}")]
    Value {
        /// Where.
        line: usize,
        /// The key, with the tables around it.
        key: String,
        /// What is allowed.
        reason: String,
    },
}
