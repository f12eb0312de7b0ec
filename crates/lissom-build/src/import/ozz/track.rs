//! `ozz-float_track` and its kin, version 1: count of keys, length of the name, ratios, values, one bit a key
//! (set: the value holds until the next key), name.

use super::{ImportError, OzzObject, text};
use crate::{
    import::bytes::Bytes,
    raw::{RawUserTrack, TrackKind, UserKey},
};

pub(super) fn read_float(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    read::<1>(bytes, TrackKind::Float)
}

pub(super) fn read_float2(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    read::<2>(bytes, TrackKind::Float2)
}

pub(super) fn read_float3(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    read::<3>(bytes, TrackKind::Float3)
}

pub(super) fn read_float4(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    read::<4>(bytes, TrackKind::Float4)
}

pub(super) fn read_quat(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    read::<4>(bytes, TrackKind::Quat)
}

fn read<const N: usize>(bytes: &mut Bytes<'_>, kind: TrackKind) -> Result<OzzObject, ImportError> {
    let start = bytes.place();
    let count = bytes.count(const { 4 + 4 * N }, "the count of keys")?;
    let chars = bytes.count(1, "the length of the name")?;
    let ratios = bytes.many(count, |b| b.f32("a key's ratio"))?;
    let values = bytes.many(count, |b| b.f32s::<N>("a key's value"))?;
    let steps = bytes.take(count.div_ceil(8), "the interpolation bits")?;
    let name = text(bytes, chars, "the name")?;
    let mut steps = steps.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 != 0));
    let keys = ratios.iter().zip(&values).map(|(ratio, floats)| {
        let mut value = [0.0; 4];
        for (to, from) in value.iter_mut().zip(floats) {
            *to = f64::from(*from);
        }
        UserKey { ratio: f64::from(*ratio), value, step: steps.next().unwrap_or_default() }
    });
    let track = RawUserTrack { name, kind, keys: keys.collect() };
    track.validate().map_err(|e| ImportError::Format { place: start, reason: e.to_string() })?;
    Ok(OzzObject::Track(track))
}
