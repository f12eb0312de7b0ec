//! From authored files to one archive: what a command, a viewer, an engine's asset loader and a script all do, without
//! a terminal and without threads of its own.
//!
//! ```text
//!  Options ──▶ Recipe (the other skeleton read once)
//!                 │
//!  Input, Input ──┼─▶ read ─▶ open ─▶ edit ─▶ settle names ─▶ cook clips ─▶ pack ─▶ Cooked
//!  a path, or     │     │                                │                   │       archive: bytes, or none
//!  bytes and a    │     └ files that a file names        └ executor: in       │       inputs:  a Report or an InputError each
//!  way to read    │       (Input::with_files)              turn, or yours     │       stamp:   what it was made of
//!  what they name │                                                          │
//!                 └─ watch: told of each step, may stop it all ◀──────────────┘
//! ```
//!
//! - **In.** An [`Input`] is a file or bytes. Bytes need no file system: this works in a browser. Files that an input
//!   names (the `.bin` of a `.gltf`) come from its folder, or from a closure.
//! - **How.** [`Options`] become a [`Recipe`], which may cook any number of archives.
//! - **Threads.** Reading files and cooking clips are independent tasks; an [`Executor`] runs them, [`serial`] by
//!   default. The archive has the same bytes whoever runs them, in whatever order.
//! - **Progress.** [`Recipe::cook`] tells a closure of every [`Step`], one call at a time, with rising counts; the last
//!   call has all of them. If the closure breaks, no further task starts and the answer is
//!   [`PipelineError::Cancelled`]: nothing is left behind.
//! - **Out.** [`Cooked`]. An input that is refused does not stop the others: it has an [`InputError`] with its name.
//!   The stamp stands in the archive too, so that [`Recipe::is_unchanged`] can tell that cooking again would give the
//!   same.
//!
//! ```
//! use lissom_build::pipeline::{self, Input, Options, Recipe};
//!
//! let bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition End Site { OFFSET 0 1 0 } }
//!             MOTION Frames: 3 Frame Time: 0.5 0 1 2";
//! let recipe = Recipe::new(Options::default())?;
//! let cooked = recipe.cook(&[Input::bytes("walk.bvh", bvh)], &pipeline::serial, &mut pipeline::unwatched)?;
//! let report = cooked.inputs[0].as_ref().expect("it is a good file");
//! assert_eq!((report.joints, report.clips[0].name.as_str()), (1, "walk"));
//! assert!(cooked.archive.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clips;
mod error;
mod input;
mod precision;
mod report;
mod scene;
mod stamp;
mod together;
mod watch;
mod weights;

pub use clips::{did_you_mean, find_clip, similar_clips};
pub use error::{InputError, PipelineError};
pub use input::{Input, Resolve};
pub use precision::ScenePrecision;
pub use report::{ClipReport, Cooked, Report};
pub use scene::{SceneError, cook_scene};
pub use watch::{Executor, Progress, Step, Watch, serial, unwatched};

use crate::{
    BuiltSkeleton, SkeletonBuilder,
    archive::{ScenePack, clip_version, settle_names},
    cook::{ClipBuilder, CookError, CookedClip, Form, JointPrecision, SkinReach},
    edit::{self, ClipRule, Edited, Needs},
    graph::{self, GraphFile},
    import::{self, Format, ImportLimits, ImportOptions, OpenError},
    scene::{Scene, SceneMesh, SceneSkeleton},
};
use lissom::{
    archive::{AlignedBytes, SectionKind, layout::GRAPH_VERSION},
    clip::format,
};
use lissom_motion::ClipFacts;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use watch::{Watcher, gather};

/// How files are read and cooked.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    /// How files are read.
    pub import: ImportOptions,
    /// The file that has the skeleton, if it is another one; `None`: [`ImportOptions::skeleton`], a path, if there is
    /// one.
    pub skeleton: Option<Input<'a>>,
    /// The file with the skeleton that motions are brought onto; `None`: [`ImportOptions::retarget`], a path, if there is one.
    pub retarget: Option<Input<'a>>,
    /// Only these clips, each as [`find_clip`] takes it; all if empty.
    pub clips: Vec<String>,
    /// The largest error allowed in metres; `None`: what a file says of its joints, else the builder's, more for models
    /// above ten metres ([`ScenePrecision`]).
    pub precision: Option<f64>,
    /// How far from each joint the error is measured in metres; `None`: likewise.
    pub shell: Option<f64>,
    /// What is done to clips before they are cooked, in this order where several fit ([`crate::recipe`] reads such).
    pub rules: Vec<ClipRule>,
    /// Files with graphs for the archive ([`crate::graph`]), each called as its file is.
    pub graphs: Vec<Input<'a>>,
    /// Everything else about cooking; its `joints` are those of the file.
    pub cook: ClipBuilder,
}

