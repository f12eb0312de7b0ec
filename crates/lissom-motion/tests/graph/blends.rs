//! How the clips of a blend share time: laps, own times, speeds, and the speed that is asked for.

use super::Played;
use lissom_motion::{
    Graph, GraphParts, GraphState,
    graph::{ClipFacts, KeepSpeed, LayerParts, MotionParts, PlaneBlend, PointParts, Problem, StateParts},
};

/// An idle of 7 s, a walk of 1 s that goes 1.2 m, a run of 0.6 s that goes 2.4 m, steps to the left and right of 0.8 s and 0.8 m.
fn facts(clip: &str) -> Option<ClipFacts> {
    let (duration_s, travel_m) = match clip {
        "idle" => (7.0, [0.0; 3]),
        "walk" => (1.0, [0.0, 0.0, 1.2]),
        "run" => (0.6, [0.0, 0.0, 2.4]),
        "left" => (0.8, [0.8, 0.0, 0.0]),
        _ => (0.8, [-0.8, 0.0, 0.0]),
    };
    Some(ClipFacts { travel_m, ..duration_s.into() })
}

fn playing(state: StateParts) -> Played {
    let parts =
        GraphParts::new().float("speed", 0.0).float("left", 0.0).layer(LayerParts::new("body").state(state));
    Played::new(Graph::new(&parts, facts).unwrap())
}

fn gaits() -> StateParts {
    StateParts::line("move", "speed", &[(0.0, "idle"), (1.2, "walk"), (4.0, "run")])
}

fn set(played: &mut Played, parameter: &str, value: f32) {
    let key = played.graph.float(parameter).unwrap();
    played.state.set(key, value).unwrap();
}

/// Where a clip is, in laps.
fn at(played: &Played, clip: &str) -> f64 {
    let is_it =
        |entry: &&lissom_motion::frame::Entry| &*played.graph.clips()[usize::from(entry.clip)].name == clip;
    let entry = played.frame.entries().iter().find(is_it).unwrap();
    entry.to.lap() as f64 + entry.to.progress_s()
}

/// Metres per second of the blend, over some laps: its clips travel by their weights.
fn velocity(played: &mut Played) -> [f64; 3] {
    let (mut way, steps) = ([0.0; 3], 4096);
    for _ in 0..steps {
        played.update(1.0 / 256.0);
        for entry in played.frame.entries() {
            let clip = facts(&played.graph.clips()[usize::from(entry.clip)].name).unwrap();
            let laps = (entry.to.lap() - entry.from.lap()) as f64
                + (entry.to.progress_s() - entry.from.progress_s());
            way = core::array::from_fn(|i| way[i] + clip.travel_m[i] * laps * f64::from(entry.weight));
        }
    }
    way.map(|v| v / (f64::from(steps) / 256.0))
}

