//! One animation on its way to a clip: which forms are tried, how tolerances are moved, what is measured.

use super::{
    budget::{Budget, Tolerance},
    builder::{ClipBuilder, CookError, CookReport, CookedClip, Effort, Form},
    dense::Dense,
    encode::EncodeError,
    fitter::{Fitter, key_count, key_times},
    metric::{ErrorMetric, ErrorReport, Probe},
    plan::{ClipPlan, TimePoints},
    player::Played,
    source::SourceJoint,
};
use crate::{
    BuiltSkeleton,
    raw::{Curve, RawAnimation},
};
use lissom::clip::{Clip, ClipView};

/// Times that a quick measurement looks at.
const PROBES: usize = 1024;
/// Rounds of repair before all tolerances shrink at once.
const PATIENCE: u32 = 12;
/// Rounds after which a bound that still does not hold cannot be held.
const ROUNDS: u32 = 60;
/// How much coarser than expected the finest tolerance may turn out to be.
const COARSEST_FLOOR: f64 = 64.0;

/// One animation while it is cooked.
pub(super) struct Kitchen<'a> {
    builder: &'a ClipBuilder,
    skeleton: &'a BuiltSkeleton,
    animation: &'a RawAnimation,
    metric: &'a ErrorMetric<'a>,
    pub(super) fitter: Fitter<'a>,
    budget: Budget,
    /// Grows where the encoder finds a tolerance too fine for f32.
    floor: f64,
    rounds: u32,
}

/// A plan and what became of it.
struct Trial<'a> {
    plan: ClipPlan,
    played: Played<'a>,
}

impl<'a> Kitchen<'a> {
    pub(super) fn new(
        builder: &'a ClipBuilder,
        skeleton: &'a BuiltSkeleton,
        animation: &'a RawAnimation,
        metric: &'a ErrorMetric<'a>,
        precision: Vec<f64>,
        (bend, listed): (f64, bool),
    ) -> Result<Self, CookError> {
        let mut budget = Budget::new(metric, &metric.source_times(), precision);
        // Rows are chosen for tolerances a few times finer than a single joint's bound.
        budget.tighten(4.0 / bend);
        let fitter =
            Fitter::new(metric.source(), &budget.tolerances(), listed, builder.reduce, &builder.jumps)
                .ok_or(CookError::TooManyRows)?;
        budget.tighten(bend / 2.0);
        Ok(Self { builder, skeleton, animation, metric, fitter, budget, floor: 1.0, rounds: 0 })
    }

