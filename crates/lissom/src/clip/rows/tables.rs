//! Where everything stands in a dense clip, and the check that it does.

use super::{
    super::{
        bits::word_at,
        error::ClipError,
        layout::{Layout, Run},
    },
    format::{self, BLOCK_ROWS, HEADER_WORDS, WIDEST, word},
};
use lissom_math::soa::{GROUP, group_count};

/// The checked tables of a dense clip. Places are bytes of the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tables {
    pub flags: u16,
    /// Rows that are stored: all, or all but the last of a loop.
    pub stored: u32,
    /// Moving and constant channels of translations, rotations, scales.
    pub lanes: [u32; 3],
    pub constants: [u32; 3],
    /// Masks, 16 joints each: constant, moving. Not there for a kind that has none.
    pub constant_masks: [usize; 3],
    pub moving_masks: [usize; 3],
    /// The arrays of a kind's constants, and their step.
    pub constants_at: [usize; 3],
    pub constant_step: [f32; 3],
    /// Where a kind's channel records start, in bits; the bits of a record, and of one number of its first key.
    pub records: [u64; 3],
    pub record_bits: [u32; 3],
    pub base_bits: [u32; 3],
    /// Bytes of the jump frame of every block but the first, whose keys stand in the records.
    pub state_bytes: usize,
    /// Where the starts of the blocks are listed, the first one left out, and where the blocks begin.
    pub starts_at: usize,
    pub blocks_at: usize,
}

/// What a channel's record says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub code: u8,
    pub centre: u32,
    /// Bits of a jump frame's x, y, z.
    pub state: [u32; 3],
    /// Bits of a slope's x, y, z.
    pub slope: [u32; 3],
}

/// Reads a clip's bytes in order, each part against what is left.
struct Parts<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl<'a> Parts<'a> {
    fn take(&mut self, len: usize, field: &'static str) -> Result<&'a [u8], ClipError> {
        let start = self.next;
        let part = self.bytes.get(start..).and_then(|b| b.get(..len));
        self.next = start.saturating_add(len);
        part.ok_or(ClipError::Field { offset: start as u64, field, value: len as u64 })
    }
}

fn field<T>(offset: usize, field: &'static str, value: u64) -> Result<T, ClipError> {
    Err(ClipError::Field { offset: offset as u64, field, value })
}

impl Tables {
    /// Checks everything that playing relies on. The words' magic, version, length and checksum are right.
    pub fn parse(words: &[u32], head: bool) -> Result<Layout, ClipError> {
        let Some(header) = words.get(..HEADER_WORDS) else {
            let expected = HEADER_WORDS as u64 * 4;
            return Err(ClipError::Length { expected, actual: words.len() as u64 * 4 });
        };
        let two = |at: usize| u64::from(header[at]) | u64::from(header[at + 1]) << 32;
        let flags = (header[super::super::format::word::VERSION_FLAGS] >> 16) as u16;
        let joints = (header[word::JOINTS_NAME] & 0xffff) as usize;
        let name_bytes = (header[word::JOINTS_NAME] >> 16) as usize;
        if joints == 0 || joints > crate::MAX_JOINTS {
            return field(word::JOINTS_NAME * 4, "the joint count", joints as u64);
        }
        let rows = header[word::ROWS];
        if !(2..=0x7fff_fff0).contains(&rows) {
            return field(word::ROWS * 4, "the row count", u64::from(rows));
        }
        let positive = |bits: u64, at: usize, name: &'static str| {
            let v = f64::from_bits(bits);
            if v.is_finite() && v > 0.0 { Ok(v) } else { field(at, name, bits) }
        };
        let rate_at = word::TICKS_PER_SECOND;
        let ticks_per_s = positive(two(rate_at), rate_at * 4, "the ticks per second")?;

