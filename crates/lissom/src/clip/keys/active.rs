//! The active array: the keys around the current time of every moving channel, in one block of words.

use lissom_math::soa::GROUP;

/// Zeros behind the last float array, so that a wide load stays among floats: integers read as floats are
/// subnormal, and arithmetic on those takes a hundred times as long.
const SLACK: u32 = GROUP as u32;

/// The six kinds of animated channels: translation, rotation, scale × linear (or step), cubic.
pub(super) const SETS: usize = 6;

/// Where the arrays of one set stand, in elements of their own region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetLayout {
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

    /// Dirty words, windows of two: a bit for each lane whose left key waits in the place of the right one.
    #[inline(always)]
    pub fn swapped(&self, block: usize) -> usize {
        self.dirty(2, block)
    }
}

/// All that an active array's layout follows from: two clips of one shape lay it out alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Lanes of each set; at most one a joint.
    pub lanes: [u16; SETS],
    pub ints_as: Ints,
}

/// How key integers are kept while playing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ints {
    /// Three of 16 bits.
    #[default]
    Narrow,
    /// Three of 21 bits.
    Packed,
    /// Three of 32 bits.
    Wide,
}

/// Where everything stands in an active array. The regions follow each other in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActiveLayout {
    pub sets: [SetLayout; SETS],
    floats: u32,
    ticks: u32,
    /// Left rows, then as many right rows, padded to whole groups.
    channels: u32,
    outer: u32,
    dirty: u32,
    ints: u32,
    pub ints_as: Ints,
}

impl ActiveLayout {
    pub fn of(shape: &Shape) -> Self {
        let channels: u32 = shape.lanes.iter().map(|l| u32::from(*l)).sum();
        let mut s = Self {
            ints_as: shape.ints_as,
            channels: channels.next_multiple_of(GROUP as u32),
            ..Self::default()
        };
        let mut keys = 0;
        for (set, layout) in s.sets.iter_mut().enumerate() {
            let lanes = u32::from(shape.lanes[set]);
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
            // Windows of two also say which lanes are swapped.
            s.dirty += if cubic { window } else { window + 1 } * lanes.div_ceil(GROUP as u32);
            keys += window * lanes;
        }
        s.floats += SLACK;
        s.ints = match s.ints_as {
            Ints::Narrow => (keys * 3).div_ceil(2),
            Ints::Packed => keys * 2,
            Ints::Wide => keys * 3,
        };
        s
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

    /// Splits an active array into its regions.
    #[inline(always)]
    pub fn split<'a>(&self, block: &'a mut [u32]) -> Active<'a> {
        let (floats, rest) = block.split_at_mut(self.floats as usize);
        let (ticks, rest) = rest.split_at_mut(self.ticks as usize);
        let (left, rest) = rest.split_at_mut(self.channels as usize);
        let (right, rest) = rest.split_at_mut(self.channels as usize);
        let (outer, rest) = rest.split_at_mut(self.outer as usize);
        let (dirty, ints) = rest.split_at_mut(self.dirty as usize);
        Active { floats: bytemuck::cast_slice_mut(floats), ticks, left, right, outer, dirty, ints }
    }
}

/// An active array, split into its regions.
pub(crate) struct Active<'a> {
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
