//! What the showing commands work on, whatever file it came from: an archive, one skeleton of it, and its clips.

use crate::commands::render::played::Played;
use crate::options::Reading;
use crate::source::{Content, Source, StreamFile, archived_clip, packed};
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
    pipeline::ScenePrecision,
    raw::{RawAnimation, RawSkeleton},
    scene::{Scene, SceneAnimation},
};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// One skeleton and what belongs to it.
pub(crate) struct Stage {
    /// The file's stem, or `mannequin`.
    pub(crate) name: String,
    /// The file itself, or what was cooked of it.
    pub(crate) archive: Archive,
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) clips: Vec<StageClip>,
    /// What is shown instead of the first clip, if the file is a stream.
    pub(crate) stream: Option<(String, Arc<StreamFile>)>,
    pub(crate) meshes: Vec<Mesh>,
    /// What the clips were cooked from; `None` for archives.
    pub(crate) raw: Option<RawSkeleton>,
    /// What is shown instead of clips, as authored, if nothing was cooked.
    pub(crate) authored: Vec<SceneAnimation>,
    /// Its skeleton, and which raw joint each joint is.
    pub(crate) source: Option<(RawSkeleton, Vec<usize>)>,
    /// How exactly they were cooked, in metres, and how far from each joint that is measured.
    pub(crate) precision: f64,
    pub(crate) shell: f64,
    /// Where the error of each joint was looked at; none for archives.
    pub(crate) points: Vec<JointPoints>,
}

/// A clip, and what it was cooked from if that is known.
pub(crate) struct StageClip {
    pub(crate) name: String,
    pub(crate) clip: Clip,
    pub(crate) source: Option<CookedFrom>,
}

/// What a clip was cooked from.
pub(crate) struct CookedFrom {
    pub(crate) animation: RawAnimation,
    pub(crate) report: CookReport,
}

