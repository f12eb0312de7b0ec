//! One rule of a graph a test.

use super::{Played, seconds};
use lissom::{
    Skeleton, SkeletonParts,
    job::Mix,
    math::Transform,
    track::{Playhead, Repeat},
};
use lissom_motion::{
    Graph, GraphParts, GraphState, StateError,
    decide::Verdict,
    frame::{Entry, MAX_TOLD_LAPS},
    graph::{
        Fade, Interruption, LayerParts, MaskParts, MaskRule, PlaneBlend, StateParts, Test, TransitionParts,
    },
    state::{GoTo, OneShot},
};
use lissom_testkit::rng::Rng;

const DT: f64 = 1.0 / 16.0;

fn clip(name: &str) -> StateParts {
    StateParts::clip(name, name)
}

fn way(from: &str, to: &str) -> TransitionParts {
    TransitionParts::new(from, to).fading(Fade::Linear)
}

fn playing(layer: LayerParts) -> Played {
    let parts = GraphParts::new()
        .float("speed", 1.0)
        .int("gait", 0)
        .bool("on", false)
        .trigger("go")
        .clip("wave")
        .layer(layer);
    Played::new(seconds(&parts))
}

fn body() -> LayerParts {
    LayerParts::new("body").state(clip("a")).state(clip("b"))
}

#[test]
fn a_trigger_is_taken_by_one_transition_and_waits_for_it() {
    let ways = body()
        .transition(way("a", "b").when("go", Test::On).when("on", Test::On).fade(0.0))
        .transition(way("b", "a").when("go", Test::On).fade(0.0));
    let mut played = playing(ways);
    let (go, on) = (played.graph.trigger("go").unwrap(), played.graph.bool("on").unwrap());
    played.state.set(go, true).unwrap();
    played.update(DT);
    // The other condition does not hold: it is kept.
    assert_eq!((played.leading(0), played.state.get(go)), ("a", Some(true)));
    played.state.set(on, true).unwrap();
    played.update(DT);
    assert_eq!((played.leading(0), played.state.get(go)), ("b", Some(false)));
    played.update(DT);
    assert_eq!(played.leading(0), "b");
}

#[test]
fn at_most_one_transition_starts_in_a_step() {
    // A cycle without conditions: a state a step, and no endless loop.
    let ways = body().transition(way("a", "b").fade(0.0)).transition(way("b", "a").fade(0.0));
    let mut played = playing(ways);
    for expected in ["b", "a", "b", "a"] {
        played.update(100.0);
        assert_eq!(played.leading(0), expected);
    }
}

#[test]
fn a_higher_priority_goes_first_then_what_stands_first() {
    let three = || body().state(clip("c"));
    let mut played = playing(three().transition(way("a", "b")).transition(way("a", "c").priority(1)));
    played.update(DT);
    assert_eq!(played.leading(0), "c");
    let mut played = playing(three().transition(way("a", "b")).transition(way("a", "c")));
    played.update(DT);
    assert_eq!(played.leading(0), "b");
}

#[test]
fn an_exit_is_waited_for_in_every_lap() {
    let mut played = playing(body().transition(way("a", "b").exit(0.5).when("on", Test::On)));
    let on = played.graph.bool("on").unwrap();
    let mut left_at = Vec::new();
    for step in 1..=40 {
        // It is passed at steps 9, 25, 41: a head at t has passed what is before t.
        played.state.set(on, step > 12).unwrap();
        played.update(DT);
        if played.leading(0) == "b" {
            left_at.push(step);
        }
    }
    assert_eq!(left_at[0], 25);
    // Played once it may be left at any time from there on.
    let once = LayerParts::new("body").state(clip("a").once()).state(clip("b"));
    let mut played = playing(once.transition(way("a", "b").exit(1.0).when("on", Test::On)));
    for step in 0..60 {
        played.state.set(on, step >= 50).unwrap();
        assert_eq!(played.leading(0), "a");
        if step == 50 {
            played.update(DT);
            break;
        }
        played.update(DT);
    }
    assert_eq!(played.leading(0), "b");
}

