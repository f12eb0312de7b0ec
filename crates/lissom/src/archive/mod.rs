//! The archive: one file for skeletons, clips, tracks, markers, meshes, morph targets, materials, images,
//! graphs and databases for motion matching. `FORMAT.md` has it byte by byte.
//!
//! [`Archive`] owns its bytes (from a file, a buffer, a memory map) and hands out clips, meshes and tracks
//! that keep them alive: what a game uses. [`ArchiveView`] borrows them and shows every section as it stands:
//! what tools use, and how `Archive` reads.
//!
//! Everything is checked once: lengths, offsets, checksums, names, then what is inside. Nothing is reserved
//! that the bytes could not fill, nothing beyond the [`Limits`]. `lissom-build` writes archives; [`packed`]
//! makes them smaller for disks and downloads.
//!
//! ```
//! use lissom::archive::{Archive, ArchiveError};
//!
//! assert_eq!(Archive::read(b"something else").unwrap_err(), ArchiveError::NotAnArchive);
//! ```
//!
//! Sections start at multiples of 64 bytes, counted from the start of the file. A memory map or an
//! [`AlignedBytes`] starts at such a multiple in memory too, so what a section holds is aligned there.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

mod aligned;
mod called;
mod clip;
mod cursor;
mod error;
mod graph;
mod image;
#[doc(hidden)]
pub mod layout;
mod limits;
mod lists;
mod markers;
mod matching;
mod material;
mod mesh;
mod morph;
mod names;
mod nodes;
mod owned;
pub mod packed;
mod skeleton;
mod track;

pub use aligned::AlignedBytes;
pub use called::{clip_called, clip_ends_with, clip_name_ends};
pub use error::ArchiveError;
pub use image::ImageView;
pub use layout::{CLIP_ADDITIVE, SectionKind};
pub use limits::Limits;
pub use material::{AlphaMode, MaterialView, TextureUseView, TextureView};
pub use mesh::{Mesh, MeshView};
pub use morph::{Morph, MorphView};
pub use nodes::NodeView;
pub use owned::{Archive, MadeForSkeleton};

use alloc::{format, vec::Vec};
use cursor::Cursor;
use layout::{ENTRY_BYTES, HEADER_BYTES, MAGIC, MAJOR_VERSION};
use names::{Key, Names};

type Result<T> = core::result::Result<T, ArchiveError>;

/// One section: what it is called and the bytes it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// What the payload is.
    pub kind: SectionKind,
    /// The version of the payload's layout.
    pub version: u16,
    /// Of the payload; their meaning depends on the kind.
    pub flags: u16,
    /// May be empty.
    pub name: &'a str,
    /// Where the payload starts in the file.
    pub offset: u64,
    /// The payload.
    pub payload: &'a [u8],
}

/// A checked archive: views into its bytes, in file order.
#[derive(Clone, Debug)]
pub struct ArchiveView<'a> {
    sections: Vec<Section<'a>>,
    names: Names,
}

/// What the header says.
#[derive(Clone, Copy, Debug)]
struct Header {
    sections: u32,
    total: u64,
    names: u32,
    table_checksum: u32,
}

impl<'a> ArchiveView<'a> {
    /// Checks an archive: every byte of it is used, or covered by a checksum, or must be zero.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its offset.
    pub fn read(bytes: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::read_with(bytes, limits, Err)
    }

    /// Reads what is left of a damaged archive: the sections that are whole, and what is wrong with the rest.
    ///
    /// # Errors
    ///
    /// If the header or the table of sections is damaged, nothing can be trusted.
    pub fn read_surviving(bytes: &'a [u8], limits: &Limits) -> Result<(Self, Vec<ArchiveError>)> {
        let mut damage = Vec::new();
        let archive = Self::read_with(bytes, limits, |error| {
            damage.push(error);
            Ok(())
        })?;
        Ok((archive, damage))
    }

