//! The graph panel: states, transitions, parameters, and why.

use super::{diagram::diagram, graph_edit, notice::notice};
use crate::{
    drive::Directed,
    look,
    settings::Panel,
    state::{Command, Commands, View},
};
use egui::{Sense, TextStyle, pos2, vec2};
use lissom_motion::{
    decide::Verdict,
    graph::{AnyKey, MotionParts, Parameter},
    state::Value,
};

pub(crate) fn graph(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let Some(document) = &view.open.document else { return };
    if document.graph.is_some() {
        notice(Panel::Graph, view, ui, commands);
    }
    let Some(directed) = &document.directed else {
        ui.weak("This file has no graph. Drop one (.json) onto the window.");
        return;
    };
    shown(directed, ui, commands);
    ui.separator();
    graph_edit::edit(document, directed, ui, commands);
}

fn shown(directed: &Directed, ui: &mut egui::Ui, commands: &mut Commands) {
    ui.strong("Parameters");
    for (parameter, range) in directed.parts.parameters.iter().zip(&directed.ranges) {
        let animator = &directed.animator;
        let name = parameter.name.as_str();
        let found = animator.graph().parameter(name);
        let Some(key) = found.map(Parameter::key) else { continue };
        let Some(value) = found.and_then(|found| animator.state().value_of(found)) else { continue };
        let changed = match (key, value) {
            (AnyKey::Curve(_), Value::Float(value)) => {
                ui.label(format!("{name} {value:.3}")).on_hover_text("set by the clips");
                None
            }
            (AnyKey::Trigger(_), _) => {
                ui.button(format!("set {name}")).clicked().then_some(Value::Bool(true))
            }
            (_, Value::Float(mut value)) => {
                let slider = egui::Slider::new(&mut value, range.0..=range.1).text(name);
                ui.add(slider).changed().then_some(Value::Float(value))
            }
            (_, Value::Int(mut value)) => {
                let number = egui::DragValue::new(&mut value).prefix(format!("{name} "));
                ui.add(number).changed().then_some(Value::Int(value))
            }
            (_, Value::Bool(mut value)) => {
                ui.checkbox(&mut value, name).changed().then_some(Value::Bool(value))
            }
        };
        commands.extend(changed.map(|value| Command::Parameter(name.into(), value)));
    }
    for layer in 0..directed.parts.layers.len() {
        ui.separator();
        self::layer(directed, layer, ui, commands);
    }
    ui.separator();
    ui.strong("Taken");
    if directed.taken().next().is_none() {
        ui.weak("no transition yet");
    }
    for taken in directed.taken() {
        ui.horizontal_wrapped(|ui| {
            ui.monospace(format!("{:6.2} s", taken.time_s));
            ui.label(format!("{} to {}", taken.from, taken.to)).on_hover_text(taken.layer);
            ui.weak(taken.because);
        });
    }
}

fn layer(directed: &Directed, number: usize, ui: &mut egui::Ui, commands: &mut Commands) {
    let parts = &directed.parts.layers[number];
    ui.strong(&parts.name);
    let graph = directed.animator.graph();
    let lead = directed.animator.state().leading(graph, number);
    if parts.states.is_empty() {
        // One-shots alone: every clip of the graph may be one.
        ui.horizontal_wrapped(|ui| {
            for clip in &directed.parts.clips {
                if ui.button(format!("play {clip}")).clicked() {
                    commands.push(Command::OneShot { layer: parts.name.clone(), clip: clip.clone() });
                }
            }
        });
    } else {
        let playing: Vec<&str> =
            directed.animator.state().playing(graph, number).map(|playing| playing.name).collect();
        diagram(parts, &playing, ui);
    }
    for entry in directed.animator.frame().entries().iter().filter(|e| usize::from(e.layer) == number) {
        let name = &graph.clips()[usize::from(entry.clip)].name;
        look::gauge(ui, entry.weight, &format!("{name} {:.0} %", entry.weight * 100.0));
    }
    if let Some(state) = parts.states.iter().find(|s| Some(s.name.as_str()) == lead) {
        if let MotionParts::Matched(_) = state.motion
            && ui.button("matching…").on_hover_text(Panel::Matching.about()).clicked()
        {
            commands.push(Command::Open(Panel::Matching));
        }
        blend(directed, &state.motion, ui, commands);
    }
    // A graph that cannot say why says so when it is updated.
    let next = graph.why(directed.animator.state(), 1.0 / 60.0, number);
    for why in next.unwrap_or_default() {
        let verdict = match why.verdict {
            Verdict::Taken => "starts".into(),
            Verdict::Behind => "another goes first".into(),
            Verdict::Blocked => "may not interrupt".into(),
            Verdict::NotDue { at, exit } => {
                format!("waits for {:.0} %, at {:.0} %", exit * 100.0, at * 100.0)
            }
            Verdict::Condition { parameter, .. } => format!("waits for {parameter}"),
            _ => String::new(),
        };
        ui.weak(format!("{} to {}: {verdict}", why.from, why.to));
    }
}

