//! From a raw skeleton to the one that games load.

use crate::raw::{RawSkeleton, RawSkeletonError};
use lissom::{Skeleton, SkeletonParts};

/// Makes [`Skeleton`]s.
pub struct SkeletonBuilder;

/// A skeleton, and where its joints came from.
#[derive(Clone, Debug)]
pub struct BuiltSkeleton {
    /// The skeleton, joints in depth-first order.
    pub skeleton: Skeleton,
    /// The joint that each raw joint became.
    pub joint_of_raw: Vec<usize>,
    /// The raw joint that each joint came from.
    pub raw_of_joint: Vec<usize>,
}

impl SkeletonBuilder {
    /// Checks the raw skeleton and sorts it depth-first; siblings keep their order.
    ///
    /// # Errors
    ///
    /// Whatever [`RawSkeleton::validate`] finds.
    pub fn build(raw: &RawSkeleton) -> Result<BuiltSkeleton, RawSkeletonError> {
        raw.validate()?;
        let raw_of_joint = raw.depth_first();
        let mut joint_of_raw = vec![0; raw_of_joint.len()];
        for (joint, raw) in raw_of_joint.iter().enumerate() {
            joint_of_raw[*raw] = joint;
        }
        let joints = || raw_of_joint.iter().map(|j| &raw.joints[*j]);
        let parents: Vec<_> = joints().map(|j| j.parent.map(|p| joint_of_raw[p] as u16)).collect();
        let names: Vec<_> = joints().map(|j| j.name.as_str()).collect();
        let rest: Vec<_> = joints().map(|j| j.rest.to_f32()).collect();
        let skeleton = Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest })
            .expect("a valid raw skeleton, sorted depth-first, is a skeleton");
        Ok(BuiltSkeleton { skeleton, joint_of_raw, raw_of_joint })
    }
}
