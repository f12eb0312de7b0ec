//! When feet stand, and what that says of a gait: its phase and its speed.
//!
//! A foot stands while its heel or its toes are low and go with the ground. How the ground goes is seen from the feet themselves, for a motion
//! may be on the spot: it is what most low places of feet do.

use crate::{
    exact::{Q4, V3, larger},
    raw::{RawSkeleton, RawUserTrack, TrackKind, UserKey, models},
    retarget::{Bone, BoneMap, Part, Side},
    scene::{Marker, SceneAnimation},
};
use lissom::track::ROOT_TRACKS;

/// Looks a second.
const RATE_HZ: f64 = 60.0;
/// What is shorter, in seconds, is a wobble: contacts and gaps between them.
const SHORTEST_S: f64 = 0.06;
/// A leg's length in metres that the default bounds are for.
const LEG_M: f64 = 0.9;
/// One look in so many may be at something lower than the ground.
const RARE: usize = 20;
/// The most looks at a clip.
const MOST_LOOKS: f64 = 1e6;

/// The name of the track that tells how far a gait's cycle is: 0 where the left foot comes down, a half where the right one does, rising by one
/// with every cycle.
pub const PHASE_TRACK: &str = "gait/phase";
/// The name of the track, a single key, that tells how fast a gait goes over the ground, in metres a second.
pub const SPEED_TRACK: &str = "gait/speed";

/// What counts as standing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRule {
    /// How far above its lowest place a foot may be, in metres; `None`: 3 cm for legs of 90 cm.
    pub height_m: Option<f64>,
    /// How fast it may go, seen from the ground, in metres a second; `None`: half a metre for such legs.
    pub speed: Option<f64>,
    /// Left and right, by patterns; `None`: as the names of humans say.
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
    /// It is too long to look at.
    #[error("it lasts {duration_s} s, too long to look for feet")]
    TooLong {
        /// Its length.
        duration_s: f64,
    },
}

/// Which joints are the feet: heel and toes of each.
struct Feet {
    points: [Vec<usize>; 2],
    hips: usize,
    leg_m: f64,
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
        let seen = Seen::new(self, skeleton, &feet)?;
        let ground = seen.ground(rule.height(&feet));
        let most = rule.speed.unwrap_or(0.5 * feet.leg_m / LEG_M) + 0.25 * ground.length();
        let spans = [0, 1].map(|side| {
            let stands: Vec<bool> = (0..seen.looks)
                .map(|look| seen.stands(side, look, rule.height(&feet), ground, most))
                .collect();
            let stands = without_wobbles(stands, (SHORTEST_S / seen.step_s) as usize, self.motion.looping);
            seen.spans(&stands)
        });
        let (duration_s, looping) = (self.motion.duration_s, self.motion.looping);
        Ok(Contacts { feet: spans, duration_s, looping })
    }

    /// How fast it goes over the ground, in metres a second: by its travel, or, on the spot, by the ground's.
    ///
    /// # Errors
    ///
    /// [`FeetError`].
    pub fn ground_speed(&self, skeleton: &RawSkeleton, rule: &ContactRule) -> Result<f64, FeetError> {
        let feet = Feet::new(skeleton, rule)?;
        let seen = Seen::new(self, skeleton, &feet)?;
        let travel = level(seen.hips[seen.looks - 1] - seen.hips[0]) * (1.0 / self.motion.duration_s);
        let ground = seen.ground(rule.height(&feet));
        // Feet that stand are not quite still: where the motion travels, its travel says it better.
        let stands = ground.length() < 0.15 * travel.length();
        Ok(if stands { travel.length() } else { (travel - ground).length() })
    }
}

impl ContactRule {
    fn height(&self, feet: &Feet) -> f64 {
        self.height_m.unwrap_or(0.03 * feet.leg_m / LEG_M)
    }
}

