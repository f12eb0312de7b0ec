//! The matching section, version 1: bytes whose meaning `lissom-motion` knows.

use super::{ArchiveError, Result, Section, SectionKind, layout::MATCHING_VERSION};
use alloc::format;

impl<'a> Section<'a> {
    /// The bytes of the database for motion matching that this section holds.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind, [`ArchiveError::Version`].
    pub fn matching(&self) -> Result<&'a [u8]> {
        let offset = self.offset;
        if self.kind != SectionKind::Matching {
            let reason = format!("a {:?} section does not hold a database for matching", self.kind);
            return Err(ArchiveError::Format { offset, reason });
        }
        if self.version != MATCHING_VERSION {
            let (what, found, known) = ("a database for matching", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        Ok(self.payload)
    }
}
