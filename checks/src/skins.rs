//! What people see: the vertices of every glTF file in its own motion and in the cooked one, at random times.
//!
//! Where the source has a vertex is said by the specification alone ([`Reference`]); where the clip has it, by the same
//! surface with the matrices that the archive's clip gives its joints. The cooker and its measure have no part in it.

use crate::files;
use anyhow::{Context, Result, anyhow, ensure};
use lissom::{
    Skeleton,
    archive::{Archive, ArchiveView, Limits, NodeView, SectionKind},
    clip::Cursor,
    job::{SampleJob, SampleTime},
    math::soa,
};
use lissom_build::{
    exact::{M34, Trs},
    import::{self, ImportOptions},
    pipeline::{Input, Options, Plan, serial, unwatched},
};
use lissom_testkit::{
    gltf::{Matrix, Reference, Surface},
    rng::Rng,
};
use std::{fs, path::Path};

/// Files of `assets` and `defects` with a surface that moves, and their clips.
const FILES: usize = 60;
const CLIPS: usize = 100;
const TIMES: usize = 200;
/// Clips of a file, and times of a clip, where all would take long.
const FEW: usize = 2;
/// 0.1 mm, or this part of the height where that is more.
const PRECISION: f64 = 1e-4;
const OF_HEIGHT: f64 = 1e-5;
/// At times that the cooker does not look at.
const ALLOWED: f64 = 1.01;

#[derive(Default)]
struct Sums {
    files: usize,
    clips: usize,
    poses: usize,
    vertices: usize,
    weights: usize,
    exempt: usize,
    above: usize,
    unread: usize,
    worst: f64,
    place: String,
}

/// A few clips of every file.
pub fn run(folder: &Path) -> Result<()> {
    look(folder, FEW)
}

/// Every clip of every file.
pub fn every(folder: &Path) -> Result<()> {
    look(folder, usize::MAX)
}

fn look(folder: &Path, clips: usize) -> Result<()> {
    let files = files::of_both(folder, files::ends(&["gltf", "glb", "vrm"]))?;
    let (all, failures) = files::look(&files, |file, own| one(file, clips, own), Sums::add);
    println!(
        "skins: {} files read, {} with surfaces that move, {} clips, {} poses, {} vertices, {} morph weights: the worst is {:.4} of the \
         precision ({}), {} poses above 1.00; {} poses exempt (half turns and steps); {} files that the reference \
         cannot read",
        files.len(),
        all.files,
        all.clips,
        all.poses,
        all.vertices,
        all.weights,
        all.worst,
        all.place,
        all.above,
        all.exempt,
        all.unread
    );
    ensure!(failures.is_empty(), "{} files failed:\n  {}", failures.len(), failures.join("\n  "));
    ensure!(all.files >= FILES, "{} files, but at least {FILES} are needed", all.files);
    ensure!(all.clips >= CLIPS, "{} clips, but at least {CLIPS} are needed", all.clips);
    Ok(())
}

impl Sums {
    fn add(&mut self, own: Self) {
        self.files += own.files;
        self.clips += own.clips;
        self.poses += own.poses;
        self.vertices += own.vertices;
        self.weights += own.weights;
        self.exempt += own.exempt;
        self.above += own.above;
        self.unread += own.unread;
        if own.worst > self.worst {
            (self.worst, self.place) = (own.worst, own.place);
        }
    }
}

fn one(file: &Path, clips: usize, sums: &mut Sums) -> Result<()> {
    // Which files are refused, and why, is the matter of another check.
    let Ok(scene) = import::open(file, &ImportOptions::default()) else { return Ok(()) };
    let beside = file.parent().unwrap_or(Path::new("."));
    let plain = |uri: &str| fs::read(beside.join(uri.replace("%20", " "))).ok();
    let reference = Reference::open(&fs::read(file)?, plain).map_err(|e| anyhow!(e))?;
    if reference.animations() == 0 || scene.skeletons.is_empty() {
        return Ok(());
    }
    let mut surfaces = Vec::new();
    for node in 0..reference.nodes() {
        for (primitive, _) in reference.surfaces(node) {
            match reference.surface(node, primitive) {
                Ok(surface) => surfaces.push(Shown { node, surface, tracks: Vec::new() }),
                // Packed.
                Err(_) => {
                    sums.unread = 1;
                    return Ok(());
                }
            }
        }
    }
    if surfaces.is_empty() {
        return Ok(());
    }
    let wanted: Vec<String> = (0..scene.animations.len().min(clips)).map(|i| i.to_string()).collect();
    let plan = Plan::new(Options { clips: wanted.clone(), ..Options::default() })?;
    let cooked = plan.cook(&[Input::file(file)], &serial, &mut unwatched)?;
    let report = cooked.inputs.into_iter().next().context("no report")??;
    let archive = Archive::read(&cooked.archive.context("no archive")?)?;
    let height = report.height_m.unwrap_or(0.0);
    let precision = if height * OF_HEIGHT > PRECISION { height * OF_HEIGHT } else { PRECISION };
    name_tracks(&archive, &mut surfaces)?;
    sums.files = 1;
    for (index, clip) in report.clips.iter().enumerate() {
        let seen = Seen { reference: &reference, surfaces: &surfaces, archive: &archive, precision };
        seen.clip(file, index, &clip.name, sums).with_context(|| format!("clip {:?}", clip.name))?;
    }
    Ok(())
}

/// A surface of the source, and what its morph weights are called in the archive.
struct Shown {
    node: usize,
    surface: Surface,
    /// Without the clip's name, one a target.
    tracks: Vec<String>,
}

