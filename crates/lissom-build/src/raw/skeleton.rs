//! Editable skeletons.

use crate::{exact::Trs, text::quote::Quote};
use lissom::{MAX_JOINTS, bones::Joints};

/// Joints in any order, each naming its parent by index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawSkeleton {
    /// The joints.
    pub joints: Vec<RawJoint>,
}

/// One joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawJoint {
    /// May repeat or be empty.
    pub name: String,
    /// Index into [`RawSkeleton::joints`], `None` for a root.
    pub parent: Option<usize>,
    /// The rest transform, in the parent's space. The rotation is normalised when built.
    pub rest: Trs,
}

/// What is wrong with a raw skeleton; the joint is named.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RawSkeletonError {
    /// There is no joint.
    #[error("a skeleton needs at least one joint")]
    Empty,
    /// There are more joints than a skeleton can have.
    #[error("{count} joints, but at most {MAX_JOINTS} are possible")]
    TooManyJoints {
        /// How many there are.
        count: usize,
    },
    /// A joint's parent does not exist.
    #[error("joint {joint} {} is an orphan: there is no joint {parent}", Quote(.name))]
    Orphan {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
        /// The parent it asks for.
        parent: usize,
    },
    /// A joint is its own ancestor.
    #[error("joint {joint} {} is its own ancestor", Quote(.name))]
    Cycle {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// A rest transform holds a NaN, an infinity, or a number beyond f32.
    #[error("joint {joint} {}: its rest transform is not finite", Quote(.name))]
    NotFinite {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// A rest rotation has no length.
    #[error("joint {joint} {}: its rest rotation has no length", Quote(.name))]
    NoRotation {
        /// The joint.
        joint: usize,
        /// Its name.
        name: String,
    },
}

impl Joints for RawSkeleton {
    fn joint_count(&self) -> usize {
        self.joints.len()
    }

    fn name(&self, joint: usize) -> &str {
        &self.joints[joint].name
    }

    fn parent(&self, joint: usize) -> Option<usize> {
        self.joints[joint].parent
    }

    fn depth_first(&self) -> Vec<usize> {
        self.depth_first()
    }
}

impl RawSkeleton {
    /// Finds the first thing that is wrong, in joint order.
    ///
    /// # Errors
    ///
    /// Every case of [`RawSkeletonError`].
    pub fn validate(&self) -> Result<(), RawSkeletonError> {
        let count = self.joints.len();
        if count == 0 {
            return Err(RawSkeletonError::Empty);
        }
        if count > MAX_JOINTS {
            return Err(RawSkeletonError::TooManyJoints { count });
        }
        for (joint, j) in self.joints.iter().enumerate() {
            let name = || j.name.clone();
            if let Some(parent) = j.parent.filter(|p| *p >= count) {
                return Err(RawSkeletonError::Orphan { joint, name: name(), parent });
            }
            let r = j.rest.rotation;
            // A rotation whose length is beyond f64 would be normalised to nothing.
            if !j.rest.is_finite() || !j.rest.to_f32().is_finite() || !r.dot(r).is_finite() {
                return Err(RawSkeletonError::NotFinite { joint, name: name() });
            }
            if r.dot(r) < 1e-12 {
                return Err(RawSkeletonError::NoRotation { joint, name: name() });
            }
        }
        self.find_cycle().map_or(Ok(()), |joint| {
            Err(RawSkeletonError::Cycle { joint, name: self.joints[joint].name.clone() })
        })
    }

    /// A joint that is its own ancestor. Walks up from every joint, never twice over the same ground.
    fn find_cycle(&self) -> Option<usize> {
        const UNSEEN: usize = usize::MAX;
        // The walk that saw a joint first; meeting one's own walk again is a cycle.
        let mut seen_by = vec![UNSEEN; self.joints.len()];
        for start in 0..self.joints.len() {
            let mut at = Some(start);
            while let Some(j) = at {
                if seen_by[j] == start {
                    return Some(j);
                }
                if seen_by[j] != UNSEEN {
                    break;
                }
                seen_by[j] = start;
                at = self.joints[j].parent;
            }
        }
        None
    }

    /// The children of every joint, then of "none" (the roots), in joint order. Invalid parents are left out.
    fn children(&self) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut children = vec![Vec::new(); self.joints.len()];
        let mut roots = Vec::new();
        for (j, joint) in self.joints.iter().enumerate() {
            match joint.parent {
                None => roots.push(j),
                Some(p) if p < children.len() => children[p].push(j),
                Some(_) => {}
            }
        }
        (children, roots)
    }

    /// Joint indices, each joint before its children, each subtree together. Joints on a cycle are not reached.
    #[must_use]
    pub fn depth_first(&self) -> Vec<usize> {
        let (children, roots) = self.children();
        let mut order = Vec::with_capacity(self.joints.len());
        let mut stack: Vec<usize> = roots.into_iter().rev().collect();
        while let Some(j) = stack.pop() {
            order.push(j);
            stack.extend(children[j].iter().rev());
        }
        order
    }

    /// Joint indices level by level. Joints on a cycle are not reached.
    #[must_use]
    pub fn breadth_first(&self) -> Vec<usize> {
        let (children, mut order) = self.children();
        let mut next = 0;
        while next < order.len() {
            order.extend_from_slice(&children[order[next]]);
            next += 1;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Q4, V3};

    fn raw(joints: &[(&str, Option<usize>)]) -> RawSkeleton {
        let joint = |(name, parent): &(&str, Option<usize>)| RawJoint {
            name: (*name).into(),
            parent: *parent,
            rest: Trs::IDENTITY,
        };
        RawSkeleton { joints: joints.iter().map(joint).collect() }
    }

    #[test]
    fn visits_reach_every_joint_from_any_storage_order() {
        let s = raw(&[("hand", Some(2)), ("hips", None), ("arm", Some(1)), ("leg", Some(1)), ("prop", None)]);
        assert_eq!(s.depth_first(), [1, 2, 0, 3, 4]);
        assert_eq!(s.breadth_first(), [1, 4, 2, 3, 0]);
        assert_eq!(s.validate(), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        use RawSkeletonError as E;
        assert_eq!(raw(&[]).validate(), Err(E::Empty));
        let orphan = raw(&[("a", None), ("b", Some(7))]);
        assert_eq!(orphan.validate(), Err(E::Orphan { joint: 1, name: "b".into(), parent: 7 }));
        let cycle = raw(&[("a", None), ("b", Some(3)), ("c", Some(1)), ("d", Some(2))]);
        assert_eq!(cycle.validate(), Err(E::Cycle { joint: 1, name: "b".into() }));
        assert_eq!(raw(&[("a", Some(0))]).validate(), Err(E::Cycle { joint: 0, name: "a".into() }));
        let many = RawSkeleton { joints: vec![RawJoint::default(); MAX_JOINTS + 1] };
        assert_eq!(many.validate(), Err(E::TooManyJoints { count: MAX_JOINTS + 1 }));

        let mut s = raw(&[("a", None), ("b", Some(0))]);
        for bad in [f64::NAN, f64::INFINITY, 1e300] {
            s.joints[1].rest.translation = V3::new(0.0, bad, 0.0);
            assert_eq!(s.validate(), Err(E::NotFinite { joint: 1, name: "b".into() }));
        }
        s.joints[1].rest = Trs { rotation: Q4::new(1e200, 0.0, 0.0, 1.0), ..Trs::IDENTITY };
        assert_eq!(s.validate(), Err(E::NotFinite { joint: 1, name: "b".into() }));
        s.joints[1].rest = Trs { rotation: Q4::new(0.0, 0.0, 0.0, 0.0), ..Trs::IDENTITY };
        assert_eq!(s.validate(), Err(E::NoRotation { joint: 1, name: "b".into() }));
    }

    #[test]
    fn a_chain_of_the_greatest_depth_is_walked_without_recursion() {
        let joints = (0..MAX_JOINTS).map(|j| RawJoint { parent: j.checked_sub(1), ..Default::default() });
        let s = RawSkeleton { joints: joints.collect() };
        assert_eq!(s.validate(), Ok(()));
        assert_eq!(s.depth_first(), s.breadth_first());
    }
}
