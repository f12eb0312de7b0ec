//! Motions of one skeleton on another: of other proportions, other names, another rest pose.
//!
//! ```text
//!  source, BoneMap ─┐
//!                   ├─▶ Retarget ─▶ report: bones that only one of them has, joints that nothing moves
//!  target, BoneMap ─┘      └─▶ a pose, or a whole motion, of the target
//! ```
//!
//! - **Rotations** are taken in model space, as turns away from the rest pose, so that joints' own axes do not matter. Arms and legs that rest
//!   in another direction (a T-pose, an A-pose) are first brought to the source's. What the source has no bone for stays at rest on what it hangs on.
//! - **Facing.** Skeletons that look along other axes are turned to one another, by right angles.
//! - **Hips** go the source's way times the ratio of the legs' lengths, such that ankles are as high above the ground as the
//!   target's own, in proportion.
//!
//! Lengths stay the target's. Ground is at height 0, up is y.

mod bones;

pub use bones::{Bone, BoneMap, Part, Preset, Side};

use crate::{
    exact::{M34, Q4, Trs, V3, larger, smaller},
    raw::{Channel, Curve, Key, RawAnimation, RawEditError, RawSkeleton, RawTrack, models},
};

/// What is wrong with a pair of skeletons.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// A bone that no human is without was not found.
    #[error("the {skeleton} has no {:?} ({:?})", bone.part, bone.side)]
    Missing {
        /// Which one: `source`, `target`.
        skeleton: &'static str,
        /// The bone.
        bone: Bone,
    },
    /// A map names a joint that there is not.
    #[error("the map of the {skeleton} names joint {joint}, but there are {joints}")]
    NoSuchJoint {
        /// Which one.
        skeleton: &'static str,
        /// The joint.
        joint: usize,
        /// How many there are.
        joints: usize,
    },
    /// The legs of a skeleton have no length or no place beside each other.
    #[error("the {skeleton}'s legs have no length, or one place")]
    NoLegs {
        /// Which one.
        skeleton: &'static str,
    },
}

/// What was matched, and what was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetargetReport {
    /// Bones that move.
    pub bones: Vec<Bone>,
    /// Bones that only the source has: their motion is lost, or rather carried by those below them.
    pub only_source: Vec<Bone>,
    /// Bones that only the target has: they rest.
    pub only_target: Vec<Bone>,
    /// Joints of the target that are no bones: they rest.
    pub at_rest: Vec<String>,
    /// How much longer the target's legs are.
    pub ratio: f64,
}

/// A pair of skeletons, ready.
#[derive(Clone, Debug)]
pub struct Retarget {
    source: RawSkeleton,
    target: RawSkeleton,
    /// The target's joints, upper ones first.
    order: Vec<usize>,
    /// For a joint of the target: that of the source, its rotation at rest, and the target's as it stands when the source rests.
    followed: Vec<Option<(usize, Q4, Q4)>>,
    /// From the source's axes to the target's.
    facing: Q4,
    /// Hips, and both hip joints.
    source_hips: [usize; 3],
    target_hips: [usize; 3],
    /// What the target's ankles are higher than the source's would be.
    lift: f64,
    report: RetargetReport,
}

impl Retarget {
    /// Brings two skeletons together.
    ///
    /// # Errors
    ///
    /// [`RetargetError`].
    pub fn new(
        (source, source_map): (&RawSkeleton, &BoneMap),
        (target, target_map): (&RawSkeleton, &BoneMap),
    ) -> Result<Self, RetargetError> {
        let (from, to) =
            (Human::new("source", source, source_map)?, Human::new("target", target, target_map)?);
        let facing = squared(to.frame * from.frame.conjugate());
        let ratio = to.leg / from.leg;
        let shared = |bone: &Bone| source_map.joints.get(bone).zip(target_map.joints.get(bone));
        let mut followed = vec![None; target.joints.len()];
        let mut report = RetargetReport { ratio, ..RetargetReport::default() };
        for bone in Bone::all() {
            match (source_map.joints.get(&bone), target_map.joints.get(&bone)) {
                (Some(s), Some(t)) => {
                    // Fingers go with the hand that they are on.
                    let limb =
                        if bone.part >= Part::Thumb(0) { Bone { part: Part::Hand, ..bone } } else { bone };
                    let ends = limb_end(limb).and_then(|end| Some((shared(&limb)?, shared(&end)?)));
                    let turn = ends.map_or(Q4::IDENTITY, |((s, t), (s_end, t_end))| {
                        let way =
                            |human: &Human, from: usize, to: usize| human.places[to] - human.places[from];
                        let (is, shall) = (way(&to, *t, *t_end), facing.rotate(way(&from, *s, *s_end)));
                        if larger(is.length(), shall.length()) > 0.0
                            && smaller(is.length(), shall.length()) > 0.0
                        {
                            Q4::from_arc(is.normalize_or(V3::X), shall.normalize_or(V3::X))
                        } else {
                            Q4::IDENTITY
                        }
                    });
                    followed[*t] = Some((*s, from.rotations[*s], turn * to.rotations[*t]));
                    report.bones.push(bone);
                }
                (Some(_), None) => report.only_source.push(bone),
                (None, Some(_)) => report.only_target.push(bone),
                (None, None) => {}
            }
        }
        let named = |joint: &usize| target_map.joints.values().any(|mapped| mapped == joint);
        let rest = (0..target.joints.len()).filter(|joint| !named(joint));
        report.at_rest = rest.map(|joint| target.joints[joint].name.clone()).collect();
        Ok(Self {
            source: source.clone(),
            target: target.clone(),
            order: target.depth_first(),
            followed,
            facing,
            source_hips: from.hips,
            target_hips: to.hips,
            lift: to.ankle - ratio * from.ankle,
            report,
        })
    }

