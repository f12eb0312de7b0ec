//! What a file holds.

use crate::{
    arrays::run_tasks,
    clip::{Clip, ClipData, Motion},
    crowd::description,
    errors::{self, argument, defect, format},
    matching,
    mesh::Mesh,
    skeleton::{Body, Skeleton},
    track::{Marker, Track, TrackData},
};
use lissom::archive::{Archive, SectionKind};
use lissom_build::{
    archive::settle_names,
    cook::ClipBuilder,
    export::{self, write_glb},
    import::{self, Format, ImportError, ImportOptions, Place, Unit, lsm},
    pipeline::{self, Input, Options, Plan, did_you_mean, find_clip},
    scene::Scene,
};
use lissom_motion::GraphParts;
use pyo3::{
    exceptions::{PyKeyError, PyTypeError},
    prelude::*,
    types::{PyBytes, PyDict},
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};

/// The bytes that an asset was opened from: what pickle carries and the cooker reads.
#[derive(Clone)]
pub(crate) struct Origin {
    /// What the file is called.
    pub(crate) name: PathBuf,
    pub(crate) bytes: Arc<Vec<u8>>,
    /// Other files that it names, by URI.
    pub(crate) files: Arc<Vec<(String, Vec<u8>)>>,
    /// Metres a unit, if somebody said so.
    pub(crate) unit: Option<f64>,
    /// False if meshes were left out.
    pub(crate) meshes: bool,
}

enum Content {
    Archive(Archive),
    /// Its motions are in the clips.
    Scene(Box<Scene>),
}

pub(crate) struct AssetData {
    pub(crate) origin: Origin,
    content: Content,
    bodies: Vec<Arc<Body>>,
    pub(crate) clips: Vec<ClipData>,
    meshes: OnceLock<Result<Vec<Mesh>, String>>,
    warnings: Vec<String>,
    /// What cooking gave, if it was cooked here.
    pub(crate) report: Option<Py<PyAny>>,
}

impl Origin {
    /// The bytes of a file that this one names.
    pub(crate) fn file(&self, uri: &str) -> Result<Vec<u8>, ImportError> {
        let found = self.files.iter().find(|(name, _)| name == uri).map(|(_, bytes)| bytes.clone());
        found.ok_or_else(|| ImportError::Format {
            place: Place::Path(uri.to_owned()),
            reason: "this file is named, but it was not there when the asset was opened".into(),
        })
    }

    pub(crate) fn options(&self) -> ImportOptions {
        let unit = self.unit.map_or(Unit::Auto, Unit::Metres);
        ImportOptions { unit, no_mesh: !self.meshes, ..ImportOptions::default() }
    }
}

/// What `open` and the others take: a path, bytes.
pub(crate) enum Given {
    Path(PathBuf),
    Bytes(Vec<u8>),
}

impl Given {
    pub(crate) fn of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        // Bytes are a file's content, never its name.
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.as_bytes().to_vec()));
        }
        if let Ok(path) = value.extract::<PathBuf>() {
            return Ok(Self::Path(path));
        }
        let buffer = value.py().import("builtins")?.call_method1("memoryview", (value,));
        let bytes = buffer.and_then(|view| view.call_method0("tobytes"));
        let bytes = bytes.map_err(|_| {
            let kind = value.get_type().to_string();
            PyTypeError::new_err(format!("{name}: found {kind}, expected a path or bytes"))
        })?;
        Ok(Self::Bytes(bytes.extract::<Vec<u8>>()?))
    }
}