    /// `damaged` decides what happens with an error outside of header and table: stop, or go on without it.
    fn read_with(
        bytes: &'a [u8],
        limits: &Limits,
        mut damaged: impl FnMut(ArchiveError) -> Result<()>,
    ) -> Result<Self> {
        let header = Header::read(bytes, limits)?;
        let length = bytes.len() as u64;
        if length < header.total {
            let what = "the archive";
            damaged(ArchiveError::Truncated { offset: 0, what, needed: header.total, left: length })?;
        }
        if length > header.total {
            let left_over = length.saturating_sub(header.total);
            let reason = format!("{left_over} bytes after the end of the archive");
            damaged(ArchiveError::Format { offset: header.total, reason })?;
        }
        let table_bytes = u64::from(header.sections)
            .saturating_mul(ENTRY_BYTES as u64)
            .saturating_add(u64::from(header.names));
        let mut table = Cursor::new(bytes, HEADER_BYTES as u64);
        let whole = table.take(table_bytes, "the table of sections")?;
        let computed = crc32fast::hash(whole);
        if computed != header.table_checksum {
            let (what, stored) = ("the table of sections", header.table_checksum);
            return Err(ArchiveError::Checksum { offset: HEADER_BYTES as u64, what, stored, computed });
        }
        let end_of_table = table.offset();
        let mut entries = Cursor::new(bytes, HEADER_BYTES as u64);
        let mut names = Cursor::new(
            bytes,
            (HEADER_BYTES as u64)
                .saturating_add(u64::from(header.sections).saturating_mul(ENTRY_BYTES as u64)),
        );
        let mut sections = Vec::with_capacity(header.sections as usize);
        let mut end = end_of_table;
        for _ in 0..header.sections {
            let entry = Entry::read(&mut entries)?;
            let name = names.text(u64::from(entry.name_length), "a section's name")?;
            if names.offset() > end_of_table {
                let reason = "the names of the sections are longer than the header says".into();
                return Err(ArchiveError::Format { offset: entry.at, reason });
            }
            let start = entry.check_place(end, header.total)?;
            zeros(bytes, end, start).or_else(&mut damaged)?;
            end = start.saturating_add(entry.length);
            match entry.payload(bytes) {
                Ok(payload) => sections.push(Section {
                    kind: SectionKind::from_code(entry.kind),
                    version: entry.version,
                    flags: entry.flags,
                    name,
                    offset: start,
                    payload,
                }),
                Err(error) => damaged(error)?,
            }
        }
        if names.offset() != end_of_table {
            let reason = "the names of the sections are shorter than the header says".into();
            return Err(ArchiveError::Format { offset: names.offset(), reason });
        }
        if layout::align(end) != header.total {
            let reason = format!("the header says {} bytes, the sections end at {end}", header.total);
            return Err(ArchiveError::Format { offset: 16, reason });
        }
        zeros(bytes, end, header.total).or_else(&mut damaged)?;
        Ok(Self { names: Names::new(&sections), sections })
    }

    /// All sections, in file order; of kinds that are not known too.
    #[must_use]
    pub fn sections(&self) -> &[Section<'a>] {
        &self.sections
    }

    /// The first section of this kind and name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`].
    pub fn find(&self, kind: SectionKind, name: &str) -> Result<Section<'a>> {
        let found = self.names.find(kind, name, |at| self.key(at));
        let found = found.and_then(|at| self.sections.get(at as usize));
        found.copied().ok_or_else(|| ArchiveError::missing(kind, Some(name), self.names(kind)))
    }

    /// Splits `OWNER/NAME`: tracks are called after their clip, morph targets after their mesh. The owner is
    /// the longest name of a section of this kind that fits.
    #[must_use]
    pub fn owner<'n>(&self, kind: SectionKind, name: &'n str) -> Option<(&'n str, &'n str)> {
        self.names.owner(kind, name, |at| self.key(at))
    }

    fn key(&self, at: u32) -> Key<'a> {
        self.sections.get(at as usize).map(Section::key).unwrap_or_default()
    }

    /// The names of all sections of a kind, in file order.
    pub fn names(&self, kind: SectionKind) -> impl Iterator<Item = &'a str> {
        self.sections.iter().filter(move |s| s.kind == kind).map(|s| s.name)
    }

    /// The first section of this kind, whatever its name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`].
    pub fn first(&self, kind: SectionKind) -> Result<Section<'a>> {
        let found = self.sections.iter().find(|s| s.kind == kind);
        found.copied().ok_or_else(|| ArchiveError::missing(kind, None, self.names(kind)))
    }
}

