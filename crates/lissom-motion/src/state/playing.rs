//! What a state plays, by name: for tools that show it.

use super::GraphState;
use crate::graph::Graph;

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
}

impl GraphState {
    /// The states that a layer plays, the oldest first; the last one leads. Empty for a layer that does not exist, and for another
    /// graph.
    pub fn playing<'g>(&self, graph: &'g Graph, layer: usize) -> impl Iterator<Item = PlayingState<'g>> {
        let voices = self.layers.get(layer).filter(|_| self.fits(graph)).map(|layer| layer.voices.as_slice());
        voices.unwrap_or_default().iter().map(|voice| PlayingState {
            name: &graph.state(voice.state).name,
            age_s: voice.age_s,
            at: voice.head.progress_s(),
            laps: voice.head.lap(),
        })
    }
}