#[test]
fn a_fade_goes_from_one_state_to_the_other_and_ends() {
    let mut played = playing(body().transition(way("a", "b").fade(0.25)));
    played.update(DT);
    assert_eq!(played.weights(0), [("a", 1.0), ("b", 0.0)]);
    played.update(DT);
    assert_eq!(played.weights(0), [("a", 0.75), ("b", 0.25)]);
    played.update(DT * 2.0);
    assert_eq!(played.weights(0), [("a", 0.25), ("b", 0.75)]);
    // The frame in which it ends still has the old state, for what it passed.
    played.update(DT);
    assert_eq!(played.weights(0), [("a", 0.0), ("b", 1.0)]);
    played.update(DT);
    assert_eq!(played.weights(0), [("b", 1.0)]);
}

#[test]
fn what_may_interrupt_is_what_the_running_transition_says() {
    for (rule, expected) in [
        (Interruption::Never, "b"),
        (Interruption::Target, "c"),
        (Interruption::Source, "d"),
        (Interruption::Both, "d"),
    ] {
        let layer = body()
            .state(clip("c"))
            .state(clip("d"))
            .transition(way("a", "b").fade(1.0).interrupted_by(rule).when("on", Test::Off))
            .transition(way("b", "c").when("on", Test::On))
            .transition(way("a", "d").when("on", Test::On).priority(1));
        let mut played = playing(layer);
        played.update(DT);
        assert_eq!(played.leading(0), "b");
        played.update(DT);
        played.state.set(played.graph.bool("on").unwrap(), true).unwrap();
        played.update(DT);
        assert_eq!(played.leading(0), expected, "{rule:?}");
        // Nothing jumps: the new state starts from nothing, over what was seen.
        let total: f32 = played.weights(0).iter().map(|(_, weight)| weight).sum();
        assert!((total - 1.0).abs() < 1.0e-6);
        assert_eq!(played.weights(0)[0], ("a", 0.875));
    }
}

#[test]
fn more_transitions_than_voices_leave_the_newest() {
    let mut layer = LayerParts::new("body").state(clip("0"));
    for i in 1..8 {
        layer = layer
            .state(clip(&i.to_string()))
            .transition(way(&(i - 1).to_string(), &i.to_string()).fade(10.0));
    }
    let mut played = playing(layer);
    for _ in 0..7 {
        played.update(DT);
        let total: f32 = played.weights(0).iter().map(|(_, weight)| weight).sum();
        assert!((total - 1.0).abs() < 1.0e-6);
    }
    assert_eq!(played.leading(0), "7");
    played.update(DT);
    assert_eq!(played.weights(0).iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["4", "5", "6", "7"]);
}

#[test]
fn any_state_leads_everywhere_but_where_it_is() {
    let layer =
        body().transition(way("*", "b").when("go", Test::On).fade(0.0)).transition(way("b", "a").exit(1.0));
    let mut played = playing(layer);
    let go = played.graph.trigger("go").unwrap();
    played.state.set(go, true).unwrap();
    played.update(DT);
    assert_eq!((played.leading(0), played.state.get(go)), ("b", Some(false)));
    played.state.set(go, true).unwrap();
    played.update(DT);
    // It does not start again, and the trigger waits.
    assert_eq!((played.leading(0), played.state.get(go)), ("b", Some(true)));
    assert_eq!(played.weights(0).len(), 1);
}

#[test]
fn a_group_is_left_and_entered_as_one() {
    let inner = LayerParts::new("inner")
        .state(clip("walk"))
        .state(clip("run"))
        .transition(way("walk", "run").when("on", Test::On).fade(0.0));
    let layer = LayerParts::new("body")
        .group("move", inner)
        .state(clip("jump").once())
        .transition(way("move", "jump").when("go", Test::On).fade(0.0))
        .transition(way("jump", "move").exit(1.0).fade(0.0));
    let mut played = playing(layer);
    let (go, on) = (played.graph.trigger("go").unwrap(), played.graph.bool("on").unwrap());
    assert_eq!(played.leading(0), "move/walk");
    played.state.set(on, true).unwrap();
    played.update(DT);
    assert_eq!(played.leading(0), "move/run");
    played.state.set(on, false).unwrap();
    played.state.set(go, true).unwrap();
    played.update(DT);
    assert_eq!(played.leading(0), "jump");
    played.update(1.0);
    assert_eq!(played.leading(0), "move/walk");
}

