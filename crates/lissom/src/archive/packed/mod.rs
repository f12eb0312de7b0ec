//! Packed archives: the same sections in fewer bytes, for disks and downloads. `FORMAT.md` has them byte by
//! byte.
//!
//! [`Archive`](super::Archive) unpacks one when it opens it. It then holds the archive that was packed, byte
//! for byte. Clips of rows are stored as their integers: each is coded as its difference from a prediction.
//! All other sections are coded as bytes.
//!
//! One function is the codec of each kind of section, for both directions: a coder is given what to write,
//! and gives what was written or read.

mod bytes;
mod numbers;
mod range;
mod rows;

use self::{
    bytes::BytesModel,
    numbers::Plain,
    range::{Chance, Coder, Decoder, Encoder},
    rows::RowsModel,
};
use super::{
    AlignedBytes, ArchiveError, ArchiveView, Limits, Result, Section, SectionKind,
    cursor::Cursor,
    layout::{self, ENTRY_BYTES, HEADER_BYTES, MAGIC, MAJOR_VERSION},
};
use crate::clip::RowsIntegers;
use alloc::{string::String, vec::Vec};

/// The first eight bytes.
pub const PACKED_MAGIC: &[u8; 8] = b"LSMP\r\n\x1a\n";
/// Readers refuse any other.
const VERSION: u16 = 1;
/// Bytes before what is coded.
const HEAD: usize = 36;
/// An unpacked archive is at most `MOST_TIMES` times as large as the packed one, plus `MOST_MORE` bytes.
const MOST_TIMES: u64 = 8;
const MOST_MORE: u64 = 4096;

/// How a section is coded.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// As bytes, which learn.
    Bytes,
    /// As bytes as they are: images.
    Raw,
    /// A clip of rows, as integers.
    Rows,
}

/// What is known of a section before its bytes.
#[derive(Clone, Default)]
struct Entry {
    kind: u32,
    version: u16,
    flags: u16,
    name: String,
    length: u64,
}

/// All that is learnt.
struct Models {
    counts: Plain,
    forms: [Chance; 2],
    bytes: BytesModel,
    rows: RowsModel,
}

impl Models {
    fn new() -> Self {
        Self {
            counts: Plain::NEW,
            forms: [Chance::EVEN; 2],
            bytes: BytesModel::new(),
            rows: RowsModel::new(),
        }
    }

    fn entry<C: Coder>(&mut self, coder: &mut C, entry: &mut Entry, left: u64) -> Option<()> {
        let mut facts = [0; 8];
        facts[..4].copy_from_slice(&entry.kind.to_le_bytes());
        facts[4..6].copy_from_slice(&entry.version.to_le_bytes());
        facts[6..].copy_from_slice(&entry.flags.to_le_bytes());
        self.bytes.code(coder, &mut facts);
        let [a, b, c, d, version @ .., e, f] = facts;
        entry.kind = u32::from_le_bytes([a, b, c, d]);
        entry.version = u16::from_le_bytes(version);
        entry.flags = u16::from_le_bytes([e, f]);
        let mut name = core::mem::take(&mut entry.name).into_bytes();
        let length = self.counts.code(coder, name.len() as u32);
        if u64::from(length) > left {
            return None;
        }
        name.resize(length as usize, 0);
        self.bytes.code(coder, &mut name);
        entry.name = String::from_utf8(name).ok()?;
        let high = self.counts.code(coder, (entry.length >> 32) as u32);
        let low = self.counts.code(coder, entry.length as u32);
        entry.length = u64::from(high) << 32 | u64::from(low);
        Some(())
    }

    fn form<C: Coder>(&mut self, coder: &mut C, form: Form) -> Form {
        if coder.bit(&mut self.forms[0], form == Form::Rows) {
            Form::Rows
        } else if coder.bit(&mut self.forms[1], form == Form::Raw) {
            Form::Raw
        } else {
            Form::Bytes
        }
    }

    /// The bytes of a section, written or read. `None` if what was read cannot be of this size.
    fn section<C: Coder>(
        &mut self,
        coder: &mut C,
        form: Form,
        clip: &mut RowsIntegers,
        entry: &Entry,
        bytes: &mut [u8],
    ) -> Option<()> {
        match self.form(coder, form) {
            Form::Bytes => self.bytes.code(coder, bytes),
            Form::Raw => {
                for byte in bytes {
                    *byte = coder.even(8, u32::from(*byte)) as u8;
                }
            }
            Form::Rows => {
                self.rows.code(coder, clip, bytes.len(), &entry.name)?;
                let written = clip.write()?;
                if written.len() != bytes.len() {
                    return None;
                }
                bytes.copy_from_slice(&written);
            }
        }
        Some(())
    }
}

/// True if the bytes start as a packed archive does.
#[must_use]
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(PACKED_MAGIC)
}

