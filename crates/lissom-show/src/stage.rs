//! What the showing commands work on, whatever file it came from: an archive, one skeleton of it, and its clips.

use crate::source::{Content, Source, StreamFile, archived_clip, still};
use anyhow::{Context, Result};
use lissom::{
    Clip, Skeleton,
    archive::{Archive, Mesh},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::settle_names,
    cook::{ClipBuilder, CookReport, JointPoints, ShellSpace},
    import::{self, ImportOptions},
    mannequin::{self, Detail, Motion},
    pipeline::{self, ScenePrecision},
    raw::{RawAnimation, RawSkeleton},
    scene::{Scene, SceneAnimation},
};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// One skeleton and what belongs to it.
pub struct Stage {
    /// The file's stem, or `mannequin`.
    pub name: String,
    /// The file itself, or what was cooked of it.
    pub archive: Archive,
    /// What moves.
    pub skeleton: Arc<Skeleton>,
    /// What follows it.
    pub meshes: Vec<Mesh>,
    /// Clips of the archive. None if the motions are authored or a stream.
    pub clips: Vec<StageClip>,
    /// Where its motions come from.
    pub motions: Motions,
    /// What was odd about the file, or guessed.
    pub warnings: Vec<String>,
}

/// Where the motions that are shown come from.
pub enum Motions {
    /// The file is an archive; its clips are shown.
    Archive,
    /// The clips were cooked here.
    Cooked(Cooked),
    /// The file's own motions are shown; nothing was cooked.
    Authored {
        /// The motions.
        animations: Vec<SceneAnimation>,
        /// The skeleton as authored.
        skeleton: RawSkeleton,
        /// Which joint of that skeleton each joint is.
        raw_of_joint: Vec<usize>,
    },
    /// The file is a stream of one clip.
    Stream {
        /// Its name.
        name: String,
        /// Its bytes.
        file: Arc<StreamFile>,
    },
}

/// How the clips of a stage were cooked.
pub struct Cooked {
    /// The skeleton as authored.
    pub skeleton: RawSkeleton,
    /// The largest error allowed, in metres.
    pub precision: f64,
    /// How far from each joint that error is measured.
    pub shell: f64,
    /// Where the error of each joint was measured.
    pub points: Vec<JointPoints>,
}

/// A clip, and what it was cooked from if that is known.
pub struct StageClip {
    /// The clip's name.
    pub name: String,
    /// What is played.
    pub clip: Clip,
    /// `None` if it was cooked elsewhere.
    pub source: Option<CookedFrom>,
}

/// What a clip was cooked from.
pub struct CookedFrom {
    /// As authored.
    pub animation: RawAnimation,
    /// What the cooker measured.
    pub report: CookReport,
}

impl Stage {
    /// Opens a file for showing. The clip asked for comes first, after it up to `count` in all of the same skeleton, in
    /// file order and round again. A file without clips has none; asking for one of them is an error.
    pub fn open(path: &Path, clip: Option<&str>, options: &ImportOptions, count: usize) -> Result<Self> {
        Self::open_as(path, clip, options, count, Self::of_scene)
    }

    /// The same, but an authored file stays as it is: nothing is cooked.
    pub fn open_authored(
        path: &Path,
        clip: Option<&str>,
        options: &ImportOptions,
        count: usize,
    ) -> Result<Self> {
        Self::open_as(path, clip, options, count, Self::of_source)
    }

    fn open_as(
        path: &Path,
        clip: Option<&str>,
        options: &ImportOptions,
        count: usize,
        of_scene: fn(String, Scene, Option<usize>, usize) -> Result<Self>,
    ) -> Result<Self> {
        let file = Source::open_alone(path, options)?;
        let any = !file.clip_names().is_empty();
        let chosen = if any || clip.is_some() { Some(file.choose_clip(clip)?) } else { None };
        let name = import::stem(path);
        if let Content::Stream(stream) = &file.content {
            return Self::of_stream(name, &file, stream, options);
        }
        let stage = match file.content {
            Content::Archive(archive) => Self::of_archive(name, archive, chosen, count),
            Content::Scene(scene) => {
                let warnings = scene.warnings.iter().map(ToString::to_string).collect();
                of_scene(name, *scene, chosen, count).map(|stage| Self { warnings, ..stage })
            }
            Content::Stream(_) => unreachable!("a stream was told apart above"),
        };
        stage.with_context(|| path.display().to_string())
    }

