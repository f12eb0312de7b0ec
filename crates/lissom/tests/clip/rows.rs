//! The rows form: a second decoder written from FORMAT.md, streams, damage, loops, backends, allocations.

use lissom::{
    Clip, Cursor, Skeleton,
    clip::Codec,
    job::{SampleJob, SampleTime},
    math::{
        Transform,
        simd::Backend,
        soa::{self, SoaTransform},
    },
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, Effort, Form, seal, write_stream},
    exact::{Q4, Trs, V3, clamp},
    mannequin::{self, Motion},
    raw::{Key, RawAnimation, RawJoint, RawSkeleton, RawTrack},
};
use lissom_testkit::alloc::assert_no_alloc;
use lissom_testkit::compare::assert_same_pose;
use lissom_testkit::{generate::v3, rng::Rng};
use std::io::Cursor as Bytes;

fn cook(skeleton: &BuiltSkeleton, animation: &RawAnimation) -> Vec<u8> {
    let builder = ClipBuilder { form: Form::Rows, effort: Effort::Fast, ..ClipBuilder::default() };
    builder.build(skeleton, animation).unwrap().bytes
}

fn mannequin(motion: Motion) -> (BuiltSkeleton, RawAnimation) {
    (SkeletonBuilder::build(&mannequin::skeleton()).unwrap(), mannequin::clip(motion))
}

/// A chain with every kind of channel: constants and motion of all three kinds, a whole turn.
fn mixed(rows: usize, looping: bool) -> (BuiltSkeleton, RawAnimation) {
    let joint = |j: usize| RawJoint {
        name: format!("j{j}"),
        parent: j.checked_sub(1),
        rest: Trs::from_translation(V3::new(0.0, 0.2, 0.01 * j as f64)),
    };
    let joints = 37;
    let skeleton = SkeletonBuilder::build(&RawSkeleton { joints: (0..joints).map(joint).collect() }).unwrap();
    let mut rng = Rng::new(rows as u64);
    let duration_s = (rows - 1) as f64 / 30.0;
    let track = |j: usize| {
        let mut track = RawTrack::default();
        let (phase, axis) = (rng.unit_f64() * 6.0, v3(&mut rng, 1.0).normalize_or(V3::X));
        let at = |i: usize| std::f64::consts::TAU * i as f64 / (rows - 1) as f64 + phase;
        let time = |i: usize| i as f64 / 30.0;
        if j % 3 != 1 {
            let turn = if j == 5 { 3.3 } else { 0.4 };
            let key = |i| Key { time_s: time(i), value: Q4::from_axis_angle(axis, turn * libm::sin(at(i))) };
            track.rotation.keys = (0..rows).map(key).collect();
        } else {
            track.rotation.keys = vec![Key { time_s: 0.0, value: Q4::from_axis_angle(axis, 0.7) }];
        }
        if j.is_multiple_of(5) {
            let key =
                |i| Key { time_s: time(i), value: V3::new(libm::cos(at(i)), 0.2, 0.1 * libm::sin(at(i))) };
            track.translation.keys = (0..rows).map(key).collect();
        } else if j % 5 == 1 {
            track.translation.keys = vec![Key { time_s: 0.0, value: V3::new(0.1, 0.3, -0.2) }];
        }
        if j.is_multiple_of(7) {
            let key = |i| Key { time_s: time(i), value: V3::ONE * (1.0 + 0.1 * libm::sin(at(i))) };
            track.scale.keys = (0..rows).map(key).collect();
        } else if j % 7 == 1 {
            track.scale.keys = vec![Key { time_s: 0.0, value: V3::new(1.0, 1.1, 0.9) }];
        }
        if j == 36 && !looping {
            // It does not come back.
            let key = |i| Key { time_s: time(i), value: V3::new(0.01 * i as f64, 0.0, 0.0) };
            track.translation.keys = (0..rows).map(key).collect();
        }
        track
    };
    let tracks = (0..joints).map(track).collect();
    (skeleton, RawAnimation { name: "mixed".into(), duration_s, looping, additive: false, tracks })
}

fn pose_at(skeleton: &Skeleton, clip: &Clip, cursor: &mut Cursor, time: SampleTime) -> Vec<SoaTransform> {
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output: &mut output }.run().unwrap();
    output
}

// ---------------------------------------------------------------------------------------------------------------
// The second decoder, from the document alone.

