//! A chain of any number of joints that reaches for a target, each within its limits: a tail, a spine, an arm
//! with its shoulder.
//!
//! Cyclic coordinate descent: one joint after another, from the end up, turns so that the end comes as near
//! to the target as this joint can bring it. A limit is a limit of one joint's rotation, and there it is kept
//! the moment the joint turns. (FABRIK moves points and would have to make rotations of them, limit those,
//! and move the points again, at every step.)

use crate::job::{
    JobError,
    error::{at_least, finite_matrix, finite_number, finite_vector, has_direction},
    kernel::turn::{any_across, direction, point, shortest, unit},
};
use lissom_math::{
    Mat34, Quat, Transform, Vec3,
    scalar::{
        add, cross, dot, length, mul, quat_conjugate, quat_from_axis_angle, quat_is_finite, quat_mul,
        quat_near, quat_nlerp, quat_normalize, quat_rotate, scale, sub,
    },
    simd::Backend,
    trig::{acos, atan2},
};

/// What a joint may do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum JointLimit {
    /// Anything.
    #[default]
    Free,
    /// Nothing.
    Fixed,
    /// It turns about one axis: an elbow, a knee.
    Hinge {
        /// The local rotation that is 0 radians.
        rest: Quat,
        /// In the joint's space; of any length but 0.
        axis: Vec3,
        /// The least angle, in radians within ±π.
        from: f32,
        /// The largest, not below `from`.
        to: f32,
    },
    /// It swings away from a direction and turns about its bone: a shoulder, a vertebra.
    Cone {
        /// The local rotation in the middle.
        rest: Quat,
        /// The bone, in the joint's space; of any length but 0.
        axis: Vec3,
        /// How far it swings, in radians, in [0, π].
        swing: f32,
        /// How far it turns about its bone, either way, likewise.
        twist: f32,
    },
}

/// What [`ChainIkJob`] came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChainReport {
    /// True if the end is at the target, within the tolerance, and the weight is 1.
    pub reached: bool,
    /// How far the end is from it, as a share of the chain's length.
    pub missed: f32,
    /// Rounds that were made.
    pub rounds: u32,
}

/// Turns the joints of a chain, so that its end comes to a target.
///
/// | field | | |
/// |---|---|---|
/// | `parent` | in | the matrix, in model space, of what the first joint hangs on |
/// | `target` | in | where the last joint shall be, in model space |
/// | `limits` | in | one a joint; may be empty: all are free. That of the last joint does not count |
/// | `tolerance` | in | how near is near enough, as a share of the chain's length, above 0 |
/// | `rounds` | in | the most rounds; each turns every joint once |
/// | `weight` | in | how much of the turns, in [0, 1]; numbers outside count as the nearer end |
/// | `chain` | in, out | local transforms from the uppermost joint to the end, 2 to [`ChainIkJob::MOST`]; rotations change, but not the last one's |
/// | `output` | out | how near it came |
///
/// The chain starts from the pose that it has: a little of the target is a little of the pose. Joints that
/// are outside their limits are brought inside first. A chain that is straight, with a target on its line, is
/// bent a little to begin with. Scales must be uniform; what the chain hangs on may have any. What comes
/// nearest in all rounds is kept. A `parent` that has no inverse, a scale of 0 in the chain: only the limits
/// are kept.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `chain` has fewer than 2 joints, or `limits` fewer than `chain` (but not none).
/// - [`JobError::Mismatch`]: `chain` has more than [`ChainIkJob::MOST`].
/// - [`JobError::Value`]: a number is NaN or infinite, an axis has no direction, angles are out of range or
///   order, or the tolerance is not above 0.
///
/// # Cost and determinism
///
/// For each round and joint two square roots, and an arc tangent, a sine and a cosine where a limit is met;
/// from the seventh round on, the square of the joints. Plain code, no allocation, the same bits everywhere.
#[derive(Debug)]
pub struct ChainIkJob<'a> {
    /// What the first joint hangs on, in model space.
    pub parent: &'a Mat34,
    /// Where the last joint shall be, in model space.
    pub target: Vec3,
    /// What each joint may do.
    pub limits: &'a [JointLimit],
    /// A share of the chain's length.
    pub tolerance: f32,
    /// The most rounds.
    pub rounds: u32,
    /// How much, in [0, 1].
    pub weight: f32,
    /// The joints' local transforms.
    pub chain: &'a mut [Transform],
    /// How near it came.
    pub output: &'a mut ChainReport,
}

