//! Motions of another skeleton: which joint is which bone is seen, corrected, and taken back.

use super::{drop_file, scratch, viewer, wait_until_opened};
use crate::Viewer;
use egui::{OutputCommand, accesskit::Role};
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};
use lissom_build::{
    exact::{Q4, V3},
    export::write_bvh,
    mannequin,
    raw::{RawAnimation, RawSkeleton},
    recipe,
    retarget::BoneNames,
};
use lissom_viewer::Export;

/// Who brings the motion: a mannequin of another size, changed.
type Change = fn(&mut RawSkeleton, &mut RawAnimation);

fn at(skeleton: &RawSkeleton, name: &str) -> usize {
    skeleton.joints.iter().position(|joint| joint.name == name).expect("there is such a joint")
}

/// Its left hand has a name that nobody knows, and so has all that hangs on it. It is bent.
pub(super) fn with_a_paw(skeleton: &mut RawSkeleton, walk: &mut RawAnimation) {
    let hand = at(skeleton, "hand_l");
    let above = |joint: &usize| skeleton.joints[*joint].parent;
    let hangs = |joint: &usize| std::iter::successors(above(joint), above).any(|above| above == hand);
    let below: Vec<usize> = (0..skeleton.joints.len()).filter(hangs).collect();
    below.iter().for_each(|joint| skeleton.joints[*joint].name = format!("claw {joint}"));
    // What is called so is taken for no bone, wherever it hangs.
    skeleton.joints[hand].name = "paw_ik".into();
    for key in &mut walk.tracks[hand].rotation.keys {
        key.value = key.value * Q4::from_axis_angle(V3::new(0.0, 0.0, 1.0), 1.0);
    }
}

/// Nothing tells that its left leg is one.
fn without_words_for_a_leg(skeleton: &mut RawSkeleton, _: &mut RawAnimation) {
    for (name, other) in [("thigh_l", "p"), ("shin_l", "q"), ("foot_l", "r"), ("toes_l", "s")] {
        let joint = at(skeleton, name);
        skeleton.joints[joint].name = other.into();
    }
}

