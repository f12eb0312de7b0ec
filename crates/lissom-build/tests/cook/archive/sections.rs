use super::payload;
use lissom::{
    MAX_JOINTS, Skeleton, SkeletonParts,
    archive::{AlignedBytes, ArchiveError, ArchiveView, Limits, SectionKind},
    math::{Quat, Transform, Vec3},
};
use lissom_build::archive::ArchiveWriter;
use proptest::prelude::*;
use std::io;

fn skeleton(parents: &[Option<u16>], names: &[String], seed: u32) -> Skeleton {
    let rest: Vec<Transform> = (0..parents.len() as u32)
        .map(|j| Transform {
            translation: Vec3::new((seed ^ j) as f32 * 0.1, -0.0, f32::MIN_POSITIVE),
            rotation: Quat::from_xyzw(0.0, 0.6, 0.0, -0.8),
            scale: Vec3::new(1.0, -2.0, 0.0),
        })
        .collect();
    Skeleton::new(SkeletonParts { parents, names, rest: &rest }).unwrap()
}

fn body() -> Skeleton {
    let names = ["hips", "", "Kopf", "ひじ", "hips"].map(String::from);
    skeleton(&[None, Some(0), Some(1), Some(0), None], &names, 7)
}

/// Two skeletons, two clips (one empty), a kind of the future.
fn archive() -> Vec<u8> {
    let one = skeleton(&[None], &["a".into()], 1);
    ArchiveWriter::new()
        .skeleton("body", &body())
        .and_then(|w| w.clip(3, "walk", (0..=255).collect()))
        .and_then(|w| w.clip(3, "nothing", Vec::new()))
        .and_then(|w| w.skeleton("", &one))
        .and_then(|w| w.section(SectionKind::Other(0x1234_5678), 9, 0x8001, "später", vec![1, 2, 3]))
        .and_then(|w| w.finish())
        .unwrap()
}

fn read(bytes: &[u8]) -> Result<ArchiveView<'_>, ArchiveError> {
    ArchiveView::read(bytes, &Limits::default())
}

fn same(a: &Skeleton, b: &Skeleton) -> bool {
    let bits = |s: &Skeleton, j: usize| s.rest(j).to_array().map(f32::to_bits);
    a.identity() == b.identity()
        && a.packed_joints() == b.packed_joints()
        && (0..a.joint_count()).all(|j| a.name(j) == b.name(j) && bits(a, j) == bits(b, j))
}

/// Makes header and table checksums fit again after a change, as an attacker would.
fn seal(bytes: &mut [u8]) {
    let word = |b: &[u8], at: usize| u32::from_le_bytes(b[at..at + 4].try_into().unwrap()) as usize;
    let end = (64usize.saturating_add(word(bytes, 12).saturating_mul(32)))
        .saturating_add(word(bytes, 24))
        .min(bytes.len());
    let table = crc32fast::hash(&bytes[64..end]);
    bytes[28..32].copy_from_slice(&table.to_le_bytes());
    let header = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&header.to_le_bytes());
}

