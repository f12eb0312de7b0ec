//! Rows of the time line.

use super::scale::Scale;
use crate::{
    look::Palette,
    shown::{RowKind, TimeRow},
    state::View,
};
use egui::{Color32, Painter, Rect, Shape, Stroke, pos2};
use lissom::clip::ChannelKind;

/// What a row draws.
enum Marks<'a> {
    /// Of the clip.
    Of(&'a TimeRow),
    /// A curve: seconds and values, and the highest value.
    Curve(&'a [[f64; 2]], f64),
}

/// A row, and what it is called.
pub(super) struct Lane<'a> {
    pub name: String,
    marks: Marks<'a>,
}

/// The rows that are asked for and have something in them.
pub(super) fn lanes<'a>(view: &View<'a>) -> Vec<Lane<'a>> {
    let asked = view.settings.rows;
    let mut lanes = Vec::new();
    for row in view.stage.time_rows.iter().flat_map(|rows| &rows.rows) {
        let is_asked = match row.kind {
            RowKind::Events => asked.events,
            RowKind::Lasts => asked.lasts,
            RowKind::Keys(_) => asked.keys,
            RowKind::Jumps => asked.jumps,
        };
        if is_asked {
            lanes.push(Lane { name: row.name.clone(), marks: Marks::Of(row) });
        }
    }
    if let Some(curve) = view.stage.error_curve.as_ref().filter(|_| asked.error) {
        let worst = curve.worst[1];
        lanes
            .push(Lane {
                name: format!("error ≤ {worst:.3} mm"), marks: Marks::Curve(&curve.points, worst)
            });
    }
    lanes
}

impl Lane<'_> {
    fn color(&self, palette: &Palette) -> Color32 {
        match &self.marks {
            Marks::Of(row) => match row.kind {
                RowKind::Events => palette.series[1],
                RowKind::Lasts => palette.series[2],
                RowKind::Keys(ChannelKind::Rotation) => palette.series[4],
                RowKind::Keys(ChannelKind::Translation) => palette.series[0],
                RowKind::Keys(ChannelKind::Scale) => palette.series[5],
                RowKind::Jumps => palette.weak,
            },
            Marks::Curve(..) => palette.series[3],
        }
    }

    pub fn draw(&self, scale: &Scale, at: Rect, palette: &Palette, painter: &Painter) {
        let color = self.color(palette);
        let row = match &self.marks {
            Marks::Of(row) => row,
            Marks::Curve(points, most) => return curve(points, *most, scale, at, color, painter),
        };
        let middle = at.center().y;
        for [from_s, to_s] in &row.marks {
            let (x, end) = (scale.x(*from_s), scale.x(*to_s));
            match row.kind {
                RowKind::Events => {
                    let diamond = [(-4.5, 0.0), (0.0, -4.5), (4.5, 0.0), (0.0, 4.5)];
                    let corners = diamond.map(|(dx, dy)| pos2(x + dx, middle + dy)).into();
                    painter.add(Shape::convex_polygon(corners, color, Stroke::NONE));
                }
                RowKind::Lasts => {
                    let bar = Rect::from_x_y_ranges(x..=end.max(x + 2.0), middle - 4.0..=middle + 4.0);
                    painter.rect_filled(bar, 2.0, faint(color));
                    painter.rect_stroke(bar, 2.0, Stroke::new(1.0, color), egui::StrokeKind::Inside);
                }
                RowKind::Keys(_) => {
                    painter.circle_filled(pos2(x, middle), 2.2, color);
                }
                RowKind::Jumps => {
                    painter.vline(x, middle - 5.0..=middle + 5.0, Stroke::new(1.5, color));
                }
            }
        }
    }

    /// What is to be said of what is at a place.
    pub fn said(&self, scale: &Scale, x: f32) -> Option<String> {
        match &self.marks {
            Marks::Of(row) => {
                let away = |[from_s, to_s]: &[f64; 2]| {
                    let (from, to) = (scale.x(*from_s), scale.x(*to_s));
                    (from - x).max(x - to).max(0.0)
                };
                let near = row.marks.iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
                let [from_s, to_s] = near;
                let when = if from_s == to_s {
                    format!("{from_s:.3} s")
                } else {
                    format!("{from_s:.3} to {to_s:.3} s")
                };
                (away(near) < 6.0).then(|| format!("{}: {when}", self.name))
            }
            Marks::Curve(points, _) => {
                let time_s = scale.time_s(x);
                let near =
                    points.iter().min_by(|a, b| (a[0] - time_s).abs().total_cmp(&(b[0] - time_s).abs()))?;
                Some(format!("{:.4} mm at {:.3} s", near[1], near[0]))
            }
        }
    }
}

/// A curve over its own ground.
fn curve(points: &[[f64; 2]], most: f64, scale: &Scale, at: Rect, color: Color32, painter: &Painter) {
    let bottom = at.bottom() - 2.0;
    let place = |point: &[f64; 2]| {
        let share = (point[1] / most.max(1e-12)) as f32;
        pos2(scale.x(point[0]), bottom - (at.height() - 4.0) * share)
    };
    for pair in points.windows(2) {
        let [a, b] = [place(&pair[0]), place(&pair[1])];
        let under = vec![a, b, pos2(b.x, bottom), pos2(a.x, bottom)];
        painter.add(Shape::convex_polygon(under, faint(color), Stroke::NONE));
        painter.line_segment([a, b], Stroke::new(1.2, color));
    }
}

/// Fainter.
fn faint(color: Color32) -> Color32 {
    color.gamma_multiply(0.35)
}
