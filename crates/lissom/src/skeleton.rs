//! The skeleton: joints, names, rest pose.
//!
//! Joints stand in **depth-first** order, parents before children. So a subtree is a contiguous range
//! (masks, partial updates and "everything below this joint" are slices) and any prefix still holds the
//! parents of everything in it (a level of detail). In that order a joint often waits for the one just before
//! it, its parent; so local-to-model walks a list of the joints level by level, which is made with the
//! skeleton.

use crate::hash::Fnv64;
use alloc::{boxed::Box, string::String, vec::Vec};
use core::ops::Range;
use lissom_math::{
    Transform,
    scalar::quat_dot,
    soa::{self, SoaTransform},
};

/// The most joints a skeleton can have: parents are 15-bit, and one value says "none".
pub const MAX_JOINTS: usize = 0x7fff;

/// The parent bits of a root.
const NO_PARENT: u16 = 0x7fff;
const LEAF: u16 = 0x8000;

/// A hierarchy of named joints with a rest pose. Immutable; made by `lissom_build::SkeletonBuilder`, by
/// loading an archive, or from [`SkeletonParts`].
#[derive(Clone, Debug)]
pub struct Skeleton {
    /// Two bytes a joint: 15 bits of parent, 1 bit "leaf".
    joints: Box<[u16]>,
    rest: Box<[SoaTransform]>,
    names: Box<str>,
    /// Where each name ends in `names`.
    name_ends: Box<[u32]>,
    /// Joint indices sorted by name, then by index.
    by_name: Box<[u16]>,
    /// All joints level by level, the roots first.
    by_depth: Box<[Link]>,
    root_count: u16,
    identity: u64,
}

/// A joint and its parent; 4 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub joint: u16,
    /// [`NO_PARENT`] for a root.
    pub parent: u16,
}

/// What a skeleton is made from. All three slices have one entry a joint.
#[derive(Clone, Copy, Debug)]
pub struct SkeletonParts<'a, N: AsRef<str> = &'a str> {
    /// The parent of each joint, `None` for a root. Depth-first: the parent of joint j is j - 1 or one of
    /// its ancestors.
    pub parents: &'a [Option<u16>],
    /// The name of each joint. Names may repeat or be empty.
    pub names: &'a [N],
    /// The rest pose, local space; rotations of unit length.
    pub rest: &'a [Transform],
}

/// Why a skeleton could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// There is no joint.
    #[error("a skeleton needs at least one joint")]
    Empty,
    /// There are more than [`MAX_JOINTS`] joints.
    #[error("{count} joints, but at most {MAX_JOINTS} are possible")]
    TooManyJoints {
        /// How many were given.
        count: usize,
    },
    /// The slices differ in length.
    #[error("{parents} parents, {names} names and {rest} rest transforms: there must be one of each a joint")]
    Lengths {
        /// Length of the parents.
        parents: usize,
        /// Length of the names.
        names: usize,
        /// Length of the rest pose.
        rest: usize,
    },
    /// A joint stands where depth-first order does not allow it.
    #[error(
        "joint {joint} \"{name}\": its parent is {parent}, which is neither joint {joint} - 1 nor above it"
    )]
    Order {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
        /// Its parent.
        parent: usize,
    },
    /// A rest transform holds a NaN or an infinity.
    #[error("joint {joint} \"{name}\": its rest transform is not finite")]
    NotFinite {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// A rest rotation is not of unit length.
    #[error("joint {joint} \"{name}\": its rest rotation has the squared length {length_squared}, not 1")]
    NotUnit {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
        /// The squared length found.
        length_squared: f32,
    },
    /// All names together are longer than 4 GiB.
    #[error("the names are longer than 4 GiB together")]
    NamesTooLong,
}

