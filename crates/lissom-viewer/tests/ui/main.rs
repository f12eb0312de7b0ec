//! The viewer, driven as a user drives it, drawn without a window.
//!
//! A graphics device is needed; a software one will do (`apt install mesa-vulkan-drivers`). Where there is none, each test
//! says so and ends; with `LISSOM_NEED_GPU` set, as CI does, that is a failure.
#![allow(clippy::print_stderr, reason = "a test that cannot run says why")]

mod beside;
mod first;
mod inspect;
mod matched_file;
mod matching;
mod narrow;
mod numbers;
mod reach;
mod retarget;
mod snapshots;

use egui_kittest::{
    Harness,
    kittest::{NodeT, Queryable},
    wgpu::WgpuTestRenderer,
};
use lissom_build::{export::write_bvh, graph, mannequin};
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, StateParts, Test, TransitionParts},
};
use lissom_viewer::{Document, Export, Viewer, device, dress};
use std::path::PathBuf;

const SIZE: [f32; 2] = [900.0, 600.0];

/// A harness round a viewer that shows the mannequin; `None` where nothing can be drawn.
fn viewer() -> Option<Harness<'static, Viewer>> {
    viewer_by(1.0 / 60.0)
}

/// The same, with so many seconds from frame to frame: what takes long is drawn less often.
fn viewer_by(step_s: f32) -> Option<Harness<'static, Viewer>> {
    let state = match device() {
        Ok(state) => state,
        Err(why) => {
            assert!(std::env::var_os("LISSOM_NEED_GPU").is_none(), "{why}");
            eprintln!("SKIPPED: {why}");
            return None;
        }
    };
    let mut viewer = Viewer::new(&state);
    // A processor draws, and most frames are not looked at.
    viewer.draw_later();
    viewer.show(Document::mannequin());
    assert_eq!(viewer.failure(), None);
    let mut harness = Harness::builder()
        .with_size(SIZE)
        .with_step_dt(step_s)
        .renderer(WgpuTestRenderer::from_render_state(state))
        .with_context_setup(dress)
        .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer);
    // What is scrolled to is there at once.
    harness.ctx.all_styles_mut(|style| style.scroll_animation = egui::style::ScrollAnimation::none());
    harness.run_steps(4);
    Some(harness)
}

fn time_s(harness: &Harness<'_, Viewer>) -> f64 {
    harness.state().time_s().expect("a clip plays")
}

/// Clicks on what is called so, wherever it has to be scrolled to.
fn press(harness: &mut Harness<'_, Viewer>, label: &str) {
    harness.get_by_label(label).scroll_to_me();
    harness.run_steps(4);
    harness.get_by_label(label).click();
    harness.run_steps(3);
}

/// The part of the picture right of the side panel and above the time line.
fn scene(harness: &mut Harness<'_, Viewer>) -> Vec<[u8; 4]> {
    harness.state_mut().draw_now();
    let picture = harness.render().expect("it can be drawn");
    let rect = harness.get_by_label("scene").rect();
    let mut pixels = Vec::new();
    for y in rect.top().ceil() as u32..rect.bottom().floor() as u32 {
        for x in rect.left().ceil() as u32..rect.right().floor() as u32 {
            pixels.push(picture.get_pixel(x, y).0);
        }
    }
    assert!(pixels.len() > 10_000, "{rect:?}");
    pixels
}

/// How many pixels differ by more than a little.
fn different(a: &[[u8; 4]], b: &[[u8; 4]]) -> usize {
    assert_eq!(a.len(), b.len());
    let far = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 12);
    a.iter().zip(b).filter(far).count()
}

#[test]
fn the_mannequin_is_seen_and_moves() {
    let Some(mut harness) = viewer() else { return };
    let drawn = drawn(&mut harness);
    assert!(drawn > 5_000, "{drawn} pixels");
    let first = scene(&mut harness);
    harness.run_steps(12);
    assert!(different(&first, &scene(&mut harness)) > 200);
}

