//! The mannequin's longest clip, and the ways through it that are measured.

use lissom::Clip;
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, Effort, Form, Jumps},
    mannequin::{self, Motion},
    raw::RawAnimation,
};

/// A skeleton and a motion for it.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The skeleton.
    pub skeleton: BuiltSkeleton,
    /// The motion.
    pub animation: RawAnimation,
}

/// The mannequin and its performance.
///
/// # Errors
///
/// None in practice: the skeleton is fixed.
pub fn stage() -> anyhow::Result<Stage> {
    let skeleton = SkeletonBuilder::build(&mannequin::skeleton())?;
    Ok(Stage { skeleton, animation: mannequin::clip(Motion::Performance) })
}

/// The motion as rows.
///
/// # Errors
///
/// None in practice: the motion is fixed.
pub fn rows(stage: &Stage) -> anyhow::Result<Clip> {
    let builder = ClipBuilder { form: Form::Rows, ..ClipBuilder::default() };
    Ok(Clip::from_bytes(&builder.build(&stage.skeleton, &stage.animation)?.bytes)?)
}

/// The motion as sparse keys with jump frames at a spacing in seconds; 0 is none. At little effort: what is measured is
/// playing.
///
/// # Errors
///
/// None in practice: the motion is fixed.
pub fn spaced(stage: &Stage, spacing_s: f64) -> anyhow::Result<Clip> {
    let jumps = if spacing_s > 0.0 { Jumps::Every(spacing_s) } else { Jumps::None };
    let builder =
        ClipBuilder { jumps: Some(jumps), form: Form::Keys, effort: Effort::Fast, ..ClipBuilder::default() };
    Ok(Clip::from_bytes(&builder.build(&stage.skeleton, &stage.animation)?.bytes)?)
}

/// A way through a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A sixtieth a frame.
    Forward,
    /// The same, backward.
    Backward,
    /// Two instants of one key interval in turn.
    Same,
    /// Anywhere.
    Random,
}

impl Way {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Forward, Self::Backward, Self::Same, Self::Random];

    /// For tables and for the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Same => "same",
            Self::Random => "random",
        }
    }

    /// The times of one round, in seconds.
    #[must_use]
    pub fn times(self, duration_s: f64) -> Vec<f64> {
        let frames = (duration_s * 60.0) as u32;
        match self {
            Self::Forward => (0..frames).map(|f| f64::from(f) / 60.0).collect(),
            Self::Backward => (0..frames).rev().map(|f| f64::from(f) / 60.0).collect(),
            Self::Same => [0.4 * duration_s, 0.4 * duration_s + 1e-4].repeat(250),
            // Fibonacci hashing: looks random, the same in every run.
            Self::Random => (0..500_u32)
                .map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24) * duration_s)
                .collect(),
        }
    }
}
