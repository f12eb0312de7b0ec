//! Sparse keys (version 1).

use super::{JointBytes, take};
use anyhow::{Context, Result, ensure};
use lissom::clip::format::{self, BLOCK_WORDS, CHANNEL_WORDS, HEADER_WORDS, word};

/// One channel: whose it is, and what a record of it is made of.
struct Channel {
    joint: usize,
    kind: usize,
    window: usize,
    key_bits: u64,
    span_bits: u32,
    record_bits: u64,
    span_base: u32,
    /// Rows of the window's keys, oldest first.
    rows: [u32; 4],
}

/// What each joint costs.
pub(super) fn by_joint(bytes: &[u8], words: &[u32]) -> Result<Vec<JointBytes>> {
    let mut layout = Layout::new(words);
    let mut joints = layout.tables(words)?;
    let mut channels = layout.channels(words)?;
    for c in &channels {
        joints[c.joint].tables += (CHANNEL_WORDS * 4) as f64;
    }
    let blocks = layout.blocks(words)?;
    let (states, stream) = layout.data(bytes, words)?;
    let end = words[word::ROWS];
    for (b, block) in blocks.iter().enumerate() {
        let mut at = u64::from(block.state_byte) * 8;
        for c in &mut channels {
            let mut distance = |_| take(states, &mut at, block.row_bits);
            // First row - left, right - left; for a cubic left - oldest, newest - right.
            let d: [u32; 4] = core::array::from_fn(|i| if i < c.window { distance(i) } else { 0 });
            let left = block.first_row.saturating_sub(d[0]);
            let right = left.saturating_add(d[1]);
            c.rows = if c.window == 2 {
                [left, right, 0, 0]
            } else {
                [left.saturating_sub(d[2]), left, right, right.saturating_add(d[3])]
            };
            at += c.key_bits * c.window as u64;
            let bits = u64::from(block.row_bits) * c.window as u64 + c.key_bits * c.window as u64;
            joints[c.joint].jumps += bits as f64 / 8.0;
        }
        let last = blocks.get(b + 1).map_or(end - 1, |next| next.first_row);
        let used = play(&mut channels, stream, block, last, &mut joints);
        ensure!(
            used == block.stream_bits,
            "block {b} has {} bits, and {used} are accounted for",
            block.stream_bits
        );
    }
    Ok(joints)
}

/// Takes every record of a block: only whose it is and where its key stands matter here.
fn play(channels: &mut [Channel], stream: &[u8], block: &Block, last: u32, joints: &mut [JointBytes]) -> u64 {
    use core::cmp::Reverse;
    let right = |c: &Channel| c.rows[c.window / 2];
    let mut due: std::collections::BinaryHeap<_> = (0..channels.len())
        .map(|i| Reverse((right(&channels[i]), i)))
        .filter(|due| due.0.0 > block.first_row)
        .collect();
    let start = block.stream_byte * 8;
    let mut at = start;
    while let Some(Reverse((row, i))) = due.pop() {
        if row > last || at - start >= block.stream_bits {
            break;
        }
        let c = &mut channels[i];
        let mut place = at;
        let span = take(stream, &mut place, c.span_bits);
        let next = c.rows[0].saturating_add(c.span_base).saturating_add(span);
        c.rows.copy_within(1..c.window, 0);
        c.rows[c.window - 1] = next;
        at += c.record_bits;
        joints[c.joint].stream[c.kind] += c.record_bits as f64 / 8.0;
        let next_due = right(c);
        if next_due > row {
            due.push(Reverse((next_due, i)));
        }
    }
    at - start
}

struct Block {
    first_row: u32,
    state_byte: u32,
    stream_byte: u64,
    stream_bits: u64,
    row_bits: u32,
}

/// Walks the sections in order. The clip was checked when it was made; a section that is not there is an error all
/// the same.
struct Layout {
    next: usize,
    joints: usize,
    /// Joint of each lane, by set.
    lanes: [Vec<usize>; 6],
}

