//! Windows with little room.

use super::{
    retarget::{bring, with_a_paw},
    viewer,
};
use crate::Viewer;
use egui::{Rect, accesskit::Role};
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
    // First the bar, then, from the button that plays on, the time line; what is behind either is cut off by it.
    let mut part = 0;
    for node in harness.root().children_recursive() {
        let node_kit = node.accesskit_node();
        let (role, label) = (node_kit.role(), node_kit.label().or(node_kit.value()).unwrap_or_default());
        if !USED.contains(&role) || label.is_empty() {
            continue;
        }
        part += usize::from(
            label == "play" || label == "Clips" || (part == 1 && node.rect().top() < scene.bottom()),
        );
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

const SMALL: [[f32; 2]; 2] = [[640.0, 420.0], [320.0, 240.0]];

#[test]
fn nothing_overlaps_in_a_small_window() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::Home);
    for size in SMALL.map(egui::Vec2::from) {
        harness.set_size(size);
        harness.run_steps(3);
        look(&harness, size, None);
        // The panel of bones has a switch only where there are any to see.
        for panel in Panel::ALL.into_iter().filter(|panel| *panel != Panel::Retarget) {
            harness.get_by_role_and_label(Role::Button, panel.name()).click();
            harness.run_steps(2);
            look(&harness, size, Some(panel));
        }
        harness.get_by_role_and_label(Role::Button, Panel::World.name()).click();
        harness.run_steps(2);
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
