//! What a graph decides: weights, transitions, events, and that it can be saved, rewound and replayed.

mod behaviour;
mod blends;
mod curves;
mod errors;
mod events;
mod hostile;
mod lasting;
mod matched;
mod replay;
mod rules;
mod spaces;
mod steering;
mod sync;
mod values;

use lissom_motion::{Graph, GraphParts, GraphState, frame::Frame};
use lissom_testkit::alloc::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A graph whose clips all last a second.
fn seconds(parts: &GraphParts) -> Graph {
    Graph::new(parts, |_| Some(1.0)).unwrap()
}

/// Half of the unit in which steps in seconds, and rates in laps a second, are counted.
const ROUNDED: f64 = 1.0 / (1_u64 << 33) as f64;

/// The nearest step that is counted as it is.
fn exact(dt_s: f64) -> f64 {
    (dt_s / (2.0 * ROUNDED)).round() * 2.0 * ROUNDED
}

/// A character in a graph.
struct Played {
    graph: Graph,
    state: GraphState,
    frame: Frame,
}

impl Played {
    fn new(graph: Graph) -> Self {
        Self { state: GraphState::new(&graph), frame: Frame::new(&graph), graph }
    }

    fn update(&mut self, dt_s: f64) {
        self.graph.update(&mut self.state, dt_s, &mut self.frame).unwrap();
    }

    fn leading(&self, layer: usize) -> &str {
        self.state.leading(&self.graph, layer).unwrap()
    }

    /// Names and weights of a layer's entries.
    fn weights(&self, layer: u16) -> Vec<(&str, f32)> {
        let entries = self.frame.entries().iter().filter(|entry| entry.layer == layer);
        entries.map(|entry| (&*self.graph.clips()[usize::from(entry.clip)].name, entry.weight)).collect()
    }
}
