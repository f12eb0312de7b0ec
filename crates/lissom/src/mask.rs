//! Sets of joints.

use crate::Skeleton;
use alloc::{boxed::Box, vec::Vec};
use lissom_math::soa::{self, Lanes};

/// A set of joints of one skeleton: "the left arm and everything below it".
///
/// ```
/// # use lissom::{JointMask, Skeleton, SkeletonParts, math::Transform};
/// # let skeleton = Skeleton::new(SkeletonParts { parents: &[None, Some(0), Some(1)],
/// #     names: &["hips", "spine", "head"], rest: &[Transform::IDENTITY; 3] }).unwrap();
/// let upper = JointMask::none(&skeleton).with_subtree(&skeleton, "spine").unwrap();
/// assert_eq!(upper.iter().collect::<Vec<_>>(), [1, 2]);
/// let weights = upper.weights(1.0, 0.0);      // for a partial blend
/// assert_eq!(weights[0].0[..3], [0.0, 1.0, 1.0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointMask {
    bits: Box<[u64]>,
    count: usize,
}

impl JointMask {
    /// No joint.
    #[must_use]
    pub fn none(skeleton: &Skeleton) -> Self {
        let count = skeleton.joint_count();
        Self { bits: alloc::vec![0; count.div_ceil(64)].into(), count }
    }

    /// Every joint.
    #[must_use]
    pub fn all(skeleton: &Skeleton) -> Self {
        Self::none(skeleton).inverted()
    }

    /// Adds the first joint of this name and everything below it; `None` if there is no such joint.
    #[must_use]
    pub fn with_subtree(mut self, skeleton: &Skeleton, name: &str) -> Option<Self> {
        for joint in skeleton.subtree(skeleton.find(name)?) {
            self.insert(joint);
        }
        Some(self)
    }

    /// Takes the first joint of this name and everything below it out; `None` if there is no such joint.
    #[must_use]
    pub fn without_subtree(mut self, skeleton: &Skeleton, name: &str) -> Option<Self> {
        for joint in skeleton.subtree(skeleton.find(name)?) {
            self.remove(joint);
        }
        Some(self)
    }

    /// Adds a joint. Panics if the skeleton has no such joint.
    pub fn insert(&mut self, joint: usize) {
        assert!(joint < self.count, "joint {joint} of {}", self.count);
        self.bits[joint / 64] |= 1 << (joint % 64);
    }

    /// Takes a joint out. Panics if the skeleton has no such joint.
    pub fn remove(&mut self, joint: usize) {
        assert!(joint < self.count, "joint {joint} of {}", self.count);
        self.bits[joint / 64] &= !(1 << (joint % 64));
    }

    /// Every joint that is not in this set.
    #[must_use]
    pub fn inverted(mut self) -> Self {
        for (word, bits) in self.bits.iter_mut().enumerate() {
            let here = (self.count - word * 64).min(64);
            *bits = !*bits & (u64::MAX >> (64 - here));
        }
        self
    }

    /// The joints of a group of 16 that are in the set, one bit each; none past the last group.
    #[inline]
    #[must_use]
    pub(crate) fn lanes(&self, group: usize) -> u32 {
        let word = self.bits.get(group / 4).copied().unwrap_or(0);
        (word >> (group % 4 * soa::GROUP)) as u32 & u32::from(u16::MAX)
    }

    /// True if the joint is in the set; false for joints that do not exist.
    #[inline]
    #[must_use]
    pub fn contains(&self, joint: usize) -> bool {
        self.bits.get(joint / 64).is_some_and(|bits| bits >> (joint % 64) & 1 != 0)
    }

    /// How many joints the skeleton has.
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.count
    }

    /// How many joints are in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bits.iter().map(|b| b.count_ones() as usize).sum()
    }

    /// True if no joint is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The joints in the set, in joint order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count).filter(|j| self.contains(*j))
    }

    /// One weight a joint, in groups as a blend wants them.
    #[must_use]
    pub fn weights(&self, inside: f32, outside: f32) -> Vec<Lanes> {
        let weights: Vec<f32> =
            (0..self.count).map(|j| if self.contains(j) { inside } else { outside }).collect();
        soa::from_floats(&weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SkeletonParts;
    use lissom_math::Transform;

    #[test]
    fn masks_follow_subtrees_across_words() {
        let parents: Vec<Option<u16>> = (0..130u16)
            .map(|j| {
                if j == 0 {
                    None
                } else if j < 70 {
                    Some(j - 1)
                } else {
                    Some(0)
                }
            })
            .collect();
        let names: Vec<_> = (0..130).map(|j| alloc::format!("j{j}")).collect();
        let rest = alloc::vec![Transform::IDENTITY; 130];
        let s = Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).unwrap();

        let mask = JointMask::none(&s).with_subtree(&s, "j60").unwrap();
        assert_eq!(mask.iter().collect::<Vec<_>>(), (60..70).collect::<Vec<_>>());
        assert_eq!(mask.clone().inverted().len(), 120);
        assert_eq!(mask.clone().inverted().inverted(), mask);
        assert_eq!(JointMask::all(&s).len(), 130);
        assert!(JointMask::all(&s).without_subtree(&s, "j0").unwrap().is_empty());
        assert!(JointMask::none(&s).with_subtree(&s, "nobody").is_none());
        assert!(!mask.contains(1_000_000));
    }
}
