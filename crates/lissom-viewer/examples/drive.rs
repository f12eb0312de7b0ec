//! Drives the viewer by a script, without a window, and takes pictures: `cargo run -p lissom-viewer --example drive -- SCRIPT`.
//!
//! ```text
//! size 1280 800          of the window, in points; before all else
//! scale 2                pixels a point; before all else
//! light                  or dark
//! open hero.glb walk.bvh as if they were dropped together
//! beside other.glb       as if it was dropped with shift
//! click graph            on what is called so; `click 2 walk`: the second of them
//! scroll camera goes along
//! drag time 0.2 0.8      from a share of its width to another
//! move 400 300 500 280   presses there, moves there, lets go; `move middle …`, `move right …`
//! hover 400 300
//! key ctrl+shift+Z
//! type hero              into what has the focus
//! steps 30               frames, a sixtieth of a second each
//! shot hero.png
//! ```
#![allow(clippy::print_stdout, reason = "a program talks to its user")]

use egui::{Event, Key, Modifiers, PointerButton, Pos2, pos2};
use egui_kittest::{Harness, kittest::Queryable, wgpu::WgpuTestRenderer};
use lissom_viewer::{Document, Viewer, device, dress};
use std::path::{Path, PathBuf};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;
type Driven = Harness<'static, Viewer>;

fn main() -> Outcome {
    let file = std::env::args().nth(1).ok_or("usage: drive SCRIPT")?;
    let script = std::fs::read_to_string(&file)?;
    let lines: Vec<(&str, &str)> = script
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(' ').unwrap_or((line, "")))
        .collect();
    let first = |word: &str| lines.iter().find(|(own, _)| *own == word).map(|(_, rest)| numbers(rest));
    let size = first("size").transpose()?.unwrap_or_else(|| vec![1280.0, 800.0]);
    let scale = first("scale").transpose()?.unwrap_or_else(|| vec![1.0])[0];
    let state = device()?;
    let mut viewer = Viewer::new(&state);
    if !lines.iter().any(|(word, _)| *word == "open") {
        viewer.show(Document::mannequin());
    }
    let mut harness: Driven = Harness::builder()
        .with_size([size[0], size[1]])
        .with_pixels_per_point(scale)
        .with_step_dt(1.0 / 60.0)
        .renderer(WgpuTestRenderer::from_render_state(state))
        .with_context_setup(dress)
        .build_ui_state(|ui, viewer: &mut Viewer| viewer.ui(ui), viewer);
    harness.run_steps(3);
    for (word, rest) in lines {
        step(&mut harness, word, rest).map_err(|e| format!("{word} {rest}: {e}"))?;
    }
    Ok(())
}

fn step(harness: &mut Driven, word: &str, rest: &str) -> Outcome {
    match word {
        "size" | "scale" => {}
        "light" => harness.ctx.set_theme(egui::Theme::Light),
        "dark" => harness.ctx.set_theme(egui::Theme::Dark),
        "open" => open(harness, rest, false)?,
        "beside" => open(harness, rest, true)?,
        "click" => {
            let at = place(harness, rest)?;
            press(harness, PointerButton::Primary, at.center(), at.center());
        }
        "scroll" => {
            nth(rest, |label, n| {
                let found = harness.query_all_by_label(label).nth(n);
                found.map(|node| node.scroll_to_me()).ok_or_else(|| format!("there is no {label}").into())
            })?;
            harness.run_steps(4);
        }
        "drag" => {
            let mut words: Vec<&str> = rest.split(' ').collect();
            let to: f32 = words.pop().ok_or("two shares")?.parse()?;
            let from: f32 = words.pop().ok_or("two shares")?.parse()?;
            let rect = place(harness, &words.join(" "))?;
            let at = |share: f32| pos2(egui::lerp(rect.x_range(), share), rect.center().y);
            press(harness, PointerButton::Primary, at(from), at(to));
        }
        "move" => {
            let (button, rest) = match rest.split_once(' ') {
                Some(("middle", rest)) => (PointerButton::Middle, rest),
                Some(("right", rest)) => (PointerButton::Secondary, rest),
                _ => (PointerButton::Primary, rest),
            };
            let n = numbers(rest)?;
            let [a, b, c, d] = n[..] else { return Err("four numbers".into()) };
            press(harness, button, pos2(a, b), pos2(c, d));
        }
        "hover" => {
            let n = numbers(rest)?;
            harness.hover_at(pos2(n[0], n[1]));
            harness.run_steps(2);
        }
        "key" => {
            let mut modifiers = Modifiers::NONE;
            let mut parts: Vec<&str> = rest.split('+').collect();
            let key = parts.pop().and_then(Key::from_name).ok_or("no such key")?;
            for part in parts {
                modifiers |= match part {
                    "ctrl" => Modifiers::COMMAND,
                    "shift" => Modifiers::SHIFT,
                    "alt" => Modifiers::ALT,
                    _ => return Err(format!("no such key: {part}").into()),
                };
            }
            harness.key_press_modifiers(modifiers, key);
            harness.run_steps(2);
        }
        "type" => {
            harness.event(Event::Text(rest.into()));
            harness.run_steps(2);
        }
        "steps" => harness.run_steps(rest.parse()?),
        "shot" => {
            harness.remove_cursor();
            harness.run_steps(20);
            harness.render()?.save(Path::new(rest))?;
            println!("{rest}");
        }
        _ => return Err("that is not known".into()),
    }
    harness.run_steps(2);
    if let Some(failure) = harness.state().failure() {
        println!("{word} {rest}: {failure}");
    }
    Ok(())
}

fn numbers(text: &str) -> Outcome<Vec<f32>> {
    Ok(text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
}

/// `2 walk`: the second.
fn nth<T>(rest: &str, found: impl FnOnce(&str, usize) -> Outcome<T>) -> Outcome<T> {
    match rest.split_once(' ').and_then(|(n, label)| Some((n.parse::<usize>().ok()?, label))) {
        Some((n, label)) => found(label, n.saturating_sub(1)),
        None => found(rest, 0),
    }
}

fn place(harness: &Driven, rest: &str) -> Outcome<egui::Rect> {
    nth(rest, |label, n| {
        let found = harness.query_all_by_label(label).nth(n).map(|node| node.rect());
        found.ok_or_else(|| format!("there is no {label}").into())
    })
}

fn press(harness: &mut Driven, button: PointerButton, from: Pos2, to: Pos2) {
    let event = |pos, pressed| Event::PointerButton { pos, button, pressed, modifiers: Modifiers::NONE };
    harness.hover_at(from);
    harness.run_steps(1);
    harness.event(event(from, true));
    harness.run_steps(1);
    if from != to {
        for share in [0.25, 0.5, 0.75, 1.0] {
            harness.hover_at(from + (to - from) * share);
            harness.run_steps(1);
        }
    }
    harness.event(event(to, false));
    harness.run_steps(2);
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|e| e.to_string())
    }
}

fn open(harness: &mut Driven, files: &str, beside: bool) -> Outcome {
    let held = if beside { Modifiers::SHIFT } else { Modifiers::NONE };
    harness.input_mut().events.push(Event::ModifiersChanged(held));
    for file in files.split_whitespace() {
        harness.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(file.into())));
    }
    harness.run_steps(1);
    harness.input_mut().events.push(Event::ModifiersChanged(Modifiers::NONE));
    for _ in 0..6000 {
        harness.run_steps(1);
        if harness.query_by_label_contains("Opening").is_none() {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Err("it was never opened".into())
}
