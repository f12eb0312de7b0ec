//! Graphs for tests, and random input for them: the same for the same seed.

use crate::rng::Rng;
use lissom::{
    hash::Fnv64,
    track::{Repeat, TrackKind, TrackView},
};
use lissom_motion::{
    Graph, GraphParts, GraphState,
    frame::Frame,
    graph::{
        ClipCurve, ClipFacts, Interruption, LayerParts, MotionParts, ParameterKind, PlaneBlend, StateParts,
        Test, TransitionParts,
    },
    state::OneShot,
};

/// Blends along a line, in a plane by triangles and by directional bands; a group, a masked and an additive layer, one-shots, damped
/// parameters, transitions of all kinds but by inertia. [`bands`] has the third blend in a plane, [`inertial`] such transitions.
#[must_use]
pub fn parts() -> GraphParts {
    let around = [
        ([0.0, 0.0], "idle"),
        ([1.0, 0.0], "right"),
        ([-1.0, 0.0], "left"),
        ([0.0, 1.0], "walk"),
        ([0.0, -1.0], "back"),
        ([0.0, 3.0], "run"),
    ];
    let moving = LayerParts::new("moving")
        .state(StateParts::plane("plane", ["x", "y"], PlaneBlend::Delaunay, &around))
        .state(StateParts::plane("bands", ["x", "y"], PlaneBlend::DirectionalBands, &around).speed_by("pace"))
        .transition(TransitionParts::new("plane", "bands").when("gait", Test::Is(1)).synced())
        .transition(TransitionParts::new("bands", "plane").when("gait", Test::IsNot(1)).synced().fade(0.4));
    let body = LayerParts::new("body")
        .group("moving", moving)
        .state(StateParts::clip("jump", "jump").once())
        .state(StateParts::clip("fall", "fall"))
        .transition(
            TransitionParts::new("moving", "jump")
                .when("jump", Test::On)
                .fade(0.1)
                .priority(1)
                .interrupted_by(Interruption::Both),
        )
        .transition(TransitionParts::new("jump", "moving").exit(0.8).fade(0.3))
        .transition(TransitionParts::new("*", "fall").when("air", Test::On))
        .transition(TransitionParts::new("fall", "moving").when("air", Test::Off).offset(0.25));
    let lean = LayerParts::new("lean")
        .state(StateParts::line("lean", "turn", &[(-1.0, "lean_left"), (1.0, "lean_right")]))
        .added()
        .weighed_by("pace");
    GraphParts::new()
        .damped("x", 0.0, 0.1)
        .damped("y", 0.0, 0.1)
        .float("pace", 1.0)
        .damped("turn", 0.0, 0.5)
        .int("gait", 0)
        .bool("air", false)
        .trigger("jump")
        .mask("arms", "spine", 2)
        .clip("wave")
        .layer(body)
        .layer(LayerParts::new("arms").masked("arms"))
        .layer(lean)
}

/// The same, checked; clips are between 0.8 and 2.3 seconds long.
///
/// # Panics
///
/// If it is refused.
#[must_use]
pub fn graph() -> Graph {
    Graph::new(&parts(), length).expect("everything in it is allowed")
}

/// The length of a clip follows from its name.
fn length(clip: &str) -> Option<f64> {
    Some(0.5 + clip.len() as f64 * 0.173)
}

/// The same with gradient bands in the place of directional ones, and states that go to and fro.
///
/// # Panics
///
/// If it is refused.
#[must_use]
pub fn bands() -> Graph {
    let mut parts = parts();
    for state in parts.layers.iter_mut().flat_map(|layer| &mut layer.states) {
        if let MotionParts::Plane { blend: blend @ PlaneBlend::DirectionalBands, .. } = &mut state.motion {
            *blend = PlaneBlend::Bands;
            state.repeat = Repeat::PingPong;
        }
    }
    Graph::new(&parts, length).expect("everything in it is allowed")
}

/// Two states, and a way by inertia between them whenever `go` is set.
///
/// # Panics
///
/// If it is refused.
#[must_use]
pub fn inertial() -> Graph {
    of_two(&GraphParts::new())
}

/// The same, and characters may keep two poses.
///
/// # Panics
///
/// If it is refused.
#[must_use]
pub fn keeping() -> Graph {
    of_two(&GraphParts::new().pose("fallen").pose("held"))
}

