//! A bar that is filled to a share, with words on it.

use super::theme;
use egui::{Color32, Rect, Response, Sense, TextStyle, Ui, WidgetInfo, pos2, vec2};

/// How high it is, and where its words begin, in points.
const HEIGHT: f32 = 14.0;
const INSET: f32 = 7.0;

/// Its words can be read on both parts: each part has its own ink.
pub(crate) fn gauge(ui: &mut Ui, share: f32, words: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::ProgressIndicator, true, words));
    let palette = theme::of(ui.visuals());
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let edge = rect.left() + rect.width() * share;
    let done = Rect::from_min_max(rect.min, pos2(edge, rect.bottom()));
    let rest = Rect::from_min_max(pos2(edge, rect.top()), rect.max);
    let font = TextStyle::Small.resolve(ui.style());
    let painter = ui.painter();
    painter.rect_filled(rect, 3.0, palette.field);
    painter.rect_filled(done, 3.0, palette.accent);
    // Its colour comes with each part.
    let text = painter.layout_no_wrap(words.into(), font, Color32::PLACEHOLDER);
    let at = pos2(rect.left() + INSET, rect.center().y - text.size().y * 0.5);
    for (part, ink) in [(done, palette.on_accent), (rest, palette.text)] {
        painter.with_clip_rect(part.intersect(painter.clip_rect())).galley(at, text.clone(), ink);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::dress;
    use egui::{Context, RawInput, Shape, Theme};

    #[test]
    fn words_have_the_ink_of_the_part_that_they_stand_on() {
        for theme in [Theme::Dark, Theme::Light] {
            let ctx = Context::default();
            dress(&ctx);
            ctx.set_theme(theme);
            let screen = Rect::from_min_size(pos2(0.0, 0.0), vec2(200.0, 50.0));
            let input = || RawInput { screen_rect: Some(screen), ..RawInput::default() };
            let mut bar = Rect::NOTHING;
            let mut run = || ctx.run_ui(input(), |ui| bar = gauge(ui, 0.25, "idle 25 %").rect);
            run().textures_delta.clear();
            let mut output = run();
            output.textures_delta.clear();
            let shapes = output.shapes;
            let palette = theme::of(&ctx.style_of(theme).visuals);
            let edge = bar.left() + bar.width() * 0.25;
            let mut inks = Vec::new();
            for clipped in &shapes {
                if let Shape::Text(text) = &clipped.shape {
                    let ink = text.fallback_color;
                    let before = clipped.clip_rect.right() <= edge + 0.01;
                    assert!(before || clipped.clip_rect.left() >= edge - 0.01, "{:?}", clipped.clip_rect);
                    inks.push((ink, if before { palette.accent } else { palette.field }));
                }
            }
            assert_eq!(inks, [(palette.on_accent, palette.accent), (palette.text, palette.field)]);
        }
    }
}