    /// Plans and encodes at these tolerances. With `dense` no key is dropped.
    fn trial(&mut self, budget: &Budget, dense: bool) -> Result<Trial<'a>, CookError> {
        let exact = Tolerance { translation: 0.0, rotation: 0.0, scale: 0.0 };
        let tolerances =
            if self.builder.reduce { budget.tolerances() } else { vec![exact; budget.precision().len()] };
        loop {
            self.rounds += 1;
            let plan = ClipPlan {
                name: self.animation.name.clone(),
                looping: self.animation.looping,
                times: self.fitter.points.clone(),
                joint_count: tolerances.len(),
                skeleton_identity: self.skeleton.skeleton.identity(),
                channels: self.fitter.channels(&tolerances, dense, self.floor),
                jumps: self.builder.jumps.clone(),
            };
            match Played::new(&plan, self.skeleton) {
                Ok(played) => return Ok(Trial { plan, played }),
                Err(CookError::Encode(EncodeError::Tolerance { .. })) if self.floor < COARSEST_FLOOR => {
                    self.floor *= 2.0;
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// A clip of the dense form within the bound, if there can be one.
    pub(super) fn cook_dense(&mut self) -> Result<Option<CookedClip>, CookError> {
        let TimePoints::Uniform { rate, count } = self.fitter.points else { return Ok(None) };
        let b = self.builder;
        if b.form == Form::Keys || !b.reduce || self.steps() {
            return Ok(None);
        }
        let dense = Dense {
            skeleton: self.skeleton,
            metric: self.metric,
            precision: self.budget.precision(),
            name: &self.animation.name,
            looping: self.animation.looping,
            rate,
            rows: count as usize,
            effort: self.builder.effort,
        };
        let Some(found) = dense.cook()? else { return Ok(None) };
        self.rounds += found.rounds;
        let clip = Clip::from_bytes(&found.bytes)?;
        let keys = clip.view().key_count() + clip.view().constant_count() as u64;
        let report = self.report(clip.view(), keys, found.error, true);
        Ok(Some(CookedClip { bytes: found.bytes, report }))
    }

    /// True if a channel that moves steps from value to value.
    fn steps(&self) -> bool {
        let is = |curve: Option<Curve>| curve == Some(Curve::Step);
        self.metric.source().joints.iter().any(|j| {
            is(j.translation.moving().map(|c| c.curve))
                || is(j.rotation.moving().map(|c| c.curve))
                || is(j.scale.moving().map(|c| c.curve))
        })
    }

    /// True if the source has so few keys, or so many rows that say little, that it may be smaller as keys than as
    /// rows.
    pub(super) fn keys_may_be_smaller(&self, dense: &CookReport) -> bool {
        let (mut keys, mut channels) = (0, 0);
        let mut add = |count: usize| {
            keys += count;
            channels += 1;
        };
        for joint in &self.metric.source().joints {
            joint.translation.moving().into_iter().for_each(|c| add(c.keys.len()));
            joint.rotation.moving().into_iter().for_each(|c| add(c.keys.len()));
            joint.scale.moving().into_iter().for_each(|c| add(c.keys.len()));
        }
        let few = keys * 2 < channels * self.fitter.points.count() as usize;
        let idle = dense.stream_bytes < dense.keys_after && self.builder.effort != Effort::Fast;
        self.builder.form == Form::Auto && (few || idle)
    }

    /// A clip within the bound (true), or the nearest to it that was found.
    pub(super) fn cook(&mut self) -> Result<(CookedClip, bool), CookError> {
        let mut trial =
            if self.builder.reduce { self.search()? } else { self.trial(&self.budget.clone(), false)? };
        for failed in 1.. {
            let error = self.measure(&mut trial)?;
            let worst: Vec<f64> = error.joints.iter().map(|j| j.worst()).collect();
            let within = self.budget.ratio(&worst) <= 1.0;
            if within || failed > ROUNDS {
                return Ok((self.finish(trial, error, within), within));
            }
            self.budget.repair(&worst, 0.985);
            if failed > PATIENCE {
                self.budget.tighten(1.5);
            }
            let next = self.trial(&self.budget.clone(), failed > PATIENCE * 2 || failed == ROUNDS)?;
            // As fine as it gets: more weight changes nothing.
            if next.plan == trial.plan {
                return Ok((self.finish(trial, error, false), false));
            }
            trial = next;
        }
        unreachable!("the loop above ends by itself")
    }

    /// Moves the weights until the error that is allowed is used, as far as quick looks can tell.
    fn search(&mut self) -> Result<Trial<'a>, CookError> {
        let (balancing, scaling) = match self.builder.effort {
            Effort::Fast => (2, 1),
            Effort::Default => (6, 7),
            Effort::Max => (12, 16),
        };
        let probe = Probe::new(self.metric, self.metric.probe_times(&[], PROBES));
        let mut budget = self.budget.clone();
        let mut best: Option<(usize, Trial<'a>, Budget)> = None;
        let mut promising: Option<(f64, f64, Budget)> = None;
        for round in 0..balancing {
            let mut trial = self.trial(&budget, false)?;
            let worst = probe.measure(|t, out| trial.played.pose(t, out))?;
            let ratio = budget.ratio(&worst);
            let size = trial.played.bytes.len();
            // What it would be with every tolerance smaller by the ratio.
            let keys = key_count(&trial.plan.channels) as f64;
            let scaled = size as f64 + keys * 3.0 / 8.0 * libm::log2(if ratio > 0.01 { ratio } else { 0.01 });
            if ratio.is_finite() && promising.as_ref().is_none_or(|p| scaled < p.0) {
                promising = Some((scaled, ratio, budget.clone()));
            }
            if ratio <= 1.0 && best.as_ref().is_none_or(|b| size < b.0) {
                best = Some((size, trial, budget.clone()));
            }
            if round == 0 && ratio.is_finite() && ratio > 0.0 {
                budget.tighten(ratio.clamp(0.05, 20.0));
            } else {
                budget.balance(&worst, 0.95);
            }
        }
        // Around the scale where the best split should just hold: rounding makes each try a new throw.
        if let Some((_, ratio, split)) = promising {
            let mut factor = ratio * 1.01;
            for _ in 0..scaling {
                let mut budget = split.clone();
                budget.tighten(factor);
                let mut trial = self.trial(&budget, false)?;
                let worst = probe.measure(|t, out| trial.played.pose(t, out))?;
                let ratio = budget.ratio(&worst);
                let size = trial.played.bytes.len();
                let smaller = best.as_ref().is_none_or(|b| size < b.0);
                if ratio <= 1.0 && smaller {
                    best = Some((size, trial, budget));
                }
                factor *= if ratio <= 1.0 { 0.97 } else { 1.0 + (ratio - 1.0) * 0.5 };
            }
        }
        let (trial, budget) = match best {
            Some((_, trial, budget)) => (trial, budget),
            None => (self.trial(&budget, false)?, budget),
        };
        self.budget = budget;
        Ok(trial)
    }

    fn measure(&self, trial: &mut Trial<'_>) -> Result<ErrorReport, CookError> {
        let Trial { plan, played } = trial;
        self.metric.measure(&key_times(plan), |t, out| played.pose(t, out))
    }

    /// Samples that the source would be without any structure.
    fn raw_rows(&self) -> usize {
        let longest = self
            .animation
            .tracks
            .iter()
            .map(|t| t.translation.keys.len().max(t.rotation.keys.len()).max(t.scale.keys.len()));
        let longest = longest.max().unwrap_or(0).max(1);
        // Two times are always there, moving channels or not.
        let times = self.metric.source_times().len();
        if times > 2 { longest.max(times) } else { longest }
    }

    fn finish(&self, trial: Trial<'_>, error: ErrorReport, within: bool) -> CookedClip {
        let keys = key_count(&trial.plan.channels);
        let report = self.report(trial.played.clip.view(), keys, error, within);
        CookedClip { bytes: trial.played.bytes, report }
    }

    fn report(&self, view: ClipView<'_>, keys_after: u64, error: ErrorReport, within: bool) -> CookReport {
        let source = self.metric.source();
        let keys_of = |j: &SourceJoint<'_>| {
            j.translation.moving().map_or(0, |c| c.keys.len())
                + j.rotation.moving().map_or(0, |c| c.keys.len())
                + j.scale.moving().map_or(0, |c| c.keys.len())
        };
        CookReport {
            bytes: view.memory_bytes() as u64,
            jump_bytes: view.jump_bytes() as u64,
            stream_bytes: view.stream_bytes() as u64,
            jumps: view.block_count(),
            raw_bytes: 40 * source.joints.len() as u64 * self.raw_rows() as u64,
            keys_before: source.joints.iter().map(|j| keys_of(j) as u64).sum(),
            keys_after,
            rows: view.row_count(),
            error,
            within,
            rounds: self.rounds,
        }
    }
}