impl Layout {
    fn new(words: &[u32]) -> Self {
        let flags = words[word::VERSION_FLAGS] >> 16;
        let listed = flags & u32::from(format::FLAG_LISTED) != 0;
        let name = (words[word::NAME_BYTES] as usize).div_ceil(4);
        let ticks = if listed { words[word::ROWS] as usize } else { 0 };
        let joints = words[word::JOINTS] as usize;
        Self { next: HEADER_WORDS + name + ticks, joints, lanes: Default::default() }
    }

    /// Reads the masks and passes over the constants; each joint gets its share of them.
    fn tables(&mut self, words: &[u32]) -> Result<Vec<JointBytes>> {
        let groups = self.joints.div_ceil(16);
        let masks = words.get(self.next..self.next + groups * 6).context("the masks")?;
        self.next += groups * 6;
        let mut out = vec![JointBytes::default(); self.joints];
        for kind in 0..3 {
            let width = if kind == 1 { 4 } else { 3 };
            let decoding = width + 1;
            for (joint, bytes) in out.iter_mut().enumerate() {
                let at = (kind * groups + joint / 16) * 2;
                let bits = [masks[at], masks[at] >> 16, masks[at + 1]].map(|m| m >> (joint % 16) & 1 != 0);
                if bits[0] {
                    bytes.tables += (width * 4) as f64;
                    self.next += width;
                }
                for cubic in 0..2 {
                    if bits[1 + cubic] {
                        self.lanes[kind * 2 + cubic].push(joint);
                        bytes.tables += (decoding * 4) as f64;
                        self.next += decoding;
                    }
                }
            }
        }
        Ok(out)
    }

    fn channels(&mut self, words: &[u32]) -> Result<Vec<Channel>> {
        let count = words[word::CHANNELS] as usize;
        let table = words.get(self.next..self.next + count * CHANNEL_WORDS).context("the channels")?;
        self.next += count * CHANNEL_WORDS;
        table
            .chunks_exact(CHANNEL_WORDS)
            .map(|w| {
                let (lane, set) = (w[0] as u16 as usize, (w[0] >> 16) as u8 as usize);
                let lanes = self.lanes.get(set).context("a channel's set")?;
                let (key, residual) = (w[1].to_le_bytes(), w[2].to_le_bytes());
                let sum = |b: [u8; 4]| b[..3].iter().map(|v| u64::from(*v)).sum::<u64>();
                Ok(Channel {
                    joint: *lanes.get(lane).context("a channel's lane")?,
                    kind: set / 2,
                    window: if set % 2 == 1 { 4 } else { 2 },
                    key_bits: sum(key),
                    span_bits: u32::from(key[3]),
                    record_bits: u64::from(key[3]) + sum(residual),
                    span_base: w[3],
                    rows: [0; 4],
                })
            })
            .collect()
    }

    fn blocks(&mut self, words: &[u32]) -> Result<Vec<Block>> {
        let count = words[word::BLOCKS] as usize;
        let table = words.get(self.next..self.next + count * BLOCK_WORDS).context("the blocks")?;
        self.next += count * BLOCK_WORDS;
        let two = |w: &[u32], at: usize| u64::from(w[at]) | u64::from(w[at + 1]) << 32;
        let block = |w: &[u32]| Block {
            first_row: w[0],
            state_byte: w[1],
            stream_byte: two(w, 2),
            stream_bits: two(w, 4),
            row_bits: w[7] >> 24,
        };
        Ok(table.chunks_exact(BLOCK_WORDS).map(block).collect())
    }

    /// The jump frames and the stream.
    fn data<'a>(&self, bytes: &'a [u8], words: &[u32]) -> Result<(&'a [u8], &'a [u8])> {
        let states = words[word::STATE_BYTES] as usize;
        let start = self.next * 4;
        let stream = start + states.div_ceil(4) * 4;
        Ok((bytes.get(start..stream).context("the jump frames")?, bytes.get(stream..).context("the stream")?))
    }
}
