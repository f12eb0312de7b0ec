//! What a frame is mixed from: now, and where an inertialised transition starts.

use super::{Entry, Frame, FrameLayer};
use lissom::{
    job::{Mix, MixEntry, SampleTime},
    track::Playhead,
};

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

    /// By which weights of layers it is mixed.
    pub(crate) fn weights(self) -> Weights {
        match self {
            Self::Old | Self::OldBefore => Weights::Before,
            Self::New | Self::NewNext | Self::NewBefore => Weights::Now,
        }
    }
}

/// Which weights of its layers a mix of a frame counts by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Those of the frame.
    #[default]
    Now,
    /// Those before a change by inertia in this frame.
    Before,
}

impl Weights {
    pub(crate) fn of(self, layer: &FrameLayer) -> f32 {
        match self {
            Self::Now => layer.weight,
            Self::Before => layer.before,
        }
    }
}

impl Frame {
    /// True if a layer but the first has a weight, or the first one not all of it: entries then name their layer's row
    /// of joint weights as their mask.
    #[must_use]
    pub fn is_layered(&self) -> bool {
        self.is_layered_by(Weights::Now)
    }

    pub(crate) fn is_layered_by(&self, weights: Weights) -> bool {
        self.layers.iter().enumerate().any(|(i, layer)| {
            if i == 0 {
                weights.of(layer) != 1.0 || layer.mask.is_some() || layer.additive
            } else {
                weights.of(layer) > 0.0
            }
        })
    }

    /// What a [`MixJob`](lissom::job::MixJob) takes; `number` says where a clip of the graph stands in its list. Entries
    /// that weigh nothing are left out, and where there are more than a mix holds, the lightest.
    #[must_use]
    pub fn mix(&self, number: impl Fn(usize) -> usize) -> Mix {
        self.mix_by(Weights::Now, number, |_, entry| entry.weight, |_, entry| entry.to)
    }

    /// The mix of a pose that an inertialised transition starts from.
    pub(crate) fn start_mix(&self, which: StartPose, number: impl Fn(usize) -> usize) -> Mix {
        let change = |at: usize| self.changes.get(at);
        let old = |at: usize, entry: &Entry| change(at).map_or(entry.weight, |change| change.old_weight);
        let new = |_, entry: &Entry| entry.weight;
        let next = |at: usize, entry: &Entry| change(at).map_or(entry.to, |change| change.to);
        let before = |at: usize, entry: &Entry| change(at).map_or(entry.from, |change| change.from);
        let weights = which.weights();
        match which {
            StartPose::Old => self.mix_by(weights, number, old, |_, entry| entry.to),
            StartPose::OldBefore => self.mix_by(weights, number, old, |_, entry| entry.from),
            StartPose::New => self.mix_by(weights, number, new, |_, entry| entry.to),
            StartPose::NewNext => self.mix_by(weights, number, new, next),
            StartPose::NewBefore => self.mix_by(weights, number, new, before),
        }
    }

    /// The entries of [`Frame::mix`], in its order: number, entry, and its share of its layer.
    pub(crate) fn shown(&self) -> impl Iterator<Item = (usize, &Entry, f32)> {
        self.shown_by(Weights::Now, |_, entry| entry.weight)
    }

    /// Entries that weigh something; where there are more than a mix holds, the heaviest.
    fn shown_by(
        &self,
        weights: Weights,
        share: impl Fn(usize, &Entry) -> f32,
    ) -> impl Iterator<Item = (usize, &Entry, f32)> {
        let weight = move |i: usize, entry: &Entry| {
            let layer = self.layers.get(usize::from(entry.layer));
            let own = share(i, entry);
            (own * layer.map_or(0.0, |layer| weights.of(layer)), own)
        };
        let many = self.entries.len() > Mix::MAX_ENTRIES
            && self.entries.iter().enumerate().filter(|(i, entry)| weight(*i, entry).0 > 0.0).count()
                > Mix::MAX_ENTRIES;
        self.entries.iter().enumerate().filter_map(move |(i, entry)| {
            let (seen, own) = weight(i, entry);
            let heavier = |(j, other): &(usize, &Entry)| {
                let other = weight(*j, other).0;
                other > seen || (other == seen && *j < i)
            };
            let left_out =
                many && self.entries.iter().enumerate().filter(heavier).count() >= Mix::MAX_ENTRIES;
            (seen > 0.0 && !left_out).then_some((i, entry, own))
        })
    }

    fn mix_by(
        &self,
        weights: Weights,
        number: impl Fn(usize) -> usize,
        share: impl Fn(usize, &Entry) -> f32,
        head: impl Fn(usize, &Entry) -> Playhead,
    ) -> Mix {
        let layered = self.is_layered_by(weights);
        let mut mix = self.blend_threshold.map_or(Mix::EMPTY, |least| Mix::EMPTY.with_threshold(least));
        for (i, entry, own) in self.shown_by(weights, share) {
            let time = SampleTime::Ratio(entry.ratio_at(head(i, entry)));
            let mut one = MixEntry::new(number(usize::from(entry.clip)), time, own);
            if layered {
                one = one.masked(entry.layer);
            }
            if self.layers.get(usize::from(entry.layer)).is_some_and(|layer| layer.additive) {
                one = one.added();
            }
            // The mix is not full: no more are taken than it holds.
            let _ = mix.push(one);
        }
        mix
    }
}
