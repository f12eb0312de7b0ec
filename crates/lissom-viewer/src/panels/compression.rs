//! The compression panel: what clips take, how far off they are, and what another precision would give.

use crate::{document::ClipEntry, viewer::Viewer};

pub(crate) fn compression(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let mut cook = None;
    let mut chosen = None;
    {
        let Some(document) = &viewer.document else { return };
        let was = document.precision_mm;
        let mut precision_mm = viewer.wanted_mm.or(was).unwrap_or(0.1);
        let slider = egui::Slider::new(&mut precision_mm, 0.001..=100.0).logarithmic(true).suffix(" mm");
        let response = ui.add(slider.text("precision"));
        viewer.wanted_mm = Some(precision_mm);
        let done =
            response.drag_stopped() || response.lost_focus() || (response.changed() && !response.dragged());
        if done && was != Some(precision_mm) && viewer.loading.is_none() {
            cook = Some(precision_mm);
        }
        ui.weak("No vertex, no joint and no point 3 cm round a joint is farther from the source than this.");
        ui.separator();
        if document.clips.iter().all(|clip| clip.cooked.is_none()) {
            ui.weak("This archive was cooked elsewhere: what it was made of is not in it.");
        }
        for clip in &document.clips {
            let playing = document.player.playing() == Some(clip.name.as_str());
            if entry(clip, playing, ui) {
                chosen = clip
                    .cooked
                    .as_ref()
                    .map(|cooked| (clip.name.clone(), cooked.worst_joint.clone(), cooked.worst_s));
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
    }
    if let Some(precision_mm) = cook {
        viewer.recook(precision_mm, ui.ctx());
    }
    // Where it is worst can be looked at.
    if let Some((clip, joint, time_s)) = chosen {
        viewer.play(&clip);
        viewer.scrub(time_s);
        viewer.choose(&joint);
    }
}

/// What one clip takes; true if its worst moment was asked for.
fn entry(clip: &ClipEntry, playing: bool, ui: &mut egui::Ui) -> bool {
    let title = egui::RichText::new(&clip.name);
    ui.label(if playing { title.strong() } else { title });
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
