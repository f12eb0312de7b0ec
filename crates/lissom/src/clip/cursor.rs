//! The state of one playing clip.

use super::{
    advance::advance,
    decode::decode,
    evaluate::evaluate,
    layout::{Layout, SETS, format},
    rows::{self, Arrays, Place},
    view::ClipView,
};
use crate::job::{JobError, JointLod};
use alloc::vec::Vec;
use lissom_math::{
    dispatch,
    simd::Backend,
    soa::{GROUP, SoaTransform},
};

/// Zeros behind the last float array, so that a wide load stays among floats: integers read as floats are
/// subnormal, and arithmetic on those takes a hundred times as long.
const SLACK: u32 = GROUP as u32;

/// The state of one playing clip: the active array, one position in the stream, and what is to be decoded.
///
/// Made once, reused for any clip: it grows when a larger clip is bound and never shrinks. It knows its clip
/// by identity (a hash of its bytes), not by address. [`Cursor::reserve`] sizes it ahead, so that playing
/// allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    /// The active array, one block: floats, ticks, rows, what is to be decoded, key integers.
    pub(super) words: Vec<u32>,
    pub(super) state: StateLayout,
    /// The clip this state belongs to; `None` before the first sample.
    pub(super) bound: Option<u64>,
    /// True once the active array holds a state of the bound clip.
    pub(super) placed: bool,
    /// True if keys were fetched that may not be decoded yet.
    pub(super) fetched: bool,
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
    /// Of a dense clip: its lanes, and where in a block the integers stand.
    pub(super) dense: Arrays,
    pub(super) place: Place,
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

/// Where the arrays of one set stand, in elements of their own region. Small, since every cursor has six.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SetLayout {
    lanes: u32,
    keys: u32,
    tick: u32,
    outer: u32,
    ints: u32,
    dirty: u32,
    width: u8,
    window: u8,
}

impl SetLayout {
    #[inline(always)]
    pub fn lanes(&self) -> usize {
        self.lanes as usize
    }

    /// Floats of a key: 3, or 4 for rotations.
    #[inline(always)]
    pub fn width(&self) -> usize {
        usize::from(self.width)
    }

    /// Keys in the window: 2, or 4 for cubics.
    #[inline(always)]
    pub fn window(&self) -> usize {
        usize::from(self.window)
    }

    /// Blocks of 16 lanes.
    #[inline(always)]
    pub fn blocks(&self) -> usize {
        self.lanes().div_ceil(GROUP)
    }

    /// Lanes and room for a wide load behind; what is read there is never stored.
    #[inline(always)]
    pub fn padded(&self) -> usize {
        if self.lanes == 0 { 0 } else { self.lanes() + GROUP }
    }

    /// Floats: a key of the window, `width` arrays of `lanes`.
    #[inline(always)]
    pub fn key(&self, key: usize) -> usize {
        self.keys as usize + key * self.width() * self.lanes()
    }

    /// Floats: 1 / (ticks from left to right); 0 for step.
    #[inline(always)]
    pub fn inverse_span(&self) -> usize {
        self.key(self.window())
    }

    /// Floats, cubics: (right - left) / (right - oldest), (right - left) / (newest - left).
    #[inline(always)]
    pub fn slopes(&self) -> usize {
        self.inverse_span() + self.lanes()
    }

    /// Ticks: of the left key.
    #[inline(always)]
    pub fn tick(&self) -> usize {
        self.tick as usize
    }

    /// Outer rows, cubics: of the oldest key, then of the newest.
    #[inline(always)]
    pub fn outer(&self) -> usize {
        self.outer as usize
    }

    /// Key integers: the window of a lane.
    #[inline(always)]
    pub fn ints(&self, lane: usize) -> usize {
        self.ints as usize + lane * self.window()
    }

    /// Dirty words: for a key of the window and 16 lanes, a bit for each lane that is not decoded.
    #[inline(always)]
    pub fn dirty(&self, key: usize, block: usize) -> usize {
        self.dirty as usize + key * self.blocks() + block
    }
}

/// How key integers are kept while playing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ints {
    /// Three of 16 bits.
    #[default]
    Narrow,
    /// Three of 21 bits.
    Packed,
    /// Three of 32 bits.
    Wide,
}

/// Where everything stands in a cursor's block. The regions follow each other in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StateLayout {
    pub sets: [SetLayout; SETS],
    floats: u32,
    ticks: u32,
    /// Left rows, then as many right rows, padded to whole groups.
    channels: u32,
    outer: u32,
    dirty: u32,
    ints: u32,
    pub coding: Ints,
}

impl StateLayout {
    pub fn of(clip: &Layout) -> Self {
        let coding = Self::coding_of(clip);
        let mut s =
            Self { coding, channels: clip.channels.next_multiple_of(GROUP) as u32, ..Self::default() };
        let mut keys = 0;
        for (set, layout) in s.sets.iter_mut().enumerate() {
            let lanes = clip.lanes[set] as u32;
            let cubic = set % 2 == 1;
            let width = if set / 2 == 1 { 4 } else { 3 };
            let window = if cubic { 4 } else { 2 };
            let outer = if cubic { 2 * lanes } else { 0 };
            *layout = SetLayout {
                lanes,
                width,
                window,
                keys: s.floats,
                tick: s.ticks,
                outer: s.outer,
                ints: keys,
                dirty: s.dirty,
            };
            let (width, window) = (u32::from(width), u32::from(window));
            s.floats += (window * width + 1) * lanes + outer;
            s.ticks += lanes;
            s.outer += outer;
            s.dirty += window * lanes.div_ceil(GROUP as u32);
            keys += window * lanes;
        }
        s.floats += SLACK;
        s.ints = match coding {
            Ints::Narrow => (keys * 3).div_ceil(2),
            Ints::Packed => keys * 2,
            Ints::Wide => keys * 3,
        };
        s
    }

