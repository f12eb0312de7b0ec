//! The panel at the left: clips, what is shown, joints.

use crate::{scene::SkinOn, viewer::Viewer};

/// A window that has no room for a panel on each side, in points.
const NARROW: f32 = 720.0;

pub(crate) fn side(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let width = ui.available_width();
    // Between two panels there would be nothing left of the picture.
    if viewer.settings.panel.is_some() && width < NARROW {
        return;
    }
    egui::Panel::left("side").default_size(230.0).max_size(width * 0.45).show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink([false; 2]).show(ui, |ui| {
            clips(viewer, ui);
            ui.separator();
            shown(viewer, ui);
            ui.separator();
            joints(viewer, ui);
        });
    });
}

fn clips(viewer: &mut Viewer, ui: &mut egui::Ui) {
    ui.strong("Clips");
    let Some(document) = &viewer.document else { return };
    if document.clips.is_empty() {
        ui.weak("none: the rest pose");
    }
    let playing = document.player.playing().filter(|_| document.plays_a_clip());
    let mut chosen = None;
    for clip in &document.clips {
        let is_playing = playing == Some(clip.name.as_str());
        let loops = if clip.looping { ", loops" } else { "" };
        let about = format!("{:.2} s{loops}, {} bytes", clip.duration_s, clip.bytes);
        if ui.selectable_label(is_playing, &clip.name).on_hover_text(about).clicked() {
            chosen = Some(clip.name.clone());
        }
    }
    if let Some(clip) = chosen {
        viewer.play(&clip);
    }
}

fn shown(viewer: &mut Viewer, ui: &mut egui::Ui) {
    ui.strong("Shown");
    ui.checkbox(&mut viewer.settings.meshes, "meshes");
    ui.checkbox(&mut viewer.settings.bones, "skeleton");
    ui.checkbox(&mut viewer.settings.floor, "floor");
    ui.checkbox(&mut viewer.settings.onion, "before and after");
    ui.checkbox(&mut viewer.settings.trail, "way of the joint");
    ui.checkbox(&mut viewer.settings.bounds, "bounds");
    let sockets = ui.checkbox(&mut viewer.settings.sockets, "sockets");
    if let Some(bounds) = &viewer.bounds {
        sockets.on_hover_text(format!("{} joints at the end that move no mesh", bounds.socket_count()));
    }
    ui.checkbox(&mut viewer.settings.follow, "camera follows the root");
    ui.horizontal(|ui| {
        ui.label("skin on the");
        ui.selectable_value(&mut viewer.settings.skin_on, SkinOn::Gpu, "GPU");
        ui.selectable_value(&mut viewer.settings.skin_on, SkinOn::Cpu, "CPU");
    });
}

fn joints(viewer: &mut Viewer, ui: &mut egui::Ui) {
    ui.strong("Joints");
    ui.add(egui::TextEdit::singleline(&mut viewer.search).hint_text("find a joint"));
    let Some(document) = &viewer.document else { return };
    let skeleton = document.player.skeleton();
    let wanted = viewer.search.to_lowercase();
    // Without a word all of them are found, and tens of thousands need not be looked at in every frame.
    let all = skeleton.joint_count();
    let found: Option<Vec<usize>> = (!wanted.is_empty())
        .then(|| (0..all).filter(|j| skeleton.name(*j).to_lowercase().contains(&wanted)).collect());
    let row = ui.text_style_height(&egui::TextStyle::Body);
    let mut chosen = viewer.joint;
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
    if chosen.is_some() && chosen != viewer.joint {
        viewer.settings.bones = true;
    }
    viewer.joint = chosen;
}
