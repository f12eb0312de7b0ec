//! A joint, or a chain of joints, that looks at a target: a head, a weapon.

use super::lanes::AimChain;
use crate::job::{
    JobError,
    error::{at_least, finite_number, finite_vector, has_direction},
    kernel::turn::{Turn, across, any_across, direction, point, share, unit, vector},
};
use lissom_math::{
    Mat34, Quat, Vec3,
    scalar::{add, dot, quat_is_finite, quat_rotate, scale},
    simd::Backend,
    trig::sqrt,
};

/// What an [`AimIkJob`] found for a joint: a rotation to multiply from the right to its local rotation,
/// `local · correction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimCorrection {
    /// Of the joint.
    pub rotation: Quat,
    /// True if, after this joint and those before it in the list, the target is looked at.
    pub reached: bool,
}

/// Turns joints, so that the last one of a chain looks at a target.
///
/// | field | | |
/// |---|---|---|
/// | `joints` | in | matrices in model space, **the one that looks first**, then joints above it, each further up: head, neck, chest |
/// | `weights` | in | one a joint, in [0, 1]: how much of what is left to turn it takes; numbers outside count as the nearer end. With 1 at the last one the target is met |
/// | `target` | in | what to look at, in model space |
/// | `forward` | in | where the first joint looks, in its space; of any length but 0 |
/// | `offset` | in | where it looks from, in its space: the eyes of a head |
/// | `up` | in | what is up, in its space |
/// | `pole` | in | where up shall be, a direction in model space |
/// | `twist` | in | radians by which up is turned away from the pole, about the line to the target |
/// | `output` | out | one correction a joint, in their order |
///
/// # What is computed
///
/// For each joint in order, in its own space, the turn after which the ray from the (corrected) offset along
/// forward meets the target and up lies on the side of the pole, and of that turn the joint's share.
/// Corrections of joints further up are found with those below already made. Within 3 degrees of the line to
/// the target a pole says little, and the present up takes part. The joints' own scales must be uniform;
/// their parents' may be anything.
///
/// A target at the joint, or nearer than the ray can come: the nearest there is, and `reached` is false. A
/// `pole` or an `up` of length 0, or along forward: the shortest turn. A matrix that has no inverse gives no
/// correction.
///
/// # Errors
///
/// - [`JobError::Value`]: a number is NaN or infinite, or `forward` has no direction.
/// - [`JobError::TooShort`]: `weights` or `output` are shorter than `joints`.
///
/// # Cost and determinism
///
/// Square roots, and a sine and a cosine a joint where there is a twist; plain code, no allocation, the same
/// bits everywhere.
#[derive(Debug)]
pub struct AimIkJob<'a> {
    /// The joints in model space, the one that looks first.
    pub joints: &'a [Mat34],
    /// How much each joint turns.
    pub weights: &'a [f32],
    /// What to look at, in model space.
    pub target: Vec3,
    /// Where the first joint looks, in its space.
    pub forward: Vec3,
    /// Where it looks from, in its space.
    pub offset: Vec3,
    /// What is up, in its space.
    pub up: Vec3,
    /// Where up shall be, in model space.
    pub pole: Vec3,
    /// Radians about the line to the target.
    pub twist: f32,
    /// What to turn.
    pub output: &'a mut [AimCorrection],
}

impl Default for AimCorrection {
    fn default() -> Self {
        Self { rotation: Quat::IDENTITY, reached: false }
    }
}

impl<'a> AimIkJob<'a> {
    /// Looks along z, up is y.
    #[must_use]
    pub fn new(
        joints: &'a [Mat34],
        weights: &'a [f32],
        target: Vec3,
        output: &'a mut [AimCorrection],
    ) -> Self {
        let (forward, up) = (Vec3::Z, Vec3::Y);
        Self { joints, weights, target, forward, offset: Vec3::ZERO, up, pole: up, twist: 0.0, output }
    }
}

