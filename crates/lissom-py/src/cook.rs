//! Cooking: from what is authored to the archive that games load, within a precision.

use crate::{
    arrays::{Numbers, run_tasks},
    asset::{Asset, AssetData, Given, Origin, write_whole},
    clip::{Clip, Motion},
    errors::{self, argument, defect, format},
};
use lissom::archive::AlignedBytes;
use lissom_build::{
    BuiltSkeleton,
    archive::{ScenePack, settle_names},
    cook::{ClipBuilder, CookReport, CookedClip, Effort, JointPrecision},
    edit::EditKind,
    import::{self, ImportOptions, Unit},
    pipeline::{self, Input, Options, Recipe, Report},
    recipe::{self, RecipeFile},
    scene::{Scene, SceneAnimation, SceneSkeleton},
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyList},
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// How a file is cooked: what a recipe says, and what arguments say, which goes before it.
#[derive(Default)]
pub(crate) struct Cooking {
    recipe: RecipeFile,
    precision: Option<f64>,
    shell: Option<f64>,
    budget: Option<u64>,
    effort: Option<Effort>,
    unit: Option<f64>,
}

impl Cooking {
    fn new(
        recipe: Option<&Bound<'_, PyAny>>,
        precision: Option<f64>,
        shell: Option<f64>,
        budget: Option<u64>,
        effort: Option<&str>,
        unit: Option<f64>,
    ) -> PyResult<Self> {
        for (name, value) in [("precision", precision), ("shell", shell), ("unit", unit)] {
            if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
                return Err(argument(name, value, "metres, finite and above 0"));
            }
        }
        let effort = match effort {
            None => None,
            Some("fast") => Some(Effort::Fast),
            Some("default") => Some(Effort::Default),
            Some("max") => Some(Effort::Max),
            Some(other) => {
                return Err(argument("effort", format!("{other:?}"), "\"fast\", \"default\" or \"max\""));
            }
        };
        let recipe = match recipe {
            Some(recipe) => read_recipe(&Given::of(recipe, "recipe")?)?,
            None => RecipeFile::default(),
        };
        Ok(Self { recipe, precision, shell, budget, effort, unit })
    }

    fn builder(&self) -> ClipBuilder {
        let (plain, recipe) = (ClipBuilder::default(), &self.recipe);
        ClipBuilder {
            precision: self.precision.or(recipe.precision_m).unwrap_or(plain.precision),
            shell: self.shell.or(recipe.shell_m).unwrap_or(plain.shell),
            jumps: recipe.jumps.clone(),
            form: recipe.form.unwrap_or_default(),
            budget: self.budget.or(recipe.budget),
            effort: self.effort.or(recipe.effort).unwrap_or_default(),
            ..plain
        }
    }

    /// The same as `lissom import` makes of a recipe and its options.
    fn recipe(&self) -> PyResult<Recipe> {
        let recipe = &self.recipe;
        let unit = self.unit.map(Unit::Metres).or(recipe.unit).unwrap_or(Unit::Auto);
        let import = ImportOptions {
            unit,
            up: recipe.up.unwrap_or(import::Axis::Y),
            forward: recipe.forward,
            rate_hz: recipe.rate_hz,
            skeleton: recipe.skeleton.clone().map(PathBuf::from),
            retarget: recipe.retarget.clone().map(PathBuf::from),
            goals: recipe.goals.unwrap_or_default(),
            no_mesh: recipe.no_mesh == Some(true),
            no_images: recipe.no_images == Some(true),
            influences: recipe.influences,
            layout: recipe.layout,
            strict: recipe.strict == Some(true),
            ..ImportOptions::default()
        };
        let mut rules = recipe.rules.clone();
        if self.precision.is_some() {
            // What was said last goes before what the recipe says of single clips.
            let told = |kind: &EditKind| matches!(kind, EditKind::Precision(_));
            rules.iter_mut().for_each(|rule| rule.edits.retain(|edit| !told(&edit.kind)));
        }
        let options = Options {
            import,
            graphs: recipe.graphs.iter().map(Input::file).collect(),
            clips: recipe.clips.clone(),
            precision: self.precision.or(recipe.precision_m),
            shell: self.shell.or(recipe.shell_m),
            rules,
            cook: self.builder(),
            ..Options::default()
        };
        Recipe::new(options).map_err(errors::open)
    }
}

