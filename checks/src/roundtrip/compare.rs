//! What came out against the source.

use super::{
    Sums,
    document::{File, list},
};
use anyhow::{Context, Result, anyhow, ensure};
use lissom_testkit::{gltf::Matrix, rng::Rng};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The mode of a primitive that does not say.
const TRIANGLES: u64 = 4;
/// Times of a clip.
const TIMES: usize = 20;
/// 0.1 mm, or this part of the height where that is more.
const PRECISION: f64 = 1e-4;
const OF_HEIGHT: f64 = 1e-5;
/// How far from a node its directions are measured.
const SHELL: f64 = 0.03;
/// A clip is written as straight keys, which stray by a part of the precision, and in f32.
const ALLOWED: f64 = 1.25;

/// Everything but poses; of its animations, the first `clips` were taken.
pub(super) fn all(
    path: &Path,
    source: &File<'_>,
    result: &File<'_>,
    clips: usize,
    sums: &mut Sums,
) -> Result<()> {
    materials(source, result, sums).context("materials")?;
    images(source, result, sums).context("images")?;
    surfaces(source, result, sums).context("meshes")?;
    names(path, source, result, clips, sums).context("names")
}

fn materials(source: &File<'_>, result: &File<'_>, sums: &mut Sums) -> Result<()> {
    let (a, b) = (list(source.json(), "materials"), list(result.json(), "materials"));
    ensure!(a.len() == b.len(), "{} became {}", a.len(), b.len());
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        let (a, b) = (source.material(a), result.material(b));
        ensure!(a == b, "material {index}: {a} became {b}");
        sums.materials += 1;
    }
    Ok(())
}

/// In order, without those of the source that nobody has.
fn images(source: &File<'_>, result: &File<'_>, sums: &mut Sums) -> Result<()> {
    let count = list(source.json(), "images").len();
    let wanted: Vec<Vec<u8>> = (0..count).filter_map(|index| source.image(index)).collect();
    let found = list(result.json(), "images").len();
    ensure!(wanted.len() == found, "{} became {found}", wanted.len());
    for (index, bytes) in wanted.iter().enumerate() {
        ensure!(result.image(index).as_ref() == Some(bytes), "image {index} has other bytes");
    }
    sums.images += found;
    sums.lost_images += count - found;
    Ok(())
}

/// Primitives that are triangles, in the order of nodes: the mesh's name, the primitive.
fn primitives(json: &Value) -> Vec<(&Value, &Value)> {
    let nodes = list(json, "nodes").iter().filter_map(|n| n["mesh"].as_u64());
    let meshes = nodes.map(|m| &json["meshes"][m as usize]);
    let all = meshes.flat_map(|m| list(m, "primitives").iter().map(move |p| (m, p)));
    all.filter(|(_, p)| (4..=6).contains(&p["mode"].as_u64().unwrap_or(TRIANGLES))).collect()
}

/// Rows of an attribute, sorted: the order of vertices, and which of them are used, are nobody's promise.
fn rows(
    file: &File<'_>,
    accessor: &Value,
    used: Option<&BTreeSet<usize>>,
    width: usize,
) -> Option<BTreeSet<Vec<u32>>> {
    let all = file.doc.accessor(accessor.as_u64()? as usize).ok()?;
    // Archives store no numbers below 1e-15, and 0 has two signs.
    let plain = |v: f64| if v.abs() < 1e-15 { 0.0 } else { v as f32 };
    let bits = |row: &Vec<f64>| {
        let mut row: Vec<u32> = row.iter().map(|v| plain(*v).to_bits()).collect();
        // A colour without alpha has 1.
        row.resize(width, 1.0_f32.to_bits());
        row
    };
    let kept = all.iter().enumerate().filter(|(i, _)| used.is_none_or(|u| u.contains(i)));
    Some(kept.map(|(_, row)| bits(row)).collect())
}