/// Where the clips of a blend stand, and a point to drag among them.
fn blend(directed: &Directed, motion: &MotionParts, ui: &mut egui::Ui, commands: &mut Commands) {
    let (by, points): (Vec<&str>, Vec<([f32; 2], &str)>) = match motion {
        MotionParts::Clip(_) | MotionParts::Direct { .. } | MotionParts::Matched(_) => return,
        MotionParts::Line { by, points } => {
            (vec![by], points.iter().map(|point| ([point.at, 0.0], point.clip.as_str())).collect())
        }
        MotionParts::Plane { by, points, .. } => (
            by.iter().map(String::as_str).collect(),
            points.iter().map(|point| (point.at, point.clip.as_str())).collect(),
        ),
    };
    let height = if by.len() > 1 { 150.0 } else { 46.0 };
    let (area, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, "blend"));
    let inner = area.shrink2(vec2(18.0, 12.0));
    let span = |axis: usize| {
        let parameters = &directed.parts.parameters;
        let at = by.get(axis).and_then(|name| parameters.iter().position(|p| p.name == *name));
        at.map_or((-1.0, 1.0), |at| directed.ranges[at])
    };
    let (across, up) = (span(0), span(1));
    let part = |v: f32, (low, high): (f32, f32)| (v - low) / (high - low);
    let place = |p: [f32; 2]| {
        pos2(
            inner.left() + inner.width() * part(p[0], across),
            inner.bottom() - inner.height() * part(p[1], up),
        )
    };
    if let Some(pointer) = response.interact_pointer_pos() {
        let x = ((pointer.x - inner.left()) / inner.width()).clamp(0.0, 1.0);
        let y = ((inner.bottom() - pointer.y) / inner.height()).clamp(0.0, 1.0);
        for (name, share, (low, high)) in
            by.iter().zip([x, y]).zip([across, up]).map(|((name, share), range)| (name, share, range))
        {
            commands.push(Command::Parameter((*name).into(), Value::Float(low + share * (high - low))));
        }
    }
    let visuals = ui.visuals();
    let painter = ui.painter();
    painter.rect_filled(area, 4.0, visuals.extreme_bg_color);
    for (point, clip) in points {
        let at = place(point);
        painter.circle_filled(at, 3.0, visuals.weak_text_color());
        let (font, ink) = (TextStyle::Small.resolve(ui.style()), visuals.weak_text_color());
        let text = painter.layout_no_wrap(clip.into(), font, ink);
        // A label at the edge is moved in, not cut.
        let room = (area.width() - text.size().x).max(0.0);
        let left = (at.x - text.size().x * 0.5).clamp(area.left(), area.left() + room);
        painter.galley(pos2(left, at.y - 4.0 - text.size().y), text, ink);
    }
    let graph = directed.animator.graph();
    let now = |axis: usize| -> f32 {
        let key = by.get(axis).and_then(|name| graph.float(name).ok());
        key.and_then(|key| directed.animator.state().value(key)).unwrap_or_default()
    };
    painter.circle_filled(place([now(0), now(1)]), 5.5, visuals.selection.stroke.color);
}