fn read_recipe(given: &Given) -> PyResult<RecipeFile> {
    match given {
        Given::Bytes(bytes) => recipe::read(bytes).map_err(|error| format(format!("recipe: {error}"))),
        Given::Path(path) => {
            let bytes = import::read_limited(path, recipe::LARGEST as u64).map_err(errors::open)?;
            let mut file =
                recipe::read(&bytes).map_err(|error| format(format!("{}: {error}", path.display())))?;
            let others = [&mut file.skeleton, &mut file.retarget].into_iter().flatten();
            for other in others.chain(&mut file.graphs) {
                let beside = path.parent().unwrap_or(Path::new("")).join(&*other);
                *other = beside.to_string_lossy().into_owned();
            }
            Ok(file)
        }
    }
}

/// Cooks a file, bytes, an asset, a clip or a list of clips into an archive: an `Asset` whose clips play as games play
/// them, with `asset.report`.
///
/// No point of a shell around any joint, and no vertex, is farther off than `precision` (metres, 0.0001 unless told);
/// `shell` is how far from each joint that is measured (0.03; for clips also one length a joint, in built order). `budget`
/// is how many bytes a clip may take: then the smallest error that fits is searched for. `effort` is "fast", "default" or
/// "max". `unit` is how long a unit of a file is, in metres. `recipe` is a `lissom.toml`, its path or its bytes: what it
/// says is done to files as `lissom import` does it; arguments go before it.
///
/// >>> import numpy
/// >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
/// >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), name="still")
/// >>> cooked = lissom.cook(clip, precision=0.001)
/// >>> cooked["still"].cooked, cooked.report[0]["within"]
/// (True, True)
#[pyfunction]
#[pyo3(signature = (source, *, precision=None, shell=None, budget=None, effort=None, unit=None, recipe=None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn cook(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    precision: Option<f64>,
    shell: Option<&Bound<'_, PyAny>>,
    budget: Option<u64>,
    effort: Option<&str>,
    unit: Option<f64>,
    recipe: Option<&Bound<'_, PyAny>>,
) -> PyResult<Asset> {
    let shells = shell.map(|shell| Numbers::of(shell, "shell")?.finite("shell")).transpose()?;
    let shell = shells.as_ref().filter(|s| s.shape.is_empty()).and_then(|s| s.values.first().copied());
    let cooking = Cooking::new(recipe, precision, shell, budget, effort, unit)?;
    if let Some(clips) = clips_of(source)? {
        if unit.is_some() || recipe.is_some() {
            return Err(argument(
                "source",
                "clips",
                "a file with unit and recipe; clips are in metres, see Clip.edit",
            ));
        }
        let clips: Vec<_> = clips.iter().map(|clip| clip.get()).collect();
        let shells = shells.filter(|s| !s.shape.is_empty());
        let (bytes, told) = py.detach(|| cook_clips(&clips, &cooking.builder(), shells.as_ref()))?;
        return finish(py, "clips.lsm".into(), bytes, &told);
    }
    if let Some(shells) = shells.filter(|s| !s.shape.is_empty()) {
        return Err(argument(
            "shell",
            format!("the shape {}", shells.shown()),
            "one length for a whole file",
        ));
    }
    let origin = source.cast::<Asset>().ok().map(|asset| asset.get().0.origin.clone());
    let given = if origin.is_none() { Some(Given::of(source, "source")?) } else { None };
    let (name, bytes, told) = py.detach(|| {
        let unit = cooking.unit.or(origin.as_ref().and_then(|o| o.unit));
        let mut cooking = Cooking { unit, ..cooking };
        if origin.as_ref().is_some_and(|o| !o.meshes) {
            cooking.recipe.no_mesh = Some(true);
        }
        let recipe = cooking.recipe()?;
        let files = origin.as_ref().map(|origin| |uri: &str| origin.file(uri));
        let input = match (&origin, &given) {
            (Some(origin), _) => {
                let input = Input::bytes(&origin.name, &origin.bytes);
                files.iter().fold(input, |input, files| input.with_files(files))
            }
            (None, Some(Given::Path(path))) => Input::file(path),
            (None, Some(Given::Bytes(bytes))) => Input::bytes("asset", bytes),
            (None, None) => return Err(defect("there is nothing to cook")),
        };
        let name = input.name().with_extension("lsm");
        let (bytes, report) = cook_input(&recipe, input)?;
        Ok((name, bytes, told_of(report)))
    })?;
    finish(py, name, bytes, &told)
}

