//! When feet stand, and what that says of a gait: its phase and its speed.
//!
//! Speed comes before height. A foot stands while its heel or its toes do not move over the ground, and are as low as they are nearby when they do
//! not move. So floors may rise and fall, as those of captures do. On the spot the ground moves under the feet.

mod looks;

use crate::{
    exact::V3,
    raw::{RawSkeleton, RawUserTrack, TrackKind, UserKey},
    scene::{Marker, SceneAnimation},
};
use lissom::track::ROOT_TRACKS;
use looks::{Feet, Looks};

/// The name of the track that tells how far a gait's cycle is: 0 where the left foot comes down, a half where the right one does, rising by one
/// with every cycle.
pub const PHASE_TRACK: &str = "gait/phase";
/// The name of the track, a single key, that tells how fast a gait goes over the ground, in metres per second.
pub const SPEED_TRACK: &str = "gait/speed";

/// What counts as standing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRule {
    /// How far above the floor a foot may be, in metres; `None`: 4 cm for legs of 90 cm. The floor is where the foot is lowest among the
    /// moments nearby in which it is slow.
    pub height_m: Option<f64>,
    /// How fast it may go over the ground, in metres per second; `None`: 0.45 m/s for such legs.
    pub speed: Option<f64>,
    /// Left and right, by patterns, each with what hangs on it; `None`: as the names of humans say.
    pub feet: Option<[String; 2]>,
}

/// When feet stand, in seconds: from, to. Left, right; rising, apart from each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Left, right.
    pub feet: [Vec<(f64, f64)>; 2],
    /// How long the clip is.
    pub duration_s: f64,
    /// True if what stands at its end goes on standing at its start.
    pub looping: bool,
}

/// Why contacts or a gait cannot be told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FeetError {
    /// No joint is a foot.
    #[error("no joint is known to be the {0} foot; name both: {{ feet = [\"LeftFoot\", \"RightFoot\"] }}")]
    NoFoot(&'static str),
    /// Nobody steps.
    #[error("it is no gait: feet come down {steps} times")]
    NoGait {
        /// How often feet come down.
        steps: usize,
    },
    /// No foot stands.
    #[error("no foot stands in it, so feet do not tell how fast it goes")]
    NoStance,
    /// It is not on the spot.
    #[error("it travels {speed:.2} m/s by itself; root-motion = true takes that")]
    Travels {
        /// How fast.
        speed: f64,
    },
    /// Its motion is of another skeleton, or is not there: an archive's clip that was not decoded has none.
    #[error("it moves {tracks} joints, and the skeleton has {joints}")]
    OtherSkeleton {
        /// Joints that it moves.
        tracks: usize,
        /// Joints of the skeleton.
        joints: usize,
    },
    /// It is too long to look at.
    #[error("it lasts {duration_s} s, too long to look for feet")]
    TooLong {
        /// Its length.
        duration_s: f64,
    },
}

/// How a motion goes over the ground, as its feet show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FromFeet {
    /// How fast the character goes where the feet that stand do not slide, in metres per second.
    pub velocity: V3,
    /// How fast they slide nevertheless: the root mean square, in metres per second. Authored gaits are not steady.
    pub slide: f64,
}

impl Contacts {
    /// `contact_left` and `contact_right`, which last, and `step_left` and `step_right`, the moments when a foot comes down; rising in time. A
    /// contact that goes on through the end of a loop is two markers, its step one.
    #[must_use]
    pub fn markers(&self) -> Vec<Marker> {
        let mut found = Vec::new();
        for (index, side) in ["left", "right"].into_iter().enumerate() {
            for (from, to) in self.feet[index].iter().copied() {
                let marker = |what: &str, time_s, duration_s| Marker {
                    name: format!("{what}_{side}"),
                    time_s,
                    duration_s,
                };
                found.push(marker("contact", from, to - from));
            }
            let step = |time_s| Marker { name: format!("step_{side}"), time_s, duration_s: 0.0 };
            found.extend(self.steps(index).into_iter().map(step));
        }
        found.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
        found
    }

    /// When a foot stands, from and to. In a loop a stance that goes on through the end is one: it ends after the clip does.
    #[must_use]
    pub fn stances(&self, side: usize) -> Vec<(f64, f64)> {
        let mut spans = self.feet[side].clone();
        let goes_on = spans.len() > 1
            && spans.first().is_some_and(|(from, _)| *from <= 0.0)
            && spans.last().is_some_and(|(_, to)| *to >= self.duration_s);
        if self.looping && goes_on {
            let (_, to) = spans.remove(0);
            if let Some(last) = spans.last_mut() {
                last.1 = self.duration_s + to;
            }
        }
        spans
    }

    /// How often feet come down.
    #[must_use]
    pub fn step_count(&self) -> usize {
        (0..2).map(|side| self.steps(side).len()).sum()
    }

    /// When a foot comes down. What stands from the start did not, unless it is a loop and the foot was in the air at its end.
    fn steps(&self, side: usize) -> Vec<f64> {
        let spans = &self.feet[side];
        let stood = !self.looping || spans.iter().any(|(_, to)| *to >= self.duration_s);
        spans.iter().map(|(from, _)| *from).filter(|from| *from > 0.0 || !stood).collect()
    }

