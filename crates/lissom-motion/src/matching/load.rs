//! Databases of an archive.

use super::{Database, DatabaseError, DatabaseParts, FormatError};
use alloc::{boxed::Box, string::String};
use lissom::{
    Skeleton,
    archive::{Archive, ArchiveError},
};

/// Why an archive's database cannot be searched.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchingLoadError {
    /// There is no database of this name, or its section is not one that can be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Its bytes are no database.
    #[error("matching {name:?}: {source}")]
    Format {
        /// The database.
        name: String,
        /// Where in its section, and why.
        source: FormatError,
    },
    /// What it says is wrong.
    #[error("matching {name:?}: {source}")]
    Database {
        /// The database.
        name: String,
        /// What is wrong.
        source: Box<DatabaseError>,
    },
    /// It is of a clip that the archive has not.
    #[error("matching {name:?}: there is no clip called {clip:?}")]
    NoClip {
        /// The database.
        name: String,
        /// The clip.
        clip: String,
    },
    /// No skeleton of the archive is the one that it was made for.
    #[error("matching {name:?} was made for a skeleton that is not in the archive")]
    OtherSkeleton {
        /// The database.
        name: String,
    },
}

impl Database {
    /// The database of this name in an archive, which also has its clips and its skeleton.
    ///
    /// # Errors
    ///
    /// [`MatchingLoadError`]: there is none, or what is wrong with it.
    pub fn load(archive: &Archive, name: &str) -> Result<Self, MatchingLoadError> {
        let bytes = archive.matching(name)?;
        let parts = DatabaseParts::read(&bytes)
            .map_err(|source| MatchingLoadError::Format { name: name.into(), source })?;
        let database = Self::new(&parts)
            .map_err(|source| MatchingLoadError::Database { name: name.into(), source: Box::new(source) })?;
        for clip in database.clips() {
            if archive.clip(clip).is_err() {
                return Err(MatchingLoadError::NoClip { name: name.into(), clip: clip.clone() });
            }
        }
        let is_made_for = |skeleton: &Skeleton| skeleton.identity() == database.skeleton();
        if !archive.skeletons().any(|(_, skeleton)| skeleton.is_ok_and(|s| is_made_for(&s))) {
            return Err(MatchingLoadError::OtherSkeleton { name: name.into() });
        }
        Ok(database)
    }
}
