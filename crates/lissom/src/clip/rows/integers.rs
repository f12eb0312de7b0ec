//! A clip of rows as the integers that it holds: what a packed file stores.

use super::{
    super::bits::word_at,
    format::{self, BLOCK_ROWS},
    tables::Tables,
    write::{Constants, Facts, Lane, RowsWriter},
};
use alloc::{string::String, vec, vec::Vec};

const BLOCK: usize = BLOCK_ROWS as usize;

/// What a clip of rows says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowsIntegers {
    pub name: String,
    pub looping: bool,
    pub round: bool,
    pub skeleton: u64,
    pub joints: usize,
    pub rows: usize,
    pub rate: f64,
    pub duration_s: f64,
    pub constants: [HeldIntegers; 3],
    pub lanes: Vec<LaneIntegers>,
}

/// The constants of a kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HeldIntegers {
    pub bytes: usize,
    pub step: f32,
    pub values: Vec<(usize, [i32; 3])>,
}

/// A moving channel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LaneIntegers {
    pub joint: usize,
    pub kind: usize,
    pub centre: u32,
    pub code: u8,
    pub keys: Vec<[i32; 3]>,
}

impl RowsIntegers {
    /// Rows that have keys.
    pub fn stored(&self) -> usize {
        self.rows.saturating_sub(usize::from(self.round))
    }

    /// The bytes that list where blocks start: there are as many of them as rows say, with channels or without.
    pub fn starts_bytes(&self) -> usize {
        self.stored().div_ceil(BLOCK).saturating_sub(1).saturating_mul(4)
    }

    /// The bytes of the clip; `None` if an integer is larger than the format allows, or there is no clip of
    /// so few rows or joints.
    pub fn write(&self) -> Option<Vec<u8>> {
        if self.rows < 2 || self.joints == 0 {
            return None;
        }
        let lanes: Vec<Lane<'_>> = self.lanes.iter().map(LaneIntegers::borrow).collect();
        let constants = self.constants.each_ref().map(|held| Constants {
            bytes: held.bytes,
            step: held.step,
            values: &held.values,
        });
        let facts = Facts {
            name: &self.name,
            looping: self.looping,
            skeleton: self.skeleton,
            joints: self.joints,
            rows: self.rows,
            round: self.round,
            rate: self.rate,
            duration_s: self.duration_s,
            constants,
        };
        Some(RowsWriter::new(&lanes)?.write(&facts))
    }

