//! What files of each format carry, in and out.

use super::{Case, Packs};
use anyhow::{Context, Result, bail, ensure};
use lissom_build::{
    import::{ImportLimits, gltf},
    scene::Scene,
};
use serde_json::Value;
use std::{fs, path::Path};

pub const CASES: &[Case] = &[
    ("FBX keeps its colours", colours),
    ("BVH gets the unit that makes a human", units),
    ("a folder of BVH files is told its unit once", told_once),
    ("an export is no larger than its source's data", sizes),
];

/// Bytes of an export, as a multiple of its source's data.
const LARGEST: f64 = 1.5;
/// Metres between the lowest and the highest joint of a human: the head's joint is below the top of the head.
const HUMAN: (f64, f64) = (1.15, 1.9);

/// The JSON of a `.glb`.
fn json_of(bytes: &[u8]) -> Result<Value> {
    let length = bytes.get(12..16).context("a header")?;
    let length = u32::from_le_bytes(length.try_into()?) as usize;
    Ok(serde_json::from_slice(bytes.get(20..20 + length).context("a JSON chunk")?)?)
}

fn colours(packs: &Packs) -> Result<String> {
    if cfg!(not(feature = "fbx")) {
        return Ok("SKIPPED: built without the feature fbx".into());
    }
    let wanted = [[0.10, 0.42, 0.52], [0.15, 0.21, 0.22]];
    let (samba, out) = (packs.file("Samba Dancing.fbx")?, packs.temporary("samba.glb"));
    packs.done(&[&"export", &samba, &"-o", &out])?;
    let file = json_of(&fs::read(&out)?)?;
    let materials = file["materials"].as_array().context("materials")?;
    ensure!(materials.len() == wanted.len(), "{} materials", materials.len());
    for (material, wanted) in materials.iter().zip(wanted) {
        let color = &material["pbrMetallicRoughness"]["baseColorFactor"];
        for (c, wanted) in wanted.iter().enumerate() {
            let found = color[c].as_f64().context("a colour")?;
            ensure!((found - wanted).abs() < 0.005, "{color} instead of {wanted:?}");
        }
    }
    for primitive in
        file["meshes"].as_array().into_iter().flatten().flat_map(|m| m["primitives"].as_array()).flatten()
    {
        ensure!(primitive["material"].is_u64(), "a mesh without a material");
        ensure!(primitive["attributes"]["TANGENT"].is_null(), "tangents that nobody needs");
    }
    let (zombie, out) = (packs.file("FBX/Zombie.fbx")?, packs.temporary("zombie.glb"));
    packs.done(&[&"export", &zombie, &"-o", &out])?;
    let file = json_of(&fs::read(&out)?)?;
    let material = &file["materials"][0];
    ensure!(material["pbrMetallicRoughness"]["metallicFactor"] == 0.0, "{material}");
    Ok(format!("{} and {} materials", materials.len(), file["materials"].as_array().map_or(0, Vec::len)))
}

const CMU: [&str; 4] = ["007/07_12.bvh", "003/03_02.bvh", "008/08_10.bvh", "035/35_18.bvh"];

fn inspected(packs: &Packs, file: &Path, more: &[&str]) -> Result<(f64, String)> {
    let mut args: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"inspect", &file, &"--json"];
    args.extend(more.iter().map(|a| a as &dyn AsRef<std::ffi::OsStr>));
    let report: Value = serde_json::from_str(&packs.done(&args)?)?;
    Ok((report["height_m"].as_f64().context("a height")?, report["warnings"].to_string()))
}

fn units(packs: &Packs) -> Result<String> {
    let mut seen = Vec::new();
    for name in CMU {
        let file = packs.file(name)?;
        let (height, warnings) = inspected(packs, file, &[])?;
        ensure!((HUMAN.0..HUMAN.1).contains(&height), "{name} is {height} m high");
        ensure!(warnings.contains("0.056444 m") && warnings.contains("wins"), "{name}: {warnings}");
        let (said, warnings) = inspected(packs, file, &["--unit", "m"])?;
        ensure!(warnings == "[]", "{name}: {warnings}");
        let ratio = height / said;
        ensure!((ratio - 0.0254 / 0.45).abs() < 1e-6, "{name}: {ratio} m for a unit");
        seen.push(format!("{height:.2}"));
    }
    Ok(format!("{} m between the lowest and the highest joint", seen.join(", ")))
}

