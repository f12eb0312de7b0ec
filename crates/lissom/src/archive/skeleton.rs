//! The skeleton section, version 1: joint count (u32), length of the names (u32), identity (u64), then per
//! joint ten floats of rest pose (translation, rotation x y z w, scale), then the parents (u16, 0xffff for a
//! root), zeros up to a multiple of 4, then where each name ends (u32), then the names (UTF-8).

use super::{
    ArchiveError, ArchiveView, Limits, Result, Section, SectionKind,
    cursor::Cursor,
    layout::{NO_PARENT, SKELETON_VERSION},
};
use crate::{Skeleton, SkeletonParts};
use alloc::{format, vec::Vec};
use lissom_math::Transform;

/// Bytes of a joint, without its name.
const JOINT_BYTES: u64 = 40 + 2 + 4;

impl ArchiveView<'_> {
    /// Reads the skeleton of this name.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn skeleton(&self, name: &str, limits: &Limits) -> Result<Skeleton> {
        self.find(SectionKind::Skeleton, name)?.skeleton(limits)
    }
}

impl Section<'_> {
    /// Reads the skeleton that this section holds.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; otherwise what is wrong with it.
    pub fn skeleton(&self, limits: &Limits) -> Result<Skeleton> {
        if self.kind != SectionKind::Skeleton {
            let reason = format!("a {:?} section is not a skeleton", self.kind);
            return Err(ArchiveError::Format { offset: self.offset, reason });
        }
        if self.version != SKELETON_VERSION {
            let (offset, what, found, known) = (self.offset, "a skeleton", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        read(self, limits).map_err(|error| match error {
            // Offsets in the payload become offsets in the file.
            ArchiveError::Truncated { offset, what, needed, left } => {
                ArchiveError::Truncated { offset: self.offset.saturating_add(offset), what, needed, left }
            }
            ArchiveError::Format { offset, reason } => {
                ArchiveError::Format { offset: self.offset.saturating_add(offset), reason }
            }
            ArchiveError::Limit { offset, what, found, allowed } => {
                ArchiveError::Limit { offset: self.offset.saturating_add(offset), what, found, allowed }
            }
            other => other,
        })
    }
}

fn read(section: &Section<'_>, limits: &Limits) -> Result<Skeleton> {
    let bytes = section.payload;
    let mut at = Cursor::new(bytes, 0);
    let joints = at.u32("the count of joints")?;
    let name_bytes = at.u32("the length of the names")?;
    let identity = at.u64("the identity")?;
    limits.check(0, "the count of joints", u64::from(joints), u64::from(limits.max_joints))?;
    let padding = u64::from(joints % 2).saturating_mul(2);
    let needed = u64::from(joints)
        .saturating_mul(JOINT_BYTES)
        .saturating_add(padding)
        .saturating_add(u64::from(name_bytes));
    let left = (bytes.len() as u64).saturating_sub(at.offset());
    if needed != left {
        let reason = format!("{joints} joints need {needed} bytes, but {left} follow");
        return Err(ArchiveError::Format { offset: 0, reason });
    }
    // From here on the bytes are there; reserve.
    let count = joints as usize;
    let mut rest = Vec::with_capacity(count);
    for _ in 0..count {
        let mut values = [0.0; 10];
        for value in &mut values {
            *value = at.f32("the rest pose")?;
        }
        rest.push(Transform::from_array(values));
    }
    let mut parents = Vec::with_capacity(count);
    for _ in 0..count {
        let parent = at.u16("a parent")?;
        parents.push((parent != NO_PARENT).then_some(parent));
    }
    let padding_at = at.offset();
    if at.take(padding, "the padding")?.iter().any(|b| *b != 0) {
        let reason = "the padding after the parents is not zero".into();
        return Err(ArchiveError::Format { offset: padding_at, reason });
    }
    let ends_at = at.offset();
    let mut ends = Vec::with_capacity(count);
    for _ in 0..count {
        ends.push(at.u32("the end of a name")?);
    }
    let all = at.text(u64::from(name_bytes), "the names")?;
    let mut names: Vec<&str> = Vec::with_capacity(count);
    let mut start = 0;
    for end in ends {
        let end = end as usize;
        let name = all.get(start..end).ok_or_else(|| ArchiveError::Format {
            offset: ends_at,
            reason: format!("a name from {start} to {end} is not in the {name_bytes} bytes of names"),
        })?;
        names.push(name);
        start = end;
    }
    if start != all.len() {
        let reason = format!("the names end at {start}, not at {name_bytes}");
        return Err(ArchiveError::Format { offset: ends_at, reason });
    }
    let offset = section.offset;
    let skeleton = Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest })
        .map_err(|source| ArchiveError::Skeleton { offset, source })?;
    if skeleton.identity() != identity {
        let reason = format!("the identity is {identity:016x}, but it is {:016x}", skeleton.identity());
        return Err(ArchiveError::Format { offset: 8, reason });
    }
    Ok(skeleton)
}

#[cfg(feature = "std")]
impl Skeleton {
    /// Reads an archive and takes its first skeleton. No more of the reader is used than the archive.
    ///
    /// # Errors
    ///
    /// What is wrong with the archive or the skeleton, or that there is none.
    pub fn load(reader: &mut impl std::io::Read, limits: &Limits) -> Result<Self> {
        let bytes = super::AlignedBytes::read_from(reader, limits)?;
        ArchiveView::read(&bytes, limits)?.first(SectionKind::Skeleton)?.skeleton(limits)
    }
}
