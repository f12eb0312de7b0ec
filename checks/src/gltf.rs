//! Every glTF file of a folder imports, or is excused in `gltf-exceptions.txt`. Every animation is compared, at 50
//! times, with an evaluation by the specification that shares no code with the importer: raw, and cooked.

use crate::files;
use anyhow::{Context, Result, anyhow, ensure};
use lissom::{
    clip::{Clip, Cursor},
    job::{SampleJob, SampleTime},
    math::soa,
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::ClipBuilder,
    exact::{M34, Trs, V3, larger},
    import::{ImportLimits, gltf},
    mesh::model_matrices,
    raw::RawSkeleton,
    scene::{Scene, SceneAnimation},
};
use lissom_testkit::gltf::{Matrix, Reference};
use std::{collections::BTreeSet, fs, path::Path, time::Instant};

/// Files of `assets`, and animations in them that the reference can read.
const FILES: usize = 149;
const ANIMATIONS: usize = 300;
const TIMES: usize = 50;
/// Clips of one file that are cooked: Knight.glb alone has 76. Their poses are all compared raw.
const COOKED_A_FILE: usize = 3;
/// Raw poses: the largest number of a matrix times this. Matrices in place of TRS are stored with few digits, and are
/// no exact products of a rotation and a scale.
const RAW: f64 = 1e-11;
const RAW_FROM_MATRICES: f64 = 2e-6;
/// Skinned corners, relative to the largest coordinate: positions and weights are f32.
const SKINNED: f64 = 1e-6;
/// Meshes whose corners are compared, at rest and in the middle of animations.
const SURFACES: usize = 1000;
/// Cubes of Khronos' two files that test meshopt.
const CUBES: usize = 50;
/// Weights from cubics are straight lines.
const WEIGHTS: f64 = 2e-4;
/// 0.1 mm at a shell of 3 cm, in metres.
const PRECISION: f64 = 1e-4;
const SHELL: f64 = 0.03;
/// Longest import that is accepted.
const SECONDS: f64 = 10.0;

const EXCEPTIONS: &str = include_str!("../gltf-exceptions.txt");

#[derive(Default)]
struct Sums {
    imported: usize,
    excused: usize,
    warnings: usize,
    meshes: usize,
    animations: usize,
    unread: usize,
    cooked: usize,
    raw: f64,
    raw_matrices: f64,
    weights: f64,
    skinned: f64,
    surfaces: usize,
    cubes: usize,
    cooked_error: f64,
    doubtful: usize,
    doubtful_error: f64,
    slowest: f64,
}

pub fn run(folder: &Path) -> Result<()> {
    let root = folder.join("assets");
    let files = files::below_named(&root, &["gltf", "glb"])?;
    let (sums, failures) = files::look(&files, |file, own| one(&root, file, own), |all, own| add(all, &own));
    println!(
        "glTF: {} files read, {} imported ({} meshes, {} warnings, slowest {:.2} s), {} excused; {} animations at \
         {TIMES} times: raw {:.1e} (from matrices {:.1e}), weights {:.1e}, {} meshes in poses {:.1e}, {} packed and plain cubes alike; {} cooked (up to {COOKED_A_FILE} a file): \
         {:.3} of the precision ({} with half turns between keys: {:.1}); {} animations that the reference cannot read",
        files.len(),
        sums.imported,
        sums.meshes,
        sums.warnings,
        sums.slowest,
        sums.excused,
        sums.animations,
        sums.raw,
        sums.raw_matrices,
        sums.weights,
        sums.surfaces,
        sums.skinned,
        sums.cubes,
        sums.cooked,
        sums.cooked_error,
        sums.doubtful,
        sums.doubtful_error,
        sums.unread,
    );
    ensure!(failures.is_empty(), "{} files failed:\n  {}", failures.len(), failures.join("\n  "));
    ensure!(files.len() >= FILES, "{} files, but at least {FILES} are needed", files.len());
    ensure!(sums.cubes >= CUBES, "{} cubes, but {CUBES} are needed", sums.cubes);
    ensure!(sums.surfaces >= SURFACES, "{} meshes in poses, but {SURFACES} are needed", sums.surfaces);
    ensure!(sums.animations >= ANIMATIONS, "{} animations, but {ANIMATIONS} are needed", sums.animations);
    Ok(())
}

fn add(all: &mut Sums, own: &Sums) {
    let larger = |a: &mut f64, b: f64| *a = if b > *a { b } else { *a };
    all.imported += own.imported;
    all.excused += own.excused;
    all.warnings += own.warnings;
    all.meshes += own.meshes;
    all.animations += own.animations;
    all.unread += own.unread;
    all.cooked += own.cooked;
    larger(&mut all.raw, own.raw);
    larger(&mut all.raw_matrices, own.raw_matrices);
    larger(&mut all.weights, own.weights);
    larger(&mut all.skinned, own.skinned);
    all.surfaces += own.surfaces;
    all.cubes += own.cubes;
    larger(&mut all.cooked_error, own.cooked_error);
    all.doubtful += own.doubtful;
    larger(&mut all.doubtful_error, own.doubtful_error);
    larger(&mut all.slowest, own.slowest);
}

