//! The error of a clip: how far the decoded pose is from the source, in model space, where skin would be.
//!
//! Every joint has its points: its origin, three on a shell round it, and the vertices that follow it, where a skin is
//! known ([`JointPoints`]). The error of a joint at a time is the largest distance between where the source has them
//! and where the decoded pose has them. It is measured at every key time of the source and of the cooked clip and at
//! seven times between neighbours; times within a millionth of each other are one, the last of them. Decoded f32
//! locals are composed in f64, so that only the clip is measured and not the arithmetic of the player behind it.

use super::{
    points::{JointPoints, ShellSpace},
    report::{ErrorReport, Tally},
};
use crate::{
    BuiltSkeleton,
    cook::source::{CookSource, sort_times},
    exact::{M34, Trs, larger},
    raw::{RawAnimation, RawAnimationError},
};
use lissom::math::Transform;

/// Times measured between two neighbouring key times.
pub const TIMES_BETWEEN: usize = 7;

/// Measures decoded poses against one animation.
#[derive(Clone, Debug)]
pub struct ErrorMetric<'a> {
    source: CookSource<'a>,
    points: Vec<JointPoints>,
    /// Joints, each with the spans in which its rotation, and so everything below it, is ambiguous.
    ambiguous: Vec<(usize, Vec<(f64, f64)>)>,
}

impl<'a> ErrorMetric<'a> {
    /// For an animation of this skeleton, with the same shell distance round every joint, in model space, and without
    /// a skin. [`ClipBuilder::metric`](crate::cook::ClipBuilder::metric) measures as the cooker does.
    ///
    /// # Errors
    ///
    /// Whatever [`RawAnimation::validate`] finds.
    pub fn new(
        skeleton: &BuiltSkeleton,
        animation: &'a RawAnimation,
        shell: f64,
    ) -> Result<Self, RawAnimationError> {
        let joints = skeleton.skeleton.joint_count();
        animation.validate(joints)?;
        let points =
            JointPoints::of_skeleton(&skeleton.skeleton, &vec![shell; joints], ShellSpace::Model, None);
        Ok(Self::from_source(CookSource::new(skeleton, animation, false), points))
    }

    pub(crate) fn from_source(source: CookSource<'a>, points: Vec<JointPoints>) -> Self {
        let joints = 0..source.joints.len();
        let ambiguous = joints.map(|j| (j, source.ambiguous(j))).filter(|(_, s)| !s.is_empty()).collect();
        Self { source, points, ambiguous }
    }

