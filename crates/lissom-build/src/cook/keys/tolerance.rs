//! From a bound in model space to tolerances of channels.
//!
//! The error of a joint is the sum of what its own channels and those of all joints above it do to its
//! shell. Every channel's bits grow by the logarithm of 1 / tolerance, so the cheapest split under the
//! bounds of all joints is found with one weight a joint (its Lagrange multiplier): the square of a
//! channel's tolerance is the inverse of the weighted sum of squared lever arms to everything below it.
//! Weights start even. A joint that is measured above its precision gets more weight, one below less;
//! where all the error that is allowed is used, they stand still.

use crate::{
    cook::{
        proof::{ErrorMetric, JointPoints},
        source::SourceJoint,
    },
    exact::{M34, V3, clamp, larger, smaller},
};

/// Poses that lever arms are taken from.
const POSES: usize = 48;

/// The weights, and the poses that turn them into tolerances.
#[derive(Clone, Debug)]
pub(crate) struct Tolerances {
    /// Model matrices of a few poses, all joints each.
    poses: Vec<Vec<M34>>,
    parents: Vec<Option<usize>>,
    /// What is seen of a scale of 1.
    scale_of_one: Vec<f64>,
    /// From each joint to its farthest point.
    reach: Vec<f64>,
    precision: Vec<f64>,
    weights: Vec<f64>,
}

/// How far the channels of one joint may be off when each has many keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tolerance {
    /// A distance, in the parent's space.
    pub(crate) translation: f64,
    /// Radians.
    pub(crate) rotation: f64,
    /// A distance between scales.
    pub(crate) scale: f64,
}

/// Sums over a joint and everything below it.
#[derive(Clone, Copy, Default)]
struct Moments {
    weight: f64,
    first: V3,
    second: f64,
}

impl Tolerances {
    pub(crate) fn new(metric: &ErrorMetric<'_>, times: &[f64], precision: Vec<f64>) -> Self {
        let n = precision.len();
        let count = times.len().min((KEPT / n).clamp(2, POSES));
        let poses = (0..count).map(|i| {
            let mut models = vec![M34::IDENTITY; n];
            let at = i * (times.len() - 1) / (count - 1).max(1);
            metric.source_models(times[at], &mut models);
            models
        });
        let weights = precision.iter().map(|p| 1.0 / (p * p)).collect();
        Self {
            poses: poses.collect(),
            parents: metric.source().parents.clone(),
            scale_of_one: metric.source().joints.iter().map(SourceJoint::scale_of_one).collect(),
            reach: metric.points().iter().map(JointPoints::reach).collect(),
            precision,
            weights,
        }
    }

    pub(crate) fn precision(&self) -> &[f64] {
        &self.precision
    }

    /// How far the worst joint is from its precision: 1 is on it, above is too much.
    pub(crate) fn ratio(&self, errors: &[f64]) -> f64 {
        errors.iter().zip(&self.precision).map(|(e, p)| e / p).fold(0.0, larger)
    }

    /// All tolerances smaller by this factor.
    pub(crate) fn tighten(&mut self, factor: f64) {
        self.weights.iter_mut().for_each(|w| *w *= factor * factor);
    }

    /// Moves every joint's error towards its precision.
    pub(crate) fn balance(&mut self, errors: &[f64], aim: f64) {
        for ((w, e), p) in self.weights.iter_mut().zip(errors).zip(&self.precision) {
            let ratio = e / (p * aim);
            let step = if ratio.is_nan() { 16.0 } else { ratio * ratio };
            let floor = 1e-5 / (p * p);
            *w *= clamp(step, 0.3, 16.0);
            *w = larger(*w, floor);
        }
    }

    /// More weight only where the error is too large.
    pub(crate) fn repair(&mut self, errors: &[f64], aim: f64) {
        // Where a joint fails with little weight of its own, its weight alone would need many rounds.
        let strongest = self.weights.iter().zip(&self.precision).map(|(w, p)| w * p * p);
        let strongest = strongest.fold(0.0, |a: f64, b| if b > a { b } else { a });
        for ((w, e), p) in self.weights.iter_mut().zip(errors).zip(&self.precision) {
            let ratio = e / (p * aim);
            if ratio > aim || ratio.is_nan() {
                let step = if ratio.is_nan() { 16.0 } else { clamp(ratio * ratio, 1.05, 16.0) };
                let least = 0.02 * strongest / (p * p);
                *w = if *w < least { least } else { *w } * step;
            }
        }
    }

