//! The compression panel: what clips take, how far off they are, and what another precision would give.

use crate::{
    clip_list::ClipEntry,
    look,
    settings::Settings,
    state::{Command, Commands, View},
};
use egui::Rgba;
use egui_plot::{Line, Plot, PlotPoints, VLine};

pub(crate) fn compression(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    precision(view, ui, commands);
    comparison(view, ui, commands);
    ui.separator();
    // Where it is worst can be looked at.
    commands.extend(clips(view, ui));
}

/// The precision to cook to.
fn precision(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let Some(document) = &view.open.document else { return };
    let was = document.precision_mm;
    let mut precision_mm = view.ui.wanted_mm.or(was).unwrap_or(0.1);
    let slider = egui::Slider::new(&mut precision_mm, 0.001..=100.0).logarithmic(true).suffix(" mm");
    let response = ui.add(slider.text("precision"));
    if response.changed() {
        commands.push(Command::WantPrecision(precision_mm));
    }
    ui.weak("No vertex, no joint and no point 3 cm round a joint is farther from the source than this.");
    let done =
        response.drag_stopped() || response.lost_focus() || (response.changed() && !response.dragged());
    if done && was != Some(precision_mm) && view.open.loading.is_none() {
        commands.push(Command::Recook(precision_mm));
    }
}

/// What all clips take; where the error that was asked for is.
fn clips(view: &View<'_>, ui: &mut egui::Ui) -> Option<Command> {
    let document = view.open.document.as_ref()?;
    if document.clips.iter().all(|clip| clip.cooked.is_none()) {
        ui.weak("This archive was cooked elsewhere: what it was made of is not in it.");
    }
    let mut chosen = None;
    for clip in &document.clips {
        let playing = document.player.playing() == Some(clip.name.as_str());
        if entry(clip, playing, ui) {
            let cooked = clip.cooked.as_ref();
            chosen = cooked.map(|cooked| Command::LookAt {
                clip: clip.name.clone(),
                joint: cooked.worst_joint.clone(),
                time_s: cooked.worst_s,
            });
        }
    }
    let (bytes, raw) = document
        .clips
        .iter()
        .filter_map(|c| Some((c.bytes, c.cooked.as_ref()?.raw_bytes)))
        .fold((0, 0), |(bytes, raw), (b, r)| (bytes + b as u64, raw + r));
    if bytes > 0 {
        ui.separator();
        ui.label(format!("all clips: {bytes} bytes of {raw}, 1 : {:.1}", raw as f64 / bytes as f64));
    }
    chosen
}

/// The clip that plays beside what it was cooked from.
fn comparison(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let time_s = view.time_s();
    let Some(document) = &view.open.document else { return };
    let Some(clip) = document.compared() else { return };
    ui.separator();
    ui.strong("Against the source");
    let mut settings = view.settings.compare;
    ui.checkbox(&mut settings.colors, "error as colours");
    if settings.colors {
        legend(ui, clip.cooked.as_ref().map_or(0.0, |cooked| cooked.worst_m * 1e3));
    }
    ui.horizontal(|ui| {
        ui.checkbox(&mut settings.bones, "both skeletons");
        // As the picture has them.
        let palette = look::of(ui.visuals());
        ui.colored_label(palette.good, "source");
        ui.colored_label(palette.error, "cooked");
    });
    let slider = egui::Slider::new(&mut settings.larger, 1.0..=2000.0).logarithmic(true).fixed_decimals(0);
    ui.add_enabled(settings.colors || settings.bones, slider.text("times larger"));
    if settings != view.settings.compare {
        commands.push(Command::Set(Settings { compare: settings, ..*view.settings }));
    }
    let Some(curve) = &view.stage.error_curve else { return };
    let joint = document.player.skeleton().name(curve.worst_joint);
    ui.weak(format!("joints and points 3 cm round them: at most {:.4} mm, {joint}", curve.worst[1]));
    let now = ui.visuals().weak_text_color();
    let plot = Plot::new("error").height(110.0).include_y(0.0).allow_scroll(false).y_axis_label("mm");
    plot.show(ui, |plot| {
        plot.line(Line::new("error", PlotPoints::from(curve.points.clone())).width(1.5));
        if let Some(time_s) = time_s {
            plot.vline(VLine::new("", time_s).color(now));
        }
    });
}

/// The colours of errors, as the shader has them.
fn legend(ui: &mut egui::Ui, worst_mm: f64) {
    const STOPS: [[f32; 3]; 4] =
        [[0.03, 0.12, 0.5], [0.05, 0.5, 0.2], [0.85, 0.65, 0.05], [0.75, 0.03, 0.02]];
    let (area, _) = ui.allocate_exact_size(egui::vec2(ui.available_width(), 10.0), egui::Sense::hover());
    let steps = 48;
    for step in 0..steps {
        let at = (step as f32 + 0.5) / steps as f32 * 3.0;
        let (a, b, t) = (STOPS[at as usize], STOPS[at as usize + 1], at.fract());
        let [r, g, b] = [0, 1, 2].map(|c| a[c] + (b[c] - a[c]) * t);
        let [left, right] =
            [step, step + 1].map(|s| egui::lerp(area.left()..=area.right(), s as f32 / steps as f32));
        let part = egui::Rect::from_x_y_ranges(left..=right, area.y_range());
        ui.painter().rect_filled(part, 0.0, Rgba::from_rgb(r, g, b));
    }
    ui.horizontal(|ui| {
        ui.weak("0");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.weak(format!("{worst_mm:.4} mm"));
        });
    });
}

/// What one clip takes; true if its worst moment was asked for.
fn entry(clip: &ClipEntry, playing: bool, ui: &mut egui::Ui) -> bool {
    let title = egui::RichText::new(&clip.label);
    ui.label(if playing { title.strong() } else { title }).on_hover_text(&clip.name);
    let Some(cooked) = &clip.cooked else {
        ui.weak(format!("{} bytes", clip.bytes));
        return false;
    };
    ui.indent(("clip", &clip.name), |ui| {
        ui.label(format!(
            "{} bytes, 1 : {:.1}",
            clip.bytes,
            cooked.raw_bytes as f64 / clip.bytes.max(1) as f64
        ));
        bars(ui, clip.bytes as u64, cooked.jump_bytes, cooked.stream_bytes);
        let worst =
            format!("{:.4} mm at {}, {:.2} s", cooked.worst_m * 1e3, cooked.worst_joint, cooked.worst_s);
        ui.link(worst).on_hover_text("the largest error: go there").clicked()
    })
    .inner
}

/// Where the bytes lie.
fn bars(ui: &mut egui::Ui, all: u64, jumps: u64, stream: u64) {
    let (area, response) =
        ui.allocate_exact_size(egui::vec2(ui.available_width(), 8.0), egui::Sense::hover());
    let rest = all.saturating_sub(jumps + stream);
    let visuals = ui.visuals();
    let colors =
        [visuals.selection.bg_fill, visuals.warn_fg_color.gamma_multiply(0.7), visuals.weak_text_color()];
    let mut left = area.left();
    for (bytes, color) in [stream, jumps, rest].into_iter().zip(colors) {
        let width = area.width() * bytes as f32 / all.max(1) as f32;
        let part = egui::Rect::from_min_size(egui::pos2(left, area.top()), egui::vec2(width, area.height()));
        ui.painter().rect_filled(part, 1.0, color);
        left += width;
    }
    response
        .on_hover_text(format!("{stream} in rows, {jumps} in jump frames, {rest} in tables and constants"));
}
