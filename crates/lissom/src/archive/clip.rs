//! The clip section: a clip, played where it stands.

use super::{ArchiveError, ArchiveView, Limits, Result, Section, SectionKind};
use crate::{Skeleton, clip::BorrowedClip};
use alloc::format;

impl<'a> ArchiveView<'a> {
    /// The clip of this name, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn clip(&self, name: &str) -> Result<BorrowedClip<'a>> {
        self.find(SectionKind::Clip, name)?.clip()
    }

    /// The first skeleton with this identity: that of a clip or mesh.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`]; or what is wrong with a skeleton on the way there.
    pub fn skeleton_of(&self, identity: u64, limits: &Limits) -> Result<Skeleton> {
        for section in self.sections().iter().filter(|s| s.kind == SectionKind::Skeleton) {
            let skeleton = section.skeleton(limits)?;
            if skeleton.identity() == identity {
                return Ok(skeleton);
            }
        }
        let (kind, name) = (SectionKind::Skeleton, format!("with the identity {identity:016x}"));
        Err(ArchiveError::missing(kind, Some(&name), self.names(kind)))
    }
}

impl<'a> Section<'a> {
    /// The clip that this section holds, checked, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; [`ArchiveError::Clip`] if it is not a
    /// clip, or the archive does not start at a multiple of 4 in memory.
    pub fn clip(&self) -> Result<BorrowedClip<'a>> {
        if self.kind != SectionKind::Clip {
            let reason = format!("a {:?} section is not a clip", self.kind);
            return Err(ArchiveError::Format { offset: self.offset, reason });
        }
        BorrowedClip::new(self.payload).map_err(|source| ArchiveError::Clip { offset: self.offset, source })
    }
}

#[cfg(feature = "std")]
impl crate::Clip {
    /// Reads an archive and takes its first clip. No more of the reader is used than the archive.
    ///
    /// # Errors
    ///
    /// What is wrong with the archive or the clip, or that there is none.
    pub fn load(reader: &mut impl std::io::Read, limits: &Limits) -> Result<Self> {
        let bytes = super::AlignedBytes::read_from(reader, limits)?;
        let section = ArchiveView::read(&bytes, limits)?.first(SectionKind::Clip)?;
        let offset = section.offset;
        Self::from_bytes(section.payload).map_err(|source| ArchiveError::Clip { offset, source })
    }
}