/// Options that were checked, with the skeleton of the other file.
#[derive(Clone, Debug)]
pub struct Recipe {
    import: ImportOptions,
    target: Option<SceneSkeleton>,
    /// The skeleton that motions are brought onto.
    retarget: Option<SceneSkeleton>,
    /// What the last of them moves in its own file.
    target_meshes: Vec<SceneMesh>,
    clips: Vec<String>,
    rules: Vec<ClipRule>,
    graphs: Vec<NamedGraph>,
    asked_precision: bool,
    asked_shell: bool,
    cook: ClipBuilder,
    /// The first line of every stamp.
    head: String,
}

/// A graph's file.
#[derive(Clone, Debug)]
struct NamedGraph {
    path: PathBuf,
    name: String,
    file: GraphFile,
    /// Of its bytes.
    hash: u64,
}

impl NamedGraph {
    fn read(input: &Input<'_>, limits: &ImportLimits) -> Result<Self, OpenError> {
        let (path, bytes) = (input.name().to_owned(), input.read(limits)?);
        let file = graph::read(&bytes).map_err(|source| OpenError::Graph { path: path.clone(), source })?;
        Ok(Self { name: graph::name_of(&path), path, file, hash: stamp::hash(&bytes) })
    }
}

/// A file that was read.
struct Read {
    stem: String,
    scene: Scene,
    /// Clips that were not asked for.
    left_out: Vec<String>,
    is_archive: bool,
    /// Skeletons that it can lend: its own, before its motions were brought onto another.
    lends: Vec<SceneSkeleton>,
    /// Not before its motions have a skeleton.
    prepared: Option<Prepared>,
    /// Its lines of the stamp.
    stamp: String,
}

/// What is known of a file before its clips are cooked.
struct Prepared {
    precision: ScenePrecision,
    height_m: Option<f64>,
    /// What edits ask of the cooker, and which rules were followed.
    edited: Edited,
}

/// A file whose clips can be cooked.
struct Opened {
    stem: String,
    scene: Scene,
    /// Clips that were not asked for.
    left_out: Vec<String>,
    skeletons: Vec<BuiltSkeleton>,
    /// What each skeleton moves.
    skins: Vec<Arc<SkinReach>>,
    precision: ScenePrecision,
    /// What edits ask of the cooker, and which rules were followed.
    edited: Edited,
    height_m: Option<f64>,
    /// Its lines of the stamp.
    stamp: String,
}