/// Packs an archive. `None` if that would not make it smaller, or if it would exceed the ratio that readers
/// accept (8).
///
/// # Errors
///
/// What is wrong with the archive.
pub fn pack(archive: &[u8]) -> Result<Option<Vec<u8>>> {
    let limits =
        Limits { max_bytes: u64::MAX, max_sections: u32::MAX, max_name_bytes: u32::MAX, ..Limits::default() };
    let view = ArchiveView::read(archive, &limits)?;
    let mut models = Models::new();
    let mut coder = Encoder::new();
    let minor = archive.get(10..).and_then(<[u8]>::first_chunk).map_or(0, |b| u16::from_le_bytes(*b));
    coder.even(16, u32::from(minor));
    models.counts.code(&mut coder, view.sections.len() as u32);
    let entries: Vec<Entry> = view.sections.iter().map(Entry::of).collect();
    for entry in &entries {
        // What is written is not looked at again.
        let _ = models.entry(&mut coder, &mut entry.clone(), u64::MAX);
    }
    for (entry, section) in entries.iter().zip(&view.sections) {
        let clip = if section.kind == SectionKind::Clip { RowsIntegers::read(section.payload) } else { None };
        let form = match (&clip, section.kind) {
            (Some(_), _) => Form::Rows,
            (None, SectionKind::Image) => Form::Raw,
            _ => Form::Bytes,
        };
        let mut bytes = section.payload.to_vec();
        let mut clip = clip.unwrap_or_default();
        let _ = models.section(&mut coder, form, &mut clip, entry, &mut bytes);
    }
    let coded = coder.finish();
    let length = HEAD.saturating_add(coded.len());
    let mut out = Vec::with_capacity(length);
    out.extend(PACKED_MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend([0; 2]);
    out.extend(crc32fast::hash(&coded).to_le_bytes());
    out.extend((archive.len() as u64).to_le_bytes());
    out.extend((length as u64).to_le_bytes());
    out.extend(crc32fast::hash(&out).to_le_bytes());
    out.extend(coded);
    let believed = archive.len() as u64 <= most_unpacked(out.len() as u64);
    Ok((believed && out.len() < archive.len()).then_some(out))
}

/// The bytes that a clip takes in a packed archive of its own, what stands around it left out. `None` if it
/// is none of rows that can be stored as integers.
#[must_use]
pub fn clip_bytes(clip: &[u8]) -> Option<usize> {
    let mut integers = RowsIntegers::read(clip)?;
    let mut coder = Encoder::new();
    let section = integers.name.clone();
    RowsModel::new().code(&mut coder, &mut integers, clip.len(), &section)?;
    Some(coder.finish().len().saturating_add(section.len()))
}

/// How large a packed archive of this length may become.
fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(MOST_TIMES).saturating_add(MOST_MORE)
}

/// Unpacks an archive that [`pack`] made.
///
/// # Errors
///
/// [`ArchiveError::NotAnArchive`] if it is not packed, or what is wrong with it.
pub fn unpack(bytes: &[u8], limits: &Limits) -> Result<AlignedBytes> {
    let head = PackedHead::read(bytes, limits)?;
    let (length, offset) = (bytes.len() as u64, HEAD as u64);
    if length < head.packed {
        return Err(ArchiveError::Truncated {
            offset: 0,
            what: "the archive",
            needed: head.packed,
            left: length,
        });
    }
    if length > head.packed {
        let reason = "bytes after the end of the archive".into();
        return Err(ArchiveError::Format { offset: head.packed, reason });
    }
    let coded = bytes.get(HEAD..).unwrap_or_default();
    let computed = crc32fast::hash(coded);
    if computed != head.checksum {
        let (what, stored) = ("what is packed", head.checksum);
        return Err(ArchiveError::Checksum { offset, what, stored, computed });
    }
    let wrong = |reason: &str| ArchiveError::Format { offset, reason: reason.into() };
    let mut coder = Decoder::new(coded);
    let mut models = Models::new();
    let minor = coder.even(16, 0) as u16;
    let count = models.counts.code(&mut coder, 0);
    limits.check(offset, "the count of sections", u64::from(count), u64::from(limits.max_sections))?;
    let table = u64::from(count).saturating_mul(ENTRY_BYTES as u64).saturating_add(HEADER_BYTES as u64);
    let too_long = || wrong("the sections are longer than the header says");
    let mut left = head.unpacked.checked_sub(table).ok_or_else(too_long)?;
    let mut entries = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let mut entry = Entry::default();
        models
            .entry(&mut coder, &mut entry, left)
            .ok_or_else(|| wrong("the name of a section is no text"))?;
        left = left.checked_sub(entry.name.len() as u64).ok_or_else(too_long)?;
        entries.push(entry);
    }
    let end_of_table = head.unpacked.saturating_sub(left);
    let mut end = end_of_table;
    let mut starts = Vec::with_capacity(entries.len());
    for entry in &entries {
        let start = layout::align(end);
        starts.push(start);
        end = start.saturating_add(entry.length);
    }
    if layout::align(end) != head.unpacked {
        return Err(wrong("the sections are not as long as the header says"));
    }
    let mut out = AlignedBytes::default();
    let all = out.grow(usize::try_from(head.unpacked).unwrap_or(usize::MAX));
    let (mut lines, mut names) = (HEADER_BYTES, table as usize);
    for (entry, start) in entries.iter().zip(starts) {
        // Both are below the length, which memory was found for.
        let range = start as usize..start.saturating_add(entry.length) as usize;
        let bytes = all.get_mut(range).ok_or_else(too_long)?;
        let read = models.section(&mut coder, Form::Bytes, &mut RowsIntegers::default(), entry, bytes);
        read.ok_or_else(|| wrong("what is packed makes no clip"))?;
        let line = entry.line(start, crc32fast::hash(bytes));
        lines = put(all, lines, &line).ok_or_else(too_long)?;
        names = put(all, names, entry.name.as_bytes()).ok_or_else(too_long)?;
    }
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..10].copy_from_slice(&MAJOR_VERSION.to_le_bytes());
    header[10..12].copy_from_slice(&minor.to_le_bytes());
    header[12..16].copy_from_slice(&count.to_le_bytes());
    header[16..24].copy_from_slice(&head.unpacked.to_le_bytes());
    header[24..28].copy_from_slice(&(end_of_table.saturating_sub(table) as u32).to_le_bytes());
    let after = all.get(HEADER_BYTES..end_of_table as usize).ok_or_else(too_long)?;
    let checksum = crc32fast::hash(after);
    header[28..32].copy_from_slice(&checksum.to_le_bytes());
    let checksum = crc32fast::hash(&header[..60]);
    header[60..].copy_from_slice(&checksum.to_le_bytes());
    put(all, 0, &header).ok_or_else(too_long)?;
    Ok(out)
}

