//! Left becomes right.
//!
//! What is mirrored is the motion away from the rest pose, in model space: if the left hand's rest matrix is L
//! and its matrix now is A, the right hand (rest matrix R) goes to S·A·L⁻¹·S·R, with S the reflection. So the
//! axes of left and right joints may be set up in any way, as long as the rest pose itself is symmetric.

use super::{RawAnimation, RawEditError, RawSkeleton, RawTrack, looping::models};
use crate::exact::{M34, Q4, Trs, V3};
use std::collections::BTreeMap;

impl RawSkeleton {
    /// Finds the joint on the other side for every joint: the one whose name has the other word of a pair in
    /// place of the one, such as `("Left", "Right")`. What partners hang on, and the only other joint that hangs on each of
    /// them, are partners too, whatever they are called. A joint without a partner is its own.
    #[must_use]
    pub fn counterparts(&self, words: &[(&str, &str)]) -> Vec<usize> {
        let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
        for (joint, j) in self.joints.iter().enumerate() {
            by_name.entry(&j.name).or_insert(joint);
        }
        let mut out: Vec<usize> = (0..self.joints.len()).collect();
        for (joint, j) in self.joints.iter().enumerate() {
            for (left, right) in words {
                // Wherever the word stands: `Upper_Leg_L` has two.
                let places = if left.is_empty() { None } else { Some(j.name.match_indices(left)) };
                let other = places.into_iter().flatten().find_map(|(at, _)| {
                    let name = [&j.name[..at], right, &j.name[at + left.len()..]].concat();
                    by_name.get(name.as_str())
                });
                // Only where both are still their own: pairs stay pairs whatever the words are.
                if let Some(other) = other.copied().filter(|o| out[*o] == *o && out[joint] == joint) {
                    (out[joint], out[other]) = (other, joint);
                }
            }
        }
        self.pair_by_place(&mut out);
        out
    }

    /// Pairs what no name pairs, as rigs have it: `LHipJoint` above `LeftUpLeg`, `LThumb` below `LeftHand`.
    fn pair_by_place(&self, out: &mut [usize]) {
        let parent = |joint: usize| self.joints[joint].parent;
        for joint in 0..self.joints.len() {
            let (mut a, mut b) = (parent(joint), parent(out[joint]));
            while let (Some(p), Some(q)) = (a, b)
                && p != q
                && out[p] == p
                && out[q] == q
            {
                (out[p], out[q]) = (q, p);
                (a, b) = (parent(p), parent(q));
            }
        }
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.joints.len()];
        for joint in 0..self.joints.len() {
            if let Some(parent) = parent(joint) {
                below[parent].push(joint);
            }
        }
        for joint in self.depth_first() {
            let other = out[joint];
            let alone = |of: usize| {
                let mut own = below[of].iter().copied().filter(|child| out[*child] == *child);
                own.next().filter(|_| own.next().is_none())
            };
            if let (true, Some(a), Some(b)) = (other != joint, alone(joint), alone(other)) {
                (out[a], out[b]) = (b, a);
            }
        }
    }
}

impl RawAnimation {
    /// The motion in a mirror through the origin of model space with this normal. `counterparts` names the
    /// joint on the other side for each joint, as [`RawSkeleton::counterparts`] finds them. Scales are taken
    /// over from the other side as they are.
    ///
    /// Keys, curves and tangents stay what they are: mirrored twice is the original at every time.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`], [`RawEditError::Normal`], [`RawEditError::Counterpart`],
    /// [`RawEditError::Sides`], [`RawEditError::NoInverse`].
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
            let parent = |j: usize| skeleton.joints[j].parent;
            if parent(joint).map(|p| counterparts[p]) != parent(counterpart) {
                return Err(RawEditError::Sides { joint, counterpart });
            }
        }
        let n = normal.normalize_or(V3::ZERO);
        if !n.is_finite() || n == V3::ZERO {
            return Err(RawEditError::Normal);
        }
        let mirror = Mirror::new(skeleton, n)?;
        let tracks = counterparts
            .iter()
            .enumerate()
            .map(|(joint, other)| mirror.track(&self.tracks[*other], joint, *other));
        Ok(Self { name: self.name.clone(), tracks: tracks.collect(), ..*self })
    }
}

/// The rest pose, from both sides of the glass.
struct Mirror<'a> {
    skeleton: &'a RawSkeleton,
    normal: V3,
    /// Model matrices, and their inverses.
    rest: Vec<M34>,
    inverse: Vec<M34>,
    /// Model rotations, scales left out.
    turned: Vec<Q4>,
}

impl<'a> Mirror<'a> {
    fn new(skeleton: &'a RawSkeleton, normal: V3) -> Result<Self, RawEditError> {
        let pose: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
        let rest = models(skeleton, &pose);
        let inverse = |(joint, m): (usize, &M34)| m.inverse().ok_or(RawEditError::NoInverse { joint });
        let inverse = rest.iter().enumerate().map(inverse).collect::<Result<_, _>>()?;
        let mut turned = vec![Q4::IDENTITY; pose.len()];
        for joint in skeleton.depth_first() {
            let local = pose[joint].rotation.normalize();
            turned[joint] = skeleton.joints[joint].parent.map_or(local, |p| turned[p] * local);
        }
        Ok(Self { skeleton, normal, rest, inverse, turned })
    }