    pub(crate) fn source(&self) -> &CookSource<'a> {
        &self.source
    }

    /// Where the error of each joint is looked at.
    pub(crate) fn points(&self) -> &[JointPoints] {
        &self.points
    }

    /// The key times of the source.
    #[must_use]
    pub fn source_times(&self) -> Vec<f64> {
        self.source.times()
    }

    /// Times for a quick look: at most `most`, spread over the clip, some at keys, some half way between.
    pub(crate) fn probe_times(&self, cooked_times: &[f64], most: usize) -> Vec<f64> {
        let mut keys = self.source.times();
        keys.extend_from_slice(cooked_times);
        merge_times(&mut keys);
        let halves = keys.windows(2).map(|w| (w[0] + w[1]) * 0.5);
        let mut all: Vec<f64> = halves.collect();
        all.extend_from_slice(&keys);
        sort_times(&mut all);
        // An odd stride meets keys and the times between them in turn.
        let stride = all.len().div_ceil(most) | 1;
        let last = all.last().copied();
        let mut times: Vec<f64> = all.into_iter().step_by(stride).collect();
        times.extend(last);
        times.dedup();
        times
    }

    /// Measures at all times that count. `decode` writes the local pose at a time, in skeleton order.
    ///
    /// # Errors
    ///
    /// Whatever `decode` returns.
    pub fn measure<E>(
        &self,
        cooked_times: &[f64],
        decode: impl FnMut(f64, &mut [Transform]) -> Result<(), E>,
    ) -> Result<ErrorReport, E> {
        self.measure_with(cooked_times, decode, |_, _, _| {})
    }

    /// As [`measure`](Self::measure); also the times at which a joint is off by nearly its precision, or more.
    pub(crate) fn measure_noting<E>(
        &self,
        cooked_times: &[f64],
        precision: &[f64],
        decode: impl FnMut(f64, &mut [Transform]) -> Result<(), E>,
    ) -> Result<(ErrorReport, Vec<f64>), E> {
        const NEARLY: f64 = 0.98;
        let mut near = Vec::new();
        let report = self.measure_with(cooked_times, decode, |time_s, errors, doubtful| {
            let counts = |j: usize| !doubtful.is_some_and(|d| d[j]);
            let below = |j: usize| errors[j] < precision[j] * NEARLY;
            if (0..errors.len()).any(|j| counts(j) && !below(j)) {
                near.push(time_s);
            }
        })?;
        Ok((report, near))
    }

    fn measure_with<E>(
        &self,
        cooked_times: &[f64],
        decode: impl FnMut(f64, &mut [Transform]) -> Result<(), E>,
        mut each: impl FnMut(f64, &[f64], Option<&[bool]>),
    ) -> Result<ErrorReport, E> {
        let mut keys = self.source.times();
        keys.extend_from_slice(cooked_times);
        merge_times(&mut keys);
        let times = keys.iter().enumerate().flat_map(|(i, t)| {
            let next = keys.get(i + 1).copied().unwrap_or(*t);
            let inner = if next > *t { TIMES_BETWEEN } else { 0 };
            let step = (next - t) / (TIMES_BETWEEN + 1) as f64;
            core::iter::once((*t, true)).chain((1..=inner).map(move |k| (t + step * k as f64, false)))
        });
        let mut tally = Tally::new(self.source.joints.len());
        self.run(times, decode, |time_s, is_key, errors, doubtful| {
            tally.add(time_s, is_key, errors, doubtful);
            each(time_s, errors, doubtful);
        })?;
        Ok(tally.finish())
    }

    /// The worst error of each joint at these times, ambiguous ones left out.
    pub(crate) fn worst_at<E>(
        &self,
        times: &[f64],
        decode: impl FnMut(f64, &mut [Transform]) -> Result<(), E>,
    ) -> Result<Vec<f64>, E> {
        let mut worst = vec![0.0; self.source.joints.len()];
        self.run(times.iter().map(|t| (*t, false)), decode, |_, _, errors, doubtful| {
            for (j, (worst, error)) in worst.iter_mut().zip(errors).enumerate() {
                if !doubtful.is_some_and(|d| d[j]) {
                    *worst = larger(*error, *worst);
                }
            }
        })?;
        Ok(worst)
    }

    /// Gives `each` the error of every joint at every time, and which joints are ambiguous there.
    fn run<E>(
        &self,
        times: impl Iterator<Item = (f64, bool)>,
        mut decode: impl FnMut(f64, &mut [Transform]) -> Result<(), E>,
        mut each: impl FnMut(f64, bool, &[f64], Option<&[bool]>),
    ) -> Result<(), E> {
        let n = self.source.joints.len();
        let (mut walk, mut source_models) = (self.source.walk(), vec![M34::IDENTITY; n]);
        let mut models = vec![M34::IDENTITY; n];
        let mut pose = vec![Transform::IDENTITY; n];
        let mut errors = vec![0.0; n];
        let mut doubtful = vec![false; n];
        // The worst of each joint so far: a vertex below that need not be looked at.
        let mut worst = vec![0.0_f64; n];
        for (time_s, is_key) in times {
            decode(time_s, &mut pose)?;
            walk.models(time_s, &mut source_models);
            self.errors(&source_models, &pose, &mut models, &mut errors);
            let any = self.mark_ambiguous(time_s, &mut doubtful);
            for j in 0..n {
                // Nothing is worse than what is not a number.
                if worst[j].is_nan() {
                    continue;
                }
                let known = larger(errors[j], worst[j]);
                let off = models[j].minus(&source_models[j]);
                let all = self.points[j].worst_above(&off, known);
                if all.is_nan() || all > known {
                    errors[j] = all;
                }
                if !(any && doubtful[j]) {
                    worst[j] = larger(errors[j], worst[j]);
                }
            }
            each(time_s, is_key, &errors, any.then_some(&doubtful[..]));
        }
        Ok(())
    }

    /// The source in model space.
    pub(crate) fn source_models(&self, time_s: f64, models: &mut [M34]) {
        self.source.walk().models(time_s, models);
    }

    /// The error of every joint at its few points; `models` receives the decoded pose in model space.
    pub(crate) fn errors(
        &self,
        source_models: &[M34],
        pose: &[Transform],
        models: &mut [M34],
        errors: &mut [f64],
    ) {
        for (j, local) in pose.iter().enumerate() {
            let local = self.source.joints[j].seen(Trs::from_f32(*local)).to_m34();
            let model = self.source.parents[j].map_or(local, |p| models[p].mul(&local));
            models[j] = model;
            errors[j] = self.points[j].worst_of_few(&model.minus(&source_models[j]));
        }
    }

    /// Marks the joints whose source path is ambiguous at this time; false if there are none.
    pub(super) fn mark_ambiguous(&self, time_s: f64, doubtful: &mut [bool]) -> bool {
        let here = |(_, spans): &&(usize, Vec<(f64, f64)>)| {
            let before = spans.partition_point(|(from, _)| *from < time_s);
            before > 0 && time_s < spans[before - 1].1
        };
        let mut inside = self.ambiguous.iter().filter(here).peekable();
        if inside.peek().is_none() {
            return false;
        }
        doubtful.fill(false);
        inside.for_each(|(j, ..)| doubtful[*j] = true);
        for j in 0..doubtful.len() {
            doubtful[j] |= self.source.parents[j].is_some_and(|p| doubtful[p]);
        }
        true
    }
}