/// The reason why a file may be refused.
fn excuse(root: &Path, file: &Path) -> Option<&'static str> {
    let name = file.strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
    let lines = EXCEPTIONS.lines().filter(|l| !l.starts_with('#'));
    lines.filter_map(|l| l.split_once('\t')).find(|(path, _)| *path == name).map(|(_, reason)| reason)
}

fn one(root: &Path, file: &Path, sums: &mut Sums) -> Result<()> {
    let bytes = fs::read(file)?;
    let limits = ImportLimits::default();
    let folder = gltf::Folder::of(file, &limits);
    let start = Instant::now();
    let scene = gltf::read(&bytes, &mut |uri| folder.read(uri), &limits);
    sums.slowest = start.elapsed().as_secs_f64();
    ensure!(sums.slowest < SECONDS, "the import took {:.1} s", sums.slowest);
    let scene = match (scene, excuse(root, file)) {
        (Ok(_), Some(reason)) => return Err(anyhow!("it imports, but is excused: {reason}")),
        (Ok(scene), None) => scene,
        (Err(error), Some(reason)) => {
            println!("  {} is refused: {error} ({reason})", file.display());
            sums.excused = 1;
            return Ok(());
        }
        (Err(error), None) => return Err(error.into()),
    };
    sums.imported = 1;
    sums.warnings = scene.warnings.len();
    sums.meshes = scene.meshes.len();
    let Some(skeleton) = scene.skeletons.first().map(|s| &s.skeleton) else { return Ok(()) };
    for mesh in &scene.meshes {
        mesh.mesh.validate(skeleton.joints.len())?;
    }
    if file.to_string_lossy().contains("MeshoptCubeTest") {
        sums.cubes = cubes(&scene)?;
    }
    let built = SkeletonBuilder::build(skeleton)?;
    let beside = file.parent().unwrap_or(root);
    let plain = |uri: &str| fs::read(beside.join(uri.replace("%20", " "))).ok();
    let reference = Reference::open(&bytes, plain).map_err(|e| anyhow!(e))?;
    let nodes = reference.skeleton();
    ensure!(
        nodes.len() == skeleton.joints.len(),
        "{} joints, but {} nodes",
        skeleton.joints.len(),
        nodes.len()
    );
    let rest: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(skeleton, &rest);
    let file = File { reference: &reference, nodes: &nodes, skeleton, built: &built };
    file.compare(&models, &file.reference.pose(None, 0.0).map_err(|e| anyhow!(e))?, sums)
        .context("the rest pose")?;
    file.surfaces(&models, &scene, &file.reference.pose(None, 0.0).map_err(|e| anyhow!(e))?, sums)
        .context("at rest")?;
    ensure!(scene.animations.len() == reference.animations(), "{} animations", scene.animations.len());
    for (index, animation) in scene.animations.iter().enumerate() {
        let name = || format!("animation {index} {:?}", animation.motion.name);
        match file.animation(index, animation, &scene, sums) {
            Ok(Some(())) => sums.animations += 1,
            Ok(None) => sums.unread += 1,
            Err(error) => return Err(error.context(name())),
        }
    }
    Ok(())
}

/// One file, seen from both sides.
struct File<'a> {
    reference: &'a Reference,
    nodes: &'a [usize],
    skeleton: &'a RawSkeleton,
    built: &'a BuiltSkeleton,
}

