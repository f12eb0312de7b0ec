//! The inspector, the time line's range and view, and sides to look from.

use super::{different, drag, drawn, drop_file, press, scene, scratch, slider, time_s, viewer};
use egui::{Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, TouchPhase, accesskit::Role, vec2};
use egui_kittest::kittest::{NodeT, Queryable};

/// A sheet without clips, with a morph target that makes it wider.
const SHEET: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"name":"sheet","mesh":0}],
"meshes":[{"name":"sheet","extras":{"targetNames":["wider"]},"primitives":[{"attributes":{"POSITION":0,"NORMAL":1},"indices":3,
"targets":[{"POSITION":2}],"material":0}]}],"materials":[{"name":"paper","doubleSided":true}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[-0.5,0,0],"max":[0.5,1,0]},
{"bufferView":1,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":2,"componentType":5126,"count":4,"type":"VEC3"},
{"bufferView":3,"componentType":5123,"count":6,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":48},{"buffer":0,"byteOffset":96,"byteLength":48},
{"buffer":0,"byteOffset":144,"byteLength":12}],"buffers":[{"byteLength":156,"uri":"data:application/octet-stream;base64,@"}]}"#;
/// Its positions, normals, what its target adds, and its indices.
const SHEET_DATA: &str = concat!(
    "AAAAvwAAAAAAAAAAAAAAPwAAAAAAAAAAAAAAPwAAgD8AAAAAAAAAvwAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAIA/AAAA",
    "AAAAAAAAAIA/AAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPwAAAD8AAAAAAAAAvwAAAD8AAAAAAAABAAIA",
    "AAACAAMA",
);

#[test]
fn a_morph_target_is_held_without_clips_taken_back_and_let_go() {
    let Some(mut harness) = viewer() else { return };
    let path = scratch("sheet.gltf");
    std::fs::write(&path, SHEET.replace('@', SHEET_DATA)).unwrap();
    drop_file(&mut harness, path.clone());
    assert_eq!(harness.state().failure(), None);
    let before = drawn(&mut harness);
    assert!(before > 2_000, "{before}");
    press(&mut harness, "inspect tab");
    press(&mut harness, "morphs");
    let wider = slider(&harness, "morph wider");
    drag(&mut harness, wider.left_center() + vec2(6.0, 0.0), wider.right_center() - vec2(3.0, 0.0));
    let held = drawn(&mut harness);
    assert!(held as f32 > before as f32 * 1.5, "{before} {held}");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(2);
    assert_eq!(drawn(&mut harness), before);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    harness.run_steps(2);
    assert_eq!(drawn(&mut harness), held);
    press(&mut harness, "let go");
    assert_eq!(drawn(&mut harness), before);
    // The material and the facts of what is open.
    press(&mut harness, "materials");
    assert!(harness.query_by_label("paper").is_some());
    press(&mut harness, "facts");
    assert!(harness.query_by_label("1.00 × 1.00 × 0.00 m").is_some());
    assert_eq!(harness.state().failure(), None);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_mesh_is_hidden_and_joints_are_folded_away() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(Key::Home);
    press(&mut harness, "inspect tab");
    assert!(harness.query_by_label("hips").is_some());
    press(&mut harness, "fold root");
    assert!(harness.query_by_label("hips").is_none());
    press(&mut harness, "unfold root");
    assert!(harness.query_by_label("hips").is_some());
    assert!(drawn(&mut harness) > 5_000);
    press(&mut harness, "meshes");
    let shown = harness.query_all_by_role(Role::CheckBox);
    let named = |node: &egui_kittest::Node<'_>| node.accesskit_node().label().unwrap_or_default();
    let shown: Vec<_> = shown.filter(|node| named(node).starts_with("show ")).collect();
    assert_eq!(shown.len(), 1, "the mannequin has one mesh");
    shown[0].click();
    drop(shown);
    harness.run_steps(3);
    assert_eq!(drawn(&mut harness), 0);
}

