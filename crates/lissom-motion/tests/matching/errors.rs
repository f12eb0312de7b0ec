//! What is wrong is said, by name.

use crate::kit::{self, Shape};
use lissom_motion::matching::{
    Database, DatabaseError, DatabaseParts, Found, FrameRange, MAX_FEATURES, QueryError, clamp,
};
use lissom_testkit::rng::Rng;

fn good() -> DatabaseParts {
    let mut parts = kit::parts(&mut Rng::new(1), Shape::Smooth, 100, 4);
    parts.biases = vec![0; 100];
    parts
}

fn refused(change: impl Fn(&mut DatabaseParts)) -> DatabaseError {
    let mut parts = good();
    Database::new(&parts).unwrap();
    change(&mut parts);
    Database::new(&parts).unwrap_err()
}

#[test]
fn a_description_that_is_wrong_is_refused() {
    type E = DatabaseError;
    let value = |error: E, what: &str, field: &str| {
        let is = matches!(&error, E::Value { what: w, field: f, .. } if *w == what && *f == field);
        assert!(is, "{error:?}");
        assert!(error.to_string().contains(field));
    };
    assert_eq!(
        refused(|p| p.features.resize(MAX_FEATURES + 1, kit::feature(0))),
        E::Limit { what: "features", found: MAX_FEATURES + 1, allowed: MAX_FEATURES }
    );
    assert!(matches!(refused(|p| p.tags = (0..33).map(|i| i.to_string()).collect()), E::Limit { .. }));
    assert!(matches!(refused(|p| p.ranges[0].frames = u32::MAX), E::Limit { what: "frames", .. }));
    assert_eq!(refused(|p| p.features.clear()), E::None("a feature"));
    let shut = |p: &mut DatabaseParts| p.ranges.iter_mut().for_each(|r| (r.entry_from, r.entry_to) = (0, 0));
    assert_eq!(refused(shut), E::None("a frame that a search may find"));
    assert_eq!(refused(|p| p.ranges.clear()), E::None("a frame that a search may find"));
    for rate in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        value(refused(|p| p.rate_hz = rate), "database", "rate_hz");
    }
    value(refused(|p| p.groups[1].weight = f32::NAN), "group", "weight");
    value(refused(|p| p.features[1].scale = -1.0), "feature", "scale");
    value(refused(|p| p.features[1].offset = f32::INFINITY), "feature", "offset");
    value(refused(|p| p.features[1].axis = 3), "feature", "axis");
    value(refused(|p| p.ranges[0].start_s = f32::NAN), "range", "start_s");
    value(refused(|p| p.ranges[0].tags = 8), "range", "tags");
    value(refused(|p| p.ranges[0].frames = 0), "range", "frames");
    value(refused(|p| p.ranges[0].entry_to = p.ranges[0].frames + 1), "range", "entry_to");
    value(refused(|p| (p.ranges[0].entry_from, p.ranges[0].entry_to) = (1, 0)), "range", "entry_from");
    let most = clamp(6);
    for beyond in [most + 1, -most - 1, i16::MIN, i16::MAX] {
        value(refused(|p| p.rows[17] = beyond), "row", "value");
        value(refused(|p| p.biases[9] = beyond), "bias", "value");
    }
    assert_eq!(refused(|p| p.rows.truncate(396)), E::Length { what: "rows", found: 99, needed: 100 });
    assert_eq!(refused(|p| p.biases.push(0)), E::Length { what: "biases", found: 101, needed: 100 });
    let clips = good().clips.len();
    assert_eq!(
        refused(|p| p.ranges[0].clip = clips as u32),
        E::Unknown { what: "range", index: 0, of: "clip", found: clips, count: clips }
    );
    assert!(matches!(refused(|p| p.features[0].group = 3), E::Unknown { of: "group", .. }));
    assert_eq!(refused(|p| p.tags[1] = p.tags[0].clone()), E::Twice { what: "tags", name: "calm".into() });
    assert_eq!(refused(|p| p.clips[0].clear()), E::Name { what: "clip", index: 0 });
    assert_eq!(refused(|p| p.groups[0].name = "n".repeat(1025)), E::Name { what: "group", index: 0 });
}

#[test]
fn a_value_that_is_no_number_is_refused() {
    let database = Database::new(&good()).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for feature in 0..4 {
            let mut values = [0.0; 4];
            values[feature] = bad;
            assert_eq!(database.query(&values).unwrap_err(), QueryError::NotFinite { feature });
        }
    }
    assert_eq!(database.query(&[0.0; 3]).unwrap_err(), QueryError::Length { found: 3, needed: 4 });
}

#[test]
fn tags_that_no_frame_has_are_refused() {
    let mut parts = good();
    parts.ranges.iter_mut().for_each(|range| range.tags &= 3);
    // A range that has the tag, and no frame that may be found.
    let frames = parts.ranges[0].frames;
    parts.ranges[0] = FrameRange { tags: 4, entry_from: frames, entry_to: frames, ..parts.ranges[0].clone() };
    let database = Database::new(&parts).unwrap();
    let query = || database.query(&[0.0; 4]).unwrap();
    assert_eq!(database.tag_bits(&["calm", "left"]).unwrap_err(), QueryError::NoFrame("calm, left".into()));
    assert_eq!(database.tag_bits(&["left"]).unwrap_err(), QueryError::NoFrame("left".into()));
    assert_eq!(database.tag_bits(&["wild"]).unwrap_err(), QueryError::UnknownTag("wild".into()));
    assert_eq!(database.tag_bits(&[]), Ok(0));
    assert_eq!(database.tag_bits(&["fast"]), Ok(2));
    assert_eq!(query().tagged(&database, 4).unwrap_err(), QueryError::NoFrame("left".into()));
    assert!(query().tagged(&database, 1 << 31).is_err());
}

#[test]
fn a_query_is_for_its_own_database_and_frames_that_there_are() {
    let (first, mut other) = (good(), good());
    other.rows[5] ^= 1;
    let [first, other] = [first, other].map(|parts| Database::new(&parts).unwrap());
    let query = || first.query(&[0.0; 4]).unwrap();
    let foreign = QueryError::OtherDatabase;
    assert_eq!(other.search(&query()).unwrap_err(), foreign);
    assert_eq!(other.explain(&query(), 1).unwrap_err(), foreign);
    assert_eq!(other.cost(&query(), 0).unwrap_err(), foreign);
    assert_eq!(other.costs(&query(), 0).unwrap_err(), foreign);
    assert_eq!(query().tagged(&other, 0).unwrap_err(), foreign);
    assert_eq!(query().playing(&other, 0, 0, 0.0).unwrap_err(), foreign);
    let missing = QueryError::UnknownFrame { found: 100, count: 100 };
    assert_eq!(first.costs(&query(), 100).unwrap_err(), missing);
    assert_eq!(query().playing(&first, 100, 0, 0.0).unwrap_err(), missing);
    assert_eq!(first.cost(&query(), 100).unwrap_err(), missing);
    assert_eq!(query().playing(&first, 0, 0, -1.0).unwrap_err(), QueryError::Cost(-1.0));
    assert!(query().playing(&first, 0, 0, f32::NAN).is_err());
    let mut found = [Found::default(); 2];
    let wrong = first.search_all(&[query()], &mut found).unwrap_err();
    assert_eq!(wrong, QueryError::Answers { found: 2, needed: 1 });
}
