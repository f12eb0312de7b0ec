//! Where everything stands in a clip of rows, and the check that it does.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{
    super::{
        bits::word_at,
        error::ClipError,
        header::{self, FLAG_LOOPING, Head, long_at},
    },
    format::{self, BLOCK_ROWS, HEADER_WORDS, WIDEST, word},
};
use lissom_math::soa::{GROUP, group_count};

/// The checked tables of a clip of rows. Places are bytes of the clip.
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
    /// Where a kind's channel records start, in bits; the bits of a record, and of one number of its first
    /// key.
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
    ClipError::field(offset, field, value)
}

/// The numbers of one kind (0, 1 or 2) of several.
fn of<T: Copy + Default>(kinds: &[T; 3], kind: usize) -> T {
    kinds.get(kind).copied().unwrap_or_default()
}

/// Sets the number of one kind.
fn put<T>(kinds: &mut [T; 3], kind: usize, value: T) {
    if let Some(place) = kinds.get_mut(kind) {
        *place = value;
    }
}

impl Tables {
    /// Checks everything that playing relies on. The words' magic, version, length and checksum are right.
    pub fn parse(words: &[u32], cut: bool) -> Result<(Head, Self), ClipError> {
        let Some(header) = words.first_chunk::<HEADER_WORDS>() else {
            let actual = (words.len() as u64).saturating_mul(4);
            return Err(ClipError::Length { expected: const { HEADER_WORDS as u64 * 4 }, actual });
        };
        let flags = (header[word::VERSION_FLAGS] >> 16) as u16;
        let joints = (header[word::JOINTS_NAME] & 0xffff) as usize;
        let name_len = (header[word::JOINTS_NAME] >> 16) as usize;
        header::check_joints(joints, const { word::JOINTS_NAME * 4 })?;
        let rows = header::check_rows(header[word::ROWS], const { word::ROWS * 4 })?;
        let rate = long_at(header, word::TICKS_PER_SECOND);
        let ticks_per_s =
            header::positive(rate, const { word::TICKS_PER_SECOND * 4 }, "the ticks per second")?;

        let bytes: &[u8] = bytemuck::cast_slice(words);
        let mut parts = Parts { bytes, next: const { HEADER_WORDS * 4 } };
        let at = parts.next;
        let duration_s = if flags & format::FLAG_DURATION == 0 {
            f64::from(rows.saturating_sub(1)) / ticks_per_s
        } else {
            let given = parts.take(8, "the duration")?;
            f64::from_le_bytes(given.try_into().unwrap_or_default())
        };
        header::positive(duration_s.to_bits(), at, "the duration")?;
        let name_at = parts.next;
        let name = parts.take(name_len, "the name's length")?;
        if let Err(e) = core::str::from_utf8(name) {
            let at = name_at.saturating_add(e.valid_up_to());
            return field(at, "a byte of the name", e.valid_up_to() as u64);
        }

        let stored = if flags & format::FLAG_ROUND == 0 { rows } else { rows.saturating_sub(1) };
        let mut t = Self { flags, stored, ..Self::default() };
        t.take_masks(&mut parts, joints)?;
        t.take_constants(&mut parts)?;
        // At least one, since there are two rows or more.
        let blocks = stored.div_ceil(BLOCK_ROWS) as usize;
        let later = blocks.saturating_sub(1);
        t.take_records(&mut parts, blocks)?;
        t.starts_at = parts.next;
        parts.take(later.saturating_mul(4), "the block table's length")?;
        t.blocks_at = parts.next.saturating_add(3) & !3;
        if t.blocks_at > bytes.len() || cut && t.blocks_at != bytes.len() {
            return field(parts.next, "the end of the tables", t.blocks_at as u64);
        }
        t.check_starts(bytes, blocks, cut)?;

        let channels = t.lanes.iter().fold(0_usize, |sum, n| sum.saturating_add(*n as usize));
        // Blocks may overlap, so this can be more than there is; where `usize` has 32 bits, more than it
        // holds.
        let jump_bytes = t.state_bytes.saturating_mul(later);
        let head = Head {
            joints,
            identity: long_at(header, word::IDENTITY),
            skeleton: long_at(header, word::SKELETON),
            duration_s,
            ticks_per_s,
            looping: flags & FLAG_LOOPING != 0,
            name_at,
            name_len,
            rows,
            channels,
            constants: t.constants.iter().fold(0_usize, |sum, n| sum.saturating_add(*n as usize)),
            blocks,
            keys: u64::from(rows).saturating_mul(channels as u64),
            table_bytes: t.blocks_at,
            jump_bytes,
            stream_bytes: bytes.len().saturating_sub(t.blocks_at).saturating_sub(jump_bytes),
        };
        Ok((head, t))
    }

