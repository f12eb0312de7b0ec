//! `lissom graph`, and graphs in `import`, `check`, `export`.

use crate::common::{bad, bvh, folder, good, json, text, write};
use lissom::archive::{AlignedBytes, Archive, ArchiveView, Limits};
use lissom_motion::Animator;
use std::fs;
use std::path::Path;

const HERO: &str = r#"{
  "parameters": { "go": { "bool": false }, "speed": { "float": 1, "half_life_s": 0.1 } },
  "layers": [{ "name": "body", "states": [
    { "name": "stand", "clip": "wave", "speed": 0 },
    { "name": "move", "clip": "wave", "speed_from": "speed" }
  ], "transitions": [
    { "from": "stand", "to": "move", "when": { "go": true } },
    { "from": "*", "to": "stand", "when": { "go": false } }
  ] }]
}"#;

/// The one that the page shows plays on the mannequin, as the page says.
#[test]
fn the_graph_of_the_page_plays_the_mannequin() {
    let root = folder("graph_page");
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/GRAPHS.md")).unwrap();
    let graph = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let file = write(root.join("hero.json"), graph);
    let (glb, archive) = (text(&root.join("hero.glb")), text(&root.join("hero.lsm")));
    good(&["mannequin", "-o", &glb]);
    let checked = good(&["graph", "check", &file, "--clips", &glb]);
    assert!(
        checked.contains("whole: graph \"hero\", 3 parameters, 2 layers, 4 states, 6 transitions, 7 clips"),
        "{checked}"
    );
    good(&[
        "import",
        &glb,
        "--root-motion",
        "--graph",
        &file,
        "-o",
        &archive,
        "--effort",
        "fast",
        "--no-mesh",
    ]);
    good(&["check", &archive]);
    let held = good(&["graph", "check", &archive]);
    assert!(held.contains("whole: graph \"hero\""), "{held}");
    let archive = Archive::open(&archive).unwrap();
    let mut hero = Animator::new(&archive, "hero").unwrap();
    let (speed, turn) = (hero.graph().float("speed").unwrap(), hero.graph().trigger("turn").unwrap());
    hero.play("wave").on("upper_body").fade(0.2).start().unwrap();
    // Between the gaits, and below the slowest.
    for wanted in [2.0, 0.6] {
        hero.set(speed, wanted).unwrap();
        (0..60).for_each(|_| hero.update(1.0 / 60.0).unwrap());
        assert_eq!(hero.state().leading(hero.graph(), 0), Some("move"));
        let steps = (0..60).map(|_| {
            hero.update(1.0 / 60.0).unwrap();
            hero.root_delta().translation[2]
        });
        let way: f64 = steps.sum();
        assert!((way - f64::from(wanted)).abs() < 0.05, "{way} m in a second, {wanted} m/s wanted");
    }
    hero.trigger(turn).unwrap();
    (0..10).for_each(|_| hero.update(1.0 / 60.0).unwrap());
    assert_eq!(hero.state().leading(hero.graph(), 0), Some("turn"));
}

/// The mannequin's own: an archive that a game plays at once.
#[test]
fn the_mannequin_as_an_archive_has_a_graph() {
    let file = text(&folder("graph_mannequin").join("mannequin.lsm"));
    good(&["mannequin", "-o", &file, "--body-m", "0.04", "--hand-m", "0.012"]);
    good(&["check", &file]);
    let held = good(&["graph", "check", &file]);
    assert!(held.contains("whole: graph \"mannequin\""), "{held}");
    let archive = Archive::open(&file).unwrap();
    let mut hero = Animator::new(&archive, "mannequin").unwrap();
    hero.set(hero.graph().float("ahead").unwrap(), 1.32).unwrap();
    let steps = (0..240).map(|_| {
        hero.update(1.0 / 60.0).unwrap();
        (
            hero.root_delta().translation[2],
            hero.events().filter(|e| e.marker().is_some_and(|m| m.name == "step_left")).count(),
        )
    });
    let (way, left) = steps.fold((0.0, 0), |(way, left), (step, events)| (way + step, left + events));
    assert!((4.5..5.5).contains(&way), "{way} m in 4 s");
    assert!((3..=5).contains(&left), "{left} steps of the left foot");
}

