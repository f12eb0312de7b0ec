//! The feet of many characters.

use super::{
    numbered, put_matrix, put_vector,
    two_bone::{WideCorrection, WideTwoBone},
};
use crate::job::{
    JobError,
    error::at_least,
    ik::foot::{FootJob, Ground, Leg, LegCorrection, check, pelvis_of},
    kernel::{
        turn::direction as direction_of,
        turn_wide::{any, direction, share, shortest, unit},
    },
};
use lissom_math::{
    Vec3, dispatch,
    simd::{Backend, LEN, Simd, WideMat34, WideQuat, WideVec3, load, prelude::*, splat, store},
    soa::{GROUP, Lanes, SoaMat34, SoaQuat, SoaVec3},
    trig,
};

/// A character for a [`FootBatchJob`]: the inputs of a [`FootJob`], where they are described.
#[derive(Clone, Copy, Debug)]
pub struct Stance<'a> {
    /// The legs.
    pub legs: &'a [Leg<'a>],
    /// Against gravity, in model space.
    pub up: Vec3,
    /// How far the pelvis may sink, in metres.
    pub lowest: f32,
    /// How far it may rise.
    pub highest: f32,
    /// The steepest slope that an ankle follows, in radians.
    pub steepest: f32,
}

impl<'a> Stance<'a> {
    /// Up is y; the pelvis sinks or rises by up to half a metre, ankles follow slopes of up to 45 degrees.
    #[must_use]
    pub fn new(legs: &'a [Leg<'a>]) -> Self {
        let steepest = core::f32::consts::FRAC_PI_4;
        Self { legs, up: Vec3::Y, lowest: 0.5, highest: 0.5, steepest }
    }

    /// The job that puts down this character alone.
    #[must_use]
    pub fn job<'b>(&self, pelvis: &'b mut f32, output: &'b mut [LegCorrection]) -> FootJob<'b>
    where
        'a: 'b,
    {
        let Self { legs, up, lowest, highest, steepest } = *self;
        FootJob { legs, up, lowest, highest, steepest, pelvis, output }
    }
}

/// [`FootJob`] for many characters.
///
/// | field | | |
/// |---|---|---|
/// | `stances` | in | any number of characters, of the same or of other numbers of legs |
/// | `pelvises` | out | metres along its `up` by which each character's pelvis is to be moved |
/// | `output` | out | the corrections of the first character's legs, then those of the second, and so on |
///
/// Each number has the bits that [`FootJob`] gives for the character alone, whatever stands beside it.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `pelvises` is shorter than `stances`, or `output` than all legs.
/// - [`JobError::Value`]: as of [`FootJob`]; `index` is the number of the character.
///
/// # Cost and determinism
///
/// Legs with ground under them are solved side by side, as many as the backend has lanes, whoever's they are; those without
/// cost nothing: `BENCHMARKS.md`. No allocation, the same bits on every backend.
#[derive(Debug)]
pub struct FootBatchJob<'a> {
    /// The characters.
    pub stances: &'a [Stance<'a>],
    /// How far to move each pelvis.
    pub pelvises: &'a mut [f32],
    /// What to turn, a leg each.
    pub output: &'a mut [LegCorrection],
}

impl<'a> FootBatchJob<'a> {
    /// Characters, a number for each pelvis, and room for the corrections of all legs.
    #[must_use]
    pub fn new(stances: &'a [Stance<'a>], pelvises: &'a mut [f32], output: &'a mut [LegCorrection]) -> Self {
        Self { stances, pelvises, output }
    }

    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`FootBatchJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let legs = self.stances.iter().map(|stance| stance.legs.len()).sum();
        at_least("pelvises", "characters", self.pelvises.len(), self.stances.len())?;
        at_least("output", "legs", self.output.len(), legs)?;
        self.stances.iter().enumerate().try_for_each(|(i, stance)| numbered(check(stance), i))
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`FootBatchJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend: same bits.
    ///
    /// # Errors
    ///
    /// Listed at [`FootBatchJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        dispatch!(backend, s => place_all(s, self.stances, self.pelvises, self.output));
        Ok(())
    }
}

