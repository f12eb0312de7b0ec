//! Left becomes right.
//!
//! What is mirrored is the motion away from the rest pose, in model space: if the left hand's rest matrix is L
//! and its matrix now is A, the right hand (rest matrix R) goes to S·A·L⁻¹·S·R, with S the reflection. So the
//! axes of left and right joints may be set up in any way, as long as the rest pose itself is symmetric.

use super::{Channel, Key, RawAnimation, RawEditError, RawSkeleton, RawTrack, Value, looping::models};
use crate::exact::{M34, Q4, Trs, V3};
use std::collections::BTreeMap;

impl RawSkeleton {
    /// Finds the joint on the other side for every joint: the one whose name has the other word of a pair in
    /// place of the one, such as `("Left", "Right")`. A joint without such a partner is its own.
    #[must_use]
    pub fn counterparts(&self, words: &[(&str, &str)]) -> Vec<usize> {
        let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
        for (joint, j) in self.joints.iter().enumerate() {
            by_name.entry(&j.name).or_insert(joint);
        }
        let swapped = |name: &str, from: &str, to: &str| {
            let at = if from.is_empty() { None } else { name.find(from) };
            at.map(|at| [&name[..at], to, &name[at + from.len()..]].concat())
        };
        let mut out: Vec<usize> = (0..self.joints.len()).collect();
        for (joint, j) in self.joints.iter().enumerate() {
            for (left, right) in words {
                let other = swapped(&j.name, left, right).and_then(|n| by_name.get(n.as_str()));
                // Only where both are still their own: pairs stay pairs whatever the words are.
                if let Some(other) = other.copied().filter(|o| out[*o] == *o && out[joint] == joint) {
                    (out[joint], out[other]) = (other, joint);
                }
            }
        }
        out
    }
}

impl RawAnimation {
    /// The motion in a mirror through the origin of model space with this normal. `counterparts` names the
    /// joint on the other side for each joint, as [`RawSkeleton::counterparts`] finds them. Scales are taken
    /// over from the other side as they are.
    ///
    /// Every animated joint gets linear keys at all [`RawAnimation::time_points`]; the result is exact there.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`], [`RawEditError::Normal`], [`RawEditError::Counterpart`],
    /// [`RawEditError::NoInverse`].
    pub fn mirrored(
        &self,
        skeleton: &RawSkeleton,
        counterparts: &[usize],
        normal: V3,
    ) -> Result<Self, RawEditError> {
        let joints = skeleton.joints.len();
        for tracks in [self.tracks.len(), counterparts.len()] {
            if tracks != joints {
                return Err(RawEditError::Tracks { tracks, joints });
            }
        }
        for (joint, counterpart) in counterparts.iter().copied().enumerate() {
            if counterparts.get(counterpart) != Some(&joint) {
                return Err(RawEditError::Counterpart { joint, counterpart });
            }
        }
        let n = normal.normalize_or(V3::ZERO);
        if !n.is_finite() || n == V3::ZERO {
            return Err(RawEditError::Normal);
        }
        let mirror = Mirror::new(skeleton, counterparts, n)?;
        let mut tracks = vec![RawTrack::default(); joints];
        let mut times = self.time_points();
        if times.is_empty() {
            times.push(0.0);
        }
        for time_s in times {
            let pose = mirror.pose(&self.pose(skeleton, time_s))?;
            for (track, local) in tracks.iter_mut().zip(pose) {
                push(&mut track.translation, time_s, local.translation);
                push(&mut track.rotation, time_s, local.rotation);
                push(&mut track.scale, time_s, local.scale);
            }
        }
        Ok(Self { name: self.name.clone(), tracks, ..*self })
    }
}

fn push<V: Value>(channel: &mut Channel<V>, time_s: f64, value: V) {
    let value = channel.keys.last().map_or(value, |before| value.near(before.value));
    channel.keys.push(Key { time_s, value });
}

struct Mirror<'a> {
    skeleton: &'a RawSkeleton,
    counterparts: &'a [usize],
    order: Vec<usize>,
    normal: V3,
    rest: Vec<M34>,
    rest_inverse: Vec<M34>,
    rest_rotations: Vec<Q4>,
}

impl<'a> Mirror<'a> {
    fn new(skeleton: &'a RawSkeleton, counterparts: &'a [usize], normal: V3) -> Result<Self, RawEditError> {
        let pose: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
        let rest = models(skeleton, &pose);
        let inverse = |(joint, m): (usize, &M34)| m.inverse().ok_or(RawEditError::NoInverse { joint });
        let rest_inverse = rest.iter().enumerate().map(inverse).collect::<Result<_, _>>()?;
        let order = skeleton.depth_first();
        let rest_rotations = rotations(skeleton, &order, &pose);
        Ok(Self { skeleton, counterparts, order, normal, rest, rest_inverse, rest_rotations })
    }

    /// A point on the other side.
    fn point(&self, p: V3) -> V3 {
        p - self.normal * (2.0 * self.normal.dot(p))
    }

    /// A rotation as the mirror shows it: its axis is mirrored, its sense reversed.
    fn rotation(&self, q: Q4) -> Q4 {
        let v = V3::new(q.x, q.y, q.z);
        let v = self.normal * (2.0 * self.normal.dot(v)) - v;
        Q4::new(v.x, v.y, v.z, q.w)
    }