#[test]
fn it_plays_and_pauses_by_button_and_by_key() {
    let Some(mut harness) = viewer() else { return };
    let start = time_s(&harness);
    harness.run_steps(6);
    let played = time_s(&harness);
    assert!(played > start, "{start} {played}");
    harness.get_by_label("pause").click();
    harness.run_steps(2);
    let paused = time_s(&harness);
    harness.run_steps(6);
    assert_eq!(time_s(&harness), paused);
    harness.key_press(egui::Key::Space);
    harness.run_steps(3);
    assert!(time_s(&harness) > paused);
}

#[test]
fn a_click_on_the_time_line_goes_there_and_arrows_step() {
    let Some(mut harness) = viewer() else { return };
    // Too narrow for the names of rows: the line is as wide as all of it.
    harness.set_size(egui::vec2(500.0, 600.0));
    harness.run_steps(3);
    let bar = harness.get_by_label("time").rect();
    harness.hover_at(bar.center());
    harness.run_steps(1);
    harness.drag_at(bar.center());
    harness.run_steps(1);
    harness.drop_at(bar.center());
    harness.run_steps(1);
    let half = time_s(&harness);
    harness.key_press(egui::Key::End);
    harness.run_steps(2);
    let end = time_s(&harness);
    assert!((half - end * 0.5).abs() < end * 0.01, "{half} of {end}");
    harness.key_press(egui::Key::Home);
    harness.run_steps(2);
    assert_eq!(time_s(&harness), 0.0);
    harness.key_press(egui::Key::ArrowRight);
    harness.run_steps(2);
    assert!((time_s(&harness) - 1.0 / 30.0).abs() < 1e-9);
}

#[test]
fn another_clip_is_chosen_from_the_list() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::End);
    harness.run_steps(2);
    let walk_s = time_s(&harness);
    harness.get_by_label("run").click();
    harness.run_steps(2);
    harness.key_press(egui::Key::End);
    harness.run_steps(2);
    assert_ne!(time_s(&harness), walk_s);
}

#[test]
fn vertices_moved_on_the_gpu_are_where_the_skin_job_puts_them() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::Space);
    harness.run_steps(2);
    let on_gpu = scene(&mut harness);
    assert_eq!(harness.state().moved_on_cpu(), 0);
    press(&mut harness, "CPU");
    harness.run_steps(2);
    let on_cpu = scene(&mut harness);
    assert!(harness.state().moved_on_cpu() > 5_000, "{}", harness.state().moved_on_cpu());
    let apart = different(&on_gpu, &on_cpu);
    assert!(apart * 2000 < on_gpu.len(), "{apart} of {} pixels differ", on_gpu.len());
}

/// Presses at a place, moves, lets go.
fn drag(harness: &mut Harness<'_, Viewer>, from: egui::Pos2, to: egui::Pos2) {
    harness.hover_at(from);
    harness.run_steps(1);
    harness.drag_at(from);
    harness.run_steps(1);
    harness.hover_at(to);
    harness.run_steps(1);
    harness.drop_at(to);
    harness.run_steps(2);
}

/// Clicks on a joint in the picture; the skeleton is shown.
fn pick(harness: &mut Harness<'_, Viewer>, joint: &str) {
    let place = harness.state().place_of(joint).expect("there is such a joint");
    harness.hover_at(place);
    harness.run_steps(1);
    harness.drag_at(place);
    harness.run_steps(1);
    harness.drop_at(place);
    harness.run_steps(3);
}

#[test]
fn weights_of_a_mix_are_what_is_seen() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::Space);
    harness.get_by_label("mix").click();
    harness.run_steps(3);
    assert_eq!(harness.state().time_s(), None, "the mix decides");
    let of_walk = scene(&mut harness);
    let run = harness.get_by_label("weight of run").rect();
    drag(&mut harness, run.left_center() + egui::vec2(8.0, 0.0), run.right_center() - egui::vec2(8.0, 0.0));
    assert!(different(&of_walk, &scene(&mut harness)) > 200);
    // Whoever chooses a clip wants to see that clip.
    harness.get_all_by_label("idle").next().expect("a clip").click();
    harness.run_steps(2);
    assert_eq!(harness.state().title().1, "idle");
    assert!(harness.state().time_s().is_some());
}

