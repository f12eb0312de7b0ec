//! Where a clip is played: time lines, heads on them, and the spans between heads.

use core::cmp::Ordering;

/// What happens at the ends of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repeat {
    /// It stops there.
    Once,
    /// It starts again.
    #[default]
    Loop,
    /// It turns round.
    PingPong,
}

/// A clip's length and what happens at its ends. A clip without length does not repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeline {
    duration_s: f64,
    repeat: Repeat,
}

/// A place on a [`Timeline`]: a lap, and how far into it. Plain data, ordered: an earlier head is less.
///
/// Laps before the first are negative. Played once, lap 0 is the clip and lap 1 what comes after it. Played
/// to and fro, odd laps run backward.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playhead {
    pub(super) lap: i64,
    /// In [0, duration).
    pub(super) progress_s: f64,
}

/// What is covered between two heads of one time line, either way; see [the module](super) for what it
/// passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    timeline: Timeline,
    from: Playhead,
    to: Playhead,
}

/// A time, in seconds, that no time line has; or a speed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("`{field}` is {value}; allowed: {allowed}")]
pub struct TimeError {
    /// What it was given as.
    pub field: &'static str,
    /// What it is.
    pub value: f64,
    /// What it may be, in words.
    pub allowed: &'static str,
}

/// So many laps at once are refused: the count of laps must stay exact.
const MAX_LAPS: f64 = (1_u64 << 50) as f64;

impl Timeline {
    /// # Errors
    ///
    /// A duration that is negative, NaN or infinite.
    pub fn new(duration_s: f64, repeat: Repeat) -> Result<Self, TimeError> {
        if !(duration_s.is_finite() && duration_s >= 0.0) {
            let allowed = "finite, at least 0";
            return Err(TimeError { field: "duration_s", value: duration_s, allowed });
        }
        Ok(Self { duration_s, repeat })
    }

