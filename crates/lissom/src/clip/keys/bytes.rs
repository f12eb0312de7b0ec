//! What each joint costs in a clip of keys.

use super::{
    super::{
        bits::word_at,
        error::MissingBlock,
        part_bytes::{PartBytes, SharedTables},
    },
    active::SETS,
    entry::{BlockEntry, ChannelEntry, unpack_masks},
    format::{CHANNEL_WORDS, HEADER_WORDS},
    view::View,
};
use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Reverse;
use lissom_math::soa::{GROUP, group_count};

/// One channel: whose it is, and where its keys stand.
struct Channel {
    entry: ChannelEntry,
    joint: usize,
    /// Rows of the window's keys, oldest first.
    rows: [u32; 4],
}

impl Channel {
    /// Keys in the window.
    fn window(&self) -> usize {
        if self.entry.set % 2 == 1 { 4 } else { 2 }
    }

    fn right(&self) -> u32 {
        self.rows[self.window() / 2]
    }
}

/// Adds to each joint what it costs; returns what of the tables belongs to none.
pub(crate) fn count_bytes(clip: &View<'_>, joints: &mut [PartBytes]) -> Result<SharedTables, MissingBlock> {
    let lanes = count_tables(clip, joints);
    let mut channels: Vec<Channel> = Vec::with_capacity(clip.head.channels);
    for entry in clip.channels() {
        let entry = ChannelEntry::unpack(entry);
        let joint = lanes[usize::from(entry.set)][usize::from(entry.lane)];
        joints[joint].tables += (CHANNEL_WORDS * 4) as f64;
        channels.push(Channel { entry, joint, rows: [0; 4] });
    }
    for index in 0..clip.head.blocks {
        let block = clip.block_entry(index);
        let (state, stream) = clip.block_bytes(index).ok_or(MissingBlock { block: index })?;
        count_jump(&mut channels, state, &block, joints);
        let last = match index + 1 < clip.head.blocks {
            true => clip.block_entry(index + 1).first_row,
            false => clip.head.last_row(),
        };
        count_stream(&mut channels, stream, &block, last, joints);
    }
    let layout = clip.layout;
    let words = HEADER_WORDS + layout.ticks.len + layout.masks.len + layout.block_table.len;
    let name = clip.head.name_len;
    Ok(SharedTables { bytes: (words * 4 + name) as f64, padding: (name.next_multiple_of(4) - name) as f64 })
}

/// Constants and decoding constants. Returns the joint of each lane, by set.
fn count_tables(clip: &View<'_>, joints: &mut [PartBytes]) -> [Vec<usize>; SETS] {
    let mut lanes: [Vec<usize>; SETS] = Default::default();
    let groups = group_count(joints.len());
    let masks = clip.run(clip.layout.masks).as_chunks::<2>().0;
    for (joint, bytes) in joints.iter_mut().enumerate() {
        for kind in 0..3 {
            let [a, b] = masks[kind * groups + joint / GROUP];
            let [constant, linear, cubic] = unpack_masks(a, b).map(|m| m >> (joint % GROUP) & 1 != 0);
            let width = if kind == 1 { 4 } else { 3 };
            if constant {
                bytes.constants += f64::from(width * 4);
            }
            for (set, moves) in [(kind * 2, linear), (kind * 2 + 1, cubic)] {
                if moves {
                    lanes[set].push(joint);
                    // A base or a mean, and a step.
                    bytes.tables += f64::from((width + 1) * 4);
                }
            }
        }
    }
    lanes
}

/// A jump frame: its share for each joint, and where the keys of each channel stand.
fn count_jump(channels: &mut [Channel], state: &[u8], block: &BlockEntry, joints: &mut [PartBytes]) {
    let mut at = 0;
    for c in channels {
        let window = c.window() as u64;
        let mut distance = || {
            let d = word_at(state, at).take(block.row_bits);
            at += u64::from(block.row_bits);
            d
        };
        let left = block.first_row.saturating_sub(distance());
        let right = left.saturating_add(distance());
        c.rows = if window == 2 {
            [left, right, 0, 0]
        } else {
            let oldest = left.saturating_sub(distance());
            [oldest, left, right, right.saturating_add(distance())]
        };
        let key_bits: u64 = c.entry.value_bits.iter().map(|b| u64::from(*b)).sum();
        at += key_bits * window;
        joints[c.joint].jumps += ((u64::from(block.row_bits) + key_bits) * window) as f64 / 8.0;
    }
}

/// The records of a block: only whose each is and where its key stands matter here.
fn count_stream(
    channels: &mut [Channel],
    stream: &[u8],
    block: &BlockEntry,
    last: u32,
    joints: &mut [PartBytes],
) {
    // Records without a bit cost nothing, and there may be very many.
    let mut due: BinaryHeap<_> = channels
        .iter()
        .enumerate()
        .filter(|(_, c)| c.entry.record_bits() > 0 && c.right() > block.first_row)
        .map(|(i, c)| Reverse((c.right(), i)))
        .collect();
    let mut at = 0;
    while let Some(Reverse((row, i))) = due.pop() {
        if row > last || at >= block.stream_bits {
            break;
        }
        let c = &mut channels[i];
        let (bits, window) = (c.entry.record_bits(), c.window());
        let span = word_at(stream, at).take(u32::from(c.entry.span_bits));
        let next = c.rows[0].saturating_add(c.entry.span_base).saturating_add(span);
        c.rows.copy_within(1..window, 0);
        c.rows[window - 1] = next;
        at += bits;
        joints[c.joint].stream[usize::from(c.entry.set / 2)] += bits as f64 / 8.0;
        if c.right() > row {
            due.push(Reverse((c.right(), i)));
        }
    }
}
