//! A character that motion matching plays: the panel, and ways on the floor.

use super::{Viewer, different, drag, drop_file, graph, matched_file, scene, scratch, slider, viewer};
use egui_kittest::{Harness, kittest::Queryable};

/// Opens the character and its graph, at rest and at the start.
pub(super) fn bring(harness: &mut Harness<'_, Viewer>, name: &str) -> std::path::PathBuf {
    let folder = scratch(name);
    std::fs::create_dir_all(&folder).unwrap();
    // However long it takes to open them.
    harness.key_press(egui::Key::Home);
    harness.run_steps(2);
    for (file, bytes) in [
        ("hero.lsm", matched_file::archive()),
        ("hero.json", graph::to_json(&matched_file::graph()).into_bytes()),
    ] {
        std::fs::write(folder.join(file), bytes).unwrap();
        drop_file(harness, folder.join(file));
    }
    assert_eq!(harness.state().failure(), None);
    assert!(!harness.state().is_playing());
    folder
}

/// Asks for a walk, and lets it go on for so many frames.
pub(super) fn walk(harness: &mut Harness<'_, Viewer>, frames: usize) {
    let ahead = slider(harness, "ahead");
    let to = ahead.left_center() + egui::vec2(ahead.width() * 0.67, 0.0);
    drag(harness, ahead.center(), to);
    harness.key_press(egui::Key::Space);
    harness.run_steps(frames);
    harness.key_press(egui::Key::Space);
    harness.run_steps(2);
    assert!(!harness.state().is_playing());
}

#[test]
fn searches_are_seen_on_the_floor_and_told_in_the_panel() {
    let Some(mut harness) = viewer() else { return };
    let folder = bring(&mut harness, "matching");
    assert_eq!(harness.state().states(), ["go"]);
    assert!(harness.query_by_label("matching…").is_some(), "the graph panel leads there");
    walk(&mut harness, 90);
    let without = scene(&mut harness);
    harness.get_by_label("matching…").click();
    harness.run_steps(4);
    let with = scene(&mut harness);
    let drawn = different(&without, &with);
    assert!(drawn > 300, "{drawn} pixels of lines");
    // What is wanted is pink.
    let pink = |pixels: &[[u8; 4]]| {
        pixels.iter().filter(|p| p[0] > 190 && p[1] < 160 && p[2].abs_diff(170) < 40).count()
    };
    assert!(pink(&with) > 60 + pink(&without), "{} and {}", pink(&with), pink(&without));
    for told in ["walk at", "in gaits, state go", "searches", "wanted", "the 10 best others"] {
        assert!(harness.query_by_label_contains(told).is_some(), "{told}");
    }
    assert!(harness.query_by_label_contains("idle ").is_some(), "it was left");
    assert!(harness.query_all_by_label_contains("(plays)").count() == 1);
    // The graph stays what moves the character until both panels are closed.
    harness.get_by_label("close matching").click();
    harness.run_steps(3);
    assert_eq!(harness.state().states(), ["go"]);
    assert!(different(&without, &scene(&mut harness)) < 20, "its lines are gone");
    harness.get_by_label("close graph").click();
    harness.run_steps(3);
    assert!(harness.state().states().is_empty());
    assert_eq!(harness.state().failure(), None);
    std::fs::remove_dir_all(folder).unwrap();
}
