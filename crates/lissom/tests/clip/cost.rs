//! What a way to a time costs, in keys read and jump frames restored, in both forms: a player that went back to the
//! start would give the same bits, and fail here.

use crate::common::clips::{keys_clip, rows_clip};
use lissom::{
    Clip, Cursor, Skeleton,
    clip::{ClipStream, Codec, CursorStats},
    job::{SampleJob, SampleTime},
    math::{simd::Backend, soa::SoaTransform},
};
use lissom_build::cook::write_stream;
use lissom_testkit::compare::assert_same_pose;
use lissom_testkit::rng::Rng;

/// Rows of a block of the rows form.
const BLOCK_ROWS: u64 = 16;

/// Rows between two jump frames of the keys form: half a second.
const JUMP_ROWS: u64 = 15;

/// Twenty seconds at 30 rows a second, in each form.
fn both() -> [(Skeleton, Clip); 2] {
    let (rows, clip) = rows_clip(12, 601, 30.0);
    [keys_clip(30, 20.0, 0.5), (rows.skeleton, clip)]
}

fn keys_form(clip: &Clip) -> bool {
    // The rows form has a key of every channel at every row.
    clip.view().key_count() < u64::from(clip.view().row_count()) * clip.view().channel_count() as u64
}

fn sample(skeleton: &Skeleton, clip: &Clip, cursor: &mut Cursor, time_s: f64) -> Vec<SoaTransform> {
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let time = SampleTime::Clamped(time_s);
    SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output: &mut output }.run().unwrap();
    output
}

/// What one sample took.
fn cost(skeleton: &Skeleton, clip: &Clip, cursor: &mut Cursor, time_s: f64) -> CursorStats {
    let before = cursor.stats();
    sample(skeleton, clip, cursor, time_s);
    let after = cursor.stats();
    CursorStats { keys_read: after.keys_read - before.keys_read, jumps: after.jumps - before.jumps }
}

/// Frames at 60 Hz over all of the clip.
fn frames(clip: &Clip) -> impl DoubleEndedIterator<Item = f64> + use<> {
    (0..=(clip.view().duration_s() * 60.0) as u32).map(|f| f64::from(f) / 60.0)
}

#[test]
fn the_fixtures_are_one_of_each_form() {
    let [keys, rows] = both();
    assert!(keys_form(&keys.1) && !keys_form(&rows.1));
    assert_eq!(rows.1.view().block_count() as u64, 601_u64.div_ceil(BLOCK_ROWS));
    assert_eq!(keys.1.view().block_count() as u64, 600 / JUMP_ROWS);
}

#[test]
fn forward_reads_every_key_once() {
    for (skeleton, clip) in both() {
        let (view, mut cursor) = (clip.view(), Cursor::new());
        for t in frames(&clip) {
            sample(&skeleton, &clip, &mut cursor, t);
        }
        let (stats, channels) = (cursor.stats(), view.channel_count() as u64);
        if keys_form(&clip) {
            // The jump frame of the start holds the first key of a cubic twice: there is none before it.
            let once = view.key_count()..=view.key_count() + channels;
            assert!(stats.jumps == 1 && once.contains(&stats.keys_read), "{stats:?} of {once:?}");
        } else {
            // The first row of the next block is read for the interval between two blocks, and once more there.
            let blocks = view.block_count() as u64;
            let rows = u64::from(view.row_count()) + blocks - 1;
            assert_eq!(stats, CursorStats { keys_read: rows * channels, jumps: blocks });
        }
    }
}

#[test]
fn backward_costs_what_forward_does_and_never_goes_back_to_the_start() {
    for (skeleton, clip) in both() {
        let (view, mut cursor) = (clip.view(), Cursor::new());
        let (keys, channels) = (view.key_count(), view.channel_count() as u64);
        let mut times = frames(&clip).rev();
        sample(&skeleton, &clip, &mut cursor, times.next().unwrap());
        let before = cursor.stats();
        let mut dearest = 0;
        for t in times {
            dearest = dearest.max(cost(&skeleton, &clip, &mut cursor, t).keys_read);
        }
        let (read, jumps) =
            (cursor.stats().keys_read - before.keys_read, cursor.stats().jumps - before.jumps);
        if keys_form(&clip) {
            // Every record is undone once; half a row a frame is never worth a jump.
            assert!(jumps == 0 && read <= keys, "{read} of {keys} keys, {jumps} jumps");
            assert!(dearest <= channels, "{dearest} keys in one step back");
        } else {
            // A block is entered from its first row once, then left row by row.
            let blocks = view.block_count() as u64;
            assert_eq!(jumps, blocks - 1);
            let most = blocks * 2 * BLOCK_ROWS * channels;
            assert!(read <= most, "{read} keys, at most {most}");
            assert!(dearest <= (BLOCK_ROWS + 1) * channels, "{dearest} keys in one step back");
        }
    }
}