impl AimIkJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`AimIkJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let Self { joints, weights, target, forward, offset, up, pole, twist, .. } = *self;
        at_least("weights", "joints", weights.len(), joints.len())?;
        at_least("output", "joints", self.output.len(), joints.len())?;
        check(&AimChain { joints, weights, target, forward, offset, up, pole, twist })
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// Listed at [`AimIkJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs; plain code, the same on every backend.
    ///
    /// # Errors
    ///
    /// Listed at [`AimIkJob`].
    pub fn run_on(&mut self, _backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        let mut met = false;
        let mut gaze = Gaze { forward: self.forward, offset: self.offset, up: self.up };
        for (i, joint) in self.joints.iter().enumerate() {
            if i > 0 {
                gaze = gaze.carried(&self.joints[i - 1], joint);
            }
            let found = self.solve(joint, gaze, self.weights[i], met);
            // What cannot be expressed in floats (a flat matrix, numbers whose squares overflow) is not
            // corrected.
            let correction = found.filter(|found| quat_is_finite(found.rotation)).unwrap_or_default();
            gaze = gaze.turned(correction.rotation);
            met = correction.reached;
            self.output[i] = correction;
        }
        Ok(())
    }

    /// `met`: the joints before this one look at the target already.
    fn solve(&self, joint: &Mat34, gaze: Gaze, weight: f32, met: bool) -> Option<AimCorrection> {
        let into = joint.inverse()?;
        let target = point(&into, self.target);
        let (forward, to) = (direction(gaze.forward)?, direction(target));
        // The point of the ray that is as far from the joint as the target is.
        let aside = across(gaze.offset, forward);
        let left = dot(target, target) - dot(aside, aside);
        let ahead = sqrt(if left > 0.0 { left } else { 0.0 });
        let along = direction(add(aside, scale(forward, ahead))).unwrap_or(forward);
        let in_front = left >= 0.0 && ahead >= dot(gaze.offset, forward);
        let pole = direction(vector(&into, self.pole)).unwrap_or(Vec3::ZERO);
        let (side, pole) = match direction(across(gaze.up, along)) {
            Some(side) => (side, pole),
            // Nothing is up: nothing to turn towards the pole.
            None => (any_across(along), Vec3::ZERO),
        };
        let target = to.unwrap_or(along);
        let turn = Turn { along, side, target, pole, twist: self.twist }.rotation();
        let reached = in_front && to.is_some() && (weight >= 1.0 || met);
        Some(AimCorrection { rotation: share(turn, unit(weight)), reached })
    }
}

/// Finds the first thing that is wrong with a chain.
pub(super) fn check(chain: &AimChain<'_>) -> Result<(), JobError> {
    let count = chain.joints.len();
    at_least("weights", "joints", chain.weights.len(), count)?;
    let value = |field, index, value: f32| {
        let error = JobError::Value { field, index, value: value.into(), allowed: "finite numbers" };
        if value.is_finite() { Ok(()) } else { Err(error) }
    };
    for (index, (joint, weight)) in chain.joints.iter().zip(chain.weights).enumerate() {
        if !joint.is_finite() {
            joint.columns.as_flattened().iter().try_for_each(|v| value("joints", index, *v))?;
        }
        value("weights", index, *weight)?;
    }
    finite_vector("target", chain.target)?;
    has_direction("forward", chain.forward)?;
    finite_vector("offset", chain.offset)?;
    finite_vector("up", chain.up)?;
    finite_vector("pole", chain.pole)?;
    finite_number("twist", chain.twist)
}

/// Where the chain looks, in the space of one of its joints.
#[derive(Clone, Copy)]
struct Gaze {
    forward: Vec3,
    offset: Vec3,
    up: Vec3,
}

impl Gaze {
    /// From a joint's space into that of one above it; as it is, where that has no inverse.
    fn carried(self, from: &Mat34, to: &Mat34) -> Self {
        let Some(into) = to.inverse() else { return self };
        let (point, vector) = (|v| point(&into, point(from, v)), |v| vector(&into, vector(from, v)));
        Self { forward: vector(self.forward), offset: point(self.offset), up: vector(self.up) }
    }

    fn turned(self, q: Quat) -> Self {
        let turn = |v| quat_rotate(q, v);
        Self { forward: turn(self.forward), offset: turn(self.offset), up: turn(self.up) }
    }
}
