use super::payload;
use lissom::archive::{AlignedBytes, ArchiveError, ArchiveView, Limits, SectionKind};
use lissom_build::{
    archive::{ArchiveWriteError, ArchiveWriter},
    raw::{RawUserTrack, RawUserTrackError, TrackKind, UserKey},
};

fn track(kind: TrackKind, keys: usize) -> RawUserTrack {
    let key = |i: usize| UserKey {
        ratio: i as f64 / 16.0,
        value: core::array::from_fn(|c| if c < kind.components() { (i * 4 + c) as f64 + 0.5 } else { 0.0 }),
        step: i % 3 == 1,
    };
    RawUserTrack { name: format!("{kind:?}"), kind, keys: (0..keys).map(key).collect() }
}

const KINDS: [TrackKind; 5] =
    [TrackKind::Float, TrackKind::Float2, TrackKind::Float3, TrackKind::Float4, TrackKind::Quat];

fn read(payload: Vec<u8>) -> Result<(), ArchiveError> {
    let writer = ArchiveWriter::new().section(SectionKind::Track, 1, 0, "t", payload).unwrap();
    let bytes = AlignedBytes::copy_of(&writer.finish().unwrap());
    ArchiveView::read(&bytes, &Limits::default())?.track("t").map(drop)
}

#[test]
fn tracks_of_every_kind_and_length_make_the_round_trip() {
    for (kind, keys) in KINDS.into_iter().flat_map(|k| [0, 1, 8, 9, 17].map(|n| (k, n))) {
        let track = track(kind, keys);
        let bytes = AlignedBytes::copy_of(&ArchiveWriter::new().track(&track).unwrap().finish().unwrap());
        let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
        let view = archive.track(&track.name).unwrap();
        assert_eq!((view.kind.components(), view.ratios.len()), (kind.components(), keys));
        for (i, key) in track.keys.iter().enumerate() {
            assert_eq!((f64::from(view.ratios[i]), view.is_step(i)), (key.ratio, key.step));
            let value = &view.values[i * kind.components()..][..kind.components()];
            assert!(value.iter().zip(key.value).all(|(a, b)| f64::from(*a) == b));
        }
        assert!(!view.is_step(keys));
    }
}

#[test]
fn every_truncation_and_no_change_of_a_track_does_harm_even_with_fitting_checksums() {
    let payload = payload(|w| w.track(&track(TrackKind::Float3, 9)));
    assert_eq!(read(payload.clone()), Ok(()));
    for at in 0..payload.len() {
        assert!(read(payload[..at].to_vec()).is_err(), "{at}");
        for other in 0..=255 {
            let mut payload = payload.clone();
            payload[at] = other;
            let _ = read(payload);
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let with = |at: usize, value: u32| {
        let mut payload = payload(|w| w.track(&track(TrackKind::Float, 3)));
        payload[at..at + 4].copy_from_slice(&value.to_le_bytes());
        read(payload).unwrap_err().to_string()
    };
    assert!(with(0, u32::MAX).contains("the ratios needs 17179869180 bytes"));
    assert!(with(4, 5).contains("the kind of a track is 5, not 0 to 4"));
    assert!(with(8, 1.0f32.to_bits()).contains("do not rise within 0 to 1"));
    assert!(with(20, f32::INFINITY.to_bits()).contains("number 0 of the values is not finite"));
    let mut payload = payload(|w| w.track(&track(TrackKind::Float, 3)));
    *payload.last_mut().unwrap() |= 8;
    assert!(read(payload).unwrap_err().to_string().contains("bits after the last key are not zero"));
    let mut close = track(TrackKind::Float, 2);
    close.keys[1].ratio = 1e-60;
    let refused = ArchiveWriter::new().track(&close);
    assert!(matches!(refused, Err(ArchiveWriteError::Track(RawUserTrackError::Order { key: 1, .. }))));
}