    /// What was matched, and what was not.
    #[must_use]
    pub fn report(&self) -> &RetargetReport {
        &self.report
    }

    /// A pose of the target, from one of the source: local transforms in the joints' order. Poses of another length give the
    /// target's rest pose.
    #[must_use]
    pub fn pose(&self, source: &[Trs]) -> Vec<Trs> {
        let mut pose: Vec<Trs> = self.target.joints.iter().map(|joint| joint.rest).collect();
        if source.len() != self.source.joints.len() {
            return pose;
        }
        let (source_models, source_turns) = (models(&self.source, source), rotations(&self.source, source));
        let mut turns = vec![Q4::IDENTITY; pose.len()];
        for joint in self.order.iter().copied() {
            let parent = self.target.joints[joint].parent.map_or(Q4::IDENTITY, |parent| turns[parent]);
            turns[joint] = match self.followed[joint] {
                Some((from, rest, stands)) => {
                    let away = source_turns[from] * rest.conjugate();
                    (self.facing * away * self.facing.conjugate() * stands).normalize()
                }
                None => parent * pose[joint].rotation,
            };
            pose[joint].rotation = (parent.conjugate() * turns[joint]).normalize();
        }
        // Between the hip joints: there the legs hang, wherever the rig has its hips.
        let between = |models: &[M34], [_, left, right]: [usize; 3]| {
            (models[left].columns[3] + models[right].columns[3]) * 0.5
        };
        let goal = self.facing.rotate(between(&source_models, self.source_hips)) * self.report.ratio
            + V3::new(0.0, self.lift, 0.0);
        let is = models(&self.target, &pose);
        let moved = goal - between(&is, self.target_hips);
        let hips = self.target_hips[0];
        let parent = self.target.joints[hips].parent.map_or(M34::IDENTITY, |parent| is[parent]);
        if let Some(back) = parent.inverse() {
            pose[hips].translation = back.mul_point(is[hips].columns[3] + moved);
        }
        pose
    }

    /// A motion of the target, from one of the source: linear, with keys at a rate and wherever the source has one.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`] for a motion of another skeleton; [`RawEditError::Rate`] and [`RawEditError::TooManyKeys`].
    pub fn motion(&self, motion: &RawAnimation, rate_hz: f64) -> Result<RawAnimation, RawEditError> {
        let (tracks, joints) = (motion.tracks.len(), self.source.joints.len());
        if tracks != joints {
            return Err(RawEditError::Tracks { tracks, joints });
        }
        let mut times = RawAnimation::fixed_rate_times(motion.duration_s, rate_hz)?;
        times.extend(motion.time_points());
        times.retain(|time_s| (0.0..=motion.duration_s).contains(time_s));
        times.sort_by(f64::total_cmp);
        times.dedup();
        let hips = self.target_hips[0];
        let mut tracks: Vec<RawTrack> = vec![RawTrack::default(); self.target.joints.len()];
        for time_s in times {
            let pose = self.pose(&motion.pose(&self.source, time_s));
            for (joint, track) in tracks.iter_mut().enumerate() {
                if self.followed[joint].is_some() {
                    track.rotation.keys.push(Key { time_s, value: pose[joint].rotation });
                }
            }
            tracks[hips].translation.keys.push(Key { time_s, value: pose[hips].translation });
        }
        for track in &mut tracks {
            let (places, turns) =
                (core::mem::take(&mut track.translation.keys), core::mem::take(&mut track.rotation.keys));
            track.translation = Channel { curve: Curve::Linear, keys: places, tangents: Vec::new() };
            track.rotation = Channel { curve: Curve::Linear, keys: turns, tangents: Vec::new() };
        }
        Ok(RawAnimation { tracks, ..motion.clone() })
    }
}

