//! A description as bytes, and back.

use crate::kit::{self, SHAPES};
use lissom_motion::matching::{Database, DatabaseParts, FeatureKind};
use lissom_testkit::rng::Rng;

fn all_kinds(rng: &mut Rng, shape: kit::Shape) -> DatabaseParts {
    let mut parts = kit::parts(rng, shape, 60, 5);
    let kinds = [
        FeatureKind::JointPosition { joint: "foot".into() },
        FeatureKind::JointVelocity { joint: "hips".into() },
        FeatureKind::TrajectoryPosition { time_s: 0.5 },
        FeatureKind::TrajectoryDirection { time_s: -0.5 },
        FeatureKind::Track { name: "speed".into() },
    ];
    for (feature, kind) in parts.features.iter_mut().zip(kinds) {
        feature.kind = kind;
    }
    parts
}

#[test]
fn what_is_written_is_read_back() {
    let mut rng = Rng::new(50);
    for shape in SHAPES {
        let parts = all_kinds(&mut rng, shape);
        let bytes = parts.to_bytes();
        assert_eq!(DatabaseParts::read(&bytes).as_ref(), Ok(&parts));
        let fingerprint = |parts| Database::new(parts).unwrap().fingerprint();
        assert_eq!(fingerprint(&DatabaseParts::read(&bytes).unwrap()), fingerprint(&parts));
    }
}

#[test]
fn every_shorter_and_longer_file_is_refused() {
    let bytes = all_kinds(&mut Rng::new(51), kit::Shape::Smooth).to_bytes();
    for length in 0..bytes.len() {
        assert!(DatabaseParts::read(&bytes[..length]).is_err(), "{length} bytes");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(DatabaseParts::read(&longer).unwrap_err().reason, "bytes after the end");
}

#[test]
fn a_changed_byte_is_an_error_or_another_database_and_never_a_panic() {
    let parts = all_kinds(&mut Rng::new(52), kit::Shape::Smooth);
    let bytes = parts.to_bytes();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= change;
            let Ok(read) = DatabaseParts::read(&bytes) else { continue };
            assert_eq!(read.to_bytes(), bytes, "byte {at}");
            if let Ok(database) = Database::new(&read) {
                let query = database.query(&vec![0.0; read.features.len()]).unwrap();
                let found = database.search(&query).unwrap();
                assert!(found.frame < database.frames());
            }
        }
    }
}