    /// Reads a clip, if it is one of rows and these integers are all that it says: [`write`](Self::write)
    /// gives the same bytes.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        if words.get(format::word::VERSION_FLAGS).map(|w| *w as u16) != Some(format::VERSION) {
            return None;
        }
        let (head, tables) = Tables::parse(&words, false).ok()?;
        let name = bytes.get(head.name_at..)?.get(..head.name_len)?;
        let mut clip = Self {
            name: core::str::from_utf8(name).ok()?.into(),
            looping: head.looping,
            round: tables.flags & format::FLAG_ROUND != 0,
            skeleton: head.skeleton,
            joints: head.joints,
            rows: head.rows as usize,
            rate: head.ticks_per_s,
            duration_s: head.duration_s,
            ..Self::default()
        };
        // Before anything is reserved: rows whose differences are all 0 take no bytes.
        let numbers = (clip.stored() as u64).saturating_mul(3 * head.channels as u64);
        if numbers > most_numbers(bytes.len()) || head.channels.saturating_mul(4) > bytes.len() {
            return None;
        }
        for kind in 0..3 {
            clip.constants[kind] = constants(bytes, &tables, kind, head.joints)?;
        }
        clip.read_lanes(bytes, &tables, head.blocks)?;
        (clip.write()? == bytes).then_some(clip)
    }

    fn read_lanes(&mut self, bytes: &[u8], tables: &Tables, blocks: usize) -> Option<()> {
        let (stored, width) = (self.stored(), tables.width_bits());
        let mut records = Vec::new();
        for kind in 0..3 {
            let moving = masked(bytes, tables.moving_masks[kind], tables.lanes[kind], self.joints);
            for (lane, joint) in moving.enumerate() {
                let record = tables.record(bytes, kind, lane, blocks);
                let size = u64::from(tables.record_bits[kind]);
                let bits = tables.base_bits[kind];
                let end = tables.records[kind] + size * (lane as u64 + 1);
                let first =
                    [3, 2, 1].map(|left| word_at(bytes, end - u64::from(bits) * left).take_signed(bits));
                let mut keys = vec![[0; 3]; stored];
                *keys.first_mut()? = first;
                records.push(record);
                self.lanes.push(LaneIntegers { joint, kind, centre: record.centre, code: record.code, keys });
            }
        }
        for block in 0..blocks {
            let bytes = tables.block(bytes, block, blocks);
            let start = block * BLOCK;
            let rows = (stored - start).min(BLOCK);
            let mut at = 0;
            let mut signed = |bits: u32| {
                let v = word_at(bytes, at).take_signed(bits);
                at += u64::from(bits);
                v
            };
            if block > 0 {
                for (lane, record) in self.lanes.iter_mut().zip(&records) {
                    let mut key = lane.keys[0];
                    for (n, width) in key.iter_mut().zip(record.state) {
                        *n = n.wrapping_add(signed(width));
                    }
                    lane.keys[start] = key;
                }
                at = at.next_multiple_of(8);
            }
            let mut unsigned = |bits: u32| {
                let v = word_at(bytes, at).take(bits);
                at += u64::from(bits);
                v
            };
            let codes: Vec<(bool, [u32; 3])> = records
                .iter()
                .map(|_| (unsigned(1) != 0, [unsigned(width), unsigned(width), unsigned(width)]))
                .collect();
            let mut signed = |bits: u32| {
                let v = word_at(bytes, at).take_signed(bits);
                at += u64::from(bits);
                v
            };
            let slopes: Vec<[i32; 3]> = records
                .iter()
                .zip(&codes)
                .map(|(record, (goes_on, _))| if *goes_on { record.slope.map(&mut signed) } else { [0; 3] })
                .collect();
            for row in start + 1..start + rows {
                for ((lane, (goes_on, widths)), slope) in self.lanes.iter_mut().zip(&codes).zip(&slopes) {
                    for c in 0..3 {
                        let before = lane.keys[row - 1][c];
                        let mut key = before.wrapping_add(signed(widths[c]));
                        if *goes_on {
                            let step = match row - start {
                                1 => slope[c].wrapping_shl(widths[c]),
                                _ => before.wrapping_sub(lane.keys[row - 2][c]),
                            };
                            key = key.wrapping_add(step);
                        }
                        lane.keys[row][c] = key;
                    }
                }
            }
        }
        Some(())
    }
}

impl LaneIntegers {
    fn borrow(&self) -> Lane<'_> {
        let Self { joint, kind, centre, code, ref keys } = *self;
        Lane { joint, kind, centre, code, keys }
    }
}

/// The most numbers of keys that a clip of this size may have to be read here: what holds them is a
/// multiple of its bytes.
pub(crate) fn most_numbers(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(4).saturating_add(4096)
}

/// The joints whose bit is set in the mask at a place.
fn masked(bytes: &[u8], at: usize, count: u32, joints: usize) -> impl Iterator<Item = usize> {
    let mask = if count == 0 { &[][..] } else { bytes.get(at..).unwrap_or_default() };
    (0..joints).filter(move |joint| mask.get(joint / 8).is_some_and(|byte| byte >> (joint % 8) & 1 != 0))
}

fn constants(bytes: &[u8], tables: &Tables, kind: usize, joints: usize) -> Option<HeldIntegers> {
    let count = tables.constants[kind] as usize;
    if count == 0 {
        return Some(HeldIntegers::default());
    }
    let number = format::constant_bytes(tables.flags, kind);
    let at = tables.constants_at[kind];
    let read = |index: usize| {
        let from = bytes.get(at + index * number..)?;
        Some(word_at(from, 0).take_signed(number as u32 * 8))
    };
    let of = masked(bytes, tables.constant_masks[kind], tables.constants[kind], joints);
    let values =
        of.enumerate().map(|(i, joint)| Some((joint, [read(i)?, read(count + i)?, read(2 * count + i)?])));
    let step = if kind == 1 { 0.0 } else { tables.constant_step[kind] };
    Some(HeldIntegers { bytes: number, step, values: values.collect::<Option<_>>()? })
}
