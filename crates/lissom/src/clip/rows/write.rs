//! From integers to the bytes of a clip of rows. The same integers give the same bytes: widths are the
//! smallest that fit, and of two predictions the one with fewer bits is taken. So a file may hold the
//! integers alone.

use super::{
    super::{
        bit_writer::{BitWriter, signed_bits},
        header::{FLAG_LOOPING, MAGIC, checksum},
    },
    format::{self, BLOCK_ROWS, word},
};
use alloc::vec::Vec;

const BLOCK: usize = BLOCK_ROWS as usize;

/// Beyond this f32 rounds what an integer of a key says.
pub const MOST: u32 = 1 << 24;

/// A moving channel.
#[derive(Clone, Copy, Debug)]
pub struct Lane<'a> {
    /// Whose it is.
    pub joint: usize,
    /// Translation 0, rotation 1, scale 2.
    pub kind: usize,
    /// For rotations: which of 1, i, j, k they are about.
    pub centre: u32,
    /// The code of its step.
    pub code: u8,
    /// A key a stored row; at least two.
    pub keys: &'a [[i32; 3]],
}

/// The constants of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Constants<'a> {
    /// Bytes of a number, 1 to 4.
    pub bytes: usize,
    /// The step of translations and scales.
    pub step: f32,
    /// Whose they are, in joint order, and what.
    pub values: &'a [(usize, [i32; 3])],
}

/// What a clip says beside its moving channels.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// At most 65,535 bytes of it are kept.
    pub name: &'a str,
    /// The last pose is the first one again.
    pub looping: bool,
    /// The identity of its skeleton.
    pub skeleton: u64,
    /// Joints of its skeleton.
    pub joints: usize,
    /// Rows of the clip, the last one counted that a loop leaves out.
    pub rows: usize,
    /// The last row is the first one again and has no keys.
    pub round: bool,
    /// Rows a second.
    pub rate: f64,
    /// In seconds.
    pub duration_s: f64,
    /// Of translations, rotations, scales.
    pub constants: [Constants<'a>; 3],
}

/// What is coded for a row of a block: the difference from the key before, or from where the two keys before
/// lead.
#[must_use]
pub fn difference(keys: &[[i32; 3]], component: usize, goes_on: bool, row: usize) -> i32 {
    let at = |r: usize| keys[r][component];
    let held = at(row).wrapping_sub(at(row - 1));
    if goes_on { held.wrapping_sub(at(row - 1)).wrapping_add(at(row - 2)) } else { held }
}

/// The first row whose difference counts: a slope takes care of the one before.
#[must_use]
pub fn first_row(goes_on: bool) -> usize {
    if goes_on { 2 } else { 1 }
}

/// How one block of a channel is coded.
#[derive(Clone, Copy, Debug)]
struct BlockCode {
    goes_on: bool,
    widths: [u32; 3],
    /// Whole steps of 2^width from the first key to the second.
    slope: [i32; 3],
}

/// How a channel is coded.
struct LaneCode {
    blocks: Vec<BlockCode>,
    state: [u32; 3],
    slope: [u32; 3],
}

/// All moving channels, ready to be written or counted.
pub struct RowsWriter<'a> {
    lanes: &'a [Lane<'a>],
    codes: Vec<LaneCode>,
    base_bits: [u32; 3],
    wide: bool,
}

fn block_code(keys: &[[i32; 3]], goes_on: bool) -> BlockCode {
    let mut code = BlockCode { goes_on, widths: [0; 3], slope: [0; 3] };
    for c in 0..3 {
        let from = first_row(goes_on);
        let width =
            (from..keys.len()).map(|r| signed_bits(difference(keys, c, goes_on, r))).max().unwrap_or(0);
        code.widths[c] = width;
        if goes_on && keys.len() > 1 {
            let first = i64::from(keys[1][c]) - i64::from(keys[0][c]);
            // Rounded, so that what is left fits the width.
            let half = (1_i64 << width) >> 1;
            code.slope[c] = ((first + half) >> width) as i32;
        }
    }
    code
}

impl BlockCode {
    fn row_bits(&self) -> u32 {
        self.widths.iter().sum()
    }

    fn slope_bits(&self) -> [u32; 3] {
        self.slope.map(signed_bits)
    }
}

impl LaneCode {
    fn new(keys: &[[i32; 3]]) -> Self {
        let mut state = [0; 3];
        let mut slope = [0; 3];
        let blocks = keys.chunks(BLOCK).map(|block| {
            for c in 0..3 {
                state[c] = state[c].max(signed_bits(block[0][c].wrapping_sub(keys[0][c])));
            }
            let rows = block.len() as u32 - 1;
            let (held, on) = (block_code(block, false), block_code(block, true));
            let slopes = on.slope_bits();
            let cost = |b: &BlockCode| b.row_bits() * rows;
            let better = if cost(&on) + slopes.iter().sum::<u32>() < cost(&held) { on } else { held };
            if better.goes_on {
                for c in 0..3 {
                    slope[c] = slope[c].max(slopes[c]);
                }
            }
            better
        });
        let blocks = blocks.collect();
        Self { blocks, state, slope }
    }
}

