//! `.rawclip`: samples of a clip as plain numbers, for comparing compressors on identical input.
//!
//! Little-endian, no padding: magic `RCL1`; u32 joints J; u32 samples N; f32 rate in Hz; u32 flags (bit 0: rest
//! pose present, bit 1: shell and precision present); i32 × J parents, -1 for a root; if bit 0, f32 × 10 × J
//! rest pose; if bit 1, f32 × 2 × J shell distance and precision; f32 × 10 × J × N samples. Ten floats are
//! qx qy qz qw tx ty tz sx sy sz, local space. Sample i is at i / rate; between samples the motion is linear.
//! Joints have no names in the file; they are called by their index.

use super::{ImportError, Place, bytes::Bytes};
use crate::{
    exact::{Q4, Trs, V3},
    raw::{Channel, Curve, Key, RawAnimation, RawEditError, RawJoint, RawSkeleton, RawTrack},
};

const MAGIC: &[u8; 4] = b"RCL1";
const HAS_REST: u32 = 1;
const HAS_SHELL: u32 = 2;
/// Bytes of a transform.
const TRANSFORM: usize = 40;

/// What a `.rawclip` holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawClip {
    /// The joints, in file order. Without a rest pose in the file every rest transform is the identity.
    pub skeleton: RawSkeleton,
    /// True if the rest pose comes from the file.
    pub has_rest: bool,
    /// Samples per second.
    pub rate_hz: f64,
    /// Linear keys at every sample. A clip of one sample lasts 1 / rate.
    pub animation: RawAnimation,
    /// Per joint, if the file has them.
    pub precision: Option<Vec<WantedPrecision>>,
}

/// How exactly a joint wants to be stored, in the clip's unit of length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WantedPrecision {
    /// How far from the joint the error is measured.
    pub shell: f64,
    /// The largest error allowed there.
    pub precision: f64,
}

/// Reads a `.rawclip`.
///
/// # Errors
///
/// The first thing that is wrong, with its byte.
pub fn read(bytes: &[u8]) -> Result<RawClip, ImportError> {
    let mut bytes = Bytes::new(bytes, false);
    if !bytes.rest().starts_with(MAGIC) {
        let expected = "a raw clip (magic RCL1)";
        return Err(ImportError::NotThisFormat { place: Place::Byte(0), expected });
    }
    bytes.take(MAGIC.len(), "the magic")?;
    // A joint has its parent and one transform a sample.
    let joints = bytes.u32("the count of joints")?;
    let joints = bytes.room_for(joints, 4, "the count of joints")?;
    let samples_at = bytes.place();
    let samples = bytes.u32("the count of samples")?;
    let rate_at = bytes.place();
    let rate_hz = f64::from(bytes.f32("the rate")?);
    let flags_at = bytes.place();
    let flags = bytes.u32("the flags")?;
    let format = |place, reason: String| ImportError::Format { place, reason };
    if rate_hz <= 0.0 {
        return Err(format(rate_at, format!("the rate is {rate_hz} Hz; it must be above 0")));
    }
    if samples == 0 || joints == 0 {
        return Err(format(samples_at, format!("{joints} joints and {samples} samples: there must be some")));
    }
    if flags & !(HAS_REST | HAS_SHELL) != 0 {
        return Err(format(flags_at, format!("the flags are {flags:#x}; only bits 0 and 1 are known")));
    }
    let skeleton_at = bytes.place();
    let parents = bytes.many(joints, |b| b.u32("a joint's parent"))?;
    let mut skeleton = RawSkeleton::default();
    for (joint, parent) in parents.into_iter().enumerate() {
        // i32: negative means "none".
        let parent = (parent < 1 << 31).then_some(parent as usize);
        skeleton.joints.push(RawJoint { name: joint.to_string(), parent, rest: Trs::IDENTITY });
    }
    if flags & HAS_REST != 0 {
        for joint in &mut skeleton.joints {
            joint.rest = transform(&mut bytes, "the rest pose")?;
        }
    }
    skeleton.validate().map_err(|source| ImportError::Skeleton { place: skeleton_at, source })?;
    let precision = if flags & HAS_SHELL != 0 { Some(bytes.many(joints, joint_precision)?) } else { None };

    let animation_at = bytes.place();
    let each = joints.saturating_mul(TRANSFORM);
    let samples = bytes.room_for(samples, each, "the samples")?;
    let mut tracks = vec![RawTrack::default(); joints];
    for sample in 0..samples {
        let time_s = sample as f64 / rate_hz;
        for track in &mut tracks {
            let t = transform(&mut bytes, "a sample")?;
            track.translation.keys.push(Key { time_s, value: t.translation });
            track.rotation.keys.push(Key { time_s, value: t.rotation });
            track.scale.keys.push(Key { time_s, value: t.scale });
        }
    }
    if !bytes.rest().is_empty() {
        return Err(bytes.fail(format!("{} bytes too many after the last sample", bytes.rest().len())));
    }
    let duration_s = samples.saturating_sub(1).max(1) as f64 / rate_hz;
    let animation = RawAnimation { name: String::new(), duration_s, looping: false, additive: false, tracks };
    animation.validate(joints).map_err(|source| ImportError::Animation { place: animation_at, source })?;
    let has_rest = flags & HAS_REST != 0;
    Ok(RawClip { skeleton, has_rest, rate_hz, animation, precision })
}

