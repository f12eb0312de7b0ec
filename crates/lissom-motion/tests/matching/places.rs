//! Where frames are, and which frames are where.

use crate::kit::{self, RATE, Shape};
use lissom_motion::matching::Database;
use lissom_testkit::rng::Rng;

#[test]
fn a_frame_is_at_its_place_and_its_place_is_that_of_the_frame() {
    let mut rng = Rng::new(40);
    for frames in [1, 30, 3_000] {
        let parts = kit::parts(&mut rng, Shape::Smooth, frames, 6);
        let database = Database::new(&parts).unwrap();
        let mut frame = 0;
        for (i, range) in parts.ranges.iter().enumerate() {
            assert_eq!(database.frames_of(i as u32), frame..frame + range.frames);
            for at in 0..range.frames {
                let place = database.place(frame).unwrap();
                let time_s = range.start_s + at as f32 / RATE;
                assert_eq!((place.range, place.clip, place.mirrored), (i as u32, range.clip, range.mirrored));
                assert_eq!(place.time_s, time_s);
                assert_eq!(database.frame_at(i as u32, time_s), Some(frame));
                assert_eq!(database.frame_at(i as u32, time_s + 0.4 / RATE), Some(frame));
                assert_eq!(database.range_at(range.clip, time_s), Some(i as u32));
                frame += 1;
            }
            // A frame outside is the last or the first; further away there is none.
            let end = range.start_s + range.frames as f32 / RATE;
            assert_eq!(database.frame_at(i as u32, end), Some(frame - 1));
            assert_eq!(database.frame_at(i as u32, end + 1.0), None);
            assert_eq!(database.frame_at(i as u32, f32::NAN), None);
        }
        assert_eq!(database.frames(), frame);
        assert_eq!(database.place(frame), None);
        assert_eq!(database.frame_at(parts.ranges.len() as u32, 0.0), None);
        assert!(database.frames_of(u32::MAX - 1).is_empty());
    }
}

#[test]
fn a_row_that_is_read_and_asked_for_costs_nothing() {
    let mut rng = Rng::new(41);
    for shape in kit::SHAPES {
        let mut parts = kit::parts(&mut rng, shape, 500, 27);
        parts.biases.clear();
        for feature in &mut parts.features {
            (feature.offset, feature.scale) = (rng.signed() * 2.0, 1.0 + 300.0 * rng.unit());
        }
        // A feature that does not count has no say.
        parts.features[3].scale = 0.0;
        parts.rows.chunks_mut(27).for_each(|row| row[3] = 0);
        let database = Database::new(&parts).unwrap();
        let mut values = [0.0; 27];
        for frame in 0..500 {
            database.values(frame, &mut values).unwrap();
            assert_eq!(values[3], parts.features[3].offset);
            values[3] = 1.0e9;
            assert_eq!(database.cost(&database.query(&values).unwrap(), frame), Ok(0));
        }
        assert_eq!(database.values(500, &mut values), None);
    }
}

#[test]
fn the_frame_that_plays_is_kept_for_the_cost_of_a_transition() {
    let mut rng = Rng::new(42);
    let mut parts = kit::parts(&mut rng, Shape::Smooth, 600, 4);
    parts.biases.clear();
    let database = Database::new(&parts).unwrap();
    let query = database.query(&[0.0; 4]).unwrap();
    let best = database.search(&query).unwrap();
    let frame = (0..600).max_by_key(|f| database.cost(&query, *f).unwrap()).unwrap();
    let own = database.cost(&query, frame).unwrap();
    let stays = |cost: f32| {
        database.search(&query.clone().playing(&database, frame, 0, cost).unwrap()).unwrap().stays
    };
    let gain = database.in_deviations(own - best.cost);
    assert!(!stays(0.0) && !stays(gain * 0.99) && stays(gain * 1.01) && stays(1.0e9));
}
