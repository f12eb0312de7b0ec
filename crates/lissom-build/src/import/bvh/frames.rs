//! Keys out of frames: turns of all joints, a block of frames at a time.
//!
//! A file has an angle for almost every number, and these are what reading it costs. So the same is done to many at once: the frames
//! of a block stay in the cache while joint after joint takes its own numbers out of them, and every step is a plain loop over one
//! array a number, which a compiler makes wide. [`half_angle`] is the same for one angle, and the bits are the same.

use super::{BvhAxis, BvhChannel, BvhChannels};
use crate::{
    exact::{Q4, Trs, V3},
    raw::{Key, RawSkeleton, RawTrack},
};

/// Frames that are turned at once: those of a hundred channels fit into the first cache.
const BLOCK: usize = 32;

/// A number of every frame of a block.
type Lane = [f64; BLOCK];

/// All frames, one after the other.
pub(super) struct Frames<'a> {
    pub rows: &'a [f64],
    /// Numbers a frame.
    pub width: usize,
    pub frame_time_s: f64,
    /// Lengths times this.
    pub scale: f64,
}

impl Frames<'_> {
    /// The keys of every joint.
    pub fn tracks(&self, skeleton: &RawSkeleton, channels: &BvhChannels) -> Vec<RawTrack> {
        let width = self.width.max(1);
        let count = self.rows.chunks_exact(width).len();
        let mut tracks: Vec<RawTrack> = channels.iter().map(|own| room(own, count)).collect();
        let (mut lane, mut first_frame) = ([0.0; BLOCK], 0usize);
        for block in self.rows.chunks(width.saturating_mul(BLOCK)) {
            let mut next = 0usize;
            let frames = block.chunks_exact(width).len();
            for ((joint, own), track) in skeleton.joints.iter().zip(channels).zip(&mut tracks) {
                let mut local = Local::new(joint.rest);
                for channel in own {
                    for (value, row) in lane.iter_mut().zip(block.chunks_exact(width)) {
                        *value = row.get(next).copied().unwrap_or_default();
                    }
                    next = next.saturating_add(1);
                    match channel {
                        BvhChannel::Position(axis) => local.place(*axis, &lane, self.scale),
                        BvhChannel::Rotation(axis) => local.turn(*axis, &lane),
                    }
                }
                local.keep(track, first_frame, frames, self.frame_time_s, own);
            }
            first_frame = first_frame.saturating_add(BLOCK);
        }
        tracks
    }
}

fn moves(channels: &[BvhChannel]) -> bool {
    channels.iter().any(|channel| matches!(channel, BvhChannel::Position(_)))
}

fn turns(channels: &[BvhChannel]) -> bool {
    channels.iter().any(|channel| matches!(channel, BvhChannel::Rotation(_)))
}

/// Room for all keys.
fn room(channels: &[BvhChannel], count: usize) -> RawTrack {
    let mut track = RawTrack::default();
    track.translation.keys.reserve_exact(if moves(channels) { count } else { 0 });
    track.rotation.keys.reserve_exact(if turns(channels) { count } else { 0 });
    track
}

/// A joint in every frame of a block.
struct Local {
    places: [Lane; 3],
    /// x, y, z, w.
    rotations: [Lane; 4],
}

impl Local {
    fn new(rest: Trs) -> Self {
        let (place, turn) = (rest.translation, rest.rotation);
        Self {
            places: [place.x, place.y, place.z].map(|v| [v; BLOCK]),
            rotations: [turn.x, turn.y, turn.z, turn.w].map(|v| [v; BLOCK]),
        }
    }

    fn place(&mut self, axis: BvhAxis, values: &Lane, scale: f64) {
        let [x, y, z] = &mut self.places;
        let own = match axis {
            BvhAxis::X => x,
            BvhAxis::Y => y,
            BvhAxis::Z => z,
        };
        *own = values.map(|value| value * scale);
    }

    /// Each times a turn about this axis.
    fn turn(&mut self, axis: BvhAxis, degrees: &Lane) {
        let (sines, cosines) = half_angles(degrees);
        let [x, y, z, w] = &mut self.rotations;
        // One formula for all three, its names moved on.
        let (own, next, last) = match axis {
            BvhAxis::X => (x, y, z),
            BvhAxis::Y => (y, z, x),
            BvhAxis::Z => (z, x, y),
        };
        turn(own, next, last, w, &sines, &cosines);
    }

