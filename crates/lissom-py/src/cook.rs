//! Cooking: from what is authored to the archive that games load, within a precision.

use crate::{
    arrays::run_tasks,
    asset::{Asset, AssetData, Given, Origin},
    clip::{Clip, Motion},
    errors::{self, argument, defect, format},
};
use lissom_build::{
    BuiltSkeleton,
    archive::{ScenePack, settle_names},
    cook::{ClipBuilder, CookReport, CookedClip, Effort},
    pipeline::{self, Input, Options, Recipe},
    scene::{Scene, SceneAnimation, SceneSkeleton},
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyList},
};
use std::sync::{Arc, OnceLock};

/// Cooks a file, bytes, an asset, a clip or a list of clips into an archive: an `Asset` whose clips play as games play
/// them, with `asset.report`.
///
/// No point of a shell around any joint, and no vertex, is farther off than `precision` (metres, 0.0001 unless told);
/// `shell` is how far from each joint that is measured (0.03). `budget` is how many bytes a clip may take: then the
/// smallest error that fits is searched for. `effort` is "fast", "default" or "max".
///
/// >>> import numpy
/// >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
/// >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), name="still")
/// >>> cooked = lissom.cook(clip, precision=0.001)
/// >>> cooked["still"].cooked, cooked.report[0]["within"]
/// (True, True)
#[pyfunction]
#[pyo3(signature = (source, *, precision=None, shell=None, budget=None, effort="default"))]
pub(crate) fn cook(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    precision: Option<f64>,
    shell: Option<f64>,
    budget: Option<u64>,
    effort: &str,
) -> PyResult<Asset> {
    for (name, value) in [("precision", precision), ("shell", shell)] {
        if let Some(value) = value.filter(|v| !(v.is_finite() && *v > 0.0)) {
            return Err(argument(name, value, "metres, finite and above 0"));
        }
    }
    let effort = match effort {
        "fast" => Effort::Fast,
        "default" => Effort::Default,
        "max" => Effort::Max,
        other => return Err(argument("effort", format!("{other:?}"), "\"fast\", \"default\" or \"max\"")),
    };
    let builder = ClipBuilder { budget, effort, ..ClipBuilder::default() };
    let clips = match (source.cast::<Clip>(), source.cast::<PyList>()) {
        (Ok(clip), _) => Some(vec![clip.clone()]),
        (_, Ok(list)) => Some(
            list.iter()
                .map(|item| {
                    item.cast_into::<Clip>()
                        .map_err(|_| argument("source", "a list of other things", "lissom.Clip"))
                })
                .collect::<PyResult<Vec<_>>>()?,
        ),
        _ => None,
    };
    if let Some(clips) = clips {
        let builder = ClipBuilder {
            precision: precision.unwrap_or(builder.precision),
            shell: shell.unwrap_or(builder.shell),
            ..builder
        };
        let clips: Vec<_> = clips.iter().map(|clip| clip.get()).collect();
        let (bytes, reports) = py.detach(|| cook_clips(&clips, &builder))?;
        return finish(py, "clips.lsm".into(), bytes, &reports);
    }
    let origin = match source.cast::<Asset>() {
        Ok(asset) => Some(asset.get().0.origin.clone()),
        Err(_) => None,
    };
    let given = if origin.is_none() { Some(Given::of(source, "source")?) } else { None };
    let (name, bytes, reports) =
        py.detach(|| cook_file(origin.as_ref(), given.as_ref(), precision, shell, builder))?;
    finish(py, name, bytes, &reports)
}

/// What a clip is called, how long it is, what it cost, and the joint that is farthest off.
type Told = (String, f64, CookReport, String);

fn cook_file(
    origin: Option<&Origin>,
    given: Option<&Given>,
    precision: Option<f64>,
    shell: Option<f64>,
    cook: ClipBuilder,
) -> PyResult<(std::path::PathBuf, Vec<u8>, Vec<Told>)> {
    let import = origin.map(Origin::options).unwrap_or_default();
    let recipe = Recipe::new(Options { import, precision, shell, cook, ..Default::default() });
    let recipe = recipe.map_err(errors::open)?;
    let files = origin.map(|origin| |uri: &str| origin.file(uri));
    let input = match (origin, given) {
        (Some(origin), _) => {
            let input = Input::bytes(&origin.name, &origin.bytes);
            files.iter().fold(input, |input, files| input.with_files(files))
        }
        (None, Some(Given::Path(path))) => Input::file(path),
        (None, Some(Given::Bytes(bytes))) => Input::bytes("asset", bytes),
        (None, None) => return Err(defect("there is nothing to cook")),
    };
    let name = input.name().with_extension("lsm");
    let cooked = recipe.cook(&[input], &run_tasks, &mut pipeline::unwatched).map_err(errors::pipeline)?;
    let mut told = Vec::new();
    for report in cooked.inputs {
        let clips = report.map_err(errors::input)?.clips;
        told.extend(clips.into_iter().map(|c| (c.name, c.duration_s, c.cook, c.worst_joint)));
    }
    Ok((name, cooked.archive.ok_or_else(|| defect("there is no archive"))?, told))
}

fn cook_clips(clips: &[&Clip], builder: &ClipBuilder) -> PyResult<(Vec<u8>, Vec<Told>)> {
    if clips.is_empty() {
        return Err(argument("source", "an empty list", "at least one clip"));
    }
    let mut scene = Scene::default();
    let mut built: Vec<BuiltSkeleton> = Vec::new();
    for clip in clips {
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
        let cooked = builder.build(&own.built, &animation.motion);
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

fn finish(py: Python<'_>, name: std::path::PathBuf, bytes: Vec<u8>, told: &[Told]) -> PyResult<Asset> {
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
    let origin = Origin { name, bytes: bytes.into(), files: Arc::default(), unit: None };
    let mut data = py.detach(|| AssetData::of_archive(origin))?;
    data.report = Some(report.into_any().unbind());
    Ok(Asset(Arc::new(data)))
}
