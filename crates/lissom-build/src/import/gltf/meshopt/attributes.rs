//! Mode 0: elements whose bytes are stored as differences, position by position, in groups of 16.

use super::{Reason, Stream, unzigzag};

const GROUP: usize = 16;
const LARGEST_STRIDE: usize = 256;
const LARGEST_BLOCK_BYTES: usize = 8192;
const LARGEST_BLOCK: usize = 256;

/// How the bytes of one position of a block are coded: by the width of each group, not at all, or plainly.
enum Control {
    Widths([u8; 4]),
    Zero,
    Plain,
}

pub(super) fn decode(count: usize, stride: usize, compressed: &[u8]) -> Result<Vec<u8>, Reason> {
    if stride == 0 || !stride.is_multiple_of(4) || stride > LARGEST_STRIDE {
        return Err(format!(
            "its byteStride is {stride}; compressed attributes need a multiple of 4 up to 256"
        ));
    }
    let mut stream = Stream { rest: compressed };
    let (version, least_tail) = match stream.byte()? {
        0xa0 => (0, 32),
        0xa1 => (1, 24),
        other => return Err(format!("compressed attributes start with byte {other:#04x}, not 0xa0 or 0xa1")),
    };
    let channels = stride.checked_div(4).unwrap_or_default();
    let tail = if version == 0 { stride } else { stride.saturating_add(channels) };
    let body =
        stream.rest.len().checked_sub(tail.max(least_tail)).ok_or("the compressed bytes end too early")?;
    let last = stream.rest.len().saturating_sub(tail);
    let (baseline, modes) = stream
        .rest
        .get(last..)
        .and_then(|t| t.split_at_checked(stride))
        .ok_or("the compressed bytes end too early")?;
    stream.rest = stream.rest.get(..body).unwrap_or_default();

    let mut before = baseline.to_vec();
    let mut out = Vec::with_capacity(count.saturating_mul(stride));
    let largest = LARGEST_BLOCK_BYTES.checked_div(stride).unwrap_or_default();
    let largest = (largest & !(GROUP.wrapping_sub(1))).min(LARGEST_BLOCK);
    // The differences of one position, then of all of them.
    let mut deltas: Vec<Vec<u8>> = vec![Vec::with_capacity(LARGEST_BLOCK); stride];
    let mut left = count;
    while left > 0 {
        let block = left.min(largest);
        let header = if version == 0 { &[][..] } else { stream.take(channels)? };
        for (position, list) in deltas.iter_mut().enumerate() {
            let bits = header.get(position >> 2).map(|b| (b >> ((position & 3) << 1)) & 3);
            let control = match bits {
                None => Control::Widths([0, 2, 4, 8]),
                Some(0) => Control::Widths([0, 1, 2, 4]),
                Some(1) => Control::Widths([1, 2, 4, 8]),
                Some(2) => Control::Zero,
                Some(_) => Control::Plain,
            };
            list.clear();
            differences(&mut stream, &control, block, list)?;
        }
        for element in 0..block {
            for (channel, four) in deltas.chunks(4).enumerate() {
                let mode = modes.get(channel).copied().unwrap_or_default();
                let mut delta = [0; 4];
                for (byte, list) in delta.iter_mut().zip(four) {
                    *byte = list.get(element).copied().unwrap_or_default();
                }
                let at = channel.saturating_mul(4);
                let Some(value) = before.get_mut(at..).and_then(|b| b.first_chunk_mut::<4>()) else {
                    continue;
                };
                *value = next(mode, *value, delta)?;
            }
            out.extend_from_slice(&before);
        }
        left = left.saturating_sub(block);
    }
    stream.end()?;
    Ok(out)
}

/// The four bytes after `value`, given how they differ.
fn next(mode: u8, value: [u8; 4], delta: [u8; 4]) -> Result<[u8; 4], Reason> {
    match (mode & 15, mode >> 4) {
        (0, 0) => {
            let mut out = value;
            for (v, d) in out.iter_mut().zip(delta) {
                *v = v.wrapping_add(unzigzag(d.into()) as u8);
            }
            Ok(out)
        }
        (1, 0) => {
            let half = |v: [u8; 2], d: [u8; 2]| {
                let delta = unzigzag(u16::from_le_bytes(d).into()) as u16;
                u16::from_le_bytes(v).wrapping_add(delta).to_le_bytes()
            };
            let ([a, b, c, d], [e, f, g, h]) = (value, delta);
            let ([a, b], [c, d]) = (half([a, b], [e, f]), half([c, d], [g, h]));
            Ok([a, b, c, d])
        }
        (2, turn) => {
            let delta = u32::from_le_bytes(delta).rotate_right(turn.into());
            Ok((u32::from_le_bytes(value) ^ delta).to_le_bytes())
        }
        _ => Err(format!("its channel mode {mode:#04x} is unknown")),
    }
}

/// The differences of one byte position in a block, as they are stored.
fn differences(
    stream: &mut Stream<'_>,
    control: &Control,
    block: usize,
    out: &mut Vec<u8>,
) -> Result<(), Reason> {
    let widths = match control {
        Control::Zero => {
            out.resize(block, 0);
            return Ok(());
        }
        Control::Plain => {
            out.extend_from_slice(stream.take(block)?);
            return Ok(());
        }
        Control::Widths(widths) => widths,
    };
    let groups = block.div_ceil(GROUP);
    let header = stream.take(groups.div_ceil(4))?;
    for group in 0..groups {
        let bits = header.get(group >> 2).map_or(0, |b| (b >> ((group & 3) << 1)) & 3);
        let width = widths.get(usize::from(bits)).copied().unwrap_or_default();
        match width {
            0 => out.resize(out.len().saturating_add(GROUP), 0),
            8 => out.extend_from_slice(stream.take(GROUP)?),
            _ => narrow(stream, width, out)?,
        }
    }
    out.truncate(block);
    Ok(())
}

/// Sixteen differences of 1, 2 or 4 bits; all bits set means that a whole byte follows after them.
fn narrow(stream: &mut Stream<'_>, width: u8, out: &mut Vec<u8>) -> Result<(), Reason> {
    let compressed = stream.take(usize::from(width) << 1)?;
    let all = (1_u8 << width).wrapping_sub(1);
    let each = 8_u8.checked_div(width).unwrap_or(1);
    for byte in compressed {
        for i in 0..each {
            // One bit: the first is the lowest. Two and four: the first is the highest.
            let place = if width == 1 { i } else { each.wrapping_sub(1).wrapping_sub(i) };
            let v = (byte >> place.wrapping_mul(width)) & all;
            out.push(if v == all { stream.byte()? } else { v });
        }
    }
    Ok(())
}
