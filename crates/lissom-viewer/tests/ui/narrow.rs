//! Windows with little room.

use super::{
    retarget::{bring, with_a_paw},
    viewer,
};
use crate::Viewer;
use egui::{
    Key::{self, Num0, Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9},
    Modifiers, Rect,
    accesskit::Role,
};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use lissom_viewer::Panel;

/// What is seen of each thing that is to be read or used, with its name.
fn widgets(harness: &Harness<'_, Viewer>, size: egui::Vec2) -> Vec<(Rect, String)> {
    const USED: [Role; 7] = [
        Role::Button,
        Role::CheckBox,
        Role::ComboBox,
        Role::Label,
        Role::Slider,
        Role::SpinButton,
        Role::TextInput,
    ];
    let scene = harness.get_by_label("scene").rect();
    let window = Rect::from_min_size(egui::Pos2::ZERO, size);
    let mut found = Vec::new();
    // First the bar, then, from the button that plays on, the time line, then panels: what is behind either is cut off by it.
    let mut part = 0;
    for node in harness.root().children_recursive() {
        let node_kit = node.accesskit_node();
        let (role, label) = (node_kit.role(), node_kit.label().or(node_kit.value()).unwrap_or_default());
        // Names of panels that have no room are scrolled to.
        // The names of panels come before all that is in them.
        if role == Role::Tab {
            part = 2;
        }
        if !USED.contains(&role) || label.is_empty() || label.starts_with("Scroll tabs") {
            continue;
        }
        if label == "play" {
            part = 1;
        }
        let rect = node.rect();
        let seen = match part {
            0 | 1 => {
                assert!(window.expand(1.0).contains_rect(rect), "{label} is outside: {rect}");
                rect
            }
            _ => rect.intersect(Rect::from_x_y_ranges(window.x_range(), scene.y_range())),
        };
        if seen.is_positive() {
            found.push((seen.shrink(0.5), label));
        }
    }
    assert!(part >= 1, "there is a time line");
    found
}

/// Every two things are apart, and the picture can be seen.
fn look(harness: &Harness<'_, Viewer>, size: egui::Vec2, panel: Option<Panel>) {
    let found = widgets(harness, size);
    assert!(found.len() > 10, "{panel:?}: {found:?}");
    for (i, (a, one)) in found.iter().enumerate() {
        for (b, other) in &found[i + 1..] {
            assert!(!a.intersects(*b), "{size} {panel:?}: {one} {a} and {other} {b}");
        }
    }
    let scene = harness.get_by_label("scene").rect();
    assert!(scene.width() > size.x * 0.35 && scene.height() > 60.0, "{size} {panel:?}: {scene}");
}

/// They open and close panels.
const KEYS: [Key; 10] = [Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9, Num0];

const SMALL: [[f32; 2]; 2] = [[640.0, 420.0], [320.0, 240.0]];

#[test]
fn nothing_overlaps_in_a_small_window() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(Key::Home);
    for size in SMALL.map(egui::Vec2::from) {
        harness.set_size(size);
        harness.run_steps(3);
        look(&harness, size, None);
        for (panel, key) in Panel::ALL.into_iter().zip(KEYS) {
            // It may be open already, behind another.
            for _ in 0..2 {
                harness.key_press_modifiers(Modifiers::COMMAND, key);
                harness.run_steps(3);
                look(&harness, size, Some(panel));
            }
        }
        assert_eq!(harness.state().failure(), None);
    }
}

#[test]
fn nothing_overlaps_beside_the_bones_in_a_small_window() {
    let Some(mut harness) = viewer() else { return };
    let folder = bring(&mut harness, "narrow", with_a_paw);
    for size in SMALL.map(egui::Vec2::from) {
        harness.set_size(size);
        harness.run_steps(3);
        look(&harness, size, Some(Panel::Retarget));
        for list in harness.query_all_by_role(Role::ComboBox) {
            assert!(list.rect().right() < size.x, "{size}: {:?} is cut off", list.accesskit_node().label());
        }
    }
    assert_eq!(harness.state().failure(), None);
    std::fs::remove_dir_all(folder).unwrap();
}
