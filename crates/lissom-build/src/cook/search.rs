//! One animation on its way to a clip: which forms are tried, and which clip is kept.

use super::{
    builder::{ClipBuilder, Effort, Form},
    error::CookError,
    fit_bytes::fit_bytes,
    keys::KeysSearch,
    proof::ErrorMetric,
    report::{CookReport, CookedClip},
    rows::RowsSearch,
    source::CookSource,
    timeline::TimePoints,
};
use crate::{
    BuiltSkeleton,
    raw::{Curve, RawAnimation},
};
use lissom::clip::Clip;

impl ClipBuilder {
    /// Cooks an animation of this skeleton.
    ///
    /// # Errors
    ///
    /// Every case of [`CookError`].
    pub fn build(&self, skeleton: &BuiltSkeleton, animation: &RawAnimation) -> Result<CookedClip, CookError> {
        match self.budget {
            Some(budget) => fit_bytes(budget, |scale| self.scaled(scale).cook(skeleton, animation)),
            None => self.cook(skeleton, animation),
        }
    }

    /// The smallest clip within the precision.
    fn cook(&self, skeleton: &BuiltSkeleton, animation: &RawAnimation) -> Result<CookedClip, CookError> {
        let (points, precision) = self.check(skeleton, animation)?;
        let source = CookSource::new(skeleton, animation, !self.reduce);
        let metric = ErrorMetric::from_source(source, points);
        check_f32(skeleton, &metric, &precision)?;
        // Finer and finer rows for curves that bend; listed rows where the even ones are not near enough.
        let mut attempts = [(1.0, false), (0.1, true), (0.01, true)].into_iter();
        let clip = loop {
            let Some(attempt) = attempts.next() else { unreachable!("the last attempt ends the loop") };
            let mut keys = KeysSearch::new(self, skeleton, animation, &metric, precision.clone(), attempt)?;
            let rows = self.cook_rows(skeleton, animation, &metric, &precision, keys.points())?;
            if let Some((rows, factor)) = &rows {
                let settled =
                    *factor == 1 && !self.keys_may_be_smaller(metric.source(), keys.points(), &rows.report);
                if settled || self.form == Form::Rows {
                    return Ok(rows.clone());
                }
                keys.count_rounds(rows.report.rounds);
            }
            let (clip, within) = keys.cook()?;
            if let Some((rows, _)) = rows.filter(|(rows, _)| !within || rows.bytes.len() <= clip.bytes.len())
            {
                return Ok(rows);
            }
            if within {
                return Ok(clip);
            }
            if !keys.can_be_finer() || attempts.len() == 0 {
                break clip;
            }
        };
        let error = &clip.report.error;
        let excess = |j: &usize| error.joints[*j].worst() / precision[*j];
        let joint = (0..precision.len()).max_by(|a, b| excess(a).total_cmp(&excess(b))).unwrap_or(0);
        let name = skeleton.skeleton.name(joint).to_string();
        let (worst, precision) = (error.joints[joint].worst(), precision[joint]);
        Err(CookError::TooFine { joint, name, error: worst, precision, time_s: error.worst_time_s })
    }

    /// A clip of rows within the bound, if there can be one, and how many rows stand for one of `points`.
    fn cook_rows(
        &self,
        skeleton: &BuiltSkeleton,
        animation: &RawAnimation,
        metric: &ErrorMetric<'_>,
        precision: &[f64],
        points: &TimePoints,
    ) -> Result<Option<(CookedClip, usize)>, CookError> {
        let TimePoints::Uniform { rate, count } = *points else { return Ok(None) };
        if self.form == Form::Keys || self.jumps.is_some() || !self.reduce || steps(metric.source()) {
            return Ok(None);
        }
        // Rows that stand between the source's keys are a key of every channel each: they must be few. But sparse keys
        // of fast turns are curves that rows as far apart as the keys cannot follow.
        let most = if self.form == Form::Auto { metric.source_times().len() * 2 + 16 } else { usize::MAX };
        let mut found = None;
        for factor in [1, 2] {
            let rows = (count as usize - 1) * factor + 1;
            if found.is_some() || rows > most {
                break;
            }
            let search = RowsSearch {
                skeleton,
                metric,
                precision,
                name: &animation.name,
                looping: animation.looping,
                rate: rate * factor as f64,
                rows,
                effort: self.effort,
            };
            found = search.cook()?.map(|found| (found, factor));
        }
        let Some((found, factor)) = found else { return Ok(None) };
        let clip = Clip::from_bytes(&found.bytes)?;
        let view = clip.view();
        let keys = view.key_count() + view.constant_count() as u64;
        let measured = (found.error, true);
        let report = CookReport::new(animation, metric.source(), view, keys, measured, found.rounds);
        Ok(Some((CookedClip { bytes: found.bytes, report }, factor)))
    }

    /// True if the source has so few keys, or so many rows that say little, that it may be smaller as keys than as
    /// rows.
    fn keys_may_be_smaller(&self, source: &CookSource<'_>, points: &TimePoints, rows: &CookReport) -> bool {
        let (mut keys, mut channels) = (0, 0);
        let mut add = |count: usize| {
            keys += count;
            channels += 1;
        };
        for joint in &source.joints {
            joint.translation.moving().into_iter().for_each(|c| add(c.keys.len()));
            joint.rotation.moving().into_iter().for_each(|c| add(c.keys.len()));
            joint.scale.moving().into_iter().for_each(|c| add(c.keys.len()));
        }
        let few = keys * 2 < channels * points.count() as usize;
        let idle = rows.stream_bytes < rows.keys_after && self.effort != Effort::Fast;
        self.form == Form::Auto && (few || idle)
    }
}

/// Times at which the source is looked at as f32.
const LOOKS: usize = 16;
/// How many times the precision the source itself may be off as f32, before any search for its keys. A search may be lucky by a few
/// times; where it cannot be, it would look for a long time at ever finer rows: a vertex far beyond all others is enough.
const HOPELESS: f64 = 64.0;

/// Refuses a source that is far off as soon as its local transforms are f32, as those of every clip are.
fn check_f32(skeleton: &BuiltSkeleton, metric: &ErrorMetric<'_>, precision: &[f64]) -> Result<(), CookError> {
    let times = metric.source_times();
    for time_s in times.iter().copied().step_by(times.len().div_ceil(LOOKS).max(1)) {
        let errors = metric.worst_at(&[time_s], |time_s, out| {
            for (joint, local) in metric.source().joints.iter().zip(out) {
                *local = joint.sample_onward(time_s, &mut [0; 3]).to_f32();
            }
            Ok::<(), CookError>(())
        })?;
        for (joint, (error, precision)) in errors.into_iter().zip(precision.iter().copied()).enumerate() {
            if error > precision * HOPELESS {
                let name = skeleton.skeleton.name(joint).to_string();
                return Err(CookError::TooFine { joint, name, error, precision, time_s });
            }
        }
    }
    Ok(())
}

/// True if a channel that moves steps from value to value.
fn steps(source: &CookSource<'_>) -> bool {
    let is = |curve: Option<Curve>| curve == Some(Curve::Step);
    source.joints.iter().any(|j| {
        is(j.translation.moving().map(|c| c.curve))
            || is(j.rotation.moving().map(|c| c.curve))
            || is(j.scale.moving().map(|c| c.curve))
    })
}
