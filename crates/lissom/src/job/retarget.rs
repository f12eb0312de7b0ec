//! A pose of one skeleton on another, while a game runs.

use super::{
    JobError, LocalToModelJob, Models, TwoBoneCorrection, TwoBoneIkJob, Update,
    error::{at_least, finite_number, finite_vector},
    kernel::turn::direction,
};
use crate::Skeleton;
use alloc::{vec, vec::Vec};
use lissom_math::{
    Mat34, Quat, Vec3,
    scalar::{
        add, cross, length, quat_conjugate, quat_is_finite, quat_mul, quat_normalize, quat_rotate, scale, sub,
    },
    simd::Backend,
    soa::{GROUP, SoaTransform, group_count, lane},
};

/// What [`RetargetJob`] knows of two skeletons. `lissom_build::retarget` makes one, from the names of their
/// joints and their rest poses; the fields are plain numbers, to be kept wherever a game keeps its own.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetPlan {
    /// Joints of the target that follow one of the source, rising.
    pub follows: Vec<RetargetFollow>,
    /// From the source's axes to the target's.
    pub facing: Quat,
    /// How much longer the target's legs are.
    pub ratio: f32,
    /// Added to places, after they are turned and scaled.
    pub lift: Vec3,
    /// The source's hip joints: left, right.
    pub source_hips: [usize; 2],
    /// The target's hips, and its hip joints.
    pub target_hips: [usize; 3],
    /// Limbs that end where the source's do.
    pub limbs: Vec<RetargetLimb>,
    /// Joints that go with a limb that they do not hang on, upper ones first.
    pub carried: Vec<RetargetCarry>,
}

/// A joint of the target that goes with another one, which is not above it: a foot that hangs on the root goes with the shin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetCarry {
    /// The joint.
    pub target: usize,
    /// What carries it.
    pub by: usize,
    /// Where it is, as seen from what carries it.
    pub at: Vec3,
}

/// A joint that turns as another does: in model space `facing · source · before`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetFollow {
    /// Joint of the source.
    pub source: usize,
    /// Joint of the target.
    pub target: usize,
    /// What the target's rest pose is turned by, seen from the source's.
    pub before: Quat,
}

/// An arm or a leg that reaches for where the source's ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetLimb {
    /// Of the source: the joint at the end.
    pub source: usize,
    /// Of the target: shoulder, elbow, hand; hip, knee, ankle.
    pub target: [usize; 3],
    /// About which it bends when it is straight, in the space of the middle joint; positive turns open it.
    pub axis: Vec3,
    /// Where the source's end is on the target.
    pub goal: RetargetGoal,
}

/// Where an end of the source is on the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RetargetGoal {
    /// As the hips go: in the measure of the legs, from the ground. For feet.
    Ground {
        /// The leg has no goal while its knee is on the ground; `None`: it always has one.
        knee: Option<RetargetKnee>,
    },
    /// As seen from between the shoulders, in the measure of the arms. For hands.
    Shoulders {
        /// Joints of the source: left, right.
        source: [usize; 2],
        /// Joints of the target.
        target: [usize; 2],
        /// How much longer the target's arms are.
        ratio: f32,
    },
}

/// A leg of the source. Its knee is on the ground where it is less than a quarter of the shin above the lowest foot; from a half on
/// it is not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetargetKnee {
    /// The knee.
    pub joint: usize,
    /// Heels and toes of both feet; some may be there twice.
    pub feet: [usize; 4],
    /// How long the shin is, above 0.
    pub shin: f32,
}

impl RetargetKnee {
    /// 1 where the foot carries, 0 where the knee does, by how high joints are.
    fn upright(&self, height: impl Fn(usize) -> f32) -> f32 {
        let mut lowest = height(self.feet[0]);
        for joint in self.feet {
            let at = height(joint);
            lowest = if at < lowest { at } else { lowest };
        }
        let x = (height(self.joint) - lowest - 0.25 * self.shin) / (0.25 * self.shin);
        let x = if x > 0.0 { x } else { 0.0 };
        let x = if x < 1.0 { x } else { 1.0 };
        x * x * (3.0 - 2.0 * x)
    }
}

