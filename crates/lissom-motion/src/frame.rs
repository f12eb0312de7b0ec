//! What a frame shows: clips, where they are and how much of each, and what was passed on the way.

use crate::{Layer, RootMotion, RootStep, cover, graph::Graph};
use alloc::vec::Vec;
use lissom::{
    job::{Mix, MixEntry, SampleTime},
    math::soa::Lanes,
    track::{MarkerView, MarkersView, Playhead, Repeat, Span, Timeline},
};

/// One clip of a frame.
///
/// Its heads are in laps: a clip is at the same share of its lap as the others of its state. What a frame covered is
/// from one head to the other; its pose is that of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Its number in [`Graph::clips`].
    pub clip: u16,
    /// Its layer's number.
    pub layer: u16,
    /// Its share of its layer, in [0, 1]. 0: it was left in this frame, and still passed something.
    pub weight: f32,
    /// What happens at the ends of a lap.
    pub repeat: Repeat,
    /// Where the frame before left it, in laps.
    pub from: Playhead,
    /// Where it is, in laps.
    pub to: Playhead,
}

/// A layer of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameLayer {
    /// In [0, 1].
    pub weight: f32,
    /// True if it is added.
    pub additive: bool,
    /// True if it has a mask.
    pub masked: bool,
}

/// What a graph decided for one frame: plain data, compared with `==`. Made once, with room for any frame of its graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub(crate) entries: Vec<Entry>,
    pub(crate) layers: Vec<FrameLayer>,
    pub(crate) step_s: f64,
    /// The time of an inertialised transition that started in this frame; of several, the longest.
    pub(crate) inertia_s: Option<f32>,
    /// If one started, one an entry.
    pub(crate) changes: Vec<Change>,
}

/// What an entry was before an inertialised transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// As an entry's.
    pub(crate) old_weight: f32,
    /// The step that says how fast it moves: the one that it made, or its first if it is new.
    pub(crate) from: Playhead,
    pub(crate) to: Playhead,
}

/// The poses that an inertialised transition starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartPose {
    /// What was left, at this frame's time.
    Old,
    /// And one step earlier.
    OldBefore,
    /// What begins, at this frame's time.
    New,
    /// After its first step.
    NewNext,
    /// Before that: new states where they begin, whatever goes on one step earlier.
    NewBefore,
}

impl StartPose {
    pub(crate) const ALL: [Self; 5] = [Self::Old, Self::OldBefore, Self::New, Self::NewNext, Self::NewBefore];
}

/// A marker that was passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameEvent<'a> {
    /// The marker.
    pub marker: MarkerView<'a>,
    /// The clip's number in [`Graph::clips`].
    pub clip: u16,
    /// The layer's number.
    pub layer: u16,
    /// How much of the clip is seen: its share of its layer, times the layer's weight.
    pub weight: f32,
    /// Which lap of the state; 0 is the first.
    pub lap: i64,
    /// True if the clip ran backward there.
    pub backward: bool,
}

/// Laps of one entry whose markers are told in one frame, at most: the last ones.
pub const MAX_TOLD_LAPS: u64 = 64;

impl Entry {
    /// Where its clip is, as a share of its length.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ratio_at(self.to)
    }

    fn ratio_at(&self, head: Playhead) -> f64 {
        self.lap_line().map_or(0.0, |line| line.time_s(head))
    }

    /// What it covered, on the time line of its clip.
    #[must_use]
    pub fn span(&self, graph: &Graph) -> Option<Span> {
        let duration_s = graph.clips().get(usize::from(self.clip))?.duration_s;
        let line = Timeline::new(duration_s, self.repeat).ok()?;
        Some(line.between(self.on_clip(&line, self.from)?, self.on_clip(&line, self.to)?))
    }

    /// The same without the laps that are too many to be told, and how many these are.
    pub(crate) fn told(&self) -> (Self, u64) {
        let laps = self.to.lap().abs_diff(self.from.lap());
        let Some(skipped) = laps.checked_sub(MAX_TOLD_LAPS).filter(|skipped| *skipped > 0) else {
            return (*self, 0);
        };
        let back = if self.to < self.from { MAX_TOLD_LAPS as f64 } else { -(MAX_TOLD_LAPS as f64) };
        let from = self.lap_line().and_then(|line| Some(line.advance(self.to, back).ok()?.to()));
        (Self { from: from.unwrap_or(self.to), ..*self }, skipped)
    }

    fn lap_line(&self) -> Option<Timeline> {
        Timeline::new(1.0, self.repeat).ok()
    }

    /// A head in laps as a head on the clip. It never falls while the other rises, and depends on nothing else: what ends
    /// at a head and what starts there meet.
    fn on_clip(&self, line: &Timeline, head: Playhead) -> Option<Playhead> {
        let into = match self.repeat {
            Repeat::Loop => head.progress_s(),
            Repeat::Once => head.lap() as f64 + head.progress_s(),
            Repeat::PingPong => (head.lap() & 1) as f64 + head.progress_s(),
        };
        line.seek(head, into * line.duration_s()).ok()
    }
}

