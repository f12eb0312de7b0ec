//! The user track section, version 1.

use super::{Archive, ArchiveError, Result, Section, SectionKind, layout::TRACK_VERSION, lists::Lists};
use alloc::format;

/// What the values of a track are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrackKind {
    /// One number.
    Float,
    /// Two.
    Float2,
    /// Three.
    Float3,
    /// Four.
    Float4,
    /// A rotation, x y z w.
    Quat,
}

/// A user track in place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackView<'a> {
    /// What the values are.
    pub kind: TrackKind,
    /// One a key: when, as a ratio of the duration; rising, in [0, 1].
    pub ratios: &'a [f32],
    /// [`TrackKind::components`] a key.
    pub values: &'a [f32],
    /// One bit a key, the first in the lowest bit: set if the value holds until the next key.
    pub steps: &'a [u8],
}

impl TrackKind {
    const ALL: [Self; 5] = [Self::Float, Self::Float2, Self::Float3, Self::Float4, Self::Quat];

    /// How many numbers a value has.
    #[must_use]
    pub const fn components(self) -> usize {
        match self {
            Self::Float => 1,
            Self::Float2 => 2,
            Self::Float3 => 3,
            Self::Float4 | Self::Quat => 4,
        }
    }

    /// The number in the file.
    #[must_use]
    pub const fn code(self) -> u32 {
        self as u32
    }
}

impl TrackView<'_> {
    /// True if the value of this key holds until the next; false for keys that do not exist.
    #[must_use]
    pub fn is_step(&self, key: usize) -> bool {
        self.steps.get(key / 8).is_some_and(|byte| byte >> (key % 8) & 1 != 0)
    }
}

impl<'a> Archive<'a> {
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
