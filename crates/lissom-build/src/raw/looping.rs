//! Does an animation end where it starts, and can it be made to?

use super::{Channel, Curve, RawAnimation, RawEditError, RawSkeleton, RawTrack, Tangents};
use crate::exact::{M34, Q4, Trs, V3, larger};

/// How far the last pose is from the first, at the joint where it is farthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopReport {
    /// The joint, by raw index.
    pub joint: usize,
    /// In model space: the farthest that one of three points at the shell distance along the joint's axes is
    /// from itself.
    pub distance: f64,
    /// In local space: how far the joint's translation is off.
    pub translation: f64,
    /// In local space: how far its rotation is off, in radians.
    pub rotation: f64,
    /// In local space: how far its scale is off.
    pub scale: f64,
}

impl RawAnimation {
    /// Compares the poses at 0 and at the end. `shell` is a length in model space, whatever scales the rig carries.
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
            let size = first_models[joint].stretch();
            let moved = |axis: V3| {
                let p = axis * if size > 0.0 { shell / size } else { 0.0 };
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

    /// The same motion made to end where it starts: what the last pose is off is taken away little by little, joint
    /// by joint, from nothing at the start to all of it at the end.
    #[must_use]
    pub fn closed(&self) -> Self {
        let end_s = self.duration_s;
        let track = |t: &RawTrack| RawTrack {
            translation: closed_line(&t.translation, end_s),
            rotation: closed_turn(&t.rotation, end_s),
            scale: closed_line(&t.scale, end_s),
        };
        Self { tracks: self.tracks.iter().map(track).collect(), looping: true, ..self.clone() }
    }

    /// Every joint's local transform at a time, in raw order.
    #[must_use]
    pub fn pose(&self, skeleton: &RawSkeleton, time_s: f64) -> Vec<Trs> {
        self.tracks.iter().zip(&skeleton.joints).map(|(t, j)| t.sample(time_s, j.rest)).collect()
    }
}

/// With keys at both ends, on a curve that a key more does not bend.
fn with_ends<V: super::Value>(channel: &Channel<V>, end_s: f64) -> Channel<V> {
    let cubic = if channel.curve == Curve::Hermite { channel.to_cubic() } else { None };
    cubic.unwrap_or_else(|| channel.clone()).held(0.0, end_s)
}

fn closed_line(channel: &Channel<V3>, end_s: f64) -> Channel<V3> {
    if channel.keys.len() < 2 {
        return channel.clone();
    }
    let mut out = with_ends(channel, end_s);
    let (Some(first), Some(last)) = (out.keys.first(), out.keys.last()) else { return out };
    let (start, slope) = (first.value, (first.value - last.value) * (1.0 / end_s));
    for key in &mut out.keys {
        key.value = key.value + slope * key.time_s;
    }
    // Not to the last bit by rounding: exactly.
    if let Some(last) = out.keys.last_mut() {
        last.value = start;
    }
    for t in &mut out.tangents {
        *t = Tangents { into: t.into + slope, out: t.out + slope };
    }
    out
}

fn closed_turn(channel: &Channel<Q4>, end_s: f64) -> Channel<Q4> {
    if channel.keys.len() < 2 {
        return channel.clone();
    }
    let mut out = with_ends(channel, end_s);
    let (Some(first), Some(last)) = (out.keys.first(), out.keys.last()) else { return out };
    let (start, end) = (first.value.normalize(), last.value.normalize());
    // q(t) becomes r(t)·q(t), where r turns evenly from nothing to what is missing.
    let missing = (start * end.conjugate()).near(Q4::IDENTITY);
    let axis = V3::new(missing.x, missing.y, missing.z);
    let speed = 2.0 * libm::atan2(axis.length(), missing.w) / end_s;
    let axis = axis.normalize_or(V3::X);
    let turn = |time_s: f64| Q4::from_axis_angle(axis, speed * time_s);
    // r'(t) = spin·r(t)
    let half = axis * (0.5 * speed);
    let spin = Q4::new(half.x, half.y, half.z, 0.0);
    for (key, t) in out.keys.iter().zip(&mut out.tangents) {
        let r = turn(key.time_s);
        let along = spin * r * key.value;
        *t = Tangents { into: (r * t.into).plus(along), out: (r * t.out).plus(along) };
    }
    for key in &mut out.keys {
        key.value = turn(key.time_s) * key.value;
    }
    if let Some(last) = out.keys.last_mut() {
        last.value = start.near(last.value);
    }
    out
}

/// Model matrices of a pose in raw order, whatever that order is.
pub(crate) fn models(skeleton: &RawSkeleton, pose: &[Trs]) -> Vec<M34> {
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
    use crate::raw::RawJoint;

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

    #[test]
    fn a_gap_is_closed_little_by_little_for_every_curve() {
        let s = RawSkeleton { joints: vec![RawJoint::default()] };
        for curve in [Curve::Step, Curve::Linear, Curve::Slerp, Curve::Cubic, Curve::Hermite] {
            let times = [0.0, 0.2, 0.55, 0.9];
            let turn = |t: f64| Q4::from_axis_angle(V3::new(0.6, 0.0, 0.8), 0.3 + 1.2 * t);
            let mut track = RawTrack {
                translation: Channel::new(curve, times.map(|t| (t, V3::new(t, t * t, 1.0)))),
                rotation: Channel::new(curve, times.map(|t| (t, turn(t)))),
                scale: Channel::default(),
            };
            if curve == Curve::Cubic {
                track.translation.tangents = vec![Tangents { into: V3::X, out: V3::X }; 4];
                // Of `turn` itself, so that the curve is close to it.
                let slope = |t: f64| Q4::new(0.36, 0.0, 0.48, 0.0) * turn(t);
                track.rotation.tangents = times.map(|t| Tangents { into: slope(t), out: slope(t) }).into();
            }
            let a = RawAnimation { duration_s: 1.0, tracks: vec![track], ..Default::default() };
            assert!(a.loop_check(&s, 0.03).unwrap().distance > 0.5);
            let closed = a.closed();
            assert_eq!((closed.validate(1), closed.looping), (Ok(()), true));
            let gap = closed.loop_check(&s, 0.03).unwrap();
            assert!(gap.distance < 1e-12, "{curve:?}: {gap:?}");
            // The start is as it was, the middle half-way corrected.
            let (was, is) = (a.pose(&s, 0.0)[0], closed.pose(&s, 0.0)[0]);
            assert!((was.translation - is.translation).length() < 1e-12, "{curve:?}");
            if curve != Curve::Step {
                let (was, is) = (a.pose(&s, 0.45)[0].translation, closed.pose(&s, 0.45)[0].translation);
                let gap = a.pose(&s, 1.0)[0].translation - a.pose(&s, 0.0)[0].translation;
                assert!((was - gap * 0.45 - is).length() < 1e-9, "{curve:?}");
            }
            if curve == Curve::Cubic {
                // It turned evenly by 1.08 up to 0.9 and held; evenly taken back.
                let is = closed.pose(&s, 0.4)[0].rotation;
                let wanted = Q4::from_axis_angle(V3::new(0.6, 0.0, 0.8), 0.3 + 1.2 * 0.4 - 1.08 * 0.4);
                assert!((is.dot(wanted).abs() - 1.0).abs() < 1e-6);
            }
        }
    }
}
