//! The search for keys: tolerances are moved until the error that is allowed is used, and no more.

use super::{
    encode::{EncodeError, encode},
    fitter::{Fitter, key_count, key_times},
    plan::ClipPlan,
    tolerance::{Tolerance, Tolerances},
};
use crate::{
    BuiltSkeleton,
    cook::{
        builder::{ClipBuilder, Effort},
        error::CookError,
        proof::{ErrorMetric, ErrorReport, Playback, Probe},
        report::{CookReport, CookedClip},
        timeline::TimePoints,
    },
    exact::{clamp, larger},
    raw::RawAnimation,
};

/// Times that a quick measurement looks at.
const PROBES: usize = 1024;
/// Rounds of repair before all tolerances shrink at once.
const PATIENCE: u32 = 12;
/// Rounds after which a bound that still does not hold cannot be held.
const ROUNDS: u32 = 60;
/// How much coarser than expected the finest tolerance may turn out to be.
const COARSEST_FLOOR: f64 = 64.0;

/// One animation while its keys are searched for.
pub(in crate::cook) struct KeysSearch<'a> {
    builder: &'a ClipBuilder,
    skeleton: &'a BuiltSkeleton,
    animation: &'a RawAnimation,
    metric: &'a ErrorMetric<'a>,
    fitter: Fitter<'a>,
    tolerances: Tolerances,
    /// Grows where the encoder finds a tolerance too fine for f32.
    floor: f64,
    rounds: u32,
}

/// A plan and what became of it.
struct Trial<'a> {
    plan: ClipPlan,
    played: Playback<'a>,
}

impl<'a> KeysSearch<'a> {
    pub(in crate::cook) fn new(
        builder: &'a ClipBuilder,
        skeleton: &'a BuiltSkeleton,
        animation: &'a RawAnimation,
        metric: &'a ErrorMetric<'a>,
        precision: Vec<f64>,
        (bend, listed): (f64, bool),
    ) -> Result<Self, CookError> {
        let mut tolerances = Tolerances::new(metric, &metric.source_times(), precision);
        // Rows are chosen for tolerances a few times finer than a single joint's bound.
        tolerances.tighten(4.0 / bend);
        let fitter = Fitter::new(
            metric.source(),
            &tolerances.of_joints(),
            listed,
            builder.reduce,
            builder.jumps_of_keys(),
        )
        .ok_or(CookError::TooManyRows)?;
        tolerances.tighten(bend / 2.0);
        Ok(Self { builder, skeleton, animation, metric, fitter, tolerances, floor: 1.0, rounds: 0 })
    }

    /// The rows that keys can stand at.
    pub(in crate::cook) fn points(&self) -> &TimePoints {
        &self.fitter.points
    }

    /// True if finer rows might help.
    pub(in crate::cook) fn can_be_finer(&self) -> bool {
        self.fitter.can_be_finer()
    }

    /// Rounds that another form took before.
    pub(in crate::cook) fn count_rounds(&mut self, rounds: u32) {
        self.rounds += rounds;
    }

