//! Where everything stands in a clip's bytes, and the check that it does.

use super::{
    error::ClipError,
    rows::{self, Tables},
};
use lissom_math::soa::{GROUP, group_count};

/// The numbers of the format, shared by reader and writer. `FORMAT.md` explains them.
pub mod format {
    /// The first word: "LCLP".
    pub const MAGIC: u32 = u32::from_le_bytes(*b"LCLP");
    /// The version of a clip of sparse keys. (Dense clips: [`rows_format`](crate::clip::rows_format).)
    pub const VERSION: u16 = 1;
    /// Words of the header.
    pub const HEADER_WORDS: usize = 32;
    /// Words of a channel's entry.
    pub const CHANNEL_WORDS: usize = 4;
    /// Words of a block's entry.
    pub const BLOCK_WORDS: usize = 8;

    /// The last pose is the first one again.
    pub const FLAG_LOOPING: u16 = 1;
    /// A table of ticks follows; otherwise row i is at tick i.
    pub const FLAG_LISTED: u16 = 2;
    /// Key integers have 32 bits while playing; otherwise 16.
    pub const FLAG_WIDE: u16 = 4;
    /// Half floats and 3 × 16-bit rotations, which early cookers could write: no longer read.
    pub const RETIRED_PLAIN16: u16 = 8;

    /// The identity of a clip: the hash of all its words but the two that hold it.
    #[must_use]
    pub fn checksum(words: &[u32]) -> u64 {
        let mut hash = crate::hash::Fnv64::new();
        for (at, word) in words.iter().enumerate() {
            if at != word::IDENTITY && at != word::IDENTITY + 1 {
                hash = hash.word(*word);
            }
        }
        hash.finish()
    }

    /// Header words, by name.
    #[allow(missing_docs, reason = "FORMAT.md describes each field")]
    pub mod word {
        pub const MAGIC: usize = 0;
        pub const VERSION_FLAGS: usize = 1;
        pub const TOTAL_WORDS: usize = 2;
        pub const JOINTS: usize = 3;
        pub const IDENTITY: usize = 4;
        pub const SKELETON: usize = 6;
        pub const DURATION: usize = 8;
        pub const TICKS_PER_SECOND: usize = 10;
        pub const ROWS: usize = 12;
        pub const CHANNELS: usize = 13;
        pub const BLOCKS: usize = 14;
        pub const NAME_BYTES: usize = 15;
        pub const KEYS: usize = 16;
        pub const STREAM_BYTES: usize = 18;
        pub const STATE_BYTES: usize = 20;
        /// Nine lane counts: translation, rotation, scale × constant, linear, cubic.
        pub const LANES: usize = 21;
    }

    /// A channel's key is predicted as the key that leaves the window plus the residual.
    pub const PREDICT_OLDEST: u8 = 0;
    /// A channel's key is predicted by going on as before: 2b - a (linear), 4d - 6c + 4b - a (cubic).
    pub const PREDICT_SMOOTH: u8 = 1;
}

use format::{BLOCK_WORDS, CHANNEL_WORDS, HEADER_WORDS, word};

/// The six kinds of animated channels: translation, rotation, scale × linear (or step), cubic.
pub(crate) const SETS: usize = 6;

/// A contiguous run of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub start: usize,
    pub len: usize,
}

/// The checked header: where each section is. Plain numbers, so that a view is cheap to copy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    pub flags: u16,
    pub joints: usize,
    pub identity: u64,
    pub skeleton: u64,
    pub duration_s: f64,
    pub ticks_per_s: f64,
    pub rows: u32,
    pub channels: usize,
    pub blocks: usize,
    pub keys: u64,
    pub name_bytes: usize,
    pub name: Run,
    pub ticks: Run,
    pub masks: Run,
    /// Constant lanes of translation, rotation, scale, and where their values are.
    pub const_lanes: [usize; 3],
    pub consts: [Run; 3],
    /// Lanes of each set, and where their decoding constants are.
    pub lanes: [usize; SETS],
    pub lane_consts: [Run; SETS],
    /// The widest integer of a key, in bits.
    pub value_bits: u8,
    pub channel_table: Run,
    pub block_table: Run,
    pub states: Run,
    pub state_bytes: usize,
    pub stream: Run,
    pub stream_bytes: usize,
    /// The tables of a dense clip. It has none of the sections above but a name, whose place is then in bytes.
    pub dense: Option<Tables>,
}

/// Numbers a lane of each set needs for decoding, in words: base xyz and step; rotations also a mean.
pub(crate) const fn lane_const_words(set: usize) -> usize {
    if set / 2 == 1 { 5 } else { 4 }
}