    /// Adds the keys of the block's frames.
    fn keep(
        self,
        track: &mut RawTrack,
        first_frame: usize,
        count: usize,
        frame_time_s: f64,
        channels: &[BvhChannel],
    ) {
        let time_s = |frame: usize| first_frame.saturating_add(frame) as f64 * frame_time_s;
        if moves(channels) {
            let [x, y, z] = &self.places;
            let values = x.iter().zip(y).zip(z).map(|((x, y), z)| V3::new(*x, *y, *z));
            let keys = values.take(count).enumerate();
            track.translation.keys.extend(keys.map(|(frame, value)| Key { time_s: time_s(frame), value }));
        }
        if turns(channels) {
            let mut before = track.rotation.keys.last().map(|key| key.value);
            let [x, y, z, w] = &self.rotations;
            let values = x.iter().zip(y).zip(z).zip(w).map(|(((x, y), z), w)| Q4::new(*x, *y, *z, *w));
            let keys = values.take(count).enumerate();
            track.rotation.keys.extend(keys.map(|(frame, value)| {
                let value = before.map_or(value, |before| value.near(before));
                before = Some(value);
                Key { time_s: time_s(frame), value }
            }));
        }
    }
}

/// Quaternions times a turn about one axis, which comes before the next in the order x, y, z, x, …
fn turn(own: &mut Lane, next: &mut Lane, last: &mut Lane, w: &mut Lane, sines: &Lane, cosines: &Lane) {
    let all = own.iter_mut().zip(next).zip(last).zip(w).zip(sines).zip(cosines);
    for (((((own, next), last), w), s), c) in all {
        let (a, b, d, e) = (*own, *next, *last, *w);
        *own = a * c + e * s;
        *next = b * c + d * s;
        *last = d * c - b * s;
        *w = e * c - a * s;
    }
}

/// Adding it rounds to an integer, whose lowest bits are then the lowest of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// From here on degrees are too coarse for the series.
const MOST: f64 = 1e6;

/// The sines and cosines of half angles in degrees; [`half_angle`] for each.
fn half_angles(degrees: &Lane) -> (Lane, Lane) {
    let (mut sines, mut cosines) = ([0.0; BLOCK], [0.0; BLOCK]);
    for ((degrees, s), c) in degrees.iter().zip(&mut sines).zip(&mut cosines) {
        (*s, *c) = small_half_angle(*degrees);
    }
    if degrees.iter().any(|degrees| degrees.abs() >= MOST) {
        for ((degrees, s), c) in degrees.iter().zip(&mut sines).zip(&mut cosines) {
            (*s, *c) = half_angle(*degrees);
        }
    }
    (sines, cosines)
}

/// The sine and cosine of half an angle in degrees, within 2e-16. Quarter turns are exact.
fn half_angle(degrees: f64) -> (f64, f64) {
    if degrees.abs() >= MOST { libm::sincos(degrees.to_radians() * 0.5) } else { small_half_angle(degrees) }
}

