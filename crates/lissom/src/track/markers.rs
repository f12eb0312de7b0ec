//! Named moments of a clip.

use super::{
    Span,
    walk::{AtTurns, Moments, Walk},
};
use core::iter::FusedIterator;

/// The markers of a clip, in place. Checked: times do not fall, names are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkersView<'a> {
    /// Eight bytes a marker.
    pub(crate) times: &'a [[u8; 8]],
    /// Eight bytes a marker, or none: no marker lasts.
    pub(crate) durations: &'a [[u8; 8]],
    /// Where each name ends, four bytes a marker.
    pub(crate) ends: &'a [[u8; 4]],
    pub(crate) names: &'a str,
}

/// A named moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerView<'a> {
    /// Not empty.
    pub name: &'a str,
    /// Seconds, at least 0.
    pub time_s: f64,
    /// How long it lasts, in seconds; 0 for a moment.
    pub duration_s: f64,
}

/// A marker that a span passed: where it starts, if it lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassedMarker<'a> {
    /// The marker.
    pub marker: MarkerView<'a>,
    /// Its number, in the order of time.
    pub index: usize,
    /// In which lap.
    pub lap: i64,
    /// True if the clip ran backward there.
    pub backward: bool,
}

/// The markers that a span passes, in the order of travel; made by [`MarkersView::passed`].
#[derive(Clone, Debug)]
pub struct PassedMarkers<'a>(Walk<MarkersView<'a>>);

impl<'a> MarkersView<'a> {
    /// No markers.
    pub const EMPTY: Self = Self { times: &[], durations: &[], ends: &[], names: "" };

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// True if there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// One of them, in the order of time.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<MarkerView<'a>> {
        let time_s = f64::from_le_bytes(*self.times.get(index)?);
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = start.map_or(0, |end| u32::from_le_bytes(*end) as usize);
        let end = u32::from_le_bytes(*self.ends.get(index)?) as usize;
        let duration_s = self.durations.get(index).map_or(0.0, |d| f64::from_le_bytes(*d));
        Some(MarkerView { name: self.names.get(start..end)?, time_s, duration_s })
    }

    /// All of them, in the order of time.
    pub fn iter(&self) -> impl Iterator<Item = MarkerView<'a>> + use<'a> {
        let all = *self;
        (0..self.len()).filter_map(move |index| all.get(index))
    }

    /// Those that last, with their numbers in the order of time.
    pub fn lasting(&self) -> impl Iterator<Item = (usize, MarkerView<'a>)> + use<'a> {
        let all = *self;
        let lasts = |(_, marker): &(usize, MarkerView<'_>)| marker.duration_s > 0.0;
        (0..self.durations.len()).filter_map(move |index| Some((index, all.get(index)?))).filter(lasts)
    }

    /// The markers that a span passes, each once, in the order of travel; see [the module](super).
    #[must_use]
    pub fn passed(&self, span: &Span) -> PassedMarkers<'a> {
        PassedMarkers(Walk::new(*self, span, AtTurns::Once))
    }

    /// The markers that last at a time of the clip: from their start up to but without their end, and not
    /// beyond the clip's end.
    pub fn active_at(&self, time_s: f64) -> impl Iterator<Item = MarkerView<'a>> + use<'a> {
        self.iter().take_while(move |m| m.time_s <= time_s).filter(move |m| time_s - m.time_s < m.duration_s)
    }
}

impl Moments for MarkersView<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn time_s(&self, index: usize) -> f64 {
        self.times.get(index).map_or(0.0, |time| f64::from_le_bytes(*time))
    }
}

impl<'a> Iterator for PassedMarkers<'a> {
    type Item = PassedMarker<'a>;

    fn next(&mut self) -> Option<PassedMarker<'a>> {
        let passed = self.0.next()?;
        let marker = self.0.moments.get(passed.index)?;
        Some(PassedMarker { marker, index: passed.index, lap: passed.lap, backward: passed.backward })
    }
}

impl FusedIterator for PassedMarkers<'_> {}
