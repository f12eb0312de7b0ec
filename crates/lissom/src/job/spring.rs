//! Bones that swing after the motion: hair, a cape, a tail.

use super::{
    JobError,
    error::{at_least, finite_matrix, finite_vector, not_below_0},
    kernel::turn::{direction, point, shortest, vector},
};
use lissom_math::{
    Mat34, Quat, Vec3,
    scalar::{add, dot, length, quat_conjugate, quat_is_finite, quat_mul, quat_rotate, scale, sub},
    simd::Backend,
    trig::floor,
};

/// How one bone swings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringBone {
    /// What pulls it to where the motion has it: the square of its own frequency, 1/s²; not below 0. 400
    /// swings three times a second.
    pub stiffness: f32,
    /// What slows it, 1/s; not below 0. Twice the root of the stiffness stops it without a swing. In a chain
    /// each bone is driven by the one above: below half that root it whips, and small differences grow
    /// large.
    pub damping: f32,
    /// How much of [`SpringJob::gravity`] pulls at it.
    pub weight: f32,
    /// How near its end may come to a collider, in metres; not below 0.
    pub radius: f32,
}

/// What a spring bone does not enter: a ball, or all within a distance of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringCollider {
    /// One end of the line, in world space.
    pub from: Vec3,
    /// The other; the same for a ball.
    pub to: Vec3,
    /// Metres; not below 0.
    pub radius: f32,
}

/// What is remembered of a bone: its end, in world space. Plain numbers, to be saved and compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringPoint {
    /// Where it was at the last step.
    pub place: Vec3,
    /// Metres a second.
    pub speed: Vec3,
    /// From the bone's start to its end, as the motion had it at the last frame, and at the one before.
    pub bone: [Vec3; 2],
}

/// What is remembered of a chain, beside its points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringClock {
    /// Where the chain started at the last frame, in world space, and at the one before.
    pub start: [Vec3; 2],
    /// What was between these two, in steps; 0: nothing is known before the last frame.
    pub frame: f32,
    /// Time that no step has been made for, in steps: below 1.
    pub left: f32,
    /// False: nothing is remembered, and the next frame starts at rest, as the motion has it.
    pub running: bool,
}

impl SpringPoint {
    pub(crate) fn check(&self) -> Result<(), JobError> {
        let Self { place, speed, bone: [last, before] } = *self;
        [place, speed, last, before].into_iter().try_for_each(|v| finite_vector("points", v))
    }
}

impl SpringClock {
    pub(crate) fn check(&self) -> Result<(), JobError> {
        not_below_0("clock.left", 0, self.left)?;
        if self.left >= 1.0 {
            // Each step that it says is left would be made.
            let (field, value, allowed) = ("clock.left", self.left.into(), "numbers below 1");
            return Err(JobError::Value { field, index: 0, value, allowed });
        }
        not_below_0("clock.frame", 0, self.frame)?;
        self.start.into_iter().try_for_each(|v| finite_vector("clock.start", v))
    }
}

/// Lets a chain of bones swing after the motion.
///
/// | field | | |
/// |---|---|---|
/// | `joints` | in | matrices in model space as the motion has them, the upper one first, each below the one before |
/// | `tip` | in | the end of the last bone, in its joint's space |
/// | `world` | in | from model to world space: what moves the character swings its hair too |
/// | `bones` | in | one a joint |
/// | `gravity` | in | an acceleration in world space |
/// | `colliders` | in | what the bones' ends stay out of, in world space |
/// | `dt_s` | in | seconds since the last frame |
/// | `clock`, `points` | in, out | what is remembered; one point a joint. Default values start at rest |
/// | `output` | out | a rotation a joint, to multiply from the right to its local rotation, `local · correction` |
///
/// # What is computed
///
/// The end of each bone is a point on a spring to where the motion would have it, given the bones above as
/// they are, and as far from the bone's start as the motion has it. Time goes in steps of 1/240 s, whatever
/// the frames are; what the motion does to the chain between two frames is the parabola through them and the
/// frame before. What is left of a frame is shown by speed, and kept for the next one. The springs are solved
/// implicitly: no stiffness makes them explode.
///
/// A frame longer than a quarter of a second makes 60 steps, and time beyond them is dropped. A `dt_s` of 0
/// moves nothing. A bone without length does not turn. The joints' own scales must be uniform. A matrix that
/// has no inverse gives no correction.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `bones`, `points` or `output` are shorter than `joints`.
/// - [`JobError::Value`]: a number is NaN or infinite, or `dt_s`, `stiffness`, `damping` or a radius is
///   negative. Numbers that are remembered count too.
///
/// # Cost and determinism
///
/// For each step and bone two square roots and one for each collider: plain code, no allocation. The same
/// inputs in the same frames give the same bits everywhere. Frames of other lengths differ by what the motion
/// does between them: the same rest, swings within a few percent.
#[derive(Debug)]
pub struct SpringJob<'a> {
    /// The chain in model space, the upper joint first.
    pub joints: &'a [Mat34],
    /// The end of the last bone, in its joint's space.
    pub tip: Vec3,
    /// From model to world space.
    pub world: Mat34,
    /// How each bone swings.
    pub bones: &'a [SpringBone],
    /// In world space, m/s².
    pub gravity: Vec3,
    /// What stays outside.
    pub colliders: &'a [SpringCollider],
    /// Seconds since the last frame.
    pub dt_s: f32,
    /// What is remembered of the chain.
    pub clock: &'a mut SpringClock,
    /// What is remembered of the bones.
    pub points: &'a mut [SpringPoint],
    /// What to turn.
    pub output: &'a mut [Quat],
}