impl Frame {
    /// Nothing yet, with room for any frame of a graph: later nothing is allocated.
    #[must_use]
    pub fn new(graph: &Graph) -> Self {
        Self {
            entries: Vec::with_capacity(graph.most_entries()),
            layers: Vec::with_capacity(graph.layers.len()),
            changes: Vec::with_capacity(if graph.is_inertial() { graph.most_entries() } else { 0 }),
            ..Self::default()
        }
    }

    /// Empty, for a step.
    pub(crate) fn begin(&mut self, step_s: f64) {
        self.entries.clear();
        self.layers.clear();
        self.changes.clear();
        (self.step_s, self.inertia_s) = (step_s, None);
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

    /// An entry's share of its layer while the step was made: what it passed counts by that. A transition by inertia changes
    /// shares at the end of its step, all at once.
    pub(crate) fn played(&self, at: usize, entry: &Entry) -> f32 {
        let change = self.changes.get(at).filter(|_| self.inertia_s.is_some());
        change.map_or(entry.weight, |change| change.old_weight)
    }

    /// The markers that were passed: entry by entry, each entry's in the order in which they were passed. `markers` gives
    /// those of a clip, by its number in [`Graph::clips`].
    pub fn events<'a>(
        &'a self,
        graph: &'a Graph,
        markers: impl Fn(usize) -> Option<MarkersView<'a>> + 'a,
    ) -> impl Iterator<Item = FrameEvent<'a>> + 'a {
        self.entries.iter().enumerate().flat_map(move |(at, entry)| {
            let span = entry.told().0.span(graph);
            let passed = span.and_then(|span| Some(markers(usize::from(entry.clip))?.passed(&span)));
            let layer = self.layers.get(usize::from(entry.layer)).map_or(0.0, |l| l.weight);
            let weight = self.played(at, entry) * layer;
            passed.into_iter().flatten().map(move |passed| FrameEvent {
                marker: passed.marker,
                clip: entry.clip,
                layer: entry.layer,
                weight,
                lap: passed.lap,
                backward: passed.backward,
            })
        })
    }

