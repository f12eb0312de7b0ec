//! The state of one playing clip.

use super::{
    advance::advance,
    decode::decode,
    evaluate::evaluate,
    layout::{Layout, SETS, format},
    view::ClipView,
};
use crate::job::{JobError, JointLod};
use alloc::vec::Vec;
use lissom_math::{
    dispatch,
    simd::Backend,
    soa::{GROUP, SoaTransform},
};

/// Spare floats after the last array, so that a wide load near the end stays inside.
const SLACK: usize = GROUP;

/// The state of one playing clip: the active array, one position in the stream, and what is to be decoded.
///
/// Made once, reused for any clip: it grows when a larger clip is bound and never shrinks. It knows its clip
/// by identity (a hash of its bytes), not by address. [`Cursor::reserve`] sizes it ahead, so that playing
/// allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// The active array, one block: floats, then rows, then key integers.
    pub(super) words: Vec<u32>,
    pub(super) state: StateLayout,
    /// The clip this state belongs to; `None` before the first sample.
    pub(super) bound: Option<u64>,
    /// True once the active array holds a state of the bound clip.
    pub(super) placed: bool,
    /// Keys are right for this row.
    pub(super) row: u32,
    /// The smallest right row and the largest left row: outside of these, nothing is due.
    pub(super) next_right: u32,
    pub(super) last_left: u32,
    /// The position in the stream: a block and a bit of it.
    pub(super) block: usize,
    pub(super) bit: u64,
    pub(super) keys: u64,
    pub(super) stats: CursorStats,
}

/// What a cursor did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CursorStats {
    /// Keys read from the stream or from jump frames.
    pub keys_read: u64,
    /// Times a jump frame was restored.
    pub jumps: u64,
}

/// A moment: the tick at or before it, how far it is to the next, and the row it lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    pub tick: u32,
    pub fraction: f32,
    pub row: u32,
}

/// Where the arrays of one set stand, in elements of their own region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SetLayout {
    pub lanes: usize,
    /// Floats of a key: 3, or 4 for rotations.
    pub width: usize,
    /// Keys in the window: 2, or 4 for cubics.
    pub window: usize,
    /// Floats: the window's keys, each `width` arrays of `lanes`.
    pub keys: usize,
    /// Floats: 1 / (ticks from left to right); 0 for step.
    pub inverse_span: usize,
    /// Floats, cubics: (right - left) / (right - oldest), (right - left) / (newest - left).
    pub slopes: usize,
    /// Words: the tick of the left key.
    pub tick: usize,
    /// Words, cubics: the rows of the oldest and the newest key.
    pub outer_rows: usize,
    /// Integers: the window's keys, each three arrays of `lanes`.
    pub ints: usize,
    /// The first of this set's dirty bits: for each key of the window, one bit a 16 lanes.
    pub dirty: usize,
}

/// Where everything stands in a cursor's block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StateLayout {
    pub sets: [SetLayout; SETS],
    pub floats: usize,
    /// Left and right rows of all channels stand first among the words, padded to whole groups.
    pub channels: usize,
    pub words: usize,
    pub dirty_words: usize,
    pub ints: usize,
    pub wide: bool,
}

impl StateLayout {
    pub fn of(clip: &Layout) -> Self {
        let mut s = Self { wide: clip.is(format::FLAG_WIDE), ..Self::default() };
        s.channels = clip.channels.next_multiple_of(GROUP);
        s.words = 2 * s.channels;
        let mut dirty = 0;
        for (set, layout) in s.sets.iter_mut().enumerate() {
            let lanes = clip.lanes[set];
            let cubic = set % 2 == 1;
            *layout = SetLayout {
                lanes,
                width: if set / 2 == 1 { 4 } else { 3 },
                window: if cubic { 4 } else { 2 },
                ..SetLayout::default()
            };
            layout.keys = s.floats;
            s.floats += layout.window * layout.width * lanes;
            layout.inverse_span = s.floats;
            s.floats += lanes;
            layout.slopes = s.floats;
            s.floats += if cubic { 2 * lanes } else { 0 };
            layout.tick = s.words;
            s.words += lanes;
            layout.outer_rows = s.words;
            s.words += if cubic { 2 * lanes } else { 0 };
            layout.ints = s.ints;
            s.ints += layout.window * 3 * lanes;
            layout.dirty = dirty;
            dirty += layout.window * lanes.div_ceil(GROUP);
        }
        s.floats += SLACK;
        s.dirty_words = dirty.div_ceil(32);
        s
    }