    /// The phase of the gait as [`PHASE_TRACK`] has it.
    ///
    /// # Errors
    ///
    /// [`FeetError::NoGait`] if feet do not come down at least twice, in a loop once each.
    pub fn phase(&self) -> Result<RawUserTrack, FeetError> {
        let mut steps: Vec<(f64, usize)> =
            (0..2).flat_map(|side| self.steps(side).into_iter().map(move |time_s| (time_s, side))).collect();
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = steps.len();
        if self.looping
            && let Some(first) = steps.first().copied()
        {
            steps.push((first.0 + self.duration_s, first.1));
        }
        if steps.len() < 2 || steps.iter().all(|(_, side)| *side == steps[0].1) {
            return Err(FeetError::NoGait { steps: count });
        }
        let mut phases: Vec<(f64, f64)> = Vec::with_capacity(steps.len());
        for (index, (time_s, side)) in steps.iter().copied().enumerate() {
            let phase = match index.checked_sub(1).map(|before| (steps[before].1, phases[before].1)) {
                None => 0.5 * side as f64,
                Some((before, phase)) => phase + if before == side { 1.0 } else { 0.5 },
            };
            phases.push((time_s, phase));
        }
        // Straight on beyond the first and the last step; in a loop the last one is the first of the next lap.
        let at = |time_s: f64| {
            let after = phases.partition_point(|(at, _)| *at <= time_s).clamp(1, phases.len() - 1);
            let ((a, from), (b, to)) = (phases[after - 1], phases[after]);
            from + (to - from) * (time_s - a) / (b - a)
        };
        let start = if self.looping {
            let (last, first) = (phases[phases.len() - 1].1, phases[0].1);
            at(self.duration_s) - (last - first)
        } else {
            at(0.0)
        };
        let mut keys = vec![(0.0, start)];
        keys.extend(phases.iter().copied().filter(|(time_s, _)| *time_s > 0.0 && *time_s < self.duration_s));
        keys.push((self.duration_s, at(self.duration_s)));
        // From 0 on, whatever lies before the first step.
        let whole = libm::floor(start);
        let key = |(time_s, phase): (f64, f64)| UserKey {
            ratio: time_s / self.duration_s,
            value: [phase - whole, 0.0, 0.0, 0.0],
            step: false,
        };
        let keys = keys.into_iter().map(key).collect();
        Ok(RawUserTrack { name: PHASE_TRACK.into(), kind: TrackKind::Float, keys })
    }
}

impl SceneAnimation {
    /// When feet stand.
    ///
    /// # Errors
    ///
    /// [`FeetError`].
    pub fn contacts(&self, skeleton: &RawSkeleton, rule: &ContactRule) -> Result<Contacts, FeetError> {
        let feet = Feet::new(skeleton, rule)?;
        let looks = Looks::new(self, skeleton, &feet)?;
        let standing = looks.standing(rule);
        let feet = standing.each_ref().map(|stands| looks.spans(stands));
        Ok(Contacts { feet, duration_s: self.motion.duration_s, looping: looks.is_loop() })
    }

    /// How fast it goes over the ground, in metres per second: by its travel, or, on the spot, by the feet that stand.
    ///
    /// # Errors
    ///
    /// [`FeetError`].
    pub fn ground_speed(&self, skeleton: &RawSkeleton, rule: &ContactRule) -> Result<f64, FeetError> {
        let feet = Feet::new(skeleton, rule)?;
        let looks = Looks::new(self, skeleton, &feet)?;
        // Feet that stand are not quite still: where the motion travels, its travel says it better.
        if looks.is_on_the_spot() {
            return Ok(looks.root_from_feet(rule).ok_or(FeetError::NoStance)?.velocity.length());
        }
        Ok(looks.travel().length())
    }

    /// How a motion on the spot would travel if its feet did not slide: the way for `root-motion = "from feet"`.
    ///
    /// # Errors
    ///
    /// [`FeetError::Travels`] if it is not on the spot, [`FeetError::NoStance`], and those of [`SceneAnimation::contacts`].
    pub fn root_from_feet(&self, skeleton: &RawSkeleton, rule: &ContactRule) -> Result<FromFeet, FeetError> {
        let feet = Feet::new(skeleton, rule)?;
        let looks = Looks::new(self, skeleton, &feet)?;
        if !looks.is_on_the_spot() && looks.travels() {
            return Err(FeetError::Travels { speed: looks.travel().length() });
        }
        looks.root_from_feet(rule).ok_or(FeetError::NoStance)
    }
}

impl FromFeet {
    /// The tracks of this root motion: straight on, without a turn.
    #[must_use]
    pub fn tracks(&self, duration_s: f64) -> [RawUserTrack; 2] {
        let way = self.velocity * duration_s;
        let key = |ratio, value| UserKey { ratio, value, step: false };
        let [place, turn] = ROOT_TRACKS.map(String::from);
        let places = vec![key(0.0, [0.0; 4]), key(1.0, [way.x, way.y, way.z, 0.0])];
        let turns = vec![key(0.0, [0.0, 0.0, 0.0, 1.0])];
        [
            RawUserTrack { name: place, kind: TrackKind::Float3, keys: places },
            RawUserTrack { name: turn, kind: TrackKind::Quat, keys: turns },
        ]
    }
}
