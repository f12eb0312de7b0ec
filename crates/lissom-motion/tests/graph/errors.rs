//! What a description may not be.

use lissom_motion::{
    Graph, GraphParts,
    graph::{
        GraphError, LayerParts, MaskParts, MaskRule, Place, PlaneBlend, Problem, StateParts, Test,
        TransitionParts,
    },
};

fn error(parts: &GraphParts) -> GraphError {
    Graph::new(parts, |clip| (clip != "nothing").then_some(1.0)).unwrap_err()
}

/// A layer of two states, there and back.
fn layer() -> LayerParts {
    LayerParts::new("body")
        .state(StateParts::clip("idle", "idle"))
        .state(StateParts::clip("walk", "walk"))
        .transition(TransitionParts::new("idle", "walk").when("speed", Test::Above(0.1)))
        .transition(TransitionParts::new("walk", "idle").when("speed", Test::Below(0.1)))
}

fn parts(layer: LayerParts) -> GraphParts {
    GraphParts::new().float("speed", 0.0).trigger("jump").bool("aim", false).int("gait", 0).layer(layer)
}

#[test]
fn every_error_names_its_place_and_says_what_is_wrong() {
    assert!(Graph::new(&parts(layer()), |_| Some(1.0)).is_ok());
    let way = |from: &str, to: &str| TransitionParts::new(from, to);
    let cases: [(GraphParts, Place, &str); 30] = [
        (
            parts(layer().state(StateParts::clip("run", "nothing"))),
            Place::State(0, 2),
            r#"layer "body", state "run": there is no clip called "nothing""#,
        ),
        (
            parts(layer().state(StateParts::clip("run", "run"))),
            Place::State(0, 2),
            r#"layer "body", state "run": no transition leads here"#,
        ),
        (
            parts(layer().state(StateParts::clip("walk", "run"))),
            Place::State(0, 2),
            r#"layer "body", state "walk": there is another state of this name"#,
        ),
        (
            parts(layer().state(StateParts::clip("", "run"))),
            Place::State(0, 2),
            r#"layer "body", state "": a name may not be empty, nor "*""#,
        ),
        (
            parts(layer().transition(way("walk", "fly"))),
            Place::Transition(0, 2),
            r#"layer "body", transition from "walk" to "fly": there is no state called "fly""#,
        ),
        (
            parts(layer().transition(way("fly", "walk"))),
            Place::Transition(0, 2),
            r#"layer "body", transition from "fly" to "walk": there is no state called "fly""#,
        ),
        (
            parts(layer().transition(way("*", "walk").when("sped", Test::Above(1.0)))),
            Place::Condition(0, 2, 0),
            r#"layer "body", transition from "*" to "walk", condition 1: there is no parameter called "sped""#,
        ),
        (
            parts(layer().transition(way("*", "walk").when("jump", Test::Off))),
            Place::Condition(0, 2, 0),
            r#"layer "body", transition from "*" to "walk", condition 1: "jump" is a trigger; here it must be a bool"#,
        ),
        (
            parts(layer().transition(way("*", "walk").when("speed", Test::Above(f32::NAN)))),
            Place::Condition(0, 2, 0),
            r#"layer "body", transition from "*" to "walk", condition 1: `than` is NaN; allowed: a finite number"#,
        ),
        (
            parts(layer().transition(way("*", "walk").fade(-1.0))),
            Place::Transition(0, 2),
            r#"layer "body", transition from "*" to "walk": `fade_s` is -1; allowed: finite, at least 0"#,
        ),
        (
            parts(layer().transition(way("*", "walk").exit(-0.5))),
            Place::Transition(0, 2),
            r#"layer "body", transition from "*" to "walk": `exit` is -0.5; allowed: from 0 to 1,000,000"#,
        ),
        (parts(layer().masked("arms")), Place::Layer(0), r#"layer "body": there is no mask called "arms""#),
        (
            parts(layer().weighed_by("aim")),
            Place::Layer(0),
            r#"layer "body": "aim" is a bool; here it must be a float parameter"#,
        ),
        (
            parts(layer()).layer(layer()),
            Place::Layer(1),
            r#"layer "body": there is another layer of this name"#,
        ),
        (
            parts(layer()).float("speed", 1.0),
            Place::Parameter(4),
            r#"parameter "speed": there is another parameter of this name"#,
        ),
        (
            parts(layer()).float("far", f32::INFINITY),
            Place::Parameter(4),
            r#"parameter "far": `start` is inf; allowed: a finite number"#,
        ),
        (
            parts(layer()).damped("far", 0.0, -1.0),
            Place::Parameter(4),
            r#"parameter "far": `half_life_s` is -1; allowed: finite, at least 0"#,
        ),
        (
            parts(layer()).clip("nothing"),
            Place::Clip(0),
            r#"clip "nothing": there is no clip called "nothing""#,
        ),
        (
            parts(layer()).mask_of(MaskParts {
                name: "arms".into(),
                rules: vec![MaskRule { joint: "arm".into(), weight: 2.0, falloff: 0 }],
            }),
            Place::Mask(0),
            r#"mask "arms": `weight` is 2; allowed: in [0, 1]"#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::line("run", "speed", &[]))),
            Place::State(0, 0),
            r#"layer "body", state "run": a blend needs a clip"#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::line(
                "run",
                "speed",
                &[(0.0, "a"), (f32::NAN, "b")],
            ))),
            Place::Point(0, 0, 1),
            r#"layer "body", state "run", point 2: `at` is NaN; allowed: a finite number"#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::line("run", "speed", &[(1.0, "a"), (1.0, "b")]))),
            Place::State(0, 0),
            r#"layer "body", state "run": two clips stand at one place"#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::plane(
                "run",
                ["speed", "speed"],
                PlaneBlend::Delaunay,
                &[([0.0, 0.0], "a"), ([1.0, 1.0], "b"), ([2.0, 2.0], "c")],
            ))),
            Place::State(0, 0),
            r#"layer "body", state "run": triangles need three clips that are not in a line"#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::plane(
                "run",
                ["speed", "speed"],
                PlaneBlend::DirectionalBands,
                &[([1.0, 0.0], "a"), ([0.0, 1.0], "b")],
            ))),
            Place::State(0, 0),
            r#"layer "body", state "run": one clip must stand at (0, 0), where there is no direction"#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::direct("run", "a", &[]))),
            Place::State(0, 0),
            r#"layer "body", state "run": a blend needs a clip"#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::direct(
                "run",
                "a",
                &[("speed", "b"), ("sped", "b")],
            ))),
            Place::Point(0, 0, 1),
            r#"layer "body", state "run", point 2: there is no parameter called "sped""#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::direct("run", "nothing", &[("speed", "b")]))),
            Place::State(0, 0),
            r#"layer "body", state "run": there is no clip called "nothing""#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::direct("run", "a", &[("speed", "b"); 32]))),
            Place::State(0, 0),
            r#"layer "body", state "run": points: 33, but the limit is 32"#,
        ),
        (
            parts(
                LayerParts::new("body")
                    .state(StateParts::direct("run", "a", &[("speed", "b")]).keeping_speed()),
            ),
            Place::State(0, 0),
            r#"layer "body", state "run": weights of clips ask for no speed that could be kept"#,
        ),
        (
            parts(LayerParts::new("body").state(StateParts::clip("run", "run").at_speed(f32::NAN))),
            Place::State(0, 0),
            r#"layer "body", state "run": `speed` is NaN; allowed: a finite number"#,
        ),
    ];
    for (parts, place, text) in cases {
        let error = error(&parts);
        assert_eq!((error.place, &*error.to_string()), (place, text));
    }
}

#[test]
fn a_clip_of_no_length_that_time_has_is_refused() {
    let error = Graph::new(&parts(layer()), |_| Some(f64::NAN)).unwrap_err();
    assert!(matches!(error.problem, Problem::Value { field: "duration_s", .. }), "{error}");
}

#[test]
fn what_is_too_much_is_refused_before_it_is_made() {
    let mut many = layer();
    for i in 0..400 {
        many = many
            .state(StateParts::clip(&format!("s{i}"), "walk"))
            .transition(TransitionParts::new("*", &format!("s{i}")));
    }
    let error = error(&parts(many));
    assert!(matches!(error.problem, Problem::Limit { what: "transitions out of states", .. }), "{error}");
}
