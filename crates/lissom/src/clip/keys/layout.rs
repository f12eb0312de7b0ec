//! Where everything stands in the words of a clip of keys, and the check that it does.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{
    super::{
        error::ClipError,
        header::{self, FLAG_LOOPING, Head, long_at, word_at},
    },
    active::{ActiveLayout, Ints, SETS, Shape},
    entry::{BlockEntry, ChannelEntry, unpack_masks},
    format::{self, BLOCK_WORDS, CHANNEL_WORDS, HEADER_WORDS, word},
};
use lissom_math::soa::{GROUP, group_count};

/// A contiguous run of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub start: usize,
    pub len: usize,
}

impl Run {
    /// The words of the run; none where they are not there.
    #[inline(always)]
    pub fn of(self, words: &[u32]) -> &[u32] {
        words.get(self.start..).and_then(|w| w.get(..self.len)).unwrap_or_default()
    }
}

/// The checked header: where each section is, in words, and how a cursor lays out its active array.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    pub flags: u16,
    pub ticks: Run,
    pub masks: Run,
    /// Constant lanes of translation, rotation, scale, and where their values are.
    pub const_lanes: [usize; 3],
    pub consts: [Run; 3],
    /// Where the decoding constants of each set are.
    pub lane_consts: [Run; SETS],
    pub channel_table: Run,
    pub block_table: Run,
    pub states: Run,
    pub stream: Run,
    pub shape: Shape,
    pub active: ActiveLayout,
}

/// Numbers a lane of each set needs for decoding, in words: base xyz and step; rotations also a mean.
const fn lane_const_words(set: usize) -> usize {
    if set / 2 == 1 { 5 } else { 4 }
}

fn field<T>(at_word: usize, field: &'static str, value: u64) -> Result<T, ClipError> {
    ClipError::field(at_word.saturating_mul(4), field, value)
}

/// Sections stand one after the other; each is checked against what is left.
struct Sections {
    next: usize,
    end: usize,
}

impl Sections {
    fn take(&mut self, len: usize, name: &'static str) -> Result<Run, ClipError> {
        let start = self.next;
        self.next = start.saturating_add(len);
        if self.next > self.end {
            field(start.min(self.end), name, len as u64)
        } else {
            Ok(Run { start, len })
        }
    }
}

impl Layout {
    /// Checks everything that playing relies on. Magic, version, length and checksum are right.
    pub fn parse(words: &[u32], cut: bool) -> Result<(Head, Self), ClipError> {
        let Some(header) = words.first_chunk::<HEADER_WORDS>() else {
            let actual = (words.len() as u64).saturating_mul(4);
            return Err(ClipError::Length { expected: const { HEADER_WORDS as u64 * 4 }, actual });
        };
        let flags = (header[word::VERSION_FLAGS] >> 16) as u16;
        if flags & format::RETIRED_PLAIN16 != 0 {
            let offset = const { word::VERSION_FLAGS as u64 * 4 };
            return Err(ClipError::Retired { offset, what: "plain16 keys (half floats)" });
        }
        let joints = header::check_joints(header[word::JOINTS] as usize, const { word::JOINTS * 4 })?;
        let long = |at: usize| long_at(header, at);
        let duration_s =
            header::positive(long(word::DURATION), const { word::DURATION * 4 }, "the duration")?;
        let rate = long(word::TICKS_PER_SECOND);
        let ticks_per_s =
            header::positive(rate, const { word::TICKS_PER_SECOND * 4 }, "the ticks per second")?;
        let rows = header::check_rows(header[word::ROWS], const { word::ROWS * 4 })?;

        let mut sections = Sections { next: HEADER_WORDS, end: words.len() };
        let name_len = header[word::NAME_BYTES] as usize;
        let name = sections.take(name_len.div_ceil(4), "the name's length")?;
        let listed = flags & format::FLAG_LISTED != 0;
        let ticks = sections.take(if listed { rows as usize } else { 0 }, "the row table's length")?;
        let masks = sections.take(group_count(joints).saturating_mul(3 * 2), "the mask table's length")?;
        let mut layout = Self { flags, ticks, masks, ..Self::default() };
        let channels = layout.take_lanes(&mut sections, header, joints)?;
        layout.channel_table =
            sections.take(channels.saturating_mul(CHANNEL_WORDS), "the channel table's length")?;
        let blocks = header[word::BLOCKS] as usize;
        if blocks == 0 || blocks > rows as usize {
            return field(word::BLOCKS, "the block count", blocks as u64);
        }
        layout.block_table = sections.take(blocks.saturating_mul(BLOCK_WORDS), "the block table's length")?;
        let table_words = sections.next;
        let jump_bytes = header[word::STATE_BYTES] as usize;
        let tail = |bytes: usize| if cut { 0 } else { bytes.div_ceil(4) };
        layout.states = sections.take(tail(jump_bytes), "the jump frames' length")?;
        let stream_bytes = usize::try_from(long(word::STREAM_BYTES)).unwrap_or(usize::MAX);
        layout.stream = sections.take(tail(stream_bytes), "the stream's length")?;
        if sections.next != words.len() {
            return field(sections.next, "the end of the last section", sections.next as u64);
        }

        let head = Head {
            joints,
            identity: long(word::IDENTITY),
            skeleton: long(word::SKELETON),
            duration_s,
            ticks_per_s,
            looping: flags & FLAG_LOOPING != 0,
            name_at: name.start.saturating_mul(4),
            name_len,
            rows,
            channels,
            constants: layout.const_lanes.iter().sum(),
            blocks,
            keys: long(word::KEYS),
            table_bytes: table_words.saturating_mul(4),
            jump_bytes,
            stream_bytes,
        };
        check_name(name, name_len, words)?;
        layout.check_ticks(words)?;
        layout.check_masks(words, joints)?;
        layout.check_floats(words)?;
        let widest = layout.check_channels(words)?;
        layout.check_blocks(words, &head)?;
        layout.shape.ints_as = match flags & format::FLAG_WIDE != 0 {
            false => Ints::Narrow,
            // Sums wrap, so values that fit come out right whatever they were summed from.
            true if widest <= 21 => Ints::Packed,
            true => Ints::Wide,
        };
        layout.active = ActiveLayout::of(&layout.shape);
        Ok((head, layout))
    }

