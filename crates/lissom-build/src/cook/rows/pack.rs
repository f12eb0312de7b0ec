//! From integers to bytes.

use super::{
    block::{BLOCK, difference, first_row},
    channels::{Class, RowsChannels},
};
use crate::cook::{
    bits::{BitWriter, signed_bits},
    seal::seal,
};
use lissom::clip::format::rows::{self as format, MAGIC};

/// How one block of a channel is coded.
#[derive(Clone, Copy, Debug)]
struct BlockCode {
    goes_on: bool,
    widths: [u32; 3],
    /// Whole steps of 2^width from the first key to the second.
    slope: [i32; 3],
}

/// How a channel is coded.
struct ChannelCode {
    blocks: Vec<BlockCode>,
    state: [u32; 3],
    slope: [u32; 3],
}

/// All channels, ready to be written or counted.
pub(super) struct Packed<'a> {
    channels: &'a RowsChannels,
    keys: &'a [Vec<[i32; 3]>],
    codes: Vec<ChannelCode>,
    base_bits: [u32; 3],
    wide: bool,
}

/// What goes into the header.
pub(super) struct Header<'a> {
    pub name: &'a str,
    pub looping: bool,
    pub skeleton: u64,
    pub joints: usize,
    /// Rows of the clip, the last one counted that a loop leaves out.
    pub rows: usize,
    pub round: bool,
    pub rate: f64,
    pub duration_s: f64,
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

impl ChannelCode {
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

impl<'a> Packed<'a> {
    /// `None` if an integer is wider than the format allows.
    pub fn new(channels: &'a RowsChannels, keys: &'a [Vec<[i32; 3]>]) -> Option<Self> {
        let codes: Vec<ChannelCode> = keys.iter().map(|k| ChannelCode::new(k)).collect();
        let mut base_bits = [0; 3];
        let mut widest = 0;
        for ((channel, keys), code) in channels.moving.iter().zip(keys).zip(&codes) {
            for n in keys[0] {
                base_bits[channel.kind] = signed_bits(n).max(base_bits[channel.kind]);
            }
            // Beyond this f32 rounds what the integer says.
            if keys.iter().flatten().any(|n| n.unsigned_abs() > 1 << 24) {
                return None;
            }
            let widths = code.blocks.iter().flat_map(|b| b.widths);
            widest = widths.chain(code.slope).fold(widest, u32::max);
        }
        Some(Self { channels, keys, codes, base_bits, wide: widest > 15 })
    }

    fn width_bits(&self) -> u32 {
        if self.wide { 5 } else { 4 }
    }