fn field<T>(at_word: usize, field: &'static str, value: u64) -> Result<T, ClipError> {
    Err(ClipError::Field { offset: at_word as u64 * 4, field, value })
}

impl Layout {
    /// Checks everything that playing relies on. A *head* is a clip cut off before its jump frames: what a
    /// stream needs before the first block arrives; its checksum is the caller's business.
    pub fn parse(words: &[u32], head: bool) -> Result<Self, ClipError> {
        let length = |expected: u64| ClipError::Length { expected, actual: words.len() as u64 * 4 };
        let Some(header) = words.get(..rows::format::HEADER_WORDS) else {
            return Err(length(rows::format::HEADER_WORDS as u64 * 4));
        };
        if header[word::MAGIC] != format::MAGIC {
            return Err(ClipError::Magic { found: header[word::MAGIC] });
        }
        let version = header[word::VERSION_FLAGS] as u16;
        if version != format::VERSION && version != rows::format::VERSION {
            return Err(ClipError::Version { found: version, known: rows::format::VERSION });
        }
        let total = header[word::TOTAL_WORDS];
        if total as usize != words.len() && !head {
            return Err(length(u64::from(total) * 4));
        }
        let two = |at: usize| u64::from(header[at]) | u64::from(header[at + 1]) << 32;
        let identity = two(word::IDENTITY);
        let found = if head { identity } else { format::checksum(words) };
        if identity != found {
            return Err(ClipError::Checksum { expected: identity, found });
        }
        if version == rows::format::VERSION {
            return Tables::parse(words, head);
        }
        let Some(header) = words.get(..HEADER_WORDS) else { return Err(length(HEADER_WORDS as u64 * 4)) };
        let two = |at: usize| u64::from(header[at]) | u64::from(header[at + 1]) << 32;

        let flags = (header[word::VERSION_FLAGS] >> 16) as u16;
        if flags & format::RETIRED_PLAIN16 != 0 {
            let offset = word::VERSION_FLAGS as u64 * 4;
            return Err(ClipError::Retired { offset, what: "plain16 keys (half floats)" });
        }
        let joints = header[word::JOINTS] as usize;
        if joints == 0 || joints > crate::MAX_JOINTS {
            return field(word::JOINTS, "the joint count", joints as u64);
        }
        let float = |at: usize, name: &'static str| {
            let v = f64::from_bits(two(at));
            if v.is_finite() && v > 0.0 { Ok(v) } else { field(at, name, v.to_bits()) }
        };
        let duration_s = float(word::DURATION, "the duration")?;
        let ticks_per_s = float(word::TICKS_PER_SECOND, "the ticks per second")?;
        let rows = header[word::ROWS];
        if !(2..=0x7fff_fff0).contains(&rows) {
            return field(word::ROWS, "the row count", u64::from(rows));
        }

