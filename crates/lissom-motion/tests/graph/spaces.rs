//! Weights of blend spaces.

use super::{Played, seconds};
use lissom_motion::{
    GraphParts,
    graph::{LayerParts, PlaneBlend, StateParts},
};
use lissom_testkit::rng::Rng;

const NAMES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

fn plane(blend: PlaneBlend, points: &[[f32; 2]]) -> Played {
    let points: Vec<_> = points.iter().copied().zip(NAMES).collect();
    let layer = LayerParts::new("body").state(StateParts::plane("move", ["x", "y"], blend, &points));
    Played::new(seconds(&GraphParts::new().float("x", 0.0).float("y", 0.0).layer(layer)))
}

/// One weight a name.
fn weights(played: &mut Played, place: [f32; 2]) -> [f32; NAMES.len()] {
    let [x, y] = ["x", "y"].map(|name| played.graph.float(name).unwrap());
    played.state.set(x, place[0]).unwrap();
    played.state.set(y, place[1]).unwrap();
    played.update(1.0 / 64.0);
    let found = played.weights(0);
    let weights = NAMES.map(|name| found.iter().filter(|(n, _)| *n == name).map(|(_, w)| w).sum());
    let total: f32 = weights.iter().sum();
    assert!((total - 1.0).abs() < 1.0e-6, "{weights:?} at {place:?}");
    assert!(weights.iter().all(|w| *w >= 0.0));
    weights
}

/// Eight directions around a centre, at two lengths.
fn around(rng: &mut Rng) -> Vec<[f32; 2]> {
    let mut points = vec![[0.0; 2]];
    for i in 0..8 {
        let angle = f64::from(i) * core::f64::consts::TAU / 8.0;
        let length = f64::from(rng.range(1.0, 2.0));
        points.push([(length * libm::cos(angle)) as f32, (length * libm::sin(angle)) as f32]);
    }
    points
}

fn scattered(rng: &mut Rng) -> Vec<[f32; 2]> {
    // One in each cell of a grid, so that none is near another.
    let cell = |i: usize| [(i % 4) as f32 - 1.5, (i / 4) as f32 - 1.0];
    (0..NAMES.len()).map(|i| cell(i).map(|c| c + rng.range(-0.3, 0.3))).collect()
}

#[test]
fn a_clip_has_all_of_it_where_it_stands() {
    let mut rng = Rng::new(3);
    for blend in [PlaneBlend::Delaunay, PlaneBlend::Bands, PlaneBlend::DirectionalBands] {
        for _ in 0..50 {
            let points = points_for(blend, &mut rng);
            let mut played = plane(blend, &points);
            for (i, point) in points.iter().enumerate() {
                let weights = weights(&mut played, *point);
                // Angles are rounded.
                let far = if blend == PlaneBlend::DirectionalBands { 1.0e-6 } else { 0.0 };
                assert!((weights[i] - 1.0).abs() <= far, "{blend:?}: {weights:?} at point {i}");
            }
        }
    }
}

/// Points of a kind that suits the blend.
fn points_for(blend: PlaneBlend, rng: &mut Rng) -> Vec<[f32; 2]> {
    if blend == PlaneBlend::DirectionalBands { around(rng) } else { scattered(rng) }
}

/// From a random place to another the way is halved again and again, and the half is kept in which the weights change more: a
/// jump that lies on the way is found, wherever it is.
#[test]
fn weights_change_little_where_the_place_changes_little() {
    let mut rng = Rng::new(4);
    for blend in [PlaneBlend::Delaunay, PlaneBlend::Bands, PlaneBlend::DirectionalBands] {
        for _ in 0..20 {
            let mut played = plane(blend, &points_for(blend, &mut rng));
            for _ in 0..20 {
                let [mut a, mut b] = [(); 2].map(|()| [rng.range(-3.0, 3.0), rng.range(-3.0, 3.0)]);
                let [mut at_a, mut at_b] = [a, b].map(|place| weights(&mut played, place));
                let change = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>();
                for _ in 0..22 {
                    let middle = [0, 1].map(|i| (a[i] + b[i]) * 0.5);
                    let at_middle = weights(&mut played, middle);
                    if change(&at_a, &at_middle) > change(&at_middle, &at_b) {
                        (b, at_b) = (middle, at_middle);
                    } else {
                        (a, at_a) = (middle, at_middle);
                    }
                }
                // Places are then neighbours in f32. Even in a flat triangle weights change by a thousandth.
                let change = change(&at_a, &at_b);
                assert!(change < 1.0e-3, "{blend:?}: {change} from {a:?} to {b:?}");
            }
        }
    }
}

