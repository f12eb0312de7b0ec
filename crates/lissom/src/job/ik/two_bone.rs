//! Two bones that reach for a target: an arm, a leg.

use super::lanes::TwoBoneChain;
use crate::job::{
    JobError,
    error::{finite_matrix, finite_number, finite_vector, has_direction},
    kernel::turn::{Turn, across, any_across, direction, point, share, unit, vector},
};
use lissom_math::{
    Mat34, Quat, Vec3,
    scalar::{add, cross, dot, length, neg, quat_from_columns, quat_rotate, quat_to_columns, scale, sub},
    simd::Backend,
    trig::sqrt,
};

/// What [`TwoBoneIkJob`] found: rotations to multiply from the right to local rotations, `local ·
/// correction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneCorrection {
    /// Of the start joint.
    pub start: Quat,
    /// Of the middle joint.
    pub mid: Quat,
    /// True if the end joint is then at the target: it is in reach, short of where softening starts, and the
    /// weight is 1.
    pub reached: bool,
}

/// Turns two joints, so that a third one comes to a target.
///
/// | field | | |
/// |---|---|---|
/// | `start`, `mid`, `end` | in | the joints' matrices in model space; `mid` is below `start`, `end` below `mid`, directly or not |
/// | `target` | in | where the end joint shall be, in model space |
/// | `mid_axis` | in | about which the middle joint bends, in its own space: positive turns open it; of any length but 0 |
/// | `pole` | in | the side to which the middle joint points, a direction in model space |
/// | `twist` | in | radians by which the plane of the chain is turned away from the pole, about the line to the target |
/// | `soften` | in | share of the chain's length from which on it straightens ever slower, in [0, 1]; 1: never |
/// | `weight` | in | how much of the correction, in [0, 1]; numbers outside count as the nearer end |
/// | `output` | out | two rotations, and whether the target is reached |
///
/// # What is computed
///
/// Everything happens in the start joint's space, where a turn of the start joint is a turn, whatever scales
/// its parents have. The start's and the middle joint's own scales must be uniform; they may be mirrored.
///
/// 1. The middle joint turns about its axis until the end is as far from the start as the target is, or as
///    near to that as it can.
/// 2. The start joint turns until the end lies on the line to the target, and the middle joint on the side of
///    the pole. Within 3 degrees of that line a pole says little, and the present side of the chain takes
///    part.
///
/// With `soften` s, a chain of length L and a target at distance d beyond s·L, the end comes to s·L + l·b /
/// (l + b), where l = L − s·L is what is left of the length and b = d − s·L: it never quite straightens.
///
/// A target further than the chain is long stretches it. A target at the start joint folds it and leaves its
/// direction. A bone without length does not bend: the chain only points. A `pole` of length 0 keeps the
/// present side. A start matrix that has no inverse gives no correction.
///
/// # Errors
///
/// - [`JobError::Value`]: a number is NaN or infinite, `mid_axis` has no direction, or `soften` is outside
///   [0, 1].
///
/// # Cost and determinism
///
/// Square roots, and a sine and a cosine where there is a twist; plain code, no allocation, the same bits
/// everywhere.
#[derive(Debug)]
pub struct TwoBoneIkJob<'a> {
    /// The joint that the chain starts with, in model space.
    pub start: &'a Mat34,
    /// The joint that bends.
    pub mid: &'a Mat34,
    /// The joint that shall reach the target.
    pub end: &'a Mat34,
    /// Where to, in model space.
    pub target: Vec3,
    /// The axis of the middle joint, in its space.
    pub mid_axis: Vec3,
    /// The side of the middle joint, in model space.
    pub pole: Vec3,
    /// Radians about the line to the target.
    pub twist: f32,
    /// Share of the length from which on it softens.
    pub soften: f32,
    /// How much, in [0, 1].
    pub weight: f32,
    /// What to turn.
    pub output: &'a mut TwoBoneCorrection,
}

impl Default for TwoBoneCorrection {
    fn default() -> Self {
        Self { start: Quat::IDENTITY, mid: Quat::IDENTITY, reached: false }
    }
}

