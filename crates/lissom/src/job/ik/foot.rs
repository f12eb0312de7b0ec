//! Feet on ground that the motion does not know.

use super::lanes::Stance;
use super::two_bone::{TwoBoneCorrection, TwoBoneIkJob, end_turn};
use crate::job::{
    JobError,
    error::{at_least, finite_matrix, finite_number, finite_vector, has_direction, not_below_0},
    kernel::turn::{direction, share, shortest, unit, vector},
};
use lissom_math::{
    Mat34, Quat, Vec3,
    scalar::{add, dot, length, quat_is_finite, quat_rotate, scale},
    simd::Backend,
};

/// The ground under a foot, in model space: what a ray down from the foot has met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Where.
    pub place: Vec3,
    /// Which way is up from it; of any length but 0.
    pub normal: Vec3,
}

/// A leg, as the motion has it.
#[derive(Clone, Copy, Debug)]
pub struct Leg<'a> {
    /// The joint that the leg hangs on, in model space.
    pub hip: &'a Mat34,
    /// The joint that bends.
    pub knee: &'a Mat34,
    /// The joint that the foot turns about.
    pub ankle: &'a Mat34,
    /// About which the knee bends, in its own space: positive turns open it.
    pub knee_axis: Vec3,
    /// How far the ankle is above the sole, in metres.
    pub ankle_height: f32,
    /// What is under the foot; `None`: nothing near, and the leg stays as it is.
    pub ground: Option<Ground>,
    /// How much of it, in [0, 1]: a foot that is lifted high need not follow every stone. Numbers outside
    /// count as the nearer end.
    pub weight: f32,
}

/// What a [`FootJob`] found for a leg: rotations to multiply from the right to local rotations, `local ·
/// correction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegCorrection {
    /// Of the hip.
    pub hip: Quat,
    /// Of the knee.
    pub knee: Quat,
    /// Of the ankle.
    pub ankle: Quat,
    /// True if the foot is on its ground.
    pub reached: bool,
}

/// Puts feet onto uneven ground: moves the pelvis, bends the legs, turns the ankles.
///
/// | field | | |
/// |---|---|---|
/// | `legs` | in | as the motion has them, with the ground under each |
/// | `up` | in | against gravity, in model space; of any length but 0 |
/// | `lowest` | in | how far the pelvis may sink, in metres, not below 0 |
/// | `highest` | in | how far it may rise, likewise |
/// | `steepest` | in | how far, in radians, an ankle turns to lie on a slope; in [0, π/2) |
/// | `pelvis` | out | metres along `up` by which the pelvis, and all that hangs on it, is to be moved |
/// | `output` | out | a correction a leg |
///
/// # What is computed
///
/// The motion was made on level ground through the model's origin. Where the ground under a foot is higher or
/// lower than that, its ankle is to be higher or lower by as much, and on a slope a little higher still, so that
/// the sole lies on it.
///
/// 1. The pelvis follows the lowest foot: a leg can be bent, not stretched.
/// 2. Each leg, moved with the pelvis, bends until its ankle is where it is to be; knees keep their side.
/// 3. Each ankle keeps the direction that the motion gave it, turned from level to slope.
///
/// The joints' own scales must be uniform. A leg whose matrices have no inverse is not corrected.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `output` is shorter than `legs`.
/// - [`JobError::Value`]: a number is NaN or infinite, `up`, a normal or an axis has no direction, a bound is
///   below 0.
///
/// # Cost and determinism
///
/// A two-bone IK and three inverse matrices a leg. Plain code, no allocation, the same bits everywhere.
#[derive(Debug)]
pub struct FootJob<'a> {
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
    /// How far to move the pelvis along `up`.
    pub pelvis: &'a mut f32,
    /// What to turn.
    pub output: &'a mut [LegCorrection],
}

impl Default for LegCorrection {
    fn default() -> Self {
        Self { hip: Quat::IDENTITY, knee: Quat::IDENTITY, ankle: Quat::IDENTITY, reached: false }
    }
}

impl<'a> FootJob<'a> {
    /// Up is y; the pelvis sinks or rises by up to half a metre, ankles follow slopes of up to 45 degrees.
    #[must_use]
    pub fn new(legs: &'a [Leg<'a>], pelvis: &'a mut f32, output: &'a mut [LegCorrection]) -> Self {
        let steepest = core::f32::consts::FRAC_PI_4;
        Self { legs, up: Vec3::Y, lowest: 0.5, highest: 0.5, steepest, pelvis, output }
    }
}

