//! The cooker: plans, encodes, plays what it wrote, measures it, and repeats until the bound holds.

use super::{
    budget::{Budget, Tolerance},
    fitter::{Fitter, key_count, key_times},
    metric::{ErrorMetric, ErrorReport, Probe},
    plan::{ClipPlan, Coding, Jumps},
    player::Played,
    source::Source,
};
use crate::{
    BuiltSkeleton,
    raw::{RawAnimation, RawAnimationError},
};
use lissom::math::Transform;

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
    /// Where playback can start: every 0.5 s.
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
    /// What [`lissom::clip`](lissom) plays.
    pub bytes: Vec<u8>,
    /// What it cost and how good it is.
    pub report: CookReport,
}

/// What a clip cost and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct CookReport {
    /// Bytes of the clip.
    pub bytes: u64,
    /// Bytes of the source as plain samples: 10 floats a joint and row of the source.
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
        let mut last = None;
        // Finer and finer rows for curves that bend; listed rows where the even ones are not near enough.
        for (bend, listed) in [(1.0, false), (0.1, true), (0.01, true)] {
            let mut kitchen =
                Kitchen::new(self, skeleton, animation, &metric, precision.clone(), bend, listed)?;
            match kitchen.cook()? {
                Ok(clip) => return Ok(clip),
                Err(clip) => last = Some(clip),
            }
        }
        let clip = last.expect("three attempts were made");
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
    probe: Probe<'a, 'a>,
    rounds: u32,
}

impl<'a> Kitchen<'a> {
    fn new(
        builder: &'a ClipBuilder,
        skeleton: &'a BuiltSkeleton,
        animation: &'a RawAnimation,
        metric: &'a ErrorMetric<'a>,
        precision: Vec<f64>,
        bend: f64,
        listed: bool,
    ) -> Result<Self, CookError> {
        let mut budget = Budget::new(metric, &metric.source_times(), precision);
        // Rows are chosen for tolerances a few times finer than a single joint's bound.
        budget.tighten(4.0 / bend);
        let fitter =
            Fitter::new(metric.source(), &budget.tolerances(), listed, builder.reduce, &builder.jumps)
                .ok_or(CookError::TooManyRows)?;
        budget.tighten(bend / 4.0);
        let probe = Probe::new(metric, metric.probe_times(&[], PROBES));
        Ok(Self { builder, skeleton, animation, metric, fitter, budget, probe, rounds: 0 })
    }

    fn plan(&self, tolerances: &[Tolerance], dense: bool) -> ClipPlan {
        ClipPlan {
            name: self.animation.name.clone(),
            looping: self.animation.looping,
            times: self.fitter.points.clone(),
            joint_count: tolerances.len(),
            skeleton_identity: self.skeleton.skeleton.identity(),
            channels: self.fitter.channels(tolerances, dense),
            coding: self.builder.coding,
            jumps: self.builder.jumps.clone(),
        }
    }

    fn round(&mut self, budget: &Budget, dense: bool) -> Result<(ClipPlan, Played), CookError> {
        self.rounds += 1;
        let tolerances: Vec<Tolerance> = if self.builder.reduce {
            budget.tolerances()
        } else {
            vec![Tolerance { translation: 0.0, rotation: 0.0, scale: 0.0 }; budget.precision().len()]
        };
        let plan = self.plan(&tolerances, dense);
        let played = Played::new(&plan, self.skeleton);
        Ok((plan, played))
    }

    /// A clip within the bound, or as near to it as was found.
    fn cook(&mut self) -> Result<Result<CookedClip, CookedClip>, CookError> {
        let tunable = self.builder.reduce && self.builder.coding == Coding::Quantised;
        let (mut plan, mut played) =
            if tunable { self.search()? } else { self.round(&self.budget.clone(), false)? };
        let mut failed = 0;
        loop {
            let error = self.measure(&plan, &mut played)?;
            let worst: Vec<f64> = error.joints.iter().map(|j| j.worst()).collect();
            let ratio = self.budget.ratio(&worst);
            let within = ratio <= 1.0;
            if within || failed >= ROUNDS || !self.builder.reduce {
                let clip = self.finish(&plan, played, error, within);
                return Ok(if within { Ok(clip) } else { Err(clip) });
            }
            failed += 1;
            self.budget.repair(&worst, 0.985);
            if failed > PATIENCE {
                self.budget.tighten(1.5);
            }
            let dense = failed > PATIENCE * 2;
            (plan, played) = self.round(&self.budget.clone(), dense)?;
        }
    }

