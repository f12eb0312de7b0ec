//! What a frame shows: clips, where they are and how much of each, and what was passed on the way.

mod cover;
mod entry;
mod event;
mod lasting;
mod mix;

pub use cover::{Layer, cover};
pub(crate) use entry::until;
pub use entry::{Entry, MAX_TOLD_LAPS};
pub use event::{Event, What};
pub(crate) use event::{Passing, is_before, within};
pub use lasting::ActiveMarker;
pub(crate) use lasting::{Stretch, active};
pub use mix::Weights;
pub(crate) use mix::{Change, StartPose};

use crate::{
    decide::Chosen,
    graph::{Graph, MaskKey, RootUse},
    root::{RootMotion, RootStep},
};
use alloc::vec::Vec;

/// A layer of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameLayer {
    /// In [0, 1].
    pub weight: f32,
    /// True if it is added.
    pub additive: bool,
    /// Its mask, if it does not move the whole body.
    pub mask: Option<MaskKey>,
    /// Its weight while the step was made, and before a change by inertia in this frame: a layer without states comes and goes with its
    /// one-shots.
    pub(crate) heard: f32,
    pub(crate) before: f32,
}

impl FrameLayer {
    /// All of the whole body.
    pub(crate) const WHOLE: Self = Self { weight: 1.0, additive: false, mask: None, heard: 1.0, before: 1.0 };
}

/// What a graph decided for one frame: plain data, compared with `==`. Made once, with capacity for any frame of its graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub(crate) entries: Vec<Entry>,
    pub(crate) layers: Vec<FrameLayer>,
    pub(crate) step_s: f64,
    /// Of the graph, if it says one.
    pub(crate) blend_threshold: Option<f32>,
    /// The time of an inertialised transition that started in this frame; of several, the longest.
    pub(crate) inertia_s: Option<f32>,
    /// If one started, one an entry.
    pub(crate) changes: Vec<Change>,
    /// What states and one-shots did; weights are those within their layers.
    pub(crate) happened: Vec<Event<'static>>,
    /// What was played up to the step and not in it: clips that a blend has dropped, one-shots that newer ones pushed out.
    pub(crate) dropped: Vec<Entry>,
    /// States that were gone to: at most one a layer.
    pub(crate) chosen: Vec<Chosen>,
}

impl Frame {
    /// Nothing yet, with capacity for any frame of a graph: later nothing is allocated.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        Self {
            entries: Vec::with_capacity(graph.most_entries()),
            layers: Vec::with_capacity(graph.layers.len()),
            changes: Vec::with_capacity(if graph.is_inertial() { graph.most_entries() } else { 0 }),
            happened: Vec::with_capacity(graph.most_events()),
            dropped: Vec::with_capacity(graph.most_dropped()),
            chosen: Vec::with_capacity(graph.layers.len()),
            ..Self::default()
        }
    }

    /// Empty, for a step.
    pub(crate) fn begin(&mut self, step_s: f64) {
        self.entries.clear();
        self.layers.clear();
        self.changes.clear();
        self.happened.clear();
        self.dropped.clear();
        self.chosen.clear();
        (self.step_s, self.inertia_s, self.blend_threshold) = (step_s, None, None);
    }

    /// The clips: by layer, the lowest first; of a layer, what was started first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// One a layer of the graph, the lowest first.
    #[must_use]
    pub fn layers(&self) -> &[FrameLayer] {
        &self.layers
    }

    /// Seconds of the step that led here.
    #[must_use]
    pub fn step_s(&self) -> f64 {
        self.step_s
    }

    /// If an inertialised transition started in this frame: how long it takes, in seconds. [`PoseMemory::follow`](crate::PoseMemory::follow)
    /// does what is to be done.
    #[must_use]
    pub fn inertia_s(&self) -> Option<f32> {
        self.inertia_s
    }

    /// Laps whose markers are not told: of each entry all but the last [`MAX_TOLD_LAPS`].
    #[must_use]
    pub fn skipped_loops(&self) -> u64 {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.told().1))
    }

    /// The entries of layers that cover the whole body, with how much is seen of each: what root motion and morph weights
    /// are blended by.
    pub fn seen(&self) -> impl Iterator<Item = (&Entry, f32)> + Clone {
        self.seen_by(|entry| entry.weight, |layer| layer.weight)
    }

    fn seen_by<'f>(
        &'f self,
        share: impl Fn(&Entry) -> f32 + Clone + 'f,
        weight: impl Fn(&FrameLayer) -> f32 + Clone + 'f,
    ) -> impl Iterator<Item = (&'f Entry, f32)> + Clone {
        let whole = |layer: &&FrameLayer| !layer.additive && layer.mask.is_none();
        self.entries.iter().filter_map(move |entry| {
            let at = usize::from(entry.layer);
            let own = weight(self.layers.get(at).filter(whole)?);
            let above = self.layers.get(at + 1..).unwrap_or_default();
            let left = above.iter().filter(whole).fold(own, |left, layer| left * (1.0 - weight(layer)));
            Some((entry, share(entry) * left))
        })
    }

    /// The step that the character made: that of each clip, blended by weight, over layers that cover the whole body.
    /// `motion` gives that of a clip, by its number in [`Graph::clips`]; a clip without one stays where it is.
    pub fn root_step<'a>(&self, graph: &Graph, motion: impl Fn(usize) -> Option<RootMotion<'a>>) -> RootStep {
        let played = self.seen_by(|entry| entry.heard, |layer| layer.heard);
        RootStep::blended(played.map(|(entry, weight)| {
            let step = || Some(entry.root.of(motion(usize::from(entry.clip))?.step(&entry.span(graph)?)));
            (weight, if weight > 0.0 { step() } else { None }.unwrap_or(RootStep::IDENTITY))
        }))
    }
}

impl RootUse {
    /// What is left of a step.
    fn of(self, step: RootStep) -> RootStep {
        let [x, _, z] = step.translation;
        match self {
            Self::Take => step,
            Self::Ignore => RootStep::IDENTITY,
            Self::Horizontal => RootStep { translation: [x, 0.0, z], ..step },
            Self::Scaled(by) => step.scaled(f64::from(by)),
        }
    }
}