/// Drops the motion of somebody onto the mannequin, opens the panel, and stops at the start.
pub(super) fn bring(harness: &mut Harness<'_, Viewer>, folder: &str, change: Change) -> std::path::PathBuf {
    harness.set_size(egui::vec2(1000.0, 600.0));
    harness.run_steps(2);
    let folder = scratch(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let character = harness.state_mut().export(Export::Glb, &folder).unwrap();
    drop_file(harness, character);
    let (mut tall, mut walk) = (mannequin::skeleton(), mannequin::clip(mannequin::Motion::Walk));
    for joint in &mut tall.joints {
        joint.rest.translation = joint.rest.translation * 1.2;
    }
    for key in walk.tracks.iter_mut().flat_map(|track| &mut track.translation.keys) {
        key.value = key.value * 1.2;
    }
    change(&mut tall, &mut walk);
    let motion = folder.join("tall.bvh");
    std::fs::write(&motion, write_bvh(&tall, &walk).unwrap()).unwrap();
    drop_file(harness, motion);
    harness.key_press(egui::Key::Escape);
    harness.key_press(egui::Key::Home);
    harness.run_steps(12);
    harness.get_by_role_and_label(Role::Button, "retarget").click();
    harness.run_steps(3);
    folder
}

/// The pose that is seen, where nothing went wrong.
fn pose(harness: &mut Harness<'_, Viewer>) -> Option<u64> {
    assert_eq!(harness.state().failure(), None);
    harness.state_mut().pose_hash()
}

/// What the list of a bone shows.
fn shown(harness: &Harness<'_, Viewer>, list: &str) -> String {
    let node = harness.get_by_role_and_label(Role::ComboBox, list);
    node.accesskit_node().value().expect("a joint")
}

/// Picks a joint from the list of a bone, and waits.
fn pick(harness: &mut Harness<'_, Viewer>, list: &str, joint: &str) {
    harness.get_by_role_and_label(Role::ComboBox, list).scroll_to_me();
    harness.run_steps(12);
    harness.get_by_role_and_label(Role::ComboBox, list).click();
    harness.run_steps(3);
    harness.get_by_role_and_label(Role::Button, joint).scroll_to_me();
    harness.run_steps(12);
    harness.get_by_role_and_label(Role::Button, joint).click();
    harness.run_steps(2);
    wait_until_opened(harness);
}

fn undo(harness: &mut Harness<'_, Viewer>, redo: bool) {
    let shift = if redo { egui::Modifiers::SHIFT } else { egui::Modifiers::NONE };
    harness.key_press_modifiers(egui::Modifiers::COMMAND | shift, egui::Key::Z);
    harness.run_steps(2);
    wait_until_opened(harness);
}

#[test]
fn every_bone_is_listed_and_what_is_missed_comes_first() {
    let Some(mut harness) = viewer() else { return };
    assert!(harness.query_by_label("retarget").is_none(), "there is nothing to see yet");
    let folder = bring(&mut harness, "rows", with_a_paw);
    // At the left there are joints of these names, too.
    let of_panel = |rect: &egui::Rect| rect.left() > 600.0;
    let top = |label: &str| {
        let rects = harness.query_all_by_label(label).map(|node| node.rect());
        rects.filter(of_panel).map(|rect| rect.top()).next().expect(label)
    };
    assert!(top("left hand: not found") < top("hips"), "first");
    assert!(top("hips") < top("left lower leg"));
    let how = harness.query_all_by_label("not found, name").next().expect("how both were found").rect();
    assert!((how.top() - top("left hand: not found")).abs() < 4.0, "{how}");
    assert_eq!(shown(&harness, "left hand of the motions"), "none");
    assert_eq!(shown(&harness, "left hand of the character"), "hand_l");
    for (bone, joint) in [("hips", "hips"), ("right hand", "hand_r"), ("left foot", "foot_l")] {
        for whose in ["motions", "character"] {
            assert_eq!(shown(&harness, &format!("{bone} of the {whose}")), joint);
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_correction_is_seen_taken_back_and_copied_as_a_recipe() {
    let Some(mut harness) = viewer() else { return };
    let folder = bring(&mut harness, "corrected", with_a_paw);
    let (before, time_s) = (harness.state_mut().pose_hash(), harness.state().time_s());
    let finger = |harness: &Harness<'_, Viewer>| harness.state().place_of("middle_03_l").expect("a finger");
    let straight = finger(&harness);
    pick(&mut harness, "left hand of the motions", "paw_ik");
    assert_eq!((harness.state().failure(), harness.state().time_s()), (None, time_s));
    let after = harness.state_mut().pose_hash();
    assert!(finger(&harness).distance(straight) > 4.0, "the hand bends: {straight}");
    assert_eq!(shown(&harness, "left hand of the motions"), "paw_ik");
    assert!(harness.query_by_label("left hand: not found").is_none());
    assert!(harness.query_by_label("corrected, name").is_some());
    // What is copied says the same.
    let mut wanted = BoneNames::default();
    wanted.set("source.left_hand", "paw_ik").unwrap();
    assert_eq!(recipe::read(copied(&mut harness).as_bytes()).unwrap().bones, Some(wanted));
    undo(&mut harness, false);
    assert_eq!(pose(&mut harness), before);
    assert_eq!(shown(&harness, "left hand of the motions"), "none");
    undo(&mut harness, true);
    assert_eq!(pose(&mut harness), after);
    // By the list and by the button, too.
    pick(&mut harness, "left hand of the motions", "as found");
    assert_eq!(harness.state_mut().pose_hash(), before);
    pick(&mut harness, "left hand of the motions", "paw_ik");
    harness.get_by_label("all as found").click();
    harness.run_steps(2);
    wait_until_opened(&mut harness);
    assert_eq!(harness.state_mut().pose_hash(), before);
    // A joint of the character: what is left out rests.
    pick(&mut harness, "right hand of the character", "none");
    assert!(harness.query_by_label("right hand: left out").is_some());
    assert_ne!(harness.state_mut().pose_hash(), before);
    std::fs::remove_dir_all(folder).unwrap();
}

/// Presses the button, and gives what is on the clipboard then.
fn copied(harness: &mut Harness<'_, Viewer>) -> String {
    harness.get_by_label("copy as recipe").click();
    for _ in 0..4 {
        harness.run_steps(1);
        for command in &harness.output().platform_output.commands {
            if let OutputCommand::CopyText(text) = command {
                return text.clone();
            }
        }
    }
    panic!("nothing was copied");
}

#[test]
fn what_cannot_be_is_told_and_the_picture_stays() {
    let Some(mut harness) = viewer() else { return };
    let folder = bring(&mut harness, "impossible", with_a_paw);
    let before = harness.state_mut().pose_hash();
    pick(&mut harness, "hips of the motions", "none");
    let failure = harness.state().failure().expect("it is told").to_string();
    assert!(failure.contains("tall.bvh") && failure.contains("hips"), "{failure}");
    assert_eq!(harness.state().title().0, "mannequin.glb");
    assert_eq!(harness.state_mut().pose_hash(), before);
    assert!(harness.query_by_label_contains("This cannot be done").is_some());
    assert!(harness.query_by_label("hips: left out").is_some(), "it can be seen what is wrong");
    undo(&mut harness, false);
    assert_eq!(pose(&mut harness), before);
    assert!(harness.query_by_label_contains("This cannot be done").is_none());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn motions_that_were_refused_are_brought_over_once_their_bones_are_named() {
    let Some(mut harness) = viewer() else { return };
    let folder = bring(&mut harness, "refused", without_words_for_a_leg);
    assert_eq!(harness.state().title().0, "tall.bvh", "they are shown by themselves");
    assert!(harness.query_by_label_contains("Nothing came onto mannequin.glb yet").is_some());
    // From below: with the thigh, the rest of the leg is found.
    for (bone, joint) in [("foot", "r"), ("lower leg", "q"), ("upper leg", "p")] {
        assert_eq!(harness.state().title().0, "tall.bvh", "not yet: {bone}");
        pick(&mut harness, &format!("left {bone} of the motions"), joint);
    }
    let (name, clip) = harness.state().title();
    assert_eq!((harness.state().failure(), name.as_str()), (None, "mannequin.glb"));
    assert!(clip.contains("tall"), "{clip}");
    assert!(harness.query_by_label_contains("Nothing came").is_none());
    std::fs::remove_dir_all(folder).unwrap();
}
