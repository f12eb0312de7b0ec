//! A hand on something that is there: a handle, a ledge, the second hand of a rifle.

use super::two_bone::{TwoBoneCorrection, TwoBoneIkJob, end_turn};
use crate::job::{
    JobError,
    error::finite_matrix,
    kernel::turn::{across, basis, between, direction, share, unit, vector},
};
use lissom_math::{
    Mat34, Quat, Vec3,
    scalar::{quat_is_finite, quat_rotate},
    simd::Backend,
};

/// What a [`HandJob`] found: rotations to multiply from the right to local rotations, `local · correction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmCorrection {
    /// Of the shoulder.
    pub shoulder: Quat,
    /// Of the elbow.
    pub elbow: Quat,
    /// Of the hand.
    pub hand: Quat,
    /// True if the hand is then at the grip, and turned as it is.
    pub reached: bool,
}

/// Puts a hand onto a prop: bends the arm until the hand is at a grip, and turns the hand as the grip is
/// turned.
///
/// | field | | |
/// |---|---|---|
/// | `shoulder`, `elbow`, `hand` | in | the joints' matrices in model space, each below the one before, directly or not |
/// | `grip` | in | where the hand joint shall be, and how it shall be turned, in model space: the prop's matrix times that of the grip on it. Its scale does not count |
/// | `elbow_axis` | in | about which the elbow bends, in its own space: positive turns open it; of any length but 0 |
/// | `pole` | in | the side to which the elbow points, a direction in model space; of length 0: the side that it has |
/// | `soften` | in | share of the arm's length from which on it straightens ever slower, in [0, 1]; 1: never |
/// | `weight` | in | how much of it, in [0, 1]; numbers outside count as the nearer end |
/// | `output` | out | three rotations, and whether the grip is reached |
///
/// # What is computed
///
/// The arm is a [`TwoBoneIkJob`]'s, with all that is said there. Then the hand turns from where the corrected
/// arm leaves it to where the grip is turned to, out of reach too: what reaches for a handle looks as if it
/// would take it. A grip or a hand whose axes have no direction gives no correction.
///
/// # Errors
///
/// - [`JobError::Value`]: a number is NaN or infinite, `elbow_axis` has no direction, or `soften` is outside
///   [0, 1].
///
/// # Cost and determinism
///
/// A two-bone IK and three inverse matrices. Plain code, no allocation, the same bits everywhere.
#[derive(Debug)]
pub struct HandJob<'a> {
    /// The joint that the arm hangs on, in model space.
    pub shoulder: &'a Mat34,
    /// The joint that bends.
    pub elbow: &'a Mat34,
    /// The joint that the hand turns about.
    pub hand: &'a Mat34,
    /// Where to, and turned how, in model space.
    pub grip: &'a Mat34,
    /// The axis of the elbow, in its space.
    pub elbow_axis: Vec3,
    /// The side of the elbow, in model space.
    pub pole: Vec3,
    /// Share of the length from which on it softens.
    pub soften: f32,
    /// How much, in [0, 1].
    pub weight: f32,
    /// What to turn.
    pub output: &'a mut ArmCorrection,
}

impl Default for ArmCorrection {
    fn default() -> Self {
        Self { shoulder: Quat::IDENTITY, elbow: Quat::IDENTITY, hand: Quat::IDENTITY, reached: false }
    }
}

impl<'a> HandJob<'a> {
    /// The joints and the grip, in model space; the elbow bends about z and keeps its side, hard, all of it.
    #[must_use]
    pub fn new(
        [shoulder, elbow, hand]: [&'a Mat34; 3],
        grip: &'a Mat34,
        output: &'a mut ArmCorrection,
    ) -> Self {
        let (elbow_axis, pole) = (Vec3::Z, Vec3::ZERO);
        Self { shoulder, elbow, hand, grip, elbow_axis, pole, soften: 1.0, weight: 1.0, output }
    }
}

impl HandJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`HandJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        finite_matrix("grip", self.grip)?;
        self.arm(&mut TwoBoneCorrection::default()).validate()
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// Listed at [`HandJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs; plain code, the same on every backend.
    ///
    /// # Errors
    ///
    /// Listed at [`HandJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        finite_matrix("grip", self.grip)?;
        let mut arm = TwoBoneCorrection::default();
        self.arm(&mut arm).run_on(backend)?;
        *self.output = self.held(&arm).filter(ArmCorrection::is_finite).unwrap_or_default();
        Ok(())
    }

    fn arm<'o>(&'o self, output: &'o mut TwoBoneCorrection) -> TwoBoneIkJob<'o> {
        let joints = [self.shoulder, self.elbow, self.hand];
        TwoBoneIkJob {
            mid_axis: self.elbow_axis,
            pole: self.pole,
            soften: self.soften,
            weight: self.weight,
            ..TwoBoneIkJob::new(joints, self.grip.translation(), output)
        }
    }

    /// The arm, and the turn of the hand on it.
    fn held(&self, arm: &TwoBoneCorrection) -> Option<ArmCorrection> {
        // From the hand's axes to the grip's, in model space.
        let turned = share(between(axes_of(self.hand)?, axes_of(self.grip)?), unit(self.weight));
        let shall = |axis| quat_rotate(turned, vector(self.hand, axis));
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(shall);
        let hand = end_turn([self.shoulder, self.elbow, self.hand], arm, axes)?;
        let TwoBoneCorrection { start: shoulder, mid: elbow, reached } = *arm;
        Some(ArmCorrection { shoulder, elbow, hand, reached })
    }
}

impl ArmCorrection {
    fn is_finite(&self) -> bool {
        [self.shoulder, self.elbow, self.hand].into_iter().all(quat_is_finite)
    }
}

/// Three directions at right angles, right-handed, the first two of which lie as those of a matrix.
fn axes_of(m: &Mat34) -> Option<[Vec3; 3]> {
    let x = direction(vector(m, Vec3::X))?;
    Some(basis(x, direction(across(vector(m, Vec3::Y), x))?))
}
