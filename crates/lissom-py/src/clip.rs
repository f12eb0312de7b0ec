//! A motion of a skeleton: as authored, or cooked.

use crate::{
    arrays::{Numbers, array},
    asset::write_whole,
    carry,
    edit::{self, Asking},
    errors::{argument, defect, format},
    poses::{self, Order, Poses, Wanted},
    skeleton::{Body, Skeleton},
    track::{Marker, Track, TrackData},
};
use lissom::{
    archive::{Archive, ArchiveError, SectionKind},
    job::JobError,
};
use lissom_build::{
    exact::{Q4, V3},
    export::write_bvh,
    raw::{Channel, Curve, RawAnimation, RawTrack},
    retarget::{BoneNames, Goals},
    scene::{self, SceneAnimation},
};
use pyo3::{
    exceptions::{PyUserWarning, PyValueError},
    prelude::*,
    types::{PyBytes, PyDict},
};
use std::{
    collections::BTreeMap,
    ffi::CString,
    path::{Path, PathBuf},
    sync::Arc,
};

/// What moves.
#[derive(Clone)]
pub(crate) enum Motion {
    /// As authored, in f64.
    Authored(Arc<RawAnimation>),
    /// As a game plays it, in f32.
    Cooked(lissom::Clip),
}

/// A motion and what goes with it.
#[derive(Clone)]
pub(crate) struct ClipData {
    pub(crate) name: String,
    pub(crate) body: Arc<Body>,
    pub(crate) motion: Motion,
    pub(crate) tracks: Vec<TrackData>,
    pub(crate) markers: Vec<scene::Marker>,
}

impl ClipData {
    /// Takes the motion out of the scene.
    pub(crate) fn of_scene(animation: &mut SceneAnimation, body: Arc<Body>) -> Self {
        let motion = std::mem::take(&mut animation.motion);
        Self {
            name: motion.name.clone(),
            body,
            motion: Motion::Authored(Arc::new(motion)),
            tracks: animation.tracks.iter().cloned().map(TrackData::Authored).collect(),
            markers: animation.markers.clone(),
        }
    }

    pub(crate) fn of_archive(
        archive: &Archive,
        name: &str,
        clip: lissom::Clip,
        body: Arc<Body>,
    ) -> PyResult<Self> {
        let mut tracks = Vec::new();
        for (full_name, track) in archive.tracks() {
            let owner = archive.owner(SectionKind::Clip, full_name);
            if let Some((_, own)) = owner.filter(|(clip, _)| *clip == name) {
                tracks.push(TrackData::Cooked { name: own.to_owned(), track: track.map_err(format)? });
            }
        }
        let markers = match archive.markers(name) {
            Ok(markers) => {
                let marker = |m: lissom::track::MarkerView<'_>| scene::Marker {
                    name: m.name.to_owned(),
                    time_s: m.time_s,
                    duration_s: m.duration_s,
                };
                markers.view().iter().map(marker).collect()
            }
            Err(ArchiveError::Missing { .. }) => Vec::new(),
            Err(error) => return Err(format(error)),
        };
        Ok(Self { name: name.to_owned(), body, motion: Motion::Cooked(clip), tracks, markers })
    }

    pub(crate) fn duration_s(&self) -> f64 {
        match &self.motion {
            Motion::Authored(motion) => motion.duration_s,
            Motion::Cooked(clip) => clip.view().duration_s(),
        }
    }

    /// The frames that it was authored or cooked with, if they are even.
    fn own_frames(&self) -> Option<OwnFrames> {
        fn times<V>(channel: &Channel<V>) -> Vec<f64> {
            channel.keys.iter().map(|k| k.time_s).collect()
        }
        match &self.motion {
            Motion::Authored(motion) => {
                let channels = motion.tracks.iter().flat_map(|t| {
                    let counts = [t.translation.keys.len(), t.rotation.keys.len(), t.scale.keys.len()];
                    counts.into_iter().enumerate().map(move |(kind, count)| (count, kind, t))
                });
                let (_, kind, track) = channels.max_by_key(|(count, ..)| *count)?;
                OwnFrames::of(&match kind {
                    0 => times(&track.translation),
                    1 => times(&track.rotation),
                    _ => times(&track.scale),
                })
            }
            Motion::Cooked(clip) => {
                let view = clip.view();
                OwnFrames::of(&(0..view.row_count()).map(|row| view.row_time_s(row)).collect::<Vec<_>>())
            }
        }
    }

    fn poses<'py>(
        &self,
        py: Python<'py>,
        times: &[f64],
        order: Order,
        wanted: Wanted,
    ) -> PyResult<Bound<'py, PyAny>> {
        let poses = py.detach(|| self.computed(times, order, wanted)).map_err(defect)?;
        self.shaped(py, poses, times, wanted)
    }

    fn computed(&self, times: &[f64], order: Order, wanted: Wanted) -> Result<Poses, JobError> {
        match &self.motion {
            Motion::Authored(motion) => poses::authored(&self.body, motion, times, order, wanted),
            Motion::Cooked(clip) => poses::cooked(&self.body, clip, times, order, wanted),
        }
    }

    fn shaped<'py>(
        &self,
        py: Python<'py>,
        poses: Poses,
        times: &[f64],
        wanted: Wanted,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut shape = vec![times.len(), self.body.joint_count()];
        shape.extend(wanted.shape());
        match poses {
            Poses::F32(values) => array(py, values, &shape),
            Poses::F64(values) => array(py, values, &shape),
        }
    }
}

