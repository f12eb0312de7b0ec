//! Which markers are told: a step once per stance, by a clip that is seen.

use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use std::sync::Arc;

/// Which markers a character tells as [`MarkerPassed`](crate::MarkerPassed). Without the component it is as by default: a blend of walking
/// and running tells each step once, and what has faded out tells nothing.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct MarkerFilter {
    /// Clips that are seen less than this, in [0, 1], tell nothing.
    pub least_weight: f32,
    /// After a marker, those of the same name in the same layer that other clips pass within this number of seconds of the character's
    /// time are the same step, and are not told again.
    pub apart_s: f32,
}

impl Default for MarkerFilter {
    fn default() -> Self {
        Self { least_weight: 0.2, apart_s: 0.25 }
    }
}

impl MarkerFilter {
    /// Every marker of every clip is told, with the weight that it has: 0 for what has faded out.
    pub const ALL: Self = Self { least_weight: 0.0, apart_s: 0.0 };
}

/// A marker that was told.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    name: Arc<str>,
    layer: u16,
    clip: u16,
    at_s: f64,
}

/// The markers that a member told lately.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Steps(Vec<Step>);

/// A marker that a member passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passing<'a> {
    pub name: &'a Arc<str>,
    pub layer: u16,
    pub clip: u16,
    pub weight: f32,
    /// In the member's own time.
    pub at_s: f64,
}

impl Steps {
    pub const NONE: Self = Self(Vec::new());

    /// True if this one is told.
    pub fn tells(&mut self, passing: Passing<'_>, filter: &MarkerFilter) -> bool {
        let Passing { name, layer, clip, weight, at_s } = passing;
        if weight < filter.least_weight {
            return false;
        }
        self.0.retain(|step| at_s - step.at_s < f64::from(filter.apart_s));
        let alike = |step: &&mut Step| step.layer == layer && step.name == *name;
        match self.0.iter_mut().find(alike) {
            Some(step) if step.clip != clip => false,
            Some(step) => {
                step.at_s = at_s;
                true
            }
            None => {
                self.0.push(Step { name: name.clone(), layer, clip, at_s });
                true
            }
        }
    }

    /// The same where clips have other numbers.
    pub fn renumbered(&self, number: impl Fn(u16) -> Option<u16>) -> Self {
        let renumbered = |step: &Step| Some(Step { clip: number(step.clip)?, ..step.clone() });
        Self(self.0.iter().filter_map(renumbered).collect())
    }
}
