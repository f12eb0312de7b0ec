//! The files of `defects`: each showed something that was wrong, and must show now that it is right. What every file must
//! (vertices within the precision, everything back after a round trip) is the matter of `skins` and `roundtrip`, which
//! read this folder too; `docs/DEFECTS.md` has all defects and what keeps each away.

use crate::files;
use anyhow::{Context, Result, ensure};
use lissom_build::{
    exact::V3,
    export::write_glb,
    import::{self, ImportLimits, ImportOptions, lsm},
    mesh::model_matrices,
    pipeline::{Cooked, Input, Options, Plan, serial, unwatched},
    scene::{Scene, SceneAnimation},
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The files, by their ends, and what each must show; the answer says what was seen.
type Shows = fn(&[PathBuf]) -> Result<String>;
const FILES: &[(&[&str], Shows)] = &[
    (&["gltf/Soldier.glb"], soldier),
    (&["gltf/Xbot.glb"], xbot),
    (&["gltf/Flamingo.glb"], morphs_alone),
    (&["glTF-Binary/AnimatedMorphSphere.glb"], morphs_alone),
    (
        &[
            "gltf/Xbot.glb",
            "Animations/Walking.glb",
            "Animations/Catwalk Walking.glb",
            "Animations/Rumba Dancing.glb",
        ],
        mixamo,
    ),
    (&["meshes/HVGirl.glb"], hvgirl),
    (
        &[
            "glTF-Binary/BrainStem.glb",
            "glTF-Draco/BrainStem.gltf",
            "glTF-Meshopt/BrainStem.gltf",
            "glTF-Meshopt-EXT/BrainStem.gltf",
        ],
        brain_stem,
    ),
    (&["animals_pack/Fox.glb"], fox),
    (&["modular_men/Adventurer.glb"], adventurer),
    (&["models/test.vrma"], humanoid),
    (&["vrm-samples/cryptovoxels.vrm"], humanoid),
    (&["model/gdbot.glb"], gdbot),
];

pub fn run(folder: &Path) -> Result<()> {
    let all = files::below_named(&folder.join("defects"), &["gltf", "glb", "vrm", "vrma"])?;
    let mut named = vec![false; all.len()];
    let mut failures = Vec::new();
    for (ends, shows) in FILES {
        let mut own = Vec::new();
        for end in *ends {
            let at = all.iter().position(|path| path.ends_with(end)).with_context(|| format!("no {end}"))?;
            named[at] = true;
            own.push(all[at].clone());
        }
        let last = ends.last().copied().unwrap_or_default();
        match shows(&own) {
            Ok(seen) => println!("  {last}: {seen}"),
            Err(error) => failures.push(format!("{last}: {error:#}")),
        }
    }
    println!("defects: {} files read, {} cases as they should be", all.len(), FILES.len() - failures.len());
    ensure!(failures.is_empty(), "{} files show their defect:\n  {}", failures.len(), failures.join("\n  "));
    let unnamed: Vec<_> =
        all.iter().zip(&named).filter(|(_, named)| !**named).map(|(path, _)| path).collect();
    ensure!(unnamed.is_empty(), "nobody says what {unnamed:?} must show");
    Ok(())
}

fn open(file: &Path) -> Result<Scene> {
    Ok(import::open(file, &ImportOptions::default())?)
}

/// An archive of these files, and what the command would say of them.
fn cook(files: &[PathBuf], options: Options<'_>) -> Result<(Cooked, Scene)> {
    let inputs: Vec<Input<'_>> = files.iter().map(Input::file).collect();
    let cooked = Plan::new(options)?.cook(&inputs, &serial, &mut unwatched)?;
    for (input, file) in cooked.inputs.iter().zip(files) {
        ensure!(input.is_ok(), "{}: {input:?}", file.display());
    }
    let archive = cooked.archive.as_ref().context("no archive")?;
    let scene = lsm::read(archive, &ImportLimits::default())?;
    Ok((cooked, scene))
}

/// Bytes of all clips of the only input, its worst error in millimetres and whose it is.
fn cost(cooked: &Cooked) -> Result<(u64, f64, String)> {
    let Some(Ok(report)) = cooked.inputs.first() else { anyhow::bail!("no report") };
    let bytes = report.clips.iter().map(|c| c.cook.bytes).sum();
    let mut worst = (0.0, String::new());
    for clip in &report.clips {
        ensure!(clip.cook.within, "clip {:?} is above its precision", clip.name);
        if clip.cook.error.worst() > worst.0 {
            worst = (clip.cook.error.worst(), clip.worst_joint.clone());
        }
    }
    Ok((bytes, worst.0 * 1e3, worst.1))
}

/// A rig of scale 0.01: the bound was false; seven texture coordinate sets and two images were lost.
fn soldier(files: &[PathBuf]) -> Result<String> {
    let (cooked, scene) = cook(files, Options::default())?;
    let (bytes, worst, joint) = cost(&cooked)?;
    ensure!(worst <= 0.1, "{worst} mm at {joint}");
    let sets: usize = scene.meshes.iter().map(|m| m.mesh.uvs.len()).sum();
    ensure!(sets >= 2 && scene.images.len() == 2, "{sets} sets, {} images", scene.images.len());
    Ok(format!(
        "{bytes} bytes, {worst:.4} mm at {joint}; {sets} texture coordinate sets, {} images",
        scene.images.len()
    ))
}

/// Exported skins named joints of no weight, 82,977 times; two materials were lost.
fn xbot(files: &[PathBuf]) -> Result<String> {
    let (_, scene) = cook(files, Options { clips: vec!["0".into()], ..Options::default() })?;
    let glb = write_glb(&scene)?;
    let file = lissom_testkit::gltf::Reference::open(&glb, |_| None).map_err(anyhow::Error::msg)?;
    let mut vertices = 0;
    for primitive in file.json()["meshes"].as_array().into_iter().flatten().flat_map(primitives) {
        let read = |name: &str| {
            let accessor = primitive["attributes"][name].as_u64().with_context(|| format!("no {name}"))?;
            file.accessor(accessor as usize).map_err(anyhow::Error::msg)
        };
        let (joints, weights) = (read("JOINTS_0")?, read("WEIGHTS_0")?);
        vertices += joints.len();
        let idle =
            joints.iter().flatten().zip(weights.iter().flatten()).filter(|(j, w)| **w == 0.0 && **j != 0.0);
        ensure!(idle.count() == 0, "joints of no weight are named");
    }
    ensure!(scene.materials.len() == 2, "{} materials", scene.materials.len());
    Ok(format!("{vertices} vertices name no joint of no weight; {} materials", scene.materials.len()))
}

fn primitives(mesh: &Value) -> &[Value] {
    mesh["primitives"].as_array().map_or(&[], Vec::as_slice)
}

/// Motion in morph weights alone: nobody showed or counted it.
fn morphs_alone(files: &[PathBuf]) -> Result<String> {
    let (cooked, scene) = cook(files, Options::default())?;
    let Some(Ok(report)) = cooked.inputs.first() else { anyhow::bail!("no report") };
    let animation = scene.animations.first().context("no clip")?;
    ensure!(report.tracks > 0 && animation.tracks.len() == report.tracks, "{} tracks", report.tracks);
    let source = open(&files[0])?;
    let mut moved: f64 = 0.0;
    for (a, b) in source.animations[0].tracks.iter().zip(&animation.tracks) {
        for step in 0..=100 {
            let (at, start) = (f64::from(step) / 100.0, a.sample(0.0)[0]);
            moved = lissom_build::exact::larger(moved, (b.sample(at)[0] - start).abs());
        }
    }
    ensure!(moved > 0.5, "weights change by {moved}");
    let keys = |a: &SceneAnimation| a.tracks.iter().map(|t| t.keys.len()).sum::<usize>();
    let (before, after) = (keys(&source.animations[0]), keys(animation));
    ensure!(after < before, "{before} keys became {after}");
    Ok(format!("{} tracks that change by {moved:.2}, {before} keys became {after}", report.tracks))
}

/// Animations whose armature rests at 90 degrees, on a rig that stands: they lay on their back, as `mixamo.com_2`.
fn mixamo(files: &[PathBuf]) -> Result<String> {
    let (skeleton, motions) = files.split_first().context("no files")?;
    let options = Options { skeleton: Some(Input::file(skeleton)), ..Options::default() };
    let (_, scene) = cook(motions, options)?;
    let names: Vec<&str> = scene.animations.iter().map(|a| a.motion.name.as_str()).collect();
    ensure!(names == ["Walking", "Catwalk Walking", "Rumba Dancing"], "{names:?}");
    ensure!(scene.meshes.is_empty(), "{} meshes of motions", scene.meshes.len());
    let mut least = f64::INFINITY;
    for animation in &scene.animations {
        let skeleton = &scene.skeletons[animation.skeleton.context("no skeleton")?].skeleton;
        let at = |end: &str| {
            let found = skeleton.joints.iter().position(|j| j.name.ends_with(end));
            found.with_context(|| format!("no joint {end}"))
        };
        let (head, foot) = (at("Head")?, at("LeftFoot")?);
        for step in 0..20 {
            let pose = animation.motion.pose(skeleton, animation.motion.duration_s * f64::from(step) / 20.0);
            let models = model_matrices(skeleton, &pose);
            let stands = models[head].mul_point(V3::ZERO).y - models[foot].mul_point(V3::ZERO).y;
            least = if stands < least { stands } else { least };
        }
    }
    ensure!(least > 0.9, "a head is {least} m above its foot");
    Ok(format!("{}: every head at least {least:.2} m above its foot", names.join(", ")))
}

/// Long clips: the archive could not be exported, other exports became eighteen times as large.
fn hvgirl(files: &[PathBuf]) -> Result<String> {
    let options = Options {
        cook: lissom_build::cook::ClipBuilder {
            effort: lissom_build::cook::Effort::Fast,
            ..Default::default()
        },
        ..Options::default()
    };
    let (cooked, scene) = cook(files, options)?;
    let Some(Ok(report)) = cooked.inputs.first() else { anyhow::bail!("no report") };
    ensure!(
        scene.animations.len() == report.clips.len(),
        "{} of {} clips",
        scene.animations.len(),
        report.clips.len()
    );
    let source = std::fs::metadata(&files[0])?.len();
    let export = write_glb(&scene)?.len() as u64;
    ensure!(export <= 2 * source, "{source} bytes became {export}");
    Ok(format!("{} clips come back, {source} bytes of the source became {export}", scene.animations.len()))
}

/// One character four ways: one was 4.7e32 m high, one had no mesh.
fn brain_stem(files: &[PathBuf]) -> Result<String> {
    let mut seen = Vec::new();
    for file in files {
        let scene = open(file)?;
        let vertices: usize = scene.meshes.iter().map(|m| m.mesh.positions.len()).sum();
        let all = scene.meshes.iter().flat_map(|m| &m.mesh.positions);
        let mut corners = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for position in all {
            for (axis, v) in position.iter().enumerate() {
                ensure!(v.is_finite(), "{}: a vertex is nowhere", file.display());
                corners[0][axis] = if *v < corners[0][axis] { *v } else { corners[0][axis] };
                corners[1][axis] = if *v > corners[1][axis] { *v } else { corners[1][axis] };
            }
        }
        seen.push((scene.meshes.len(), vertices, corners));
    }
    let (meshes, vertices, plain) = seen[0];
    for ((own, count, corners), file) in seen.iter().zip(files) {
        // Packers join meshes of one material, and join and split vertices.
        ensure!(*own * 2 > meshes, "{}: {own} meshes for {meshes}", file.display());
        ensure!(*count * 2 > vertices && *count < vertices * 2, "{}: {count} vertices", file.display());
        let off = corners.as_flattened().iter().zip(plain.as_flattened()).map(|(a, b)| (a - b).abs());
        ensure!(off.clone().all(|d| d < 0.01), "{}: corners {corners:?}, not {plain:?}", file.display());
    }
    Ok(format!("{} files, about {vertices} vertices each, every corner within 1 cm", files.len()))
}

/// A rig of scale 100: 78,428 bytes for a shell of 3 m. Its colours are materials without textures.
fn fox(files: &[PathBuf]) -> Result<String> {
    let (cooked, scene) = cook(files, Options::default())?;
    let (bytes, worst, joint) = cost(&cooked)?;
    ensure!(bytes < 70_000, "{bytes} bytes");
    let colours = scene.materials.iter().filter(|m| m.base_color != [1.0; 4]).count();
    ensure!(colours > 1, "{colours} colours");
    Ok(format!("{bytes} bytes, {worst:.4} mm at {joint}; {colours} material colours"))
}

/// End leaves were dropped; nodes that carry a skinned mesh were joints, each with a warning.
fn adventurer(files: &[PathBuf]) -> Result<String> {
    let scene = open(&files[0])?;
    let joints = &scene.skeletons.first().context("no skeleton")?.skeleton.joints;
    let ends = joints.iter().filter(|j| j.name.ends_with("_end")).count();
    ensure!(ends > 0, "no end leaves");
    for name in ["Adventurer_Body", "Adventurer_Feet", "Adventurer_Head", "Adventurer_Legs"] {
        ensure!(!joints.iter().any(|j| j.name == name), "{name} is a joint");
    }
    Ok(format!("{} joints, {ends} of them end leaves, {} warnings", joints.len(), scene.warnings.len()))
}

/// Nodes with a meaning for a humanoid are joints, whether or not they move.
fn humanoid(files: &[PathBuf]) -> Result<String> {
    let bytes = std::fs::read(&files[0])?;
    let file = lissom_testkit::gltf::Reference::open(&bytes, |_| None).map_err(anyhow::Error::msg)?;
    let extensions = &file.json()["extensions"];
    let mut bones = Vec::new();
    // VRM 0.x lists them, VRM animations name them.
    bones.extend(extensions["VRM"]["humanoid"]["humanBones"].as_array().into_iter().flatten());
    for name in ["VRMC_vrm_animation", "VRMC_vrm"] {
        let named = extensions[name]["humanoid"]["humanBones"].as_object();
        bones.extend(named.into_iter().flat_map(|bones| bones.values()));
    }
    let scene = open(&files[0])?;
    let nodes = &scene.skeletons.first().context("no skeleton")?.nodes;
    for bone in &bones {
        let node = bone["node"].as_u64().context("a bone without a node")?;
        ensure!(nodes.iter().any(|n| n.index.map(u64::from) == Some(node)), "node {node} is no joint");
    }
    ensure!(bones.len() > 15, "{} bones", bones.len());
    Ok(format!("{} bones of the humanoid among {} joints", bones.len(), nodes.len()))
}

/// A helmet far from its leaf joint: its vertices decide how exactly the joint turns.
fn gdbot(files: &[PathBuf]) -> Result<String> {
    let (cooked, _) = cook(files, Options::default())?;
    let (bytes, worst, joint) = cost(&cooked)?;
    ensure!(worst <= 0.1, "{worst} mm at {joint}");
    Ok(format!("{bytes} bytes, {worst:.4} mm at {joint}"))
}
