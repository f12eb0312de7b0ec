//! The user track section, version 1.

use super::{ArchiveError, ArchiveView, Result, Section, SectionKind, layout::TRACK_VERSION, lists::Lists};
use crate::track::{TrackKind, TrackView};
use alloc::format;

impl<'a> ArchiveView<'a> {
    /// The user track of this name, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn track(&self, name: &str) -> Result<TrackView<'a>> {
        self.find(SectionKind::Track, name)?.track()
    }
}

impl<'a> Section<'a> {
    /// The user track that this section holds, checked: rising ratios, finite values.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; [`ArchiveError::Alignment`] if the archive
    /// does not start at a multiple of 4 in memory; otherwise what is wrong with it.
    pub fn track(&self) -> Result<TrackView<'a>> {
        let offset = self.offset;
        let wrong = |reason| Err(ArchiveError::Format { offset, reason });
        if self.kind != SectionKind::Track {
            return wrong(format!("a {:?} section is not a user track", self.kind));
        }
        if self.version != TRACK_VERSION {
            let (what, found, known) = ("a user track", self.version, "1");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut lists = Lists::new(self, 4);
        let keys = u64::from(lists.count("the count of keys")?);
        let code = lists.count("the kind of a track")?;
        let Some(kind) = TrackKind::ALL.into_iter().find(|k| k.code() == code) else {
            return wrong(format!("the kind of a track is {code}, not 0 to 4"));
        };
        let ratios: &[f32] = lists.next(keys, "the ratios")?;
        let values: &[f32] = lists.next(keys.saturating_mul(kind.components() as u64), "the values")?;
        let steps: &[u8] = lists.next(keys.div_ceil(8), "the steps")?;
        lists.end()?;
        let rising = ratios.iter().zip(ratios.iter().skip(1)).all(|(a, b)| a < b);
        if !rising || !ratios.iter().all(|r| (0.0..=1.0).contains(r)) {
            return wrong("the ratios of a track do not rise within 0 to 1".into());
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            return wrong(format!("number {at} of the values is not finite"));
        }
        let unused = steps.len().saturating_mul(8).saturating_sub(ratios.len());
        if steps.last().is_some_and(|last| last.leading_zeros() < unused as u32) {
            return wrong("bits after the last key are not zero".into());
        }
        Ok(TrackView { kind, ratios, values, steps })
    }
}