        let bytes: &[u8] = bytemuck::cast_slice(words);
        let mut parts = Parts { bytes, next: HEADER_WORDS * 4 };
        let at = parts.next;
        let duration_s = if flags & format::FLAG_DURATION == 0 {
            f64::from(rows - 1) / ticks_per_s
        } else {
            let given = parts.take(8, "the duration")?;
            f64::from_le_bytes(given.try_into().unwrap_or_default())
        };
        positive(duration_s.to_bits(), at, "the duration")?;
        let name_at = parts.next;
        let name = parts.take(name_bytes, "the name's length")?;
        if let Err(e) = core::str::from_utf8(name) {
            return field(name_at + e.valid_up_to(), "a byte of the name", e.valid_up_to() as u64);
        }

        let stored = if flags & format::FLAG_ROUND == 0 { rows } else { rows - 1 };
        let mut t = Self { flags, stored, ..Self::default() };
        t.take_masks(&mut parts, joints)?;
        t.take_constants(&mut parts)?;
        let blocks = stored.div_ceil(BLOCK_ROWS) as usize;
        t.take_records(&mut parts, blocks)?;
        t.starts_at = parts.next;
        parts.take((blocks - 1).saturating_mul(4), "the block table's length")?;
        t.blocks_at = parts.next.next_multiple_of(4);
        if t.blocks_at > bytes.len() || head && t.blocks_at != bytes.len() {
            return field(parts.next, "the end of the tables", t.blocks_at as u64);
        }
        t.check_starts(bytes, blocks, head)?;

        let channels = t.lanes.iter().sum::<u32>() as usize;
        let total = bytes.len();
        // Blocks may overlap, so this can be more than there is; where `usize` has 32 bits, more than it holds.
        let state_bytes = t.state_bytes.saturating_mul(blocks - 1);
        Ok(Layout {
            flags: flags & super::super::format::FLAG_LOOPING,
            joints,
            identity: two(super::super::format::word::IDENTITY),
            skeleton: two(super::super::format::word::SKELETON),
            duration_s,
            ticks_per_s,
            rows,
            channels,
            blocks,
            keys: u64::from(rows) * channels as u64,
            name_bytes,
            name: Run { start: name_at, len: name_bytes },
            const_lanes: t.constants.map(|n| n as usize),
            state_bytes,
            stream_bytes: (total - t.blocks_at).saturating_sub(state_bytes),
            dense: Some(t),
            ..Layout::default()
        })
    }

    fn take_masks(&mut self, parts: &mut Parts<'_>, joints: usize) -> Result<(), ClipError> {
        let groups = group_count(joints);
        for kind in 0..3 {
            let places = [
                (format::flag_constant(kind), &mut self.constant_masks, &mut self.constants),
                (format::flag_moving(kind), &mut self.moving_masks, &mut self.lanes),
            ];
            let mut seen: Option<&[u8]> = None;
            for (flag, at, count) in places {
                at[kind] = parts.next;
                if self.flags & flag == 0 {
                    continue;
                }
                let masks = parts.take(groups * 2, "a mask table's length")?;
                for (group, mask) in masks.chunks_exact(2).enumerate() {
                    let own = u16::from_le_bytes([mask[0], mask[1]]);
                    let before = seen.map_or(0, |s| u16::from_le_bytes([s[group * 2], s[group * 2 + 1]]));
                    let inside = (joints - group * GROUP).min(GROUP);
                    if u32::from(own) >> inside != 0 || own & before != 0 {
                        return field(at[kind] + group * 2, "a joint mask", u64::from(own));
                    }
                    count[kind] += own.count_ones();
                }
                seen = Some(masks);
            }
        }
        Ok(())
    }

    fn take_constants(&mut self, parts: &mut Parts<'_>) -> Result<(), ClipError> {
        for kind in 0..3 {
            if self.flags & format::flag_constant(kind) == 0 {
                continue;
            }
            let bytes = format::constant_bytes(self.flags, kind);
            self.constant_step[kind] = if kind == 1 {
                format::rotation_constant_step(bytes)
            } else {
                let at = parts.next;
                let given = parts.take(4, "the constants' step")?;
                let v = f32::from_le_bytes(given.try_into().unwrap_or_default());
                // Beyond 2^60 a step times an integer could leave f32.
                if !v.is_finite() || v.abs() > 1.2e18 {
                    return field(at, "the constants' step", u64::from(v.to_bits()));
                }
                v
            };
            self.constants_at[kind] = parts.next;
            parts.take(self.constants[kind] as usize * 3 * bytes, "the constants' length")?;
        }
        Ok(())
    }