fn used(file: &File<'_>, primitive: &Value) -> Option<BTreeSet<usize>> {
    let indices = primitive["indices"].as_u64()?;
    let all = file.doc.accessor(indices as usize).ok()?;
    Some(all.iter().map(|i| i[0] as usize).collect())
}

fn surfaces(source: &File<'_>, result: &File<'_>, sums: &mut Sums) -> Result<()> {
    // Meshes that no node carries are nobody's; nodes may stand in another order, so meshes are found by name.
    let mut ours = primitives(result.json());
    for (mesh, primitive) in primitives(source.json()) {
        let name = mesh["name"].as_str().unwrap_or_default();
        let used = used(source, primitive);
        let packed = !primitive["extensions"]["KHR_draco_mesh_compression"].is_null();
        let position =
            rows(source, &primitive["attributes"]["POSITION"], used.as_ref(), 3).filter(|_| !packed);
        let Some(position) = position else {
            sums.unread += 1;
            continue;
        };
        if position.iter().flatten().any(|bits| !f32::from_bits(*bits).is_finite()) {
            continue;
        }
        let same = |(m, p): &(&Value, &Value)| {
            (name.is_empty() || m["name"] == name)
                && rows(result, &p["attributes"]["POSITION"], None, 3).as_ref() == Some(&position)
        };
        let Some(at) = ours.iter().position(same) else {
            // What has no triangles, or too few numbers, the importer names and leaves out.
            ensure!(position.len() < 3, "the primitive of mesh {name:?} is not there");
            continue;
        };
        let (_, own) = ours.remove(at);
        ensure!(
            primitive["material"].is_null() == own["material"].is_null(),
            "mesh {name:?} has lost or got its material"
        );
        ensure!(primitive["material"] == own["material"], "mesh {name:?} has another material");
        for (attribute, accessor) in primitive["attributes"].as_object().into_iter().flatten() {
            let width = if attribute.starts_with("TEXCOORD_") {
                2
            } else if attribute.starts_with("COLOR_") {
                4
            } else {
                continue;
            };
            let wanted = rows(source, accessor, used.as_ref(), width);
            let found = rows(result, &own["attributes"][attribute], None, width);
            ensure!(wanted == found, "mesh {name:?}: {attribute} differs");
            sums.sets += 1;
        }
        let (a, b) = (list(primitive, "targets"), list(own, "targets"));
        ensure!(a.len() == b.len(), "mesh {name:?}: {} morph targets became {}", a.len(), b.len());
        for (index, (a, b)) in a.iter().zip(b).enumerate() {
            for attribute in ["POSITION", "NORMAL"] {
                if a[attribute].is_null() {
                    continue;
                }
                let wanted = rows(source, &a[attribute], used.as_ref(), 3);
                let found = rows(result, &b[attribute], None, 3);
                // What adds nothing anywhere may be left out.
                let nothing = || wanted.iter().flatten().flatten().all(|bits| *bits == 0);
                ensure!(
                    wanted == found || (found.is_none() && nothing()),
                    "mesh {name:?}: {attribute} of morph target {index} differs"
                );
            }
            sums.morphs += 1;
        }
    }
    Ok(())
}

/// Names that say nothing: a file's only clip is called after the file then.
const SAYS_NOTHING: [&str; 2] = ["default", "mixamo.com"];

