//! What a graph asks about a clip, once, when it is made.

use super::{GraphParts, LayerParts, MotionParts, ParameterKind, space::half_turn};
use crate::root::{RootMotion, RootTracks};
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
    /// True if its end leads on to its start.
    pub looping: bool,
    /// How far its root motion has turned the character, in radians to its left. `None`: it does not turn, or that is not known.
    pub turn: Option<ClipCurve>,
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
        Self { duration_s, markers: None, curves: Vec::new(), travel_m: [0.0; 3], looping: false, turn: None }
    }
}

impl ClipFacts {
    /// What an archive says of a clip, as far as a graph asks for it; `None` if it has none of this name.
    #[must_use]
    pub fn of_archive(archive: &Archive, clip: &str, parts: &GraphParts) -> Option<Self> {
        let view = archive.clip(clip).ok()?;
        let mut facts = Self { looping: view.view().is_looping(), ..view.view().duration_s().into() };
        if !parts.sync.is_empty() || parts.holds_feet() {
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
        let matches = |layer: &LayerParts| {
            layer.states.iter().any(|state| matches!(state.motion, MotionParts::Matched(_)))
        };
        if parts.layers.iter().any(matches) {
            facts.turn =
                RootTracks::of(archive, clip).ok().and_then(|root| ClipCurve::of_turn(&root.motion()));
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

    /// How far root motion turns, from the start of a lap: to the left, in radians, beyond half a turn, too.
    fn of_turn(root: &RootMotion<'_>) -> Option<Self> {
        let track = root.rotation?;
        let (mut values, mut before, mut sum) = (Vec::with_capacity(track.ratios.len()), None, 0.0);
        for ratio in track.ratios {
            let [x, y, z, w] = track.sample(f64::from(*ratio)).as_quat()?.to_array().map(f64::from);
            // Where the direction ahead leads, seen from above.
            let now = libm::atan2(2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y));
            sum += before.map_or(0.0, |before| half_turn(now - before));
            before = Some(now);
            values.push(sum as f32);
        }
        let track = TrackView { kind: TrackKind::Float, ratios: track.ratios, values: &values, steps: &[] };
        Self::new(&track)
    }

    /// Its value at a share of the clip's length.
    #[must_use]
    pub fn at(&self, ratio: f64) -> f32 {
        let Self { ratios, values, steps } = self;
        TrackView { kind: TrackKind::Float, ratios, values, steps }.sample(ratio).as_float().unwrap_or(0.0)
    }
}
