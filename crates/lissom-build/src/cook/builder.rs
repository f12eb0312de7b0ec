//! The cooker: plans, encodes, plays what it wrote, measures it, and repeats until the bound holds.

use super::{
    budget::{Budget, Tolerance},
    dense::Dense,
    encode::EncodeError,
    fitter::{Fitter, key_count, key_times},
    metric::{ErrorMetric, ErrorReport, Probe},
    plan::{ClipPlan, Coding, Jumps, TimePoints},
    player::Played,
    source::{Source, SourceJoint},
};
use crate::{
    BuiltSkeleton,
    raw::{Curve, RawAnimation, RawAnimationError},
};
use lissom::{
    clip::{Clip, ClipError, ClipView},
    job::JobError,
};

/// Cooks animations into clips.
///
/// Lengths are in the unit of the animation; the defaults are for metres.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipBuilder {
    /// The largest error allowed, in model space: 0.0001 (0.1 mm).
    pub precision: f64,
    /// How far from each joint it is measured: 0.03 (3 cm).
    pub shell: f64,
    /// Joints with a precision or a shell of their own.
    pub joints: Vec<JointPrecision>,
    /// How values become bits.
    pub coding: Coding,
    /// Sparse keys, dense rows, or whichever is smaller.
    pub form: Form,
    /// Where playback of sparse keys can start: every 0.5 s. Dense rows can start at every sixteenth.
    pub jumps: Jumps,
    /// False keeps every key of the source, at its own time, as exactly as f32 can. (Curves that the player
    /// does not know still get keys between them.)
    pub reduce: bool,
    /// How long to look for a smaller clip.
    pub effort: Effort,
    /// True makes a clip even if its coding cannot hold the precision ([`Coding::Plain16`]).
    pub allow_excess: bool,
}

/// What one joint needs. `None` is the builder's own value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPrecision {
    /// The joint, in skeleton order.
    pub joint: usize,
    /// The largest error allowed at this joint.
    pub precision: Option<f64>,
    /// How far from this joint it is measured.
    pub shell: Option<f64>,
}

/// How a clip holds its keys. Both play the same way; the bound holds for both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Rows where the source lies on an even rate, unless its keys are so few that they are smaller.
    #[default]
    Auto,
    /// Keys at any times, as few as the precision allows, on lines and cubics. For sparse and uneven sources.
    Keys,
    /// A key of every moving channel at every row of an even rate, in blocks of sixteen rows. A source that lies on
    /// no even rate, or that steps, becomes keys all the same.
    Rows,
}

/// How long to look for a smaller clip. The bound holds at every effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// A few rounds.
    Fast,
    /// What most clips need.
    #[default]
    Default,
    /// Until nothing more is gained.
    Max,
}

/// A clip, and what became of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct CookedClip {
    /// What [`lissom::clip`] plays.
    pub bytes: Vec<u8>,
    /// What it cost and how good it is.
    pub report: CookReport,
}

/// What a clip cost and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct CookReport {
    /// Bytes of the clip.
    pub bytes: u64,
    /// Bytes of its jump frames.
    pub jump_bytes: u64,
    /// Bytes of its stream of keys. What is left is the header, the tables and the constants.
    pub stream_bytes: u64,
    /// Places where playback can start; the start is one.
    pub jumps: usize,
    /// Bytes of the source as plain samples: 10 floats a joint and sample.
    pub raw_bytes: u64,
    /// Keys of the source, in channels that move.
    pub keys_before: u64,
    /// Keys of the clip; a constant counts as one.
    pub keys_after: u64,
    /// Rows of the clip.
    pub rows: u32,
    /// The error, measured on the clip as the player decodes it.
    pub error: ErrorReport,
    /// True if every joint's error is within its precision.
    pub within: bool,
    /// Times the clip was encoded and measured.
    pub rounds: u32,
}

impl CookReport {
    /// Raw bytes for each byte of the clip.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.bytes as f64
    }
}

