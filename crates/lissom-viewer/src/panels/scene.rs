//! The picture in the middle, and the mouse on it.

use crate::{
    bounds::Bounds,
    camera::Camera,
    compare::Comparison,
    crowd::CrowdScene,
    document::{Document, Failure},
    ghost::Ghost,
    panels::Panel,
    scene::{Lines, Subject, View, bones, grid},
    viewer::Viewer,
    world::WorldScene,
};
use egui::Sense;
use lissom::math::Vec3;

/// Bones as they were, and as they are; sRGB.
pub(crate) const SOURCE: [f32; 4] = [0.35, 0.75, 0.4, 1.0];
pub(crate) const COOKED: [f32; 4] = [0.9, 0.35, 0.25, 1.0];

const TARGET: [f32; 4] = [0.95, 0.35, 0.6, 1.0];

/// How near the mouse must be to what it takes, in points.
const NEAR: f32 = 10.0;

const BOX_ON_DARK: [f32; 4] = [0.9, 0.8, 0.4, 0.8];
const BOX_ON_LIGHT: [f32; 4] = [0.5, 0.4, 0.05, 0.8];

impl Viewer {
    /// The picture, and the mouse on it.
    pub(crate) fn view(&mut self, ui: &mut egui::Ui) {
        let (rect, response) =
            ui.allocate_exact_size(ui.available_size().max(egui::Vec2::splat(1.0)), Sense::click_and_drag());
        self.seen = Some(rect);
        let drag = response.drag_delta();
        let shift = ui.input(|i| i.modifiers.shift);
        let side = rect.size().min_elem().max(1.0);
        if self.hold_target(&response, rect, ui) {
            // The camera stands still.
        } else if response.dragged_by(egui::PointerButton::Primary) && !shift {
            self.camera.orbit(drag.x * 0.008, drag.y * 0.008);
        } else if response.dragged() {
            self.camera.pan(drag.x / side, drag.y / side);
        }
        if response.hovered() {
            let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta.y, i.zoom_delta()));
            self.camera.zoom(libm::expf(scroll * 0.002) * pinch);
        }
        if response.double_clicked() {
            self.frame_all();
        }
        let under = response.hover_pos().and_then(|pointer| self.joint_under(pointer, rect));
        if response.clicked() {
            self.joint = under;
        }
        let size =
            [rect.width(), rect.height()].map(|side| (side * ui.pixels_per_point()).round().max(1.0) as u32);
        let dark = ui.visuals().dark_mode;
        match self.draw(size, dark) {
            Ok(picture) => {
                let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
                ui.painter().image(picture, rect, whole, egui::Color32::WHITE);
            }
            Err(failure) => self.failure = Some(failure),
        }
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "scene"));
        self.names(rect, ui);
        if let (Some(joint), Some(document)) = (under, &self.document) {
            response.on_hover_text_at_pointer(document.body().skeleton().name(joint));
        }
    }

    /// What is what, at the feet, where there are two.
    fn names(&self, rect: egui::Rect, ui: &mut egui::Ui) {
        let Some(pair) = self.pair().filter(|_| self.shows_document()) else { return };
        let project = self.eye().view_projection(rect.width() / rect.height().max(1.0));
        let feet = pair.map(|(document, offset)| {
            let foot = document.centre - Vec3::Y * document.half.y + offset;
            place(project * foot.extend(1.0), rect)
        });
        let [Some(a), Some(b)] = feet else { return };
        let height = ui.text_style_height(&egui::TextStyle::Body);
        let size = egui::vec2(((a.x - b.x).abs() * 0.95).clamp(1.0, 240.0), height);
        for ((document, _), foot) in pair.into_iter().zip([a, b]) {
            let below = egui::Rect::from_center_size(foot + egui::vec2(0.0, height), size);
            if rect.contains_rect(below) {
                ui.put(below, egui::Label::new(&document.name).truncate().selectable(false));
            }
        }
    }

    /// Lets the mouse take the target of what reaches and move it, as far away as it is; true while it is held.
    fn hold_target(&mut self, response: &egui::Response, rect: egui::Rect, ui: &egui::Ui) -> bool {
        let camera = self.eye();
        let project = camera.view_projection(rect.width() / rect.height().max(1.0));
        let Some(reach) = self.document.as_mut().and_then(Document::reach_mut) else {
            self.held = None;
            return false;
        };
        let Some(at) = place(project * reach.target.extend(1.0), rect) else { return false };
        let from = |pointer: Option<egui::Pos2>| {
            pointer.map(|pointer| at - pointer).filter(|away| away.length() < NEAR)
        };
        if response.drag_started_by(egui::PointerButton::Primary) {
            self.held = from(ui.input(|i| i.pointer.press_origin()));
        } else if !response.dragged() {
            self.held = None;
        }
        if self.held.is_some() || from(response.hover_pos()).is_some() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::Grab);
        }
        if let (Some(held), Some(pointer)) = (self.held, response.interact_pointer_pos()) {
            let moved = (pointer + held - at) / rect.size().min_elem().max(1.0);
            let to = reach.target + camera.across(reach.target, moved.x, moved.y);
            reach.target = if to.is_finite() { to } else { reach.target };
        }
        self.held.is_some()
    }

    /// The document is what is seen.
    pub(crate) fn shows_document(&self) -> bool {
        !self.settings.panel.is_some_and(Panel::replaces)
    }

    /// A ball that holds what is seen.
    pub(crate) fn ball(&self) -> (Vec3, f32) {
        let shown = match self.settings.panel {
            Some(Panel::Crowd) => self.crowd.as_ref().map(CrowdScene::ball),
            Some(Panel::World) => self.world.as_ref().map(WorldScene::ball),
            _ => match self.pair() {
                Some(pair) => {
                    let low = pair.map(|(d, offset)| d.centre - d.half + offset);
                    let high = pair.map(|(d, offset)| d.centre + d.half + offset);
                    let (low, high) = (low[0].min(low[1]), high[0].max(high[1]));
                    Some(((low + high) * 0.5, ((high - low) * 0.5).length()))
                }
                None => self.document.as_ref().map(|document| (document.centre, document.radius())),
            },
        };
        shown.unwrap_or((Vec3::ZERO, 1.0))
    }

    /// Bones are drawn: they are asked for, or there is nothing else to see.
    fn shows_bones_of(&self, document: &Document) -> bool {
        self.settings.bones || !self.settings.meshes || document.surfaces.is_empty()
    }

    /// The camera as it is used: it may follow the root.
    pub(crate) fn eye(&self) -> Camera {
        let mut camera = self.camera;
        let root = self.document.as_ref().and_then(|d| d.body().models().first());
        if let Some(root) = root.filter(|_| self.settings.follow && self.shows_document()) {
            camera.target += Vec3::new(root.w_axis.x, 0.0, root.w_axis.z);
        }
        camera
    }

    /// The picture's width by its height, as it was drawn last.
    pub(crate) fn aspect(&self) -> f32 {
        self.seen.map_or(1.0, |rect| rect.width() / rect.height().max(1.0))
    }

    /// Where a joint is drawn, in points of the window; `None` if there is no such joint, or nothing was drawn.
    #[must_use]
    pub fn place_of(&self, joint: &str) -> Option<egui::Pos2> {
        let document = self.document.as_ref()?;
        let model = document.body().models()[document.body().skeleton().find(joint)?];
        let rect = self.seen?;
        let project = self.eye().view_projection(self.aspect());
        place(project * model.w_axis, rect)
    }

    /// The joint that is drawn nearest to a place, if that is near.
    fn joint_under(&self, pointer: egui::Pos2, rect: egui::Rect) -> Option<usize> {
        let document = self.document.as_ref().filter(|d| self.shows_document() && self.shows_bones_of(d))?;
        let project = self.eye().view_projection(rect.width() / rect.height().max(1.0));
        let distance = |model: &lissom::math::Mat4| {
            place(project * model.w_axis, rect).map_or(f32::INFINITY, |place| (place - pointer).length())
        };
        let all = document.body().models().iter().map(distance).enumerate();
        all.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, far)| *far < NEAR).map(|(joint, _)| joint)
    }

    fn draw(&mut self, size: [u32; 2], dark: bool) -> Result<egui::TextureId, Failure> {
        let (background, ink) = if dark { ([0.13, 0.15, 0.18], 0.75) } else { ([0.92, 0.91, 0.88], 0.25) };
        let mut overlay = Lines::default();
        let mut floor = Lines::default();
        let camera = self.eye();
        if self.settings.floor {
            floor = grid(self.ball().1 * 2.5, [ink, ink, ink, 0.5]);
        }
        let comparison = self.comparison()?;
        if let (Some(Panel::World), Some(world)) = (self.settings.panel, &self.world) {
            world.draw(dark, &mut overlay)?;
        }
        if self.shows_document() {
            self.overlay(dark, comparison.as_ref(), &mut overlay)?;
        }
        let view = View {
            camera: &camera,
            size,
            background,
            skin_on: self.settings.skin_on,
            meshes: self.settings.meshes,
            shadow: self.settings.floor.then(|| background.map(|c| c as f32 * if dark { 0.65 } else { 0.8 })),
            floor: &floor,
            overlay: &overlay,
        };
        let offset = self.offset();
        let colors = comparison.as_ref().filter(|_| self.settings.compare.colors);
        let subject = match self.settings.panel {
            Some(Panel::Crowd) => self.crowd.as_mut().map(Subject::Crowd),
            Some(Panel::World) => None,
            _ => self.document.as_mut().map(|document| {
                let second = self.second.document.as_mut().map(|second| (second, offset));
                Subject::Document(document, colors, second)
            }),
        };
        let subject = subject.unwrap_or(Subject::Lines);
        self.scene.draw(subject, &view)
    }

    /// What is to be compared, if anything is.
    fn comparison(&self) -> Result<Option<Comparison>, Failure> {
        let settings = self.settings.compare;
        let asked = self.settings.panel == Some(Panel::Compression) && (settings.colors || settings.bones);
        match self.document.as_ref().filter(|_| asked) {
            Some(document) => Comparison::new(document, settings),
            None => Ok(None),
        }
    }

    /// What is drawn over the document.
    fn overlay(
        &mut self,
        dark: bool,
        comparison: Option<&Comparison>,
        lines: &mut Lines,
    ) -> Result<(), Failure> {
        let duration_s = self.duration_s();
        let color = if dark { [0.55, 0.8, 0.95, 1.0] } else { [0.1, 0.35, 0.55, 1.0] };
        if let Some([_, (second, offset)]) = self.pair().filter(|[_, (d, _)]| self.shows_bones_of(d)) {
            let body = second.body();
            let at = lines.vertices().len();
            bones(body.skeleton(), body.models(), None, color, lines);
            lines.shift(at, offset);
        }
        let shows_bones = self.document.as_ref().is_some_and(|d| self.shows_bones_of(d));
        let Some(document) = &mut self.document else { return Ok(()) };
        if self.settings.bounds || self.settings.sockets {
            let bounds = match &mut self.bounds {
                Some(bounds) => bounds,
                none => none.insert(Bounds::new(document)?),
            };
            if self.settings.bounds {
                bounds.boxes(document, if dark { BOX_ON_DARK } else { BOX_ON_LIGHT }, lines)?;
            }
            if self.settings.sockets {
                bounds.sockets(document, lines);
            }
        }
        if document.plays_a_clip() && (self.settings.onion || self.settings.trail) {
            let ghost = self.ghost.get_or_insert_with(|| Ghost::new(document));
            if self.settings.onion {
                ghost.onion(document, duration_s, lines)?;
            }
            if self.settings.trail {
                ghost.trail(document, duration_s, self.joint.unwrap_or(0), lines)?;
            }
        }
        if let Some(comparison) = comparison.filter(|_| self.settings.compare.bones) {
            let (source, cooked) = (comparison.models(), comparison.drawn_models(document.body().models()));
            bones(document.body().skeleton(), source, None, SOURCE, lines);
            bones(document.body().skeleton(), &cooked, self.joint, COOKED, lines);
        } else if shows_bones {
            let body = document.body();
            bones(body.skeleton(), body.models(), self.joint, color, lines);
        }
        if let Some(reach) = document.reach() {
            let (to, size) = (reach.target, document.radius() * 0.04);
            // Eight edges round it, and what is missing.
            let corners = [Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z].map(|axis| to + axis * size);
            for (i, corner) in corners.into_iter().enumerate() {
                for end in [corners[(i + 1) % 4], to + Vec3::Y * size, to - Vec3::Y * size] {
                    lines.add(corner, end, TARGET);
                }
            }
            lines.add(document.body().models()[reach.joint].w_axis.truncate(), to, TARGET);
        }
        Ok(())
    }
}

/// From clip space to a part of the window; `None` behind the camera.
fn place(clip: lissom::math::Vec4, rect: egui::Rect) -> Option<egui::Pos2> {
    let share = egui::vec2(clip.x / clip.w, -clip.y / clip.w) * 0.5 + egui::vec2(0.5, 0.5);
    (clip.w > 0.0).then(|| rect.min + share * rect.size())
}