#[test]
fn states_in_step_keep_step_until_the_fade_is_over() {
    let layer = body().transition(way("a", "b").synced().exit(0.5).fade(0.5));
    let parts = GraphParts::new().layer(layer);
    let mut played =
        Played::new(Graph::new(&parts, |clip| Some(if clip == "a" { 1.0 } else { 0.5 })).unwrap());
    let mut together = 0;
    for _ in 0..48 {
        played.update(1.0 / 32.0);
        if let [a, b] = played.frame.entries() {
            assert!((a.to.progress_s() - b.to.progress_s()).abs() < 1.0e-12);
            together += 1;
        }
    }
    // The frame in which it starts, and sixteen of the fade.
    assert_eq!(together, 17);
}

#[test]
fn a_negative_speed_starts_at_the_end_and_runs_back() {
    let mut played = playing(LayerParts::new("body").state(clip("a").once().at_speed(-1.0)));
    played.update(0.25);
    assert_eq!(played.frame.entries()[0].to.progress_s(), 0.75);
    played.update(5.0);
    assert_eq!(played.frame.entries()[0].to, Playhead::default());
}

#[test]
fn a_speed_comes_from_a_parameter() {
    let mut played = playing(LayerParts::new("body").state(clip("a").speed_by("speed").at_speed(2.0)));
    let speed = played.graph.float("speed").unwrap();
    played.state.set(speed, 0.25).unwrap();
    played.update(0.5);
    assert_eq!(played.frame.entries()[0].to.progress_s(), 0.25);
    played.state.set(speed, f32::MAX).unwrap();
    played.update(1.0e300);
    assert!(played.frame.entries()[0].to.lap() > 0);
}

#[test]
fn a_damped_number_goes_half_the_way_in_its_half_life_whatever_the_steps_are() {
    for steps in [1, 2, 3, 10, 240] {
        let parts = GraphParts::new()
            .damped("x", 0.0, 0.5)
            .layer(LayerParts::new("body").state(StateParts::line("s", "x", &[(0.0, "a"), (1.0, "b")])));
        let mut played = Played::new(seconds(&parts));
        let x = played.graph.float("x").unwrap();
        played.state.set(x, 1.0).unwrap();
        for _ in 0..steps {
            played.update(0.5 / f64::from(steps));
        }
        let value = played.state.value(x).unwrap();
        assert!((value - 0.5).abs() < 1.0e-5, "{value} in {steps} steps");
        assert_eq!(played.state.get(x), Some(1.0));
    }
}

#[test]
fn a_damped_number_arrives() {
    let parts = GraphParts::new()
        .damped("x", 0.0, 0.25)
        .layer(LayerParts::new("body").state(StateParts::line("s", "x", &[(0.0, "a"), (1.0, "b")])));
    let mut played = Played::new(seconds(&parts));
    let x = played.graph.float("x").unwrap();
    // Steps that leave more than half of the way: rounding alone would never bring it there.
    for target in [1.1, -300.7, 1.0e-3, 0.0] {
        played.state.set(x, target).unwrap();
        for _ in 0..60 * 15 {
            played.update(1.0 / 60.0);
        }
        assert_eq!(played.state.value(x), Some(target));
    }
}

#[test]
fn a_one_shot_comes_and_goes_over_what_its_layer_plays() {
    let mut played = playing(LayerParts::new("body").state(clip("a")));
    let (layer, wave) = (played.graph.layer("body").unwrap(), played.graph.clip("wave").unwrap());
    let how = OneShot { fade_in_s: 0.25, fade_out_s: 0.5, ..OneShot::default() };
    played.state.play(&played.graph, layer, wave, how).unwrap();
    let mut seen = Vec::new();
    for _ in 0..9 {
        played.update(0.125);
        seen.push(played.weights(0).get(1).map_or(-1.0, |(_, weight)| *weight));
        let total: f32 = played.weights(0).iter().map(|(_, weight)| weight).sum();
        assert!((total - 1.0).abs() < 1.0e-6);
    }
    assert_eq!(seen, [0.5, 1.0, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0, -1.0]);
}

