//! The line at the top: what is open, which panel is shown, and what went wrong.

use crate::{
    platform,
    settings::{Panel, Settings},
    state::{Command, Commands, Export, View},
};

/// A window that has more important things to show than facts, in points.
const SMALL: f32 = 500.0;
/// How wide the time of a frame is, in points.
const TIME: f32 = 60.0;

pub(crate) fn bar(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    egui::Panel::top("bar").show(ui, |ui| {
        // What does not fit into one line goes on in the next.
        ui.horizontal_wrapped(|ui| {
            (ui.spacing_mut().item_spacing.x, ui.spacing_mut().button_padding.x) = (6.0, 4.0);
            ui.strong("Lissom");
            ui.menu_button("file", |ui| files(ui, commands));
            undo(view, ui, commands);
            open(view, ui, commands);
            // As far right as they were wide the last time.
            let spare = ui.available_size_before_wrap().x - view.ui.switches_width;
            let gap = ui.spacing().item_spacing.x;
            if view.open.playing && spare > TIME + gap {
                ui.add_space(spare - TIME - gap);
                // However long it takes, it moves nothing.
                let frame = egui::RichText::new(milliseconds(view.ui.frame_s)).weak();
                let frame =
                    ui.add_sized([TIME, ui.spacing().interact_size.y], egui::Label::new(frame).truncate());
                frame.on_hover_text("a frame on the CPU");
            } else if spare > 0.0 {
                ui.add_space(spare);
            } else {
                ui.end_row();
            }
            let width = switches(view, ui, commands);
            if width != view.ui.switches_width {
                commands.push(Command::SwitchesWidth(width));
            }
        });
        if let Some(told) = &view.ui.told {
            ui.horizontal_wrapped(|ui| {
                ui.weak(told);
                if ui.small_button("good").clicked() {
                    commands.push(Command::DismissTold);
                }
            });
        }
        if let Some(failure) = &view.ui.failure {
            ui.horizontal_wrapped(|ui| {
                ui.colored_label(ui.visuals().error_fg_color, failure.to_string());
                if ui.small_button("close").clicked() {
                    commands.push(Command::DismissFailure);
                }
            });
        }
    });
}

/// What is open.
fn open(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let Some(document) = &view.open.document else {
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
        commands.push(Command::Report(!view.ui.report));
    }
    if let Some(name) = view.open.beside.as_ref().map(|document| &document.name) {
        ui.label(format!("and {name}"));
        if ui.small_button("×").on_hover_text(format!("close {name}")).clicked() {
            commands.push(Command::CloseBeside);
        }
    }
}

/// What is shown, and how; the answer is how wide all of it is.
fn switches(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) -> f32 {
    let mut widths = Vec::new();
    let mut add = |response: egui::Response| {
        widths.push(response.rect.width());
        response
    };
    let mut next = view.open.next_beside;
    let beside = add(ui.toggle_value(&mut next, "beside"));
    if beside.on_hover_text("what is opened next stands beside what is open").changed() {
        commands.push(Command::NextBeside(next));
    }
    let retargeted = view.open.document.as_ref().is_some_and(|document| document.retargeted.is_some());
    for panel in Panel::ALL {
        let open = view.settings.panel == Some(panel);
        // Where nothing was brought onto a character there is nothing to see in it.
        if panel == Panel::Retarget && !retargeted && !open {
            continue;
        }
        if add(ui.selectable_label(open, panel.name())).clicked() {
            commands.push(Command::Set(Settings { panel: (!open).then_some(panel), ..*view.settings }));
        }
    }
    let dark = ui.visuals().dark_mode;
    if add(ui.button(if dark { "light" } else { "dark" })).clicked() {
        ui.ctx().set_theme(if dark { egui::Theme::Light } else { egui::Theme::Dark });
    }
    if add(ui.button("?")).on_hover_text("keys and mouse").clicked() {
        commands.push(Command::Help(!view.ui.help));
    }
    // A gap more than there are: what is rounded must not send the last one to the next line.
    widths.iter().sum::<f32>() + ui.spacing().item_spacing.x * widths.len() as f32
}

/// What can be opened and saved; into the folder that the viewer was started in. Files are dropped onto a page.
fn files(ui: &mut egui::Ui, commands: &mut Commands) {
    if platform::HAS_FOLDERS {
        for (label, beside) in [("open…", false), ("open beside…", true)] {
            if ui.button(label).clicked() {
                commands.push(Command::Browse { beside });
            }
        }
    }
    for what in Export::ALL.into_iter().filter(|what| platform::HAS_FOLDERS || *what == Export::Glb) {
        if ui.button(what.name()).clicked() {
            commands.push(Command::Export(what));
        }
    }
}

/// What can be taken back, and done again.
fn undo(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    for (able, label, keys, command) in [
        (view.history.can_undo(), "undo", "ctrl Z", Command::Undo),
        (view.history.can_redo(), "redo", "ctrl shift Z", Command::Redo),
    ] {
        let Some(what) = able else { continue };
        if ui.small_button(label).on_hover_text(format!("{what}: {keys}")).clicked() {
            commands.push(command);
        }
    }
}

/// `0.85 ms`, `1070 ms`: always short.
fn milliseconds(seconds: f64) -> String {
    let ms = seconds * 1e3;
    if ms < 100.0 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") }
}

/// `1 mesh`, `2 meshes`.
fn count(n: usize, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}
