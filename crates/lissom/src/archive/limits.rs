//! How much an archive may ask for.

use super::ArchiveError;

/// What an archive may be, at most. Reading one never reserves more than a few times its bytes in any case;
/// limits keep a valid but huge file out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of the whole archive. Default: 4 GiB.
    pub max_bytes: u64,
    /// Sections. Default: 65,536.
    pub max_sections: u32,
    /// Bytes of all section names together. Default: 16 MiB.
    pub max_name_bytes: u32,
    /// Joints of a skeleton. Default: [`crate::MAX_JOINTS`].
    pub max_joints: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 1 << 32,
            max_sections: 1 << 16,
            max_name_bytes: 1 << 24,
            max_joints: crate::MAX_JOINTS as u32,
        }
    }
}

impl Limits {
    pub(super) fn check(
        &self,
        offset: u64,
        what: &'static str,
        found: u64,
        allowed: u64,
    ) -> Result<(), ArchiveError> {
        if found > allowed { Err(ArchiveError::Limit { offset, what, found, allowed }) } else { Ok(()) }
    }
}