/// A skeleton at rest, as a human.
struct Human {
    places: Vec<V3>,
    rotations: Vec<Q4>,
    /// Hips, and both hip joints.
    hips: [usize; 3],
    /// To the left is x, up is y.
    frame: Q4,
    /// The length of a leg.
    leg: f64,
    /// How high the ankles are above what is lowest of the feet.
    ankle: f64,
}

impl Human {
    fn new(name: &'static str, skeleton: &RawSkeleton, map: &BoneMap) -> Result<Self, RetargetError> {
        let joints = skeleton.joints.len();
        if let Some(joint) = map.joints.values().copied().find(|joint| *joint >= joints) {
            return Err(RetargetError::NoSuchJoint { skeleton: name, joint, joints });
        }
        if let Some(bone) = map.missing().next() {
            return Err(RetargetError::Missing { skeleton: name, bone });
        }
        let rest: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
        let places: Vec<V3> = models(skeleton, &rest).iter().map(|model| model.columns[3]).collect();
        // All that is needed is there.
        let joint = |part, side| map.joints.get(&Bone { part, side }).copied().unwrap_or_default();
        let at = |part, side| places[joint(part, side)];
        let sides = [Side::Left, Side::Right];
        let leg = |side| {
            let [hip, knee, ankle] = [Part::UpperLeg, Part::LowerLeg, Part::Foot].map(|part| at(part, side));
            hip.distance(knee) + knee.distance(ankle)
        };
        let length = 0.5 * (leg(Side::Left) + leg(Side::Right));
        let [left, right] = sides.map(|side| at(Part::UpperLeg, side));
        let across = left - right;
        if !(length > 1e-9 && across.length() > 1e-9) {
            return Err(RetargetError::NoLegs { skeleton: name });
        }
        let x = across.normalize_or(V3::X);
        let up = at(Part::Head, Side::Middle) - (left + right) * 0.5;
        let y = (up - x * up.dot(x)).normalize_or(V3::Y);
        let frame = Q4::from_axes(x, y, x.cross(y));
        // The lowest of what hangs on the feet is the ground.
        let mut ground = f64::INFINITY;
        for (below, place) in places.iter().enumerate() {
            let mut next = Some(below);
            while let Some(above) = next {
                if sides.iter().any(|side| joint(Part::Foot, *side) == above) {
                    ground = smaller(ground, place.y);
                    break;
                }
                next = skeleton.joints[above].parent;
            }
        }
        let ankle = 0.5 * (at(Part::Foot, Side::Left).y + at(Part::Foot, Side::Right).y) - ground;
        let hips = [
            joint(Part::Hips, Side::Middle),
            joint(Part::UpperLeg, Side::Left),
            joint(Part::UpperLeg, Side::Right),
        ];
        Ok(Self { rotations: rotations(skeleton, &rest), places, hips, frame, leg: length, ankle })
    }
}

/// The bone that a limb points to, if it is one that rests otherwise from rig to rig. Feet and spines differ by build, and keep theirs.
fn limb_end(bone: Bone) -> Option<Bone> {
    let part = match bone.part {
        Part::UpperArm => Part::LowerArm,
        Part::LowerArm => Part::Hand,
        Part::Hand => Part::Middle(1),
        Part::UpperLeg => Part::LowerLeg,
        Part::LowerLeg => Part::Foot,
        _ => return None,
    };
    Some(Bone { part, ..bone })
}

/// Every joint's rotation in model space.
fn rotations(skeleton: &RawSkeleton, pose: &[Trs]) -> Vec<Q4> {
    let mut turns = vec![Q4::IDENTITY; pose.len()];
    for joint in skeleton.depth_first() {
        let parent = skeleton.joints[joint].parent.map_or(Q4::IDENTITY, |parent| turns[parent]);
        turns[joint] = parent * pose[joint].rotation;
    }
    turns
}

/// The nearest turn by right angles: a head that is held a little forward does not tilt the world.
fn squared(q: Q4) -> Q4 {
    let nearest = |v: V3| {
        let [x, y, z] = [v.x.abs(), v.y.abs(), v.z.abs()];
        let sign = |c: f64| if c < 0.0 { -1.0 } else { 1.0 };
        if x >= y && x >= z {
            V3::X * sign(v.x)
        } else if y >= z {
            V3::Y * sign(v.y)
        } else {
            V3::Z * sign(v.z)
        }
    };
    let (x, y) = (nearest(q.rotate(V3::X)), nearest(q.rotate(V3::Y)));
    if x.dot(y).abs() > 0.5 { q } else { Q4::from_axes(x, y, x.cross(y)) }
}

#[cfg(test)]
mod tests;
