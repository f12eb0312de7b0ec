//! Clips that are played so often that all their rows are kept decoded.

use alloc::{vec, vec::Vec};
use lissom::{Clip, Skeleton, clip::DecodedClip};

/// The clips of a crowd that are decoded, within a bound of memory. Who has not been played for longest goes first. It shows in
/// time and memory alone: the bits are the same without.
#[derive(Clone, Debug)]
pub(super) struct Decoded {
    /// In the order of the crowd's clips.
    clips: Vec<Option<DecodedClip>>,
    /// The update that each was last played in.
    played: Vec<u64>,
    update: u64,
    bytes: usize,
    most_bytes: usize,
}

impl Decoded {
    /// A thousand seconds of a whole body.
    const MOST_BYTES: usize = 64 << 20;

    pub fn new(clips: usize) -> Self {
        let (clips, played) = (vec![None; clips], vec![0; clips]);
        Self { clips, played, update: 0, bytes: 0, most_bytes: Self::MOST_BYTES }
    }

    pub fn clips(&self) -> &[Option<DecodedClip>] {
        &self.clips
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Another bound; what is above it goes.
    pub fn set_most_bytes(&mut self, bytes: usize) {
        self.most_bytes = bytes;
        self.update += 1;
        let _ = self.evict_for(0);
    }

    /// After an update: `wanted` says which clips were played in it. Those that are not there yet are decoded for the next.
    pub fn update(&mut self, skeleton: &Skeleton, all: &[Clip], wanted: impl Fn(usize) -> bool) {
        self.update += 1;
        for clip in 0..all.len() {
            if wanted(clip) {
                self.played[clip] = self.update;
            }
        }
        for (clip, of) in all.iter().enumerate() {
            if self.played[clip] == self.update
                && self.clips[clip].is_none()
                && let Some(bytes) = DecodedClip::bytes_of(of.view())
                && self.evict_for(bytes)
            {
                self.clips[clip] = DecodedClip::new(of.view(), skeleton);
                self.bytes += self.clips[clip].as_ref().map_or(0, DecodedClip::memory_bytes);
            }
        }
    }

    /// Evicts clips until this many bytes fit. False if the clips that were just played are too large for that.
    fn evict_for(&mut self, bytes: usize) -> bool {
        while self.bytes.saturating_add(bytes) > self.most_bytes {
            let there = (0..self.clips.len()).filter(|clip| self.clips[*clip].is_some());
            let oldest = there.min_by_key(|clip| self.played[*clip]);
            let Some(oldest) = oldest.filter(|clip| self.played[*clip] < self.update) else { return false };
            let gone = self.clips[oldest].take();
            self.bytes -= gone.map_or(0, |clip| clip.memory_bytes());
        }
        true
    }
}