#[test]
fn what_was_written_is_read_and_stands_aligned() {
    let bytes = AlignedBytes::copy_of(&archive());
    let archive = read(&bytes).unwrap();
    let seen: Vec<_> =
        archive.sections().iter().map(|s| (s.kind, s.version, s.flags, s.name, s.payload.len())).collect();
    use SectionKind as K;
    assert_eq!(seen[1], (K::Clip, 3, 0, "walk", 256));
    assert_eq!(seen[2], (K::Clip, 3, 0, "nothing", 0));
    assert_eq!(seen[4], (K::Other(0x1234_5678), 9, 0x8001, "später", 3));
    assert_eq!(seen.len(), 5);
    for section in archive.sections() {
        assert_eq!(section.offset % 64, 0);
        assert_eq!(section.payload.as_ptr().addr() % 64, 0);
    }
    let limits = Limits::default();
    assert!(same(&archive.skeleton("body", &limits).unwrap(), &body()));
    assert!(same(&archive.first(SectionKind::Skeleton).and_then(|s| s.skeleton(&limits)).unwrap(), &body()));
    assert_eq!(archive.skeleton("", &limits).unwrap().joint_count(), 1);
    let missing = archive.skeleton("nobody", &limits).unwrap_err();
    assert!(
        matches!(&missing, ArchiveError::Missing { kind: SectionKind::Skeleton, name: Some(name), .. } if name == "nobody")
    );
    assert_eq!(missing.to_string(), r#"there is no Skeleton section called "nobody"; there are "body", """#);
    let missing = archive.first(K::Mesh).unwrap_err();
    assert_eq!(missing.to_string(), "there is no Mesh section; there is none of this kind");
    assert!(matches!(archive.sections()[1].skeleton(&limits), Err(ArchiveError::Format { .. })));
}

#[test]
fn the_same_sections_give_the_same_bytes() {
    assert_eq!(archive(), archive());
    // Written down once: whoever changes the format sees it here, and gives it a new version.
    assert_eq!((archive().len(), crc32fast::hash(&archive())), GOLDEN);
}

/// Length and checksum of [`archive`].
const GOLDEN: (usize, u32) = (1024, 0x6db5_373e);

#[test]
fn an_empty_archive_is_an_archive() {
    let bytes = ArchiveWriter::new().finish().unwrap();
    assert_eq!(bytes.len(), 64);
    assert!(read(&bytes).unwrap().sections().is_empty());
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = archive();
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).unwrap_err();
        assert!(length == 0 || matches!(error, ArchiveError::Truncated { .. }), "{length}: {error}");
        let error = Skeleton::load(&mut &bytes[..length], &Limits::default()).unwrap_err();
        assert!(length == 0 || matches!(error, ArchiveError::Truncated { .. }), "{length}: {error}");
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    let reason = "1 bytes after the end of the archive".into();
    assert_eq!(read(&longer).unwrap_err(), ArchiveError::Format { offset: bytes.len() as u64, reason });
}

#[test]
fn every_changed_byte_is_an_error() {
    let mut bytes = archive();
    for at in 0..bytes.len() {
        let was = bytes[at];
        for other in (0..=255).filter(|v| *v != was) {
            bytes[at] = other;
            // The minor version is the one number that may be higher; its checksum then fits no more.
            assert!(read(&bytes).is_err(), "byte {at} changed from {was} to {other}");
        }
        bytes[at] = was;
    }
}

#[test]
fn no_change_of_a_resealed_header_or_table_does_harm() {
    let good = archive();
    let table = 64 + 5 * 32 + 30;
    for at in 0..table {
        for other in [0, 1, 2, 0x7f, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = other;
            seal(&mut bytes);
            if let Ok(archive) = read(&bytes) {
                // Whatever was accepted lies inside the file.
                for s in archive.sections() {
                    assert!(s.offset as usize + s.payload.len() <= bytes.len());
                    let _ = s.skeleton(&Limits::default());
                }
            }
        }
    }
}

#[test]
fn no_change_of_a_skeleton_does_harm_even_with_fitting_checksums() {
    let payload = payload(|w| w.skeleton("", &body()));
    let limits = Limits::default();
    let with = |payload: Vec<u8>| {
        let bytes =
            ArchiveWriter::new().section(SectionKind::Skeleton, 1, 0, "", payload).unwrap().finish().unwrap();
        read(&bytes).unwrap().first(SectionKind::Skeleton).and_then(|s| s.skeleton(&limits))
    };
    assert!(with(payload.clone()).is_ok());
    for at in 0..payload.len() {
        for other in (0..=255).filter(|v| *v != payload[at]) {
            let mut payload = payload.clone();
            payload[at] = other;
            // The identity covers every number and every name.
            assert!(with(payload).is_err(), "byte {at}");
        }
        assert!(with(payload[..at].to_vec()).is_err());
    }
}