impl Feet {
    fn new(skeleton: &RawSkeleton, rule: &ContactRule) -> Result<Self, FeetError> {
        let map = BoneMap::guess(skeleton);
        let find = |part, side| map.joints.get(&Bone { part, side }).copied();
        let mut points = [Vec::new(), Vec::new()];
        for (index, (side, word)) in [(Side::Left, "left"), (Side::Right, "right")].into_iter().enumerate() {
            points[index] = match &rule.feet {
                Some(feet) => {
                    let fits = |joint: &usize| {
                        crate::text::pattern::fits(&feet[index], &skeleton.joints[*joint].name)
                    };
                    (0..skeleton.joints.len()).filter(fits).collect()
                }
                None => map.foot(side),
            };
            if points[index].is_empty() {
                return Err(FeetError::NoFoot(word));
            }
        }
        let rest: Vec<_> = skeleton.joints.iter().map(|joint| joint.rest).collect();
        let places = models(skeleton, &rest);
        let hips = find(Part::Hips, Side::Middle).or(skeleton.depth_first().first().copied()).unwrap_or(0);
        let leg_m = places[hips].columns[3].distance(places[points[0][0]].columns[3]);
        Ok(Self { points, hips, leg_m: if leg_m > 1e-6 { leg_m } else { LEG_M } })
    }
}

/// Where feet are, look by look; the last look is at the end of the clip.
struct Seen {
    looks: usize,
    step_s: f64,
    looping: bool,
    duration_s: f64,
    /// Of each foot, of each of its points, the places.
    places: [Vec<Vec<V3>>; 2],
    /// How high each kind of point is where feet stand.
    floors: Vec<f64>,
    hips: Vec<V3>,
}

impl Seen {
    fn new(clip: &SceneAnimation, skeleton: &RawSkeleton, feet: &Feet) -> Result<Self, FeetError> {
        let duration_s = clip.motion.duration_s;
        let steps = larger(libm::ceil(duration_s * RATE_HZ), 2.0);
        if steps.is_nan() || steps >= MOST_LOOKS {
            return Err(FeetError::TooLong { duration_s });
        }
        let looks = steps as usize + 1;
        let step_s = duration_s / steps;
        let mut places = [0, 1].map(|side| vec![Vec::with_capacity(looks); feet.points[side].len()]);
        let mut hips = Vec::with_capacity(looks);
        let track = |name: &str| clip.tracks.iter().find(|track| track.name == name);
        let (way, turn) = (track(ROOT_TRACKS[0]), track(ROOT_TRACKS[1]));
        for look in 0..looks {
            let ratio = look as f64 / steps;
            let pose = models(skeleton, &clip.motion.pose(skeleton, ratio * duration_s));
            let [x, y, z, _] = way.map_or([0.0; 4], |track| track.sample(ratio));
            let [a, b, c, d] = turn.map_or([0.0, 0.0, 0.0, 1.0], |track| track.sample(ratio));
            let root = Q4::new(a, b, c, d);
            let at = |joint: usize| root.rotate(pose[joint].columns[3]) + V3::new(x, y, z);
            for (side, points) in places.iter_mut().enumerate() {
                for (point, joint) in points.iter_mut().zip(&feet.points[side]) {
                    point.push(at(*joint));
                }
            }
            hips.push(at(feet.hips));
        }
        let kinds = places.iter().map(Vec::len).max().unwrap_or(0);
        let floors = (0..kinds).map(|kind| floor(&places, kind)).collect();
        Ok(Self { looks, step_s, looping: clip.motion.looping, duration_s, places, floors, hips })
    }

    /// How fast a point goes, by the looks before and after.
    fn velocity(&self, point: &[V3], look: usize) -> V3 {
        let (before, after) = (look.saturating_sub(1), (look + 1).min(self.looks - 1));
        (point[after] - point[before]) * (1.0 / ((after - before) as f64 * self.step_s))
    }

    /// How the ground goes: the median of what low points do, along each axis.
    fn ground(&self, height_m: f64) -> V3 {
        let mut low: [Vec<f64>; 2] = Default::default();
        for points in &self.places {
            for (kind, point) in points.iter().enumerate() {
                let floor = self.floors[kind];
                for look in (0..self.looks).filter(|look| point[*look].y - floor < height_m) {
                    let velocity = self.velocity(point, look);
                    low[0].push(velocity.x);
                    low[1].push(velocity.z);
                }
            }
        }
        let median = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        V3::new(median(&mut low[0]), 0.0, median(&mut low[1]))
    }

