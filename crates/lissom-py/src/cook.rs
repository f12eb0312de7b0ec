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
    archive::settle_names,
    cook::{ClipBuilder, JointPrecision},
    import::{self, Unit},
    pipeline::{self, ClipReport, Input, Options, Plan, Report, SceneError, cook_scene_with},
    recipe::{self, EFFORTS, RecipeFile},
    scene::{Scene, SceneAnimation, SceneSkeleton},
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyList},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// How a file is cooked: what a recipe says, and what arguments say, which goes before it.
#[derive(Default)]
pub(crate) struct Cooking {
    recipe: RecipeFile,
    asked: RecipeFile,
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
        let known = |asked: &str| EFFORTS.iter().find(|(name, _)| *name == asked).map(|(_, effort)| *effort);
        let wrong =
            |asked: &str| argument("effort", format!("{asked:?}"), "\"fast\", \"default\" or \"max\"");
        let effort = effort.map(|asked| known(asked).ok_or_else(|| wrong(asked))).transpose()?;
        let recipe = match recipe {
            Some(recipe) => read_recipe(&Given::of(recipe, "recipe")?)?,
            None => RecipeFile::default(),
        };
        let unit = unit.map(Unit::Metres);
        let asked =
            RecipeFile { precision_m: precision, shell_m: shell, budget, effort, unit, ..Default::default() };
        Ok(Self { recipe, asked })
    }

    /// The same as `lissom import` makes of a recipe and its options.
    fn options(self) -> Options<'static> {
        self.recipe.with(self.asked).options()
    }
}

fn read_recipe(given: &Given) -> PyResult<RecipeFile> {
    match given {
        Given::Bytes(bytes) => recipe::read(bytes).map_err(|error| format(format!("recipe: {error}"))),
        Given::Path(path) => {
            let bytes = import::read_limited(path, recipe::LARGEST as u64).map_err(errors::open)?;
            let file =
                recipe::read(&bytes).map_err(|error| format(format!("{}: {error}", path.display())))?;
            Ok(file.in_folder(path.parent().unwrap_or(Path::new(""))))
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
        let (bytes, told) = py.detach(|| cook_clips(&clips, &cooking.options().cook, shells.as_ref()))?;
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
        let mut cooking = cooking;
        let opened_with = origin.as_ref().and_then(|o| o.unit).map(Unit::Metres);
        cooking.asked.unit = cooking.asked.unit.or(opened_with);
        if origin.as_ref().is_some_and(|o| !o.meshes) {
            cooking.asked.no_mesh = Some(true);
        }
        let plan = Plan::new(cooking.options()).map_err(errors::open)?;
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
        let (bytes, report) = cook_input(&plan, input)?;
        Ok((name, bytes, report.clips))
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
        let plan = Plan::new(cooking.options()).map_err(errors::open)?;
        let plain = Input::file(&path);
        let input = match name {
            Some(name) => plain.recorded_as(name),
            None => plain,
        };
        if let Some(there) = std::fs::read(&output).ok().filter(|_| !force)
            && plan.is_unchanged(&AlignedBytes::copy_of(&there), std::slice::from_ref(&input))
        {
            return Ok(None);
        }
        let (bytes, report) = cook_input(&plan, input)?;
        if let Some(folder) = output.parent() {
            std::fs::create_dir_all(folder).map_err(|error| errors::io(&error, folder))?;
        }
        write_whole(&output, &bytes)?;
        Ok::<_, PyErr>(Some(report.clips))
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

fn cook_input(plan: &Plan, input: Input<'_>) -> PyResult<(Vec<u8>, Report)> {
    let cooked = plan.cook(&[input], &run_tasks, &mut pipeline::unwatched).map_err(errors::pipeline)?;
    let report = cooked.inputs.into_iter().next().ok_or_else(|| defect("there is no report"))?;
    let report = report.map_err(errors::input)?;
    for graph in cooked.graphs {
        graph.map_err(errors::input)?;
    }
    for database in cooked.matching {
        database.map_err(errors::input)?;
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
) -> PyResult<(Vec<u8>, Vec<ClipReport>)> {
    if clips.is_empty() {
        return Err(argument("source", "an empty list", "at least one clip"));
    }
    let mut scene = Scene { name: "clips".into(), ..Scene::default() };
    let mut known: Vec<u64> = Vec::new();
    // Skeleton by skeleton.
    let mut joints: Vec<Vec<JointPrecision>> = Vec::new();
    for clip in clips {
        let body = &clip.0.body;
        let Motion::Authored(motion) = &clip.0.motion else {
            let found = format!("the cooked clip {:?}", clip.0.name);
            return Err(argument("source", found, "authored clips, or the whole asset"));
        };
        let identity = body.built.skeleton.identity();
        let skeleton = known.iter().position(|own| *own == identity).unwrap_or(known.len());
        if skeleton == known.len() {
            known.push(identity);
            joints.push(joint_shells(shells, body.joint_count())?);
            let (name, skeleton) = (body.name.clone(), body.raw.clone());
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
    let own = |animation: &SceneAnimation, _: &BuiltSkeleton| {
        let joints = animation.skeleton.and_then(|place| joints.get(place)).cloned().unwrap_or_default();
        ClipBuilder { joints, ..builder.clone() }
    };
    let cooked = cook_scene_with(&scene, &own, &run_tasks).map_err(|error| match error {
        SceneError::Cook { .. } => PyValueError::new_err(error.to_string()),
        other => format(other),
    })?;
    Ok((cooked.archive, cooked.clips))
}

fn finish(py: Python<'_>, name: PathBuf, bytes: Vec<u8>, told: &[ClipReport]) -> PyResult<Asset> {
    let report = report_list(py, told)?;
    let origin = Origin { name, bytes: Arc::new(bytes), files: Arc::default(), unit: None, meshes: true };
    let mut data = py.detach(|| AssetData::of_archive(origin))?;
    data.report = Some(report.into_any().unbind());
    Ok(Asset(Arc::new(data)))
}

fn report_list<'py>(py: Python<'py>, told: &[ClipReport]) -> PyResult<Bound<'py, PyList>> {
    let report = PyList::empty(py);
    for ClipReport { name, duration_s, cook, worst_joint, .. } in told {
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
