//! The time line: a ruler to scrub on, and rows of what happens when.

use super::{
    rows::{Lane, lanes},
    scale::Scale,
};
use crate::{
    look::{self, Palette},
    state::{Command, Commands, TimeView, View},
};
use egui::{
    Align2, EventFilter, FontId, Key, PointerButton, Pos2, Rect, Response, Sense, Stroke, TextStyle, Ui,
    pos2, vec2,
};

/// How high the ruler and a row are, in points.
const RULER: f32 = 22.0;
pub(super) const ROW: f32 = 17.0;
/// How wide the names of rows are, and the narrowest line that has them.
const NAMES: f32 = 116.0;
const WIDE: f32 = 560.0;
/// How near the pointer must be to an end of the range, in points.
const NEAR: f32 = 5.0;

pub(super) fn line(view: &View<'_>, ui: &mut Ui, commands: &mut Commands) {
    let lanes = lanes(view);
    let duration_s = view.open.duration_s();
    let width = ui.available_width().max(1.0);
    let names = if width > WIDE && !lanes.is_empty() { NAMES } else { 0.0 };
    let [from_s, to_s] = view.ui.time.shown(duration_s);
    // As many rows as there is room for; the others are scrolled to.
    let height = (ui.available_height() - 6.0).max(RULER);
    let room = ((height - RULER) / ROW) as usize;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, "time"));
    // A little room, so that the first and the last number are whole.
    let across = egui::Rangef::new(rect.left() + names + 10.0, rect.right() - 14.0);
    let scale = Scale { across, from_s, to_s };
    let line = Line {
        view,
        rect,
        scale,
        palette: look::of(ui.visuals()),
        font: TextStyle::Small.resolve(ui.style()),
    };
    line.draw_ground(ui);
    // What does not fit is scrolled to: the rows alone, below the ruler.
    let rows = Rect::from_min_max(pos2(rect.left(), rect.top() + RULER), rect.max);
    let first = line.first_row(&response, lanes.len().saturating_sub(room), ui);
    for (index, lane) in lanes.iter().skip(first).take(room).enumerate() {
        let at = Rect::from_min_size(rows.min + vec2(0.0, index as f32 * ROW), vec2(rows.width(), ROW));
        line.draw_lane(lane, at, names, ui, &response);
    }
    line.draw_ruler(ui);
    line.draw_now(ui);
    line.input(&response, ui, commands);
    line.keys(&response, ui, commands);
    if response.has_focus() {
        let stroke = Stroke::new(1.5, line.palette.link);
        ui.painter().rect_stroke(rect, 4.0, stroke, egui::StrokeKind::Inside);
    }
}

struct Line<'a> {
    view: &'a View<'a>,
    rect: Rect,
    scale: Scale,
    palette: &'static Palette,
    font: FontId,
}

/// What the pointer holds.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    /// The time.
    Now,
    /// A range that begins here.
    Range(f64),
    /// An end of the range; the other one stays.
    End(f64),
}

