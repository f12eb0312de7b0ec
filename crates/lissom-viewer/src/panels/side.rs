//! The panel at the left: clips, what is shown, joints.

use crate::{
    settings::SkinOn,
    state::{Command, Commands, View},
};

/// A window that has no room for a panel on each side, in points.
const NARROW: f32 = 720.0;

pub(crate) fn side(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let width = ui.available_width();
    // Between two panels there would be nothing left of the picture.
    if view.settings.panel.is_some() && width < NARROW {
        return;
    }
    egui::Panel::left("side").default_size(230.0).max_size(width * 0.45).show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink([false; 2]).show(ui, |ui| {
            clips(view, ui, commands);
            ui.separator();
            shown(view, ui, commands);
            ui.separator();
            joints(view, ui, commands);
        });
    });
}

fn clips(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    ui.strong("Clips");
    let Some(document) = &view.open.document else { return };
    if document.clips.is_empty() {
        ui.weak("none: the rest pose");
    }
    let playing = document.player.playing().filter(|_| document.plays_a_clip());
    for clip in &document.clips {
        let is_playing = playing == Some(clip.name.as_str());
        let loops = if clip.looping { ", loops" } else { "" };
        let about = format!("{}: {:.2} s{loops}, {} bytes", clip.name, clip.duration_s, clip.bytes);
        if ui.selectable_label(is_playing, &clip.label).on_hover_text(about).clicked() {
            commands.push(Command::Play(clip.name.clone()));
        }
    }
}

fn shown(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let mut settings = *view.settings;
    ui.strong("Shown");
    ui.checkbox(&mut settings.meshes, "meshes");
    ui.checkbox(&mut settings.bones, "skeleton");
    ui.checkbox(&mut settings.floor, "floor");
    ui.checkbox(&mut settings.onion, "before and after");
    ui.checkbox(&mut settings.trail, "way of the joint");
    ui.checkbox(&mut settings.bounds, "bounds");
    let sockets = ui.checkbox(&mut settings.sockets, "sockets");
    if let Some(bounds) = &view.stage.bounds {
        sockets.on_hover_text(format!("{} joints at the end that move no mesh", bounds.socket_count()));
    }
    ui.checkbox(&mut settings.follow, "camera goes along");
    ui.horizontal(|ui| {
        ui.label("skin on the");
        ui.selectable_value(&mut settings.skin_on, SkinOn::Gpu, "GPU");
        ui.selectable_value(&mut settings.skin_on, SkinOn::Cpu, "CPU");
    });
    if settings != *view.settings {
        commands.push(Command::Set(settings));
    }
}

fn joints(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    ui.strong("Joints");
    let mut search = view.ui.search.clone();
    if ui.add(egui::TextEdit::singleline(&mut search).hint_text("find a joint")).changed() {
        commands.push(Command::Search(search.clone()));
    }
    let Some(document) = &view.open.document else { return };
    let skeleton = document.player.skeleton();
    let wanted = search.to_lowercase();
    // Without a word all of them are found, and tens of thousands need not be looked at in every frame.
    let all = skeleton.joint_count();
    let found: Option<Vec<usize>> = (!wanted.is_empty())
        .then(|| (0..all).filter(|j| skeleton.name(*j).to_lowercase().contains(&wanted)).collect());
    let row = ui.text_style_height(&egui::TextStyle::Body);
    let mut chosen = view.open.joint;
    egui::ScrollArea::vertical().id_salt("joints").max_height(260.0).auto_shrink([false; 2]).show_rows(
        ui,
        row,
        found.as_ref().map_or(all, Vec::len),
        |ui, rows| {
            for row in rows {
                let joint = found.as_ref().map_or(row, |found| found[row]);
                if ui.selectable_label(chosen == Some(joint), skeleton.name(joint)).clicked() {
                    chosen = if chosen == Some(joint) { None } else { Some(joint) };
                }
            }
        },
    );
    if let Some(joint) = chosen {
        let place = document.body().models()[joint].w_axis;
        ui.weak(format!("x {:.3}  y {:.3}  z {:.3} m", place.x, place.y, place.z));
    }
    if chosen != view.open.joint {
        commands.push(Command::Choose(chosen));
    }
}