        // Sections stand one after the other; each is checked against what is left.
        let mut next = HEADER_WORDS;
        let mut section = |len: usize, name: &'static str| {
            let start = next;
            next = start.saturating_add(len);
            if next > words.len() {
                field(start.min(words.len()), name, len as u64)
            } else {
                Ok(Run { start, len })
            }
        };
        let name_bytes = header[word::NAME_BYTES] as usize;
        let name = section(name_bytes.div_ceil(4), "the name's length")?;
        let listed = flags & format::FLAG_LISTED != 0;
        let ticks = section(if listed { rows as usize } else { 0 }, "the row table's length")?;
        let groups = group_count(joints);
        let masks = section(groups * 3 * 2, "the mask table's length")?;
        let mut const_lanes = [0; 3];
        let mut consts = [Run { start: 0, len: 0 }; 3];
        let mut lanes = [0; SETS];
        let mut lane_consts = [Run { start: 0, len: 0 }; SETS];
        for kind in 0..3 {
            let counts = &header[word::LANES + kind * 3..][..3];
            for (at, count) in counts.iter().enumerate() {
                if *count as usize > joints {
                    return field(word::LANES + kind * 3 + at, "a lane count", u64::from(*count));
                }
            }
            const_lanes[kind] = counts[0] as usize;
            let width = if kind == 1 { 4 } else { 3 };
            consts[kind] = section(const_lanes[kind] * width, "the constants' length")?;
            for cubic in 0..2 {
                let set = kind * 2 + cubic;
                lanes[set] = counts[1 + cubic] as usize;
                lane_consts[set] = section(lanes[set] * lane_const_words(set), "a lane table's length")?;
            }
        }
        let channels = header[word::CHANNELS] as usize;
        if channels != lanes.iter().sum::<usize>() {
            return field(word::CHANNELS, "the channel count", channels as u64);
        }
        let channel_table = section(channels * CHANNEL_WORDS, "the channel table's length")?;
        let blocks = header[word::BLOCKS] as usize;
        if blocks == 0 || blocks > rows as usize {
            return field(word::BLOCKS, "the block count", blocks as u64);
        }
        let block_table = section(blocks.saturating_mul(BLOCK_WORDS), "the block table's length")?;
        let state_bytes = header[word::STATE_BYTES] as usize;
        let tail = |bytes: usize| if head { 0 } else { bytes.div_ceil(4) };
        let states = section(tail(state_bytes), "the jump frames' length")?;
        let stream_bytes = usize::try_from(two(word::STREAM_BYTES)).unwrap_or(usize::MAX);
        let stream = section(tail(stream_bytes), "the stream's length")?;
        if next != words.len() {
            return field(next, "the end of the last section", next as u64);
        }

        let mut layout = Self {
            flags,
            joints,
            identity,
            skeleton: two(word::SKELETON),
            duration_s,
            ticks_per_s,
            rows,
            channels,
            blocks,
            keys: two(word::KEYS),
            name_bytes,
            name,
            ticks,
            masks,
            const_lanes,
            consts,
            lanes,
            lane_consts,
            value_bits: 0,
            channel_table,
            block_table,
            states,
            state_bytes,
            stream,
            stream_bytes,
            dense: None,
        };
        layout.check_name(words)?;
        layout.check_ticks(words)?;
        layout.check_masks(words)?;
        layout.check_floats(words)?;
        layout.value_bits = layout.check_channels(words)?;
        layout.check_blocks(words)?;
        Ok(layout)
    }

    pub fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    fn check_name(&self, words: &[u32]) -> Result<(), ClipError> {
        let bytes: &[u8] = bytemuck::cast_slice(&words[self.name.start..][..self.name.len]);
        match core::str::from_utf8(&bytes[..self.name_bytes]) {
            Ok(_) => Ok(()),
            Err(e) => field(self.name.start, "a byte of the name", e.valid_up_to() as u64),
        }
    }

    fn check_ticks(&self, words: &[u32]) -> Result<(), ClipError> {
        let ticks = &words[self.ticks.start..][..self.ticks.len];
        if ticks.first().is_some_and(|t| *t != 0) {
            return field(self.ticks.start, "the first tick", u64::from(ticks[0]));
        }
        for (at, pair) in ticks.windows(2).enumerate() {
            if pair[1] <= pair[0] || pair[1] > i32::MAX as u32 {
                return field(self.ticks.start + at + 1, "a tick", u64::from(pair[1]));
            }
        }
        Ok(())
    }

    /// Every lane count must be what the masks add up to, and no joint may be in two sets.
    fn check_masks(&self, words: &[u32]) -> Result<(), ClipError> {
        let groups = group_count(self.joints);
        for kind in 0..3 {
            let mut counts = [0; 3];
            for group in 0..groups {
                let at = self.masks.start + (kind * groups + group) * 2;
                let masks = unpack_masks(words[at], words[at + 1]);
                let inside = (self.joints - group * GROUP).min(GROUP);
                let all = masks.iter().fold(0, |all, m| all | m);
                let twice = masks[0] & masks[1] | masks[0] & masks[2] | masks[1] & masks[2];
                if twice != 0 || u32::from(all) >> inside != 0 {
                    return field(at, "a joint mask", u64::from(all));
                }
                (0..3).for_each(|i| counts[i] += masks[i].count_ones() as usize);
            }
            let expected = [self.const_lanes[kind], self.lanes[kind * 2], self.lanes[kind * 2 + 1]];
            for i in 0..3 {
                if counts[i] != expected[i] {
                    return field(word::LANES + kind * 3 + i, "a lane count", expected[i] as u64);
                }
            }
        }
        Ok(())
    }

    fn check_floats(&self, words: &[u32]) -> Result<(), ClipError> {
        let runs = self.consts.iter().map(|r| (r, "a constant"));
        let steps = self.lane_consts.iter().map(|r| (r, "a decoding constant"));
        for (run, field) in runs.chain(steps) {
            for (at, word) in words[run.start..][..run.len].iter().enumerate() {
                let (at, v) = (run.start + at, f32::from_bits(*word));
                // Beyond 2^60 a step times an integer could leave f32.
                if !v.is_finite() || v.abs() > 1.2e18 {
                    return Err(ClipError::NotFinite { offset: at as u64 * 4, field });
                }
            }
        }
        Ok(())
    }

    /// Returns the widest value.
    fn check_channels(&self, words: &[u32]) -> Result<u8, ClipError> {
        let mut value_bits = 0;
        // Channels of a set take its lanes in order, so no two share one.
        let mut used = [0; SETS];
        let widest = if self.is(format::FLAG_WIDE) { 32 } else { 16 };
        for c in 0..self.channels {
            let at = self.channel_table.start + c * CHANNEL_WORDS;
            let e = ChannelEntry::unpack(&words[at..at + CHANNEL_WORDS]);
            let set = usize::from(e.set);
            if set >= SETS {
                return field(at, "a channel's set", set as u64);
            }
            if usize::from(e.lane) != used[set] || used[set] >= self.lanes[set] {
                return field(at, "a channel's lane", u64::from(e.lane));
            }
            used[set] += 1;
            let bits = e.value_bits.iter().chain(&e.residual_bits).copied();
            if let Some(bad) = bits.into_iter().find(|b| *b > widest) {
                return field(at + 1, "a bit width", u64::from(bad));
            }
            if e.span_bits > 31 || e.predictor > format::PREDICT_SMOOTH || e.span_base > 0x7fff_ffff {
                return field(at, "a channel's coding", u64::from(e.predictor));
            }
            value_bits = e.value_bits.into_iter().fold(value_bits, u8::max);
        }
        Ok(value_bits)
    }

    fn check_blocks(&self, words: &[u32]) -> Result<(), ClipError> {
        let mut before: Option<BlockEntry> = None;
        for b in 0..self.blocks {
            let at = self.block_table.start + b * BLOCK_WORDS;
            let e = BlockEntry::unpack(&words[at..at + BLOCK_WORDS]);
            let in_order = match &before {
                None => e.first_row == 0,
                Some(p) => e.first_row > p.first_row && e.stream_byte >= p.stream_end() && e.keys >= p.keys,
            };
            if !in_order || e.first_row >= self.rows {
                return field(at, "a block's first row", u64::from(e.first_row));
            }
            if e.stream_end() > self.stream_bytes as u64 {
                return field(at + 2, "a block's place", e.stream_byte);
            }
            if e.state_byte as usize > self.state_bytes || e.row_bits > 31 {
                return field(at + 1, "a jump frame's place", u64::from(e.state_byte));
            }
            before = Some(e);
        }
        Ok(())
    }
}

