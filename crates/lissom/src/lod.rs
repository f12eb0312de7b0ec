//! Levels of detail: which joints a job computes.

use crate::{JointMask, Skeleton};
use lissom_math::soa::GROUP;

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

/// Why a mask is no level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LodError {
    /// A mask for another skeleton.
    #[error("the mask is made for {found} joints, but there are {expected}")]
    Joints {
        /// How many it is made for.
        found: usize,
        /// How many there are.
        expected: usize,
    },
    /// A level keeps a joint but not its parent.
    #[error("the level of detail keeps joint {joint}, but not its parent {parent}")]
    Parent {
        /// The joint.
        joint: usize,
        /// Its parent.
        parent: usize,
    },
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
    /// [`LodError::Joints`] if the mask is for another number of joints, [`LodError::Parent`] if a joint is
    /// in the mask and its parent is not.
    pub fn from_mask(skeleton: &Skeleton, mask: JointMask) -> Result<Self, LodError> {
        let (found, expected) = (mask.joint_count(), skeleton.joint_count());
        if found != expected {
            return Err(LodError::Joints { found, expected });
        }
        for joint in mask.iter() {
            if let Some(parent) = skeleton.parent(joint).filter(|p| !mask.contains(*p)) {
                return Err(LodError::Parent { joint, parent });
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

    /// How many joints the skeleton has that it was made for; `None` for a prefix, which fits any.
    pub(crate) fn joint_count(&self) -> Option<usize> {
        match &self.0 {
            Kind::Prefix(_) => None,
            Kind::Mask(mask) => Some(mask.joint_count()),
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
        assert_eq!(JointLod::from_mask(&s, mask.clone()), Err(LodError::Parent { joint: 2, parent: 1 }));
        mask.insert(1);
        let lod = JointLod::from_mask(&s, mask.clone()).unwrap();
        assert!(lod.contains_group(0) && !lod.contains_group(1) && !lod.contains_group(2));
        assert_eq!(lod.nearest(&s, 30), Some(2));
        assert_eq!(JointLod::from_mask(&chain(3), mask), Err(LodError::Joints { found: 40, expected: 3 }));
        let lod = JointLod::prefix(17);
        assert!(lod.contains_group(1) && !lod.contains_group(2));
        assert!(lod.contains(16) && !lod.contains(17));
    }
}
