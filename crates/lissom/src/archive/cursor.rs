//! Reading numbers from untrusted bytes.

use super::{ArchiveError, Result};

/// A position in a file. Errors name it as an offset in the file.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8], at: u64) -> Self {
        Self { bytes, at }
    }

    pub(super) fn offset(&self) -> u64 {
        self.at
    }

    pub(super) fn take(&mut self, count: u64, what: &'static str) -> Result<&'a [u8]> {
        let range = || {
            let start = usize::try_from(self.at).ok()?;
            self.bytes.get(start..start.checked_add(usize::try_from(count).ok()?)?)
        };
        let Some(taken) = range() else {
            let left = (self.bytes.len() as u64).saturating_sub(self.at);
            return Err(ArchiveError::Truncated { offset: self.at, what, needed: count, left });
        };
        self.at = self.at.saturating_add(count);
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N as u64, what)?);
        Ok(out)
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    pub(super) fn f32(&mut self, what: &'static str) -> Result<f32> {
        Ok(f32::from_bits(self.u32(what)?))
    }

    pub(super) fn text(&mut self, count: u64, what: &'static str) -> Result<&'a str> {
        let offset = self.at;
        let bytes = self.take(count, what)?;
        core::str::from_utf8(bytes)
            .map_err(|_| ArchiveError::Format { offset, reason: alloc::format!("{what} is not UTF-8") })
    }

    /// How many of `count` things of at least `each` bytes there can be: what may be reserved for them.
    pub(super) fn room(&self, count: u32, each: u64) -> usize {
        let left = (self.bytes.len() as u64).saturating_sub(self.at);
        let most = left.checked_div(each).unwrap_or_default();
        usize::try_from(most.min(u64::from(count))).unwrap_or_default()
    }

    /// A text and, before it, its length.
    pub(super) fn long_text(&mut self, what: &'static str) -> Result<&'a str> {
        let count = self.u32(what)?;
        self.text(u64::from(count), what)
    }

    pub(super) fn floats<const N: usize>(&mut self, what: &'static str) -> Result<[f32; N]> {
        let offset = self.at;
        let mut out = [0.0; N];
        for number in &mut out {
            *number = self.f32(what)?;
        }
        if out.iter().all(|v| v.is_finite()) {
            return Ok(out);
        }
        Err(ArchiveError::Format { offset, reason: alloc::format!("{what} is not finite") })
    }

    /// Refuses what is left over.
    pub(super) fn end(&self) -> Result<()> {
        let (end, length) = (self.at, self.bytes.len() as u64);
        if end == length {
            return Ok(());
        }
        let reason = alloc::format!("what is known ends at {end}, the section at {length}");
        Err(ArchiveError::Format { offset: end, reason })
    }
}
