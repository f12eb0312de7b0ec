//! A file in memory, as every command takes it: read once, told by its first bytes, its clips chosen by name and played.

use crate::{files::read_input, usage::usage};
use anyhow::{Context, Result, bail};
use lissom::{
    Clip, Cursor, Skeleton,
    archive::{Archive, SectionKind},
    clip::{ClipStream, Played, StreamPlayer, format::stream as stream_format},
    job::{LocalToModelJob, SampleJob, SampleTime},
    math::{
        Mat4,
        soa::{self, SoaTransform},
    },
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::settle_names,
    cook::{ClipBuilder, SkinReach},
    exact::{M34, Trs},
    import::{self, Format, ImportLimits, ImportOptions, ReadOptions, lsm},
    pipeline::{self, did_you_mean, find_clip},
    raw::{RawAnimation, RawSkeleton},
    scene::Scene,
};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a file is.
pub enum Content {
    /// A Lissom archive: cooked.
    Archive(Archive),
    /// One cooked clip that plays while it loads; its skeleton lies elsewhere.
    Stream(Arc<StreamFile>),
    /// Anything else: as authored, in metres, y up.
    Scene(Box<Scene>),
}

/// A file and what is in it.
pub struct Source {
    /// Where it was read.
    pub path: PathBuf,
    /// As people call it.
    pub format: &'static str,
    /// How long the file is.
    pub bytes: u64,
    /// What it says.
    pub content: Content,
}

/// Where a clip's skeleton may lie if not in its file.
const NO_SKELETON: &str = "has no skeleton in this file; name one with --skeleton FILE";

impl Source {
    /// Reads a file of any supported format.
    pub fn open(path: &Path, options: &ImportOptions) -> Result<Self> {
        let bytes = read_input(path, options.limits.max_bytes)?;
        let named = || path.display().to_string();
        let length = bytes.len() as u64;
        let (format, content) = if bytes.starts_with(&stream_format::MAGIC) {
            ("lcs", Content::Stream(Arc::new(StreamFile::new(bytes).with_context(named)?)))
        } else if Format::of_bytes(&bytes) == Some(Format::Lsm) {
            (Format::Lsm.name(), Content::Archive(Archive::read(&bytes).with_context(named)?))
        } else {
            let scene = import::open_read(path, &bytes, options)?;
            let format = Format::of_bytes(&bytes).or_else(|| Format::of_path(path));
            (format.map_or("unknown", Format::name), Content::Scene(Box::new(scene)))
        };
        Ok(Self { path: path.into(), format, bytes: length, content })
    }

    /// As [`open`](Self::open), for who reads this file alone: options that only authored files can follow are refused
    /// for an archive, not passed over.
    pub fn open_alone(path: &Path, options: &ImportOptions) -> Result<Self> {
        let file = Self::open(path, options)?;
        let plain = ImportOptions::default();
        let asked = [
            ("--unit", options.unit != plain.unit),
            ("--up", options.up != plain.up),
            ("--forward", options.forward != plain.forward),
            ("--rate", options.rate_hz != plain.rate_hz),
            ("--retarget", options.retarget != plain.retarget),
            ("--layout", options.layout != plain.layout),
        ];
        match (&file.content, asked.iter().find(|(_, asked)| *asked)) {
            (Content::Archive(_) | Content::Stream(_), Some((option, _))) => usage(format!(
                "{option} is for files as authored; {} is cooked, in metres, y up",
                path.display()
            )),
            _ => Ok(file),
        }
    }

    /// The file as a scene that can be changed, clips as keys; every option is followed, for an archive too.
    pub fn open_scene(path: &Path, options: &ImportOptions) -> Result<Scene> {
        let bytes = read_input(path, options.limits.max_bytes)?;
        if bytes.starts_with(&stream_format::MAGIC) {
            return Self::refuse_stream(path);
        }
        Ok(import::open_read(path, &bytes, options)?)
    }

    /// The names of the clips, in file order.
    pub fn clip_names(&self) -> Vec<String> {
        match &self.content {
            Content::Scene(scene) => scene.animations.iter().map(|a| a.motion.name.clone()).collect(),
            Content::Stream(stream) => vec![stream.name(&self.path)],
            Content::Archive(archive) => archive.names(SectionKind::Clip).map(str::to_owned).collect(),
        }
    }

    /// The clip that `--clip` asks for: by name, by the file's stem if the file has one clip, or by index. Without
    /// `--clip`: the first.
    pub fn choose_clip(&self, wanted: Option<&str>) -> Result<usize> {
        let names = self.clip_names();
        choose(&names, &import::stem(&self.path), wanted).with_context(|| self.path.display().to_string())
    }