impl File<'_> {
    /// Matrices of raw joints against those of their nodes.
    fn compare(&self, models: &[M34], world: &[Matrix], sums: &mut Sums) -> Result<()> {
        let (allowed, worst) = if self.reference.has_matrices() {
            (RAW_FROM_MATRICES, &mut sums.raw_matrices)
        } else {
            (RAW, &mut sums.raw)
        };
        for (joint, node) in self.nodes.iter().enumerate() {
            let theirs = affine(&world[*node]);
            let size = theirs.columns.iter().fold(1.0_f64, |size, c| larger(size, c.length()));
            for (a, b) in models[joint].columns.iter().zip(theirs.columns) {
                let error = (*a - b).length() / size;
                *worst = if error > *worst { error } else { *worst };
                ensure!(error <= allowed, "node {node} is {error:e} off");
            }
        }
        Ok(())
    }

    /// One animation; `None` if the reference cannot read it.
    fn animation(
        &self,
        index: usize,
        animation: &SceneAnimation,
        scene: &Scene,
        sums: &mut Sums,
    ) -> Result<Option<()>> {
        let motion = &animation.motion;
        let Ok(last) = self.reference.duration_s(index) else { return Ok(None) };
        ensure!(motion.duration_s == last || last == 0.0, "it lasts {} s, not {last}", motion.duration_s);
        let times: Vec<f64> = (0..TIMES)
            .map(|i| motion.duration_s * (i as f64 + 0.37 * (i % 3) as f64) / TIMES as f64)
            .collect();
        let mut truth = Vec::with_capacity(TIMES);
        for time_s in &times {
            let Ok(world) = self.reference.pose(Some(index), *time_s) else { return Ok(None) };
            let locals: Vec<Trs> = motion
                .tracks
                .iter()
                .zip(&self.skeleton.joints)
                .map(|(t, j)| t.sample(*time_s, j.rest))
                .collect();
            let models = model_matrices(self.skeleton, &locals);
            self.compare(&models, &world, sums).with_context(|| format!("at {time_s} s"))?;
            truth.push(world);
        }
        self.weights(index, animation, scene, &times, sums)?;
        let middle = TIMES / 2;
        let joints = motion.tracks.iter().zip(&self.skeleton.joints);
        let locals: Vec<Trs> = joints.map(|(t, j)| t.sample(times[middle], j.rest)).collect();
        self.surfaces(&model_matrices(self.skeleton, &locals), scene, &truth[middle], sums)?;
        if index < COOKED_A_FILE {
            self.cooked(animation, &times, &truth, sums)?;
            sums.cooked += 1;
        }
        Ok(Some(()))
    }

    /// The corners of all triangles of all meshes in a pose.
    fn surfaces(&self, models: &[M34], scene: &Scene, world: &[Matrix], sums: &mut Sums) -> Result<()> {
        let mut meshes = scene.meshes.iter().map(|m| &m.mesh);
        for node in 0..self.reference.nodes() {
            for (primitive, is_list) in self.reference.surfaces(node) {
                let mesh = meshes.next().with_context(|| format!("the mesh of node {node} is missing"))?;
                if !is_list {
                    continue;
                }
                // What is packed the reference does not read.
                let Ok(corners) = self.reference.corners(node, primitive, world) else { continue };
                ensure!(corners.len() == mesh.indices.len(), "node {node}: {} corners", mesh.indices.len());
                let (positions, _) = mesh.skin(models);
                let size = corners.iter().flatten().fold(1.0_f64, |size, v| larger(size, v.abs()));
                for (index, theirs) in mesh.indices.iter().zip(&corners) {
                    for (a, b) in positions[*index as usize].iter().zip(theirs) {
                        let error = (f64::from(*a) - b).abs() / size;
                        sums.skinned = if error > sums.skinned { error } else { sums.skinned };
                        ensure!(error <= SKINNED, "node {node}: vertex {index} is {error:e} off");
                    }
                }
                sums.surfaces += 1;
            }
        }
        ensure!(meshes.next().is_none(), "there are more meshes than primitives");
        Ok(())
    }

    /// Morph weights, by the names that scene and tracks share.
    fn weights(
        &self,
        index: usize,
        animation: &SceneAnimation,
        scene: &Scene,
        times: &[f64],
        sums: &mut Sums,
    ) -> Result<()> {
        let mut expected = 0;
        for node in 0..self.reference.nodes() {
            for time_s in times {
                let Some(weights) = self.reference.weights(index, node, *time_s).map_err(|e| anyhow!(e))?
                else {
                    break;
                };
                if time_s == &times[0] {
                    expected += weights.len();
                }
                let tracks = animation.tracks.get(expected - weights.len()..).unwrap_or_default();
                for (target, weight) in weights.iter().enumerate() {
                    let Some(track) = tracks.get(target) else { continue };
                    let error = (track.sample(time_s / animation.motion.duration_s)[0] - weight).abs();
                    sums.weights = if error > sums.weights { error } else { sums.weights };
                    ensure!(error <= WEIGHTS, "{} is {error:e} off at {time_s} s", track.name);
                }
            }
        }
        ensure!(
            animation.tracks.len() == expected,
            "{} tracks for {expected} targets",
            animation.tracks.len()
        );
        for track in &animation.tracks {
            track.validate()?;
            let known = scene
                .meshes
                .iter()
                .any(|m| m.morphs.iter().any(|t| track.name == format!("morph/{}/{}", m.mesh.name, t.name)));
            ensure!(
                known || scene.warnings.iter().any(|w| w.text.contains("left out")),
                "{} moves nothing",
                track.name
            );
        }
        Ok(())
    }

    /// The cooked clip, played, against the specification.
    fn cooked(
        &self,
        animation: &SceneAnimation,
        times: &[f64],
        truth: &[Vec<Matrix>],
        sums: &mut Sums,
    ) -> Result<()> {
        let unit = unit(self.nodes, truth);
        let (precision, shell) = (PRECISION * unit, SHELL * unit);
        let cooked =
            ClipBuilder { precision, shell, ..Default::default() }.build(self.built, &animation.motion)?;
        let clip = Clip::from_bytes(&cooked.bytes)?;
        // Between keys half a turn apart both ways round are right; such clips are counted apart.
        let doubtful = cooked.report.error.ambiguous_count > 0;
        sums.doubtful += usize::from(doubtful);
        let (allowed, worst) = if doubtful {
            (1.1 * larger(cooked.report.error.worst_ambiguous / precision, 1.0), &mut sums.doubtful_error)
        } else {
            (1.02, &mut sums.cooked_error)
        };
        ensure!(cooked.report.within, "the cooker says that it missed the precision");
        let skeleton = &self.built.skeleton;
        let (mut cursor, mut pose) = (Cursor::new(), skeleton.rest_pose().to_vec());
        // Lengths of model space: the scale of each axis at rest divided out.
        let mut rests: Vec<M34> = Vec::with_capacity(skeleton.joint_count());
        for joint in 0..skeleton.joint_count() {
            let local = Trs::from_f32(skeleton.rest(joint)).to_m34();
            rests.push(skeleton.parent(joint).map_or(local, |p| rests[p].mul(&local)));
        }
        let axis = |joint: usize, c: usize, unit: V3| {
            let size = rests[joint].columns[c].length();
            unit * (shell / if size > 1e-6 * rests[joint].stretch() { size } else { rests[joint].stretch() })
        };
        for (time_s, world) in times.iter().zip(truth) {
            let (clip, time) = (clip.view(), SampleTime::Clamped(*time_s));
            SampleJob { skeleton, clip, time, lod: None, cursor: &mut cursor, output: &mut pose }.run()?;
            let mut models: Vec<M34> = Vec::with_capacity(skeleton.joint_count());
            for joint in 0..skeleton.joint_count() {
                let local = Trs::from_f32(soa::lane(&pose, joint)).to_m34();
                let model = skeleton.parent(joint).map_or(local, |p| models[p].mul(&local));
                models.push(model);
                let theirs = affine(&world[self.nodes[self.built.raw_of_joint[joint]]]);
                let own = [axis(joint, 0, V3::X), axis(joint, 1, V3::Y), axis(joint, 2, V3::Z), V3::ZERO];
                for point in own.into_iter().filter(|p| p.is_finite()) {
                    let error = (model.mul_point(point) - theirs.mul_point(point)).length() / precision;
                    ensure!(
                        error <= allowed,
                        "cooked, joint {joint} is {error} of the precision off at {time_s} s"
                    );
                    *worst = if error > *worst { error } else { *worst };
                }
            }
        }
        Ok(())
    }
}