#[test]
fn hostile_counts_are_refused_before_anything_is_reserved() {
    let good = archive();
    let with = |at: usize, value: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        seal(&mut bytes);
        let all = Limits::default();
        let mut open = all;
        (open.max_bytes, open.max_sections, open.max_name_bytes) = (u64::MAX, u32::MAX, u32::MAX);
        (ArchiveView::read(&bytes, &all).unwrap_err(), ArchiveView::read(&bytes, &open).unwrap_err())
    };
    let (limited, open) = with(12, &u32::MAX.to_le_bytes());
    assert!(matches!(limited, ArchiveError::Limit { offset: 12, found: 0xffff_ffff, allowed: 0x1_0000, .. }));
    assert!(matches!(open, ArchiveError::Truncated { offset: 64, .. }), "{open}");
    let (limited, open) = with(16, &u64::MAX.to_le_bytes());
    assert!(matches!(limited, ArchiveError::Limit { offset: 16, .. }));
    assert!(matches!(open, ArchiveError::Truncated { .. }), "{open}");
    let (limited, open) = with(24, &u32::MAX.to_le_bytes());
    assert!(matches!(limited, ArchiveError::Limit { offset: 24, .. }));
    assert!(matches!(open, ArchiveError::Truncated { offset: 64, .. }), "{open}");
    // The first section's offset, length and name.
    for (at, value) in [(72, u64::MAX), (80, u64::MAX), (92, u64::from(u32::MAX))] {
        let value = &value.to_le_bytes()[..if at == 92 { 4 } else { 8 }];
        let (a, b) = with(at, value);
        for error in [a, b] {
            assert!(
                matches!(error, ArchiveError::Format { .. } | ArchiveError::Truncated { .. }),
                "{at}: {error}"
            );
        }
    }
    // A length that comes in a stream reserves nothing before its bytes come.
    let mut bytes = good.clone();
    bytes[16..24].copy_from_slice(&(1u64 << 31).to_le_bytes());
    seal(&mut bytes);
    let error = AlignedBytes::read_from(&mut bytes.as_slice(), &Limits::default()).unwrap_err();
    assert!(matches!(error, ArchiveError::Truncated { .. }), "{error}");
}

#[test]
fn limits_hold() {
    let bytes = archive();
    let mut limits = Limits::default();
    limits.max_sections = 4;
    let refused = |limits: &Limits| ArchiveView::read(&bytes, limits).unwrap_err();
    assert!(matches!(refused(&limits), ArchiveError::Limit { what: "the count of sections", found: 5, .. }));
    limits = Limits::default();
    limits.max_bytes = bytes.len() as u64 - 1;
    assert!(matches!(refused(&limits), ArchiveError::Limit { what: "the length of the archive", .. }));
    limits = Limits::default();
    limits.max_name_bytes = 3;
    assert!(matches!(refused(&limits), ArchiveError::Limit { what: "the length of the names", .. }));
    limits = Limits::default();
    limits.max_joints = 4;
    let error = ArchiveView::read(&bytes, &limits)
        .unwrap()
        .first(SectionKind::Skeleton)
        .and_then(|s| s.skeleton(&limits))
        .unwrap_err();
    assert!(matches!(error, ArchiveError::Limit { found: 5, allowed: 4, .. }));
}

#[test]
fn what_survives_damage_is_read_and_the_rest_is_named() {
    let mut bytes = archive();
    let walk = read(&bytes).unwrap().sections()[1].offset;
    bytes[walk as usize + 5] ^= 1;
    let limits = Limits::default();
    let (archive, damage) = ArchiveView::read_surviving(&bytes, &limits).unwrap();
    assert_eq!(archive.sections().len(), 4);
    assert!(matches!(damage[..], [ArchiveError::Checksum { offset, .. }] if offset == walk));
    // Cut off after the first skeleton.
    let (archive, damage) = ArchiveView::read_surviving(&bytes[..walk as usize], &limits).unwrap();
    assert!(same(&archive.skeleton("body", &limits).unwrap(), &body()));
    assert!(archive.sections().iter().all(|s| s.payload.is_empty() || s.name == "body"));
    assert!(damage.iter().all(|d| matches!(d, ArchiveError::Truncated { .. })) && damage.len() >= 3);
    // A table that cannot be trusted gives nothing.
    bytes[70] ^= 1;
    assert!(matches!(
        ArchiveView::read_surviving(&bytes, &limits),
        Err(ArchiveError::Checksum { offset: 64, .. })
    ));
}

