//! What a state plays: states by name, for tools that show it, and the markers that last.

use super::{GraphState, LayerState, Shot, Voice};
use crate::{
    frame::{ActiveMarker, active},
    graph::Graph,
    limits::MAX_VOICES,
    time::Ticks,
};
use lissom::track::{MarkersView, Playhead, Repeat};

/// A state that a layer plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayingState<'g> {
    /// Its name.
    pub name: &'g str,
    /// Seconds since it began.
    pub age_s: f64,
    /// Where it is in its lap, as a share of it.
    pub at: f64,
    /// How many laps it has behind it.
    pub laps: i64,
    /// How much of it the last step showed, in [0, 1], beside the other states of its layer: one-shots are not counted.
    pub weight: f32,
}

impl GraphState {
    /// The states that a layer plays, the oldest first; the last one leads. Empty for a layer that does not exist, and for another
    /// graph.
    pub fn playing<'g>(&self, graph: &'g Graph, layer: usize) -> impl Iterator<Item = PlayingState<'g>> {
        let voices = self.voices(graph, layer);
        let (mut shares, mut left) = ([0.0; MAX_VOICES], 1.0);
        for (at, voice) in voices.iter().enumerate().rev() {
            shares[at] = voice.take(&mut left, at == 0);
        }
        voices.iter().zip(shares).map(|(voice, share)| PlayingState {
            name: &graph.state(voice.state).name,
            age_s: voice.age.seconds(),
            at: voice.head.share(),
            laps: voice.head.lap,
            weight: share as f32,
        })
    }

    /// The clips that a layer's states play: for each, the state's place in [`GraphState::playing`], its name, and its weight within
    /// the state.
    pub fn each_clip<'g>(&self, graph: &'g Graph, layer: usize, mut each: impl FnMut(usize, &'g str, f32)) {
        let name = |clip: u16| &*graph.clips()[usize::from(clip)].name;
        for (at, voice) in self.voices(graph, layer).iter().enumerate() {
            let state = graph.state(voice.state);
            if graph.matched_of(state).is_some() {
                each(at, name(voice.clip), 1.0);
                continue;
            }
            let float = |number: u16| self.floats[usize::from(number)].value;
            graph.shares(state, float, |point, weight| each(at, name(point.clip), weight));
        }
    }

    /// None for a layer that does not exist, and for another graph.
    fn voices(&self, graph: &Graph, layer: usize) -> &[Voice] {
        let layer = self.layers.get(layer).filter(|_| self.fits(graph));
        layer.map(|layer| layer.voices.as_slice()).unwrap_or_default()
    }

    /// The markers that last which something that is played is in: those that have begun and not ended, in the events of all steps so
    /// far. By layer, states before one-shots. `markers` gives those of a clip, by its number in [`Graph::clips`]. None for another
    /// graph.
    pub fn active_markers<'a>(
        &'a self,
        graph: &'a Graph,
        markers: impl Fn(usize) -> Option<MarkersView<'a>> + 'a,
    ) -> impl Iterator<Item = ActiveMarker<'a>> {
        let layers = if self.fits(graph) { &*self.layers } else { &[] };
        let all = layers.iter().enumerate();
        let played = all.flat_map(|(number, layer)| layer.played(graph).map(move |one| (number as u16, one)));
        played.flat_map(move |(layer, (clip, repeat, head))| {
            let duration_s = graph.clips()[usize::from(clip)].duration_s;
            let own = markers(usize::from(clip)).into_iter();
            own.flat_map(move |own| active(own, (clip, layer), duration_s, repeat, head))
        })
    }
}

/// A layer's leading state, played by motion matching.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MatchedLead {
    pub layer: u16,
    /// Its number among those that are matched.
    pub number: usize,
    pub clip: u16,
    /// Where its clip is, in laps.
    pub head: Playhead,
}

impl GraphState {
    /// Those of the leading states that are played by motion matching, by layer: where they are now, also where a search of this step
    /// led them.
    pub(crate) fn matched_leads(&self, graph: &Graph) -> impl Iterator<Item = MatchedLead> {
        self.layers.iter().enumerate().filter_map(|(layer, own)| {
            let voice = own.voices.as_slice().last()?;
            let number = usize::from(graph.state(voice.state).matched?);
            Some(MatchedLead { layer: layer as u16, number, clip: voice.clip, head: voice.head.playhead() })
        })
    }
}

impl LayerState {
    /// The clips that the last step played and the next one goes on with, and where they are, in laps.
    fn played<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = (u16, Repeat, Playhead)> + 'a {
        let of_states = self.voices.as_slice().iter().flat_map(|voice| {
            let repeat = graph.repeat_of(voice.state, voice.clip);
            let is_matched = voice.points != 0 && graph.matched_of(graph.state(voice.state)).is_some();
            let matched = is_matched.then_some((voice.clip, repeat, voice.head.playhead()));
            // A matched state has no points.
            let places = graph.places_of(voice.state, voice.points, voice.head, voice.age);
            places.map(move |(point, head)| (point.clip, repeat, head)).chain(matched)
        });
        let begun = self.shots.as_slice().iter().filter(|shot| shot.age > Ticks::ZERO);
        let begun = begun.map(|shot: &Shot| (graph.clip_of(shot.plays), shot.repeat, shot.head.playhead()));
        let out = self.pushed_out.iter();
        let out = out.map(|out| (graph.clip_of(out.plays), out.repeat, out.head().playhead()));
        of_states.chain(out).chain(begun)
    }
}
