//! What went wrong, in words for the window.

use lissom::{archive::ArchiveError, player::PlayError};
use lissom_world::WorldError;

/// Why something could not be shown, in words for the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub(crate) String);

impl core::fmt::Display for Failure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for Failure {}

impl From<ArchiveError> for Failure {
    fn from(e: ArchiveError) -> Self {
        Self(e.to_string())
    }
}

impl From<PlayError> for Failure {
    fn from(e: PlayError) -> Self {
        Self(e.to_string())
    }
}

impl From<WorldError> for Failure {
    fn from(e: WorldError) -> Self {
        Self(e.to_string())
    }
}