impl Header {
    fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        let start = bytes.get(..MAGIC.len()).unwrap_or(bytes);
        if start.is_empty() || !MAGIC.starts_with(start) {
            return Err(ArchiveError::NotAnArchive);
        }
        let mut at = Cursor::new(bytes, MAGIC.len() as u64);
        let found = at.u16("the version")?;
        // Minor versions add kinds of sections and flags; what is here stays.
        let _minor = at.u16("the version")?;
        if found != MAJOR_VERSION {
            let (what, known) = ("the archive", "1");
            return Err(ArchiveError::Version { offset: 8, what, found, known });
        }
        let sections = at.u32("the count of sections")?;
        let total = at.u64("the length of the archive")?;
        let names = at.u32("the length of the names")?;
        let table_checksum = at.u32("the checksum of the table")?;
        let reserved = at.take(28, "the header")?;
        let stored = at.u32("the header's checksum")?;
        let mut whole = Cursor::new(bytes, 0);
        let computed = crc32fast::hash(whole.take(60, "the header")?);
        if computed != stored {
            return Err(ArchiveError::Checksum { offset: 0, what: "the header", stored, computed });
        }
        if reserved.iter().any(|b| *b != 0) {
            return Err(ArchiveError::Format { offset: 32, reason: "bytes 32 to 59 are not zero".into() });
        }
        limits.check(12, "the count of sections", u64::from(sections), u64::from(limits.max_sections))?;
        limits.check(16, "the length of the archive", total, limits.max_bytes)?;
        limits.check(24, "the length of the names", u64::from(names), u64::from(limits.max_name_bytes))?;
        Ok(Self { sections, total, names, table_checksum })
    }
}

/// One line of the table of sections.
struct Entry {
    /// Where the line stands.
    at: u64,
    kind: u32,
    version: u16,
    flags: u16,
    offset: u64,
    length: u64,
    checksum: u32,
    name_length: u32,
}

impl Entry {
    fn read(from: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self {
            at: from.offset(),
            kind: from.u32("a section's kind")?,
            version: from.u16("a section's version")?,
            flags: from.u16("a section's flags")?,
            offset: from.u64("a section's offset")?,
            length: from.u64("a section's length")?,
            checksum: from.u32("a section's checksum")?,
            name_length: from.u32("the length of a section's name")?,
        })
    }

    /// Sections stand one after another, each at the next multiple of 64.
    fn check_place(&self, end_before: u64, total: u64) -> Result<u64> {
        let wanted = layout::align(end_before);
        if self.offset != wanted {
            let reason = format!("a section starts at {}, not at {wanted}", self.offset);
            return Err(ArchiveError::Format { offset: self.at, reason });
        }
        let left = total.saturating_sub(wanted);
        if self.length > left {
            let (what, needed) = ("a section", self.length);
            return Err(ArchiveError::Truncated { offset: wanted, what, needed, left });
        }
        Ok(wanted)
    }

    fn payload<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8]> {
        let payload = Cursor::new(bytes, self.offset).take(self.length, "a section")?;
        let computed = crc32fast::hash(payload);
        if computed != self.checksum {
            let (what, stored) = ("a section", self.checksum);
            return Err(ArchiveError::Checksum { offset: self.offset, what, stored, computed });
        }
        Ok(payload)
    }
}

/// Between sections there is nothing.
fn zeros(bytes: &[u8], start: u64, end: u64) -> Result<()> {
    let gap = Cursor::new(bytes, start).take(end.saturating_sub(start), "the padding")?;
    match gap.iter().position(|b| *b != 0) {
        None => Ok(()),
        Some(at) => {
            let offset = start.saturating_add(at as u64);
            Err(ArchiveError::Format { offset, reason: "a byte between sections is not zero".into() })
        }
    }
}