/// The weights of three corners: the place is their sum by weight, and the weights sum to 1. By Cramer's rule.
fn barycentric(corners: [[f64; 2]; 3], place: [f64; 2]) -> [f64; 3] {
    let det = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        a[0] * b[1] - a[1] * b[0] + b[0] * c[1] - b[1] * c[0] + c[0] * a[1] - c[1] * a[0]
    };
    let [a, b, c] = corners;
    let whole = det(a, b, c);
    [det(place, b, c) / whole, det(a, place, c) / whole, det(a, b, place) / whole]
}

/// Centre and squared radius of the circle through three points.
fn circle([a, b, c]: [[f64; 2]; 3]) -> ([f64; 2], f64) {
    let (b, c) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let d = 2.0 * (b[0] * c[1] - b[1] * c[0]);
    let (bb, cc) = (b[0] * b[0] + b[1] * b[1], c[0] * c[0] + c[1] * c[1]);
    let from_a = [(c[1] * bb - b[1] * cc) / d, (b[0] * cc - c[0] * bb) / d];
    ([a[0] + from_a[0], a[1] + from_a[1]], squared(from_a))
}

/// Of all triangles the one around a place whose circle holds no other point, and the weights of its corners.
fn delaunay_by_search(points: &[[f64; 2]], place: [f64; 2]) -> Option<Vec<f64>> {
    for i in 0..points.len() {
        for j in 0..i {
            for k in 0..j {
                let corners = [i, j, k].map(|corner| points[corner]);
                let shares = barycentric(corners, place);
                let (centre, radius) = circle(corners);
                let away = |p: &[f64; 2]| squared([p[0] - centre[0], p[1] - centre[1]]);
                let is_corner = |p: usize| [i, j, k].contains(&p);
                let empty = (0..points.len()).all(|p| is_corner(p) || away(&points[p]) > radius);
                if empty && shares.iter().all(|share| *share >= 0.0) {
                    let mut weights = vec![0.0; points.len()];
                    [i, j, k].into_iter().zip(shares).for_each(|(corner, share)| weights[corner] = share);
                    return Some(weights);
                }
            }
        }
    }
    None
}

/// Gradient bands as they are defined: a clip has 1 less the largest share of the way from it to another clip that the place has
/// gone, at least 0; then all are divided by their sum. `None` where nothing is left of any clip.
fn bands_by_definition<const N: usize>(
    count: usize,
    to_place: impl Fn(usize, usize) -> [f64; N],
    to_clip: impl Fn(usize, usize) -> [f64; N],
) -> Option<Vec<f64>> {
    let dot = |a: [f64; N], b: [f64; N]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let own = |i: usize| {
        let others = (0..count).filter(|j| *j != i);
        let left =
            others.map(|j| 1.0 - dot(to_place(i, j), to_clip(i, j)) / dot(to_clip(i, j), to_clip(i, j)));
        let least = left.fold(1.0, |least: f64, left| if left < least { left } else { least });
        if least > 0.0 { least } else { 0.0 }
    };
    let weights: Vec<f64> = (0..count).map(own).collect();
    let total: f64 = weights.iter().sum();
    (total > 0.0).then(|| weights.iter().map(|weight| weight / total).collect())
}

fn squared(v: [f64; 2]) -> f64 {
    v[0] * v[0] + v[1] * v[1]
}

fn length(v: [f64; 2]) -> f64 {
    squared(v).sqrt()
}