    /// As [`Stage::open`], for what needs a clip that is all there.
    pub fn open_whole(
        path: &Path,
        clip: Option<&str>,
        options: &ImportOptions,
        count: usize,
    ) -> Result<Self> {
        let stage = Self::open(path, clip, options, count)?;
        if matches!(stage.motions, Motions::Stream { .. }) {
            return Source::refuse_stream(path);
        }
        Ok(stage)
    }

    /// The mannequin with these motions, and how they are cooked; `each` is called after each of them.
    pub fn mannequin(
        motions: &[Motion],
        detail: &Detail,
        builder: &ClipBuilder,
        each: impl Fn() + Sync,
    ) -> Result<Self> {
        let scene = mannequin::scene(motions, detail)?;
        let exactness = (builder.precision, builder.shell);
        Self::of_cooked("mannequin".into(), scene, 0, &|_, _| builder.clone(), exactness, &each)
    }

    /// The skeleton that is shown, of all that were built, with its animations, the chosen one first.
    fn chosen(scene: &mut Scene, chosen: Option<usize>, count: usize) -> Result<(usize, Vec<BuiltSkeleton>)> {
        let place = match chosen {
            None => 0,
            Some(i) => scene.animations[i].skeleton.with_context(|| {
                let clip = &scene.animations[i].motion.name;
                format!("clip {clip:?} has no skeleton in this file; name one with --skeleton FILE")
            })?,
        };
        scene.skeletons.get(place).context("there is no skeleton in this file")?;
        let built = scene.skeletons.iter().map(|s| SkeletonBuilder::build(&s.skeleton));
        let built = built.collect::<Result<Vec<_>, _>>()?;
        scene.animations.rotate_left(chosen.unwrap_or(0));
        scene.animations.retain(|a| a.skeleton == Some(place));
        scene.animations.truncate(count);
        Ok((place, built))
    }

    fn of_source(name: String, mut scene: Scene, chosen: Option<usize>, count: usize) -> Result<Self> {
        let (place, mut built) = Self::chosen(&mut scene, chosen, count)?;
        // Tracks follow the names of their meshes before they leave.
        settle_names([(name.as_str(), &mut scene)]);
        let animations = std::mem::take(&mut scene.animations);
        let archive = still(&name, &mut scene)?;
        let BuiltSkeleton { skeleton, raw_of_joint, .. } = built.swap_remove(place);
        let raw = scene.skeletons.swap_remove(place).skeleton;
        let motions = Motions::Authored { animations, skeleton: raw, raw_of_joint };
        Self::new(name, archive, Arc::new(skeleton), Vec::new(), motions)
    }

    fn of_scene(name: String, mut scene: Scene, chosen: Option<usize>, count: usize) -> Result<Self> {
        let (place, built) = Self::chosen(&mut scene, chosen, count)?;
        let stated = ScenePrecision::new(scene.height(), false, false);
        let skin = Some(Arc::new(scene.skin(place, &built[place])));
        let builder = ClipBuilder { skin, ..stated.builder(&ClipBuilder::default()) };
        // A file that asks for each joint asks for the same of most: the widest and the farthest stand for all.
        let joints = scene.animations.first().map(|a| stated.joints(a, &built[place])).unwrap_or_default();
        let widest = |v: &mut dyn Iterator<Item = f64>| v.max_by(f64::total_cmp);
        let precision = widest(&mut joints.iter().filter_map(|j| j.precision)).unwrap_or(builder.precision);
        let shell = widest(&mut joints.iter().filter_map(|j| j.shell)).unwrap_or(builder.shell);
        let own = |a: &SceneAnimation, built: &BuiltSkeleton| ClipBuilder {
            joints: stated.joints(a, built),
            ..builder.clone()
        };
        Self::of_cooked(name, scene, place, &own, (precision, shell), &|| {})
    }

    /// Cooks every animation of a scene, all of the skeleton at `place`; `each` is called after each of them.
    fn of_cooked(
        name: String,
        mut scene: Scene,
        place: usize,
        builder: &(dyn Fn(&SceneAnimation, &BuiltSkeleton) -> ClipBuilder + Sync),
        (precision, shell): (f64, f64),
        each: &(dyn Fn() + Sync),
    ) -> Result<Self> {
        settle_names([(name.as_str(), &mut scene)]);
        scene.name.clone_from(&name);
        let executor = |count: usize, task: &(dyn Fn(usize) + Sync)| {
            in_parallel(count, &|i| {
                task(i);
                each();
            });
        };
        let cooked = pipeline::cook_scene_with(&scene, builder, &executor)?;
        let archive = Archive::read(&cooked.archive)?;
        let built = cooked.skeletons.into_iter().nth(place).context("there is no skeleton")?;
        let shells = vec![shell; built.skeleton.joint_count()];
        let skin = scene.skin(place, &built);
        let points = JointPoints::of_skeleton(&built.skeleton, &shells, ShellSpace::Model, Some(&skin));
        let mut clips = Vec::new();
        for (animation, report) in scene.animations.into_iter().zip(cooked.clips) {
            let clip = archive.clip(&report.name)?;
            let source = Some(CookedFrom { animation: animation.motion, report: report.cook });
            clips.push(StageClip { name: report.name, clip, source });
        }
        let skeleton = scene.skeletons.swap_remove(place).skeleton;
        let motions = Motions::Cooked(Cooked { skeleton, precision, shell, points });
        Self::new(name, archive, Arc::new(built.skeleton), clips, motions)
    }

