//! How exactly a file's clips are cooked, where nobody says.

use crate::{
    BuiltSkeleton,
    cook::{ClipBuilder, JointPrecision},
    scene::SceneAnimation,
};

/// Models above this height are cooked with a precision that grows with them: f32 cannot hold a tenth of a millimetre
/// there, and most likely the unit is another one.
const LARGE_M: f64 = 10.0;

/// What the size of a model, its file and the user make of the precision and the shell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScenePrecision {
    /// How many times as large as usual both are, by the model's size.
    by_size: f64,
    /// The user gave them: then neither the model's size nor its file counts.
    asked_precision: bool,
    asked_shell: bool,
}

impl ScenePrecision {
    /// Of a model this high, and whether the user asked for a precision or a shell.
    #[must_use]
    pub fn new(height_m: Option<f64>, asked_precision: bool, asked_shell: bool) -> Self {
        let large = height_m.filter(|h| *h > LARGE_M && h.is_finite());
        Self { by_size: large.map_or(1.0, |h| h / LARGE_M), asked_precision, asked_shell }
    }

    /// What the precision is multiplied with.
    #[must_use]
    pub fn growth(&self) -> f64 {
        if self.asked_precision { 1.0 } else { self.by_size }
    }

    /// What the shell is multiplied with.
    fn shell_growth(&self) -> f64 {
        if self.asked_shell { 1.0 } else { self.by_size }
    }

    /// The builder, grown.
    #[must_use]
    pub fn builder(&self, cook: &ClipBuilder) -> ClipBuilder {
        let (precision, shell) = (cook.precision * self.growth(), cook.shell * self.shell_growth());
        ClipBuilder { precision, shell, ..cook.clone() }
    }

    /// What the file asks for of its joints, where the user did not.
    #[must_use]
    pub fn joints(&self, animation: &SceneAnimation, built: &BuiltSkeleton) -> Vec<JointPrecision> {
        let mut joints = animation.joint_precision(built);
        for own in &mut joints {
            own.precision = own.precision.filter(|_| !self.asked_precision).map(|v| v * self.growth());
            own.shell = own.shell.filter(|_| !self.asked_shell).map(|v| v * self.shell_growth());
        }
        joints
    }
}