    fn take_records(&mut self, parts: &mut Parts<'_>, blocks: usize) -> Result<(), ClipError> {
        for kind in 0..3 {
            if self.flags & format::flag_moving(kind) == 0 {
                continue;
            }
            let at = parts.next;
            let bits = u32::from(parts.take(1, "the bits of first keys")?[0]);
            if bits > WIDEST {
                return field(at, "the bits of first keys", u64::from(bits));
            }
            self.base_bits[kind] = bits;
            let state = if blocks > 1 { 15 } else { 0 };
            self.record_bits[kind] = 10 + state + 3 * self.width_bits() + 3 * bits;
        }
        let start = parts.next as u64 * 8;
        let mut end = start;
        for kind in 0..3 {
            self.records[kind] = end;
            end += u64::from(self.lanes[kind]) * u64::from(self.record_bits[kind]);
        }
        let table = (end - start).div_ceil(8) as usize;
        parts.take(table, "the channel table's length")?;
        let mut state_bits = 0;
        for kind in 0..3 {
            for lane in 0..self.lanes[kind] as usize {
                let record = self.record(parts.bytes, kind, lane, blocks);
                state_bits += record.state.iter().sum::<u32>() as usize;
            }
        }
        self.state_bytes = if blocks > 1 { state_bits.div_ceil(8) } else { 0 };
        Ok(())
    }

    /// Blocks must rise and have room for a jump frame; what they hold may be anything.
    fn check_starts(&self, bytes: &[u8], blocks: usize, head: bool) -> Result<(), ClipError> {
        let room = if head { usize::MAX } else { bytes.len() - self.blocks_at };
        let mut before = 0;
        for block in 1..blocks {
            let start = self.start(bytes, block);
            if start < before || start.saturating_add(self.state_bytes) > room {
                return field(self.starts_at + (block - 1) * 4, "a block's start", start as u64);
            }
            before = start;
        }
        Ok(())
    }

    /// Bits of a width of a difference or slope.
    #[inline(always)]
    pub fn width_bits(&self) -> u32 {
        if self.flags & format::FLAG_WIDE == 0 { 4 } else { 5 }
    }

    /// Where a block starts, counted from the first.
    #[inline]
    fn start(&self, bytes: &[u8], block: usize) -> usize {
        if block == 0 {
            return 0;
        }
        let at = self.starts_at + (block - 1) * 4;
        let four = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
        u32::from_le_bytes(four.unwrap_or_default()) as usize
    }

    /// The bytes of a block, up to the end of the next one's jump frame.
    pub fn block<'a>(&self, bytes: &'a [u8], block: usize, blocks: usize) -> &'a [u8] {
        let all = bytes.get(self.blocks_at..).unwrap_or_default();
        let from = self.start(bytes, block);
        let to = if block + 1 < blocks {
            self.start(bytes, block + 1).saturating_add(self.state_bytes)
        } else {
            all.len()
        };
        all.get(from..to).unwrap_or_default()
    }

    /// Bytes of a block: its jump frame and its rows. Of the last block of a head they are not known: 0.
    pub fn block_len(&self, bytes: &[u8], block: usize, blocks: usize) -> usize {
        let from = self.start(bytes, block);
        let end =
            if block + 1 < blocks { self.start(bytes, block + 1) } else { bytes.len() - self.blocks_at };
        end.saturating_sub(from)
    }

    /// What the record of a lane says; widths above the limit are not possible.
    #[inline(always)]
    pub(super) fn record(&self, bytes: &[u8], kind: usize, lane: usize, blocks: usize) -> Record {
        let at = self.records[kind] + lane as u64 * u64::from(self.record_bits[kind]);
        let mut bits = word_at(bytes, at);
        let code = bits.take(8) as u8;
        let centre = bits.take(2);
        let mut state = [0; 3];
        if blocks > 1 {
            state = [bits.take(5), bits.take(5), bits.take(5)];
        }
        let width = self.width_bits();
        let slope = [bits.take(width), bits.take(width), bits.take(width)];
        Record { code, centre, state, slope }
    }
}
