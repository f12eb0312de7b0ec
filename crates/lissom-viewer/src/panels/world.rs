//! The world panel: the hierarchy as a tree, and what was recomputed.

use crate::{
    document::Failure,
    viewer::Viewer,
    world::{LIT, WorldScene},
};
use egui::{Color32, RichText, Sense};
use lissom::math::Vec3;

pub(crate) fn world(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let Some(scene) = &mut viewer.world else { return };
    let done = shown(scene, ui);
    viewer.tell(done);
}

fn shown(scene: &mut WorldScene, ui: &mut egui::Ui) -> Result<(), Failure> {
    ui.weak("Drag something onto what is to carry it. What the last sync recomputed is lit.");
    ui.horizontal(|ui| {
        ui.label("it keeps its");
        ui.selectable_value(&mut scene.keeps_place, true, "place");
        ui.selectable_value(&mut scene.keeps_place, false, "offset");
    });
    ui.separator();
    // What was dropped, and onto what: `None` is the world itself.
    let mut dropped: Option<(usize, Option<usize>)> = None;
    let world = ui.selectable_label(false, "no parent").on_hover_text("what is dropped here has no parent");
    if let Some(thing) = world.dnd_release_payload::<usize>() {
        dropped = Some((*thing, None));
    }
    for (thing, depth) in scene.rows() {
        let row = row(scene, thing, depth, ui);
        if let Some(carried) = row.dnd_release_payload::<usize>() {
            dropped = Some((*carried, Some(thing)));
        }
    }
    ui.separator();
    if let Some(thing) = scene.chosen {
        let own = scene.thing_mut(thing);
        ui.strong(own.name.clone());
        ui.add(egui::Slider::new(&mut own.turns, -3.0..=3.0).text("turns"));
        let mut position = scene.position(thing)?.to_array();
        ui.horizontal(|ui| {
            for (value, axis) in position.iter_mut().zip(["x ", "y ", "z "]) {
                ui.add(egui::DragValue::new(value).speed(0.01).prefix(axis).fixed_decimals(2));
            }
        });
        if Vec3::from_array(position) != scene.position(thing)? {
            scene.set_position(thing, Vec3::from_array(position))?;
        }
        ui.separator();
    }
    let (stats, all) = (scene.stats, scene.things().len());
    ui.label(format!("{} of {all} recomputed", stats.changed));
    ui.weak(format!("{} looked at, {} parents read, {} passes", stats.checked, stats.read, stats.passes));
    ui.weak(format!("a sync {:.1} µs", scene.sync_s * 1e6));
    match dropped {
        Some((thing, parent)) if Some(thing) != parent => scene.put_under(thing, parent),
        _ => Ok(()),
    }
}

/// One thing; the response is that of its name.
fn row(scene: &mut WorldScene, thing: usize, depth: usize, ui: &mut egui::Ui) -> egui::Response {
    let own = &scene.things()[thing];
    let mut text = RichText::new(&own.name);
    if own.lit {
        let [r, g, b, _] = LIT.map(|c| (c * 255.0) as u8);
        let lit = Color32::from_rgb(r, g, b);
        text = text.color(if ui.visuals().dark_mode { lit } else { lit.lerp_to_gamma(Color32::BLACK, 0.35) });
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
        scene.chosen = if chosen { None } else { Some(thing) };
    }
    label
}
