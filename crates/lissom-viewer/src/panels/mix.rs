//! The mix panel: clips with weights, and what is done to their pose.

use super::notice::notice;
use crate::{
    drive::{Mixer, Reach, Strip},
    settings::Panel,
    state::{Command, Commands, Edit, View},
};
use lissom::{
    Skeleton,
    job::{Mix, SpringBone},
};

pub(crate) fn mix(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let chosen = view.open.joint;
    let Some(document) = &view.open.document else { return };
    let skeleton = document.player.skeleton();
    notice(Panel::Mix, view, ui, commands);
    let Some(mixer) = &document.mixer else { return };
    ui.weak("Clips go through their laps together, each with its share of the weights.");
    ui.add_space(4.0);
    let averaged = mixer.channels.iter().map(|c| c.strip).filter(|s| !s.added && s.weight > 0.0);
    let sum: f32 = averaged.map(|strip| strip.weight).sum();
    for (index, channel) in mixer.channels.iter().enumerate() {
        let mut strip = channel.strip;
        let clip = document.clips.iter().find(|clip| clip.name == channel.name);
        let label = clip.map_or(&channel.name, |clip| &clip.label);
        self::strip(&mut strip, (&channel.name, label), sum, ui);
        // What was seen with the row before is what is asked about.
        if channel.strip.weight != 0.0 {
            details(&mut strip, &channel.name, chosen, skeleton, ui);
        }
        if strip != channel.strip {
            commands.push(Command::Edit(Edit::Mix(index, strip)));
        }
    }
    let playing = mixer.channels.iter().filter(|c| c.strip.weight != 0.0).count();
    if playing > Mix::MAX_ENTRIES {
        ui.colored_label(
            ui.visuals().warn_fg_color,
            format!("only the first {} are shown", Mix::MAX_ENTRIES),
        );
    }
    ui.separator();
    reach(mixer, chosen, ui, commands);
    springs(mixer, chosen, ui, commands);
}

/// The weight of a clip, and what it comes to.
fn strip(strip: &mut Strip, (name, label): (&str, &str), sum: f32, ui: &mut egui::Ui) {
    ui.horizontal(|ui| {
        // The name shall be seen in a small window, too.
        ui.spacing_mut().slider_width = (ui.available_width() - 140.0).clamp(30.0, 100.0);
        let response = ui.add(egui::Slider::new(&mut strip.weight, 0.0..=1.0).show_value(false));
        response
            .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, format!("weight of {name}")));
        let share = if strip.added { strip.weight } else { strip.weight / sum.max(1e-6) };
        ui.monospace(format!("{:3.0} %", share * 100.0));
        ui.add(egui::Label::new(label).truncate()).on_hover_text(name);
    });
}

/// What else can be set of a clip that is heard.
fn details(strip: &mut Strip, name: &str, chosen: Option<usize>, skeleton: &Skeleton, ui: &mut egui::Ui) {
    ui.indent(("channel", name), |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.checkbox(&mut strip.added, "added")
                .on_hover_text("a clip of differences, on top of the others");
            match strip.below {
                Some(joint) => {
                    let only = format!("only below {}", skeleton.name(joint));
                    if ui.button(only).on_hover_text("the whole body again").clicked() {
                        strip.below = None;
                    }
                }
                None => {
                    let below = ui.add_enabled(chosen.is_some(), egui::Button::new("mask"));
                    let below = below.on_hover_text("only below the joint that is chosen");
                    if below.on_disabled_hover_text("choose a joint first").clicked() {
                        strip.below = chosen;
                    }
                }
            }
        });
    });
}

/// On, off, or able to be; the answer is what it was switched to.
fn switch(ui: &mut egui::Ui, (label, about): (&str, &str), on: bool, able: bool) -> Option<bool> {
    let mut now = on;
    let switch = ui.add_enabled(on || able, egui::Checkbox::new(&mut now, label)).on_hover_text(about);
    switch.on_disabled_hover_text("choose a joint first").changed().then_some(now)
}

/// A joint that reaches for a target.
fn reach(mixer: &Mixer, chosen: Option<usize>, ui: &mut egui::Ui, commands: &mut Commands) {
    let skeleton = mixer.body().skeleton();
    let chosen = chosen.filter(|joint| skeleton.parent(*joint).is_some());
    let words = ("reach", "the chosen joint has a target, to be dragged in the picture");
    if let Some(on) = switch(ui, words, mixer.reach.is_some(), chosen.is_some()) {
        let joint = chosen.filter(|_| on);
        commands.push(Command::Reach(joint.map(|joint| (joint, Reach::most(skeleton, joint).min(2)))));
    }
    if let Some(reach) = &mixer.reach {
        ui.indent("reach", |ui| {
            let mut bones = reach.bones;
            let most = Reach::most(skeleton, reach.joint);
            if ui.add(egui::Slider::new(&mut bones, 1..=most).text("bones")).changed() {
                commands.push(Command::Reach(Some((reach.joint, bones))));
            }
            // What a hair would hide.
            let missed =
                if reach.missed_m < 1e-3 { "there".into() } else { format!("{:.3} m away", reach.missed_m) };
            ui.weak(format!("{}: {missed}", skeleton.name(reach.joint)));
        });
    }
}

/// Joints that swing after the motion.
fn springs(mixer: &Mixer, chosen: Option<usize>, ui: &mut egui::Ui, commands: &mut Commands) {
    let words = ("springs", "the chosen joint and all below it swing after the motion");
    if let Some(on) = switch(ui, words, mixer.springs.is_some(), chosen.is_some()) {
        let joint = chosen.filter(|_| on);
        commands.push(Command::Springs(joint.map(|joint| (joint, SpringBone::default()))));
    }
    if let Some(springs) = &mixer.springs {
        ui.indent("springs", |ui| {
            let mut bone = springs.bone;
            let stiffness = egui::Slider::new(&mut bone.stiffness, 1.0..=4000.0).logarithmic(true);
            ui.add(stiffness.fixed_decimals(0).text("stiffness"))
                .on_hover_text("what pulls a bone back, 1/s²");
            let drag = egui::Slider::new(&mut bone.damping, 0.0..=60.0).fixed_decimals(0);
            ui.add(drag.text("drag")).on_hover_text("what slows a bone, 1/s");
            ui.weak(format!("from {} on", mixer.body().skeleton().name(springs.joint)));
            if bone != springs.bone {
                commands.push(Command::Springs(Some((springs.joint, bone))));
            }
        });
    }
}