    /// Laps whose markers are not told: of each entry all but the last [`MAX_TOLD_LAPS`].
    #[must_use]
    pub fn skipped_loops(&self) -> u64 {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.told().1))
    }

    /// The entries of layers that cover the whole body, with how much is seen of each: what root motion and morph weights
    /// are blended by.
    pub fn seen(&self) -> impl Iterator<Item = (&Entry, f32)> + Clone {
        self.seen_by(|_, entry| entry.weight)
    }

    fn seen_by<'f>(
        &'f self,
        share: impl Fn(usize, &Entry) -> f32 + Clone + 'f,
    ) -> impl Iterator<Item = (&'f Entry, f32)> + Clone {
        let whole = |layer: &&FrameLayer| !layer.additive && !layer.masked;
        self.entries.iter().enumerate().filter_map(move |(i, entry)| {
            let at = usize::from(entry.layer);
            let own = self.layers.get(at).filter(whole)?.weight;
            let above = self.layers.get(at + 1..).unwrap_or_default();
            let left = above.iter().filter(whole).fold(own, |left, layer| left * (1.0 - layer.weight));
            Some((entry, share(i, entry) * left))
        })
    }

    /// The step that the character made: that of each clip, blended by weight, over layers that cover the whole body.
    /// `motion` gives that of a clip, by its number in [`Graph::clips`]; a clip without one stays where it is.
    pub fn root_step<'a>(&self, graph: &Graph, motion: impl Fn(usize) -> Option<RootMotion<'a>>) -> RootStep {
        RootStep::blended(self.seen_by(|at, entry| self.played(at, entry)).map(|(entry, weight)| {
            let step = || Some(motion(usize::from(entry.clip))?.step(&entry.span(graph)?));
            (weight, if weight > 0.0 { step() } else { None }.unwrap_or(RootStep::IDENTITY))
        }))
    }

    /// True if a layer but the first has a weight, or the first one not all of it: entries then name their layer's row
    /// of joint weights as their mask.
    #[must_use]
    pub fn is_layered(&self) -> bool {
        self.layers.iter().enumerate().any(|(i, layer)| {
            if i == 0 { layer.weight != 1.0 || layer.masked || layer.additive } else { layer.weight > 0.0 }
        })
    }

    /// What a [`MixJob`](lissom::job::MixJob) takes; `number` says where a clip of the graph stands in its list. Entries
    /// that weigh nothing are left out, and where there are more than a mix has room for, the lightest.
    #[must_use]
    pub fn mix(&self, number: impl Fn(usize) -> usize) -> Mix {
        self.mix_by(number, |_, entry| entry.weight, |_, entry| entry.to)
    }

    /// The mix of a pose that an inertialised transition starts from.
    pub(crate) fn start_mix(&self, which: StartPose, number: impl Fn(usize) -> usize) -> Mix {
        let change = |at: usize| self.changes.get(at);
        let old = |at: usize, entry: &Entry| change(at).map_or(entry.weight, |change| change.old_weight);
        let new = |_, entry: &Entry| entry.weight;
        match which {
            StartPose::Old => self.mix_by(number, old, |_, entry| entry.to),
            StartPose::OldBefore => self.mix_by(number, old, |_, entry| entry.from),
            StartPose::New => self.mix_by(number, new, |_, entry| entry.to),
            StartPose::NewNext => {
                self.mix_by(number, new, |at, entry| change(at).map_or(entry.to, |change| change.to))
            }
            StartPose::NewBefore => {
                self.mix_by(number, new, |at, entry| change(at).map_or(entry.from, |change| change.from))
            }
        }
    }

    fn mix_by(
        &self,
        number: impl Fn(usize) -> usize,
        share: impl Fn(usize, &Entry) -> f32,
        head: impl Fn(usize, &Entry) -> Playhead,
    ) -> Mix {
        let layered = self.is_layered();
        let weight = |(i, entry): (usize, &Entry)| {
            let layer = self.layers.get(usize::from(entry.layer));
            share(i, entry) * layer.map_or(0.0, |layer| layer.weight)
        };
        let count = self.entries.iter().enumerate().filter(|entry| weight(*entry) > 0.0).count();
        let mut mix = Mix::EMPTY;
        for (i, entry) in self.entries.iter().enumerate().filter(|entry| weight(*entry) > 0.0) {
            let own = weight((i, entry));
            let heavier = |(j, other): &(usize, &Entry)| {
                let other = weight((*j, *other));
                other > own || (other == own && *j < i)
            };
            if count > Mix::MAX_ENTRIES
                && self.entries.iter().enumerate().filter(heavier).count() >= Mix::MAX_ENTRIES
            {
                continue;
            }
            let time = SampleTime::Ratio(entry.ratio_at(head(i, entry)));
            let mut one = MixEntry::new(number(usize::from(entry.clip)), time, share(i, entry));
            if layered {
                one = one.masked(entry.layer);
            }
            if self.layers.get(usize::from(entry.layer)).is_some_and(|layer| layer.additive) {
                one = one.added();
            }
            // There is room: no more are taken.
            let _ = mix.push(one);
        }
        mix
    }

    /// The rows of joint weights that a layered mix speaks of: one a layer, `groups` each. `masks` has what
    /// [`Graph::mask`] gave for each layer. False, and nothing is written, if a mask or `rows` is too short.
    #[must_use]
    pub fn cover(&self, masks: &[Option<Vec<Lanes>>], groups: usize, rows: &mut [Lanes]) -> bool {
        let none = Layer { weight: 0.0, mask: None, additive: false };
        let mut layers = [none; Graph::MAX_LAYERS];
        let count = self.layers.len();
        for (i, (out, layer)) in layers.iter_mut().zip(&self.layers).enumerate() {
            let mask = masks.get(i).and_then(Option::as_deref);
            *out = Layer { weight: layer.weight, mask, additive: layer.additive };
        }
        layers.get(..count).is_some_and(|layers| cover(layers, groups, rows))
    }
}
