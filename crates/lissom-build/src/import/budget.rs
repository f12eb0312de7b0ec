//! How much memory reading may still take.

use super::{ImportError, ImportLimits, Place};

/// Counts what is taken against a share of [`ImportLimits::memory_for`] the bytes that were read. What was taken is not
/// given back: the sum is what counts.
pub(super) struct Budget {
    limits: ImportLimits,
    eighths: u64,
    read: u64,
    taken: u64,
}

impl Budget {
    /// All but an eighth, which is for what is too small to count.
    #[cfg_attr(not(feature = "gltf"), allow(dead_code, reason = "the archive reader takes a share"))]
    pub(super) fn new(limits: &ImportLimits, read: u64) -> Self {
        Self::with_eighths(limits, read, 7)
    }

    /// So many eighths; the rest is counted elsewhere, or not at all.
    pub(super) fn with_eighths(limits: &ImportLimits, read: u64, eighths: u64) -> Self {
        Self { limits: *limits, eighths, read, taken: 0 }
    }

    #[cfg_attr(not(feature = "gltf"), allow(dead_code, reason = "others have the limits at hand"))]
    pub(super) fn limits(&self) -> &ImportLimits {
        &self.limits
    }

    fn allowed(&self) -> u64 {
        (self.limits.memory_for(self.read) >> 3).saturating_mul(self.eighths)
    }

    /// What may still be taken.
    #[cfg(feature = "draco")]
    pub(super) fn left(&self) -> u64 {
        self.allowed().saturating_sub(self.taken)
    }

    /// Another file was read: it takes memory, and gives room for what it holds.
    #[cfg_attr(
        not(any(feature = "fbx", feature = "gltf")),
        allow(dead_code, reason = "only glTF and FBX files name others")
    )]
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