struct Bits<'a>(&'a [u8], usize);

impl Bits<'_> {
    fn number(&mut self, bits: usize) -> u64 {
        let bit = |at: usize| u64::from(self.0.get(at / 8).copied().unwrap_or(0) >> (at % 8) & 1);
        let v = (0..bits).map(|i| bit(self.1 + i) << i).sum();
        self.1 += bits;
        v
    }
    fn signed(&mut self, bits: usize) -> i64 {
        let v = self.number(bits) as i64;
        if bits > 0 && v >> (bits - 1) != 0 { v - (1 << bits) } else { v }
    }
    fn three(&mut self, bits: [usize; 3]) -> [i64; 3] {
        bits.map(|b| self.signed(b))
    }
    fn up(&mut self) {
        self.1 = self.1.next_multiple_of(8);
    }
}

struct Record {
    code: u64,
    centre: u64,
    state: [usize; 3],
    slope: [usize; 3],
    first: [i64; 3],
}

/// Local transforms at a time, by the document.
struct Document {
    rate: f64,
    rows: usize,
    /// For T, R, S and each joint: nothing, a constant, or a channel.
    joints: Vec<[Option<Result<usize, V3>>; 3]>,
    records: Vec<(usize, Record)>,
    /// The keys of each channel.
    keys: Vec<Vec<[i64; 3]>>,
}

fn document(b: &[u8]) -> Document {
    let word = |i: usize| u32::from_le_bytes(b[i * 4..i * 4 + 4].try_into().unwrap());
    let double = |at: usize| f64::from_le_bytes(b[at..at + 8].try_into().unwrap());
    assert_eq!((&b[..4], word(1) & 0xffff, word(2) as usize * 4), (&b"LCLP"[..], 2, b.len()));
    let (flags, joints, rows) = (word(1) >> 16, (word(3) & 0xffff) as usize, word(10) as usize);
    let (rate, width) = (double(32), if flags & 4 == 0 { 4 } else { 5 });
    let stored = rows - usize::from(flags & 0x8000 != 0);
    let blocks = stored.div_ceil(16);
    let mut at = 44 + if flags & 2 == 0 { 0 } else { 8 } + (word(3) >> 16) as usize;
    let mut masks = vec![[(false, false); 3]; joints];
    for kind in 0..3 {
        for moving in [false, true] {
            if flags & (8 << (2 * kind + usize::from(moving))) == 0 {
                continue;
            }
            for (j, mask) in masks.iter_mut().enumerate() {
                let bit = b[at + j / 16 * 2 + j % 16 / 8] >> (j % 8) & 1 != 0;
                if moving { mask[kind].1 = bit } else { mask[kind].0 = bit }
            }
            at += joints.div_ceil(16) * 2;
        }
    }
    let mut out = vec![[const { None }; 3]; joints];
    for kind in 0..3 {
        let list: Vec<usize> = (0..joints).filter(|j| masks[*j][kind].0).collect();
        let bytes = (flags as usize >> (9 + 2 * kind) & 3) + 1;
        let mut step = 1.0 / f64::from(1_u32 << (8 * bytes - 1));
        if kind != 1 && !list.is_empty() {
            step = f64::from(f32::from_le_bytes(b[at..at + 4].try_into().unwrap()));
            at += 4;
        }
        let number = |c: usize, i: usize| {
            Bits(b, (at + (c * list.len() + i) * bytes) * 8).signed(bytes * 8) as f64 * step
        };
        for (i, j) in list.iter().enumerate() {
            out[*j][kind] = Some(Err(V3::new(number(0, i), number(1, i), number(2, i))));
        }
        at += list.len() * 3 * bytes;
    }
    let lists: Vec<Vec<usize>> =
        (0..3).map(|kind| (0..joints).filter(|j| masks[*j][kind].1).collect()).collect();
    let mut first_bits = [0; 3];
    for kind in 0..3 {
        if !lists[kind].is_empty() {
            first_bits[kind] = usize::from(b[at]);
            at += 1;
        }
    }
    let mut bits = Bits(b, at * 8);
    let mut records = Vec::new();
    for kind in 0..3 {
        for j in &lists[kind] {
            out[*j][kind] = Some(Ok(records.len()));
            let (code, centre) = (bits.number(8), bits.number(2));
            let state = if blocks > 1 { [(); 3].map(|()| bits.number(5) as usize) } else { [0; 3] };
            let slope = [(); 3].map(|()| bits.number(width) as usize);
            let first = bits.three([first_bits[kind]; 3]);
            records.push((kind, Record { code, centre, state, slope, first }));
        }
    }
    bits.up();
    let starts = bits.1 / 8;
    let base = (starts + 4 * (blocks - 1)).next_multiple_of(4);
    let mut keys = vec![Vec::new(); records.len()];
    for block in 0..blocks {
        let start = if block == 0 { 0 } else { word_at(b, starts + 4 * (block - 1)) as usize };
        let mut bits = Bits(b, (base + start) * 8);
        let mut now: Vec<[i64; 3]> = records.iter().map(|(_, r)| r.first).collect();
        if block > 0 {
            for (now, (_, r)) in now.iter_mut().zip(&records) {
                let off = bits.three(r.state);
                *now = [now[0] + off[0], now[1] + off[1], now[2] + off[2]];
            }
            bits.up();
        }
        let codes: Vec<(bool, [usize; 3])> = records
            .iter()
            .map(|_| (bits.number(1) != 0, [(); 3].map(|()| bits.number(width) as usize)))
            .collect();
        let mut before = now.clone();
        for (i, (goes_on, widths)) in codes.iter().enumerate() {
            if *goes_on {
                let slope = bits.three(records[i].1.slope);
                before[i] = [0, 1, 2].map(|c| now[i][c] - (slope[c] << widths[c]));
            }
        }
        for row in 0..16.min(stored - block * 16) {
            for i in 0..records.len() {
                if row > 0 {
                    let d = bits.three(codes[i].1);
                    let next = [0, 1, 2]
                        .map(|c| now[i][c] + d[c] + if codes[i].0 { now[i][c] - before[i][c] } else { 0 });
                    before[i] = now[i];
                    now[i] = next;
                }
                keys[i].push(now[i]);
            }
        }
    }
    if stored < rows {
        keys.iter_mut().for_each(|k| k.push(k[0]));
    }
    Document { rate, rows, joints: out, records, keys }
}

