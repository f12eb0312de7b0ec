//! Edits of a clip: what recipes do to it, as a function; and what they see in it, as numbers.

use crate::{
    arrays::Numbers,
    carry,
    clip::{ClipData, Motion, check_rate},
    errors::{argument, defect},
    skeleton::Body,
    track::{Marker, TrackData},
};
use lissom::track::ROOT_TRACKS;
use lissom_build::{
    cook::ClipBuilder,
    edit::{Asked, ClipRule, Edit, EditKind, Looping, RootEdit, follow},
    exact::smaller,
    feet::{ContactRule, Contacts},
    import::Axis,
    raw::{RootReference, Travel},
    recipe::parse_axis,
    retarget::{BoneNames, Goals, onto},
    scene::{self, Scene, SceneAnimation, SceneSkeleton},
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBool, PyDict},
};
use std::sync::Arc;

/// What is asked for, out of Python's values.
#[derive(Default)]
pub(crate) struct Asking(Vec<EditKind>);

impl Asking {
    pub(crate) fn trim(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let range: (Option<f64>, Option<f64>) = value
            .extract()
            .map_err(|_| argument("trim", shown(value), "(start, end) in seconds, None for its own"))?;
        let wrong = [range.0, range.1].into_iter().flatten().any(|t| !(t.is_finite() && t >= 0.0));
        if wrong || matches!(range, (Some(from), Some(to)) if to <= from) {
            return Err(argument("trim", shown(value), "two times from 0 on, the second after the first"));
        }
        self.0.push(EditKind::Trim(range.0, range.1));
        Ok(())
    }

    pub(crate) fn rate(&mut self, rate: f64) -> PyResult<()> {
        check_rate(rate)?;
        self.0.push(EditKind::Rate(rate));
        Ok(())
    }

    pub(crate) fn reverse(&mut self, on: bool) {
        self.0.push(EditKind::Reverse(on));
    }

    pub(crate) fn mirror(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let axis = match (value.cast::<PyBool>(), value.extract::<String>()) {
            (Ok(on), _) => on.is_true().then_some(Axis::X),
            (_, Ok(text)) => {
                Some(parse_axis(&text).map_err(|reason| argument("mirror", shown(value), reason))?)
            }
            _ => return Err(argument("mirror", shown(value), "True, False, \"x\", \"y\" or \"z\"")),
        };
        self.0.push(EditKind::Mirror(axis));
        Ok(())
    }

    pub(crate) fn root_motion(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut edit = RootEdit::default();
        if let Ok(on) = value.cast::<PyBool>() {
            self.0.push(EditKind::RootMotion(on.is_true().then_some(edit)));
            return Ok(());
        }
        if let Ok(word) = value.extract::<String>() {
            edit = RootEdit::named(&word);
        } else {
            let keys = ["joint", "axes", "turn", "reference", "bake", "loop"];
            let expected =
                "True, False, a joint's name, \"from feet\" or {\"joint\": …, \"axes\": \"xz\", …}";
            for (key, value) in options(value, "root_motion", &keys, expected)? {
                let wrong = |expected| argument(&format!("root_motion, {key}"), shown(&value), expected);
                let on = || value.extract::<bool>().map_err(|_| wrong("True or False"));
                match key.as_str() {
                    "joint" => {
                        edit.joint =
                            Some(value.extract().map_err(|_| wrong("a joint's name, or a pattern"))?);
                    }
                    "axes" => {
                        let text: String = value.extract().unwrap_or_else(|_| "?".into());
                        if text.chars().any(|c| !"xyz".contains(c)) {
                            return Err(wrong("some of x, y and z: \"xz\""));
                        }
                        edit.rule.axes = ['x', 'y', 'z'].map(|axis| text.contains(axis));
                    }
                    "turn" => edit.rule.turn = on()?,
                    "reference" => {
                        edit.rule.reference = match value.extract::<String>().as_deref() {
                            Ok("first") => RootReference::First,
                            Ok("rest") => RootReference::Rest,
                            Ok("origin") => RootReference::Origin,
                            _ => return Err(wrong("\"first\", \"rest\" or \"origin\"")),
                        };
                    }
                    "bake" => edit.rule.bake = on()?,
                    _ => edit.rule.looping = on()?,
                }
            }
        }
        self.0.push(EditKind::RootMotion(Some(edit)));
        Ok(())
    }

