//! From files to one archive: opened, named apart, cooked and packed, whatever the number of threads.

use super::{
    inputs::Input,
    report::{ClipReport, FileReport, Status},
    stamp,
};
use crate::{exactness::Exactness, load::choose, options::one_line, style::millimetres};
use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::{ScenePack, settle_names},
    cook::{ClipBuilder, CookedClip},
    import::{self, ImportOptions},
    scene::Scene,
};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How everything is cooked.
pub(super) struct Recipe {
    pub(super) options: ImportOptions,
    pub(super) cook: ClipBuilder,
    /// The user gave a precision, or a shell: what a file asks for does not count, nor how large a model is.
    pub(super) asked_precision: bool,
    pub(super) asked_shell: bool,
    /// Only these; all if empty.
    pub(super) clips: Vec<String>,
}

/// A file that was opened.
struct Opened {
    stem: String,
    scene: Scene,
    exactness: Exactness,
    height_m: Option<f64>,
    stamp: String,
}

/// A scene, cooked.
struct Cooked {
    skeletons: Vec<BuiltSkeleton>,
    clips: Vec<CookedClip>,
}

/// Cooks inputs into one archive: a report each, and the archive's bytes if any input was taken. The bar counts
/// inputs, and their clips as they become known.
pub(super) fn cook(
    inputs: &[&Input],
    recipe: &Recipe,
    bar: &ProgressBar,
) -> Result<(Vec<FileReport>, Option<Vec<u8>>)> {
    let mut opened: Vec<Result<Opened>> =
        inputs.par_iter().map(|input| guarded(|| open(input, recipe))).collect();
    let scenes = opened.iter_mut().filter_map(|o| o.as_mut().ok());
    settle_names(scenes.map(|o| (o.stem.as_str(), &mut o.scene)));
    let cooked: Vec<Option<Result<Cooked>>> = opened
        .par_iter()
        .map(|opened| {
            let cooked = opened.as_ref().ok().map(|o| guarded(|| cook_scene(o, &recipe.cook, bar)));
            bar.inc(1);
            cooked
        })
        .collect();

    let mut pack = ScenePack::new();
    let mut lines = stamp::head(recipe);
    let mut reports = Vec::with_capacity(inputs.len());
    let mut taken = 0;
    for ((input, opened), cooked) in inputs.iter().zip(opened).zip(cooked) {
        let file = input.path.display().to_string();
        let both = match (opened, cooked) {
            (Ok(opened), Some(Ok(cooked))) => Ok((opened, cooked)),
            (Err(error), _) => Err(error),
            (Ok(_), Some(Err(error))) => Err(error.context(file.clone())),
            (Ok(_), None) => bail!("{file}: it was not cooked"),
        };
        let added = both.and_then(|(opened, cooked)| {
            let report = report(file.clone(), &opened, &cooked);
            let clips = cooked.clips.into_iter().map(|c| c.bytes).collect();
            pack.add(&opened.stem, &opened.scene, &cooked.skeletons, clips).with_context(|| file.clone())?;
            lines.push_str(&opened.stamp);
            Ok(report)
        });
        match added {
            Ok(report) => {
                taken += 1;
                reports.push(report);
            }
            Err(error) => reports.push(FileReport::refused(file, one_line(&error))),
        }
    }
    if taken == 0 {
        return Ok((reports, None));
    }
    pack.carry(stamp::KIND, stamp::VERSION, 0, stamp::NAME, lines.as_bytes())?;
    Ok((reports, Some(pack.finish().finish()?)))
}

/// A defect of ours in one file does not take the others along.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            bail!("internal error, please report it: {}", text.unwrap_or_default())
        }
    }
}

