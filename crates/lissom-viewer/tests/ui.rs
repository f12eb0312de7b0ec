//! The viewer, driven as a user drives it, drawn without a window.
//!
//! A graphics device is needed; a software one will do (`apt install mesa-vulkan-drivers`). Where there is none, each test
//! says so and ends; with `LISSOM_NEED_GPU` set, as CI does, that is a failure.
#![allow(clippy::print_stderr, reason = "a test that cannot run says why")]

use egui_kittest::{Harness, kittest::Queryable, wgpu::WgpuTestRenderer};
use lissom_viewer::{Document, Viewer, device};
use std::path::PathBuf;

const SIZE: [f32; 2] = [900.0, 600.0];

/// A harness round a viewer that shows the mannequin; `None` where nothing can be drawn.
fn viewer() -> Option<Harness<'static, Viewer>> {
    let state = match device() {
        Ok(state) => state,
        Err(why) => {
            assert!(std::env::var_os("LISSOM_NEED_GPU").is_none(), "{why}");
            eprintln!("SKIPPED: {why}");
            return None;
        }
    };
    let mut viewer = Viewer::new(&state);
    viewer.show(Document::mannequin());
    assert_eq!(viewer.failure(), None);
    let mut harness = Harness::builder()
        .with_size(SIZE)
        .with_step_dt(1.0 / 60.0)
        .renderer(WgpuTestRenderer::from_render_state(state))
        .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer);
    harness.run_steps(3);
    Some(harness)
}

fn time_s(harness: &Harness<'_, Viewer>) -> f64 {
    harness.state().time_s().expect("a clip plays")
}

/// The part of the picture right of the side panel and above the time line.
fn scene(harness: &mut Harness<'_, Viewer>) -> Vec<[u8; 4]> {
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
    let first = scene(&mut harness);
    let background = first[0];
    let drawn = first.iter().filter(|p| different(&[**p], &[background]) > 0).count();
    assert!(drawn > first.len() / 50, "{drawn} of {} pixels", first.len());
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
    harness.get_by_label("CPU").click();
    harness.run_steps(2);
    let on_cpu = scene(&mut harness);
    let apart = different(&on_gpu, &on_cpu);
    assert!(apart * 2000 < on_gpu.len(), "{apart} of {} pixels differ", on_gpu.len());
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
    // Nothing but its bones can be seen, and they are.
    let pixels = scene(&mut harness);
    assert!(pixels.iter().any(|p| different(&[*p], &[pixels[0]]) > 0));
    std::fs::remove_file(path).unwrap();
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
    harness.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(path)));
    harness.run_steps(1);
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
