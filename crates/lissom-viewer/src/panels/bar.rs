//! The line at the top: what is open, what can be taken back, and what went wrong.

use super::rail;
use crate::{
    look::{self, Icon},
    platform,
    state::{Command, Commands, Export, Section, View},
};

/// A window that has more important things to show than facts, in points.
const SMALL: f32 = 500.0;
/// How wide the time of a frame is, in points.
const TIME: f32 = 60.0;

pub(crate) fn bar(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let frame = egui::Frame::side_top_panel(ui.style()).fill(look::of(ui.visuals()).bar);
    egui::Panel::top("bar").frame(frame).show_separator_line(false).show(ui, |ui| {
        // What does not fit into one line goes on in the next.
        ui.horizontal_wrapped(|ui| {
            (ui.spacing_mut().item_spacing.x, ui.spacing_mut().button_padding.x) = (6.0, 5.0);
            let small = ui.max_rect().width() < SMALL;
            if !small {
                ui.strong("Lissom");
            }
            ui.menu_button((Icon::Open.atom(), "file"), |ui| files(view, ui, small, commands));
            undo(view, ui, commands);
            open(view, ui, commands);
            // As far right as it was wide the last time.
            let spare = ui.available_size_before_wrap().x - view.ui.bar_width;
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
            let width = switches(view, ui, small, commands);
            if width != view.ui.bar_width {
                commands.push(Command::BarWidth(width));
            }
        });
        if let Some(told) = &view.ui.told {
            ui.horizontal_wrapped(|ui| {
                ui.colored_label(look::of(ui.visuals()).good, told);
                if look::small_button(ui, Icon::Close, "good").clicked() {
                    commands.push(Command::DismissTold);
                }
            });
        }
        if let Some(failure) = &view.ui.failure {
            ui.horizontal_wrapped(|ui| {
                ui.colored_label(ui.visuals().error_fg_color, failure.to_string());
                if look::small_button(ui, Icon::Close, "close").clicked() {
                    commands.push(Command::DismissFailure);
                }
            });
        }
    });
}

/// What is open.
fn open(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let Some(document) = &view.open.document else {
        ui.weak(format!("drop a file here: {}", platform::READS));
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
        let button = look::small_button(ui, Icon::Note, &notes);
        if button.on_hover_text(document.notes.join("\n")).clicked() {
            commands.push(Command::Inspect(Section::Notes));
        }
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

/// What stands at the right; the answer is how wide all of it is.
fn switches(view: &View<'_>, ui: &mut egui::Ui, small: bool, commands: &mut Commands) -> f32 {
    let mut widths = Vec::new();
    let mut add = |response: egui::Response| {
        widths.push(response.rect.width());
        response
    };
    if !small {
        add(beside(view, ui, commands));
    }
    let menu = ui.menu_button((Icon::Layout.atom(), "panels"), |ui| panels(view, ui, commands));
    add(menu.response);
    let dark = ui.visuals().dark_mode;
    let (icon, word) = if dark { (Icon::Sun, "light") } else { (Icon::Moon, "dark") };
    if add(look::button(ui, icon, word)).clicked() {
        ui.ctx().set_theme(if dark { egui::Theme::Light } else { egui::Theme::Dark });
    }
    if add(ui.button("?")).on_hover_text("keys and mouse").clicked() {
        commands.push(Command::Help(!view.ui.help));
    }
    // A gap more than there are: what is rounded must not send the last one to the next line.
    widths.iter().sum::<f32>() + ui.spacing().item_spacing.x * widths.len() as f32
}

/// Which panels are open.
fn panels(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    for panel in rail::offered(view) {
        let open = view.ui.panels.has(panel);
        if look::choice(ui, open, panel.icon(), panel.name()).on_hover_text(panel.about()).clicked() {
            commands.push(if open { Command::Close(panel) } else { Command::Open(panel) });
        }
    }
    ui.separator();
    if look::button(ui, Icon::Reset, "as at first").clicked() {
        commands.push(Command::ResetLayout);
        ui.close();
    }
}

/// Where what is opened next comes to stand.
fn beside(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) -> egui::Response {
    let next = view.open.next_beside;
    let beside = look::choice(ui, next, Icon::Beside, "beside");
    let beside = beside.on_hover_text("what is opened next stands beside what is open");
    if beside.clicked() {
        commands.push(Command::NextBeside(!next));
    }
    beside
}

/// What can be opened and saved; into the folder that the viewer was started in. Files are dropped onto a page.
fn files(view: &View<'_>, ui: &mut egui::Ui, small: bool, commands: &mut Commands) {
    if small {
        beside(view, ui, commands);
    }
    if platform::HAS_FOLDERS {
        for (label, beside) in [("open…", false), ("open beside…", true)] {
            if look::button(ui, Icon::Open, label).clicked() {
                commands.push(Command::Browse { beside });
            }
        }
    }
    for what in Export::ALL.into_iter().filter(|what| platform::HAS_FOLDERS || *what == Export::Glb) {
        if look::button(ui, Icon::Save, what.name()).clicked() {
            commands.push(Command::Export(what));
        }
    }
}

/// What can be taken back, and done again.
fn undo(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    for (able, icon, label, keys, command) in [
        (view.history.can_undo(), Icon::Undo, "undo", "ctrl Z", Command::Undo),
        (view.history.can_redo(), Icon::Redo, "redo", "ctrl shift Z", Command::Redo),
    ] {
        let Some(what) = able else { continue };
        if look::small_button(ui, icon, label).on_hover_text(format!("{what}: {keys}")).clicked() {
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
