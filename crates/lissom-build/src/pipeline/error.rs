//! What can be wrong with one input, and with all of it.

use crate::{
    archive::ArchiveWriteError, cook::CookError, edit::EditError, graph::GraphFileError, import::OpenError,
    matching::MatchingError, raw::RawSkeletonError,
};
use std::path::PathBuf;

/// Why an input is not in the archive. Every message starts with its name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// It could not be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is nothing in it to cook.
    #[error("{}: there is no skeleton, motion or track in this file", name.display())]
    Nothing {
        /// The input.
        name: PathBuf,
    },
    /// A motion whose skeleton lies elsewhere, and no skeleton was given.
    #[error("{}: clip {clip:?} has no skeleton in this file", name.display())]
    NoSkeleton {
        /// The input.
        name: PathBuf,
        /// The motion.
        clip: String,
    },
    /// A skeleton cannot be built.
    #[error("{}: {source}", name.display())]
    Skeleton {
        /// The input.
        name: PathBuf,
        /// Why.
        source: RawSkeletonError,
    },
    /// A clip cannot be edited as asked.
    #[error("{}: {source}", name.display())]
    Edit {
        /// The input.
        name: PathBuf,
        /// The clip, the edit, and why.
        source: Box<EditError>,
    },
    /// A clip cannot be cooked.
    #[error("{}: clip {clip:?}: {source}", name.display())]
    Cook {
        /// The input.
        name: PathBuf,
        /// The clip.
        clip: String,
        /// Why.
        source: CookError,
    },
    /// A graph does not fit the clips.
    #[error("{}: {source}", name.display())]
    Graph {
        /// The graph's file.
        name: PathBuf,
        /// Where in it, and why.
        source: GraphFileError,
    },
    /// A graph cannot be like another one, or does not fit the clips.
    #[error("{}graph {name:?}: {text}", line.map_or_else(String::new, |line| format!("line {line}: ")))]
    GraphLike {
        /// What it would be called.
        name: String,
        /// Where it stands in a recipe.
        line: Option<usize>,
        /// Why.
        text: String,
    },
    /// A database for motion matching cannot be cooked.
    #[error("matching {name:?}: {source}")]
    Matching {
        /// The database.
        name: String,
        /// Why.
        source: Box<MatchingError>,
    },
    /// It does not fit into an archive.
    #[error("{}: {source}", name.display())]
    Write {
        /// The input.
        name: PathBuf,
        /// Why.
        source: ArchiveWriteError,
    },
    /// A defect of this library or of the executor.
    #[error("{}: internal error, please report it: {text}", name.display())]
    Defect {
        /// The input.
        name: PathBuf,
        /// What it said.
        text: String,
    },
}

/// Why there is no archive at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// The watch broke.
    #[error("cancelled")]
    Cancelled,
    /// The archive cannot be written.
    #[error(transparent)]
    Archive(#[from] ArchiveWriteError),
}
