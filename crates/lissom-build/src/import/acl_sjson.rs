//! ACL's raw clips and track lists, `.acl.sjson`, versions 1 to 5.
//!
//! A clip has bones (name, parent by name, shell distance, bind pose) and tracks (samples of rotation,
//! translation, scale at a fixed rate, each optional); lengths are in centimetres. A track list has tracks of one
//! to four numbers. Numbers stored as hexadecimal bits (`is_binary_exact`) are read too.

use super::{
    ImportError, Place,
    rawclip::{RawClip, WantedPrecision},
    sjson::{self, SjsonNode, SjsonValue},
};
use crate::{
    exact::{Q4, Trs, V3},
    raw::{
        Channel, Curve, Key, RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, TrackKind, UserKey,
    },
    text::quote::{Number, Quote},
};
use std::collections::BTreeMap;

/// What is taken for a clip's precision where the file has none, in centimetres.
const PRECISION: f64 = 0.01;

/// What a file holds: a clip or a track list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AclFile {
    /// A clip with its skeleton. A bone without a track has no keys: it rests.
    Clip(RawClip),
    /// Tracks of numbers that belong together.
    Tracks {
        /// May be empty.
        name: String,
        /// Seconds: samples less one, divided by the rate.
        duration_s: f64,
        /// The tracks, in file order.
        tracks: Vec<RawUserTrack>,
    },
}

/// Reads a file.
///
/// # Errors
///
/// The first thing that is wrong, with its line.
pub fn read(bytes: &[u8]) -> Result<AclFile, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let file = sjson::parse(&text)?;
    let expected = "an ACL file (it has a version, and a clip or a track_list)";
    let not_acl = || ImportError::NotThisFormat { place: Place::Line(1), expected };
    let version = file.get("version").ok_or_else(not_acl)?;
    let found = version.number()?;
    if !(1.0..=5.0).contains(&found) {
        let (place, what) = (version.place(), "an ACL file".into());
        return Err(ImportError::Version { place, what, found: found as u32, known: "1 to 5" });
    }
    match (file.get("clip"), file.get("track_list")) {
        (Some(clip), None) => Ok(AclFile::Clip(read_clip(&file, clip)?)),
        (None, Some(list)) => read_tracks(&file, list),
        (None, None) => Err(not_acl()),
        (Some(_), Some(list)) => Err(list.fail("a file holds a clip or a track_list, not both")),
    }
}

/// Samples and rate of a clip or list.
fn timing(from: &SjsonNode) -> Result<(usize, f64), ImportError> {
    let samples = from.need("num_samples")?;
    let count = samples.number()?;
    if !(1.0..=f64::from(1 << 24)).contains(&count) || count.fract() != 0.0 {
        return Err(
            samples.fail(format!("num_samples is {}; it must be a whole number above 0", Number(count)))
        );
    }
    let rate = from.need("sample_rate")?;
    let rate_hz = rate.number()?;
    if rate_hz <= 0.0 {
        return Err(rate.fail(format!("sample_rate is {}; it must be above 0", Number(rate_hz))));
    }
    Ok((count as usize, rate_hz))
}

/// A number, or its bits as hexadecimal digits: 8 for an f32, 16 for an f64.
fn number(node: &SjsonNode) -> Result<f64, ImportError> {
    let value = match &node.value {
        SjsonValue::Text(bits) => match bits.len() {
            8 => u32::from_str_radix(bits, 16).ok().map(|b| f64::from(f32::from_bits(b))),
            16 => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
            _ => None,
        },
        _ => Some(node.number()?),
    };
    value.filter(|v| v.is_finite()).ok_or_else(|| node.fail("this should be a finite number"))
}

fn numbers<const N: usize>(node: &SjsonNode) -> Result<[f64; N], ImportError> {
    let list = node.list()?;
    if list.len() != N {
        return Err(node.fail(format!("{} numbers where {N} should be", list.len())));
    }
    let mut out = [0.0; N];
    for (to, from) in out.iter_mut().zip(list) {
        *to = number(from)?;
    }
    Ok(out)
}

fn vector(node: &SjsonNode) -> Result<V3, ImportError> {
    let [x, y, z] = numbers(node)?;
    Ok(V3::new(x, y, z))
}

fn rotation(node: &SjsonNode) -> Result<Q4, ImportError> {
    let [x, y, z, w] = numbers(node)?;
    Ok(Q4::new(x, y, z, w))
}

