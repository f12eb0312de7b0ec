//! Triangles over the points of a plane.
//!
//! Made once: the points are swept from left to right, each new one is joined to the outline that it sees, then edges
//! are flipped until no point lies in the circle of a triangle that it is no corner of. Few points: lists are
//! searched.

use alloc::{boxed::Box, vec::Vec};

/// Corners, counter-clockwise, twice the area, and one over that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Triangle {
    corners: [u16; 3],
    area: f64,
    inverse: f64,
}

type Point = [f64; 2];
type Edge = [u16; 2];
/// And the hull, counter-clockwise.
type Triangulation = (Box<[Triangle]>, Box<[Edge]>);

/// Below this share of the square of the points' reach an area counts as 0, and of its fourth power a circle test.
const FLAT: f64 = 1.0e-9;

/// Twice the area of a triangle; positive if counter-clockwise.
fn area(a: Point, b: Point, c: Point) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Triangles that cover the points' hull, and the hull; `None` if all points lie in a line.
pub(super) fn triangulate(points: &[Point]) -> Option<Triangulation> {
    let mut order: Vec<u16> = (0..points.len() as u16).collect();
    let at = |i: u16| points[usize::from(i)];
    order.sort_by(|a, b| {
        let (a, b) = (at(*a), at(*b));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
    });
    let (low, high) = points.iter().fold(([f64::MAX; 2], [f64::MIN; 2]), |(low, high), p| {
        let less = |a, b| if a < b { a } else { b };
        let more = |a, b| if a > b { a } else { b };
        ([less(low[0], p[0]), less(low[1], p[1])], [more(high[0], p[0]), more(high[1], p[1])])
    });
    let reach = (high[0] - low[0]) + (high[1] - low[1]);
    let flat = reach * reach * FLAT;

    // Points in a line come first; the first one beside it sees them all.
    let (first, last) = (at(*order.first()?), |i: usize| at(order[i]));
    let apex = (2..order.len()).find(|i| area(first, last(*i - 1), last(*i)).abs() > flat)?;
    let tip = order[apex];
    let left = area(first, last(apex - 1), at(tip)) > 0.0;
    let mut triangles: Vec<[u16; 3]> = Vec::new();
    let mut hull: Vec<Edge> = Vec::new();
    for pair in order[..apex].windows(2) {
        let edge = if left { [pair[0], pair[1]] } else { [pair[1], pair[0]] };
        triangles.push([edge[0], edge[1], tip]);
        hull.push(edge);
    }
    let (start, end) = (order[0], order[apex - 1]);
    let sides = if left { [[end, tip], [tip, start]] } else { [[start, tip], [tip, end]] };
    hull.extend(sides);

    for new in order[apex + 1..].iter().copied() {
        let seen: Vec<Edge> =
            hull.iter().copied().filter(|[a, b]| area(at(*a), at(*b), at(new)) < -flat).collect();
        if seen.is_empty() {
            return None;
        }
        hull.retain(|edge| !seen.contains(edge));
        for [a, b] in seen.iter().copied() {
            triangles.push([b, a, new]);
            // The ends of what is seen become edges to the new point.
            if !seen.iter().any(|edge| edge[1] == a) {
                hull.push([a, new]);
            }
            if !seen.iter().any(|edge| edge[0] == b) {
                hull.push([new, b]);
            }
        }
    }
    flip(points, &mut triangles, flat * reach * reach);
    let triangles = triangles.iter().map(|corners| {
        let [a, b, c] = corners.map(at);
        let area = area(a, b, c);
        Triangle { corners: *corners, area, inverse: 1.0 / area }
    });
    Some((triangles.collect(), hull.into()))
}

/// Flips edges until every circle is empty. Each flip makes the triangulation better, so that it ends; the bound is for
/// what rounding may do.
fn flip(points: &[Point], triangles: &mut [[u16; 3]], flat: f64) {
    let at = |i: u16| points[usize::from(i)];
    for _ in 0..points.len() * points.len() {
        let mut flipped = false;
        for i in 0..triangles.len() {
            for corner in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|k| triangles[i][(corner + k) % 3]);
                // The triangle on the other side of the edge from a to b.
                let other = (0..triangles.len()).find_map(|j| {
                    let near = (0..3).find(|k| triangles[j][*k] == b && triangles[j][(k + 1) % 3] == a)?;
                    Some((j, triangles[j][(near + 2) % 3]))
                });
                if let Some((j, d)) = other
                    && in_circle(at(a), at(b), at(c), at(d)) > flat
                {
                    (triangles[i], triangles[j]) = ([c, a, d], [d, b, c]);
                    flipped = true;
                    break;
                }
            }
        }
        if !flipped {
            return;
        }
    }
}

/// Positive if d lies in the circle through a, b, c, which stand counter-clockwise.
fn in_circle(a: Point, b: Point, c: Point, d: Point) -> f64 {
    let [a, b, c] = [a, b, c].map(|p| {
        let (x, y) = (p[0] - d[0], p[1] - d[1]);
        [x, y, x * x + y * y]
    });
    let minor = |p: [f64; 3], q: [f64; 3]| p[0] * q[1] - p[1] * q[0];
    (a[2] * minor(b, c) - b[2] * minor(a, c)) + c[2] * minor(a, b)
}