/// Puts bytes at a place and gives the place after them. `None` if there is no room.
fn put(all: &mut [u8], at: usize, bytes: &[u8]) -> Option<usize> {
    let end = at.checked_add(bytes.len())?;
    all.get_mut(at..end)?.copy_from_slice(bytes);
    Some(end)
}

impl Entry {
    fn of(section: &Section<'_>) -> Self {
        Self {
            kind: section.kind.code(),
            version: section.version,
            flags: section.flags,
            name: section.name.into(),
            length: section.payload.len() as u64,
        }
    }

    /// Its line in the table.
    fn line(&self, start: u64, checksum: u32) -> [u8; ENTRY_BYTES] {
        let mut line = [0; ENTRY_BYTES];
        line[..4].copy_from_slice(&self.kind.to_le_bytes());
        line[4..6].copy_from_slice(&self.version.to_le_bytes());
        line[6..8].copy_from_slice(&self.flags.to_le_bytes());
        line[8..16].copy_from_slice(&start.to_le_bytes());
        line[16..24].copy_from_slice(&self.length.to_le_bytes());
        line[24..28].copy_from_slice(&checksum.to_le_bytes());
        line[28..].copy_from_slice(&(self.name.len() as u32).to_le_bytes());
        line
    }
}

/// What stands before what is coded.
pub(super) struct PackedHead {
    checksum: u32,
    unpacked: u64,
    /// Bytes of the packed archive.
    pub packed: u64,
}

impl PackedHead {
    /// Bytes that it takes.
    #[cfg(feature = "std")]
    pub const BYTES: usize = HEAD;

    /// Reads and checks it; the rest need not be there.
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self> {
        if !is_packed(bytes) {
            return Err(ArchiveError::NotAnArchive);
        }
        let mut at = Cursor::new(bytes, PACKED_MAGIC.len() as u64);
        let found = at.u16("the version")?;
        if found != VERSION {
            return Err(ArchiveError::Version { offset: 8, what: "the packed archive", found, known: "1" });
        }
        let reserved = at.u16("the header")?;
        let checksum = at.u32("the checksum of what is packed")?;
        let unpacked = at.u64("the length of the archive")?;
        let packed = at.u64("the length of the packed archive")?;
        let stored = at.u32("the header's checksum")?;
        let computed = crc32fast::hash(bytes.get(..const { HEAD - 4 }).unwrap_or_default());
        if computed != stored {
            return Err(ArchiveError::Checksum { offset: 0, what: "the header", stored, computed });
        }
        if reserved != 0 {
            return Err(ArchiveError::Format { offset: 10, reason: "bytes 10 and 11 are not zero".into() });
        }
        limits.check(
            16,
            "the length of the archive",
            unpacked,
            limits.max_bytes.min(most_unpacked(packed)),
        )?;
        limits.check(24, "the length of the packed archive", packed, limits.max_bytes)?;
        if packed < HEAD as u64 {
            return Err(ArchiveError::Format {
                offset: 24,
                reason: "the header is longer than the file".into(),
            });
        }
        Ok(Self { checksum, unpacked, packed })
    }
}
