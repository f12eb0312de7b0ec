//! Options that make no sense.

use anyhow::Result;

/// An option that makes no sense: exit code 2, as for options that do not exist.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// A [`UsageError`] with this text.
///
/// # Errors
/// Always.
pub fn usage<T>(text: impl Into<String>) -> Result<T> {
    Err(UsageError(text.into()).into())
}
