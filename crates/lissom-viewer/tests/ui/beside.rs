//! Two files side by side.

use super::{BVH, different, drop_file, scene, scratch, time_s, viewer, wait_until_opened};
use crate::Viewer;
use egui_kittest::{Harness, kittest::Queryable};

/// How many pixels of the right half of the picture are not background.
fn at_the_right(harness: &mut Harness<'_, Viewer>) -> usize {
    let width = harness.get_by_label("scene").rect();
    let width = (width.right().floor() - width.left().ceil()) as usize;
    let pixels = scene(harness);
    let right = pixels.chunks(width).flat_map(|row| &row[width * 5 / 8..]);
    right.filter(|p| different(&[**p], &[pixels[0]]) > 0).count()
}

#[test]
fn a_second_file_stands_beside_the_first_and_is_closed_again() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::Home);
    harness.state_mut().bare(true);
    harness.run_steps(3);
    let (alone, empty) = (scene(&mut harness), at_the_right(&mut harness));
    let hash = harness.state_mut().pose_hash();
    let folder = scratch("beside");
    std::fs::create_dir_all(&folder).unwrap();
    let again = harness.state_mut().export(lissom_viewer::Export::Glb, &folder).unwrap();
    harness.get_by_label("beside").click();
    harness.run_steps(1);
    drop_file(&mut harness, again);
    assert_eq!(harness.state().failure(), None);
    assert_eq!(harness.state().title().0, "mannequin", "the first stays what it is");
    assert_eq!(harness.state().beside(), Some("mannequin.glb"));
    let both = at_the_right(&mut harness);
    assert!(both > empty + 500, "{both} {empty}");
    // Each has its name at its feet.
    let foot = |name: &str| {
        let scene = harness.get_by_label("scene").rect();
        let inside = |r: &egui::Rect| scene.contains_rect(*r);
        harness.query_all_by_label(name).map(|n| n.rect()).find(inside).expect("a name at the feet")
    };
    let (first, second) = (foot("mannequin"), foot("mannequin.glb"));
    assert!(first.right() <= second.left() && first.center().y > SIZE_Y * 0.4, "{first} {second}");
    // They move together.
    harness.key_press(egui::Key::ArrowRight);
    harness.run_steps(3);
    assert_ne!(harness.state_mut().pose_hash(), hash);
    let moved = at_the_right(&mut harness);
    assert_ne!(moved, both);
    // What is dropped next comes to the first again; what is broken changes nothing.
    let broken = folder.join("broken.glb");
    std::fs::write(&broken, b"glTF but no more").unwrap();
    harness.get_by_label("beside").click();
    harness.run_steps(1);
    drop_file(&mut harness, broken);
    assert!(harness.state().failure().expect("it is told").to_string().contains("broken.glb"));
    assert_eq!(
        (harness.state().beside(), harness.state().title().0.as_str()),
        (Some("mannequin.glb"), "mannequin")
    );
    harness.key_press(egui::Key::Escape);
    harness.run_steps(2);
    let two = folder.join("two.bvh");
    std::fs::write(&two, BVH).unwrap();
    harness.input_mut().events.push(egui::Event::ModifiersChanged(egui::Modifiers::SHIFT));
    drop_file(&mut harness, two.clone());
    harness.input_mut().events.push(egui::Event::ModifiersChanged(egui::Modifiers::NONE));
    assert_eq!((harness.state().failure(), harness.state().beside()), (None, Some("two.bvh")));
    harness.get_by_label("×").click();
    harness.key_press(egui::Key::Home);
    harness.run_steps(3);
    assert_eq!(harness.state().beside(), None);
    assert_eq!(harness.state_mut().pose_hash(), hash);
    assert!(different(&alone, &scene(&mut harness)) * 1000 < alone.len(), "as it was");
    std::fs::remove_dir_all(folder).unwrap();
}

const SIZE_Y: f32 = super::SIZE[1];

#[test]
fn a_second_file_is_opened_from_the_menu_and_again_when_it_changes() {
    let Some(mut harness) = viewer() else { return };
    let folder = scratch("menu");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("two.bvh");
    std::fs::write(&path, BVH).unwrap();
    harness.get_by_label("file").click();
    harness.run_steps(2);
    harness.get_by_label("open beside…").click();
    harness.run_steps(3);
    harness.get_by_label("path").focus();
    harness.run_steps(1);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.get_by_label("path").type_text(&path.display().to_string());
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    wait_until_opened(&mut harness);
    assert_eq!((harness.state().failure(), harness.state().beside()), (None, Some("two.bvh")));
    let at = time_s(&harness);
    // A save that went wrong does not take away what is there.
    std::fs::write(&path, "HIERARCHY").unwrap();
    for _ in 0..1000 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        harness.run_steps(1);
        if harness.state().failure().is_some() {
            break;
        }
    }
    assert!(harness.state().failure().expect("it was opened again").to_string().contains("two.bvh"));
    assert_eq!(harness.state().beside(), Some("two.bvh"));
    assert!(time_s(&harness) != at, "the first goes on");
    std::fs::remove_dir_all(folder).unwrap();
}
