//! What each joint costs in a clip of keys, and where its keys stand.

use super::{
    super::{
        bits::word_at,
        error::MissingBlock,
        joint_bytes::{JointBytes, SharedTables},
        key_place::{ChannelKind, KeyCurve, KeyPlace},
    },
    active::SETS,
    entry::{BlockEntry, ChannelEntry, unpack_masks},
    format::{CHANNEL_WORDS, HEADER_WORDS},
    view::View,
};
use alloc::{collections::BinaryHeap, vec, vec::Vec};
use core::{cmp::Reverse, convert::Infallible, ops::ControlFlow};
use lissom_math::soa::{GROUP, group_count};

/// One channel: whose it is, and where its keys stand.
struct Channel {
    entry: ChannelEntry,
    joint: usize,
    /// Rows of the window's keys, oldest first.
    rows: [u32; 4],
    /// The row after the last key that was told of.
    told: u32,
}

impl Channel {
    /// Keys in the window.
    fn window(&self) -> usize {
        if self.entry.set % 2 == 1 { 4 } else { 2 }
    }

    fn right(&self) -> u32 {
        self.rows[self.window() / 2]
    }

    /// Tells of the keys in the window that are new.
    fn tell(&mut self, rows: u32, visit: &mut dyn FnMut(KeyPlace) -> ControlFlow<()>) -> ControlFlow<()> {
        let kind = ChannelKind::ALL[usize::from(self.entry.set / 2)];
        let curve = match self.window() {
            _ if self.entry.step => KeyCurve::Step,
            2 => KeyCurve::Linear,
            _ => KeyCurve::Cubic,
        };
        for row in self.rows.into_iter().take(self.window()) {
            // The last key stands past the last row, and means it.
            let row = if row < rows { row } else { rows - 1 };
            if row >= self.told {
                self.told = row + 1;
                visit(KeyPlace { joint: self.joint, kind, curve, row })?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Adds to each joint what it costs; returns what of the tables belongs to none.
pub(crate) fn count_bytes(clip: &View<'_>, joints: &mut [JointBytes]) -> Result<SharedTables, MissingBlock> {
    let mut channels = channels(clip, joints);
    for index in 0..clip.head.blocks {
        let block = clip.block_entry(index);
        let (state, stream) = clip.block_bytes(index).ok_or(MissingBlock { block: index })?;
        count_jump(&mut channels, state, &block, joints);
        // Records without a bit cost nothing, and there may be very many.
        let costs = |c: &Channel| c.entry.record_bits() > 0;
        let last = last_row(clip, index);
        let ControlFlow::<Infallible>::Continue(()) =
            walk_stream(&mut channels, stream, &block, last, costs, &mut |c| {
                joints[c.joint].stream[usize::from(c.entry.set / 2)] += c.entry.record_bits() as f64 / 8.0;
                ControlFlow::Continue(())
            });
    }
    let layout = clip.layout;
    let words = HEADER_WORDS + layout.ticks.len + layout.masks.len + layout.block_table.len;
    let name = clip.head.name_len;
    Ok(SharedTables { bytes: (words * 4 + name) as f64, padding: (name.next_multiple_of(4) - name) as f64 })
}

/// Tells of every key.
pub(crate) fn visit_keys(
    clip: &View<'_>,
    visit: &mut dyn FnMut(KeyPlace) -> ControlFlow<()>,
) -> Result<(), MissingBlock> {
    let mut unread = vec![JointBytes::default(); clip.head.joints];
    let mut channels = channels(clip, &mut unread);
    for index in 0..clip.head.blocks {
        let block = clip.block_entry(index);
        let (state, stream) = clip.block_bytes(index).ok_or(MissingBlock { block: index })?;
        count_jump(&mut channels, state, &block, &mut unread);
        let told = channels.iter_mut().try_for_each(|c| c.tell(clip.head.rows, visit));
        let told = told.is_continue()
            && walk_stream(&mut channels, stream, &block, last_row(clip, index), |_| true, &mut |c| {
                c.tell(clip.head.rows, visit)
            })
            .is_continue();
        if !told {
            break;
        }
    }
    Ok(())
}

/// The channels, in the order of their records; adds to each joint what its tables cost.
fn channels(clip: &View<'_>, joints: &mut [JointBytes]) -> Vec<Channel> {
    let lanes = count_tables(clip, joints);
    let mut channels: Vec<Channel> = Vec::with_capacity(clip.head.channels);
    for entry in clip.channels() {
        let entry = ChannelEntry::unpack(entry);
        let joint = lanes[usize::from(entry.set)][usize::from(entry.lane)];
        joints[joint].tables += (CHANNEL_WORDS * 4) as f64;
        channels.push(Channel { entry, joint, rows: [0; 4], told: 0 });
    }
    channels
}

/// The last row that a block plays.
fn last_row(clip: &View<'_>, block: usize) -> u32 {
    match block + 1 < clip.head.blocks {
        true => clip.block_entry(block + 1).first_row,
        false => clip.head.last_row(),
    }
}

/// Constants and decoding constants. Returns the joint of each lane, by set.
fn count_tables(clip: &View<'_>, joints: &mut [JointBytes]) -> [Vec<usize>; SETS] {
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
fn count_jump(channels: &mut [Channel], state: &[u8], block: &BlockEntry, joints: &mut [JointBytes]) {
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

/// The records of a block that matter: whose each is, once its key stands in the window.
fn walk_stream<B>(
    channels: &mut [Channel],
    stream: &[u8],
    block: &BlockEntry,
    last: u32,
    matters: impl Fn(&Channel) -> bool,
    taken: &mut dyn FnMut(&mut Channel) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut due: BinaryHeap<_> = channels
        .iter()
        .enumerate()
        .filter(|(_, c)| matters(c) && c.right() > block.first_row)
        .map(|(i, c)| Reverse((c.right(), i)))
        .collect();
    let mut at = 0;
    while let Some(Reverse((row, i))) = due.pop() {
        let c = &mut channels[i];
        let (bits, window) = (c.entry.record_bits(), c.window());
        if row > last || (bits > 0 && at >= block.stream_bits) {
            break;
        }
        let span = word_at(stream, at).take(u32::from(c.entry.span_bits));
        let next = c.rows[0].saturating_add(c.entry.span_base).saturating_add(span);
        c.rows.copy_within(1..window, 0);
        c.rows[window - 1] = next;
        at += bits;
        taken(c)?;
        if c.right() > row {
            due.push(Reverse((c.right(), i)));
        }
    }
    ControlFlow::Continue(())
}
