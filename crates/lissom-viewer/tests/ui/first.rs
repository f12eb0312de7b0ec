//! The first minute: what is named is what is seen, and a window at rest rests.

use super::{BVH, Kept, different, drag, drop_file, press, scene, scratch, viewer, wait_until_opened};
use crate::Viewer;
use egui::accesskit::Role;
use egui_kittest::{Harness, kittest::Queryable};
use lissom_viewer::Panel;
use std::time::Duration;

/// When the next frame is asked for, after the last one.
fn next_frame(harness: &Harness<'_, Viewer>) -> Duration {
    let all = harness.output().viewport_output.values();
    all.map(|viewport| viewport.repaint_delay).min().expect("there is a window")
}

/// Frames that are drawn in so many seconds of a window that nobody touches.
fn frames_in(harness: &mut Harness<'_, Viewer>, seconds: u64) -> usize {
    let (mut frames, mut left) = (0, Duration::from_secs(seconds));
    // A frame takes a sixtieth of a second, however soon the next one is asked for.
    while let Some(rest) = left.checked_sub(next_frame(harness).max(Duration::from_millis(17))) {
        left = rest;
        harness.run_steps(1);
        frames += 1;
    }
    frames
}

/// Lets hovers and animations of panels come to their end.
fn settle(harness: &mut Harness<'_, Viewer>) {
    harness.remove_cursor();
    harness.run_steps(40);
}

#[test]
fn a_window_at_rest_draws_nothing() {
    let Some(mut harness) = viewer() else { return };
    assert!(frames_in(&mut harness, 1) > 30, "the mannequin walks");
    harness.key_press(egui::Key::Space);
    settle(&mut harness);
    assert_eq!(frames_in(&mut harness, 10), 0, "the mannequin, paused");
    let path = scratch("rests.bvh");
    std::fs::write(&path, BVH).unwrap();
    drop_file(&mut harness, path.clone());
    settle(&mut harness);
    assert_eq!(frames_in(&mut harness, 10), 0, "a file, paused, whose changes are waited for");
    harness.key_press(egui::Key::Space);
    harness.run_steps(2);
    assert!(frames_in(&mut harness, 1) > 30);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_file_without_clips_draws_nothing_although_it_plays() {
    let Some(mut harness) = viewer() else { return };
    // A skeleton alone.
    let path = scratch("still.gltf");
    let json = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "root", "children": [1]}, {"name": "tip", "translation": [0, 1, 0]}],
        "skins": [{"joints": [0, 1]}]}"#;
    std::fs::write(&path, json).unwrap();
    drop_file(&mut harness, path.clone());
    assert_eq!(harness.state().failure(), None);
    assert!(harness.state().is_playing() && harness.state().time_s().is_none());
    settle(&mut harness);
    assert_eq!(frames_in(&mut harness, 10), 0);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_crowd_of_yesterday_does_not_hide_the_file_of_today() {
    let Some(mut harness) = viewer() else { return };
    for (panel, shown) in [
        (Panel::Crowd, "show the crowd"),
        (Panel::Graph, "let the graph do it"),
        (Panel::Compression, "all clips"),
    ] {
        harness.get_by_role_and_label(Role::Button, panel.name()).click();
        harness.run_steps(2);
        let mut storage = Kept::default();
        harness.state().save(&mut storage);
        let Some(mut next) = viewer() else { return };
        next.state_mut().restore(&storage);
        next.run_steps(2);
        assert!(
            next.query_all_by_label_contains(shown).next().is_some(),
            "{} is open as it was",
            panel.name()
        );
        assert!(next.state().time_s().is_some(), "and the clip of the document plays");
    }
}

#[test]
fn a_wrong_name_of_a_clip_keeps_no_file_closed() {
    let Some(mut harness) = viewer() else { return };
    let path = scratch("walks.bvh");
    std::fs::write(&path, BVH).unwrap();
    let ctx = harness.ctx.clone();
    harness.state_mut().open(vec![path.clone()], Some("danse".into()), &ctx);
    wait_until_opened(&mut harness);
    let told = harness.state().failure().expect("it is told").to_string();
    assert!(told.contains("no clip \"danse\"") && !told.contains("section"), "{told}");
    assert!(harness.state().title().0.ends_with("walks.bvh"));
    assert!(harness.state().time_s().is_some());
    // By the end of its name, in any case: as the command takes it.
    harness.state_mut().open(vec![path.clone()], Some("WALKS".into()), &ctx);
    wait_until_opened(&mut harness);
    assert_eq!(harness.state().failure(), None);
    assert!(harness.state().title().1.ends_with("walks"));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_long_walk_is_followed() {
    let Some(mut harness) = viewer() else { return };
    // Ten metres in a tenth of a second a frame, two metres high.
    let frames: Vec<String> = (0..=10).map(|z| format!("0 1 {z} 0 0 0 0 0 0")).collect();
    let text = BVH.replace("Frames: 3", "Frames: 11");
    let head = text.split("Frame Time").next().unwrap();
    let path = scratch("goes.bvh");
    std::fs::write(&path, format!("{head}Frame Time: 0.1\n{}\n", frames.join("\n"))).unwrap();
    drop_file(&mut harness, path.clone());
    assert_eq!(harness.state().failure(), None);
    let seen = |harness: &mut Harness<'_, Viewer>, time_s: f64| {
        harness.state_mut().scrub(time_s);
        harness.run_steps(2);
        harness.state().place_of("hips")
    };
    let (start, end) = (seen(&mut harness, 0.0).unwrap(), seen(&mut harness, 0.99).unwrap());
    assert!((end - start).length() < 5.0, "{start} {end}");
    press(&mut harness, "camera goes along");
    harness.run_steps(2);
    let (start, end) = (seen(&mut harness, 0.0).unwrap(), seen(&mut harness, 0.99));
    // It may have gone past the camera.
    assert!(end.is_none_or(|end| (end - start).length() > 50.0), "{start} {end:?}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn weights_numbers_and_parents_are_taken_back_and_done_again() {
    let Some(mut harness) = viewer() else { return };
    harness.set_size(egui::vec2(super::SIZE[0], 900.0));
    harness.key_press(egui::Key::Space);
    harness.get_by_label("mix").click();
    settle(&mut harness);
    let walk = scene(&mut harness);
    let run = harness.get_by_label("weight of run").rect();
    drag(&mut harness, run.left_center() + egui::vec2(8.0, 0.0), run.right_center() - egui::vec2(8.0, 0.0));
    settle(&mut harness);
    let mixed = scene(&mut harness);
    assert!(different(&walk, &mixed) > 200);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert_eq!(different(&walk, &scene(&mut harness)), 0, "one drag is one step");
    harness.key_press_modifiers(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::Z);
    settle(&mut harness);
    assert_eq!(different(&mixed, &scene(&mut harness)), 0);
    harness.get_by_label("undo").click();
    settle(&mut harness);
    assert_eq!(different(&walk, &scene(&mut harness)), 0);
    // A tree goes onto what turns, and back to its garden.
    harness.get_by_label("world").click();
    harness.run_steps(3);
    let before = scene(&mut harness);
    let (tree, round) =
        (harness.get_by_label("tree 2").rect().center(), harness.get_by_label("merry-go-round").rect());
    drag(&mut harness, tree, round.center());
    settle(&mut harness);
    let moved = harness.get_by_label("tree 2").rect().center();
    assert_ne!(moved, tree, "its row is below another");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert_eq!(harness.get_by_label("tree 2").rect().center(), tree);
    assert_eq!(different(&before, &scene(&mut harness)), 0);
}
