//! The panel at the bottom: what plays, how fast, and the time line.

mod line;
mod rows;
mod scale;

use crate::{
    look::{self, Icon},
    settings::{Drives, Shows},
    state::{Command, Commands, TimeView, View},
};

/// How high all of it is at first and at least, in points.
const HEIGHT: f32 = 142.0;
const LEAST: f32 = 62.0;
/// A bar of one line, in points.
const BAR: f32 = 24.0;
/// A window that has no room for all settings in a line, in points.
const SMALL: f32 = 460.0;
/// How wide the slider of the speed is with all that belongs to it, in points.
const SPEED: f32 = 190.0;

pub(crate) fn timeline(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    // Of one height whatever it shows, and however many lines the bar has: what stands above does not jump, and a panel that had to
    // be lower once would stay so.
    let most = (ui.ctx().content_rect().height() - BAR) * 0.4;
    let panel = egui::Panel::bottom("timeline").resizable(true).default_size(HEIGHT.min(most));
    panel.size_range(LEAST.min(most)..=most.max(LEAST)).show(ui, |ui| {
        ui.set_min_height(ui.available_height());
        ui.add_space(4.0);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            controls(view, ui, commands);
        });
        if who_decides(view).is_none() && view.time_s().is_some() {
            ui.add_space(2.0);
            line::line(view, ui, commands);
        }
    });
}

/// What plays, and how.
fn controls(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let playing = view.open.playing;
    let (icon, label) = if playing { (Icon::Pause, "pause") } else { (Icon::Play, "play") };
    if look::button(ui, icon, label).on_hover_text("space").clicked() {
        commands.push(Command::PlayOrPause);
    }
    if let Some(who) = who_decides(view) {
        ui.weak(who);
        if look::button(ui, Icon::Clips, "back to the clip").clicked() {
            commands.push(Command::Drive(Drives::Clip));
        }
        return;
    }
    let (now, duration_s) = (view.time_s().unwrap_or(0.0), view.open.duration_s());
    ui.monospace(format!("{now:6.3} / {duration_s:.3} s"));
    if ui.max_rect().width() < SMALL {
        // All else in a menu: one line is all that there is room for.
        ui.menu_button((Icon::Mix.atom(), "how"), |ui| settings(view, ui, commands));
    } else {
        settings(view, ui, commands);
    }
}

/// How it plays, and what is seen of it.
fn settings(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let (now, duration_s) = (view.time_s().unwrap_or(0.0), view.open.duration_s());
    let rate_hz = view.stage.rate_hz();
    let frame = (now * rate_hz + 1e-6).floor();
    ui.weak(format!("frame {frame:.0}"))
        .on_hover_text(format!("of {:.0}, {rate_hz:.0} a second", duration_s * rate_hz));
    // A slider, its number and its name stay together.
    if ui.available_size_before_wrap().x < SPEED {
        ui.end_row();
    }
    let mut speed = view.open.speed;
    ui.spacing_mut().slider_width = 80.0;
    let slider = egui::Slider::new(&mut speed, -2.0..=2.0).text("speed").fixed_decimals(2);
    if ui.add(slider).changed() {
        commands.push(Command::Speed(speed));
    }
    if ui.button("1×").on_hover_text("the speed of the file").clicked() {
        commands.push(Command::Speed(1.0));
    }
    let mut repeat = view.settings.repeat;
    if ui.checkbox(&mut repeat, "loop").on_hover_text("L").changed() {
        commands.push(Command::Repeat(repeat));
    }
    if let Some([from_s, to_s]) = view.open.range {
        let words = format!("{from_s:.2} to {to_s:.2} s");
        let range = look::button(ui, Icon::Range, &words);
        if range.on_hover_text("only this part plays; a click plays all again").clicked() {
            commands.push(Command::Range(None));
        }
    }
    rows_menu(view, ui, commands);
    if !view.ui.time.is_whole(duration_s)
        && look::button(ui, Icon::Frame, "all").on_hover_text("all of the clip").clicked()
    {
        commands.push(Command::Time(TimeView::default()));
    }
}

/// Which rows the time line has.
fn rows_menu(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let mut settings = *view.settings;
    let rows = &mut settings.rows;
    ui.menu_button((Icon::Time.atom(), "rows"), |ui| {
        ui.checkbox(&mut rows.events, "events");
        ui.checkbox(&mut rows.lasts, "contacts, and what else lasts");
        ui.checkbox(&mut rows.keys, "keys of the chosen joint");
        ui.checkbox(&mut rows.jumps, "jump frames");
        let able = view.open.document.as_ref().is_some_and(|document| document.compared().is_some());
        let error = ui.add_enabled(able, egui::Checkbox::new(&mut rows.error, "error over time"));
        error.on_disabled_hover_text("the source of this clip is not known");
        ui.separator();
        ui.checkbox(&mut rows.frames, "numbers are frames");
    });
    if settings != *view.settings {
        commands.push(Command::Set(settings));
    }
}

/// Who moves what is seen, if it is no clip.
fn who_decides(view: &View<'_>) -> Option<&'static str> {
    match (view.settings.shows, view.settings.drives) {
        (Shows::Crowd, _) => Some("the crowd goes its own way"),
        (Shows::World, _) => Some("the world goes its own way"),
        (_, Drives::Mix) => Some("the mix moves the character"),
        (_, Drives::Graph) => Some("the graph moves the character"),
        (_, Drives::Clip) => None,
    }
}