    /// What each joint's channels may be off by.
    pub(crate) fn of_joints(&self) -> Vec<Tolerance> {
        let n = self.weights.len();
        let mut worst = vec![[0.0_f64; 3]; n];
        let mut moments = vec![Moments::default(); n];
        for models in &self.poses {
            moments.fill(Moments::default());
            for j in (0..n).rev() {
                let m = &models[j];
                let (w, origin, reach) = (self.weights[j], m.columns[3], self.reach[j] * m.stretch());
                let mut sums = moments[j];
                sums.weight += w;
                sums.first = sums.first + origin * w;
                sums.second += w * (origin.dot(origin) + reach * reach);
                let above = self.parents[j].map_or(1.0, |p| models[p].stretch());
                let shift = sums.weight * above * above;
                // Sum of w (|p - o|² + reach²), never below the joint's own part.
                let turn = sums.second - 2.0 * origin.dot(sums.first) + sums.weight * origin.dot(origin);
                let own = w * reach * reach;
                let turn = if turn > own { turn } else { own };
                let above = larger(above, 1e-12) * self.scale_of_one[j];
                let thin = clamp(shrink(m) / above, 1e-3, 1e3);
                for (worst, now) in worst[j].iter_mut().zip([shift, turn, turn / (thin * thin)]) {
                    *worst = if now > *worst { now } else { *worst };
                }
                if let Some(p) = self.parents[j] {
                    let to = &mut moments[p];
                    to.weight += sums.weight;
                    to.first = to.first + sums.first;
                    to.second += sums.second;
                }
            }
        }
        let tolerance = |([shift, turn, size], p): ([f64; 3], &f64)| Tolerance {
            translation: clamp((1.0 / shift).sqrt(), 0.0, 1e4 * p),
            rotation: clamp((1.0 / turn).sqrt(), 0.0, 0.2),
            scale: clamp((1.0 / size).sqrt(), 0.0, 0.2),
        };
        worst.into_iter().zip(&self.precision).map(tolerance).collect()
    }
}

/// Matrices kept as poses.
const KEPT: usize = 1_000_000;

/// The shortest axis.
fn shrink(m: &M34) -> f64 {
    let [x, y, z] = [m.columns[0].length(), m.columns[1].length(), m.columns[2].length()];
    smaller(smaller(x, y), z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        SkeletonBuilder,
        exact::Trs,
        raw::{RawAnimation, RawJoint, RawSkeleton, RawTrack},
    };

    /// Root, elbow 10 away, hand 5 further.
    fn arm(precision: Vec<f64>) -> Tolerances {
        let joint = |parent, x| RawJoint {
            name: String::new(),
            parent,
            rest: Trs::from_translation(V3::new(x, 0.0, 0.0)),
        };
        let joints = vec![joint(None, 0.0), joint(Some(0), 10.0), joint(Some(1), 5.0)];
        let s = SkeletonBuilder::build(&RawSkeleton { joints }).unwrap();
        let a = RawAnimation { duration_s: 1.0, tracks: vec![RawTrack::default(); 3], ..Default::default() };
        Tolerances::new(&ErrorMetric::new(&s, &a, 3.0).unwrap(), &[0.0, 1.0], precision)
    }

    #[test]
    fn parents_see_the_reach_of_their_children() {
        let t = arm(vec![0.01; 3]).of_joints();
        assert!(t[0].rotation < t[1].rotation && t[1].rotation < t[2].rotation);
        assert!(t[0].translation < t[1].translation && t[1].translation < t[2].translation);
        // The hand has its own shell alone.
        assert!((t[2].rotation - 0.01 / 3.0).abs() < 1e-12 && (t[2].translation - 0.01).abs() < 1e-12);
    }

    #[test]
    fn a_joint_of_finer_precision_tightens_itself_and_what_is_above_it() {
        let (even, fine) = (arm(vec![0.01; 3]).of_joints(), arm(vec![0.01, 0.001, 0.01]).of_joints());
        assert!(fine[0].rotation < even[0].rotation && fine[1].rotation < even[1].rotation);
        assert_eq!(fine[2], even[2]);
    }

    #[test]
    fn weights_follow_the_measured_errors() {
        let mut b = arm(vec![0.01; 3]);
        let before = b.of_joints();
        b.balance(&[0.005, 0.01, 0.02], 1.0);
        let after = b.of_joints();
        assert!(after[2].rotation < before[2].rotation);
        assert!((b.ratio(&[0.005, 0.01, 0.02]) - 2.0).abs() < 1e-12);
        assert!(b.ratio(&[0.005, f64::NAN, 0.02]).is_nan() || b.ratio(&[0.005, f64::NAN, 0.02]) > 1.0);
        let same = b.clone();
        b.repair(&[0.0, 0.0099, 0.0], 1.0);
        assert_eq!(b.of_joints(), same.of_joints());
    }
}