    /// A direction on the other side.
    fn vector(&self, v: V3) -> V3 {
        v - self.normal * (2.0 * self.normal.dot(v))
    }

    /// A rotation as the mirror shows it: its axis is mirrored, its sense reversed.
    fn rotation(&self, q: Q4) -> Q4 {
        let v = -self.vector(V3::new(q.x, q.y, q.z));
        Q4::new(v.x, v.y, v.z, q.w)
    }

    /// With K = R⁻¹·S·L for a joint (rest matrix R) and its counterpart (L), what the header says comes to
    /// K(parent)·local·K⁻¹: constants around a local transform, which every curve bears.
    fn track(&self, other: &RawTrack, joint: usize, counterpart: usize) -> RawTrack {
        let (own, theirs) = (&self.skeleton.joints[joint], &self.skeleton.joints[counterpart]);
        let above = |parent: Option<usize>| parent.map_or(Q4::IDENTITY, |p| self.turned[p]);
        let (own_above, their_above) = (above(own.parent).conjugate(), above(theirs.parent));
        let (own_turn, their_turn) = (self.turned[joint], self.turned[counterpart].conjugate());
        let across = |v: V3| {
            let up = theirs.parent.map_or(v, |p| self.rest[p].mul_vector(v));
            own.parent.map_or(self.vector(up), |p| self.inverse[p].mul_vector(self.vector(up)))
        };
        RawTrack {
            // A linear map and a constant; tangents know no constant.
            translation: other
                .translation
                .mapped(|v| across(v - theirs.rest.translation) + own.rest.translation, across),
            rotation: {
                let turn = |q: Q4| own_above * self.rotation(their_above * q * their_turn) * own_turn;
                other.rotation.mapped(turn, turn)
            },
            scale: other.scale.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::{Channel, Curve, RawJoint, Tangents};

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
        let joint = |name: &str| RawJoint { name: name.into(), ..Default::default() };
        let legs = RawSkeleton {
            joints: ["Upper_Leg_L", "Spine", "Upper_Leg_R", "Left", "x_Left"].map(joint).into(),
        };
        assert_eq!(legs.counterparts(&[("Left", "Right"), ("_L", "_R")]), [2, 1, 0, 3, 4]);
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
    fn joints_that_no_name_pairs_are_paired_by_what_is_above_and_below() {
        let joint = |name: &str, parent| RawJoint { name: name.into(), parent, rest: Trs::IDENTITY };
        let skeleton = RawSkeleton {
            joints: vec![
                joint("Hips", None),
                joint("LHipJoint", Some(0)),
                joint("LeftLeg", Some(1)),
                joint("LToe", Some(2)),
                joint("RHipJoint", Some(0)),
                joint("RightLeg", Some(4)),
                joint("RToe", Some(5)),
                joint("Tail", Some(0)),
            ],
        };
        assert_eq!(skeleton.counterparts(&[("Left", "Right")]), [0, 4, 5, 6, 1, 2, 3, 7]);
        // Two below each side: nobody knows which is which.
        let mut more = skeleton;
        more.joints.extend([joint("LHeel", Some(2)), joint("RHeel", Some(5))]);
        assert_eq!(more.counterparts(&[("Left", "Right")]), [0, 4, 5, 3, 1, 2, 6, 7, 8, 9]);
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

    #[test]
    fn every_curve_stays_what_it_is() {
        let s = body();
        let pairs = s.counterparts(&[("Left", "Right")]);
        for curve in [Curve::Step, Curve::Slerp, Curve::Hermite, Curve::Cubic] {
            let mut a = wave(&s);
            for track in &mut a.tracks {
                track.rotation.curve = curve;
                track.translation.curve = curve;
                if curve == Curve::Cubic {
                    let q = Q4::new(0.3, 0.1, -0.2, 0.05);
                    track.rotation.tangents =
                        vec![Tangents { into: q, out: q.scaled(-0.5) }; track.rotation.keys.len()];
                    track.translation.tangents =
                        vec![Tangents { into: V3::X, out: V3::Y }; track.translation.keys.len()];
                }
            }
            let m = a.mirrored(&s, &pairs, V3::X).unwrap();
            let twice = m.mirrored(&s, &pairs, V3::X).unwrap();
            for t in (0..=60).map(|i| f64::from(i) / 60.0) {
                let (was, is) = (models(&s, &a.pose(&s, t)), models(&s, &m.pose(&s, t)));
                for j in 0..5 {
                    let (p, q) = (is[j].columns[3], was[pairs[j]].columns[3]);
                    assert!((p - V3::new(-q.x, q.y, q.z)).length() < 1e-12, "{curve:?}, joint {j} at {t}");
                }
                for (x, y) in a.pose(&s, t).iter().zip(twice.pose(&s, t)) {
                    assert!((x.translation - y.translation).length() < 1e-12);
                    assert!((x.rotation.dot(y.rotation).abs() - 1.0).abs() < 1e-12);
                }
            }
        }
        let mut odd = body();
        odd.joints[4].parent = Some(0);
        assert!(matches!(wave(&s).mirrored(&odd, &pairs, V3::X), Err(RawEditError::Sides { .. })));
    }
}
