//! What happened in a step: markers that were passed, begun and ended, and what states and one-shots did.

use super::{Entry, Frame, lasting::Deed};
use crate::graph::{ClipKey, Graph, SectionKey, StateKey};
use lissom::track::{MarkerView, MarkersView, Repeat, Span};

/// Something that happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// What.
    pub what: What<'a>,
    /// The layer's number.
    pub layer: u16,
    /// When in the step: 0 at its start, 1 at its end.
    pub share: f32,
    /// How much of the clip or the state is seen: its share of its layer, times the layer's weight. 0 for one-shots.
    pub weight: f32,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum What<'a> {
    /// A marker was passed.
    Marker {
        /// The marker.
        marker: MarkerView<'a>,
        /// The clip's number in [`Graph::clips`]; in a crowd, its number there.
        clip: u16,
        /// Which lap of the state; 0 is the first.
        lap: i64,
        /// True if the clip ran backward there.
        backward: bool,
    },
    /// A marker that lasts begins: its clip comes into it, forward or backward, or starts in it. Where it plays forward, the marker
    /// is passed at the same time.
    MarkerBegan {
        /// The marker.
        marker: MarkerView<'a>,
        /// The clip's number, as in [`What::Marker`].
        clip: u16,
    },
    /// A marker that lasts is over.
    MarkerEnded {
        /// The marker.
        marker: MarkerView<'a>,
        /// The clip's number, as in [`What::Marker`].
        clip: u16,
        /// True if the clip did not come to its end: it is not played any more.
        interrupted: bool,
    },
    /// A state begins: a transition or code leads to it, or it is the first of its layer.
    Entered(StateKey),
    /// A state is not played any more: the transition away from it is over, or is by inertia.
    Left(StateKey),
    /// A state that plays once came to its end, which it holds.
    Finished(StateKey),
    /// A transition to this state begins. The state is entered at the same time.
    TransitionStarted(StateKey),
    /// The transition to this state is over.
    TransitionEnded(StateKey),
    /// A one-shot begins.
    ShotBegan(ClipKey),
    /// A one-shot played to its end.
    ShotEnded(ClipKey),
    /// A one-shot was stopped and has faded out, or newer ones took its place.
    ShotInterrupted(ClipKey),
    /// A section of a montage begins: with its one-shot, after another one, or because code jumps to it.
    SectionBegan(SectionKey),
}

impl<'a> Event<'a> {
    /// The marker that was passed; `None` if it was something else.
    #[must_use]
    pub fn marker(&self) -> Option<MarkerView<'a>> {
        self.what.marker()
    }
}

impl<'a> What<'a> {
    /// The marker that was passed; `None` if it was something else.
    #[must_use]
    pub fn marker(&self) -> Option<MarkerView<'a>> {
        match *self {
            Self::Marker { marker, .. } => Some(marker),
            _ => None,
        }
    }

    /// The name of the marker, the state, the section or the clip, where `graph` is what decided; `None` if it is another one.
    #[must_use]
    pub fn name(&self, graph: &'a Graph) -> Option<&'a str> {
        match *self {
            Self::Marker { marker, .. }
            | Self::MarkerBegan { marker, .. }
            | Self::MarkerEnded { marker, .. } => Some(marker.name),
            Self::Entered(state)
            | Self::Left(state)
            | Self::Finished(state)
            | Self::TransitionStarted(state)
            | Self::TransitionEnded(state) => graph.state_name(state),
            Self::ShotBegan(clip) | Self::ShotEnded(clip) | Self::ShotInterrupted(clip) => {
                graph.clip_name(clip)
            }
            Self::SectionBegan(section) => graph.section_name(section),
        }
    }
}

/// A marker that an entry passed, came into or left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed<'a> {
    pub marker: MarkerView<'a>,
    /// Its number among the clip's.
    pub index: usize,
    pub share: f32,
    pub weight: f32,
    pub passing: Passing,
}

/// What an entry did with a marker.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passing {
    Marker { lap: i64, backward: bool },
    Lasting(Deed),
}

