//! The panel at the bottom: time.

use crate::{
    settings::Panel,
    state::{Command, Commands, View},
};
use egui::{Sense, Stroke, pos2};

/// How wide the slider of the speed is with all that belongs to it, in points.
const SPEED: f32 = 215.0;

pub(crate) fn timeline(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    egui::Panel::bottom("timeline").show(ui, |ui| {
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            let label = if view.open.playing { "pause" } else { "play" };
            if ui.button(label).on_hover_text("space").clicked() {
                commands.push(Command::PlayOrPause);
            }
            if let Some(who) = view.settings.panel.filter(|panel| panel.decides()) {
                ui.weak(format!("the {} decides", who.name()));
                return;
            }
            let (now, duration_s) = (view.time_s().unwrap_or(0.0), view.open.duration_s());
            ui.monospace(format!("{now:6.3} / {duration_s:.3} s"));
            // A slider, its number and its name stay together.
            if ui.available_size_before_wrap().x < SPEED {
                ui.end_row();
            }
            let mut speed = view.open.speed;
            let slider = egui::Slider::new(&mut speed, -2.0..=2.0).text("speed").fixed_decimals(2);
            if ui.add(slider).changed() {
                commands.push(Command::Speed(speed));
            }
            if ui.button("1×").on_hover_text("the speed of the file").clicked() {
                commands.push(Command::Speed(1.0));
            }
            let mut repeat = view.settings.repeat;
            if ui.checkbox(&mut repeat, "loop").changed() {
                commands.push(Command::Repeat(repeat));
            }
        });
        if !view.settings.panel.is_some_and(Panel::decides) {
            track(view, ui, commands);
        }
        ui.add_space(4.0);
    });
}

/// A bar to scrub on, with marks where events are.
fn track(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let size = egui::vec2(ui.available_width().max(1.0), 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let duration_s = view.open.duration_s();
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, "time"));
    let across = |time_s: f64| {
        let part = if duration_s > 0.0 { (time_s / duration_s).clamp(0.0, 1.0) } else { 0.0 };
        rect.left() + rect.width() * part as f32
    };
    let visuals = ui.visuals();
    let (painter, line) = (ui.painter(), visuals.widgets.noninteractive.bg_stroke.color);
    painter.rect_filled(rect, 4.0, visuals.extreme_bg_color);
    // A tick a tenth of a second, as long as they can be told apart.
    let ticks = duration_s * 10.0;
    if ticks >= 1.0 && f64::from(rect.width()) / ticks > 4.0 {
        for tick in 0..=(ticks as usize) {
            let x = across(tick as f64 * 0.1);
            let top = if tick % 10 == 0 { rect.center().y } else { rect.bottom() - 6.0 };
            painter.line_segment([pos2(x, top), pos2(x, rect.bottom())], Stroke::new(1.0, line));
        }
    }
    if let Some(document) = &view.open.document
        && let Some(clip) = document.clips.iter().find(|c| Some(c.name.as_str()) == document.player.playing())
    {
        for (name, time_s) in &clip.markers {
            let x = across(*time_s);
            painter.line_segment(
                [pos2(x, rect.top()), pos2(x, rect.bottom())],
                Stroke::new(1.5, visuals.warn_fg_color),
            );
            let font = egui::FontId::proportional(10.0);
            painter.text(
                pos2(x + 3.0, rect.top()),
                egui::Align2::LEFT_TOP,
                name,
                font,
                visuals.weak_text_color(),
            );
        }
    }
    let x = across(view.time_s().unwrap_or(0.0));
    painter.line_segment(
        [pos2(x, rect.top()), pos2(x, rect.bottom())],
        Stroke::new(2.0, visuals.selection.stroke.color),
    );
    if let Some(pointer) = response.interact_pointer_pos()
        && duration_s > 0.0
    {
        let part = ((pointer.x - rect.left()) / rect.width().max(1.0)).clamp(0.0, 1.0);
        commands.push(Command::Scrub(f64::from(part) * duration_s));
    }
}
