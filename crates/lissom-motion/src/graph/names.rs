//! What is in a graph, by name: for tools that show it.

use super::{AnyKey, Graph, ParameterKind};
use crate::state::GraphState;

/// A transition of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransitionView<'g> {
    /// The state that it leaves.
    pub from: &'g str,
    /// The state that it leads to.
    pub to: &'g str,
    /// Seconds over which it goes.
    pub fade_s: f32,
    /// True if it is by inertia.
    pub inertial: bool,
    /// A higher one goes first.
    pub priority: i32,
}

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

impl Graph {
    /// The parameters in their order: names, and what each holds at the start.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, ParameterKind)> {
        self.parameters.iter().map(|parameter| {
            let kind = match parameter.key {
                AnyKey::Float(at) => {
                    let float = self.floats[usize::from(at)];
                    ParameterKind::Float { start: float.start, half_life_s: float.half_life_s }
                }
                AnyKey::Int(at) => ParameterKind::Int { start: self.ints[usize::from(at)] },
                AnyKey::Bool(at) => ParameterKind::Bool { start: self.flags[usize::from(at)] },
                AnyKey::Trigger(_) => ParameterKind::Trigger,
                AnyKey::Curve(at) => ParameterKind::Curve { start: self.floats[usize::from(at)].start },
            };
            (&*parameter.name, kind)
        })
    }

    /// The transitions of a layer: for each state those that may leave it, in the order in which they are asked. One from any
    /// state or a group stands there once for each state that it leaves.
    pub fn transitions(&self, layer: usize) -> impl Iterator<Item = TransitionView<'_>> {
        let states = self.layers.get(layer).map_or(0..0, |layer| layer.states.clone());
        states.flat_map(move |from| {
            self.candidates(from).iter().map(move |way| {
                let way = self.transition(*way);
                TransitionView {
                    from: &self.state(from).name,
                    to: &self.state(way.to).name,
                    fade_s: way.fade_s,
                    inertial: way.inertial,
                    priority: way.priority,
                }
            })
        })
    }
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
