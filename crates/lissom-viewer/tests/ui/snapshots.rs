//! Stored pictures of every panel. `UPDATE_SNAPSHOTS=1 cargo test -p lissom-viewer --test ui snapshots` makes them anew.

use super::{
    drag, matching, pick,
    retarget::{bring, with_a_paw},
    viewer,
};
use crate::Viewer;
use egui_kittest::{Harness, SnapshotOptions, image_snapshot_options, kittest::Queryable};
use lissom_viewer::Panel;

/// Text and panels are the same everywhere. Edges of meshes are not on every version of Mesa: fewer pixels than a forearm has may
/// differ.
const PANELS: usize = 20;
const SCENE: usize = 120;

fn options(most: usize) -> SnapshotOptions {
    SnapshotOptions::new().threshold(2.0).max_failed_pixels(most)
}

const SIZE: [f32; 2] = [960.0, 600.0];
/// Where the mouse lights nothing.
const IDLE: egui::Pos2 = egui::pos2(300.0, 75.0);

/// At rest, with or without the skeleton.
fn still(skeleton: bool) -> Option<Harness<'static, Viewer>> {
    let mut harness = viewer()?;
    if skeleton {
        super::press(&mut harness, "skeleton");
    }
    harness.set_size(SIZE.into());
    harness.key_press(egui::Key::Home);
    harness.run_steps(3);
    Some(harness)
}

/// Only the document is looked at with its floor and all that is behind it.
fn open(harness: &mut Harness<'_, Viewer>, panel: Panel) {
    harness.state_mut().bare(true);
    harness.get_by_role_and_label(egui::accesskit::Role::Button, panel.name()).click();
    harness.run_steps(4);
    harness.hover_at(IDLE);
    harness.run_steps(8);
}

/// Rows of the panel with one of these words differ from machine to machine: they are covered.
fn compare(harness: &mut Harness<'_, Viewer>, name: &str, covered: &[&str]) {
    assert_eq!(harness.state().failure(), None);
    harness.state_mut().draw_now();
    let mut picture = harness.render().expect("it can be drawn");
    let scene = harness.get_by_label("scene").rect();
    let (left, bottom) = (scene.right() as u32, scene.bottom() as u32);
    let cover = *picture.get_pixel(left + 4, scene.top() as u32 + 2);
    for word in covered {
        let rows: Vec<_> = harness.query_all_by_label_contains(word).map(|n| n.rect().expand(3.0)).collect();
        assert!(!rows.is_empty(), "{word}");
        for row in rows {
            for y in row.top() as u32..(row.bottom() as u32).min(bottom) {
                (left..picture.width()).for_each(|x| picture.put_pixel(x, y, cover));
            }
        }
    }
    // The scene and what is round it, each for itself.
    let (width, height) = (picture.width(), picture.height());
    let (mut shown, mut panels) = (picture.clone(), picture);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let inside = scene.contains(egui::pos2(x as f32 + 0.5, y as f32 + 0.5));
        let other = if inside { &mut panels } else { &mut shown };
        other.put_pixel(x, y, cover);
    }
    image_snapshot_options(&shown, format!("{name}_scene"), &options(SCENE));
    image_snapshot_options(&panels, name, &options(PANELS));
}

#[test]
fn the_document_looks_as_it_did_on_dark_and_on_light() {
    let Some(mut harness) = still(false) else { return };
    compare(&mut harness, "document", &[]);
    harness.get_by_label("light").click();
    harness.run_steps(4);
    harness.hover_at(IDLE);
    harness.run_steps(8);
    compare(&mut harness, "document_light", &[]);
}

#[test]
fn the_mix_looks_as_it_did() {
    let Some(mut harness) = still(true) else { return };
    open(&mut harness, Panel::Mix);
    pick(&mut harness, "hand_l");
    harness.get_by_label("reach").click();
    harness.run_steps(2);
    assert!(!harness.state().is_playing());
    let hand = harness.state().place_of("hand_l").expect("a hand");
    drag(&mut harness, hand, hand + egui::vec2(20.0, -50.0));
    harness.hover_at(IDLE);
    harness.run_steps(8);
    compare(&mut harness, "mix", &[]);
}

#[test]
fn the_graph_looks_as_it_did() {
    let Some(mut harness) = still(false) else { return };
    open(&mut harness, Panel::Graph);
    compare(&mut harness, "graph", &[]);
}

#[test]
fn compression_looks_as_it_did() {
    let Some(mut harness) = still(false) else { return };
    open(&mut harness, Panel::Compression);
    compare(&mut harness, "compression", &[]);
}

#[test]
fn curves_look_as_they_did() {
    let Some(mut harness) = still(true) else { return };
    open(&mut harness, Panel::Curves);
    pick(&mut harness, "head");
    harness.hover_at(IDLE);
    harness.run_steps(8);
    compare(&mut harness, "curves", &[]);
}

#[test]
fn the_crowd_looks_as_it_did() {
    let Some(mut harness) = still(false) else { return };
    open(&mut harness, Panel::Crowd);
    // Fewer are drawn sooner.
    let count = super::slider(&harness, "characters");
    drag(&mut harness, count.center(), count.left_center() + egui::vec2(count.width() * 0.3, 0.0));
    harness.hover_at(IDLE);
    harness.run_steps(8);
    // A slow machine draws for more than 100 ms: the row says "ms", not "µs".
    compare(&mut harness, "crowd", &["threads", "µs", "upload", "draw", "together", "a millisecond"]);
}

#[test]
fn the_world_looks_as_it_did_on_light() {
    let Some(mut harness) = still(false) else { return };
    harness.get_by_label("light").click();
    open(&mut harness, Panel::World);
    compare(&mut harness, "world_light", &["µs"]);
}

#[test]
fn matching_looks_as_it_did() {
    let Some(mut harness) = viewer() else { return };
    let folder = matching::bring(&mut harness, "matched picture");
    harness.set_size([960.0, 900.0].into());
    harness.run_steps(3);
    matching::walk(&mut harness, 90);
    open(&mut harness, Panel::Matching);
    compare(&mut harness, "matching", &[]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bones_look_as_they_did() {
    let Some(mut harness) = viewer() else { return };
    let folder = bring(&mut harness, "picture", with_a_paw);
    harness.set_size(SIZE.into());
    harness.state_mut().bare(true);
    harness.hover_at(IDLE);
    harness.run_steps(8);
    compare(&mut harness, "retarget", &[]);
    std::fs::remove_dir_all(folder).unwrap();
}
