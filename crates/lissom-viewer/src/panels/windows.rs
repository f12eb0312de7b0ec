//! Windows over the picture: keys, what became of motions, and how far something is.

use crate::{
    loading::Loading,
    settings::{Panel, Settings},
    state::{Command, Commands, Slot, View},
};

/// Which keys do what.
pub(crate) fn help(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    const KEYS: [(&str, &str); 14] = [
        ("space", "play and pause"),
        ("left, right", "a frame back, a frame on"),
        ("home, end", "to the start, to the end"),
        ("F, double click", "all in view"),
        ("1 to 9", "the triggers of a graph"),
        ("ctrl Z, ctrl shift Z", "undo, redo"),
        ("click on a joint", "choose it, where the skeleton is shown"),
        ("drag", "turn"),
        ("shift or right drag", "move"),
        ("wheel", "nearer, farther"),
        ("drop files", "open them; motions come onto the character"),
        ("shift while dropping", "open them beside what is open"),
        ("drop a graph (.json)", "play it with the clips that are open"),
        ("?", "this"),
    ];
    let mut open = view.ui.help;
    egui::Window::new("Keys and mouse").open(&mut open).resizable(false).collapsible(false).show(ctx, |ui| {
        egui::Grid::new("keys").num_columns(2).striped(true).show(ui, |ui| {
            for (key, what) in KEYS {
                ui.strong(key);
                ui.label(what);
                ui.end_row();
            }
        });
    });
    if open != view.ui.help {
        commands.push(Command::Help(open));
    }
}

/// What became of motions that were brought onto the character.
pub(crate) fn report(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    let Some(document) = &view.open.document else { return };
    let mut open = view.ui.report;
    let title = format!("Brought onto {}", document.name);
    let window = egui::Window::new(title).id(egui::Id::unique("brought")).open(&mut open).collapsible(false);
    window.default_width(420.0).show(ctx, |ui| {
        if document.retargeted.is_some()
            && ui.button("bones…").on_hover_text("see and correct them").clicked()
        {
            let panel = Some(Panel::Retarget);
            commands.extend([Command::Set(Settings { panel, ..*view.settings }), Command::Report(false)]);
        }
        egui::ScrollArea::vertical().max_height(300.0).show(ui, |ui| {
            for brought in &document.brought {
                ui.strong(&brought.file);
                match &brought.clips[..] {
                    [] => ui.colored_label(ui.visuals().error_fg_color, "nothing came of it"),
                    clips => ui.label(clips.join(", ")),
                };
                brought.notes.iter().for_each(|note| {
                    ui.weak(note);
                });
            }
        });
    });
    if open != view.ui.report {
        commands.push(Command::Report(open));
    }
}

/// How far a moving picture is.
pub(crate) fn recording(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    let Some(recording) = &view.ui.recording else { return };
    let (done, all) = recording.progress();
    egui::Window::new("recording").title_bar(false).resizable(false).show(ctx, |ui| {
        ui.strong(format!("Recording {done} of {all}"));
        if ui.button("cancel").clicked() {
            commands.push(Command::StopRecording);
        }
    });
}

/// How far files are.
pub(crate) fn loading(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    let both = [(&view.open.loading, Slot::First), (&view.open.loading_beside, Slot::Beside)];
    for (loading, slot) in both {
        if let Some(loading) = loading
            && progress(loading, slot, ctx)
        {
            commands.push(Command::CancelLoading(slot));
        }
    }
}

/// True if it is to be cancelled.
fn progress(loading: &Loading, slot: Slot, ctx: &egui::Context) -> bool {
    let (done, all, what) = loading.progress();
    let title = format!("Opening {}", loading.name());
    let (id, down) = match slot {
        Slot::First => ("opening", 0.0),
        Slot::Beside => ("opening beside", 100.0),
    };
    let mut cancel = false;
    egui::Window::new(id)
        .title_bar(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, down])
        .show(ctx, |ui| {
            ui.strong(title);
            ui.add(egui::ProgressBar::new(done as f32 / all.max(1) as f32).desired_width(260.0));
            ui.horizontal(|ui| {
                cancel = ui.button("cancel").clicked();
                ui.weak(what);
            });
        });
    cancel
}
