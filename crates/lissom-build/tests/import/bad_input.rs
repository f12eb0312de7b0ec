//! Every way in which a file can be bad, in every format that is not glTF or FBX (these have tests of their own):
//! refused with a place and a reason, and without running out of memory, stack or time.

use lissom::MAX_JOINTS;
use lissom_build::{
    import::{
        ImportError, acl_sjson,
        bvh::{self, BvhOptions},
        ozz, rawclip,
    },
    raw::{RawAnimationError, RawSkeletonError},
};
use lissom_testkit::ozz::Writer;

type Read = fn(&[u8]) -> Result<(), ImportError>;

const READERS: [(&str, Read); 4] = [
    ("bvh", |b| bvh::read(b, &BvhOptions::default()).map(drop)),
    ("acl_sjson", |b| acl_sjson::read(b).map(drop)),
    ("ozz", |b| ozz::read(b).map(drop)),
    ("rawclip", |b| rawclip::read(b).map(drop)),
];

fn refused(name: &str, bytes: &[u8]) -> ImportError {
    let read = READERS.iter().find(|(n, _)| *n == name).unwrap().1;
    let error = read(bytes).unwrap_err();
    let text = error.to_string();
    assert!(!text.contains('\n') && text.len() < 300, "{name}: one line of sensible length, not {text:?}");
    error
}

#[test]
fn an_empty_file_and_a_file_of_another_format_are_named_as_such() {
    let others: [&[u8]; 6] = [
        b"",
        b"\0",
        b"glTF\x02\0\0\0\x10\0\0\0",
        b"Kaydara FBX Binary  \0",
        b"LSM1\r\n\x1a\n",
        b"<html></html>",
    ];
    for (name, _) in READERS {
        for bytes in others {
            let error = refused(name, bytes);
            let stranger = matches!(error, ImportError::NotThisFormat { .. } | ImportError::Format { .. });
            assert!(stranger, "{name}, {bytes:?}: {error:?}");
        }
    }
    // Noise of every length.
    let noise: Vec<u8> = (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for (name, _) in READERS {
        for length in (0..noise.len()).step_by(61) {
            refused(name, &noise[..length]);
        }
    }
}

#[test]
fn a_chain_of_a_million_joints_is_refused_without_recursion() {
    let deep = format!("HIERARCHY ROOT r {{\n{}", "JOINT j {\n".repeat(1_000_000));
    assert!(matches!(refused("bvh", deep.as_bytes()), ImportError::Limit { .. }));
    let nested = format!("version = 1 x = {}", "{ a = ".repeat(1_000_000));
    assert!(matches!(refused("acl_sjson", nested.as_bytes()), ImportError::Limit { .. }));

    let joints = MAX_JOINTS + 1;
    let bones: String = (0..joints)
        .map(|i| {
            let parent = if i == 0 { String::new() } else { format!("b{}", i - 1) };
            format!("{{ name = \"b{i}\" parent = \"{parent}\" vertex_distance = 1 }}\n")
        })
        .collect();
    let acl =
        format!("version = 1 clip = {{ num_samples = 1 sample_rate = 1 }} bones = [ {bones} ] tracks = [ ]");
    let too_many =
        |error| matches!(error, ImportError::Skeleton { source: RawSkeletonError::TooManyJoints { .. }, .. });
    assert!(too_many(refused("acl_sjson", acl.as_bytes())));

    assert!(too_many(refused(
        "rawclip",
        &raw_clip(&(0..joints as u32).map(|i| i.wrapping_sub(1)).collect::<Vec<_>>(), 0.0)
    )));
}

/// A raw clip of one sample in which every number of a translation is `x`.
fn raw_clip(parents: &[u32], x: f32) -> Vec<u8> {
    let mut out = b"RCL1".to_vec();
    for number in [parents.len() as u32, 1, 30.0_f32.to_bits(), 0] {
        out.extend(number.to_le_bytes());
    }
    parents.iter().for_each(|p| out.extend(p.to_le_bytes()));
    for _ in parents {
        let sample = [0.0, 0.0, 0.0, 1.0, x, x, x, 1.0, 1.0, 1.0_f32];
        sample.iter().for_each(|v| out.extend(v.to_le_bytes()));
    }
    out
}

/// An ozz skeleton with these parents.
fn ozz_skeleton(parents: &[u16], x: f32) -> Vec<u8> {
    let mut w = Writer::new(false);
    w.object("ozz-skeleton", 2);
    w.u32s(&[parents.len() as u32, parents.len() as u32]);
    w.raw(&vec![0; parents.len()]);
    w.u16s(parents);
    for _ in 0..parents.len().div_ceil(4) {
        for component in 0..10 {
            w.f32s(&[if component < 6 { x } else { 1.0 }; 4]);
        }
    }
    w.bytes
}

#[test]
fn joints_that_are_their_own_ancestors_are_refused() {
    let cycle = |error| matches!(error, ImportError::Skeleton { source: RawSkeletonError::Cycle { .. }, .. });
    let acl = |a: &str, b: &str| {
        format!(
            "version = 1 clip = {{ num_samples = 1 sample_rate = 1 }} bones = [ {{ name = \"a\" parent = \"{a}\" \
             vertex_distance = 1 }} {{ name = \"b\" parent = \"{b}\" vertex_distance = 1 }} ] tracks = [ ]"
        )
    };
    assert!(cycle(refused("acl_sjson", acl("b", "a").as_bytes())));
    assert!(cycle(refused("acl_sjson", acl("a", "").as_bytes())));
    assert!(cycle(refused("rawclip", &raw_clip(&[1, 0], 0.0))));
    assert!(cycle(refused("ozz", &ozz_skeleton(&[0xffff, 2, 1], 0.0))));
    assert!(ozz::read(&ozz_skeleton(&[0xffff, 0, 1], 0.0)).is_ok());
}

#[test]
fn numbers_that_are_none_are_refused() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(matches!(refused("rawclip", &raw_clip(&[u32::MAX], bad)), ImportError::Format { .. }));
        assert!(matches!(refused("ozz", &ozz_skeleton(&[0xffff], bad)), ImportError::Format { .. }));
    }
    assert!(rawclip::read(&raw_clip(&[u32::MAX], 7.0)).is_ok());
    for bad in ["nan", "inf", "-inf", "1e39", "1e999", "0x10", "--1"] {
        let bvh = format!(
            "HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS 1 Xposition }} MOTION Frames: 1 Frame Time: 1\n{bad}"
        );
        assert!(matches!(refused("bvh", bvh.as_bytes()), ImportError::Format { .. }), "{bad}");
    }
    let acl = |value: &str| {
        format!(
            "version = 1 clip = {{ num_samples = 1 sample_rate = 1 }} bones = [ {{ name = \"a\" parent = \"\" \
             vertex_distance = 1 }} ] tracks = [ {{ name = \"a\" translations = [ [ {value}, 0, 0 ] ] }} ]"
        )
    };
    // As text, as the bits of f32 and of f64, and beyond f32.
    for bad in ["nan", "inf", "\"7fc00000\"", "\"7ff0000000000000\"", "1e999"] {
        assert!(matches!(refused("acl_sjson", acl(bad).as_bytes()), ImportError::Format { .. }), "{bad}");
    }
    let beyond = refused("acl_sjson", acl("1e300").as_bytes());
    assert!(
        matches!(beyond, ImportError::Animation { source: RawAnimationError::NotFinite { .. }, .. }),
        "{beyond:?}"
    );
    assert!(acl_sjson::read(acl("1e3").as_bytes()).is_ok());
}