impl Passing {
    pub(crate) fn what(self, marker: MarkerView<'_>, clip: u16) -> What<'_> {
        match self {
            Self::Marker { lap, backward } => What::Marker { marker, clip, lap, backward },
            Self::Lasting(Deed::Comes) => What::MarkerBegan { marker, clip },
            Self::Lasting(deed) => What::MarkerEnded { marker, clip, interrupted: deed == Deed::IsLeft },
        }
    }
}

impl Frame {
    /// What happened in the step, ordered by time, then by layer; at the same time, what states and one-shots did
    /// comes before markers. `markers` gives those of a clip, by its number in [`Graph::clips`].
    pub fn events<'a>(
        &'a self,
        graph: &'a Graph,
        markers: impl Fn(usize) -> Option<MarkersView<'a>> + Clone + 'a,
    ) -> impl Iterator<Item = Event<'a>> + 'a {
        // Few: the next one is looked for among all, so that nothing is kept.
        let all = move || {
            let happened = self.happened();
            let markers = markers.clone();
            let passed = move |entry: &'a Entry| {
                let markers = markers(usize::from(entry.clip));
                markers.into_iter().flat_map(move |markers| self.passed(graph, entry, markers)).map(
                    move |p| Event {
                        what: p.passing.what(p.marker, entry.clip),
                        layer: entry.layer,
                        share: p.share,
                        weight: p.weight,
                    },
                )
            };
            happened.chain(self.played_entries().flat_map(passed)).enumerate()
        };
        let mut told: Option<(f32, u16, usize)> = None;
        core::iter::from_fn(move || {
            let key = |(at, event): &(usize, Event<'a>)| (event.share, event.layer, *at);
            let next = all().filter(|one| told.is_none_or(|told| is_before(told, key(one))));
            let next = next.reduce(|a, b| if is_before(key(&b), key(&a)) { b } else { a })?;
            told = Some(key(&next));
            Some(next.1)
        })
    }

    /// What states and one-shots did, as they did it.
    pub(crate) fn happened<'a>(&self) -> impl Iterator<Item = Event<'a>> + use<'_, 'a> {
        self.happened.iter().map(|event| {
            let layer = self.layers.get(usize::from(event.layer)).map_or(0.0, |layer| layer.weight);
            Event { weight: event.weight * layer, ..*event }
        })
    }

    /// What was dropped, then the entries.
    pub(crate) fn played_entries(&self) -> impl Iterator<Item = &Entry> {
        self.dropped.iter().chain(&self.entries)
    }

    /// The markers that an entry passed, in the order in which it did; then those that last, one after the other.
    pub(crate) fn passed<'a>(
        &self,
        graph: &Graph,
        entry: &Entry,
        markers: MarkersView<'a>,
    ) -> impl Iterator<Item = Passed<'a>> + use<'a> {
        let layer = self.layers.get(usize::from(entry.layer)).map_or(0.0, |layer| layer.heard);
        let weight = entry.heard * layer;
        let span =
            Some(entry).filter(|entry| entry.from != entry.to).and_then(|entry| entry.told().0.span(graph));
        let entry = *entry;
        let lasting = entry.lasting(graph, markers).map(move |(index, marker, deed, share)| Passed {
            marker,
            index,
            share,
            weight,
            passing: Passing::Lasting(deed),
        });
        let passed = span.into_iter().flat_map(move |span| {
            markers.passed(&span).map(move |passed| Passed {
                marker: passed.marker,
                index: passed.index,
                share: share(&entry, &span, passed.marker.time_s, passed.lap),
                weight,
                passing: Passing::Marker { lap: passed.lap, backward: passed.backward },
            })
        });
        passed.chain(lasting)
    }
}

/// By time, then by layer, then as they were found.
pub(crate) fn is_before<T: PartialOrd>(a: (f32, u16, T), b: (f32, u16, T)) -> bool {
    a.0 < b.0 || (a.0 == b.0 && (a.1 < b.1 || (a.1 == b.1 && a.2 < b.2)))
}

/// When in its step an entry passed a marker. Laps that were not told count as passed at once.
fn share(entry: &Entry, told: &Span, time_s: f64, lap: i64) -> f32 {
    let mirrored = entry.repeat == Repeat::PingPong && lap & 1 != 0;
    share_at(entry, told, lap, if mirrored { told.timeline().duration_s() - time_s } else { time_s })
}

/// When in its step an entry was at a place of a lap.
pub(super) fn share_at(entry: &Entry, told: &Span, lap: i64, into_s: f64) -> f32 {
    let duration_s = told.timeline().duration_s();
    let way = |lap: i64, into_s: f64| lap.saturating_sub(told.from().lap()) as f64 * duration_s + into_s;
    let from = way(told.from().lap(), told.from().progress_s());
    let to = way(told.to().lap(), told.to().progress_s());
    let at = way(lap, into_s);
    let Entry { since, until, .. } = *entry;
    within(since + (at - from) / (to - from) * (until - since)) as f32
}

/// A share of a step. Rounding, and a marker beyond the end of its clip, must not lead out of it.
pub(crate) fn within(share: f64) -> f64 {
    if share > 1.0 {
        1.0
    } else if share > 0.0 {
        share
    } else {
        0.0
    }
}