fn told_once(packs: &Packs) -> Result<String> {
    let mut args: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"import"];
    let files = CMU.iter().map(|name| packs.file(name)).collect::<Result<Vec<_>>>()?;
    args.extend(files.iter().map(|f| f as &dyn AsRef<std::ffi::OsStr>));
    let out = packs.temporary("cmu");
    fs::create_dir_all(&out)?;
    args.extend([&"-o" as &dyn AsRef<std::ffi::OsStr>, &out, &"--effort", &"fast"]);
    let ended = packs.lissom(&args)?;
    ensure!(ended.status.is_some_and(|s| s.success()), "{}", ended.error);
    let lines: Vec<&str> = ended.error.lines().filter(|l| l.contains("its unit")).collect();
    ensure!(lines.len() == 1 && lines[0].contains("and 3 more files"), "{lines:?}");
    Ok(lines[0].rsplit('/').next().unwrap_or_default().to_owned())
}

fn sizes(packs: &Packs) -> Result<String> {
    let mut seen = Vec::new();
    for name in ["bitmoji.glb", "facecap.glb", "SuzanneMorphSparse.glb"] {
        let (file, out) = (packs.file(name)?, packs.temporary(name));
        let report: Value = serde_json::from_str(&packs.done(&[&"export", &file, &"-o", &out, &"--json"])?)?;
        let (source, copy) = (fs::read(file)?, fs::read(&out)?);
        ensure!(report["bytes"].as_u64() == Some(copy.len() as u64), "{report}");
        let views = json_of(&source)?["bufferViews"].as_array().context("views")?.clone();
        let data: u64 = views.iter().filter_map(|v| v["byteLength"].as_u64()).sum();
        let times = copy.len() as f64 / data as f64;
        ensure!(times <= LARGEST, "{name}: {} bytes of {data}, {times:.2} times", copy.len());
        same(&read(&source)?, &read(&copy)?).with_context(|| name.to_owned())?;
        seen.push(format!("{name} {times:.2}"));
    }
    Ok(format!("{} times", seen.join(", ")))
}

fn read(bytes: &[u8]) -> Result<Scene> {
    let mut none = |uri: &str| no_file(uri);
    Ok(gltf::read(bytes, &mut none, &ImportLimits::default())?)
}

/// These files name no others.
fn no_file(uri: &str) -> Result<Vec<u8>, lissom_build::import::ImportError> {
    let place = lissom_build::import::Place::Path(uri.into());
    Err(lissom_build::import::ImportError::Format { place, reason: "it names another file".into() })
}

/// Every number of the vertices came back, to the bit; normals to a rounding.
fn same(source: &Scene, copy: &Scene) -> Result<()> {
    ensure!(source.meshes.len() == copy.meshes.len(), "{} meshes", copy.meshes.len());
    for (a, b) in source.meshes.iter().zip(&copy.meshes) {
        let (m, n) = (&a.mesh, &b.mesh);
        let off = |a: &[[f32; 3]], b: &[[f32; 3]]| {
            let first = a.iter().zip(b).position(|(a, b)| a != b);
            let (counts, first) = ((a.len(), b.len()), first.map(|at| (at, a[at], b[at])));
            (counts.0 != counts.1 || first.is_some()).then(|| format!("{counts:?} {first:?}"))
        };
        if let Some(off) = off(&m.positions, &n.positions) {
            bail!("{:?}: vertices differ: {off}", m.name);
        }
        // Normals are made as long as 1 when they are read: twice is not always once.
        let near = |(a, b): (&[f32; 3], &[f32; 3])| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        ensure!(
            m.normals.len() == n.normals.len() && m.normals.iter().zip(&n.normals).all(near),
            "{:?}: normals differ",
            m.name
        );
        ensure!(m.uvs == n.uvs && m.indices == n.indices && m.colors == n.colors, "{:?} differs", m.name);
        ensure!(a.morphs.len() == b.morphs.len(), "{:?}: {} morph targets", m.name, b.morphs.len());
        for (a, b) in a.morphs.iter().zip(&b.morphs) {
            ensure!(a.name == b.name, "{:?}: {:?} is {:?}", m.name, a.name, b.name);
            if let Some(off) = off(&a.positions, &b.positions) {
                bail!("{:?}, {:?}: places differ: {off}", m.name, a.name);
            }
            let alike = a.normals.len() == b.normals.len() && a.normals.iter().zip(&b.normals).all(near);
            ensure!(alike, "{:?}, {:?}: normals differ: {:?}", m.name, a.name, off(&a.normals, &b.normals));
        }
    }
    Ok(())
}
