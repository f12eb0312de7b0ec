//! Packed archives: what comes out is what went in, and no changed byte goes unnoticed.

use lissom::archive::{AlignedBytes, Archive, ArchiveError, Limits, SectionKind, packed};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Form},
    mannequin::{self, Motion},
};
use lissom_testkit::{alloc::peak_bytes, rng::Rng};

/// The mannequin and its clips.
fn archive(motions: &[Motion], form: Form) -> Vec<u8> {
    let skeleton = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let builder = ClipBuilder { form, ..ClipBuilder::default() };
    let mut writer = ArchiveWriter::new().skeleton("mannequin", &skeleton.skeleton).unwrap();
    for motion in motions {
        let clip = builder.build(&skeleton, &mannequin::clip(*motion)).unwrap();
        let version = u16::from_le_bytes([clip.bytes[4], clip.bytes[5]]);
        writer = writer.clip(version, &format!("{motion:?}"), clip.bytes).unwrap();
    }
    writer.finish().unwrap()
}

fn unpack(bytes: &[u8]) -> Result<AlignedBytes, ArchiveError> {
    packed::unpack(bytes, &Limits::default())
}

const SOME: [Motion; 4] = [Motion::Walk, Motion::Run, Motion::Wave, Motion::Idle];

#[test]
fn what_is_unpacked_is_what_was_packed() {
    for form in [Form::Rows, Form::Keys] {
        let plain = archive(&SOME, form);
        let small = packed::pack(&plain).unwrap().expect("it is smaller");
        assert!(packed::is_packed(&small) && !packed::is_packed(&plain));
        assert!(small.len() < plain.len() * 4 / 5, "{} of {}", small.len(), plain.len());
        assert_eq!(*unpack(&small).unwrap(), *plain);
        assert_eq!(**Archive::read(&small).unwrap().bytes(), *plain);
        assert_eq!(**Archive::new(small.clone()).unwrap().bytes(), *plain);
        assert_eq!(*AlignedBytes::read_from(&mut &*small, &Limits::default()).unwrap(), *plain);
        // The same bytes every time.
        assert_eq!(packed::pack(&plain).unwrap(), Some(small));
    }
}

#[test]
fn clips_learn_from_those_before() {
    let alone: usize = SOME
        .iter()
        .map(|motion| packed::pack(&archive(&[*motion], Form::Rows)).unwrap().unwrap().len())
        .sum();
    let skeleton = 3 * packed::pack(&archive(&[], Form::Rows)).unwrap().unwrap().len();
    let together = packed::pack(&archive(&SOME, Form::Rows)).unwrap().unwrap().len();
    assert!(together < alone - skeleton, "{together} of {alone} with {skeleton} for skeletons");
}

#[test]
fn sections_of_any_kind_come_through() {
    let noise: Vec<u8> =
        (0..5_000_u32).map(|i| (i.wrapping_mul(i).wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let odd = ArchiveWriter::new()
        .section(SectionKind::from_code(999), 3, 1, "unknown", vec![1, 2, 3])
        .and_then(|w| {
            w.section(
                SectionKind::from_code(999),
                3,
                1,
                "größer",
                (0..20_000).map(|i| (i / 40) as u8).collect(),
            )
        })
        .and_then(|w| w.section(SectionKind::Image, 1, 0, "noise", noise))
        .and_then(|w| w.section(SectionKind::Clip, 2, 0, "no clip", vec![7; 64]))
        .and_then(|w| w.section(SectionKind::from_code(5), 0, 0, "", Vec::new()))
        .and_then(|w| w.finish())
        .unwrap();
    let small = packed::pack(&odd).unwrap().unwrap();
    assert_eq!(*unpack(&small).unwrap(), *odd);
}

#[test]
fn what_would_not_be_smaller_or_not_believed_stays() {
    let mut rng = Rng::new(3);
    let noise: Vec<u8> = (0..1 << 16).map(|_| rng.next_u32() as u8).collect();
    let zeros =
        ArchiveWriter::new().section(SectionKind::from_code(9), 1, 0, "zeros", vec![0; 1 << 20]).unwrap();
    assert_eq!(packed::pack(&zeros.finish().unwrap()), Ok(None), "a small file that becomes a large one");
    // Noise that is coded by what was learnt takes more bytes than it has.
    let noise = ArchiveWriter::new().section(SectionKind::from_code(9), 1, 0, "noise", noise).unwrap();
    assert_eq!(packed::pack(&noise.finish().unwrap()), Ok(None), "noise becomes no smaller");
    assert_eq!(packed::pack(b"something else"), Err(ArchiveError::NotAnArchive));
}

#[test]
fn no_changed_byte_goes_unnoticed() {
    let small = packed::pack(&archive(&[Motion::Walk], Form::Rows)).unwrap().unwrap();
    for at in 0..small.len() {
        for flip in [1, 0x80] {
            let mut bytes = small.clone();
            bytes[at] ^= flip;
            assert!(Archive::read(&bytes).is_err(), "byte {at}");
        }
        assert!(Archive::read(&small[..at]).is_err(), "cut at {at}");
    }
    let mut longer = small.clone();
    longer.push(0);
    assert!(matches!(Archive::read(&longer), Err(ArchiveError::Format { .. })));
}

#[test]
fn limits_hold_before_anything_is_reserved() {
    let plain = archive(&[Motion::Walk], Form::Rows);
    let small = packed::pack(&plain).unwrap().unwrap();
    let mut limits = Limits::default();
    limits.max_bytes = plain.len() as u64 - 1;
    let (found, peak) = peak_bytes(|| packed::unpack(&small, &limits));
    assert!(matches!(found, Err(ArchiveError::Limit { .. })));
    assert!(peak < 256, "{peak} bytes were held for an archive above the limit");
    // The count of sections is coded: what learns is there before it is read, and nothing else.
    let nothing = packed::pack(&archive(&[], Form::Rows)).unwrap().unwrap();
    limits = Limits::default();
    limits.max_sections = 0;
    let (found, tables) = peak_bytes(|| packed::unpack(&nothing, &limits));
    assert!(matches!(found, Err(ArchiveError::Limit { .. })));
    limits.max_sections = 1;
    let (found, peak) = peak_bytes(|| packed::unpack(&small, &limits));
    assert!(matches!(found, Err(ArchiveError::Limit { .. })));
    assert!(peak <= tables + 256, "{peak} bytes were held, {tables} before any section");
    let old = [&small[..8], &[9, 0], &small[10..]].concat();
    assert!(matches!(packed::unpack(&old, &limits), Err(ArchiveError::Version { found: 9, .. })));
}
