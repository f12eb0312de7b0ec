//! A description as bytes, and back: what is read may come from anywhere. `FORMAT.md` has it byte by byte.
//!
//! What is read here is a description, no more: [`Database::new`](super::Database::new) checks what it says.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{
    DatabaseParts, Feature, FeatureGroup, FeatureKind, FrameRange, MAX_FEATURES, MAX_FRAMES, MAX_NAME,
    MAX_RANGES, MAX_TAGS,
};
use crate::reader::{FormatError, Reader, Result};
use alloc::{string::String, vec::Vec};

/// Bit of a range: its clip is a mirrored copy.
const MIRRORED: u32 = 1;
/// Bit of a database: each frame has a bias.
const BIASES: u32 = 1;

impl DatabaseParts {
    /// Its bytes. What [`Database::new`](super::Database::new) takes is read back as it is.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        let numbers = self.rows.iter().chain(&self.biases);
        numbers.for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
        bytes
    }

    /// The bytes of all but rows and biases.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let to = &mut bytes;
        to.extend_from_slice(&self.skeleton.to_le_bytes());
        put(to, self.rate_hz.to_bits());
        put(to, if self.biases.is_empty() { 0 } else { BIASES });
        count(to, self.tags.len());
        self.tags.iter().for_each(|name| text(to, name));
        count(to, self.clips.len());
        self.clips.iter().for_each(|name| text(to, name));
        count(to, self.groups.len());
        for group in &self.groups {
            text(to, &group.name);
            put(to, group.weight.to_bits());
        }
        count(to, self.features.len());
        for feature in &self.features {
            put(to, feature.group);
            put(to, u32::from(feature.axis));
            put(to, feature.offset.to_bits());
            put(to, feature.scale.to_bits());
            let (code, name, time_s) = match &feature.kind {
                FeatureKind::JointPosition { joint } => (0, joint.as_str(), 0.0),
                FeatureKind::JointVelocity { joint } => (1, joint.as_str(), 0.0),
                FeatureKind::TrajectoryPosition { time_s } => (2, "", *time_s),
                FeatureKind::TrajectoryDirection { time_s } => (3, "", *time_s),
                FeatureKind::Track { name } => (4, name.as_str(), 0.0),
            };
            put(to, code);
            if matches!(code, 2 | 3) { put(to, time_s.to_bits()) } else { text(to, name) }
        }
        count(to, self.ranges.len());
        for range in &self.ranges {
            put(to, range.clip);
            put(to, range.start_s.to_bits());
            put(to, if range.mirrored { MIRRORED } else { 0 });
            put(to, range.tags);
            put(to, range.frames);
            put(to, range.entry_from);
            put(to, range.entry_to);
        }
        bytes
    }

    /// Reads what [`DatabaseParts::to_bytes`] wrote. Takes no more memory than a few times the bytes.
    ///
    /// # Errors
    ///
    /// [`FormatError`]: the first byte that cannot be meant.
    pub fn read(bytes: &[u8]) -> core::result::Result<Self, FormatError> {
        let mut from = Reader::new(bytes);
        let skeleton = from.array().map(u64::from_le_bytes)?;
        let rate_hz = from.f32()?;
        let bits = from.u32()?;
        from.check(bits & !BIASES == 0, "a bit that nobody knows")?;
        let tags = from.list(MAX_TAGS, 4, name)?;
        let clips = from.list(MAX_RANGES, 4, name)?;
        let groups =
            from.list(MAX_FEATURES, 8, |from| Ok(FeatureGroup { name: name(from)?, weight: from.f32()? }))?;
        let features = from.list(MAX_FEATURES, 24, feature)?;
        let ranges = from.list(MAX_RANGES, 28, range)?;
        let frames = ranges.iter().fold(0_usize, |all, range| all.saturating_add(range.frames as usize));
        from.check(frames <= MAX_FRAMES, "more frames than a database may have")?;
        from.check(bits & BIASES == 0 || frames > 0, "biases of no frames")?;
        let rows = from.numbers(frames.saturating_mul(features.len()))?;
        let biases = from.numbers(if bits & BIASES == 0 { 0 } else { frames })?;
        from.end()?;
        Ok(Self { skeleton, rate_hz, tags, clips, groups, features, ranges, rows, biases })
    }
}

fn put(to: &mut Vec<u8>, value: u32) {
    to.extend_from_slice(&value.to_le_bytes());
}

/// No list is too long for it in practice; the reader refuses one that is.
fn count(to: &mut Vec<u8>, count: usize) {
    put(to, u32::try_from(count).unwrap_or(u32::MAX));
}

fn text(to: &mut Vec<u8>, text: &str) {
    count(to, text.len());
    to.extend_from_slice(text.as_bytes());
}

fn name(from: &mut Reader<'_>) -> Result<String> {
    from.text(MAX_NAME).map(String::from)
}

fn feature(from: &mut Reader<'_>) -> Result<Feature> {
    let group = from.u32()?;
    let axis = from.u32()?;
    from.check(axis <= 2, "no axis")?;
    let (offset, scale) = (from.f32()?, from.f32()?);
    let kind = match from.u32()? {
        0 => FeatureKind::JointPosition { joint: name(from)? },
        1 => FeatureKind::JointVelocity { joint: name(from)? },
        2 => FeatureKind::TrajectoryPosition { time_s: from.f32()? },
        3 => FeatureKind::TrajectoryDirection { time_s: from.f32()? },
        4 => FeatureKind::Track { name: name(from)? },
        _ => return Err(from.wrong("no kind of feature")),
    };
    Ok(Feature { group, kind, axis: axis as u8, offset, scale })
}

fn range(from: &mut Reader<'_>) -> Result<FrameRange> {
    let (clip, start_s, bits) = (from.u32()?, from.f32()?, from.u32()?);
    from.check(bits & !MIRRORED == 0, "a bit that nobody knows")?;
    Ok(FrameRange {
        clip,
        start_s,
        mirrored: bits & MIRRORED != 0,
        tags: from.u32()?,
        frames: from.u32()?,
        entry_from: from.u32()?,
        entry_to: from.u32()?,
    })
}
