//! The joints as a tree.

use crate::{
    document::Document,
    look::{self, Icon},
    state::{Command, Commands, View},
};
use egui::{Align2, Button, Rect, Response, RichText, Sense, Ui, vec2};
use lissom::{Skeleton, math::Mat4, player::Body};
use std::collections::BTreeSet;

/// How far a joint is moved in for each one above it, in points; no farther than so many times.
const INDENT: f32 = 11.0;
const DEEPEST: usize = 14;
/// Room for what is said of the chosen joint, in points.
const DETAILS: f32 = 92.0;

pub(super) fn tree(view: &View<'_>, document: &Document, ui: &mut Ui, commands: &mut Commands) {
    let skeleton = document.player.skeleton();
    let mut search = view.ui.search.clone();
    let width = ui.available_width();
    let field =
        ui.add(egui::TextEdit::singleline(&mut search).hint_text("find a joint").desired_width(width));
    field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "find a joint"));
    if field.changed() {
        commands.push(Command::Search(search.clone()));
    }
    let rows = rows(skeleton, &search, &view.ui.folded);
    let chosen = view.open.joint;
    let details = if chosen.is_some() { DETAILS } else { 0.0 };
    let height = ui.spacing().interact_size.y;
    let mut area = egui::ScrollArea::vertical().id_salt("joints").auto_shrink([false; 2]);
    area = area.max_height((ui.available_height() - details).max(height * 3.0));
    // A joint that was chosen elsewhere is scrolled to.
    let id = ui.make_persistent_id("shown joint");
    let known: Option<usize> = ui.data(|data| data.get_temp(id)).flatten();
    if chosen != known {
        ui.data_mut(|data| data.insert_temp(id, chosen));
        if let Some(at) = rows.iter().position(|row| Some(row.joint) == chosen) {
            let middle = (at as f32 - 3.0).max(0.0) * (height + ui.spacing().item_spacing.y);
            area = area.vertical_scroll_offset(middle);
        }
    }
    area.show_rows(ui, height, rows.len(), |ui, range| {
        for row in &rows[range] {
            let (name, fold) = show(row, skeleton, chosen, &view.ui.folded, ui);
            if fold.is_some_and(|fold| fold.clicked()) {
                commands.push(Command::Fold(row.joint));
            }
            if name.clicked() {
                commands.push(Command::Choose((chosen != Some(row.joint)).then_some(row.joint)));
            }
        }
    });
    if let Some(joint) = chosen {
        ui.separator();
        said(document, document.body(), joint, ui);
    }
}

/// A joint of the list.
struct Row {
    joint: usize,
    depth: usize,
    has_children: bool,
    /// It was looked for; what is above it is shown, too.
    is_found: bool,
}

/// What is seen: all that is not folded away, or what has a word in its name and all above.
fn rows(skeleton: &Skeleton, search: &str, folded: &BTreeSet<usize>) -> Vec<Row> {
    let wanted = search.to_lowercase();
    let all = skeleton.joint_count();
    let has_children = |joint: usize| skeleton.subtree(joint).len() > 1;
    if wanted.is_empty() {
        let mut rows = Vec::new();
        let mut joint = 0;
        while joint < all {
            rows.push(Row {
                joint,
                depth: skeleton.depth(joint),
                has_children: has_children(joint),
                is_found: true,
            });
            // Joints stand depth-first: what hangs on it is behind it, in one piece.
            joint = if folded.contains(&joint) { skeleton.subtree(joint).end } else { joint + 1 };
        }
        return rows;
    }
    let found: Vec<bool> =
        (0..all).map(|joint| skeleton.name(joint).to_lowercase().contains(&wanted)).collect();
    let mut shown = found.clone();
    for joint in (0..all).rev().filter(|joint| found[*joint]) {
        let mut above = skeleton.parent(joint);
        while let Some(parent) = above.filter(|parent| !shown[*parent]) {
            shown[parent] = true;
            above = skeleton.parent(parent);
        }
    }
    let row = |joint: usize| Row {
        joint,
        depth: skeleton.depth(joint),
        has_children: false,
        is_found: found[joint],
    };
    (0..all).filter(|joint| shown[*joint]).map(row).collect()
}

/// Its name, and what folds it.
fn show(
    row: &Row,
    skeleton: &Skeleton,
    chosen: Option<usize>,
    folded: &BTreeSet<usize>,
    ui: &mut Ui,
) -> (Response, Option<Response>) {
    let palette = look::of(ui.visuals());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.add_space(INDENT * row.depth.min(DEEPEST) as f32);
        let size = vec2(14.0, ui.spacing().interact_size.y);
        let fold = if row.has_children {
            let (rect, response) = ui.allocate_exact_size(size, Sense::click());
            let is_folded = folded.contains(&row.joint);
            let word = if is_folded { "unfold" } else { "fold" };
            let name = skeleton.name(row.joint);
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{word} {name}"))
            });
            let ink = if response.hovered() || response.has_focus() { palette.strong } else { palette.weak };
            triangle(ui, rect, is_folded, ink);
            Some(response)
        } else {
            ui.add_space(14.0);
            None
        };
        let name = RichText::new(skeleton.name(row.joint));
        let name = if row.is_found { name } else { name.color(palette.weak) };
        (ui.add(Button::selectable(chosen == Some(row.joint), name)), fold)
    })
    .inner
}

