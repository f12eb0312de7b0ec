//! Where a track of one number rises over a threshold, or falls below it.

use super::{
    Repeat, Span, TrackKind, TrackView,
    walk::{AtTurns, Moments, Walk},
};
use core::iter::FusedIterator;

/// A crossing of a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// When, in seconds of the clip.
    pub time_s: f64,
    /// In which lap.
    pub lap: i64,
    /// True if the number is at or above the threshold afterwards, in the direction of travel.
    pub rising: bool,
}

/// The edges that a span passes, in the order of travel; made by [`TrackView::edges`].
#[derive(Clone, Debug)]
pub struct Edges<'a>(Walk<Crossings<'a>>);

impl<'a> TrackView<'a> {
    /// The edges of a track of one number that a span passes, each once, in the order of travel; a track of
    /// another kind has none.
    ///
    /// The track is *high* where its number is at least the threshold. An edge is where that changes: on a
    /// straight line where it meets the threshold, after a step at the next key, and in a loop at the end
    /// of the lap if the start differs from the end. Backward, a rising edge is a falling one. Edges
    /// always alternate.
    #[must_use]
    pub fn edges(&self, threshold: f32, span: &Span) -> Edges<'a> {
        let timeline = span.timeline();
        let seam = timeline.repeat() == Repeat::Loop && !timeline.stops();
        let crossings = Crossings { track: *self, threshold, duration_s: timeline.duration_s(), seam };
        // A track without edges must not be searched for them lap by lap.
        let laps = span.to().lap.abs_diff(span.from().lap);
        let quiet = laps > 2 && (0..crossings.count()).all(|key| crossings.rises(key).is_none());
        let span = if quiet { &timeline.between(span.from(), span.from()) } else { span };
        Edges(Walk::new(crossings, span, AtTurns::Twice))
    }
}

/// What lies between each key and the next, and for a loop between the last and the first: at most one edge.
#[derive(Clone, Copy, Debug)]
struct Crossings<'a> {
    track: TrackView<'a>,
    threshold: f32,
    duration_s: f64,
    seam: bool,
}

impl Crossings<'_> {
    fn is_high(&self, key: usize) -> bool {
        self.track.numbers(key)[0] >= self.threshold
    }

    /// The key after one; after the last it is the first.
    fn after(&self, key: usize) -> usize {
        if key + 1 < self.track.ratios.len() { key + 1 } else { 0 }
    }

    /// True if the number rises there, going forward; `None` without an edge.
    fn rises(&self, key: usize) -> Option<bool> {
        let (before, after) = (self.is_high(key), self.is_high(self.after(key)));
        (before != after).then_some(after)
    }
}

impl Moments for Crossings<'_> {
    fn count(&self) -> usize {
        let keys = self.track.ratios.len();
        if self.track.kind != TrackKind::Float {
            0
        } else if self.seam {
            keys
        } else {
            keys.saturating_sub(1)
        }
    }

    fn time_s(&self, key: usize) -> f64 {
        let (from, to) = (self.track.ratio(key), self.track.ratio(key + 1));
        // At the seam of a loop and after a step it is the end.
        if key + 1 >= self.track.ratios.len() || self.track.is_step(key) || self.rises(key).is_none() {
            return to * self.duration_s;
        }
        let [a, b] = [key, key + 1].map(|k| f64::from(self.track.numbers(k)[0]));
        let meets = from + (f64::from(self.threshold) - a) / (b - a) * (to - from);
        (if meets > to { to } else { meets }) * self.duration_s
    }
}

impl Iterator for Edges<'_> {
    type Item = Edge;

    fn next(&mut self) -> Option<Edge> {
        loop {
            let passed = self.0.next()?;
            let Some(rises) = self.0.moments.rises(passed.index) else { continue };
            let time_s = self.0.moments.time_s(passed.index);
            return Some(Edge { time_s, lap: passed.lap, rising: rises != passed.backward });
        }
    }
}

impl FusedIterator for Edges<'_> {}
