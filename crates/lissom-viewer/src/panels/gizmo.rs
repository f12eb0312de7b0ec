//! The axes of the world in a corner of the picture: which way is up, and a click away, every side.

use crate::{
    camera::Side,
    look,
    state::{Command, Commands, View},
};
use egui::{Align2, Color32, Rect, Sense, Stroke, TextStyle, Ui, Vec2, WidgetInfo, pos2, vec2};
use lissom::math::Vec3;

/// From its middle to its tips, and how large those are, in points.
const REACH: f32 = 26.0;
const TIP: f32 = 8.0;
/// From the corner of the picture.
const AWAY: f32 = 46.0;
/// A picture that has no room for it.
const SMALL: f32 = 220.0;

/// The axis that points at who looks from this side, and its colour among the axes'.
const TIPS: [(Side, Vec3, usize, &str); 6] = [
    (Side::Left, Vec3::X, 0, "x"),
    (Side::Top, Vec3::Y, 1, "y"),
    (Side::Front, Vec3::Z, 2, "z"),
    (Side::Right, Vec3::NEG_X, 0, ""),
    (Side::Bottom, Vec3::NEG_Y, 1, ""),
    (Side::Back, Vec3::NEG_Z, 2, ""),
];

/// Draws it, and asks for the side that was clicked on.
pub(super) fn gizmo(view: &View<'_>, picture: Rect, ui: &mut Ui, commands: &mut Commands) {
    // Before a plain background and without a floor there is what is open, and nothing else.
    let bare = view.settings.plain && !view.settings.floor;
    if bare || picture.width().min(picture.height()) < SMALL {
        return;
    }
    let middle = pos2(picture.right() - AWAY, picture.top() + AWAY);
    let camera = view.stage.eye(view.open, view.settings);
    let [side, up, ahead] = camera.axes();
    let palette = look::of(ui.visuals());
    let facing = view.facing();
    // As its character looks, not as the world has it.
    let turned = |axis: Vec3| {
        let (sin, cos) = (libm::sinf(-facing), libm::cosf(-facing));
        Vec3::new(axis.x * cos + axis.z * sin, axis.y, axis.z * cos - axis.x * sin)
    };
    let mut tips: Vec<_> = TIPS
        .iter()
        .map(|(from, axis, number, word)| {
            let axis = turned(*axis);
            let at = middle + vec2(axis.dot(side), -axis.dot(up)) * REACH;
            (axis.dot(ahead), at, *from, *number, *word)
        })
        .collect();
    // What is farther is drawn first.
    tips.sort_by(|a, b| b.0.total_cmp(&a.0));
    let painter = ui.painter_at(picture);
    for (depth, at, from, number, word) in tips {
        let rect = Rect::from_center_size(at, Vec2::splat(TIP * 2.0));
        let response = ui.interact(rect, ui.scope_id().with(("gizmo", from.name())), Sense::click());
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::Button, true, format!("from the {}", from.name()))
        });
        let faint = if depth > 0.2 { 0.55 } else { 1.0 };
        let color = palette.axes[number].gamma_multiply(faint);
        if !word.is_empty() {
            painter.line_segment([middle, at], Stroke::new(2.0, color));
        }
        let lit = response.hovered() || response.has_focus();
        let fill = if word.is_empty() && !lit { Color32::from_black_alpha(70) } else { color };
        painter.circle(at, TIP, fill, Stroke::new(1.5, color));
        if !word.is_empty() || lit {
            let ink = if ui.visuals().dark_mode { Color32::BLACK } else { Color32::WHITE };
            painter.text(at, Align2::CENTER_CENTER, word, TextStyle::Small.resolve(ui.style()), ink);
        }
        if response.on_hover_text(format!("from the {}", from.name())).clicked() {
            commands.push(Command::LookFrom(from));
        }
    }
}