    /// Everything in it as a scene; of an archive's clips all but their keys, which take long.
    pub fn scene(&self) -> Result<Cow<'_, Scene>> {
        Ok(match &self.content {
            Content::Scene(scene) => Cow::Borrowed(scene),
            Content::Archive(archive) => {
                let scene = lsm::read_with(archive.bytes(), &ReadOptions::default(), lsm::Clips::Names);
                Cow::Owned(scene.with_context(|| self.path.display().to_string())?)
            }
            Content::Stream(_) => Self::refuse_stream(&self.path)?,
        })
    }

    /// A stream has neither skeleton nor keys.
    pub fn refuse_stream<T>(path: &Path) -> Result<T> {
        bail!(
            "{}: this is a stream of one clip; inspect, check, sample, diff and render take it, the others the archive \
             that it was made with",
            path.display()
        )
    }

    /// A clip that can be asked for its pose: cooked as a game plays it, else as authored. `options` say where the
    /// skeleton of a stream is.
    pub fn motion(&self, clip: usize, options: &ImportOptions) -> Result<Motion> {
        let path = self.path.display();
        let scene = match &self.content {
            Content::Scene(scene) => scene,
            Content::Archive(archive) => {
                let (name, clip) = archived_clip(archive, clip).with_context(|| path.to_string())?;
                let skeleton =
                    archive.skeleton_of(&clip).with_context(|| format!("{path}: clip {name:?}"))?;
                return Ok(Motion::cooked(name, skeleton, Tape::Clip(clip)));
            }
            Content::Stream(stream) => {
                let (_, skeleton) = self.body_of_stream(stream, options)?;
                return Ok(Motion::cooked(stream.name(&self.path), skeleton, Tape::Stream(stream.tape()?)));
            }
        };
        let animation =
            scene.animations.get(clip).with_context(|| format!("{path}: there is no clip {clip}"))?;
        let name = &animation.motion.name;
        let skeleton = animation.skeleton.and_then(|s| scene.skeletons.get(s));
        let skeleton = skeleton.with_context(|| format!("{path}: clip {name:?} {NO_SKELETON}"))?;
        Motion::raw(&skeleton.skeleton, &animation.motion)
    }

    /// The vertices of this file that follow the joints of a clip's skeleton; none if it has no meshes for it.
    pub fn skin(&self, clip: usize, skeleton: &Skeleton) -> Result<SkinReach> {
        let mut skin = SkinReach::default();
        match &self.content {
            Content::Scene(scene) => {
                let place = scene.animations.get(clip).and_then(|a| a.skeleton);
                if let Some((place, raw)) = place.and_then(|p| Some((p, scene.skeletons.get(p)?))) {
                    skin = scene.skin(place, &SkeletonBuilder::build(&raw.skeleton)?);
                }
            }
            Content::Archive(archive) => {
                for (name, mesh) in archive.meshes() {
                    let mesh = mesh?;
                    if mesh.view().skeleton_identity != skeleton.identity() {
                        continue;
                    }
                    let own = |morph: &str| {
                        archive.owner(SectionKind::Mesh, morph).is_some_and(|(of, _)| of == name)
                    };
                    let morphs = archive.morphs().filter(|(morph, _)| own(morph));
                    let morphs = morphs.map(|(_, morph)| morph).collect::<Result<Vec<_>, _>>()?;
                    let views: Vec<_> = morphs.iter().map(|m| m.view()).collect();
                    skin.add_archived(skeleton.joint_count(), &mesh.view(), &views);
                }
            }
            Content::Stream(_) => {}
        }
        Ok(skin)
    }

    /// What the file that `--skeleton` names has to move: its archive, and the skeleton of this stream.
    pub fn body_of_stream(
        &self,
        stream: &StreamFile,
        options: &ImportOptions,
    ) -> Result<(Archive, Arc<Skeleton>)> {
        let Some(path) = &options.skeleton else {
            bail!("{}: clip {:?} {NO_SKELETON}", self.path.display(), stream.name(&self.path));
        };
        let body = Self::open(path, &ImportOptions { skeleton: None, ..options.clone() })?;
        let archive = match body.content {
            Content::Archive(archive) => archive,
            Content::Stream(_) => bail!("{}: a stream has no skeleton", path.display()),
            Content::Scene(mut scene) => {
                scene.animations.clear();
                still(&import::stem(path), &mut scene)?
            }
        };
        let identity = stream.opened.view().skeleton_identity();
        let mut whole = archive.skeletons().filter_map(|(_, skeleton)| skeleton.ok());
        let Some(skeleton) = whole.find(|s| s.identity() == identity) else {
            bail!("{}: it was not cooked for a skeleton of {}", self.path.display(), path.display());
        };
        drop(whole);
        Ok((archive, skeleton))
    }
}