    fn coding_of(clip: &Layout) -> Ints {
        match clip.is(format::FLAG_WIDE) {
            false => Ints::Narrow,
            // Sums wrap, so values that fit come out right whatever they were summed from.
            true if clip.value_bits <= 21 => Ints::Packed,
            true => Ints::Wide,
        }
    }

    /// True if this is the layout for a clip: lane counts and coding are all that it is made from.
    #[inline]
    fn fits(&self, clip: &Layout) -> bool {
        let mut same = self.coding == Self::coding_of(clip);
        for (set, lanes) in self.sets.iter().zip(clip.lanes) {
            same &= set.lanes() == lanes;
        }
        same
    }

    /// Words of the whole block.
    pub fn total(&self) -> usize {
        (self.floats + self.ticks + 2 * self.channels + self.outer + self.dirty + self.ints) as usize
    }

    /// Where the ticks start in the block.
    #[inline(always)]
    pub fn ticks_start(&self) -> usize {
        self.floats as usize
    }

    /// Where the dirty words start in the block.
    #[inline(always)]
    pub fn dirty_start(&self) -> usize {
        (self.floats + self.ticks + 2 * self.channels + self.outer) as usize
    }

    /// Splits a cursor's block into its regions.
    #[inline(always)]
    pub fn split<'a>(&self, block: &'a mut [u32]) -> State<'a> {
        let (floats, rest) = block.split_at_mut(self.floats as usize);
        let (ticks, rest) = rest.split_at_mut(self.ticks as usize);
        let (left, rest) = rest.split_at_mut(self.channels as usize);
        let (right, rest) = rest.split_at_mut(self.channels as usize);
        let (outer, rest) = rest.split_at_mut(self.outer as usize);
        let (dirty, ints) = rest.split_at_mut(self.dirty as usize);
        State { floats: bytemuck::cast_slice_mut(floats), ticks, left, right, outer, dirty, ints }
    }
}

/// A cursor's block, split into its regions.
pub(super) struct State<'a> {
    pub floats: &'a mut [f32],
    pub ticks: &'a mut [u32],
    /// The row of each channel's left key.
    pub left: &'a mut [u32],
    /// The row of each channel's right key.
    pub right: &'a mut [u32],
    /// Rows of the outer keys of cubics.
    pub outer: &'a mut [u32],
    pub dirty: &'a mut [u32],
    pub ints: &'a mut [u32],
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
        let needed = match &clip.layout.dense {
            Some(tables) => Arrays { lanes: tables.lanes }.total(),
            None => StateLayout::of(clip.layout).total(),
        };
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
        match &clip.layout.dense {
            Some(tables) => self.fetch_rows(backend, &clip, tables, moment).map(|_| ()),
            None => self.fetch(backend, &clip, moment),
        }
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
        if let Some(tables) = &clip.layout.dense {
            let t = self.fetch_rows(backend, clip, tables, moment)?;
            dispatch!(backend, s => rows::evaluate(s, self, clip, tables, t, rest, lod, output));
            return Ok(());
        }
        self.fetch(backend, clip, moment)?;
        dispatch!(backend, s => {
            decode(s, self, clip);
            evaluate(s, self, clip, moment, rest, lod, output);
        });
        Ok(())
    }

    /// Fetches the rows around a moment of a dense clip. Returns how far between them it lies.
    #[inline]
    fn fetch_rows(
        &mut self,
        backend: Backend,
        clip: &ClipView<'_>,
        tables: &rows::Tables,
        to: Moment,
    ) -> Result<f32, JobError> {
        // The end is all of the way to the last row.
        let (row, t) =
            if to.row >= clip.last_row() { (clip.last_row() - 1, 1.0) } else { (to.row, to.fraction) };
        rows::advance(backend, self, clip, tables, row)
            .map_err(|missing| JobError::BlockMissing { block: missing.0 })?;
        Ok(t)
    }

    fn fetch(&mut self, backend: Backend, clip: &ClipView<'_>, to: Moment) -> Result<(), JobError> {
        advance(backend, self, clip, to).map_err(|missing| {
            // Some channels may have moved already: start from a jump frame next time.
            self.placed = false;
            JobError::BlockMissing { block: missing.0 }
        })
    }

    /// Makes this the cursor of a clip. Keeps the state if it is the same clip already.
    #[inline]
    pub(crate) fn bind(&mut self, clip: &ClipView<'_>) {
        // The lane counts too: two clips may claim one identity.
        let fits = match &clip.layout.dense {
            Some(tables) => self.dense.lanes == tables.lanes,
            None => self.dense == Arrays::default() && self.state.fits(clip.layout),
        };
        if self.bound != Some(clip.identity()) || !fits {
            self.rebind(clip);
        }
    }

    #[cold]
    fn rebind(&mut self, clip: &ClipView<'_>) {
        let (state, dense) = match &clip.layout.dense {
            Some(tables) => (StateLayout::default(), Arrays { lanes: tables.lanes }),
            None => (StateLayout::of(clip.layout), Arrays::default()),
        };
        let words = if clip.layout.dense.is_some() { dense.total() } else { state.total() };
        self.words.clear();
        self.words.resize(words, 0);
        if let Some(tables) = &clip.layout.dense {
            rows::bind(dense, &mut self.words, clip, tables);
        }
        self.state = state;
        self.dense = dense;
        self.bound = Some(clip.identity());
        self.placed = false;
    }

    /// The block as floats: the float region stands first, whole.
    #[inline(always)]
    pub(super) fn floats(&self) -> &[f32] {
        bytemuck::cast_slice(&self.words)
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