    /// Moves the weights until the error that is allowed is used, as far as quick looks can tell.
    fn search(&mut self) -> Result<(ClipPlan, Played), CookError> {
        let rounds = match self.builder.effort {
            Effort::Fast => 3,
            Effort::Default => 8,
            Effort::Max => 24,
        };
        let mut budget = self.budget.clone();
        budget.tighten(2.0);
        let mut best: Option<(usize, Budget, ClipPlan, Played)> = None;
        let mut last = None;
        for round in 0..rounds {
            let (plan, mut played) = self.round(&budget, false)?;
            let worst = self.quick(&mut played)?;
            let ratio = budget.ratio(&worst);
            let size = played.bytes.len();
            if std::env::var("TRACE").is_ok() { #[allow(clippy::print_stderr)] { let mut w: Vec<_> = worst.iter().zip(budget.precision()).map(|(e,p)| e/p).collect(); w.sort_by(f64::total_cmp); let n=w.len(); eprintln!("round {round} size {size} ratio {ratio:.3} median {:.3} top10 {:.3} keys {}", w[n/2], w[n-1-n/10], key_count(&plan.channels)); } }
            if std::env::var("TRACE2").is_ok() && ratio > 20.0 && round == 1 { #[allow(clippy::print_stderr)] {
                let e = self.measure(&plan, &mut played)?;
                eprintln!("joint {} time {} keys {} between {}", e.worst_joint, e.worst_time_s, e.worst_at_keys, e.worst_between);
                let mut j = Some(e.worst_joint);
                let tol = budget.tolerances();
                while let Some(k) = j { eprintln!("  joint {k} tol {:?} err {:?}", tol[k], e.joints[k]);
                    for c in plan.channels.iter().filter(|c| usize::from(c.joint) == k) { match &c.keys {
                        super::plan::PlanKeys::Rotation(t) => eprintln!("    R {:?} {} keys tol {} {:?}", t.curve, t.keys.len(), t.tolerance, &t.keys[..t.keys.len().min(5)]),
                        super::plan::PlanKeys::Translation(t) => eprintln!("    T {:?} {} keys tol {} {:?}", t.curve, t.keys.len(), t.tolerance, &t.keys[..t.keys.len().min(5)]),
                        super::plan::PlanKeys::Scale(t) => eprintln!("    S {:?} {} keys tol {} {:?}", t.curve, t.keys.len(), t.tolerance, &t.keys[..t.keys.len().min(5)]), } }
                    j = self.metric.source().parents[k]; }
            } }
            let before = budget.clone();
            if round == 0 && ratio.is_finite() && ratio > 0.0 {
                budget.tighten(ratio.clamp(0.05, 20.0));
            } else {
                budget.balance(&worst, 0.97);
            }
            if ratio <= 1.0 && best.as_ref().is_none_or(|b| size < b.0) {
                best = Some((size, before, plan, played));
            } else if best.is_none() {
                last = Some((before, plan, played));
            }
        }
        let (budget, plan, played) = match (best, last) {
            (Some((_, budget, plan, played)), _) | (None, Some((budget, plan, played))) => {
                (budget, plan, played)
            }
            (None, None) => unreachable!("there was a round"),
        };
        self.budget = budget;
        Ok((plan, played))
    }

    fn quick(&self, played: &mut Played) -> Result<Vec<f64>, CookError> {
        let decode = |t: f64, out: &mut [Transform]| played.pose(t, out);
        Ok(self.probe.measure(decode).unwrap())
    }

    fn measure(&self, plan: &ClipPlan, played: &mut Played) -> Result<ErrorReport, CookError> {
        let decode = |t: f64, out: &mut [Transform]| played.pose(t, out);
        Ok(self.metric.measure(&key_times(plan), decode).unwrap())
    }

    fn finish(&self, plan: &ClipPlan, played: Played, error: ErrorReport, within: bool) -> CookedClip {
        let source = self.metric.source();
        let keys_of = |j: usize| {
            let joint = &source.joints[j];
            joint.translation.moving().map_or(0, |c| c.keys.len())
                + joint.rotation.moving().map_or(0, |c| c.keys.len())
                + joint.scale.moving().map_or(0, |c| c.keys.len())
        };
        let joints = source.joints.len();
        let report = CookReport {
            bytes: played.bytes.len() as u64,
            raw_bytes: 40 * joints as u64 * source.times().len() as u64,
            keys_before: (0..joints).map(|j| keys_of(j) as u64).sum(),
            keys_after: key_count(&plan.channels),
            rows: plan.times.count(),
            error,
            within,
            rounds: self.rounds,
        };
        CookedClip { bytes: played.bytes, report }
    }
}
