//! Numbers of a graph that are tuned while it plays.

use super::{drag, drop_file, scratch, viewer};
use crate::Viewer;
use egui::accesskit::Role;
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use lissom_build::graph;
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, MotionParts, ParameterKind, StateParts, Test, TransitionParts},
};

/// Drags the number that reads like this to the right.
fn tune(harness: &mut Harness<'_, Viewer>, reads: &str) {
    let number = harness
        .query_all_by_role(Role::SpinButton)
        .find(|n| n.accesskit_node().value().is_some_and(|v| v.contains(reads)))
        .unwrap_or_else(|| panic!("no number reads {reads}"))
        .rect();
    drag(harness, number.center(), number.center() + egui::vec2(40.0, 0.0));
    assert_eq!(harness.state().failure(), None);
}

#[test]
fn starts_and_places_of_clips_are_tuned_and_saved() {
    let Some(mut harness) = viewer() else { return };
    harness.set_size(egui::vec2(super::SIZE[0], 1200.0));
    let body = LayerParts::new("body")
        .state(StateParts::line("gaits", "speed", &[(0.0, "idle"), (1.5, "walk"), (4.5, "run")]))
        .state(StateParts::clip("rest", "idle"))
        .transition(TransitionParts::new("gaits", "rest").when("armed", Test::On))
        .transition(TransitionParts::new("rest", "gaits").when("armed", Test::Off));
    let parts = GraphParts::new().float("speed", 1.25).int("mood", 3).bool("armed", false).layer(body);
    let path = scratch("numbers.json");
    std::fs::write(&path, graph::to_json(&parts)).unwrap();
    drop_file(&mut harness, path.clone());
    assert_eq!(harness.state().failure(), None);
    harness.get_by_label("Numbers").click();
    // Until it has unfolded.
    harness.run_steps(30);
    tune(&mut harness, "starts at 1.25");
    tune(&mut harness, "starts at 3");
    let weight = |harness: &Harness<'_, Viewer>| {
        let bars =
            harness.query_all_by_role(Role::ProgressIndicator).filter_map(|n| n.accesskit_node().label());
        bars.filter(|label| label.starts_with("walk ")).collect::<Vec<_>>()
    };
    let before = weight(&harness);
    assert_eq!(before.len(), 1, "what is played is shown: {before:?}");
    tune(&mut harness, "speed 1.5");
    harness.get_by_label("on at the start").click();
    harness.run_steps(3);
    let after = weight(&harness);
    assert!(after.len() == 1 && after != before, "it is heard at once: {before:?}, then {after:?}");
    harness.query_all_by_role(Role::ComboBox).next().expect("a list of states").click();
    harness.run_steps(3);
    harness.get_by_role_and_label(Role::Button, "rest").click();
    harness.run_steps(3);
    harness.get_by_label_contains("save ").click();
    harness.run_steps(2);
    assert_eq!(harness.state().failure(), None);
    let saved = graph::read(&std::fs::read(&path).unwrap()).unwrap();
    let saved = saved.parts();
    let [speed, mood, armed] = [0, 1, 2].map(|i| saved.parameters[i].kind);
    assert!(matches!(speed, ParameterKind::Float { start, .. } if start > 1.4), "{speed:?}");
    assert!(matches!(mood, ParameterKind::Int { start } if start > 3), "{mood:?}");
    assert_eq!(armed, ParameterKind::Bool { start: true });
    let states = &saved.layers[0].states;
    assert_eq!((states[0].name.as_str(), states[1].name.as_str()), ("rest", "gaits"), "it starts at rest");
    let MotionParts::Line { points, .. } = &states[1].motion else { panic!("{:?}", states[1]) };
    assert!(points[0].at == 0.0 && points[1].at > 1.6 && points[2].at == 4.5, "{points:?}");
    std::fs::remove_file(path).unwrap();
}
