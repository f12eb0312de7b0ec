//! Many chains of two bones.

use super::{numbered, put_matrix, put_vector};
use crate::job::{
    JobError,
    error::at_least,
    ik::two_bone::{TwoBoneCorrection, TwoBoneIkJob, check},
    kernel::turn_wide::{WideTurn, across, any, direction, or_any_across, share, unit},
};
use lissom_math::{
    Mat34, Vec3, dispatch,
    simd::{Backend, LEN, Simd, WideMat34, WideQuat, WideVec3, load, prelude::*, splat},
    soa::{GROUP, Lanes, SoaMat34, SoaQuat, SoaVec3},
};

/// A chain for a [`TwoBoneBatchJob`]: the inputs of a [`TwoBoneIkJob`], where they are described.
#[derive(Clone, Copy, Debug)]
pub struct TwoBoneChain<'a> {
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
}

impl<'a> TwoBoneChain<'a> {
    /// The joints, in model space, and the target; bends about z towards y, hard, all of it.
    #[must_use]
    pub fn new([start, mid, end]: [&'a Mat34; 3], target: Vec3) -> Self {
        let (mid_axis, pole) = (Vec3::Z, Vec3::Y);
        Self { start, mid, end, target, mid_axis, pole, twist: 0.0, soften: 1.0, weight: 1.0 }
    }

    /// The job that solves this chain alone.
    #[must_use]
    pub fn job<'b>(&self, output: &'b mut TwoBoneCorrection) -> TwoBoneIkJob<'b>
    where
        'a: 'b,
    {
        let Self { start, mid, end, target, mid_axis, pole, twist, soften, weight } = *self;
        TwoBoneIkJob { start, mid, end, target, mid_axis, pole, twist, soften, weight, output }
    }
}

/// [`TwoBoneIkJob`] for many chains: arms or legs of a crowd, of the same or of other characters.
///
/// | field | | |
/// |---|---|---|
/// | `chains` | in | any number of chains |
/// | `output` | out | a correction a chain, in their order |
///
/// Each correction has the bits that [`TwoBoneIkJob`] gives for the chain alone, whatever stands beside it.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `output` is shorter than `chains`.
/// - [`JobError::Value`]: as of [`TwoBoneIkJob`]; `index` is the number of the chain.
///
/// # Cost and determinism
///
/// As many chains as the backend has lanes are solved together; the last ones of a number that is no multiple of that cost as
/// much as a full vector: `BENCHMARKS.md`. No allocation, the same bits on every backend.
#[derive(Debug)]
pub struct TwoBoneBatchJob<'a> {
    /// The chains.
    pub chains: &'a [TwoBoneChain<'a>],
    /// What to turn, a chain each.
    pub output: &'a mut [TwoBoneCorrection],
}

impl<'a> TwoBoneBatchJob<'a> {
    /// Chains, and room for as many corrections.
    #[must_use]
    pub fn new(chains: &'a [TwoBoneChain<'a>], output: &'a mut [TwoBoneCorrection]) -> Self {
        Self { chains, output }
    }

    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`TwoBoneBatchJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        at_least("output", "chains", self.output.len(), self.chains.len())?;
        self.chains.iter().enumerate().try_for_each(|(i, chain)| numbered(check(chain), i))
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`TwoBoneBatchJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend: same bits.
    ///
    /// # Errors
    ///
    /// Listed at [`TwoBoneBatchJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        dispatch!(backend, s => solve_all(s, self.chains, self.output));
        Ok(())
    }
}

/// The inputs of up to 16 chains.
struct Room {
    start: SoaMat34,
    mid: SoaMat34,
    end: SoaVec3,
    target: SoaVec3,
    mid_axis: SoaVec3,
    pole: SoaVec3,
    twist: Lanes,
    soften: Lanes,
    weight: Lanes,
}

