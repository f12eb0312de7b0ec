//! Every glTF file through import, archive and export: materials, images, texture coordinates, colours, morph targets and
//! names of the file that comes out against those of the source, both read by code that shares nothing with importer
//! and exporter. Motions are left out (other checks have them): each clip becomes a still of its name.

use crate::files;
use anyhow::{Context, Result, anyhow, ensure};
use lissom_build::{
    SkeletonBuilder,
    archive::{ScenePack, settle_names},
    cook::{ClipBuilder, Effort},
    export::write_glb,
    import::{self, ImportLimits, ImportOptions, lsm},
    raw::RawTrack,
    scene::Scene,
};
use lissom_testkit::gltf::Reference;
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, fs, path::Path};

/// Files of `assets` and `defects`, and what is compared in them.
const FILES: usize = 170;
const MATERIALS: usize = 200;
const IMAGES: usize = 60;
const SETS: usize = 300;
const MORPHS: usize = 100;
const TRIANGLES: u64 = 4;

#[derive(Default)]
struct Sums {
    files: usize,
    refused: usize,
    materials: usize,
    images: usize,
    sets: usize,
    unread: usize,
    morphs: usize,
    names: usize,
}

pub(crate) fn run(folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    for part in ["assets", "defects"] {
        files.extend(files::below_named(&folder.join(part), &["gltf", "glb", "vrm", "vrma"])?);
    }
    let mut sums = Sums::default();
    let mut failures = Vec::new();
    for file in &files {
        if let Err(error) = one(file, &mut sums) {
            failures.push(format!("{}: {error:#}", file.display()));
        }
    }
    println!(
        "roundtrip: {} files ({} refused by the importer): {} materials, {} images, {} lists of texture coordinates and \
         colours ({} more are packed), {} morph targets, {} names are as in the source",
        sums.files,
        sums.refused,
        sums.materials,
        sums.images,
        sums.sets,
        sums.unread,
        sums.morphs,
        sums.names
    );
    ensure!(failures.is_empty(), "{} files differ:\n  {}", failures.len(), failures.join("\n  "));
    for (what, found, least) in [
        ("files", sums.files, FILES),
        ("materials", sums.materials, MATERIALS),
        ("images", sums.images, IMAGES),
        ("lists", sums.sets, SETS),
        ("morph targets", sums.morphs, MORPHS),
    ] {
        ensure!(found >= least, "{found} {what}, but at least {least} are needed");
    }
    Ok(())
}

fn one(file: &Path, sums: &mut Sums) -> Result<()> {
    let Ok(scene) = import::open(file, &ImportOptions::default()) else {
        // Which files are refused, and why, is the matter of another check.
        sums.refused += 1;
        return Ok(());
    };
    if scene.skeletons.is_empty() {
        return Ok(());
    }
    let exported = write_glb(&through_archive(scene)?)?;
    let beside = file.parent().unwrap_or(Path::new("."));
    let read = |uri: &str| fs::read(beside.join(uri.replace("%20", " "))).ok();
    let source = File { doc: Reference::open(&fs::read(file)?, read).map_err(|e| anyhow!(e))?, beside };
    let result = File { doc: Reference::open(&exported, |_| None).map_err(|e| anyhow!(e))?, beside };
    sums.files += 1;
    materials(&source, &result, sums).context("materials")?;
    images(&source, &result, sums).context("images")?;
    surfaces(&source, &result, sums).context("meshes")?;
    names(&source, &result, sums).context("names")
}

/// Into an archive and out of it, every motion a still.
fn through_archive(mut scene: Scene) -> Result<Scene> {
    for animation in &mut scene.animations {
        for track in &mut animation.motion.tracks {
            *track = RawTrack::default();
        }
    }
    settle_names([("file", &mut scene)]);
    let built = scene.skeletons.iter().map(|s| SkeletonBuilder::build(&s.skeleton));
    let built = built.collect::<Result<Vec<_>, _>>()?;
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let mut clips = Vec::new();
    for animation in &scene.animations {
        clips.push(cook.build(&built[animation.skeleton.unwrap_or(0)], &animation.motion)?.bytes);
    }
    let mut pack = ScenePack::new();
    pack.add("file", &scene, &built, clips)?;
    Ok(lsm::read(&pack.finish().finish()?, &ImportLimits::default())?)
}

