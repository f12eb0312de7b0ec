//! BVH motion capture: any joint set, any order of channels, position channels on any joint.
//!
//! A joint's rotation is the product of its rotation channels in the order listed, angles in degrees. A position
//! channel replaces that component of the joint's OFFSET. The rest pose is the OFFSETs without rotation. End
//! sites become joints if asked for. Too few or too many numbers for the frames are an error, not a guess.

use super::{ImportError, Place};
use crate::{
    exact::{Q4, Trs, V3},
    quote::Quote,
    raw::{Key, RawAnimation, RawJoint, RawSkeleton, RawTrack},
};
use lissom::MAX_JOINTS;
use std::borrow::Cow;

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
    let text = String::from_utf8_lossy(bytes);
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
#[derive(Clone, Copy)]
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
    let mut first = 0usize;
    let tracks = skeleton.joints.iter().zip(channels).map(|(joint, channels)| {
        let own = first..first.saturating_add(channels.len());
        first = own.end;
        let frames = numbers.chunks_exact(width.max(1)).skip(options.skip_frames);
        track(joint.rest, channels, frames.filter_map(|frame| frame.get(own.clone())), frame_time_s, options)
    });
    let tracks = tracks.collect();
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

/// One joint's keys, of its own numbers in every frame.
fn track<'a>(
    rest: Trs,
    channels: &[BvhChannel],
    frames: impl Iterator<Item = &'a [f64]>,
    frame_time_s: f64,
    options: &BvhOptions,
) -> RawTrack {
    let mut track = RawTrack::default();
    let moves = channels.iter().any(|c| matches!(c, BvhChannel::Position(_)));
    let turns = channels.iter().any(|c| matches!(c, BvhChannel::Rotation(_)));
    let count = frames.size_hint().1.unwrap_or_default();
    track.translation.keys.reserve_exact(if moves { count } else { 0 });
    track.rotation.keys.reserve_exact(if turns { count } else { 0 });
    let mut before = None;
    for (frame, numbers) in frames.enumerate() {
        let mut local = rest;
        for (channel, value) in channels.iter().zip(numbers) {
            match channel {
                BvhChannel::Position(axis) => *axis.of(&mut local.translation) = value * options.scale,
                BvhChannel::Rotation(axis) => local.rotation = axis.turned(local.rotation, *value),
            }
        }
        let time_s = frame as f64 * frame_time_s;
        if moves {
            track.translation.keys.push(Key { time_s, value: local.translation });
        }
        if turns {
            let value = before.map_or(local.rotation, |before| local.rotation.near(before));
            before = Some(value);
            track.rotation.keys.push(Key { time_s, value });
        }
    }
    track
}

/// The sine and cosine of half an angle in degrees, within 2e-16. Quarter turns are exact.
///
/// A file has one of these for every number, and they are what reading it costs: a reduction in degrees needs no long
/// arithmetic, and both series run side by side.
fn half_angle(degrees: f64) -> (f64, f64) {
    /// Adding it rounds to an integer.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const MOST: f64 = 1e6;
    if degrees.abs() >= MOST {
        return libm::sincos(degrees.to_radians() * 0.5);
    }
    let quarters = degrees / 180.0;
    let whole = (quarters + ROUND) - ROUND;
    let x = (quarters - whole) * core::f64::consts::FRAC_PI_2;
    // The series of both, to terms below 1e-17 at an eighth of a turn: 1 / 3!, 1 / 5!, ... and 1 / 2!, 1 / 4!, ...
    let y = x * x;
    let mut s = 1.0 / 355_687_428_096_000.0;
    let mut c = 1.0 / 20_922_789_888_000.0;
    for (odd, even) in SERIES {
        s = odd - y * s;
        c = even - y * c;
    }
    let (s, c) = (x * s, c);
    let quarter = whole as i64;
    let (s, c) = if quarter & 1 == 0 { (s, c) } else { (c, s) };
    (if quarter & 2 == 0 { s } else { -s }, if quarter.wrapping_add(1) & 2 == 0 { c } else { -c })
}

