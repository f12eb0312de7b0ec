//! The node section, version 1: which nodes of their file the joints of a skeleton were.

use super::{
    ArchiveError, ArchiveView, Result, Section, SectionKind,
    cursor::Cursor,
    layout::{NODES_VERSION, NONE},
};
use alloc::{format, vec::Vec};

/// What a joint was in its file: for engines that draw the file's own meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeView<'a> {
    /// Its place in the file's list of nodes; `None` if it was none.
    pub index: Option<u32>,
    /// The node's own name; joints' names are unique, these need not be.
    pub name: &'a str,
    /// What the file says beside, as JSON; empty if nothing.
    pub extras: &'a str,
}

impl<'a> ArchiveView<'a> {
    /// The nodes of the skeleton of this name, one a joint.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`] if nothing is known of them, or what is wrong with them.
    pub fn nodes(&self, skeleton: &str) -> Result<Vec<NodeView<'a>>> {
        self.find(SectionKind::Nodes, skeleton)?.nodes()
    }
}

impl<'a> Section<'a> {
    /// The nodes that this section holds, one a joint.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; otherwise what is wrong with them.
    pub fn nodes(&self) -> Result<Vec<NodeView<'a>>> {
        let offset = self.offset;
        if self.kind != SectionKind::Nodes {
            let reason = format!("a {:?} section does not hold nodes", self.kind);
            return Err(ArchiveError::Format { offset, reason });
        }
        if self.version != NODES_VERSION {
            let (what, found, known) = ("a list of nodes", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut at = Cursor::new(self.payload, 0);
        let count = at.u32("the count of nodes")?;
        let mut nodes = Vec::with_capacity(at.room(count, 12));
        for _ in 0..count {
            let index = Some(at.u32("a node")?).filter(|index| *index != NONE);
            nodes.push(NodeView {
                index,
                name: at.long_text("a node's name")?,
                extras: at.long_text("a node's extras")?,
            });
        }
        at.end()?;
        Ok(nodes)
    }
}