fn word_at(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(b[at..at + 4].try_into().unwrap())
}

fn turn(m: V3) -> Q4 {
    let s = m.dot(m);
    Q4::new(2.0 * m.x, 2.0 * m.y, 2.0 * m.z, 1.0 - s).scaled(1.0 / (1.0 + s))
}

impl Document {
    fn local(&self, joint: usize, time_s: f64, rest: Trs) -> Trs {
        let x = time_s * self.rate;
        let row = ((x * (1.0 + 2.0 * f64::EPSILON)) as usize).min(self.rows - 2);
        let t = clamp(x - row as f64, 0.0, 1.0);
        let mut out = rest;
        for kind in 0..3 {
            let (left, right, t, centre) = match &self.joints[joint][kind] {
                None => continue,
                Some(Err(v)) => (*v, *v, 0.0, 0),
                Some(Ok(channel)) => {
                    let r = &self.records[*channel].1;
                    let octaves = if kind == 1 { 0.0 } else { 8.0 } - r.code as f64 / 8.0;
                    let key = |row: usize| {
                        let [x, y, z] = self.keys[*channel][row].map(|n| n as f64 * libm::exp2(octaves));
                        V3::new(x, y, z)
                    };
                    (key(row), key(row + 1), t, r.centre)
                }
            };
            let mixed = left * (1.0 - t) + right * t;
            match kind {
                0 => out.translation = mixed,
                1 => {
                    let (a, b) = (turn(left), turn(right));
                    let q = a.scaled(1.0 - t).plus(b.near(a).scaled(t)).normalize();
                    out.rotation = match centre {
                        0 => q,
                        1 => Q4::new(q.w, -q.z, q.y, -q.x),
                        2 => Q4::new(q.z, q.w, -q.x, -q.y),
                        _ => Q4::new(-q.y, q.x, q.w, -q.z),
                    };
                }
                _ => out.scale = mixed,
            }
        }
        out
    }
}

