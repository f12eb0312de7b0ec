//! Motions of one skeleton on another: of other proportions, other names, another rest pose.
//!
//! ```text
//!  source, BoneMap ─┐                 report: bones that only one of them has, joints that nothing moves
//!                   ├─▶ Retarget ─┬─▶ a pose, or a whole motion, of the target; all of a scene ([`onto`])
//!  target, BoneMap ─┘             └─▶ plan: for a job that does it while a game runs (lissom::job::RetargetJob)
//! ```
//!
//! - **Bones** are found by names and by what hangs on what. [`BoneTable`] shows how, [`BoneNames`] corrects it.
//! - **Rotations** are taken in model space, as turns away from the rest pose, so that joints' own axes do not matter. Arms and legs that rest
//!   in another direction (a T-pose, an A-pose) are first brought to the source's. What the source has no bone for stays at rest on what
//!   it hangs on; a joint of the same name on the same bone of both (an ear, a tail) goes along.
//! - **Facing.** Skeletons that look along other axes are turned to one another, by right angles.
//! - **Hips** go the source's way times the ratio of the legs' lengths, such that ankles are as high above the ground as the
//!   target's own, in proportion.
//! - **Ground.** Of a motion, feet that stand are looked for: motion capture does not rest on its floor, and soles are no joints. The body is
//!   moved up or down until most of them stand; with goals for feet, each is put onto the ground while it does.
//! - **Goals**, if asked for: feet are where the source has them, by the same measure; hands are where it has them as seen from between the
//!   shoulders, in the measure of the arms. Elbows and knees bend as they must. A leg whose knee is on the ground has no goal. Without
//!   goals, limbs point where the source's do, and end where their own lengths lead.
//! - **Feet that hang on the root**, as in rigs for inverse kinematics, go with the shin; hands go with the forearm.
//!
//! Lengths stay the target's. Up is y; the ground is at height 0, or at the lowest joint of the feet if the rest pose does not stand there.

mod aim;
#[cfg(test)]
mod bones;
mod correct;
mod ground;
mod limb;
mod report;
mod scene;
mod table;

pub use aim::with_meshes;
pub use correct::{BoneNames, NoSuchBone};
pub use lissom::bones::{Bone, BoneMap, Found, Part, Preset, Side};
pub use report::RetargetReport;
pub(crate) use scene::is_same_rig;
pub use scene::onto;
pub use table::{BoneRow, BoneTable};

use crate::{
    BuiltSkeleton,
    exact::{M34, Q4, Trs, V3, clamp, larger, narrow, smaller},
    raw::{Curve, Key, MOST_KEYS, RawAnimation, RawEditError, RawSkeleton, RawTrack, models},
    scene::SceneAnimation,
};
use ground::{Footing, Soles};
use limb::{Knee, Limb, Reach};
use lissom::{
    bones::Joints,
    job::{RetargetCarry, RetargetFollow, RetargetGoal, RetargetKnee, RetargetLimb, RetargetPlan},
};

/// What is wrong with a pair of skeletons.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// Bones that no human is without were not found.
    #[error(
        "no joint of the {skeleton} is known to be its {}: it is no human, or its joints have other names; then say which: \
         bones = {{ {} = \"...\" }}",
        .bones.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        .bones.first().map(|bone| bone.key()).unwrap_or_default()
    )]
    Missing {
        /// Which one: `source`, `target`.
        skeleton: &'static str,
        /// The bones.
        bones: Vec<Bone>,
    },
    /// The spine does not stand on the legs.
    #[error(
        "the {skeleton} is no human: its spine and its legs are at an angle of {degrees:.0} degrees, as of a body on four legs; \
         only humans, upright at rest, can be retargeted"
    )]
    NotUpright {
        /// Which one.
        skeleton: &'static str,
        /// From the hips, between neck and ankles; 180 for a human who stands.
        degrees: f64,
    },
    /// A correction names a joint that there is not.
    #[error(
        "bones.{}: no joint of the {skeleton} is called {joint:?}{}",
        .bone.key(),
        .near.as_ref().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default()
    )]
    NoSuchName {
        /// Which one; `source or target` if either would do.
        skeleton: &'static str,
        /// The bone.
        bone: Bone,
        /// The name.
        joint: String,
        /// What may have been meant.
        near: Option<String>,
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
    /// A motion cannot be brought over.
    #[error("clip {clip:?}: {source}")]
    Motion {
        /// The clip.
        clip: String,
        /// Why.
        source: RawEditError,
    },
    /// The legs of a skeleton have no length or no place beside each other.
    #[error("the {skeleton}'s legs have no length, or one place")]
    NoLegs {
        /// Which one.
        skeleton: &'static str,
    },
}