#[test]
fn other_versions_and_other_files_are_named() {
    let mut bytes = archive();
    bytes[8] = 2;
    let what = "the archive";
    assert_eq!(read(&bytes).unwrap_err(), ArchiveError::Version { offset: 8, what, found: 2, known: "1" });
    for other in [&b""[..], b"LSM2", b"glTF\x02\0\0\0", b"LSM1\n\x1a\n"] {
        assert_eq!(read(other).unwrap_err(), ArchiveError::NotAnArchive);
        let loaded = Skeleton::load(&mut &*other, &Limits::default());
        assert_eq!(loaded.unwrap_err(), ArchiveError::NotAnArchive);
    }
    // A newer minor version is read.
    let mut bytes = archive();
    bytes[10] = 7;
    seal(&mut bytes);
    assert_eq!(read(&bytes).unwrap().sections().len(), 5);
    let newer =
        ArchiveWriter::new().section(SectionKind::Skeleton, 2, 0, "", payload(|w| w.skeleton("", &body())));
    let newer = newer.unwrap().finish().unwrap();
    let error = read(&newer)
        .unwrap()
        .first(SectionKind::Skeleton)
        .and_then(|s| s.skeleton(&Limits::default()))
        .unwrap_err();
    assert!(matches!(error, ArchiveError::Version { what: "a skeleton", found: 2, .. }));
}

#[test]
fn two_sections_of_one_name_are_refused() {
    let twice = ArchiveWriter::new().skeleton("a", &body()).unwrap().skeleton("a", &body());
    assert_eq!(twice.unwrap_err().to_string(), "there are two Skeleton sections called \"a\"");
    assert!(ArchiveWriter::new().skeleton("a", &body()).unwrap().clip(1, "a", Vec::new()).is_ok());
}

/// Gives one byte at a time, with an interruption before each.
struct Slow<'a>(&'a [u8], bool);

impl io::Read for Slow<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        io::Read::read(&mut self.0, &mut to[..1])
    }
}

#[test]
fn a_reader_may_be_slow_may_go_on_and_may_fail() {
    let bytes = archive();
    let loaded = AlignedBytes::read_from(&mut Slow(&bytes, false), &Limits::default()).unwrap();
    assert_eq!(&*loaded, bytes.as_slice());
    // Two archives in one stream.
    let two = [bytes.as_slice(), &bytes].concat();
    let mut reader = two.as_slice();
    for _ in 0..2 {
        assert!(same(&Skeleton::load(&mut reader, &Limits::default()).unwrap(), &body()));
    }
    assert!(reader.is_empty());

    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let error = AlignedBytes::read_from(&mut Broken, &Limits::default()).unwrap_err();
    assert!(matches!(error, ArchiveError::Io { offset: 0, kind: io::ErrorKind::ConnectionReset, .. }));
}

#[test]
fn the_largest_skeleton_makes_the_round_trip() {
    let parents: Vec<_> = (0..MAX_JOINTS as u16).map(|j| j.checked_sub(1)).collect();
    let s = skeleton(&parents, &vec!["x".into(); MAX_JOINTS], 3);
    let bytes = ArchiveWriter::new().skeleton("", &s).unwrap().finish().unwrap();
    assert!(same(
        &read(&bytes)
            .unwrap()
            .first(SectionKind::Skeleton)
            .and_then(|s| s.skeleton(&Limits::default()))
            .unwrap(),
        &s
    ));
}

proptest! {
    #[test]
    fn any_skeleton_and_any_clip_make_the_round_trip(
        ups in prop::collection::vec(0usize..4, 0..60),
        names in prop::collection::vec(".{0,12}", 60),
        seed: u32,
        clip in prop::collection::vec(any::<u8>(), 0..300),
        name in ".{0,20}",
    ) {
        // Depth-first: each joint hangs on one of the joints above the one before it, or is a root.
        let mut parents = vec![None];
        for up in ups {
            let mut at = Some(parents.len() as u16 - 1);
            for _ in 0..up {
                at = at.and_then(|a| parents[usize::from(a)]);
            }
            parents.push(at);
        }
        let s = skeleton(&parents, &names[..parents.len()], seed);
        let bytes = ArchiveWriter::new()
            .clip(1, &name, clip.clone())
            .and_then(|w| w.skeleton(&name, &s))
            .and_then(|w| w.finish())
            .unwrap();
        let archive = read(&bytes).unwrap();
        prop_assert_eq!(archive.find(SectionKind::Clip, &name).unwrap().payload, clip.as_slice());
        prop_assert!(same(&archive.skeleton(&name, &Limits::default()).unwrap(), &s));
    }
}