    /// Words of the whole block.
    pub fn total(&self) -> usize {
        let ints = if self.wide { self.ints } else { self.ints.div_ceil(2) };
        self.floats + self.words + self.dirty_words + ints
    }

    /// Splits a cursor's block into its regions.
    #[inline(always)]
    pub fn split<'a, I: bytemuck::Pod>(&self, block: &'a mut [u32]) -> State<'a, I> {
        let (floats, rest) = block[..self.total()].split_at_mut(self.floats);
        let (rows, rest) = rest.split_at_mut(2 * self.channels);
        let (words, rest) = rest.split_at_mut(self.words - 2 * self.channels);
        let (dirty, ints) = rest.split_at_mut(self.dirty_words);
        let (left, right) = rows.split_at_mut(self.channels);
        State {
            floats: bytemuck::cast_slice_mut(floats),
            left,
            right,
            words,
            words_start: 2 * self.channels,
            dirty,
            ints: bytemuck::cast_slice_mut(ints),
        }
    }

    /// The float region alone.
    #[inline(always)]
    pub fn floats<'a>(&self, block: &'a [u32]) -> &'a [f32] {
        bytemuck::cast_slice(&block[..self.floats])
    }
}

/// A cursor's block, split into its regions.
pub(super) struct State<'a, I> {
    pub floats: &'a mut [f32],
    /// The row of each channel's left key.
    pub left: &'a mut [u32],
    /// The row of each channel's right key.
    pub right: &'a mut [u32],
    /// Ticks and outer rows; their offsets count from the start of the row region.
    pub words: &'a mut [u32],
    pub words_start: usize,
    pub dirty: &'a mut [u32],
    pub ints: &'a mut [I],
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
        let needed = StateLayout::of(clip.layout).total();
        self.words.reserve_exact(needed.saturating_sub(self.words.len()));
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
        self.keys
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
    /// [`JobError::BlockMissing`] if the clip is a stream that does not have the block.
    pub fn advance(&mut self, backend: Backend, clip: ClipView<'_>, time_s: f64) -> Result<(), JobError> {
        self.bind(&clip);
        let moment = self.moment(&clip, time_s);
        self.fetch(backend, &clip, moment)
    }

    /// Fetches, decodes, interpolates.
    pub(crate) fn sample(
        &mut self,
        backend: Backend,
        clip: &ClipView<'_>,
        time_s: f64,
        rest: &[SoaTransform],
        lod: Option<&JointLod>,
        output: &mut [SoaTransform],
    ) -> Result<(), JobError> {
        let moment = self.moment(clip, time_s);
        self.fetch(backend, clip, moment)?;
        dispatch!(backend, s => {
            decode(s, self, clip);
            evaluate(s, self, clip, moment, rest, lod, output);
        });
        Ok(())
    }

    fn fetch(&mut self, backend: Backend, clip: &ClipView<'_>, to: Moment) -> Result<(), JobError> {
        advance(backend, self, clip, to).map_err(|missing| {
            // Some channels may have moved already: start from a jump frame next time.
            self.placed = false;
            JobError::BlockMissing { block: missing.0 }
        })
    }

    /// Makes this the cursor of a clip. Keeps the state if it is the same clip already.
    pub(crate) fn bind(&mut self, clip: &ClipView<'_>) {
        let state = StateLayout::of(clip.layout);
        if self.bound == Some(clip.identity()) && self.state == state {
            return;
        }
        self.words.clear();
        self.words.resize(state.total(), 0);
        self.state = state;
        self.bound = Some(clip.identity());
        self.placed = false;
    }

    /// The moment of a time in seconds; times outside [0, duration] are clamped.
    #[inline]
    pub(crate) fn moment(&self, clip: &ClipView<'_>, time_s: f64) -> Moment {
        let last = clip.last_row();
        let end = Moment { tick: clip.tick(last), fraction: 0.0, row: last };
        if time_s >= clip.layout.duration_s {
            return end;
        }
        let ticks = if time_s > 0.0 { time_s * clip.layout.ticks_per_s } else { 0.0 };
        // Ticks are below 2^31, so the cast keeps the whole part; what lies past the end is the end.
        // A time that was computed as tick / rate must find its tick again: rounding may have lost two units in
        // the last place on the way.
        let tick = (ticks * (1.0 + 2.0 * f64::EPSILON)) as u32;
        if tick >= end.tick {
            return end;
        }
        let past = ticks - f64::from(tick);
        let fraction = if past > 0.0 { past as f32 } else { 0.0 };
        Moment { tick, fraction, row: clip.row_of_tick(tick, self.row) }
    }
}
