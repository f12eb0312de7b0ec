//! `lissom replay`: a recording of a character, played again.

use crate::common::{bad, bvh, folder, good, json, text, write};
use lissom::archive::Archive;
use lissom_motion::Animator;
use std::{fs, path::Path};

const HERO: &str = r#"{
  "parameters": { "go": { "bool": false } },
  "clips": ["wave"],
  "layers": [{ "name": "body", "states": [
    { "name": "stand", "clip": "wave", "speed": 0 },
    { "name": "move", "clip": "wave" }
  ], "transitions": [
    { "from": "stand", "to": "move", "when": { "go": true }, "fade_s": 0.1 },
    { "from": "move", "to": "stand", "when": { "go": false } }
  ] }]
}"#;

/// An archive with a graph, and what was recorded of a character of it.
fn recorded(root: &Path) -> (String, String) {
    let (source, graph) = (root.join("wave.bvh"), root.join("hero.json"));
    let (source, graph) = (write(source, bvh(1, 40)), write(graph, HERO));
    let archive = text(&root.join("hero.lsm"));
    good(&["import", &source, "--graph", &graph, "-o", &archive]);
    let opened = Archive::open(&archive).unwrap();
    let mut hero = Animator::new(&opened, "hero").unwrap();
    hero.record();
    for frame in 0..90 {
        if frame == 30 {
            hero.set_value("go", true).unwrap();
        }
        if frame == 60 {
            hero.play("wave").start().unwrap();
        }
        hero.update(1.0 / 60.0).unwrap();
    }
    let file = root.join("bug.lrec");
    fs::write(&file, hero.stop_recording().unwrap().to_bytes()).unwrap();
    (archive, text(&file))
}

#[test]
fn a_recording_is_played_compared_told_and_drawn() {
    let root = folder("replay");
    let (archive, file) = recorded(&root);
    let told = good(&["replay", &file, "--archive", &archive]);
    for line in [
        "0.500 s  changed     go = true",
        "fades to    move (body",
        "play wave on body",
        "90 frames, 1.50 s, as recorded",
    ] {
        assert!(told.contains(line), "{line:?} in\n{told}");
    }
    let quiet = good(&["replay", &file, "--archive", &archive, "--quiet"]);
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
    let report = json(&good(&["replay", &file, "--archive", &archive, "--json"]));
    assert_eq!(report["frames"], 90);
    assert_eq!(report["different_frames"], 0);
    assert!(
        report["first_difference"].is_null() && report["events"].as_array().unwrap().len() > 3,
        "{report}"
    );
    let picture = text(&root.join("bug.gif"));
    let told = good(&["replay", &file, "--archive", &archive, "--quiet", "-o", &picture]);
    assert!(told.contains("bug.gif") && fs::read(&picture).unwrap().starts_with(b"GIF89a"), "{told}");
}

/// A fix, or a clip that was cooked anew, shows where it comes out otherwise.
#[test]
fn what_comes_out_otherwise_ends_with_1_and_names_the_frame() {
    let root = folder("replay_other");
    let (archive, file) = recorded(&root);
    let slower = write(
        root.join("slower.json"),
        HERO.replace(
            "\"name\": \"move\", \"clip\": \"wave\"",
            "\"name\": \"move\", \"clip\": \"wave\", \"speed\": 0.5",
        ),
    );
    let (out, _) = bad(1, &["replay", &file, "--archive", &archive, "--graph", &slower, "--quiet"]);
    assert!(out.contains("first frame 31 at 0.533 s: state, events or root motion differ"), "{out}");
    // Another graph altogether, another skeleton, no recording.
    let other = write(root.join("other.json"), HERO.replace("\"go\"", "\"run\""));
    let (_, why) = bad(1, &["replay", &file, "--archive", &archive, "--graph", &other]);
    assert!(why.contains("no graph of the archive has the parameters"), "{why}");
    let mannequin = text(&root.join("mannequin.lsm"));
    good(&["mannequin", "-o", &mannequin, "--body-m", "0.04", "--hand-m", "0.012"]);
    let (_, why) = bad(1, &["replay", &file, "--archive", &mannequin]);
    assert!(why.contains("it has mannequin"), "{why}");
    let (_, why) = bad(1, &["replay", &archive, "--archive", &archive]);
    assert!(why.contains("does not start with LREC"), "{why}");
    let whole = fs::read(&file).unwrap();
    let short = root.join("short.lrec");
    fs::write(&short, &whole[..whole.len() - 3]).unwrap();
    let (_, why) = bad(1, &["replay", &text(&short), "--archive", &archive]);
    assert!(why.contains("the bytes end here"), "{why}");
}