impl Recipe {
    /// Checks the options and reads the skeleton of the other file.
    ///
    /// # Errors
    ///
    /// [`OpenError::Option`], or what is wrong with the file that has the skeleton or with a graph's.
    pub fn new(options: Options<'_>) -> Result<Self, OpenError> {
        let Options { import, skeleton, retarget, clips, precision, shell, rules, graphs, mut cook } =
            options;
        import.check()?;
        let graphs = graphs.iter().map(|input| NamedGraph::read(input, &import.limits));
        let graphs = graphs.collect::<Result<Vec<_>, _>>()?;
        let mut target_meshes = Vec::new();
        let mut read = |input: Option<Input<'_>>, path: &Option<PathBuf>, options: &ImportOptions| {
            let Some(input) = input.or_else(|| path.clone().map(Input::file)) else {
                return Ok((None, None));
            };
            let bytes = input.read(&import.limits)?;
            let plain = ImportOptions { rate_hz: None, ..options.clone() };
            let mut files = |uri: &str| input.read_beside(uri, &import.limits);
            let scene = import::open_bytes(input.name(), &bytes, &mut files, None, &plain)?;
            let first = scene.skeletons.into_iter().next();
            let first = first.ok_or_else(|| OpenError::NoSkeleton { path: input.name().into() })?;
            target_meshes = scene.meshes;
            target_meshes.retain(|mesh| mesh.skeleton == 0);
            Ok((Some(first), Some(stamp::hash(&bytes))))
        };
        let (target, hash) = read(skeleton, &import.skeleton, &import)?;
        let (retarget, other_hash) = read(retarget, &import.retarget, &import.as_it_is())?;
        let (asked_precision, asked_shell) = (precision.is_some(), shell.is_some());
        cook.precision = precision.unwrap_or(cook.precision);
        cook.shell = shell.unwrap_or(cook.shell);
        let mut recipe = Self {
            import,
            target,
            retarget,
            target_meshes,
            clips,
            rules,
            graphs,
            asked_precision,
            asked_shell,
            cook,
            head: String::new(),
        };
        recipe.head = stamp::head(&recipe, [hash, other_hash]);
        Ok(recipe)
    }

    /// True if the archive is whole and was made with this recipe of these inputs as they are now.
    #[must_use]
    pub fn is_unchanged(&self, archive: &AlignedBytes, inputs: &[Input<'_>]) -> bool {
        stamp::is_unchanged(archive, &self.head, inputs, &self.import.limits)
    }

    /// Cooks inputs into one archive.
    ///
    /// # Errors
    ///
    /// [`PipelineError::Cancelled`] if `watch` breaks, [`PipelineError::Archive`] if the archive would be too large.
    /// What is wrong with one input is in [`Cooked::inputs`].
    pub fn cook(
        &self,
        inputs: &[Input<'_>],
        executor: &Executor<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Cooked, PipelineError> {
        let watcher = Watcher::new(inputs.len(), watch);
        let mut opened = self.open_all(inputs, executor, &watcher)?;
        self.take_differences(inputs, &mut opened, &watcher);
        let scenes = opened.iter_mut().filter_map(|o| o.as_mut().ok());
        settle_names(scenes.map(|o| (o.stem.as_str(), &mut o.scene)));
        let clips = self.cook_all(inputs, &opened, executor, &watcher)?;
        let cooked = self.pack(inputs, opened, clips)?;
        watcher.step(Step::Packed)?;
        Ok(cooked)
    }

    fn open_all(
        &self,
        inputs: &[Input<'_>],
        executor: &Executor<'_>,
        watcher: &Watcher<'_>,
    ) -> Result<Vec<Result<Opened, InputError>>, PipelineError> {
        let all = run_all(inputs.len(), executor, watcher, |i| {
            let read = guarded(&inputs[i], || self.read(&inputs[i]));
            let known = read.as_ref().ok().filter(|r| r.prepared.is_some());
            let clips = known.map_or(0, |r| r.scene.animations.len());
            let name = inputs[i].name().to_string_lossy();
            watcher.grow(clips, Step::Read { input: &name });
            read
        })?;
        let read = all.into_iter().zip(inputs).map(|(read, input)| read.unwrap_or_else(|| input.left_out()));
        let mut read: Vec<Result<Read, InputError>> = read.collect();
        together::lend_skeletons(inputs, &mut read);
        together::drop_copies(&mut read);
        let opened = read.into_iter().zip(inputs);
        let opened = opened.map(|(read, input)| guarded(input, || self.opened(input, read?, watcher)));
        let mut opened: Vec<Result<Opened, InputError>> = opened.collect();
        let skins = run_all(inputs.len(), executor, watcher, |i| {
            guarded(&inputs[i], || Ok(opened[i].as_ref().map_or(Vec::new(), |own| self.skins(own, &opened))))
        })?;
        for ((slot, skins), input) in opened.iter_mut().zip(skins).zip(inputs) {
            match (skins.unwrap_or_else(|| input.left_out()), slot.as_mut()) {
                (Ok(skins), Ok(opened)) => opened.skins = skins,
                (Err(error), _) => *slot = Err(error),
                (_, Err(_)) => {}
            }
        }
        Ok(opened)
    }

    /// What each skeleton of a file moves: meshes of every file that is for the same skeleton, for they are drawn
    /// together.
    fn skins(&self, own: &Opened, all: &[Result<Opened, InputError>]) -> Vec<Arc<SkinReach>> {
        let reach = |built: &BuiltSkeleton| {
            let mut skin = SkinReach::default();
            self.target_meshes.iter().for_each(|mesh| skin.add(built, &mesh.mesh, &mesh.morphs));
            for other in all.iter().flatten() {
                let identity = built.skeleton.identity();
                let same =
                    other.skeletons.iter().enumerate().filter(|(_, s)| s.skeleton.identity() == identity);
                for (index, built) in same {
                    let meshes = other.scene.meshes.iter().filter(|m| m.skeleton == index);
                    meshes.for_each(|mesh| skin.add(built, &mesh.mesh, &mesh.morphs));
                }
            }
            Arc::new(skin)
        };
        own.skeletons.iter().map(reach).collect()
    }

    fn read(&self, input: &Input<'_>) -> Result<Read, InputError> {
        let bytes = input.read(&self.import.limits)?;
        let mut others = Vec::new();
        let mut files = |uri: &str| {
            let bytes = input.read_beside(uri, &self.import.limits)?;
            others.push((uri.to_owned(), stamp::hash(&bytes)));
            Ok(bytes)
        };
        let target = self.target.as_ref();
        let mut scene = import::open_bytes(input.name(), &bytes, &mut files, target, &self.import)?;
        if scene.skeletons.is_empty() && scene.tracks.is_empty() && scene.animations.is_empty() {
            return Err(InputError::Nothing { name: input.name().to_owned() });
        }
        if !stamp::was_cooked_alike(&bytes, &self.head) {
            scene.animations.iter_mut().for_each(|a| a.kept = None);
        }
        let stem = import::stem(input.name());
        let left_out = clips::keep_clips(&mut scene, &stem, &self.clips);
        let stamp = stamp::lines(input, &bytes, &others);
        let is_archive = Format::of_bytes(&bytes) == Some(Format::Lsm);
        let lends = scene.skeletons.clone();
        let mut read = Read { stem, scene, left_out, is_archive, lends, prepared: None, stamp };
        // Motions without a skeleton wait until they have one.
        if read.scene.animations.iter().all(|a| a.skeleton.is_some()) {
            read.prepared = Some(self.prepare(input, &mut read.scene, is_archive)?);
        }
        Ok(read)
    }

    /// Settles how exactly the clips are cooked, and edits them.
    fn prepare(
        &self,
        input: &Input<'_>,
        scene: &mut Scene,
        is_archive: bool,
    ) -> Result<Prepared, InputError> {
        if let Some(target) = &self.retarget {
            import::bring_onto(input.name(), scene, target, self.import.goals)?;
        }
        let height_m = scene.height();
        let precision = ScenePrecision::new(height_m, self.asked_precision, self.asked_shell);
        if let Some(height) = height_m.filter(|_| precision.growth() > 1.0) {
            let millimetres = precision.builder(&self.cook).precision * 1e3;
            let text = format!(
                "it is {height:.1} m high, so its precision is {millimetres:.4} mm; its unit or a precision tell better"
            );
            scene.warn("", text);
        }
        let builder = precision.builder(&self.cook);
        let asked = edit::Asked {
            rules: &self.rules,
            precision_m: builder.precision,
            shell_m: builder.shell,
            finds_loops: !is_archive,
        };
        let edited = edit::follow(scene, asked)
            .map_err(|source| InputError::Edit { name: input.name().to_owned(), source: source.into() })?;
        // What comes from an archive has been through this. Here, where every weight still has its mesh beside it.
        if !is_archive {
            let skeletons = build_skeletons(input, scene)?;
            weights::reduce(scene, &skeletons, precision.builder(&self.cook).precision);
        }
        Ok(Prepared { precision, height_m, edited })
    }

    fn opened(&self, input: &Input<'_>, read: Read, watcher: &Watcher<'_>) -> Result<Opened, InputError> {
        let Read { stem, mut scene, left_out, is_archive, prepared, stamp, .. } = read;
        let name = || input.name().to_owned();
        if let Some(lost) = scene.animations.iter().find(|a| a.skeleton.is_none()) {
            return Err(InputError::NoSkeleton { name: name(), clip: lost.motion.name.clone() });
        }
        let prepared = match prepared {
            Some(prepared) => prepared,
            None => {
                let prepared = self.prepare(input, &mut scene, is_archive)?;
                watcher.add(scene.animations.len());
                prepared
            }
        };
        let skeletons = build_skeletons(input, &scene)?;
        Ok(Opened {
            stem,
            scene,
            left_out,
            skeletons,
            skins: Vec::new(),
            precision: prepared.precision,
            edited: prepared.edited,
            height_m: prepared.height_m,
            stamp,
        })
    }

    /// Clips that are to be the difference to another one, which may be in another input.
    fn take_differences(
        &self,
        inputs: &[Input<'_>],
        opened: &mut [Result<Opened, InputError>],
        watcher: &Watcher<'_>,
    ) {
        let mut scenes: Vec<_> =
            opened.iter_mut().map(|o| o.as_mut().ok().map(|o| (&mut o.scene, &mut o.edited))).collect();
        let wrong = edit::take_differences(&mut scenes);
        for ((input, opened), source) in inputs.iter().zip(opened).zip(wrong) {
            let Some(source) = source else { continue };
            // Its clips were counted: they are done with.
            for animation in opened.iter().flat_map(|o| &o.scene.animations) {
                let (input, clip) = (input.name().to_string_lossy(), &animation.motion.name);
                watcher.grow(0, Step::Cooked { input: &input, clip });
            }
            *opened = Err(InputError::Edit { name: input.name().to_owned(), source: source.into() });
        }
    }

    /// Every clip of every input, input by input.
    fn cook_all(
        &self,
        inputs: &[Input<'_>],
        opened: &[Result<Opened, InputError>],
        executor: &Executor<'_>,
        watcher: &Watcher<'_>,
    ) -> Result<Vec<Vec<Result<CookedClip, InputError>>>, PipelineError> {
        // Long clips of one file and short ones of another: one list lets an executor balance them.
        let mut tasks = Vec::new();
        for (i, opened) in opened.iter().enumerate() {
            let Ok(opened) = opened else { continue };
            tasks.extend((0..opened.scene.animations.len()).map(|clip| (i, opened, clip)));
        }
        let cooked = run_all(tasks.len(), executor, watcher, |t| {
            let (i, opened, clip) = tasks[t];
            let cooked = guarded(&inputs[i], || self.cook_clip(&inputs[i], opened, clip));
            let (name, clip) =
                (inputs[i].name().to_string_lossy(), &opened.scene.animations[clip].motion.name);
            watcher.grow(0, Step::Cooked { input: &name, clip });
            cooked
        })?;
        let mut by_input: Vec<_> = inputs.iter().map(|_| Vec::new()).collect();
        for ((i, ..), cooked) in tasks.into_iter().zip(cooked) {
            by_input[i].push(cooked.unwrap_or_else(|| inputs[i].left_out()));
        }
        Ok(by_input)
    }

    fn cook_clip(&self, input: &Input<'_>, opened: &Opened, clip: usize) -> Result<CookedClip, InputError> {
        let animation = &opened.scene.animations[clip];
        let failed = |source: CookError| {
            let (name, clip) = (input.name().to_owned(), animation.motion.name.clone());
            InputError::Cook { name, clip, source }
        };
        let built = animation.skeleton.and_then(|s| opened.skeletons.get(s)).ok_or_else(|| {
            let (name, clip) = (input.name().to_owned(), animation.motion.name.clone());
            InputError::NoSkeleton { name, clip }
        })?;
        let mut builder = opened.precision.builder(&self.cook);
        builder.joints = opened.precision.joints(animation, built);
        builder.skin = animation.skeleton.and_then(|s| opened.skins.get(s)).cloned();
        let plain = builder.clone();
        if let Some(needs) = opened.edited.needs.get(clip) {
            apply(needs, &mut builder, built);
        }
        let kept = animation.kept.as_ref().filter(|_| builder == plain);
        let builder = builder.scaled(weights::joints_share(animation));
        if let Some(bytes) = kept.and_then(|kept| kept.of(&animation.motion))
            && let Some(kept) = builder.keep(built, &animation.motion, bytes).map_err(failed)?
        {
            return Ok(kept);
        }
        builder.build(built, &animation.motion).map_err(failed)
    }

    /// Rows were asked for, and are not what every motion can be.
    fn tell_of_keys(&self, scene: &mut Scene, clips: &[CookedClip]) {
        if self.cook.form != Form::Rows {
            return;
        }
        let keys = |clip: &CookedClip| clip_version(&clip.bytes) == format::keys::VERSION;
        let names = scene.animations.iter().zip(clips).filter(|(_, clip)| keys(clip));
        let names: Vec<String> = names.map(|(a, _)| a.motion.name.clone()).collect();
        for name in names {
            let text = "it steps, or lies on no even rate, so it was cooked as keys, not as rows";
            scene.warn(format!("clip {name:?}"), text);
        }
    }

    fn pack(
        &self,
        inputs: &[Input<'_>],
        opened: Vec<Result<Opened, InputError>>,
        clips: Vec<Vec<Result<CookedClip, InputError>>>,
    ) -> Result<Cooked, PipelineError> {
        let mut pack = ScenePack::new();
        let mut stamp = self.head.clone();
        let mut facts = BTreeMap::new();
        let mut reports = Vec::with_capacity(inputs.len());
        let opened_rules = opened.iter().flatten().map(|o| o.edited.used.clone()).collect::<Vec<_>>();
        let used = |rule: &usize| opened_rules.iter().any(|used| used.get(*rule) == Some(&true));
        let unused = (0..self.rules.len()).filter(|rule| !used(rule)).collect();
        for ((input, opened), clips) in inputs.iter().zip(opened).zip(clips) {
            reports.push((|| {
                let mut opened = opened?;
                let clips = clips.into_iter().collect::<Result<Vec<CookedClip>, InputError>>()?;
                self.tell_of_keys(&mut opened.scene, &clips);
                let scene = &mut opened.scene;
                // A graph that was given takes the place of one that came along.
                scene.graphs.retain(|own| self.graphs.iter().all(|given| given.name != own.name));
                facts.extend(scene.animations.iter().map(|a| (a.motion.name.clone(), a.facts())));
                let report = Report::new(input, &opened, &clips);
                let clips = clips.into_iter().map(|c| c.bytes).collect();
                pack.add(&opened.stem, &opened.scene, &opened.skeletons, clips)
                    .map_err(|source| InputError::Pack { name: input.name().to_owned(), source })?;
                stamp.push_str(&opened.stamp);
                Ok(report)
            })());
        }
        let graphs = self.pack_graphs(&facts, &mut pack)?;
        // One without a graph that was asked for must not take the place of one that has it.
        let archive = if reports.iter().any(Result::is_ok) && graphs.iter().all(Result::is_ok) {
            pack.carry(stamp::KIND, stamp::VERSION, 0, stamp::NAME, stamp.as_bytes())?;
            Some(pack.finish().finish()?)
        } else {
            None
        };
        Ok(Cooked { archive, inputs: reports, graphs, unused, stamp })
    }

    /// Graphs are checked against the clips that the archive has, then added.
    fn pack_graphs(
        &self,
        facts: &BTreeMap<String, ClipFacts>,
        pack: &mut ScenePack,
    ) -> Result<Vec<Result<String, InputError>>, PipelineError> {
        let mut all = Vec::with_capacity(self.graphs.len());
        for NamedGraph { path, name, file, .. } in &self.graphs {
            all.push(match file.check(|clip| facts.get(clip).cloned()) {
                Ok(_) => {
                    pack.carry(SectionKind::Graph, GRAPH_VERSION, 0, name, &file.parts().to_bytes())?;
                    Ok(name.clone())
                }
                Err(source) => Err(InputError::Graph { name: path.clone(), source }),
            });
        }
        Ok(all)
    }
}

/// What edits ask for goes before what the file and the options say.
fn apply(needs: &Needs, builder: &mut ClipBuilder, built: &BuiltSkeleton) {
    if let Some(precision) = needs.precision_m {
        builder.precision = precision;
        builder.joints.iter_mut().for_each(|j| j.precision = None);
    }
    for (raw, precision) in &needs.joints {
        let Some(joint) = built.joint_of_raw.get(*raw).copied() else { continue };
        let precision = Some(*precision);
        match builder.joints.iter_mut().find(|j| j.joint == joint) {
            Some(j) => j.precision = precision,
            None => builder.joints.push(JointPrecision { joint, precision, shell: None }),
        }
    }
}

fn build_skeletons(input: &Input<'_>, scene: &Scene) -> Result<Vec<BuiltSkeleton>, InputError> {
    let built = scene.skeletons.iter().map(|s| SkeletonBuilder::build(&s.skeleton));
    let built: Result<Vec<_>, _> = built.collect();
    built.map_err(|source| InputError::Skeleton { name: input.name().to_owned(), source })
}

/// Runs `task` for every index. An index that the executor leaves out has no result.
fn run_all<T: Send + Sync>(
    count: usize,
    executor: &Executor<'_>,
    watcher: &Watcher<'_>,
    task: impl Fn(usize) -> T + Sync,
) -> Result<Vec<Option<T>>, PipelineError> {
    let done = gather(count, executor, |i| (!watcher.is_cancelled()).then(|| task(i)));
    watcher.check()?;
    Ok(done)
}

/// A defect of ours in one file does not take the others along.
fn guarded<T>(input: &Input<'_>, work: impl FnOnce() -> Result<T, InputError>) -> Result<T, InputError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        Err(InputError::Defect { name: input.name().to_owned(), text: text.unwrap_or_default() })
    })
}