/// Reads a file: glTF, FBX, BVH, SMPL (`.npz`), ozz, ACL, rawclip, a Lissom archive (`.lsm`). Told by its first bytes, else by its name.
///
/// Lengths become metres, y is up. `unit` says how long one of the file's units is, in metres. BVH files do not say: the
/// unit that makes the skeleton a human's is taken, and `warnings` tells which.
/// `meshes=False` leaves meshes out, with their materials and images: motion alone opens several times as fast. Archives read theirs
/// only when they are asked for, so it changes nothing for them.
///
/// >>> bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition } MOTION Frames: 3 Frame Time: 0.5 0 1 2"
/// >>> lissom.open(bvh).clips[0].positions(rate=2)[:, 0, 0]
/// array([0., 1., 2.])
#[pyfunction]
#[pyo3(signature = (path_or_bytes, *, name=None, unit=None, meshes=true))]
pub(crate) fn open(
    py: Python<'_>,
    path_or_bytes: &Bound<'_, PyAny>,
    name: Option<PathBuf>,
    unit: Option<f64>,
    meshes: bool,
) -> PyResult<Asset> {
    if let Some(unit) = unit.filter(|u| !(u.is_finite() && *u > 0.0)) {
        return Err(argument("unit", unit, "metres a unit, finite and above 0"));
    }
    let given = Given::of(path_or_bytes, "path_or_bytes")?;
    py.detach(|| {
        let options = ImportOptions::default();
        let (path, bytes) = match given {
            Given::Path(path) => {
                let bytes = import::read_limited(&path, options.limits.max_bytes).map_err(errors::open)?;
                (Some(path), bytes)
            }
            Given::Bytes(bytes) => (None, bytes),
        };
        let name = name.or_else(|| path.clone()).unwrap_or_else(|| "asset".into());
        let files = Mutex::new(Vec::new());
        let mut read = |uri: &str| {
            let Some(path) = &path else {
                let reason = "this file is named, but bytes have no folder".into();
                return Err(ImportError::Format { place: Place::Path(uri.into()), reason });
            };
            let bytes = import::read_beside(path, uri, &options.limits)?;
            files.lock().unwrap_or_else(|e| e.into_inner()).push((uri.to_owned(), bytes.clone()));
            Ok(bytes)
        };
        let mut origin = Origin { name, bytes: Arc::new(bytes), files: Arc::default(), unit, meshes };
        let data = AssetData::read(origin.clone(), &mut read)?;
        origin.files = Arc::new(files.into_inner().unwrap_or_else(|e| e.into_inner()));
        Ok(Asset(Arc::new(AssetData { origin, ..data })))
    })
}

impl AssetData {
    fn read(origin: Origin, files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>) -> PyResult<Self> {
        if Format::of_bytes(&origin.bytes) == Some(Format::Lsm) {
            return Self::of_archive(origin);
        }
        let scene = import::open_bytes(&origin.name, &origin.bytes, files, None, &origin.options());
        Self::of_scene(origin, scene.map_err(errors::open)?)
    }

    pub(crate) fn of_archive(origin: Origin) -> PyResult<Self> {
        let named =
            |error: lissom::archive::ArchiveError| format(format!("{}: {error}", origin.name.display()));
        let archive = Archive::read(&origin.bytes).map_err(named)?;
        let mut bodies = Vec::new();
        for (name, skeleton) in archive.skeletons() {
            bodies.push(Arc::new(Body::of_archive(name, &*skeleton.map_err(named)?)));
        }
        let mut clips = Vec::new();
        for (name, clip) in archive.clips() {
            let clip = clip.map_err(named)?;
            let identity = clip.view().skeleton_identity();
            let body = bodies.iter().find(|b| b.built.skeleton.identity() == identity);
            let body =
                body.ok_or_else(|| format(format!("clip {name:?} has no skeleton in this archive")))?;
            clips.push(ClipData::of_archive(&archive, name, clip, body.clone())?);
        }
        let content = Content::Archive(archive);
        Ok(Self {
            origin,
            content,
            bodies,
            clips,
            meshes: OnceLock::new(),
            warnings: Vec::new(),
            report: None,
        })
    }

    fn of_scene(origin: Origin, mut scene: Scene) -> PyResult<Self> {
        let mut bodies = Vec::new();
        for own in &scene.skeletons {
            bodies.push(Arc::new(Body::new(own.name.clone(), own.skeleton.clone()).map_err(format)?));
        }
        let mut clips = Vec::new();
        for animation in &mut scene.animations {
            let name = &animation.motion.name;
            let body = animation.skeleton.and_then(|s| bodies.get(s)).ok_or_else(|| {
                format(format!("{}: clip {name:?} has no skeleton in this file", origin.name.display()))
            })?;
            clips.push(ClipData::of_scene(animation, body.clone()));
        }
        let warnings = scene.warnings.iter().map(ToString::to_string).collect();
        let content = Content::Scene(Box::new(scene));
        Ok(Self { origin, content, bodies, clips, meshes: OnceLock::new(), warnings, report: None })
    }

    /// Everything in it, with motions as keys.
    fn scene(&self) -> PyResult<Scene> {
        match &self.content {
            Content::Archive(archive) => lsm::read(archive.bytes(), &Default::default()).map_err(format),
            Content::Scene(scene) => {
                let mut scene = (**scene).clone();
                for (animation, clip) in scene.animations.iter_mut().zip(&self.clips) {
                    if let Motion::Authored(motion) = &clip.motion {
                        animation.motion = (**motion).clone();
                    }
                }
                Ok(scene)
            }
        }
    }

    fn meshes(&self) -> PyResult<&[Mesh]> {
        let meshes = self.meshes.get_or_init(|| self.read_meshes().map_err(|error| error.to_string()));
        meshes.as_deref().map_err(format)
    }