impl Line<'_> {
    fn duration_s(&self) -> f64 {
        self.view.open.duration_s()
    }

    fn draw_ground(&self, ui: &Ui) {
        let painter = ui.painter();
        painter.rect_filled(self.rect, 4.0, self.palette.field);
        // What lies beyond the clip or the range is not played.
        let [from_s, to_s] = self.view.open.range.unwrap_or([0.0, self.duration_s()]);
        let (left, right) = (self.scale.x(from_s), self.scale.x(to_s));
        let [left, right] =
            [left, right].map(|x| x.clamp(self.scale.across.min - 6.0, self.scale.across.max + 6.0));
        if self.view.open.range.is_some() {
            let all = self.rect.y_range();
            let shade = self.palette.accent.gamma_multiply(0.28);
            painter.rect_filled(Rect::from_x_y_ranges(left..=right, all), 0.0, shade);
            for x in [left, right] {
                painter.vline(x, all, Stroke::new(1.5, self.palette.link));
            }
        }
    }

    fn draw_ruler(&self, ui: &Ui) {
        let painter = ui.painter();
        let rate_hz = self.view.settings.rows.frames.then(|| self.view.stage.rate_hz());
        let bottom = self.rect.top() + RULER;
        for tick in self.scale.ticks(48.0, rate_hz) {
            let x = self.scale.x(tick.time_s);
            let long = if tick.words.is_some() { 7.0 } else { 4.0 };
            painter.vline(x, bottom - long..=bottom, Stroke::new(1.0, self.palette.outline));
            if let Some(words) = tick.words {
                let at = pos2(x, self.rect.top() + 8.0);
                painter.text(at, Align2::CENTER_CENTER, words, self.font.clone(), self.palette.weak);
            }
        }
        painter.hline(self.rect.x_range(), bottom, Stroke::new(1.0, self.palette.line));
    }

    /// Which row is seen first, where there are more than fit: the wheel over the names goes through them.
    fn first_row(&self, response: &Response, most: usize, ui: &Ui) -> usize {
        let id = response.id.with("first row");
        let mut first: f32 = ui.data(|data| data.get_temp(id)).unwrap_or(0.0);
        let over_names = response.hover_pos().is_some_and(|p| p.x < self.scale.across.min - 10.0);
        if most > 0 && over_names {
            first -= ui.input(|i| i.smooth_scroll_delta.y) / ROW;
        }
        first = first.clamp(0.0, most as f32);
        ui.data_mut(|data| data.insert_temp(id, first));
        first.round() as usize
    }

    fn draw_lane(&self, lane: &Lane, at: Rect, names: f32, ui: &Ui, response: &Response) {
        let painter = ui.painter();
        if names > 0.0 {
            let clipped = painter.with_clip_rect(Rect::from_min_size(at.min, vec2(names, at.height())));
            let place = pos2(at.left() + 8.0, at.center().y);
            clipped.text(place, Align2::LEFT_CENTER, &lane.name, self.font.clone(), self.palette.weak);
        }
        let painter =
            painter.with_clip_rect(Rect::from_x_y_ranges(self.scale.across.expand(8.0), at.y_range()));
        painter.hline(self.scale.across, at.center().y, Stroke::new(1.0, self.palette.line));
        lane.draw(&self.scale, at, self.palette, &painter);
        // What is under the pointer says when it is.
        let over = response.hover_pos().filter(|p| at.contains(*p) && self.scale.across.contains(p.x));
        if let Some(words) = over.and_then(|p| lane.said(&self.scale, p.x)) {
            response.clone().on_hover_text_at_pointer(words);
        }
    }

    fn draw_now(&self, ui: &Ui) {
        let now = self.view.time_s().unwrap_or(0.0);
        if now < self.scale.from_s - 1e-9 || now > self.scale.to_s + 1e-9 {
            return;
        }
        let (x, color) = (self.scale.x(now), self.palette.strong);
        let painter = ui.painter();
        painter.vline(x, self.rect.y_range(), Stroke::new(1.5, color));
        let top = self.rect.top();
        let grip: Vec<Pos2> = [(-5.0, 0.0), (5.0, 0.0), (5.0, 5.0), (0.0, 10.0), (-5.0, 5.0)]
            .map(|(dx, dy)| pos2(x + dx, top + dy))
            .into();
        painter.add(egui::Shape::convex_polygon(grip, color, Stroke::new(1.0, self.palette.field)));
    }

    /// The time at a place, within what is seen.
    fn at(&self, x: f32) -> f64 {
        self.scale.time_s(x.clamp(self.scale.across.min, self.scale.across.max)).clamp(0.0, self.duration_s())
    }

    fn input(&self, response: &Response, ui: &Ui, commands: &mut Commands) {
        let duration_s = self.duration_s();
        if duration_s <= 0.0 {
            return;
        }
        let id = response.id.with("held");
        let near_end = |x: f32| {
            let [from_s, to_s] = self.view.open.range?;
            let near = |time_s: f64| (self.scale.x(time_s) - x).abs() < NEAR;
            if near(from_s) { Some(to_s) } else { near(to_s).then_some(from_s) }
        };
        if response.drag_started_by(PointerButton::Primary) || response.is_pointer_button_down_on() {
            let press = ui.input(|i| i.pointer.press_origin());
            let known: Option<Held> = ui.data(|data| data.get_temp(id));
            if let (Some(press), None) = (press, known) {
                let held = match near_end(press.x) {
                    Some(other) => Held::End(other),
                    None if ui.input(|i| i.modifiers.alt) => Held::Range(self.at(press.x)),
                    None => Held::Now,
                };
                ui.data_mut(|data| data.insert_temp(id, held));
            }
        } else {
            ui.data_mut(|data| data.remove::<Held>(id));
        }
        let held: Option<Held> = ui.data(|data| data.get_temp(id));
        let pointer = response.interact_pointer_pos();
        if let (Some(held), Some(pointer)) =
            (held, pointer.filter(|_| !ui.input(|i| i.pointer.middle_down())))
        {
            let at = self.at(pointer.x);
            match held {
                Held::Now => commands.push(Command::Scrub(at)),
                Held::Range(other) | Held::End(other) => {
                    let range = [at.min(other), at.max(other)];
                    if self.view.open.range != Some(range) && range[1] - range[0] > 1e-3 {
                        commands.push(Command::Range(Some(range)));
                    }
                }
            }
        }
        if let Some(pointer) = response.hover_pos() {
            if near_end(pointer.x).is_some() {
                ui.set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
            }
            let over_names = pointer.x < self.scale.across.min - 10.0;
            let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta, i.zoom_delta()));
            let factor = f64::from(pinch) * libm::exp(f64::from(scroll.y) * 0.004);
            let mut time = self.view.ui.time;
            if (factor - 1.0).abs() > 1e-6 && !over_names {
                time = time.zoomed(self.at(pointer.x), factor, duration_s);
            }
            let dragged =
                if response.dragged_by(PointerButton::Middle) { response.drag_delta().x } else { 0.0 };
            let moved = f64::from(scroll.x + dragged);
            if moved != 0.0 {
                time = time.moved(-moved / self.scale.points(), duration_s);
            }
            if time != self.view.ui.time {
                commands.push(Command::Time(time));
            }
        }
        if response.double_clicked() {
            commands.push(Command::Time(TimeView::default()));
        }
    }

    /// By the keyboard, once it has the focus.
    fn keys(&self, response: &Response, ui: &Ui, commands: &mut Commands) {
        if !response.has_focus() {
            return;
        }
        let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let (now, frame_s) = (self.view.time_s().unwrap_or(0.0), 1.0 / self.view.stage.rate_hz());
        for (key, time_s) in [
            (Key::ArrowLeft, now - frame_s),
            (Key::ArrowRight, now + frame_s),
            (Key::Home, 0.0),
            (Key::End, self.duration_s()),
        ] {
            if ui.input(|i| i.key_pressed(key)) {
                commands.push(Command::Scrub(time_s.clamp(0.0, self.duration_s())));
            }
        }
        if ui.input(|i| i.key_pressed(Key::Space)) {
            commands.push(Command::PlayOrPause);
        }
    }
}