    pub(crate) fn contacts(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(on) = value.cast::<PyBool>() {
            self.0.push(EditKind::Contacts(on.is_true().then(ContactRule::default)));
            return Ok(());
        }
        let (mut height, mut speed, mut feet) = (None, None, None);
        let expected =
            "True, False or {\"height\": metres, \"speed\": metres per second, \"feet\": (left, right)}";
        for (key, value) in options(value, "contacts", &["height", "speed", "feet"], expected)? {
            match key.as_str() {
                "height" => height = Some(value),
                "speed" => speed = Some(value),
                _ => feet = Some(value),
            }
        }
        self.0.push(EditKind::Contacts(Some(contact_rule(height.as_ref(), speed.as_ref(), feet.as_ref())?)));
        Ok(())
    }

    pub(crate) fn gait(&mut self, on: bool) {
        self.0.push(EditKind::Gait(on));
    }

    pub(crate) fn in_place(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let travel = match (value.cast::<PyBool>(), value.extract::<String>().as_deref()) {
            (Ok(on), _) => on.is_true().then_some(Travel::All),
            (_, Ok("drift")) => Some(Travel::Drift),
            _ => return Err(argument("in_place", shown(value), "True, False or \"drift\"")),
        };
        self.0.push(EditKind::InPlace(travel));
        Ok(())
    }

    pub(crate) fn looping(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let looping = match (value.cast::<PyBool>(), value.extract::<String>().as_deref()) {
            (Ok(on), _) => {
                if on.is_true() {
                    Looping::Yes
                } else {
                    Looping::No
                }
            }
            (_, Ok("auto")) => Looping::Auto,
            (_, Ok("close")) => Looping::Close,
            _ => return Err(argument("loop", shown(value), "True, False, \"auto\" or \"close\"")),
        };
        self.0.push(EditKind::Loop(looping));
        Ok(())
    }

    pub(crate) fn name(&mut self, name: &str) -> PyResult<()> {
        if name.is_empty() {
            return Err(argument("name", "an empty text", "a name; * is the old one"));
        }
        self.0.push(EditKind::Name(name.to_owned()));
        Ok(())
    }

    pub(crate) fn events(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut events = Vec::new();
        if let Ok(dict) = value.cast::<PyDict>() {
            for (name, times) in dict {
                let name: String = name.extract()?;
                for time_s in Numbers::of(&times, "events")?.finite("events")?.values {
                    events.push(scene::Marker { name: name.clone(), time_s, duration_s: 0.0 });
                }
            }
        } else {
            let markers: Vec<Bound<'_, Marker>> = value.extract().map_err(|_| {
                argument("events", shown(value), "{name: times in seconds} or a list of lissom.Marker")
            })?;
            events.extend(markers.iter().map(|marker| marker.get().data()));
        }
        if events.iter().any(|e| e.name.is_empty()) {
            return Err(argument("events", "an event without a name", "names"));
        }
        self.0.push(EditKind::Events(events));
        Ok(())
    }

    /// The edited clip: authored, whatever it was before.
    pub(crate) fn follow(self, clip: &ClipData) -> PyResult<ClipData> {
        let mut scene = scene_of(clip)?;
        let edits = self.0.into_iter().map(|kind| Edit { kind, line: None }).collect();
        let rules = [ClipRule { clips: "*".into(), edits, ..Default::default() }];
        let builder = ClipBuilder::default();
        let (precision_m, shell_m) = (builder.precision, builder.shell);
        let asked = Asked { rules: &rules, precision_m, shell_m, finds_loops: false };
        follow(&mut scene, asked).map_err(|error| PyValueError::new_err(error.to_string()))?;
        clip_of(scene, clip.body.clone())
    }
}

/// The clip alone, with keys.
fn scene_of(clip: &ClipData) -> PyResult<Scene> {
    let (skeleton, motion) = carry::motion_of(clip)?;
    let mut scene = Scene::default();
    scene.animations.push(SceneAnimation {
        skeleton: Some(0),
        motion,
        tracks: clip.tracks.iter().map(TrackData::raw).collect(),
        markers: clip.markers.clone(),
        ..Default::default()
    });
    let name = clip.body.name.clone();
    scene.skeletons.push(SceneSkeleton { name, skeleton, ..Default::default() });
    Ok(scene)
}

