//! Numbers that the clips set.

use super::Played;
use lissom::track::{TrackKind, TrackView};
use lissom_motion::{
    Graph, GraphParts, GraphState, StateError,
    graph::{ClipCurve, ClipFacts, Fade, LayerParts, StateParts, Test, TransitionParts},
    state::OneShot,
};

/// From 0 to this over a clip.
fn rising_to(value: f32) -> ClipCurve {
    ClipCurve::new(&TrackView {
        kind: TrackKind::Float,
        ratios: &[0.0, 1.0],
        values: &[0.0, value],
        steps: &[0],
    })
    .unwrap()
}

/// Clips of a second; "low" has a curve that rises to 1, "high" one that rises to 4, others none.
fn facts(clip: &str) -> Option<ClipFacts> {
    let curve = match clip {
        "low" => Some(rising_to(1.0)),
        "high" => Some(rising_to(4.0)),
        _ => None,
    };
    Some(ClipFacts { curves: curve.map(|curve| ("lift".into(), curve)).into_iter().collect(), ..1.0.into() })
}

fn playing(parts: &GraphParts) -> Played {
    Played::new(Graph::new(parts, facts).unwrap())
}

fn lift(played: &Played) -> f32 {
    played.state.curve(played.graph.curve("lift").unwrap()).unwrap()
}

#[test]
fn a_curve_is_blended_by_what_is_seen_of_each_clip() {
    let line = StateParts::line("move", "speed", &[(0.0, "low"), (1.0, "high"), (2.0, "none")]);
    let parts = GraphParts::new().float("speed", 0.0).curve("lift", 0.5);
    let mut played = playing(&parts.layer(LayerParts::new("body").state(line)));
    assert_eq!(lift(&played), 0.5);
    let speed = played.graph.float("speed").unwrap();
    // At a quarter, a half and three quarters of the lap.
    for (value, expected) in [(0.0, 0.25), (0.5, 0.5 * 0.5 + 0.5 * 2.0), (1.5, 0.5 * 3.0 + 0.5 * 0.5)] {
        played.state.set(speed, value).unwrap();
        played.update(0.25);
        assert!((lift(&played) - expected).abs() < 1e-6, "{value}: {}", lift(&played));
    }
    let (state, frame) = (played.state.clone(), played.frame.clone());
    played.update(0.0);
    assert_eq!(played.state, state);
    assert_eq!(played.frame.layers(), frame.layers());
}

#[test]
fn layers_cover_where_they_have_it_and_add_where_they_add() {
    let parts = GraphParts::new()
        .float("up", 0.0)
        .float("more", 0.0)
        .curve("lift", 0.0)
        .clip("high")
        .clip("none")
        .layer(LayerParts::new("body").state(StateParts::clip("low", "low")))
        .layer(LayerParts::new("arms").state(StateParts::clip("high", "high")).weighed_by("up"))
        .layer(LayerParts::new("added").state(StateParts::clip("low", "low")).added().weighed_by("more"));
    let mut played = playing(&parts);
    played.update(0.5);
    assert!((lift(&played) - 0.5).abs() < 1e-6);
    let (up, more) = (played.graph.float("up").unwrap(), played.graph.float("more").unwrap());
    played.state.set(up, 0.5).unwrap();
    played.state.set(more, 1.0).unwrap();
    played.update(0.25);
    let expected = 0.5 * 0.75 + 0.5 * 3.0 + 0.75;
    assert!((lift(&played) - expected).abs() < 1e-6, "{}", lift(&played));
    // A one-shot without the curve hides what its layer has, and the layer below is seen again.
    let (arms, none) = (played.graph.layer("arms").unwrap(), played.graph.clip("none").unwrap());
    played.state.set(more, 0.0).unwrap();
    let how = OneShot { fade_in_s: 0.0, fade_out_s: 0.0, ..OneShot::default() };
    played.state.play(&played.graph, arms, none, how).unwrap();
    played.update(0.125);
    assert!((lift(&played) - 0.875).abs() < 1e-6, "{}", lift(&played));
}

#[test]
fn a_transition_may_wait_for_a_curve_which_is_saved_and_cannot_be_set() {
    let body = LayerParts::new("body")
        .state(StateParts::clip("low", "low"))
        .state(StateParts::clip("none", "none").speed_by("lift"))
        .transition(
            TransitionParts::new("low", "none").when("lift", Test::Above(0.6)).fade(0.0).fading(Fade::Linear),
        );
    let parts = GraphParts::new().curve("lift", 0.0).layer(body);
    let mut played = playing(&parts);
    // What the clips said in the last step counts.
    for (at, expected) in [(1, "low"), (2, "low"), (3, "low"), (4, "none")] {
        let why = format!("{:?}", played.graph.why(&played.state, 0.25, 0).unwrap());
        assert_eq!(
            why.contains(r#"Condition { number: 0, parameter: "lift" }"#),
            expected == "low",
            "{at}: {why}"
        );
        played.update(0.25);
        assert_eq!(played.leading(0), expected, "{at}: {why}");
    }
    let bytes = played.state.to_bytes();
    assert_eq!(GraphState::read(&played.graph, &bytes).unwrap(), played.state);
    assert_eq!(
        played.graph.float("lift"),
        Err(StateError::Unknown { what: "float parameter", name: "lift".into() })
    );
    assert!(played.graph.curve("speed").is_err());
}

#[test]
fn another_set_of_clips_has_curves_of_its_own() {
    let parts = GraphParts::new()
        .curve("lift", 7.0)
        .layer(LayerParts::new("body").state(StateParts::clip("move", "low")));
    let graph = Graph::new(&parts, facts).unwrap();
    for (name, expected) in [("high", 2.0), ("none", 7.0)] {
        let other = graph.with_clips(|_| Some((name.into(), facts(name)?))).unwrap();
        let mut played = Played::new(other);
        played.update(0.5);
        assert!((lift(&played) - expected).abs() < 1e-6, "{name}: {}", lift(&played));
    }
}

#[test]
fn what_is_no_curve_is_refused() {
    let track = |kind, ratios: &'static [f32], values: &'static [f32]| TrackView {
        kind,
        ratios,
        values,
        steps: &[0],
    };
    for wrong in [
        track(TrackKind::Float2, &[0.0], &[0.0, 1.0]),
        track(TrackKind::Float, &[0.0, 0.5], &[0.0]),
        track(TrackKind::Float, &[0.5, 0.5], &[0.0, 1.0]),
        track(TrackKind::Float, &[0.0, 1.5], &[0.0, 1.0]),
        track(TrackKind::Float, &[0.0], &[f32::NAN]),
    ] {
        assert_eq!(ClipCurve::new(&wrong), None, "{wrong:?}");
    }
    assert!(ClipCurve::new(&track(TrackKind::Float, &[], &[])).is_some());
}