impl Skeleton {
    /// Checks the parts and makes the skeleton.
    ///
    /// # Errors
    ///
    /// Every case of [`SkeletonError`]; the first offending joint is named.
    pub fn new<N: AsRef<str>>(parts: SkeletonParts<'_, N>) -> Result<Self, SkeletonError> {
        let SkeletonParts { parents, names, rest } = parts;
        let count = parents.len();
        if names.len() != count || rest.len() != count {
            return Err(SkeletonError::Lengths { parents: count, names: names.len(), rest: rest.len() });
        }
        if count == 0 {
            return Err(SkeletonError::Empty);
        }
        if count > MAX_JOINTS {
            return Err(SkeletonError::TooManyJoints { count });
        }
        let name = |joint: usize| String::from(names[joint].as_ref());
        for (joint, t) in rest.iter().enumerate() {
            if !t.is_finite() {
                return Err(SkeletonError::NotFinite { joint, name: name(joint) });
            }
            let length_squared = quat_dot(t.rotation, t.rotation);
            if (length_squared - 1.0).abs() > 1.0e-3 {
                return Err(SkeletonError::NotUnit { joint, name: name(joint), length_squared });
            }
        }

        let mut joints: Vec<u16> = alloc::vec![NO_PARENT | LEAF; count];
        for (j, parent) in parents.iter().enumerate() {
            let Some(p) = *parent else { continue };
            // Depth-first: walk up from the joint before; the parent must be on the way.
            let mut above = j.checked_sub(1);
            while let Some(a) = above {
                if a == usize::from(p) {
                    break;
                }
                above = parents[a].map(usize::from);
            }
            if above.is_none() {
                return Err(SkeletonError::Order { joint: j, name: name(j), parent: usize::from(p) });
            }
            joints[j] = p | LEAF;
            joints[usize::from(p)] &= !LEAF;
        }

        let mut all_names = String::new();
        let mut name_ends = Vec::with_capacity(count);
        for n in names {
            all_names.push_str(n.as_ref());
            name_ends.push(u32::try_from(all_names.len()).map_err(|_| SkeletonError::NamesTooLong)?);
        }
        let mut by_name: Vec<u16> = (0..count as u16).collect();
        by_name.sort_by_key(|j| (names[usize::from(*j)].as_ref(), *j));

        let mut hash = Fnv64::new().u32(count as u32);
        for j in 0..count {
            hash = hash.u32(u32::from(joints[j])).u32(names[j].as_ref().len() as u32);
            hash = hash.bytes(names[j].as_ref().as_bytes());
            hash = rest[j].to_array().into_iter().fold(hash, Fnv64::f32);
        }

        Ok(Self {
            by_depth: level_by_level(parents).into(),
            root_count: parents.iter().filter(|p| p.is_none()).count() as u16,
            joints: joints.into(),
            rest: soa::from_transforms(rest).into(),
            names: all_names.into(),
            name_ends: name_ends.into(),
            by_name: by_name.into(),
            identity: hash.finish(),
        })
    }

