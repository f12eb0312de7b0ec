//! The crowd panel: how many, on how many threads, and what each phase of a frame takes.

use super::notice::notice;
use crate::{
    platform,
    settings::{Panel, Settings},
    shown::{MOST, Phase},
    state::{Command, Commands, View},
};

pub(crate) fn crowd(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    notice(Panel::Crowd, view, ui, commands);
    let mut settings = view.settings.crowd;
    ui.strong("Mannequins of the lowest detail");
    let slider = egui::Slider::new(&mut settings.count, 1..=MOST).logarithmic(true);
    let counted = ui.add(slider.text("characters")).changed();
    let cores = platform::most_threads();
    if cores > 1 {
        ui.add(egui::Slider::new(&mut settings.threads, 1..=cores).text("threads"));
    }
    ui.checkbox(&mut settings.by_size, "detail by size on the screen").on_hover_text(
        "who is small has no fingers and is posed less often, who is not in view is not posed",
    );
    let count = settings.count;
    if settings != view.settings.crowd {
        commands.push(Command::Set(Settings { crowd: settings, ..*view.settings }));
    }
    if counted {
        // Once there are as many: the next frame makes them.
        commands.push(Command::Reframe);
    }
    let Some(crowd) = &view.stage.crowd else { return };
    ui.weak(format!("{} of {count} in view", crowd.instances().len()));
    ui.separator();
    ui.strong("A frame on the CPU");
    let all = Phase::ALL.iter().map(|(phase, ..)| crowd.micros(*phase)).sum::<f64>();
    egui::Grid::new("phases").num_columns(3).spacing([8.0, 4.0]).show(ui, |ui| {
        for (phase, name, about) in Phase::ALL {
            let micros = crowd.micros(phase);
            ui.label(name).on_hover_text(about);
            ui.monospace(duration(micros));
            let share = (micros / all.max(1e-9)) as f32;
            ui.add(egui::ProgressBar::new(share).desired_width(90.0).desired_height(8.0));
            ui.end_row();
        }
    });
    ui.label(format!("together {}: {} a character", short(all), short(all / count as f64)));
    let update = crowd.micros(Phase::Update);
    ui.weak(format!("updated: {:.0} characters a millisecond", count as f64 / update.max(1e-3) * 1e3));
}

/// `0.65 µs`, `850 µs`, `106 ms`: a line has room for two of them, however slow the machine is.
fn short(micros: f64) -> String {
    match micros {
        ..1e2 => format!("{micros:.2} µs"),
        1e2..1e5 => format!("{micros:.0} µs"),
        _ => format!("{:.0} ms", micros * 1e-3),
    }
}

/// `   850 µs`, `  1063 ms`: always as wide.
fn duration(micros: f64) -> String {
    if micros < 1e5 { format!("{micros:6.0} µs") } else { format!("{:6.0} ms", micros * 1e-3) }
}
