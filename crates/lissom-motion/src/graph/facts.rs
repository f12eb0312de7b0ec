//! What a graph asks about a clip, once, when it is made.

use super::{GraphParts, LayerParts, ParameterKind};
use crate::root::RootTracks;
use alloc::{boxed::Box, string::String, vec::Vec};
use lissom::{
    archive::Archive,
    track::{TrackKind, TrackView},
};

/// What a graph has to know of a clip. A number of seconds is one, of a clip about which nothing else is known.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipFacts {
    /// How long it is.
    pub duration_s: f64,
    /// Its markers: when each begins, in seconds, and what it is called. `None`: not known.
    pub markers: Option<Vec<(f64, String)>>,
    /// Those of its tracks that are parameters.
    pub curves: Vec<(String, ClipCurve)>,
    /// How far its root motion carries a character in a lap, in metres: sideways, up and ahead as the character sees it all the
    /// way. 0 for a clip that stays where it is.
    pub travel_m: [f64; 3],
}

/// A track of numbers, as a parameter reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipCurve {
    ratios: Box<[f32]>,
    values: Box<[f32]>,
    steps: Box<[u8]>,
}

impl From<f64> for ClipFacts {
    fn from(duration_s: f64) -> Self {
        Self { duration_s, markers: None, curves: Vec::new(), travel_m: [0.0; 3] }
    }
}

impl ClipFacts {
    /// What an archive says of a clip, as far as a graph asks for it; `None` if it has none of this name.
    #[must_use]
    pub fn of_archive(archive: &Archive, clip: &str, parts: &GraphParts) -> Option<Self> {
        let mut facts = Self::from(archive.clip(clip).ok()?.view().duration_s());
        if !parts.sync.is_empty() {
            let markers = archive.markers(clip);
            let of = |marker: lissom::track::MarkerView<'_>| (marker.time_s, marker.name.into());
            facts.markers =
                Some(markers.map_or_else(|_| Vec::new(), |all| all.view().iter().map(of).collect()));
        }
        let keeps = |layer: &LayerParts| layer.states.iter().any(|state| state.keep_speed.is_some());
        if parts.layers.iter().any(keeps) {
            // A track that is not one is told where it is played.
            facts.travel_m = RootTracks::of(archive, clip).map_or([0.0; 3], |root| root.motion().lap_m());
        }
        for parameter in &parts.parameters {
            if let ParameterKind::Curve { .. } = parameter.kind
                && let Ok(track) = archive.track(&alloc::format!("{clip}/{}", parameter.name))
                && let Some(curve) = ClipCurve::new(&track.view())
            {
                facts.curves.push((parameter.name.clone(), curve));
            }
        }
        Some(facts)
    }
}

impl ClipCurve {
    /// A copy of a track; `None` if it is not one of single, finite numbers whose ratios rise within [0, 1].
    #[must_use]
    pub fn new(track: &TrackView<'_>) -> Option<Self> {
        let rises = track.ratios.windows(2).all(|pair| pair[0] < pair[1]);
        let within = track.ratios.iter().all(|ratio| (0.0..=1.0).contains(ratio));
        let finite = track.values.iter().all(|value| value.is_finite());
        let is_one = track.kind == TrackKind::Float && track.values.len() == track.ratios.len();
        (is_one && rises && within && finite).then(|| Self {
            ratios: track.ratios.into(),
            values: track.values.into(),
            steps: track.steps.into(),
        })
    }

    /// Its value at a share of the clip's length.
    #[must_use]
    pub fn at(&self, ratio: f64) -> f32 {
        let Self { ratios, values, steps } = self;
        TrackView { kind: TrackKind::Float, ratios, values, steps }.sample(ratio).as_float().unwrap_or(0.0)
    }
}