/// The meshes of the archive are the surfaces of the file, in its order.
fn name_tracks(archive: &Archive, surfaces: &mut [Shown]) -> Result<()> {
    let meshes: Vec<&str> = archive.meshes().map(|(name, _)| name).collect();
    ensure!(meshes.len() == surfaces.len(), "{} meshes for {} surfaces", meshes.len(), surfaces.len());
    for (mesh, shown) in meshes.iter().zip(surfaces) {
        let own = archive
            .morphs()
            .filter(|(m, _)| archive.owner(SectionKind::Mesh, m).is_some_and(|(of, _)| of == *mesh));
        shown.tracks = own.map(|(morph, _)| format!("morph/{morph}")).collect();
        let (found, targets) = (shown.tracks.len(), shown.surface.targets());
        ensure!(found == targets, "mesh {mesh:?}: {found} morph targets, not {targets}");
    }
    Ok(())
}

impl Shown {
    /// The weights that the archive has at this ratio of a clip; those of the source where it has no track.
    fn weights(&self, archive: &Archive, clip: &str, ratio: f64, source: &[f64]) -> Result<Vec<f64>> {
        let names: Vec<&str> = archive.names(SectionKind::Track).collect();
        let mut out = source.to_vec();
        for (track, weight) in self.tracks.iter().zip(&mut out) {
            let name = format!("{clip}/{track}");
            if names.contains(&name.as_str()) {
                let value = archive.track(&name)?.view().sample(ratio).as_float();
                *weight = value.context("a weight is one number")?.into();
            }
        }
        Ok(out)
    }
}

/// One file, seen from both sides.
struct Seen<'a> {
    reference: &'a Reference,
    surfaces: &'a [Shown],
    archive: &'a Archive,
    precision: f64,
}

impl Seen<'_> {
    fn clip(&self, file: &Path, index: usize, name: &str, sums: &mut Sums) -> Result<()> {
        let clip = self.archive.clip(name)?;
        let skeleton = self.archive.skeleton_of(&clip)?;
        let nodes = self.nodes(&skeleton)?;
        let exempt = self.reference.exempt(index).map_err(|e| anyhow!(e))?;
        let mut rng = Rng::new(index as u64 + 1);
        let mut cursor = Cursor::new();
        let mut pose = skeleton.rest_pose().to_vec();
        let duration_s = clip.view().duration_s();
        sums.clips += 1;
        for _ in 0..TIMES {
            let time_s = rng.unit_f64() * duration_s;
            if exempt.iter().any(|(from, to)| time_s > *from && time_s < *to) {
                sums.exempt += 1;
                continue;
            }
            let source = self.reference.pose(Some(index), time_s).map_err(|e| anyhow!(e))?;
            let (clip, time) = (clip.view(), SampleTime::Clamped(time_s));
            SampleJob { skeleton: &skeleton, clip, time, lod: None, cursor: &mut cursor, output: &mut pose }
                .run()?;
            // Nodes that are no joints move no vertices.
            let mut played = source.clone();
            let mut models: Vec<M34> = Vec::with_capacity(nodes.len());
            for (joint, node) in nodes.iter().enumerate() {
                let local = Trs::from_f32(soa::lane(&pose, joint)).to_m34();
                models.push(skeleton.parent(joint).map_or(local, |p| models[p].mul(&local)));
                played[*node] = matrix(&models[joint]);
            }
            let mut worst = (0.0, 0);
            for surface in self.surfaces {
                let weights = self.reference.weights(index, surface.node, time_s).map_err(|e| anyhow!(e))?;
                let weights = weights.unwrap_or_else(|| vec![0.0; surface.surface.targets()]);
                let kept = surface.weights(self.archive, name, time_s / duration_s, &weights)?;
                sums.weights += kept.len();
                let (node, surface) = (&surface.node, &surface.surface);
                let (here, there) = (surface.vertices(&source, &weights), surface.vertices(&played, &kept));
                sums.vertices += here.len();
                for (vertex, (a, b)) in here.iter().zip(&there).enumerate() {
                    let off: f64 = (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum();
                    // What is not a number is never a small error.
                    if off.is_nan() || off.sqrt() > worst.0 {
                        worst = (off.sqrt(), surface.node_of(vertex).unwrap_or(*node));
                    }
                }
            }
            sums.poses += 1;
            let (error, node) = (worst.0 / self.precision, worst.1);
            sums.above += usize::from(error > 1.0);
            let place = || {
                let joint = &self.reference.json()["nodes"][node]["name"];
                format!("{}, {name:?} at {time_s:.4} s, joint {joint}", file.display())
            };
            ensure!(error <= ALLOWED, "{error:.4} of the precision: {}", place());
            if error > sums.worst {
                (sums.worst, sums.place) = (error, place());
            }
        }
        Ok(())
    }

    /// The node of every joint, by what the archive says.
    fn nodes(&self, skeleton: &Skeleton) -> Result<Vec<usize>> {
        let mut all = self.archive.skeletons();
        let own = all.find(|(_, s)| s.as_ref().is_ok_and(|s| s.identity() == skeleton.identity()));
        let (name, _) = own.context("the archive has no such skeleton")?;
        let view = ArchiveView::read(self.archive.bytes(), &Limits::default())?;
        let index = |n: &NodeView<'_>| n.index.map(|i| i as usize).context("a joint that was no node");
        view.nodes(name)?.iter().map(index).collect()
    }
}

fn matrix(m: &M34) -> Matrix {
    let [x, y, z, t] = m.columns;
    [x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0]
}
