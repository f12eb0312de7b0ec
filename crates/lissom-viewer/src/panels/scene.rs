//! The picture in the middle, and the mouse on it.

use super::gizmo::gizmo;
use crate::state::{Command, Commands, Projection, View, shows_bones};
use egui::Sense;
use lissom::math::{Mat4, Vec3};

/// How near the mouse must be to what it takes, in points.
const NEAR: f32 = 10.0;

/// The picture in all of its tile, and what is done on it.
pub(super) fn picture(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let size = ui.available_size().max(egui::Vec2::splat(1.0));
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "scene"));
    if view.stage.seen != Some(rect) {
        commands.push(Command::Seen(rect));
    }
    // It is drawn after all panels were: into this place.
    if let Some(picture) = view.ui.picture {
        let whole = egui::Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
        ui.painter().image(picture, rect, whole, egui::Color32::WHITE);
    }
    let under = mouse(view, &response, ui, commands);
    gizmo(view, rect, ui, commands);
    names(view, rect, ui);
    if let (Some(joint), Some(document)) = (under, &view.open.document) {
        response.on_hover_text_at_pointer(document.body().skeleton().name(joint));
    }
}

/// What the mouse does on it; the joint under it.
fn mouse(
    view: &View<'_>,
    response: &egui::Response,
    ui: &egui::Ui,
    commands: &mut Commands,
) -> Option<usize> {
    let rect = response.rect;
    let drag = response.drag_delta();
    let shift = ui.input(|i| i.modifiers.shift);
    let side = rect.size().min_elem().max(1.0);
    let mut camera = view.stage.camera;
    let turns =
        response.dragged_by(egui::PointerButton::Primary) || response.dragged_by(egui::PointerButton::Middle);
    if hold_target(view, response, ui, commands) {
        // The camera stands still.
    } else if turns && !shift {
        camera.orbit(drag.x * 0.008, drag.y * 0.008);
    } else if response.dragged() {
        camera.pan(drag.x / side, drag.y / side);
    }
    if response.hovered() {
        let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta.y, i.zoom_delta()));
        camera.zoom(libm::expf(scroll * 0.002) * pinch);
    }
    if camera != view.stage.camera {
        commands.push(Command::Camera(camera));
    }
    if response.double_clicked() {
        commands.push(Command::Frame);
    }
    let under = response.hover_pos().and_then(|pointer| joint_under(view, pointer));
    if response.clicked() && under != view.open.joint {
        commands.push(Command::Choose(under));
    }
    under
}

/// What is what, at the feet, where there are two.
fn names(view: &View<'_>, rect: egui::Rect, ui: &mut egui::Ui) {
    let Some(pair) = view.open.pair().filter(|_| view.shows_document()) else { return };
    let Some(projection) = projection(view) else { return };
    let feet = pair.map(|(document, offset)| {
        let extent = document.path;
        projection.place(extent.centre - Vec3::Y * extent.half.y + offset)
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

fn projection(view: &View<'_>) -> Option<Projection> {
    view.stage.projection(view.open, view.settings)
}

/// Lets the mouse take the target of what reaches and move it, as far away as it is; true while it is held.
fn hold_target(view: &View<'_>, response: &egui::Response, ui: &egui::Ui, commands: &mut Commands) -> bool {
    let reach = view.open.document.as_ref().and_then(|document| document.reach());
    let at = reach.and_then(|reach| projection(view)?.place(reach.target));
    let (Some(reach), Some(at)) = (reach, at) else {
        if view.stage.held.is_some() {
            commands.push(Command::Hold(None));
        }
        return false;
    };
    let from =
        |pointer: Option<egui::Pos2>| pointer.map(|pointer| at - pointer).filter(|away| away.length() < NEAR);
    let mut held = view.stage.held;
    if response.drag_started_by(egui::PointerButton::Primary) {
        held = from(ui.input(|i| i.pointer.press_origin()));
    } else if !response.dragged() {
        held = None;
    }
    if held != view.stage.held {
        commands.push(Command::Hold(held));
    }
    if held.is_some() || from(response.hover_pos()).is_some() {
        ui.ctx().set_cursor_icon(egui::CursorIcon::Grab);
    }
    if let (Some(held), Some(pointer)) = (held, response.interact_pointer_pos()) {
        let moved = (pointer + held - at) / response.rect.size().min_elem().max(1.0);
        let camera = view.stage.eye(view.open, view.settings);
        let to = reach.target + camera.across(reach.target, moved.x, moved.y);
        if to.is_finite() && to != reach.target {
            commands.push(Command::MoveTarget(to));
        }
    }
    held.is_some()
}

/// The joint that is drawn nearest to a place, if that is near.
fn joint_under(view: &View<'_>, pointer: egui::Pos2) -> Option<usize> {
    let seen = |d: &&_| view.shows_document() && shows_bones(view.settings, d);
    let document = view.open.document.as_ref().filter(seen)?;
    let projection = projection(view)?;
    let distance = |model: &Mat4| {
        projection.place(model.w_axis.truncate()).map_or(f32::INFINITY, |place| (place - pointer).length())
    };
    let all = document.body().models().iter().map(distance).enumerate();
    all.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, far)| *far < NEAR).map(|(joint, _)| joint)
}
