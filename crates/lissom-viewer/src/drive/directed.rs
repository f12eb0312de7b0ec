//! A graph that is played.

use super::matched::{self, Matched};
use crate::failure::Failure;
use core::f32::consts::PI;
use lissom::archive::Archive;
use lissom_motion::{
    Animator, Graph, GraphParts,
    decide::DecisionView,
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
    /// What motion matching has done, of each layer that it plays.
    pub matched: Vec<Matched>,
    time_s: f64,
}

/// A state that was gone to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Taken<'a> {
    pub time_s: f64,
    pub layer: &'a str,
    pub from: &'a str,
    pub to: &'a str,
    /// What it waited for, and what was there.
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
        let mut animator = Animator::of_skeleton(archive, skeleton, graph).map_err(|e| wrong(&e))?;
        animator.remember_decisions(REMEMBERED);
        let ranges = parts.parameters.iter().map(|p| range(&parts, &p.name)).collect();
        let mut made = Self { parts, animator, ranges, matched: Vec::new(), time_s: 0.0 };
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
        self.animator.update(dt_s).map_err(|e| wrong(&e))?;
        self.follow()
    }

    /// The last states that were gone to, the newest first.
    pub fn taken(&self) -> impl Iterator<Item = Taken<'_>> {
        let remembered = self.animator.decisions().into_iter().flat_map(|all| all.iter().rev());
        remembered.filter_map(|one| self.animator.graph().decision(one)).map(|told| {
            let because = because(&self.parts, &told);
            Taken { time_s: told.time_s, layer: told.layer, from: told.from, to: told.to, because }
        })
    }

    /// What motion matching did is remembered.
    fn follow(&mut self) -> Result<(), Failure> {
        let done = matched::follow(&mut self.matched, &self.animator, &self.parts.layers, self.time_s);
        done.map_err(|e| Failure(e.to_string()))
    }
}

/// Why a state was gone to, in words: what its tests saw, and what else its transition asked for.
fn because(parts: &GraphParts, told: &DecisionView<'_>) -> String {
    if told.by_code {
        return "by code".into();
    }
    let tests =
        told.tests.iter().map(|(parameter, test, value)| format!("{parameter} {}", word(*test, *value)));
    let mut words: Vec<String> = tests.collect();
    let layer = parts.layers.iter().find(|layer| layer.name == told.layer);
    let mut ways = layer.iter().flat_map(|layer| &layer.transitions);
    if let Some(way) = ways.find(|way| way.from == told.from && way.to == told.to) {
        words.extend(way.only_if.as_ref().map(|_| "by a rule".to_owned()));
        words.extend(way.exit.map(|exit| format!("at {:.0} % of the lap", exit * 100.0)));
    }
    words.join(", ")
}

/// A test, and the value that passed it.
fn word(test: Test, value: f64) -> String {
    match test {
        Test::Above(v) => format!("above {v}: {value:.3}"),
        Test::Below(v) => format!("below {v}: {value:.3}"),
        Test::Is(v) => format!("is {v}"),
        Test::IsNot(v) => format!("is not {v}: {value:.0}"),
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
                .state(StateParts::line("move", "speed", &gaits).own_time("idle").keeping_speed())
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
    use crate::{document::Document, settings::Drives};
    use lissom_motion::graph::MatchedParts;

    #[test]
    fn the_mannequin_goes_as_fast_as_it_is_asked_to() {
        let mut document = Document::mannequin().unwrap();
        document.drive_by(Drives::Graph).unwrap();
        let directed = document.directed.as_mut().unwrap();
        for speed in [0.8_f32, 1.32, 1.9, 3.4, 4.4] {
            directed.set("speed", Value::Float(speed)).unwrap();
            (0..180).for_each(|_| directed.update(1.0 / 60.0).unwrap());
            let mut went = 0.0;
            for _ in 0..600 {
                directed.update(1.0 / 60.0).unwrap();
                went += directed.animator.root_delta().translation[2] / 10.0;
            }
            assert!((went - f64::from(speed)).abs() < 0.03 * f64::from(speed), "{went} of {speed}");
        }
    }

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
    }

    #[test]
    fn the_last_decisions_are_told_with_what_their_tests_saw() {
        let archive = Archive::read(&crate::matched_file::archive()).unwrap();
        let state = |name: &str, clip: &str| StateParts::clip(name, clip);
        let parts = GraphParts::new().float("speed", 0.0).trigger("stop").layer(
            LayerParts::new("body")
                .state(state("stand", "idle"))
                .state(state("go", "walk"))
                .transition(TransitionParts::new("stand", "go").when("speed", Test::Above(0.5)).fade(0.1))
                .transition(TransitionParts::new("go", "stand").when("stop", Test::On).exit(0.2).fade(0.1)),
        );
        let mut directed = Directed::new(&archive, "mannequin", parts).unwrap();
        let run = |directed: &mut Directed| (0..60).for_each(|_| directed.update(1.0 / 60.0).unwrap());
        run(&mut directed);
        assert_eq!(directed.taken().count(), 0);
        directed.set("speed", Value::Float(1.25)).unwrap();
        run(&mut directed);
        directed.set("speed", Value::Float(0.0)).unwrap();
        directed.trigger(0).unwrap();
        run(&mut directed);
        let told: Vec<_> = directed.taken().map(|taken| (taken.from, taken.to, taken.because)).collect();
        let [last, first] = &told[..] else { panic!("{told:?}") };
        assert_eq!(*first, ("stand", "go", "speed above 0.5: 1.250".into()));
        assert_eq!(*last, ("go", "stand", "stop on, at 20 % of the lap".into()));
        let taken: Vec<_> = directed.taken().collect();
        assert_eq!((taken[1].layer, (taken[1].time_s * 60.0).round()), ("body", 61.0));
        // No more than the panel has room for.
        for go in 0..2 * REMEMBERED {
            directed.set("speed", Value::Float((go % 2) as f32)).unwrap();
            if go % 2 == 0 {
                directed.trigger(0).unwrap();
            }
            (0..3).for_each(|_| run(&mut directed));
        }
        assert_eq!(directed.taken().count(), REMEMBERED);
    }
}
