//! Options that were checked, and the whole way from inputs to an archive.

use super::{
    Cooked, Executor, Input, Options, PipelineError, Step, Watch, cook, matched, open, parsed, stamp,
    watch::Watcher, write,
};
use crate::{
    archive::settle_names,
    cook::ClipBuilder,
    edit::ClipRule,
    graph::{self, GraphFile, GraphRule},
    import::{ImportLimits, ImportOptions, OpenError},
    matching::MatchingRule,
    recipe::FileRule,
    scene::{SceneMesh, SceneSkeleton},
};
use lissom::archive::AlignedBytes;
use std::path::PathBuf;

/// Options that were checked, with the skeleton of the other file.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) import: ImportOptions,
    pub(super) target: Option<SceneSkeleton>,
    /// The skeleton that motions are brought onto.
    pub(super) retarget: Option<SceneSkeleton>,
    /// What the last of them moves in its own file.
    pub(super) target_meshes: Vec<SceneMesh>,
    pub(super) clips: Vec<String>,
    pub(super) files: Vec<FileRule>,
    pub(super) rules: Vec<ClipRule>,
    pub(super) graphs: Vec<NamedGraph>,
    pub(super) like: Vec<GraphRule>,
    pub(super) matching: Vec<MatchingRule>,
    pub(super) asked_precision: bool,
    pub(super) asked_shell: bool,
    pub(super) cook: ClipBuilder,
    /// The first line of every stamp.
    pub(super) head: String,
}

/// A graph's file.
#[derive(Clone, Debug)]
pub(super) struct NamedGraph {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) file: GraphFile,
    /// Of its bytes.
    pub(super) hash: u64,
}

impl NamedGraph {
    fn read(input: &Input<'_>, limits: &ImportLimits) -> Result<Self, OpenError> {
        let (path, bytes) = (input.name().to_owned(), input.read(limits)?);
        let file = graph::read(&bytes).map_err(|source| OpenError::Graph { path: path.clone(), source })?;
        Ok(Self { name: graph::name_of(&path), path, file, hash: stamp::hash(&bytes) })
    }
}

/// The options, with what the rules for files of this name say.
fn for_file(rules: &[FileRule], options: &ImportOptions, input: &Input<'_>) -> ImportOptions {
    let mut options = options.clone();
    rules.iter().filter(|rule| rule.fits(&input.recorded())).for_each(|rule| rule.apply(&mut options));
    options
}

impl Plan {
    /// Checks the options and reads the skeleton of the other file.
    ///
    /// # Errors
    ///
    /// [`OpenError::Option`], or what is wrong with the file that has the skeleton or with a graph's.
    pub fn new(options: Options<'_>) -> Result<Self, OpenError> {
        let Options {
            import,
            skeleton,
            retarget,
            clips,
            precision,
            shell,
            files,
            rules,
            graphs,
            like,
            matching,
            mut cook,
        } = options;
        import.check()?;
        let graphs = graphs.iter().map(|input| NamedGraph::read(input, &import.limits));
        let graphs = graphs.collect::<Result<Vec<_>, _>>()?;
        let mut target_meshes = Vec::new();
        let mut read = |input: Option<Input<'_>>, path: &Option<PathBuf>, options: &ImportOptions| {
            let Some(input) = input.or_else(|| path.clone().map(Input::file)) else {
                return Ok((None, None));
            };
            let plain = ImportOptions { rate_hz: None, ..for_file(&files, options, &input) };
            let parsed::Opened { scene, bytes, .. } = parsed::open(&input, None, &plain)?;
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
        let mut plan = Self {
            import,
            target,
            retarget,
            target_meshes,
            clips,
            files,
            rules,
            graphs,
            like,
            matching,
            asked_precision,
            asked_shell,
            cook,
            head: String::new(),
        };
        plan.head = stamp::head(&plan, [hash, other_hash]);
        Ok(plan)
    }

    /// How an input is read.
    pub(super) fn import_of(&self, input: &Input<'_>) -> ImportOptions {
        for_file(&self.files, &self.import, input)
    }

    /// True if the archive is whole and was made with this plan of these inputs as they are now.
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
        let mut opened = open::all(self, inputs, executor, &watcher)?;
        open::take_differences(inputs, &mut opened, &watcher);
        let scenes = opened.iter_mut().filter_map(|o| o.as_mut().ok());
        settle_names(scenes.map(|o| (o.file.stem.as_str(), &mut o.file.scene)));
        let copies = matched::add_mirrored(self, &mut opened, &watcher);
        let databases = matched::all(self, &opened, &copies);
        let clips = cook::all(self, inputs, &opened, executor, &watcher)?;
        let cooked = write::archive(self, inputs, opened, clips, databases)?;
        watcher.step(Step::Written)?;
        Ok(cooked)
    }
}
