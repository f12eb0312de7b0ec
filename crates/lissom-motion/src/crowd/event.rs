//! What happened to members.

use super::Member;
use crate::{
    frame::{Event, Frame, Passing, What, is_before},
    graph::Graph,
};
use alloc::vec::Vec;
use lissom::{player::Body, track::MarkerView};

/// Something that happened to a member. Clips are numbered as in the crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrowdEvent<'a> {
    /// Who.
    pub member: Member,
    /// What.
    pub what: What<'a>,
    /// The layer's number in its graph; 0 without one.
    pub layer: u16,
    /// When in the step: 0 at its start, 1 at its end.
    pub share: f32,
    /// How much of the clip or the state is seen: its share of its layer, times the layer's weight. 0 for one-shots.
    pub weight: f32,
}

impl<'a> CrowdEvent<'a> {
    /// The marker that was passed; `None` if it was something else.
    #[must_use]
    pub fn marker(&self) -> Option<MarkerView<'a>> {
        self.what.marker()
    }
}

/// The same with markers by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    member: Member,
    layer: u16,
    share: f32,
    weight: f32,
    what: Short,
}

#[derive(Clone, Copy, Debug)]
enum Short {
    Marker { marker: usize, clip: u16, passing: Passing },
    Other(What<'static>),
}

impl Told {
    pub fn event(self, body: &Body) -> Option<CrowdEvent<'_>> {
        let Self { member, layer, share, weight, what } = self;
        let what = match what {
            Short::Marker { marker, clip, passing } => {
                passing.what(body.markers(usize::from(clip))?.get(marker)?, clip)
            }
            Short::Other(what) => what,
        };
        Some(CrowdEvent { member, what, layer, share, weight })
    }

    fn key(&self) -> (f32, u16, ()) {
        (self.share, self.layer, ())
    }
}

/// Adds what happened to a member in a frame, in the order of [`Frame::events`].
pub(super) fn collect(
    member: Member,
    frame: &Frame,
    graph: &Graph,
    clips: &[usize],
    body: &Body,
    all: &mut Vec<Told>,
) {
    let first = all.len();
    for Event { what, layer, share, weight } in frame.happened() {
        all.push(Told { member, layer, share, weight, what: Short::Other(what) });
    }
    for entry in frame.played_entries() {
        let clip = clips[usize::from(entry.clip)];
        let Some(markers) = body.markers(clip) else { continue };
        for passed in frame.passed(graph, entry, markers) {
            let what = Short::Marker { marker: passed.index, clip: clip as u16, passing: passed.passing };
            let (layer, share, weight) = (entry.layer, passed.share, passed.weight);
            all.push(Told { member, layer, share, weight, what });
        }
    }
    // Few, and nearly in order: one entry's are.
    for at in first + 1..all.len() {
        let mut to = at;
        while to > first && is_before(all[to].key(), all[to - 1].key()) {
            all.swap(to - 1, to);
            to -= 1;
        }
    }
}