/// One over the odd factorials and the even ones, downwards, with all signs taken into the sum.
const SERIES: [(f64, f64); 8] = [
    (1.0 / 1_307_674_368_000.0, 1.0 / 87_178_291_200.0),
    (1.0 / 6_227_020_800.0, 1.0 / 479_001_600.0),
    (1.0 / 39_916_800.0, 1.0 / 3_628_800.0),
    (1.0 / 362_880.0, 1.0 / 40_320.0),
    (1.0 / 5_040.0, 1.0 / 720.0),
    (1.0 / 120.0, 1.0 / 24.0),
    (1.0 / 6.0, 1.0 / 2.0),
    (1.0, 1.0),
];

impl BvhAxis {
    fn of(self, v: &mut V3) -> &mut f64 {
        match self {
            Self::X => &mut v.x,
            Self::Y => &mut v.y,
            Self::Z => &mut v.z,
        }
    }

    /// `q` times a turn about this axis.
    fn turned(self, q: Q4, degrees: f64) -> Q4 {
        let (s, c) = half_angle(degrees);
        match self {
            Self::X => Q4::new(q.x * c + q.w * s, q.y * c + q.z * s, q.z * c - q.y * s, q.w * c - q.x * s),
            Self::Y => Q4::new(q.x * c - q.z * s, q.y * c + q.w * s, q.z * c + q.x * s, q.w * c - q.y * s),
            Self::Z => Q4::new(q.x * c + q.y * s, q.y * c - q.x * s, q.z * c + q.w * s, q.w * c - q.z * s),
        }
    }
}

/// Powers of ten that f64 holds exactly.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// What `text` starts with, and what comes after: a number as almost all are, a sign, digits and a point, so few that
/// f64 holds them as an integer. One exact division then rounds once: the same f64 as `str::parse` gives. `None` for
/// every other word.
fn plain_number(text: &[u8]) -> Option<(f64, &[u8])> {
    fn digits(mut rest: &[u8], mut value: u64) -> (u64, &[u8]) {
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            // What wraps has more than 19 digits and is not used.
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit & 15));
            rest = after;
        }
        (value, rest)
    }
    let (negative, start) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (value, rest) = digits(start, 0);
    let mut count = start.len().saturating_sub(rest.len());
    let (mut value, mut rest, mut places) = (value, rest, 0);
    if let [b'.', fraction @ ..] = rest {
        (value, rest) = digits(fraction, value);
        places = fraction.len().saturating_sub(rest.len());
        count = count.saturating_add(places);
    }
    let ends = rest.first().is_none_or(|b| is_space(*b));
    if !ends || count == 0 || count > 19 || value > 1 << 53 {
        return None;
    }
    let number = value as f64 / TENS.get(places)?;
    Some((if negative { -number } else { number }, rest))
}

