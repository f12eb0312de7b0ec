//! Root motion: where a clip carries its character, as a step over any span.
//!
//! A clip's travel is two user tracks beside it, a place and a rotation, in the space that the character stands in
//! (`lissom_build` takes them out of a joint). They say where the character is at each time of *one* lap. A head on a time line
//! then has a place: the lap's whole step as often as laps have passed, then the way into this lap. A step over a span is the
//! difference of two places, so steps over any split of a span compose to the step over the whole, whatever the
//! frames were; and laps are multiplied, not summed up.

use alloc::format;
use lissom::{
    archive::{Archive, ArchiveError},
    math::{Quat, Transform, Vec3},
    player::Body,
    track::{Playhead, ROOT_TRACKS, Repeat, Span, Timeline, Track, TrackView},
};

/// A place and a direction, or a step from one to another, in f64: thousands of steps are put together without drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootStep {
    /// Metres.
    pub translation: [f64; 3],
    /// A unit quaternion: x, y, z, w.
    pub rotation: [f64; 4],
}

/// The travel of a clip.
#[derive(Clone, Copy, Debug)]
pub struct RootMotion<'a> {
    /// A track of three numbers; `None`: it stays where it is.
    pub translation: Option<TrackView<'a>>,
    /// A track of rotations; `None`: it does not turn.
    pub rotation: Option<TrackView<'a>>,
}

/// The tracks that hold a clip's travel; they keep their archive's bytes alive.
#[derive(Clone, Debug, Default)]
pub struct RootTracks {
    translation: Option<Track>,
    rotation: Option<Track>,
}

impl RootTracks {
    /// Those of a clip, which may have none: then it stays where it is.
    ///
    /// # Errors
    ///
    /// [`ArchiveError`]: what is wrong with a track that is there.
    pub fn of(archive: &Archive, clip: &str) -> Result<Self, ArchiveError> {
        let track = |name: &str| match archive.track(&format!("{clip}/{name}")) {
            Ok(track) => Ok(Some(track)),
            Err(ArchiveError::Missing { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        let [translation, rotation] = ROOT_TRACKS;
        Ok(Self { translation: track(translation)?, rotation: track(rotation)? })
    }

    /// Those of a body's clip: its tracks have been read before.
    pub(crate) fn of_body(body: &Body, clip: usize) -> Self {
        let [translation, rotation] = ROOT_TRACKS.map(|name| body.find_track(clip, name).cloned());
        Self { translation, rotation }
    }

    /// True if the clip stays where it is.
    pub(crate) fn is_empty(&self) -> bool {
        self.translation.is_none() && self.rotation.is_none()
    }

    /// As it is played.
    #[must_use]
    pub fn motion(&self) -> RootMotion<'_> {
        RootMotion {
            translation: self.translation.as_ref().map(Track::view),
            rotation: self.rotation.as_ref().map(Track::view),
        }
    }
}

impl RootStep {
    /// No step.
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };

    /// This step, and from there the next.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let way = rotate(self.rotation, next.translation);
        Self {
            translation: core::array::from_fn(|i| self.translation[i] + way[i]),
            rotation: unit(times(self.rotation, next.rotation)),
        }
    }

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let [x, y, z, w] = self.rotation;
        let rotation = [-x, -y, -z, w];
        Self { translation: rotate(rotation, self.translation).map(|v| -v), rotation }
    }

    /// The step so often; negative: back. A step a bit of the number.
    #[must_use]
    pub fn repeated(&self, times: i64) -> Self {
        let mut power = if times < 0 { self.inverse() } else { *self };
        let (mut left, mut out) = (times.unsigned_abs(), Self::IDENTITY);
        while left > 0 {
            if left & 1 != 0 {
                out = out.then(&power);
            }
            power = power.then(&power);
            left >>= 1;
        }
        out
    }

    /// The average of steps by weight, on the shorter path; nothing where no weight is above 0, or nothing moves.
    #[must_use]
    pub fn blended(steps: impl IntoIterator<Item = (f32, Self)>) -> Self {
        let (mut translation, mut rotation, mut total) = ([0.0; 3], [0.0; 4], 0.0);
        let mut moves = false;
        for (weight, step) in steps {
            // NaN is not above 0 either.
            if weight > 0.0 {
                moves |= step != Self::IDENTITY;
                let weight = f64::from(weight);
                let near = if dot(rotation, step.rotation) < 0.0 { -weight } else { weight };
                translation = core::array::from_fn(|i| translation[i] + step.translation[i] * weight);
                rotation = core::array::from_fn(|i| rotation[i] + step.rotation[i] * near);
                total += weight;
            }
        }
        if total > 0.0 && moves {
            Self { translation: translation.map(|v| v / total), rotation: unit(rotation) }
        } else {
            Self::IDENTITY
        }
    }

    /// The step of a character of another size.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        Self { translation: self.translation.map(|v| v * by), ..*self }
    }

    /// Rounded, for who moves something by it.
    #[must_use]
    pub fn to_transform(&self) -> Transform {
        let ([x, y, z], [qx, qy, qz, qw]) = (self.translation, self.rotation);
        Transform {
            translation: Vec3::new(x as f32, y as f32, z as f32),
            rotation: Quat::from_xyzw(qx as f32, qy as f32, qz as f32, qw as f32),
            scale: Vec3::ONE,
        }
    }
}

