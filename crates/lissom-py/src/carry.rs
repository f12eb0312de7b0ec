//! Objects as bytes, for pickle: Dask and multiprocessing carry them to other processes of the same version.
//!
//! What was cooked travels as a Lissom archive. What was authored travels in f64, exactly, in a plain form of our own
//! that is no file format: it may change with every version.

use crate::{
    clip::{ClipData, Motion},
    errors::{defect, format},
    skeleton::Body,
    track::TrackData,
};
use lissom::archive::{Archive, SectionKind};
use lissom_build::{
    archive::ArchiveWriter,
    exact::{Q4, Trs, V3},
    import::lsm,
    raw::{
        Channel, Curve, Key, RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, Tangents,
        TrackKind, UserKey,
    },
    scene::Marker,
};
use pyo3::prelude::*;
use std::sync::Arc;

const BODY: &[u8; 4] = b"LPB1";
const CLIP: &[u8; 4] = b"LPC1";
const TRACK: &[u8; 4] = b"LPT1";
const CURVES: [Curve; 5] = [Curve::Step, Curve::Linear, Curve::Slerp, Curve::Cubic, Curve::Hermite];

pub(crate) fn body_bytes(body: &Body) -> PyResult<Vec<u8>> {
    if body.cooked {
        let writer = ArchiveWriter::new().skeleton(&body.name, &body.built.skeleton);
        return writer.and_then(|w| w.finish()).map_err(defect);
    }
    let mut out = BODY.to_vec();
    put_body(&mut out, body);
    Ok(out)
}

pub(crate) fn body_of(bytes: &[u8]) -> PyResult<Body> {
    if let Some(rest) = bytes.strip_prefix(BODY) {
        return Reader(rest).whole(Reader::body);
    }
    first_body(&Archive::read(bytes).map_err(format)?)
}

fn first_body(archive: &Archive) -> PyResult<Body> {
    let (name, skeleton) = archive.skeletons().next().ok_or_else(broken)?;
    Ok(Body::of_archive(name, &*skeleton.map_err(format)?))
}

/// A clip as an archive of its own, or in f64.
pub(crate) fn clip_bytes(clip: &ClipData) -> PyResult<Vec<u8>> {
    match &clip.motion {
        Motion::Cooked(_) => clip_archive(clip),
        Motion::Authored(motion) => {
            let mut out = CLIP.to_vec();
            put_body(&mut out, &clip.body);
            put_motion(&mut out, motion);
            put_count(&mut out, clip.tracks.len());
            for track in &clip.tracks {
                put_track(&mut out, &track.raw());
            }
            put_count(&mut out, clip.markers.len());
            for marker in &clip.markers {
                put_text(&mut out, &marker.name);
                put_numbers(&mut out, &[marker.time_s, marker.duration_s]);
            }
            Ok(out)
        }
    }
}

/// A cooked clip with its skeleton, tracks and markers.
pub(crate) fn clip_archive(clip: &ClipData) -> PyResult<Vec<u8>> {
    let Motion::Cooked(cooked) = &clip.motion else { return Err(defect("this clip is not cooked")) };
    let write = || {
        let bytes = cooked.as_bytes();
        let version = lissom_build::archive::clip_version(bytes);
        let mut writer = ArchiveWriter::new()
            .skeleton(&clip.body.name, &clip.body.built.skeleton)?
            .clip(version, &clip.name, bytes.to_vec())?
            .markers(&clip.name, &clip.markers)?;
        for track in &clip.tracks {
            let raw = track.raw();
            writer = writer.track(&RawUserTrack { name: format!("{}/{}", clip.name, raw.name), ..raw })?;
        }
        writer.finish()
    };
    write().map_err(|error: lissom_build::archive::ArchiveWriteError| defect(error))
}

