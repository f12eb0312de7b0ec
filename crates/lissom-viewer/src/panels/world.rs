//! The world panel: the hierarchy as a tree, and what was recomputed.

use super::notice::notice;
use crate::{
    settings::Panel,
    shown::WorldScene,
    state::{Command, Commands, Edit, View},
};
use egui::{RichText, Sense};
use lissom::math::Vec3;

pub(crate) fn world(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    notice(Panel::World, view, ui, commands);
    let Some(scene) = &view.stage.world else { return };
    ui.weak("This is a demo scene: nothing of it is in the open file.");
    ui.weak("Drag something onto what is to carry it. What the last sync recomputed is lit.");
    ui.horizontal(|ui| {
        ui.label("it keeps its");
        let mut keeps_place = scene.keeps_place;
        ui.selectable_value(&mut keeps_place, true, "place");
        ui.selectable_value(&mut keeps_place, false, "offset");
        if keeps_place != scene.keeps_place {
            commands.push(Command::KeepsPlace(keeps_place));
        }
    });
    ui.separator();
    // What was dropped, and onto what: `None` is the world itself.
    let mut dropped: Option<(usize, Option<usize>)> = None;
    let world = ui.selectable_label(false, "no parent").on_hover_text("what is dropped here has no parent");
    if let Some(thing) = world.dnd_release_payload::<usize>() {
        dropped = Some((*thing, None));
    }
    for (thing, depth) in scene.rows() {
        let row = row(scene, thing, depth, ui, commands);
        if let Some(carried) = row.dnd_release_payload::<usize>() {
            dropped = Some((*carried, Some(thing)));
        }
    }
    ui.separator();
    if let Some(thing) = scene.chosen
        && let Ok(was) = scene.position(thing)
    {
        let own = &scene.things()[thing];
        ui.strong(own.name.clone());
        let mut turns = own.turns;
        if ui.add(egui::Slider::new(&mut turns, -3.0..=3.0).text("turns")).changed() {
            commands.push(Command::Turns(thing, turns));
        }
        let mut position = was.to_array();
        ui.horizontal(|ui| {
            for (value, axis) in position.iter_mut().zip(["x ", "y ", "z "]) {
                ui.add(egui::DragValue::new(value).speed(0.01).prefix(axis).fixed_decimals(2));
            }
        });
        if Vec3::from_array(position) != was {
            commands.push(Command::MoveThing(thing, Vec3::from_array(position)));
        }
        ui.separator();
    }
    let (stats, all) = (scene.stats, scene.things().len());
    ui.label(format!("{} of {all} recomputed", stats.changed));
    ui.weak(format!("{} looked at, {} parents read, {} passes", stats.checked, stats.read, stats.passes));
    ui.weak(format!("a sync {:.1} µs", scene.sync_s * 1e6));
    if let Some((thing, parent)) = dropped.filter(|(thing, parent)| Some(*thing) != *parent) {
        commands.push(Command::Edit(Edit::Under(thing, parent)));
    }
}

/// One thing; the response is that of its name.
fn row(
    scene: &WorldScene,
    thing: usize,
    depth: usize,
    ui: &mut egui::Ui,
    commands: &mut Commands,
) -> egui::Response {
    let own = &scene.things()[thing];
    let mut text = RichText::new(&own.name);
    if own.lit {
        text = text.color(ui.visuals().warn_fg_color);
    }
    let chosen = scene.chosen == Some(thing);
    let label = ui
        .horizontal(|ui| {
            ui.add_space(14.0 * (depth + 1) as f32);
            ui.add(egui::Button::selectable(chosen, text).sense(Sense::click_and_drag()))
        })
        .inner;
    label.dnd_set_drag_payload(thing);
    if label.dnd_hover_payload::<usize>().is_some_and(|carried| *carried != thing) {
        let stroke = ui.visuals().selection.stroke;
        ui.painter().rect_stroke(label.rect.expand(1.0), 3.0, stroke, egui::StrokeKind::Outside);
    }
    if label.clicked() {
        commands.push(Command::ChooseThing((!chosen).then_some(thing)));
    }
    label
}
