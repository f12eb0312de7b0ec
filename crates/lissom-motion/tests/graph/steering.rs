//! States whose time is a parameter, where states start, what becomes of their root motion; one-shots by their keys.

use super::{Played, seconds};
use lissom::track::{Repeat, TrackKind, TrackView};
use lissom_motion::{
    Graph, GraphParts, GraphState, RootStep,
    frame::What,
    graph::{ClipFacts, LayerParts, Problem, RootUse, StateParts, Test, TransitionParts},
    root::RootMotion,
    state::OneShot,
};

const DT: f64 = 1.0 / 16.0;

fn of_layer(layer: LayerParts) -> Played {
    let parts = GraphParts::new().float("open", 0.0).trigger("go").clip("wave").clip("nod").layer(layer);
    Played::new(seconds(&parts))
}

fn ratio(played: &Played) -> f64 {
    played.frame.entries().last().unwrap().ratio()
}

/// What states did in the last step.
fn told(played: &Played) -> Vec<String> {
    let events = played.frame.events(&played.graph, |_| None);
    events.map(|event| format!("{:?}", event.what)).collect()
}

#[test]
fn a_parameter_is_the_time_of_a_state() {
    let door = StateParts::clip("door", "door").once().time_by("open");
    let mut played = of_layer(LayerParts::new("body").state(door));
    let open = played.graph.float("open").unwrap();
    for (value, expected, finishes) in [
        (0.25, 0.25, false),
        (0.25, 0.25, false),
        (0.75, 0.75, false),
        (0.5, 0.5, false),
        (7.0, 1.0, true),
        (2.0, 1.0, false),
        (-3.0, 0.0, true),
    ] {
        played.state.set(open, value).unwrap();
        let before = played.state.clone();
        // A step of nothing shows what was.
        let was = played.frame.entries().last().map(|entry| entry.to);
        played.update(0.0);
        assert!(was.is_none() || played.frame.entries().last().map(|entry| entry.to) == was);
        assert_eq!(played.state, before);
        played.update(DT);
        assert_eq!(ratio(&played), expected);
        assert_eq!(told(&played).iter().any(|event| event.starts_with("Finished")), finishes, "{value}");
    }
}

#[test]
fn what_a_driven_state_passes_is_told_forward_and_back_once() {
    let ladder = StateParts::clip("ladder", "ladder").time_by("open");
    let mut played = of_layer(LayerParts::new("body").state(ladder));
    let open = played.graph.float("open").unwrap();
    let rungs = lissom_build::scene::Marker { name: "rung".into(), time_s: 0.5, duration_s: 0.0 };
    let writer = lissom_build::archive::ArchiveWriter::new().markers("ladder", &[rungs]).unwrap();
    let archive = lissom::archive::Archive::read(&writer.finish().unwrap()).unwrap();
    let markers = archive.markers("ladder").unwrap();
    let mut laps = Vec::new();
    for value in [0.25, 0.75, 2.75, 2.25, -0.25, -0.75] {
        played.state.set(open, value).unwrap();
        played.update(DT);
        // A save in the middle goes on alike.
        let saved = GraphState::read(&played.graph, &played.state.to_bytes()).unwrap();
        assert_eq!(saved, played.state);
        for event in played.frame.events(&played.graph, |_| Some(markers.view())) {
            if let What::Marker { lap, backward, .. } = event.what {
                laps.push((lap, backward));
            }
        }
    }
    let [on, back] = [false, true];
    let expected = [(0, on), (1, on), (2, on), (2, back), (1, back), (0, back), (-1, back)];
    assert_eq!(laps, expected);
    // However far it is told to be, it is somewhere.
    for value in [f32::MAX, -f32::MAX] {
        played.state.set(open, value).unwrap();
        played.update(DT);
        assert!((0.0..=1.0).contains(&ratio(&played)));
        assert_eq!(GraphState::read(&played.graph, &played.state.to_bytes()).unwrap(), played.state);
    }
}

