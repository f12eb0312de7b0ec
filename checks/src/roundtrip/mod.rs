//! Every glTF file through import, archive and export, and imported again.
//!
//! - What comes out has the materials, images, texture coordinates, colours, morph targets and names of the source, and
//!   its nodes where the source has them ([`compare`]): both are read by code that shares nothing with importer and exporter.
//! - The Khronos validator finds no error in it, if Node and the package are there.
//! - Imported again its clips are within the precision and hardly larger.

mod compare;
mod document;

use crate::{files, validator::Validator};
use anyhow::{Context, Result, ensure};
use document::File;
use lissom::archive::{AlignedBytes, ArchiveView, Limits, SectionKind};
use lissom_build::{
    export::write_glb,
    import::{self, ImportLimits, ImportOptions, lsm},
    pipeline::{Cooked, Input, Options, Plan, Report, serial, unwatched},
};
use std::{fs, path::Path};

/// Files of `assets` and `defects`, and what is compared in them.
const FILES: usize = 160;
const MATERIALS: usize = 400;
const IMAGES: usize = 80;
const SETS: usize = 400;
const MORPHS: usize = 70;
const POSES: usize = 1900;
/// Clips of a file where all would take long.
const FEW: usize = 1;
/// An export imported again is at most this much larger, clips and tracks together.
const LARGER: f64 = 1.05;
/// What few bytes hold may grow by a table's padding.
const PADDING: u64 = 64;
/// Files whose few keys turn far or bend much: what is within the precision of them is no longer as smooth as they are,
/// and takes this many more keys.
const ROUGHER: [(&str, f64); 4] = [
    ("Alien.gltf", 1.17),
    ("01_cs_translate.gltf", 1.35),
    ("03_all_animations.gltf", 1.45),
    ("RecursiveSkeletons.", 1.15),
];

#[derive(Default)]
struct Sums {
    files: usize,
    refused: usize,
    materials: usize,
    images: usize,
    /// Images that the source names and nobody has: their textures come back without.
    lost_images: usize,
    sets: usize,
    unread: usize,
    morphs: usize,
    names: usize,
    /// Clips whose name says nothing, which are called after their file.
    renamed: usize,
    poses: usize,
    worst_pose: Worst,
    clips: usize,
    bytes: u64,
    bytes_again: u64,
    larger: Worst,
}

/// A figure, and where it was found.
#[derive(Default)]
struct Worst(f64, String);

impl Worst {
    fn take(&mut self, figure: f64, place: impl FnOnce() -> String) {
        // What is not a number is never a small one.
        if figure.is_nan() || figure > self.0 {
            *self = Self(figure, place());
        }
    }
}

impl Sums {
    fn add(&mut self, own: Self) {
        self.files += own.files;
        self.refused += own.refused;
        self.materials += own.materials;
        self.images += own.images;
        self.lost_images += own.lost_images;
        self.sets += own.sets;
        self.unread += own.unread;
        self.morphs += own.morphs;
        self.names += own.names;
        self.renamed += own.renamed;
        self.poses += own.poses;
        self.clips += own.clips;
        self.bytes += own.bytes;
        self.bytes_again += own.bytes_again;
        for (mine, theirs) in [(&mut self.worst_pose, own.worst_pose), (&mut self.larger, own.larger)] {
            mine.take(theirs.0, || theirs.1);
        }
    }
}

/// A clip of every file.
pub fn run(folder: &Path) -> Result<()> {
    look(folder, FEW)
}

/// Every clip of every file.
pub fn every(folder: &Path) -> Result<()> {
    look(folder, usize::MAX)
}

