//! Tracks and markers that keep the bytes alive which they stand in.

use super::{MarkersView, TrackKind, TrackView};
use crate::bytes::{SharedBytes, SharedSlice};
use alloc::sync::Arc;

/// A user track that keeps its archive's bytes alive; cheap to clone.
#[derive(Clone, Debug)]
pub struct Track {
    kind: TrackKind,
    ratios: SharedSlice<f32>,
    values: SharedSlice<f32>,
    steps: SharedSlice<u8>,
}

/// The markers of a clip, which keep their archive's bytes alive; cheap to clone.
#[derive(Clone, Debug)]
pub struct Markers {
    times: SharedSlice<[u8; 8]>,
    durations: SharedSlice<[u8; 8]>,
    ends: SharedSlice<[u8; 4]>,
    /// A copy: in the bytes it would have to be checked to be text again and again.
    names: Arc<str>,
}

impl Track {
    /// Keeps a view of these bytes; `None` if it is of others.
    pub(crate) fn of(bytes: &SharedBytes, view: &TrackView<'_>) -> Option<Self> {
        Some(Self {
            kind: view.kind,
            ratios: SharedSlice::of(bytes, view.ratios)?,
            values: SharedSlice::of(bytes, view.values)?,
            steps: SharedSlice::of(bytes, view.steps)?,
        })
    }

    /// The track as it is sampled.
    #[must_use]
    pub fn view(&self) -> TrackView<'_> {
        TrackView { kind: self.kind, ratios: &self.ratios, values: &self.values, steps: &self.steps }
    }
}

impl Markers {
    /// Keeps a view of these bytes; `None` if it is of others.
    pub(crate) fn of(bytes: &SharedBytes, view: &MarkersView<'_>) -> Option<Self> {
        Some(Self {
            times: SharedSlice::of(bytes, view.times)?,
            durations: SharedSlice::of(bytes, view.durations)?,
            ends: SharedSlice::of(bytes, view.ends)?,
            names: view.names.into(),
        })
    }

    /// The markers as they are looked through.
    #[must_use]
    pub fn view(&self) -> MarkersView<'_> {
        MarkersView { times: &self.times, durations: &self.durations, ends: &self.ends, names: &self.names }
    }
}