fn speed(played: &mut Played) -> f64 {
    velocity(played).iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn a_clip_in_its_own_time_does_not_slow_the_others_down() {
    let mut shared = playing(gaits());
    set(&mut shared, "speed", 0.6);
    shared.update(0.5);
    assert!((at(&shared, "walk") - 0.5 / 4.0).abs() < 1e-9 && at(&shared, "idle") == at(&shared, "walk"));

    let mut own = playing(gaits().own_time("idle"));
    set(&mut own, "speed", 0.6);
    for i in 1..=20 {
        own.update(0.5);
        assert!((at(&own, "walk") - 0.5 * f64::from(i)).abs() < 1e-9);
        assert!((at(&own, "idle") - 0.5 / 7.0 * f64::from(i)).abs() < 1e-9);
    }
    // What a frame covered begins where the frame before ended.
    let before: Vec<_> = own.frame.entries().iter().map(|entry| entry.to).collect();
    own.update(0.25);
    assert_eq!(own.frame.entries().iter().map(|entry| entry.from).collect::<Vec<_>>(), before);
    // It is part of the state: what was saved goes on in the same way.
    let saved = own.state.to_bytes();
    own.update(0.25);
    let frame = own.frame.clone();
    own.state = GraphState::read(&own.graph, &saved).unwrap();
    own.update(0.25);
    assert_eq!(own.frame, frame);
}

#[test]
fn a_point_has_a_speed_of_its_own() {
    let points = vec![PointParts::new(0.0, "walk").at_speed(2.0), PointParts::new(1.0, "run")];
    let line = |points| StateParts::new("move", MotionParts::Line { by: "speed".into(), points });
    let mut played = playing(line(points.clone()));
    played.update(0.125);
    assert!((at(&played, "walk") - 0.25).abs() < 1e-9);
    set(&mut played, "speed", 0.5);
    played.update(0.125);
    // A lap takes the mean of half a second and 0.6 s.
    assert!((at(&played, "walk") - (0.25 + 0.125 / 0.55)).abs() < 1e-9);
    let mut own = playing(line(vec![points[0].clone().own_time(), points[1].clone()]));
    own.update(0.125);
    assert!((at(&own, "walk") - 0.25).abs() < 1e-9);
}

#[test]
fn a_blend_keeps_the_speed_that_is_asked_for() {
    for asked in [0.1_f32, 0.3, 0.6, 1.2, 2.0, 2.6, 3.4, 4.0] {
        let mut played = playing(gaits().own_time("idle").keeping_speed());
        set(&mut played, "speed", asked);
        let made = speed(&mut played);
        assert!((made - f64::from(asked)).abs() < 1e-3, "{asked}: {made}");
    }
    // Without it, what lies between a walk and a run is too fast: the lap is not as long as the two together say.
    let mut plain = playing(gaits().own_time("idle"));
    set(&mut plain, "speed", 2.6);
    let made = speed(&mut plain);
    assert!((made - 2.6).abs() > 0.1, "{made}");
}

#[test]
fn in_a_plane_the_direction_is_kept_too() {
    let points = [
        ([0.0, 0.0], "idle"),
        ([0.0, 1.2], "walk"),
        ([1.0, 0.0], "left"),
        ([-1.0, 0.0], "right"),
        ([0.0, 4.0], "run"),
    ];
    let plane = StateParts::plane("move", ["left", "speed"], PlaneBlend::Delaunay, &points);
    // The last three lie outside of the clips, where the blend plays faster.
    let asked = [(0.5_f32, 0.0_f32), (0.4, 0.4), (0.2, 2.0), (0.0, 3.0), (0.9, 0.1)];
    for (x, y) in asked.into_iter().chain([(1.2, 0.6), (-0.9, 2.0), (0.1, 5.0)]) {
        let mut played = playing(plane.clone().own_time("idle").keeping_speed());
        set(&mut played, "left", x);
        set(&mut played, "speed", y);
        let [made_x, _, made_y] = velocity(&mut played);
        let off = libm::hypot(made_x - f64::from(x), made_y - f64::from(y));
        assert!(off < 1e-3, "{x} {y} was asked for, {made_x} {made_y} made");
    }
}

#[test]
fn the_rate_stays_within_its_bounds() {
    let line = StateParts::line("move", "speed", &[(1.2, "walk"), (4.0, "run")]);
    for (asked, expected) in [(0.1_f32, 0.6), (1.0, 1.0), (6.0, 6.0), (9.0, 6.0)] {
        let mut played = playing(line.clone().keeping_speed());
        set(&mut played, "speed", asked);
        let made = speed(&mut played);
        assert!((made - expected).abs() < 0.01, "{asked}: {made}");
    }
    let narrow = KeepSpeed { slowest: 1.0, fastest: 1.0 };
    let mut played = playing(StateParts { keep_speed: Some(narrow), ..line.clone() });
    set(&mut played, "speed", 0.1);
    assert!((speed(&mut played) - 1.2).abs() < 0.01);
    // Where nothing travels, nothing changes.
    let still = StateParts::line("still", "speed", &[(0.0, "idle"), (1.0, "idle")]).keeping_speed();
    let mut played = playing(still);
    set(&mut played, "speed", 0.5);
    played.update(0.7);
    assert!((at(&played, "idle") - 0.1).abs() < 1e-9);
}

#[test]
fn what_cannot_be_played_is_refused() {
    let refused = |state: StateParts| {
        let parts = GraphParts::new().float("speed", 0.0).layer(LayerParts::new("body").state(state));
        Graph::new(&parts, facts).unwrap_err().problem
    };
    let on_a_clip = refused(StateParts::clip("walk", "walk").keeping_speed());
    assert!(matches!(on_a_clip, Problem::Points(_)), "{on_a_clip:?}");
    for (slowest, fastest, field) in
        [(0.0, 1.5, "slowest"), (1.1, 1.5, "slowest"), (0.5, 0.9, "fastest"), (0.5, f32::NAN, "fastest")]
    {
        let keep_speed = Some(KeepSpeed { slowest, fastest });
        let problem = refused(StateParts { keep_speed, ..gaits() });
        assert!(matches!(problem, Problem::Value { field: f, .. } if f == field), "{problem:?}");
    }
    for speed in [0.0, -1.0, f32::INFINITY] {
        let points = vec![PointParts::new(0.0, "walk").at_speed(speed)];
        let problem = refused(StateParts::new("move", MotionParts::Line { by: "speed".into(), points }));
        assert!(matches!(problem, Problem::Value { field: "speed", .. }), "{problem:?}");
    }
}
