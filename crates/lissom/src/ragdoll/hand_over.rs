//! From a pose to bodies, and back.

use super::{Ragdoll, rigid};
use crate::{
    job::{
        JobError, decompose,
        error::{at_least, finite_number},
        kernel::turn::point,
    },
    pose::Pose,
};
use lissom_math::{
    Mat4, Mat34, Quat, Transform, Vec3,
    scalar::{quat_conjugate, quat_mul, scale, sub},
    trig,
};

/// What a frame showed of a character.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// Where the character stood: from model to world space. It turns, moves and scales evenly.
    pub world: &'a Mat34,
    /// The joints in model space: `models()` of a player or an animator.
    pub models: &'a [Mat4],
}

/// How a body starts to fall. In world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RagdollStart {
    /// Its origin and its axes; the scale is 1.
    pub place: Transform,
    /// How fast its origin goes, per second. An engine that asks for the velocity of the centre of mass takes
    /// `velocity + spin × (the way from the origin to the centre, turned by the place's rotation)`.
    pub velocity: Vec3,
    /// How fast it turns: axis times radians per second.
    pub spin: Vec3,
    /// Where its joint is in the space of the body that it hangs on, in this pose. Joints between two bodies, as collar bones, bend, so this is
    /// not quite [`RagdollJoint::anchor`](super::RagdollJoint::anchor). A joint there begins without a jump. 0 where there is no joint.
    pub anchor: Vec3,
}

impl Default for RagdollStart {
    fn default() -> Self {
        Self { place: Transform::IDENTITY, velocity: Vec3::ZERO, spin: Vec3::ZERO, anchor: Vec3::ZERO }
    }
}

impl Ragdoll {
    /// Where bodies are and how they move, from the last two frames that were shown, `dt_s` apart. One start per body.
    ///
    /// # Errors
    ///
    /// Fewer matrices than a joint needs, fewer starts than bodies; a time that is not above 0; a place that is not finite. What was written until
    /// then stays written.
    pub fn starts(
        &self,
        before: Shown<'_>,
        now: Shown<'_>,
        dt_s: f32,
        starts: &mut [RagdollStart],
    ) -> Result<(), JobError> {
        at_least("starts", "bodies", starts.len(), self.bodies.len())?;
        if !(dt_s > 0.0 && dt_s.is_finite()) {
            let (value, allowed) = (f64::from(dt_s), "finite and above 0");
            return Err(JobError::Value { field: "dt_s", index: 0, value, allowed });
        }
        let rate = 1.0 / dt_s;
        for (at, body) in self.bodies.iter().enumerate() {
            let [was, is] = [before.body(body.joint)?, now.body(body.joint)?];
            let anchor = match body.parent {
                None => Vec3::ZERO,
                Some(parent) if parent < at => {
                    let into = rigid(&starts[parent].place).inverse().unwrap_or(Mat34::IDENTITY);
                    point(&into, is.translation)
                }
                Some(parent) => {
                    return Err(JobError::NoSuchJoint { field: "parent", joint: parent, joints: at });
                }
            };
            let velocity = scale(sub(is.translation, was.translation), rate);
            let spin = scale(rotation_vector(quat_mul(is.rotation, quat_conjugate(was.rotation))), rate);
            starts[at] = RagdollStart { place: is, velocity, spin, anchor };
        }
        Ok(())
    }

    /// Puts the joints of a pose where the bodies are, in world space, one place per body; their scales do not count. Joints without a body
    /// keep their place on what they hang on.
    ///
    /// # Errors
    ///
    /// Fewer places than bodies; a number that is not finite; a joint that there is not. Joints that were moved until then stay moved.
    pub fn show(&self, pose: &mut Pose<'_>, world: &Mat34, places: &[Transform]) -> Result<(), JobError> {
        at_least("places", "bodies", places.len(), self.bodies.len())?;
        let Some(into) = world.inverse() else {
            let (value, allowed) = (f64::from(world.determinant()), "a matrix with an inverse");
            return Err(JobError::Value { field: "world", index: 0, value, allowed });
        };
        for (body, place) in self.bodies.iter().zip(places) {
            place.to_array().into_iter().try_for_each(|v| finite_number("places", v))?;
            let before = pose.local(body.joint)?;
            let above = match pose.skeleton().parent(body.joint) {
                Some(above) => pose.model(above)?.inverse(),
                None => Some(Mat34::IDENTITY),
            };
            // What has no size has no place for a joint.
            let Some(above) = above else { continue };
            let (local, _) = decompose(&above.mul(&into).mul(&rigid(place)));
            pose.set_local(body.joint, Transform { scale: before.scale, ..local })?;
        }
        Ok(())
    }
}

impl Shown<'_> {
    /// A joint in world space, without scale.
    fn body(&self, joint: usize) -> Result<Transform, JobError> {
        let Some(model) = self.models.get(joint) else {
            return Err(JobError::NoSuchJoint { field: "models", joint, joints: self.models.len() });
        };
        let world = self.world.mul(&Mat34::from_mat4(model));
        if !world.is_finite() {
            return Err(JobError::Value {
                field: "models",
                index: joint,
                value: f64::NAN,
                allowed: "finite",
            });
        }
        Ok(Transform { scale: Vec3::ONE, ..decompose(&world).0 })
    }
}

/// Axis times angle, the shorter way.
fn rotation_vector(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { Quat::from_xyzw(-q.x, -q.y, -q.z, -q.w) } else { q };
    let axis = Vec3::new(q.x, q.y, q.z);
    let sine = lissom_math::scalar::length(axis);
    if sine > 0.0 { scale(axis, 2.0 * trig::atan2(sine, q.w) / sine) } else { Vec3::ZERO }
}
