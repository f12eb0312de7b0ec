//! The state of one playing clip.

use super::{
    error::MissingBlock,
    keys,
    lanes::{Sink, Stored, Target, Under, Weighed, add_pose},
    rows,
    stats::CursorStats,
    view::{ClipView, Form},
};
use crate::JointLod;
use alloc::vec::Vec;
use lissom_math::{dispatch, simd::Backend, soa::SoaTransform};

/// The state of one playing clip: the keys around the current time and a place in the clip.
///
/// Made once, reused for any clip of either form: it grows when a larger clip is bound and never shrinks. It
/// knows its clip by identity (a hash of its bytes), not by address. [`Cursor::reserve`] sizes it ahead, so
/// that playing allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// The keys, as the form lays them out.
    words: Vec<u32>,
    /// The clip this state belongs to.
    bound: u64,
    state: State,
    stats: CursorStats,
}

/// The place in a clip of either form.
#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Of no clip yet.
    #[default]
    Unbound,
    Keys(keys::State),
    Rows(rows::State),
}

impl Cursor {
    /// An empty cursor; the first sample makes room.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A cursor with room for a clip.
    #[must_use]
    pub fn with_room_for(clip: ClipView<'_>) -> Self {
        let mut cursor = Self::new();
        cursor.reserve(clip);
        cursor
    }

    /// Makes room for a clip, so that playing it later allocates nothing.
    pub fn reserve(&mut self, clip: ClipView<'_>) {
        let needed = match clip.form() {
            Form::Keys(clip) => keys::words(&clip),
            Form::Rows(clip) => rows::words(&clip),
        };
        self.words.reserve_exact(needed.saturating_sub(self.words.len()));
        clip.reserve_still();
    }

    /// Forgets the clip and the counts: as good as new, without giving memory back.
    pub fn reset(&mut self) {
        let mut words = core::mem::take(&mut self.words);
        words.clear();
        *self = Self { words, ..Self::default() };
    }

    /// Keys consumed at the current place of the stream: what a player that came from time 0 has read.
    #[must_use]
    pub fn keys_consumed(&self) -> u64 {
        match &self.state {
            State::Unbound => 0,
            State::Keys(state) => state.keys,
            State::Rows(state) => state.keys,
        }
    }

    /// What this cursor did since it was made or reset.
    #[must_use]
    pub fn stats(&self) -> CursorStats {
        self.stats
    }

    /// Bytes of memory that playing the bound clip takes, this struct included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.words.len() * 4
    }

    /// Fetches the keys for a time in seconds (clamped to the clip) without interpolating anything: work that
    /// can be done ahead, on another thread. A sample at that time then reads nothing from the stream.
    ///
    /// # Errors
    ///
    /// [`MissingBlock`] if the clip is a stream that does not have the block.
    pub fn advance(&mut self, backend: Backend, clip: ClipView<'_>, time_s: f64) -> Result<(), MissingBlock> {
        self.bind(&clip);
        let Self { words, state, stats, .. } = self;
        match (clip.form(), state) {
            (Form::Keys(clip), State::Keys(state)) => {
                let (_, row) = clip.moment(time_s, state.row);
                keys::advance(backend, state, words, stats, &clip, row)
            }
            (Form::Rows(clip), State::Rows(state)) => {
                rows::advance(backend, state, words, stats, &clip, clip.moment(time_s).tick)
            }
            _ => unreachable!("bind makes the state of the clip's form"),
        }
    }

    /// Fetches, decodes, interpolates. Writes as many groups as `output` and `rest` have.
    pub(crate) fn sample(
        &mut self,
        backend: Backend,
        clip: &ClipView<'_>,
        time_s: f64,
        rest: &[SoaTransform],
        lod: Option<&JointLod>,
        output: &mut [SoaTransform],
    ) -> Result<(), MissingBlock> {
        let still = clip.still(backend, rest);
        if still.is_none() {
            clip.write_still(backend, rest, lod, output);
        }
        self.play(backend, clip, time_s, Target { still, lod, output }, Stored)
    }

    /// The same as a layer of a blend: into sums that stand in the output, without a pose of its own where
    /// the clip keeps what does not move. Otherwise `room` takes the pose.
    #[allow(clippy::too_many_arguments, reason = "a sample's, the layer, and the room")]
    pub(crate) fn add(
        &mut self,
        backend: Backend,
        clip: &ClipView<'_>,
        time_s: f64,
        rest: &[SoaTransform],
        lod: Option<&JointLod>,
        layer: Weighed,
        room: &mut [SoaTransform],
        output: &mut [SoaTransform],
    ) -> Result<(), MissingBlock> {
        let cubic = matches!(clip.form(), Form::Keys(clip) if clip.has_cubics());
        let Some(still) = clip.still(backend, rest).filter(|_| !cubic) else {
            self.sample(backend, clip, time_s, rest, lod, room)?;
            add_pose(backend, room, lod, layer, output);
            return Ok(());
        };
        self.play(backend, clip, time_s, Target { still: Some(still), lod, output }, layer)
    }

    /// Fetches what is due, and interpolates over what lies under the target.
    #[inline(always)]
    fn play(
        &mut self,
        backend: Backend,
        clip: &ClipView<'_>,
        time_s: f64,
        mut target: Target<'_, impl Under>,
        sink: impl Sink,
    ) -> Result<(), MissingBlock> {
        self.bind(clip);
        let Self { words, state, stats, .. } = self;
        match (clip.form(), state) {
            (Form::Keys(clip), State::Keys(state)) => {
                let (at, row) = clip.moment(time_s, state.row);
                keys::advance(backend, state, words, stats, &clip, row)?;
                dispatch!(backend, s => {
                    keys::decode(s, state, words, &clip);
                    keys::evaluate(s, words, &clip, at, &mut target, sink);
                });
            }
            (Form::Rows(clip), State::Rows(state)) => {
                let at = clip.moment(time_s);
                rows::advance(backend, state, words, stats, &clip, at.tick)?;
                let keys = state.keys(words);
                dispatch!(backend, s => rows::evaluate(s, &keys, &clip, at.fraction, &mut target, sink));
            }
            _ => unreachable!("bind makes the state of the clip's form"),
        }
        Ok(())
    }

    /// Makes this the cursor of a clip. Keeps the state if it is the same clip already.
    #[inline]
    fn bind(&mut self, clip: &ClipView<'_>) {
        // The layout of the words too: two clips may claim one identity.
        let fits = match (clip.form(), &self.state) {
            (Form::Keys(clip), State::Keys(state)) => state.fits(&clip),
            (Form::Rows(clip), State::Rows(state)) => state.fits(&clip),
            _ => false,
        };
        if self.bound != clip.identity() || !fits {
            self.rebind(clip);
        }
    }

    #[cold]
    fn rebind(&mut self, clip: &ClipView<'_>) {
        self.state = match clip.form() {
            Form::Keys(clip) => State::Keys(keys::bind(&clip, &mut self.words)),
            Form::Rows(clip) => State::Rows(rows::bind(&clip, &mut self.words)),
        };
        self.bound = clip.identity();
    }
}
