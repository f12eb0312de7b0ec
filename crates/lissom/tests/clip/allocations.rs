//! Playing allocates nothing, from memory and from a stream.

use crate::common::clips::{long_plan, skeleton};
use lissom::{
    Clip, Cursor,
    clip::{Codec, Played, StreamPlayer},
    job::{SampleJob, SampleTime},
    math::soa::SoaTransform,
};
use lissom_build::cook::{encode, write_stream};
use lissom_testkit::alloc::assert_no_alloc;
use lissom_testkit::rng::Rng;

#[test]
fn ten_thousand_frames_from_memory_allocate_nothing() {
    let skeleton = skeleton(67);
    let clip =
        Clip::from_bytes(&encode(&long_plan(&mut Rng::new(43), &skeleton, 20.0, 0.5)).unwrap()).unwrap();
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut cursor = Cursor::with_room_for(clip.view());
    let mut rng = Rng::new(47);
    let duration = clip.view().duration_s();
    let mut play = |time: SampleTime| {
        let output = &mut output;
        SampleJob { skeleton: &skeleton, clip: clip.view(), time, lod: None, cursor: &mut cursor, output }
            .run()
            .unwrap();
    };
    assert_no_alloc(|| {
        // Over the end and on from the start eight times, then back, then anywhere.
        for frame in 0..10_000 {
            play(SampleTime::Wrapped(f64::from(frame) / 60.0));
        }
        for frame in (0..2_000).rev() {
            play(SampleTime::Wrapped(f64::from(frame) / 60.0));
        }
        for _ in 0..2_000 {
            play(SampleTime::Clamped(rng.unit_f64() * duration));
        }
    });
    assert!(cursor.stats().jumps > 10 && cursor.stats().keys_read > 10_000);
}

/// Buffers of a stream's window are used again and grow to the largest block that they hold: after some loops
/// nothing grows any more.
#[test]
fn ten_thousand_frames_from_a_stream_allocate_nothing_once_its_buffers_have_grown() {
    let skeleton = skeleton(30);
    let clip =
        Clip::from_bytes(&encode(&long_plan(&mut Rng::new(53), &skeleton, 20.0, 0.5)).unwrap()).unwrap();
    let bytes = write_stream(&clip, Codec::Lz4).unwrap();
    let largest = (0..clip.view().block_count())
        .map(|b| clip.view().stored_block(b))
        .map(|(state, stream)| state.len() + stream.len())
        .max()
        .unwrap();
    // A fifth of the clip: blocks come and go all the time.
    let window = largest * 8;
    let mut player = StreamPlayer::open(std::io::Cursor::new(bytes), window).unwrap();
    let mut cursor = Cursor::with_room_for(clip.view());
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let duration = clip.view().duration_s();
    let mut play = |frames: std::ops::Range<u32>| {
        for frame in frames {
            let time_s = f64::from(frame) / 60.0;
            player.move_to(time_s % duration);
            player.prefetch(64 << 10).unwrap();
            let time = SampleTime::Wrapped(time_s);
            let played = player.sample(&skeleton, time, None, &mut cursor, &mut output).unwrap();
            assert_eq!(played, Played::Pose);
        }
    };
    play(0..12_000);
    assert_no_alloc(|| play(12_000..22_000));
    // Loops cannot be played from what fits the window at once.
    assert!(player.stream().window_used() <= window && clip.view().block_count() > 30);
    assert!(cursor.stats().keys_read > 10_000);
}