#[test]
fn a_driven_state_is_entered_where_its_parameter_is_and_goes_in_step_with_nothing() {
    let layer = LayerParts::new("body")
        .state(StateParts::clip("walk", "walk"))
        .state(StateParts::clip("bow", "bow").time_by("open"))
        .transition(TransitionParts::new("walk", "bow").when("go", Test::On).synced().fade(1.0))
        .transition(TransitionParts::new("bow", "walk").exit(0.9));
    let mut played = of_layer(layer);
    let (open, go) = (played.graph.float("open").unwrap(), played.graph.trigger("go").unwrap());
    played.state.set(open, 0.625).unwrap();
    played.state.set(go, true).unwrap();
    played.update(0.25);
    assert_eq!((played.leading(0), ratio(&played)), ("bow", 0.625));
    played.update(0.25);
    // The state that it leaves keeps its own pace.
    let ratios: Vec<f64> = played.frame.entries().iter().map(|entry| entry.ratio()).collect();
    assert_eq!(ratios, [0.5, 0.625]);
    // An exit is where it is passed.
    played.state.set(open, 0.95).unwrap();
    played.update(0.25);
    assert_eq!(played.leading(0), "walk");
}

#[test]
fn a_state_starts_where_it_says_if_nobody_else_does() {
    let to_b = |offset: f32| {
        let layer = LayerParts::new("body")
            .state(StateParts::clip("a", "a").starting_at(0.5))
            .state(StateParts::clip("b", "b").starting_at(0.25).at_speed(-1.0))
            .transition(TransitionParts::new("a", "b").when("go", Test::On).offset(offset));
        let mut played = of_layer(layer);
        played.update(DT);
        assert_eq!(ratio(&played), 0.5 + DT);
        let go = played.graph.trigger("go").unwrap();
        played.state.set(go, true).unwrap();
        played.update(DT);
        ratio(&played)
    };
    // Backward, from the end.
    assert_eq!(to_b(0.0), 0.75);
    assert_eq!(to_b(0.125), 0.875);
}

#[test]
fn states_that_cannot_be_meant_are_refused() {
    let refused = |state: StateParts| {
        let parts = GraphParts::new().float("open", 0.0).bool("on", false);
        let parts = parts.layer(LayerParts::new("body").state(state));
        Graph::new(&parts, |_| Some(1.0)).unwrap_err().problem
    };
    let door = || StateParts::clip("door", "door").time_by("open");
    let no_speed = Problem::Points("a state whose time is a parameter has no speed");
    assert_eq!(refused(door().at_speed(2.0)), no_speed);
    assert_eq!(refused(door().speed_by("open")), no_speed);
    assert!(matches!(refused(door().time_by("shut")), Problem::Unknown { what: "parameter", .. }));
    assert!(matches!(refused(door().time_by("on")), Problem::Kind { .. }));
    let is_value =
        |problem: Problem, name: &str| matches!(problem, Problem::Value { field, .. } if field == name);
    assert!(is_value(refused(door().starting_at(1.5)), "start"));
    assert!(is_value(refused(door().starting_at(f32::NAN)), "start"));
    assert!(is_value(refused(door().root(RootUse::Scaled(f32::INFINITY))), "root_motion"));
}

#[test]
fn a_state_says_what_becomes_of_its_root_motion() {
    let (ratios, places) = ([0.0, 1.0], [0.0, 0.0, 0.0, 1.0, 2.0, 4.0]);
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let turns = [0.0, 0.0, 0.0, 1.0, 0.0, half, 0.0, half];
    let track = |kind, values| TrackView { kind, ratios: &ratios, values, steps: &[0] };
    let motion = RootMotion {
        translation: Some(track(TrackKind::Float3, &places)),
        rotation: Some(track(TrackKind::Quat, &turns)),
    };
    let step = |root: RootUse| {
        let state = StateParts::clip("go", "go").once().root(root);
        let mut played = of_layer(LayerParts::new("body").state(state));
        played.update(1.0);
        played.frame.root_step(&played.graph, |_| Some(motion))
    };
    let taken = step(RootUse::Take);
    assert_eq!(taken.translation, [1.0, 2.0, 4.0]);
    assert!(taken.rotation[1] > 0.7);
    assert_eq!(step(RootUse::Ignore), RootStep::IDENTITY);
    assert_eq!(step(RootUse::Horizontal), RootStep { translation: [1.0, 0.0, 4.0], ..taken });
    assert_eq!(step(RootUse::Scaled(-0.5)), RootStep { translation: [-0.5, -1.0, -2.0], ..taken });
}