/// A cooked clip as keys again: what exporters take.
pub(crate) fn motion_of(clip: &ClipData) -> PyResult<(RawSkeleton, RawAnimation)> {
    if let Motion::Authored(motion) = &clip.motion {
        return Ok((clip.body.raw.clone(), (**motion).clone()));
    }
    let scene = lsm::read(&clip_archive(clip)?, &Default::default()).map_err(format)?;
    let skeleton = scene.skeletons.into_iter().next().ok_or_else(broken)?.skeleton;
    Ok((skeleton, scene.animations.into_iter().next().ok_or_else(broken)?.motion))
}

pub(crate) fn clip_of(bytes: &[u8]) -> PyResult<ClipData> {
    if let Some(rest) = bytes.strip_prefix(CLIP) {
        return Reader(rest).whole(|r| {
            let body = Arc::new(r.body()?);
            let motion = r.motion()?;
            motion.validate(body.joint_count()).ok()?;
            let tracks = r.list(|r| Some(TrackData::Authored(r.track()?)))?;
            let markers =
                r.list(|r| Some(Marker { name: r.text()?, time_s: r.number()?, duration_s: r.number()? }))?;
            Some(ClipData {
                name: motion.name.clone(),
                body,
                motion: Motion::Authored(Arc::new(motion)),
                tracks,
                markers,
            })
        });
    }
    let archive = Archive::read(bytes).map_err(format)?;
    let body = Arc::new(first_body(&archive)?);
    let (name, clip) = archive.clips().next().ok_or_else(broken)?;
    ClipData::of_archive(&archive, name, clip.map_err(format)?, body)
}

pub(crate) fn track_bytes(track: &TrackData) -> PyResult<Vec<u8>> {
    match track {
        TrackData::Authored(raw) => {
            let mut out = TRACK.to_vec();
            put_track(&mut out, raw);
            Ok(out)
        }
        TrackData::Cooked { .. } => {
            ArchiveWriter::new().track(&track.raw()).and_then(|w| w.finish()).map_err(defect)
        }
    }
}

pub(crate) fn track_of(bytes: &[u8]) -> PyResult<TrackData> {
    if let Some(rest) = bytes.strip_prefix(TRACK) {
        return Reader(rest).whole(|r| Some(TrackData::Authored(r.track()?)));
    }
    let archive = Archive::read(bytes).map_err(format)?;
    let name = archive.names(SectionKind::Track).next().ok_or_else(broken)?;
    Ok(TrackData::Cooked { name: name.to_owned(), track: archive.track(name).map_err(format)? })
}