#[inline(always)]
fn place_all<S: Simd>(s: S, stances: &[Stance<'_>], pelvises: &mut [f32], output: &mut [LegCorrection]) {
    let mut room = Room::new();
    let mut number = 0;
    for (stance, to) in stances.iter().zip(pelvises) {
        let up = direction_of(stance.up).unwrap_or(Vec3::Y);
        let pelvis = pelvis_of(stance, up);
        *to = pelvis;
        for leg in stance.legs {
            match leg.ground {
                Some(ground) => {
                    room.push(leg, ground, up, pelvis, stance.steepest, number);
                    if room.filled == LEN::<S>() {
                        room.place(s, output);
                    }
                }
                None => output[number] = LegCorrection::default(),
            }
            number += 1;
        }
    }
    if room.filled > 0 {
        room.place(s, output);
    }
}

/// The inputs of as many legs as there are lanes.
struct Room {
    hip: SoaMat34,
    knee: SoaMat34,
    ankle: SoaMat34,
    knee_axis: SoaVec3,
    place: SoaVec3,
    normal: SoaVec3,
    up: SoaVec3,
    ankle_height: Lanes,
    weight: Lanes,
    pelvis: Lanes,
    steepest: Lanes,
    /// Where each goes.
    numbers: [usize; GROUP],
    filled: usize,
}

impl Room {
    #[inline(always)]
    fn new() -> Self {
        let (one, zero, none) = (SoaMat34::IDENTITY, SoaVec3::ZERO, Lanes::splat(0.0));
        Self {
            hip: one,
            knee: one,
            ankle: one,
            knee_axis: zero,
            place: zero,
            normal: zero,
            up: zero,
            ankle_height: none,
            weight: none,
            pelvis: none,
            steepest: none,
            numbers: [0; GROUP],
            filled: 0,
        }
    }

    #[inline(always)]
    fn push(&mut self, leg: &Leg<'_>, ground: Ground, up: Vec3, pelvis: f32, steepest: f32, number: usize) {
        let lane = self.filled;
        put_matrix(&mut self.hip, lane, leg.hip);
        put_matrix(&mut self.knee, lane, leg.knee);
        put_matrix(&mut self.ankle, lane, leg.ankle);
        put_vector(&mut self.knee_axis, lane, leg.knee_axis);
        put_vector(&mut self.place, lane, ground.place);
        put_vector(&mut self.normal, lane, ground.normal);
        put_vector(&mut self.up, lane, up);
        self.ankle_height.0[lane] = leg.ankle_height;
        self.weight.0[lane] = leg.weight;
        self.pelvis.0[lane] = pelvis;
        self.steepest.0[lane] = steepest;
        self.numbers[lane] = number;
        self.filled = lane + 1;
    }

    /// `place` of the plain code, for all that were pushed.
    #[inline(always)]
    fn place<S: Simd>(&mut self, s: S, output: &mut [LegCorrection]) {
        let (zero, one) = (splat(s, 0.0), splat(s, 1.0));
        let weight = unit(s, load(s, &self.weight, 0));
        let (up, pelvis) = (WideVec3::load(s, &self.up, 0), load(s, &self.pelvis, 0));
        let steepest = load(s, &self.steepest, 0);
        let (normal, mut ok) = direction(s, WideVec3::load(s, &self.normal, 0));
        let cosine = normal.dot(up);
        let slope = shortest(s, up, normal);
        let sine = WideVec3::<S> { x: slope.x, y: slope.y, z: slope.z }.length();
        let angle = splat(s, 2.0) * atan2(s, sine, slope.w.abs());
        let steep = angle.simd_gt(steepest);
        let mut turned = slope;
        if any::<S>(steep) {
            turned = WideQuat::select(steep, share(s, slope, steepest / angle), slope);
        }
        let lift = load(s, &self.ankle_height, 0) * (one / cosine - one);
        let lift = cosine.simd_gt(splat(s, 0.1)).select(lift, zero);
        let lift = steep.select(zero, lift);
        let rise = (WideVec3::load(s, &self.place, 0).dot(up) + lift) * weight;

        let (hip, knee) = (WideMat34::load(s, &self.hip, 0), WideMat34::load(s, &self.knee, 0));
        let ankle = WideMat34::load(s, &self.ankle, 0);
        let moved = up.scale(pelvis);
        let (mut hip_then, mut knee_then) = (hip, knee);
        hip_then.columns[3] = hip.columns[3] + moved;
        knee_then.columns[3] = knee.columns[3] + moved;
        let end = ankle.columns[3] + moved;
        let target = ankle.columns[3] + up.scale(rise);
        // What the plain job would refuse.
        ok &= hip_then.columns[3].is_finite(s) & knee_then.columns[3].is_finite(s);
        ok &= end.is_finite(s) & target.is_finite(s);
        let found = WideTwoBone {
            start: hip_then,
            mid: knee_then,
            end,
            target,
            mid_axis: WideVec3::load(s, &self.knee_axis, 0),
            pole: WideVec3::splat(s, Vec3::ZERO),
            twist: zero,
            soften: one,
            weight: one,
        }
        .solve(s);

        let wanted = share(s, turned, weight);
        let axes = [
            turned_axis(s, wanted, ankle, Vec3::X),
            turned_axis(s, wanted, ankle, Vec3::Y),
            turned_axis(s, wanted, ankle, Vec3::Z),
        ];
        let (turn, has) = end_turn(s, [hip, knee, ankle], &found, axes);
        ok &= has & found.start.is_finite(s) & found.mid.is_finite(s) & turn.is_finite(s);
        let reached = ok & found.reached & weight.simd_ge(one);
        let none = WideQuat::identity(s);
        let [mut hips, mut knees, mut ankles] = [SoaQuat::IDENTITY; 3];
        WideQuat::select(ok, found.start, none).store(&mut hips, 0);
        WideQuat::select(ok, found.mid, none).store(&mut knees, 0);
        WideQuat::select(ok, turn, none).store(&mut ankles, 0);
        let reached = reached.to_bitmask();
        for (lane, number) in self.numbers[..self.filled].iter().enumerate() {
            output[*number] = LegCorrection {
                hip: hips.lane(lane),
                knee: knees.lane(lane),
                ankle: ankles.lane(lane),
                reached: reached >> lane & 1 != 0,
            };
        }
        self.filled = 0;
    }
}

/// Lane by lane: it has no wide twin.
#[inline(always)]
fn atan2<S: Simd>(s: S, y: S::f32s, x: S::f32s) -> S::f32s {
    let (mut ys, mut xs) = (Lanes::splat(0.0), Lanes::splat(1.0));
    store(y, &mut ys, 0);
    store(x, &mut xs, 0);
    for (y, x) in ys.0[..LEN::<S>()].iter_mut().zip(xs.0) {
        *y = trig::atan2(*y, x);
    }
    load(s, &ys, 0)
}

/// An axis of a joint as it shall lie, in model space.
#[inline(always)]
fn turned_axis<S: Simd>(s: S, wanted: WideQuat<S>, joint: WideMat34<S>, axis: Vec3) -> WideVec3<S> {
    wanted.rotate(joint.mul_vector(WideVec3::splat(s, axis)))
}

/// The matrix of a turn.
#[inline(always)]
fn turning<S: Simd>(s: S, q: WideQuat<S>) -> WideMat34<S> {
    let [x, y, z] = q.to_columns(s);
    WideMat34 { columns: [x, y, z, WideVec3::splat(s, Vec3::ZERO)] }
}

/// `end_turn` of the plain code, and where there is one.
#[inline(always)]
fn end_turn<S: Simd>(
    s: S,
    [start, mid, end]: [WideMat34<S>; 3],
    found: &WideCorrection<S>,
    axes: [WideVec3<S>; 3],
) -> (WideQuat<S>, S::mask32s) {
    let (into_start, mut ok) = start.inverse(s);
    let (into_mid, has) = mid.inverse(s);
    ok &= has;
    let start_then = start * turning(s, found.start);
    let mid_then = start_then * (into_start * mid) * turning(s, found.mid);
    let end_then = mid_then * (into_mid * end);
    let (into, has) = end_then.inverse(s);
    ok &= has;
    let [x, y, z] = axes;
    let ((x, has_x), (y, has_y)) = (direction(s, into.mul_vector(x)), direction(s, into.mul_vector(y)));
    let (z, has_z) = direction(s, into.mul_vector(z));
    ok &= has_x & has_y & has_z;
    let q = WideQuat::from_columns(s, [x, y, z]);
    (q, ok)
}
