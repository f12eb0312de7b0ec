//! The curves panel: what a joint does in the clip that plays, and where its keys are.

use crate::viewer::Viewer;
use egui_plot::{Legend, Line, Plot, PlotPoints, Points, VLine};
use lissom::{
    Skeleton,
    clip::{ChannelKind, Clip, Cursor, SampleTime},
    job::{JobError, SampleJob},
    math::soa,
};
use std::ops::ControlFlow;

/// Curves of one joint in one clip.
pub(crate) struct Curves {
    clip: u64,
    joint: usize,
    /// Rotation x, y, z, w; translation x, y, z; scale x, y, z.
    lines: [Vec<[f64; 2]>; 10],
    /// Keys of rotation, translation, scale.
    keys: [Vec<f64>; 3],
}

/// Times a curve is sampled at, at most.
const SAMPLES: usize = 400;

impl Curves {
    fn new(skeleton: &Skeleton, clip: &Clip, joint: usize) -> Result<Self, JobError> {
        let view = clip.view();
        let mut keys: [Vec<f64>; 3] = Default::default();
        // A stream that is not whole does not come here: documents are.
        let _ = view.visit_keys(&mut |key| {
            if key.joint == joint {
                let kind = match key.kind {
                    ChannelKind::Rotation => 0,
                    ChannelKind::Translation => 1,
                    ChannelKind::Scale => 2,
                };
                keys[kind].push(view.row_time_s(key.row));
            }
            ControlFlow::Continue(())
        });
        let mut cursor = Cursor::with_room_for(view);
        let mut pose = skeleton.rest_pose().to_vec();
        let mut lines: [Vec<[f64; 2]>; 10] = Default::default();
        for step in 0..=SAMPLES {
            let time_s = view.duration_s() * step as f64 / SAMPLES as f64;
            SampleJob::new(skeleton, view, &mut cursor, &mut pose).at(SampleTime::Clamped(time_s)).run()?;
            let local = soa::lane(&pose, joint);
            let (r, t, s) = (local.rotation, local.translation, local.scale);
            for (line, value) in lines.iter_mut().zip([r.x, r.y, r.z, r.w, t.x, t.y, t.z, s.x, s.y, s.z]) {
                line.push([time_s, f64::from(value)]);
            }
        }
        Ok(Self { clip: view.identity(), joint, lines, keys })
    }
}

pub(crate) fn curves(viewer: &mut Viewer, ui: &mut egui::Ui) {
    let time_s = viewer.time_s();
    let Some(document) = &viewer.document else { return };
    let body = document.player.body();
    let skeleton = body.skeleton();
    let Some(joint) = viewer.joint else {
        ui.weak("Choose a joint: in the list at the left, or by a click on its bone.");
        return;
    };
    let playing = document.player.playing().and_then(|name| body.clip(name).ok());
    let Some(clip) = playing.and_then(|number| body.clips().get(number)) else {
        ui.weak("No clip plays.");
        return;
    };
    ui.strong(skeleton.name(joint));
    if viewer.curves.as_ref().is_none_or(|c| (c.clip, c.joint) != (clip.view().identity(), joint)) {
        match Curves::new(skeleton, clip, joint) {
            Ok(curves) => viewer.curves = Some(curves),
            Err(e) => {
                ui.colored_label(ui.visuals().error_fg_color, e.to_string());
                return;
            }
        }
    }
    let Some(curves) = &viewer.curves else { return };
    let height = ((ui.available_height() - 60.0) / 3.0).max(110.0);
    for (kind, (title, range, axes)) in
        [("rotation", 0..4, "xyzw"), ("translation (m)", 4..7, "xyz"), ("scale", 7..10, "xyz")]
            .into_iter()
            .enumerate()
    {
        ui.weak(match curves.keys[kind].len() {
            0 => format!("{title}: constant"),
            n => format!("{title}: {n} keys"),
        });
        let plot = Plot::new(("curves", kind)).height(height).legend(Legend::default()).allow_scroll(false);
        plot.show(ui, |plot| {
            let first = range.start;
            for (line, axis) in curves.lines[range].iter().zip(axes.chars()) {
                let points = PlotPoints::from(line.clone());
                plot.line(Line::new(axis.to_string(), points).color(color(axis)).width(1.5));
            }
            // A key is a dot on the first curve: all axes of a channel have theirs at once.
            let keys: Vec<[f64; 2]> =
                curves.keys[kind].iter().map(|t| [*t, value_at(&curves.lines[first], *t)]).collect();
            if keys.len() < 500 {
                plot.points(Points::new("", PlotPoints::from(keys)).radius(2.0).color(egui::Color32::GRAY));
            }
            if let Some(time_s) = time_s {
                plot.vline(VLine::new("", time_s).color(egui::Color32::GRAY));
            }
        });
    }
}

fn color(axis: char) -> egui::Color32 {
    match axis {
        'x' => egui::Color32::from_rgb(235, 90, 80),
        'y' => egui::Color32::from_rgb(100, 190, 90),
        'z' => egui::Color32::from_rgb(80, 140, 235),
        _ => egui::Color32::from_rgb(190, 150, 220),
    }
}

/// A curve between its samples.
fn value_at(line: &[[f64; 2]], time_s: f64) -> f64 {
    let after = line.partition_point(|p| p[0] < time_s).min(line.len() - 1);
    let (a, b) = (line[after.saturating_sub(1)], line[after]);
    let share = if b[0] > a[0] { ((time_s - a[0]) / (b[0] - a[0])).clamp(0.0, 1.0) } else { 1.0 };
    a[1] + (b[1] - a[1]) * share
}
