//! Blend spaces: how a place on a line or in a plane is shared among the clips that stand there, or what parameters give to each.
//!
//! Weights are never negative, sum to 1, and a clip has all of it where it stands.

use super::{
    PlaneBlend, Problem,
    delaunay::{self, Triangle},
};
use alloc::{boxed::Box, vec::Vec};

/// The most clips of a space.
pub const MAX_POINTS: usize = 32;

/// Numbers are kept apart by this much, at least, against the largest: what is nearer makes bad triangles.
const NEAR: f64 = 1.0e-6;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Space {
    kind: Kind,
    points: Box<[SpacePoint]>,
}

/// A clip of a space, and how it plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SpacePoint {
    pub(crate) clip: u16,
    pub(crate) own_time: bool,
    pub(crate) speed: f32,
    /// Among the points of its space, once it is in one.
    pub(crate) number: u8,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    One,
    /// Rising.
    Line(Box<[f64]>),
    Triangles {
        points: Box<[[f64; 2]]>,
        triangles: Box<[Triangle]>,
        /// The outline, counter-clockwise.
        hull: Box<[[u16; 2]]>,
    },
    Bands(Box<[[f64; 2]]>),
    /// Length and angle.
    Polar(Box<[[f64; 2]]>),
    /// The float parameter of every point but the first, which has what they leave.
    Direct(Box<[u16]>),
}

impl Space {
    pub(super) fn one(clip: u16) -> Self {
        let point = SpacePoint { clip, own_time: false, speed: 1.0, number: 0 };
        Self { kind: Kind::One, points: Box::new([point]) }
    }

    /// No clips: something else says what is played.
    pub(super) fn none() -> Self {
        Self { kind: Kind::One, points: Box::new([]) }
    }

    /// The points are finite, one or more, at most [`MAX_POINTS`].
    pub(super) fn line(points: &[(f32, SpacePoint)]) -> Result<Self, Problem> {
        let mut sorted: Vec<(f32, SpacePoint)> = points.to_vec();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at: Box<[f64]> = sorted.iter().map(|(at, _)| f64::from(*at)).collect();
        if at.windows(2).any(|pair| pair[1] <= pair[0]) {
            return Err(Problem::Points("two clips stand at one place"));
        }
        Ok(Self { kind: Kind::Line(at), points: numbered(sorted.iter().map(|(_, point)| *point)) })
    }

    /// The points are finite, one or more, at most [`MAX_POINTS`].
    pub(super) fn plane(blend: PlaneBlend, points: &[([f32; 2], SpacePoint)]) -> Result<Self, Problem> {
        let at: Box<[[f64; 2]]> = points.iter().map(|(at, _)| at.map(f64::from)).collect();
        let largest = at.iter().flatten().fold(0.0, |most, v| if v.abs() > most { v.abs() } else { most });
        for (i, a) in at.iter().enumerate() {
            if at[..i].iter().any(|b| length([a[0] - b[0], a[1] - b[1]]) <= largest * NEAR) {
                return Err(Problem::Points("two clips stand at one place"));
            }
        }
        let kind = match blend {
            PlaneBlend::Bands => Kind::Bands(at),
            PlaneBlend::DirectionalBands if at.contains(&[0.0; 2]) => {
                Kind::Polar(at.iter().map(|p| polar(*p)).collect())
            }
            PlaneBlend::DirectionalBands => {
                return Err(Problem::Points("one clip must stand at (0, 0), where there is no direction"));
            }
            PlaneBlend::Delaunay => {
                let (triangles, hull) = delaunay::triangulate(&at)
                    .ok_or(Problem::Points("triangles need three clips that are not in a line"))?;
                Kind::Triangles { points: at, triangles, hull }
            }
        };
        Ok(Self { kind, points: numbered(points.iter().map(|(_, point)| *point)) })
    }

    /// Points with a float parameter each, and one that has what they leave; at most [`MAX_POINTS`].
    pub(super) fn direct(rest: SpacePoint, points: &[(u16, SpacePoint)]) -> Self {
        let by = points.iter().map(|(by, _)| *by).collect();
        let all = core::iter::once(rest).chain(points.iter().map(|(_, point)| *point));
        Self { kind: Kind::Direct(by), points: numbered(all) }
    }

    /// The first point that plays this clip in its own time.
    pub(super) fn own_point(&self, clip: u16) -> Option<SpacePoint> {
        self.points.iter().copied().find(|point| point.own_time && point.clip == clip)
    }

    /// How many points.
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// A point by its number.
    pub(super) fn point(&self, number: usize) -> Option<SpacePoint> {
        self.points.get(number).copied()
    }

    /// The most clips that weigh something at once.
    pub(super) fn most(&self) -> usize {
        let clips = self.points.len();
        let most = match self.kind {
            Kind::One => 1,
            Kind::Line(_) => 2,
            Kind::Triangles { .. } => 3,
            Kind::Bands(_) | Kind::Polar(_) | Kind::Direct(_) => clips,
        };
        if most < clips { most } else { clips }
    }

