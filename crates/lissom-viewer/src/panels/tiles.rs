//! The panels that stand round the picture, and the picture: tiles that can be split, dragged and closed.

use super::{content::panel, scene::picture};
use crate::{
    look,
    settings::Panel,
    state::{Command, Commands, Layout, Pane, SIMPLE, View},
};
use egui::{Align2, CornerRadius, Margin, Response, Sense, Stroke, TextStyle, Ui, WidgetInfo, vec2};
use egui_tiles::{Behavior, SimplificationOptions, TabState, Tile, TileId, Tiles, UiResponse};

/// How high the names of panels are, in points.
const TAB: f32 = 26.0;

/// All of it, in what is left of the window. What is dragged is done by the tree itself.
pub(crate) fn tiles(view: &View<'_>, layout: &mut Layout, ui: &mut Ui, commands: &mut Commands) {
    let rect = ui.available_rect_before_wrap();
    ui.painter().rect_filled(rect, 0.0, look::of(ui.visuals()).bar);
    let tree = layout.tree(rect.width());
    let alone = tree.tiles.find_pane(&Pane::Picture);
    tree.ui(&mut Panes { view, alone, commands }, ui);
}

struct Panes<'a> {
    view: &'a View<'a>,
    /// The picture.
    alone: Option<TileId>,
    commands: &'a mut Commands,
}

impl Panes<'_> {
    fn panel(tiles: &Tiles<Pane>, tile: TileId) -> Option<Panel> {
        match tiles.get(tile) {
            Some(Tile::Pane(Pane::Panel(panel))) => Some(*panel),
            _ => None,
        }
    }
}

impl Behavior<Pane> for Panes<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        match pane {
            Pane::Picture => picture(self.view, ui, self.commands),
            Pane::Panel(which) => {
                let frame =
                    egui::Frame::new().fill(ui.visuals().panel_fill).inner_margin(Margin::symmetric(8, 6));
                frame.show(ui, |ui| {
                    if which.scrolls_itself() {
                        return panel(*which, self.view, ui, self.commands);
                    }
                    let scroll = egui::ScrollArea::vertical().auto_shrink([false; 2]).id_salt(which.name());
                    scroll.show(ui, |ui| panel(*which, self.view, ui, self.commands));
                });
            }
        }
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> egui::WidgetText {
        match pane {
            Pane::Picture => "picture".into(),
            Pane::Panel(panel) => panel.name().into(),
        }
    }

    fn tab_ui(
        &mut self,
        tiles: &mut Tiles<Pane>,
        ui: &mut Ui,
        id: egui::Id,
        tile: TileId,
        state: &TabState,
    ) -> Response {
        let title = self.tab_title_for_tile(tiles, tile);
        let panel = Self::panel(tiles, tile);
        let font = TextStyle::Button.resolve(ui.style());
        let galley = title.into_galley(ui, Some(egui::TextWrapMode::Extend), f32::INFINITY, font);
        const ICON: f32 = 14.0;
        const GAP: f32 = 6.0;
        const CLOSE: f32 = 16.0;
        let width = GAP + ICON + GAP + galley.size().x + GAP + CLOSE;
        let (_, rect) = ui.allocate_space(vec2(width, ui.available_height()));
        let response = ui.interact(rect, id, Sense::click_and_drag());
        let named = format!("{} tab", galley.text());
        response.widget_info(|| WidgetInfo::selected(egui::Role::Tab, true, state.active, &named));
        if !ui.is_rect_visible(rect) || state.is_being_dragged {
            return response;
        }
        let palette = look::of(ui.visuals());
        let ink = if state.active || response.hovered() { palette.strong } else { palette.weak };
        if state.active {
            let round = CornerRadius { nw: 5, ne: 5, sw: 0, se: 0 };
            ui.painter().rect_filled(rect.with_min_y(rect.top() + 2.0), round, palette.panel);
            let top = rect.x_range().shrink(5.0);
            ui.painter().hline(top, rect.top() + 2.5, Stroke::new(1.5, palette.link));
        }
        let icon =
            egui::Rect::from_center_size(rect.left_center() + vec2(GAP + ICON * 0.5, 0.0), vec2(ICON, ICON));
        if let Some(panel) = panel {
            panel.icon().paint(ui.painter(), icon, ink);
        }
        let text = Align2::LEFT_CENTER.anchor_size(icon.right_center() + vec2(GAP, 0.0), galley.size());
        ui.painter().galley_with_override_text_color(text.min, galley, ink);
        let close = egui::Rect::from_center_size(
            rect.right_center() - vec2(CLOSE * 0.5 + 1.0, 0.0),
            vec2(CLOSE, CLOSE),
        );
        let cross = ui.interact(close, id.with("close"), Sense::click());
        let name = panel.map_or("", Panel::name);
        cross.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("close {name}")));
        if state.active || response.hovered() || cross.hovered() || cross.has_focus() {
            if cross.hovered() {
                ui.painter().rect_filled(close, 3.0, palette.hovered);
            }
            look::Icon::Close.paint(ui.painter(), close.shrink(3.0), ink);
        }
        if let Some(panel) = panel.filter(|_| cross.clicked() || response.middle_clicked()) {
            self.commands.push(Command::Close(panel));
        }
        response
    }

    fn is_tab_bar_visible(&self, _: TileId, tabs: &egui_tiles::Tabs) -> bool {
        // The picture alone needs no name.
        !tabs.children.iter().all(|tile| self.alone == Some(*tile))
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        TAB
    }

    fn tab_bar_color(&self, visuals: &egui::Visuals) -> egui::Color32 {
        look::of(visuals).bar
    }

    fn tab_bar_hline_stroke(&self, _: &egui::Visuals) -> Stroke {
        Stroke::NONE
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        3.0
    }

    fn min_size(&self) -> f32 {
        60.0
    }

    fn resize_stroke(&self, style: &egui::Style, state: egui_tiles::ResizeState) -> Stroke {
        let palette = look::of(&style.visuals);
        match state {
            egui_tiles::ResizeState::Idle => Stroke::new(3.0, palette.bar),
            _ => Stroke::new(3.0, palette.link),
        }
    }

    fn drag_preview_color(&self, visuals: &egui::Visuals) -> egui::Color32 {
        look::of(visuals).accent.gamma_multiply(0.5)
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SIMPLE
    }
}