#[test]
fn endless_words_make_short_messages() {
    let long = "w\u{1b}".repeat(500_000);
    for bvh in [
        long.clone(),
        format!("HIERARCHY {long}"),
        format!("HIERARCHY ROOT r {{ OFFSET {long}"),
        format!("HIERARCHY ROOT r {{ CHANNELS {long}"),
        format!("HIERARCHY ROOT r {{ CHANNELS 1 {long}"),
        format!("HIERARCHY ROOT r {{ }} MOTION {long}"),
        format!("HIERARCHY ROOT r {{ }} MOTION Frames: 0 Frame Time: 1 {long}"),
    ] {
        refused("bvh", bvh.as_bytes());
    }
    let clip = "version = 1 clip = { num_samples = 1 sample_rate = 1 }";
    for acl in [
        long.clone(),
        format!("{long} {long}"),
        format!("version = {long}"),
        format!("version = {}", "9".repeat(500_000)),
        format!("{clip} bones = [ {{ name = \"a\" vertex_distance = 1 parent = \"{long}\" }} ]"),
        format!("{clip} bones = [ {{ name = \"{long}\" vertex_distance = 1 parent = \"{long}\" }} ]"),
        format!(
            "version = 1 track_list = {{ num_samples = 1 sample_rate = 1 }} tracks = [ {{ type = {long} }} ]"
        ),
    ] {
        refused("acl_sjson", acl.as_bytes());
    }
    refused("ozz", format!("\u{1}ozz-{long}\0").as_bytes());
}

#[test]
fn absurd_counts_are_refused() {
    let bvh = |channels: &str, frames: &str| {
        format!(
            "HIERARCHY ROOT r {{ OFFSET 0 0 0 CHANNELS {channels} Xposition }} MOTION Frames: {frames} Frame Time: 1\n0"
        )
    };
    for (channels, frames) in [
        ("18446744073709551615", "1"),
        ("1", "18446744073709551615"),
        ("99999999999999999999", "1"),
        ("-1", "1"),
    ] {
        refused("bvh", bvh(channels, frames).as_bytes());
    }
    assert!(bvh::read(bvh("1", "1").as_bytes(), &BvhOptions::default()).is_ok());
    for samples in ["18446744073709551615", "1e300", "0", "-1", "1.5"] {
        let acl = format!(
            "version = 1 clip = {{ num_samples = {samples} sample_rate = 1 }} bones = [ ] tracks = [ ]"
        );
        refused("acl_sjson", acl.as_bytes());
    }
    let mut raw = raw_clip(&[u32::MAX], 0.0);
    for at in [4, 8] {
        let was = raw[at..at + 4].to_vec();
        raw[at..at + 4].copy_from_slice(&[0xff; 4]);
        assert!(matches!(refused("rawclip", &raw), ImportError::Truncated { .. }));
        raw[at..at + 4].copy_from_slice(&was);
    }
}