fn read_clip(file: &SjsonNode, clip: &SjsonNode) -> Result<RawClip, ImportError> {
    let (samples, rate_hz) = timing(clip)?;
    let settings = file.get("settings");
    let precision = clip.get("error_threshold").or_else(|| settings.and_then(|s| s.get("error_threshold")));
    let precision = match precision {
        None => PRECISION,
        Some(node) => match number(node)? {
            found if found > 0.0 => found,
            found => {
                return Err(node.fail(format!("error_threshold is {}; it must be above 0", Number(found))));
            }
        },
    };

    let bones = file.need("bones")?;
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    let mut skeleton = RawSkeleton::default();
    let mut shells = Vec::new();
    for (joint, bone) in bones.list()?.iter().enumerate() {
        let name = bone.need("name")?;
        if by_name.insert(name.text()?, joint).is_some() {
            return Err(name.fail(format!("there are two bones called {}", Quote(name.text()?))));
        }
        let rest = Trs {
            translation: bone.get("bind_translation").map_or(Ok(V3::ZERO), vector)?,
            rotation: bone.get("bind_rotation").map_or(Ok(Q4::IDENTITY), rotation)?,
            scale: bone.get("bind_scale").map_or(Ok(V3::ONE), vector)?,
        };
        skeleton.joints.push(RawJoint { name: name.text()?.into(), parent: None, rest });
        let distance = bone.need("vertex_distance")?;
        let shell = number(distance)?;
        if shell < 0.0 {
            return Err(
                distance.fail(format!("vertex_distance is {}; it must not be below 0", Number(shell)))
            );
        }
        shells.push(WantedPrecision { shell, precision });
    }
    for (joint, bone) in skeleton.joints.iter_mut().zip(bones.list()?) {
        let parent = bone.need("parent")?;
        let name = parent.text()?;
        if !name.is_empty() {
            let index = by_name.get(name).copied();
            joint.parent =
                Some(index.ok_or_else(|| parent.fail(format!("there is no bone {}", Quote(name))))?);
        }
    }
    skeleton.validate().map_err(|source| ImportError::Skeleton { place: bones.place(), source })?;

    let tracks_node = file.need("tracks")?;
    let mut tracks = vec![RawTrack::default(); skeleton.joints.len()];
    for node in tracks_node.list()? {
        let name = node.need("name")?;
        let joint = by_name.get(name.text()?).and_then(|j| tracks.get_mut(*j));
        let Some(track) = joint else {
            return Err(name.fail(format!("there is no bone {}", Quote(name.text()?))));
        };
        *track = RawTrack {
            rotation: channel(node.get("rotations"), samples, rate_hz, rotation)?,
            translation: channel(node.get("translations"), samples, rate_hz, vector)?,
            scale: channel(node.get("scales"), samples, rate_hz, vector)?,
        };
    }
    let animation = RawAnimation {
        name: clip.get("name").map_or(Ok(""), SjsonNode::text)?.into(),
        duration_s: samples.saturating_sub(1).max(1) as f64 / rate_hz,
        looping: false,
        additive: false,
        tracks,
    };
    let valid = animation.validate(skeleton.joints.len());
    valid.map_err(|source| ImportError::Animation { place: tracks_node.place(), source })?;
    Ok(RawClip { skeleton, has_rest: true, rate_hz, animation, precision: Some(shells) })
}

fn channel<V>(
    node: Option<&SjsonNode>,
    samples: usize,
    rate_hz: f64,
    value: fn(&SjsonNode) -> Result<V, ImportError>,
) -> Result<Channel<V>, ImportError> {
    let Some(node) = node else { return Ok(Channel::default()) };
    let list = node.list()?;
    if list.len() != samples {
        return Err(node.fail(format!("{} samples where num_samples is {samples}", list.len())));
    }
    let keys = list.iter().enumerate().map(|(i, n)| Ok(Key { time_s: i as f64 / rate_hz, value: value(n)? }));
    let keys = keys.collect::<Result<_, ImportError>>()?;
    Ok(Channel { curve: Curve::Linear, keys, tangents: Vec::new() })
}

fn read_tracks(file: &SjsonNode, list: &SjsonNode) -> Result<AclFile, ImportError> {
    let (samples, rate_hz) = timing(list)?;
    let last = samples.saturating_sub(1).max(1);
    let mut tracks = Vec::new();
    for node in file.need("tracks")?.list()? {
        let kind = node.need("type")?;
        let kind = match kind.text()? {
            "float1f" => TrackKind::Float,
            "float2f" => TrackKind::Float2,
            "float3f" => TrackKind::Float3,
            "float4f" | "vector4f" => TrackKind::Float4,
            other => return Err(kind.fail(format!("the type {} is not known", Quote(other)))),
        };
        let data = node.need("data")?;
        if data.list()?.len() != samples {
            let found = data.list()?.len();
            return Err(data.fail(format!("{found} samples where num_samples is {samples}")));
        }
        let mut keys = Vec::with_capacity(data.list()?.len());
        for (i, sample) in data.list()?.iter().enumerate() {
            let from = sample.list()?;
            if from.len() != kind.components() {
                let (found, wanted) = (from.len(), kind.components());
                return Err(sample.fail(format!("{found} numbers where {wanted} should be")));
            }
            let mut value = [0.0; 4];
            for (to, from) in value.iter_mut().zip(from) {
                *to = number(from)?;
            }
            keys.push(UserKey { ratio: i as f64 / last as f64, value, step: false });
        }
        let name = node.get("name").map_or(Ok(""), SjsonNode::text)?.into();
        let track = RawUserTrack { name, kind, keys };
        track.validate().map_err(|e| data.fail(e.to_string()))?;
        tracks.push(track);
    }
    let name = list.get("name").map_or(Ok(""), SjsonNode::text)?.into();
    Ok(AclFile::Tracks { name, duration_s: last as f64 / rate_hz, tracks })
}