#[test]
fn a_layer_without_states_is_there_as_far_as_its_one_shots_are() {
    let parts = GraphParts::new()
        .clip("wave")
        .mask("arm", "arm", 0)
        .layer(LayerParts::new("body").state(clip("a")))
        .layer(LayerParts::new("arm").masked("arm"));
    let mut played = Played::new(seconds(&parts));
    played.update(0.125);
    assert!(!played.frame.is_layered());
    assert_eq!(played.frame.layers()[1].weight, 0.0);
    let (layer, wave) = (played.graph.layer("arm").unwrap(), played.graph.clip("wave").unwrap());
    let how = OneShot { fade_in_s: 0.5, repeat: Repeat::Loop, ..OneShot::default() };
    played.state.play(&played.graph, layer, wave, how).unwrap();
    played.update(0.125);
    assert_eq!((played.frame.layers()[1].weight, played.weights(1)), (0.25, vec![("wave", 1.0)]));
    assert!(played.frame.is_layered());
    assert_eq!(played.frame.mix(|clip| clip).entries()[1].mask, Some(1));
    // It goes on until it is stopped.
    played.update(7.3);
    assert_eq!(played.frame.layers()[1].weight, 1.0);
    played.state.stop(layer).unwrap();
    played.update(0.1);
    assert!((played.frame.layers()[1].weight - 0.5).abs() < 1.0e-6);
    played.update(0.1);
    played.update(0.1);
    assert_eq!((played.frame.layers()[1].weight, played.weights(1)), (0.0, vec![("wave", 0.0)]));
    played.update(0.1);
    assert!(played.weights(1).is_empty());
}

#[test]
fn a_long_step_tells_so_many_laps_and_counts_the_rest() {
    let mut played = playing(LayerParts::new("body").state(clip("a")));
    played.update(MAX_TOLD_LAPS as f64 + 10.5);
    assert_eq!(played.frame.skipped_loops(), 10);
    // The clip is where it is all the same.
    assert_eq!(played.frame.entries()[0].to.lap(), MAX_TOLD_LAPS as i64 + 10);
    played.update(64.0);
    assert_eq!(played.frame.skipped_loops(), 0);
}

#[test]
fn a_mix_takes_the_heaviest_where_there_are_too_many() {
    const POINTS: usize = 20;
    // On a circle every point has a band of its own around the centre, and near the centre all bands meet.
    let names: Vec<String> = (0..POINTS).map(|i| i.to_string()).collect();
    let at = |i: usize| {
        let angle = i as f64 / POINTS as f64 * core::f64::consts::TAU;
        [libm::cos(angle) as f32, libm::sin(angle) as f32]
    };
    let points: Vec<([f32; 2], &str)> = names.iter().enumerate().map(|(i, name)| (at(i), &**name)).collect();
    let ring = || StateParts::plane("ring", ["x", "y"], PlaneBlend::Bands, &points);
    let upper = LayerParts { weight: 0.75, ..LayerParts::new("upper").state(ring()) };
    let parts = GraphParts::new()
        .float("x", 0.0)
        .float("y", 0.0)
        .layer(LayerParts::new("body").state(ring()))
        .layer(upper.masked("all"))
        .mask("all", "hips", 0);
    let mut played = Played::new(seconds(&parts));
    let [x, y] = ["x", "y"].map(|name| played.graph.float(name).unwrap());
    let (mut rng, mut of_upper) = (Rng::new(3), 0);
    for _ in 0..50 {
        played.state.set(x, rng.signed() * 0.1).unwrap();
        played.state.set(y, rng.signed() * 0.1).unwrap();
        played.update(DT);
        // What is seen of an entry, which entry it is, and what a mix says of it.
        let layers = played.frame.layers();
        let seen = |(i, entry): (usize, &Entry)| {
            (entry.weight * layers[usize::from(entry.layer)].weight, i, (entry.clip, Some(entry.layer)))
        };
        let mut all: Vec<_> = played.frame.entries().iter().enumerate().map(seen).collect();
        all.retain(|(weight, ..)| *weight > 0.0);
        assert!(all.len() > 2 * Mix::MAX_ENTRIES, "only {} entries", all.len());
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut heaviest = all[..Mix::MAX_ENTRIES].to_vec();
        of_upper += heaviest.iter().filter(|(.., (_, layer))| *layer == Some(1)).count();
        heaviest.sort_by_key(|(_, i, _)| *i);
        let expected: Vec<_> = heaviest.iter().map(|(.., what)| *what).collect();
        let mix = played.frame.mix(|clip| clip);
        let found: Vec<_> = mix.entries().iter().map(|entry| (entry.clip as u16, entry.mask)).collect();
        assert_eq!(found, expected);
    }
    assert!(of_upper > 50, "{of_upper} entries of the layer that weighs less");
    // As many as there is room for are all taken.
    let few = LayerParts::new("body").state(StateParts::plane(
        "ring",
        ["x", "y"],
        PlaneBlend::Bands,
        &points[..Mix::MAX_ENTRIES],
    ));
    let mut played = Played::new(seconds(&GraphParts::new().float("x", 0.0).float("y", 0.0).layer(few)));
    played.update(DT);
    assert_eq!(played.frame.mix(|clip| clip).entries().len(), Mix::MAX_ENTRIES);
}

