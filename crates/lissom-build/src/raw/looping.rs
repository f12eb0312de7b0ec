//! Does an animation end where it starts?

use super::{RawAnimation, RawEditError, RawSkeleton};
use crate::exact::{M34, Trs, V3, larger};

/// How far the last pose is from the first, at the joint where it is farthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopReport {
    /// The joint, by raw index.
    pub joint: usize,
    /// In model space: the farthest that one of three points at the shell distance along the joint's axes
    /// is from itself.
    pub distance: f64,
    /// In local space: how far the joint's translation is off.
    pub translation: f64,
    /// In local space: how far its rotation is off, in radians.
    pub rotation: f64,
    /// In local space: how far its scale is off.
    pub scale: f64,
}

impl RawAnimation {
    /// Compares the poses at 0 and at the end. `shell` is in the skeleton's unit of length.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`] if the animation is not the skeleton's, or there is no joint.
    pub fn loop_check(&self, skeleton: &RawSkeleton, shell: f64) -> Result<LoopReport, RawEditError> {
        let wrong = RawEditError::Tracks { tracks: self.tracks.len(), joints: skeleton.joints.len() };
        if self.tracks.len() != skeleton.joints.len() {
            return Err(wrong);
        }
        let (first, last) = (self.pose(skeleton, 0.0), self.pose(skeleton, self.duration_s));
        let (first_models, last_models) = (models(skeleton, &first), models(skeleton, &last));
        let mut worst: Option<LoopReport> = None;
        for joint in 0..skeleton.joints.len() {
            let moved = |axis: V3| {
                let p = axis * shell;
                (last_models[joint].mul_point(p) - first_models[joint].mul_point(p)).length()
            };
            let distance = [V3::X, V3::Y, V3::Z].map(moved).into_iter().fold(0.0, larger);
            if worst.is_none_or(|w| distance > w.distance) {
                let (a, b) = (first[joint], last[joint]);
                let turn = a.rotation.conjugate() * b.rotation;
                worst = Some(LoopReport {
                    joint,
                    distance,
                    translation: (b.translation - a.translation).length(),
                    rotation: 2.0 * libm::atan2(V3::new(turn.x, turn.y, turn.z).length(), turn.w.abs()),
                    scale: (b.scale - a.scale).length(),
                });
            }
        }
        worst.ok_or(wrong)
    }

    /// Every joint's local transform at a time, in raw order.
    #[must_use]
    pub fn pose(&self, skeleton: &RawSkeleton, time_s: f64) -> Vec<Trs> {
        self.tracks.iter().zip(&skeleton.joints).map(|(t, j)| t.sample(time_s, j.rest)).collect()
    }
}

/// Model matrices of a pose in raw order, whatever that order is.
pub(super) fn models(skeleton: &RawSkeleton, pose: &[Trs]) -> Vec<M34> {
    let mut out = vec![M34::IDENTITY; pose.len()];
    for joint in skeleton.depth_first() {
        let local = pose[joint].to_m34();
        out[joint] = skeleton.joints[joint].parent.map_or(local, |p| out[p].mul(&local));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exact::Q4,
        raw::{Channel, Curve, RawJoint, RawTrack},
    };

    #[test]
    fn the_worst_joint_is_named_and_a_closed_loop_is_closed() {
        let joint = |parent| RawJoint { parent, rest: Trs::from_translation(V3::Y), ..Default::default() };
        // The child stands before its parent.
        let s = RawSkeleton { joints: vec![joint(Some(1)), joint(None)] };
        let turn = |angle| {
            let keys = [(0.0, Q4::IDENTITY), (1.0, Q4::from_axis_angle(V3::Z, angle).scaled(-1.0))];
            let root = RawTrack { rotation: Channel::new(Curve::Slerp, keys), ..Default::default() };
            let tracks = vec![RawTrack::default(), root];
            RawAnimation { duration_s: 1.0, tracks, ..Default::default() }
        };
        let report = turn(0.1).loop_check(&s, 0.0).unwrap();
        // The root turns in place; its child, one unit away, moves.
        assert_eq!(report.joint, 0);
        assert!((report.distance - 2.0 * libm::sin(0.05)).abs() < 1e-12 && report.rotation == 0.0);
        let report = turn(core::f64::consts::TAU).loop_check(&s, 0.03).unwrap();
        assert!(report.distance < 1e-12 && report.rotation < 1e-12);
        let none = RawAnimation { duration_s: 1.0, ..Default::default() };
        assert_eq!(none.loop_check(&s, 0.03), Err(RawEditError::Tracks { tracks: 0, joints: 2 }));
        let (no_joint, no_track) = (RawSkeleton::default(), RawAnimation::default());
        assert_eq!(no_track.loop_check(&no_joint, 0.1), Err(RawEditError::Tracks { tracks: 0, joints: 0 }));
    }
}