/// The cosine between spine and legs, from the hips, of whoever goes upright is below this: 115 degrees.
const UPRIGHT: f64 = -0.42;

/// What is kept where the source has it, beside the hips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    /// Hands.
    pub hands: bool,
    /// Feet: they stand where the source's do, and do not slide on legs of other proportions.
    pub feet: bool,
}

/// A pair of skeletons, ready.
#[derive(Clone, Debug)]
pub struct Retarget {
    source: RawSkeleton,
    target: RawSkeleton,
    /// The target's joints, upper ones first.
    order: Vec<usize>,
    /// For a joint of the target: that of the source, and what is to be done before its turn in model space.
    followed: Vec<Option<(usize, Q4)>>,
    /// From the source's axes to the target's.
    facing: Q4,
    /// The hip joints.
    source_hips: [usize; 2],
    /// Hips, and the hip joints.
    target_hips: [usize; 3],
    /// What the target's ankles are higher than the source's would be.
    lift: f64,
    /// What reaches for goals.
    limbs: Vec<Limb>,
    /// What hangs elsewhere than on the limb above it, upper ones first.
    carried: Vec<Carried>,
    /// The source's.
    knees: [Knee; 2],
    source_feet: [usize; 2],
    /// What is up at rest, in the space of each foot of the source.
    feet_up: [V3; 2],
    /// The target's.
    target_knees: [usize; 2],
    target_shin: f64,
    soles: Soles,
    target_leg: f64,
    report: RetargetReport,
}

