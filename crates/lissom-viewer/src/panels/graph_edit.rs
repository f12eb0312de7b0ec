//! Numbers of a graph that can be tuned while it plays, and saved.

use crate::{
    document::Document,
    drive::Directed,
    state::{Command, Commands, Edit},
};
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, MotionParts, ParameterKind, StateParts, Test},
};

/// What the user may change; what is not right is told, and stays as it was.
pub(super) fn edit(document: &Document, directed: &Directed, ui: &mut egui::Ui, commands: &mut Commands) {
    egui::CollapsingHeader::new("Numbers").show(ui, |ui| {
        let mut parts = directed.parts.clone();
        if numbers(&mut parts, ui) {
            commands.push(Command::Edit(Edit::Graph(Box::new(parts))));
        }
    });
    if ui.button(format!("save {}", document.graph_path().display())).clicked() {
        commands.push(Command::SaveGraph);
    }
}

/// True if one was changed.
fn numbers(parts: &mut GraphParts, ui: &mut egui::Ui) -> bool {
    let mut changed = false;
    for parameter in &mut parts.parameters {
        if parameter.kind != ParameterKind::Trigger {
            ui.horizontal_wrapped(|ui| {
                ui.label(&parameter.name);
                changed |= start(&mut parameter.kind, ui);
            });
        }
    }
    for layer in &mut parts.layers {
        changed |= first(layer, ui);
        layer.states.iter_mut().for_each(|state| changed |= points(state, ui));
        changed |= transitions(layer, ui);
    }
    changed
}

/// What a parameter is before anybody sets it, and how fast it follows.
fn start(kind: &mut ParameterKind, ui: &mut egui::Ui) -> bool {
    let number = |value| egui::DragValue::new(value).speed(0.01).prefix("starts at ");
    match kind {
        ParameterKind::Float { start, half_life_s } => {
            let half = egui::DragValue::new(half_life_s).speed(0.005).range(0.0..=10.0);
            ui.add(number(start)).changed() | ui.add(half.prefix("half in ").suffix(" s")).changed()
        }
        ParameterKind::Curve { start } => ui.add(number(start)).changed(),
        ParameterKind::Int { start } => ui.add(egui::DragValue::new(start).prefix("starts at ")).changed(),
        ParameterKind::Bool { start } => ui.checkbox(start, "on at the start").changed(),
        ParameterKind::Trigger => false,
    }
}

/// The state that a layer starts in: its first one.
fn first(layer: &mut LayerParts, ui: &mut egui::Ui) -> bool {
    if layer.states.len() < 2 {
        return false;
    }
    let mut chosen = 0;
    let list = egui::ComboBox::new(("first", &layer.name), format!("first of {}", layer.name));
    list.show_index(ui, &mut chosen, layer.states.len(), |i| &layer.states[i].name);
    layer.states[..=chosen].rotate_right(1);
    chosen > 0
}

/// Where the clips of a blend stand.
fn points(state: &mut StateParts, ui: &mut egui::Ui) -> bool {
    let mut changed = false;
    let mut row = |ui: &mut egui::Ui, clip: &str, place: &mut [f32], by: &[String]| {
        ui.horizontal_wrapped(|ui| {
            ui.label(format!("{clip} in {}", state.name));
            for (value, by) in place.iter_mut().zip(by) {
                let value = egui::DragValue::new(value).speed(0.01);
                changed |= ui.add(value.prefix(format!("{by} "))).changed();
            }
        });
    };
    match &mut state.motion {
        MotionParts::Clip(_) | MotionParts::Direct { .. } | MotionParts::Matched(_) => {}
        MotionParts::Line { by, points } => {
            for point in points {
                row(ui, &point.clip, core::slice::from_mut(&mut point.at), core::slice::from_ref(by));
            }
        }
        MotionParts::Plane { by, points, .. } => {
            for point in points {
                row(ui, &point.clip, &mut point.at, by);
            }
        }
    }
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
