//! Edits of a clip: what recipes do to it, as a function.

use crate::{
    arrays::Numbers,
    carry,
    clip::{ClipData, Motion, check_rate},
    errors::{argument, defect},
    track::{Marker, TrackData},
};
use lissom_build::{
    cook::ClipBuilder,
    edit::{Asked, ClipRule, Edit, EditKind, Looping, follow},
    import::Axis,
    raw::Travel,
    recipe::parse_axis,
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
        let (skeleton, motion) = carry::motion_of(clip)?;
        let mut scene = Scene::default();
        let animation = SceneAnimation {
            skeleton: Some(0),
            motion,
            tracks: clip.tracks.iter().map(TrackData::raw).collect(),
            markers: clip.markers.clone(),
            ..Default::default()
        };
        scene.animations.push(animation);
        scene.skeletons.push(SceneSkeleton { skeleton, ..Default::default() });
        let edits = self.0.into_iter().map(|kind| Edit { kind, line: None }).collect();
        let rules = [ClipRule { clips: "*".into(), edits, ..Default::default() }];
        let builder = ClipBuilder::default();
        let (precision_m, shell_m) = (builder.precision, builder.shell);
        let asked = Asked { rules: &rules, precision_m, shell_m, finds_loops: false };
        follow(&mut scene, asked).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let Some(animation) = scene.animations.pop() else {
            return Err(defect("the clip is gone"));
        };
        Ok(ClipData {
            name: animation.motion.name.clone(),
            body: clip.body.clone(),
            motion: Motion::Authored(Arc::new(animation.motion)),
            tracks: animation.tracks.into_iter().map(TrackData::Authored).collect(),
            markers: animation.markers,
        })
    }
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "something".into(), |text| text.to_string())
}