/// Steps a second. A power of two times 15: frames of 15, 30, 60, 120 and 240 Hz are whole steps.
const STEPS_HZ: f32 = 240.0;
/// The most steps of a frame.
const MOST_STEPS: f32 = 60.0;
/// What a step may lack to count as made, in steps: a sixtieth of a second is four, however it was rounded.
const HAIR: f32 = 1.0e-4;

impl Default for SpringBone {
    /// Three swings a second, of which each is a quarter of the one before.
    fn default() -> Self {
        Self { stiffness: 400.0, damping: 16.0, weight: 1.0, radius: 0.0 }
    }
}

impl<'a> SpringJob<'a> {
    /// A chain in a world that is the model's, pulled down by gravity.
    #[must_use]
    pub fn new(
        joints: &'a [Mat34],
        tip: Vec3,
        bones: &'a [SpringBone],
        dt_s: f32,
        (clock, points): (&'a mut SpringClock, &'a mut [SpringPoint]),
        output: &'a mut [Quat],
    ) -> Self {
        let (world, gravity) = (Mat34::IDENTITY, Vec3::new(0.0, -9.81, 0.0));
        Self { joints, tip, world, bones, gravity, colliders: &[], dt_s, clock, points, output }
    }
}

impl SpringJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`SpringJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let count = self.joints.len();
        at_least("bones", "joints", self.bones.len(), count)?;
        at_least("points", "joints", self.points.len(), count)?;
        at_least("output", "joints", self.output.len(), count)?;
        self.joints.iter().try_for_each(|joint| finite_matrix("joints", joint))?;
        finite_vector("tip", self.tip)?;
        finite_matrix("world", &self.world)?;
        finite_vector("gravity", self.gravity)?;
        for (index, bone) in self.bones[..count].iter().enumerate() {
            let numbers = [
                ("bones.stiffness", bone.stiffness),
                ("bones.damping", bone.damping),
                ("bones.radius", bone.radius),
            ];
            numbers.into_iter().try_for_each(|(field, value)| not_below_0(field, index, value))?;
            // Gravity may push, too.
            not_below_0("bones.weight", index, bone.weight.abs())?;
        }
        for (index, collider) in self.colliders.iter().enumerate() {
            finite_vector("colliders.from", collider.from)?;
            finite_vector("colliders.to", collider.to)?;
            not_below_0("colliders.radius", index, collider.radius)?;
        }
        not_below_0("dt_s", 0, self.dt_s)?;
        if self.clock.running {
            self.clock.check()?;
            self.points[..count].iter().try_for_each(SpringPoint::check)?;
        }
        Ok(())
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// Listed at [`SpringJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs; plain code, the same on every backend.
    ///
    /// # Errors
    ///
    /// Listed at [`SpringJob`].
    pub fn run_on(&mut self, _backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        let Some(first) = self.joints.first() else { return Ok(()) };
        let start = point(&self.world, first.translation());
        if !self.clock.running {
            self.settle(start);
        }
        let frame = self.dt_s * STEPS_HZ;
        let frame = if frame < MOST_STEPS { frame } else { MOST_STEPS };
        let began = self.clock.left;
        let passed = began + frame;
        let steps = floor(passed + HAIR);
        let left = if passed > steps { passed - steps } else { 0.0 };
        for step in 1..=steps as u32 {
            // When this step ends, in steps of this frame; the first one may have begun in the frame before.
            let ended = step as f32 - began;
            let ended = if ended < frame { ended } else { frame };
            self.step(start, Moment { ended, frame, before: self.clock.frame });
        }
        self.show(start, left / STEPS_HZ);
        if self.dt_s > 0.0 {
            for i in 0..self.joints.len() {
                self.points[i].bone = [self.bone(i), self.points[i].bone[0]];
            }
            *self.clock = SpringClock { start: [start, self.clock.start[0]], frame, left, running: true };
        }
        Ok(())
    }

    /// As the motion has it, at rest.
    fn settle(&mut self, start: Vec3) {
        let mut at = start;
        for i in 0..self.joints.len() {
            let bone = self.bone(i);
            at = add(at, bone);
            self.points[i] = SpringPoint { place: at, speed: Vec3::ZERO, bone: [bone; 2] };
        }
        *self.clock = SpringClock { start: [start; 2], frame: 0.0, left: 0.0, running: true };
    }

    /// From a bone's start to its end as the motion has it now, in world space.
    fn bone(&self, i: usize) -> Vec3 {
        let end = match self.joints.get(i + 1) {
            Some(next) => next.translation(),
            None => point(&self.joints[i], self.tip),
        };
        vector(&self.world, sub(end, self.joints[i].translation()))
    }

    /// One step.
    fn step(&mut self, start: Vec3, moment: Moment) {
        const H: f32 = 1.0 / STEPS_HZ;
        let mut head = moment.between(self.clock.start, start);
        let mut turn = Quat::IDENTITY;
        for i in 0..self.joints.len() {
            let (spring, now) = (self.bones[i], self.bone(i));
            let point = &mut self.points[i];
            let bone = quat_rotate(turn, moment.between(point.bone, now));
            let target = add(head, bone);
            // Implicit: the pull and the drag are those at the end of the step.
            let pull =
                add(scale(sub(target, point.place), spring.stiffness), scale(self.gravity, spring.weight));
            let slower = 1.0 / (1.0 + H * (spring.damping + H * spring.stiffness));
            let speed = scale(add(point.speed, scale(pull, H)), slower);
            let reach = length(bone);
            let mut place = at_distance(head, add(point.place, scale(speed, H)), bone, reach);
            for collider in self.colliders {
                place = at_distance(head, pushed_out(collider, spring.radius, place), bone, reach);
            }
            point.speed = scale(sub(place, point.place), STEPS_HZ);
            point.place = place;
            let is = sub(place, head);
            if let (Some(was), Some(is)) = (direction(bone), direction(is)) {
                turn = quat_mul(shortest(was, is), turn);
            }
            head = place;
        }
    }

    /// What the points ask of the joints, so long after the last step.
    fn show(&mut self, start: Vec3, after_s: f32) {
        let into_model = self.world.inverse();
        let mut head = start;
        let mut turn = Quat::IDENTITY;
        for i in 0..self.joints.len() {
            let bone = quat_rotate(turn, self.bone(i));
            let point = self.points[i];
            let place = at_distance(head, add(point.place, scale(point.speed, after_s)), bone, length(bone));
            let found = self.correction(i, into_model.as_ref(), turn, sub(place, head));
            self.output[i] = found.filter(|q| quat_is_finite(*q)).unwrap_or(Quat::IDENTITY);
            if let (Some(was), Some(is)) = (direction(bone), direction(sub(place, head))) {
                turn = quat_mul(shortest(was, is), turn);
            }
            head = place;
        }
    }

    /// The turn of a joint, in its own space, that brings its bone to a direction in world space.
    fn correction(&self, i: usize, into_model: Option<&Mat34>, turn: Quat, to: Vec3) -> Option<Quat> {
        let into = self.joints[i].inverse()?;
        let from = direction(vector(&into, vector(into_model?, self.bone(i))))?;
        let unturned = quat_rotate(quat_conjugate(turn), to);
        let to = direction(vector(&into, vector(into_model?, unturned)))?;
        Some(shortest(from, to))
    }
}