    fn new(
        name: String,
        archive: Archive,
        skeleton: Arc<Skeleton>,
        clips: Vec<StageClip>,
        motions: Motions,
    ) -> Result<Self> {
        let meshes = meshes(&archive, &skeleton)?;
        Ok(Self { name, archive, skeleton, meshes, clips, motions, warnings: Vec::new() })
    }

    fn of_archive(name: String, archive: Archive, chosen: Option<usize>, count: usize) -> Result<Self> {
        let skeleton = match chosen {
            Some(clip) => archive.skeleton_of(&archived_clip(&archive, clip)?.1)?,
            None => archive.skeletons().next().context("there is no skeleton in this file")?.1?,
        };
        let from = chosen.unwrap_or(0);
        let all = archive.clips().skip(from).chain(archive.clips().take(from));
        let mut clips = Vec::new();
        for (name, clip) in all {
            let clip = clip.with_context(|| format!("clip {name:?}"))?;
            if clips.len() < count && clip.view().skeleton_identity() == skeleton.identity() {
                clips.push(StageClip { name: name.to_owned(), clip, source: None });
            }
        }
        Self::new(name, archive, skeleton, clips, Motions::Archive)
    }

    /// The body that `--skeleton` names, and the stream that moves it.
    fn of_stream(
        name: String,
        file: &Source,
        stream: &Arc<StreamFile>,
        options: &ImportOptions,
    ) -> Result<Self> {
        let (archive, skeleton) = file.body_of_stream(stream, options)?;
        let motions = Motions::Stream { name: stream.name(&file.path), file: Arc::clone(stream) };
        Self::new(name, archive, skeleton, Vec::new(), motions)
    }

    /// How its clips were cooked; `None` if that happened elsewhere or not at all.
    pub fn cooked(&self) -> Option<&Cooked> {
        match &self.motions {
            Motions::Cooked(cooked) => Some(cooked),
            Motions::Archive | Motions::Authored { .. } | Motions::Stream { .. } => None,
        }
    }

    /// What the archive calls the skeleton.
    pub fn skeleton_name(&self) -> Result<&str> {
        let mut all = self.archive.skeletons();
        let own = all.find(|(_, s)| s.as_ref().is_ok_and(|s| s.identity() == self.skeleton.identity()));
        Ok(own.context("the skeleton is not in its archive")?.0)
    }

    /// Vertices of all meshes together.
    pub fn vertex_count(&self) -> usize {
        self.meshes.iter().map(|m| m.view().positions.len()).sum()
    }

    /// A joint by name, or by its number.
    pub fn joint(&self, name: &str) -> Result<usize> {
        let by_number = || name.parse().ok().filter(|j| *j < self.skeleton.joint_count());
        self.skeleton.find(name).or_else(by_number).with_context(|| {
            let nearest: Vec<&str> = (0..self.skeleton.joint_count())
                .map(|j| self.skeleton.name(j))
                .filter(|n| n.to_lowercase().contains(&name.to_lowercase()))
                .take(5)
                .collect();
            let hint = if nearest.is_empty() {
                format!("there are {} joints; `lissom inspect` lists them", self.skeleton.joint_count())
            } else {
                format!("there is {}", nearest.join(", "))
            };
            format!("no joint is called {name:?}: {hint}")
        })
    }
}

/// Runs tasks on all threads, for the pipeline.
pub fn in_parallel(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(task);
}

/// The meshes on this skeleton.
fn meshes(archive: &Archive, skeleton: &Skeleton) -> Result<Vec<Mesh>> {
    let mut own = Vec::new();
    for (name, mesh) in archive.meshes() {
        let mesh = mesh.with_context(|| format!("mesh {name:?}"))?;
        let view = mesh.view();
        if view.skeleton_identity == skeleton.identity() && view.inverse_binds.len() == skeleton.joint_count()
        {
            own.push(mesh);
        }
    }
    Ok(own)
}