fn transform(bytes: &mut Bytes<'_>, what: &'static str) -> Result<Trs, ImportError> {
    let [qx, qy, qz, qw, tx, ty, tz, sx, sy, sz] = bytes.f32s(what)?.map(f64::from);
    Ok(Trs {
        translation: V3::new(tx, ty, tz),
        rotation: Q4::new(qx, qy, qz, qw),
        scale: V3::new(sx, sy, sz),
    })
}

fn joint_precision(bytes: &mut Bytes<'_>) -> Result<WantedPrecision, ImportError> {
    let place = bytes.place();
    let [shell, precision] = bytes.f32s("a shell and a precision")?.map(f64::from);
    if shell < 0.0 || precision <= 0.0 {
        let reason = format!("a shell of {shell} with a precision of {precision}: at least 0 and above 0");
        return Err(ImportError::Format { place, reason });
    }
    Ok(WantedPrecision { shell, precision })
}

impl RawClip {
    /// The clip as a `.rawclip`: its animation sampled at its rate. A clip read from a file gives the same
    /// bytes again (a parent of "none" is written as -1).
    ///
    /// # Errors
    ///
    /// [`RawEditError::Rate`], [`RawEditError::TooManyKeys`]; [`RawEditError::Tracks`] if skeleton, tracks and
    /// precision differ in length or are empty.
    pub fn write(&self) -> Result<Vec<u8>, RawEditError> {
        let joints = self.skeleton.joints.len();
        let precisions = self.precision.as_ref().map_or(joints, Vec::len);
        for tracks in [self.animation.tracks.len(), precisions] {
            if tracks != joints || joints == 0 {
                return Err(RawEditError::Tracks { tracks, joints });
            }
        }
        let mut times = RawAnimation::fixed_rate_times(self.animation.duration_s, self.rate_hz)?;
        // A clip of one sample has a duration all the same.
        if self
            .animation
            .tracks
            .iter()
            .all(|t| one_key(&t.translation) && one_key(&t.rotation) && one_key(&t.scale))
        {
            times.truncate(1);
        }
        let mut out = MAGIC.to_vec();
        let mut number = |v: u32| out.extend_from_slice(&v.to_le_bytes());
        number(joints as u32);
        number(times.len() as u32);
        number((self.rate_hz as f32).to_bits());
        let rest = if self.has_rest { HAS_REST } else { 0 };
        number(rest | if self.precision.is_some() { HAS_SHELL } else { 0 });
        for joint in &self.skeleton.joints {
            number(joint.parent.map_or(u32::MAX, |p| p as u32));
        }
        if self.has_rest {
            self.skeleton.joints.iter().for_each(|j| put(&mut number, j.rest));
        }
        for WantedPrecision { shell, precision } in self.precision.iter().flatten() {
            number((*shell as f32).to_bits());
            number((*precision as f32).to_bits());
        }
        for (sample, time_s) in times.into_iter().enumerate() {
            for (track, joint) in self.animation.tracks.iter().zip(&self.skeleton.joints) {
                put(
                    &mut number,
                    Trs {
                        translation: at(&track.translation, sample, time_s).unwrap_or(joint.rest.translation),
                        rotation: at(&track.rotation, sample, time_s).unwrap_or(joint.rest.rotation),
                        scale: at(&track.scale, sample, time_s).unwrap_or(joint.rest.scale),
                    },
                );
            }
        }
        Ok(out)
    }
}

fn one_key<V>(channel: &Channel<V>) -> bool {
    channel.keys.len() < 2
}

/// The key of this sample as it stands where there is one, so that what was read is written again; a sample of
/// the curve elsewhere.
fn at<V: crate::raw::Value>(channel: &Channel<V>, sample: usize, time_s: f64) -> Option<V> {
    match channel.keys.get(sample) {
        Some(key) if key.time_s == time_s && channel.curve == Curve::Linear => Some(key.value),
        _ => channel.sample(time_s),
    }
}

fn put(number: &mut impl FnMut(u32), t: Trs) {
    let (q, p, s) = (t.rotation, t.translation, t.scale);
    for v in [q.x, q.y, q.z, q.w, p.x, p.y, p.z, s.x, s.y, s.z] {
        number((v as f32).to_bits());
    }
}
