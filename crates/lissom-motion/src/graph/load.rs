//! Graphs of an archive.

use super::{ClipFacts, FormatError, Graph, GraphError, GraphParts};
use crate::matching::Database;
use alloc::{boxed::Box, string::String, sync::Arc, vec::Vec};
use lissom::archive::{Archive, ArchiveError, SectionKind, clip_called};

/// Why an archive's graph cannot be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// There is no graph of this name, or its section is not one that can be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Its bytes are no graph.
    #[error("graph {name:?}: {source}")]
    Format {
        /// The graph.
        name: String,
        /// Where in its section, and why.
        source: FormatError,
    },
    /// What it says is wrong: a clip that the archive has not, for one.
    #[error("graph {name:?}: {source}")]
    Graph {
        /// The graph.
        name: String,
        /// Where in it, and why.
        source: Box<GraphError>,
    },
}

impl Graph {
    /// Checks a description against the clips and databases of an archive. The last part of a clip's name is enough
    /// ([`clip_called`]).
    ///
    /// # Errors
    ///
    /// Those of [`Graph::with_databases`].
    pub fn of_archive(parts: &GraphParts, archive: &Archive) -> Result<Self, GraphError> {
        let names: Vec<&str> = archive.names(SectionKind::Clip).collect();
        let whole = |clip: &str| names.get(clip_called(names.iter().copied(), clip)?).copied();
        let mut parts = parts.clone();
        parts.rename_clips(|clip| whole(clip).map(String::from));
        let mut skeletons = Vec::new();
        let graph = Self::with_databases(
            &parts,
            |name| ClipFacts::of_archive(archive, name, &parts),
            |name| {
                let is_there = archive.names(SectionKind::Matching).any(|own| own == name);
                let database = is_there.then(|| Database::load(archive, name).map(Arc::new)).transpose()?;
                skeletons.extend(database.as_ref().map(|database| database.skeleton()));
                Ok(database)
            },
        )?;
        for name in archive.names(SectionKind::Skeleton) {
            // One that cannot be read is told by who plays it.
            if let Ok(skeleton) = archive.skeleton(name)
                && skeletons.contains(&skeleton.identity())
            {
                parts.check_legs(&skeleton)?;
            }
        }
        Ok(graph)
    }

    /// The graph of this name in an archive.
    ///
    /// # Errors
    ///
    /// [`LoadError`]: there is none, or what is wrong with it.
    pub fn load(archive: &Archive, name: &str) -> Result<Self, LoadError> {
        let bytes = archive.graph(name)?;
        let parts =
            GraphParts::read(&bytes).map_err(|source| LoadError::Format { name: name.into(), source })?;
        Self::of_archive(&parts, archive)
            .map_err(|source| LoadError::Graph { name: name.into(), source: Box::new(source) })
    }
}

/// What an [`Animator`](crate::Animator) plays: a graph, or the name of one of its archive.
pub trait PlayedGraph {
    /// The graph.
    ///
    /// # Errors
    ///
    /// Those of [`Graph::load`].
    fn of(self, archive: &Archive) -> Result<Arc<Graph>, LoadError>;
}

impl PlayedGraph for Arc<Graph> {
    fn of(self, _archive: &Archive) -> Result<Arc<Graph>, LoadError> {
        Ok(self)
    }
}

impl PlayedGraph for &str {
    fn of(self, archive: &Archive) -> Result<Arc<Graph>, LoadError> {
        Graph::load(archive, self).map(Arc::new)
    }
}