    pub fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Takes constants and decoding constants, kind by kind. Returns how many channels move.
    fn take_lanes(
        &mut self,
        sections: &mut Sections,
        header: &[u32; HEADER_WORDS],
        joints: usize,
    ) -> Result<usize, ClipError> {
        let mut channels = 0_usize;
        for kind in 0..3_usize {
            let at = kind.saturating_mul(3).saturating_add(word::LANES);
            let mut counts = [0; 3];
            for (i, count) in counts.iter_mut().enumerate() {
                let at = at.saturating_add(i);
                *count = word_at(header, at) as usize;
                if *count > joints {
                    return field(at, "a lane count", *count as u64);
                }
            }
            let [constant, linear, cubic] = counts;
            let width = if kind == 1 { 4 } else { 3 };
            let run = sections.take(constant.saturating_mul(width), "the constants' length")?;
            put(&mut self.const_lanes, kind, constant);
            put(&mut self.consts, kind, run);
            for (i, lanes) in [linear, cubic].into_iter().enumerate() {
                let set = kind.saturating_mul(2).saturating_add(i);
                let len = lanes.saturating_mul(lane_const_words(set));
                put(&mut self.lane_consts, set, sections.take(len, "a lane table's length")?);
                // There are at most as many as joints.
                put(&mut self.shape.lanes, set, lanes as u16);
                channels = channels.saturating_add(lanes);
            }
        }
        let found = header[word::CHANNELS] as usize;
        if found != channels {
            return field(word::CHANNELS, "the channel count", found as u64);
        }
        Ok(channels)
    }

    fn check_ticks(&self, words: &[u32]) -> Result<(), ClipError> {
        let ticks = self.ticks.of(words);
        if let Some(first) = ticks.first().filter(|t| **t != 0) {
            return field(self.ticks.start, "the first tick", u64::from(*first));
        }
        for (at, (before, tick)) in ticks.iter().zip(ticks.iter().skip(1)).enumerate() {
            if tick <= before || *tick > i32::MAX as u32 {
                let at = self.ticks.start.saturating_add(at).saturating_add(1);
                return field(at, "a tick", u64::from(*tick));
            }
        }
        Ok(())
    }

    /// Every lane count must be what the masks add up to, and no joint may be in two sets.
    fn check_masks(&self, words: &[u32], joints: usize) -> Result<(), ClipError> {
        let groups = group_count(joints);
        let mut pairs = self.masks.of(words).as_chunks::<2>().0.iter().enumerate();
        let sets = self.shape.lanes.as_chunks::<2>().0;
        for (kind, (constant, [linear, cubic])) in self.const_lanes.iter().zip(sets).enumerate() {
            let mut counts = [0_usize; 3];
            for (group, (pair, [a, b])) in pairs.by_ref().take(groups).enumerate() {
                let masks = unpack_masks(*a, *b);
                let inside = joints.saturating_sub(group.saturating_mul(GROUP)).min(GROUP);
                let [x, y, z] = masks;
                if x & y | x & z | y & z != 0 || u32::from(x | y | z) >> inside != 0 {
                    let at = self.masks.start.saturating_add(pair.saturating_mul(2));
                    return field(at, "a joint mask", u64::from(x | y | z));
                }
                for (count, mask) in counts.iter_mut().zip(masks) {
                    *count = count.saturating_add(mask.count_ones() as usize);
                }
            }
            let expected = [*constant, usize::from(*linear), usize::from(*cubic)];
            for (i, (count, expected)) in counts.into_iter().zip(expected).enumerate() {
                if count != expected {
                    let at = kind.saturating_mul(3).saturating_add(i).saturating_add(word::LANES);
                    return field(at, "a lane count", expected as u64);
                }
            }
        }
        Ok(())
    }

