//! `ozz-animation`, version 7.
//!
//! Duration, count of tracks, length of the name, count of timepoints, count of translation, rotation and
//! scale keys, then for each of the three the byte length of its jump frames and their count; the name; the
//! timepoints (ratios, rising from 0 to 1); then for each channel:
//!
//! - the timepoint of each key: u8, or u16 if there are more than 255 timepoints;
//! - how many keys back the key before it on its track stands: u16, 0 for a track's first key;
//! - jump frames (bytes, then u32 places, then one f32 spacing), which are not needed here;
//! - the values: three u16 a key.
//!
//! The first keys of all tracks stand first, in track order; tracks are padded to a multiple of four. So the
//! track of a key is found by following it back.

use super::{ImportError, OzzObject, half, text};
use crate::{
    exact::{Q4, V3},
    import::bytes::Bytes,
    raw::{Channel, Curve, Key, RawAnimation, RawTrack},
};

/// Tracks are padded to groups of this many.
const LANES: u32 = 4;

pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    let start = bytes.place();
    let duration_s = f64::from(bytes.f32("the duration")?);
    let tracks = bytes.u32("the count of tracks")?;
    let chars = bytes.u32("the length of the name")?;
    let timepoint_count = bytes.u32("the count of timepoints")?;
    let mut key_counts = [0; 3];
    for count in &mut key_counts {
        *count = bytes.u32("a count of keys")?;
    }
    let mut jump_sizes = [(0, 0); 3];
    for (size, count) in &mut jump_sizes {
        *size = bytes.u32("the length of jump frames")?;
        *count = bytes.u32("the count of jump frames")?;
    }
    let chars = bytes.room_for(chars, 1, "the name")?;
    let name = text(bytes, chars, "the name")?;
    let times = timepoints(bytes, timepoint_count, duration_s)?;

    let [translations, rotations, scales] = key_counts;
    let [t_jumps, r_jumps, s_jumps] = jump_sizes;
    let translations = channels(bytes, tracks, &times, translations, t_jumps, vector)?;
    let rotations = channels(bytes, tracks, &times, rotations, r_jumps, rotation)?;
    let scales = channels(bytes, tracks, &times, scales, s_jumps, vector)?;
    let channels = translations.into_iter().zip(rotations).zip(scales);
    let tracks: Vec<_> =
        channels.map(|((translation, rotation), scale)| RawTrack { translation, rotation, scale }).collect();
    let animation = RawAnimation { name, duration_s, looping: false, additive: false, tracks };
    let joints = animation.tracks.len();
    animation.validate(joints).map_err(|source| ImportError::Animation { place: start, source })?;
    Ok(OzzObject::Animation(animation))
}

/// Key times in seconds, by timepoint.
fn timepoints(bytes: &mut Bytes<'_>, count: u32, duration_s: f64) -> Result<Vec<f64>, ImportError> {
    let count = bytes.room_for(count, 4, "the timepoints")?;
    let mut before = -1.0;
    bytes.many(count, |b| {
        let place = b.place();
        let ratio = b.f32("a timepoint")?;
        if !(0.0..=1.0).contains(&ratio) || ratio <= before {
            let reason = format!("the timepoint {ratio} after {before} does not rise within 0 to 1");
            return Err(ImportError::Format { place, reason });
        }
        before = ratio;
        Ok(f64::from(ratio) * duration_s)
    })
}

