//! Looking at feet, many times a second: where they are, how the ground goes, who stands.

use super::{ContactRule, FeetError, FromFeet};
use crate::{
    exact::{M34, Q4, V3, larger, smaller},
    raw::{RawSkeleton, models},
    retarget::{Bone, BoneMap, Part, Side},
    scene::SceneAnimation,
};
use lissom::track::ROOT_TRACKS;

/// Looks per second, and the most looks at a clip.
const RATE_HZ: f64 = 60.0;
const MOST_LOOKS: f64 = 1e6;
/// A gap that is shorter, in seconds, is inside a stance: no foot swings so fast.
const GAP_S: f64 = 0.1;
/// A stance that is shorter, in seconds, is a wobble.
const SHORTEST_S: f64 = 0.04;
/// How many seconds before and after a moment tell where the floor is: less than a swing, so that
/// the step before does not count, and more than a jump's way up or down.
const NEAR_S: f64 = 0.35;
/// How fast a foot that stands may go over the ground, in legs per second, and how high above the floor it may be, in legs.
const SLOW: f64 = 0.48;
const LOW: f64 = 0.045;
/// Nobody stands on a step that is higher than this, in legs, above the other foot.
const HIGHEST_STEP: f64 = 0.5;
/// On the spot, the share of the ground's speed that a foot may go up or down: authored feet go on a bow.
const BOW: f64 = 0.3;
/// Velocities that differ by less, in legs per second, are alike.
const ALIKE: f64 = 0.5;
/// The ground stands still if at least this many low feet do, as a share of those that agree on another velocity.
const STILL: f64 = 0.8;
/// Low feet that are compared, and velocities that are tried.
const COMPARED: usize = 4096;
const TRIED: usize = 512;
/// A leg's length in metres, for skeletons that do not tell.
const LEG_M: f64 = 0.9;

/// How far toes reach beyond the last joint of a foot, of the way from the joint before to that one.
const TIP: f64 = 0.5;

/// How near its start a clip on the spot ends if it goes round, in legs. Many lack the last key of a loop.
const NEAR_START: f64 = 0.15;

/// A joint, and where the point is in its space.
type Place = (usize, V3);

/// Which points are the feet.
pub(super) struct Feet {
    /// Heel, toes and what hangs on them.
    joints: [Vec<Place>; 2],
    tips: [Vec<Place>; 2],
    hips: usize,
    /// From the hips to the far end of a foot, at rest.
    leg_m: f64,
}

impl Feet {
    pub(super) fn new(skeleton: &RawSkeleton, rule: &ContactRule) -> Result<Self, FeetError> {
        let map = BoneMap::guess(skeleton);
        let mut joints = [Vec::new(), Vec::new()];
        for (index, (side, word)) in [(Side::Left, "left"), (Side::Right, "right")].into_iter().enumerate() {
            let named: Vec<usize> = match &rule.feet {
                Some(feet) => {
                    let fits = |joint: &usize| {
                        crate::text::pattern::fits(&feet[index], &skeleton.joints[*joint].name)
                    };
                    (0..skeleton.joints.len()).filter(fits).collect()
                }
                None => map.foot(side),
            };
            if named.is_empty() {
                return Err(FeetError::NoFoot(word));
            }
            joints[index] = with_descendants(skeleton, named);
        }
        let rest: Vec<_> = skeleton.joints.iter().map(|joint| joint.rest).collect();
        let places = models(skeleton, &rest);
        let hips = map.joints.get(&Bone { part: Part::Hips, side: Side::Middle }).copied();
        let hips = hips.or(skeleton.depth_first().first().copied()).unwrap_or(0);
        let far = |joint: &usize| places[hips].columns[3].distance(places[*joint].columns[3]);
        let leg_m = joints.iter().flatten().map(far).fold(0.0, larger);
        let tips = joints.each_ref().map(|joints| tips(skeleton, &places, joints));
        let joints = joints.map(|joints| joints.into_iter().map(|joint| (joint, V3::ZERO)).collect());
        Ok(Self { joints, tips, hips, leg_m: if leg_m > 1e-6 { leg_m } else { LEG_M } })
    }
}

