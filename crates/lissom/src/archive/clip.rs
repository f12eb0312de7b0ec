//! The clip section: a clip, played where it stands.

use super::{Archive, ArchiveError, Limits, Result, Section, SectionKind};
use crate::{Skeleton, clip::BorrowedClip};
use alloc::format;

impl<'a> Archive<'a> {
    /// The clip of this name, or the first one, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn clip(&self, name: Option<&str>) -> Result<BorrowedClip<'a>> {
        match name {
            Some(name) => self.find(SectionKind::Clip, name)?.clip(),
            None => self.first(SectionKind::Clip)?.clip(),
        }
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
        let name = Some(format!("with the identity {identity:016x}"));
        Err(ArchiveError::Missing { kind: SectionKind::Skeleton, name })
    }
}

impl<'a> Section<'a> {
    /// The clip that this section holds, checked, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; [`ArchiveError::Clip`] if it is not a clip, or
    /// the archive does not start at a multiple of 4 in memory.
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
        let section = Archive::read(&bytes, limits)?.first(SectionKind::Clip)?;
        let offset = section.offset;
        Self::from_bytes(section.payload).map_err(|source| ArchiveError::Clip { offset, source })
    }
}
