//! A graph that is played.

use super::matched::{self, Matched};
use crate::failure::Failure;
use core::f32::consts::PI;
use lissom::archive::Archive;
use lissom_motion::{
    Animator, Graph, GraphParts,
    decide::Verdict,
    graph::{LayerParts, ParameterKind, StateParts, Test, TransitionParts},
    state::Value,
};
use std::sync::Arc;

/// A graph, the character that it moves, and what the user has set.
pub(crate) struct Directed {
    pub parts: GraphParts,
    pub animator: Animator,
    /// Of each float parameter, how far its slider goes.
    pub ranges: Vec<(f32, f32)>,
    /// The last transitions that were taken, the newest first.
    pub taken: Vec<Taken>,
    /// What motion matching has done, of each layer that it plays.
    pub matched: Vec<Matched>,
    time_s: f64,
}

/// A transition that was taken.
pub(crate) struct Taken {
    pub time_s: f64,
    pub layer: String,
    pub from: String,
    pub to: String,
    /// What it waited for.
    pub because: String,
}

/// How far sliders of a velocity go, in metres per second to each side.
const FASTEST_MPS: f32 = 4.0;

/// How many are remembered.
const REMEMBERED: usize = 8;

impl Directed {
    pub fn new(archive: &Archive, skeleton: &str, parts: GraphParts) -> Result<Self, Failure> {
        let wrong = |e: &dyn core::fmt::Display| Failure(format!("the graph: {e}"));
        let graph = Arc::new(Graph::of_archive(&parts, archive).map_err(|e| wrong(&e))?);
        let animator = Animator::of_skeleton(archive, skeleton, graph).map_err(|e| wrong(&e))?;
        let ranges = parts.parameters.iter().map(|p| range(&parts, &p.name)).collect();
        let mut made = Self { parts, animator, ranges, taken: Vec::new(), matched: Vec::new(), time_s: 0.0 };
        made.follow()?;
        Ok(made)
    }

    /// Plays changed parts on from where it is; on an error, the old ones.
    pub fn reload(&mut self, archive: &Archive, parts: GraphParts) -> Result<(), Failure> {
        let wrong = |e: &dyn core::fmt::Display| Failure(format!("the graph: {e}"));
        let graph = Graph::of_archive(&parts, archive).map_err(|e| wrong(&e))?;
        self.animator.reload(Arc::new(graph)).map_err(|e| wrong(&e))?;
        self.ranges = parts.parameters.iter().map(|p| range(&parts, &p.name)).collect();
        self.parts = parts;
        Ok(())
    }

    /// Sets a parameter.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), Failure> {
        self.animator.set_value(name, value).map_err(|e| Failure(e.to_string()))
    }

    /// Plays a clip once on a layer.
    pub fn play_once(&mut self, layer: &str, clip: &str) -> Result<(), Failure> {
        let shot = self.animator.play(clip).on(layer).fade(0.25).start();
        shot.map(drop).map_err(|e| Failure(e.to_string()))
    }

    /// Sets the nth trigger, as the panel lists them; nothing if there are fewer.
    pub fn trigger(&mut self, nth: usize) -> Result<(), Failure> {
        let wrong = |e: &dyn core::fmt::Display| Failure(e.to_string());
        let mut triggers = self.parts.parameters.iter().filter(|p| matches!(p.kind, ParameterKind::Trigger));
        let Some(parameter) = triggers.nth(nth) else { return Ok(()) };
        let key = self.animator.graph().trigger(&parameter.name).map_err(|e| wrong(&e))?;
        self.animator.trigger(key).map_err(|e| wrong(&e))
    }

    /// The state that each layer is in or on its way to; layers of one-shots have none.
    pub fn states(&self) -> Vec<&str> {
        let (graph, state) = (self.animator.graph(), self.animator.state());
        (0..self.parts.layers.len()).filter_map(|layer| state.leading(graph, layer)).collect()
    }

    pub fn update(&mut self, dt_s: f64) -> Result<(), Failure> {
        let wrong = |e: &dyn core::fmt::Display| Failure(e.to_string());
        self.time_s += dt_s;
        let graph = self.animator.graph().clone();
        for (layer, parts) in self.parts.layers.iter().enumerate() {
            let all = graph.why(self.animator.state(), dt_s, layer).map_err(|e| wrong(&e))?;
            for why in all.iter().filter(|why| why.verdict == Verdict::Taken) {
                let because = because(parts, why.from, why.to);
                let (from, to) = (why.from.to_owned(), why.to.to_owned());
                self.taken
                    .insert(0, Taken { time_s: self.time_s, layer: parts.name.clone(), from, to, because });
            }
        }
        self.taken.truncate(REMEMBERED);
        self.animator.update(dt_s).map_err(|e| wrong(&e))?;
        self.follow()
    }

    /// What motion matching did is remembered.
    fn follow(&mut self) -> Result<(), Failure> {
        let done = matched::follow(&mut self.matched, &self.animator, &self.parts.layers, self.time_s);
        done.map_err(|e| Failure(e.to_string()))
    }
}

