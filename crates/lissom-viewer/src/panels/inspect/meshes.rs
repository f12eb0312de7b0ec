//! The meshes.

use crate::{
    document::Document,
    look::{self, Icon},
    state::{Command, Commands, View},
};
use egui::{RichText, Ui};

pub(super) fn meshes(view: &View<'_>, document: &Document, ui: &mut Ui, commands: &mut Commands) {
    let (vertices, triangles) = document
        .surfaces
        .iter()
        .fold((0, 0), |(v, t), surface| (v + surface.vertices, t + surface.triangles));
    ui.weak(format!(
        "{} vertices, {} triangles in all. A click on one lets it stand out.",
        thousands(vertices),
        thousands(triangles)
    ));
    for (index, surface) in document.surfaces.iter().enumerate() {
        let lit = view.ui.vivid == Some(index);
        let hidden = view.ui.hidden.contains(&index);
        ui.horizontal(|ui| {
            let mut shown = !hidden;
            let shows = ui.checkbox(&mut shown, "");
            let name = &surface.mesh;
            shows.widget_info(|| {
                egui::WidgetInfo::selected(egui::Role::CheckBox, true, shown, format!("show {name}"))
            });
            if shows.on_hover_text("drawn").changed() {
                commands.push(Command::Hide(index, !shown));
            }
            if look::choice(ui, lit, Icon::Mesh, name).clicked() {
                commands.push(Command::Vivid((!lit).then_some(index)));
            }
        });
        ui.indent(("mesh", index), |ui| {
            let morphs = match surface.morphs.len() {
                0 => String::new(),
                n => format!(", {n} morph targets"),
            };
            let facts = format!(
                "{} vertices, {} triangles, {} joints a vertex{morphs}",
                thousands(surface.vertices),
                thousands(surface.triangles),
                surface.per_vertex
            );
            ui.label(RichText::new(facts).small().weak());
            if !surface.material.is_empty() {
                ui.label(RichText::new(&surface.material).small().weak());
            }
        });
    }
}

/// `1 234 567`.
pub(super) fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}
