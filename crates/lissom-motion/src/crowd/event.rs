//! Markers that members passed.

use super::Member;
use crate::{
    frame::{Entry, Frame},
    graph::Graph,
};
use alloc::vec::Vec;
use lissom::{
    player::Body,
    track::{MarkerView, Repeat, Span},
};

/// A marker that a member passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdEvent<'a> {
    /// Who.
    pub member: Member,
    /// The marker.
    pub marker: MarkerView<'a>,
    /// The clip's number in the crowd.
    pub clip: u16,
    /// The layer's number in its graph; 0 without one.
    pub layer: u16,
    /// When in the step: 0 at its start, 1 at its end.
    pub share: f32,
    /// How much of the clip is seen: its share of its layer, times the layer's weight.
    pub weight: f32,
    /// Which lap; 0 is the first.
    pub lap: i64,
    /// True if the clip ran backward there.
    pub backward: bool,
}

/// The same with the marker by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    member: Member,
    marker: usize,
    clip: u16,
    layer: u16,
    share: f32,
    weight: f32,
    lap: i64,
    backward: bool,
}

impl Passed {
    pub fn event(self, body: &Body) -> Option<CrowdEvent<'_>> {
        let Self { member, marker, clip, layer, share, weight, lap, backward } = self;
        let marker = body.markers(usize::from(clip))?.get(marker)?;
        Some(CrowdEvent { member, marker, clip, layer, share, weight, lap, backward })
    }
}

/// Adds what a member passed in a frame, ordered by time, then by layer, then as in the frame.
pub(super) fn collect(
    member: Member,
    frame: &Frame,
    graph: &Graph,
    clips: &[usize],
    body: &Body,
    all: &mut Vec<Passed>,
) {
    let first = all.len();
    for (at, entry) in frame.entries().iter().enumerate().filter(|(_, entry)| entry.from != entry.to) {
        let clip = clips[usize::from(entry.clip)];
        let Some(markers) = body.markers(clip) else { continue };
        let Some(span) = entry.told().0.span(graph) else { continue };
        let layer = frame.layers().get(usize::from(entry.layer)).map_or(0.0, |l| l.weight);
        let weight = frame.played(at, entry) * layer;
        for passed in markers.passed(&span) {
            let share = share(entry, &span, passed.marker.time_s, passed.lap);
            let (marker, lap, backward) = (passed.index, passed.lap, passed.backward);
            let (clip, layer) = (clip as u16, entry.layer);
            all.push(Passed { member, marker, clip, layer, share, weight, lap, backward });
        }
    }
    // Few, and nearly in order: one entry's are.
    for at in first + 1..all.len() {
        let mut to = at;
        while to > first && later(&all[to - 1], &all[to]) {
            all.swap(to - 1, to);
            to -= 1;
        }
    }
}

fn later(a: &Passed, b: &Passed) -> bool {
    a.share > b.share || (a.share == b.share && a.layer > b.layer)
}

/// When in its step an entry passed a marker. Laps that were not told count as passed at once.
fn share(entry: &Entry, told: &Span, time_s: f64, lap: i64) -> f32 {
    let duration_s = told.timeline().duration_s();
    let mirrored = entry.repeat == Repeat::PingPong && lap & 1 != 0;
    let way = |lap: i64, into_s: f64| lap.saturating_sub(told.from().lap()) as f64 * duration_s + into_s;
    let from = way(told.from().lap(), told.from().progress_s());
    let to = way(told.to().lap(), told.to().progress_s());
    let at = way(lap, if mirrored { duration_s - time_s } else { time_s });
    let share = ((at - from) / (to - from)) as f32;
    // Rounding, and a marker beyond the end of its clip.
    if share > 1.0 {
        1.0
    } else if share > 0.0 {
        share
    } else {
        0.0
    }
}