#[test]
fn a_seek_costs_a_jump_frame_and_a_block_at_most() {
    for (skeleton, clip) in both() {
        let (view, mut cursor, mut rng) = (clip.view(), Cursor::new(), Rng::new(61));
        let channels = view.channel_count() as u64;
        let most = if keys_form(&clip) {
            // A jump frame holds up to four keys a channel; the nearest one is half a block away.
            4 * channels + view.key_count() * JUMP_ROWS / u64::from(view.row_count())
        } else {
            (BLOCK_ROWS + 1) * channels
        };
        assert!(most * 10 < view.key_count(), "the bound would not notice a replay");
        let (mut jumps, seeks) = (0, 500);
        for _ in 0..seeks {
            let t = rng.unit_f64() * view.duration_s();
            let cost = cost(&skeleton, &clip, &mut cursor, t);
            assert!(cost.keys_read <= most && cost.jumps <= 1, "{cost:?} to {t}, at most {most} keys");
            jumps += cost.jumps;
        }
        assert!(jumps > seeks / 2, "{jumps} jumps");
    }
}

#[test]
fn the_same_interval_reads_nothing() {
    for (skeleton, clip) in both() {
        let mut cursor = Cursor::new();
        for t in [0.0, 5.001, 12.34, 19.99] {
            // Two moments of one row.
            let row = (t * 30.0_f64).floor() / 30.0;
            sample(&skeleton, &clip, &mut cursor, row + 0.001);
            let cost = cost(&skeleton, &clip, &mut cursor, row + 0.03);
            assert_eq!(cost, CursorStats::default(), "at {t}");
        }
    }
}

#[test]
fn after_an_advance_a_sample_reads_nothing_and_gives_the_same_bits() {
    for (skeleton, clip) in both() {
        let (view, mut cursor, mut rng) = (clip.view(), Cursor::new(), Rng::new(67));
        for i in 0..300 {
            // Forward, backward, anywhere.
            let t = match i / 100 {
                0 => f64::from(i) / 60.0,
                1 => f64::from(200 - i) / 60.0,
                _ => rng.unit_f64() * view.duration_s(),
            };
            let start = cursor.stats();
            cursor.advance(Backend::best(), view, t).unwrap();
            let advanced = cursor.stats();
            assert!(i < 200 || advanced.keys_read > start.keys_read, "nothing was read ahead for {t}");
            let pose = sample(&skeleton, &clip, &mut cursor, t);
            assert_eq!(cursor.stats(), advanced, "the sample at {t} read what was read already");
            let fresh = sample(&skeleton, &clip, &mut Cursor::new(), t);
            assert_same_pose(&format!("advanced to {t}"), &pose, &fresh, skeleton.joint_count());
        }
    }
}

#[test]
fn an_advance_over_a_block_that_is_not_there_says_so() {
    for (skeleton, clip) in both() {
        let file = write_stream(&clip, Codec::None).unwrap();
        let preamble = ClipStream::preamble_len(&file).unwrap() as usize;
        let mut stream = ClipStream::open(&file[..preamble], 1 << 20).unwrap();
        let mut cursor = Cursor::new();
        assert!(cursor.advance(Backend::best(), stream.view(), 7.3).is_err());
        // Once it is there, the same cursor goes on.
        while let Some(wanted) = stream.wanted() {
            let from = wanted.offset as usize;
            stream.supply(wanted.block, &file[from..from + wanted.len]).unwrap();
        }
        cursor.advance(Backend::best(), stream.view(), 7.3).unwrap();
        let pose = sample(&skeleton, &clip, &mut cursor, 7.3);
        let fresh = sample(&skeleton, &clip, &mut Cursor::new(), 7.3);
        assert_same_pose("advanced in a stream", &pose, &fresh, skeleton.joint_count());
    }
}

/// The steps of the walk-through that the keys form has (`the_walk_through_consumes_8_8_10_15_and_17_keys`), where
/// every channel has a key at every row: two rows at the start, then the rows that time passes, each once.
#[test]
fn the_walk_through_of_rows_reads_the_rows_that_time_passes() {
    let (built, clip) = rows_clip(4, 11, 10.0);
    let channels = clip.view().channel_count() as u64;
    assert_eq!(channels, 5);
    let mut cursor = Cursor::new();
    for (t, rows) in [(0.0, 2), (0.05, 2), (0.1, 3), (0.3, 5), (0.7, 9), (1.0, 11)] {
        sample(&built.skeleton, &clip, &mut cursor, t);
        assert_eq!(cursor.keys_consumed(), rows * channels, "at {t}");
        assert_eq!(cursor.stats(), CursorStats { keys_read: rows * channels, jumps: 1 }, "at {t}");
    }
    let cost = cost(&built.skeleton, &clip, &mut cursor, 0.95);
    assert_eq!(cost, CursorStats::default(), "nothing due, nothing read");
}

/// What `README.md` says of a cursor: 72 bytes for each moving channel, of which a turning joint has one and a joint
/// that also moves two. Channels are padded to whole groups of 16.
#[test]
fn a_cursor_of_rows_takes_72_bytes_for_each_moving_channel() {
    for joints in [1, 12, 67, 300] {
        let (_, clip) = rows_clip(joints, 40, 30.0);
        let channels = clip.view().channel_count();
        assert_eq!(channels, joints + joints.div_ceil(5));
        let bytes = Cursor::with_room_for(clip.view()).memory_bytes();
        let most = 72 * channels.next_multiple_of(16) + 64 + size_of::<Cursor>();
        assert!(bytes <= most, "{joints} joints: {bytes} of {most}");
    }
}