    fn check_floats(&self, words: &[u32]) -> Result<(), ClipError> {
        let runs = self.consts.iter().map(|r| (r, "a constant"));
        let steps = self.lane_consts.iter().map(|r| (r, "a decoding constant"));
        for (run, field) in runs.chain(steps) {
            for (at, word) in run.of(words).iter().enumerate() {
                let v = f32::from_bits(*word);
                // Beyond 2^60 a step times an integer could leave f32.
                if !v.is_finite() || v.abs() > 1.2e18 {
                    let offset = (run.start.saturating_add(at) as u64).saturating_mul(4);
                    return Err(ClipError::NotFinite { offset, field });
                }
            }
        }
        Ok(())
    }

    /// Returns the widest value.
    fn check_channels(&self, words: &[u32]) -> Result<u8, ClipError> {
        let mut value_bits = 0;
        // Channels of a set take its lanes in order, so no two share one.
        let mut used = [0_u16; SETS];
        let widest = if self.is(format::FLAG_WIDE) { 32 } else { 16 };
        for (c, entry) in self.channel_table.of(words).as_chunks().0.iter().enumerate() {
            let at = self.channel_table.start.saturating_add(c.saturating_mul(CHANNEL_WORDS));
            let e = ChannelEntry::unpack(entry);
            let set = usize::from(e.set);
            let (Some(used), Some(lanes)) = (used.get_mut(set), self.shape.lanes.get(set)) else {
                return field(at, "a channel's set", set as u64);
            };
            if e.lane != *used || *used >= *lanes {
                return field(at, "a channel's lane", u64::from(e.lane));
            }
            *used = used.saturating_add(1);
            let bits = e.value_bits.iter().chain(&e.residual_bits).copied();
            if let Some(bad) = bits.into_iter().find(|b| *b > widest) {
                return field(at.saturating_add(1), "a bit width", u64::from(bad));
            }
            if e.span_bits > 31 || e.predictor > format::PREDICT_SMOOTH || e.span_base > 0x7fff_ffff {
                return field(at, "a channel's coding", u64::from(e.predictor));
            }
            value_bits = e.value_bits.into_iter().fold(value_bits, u8::max);
        }
        Ok(value_bits)
    }

    fn check_blocks(&self, words: &[u32], head: &Head) -> Result<(), ClipError> {
        let mut before: Option<BlockEntry> = None;
        for (b, entry) in self.block_table.of(words).as_chunks().0.iter().enumerate() {
            let at = self.block_table.start.saturating_add(b.saturating_mul(BLOCK_WORDS));
            let e = BlockEntry::unpack(entry);
            let in_order = match &before {
                None => e.first_row == 0,
                Some(p) => e.first_row > p.first_row && e.stream_byte >= p.stream_end() && e.keys >= p.keys,
            };
            if !in_order || e.first_row >= head.rows {
                return field(at, "a block's first row", u64::from(e.first_row));
            }
            if e.stream_end() > head.stream_bytes as u64 {
                return field(at.saturating_add(2), "a block's place", e.stream_byte);
            }
            if e.state_byte as usize > head.jump_bytes || e.row_bits > 31 {
                return field(at.saturating_add(1), "a jump frame's place", u64::from(e.state_byte));
            }
            before = Some(e);
        }
        Ok(())
    }
}

fn check_name(name: Run, len: usize, words: &[u32]) -> Result<(), ClipError> {
    let bytes: &[u8] = bytemuck::cast_slice(name.of(words));
    match core::str::from_utf8(bytes.get(..len).unwrap_or_default()) {
        Ok(_) => Ok(()),
        Err(e) => field(name.start, "a byte of the name", e.valid_up_to() as u64),
    }
}

/// Sets an entry; one that there is not is left out.
fn put<T>(list: &mut [T], at: usize, value: T) {
    if let Some(entry) = list.get_mut(at) {
        *entry = value;
    }
}
