//! Materials and their textures.

use crate::{
    document::Document,
    look::{self, Icon},
    state::View,
    surfaces::{MapKind, Opacity, Surface},
};
use egui::{Color32, Rect, Rgba, RichText, Sense, Stroke, Ui, vec2};
use std::sync::Arc;

/// How large a picture is shown, in points.
const THUMB: f32 = 56.0;

/// One of each: several meshes may share it.
fn each(document: &Document) -> impl Iterator<Item = &Surface> {
    let all = &document.surfaces;
    all.iter()
        .enumerate()
        .filter(move |(i, own)| all[..*i].iter().all(|other| !is_same(other, own)))
        .map(|(_, own)| own)
}

fn is_same(a: &Surface, b: &Surface) -> bool {
    let maps = |s: &Surface| s.maps.each_ref().map(|map| map.as_ref().map(|map| Arc::as_ptr(&map.picture)));
    (&a.material, a.color, maps(a)) == (&b.material, b.color, maps(b))
}

pub(super) fn count(document: &Document) -> usize {
    each(document).count()
}

pub(super) fn materials(view: &View<'_>, document: &Document, ui: &mut Ui) {
    for surface in each(document) {
        let users = document.surfaces.iter().filter(|other| is_same(other, surface)).count();
        let name = if surface.material.is_empty() { "no material" } else { &surface.material };
        ui.horizontal(|ui| {
            swatch(surface, ui);
            look::label(ui, Icon::Material, name).on_hover_text(format!("of {users} meshes"));
        });
        ui.indent(name, |ui| {
            ui.label(RichText::new(said(surface)).small().weak());
            for kind in MapKind::ALL {
                if let Some(map) = surface.map(kind) {
                    texture(view, kind, &map.picture, ui);
                }
            }
        });
        ui.add_space(4.0);
    }
}

/// Its colour.
fn swatch(surface: &Surface, ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(18.0, 18.0), Sense::hover());
    let [r, g, b, _] = surface.color;
    ui.painter().rect_filled(
        rect,
        3.0,
        Color32::from(Rgba::from_rgb(r.clamp(0.0, 1.0), g.clamp(0.0, 1.0), b.clamp(0.0, 1.0))),
    );
    ui.painter().rect_stroke(
        rect,
        3.0,
        Stroke::new(1.0, look::of(ui.visuals()).outline),
        egui::StrokeKind::Inside,
    );
}

fn said(surface: &Surface) -> String {
    let mut words = vec![if surface.unlit {
        "unlit".to_owned()
    } else {
        format!("metal {:.2}, rough {:.2}", surface.metallic, surface.roughness)
    }];
    match surface.opacity {
        Opacity::Opaque => {}
        Opacity::Mask(cutoff) => words.push(format!("cut out below alpha {cutoff:.2}")),
        Opacity::Blend => words.push("see-through".into()),
    }
    if surface.double_sided {
        words.push("two sides".into());
    }
    if surface.emissive.iter().any(|v| *v > 0.0) {
        words.push("glows".into());
    }
    words.join(", ")
}

fn texture(view: &View<'_>, kind: MapKind, picture: &Arc<crate::surfaces::Pictured>, ui: &mut Ui) {
    ui.horizontal(|ui| {
        let (rect, response) = ui.allocate_exact_size(vec2(THUMB, THUMB), Sense::hover());
        let whole = Rect::from_min_max(egui::pos2(0.0, 0.0), egui::pos2(1.0, 1.0));
        let palette = look::of(ui.visuals());
        ui.painter().rect_filled(rect, 2.0, palette.field);
        let thumb = view.stage.thumbs.iter().find(|thumb| Arc::ptr_eq(&thumb.of, picture));
        if let Some(thumb) = thumb {
            ui.painter().image(thumb.texture.id(), rect, whole, Color32::WHITE);
            response.on_hover_ui(|ui| {
                ui.image((thumb.texture.id(), thumb.texture.size_vec2()));
            });
        }
        ui.painter().rect_stroke(rect, 2.0, Stroke::new(1.0, palette.line), egui::StrokeKind::Inside);
        ui.vertical(|ui| {
            ui.label(kind.name());
            ui.label(RichText::new(&picture.name).small().weak());
            let kilobytes = picture.bytes.div_ceil(1000);
            match &picture.pixels {
                Ok(pixels) => {
                    let facts = format!("{} × {}, {kilobytes} kB", pixels.width, pixels.height);
                    ui.label(RichText::new(facts).small().weak());
                }
                Err(why) => {
                    ui.label(RichText::new(why).small().color(palette.error));
                }
            }
        });
    });
}