#[test]
fn check_names_line_and_clip_and_what_was_meant() {
    let root = folder("graph_check");
    let clips = write(root.join("wave.bvh"), bvh(1, 12));
    let whole = write(root.join("hero.json"), HERO);
    good(&["graph", "check", &whole]);
    good(&["graph", "check", &whole, "--clips", &clips]);
    let wrong = write(
        root.join("wrong.json"),
        HERO.replace("\"move\", \"clip\": \"wave\"", "\"move\", \"clip\": \"wvae\""),
    );
    // Without clips nobody can say that one is not there.
    good(&["graph", "check", &wrong]);
    let (out, _) = bad(1, &["graph", "check", &wrong, "--clips", &clips]);
    let reason = "line 5, column 5: layer \"body\", state \"move\": there is no clip called \"wvae\" (did you mean \"wave\"?)";
    assert!(out.contains(reason), "{out}");
    let (out, _) = bad(1, &["graph", "check", &whole, &wrong, "--clips", &clips, "--json"]);
    let report = json(&out);
    assert!(report["graphs"][0]["error"].is_null());
    assert_eq!(
        (&report["graphs"][1]["error"]["line"], &report["graphs"][1]["states"]),
        (&5.into(), &2.into())
    );
    let nonsense = write(root.join("nonsense.json"), "{\n  \"layer\": [] }");
    assert!(
        bad(1, &["graph", "check", &nonsense]).0.contains("line 2, column 12: a graph has no key \"layer\"")
    );

    let archive = text(&root.join("hero.lsm"));
    let (_, error) = bad(1, &["import", &clips, "--graph", &wrong, "-o", &archive]);
    assert!(error.contains("wrong.json: line 5, column 5: "), "{error}");
    assert!(!Path::new(&archive).exists(), "an archive without its graph is none");
    let folder_out = format!("{}/", text(&root.join("out")));
    assert!(
        bad(2, &["import", &clips, "--graph", &whole, "-o", &folder_out])
            .1
            .contains("a graph needs one archive")
    );
}

/// Every part of a graph on a line of its own.
const WHOLE: &str = r#"{
  "parameters": {
    "speed": { "float": 0, "half_life_s": 0.1 },
    "gait": { "int": 0 },
    "aim": { "bool": false },
    "jump": "trigger"
  },
  "masks": {
    "arms": [{ "joint": "hand", "falloff": 1 }]
  },
  "clips": ["wave"],
  "montages": {
    "combo": { "clip": "wave", "sections": [
      { "name": "first", "next": "second" },
      { "name": "second", "from": 0.25 },
      { "name": "third", "from": 0.5, "next": false }
    ] }
  },
  "layers": [
    {
      "name": "body",
      "states": [
        { "name": "idle", "clip": "wave" },
        { "name": "move", "line": "speed", "keep_speed": true, "points": [
          { "at": 0, "clip": "wave", "own_time": true },
          { "at": 1, "clip": "wave" }
        ] },
        { "name": "door", "clip": "wave", "time_from": "speed", "by_code": true }
      ],
      "transitions": [
        { "from": "idle", "to": "move", "when": { "speed": { "above": 0.1 } } },
        { "from": "move", "to": "idle", "when": { "aim": false }, "fade_s": 0.2 },
        { "from": "*", "to": "idle", "when": { "jump": true }, "exit": 0.9 },
        { "from": "idle", "to": "idle", "if": { "layer": "arms", "one_shot": "wave" } }
      ]
    },
    { "name": "arms", "mask": "arms", "weight": 0.5 }
  ]
}"#;