impl<'a> RowsWriter<'a> {
    /// Takes the channels: all translations in joint order, then rotations, then scales, with as many keys
    /// each. `None` if an integer is larger than the format allows.
    #[must_use]
    pub fn new(lanes: &'a [Lane<'a>]) -> Option<Self> {
        if lanes.iter().flat_map(|lane| lane.keys).flatten().any(|n| n.unsigned_abs() > MOST) {
            return None;
        }
        let codes: Vec<LaneCode> = lanes.iter().map(|lane| LaneCode::new(lane.keys)).collect();
        let mut base_bits = [0; 3];
        let mut widest = 0;
        for (lane, code) in lanes.iter().zip(&codes) {
            let first = lane.keys.first().copied().unwrap_or_default();
            base_bits[lane.kind] = first.into_iter().map(signed_bits).fold(base_bits[lane.kind], u32::max);
            let widths = code.blocks.iter().flat_map(|b| b.widths);
            widest = widths.chain(code.slope).fold(widest, u32::max);
        }
        Some(Self { lanes, codes, base_bits, wide: widest > 15 })
    }

    fn width_bits(&self) -> u32 {
        if self.wide { 5 } else { 4 }
    }

    fn record_bits(&self, kind: usize, blocks: usize) -> u32 {
        10 + if blocks > 1 { 15 } else { 0 } + 3 * self.width_bits() + 3 * self.base_bits[kind]
    }

    fn of_kind(&self, kind: usize) -> impl Iterator<Item = &Lane<'a>> {
        self.lanes.iter().filter(move |lane| lane.kind == kind)
    }

    /// The bytes that [`write`](Self::write) will give, the name and a duration of its own left out.
    /// `constants` are how many there are of each kind, and the bytes of a number.
    #[must_use]
    pub fn size(&self, joints: usize, constants: [(usize, usize); 3]) -> usize {
        let rows = self.lanes.first().map_or(0, |lane| lane.keys.len());
        let blocks = rows.div_ceil(BLOCK).max(1);
        let groups = joints.div_ceil(16);
        let mut bytes = format::HEADER_WORDS * 4;
        let mut table = 0;
        for (kind, (constants, number)) in constants.into_iter().enumerate() {
            let moving = self.of_kind(kind).count();
            bytes += groups * 2 * (usize::from(constants > 0) + usize::from(moving > 0));
            if constants > 0 {
                bytes += constants * 3 * number + if kind == 1 { 0 } else { 4 };
            }
            if moving > 0 {
                bytes += 1;
                table += moving * self.record_bits(kind, blocks) as usize;
            }
        }
        bytes += table.div_ceil(8) + (blocks - 1) * 4;
        bytes = bytes.next_multiple_of(4);
        let state: u32 = self.codes.iter().flat_map(|c| c.state).sum();
        let head = self.codes.len() as u32 * (1 + 3 * self.width_bits());
        for block in 0..blocks {
            let rows = rows.saturating_sub(block * BLOCK).min(BLOCK);
            let mut bits = head;
            for code in &self.codes {
                let b = &code.blocks[block];
                bits += b.row_bits() * (rows as u32).saturating_sub(1);
                bits += if b.goes_on { code.slope.iter().sum() } else { 0 };
            }
            bytes += bits.div_ceil(8) as usize + if block > 0 { state.div_ceil(8) as usize } else { 0 };
        }
        bytes.next_multiple_of(4)
    }

    /// The clip.
    #[must_use]
    pub fn write(&self, facts: &Facts<'_>) -> Vec<u8> {
        let rows = facts.rows;
        let blocks = (rows - usize::from(facts.round)).div_ceil(BLOCK);
        let mut flags = 0_u16;
        let given = (rows - 1) as f64 / facts.rate != facts.duration_s;
        for (flag, set) in [
            (FLAG_LOOPING, facts.looping),
            (format::FLAG_DURATION, given),
            (format::FLAG_ROUND, facts.round),
            (format::FLAG_WIDE, self.wide),
        ] {
            flags |= if set { flag } else { 0 };
        }
        let mut masks = Vec::new();
        let mut constants = Vec::new();
        let mut widths = Vec::new();
        for (kind, held) in facts.constants.iter().enumerate() {
            if !held.values.is_empty() {
                flags |= format::flag_constant(kind) | format::flag_constant_bytes(kind, held.bytes);
                put_masks(&mut masks, facts.joints, held.values.iter().map(|value| value.0));
                if kind != 1 {
                    constants.extend(held.step.to_le_bytes());
                }
                for c in 0..3 {
                    for (_, n) in held.values {
                        constants.extend(&n[c].to_le_bytes()[..held.bytes]);
                    }
                }
            }
            if self.of_kind(kind).next().is_some() {
                flags |= format::flag_moving(kind);
                put_masks(&mut masks, facts.joints, self.of_kind(kind).map(|lane| lane.joint));
                widths.push(self.base_bits[kind] as u8);
            }
        }

        let name = &facts.name.as_bytes()[..facts.name.floor_char_boundary(0xffff)];
        let mut out = Vec::new();
        let rate = facts.rate.to_bits();
        for v in [
            MAGIC,
            u32::from(format::VERSION) | u32::from(flags) << 16,
            0,
            facts.joints as u32 | (name.len() as u32) << 16,
            0,
            0,
            facts.skeleton as u32,
            (facts.skeleton >> 32) as u32,
            rate as u32,
            (rate >> 32) as u32,
            rows as u32,
        ] {
            out.extend(v.to_le_bytes());
        }
        if given {
            out.extend(facts.duration_s.to_le_bytes());
        }
        for part in [name, &masks, &constants, &widths, &self.table(blocks)] {
            out.extend(part);
        }
        let mut starts = Vec::new();
        let mut body = Vec::new();
        for block in 0..blocks {
            if block > 0 {
                starts.extend((body.len() as u32).to_le_bytes());
                body.extend(self.state(block));
            }
            body.extend(self.block(block));
        }
        out.extend(starts);
        out.resize(out.len().next_multiple_of(4), 0);
        out.extend(body);
        out.resize(out.len().next_multiple_of(4), 0);
        seal(&mut out);
        out
    }

    /// The record of every channel.
    fn table(&self, blocks: usize) -> Vec<u8> {
        let mut bits = BitWriter::default();
        let width = self.width_bits();
        for (lane, code) in self.lanes.iter().zip(&self.codes) {
            bits.put(u32::from(lane.code), 8);
            bits.put(lane.centre, 2);
            if blocks > 1 {
                code.state.iter().for_each(|w| bits.put(*w, 5));
            }
            code.slope.iter().for_each(|w| bits.put(*w, width));
            lane.keys[0].iter().for_each(|n| bits.put(*n as u32, self.base_bits[lane.kind]));
        }
        bits.into_bytes()
    }

    /// The first keys of a block.
    fn state(&self, block: usize) -> Vec<u8> {
        let mut bits = BitWriter::default();
        for (lane, code) in self.lanes.iter().zip(&self.codes) {
            let (first, base) = (lane.keys[block * BLOCK], lane.keys[0]);
            for ((n, base), width) in first.into_iter().zip(base).zip(code.state) {
                bits.put(n.wrapping_sub(base) as u32, width);
            }
        }
        bits.into_bytes()
    }

    /// How a block's rows are coded, and the rows.
    fn block(&self, block: usize) -> Vec<u8> {
        let mut bits = BitWriter::default();
        let width = self.width_bits();
        for code in &self.codes {
            let b = &code.blocks[block];
            bits.put(u32::from(b.goes_on), 1);
            b.widths.iter().for_each(|w| bits.put(*w, width));
        }
        for code in self.codes.iter().filter(|c| c.blocks[block].goes_on) {
            for c in 0..3 {
                bits.put(code.blocks[block].slope[c] as u32, code.slope[c]);
            }
        }
        let rows = self.lanes.first().map_or(0, |lane| lane.keys.len() - block * BLOCK).min(BLOCK);
        for row in 1..rows {
            for (lane, code) in self.lanes.iter().zip(&self.codes) {
                let (keys, code) = (&lane.keys[block * BLOCK..][..rows], &code.blocks[block]);
                for c in 0..3 {
                    let d = if code.goes_on && row == 1 {
                        let first = keys[1][c].wrapping_sub(keys[0][c]);
                        first.wrapping_sub(code.slope[c] << code.widths[c])
                    } else {
                        difference(keys, c, code.goes_on, row)
                    };
                    bits.put(d as u32, code.widths[c]);
                }
            }
        }
        bits.into_bytes()
    }
}

/// Writes the length, and the checksum that fits the bytes.
fn seal(bytes: &mut [u8]) {
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let mut put = |at: usize, v: u32| {
        bytes[at * 4..at * 4 + 4].copy_from_slice(&v.to_le_bytes());
        v
    };
    let mut words = words;
    words[word::TOTAL_WORDS] = put(word::TOTAL_WORDS, words.len() as u32);
    let hash = checksum(&words);
    put(word::IDENTITY, hash as u32);
    put(word::IDENTITY + 1, (hash >> 32) as u32);
}

fn put_masks(out: &mut Vec<u8>, joints: usize, set: impl Iterator<Item = usize>) {
    let at = out.len();
    out.resize(at + joints.div_ceil(16) * 2, 0);
    set.for_each(|joint| out[at + joint / 8] |= 1 << (joint % 8));
}