/// The room that a [`RetargetJob`] works in. Made once; one a thread is enough.
#[derive(Clone, Debug, Default)]
pub struct RetargetScratch {
    /// Matrices of both skeletons.
    source_models: Vec<Mat34>,
    target_models: Vec<Mat34>,
    /// Rotations in model space.
    source_turns: Vec<Quat>,
    target_turns: Vec<Quat>,
}

impl RetargetScratch {
    /// Room for two skeletons.
    #[must_use]
    pub fn new(source: &Skeleton, target: &Skeleton) -> Self {
        let (from, to) = (source.joint_count(), target.joint_count());
        Self {
            source_models: vec![Mat34::IDENTITY; from],
            target_models: vec![Mat34::IDENTITY; to],
            source_turns: vec![Quat::IDENTITY; from],
            target_turns: vec![Quat::IDENTITY; to],
        }
    }
}

/// Makes a pose of one skeleton from one of another.
///
/// | field | | |
/// |---|---|---|
/// | `plan` | in | what belongs to what |
/// | `source`, `target` | in | the skeletons |
/// | `input` | in | a pose of the source, at least `source.group_count()` groups |
/// | `scratch` | in, out | made for these skeletons, or larger ones |
/// | `output` | out | the pose of the target, at least `target.group_count()` groups |
///
/// Joints that follow none keep their rest pose on what they hang on. The hips go the source's way in the
/// measure of the legs; every other translation, and every scale, is the target's own. Limbs end where the
/// source's do, if they are long enough ([`RetargetGoal`]). What is carried is put where its limb takes it. Root motion that was
/// taken out of a clip goes the same way: turned by `facing`, times `ratio`.
///
/// # Errors
///
/// - [`JobError::NoSuchJoint`]: the plan names a joint that a skeleton does not have.
/// - [`JobError::Value`]: a number of the plan is NaN or infinite, or a limb's `axis` has no direction.
/// - [`JobError::TooShort`]: a pose or the scratch.
///
/// # Cost and determinism
///
/// Two local-to-model jobs, two quaternion products for each joint, a two-bone job for each limb, a local-to-model job
/// for each joint that is carried. No allocation. The same bits everywhere.
#[derive(Debug)]
pub struct RetargetJob<'a> {
    /// What belongs to what.
    pub plan: &'a RetargetPlan,
    /// Whose pose it is.
    pub source: &'a Skeleton,
    /// Whose pose it becomes.
    pub target: &'a Skeleton,
    /// The source's pose.
    pub input: &'a [SoaTransform],
    /// Room to work in.
    pub scratch: &'a mut RetargetScratch,
    /// The target's pose.
    pub output: &'a mut [SoaTransform],
}

