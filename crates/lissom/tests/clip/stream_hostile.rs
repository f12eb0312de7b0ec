//! Streams whose checksums are right but whose contents are not: an error, a report or a pose, never a panic.

use crate::common::clips::{long_plan, skeleton};
use lissom::{
    Clip, Cursor, Skeleton,
    clip::{
        ClipStream, Codec, StreamFeed, StreamPlayer,
        format::stream::{ENTRY_BYTES, FIXED_BYTES, MAGIC, VERSION},
    },
    job::SampleTime,
    math::soa::SoaTransform,
};
use lissom_build::cook::{encode, write_stream};
use lissom_testkit::rng::Rng;
use std::io;

const WINDOW: usize = 64 << 10;

/// Makes the checksum of the preamble right again; false if the preamble is longer than the bytes.
fn fix_preamble(bytes: &mut [u8]) -> bool {
    let Ok(len) = ClipStream::preamble_len(bytes) else { return false };
    let Some(at) = usize::try_from(len).ok().filter(|l| *l <= bytes.len()).map(|l| l - 4) else {
        return false;
    };
    let crc = crc32fast::hash(&bytes[..at]);
    bytes[at..at + 4].copy_from_slice(&crc.to_le_bytes());
    true
}

/// Plays by both ways of driving a stream; true if one of them opened it.
fn play(bytes: &[u8], skeleton: &Skeleton, rng: &mut Rng) -> bool {
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut opened = false;
    if let Ok(mut player) = StreamPlayer::open(io::Cursor::new(bytes), WINDOW) {
        opened = true;
        let mut cursor = Cursor::new();
        for _ in 0..12 {
            let time = SampleTime::Ratio(rng.unit_f64());
            player.move_to(rng.unit_f64() * 2.0);
            drop(player.prefetch(1 << 14));
            // A clip for another skeleton is an error, everything else is played or reported: all are fine here.
            drop(player.sample(skeleton, time, None, &mut cursor, &mut output));
            assert!(player.stream().window_used() <= WINDOW);
        }
    }
    let mut feed = StreamFeed::new(WINDOW);
    let (mut at, mut cursor) = (0, Cursor::new());
    while at < bytes.len() {
        let end = (at + 1 + rng.below(700)).min(bytes.len());
        let Ok(used) = feed.push(&bytes[at..end]) else { break };
        at += used;
        if let Some(stream) = feed.stream() {
            opened = true;
            let time = SampleTime::Ratio(rng.unit_f64());
            drop(stream.sample(skeleton, time, None, &mut cursor, &mut output));
            assert!(stream.window_used() <= WINDOW);
        }
        if used == 0 {
            break;
        }
    }
    opened
}

#[test]
fn changed_bytes_behind_a_right_checksum_never_panic() {
    let skeleton = skeleton(9);
    let clip =
        Clip::from_bytes(&encode(&long_plan(&mut Rng::new(67), &skeleton, 2.0, 0.5)).unwrap()).unwrap();
    let mut rng = Rng::new(71);
    let (mut refused, mut played) = (0, 0);
    for codec in [Codec::None, Codec::Lz4] {
        let bytes = write_stream(&clip, codec).unwrap();
        let preamble = ClipStream::preamble_len(&bytes).unwrap() as usize;
        for case in 0..1500 {
            let mut bad = bytes.clone();
            for _ in 0..=rng.below(4) {
                // One time in three anywhere in the preamble, else in a block.
                let range = if case % 3 == 0 { 6..preamble } else { preamble..bad.len() };
                let at = range.start + rng.below(range.len());
                bad[at] = rng.next_u64() as u8;
            }
            // The pieces' own checksums fit too, so that what is in them gets played.
            for block in 0..clip.view().block_count() {
                let at = FIXED_BYTES + block * ENTRY_BYTES;
                let number =
                    |from: usize| u32::from_le_bytes(bad[at + from..at + from + 4].try_into().unwrap());
                let (from, len) = (number(0) as usize, number(8) as usize);
                if let Some(piece) = bad.get(from..from.saturating_add(len)) {
                    let crc = crc32fast::hash(piece);
                    bad[at + 20..at + 24].copy_from_slice(&crc.to_le_bytes());
                }
            }
            if fix_preamble(&mut bad) && play(&bad, &skeleton, &mut rng) { played += 1 } else { refused += 1 }
        }
    }
    assert!(refused > 100 && played > 1000, "{refused} refused, {played} played");
}

#[test]
fn random_bytes_behind_a_right_checksum_never_panic() {
    let skeleton = skeleton(9);
    let mut rng = Rng::new(73);
    let mut fixed = 0;
    for _ in 0..5000 {
        let mut bytes: Vec<u8> = (0..64 + rng.below(2000)).map(|_| rng.next_u64() as u8).collect();
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        bytes[6] = rng.below(2) as u8;
        // Lengths that the bytes can hold, so that the tables behind them are looked at.
        let head = rng.below(bytes.len()) as u32;
        bytes[8..12].copy_from_slice(&head.to_le_bytes());
        bytes[12..16].copy_from_slice(&(rng.below(8) as u32).to_le_bytes());
        fixed += u32::from(fix_preamble(&mut bytes));
        assert!(!play(&bytes, &skeleton, &mut rng), "noise is no clip");
    }
    assert!(fixed > 1000, "{fixed} of 5000 got past the checksum");
}