/// Why a clip could not be cooked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CookError {
    /// The animation is not valid, or not of this skeleton.
    #[error(transparent)]
    Animation(#[from] RawAnimationError),
    /// A precision is not a number above 0.
    #[error("the precision {value} is not finite and above 0")]
    Precision {
        /// What was given.
        value: f64,
    },
    /// A shell distance is not a number above 0.
    #[error("the shell distance {value} is not finite and above 0")]
    Shell {
        /// What was given.
        value: f64,
    },
    /// A joint that the skeleton does not have.
    #[error("a precision for joint {joint}, but the skeleton has {joints}")]
    Joint {
        /// What was given.
        joint: usize,
        /// Joints of the skeleton.
        joints: usize,
    },
    /// A jump spacing or time that is not possible.
    #[error("jump frames at {value} s: the spacing must be above 0, times must be in [0, {duration_s}]")]
    Jumps {
        /// What was given.
        value: f64,
        /// The animation's duration.
        duration_s: f64,
    },
    /// The plan could not be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The clip that was written could not be read: a defect of this library.
    #[error("the clip that was written cannot be read: {0}")]
    Clip(#[from] ClipError),
    /// The clip that was written could not be played: a defect of this library.
    #[error("the clip that was written cannot be played: {0}")]
    Play(#[from] JobError),
    /// There are more rows than can be counted.
    #[error("more than {} rows are needed", u32::MAX)]
    TooManyRows,
    /// Not even every key at the exactness of f32 is within the precision.
    #[error(
        "joint {joint} \"{name}\": the error is {error} at {time_s} s where {precision} is asked for, which is \
         finer than f32 can hold"
    )]
    TooFine {
        /// The joint that is worst off.
        joint: usize,
        /// Its name.
        name: String,
        /// Its error.
        error: f64,
        /// Its precision.
        precision: f64,
        /// When it is worst, in seconds.
        time_s: f64,
    },
    /// The coding cannot hold the precision, and [`ClipBuilder::allow_excess`] is false.
    #[error("joint {joint} \"{name}\": {coding:?} coding is off by {error} where {precision} is asked for")]
    Excess {
        /// The coding.
        coding: Coding,
        /// The joint that is worst off.
        joint: usize,
        /// Its name.
        name: String,
        /// Its error.
        error: f64,
        /// Its precision.
        precision: f64,
    },
}

impl Default for ClipBuilder {
    fn default() -> Self {
        Self {
            precision: 1e-4,
            shell: 0.03,
            joints: Vec::new(),
            coding: Coding::Quantised,
            form: Form::Auto,
            jumps: Jumps::Every(0.5),
            reduce: true,
            effort: Effort::Default,
            allow_excess: false,
        }
    }
}

/// Times that a quick measurement looks at.
const PROBES: usize = 1024;
/// Rounds of repair before all tolerances shrink at once.
const PATIENCE: u32 = 12;
/// Rounds after which a bound that still does not hold cannot be held.
const ROUNDS: u32 = 60;
/// The same for codings that do not look at tolerances: only dropped keys can come back.
const ROUNDS_PLAIN: u32 = 8;
/// How much coarser than expected the finest tolerance may turn out to be.
const COARSEST_FLOOR: f64 = 64.0;

impl ClipBuilder {
    /// Cooks an animation of this skeleton.
    ///
    /// # Errors
    ///
    /// Every case of [`CookError`].
    pub fn build(&self, skeleton: &BuiltSkeleton, animation: &RawAnimation) -> Result<CookedClip, CookError> {
        let (shell, precision) = self.check(skeleton, animation)?;
        let source = Source::new(skeleton, animation, !self.reduce);
        let metric = ErrorMetric::from_source(source, shell);
        // Finer and finer rows for curves that bend; listed rows where the even ones are not near enough.
        let mut attempts = [(1.0, false), (0.1, true), (0.01, true)].into_iter();
        let clip = loop {
            let Some(rows) = attempts.next() else { unreachable!("the last attempt ends the loop") };
            let mut kitchen = Kitchen::new(self, skeleton, animation, &metric, precision.clone(), rows)?;
            let dense = kitchen.cook_dense()?;
            if let Some(clip) = &dense
                && !kitchen.keys_may_be_smaller(&clip.report)
            {
                return Ok(clip.clone());
            }
            let (clip, within) = kitchen.cook()?;
            if let Some(dense) = dense.filter(|dense| !within || dense.bytes.len() <= clip.bytes.len()) {
                return Ok(dense);
            }
            if within {
                return Ok(clip);
            }
            let again = self.coding == Coding::Quantised && kitchen.fitter.can_be_finer();
            if !again || attempts.len() == 0 {
                break clip;
            }
        };
        if self.allow_excess {
            return Ok(clip);
        }
        let error = &clip.report.error;
        let excess = |j: &usize| error.joints[*j].worst() / precision[*j];
        let joint = (0..precision.len()).max_by(|a, b| excess(a).total_cmp(&excess(b))).unwrap_or(0);
        let name = skeleton.skeleton.name(joint).to_string();
        let (worst, precision) = (error.joints[joint].worst(), precision[joint]);
        Err(match self.coding {
            Coding::Quantised => {
                CookError::TooFine { joint, name, error: worst, precision, time_s: error.worst_time_s }
            }
            coding => CookError::Excess { coding, joint, name, error: worst, precision },
        })
    }