/// Joints, then all that hang on them.
fn with_descendants(skeleton: &RawSkeleton, mut joints: Vec<usize>) -> Vec<usize> {
    for joint in skeleton.depth_first() {
        let hangs = skeleton.joints[joint].parent.is_some_and(|parent| joints.contains(&parent));
        if hangs && !joints.contains(&joint) {
            joints.push(joint);
        }
    }
    joints
}

/// Toes leave the ground last, and few files have a joint at their tips: each toe is made longer, level with the ground at rest.
fn tips(skeleton: &RawSkeleton, places: &[M34], foot: &[usize]) -> Vec<Place> {
    let mut tips = Vec::new();
    for &toe in foot {
        let leaf = skeleton.joints.iter().all(|joint| joint.parent != Some(toe));
        let Some(parent) = skeleton.joints[toe].parent.filter(|parent| leaf && foot.contains(parent)) else {
            continue;
        };
        let way = level(places[toe].columns[3] - places[parent].columns[3]) * TIP;
        tips.extend(places[toe].inverse().map(|inverse| (toe, inverse.mul_vector(way))));
    }
    tips
}

/// One point of a foot, look by look.
struct Point {
    places: Vec<V3>,
    velocities: Vec<V3>,
}

impl Point {
    fn new(places: Vec<V3>, step_s: f64) -> Self {
        let last = places.len() - 1;
        let velocity = |look: usize| {
            let (before, after) = (look.saturating_sub(1), (look + 1).min(last));
            (places[after] - places[before]) * (1.0 / ((after - before) as f64 * step_s))
        };
        let velocities = (0..=last).map(velocity).collect();
        Self { places, velocities }
    }
}

/// Where feet are, look by look; the last look is at the end of the clip.
pub(super) struct Looks {
    count: usize,
    step_s: f64,
    duration_s: f64,
    looping: bool,
    leg_m: f64,
    /// Of each foot.
    points: [Vec<Point>; 2],
    hips: Vec<V3>,
    /// How the ground goes in model space: zero, unless the motion is on the spot.
    ground: V3,
}

impl Looks {
    pub(super) fn new(clip: &SceneAnimation, skeleton: &RawSkeleton, feet: &Feet) -> Result<Self, FeetError> {
        let (tracks, joints) = (clip.motion.tracks.len(), skeleton.joints.len());
        if tracks != joints {
            return Err(FeetError::OtherSkeleton { tracks, joints });
        }
        let duration_s = clip.motion.duration_s;
        let steps = larger(libm::ceil(duration_s * RATE_HZ), 2.0);
        if steps.is_nan() || steps >= MOST_LOOKS {
            return Err(FeetError::TooLong { duration_s });
        }
        let (count, step_s) = (steps as usize + 1, duration_s / steps);
        let all = [&feet.joints[0], &feet.joints[1], &feet.tips[0], &feet.tips[1]];
        let mut places = all.map(|points| vec![Vec::with_capacity(count); points.len()]);
        let mut hips = Vec::with_capacity(count);
        let track = |name: &str| clip.tracks.iter().find(|track| track.name == name);
        let (way, turn) = (track(ROOT_TRACKS[0]), track(ROOT_TRACKS[1]));
        for look in 0..count {
            let ratio = look as f64 / steps;
            let pose = models(skeleton, &clip.motion.pose(skeleton, ratio * duration_s));
            let [x, y, z, _] = way.map_or([0.0; 4], |track| track.sample(ratio));
            let [a, b, c, d] = turn.map_or([0.0, 0.0, 0.0, 1.0], |track| track.sample(ratio));
            let root = Q4::new(a, b, c, d);
            let at = |(joint, own): Place| root.rotate(pose[joint].mul_point(own)) + V3::new(x, y, z);
            for (places, points) in places.iter_mut().zip(all) {
                places.iter_mut().zip(points).for_each(|(place, point)| place.push(at(*point)));
            }
            hips.push(at((feet.hips, V3::ZERO)));
        }
        let point = |places: Vec<V3>| Point::new(places, step_s);
        let [left, right, left_tips, right_tips] =
            places.map(|points| points.into_iter().map(point).collect::<Vec<_>>());
        let (looping, leg_m, points) = (clip.motion.looping, feet.leg_m, [left, right]);
        let mut looks = Self { count, step_s, duration_s, looping, leg_m, points, hips, ground: V3::ZERO };
        looks.ground = looks.ground();
        if looks.is_on_the_spot() {
            looks.looping |= looks.ends_near_its_start();
        } else {
            // On the spot all that goes with the ground stands, and the tips of toes do so too long.
            looks.points[0].extend(left_tips);
            looks.points[1].extend(right_tips);
        }
        Ok(looks)
    }

