//! The largest numbers, on both sides.

use crate::kit;
use lissom::math::simd::Backend;
use lissom_motion::matching::{
    Database, DatabaseParts, FeatureGroup, FrameRange, MAX_COLUMNS, MAX_FEATURES, clamp, columns, steps,
};

fn far_away(features: usize, has_biases: bool) -> DatabaseParts {
    let most = clamp(columns(features, has_biases));
    DatabaseParts {
        rate_hz: 30.0,
        clips: vec!["clip".into()],
        groups: vec![FeatureGroup { name: "all".into(), weight: 1.0 }],
        features: vec![kit::feature(0); features],
        ranges: vec![FrameRange { frames: 2, entry_to: 2, ..FrameRange::default() }],
        rows: [vec![most; features], vec![-most; features]].concat(),
        biases: if has_biases { vec![most; 2] } else { Vec::new() },
        ..DatabaseParts::default()
    }
}

#[test]
fn no_sum_exceeds_31_bits_for_any_number_of_features() {
    for features in 1..=MAX_FEATURES {
        for has_biases in [false, true] {
            let columns = columns(features, has_biases);
            assert!(columns <= MAX_COLUMNS && columns.is_multiple_of(2));
            let most = i64::from(clamp(columns));
            assert!(columns as i64 * (2 * most).pow(2) < 1 << 31, "{features} features");
            assert!(2 * most < 1 << 15, "{features} features");
            // Nor is there room for more.
            assert!(most == 16_383 || columns as i64 * (2 * (most + 1)).pow(2) >= 1 << 31);
            // A deviation has steps enough, and 21 deviations fit.
            assert!(steps(columns) >= 100.0 && 21.0 * steps(columns) <= most as f32);
        }
    }
}

#[test]
fn the_largest_cost_is_counted_whole_on_every_backend() {
    for features in 1..=MAX_FEATURES {
        for has_biases in [false, true] {
            let parts = far_away(features, has_biases);
            let most = i64::from(clamp(parts.columns()));
            let database = Database::new(&parts).unwrap();
            let bias = if has_biases { most * most } else { 0 };
            // The frame at the other end of all columns is asked for as the one that plays, so that its cost is told.
            for value in [f32::MAX, f32::MIN] {
                let query = database.query(&vec![value; features]).unwrap();
                let other = u32::from(value > 0.0);
                let far = database.cost(&query, other).unwrap();
                assert_eq!(i64::from(far), features as i64 * (2 * most).pow(2) + bias);
                for backend in Backend::all() {
                    let (found, _) = database.search_on(backend, &query).unwrap();
                    assert_eq!((found.frame, i64::from(found.cost)), (1 - other, bias), "{backend}");
                    // Only the far frame may be found.
                    let mut one = parts.clone();
                    one.ranges[0] =
                        FrameRange { entry_from: other, entry_to: other + 1, ..one.ranges[0].clone() };
                    let one = Database::new(&one).unwrap();
                    let query = one.query(&vec![value; features]).unwrap();
                    let (found, _) = one.search_on(backend, &query).unwrap();
                    assert_eq!((found.frame, found.cost), (other, far), "{backend}");
                }
            }
        }
    }
}

#[test]
fn a_value_beyond_the_clamp_counts_as_the_clamp() {
    let database = Database::new(&far_away(3, false)).unwrap();
    let most = f32::from(clamp(4));
    let near = database.query(&[most, -most, most]).unwrap();
    assert_eq!(database.query(&[most + 1.0, -most - 0.5, 1.0e38]).unwrap(), near);
    assert_ne!(database.query(&[most - 1.0, -most, most]).unwrap(), near);
}

#[test]
fn costs_are_told_in_deviations_and_back() {
    let database = Database::new(&far_away(27, true)).unwrap();
    let step = steps(28);
    assert_eq!(database.in_deviations((step * step) as i32).round(), 1.0);
    assert_eq!(database.cost_of(0.0), 0);
    assert_eq!(database.cost_of(f32::MAX), i32::MAX);
    let cost = database.cost_of(0.75);
    assert!((database.in_deviations(cost) - 0.75).abs() < 1.0e-3);
}
