//! Graphs as files: what may stand in one, where an error is, and how one gets into an archive and out again.

use lissom::archive::Archive;
use lissom_build::{
    cook::{ClipBuilder, Effort},
    export::{write_glb, write_glb_onto},
    graph,
    import::{ImportLimits, gltf, lsm},
    mannequin::{self, Detail},
    pipeline::{Cooked, Input, InputError, Options, Plan, serial, unwatched},
};
use lissom_motion::{
    Graph, GraphParts,
    graph::{
        ConditionParts, FeetParts, LayerParts, MatchedParts, MontageParts, MotionParts, Next, RootUse,
        StateParts, Test, TransitionParts,
    },
};
use lissom_testkit::{graphs, hostile};
use std::path::Path;

const BVH: &[u8] =
    b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition JOINT arm { OFFSET 0 1 0 CHANNELS 1 Xrotation \
                     End Site { OFFSET 0 1 0 } } } MOTION Frames: 3 Frame Time: 0.5 0 1 1 0 2 0";

const HERO: &str = r#"{
  "parameters": { "go": { "bool": false } },
  "layers": [
    {
      "name": "body",
      "states": [
        { "name": "stand", "clip": "walk", "speed": 0 },
        { "name": "move", "clip": "walk" }
      ],
      "transitions": [
        { "from": "stand", "to": "move", "when": { "go": true } },
        { "from": "move", "to": "stand", "when": { "go": false }, "fade_s": 0.3 }
      ]
    }
  ]
}"#;

fn cook(graphs: Vec<Input<'_>>, inputs: &[Input<'_>]) -> Cooked {
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let plan = Plan::new(Options { graphs, cook, ..Options::default() }).unwrap();
    plan.cook(inputs, &serial, &mut unwatched).unwrap()
}

fn hero() -> Vec<u8> {
    let cooked =
        cook(vec![Input::bytes("some/hero.graph.json", HERO.as_bytes())], &[Input::bytes("walk.bvh", BVH)]);
    assert_eq!(cooked.graphs[0].as_ref().unwrap(), "hero");
    cooked.archive.unwrap()
}

#[test]
fn the_published_schema_is_what_the_reader_follows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/graph.schema.json");
    if std::env::var_os("LISSOM_BLESS").is_some() {
        std::fs::write(&path, graph::schema()).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap();
    assert!(published == graph::schema(), "docs/graph.schema.json is old: run this test with LISSOM_BLESS=1");
    // An editor finds every table that the schema refers to.
    let schema: serde_json::Value = serde_json::from_str(&published).unwrap();
    let mut open = vec![&schema];
    let mut references = 0;
    while let Some(value) = open.pop() {
        if let Some(to) = value["$ref"].as_str() {
            let name = to.strip_prefix("#/$defs/").unwrap();
            assert!(schema["$defs"][name].is_object(), "there is no {name}");
            references += 1;
        }
        open.extend(value.as_object().into_iter().flat_map(|fields| fields.values()));
        open.extend(value.as_array().into_iter().flatten());
    }
    assert!(references > 10, "{references} references");
}

/// What mutations start from has everything in it.
#[test]
fn every_key_of_a_graph_stands_in_a_hostile_seed() {
    let seeds: Vec<String> = (hostile::target("graph_json").seeds)()
        .into_iter()
        .map(|seed| String::from_utf8(seed.bytes).unwrap())
        .collect();
    let schema: serde_json::Value = serde_json::from_str(&graph::schema()).unwrap();
    let tables = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    let keys: Vec<&String> =
        tables.flat_map(|table| table["properties"].as_object().unwrap().keys()).collect();
    assert!(keys.len() > 80, "{} keys", keys.len());
    for key in keys {
        let said = format!("\"{key}\":");
        assert!(seeds.iter().any(|seed| seed.contains(&said)), "no seed has the key {key}");
    }
}

