//! Levels of detail: which joints a job computes.

use super::JobError;
use crate::{JointMask, Skeleton};
use lissom_math::soa::{GROUP, group_count};

/// The joints that a character at a distance still needs: a prefix of the skeleton, or a mask.
///
/// Jobs leave out what is outside: sampling and blending skip groups of 16 joints that hold none of the
/// level (and compute the whole group otherwise), local-to-model skips joint by joint. What is skipped
/// stays as it was in the output, so buffers that start as the rest pose keep it there.
///
/// Every joint of a level has its parent in the level: any prefix has that by itself, a mask is checked
/// when the level is made. Depth-first order makes a prefix cut whole limbs from the end; sort what matters
/// least to the end of the raw skeleton, or use a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointLod(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Prefix(usize),
    Mask(JointMask),
}

impl JointLod {
    /// The first `joints` joints. More than the skeleton has means all.
    #[must_use]
    pub const fn prefix(joints: usize) -> Self {
        Self(Kind::Prefix(joints))
    }

    /// The joints of a mask.
    ///
    /// # Errors
    ///
    /// [`JobError::Mismatch`] if the mask is for another number of joints, [`JobError::LodParent`] if a
    /// joint is in the mask and its parent is not.
    pub fn from_mask(skeleton: &Skeleton, mask: JointMask) -> Result<Self, JobError> {
        let (found, expected) = (mask.joint_count(), skeleton.joint_count());
        if found != expected {
            return Err(JobError::Mismatch { field: "mask", unit: "joints", found, expected });
        }
        for joint in mask.iter() {
            if let Some(parent) = skeleton.parent(joint).filter(|p| !mask.contains(*p)) {
                return Err(JobError::LodParent { joint, parent });
            }
        }
        Ok(Self(Kind::Mask(mask)))
    }

    /// True if the level has this joint.
    #[inline]
    #[must_use]
    pub fn contains(&self, joint: usize) -> bool {
        match &self.0 {
            Kind::Prefix(n) => joint < *n,
            Kind::Mask(mask) => mask.contains(joint),
        }
    }

    /// True if the level has a joint in this group of 16.
    #[inline]
    #[must_use]
    pub fn contains_group(&self, group: usize) -> bool {
        self.lanes(group) != 0
    }

    /// The joints of a group of 16 that the level has, one bit each.
    #[inline]
    #[must_use]
    pub(crate) fn lanes(&self, group: usize) -> u32 {
        match &self.0 {
            Kind::Prefix(n) => {
                let here = n.saturating_sub(group * GROUP);
                if here < GROUP { (1 << here) - 1 } else { u32::from(u16::MAX) }
            }
            Kind::Mask(mask) => mask.lanes(group),
        }
    }

    /// The joint itself, or the nearest one above it that the level has; `None` if there is none. Panics if
    /// the skeleton has no such joint.
    ///
    /// A mesh that is skinned at this level maps its joints through this: a finger that is left out moves
    /// with the hand (use the hand's inverse bind matrix too).
    #[must_use]
    pub fn nearest(&self, skeleton: &Skeleton, joint: usize) -> Option<usize> {
        core::iter::successors(Some(joint), |j| skeleton.parent(*j)).find(|j| self.contains(*j))
    }

    /// Fails if the level was made for another skeleton.
    pub(crate) fn validate(&self, joints: usize) -> Result<(), JobError> {
        match &self.0 {
            Kind::Mask(mask) if mask.joint_count() != joints => Err(JobError::Mismatch {
                field: "lod",
                unit: "joints",
                found: mask.joint_count(),
                expected: joints,
            }),
            _ => Ok(()),
        }
    }

    /// The same where only the number of groups is known.
    pub(crate) fn validate_groups(&self, groups: usize) -> Result<(), JobError> {
        match &self.0 {
            Kind::Mask(mask) if group_count(mask.joint_count()) != groups => Err(JobError::Mismatch {
                field: "lod",
                unit: "groups",
                found: group_count(mask.joint_count()),
                expected: groups,
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SkeletonParts;
    use lissom_math::Transform;

    fn chain(n: u16) -> Skeleton {
        let parents: Vec<_> = (0..n).map(|j| j.checked_sub(1)).collect();
        let names = alloc::vec![""; usize::from(n)];
        let rest = alloc::vec![Transform::IDENTITY; usize::from(n)];
        Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).unwrap()
    }

    #[test]
    fn a_level_keeps_the_parents_of_what_it_keeps() {
        let s = chain(40);
        let mut mask = JointMask::none(&s);
        mask.insert(0);
        mask.insert(2);
        assert_eq!(JointLod::from_mask(&s, mask.clone()), Err(JobError::LodParent { joint: 2, parent: 1 }));
        mask.insert(1);
        let lod = JointLod::from_mask(&s, mask.clone()).unwrap();
        assert!(lod.contains_group(0) && !lod.contains_group(1) && !lod.contains_group(2));
        assert_eq!(lod.nearest(&s, 30), Some(2));
        assert_eq!(
            JointLod::from_mask(&chain(3), mask),
            Err(JobError::Mismatch { field: "mask", unit: "joints", found: 40, expected: 3 })
        );
        let lod = JointLod::prefix(17);
        assert!(lod.contains_group(1) && !lod.contains_group(2));
        assert!(lod.contains(16) && !lod.contains(17));
    }
}
