//! The mix panel: clips with weights.

use crate::{drive::Driver, viewer::Viewer};
use lissom::job::Mix;

pub(crate) fn mix(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let chosen = viewer.joint;
    let Some(document) = &mut viewer.document else { return };
    let skeleton = document.player.skeleton().clone();
    let Driver::Mix(mixer) = &mut document.driver else { return };
    ui.weak("Clips go through their laps together, each with its share of the weights.");
    ui.add_space(4.0);
    let sum: f32 = mixer.channels.iter().filter(|c| !c.added && c.weight > 0.0).map(|c| c.weight).sum();
    for channel in &mut mixer.channels {
        ui.horizontal(|ui| {
            let slider = egui::Slider::new(&mut channel.weight, 0.0..=1.0).show_value(false);
            let name = channel.name.clone();
            let response = ui.add(slider);
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::Slider, true, format!("weight of {name}"))
            });
            let share = if channel.added { channel.weight } else { channel.weight / sum.max(1e-6) };
            ui.monospace(format!("{:3.0} %", share * 100.0));
            ui.label(&channel.name);
        });
        if channel.weight == 0.0 {
            continue;
        }
        ui.indent(("channel", &channel.name), |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.checkbox(&mut channel.added, "added")
                    .on_hover_text("a clip of differences, on top of the others");
                match channel.below {
                    Some(joint) => {
                        let only = format!("only below {}", skeleton.name(joint));
                        if ui.button(only).on_hover_text("the whole body again").clicked() {
                            channel.below = None;
                        }
                    }
                    None => {
                        let below = ui.add_enabled(chosen.is_some(), egui::Button::new("mask"));
                        let below = below.on_hover_text("only below the joint that is chosen");
                        if below.on_disabled_hover_text("choose a joint first").clicked() {
                            channel.below = chosen;
                        }
                    }
                }
            });
        });
    }
    let playing = mixer.channels.iter().filter(|c| c.weight != 0.0).count();
    if playing > Mix::MAX_ENTRIES {
        ui.colored_label(
            ui.visuals().warn_fg_color,
            format!("only the first {} are shown", Mix::MAX_ENTRIES),
        );
    }
}