#[test]
fn a_graph_follows_its_parameters_and_says_why() {
    let Some(mut harness) = viewer_by(0.1) else { return };
    harness.get_by_label("graph").click();
    harness.run_steps(4);
    assert!(harness.query_by_label_contains("move to crouch: waits for crouch").is_some());
    // At the start the character walks; at the right end of the blend it runs.
    assert!(harness.query_by_label_contains("no transition yet").is_some());
    let blend = harness.get_by_label("blend").rect();
    let walking = scene(&mut harness);
    drag(&mut harness, blend.center(), blend.right_center() - egui::vec2(2.0, 0.0));
    harness.run_steps(10);
    assert!(different(&walking, &scene(&mut harness)) > 500);
    harness.get_by_label("set crouch").click();
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("move to crouch").is_some());
    assert!(harness.query_by_label_contains("no transition yet").is_none());
    harness.get_by_label("play wave").click();
    harness.run_steps(25);
    // Up, through the air, and down again.
    harness.get_by_label("set jump").click();
    harness.run_steps(25);
    for taken in ["move to jump", "jump to air", "air to land", "land to move"] {
        assert!(harness.query_by_label(taken).is_some(), "{taken}");
    }
    // By keys as well: the second trigger is the jump; there is no ninth.
    assert_eq!(harness.state().states(), ["move"]);
    harness.key_press(egui::Key::Num9);
    harness.run_steps(3);
    assert_eq!(harness.state().states(), ["move"]);
    harness.key_press(egui::Key::Num2);
    harness.run_steps(3);
    assert_eq!(harness.state().states(), ["jump"]);
    assert_eq!(harness.state().failure(), None);
    harness.get_by_label("graph").click();
    harness.run_steps(2);
    assert!(harness.state().time_s().is_some(), "the clip decides again");
}

#[test]
fn another_precision_cooks_again_and_goes_on_where_it_was() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::Home);
    harness.key_press(egui::Key::ArrowRight);
    harness.get_by_label("compression").click();
    harness.run_steps(3);
    let at = time_s(&harness);
    let sum = |harness: &Harness<'_, Viewer>| -> u64 {
        let label = harness.get_by_label_contains("all clips:").accesskit_node().value().expect("a text");
        label.split_whitespace().nth(2).and_then(|n| n.parse().ok()).expect("a number of bytes")
    };
    let fine = sum(&harness);
    let slider = slider(&harness, "precision");
    drag(&mut harness, slider.center(), slider.right_center() - egui::vec2(4.0, 0.0));
    for _ in 0..1000 {
        harness.run_steps(1);
        if harness.query_by_label_contains("Opening").is_none() && sum(&harness) != fine {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(sum(&harness) < fine * 3 / 4, "{} of {fine}", sum(&harness));
    assert_eq!((harness.state().failure(), time_s(&harness)), (None, at));
}

/// The slider of this name.
fn slider(harness: &Harness<'_, Viewer>, label: &str) -> egui::Rect {
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, label).rect()
}

