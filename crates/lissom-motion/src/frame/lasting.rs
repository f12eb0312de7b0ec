//! Markers that last: whether a head is in one, and where it comes and goes.
//!
//! A lap of a clip has two edges for each of them. An edge is passed as a marker is: by a head that comes beyond it, or back to
//! it. So a head that stands at the beginning is not in yet, one at the end still is, and comings and goings alternate over any
//! split of a span.

use super::{Entry, entry::head_on_clip, event::share_at};
use crate::graph::Graph;
use lissom::track::{MarkerView, MarkersView, Playhead, Repeat, Span, Timeline};

/// What an entry does with a marker that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Comes,
    Goes,
    /// It is not played any more.
    IsLeft,
}

/// Where a marker lasts on a time line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    line: Timeline,
    begin_s: f64,
    /// At most the end of the clip.
    end_s: f64,
}

impl Stretch {
    /// `None` for a moment, and for what lies beyond the end of the clip.
    pub(crate) fn of(marker: &MarkerView<'_>, line: Timeline) -> Option<Self> {
        let (begin_s, end_s) = (marker.time_s, marker.time_s + marker.duration_s);
        let end_s = if end_s < line.duration_s() { end_s } else { line.duration_s() };
        (begin_s < end_s).then_some(Self { line, begin_s, end_s })
    }

    fn turns(&self) -> bool {
        self.line.repeat() == Repeat::PingPong
    }

    /// From where to where in a lap, in the direction of the lap.
    fn in_lap(&self, lap: i64) -> [f64; 2] {
        let Self { line, begin_s, end_s } = *self;
        let mirrored = self.turns() && lap & 1 != 0;
        if mirrored { [line.duration_s() - end_s, line.duration_s() - begin_s] } else { [begin_s, end_s] }
    }

    /// True if a head is in it.
    pub(crate) fn holds(&self, head: Playhead) -> bool {
        let ([begin, end], into) = (self.in_lap(head.lap()), head.progress_s());
        // Where a lap turns round, what lasts up to there goes on.
        let over_turn = self.turns() && begin <= 0.0 && into <= 0.0;
        (begin < into || over_turn) && into <= end
    }

    /// True if a head in laps is in it.
    pub(crate) fn holds_laps(&self, head: Playhead) -> bool {
        head_on_clip(&self.line, head).is_some_and(|head| self.holds(head))
    }

    /// The edges that a span passes, in the order of travel: the lap, how far into it, and whether it comes in.
    fn passed(self, span: Span) -> impl Iterator<Item = (i64, f64, bool)> {
        let backward = span.is_backward();
        let (low, high) = if backward { (span.to(), span.from()) } else { (span.from(), span.to()) };
        let is_below = |lap: i64, into: f64, head: Playhead| {
            lap < head.lap() || (lap == head.lap() && into < head.progress_s())
        };
        let laps = high.lap().saturating_sub(low.lap());
        let lap = move |nth: i64| if backward { high.lap() - nth } else { low.lap() + nth };
        (0..=laps).map(lap).flat_map(move |lap| {
            let [begin, end] = self.in_lap(lap);
            // What touches a turn goes on beyond it.
            let begin = Some(begin).filter(|begin| !(self.turns() && *begin <= 0.0));
            let end = Some(end).filter(|end| !(self.turns() && *end >= self.line.duration_s()));
            let edges = [(begin, true), (end, false)];
            let edges = if backward { [edges[1], edges[0]] } else { edges };
            edges.into_iter().filter_map(move |(into, begins)| {
                let into = into?;
                let passed = !is_below(lap, into, low) && is_below(lap, into, high);
                passed.then_some((lap, into, begins != backward))
            })
        })
    }
}

impl Entry {
    /// What it did with the markers that last, and when in the step: one marker after the other, in the order in which it did.
    pub(super) fn lasting<'a>(
        &self,
        graph: &Graph,
        markers: MarkersView<'a>,
    ) -> impl Iterator<Item = (usize, MarkerView<'a>, Deed, f32)> + use<'a> {
        let entry = *self;
        let ((told, skipped), all) = (self.told(), self.span(graph));
        let span = all.and_then(|all| Some((all, told.span(graph)?)));
        span.into_iter().flat_map(move |(all, span)| {
            markers.lasting().flat_map(move |(index, marker)| {
                let stretch = Stretch::of(&marker, *span.timeline());
                stretch.into_iter().flat_map(move |stretch| {
                    // Beyond laps that are not told it is another stay.
                    let (breaks, was) = (skipped > 0, !entry.came && stretch.holds(all.from()));
                    let left = (breaks && was).then_some((Deed::Goes, 0.0));
                    let found = (breaks || entry.came) && stretch.holds(span.from());
                    let found = found.then_some((Deed::Comes, if breaks { 0.0 } else { entry.since as f32 }));
                    let passed = stretch.passed(span).map(move |(lap, into_s, comes)| {
                        let deed = if comes { Deed::Comes } else { Deed::Goes };
                        (deed, share_at(&entry, &span, lap, into_s))
                    });
                    let ends = entry.goes.filter(|_| stretch.holds(span.to()));
                    let ends = ends.map(|share| (Deed::IsLeft, share));
                    let all = left.into_iter().chain(found).chain(passed).chain(ends);
                    all.map(move |(deed, share)| (index, marker, deed, share))
                })
            })
        })
    }
}

/// A marker that lasts, and that something is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveMarker<'a> {
    /// The marker.
    pub marker: MarkerView<'a>,
    /// The clip's number in [`Graph::clips`].
    pub clip: u16,
    /// The layer's number.
    pub layer: u16,
    /// Where the clip is, in seconds from the marker's beginning.
    pub into_s: f64,
}

/// The markers that last which a clip is in, where a head in laps is.
pub(crate) fn active<'a>(
    markers: MarkersView<'a>,
    (clip, layer): (u16, u16),
    duration_s: f64,
    repeat: Repeat,
    head: Playhead,
) -> impl Iterator<Item = ActiveMarker<'a>> + use<'a> {
    let line = Timeline::new(duration_s, repeat).ok();
    let place = line.and_then(|line| Some((line, head_on_clip(&line, head)?)));
    place.into_iter().flat_map(move |(line, head)| {
        markers.lasting().filter_map(move |(_, marker)| {
            let into_s = line.time_s(head) - marker.time_s;
            Stretch::of(&marker, line)?.holds(head).then_some(ActiveMarker { marker, clip, layer, into_s })
        })
    })
}