#[test]
fn what_is_written_is_read_back_in_json_and_in_bytes() {
    let mut twice = graphs::parts();
    let once = StateParts::clip("hold", "idle").once().at_speed(-0.125);
    let asked = TransitionParts::new("*", "hold").when("gait", Test::IsNot(1)).when("gait", Test::IsNot(2));
    twice.layers[0] = twice.layers[0].clone().state(once).transition(asked);
    let more = graphs::parts().curve("lift", -0.5).in_step_by(&["left", "right"]).handed_over();
    let mut steered = graphs::parts();
    let uses = [RootUse::Ignore, RootUse::Horizontal, RootUse::Scaled(-0.5)];
    for (i, root) in uses.into_iter().enumerate() {
        let state = StateParts::clip(&format!("door {i}"), "idle").by_code().root(root);
        let state = state.starting_at(i as f32 * 0.25).time_by("pace");
        steered.layers[0] = steered.layers[0].clone().state(state);
    }
    let weights = StateParts::direct("face", "idle", &[("pace", "walk"), ("x", "run")]).own_time("run");
    steered.layers[0] = steered.layers[0].clone().state(weights.by_code());
    let combo = MontageParts::new("combo", "jump").section("a", 0.0).then(Next::Section("c".into()));
    let combo = combo.section("b", 0.25).then(Next::End).section("c", 0.5).root(RootUse::Scaled(0.5));
    let sections =
        graphs::parts().montage(combo).montage(MontageParts::new("wave", "wave").section("all", 0.0));
    for parts in [graphs::parts(), twice, more, steered, sections, GraphParts::new()] {
        let text = graph::to_json(&parts);
        let file = graph::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(*file.parts(), parts, "{text}");
        assert_eq!(GraphParts::read(&parts.to_bytes()).as_ref(), Ok(&parts));
        let length = |clip: &str| Some(0.5 + clip.len() as f64);
        assert_eq!(file.check(length).unwrap(), Graph::new(&parts, length).unwrap());
    }
}

#[test]
fn groups_are_what_the_builder_makes_of_them() {
    let text = r#"{ "parameters": { "up": "trigger" }, "layers": [{ "name": "l", "states": [
        { "name": "g", "states": [{ "name": "a", "clip": "c" }, { "name": "h", "states": [{ "name": "b", "clip": "c" }] }],
          "transitions": [{ "from": "*", "to": "h", "when": { "up": true } }, { "from": "h/b", "to": "a", "exit": 1 }] }
    ] }] }"#;
    let inner = LayerParts::new("g")
        .state(StateParts::clip("a", "c"))
        .group("h", LayerParts::new("h").state(StateParts::clip("b", "c")))
        .transition(TransitionParts::new("*", "h").when("up", Test::On))
        .transition(TransitionParts::new("h/b", "a").exit(1.0));
    let parts = GraphParts::new().trigger("up").layer(LayerParts::new("l").group("g", inner));
    let file = graph::read(text.as_bytes()).unwrap();
    assert_eq!(*file.parts(), parts);
    file.check(|_| Some(1.0)).unwrap();
}