fn assert_near(played: Transform, expected: Trs, what: &str) {
    let played = Trs::from_f32(played);
    let apart = played.rotation.near(expected.rotation).plus(expected.rotation.scaled(-1.0));
    assert!(apart.dot(apart).sqrt() < 2e-6, "{what}: {played:?}, the document says {expected:?}");
    for (a, b) in [(played.translation, expected.translation), (played.scale, expected.scale)] {
        assert!((a - b).length() <= 1e-6 * (1.0 + b.length()), "{what}: {played:?}, not {expected:?}");
    }
}

#[test]
fn a_decoder_written_from_the_document_finds_what_the_player_finds() {
    let mut stages: Vec<(BuiltSkeleton, RawAnimation)> = Motion::ALL.map(mannequin).into();
    for rows in [2, 3, 16, 17, 18, 32, 33, 100] {
        stages.push(mixed(rows, false));
        stages.push(mixed(rows, true));
    }
    for (skeleton, animation) in stages {
        let bytes = cook(&skeleton, &animation);
        let clip = Clip::from_bytes(&bytes).unwrap();
        let document = document(&bytes);
        assert_eq!(clip.view().name(), animation.name);
        let mut cursor = Cursor::new();
        for i in 0..=200 {
            let time_s = animation.duration_s * f64::from(i) / 200.0;
            let pose = pose_at(&skeleton.skeleton, &clip, &mut cursor, SampleTime::Clamped(time_s));
            for j in 0..skeleton.skeleton.joint_count() {
                let rest = Trs::from_f32(skeleton.skeleton.rest(j));
                let what = format!("{} of {} rows, joint {j}, {time_s} s", animation.name, document.rows);
                assert_near(soa::lane(&pose, j), document.local(j, time_s, rest), &what);
            }
        }
    }
}

#[test]
fn every_backend_and_every_way_gives_the_same_bits() {
    let (built, animation) = mixed(100, false);
    let (skeleton, clip) = (&built.skeleton, Clip::from_bytes(&cook(&built, &animation)).unwrap());
    let mut rng = Rng::new(3);
    let mut wild: Vec<Cursor> = Backend::all().map(|_| Cursor::new()).collect();
    for i in 0..600 {
        // Forward, backward, anywhere.
        let time_s = match i / 200 {
            0 => f64::from(i) * animation.duration_s / 199.0,
            1 => f64::from(399 - i) * animation.duration_s / 199.0,
            _ => rng.unit_f64() * animation.duration_s,
        };
        let time = SampleTime::Clamped(time_s);
        let expected = pose_at(skeleton, &clip, &mut Cursor::new(), time);
        for (backend, cursor) in Backend::all().zip(&mut wild) {
            let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
            let clip = clip.view();
            SampleJob { skeleton, clip, time, lod: None, cursor, output: &mut output }
                .run_on(backend)
                .unwrap();
            assert_same_pose(&format!("{backend} at {time_s}"), &output, &expected, skeleton.joint_count());
        }
    }
}

#[test]
fn a_loop_leaves_its_last_row_out_and_meets_its_start() {
    let (built, animation) = mixed(50, true);
    let skeleton = &built.skeleton;
    let bytes = cook(&built, &animation);
    assert_ne!(word_at(&bytes, 4) >> 16 & 0x8000, 0, "the last row is stored");
    let clip = Clip::from_bytes(&bytes).unwrap();
    assert_eq!(clip.view().row_count(), 50);
    let mut cursor = Cursor::new();
    let start = pose_at(skeleton, &clip, &mut cursor, SampleTime::Wrapped(0.0));
    let end = pose_at(skeleton, &clip, &mut cursor, SampleTime::Clamped(animation.duration_s));
    for j in 0..skeleton.joint_count() {
        assert_near(
            soa::lane(&end, j),
            Trs::from_f32(soa::lane(&start, j)),
            &format!("joint {j} at the seam"),
        );
    }
    // One that only claims to be a loop keeps its end.
    let mut liar = mixed(50, false).1;
    liar.looping = true;
    assert_eq!(word_at(&cook(&built, &liar), 4) >> 16 & 0x8000, 0);
}

/// Every frame of a clip.
fn frames(skeleton: &Skeleton, clip: &Clip) -> Vec<(f64, Vec<SoaTransform>)> {
    let mut cursor = Cursor::new();
    let frame = |i: u32| {
        let time_s = f64::from(i) / 60.0;
        (time_s, pose_at(skeleton, clip, &mut cursor, SampleTime::Clamped(time_s)))
    };
    (0..(clip.view().duration_s() * 60.0) as u32).map(frame).collect()
}