/// What somebody may write instead, and what they are told at that line.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "\"next\": \"second\"",
        "\"next\": \"secnod\"",
        "montage \"combo\", section \"first\": there is no section called \"secnod\" (did you mean \"second\"?)",
    ),
    (
        "\"from\": 0.25",
        "\"from\": 0",
        "section \"second\": `from` is 0; allowed: behind the section before, below 1",
    ),
    ("\"next\": false", "\"next\": 0", "\"next\": it must be a text, or true or false"),
    ("{ \"float\": 0,", "{ \"flaot\": 0,", "a parameter has no key \"flaot\"; did you mean \"float\"?"),
    ("\"jump\": \"trigger\"", "\"jump\": \"triger\"", "\"triger\" is not known; it must be \"trigger\""),
    ("{ \"int\": 0 }", "{ \"int\": 0.5 }", "\"int\": it must be a whole number"),
    ("{ \"bool\": false }", "{ \"bool\": 0 }", "\"bool\": it must be true or false"),
    ("\"gait\": {", "\"speed\": {", "\"speed\" stands here twice"),
    ("\"half_life_s\": 0.1", "\"half_life_s\": -1", "\"half_life_s\": it must be a number, at least 0"),
    ("\"hand\"", "\"hnad\"", "there is no joint called \"hnad\" (did you mean \"hand\"?)"),
    ("\"falloff\": 1", "\"falloff\": -1", "\"falloff\": it must be a whole number"),
    (
        "\"clips\": [\"wave\"]",
        "\"clips\": [\"wvae\"]",
        "there is no clip called \"wvae\" (did you mean \"wave\"?)",
    ),
    ("\"name\": \"idle\", \"clip\"", "\"name\": \"\", \"clip\"", "a name may not be empty"),
    (
        "\"weight\": 0.5 }",
        "\"weight\": 0.5 }, { \"name\": \"arms\" }",
        "layer \"arms\": there is another layer of this name",
    ),
    ("\"mask\": \"arms\"", "\"mask\": \"amrs\"", "there is no mask called \"amrs\" (did you mean \"arms\"?)"),
    ("\"weight\": 0.5", "\"weight\": 1.5", "\"weight\": it must be a number from 0 to 1"),
    (
        "\"idle\", \"clip\": \"wave\"",
        "\"idle\", \"clip\": \"wvae\"",
        "state \"idle\": there is no clip called \"wvae\" (did you mean \"wave\"?)",
    ),
    (
        "\"idle\", \"clip\": \"wave\"",
        "\"idle\", \"clip\": \"wave\", \"line\": \"speed\"",
        "a state has exactly one of \"clip\", \"line\", \"plane\", \"direct\", \"matched\", \"states\"",
    ),
    ("\"idle\", \"clip\"", "\"idle\", \"clp\"", "a state has no key \"clp\"; did you mean \"clip\"?"),
    (
        "\"line\": \"speed\"",
        "\"line\": \"sped\"",
        "there is no parameter called \"sped\" (did you mean \"speed\"?)",
    ),
    ("\"line\": \"speed\"", "\"line\": \"aim\"", "\"aim\" is a bool; here it must be a float parameter"),
    ("\"at\": 1, \"clip\"", "\"at\": [0, 1], \"clip\"", "on a line, \"at\" is one number"),
    ("\"at\": 1, \"clip\": \"wave\"", "\"at\": 1", "a point needs a key \"clip\""),
    ("\"name\": \"door\"", "\"name\": \"move\"", "there is another state of this name"),
    (", \"by_code\": true", "", "state \"door\": no transition leads here"),
    (
        "\"time_from\": \"speed\"",
        "\"time_from\": \"sped\"",
        "there is no parameter called \"sped\" (did you mean \"speed\"?)",
    ),
    (
        "\"time_from\": \"speed\"",
        "\"time_from\": \"speed\", \"speed\": 2",
        "a state whose time is a parameter has no speed",
    ),
    (
        "\"clip\": \"wave\", \"time_from\": \"speed\"",
        "\"direct\": \"wave\", \"points\": [{ \"at\": 1, \"clip\": \"idle\" }]",
        "its weight is a parameter: \"by\"",
    ),
    (
        "\"clip\": \"wave\", \"time_from\": \"speed\"",
        "\"clip\": \"wave\", \"keep_speed\": true",
        "only a blend has a speed to keep",
    ),
    ("\"by_code\": true", "\"by_code\": true, \"start\": 2", "\"start\": it must be a number from 0 to 1"),
    (
        "\"by_code\": true",
        "\"by_code\": true, \"root_motion\": \"ingore\"",
        "\"ingore\" is not known; it must be",
    ),
    (
        "\"idle\", \"to\": \"move\"",
        "\"idle\", \"to\": \"mvoe\"",
        "there is no state called \"mvoe\" (did you mean \"move\"?)",
    ),
    (
        "\"from\": \"move\"",
        "\"from\": \"mvoe\"",
        "there is no state called \"mvoe\" (did you mean \"move\"?)",
    ),
    (
        "{ \"speed\": { \"above\": 0.1 } }",
        "{ \"speed\": true }",
        "\"speed\" is a float; here it must be a bool",
    ),
    (
        "{ \"speed\": { \"above\": 0.1 } }",
        "{ \"sped\": { \"above\": 0.1 } }",
        "there is no parameter called \"sped\" (did you mean \"speed\"?)",
    ),
    ("\"fade_s\": 0.2", "\"fade_s\": -1", "\"fade_s\": it must be a number, at least 0"),
    ("\"exit\": 0.9", "\"exit\": -0.5", "\"exit\": it must be a number from 0"),
    (
        "\"layer\": \"arms\", \"one",
        "\"layer\": \"amrs\", \"one",
        "there is no layer called \"amrs\" (did you mean \"arms\"?)",
    ),
    (
        "\"one_shot\": \"wave\"",
        "\"one_shot\": \"wvae\"",
        "there is no clip called \"wvae\" (did you mean \"wave\"?)",
    ),
    ("\"to\": \"idle\", \"if\"", "\"to\": \"idle\" \"if\"", "expected `,` or `}`"),
];

