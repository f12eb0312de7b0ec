//! Clips that are not all there: the same poses through a window, and damage that stays where it is.

use crate::common::clips::{long_plan, skeleton};
use lissom::{
    Clip, Cursor,
    clip::{ClipStream, Codec, Played, StreamError, StreamFeed, StreamPlayer},
    job::{SampleJob, SampleTime},
    math::soa::SoaTransform,
};
use lissom_build::cook::{encode, write_stream};
use lissom_testkit::compare::assert_same_pose;
use lissom_testkit::rng::Rng;
use std::io::{self, Read, Seek, SeekFrom};

const WINDOW: usize = 256 << 10;

/// Ten minutes at 30 rows a second, with jump frames every second.
fn ten_minutes() -> (lissom::Skeleton, Clip) {
    let skeleton = skeleton(30);
    let plan = long_plan(&mut Rng::new(23), &skeleton, 600.0, 1.0);
    (skeleton, Clip::from_bytes(&encode(&plan).unwrap()).unwrap())
}

fn whole(
    skeleton: &lissom::Skeleton,
    clip: &Clip,
    cursor: &mut Cursor,
    time: SampleTime,
) -> Vec<SoaTransform> {
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output: &mut output }.run().unwrap();
    output
}

/// A source that gives one byte a read.
struct OneByte<R>(R);

impl<R: Read> Read for OneByte<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let one = buffer.len().min(1);
        self.0.read(&mut buffer[..one])
    }
}

impl<R: Seek> Seek for OneByte<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

fn plays_like_the_whole<R: Read + Seek>(source: R, seconds: f64) {
    let (skeleton, clip) = ten_minutes();
    let mut player = StreamPlayer::open(source, WINDOW).unwrap();
    let (mut streamed, mut direct) = (Cursor::new(), Cursor::new());
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let duration = clip.view().duration_s();
    let mut play = |time_s: f64| {
        let time = SampleTime::Wrapped(time_s);
        player.move_to(time_s % duration);
        player.prefetch(64 << 10).unwrap();
        assert!(player.stream().window_used() <= WINDOW);
        let played = player.sample(&skeleton, time, None, &mut streamed, &mut output).unwrap();
        assert_eq!(played, Played::Pose, "at {time_s}");
        let expected = whole(&skeleton, &clip, &mut direct, time);
        assert_same_pose("streamed", &output, &expected, skeleton.joint_count());
    };
    // Straight on, a sixtieth a frame, over the end and on from the start.
    let start = duration - seconds * 0.5;
    for frame in 0..(seconds * 60.0) as u32 {
        play(start + f64::from(frame) / 60.0);
    }
    let mut rng = Rng::new(29);
    for _ in 0..50 {
        let from = rng.unit_f64() * duration;
        for frame in 0..5 {
            play(from + f64::from(frame) / 60.0);
        }
    }
    for frame in (0..600).rev() {
        play(100.0 + f64::from(frame) / 60.0);
    }
}

