//! Many characters at once, for simulation: states of a graph in, poses out.
//!
//! A [`Crowd`](lissom_motion::crowd::Crowd) decides and writes matrices; local poses, which a crowd does not keep, are shown by animators, one a
//! thread, of the members' states. Both are behind a lock that is only taken without the GIL.

mod made;
mod played;
mod saved;

pub(crate) use made::description;

use crate::{
    arrays::{Numbers, array, on_all_cores},
    asset::Asset,
    errors::{argument, defect},
    skeleton::Skeleton,
};
use lissom::{math::soa, track::Repeat};
use lissom_build::{graph, pipeline::did_you_mean};
use lissom_motion::{
    Graph, GraphParts, GraphState, RootStep,
    crowd::{CrowdError, Member, Palettes},
    frame::What,
    graph::{AnyKey, Parameter, ParameterKind},
    state::{GoTo, OneShot},
};
use made::{Said, make};
use played::Played;
use pyo3::{
    exceptions::{PyKeyError, PyValueError},
    prelude::*,
    types::{PyBytes, PyDict, PyList},
};
use std::sync::{Arc, Mutex, MutexGuard};

/// Numbers of a place: x, y, z, and a rotation x, y, z, w.
const PLACE: usize = 7;

/// Many characters of one skeleton that one graph plays: `count` states, parameters and poses as arrays.
///
/// `asset` has the clips; one that is not cooked is cooked as `asset.save` does it. `graph` is the name of one of its graphs
/// (`asset.graphs`), or a description of one: a dict, the bytes of a JSON file, or its `pathlib.Path` (docs/GRAPHS.md). `skeleton`
/// names one of several. Root motion moves `places`, unless `travels=False`. `palettes=True` keeps skinning matrices too.
///
/// Parameters are read and set by name, for all members: `crowd["speed"]`. A trigger is set by True, and taken away by the
/// transition that it starts. What is read is a copy, and cannot be written to.
///
/// What a member shows depends on nothing but what it was told and the steps, to the bit: not on threads, nor on how many others
/// there are. It is what a game shows.
///
/// >>> import numpy
/// >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
/// >>> still, turn = numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), numpy.tile([0, 1.0, 0, 0], (31, 1, 1))
/// >>> clips = [lissom.Clip.from_arrays(body, q, name=n, looping=True) for n, q in (("still", still), ("turn", turn))]
/// >>> states = [{"name": "all", "line": "speed", "points": [{"at": 0, "clip": "still"}, {"at": 1, "clip": "turn"}]}]
/// >>> graph = {"parameters": {"speed": {"float": 0}}, "layers": [{"name": "body", "states": states}]}
/// >>> crowd = lissom.Crowd(lissom.cook(clips), graph, 3)
/// >>> crowd["speed"] = [0, 0.5, 1]
/// >>> crowd.update(1 / 60)
/// >>> crowd.poses().shape, crowd.matrices().shape, crowd.states().tolist()
/// ((3, 1, 10), (3, 1, 4, 4), ['all', 'all', 'all'])
#[pyclass(frozen, module = "lissom", name = "Crowd")]
pub(crate) struct Crowd {
    asset: Py<Asset>,
    body: Skeleton,
    graph: Arc<Graph>,
    parts: GraphParts,
    count: usize,
    travels: bool,
    palettes: bool,
    played: Mutex<Played>,
}

#[pymethods]
impl Crowd {
    #[new]
    #[pyo3(signature = (asset, graph, count, *, skeleton=None, travels=true, palettes=false))]
    fn new(
        asset: &Bound<'_, Asset>,
        graph: &Bound<'_, PyAny>,
        count: usize,
        skeleton: Option<&str>,
        travels: bool,
        palettes: bool,
    ) -> PyResult<Self> {
        let said = Said::of(graph)?;
        let own = asset.get().0.clone();
        let made = asset.py().detach(|| make(&own, &said, count, skeleton, travels, palettes))?;
        let (body, graph, parts, played) = made;
        let played = Mutex::new(played);
        Ok(Self { asset: asset.clone().unbind(), body, graph, parts, count, travels, palettes, played })
    }

