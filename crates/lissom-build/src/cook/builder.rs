//! What a clip should be like: the options of the cooker, and whether they can be meant.

use super::{
    error::CookError,
    keys::Jumps,
    proof::{ErrorMetric, JointPoints, ShellSpace, SkinReach},
    source::CookSource,
};
use crate::{BuiltSkeleton, raw::RawAnimation};
use std::sync::Arc;

/// Cooks animations into clips.
///
/// Lengths are in the unit of the animation; the defaults are for metres. The bound on an animation that is
/// [added to a pose](RawAnimation::additive) is on the rest pose with it added.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipBuilder {
    /// The largest error allowed, in model space: 0.0001 (0.1 mm).
    pub precision: f64,
    /// How far from each joint it is measured, at least: 0.03 (3 cm).
    pub shell: f64,
    /// What that is a length of; [`ShellSpace::Model`] but for figures beside ACL's.
    pub shell_space: ShellSpace,
    /// The skin, whose every vertex is measured too.
    pub skin: Option<Arc<SkinReach>>,
    /// Joints with a precision or a shell of their own.
    pub joints: Vec<JointPrecision>,
    /// Keys, rows, or whichever is smaller.
    pub form: Form,
    /// Where playback of keys can start; `None` is every 0.5 s. Rows can start at every sixteenth and nowhere else:
    /// [`Form::Rows`] refuses to be told, [`Form::Auto`] then makes keys.
    pub jumps: Option<Jumps>,
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
    /// Rows where the source lies on an even rate, unless its keys are so few that they are smaller, or
    /// [`ClipBuilder::jumps`] are asked for.
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

impl Default for ClipBuilder {
    fn default() -> Self {
        Self {
            precision: 1e-4,
            shell: 0.03,
            shell_space: ShellSpace::Model,
            skin: None,
            joints: Vec::new(),
            form: Form::Auto,
            jumps: None,
            reduce: true,
            effort: Effort::Default,
            budget: None,
        }
    }
}

impl ClipBuilder {
    /// What this builder measures clips of an animation with.
    ///
    /// # Errors
    ///
    /// What is wrong with the animation or the options.
    pub fn metric<'a>(
        &self,
        skeleton: &BuiltSkeleton,
        animation: &'a RawAnimation,
    ) -> Result<ErrorMetric<'a>, CookError> {
        let (points, _) = self.check(skeleton, animation)?;
        Ok(ErrorMetric::from_source(CookSource::new(skeleton, animation, !self.reduce), points))
    }

    /// The points and the precision of every joint.
    pub(super) fn check(
        &self,
        skeleton: &BuiltSkeleton,
        animation: &RawAnimation,
    ) -> Result<(Vec<JointPoints>, Vec<f64>), CookError> {
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
        if self.form == Form::Rows && self.jumps.is_some() {
            return Err(CookError::JumpsOfRows);
        }
        let bad = match self.jumps_of_keys() {
            Jumps::None => None,
            Jumps::Every(spacing) => Some(*spacing).filter(|s| !good(*s)),
            Jumps::At(times) => times.iter().copied().find(|t| !(0.0..=duration_s).contains(t)),
        };
        match bad {
            Some(value) => Err(CookError::Jumps { value, duration_s }),
            None => {
                let skin = self.skin.as_deref();
                let points = JointPoints::of_skeleton(&skeleton.skeleton, &shell, self.shell_space, skin);
                Ok((points, precision))
            }
        }
    }

    /// Where playback of keys can start.
    pub(super) fn jumps_of_keys(&self) -> &Jumps {
        self.jumps.as_ref().unwrap_or(&Jumps::Every(0.5))
    }

    /// The same builder with all precisions multiplied.
    pub(crate) fn scaled(&self, scale: f64) -> Self {
        let mut builder = self.clone();
        builder.precision *= scale;
        for joint in &mut builder.joints {
            joint.precision = joint.precision.map(|p| p * scale);
        }
        builder
    }
}