    fn pose(&self, pose: &[Trs]) -> Result<Vec<Trs>, RawEditError> {
        let now = models(self.skeleton, pose);
        let turned = rotations(self.skeleton, &self.order, pose);
        let mut out = pose.to_vec();
        let mut out_models = vec![M34::IDENTITY; pose.len()];
        let mut out_rotations = vec![Q4::IDENTITY; pose.len()];
        for joint in self.order.iter().copied() {
            let other = self.counterparts[joint];
            let moved = now[other].mul(&self.rest_inverse[other]);
            let place = self.point(moved.mul_point(self.point(self.rest[joint].columns[3])));
            let turn = turned[other] * self.rest_rotations[other].conjugate();
            let rotation = (self.rotation(turn) * self.rest_rotations[joint]).normalize();
            let parent = self.skeleton.joints[joint].parent;
            let above = parent.map_or(M34::IDENTITY, |p| out_models[p]);
            let to_local = above.inverse().ok_or(RawEditError::NoInverse { joint })?;
            let above_turn = parent.map_or(Q4::IDENTITY, |p| out_rotations[p]);
            out[joint] = Trs {
                translation: to_local.mul_point(place),
                rotation: (above_turn.conjugate() * rotation).normalize(),
                scale: pose[other].scale,
            };
            out_models[joint] = above.mul(&out[joint].to_m34());
            out_rotations[joint] = rotation;
        }
        Ok(out)
    }
}

/// Model rotations of a pose, scales left out.
fn rotations(skeleton: &RawSkeleton, order: &[usize], pose: &[Trs]) -> Vec<Q4> {
    let mut out = vec![Q4::IDENTITY; pose.len()];
    for joint in order.iter().copied() {
        let local = pose[joint].rotation.normalize();
        out[joint] = skeleton.joints[joint].parent.map_or(local, |p| out[p] * local);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::{Curve, RawJoint};

    /// Hips, an arm of two bones a side; the right side's axes are turned against the left's.
    fn body() -> RawSkeleton {
        let joint = |name: &str, parent, x: f64, y: f64, turn: f64| RawJoint {
            name: name.into(),
            parent,
            rest: Trs {
                translation: V3::new(x, y, 0.0),
                rotation: Q4::from_axis_angle(V3::X, turn),
                scale: V3::ONE,
            },
        };
        RawSkeleton {
            joints: vec![
                joint("Hips", None, 0.0, 1.0, 0.0),
                joint("LeftArm", Some(0), 0.2, 0.5, 0.0),
                joint("LeftHand", Some(1), 0.6, 0.0, 0.0),
                joint("RightArm", Some(0), -0.2, 0.5, 1.0),
                joint("RightHand", Some(3), -0.6, 0.0, -0.3),
            ],
        }
    }

    fn wave(s: &RawSkeleton) -> RawAnimation {
        let axis = V3::new(0.6, 0.0, 0.8);
        let keys = |angle: f64, base: Q4| {
            Channel::new(
                Curve::Linear,
                [0.0, 0.5, 1.0].map(|t| (t, Q4::from_axis_angle(axis, angle * t) * base)),
            )
        };
        let mut tracks = vec![RawTrack::default(); 5];
        tracks[0].translation =
            Channel::new(Curve::Linear, [(0.0, V3::new(0.0, 1.0, 0.0)), (1.0, V3::new(0.3, 1.1, 0.2))]);
        tracks[1].rotation = keys(1.1, s.joints[1].rest.rotation);
        tracks[2].rotation = keys(-0.7, s.joints[2].rest.rotation);
        tracks[3].rotation = keys(0.4, s.joints[3].rest.rotation);
        RawAnimation { duration_s: 1.0, tracks, ..Default::default() }
    }

    #[test]
    fn every_point_stands_where_the_mirror_shows_the_other_side() {
        let s = body();
        let pairs = s.counterparts(&[("Left", "Right")]);
        assert_eq!(pairs, [0, 3, 4, 1, 2]);
        let a = wave(&s);
        let m = a.mirrored(&s, &pairs, V3::X * 3.0).unwrap();
        assert_eq!(m.validate(5), Ok(()));
        for t in a.time_points() {
            let (was, is) = (models(&s, &a.pose(&s, t)), models(&s, &m.pose(&s, t)));
            for j in 0..5 {
                let (p, q) = (is[j].columns[3], was[pairs[j]].columns[3]);
                assert!((p - V3::new(-q.x, q.y, q.z)).length() < 1e-12, "joint {j} at {t}");
            }
        }
    }

    #[test]
    fn twice_mirrored_is_the_same_motion() {
        let s = body();
        let pairs = s.counterparts(&[("Left", "Right")]);
        let a = wave(&s);
        let twice = a.mirrored(&s, &pairs, V3::X).unwrap().mirrored(&s, &pairs, V3::X).unwrap();
        for t in a.time_points() {
            for (x, y) in a.pose(&s, t).iter().zip(twice.pose(&s, t)) {
                assert!((x.translation - y.translation).length() < 1e-12);
                assert!((x.rotation.dot(y.rotation).abs() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_cannot_be_mirrored_is_refused() {
        let mut s = body();
        let a = wave(&s);
        assert_eq!(a.mirrored(&s, &[0, 1, 2, 3, 4], V3::ZERO), Err(RawEditError::Normal));
        let crossed = a.mirrored(&s, &[0, 2, 3, 1, 4], V3::X);
        assert_eq!(crossed, Err(RawEditError::Counterpart { joint: 1, counterpart: 2 }));
        let beyond = a.mirrored(&s, &[0, 9, 2, 3, 4], V3::X);
        assert_eq!(beyond, Err(RawEditError::Counterpart { joint: 1, counterpart: 9 }));
        assert_eq!(a.mirrored(&s, &[0], V3::X), Err(RawEditError::Tracks { tracks: 1, joints: 5 }));
        s.joints[1].rest.scale = V3::ZERO;
        assert_eq!(a.mirrored(&s, &[0, 1, 2, 3, 4], V3::X), Err(RawEditError::NoInverse { joint: 1 }));
    }
}
