//! What else is known of a file, and what was odd about it.

use super::meshes::thousands;
use crate::{
    document::Document,
    look::{self, Icon},
    source::Source,
};
use egui::Ui;
use std::sync::Arc;

pub(super) fn facts(document: &Document, ui: &mut Ui) {
    let skeleton = document.player.skeleton();
    let all = skeleton.joint_count();
    let roots = (0..all).filter(|joint| skeleton.parent(*joint).is_none()).count();
    let deepest = (0..all).map(|joint| skeleton.depth(joint)).max().unwrap_or(0);
    let leaves = (0..all).filter(|joint| skeleton.subtree(*joint).len() == 1).count();
    let moving = (0..all)
        .filter(|joint| document.surfaces.iter().any(|s| s.moved_by.get(*joint).is_some_and(|n| *n > 0)));
    let size = document.near.half * 2.0;
    let clips_s: f64 = document.clips.iter().map(|clip| clip.duration_s).sum();
    let bytes: usize = document.clips.iter().map(|clip| clip.bytes).sum();
    let mut pictures: Vec<_> = document
        .surfaces
        .iter()
        .flat_map(|s| s.maps.iter().flatten())
        .map(|map| Arc::as_ptr(&map.picture))
        .collect();
    pictures.sort_unstable();
    pictures.dedup();
    let mut rows = vec![
        ("joints", format!("{all}, {leaves} at the ends")),
        ("roots", roots.to_string()),
        ("deepest", format!("{deepest} below a root")),
        ("that move vertices", moving.count().to_string()),
        ("size", format!("{:.2} × {:.2} × {:.2} m", size.x, size.y, size.z)),
        ("clips", format!("{}, {clips_s:.1} s together", document.clips.len())),
        ("their bytes", thousands(bytes)),
        ("all bytes", thousands(document.bytes)),
    ];
    if !pictures.is_empty() {
        rows.push(("pictures", pictures.len().to_string()));
    }
    if let Some(graph) = &document.graph {
        let states: usize = graph.layers.iter().map(|layer| layer.states.len()).sum();
        rows.push(("graph", format!("{} layers, {states} states", graph.layers.len())));
    }
    egui::Grid::new("facts").num_columns(2).spacing([12.0, 4.0]).show(ui, |ui| {
        for (name, value) in rows {
            ui.weak(name);
            ui.label(value);
            ui.end_row();
        }
    });
    if !document.sources.is_empty() {
        ui.add_space(6.0);
        look::label(ui, Icon::Open, "files");
        for source in &document.sources {
            let path = source.file().map(|path| path.display().to_string());
            ui.label(Source::title(source)).on_hover_text(path.unwrap_or_default());
        }
    }
}

/// What was odd about the file, and what became of motions that were brought onto the character.
pub(super) fn notes(document: &Document, ui: &mut Ui) {
    if document.notes.is_empty() {
        ui.weak("Nothing was odd about this file.");
    }
    for note in &document.notes {
        ui.horizontal_top(|ui| {
            let (rect, _) = ui.allocate_exact_size(egui::vec2(14.0, 18.0), egui::Sense::hover());
            Icon::Warning.paint(ui.painter(), rect, ui.visuals().warn_fg_color);
            ui.add(egui::Label::new(note).wrap());
        });
    }
    for brought in document.brought.iter().filter(|brought| !brought.clips.is_empty()) {
        ui.add_space(4.0);
        look::label(ui, Icon::Retarget, &brought.file);
        ui.weak(brought.clips.join(", "));
    }
}
