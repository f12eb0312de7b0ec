//! The line at the top: what is open, which panel is shown, and what went wrong.

#[cfg(not(target_arch = "wasm32"))]
use super::Browser;
use super::Panel;
use crate::viewer::Viewer;

/// A window that has more important things to show than facts, in points.
const SMALL: f32 = 500.0;
/// How wide the time of a frame is, in points.
const TIME: f32 = 60.0;

pub(crate) fn bar(viewer: &mut Viewer, ui: &mut egui::Ui) {
    egui::Panel::top("bar").show(ui, |ui| {
        // What does not fit into one line goes on in the next.
        ui.horizontal_wrapped(|ui| {
            (ui.spacing_mut().item_spacing.x, ui.spacing_mut().button_padding.x) = (6.0, 4.0);
            ui.strong("Lissom");
            ui.menu_button("file", |ui| files(viewer, ui));
            open(viewer, ui);
            // As far right as they were wide the last time.
            let spare = ui.available_size_before_wrap().x - viewer.switches_width;
            let gap = ui.spacing().item_spacing.x;
            if viewer.playing && spare > TIME + gap {
                ui.add_space(spare - TIME - gap);
                // However long it takes, it moves nothing.
                let frame = egui::RichText::new(format!("{:.2} ms", viewer.frame_s * 1e3)).weak();
                let frame =
                    ui.add_sized([TIME, ui.spacing().interact_size.y], egui::Label::new(frame).truncate());
                frame.on_hover_text("a frame on the CPU");
            } else if spare > 0.0 {
                ui.add_space(spare);
            } else {
                ui.end_row();
            }
            viewer.switches_width = switches(viewer, ui);
        });
        if let Some(told) = viewer.told.clone() {
            ui.horizontal_wrapped(|ui| {
                ui.weak(told);
                if ui.small_button("good").clicked() {
                    viewer.told = None;
                }
            });
        }
        if let Some(failure) = viewer.failure.clone() {
            ui.horizontal_wrapped(|ui| {
                ui.colored_label(ui.visuals().error_fg_color, failure.to_string());
                if ui.small_button("close").clicked() {
                    viewer.failure = None;
                }
            });
        }
    });
}

/// What is open.
fn open(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let Some(document) = &viewer.document else {
        ui.weak("drop a file here: .lsm, .glb, .gltf, .vrm, .bvh, .ozz, .fbx");
        return;
    };
    ui.label(&document.name);
    let joints = count(document.player.skeleton().joint_count(), "joint", "joints");
    let meshes = count(document.surfaces.len(), "mesh", "meshes");
    let clips = count(document.clips.len(), "clip", "clips");
    let kilobytes = document.bytes.div_ceil(1000);
    let facts = format!("{joints}, {meshes}, {clips}, {kilobytes} kB");
    // In a small window it is told to who asks.
    if ui.max_rect().width() > SMALL {
        ui.weak(facts);
    } else {
        ui.weak("…").on_hover_text(facts);
    }
    if !document.notes.is_empty() {
        let notes = count(document.notes.len(), "note", "notes");
        ui.weak(notes).on_hover_text(document.notes.join("\n"));
    }
    if !document.brought.is_empty() && ui.small_button("report").clicked() {
        viewer.report = !viewer.report;
    }
    if let Some(name) = viewer.beside().map(String::from) {
        ui.label(format!("and {name}"));
        if ui.small_button("×").on_hover_text(format!("close {name}")).clicked() {
            viewer.close_beside();
        }
    }
}

/// What is shown, and how; the answer is how wide all of it is.
fn switches(viewer: &mut Viewer, ui: &mut egui::Ui) -> f32 {
    let mut widths = Vec::new();
    let mut add = |response: egui::Response| {
        widths.push(response.rect.width());
        response
    };
    let beside = add(ui.toggle_value(&mut viewer.second.next, "beside"));
    beside.on_hover_text("what is opened next stands beside what is open");
    for panel in Panel::ALL {
        let open = viewer.settings.panel == Some(panel);
        if add(ui.selectable_label(open, panel.name())).clicked() {
            viewer.settings.panel = (!open).then_some(panel);
        }
    }
    let dark = ui.visuals().dark_mode;
    if add(ui.button(if dark { "light" } else { "dark" })).clicked() {
        ui.ctx().set_theme(if dark { egui::Theme::Light } else { egui::Theme::Dark });
    }
    if add(ui.button("?")).on_hover_text("keys and mouse").clicked() {
        viewer.help = !viewer.help;
    }
    // A gap more than there are: what is rounded must not send the last one to the next line.
    widths.iter().sum::<f32>() + ui.spacing().item_spacing.x * widths.len() as f32
}

/// What can be opened and saved; into the folder that the viewer was started in.
#[cfg(not(target_arch = "wasm32"))]
fn files(viewer: &mut Viewer, ui: &mut egui::Ui) {
    use crate::export::Export;
    let here = std::path::Path::new(".");
    for (label, beside) in [("open…", false), ("open beside…", true)] {
        if ui.button(label).clicked() {
            viewer.second.next = beside;
            viewer.browser = Some(Browser::new(&here.canonicalize().unwrap_or(here.into())));
        }
    }
    for what in Export::ALL {
        if ui.button(what.name()).clicked() {
            match viewer.export(what, here) {
                // It says so itself when it is done.
                Ok(_) if what == Export::Gif => {}
                Ok(path) => viewer.told = Some(format!("saved {}", path.display())),
                Err(failure) => viewer.failure = Some(failure),
            }
        }
    }
}

/// What can be saved: files are dropped onto the page.
#[cfg(target_arch = "wasm32")]
fn files(viewer: &mut Viewer, ui: &mut egui::Ui) {
    if ui.button("save as glTF (GLB)").clicked() {
        viewer.save_glb();
    }
}

/// `1 mesh`, `2 meshes`.
fn count(n: usize, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}