/// Rounds after which the chain is opened or closed by one joint, exactly: a target near the chain's length
/// is otherwise approached ever more slowly.
const PATIENCE: u32 = 6;

impl<'a> ChainIkJob<'a> {
    /// Free joints, to a ten-thousandth of the length, in up to 32 rounds.
    #[must_use]
    pub fn new(
        parent: &'a Mat34,
        target: Vec3,
        chain: &'a mut [Transform],
        output: &'a mut ChainReport,
    ) -> Self {
        Self { parent, target, limits: &[], tolerance: 1.0e-4, rounds: 32, weight: 1.0, chain, output }
    }
}

impl ChainIkJob<'_> {
    /// The most joints of a chain.
    pub const MOST: usize = 64;

    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`ChainIkJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let joints = self.chain.len();
        at_least("chain", "joints", joints, 2)?;
        if joints > Self::MOST {
            let (found, expected) = (joints, Self::MOST);
            return Err(JobError::Mismatch { field: "chain", unit: "joints", found, expected });
        }
        if !self.limits.is_empty() {
            at_least("limits", "joints", self.limits.len(), joints)?;
        }
        finite_matrix("parent", self.parent)?;
        finite_vector("target", self.target)?;
        finite_number("weight", self.weight)?;
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            let value = self.tolerance.into();
            return Err(JobError::Value { field: "tolerance", index: 0, value, allowed: "numbers above 0" });
        }
        for (index, joint) in self.chain.iter().enumerate() {
            if !joint.is_finite() {
                let value = joint.to_array().into_iter().find(|v| !v.is_finite()).unwrap_or(f32::NAN).into();
                return Err(JobError::Value { field: "chain", index, value, allowed: "finite numbers" });
            }
        }
        self.limits.iter().enumerate().try_for_each(|(index, limit)| limit.check(index))
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// Listed at [`ChainIkJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs; plain code, the same on every backend.
    ///
    /// # Errors
    ///
    /// Listed at [`ChainIkJob`].
    pub fn run_on(&mut self, _backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        *self.output = self.solve();
        Ok(())
    }

    fn solve(&mut self) -> ChainReport {
        let count = self.chain.len();
        let turning = count - 1;
        let mut before = [Quat::IDENTITY; Self::MOST];
        for (i, kept) in before[..turning].iter_mut().enumerate() {
            *kept = self.chain[i].rotation;
            let limited = self.limit(i).kept(*kept);
            self.chain[i].rotation = limited;
        }
        let Some(target) = self.parent.inverse().map(|into| point(&into, self.target)) else {
            return ChainReport::default();
        };
        let reach = self.reach();
        let near = self.tolerance * reach;
        let mut best = ([Quat::IDENTITY; Self::MOST], f32::INFINITY);
        let mut missed = length(sub(self.end(), target));
        let (mut rounds, mut bends) = (0, 0);
        loop {
            if missed < best.1 {
                best.1 = missed;
                for (kept, joint) in best.0[..turning].iter_mut().zip(self.chain.iter()) {
                    *kept = joint.rotation;
                }
            }
            if missed <= near || rounds >= self.rounds {
                break;
            }
            let was = missed;
            self.round(target);
            if rounds >= PATIENCE {
                self.stretch(target);
            }
            missed = length(sub(self.end(), target));
            rounds += 1;
            // It does not come nearer though it could: no joint sees the target aside of its line.
            if missed > near && missed > was * 0.999 && length(target) < reach && bends < 2 {
                self.bend();
                bends += 1;
                missed = length(sub(self.end(), target));
            }
            if !missed.is_finite() {
                break;
            }
        }
        let missed = if best.1.is_finite() { best.1 } else { 0.0 };
        let weight = unit(self.weight);
        for (i, (was, best_is)) in before.into_iter().zip(best.0).enumerate().take(turning) {
            let found = if best.1.is_finite() { best_is } else { self.limit(i).kept(was) };
            self.chain[i].rotation = if weight < 1.0 { quat_nlerp(was, found, weight) } else { found };
        }
        let reached = missed <= near && best.1.is_finite() && self.weight >= 1.0;
        ChainReport { reached, missed: if reach > 0.0 { missed / reach } else { 0.0 }, rounds }
    }

    fn limit(&self, i: usize) -> JointLimit {
        self.limits.get(i).copied().unwrap_or_default()
    }

    /// The length of the bones, in the space of what the chain hangs on.
    fn reach(&self) -> f32 {
        let (mut reach, mut size) = (0.0, 1.0);
        for (i, joint) in self.chain.iter().enumerate() {
            // How far the first joint is from what it hangs on does not bend.
            if i > 0 {
                reach += size * length(joint.translation);
            }
            size *= joint.scale.x.abs();
        }
        reach
    }

    /// The end, in the space of what the chain hangs on.
    fn end(&self) -> Vec3 {
        self.chain.iter().rev().fold(Vec3::ZERO, |end, joint| carried(joint, end))
    }

    /// Every joint once, the lowest first.
    fn round(&mut self, target: Vec3) {
        let turning = self.chain.len() - 1;
        // The target as each joint sees it; what turns below it does not change that.
        let mut seen = [Vec3::ZERO; Self::MOST];
        let mut at = target;
        for (seen, joint) in seen[..turning].iter_mut().zip(self.chain.iter()) {
            at = carried_back(joint, at);
            *seen = at;
        }
        let mut end = self.chain[turning].translation;
        for i in (0..turning).rev() {
            self.aim(i, end, seen[i]);
            end = carried(&self.chain[i], end);
        }
    }

    /// Turns joints until the end is as far from the start as the target is, by the law of cosines, one joint
    /// after another as far as needed; then the first one towards the target.
    fn stretch(&mut self, target: Vec3) {
        let turning = self.chain.len() - 1;
        for k in (1..turning).rev() {
            // Start and end, as this joint sees them, and how large its space is.
            let (mut start, mut size) = (self.chain[0].translation, 1.0);
            for joint in &self.chain[..=k] {
                start = carried_back(joint, start);
                size *= joint.scale.x.abs();
            }
            let end = self.chain[k + 1..].iter().rev().fold(Vec3::ZERO, |end, joint| carried(joint, end));
            let (a, b) = (length(start), length(end));
            let (sine, cosine) = (cross(start, end), dot(start, end));
            let Some(axis) = direction(sine).or_else(|| Some(any_across(direction(end)?))) else { continue };
            let wanted = length(sub(target, self.chain[0].translation)) / size;
            let cosine_wanted = (a * a + b * b - wanted * wanted) / (2.0 * a * b);
            let cosine_wanted = if cosine_wanted < -1.0 {
                -1.0
            } else if cosine_wanted < 1.0 {
                cosine_wanted
            } else {
                1.0
            };
            let angle = acos(cosine_wanted) - atan2(length(sine), cosine);
            let limit = self.limit(k);
            let turned = limit.kept(quat_mul(self.chain[k].rotation, quat_from_axis_angle(axis, angle)));
            if limit != JointLimit::Fixed && quat_is_finite(turned) {
                self.chain[k].rotation = quat_normalize(turned);
            }
        }
        let end = self.chain[1..].iter().rev().fold(Vec3::ZERO, |end, joint| carried(joint, end));
        self.aim(0, end, carried_back(&self.chain[0], target));
    }

    /// Turns a joint so that the end is on the line to the target, both as the joint sees them, or as near as
    /// its limit allows.
    fn aim(&mut self, i: usize, end: Vec3, target: Vec3) {
        let limit = self.limit(i);
        if limit != JointLimit::Fixed
            && let (Some(from), Some(to)) = (direction(end), direction(target))
        {
            let turned = limit.kept(quat_normalize(quat_mul(self.chain[i].rotation, shortest(from, to))));
            if quat_is_finite(turned) {
                self.chain[i].rotation = turned;
            }
        }
    }

    /// A tenth of a turn a joint, each about what it can.
    fn bend(&mut self) {
        for i in 0..self.chain.len() - 1 {
            let bone = direction(self.chain[i + 1].translation).unwrap_or(Vec3::X);
            let limit = self.limit(i);
            let axis = match limit {
                JointLimit::Fixed => continue,
                JointLimit::Hinge { axis, .. } => direction(axis).unwrap_or(Vec3::X),
                _ => any_across(bone),
            };
            let turn = quat_from_axis_angle(axis, 0.3);
            let there = limit.kept(quat_mul(self.chain[i].rotation, turn));
            let back = limit.kept(quat_mul(self.chain[i].rotation, quat_conjugate(turn)));
            // A joint at its limit bends the other way.
            let moved = |q: Quat| 1.0 - lissom_math::scalar::quat_dot(q, self.chain[i].rotation).abs();
            self.chain[i].rotation = if moved(there) >= moved(back) { there } else { back };
        }
    }
}

