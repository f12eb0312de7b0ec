//! The rail at the right: what can be opened, each as an icon over its word.

use crate::{
    document::Document,
    look::{self, Icon},
    settings::Panel,
    state::{Command, Commands, NARROW, View},
};
use egui::{Align2, Color32, Rect, Response, Sense, Stroke, TextStyle, Ui, WidgetInfo, vec2};

/// How wide it is, and how high an entry is, in points.
const WIDTH: f32 = 78.0;
const HEIGHT: f32 = 46.0;

/// The panels that there is something to see in.
pub(super) fn offered(view: &View<'_>) -> impl Iterator<Item = Panel> {
    let document = view.open.document.as_ref();
    let retargeted = document.is_some_and(|document| document.retargeted.is_some());
    let matched = document.is_some_and(Document::is_matched);
    let panels = view.ui.panels;
    Panel::ALL.into_iter().filter(move |panel| match panel {
        Panel::Retarget => retargeted || panels.has(*panel),
        Panel::Matching => matched || panels.has(*panel),
        _ => true,
    })
}

pub(crate) fn rail(view: &View<'_>, ui: &mut Ui, commands: &mut Commands) {
    // A small window has them in a menu.
    if ui.available_width() < NARROW {
        return;
    }
    let palette = look::of(ui.visuals());
    let frame = egui::Frame::new().fill(palette.bar);
    egui::Panel::right("rail").frame(frame).exact_size(WIDTH).resizable(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let scroll = egui::ScrollArea::vertical()
            .scroll_bar_visibility(egui::scroll_area::ScrollBarVisibility::AlwaysHidden);
        scroll.show(ui, |ui| {
            for panel in offered(view) {
                let open = view.ui.panels.has(panel);
                let response = entry(ui, panel.icon(), panel.name(), open).on_hover_ui(|ui| {
                    ui.label(panel.about());
                    if let Some(key) = super::keys::key_of(panel) {
                        ui.weak(key);
                    }
                });
                if response.clicked() {
                    commands.push(if open { Command::Close(panel) } else { Command::Open(panel) });
                }
            }
        });
    });
}

/// An icon over a word.
fn entry(ui: &mut Ui, icon: Icon, word: &str, open: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(WIDTH, HEIGHT), Sense::click());
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, open, word));
    let palette = look::of(ui.visuals());
    let lit = response.hovered() || response.has_focus();
    if lit || open {
        ui.painter().rect_filled(rect.shrink(3.0), 5.0, if lit { palette.hovered } else { palette.panel });
    }
    if open {
        let mark = Rect::from_min_size(rect.left_top() + vec2(0.0, 9.0), vec2(3.0, HEIGHT - 18.0));
        ui.painter().rect_filled(mark, 1.5, palette.link);
    }
    let ink: Color32 = if lit || open { palette.strong } else { palette.weak };
    let square = Rect::from_center_size(rect.center() - vec2(0.0, 8.0), vec2(18.0, 18.0));
    icon.paint(ui.painter(), square, ink);
    let font = TextStyle::Small.resolve(ui.style());
    let text = ui.painter().layout_no_wrap(word.into(), font, ink);
    let at = Align2::CENTER_CENTER.anchor_size(rect.center() + vec2(0.0, 12.0), text.size());
    ui.painter().galley(at.min, text, ink);
    if response.has_focus() {
        ui.painter().rect_stroke(
            rect.shrink(3.0),
            5.0,
            Stroke::new(1.5, palette.link),
            egui::StrokeKind::Inside,
        );
    }
    response
}
