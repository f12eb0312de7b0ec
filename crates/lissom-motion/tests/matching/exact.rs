//! Index and cost are those of plain code.

use crate::kit::{self, SHAPES, Shape};
use lissom::math::simd::Backend;
use lissom_motion::matching::{Database, Found, Query, clamp};
use lissom_testkit::{alloc::assert_no_alloc, rng::Rng};

/// Asks a database on every backend, one by one and all at once.
fn compare(rng: &mut Rng, shape: Shape, frames: usize, features: usize, asks: usize) {
    let parts = kit::parts(rng, shape, frames, features);
    let database = Database::new(&parts).unwrap();
    assert_eq!(database.frames() as usize, frames);
    let asks: Vec<kit::Ask> = (0..asks).map(|_| kit::ask(rng, &parts)).collect();
    let queries: Vec<Query> = asks.iter().map(|ask| kit::query(&database, ask)).collect();
    let mut together = vec![Found::default(); queries.len()];
    assert_no_alloc(|| database.search_all(&queries, &mut together).unwrap());
    for ((ask, query), together) in asks.iter().zip(&queries).zip(together) {
        let expected = kit::plain(&parts, &database, ask);
        let context = || format!("{shape:?}, {frames} frames, {features} features, {ask:?}");
        assert_eq!(together, expected, "together: {}", context());
        assert_eq!(database.cost(query, expected.frame), Ok(expected.cost), "{}", context());
        for backend in Backend::all() {
            let (found, effort) = assert_no_alloc(|| database.search_on(backend, query)).unwrap();
            assert_eq!(found, expected, "{backend}: {}", context());
            assert!(effort.blocks as usize <= database.blocks(), "{backend}: {}", context());
        }
    }
}

#[test]
fn every_shape_of_database_is_searched_exactly() {
    let mut rng = Rng::new(33);
    for round in 0..60 {
        for shape in SHAPES {
            let frames = 1 + rng.below(*[1, 3, 20, 300, 2_000].get(round % 5).unwrap());
            let features = 1 + rng.below(64);
            compare(&mut rng, shape, frames, features, 16);
        }
    }
}

#[test]
fn every_number_of_features_is_searched_exactly() {
    let mut rng = Rng::new(34);
    for features in 1..=64 {
        for shape in [Shape::Random, Shape::Smooth] {
            compare(&mut rng, shape, 700, features, 8);
        }
    }
}

#[test]
fn a_hundred_thousand_frames_are_searched_exactly() {
    let mut rng = Rng::new(35);
    for (shape, features) in [(Shape::Smooth, 27), (Shape::Coarse, 4), (Shape::Doubled, 12)] {
        compare(&mut rng, shape, 100_000, features, 8);
    }
}

#[test]
fn of_equal_frames_the_lowest_is_found() {
    let mut rng = Rng::new(36);
    for frames in [1, 16, 17, 256, 4_097, 20_000] {
        let mut parts = kit::parts(&mut rng, Shape::Constant, frames, 5);
        parts.biases.clear();
        let database = Database::new(&parts).unwrap();
        let may = |(i, _): &(usize, &_)| {
            let place = database.place(*i as u32).unwrap();
            let range = &parts.ranges[place.range as usize];
            let at = *i as u32 - database.frames_of(place.range).start;
            (range.entry_from..range.entry_to).contains(&at)
        };
        let all = vec![(); frames];
        let lowest = all.iter().enumerate().find(may).unwrap().0 as u32;
        let found = database.search(&database.query(&[4.0; 5]).unwrap()).unwrap();
        assert_eq!(found, Found { frame: lowest, cost: 5, stays: false });
    }
}

#[test]
fn a_search_looks_into_few_blocks() {
    let mut rng = Rng::new(37);
    let parts = kit::parts(&mut rng, Shape::Smooth, 40_000, 27);
    let database = Database::new(&parts).unwrap();
    let (mut blocks, asks) = (0, 100);
    for _ in 0..asks {
        let frame = rng.below(40_000);
        // Where a frame is, and a little beside it.
        let row = &parts.rows[frame * 27..][..27];
        let values: Vec<f32> = row.iter().map(|v| f32::from(*v) + rng.signed() * 100.0).collect();
        let query = database.query(&values).unwrap();
        blocks += database.search_on(Backend::best(), &query).unwrap().1.blocks as usize;
    }
    let share = blocks as f64 / (asks * database.blocks()) as f64;
    assert!(share < 0.02, "{share:.4} of all blocks");
}

#[test]
fn an_explanation_begins_with_what_is_found_and_its_groups_add_up() {
    let mut rng = Rng::new(38);
    for shape in SHAPES {
        for _ in 0..20 {
            let features = 1 + rng.below(64);
            let parts = kit::parts(&mut rng, shape, 400, features);
            let database = Database::new(&parts).unwrap();
            let ask = kit::ask(&mut rng, &parts);
            let query = kit::query(&database, &ask);
            let told = database.explain(&query, 10).unwrap();
            let found = database.search(&query).unwrap();
            for costs in told.best.iter().chain(&told.current) {
                assert_eq!(costs.by_group.iter().sum::<i32>() + costs.bias, costs.cost);
                let mut by_group = vec![0; parts.groups.len()];
                for (feature, cost) in parts.features.iter().zip(&costs.by_feature) {
                    by_group[feature.group as usize] += cost;
                }
                assert_eq!((by_group, costs.by_feature.len()), (costs.by_group.clone(), features));
                let row = &parts.rows[costs.frame as usize * features..][..features];
                let most = i64::from(clamp(parts.columns()));
                let asked = |v: &f32| (v.round_ties_even() as i64).clamp(-most, most);
                let squared = |(a, b): (&i16, &f32)| (i64::from(*a) - asked(b)).pow(2) as i32;
                let expected: Vec<i32> = row.iter().zip(&ask.values).map(squared).collect();
                assert_eq!(costs.by_feature, expected);
                assert_eq!(database.cost(&query, costs.frame), Ok(costs.cost));
                assert_eq!(database.costs(&query, costs.frame).as_ref(), Ok(costs));
                let bias = parts.biases.get(costs.frame as usize).map_or(0, |b| i32::from(*b));
                assert_eq!(costs.bias, bias * bias);
            }
            let order: Vec<(i32, u32)> = told.best.iter().map(|c| (c.cost, c.frame)).collect();
            assert!(order.len() <= 10 && order.is_sorted());
            let first = if found.stays { told.current.as_ref() } else { told.best.first() };
            assert_eq!(first.map(|c| (c.frame, c.cost)), Some((found.frame, found.cost)));
        }
    }
}