/// A motion of a skeleton.
///
/// A clip of an authored file is evaluated exactly, in float64. A clip of an archive is played as a game plays it, in
/// float32.
///
/// >>> import numpy
/// >>> body = lissom.Skeleton(["hips", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]])
/// >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 2, 1)), rate=30)
/// >>> clip.duration, clip.sample([0, 0.5, 1]).shape
/// (1.0, (3, 2, 10))
#[pyclass(frozen, module = "lissom", name = "Clip")]
pub(crate) struct Clip(pub(crate) ClipData);

#[pymethods]
impl Clip {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.0.duration_s()
    }

    /// Frames per second, if its keys lie at an even rate; None if they do not. A rate that a file rounds is the whole number that
    /// it means: 120.0 for BVH's `Frame Time: 0.0083333`.
    #[getter]
    fn rate(&self) -> Option<f64> {
        self.0.own_frames().map(|own| own.rate)
    }

    /// How many frames it has at its own `rate`; None if its keys are not even. `clip.positions(rate=None)` is frame by frame.
    #[getter]
    fn frames(&self) -> Option<usize> {
        self.0.own_frames().map(|own| own.count)
    }

    /// True if the last pose is the first one again.
    #[getter]
    fn looping(&self) -> bool {
        match &self.0.motion {
            Motion::Authored(motion) => motion.looping,
            Motion::Cooked(clip) => clip.view().is_looping(),
        }
    }

    /// True if it is played as a game plays it, False if it is as authored.
    #[getter]
    fn cooked(&self) -> bool {
        matches!(self.0.motion, Motion::Cooked(_))
    }

    /// The joints that it moves.
    #[getter]
    fn skeleton(&self) -> Skeleton {
        Skeleton(self.0.body.clone())
    }

    /// Numbers that change along with it.
    #[getter]
    fn tracks(&self) -> Vec<Track> {
        self.0.tracks.iter().cloned().map(Track).collect()
    }

    /// Its named moments, rising in time.
    #[getter]
    fn markers(&self) -> Vec<Marker> {
        self.0.markers.iter().map(Marker::of).collect()
    }

    /// Poses at times in seconds, in any order; times outside of the clip are its ends.
    ///
    /// `space="local"` gives (times, joints, 10): translation, rotation (x, y, z, w) and scale in the parent's space;
    /// `matrices=True` gives 4×4 matrices instead. `space="model"` gives the matrices (times, joints, 4, 4) that games
    /// see, float32. A single number gives one pose, without the first axis.
    #[pyo3(signature = (times, *, space="local", matrices=None, order="built"))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        times: &Bound<'py, PyAny>,
        space: &str,
        matrices: Option<bool>,
        order: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = match (space, matrices) {
            ("local", None | Some(false)) => Wanted::Local,
            ("local", Some(true)) => Wanted::LocalMatrix,
            ("model", None | Some(true)) => Wanted::ModelMatrix,
            ("model", Some(false)) => {
                let why = "True: scales above a joint can make what ten numbers cannot say";
                return Err(argument("matrices", "False with space=\"model\"", why));
            }
            (other, _) => return Err(argument("space", format!("{other:?}"), "\"local\" or \"model\"")),
        };
        let order = Order::of(order)?;
        let times = Numbers::of(times, "times")?.finite("times")?;
        if times.shape.len() > 1 {
            return Err(argument(
                "times",
                format!("the shape {}", times.shown()),
                "a number or one dimension",
            ));
        }
        let poses = self.0.poses(py, &times.values, order, wanted)?;
        if times.shape.is_empty() { poses.get_item(0) } else { Ok(poses) }
    }

    /// Where every joint stands in model space, (frames, joints, 3), in metres, from the start to the end. `rate` is frames per
    /// second: 30 by default, whatever the file has; None is the clip's own frames. Of an authored clip in float64.
    #[pyo3(signature = (rate=30.0, *, order="built"))]
    fn positions<'py>(&self, py: Python<'py>, rate: Option<f64>, order: &str) -> PyResult<Bound<'py, PyAny>> {
        self.0.poses(py, &self.times_at(rate)?, Order::of(order)?, Wanted::Position)
    }

    /// How fast every joint goes in model space, (frames, joints, 3), in metres per second, at the frames of
    /// `positions(rate)`: half of the way from the frame before to the frame after, per frame; at the ends from one side. A clip
    /// of one frame has none: zeros.
    ///
    /// >>> import numpy
    /// >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
    /// >>> way = numpy.linspace([[0, 1, 0]], [[0, 1, 2]], 31)
    /// >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), way)
    /// >>> bool(numpy.allclose(clip.velocities()[:, 0], [0, 0, 2]))
    /// True
    #[pyo3(signature = (rate=30.0, *, order="built"))]
    fn velocities<'py>(
        &self,
        py: Python<'py>,
        rate: Option<f64>,
        order: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (times, order) = (self.times_at(rate)?, Order::of(order)?);
        let frame = 3 * self.0.body.joint_count();
        let poses = py.detach(|| match self.0.computed(&times, order, Wanted::Position)? {
            Poses::F32(places) => Ok(Poses::F32(slopes(&places, frame, &times))),
            Poses::F64(places) => Ok(Poses::F64(slopes(&places, frame, &times))),
        });
        self.0.shaped(py, poses.map_err(|error: JobError| defect(error))?, &times, Wanted::Position)
    }

    /// The times of frames, `rate` per second (30 by default; None is the clip's own frames), from the start to the end.
    #[pyo3(signature = (rate=30.0))]
    fn times<'py>(&self, py: Python<'py>, rate: Option<f64>) -> PyResult<Bound<'py, PyAny>> {
        let times = self.times_at(rate)?;
        let shape = [times.len()];
        array(py, times, &shape)
    }

    /// Where the clip carries its character, (frames, 7): a place on the ground and a turn about y (x, y, z, w), counted from
    /// the first pose, `rate` frames per second (None: its own) from the start to the end.
    ///
    /// A clip that has root motion beside it (tracks `root/translation` and `root/rotation`) says it by these. Of another it is
    /// seen from the joint that carries it, or from `joint`. `edit(root_motion=…)` takes it out of the motion.
    ///
    /// >>> import numpy
    /// >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
    /// >>> way = numpy.linspace([[0, 1, 0]], [[0, 1, 2]], 31)
    /// >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), way)
    /// >>> clip.root_motion(rate=2)[:, 2]
    /// array([0., 1., 2.])
    #[pyo3(signature = (rate=30.0, *, joint=None))]
    fn root_motion<'py>(
        &self,
        py: Python<'py>,
        rate: Option<f64>,
        joint: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let times = self.times_at(rate)?;
        let numbers = py.detach(|| edit::root_motion(&self.0, &times, joint))?;
        array(py, numbers, &[times.len(), 7])
    }

    /// When feet stand: for `"left"` and `"right"` an array (contacts, 2) of seconds, from and to, rising.
    ///
    /// A foot stands while its heel or toes are low and go with the ground, which is seen from the feet, so that a walk on the spot
    /// has contacts too. `height` (metres) and `speed` (metres per second) are bounds; without them they are 0.04 and 0.43 for legs of
    /// 0.9 m, and scale with the legs. `feet` names two joints, left and right, or patterns of names, where the names of humans
    /// do not tell. `edit(contacts=…)` makes markers of them, `edit(gait=True)` tracks of phase and speed.
    ///
    /// >>> import numpy
    /// >>> body = lissom.Skeleton(["hips", "l", "r"], [-1, 0, 0], [[0, 0.9, 0], [0.1, -0.9, 0], [-0.1, -0.9, 0]])
    /// >>> place = numpy.tile(body.rest()[:, :3], (61, 1, 1))
    /// >>> place[20:35, 1] += numpy.sin(numpy.linspace(0, numpy.pi, 15))[:, None] * [0, 0.3, 0]
    /// >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (61, 3, 1)), place)
    /// >>> contacts = clip.contacts(feet=("l", "r"))
    /// >>> contacts["left"].shape, contacts["right"]
    /// ((2, 2), array([[0., 2.]]))
    #[pyo3(signature = (*, height=None, speed=None, feet=None))]
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        height: Option<&Bound<'py, PyAny>>,
        speed: Option<&Bound<'py, PyAny>>,
        feet: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let rule = edit::contact_rule(height, speed, feet)?;
        let contacts = py.detach(|| edit::contacts(&self.0, &rule))?;
        let all = PyDict::new(py);
        for (side, spans) in ["left", "right"].into_iter().zip(contacts.feet) {
            let numbers = spans.iter().flat_map(|(from, to)| [*from, *to]).collect();
            all.set_item(side, array::<f64>(py, numbers, &[spans.len(), 2])?)?;
        }
        Ok(all)
    }

    /// The motion on another skeleton, both of humans, as their joints' names tell: turns go from bone to bone, the hips' way is
    /// that of longer or shorter legs. `hands` and `feet` keep these where the source has them; feet then do not slide.
    ///
    /// Bones without a counterpart rest, and one `UserWarning` names them. `bones` says which joint a bone is where names do not:
    /// `{"left_hand": "Fist.L"}`, of one skeleton only `{"source.left_hand": "Fist.L"}` or `"target.left_hand"`; `""` is no joint.
    /// The clip is authored, even if this one is cooked.
    #[pyo3(signature = (skeleton, *, hands=false, feet=false, bones=None))]
    fn retarget(
        &self,
        py: Python<'_>,
        skeleton: &Bound<'_, Skeleton>,
        hands: bool,
        feet: bool,
        bones: Option<BTreeMap<String, String>>,
    ) -> PyResult<Self> {
        let body = skeleton.get().0.clone();
        let mut names = BoneNames::default();
        for (key, joint) in bones.unwrap_or_default() {
            names.set(&key, &joint).map_err(|error| PyValueError::new_err(format!("bones: {error}")))?;
        }
        let (clip, notes) = py.detach(|| edit::retargeted(&self.0, &body, &names, Goals { hands, feet }))?;
        if !notes.is_empty() {
            let text = format!("retargeting {:?}: {}", self.0.name, notes.join("; "));
            let text = CString::new(text.replace('\0', " ")).map_err(defect)?;
            // Said as the library's: the caller's line has nothing to do with it.
            let kind = py.get_type::<PyUserWarning>();
            PyErr::warn_explicit(py, &kind, &text, c"lissom", 1, None, None)?;
        }
        Ok(Self(clip))
    }

    /// A clip of arrays: `rotations` (frames, joints, 4) as x, y, z, w, of any length but 0; `translations` (frames,
    /// joints, 3) or None for those of the rest pose; `rate` frames per second.
    ///
    /// Joints stand in built order, or in the skeleton's raw order. Between frames rotations take the shorter way.
    #[staticmethod]
    #[pyo3(signature = (skeleton, rotations, translations=None, rate=30.0, *, name="clip", order="built", looping=false))]
    fn from_arrays(
        skeleton: &Bound<'_, Skeleton>,
        rotations: &Bound<'_, PyAny>,
        translations: Option<&Bound<'_, PyAny>>,
        rate: f64,
        name: &str,
        order: &str,
        looping: bool,
    ) -> PyResult<Self> {
        let body = skeleton.get().0.clone();
        let joints = body.joint_count();
        check_rate(rate)?;
        let rotations = Numbers::of(rotations, "rotations")?.finite("rotations")?;
        let frames = match rotations.shape.as_slice() {
            [frames, own, 4] if *frames > 0 && *own == joints => *frames,
            _ => {
                let expected = format!("(frames, {joints}, 4) with at least one frame");
                return Err(argument("rotations", format!("the shape {}", rotations.shown()), expected));
            }
        };
        let translations = translations.map(|t| Numbers::of(t, "translations")?.finite("translations"));
        let translations = translations.transpose()?;
        if let Some(found) = translations.as_ref().filter(|t| t.shape != [frames, joints, 3]) {
            let expected = format!("({frames}, {joints}, 3), the frames and joints of rotations");
            return Err(argument("translations", format!("the shape {}", found.shown()), expected));
        }
        let order = Order::of(order)?;
        let time = |frame: usize| frame as f64 / rate;
        let mut tracks = Vec::with_capacity(joints);
        for raw in 0..joints {
            let slot = if order == Order::Raw { raw } else { body.built.joint_of_raw[raw] };
            let mut before: Option<Q4> = None;
            let turn = |frame: usize| {
                let at = 4 * (frame * joints + slot);
                let q = &rotations.values[at..at + 4];
                // Squares of extreme numbers are 0 or infinite.
                let largest = q.iter().fold(0.0_f64, |l, v| if v.abs() > l { v.abs() } else { l });
                let by = if (1e-3..1e3).contains(&largest) || largest == 0.0 { 1.0 } else { largest };
                let q = Q4::new(q[0] / by, q[1] / by, q[2] / by, q[3] / by);
                let q = before.map_or(q, |before| q.near(before));
                before = Some(q);
                (time(frame), q)
            };
            let rotation = Channel::new(Curve::Linear, (0..frames).map(turn).collect::<Vec<_>>());
            let place = |values: &[f64], frame: usize| {
                let v = &values[3 * (frame * joints + slot)..][..3];
                (time(frame), V3::new(v[0], v[1], v[2]))
            };
            let translation = translations.as_ref().map_or_else(Channel::default, |t| {
                Channel::new(Curve::Linear, (0..frames).map(|f| place(&t.values, f)).collect::<Vec<_>>())
            });
            tracks.push(RawTrack { translation, rotation, ..Default::default() });
        }
        let duration_s = time((frames - 1).max(1));
        let motion = RawAnimation { name: name.to_owned(), duration_s, looping, additive: false, tracks };
        motion.validate(joints).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let motion = Motion::Authored(Arc::new(motion));
        Ok(Self(ClipData { name: name.to_owned(), body, motion, tracks: Vec::new(), markers: Vec::new() }))
    }

    /// Another clip: this one edited as recipes edit clips, always in the order of the arguments here. It is authored, even
    /// if this one is cooked.
    ///
    /// `trim=(0.5, 1.7)` keeps a part, in seconds; None is the clip's own end. `rate` gives it keys at that rate. `reverse`
    /// turns time round. `mirror=True` makes left right (an axis other than "x" may be named). `root_motion=True` takes where the
    /// motion leads out of the joint that carries it, into two tracks beside the clip; a joint may be named, or more be said as a
    /// dict of `joint`, `axes` ("xz"), `turn`, `reference` ("first", "rest", "origin"), `bake`, `loop`. `in_place=True` takes travel
    /// over the ground out, "drift" only its straight line. `loop` is True (refused where the last pose is not the first),
    /// False, "auto" or "close" (made to be one). `contacts=True` marks when feet stand and step, a dict says what `Clip.contacts`
    /// takes; `gait=True` adds the tracks `gait/phase` and `gait/speed`. `name` may have a `*` for the old one. `events` adds markers:
    /// `{"step": [0.2, 0.8]}`, or a list of `Marker`. A clip as the difference to another is made where clips are cooked:
    /// `lissom.cook(file, recipe=…)`.
    ///
    /// >>> import numpy
    /// >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
    /// >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), name="still")
    /// >>> clip.edit(trim=(0.25, 0.75), mirror=True, name="short *").duration
    /// 0.5
    #[pyo3(signature = (*, trim=None, rate=None, reverse=false, mirror=None, root_motion=None, in_place=None, r#loop=None, contacts=None, gait=false, name=None, events=None))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python's")]
    fn edit(
        &self,
        py: Python<'_>,
        trim: Option<&Bound<'_, PyAny>>,
        rate: Option<f64>,
        reverse: bool,
        mirror: Option<&Bound<'_, PyAny>>,
        root_motion: Option<&Bound<'_, PyAny>>,
        in_place: Option<&Bound<'_, PyAny>>,
        r#loop: Option<&Bound<'_, PyAny>>,
        contacts: Option<&Bound<'_, PyAny>>,
        gait: bool,
        name: Option<&str>,
        events: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut asking = Asking::default();
        trim.map_or(Ok(()), |value| asking.trim(value))?;
        rate.map_or(Ok(()), |value| asking.rate(value))?;
        asking.reverse(reverse);
        mirror.map_or(Ok(()), |value| asking.mirror(value))?;
        root_motion.map_or(Ok(()), |value| asking.root_motion(value))?;
        in_place.map_or(Ok(()), |value| asking.in_place(value))?;
        r#loop.map_or(Ok(()), |value| asking.looping(value))?;
        contacts.map_or(Ok(()), |value| asking.contacts(value))?;
        asking.gait(gait);
        name.map_or(Ok(()), |value| asking.name(value))?;
        events.map_or(Ok(()), |value| asking.events(value))?;
        Ok(Self(py.detach(|| asking.follow(&self.0))?))
    }

    /// Writes the motion as BVH, in metres, y up.
    fn export_bvh(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.write_bvh(py, &path)
    }

    fn __repr__(&self) -> String {
        let kind = if self.cooked() { "cooked" } else { "authored" };
        format!(
            "<lissom.Clip {:?}, {:.3} s, {} joints, {kind}>",
            self.0.name,
            self.duration(),
            self.0.body.joint_count()
        )
    }

    /// For pickle.
    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(carry::clip_of(bytes)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = carry::clip_bytes(&slf.get().0)?;
        Ok((slf.get_type().getattr("_from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
    }
}

impl Clip {
    pub(crate) fn write_bvh(&self, py: Python<'_>, path: &Path) -> PyResult<()> {
        py.detach(|| {
            let (skeleton, motion) = carry::motion_of(&self.0)?;
            write_whole(path, write_bvh(&skeleton, &motion).map_err(format)?.as_bytes())
        })
    }

    /// At a rate; `None` is its own, and so is the number that `rate` gives: a file's frames are met exactly.
    fn times_at(&self, rate: Option<f64>) -> PyResult<Vec<f64>> {
        let own = self.0.own_frames();
        let rate = match (rate, own) {
            (None, Some(own)) => own.rate,
            (None, None) => {
                return Err(argument("rate", "None for a clip whose keys are not even", "frames per second"));
            }
            (Some(rate), _) => rate,
        };
        check_rate(rate)?;
        if let Some(own) = own.filter(|own| own.rate == rate && own.first_s == 0.0) {
            return Ok((0..own.count).map(|frame| frame as f64 * own.step_s).collect());
        }
        // A frame that rounding puts behind the end is still the last one.
        let frames = self.0.duration_s() * rate + 1e-6;
        const MOST: f64 = 1e8;
        if frames > MOST {
            return Err(argument("rate", rate, format!("at most {MOST} frames, this is {frames:.0}")));
        }
        Ok((0..=frames as usize).map(|frame| frame as f64 / rate).collect())
    }
}

/// Frames at an even rate.
#[derive(Clone, Copy)]
struct OwnFrames {
    /// Per second: 1 / step, or the whole number that a rounded step stands for.
    rate: f64,
    count: usize,
    first_s: f64,
    step_s: f64,
}

impl OwnFrames {
    /// Of key times, if they are even: a thousandth of a step off is rounding.
    fn of(times: &[f64]) -> Option<Self> {
        let (first_s, last) = (*times.first()?, *times.last()?);
        let count = times.len();
        let steps = count.checked_sub(1).filter(|steps| *steps > 0)? as f64;
        let step_s = (last - first_s) / steps;
        let even =
            times.iter().enumerate().all(|(i, t)| (t - first_s - i as f64 * step_s).abs() <= 1e-3 * step_s);
        // BVH files say 0.0083333 for 1/120: five digits of it.
        let (exact, whole) = (1.0 / step_s, (1.0 / step_s).round());
        let rate = if whole > 0.0 && (exact - whole).abs() <= 2e-5 * whole { whole } else { exact };
        even.then_some(Self { rate, count, first_s, step_s })
    }
}

/// What numbers change by per second, between frames of `frame` numbers at these times.
fn slopes<T: Copy + Into<f64> + FromF64>(values: &[T], frame: usize, times: &[f64]) -> Vec<T> {
    let mut out = Vec::with_capacity(values.len());
    for at in 0..times.len() {
        let (before, after) = (at.saturating_sub(1), (at + 1).min(times.len() - 1));
        let seconds = times[after] - times[before];
        for i in 0..frame {
            let (a, b): (f64, f64) = (values[before * frame + i].into(), values[after * frame + i].into());
            out.push(T::from_f64(if seconds > 0.0 { (b - a) / seconds } else { 0.0 }));
        }
    }
    out
}

trait FromF64 {
    fn from_f64(value: f64) -> Self;
}

impl FromF64 for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl FromF64 for f32 {
    fn from_f64(value: f64) -> Self {
        value as Self
    }
}

pub(crate) fn check_rate(rate: f64) -> PyResult<()> {
    if rate.is_finite() && rate > 0.0 {
        return Ok(());
    }
    Err(argument("rate", rate, "frames per second, finite and above 0"))
}