#[test]
fn each_mistake_of_a_broken_graph_is_explained_at_its_line() {
    let root = folder("graph_broken");
    let clips = write(root.join("wave.bvh"), bvh(1, 12));
    good(&["graph", "check", &write(root.join("whole.json"), WHOLE), "--clips", &clips]);
    let mut files = Vec::new();
    for (number, (old, new, _)) in BROKEN.iter().enumerate() {
        assert_eq!(WHOLE.matches(old).count(), 1, "{old}");
        files.push(write(root.join(format!("{number:02}.json")), WHOLE.replace(old, new)));
    }
    let mut arguments = vec!["graph", "check", "--clips", &clips];
    arguments.extend(files.iter().map(String::as_str));
    let (out, _) = bad(1, &arguments);
    for (number, (old, _, reason)) in BROKEN.iter().enumerate() {
        let line = WHOLE[..WHOLE.find(old).unwrap()].matches('\n').count() + 1;
        let place = format!("{number:02}.json: line {line}, column ");
        let told = out.lines().find(|told| told.contains(&place));
        assert!(told.is_some_and(|told| told.contains(reason)), "{place}{reason}, in\n{out}");
    }
}

#[test]
fn a_recipe_brings_graphs_and_exports_keep_them() {
    let root = folder("graph_recipe");
    let clips = write(root.join("wave.bvh"), bvh(1, 12));
    write(root.join("graphs/hero.graph.json"), HERO);
    write(root.join("lissom.toml"), "graphs = [\"graphs/hero.graph.json\"]\neffort = \"fast\"\n");
    let archive = text(&root.join("out.lsm"));
    good(&["import", &clips, "-o", &archive]);
    let checked = good(&["graph", "check", &archive]);
    assert!(
        checked.contains("whole: graph \"hero\", 2 parameters, 1 layer, 2 states, 2 transitions, 1 clip"),
        "{checked}"
    );
    let (glb, again) = (text(&root.join("back.glb")), text(&root.join("again/hero.lsm")));
    good(&["export", &archive, "-o", &glb]);
    fs::create_dir_all(root.join("again")).unwrap();
    write(root.join("again/lissom.toml"), "effort = \"fast\"\n");
    good(&["import", &glb, "-o", &again]);
    assert_eq!(good(&["graph", "check", &again]).replace("again/hero", "out"), checked);
}

#[test]
fn a_first_graph_is_made_of_the_names_of_clips() {
    let root = folder("graph_new");
    let (glb, graph) = (text(&root.join("hero.glb")), text(&root.join("hero.json")));
    good(&["mannequin", "-o", &glb, "--body-m", "0.04", "--hand-m", "0.012"]);
    let said = good(&["graph", "new", &glb, "-o", &graph]);
    for words in [
        "graph \"hero\"",
        "idle: state \"idle\"",
        "walk: at 1.32 m/s",
        "left out",
        "performance",
        "see it: lissom render",
    ] {
        assert!(said.contains(words), "{words} is missing from:\n{said}");
    }
    good(&["graph", "check", &graph, "--clips", &glb]);
    let picture = text(&root.join("hero.png"));
    good(&[
        "render",
        &glb,
        "--graph",
        &graph,
        "--set",
        "ahead=1.3",
        "--set",
        "jump@1",
        "--seconds",
        "2",
        "-o",
        &picture,
    ]);
    // What somebody has edited is not written over.
    assert!(bad(2, &["graph", "new", &glb, "-o", &graph]).1.contains("--force"));
    let report = json(&good(&["graph", "new", &glb, "-o", &graph, "--force", "--json"]));
    let walk = report["used"].as_array().unwrap().iter().find(|used| used["role"] == "walk").unwrap();
    assert_eq!((&walk["clip"], &walk["m_per_s"]), (&"walk".into(), &1.32.into()));
    let nothing = write(root.join("wave.bvh"), bvh(1, 12));
    let (_, error) = bad(1, &["graph", "new", &nothing, "-o", &text(&root.join("no.json"))]);
    assert!(
        error.contains("no clip is recognised as an idle, a walk or a run: there are \"wave\""),
        "{error}"
    );
    assert!(!root.join("no.json").exists());
    // A setting after the end would never be seen.
    let (_, error) = bad(2, &["render", &glb, "--graph", &graph, "--set", "ahead=1@99", "-o", &picture]);
    assert!(
        error.contains("--set ahead=1@99: at 99 s nothing plays any more: the graph plays 4 s"),
        "{error}"
    );
}

