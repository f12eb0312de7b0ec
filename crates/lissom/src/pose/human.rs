//! What a skeleton tells of a human at rest: its bones, where they are, and where it faces.

use super::RigError;
use crate::{
    Skeleton,
    bones::{Bone, BoneMap, Part, Side},
    job::{LocalToModelJob, Models, kernel::turn::direction},
};
use alloc::{vec, vec::Vec};
use lissom_math::{
    Mat34, Vec3,
    scalar::{add, cross, scale, sub},
};

pub(super) struct Human {
    bones: BoneMap,
    /// In model space, at rest.
    pub models: Vec<Mat34>,
    pub forward: Vec3,
}

/// The matrices of the rest pose.
pub(crate) fn rest_models(skeleton: &Skeleton) -> Vec<Mat34> {
    let mut models = vec![Mat34::IDENTITY; skeleton.joint_count()];
    let job = LocalToModelJob::new(skeleton, skeleton.rest_pose(), &mut []);
    // It cannot fail: there is room.
    let _ = LocalToModelJob { models: Models::Mat34(&mut models), ..job }.run();
    models
}

impl Human {
    /// # Errors
    ///
    /// [`RigError::Bones`]: hips, legs and feet tell where it faces.
    pub fn new(skeleton: &Skeleton) -> Result<Self, RigError> {
        let bones = BoneMap::guess(skeleton);
        let mut human = Self { bones, models: rest_models(skeleton), forward: Vec3::Z };
        let [left, right] =
            [Side::Left, Side::Right].map(|side| human.bones(&[Part::UpperLeg, Part::Foot], side));
        let (left, right) = (left?, right?);
        let place = |joint: usize| human.models[joint].translation();
        let side = sub(place(left[0]), place(right[0]));
        let up = sub(add(place(left[0]), place(right[0])), add(place(left[1]), place(right[1])));
        // Who faces z with y up has its left along x.
        human.forward = direction(cross(side, scale(up, 0.5))).unwrap_or(Vec3::Z);
        Ok(human)
    }

    /// The joints of these bones.
    ///
    /// # Errors
    ///
    /// [`RigError::Bones`] with all that are missing.
    pub fn bones(&self, parts: &[Part], side: Side) -> Result<Vec<usize>, RigError> {
        let bone = |part: &Part| Bone { part: *part, side };
        let missing: Vec<Bone> =
            parts.iter().map(bone).filter(|bone| !self.bones.joints.contains_key(bone)).collect();
        if missing.is_empty() {
            return Ok(parts.iter().map(|part| self.bones.joints[&bone(part)]).collect());
        }
        Err(RigError::Bones { bones: missing })
    }

    /// How high the floor is below a leg: at 0, or at the lowest joint of the foot if that is further off than a sixth of the leg.
    pub fn floor(&self, skeleton: &Skeleton, hip: usize, ankle: usize) -> f32 {
        let height = |joint: usize| self.models[joint].translation().y;
        let lowest =
            skeleton.subtree(ankle).map(height).fold(height(ankle), |a, b| if b < a { b } else { a });
        let leg = height(hip) - height(ankle);
        if lowest.abs() * 6.0 < leg.abs() { 0.0 } else { lowest }
    }

    pub fn bone(&self, part: Part, side: Side) -> Option<usize> {
        self.bones.joints.get(&Bone { part, side }).copied()
    }
}
