//! The one way over a span: every moment of a list that it passes, lap by lap, in the order of travel.

use super::Span;
use core::ops::Range;

/// Moments of a clip, in the order of time.
pub(super) trait Moments {
    fn count(&self) -> usize;

    /// When the moment is, in seconds; never falling. Outside of [0, duration] counts as its ends.
    fn time_s(&self, index: usize) -> f64;
}

/// What happens to a moment at a turn, played to and fro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtTurns {
    /// It is touched: met once.
    Once,
    /// It is crossed on the way there, and again on the way back.
    Twice,
}

/// One moment that is passed.
pub(super) struct Passed {
    pub(super) index: usize,
    pub(super) lap: i64,
    /// True if the clip itself runs backward there.
    pub(super) backward: bool,
}

/// Walks over a span. Laps and places in a lap are compared, never added up.
#[derive(Clone, Debug)]
pub(super) struct Walk<M> {
    pub(super) moments: M,
    span: Span,
    at_turns: AtTurns,
    lap: i64,
    last_lap: i64,
    /// Moments of the lap that are left, counted in the order in which the lap plays them.
    left: Range<usize>,
}

impl<M: Moments> Walk<M> {
    pub(super) fn new(moments: M, span: &Span, at_turns: AtTurns) -> Self {
        let lap = span.from().lap;
        // Without moments no lap has to be looked at, and there may be very many.
        let last_lap = if moments.count() == 0 { lap } else { span.to().lap };
        let mut walk = Self { moments, span: *span, at_turns, lap, last_lap, left: 0..0 };
        walk.left = walk.in_lap(lap);
        walk
    }

    pub(super) fn next(&mut self) -> Option<Passed> {
        let back = self.span.is_backward();
        loop {
            let next = if back { self.left.next_back() } else { self.left.next() };
            if let Some(nth) = next {
                let mirrored = self.span.timeline().is_mirrored(self.lap);
                let index = self.index(mirrored, nth);
                return Some(Passed { index, lap: self.lap, backward: mirrored != back });
            }
            if self.lap == self.last_lap {
                return None;
            }
            self.lap += if back { -1 } else { 1 };
            self.left = self.in_lap(self.lap);
        }
    }

    /// The moments of a lap that lie in the span: from the earlier head, up to but without the later.
    fn in_lap(&self, lap: i64) -> Range<usize> {
        let (low, high) = self.span.ordered();
        let timeline = self.span.timeline();
        let mirrored = timeline.is_mirrored(lap);
        if timeline.stops() && lap != 0 {
            return 0..0;
        }
        let d = timeline.duration_s();
        let progress = |nth| {
            let time_s = self.moments.time_s(self.index(mirrored, nth));
            let time_s = if time_s < 0.0 {
                0.0
            } else if time_s > d {
                d
            } else {
                time_s
            };
            if mirrored { d - time_s } else { time_s }
        };
        let count = self.moments.count();
        let mut start = 0;
        let mut end = count;
        if lap == low.lap {
            start = first(count, |nth| progress(nth) >= low.progress_s);
        }
        if lap == high.lap {
            end = first(count, |nth| progress(nth) >= high.progress_s);
        }
        if mirrored && self.at_turns == AtTurns::Once {
            // The laps before and after have those at the turns.
            let time_s = |nth| self.moments.time_s(self.index(true, nth));
            let (inside, outside) =
                (first(count, |nth| time_s(nth) < d), first(count, |nth| time_s(nth) <= 0.0));
            start = if inside > start { inside } else { start };
            end = if outside < end { outside } else { end };
        }
        // Empty where it ends before it starts.
        start..end
    }

    /// A lap that runs backward meets the last one first.
    fn index(&self, mirrored: bool, nth: usize) -> usize {
        if mirrored { self.moments.count() - 1 - nth } else { nth }
    }
}

/// The first of `count` for which a condition holds, which then holds for all that follow.
fn first(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
