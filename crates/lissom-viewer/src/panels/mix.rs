//! The mix panel: clips with weights, and what is done to their pose.

use crate::{
    drive::{Driver, Mixer, Reach, Springs},
    viewer::Viewer,
};
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
            // The name shall be seen in a small window, too.
            ui.spacing_mut().slider_width = (ui.available_width() - 140.0).clamp(30.0, 100.0);
            let slider = egui::Slider::new(&mut channel.weight, 0.0..=1.0).show_value(false);
            let name = channel.name.clone();
            let response = ui.add(slider);
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::Slider, true, format!("weight of {name}"))
            });
            let share = if channel.added { channel.weight } else { channel.weight / sum.max(1e-6) };
            ui.monospace(format!("{:3.0} %", share * 100.0));
            ui.add(egui::Label::new(&channel.name).truncate());
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
    ui.separator();
    reach(mixer, chosen, ui);
    springs(mixer, chosen, ui);
}

/// On if there is something; a click makes it for the joint that is chosen, or takes it away.
fn switch<T>(
    ui: &mut egui::Ui,
    (label, about): (&str, &str),
    what: &mut Option<T>,
    make: Option<impl FnOnce() -> Option<T>>,
) {
    let mut on = what.is_some();
    let able = on || make.is_some();
    let switch = ui.add_enabled(able, egui::Checkbox::new(&mut on, label)).on_hover_text(about);
    if switch.on_disabled_hover_text("choose a joint first").changed() {
        *what = if on { make.and_then(|make| make()) } else { None };
    }
}

/// A joint that reaches for a target.
fn reach(mixer: &mut Mixer, chosen: Option<usize>, ui: &mut egui::Ui) {
    let skeleton = mixer.body().skeleton().clone();
    let mut reach = mixer.reach.take();
    let chosen = chosen.filter(|joint| skeleton.parent(*joint).is_some());
    let body = mixer.body();
    let make = chosen.map(|joint| move || Reach::new(body, joint));
    switch(ui, ("reach", "the chosen joint has a target, to be dragged in the picture"), &mut reach, make);
    if let Some(reach) = &mut reach {
        ui.indent("reach", |ui| {
            let most = Reach::most(&skeleton, reach.joint);
            ui.add(egui::Slider::new(&mut reach.bones, 1..=most).text("bones"));
            // What a hair would hide.
            let missed =
                if reach.missed_m < 1e-3 { "there".into() } else { format!("{:.3} m away", reach.missed_m) };
            ui.weak(format!("{}: {missed}", skeleton.name(reach.joint)));
        });
    }
    mixer.reach = reach;
}

/// Joints that swing after the motion.
fn springs(mixer: &mut Mixer, chosen: Option<usize>, ui: &mut egui::Ui) {
    let skeleton = mixer.body().skeleton().clone();
    let mut springs = mixer.springs.take();
    let body = mixer.body();
    let make = chosen.map(|joint| move || Some(Springs::new(body, joint)));
    switch(ui, ("springs", "the chosen joint and all below it swing after the motion"), &mut springs, make);
    if let Some(springs) = &mut springs {
        ui.indent("springs", |ui| {
            let stiffness = egui::Slider::new(&mut springs.bone.stiffness, 1.0..=4000.0).logarithmic(true);
            ui.add(stiffness.fixed_decimals(0).text("stiffness"))
                .on_hover_text("what pulls a bone back, 1/s²");
            let drag = egui::Slider::new(&mut springs.bone.damping, 0.0..=60.0).fixed_decimals(0);
            ui.add(drag.text("drag")).on_hover_text("what slows a bone, 1/s");
            ui.weak(format!("from {} on", skeleton.name(springs.joint)));
        });
    }
    mixer.springs = springs;
}