/// Cooks one file into an archive on disk, as `lissom import FILE -o OUTPUT` does it, byte for byte; what was cooked, one
/// dict a clip, or None if the archive is there already and would become the same.
///
/// The archive appears whole or not at all, whoever else writes it: work that is done twice, or killed half-way, does no
/// harm. `name` is what the archive calls the file, so that it has the same bytes on every machine (`lissom.plan` tells);
/// without it, the last part of its path. The folder of `output` is made.
#[pyfunction]
#[pyo3(signature = (path, output, *, name=None, force=false, precision=None, shell=None, budget=None, effort=None, unit=None, recipe=None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python's")]
pub(crate) fn cook_file<'py>(
    py: Python<'py>,
    path: PathBuf,
    output: PathBuf,
    name: Option<String>,
    force: bool,
    precision: Option<f64>,
    shell: Option<f64>,
    budget: Option<u64>,
    effort: Option<&str>,
    unit: Option<f64>,
    recipe: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyList>>> {
    let cooking = Cooking::new(recipe, precision, shell, budget, effort, unit)?;
    let told = py.detach(|| {
        let recipe = cooking.recipe()?;
        let plain = Input::file(&path);
        let input = match name {
            Some(name) => plain.recorded_as(name),
            None => plain,
        };
        if let Some(there) = std::fs::read(&output).ok().filter(|_| !force)
            && recipe.is_unchanged(&AlignedBytes::copy_of(&there), std::slice::from_ref(&input))
        {
            return Ok(None);
        }
        let (bytes, report) = cook_input(&recipe, input)?;
        if let Some(folder) = output.parent() {
            std::fs::create_dir_all(folder).map_err(|error| errors::io(&error, folder))?;
        }
        write_whole(&output, &bytes)?;
        Ok::<_, PyErr>(Some(told_of(report)))
    })?;
    told.map(|told| report_list(py, &told)).transpose()
}

/// What `lissom import FILES -o DIR/` would cook: a list of (path, name, output). `name` is the same on every machine,
/// `output` the archive's path below DIR. Folders are searched, patterns (`clips/**/*.bvh`) too.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, files: &Bound<'_, PyAny>) -> PyResult<Vec<(PathBuf, String, PathBuf)>> {
    let files = match files.extract::<PathBuf>() {
        Ok(one) => vec![one],
        Err(_) => files.extract::<Vec<PathBuf>>()?,
    };
    let planned = py.detach(|| lissom_cli::plan_import(&files));
    let planned = planned.map_err(|error| PyValueError::new_err(format!("files: {error}")))?;
    Ok(planned.into_iter().map(|file| (file.path, file.name, file.output)).collect())
}

fn clips_of<'py>(source: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, Clip>>>> {
    if let Ok(clip) = source.cast::<Clip>() {
        return Ok(Some(vec![clip.clone()]));
    }
    let Ok(list) = source.cast::<PyList>() else { return Ok(None) };
    let clip = |item: Bound<'py, PyAny>| {
        item.cast_into::<Clip>().map_err(|_| argument("source", "a list of other things", "lissom.Clip"))
    };
    list.iter().map(clip).collect::<PyResult<Vec<_>>>().map(Some)
}

/// What a clip is called, how long it is, what it cost, and the joint that is farthest off.
type Told = (String, f64, CookReport, String);

fn told_of(report: Report) -> Vec<Told> {
    report.clips.into_iter().map(|c| (c.name, c.duration_s, c.cook, c.worst_joint)).collect()
}

fn cook_input(recipe: &Recipe, input: Input<'_>) -> PyResult<(Vec<u8>, Report)> {
    let cooked = recipe.cook(&[input], &run_tasks, &mut pipeline::unwatched).map_err(errors::pipeline)?;
    let report = cooked.inputs.into_iter().next().ok_or_else(|| defect("there is no report"))?;
    let report = report.map_err(errors::input)?;
    for graph in cooked.graphs {
        graph.map_err(errors::input)?;
    }
    Ok((cooked.archive.ok_or_else(|| defect("there is no archive"))?, report))
}

/// One length a joint.
fn joint_shells(shells: Option<&Numbers>, joints: usize) -> PyResult<Vec<JointPrecision>> {
    let Some(shells) = shells else { return Ok(Vec::new()) };
    if shells.shape != [joints] {
        let expected = format!("a length, or ({joints},), one a joint");
        return Err(argument("shell", format!("the shape {}", shells.shown()), expected));
    }
    if let Some(at) = shells.values.iter().position(|v| *v <= 0.0) {
        return Err(argument("shell", format!("{} at ({at},)", shells.values[at]), "metres above 0"));
    }
    let own = |(joint, shell): (usize, &f64)| JointPrecision { joint, precision: None, shell: Some(*shell) };
    Ok(shells.values.iter().enumerate().map(own).collect())
}

