//! Bytes that start at a multiple of 64 in memory.

use alloc::vec::Vec;
use core::{fmt, ops::Deref};

use super::{ArchiveError, Limits, packed};
#[cfg(feature = "std")]
use super::{Header, layout::HEADER_BYTES, packed::PackedHead};

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Block([u8; BLOCK]);

const BLOCK: usize = 64;

/// Owned bytes that start at a multiple of 64 in memory, as a memory map does: what an archive's sections
/// hold is then aligned in memory as it is in the file.
#[derive(Clone, Default)]
pub struct AlignedBytes {
    blocks: Vec<Block>,
    length: usize,
}

impl AlignedBytes {
    /// Copies bytes.
    #[must_use]
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut out = Self::default();
        out.grow(bytes.len()).copy_from_slice(bytes);
        out
    }

    /// Copies the bytes of an archive, or unpacks them if they are packed. What they hold is not looked at.
    ///
    /// # Errors
    ///
    /// What is wrong with a packed archive.
    pub fn of_archive(bytes: &[u8], limits: &Limits) -> Result<Self, ArchiveError> {
        if packed::is_packed(bytes) { packed::unpack(bytes, limits) } else { Ok(Self::copy_of(bytes)) }
    }

    /// Makes room for `more` bytes, zero so far, and gives them.
    pub(super) fn grow(&mut self, more: usize) -> &mut [u8] {
        let start = self.length;
        self.length = start.saturating_add(more);
        self.blocks.resize(self.length.div_ceil(BLOCK), Block([0; BLOCK]));
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut self.blocks);
        all.get_mut(start..self.length).unwrap_or_default()
    }

    /// Reads one archive and not a byte more, and unpacks it if it is packed. The header is checked before
    /// anything else is read; memory grows with what arrives, not with what the header promises.
    ///
    /// # Errors
    ///
    /// What is wrong with the header; [`ArchiveError::Truncated`] if the reader ends early;
    /// [`ArchiveError::Io`] if it fails.
    #[cfg(feature = "std")]
    pub fn read_from(reader: &mut impl std::io::Read, limits: &Limits) -> Result<Self, ArchiveError> {
        let mut out = Self::default();
        // The shorter of the two headers, then the rest of the longer.
        let mut filled = out.fill(reader, PackedHead::BYTES as u64);
        let is_packed = packed::is_packed(&out);
        if filled.is_ok() && !is_packed {
            filled = out.fill(reader, (HEADER_BYTES - PackedHead::BYTES) as u64);
        }
        if matches!(filled, Err(ArchiveError::Io { .. })) {
            filled?;
        }
        // A header that is too short may be a stranger's: this says so rather than "truncated".
        let total = if is_packed {
            PackedHead::read(&out, limits)?.packed
        } else {
            Header::read(&out, limits)?.total
        };
        while (out.length as u64) < total {
            let left = total.saturating_sub(out.length as u64);
            // At least 64 KiB, at most as much again as is there.
            let more = (out.length as u64).max(1 << 16).min(left);
            out.fill(reader, more)?;
        }
        if is_packed { packed::unpack(&out, limits) } else { Ok(out) }
    }

    #[cfg(feature = "std")]
    fn fill(&mut self, reader: &mut impl std::io::Read, more: u64) -> Result<(), ArchiveError> {
        let start = self.length;
        let wanted = usize::try_from(more).unwrap_or(usize::MAX);
        let mut done = 0usize;
        let mut room = self.grow(wanted);
        let result = loop {
            if room.is_empty() {
                return Ok(());
            }
            match reader.read(room) {
                Ok(0) => break Ok(()),
                Ok(count) => {
                    done = done.saturating_add(count);
                    room = room.get_mut(count..).unwrap_or_default();
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        let offset = start.saturating_add(done) as u64;
        self.length = start.saturating_add(done);
        match result {
            Err(error) => Err(ArchiveError::Io { offset, kind: error.kind(), message: error.to_string() }),
            Ok(()) => {
                let what = "the archive";
                Err(ArchiveError::Truncated { offset: start as u64, what, needed: more, left: done as u64 })
            }
        }
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let all: &[u8] = bytemuck::cast_slice(&self.blocks);
        all.get(..self.length).unwrap_or_default()
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for AlignedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignedBytes({} bytes)", self.length)
    }
}