    fn __len__(&self) -> usize {
        self.count
    }

    /// The joints of each member.
    #[getter]
    fn skeleton(&self) -> Skeleton {
        self.body.clone()
    }

    /// The description of the graph, as docs/GRAPHS.md says it.
    #[getter]
    fn graph<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        description(py, &self.parts)
    }

    /// What may be set, and its kind: `"float"`, `"int"`, `"bool"` or `"trigger"`; a `"curve"` is set by the clips.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for parameter in &self.parts.parameters {
            let kind = match parameter.kind {
                ParameterKind::Float { .. } => "float",
                ParameterKind::Int { .. } => "int",
                ParameterKind::Bool { .. } => "bool",
                ParameterKind::Trigger => "trigger",
                ParameterKind::Curve { .. } => "curve",
            };
            all.set_item(&parameter.name, kind)?;
        }
        Ok(all)
    }

    /// What a parameter was set to, (count,): float32, int32 or bool.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.key(name)? {
            AnyKey::Float(key) => self.read(py, |state| state.get(key)),
            AnyKey::Int(key) => self.read(py, |state| state.get(key)),
            AnyKey::Bool(key) => self.read(py, |state| state.get(key)),
            AnyKey::Trigger(key) => self.read(py, |state| state.get(key)),
            AnyKey::Curve(key) => self.read(py, |state| state.curve(key)),
        }
    }

    /// Sets a parameter of everybody: one value, or (count,).
    fn __setitem__(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match self.key(name)? {
            AnyKey::Float(key) => {
                let one = |v: f64| Some(v as f32).filter(|v| v.is_finite());
                let values = self.values(name, value, false, one, "numbers that float32 can hold")?;
                self.change(py, |all| all.crowd.set_each(&all.members, key, &values))
            }
            AnyKey::Int(key) => {
                let one = |v: f64| Some(v as i32).filter(|i| f64::from(*i) == v);
                let values = self.values(name, value, false, one, "whole numbers that int32 can hold")?;
                self.change(py, |all| all.crowd.set_each(&all.members, key, &values))
            }
            AnyKey::Bool(key) => {
                let values = self.values(name, value, true, |v| Some(v != 0.0), "")?;
                self.change(py, |all| all.crowd.set_each(&all.members, key, &values))
            }
            AnyKey::Trigger(key) => {
                let values = self.values(name, value, true, |v| Some(v != 0.0), "")?;
                self.change(py, |all| all.crowd.set_each(&all.members, key, &values))
            }
            AnyKey::Curve(_) => Err(argument(name, value, "a parameter that is not set by the clips")),
        }
    }

    /// Advances all characters by `dt` seconds, on all cores, without the GIL.
    fn update(&self, py: Python<'_>, dt: f64) -> PyResult<()> {
        if !(dt.is_finite() && dt >= 0.0) {
            return Err(argument("dt", dt, "seconds, finite and at least 0"));
        }
        self.change(py, |all| all.update(dt))
    }

    /// Model-space matrices, (count, joints, 4, 4), float32.
    fn matrices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let joints = self.body.0.joint_count();
        let numbers = py.detach(|| {
            let all = self.lock();
            let mut out = vec![0.0_f32; self.count * joints * 16];
            let models = all.crowd.all_models();
            let copied = on_all_cores(&mut out, 16, self.count * joints, |first, out| {
                for (out, model) in out.chunks_exact_mut(16).zip(models.get(first..).unwrap_or_default()) {
                    out.copy_from_slice(&crate::poses::rows(model));
                }
                Ok::<(), std::convert::Infallible>(())
            });
            match copied {
                Ok(()) => out,
                Err(never) => match never {},
            }
        });
        array(py, numbers, &[self.count, joints, 4, 4])
    }

    /// Local poses, (count, joints, 10): translation, rotation (x, y, z, w) and scale in the parent's space, float32. They are
    /// made when they are asked for: who wants matrices alone saves their cost.
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let joints = self.body.0.joint_count();
        let numbers = py.detach(|| {
            let all = self.lock();
            let mut out = vec![0.0_f32; self.count * joints * 10];
            on_all_cores(&mut out, joints * 10, self.count, |first, out| {
                let mut animator = all.animator.clone();
                let mut save = animator.save();
                for (out, member) in out.chunks_exact_mut(joints * 10).zip(&all.members[first..]) {
                    save.state.clone_from(all.crowd.state(*member).map_err(defect)?);
                    save.memory.clone_from(all.crowd.memory(*member).map_err(defect)?);
                    animator.restore(&save).map_err(defect)?;
                    animator.update(0.0).map_err(defect)?;
                    for (joint, out) in out.chunks_exact_mut(10).enumerate() {
                        out.copy_from_slice(&soa::lane(animator.pose(), joint).to_array());
                    }
                }
                Ok::<(), PyErr>(())
            })?;
            Ok::<_, PyErr>(out)
        })?;
        array(py, numbers, &[self.count, joints, 10])
    }

    /// Skinning matrices of the skeleton's first mesh, (count, joints, 3, 4), float32; without a mesh relative to the rest pose.
    fn palettes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if !self.palettes {
            return Err(argument("palettes", "False where the crowd was made", "True"));
        }
        let joints = self.body.0.joint_count();
        let numbers = py.detach(|| match self.lock().crowd.palettes() {
            Some(Palettes::F32(rows)) => Ok(rows.as_flattened().as_flattened().to_vec()),
            _ => Err(defect("there are no palettes")),
        })?;
        array(py, numbers, &[self.count, joints, 3, 4])
    }

    /// Where everybody stands, (count, 7): x, y, z in metres and a rotation (x, y, z, w), float64. Root motion moves it; it may be set.
    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = py.detach(|| self.lock().steps(|crowd, member| crowd.place(member)))?;
        read_only(array(py, numbers, &[self.count, PLACE])?)
    }

    #[setter]
    fn set_places(&self, py: Python<'_>, places: &Bound<'_, PyAny>) -> PyResult<()> {
        let numbers = Numbers::of(places, "places")?.finite("places")?;
        if numbers.shape != [self.count, PLACE] {
            let expected = format!("({}, {PLACE})", self.count);
            return Err(argument("places", format!("the shape {}", numbers.shown()), expected));
        }
        let mut places = Vec::with_capacity(self.count);
        for (at, n) in numbers.values.chunks_exact(PLACE).enumerate() {
            let (translation, turn) = ([n[0], n[1], n[2]], [n[3], n[4], n[5], n[6]]);
            let length = turn.iter().map(|v| v * v).sum::<f64>().sqrt();
            if !(1e-6..1e6).contains(&length) {
                let found = format!("a rotation of length {length} at ({at},)");
                return Err(argument("places", found, "rotations of unit length"));
            }
            places.push(RootStep { translation, rotation: turn.map(|v| v / length) });
        }
        self.change(py, |all| all.crowd.set_places(&all.members, &places))
    }

    /// The step that everybody made in the last update, (count, 7), in the space that each stood in: a way in metres and a rotation (x, y,
    /// z, w), float64.
    fn root_motion<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = py.detach(|| self.lock().steps(|crowd, member| crowd.root_step(member)))?;
        array(py, numbers, &[self.count, PLACE])
    }

    /// The markers that were passed in the last update, as arrays of one length: `member`, `marker` (its name), `clip`, `layer`, `share`
    /// (when in the step: 0 at its start, 1 at its end), `weight` (how much of the clip is seen), `lap`, `backward`. By member, then by time.
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        type Told =
            (Vec<i64>, Vec<String>, Vec<String>, Vec<String>, Vec<f32>, Vec<f32>, Vec<i64>, Vec<bool>);
        let (members, markers, clips, layers, shares, weights, laps, backward): Told = py.detach(|| {
            let all = self.lock();
            let layer_names: Vec<&str> = self.graph.layer_names().collect();
            let clip_names: Vec<&str> = all.animator.body().clip_names().collect();
            let name =
                |names: &[&str], at: u16| names.get(usize::from(at)).copied().unwrap_or_default().to_owned();
            let mut told = Told::default();
            for event in all.crowd.events() {
                let What::Marker { marker, clip, lap, backward } = event.what else { continue };
                told.0.push(event.member.index() as i64);
                told.1.push(marker.name.to_owned());
                told.2.push(name(&clip_names, clip));
                told.3.push(name(&layer_names, event.layer));
                told.4.push(event.share);
                told.5.push(event.weight);
                told.6.push(lap);
                told.7.push(backward);
            }
            told
        });
        let shape = [members.len()];
        let events = PyDict::new(py);
        events.set_item("member", array(py, members, &shape)?)?;
        events.set_item("marker", texts(py, &markers)?)?;
        events.set_item("clip", texts(py, &clips)?)?;
        events.set_item("layer", texts(py, &layers)?)?;
        events.set_item("share", array(py, shares, &shape)?)?;
        events.set_item("weight", array(py, weights, &shape)?)?;
        events.set_item("lap", array(py, laps, &shape)?)?;
        events.set_item("backward", array(py, backward, &shape)?)?;
        Ok(events)
    }

    /// What states and one-shots did in the last update, as arrays of one length: `member`, `what` ("entered", "left", "finished",
    /// "transition started", "transition ended", "shot began", "shot ended", "shot interrupted", "section began"), `name` (the state's or
    /// the section's; of a one-shot its clip's), `layer`, `share` and `weight` as in `events`. By member, then by time.
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        type Told = (Vec<i64>, Vec<String>, Vec<String>, Vec<String>, Vec<f32>, Vec<f32>);
        let (members, whats, names, layers, shares, weights): Told = py.detach(|| {
            let all = self.lock();
            let layer_names: Vec<&str> = self.graph.layer_names().collect();
            let mut told = Told::default();
            for event in all.crowd.events() {
                let what = match event.what {
                    What::Entered(_) => "entered",
                    What::Left(_) => "left",
                    What::Finished(_) => "finished",
                    What::TransitionStarted(_) => "transition started",
                    What::TransitionEnded(_) => "transition ended",
                    What::ShotBegan(_) => "shot began",
                    What::ShotEnded(_) => "shot ended",
                    What::ShotInterrupted(_) => "shot interrupted",
                    What::SectionBegan(_) => "section began",
                    _ => continue,
                };
                told.0.push(event.member.index() as i64);
                told.1.push(what.to_owned());
                told.2.push(event.what.name(&self.graph).unwrap_or_default().to_owned());
                told.3
                    .push(layer_names.get(usize::from(event.layer)).copied().unwrap_or_default().to_owned());
                told.4.push(event.share);
                told.5.push(event.weight);
            }
            told
        });
        let shape = [members.len()];
        let changes = PyDict::new(py);
        changes.set_item("member", array(py, members, &shape)?)?;
        changes.set_item("what", texts(py, &whats)?)?;
        changes.set_item("name", texts(py, &names)?)?;
        changes.set_item("layer", texts(py, &layers)?)?;
        changes.set_item("share", array(py, shares, &shape)?)?;
        changes.set_item("weight", array(py, weights, &shape)?)?;
        Ok(changes)
    }

    /// The state that leads in everybody's layer, (count,), by name; the lowest layer unless told. A layer without states has "".
    #[pyo3(signature = (layer=None))]
    fn states<'py>(&self, py: Python<'py>, layer: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        let layer = layer.map_or(Ok(0), |name| self.layer(name))?;
        let names = py.detach(|| {
            let all = self.lock();
            let name = |member: &Member| {
                let state = all.crowd.state(*member).map_err(defect)?;
                Ok(state.leading(&self.graph, layer).unwrap_or_default().to_owned())
            };
            all.members.iter().map(name).collect::<PyResult<Vec<_>>>()
        })?;
        texts(py, &names)
    }

    /// Plays a montage, or a clip that the graph lists, over a layer, the highest unless told, from the next update on. `members` are their
    /// numbers, or a mask (count,); everybody unless told. It comes and goes in `fade` seconds, or goes in `fade_out`; with `loop` a clip
    /// repeats until `stop`. It starts at `at`, a share of the clip; with `queued`, when the one before it fades out. With `inertia` it is
    /// there alone at once, and the difference to the old motion fades out.
    #[pyo3(signature = (clip, layer=None, *, members=None, fade=0.2, fade_out=None, speed=1.0, r#loop=false, at=0.0, queued=false, inertia=false))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python's")]
    fn play(
        &self,
        py: Python<'_>,
        clip: &str,
        layer: Option<&str>,
        members: Option<&Bound<'_, PyAny>>,
        fade: f32,
        fade_out: Option<f32>,
        speed: f32,
        r#loop: bool,
        at: f32,
        queued: bool,
        inertia: bool,
    ) -> PyResult<()> {
        let shot = self.graph.one_shot(clip).map_err(|_| {
            let clips = self.graph.clips().iter().map(|clip| clip.name.to_string());
            let montages = self.graph.montages().map(|(name, _)| name.to_owned());
            let names: Vec<String> = montages.chain(clips).collect();
            let what = if names.len() > self.graph.clips().len() { "montage or clip" } else { "clip" };
            unknown(what, clip, &names)
        })?;
        let layer = self.layer_key(layer)?;
        if !(speed.is_finite() && speed > 0.0) {
            return Err(argument("speed", speed, "a number, finite and above 0"));
        }
        if !(fade.is_finite() && fade >= 0.0) {
            return Err(argument("fade", fade, "seconds, finite and at least 0"));
        }
        let fade_out_s = fade_out.unwrap_or(fade);
        if !(fade_out_s.is_finite() && fade_out_s >= 0.0) {
            return Err(argument("fade_out", fade_out_s, "seconds, finite and at least 0"));
        }
        if !(0.0..=1.0).contains(&at) {
            return Err(argument("at", at, "a share of the clip in [0, 1]"));
        }
        let repeat = if r#loop { Repeat::Loop } else { Repeat::Once };
        let how = OneShot { speed, fade_in_s: fade, fade_out_s, repeat, at, queued, inertial: inertia };
        let who = self.who(members)?;
        self.change(py, |all| {
            who.iter().try_for_each(|at| all.crowd.play(all.members[*at], layer, shot, how).map(drop))
        })
    }

    /// Goes to a state of a layer, the lowest unless told, with the next update, whatever transitions say. `members` as in `play`. It takes
    /// `fade` seconds; with `inertia` the state plays alone at once, and the difference to the old motion fades out. `at` is where it starts,
    /// as a share of its lap.
    #[pyo3(signature = (state, layer=None, *, members=None, fade=0.2, inertia=false, at=0.0))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python's")]
    fn go_to(
        &self,
        py: Python<'_>,
        state: &str,
        layer: Option<&str>,
        members: Option<&Bound<'_, PyAny>>,
        fade: f32,
        inertia: bool,
        at: f32,
    ) -> PyResult<()> {
        let number = layer.map_or(Ok(0), |name| self.layer(name))?;
        let layer = self.graph.layer_names().nth(number).unwrap_or_default();
        let key = self.graph.layer(layer).map_err(defect)?;
        let states: Vec<String> = self.graph.state_names(number).map(str::to_owned).collect();
        let state = self.graph.state_key(key, state).map_err(|_| unknown("state", state, &states))?;
        if !(fade.is_finite() && fade >= 0.0) {
            return Err(argument("fade", fade, "seconds, finite and at least 0"));
        }
        if !(0.0..=1.0).contains(&at) {
            return Err(argument("at", at, "a share of a lap in [0, 1]"));
        }
        let how = GoTo { fade_s: fade, inertial: inertia, at, ..GoTo::default() };
        let who = self.who(members)?;
        self.change(py, |all| who.iter().try_for_each(|at| all.crowd.go_to(all.members[*at], state, how)))
    }

    /// Lets what `play` started in a layer go.
    #[pyo3(signature = (layer=None, *, members=None))]
    fn stop(&self, py: Python<'_>, layer: Option<&str>, members: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let layer = self.layer_key(layer)?;
        let who = self.who(members)?;
        self.change(py, |all| who.iter().try_for_each(|at| all.crowd.stop(all.members[*at], layer)))
    }

    /// All that decides what comes, as bytes: states, what poses remember, and places. From there on the same parameters and steps give the same bits.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| saved::write(&self.lock()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Puts back what `save` gave, of a crowd of as many and of the same graph. Poses are then those of that moment; events and
    /// root motion are empty until the next update.
    fn restore(&self, py: Python<'_>, saved: &[u8]) -> PyResult<()> {
        let (saves, places) = saved::read(saved, self.count, &self.graph, &self.body)?;
        self.change(py, |all| {
            for (member, save) in all.members.iter().zip(&saves) {
                all.crowd.set_state(*member, &save.state)?;
                all.crowd.set_memory(*member, &save.memory)?;
            }
            all.update(0.0)?;
            // Last: a step of nothing still rounds where everybody stands.
            all.crowd.set_places(&all.members, &places)
        })
    }

    fn __repr__(&self) -> String {
        format!("<lissom.Crowd of {}, {} joints each>", self.count, self.body.0.joint_count())
    }

    /// For pickle.
    #[staticmethod]
    fn _from_parts(
        asset: &Bound<'_, Asset>,
        graph: &Bound<'_, PyAny>,
        count: usize,
        skeleton: &str,
        travels: bool,
        palettes: bool,
        saved: &[u8],
    ) -> PyResult<Self> {
        let crowd = Self::new(asset, graph, count, Some(skeleton), travels, palettes)?;
        crowd.restore(asset.py(), saved)?;
        Ok(crowd)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, own) = (slf.py(), slf.get());
        let graph = PyBytes::new(py, graph::to_json(&own.parts).as_bytes());
        let (asset, skeleton) = (own.asset.clone_ref(py), own.body.0.name.clone());
        let parts = (asset, graph, own.count, skeleton, own.travels, own.palettes, own.save(py)?);
        Ok((slf.get_type().getattr("_from_parts")?, parts.into_pyobject(py)?.into_any()))
    }
}

