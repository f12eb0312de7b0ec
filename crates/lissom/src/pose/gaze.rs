//! A head that looks at something.

use super::{Pose, RigError, human::Human};
use crate::{
    Skeleton,
    bones::{Part, Side},
    job::{AimCorrection, AimIkJob, JobError, kernel::turn::unit},
};
use alloc::vec::Vec;
use lissom_math::{Mat34, Vec3};

/// Joints that share a turn to a place: head, neck, chest.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaze {
    /// The joint that looks, then those above it that help; at most [`Gaze::MOST`]. Each with the share of what is left that it turns.
    pub joints: Vec<(usize, f32)>,
    /// Where the first joint looks, in its own space.
    pub forward: Vec3,
    /// What is up for it, in its own space.
    pub up: Vec3,
    /// Where its eyes are, in its own space.
    pub eyes: Vec3,
}

impl Gaze {
    /// The most joints.
    pub const MOST: usize = 8;

    /// Joints by name, with their shares: the one that looks first. `forward` and `up` are in its own space.
    ///
    /// # Errors
    ///
    /// A name that no joint has; joints that do not hang on each other; no joint, or more than [`Gaze::MOST`].
    pub fn new(
        skeleton: &Skeleton,
        joints: &[(&str, f32)],
        forward: Vec3,
        up: Vec3,
    ) -> Result<Self, RigError> {
        let find = |(name, share): &(&str, f32)| Ok((RigError::joint(skeleton, name)?, *share));
        let joints = joints.iter().map(find).collect::<Result<Vec<_>, RigError>>()?;
        Self { joints, forward, up, eyes: Vec3::ZERO }.checked(skeleton)
    }

    /// Head, neck and chest of a human, found by the names of joints: the head turns half of the way, the neck half of the rest, the chest a
    /// fifth of what is left.
    ///
    /// # Errors
    ///
    /// Bones that no joint is known to be.
    pub fn of(skeleton: &Skeleton) -> Result<Self, RigError> {
        let human = Human::new(skeleton)?;
        let head = human.bones(&[Part::Head], Side::Middle)?[0];
        let mut joints = alloc::vec![(head, 0.5)];
        let helpers = [(Part::Neck, 0.5), (Part::UpperChest, 0.2)];
        let helpers =
            helpers.into_iter().filter_map(|(part, share)| Some((human.bone(part, Side::Middle)?, share)));
        joints.extend(helpers.filter(|(joint, _)| skeleton.subtree(*joint).contains(&head)));
        let into = human.models[head].inverse().unwrap_or(Mat34::IDENTITY);
        let own = |v: Vec3| Vec3::from_array(into.mul_vector(v.to_array()));
        Self { joints, forward: own(human.forward), up: own(Vec3::Y), eyes: Vec3::ZERO }.checked(skeleton)
    }

    fn checked(self, skeleton: &Skeleton) -> Result<Self, RigError> {
        let found = self.joints.len();
        if !(1..=Self::MOST).contains(&found) {
            return Err(RigError::Count { what: "joints", found, allowed: "1 to 8" });
        }
        self.joints.windows(2).try_for_each(|pair| RigError::hangs(skeleton, pair[1].0, pair[0].0))?;
        Ok(self)
    }
}

impl Pose<'_> {
    /// Turns a head, and what helps it, to a place in model space, with this much of the way. True if it looks there.
    ///
    /// # Errors
    ///
    /// A number that is NaN or infinite, a direction without length; joints of another skeleton, or too many. Nothing has then changed.
    pub fn look_at(&mut self, gaze: &Gaze, target: Vec3, weight: f32) -> Result<bool, JobError> {
        let count = gaze.joints.len();
        if count > Gaze::MOST {
            let (found, expected) = (count, Gaze::MOST);
            return Err(JobError::Mismatch { field: "joints", unit: "joints", found, expected });
        }
        let mut matrices = [Mat34::IDENTITY; Gaze::MOST];
        let mut weights = [0.0; Gaze::MOST];
        for (at, (joint, share)) in gaze.joints.iter().enumerate() {
            matrices[at] = self.model(*joint)?;
            weights[at] = share * if weight.is_finite() { unit(weight) } else { weight };
            if !self.shows(&[*joint]) {
                return Ok(false);
            }
        }
        let mut found = [AimCorrection::default(); Gaze::MOST];
        let job = AimIkJob::new(&matrices[..count], &weights, target, &mut found);
        AimIkJob { forward: gaze.forward, up: gaze.up, offset: gaze.eyes, ..job }.run()?;
        for ((joint, _), found) in gaze.joints.iter().zip(&found) {
            self.turn(*joint, found.rotation)?;
        }
        Ok(count > 0 && found[count - 1].reached)
    }
}
