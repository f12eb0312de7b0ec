//! `ozz-raw_animation`, version 3: duration, count of tracks, (if any) the version of a track, 1, then per
//! track its translation, rotation and scale keys, then the name. Keys: their count, (if any) their version,
//! 1, then each a time in seconds and its floats.

use super::{ImportError, OzzObject, text};
use crate::{
    exact::{Q4, V3},
    import::bytes::Bytes,
    raw::{Channel, Curve, Key, RawAnimation, RawTrack},
};

pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    let start = bytes.place();
    let duration_s = f64::from(bytes.f32("the duration")?);
    // A track has at least three counts.
    let count = bytes.count(12, "the count of tracks")?;
    if count > 0 {
        element_version(bytes, "a raw track")?;
    }
    let tracks = bytes.many(count, |b| {
        Ok(RawTrack {
            translation: channel(b, "a translation key", |[x, y, z]| V3::new(x, y, z))?,
            rotation: channel(b, "a rotation key", |[x, y, z, w]| Q4::new(x, y, z, w))?,
            scale: channel(b, "a scale key", |[x, y, z]| V3::new(x, y, z))?,
        })
    })?;
    let chars = bytes.count(1, "the length of the name")?;
    let name = text(bytes, chars, "the name")?;
    let animation = RawAnimation { name, duration_s, looping: false, additive: false, tracks };
    animation.validate(count).map_err(|source| ImportError::Animation { place: start, source })?;
    Ok(OzzObject::RawAnimation(animation))
}

fn element_version(bytes: &mut Bytes<'_>, what: &str) -> Result<(), ImportError> {
    let place = bytes.place();
    match bytes.u32("a version")? {
        1 => Ok(()),
        found => Err(ImportError::Version { place, what: what.into(), found, known: "1" }),
    }
}

fn channel<V, const N: usize>(
    bytes: &mut Bytes<'_>,
    what: &'static str,
    value: fn([f64; N]) -> V,
) -> Result<Channel<V>, ImportError> {
    let count = bytes.count(const { 4 + 4 * N }, "the count of keys")?;
    if count > 0 {
        element_version(bytes, what)?;
    }
    let keys = bytes.many(count, |b| {
        let time_s = f64::from(b.f32("a key's time")?);
        Ok(Key { time_s, value: value(b.f32s(what)?.map(f64::from)) })
    })?;
    Ok(Channel { curve: Curve::Linear, keys, tangents: Vec::new() })
}