#[test]
fn a_crowd_walks_and_tells_what_each_stage_takes() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::Home);
    harness.run_steps(2);
    let alone = scene(&mut harness);
    harness.get_by_label("crowd").click();
    harness.run_steps(3);
    assert_eq!((harness.state().failure(), harness.state().time_s()), (None, None), "the crowd decides");
    let count = slider(&harness, "characters");
    drag(&mut harness, count.center(), count.left_center() + egui::vec2(count.width() * 0.3, 0.0));
    harness.run_steps(3);
    let label = harness.get_by_label_contains("in view").accesskit_node().value().expect("a text");
    let numbers: Vec<usize> = label.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(numbers[1] > 2 && numbers[1] < 200 && numbers[0] <= numbers[1], "{label}");
    let drawn = drawn(&mut harness);
    assert!(drawn > 5_000, "{drawn} pixels");
    let crowd = scene(&mut harness);
    harness.key_press(egui::Key::Space);
    harness.run_steps(15);
    assert!(different(&crowd, &scene(&mut harness)) > 200, "they go on");
    for stage in ["steer", "detail", "update", "upload", "draw"] {
        assert!(harness.query_by_label(stage).is_some(), "{stage}");
    }
    let micros = harness
        .query_all_by_label_contains(" µs")
        .filter(|n| !n.accesskit_node().value().is_none_or(|v| v.starts_with("0 ")))
        .count();
    assert!(micros >= 3, "{micros} stages took any time");
    // A detail that is switched off costs time and changes no more than little.
    harness.key_press(egui::Key::Space);
    harness.run_steps(2);
    let fine = scene(&mut harness);
    harness.get_by_label("detail by size on the screen").click();
    harness.run_steps(3);
    assert!(different(&fine, &scene(&mut harness)) * 20 < fine.len());
    // The document is where it was.
    harness.get_by_label("crowd").click();
    harness.run_steps(3);
    assert_eq!(time_s(&harness), 0.0);
    assert!(different(&alone, &scene(&mut harness)) * 1000 < alone.len());
}

#[test]
fn a_tree_in_the_world_is_dragged_onto_what_turns_and_turns_with_it() {
    let Some(mut harness) = viewer() else { return };
    // Room for all of it.
    harness.set_size(egui::vec2(SIZE[0], 900.0));
    harness.get_by_label("world").click();
    harness.run_steps(4);
    assert!(harness.query_by_label_contains("This is a demo scene").is_some());
    assert!(harness.query_by_label_contains("14 of 21 recomputed").is_some());
    let before = scene(&mut harness);
    let [from, to] = ["tree 2", "wheel"].map(|label| harness.get_by_label(label).rect().center());
    drag(&mut harness, from, to);
    harness.run_steps(4);
    assert_eq!(harness.state().failure(), None);
    assert!(harness.query_by_label_contains("15 of 21 recomputed").is_some());
    assert!(different(&before, &scene(&mut harness)) > 50);
    // What would carry itself is refused, and says so.
    let [from, to] = ["mill", "wheel"].map(|label| harness.get_by_label(label).rect().center());
    drag(&mut harness, from, to);
    assert!(harness.state().failure().is_some());
    harness.key_press(egui::Key::Escape);
    harness.key_press(egui::Key::Space);
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("0 of 21 recomputed").is_some(), "at rest nothing is");
}

#[test]
fn errors_are_seen_as_colours_and_as_two_skeletons() {
    let Some(mut harness) = viewer() else { return };
    harness.set_size(egui::vec2(SIZE[0], 900.0));
    harness.key_press(egui::Key::Home);
    harness.get_by_label("compression").click();
    harness.run_steps(3);
    let plain = scene(&mut harness);
    harness.get_by_label("error as colours").click();
    harness.run_steps(2);
    let colors = scene(&mut harness);
    assert!(different(&plain, &colors) > 2000);
    // Cooked to a tenth of a millimetre nothing is seen of both skeletons but one; a thousand times larger, two.
    harness.get_by_label("error as colours").click();
    harness.run_steps(2);
    harness.get_by_label("both skeletons").click();
    harness.run_steps(2);
    let greens = |pixels: &[[u8; 4]]| pixels.iter().filter(|p| p[1] > p[0].saturating_add(30)).count();
    let together = greens(&scene(&mut harness));
    let larger = slider(&harness, "times larger");
    drag(&mut harness, larger.left_center() + egui::vec2(4.0, 0.0), larger.right_center());
    let apart = greens(&scene(&mut harness));
    assert!(apart > together + 50, "{apart} {together}");
    assert_eq!(harness.state().failure(), None);
}

#[test]
fn a_joint_is_chosen_by_a_click_and_its_curves_are_drawn() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::Home);
    press(&mut harness, "skeleton");
    harness.get_by_label("curves").click();
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("Choose a joint").is_some());
    let before = scene(&mut harness);
    pick(&mut harness, "head");
    assert!(harness.query_by_label_contains("rotation: ").is_some(), "the curves of a joint");
    assert!(different(&before, &scene(&mut harness)) > 10, "its axes are drawn");
}