/// The text before `!` is right; what follows it is wrong, and must be named by the line and column of the mark.
#[test]
fn every_error_has_its_line_and_column() {
    let whole = |layer: &str| {
        format!(
            "{{ \"parameters\": {{ \"x\": {{ \"float\": 0 }}, \"t\": \"trigger\" }},\n\"layers\": [\n{layer}\n] }}"
        )
    };
    let states = |states: &str| whole(&format!("{{ \"name\": \"l\", \"states\": [\n{states}\n] }}"));
    let ways = |ways: &str| {
        whole(&format!(
            "{{ \"name\": \"l\", \"states\": [{{ \"name\": \"a\", \"clip\": \"c\" }}],\n\"transitions\": [\n{ways}\n] }}"
        ))
    };
    let cases = [
        ("{ \"layers\": [] !\"a\" }".into(), "expected `,` or `}`"),
        ("!".into(), "EOF while parsing a value"),
        ("![]".into(), "a graph is an object: { ... }"),
        ("!{}".into(), "a graph needs a key \"layers\""),
        (
            "{ \"layers\": [],\n\"layer\": ![] }".into(),
            "a graph has no key \"layer\"; did you mean \"layers\"?",
        ),
        ("{ \"layers\": [],\n\"layers\": ![] }".into(), "\"layers\" stands here twice"),
        ("{ \"layers\": !{} }".into(), "\"layers\": it must be a list: [ ... ]"),
        (
            "{ \"layers\": [], \"parameters\": { \"a\": !\"tigger\" } }".into(),
            "\"a\": \"tigger\" is not known; it must be \"trigger\"; did you mean \"trigger\"?",
        ),
        (
            "{ \"layers\": [], \"parameters\": {\n\"a\": !{ \"int\": 1, \"bool\": true } } }".into(),
            "a parameter has exactly one of \"float\", \"int\", \"bool\", \"curve\"",
        ),
        (
            "{ \"layers\": [], \"parameters\": { \"a\": !{ \"int\": 1, \"half_life_s\": 1 } } }".into(),
            "a parameter with \"half_life_s\" needs \"float\" too",
        ),
        (
            "{ \"layers\": [], \"parameters\": { \"a\": { \"int\": !1.5 } } }".into(),
            "\"int\": it must be a whole number from -2147483648 to 2147483647",
        ),
        (whole("{ \"name\": \"l\", \"weight\": !2 }"), "\"weight\": it must be a number from 0 to 1"),
        (whole("!{ \"name\": \"l\", \"mask\": \"m\" }"), "layer \"l\": there is no mask called \"m\""),
        (
            states("!{ \"name\": \"a\" }"),
            "a state has exactly one of \"clip\", \"line\", \"plane\", \"direct\", \"matched\", \"states\"",
        ),
        (
            states("{ \"name\": \"a\", \"clip\": \"c\" },\n!{ \"name\": \"b\", \"clip\": \"c\" }"),
            "layer \"l\", state \"b\": no transition leads here",
        ),
        (
            states(
                "{ \"name\": \"a\", \"line\": \"x\", \"points\": [{ \"at\": 0, \"clip\": \"c\" },\n !{ \"at\": 1, \"clip\": \"none\" }] }",
            ),
            "layer \"l\", state \"a\", point 2: there is no clip called \"none\"",
        ),
        (
            states(
                "{ \"name\": \"a\", \"line\": \"x\", \"points\": [!{ \"at\": [0, 1], \"clip\": \"c\" }] }",
            ),
            "on a line, \"at\" is one number",
        ),
        (
            states(
                "{ \"name\": \"ä\", \"plane\": [\"x\", \"x\"], \"points\": [!{ \"at\": 1, \"clip\": \"c\" }] }",
            ),
            "in a plane, \"at\" is two numbers: [x, y]",
        ),
        (
            ways("!{ \"from\": \"a\", \"to\": \"b\" }"),
            "layer \"l\", transition from \"a\" to \"b\": there is no state called \"b\"",
        ),
        (
            ways(
                "{ \"from\": \"a\", \"to\": \"a\", \"when\": { \"x\": { \"above\": 1 },\n\"t\": !{ \"below\": 2 } } }",
            ),
            "layer \"l\", transition from \"a\" to \"a\", condition 2: \"t\" is a trigger; here it must be a float or an int",
        ),
        (
            ways("{ \"from\": \"a\", \"to\": \"a\", \"when\": { \"x\": !{} } }"),
            "a condition asks something: { \"above\": 2 }",
        ),
        (
            ways("{ \"from\": \"a\", \"to\": \"a\", \"fade_s\": !-1 }"),
            "\"fade_s\": it must be a number, at least 0",
        ),
        (
            ways("{ \"from\": \"a\", \"to\": \"a\", \"exit\": !1e99 }"),
            "\"exit\": it must be a number from 0 to 1000000",
        ),
    ];
    for (text, reason) in cases {
        let text: String = text;
        let (before, after) = text.split_once('!').unwrap();
        let file = graph::read(format!("{before}{after}").as_bytes());
        let error =
            file.and_then(|file| file.check(|clip| (clip != "none").then_some(1.0)).map(drop)).unwrap_err();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        assert_eq!(error.reason, reason, "{text}");
        // Where text ends too early, the parser stands at its last character.
        if !reason.starts_with("EOF") {
            assert_eq!((error.line, error.column), (line, column), "{text}: {reason}");
        }
    }
    let deep = format!(
        "{{ \"layers\": [{{ \"name\": \"l\", \"states\": [{}",
        "{ \"name\": \"a\", \"states\": [".repeat(12)
    );
    let deep = format!("{deep}{}] }}] }}", "] }".repeat(12));
    let error = graph::read(deep.as_bytes()).unwrap_err();
    assert_eq!(error.reason, "groups within groups may be 8 deep");
}