fn open(input: &Input, recipe: &Recipe) -> Result<Opened> {
    let bytes = import::read_limited(&input.path, recipe.options.limits.max_bytes)?;
    let mut others = Vec::new();
    let mut note = |uri: &str, bytes: &[u8]| others.push((uri.to_owned(), stamp::hash(bytes)));
    let mut scene = import::open_noting(&input.path, &recipe.options, &mut note)?;
    let stem = import::stem(&input.path);
    let name = || input.path.display().to_string();
    if scene.skeletons.is_empty() && scene.tracks.is_empty() && scene.animations.is_empty() {
        bail!("{}: there is no skeleton, motion or track in this file", name());
    }
    if let Some(lost) = scene.animations.iter().find(|a| a.skeleton.is_none()) {
        let clip = &lost.motion.name;
        bail!("{}: clip {clip:?} has no skeleton in this file; name one with --skeleton FILE", name());
    }
    if !recipe.clips.is_empty() {
        keep_clips(&mut scene, &stem, &recipe.clips);
    }
    let height_m = scene.height();
    let (asked_precision, asked_shell) = (recipe.asked_precision, recipe.asked_shell);
    let exactness = Exactness { asked_precision, asked_shell, ..Exactness::of(height_m) };
    if let Some(height) = height_m.filter(|_| exactness.grown() > 1.0) {
        let precision = millimetres(exactness.builder(&recipe.cook).precision);
        let text = format!(
            "it is {height:.1} m high, so its precision is {precision}; --unit or --precision tell better"
        );
        scene.warn("", text);
    }
    let stamp = stamp::lines(input, &bytes, &others);
    Ok(Opened { stem, scene, exactness, height_m, stamp })
}

/// Leaves only the clips asked for.
fn keep_clips(scene: &mut Scene, stem: &str, wanted: &[String]) {
    let names: Vec<String> = scene.animations.iter().map(|a| a.motion.name.clone()).collect();
    let kept: Vec<usize> = wanted.iter().filter_map(|w| choose(&names, stem, Some(w)).ok()).collect();
    if kept.is_empty() && !names.is_empty() {
        scene.warn("", format!("none of the {} clips asked for is in this file", wanted.len()));
    }
    let mut index = 0;
    scene.animations.retain(|_| {
        index += 1;
        kept.contains(&(index - 1))
    });
}

fn cook_scene(opened: &Opened, cook: &ClipBuilder, bar: &ProgressBar) -> Result<Cooked> {
    let Opened { scene, exactness, .. } = opened;
    let cook = exactness.builder(cook);
    let build = |s: &lissom_build::scene::SceneSkeleton| Ok(SkeletonBuilder::build(&s.skeleton)?);
    let skeletons = scene.skeletons.iter().map(build).collect::<Result<Vec<_>>>()?;
    let clip = |a: &lissom_build::scene::SceneAnimation| {
        let built = a.skeleton.and_then(|s| skeletons.get(s)).context("there is no skeleton")?;
        let cook = ClipBuilder { joints: exactness.joints(a, built), ..cook.clone() };
        let cooked = cook.build(built, &a.motion).with_context(|| format!("clip {:?}", a.motion.name));
        bar.inc(1);
        cooked
    };
    bar.inc_length(scene.animations.len() as u64);
    let clips: Vec<Result<CookedClip>> = scene.animations.par_iter().map(clip).collect();
    Ok(Cooked { clips: clips.into_iter().collect::<Result<_>>()?, skeletons })
}

fn report(file: String, opened: &Opened, cooked: &Cooked) -> FileReport {
    let scene = &opened.scene;
    let clip = |(a, c): (&lissom_build::scene::SceneAnimation, &CookedClip)| ClipReport {
        name: a.motion.name.clone(),
        seconds: a.motion.duration_s,
        raw_bytes: Some(c.report.raw_bytes),
        cooked_bytes: c.bytes.len() as u64,
        worst_error_m: Some(c.report.error.worst()),
    };
    let mut report = FileReport {
        file,
        status: Status::Imported,
        joints: scene.skeletons.iter().map(|s| s.skeleton.joints.len()).sum(),
        clips: scene.animations.iter().zip(&cooked.clips).map(clip).collect(),
        meshes: scene.meshes.len(),
        vertices: scene.meshes.iter().map(|m| m.mesh.positions.len()).sum(),
        tracks: scene.tracks.len() + scene.animations.iter().map(|a| a.tracks.len()).sum::<usize>(),
        height_m: opened.height_m,
        warnings: scene.warnings.iter().map(ToString::to_string).collect(),
        ..FileReport::default()
    };
    report.sum();
    report
}