/// A joint that goes with a limb that it does not hang on: rigs for inverse kinematics have their feet on the root.
#[derive(Clone, Copy, Debug)]
struct Carried {
    joint: usize,
    by: usize,
    /// Where it is at rest, as seen from what carries it.
    at: V3,
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
        goals: Goals,
    ) -> Result<Self, RetargetError> {
        let (from, to) =
            (Human::new("source", source, source_map)?, Human::new("target", target, target_map)?);
        let facing = squared(to.frame * from.frame.conjugate());
        let ratio = to.leg / from.leg;
        let mut followed = vec![None; target.joints.len()];
        let mut report = RetargetReport { ratio, ..RetargetReport::default() };
        let aims = aim::Aims::new((&from, source_map), (&to, target_map), facing);
        for bone in Bone::all() {
            match (source_map.joints.get(&bone), target_map.joints.get(&bone)) {
                (Some(s), Some(t)) => {
                    let turn = aims.turn(bone);
                    let before =
                        from.rotations[*s].conjugate() * facing.conjugate() * turn * to.rotations[*t];
                    followed[*t] = Some((*s, before));
                    report.bones.push(bone);
                }
                (Some(_), None) => report.only_source.push(bone),
                (None, Some(_)) => report.only_target.push(bone),
                (None, None) if bone.is_plain() => report.nowhere.push(bone),
                (None, None) => {}
            }
        }
        for (s, t, bone) in aim::same_names((source, source_map), (target, target_map)) {
            let turn = aims.turn(bone);
            let before = from.rotations[s].conjugate() * facing.conjugate() * turn * to.rotations[t];
            followed[t] = Some((s, before));
            report.same_names.push(target.joints[t].name.clone());
        }
        let mapped = |joint: &usize| target_map.joints.values().any(|own| own == joint);
        let rest = (0..target.joints.len()).filter(|joint| followed[*joint].is_none() && !mapped(joint));
        report.at_rest = rest.map(|joint| target.joints[joint].name.clone()).collect();
        let sides = [Side::Left, Side::Right];
        Ok(Self {
            source: source.clone(),
            target: target.clone(),
            order: target.depth_first(),
            followed,
            facing,
            source_hips: [from.hips[1], from.hips[2]],
            target_hips: to.hips,
            lift: to.ankle - ratio * from.ankle,
            limbs: Vec::new(),
            carried: carried(target, target_map),
            knees: from.knees(source_map),
            source_feet: sides.map(|side| joint_of(source_map, Part::Foot, side)),
            feet_up: sides.map(|side| {
                let foot = joint_of(source_map, Part::Foot, side);
                from.rotations[foot].conjugate().rotate(facing.conjugate().rotate(V3::Y))
            }),
            target_knees: sides.map(|side| joint_of(target_map, Part::LowerLeg, side)),
            target_shin: to.knees(target_map)[0].shin,
            soles: Soles::new(&to, target, target_map),
            target_leg: to.leg,
            report,
        }
        .reaching(goals, (&from, source_map), (&to, target_map)))
    }

    /// With limbs that reach for goals.
    fn reaching(
        mut self,
        goals: Goals,
        (from, source): (&Human, &BoneMap),
        (to, target): (&Human, &BoneMap),
    ) -> Self {
        let leg = [Part::UpperLeg, Part::LowerLeg, Part::Foot];
        let shoulders = |map: &BoneMap| {
            let [left, right] =
                [Side::Left, Side::Right].map(|side| map.joints.get(&Bone { part: ARM[0], side }));
            Some([*left?, *right?])
        };
        let arms = from.arm(source).zip(to.arm(target)).zip(shoulders(source).zip(shoulders(target)));
        // Elbows point back, knees ahead.
        let kinds = [(goals.hands && arms.is_some(), ARM, V3::Z * -1.0), (goals.feet, leg, V3::Z)];
        for (_, parts, ahead) in kinds.into_iter().filter(|(asked, ..)| *asked) {
            for (index, side) in [Side::Left, Side::Right].into_iter().enumerate() {
                let joint = |map: &BoneMap, part| map.joints.get(&Bone { part, side }).copied();
                let [start, mid, end] = parts.map(|part| joint(target, part));
                let (Some(start), Some(mid), Some(end), Some(source)) =
                    (start, mid, end, joint(source, parts[2]))
                else {
                    continue;
                };
                if !self.target.is_above(start, mid) || !self.target.is_above(mid, end) {
                    continue;
                }
                let along = to.places[mid] - to.places[start];
                let axis = along.cross(to.frame.rotate(ahead)).normalize_or(to.frame.rotate(V3::X));
                let axis = to.rotations[mid].conjugate().rotate(axis);
                let reach = match arms {
                    Some(((own, other), (source, target))) if parts == ARM => {
                        Reach::Shoulders { source, target, ratio: other / own }
                    }
                    _ => Reach::Ground(index),
                };
                self.limbs.push(Limb { source, reach, chain: [start, mid, end], axis });
            }
        }
        self
    }

    /// True for a joint that gets keys.
    fn moves(&self, joint: usize) -> bool {
        self.followed[joint].is_some() || self.limbs.iter().any(|limb| limb.chain.contains(&joint))
    }

    fn rest(&self) -> Vec<Trs> {
        self.target.joints.iter().map(|joint| joint.rest).collect()
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
        self.posed(source, &Footing::default(), 0)
    }

    /// The same at a time of a motion that was looked at before.
    fn posed(&self, source: &[Trs], footing: &Footing, index: usize) -> Vec<Trs> {
        let mut pose = self.rest();
        if source.len() != self.source.joints.len() {
            return pose;
        }
        let (source_models, source_turns) = (models(&self.source, source), rotations(&self.source, source));
        let mut turns = vec![Q4::IDENTITY; pose.len()];
        for joint in self.order.iter().copied() {
            let parent = self.target.joints[joint].parent.map_or(Q4::IDENTITY, |parent| turns[parent]);
            turns[joint] = match self.followed[joint] {
                Some((from, before)) => (self.facing * source_turns[from] * before).normalize(),
                None => parent * pose[joint].rotation,
            };
            pose[joint].rotation = (parent.conjugate() * turns[joint]).normalize();
        }
        // Between the hip joints: there the legs hang, wherever the rig has its hips.
        let is = models(&self.target, &pose);
        let between = |models: &[M34], left: usize, right: usize| {
            (models[left].columns[3] + models[right].columns[3]) * 0.5
        };
        let ([left, right], [hips, own_left, own_right]) = (self.source_hips, self.target_hips);
        let goal = |place: V3| self.goal(place) + V3::new(0.0, footing.body(index), 0.0);
        let moved = goal(between(&source_models, left, right)) - between(&is, own_left, own_right);
        let parent = self.target.joints[hips].parent.map_or(M34::IDENTITY, |parent| is[parent]);
        if let Some(back) = parent.inverse() {
            pose[hips].translation = back.mul_point(is[hips].columns[3] + moved);
        }
        for limb in &self.limbs {
            let at = source_models[limb.source].columns[3];
            // Limbs moved along with the hips: it is the goals on the ground that are moved back.
            let goal = match limb.reach {
                Reach::Ground(side) => {
                    let raised = V3::new(0.0, footing.foot(index, side), 0.0);
                    let upright = self.knees[side]
                        .upright(|joint| self.facing.rotate(source_models[joint].columns[3]).y);
                    is[limb.chain[2]].columns[3].lerp(goal(at) + raised - moved, upright)
                }
                Reach::Shoulders { source: [left, right], target: [own_left, own_right], ratio } => {
                    let from = at - between(&source_models, left, right);
                    between(&is, own_left, own_right) + self.facing.rotate(from) * ratio
                }
            };
            limb.reach(&self.target, &is, &turns, goal, &mut pose);
        }
        for Carried { joint, by, at } in &self.carried {
            // One may hang on another that was carried before it.
            let is = models(&self.target, &pose);
            let parent = self.target.joints[*joint].parent.map_or(M34::IDENTITY, |parent| is[parent]);
            if let Some(back) = parent.inverse() {
                pose[*joint].translation = back.mul_point(is[*by].mul_point(*at));
            }
        }
        pose
    }

    /// Where a place of the source is on the target.
    fn goal(&self, place: V3) -> V3 {
        self.facing.rotate(place) * self.report.ratio + V3::new(0.0, self.lift, 0.0)
    }

    /// The same for a job that does it pose by pose, on the built skeletons.
    #[must_use]
    pub fn plan(&self, source: &BuiltSkeleton, target: &BuiltSkeleton) -> RetargetPlan {
        let from = |raw: usize| source.joint_of_raw[raw];
        let to = |raw: usize| target.joint_of_raw[raw];
        let follow = |(raw, followed): (usize, &Option<(usize, Q4)>)| {
            followed.map(|(joint, before)| RetargetFollow {
                source: from(joint),
                target: to(raw),
                before: before.to_f32(),
            })
        };
        let mut follows: Vec<RetargetFollow> = self.followed.iter().enumerate().filter_map(follow).collect();
        follows.sort_by_key(|follow| follow.target);
        let knee = |knee: Knee| RetargetKnee {
            joint: from(knee.joint),
            feet: knee.feet.map(from),
            shin: narrow(knee.shin),
        };
        let limb = |limb: &Limb| RetargetLimb {
            source: from(limb.source),
            target: limb.chain.map(to),
            axis: limb.axis.to_f32(),
            goal: match limb.reach {
                Reach::Ground(side) => RetargetGoal::Ground { knee: Some(knee(self.knees[side])) },
                Reach::Shoulders { source, target, ratio } => RetargetGoal::Shoulders {
                    source: source.map(from),
                    target: target.map(to),
                    ratio: narrow(ratio),
                },
            },
        };
        let carry = |carried: &Carried| RetargetCarry {
            target: to(carried.joint),
            by: to(carried.by),
            at: carried.at.to_f32(),
        };
        RetargetPlan {
            follows,
            facing: self.facing.to_f32(),
            ratio: narrow(self.report.ratio),
            lift: V3::new(0.0, self.lift, 0.0).to_f32(),
            source_hips: self.source_hips.map(from),
            target_hips: self.target_hips.map(to),
            limbs: self.limbs.iter().map(limb).collect(),
            carried: self.carried.iter().map(carry).collect(),
        }
    }

    /// A motion of the target, from one of the source: linear, with keys wherever the source has one, and between
    /// them where they are further apart than a rate says, for the same turns do not interpolate alike on other axes.
    ///
    /// # Errors
    ///
    /// [`RawEditError::Tracks`] for a motion of another skeleton; [`RawEditError::Rate`] and [`RawEditError::TooManyKeys`].
    pub fn motion(&self, motion: &RawAnimation, rate_hz: f64) -> Result<RawAnimation, RawEditError> {
        let clip = SceneAnimation { motion: motion.clone(), ..SceneAnimation::default() };
        self.clip(&clip, rate_hz)
    }

    /// The same of a clip whose root motion may stand beside it.
    fn clip(&self, clip: &SceneAnimation, rate_hz: f64) -> Result<RawAnimation, RawEditError> {
        let motion = &clip.motion;
        let (tracks, joints) = (motion.tracks.len(), self.source.joints.len());
        if tracks != joints {
            return Err(RawEditError::Tracks { tracks, joints });
        }
        let mut keys = vec![0.0];
        keys.extend(
            motion.time_points().into_iter().filter(|time_s| (0.0..motion.duration_s).contains(time_s)),
        );
        keys.push(motion.duration_s);
        keys.dedup();
        let mut times = Vec::new();
        for pair in keys.windows(2) {
            let [from, to] = [pair[0], pair[1]];
            let between = RawAnimation::fixed_rate_times(to - from, rate_hz)?;
            let parts = between.len().saturating_sub(1);
            times.extend((0..parts).map(|part| from + (to - from) * part as f64 / parts as f64));
            if times.len() > MOST_KEYS {
                return Err(RawEditError::TooManyKeys { keys: times.len() as f64, allowed: MOST_KEYS });
            }
        }
        times.push(motion.duration_s);
        let hips = self.target_hips[0];
        let mut tracks: Vec<RawTrack> = vec![RawTrack::default(); self.target.joints.len()];
        let mut before = self.rest();
        let footing = self.footing(clip, &times);
        for (index, time_s) in times.into_iter().enumerate() {
            let pose = self.posed(&motion.pose(&self.source, time_s), &footing, index);
            for (joint, track) in tracks.iter_mut().enumerate() {
                if self.moves(joint) {
                    let value = pose[joint].rotation.near(before[joint].rotation);
                    before[joint].rotation = value;
                    track.rotation.keys.push(Key { time_s, value });
                }
            }
            for joint in self.carried.iter().map(|carried| carried.joint).chain([hips]) {
                tracks[joint].translation.keys.push(Key { time_s, value: pose[joint].translation });
            }
        }
        for track in &mut tracks {
            track.rotation.curve = Curve::Linear;
            track.translation.curve = Curve::Linear;
        }
        Ok(RawAnimation { tracks, ..motion.clone() })
    }
}