#[test]
fn masks_follow_names_and_come_in_over_joints() {
    let names = ["hips", "spine", "chest", "head", "leg"];
    let parents = [None, Some(0), Some(1), Some(2), Some(0)];
    let rest = [Transform::IDENTITY; 5];
    let skeleton = Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).unwrap();
    let rules = vec![
        MaskRule { joint: "spine".into(), weight: 0.75, falloff: 2 },
        MaskRule { joint: "head".into(), weight: 0.0, falloff: 0 },
    ];
    let parts = GraphParts::new()
        .mask_of(MaskParts { name: "upper".into(), rules })
        .mask("tail", "tail", 0)
        .layer(LayerParts::new("body").state(clip("a")))
        .layer(LayerParts::new("upper").masked("upper"))
        .layer(LayerParts::new("tail").masked("tail"));
    let graph = seconds(&parts);
    let mask = |name: &str| graph.mask(graph.mask_key(name).unwrap(), &skeleton);
    let weights = mask("upper").unwrap();
    assert_eq!(weights[0].0[..5], [0.0, 0.25, 0.5, 0.0, 0.0]);
    assert_eq!(mask("tail").unwrap_err(), StateError::Unknown { what: "joint", name: "tail".into() });
    assert_eq!(graph.masks(&skeleton), mask("tail").map(|mask| vec![mask]));
}

#[test]
fn numbers_that_are_none_and_keys_of_other_graphs_are_refused() {
    let mut played = playing(LayerParts::new("body").state(clip("a")));
    let speed = played.graph.float("speed").unwrap();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(played.state.set(speed, value), Err(StateError::Value(_))));
    }
    assert_eq!(played.state.get(speed), Some(1.0));
    let unknown = StateError::Unknown { what: "float parameter", name: "gait".into() };
    assert_eq!(played.graph.float("gait").unwrap_err(), unknown);
    let other = lissom_testkit::graphs::graph();
    let key = other.float("turn").unwrap();
    assert_eq!(played.state.set(key, 1.0), Err(StateError::OtherGraph));
    let error = other.update(&mut played.state, DT, &mut played.frame);
    assert_eq!(error, Err(StateError::OtherGraph));
    let how = OneShot { speed: 0.0, ..OneShot::default() };
    let (layer, wave) = (played.graph.layer("body").unwrap(), played.graph.clip("wave").unwrap());
    assert!(matches!(played.state.play(&played.graph, layer, wave, how), Err(StateError::Value(_))));
}

#[test]
fn a_changed_graph_takes_the_state_over_where_names_match() {
    let ways = |layer: LayerParts| layer.transition(way("a", "b").when("on", Test::On).fade(0.0));
    let mut played = playing(ways(body()));
    let on = played.graph.bool("on").unwrap();
    played.state.set(on, true).unwrap();
    played.state.set(played.graph.int("gait").unwrap(), 3).unwrap();
    played.update(DT);
    played.update(DT * 3.0);
    // A state more, in front; a parameter more, in front; one gone.
    let layer = LayerParts::new("body").state(clip("new")).state(clip("b")).transition(way("new", "b"));
    let parts = GraphParts::new().bool("early", true).float("speed", 7.0).int("gait", 0).layer(layer);
    let changed = seconds(&parts);
    let state = played.state.carried_over(&played.graph, &changed);
    assert_eq!(state.leading(&changed, 0), Some("b"));
    assert_eq!(state.get(changed.int("gait").unwrap()), Some(3));
    assert_eq!(state.get(changed.float("speed").unwrap()), Some(1.0));
    assert_eq!(state.get(changed.bool("early").unwrap()), Some(true));
    let mut again = Played { state, ..Played::new(changed) };
    again.update(0.0);
    assert_eq!(again.frame.entries()[0].to.progress_s(), 3.0 / 16.0);
    // To itself it is the same.
    let same = again.state.carried_over(&again.graph, &again.graph);
    assert_eq!(GraphState::read(&again.graph, &same.to_bytes()).unwrap(), same);
}