/// A document and where its files are.
struct File<'a> {
    doc: Reference,
    beside: &'a Path,
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Numbers as f32 has them.
fn narrow(value: &Value) -> Value {
    match value {
        Value::Number(n) => json!(n.as_f64().unwrap_or_default() as f32),
        Value::Array(all) => all.iter().map(narrow).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(k, v)| (k.clone(), narrow(v))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

impl File<'_> {
    fn json(&self) -> &Value {
        self.doc.json()
    }

    fn image(&self, index: usize) -> Option<Vec<u8>> {
        let image = &self.json()["images"][index];
        if let Some(view) = image["bufferView"].as_u64() {
            let view = &self.json()["bufferViews"][view as usize];
            let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
            let length = view["byteLength"].as_u64()? as usize;
            let buffer = self.doc.buffer(view["buffer"].as_u64()? as usize)?;
            return buffer.get(start..start + length).map(<[u8]>::to_vec);
        }
        let uri = image["uri"].as_str()?;
        if uri.starts_with("data:") {
            // Compared by their digits, which the exporter does not write: only their number counts.
            return None;
        }
        fs::read(self.beside.join(uri.replace("%20", " "))).ok()
    }

    /// A texture by what it shows and how; nothing about numbers.
    fn texture(&self, index: u64) -> Value {
        let texture = &self.json()["textures"][index as usize];
        let mut out = json!({ "name": texture["name"].as_str().unwrap_or_default() });
        out["sampler"] = texture["sampler"].as_u64().map_or(json!({}), |s| {
            let mut sampler = self.json()["samplers"][s as usize].clone();
            sampler.as_object_mut().map(|fields| fields.remove("name"));
            sampler
        });
        out["source"] = texture["source"].clone();
        for (name, extension) in texture["extensions"].as_object().into_iter().flatten() {
            out[name] = extension["source"].clone();
        }
        out
    }

    /// Resolves textures, drops what is the default anyway.
    fn canonical(&self, value: &Value, under: &str) -> Value {
        match value {
            Value::Array(all) => all.iter().map(|v| self.canonical(v, "")).collect(),
            Value::Object(fields) => {
                let mut out = Map::new();
                for (key, value) in fields {
                    out.insert(key.clone(), self.canonical(value, key));
                }
                if under.ends_with("Texture")
                    && let Some(index) = fields.get("index").and_then(Value::as_u64)
                {
                    let transform =
                        &fields.get("extensions").unwrap_or(&Value::Null)["KHR_texture_transform"];
                    let set = transform["texCoord"].as_u64().or(value["texCoord"].as_u64()).unwrap_or(0);
                    out.insert("index".into(), self.texture(index));
                    out.insert("texCoord".into(), json!(set));
                    if let Some(own) =
                        out.get_mut("extensions").and_then(|e| e.get_mut("KHR_texture_transform"))
                    {
                        own.as_object_mut().map(|fields| fields.remove("texCoord"));
                    }
                }
                Value::Object(out)
            }
            Value::Number(n) => json!(n.as_f64().unwrap_or_default() as f32),
            other => other.clone(),
        }
    }

    fn material(&self, material: &Value) -> Value {
        let mut out = self.canonical(material, "");
        let defaults = json!({
            "name": "", "emissiveFactor": [0.0, 0.0, 0.0], "alphaMode": "OPAQUE", "doubleSided": false,
            "pbrMetallicRoughness": { "baseColorFactor": [1.0, 1.0, 1.0, 1.0], "metallicFactor": 1.0, "roughnessFactor": 1.0 },
        });
        fill(&mut out, &narrow(&defaults));
        // A cutoff counts for masks alone.
        if out["alphaMode"] == "MASK" {
            fill(&mut out, &json!({ "alphaCutoff": 0.5 }));
        } else if let Some(fields) = out.as_object_mut() {
            fields.remove("alphaCutoff");
        }
        for (slot, factor) in [("normalTexture", "scale"), ("occlusionTexture", "strength")] {
            if out[slot].is_object() {
                fill(&mut out[slot], &json!({ factor: 1.0 }));
            }
        }
        // Transforms that do nothing may be spelt out or not.
        tidy(&mut out);
        out
    }
}

fn fill(to: &mut Value, from: &Value) {
    for (key, value) in from.as_object().into_iter().flatten() {
        if to[key].is_null() {
            to[key] = value.clone();
        } else if value.is_object() {
            fill(&mut to[key], value);
        }
    }
}

fn tidy(value: &mut Value) {
    if let Value::Object(fields) = value {
        if let Some(transform) = fields.get_mut("KHR_texture_transform") {
            fill(transform, &json!({ "offset": [0.0, 0.0], "rotation": 0.0, "scale": [1.0, 1.0] }));
        }
        fields.values_mut().for_each(tidy);
        fields.retain(|key, value| key != "extensions" || value.as_object().is_none_or(|e| !e.is_empty()));
    } else if let Value::Array(all) = value {
        all.iter_mut().for_each(tidy);
    }
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

fn images(source: &File<'_>, result: &File<'_>, sums: &mut Sums) -> Result<()> {
    let (a, b) = (list(source.json(), "images"), list(result.json(), "images"));
    ensure!(a.len() == b.len(), "{} became {}", a.len(), b.len());
    for index in 0..a.len() {
        if let Some(bytes) = source.image(index) {
            ensure!(result.image(index).as_ref() == Some(&bytes), "image {index} has other bytes");
            sums.images += 1;
        }
    }
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
                ensure!(wanted == found, "mesh {name:?}: {attribute} of morph target {index} differs");
            }
            sums.morphs += 1;
        }
    }
    Ok(())
}

/// Every name of the source is there again, but for what our names must be: unique, and at most 255 bytes.
fn names(source: &File<'_>, result: &File<'_>, sums: &mut Sums) -> Result<()> {
    for key in ["nodes", "meshes", "materials", "animations", "textures"] {
        let of = |json: &Value| -> BTreeSet<String> {
            let named = list(json, key).iter().filter_map(|v| v["name"].as_str());
            named.filter(|n| !n.is_empty()).map(str::to_owned).collect()
        };
        let found = of(result.json());
        // What nothing uses is nobody's.
        let carried: BTreeSet<u64> =
            list(source.json(), "nodes").iter().filter_map(|n| n["mesh"].as_u64()).collect();
        for (index, value) in (0..).zip(list(source.json(), key)) {
            let Some(name) = value["name"].as_str().filter(|n| !n.is_empty() && n.len() <= 255) else {
                continue;
            };
            let drawn = list(value, "primitives")
                .iter()
                .any(|p| (4..=6).contains(&p["mode"].as_u64().unwrap_or(TRIANGLES)));
            let idle = match key {
                "meshes" => !carried.contains(&index) || !drawn,
                "animations" => list(value, "channels").is_empty(),
                "textures" => true,
                _ => false,
            };
            if idle {
                continue;
            }
            ensure!(found.contains(name), "{key}: {name:?} is not there");
            sums.names += 1;
        }
    }
    Ok(())
}
