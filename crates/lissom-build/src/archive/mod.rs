//! Writes archives. The same sections in the same order give the same bytes, on every machine.
//!
//! ```
//! use lissom::{Skeleton, SkeletonParts, archive::Limits, math::Transform};
//! use lissom_build::archive::ArchiveWriter;
//!
//! let skeleton = Skeleton::new(SkeletonParts { parents: &[None], names: &["hips"], rest: &[Transform::IDENTITY] })?;
//! let mut file = Vec::new();
//! ArchiveWriter::new().skeleton("body", &skeleton)?.write_to(&mut file)?;
//! let loaded = Skeleton::load(&mut file.as_slice(), &Limits::default())?;
//! assert_eq!(loaded.identity(), skeleton.identity());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod tests;

use lissom::{
    Skeleton,
    archive::{
        SectionKind,
        layout::{self, ENTRY_BYTES, HEADER_BYTES, MAGIC, MAJOR_VERSION, MINOR_VERSION, NO_PARENT},
    },
};
use std::io;

/// Collects sections, then writes them all.
#[derive(Clone, Debug, Default)]
pub struct ArchiveWriter {
    sections: Vec<Pending>,
}

#[derive(Clone, Debug)]
struct Pending {
    kind: SectionKind,
    version: u16,
    flags: u16,
    name: String,
    payload: Vec<u8>,
}

/// Why an archive could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveWriteError {
    /// Two sections of one kind have the same name: only the first could be found again.
    #[error("there are two {kind:?} sections called {name:?}")]
    Twice {
        /// The kind.
        kind: SectionKind,
        /// The name.
        name: String,
    },
    /// There are more sections, or more bytes of names, than the format can count.
    #[error("{what}: {found}, but at most {allowed} are possible")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// The most there can be.
        allowed: usize,
    },
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ArchiveWriter {
    /// An archive without sections.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a section of any kind. Its payload will start at a multiple of 64.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn section(
        mut self,
        kind: SectionKind,
        version: u16,
        flags: u16,
        name: &str,
        payload: Vec<u8>,
    ) -> Result<Self, ArchiveWriteError> {
        if self.sections.iter().any(|s| s.kind == kind && s.name == name) {
            return Err(ArchiveWriteError::Twice { kind, name: name.into() });
        }
        self.sections.push(Pending { kind, version, flags, name: name.into(), payload });
        Ok(self)
    }

    /// Adds a skeleton.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn skeleton(self, name: &str, skeleton: &Skeleton) -> Result<Self, ArchiveWriteError> {
        let version = layout::SKELETON_VERSION;
        self.section(SectionKind::Skeleton, version, 0, name, skeleton_payload(skeleton))
    }

    /// Adds a clip's own bytes, which are played from where they stand.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::Twice`].
    pub fn clip(self, version: u16, name: &str, bytes: Vec<u8>) -> Result<Self, ArchiveWriteError> {
        self.section(SectionKind::Clip, version, 0, name, bytes)
    }

    /// The archive.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::TooMany`].
    pub fn finish(&self) -> Result<Vec<u8>, ArchiveWriteError> {
        let count = |what, found: usize| {
            u32::try_from(found).map_err(|_| ArchiveWriteError::TooMany {
                what,
                found,
                allowed: u32::MAX as usize,
            })
        };
        let sections = count("sections", self.sections.len())?;
        let names: String = self.sections.iter().map(|s| s.name.as_str()).collect();
        let name_bytes = count("bytes of names", names.len())?;

        let mut table = Vec::with_capacity(self.sections.len() * ENTRY_BYTES + names.len());
        let mut end = (HEADER_BYTES + self.sections.len() * ENTRY_BYTES + names.len()) as u64;
        for section in &self.sections {
            let offset = layout::align(end);
            let length = section.payload.len() as u64;
            table.extend_from_slice(&section.kind.code().to_le_bytes());
            table.extend_from_slice(&section.version.to_le_bytes());
            table.extend_from_slice(&section.flags.to_le_bytes());
            table.extend_from_slice(&offset.to_le_bytes());
            table.extend_from_slice(&length.to_le_bytes());
            table.extend_from_slice(&crc32fast::hash(&section.payload).to_le_bytes());
            table.extend_from_slice(&(section.name.len() as u32).to_le_bytes());
            end = offset + length;
        }
        table.extend_from_slice(names.as_bytes());
        let total = layout::align(end);

        let mut out = Vec::with_capacity(total as usize);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&MAJOR_VERSION.to_le_bytes());
        out.extend_from_slice(&MINOR_VERSION.to_le_bytes());
        out.extend_from_slice(&sections.to_le_bytes());
        out.extend_from_slice(&total.to_le_bytes());
        out.extend_from_slice(&name_bytes.to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(&table).to_le_bytes());
        out.resize(HEADER_BYTES - 4, 0);
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        out.extend_from_slice(&table);
        for section in &self.sections {
            out.resize(layout::align(out.len() as u64) as usize, 0);
            out.extend_from_slice(&section.payload);
        }
        out.resize(total as usize, 0);
        Ok(out)
    }

    /// Writes the archive.
    ///
    /// # Errors
    ///
    /// [`ArchiveWriteError::TooMany`] and [`ArchiveWriteError::Io`].
    pub fn write_to(&self, writer: &mut impl io::Write) -> Result<(), ArchiveWriteError> {
        writer.write_all(&self.finish()?)?;
        Ok(writer.flush()?)
    }
}

fn skeleton_payload(skeleton: &Skeleton) -> Vec<u8> {
    let joints = 0..skeleton.joint_count();
    let names: String = joints.clone().map(|j| skeleton.name(j)).collect();
    let mut out = Vec::with_capacity(16 + joints.len() * 46 + 2 + names.len());
    out.extend_from_slice(&(joints.len() as u32).to_le_bytes());
    out.extend_from_slice(&(names.len() as u32).to_le_bytes());
    out.extend_from_slice(&skeleton.identity().to_le_bytes());
    for joint in joints.clone() {
        skeleton.rest(joint).to_array().iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
    }
    for joint in joints.clone() {
        let parent = skeleton.parent(joint).map_or(NO_PARENT, |p| p as u16);
        out.extend_from_slice(&parent.to_le_bytes());
    }
    out.resize(out.len().next_multiple_of(4), 0);
    let mut end = 0;
    for joint in joints {
        end += skeleton.name(joint).len() as u32;
        out.extend_from_slice(&end.to_le_bytes());
    }
    out.extend_from_slice(names.as_bytes());
    out
}
