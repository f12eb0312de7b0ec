//! From integers to bytes.

use super::channels::{Class, RowsChannels};
use lissom::clip::format::rows::{Constants, Facts, Lane, RowsWriter};

/// The moving channels as the writer takes them.
fn lanes<'a>(channels: &RowsChannels, keys: &'a [Vec<[i32; 3]>], codes: &[u8]) -> Vec<Lane<'a>> {
    let moving = channels.moving.iter().zip(keys).zip(codes);
    moving
        .map(|((channel, keys), code)| Lane {
            joint: channel.joint,
            kind: channel.kind,
            centre: channel.centre as u32,
            code: *code,
            keys,
        })
        .collect()
}

fn constants(channels: &RowsChannels, kind: usize) -> impl Iterator<Item = (usize, [i32; 3])> {
    channels.class.iter().enumerate().filter_map(move |(joint, class)| match class[kind] {
        Class::Constant(n) => Some((joint, n)),
        _ => None,
    })
}

/// The bytes that [`write`] will give, name and duration left out; `None` if an integer is larger than the format allows.
pub(super) fn size(channels: &RowsChannels, keys: &[Vec<[i32; 3]>], codes: &[u8]) -> Option<usize> {
    let held = [0, 1, 2].map(|kind| (constants(channels, kind).count(), channels.constants[kind].bytes));
    let lanes = lanes(channels, keys, codes);
    Some(RowsWriter::new(&lanes)?.size(channels.class.len(), held))
}

/// The clip; `facts` lack its constants. `None` if an integer is larger than the format allows.
pub(super) fn write(
    channels: &RowsChannels,
    keys: &[Vec<[i32; 3]>],
    codes: &[u8],
    facts: Facts<'_>,
) -> Option<Vec<u8>> {
    let held = [0, 1, 2].map(|kind| constants(channels, kind).collect::<Vec<_>>());
    let constants = [0, 1, 2].map(|kind: usize| {
        let how = channels.constants[kind];
        Constants { bytes: how.bytes, step: how.step, values: &held[kind] }
    });
    let lanes = lanes(channels, keys, codes);
    Some(RowsWriter::new(&lanes)?.write(&Facts { constants, ..facts }))
}
