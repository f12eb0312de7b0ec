//! FBX files: poses and skins from what we import against what `ufbx` itself evaluates; and all of it cooks.

use crate::files;
use anyhow::{Context, Result, anyhow, ensure};
use lissom_build::{
    SkeletonBuilder,
    cook::ClipBuilder,
    exact::{M34, V3},
    import::{self, ImportLimits, fbx},
    mesh::model_matrices,
    scene::{Scene, SceneAnimation},
};
use std::{collections::BTreeMap, fs, path::Path, time::Instant};
use ufbx::{CoordinateAxes, EvaluateOpts, LoadOpts, SpaceConversion};

/// Files of `assets/ufbx` and `assets/quaternius-fbx`, and animations in them.
const FILES: usize = 19;
const ANIMATIONS: usize = 19;
/// Times an animation is looked at.
const TIMES: u32 = 20;
/// At keys: rounding, in metres a metre of the scene's size.
const AT_KEYS: f64 = 1e-9;
/// Between keys, where curves were sampled at the frame rate.
const BETWEEN: f64 = 5e-3;
/// One look in this number may differ more: by the letter of the format angles are interpolated one by one, so where a
/// file that has every frame jumps from 180° to -180° on two axes at once, the joint tumbles between two frames.
/// Nobody means that; we go the shorter way.
const TUMBLES: usize = 100;

pub fn run(folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    for name in ["assets/ufbx", "assets/quaternius-fbx"] {
        files.extend(files::below_named(&folder.join(name), &["fbx"])?);
    }
    let mut sum = Worst::default();
    let mut animations = 0;
    for path in &files {
        let start = Instant::now();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = fs::read(path)?;
        let scene = read(path, &bytes).with_context(|| path.display().to_string())?;
        let seconds = start.elapsed().as_secs_f64();
        let here = compare(&bytes, &scene).with_context(|| path.display().to_string())?;
        let joints = scene.skeletons.first().map_or(0, |s| s.skeleton.joints.len());
        println!(
            "  {name}: {joints} joints, {} animations, {} meshes, {} morphs, {} warnings, {seconds:.2} s; worst at \
             keys {:.1e}, between {:.1e}, skin {:.1e}",
            scene.animations.len(),
            scene.meshes.len(),
            scene.meshes.iter().map(|m| m.morphs.len()).sum::<usize>(),
            scene.warnings.len(),
            here.at_keys,
            here.between,
            here.skin,
        );
        for warning in &scene.warnings {
            println!("    {warning}");
        }
        for animation in &scene.animations {
            let skeleton = scene.skeletons.first().context("a skeleton")?;
            let built = SkeletonBuilder::build(&skeleton.skeleton)?;
            let cooked = ClipBuilder::default().build(&built, &animation.motion);
            cooked.with_context(|| format!("{}: {:?}", path.display(), animation.motion.name))?;
        }
        animations += scene.animations.len();
        sum.add(&here);
    }
    println!(
        "FBX: {} files read, {animations} animations; worst at keys {:.1e}, between {:.1e} ({} of {} above {BETWEEN}), \
         skin {:.1e} m",
        files.len(),
        sum.at_keys,
        sum.between,
        sum.far,
        sum.looks,
        sum.skin
    );
    ensure!(files.len() >= FILES, "{} files, but at least {FILES} are needed", files.len());
    ensure!(animations >= ANIMATIONS, "{animations} animations, but at least {ANIMATIONS} are needed");
    ensure!(sum.at_keys <= AT_KEYS, "at keys {} is above {AT_KEYS}", sum.at_keys);
    let few = sum.far * TUMBLES <= sum.looks && sum.between <= 0.1;
    ensure!(
        few,
        "between keys {} of {} looks are above {BETWEEN}, the worst {}",
        sum.far,
        sum.looks,
        sum.between
    );
    ensure!(sum.skin <= 1e-5, "a skinned vertex is {} m from where it should be", sum.skin);
    Ok(())
}

/// Textures may stand beside the file.
fn read(path: &Path, bytes: &[u8]) -> Result<Scene> {
    let limits = ImportLimits::default();
    let mut files = |uri: &str| import::read_beside(path, uri, &limits);
    Ok(fbx::read(bytes, &mut files, &limits)?)
}

