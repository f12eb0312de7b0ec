//! What each joint costs in a clip of rows, and where its keys stand.

use super::{
    super::{
        bits::word_at,
        error::MissingBlock,
        joint_bytes::{JointBytes, SharedTables},
        key_place::{ChannelKind, KeyCurve, KeyPlace},
    },
    format::{BLOCK_ROWS, FLAG_DURATION, HEADER_WORDS, constant_bytes, flag_constant, flag_moving},
    view::View,
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;
use lissom_math::soa::group_count;

/// A moving channel: whose it is, and the bits that its record names.
struct Channel {
    joint: usize,
    kind: usize,
    jump_bits: u32,
    slope_bits: u32,
}

/// Adds to each joint what it costs; returns what of the tables belongs to none.
pub(crate) fn count_bytes(clip: &View<'_>, joints: &mut [JointBytes]) -> Result<SharedTables, MissingBlock> {
    let (channels, shared) = count_tables(clip, joints);
    let head_bits = 1 + 3 * clip.tables.width_bits();
    for block in 0..clip.head.blocks {
        let bytes = clip.block(block).ok_or(MissingBlock { block })?;
        // The jump frame of the first block stands in the tables.
        let mut at = if block == 0 { 0 } else { clip.tables.state_bytes as u64 * 8 };
        let first = block as u32 * BLOCK_ROWS;
        let rows = clip.tables.last_of_block(first) - first;
        for c in &channels {
            if block > 0 {
                joints[c.joint].jumps += f64::from(c.jump_bits) / 8.0;
            }
            let mut bits = word_at(bytes, at);
            at += u64::from(head_bits);
            let goes_on = bits.take(1) != 0;
            let width = clip.tables.width_bits();
            let row_bits = bits.take(width) + bits.take(width) + bits.take(width);
            let slope = if goes_on { c.slope_bits } else { 0 };
            joints[c.joint].stream[c.kind] += f64::from(head_bits + row_bits * rows + slope) / 8.0;
        }
    }
    Ok(shared)
}

/// Tells of every key: one a row and channel.
pub(crate) fn visit_keys(clip: &View<'_>, visit: &mut dyn FnMut(KeyPlace) -> ControlFlow<()>) {
    let mut unread = vec![JointBytes::default(); clip.head.joints];
    for Channel { joint, kind, .. } in count_tables(clip, &mut unread).0 {
        for row in 0..clip.head.rows {
            let kind = ChannelKind::ALL[kind];
            if visit(KeyPlace { joint, kind, curve: KeyCurve::Linear, row }).is_break() {
                return;
            }
        }
    }
}

/// Constants and records; the channels that move, and what belongs to nobody.
fn count_tables(clip: &View<'_>, joints: &mut [JointBytes]) -> (Vec<Channel>, SharedTables) {
    let (t, mask_bytes) = (clip.tables, group_count(joints.len()) * 2);
    let duration = if t.flags & FLAG_DURATION != 0 { 8 } else { 0 };
    let mut shared = HEADER_WORDS * 4 + duration + clip.head.name_len + (clip.head.blocks - 1) * 4;
    let mut channels = Vec::with_capacity(clip.head.channels);
    let mut record_bits = 0;
    for kind in 0..3 {
        let masked = |at: usize, count: u32| {
            let mask = if count == 0 { &[][..] } else { clip.bytes.get(at..).unwrap_or_default() };
            (0..joints.len()).filter(move |j| mask.get(j / 8).is_some_and(|m| m >> (j % 8) & 1 != 0))
        };
        let constant: Vec<_> = masked(t.constant_masks[kind], t.constants[kind]).collect();
        let moving: Vec<_> = masked(t.moving_masks[kind], t.lanes[kind]).collect();
        if t.flags & flag_constant(kind) != 0 {
            // Rotations have no step of their own.
            shared += mask_bytes + if kind == 1 { 0 } else { 4 };
            for joint in constant {
                joints[joint].constants += (3 * constant_bytes(t.flags, kind)) as f64;
            }
        }
        if t.flags & flag_moving(kind) != 0 {
            shared += mask_bytes + 1;
        }
        for (lane, joint) in moving.into_iter().enumerate() {
            let record = t.record(clip.bytes, kind, lane, clip.head.blocks);
            record_bits += u64::from(t.record_bits[kind]);
            joints[joint].tables += f64::from(t.record_bits[kind]) / 8.0;
            let (jump_bits, slope_bits) = (record.state.iter().sum(), record.slope.iter().sum());
            channels.push(Channel { joint, kind, jump_bits, slope_bits });
        }
    }
    // The records end at a byte, the tables at a word.
    let bits = record_bits.next_multiple_of(8) - record_bits;
    let word = t.blocks_at - (t.starts_at + (clip.head.blocks - 1) * 4);
    (channels, SharedTables { bytes: shared as f64, padding: bits as f64 / 8.0 + word as f64 })
}