#[test]
fn a_drawing_has_every_state_and_way() {
    let root = folder("graph_draw");
    let graph = write(root.join("hero.json"), HERO);
    let (svg, png) = (text(&root.join("hero.svg")), text(&root.join("hero.png")));
    good(&["graph", "draw", &graph, "-o", &svg]);
    let drawn = fs::read_to_string(&svg).unwrap();
    for words in
        ["stand", "move", "any state", "to stand if not go", "to move if go", "speed (float, damped)"]
    {
        assert!(drawn.contains(words), "{words} is missing");
    }
    good(&["graph", "draw", &graph, "-o", &png]);
    assert_eq!(&fs::read(&png).unwrap()[1..4], b"PNG");
    assert!(bad(2, &["graph", "draw", &graph, "-o", "hero.pdf"]).1.contains("a .svg or a .png"));
    let wrong = write(root.join("wrong.json"), HERO.replace("\"to\": \"move\"", "\"to\": \"run\""));
    assert!(bad(1, &["graph", "draw", &wrong, "-o", &svg]).1.contains("line 7, column 5"));
    // A file of another program may hold graphs; one without says so.
    let clips = write(root.join("wave.bvh"), bvh(1, 12));
    let (archive, glb) = (text(&root.join("hero.lsm")), text(&root.join("hero.glb")));
    assert!(
        bad(1, &["graph", "draw", &clips, "-o", &svg]).1.contains("wave.bvh: there is no graph in this file")
    );
    good(&["import", &clips, "--graph", &graph, "-o", &archive]);
    good(&["export", &archive, "-o", &glb]);
    good(&["graph", "draw", &glb, "-o", &svg]);
}

/// A graph for an archive that exists: every other section stays as it is.
#[test]
fn a_graph_is_added_without_cooking() {
    let root = folder("graph_add");
    let wave = write(root.join("wave.bvh"), bvh(1, 20));
    let hero = write(root.join("hero.json"), HERO);
    let out = text(&root.join("wave.lsm"));
    good(&["import", &wave, "-o", &out, "--effort", "fast"]);
    let sections = |file: &str| {
        let bytes = AlignedBytes::copy_of(&fs::read(file).unwrap());
        let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
        let all = archive.sections().iter().map(|s| (s.name.to_owned(), s.payload.to_vec()));
        all.collect::<Vec<_>>()
    };
    let before = sections(&out);
    good(&["graph", "add", &out, &hero]);
    let after = sections(&out);
    assert!(before.iter().all(|section| after.contains(section)) && after.len() == before.len() + 1);
    assert!(good(&["graph", "check", &out]).contains("whole: graph \"hero\""));
    // Again: it takes the place of the one that is there. One that does not fit changes nothing.
    good(&["graph", "add", &out, &hero]);
    assert_eq!(sections(&out).len(), after.len());
    write(root.join("hero.json"), HERO.replace("wave", "wvae"));
    let (_, error) = bad(1, &["graph", "add", &out, &hero]);
    assert!(error.contains("line 4") && error.contains("did you mean \"wave\""), "{error}");
    assert_eq!(sections(&out), after);
}

/// Joints of masks are those of the skeleton; the recipe that an import follows renames clips here too.
#[test]
fn joints_and_renamed_clips_are_known_to_a_check() {
    let root = folder("graph_known");
    let wave = write(root.join("wave.bvh"), bvh(1, 20));
    let masked = |joint: &str, clip: &str| {
        let masks = format!("\"masks\": {{ \"m\": [\n{{ \"joint\": \"{joint}\" }}] }},\n\"layers\"");
        HERO.replace("\"layers\"", &masks).replace("\"wave\"", &format!("\"{clip}\""))
    };
    let hero = write(root.join("hero.json"), masked("arn", "wave"));
    let (said, _) = bad(1, &["graph", "check", &hero, "--clips", &wave]);
    let expected = "line 4, column 1: mask \"m\": there is no joint called \"arn\" (did you mean \"arm\"?)";
    assert!(said.contains(expected), "{said}");
    write(root.join("hero.json"), masked("arm", "hello"));
    bad(1, &["graph", "check", &hero, "--clips", &wave]);
    write(root.join("lissom.toml"), "[clips.wave]\nname = 'greet_hello'\n");
    good(&["graph", "check", &hero, "--clips", &wave]);
}