/// The largest differences, as shares of the scene's size.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    at_keys: f64,
    between: f64,
    skin: f64,
    /// How often it was looked between keys, and how often that was too far off.
    looks: usize,
    far: usize,
}

impl Worst {
    fn add(&mut self, other: &Self) {
        let larger = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
        self.at_keys = larger(self.at_keys, other.at_keys);
        self.between = larger(self.between, other.between);
        self.skin = larger(self.skin, other.skin);
        self.looks += other.looks;
        self.far += other.far;
    }
}

/// Compares with both ways to convert units; the importer takes one of them.
fn compare(bytes: &[u8], scene: &Scene) -> Result<Worst> {
    let by = |conversion| compare_by(bytes, scene, conversion);
    let (a, b) = (by(SpaceConversion::ModifyGeometry)?, by(SpaceConversion::AdjustTransforms)?);
    Ok(if a.at_keys <= b.at_keys { a } else { b })
}

fn compare_by(bytes: &[u8], scene: &Scene, space_conversion: SpaceConversion) -> Result<Worst> {
    let options = LoadOpts {
        geometry_transform_handling: ufbx::GeometryTransformHandling::ModifyGeometry,
        inherit_mode_handling: ufbx::InheritModeHandling::Compensate,
        space_conversion,
        target_axes: CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        generate_missing_normals: true,
        geometry_transform_helper_name: "geometry".into(),
        scale_helper_name: "scale".into(),
        ..LoadOpts::default()
    };
    let file = ufbx::load_memory(bytes, options).map_err(|e| anyhow!("{}", &*e.description))?;
    let mut worst = Worst::default();
    let Some(skeleton) = scene.skeletons.first() else { return Ok(worst) };
    let rest: Vec<_> = skeleton.skeleton.joints.iter().map(|j| j.rest).collect();
    let names: BTreeMap<&str, usize> =
        skeleton.skeleton.joints.iter().enumerate().map(|(i, j)| (j.name.as_str(), i)).collect();
    worst.at_keys = difference(&file, &names, &model_matrices(&skeleton.skeleton, &rest))?;
    worst.skin = skins(&file, scene, &model_matrices(&skeleton.skeleton, &rest), None)?;
    for animation in &scene.animations {
        let stack = file.anim_stacks.into_iter().find(|s| *s.element.name == *animation.motion.name);
        let stack = stack.context("the animation's stack")?;
        for i in 0..TIMES {
            let wanted = animation.motion.duration_s * f64::from(i) / f64::from(TIMES - 1);
            let key = nearest_common_key(animation, wanted);
            for (time, at_key) in [(wanted, false), (key.unwrap_or(wanted), key.is_some())] {
                let options = EvaluateOpts { evaluate_skinning: true, ..EvaluateOpts::default() };
                let at = ufbx::evaluate_scene(&file, &stack.anim, stack.anim.time_begin + time, options)
                    .map_err(|e| anyhow!("{}", &*e.description))?;
                let tracks = animation.motion.tracks.iter().zip(&rest);
                let locals: Vec<_> = tracks.map(|(t, rest)| t.sample(time, *rest)).collect();
                let models = model_matrices(&skeleton.skeleton, &locals);
                let d = difference(&at, &names, &models)?;
                let mut here = if at_key {
                    Worst { at_keys: d, ..Worst::default() }
                } else {
                    let far = d > BETWEEN || d.is_nan();
                    Worst { between: d, looks: 1, far: far.into(), ..Worst::default() }
                };
                if at_key && i % 7 == 0 {
                    here.skin = skins(&at, scene, &models, Some(animation))?;
                }
                worst.add(&here);
            }
        }
    }
    Ok(worst)
}

/// A time near `wanted` that is a key of every channel that changes.
fn nearest_common_key(animation: &SceneAnimation, wanted: f64) -> Option<f64> {
    let mut channels: Vec<Vec<f64>> = Vec::new();
    for track in &animation.motion.tracks {
        channels.push(track.translation.keys.iter().map(|k| k.time_s).collect());
        channels.push(track.rotation.keys.iter().map(|k| k.time_s).collect());
        channels.push(track.scale.keys.iter().map(|k| k.time_s).collect());
    }
    channels.retain(|c| c.len() > 1);
    let has = |c: &Vec<f64>, t: f64| {
        let at = c.partition_point(|k| *k < t - 1e-9);
        c.get(at).is_some_and(|k| (k - t).abs() <= 1e-9)
    };
    let all = channels.first()?.iter().copied().filter(|t| channels.iter().all(|c| has(c, *t)));
    all.min_by(|a, b| (a - wanted).abs().total_cmp(&(b - wanted).abs()))
}