/// A skeleton at rest, as a human.
struct Human {
    places: Vec<V3>,
    /// The middle of what hangs on each joint.
    below: Vec<Option<V3>>,
    rotations: Vec<Q4>,
    /// Hips, and both hip joints.
    hips: [usize; 3],
    /// To the left is x, up is y.
    frame: Q4,
    /// The length of a leg.
    leg: f64,
    /// How high the ankles are above the ground.
    ankle: f64,
    /// How high that is.
    ground: f64,
}

impl Human {
    fn new(name: &'static str, skeleton: &RawSkeleton, map: &BoneMap) -> Result<Self, RetargetError> {
        let joints = skeleton.joints.len();
        if let Some(joint) = map.joints.values().copied().find(|joint| *joint >= joints) {
            return Err(RetargetError::NoSuchJoint { skeleton: name, joint, joints });
        }
        // A head may be missing where something below it tells what is up.
        let top = [Part::Head, Part::Neck, Part::UpperChest, Part::Chest, Part::Spine].into_iter();
        let top = top.filter_map(|part| map.joints.get(&Bone { part, side: Side::Middle }).copied()).next();
        let missing: Vec<Bone> =
            map.missing().filter(|bone| bone.part != Part::Head || top.is_none()).collect();
        let (Some(top), true) = (top, missing.is_empty()) else {
            return Err(RetargetError::Missing { skeleton: name, bones: missing });
        };
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
        let up = places[top] - (left + right) * 0.5;
        let down = (at(Part::Foot, Side::Left) + at(Part::Foot, Side::Right)) * 0.5 - (left + right) * 0.5;
        let straight = up.normalize_or(V3::Y).dot(down.normalize_or(V3::Y * -1.0));
        if straight > UPRIGHT {
            let degrees = libm::acos(clamp(straight, -1.0, 1.0)).to_degrees();
            return Err(RetargetError::NotUpright { skeleton: name, degrees });
        }
        let y = (up - x * up.dot(x)).normalize_or(V3::Y);
        let frame = Q4::from_axes(x, y, x.cross(y));
        let mut lowest = f64::INFINITY;
        for (below, place) in places.iter().enumerate() {
            if sides.iter().any(|side| skeleton.is_above(joint(Part::Foot, *side), below)) {
                lowest = smaller(lowest, place.y);
            }
        }
        // Feet of a rest pose that stands are a little above the ground; motion capture rests with its hips there.
        let ground = if (-0.02..0.15).contains(&(lowest / length)) { 0.0 } else { lowest };
        let ankle = 0.5 * (at(Part::Foot, Side::Left).y + at(Part::Foot, Side::Right).y) - ground;
        let hips = [
            joint(Part::Hips, Side::Middle),
            joint(Part::UpperLeg, Side::Left),
            joint(Part::UpperLeg, Side::Right),
        ];
        let (below, rotations) = (aim::below(skeleton, &places), rotations(skeleton, &rest));
        Ok(Self { rotations, places, below, hips, frame, leg: length, ankle, ground })
    }
}