    fn ends_near_its_start(&self) -> bool {
        let near =
            |point: &Point| point.places[0].distance(point.places[self.count - 1]) < NEAR_START * self.leg_m;
        self.points.iter().flatten().all(near)
    }

    /// True if it goes round, whether or not it is stored as a loop.
    pub(super) fn is_loop(&self) -> bool {
        self.looping
    }

    /// Where the ground goes: the velocity that most low points share. It is zero where about as many stand still.
    fn ground(&self) -> V3 {
        let mut low: Vec<(V3, f64)> = Vec::new();
        for point in self.points.iter().flatten() {
            let mut heights: Vec<f64> = point.places.iter().map(|place| place.y).collect();
            heights.sort_by(f64::total_cmp);
            // Captures begin with a pose that is none of the motion's, and markers jump: one look in twenty may be lower.
            let floor = heights[heights.len() / 20];
            for (place, velocity) in point.places.iter().zip(&point.velocities) {
                let weight = smaller(1.0 - (place.y - floor) / (LOW * self.leg_m), 1.0);
                if weight > 0.0 {
                    low.push((level(*velocity), weight));
                }
            }
        }
        let low: Vec<(V3, f64)> = low.iter().copied().step_by(low.len() / COMPARED + 1).collect();
        let alike = ALIKE * self.leg_m;
        let near = |center: V3| low.iter().filter(move |(velocity, _)| velocity.distance(center) < alike);
        let weight = |center: V3| near(center).map(|(_, weight)| weight).sum::<f64>();
        let tried = low.iter().step_by(low.len() / TRIED + 1).map(|(velocity, _)| *velocity);
        let best = tried.map(|velocity| (weight(velocity), velocity)).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((most, mut ground)) = best else { return V3::ZERO };
        if weight(V3::ZERO) >= STILL * most {
            return V3::ZERO;
        }
        for _ in 0..4 {
            let sum = near(ground).fold(V3::ZERO, |sum, (velocity, weight)| sum + *velocity * *weight);
            ground = sum * (1.0 / weight(ground));
        }
        ground
    }

    /// True if the ground moves under the feet.
    pub(super) fn is_on_the_spot(&self) -> bool {
        self.ground != V3::ZERO
    }

    /// The way of the hips over the ground, per second.
    pub(super) fn travel(&self) -> V3 {
        level(self.hips[self.count - 1] - self.hips[0]) * (1.0 / self.duration_s)
    }

    /// True if the hips end somewhere else.
    pub(super) fn travels(&self) -> bool {
        self.travel().length() * self.duration_s > 0.25 * self.leg_m
    }

    /// Looks of one lap: of a loop, the last one is the first.
    fn period(&self) -> usize {
        if self.looping { self.count - 1 } else { self.count }
    }

    /// Of each foot, look by look, whether it stands.
    pub(super) fn standing(&self, rule: &ContactRule) -> [Vec<bool>; 2] {
        let height_m = rule.height_m.unwrap_or(LOW * self.leg_m);
        let slow = self
            .points
            .each_ref()
            .map(|points| points.iter().map(|point| self.slow(point, rule)).collect::<Vec<_>>());
        // Of each foot and point, the floor at each look.
        let floors = [0, 1].map(|side| {
            let points = self.points[side].iter().zip(&slow[side]);
            points.map(|(point, slow)| self.floors(point, slow)).collect::<Vec<_>>()
        });
        let lowest =
            |look: usize| floors.iter().flatten().map(|floor| floor[look]).fold(f64::INFINITY, smaller);
        let lowest: Vec<f64> = (0..self.period()).map(lowest).collect();
        [0, 1].map(|side| {
            let stands = |look: usize| {
                self.points[side].iter().enumerate().any(|(index, point)| {
                    let height = point.places[look].y;
                    slow[side][index][look]
                        && height - floors[side][index][look] < height_m
                        && height - lowest[look] < HIGHEST_STEP * self.leg_m
                })
            };
            let mut stands: Vec<bool> = (0..self.period()).map(stands).collect();
            self.without_wobbles(&mut stands);
            stands
        })
    }

