//! Windows over the picture: keys, what became of motions, and how far something is.

use super::keys::{self, Bound, GROUPS, MOUSE};
use crate::{
    loading::Loading,
    settings::Panel,
    state::{Command, Commands, Slot, View},
};

/// Where windows stand first: over the picture, where they cover no list.
fn window<'a>(view: &View<'_>, title: impl Into<egui::WidgetText>) -> egui::Window<'a> {
    let corner = view.stage.seen.map_or(egui::pos2(700.0, 60.0), |seen| seen.right_top());
    let window =
        egui::Window::new(title).pivot(egui::Align2::RIGHT_TOP).default_pos(corner + egui::vec2(-12.0, 12.0));
    window.collapsible(false)
}

/// Which keys do what.
pub(crate) fn help(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    let mut open = view.ui.help;
    let most = ctx.content_rect().height() - 120.0;
    window(view, "Keys and mouse").open(&mut open).resizable(false).show(ctx, |ui| {
        egui::ScrollArea::vertical().max_height(most).show(ui, |ui| {
            ui.horizontal_top(|ui| {
                for groups in [&GROUPS[..2], &GROUPS[2..]] {
                    ui.vertical(|ui| groups.iter().for_each(|(name, keys)| group(name, keys, ui)));
                }
            });
            ui.separator();
            egui::Grid::new("mouse").num_columns(2).show(ui, |ui| {
                for (what, words) in MOUSE {
                    ui.strong(what);
                    ui.label(words);
                    ui.end_row();
                }
            });
        });
    });
    if open != view.ui.help {
        commands.push(Command::Help(open));
    }
}

/// Keys that belong together.
fn group(name: &str, keys: &[Bound], ui: &mut egui::Ui) {
    ui.weak(name);
    egui::Grid::new(name).num_columns(2).min_col_width(70.0).show(ui, |ui| {
        for bound in keys.iter().filter(|bound| !bound.words.is_empty()) {
            ui.strong(keys::said(&bound.chord));
            ui.label(bound.words);
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}

/// What became of motions that were brought onto the character.
pub(crate) fn report(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    let Some(document) = &view.open.document else { return };
    let mut open = view.ui.report;
    let title = format!("Brought onto {}", document.name);
    let window = window(view, title).id(egui::Id::unique("brought")).open(&mut open);
    window.default_width(420.0).show(ctx, |ui| {
        if document.retargeted.is_some()
            && ui.button("bones…").on_hover_text("see and correct them").clicked()
        {
            commands.extend([Command::Open(Panel::Retarget), Command::Report(false)]);
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
    window(view, "recording").title_bar(false).resizable(false).show(ctx, |ui| {
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