#[test]
fn a_file_through_a_small_window_plays_bit_for_bit() {
    let (_, clip) = ten_minutes();
    let bytes = write_stream(&clip, Codec::Lz4).unwrap();
    assert!(bytes.len() > 2 * WINDOW, "{} bytes would fit the window", bytes.len());
    let path = std::env::temp_dir().join(format!("lissom-stream-{}.lcs", std::process::id()));
    std::fs::write(&path, &bytes).unwrap();
    plays_like_the_whole(std::fs::File::open(&path).unwrap(), 700.0);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_reader_of_single_bytes_plays_bit_for_bit() {
    let (_, clip) = ten_minutes();
    let bytes = write_stream(&clip, Codec::Lz4).unwrap();
    plays_like_the_whole(OneByte(io::Cursor::new(bytes)), 20.0);
}

#[test]
fn bytes_in_pieces_start_to_play_with_the_first_block() {
    let (skeleton, clip) = ten_minutes();
    let bytes = write_stream(&clip, Codec::None).unwrap();
    let mut feed = StreamFeed::new(WINDOW);
    let (mut cursor, mut direct) = (Cursor::new(), Cursor::new());
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let (mut at, mut frame, mut late, mut poses, mut pushes) = (0, 0_u32, 0, 0, 0);
    let duration = clip.view().duration_s();
    let preamble = ClipStream::preamble_len(&bytes).unwrap() as usize;
    let first = ClipStream::open(&bytes[..preamble], WINDOW).unwrap().wanted().unwrap();
    let playable = first.offset as usize + first.len;
    while f64::from(frame) / 60.0 < duration {
        // 700 bytes a frame; what the window has no room for waits.
        let end = (at + 700).min(bytes.len());
        at += feed.push(&bytes[at..end]).unwrap();
        pushes += 1;
        // Every push brings a pose, or 700 bytes more.
        assert!(pushes <= frame as usize + bytes.len() / 700 + 2, "stuck at frame {frame}, byte {at}");
        let Some(stream) = feed.stream() else { continue };
        let time = SampleTime::Clamped(f64::from(frame) / 60.0);
        match stream.sample(&skeleton, time, None, &mut cursor, &mut output).unwrap() {
            Played::Pose => {
                poses += 1;
                assert!(
                    frame > 0 || (playable..playable + 700).contains(&at),
                    "{at} bytes for the first pose"
                );
                let expected = whole(&skeleton, &clip, &mut direct, time);
                assert_same_pose("fed", &output, &expected, skeleton.joint_count());
                frame += 1;
            }
            Played::Late { .. } => late += 1,
            Played::Damaged { .. } => panic!("nothing is damaged"),
        }
        assert!(stream.window_used() <= WINDOW);
    }
    assert!(poses > 35_000 && late > 0, "{poses} poses, {late} late");
    // The last frame lies in the last block.
    assert_eq!(at, bytes.len());
}

#[test]
fn a_late_block_holds_the_last_pose_and_says_so() {
    let (skeleton, clip) = ten_minutes();
    let bytes = write_stream(&clip, Codec::Lz4).unwrap();
    let preamble = ClipStream::preamble_len(&bytes).unwrap() as usize;
    let mut stream = ClipStream::open(&bytes[..preamble], WINDOW).unwrap();
    let mut cursor = Cursor::new();
    let before = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut output = before.clone();
    let time = SampleTime::Clamped(42.5);
    let played = stream.sample(&skeleton, time, None, &mut cursor, &mut output).unwrap();
    assert_eq!(played, Played::Late { block: 42 });
    assert_eq!(output, before);
    let wanted = stream.wanted().unwrap();
    assert_eq!(wanted.block, 42);
    let from = wanted.offset as usize;
    stream.supply(42, &bytes[from..from + wanted.len]).unwrap();
    assert_eq!(stream.sample(&skeleton, time, None, &mut cursor, &mut output).unwrap(), Played::Pose);
    assert_ne!(output, before);
    let again = stream.supply(42, &bytes[from..from + wanted.len]);
    assert_eq!(again, Err(StreamError::NotWanted { block: 42, given: wanted.len }));
}

/// A short clip of four blocks, and its poses a frame.
fn short() -> (lissom::Skeleton, Clip, Vec<Vec<SoaTransform>>) {
    let skeleton = skeleton(7);
    let plan = long_plan(&mut Rng::new(31), &skeleton, 2.0, 0.5);
    let clip = Clip::from_bytes(&encode(&plan).unwrap()).unwrap();
    let mut cursor = Cursor::new();
    let poses = (0..120)
        .map(|f| whole(&skeleton, &clip, &mut cursor, SampleTime::Clamped(f64::from(f) / 60.0)))
        .collect();
    (skeleton, clip, poses)
}

/// Plays every frame from damaged bytes: each is right, held, or reported.
fn survives(
    bytes: Vec<u8>,
    skeleton: &lissom::Skeleton,
    poses: &[Vec<SoaTransform>],
    what: &str,
) -> (usize, usize) {
    let mut player = match StreamPlayer::open(io::Cursor::new(bytes), WINDOW) {
        Ok(player) => player,
        Err(_) => return (0, poses.len()),
    };
    let mut cursor = Cursor::new();
    let (mut good, mut reported) = (0, 0);
    for (frame, expected) in poses.iter().enumerate() {
        let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
        let time = SampleTime::Clamped(frame as f64 / 60.0);
        player.prefetch(usize::MAX).unwrap();
        match player.sample(skeleton, time, None, &mut cursor, &mut output).unwrap() {
            Played::Pose => {
                assert_same_pose(what, &output, expected, skeleton.joint_count());
                good += 1;
            }
            Played::Damaged { .. } | Played::Late { .. } => reported += 1,
        }
    }
    (good, reported)
}

#[test]
fn damage_is_reported_and_stays_in_its_block() {
    for codec in [Codec::None, Codec::Lz4] {
        let (skeleton, clip, poses) = short();
        let bytes = write_stream(&clip, codec).unwrap();
        assert_eq!(survives(bytes.clone(), &skeleton, &poses, "whole"), (120, 0));
        let preamble = ClipStream::preamble_len(&bytes).unwrap() as usize;
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << (at % 8);
            let (good, reported) = survives(bad, &skeleton, &poses, &format!("byte {at}"));
            assert!(reported > 0, "byte {at} was not noticed");
            // A block is half a second; all the others are there.
            assert!(
                at < preamble || (good >= 88 && reported <= 32),
                "byte {at}: {good} good, {reported} reported"
            );
        }
        for len in 0..bytes.len() {
            let (_, reported) = survives(bytes[..len].to_vec(), &skeleton, &poses, &format!("cut to {len}"));
            assert!(reported > 0, "cut to {len} was not noticed");
        }
    }
}

#[test]
fn a_window_smaller_than_a_block_is_refused() {
    let (_, clip, _) = short();
    let bytes = write_stream(&clip, Codec::Lz4).unwrap();
    assert!(matches!(ClipStream::open(&bytes, 10), Err(StreamError::Window { window: 10, block: 0, .. })));
    assert!(matches!(ClipStream::open(b"RIFF____________", 10), Err(StreamError::Magic { .. })));
}