fn cook_clips(
    clips: &[&Clip],
    builder: &ClipBuilder,
    shells: Option<&Numbers>,
) -> PyResult<(Vec<u8>, Vec<Told>)> {
    if clips.is_empty() {
        return Err(argument("source", "an empty list", "at least one clip"));
    }
    let mut scene = Scene::default();
    let mut built: Vec<BuiltSkeleton> = Vec::new();
    let mut builders = Vec::with_capacity(clips.len());
    for clip in clips {
        let joints = joint_shells(shells, clip.0.body.joint_count())?;
        builders.push(ClipBuilder { joints, ..builder.clone() });
        let Motion::Authored(motion) = &clip.0.motion else {
            let found = format!("the cooked clip {:?}", clip.0.name);
            return Err(argument("source", found, "authored clips, or the whole asset"));
        };
        let identity = clip.0.body.built.skeleton.identity();
        let known = built.iter().position(|b| b.skeleton.identity() == identity);
        let skeleton = known.unwrap_or(built.len());
        if known.is_none() {
            built.push(clip.0.body.built.clone());
            let (name, skeleton) = (clip.0.body.name.clone(), clip.0.body.raw.clone());
            scene.skeletons.push(SceneSkeleton { name, skeleton, ..Default::default() });
        }
        scene.animations.push(SceneAnimation {
            skeleton: Some(skeleton),
            motion: (**motion).clone(),
            tracks: clip.0.tracks.iter().map(crate::track::TrackData::raw).collect(),
            markers: clip.0.markers.clone(),
            ..Default::default()
        });
    }
    settle_names([("clips", &mut scene)]);
    let slots: Vec<OnceLock<Result<CookedClip, String>>> = clips.iter().map(|_| OnceLock::new()).collect();
    run_tasks(clips.len(), &|i| {
        let animation = &scene.animations[i];
        let own = clips[i].0.body.clone();
        let cooked = builders[i].build(&own.built, &animation.motion);
        // Every task has a slot of its own.
        let _ = slots[i].set(cooked.map_err(|error| format!("clip {:?}: {error}", animation.motion.name)));
    });
    let (mut bytes, mut told) = (Vec::new(), Vec::new());
    for ((slot, animation), clip) in slots.into_iter().zip(&scene.animations).zip(clips) {
        let cooked = slot.into_inner().ok_or_else(|| defect("a clip was left out"))?;
        let cooked = cooked.map_err(PyValueError::new_err)?;
        let (error, skeleton) = (&cooked.report.error, &clip.0.body.built.skeleton);
        let worst =
            if error.worst() > 0.0 { skeleton.name(error.worst_joint).to_owned() } else { String::new() };
        told.push((animation.motion.name.clone(), animation.motion.duration_s, cooked.report, worst));
        bytes.push(cooked.bytes);
    }
    let mut pack = ScenePack::new();
    pack.add("clips", &scene, &built, bytes).map_err(format)?;
    Ok((pack.finish().finish().map_err(format)?, told))
}

fn finish(py: Python<'_>, name: PathBuf, bytes: Vec<u8>, told: &[Told]) -> PyResult<Asset> {
    let report = report_list(py, told)?;
    let origin = Origin { name, bytes: Arc::new(bytes), files: Arc::default(), unit: None, meshes: true };
    let mut data = py.detach(|| AssetData::of_archive(origin))?;
    data.report = Some(report.into_any().unbind());
    Ok(Asset(Arc::new(data)))
}

fn report_list<'py>(py: Python<'py>, told: &[Told]) -> PyResult<Bound<'py, PyList>> {
    let report = PyList::empty(py);
    for (name, duration_s, cook, worst_joint) in told {
        let clip = PyDict::new(py);
        clip.set_item("name", name)?;
        clip.set_item("duration", duration_s)?;
        clip.set_item("bytes", cook.bytes)?;
        clip.set_item("raw_bytes", cook.raw_bytes)?;
        clip.set_item("ratio", cook.ratio())?;
        clip.set_item("worst", cook.error.worst())?;
        clip.set_item("p99", cook.error.p99)?;
        clip.set_item("mean", cook.error.mean)?;
        clip.set_item("worst_joint", worst_joint)?;
        clip.set_item("worst_time", cook.error.worst_time_s)?;
        clip.set_item("within", cook.within)?;
        clip.set_item("rounds", cook.rounds)?;
        report.append(clip)?;
    }
    Ok(report)
}