#[test]
fn edges_normals_and_weights_of_a_joint_are_drawn() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(Key::Home);
    press(&mut harness, "inspect tab");
    press(&mut harness, "hips");
    press(&mut harness, "display tab");
    for label in ["edges", "normals", "weights of the joint", "plain background"] {
        let before = scene(&mut harness);
        press(&mut harness, label);
        assert!(different(&before, &scene(&mut harness)) > 500, "{label}");
        press(&mut harness, label);
        assert_eq!(different(&before, &scene(&mut harness)), 0, "{label}");
    }
    assert_eq!(harness.state().failure(), None);
}

#[test]
fn a_range_alone_plays_until_it_is_taken_away() {
    let Some(mut harness) = viewer() else { return };
    let line = harness.get_by_label("time").rect();
    let at = |share: f32| egui::pos2(egui::lerp(line.x_range(), share), line.center().y);
    harness.event(Event::ModifiersChanged(Modifiers::ALT));
    drag(&mut harness, at(0.4), at(0.7));
    harness.event(Event::ModifiersChanged(Modifiers::NONE));
    harness.run_steps(2);
    let range = harness.get_by_label_contains(" to ").accesskit_node().label().expect("a name");
    let ends: Vec<f64> = range.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(ends.len() == 2 && ends[0] > 0.1 && ends[1] - ends[0] > 0.2 && ends[1] < 1.0, "{range}");
    let (mut before, mut laps) = (time_s(&harness), 0);
    for _ in 0..60 {
        harness.run_steps(1);
        let now = time_s(&harness);
        assert!(now > ends[0] - 0.01 && now < ends[1] + 0.01, "{now} is not in {range}");
        laps += usize::from(now < before);
        before = now;
    }
    assert!(laps > 0, "it goes round");
    harness.get_by_label(&range).click();
    harness.run_steps(60);
    assert!(harness.query_by_label(&range).is_none());
    let all: Vec<f64> = (0..70).map(|_| (harness.run_steps(1), time_s(&harness)).1).collect();
    assert!(all.iter().any(|t| *t < ends[0] - 0.05) && all.iter().any(|t| *t > ends[1] + 0.05));
}

#[test]
fn the_wheel_shows_less_of_the_clip_and_a_button_all_again() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(Key::Space);
    harness.run_steps(2);
    let line = harness.get_by_label("time").rect();
    assert!(harness.query_by_role_and_label(Role::Button, "all").is_none());
    harness.hover_at(line.center());
    harness.run_steps(1);
    harness.event(Event::MouseWheel {
        unit: MouseWheelUnit::Line,
        delta: vec2(0.0, 5.0),
        phase: TouchPhase::Move,
        modifiers: Modifiers::NONE,
        source: MouseWheelSource::Wheel,
    });
    harness.run_steps(20);
    let all = harness.get_by_role_and_label(Role::Button, "all");
    all.click();
    harness.run_steps(3);
    assert!(harness.query_by_role_and_label(Role::Button, "all").is_none());
}

#[test]
fn the_camera_turns_to_a_side_that_is_clicked_or_asked_for_by_a_key() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(Key::Space);
    harness.key_press(Key::Home);
    harness.run_steps(2);
    let apart = |harness: &egui_kittest::Harness<'_, crate::Viewer>| {
        let place = |joint: &str| harness.state().place_of(joint).expect("a joint");
        (place("head") - place("foot_l")).y.abs()
    };
    let standing = apart(&harness);
    harness.get_by_label("from the top").click();
    harness.run_steps(30);
    let lying = apart(&harness);
    assert!(lying < standing * 0.3, "{standing} {lying}");
    harness.key_press_modifiers(Modifiers::ALT, Key::Num1);
    harness.run_steps(30);
    assert!((apart(&harness) / standing - 1.0).abs() < 0.1, "{standing} {}", apart(&harness));
    let near = scene(&mut harness);
    harness.key_press(Key::P);
    harness.run_steps(2);
    assert!(different(&near, &scene(&mut harness)) > 500, "rays are parallel");
}