    /// The place itself, or the last one within the outline on the way to it: the same direction, if places are velocities.
    pub(super) fn inward(&self, place: [f32; 2]) -> [f32; 2] {
        let Kind::Triangles { points, hull, .. } = &self.kind else { return place };
        let share = delaunay::share_within(points, hull, place.map(f64::from));
        if share < 1.0 { place.map(|v| (f64::from(v) * share) as f32) } else { place }
    }

    /// The clips that weigh something at a place, and their weights; a line looks at its first number alone, and weights of their
    /// own at float parameters.
    pub(super) fn shares(
        &self,
        place: [f32; 2],
        float: impl Fn(u16) -> f32,
        mut each: impl FnMut(SpacePoint, f32),
    ) {
        let place = place.map(f64::from);
        let mut push = |point: usize, weight: f64| {
            if weight > 0.0 {
                each(self.points[point], weight as f32);
            }
        };
        match &self.kind {
            Kind::One => push(0, 1.0),
            Kind::Line(at) => {
                let next = at.partition_point(|p| *p <= place[0]);
                match (next.checked_sub(1), at.get(next)) {
                    (Some(before), Some(after)) => {
                        let t = (place[0] - at[before]) / (after - at[before]);
                        push(before, 1.0 - t);
                        push(next, t);
                    }
                    (Some(last), None) => push(last, 1.0),
                    (None, _) => push(0, 1.0),
                }
            }
            Kind::Triangles { points, triangles, hull } => {
                delaunay::shares(points, triangles, hull, place, push);
            }
            Kind::Bands(at) => {
                bands(at.len(), push, |i, j| {
                    let ([a, b], from) = ([place, at[j]], at[i]);
                    ratio([a[0] - from[0], a[1] - from[1]], [b[0] - from[0], b[1] - from[1]])
                });
            }
            Kind::Polar(at) => {
                let here = polar(place);
                bands(at.len(), push, |i, j| polar_ratio(at[i], here, at[j]));
            }
            Kind::Direct(by) => {
                let weight = |by: u16| f64::from(if float(by) > 0.0 { float(by) } else { 0.0 });
                let asked = by.iter().fold(0.0, |sum, by| sum + weight(*by));
                let most = if asked > 1.0 { asked } else { 1.0 };
                push(0, 1.0 - asked / most);
                for (i, by) in by.iter().enumerate() {
                    push(i + 1, weight(*by) / most);
                }
            }
        }
    }
}

fn numbered(points: impl Iterator<Item = SpacePoint>) -> Box<[SpacePoint]> {
    points.enumerate().map(|(number, point)| SpacePoint { number: number as u8, ..point }).collect()
}

/// A clip's weight is what the other clips leave of it: `passed(i, j)` says how far the place lies on the way from clip i
/// to clip j.
fn bands(count: usize, mut push: impl FnMut(usize, f64), passed: impl Fn(usize, usize) -> f64) {
    let mut weights = [0.0; MAX_POINTS];
    let (mut total, mut best, mut most) = (0.0, 0, f64::NEG_INFINITY);
    for (i, weight) in weights[..count].iter_mut().enumerate() {
        let mut left = 1.0;
        for j in (0..count).filter(|j| *j != i) {
            let here = 1.0 - passed(i, j);
            left = if here < left { here } else { left };
        }
        if left > most {
            (best, most) = (i, left);
        }
        *weight = if left > 0.0 { left } else { 0.0 };
        total += *weight;
    }
    // Among angles it may happen that nothing is left of any clip.
    if total <= 0.0 {
        return push(best, 1.0);
    }
    for (i, weight) in weights[..count].iter().enumerate() {
        push(i, weight / total);
    }
}

/// How far a goes along b.
fn ratio(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) / (b[0] * b[0] + b[1] * b[1])
}

/// The same between places of length and angle: lengths against their mean, angles twice. What has no length has no
/// direction: then lengths alone count.
fn polar_ratio(from: [f64; 2], here: [f64; 2], to: [f64; 2]) -> f64 {
    let mean = (from[0] + to[0]) * 0.5;
    let directed = from[0] > 0.0 && here[0] > 0.0 && to[0] > 0.0;
    let way =
        |p: [f64; 2]| [(p[0] - from[0]) / mean, if directed { 2.0 * half_turn(p[1] - from[1]) } else { 0.0 }];
    ratio(way(here), way(to))
}

/// The same direction within half a turn, of an angle within one and a half.
pub(crate) fn half_turn(angle: f64) -> f64 {
    use core::f64::consts::{PI, TAU};
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}

fn length(v: [f64; 2]) -> f64 {
    libm::sqrt(v[0] * v[0] + v[1] * v[1])
}

fn polar(p: [f64; 2]) -> [f64; 2] {
    [length(p), libm::atan2(p[1], p[0])]
}