    fn take_masks(&mut self, parts: &mut Parts<'_>, joints: usize) -> Result<(), ClipError> {
        let groups = group_count(joints);
        for kind in 0..3 {
            let places = [
                (format::flag_constant(kind), &mut self.constant_masks, &mut self.constants),
                (format::flag_moving(kind), &mut self.moving_masks, &mut self.lanes),
            ];
            let mut seen: &[u8] = &[];
            for (flag, places, counts) in places {
                let at = parts.next;
                put(places, kind, at);
                if self.flags & flag == 0 {
                    continue;
                }
                let masks = parts.take(groups.saturating_mul(2), "a mask table's length")?;
                let mut before = seen.as_chunks::<2>().0.iter();
                let mut count = 0_u32;
                for (group, mask) in masks.as_chunks::<2>().0.iter().enumerate() {
                    let own = u16::from_le_bytes(*mask);
                    let before = before.next().map_or(0, |m| u16::from_le_bytes(*m));
                    let inside = joints.saturating_sub(group.saturating_mul(GROUP)).min(GROUP);
                    if u32::from(own) >> inside != 0 || own & before != 0 {
                        let at = at.saturating_add(group.saturating_mul(2));
                        return field(at, "a joint mask", u64::from(own));
                    }
                    count = count.saturating_add(own.count_ones());
                }
                put(counts, kind, count);
                seen = masks;
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
            let step = if kind == 1 {
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
            put(&mut self.constant_step, kind, step);
            put(&mut self.constants_at, kind, parts.next);
            let numbers = (of(&self.constants, kind) as usize).saturating_mul(3);
            parts.take(numbers.saturating_mul(bytes), "the constants' length")?;
        }
        Ok(())
    }

    fn take_records(&mut self, parts: &mut Parts<'_>, blocks: usize) -> Result<(), ClipError> {
        for kind in 0..3 {
            if self.flags & format::flag_moving(kind) == 0 {
                continue;
            }
            let at = parts.next;
            let given = parts.take(1, "the bits of first keys")?;
            let bits = given.first().map_or(0, |b| u32::from(*b));
            if bits > WIDEST {
                return field(at, "the bits of first keys", u64::from(bits));
            }
            put(&mut self.base_bits, kind, bits);
            let state = if blocks > 1 { 15_u32 } else { 0 };
            let three = self.width_bits().saturating_add(bits).saturating_mul(3);
            put(&mut self.record_bits, kind, three.saturating_add(state).saturating_add(10));
        }
        let start = (parts.next as u64).saturating_mul(8);
        let mut end = start;
        for kind in 0..3 {
            put(&mut self.records, kind, end);
            let bits =
                u64::from(of(&self.lanes, kind)).saturating_mul(u64::from(of(&self.record_bits, kind)));
            end = end.saturating_add(bits);
        }
        let table = end.saturating_sub(start).div_ceil(8) as usize;
        parts.take(table, "the channel table's length")?;
        let mut state_bits = 0_usize;
        for kind in 0..3 {
            for lane in 0..of(&self.lanes, kind) as usize {
                for width in self.record(parts.bytes, kind, lane, blocks).state {
                    state_bits = state_bits.saturating_add(width as usize);
                }
            }
        }
        self.state_bytes = if blocks > 1 { state_bits.div_ceil(8) } else { 0 };
        Ok(())
    }

    /// Blocks must rise and have room for a jump frame; what they hold may be anything.
    fn check_starts(&self, bytes: &[u8], blocks: usize, cut: bool) -> Result<(), ClipError> {
        let room = if cut { usize::MAX } else { bytes.len().saturating_sub(self.blocks_at) };
        let mut before = 0;
        for block in 1..blocks {
            let start = self.start(bytes, block);
            if start < before || start.saturating_add(self.state_bytes) > room {
                return field(self.start_at(block), "a block's start", start as u64);
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

    /// The last row of the block that a row lies in.
    #[inline(always)]
    pub fn last_of_block(&self, row: u32) -> u32 {
        let (full, end) = (row | const { BLOCK_ROWS - 1 }, self.stored.wrapping_sub(1));
        if full < end { full } else { end }
    }

    /// Where the start of a block, not the first, is listed.
    #[inline]
    fn start_at(&self, block: usize) -> usize {
        self.starts_at.saturating_add(block.saturating_sub(1).saturating_mul(4))
    }

    /// Where a block starts, counted from the first.
    #[inline]
    fn start(&self, bytes: &[u8], block: usize) -> usize {
        if block == 0 {
            return 0;
        }
        let four = bytes.get(self.start_at(block)..).and_then(|b| b.first_chunk());
        u32::from_le_bytes(four.copied().unwrap_or_default()) as usize
    }

    /// The bytes of a block, up to the end of the next one's jump frame.
    pub fn block<'a>(&self, bytes: &'a [u8], block: usize, blocks: usize) -> &'a [u8] {
        let all = bytes.get(self.blocks_at..).unwrap_or_default();
        let (from, next) = (self.start(bytes, block), block.saturating_add(1));
        let to =
            if next < blocks { self.start(bytes, next).saturating_add(self.state_bytes) } else { all.len() };
        all.get(from..to).unwrap_or_default()
    }

    /// Bytes of a block: its jump frame and its rows. Of the last block of a cut clip they are not known: 0.
    pub fn block_len(&self, bytes: &[u8], block: usize, blocks: usize) -> usize {
        let (from, next) = (self.start(bytes, block), block.saturating_add(1));
        let end =
            if next < blocks { self.start(bytes, next) } else { bytes.len().saturating_sub(self.blocks_at) };
        end.saturating_sub(from)
    }

    /// What the record of a lane says; widths above the limit are not possible.
    #[inline(always)]
    pub(super) fn record(&self, bytes: &[u8], kind: usize, lane: usize, blocks: usize) -> Record {
        let size = u64::from(of(&self.record_bits, kind));
        let at = of(&self.records, kind).wrapping_add((lane as u64).wrapping_mul(size));
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
