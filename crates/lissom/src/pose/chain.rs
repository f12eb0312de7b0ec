//! Any number of bones that reach for a place: a tail, a tentacle, a spine.

use super::{Pose, RigError};
use crate::{
    Skeleton,
    job::{ChainIkJob, ChainReport, JobError, JointLimit},
};
use alloc::vec::Vec;
use lissom_math::{Mat34, Transform, Vec3};

/// Joints that hang on each other, and how far each may turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The upper one first, each the parent of the next; 2 to [`ChainIkJob::MOST`].
    pub joints: Vec<usize>,
    /// One per joint, or none at all: all are free.
    pub limits: Vec<JointLimit>,
}

impl Chain {
    /// From a joint down to another, by name.
    ///
    /// # Errors
    ///
    /// A name that no joint has; joints that do not hang on each other; more than [`ChainIkJob::MOST`].
    pub fn new(skeleton: &Skeleton, from: &str, to: &str) -> Result<Self, RigError> {
        let [from, to] = [from, to].map(|name| RigError::joint(skeleton, name));
        let (from, to) = (from?, to?);
        RigError::hangs(skeleton, from, to)?;
        Self::above(skeleton, to, skeleton.depth(to) - skeleton.depth(from))
    }

    /// A joint and this many above it.
    ///
    /// # Errors
    ///
    /// Fewer than two joints, or more than [`ChainIkJob::MOST`].
    pub fn above(skeleton: &Skeleton, joint: usize, bones: usize) -> Result<Self, RigError> {
        let up = core::iter::successors(Some(joint), |joint| skeleton.parent(*joint));
        let mut joints: Vec<usize> = up.take(bones.saturating_add(1)).collect();
        joints.reverse();
        if !(2..=ChainIkJob::MOST).contains(&joints.len()) {
            return Err(RigError::Count { what: "joints", found: joints.len(), allowed: "2 to 64" });
        }
        Ok(Self { joints, limits: Vec::new() })
    }
}

impl Pose<'_> {
    /// Brings the end of a chain to a place in model space, with this much of the way.
    ///
    /// # Errors
    ///
    /// Those of [`ChainIkJob`]; joints of another skeleton. Nothing has then changed.
    pub fn pull(&mut self, chain: &Chain, target: Vec3, weight: f32) -> Result<ChainReport, JobError> {
        let mut report = ChainReport::default();
        let count = chain.joints.len();
        let mut locals = [Transform::IDENTITY; ChainIkJob::MOST];
        let Some(locals) = locals.get_mut(..count) else {
            let (found, expected) = (count, ChainIkJob::MOST);
            return Err(JobError::Mismatch { field: "chain", unit: "joints", found, expected });
        };
        for (local, joint) in locals.iter_mut().zip(&chain.joints) {
            *local = self.local(*joint)?;
        }
        if !self.shows(&chain.joints) {
            return Ok(report);
        }
        let parent = match chain.joints.first().and_then(|first| self.skeleton.parent(*first)) {
            Some(parent) => self.model(parent)?,
            None => Mat34::IDENTITY,
        };
        let job = ChainIkJob::new(&parent, target, locals, &mut report);
        ChainIkJob { limits: &chain.limits, weight, ..job }.run()?;
        chain.joints.iter().zip(locals).try_for_each(|(joint, local)| self.set_local(*joint, *local))?;
        Ok(report)
    }
}