/// The conditions of a transition, in words.
fn because(layer: &LayerParts, from: &str, to: &str) -> String {
    let Some(way) = layer.transitions.iter().find(|t| t.from == from && t.to == to) else {
        return String::new();
    };
    let mut words: Vec<String> =
        way.when.iter().map(|(parameter, test)| format!("{parameter} {}", word(*test))).collect();
    words.extend(way.only_if.as_ref().map(|_| "by a rule".to_owned()));
    words.extend(way.exit.map(|exit| format!("at {:.0} % of the lap", exit * 100.0)));
    words.join(", ")
}

fn word(test: Test) -> String {
    match test {
        Test::Above(v) => format!("above {v}"),
        Test::Below(v) => format!("below {v}"),
        Test::Is(v) => format!("is {v}"),
        Test::IsNot(v) => format!("is not {v}"),
        Test::On => "on".into(),
        Test::Off => "off".into(),
    }
}

/// From the smallest to the largest number that the graph compares a parameter with, or places a clip at. A wanted velocity goes to
/// both sides, and so does where to face.
fn range(parts: &GraphParts, parameter: &str) -> (f32, f32) {
    use lissom_motion::graph::MotionParts;
    let mut values = Vec::new();
    for own in parts.parameters.iter().filter(|p| p.name == parameter) {
        if let ParameterKind::Float { start, .. } = own.kind {
            values.push(start);
        }
    }
    for layer in &parts.layers {
        for state in &layer.states {
            match &state.motion {
                MotionParts::Line { by, points } if by == parameter => {
                    values.extend(points.iter().map(|point| point.at))
                }
                MotionParts::Plane { by, points, .. } => {
                    for axis in (0..2).filter(|axis| by[*axis] == parameter) {
                        values.extend(points.iter().map(|point| point.at[axis]));
                    }
                }
                MotionParts::Matched(matched) => {
                    if matched.velocity.iter().any(|by| by == parameter) {
                        values.extend([-FASTEST_MPS, FASTEST_MPS]);
                    }
                    if matched.facing.as_deref() == Some(parameter) {
                        values.extend([-PI, PI]);
                    }
                }
                MotionParts::Direct { points, .. } if points.iter().any(|point| point.at == parameter) => {
                    values.extend([0.0, 1.0]);
                }
                _ => {}
            }
        }
        for (_, test) in layer.transitions.iter().flat_map(|t| &t.when).filter(|(name, _)| name == parameter)
        {
            if let Test::Above(v) | Test::Below(v) = test {
                values.push(*v);
            }
        }
    }
    let low = values.iter().copied().fold(f32::INFINITY, f32::min);
    let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    if low < high { (low, high) } else { (low.min(0.0), low.max(0.0) + 1.0) }
}

/// The mannequin's: gaits by speed (slow between idle and walk), crouches, jumps, a wave.
pub(crate) fn of_mannequin() -> GraphParts {
    let gaits = [(0.0, "idle"), (1.32, "walk"), (2.6, "jog"), (4.4, "run")];
    GraphParts::new()
        .damped("speed", 1.8, 0.15)
        .trigger("crouch")
        .trigger("jump")
        .clip("wave")
        .mask("upper_body", "spine_02", 2)
        .layer(
            LayerParts::new("body")
                .state(StateParts::line("move", "speed", &gaits))
                .state(StateParts::clip("crouch", "crouch").once())
                .transition(TransitionParts::new("move", "crouch").when("crouch", Test::On).fade(0.3))
                .transition(TransitionParts::new("crouch", "move").exit(0.85).fade(0.35))
                .state(StateParts::clip("jump", "jump_start").once())
                .state(StateParts::clip("air", "jump_air"))
                .state(StateParts::clip("land", "jump_land").once())
                .transition(TransitionParts::new("move", "jump").when("jump", Test::On).fade(0.15))
                .transition(TransitionParts::new("jump", "air").exit(1.0).fade(0.1))
                .transition(TransitionParts::new("air", "land").exit(1.0).fade(0.1))
                .transition(TransitionParts::new("land", "move").exit(0.7).fade(0.25)),
        )
        .layer(LayerParts::new("upper body").masked("upper_body"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_motion::graph::MatchedParts;

    #[test]
    fn a_slider_reaches_everything_that_the_graph_asks_for() {
        let parts = of_mannequin().float("lean", 2.0);
        assert_eq!(range(&parts, "speed"), (0.0, 4.4));
        assert_eq!(range(&parts, "lean"), (0.0, 3.0));
        let parts = parts.layer(
            LayerParts::new("legs")
                .state(StateParts::matched("go", MatchedParts::new("gaits", ["lean", "ahead"]).facing("to"))),
        );
        let parts = parts.float("ahead", 0.0).float("to", 0.0);
        // A stick goes to both sides, whatever stands in the graph.
        assert_eq!((range(&parts, "lean"), range(&parts, "ahead")), ((-4.0, 4.0), (-4.0, 4.0)));
        assert_eq!(range(&parts, "to"), (-PI, PI));
        assert_eq!(because(&parts.layers[0], "move", "crouch"), "crouch on");
        assert_eq!(because(&parts.layers[0], "crouch", "move"), "at 85 % of the lap");
    }
}
