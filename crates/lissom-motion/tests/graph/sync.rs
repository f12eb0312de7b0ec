//! Clips in step by the markers that they pass.

use super::{Played, ROUNDED, exact};
use lissom::track::Playhead;
use lissom_motion::{
    Graph, GraphParts,
    frame::Entry,
    graph::{ClipFacts, GraphError, LayerParts, Place, Problem, StateParts, Test, TransitionParts},
};
use lissom_testkit::rng::Rng;

/// When each clip passes left and right, and its length.
const GAITS: [(&str, f64, f64, f64); 3] =
    [("walk", 0.3, 0.8, 1.25), ("run", 0.5, 0.1, 0.75), ("limp", 0.0, 1.5, 2.0)];

fn facts(clip: &str) -> Option<ClipFacts> {
    let markers = |all: &[(f64, &str)]| Some(all.iter().map(|(at, name)| (*at, (*name).into())).collect());
    Some(match GAITS.iter().find(|(name, ..)| *name == clip) {
        Some((_, left, right, duration_s)) => {
            ClipFacts { markers: markers(&[(*left, "left"), (*right, "right")]), ..(*duration_s).into() }
        }
        None => ClipFacts { markers: markers(&[(0.2, "left")]), ..4.0.into() },
    })
}

fn graph(layer: LayerParts) -> Result<Graph, GraphError> {
    let parts = GraphParts::new().float("speed", 0.0).trigger("go").float("pace", 1.0).layer(layer);
    Graph::new(&parts.in_step_by(&["left", "right"]), facts)
}

fn gaits() -> StateParts {
    StateParts::line("gaits", "speed", &[(0.0, "idle"), (1.0, "walk"), (2.0, "run"), (3.0, "limp")])
}

/// Where a gait is between its markers: 0 to 1 from left to right, 1 to 2 from right to left.
fn way(played: &Played, entry: &Entry) -> Option<f64> {
    let name = &*played.graph.clips()[usize::from(entry.clip)].name;
    let (_, left, right, duration_s) = GAITS.iter().find(|(own, ..)| *own == name)?;
    let lap = |from: f64, to: f64| (to - from).rem_euclid(*duration_s);
    let since_left = lap(*left, entry.ratio() * duration_s);
    let to_right = lap(*left, *right);
    Some(if since_left < to_right {
        since_left / to_right
    } else {
        1.0 + (since_left - to_right) / (duration_s - to_right)
    })
}

/// The largest distance between two gaits that are played, as parts of a lap.
fn apart(played: &Played) -> f64 {
    let ways: Vec<f64> = played.frame.entries().iter().filter_map(|entry| way(played, entry)).collect();
    ways.iter().flat_map(|a| ways.iter().map(move |b| (a - b).rem_euclid(2.0))).fold(0.0, |most, apart| {
        let apart = if apart > 1.0 { 2.0 - apart } else { apart };
        if apart > most { apart } else { most }
    })
}

#[test]
fn a_clip_alone_plays_as_it_was_made_from_the_first_marker() {
    for (name, left, _, duration_s) in GAITS {
        let mut rng = Rng::new(1);
        let state = StateParts::clip("alone", name).speed_by("pace");
        let mut played = Played::new(graph(LayerParts::new("body").state(state)).unwrap());
        let pace = played.graph.float("pace").unwrap();
        let (mut time_s, mut bound_s) = (left, 1e-9);
        for _ in 0..2000 {
            let (speed, dt_s) = (rng.range(-1.0, 3.0), rng.unit_f64() * 0.3);
            played.state.set(pace, speed).unwrap();
            played.update(dt_s);
            time_s += dt_s * f64::from(speed);
            bound_s += (dt_s * duration_s + f64::from(speed.abs())) * ROUNDED;
            let is = played.frame.entries()[0].ratio() * duration_s;
            let off = (is - time_s).rem_euclid(duration_s);
            assert!(off < bound_s || duration_s - off < bound_s, "{name}: {is} at {time_s}");
        }
    }
}

#[test]
fn feet_come_down_together_whatever_the_weights() {
    let mut played = Played::new(graph(LayerParts::new("body").state(gaits())).unwrap());
    let speed = played.graph.float("speed").unwrap();
    let (mut rng, mut both) = (Rng::new(2), 0);
    for _ in 0..5000 {
        if rng.one_in(5) {
            played.state.set(speed, rng.range(0.0, 3.0)).unwrap();
        }
        played.update(rng.unit_f64() * 0.1);
        both +=
            usize::from(played.frame.entries().iter().filter_map(|entry| way(&played, entry)).count() > 1);
        assert!(apart(&played) < 1e-9, "{}", apart(&played));
    }
    assert!(both > 1000, "{both}");
    // Without them they are at the same share of their length, and their feet are not.
    let parts = GraphParts::new().float("speed", 1.5).layer(LayerParts::new("body").state(gaits()));
    let mut plain = Played::new(Graph::new(&parts, facts).unwrap());
    plain.update(0.2);
    assert!(apart(&plain) > 0.1, "{}", apart(&plain));
}

