//! From numbers with units to whole numbers that can be compared.

use super::{MatchingError, MatchingRule};
use crate::exact::clamp as between;
use lissom_motion::matching::{
    Database, DatabaseParts, Feature, FeatureGroup, FeatureKind, FrameRange, clamp, columns, steps,
};
use std::collections::BTreeMap;

/// A deviation below this is that of something that does not move, in metres or metres per second.
const STILL: f64 = 1e-6;

/// A database, and what is to be said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct CookedMatching {
    /// What it is called.
    pub name: String,
    /// The database as it is stored.
    pub parts: DatabaseParts,
    /// How many frames a search may find.
    pub candidates: usize,
    /// Numbers that were too far from the mean to be stored, by clip: a glitch of the motion.
    pub clamped: BTreeMap<String, usize>,
}

impl CookedMatching {
    /// How many frames there are.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.parts.ranges.iter().map(|range| range.frames as usize).sum()
    }

    /// How long its frames last.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.frames() as f64 / f64::from(self.parts.rate_hz)
    }
}

/// A range of a clip.
pub(super) struct Piece {
    pub clip: String,
    pub mirrored: bool,
    /// Its first frame, counted from the clip's start.
    pub first: usize,
    pub tags: u32,
    pub cost: f64,
    pub frames: usize,
    pub entry_from: usize,
    pub entry_to: usize,
}

/// What a number is.
pub(super) struct Column {
    pub group: String,
    pub weight: f64,
    pub kind: FeatureKind,
    pub axis: u8,
}

/// Divides each group by its deviation, and rounds.
pub(super) fn normalise(
    rule: &MatchingRule,
    skeleton: u64,
    tags: Vec<String>,
    of: &[Column],
    pieces: Vec<Piece>,
    values: &[f64],
) -> Result<CookedMatching, MatchingError> {
    let frames = values.len() / of.len();
    let mut groups: Vec<(String, f64, Vec<usize>)> = Vec::new();
    for (at, column) in of.iter().enumerate() {
        match groups.iter_mut().find(|(name, ..)| *name == column.group) {
            Some((_, _, members)) => members.push(at),
            None => groups.push((column.group.clone(), column.weight, vec![at])),
        }
    }
    let column = |at: usize| values.iter().skip(at).step_by(of.len());
    let count = frames as f64;
    let means: Vec<f64> = (0..of.len()).map(|at| column(at).sum::<f64>() / count).collect();
    let variance = |at: usize| column(at).map(|v| (v - means[at]) * (v - means[at])).sum::<f64>() / count;
    let has_biases = pieces.iter().any(|piece| piece.cost > 0.0);
    let stored_columns = columns(of.len(), has_biases);
    let (most, steps) = (f64::from(clamp(stored_columns)), f64::from(steps(stored_columns)));
    let mut features = Vec::with_capacity(of.len());
    let mut scales = vec![0.0_f32; of.len()];
    for (_, weight, members) in &groups {
        let deviation = (members.iter().map(|at| variance(*at)).sum::<f64>() / members.len() as f64).sqrt();
        let scale = if deviation > STILL { (weight * steps / deviation) as f32 } else { 0.0 };
        members.iter().for_each(|at| scales[*at] = scale);
    }
    for (at, column) in of.iter().enumerate() {
        let group = groups.iter().position(|(name, ..)| *name == column.group).unwrap_or(0);
        let (kind, offset, scale) = (column.kind.clone(), means[at] as f32, scales[at]);
        features.push(Feature { group: group as u32, kind, axis: column.axis, offset, scale });
    }
    let mut clips: Vec<String> = Vec::new();
    let mut ranges = Vec::with_capacity(pieces.len());
    let mut rows = Vec::with_capacity(values.len());
    let mut biases = Vec::new();
    let mut clamped: BTreeMap<String, usize> = BTreeMap::new();
    let mut candidates = 0;
    let mut frames = values.chunks_exact(of.len());
    for piece in pieces {
        for values in frames.by_ref().take(piece.frames) {
            for (value, feature) in values.iter().zip(&features) {
                let stored = (value - f64::from(feature.offset)) * f64::from(feature.scale);
                let stored = libm::rint(stored);
                if stored.abs() > most {
                    *clamped.entry(piece.clip.clone()).or_default() += 1;
                }
                rows.push(between(stored, -most, most) as i16);
            }
        }
        if has_biases {
            // The square is what it costs.
            let bias = libm::rint(piece.cost.sqrt() * steps);
            biases.resize(biases.len() + piece.frames, between(bias, 0.0, most) as i16);
        }
        let clip = clips.iter().position(|own| *own == piece.clip).unwrap_or_else(|| {
            clips.push(piece.clip.clone());
            clips.len() - 1
        });
        candidates += piece.entry_to - piece.entry_from;
        ranges.push(FrameRange {
            clip: clip as u32,
            start_s: (piece.first as f64 / rule.rate_hz) as f32,
            mirrored: piece.mirrored,
            tags: piece.tags,
            frames: piece.frames as u32,
            entry_from: piece.entry_from as u32,
            entry_to: piece.entry_to as u32,
        });
    }
    let group = |(name, weight, _): (String, f64, Vec<usize>)| FeatureGroup { name, weight: weight as f32 };
    let parts = DatabaseParts {
        skeleton,
        rate_hz: rule.rate_hz as f32,
        tags,
        clips,
        groups: groups.into_iter().map(group).collect(),
        features,
        ranges,
        rows,
        biases,
    };
    Database::new(&parts)?;
    Ok(CookedMatching { name: rule.name.clone(), parts, candidates, clamped })
}
