//! The marker section, versions 1 and 2: named moments of a clip, which last since version 2.

use super::{
    ArchiveError, ArchiveView, Result, Section, SectionKind, cursor::Cursor, layout::MARKER_VERSION,
};
use crate::track::MarkersView;
use alloc::format;

impl<'a> ArchiveView<'a> {
    /// The markers of the clip of this name, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`] if it has none, or what is wrong with them.
    pub fn markers(&self, clip: &str) -> Result<MarkersView<'a>> {
        self.find(SectionKind::Markers, clip)?.markers()
    }
}

impl<'a> Section<'a> {
    /// The markers that this section holds.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; otherwise what is wrong with them.
    pub fn markers(&self) -> Result<MarkersView<'a>> {
        let offset = self.offset;
        let wrong = |reason| Err(ArchiveError::Format { offset, reason });
        if self.kind != SectionKind::Markers {
            return wrong(format!("a {:?} section does not hold markers", self.kind));
        }
        if !(1..=MARKER_VERSION).contains(&self.version) {
            let (what, found, known) = ("a list of markers", self.version, "1 and 2");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut at = Cursor::new(self.payload, 0);
        let count = u64::from(at.u32("the count of markers")?);
        let name_bytes = u64::from(at.u32("the length of the names")?);
        let times = at.take(count.saturating_mul(8), "the times of markers")?.as_chunks().0;
        let lasting = if self.version > 1 { count } else { 0 };
        let durations = at.take(lasting.saturating_mul(8), "the durations of markers")?.as_chunks().0;
        let ends = at.take(count.saturating_mul(4), "the ends of names")?.as_chunks().0;
        let names = at.text(name_bytes, "the names of markers")?;
        let (end, length) = (at.offset(), self.payload.len() as u64);
        if end != length {
            return wrong(format!("the markers end at {end}, the section at {length}"));
        }
        let mut before = 0.0;
        for time in times.iter().map(|t| f64::from_le_bytes(*t)) {
            if !(time.is_finite() && time >= before) {
                return wrong(format!("a marker at {time} s after one at {before} s: times never fall"));
            }
            before = time;
        }
        for duration in durations.iter().map(|d| f64::from_le_bytes(*d)) {
            if !(duration.is_finite() && duration >= 0.0) {
                return wrong(format!("a marker lasts {duration} s; it must be finite and at least 0"));
            }
        }
        let mut start = 0;
        for end in ends.iter().map(|e| u32::from_le_bytes(*e) as usize) {
            if names.get(start..end).is_none_or(str::is_empty) {
                return wrong(format!("a marker's name from {start} to {end} of {name_bytes} bytes is none"));
            }
            start = end;
        }
        if start != names.len() {
            return wrong(format!("the names of markers end at {start}, not at {name_bytes}"));
        }
        Ok(MarkersView { times, durations, ends, names })
    }
}