/// A scene without animations as an archive.
pub fn still(stem: &str, scene: &mut Scene) -> Result<Archive> {
    scene.name = stem.to_owned();
    settle_names([(stem, &mut *scene)]);
    let cooked = pipeline::cook_scene(scene, &ClipBuilder::default(), &pipeline::serial)?;
    Ok(Archive::read(&cooked.archive)?)
}

/// The clip that is meant by a name, a number, or the file's stem; without a wish the first.
///
/// # Errors
/// If there is none, with those that there are.
pub fn choose(names: &[String], stem: &str, wanted: Option<&str>) -> Result<usize> {
    if names.is_empty() {
        bail!("there is no clip in this file");
    }
    let Some(wanted) = wanted else { return Ok(0) };
    if let Some(index) = find_clip(names, stem, wanted) {
        return Ok(index);
    }
    const SHOWN: usize = 8;
    let mut known = names.iter().take(SHOWN).map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        known.push_str(", …");
    }
    let meant = did_you_mean(names, wanted);
    bail!("there is no clip {wanted:?}{meant}; there are {}: {known}", names.len())
}

/// A clip of an archive and its name.
pub fn archived_clip(archive: &Archive, index: usize) -> Result<(String, Clip)> {
    let (name, clip) = archive.clips().nth(index).with_context(|| format!("there is no clip {index}"))?;
    Ok((name.to_owned(), clip.with_context(|| format!("clip {name:?}"))?))
}

/// A stream file and what its preamble says.
pub struct StreamFile {
    bytes: Arc<[u8]>,
    /// Without any block.
    pub opened: ClipStream,
}

impl StreamFile {
    /// Reads what a stream says before its first block.
    ///
    /// # Errors
    /// If it is no stream.
    pub fn new(bytes: Vec<u8>) -> Result<Self> {
        let opened = ClipStream::open(&bytes, Self::window(bytes.len()))?;
        Ok(Self { bytes: bytes.into(), opened })
    }

    /// What blocks may take in memory: as much as any file of this length.
    fn window(length: usize) -> usize {
        usize::try_from(ImportLimits::default().memory_for(length as u64)).unwrap_or(usize::MAX)
    }

    /// As the clip says, else as the file is called.
    pub fn name(&self, path: &Path) -> String {
        let name = self.opened.view().name();
        if name.is_empty() { import::stem(path) } else { name.to_owned() }
    }

    /// Plays it from the start.
    pub fn tape(&self) -> Result<StreamTape> {
        let source = io::Cursor::new(self.bytes.clone());
        Ok(StreamTape(Box::new(StreamPlayer::open(source, Self::window(self.bytes.len()))?)))
    }

    /// Unpacks every block; gives those that are damaged.
    pub fn damaged(&self) -> Result<Vec<usize>> {
        let mut player = self.tape()?.0;
        while player.prefetch(usize::MAX)? > 0 {}
        Ok(player.stream().damaged().collect())
    }
}

/// A stream that is being played.
pub struct StreamTape(Box<StreamPlayer<io::Cursor<Arc<[u8]>>>>);

impl StreamTape {
    /// The pose at a time, once its block is there.
    fn sample(
        &mut self,
        skeleton: &Skeleton,
        time: SampleTime,
        cursor: &mut Cursor,
        output: &mut [SoaTransform],
    ) -> Result<()> {
        // Bytes a step: the first block plays long before the last is there.
        const STEP: usize = 1 << 16;
        loop {
            match self.0.sample(skeleton, time, None, cursor, output)? {
                Played::Pose => return Ok(()),
                Played::Late { block } => {
                    if self.0.prefetch(STEP)? == 0 {
                        bail!("block {block} of the stream does not come");
                    }
                }
                Played::Damaged { block, .. } => bail!("block {block} of the stream is damaged"),
            }
        }
    }
}

/// A cooked clip that is being played: whole, or as a stream.
pub enum Tape {
    /// Whole, in memory.
    Clip(Clip),
    /// Block by block.
    Stream(StreamTape),
}

impl Tape {
    /// How long it is.
    pub fn duration_s(&self) -> f64 {
        match self {
            Self::Clip(clip) => clip.view().duration_s(),
            Self::Stream(stream) => stream.0.stream().view().duration_s(),
        }
    }

