//! Lists of plain numbers in a section, used where they stand.

use super::{ArchiveError, Result, Section, cursor::Cursor};
use alloc::format;
use bytemuck::Pod;

/// Lists of a section, one after another, each at a multiple of `alignment` in the section.
pub(super) struct Lists<'s, 'a> {
    section: &'s Section<'a>,
    at: Cursor<'a>,
    alignment: u64,
}

impl<'s, 'a> Lists<'s, 'a> {
    pub(super) fn new(section: &'s Section<'a>, alignment: u64) -> Self {
        Self { section, at: Cursor::new(section.payload, 0), alignment }
    }

    pub(super) fn count(&mut self, what: &'static str) -> Result<u32> {
        self.at.u32(what)
    }

    pub(super) fn float(&mut self, what: &'static str) -> Result<f32> {
        self.at.f32(what)
    }

    pub(super) fn identity(&mut self) -> Result<u64> {
        self.at.u64("the skeleton's identity")
    }

    pub(super) fn text(&mut self, what: &'static str) -> Result<&'a str> {
        self.at.long_text(what)
    }

    pub(super) fn next<T: Pod>(&mut self, count: u64, what: &'static str) -> Result<&'a [T]> {
        let start = self.section.offset.saturating_add(self.at.offset());
        let at = self.at.offset();
        let gap = at.checked_next_multiple_of(self.alignment).unwrap_or(at).saturating_sub(at);
        if self.at.take(gap, "the padding")?.iter().any(|b| *b != 0) {
            let reason = format!("the padding before {what} is not zero");
            return Err(ArchiveError::Format { offset: start, reason });
        }
        let bytes = self.at.take(count.saturating_mul(size_of::<T>() as u64), what)?;
        if bytes.is_empty() {
            return Ok(&[]);
        }
        bytemuck::try_cast_slice(bytes).map_err(|_| ArchiveError::Alignment {
            offset: start.saturating_add(gap),
            what,
            needed: align_of::<T>(),
        })
    }

    pub(super) fn end(&self) -> Result<()> {
        let (end, length) = (self.at.offset(), self.section.payload.len() as u64);
        if end == length {
            return Ok(());
        }
        let reason = format!("the lists end at {end}, the section at {length}");
        Err(ArchiveError::Format { offset: self.section.offset, reason })
    }
}
