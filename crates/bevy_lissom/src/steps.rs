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

/// A marker that lasts, which was told to have begun.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stay {
    pub name: Arc<str>,
    pub layer: u16,
    /// The clips that are in it; all of them must end.
    clips: Vec<u16>,
}

/// The markers that a member told lately, and those that it is in.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Steps {
    steps: Vec<Step>,
    stays: Vec<Stay>,
}

/// A marker that was told, for a file.
#[cfg(feature = "serde")]
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedStep {
    name: String,
    layer: u16,
    clip: String,
    at_s: f64,
}

/// A marker that lasts, for a file.
#[cfg(feature = "serde")]
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SavedStay {
    name: String,
    layer: u16,
    clips: Vec<String>,
}

#[cfg(feature = "serde")]
impl Steps {
    /// With clips by name.
    pub fn saved(&self, name: impl Fn(u16) -> Option<String>) -> (Vec<SavedStep>, Vec<SavedStay>) {
        let step = |step: &Step| {
            let &Step { layer, clip, at_s, .. } = step;
            Some(SavedStep { name: step.name.to_string(), layer, clip: name(clip)?, at_s })
        };
        let stay = |stay: &Stay| {
            let clips = stay.clips.iter().filter_map(|clip| name(*clip)).collect();
            SavedStay { name: stay.name.to_string(), layer: stay.layer, clips }
        };
        (self.steps.iter().filter_map(step).collect(), self.stays.iter().map(stay).collect())
    }

    /// Without those whose clips are not there, and times that are none.
    pub fn of_saved(steps: &[SavedStep], stays: &[SavedStay], number: impl Fn(&str) -> Option<u16>) -> Self {
        let step = |step: &SavedStep| {
            let clip = number(&step.clip)?;
            let SavedStep { name, layer, at_s, .. } = step;
            at_s.is_finite().then(|| Step { name: name.as_str().into(), layer: *layer, clip, at_s: *at_s })
        };
        let stay = |stay: &SavedStay| {
            let clips: Vec<u16> = stay.clips.iter().filter_map(|clip| number(clip)).collect();
            (!clips.is_empty()).then(|| Stay { name: stay.name.as_str().into(), layer: stay.layer, clips })
        };
        Self {
            steps: steps.iter().filter_map(step).collect(),
            stays: stays.iter().filter_map(stay).collect(),
        }
    }
}

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
    pub const NONE: Self = Self { steps: Vec::new(), stays: Vec::new() };

    /// True if this one is told.
    pub fn tells(&mut self, passing: Passing<'_>, filter: &MarkerFilter) -> bool {
        let Passing { name, layer, clip, weight, at_s } = passing;
        if weight < filter.least_weight {
            return false;
        }
        self.steps.retain(|step| at_s - step.at_s < f64::from(filter.apart_s));
        let alike = |step: &&mut Step| step.layer == layer && step.name == *name;
        match self.steps.iter_mut().find(alike) {
            Some(step) if step.clip != clip => false,
            Some(step) => {
                step.at_s = at_s;
                true
            }
            None => {
                self.steps.push(Step { name: name.clone(), layer, clip, at_s });
                true
            }
        }
    }

    /// True if this is told to begin: a blend that comes into the marker with several clips does so once.
    pub fn begins(&mut self, passing: Passing<'_>, filter: &MarkerFilter) -> bool {
        let Passing { name, layer, clip, weight, .. } = passing;
        if weight < filter.least_weight {
            return false;
        }
        let alone = filter.apart_s <= 0.0;
        let alike = |stay: &&mut Stay| stay.layer == layer && stay.name == *name && !alone;
        if let Some(stay) = self.stays.iter_mut().find(alike) {
            stay.clips.push(clip);
            return false;
        }
        self.stays.push(Stay { name: name.clone(), layer, clips: vec![clip] });
        true
    }

    /// True if this is told to end: what began, with the last of its clips.
    pub fn ends(&mut self, name: &str, layer: u16, clip: u16) -> bool {
        let of = |stay: &Stay| stay.layer == layer && *stay.name == *name && stay.clips.contains(&clip);
        let Some(at) = self.stays.iter().position(of) else { return false };
        let clips = &mut self.stays[at].clips;
        if let Some(first) = clips.iter().position(|own| *own == clip) {
            clips.remove(first);
        }
        let over = clips.is_empty();
        if over {
            self.stays.remove(at);
        }
        over
    }

    /// True if the member is in any marker that lasts.
    pub fn stays(&self) -> bool {
        !self.stays.is_empty()
    }

    /// Those whose clips are played no more.
    pub fn left_behind(&mut self, plays: impl Fn(u16) -> bool) -> Vec<Stay> {
        let mut left = Vec::new();
        self.stays.retain_mut(|stay| {
            stay.clips.retain(|clip| plays(*clip));
            let over = stay.clips.is_empty();
            if over {
                left.push(stay.clone());
            }
            !over
        });
        left
    }

    /// The markers that the member is in, which are so no more.
    pub fn leave(&mut self) -> Vec<Stay> {
        std::mem::take(&mut self.stays)
    }

    /// The same where clips have other numbers.
    pub fn renumbered(&self, number: impl Fn(u16) -> Option<u16>) -> Self {
        let step = |step: &Step| Some(Step { clip: number(step.clip)?, ..step.clone() });
        let stay = |stay: &Stay| Stay {
            clips: stay.clips.iter().filter_map(|clip| number(*clip)).collect(),
            ..stay.clone()
        };
        Self {
            steps: self.steps.iter().filter_map(step).collect(),
            stays: self.stays.iter().map(stay).collect(),
        }
    }
}