#[test]
fn a_stream_plays_like_the_whole_and_damage_stays_in_its_block() {
    use lissom::clip::{Played, StreamPlayer};
    let (built, animation) = mixed(100, false);
    let (skeleton, clip) = (&built.skeleton, Clip::from_bytes(&cook(&built, &animation)).unwrap());
    let expected = frames(skeleton, &clip);
    for codec in [Codec::None, Codec::Lz4] {
        let file = write_stream(&clip, codec).unwrap();
        let directory = |block: usize| {
            let at = 16 + 24 * block;
            (
                u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize,
                word_at(&file, at + 8) as usize,
            )
        };
        for damaged in [None, Some(0), Some(3), Some(clip.view().block_count() - 1)] {
            let mut bytes = file.clone();
            if let Some(block) = damaged {
                let (offset, len) = directory(block);
                bytes[offset + len / 2] ^= 0x40;
            }
            let mut player = StreamPlayer::open(Bytes::new(bytes), 8192).unwrap();
            let mut cursor = Cursor::new();
            let mut held = 0;
            for (time_s, expected) in &expected {
                let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
                let time = SampleTime::Clamped(*time_s);
                player.move_to(*time_s);
                // A damaged block is reported here and again when it is played.
                while player.prefetch(usize::MAX).is_ok_and(|read| read > 0) {}
                let played = player.sample(skeleton, time, None, &mut cursor, &mut output).unwrap();
                let block = (time_s * 30.0 * (1.0 + 1e-12)) as usize / 16;
                if Some(block) == damaged {
                    assert!(matches!(played, Played::Damaged { .. }), "{time_s}: {played:?}");
                    held += 1;
                } else {
                    assert_eq!(played, Played::Pose, "{time_s}, {damaged:?} damaged");
                    assert_same_pose(&format!("{time_s}"), &output, expected, skeleton.joint_count());
                }
            }
            assert_eq!(held > 0, damaged.is_some());
        }
    }
}

#[test]
fn every_truncation_and_every_changed_byte_is_an_error() {
    let (built, animation) = mixed(20, false);
    let bytes = cook(&built, &animation);
    for len in 0..bytes.len() {
        assert!(Clip::from_bytes(&bytes[..len]).is_err(), "{len} bytes of {}", bytes.len());
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x11;
        assert!(Clip::from_bytes(&changed).is_err(), "byte {at}");
    }
}

#[test]
fn any_bytes_behind_a_right_checksum_play_without_harm() {
    let (built, animation) = mixed(40, false);
    let skeleton = &built.skeleton;
    let bytes = cook(&built, &animation);
    let mut rng = Rng::new(9);
    let (mut refused, mut played) = (0, 0);
    for i in 0..4000 {
        let mut changed = bytes.clone();
        for _ in 0..=rng.below(3) {
            // Half of the changes in the header and the tables.
            let end = if i % 2 == 0 { 300 } else { bytes.len() };
            changed[12 + rng.below(end - 12)] = rng.next_u64() as u8;
        }
        changed[24..32].copy_from_slice(&bytes[24..32]);
        seal(&mut changed);
        let Ok(clip) = Clip::from_bytes(&changed) else {
            refused += 1;
            continue;
        };
        if clip.view().joint_count() != skeleton.joint_count() {
            continue;
        }
        played += 1;
        let mut cursor = Cursor::new();
        for _ in 0..6 {
            pose_at(skeleton, &clip, &mut cursor, SampleTime::Ratio(rng.unit_f64()));
        }
    }
    assert!(refused > 100 && played > 1000, "{refused} refused, {played} played");
}

#[test]
fn playing_allocates_nothing() {
    let (built, animation) = mannequin(Motion::Performance);
    let (skeleton, clip) = (&built.skeleton, Clip::from_bytes(&cook(&built, &animation)).unwrap());
    let mut cursor = Cursor::with_room_for(clip.view());
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    assert_no_alloc(|| {
        for i in 0..10_000 {
            let time = SampleTime::Wrapped(f64::from(i) * if i % 100 == 0 { 0.37 } else { 1.0 / 60.0 });
            let cursor = &mut cursor;
            SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output: &mut output }
                .run()
                .unwrap();
        }
    });
    assert!(cursor.stats().jumps > 100);
}