fn broken() -> PyErr {
    format("these bytes are not those of a pickled lissom object")
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend((count as u64).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend(text.as_bytes());
}

fn put_numbers(out: &mut Vec<u8>, numbers: &[f64]) {
    numbers.iter().for_each(|n| out.extend(n.to_le_bytes()));
}

fn put_body(out: &mut Vec<u8>, body: &Body) {
    put_text(out, &body.name);
    put_count(out, body.raw.joints.len());
    for joint in &body.raw.joints {
        put_text(out, &joint.name);
        // A root has the count of all joints, which none can have.
        put_count(out, joint.parent.unwrap_or(body.raw.joints.len()));
        put_numbers(out, &crate::poses::trs_numbers(&joint.rest));
    }
}

fn put_motion(out: &mut Vec<u8>, motion: &RawAnimation) {
    fn channel<V: Copy, const N: usize>(out: &mut Vec<u8>, c: &Channel<V>, numbers: impl Fn(V) -> [f64; N]) {
        out.push(CURVES.iter().position(|curve| *curve == c.curve).unwrap_or_default() as u8);
        put_count(out, c.keys.len());
        for key in &c.keys {
            put_numbers(out, &[key.time_s]);
            put_numbers(out, &numbers(key.value));
        }
        for t in &c.tangents {
            put_numbers(out, &numbers(t.into));
            put_numbers(out, &numbers(t.out));
        }
    }
    let (vector, rotation) = (|v: V3| [v.x, v.y, v.z], |q: Q4| [q.x, q.y, q.z, q.w]);
    put_text(out, &motion.name);
    put_numbers(out, &[motion.duration_s]);
    out.extend([motion.looping, motion.additive].map(u8::from));
    put_count(out, motion.tracks.len());
    for track in &motion.tracks {
        channel(out, &track.translation, vector);
        channel(out, &track.rotation, rotation);
        channel(out, &track.scale, vector);
    }
}

fn put_track(out: &mut Vec<u8>, track: &RawUserTrack) {
    put_text(out, &track.name);
    put_count(out, track.kind.code() as usize);
    put_count(out, track.keys.len());
    for key in &track.keys {
        put_numbers(out, &[key.ratio]);
        put_numbers(out, &key.value);
        out.push(u8::from(key.step));
    }
}

/// What is left to read. `None`: these are not our bytes.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn whole<T>(mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> PyResult<T> {
        let value = read(&mut self);
        value.filter(|_| self.0.is_empty()).ok_or_else(broken)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.take()?)).ok()
    }

    fn number(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.take()?))
    }

    fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut numbers = [0.0; N];
        for n in &mut numbers {
            *n = self.number()?;
        }
        Some(numbers)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count()?;
        self.several(count, &mut one)
    }

    fn several<T>(&mut self, count: usize, one: &mut impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        // Everything takes a byte at least: no more is reserved than the bytes can fill.
        let mut list = Vec::with_capacity(count.min(self.0.len() / size_of::<T>().max(1) + 1));
        for _ in 0..count {
            list.push(one(self)?);
        }
        Some(list)
    }

    fn body(&mut self) -> Option<Body> {
        let name = self.text()?;
        let count = self.count()?;
        let joints = self.several(count, &mut |r| {
            let name = r.text()?;
            let parent = Some(r.count()?).filter(|p| *p != count);
            let [x, y, z, a, b, c, d, u, v, w] = r.numbers()?;
            let rest =
                Trs { translation: V3::new(x, y, z), rotation: Q4::new(a, b, c, d), scale: V3::new(u, v, w) };
            Some(RawJoint { name, parent, rest })
        })?;
        Body::new(name, RawSkeleton { joints }).ok()
    }

    fn channel<V, const N: usize>(&mut self, value: impl Fn([f64; N]) -> V) -> Option<Channel<V>> {
        let [curve] = self.take()?;
        let curve = *CURVES.get(usize::from(curve))?;
        let keys = self.list(|r| Some(Key { time_s: r.number()?, value: value(r.numbers()?) }))?;
        let count = if curve == Curve::Cubic { keys.len() } else { 0 };
        let mut tangent =
            |r: &mut Self| Some(Tangents { into: value(r.numbers()?), out: value(r.numbers()?) });
        let tangents = self.several(count, &mut tangent)?;
        Some(Channel { curve, keys, tangents })
    }

    fn motion(&mut self) -> Option<RawAnimation> {
        let (name, duration_s) = (self.text()?, self.number()?);
        let [looping, additive] = self.take()?;
        let vector = |[x, y, z]: [f64; 3]| V3::new(x, y, z);
        let tracks = self.list(|r| {
            Some(RawTrack {
                translation: r.channel(vector)?,
                rotation: r.channel(|[x, y, z, w]: [f64; 4]| Q4::new(x, y, z, w))?,
                scale: r.channel(vector)?,
            })
        })?;
        Some(RawAnimation { name, duration_s, looping: looping != 0, additive: additive != 0, tracks })
    }

    fn track(&mut self) -> Option<RawUserTrack> {
        let (name, code) = (self.text()?, self.count()?);
        let kind = TrackKind::ALL.into_iter().find(|kind| kind.code() as usize == code)?;
        let keys = self.list(|r| {
            let (ratio, value, [step]) = (r.number()?, r.numbers()?, r.take()?);
            Some(UserKey { ratio, value, step: step != 0 })
        })?;
        Some(RawUserTrack { name, kind, keys })
    }
}
