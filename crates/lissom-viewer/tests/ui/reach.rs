//! What is done to the pose of a mix: a joint that reaches, joints that swing.

use super::{drag, pick, press, viewer};
use crate::Viewer;
use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
};

/// The mix, paused, with a joint chosen.
fn mix(joint: &str) -> Option<Harness<'static, Viewer>> {
    let mut harness = viewer()?;
    harness.set_size(egui::vec2(super::SIZE[0], 900.0));
    harness.key_press(egui::Key::Home);
    harness.run_steps(3);
    press(&mut harness, "skeleton");
    harness.get_by_label("mix").click();
    harness.run_steps(3);
    for label in ["reach", "springs"] {
        assert!(harness.get_by_label(label).accesskit_node().is_disabled(), "{label} needs a joint");
    }
    pick(&mut harness, joint);
    assert!(!harness.get_by_label("reach").accesskit_node().is_disabled(), "{joint} is chosen");
    Some(harness)
}

fn place(harness: &Harness<'_, Viewer>, joint: &str) -> egui::Pos2 {
    harness.state().place_of(joint).expect("there is such a joint")
}

#[test]
fn a_joint_reaches_for_a_target_that_is_dragged_until_it_is_let_go() {
    // Two bones, then a chain of more, then one.
    for (joint, bones) in [("hand_l", 2), ("hand_r", 4), ("foot_l", 1)] {
        let Some(mut harness) = mix(joint) else { return };
        let before = harness.state_mut().pose_hash();
        harness.get_by_label("reach").click();
        harness.run_steps(2);
        for _ in bones..2 {
            harness.get_by_role_and_label(egui::accesskit::Role::Slider, "bones").focus();
            harness.key_press(egui::Key::ArrowLeft);
            harness.run_steps(2);
        }
        for _ in 2..bones {
            harness.get_by_role_and_label(egui::accesskit::Role::Slider, "bones").focus();
            harness.key_press(egui::Key::ArrowRight);
            harness.run_steps(2);
        }
        let (from, camera) = (place(&harness, joint), place(&harness, "head"));
        let to = from + egui::vec2(15.0, -45.0);
        drag(&mut harness, from, to);
        let missed = (place(&harness, joint) - to).length();
        assert_eq!(harness.query_by_label(&format!("{joint}: there")).is_some(), bones > 1);
        assert!(if bones > 1 { missed < 1.0 } else { missed > 1.0 && missed < 48.0 }, "{joint}: {missed}");
        assert!(bones == 4 || (place(&harness, "head") - camera).length() < 0.01, "the camera stands still");
        assert_ne!(harness.state_mut().pose_hash(), before);
        // It stays there while time goes on, until the body has walked away. The camera would go along.
        press(&mut harness, "camera goes along");
        harness.run_steps(2);
        let to = place(&harness, joint);
        harness.key_press(egui::Key::Space);
        harness.run_steps(4);
        let missed = (place(&harness, joint) - to).length();
        assert!(bones == 1 || missed < 1.0, "{joint}: {missed}");
        harness.key_press(egui::Key::Space);
        harness.run_steps(2);
        harness.get_by_label("reach").click();
        harness.run_steps(2);
        assert!((place(&harness, joint) - to).length() > 10.0, "as the clips have it");
        assert_eq!(harness.state().failure(), None);
    }
}

#[test]
fn a_reach_that_is_switched_off_leaves_every_bit_as_it_was() {
    let Some(mut harness) = mix("hand_l") else { return };
    let before = harness.state_mut().pose_hash();
    for label in ["reach", "springs", "reach", "springs"] {
        harness.get_by_label(label).click();
        harness.run_steps(2);
    }
    assert_eq!(harness.state_mut().pose_hash(), before);
}

#[test]
fn joints_swing_after_the_motion_until_they_are_switched_off() {
    let Some(mut harness) = mix("upperarm_l") else { return };
    harness.get_by_label("springs").click();
    harness.run_steps(2);
    let stiffness = super::slider(&harness, "stiffness");
    drag(
        &mut harness,
        stiffness.center(),
        stiffness.left_center() + egui::vec2(stiffness.width() * 0.3, 0.0),
    );
    harness.key_press(egui::Key::Space);
    harness.run_steps(25);
    harness.key_press(egui::Key::Space);
    harness.run_steps(2);
    let [swinging, other] = ["hand_l", "hand_r"].map(|joint| place(&harness, joint));
    harness.get_by_label("springs").click();
    harness.run_steps(2);
    assert!((place(&harness, "hand_l") - swinging).length() > 5.0);
    assert_eq!(place(&harness, "hand_r"), other, "nothing else swings");
    assert_eq!(harness.state().failure(), None);
}