/// The three lane masks (constant, linear, cubic) of a group and a kind, from two words.
pub(crate) fn unpack_masks(a: u32, b: u32) -> [u16; 3] {
    [a as u16, (a >> 16) as u16, b as u16]
}

/// One animated channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChannelEntry {
    pub lane: u16,
    pub set: u8,
    pub predictor: u8,
    pub value_bits: [u8; 3],
    pub span_bits: u8,
    pub residual_bits: [u8; 3],
    pub step: bool,
    pub span_base: u32,
}

impl ChannelEntry {
    #[inline(always)]
    pub fn unpack(w: &[u32]) -> Self {
        let v = w[1].to_le_bytes();
        let r = w[2].to_le_bytes();
        Self {
            lane: w[0] as u16,
            set: (w[0] >> 16) as u8,
            predictor: (w[0] >> 24) as u8,
            value_bits: [v[0], v[1], v[2]],
            span_bits: v[3],
            residual_bits: [r[0], r[1], r[2]],
            step: r[3] != 0,
            span_base: w[3],
        }
    }

    /// Bits of one record.
    #[inline(always)]
    pub fn record_bits(&self) -> u64 {
        let [x, y, z] = self.residual_bits.map(u64::from);
        u64::from(self.span_bits) + (x + y + z)
    }
}

/// One block: a jump frame and the stream up to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockEntry {
    pub first_row: u32,
    pub state_byte: u32,
    pub stream_byte: u64,
    pub stream_bits: u64,
    /// Keys consumed when playing starts here.
    pub keys: u64,
    /// Bits of a row distance in the jump frame; stored in the top of `keys`.
    pub row_bits: u32,
}

impl BlockEntry {
    pub fn unpack(w: &[u32]) -> Self {
        Self {
            first_row: w[0],
            state_byte: w[1],
            stream_byte: u64::from(w[2]) | u64::from(w[3]) << 32,
            stream_bits: u64::from(w[4]) | u64::from(w[5]) << 32,
            keys: u64::from(w[6]) | u64::from(w[7] & 0x00ff_ffff) << 32,
            row_bits: w[7] >> 24,
        }
    }

    pub fn stream_end(&self) -> u64 {
        self.stream_byte.saturating_add(self.stream_bits.div_ceil(8))
    }
}