/// A graph with one rule.
fn ruled(rule: &str) -> String {
    format!(
        r#"{{ "parameters": {{ "on": {{ "bool": false }}, "n": {{ "int": 0 }} }}, "layers": [{{ "name": "l",
        "states": [{{ "name": "a", "clip": "c" }}, {{ "name": "b", "clip": "c" }}],
        "transitions": [{{ "from": "a", "to": "b", "if": {rule} }}] }}] }}"#
    )
}

#[test]
fn rules_of_rules_are_read_and_written() {
    let text = ruled(
        r#"{ "any": [{ "when": { "on": true } }, { "all": [{ "after_s": 2.5 }, { "after_laps": 3 }] },
        { "not": { "layer": "l", "state": "b" } }] }"#,
    );
    let file = graph::read(text.as_bytes()).unwrap();
    let both = [ConditionParts::AfterSeconds(2.5), ConditionParts::AfterLaps(3.0)];
    let expected = ConditionParts::Any(vec![
        ConditionParts::parameter("on", Test::On),
        ConditionParts::All(both.into()),
        ConditionParts::state("l", "b").negated(),
    ]);
    assert_eq!(file.parts().layers[0].transitions[0].only_if, Some(expected));
    file.check(|_| Some(1.0)).unwrap();
    let again = graph::read(graph::to_json(file.parts()).as_bytes()).unwrap();
    assert_eq!(again.parts(), file.parts());

    let nested = |levels: usize| {
        ruled(&format!("{}{{ \"after_s\": 1 }}{}", "{ \"not\": ".repeat(levels), " }".repeat(levels)))
    };
    graph::read(nested(7).as_bytes()).unwrap().check(|_| Some(1.0)).unwrap();
    let wrong = [
        (nested(8), "rules within rules may be 8 deep"),
        (ruled(r#"{ "state": "b" }"#), "a rule with \"state\" needs \"layer\" too"),
        (ruled(r#"{ "one_shot": true }"#), "a rule with \"one_shot\" needs \"layer\" too"),
        (
            ruled(r#"{ "layer": "l", "after_s": 1 }"#),
            "a rule with \"layer\" needs \"state\" or \"one_shot\" too",
        ),
        (
            ruled(r#"{ "when": { "on": true, "n": { "is": 1 } } }"#),
            "a rule asks one thing; \"all\" is for more",
        ),
        (ruled(r#"{ "when": { } }"#), "a rule asks one thing; \"all\" is for more"),
        (ruled(r#"{ "after_s": -1 }"#), "\"after_s\": it must be a number, at least 0"),
    ];
    for (text, reason) in wrong {
        assert_eq!(graph::read(text.as_bytes()).unwrap_err().reason, reason, "{text}");
    }
    let one_shot = |clip: Option<&str>| ConditionParts::one_shot("l", clip);
    for (text, expected) in [
        (r#"{ "layer": "l", "one_shot": true }"#, one_shot(None)),
        (r#"{ "layer": "l", "one_shot": false }"#, one_shot(None).negated()),
        (r#"{ "layer": "l", "one_shot": "wave" }"#, one_shot(Some("wave"))),
    ] {
        let file = graph::read(ruled(text).as_bytes()).unwrap();
        assert_eq!(file.parts().layers[0].transitions[0].only_if.as_ref(), Some(&expected));
        file.check(|_| Some(1.0)).unwrap();
        assert_eq!(graph::read(graph::to_json(file.parts()).as_bytes()).unwrap().parts(), file.parts());
    }
    let unknown = graph::read(ruled(r#"{ "layer": "l", "state": "c" }"#).as_bytes()).unwrap();
    let error = unknown.check(|_| Some(1.0)).unwrap_err();
    assert!(error.line == 3 && error.reason.contains("there is no state called \"c\""), "{error}");
}

#[test]
fn a_graph_goes_into_the_archive_with_its_clips_or_there_is_no_archive() {
    let archive = Archive::read(&hero()).unwrap();
    let graph = Graph::load(&archive, "hero").unwrap();
    assert_eq!(graph.clips()[0].duration_s, archive.clip("walk").unwrap().view().duration_s());
    let missing = Graph::load(&archive, "zero").unwrap_err().to_string();
    assert_eq!(missing, "there is no Graph section called \"zero\"; there are \"hero\"");

    let other = HERO.replace("\"move\", \"clip\": \"walk\"", "\"move\", \"clip\": \"run\"");
    let cooked = cook(vec![Input::bytes("hero.json", other.as_bytes())], &[Input::bytes("walk.bvh", BVH)]);
    assert!(cooked.archive.is_none() && cooked.inputs[0].is_ok());
    let error = cooked.graphs[0].as_ref().unwrap_err();
    assert!(matches!(error, InputError::Graph { .. }));
    let text = "hero.json: line 8, column 9: layer \"body\", state \"move\": there is no clip called \"run\"";
    assert_eq!(error.to_string(), text);
    let options = Options { graphs: vec![Input::bytes("hero.json", b"{ }")], ..Options::default() };
    let error = Plan::new(options).unwrap_err().to_string();
    assert_eq!(error, "hero.json: line 1, column 1: a graph needs a key \"layers\"");
}

/// A recipe says that a graph is like another one, with other clips.
#[test]
fn a_graph_like_another_plays_other_clips_in_the_same_states() {
    let limp = BVH.to_vec();
    let inputs = [Input::bytes("walk.bvh", BVH), Input::bytes("limp.bvh", &limp)];
    let cooked = |graphs: Vec<Input<'_>>, inputs: &[Input<'_>], recipe: &str| {
        let recipe = lissom_build::recipe::read(recipe.as_bytes()).unwrap();
        let options = Options { graphs, ..recipe.options() };
        Plan::new(options).unwrap().cook(inputs, &serial, &mut unwatched).unwrap()
    };
    let hero = || vec![Input::bytes("hero.json", HERO.as_bytes())];
    let recipe = "effort = 'fast'\n[graph.tired]\nof = 'hero'\nclips = { walk = 'limp' }\n\
        [graph.old]\nof = 'tired'\nclips = { limp = 'walk' }";
    let archive = cooked(hero(), &inputs, recipe).archive.unwrap();
    let names = |archive: &[u8]| {
        let archive = Archive::read(archive).unwrap();
        ["hero", "tired", "old"].map(|name| {
            let graph = Graph::load(&archive, name).unwrap();
            assert_eq!(graph.state_names(0).collect::<Vec<_>>(), ["stand", "move"]);
            graph.clips()[0].name.to_string()
        })
    };
    assert_eq!(names(&archive), ["walk", "limp", "walk"]);
    // One that came along with an input is as good, and one of the recipe takes the place of one that came.
    let again = recipe
        .replace("'limp'", "'walk'")
        .replace("limp = ", "walk = ")
        .replace("of = 'tired'", "of = 'hero'");
    let again = cooked(Vec::new(), &[Input::bytes("all.lsm", &archive)], &again).archive.unwrap();
    assert_eq!(names(&again), ["walk", "walk", "walk"]);

    let made = lissom::archive::AlignedBytes::copy_of(&archive);
    let unchanged = |recipe: &str| {
        let recipe = lissom_build::recipe::read(recipe.as_bytes()).unwrap();
        Plan::new(Options { graphs: hero(), ..recipe.options() }).unwrap().is_unchanged(&made, &inputs)
    };
    assert!(unchanged(recipe) && unchanged(&format!("\n{recipe}")));
    assert!(!unchanged(&recipe.replace("walk = 'limp'", "walk = 'walk'")));

    for (says, wrong) in [
        (
            "[graph.b]\nof = 'heros'\nclips = { walk = 'limp' }",
            r#"line 1: graph "b": there is no graph called "heros" (did you mean "hero"?)"#,
        ),
        (
            "[graph.b]\nof = 'hero'\nclips = { wlak = 'limp' }",
            r#"line 1: graph "b": the graph "hero" plays no clip called "wlak" (did you mean "walk"?)"#,
        ),
        (
            "[graph.b]\nof = 'hero'\nclips = { walk = 'lmp' }",
            r#"line 1: graph "b": layer "body", state "stand": there is no clip called "lmp" (did you mean "limp"?)"#,
        ),
        (
            "\n[graph.hero]\nof = 'hero'\nclips = { walk = 'limp' }",
            r#"line 2: graph "hero": there is another graph of this name"#,
        ),
    ] {
        let cooked = cooked(hero(), &inputs, &format!("{says}\n"));
        assert!(cooked.archive.is_none() && cooked.graphs[0].is_ok());
        assert_eq!(cooked.graphs[1].as_ref().unwrap_err().to_string(), wrong);
    }
}

#[test]
fn an_archive_is_made_again_when_its_graph_has_changed() {
    let archive = lissom::archive::AlignedBytes::copy_of(&hero());
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let inputs = [Input::bytes("walk.bvh", BVH)];
    let unchanged = |graph: &str| {
        let graphs = vec![Input::bytes("hero.graph.json", graph.as_bytes())];
        let options = Options { graphs, cook: cook.clone(), ..Options::default() };
        Plan::new(options).unwrap().is_unchanged(&archive, &inputs)
    };
    assert!(unchanged(HERO));
    assert!(!unchanged(&HERO.replace("0.3", "0.4")));
}

#[test]
fn imported_again_and_exported_an_archive_keeps_its_graphs() {
    let (first, limits) = (hero(), ImportLimits::default());
    let parts = graph::read(HERO.as_bytes()).unwrap().parts().clone();
    let scene = lsm::read(&first, &limits).unwrap();
    assert_eq!((scene.graphs.len(), &scene.graphs[0].parts), (1, &parts));

    let again = cook(Vec::new(), &[Input::bytes("hero.lsm", &first)]).archive.unwrap();
    let loaded = Graph::load(&Archive::read(&again).unwrap(), "hero").unwrap();
    assert_eq!(loaded, Graph::load(&Archive::read(&first).unwrap(), "hero").unwrap());

    // One that is given takes the place of one that comes along.
    let other = HERO.replace("0.3", "0.75");
    let graphs = vec![Input::bytes("hero.json", other.as_bytes())];
    let new = cook(graphs, &[Input::bytes("hero.lsm", &first)]).archive.unwrap();
    let new = lsm::read(&new, &limits).unwrap();
    assert_eq!((new.graphs.len(), new.graphs[0].parts.layers[0].transitions[1].fade_s), (1, 0.75));

    let glb = write_glb(&scene).unwrap();
    let mut none = |_: &str| unreachable!("it names no files");
    let back = gltf::read(&glb, &mut none, &limits).unwrap();
    assert_eq!((back.graphs.len(), &back.graphs[0].parts), (1, &parts));
    let bare = lissom_build::scene::Scene { graphs: Vec::new(), ..scene.clone() };
    let (onto, _) = write_glb_onto(&write_glb(&bare).unwrap(), &mut none, &scene).unwrap();
    let back = gltf::read(&onto, &mut none, &limits).unwrap();
    assert_eq!((back.graphs.len(), &back.graphs[0].parts), (1, &parts));
}

#[test]
fn a_graph_follows_clips_that_get_another_name() {
    let first = hero();
    let both = cook(Vec::new(), &[Input::bytes("walk.bvh", BVH), Input::bytes("hero.lsm", &first)]);
    let scene = lsm::read(&both.archive.unwrap(), &ImportLimits::default()).unwrap();
    let names: Vec<_> = scene.animations.iter().map(|a| a.motion.name.as_str()).collect();
    let state = &scene.graphs[0].parts.layers[0].states[1];
    assert_eq!(state.motion, MotionParts::Clip(names[1].into()));
    assert_eq!(names[0], "walk");
}

#[test]
fn transitions_without_states_are_written_as_they_were_read() {
    let text = r#"{ "layers": [{ "name": "l", "states": [], "transitions": [{ "from": "a", "to": "b", "exit": 1 }] }] }"#;
    let file = graph::read(text.as_bytes()).unwrap();
    assert_eq!(file.parts().layers[0].transitions.len(), 1);
    let again = graph::read(graph::to_json(file.parts()).as_bytes()).unwrap();
    assert_eq!(again.parts(), file.parts());
}

#[test]
fn a_matched_state_is_read_written_and_checked_beside_databases() {
    let own = MatchedParts {
        responsiveness: "quick".into(),
        transition_cost: 0.25.into(),
        search_s: 0.2,
        sharp_mps: 2.0,
        blend_s: 0.5,
        ..MatchedParts::new("gaits", ["aside", "ahead"]).facing("face").tagged(&["calm", "low"])
    };
    let names = ["aside", "ahead", "face", "quick"];
    let parts = names.iter().fold(GraphParts::new(), |parts, name| parts.float(name, 0.0));
    let parts = parts.layer(LayerParts::new("body").state(StateParts::matched("move", own)));
    let text = graph::to_json(&parts);
    let file = graph::read(text.as_bytes()).unwrap();
    assert_eq!(file.parts(), &parts);
    // Feet: as usual, and otherwise.
    let contacts = ["left_on", "right_on"].map(String::from);
    for (feet, said) in [
        (FeetParts::default(), r#""feet": true"#),
        (FeetParts { contacts, release_s: 0.5, reach_m: 0.125 }, r#""reach_m": 0.125"#),
    ] {
        let mut holding = parts.clone();
        let MotionParts::Matched(own) = &mut holding.layers[0].states[0].motion else { unreachable!() };
        own.feet = Some(feet);
        let text = graph::to_json(&holding);
        assert!(text.contains(said), "{text}");
        let file = graph::read(text.as_bytes()).unwrap();
        assert_eq!(file.parts(), &holding);
        assert_eq!(GraphParts::read(&holding.to_bytes()).as_ref(), Ok(&holding));
        // Of skeletons that are known, one has legs.
        let scene = mannequin::game_scene(&[], &Detail::default()).unwrap();
        assert!(file.check_with(&graph::Known::of(&scene)).is_ok());
        let mut tail = scene.clone();
        tail.skeletons[0]
            .skeleton
            .joints
            .iter_mut()
            .enumerate()
            .for_each(|(i, joint)| joint.name = format!("j{i}"));
        let wrong = file.check_with(&graph::Known::of(&tail)).unwrap_err();
        assert!(
            wrong.to_string().contains(r#"state "move": it holds feet, but no joint is known"#),
            "{wrong}"
        );
        let mut known = graph::Known::of(&tail);
        known.add(&scene);
        assert!(file.check_with(&known).is_ok());
    }
    let wrong = graph::read(text.replace(r#""blend_s": 0.5"#, r#""feet": { "reach_m": -1 }"#).as_bytes());
    assert!(wrong.unwrap_err().reason.contains("reach_m"));
    // Nobody knows the databases: then they are not checked. Else they are, at the line of the state.
    assert!(file.check_with(&graph::Known::default()).is_ok());
    let known = graph::Known { databases: Some(Default::default()), ..graph::Known::default() };
    let wrong = file.check_with(&known).unwrap_err().to_string();
    assert!(wrong.ends_with(r#"state "move": there is no database called "gaits""#), "{wrong}");
    let wrong = graph::read(text.replace(r#""gaits""#, "3").as_bytes()).unwrap_err();
    assert!(wrong.reason.contains("it must be a text"), "{wrong}");
    let wrong = graph::read(text.replace(r#""blend_s""#, r#""blend""#).as_bytes()).unwrap_err();
    assert!(wrong.reason.contains("blend"), "{wrong}");
}