impl RetargetJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`RetargetJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let (from, to) = (self.source.joint_count(), self.target.joint_count());
        let below = |field, joint, joints| match joint < joints {
            true => Ok(()),
            false => Err(JobError::NoSuchJoint { field, joint, joints }),
        };
        let turn = |field, index, q: Quat| match quat_is_finite(q) {
            true => Ok(()),
            false => Err(JobError::Value { field, index, value: f64::NAN, allowed: "finite rotations" }),
        };
        let plan = self.plan;
        for (index, follow) in plan.follows.iter().enumerate() {
            below("plan.follows.source", follow.source, from)?;
            below("plan.follows.target", follow.target, to)?;
            turn("plan.follows.before", index, follow.before)?;
        }
        turn("plan.facing", 0, plan.facing)?;
        finite_number("plan.ratio", plan.ratio)?;
        finite_vector("plan.lift", plan.lift)?;
        plan.source_hips.iter().try_for_each(|joint| below("plan.source_hips", *joint, from))?;
        plan.target_hips.iter().try_for_each(|joint| below("plan.target_hips", *joint, to))?;
        for limb in &plan.limbs {
            below("plan.limbs.source", limb.source, from)?;
            limb.target.iter().try_for_each(|joint| below("plan.limbs.target", *joint, to))?;
            super::error::has_direction("plan.limbs.axis", limb.axis)?;
            match limb.goal {
                RetargetGoal::Ground { knee: None } => {}
                RetargetGoal::Ground { knee: Some(knee) } => {
                    below("plan.limbs.goal.knee", knee.joint, from)?;
                    knee.feet.iter().try_for_each(|joint| below("plan.limbs.goal.feet", *joint, from))?;
                    finite_number("plan.limbs.goal.shin", knee.shin)?;
                }
                RetargetGoal::Shoulders { source, target, ratio } => {
                    source.iter().try_for_each(|joint| below("plan.limbs.goal.source", *joint, from))?;
                    target.iter().try_for_each(|joint| below("plan.limbs.goal.target", *joint, to))?;
                    finite_number("plan.limbs.goal.ratio", ratio)?;
                }
            }
        }
        for carry in &plan.carried {
            below("plan.carried.target", carry.target, to)?;
            below("plan.carried.by", carry.by, to)?;
            finite_vector("plan.carried.at", carry.at)?;
        }
        at_least("input", "groups", self.input.len(), group_count(from))?;
        at_least("output", "groups", self.output.len(), group_count(to))?;
        at_least("scratch", "joints of the source", self.scratch.source_models.len(), from)?;
        at_least("scratch", "joints of the target", self.scratch.target_models.len(), to)
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`RetargetJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend.
    ///
    /// # Errors
    ///
    /// Listed at [`RetargetJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        let (plan, target) = (self.plan, self.target);
        let RetargetScratch { source_models, target_models, source_turns, target_turns } = &mut *self.scratch;
        matrices(backend, self.source, self.input, source_models)?;
        for joint in self.source.depth_first() {
            let own = lane(self.input, joint).rotation;
            source_turns[joint] =
                self.source.parent(joint).map_or(own, |parent| quat_mul(source_turns[parent], own));
        }
        self.output[..target.group_count()].copy_from_slice(target.rest_pose());

        // 1. Rotations, upper joints first.
        let mut follows = plan.follows.iter().peekable();
        for joint in target.depth_first() {
            let parent = target.parent(joint).map_or(Quat::IDENTITY, |parent| target_turns[parent]);
            target_turns[joint] = match follows.next_if(|follow| follow.target == joint) {
                Some(follow) => {
                    let turn = quat_mul(plan.facing, quat_mul(source_turns[follow.source], follow.before));
                    let turn = quat_normalize(turn);
                    set_rotation(self.output, joint, quat_mul(quat_conjugate(parent), turn));
                    turn
                }
                None => quat_mul(parent, lane(self.output, joint).rotation),
            };
        }

        // 2. The hips, by what is between the hip joints: there the legs hang.
        matrices(backend, target, self.output, target_models)?;
        let place = |models: &[Mat34], joint: usize| models[joint].translation();
        let between =
            |models: &[Mat34], left, right| scale(add(place(models, left), place(models, right)), 0.5);
        let goal = |at: Vec3| add(scale(quat_rotate(plan.facing, at), plan.ratio), plan.lift);
        let ([left, right], [hips, own_left, own_right]) = (plan.source_hips, plan.target_hips);
        let moved =
            sub(goal(between(source_models, left, right)), between(target_models, own_left, own_right));
        let parent = target.parent(hips).map_or(Mat34::IDENTITY, |parent| target_models[parent]);
        if let Some(back) = parent.inverse() {
            let at = add(place(target_models, hips), moved);
            let at = back.mul_point([at.x, at.y, at.z]);
            self.output[hips / GROUP].translation.set_lane(hips % GROUP, Vec3::new(at[0], at[1], at[2]));
        }

        // 3. Limbs. They moved along with the hips: it is the goals on the ground that are moved back.
        for limb in &plan.limbs {
            let at = place(source_models, limb.source);
            let goal = match limb.goal {
                RetargetGoal::Ground { knee } => {
                    let goal = sub(goal(at), moved);
                    let height = |joint| quat_rotate(plan.facing, place(source_models, joint)).y;
                    match knee.map(|knee| knee.upright(height)) {
                        None | Some(1.0) => goal,
                        Some(share) => {
                            let own = place(target_models, limb.target[2]);
                            add(own, scale(sub(goal, own), share))
                        }
                    }
                }
                RetargetGoal::Shoulders { source: [left, right], target: [own_left, own_right], ratio } => {
                    let from = sub(at, between(source_models, left, right));
                    let from = scale(quat_rotate(plan.facing, from), ratio);
                    add(between(target_models, own_left, own_right), from)
                }
            };
            limb.reach(target, target_models, target_turns, goal, self.output)?;
        }

        // 4. What hangs elsewhere. One may hang on another that was carried before it.
        for carry in &plan.carried {
            matrices(backend, target, self.output, target_models)?;
            let parent = target.parent(carry.target).map_or(Mat34::IDENTITY, |parent| target_models[parent]);
            if let Some(back) = parent.inverse() {
                let at = back.mul_point(target_models[carry.by].mul_point(carry.at.to_array()));
                self.output[carry.target / GROUP]
                    .translation
                    .set_lane(carry.target % GROUP, Vec3::new(at[0], at[1], at[2]));
            }
        }
        Ok(())
    }
}