#[test]
fn a_blend_takes_the_mean_time_of_each_part() {
    let mut played = Played::new(graph(LayerParts::new("body").state(gaits())).unwrap());
    let speed = played.graph.float("speed").unwrap();
    played.state.set(speed, 1.25).unwrap();
    let mut bound = 1e-9;
    // From left to right: 0.5 s of the walk, 0.35 of the run; from right to left 0.75 and 0.4.
    for (dt_s, expected) in
        [(0.5 * 0.75 + 0.35 * 0.25, 1.0), (0.75 * 0.75 + 0.4 * 0.25, 0.0), (10.0 * 1.125, 0.0)]
    {
        played.update(dt_s);
        bound += 2.0 * (dt_s + 1.0) * ROUNDED;
        let at = way(&played, &played.frame.entries()[0]).unwrap();
        let off = (at - expected + 1.0).rem_euclid(2.0) - 1.0;
        assert!(off.abs() < bound, "{at}, not {expected}");
    }
}

#[test]
fn a_transition_in_step_keeps_them_together() {
    let go = |from: &str, to: &str| TransitionParts::new(from, to).when("go", Test::On).fade(0.6).synced();
    let layer = LayerParts::new("body")
        .state(StateParts::clip("walk", "walk"))
        .state(StateParts::clip("run", "run"))
        .transition(go("walk", "run"))
        .transition(go("run", "walk").inertial());
    let mut played = Played::new(graph(layer).unwrap());
    let trigger = played.graph.trigger("go").unwrap();
    let (mut rng, mut both) = (Rng::new(3), 0);
    for _ in 0..3000 {
        if rng.one_in(40) {
            played.state.set(trigger, true).unwrap();
        }
        played.update(rng.unit_f64() * 0.05);
        both += usize::from(played.frame.entries().len() > 1);
        assert!(apart(&played) < 1e-9, "{}", apart(&played));
    }
    assert!(both > 300, "{both}");
}

/// What was covered in a step begins where the step before ended, and steps in small parts lead where one long step does.
#[test]
fn steps_meet_and_compose() {
    let rising = |a: Playhead, b: Playhead| (b.lap() - a.lap()) as f64 + b.progress_s() - a.progress_s();
    let mut rng = Rng::new(4);
    for round in 0..200 {
        let mut fine = Played::new(graph(LayerParts::new("body").state(gaits())).unwrap());
        let speed = fine.graph.float("speed").unwrap();
        fine.state.set(speed, rng.range(0.0, 3.0)).unwrap();
        fine.update(rng.unit_f64());
        let mut long = Played::new(fine.graph.clone());
        long.state = fine.state.clone();
        let (mut total_s, mut ends): (f64, Vec<Playhead>) =
            (0.0, fine.frame.entries().iter().map(|entry| entry.to).collect());
        for _ in 0..50 {
            let dt_s = exact(if rng.one_in(4) { 1e-9 } else { rng.unit_f64() * 0.2 });
            fine.update(dt_s);
            total_s += dt_s;
            for (entry, end) in fine.frame.entries().iter().zip(&ends) {
                assert_eq!(entry.from, *end);
                assert!(entry.to >= entry.from);
            }
            ends = fine.frame.entries().iter().map(|entry| entry.to).collect();
        }
        long.update(total_s);
        for (entry, end) in long.frame.entries().iter().zip(&ends) {
            assert!(rising(entry.to, *end).abs() < 1e-9, "{round}: {:?} {end:?}", entry.to);
        }
        let state = fine.state.clone();
        fine.update(0.0);
        assert_eq!(fine.state, state);
    }
}

#[test]
fn what_does_not_pass_them_goes_evenly_and_what_keeps_nothing_in_step_is_refused() {
    let mut played = Played::new(graph(LayerParts::new("body").state(gaits())).unwrap());
    let known = |name: &str| {
        played.graph.is_in_step(played.graph.clips().iter().position(|c| *c.name == *name).unwrap())
    };
    assert_eq!([known("idle"), known("walk"), known("run")], [Some(false), Some(true), Some(true)]);
    assert_eq!(played.graph.is_in_step(99), None);
    // The idle clip, of 4 seconds, from its start.
    for i in 1..10 {
        played.update(0.3);
        assert!((played.frame.entries()[0].ratio() - 0.075 * f64::from(i)).abs() < 1e-9);
    }

    let body = || LayerParts::new("body").state(gaits());
    let refused = |sync: &[&str]| {
        let parts = GraphParts::new().float("speed", 0.0).layer(body()).in_step_by(sync);
        Graph::new(&parts, facts).unwrap_err()
    };
    let error = refused(&["left", "rihgt"]);
    assert_eq!((error.place, &error.problem), (Place::Sync(0), &Problem::Sync), "{error}");
    assert_eq!(refused(&["left", "left"]).place, Place::Sync(1));
    assert_eq!(refused(&["left", ""]).problem, Problem::NoName);
    let many: Vec<String> = (0..9).map(|i| i.to_string()).collect();
    let many: Vec<&str> = many.iter().map(|name| &**name).collect();
    assert!(matches!(refused(&many).problem, Problem::Limit { allowed: 8, .. }));
    // Where nothing is known of markers, nothing can be said.
    let parts = GraphParts::new().float("speed", 0.0).layer(body()).in_step_by(&["left", "rihgt"]);
    assert!(Graph::new(&parts, |_| Some(1.0)).is_ok());
}
