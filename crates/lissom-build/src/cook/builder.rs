//! The cooker: plans, encodes, plays what it wrote, measures it, and repeats until the bound holds.

use super::{
    encode::EncodeError,
    kitchen::Kitchen,
    metric::{ErrorMetric, ErrorReport},
    plan::Jumps,
    source::Source,
    within::within,
};
use crate::{
    BuiltSkeleton,
    raw::{RawAnimation, RawAnimationError},
};
use lissom::{clip::ClipError, job::JobError};

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
    /// Sparse keys, dense rows, or whichever is smaller.
    pub form: Form,
    /// Where playback of sparse keys can start: every 0.5 s. Dense rows can start at every sixteenth.
    pub jumps: Jumps,
    /// False keeps every key of the source, at its own time, as exactly as f32 can. (Curves that the player
    /// does not know still get keys between them.)
    pub reduce: bool,
    /// How long to look for a smaller clip.
    pub effort: Effort,
    /// Bytes that the clip may take: the smallest error that fits is searched for, from `precision` on in both
    /// directions, and the report says what it became.
    pub budget: Option<u64>,
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
    /// No precision makes the clip small enough.
    #[error("the clip takes {smallest} bytes at any precision, and {budget} are allowed")]
    Budget {
        /// What was allowed.
        budget: u64,
        /// The smallest that was found.
        smallest: u64,
    },
}

impl Default for ClipBuilder {
    fn default() -> Self {
        Self {
            precision: 1e-4,
            shell: 0.03,
            joints: Vec::new(),
            form: Form::Auto,
            jumps: Jumps::Every(0.5),
            reduce: true,
            effort: Effort::Default,
            budget: None,
        }
    }
}

impl ClipBuilder {
    /// Cooks an animation of this skeleton.
    ///
    /// # Errors
    ///
    /// Every case of [`CookError`].
    pub fn build(&self, skeleton: &BuiltSkeleton, animation: &RawAnimation) -> Result<CookedClip, CookError> {
        if let Some(budget) = self.budget {
            return within(&Self { budget: None, ..self.clone() }, skeleton, animation, budget);
        }
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
            if !kitchen.fitter.can_be_finer() || attempts.len() == 0 {
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
