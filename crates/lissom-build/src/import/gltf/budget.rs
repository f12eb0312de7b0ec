//! How much memory reading may still take.

use super::super::{ImportError, ImportLimits, Place};

/// Counts what is taken against [`ImportLimits::memory_for`] the bytes that were read, less an eighth for what is too
/// small to count. What was taken is not given back: the sum is what counts.
pub(super) struct Budget {
    limits: ImportLimits,
    read: u64,
    taken: u64,
}

impl Budget {
    pub(super) fn new(limits: &ImportLimits, read: u64) -> Self {
        Self { limits: *limits, read, taken: 0 }
    }

    pub(super) fn limits(&self) -> &ImportLimits {
        &self.limits
    }

    fn allowed(&self) -> u64 {
        let all = self.limits.memory_for(self.read);
        all.saturating_sub(all >> 3)
    }

    /// What may still be taken.
    #[cfg(feature = "draco")]
    pub(super) fn left(&self) -> u64 {
        self.allowed().saturating_sub(self.taken)
    }

    /// Another file was read: it takes memory, and gives room for what it holds.
    pub(super) fn add_file(&mut self, bytes: u64) {
        self.read = self.read.saturating_add(bytes);
        self.taken = self.taken.saturating_add(bytes);
    }

    /// True if `count` things of `each` bytes fit; then they are counted.
    pub(super) fn fits(&mut self, count: u64, each: usize) -> bool {
        let after = self.taken.saturating_add(count.saturating_mul(each as u64));
        if after > self.allowed() {
            return false;
        }
        self.taken = after;
        true
    }

    /// Counts `count` things of `each` bytes, or says that they are too many.
    pub(super) fn take(
        &mut self,
        count: u64,
        each: usize,
        place: impl FnOnce() -> Place,
    ) -> Result<(), ImportError> {
        if self.fits(count, each) {
            return Ok(());
        }
        Err(ImportError::Limit {
            place: place(),
            what: "the memory needed, in bytes,",
            found: self.taken.saturating_add(count.saturating_mul(each as u64)),
            allowed: self.allowed(),
        })
    }
}