    /// Length of a lap in seconds.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.duration_s
    }

    /// What happens at the ends.
    #[must_use]
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    /// The head at time 0.
    #[must_use]
    pub fn start(&self) -> Playhead {
        Playhead::default()
    }

    /// The head at the end of the first lap: where playing backward starts.
    #[must_use]
    pub fn end(&self) -> Playhead {
        Playhead { lap: 1, progress_s: 0.0 }
    }

    /// The head after a number of seconds of playing from time 0; negative before it.
    ///
    /// # Errors
    ///
    /// A time that is NaN, infinite, or more than 2⁵⁰ laps away.
    pub fn at(&self, time_s: f64) -> Result<Playhead, TimeError> {
        self.moved("time_s", self.start(), time_s)
    }

    /// From a head, this number of seconds forward; negative: backward.
    ///
    /// # Errors
    ///
    /// A step that is NaN, infinite, or more than 2⁵⁰ laps long.
    pub fn advance(&self, from: Playhead, by_s: f64) -> Result<Span, TimeError> {
        Ok(self.between(from, self.moved("by_s", from, by_s)?))
    }

    /// The head at a number of seconds from the start of another's lap; played to and fro, from the start of the
    /// lap that runs forward.
    ///
    /// # Errors
    ///
    /// A time that is NaN, infinite, or more than 2⁵⁰ laps away.
    pub fn seek(&self, head: Playhead, time_s: f64) -> Result<Playhead, TimeError> {
        let lap = match self.repeat {
            _ if self.stops() => 0,
            Repeat::PingPong => head.lap & !1,
            Repeat::Once | Repeat::Loop => head.lap,
        };
        self.moved("time_s", Playhead { lap, progress_s: 0.0 }, time_s)
    }

    /// From one head to another.
    #[must_use]
    pub fn between(&self, from: Playhead, to: Playhead) -> Span {
        Span { timeline: *self, from, to }
    }

    /// Where in the clip a head is: seconds in [0, duration].
    #[must_use]
    pub fn time_s(&self, head: Playhead) -> f64 {
        let d = self.duration_s;
        let progress = if head.progress_s > d { d } else { head.progress_s };
        match self.repeat {
            _ if d == 0.0 => 0.0,
            Repeat::Once if head.lap > 0 => d,
            Repeat::Once | Repeat::Loop => progress,
            Repeat::PingPong if self.is_mirrored(head.lap) => d - progress,
            Repeat::PingPong => progress,
        }
    }

    /// True if the head has arrived: played once and at the end that this direction leads to.
    #[must_use]
    pub fn is_over(&self, head: Playhead, backward: bool) -> bool {
        let over = if backward { head <= self.start() } else { head >= self.end() };
        over && self.stops()
    }

    /// True if a lap runs backward.
    pub(super) fn is_mirrored(&self, lap: i64) -> bool {
        self.repeat == Repeat::PingPong && lap & 1 != 0
    }

    pub(super) fn stops(&self) -> bool {
        self.repeat == Repeat::Once || self.duration_s == 0.0
    }

    fn moved(&self, field: &'static str, from: Playhead, by_s: f64) -> Result<Playhead, TimeError> {
        let d = self.duration_s;
        if !by_s.is_finite() || (!self.stops() && by_s.abs() / d > MAX_LAPS) {
            let allowed = "a finite time, at most 2^50 laps away";
            return Err(TimeError { field, value: by_s, allowed });
        }
        let progress = from.progress_s + by_s;
        if self.stops() {
            let time_s = if from.lap > 0 { d + progress } else { progress };
            return Ok(if time_s <= 0.0 {
                self.start()
            } else if time_s >= d {
                self.end()
            } else {
                Playhead { lap: 0, progress_s: time_s }
            });
        }
        // The remainder is exact; whole laps are then a division that comes out even, but for rounding.
        let rest = progress % d;
        let rest = if rest < 0.0 { rest + d } else { rest };
        let laps = (progress - rest) / d;
        let laps = (if laps < 0.0 { laps - 0.5 } else { laps + 0.5 }) as i64;
        let lap = from.lap.saturating_add(laps);
        // A sliver before a seam may have been rounded to it.
        let at_seam = rest >= d;
        Ok(Playhead {
            lap: if at_seam { lap.saturating_add(1) } else { lap },
            progress_s: if at_seam { 0.0 } else { rest },
        })
    }
}

impl Playhead {
    /// A head so far into a lap. Beyond the end of the lap is at its end.
    ///
    /// # Errors
    ///
    /// A progress that is negative, NaN or infinite.
    #[inline]
    pub fn new(lap: i64, progress_s: f64) -> Result<Self, TimeError> {
        if !(progress_s.is_finite() && progress_s >= 0.0) {
            let allowed = "finite, at least 0";
            return Err(TimeError { field: "progress_s", value: progress_s, allowed });
        }
        Ok(Self { lap, progress_s })
    }

    /// Which lap; 0 is the first.
    #[must_use]
    pub fn lap(&self) -> i64 {
        self.lap
    }

    /// How far into the lap, in seconds, in the direction in which the lap is played.
    #[must_use]
    pub fn progress_s(&self) -> f64 {
        self.progress_s
    }
}

impl PartialOrd for Playhead {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.lap.cmp(&other.lap) {
            Ordering::Equal => self.progress_s.partial_cmp(&other.progress_s),
            unequal => Some(unequal),
        }
    }
}

impl Span {
    /// On which time line.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Where it starts.
    #[must_use]
    pub fn from(&self) -> Playhead {
        self.from
    }

    /// Where it ends.
    #[must_use]
    pub fn to(&self) -> Playhead {
        self.to
    }

    /// True if it leads to an earlier head.
    #[must_use]
    pub fn is_backward(&self) -> bool {
        self.to < self.from
    }

    /// True if it covers nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.to == self.from
    }

    /// The same, travelled the other way.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { from: self.to, to: self.from, ..*self }
    }

    /// The earlier head, then the later.
    pub(super) fn ordered(&self) -> (Playhead, Playhead) {
        if self.is_backward() { (self.to, self.from) } else { (self.from, self.to) }
    }
}