/// The clip of such a scene.
fn clip_of(mut scene: Scene, body: Arc<Body>) -> PyResult<ClipData> {
    let Some(animation) = scene.animations.pop() else {
        return Err(defect("the clip is gone"));
    };
    Ok(ClipData {
        name: animation.motion.name.clone(),
        body,
        motion: Motion::Authored(Arc::new(animation.motion)),
        tracks: animation.tracks.into_iter().map(TrackData::Authored).collect(),
        markers: animation.markers,
    })
}

/// What counts as standing, out of Python's values.
pub(crate) fn contact_rule(
    height: Option<&Bound<'_, PyAny>>,
    speed: Option<&Bound<'_, PyAny>>,
    feet: Option<&Bound<'_, PyAny>>,
) -> PyResult<ContactRule> {
    let above_0 = |name: &str, value: Option<&Bound<'_, PyAny>>, unit: &str| {
        let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
        match value.extract::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => Ok(Some(number)),
            _ => Err(argument(name, shown(value), format!("{unit}, finite and above 0"))),
        }
    };
    let feet = feet.filter(|feet| !feet.is_none()).map(|feet| {
        let wrong = |_| argument("feet", shown(feet), "two joints' names, left and right");
        feet.extract::<(String, String)>()
            .or_else(|_| feet.extract::<[String; 2]>().map(Into::into))
            .map_err(wrong)
    });
    Ok(ContactRule {
        height_m: above_0("height", height, "metres")?,
        speed: above_0("speed", speed, "metres per second")?,
        feet: feet.transpose()?.map(|(left, right)| [left, right]),
    })
}

/// When feet stand.
pub(crate) fn contacts(clip: &ClipData, rule: &ContactRule) -> PyResult<Contacts> {
    let scene = scene_of(clip)?;
    let (Some(animation), Some(own)) = (scene.animations.first(), scene.skeletons.first()) else {
        return Err(defect("the clip is gone"));
    };
    animation.contacts(&own.skeleton, rule).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Where the clip leads at these times, seven numbers each: by its tracks, else by a joint.
pub(crate) fn root_motion(clip: &ClipData, times: &[f64], joint: Option<&str>) -> PyResult<Vec<f64>> {
    let told = |clip: &ClipData| {
        ROOT_TRACKS.map(|name| clip.tracks.iter().find(|t| t.name() == name).map(TrackData::raw))
    };
    let mut tracks = told(clip);
    if joint.is_some() || tracks.iter().all(Option::is_none) {
        let mut edit = RootEdit { joint: joint.map(str::to_owned), ..RootEdit::default() };
        edit.rule.bake = false;
        tracks = told(&Asking(vec![EditKind::RootMotion(Some(edit))]).follow(clip)?);
    }
    let [place, turn] = tracks;
    let duration_s = clip.duration_s();
    let numbers = times.iter().flat_map(|time_s| {
        let ratio = if duration_s > 0.0 { smaller(time_s / duration_s, 1.0) } else { 0.0 };
        let [x, y, z, _] = place.as_ref().map_or([0.0; 4], |track| track.sample(ratio));
        let [a, b, c, d] = turn.as_ref().map_or([0.0, 0.0, 0.0, 1.0], |track| track.sample(ratio));
        [x, y, z, a, b, c, d]
    });
    Ok(numbers.collect())
}

/// The clip on another skeleton, and what is worth knowing of how that went.
pub(crate) fn retargeted(
    clip: &ClipData,
    body: &Arc<Body>,
    bones: &BoneNames,
    goals: Goals,
) -> PyResult<(ClipData, Vec<String>)> {
    let mut scene = scene_of(clip)?;
    let target = SceneSkeleton { name: body.name.clone(), skeleton: body.raw.clone(), ..Default::default() };
    onto(&mut scene, (&target, &[]), bones, goals)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    let notes = scene.warnings.iter().map(ToString::to_string).collect();
    Ok((clip_of(scene, body.clone())?, notes))
}

/// The entries of a dict whose keys are known.
fn options<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    known: &[&str],
    expected: &str,
) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let dict = value.cast::<PyDict>().map_err(|_| argument(name, shown(value), expected))?;
    let mut entries = Vec::new();
    for (key, value) in dict {
        let wrong =
            || argument(name, format!("the key {}", shown(&key)), format!("some of {}", known.join(", ")));
        let key =
            key.extract::<String>().ok().filter(|key| known.contains(&key.as_str())).ok_or_else(wrong)?;
        entries.push((key, value));
    }
    Ok(entries)
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "something".into(), |text| text.to_string())
}
