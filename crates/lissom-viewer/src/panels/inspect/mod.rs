//! The inspector: what is in the open file.

mod facts;
mod materials;
mod meshes;
mod morphs;
mod tree;

use crate::{
    look::{self, Icon},
    state::{Command, Commands, Section, View},
};

pub(super) fn inspect(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let Some(document) = &view.open.document else { return };
    let morphs: usize = document.surfaces.iter().map(|surface| surface.morphs.len()).sum();
    let shown = view.ui.section;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(2.0, 2.0);
        for (section, icon, count) in [
            (Section::Joints, Icon::Joint, document.player.skeleton().joint_count()),
            (Section::Meshes, Icon::Mesh, document.surfaces.len()),
            (Section::Materials, Icon::Material, materials::count(document)),
            (Section::Morphs, Icon::Morph, morphs),
            (Section::Facts, Icon::Facts, 1),
            (Section::Notes, Icon::Note, document.notes.len()),
        ] {
            // What there is nothing of is not offered.
            if count == 0 && section != shown {
                continue;
            }
            let about = format!("{count} {}", section.name());
            let button = look::choice(ui, section == shown, icon, section.name());
            if button.on_hover_text(about).clicked() {
                commands.push(Command::Inspect(section));
            }
        }
    });
    ui.separator();
    match shown {
        Section::Joints => tree::tree(view, document, ui, commands),
        section => {
            egui::ScrollArea::vertical().auto_shrink([false; 2]).id_salt(section.name()).show(ui, |ui| {
                match section {
                    Section::Meshes => meshes::meshes(view, document, ui, commands),
                    Section::Materials => materials::materials(view, document, ui),
                    Section::Morphs => morphs::morphs(document, ui, commands),
                    Section::Notes => facts::notes(document, ui),
                    Section::Joints | Section::Facts => facts::facts(document, ui),
                }
            });
        }
    }
}