/// A clip that can be played: of the stage's archive, as authored, or a stream.
#[derive(Clone, Copy)]
pub(crate) enum Playable<'a> {
    Clip(&'a StageClip),
    Source(&'a SceneAnimation),
    Stream(&'a str, &'a StreamFile),
    Graph(&'a Played),
}

impl<'a> Playable<'a> {
    pub(crate) fn name(self) -> &'a str {
        match self {
            Self::Clip(clip) => &clip.name,
            Self::Source(animation) => &animation.motion.name,
            Self::Stream(name, _) => name,
            Self::Graph(played) => &played.name,
        }
    }

    pub(crate) fn duration_s(self) -> f64 {
        match self {
            Self::Clip(clip) => clip.clip.view().duration_s(),
            Self::Source(animation) => animation.motion.duration_s,
            Self::Stream(_, stream) => stream.opened.view().duration_s(),
            Self::Graph(played) => played.seconds,
        }
    }

    pub(crate) fn is_looping(self) -> bool {
        match self {
            Self::Clip(clip) => clip.clip.view().is_looping(),
            Self::Source(animation) => animation.motion.looping,
            Self::Stream(_, stream) => stream.opened.view().is_looping(),
            Self::Graph(_) => false,
        }
    }
}

impl Stage {
    /// Opens a file for showing. The clip asked for comes first, after it up to `count` in all of the same skeleton, in
    /// file order and round again. A file without clips has none; asking for one of them is an error.
    pub(crate) fn open(path: &Path, clip: Option<&str>, reading: &Reading, count: usize) -> Result<Self> {
        Self::open_as(path, clip, reading, count, Self::of_scene)
    }

    /// The same, but an authored file stays as it is: nothing is cooked.
    pub(crate) fn open_authored(
        path: &Path,
        clip: Option<&str>,
        reading: &Reading,
        count: usize,
    ) -> Result<Self> {
        Self::open_as(path, clip, reading, count, Self::of_source)
    }

    fn open_as(
        path: &Path,
        clip: Option<&str>,
        reading: &Reading,
        count: usize,
        of_scene: fn(String, Scene, Option<usize>, usize) -> Result<Self>,
    ) -> Result<Self> {
        let options = reading.options()?;
        let file = Source::open_alone(path, &options)?;
        let any = !file.clip_names().is_empty();
        let chosen = if any || clip.is_some() { Some(file.choose_clip(clip)?) } else { None };
        let name = import::stem(path);
        if let Content::Stream(stream) = &file.content {
            return Self::of_stream(name, &file, stream, &options);
        }
        let stage = match file.content {
            Content::Archive(archive) => Self::of_archive(name, archive, chosen, count),
            Content::Scene(scene) => of_scene(name, *scene, chosen, count),
            Content::Stream(_) => unreachable!("a stream was told apart above"),
        };
        stage.with_context(|| path.display().to_string())
    }

    /// As [`Stage::open`], for what needs a clip that is all there.
    pub(crate) fn open_whole(
        path: &Path,
        clip: Option<&str>,
        reading: &Reading,
        count: usize,
    ) -> Result<Self> {
        let stage = Self::open(path, clip, reading, count)?;
        if stage.stream.is_some() {
            return Source::refuse_stream(path);
        }
        Ok(stage)
    }

    /// The mannequin with these motions, and how they are cooked; `each` is called after each of them.
    pub(crate) fn mannequin(
        motions: &[Motion],
        detail: &Detail,
        builder: &ClipBuilder,
        each: impl Fn() + Sync,
    ) -> Result<Self> {
        let scene = mannequin::scene(motions, detail)?;
        let built = vec![SkeletonBuilder::build(&scene.skeletons[0].skeleton)?];
        let exactness = (builder.precision, builder.shell);
        let builder = |_: &SceneAnimation, _: &BuiltSkeleton| builder.clone();
        Self::of_cooked("mannequin".into(), scene, 0, built, builder, exactness, each)
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
        let authored = std::mem::take(&mut scene.animations);
        let archive = packed(&name, &mut scene, &built, Vec::new())?;
        let BuiltSkeleton { skeleton, raw_of_joint, .. } = built.swap_remove(place);
        let skeleton = Arc::new(skeleton);
        let meshes = meshes(&archive, &skeleton)?;
        let raw = scene.skeletons.swap_remove(place).skeleton;
        let ClipBuilder { precision, shell, .. } = ClipBuilder::default();
        Ok(Self {
            name,
            archive,
            skeleton,
            clips: Vec::new(),
            stream: None,
            meshes,
            raw: None,
            authored,
            source: Some((raw, raw_of_joint)),
            precision,
            shell,
            points: Vec::new(),
        })
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
        Self::of_cooked(name, scene, place, built, own, (precision, shell), || {})
    }

    /// Cooks every animation of a scene, all of the skeleton at `place`, and packs it.
    fn of_cooked(
        name: String,
        mut scene: Scene,
        place: usize,
        built: Vec<BuiltSkeleton>,
        builder: impl Fn(&SceneAnimation, &BuiltSkeleton) -> ClipBuilder + Sync,
        (precision, shell): (f64, f64),
        each: impl Fn() + Sync,
    ) -> Result<Self> {
        let cook = |a: &SceneAnimation| {
            let clip = &a.motion.name;
            let cooked = builder(a, &built[place]).build(&built[place], &a.motion);
            each();
            cooked.with_context(|| format!("cannot cook {clip:?}"))
        };
        let cooked = scene.animations.par_iter().map(cook).collect::<Result<Vec<_>>>()?;
        let (bytes, reports): (Vec<_>, Vec<_>) = cooked.into_iter().map(|c| (c.bytes, c.report)).unzip();
        let archive = packed(&name, &mut scene, &built, bytes)?;
        let points = {
            let shell = vec![shell; built[place].skeleton.joint_count()];
            let skin = scene.skin(place, &built[place]);
            JointPoints::of_skeleton(&built[place].skeleton, &shell, ShellSpace::Model, Some(&skin))
        };
        let mut clips = Vec::new();
        for (animation, report) in scene.animations.into_iter().zip(reports) {
            let (name, animation) = (animation.motion.name.clone(), animation.motion);
            let clip = archive.clip(&name)?;
            clips.push(StageClip { name, clip, source: Some(CookedFrom { animation, report }) });
        }
        let raw = Some(scene.skeletons.swap_remove(place).skeleton);
        let skeleton = Arc::new(built.into_iter().nth(place).context("there is no skeleton")?.skeleton);
        let meshes = meshes(&archive, &skeleton)?;
        Ok(Self {
            name,
            archive,
            skeleton,
            clips,
            stream: None,
            meshes,
            raw,
            authored: Vec::new(),
            source: None,
            precision,
            shell,
            points,
        })
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
        let meshes = meshes(&archive, &skeleton)?;
        let ClipBuilder { precision, shell, .. } = ClipBuilder::default();
        Ok(Self {
            name,
            archive,
            skeleton,
            clips,
            stream: None,
            meshes,
            raw: None,
            authored: Vec::new(),
            source: None,
            precision,
            shell,
            points: Vec::new(),
        })
    }

    /// The body that `--skeleton` names, and the stream that moves it.
    fn of_stream(
        name: String,
        file: &Source,
        stream: &Arc<StreamFile>,
        options: &ImportOptions,
    ) -> Result<Self> {
        let (archive, skeleton) = file.body_of_stream(stream, options)?;
        let stream = Some((stream.name(&file.path), Arc::clone(stream)));
        let meshes = meshes(&archive, &skeleton)?;
        let ClipBuilder { precision, shell, .. } = ClipBuilder::default();
        Ok(Self {
            name,
            archive,
            skeleton,
            clips: Vec::new(),
            stream,
            meshes,
            raw: None,
            authored: Vec::new(),
            source: None,
            precision,
            shell,
            points: Vec::new(),
        })
    }

    /// What the archive calls the skeleton.
    pub(crate) fn skeleton_name(&self) -> Result<&str> {
        let mut all = self.archive.skeletons();
        let own = all.find(|(_, s)| s.as_ref().is_ok_and(|s| s.identity() == self.skeleton.identity()));
        Ok(own.context("the skeleton is not in its archive")?.0)
    }

    /// What there is to show: the stream, the clips, or nothing but the rest pose.
    pub(crate) fn playable(&self) -> impl Iterator<Item = Playable<'_>> {
        let stream = self.stream.iter().map(|(name, s)| Playable::Stream(name, s));
        let authored = self.authored.iter().map(Playable::Source);
        stream.chain(self.clips.iter().map(Playable::Clip)).chain(authored)
    }

    /// Vertices of all meshes together.
    pub(crate) fn vertex_count(&self) -> usize {
        self.meshes.iter().map(|m| m.view().positions.len()).sum()
    }

    /// A joint by name, or by its number.
    pub(crate) fn joint(&self, name: &str) -> Result<usize> {
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
pub(crate) fn in_parallel(count: usize, task: &(dyn Fn(usize) + Sync)) {
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