    /// The shell and precision of every joint.
    fn check(
        &self,
        skeleton: &BuiltSkeleton,
        animation: &RawAnimation,
    ) -> Result<(Vec<f64>, Vec<f64>), CookError> {
        let joints = skeleton.skeleton.joint_count();
        animation.validate(joints)?;
        let good = |v: f64| v.is_finite() && v > 0.0;
        let mut shell = vec![self.shell; joints];
        let mut precision = vec![self.precision; joints];
        for own in &self.joints {
            if own.joint >= joints {
                return Err(CookError::Joint { joint: own.joint, joints });
            }
            shell[own.joint] = own.shell.unwrap_or(self.shell);
            precision[own.joint] = own.precision.unwrap_or(self.precision);
        }
        if let Some(value) = shell.iter().find(|v| !good(**v)) {
            return Err(CookError::Shell { value: *value });
        }
        if let Some(value) = precision.iter().find(|v| !good(**v)) {
            return Err(CookError::Precision { value: *value });
        }
        let duration_s = animation.duration_s;
        let bad = match &self.jumps {
            Jumps::None => None,
            Jumps::Every(spacing) => Some(*spacing).filter(|s| !good(*s)),
            Jumps::At(times) => times.iter().copied().find(|t| !(0.0..=duration_s).contains(t)),
        };
        match bad {
            Some(value) => Err(CookError::Jumps { value, duration_s }),
            None => Ok((shell, precision)),
        }
    }
}

/// One animation while it is cooked.
struct Kitchen<'a> {
    builder: &'a ClipBuilder,
    skeleton: &'a BuiltSkeleton,
    animation: &'a RawAnimation,
    metric: &'a ErrorMetric<'a>,
    fitter: Fitter<'a>,
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
    fn new(
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
                coding: self.builder.coding,
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
    fn cook_dense(&mut self) -> Result<Option<CookedClip>, CookError> {
        let TimePoints::Uniform { rate, count } = self.fitter.points else { return Ok(None) };
        let b = self.builder;
        if b.form == Form::Keys || b.coding != Coding::Quantised || !b.reduce || self.steps() {
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
    fn keys_may_be_smaller(&self, dense: &CookReport) -> bool {
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
    fn cook(&mut self) -> Result<(CookedClip, bool), CookError> {
        let quantised = self.builder.coding == Coding::Quantised;
        let mut trial = if self.builder.reduce && quantised {
            self.search()?
        } else {
            self.trial(&self.budget.clone(), false)?
        };
        let rounds = if quantised { ROUNDS } else { ROUNDS_PLAIN };
        for failed in 1.. {
            let error = self.measure(&mut trial)?;
            let worst: Vec<f64> = error.joints.iter().map(|j| j.worst()).collect();
            let within = self.budget.ratio(&worst) <= 1.0;
            if within || failed > rounds {
                return Ok((self.finish(trial, error, within), within));
            }
            self.budget.repair(&worst, 0.985);
            if failed > PATIENCE || !quantised {
                self.budget.tighten(1.5);
            }
            let next = self.trial(&self.budget.clone(), failed > PATIENCE * 2 || failed == rounds)?;
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