    fn stands(&self, side: usize, look: usize, height_m: f64, ground: V3, most: f64) -> bool {
        self.places[side].iter().enumerate().any(|(kind, point)| {
            point[look].y - self.floors[kind] < height_m
                && (self.velocity(point, look) - ground).length() < most
        })
    }

    /// From look to look; what stands at the last look stands to the end.
    fn spans(&self, stands: &[bool]) -> Vec<(f64, f64)> {
        let mut spans = Vec::new();
        let mut since = None;
        for (look, stands) in stands.iter().copied().enumerate() {
            let time_s = look as f64 * self.step_s;
            match (since, stands) {
                (None, true) => since = Some(time_s),
                (Some(from), false) => {
                    spans.push((from, time_s));
                    since = None;
                }
                _ => {}
            }
        }
        // Of a loop, the last look is the first.
        spans.extend(since.map(|from| (from, self.duration_s)));
        spans.retain(|(from, to)| to > from && (*from < self.duration_s || !self.looping));
        spans
    }
}

/// As low as points of a kind are, on either foot, but for few looks: captures begin with a pose that is none of the motion's, and
/// markers jump.
fn floor(places: &[Vec<Vec<V3>>; 2], kind: usize) -> f64 {
    let feet = places.iter().filter_map(|points| points.get(kind));
    let mut heights: Vec<f64> = feet.flatten().map(|place| place.y).collect();
    heights.sort_by(f64::total_cmp);
    heights.get(heights.len() / RARE).copied().unwrap_or(0.0)
}

fn level(v: V3) -> V3 {
    V3::new(v.x, 0.0, v.z)
}

