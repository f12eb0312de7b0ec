//! What was odd about a file, and what of it the scene does not have.

use super::surfaces::Left;
use crate::{import::files, scene::Scene};
use std::collections::BTreeMap;
use ufbx::WarningType;

/// Names that a warning shows.
const SHOWN: usize = 3;

/// What `ufbx` noticed, one line for each kind.
pub(super) fn read(file: &ufbx::Scene, scene: &mut Scene) {
    let mut counts: BTreeMap<u32, (WarningType, usize, u32, &str)> = BTreeMap::new();
    for warning in &file.metadata.warnings {
        let plain = (warning.type_, 0, warning.element_id, &*warning.description);
        let (_, count, ..) = counts.entry(warning.type_ as u32).or_insert(plain);
        *count = count.saturating_add(warning.count.max(1));
    }
    for (kind, count, element, text) in counts.into_values() {
        if kind == WarningType::BadUnicode {
            not_utf8(file, count, scene);
            continue;
        }
        let own = match kind {
            WarningType::TruncatedArray => "lists end too early; what is missing was taken as 0",
            WarningType::MissingGeometryData => "meshes have lists without values; they were left out",
            WarningType::DuplicateConnection => "connections stand there twice; the first counts",
            WarningType::MissingPolygonMapping => "lists do not say what they belong to; they were left out",
            WarningType::IndexClamped => "indices lead outside of their list; the last value was taken",
            WarningType::BadBase64Content => "embedded files are not base64; they were left out",
            WarningType::BadElementConnectedToRoot => {
                "things hang on the scene that cannot; they were left out"
            }
            WarningType::DuplicateObjectId => "things have the number of another; connections may be wrong",
            WarningType::EmptyFaceRemoved => "faces have no corners; they were left out",
            // What FBX files do not have, and what a later reader may say.
            _ => text,
        };
        let element = file.elements.get(element as usize).map(|e| files::shown(&e.name));
        scene.warn(element.unwrap_or_default(), format!("{count} {own}"));
    }
}

/// Where text is not UTF-8: names that show it, and how many there are.
fn not_utf8(file: &ufbx::Scene, count: usize, scene: &mut Scene) {
    let broken = file.elements.into_iter().filter(|e| e.name.contains('\u{fffd}'));
    let shown: Vec<String> = broken.take(SHOWN).map(|e| files::shown(&e.name)).collect();
    let place = if shown.is_empty() { "texts".to_owned() } else { format!("names {}", shown.join(", ")) };
    let text = if count == 1 { "text of the file is" } else { "texts of the file are" };
    scene.warn(place, format!("{count} {text} not UTF-8; each wrong byte became \u{fffd}"));
}

/// What the file has and the scene has not, in one line; what nobody asked for is not missed.
pub(super) fn not_carried(file: &ufbx::Scene, left: &Left, scene: &mut Scene) {
    let mut all = Vec::new();
    let mut count = |count: usize, one: &str, many: &str| {
        if count > 0 {
            all.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    };
    count(file.cameras.count.saturating_add(file.stereo_cameras.count), "camera", "cameras");
    count(file.lights.count, "light", "lights");
    count(file.nurbs_surfaces.count, "NURBS surface", "NURBS surfaces");
    count(file.nurbs_curves.count.saturating_add(file.line_curves.count), "curve", "curves");
    count(file.constraints.count, "constraint", "constraints");
    count(file.cache_deformers.count, "cache of points", "caches of points");
    for (what, materials) in left {
        let of = if *materials == 1 { "material" } else { "materials" };
        all.push(format!("{what} of {materials} {of}"));
    }
    if !all.is_empty() {
        scene.warn("", format!("not carried: {}", all.join(", ")));
    }
}