impl<'a> TwoBoneIkJob<'a> {
    /// The joints, in model space, and the target; bends about z towards y, hard, all of it.
    #[must_use]
    pub fn new([start, mid, end]: [&'a Mat34; 3], target: Vec3, output: &'a mut TwoBoneCorrection) -> Self {
        let (mid_axis, pole) = (Vec3::Z, Vec3::Y);
        Self { start, mid, end, target, mid_axis, pole, twist: 0.0, soften: 1.0, weight: 1.0, output }
    }
}

impl TwoBoneIkJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`TwoBoneIkJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let Self { start, mid, end, target, mid_axis, pole, twist, soften, weight, .. } = *self;
        check(&TwoBoneChain { start, mid, end, target, mid_axis, pole, twist, soften, weight })
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// Listed at [`TwoBoneIkJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs; plain code, the same on every backend.
    ///
    /// # Errors
    ///
    /// Listed at [`TwoBoneIkJob`].
    pub fn run_on(&mut self, _backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        // What cannot be expressed in floats (a flat matrix, numbers whose squares overflow) is not
        // corrected.
        *self.output = self.solve().filter(TwoBoneCorrection::is_finite).unwrap_or_default();
        Ok(())
    }

    fn solve(&self) -> Option<TwoBoneCorrection> {
        let into = self.start.inverse()?;
        let mid_matrix = into.mul(self.mid);
        let (mid, end) = (mid_matrix.translation(), point(&into, self.end.translation()));
        let target = point(&into, self.target);
        let local_axis = direction(self.mid_axis)?;
        let axis = direction(vector(&mid_matrix, self.mid_axis))?;
        // A mirrored joint turns the other way round.
        let axis = if mid_matrix.determinant() < 0.0 { neg(axis) } else { axis };

        let hinge = Hinge::new(neg(mid), sub(end, mid), axis);
        let distance = length(target);
        let (wanted, soft) = soften(distance, hinge.longest, self.soften);
        let (half, in_reach) = hinge.half_turn_for(wanted);
        let turned = |axis: Vec3| {
            let v = scale(axis, half[0]);
            Quat::from_xyzw(v.x, v.y, v.z, half[1])
        };

        let bent = add(mid, quat_rotate(turned(axis), sub(end, mid)));
        let along = direction(bent).unwrap_or_else(|| any_across(axis));
        // Where the middle joint is, as seen from the line between the others; right for a straight chain
        // too.
        let side = cross(across(axis, along), along);
        let to = direction(target).unwrap_or(along);
        let pole = direction(vector(&into, self.pole)).unwrap_or(Vec3::ZERO);
        let start = Turn { along, side, target: to, pole, twist: self.twist }.rotation();

        let weight = unit(self.weight);
        let reached = in_reach && !soft && self.weight >= 1.0;
        Some(TwoBoneCorrection {
            start: share(start, weight),
            mid: share(turned(local_axis), weight),
            reached,
        })
    }
}

/// Finds the first thing that is wrong with a chain.
pub(super) fn check(chain: &TwoBoneChain<'_>) -> Result<(), JobError> {
    for (field, matrix) in [("start", chain.start), ("mid", chain.mid), ("end", chain.end)] {
        finite_matrix(field, matrix)?;
    }
    finite_vector("target", chain.target)?;
    has_direction("mid_axis", chain.mid_axis)?;
    finite_vector("pole", chain.pole)?;
    finite_number("twist", chain.twist)?;
    finite_number("weight", chain.weight)?;
    if !(0.0..=1.0).contains(&chain.soften) {
        let (field, value) = ("soften", f64::from(chain.soften));
        return Err(JobError::Value { field, index: 0, value, allowed: "numbers in [0, 1]" });
    }
    Ok(())
}

impl TwoBoneCorrection {
    fn is_finite(&self) -> bool {
        lissom_math::scalar::quat_is_finite(self.start) && lissom_math::scalar::quat_is_finite(self.mid)
    }
}