    fn read_meshes(&self) -> Result<Vec<Mesh>, Box<dyn std::error::Error>> {
        let written;
        let archive = match &self.content {
            Content::Archive(archive) => archive,
            Content::Scene(scene) => {
                // Meshes alone, as games have them.
                let mut scene = Scene {
                    name: "asset".into(),
                    skeletons: scene.skeletons.clone(),
                    meshes: scene.meshes.clone(),
                    ..Default::default()
                };
                scene.meshes.iter_mut().for_each(|mesh| mesh.material = None);
                settle_names([("asset", &mut scene)]);
                let cooked = pipeline::cook_scene(&scene, &ClipBuilder::default(), &pipeline::serial)?;
                written = Archive::read(&cooked.archive)?;
                &written
            }
        };
        let mut meshes = Vec::new();
        for (name, mesh) in archive.meshes() {
            let mesh = mesh?;
            let identity = mesh.view().skeleton_identity;
            let body = self.bodies.iter().find(|b| b.built.skeleton.identity() == identity);
            let body = body.ok_or("a mesh has no skeleton in this file")?.clone();
            meshes.push(Mesh { name: name.to_owned(), mesh, body });
        }
        Ok(meshes)
    }

    fn clip(&self, name: &str) -> PyResult<&ClipData> {
        let names: Vec<String> = self.clips.iter().map(|c| c.name.clone()).collect();
        let found = find_clip(&names, &import::stem(&self.origin.name), name);
        found.and_then(|index| self.clips.get(index)).ok_or_else(|| {
            let meant = did_you_mean(&names, name);
            PyKeyError::new_err(format!(
                "there is no clip {name:?}{meant}; there are {}: {names:?}",
                names.len()
            ))
        })
    }

    /// If it is an archive.
    pub(crate) fn archive(&self) -> Option<&Archive> {
        match &self.content {
            Content::Archive(archive) => Some(archive),
            Content::Scene(_) => None,
        }
    }

    /// As an archive: what it is already, else cooked as usual.
    pub(crate) fn archive_bytes(&self) -> PyResult<Vec<u8>> {
        if let Content::Archive(archive) = &self.content {
            return Ok(archive.bytes().to_vec());
        }
        let plan = Plan::new(Options { import: self.origin.options(), ..Default::default() });
        let plan = plan.map_err(errors::open)?;
        let files = |uri: &str| self.origin.file(uri);
        let input = Input::bytes(&self.origin.name, &self.origin.bytes).with_files(&files);
        let cooked = plan.cook(&[input], &run_tasks, &mut pipeline::unwatched).map_err(errors::pipeline)?;
        for input in cooked.inputs {
            input.map_err(errors::input)?;
        }
        cooked.archive.ok_or_else(|| defect("there is no archive"))
    }
}

/// What a file holds: skeletons, clips, meshes, tracks and markers.
///
/// >>> bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition } MOTION Frames: 3 Frame Time: 0.5 0 1 2"
/// >>> asset = lissom.open(bvh, name="walk.bvh")
/// >>> asset["walk"].duration
/// 1.0
#[pyclass(frozen, module = "lissom", name = "Asset")]
pub(crate) struct Asset(pub(crate) Arc<AssetData>);

#[pymethods]
impl Asset {
    /// What the file is called.
    #[getter]
    fn name(&self) -> String {
        self.0.origin.name.display().to_string()
    }

    /// Its skeletons; most files have one.
    #[getter]
    fn skeletons(&self) -> Vec<Skeleton> {
        self.0.bodies.iter().cloned().map(Skeleton).collect()
    }

    /// Its clips, in file order.
    #[getter]
    fn clips(&self) -> Vec<Clip> {
        self.0.clips.iter().cloned().map(Clip).collect()
    }

    /// Its meshes, one a material.
    #[getter]
    fn meshes(&self, py: Python<'_>) -> PyResult<Vec<Mesh>> {
        Ok(py.detach(|| self.0.meshes())?.to_vec())
    }