impl FootJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`FootJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        at_least("output", "legs", self.output.len(), self.legs.len())?;
        check(&self.stance())
    }

    fn stance(&self) -> Stance<'_> {
        let Self { legs, up, lowest, highest, steepest, .. } = *self;
        Stance { legs, up, lowest, highest, steepest }
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// Listed at [`FootJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs; plain code, the same on every backend.
    ///
    /// # Errors
    ///
    /// Listed at [`FootJob`].
    pub fn run_on(&mut self, _backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        let up = direction(self.up).unwrap_or(Vec3::Y);
        let pelvis = pelvis_of(&self.stance(), up);
        *self.pelvis = pelvis;
        for (leg, output) in self.legs.iter().zip(self.output.iter_mut()) {
            let found = leg.ground.and_then(|ground| place(leg, ground, up, pelvis, self.steepest));
            *output = found.filter(LegCorrection::is_finite).unwrap_or_default();
        }
        Ok(())
    }
}

/// Finds the first thing that is wrong with a character.
pub(super) fn check(stance: &Stance<'_>) -> Result<(), JobError> {
    has_direction("up", stance.up)?;
    not_below_0("lowest", 0, stance.lowest)?;
    not_below_0("highest", 0, stance.highest)?;
    if !(0.0..core::f32::consts::FRAC_PI_2).contains(&stance.steepest) {
        let (field, value) = ("steepest", stance.steepest.into());
        return Err(JobError::Value { field, index: 0, value, allowed: "angles in [0, π/2)" });
    }
    for leg in stance.legs {
        for (field, matrix) in [("legs.hip", leg.hip), ("legs.knee", leg.knee), ("legs.ankle", leg.ankle)] {
            finite_matrix(field, matrix)?;
        }
        has_direction("legs.knee_axis", leg.knee_axis)?;
        finite_number("legs.ankle_height", leg.ankle_height)?;
        finite_number("legs.weight", leg.weight)?;
        if let Some(ground) = leg.ground {
            finite_vector("legs.ground.place", ground.place)?;
            has_direction("legs.ground.normal", ground.normal)?;
        }
    }
    Ok(())
}

/// How far the pelvis is moved: it follows the lowest foot.
pub(super) fn pelvis_of(stance: &Stance<'_>, up: Vec3) -> f32 {
    let mut lowest: Option<f32> = None;
    for leg in stance.legs {
        if let Some(ground) = leg.ground {
            let rise = dot(ground.place, up) * unit(leg.weight);
            lowest = Some(lowest.map_or(rise, |lowest| if rise < lowest { rise } else { lowest }));
        }
    }
    let pelvis = lowest.unwrap_or(0.0);
    if pelvis < -stance.lowest {
        -stance.lowest
    } else if pelvis > stance.highest {
        stance.highest
    } else {
        pelvis
    }
}

impl LegCorrection {
    fn is_finite(&self) -> bool {
        [self.hip, self.knee, self.ankle].into_iter().all(quat_is_finite)
    }
}

/// The leg, moved with the pelvis, onto its ground.
fn place(leg: &Leg<'_>, ground: Ground, up: Vec3, pelvis: f32, steepest: f32) -> Option<LegCorrection> {
    let weight = unit(leg.weight);
    // From level to slope, but no farther than an ankle turns.
    let normal = direction(ground.normal)?;
    let cosine = dot(normal, up);
    let slope = shortest(up, normal);
    let angle = 2.0 * lissom_math::trig::atan2(length(Vec3::new(slope.x, slope.y, slope.z)), slope.w.abs());
    let turned = if angle > steepest { share(slope, steepest / angle) } else { slope };
    // Over the sole, which lies on the slope, the ankle is farther from the ground than over a level one.
    let lift = if cosine > 0.1 { leg.ankle_height * (1.0 / cosine - 1.0) } else { 0.0 };
    let lift = if angle > steepest { 0.0 } else { lift };
    let rise = (dot(ground.place, up) + lift) * weight;

    let moved = |matrix: &Mat34| {
        let mut matrix = *matrix;
        matrix.columns[3] = add(matrix.translation(), scale(up, pelvis)).to_array();
        matrix
    };
    let (hip, knee, ankle) = (moved(leg.hip), moved(leg.knee), moved(leg.ankle));
    let target = add(leg.ankle.translation(), scale(up, rise));
    let mut found = TwoBoneCorrection::default();
    let mut job = TwoBoneIkJob::new([&hip, &knee, &ankle], target, &mut found);
    // Knees stay on their side.
    (job.mid_axis, job.pole) = (leg.knee_axis, Vec3::ZERO);
    job.run().ok()?;

    let wanted = share(turned, weight);
    let shall = |axis| quat_rotate(wanted, vector(leg.ankle, axis));
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(shall);
    let ankle = end_turn([leg.hip, leg.knee, leg.ankle], &found, axes)?;
    let reached = found.reached && weight >= 1.0;
    Some(LegCorrection { hip: found.start, knee: found.mid, ankle, reached })
}