#[test]
fn the_same_graph_plays_other_clips() {
    let mut played = playing(LayerParts::new("body").state(clip("a")));
    let other = |name: &str| (name == "a").then(|| ("limp".into(), 2.0));
    played.graph = played.graph.with_clips(other).unwrap();
    played.update(0.5);
    assert_eq!(played.weights(0), [("limp", 1.0)]);
    assert_eq!(played.frame.entries()[0].to.progress_s(), 0.25);
    assert!(played.graph.with_clips(|_| Some(("x".into(), -1.0))).is_err());
}

#[test]
fn a_record_says_why_each_transition_is_taken_or_not() {
    let layer = body()
        .state(clip("c"))
        .transition(way("a", "b").when("on", Test::On).when("go", Test::On).fade(1.0))
        .transition(way("a", "c").exit(0.5))
        .transition(way("*", "b").when("gait", Test::Above(2.0)))
        .transition(way("b", "c").interrupted_by(Interruption::Never));
    let mut played = playing(layer);
    let why = |played: &Played| {
        let all = played.graph.why(&played.state, DT, 0).unwrap();
        all.iter().map(|why| format!("{} {} {:?}", why.from, why.to, why.verdict)).collect::<Vec<_>>()
    };
    let expected = [
        r#"a b Condition { number: 0, parameter: "on" }"#,
        "a c NotDue { at: 0.0625, exit: 0.5 }",
        r#"a b Condition { number: 0, parameter: "gait" }"#,
    ];
    assert_eq!(why(&played), expected);
    played.state.set(played.graph.bool("on").unwrap(), true).unwrap();
    assert!(why(&played)[0].ends_with(r#"{ number: 1, parameter: "go" }"#));
    played.state.set(played.graph.trigger("go").unwrap(), true).unwrap();
    played.state.set(played.graph.int("gait").unwrap(), 3).unwrap();
    let before = played.state.clone();
    let verdicts = played.graph.why(&played.state, DT, 0).unwrap();
    assert_eq!(verdicts.iter().map(|why| why.verdict).collect::<Vec<_>>()[0], Verdict::Taken);
    assert_eq!(verdicts[2].verdict, Verdict::Behind);
    // Looking changes nothing, and what it says comes true.
    assert_eq!(played.state, before);
    played.update(DT);
    assert_eq!(played.leading(0), "b");
    played.update(DT);
    assert_eq!(played.leading(0), "c");
    // What may not be interrupted blocks; a step of nothing starts nothing.
    assert_eq!(why(&played).len(), 1);
    assert!(why(&played)[0].starts_with("c b Blocked"));
    assert!(played.graph.why(&played.state, 0.0, 0).unwrap().is_empty());
    assert!(played.graph.why(&played.state, DT, 9).unwrap().is_empty());
    assert!(played.graph.why(&played.state, -1.0, 0).is_err());
}

#[test]
fn code_goes_to_any_state_and_transitions_wait() {
    let ways = body().state(clip("c").by_code()).transition(way("a", "b").when("on", Test::On).fade(0.0));
    let mut played = playing(ways);
    let layer = played.graph.layer("body").unwrap();
    let [b, c] = ["b", "c"].map(|name| played.graph.state_key(layer, name).unwrap());
    let on = played.graph.bool("on").unwrap();
    played.state.set(on, true).unwrap();
    let how = GoTo { fade_s: 0.5, fade: Fade::Linear, at: 0.25, ..GoTo::default() };
    played.state.go_to(&played.graph, b, GoTo::CUT).unwrap();
    played.state.go_to(&played.graph, c, how).unwrap();
    // It is part of the state until it is done; a step of 0 leaves it.
    played.update(0.0);
    assert_eq!(played.leading(0), "a");
    let saved = played.state.to_bytes();
    assert_eq!(GraphState::read(&played.graph, &saved).unwrap(), played.state);
    played.update(DT);
    assert_eq!(played.leading(0), "c", "the last one that was asked for, before the transition");
    played.update(0.25);
    assert_eq!(played.weights(0), [("a", 0.5), ("c", 0.5)]);
    let head = played.frame.entries()[1].to;
    assert!((head.progress_s() - 0.5).abs() < 1e-9, "a quarter, and a quarter of a second");
    let saved = played.state.to_bytes();
    assert_eq!(GraphState::read(&played.graph, &saved).unwrap(), played.state);
    // To itself: it starts again.
    played.state.go_to(&played.graph, c, GoTo::CUT).unwrap();
    played.update(DT);
    played.update(DT);
    assert_eq!(played.weights(0), [("c", 1.0)]);
    assert!((played.frame.entries()[0].to.progress_s() - DT).abs() < 1e-9);
}

#[test]
fn what_code_cannot_go_to_is_refused() {
    let moving = LayerParts::new("").state(clip("walk")).state(clip("run")).transition(way("walk", "run"));
    let mut played = playing(LayerParts::new("body").group("move", moving));
    let layer = played.graph.layer("body").unwrap();
    assert_eq!(played.graph.state_key(layer, "move"), played.graph.state_key(layer, "move/walk"));
    let unknown = StateError::Unknown { what: "state", name: "mov".into() };
    assert_eq!(played.graph.state_key(layer, "mov"), Err(unknown));
    let walk = played.graph.state_key(layer, "move/walk").unwrap();
    let before = played.state.clone();
    for how in [
        GoTo { fade_s: -1.0, ..GoTo::default() },
        GoTo { fade_s: f32::NAN, ..GoTo::default() },
        GoTo { at: 1.5, ..GoTo::default() },
    ] {
        assert!(matches!(played.state.go_to(&played.graph, walk, how), Err(StateError::Value(_))));
    }
    let how = GoTo { inertial: true, ..GoTo::default() };
    assert_eq!(played.state.go_to(&played.graph, walk, how), Err(StateError::NoInertia));
    let other = seconds(&GraphParts::new().layer(LayerParts::new("body").state(clip("a"))));
    assert_eq!(played.state.go_to(&other, walk, GoTo::CUT), Err(StateError::OtherGraph));
    assert_eq!(played.state, before);
    let parts = GraphParts::new().by_inertia().layer(LayerParts::new("body").state(clip("a")));
    let mut played = Played::new(seconds(&parts));
    let a = played.graph.state_key(played.graph.layer("body").unwrap(), "a").unwrap();
    played.state.go_to(&played.graph, a, how).unwrap();
    played.update(DT);
    assert_eq!(played.frame.inertia_s(), Some(0.2));
}

#[test]
fn a_hit_interrupts_a_hit_where_the_transition_says_so() {
    for again in [false, true] {
        let hit = way("*", "b").when("go", Test::On).fade(0.0);
        let hit = if again { hit.again() } else { hit };
        let mut played = playing(body().transition(hit).transition(way("b", "a").exit(1.0)));
        let go = played.graph.trigger("go").unwrap();
        played.state.set(go, true).unwrap();
        played.update(DT);
        played.update(0.5);
        played.state.set(go, true).unwrap();
        played.update(DT);
        played.update(DT);
        let into = played.frame.entries()[0].to.progress_s();
        let expected = if again { DT } else { 0.5 + 2.0 * DT };
        assert!((into - expected).abs() < 1e-9, "{again}: {into}");
        assert_eq!(played.state.get(go), Some(!again));
    }
}

#[test]
fn an_exit_may_lie_beyond_the_first_lap() {
    for (exit, expected) in [(0.5, 0.5), (1.0, 1.0), (2.0, 2.0), (2.5, 2.5), (3.0, 3.0)] {
        let ways = body().transition(way("a", "b").exit(exit)).transition(way("b", "a"));
        let mut played = playing(ways);
        let mut time_s = 0.0;
        while played.leading(0) == "a" {
            played.update(DT);
            time_s += DT;
            assert!(time_s < 5.0, "{exit}");
        }
        // With the step that passes it.
        assert!((time_s - expected).abs() < DT + 1e-9 && time_s >= expected, "{exit}: {time_s}");
    }
    // And in every lap after that.
    let ways = body().transition(way("a", "b").exit(1.5).when("on", Test::On)).transition(way("b", "a"));
    let mut played = playing(ways);
    (0..41).for_each(|_| played.update(DT));
    let on = played.graph.bool("on").unwrap();
    played.state.set(on, true).unwrap();
    played.update(0.9);
    assert_eq!(played.leading(0), "a", "at 3.4 laps");
    played.update(0.2);
    assert_eq!(played.leading(0), "b", "at 3.6 laps");
}