/// When a step ends.
#[derive(Clone, Copy)]
struct Moment {
    /// In steps of this frame.
    ended: f32,
    /// This frame, and the one before; in steps.
    frame: f32,
    before: f32,
}

impl Moment {
    /// What something is then that was there at the last frame and the one before, and is there now.
    fn between(self, [last, before]: [Vec3; 2], now: Vec3) -> Vec3 {
        let rate = scale(sub(now, last), 1.0 / self.frame);
        let line = add(last, scale(rate, self.ended));
        if self.before <= 0.0 {
            return line;
        }
        let rate_before = scale(sub(last, before), 1.0 / self.before);
        let bend = self.ended * (self.ended - self.frame) / (self.frame + self.before);
        add(line, scale(sub(rate, rate_before), bend))
    }
}

/// The point on the line from a start through `through`, at a distance; along `bone` where they are the same.
fn at_distance(start: Vec3, through: Vec3, bone: Vec3, distance: f32) -> Vec3 {
    let way = sub(through, start);
    match direction(way) {
        Some(unit) => add(start, scale(unit, distance)),
        None => add(start, bone),
    }
}

/// A point as near as it may come to a collider.
fn pushed_out(collider: &SpringCollider, radius: f32, at: Vec3) -> Vec3 {
    let line = sub(collider.to, collider.from);
    let (along, l2) = (dot(sub(at, collider.from), line), dot(line, line));
    let share = if l2 > 0.0 { along / l2 } else { 0.0 };
    let share = if share > 1.0 {
        1.0
    } else if share > 0.0 {
        share
    } else {
        0.0
    };
    let nearest = add(collider.from, scale(line, share));
    let (way, least) = (sub(at, nearest), collider.radius + radius);
    let d2 = dot(way, way);
    if d2 >= least * least {
        return at;
    }
    match direction(way) {
        Some(out) => add(nearest, scale(out, least)),
        // In the middle of it: no way out is the nearest.
        None => at,
    }
}