/// From the direction of one vector to that of another, by the shorter way.
fn turn(from: [f64; 2], to: [f64; 2]) -> f64 {
    libm::atan2(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1])
}

fn expected_weights(blend: PlaneBlend, points: &[[f64; 2]], place: [f64; 2]) -> Option<Vec<f64>> {
    let minus = |a: [f64; 2], b: [f64; 2]| [a[0] - b[0], a[1] - b[1]];
    // Lengths against the mean of both clips', and twice the turn. What has no length has no direction.
    let polar = |i: usize, j: usize, to: [f64; 2]| {
        let mean = (length(points[i]) + length(points[j])) * 0.5;
        let along = (length(to) - length(points[i])) / mean;
        let directed = [points[i], points[j], place].into_iter().all(|p| length(p) > 0.0);
        [along, if directed { 2.0 * turn(points[i], to) } else { 0.0 }]
    };
    match blend {
        PlaneBlend::Delaunay => delaunay_by_search(points, place),
        PlaneBlend::Bands => bands_by_definition(
            points.len(),
            |i, _| minus(place, points[i]),
            |i, j| minus(points[j], points[i]),
        ),
        PlaneBlend::DirectionalBands => {
            bands_by_definition(points.len(), |i, j| polar(i, j, place), |i, j| polar(i, j, points[j]))
        }
    }
}

#[test]
fn weights_between_clips_are_those_of_the_definition() {
    let mut rng = Rng::new(6);
    for blend in [PlaneBlend::Delaunay, PlaneBlend::Bands, PlaneBlend::DirectionalBands] {
        let (mut compared, mut shared) = (0, 0);
        for _ in 0..25 {
            let points = points_for(blend, &mut rng);
            let exact: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::from)).collect();
            let mut played = plane(blend, &points);
            for _ in 0..40 {
                let place = [rng.range(-1.6, 1.6), rng.range(-1.2, 1.2)];
                let Some(expected) = expected_weights(blend, &exact, place.map(f64::from)) else { continue };
                let found = weights(&mut played, place);
                for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let off = (f64::from(*found) - expected).abs();
                    assert!(off < 1e-5, "{blend:?} at {place:?}, clip {i}: {found}, not {expected}");
                }
                compared += 1;
                // Weights that a choice of one or two clips would not give.
                shared += usize::from(expected.iter().filter(|weight| **weight > 0.05).count() > 2);
            }
        }
        assert!(compared > 500 && shared > 200, "{blend:?}: {compared} places, {shared} among three clips");
    }
}

