//! A state is all there is: saved, put back and played again it gives the same bits.

use super::Played;
use lissom::hash::Fnv64;
use lissom_motion::{
    Frame, Graph, GraphParts, GraphState, Interruption, LayerParts, OneShot, PlaneBlend, StateParts, Test,
    TransitionParts,
};
use lissom_testkit::{alloc::assert_no_alloc, rng::Rng};

/// Everything in one graph.
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

pub fn graph() -> Graph {
    let length = |clip: &str| Some(0.5 + clip.len() as f64 * 0.173);
    Graph::new(&parts(), length).unwrap()
}

/// Random input for a frame: the same for the same random numbers.
fn step(graph: &Graph, state: &mut GraphState, frame: &mut Frame, rng: &mut Rng) {
    for (name, reach) in [("x", 1.5), ("y", 3.5), ("pace", 1.0), ("turn", 1.0)] {
        let value = rng.signed() * reach;
        if rng.one_in(8) {
            state.set(graph.float(name).unwrap(), value).unwrap();
        }
    }
    if rng.one_in(20) {
        state.set(graph.int("gait").unwrap(), rng.below(3) as i32).unwrap();
    }
    if rng.one_in(30) {
        state.set(graph.bool("air").unwrap(), rng.one_in(2)).unwrap();
    }
    if rng.one_in(25) {
        state.set(graph.trigger("jump").unwrap(), true).unwrap();
    }
    if rng.one_in(40) {
        let (layer, clip) = (graph.layer("arms").unwrap(), graph.clip("wave").unwrap());
        state.play(graph, layer, clip, OneShot::default()).unwrap();
    }
    let dt_s = if rng.one_in(10) { 0.0 } else { rng.unit_f64() * 0.05 };
    graph.update(state, dt_s, frame).unwrap();
}

#[test]
fn a_thousand_frames_replayed_from_a_save_are_the_same_bits() {
    let mut played = Played::new(graph());
    let mut rng = Rng::new(77);
    for _ in 0..200 {
        step(&played.graph, &mut played.state, &mut played.frame, &mut rng);
    }
    let saved = (played.state.to_bytes(), rng.clone());
    let mut first = Vec::new();
    for _ in 0..1000 {
        step(&played.graph, &mut played.state, &mut played.frame, &mut rng);
        first.push((played.frame.clone(), played.state.to_bytes()));
    }
    // Put back from bytes, in a frame that was used for something else.
    let mut again = GraphState::read(&played.graph, &saved.0).unwrap();
    let mut rng = saved.1;
    for (i, (frame, bytes)) in first.iter().enumerate() {
        step(&played.graph, &mut again, &mut played.frame, &mut rng);
        assert_eq!(&played.frame, frame, "frame {i}");
        assert_eq!(&again.to_bytes(), bytes, "frame {i}");
    }
    assert_eq!(again, played.state);
}

#[test]
fn rewinding_eight_frames_in_each_frame_changes_nothing() {
    const BACK: usize = 8;
    let graph = graph();
    let (mut plain, mut rolled) = (GraphState::new(&graph), GraphState::new(&graph));
    let (mut frame, mut rolled_frame) = (Frame::new(&graph), Frame::new(&graph));
    let mut rng = Rng::new(5);
    let mut past: Vec<(GraphState, Rng)> = Vec::new();
    for i in 0..300 {
        past.push((rolled.clone(), rng.clone()));
        step(&graph, &mut plain, &mut frame, &mut rng.clone());
        let from = past.len().saturating_sub(BACK + 1);
        rolled.clone_from(&past[from].0);
        let mut again = past[from].1.clone();
        for _ in from..past.len() {
            step(&graph, &mut rolled, &mut rolled_frame, &mut again);
        }
        rng = again;
        assert_eq!((&rolled, &rolled_frame), (&plain, &frame), "frame {i}");
    }
}

#[test]
fn updates_saves_and_rewinds_allocate_nothing() {
    let graph = graph();
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let mut saved = state.clone();
    let mut rng = Rng::new(9);
    assert_no_alloc(|| {
        for _ in 0..10_000 {
            step(&graph, &mut state, &mut frame, &mut rng);
            assert!(frame.entries().len() <= graph.most_entries());
            std::hint::black_box(frame.mix(|clip| clip));
            if rng.one_in(16) {
                saved.clone_from(&state);
            }
            if rng.one_in(64) {
                state.clone_from(&saved);
            }
        }
    });
}

#[test]
fn a_step_of_nothing_changes_nothing_and_what_is_no_step_is_an_error() {
    let graph = graph();
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let mut rng = Rng::new(21);
    for _ in 0..300 {
        step(&graph, &mut state, &mut frame, &mut rng);
        state.set(graph.trigger("jump").unwrap(), true).unwrap();
        let before = (state.clone(), frame.clone());
        for dt_s in [-1.0, f64::NAN, f64::INFINITY, -f64::MIN_POSITIVE] {
            graph.update(&mut state, dt_s, &mut frame).unwrap_err();
            assert_eq!((&state, &frame), (&before.0, &before.1));
        }
        graph.update(&mut state, 0.0, &mut frame).unwrap();
        assert_eq!(state, before.0);
        assert!(frame.entries().iter().all(|entry| entry.from == entry.to));
        let mix = frame.mix(|clip| clip);
        graph.update(&mut state, 0.0, &mut frame).unwrap();
        assert_eq!(frame.mix(|clip| clip), mix);
    }
}

/// The hash of a run: what every machine must meet.
#[test]
fn a_run_has_the_bits_that_it_has_everywhere() {
    let graph = graph();
    let (mut state, mut frame) = (GraphState::new(&graph), Frame::new(&graph));
    let (mut rng, mut hash) = (Rng::new(1), Fnv64::new());
    for _ in 0..1000 {
        step(&graph, &mut state, &mut frame, &mut rng);
        for entry in frame.entries() {
            hash = hash.u32(u32::from(entry.clip)).f32(entry.weight).bytes(&entry.to.lap().to_le_bytes());
            hash = hash.bytes(&entry.to.progress_s().to_bits().to_le_bytes());
        }
    }
    hash = hash.bytes(&state.to_bytes());
    assert_eq!(hash.finish(), 0, "{:016x}", hash.finish());
}