/// One channel of every track.
fn channels<V: Copy>(
    bytes: &mut Bytes<'_>,
    tracks: u32,
    times: &[f64],
    keys: u32,
    (jump_bytes, jump_count): (u32, u32),
    value: fn([u16; 3]) -> V,
) -> Result<Vec<Channel<V>>, ImportError> {
    let wide = times.len() > 255;
    let start = bytes.place();
    let keys = bytes.room_for(keys, if wide { 10 } else { 9 }, "the keys of a channel")?;
    let padded = u64::from(tracks).next_multiple_of(u64::from(LANES));
    // Every track has a first key, so the keys in the file bound the tracks we make room for.
    let first_keys = usize::try_from(padded).ok().filter(|p| *p <= keys).ok_or_else(|| {
        let reason = format!("{keys} keys are not enough for {tracks} tracks, padded to {padded}");
        ImportError::Format { place: start, reason }
    })?;

    let times_at = bytes.place();
    let time_of_key = bytes.many(keys, |b| {
        let index = if wide { b.u16("a key's timepoint")? } else { u16::from(b.u8("a key's timepoint")?) };
        times.get(usize::from(index)).copied().ok_or_else(|| ImportError::Format {
            place: times_at.clone(),
            reason: format!("a key has timepoint {index} of {}", times.len()),
        })
    })?;
    let track_of_key = tracks_of_keys(bytes, keys, first_keys)?;
    let jump_bytes = bytes.room_for(jump_bytes, 1, "the jump frames")?;
    bytes.take(jump_bytes, "the jump frames")?;
    let jump_count = bytes.room_for(jump_count, 4, "the places of jump frames")?;
    bytes.many(jump_count, |b| b.u32("the place of a jump frame"))?;
    bytes.f32("the spacing of jump frames")?;

    let mut out = vec![Channel { curve: Curve::Linear, keys: Vec::new(), tangents: Vec::new() }; first_keys];
    for (time_s, track) in time_of_key.into_iter().zip(track_of_key) {
        let place = bytes.place();
        let mut bits = [0; 3];
        for part in &mut bits {
            *part = bytes.u16("a key's value")?;
        }
        let Some(channel) = out.get_mut(track) else { continue };
        if channel.keys.last().is_some_and(|k: &Key<V>| k.time_s >= time_s) {
            let reason = format!("a key of track {track} at {time_s} s is not after the one before it");
            return Err(ImportError::Format { place, reason });
        }
        channel.keys.push(Key { time_s, value: value(bits) });
    }
    out.truncate(tracks as usize);
    Ok(out)
}

/// The track of every key, and that each goes back to the latest key of its track.
fn tracks_of_keys(bytes: &mut Bytes<'_>, keys: usize, first_keys: usize) -> Result<Vec<usize>, ImportError> {
    let mut tracks: Vec<usize> = Vec::with_capacity(keys);
    let mut latest: Vec<usize> = (0..first_keys).collect();
    for key in 0..keys {
        let place = bytes.place();
        let back = bytes.u16("the way back to a key")?;
        if key < first_keys {
            tracks.push(key);
            continue;
        }
        let before = key.checked_sub(usize::from(back));
        let track = before.and_then(|b| tracks.get(b)).copied();
        let latest = track.and_then(|t| latest.get_mut(t));
        match (track, latest) {
            (Some(track), Some(latest)) if Some(*latest) == before => {
                *latest = key;
                tracks.push(track);
            }
            _ => {
                let reason = format!("key {key} goes {back} keys back, which is not the latest of a track");
                return Err(ImportError::Format { place, reason });
            }
        }
    }
    Ok(tracks)
}

/// Three half floats.
fn vector(bits: [u16; 3]) -> V3 {
    let [x, y, z] = bits.map(|bits| f64::from(half::to_f32(bits)));
    V3::new(x, y, z)
}

/// 2 bits: which component is largest; 1 bit: its sign; 3 × 15 bits: the others, in order, over ±1/√2.
fn rotation(bits: [u16; 3]) -> Q4 {
    let [low, middle, high] = bits.map(u64::from);
    let bits = low | middle << 16 | high << 32;
    let step = core::f64::consts::SQRT_2 / 32767.0;
    let part = |shift: u32| (bits >> shift & 0x7fff) as f64 * step - core::f64::consts::FRAC_1_SQRT_2;
    let (a, b, c) = (part(3), part(18), part(33));
    let left = 1.0 - ((a * a + b * b) + c * c);
    let root = if left > 0.0 { left.sqrt() } else { 0.0 };
    let d = if bits & 4 == 0 { root } else { -root };
    match bits & 3 {
        0 => Q4::new(d, a, b, c),
        1 => Q4::new(a, d, b, c),
        2 => Q4::new(a, b, d, c),
        _ => Q4::new(a, b, c, d),
    }
}
