//! Morph targets: who holds a slider has the last word, whatever the clips say.

use crate::{
    document::Document,
    look::{self, Icon},
    state::{Command, Commands, Edit},
};
use egui::Ui;

pub(super) fn morphs(document: &Document, ui: &mut Ui, commands: &mut Commands) {
    let body = document.body();
    for (mesh, (surface, weights)) in document.surfaces.iter().zip(body.morphs()).enumerate() {
        if surface.morphs.is_empty() {
            continue;
        }
        ui.horizontal(|ui| {
            look::label(ui, Icon::Morph, &surface.mesh);
            let held = document.morphs.keys().any(|(own, _)| *own == mesh);
            if held
                && look::small_button(ui, Icon::Reset, "let go")
                    .on_hover_text("as the clip has them")
                    .clicked()
            {
                let held = document.morphs.keys().filter(|(own, _)| *own == mesh);
                commands.extend(held.map(|(_, target)| Command::Edit(Edit::Morph(mesh, *target, None))));
            }
        });
        for (target, (name, weight)) in surface.morphs.iter().zip(weights).enumerate() {
            let mut value = *weight;
            ui.horizontal(|ui| {
                ui.spacing_mut().slider_width = (ui.available_width() - 170.0).clamp(40.0, 110.0);
                let slider = egui::Slider::new(&mut value, 0.0..=1.0)
                    .clamping(egui::SliderClamping::Never)
                    .fixed_decimals(2);
                let response = ui.add(slider);
                response.widget_info(|| {
                    egui::WidgetInfo::slider(true, f64::from(value), format!("morph {name}"))
                });
                let is_held = document.morphs.contains_key(&(mesh, target));
                let words =
                    if is_held { egui::RichText::new(name).strong() } else { egui::RichText::new(name) };
                ui.add(egui::Label::new(words).truncate()).on_hover_text(name);
                if response.changed() {
                    commands.push(Command::Edit(Edit::Morph(mesh, target, Some(value))));
                }
            });
        }
        ui.add_space(4.0);
    }
}
