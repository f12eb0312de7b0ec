//! A handful of glTF files against three.js in Node: `scripts/compare-three.mjs` gives its poses.

use crate::{skipped, validator::MODULES};
use anyhow::{Context, Result, anyhow, ensure};
use lissom_build::{
    exact::{Trs, V3, larger},
    import::{ImportLimits, gltf},
    mesh::model_matrices,
};
use serde_json::Value;
use std::{env, fs, path::Path, process::Command};

/// Below the assets folder: skinned, rigid, stepped, cubic, packed, deep, mirrored.
const FILES: [&str; 10] = [
    "khronos-sample-assets/CesiumMan/glTF-Binary/CesiumMan.glb",
    "khronos-sample-assets/Fox/glTF/Fox.gltf",
    "khronos-sample-assets/InterpolationTest/glTF-Binary/InterpolationTest.glb",
    "khronos-sample-assets/MeshoptCubeTest/glTF-Meshopt/MeshoptCubeTest.gltf",
    "khronos-sample-assets/RecursiveSkeletons/glTF-Binary/RecursiveSkeletons.glb",
    "babylonjs/meshes/Alien/Alien.gltf",
    "gdquest/Enemies/beetle_bot/beetle_bot_fused.glb",
    "kaykit-adventurers/Characters/gltf/Knight.glb",
    "kaykit-mannequin/res/anim/Med_General.glb",
    "threejs/examples/models/gltf/RobotExpressive/RobotExpressive.glb",
];
/// three.js computes in f32, along chains of up to dozens of nodes. Relative to the largest number of a matrix.
const TOLERANCE: f64 = 2e-5;

pub fn run(folder: &Path) -> Result<()> {
    let Some(modules) = env::var_os(MODULES) else {
        skipped("three", format_args!("{MODULES} does not name a folder with node_modules/three"));
        return Ok(());
    };
    if Command::new("node").arg("--version").output().is_err() {
        skipped("three", "there is no node");
        return Ok(());
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/compare-three.mjs");
    let root = folder.join("assets");
    let mut node = Command::new("node");
    node.arg(&script).arg("--modules").arg(modules).args(FILES.map(|f| root.join(f)));
    let output = node.output().context("node")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(2) {
        skipped("three", complaint.trim());
        return Ok(());
    }
    ensure!(output.status.success(), "{}: {}", script.display(), complaint.trim());
    let (mut files, mut poses, mut worst) = (0, 0, 0.0);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let theirs: Value = serde_json::from_str(line)?;
        let file = theirs["file"].as_str().context("no file name")?;
        let error = one(Path::new(file), &theirs, &mut poses).with_context(|| file.to_owned())?;
        worst = if error > worst { error } else { worst };
        files += 1;
    }
    println!("three: {files} files, {poses} poses, worst difference {worst:.1e}");
    ensure!(files == FILES.len(), "{files} files, not {}", FILES.len());
    ensure!(worst <= TOLERANCE, "the worst difference {worst} is above {TOLERANCE}");
    Ok(())
}

/// The largest difference of any pose of a file.
fn one(file: &Path, theirs: &Value, poses: &mut usize) -> Result<f64> {
    let limits = ImportLimits::default();
    let folder = gltf::Folder::of(file, &limits);
    let scene = gltf::read(&fs::read(file)?, &mut |uri| folder.read(uri), &limits)?;
    let skeleton = &scene.skeletons.first().context("no skeleton")?.skeleton;
    let animations = theirs["animations"].as_array().context("no animations")?;
    ensure!(!animations.is_empty(), "no animations");
    let places = joints(file)?;
    let mut worst = 0.0;
    for (animation, ours) in animations.iter().zip(&scene.animations) {
        let motion = &ours.motion;
        let nodes = numbers(&animation["nodes"])?;
        for (time, matrices) in numbers(&animation["times"])?.into_iter().zip(list(&animation["matrices"])?) {
            let locals: Vec<Trs> =
                motion.tracks.iter().zip(&skeleton.joints).map(|(t, j)| t.sample(time, j.rest)).collect();
            let models = model_matrices(skeleton, &locals);
            *poses += 1;
            for (node, matrix) in nodes.iter().zip(list(matrices)?) {
                let Some(joint) = places.get(*node as usize).copied().flatten() else { continue };
                let m = numbers(matrix)?;
                let size = m.iter().fold(1.0_f64, |size, v| larger(size, v.abs()));
                for (ours, theirs) in models[joint].columns.iter().zip(m.chunks(4)) {
                    let error = (*ours - V3::new(theirs[0], theirs[1], theirs[2])).length() / size;
                    ensure!(
                        error <= 100.0 * TOLERANCE,
                        "{:?} at {time} s: node {node} is {error:e} off",
                        motion.name
                    );
                    worst = if error > worst { error } else { worst };
                }
            }
        }
    }
    Ok(worst)
}

/// The joint of every node, by the rule that the reference has too.
fn joints(file: &Path) -> Result<Vec<Option<usize>>> {
    let reference =
        lissom_testkit::gltf::Reference::open(&fs::read(file)?, |_| None).map_err(|e| anyhow!(e))?;
    let mut out = vec![None; reference.nodes()];
    for (joint, node) in reference.skeleton().into_iter().enumerate() {
        out[node] = Some(joint);
    }
    Ok(out)
}

fn list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().context("not a list")
}

fn numbers(value: &Value) -> Result<Vec<f64>> {
    list(value)?.iter().map(|v| v.as_f64().context("not a number")).collect()
}