/// Khronos' test of meshopt holds one cube stored plainly and packed in all ways there are: all are the same cube,
/// as far as their normals in 8 bits can tell. Returns how many there are.
fn cubes(scene: &Scene) -> Result<usize> {
    let mut first: Option<BTreeSet<[i64; 6]>> = None;
    let mut count = 0;
    for mesh in scene.meshes.iter().map(|m| &m.mesh).filter(|m| m.name.starts_with("Cube_")) {
        let fine = |v: f32| (f64::from(v) * 1e5).round() as i64;
        let coarse = |v: f32| (f64::from(v) * 50.0).round() as i64;
        let corner = |i: &u32| {
            let ([x, y, z], [a, b, c]) = (mesh.positions[*i as usize], mesh.normals[*i as usize]);
            [fine(x), fine(y), fine(z), coarse(a), coarse(b), coarse(c)]
        };
        let corners: BTreeSet<[i64; 6]> = mesh.indices.iter().map(corner).collect();
        let same = first.get_or_insert_with(|| corners.clone()) == &corners && mesh.indices.len() == 36;
        ensure!(same, "{} is not the cube that the first is", mesh.name);
        count += 1;
    }
    Ok(count)
}

/// What a metre is in this file's numbers: 1, or the power of ten that makes the figure smaller than 10.
fn unit(nodes: &[usize], truth: &[Vec<Matrix>]) -> f64 {
    let places = truth.iter().flat_map(|world| nodes.iter().map(|n| affine(&world[*n]).columns[3].length()));
    let size = places.fold(0.0_f64, larger);
    let mut unit = 1.0;
    while size / unit > 10.0 {
        unit *= 10.0;
    }
    unit
}

fn affine(m: &Matrix) -> M34 {
    let column = |c: usize| V3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
    M34 { columns: [column(0), column(1), column(2), column(3)] }
}
