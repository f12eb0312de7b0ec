//! A cooked clip, what it cost and how good it is.

use super::{
    proof::ErrorReport,
    source::{CookSource, SourceJoint},
};
use crate::raw::RawAnimation;
use lissom::clip::ClipView;

/// A clip, and what became of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct CookedClip {
    /// What [`lissom::clip`] plays.
    pub bytes: Vec<u8>,
    /// What it cost and how good it is.
    pub report: CookReport,
}

/// What a clip cost and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct CookReport {
    /// Bytes of the clip.
    pub bytes: u64,
    /// Bytes of its jump frames.
    pub jump_bytes: u64,
    /// Bytes of its stream of keys. What is left is the header, the tables and the constants.
    pub stream_bytes: u64,
    /// Places where playback can start; the start is one.
    pub jumps: usize,
    /// Bytes of the source as plain samples: 10 floats a joint and sample.
    pub raw_bytes: u64,
    /// Keys of the source, in channels that move.
    pub keys_before: u64,
    /// Keys of the clip; a constant counts as one.
    pub keys_after: u64,
    /// Rows of the clip.
    pub rows: u32,
    /// The error, measured on the clip as the player decodes it.
    pub error: ErrorReport,
    /// True if every joint's error is within its precision.
    pub within: bool,
    /// Times the clip was encoded and measured.
    pub rounds: u32,
}

impl CookReport {
    /// What the clip says of itself, and what was measured on it.
    pub(super) fn new(
        animation: &RawAnimation,
        source: &CookSource<'_>,
        view: ClipView<'_>,
        keys_after: u64,
        (error, within): (ErrorReport, bool),
        rounds: u32,
    ) -> Self {
        let keys_of = |j: &SourceJoint<'_>| {
            j.translation.moving().map_or(0, |c| c.keys.len())
                + j.rotation.moving().map_or(0, |c| c.keys.len())
                + j.scale.moving().map_or(0, |c| c.keys.len())
        };
        Self {
            bytes: view.memory_bytes() as u64,
            jump_bytes: view.jump_bytes() as u64,
            stream_bytes: view.stream_bytes() as u64,
            jumps: view.block_count(),
            raw_bytes: 40 * source.joints.len() as u64 * raw_rows(animation, source) as u64,
            keys_before: source.joints.iter().map(|j| keys_of(j) as u64).sum(),
            keys_after,
            rows: view.row_count(),
            error,
            within,
            rounds,
        }
    }

    /// Raw bytes for each byte of the clip.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.bytes as f64
    }
}

/// Samples that the source would be without any structure.
fn raw_rows(animation: &RawAnimation, source: &CookSource<'_>) -> usize {
    let longest = animation
        .tracks
        .iter()
        .map(|t| t.translation.keys.len().max(t.rotation.keys.len()).max(t.scale.keys.len()));
    let longest = longest.max().unwrap_or(0).max(1);
    // Two times are always there, moving channels or not.
    let times = source.times().len();
    if times > 2 { longest.max(times) } else { longest }
}