    /// The bytes that [`write`](Self::write) will give, the name left out.
    pub fn size(&self, joints: usize) -> usize {
        let rows = self.keys.first().map_or(0, Vec::len);
        let blocks = rows.div_ceil(BLOCK).max(1);
        let groups = joints.div_ceil(16);
        let mut bytes = format::HEADER_WORDS * 4;
        let mut table = 0;
        for kind in 0..3 {
            let constants = self.constants(kind).count();
            let moving = self.lanes(kind).count();
            bytes += groups * 2 * (usize::from(constants > 0) + usize::from(moving > 0));
            if constants > 0 {
                bytes += constants * 3 * self.channels.constants[kind].bytes + if kind == 1 { 0 } else { 4 };
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

    fn record_bits(&self, kind: usize, blocks: usize) -> u32 {
        10 + if blocks > 1 { 15 } else { 0 } + 3 * self.width_bits() + 3 * self.base_bits[kind]
    }

    fn constants(&self, kind: usize) -> impl Iterator<Item = (usize, [i32; 3])> {
        self.channels.class.iter().enumerate().filter_map(move |(j, class)| match class[kind] {
            Class::Constant(n) => Some((j, n)),
            _ => None,
        })
    }

    fn lanes(&self, kind: usize) -> impl Iterator<Item = usize> {
        let moving = &self.channels.moving;
        (0..moving.len()).filter(move |c| moving[*c].kind == kind)
    }

    /// The clip.
    pub fn write(&self, header: &Header<'_>, step_codes: &[u8]) -> Vec<u8> {
        let rows = header.rows;
        let blocks = (rows - usize::from(header.round)).div_ceil(BLOCK);
        let mut flags = 0_u16;
        let given = (rows - 1) as f64 / header.rate != header.duration_s;
        if header.looping {
            flags |= format::FLAG_LOOPING;
        }
        if given {
            flags |= format::FLAG_DURATION;
        }
        if header.round {
            flags |= format::FLAG_ROUND;
        }
        if self.wide {
            flags |= format::FLAG_WIDE;
        }
        let mut masks = Vec::new();
        let mut constants = Vec::new();
        let mut widths = Vec::new();
        for kind in 0..3 {
            let held: Vec<(usize, [i32; 3])> = self.constants(kind).collect();
            let moving: Vec<usize> = self.lanes(kind).map(|c| self.channels.moving[c].joint).collect();
            if !held.is_empty() {
                let how = self.channels.constants[kind];
                flags |= format::flag_constant(kind) | format::flag_constant_bytes(kind, how.bytes);
                put_masks(&mut masks, header.joints, held.iter().map(|h| h.0));
                if kind != 1 {
                    constants.extend(how.step.to_le_bytes());
                }
                for c in 0..3 {
                    for (_, n) in &held {
                        constants.extend(&n[c].to_le_bytes()[..how.bytes]);
                    }
                }
            }
            if !moving.is_empty() {
                flags |= format::flag_moving(kind);
                put_masks(&mut masks, header.joints, moving.into_iter());
                widths.push(self.base_bits[kind] as u8);
            }
        }

        let name = &header.name.as_bytes()[..header.name.floor_char_boundary(0xffff)];
        let mut out = Vec::new();
        let mut word = |v: u32| out.extend(v.to_le_bytes());
        word(MAGIC);
        word(u32::from(format::VERSION) | u32::from(flags) << 16);
        word(0);
        word(header.joints as u32 | (name.len() as u32) << 16);
        word(0);
        word(0);
        word(header.skeleton as u32);
        word((header.skeleton >> 32) as u32);
        word(header.rate.to_bits() as u32);
        word((header.rate.to_bits() >> 32) as u32);
        word(rows as u32);
        if given {
            out.extend(header.duration_s.to_le_bytes());
        }
        out.extend(name);
        out.extend(masks);
        out.extend(constants);
        out.extend(widths);
        out.extend(self.table(step_codes, blocks));
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
        let total = (out.len() / 4) as u32;
        out[8..12].copy_from_slice(&total.to_le_bytes());
        seal(&mut out);
        out
    }

    /// The record of every channel.
    fn table(&self, step_codes: &[u8], blocks: usize) -> Vec<u8> {
        let mut bits = BitWriter::default();
        let width = self.width_bits();
        for ((channel, keys), (code, step)) in
            self.channels.moving.iter().zip(self.keys).zip(self.codes.iter().zip(step_codes))
        {
            bits.put(u32::from(*step), 8);
            bits.put(channel.centre as u32, 2);
            if blocks > 1 {
                code.state.iter().for_each(|w| bits.put(*w, 5));
            }
            code.slope.iter().for_each(|w| bits.put(*w, width));
            keys[0].iter().for_each(|n| bits.put(*n as u32, self.base_bits[channel.kind]));
        }
        bits.into_bytes()
    }

    /// The first keys of a block.
    fn state(&self, block: usize) -> Vec<u8> {
        let mut bits = BitWriter::default();
        for (keys, code) in self.keys.iter().zip(&self.codes) {
            let (first, base) = (keys[block * BLOCK], keys[0]);
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
        let rows = self.keys.first().map_or(0, |k| k.len() - block * BLOCK).min(BLOCK);
        for row in 1..rows {
            for (keys, code) in self.keys.iter().zip(&self.codes) {
                let (keys, code) = (&keys[block * BLOCK..][..rows], &code.blocks[block]);
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

fn put_masks(out: &mut Vec<u8>, joints: usize, set: impl Iterator<Item = usize>) {
    let mut masks = vec![0_u16; joints.div_ceil(16)];
    set.for_each(|j| masks[j / 16] |= 1 << (j % 16));
    masks.iter().for_each(|m| out.extend(m.to_le_bytes()));
}