    /// How many joints.
    #[inline]
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// How many groups a pose of this skeleton has.
    #[inline]
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.rest.len()
    }

    /// The rest pose, local space; spare lanes are the identity.
    #[inline]
    #[must_use]
    pub fn rest_pose(&self) -> &[SoaTransform] {
        &self.rest
    }

    /// The rest transform of one joint. Panics if there is no such joint.
    #[must_use]
    pub fn rest(&self, joint: usize) -> Transform {
        assert!(joint < self.joint_count(), "joint {joint} of {}", self.joint_count());
        soa::lane(&self.rest, joint)
    }

    /// The parent, `None` for a root. Panics if there is no such joint.
    #[inline]
    #[must_use]
    pub fn parent(&self, joint: usize) -> Option<usize> {
        let p = self.joints[joint] & !LEAF;
        (p != NO_PARENT).then_some(usize::from(p))
    }

    /// True if no joint has this one as its parent. Panics if there is no such joint.
    #[inline]
    #[must_use]
    pub fn is_leaf(&self, joint: usize) -> bool {
        self.joints[joint] & LEAF != 0
    }

    /// Two bytes a joint: the parent in the low 15 bits (0x7fff for a root), the leaf bit on top.
    #[inline]
    #[must_use]
    pub fn packed_joints(&self) -> &[u16] {
        &self.joints
    }

    /// The name of a joint. Panics if there is no such joint.
    #[must_use]
    pub fn name(&self, joint: usize) -> &str {
        let start = joint.checked_sub(1).map_or(0, |before| self.name_ends[before]);
        &self.names[start as usize..self.name_ends[joint] as usize]
    }

    /// The first joint of this name, in joint order.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.find_all(name).next()
    }

    /// All joints of this name, in joint order.
    pub fn find_all(&self, name: &str) -> impl Iterator<Item = usize> + '_ {
        let start = self.by_name.partition_point(|j| self.name(usize::from(*j)) < name);
        let len = self.by_name[start..].partition_point(|j| self.name(usize::from(*j)) == name);
        self.by_name[start..start + len].iter().map(|j| usize::from(*j))
    }

    /// The roots, in joint order.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.joint_count()).filter(|j| self.parent(*j).is_none())
    }

    /// The children of a joint, in joint order.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        self.subtree(joint).skip(1).filter(move |j| self.parent(*j) == Some(joint))
    }

    /// The joint and everything below it: a range, which is also depth-first order; reversed, every child
    /// comes before its parent. Panics if there is no such joint.
    #[must_use]
    pub fn subtree(&self, joint: usize) -> Range<usize> {
        let below = |j: &usize| self.parent(*j).is_some_and(|p| p >= joint);
        assert!(joint < self.joint_count(), "joint {joint} of {}", self.joint_count());
        joint..(joint + 1..self.joint_count()).find(|j| !below(j)).unwrap_or(self.joint_count())
    }

    /// All joints in depth-first order (which is joint order).
    #[must_use]
    pub fn depth_first(&self) -> Range<usize> {
        0..self.joint_count()
    }

    /// The roots, and all other joints level by level.
    #[inline]
    pub(crate) fn levels(&self) -> (&[Link], &[Link]) {
        self.by_depth.split_at(usize::from(self.root_count))
    }

    /// How far below its root a joint is: 0 for a root. Panics if there is no such joint.
    #[must_use]
    pub fn depth(&self, joint: usize) -> usize {
        core::iter::successors(self.parent(joint), |p| self.parent(*p)).count()
    }

    /// A number that two skeletons share only if parents, names and rest-pose bits are the same.
    #[inline]
    #[must_use]
    pub fn identity(&self) -> u64 {
        self.identity
    }
}