impl RetargetLimb {
    /// Turns the chain; what hangs on its end keeps its direction.
    fn reach(
        &self,
        skeleton: &Skeleton,
        models: &[Mat34],
        turns: &[Quat],
        goal: Vec3,
        pose: &mut [SoaTransform],
    ) -> Result<(), JobError> {
        let [start, mid, end] = self.target;
        let [a, b, c] = self.target.map(|joint| models[joint].translation());
        let (up, down) = (sub(a, b), sub(c, b));
        let across = cross(up, down);
        // In the middle joint's space; of a limb that is straight, as the plan says.
        let bent = length(across) > 1.0e-3 * length(up) * length(down);
        let own = quat_rotate(quat_conjugate(turns[mid]), across);
        let mid_axis = if bent { direction(own).unwrap_or(self.axis) } else { self.axis };
        let mut output = TwoBoneCorrection::default();
        TwoBoneIkJob {
            mid_axis,
            pole: Vec3::ZERO,
            ..TwoBoneIkJob::new([&models[start], &models[mid], &models[end]], goal, &mut output)
        }
        .run()?;
        for (joint, turn) in [(start, output.start), (mid, output.mid)] {
            set_rotation(pose, joint, quat_mul(lane(pose, joint).rotation, turn));
        }
        // The end's direction, seen from where its parent is now.
        let mut parent = Quat::IDENTITY;
        let mut joint = end;
        while joint != start {
            let Some(above) = skeleton.parent(joint) else { return Ok(()) };
            parent = quat_mul(lane(pose, above).rotation, parent);
            joint = above;
        }
        let above = skeleton.parent(start).map_or(Quat::IDENTITY, |above| turns[above]);
        set_rotation(pose, end, quat_mul(quat_conjugate(quat_mul(above, parent)), turns[end]));
        Ok(())
    }
}

fn matrices(
    backend: Backend,
    skeleton: &Skeleton,
    locals: &[SoaTransform],
    models: &mut [Mat34],
) -> Result<(), JobError> {
    let (update, models) = (Update::All, Models::Mat34(models));
    LocalToModelJob { skeleton, locals, root: None, update, lod: None, models }.run_on(backend)
}

fn set_rotation(pose: &mut [SoaTransform], joint: usize, turn: Quat) {
    pose[joint / GROUP].rotation.set_lane(joint % GROUP, quat_normalize(turn));
}