/// How much of the way from the origin to a place lies within the hull, in [0, 1]. Edges that do not have the origin before them do not
/// count: from there no direction leads to them.
pub(super) fn share_within(points: &[Point], hull: &[Edge], place: Point) -> f64 {
    let mut within = 1.0;
    for edge in hull {
        let [a, b] = edge.map(|i| points[usize::from(i)]);
        // Outward of an edge that goes counter-clockwise.
        let out = [b[1] - a[1], a[0] - b[0]];
        let length = |v: Point| libm::sqrt(v[0] * v[0] + v[1] * v[1]);
        let (edge_at, place_at) = (out[0] * a[0] + out[1] * a[1], out[0] * place[0] + out[1] * place[1]);
        if edge_at > length(out) * length(a) * FLAT && edge_at < place_at * within {
            within = edge_at / place_at;
        }
    }
    within
}

/// The shares of the corners around a place; outside of the hull those of the nearest place on it.
pub(super) fn shares(
    points: &[Point],
    triangles: &[Triangle],
    hull: &[Edge],
    place: Point,
    mut push: impl FnMut(usize, f64),
) {
    let at = |i: u16| points[usize::from(i)];
    // The triangle that the place is deepest in, or least outside of: rounding leaves no gaps between triangles.
    let mut best: Option<(f64, &Triangle)> = None;
    for triangle in triangles {
        let [a, b, c] = triangle.corners.map(at);
        let (v, w) = (area(a, place, c) * triangle.inverse, area(a, b, place) * triangle.inverse);
        let u = 1.0 - v - w;
        let least = if v < w { v } else { w };
        let least = if u < least { u } else { least };
        if best.is_none_or(|(most, _)| least > most) {
            best = Some((least, triangle));
        }
    }
    if let Some((least, Triangle { corners, area: all, .. })) = best
        && least >= -FLAT
    {
        let [a, b, c] = corners.map(at);
        // Divided, they are exactly 0 and 1 at the corners.
        let (v, w) = (area(a, place, c) / all, area(a, b, place) / all);
        let weights = [1.0 - v - w, v, w];
        let weights = weights.map(|weight| if weight > 0.0 { weight } else { 0.0 });
        let total = weights[0] + weights[1] + weights[2];
        for (corner, weight) in corners.iter().zip(weights) {
            push(usize::from(*corner), weight / total);
        }
        return;
    }
    let mut nearest = (f64::INFINITY, [0; 2], 0.0);
    for edge in hull {
        let [a, b] = edge.map(at);
        let (along, to) = ([b[0] - a[0], b[1] - a[1]], [place[0] - a[0], place[1] - a[1]]);
        let t = (to[0] * along[0] + to[1] * along[1]) / (along[0] * along[0] + along[1] * along[1]);
        let t = if t > 1.0 {
            1.0
        } else if t > 0.0 {
            t
        } else {
            0.0
        };
        let off = [to[0] - along[0] * t, to[1] - along[1] * t];
        let distance = off[0] * off[0] + off[1] * off[1];
        if distance < nearest.0 {
            nearest = (distance, *edge, t);
        }
    }
    let (_, [a, b], t) = nearest;
    push(usize::from(a), 1.0 - t);
    push(usize::from(b), t);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_testkit::rng::Rng;

    /// No point in any circle, areas positive, and they sum to the hull's.
    fn check(points: &[Point]) {
        let (triangles, hull) = triangulate(points).unwrap();
        let at = |i: u16| points[usize::from(i)];
        let mut sum = 0.0;
        for triangle in &triangles {
            let [a, b, c] = triangle.corners.map(at);
            assert!(triangle.area > 0.0, "{triangle:?}");
            sum += triangle.area;
            for p in points {
                assert!(in_circle(a, b, c, *p) < 1.0e-5, "{p:?} in the circle of {triangle:?}");
            }
        }
        let whole: f64 = hull.iter().map(|[a, b]| area([0.0; 2], at(*a), at(*b))).sum();
        assert!((sum - whole).abs() < 1.0e-9 * whole, "{sum} of {whole}");
        let used: Vec<u16> = triangles.iter().flat_map(|triangle| triangle.corners).collect();
        assert!((0..points.len() as u16).all(|i| used.contains(&i)));
    }

    #[test]
    fn circles_are_empty_and_the_hull_is_covered() {
        let mut rng = Rng::new(11);
        for _ in 0..500 {
            let count = 3 + rng.below(20);
            check(&(0..count).map(|_| [rng.signed_f64() * 3.0, rng.signed_f64()]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn grids_and_crosses_have_triangles_too() {
        let grid = |n: i32| (0..n * n).map(move |i| [f64::from(i % n), f64::from(i / n)]).collect::<Vec<_>>();
        check(&grid(2));
        check(&grid(5));
        check(&[[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]);
        check(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [0.0, 1.0]]);
        assert!(triangulate(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).is_none());
        assert!(triangulate(&[[0.0, 0.0], [1.0, 1.0]]).is_none());
    }
}