/// A reduction in degrees needs no long arithmetic, both series run side by side, and nothing branches.
fn small_half_angle(degrees: f64) -> (f64, f64) {
    let quarters = degrees / 180.0;
    let sum = quarters + ROUND;
    let x = (quarters - (sum - ROUND)) * core::f64::consts::FRAC_PI_2;
    // The series of both, to terms below 1e-17 at an eighth of a turn: 1 / 3!, 1 / 5!, ... and 1 / 2!, 1 / 4!, ...
    let y = x * x;
    let mut s = 1.0 / 355_687_428_096_000.0;
    let mut c = 1.0 / 20_922_789_888_000.0;
    for (odd, even) in SERIES {
        s = odd - y * s;
        c = even - y * c;
    }
    let (s, c) = ((x * s).to_bits(), c.to_bits());
    // An odd quarter changes sine and cosine; of four, two have a negative sine and two a negative cosine.
    let quarter = sum.to_bits();
    let changed = (s ^ c) & 0u64.wrapping_sub(quarter & 1);
    let sign = |quarter: u64| (quarter & 2).wrapping_shl(62);
    (f64::from_bits(s ^ changed ^ sign(quarter)), f64::from_bits(c ^ changed ^ sign(quarter.wrapping_add(1))))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What the file's numbers mean, one after the other: the plain twin.
    fn plain(rest: Trs, channels: &[BvhChannel], rows: &[&[f64]], frame_time_s: f64, scale: f64) -> RawTrack {
        let mut track = RawTrack::default();
        let mut before: Option<Q4> = None;
        for (frame, numbers) in rows.iter().enumerate() {
            let mut local = rest;
            for (channel, value) in channels.iter().zip(*numbers) {
                let (s, c) = half_angle(*value);
                let (q, place) = (local.rotation, &mut local.translation);
                match channel {
                    BvhChannel::Position(BvhAxis::X) => place.x = value * scale,
                    BvhChannel::Position(BvhAxis::Y) => place.y = value * scale,
                    BvhChannel::Position(BvhAxis::Z) => place.z = value * scale,
                    BvhChannel::Rotation(BvhAxis::X) => {
                        local.rotation = Q4::new(
                            q.x * c + q.w * s,
                            q.y * c + q.z * s,
                            q.z * c - q.y * s,
                            q.w * c - q.x * s,
                        );
                    }
                    BvhChannel::Rotation(BvhAxis::Y) => {
                        local.rotation = Q4::new(
                            q.x * c - q.z * s,
                            q.y * c + q.w * s,
                            q.z * c + q.x * s,
                            q.w * c - q.y * s,
                        );
                    }
                    BvhChannel::Rotation(BvhAxis::Z) => {
                        local.rotation = Q4::new(
                            q.x * c + q.y * s,
                            q.y * c - q.x * s,
                            q.z * c + q.w * s,
                            q.w * c - q.z * s,
                        );
                    }
                }
            }
            let time_s = frame as f64 * frame_time_s;
            if moves(channels) {
                track.translation.keys.push(Key { time_s, value: local.translation });
            }
            if turns(channels) {
                let value = before.map_or(local.rotation, |before| local.rotation.near(before));
                before = Some(value);
                track.rotation.keys.push(Key { time_s, value });
            }
        }
        track
    }

    #[test]
    fn blocks_of_frames_have_the_bits_of_frame_after_frame() {
        use BvhAxis::{X, Y, Z};
        use BvhChannel::{Position, Rotation};
        let channels: BvhChannels = vec![
            vec![Position(X), Position(Y), Position(Z), Rotation(Z), Rotation(X), Rotation(Y)],
            vec![Rotation(Y), Position(Y)],
            vec![],
            vec![Rotation(X), Rotation(Z), Rotation(X), Rotation(Y)],
        ];
        let rest = Trs { translation: V3::new(1.0, -2.0, 0.5), ..Trs::IDENTITY };
        let joint = |at: usize| crate::raw::RawJoint { name: at.to_string(), parent: None, rest };
        let skeleton = RawSkeleton { joints: (0..4).map(joint).collect() };
        let mut state = 7_u64;
        let mut angle = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match state >> 61 {
                // Quarters, zeros of both signs, and what the series is not for.
                0 => ((state >> 40) % 17) as f64 * 90.0 - 720.0,
                1 => -0.0,
                2 if state >> 58 == 16 => 1e7 + (state >> 40) as f64,
                _ => ((state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5) * 1000.0,
            }
        };
        for count in [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 7] {
            let rows: Vec<f64> = (0..count * 12).map(|_| angle()).collect();
            let frames = Frames { rows: &rows, width: 12, frame_time_s: 0.1, scale: 0.01 };
            let found = frames.tracks(&skeleton, &channels);
            let mut first = 0;
            for (own, found) in channels.iter().zip(&found) {
                let last = first + own.len();
                let numbers: Vec<&[f64]> = rows.chunks_exact(12).map(|row| &row[first..last]).collect();
                let expected = plain(rest, own, &numbers, 0.1, 0.01);
                // Debug text has the sign of zeros.
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{count} frames");
                first = last;
            }
        }
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
            let mut local = Local::new(Trs { rotation: q, ..Trs::IDENTITY });
            local.turn(axis, &[37.5; BLOCK]);
            let [x, y, z, w] = local.rotations.map(|lane| lane[3]);
            let found = Q4::new(x, y, z, w);
            assert!(found.dot(expected) > 1.0 - 1e-15 && (found.x - expected.x).abs() < 1e-15, "{axis:?}");
        }
    }
}