/// Short gaps are filled, then short contacts are gone. In a loop what stands at the end goes on at the start.
fn without_wobbles(mut stands: Vec<bool>, shortest: usize, looping: bool) -> Vec<bool> {
    let period = if looping { stands.len() - 1 } else { stands.len() };
    for of in [false, true] {
        let mut at = 0;
        let mut runs = Vec::new();
        while at < period {
            let end = (at..period).find(|look| stands[*look] != stands[at]).unwrap_or(period);
            if stands[at] == of {
                runs.push((at, end));
            }
            at = end;
        }
        for (from, to) in runs {
            // What touches an end goes on there, or nobody knows how long it lasts.
            if to - from < shortest && from > 0 && to < period {
                stands[from..to].fill(!of);
            }
        }
    }
    if looping {
        stands[period] = stands[0];
    }
    stands
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mannequin::{self, Motion};
    use crate::raw::{RawAnimation, Travel};

    fn clip(motion: RawAnimation) -> SceneAnimation {
        SceneAnimation { skeleton: Some(0), motion, ..SceneAnimation::default() }
    }

    /// What the mannequin's makers say of its feet is what is seen.
    #[test]
    fn contacts_are_where_the_mannequins_makers_put_them() {
        let skeleton = mannequin::skeleton();
        for motion in Motion::ALL {
            let said = mannequin::markers(motion);
            let own = clip(mannequin::clip(motion));
            let seen = own.contacts(&skeleton, &ContactRule::default()).unwrap();
            if matches!(motion, Motion::Performance) {
                assert!(seen.feet.iter().all(|spans| spans.len() > 3), "{seen:?}");
                continue;
            }
            if matches!(motion, Motion::JumpAir) {
                continue;
            }
            let on_the_spot = clip(own.motion.in_place(&skeleton, Travel::All).unwrap());
            let mut all = vec![seen];
            if motion.duty().is_some() {
                all.push(on_the_spot.contacts(&skeleton, &ContactRule::default()).unwrap());
            }
            for seen in all {
                for (index, side) in ["left", "right"].into_iter().enumerate() {
                    let spans: Vec<_> = said.iter().filter(|m| m.name == format!("contact_{side}")).collect();
                    let mut off = 0.0;
                    for look in 0..200 {
                        let time_s = own.motion.duration_s * f64::from(look) / 200.0;
                        let said =
                            spans.iter().any(|m| m.time_s <= time_s && time_s < m.time_s + m.duration_s);
                        let is = seen.feet[index].iter().any(|(from, to)| *from <= time_s && time_s < *to);
                        off += if said == is { 0.0 } else { own.motion.duration_s / 200.0 };
                    }
                    assert!(off < 0.16, "{motion:?} {side}: {off} s otherwise, {:?}", seen.feet[index]);
                    let steps = said.iter().filter(|m| m.name == format!("step_{side}")).count();
                    assert_eq!(seen.steps(index).len(), steps, "{motion:?} {side}: {:?}", seen.feet[index]);
                }
            }
        }
    }

    #[test]
    fn gaits_have_a_phase_and_a_speed_on_the_spot_too() {
        let skeleton = mannequin::skeleton();
        for motion in Motion::ALL.into_iter().filter(|motion| motion.duty().is_some()) {
            let own = clip(mannequin::clip(motion));
            let spot = clip(own.motion.in_place(&skeleton, Travel::All).unwrap());
            for (clip, spare) in [(&own, 0.02), (&spot, 0.12)] {
                let rule = ContactRule::default();
                let speed = clip.ground_speed(&skeleton, &rule).unwrap();
                let shall = motion.velocity().length();
                assert!((speed - shall).abs() < spare * shall, "{motion:?}: {speed} m/s, not {shall}");
                let phase = clip.contacts(&skeleton, &rule).unwrap().phase().unwrap();
                phase.validate().unwrap();
                for i in 0..=20 {
                    let ratio = f64::from(i) / 20.0;
                    let off = phase.sample(ratio)[0] - ratio;
                    let off = (off - libm::round(off)).abs();
                    assert!(off < 0.09, "{motion:?} at {ratio}: {off} off, {phase:?}");
                }
            }
        }
    }

    /// As motion capture has it: the first frame is the pose of the skeleton, legs straight down through the floor.
    #[test]
    fn a_first_pose_below_the_ground_does_not_hide_what_stands() {
        let skeleton = mannequin::skeleton();
        let own = clip(mannequin::clip(Motion::Walk));
        let wanted = own.contacts(&skeleton, &ContactRule::default()).unwrap();
        let mut spoiled = own;
        spoiled.motion.looping = false;
        let hips = skeleton.joints.iter().position(|joint| joint.name == "hips").unwrap();
        spoiled.motion.tracks[hips].translation.keys[0].value.y -= 0.1;
        let seen = spoiled.contacts(&skeleton, &ContactRule::default()).unwrap();
        let lasts =
            |contacts: &Contacts| -> f64 { contacts.feet.iter().flatten().map(|(from, to)| to - from).sum() };
        assert!((lasts(&seen) - lasts(&wanted)).abs() < 0.15, "{seen:?}, not {wanted:?}");
    }

    #[test]
    fn who_does_not_step_has_no_gait_and_who_has_no_feet_is_told() {
        let skeleton = mannequin::skeleton();
        let idle = clip(mannequin::clip(Motion::Idle));
        let contacts = idle.contacts(&skeleton, &ContactRule::default()).unwrap();
        assert_eq!(contacts.feet, [vec![(0.0, 7.2)], vec![(0.0, 7.2)]]);
        assert_eq!(contacts.phase(), Err(FeetError::NoGait { steps: 0 }));
        let mut nameless = skeleton.clone();
        nameless.joints.iter_mut().enumerate().for_each(|(i, joint)| joint.name = format!("j{i}"));
        let error = idle.contacts(&nameless, &ContactRule::default()).unwrap_err();
        assert_eq!(error, FeetError::NoFoot("left"));
        let at = |name: &str| skeleton.joints.iter().position(|joint| joint.name == name).unwrap();
        let feet = Some([format!("j{}", at("foot_l")), format!("j{}", at("foot_r"))]);
        let rule = ContactRule { feet, ..ContactRule::default() };
        assert_eq!(idle.contacts(&nameless, &rule).unwrap().feet, contacts.feet);
        // A hop on one leg: a foot comes down again and again, and that is no gait.
        let hop = Contacts { feet: [vec![(0.1, 0.2), (0.5, 0.7)], vec![]], duration_s: 1.0, looping: true };
        assert_eq!(hop.phase(), Err(FeetError::NoGait { steps: 2 }));
        let names: Vec<String> = hop.markers().into_iter().map(|marker| marker.name).collect();
        assert_eq!(names, ["contact_left", "step_left", "contact_left", "step_left"]);
    }
}