/// Sorts times and makes those that f32 hardly tells apart one: the last of them, where a step of either
/// side has happened on both.
pub(crate) fn merge_times(times: &mut Vec<f64>) {
    sort_times(times);
    let mut first = f64::NEG_INFINITY;
    let mut kept: Vec<f64> = Vec::with_capacity(times.len());
    for t in times.iter().copied() {
        if t - first <= 1e-6 * t && !kept.is_empty() {
            *kept.last_mut().expect("just looked") = t;
        } else {
            first = t;
            kept.push(t);
        }
    }
    *times = kept;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        SkeletonBuilder,
        exact::{Q4, V3},
        raw::{Channel, Curve, RawJoint, RawSkeleton, RawTrack},
    };
    use core::convert::Infallible;
    use lissom::math::{Quat, Vec3};

    /// A root and a child 2 away along x.
    fn chain() -> BuiltSkeleton {
        let child = Trs::from_translation(V3::new(2.0, 0.0, 0.0));
        let joints = vec![
            RawJoint { name: "a".into(), parent: None, rest: Trs::IDENTITY },
            RawJoint { name: "b".into(), parent: Some(0), rest: child },
        ];
        SkeletonBuilder::build(&RawSkeleton { joints }).unwrap()
    }

    fn still() -> RawAnimation {
        RawAnimation { duration_s: 1.0, tracks: vec![RawTrack::default(); 2], ..Default::default() }
    }

    fn rest(skeleton: &BuiltSkeleton, out: &mut [Transform]) {
        out.iter_mut().enumerate().for_each(|(j, t)| *t = skeleton.skeleton.rest(j));
    }

    fn measure(s: &BuiltSkeleton, a: &RawAnimation, change: impl Fn(f64, &mut [Transform])) -> ErrorReport {
        let decode = |t: f64, out: &mut [Transform]| {
            rest(s, out);
            change(t, out);
            Ok::<_, Infallible>(())
        };
        ErrorMetric::new(s, a, 0.1).unwrap().measure(&[0.5], decode).unwrap()
    }

    #[test]
    fn errors_are_distances_of_shell_points_in_model_space() {
        let (s, a) = (chain(), still());
        let exact = measure(&s, &a, |_, _| {});
        assert_eq!((exact.worst(), exact.mean, exact.p99, exact.times), (0.0, 0.0, 0.0, 3 + 2 * 7));

        // A shifted root shifts both joints.
        let shifted = measure(&s, &a, |_, p| p[0].translation = Vec3::new(0.0, 0.25, 0.0));
        assert!(shifted.joints.iter().all(|e| e.at_keys == 0.25 && e.between == 0.25));

        // A turned root moves its own shell by the chord, and the child by the longer one: its y point is
        // at (2, 0.1), its x point at 2.1.
        let turn = Q4::from_axis_angle(V3::Z, 0.01).to_f32();
        let turned = measure(&s, &a, |_, p| p[0].rotation = turn);
        let chord = 2.0 * libm::sin(0.005);
        assert!((turned.joints[0].worst() - 0.1 * chord).abs() < 1e-7);
        assert!((turned.joints[1].worst() - 2.1 * chord).abs() < 1e-6);
        assert_eq!(turned.worst_joint, 1);

        // A stretched root counts at the child's distance.
        let stretched = measure(&s, &a, |_, p| p[0].scale = Vec3::new(1.5, 1.0, 1.0));
        assert!((stretched.joints[1].worst() - 0.5 * 2.1).abs() < 1e-6);
    }

    #[test]
    fn what_happens_between_keys_is_counted_there() {
        let (s, a) = (chain(), still());
        let r = measure(&s, &a, |t, p| {
            p[1].translation.y = if t == 0.0 || t == 0.5 || t == 1.0 { 0.0 } else { t as f32 };
        });
        assert_eq!(r.worst_at_keys, 0.0);
        assert_eq!((r.worst_between, r.worst_time_s), (0.9375, 0.9375));
        assert!(r.p99 <= r.worst() && r.p99 >= 0.9375 / 1.016 && r.mean < r.p99);
    }

    #[test]
    fn a_pose_that_is_not_a_number_is_never_a_small_error() {
        let (s, a) = (chain(), still());
        let r = measure(&s, &a, |t, p| {
            if t == 0.5 {
                p[0].rotation = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
            }
        });
        assert!(r.worst().is_nan() && r.worst_at_keys.is_nan() && r.worst_between == 0.0);
    }

    #[test]
    fn half_turns_between_keys_are_counted_apart() {
        let s = chain();
        let mut a = still();
        let half = Q4::from_axis_angle(V3::Z, core::f64::consts::PI * 0.999);
        a.tracks[0].rotation = Channel::new(Curve::Linear, [(0.0, Q4::IDENTITY), (0.5, half), (1.0, half)]);
        // The other way round.
        let r = measure(&s, &a, |t, p| {
            let angle = if t < 0.5 { -t * 2.0 } else { 0.999 } * core::f64::consts::PI;
            p[0].rotation = Q4::from_axis_angle(V3::Z, angle).to_f32();
        });
        assert!(r.worst() < 1e-6 && r.worst_ambiguous > 3.9);
        assert_eq!(r.ambiguous_count, 2 * 7);
    }
}