/// Every name of the source is there again, but for what our names must be: unique, and at most 255 bytes.
fn names(path: &Path, source: &File<'_>, result: &File<'_>, clips: usize, sums: &mut Sums) -> Result<()> {
    let carried: BTreeSet<u64> =
        list(source.json(), "nodes").iter().filter_map(|n| n["mesh"].as_u64()).collect();
    for key in ["nodes", "meshes", "materials", "animations"] {
        let found: BTreeSet<&str> =
            list(result.json(), key).iter().filter_map(|v| v["name"].as_str()).collect();
        let all = list(source.json(), key);
        let taken = if key == "animations" { clips } else { all.len() };
        for (index, value) in (0..).zip(all).take(taken) {
            let Some(name) = value["name"].as_str().filter(|n| !n.is_empty() && n.len() <= 255) else {
                continue;
            };
            let drawn = list(value, "primitives")
                .iter()
                .any(|p| (4..=6).contains(&p["mode"].as_u64().unwrap_or(TRIANGLES)));
            // What nothing uses is nobody's.
            let idle = match key {
                "meshes" => !carried.contains(&index) || !drawn,
                "animations" => list(value, "channels").is_empty(),
                _ => false,
            };
            if idle {
                continue;
            }
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
            if key == "animations"
                && all.len() == 1
                && found.contains(stem)
                && SAYS_NOTHING.contains(&name.to_lowercase().as_str())
            {
                sums.renamed += 1;
                continue;
            }
            ensure!(found.contains(name), "{key}: {name:?} is not there");
            sums.names += 1;
        }
    }
    Ok(())
}

/// Nodes that no other shares a name with.
fn by_name(json: &Value) -> BTreeMap<&str, usize> {
    let mut found: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (index, node) in list(json, "nodes").iter().enumerate() {
        if let Some(name) = node["name"].as_str() {
            found.entry(name).and_modify(|seen| *seen = None).or_insert(Some(index));
        }
    }
    found.into_iter().filter_map(|(name, index)| Some((name, index?))).collect()
}

/// Nodes that move and nodes that rest, at random times of the clips that came out: origins, and points a shell away.
pub(super) fn poses(source: &File<'_>, result: &File<'_>, height_m: f64, sums: &mut Sums) -> Result<()> {
    let precision = if height_m * OF_HEIGHT > PRECISION { height_m * OF_HEIGHT } else { PRECISION };
    let ours = by_name(result.json());
    // A skinned mesh's own node plays no part, and stands elsewhere.
    let plain = |node: usize| source.json()["nodes"][node]["skin"].is_null();
    let pairs: Vec<(usize, usize)> = by_name(source.json())
        .into_iter()
        .filter(|(_, node)| plain(*node))
        .filter_map(|(name, node)| Some((node, *ours.get(name)?)))
        .collect();
    let mut rng = Rng::new(12);
    for clip in 0..result.doc.animations() {
        let said = |e: String| anyhow!("clip {clip}: {e}");
        // Packed.
        let Ok(exempt) = source.doc.exempt(clip) else {
            sums.unread += 1;
            continue;
        };
        let duration_s = source.doc.duration_s(clip).map_err(said)?;
        for _ in 0..TIMES {
            let time_s = rng.unit_f64() * duration_s;
            if exempt.iter().any(|(from, to)| time_s > *from && time_s < *to) {
                continue;
            }
            let wanted = source.doc.pose(Some(clip), time_s).map_err(said)?;
            let found = result.doc.pose(Some(clip), time_s).map_err(said)?;
            sums.poses += 1;
            for (a, b) in &pairs {
                let off = apart(&wanted[*a], &found[*b]) / precision;
                let place = || format!("clip {clip} at {time_s:.4} s, node {a}");
                ensure!(off <= ALLOWED, "{off:.4} of the precision: {}", place());
                sums.worst_pose.take(off, place);
            }
        }
    }
    Ok(())
}

/// The largest distance of an origin, and of points a shell away from it, in model space.
fn apart(a: &Matrix, b: &Matrix) -> f64 {
    let column = |m: &Matrix, c: usize| [m[4 * c], m[4 * c + 1], m[4 * c + 2]];
    let length = |v: [f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    let less = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let origin = less(column(a, 3), column(b, 3));
    let mut worst = length(origin);
    for axis in 0..3 {
        let (x, y) = (column(a, axis), column(b, axis));
        let scale = SHELL / length(x);
        if scale.is_finite() {
            let d = less(x, y);
            let there = length([0, 1, 2].map(|i| origin[i] + d[i] * scale));
            worst = if there > worst { there } else { worst };
        }
    }
    worst
}