    /// All tracks: those of clips, by `CLIP/TRACK`, and those that belong to none.
    #[getter]
    fn tracks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for clip in &self.0.clips {
            for track in &clip.tracks {
                all.set_item(format!("{}/{}", clip.name, track.name()), Track(track.clone()))?;
            }
        }
        match &self.0.content {
            Content::Scene(scene) => {
                for track in &scene.tracks {
                    all.set_item(&track.name, Track(TrackData::Authored(track.clone())))?;
                }
            }
            Content::Archive(archive) => {
                for (name, track) in
                    archive.tracks().filter(|(n, _)| archive.owner(SectionKind::Clip, n).is_none())
                {
                    let track = TrackData::Cooked { name: name.to_owned(), track: track.map_err(format)? };
                    all.set_item(name, Track(track))?;
                }
            }
        }
        Ok(all)
    }

    /// The named moments of clips, by the clips' names.
    #[getter]
    fn markers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for clip in self.0.clips.iter().filter(|clip| !clip.markers.is_empty()) {
            all.set_item(&clip.name, clip.markers.iter().map(Marker::of).collect::<Vec<_>>())?;
        }
        Ok(all)
    }

    /// Its graphs by name, as docs/GRAPHS.md describes them: what `Crowd` takes.
    #[getter]
    fn graphs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        match &self.0.content {
            Content::Scene(scene) => {
                for graph in &scene.graphs {
                    all.set_item(&graph.name, description(py, &graph.parts)?)?;
                }
            }
            Content::Archive(archive) => {
                for (name, bytes) in archive.graphs() {
                    let parts = GraphParts::read(&bytes.map_err(format)?);
                    let parts = parts.map_err(|error| format(format!("graph {name:?}: {error}")))?;
                    all.set_item(name, description(py, &parts)?)?;
                }
            }
        }
        Ok(all)
    }

    /// Its databases for motion matching, by name. Recipes make them: docs/MATCHING.md.
    #[getter]
    fn matching<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        if let Content::Archive(archive) = &self.0.content {
            for database in py.detach(|| matching::all(archive))? {
                all.set_item(database.name().to_owned(), database)?;
            }
        }
        Ok(all)
    }

    /// What was repaired, dropped or unclear in the file.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings.clone()
    }

    /// What cooking cost and gave, one dict a clip; None if it was not cooked here.
    #[getter]
    fn report(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.0.report.as_ref().map(|report| report.clone_ref(py))
    }

    /// The clip of this name, or by its place.
    fn __getitem__(&self, clip: &Bound<'_, PyAny>) -> PyResult<Clip> {
        if let Ok(name) = clip.extract::<String>() {
            return Ok(Clip(self.0.clip(&name)?.clone()));
        }
        let index: isize = clip.extract()?;
        let count = self.0.clips.len();
        let at = if index < 0 { index + count as isize } else { index };
        let found = usize::try_from(at).ok().and_then(|at| self.0.clips.get(at));
        found.cloned().map(Clip).ok_or_else(|| {
            pyo3::exceptions::PyIndexError::new_err(format!("clip {index}: there are {count}"))
        })
    }

    /// How many clips there are.
    fn __len__(&self) -> usize {
        self.0.clips.len()
    }

    /// The bytes of the archive that games load; an authored asset is cooked as `lissom import` does it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &py.detach(|| self.0.archive_bytes())?))
    }

    /// Writes that archive, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_whole(&path, &self.0.archive_bytes()?))
    }

    /// Writes everything as a `.glb`.
    fn export_gltf(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| write_whole(&path, &write_glb(&self.0.scene()?).map_err(format)?))
    }

    /// Writes one clip as BVH: the one of this name, or the only one.
    #[pyo3(signature = (path, clip=None))]
    fn export_bvh(&self, py: Python<'_>, path: PathBuf, clip: Option<&str>) -> PyResult<()> {
        let chosen = match (clip, self.0.clips.as_slice()) {
            (Some(name), _) => self.0.clip(name)?,
            (None, [only]) => only,
            (None, all) => {
                return Err(argument(
                    "clip",
                    format!("None of {} clips", all.len()),
                    "a name: a .bvh holds one",
                ));
            }
        };
        Clip(chosen.clone()).write_bvh(py, &path)
    }

    fn __repr__(&self) -> String {
        let data = &self.0;
        format!(
            "<lissom.Asset {:?}, {} skeletons, {} clips>",
            data.origin.name,
            data.bodies.len(),
            data.clips.len()
        )
    }

    /// For pickle.
    #[staticmethod]
    fn _from_bytes(
        py: Python<'_>,
        name: PathBuf,
        bytes: &[u8],
        files: Vec<(String, Vec<u8>)>,
        told: (Option<f64>, bool),
        report: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (unit, meshes) = told;
        let origin = Origin { name, bytes: Arc::new(bytes.to_vec()), files: Arc::new(files), unit, meshes };
        let data = py.detach(|| {
            let from = origin.clone();
            AssetData::read(origin, &mut |uri| from.file(uri))
        })?;
        Ok(Self(Arc::new(AssetData { report, ..data })))
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let py = slf.py();
        let AssetData { origin, report, .. } = &*slf.get().0;
        let files: Vec<_> = origin.files.iter().map(|(n, b)| (n.clone(), PyBytes::new(py, b))).collect();
        let report = report.as_ref().map(|r| r.clone_ref(py));
        let told = (origin.unit, origin.meshes);
        let parts = (origin.name.clone(), PyBytes::new(py, &origin.bytes), files, told, report);
        Ok((slf.get_type().getattr("_from_bytes")?, parts.into_pyobject(py)?.into_any()))
    }
}

/// Writes a file whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> PyResult<()> {
    export::write_whole(path, bytes).map_err(|error| errors::io(&error, path))
}