    /// The pose at a time; times outside of the clip are its ends.
    pub fn sample(
        &mut self,
        skeleton: &Skeleton,
        time_s: f64,
        cursor: &mut Cursor,
        output: &mut [SoaTransform],
    ) -> Result<()> {
        let time = SampleTime::Clamped(time_s);
        match self {
            Self::Clip(clip) => Ok(SampleJob::new(skeleton, clip.view(), cursor, output).at(time).run()?),
            Self::Stream(stream) => stream.sample(skeleton, time, cursor, output),
        }
    }
}

/// A clip that can be asked for its pose. Joints stand parents first.
pub struct Motion {
    /// The clip's name.
    pub name: String,
    /// How long it is.
    pub duration_s: f64,
    /// As the runtime has it.
    pub skeleton: Arc<Skeleton>,
    pose: Vec<SoaTransform>,
    from: From,
}

enum From {
    /// As authored: evaluated exactly.
    Raw { animation: RawAnimation, rest: RawSkeleton, order: Vec<usize> },
    /// Cooked: what a game plays.
    Cooked { tape: Tape, cursor: Cursor },
}

impl Motion {
    fn raw(rest: &RawSkeleton, animation: &RawAnimation) -> Result<Self> {
        let BuiltSkeleton { skeleton, raw_of_joint: order, .. } = SkeletonBuilder::build(rest)?;
        let pose = skeleton.rest_pose().to_vec();
        let from = From::Raw { animation: animation.clone(), rest: rest.clone(), order };
        let (name, duration_s) = (animation.name.clone(), animation.duration_s);
        Ok(Self { name, duration_s, skeleton: Arc::new(skeleton), pose, from })
    }

    /// A clip as a game plays it.
    pub fn cooked(name: String, skeleton: Arc<Skeleton>, tape: Tape) -> Self {
        let pose = skeleton.rest_pose().to_vec();
        let (duration_s, cursor) = (tape.duration_s(), Cursor::new());
        Self { name, duration_s, skeleton, pose, from: From::Cooked { tape, cursor } }
    }

    /// True if the poses are those of a cooked clip, in f32.
    pub fn is_cooked(&self) -> bool {
        matches!(self.from, From::Cooked { .. })
    }

    /// Every joint in its parent's space. Times outside of the clip are its ends.
    pub fn locals(&mut self, time_s: f64) -> Result<Vec<Trs>> {
        match &mut self.from {
            From::Raw { animation, rest, order } => {
                let at = |raw: &usize| animation.tracks[*raw].sample(time_s, rest.joints[*raw].rest);
                // What is authored may have any length; what is played has unit length.
                let unit = |t: Trs| Trs { rotation: t.rotation.normalize(), ..t };
                Ok(order.iter().map(at).map(unit).collect())
            }
            From::Cooked { tape, cursor } => {
                tape.sample(&self.skeleton, time_s, cursor, &mut self.pose)?;
                let joints = 0..self.skeleton.joint_count();
                Ok(joints.map(|j| Trs::from_f32(soa::lane(&self.pose, j))).collect())
            }
        }
    }

    /// Local transforms composed from the roots down, in f64.
    pub fn exact_models(&self, locals: &[Trs]) -> Vec<M34> {
        let mut models: Vec<M34> = Vec::with_capacity(locals.len());
        for (joint, local) in locals.iter().enumerate() {
            let local = local.to_m34();
            models.push(self.skeleton.parent(joint).map_or(local, |p| models[p].mul(&local)));
        }
        models
    }

    /// The pose as the runtime has it: of a cooked clip its own, of an authored one its locals as f32.
    pub fn pose(&mut self, time_s: f64) -> Result<&[SoaTransform]> {
        let locals = self.locals(time_s)?;
        if !self.is_cooked() {
            self.pose = soa::from_transforms(&locals.iter().map(|t| t.to_f32()).collect::<Vec<_>>());
        }
        Ok(&self.pose)
    }

    /// The matrices that the runtime computes of the pose.
    pub fn models(&mut self, time_s: f64) -> Result<Vec<Mat4>> {
        self.pose(time_s)?;
        let mut models = vec![Mat4::IDENTITY; self.skeleton.joint_count()];
        LocalToModelJob::new(&self.skeleton, &self.pose, &mut models).run()?;
        Ok(models)
    }
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn what_is_not_there_is_told_with_what_is() {
        let names = ["walk", "0"].map(str::to_owned);
        assert_eq!(choose(&names, "file", None).unwrap(), 0);
        assert_eq!(choose(&names, "file", Some("1")).unwrap(), 1);
        let error = choose(&names, "file", Some("file")).unwrap_err().to_string();
        assert_eq!(error, "there is no clip \"file\"; there are 2: \"walk\", \"0\"");
        assert_eq!(choose(&[], "file", None).unwrap_err().to_string(), "there is no clip in this file");
    }
}
