//! How much an importer may take.

/// Bounds on what a file may ask for. A file beyond one is refused with [`ImportError::Limit`](super::ImportError::Limit).
///
/// The memory that reading takes is at most [`memory_for`](Self::memory_for) the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportLimits {
    /// Bytes of the file, and of each file that it names: 1 GiB.
    pub max_bytes: u64,
    /// Joints (nodes) of a skeleton: 32,767.
    pub max_joints: usize,
    /// How deep nodes may be nested: 10,000.
    pub max_depth: usize,
    /// Memory taken for each byte of the file: 256.
    pub memory_factor: u64,
    /// Memory taken on top of it: 16 MiB.
    pub memory_extra: u64,
}

impl Default for ImportLimits {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 30,
            max_joints: 0x7fff,
            max_depth: 10_000,
            memory_factor: 256,
            memory_extra: 16 << 20,
        }
    }
}

impl ImportLimits {
    /// The memory that reading `bytes` bytes may take.
    #[must_use]
    pub fn memory_for(&self, bytes: u64) -> u64 {
        bytes.saturating_mul(self.memory_factor).saturating_add(self.memory_extra)
    }
}
