//! Archives of ozz-animation, as its tools write them: skeletons (version 2), runtime animations (7), raw
//! animations (3), user tracks (1) and the meshes of its samples (1), in either byte order.
//!
//! An archive is one byte of byte order (1 little, 0 big), then objects, each a zero-terminated tag, a
//! version, and its data without padding. [`read`] gives them all, in file order.
//!
//! Runtime animations come out as the keys they hold, decoded exactly: half floats and 15-bit quaternion
//! components in f64, times as `timepoint · duration`. What their optimiser removed is gone; their jump
//! frames are skipped, since a cooked clip makes its own.
//!
//! ```
//! use lissom_build::import::{ImportError, ozz};
//!
//! assert!(matches!(ozz::read(b"no archive"), Err(ImportError::NotThisFormat { .. })));
//! ```

mod animation;
mod half;
mod mesh;
mod raw_animation;
mod scene;
mod skeleton;
mod track;

pub use mesh::{OzzMesh, OzzMeshPart};

use super::{ImportError, Place, bytes::Bytes};
use crate::raw::{RawAnimation, RawSkeleton, RawUserTrack};

/// Everything in one archive, in file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OzzArchive {
    /// True if the numbers were stored big-endian.
    pub big_endian: bool,
    /// The objects; at least one.
    pub objects: Vec<OzzObject>,
}

/// One object of an archive.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OzzObject {
    /// `ozz-skeleton`. Joints keep ozz's order (depth-first).
    Skeleton(RawSkeleton),
    /// `ozz-animation`: what an optimised, quantised animation holds.
    Animation(RawAnimation),
    /// `ozz-raw_animation`: what was authored.
    RawAnimation(RawAnimation),
    /// `ozz-float_track`, `ozz-float2_track`, `ozz-float3_track`, `ozz-float4_track`, `ozz-quat_track`.
    Track(RawUserTrack),
    /// `ozz-sample-Mesh`.
    Mesh(OzzMesh),
}

/// The start of every tag.
const TAG: &[u8] = b"ozz-";
/// The longest tag known is 17 bytes long.
const LONGEST_TAG: usize = 64;

/// Reads a whole archive.
///
/// # Errors
///
/// [`ImportError::NotThisFormat`] if the first bytes are not an ozz archive's; otherwise the first thing that
/// is wrong, with its byte.
pub fn read(bytes: &[u8]) -> Result<OzzArchive, ImportError> {
    let expected = "an ozz archive (a byte of byte order, 0 or 1, then a tag that starts with \"ozz-\")";
    let not_ozz = |offset| ImportError::NotThisFormat { place: Place::Byte(offset), expected };
    let mut bytes = Bytes::new(bytes, false);
    let big_endian = match bytes.u8("the byte order") {
        Ok(0) => true,
        Ok(1) => false,
        _ => return Err(not_ozz(0)),
    };
    if !bytes.rest().starts_with(TAG) {
        return Err(not_ozz(1));
    }
    bytes.set_big_endian(big_endian);
    let mut objects = Vec::new();
    while !bytes.rest().is_empty() {
        objects.push(object(&mut bytes)?);
    }
    Ok(OzzArchive { big_endian, objects })
}

fn object(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    let start = bytes.place();
    let length = bytes.rest().iter().take(LONGEST_TAG).position(|b| *b == 0);
    let Some(length) = length else {
        return Err(bytes.fail("there is no zero-terminated tag where an object should start"));
    };
    let tag = bytes.take(length, "a tag")?;
    bytes.u8("the end of a tag")?;
    let name = || String::from_utf8_lossy(tag).into_owned();
    let read: fn(&mut Bytes<'_>) -> Result<OzzObject, ImportError> = match tag {
        b"ozz-skeleton" => skeleton::read,
        b"ozz-animation" => animation::read,
        b"ozz-raw_animation" => raw_animation::read,
        b"ozz-float_track" => track::read_float,
        b"ozz-float2_track" => track::read_float2,
        b"ozz-float3_track" => track::read_float3,
        b"ozz-float4_track" => track::read_float4,
        b"ozz-quat_track" => track::read_quat,
        b"ozz-sample-Mesh" => mesh::read,
        _ => {
            let reason = format!("an object with the tag {:?} is not known", name());
            return Err(ImportError::Format { place: start, reason });
        }
    };
    let known = match tag {
        b"ozz-skeleton" => (2, "2"),
        b"ozz-animation" => (7, "7"),
        b"ozz-raw_animation" => (3, "3"),
        _ => (1, "1"),
    };
    let place = bytes.place();
    let found = bytes.u32("a version")?;
    if found != known.0 {
        return Err(ImportError::Version { place, what: name(), found, known: known.1 });
    }
    read(bytes)
}

/// Text as its tools store it. What is not UTF-8 is replaced, not refused: names are only names.
fn text(bytes: &mut Bytes<'_>, length: usize, what: &'static str) -> Result<String, ImportError> {
    Ok(String::from_utf8_lossy(bytes.take(length, what)?).into_owned())
}

impl OzzArchive {
    /// The skeletons, in file order.
    pub fn skeletons(&self) -> impl Iterator<Item = &RawSkeleton> {
        self.objects.iter().filter_map(|o| if let OzzObject::Skeleton(s) = o { Some(s) } else { None })
    }

    /// The animations, optimised or raw, in file order.
    pub fn animations(&self) -> impl Iterator<Item = &RawAnimation> {
        self.objects.iter().filter_map(|o| match o {
            OzzObject::Animation(a) | OzzObject::RawAnimation(a) => Some(a),
            _ => None,
        })
    }

    /// The user tracks, in file order.
    pub fn tracks(&self) -> impl Iterator<Item = &RawUserTrack> {
        self.objects.iter().filter_map(|o| if let OzzObject::Track(t) = o { Some(t) } else { None })
    }

    /// The meshes, in file order.
    pub fn meshes(&self) -> impl Iterator<Item = &OzzMesh> {
        self.objects.iter().filter_map(|o| if let OzzObject::Mesh(m) = o { Some(m) } else { None })
    }
}