    /// When a point goes with the ground. On the spot authors do not keep the ground's speed, but a foot that stands goes its way, and not up
    /// or down.
    fn slow(&self, point: &Point, rule: &ContactRule) -> Vec<bool> {
        let most = rule.speed.unwrap_or(SLOW * self.leg_m);
        let speed = self.ground.length();
        let slow = |velocity: &V3| {
            if self.is_on_the_spot() {
                velocity.dot(self.ground) > 0.0 && velocity.y.abs() < most + BOW * speed
            } else {
                velocity.length() < most
            }
        };
        point.velocities.iter().map(slow).collect()
    }

    /// At each look, the lowest that a point is nearby while it is slow; infinite where it never is.
    fn floors(&self, point: &Point, slow: &[bool]) -> Vec<f64> {
        let period = self.period();
        let height = |look: usize| if slow[look] { point.places[look].y } else { f64::INFINITY };
        let near = libm::round(NEAR_S / self.step_s) as usize;
        // The lowest of a window that moves: what is neither lower nor later than another never counts again.
        let mut kept: std::collections::VecDeque<(usize, f64)> = std::collections::VecDeque::new();
        let (mut floors, mut next) = (Vec::with_capacity(period), 0);
        // A loop is unrolled by as many looks as are near, at most once.
        let before = if self.looping { near.min(period) } else { 0 };
        let unrolled = |at: usize| height((at + period * 2 - before) % period);
        let end = if self.looping { period + 2 * before } else { period };
        for at in before..before + period {
            while next < end && next <= at + near {
                let own = unrolled(next);
                while kept.back().is_some_and(|(_, height)| *height >= own) {
                    kept.pop_back();
                }
                kept.push_back((next, own));
                next += 1;
            }
            while kept.front().is_some_and(|(look, _)| look + near < at) {
                kept.pop_front();
            }
            floors.push(kept.front().map_or(f64::INFINITY, |(_, height)| *height));
        }
        floors
    }

    /// Short gaps are filled, then short stances are gone. What touches an end of the clip goes on there, or nobody knows how long it lasts.
    fn without_wobbles(&self, stands: &mut [bool]) {
        let count = stands.len();
        // A loop is turned so that a stance starts it: then none goes over its end.
        let start = (0..count).find(|look| stands[*look] && !stands[(look + count - 1) % count]);
        let turned = start.filter(|_| self.looping).unwrap_or(0);
        stands.rotate_left(turned);
        for (of, shortest_s) in [(false, GAP_S), (true, SHORTEST_S)] {
            let mut at = 0;
            while at < count {
                let end = (at..count).find(|look| stands[*look] != stands[at]).unwrap_or(count);
                let whole = end - at < count && (self.looping || (at > 0 && end < count));
                if stands[at] == of && whole && (end - at) as f64 * self.step_s < shortest_s {
                    stands[at..end].fill(!of);
                }
                at = end;
            }
        }
        stands.rotate_right(turned);
    }

    /// From look to look; what stands at the last look stands to the end. In a loop, what goes on through its end is two.
    pub(super) fn spans(&self, stands: &[bool]) -> Vec<(f64, f64)> {
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
        spans.extend(since.map(|from| (from, self.duration_s)));
        spans.retain(|(from, to)| to > from);
        spans
    }

    /// How the character goes over the ground, and how fast feet that stand slide nevertheless; `None` if none stands.
    pub(super) fn root_from_feet(&self, rule: &ContactRule) -> Option<FromFeet> {
        let (mut squares, mut count) = (0.0, 0_u32);
        for (points, stands) in self.points.iter().zip(&self.standing(rule)) {
            for look in (0..stands.len()).filter(|look| stands[*look]) {
                // What carries the foot is what slides least.
                let slides = |point: &Point| level(point.velocities[look] - self.ground).length();
                let least = points.iter().map(slides).fold(f64::INFINITY, smaller);
                squares += least * least;
                count += 1;
            }
        }
        let slide = libm::sqrt(squares / f64::from(count));
        (count > 0).then_some(FromFeet { velocity: self.ground * -1.0, slide })
    }
}

fn level(v: V3) -> V3 {
    V3::new(v.x, 0.0, v.z)
}
