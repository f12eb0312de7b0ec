//! Legs that stand on uneven ground.

use super::{Limb, Pose, RigError, human::Human};
use crate::{
    Skeleton,
    bones::{Part, Side},
    job::{FootJob, Ground, JobError, Leg, LegCorrection},
};
use alloc::vec::Vec;
use lissom_math::{
    Mat34, Vec3,
    scalar::{length, scale, sub},
};

/// All legs of a character, and what carries them.
#[derive(Clone, Debug, PartialEq)]
pub struct Legs {
    /// The joint that goes up and down with the ground: all legs hang on it.
    pub hips: usize,
    /// At most [`Legs::MOST`].
    pub legs: Vec<StandingLeg>,
    /// The direction up, in model space.
    pub up: Vec3,
    /// How far the hips may go down; not below 0.
    pub lowest: f32,
    /// How far the hips may go up; not below 0.
    pub highest: f32,
    /// The steepest ground that a foot is laid flat on, in radians below a right angle.
    pub steepest: f32,
}

/// A leg that can stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandingLeg {
    /// Hip, knee and ankle.
    pub limb: Limb,
    /// How high the ankle is above the sole.
    pub ankle_height: f32,
}

impl Legs {
    /// The most legs.
    pub const MOST: usize = 8;

    /// Legs of any creature, below a joint that carries them all. The hips go up and down by at most half of the longest leg.
    ///
    /// # Errors
    ///
    /// No leg, or more than [`Legs::MOST`]; a joint that there is not; a leg that does not hang on the hips.
    pub fn new(skeleton: &Skeleton, hips: usize, legs: Vec<StandingLeg>) -> Result<Self, RigError> {
        if !(1..=Self::MOST).contains(&legs.len()) {
            return Err(RigError::Count { what: "legs", found: legs.len(), allowed: "1 to 8" });
        }
        let models = super::human::rest_models(skeleton);
        let mut longest = 0.0;
        for StandingLeg { limb, .. } in &legs {
            RigError::hangs(skeleton, hips, limb.joints[0])?;
            let [hip, knee, ankle] = limb.joints.map(|joint| models[joint].translation());
            let long = length(sub(hip, knee)) + length(sub(knee, ankle));
            longest = if long > longest { long } else { longest };
        }
        let steepest = core::f32::consts::FRAC_PI_4;
        let reach = longest * 0.5;
        Ok(Self { hips, legs, up: Vec3::Y, lowest: reach, highest: reach, steepest })
    }

    /// The legs of a human, left and right, found by the names of joints. It stands on height 0 at rest, with y up, or on its lowest
    /// joint if it is not there.
    ///
    /// # Errors
    ///
    /// Bones that no joint is known to be.
    pub fn of(skeleton: &Skeleton) -> Result<Self, RigError> {
        let human = Human::new(skeleton)?;
        let hips = human.bones(&[Part::Hips], Side::Middle)?[0];
        let mut legs = Vec::new();
        for side in [Side::Left, Side::Right] {
            let limb = Limb::of_human(skeleton, &human, [Part::UpperLeg, Part::LowerLeg, Part::Foot], side)?;
            let [hip, .., ankle] = limb.joints;
            let height = human.models[ankle].translation().y;
            legs.push(StandingLeg { limb, ankle_height: height - human.floor(skeleton, hip, ankle) });
        }
        Self::new(skeleton, hips, legs)
    }
}

impl Pose<'_> {
    /// Puts feet on the ground below them, with this much of it: the hips follow the lowest foot, knees bend, soles lie flat. One ground
    /// per leg, in model space; `None` leaves a leg alone. Returns how far the hips went up.
    ///
    /// # Errors
    ///
    /// Fewer grounds than legs; a number that is NaN or infinite, or out of bounds; joints of another skeleton. Nothing has then changed.
    pub fn stand(&mut self, legs: &Legs, grounds: &[Option<Ground>], weight: f32) -> Result<f32, JobError> {
        let count = legs.legs.len();
        crate::job::error::at_least("grounds", "legs", grounds.len(), count)?;
        if count > Legs::MOST {
            let (found, expected) = (count, Legs::MOST);
            return Err(JobError::Mismatch { field: "legs", unit: "legs", found, expected });
        }
        let mut matrices = [[Mat34::IDENTITY; 3]; Legs::MOST];
        for (leg, matrices) in legs.legs.iter().zip(&mut matrices) {
            let Some(own) = self.limb(&leg.limb)? else { return Ok(0.0) };
            *matrices = own;
        }
        let asked: [Leg<'_>; Legs::MOST] = core::array::from_fn(|at| {
            let [hip, knee, ankle] = &matrices[at];
            let (knee_axis, ankle_height) = match legs.legs.get(at) {
                Some(leg) => (leg.limb.axis_of(&matrices[at]), leg.ankle_height),
                None => (Vec3::X, 0.0),
            };
            let ground = grounds.get(at).copied().flatten();
            Leg { hip, knee, ankle, knee_axis, ankle_height, ground, weight }
        });
        let (mut up, mut found) = (0.0, [LegCorrection::default(); Legs::MOST]);
        let job = FootJob::new(&asked[..count], &mut up, &mut found);
        let Legs { lowest, highest, steepest, .. } = *legs;
        FootJob { up: legs.up, lowest, highest, steepest, ..job }.run()?;
        for (leg, found) in legs.legs.iter().zip(&found) {
            let turns = [found.hip, found.knee, found.ankle];
            leg.limb.joints.into_iter().zip(turns).try_for_each(|(joint, by)| self.turn(joint, by))?;
        }
        let direction = crate::job::kernel::turn::direction(legs.up).unwrap_or(Vec3::Y);
        self.shift(legs.hips, scale(direction, up))?;
        Ok(up)
    }
}