impl JointLimit {
    fn check(&self, index: usize) -> Result<(), JobError> {
        let wrong = |value: f32, allowed: &'static str| {
            Err(JobError::Value { field: "limits", index, value: value.into(), allowed })
        };
        let (rest, axis) = match *self {
            Self::Free | Self::Fixed => return Ok(()),
            Self::Hinge { rest, axis, from, to } => {
                if !(from >= -core::f32::consts::PI && to <= core::f32::consts::PI && from <= to) {
                    return wrong(from, "angles in [-π, π], the least first");
                }
                (rest, axis)
            }
            Self::Cone { rest, axis, swing, twist } => {
                for angle in [swing, twist] {
                    if !(0.0..=core::f32::consts::PI).contains(&angle) {
                        return wrong(angle, "angles in [0, π]");
                    }
                }
                (rest, axis)
            }
        };
        if !quat_is_finite(rest) {
            return wrong(f32::NAN, "finite rotations");
        }
        has_direction("limits", axis)
    }

    /// The nearest rotation that is allowed.
    fn kept(&self, local: Quat) -> Quat {
        match *self {
            Self::Free | Self::Fixed => local,
            Self::Hinge { rest, axis, from, to } => {
                let Some(axis) = direction(axis) else { return local };
                let (_, angle) = apart(quat_mul(quat_conjugate(rest), local), axis);
                let angle = if angle < from {
                    from
                } else if angle > to {
                    to
                } else {
                    angle
                };
                quat_mul(rest, quat_from_axis_angle(axis, angle))
            }
            Self::Cone { rest, axis, swing, twist } => {
                let Some(axis) = direction(axis) else { return local };
                let (swung, angle) = apart(quat_mul(quat_conjugate(rest), local), axis);
                let v = Vec3::new(swung.x, swung.y, swung.z);
                let sine = length(v);
                let swing_is = 2.0 * atan2(sine, swung.w);
                let inside = swing_is <= swing && angle.abs() <= twist;
                if inside {
                    return local;
                }
                let swung = match direction(v) {
                    Some(about) if swing_is > swing => quat_from_axis_angle(about, swing),
                    _ => swung,
                };
                let angle = if angle > twist {
                    twist
                } else if angle < -twist {
                    -twist
                } else {
                    angle
                };
                quat_normalize(quat_mul(rest, quat_mul(swung, quat_from_axis_angle(axis, angle))))
            }
        }
    }
}

/// A rotation as a turn about an axis, in radians within ±π, and what swings the axis after it.
fn apart(q: Quat, axis: Vec3) -> (Quat, f32) {
    let q = quat_near(q, Quat::IDENTITY);
    let along = dot(Vec3::new(q.x, q.y, q.z), axis);
    let v = scale(axis, along);
    let twist = quat_normalize(Quat::from_xyzw(v.x, v.y, v.z, q.w));
    let swing = quat_near(quat_mul(q, quat_conjugate(twist)), Quat::IDENTITY);
    (swing, 2.0 * atan2(along, q.w))
}

/// From a joint's space into that of what it hangs on.
fn carried(joint: &Transform, at: Vec3) -> Vec3 {
    add(joint.translation, quat_rotate(joint.rotation, mul(joint.scale, at)))
}

/// And back; a scale of 0 has no way back.
fn carried_back(joint: &Transform, at: Vec3) -> Vec3 {
    let turned = quat_rotate(quat_conjugate(joint.rotation), sub(at, joint.translation));
    let over = |v: f32, by: f32| if by == 0.0 { 0.0 } else { v / by };
    let by = joint.scale;
    Vec3::new(over(turned.x, by.x), over(turned.y, by.y), over(turned.z, by.z))
}
