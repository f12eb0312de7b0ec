//! What goes along with a clip: numbers that change, and named moments.

use crate::{
    arrays::{Numbers, array},
    carry,
    errors::argument,
};
use lissom_build::{
    exact::{larger, smaller},
    raw::{RawUserTrack, TrackKind},
    scene,
};
use pyo3::{prelude::*, types::PyBytes};

/// A track as authored, or as an archive has it.
#[derive(Clone)]
pub(crate) enum TrackData {
    Authored(RawUserTrack),
    Cooked { name: String, track: lissom::track::Track },
}

impl TrackData {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Authored(track) => &track.name,
            Self::Cooked { name, .. } => name,
        }
    }

    fn kind(&self) -> TrackKind {
        match self {
            Self::Authored(track) => track.kind,
            Self::Cooked { track, .. } => track.view().kind,
        }
    }

    /// With editable keys.
    pub(crate) fn raw(&self) -> RawUserTrack {
        match self {
            Self::Authored(track) => track.clone(),
            Self::Cooked { name, track } => RawUserTrack::from_view(name, &track.view()),
        }
    }
}

/// Numbers that change along with a clip: a morph weight, a colour, "the foot is on the ground".
///
/// Keys stand at *ratios* of the clip's duration, in [0, 1].
#[pyclass(frozen, module = "lissom", name = "Track")]
pub(crate) struct Track(pub(crate) TrackData);

#[pymethods]
impl Track {
    /// `morph/MESH/TARGET` for a morph weight.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// `"float"`, `"float2"`, `"float3"`, `"float4"` or `"quat"`.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind() {
            TrackKind::Float => "float",
            TrackKind::Float2 => "float2",
            TrackKind::Float3 => "float3",
            TrackKind::Float4 => "float4",
            TrackKind::Quat => "quat",
            _ => "other",
        }
    }

    /// The ratios of the keys, rising.
    #[getter]
    fn ratios<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let raw = self.0.raw();
        array(py, raw.keys.iter().map(|k| k.ratio).collect(), &[raw.keys.len()])
    }

    /// The values of the keys, (keys, components).
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (raw, width) = (self.0.raw(), self.0.kind().components());
        let values = raw.keys.iter().flat_map(|k| k.value.into_iter().take(width)).collect();
        array(py, values, &[raw.keys.len(), width])
    }

    /// Values at ratios of the duration, (ratios, components). Ratios outside of [0, 1] are its ends.
    fn sample<'py>(&self, py: Python<'py>, ratios: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ratios = Numbers::of(ratios, "ratios")?.finite("ratios")?;
        if ratios.shape.len() != 1 {
            return Err(argument("ratios", format!("the shape {}", ratios.shown()), "one dimension"));
        }
        let width = self.0.kind().components();
        let shape = [ratios.values.len(), width];
        let ratios = ratios.values.iter().map(|r| smaller(larger(*r, 0.0), 1.0));
        match &self.0 {
            TrackData::Authored(track) => {
                let values = ratios.flat_map(|r| track.sample(r).into_iter().take(width));
                array(py, py.detach(|| values.collect::<Vec<f64>>()), &shape)
            }
            TrackData::Cooked { track, .. } => {
                let values = ratios.flat_map(|r| track.view().sample(r).to_array().into_iter().take(width));
                array(py, py.detach(|| values.collect::<Vec<f32>>()), &shape)
            }
        }
    }

    fn __repr__(&self) -> String {
        format!("<lissom.Track {:?}, {}>", self.0.name(), self.kind())
    }

    /// For pickle.
    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(carry::track_of(bytes)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = carry::track_bytes(&slf.get().0)?;
        Ok((slf.get_type().getattr("_from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
    }
}

/// A named moment of a clip.
#[pyclass(frozen, eq, get_all, module = "lissom", name = "Marker")]
#[derive(Clone, PartialEq)]
pub(crate) struct Marker {
    /// Not empty.
    name: String,
    /// Seconds.
    time: f64,
    /// How long it lasts, in seconds; 0 for a moment.
    duration: f64,
}

impl Marker {
    pub(crate) fn data(&self) -> scene::Marker {
        scene::Marker { name: self.name.clone(), time_s: self.time, duration_s: self.duration }
    }

    pub(crate) fn of(marker: &scene::Marker) -> Self {
        Self { name: marker.name.clone(), time: marker.time_s, duration: marker.duration_s }
    }
}

#[pymethods]
impl Marker {
    #[new]
    #[pyo3(signature = (name, time, duration=0.0))]
    fn new(name: String, time: f64, duration: f64) -> Self {
        Self { name, time, duration }
    }

    fn __repr__(&self) -> String {
        format!("<lissom.Marker {:?} at {} s>", self.name, self.time)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String, f64, f64)) {
        let Self { name, time, duration } = slf.get();
        (slf.get_type().into_any(), (name.clone(), *time, *duration))
    }
}
