//! How exactly a file's clips are cooked, where nobody says.

use lissom_build::{
    BuiltSkeleton,
    cook::{ClipBuilder, JointPrecision},
    scene::SceneAnimation,
};

/// Models above this height are cooked with a precision that grows with them: f32 cannot hold a tenth of a millimetre
/// there, and most likely the unit is another one.
const LARGE_M: f64 = 10.0;

/// What the size of a model, its file and the user make of the precision and the shell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exactness {
    /// How many times as large as usual both are.
    pub(crate) growth: f64,
    /// The user gave them: then neither the model's size nor its file counts.
    pub(crate) asked_precision: bool,
    pub(crate) asked_shell: bool,
}

impl Exactness {
    /// Of a model this high, if nobody asked for anything.
    pub(crate) fn of(height_m: Option<f64>) -> Self {
        let large = height_m.filter(|h| *h > LARGE_M && h.is_finite());
        Self { growth: large.map_or(1.0, |h| h / LARGE_M), asked_precision: false, asked_shell: false }
    }

    /// The builder, grown. A user who asks for one of the two means the other to stay.
    pub(crate) fn builder(&self, cook: &ClipBuilder) -> ClipBuilder {
        let growth = self.grown();
        ClipBuilder { precision: cook.precision * growth, shell: cook.shell * growth, ..cook.clone() }
    }

    /// What the file asks for of its joints, where the user did not.
    pub(crate) fn joints(&self, animation: &SceneAnimation, built: &BuiltSkeleton) -> Vec<JointPrecision> {
        let growth = self.grown();
        let mut joints = animation.joint_precision(built);
        for own in &mut joints {
            own.precision = own.precision.filter(|_| !self.asked_precision).map(|v| v * growth);
            own.shell = own.shell.filter(|_| !self.asked_shell).map(|v| v * growth);
        }
        joints
    }

    /// What both are multiplied with.
    pub(crate) fn grown(&self) -> f64 {
        if self.asked_precision || self.asked_shell { 1.0 } else { self.growth }
    }
}
