//! The marker section, version 1: named moments of a clip.

use super::{Archive, ArchiveError, Result, Section, SectionKind, cursor::Cursor, layout::MARKER_VERSION};
use alloc::format;

/// The markers of a clip, in place. Checked: times do not fall, names are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkersView<'a> {
    /// Eight bytes a marker.
    times: &'a [[u8; 8]],
    /// Where each name ends, four bytes a marker.
    ends: &'a [[u8; 4]],
    names: &'a str,
}

/// A named moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerView<'a> {
    /// Not empty.
    pub name: &'a str,
    /// Seconds, at least 0.
    pub time_s: f64,
}

impl<'a> MarkersView<'a> {
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

    /// All of them, in the order of time.
    pub fn iter(&self) -> impl Iterator<Item = MarkerView<'a>> + use<'a> {
        let names = self.names;
        let mut start = 0;
        self.times.iter().zip(self.ends).map(move |(time, end)| {
            let end = u32::from_le_bytes(*end) as usize;
            // Checked when the view was made.
            let name = names.get(start..end).unwrap_or_default();
            start = end;
            MarkerView { name, time_s: f64::from_le_bytes(*time) }
        })
    }
}

impl<'a> Archive<'a> {
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
        if self.version != MARKER_VERSION {
            let (what, found, known) = ("a list of markers", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut at = Cursor::new(self.payload, 0);
        let count = u64::from(at.u32("the count of markers")?);
        let name_bytes = u64::from(at.u32("the length of the names")?);
        let times = at.take(count.saturating_mul(8), "the times of markers")?.as_chunks().0;
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
        Ok(MarkersView { times, ends, names })
    }
}