/// What `char::is_whitespace` says of ASCII.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Words and where they stand. Lines are counted when somebody asks.
struct Words<'a> {
    text: &'a str,
    /// After the last word.
    rest: &'a str,
    /// Where the last word starts; `None` after the end.
    word: Option<usize>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, rest: text, word: Some(0) }
    }

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let Some(word) = rest.split(char::is_whitespace).next().filter(|word| !word.is_empty()) else {
            (self.rest, self.word) = ("", None);
            return None;
        };
        self.word = Some(self.text.len().saturating_sub(rest.len()));
        self.rest = rest.get(word.len()..).unwrap_or_default();
        Some(word)
    }

    /// The line of the last word; after the end, the last line.
    fn line(&self) -> u64 {
        let before = self.word.and_then(|at| self.text.as_bytes().get(..at));
        let lines = match before {
            Some(before) => before.iter().filter(|b| **b == b'\n').count().saturating_add(1),
            None => self.text.lines().count(),
        };
        lines as u64
    }

    fn place(&self) -> Place {
        Place::Line(self.line())
    }

    fn fail(&self, reason: impl Into<String>) -> ImportError {
        ImportError::Format { place: self.place(), reason: reason.into() }
    }

    fn need(&mut self, what: &str) -> Result<&'a str, ImportError> {
        self.next().ok_or_else(|| self.fail(format!("the file ends where {what} should be")))
    }

    fn expect(&mut self, wanted: &str) -> Result<(), ImportError> {
        let word = self.need(wanted)?;
        if word.eq_ignore_ascii_case(wanted) {
            Ok(())
        } else {
            Err(self.fail(format!("{} where {wanted:?} should be", Quote(word))))
        }
    }

    fn number(&mut self) -> Result<f64, ImportError> {
        let word = self.need("a number")?;
        match word.parse::<f64>() {
            Ok(number) if (number as f32).is_finite() => Ok(number),
            _ => Err(self.fail(format!("{} is not a finite number", Quote(word)))),
        }
    }

    /// What is left is `rest`, an end of the text.
    fn go_to(&mut self, rest: &[u8]) {
        let at = self.text.len().saturating_sub(rest.len());
        self.rest = self.text.get(at..).unwrap_or_default();
    }

    /// The next numbers, as one array.
    fn numbers(&mut self, count: usize) -> Result<Vec<f64>, ImportError> {
        // A number and a space are two bytes: no more is reserved than the file can fill.
        let possible = (self.rest.len() / 2).saturating_add(1);
        let mut numbers = Vec::with_capacity(count.min(possible));
        let mut bytes = self.rest.as_bytes();
        while numbers.len() < count {
            while let [b, after @ ..] = bytes
                && is_space(*b)
            {
                bytes = after;
            }
            if let Some((number, after)) = plain_number(bytes) {
                numbers.push(number);
                bytes = after;
            } else {
                self.go_to(bytes);
                numbers.push(self.number()?);
                bytes = self.rest.as_bytes();
            }
        }
        self.go_to(bytes);
        Ok(numbers)
    }

    fn count(&mut self, what: &str) -> Result<usize, ImportError> {
        let word = self.need(what)?;
        word.parse().map_err(|_| self.fail(format!("{what} is {}, not a count", Quote(word))))
    }

    fn channel(&mut self) -> Result<BvhChannel, ImportError> {
        let word = self.need("a channel")?;
        let known = [
            ("Xposition", BvhChannel::Position(BvhAxis::X)),
            ("Yposition", BvhChannel::Position(BvhAxis::Y)),
            ("Zposition", BvhChannel::Position(BvhAxis::Z)),
            ("Xrotation", BvhChannel::Rotation(BvhAxis::X)),
            ("Yrotation", BvhChannel::Rotation(BvhAxis::Y)),
            ("Zrotation", BvhChannel::Rotation(BvhAxis::Z)),
        ];
        let channel = known.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
        channel.map(|(_, c)| *c).ok_or_else(|| self.fail(format!("{} is not a channel", Quote(word))))
    }

    /// The rest of the line up to a brace: names may hold spaces.
    fn name(&mut self) -> Cow<'a, str> {
        let line = self.rest.split('\n').next().unwrap_or_default();
        let mut name: Cow<'a, str> = Cow::Borrowed("");
        let mut rest = line;
        loop {
            let start = rest.trim_start();
            let word = start.split(char::is_whitespace).next().unwrap_or_default();
            if word.is_empty() || word == "{" {
                break;
            }
            rest = start.get(word.len()..).unwrap_or_default();
            if name.is_empty() {
                name = Cow::Borrowed(word);
            } else {
                let name = name.to_mut();
                name.push(' ');
                name.push_str(word);
            }
        }
        let read = line.len().saturating_sub(rest.len());
        self.rest = self.rest.get(read..).unwrap_or_default();
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "HIERARCHY
ROOT Hips
{
\tOFFSET 1 2 3
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Left Leg {
\t\tOFFSET 0 -4 0
\t\tCHANNELS 2 Yrotation Yposition
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -5 0
\t\t}
\t}
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0 0 0 0 0 -4
10 20 30 90 0 0 180 -6
1 1 1 90 90 0 350 -4
";

    fn parse(text: &str) -> Result<Bvh, ImportError> {
        read(text.as_bytes(), &BvhOptions::default())
    }

    #[test]
    fn channels_come_in_any_order_and_positions_on_any_joint() {
        let bvh = parse(FILE).unwrap();
        let names: Vec<_> = bvh.skeleton.joints.iter().map(|j| (j.name.as_str(), j.parent)).collect();
        assert_eq!(names, [("Hips", None), ("Left Leg", Some(0))]);
        assert_eq!(bvh.skeleton.joints[0].rest.translation, V3::new(1.0, 2.0, 3.0));
        let a = bvh.animation.unwrap();
        assert_eq!(a.duration_s, 1.0);
        let at = |joint: usize, t: f64| a.tracks[joint].sample(t, bvh.skeleton.joints[joint].rest);
        assert_eq!(at(0, 0.5).translation, V3::new(10.0, 20.0, 30.0));
        // Only y is animated: x and z stay at the OFFSET.
        assert_eq!(at(1, 0.5).translation, V3::new(0.0, -6.0, 0.0));
        // Z by 90 degrees, then X by 90 in the turned frame: y goes to z.
        let turned = at(0, 1.0).rotation.rotate(V3::Y);
        assert!((turned - V3::Z).length() < 1e-12);
        // 180 to 350 degrees, the shorter way, on one hemisphere.
        let keys = &a.tracks[1].rotation.keys;
        assert!(keys[1].value.dot(keys[2].value) >= 0.0);
    }

    #[test]
    fn options_scale_skip_and_keep_end_sites() {
        let options = BvhOptions { scale: 0.01, skip_frames: 1, end_sites: true };
        let bvh = read(FILE.as_bytes(), &options).unwrap();
        assert_eq!(bvh.skeleton.joints[2].name, "Left Leg_end");
        assert_eq!(bvh.skeleton.joints[2].rest.translation, V3::new(0.0, -5.0 * 0.01, 0.0));
        let a = bvh.animation.unwrap();
        assert_eq!((a.duration_s, a.tracks[0].translation.keys.len()), (0.5, 2));
        assert_eq!(a.tracks[0].translation.keys[0].value, V3::new(0.1, 0.2, 0.3));
        let none = read(FILE.as_bytes(), &BvhOptions { skip_frames: 3, ..options }).unwrap();
        assert_eq!(none.animation, None);
    }

    #[test]
    fn numbers_are_the_same_as_the_standard_library_reads() {
        let mut words: Vec<String> =
            ["0", "-0", "-0.0", "5.", ".5", "-.5", "1e3", "-2.5E-3", "+7", "0.1", "00012.500"]
                .map(str::to_owned)
                .to_vec();
        words.extend(
            ["9007199254740992", "9007199254740993", "0.9007199254740993", "12345678901234567890"]
                .map(str::to_owned),
        );
        words.extend(
            ["0.0000000000000000000000000001", "1234567890.123456789", "0.30000000000000004"]
                .map(str::to_owned),
        );
        // A plain generator: every count of digits before and after the point.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for round in 0..20_000_usize {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let digits = format!("{:019}", state >> 1);
            let (length, point) = (1 + round % 19, round / 19 % 12);
            let word = format!(
                "{}{}.{}",
                if round % 2 == 0 { "-" } else { "" },
                &digits[..length.min(point)],
                &digits[..length]
            );
            words.push(word);
        }
        let text = words.join(" \n\t ");
        let read = Words::new(&text).numbers(words.len()).unwrap();
        assert_eq!(read.len(), words.len());
        for (word, number) in words.iter().zip(read) {
            assert_eq!(word.parse::<f64>().unwrap().to_bits(), number.to_bits(), "{word}");
        }
        for word in ["", "-", ".", "1.2.3", "1-2", "0x10", "nan", "inf", "1e40"] {
            assert!(Words::new(word).numbers(1).is_err(), "{word}");
        }
        // Spaces of other scripts part words too.
        assert_eq!(Words::new("1\u{a0}2\u{2003}-3").numbers(3).unwrap(), [1.0, 2.0, -3.0]);
    }

    #[test]
    fn turns_are_those_of_the_library_and_quarters_exact() {
        let mut worst = 0.0_f64;
        let angles = (-40_000..40_000).map(|i| f64::from(i) * 0.0317);
        for degrees in angles.chain([1e5 + 0.1, -999_999.9, 1e6, 1e30, 4e-5, 1e-300]) {
            let (s, c) = half_angle(degrees);
            let (t, d) = libm::sincos(degrees.to_radians() * 0.5);
            // The radians of a large angle are rounded, degrees are not.
            let allowed = 4e-16 + degrees.abs() * 2e-18;
            assert!((s - t).abs() < allowed && (c - d).abs() < allowed, "{degrees}: {s} {t}, {c} {d}");
            worst = crate::exact::larger(worst, (s * s + c * c - 1.0).abs());
        }
        assert!(worst < 1e-15, "{worst}");
        let root = 0.5_f64.sqrt();
        assert_eq!(half_angle(0.0), (0.0, 1.0));
        assert_eq!(half_angle(180.0), (1.0, 0.0));
        assert_eq!(half_angle(360.0), (0.0, -1.0));
        assert_eq!(half_angle(-180.0), (-1.0, 0.0));
        assert!((half_angle(90.0).0 - root).abs() < 2e-16 && (half_angle(90.0).1 - root).abs() < 2e-16);
        for axis in [BvhAxis::X, BvhAxis::Y, BvhAxis::Z] {
            let q = Q4::new(0.1, -0.7, 0.5, 0.5).normalize();
            let v = [V3::X, V3::Y, V3::Z][axis as usize];
            let expected = q * Q4::from_axis_angle(v, 37.5_f64.to_radians());
            let found = axis.turned(q, 37.5);
            assert!(found.dot(expected) > 1.0 - 1e-15 && (found.x - expected.x).abs() < 1e-15, "{axis:?}");
        }
    }

    #[test]
    fn every_truncation_between_numbers_is_an_error() {
        // The last number may be cut inside and still be a number.
        for length in 0..FILE.len() - 3 {
            let short = &FILE[..length];
            assert!(parse(short).is_err(), "{length}");
        }
    }

    #[test]
    fn no_single_byte_can_do_harm() {
        let mut bytes = FILE.as_bytes().to_vec();
        for at in 0..bytes.len() {
            let was = bytes[at];
            for other in 0..=255 {
                bytes[at] = other;
                let _ = read(&bytes, &BvhOptions::default());
            }
            bytes[at] = was;
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let with = |from: &str, to: &str| parse(&FILE.replacen(from, to, 1)).unwrap_err().to_string();
        assert_eq!(with("HIERARCHY", "MOTION"), "line 1: this is not a BVH file (it starts with HIERARCHY)");
        assert_eq!(
            with("Yrotation Yposition", "Wrotation Yposition"),
            "line 8: \"Wrotation\" is not a channel"
        );
        assert_eq!(with("-4 0\n", "-4 nan\n"), "line 7: \"nan\" is not a finite number");
        assert_eq!(with("Time: 0.5", "Time: 0"), "line 17: the frame time is 0 s; it must be above 0");
        assert_eq!(with("Frames: 3", "Frames: -3"), "line 16: the count of frames is \"-3\", not a count");
        assert_eq!(with("Frames: 3", "Frames: 2"), "line 20: \"1\" after the last of 2 frames");
        let many = with("Frames: 3", "Frames: 18446744073709551615");
        assert_eq!(many, "line 20: the file ends where a number should be");
        assert_eq!(with("End Site", "ROOT Site"), "line 9: \"ROOT\" has no place here");
        let deep = "JOINT a {\n".repeat(MAX_JOINTS + 5);
        let deep = format!("HIERARCHY ROOT r {{\n{deep}");
        assert!(matches!(parse(&deep), Err(ImportError::Limit { .. })));
    }

    #[test]
    fn names_of_end_sites_cannot_pile_up() {
        let options = BvhOptions { end_sites: true, ..BvhOptions::default() };
        let refused = |text: String| read(text.as_bytes(), &options).unwrap_err().to_string();
        // Every level would repeat the names of all above it.
        let nested = format!("HIERARCHY ROOT r {{\n{}", "END x {\n".repeat(1000));
        assert_eq!(refused(nested), "line 3: \"END\" has no place here");
        let long = format!("HIERARCHY ROOT {} {{\n{}", "r".repeat(100_000), "END x { }\n".repeat(1000));
        assert_eq!(
            refused(long),
            "line 1: the length of a joint's name is 100000, but at most 256 is possible"
        );
    }
}