impl Human {
    /// How long arms are; `None` if one of them is not known.
    fn arm(&self, map: &BoneMap) -> Option<f64> {
        let mut sum = 0.0;
        for side in [Side::Left, Side::Right] {
            let [shoulder, elbow, hand] = ARM.map(|part| map.joints.get(&Bone { part, side }));
            let [shoulder, elbow, hand] = [*shoulder?, *elbow?, *hand?].map(|joint| self.places[joint]);
            sum += shoulder.distance(elbow) + elbow.distance(hand);
        }
        Some(sum).filter(|sum| *sum > 1e-9)
    }

    fn knees(&self, map: &BoneMap) -> [Knee; 2] {
        let mut feet = [joint_of(map, Part::Foot, Side::Left); 4];
        let all = [Side::Left, Side::Right].into_iter().flat_map(|side| map.foot(side));
        feet.iter_mut().zip(all).for_each(|(foot, joint)| *foot = joint);
        [Side::Left, Side::Right].map(|side| {
            let (joint, ankle) = (joint_of(map, Part::LowerLeg, side), joint_of(map, Part::Foot, side));
            Knee { joint, feet, shin: larger(self.places[joint].distance(self.places[ankle]), 1e-9) }
        })
    }
}

const ARM: [Part; 3] = [Part::UpperArm, Part::LowerArm, Part::Hand];

/// Of a bone that is needed: it is there.
fn joint_of(map: &BoneMap, part: Part, side: Side) -> usize {
    map.joints.get(&Bone { part, side }).copied().unwrap_or_default()
}

/// The joints of limbs that do not hang on what is above them in a body.
fn carried(skeleton: &RawSkeleton, map: &BoneMap) -> Vec<Carried> {
    let rest: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    let models = models(skeleton, &rest);
    let mut found = Vec::new();
    for side in [Side::Left, Side::Right] {
        for (above, below) in [
            (Part::UpperArm, Part::LowerArm),
            (Part::LowerArm, Part::Hand),
            (Part::UpperLeg, Part::LowerLeg),
            (Part::LowerLeg, Part::Foot),
            (Part::Foot, Part::Toes),
        ] {
            let joint = |part| map.joints.get(&Bone { part, side }).copied();
            let (Some(by), Some(joint)) = (joint(above), joint(below)) else { continue };
            // What hangs on the joint itself cannot carry it.
            if skeleton.is_above(by, joint) || skeleton.is_above(joint, by) {
                continue;
            }
            if let Some(back) = models[by].inverse() {
                found.push(Carried { joint, by, at: back.mul_point(models[joint].columns[3]) });
            }
        }
    }
    found
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