impl Crowd {
    /// Without the GIL alone: who waits for it here would wait for whoever holds it.
    fn lock(&self) -> MutexGuard<'_, Played> {
        self.played.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn change(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Played) -> Result<(), CrowdError> + Send,
    ) -> PyResult<()> {
        py.detach(|| work(&mut self.lock())).map_err(refused)
    }

    fn key(&self, name: &str) -> PyResult<AnyKey> {
        self.graph.parameter(name).map(Parameter::key).ok_or_else(|| {
            let names: Vec<String> = self.parts.parameters.iter().map(|p| p.name.clone()).collect();
            unknown("parameter", name, &names)
        })
    }

    fn layer(&self, name: &str) -> PyResult<usize> {
        let names: Vec<String> = self.graph.layer_names().map(str::to_owned).collect();
        names.iter().position(|own| own == name).ok_or_else(|| unknown("layer", name, &names))
    }

    fn layer_key(&self, name: Option<&str>) -> PyResult<lissom_motion::graph::LayerKey> {
        let highest = || self.graph.layer_names().last().unwrap_or_default();
        let name = name.unwrap_or_else(highest);
        self.layer(name)?;
        self.graph.layer(name).map_err(defect)
    }

    fn read<'py, T: numpy::Element + Send>(
        &self,
        py: Python<'py>,
        value: impl Fn(&GraphState) -> Option<T> + Send + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = py.detach(|| {
            let all = self.lock();
            let one = |member: &Member| value(all.crowd.state(*member).ok()?);
            all.members.iter().map(one).collect::<Option<Vec<T>>>()
        });
        let values = values.ok_or_else(|| defect("a parameter is gone"))?;
        read_only(array(py, values, &[self.count])?)
    }

    /// One value a member.
    fn values<T: Copy>(
        &self,
        name: &str,
        value: &Bound<'_, PyAny>,
        flags: bool,
        one: impl Fn(f64) -> Option<T>,
        expected: &str,
    ) -> PyResult<Vec<T>> {
        let numbers = if flags { flags_of(value, name)? } else { Numbers::of(value, name)?.finite(name)? };
        let many = numbers.shape == [self.count];
        if !(many || numbers.shape.is_empty()) {
            let expected = format!("one value or ({},)", self.count);
            return Err(argument(name, format!("the shape {}", numbers.shown()), expected));
        }
        let mut values = Vec::with_capacity(numbers.values.len());
        for (at, number) in numbers.values.iter().enumerate() {
            let place = if many { format!(" at ({at},)") } else { String::new() };
            values.push(one(*number).ok_or_else(|| argument(name, format!("{number:?}{place}"), expected))?);
        }
        match values.as_slice() {
            [value] if !many => Ok(vec![*value; self.count]),
            _ => Ok(values),
        }
    }

    /// Numbers of members, out of numbers or a mask.
    fn who(&self, members: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<usize>> {
        let Some(members) = members else { return Ok((0..self.count).collect()) };
        if kind_of(members)? == "b" {
            let mask = flags_of(members, "members")?;
            if mask.shape != [self.count] {
                let expected = format!("numbers of members, or a mask ({},)", self.count);
                return Err(argument("members", format!("a mask of the shape {}", mask.shown()), expected));
            }
            return Ok((0..self.count).filter(|at| mask.values[*at] != 0.0).collect());
        }
        let numbers = Numbers::of(members, "members")?.finite("members")?;
        let one = |number: &f64| {
            let at = *number as usize;
            let fits = at as f64 == *number && at < self.count;
            fits.then_some(at)
                .ok_or_else(|| argument("members", number, format!("0 to {}", self.count as i64 - 1)))
        };
        numbers.values.iter().map(one).collect()
    }
}

fn refused(error: CrowdError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn unknown(what: &str, name: &str, names: &[String]) -> PyErr {
    let meant = did_you_mean(names, name);
    PyKeyError::new_err(format!("there is no {what} {name:?}{meant}; there are {}: {names:?}", names.len()))
}

fn kind_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    array.getattr("dtype")?.getattr("kind")?.extract()
}

/// True and False, as 1 and 0.
fn flags_of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Numbers> {
    let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    let dtype = array.getattr("dtype")?;
    if dtype.getattr("kind")?.extract::<String>()? != "b" {
        return Err(argument(name, format!("an array of dtype {dtype}"), "True and False"));
    }
    Numbers::of(&array.call_method1("astype", ("uint8",))?, name)
}

/// An array of texts.
fn texts<'py>(py: Python<'py>, texts: &[String]) -> PyResult<Bound<'py, PyAny>> {
    py.import("numpy")?.call_method1("array", (PyList::new(py, texts)?, "str"))
}

/// A copy that cannot be written to: what is written would be lost.
fn read_only(array: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let how = PyDict::new(array.py());
    how.set_item("write", false)?;
    array.call_method("setflags", (), Some(&how))?;
    Ok(array)
}
