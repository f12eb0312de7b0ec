//! Numbers of a graph that can be tuned while it plays, and saved.

use crate::{
    document::{Document, Failure},
    drive::Driver,
    viewer::Viewer,
};
use lissom_motion::{GraphParts, LayerParts, ParameterKind, Test};

/// What the user may change; what is not right is told, and stays as it was.
pub(super) fn edit(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let Some(document) = &mut viewer.document else { return };
    let Document { archive, driver: Driver::Graph(directed), graph, .. } = document else { return };
    let done = egui::CollapsingHeader::new("Numbers")
        .show(ui, |ui| {
            let mut parts = directed.parts.clone();
            if !numbers(&mut parts, ui) {
                return Ok(());
            }
            directed.reload(archive, parts)?;
            *graph = Some(directed.parts.clone());
            Ok(())
        })
        .body_returned
        .unwrap_or(Ok(()));
    viewer.tell::<Failure>(done);
    #[cfg(not(target_arch = "wasm32"))]
    if let Some(document) = &viewer.document
        && ui.button(format!("save {}", document.graph_path().display())).clicked()
    {
        viewer.save_graph();
    }
}

/// True if one was changed.
fn numbers(parts: &mut GraphParts, ui: &mut egui::Ui) -> bool {
    let mut changed = false;
    for parameter in &mut parts.parameters {
        if let ParameterKind::Float { half_life_s, .. } = &mut parameter.kind {
            ui.horizontal(|ui| {
                ui.label(&parameter.name);
                let number = egui::DragValue::new(half_life_s).speed(0.005).range(0.0..=10.0);
                changed |= ui.add(number.prefix("half in ").suffix(" s")).changed();
            });
        }
    }
    parts.layers.iter_mut().for_each(|layer| changed |= transitions(layer, ui));
    changed
}

fn transitions(layer: &mut LayerParts, ui: &mut egui::Ui) -> bool {
    let mut changed = false;
    for way in &mut layer.transitions {
        ui.horizontal_wrapped(|ui| {
            ui.label(format!("{} to {}", way.from, way.to));
            let fade = egui::DragValue::new(&mut way.fade_s).speed(0.01).range(0.0..=10.0);
            changed |= ui.add(fade.prefix("over ").suffix(" s")).changed();
            if let Some(exit) = &mut way.exit {
                let exit = egui::DragValue::new(exit).speed(0.01).range(0.0..=1.0);
                changed |= ui.add(exit.prefix("at ").suffix(" laps")).changed();
            }
            for (parameter, test) in &mut way.when {
                let (word, value) = match test {
                    Test::Above(value) => ("above", value),
                    Test::Below(value) => ("below", value),
                    _ => continue,
                };
                let value = egui::DragValue::new(value).speed(0.01);
                changed |= ui.add(value.prefix(format!("{parameter} {word} "))).changed();
            }
        });
    }
    changed
}