/// Joints level by level, from the parents alone. Parents stand before children, so one pass finds depths.
fn level_by_level(parents: &[Option<u16>]) -> Vec<Link> {
    let mut depths: Vec<u16> = Vec::with_capacity(parents.len());
    for parent in parents {
        depths.push(parent.map_or(0, |p| depths[usize::from(p)] + 1));
    }
    let link = |(joint, parent): (u16, &Option<u16>)| Link { joint, parent: parent.unwrap_or(NO_PARENT) };
    let mut order: Vec<Link> = (0..).zip(parents).map(link).collect();
    order.sort_by_key(|link| depths[usize::from(link.joint)]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_math::Quat;

    fn make(parents: &[Option<u16>], names: &[&str]) -> Result<Skeleton, SkeletonError> {
        Skeleton::new(SkeletonParts {
            parents,
            names,
            rest: &alloc::vec![Transform::IDENTITY; parents.len()],
        })
    }

    /// hips(spine(head, arm(hand)), leg), and a second root.
    fn body() -> Skeleton {
        let parents = [None, Some(0), Some(1), Some(1), Some(3), Some(0), None];
        make(&parents, &["hips", "spine", "head", "arm", "hand", "leg", "prop"]).unwrap()
    }

    #[test]
    fn a_subtree_is_a_range() {
        let s = body();
        assert_eq!(s.subtree(0), 0..6);
        assert_eq!(s.subtree(1), 1..5);
        assert_eq!(s.subtree(4), 4..5);
        assert_eq!(s.subtree(6), 6..7);
        assert_eq!(s.roots().collect::<Vec<_>>(), [0, 6]);
        assert_eq!(s.children(1).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(s.depth(4), 3);
    }

    #[test]
    fn iteration_runs_both_ways() {
        let s = body();
        assert_eq!(s.depth_first().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(s.subtree(1).rev().collect::<Vec<_>>(), [4, 3, 2, 1]);
    }

    #[test]
    fn leaves_and_parents_share_two_bytes() {
        let s = body();
        let leaves: Vec<_> = (0..7).filter(|j| s.is_leaf(*j)).collect();
        assert_eq!(leaves, [2, 4, 5, 6]);
        assert_eq!(s.packed_joints()[4], 0x8003);
        assert_eq!(s.parent(6), None);
    }

    #[test]
    fn a_name_that_repeats_finds_the_first_joint_and_then_all() {
        let s = make(&[None, Some(0), Some(1), Some(0)], &["a", "x", "", "x"]).unwrap();
        assert_eq!(s.find("x"), Some(1));
        assert_eq!(s.find_all("x").collect::<Vec<_>>(), [1, 3]);
        assert_eq!(s.find(""), Some(2));
        assert_eq!(s.find("nobody"), None);
    }

    #[test]
    fn identity_covers_parents_names_and_rest_bits() {
        let base = make(&[None, Some(0)], &["a", "b"]).unwrap().identity();
        assert_eq!(make(&[None, Some(0)], &["a", "b"]).unwrap().identity(), base);
        assert_ne!(make(&[None, None], &["a", "b"]).unwrap().identity(), base);
        assert_ne!(make(&[None, Some(0)], &["ab", ""]).unwrap().identity(), base);
        let mut rest = [Transform::IDENTITY; 2];
        rest[1].translation.x = -0.0;
        let parts = SkeletonParts { parents: &[None, Some(0)], names: &["a", "b"], rest: &rest };
        assert_ne!(Skeleton::new(parts).unwrap().identity(), base);
    }

    #[test]
    fn bad_parts_are_refused_by_joint() {
        assert_eq!(make(&[], &[]).unwrap_err(), SkeletonError::Empty);
        assert_eq!(
            make(&[Some(0)], &["self"]).unwrap_err(),
            SkeletonError::Order { joint: 0, name: "self".into(), parent: 0 }
        );
        // Breadth-first order is not ours: joint 3's parent 1 is not above joint 2.
        assert_eq!(
            make(&[None, Some(0), Some(0), Some(1)], &["a", "b", "c", "d"]).unwrap_err(),
            SkeletonError::Order { joint: 3, name: "d".into(), parent: 1 }
        );
        assert_eq!(
            make(&[None, Some(9)], &["a", "b"]).unwrap_err(),
            SkeletonError::Order { joint: 1, name: "b".into(), parent: 9 }
        );
        let many = alloc::vec![None; MAX_JOINTS + 1];
        let names = alloc::vec![""; MAX_JOINTS + 1];
        assert_eq!(make(&many, &names).unwrap_err(), SkeletonError::TooManyJoints { count: MAX_JOINTS + 1 });
        assert_eq!(
            make(&[None], &["a", "b"]).unwrap_err(),
            SkeletonError::Lengths { parents: 1, names: 2, rest: 1 }
        );

        let with = |t: Transform| {
            let parts = SkeletonParts { parents: &[None], names: &["hips"], rest: &[t] };
            Skeleton::new(parts).unwrap_err()
        };
        let mut t = Transform::IDENTITY;
        t.scale.y = f32::NAN;
        assert_eq!(with(t), SkeletonError::NotFinite { joint: 0, name: "hips".into() });
        let t = Transform::from_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        assert_eq!(with(t), SkeletonError::NotUnit { joint: 0, name: "hips".into(), length_squared: 0.0 });
    }

    #[test]
    fn the_largest_skeleton_is_made_and_walked() {
        // A chain, the deepest there is: order checks and walks must stay linear.
        let parents: Vec<_> = (0..MAX_JOINTS as u16).map(|j| j.checked_sub(1)).collect();
        let s = make(&parents, &alloc::vec![""; MAX_JOINTS]).unwrap();
        assert_eq!(s.subtree(0), 0..MAX_JOINTS);
        assert_eq!(s.depth(MAX_JOINTS - 1), MAX_JOINTS - 1);
    }
}