    /// Plans and encodes at these tolerances. With `keep_all` no key is dropped.
    fn trial(&mut self, tolerances: &Tolerances, keep_all: bool) -> Result<Trial<'a>, CookError> {
        let exact = Tolerance { translation: 0.0, rotation: 0.0, scale: 0.0 };
        let tolerances = if self.builder.reduce {
            tolerances.of_joints()
        } else {
            vec![exact; tolerances.precision().len()]
        };
        loop {
            self.rounds += 1;
            let plan = ClipPlan {
                name: self.animation.name.clone(),
                looping: self.animation.looping,
                times: self.fitter.points.clone(),
                joint_count: tolerances.len(),
                skeleton_identity: self.skeleton.skeleton.identity(),
                channels: self.fitter.channels(&tolerances, keep_all, self.floor),
                jumps: self.builder.jumps_of_keys().clone(),
            };
            let played = encode(&plan).map_err(CookError::from).and_then(|b| Playback::new(b, self.skeleton));
            match played {
                Ok(played) => return Ok(Trial { plan, played }),
                Err(CookError::Encode(EncodeError::Tolerance { .. })) if self.floor < COARSEST_FLOOR => {
                    self.floor *= 2.0;
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// A clip within the bound (true), or the nearest to it that was found.
    pub(in crate::cook) fn cook(&mut self) -> Result<(CookedClip, bool), CookError> {
        let mut trial =
            if self.builder.reduce { self.search()? } else { self.trial(&self.tolerances.clone(), false)? };
        let mut failed = 0;
        loop {
            let (error, near) = self.measure(&mut trial)?;
            let mut worst: Vec<f64> = error.joints.iter().map(|j| j.worst()).collect();
            let within = self.is_within(&worst);
            if within || failed >= ROUNDS {
                return Ok((self.finish(trial, error, within), within));
            }
            // Repaired with a look where it was too far off; the whole is measured again when that holds.
            while !self.is_within(&worst) && failed < ROUNDS {
                failed += 1;
                self.tolerances.repair(&worst, 0.985);
                if failed > PATIENCE {
                    self.tolerances.tighten(1.5);
                }
                let next = self.trial(&self.tolerances.clone(), failed > PATIENCE * 2 || failed == ROUNDS)?;
                // As fine as it gets: more weight changes nothing.
                if next.plan == trial.plan {
                    failed = ROUNDS;
                }
                trial = next;
                worst = self.metric.worst_at(&near, |t, out| trial.played.pose(t, out))?;
            }
        }
    }

    /// True if no joint is farther off than it may be; what is not a number is.
    fn is_within(&self, worst: &[f64]) -> bool {
        self.tolerances.ratio(worst) <= 1.0
    }

    /// Moves the weights until the error that is allowed is used, as far as quick looks can tell.
    fn search(&mut self) -> Result<Trial<'a>, CookError> {
        let (balancing, scaling) = match self.builder.effort {
            Effort::Fast => (2, 1),
            Effort::Default => (6, 7),
            Effort::Max => (12, 16),
        };
        let probe = Probe::new(self.metric, self.metric.probe_times(&[], PROBES));
        let mut tolerances = self.tolerances.clone();
        let mut best: Option<(usize, Trial<'a>, Tolerances)> = None;
        let mut promising: Option<(f64, f64, Tolerances)> = None;
        for round in 0..balancing {
            let mut trial = self.trial(&tolerances, false)?;
            let worst = probe.measure(|t, out| trial.played.pose(t, out))?;
            let ratio = tolerances.ratio(&worst);
            let size = trial.played.bytes.len();
            // What it would be with every tolerance smaller by the ratio.
            let keys = key_count(&trial.plan.channels) as f64;
            let scaled = size as f64 + keys * 3.0 / 8.0 * libm::log2(larger(ratio, 0.01));
            if ratio.is_finite() && promising.as_ref().is_none_or(|p| scaled < p.0) {
                promising = Some((scaled, ratio, tolerances.clone()));
            }
            if ratio <= 1.0 && best.as_ref().is_none_or(|b| size < b.0) {
                best = Some((size, trial, tolerances.clone()));
            }
            if round == 0 && ratio.is_finite() && ratio > 0.0 {
                tolerances.tighten(clamp(ratio, 0.05, 20.0));
            } else {
                tolerances.balance(&worst, 0.95);
            }
        }
        // Around the scale where the best split should just hold: rounding makes each try a new throw.
        if let Some((_, ratio, split)) = promising {
            let mut factor = ratio * 1.01;
            for _ in 0..scaling {
                let mut tolerances = split.clone();
                tolerances.tighten(factor);
                let mut trial = self.trial(&tolerances, false)?;
                let worst = probe.measure(|t, out| trial.played.pose(t, out))?;
                let ratio = tolerances.ratio(&worst);
                let size = trial.played.bytes.len();
                let smaller = best.as_ref().is_none_or(|b| size < b.0);
                if ratio <= 1.0 && smaller {
                    best = Some((size, trial, tolerances));
                }
                factor *= if ratio <= 1.0 { 0.97 } else { 1.0 + (ratio - 1.0) * 0.5 };
            }
        }
        let (trial, tolerances) = match best {
            Some((_, trial, tolerances)) => (trial, tolerances),
            None => (self.trial(&tolerances, false)?, tolerances),
        };
        self.tolerances = tolerances;
        Ok(trial)
    }

    /// What the proof says, and the times at which a joint is off by nearly all that it may be, or more.
    fn measure(&self, trial: &mut Trial<'_>) -> Result<(ErrorReport, Vec<f64>), CookError> {
        let Trial { plan, played } = trial;
        self.metric
            .measure_noting(&key_times(plan), self.tolerances.precision(), |t, out| played.pose(t, out))
    }

    fn finish(&self, trial: Trial<'_>, error: ErrorReport, within: bool) -> CookedClip {
        let keys = key_count(&trial.plan.channels);
        let view = trial.played.clip.view();
        let source = self.metric.source();
        let report = CookReport::new(self.animation, source, view, keys, (error, within), self.rounds);
        CookedClip { bytes: trial.played.bytes, report }
    }
}