/// The turn of the end joint of a corrected chain, after which its axes lie along these, in model space.
/// `None` where a matrix has no inverse, or an axis no direction.
pub(super) fn end_turn(
    [start, mid, end]: [&Mat34; 3],
    found: &TwoBoneCorrection,
    axes: [Vec3; 3],
) -> Option<Quat> {
    let turn = |q: Quat| {
        let [x, y, z] = quat_to_columns(q);
        Mat34 { columns: [x, y, z, [0.0; 3]] }
    };
    // The end as it is then, and as it shall be: what is between is its own turn.
    let start_then = start.mul(&turn(found.start));
    let mid_then = start_then.mul(&start.inverse()?.mul(mid)).mul(&turn(found.mid));
    let end_then = mid_then.mul(&mid.inverse()?.mul(end));
    let into = end_then.inverse()?;
    let mut columns = [[0.0; 3]; 3];
    for (column, axis) in columns.iter_mut().zip(axes) {
        *column = direction(vector(&into, axis))?.to_array();
    }
    Some(quat_from_columns(columns))
}

/// Two arms that meet at an axis.
struct Hinge {
    /// Lengths at right angles to the axis.
    arms: [f32; 2],
    /// How far the ends are apart along the axis: no turn changes that.
    offset: f32,
    /// Sine and cosine of half the angle from the first arm to the second, which is in [0, 360) degrees.
    half: [f32; 2],
    /// The distance of the ends when it is open.
    longest: f32,
}

impl Hinge {
    fn new(first: Vec3, second: Vec3, axis: Vec3) -> Self {
        let offset = dot(first, axis) - dot(second, axis);
        let (a, b) = (across(first, axis), across(second, axis));
        let arms = [length(a), length(b)];
        let span = arms[0] + arms[1];
        let longest = sqrt(span * span + offset * offset);
        let (Some(a), Some(b)) = (direction(a), direction(b)) else {
            return Self { arms: [0.0; 2], offset, half: [0.0, 1.0], longest };
        };
        let (sum, difference) = (add(a, b), sub(a, b));
        // Of unit vectors, so half of these lengths are the cosine and the sine of half the angle between
        // them.
        let (cos, sin) = (length(sum) * 0.5, length(difference) * 0.5);
        let cos = if dot(axis, cross(a, b)) < 0.0 { -cos } else { cos };
        let unit = 1.0 / sqrt(sin * sin + cos * cos);
        Self { arms, offset, half: [sin * unit, cos * unit], longest }
    }

    /// Sine and cosine of half the turn that brings the ends to a distance, or as near to it as they come;
    /// and whether they come there.
    fn half_turn_for(&self, distance: f32) -> ([f32; 2], bool) {
        let [a, b] = self.arms;
        let twice = 4.0 * a * b;
        if twice <= 0.0 {
            return ([0.0, 1.0], near(distance, self.longest));
        }
        let (span, gap) = (a + b, a - b);
        // The law of cosines for half the angle: no difference of nearly equal squares.
        let flat = sqrt(positive((distance - self.offset) * (distance + self.offset)));
        let sin2 = (flat - gap) * (flat + gap) / twice;
        let cos2 = (span - flat) * (span + flat) / twice;
        let shortest = sqrt(gap * gap + self.offset * self.offset);
        let in_reach = (distance >= shortest || near(distance, shortest))
            && (distance <= self.longest || near(distance, self.longest));
        let (sin, cos) = (sqrt(unit(sin2)), sqrt(unit(cos2)));
        let [s, c] = self.half;
        // From the present half angle to that one.
        ([sin * c - cos * s, cos * c + sin * s], in_reach)
    }
}

/// The distance to take for a target's, and whether it is another. From `from` of the length on, what is left
/// is gone through ever more slowly, and never quite.
fn soften(distance: f32, longest: f32, from: f32) -> (f32, bool) {
    let start = longest * from;
    let (left, beyond) = (longest - start, distance - start);
    if beyond <= 0.0 || left <= 0.0 {
        return (distance, false);
    }
    (start + left * beyond / (left + beyond), true)
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1.0e-5 * b
}

fn positive(v: f32) -> f32 {
    if v > 0.0 { v } else { 0.0 }
}