#[inline(always)]
fn solve_all<S: Simd>(s: S, chains: &[TwoBoneChain<'_>], output: &mut [TwoBoneCorrection]) {
    let (zero, none) = (SoaVec3::ZERO, Lanes::splat(0.0));
    let mut room = Room {
        start: SoaMat34::IDENTITY,
        mid: SoaMat34::IDENTITY,
        end: zero,
        target: zero,
        mid_axis: zero,
        pole: zero,
        twist: none,
        soften: none,
        weight: none,
    };
    for (chains, output) in chains.chunks(GROUP).zip(output.chunks_mut(GROUP)) {
        for (lane, chain) in chains.iter().enumerate() {
            put_matrix(&mut room.start, lane, chain.start);
            put_matrix(&mut room.mid, lane, chain.mid);
            put_vector(&mut room.end, lane, chain.end.translation());
            put_vector(&mut room.target, lane, chain.target);
            put_vector(&mut room.mid_axis, lane, chain.mid_axis);
            put_vector(&mut room.pole, lane, chain.pole);
            room.twist.0[lane] = chain.twist;
            room.soften.0[lane] = chain.soften;
            room.weight.0[lane] = chain.weight;
        }
        let mut at = 0;
        while at < chains.len() {
            let wide = WideTwoBone {
                start: WideMat34::load(s, &room.start, at),
                mid: WideMat34::load(s, &room.mid, at),
                end: WideVec3::load(s, &room.end, at),
                target: WideVec3::load(s, &room.target, at),
                mid_axis: WideVec3::load(s, &room.mid_axis, at),
                pole: WideVec3::load(s, &room.pole, at),
                twist: load(s, &room.twist, at),
                soften: load(s, &room.soften, at),
                weight: load(s, &room.weight, at),
            };
            let found = wide.solve(s);
            let (mut start, mut mid) = (SoaQuat::IDENTITY, SoaQuat::IDENTITY);
            found.start.store(&mut start, 0);
            found.mid.store(&mut mid, 0);
            let reached = found.reached.to_bitmask();
            let here = output[at..chains.len()].iter_mut();
            for (lane, output) in here.take(LEN::<S>()).enumerate() {
                let reached = reached >> lane & 1 != 0;
                *output = TwoBoneCorrection { start: start.lane(lane), mid: mid.lane(lane), reached };
            }
            at += LEN::<S>();
        }
    }
}

/// The inputs of a [`TwoBoneIkJob`] in every lane.
pub(super) struct WideTwoBone<S: Simd> {
    pub start: WideMat34<S>,
    pub mid: WideMat34<S>,
    /// Of the end joint, its place alone.
    pub end: WideVec3<S>,
    pub target: WideVec3<S>,
    pub mid_axis: WideVec3<S>,
    pub pole: WideVec3<S>,
    pub twist: S::f32s,
    pub soften: S::f32s,
    pub weight: S::f32s,
}

/// A [`TwoBoneCorrection`] in every lane; where nothing is corrected, that of `default`.
pub(super) struct WideCorrection<S: Simd> {
    pub start: WideQuat<S>,
    pub mid: WideQuat<S>,
    pub reached: S::mask32s,
}

impl<S: Simd> WideTwoBone<S> {
    #[inline(always)]
    pub(super) fn solve(&self, s: S) -> WideCorrection<S> {
        let zero = splat(s, 0.0);
        let (into, mut ok) = self.start.inverse(s);
        let mid_matrix = into * self.mid;
        let (mid, end) = (mid_matrix.columns[3], into.mul_point(self.end));
        let target = into.mul_point(self.target);
        let (local_axis, has) = direction(s, self.mid_axis);
        ok &= has;
        let (axis, has) = direction(s, mid_matrix.mul_vector(self.mid_axis));
        ok &= has;
        let mirrored = mid_matrix.determinant().simd_lt(zero);
        let axis = WideVec3::select(mirrored, -axis, axis);

        let hinge = WideHinge::new(s, -mid, end - mid, axis);
        let distance = target.length();
        let (wanted, soft) = soften::<S>(s, distance, hinge.longest, self.soften);
        let ([sin, cos], in_reach) = hinge.half_turn_for(s, wanted);
        let turned = about(axis, sin, cos);

        let bent = mid + turned.rotate(end - mid);
        let (along, has) = direction(s, bent);
        let along = or_any_across(s, along, has, axis);
        let side = across(axis, along).cross(along);
        let (to, has) = direction(s, target);
        let to = WideVec3::select(has, to, along);
        let (pole, has) = direction(s, into.mul_vector(self.pole));
        let pole = WideVec3::select(has, pole, WideVec3::splat(s, Vec3::ZERO));
        let start = WideTurn { along, side, target: to, pole, twist: self.twist }.rotation(s);

        let weight = unit(s, self.weight);
        let (start, mid) = (share(s, start, weight), share(s, about(local_axis, sin, cos), weight));
        ok &= start.is_finite(s) & mid.is_finite(s);
        let reached = ok & in_reach & !soft & self.weight.simd_ge(splat(s, 1.0));
        if any::<S>(!ok) {
            let none = WideQuat::identity(s);
            let (start, mid) = (WideQuat::select(ok, start, none), WideQuat::select(ok, mid, none));
            return WideCorrection { start, mid, reached };
        }
        WideCorrection { start, mid, reached }
    }
}

/// A turn about a unit axis, by sine and cosine of half the angle.
#[inline(always)]
fn about<S: Simd>(axis: WideVec3<S>, sin: S::f32s, cos: S::f32s) -> WideQuat<S> {
    let v = axis.scale(sin);
    WideQuat { x: v.x, y: v.y, z: v.z, w: cos }
}

/// `Hinge` of the plain code, in every lane.
struct WideHinge<S: Simd> {
    arms: [S::f32s; 2],
    offset: S::f32s,
    half: [S::f32s; 2],
    longest: S::f32s,
}

impl<S: Simd> WideHinge<S> {
    #[inline(always)]
    fn new(s: S, first: WideVec3<S>, second: WideVec3<S>, axis: WideVec3<S>) -> Self {
        let (zero, one, half) = (splat(s, 0.0), splat(s, 1.0), splat(s, 0.5));
        let offset = first.dot(axis) - second.dot(axis);
        let (a, b) = (across(first, axis), across(second, axis));
        let arms = [a.length(), b.length()];
        let span = arms[0] + arms[1];
        let longest = (span * span + offset * offset).sqrt();
        let ((a, has_a), (b, has_b)) = (direction(s, a), direction(s, b));
        let both = has_a & has_b;
        let (sum, difference) = (a + b, a - b);
        let (cos, sin) = (sum.length() * half, difference.length() * half);
        let cos = axis.dot(a.cross(b)).simd_lt(zero).select(-cos, cos);
        let unit = one / (sin * sin + cos * cos).sqrt();
        Self {
            arms: [both.select(arms[0], zero), both.select(arms[1], zero)],
            offset,
            half: [both.select(sin * unit, zero), both.select(cos * unit, one)],
            longest,
        }
    }

    #[inline(always)]
    fn half_turn_for(&self, s: S, distance: S::f32s) -> ([S::f32s; 2], S::mask32s) {
        let (zero, one) = (splat(s, 0.0), splat(s, 1.0));
        let [a, b] = self.arms;
        let twice = splat(s, 4.0) * a * b;
        let none = twice.simd_le(zero);
        let (span, gap) = (a + b, a - b);
        let flat = positive(s, (distance - self.offset) * (distance + self.offset)).sqrt();
        let sin2 = (flat - gap) * (flat + gap) / twice;
        let cos2 = (span - flat) * (span + flat) / twice;
        let shortest = (gap * gap + self.offset * self.offset).sqrt();
        let open = near(s, distance, self.longest);
        let in_reach = (distance.simd_ge(shortest) | near(s, distance, shortest))
            & (distance.simd_le(self.longest) | open);
        let (sin, cos) = (unit(s, sin2).sqrt(), unit(s, cos2).sqrt());
        let [s_now, c_now] = self.half;
        let half = [sin * c_now - cos * s_now, cos * c_now + sin * s_now];
        let half = [none.select(zero, half[0]), none.select(one, half[1])];
        (half, (none & open) | (!none & in_reach))
    }
}

#[inline(always)]
fn soften<S: Simd>(s: S, distance: S::f32s, longest: S::f32s, from: S::f32s) -> (S::f32s, S::mask32s) {
    let zero = splat(s, 0.0);
    let start = longest * from;
    let (left, beyond) = (longest - start, distance - start);
    let soft = !(beyond.simd_le(zero) | left.simd_le(zero));
    (soft.select(start + left * beyond / (left + beyond), distance), soft)
}

#[inline(always)]
fn near<S: Simd>(s: S, a: S::f32s, b: S::f32s) -> S::mask32s {
    (a - b).abs().simd_le(splat(s, 1.0e-5) * b)
}

#[inline(always)]
fn positive<S: Simd>(s: S, v: S::f32s) -> S::f32s {
    let zero = splat(s, 0.0);
    v.simd_gt(zero).select(v, zero)
}