/// The largest distance of origins and axes, of joints whose name is one node's, as a share of the scene's size.
fn difference(file: &ufbx::Scene, names: &BTreeMap<&str, usize>, models: &[M34]) -> Result<f64> {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    file.nodes.into_iter().for_each(|n| *seen.entry(&n.element.name).or_default() += 1);
    let (mut worst, mut size, mut compared) = (0.0_f64, 1e-3_f64, 0);
    for node in file.nodes.into_iter().filter(|n| seen.get(&*n.element.name) == Some(&1)) {
        let Some(joint) = names.get(&*node.element.name) else { continue };
        let theirs = matrix(&node.node_to_world);
        for (a, b) in models[*joint].columns.iter().zip(theirs.columns) {
            let d = (*a - b).length();
            worst = if d > worst || d.is_nan() { d } else { worst };
            size = if b.length() > size { b.length() } else { size };
        }
        compared += 1;
    }
    ensure!(compared > 0, "no joint could be compared");
    Ok(worst / size)
}

/// How far some skinned vertices are from the nearest that `ufbx` has. Meshes with morphs move by those too, and are
/// compared only where nothing moves.
fn skins(
    file: &ufbx::Scene,
    scene: &Scene,
    models: &[M34],
    animation: Option<&SceneAnimation>,
) -> Result<f64> {
    let mut worst = 0.0;
    let with_mesh = file.nodes.into_iter().filter(|n| n.mesh.as_deref().is_some_and(|m| m.num_triangles > 0));
    // Those of one node stand in a row: one for each material.
    let rows: Vec<_> = scene.meshes.chunk_by(|a, b| a.mesh.name == b.mesh.name).collect();
    let pairs: Vec<_> = with_mesh.zip(&rows).collect();
    ensure!(pairs.len() == rows.len(), "{} nodes with a mesh, {} meshes", pairs.len(), rows.len());
    for (node, ours) in pairs {
        if ours.iter().any(|part| !part.morphs.is_empty()) {
            continue;
        }
        let Some(mesh) = node.mesh.as_deref() else { continue };
        // Without an animation nothing was evaluated: the skin does nothing yet.
        let (vertices, local) = if animation.is_some() {
            (&mesh.skinned_position.values, mesh.skinned_is_local)
        } else if mesh.skin_deformers.count == 0 {
            (&mesh.vertices, true)
        } else {
            continue;
        };
        let to_world = matrix(&node.geometry_to_world);
        let skin = mesh.skin_deformers.first().map(|s| &**s);
        let positions: Vec<_> = ours.iter().flat_map(|part| part.mesh.skin(models).0).collect();
        for (vertex, v) in vertices.iter().enumerate().step_by(23) {
            // Of more than four joints we keep four, and a vertex without a face has no counterpart.
            let joints = skin.and_then(|s| s.vertices.get(vertex)).map_or(0, |v| v.num_weights);
            let used = mesh.vertex_first_index.get(vertex).is_some_and(|i| *i != u32::MAX);
            if joints > 4 || !used {
                continue;
            }
            let v = V3::new(v.x, v.y, v.z);
            let v = if local { to_world.mul_point(v) } else { v };
            let distance = |p: &[f32; 3]| (V3::new(p[0].into(), p[1].into(), p[2].into()) - v).length();
            let nearest =
                positions.iter().map(distance).fold(f64::INFINITY, |a, b| if b < a { b } else { a });
            worst = if nearest > worst { nearest } else { worst };
        }
    }
    Ok(worst)
}

fn matrix(m: &ufbx::Matrix) -> M34 {
    M34 {
        columns: [
            V3::new(m.m00, m.m10, m.m20),
            V3::new(m.m01, m.m11, m.m21),
            V3::new(m.m02, m.m12, m.m22),
            V3::new(m.m03, m.m13, m.m23),
        ],
    }
}