#[test]
fn moments_before_and_after_and_the_way_of_a_joint_are_drawn() {
    let Some(mut harness) = viewer() else { return };
    // Room for the list of joints.
    harness.set_size(egui::vec2(SIZE[0], 900.0));
    harness.key_press(egui::Key::Home);
    harness.run_steps(3);
    for label in ["before and after", "way of the joint"] {
        let before = scene(&mut harness);
        if label == "way of the joint" {
            press(&mut harness, "inspect tab");
            press(&mut harness, "hips");
            press(&mut harness, "display tab");
        }
        press(&mut harness, label);
        harness.run_steps(2);
        assert!(different(&before, &scene(&mut harness)) > 50, "{label}");
    }
}

#[test]
fn a_broken_file_leaves_what_was_there_and_says_why() {
    let Some(mut harness) = viewer() else { return };
    let path = scratch("broken.glb");
    std::fs::write(&path, b"glTF but no more").unwrap();
    drop_file(&mut harness, path.clone());
    let failure = harness.state().failure().expect("it is told").to_string();
    assert!(failure.contains("broken.glb"), "{failure}");
    assert!(harness.state().time_s().is_some());
    harness.run_steps(2);
    assert!(harness.query_by_label_contains("broken.glb").is_some());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_file_that_is_dropped_is_opened() {
    let Some(mut harness) = viewer() else { return };
    let path = scratch("two.bvh");
    std::fs::write(&path, BVH).unwrap();
    drop_file(&mut harness, path.clone());
    assert_eq!(harness.state().failure(), None);
    assert!(harness.query_by_label_contains("two.bvh").is_some());
    harness.key_press(egui::Key::End);
    harness.run_steps(2);
    assert!((time_s(&harness) - 0.2).abs() < 1e-6);
    assert!(drawn(&mut harness) > 40, "nothing but its bones can be seen, and they are");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn an_empty_and_a_huge_file_leave_what_was_there_and_say_why() {
    let Some(mut harness) = viewer() else { return };
    for (name, bytes, why) in [("empty.lsm", 0, "empty"), ("huge.lsm", 1_u64 << 40, "1073741824")] {
        let path = scratch(name);
        // Nothing is written: it only says how large it is.
        std::fs::File::create(&path).unwrap().set_len(bytes).unwrap();
        drop_file(&mut harness, path.clone());
        let failure = harness.state().failure().expect("it is told").to_string();
        assert!(failure.contains(name) && failure.contains(why), "{failure}");
        assert_eq!(harness.state().title().0, "mannequin");
        std::fs::remove_file(path).unwrap();
    }
    assert!(!scene(&mut harness).is_empty());
}

#[test]
fn thirty_thousand_joints_are_drawn_and_listed() {
    let Some(mut harness) = viewer() else { return };
    let path = scratch("many.bvh");
    std::fs::write(&path, many_joints(30_000)).unwrap();
    drop_file(&mut harness, path.clone());
    assert_eq!(harness.state().failure(), None);
    assert!(harness.query_by_label_contains("30000 joints").is_some());
    assert!(drawn(&mut harness) > 4_000);
    std::fs::remove_file(path).unwrap();
}

/// Pixels of the scene that are neither floor nor background.
fn drawn(harness: &mut Harness<'_, Viewer>) -> usize {
    harness.state_mut().bare(true);
    harness.run_steps(1);
    let pixels = scene(harness);
    harness.state_mut().bare(false);
    harness.run_steps(1);
    pixels.iter().filter(|p| different(&[**p], &[pixels[0]]) > 0).count()
}

/// Combs of a hundred joints on one root.
fn many_joints(count: usize) -> String {
    let mut text = "HIERARCHY\nROOT root { OFFSET 0 0 0 CHANNELS 1 Xrotation\n".to_owned();
    let mut joint = 1;
    while joint < count {
        let depth = (count - joint).min(100);
        for place in 0..depth {
            let x = if place == 0 { joint as f64 * 0.001 } else { 0.0 };
            text.push_str(&format!("JOINT j{} {{ OFFSET {x} 0.02 0 CHANNELS 0\n", joint + place));
        }
        text.push_str("End Site { OFFSET 0 0.02 0 }");
        text.push_str(&" }".repeat(depth));
        text.push('\n');
        joint += depth;
    }
    text.push_str(" }\nMOTION\nFrames: 2\nFrame Time: 0.1\n0\n10\n");
    text
}

#[test]
fn what_is_shown_stays_from_one_day_to_the_next() {
    let Some(mut harness) = viewer() else { return };
    press(&mut harness, "floor");
    press(&mut harness, "skeleton");
    harness.run_steps(2);
    let mut storage = Kept::default();
    harness.state().save(&mut storage);
    let Some(mut next) = viewer() else { return };
    let before = scene(&mut next);
    next.state_mut().restore(&storage);
    next.run_steps(2);
    assert!(next.get_by_label("skeleton").accesskit_node().toggled() == Some(egui::accesskit::Toggled::True));
    assert!(next.get_by_label("floor").accesskit_node().toggled() == Some(egui::accesskit::Toggled::False));
    assert!(different(&before, &scene(&mut next)) > 500);
}

#[derive(Default)]
struct Kept(std::collections::BTreeMap<String, String>);

impl eframe::Storage for Kept {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.into(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

#[test]
fn a_file_that_changes_is_opened_again_where_it_was() {
    let Some(mut harness) = viewer() else { return };
    let path = scratch("changing.bvh");
    std::fs::write(&path, BVH).unwrap();
    drop_file(&mut harness, path.clone());
    harness.key_press(egui::Key::Home);
    harness.key_press(egui::Key::ArrowRight);
    harness.run_steps(2);
    let at = time_s(&harness);
    std::fs::write(
        &path,
        BVH.replace("Frames: 3", "Frames: 4").replace("60 0 0", "60 0 0\n0 1 0 0 0 0 90 0 0"),
    )
    .unwrap();
    let mut end = 0.0;
    for _ in 0..1000 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        harness.run_steps(1);
        end = harness.state().duration_s();
        if end > 0.25 {
            break;
        }
    }
    assert!((end - 0.3).abs() < 1e-6, "{end}");
    assert_eq!((harness.state().failure(), time_s(&harness)), (None, at));
    // A save that went wrong does not take away what is there.
    std::fs::write(&path, "HIERARCHY").unwrap();
    for _ in 0..1000 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        harness.run_steps(1);
        if harness.state().failure().is_some() {
            break;
        }
    }
    assert!(harness.state().failure().expect("it is told").to_string().contains("changing.bvh"));
    assert_eq!(time_s(&harness), at);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn files_that_are_dropped_together_are_one_document() {
    let Some(mut harness) = viewer() else { return };
    let paths = ["one.bvh", "two.bvh"].map(scratch);
    for (path, angle) in paths.iter().zip(["30", "45"]) {
        std::fs::write(path, BVH.replace("30", angle)).unwrap();
    }
    drop_files(&mut harness, &paths);
    assert_eq!(harness.state().failure(), None);
    assert!(harness.query_by_label_contains("2 clips").is_some());
    paths.iter().for_each(|path| std::fs::remove_file(path).unwrap());
}

#[test]
fn motions_that_are_dropped_onto_a_character_are_brought_onto_it() {
    let Some(mut harness) = viewer() else { return };
    // Room for a bar of one line, with the report's button too.
    harness.set_size(egui::vec2(1200.0, SIZE[1]));
    harness.run_steps(2);
    let folder = scratch("brought");
    std::fs::create_dir_all(&folder).unwrap();
    let character = harness.state_mut().export(Export::Glb, &folder).unwrap();
    drop_file(&mut harness, character);
    assert_eq!(harness.state().title().0, "mannequin.glb");
    // Somebody taller, who walks.
    let mut tall = mannequin::skeleton();
    for joint in &mut tall.joints {
        joint.rest.translation = joint.rest.translation * 1.2;
    }
    let mut walk = mannequin::clip(mannequin::Motion::Walk);
    for key in walk.tracks.iter_mut().flat_map(|track| &mut track.translation.keys) {
        key.value = key.value * 1.2;
    }
    let motion = folder.join("tall.bvh");
    std::fs::write(&motion, write_bvh(&tall, &walk).unwrap()).unwrap();
    let before = scene(&mut harness);
    drop_file(&mut harness, motion);
    assert_eq!(harness.state().failure(), None);
    let (name, clip) = harness.state().title();
    assert_eq!((name.as_str(), clip.contains("tall")), ("mannequin.glb", true), "{clip}");
    assert!(harness.query_by_label_contains("Brought onto mannequin.glb").is_some(), "the report is shown");
    assert!(harness.query_by_label("tall.bvh").is_some());
    harness.key_press(egui::Key::Escape);
    harness.run_steps(12);
    assert!(harness.query_by_label("tall.bvh").is_none(), "and closed");
    assert!(different(&before, &scene(&mut harness)) > 200, "it walks");
    // What is no human is shown by itself.
    let two = folder.join("two.bvh");
    std::fs::write(&two, BVH).unwrap();
    drop_file(&mut harness, two);
    assert_eq!((harness.state().failure(), harness.state().title().0.as_str()), (None, "two.bvh"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_graph_from_a_file_is_played_tuned_and_saved_back() {
    let Some(mut harness) = viewer() else { return };
    harness.set_size(egui::vec2(SIZE[0], 900.0));
    let body = LayerParts::new("body")
        .state(StateParts::clip("stand", "idle"))
        .state(StateParts::clip("go", "walk"))
        .transition(TransitionParts::new("stand", "go").when("go", Test::On).fade(0.2));
    let parts = GraphParts::new().trigger("go").layer(body);
    let path = scratch("tuned.json");
    std::fs::write(&path, graph::to_json(&parts)).unwrap();
    drop_file(&mut harness, path.clone());
    assert_eq!(harness.state().failure(), None);
    assert!(harness.query_by_label_contains("stand to go: waits for go").is_some());
    harness.get_by_label("Numbers").click();
    // Until it has unfolded.
    harness.run_steps(30);
    let fade = harness
        .query_all_by_role(egui::accesskit::Role::SpinButton)
        .find(|n| n.accesskit_node().value().is_some_and(|v| v.contains("over 0.2")))
        .expect("a number to drag")
        .rect();
    drag(&mut harness, fade.center(), fade.center() + egui::vec2(60.0, 0.0));
    harness.get_by_label("set go").click();
    harness.run_steps(5);
    assert!(harness.query_by_label_contains("no transition yet").is_none(), "the tuned graph plays on");
    harness.get_by_label_contains("save ").click();
    harness.run_steps(2);
    assert_eq!(harness.state().failure(), None);
    let saved = graph::read(&std::fs::read(&path).unwrap()).unwrap();
    let fade_s = saved.parts().layers[0].transitions[0].fade_s;
    assert!(fade_s > 0.4 && fade_s < 1.5, "{fade_s}");
    // What is wrong is told with its line, and the graph before it plays on.
    let text = graph::to_json(&parts).replace("\"walk\"", "\"fly\"");
    std::fs::write(&path, text).unwrap();
    drop_file(&mut harness, path.clone());
    let failure = harness.state().failure().expect("it is told").to_string();
    assert!(failure.contains("line") && failure.contains("fly"), "{failure}");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_picture_a_moving_one_and_a_gltf_are_saved() {
    let Some(mut harness) = viewer() else { return };
    let folder = scratch("saved");
    std::fs::create_dir_all(&folder).unwrap();
    harness.key_press(egui::Key::Home);
    harness.run_steps(2);
    let seen = scene(&mut harness);
    let picture = harness.state_mut().export(Export::Png, &folder).unwrap();
    assert_eq!(picture.file_name().unwrap(), "mannequin walk.png");
    let again = harness.state_mut().export(Export::Png, &folder).unwrap();
    assert_eq!(again.file_name().unwrap(), "mannequin walk 2.png", "nothing is written over");
    let bytes = std::fs::read(picture).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let colors = |pixels: &[[u8; 4]]| {
        pixels
            .iter()
            .map(|p| p.map(u64::from))
            .fold([0; 4], |a, p| [a[0] + p[0], a[1] + p[1], a[2] + p[2], 0])
    };
    let (saved, seen_sum) = (colors(pixels.as_chunks().0), colors(&seen));
    for (a, b) in saved.into_iter().zip(seen_sum).take(3) {
        assert!(a.abs_diff(b) * 20 < b, "the picture is what is seen: {saved:?} {seen_sum:?}");
    }
    // A lap of the walk, 25 frames per second; then it is where it was.
    let moving = harness.state_mut().export(Export::Gif, &folder).unwrap();
    harness.run_steps(40);
    assert_eq!((harness.state().failure(), time_s(&harness)), (None, 0.0));
    let bytes = std::fs::read(moving).unwrap();
    let mut frames = gif::DecodeOptions::new().read_info(&bytes[..]).unwrap();
    let mut count = 0;
    while frames.read_next_frame().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 27);
    assert!(frames.width() <= 480 && frames.width() > 200, "{}", frames.width());
    let hash = harness.state_mut().pose_hash();
    let model = harness.state_mut().export(Export::Glb, &folder).unwrap();
    drop_file(&mut harness, model);
    assert_eq!((harness.state().failure(), harness.state().title().0.as_str()), (None, "mannequin.glb"));
    assert!(hash.is_some() && harness.query_by_label_contains("9 clips").is_some());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bounds_and_sockets_are_drawn() {
    let Some(mut harness) = viewer() else { return };
    harness.key_press(egui::Key::Home);
    harness.run_steps(2);
    for label in ["bounds", "sockets"] {
        let before = scene(&mut harness);
        press(&mut harness, label);
        harness.run_steps(1);
        assert!(different(&before, &scene(&mut harness)) > 20, "{label}");
    }
    assert_eq!(harness.state().failure(), None);
}

#[test]
fn a_file_is_opened_from_the_list() {
    let Some(mut harness) = viewer() else { return };
    let folder = scratch("list");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("two.bvh"), BVH).unwrap();
    harness.get_by_label("file").click();
    harness.run_steps(2);
    harness.get_by_label("open…").click();
    harness.run_steps(3);
    let path = harness.get_by_label("path");
    path.focus();
    harness.run_steps(1);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.get_by_label("path").type_text(&folder.display().to_string());
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    harness.run_steps(2);
    harness.get_by_label("two.bvh").click();
    wait_until_opened(&mut harness);
    assert_eq!((harness.state().failure(), harness.state().title().0.as_str()), (None, "two.bvh"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_window_of_one_pixel_does_no_harm() {
    let Some(mut harness) = viewer() else { return };
    harness.set_size(egui::vec2(1.0, 1.0));
    harness.run_steps(2);
    harness.set_size(SIZE.into());
    harness.run_steps(3);
    assert_eq!(harness.state().failure(), None);
    assert!(!scene(&mut harness).is_empty());
}

const BVH: &str = "HIERARCHY
ROOT hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT spine
  {
    OFFSET 0 0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.5 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.1
0 1 0 0 0 0 0 0 0
0 1 0 0 0 0 30 0 0
0 1 0 0 0 0 60 0 0
";

fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("lissom-viewer-{}-{name}", std::process::id()))
}

/// A file as a desktop hands it over.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|e| e.to_string())
    }
}

/// Drops a file and waits until it was opened, or refused.
fn drop_file(harness: &mut Harness<'_, Viewer>, path: PathBuf) {
    drop_files(harness, &[path]);
}

fn drop_files(harness: &mut Harness<'_, Viewer>, paths: &[PathBuf]) {
    for path in paths {
        harness.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(path.clone())));
    }
    harness.run_steps(1);
    wait_until_opened(harness);
}

fn wait_until_opened(harness: &mut Harness<'_, Viewer>) {
    for _ in 0..500 {
        harness.run_steps(1);
        if harness.query_by_label_contains("Opening").is_none() {
            harness.run_steps(2);
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("it was never opened");
}