fn look(folder: &Path, clips: usize) -> Result<()> {
    let files = files::of_both(folder, files::ends(&["gltf", "glb", "vrm", "vrma"]))?;
    let validator = Validator::find("roundtrip")?;
    let (sums, failures) =
        files::look(&files, |file, own| one(file, clips, validator.as_ref(), own), Sums::add);
    println!(
        "roundtrip: {} files ({} refused by the importer): {} materials, {} images ({} of the source are not there), \
         {} lists of texture coordinates and colours ({} parts more are packed), {} morph targets, {} names are as in the \
         source; {} clips are called after their file",
        sums.files,
        sums.refused,
        sums.materials,
        sums.images,
        sums.lost_images,
        sums.sets,
        sums.unread,
        sums.morphs,
        sums.names,
        sums.renamed
    );
    println!(
        "  {} poses, the worst {:.4} of the precision ({})",
        sums.poses, sums.worst_pose.0, sums.worst_pose.1
    );
    println!(
        "  imported again: {} clips within the precision, {} bytes became {}; the largest growth of a kilobyte or more is {:.4} ({}), but for {} files that are named",
        sums.clips,
        sums.bytes,
        sums.bytes_again,
        sums.larger.0,
        sums.larger.1,
        ROUGHER.len()
    );
    if let Some(validator) = &validator {
        println!("  {} files without an error of the validator", validator.run()?);
    }
    ensure!(failures.is_empty(), "{} files differ:\n  {}", failures.len(), failures.join("\n  "));
    for (what, found, least) in [
        ("files", sums.files, FILES),
        ("materials", sums.materials, MATERIALS),
        ("images", sums.images, IMAGES),
        ("lists", sums.sets, SETS),
        ("morph targets", sums.morphs, MORPHS),
        ("poses", sums.poses, POSES),
    ] {
        ensure!(found >= least, "{found} {what}, but at least {least} are needed");
    }
    Ok(())
}

fn one(file: &Path, clips: usize, validator: Option<&Validator>, sums: &mut Sums) -> Result<()> {
    let Ok(scene) = import::open(file, &ImportOptions::default()) else {
        // Which files are refused, and why, is the matter of another check.
        sums.refused = 1;
        return Ok(());
    };
    if scene.skeletons.is_empty() {
        return Ok(());
    }
    let wanted = scene.animations.len().min(clips);
    let clips = if wanted == scene.animations.len() {
        Vec::new()
    } else {
        (0..wanted).map(|i| i.to_string()).collect()
    };
    let plan = Plan::new(Options { clips, ..Options::default() })?;
    let (first, archive) = cook(&plan, &Input::file(file))?;
    let exported = write_glb(&lsm::read(&archive, &ImportLimits::default())?)?;
    let beside = file.parent().unwrap_or(Path::new("."));
    let source = File::open(&fs::read(file)?, beside)?;
    let result = File::open(&exported, beside)?;
    sums.files = 1;
    compare::all(file, &source, &result, wanted, sums)?;
    if source.doc.animations() == scene.animations.len() {
        let height_m = first.height_m.unwrap_or(0.0);
        compare::poses(&source, &result, height_m, sums).context("poses")?;
    }
    if let Some(validator) = validator {
        validator.keep(file, &exported)?;
    }

    let plan = Plan::new(Options::default())?;
    let (second, again) = cook(&plan, &Input::bytes("again.glb", &exported)).context("imported again")?;
    ensure!(
        second.clips.len() == first.clips.len(),
        "{} clips became {}",
        first.clips.len(),
        second.clips.len()
    );
    for clip in &second.clips {
        ensure!(clip.cook.within, "imported again: clip {:?} is above its precision", clip.name);
    }
    sums.clips = second.clips.len();
    (sums.bytes, sums.bytes_again) = (motion_bytes(&archive)?, motion_bytes(&again)?);
    let name = file.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let rougher = ROUGHER.iter().find(|(start, _)| name.starts_with(start));
    let allowed = rougher
        .map_or((sums.bytes as f64 * LARGER) as u64 + PADDING, |(_, most)| (sums.bytes as f64 * most) as u64);
    ensure!(sums.bytes_again <= allowed, "imported again: {} bytes became {}", sums.bytes, sums.bytes_again);
    if sums.bytes > 1000 && rougher.is_none() {
        sums.larger.take(sums.bytes_again as f64 / sums.bytes as f64, || file.display().to_string());
    }
    Ok(())
}

/// What was said of the only input, and the archive.
fn cook(plan: &Plan, input: &Input<'_>) -> Result<(Report, Vec<u8>)> {
    let Cooked { archive, inputs, .. } = plan.cook(std::slice::from_ref(input), &serial, &mut unwatched)?;
    let report = inputs.into_iter().next().context("no report")??;
    Ok((report, archive.context("no archive")?))
}

/// Bytes of everything that moves.
fn motion_bytes(archive: &[u8]) -> Result<u64> {
    let bytes = AlignedBytes::copy_of(archive);
    let view = ArchiveView::read(&bytes, &Limits::default())?;
    let moving = |kind| matches!(kind, SectionKind::Clip | SectionKind::Track);
    Ok(view.sections().iter().filter(|s| moving(s.kind)).map(|s| s.payload.len() as u64).sum())
}
