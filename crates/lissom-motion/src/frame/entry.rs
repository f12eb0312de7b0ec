//! One clip of a frame, and what it covered.

use super::within;
use crate::{
    graph::{Graph, RootUse},
    time::{Head, Laps},
};
use lissom::track::{Playhead, Repeat, Span, Timeline};

/// Laps of one entry whose markers are told in one frame, at most: the last ones.
pub const MAX_TOLD_LAPS: u64 = 64;

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
    /// When in the step it came there: 1, unless it plays once and came to its end before.
    pub until: f64,
    /// When in the step it was where the frame before left it: 0, but for a section of a montage that began in between.
    pub(crate) since: f64,
    /// Its share of its layer while the step was made: what it passed counts by that. A change by inertia changes shares at the end of
    /// its step, all at once.
    pub(crate) heard: f32,
    /// What becomes of its root motion.
    pub root: RootUse,
    /// True if it was not played before this step: it comes into the markers that last where it starts.
    pub(crate) came: bool,
    /// If it is not played after this step, when in the step it goes: it leaves the markers that last where it is.
    pub(crate) goes: Option<f32>,
}

impl Entry {
    /// A clip that stands in a layer, with all of its weight.
    pub(crate) fn new(clip: u16, layer: usize, repeat: Repeat, head: Playhead, root: RootUse) -> Self {
        Self {
            clip,
            layer: layer as u16,
            weight: 1.0,
            repeat,
            from: head,
            to: head,
            until: 1.0,
            since: 0.0,
            heard: 1.0,
            root,
            came: false,
            goes: None,
        }
    }

    /// What is not played any more, where it was left.
    pub(crate) fn dropped(clip: u16, layer: usize, repeat: Repeat, head: Playhead) -> Self {
        let left = Self::new(clip, layer, repeat, head, RootUse::Ignore);
        Self { weight: 0.0, heard: 0.0, goes: Some(0.0), ..left }
    }

    /// Where its clip is, as a share of its length.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ratio_at(self.to)
    }

    pub(super) fn ratio_at(&self, head: Playhead) -> f64 {
        self.lap_line().map_or(0.0, |line| line.time_s(head))
    }

    /// What it covered, on the time line of its clip.
    #[must_use]
    pub fn span(&self, graph: &Graph) -> Option<Span> {
        let duration_s = graph.clips().get(usize::from(self.clip))?.duration_s;
        let line = Timeline::new(duration_s, self.repeat).ok()?;
        let on_clip = |head: Playhead| head_on_clip(&line, head);
        Some(line.between(on_clip(self.from)?, on_clip(self.to)?))
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
}

/// A head in laps as a head on the time line of a clip. It never falls while the other rises, and depends on nothing else: what
/// ends at a head and what starts there meet.
pub(crate) fn head_on_clip(line: &Timeline, head: Playhead) -> Option<Playhead> {
    let into = match line.repeat() {
        Repeat::Loop => head.progress_s(),
        Repeat::Once => head.lap() as f64 + head.progress_s(),
        Repeat::PingPong => (head.lap() & 1) as f64 + head.progress_s(),
    };
    line.seek(head, into * line.duration_s()).ok()
}

/// When in a step a head came to where it is, if it was to go on by `laps`. A clip that plays once may come to its end before the
/// step does.
pub(crate) fn until(repeat: Repeat, from: Head, to: Head, laps: Laps) -> f64 {
    if repeat == Repeat::Once && laps != Laps::NONE {
        within((to.laps() - from.laps()) / laps.to_f64())
    } else {
        1.0
    }
}
