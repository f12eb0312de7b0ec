//! What is in a graph, by name: for tools that show it.

use super::{AnyKey, BoolKey, CurveKey, FloatKey, Graph, IntKey, ParameterKind};

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

impl Graph {
    /// The parameters in their order: names, and what each holds at the start.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, ParameterKind)> {
        self.parameters.iter().map(|parameter| {
            let kind = match parameter.key {
                AnyKey::Float(FloatKey(at)) => {
                    let float = self.floats[usize::from(at)];
                    ParameterKind::Float { start: float.start, half_life_s: float.half_life_s }
                }
                AnyKey::Int(IntKey(at)) => ParameterKind::Int { start: self.ints[usize::from(at)] },
                AnyKey::Bool(BoolKey(at)) => ParameterKind::Bool { start: self.flags[usize::from(at)] },
                AnyKey::Trigger(_) => ParameterKind::Trigger,
                AnyKey::Curve(CurveKey(at)) => {
                    ParameterKind::Curve { start: self.floats[usize::from(at)].start }
                }
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