impl RootMotion<'_> {
    /// The step that a span makes, forward or back, over any number of laps.
    #[must_use]
    pub fn step(&self, span: &Span) -> RootStep {
        if span.is_empty() {
            return RootStep::IDENTITY;
        }
        let timeline = span.timeline();
        let (from, to) = (self.within_lap(timeline, span.from()), self.within_lap(timeline, span.to()));
        let mut step = from.inverse();
        let laps = span.to().lap().saturating_sub(span.from().lap());
        // Played once there is one lap; to and fro, every second one takes back what the one before did.
        if laps != 0 && timeline.repeat() == Repeat::Loop && timeline.duration_s() > 0.0 {
            step = step.then(&self.start().inverse().then(&self.at(1.0)).repeated(laps));
        }
        step.then(&to)
    }

    /// What a lap travels, as the character sees it: step by step, so that a way along a circle counts by its length.
    pub(crate) fn lap_m(&self) -> [f64; 3] {
        const STEPS: u32 = 64;
        let mut sum = [0.0; 3];
        let mut from = self.start();
        for i in 1..=STEPS {
            let to = self.at(f64::from(i) / f64::from(STEPS));
            let step = from.inverse().then(&to).translation;
            sum = core::array::from_fn(|i| sum[i] + step[i]);
            from = to;
        }
        sum
    }

    /// From the start of a lap to a head in it.
    fn within_lap(&self, timeline: &Timeline, head: Playhead) -> RootStep {
        let duration_s = timeline.duration_s();
        let ratio = if duration_s > 0.0 { timeline.time_s(head) / duration_s } else { 0.0 };
        self.start().inverse().then(&self.at(ratio))
    }

    fn start(&self) -> RootStep {
        self.at(0.0)
    }

    /// What the tracks say.
    fn at(&self, ratio: f64) -> RootStep {
        let translation = self.translation.map_or([0.0; 4], |track| track.sample(ratio).to_array());
        let rotation =
            self.rotation.and_then(|track| track.sample(ratio).as_quat()).unwrap_or(Quat::IDENTITY);
        let [x, y, z, _] = translation.map(f64::from);
        RootStep { translation: [x, y, z], rotation: unit(rotation.to_array().map(f64::from)) }
    }
}

/// Sums in this order everywhere: the same bits.
fn dot(a: [f64; 4], b: [f64; 4]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

fn unit(q: [f64; 4]) -> [f64; 4] {
    let l2 = dot(q, q);
    if l2 > 1.0e-200 {
        let inverse = 1.0 / libm::sqrt(l2);
        q.map(|v| v * inverse)
    } else {
        RootStep::IDENTITY.rotation
    }
}

/// The Hamilton product.
fn times([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        (aw * bx + ax * bw) + (ay * bz - az * by),
        (aw * by + ay * bw) + (az * bx - ax * bz),
        (aw * bz + az * bw) + (ax * by - ay * bx),
        (aw * bw - ax * bx) - (ay * by + az * bz),
    ]
}

fn rotate([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let t = cross([x, y, z], v).map(|c| c + c);
    let d = cross([x, y, z], t);
    core::array::from_fn(|i| (v[i] + w * t[i]) + d[i])
}
