//! BVH motion capture: any joint set, any order of channels, position channels on any joint.
//!
//! A joint's rotation is the product of its rotation channels in the order listed, angles in degrees. A position
//! channel replaces that component of the joint's OFFSET. The rest pose is the OFFSETs without rotation. End
//! sites become joints if asked for. Too few or too many numbers for the frames are an error, not a guess.

mod frames;
mod words;

use super::ImportError;
use crate::{
    exact::{Trs, V3},
    raw::{RawAnimation, RawJoint, RawSkeleton},
    text::quote::Quote,
};
use frames::Frames;
use lissom::MAX_JOINTS;
use std::borrow::Cow;
use words::Words;

/// Bytes of a joint's name, at most.
const LONGEST_NAME: usize = 256;

/// How to read a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BvhOptions {
    /// Lengths in the file times this. 1 by default; the format does not say its unit.
    pub scale: f64,
    /// Frames left out at the start, often a calibration pose. 0 by default.
    pub skip_frames: usize,
    /// True: end sites become joints, named after their parent with `_end`. False by default.
    pub end_sites: bool,
}

impl Default for BvhOptions {
    fn default() -> Self {
        Self { scale: 1.0, skip_frames: 0, end_sites: false }
    }
}

/// What a BVH file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    /// The joints, in file order.
    pub skeleton: RawSkeleton,
    /// The motion; `None` if the file has no frames.
    pub animation: Option<RawAnimation>,
    /// Seconds between frames.
    pub frame_time_s: f64,
}

/// Reads a BVH file.
///
/// # Errors
///
/// The first thing that is wrong, with its line.
pub fn read(bytes: &[u8], options: &BvhOptions) -> Result<Bvh, ImportError> {
    // Almost always it is text; only what is not is looked at byte by byte.
    let text = core::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    let mut words = Words::new(&text);
    let expected = "a BVH file (it starts with HIERARCHY)";
    if words.next().is_none_or(|w| !w.eq_ignore_ascii_case("HIERARCHY")) {
        return Err(ImportError::NotThisFormat { place: words.place(), expected });
    }
    let at_hierarchy = words.place();
    let (skeleton, channels) = hierarchy(&mut words, options)?;
    skeleton.validate().map_err(|source| ImportError::Skeleton { place: at_hierarchy, source })?;
    motion(&mut words, skeleton, &channels, options)
}

/// A brace that is open.
#[derive(Clone, Copy)]
struct Open {
    /// `None` for an end site that is left out.
    joint: Option<usize>,
    /// An end site: nothing stands below it.
    end: bool,
}

/// One number of a frame.
#[derive(Clone, Copy, Debug)]
enum BvhChannel {
    Position(BvhAxis),
    Rotation(BvhAxis),
}

#[derive(Clone, Copy, Debug)]
enum BvhAxis {
    X,
    Y,
    Z,
}

/// The channels of every joint, in file order, which is the order of a frame's numbers.
type BvhChannels = Vec<Vec<BvhChannel>>;

fn hierarchy(words: &mut Words<'_>, options: &BvhOptions) -> Result<(RawSkeleton, BvhChannels), ImportError> {
    let mut skeleton = RawSkeleton::default();
    let mut channels: BvhChannels = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    loop {
        let word = words.need("MOTION or a joint")?;
        let inside = open.last().copied();
        let upper = word.to_ascii_uppercase();
        match (upper.as_str(), inside) {
            ("MOTION", None) => return Ok((skeleton, channels)),
            ("ROOT", None) | ("JOINT" | "END", Some(Open { end: false, .. })) => {
                let parent = inside.and_then(|o| o.joint);
                let end = upper == "END";
                let mut name = words.name();
                // The names of end sites repeat their parents': together they stay within a few times the file.
                if name.len() > LONGEST_NAME {
                    let (found, allowed) = (name.len() as u64, LONGEST_NAME as u64);
                    let what = "the length of a joint's name";
                    return Err(ImportError::Limit { place: words.place(), what, found, allowed });
                }
                if end && let Some(parent) = parent.and_then(|p| skeleton.joints.get(p)) {
                    name = Cow::Owned(format!("{}_end", parent.name));
                }
                words.expect("{")?;
                if end && !options.end_sites {
                    open.push(Open { joint: None, end });
                    continue;
                }
                if skeleton.joints.len() >= MAX_JOINTS {
                    let (found, allowed) = ((MAX_JOINTS as u64).saturating_add(1), MAX_JOINTS as u64);
                    let place = words.place();
                    return Err(ImportError::Limit { place, what: "the count of joints", found, allowed });
                }
                open.push(Open { joint: Some(skeleton.joints.len()), end });
                skeleton.joints.push(RawJoint { name: name.into_owned(), parent, rest: Trs::IDENTITY });
                channels.push(Vec::new());
            }
            ("OFFSET", Some(Open { joint, .. })) => {
                let offset = V3::new(words.number()?, words.number()?, words.number()?);
                if let Some(joint) = joint.and_then(|j| skeleton.joints.get_mut(j)) {
                    joint.rest.translation =
                        V3::new(offset.x * options.scale, offset.y * options.scale, offset.z * options.scale);
                }
            }
            ("CHANNELS", Some(Open { joint, .. })) => {
                let count = words.count("the count of channels")?;
                for _ in 0..count {
                    let channel = words.channel()?;
                    if let Some(list) = joint.and_then(|j| channels.get_mut(j)) {
                        list.push(channel);
                    }
                }
            }
            ("}", Some(_)) => {
                open.pop();
            }
            _ => return Err(words.fail(format!("{} has no place here", Quote(word)))),
        }
    }
}

fn motion(
    words: &mut Words<'_>,
    skeleton: RawSkeleton,
    channels: &BvhChannels,
    options: &BvhOptions,
) -> Result<Bvh, ImportError> {
    words.expect("Frames:")?;
    let frames_at = words.place();
    let frames = words.count("the count of frames")?;
    words.expect("Frame")?;
    words.expect("Time:")?;
    let frame_time_s = words.number()?;
    if frame_time_s <= 0.0 {
        return Err(words.fail(format!("the frame time is {frame_time_s} s; it must be above 0")));
    }
    let width = channels.iter().fold(0usize, |sum, c| sum.saturating_add(c.len()));
    if width == 0 && frames > 0 {
        return Err(ImportError::Format { place: frames_at, reason: "frames of no channels".into() });
    }
    let numbers = words.numbers(frames.saturating_mul(width))?;
    if let Some(word) = words.next() {
        return Err(words.fail(format!("{} after the last of {frames} frames", Quote(word))));
    }
    let skipped = options.skip_frames.saturating_mul(width).min(numbers.len());
    let rows = numbers.get(skipped..).unwrap_or_default();
    let tracks = Frames { rows, width, frame_time_s, scale: options.scale }.tracks(&skeleton, channels);
    let kept = frames.saturating_sub(options.skip_frames);
    let animation = RawAnimation {
        name: String::new(),
        duration_s: kept.saturating_sub(1).max(1) as f64 * frame_time_s,
        looping: false,
        additive: false,
        tracks,
    };
    if kept > 0 {
        let joints = skeleton.joints.len();
        animation.validate(joints).map_err(|source| ImportError::Animation { place: frames_at, source })?;
    }
    Ok(Bvh { skeleton, animation: (kept > 0).then_some(animation), frame_time_s })
}
