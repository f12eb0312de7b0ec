//! Dense rows (version 2).

use super::{JointBytes, take};
use anyhow::{Context, Result, ensure};
use lissom::clip::format::{keys as format, rows as dense};

/// A moving channel: whose it is, and the widths that its record names.
struct Channel {
    joint: usize,
    kind: usize,
    jump_bits: u64,
    slope_bits: u64,
}

/// What each joint costs. The clip was checked when it was made; a clip that does not end where its blocks do is an
/// error all the same.
pub(super) fn by_joint(bytes: &[u8], words: &[u32]) -> Result<Vec<JointBytes>> {
    let flags = (words[format::word::VERSION_FLAGS] >> 16) as u16;
    let width_bits = if flags & dense::FLAG_WIDE != 0 { 5 } else { 4 };
    let stored = words[dense::word::ROWS] - u32::from(flags & dense::FLAG_ROUND != 0);
    let blocks = stored.div_ceil(dense::BLOCK_ROWS);
    let (mut joints, channels, mut at) = tables(bytes, words, flags, width_bits, blocks)?;

    let starts = at.div_ceil(8) as usize;
    let starts = bytes.get(starts..starts + (blocks as usize - 1) * 4).context("the places of the blocks")?;
    at = (at.div_ceil(8) + starts.len() as u64).next_multiple_of(4) * 8;
    let first = at / 8;
    let mut starts =
        starts.chunks_exact(4).map(|b| first + u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    for block in 0..blocks {
        if block > 0 {
            let start = starts.next().context("a block's place")?;
            ensure!(
                at == start * 8,
                "block {block} starts at byte {start}, and bytes to {} are accounted for",
                at / 8
            );
            for c in &channels {
                at += c.jump_bits;
                joints[c.joint].jumps += c.jump_bits as f64 / 8.0;
            }
            at = at.next_multiple_of(8);
        }
        let rows = (stored - block * dense::BLOCK_ROWS).min(dense::BLOCK_ROWS);
        at = self::block(bytes, at, u64::from(rows), width_bits, &channels, &mut joints);
    }
    let left = (bytes.len() as u64 * 8).checked_sub(at);
    ensure!(left.is_some_and(|bits| bits < 32), "the blocks end at byte {} of {}", at / 8, bytes.len());
    Ok(joints)
}

/// A block without its jump frame: gives the bit where it ends.
fn block(
    bytes: &[u8],
    mut at: u64,
    rows: u64,
    width_bits: u32,
    channels: &[Channel],
    joints: &mut [JointBytes],
) -> u64 {
    let mut end = at + channels.len() as u64 * (1 + 3 * u64::from(width_bits));
    for c in channels {
        let start = at;
        let goes_on = take(bytes, &mut at, 1) != 0;
        let row_bits: u64 = (0..3).map(|_| u64::from(take(bytes, &mut at, width_bits))).sum();
        let values = row_bits * (rows - 1) + if goes_on { c.slope_bits } else { 0 };
        joints[c.joint].stream[c.kind] += (at - start + values) as f64 / 8.0;
        end += values;
    }
    end.next_multiple_of(8)
}

/// Each joint's constants and records, the moving channels, and the bit where the records end.
fn tables(
    bytes: &[u8],
    words: &[u32],
    flags: u16,
    width_bits: u32,
    blocks: u32,
) -> Result<(Vec<JointBytes>, Vec<Channel>, u64)> {
    let head = words[dense::word::JOINTS_NAME];
    let (count, name) = (head as u16 as usize, (head >> 16) as usize);
    let mut joints = vec![JointBytes::default(); count];
    let duration = if flags & dense::FLAG_DURATION != 0 { 8 } else { 0 };
    let mut place = dense::HEADER_WORDS * 4 + duration + name;
    let mask_bytes = count.div_ceil(16) * 2;
    let mut masked = |flag: u16| -> Result<Vec<usize>> {
        if flags & flag == 0 {
            return Ok(Vec::new());
        }
        let mask = bytes.get(place..place + mask_bytes).context("the masks")?;
        place += mask_bytes;
        Ok((0..count).filter(|j| mask[j / 8] >> (j % 8) & 1 != 0).collect())
    };
    let (mut constant, mut moving) = ([const { Vec::new() }; 3], [const { Vec::new() }; 3]);
    for kind in 0..3 {
        constant[kind] = masked(dense::flag_constant(kind))?;
        moving[kind] = masked(dense::flag_moving(kind))?;
    }
    for (kind, constant) in constant.iter().enumerate() {
        if flags & dense::flag_constant(kind) == 0 {
            continue;
        }
        let each = 3 * dense::constant_bytes(flags, kind);
        place += if kind == 1 { 0 } else { 4 } + constant.len() * each;
        constant.iter().for_each(|j| joints[*j].tables += each as f64);
    }
    let mut key_bits = [0; 3];
    for (kind, bits) in key_bits.iter_mut().enumerate() {
        if flags & dense::flag_moving(kind) != 0 {
            *bits = u64::from(*bytes.get(place).context("the bits of first keys")?);
            place += 1;
        }
    }
    let mut at = place as u64 * 8;
    let mut channels = Vec::new();
    for (kind, moving) in moving.iter().enumerate() {
        for &joint in moving {
            let start = at;
            at += 10;
            let mut widths = |bits| (0..3).map(|_| u64::from(take(bytes, &mut at, bits))).sum();
            let jump_bits = if blocks > 1 { widths(5) } else { 0 };
            let slope_bits = widths(width_bits);
            at += 3 * key_bits[kind];
            joints[joint].tables += (at - start) as f64 / 8.0;
            channels.push(Channel { joint, kind, jump_bits, slope_bits });
        }
    }
    Ok((joints, channels, at))
}