fn of_two(parts: &GraphParts) -> Graph {
    let way = |from: &str, to: &str| TransitionParts::new(from, to).when("go", Test::On).fade(0.3).inertial();
    let body = LayerParts::new("body")
        .state(StateParts::clip("a", "a"))
        .state(StateParts::clip("b", "b"))
        .transition(way("a", "b"))
        .transition(way("b", "a"));
    Graph::new(&parts.clone().trigger("go").layer(body), |_| Some(1.0)).expect("everything in it is allowed")
}

/// Random parameters, triggers and one-shots, then a step of up to 50 ms.
///
/// # Panics
///
/// If anything is refused.
pub fn step(graph: &Graph, state: &mut GraphState, frame: &mut Frame, rng: &mut Rng) {
    let known = "the graph has it";
    let allowed = "it may be set";
    for (name, reach) in [("x", 1.5), ("y", 3.5), ("pace", 1.0), ("turn", 1.0)] {
        let value = rng.signed() * reach;
        if rng.one_in(8) {
            state.set(graph.float(name).expect(known), value).expect(allowed);
        }
    }
    if rng.one_in(20) {
        state.set(graph.int("gait").expect(known), rng.below(3) as i32).expect(allowed);
    }
    if rng.one_in(30) {
        state.set(graph.bool("air").expect(known), rng.one_in(2)).expect(allowed);
    }
    if rng.one_in(25) {
        state.set(graph.trigger("jump").expect(known), true).expect(allowed);
    }
    if rng.one_in(40) {
        let (layer, clip) = (graph.layer("arms").expect(known), graph.clip("wave").expect(known));
        state.play(graph, layer, clip, OneShot::default()).expect(allowed);
    }
    let dt_s = if rng.one_in(10) { 0.0 } else { rng.unit_f64() * 0.05 };
    graph.update(state, dt_s, frame).expect("a step may be taken");
}

/// The same, kept in step by markers, with a curve that half of the clips have.
///
/// # Panics
///
/// If it is refused.
#[must_use]
pub fn in_step() -> Graph {
    let parts = parts().curve("lift", 0.5).in_step_by(&["left", "right"]).handed_over();
    Graph::new(&parts, |clip| Some(facts(clip, &parts))).expect("everything in it is allowed")
}

/// A clip whose markers and curves follow from its name; some pass no marker, and some have no curve.
#[must_use]
pub fn facts(clip: &str, parts: &GraphParts) -> ClipFacts {
    let (length, count) = (clip.len(), parts.sync.len());
    let duration_s = length.saturating_sub(1) as f64 * 0.3;
    let mut facts = ClipFacts { markers: Some(Vec::new()), ..duration_s.into() };
    for (i, name) in parts.sync.iter().enumerate().filter(|_| length % 3 != 0) {
        // Uneven, and not from the start.
        let share = (i as f64 + 0.4 / (1.0 + length as f64)) / count as f64;
        let late = (share * share + 0.3 * length as f64) % 1.0;
        facts.markers.as_mut().expect("they are known").push((late * duration_s, name.clone()));
    }
    let is_curve = |kind| matches!(kind, ParameterKind::Curve { .. }) && length.is_multiple_of(2);
    for parameter in parts.parameters.iter().filter(|parameter| is_curve(parameter.kind)) {
        let (ratios, values) = ([0.0, 0.3, 1.0], [length as f32, -1.0, 0.25]);
        let track = TrackView { kind: TrackKind::Float, ratios: &ratios, values: &values, steps: &[0b010] };
        let curve = ClipCurve::new(&track).expect("it is one");
        facts.curves.push((parameter.name.clone(), curve));
    }
    facts
}

/// A thousand frames: clips, weights, heads, and the state at the end.
#[must_use]
pub fn hash() -> u64 {
    played(&graph())
}

/// The same of [`bands`].
#[must_use]
pub fn bands_hash() -> u64 {
    played(&bands())
}

/// The same of [`in_step`].
#[must_use]
pub fn in_step_hash() -> u64 {
    played(&in_step())
}

fn played(graph: &Graph) -> u64 {
    let (mut state, mut frame) = (GraphState::new(graph), Frame::new(graph));
    let (mut rng, mut hash) = (Rng::new(1), Fnv64::new());
    for _ in 0..1000 {
        step(graph, &mut state, &mut frame, &mut rng);
        for entry in frame.entries() {
            hash = hash.u32(u32::from(entry.clip)).f32(entry.weight).bytes(&entry.to.lap().to_le_bytes());
            hash = hash.bytes(&entry.to.progress_s().to_bits().to_le_bytes());
        }
    }
    hash.bytes(&state.to_bytes()).finish()
}
