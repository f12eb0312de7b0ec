//! One playing clip: its time, speed and weight.

use super::library::Library;
use crate::track::{MarkerView, Playhead, Repeat, Span, TimeError, Timeline};

/// How a clip is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayOptions {
    /// 1 as it was made, 2 twice as fast, negative backward (then it starts at its end).
    pub speed: f64,
    /// What happens at its ends.
    pub repeat: Repeat,
    /// Seconds over which it takes over from what plays.
    pub fade_s: f64,
    /// Where it starts, in seconds from where it would start otherwise, in the direction of playing. Markers
    /// before that are not passed.
    pub start_s: f64,
}

/// A marker that was passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'a> {
    /// The clip that it belongs to.
    pub clip: &'a str,
    /// The marker.
    pub marker: MarkerView<'a>,
    /// How much of the clip is heard, in [0, 1].
    pub weight: f32,
    /// Which round of the clip; 0 is the first.
    pub lap: i64,
    /// True if the clip ran backward there.
    pub backward: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Voice {
    pub(super) clip: usize,
    pub(super) timeline: Timeline,
    pub(super) head: Playhead,
    /// What the last frame covered.
    pub(super) span: Span,
    pub(super) speed: f64,
    fade_s: f64,
    pub(super) age_s: f64,
    pub(super) weight: f32,
    /// True if nothing is heard of it any more: dropped with the next frame.
    pub(super) gone: bool,
}

impl Default for PlayOptions {
    fn default() -> Self {
        Self { speed: 1.0, repeat: Repeat::Loop, fade_s: 0.0, start_s: 0.0 }
    }
}

pub(super) fn finite(field: &'static str, value: f64) -> Result<(), TimeError> {
    if value.is_finite() { Ok(()) } else { Err(TimeError { field, value, allowed: "a finite number" }) }
}

impl Voice {
    pub(super) fn new(library: &Library, clip: usize, options: PlayOptions) -> Result<Self, TimeError> {
        let PlayOptions { speed, repeat, fade_s, start_s } = options;
        finite("speed", speed)?;
        if !(fade_s.is_finite() && fade_s >= 0.0) {
            return Err(TimeError { field: "fade_s", value: fade_s, allowed: "finite, at least 0" });
        }
        let timeline = Timeline::new(library.clips()[clip].view().duration_s(), repeat)?;
        let (start, way) = if speed < 0.0 { (timeline.end(), -start_s) } else { (timeline.start(), start_s) };
        let head = timeline.advance(start, way)?.to();
        let span = timeline.between(head, head);
        Ok(Self { clip, timeline, head, span, speed, fade_s, age_s: 0.0, weight: 0.0, gone: false })
    }

    pub(super) fn pass(&mut self, span: Span) {
        self.span = span;
        self.head = span.to();
    }

    pub(super) fn time_s(&self) -> f64 {
        self.timeline.time_s(self.head)
    }

    /// Where in the clip it is, as a share of its length.
    pub(super) fn ratio(&self) -> f64 {
        let duration_s = self.timeline.duration_s();
        if duration_s > 0.0 { self.time_s() / duration_s } else { 0.0 }
    }

    pub(super) fn is_over(&self) -> bool {
        self.timeline.is_over(self.head, self.speed < 0.0)
    }

    pub(super) fn events<'a>(&self, library: &'a Library) -> impl Iterator<Item = Event<'a>> + use<'a> {
        let (clip, weight) = (library.name(self.clip), self.weight);
        let markers = library.markers(self.clip).map(|markers| markers.view().passed(&self.span));
        markers.into_iter().flatten().map(move |passed| Event {
            clip,
            marker: passed.marker,
            weight,
            lap: passed.lap,
            backward: passed.backward,
        })
    }

    /// How far its fade is, in [0, 1].
    fn share(&self) -> f64 {
        if self.age_s < self.fade_s { self.age_s / self.fade_s } else { 1.0 }
    }
}

/// The newest takes its share, the one before it its share of what is left, and so on.
pub(super) fn share_out(voices: &mut [Voice]) {
    let mut left = 1.0;
    let mut first = voices.len();
    for voice in voices.iter_mut().rev() {
        first -= 1;
        // The oldest takes all that is left: it fades to nothing only as others come.
        let share = if first == 0 { 1.0 } else { voice.share() };
        voice.weight = (left * share) as f32;
        voice.gone = left <= 0.0;
        left *= 1.0 - share;
    }
}
