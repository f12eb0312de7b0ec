//! The clips, and what is drawn.

use crate::{
    settings::SkinOn,
    state::{Command, Commands, View},
};

/// So many clips can be looked for by a word.
const MANY: usize = 12;

pub(super) fn clips(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let Some(document) = &view.open.document else { return };
    if document.clips.is_empty() {
        ui.weak("none: the rest pose");
    }
    let mut search = view.ui.clip_search.clone();
    if document.clips.len() > MANY {
        let width = ui.available_width();
        let field =
            ui.add(egui::TextEdit::singleline(&mut search).hint_text("find a clip").desired_width(width));
        field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "find a clip"));
        if field.changed() {
            commands.push(Command::SearchClips(search.clone()));
        }
    }
    let wanted = search.to_lowercase();
    let playing = document.player.playing().filter(|_| document.plays_a_clip());
    // A clip that was chosen elsewhere is scrolled to.
    let id = ui.make_persistent_id("shown clip");
    let known: Option<String> = ui.data(|data| data.get_temp(id));
    for clip in document.clips.iter().filter(|clip| clip.name.to_lowercase().contains(&wanted)) {
        let is_playing = playing == Some(clip.name.as_str());
        let loops = if clip.looping { ", loops" } else { "" };
        let about = format!("{}: {:.2} s{loops}, {} bytes", clip.name, clip.duration_s, clip.bytes);
        let row = ui.selectable_label(is_playing, &clip.label).on_hover_text(about);
        if is_playing && known.as_deref() != playing {
            row.scroll_to_me(None);
            ui.data_mut(|data| data.insert_temp(id, clip.name.clone()));
        }
        if row.clicked() {
            commands.push(Command::Play(clip.name.clone()));
        }
    }
}

pub(super) fn display(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let mut settings = *view.settings;
    ui.checkbox(&mut settings.meshes, "meshes");
    ui.checkbox(&mut settings.bones, "skeleton");
    ui.checkbox(&mut settings.floor, "floor");
    ui.checkbox(&mut settings.plain, "plain background");
    ui.checkbox(&mut settings.onion, "before and after");
    ui.checkbox(&mut settings.trail, "way of the joint");
    ui.checkbox(&mut settings.bounds, "bounds");
    let sockets = ui.checkbox(&mut settings.sockets, "sockets");
    if let Some(bounds) = &view.stage.bounds {
        sockets.on_hover_text(format!("{} joints at the end that move no mesh", bounds.socket_count()));
    }
    ui.checkbox(&mut settings.wire, "edges");
    ui.checkbox(&mut settings.normals, "normals");
    let weights = ui.add_enabled(
        view.open.joint.is_some(),
        egui::Checkbox::new(&mut settings.weights, "weights of the joint"),
    );
    weights.on_disabled_hover_text("choose a joint first");
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
