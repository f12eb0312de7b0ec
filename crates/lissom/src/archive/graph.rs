//! The graph section, version 2: bytes whose meaning `lissom-motion` knows.

use super::{ArchiveError, Result, Section, SectionKind, layout::GRAPH_VERSION};
use alloc::format;

impl<'a> Section<'a> {
    /// The bytes of the graph that this section holds.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind, [`ArchiveError::Version`].
    pub fn graph(&self) -> Result<&'a [u8]> {
        let offset = self.offset;
        if self.kind != SectionKind::Graph {
            let reason = format!("a {:?} section does not hold a graph", self.kind);
            return Err(ArchiveError::Format { offset, reason });
        }
        if self.version != GRAPH_VERSION {
            let (what, found, known) = ("a graph", self.version, "2");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        Ok(self.payload)
    }
}