#[test]
fn weights_between_three_clips_are_known() {
    use PlaneBlend::{Bands, Delaunay, DirectionalBands};
    let corner = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];
    let polar = |length: f64, degrees: f64| {
        let angle = degrees.to_radians();
        [(length * libm::cos(angle)) as f32, (length * libm::sin(angle)) as f32]
    };
    let third = 1.0 / 3.0;
    let known: [(PlaneBlend, [f32; 2], [f32; 3]); 7] = [
        (Delaunay, [0.5, 0.25], [0.625, 0.25, 0.125]),
        (Delaunay, [1.0, 0.75], [0.125, 0.5, 0.375]),
        // Of the first clip 3/4 are left, of the others 1/4 each.
        (Bands, [0.5, 0.5], [0.6, 0.2, 0.2]),
        // Of the second 3/4 are left, of the others 1/4 each.
        (Bands, [1.5, 0.5], [0.2, 0.6, 0.2]),
        // Half of the length, half of the turn.
        (DirectionalBands, polar(1.0, 45.0), [third; 3]),
        // A quarter of the turn: 1/2, 1/2 and 1/4 are left.
        (DirectionalBands, polar(1.0, 22.5), [0.4, 0.4, 0.2]),
        (DirectionalBands, polar(2.0, 67.5), [0.0, 0.25, 0.75]),
    ];
    for (blend, place, expected) in known {
        let found = weights(&mut plane(blend, &corner), place);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{blend:?} at {place:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn a_line_is_exact_at_its_points_and_even_between() {
    let points = [(4.0, "run"), (0.0, "idle"), (1.5, "walk")];
    let layer = LayerParts::new("body").state(StateParts::line("move", "speed", &points));
    let mut played = Played::new(seconds(&GraphParts::new().float("speed", 0.0).layer(layer)));
    let speed = played.graph.float("speed").unwrap();
    let expected: [(f32, &[(&str, f32)]); 6] = [
        (-1.0, &[("idle", 1.0)]),
        (0.0, &[("idle", 1.0)]),
        (0.375, &[("idle", 0.75), ("walk", 0.25)]),
        (1.5, &[("walk", 1.0)]),
        (4.0, &[("run", 1.0)]),
        (1.0e30, &[("run", 1.0)]),
    ];
    for (at, weights) in expected {
        played.state.set(speed, at).unwrap();
        played.update(0.1);
        assert_eq!(played.weights(0), weights, "at {at}");
    }
}

#[test]
fn clips_with_weights_of_their_own_leave_the_rest_to_one_and_share_what_is_too_much() {
    const BY: [&str; 3] = ["p", "q", "r"];
    let points: Vec<_> = BY.into_iter().zip(["smile", "blink", "frown"]).collect();
    let layer = LayerParts::new("face").state(StateParts::direct("face", "calm", &points));
    let parts = BY.iter().fold(GraphParts::new(), |parts, by| parts.float(by, 0.0));
    let mut played = Played::new(seconds(&parts.layer(layer)));
    let known: [([f32; 3], [f32; 4]); 7] = [
        ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
        ([0.25, 0.0, 0.0], [0.75, 0.25, 0.0, 0.0]),
        ([0.25, 0.5, 0.0], [0.25, 0.25, 0.5, 0.0]),
        ([0.5, 0.25, 0.25], [0.0, 0.5, 0.25, 0.25]),
        ([1.0, 1.0, 2.0], [0.0, 0.25, 0.25, 0.5]),
        ([-3.0, 0.5, -0.0], [0.5, 0.0, 0.5, 0.0]),
        ([f32::MAX, f32::MAX, -f32::MAX], [0.0, 0.5, 0.5, 0.0]),
    ];
    for (values, expected) in known {
        for (by, value) in BY.into_iter().zip(values) {
            let by = played.graph.float(by).unwrap();
            played.state.set(by, value).unwrap();
        }
        played.update(1.0 / 64.0);
        let expected = ["calm", "smile", "blink", "frown"].into_iter().zip(expected);
        let expected: Vec<_> = expected.filter(|(_, weight)| *weight > 0.0).collect();
        assert_eq!(played.weights(0), expected, "{values:?}");
    }
}

#[test]
fn outside_of_its_triangles_a_plane_holds_the_nearest_edge() {
    let mut played = plane(PlaneBlend::Delaunay, &[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]);
    assert_eq!(weights(&mut played, [0.5, -3.0])[..3], [0.75, 0.25, 0.0]);
    assert_eq!(weights(&mut played, [5.0, -3.0])[..3], [0.0, 1.0, 0.0]);
    assert_eq!(weights(&mut played, [1.0e6, 1.0e6])[..3], [0.0, 0.5, 0.5]);
}

#[test]
fn clips_of_a_blend_keep_step_whatever_their_lengths() {
    let layer =
        LayerParts::new("body").state(StateParts::line("move", "speed", &[(0.0, "walk"), (1.0, "run")]));
    let parts = GraphParts::new().float("speed", 0.5).layer(layer);
    let length = |clip: &str| Some(if clip == "walk" { 1.25 } else { 0.75 });
    let mut played = Played::new(lissom_motion::Graph::new(&parts, length).unwrap());
    // Their mean is a second: after 60 of 64 parts of it both are in the same place of their laps.
    for _ in 0..60 {
        played.update(1.0 / 64.0);
    }
    for entry in played.frame.entries() {
        assert_eq!(entry.to.progress_s(), 60.0 / 64.0);
        let span = entry.span(&played.graph).unwrap();
        let line = span.timeline();
        assert!((line.time_s(span.to()) / line.duration_s() - 60.0 / 64.0).abs() < 1.0e-12);
    }
}