/// To the right, or down.
fn triangle(ui: &Ui, rect: Rect, folded: bool, ink: egui::Color32) {
    let corners = if folded {
        [(-2.5, -4.0), (3.0, 0.0), (-2.5, 4.0)]
    } else {
        [(-4.0, -2.5), (4.0, -2.5), (0.0, 3.0)]
    };
    let corners = corners.map(|(x, y)| rect.center() + vec2(x, y)).into();
    ui.painter().add(egui::Shape::convex_polygon(corners, ink, egui::Stroke::NONE));
}

/// What is known of a joint.
fn said(document: &Document, body: &Body, joint: usize, ui: &mut Ui) {
    let skeleton = body.skeleton();
    let models = body.models();
    let place = models[joint].w_axis;
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(14.0, 14.0), Sense::hover());
        let ink = ui.visuals().strong_text_color();
        Icon::Joint.paint(
            ui.painter(),
            Align2::CENTER_CENTER.align_size_within_rect(vec2(14.0, 14.0), rect),
            ink,
        );
        ui.strong(skeleton.name(joint));
    });
    let below = skeleton.subtree(joint).len() - 1;
    let parent = skeleton.parent(joint);
    let hangs = parent.map_or("a root".to_owned(), |parent| {
        let length = (place - models[parent].w_axis).truncate().length();
        format!("{length:.3} m from {}", skeleton.name(parent))
    });
    ui.weak(format!("{hangs}, {below} below it"));
    ui.weak(format!("at x {:.3}  y {:.3}  z {:.3} m", place.x, place.y, place.z));
    let [x, y, z] = turned(&models[joint], parent.map(|parent| &models[parent]));
    let moves = moved_by(document, joint);
    ui.weak(format!("turned {x:.0}°  {y:.0}°  {z:.0}°, moves {moves} vertices"));
}

/// How far it has turned from its parent, in degrees: about x, then y, then z.
fn turned(model: &Mat4, parent: Option<&Mat4>) -> [f32; 3] {
    let rotation = |m: &Mat4| m.to_scale_rotation_translation().1;
    let own = rotation(model);
    let local = parent.map_or(own, |parent| rotation(parent).inverse() * own);
    let (x, y, z) = local.to_euler(glam::EulerRot::XYZ);
    [x, y, z].map(f32::to_degrees)
}

/// Vertices that follow a joint, if only a little.
fn moved_by(document: &Document, joint: usize) -> usize {
    let of =
        |surface: &crate::surfaces::Surface| surface.moved_by.get(joint).map_or(0, |count| *count as usize);
    document.surfaces.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn what_is_folded_is_hidden_and_what_is_found_is_shown_with_all_above() {
        let document = Document::mannequin().unwrap();
        let skeleton = document.player.skeleton();
        let names =
            |rows: &[Row]| rows.iter().map(|row| skeleton.name(row.joint).to_owned()).collect::<Vec<_>>();
        let all = rows(skeleton, "", &BTreeSet::new());
        assert_eq!(all.len(), skeleton.joint_count());
        assert_eq!((all[0].depth, all[1].depth), (0, 1));
        let arm = skeleton.find("upperarm_l").unwrap();
        let folded = rows(skeleton, "", &BTreeSet::from([arm]));
        assert_eq!(folded.len(), all.len() - skeleton.subtree(arm).len() + 1);
        assert!(!names(&folded).contains(&"hand_l".into()));
        // A word looks into what is folded, too.
        let found = rows(skeleton, "HAND_L", &BTreeSet::from([arm]));
        let shown = names(&found);
        assert!(shown.contains(&"hand_l".into()) && shown.contains(&"spine_01".into()));
        assert!(!shown.contains(&"hand_r".into()));
        assert_eq!(found.iter().filter(|row| row.is_found).count(), 1);
        assert!(rows(skeleton, "no such joint", &BTreeSet::new()).is_empty());
    }

    #[test]
    fn angles_are_those_from_the_parent() {
        let parent = Mat4::from_rotation_y(0.7);
        let child = parent * Mat4::from_rotation_x(0.5);
        let [x, y, z] = turned(&child, Some(&parent));
        assert!((x - 0.5_f32.to_degrees()).abs() < 0.01 && y.abs() < 0.01 && z.abs() < 0.01, "{x} {y} {z}");
    }
}
