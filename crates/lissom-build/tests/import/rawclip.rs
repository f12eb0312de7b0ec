//! `.rawclip`: there and back, and what is refused.

use lissom_build::{
    exact::{Q4, Trs, V3},
    import::{
        ImportError, Place,
        rawclip::{RawClip, WantedPrecision, read},
    },
    raw::{Channel, Curve, RawAnimation, RawEditError, RawJoint, RawSkeleton, RawTrack},
};

/// Bits of the flags.
const HAS_REST: u32 = 1;
const HAS_SHELL: u32 = 2;

fn clip(samples: usize, flags: u32) -> RawClip {
    let q = |i: usize| Q4::from_axis_angle(V3::Y, 0.25 * i as f64);
    let joint = |name: &str, parent| RawJoint { name: name.into(), parent, rest: Trs::IDENTITY };
    // Numbers that f32 holds.
    let track = |j: usize| RawTrack {
        translation: Channel::new(
            Curve::Linear,
            (0..samples).map(|i| (i as f64 / 30.0, V3::new(i as f64, j as f64, 0.5))),
        ),
        rotation: Channel::new(
            Curve::Linear,
            (0..samples).map(|i| (i as f64 / 30.0, Q4::from_f32(q(i).to_f32()))),
        ),
        scale: Channel::new(Curve::Linear, (0..samples).map(|i| (i as f64 / 30.0, V3::ONE))),
    };
    let mut skeleton = RawSkeleton { joints: vec![joint("0", Some(1)), joint("1", None)] };
    if flags & HAS_REST != 0 {
        skeleton.joints[0].rest.translation = V3::new(0.0, 7.0, 0.0);
    }
    let precision = WantedPrecision { shell: 3.0, precision: 0.0078125 };
    RawClip {
        skeleton,
        has_rest: flags & HAS_REST != 0,
        rate_hz: 30.0,
        animation: RawAnimation {
            duration_s: samples.saturating_sub(1).max(1) as f64 / 30.0,
            tracks: vec![track(0), track(1)],
            ..Default::default()
        },
        precision: (flags & HAS_SHELL != 0).then(|| vec![precision; 2]),
    }
}

#[test]
fn a_clip_comes_back_as_it_was_written() {
    for flags in 0..4 {
        for samples in [1, 2, 3, 50] {
            let clip = clip(samples, flags);
            let bytes = clip.write().unwrap();
            assert_eq!(bytes.len(), 20 + 8 + [0, 80, 16, 96][flags as usize] + 80 * samples);
            assert_eq!(read(&bytes).unwrap(), clip);
            assert_eq!(read(&bytes).unwrap().write().unwrap(), bytes);
        }
    }
}

#[test]
fn every_truncation_and_every_byte_too_many_is_an_error() {
    let mut bytes = clip(3, 3).write().unwrap();
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
    bytes.push(0);
    assert!(read(&bytes).unwrap_err().to_string().contains("1 bytes too many"));
}

#[test]
fn no_single_byte_can_do_harm() {
    let mut bytes = clip(3, 3).write().unwrap();
    for at in 0..bytes.len() {
        let was = bytes[at];
        for other in 0..=255 {
            bytes[at] = other;
            let _ = read(&bytes);
        }
        bytes[at] = was;
    }
}

#[test]
fn what_is_wrong_is_named() {
    let good = clip(2, 3).write().unwrap();
    let with = |at: usize, v: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&v.to_le_bytes());
        read(&bytes).unwrap_err()
    };
    assert!(matches!(with(0, 7), ImportError::NotThisFormat { .. }));
    assert!(matches!(with(4, u32::MAX), ImportError::Truncated { .. }));
    assert!(matches!(with(8, u32::MAX), ImportError::Truncated { .. }));
    assert_eq!(with(12, 0).to_string(), "byte 12: the rate is 0 Hz; it must be above 0");
    assert_eq!(with(16, 4).to_string(), "byte 16: the flags are 0x4; only bits 0 and 1 are known");
    assert!(matches!(with(20, 9), ImportError::Skeleton { .. }));
    assert!(matches!(with(28, f32::NAN.to_bits()), ImportError::Format { place: Place::Byte(28), .. }));
    let mut wrong = clip(2, 0);
    wrong.animation.tracks.pop();
    assert_eq!(wrong.write(), Err(RawEditError::Tracks { tracks: 1, joints: 2 }));
}