/// All that a graph says of a state, in bytes and back.
#[test]
fn states_are_read_back_from_bytes() {
    let all = [RootUse::Take, RootUse::Ignore, RootUse::Horizontal, RootUse::Scaled(0.5)];
    for (i, root) in all.into_iter().enumerate() {
        for start in [0.0, 0.25] {
            let state = StateParts::clip("a", "a").starting_at(start).root(root);
            let state = if i % 2 == 0 { state.time_by("open") } else { state };
            let parts = GraphParts::new().float("open", 0.0).layer(LayerParts::new("l").state(state));
            let bytes = parts.to_bytes();
            assert_eq!(GraphParts::read(&bytes).unwrap(), parts);
            // Cut anywhere, it is an error.
            assert!((0..bytes.len()).all(|end| GraphParts::read(&bytes[..end]).is_err()));
        }
    }
}

fn shots(played: &Played) -> Vec<(&str, f64, bool, bool)> {
    let layer = played.graph.layer("arms").unwrap();
    let shots = played.state.shots(&played.graph, layer);
    let name = |clip| played.graph.clip_name(clip).unwrap();
    shots.map(|shot| (name(shot.clip), shot.time_s, shot.is_queued, shot.is_stopping)).collect()
}

#[test]
fn a_one_shot_is_found_and_stopped_by_its_key() {
    let parts = GraphParts::new().clip("wave").clip("nod").layer(LayerParts::new("arms"));
    let facts = |clip: &str| Some(ClipFacts::from(if clip == "wave" { 2.0 } else { 1.0 }));
    let mut played = Played::new(Graph::new(&parts, facts).unwrap());
    let arms = played.graph.layer("arms").unwrap();
    let [wave, nod] = ["wave", "nod"].map(|clip| played.graph.clip(clip).unwrap());
    let how = OneShot { at: 0.25, repeat: Repeat::Loop, fade_out_s: 0.125, ..OneShot::NEW };
    let a = played.state.play(&played.graph, arms, wave, how).unwrap();
    let b = played.state.play(&played.graph, arms, wave, OneShot::NEW).unwrap();
    assert!(a != b);
    played.update(0.25);
    assert_eq!(shots(&played), [("wave", 0.75, false, false), ("wave", 0.25, false, false)]);
    assert_eq!(played.state.shot(&played.graph, a).unwrap().time_s, 0.75);
    assert!(played.state.stop_shot(a));
    assert!(!played.state.stop_shot(a), "it was stopped before");
    // Saved and restored, keys mean the same.
    played.state = GraphState::read(&played.graph, &played.state.to_bytes()).unwrap();
    played.update(0.25);
    assert_eq!(played.state.shot(&played.graph, a), None, "it has faded out");
    assert!(!played.state.stop_shot(a));
    assert_eq!(shots(&played), [("wave", 0.5, false, false)]);
    // Keys are not used again.
    let c = played.state.play(&played.graph, arms, nod, OneShot::NEW).unwrap();
    assert!(c != a && c != b);
    assert!(played.state.stop_shot(b) && !played.state.shot(&played.graph, c).unwrap().is_stopping);
    for at in [-0.5, 1.5, f32::NAN] {
        let how = OneShot { at, ..OneShot::NEW };
        let error = played.state.play(&played.graph, arms, nod, how).unwrap_err();
        assert!(error.to_string().contains("at"), "{error}");
    }
}

