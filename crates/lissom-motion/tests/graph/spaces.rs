//! Weights of blend spaces.

use super::{Played, seconds};
use lissom_motion::{GraphParts, LayerParts, PlaneBlend, StateParts};
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
            let points =
                if blend == PlaneBlend::DirectionalBands { around(&mut rng) } else { scattered(&mut rng) };
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

#[test]
fn weights_change_little_where_the_place_changes_little() {
    let mut rng = Rng::new(4);
    for blend in [PlaneBlend::Delaunay, PlaneBlend::Bands, PlaneBlend::DirectionalBands] {
        let mut most = 0.0_f32;
        for _ in 0..20 {
            let points =
                if blend == PlaneBlend::DirectionalBands { around(&mut rng) } else { scattered(&mut rng) };
            let mut played = plane(blend, &points);
            for _ in 0..200 {
                let place = [rng.range(-4.0, 4.0), rng.range(-4.0, 4.0)];
                let near = place.map(|v| v + rng.signed() * 1.0e-4);
                let (a, b) = (weights(&mut played, place), weights(&mut played, near));
                let change = a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>();
                most = if change > most { change } else { most };
            }
        }
        // 1e-4 of a place, by the steepest slope between points that stand 0.4 apart.
        assert!(most < 5.0e-3, "{blend:?}: {most}");
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
