//! The curves panel: what a joint does in the clip that plays, and where its keys are.

use crate::{
    look::{self, Palette},
    state::View,
};
use egui_plot::{Legend, Line, Plot, PlotPoints, Points, VLine};

pub(crate) fn curves(view: &View<'_>, ui: &mut egui::Ui) {
    let time_s = view.time_s();
    let Some(document) = &view.open.document else { return };
    let Some(joint) = view.open.joint else {
        ui.weak("Choose a joint: in the list at the left, or by a click on its bone.");
        return;
    };
    if document.player.playing().is_none() {
        ui.weak("No clip plays.");
        return;
    }
    ui.strong(document.player.skeleton().name(joint));
    let Some(curves) = &view.stage.curves else { return };
    let (palette, grey) = (look::of(ui.visuals()), ui.visuals().weak_text_color());
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
                plot.line(Line::new(axis.to_string(), points).color(color(palette, axis)).width(1.5));
            }
            // A key is a dot on the first curve: all axes of a channel have theirs at once.
            let keys: Vec<[f64; 2]> =
                curves.keys[kind].iter().map(|t| [*t, curves.value_at(first, *t)]).collect();
            if keys.len() < 500 {
                plot.points(Points::new("", PlotPoints::from(keys)).radius(2.0).color(grey));
            }
            if let Some(time_s) = time_s {
                plot.vline(VLine::new("", time_s).color(grey));
            }
        });
    }
}

fn color(palette: &Palette, axis: char) -> egui::Color32 {
    palette.axes["xyzw".find(axis).unwrap_or(3)]
}
