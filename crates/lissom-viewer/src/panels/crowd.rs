//! The crowd panel: how many, on how many threads, and what each stage takes.

use crate::{
    crowd::{MOST, Stage},
    viewer::Viewer,
};

pub(crate) fn crowd(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let settings = &mut viewer.settings.crowd;
    ui.strong("Mannequins of the lowest detail");
    let slider = egui::Slider::new(&mut settings.count, 1..=MOST).logarithmic(true);
    let counted = ui.add(slider.text("characters")).changed();
    #[cfg(not(target_arch = "wasm32"))]
    {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        ui.add(egui::Slider::new(&mut settings.threads, 1..=cores).text("threads"));
    }
    ui.checkbox(&mut settings.by_size, "detail by size on the screen").on_hover_text(
        "who is small has no fingers and is posed less often, who is not in view is not posed",
    );
    let count = settings.count;
    if counted {
        // Once there are as many: the next frame makes them.
        viewer.reframe();
    }
    let Some(crowd) = &viewer.crowd else { return };
    ui.weak(format!("{} of {count} in view", crowd.instances().len()));
    ui.separator();
    ui.strong("A frame on the CPU");
    let all = Stage::ALL.iter().map(|(stage, ..)| crowd.micros(*stage)).sum::<f64>();
    egui::Grid::new("stages").num_columns(3).spacing([8.0, 4.0]).show(ui, |ui| {
        for (stage, name, about) in Stage::ALL {
            let micros = crowd.micros(stage);
            ui.label(name).on_hover_text(about);
            ui.monospace(format!("{micros:6.0} µs"));
            let share = (micros / all.max(1e-9)) as f32;
            ui.add(egui::ProgressBar::new(share).desired_width(90.0).desired_height(8.0));
            ui.end_row();
        }
    });
    ui.label(format!("together {all:.0} µs: {:.2} µs a character", all / count as f64));
    let update = crowd.micros(Stage::Update);
    ui.weak(format!("updated: {:.0} characters a millisecond", count as f64 / update.max(1e-3) * 1e3));
}