#[test]
fn a_queued_one_shot_begins_when_the_one_before_it_fades_out() {
    let mut played = of_layer(LayerParts::new("arms"));
    let arms = played.graph.layer("arms").unwrap();
    let [wave, nod] = ["wave", "nod"].map(|clip| played.graph.clip(clip).unwrap());
    let how = OneShot { fade_out_s: 0.25, ..OneShot::NEW };
    played.state.play(&played.graph, arms, wave, how).unwrap();
    let queued = OneShot { queued: true, ..how };
    let lost = played.state.play(&played.graph, arms, wave, queued).unwrap();
    let next = played.state.play(&played.graph, arms, nod, queued).unwrap();
    assert_eq!(played.state.shot(&played.graph, lost), None, "one waits at a time");
    for _ in 0..12 {
        played.update(DT);
        assert!(played.state.shot(&played.graph, next).unwrap().is_queued);
        assert_eq!(played.frame.entries().len(), 1);
        assert_eq!(GraphState::read(&played.graph, &played.state.to_bytes()).unwrap(), played.state);
    }
    // From here on the first one fades out.
    played.update(DT);
    assert_eq!(shots(&played), [("wave", 0.8125, false, false), ("nod", 0.0625, false, false)]);
    assert!(told(&played).iter().any(|event| event.starts_with("ShotBegan")));
    // What repeats has no end: stopped, it gives way.
    let looped = OneShot { repeat: Repeat::Loop, ..how };
    let base = played.state.play(&played.graph, arms, wave, looped).unwrap();
    let after = played.state.play(&played.graph, arms, nod, queued).unwrap();
    (0..100).for_each(|_| played.update(DT));
    assert!(played.state.shot(&played.graph, after).unwrap().is_queued);
    assert!(played.state.stop_shot(base));
    played.update(DT);
    assert!(!played.state.shot(&played.graph, after).unwrap().is_queued);
    // What waits is forgotten when another is played, and when all are stopped.
    for forget in [true, false] {
        let waits = played.state.play(&played.graph, arms, nod, queued).unwrap();
        if forget {
            played.state.play(&played.graph, arms, wave, how).unwrap();
        } else {
            played.state.stop(arms).unwrap();
        }
        assert_eq!(played.state.shot(&played.graph, waits), None);
        played.update(DT);
    }
    // With nothing before it, it begins at once.
    (0..40).for_each(|_| played.update(DT));
    assert_eq!(shots(&played), []);
    played.state.play(&played.graph, arms, nod, queued).unwrap();
    played.update(DT);
    assert_eq!(shots(&played), [("nod", DT, false, false)]);
}

#[test]
fn a_layer_takes_another_mask_and_keeps_it() {
    let parts = GraphParts::new()
        .mask("arms", "arm", 0)
        .mask("head", "head", 0)
        .layer(LayerParts::new("body").state(StateParts::clip("a", "a")))
        .layer(LayerParts::new("over").masked("arms").state(StateParts::clip("b", "b")));
    let mut played = Played::new(seconds(&parts));
    let over = played.graph.layer("over").unwrap();
    let [arms, head] = ["arms", "head"].map(|mask| played.graph.mask_key(mask).unwrap());
    assert!(played.graph.mask_key("legs").is_err());
    for mask in [Some(arms), Some(head), None, Some(head)] {
        played.state.set_mask(&played.graph, over, mask).unwrap();
        played.state = GraphState::read(&played.graph, &played.state.to_bytes()).unwrap();
        played.update(DT);
        assert_eq!(played.frame.layers().iter().map(|layer| layer.mask).collect::<Vec<_>>(), [None, mask]);
        // A layer of the whole body hides what is below it, and is seen in its place.
        let whole: Vec<u16> =
            played.frame.seen().filter(|(_, share)| *share > 0.0).map(|(e, _)| e.layer).collect();
        assert_eq!(whole, [u16::from(mask.is_none())]);
    }
    // In another version of the graph it is found by its name, or the layer has its own again.
    let mut other = parts.clone();
    other.masks.swap(0, 1);
    let there = seconds(&other);
    assert!(GraphState::read(&there, &played.state.to_bytes()).is_err(), "its masks have other numbers");
    let carried = played.state.carried_over(&played.graph, &there);
    let mut other = Played { state: carried, ..Played::new(there) };
    other.update(DT);
    assert_eq!(other.frame.layers()[1].mask, Some(other.graph.mask_key("head").unwrap()));
    let mut without = parts;
    without.masks.pop();
    let there = seconds(&without);
    let mut other = Played { state: played.state.carried_over(&played.graph, &there), ..Played::new(there) };
    other.update(DT);
    assert_eq!(other.frame.layers()[1].mask, Some(other.graph.mask_key("arms").unwrap()));
    // A state with a mask that this graph has not is refused.
    assert!(GraphState::read(&other.graph, &played.state.to_bytes()).is_err());
    assert!(other.state.set_mask(&other.graph, over, Some(head)).is_err());
}
