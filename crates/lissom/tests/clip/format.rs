//! A decoder written from `FORMAT.md` alone: walks every window over every record, forward and back, in plain code,
//! and must find what the player finds.

use crate::common::clips::{long_plan, skeleton};
use lissom::{Clip, Skeleton, job::SampleTime, math::Transform};
use lissom_build::{
    cook::{ClipPlan, PlanKeys, PlanTrack, TimePoints, encode},
    exact::{V3, larger},
    raw::Curve,
};
use lissom_testkit::rng::Rng;

/// Bytes, read as words or as bits.
struct Bits<'a>(&'a [u8]);

impl Bits<'_> {
    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at * 4..at * 4 + 4].try_into().unwrap())
    }
    fn long(&self, at: usize) -> u64 {
        u64::from(self.word(at)) | u64::from(self.word(at + 1)) << 32
    }
    fn float(&self, at: usize) -> f64 {
        f64::from(f32::from_bits(self.word(at)))
    }
    fn unsigned(&self, at: &mut u64, count: u32) -> u32 {
        let bit = |i: u64| u32::from(self.0[(i / 8) as usize] >> (i % 8) & 1);
        let v = (0..count).fold(0, |v, i| v | bit(*at + u64::from(i)) << i);
        *at += u64::from(count);
        v
    }
    fn signed(&self, at: &mut u64, count: u32) -> i64 {
        let v = i64::from(self.unsigned(at, count));
        if count > 0 && v >> (count - 1) != 0 { v - (1 << count) } else { v }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Key {
    row: u32,
    n: [i64; 3],
}

struct Channel {
    joint: usize,
    kind: usize,
    cubic: bool,
    step: bool,
    smooth: bool,
    value_bits: [u32; 3],
    residual_bits: [u32; 3],
    span_bits: u32,
    span_base: u32,
    /// Base or mean, then step.
    table: Vec<f64>,
}

struct Block {
    first_row: u32,
    frame_bit: u64,
    stream_bit: u64,
    stream_bits: u64,
    row_bits: u32,
}

struct Decoder<'a> {
    bits: Bits<'a>,
    rows: u32,
    ticks: Vec<u32>,
    ticks_per_s: f64,
    duration_s: f64,
    wide: bool,
    /// (joint, kind, value)
    constants: Vec<(usize, usize, Vec<f64>)>,
    channels: Vec<Channel>,
    blocks: Vec<Block>,
}

impl<'a> Decoder<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let b = Bits(bytes);
        assert_eq!((&bytes[..4], b.word(2) as usize * 4, b.word(1) as u16), (&b"LCLP"[..], bytes.len(), 1));
        let flags = b.word(1) >> 16;
        let mut h = 0xcbf2_9ce4_8422_2325_u64;
        for w in (0..bytes.len() / 4).filter(|w| *w != 4 && *w != 5) {
            h = (h ^ u64::from(b.word(w))).wrapping_mul(0x100_0000_01b3);
        }
        assert_eq!(h, b.long(4), "the checksum");

        let (joints, rows, count) = (b.word(3) as usize, b.word(12), b.word(13) as usize);
        let mut at = 32 + (b.word(15) as usize).div_ceil(4);
        let ticks = if flags & 2 != 0 {
            at += rows as usize;
            (0..rows as usize).map(|r| b.word(at - rows as usize + r)).collect()
        } else {
            (0..rows).collect()
        };
        let groups = joints.div_ceil(16);
        let masks = at;
        at += 6 * groups;
        let members = |kind: usize, which: usize| -> Vec<usize> {
            let bit = |j: usize| {
                let word = b.word(masks + (kind * groups + j / 16) * 2 + which / 2);
                word >> (which % 2 * 16) >> (j % 16) & 1 == 1
            };
            (0..joints).filter(|j| bit(*j)).collect()
        };
        let mut constants = Vec::new();
        // Joint and table of each lane of each set.
        let mut lanes: Vec<Vec<(usize, Vec<f64>)>> = Vec::new();
        for kind in 0..3 {
            for which in 0..3 {
                let list = members(kind, which);
                assert_eq!(list.len(), b.word(21 + kind * 3 + which) as usize);
                let width = match (which, kind) {
                    (0, 1) => 4,
                    (0, _) => 3,
                    (_, 1) => 5,
                    _ => 4,
                };
                let value = |i: usize| (0..width).map(|c| b.float(at + c * list.len() + i)).collect();
                let rows = list.iter().enumerate().map(|(i, joint)| (*joint, value(i)));
                if which == 0 {
                    constants.extend(rows.map(|(joint, v)| (joint, kind, v)));
                } else {
                    lanes.push(rows.collect());
                }
                at += width * list.len();
            }
        }
        let channels = (0..count).map(|c| {
            let w = at + c * 4;
            let byte = |word: usize, i: u32| b.word(w + word) >> (i * 8) & 255;
            let set = byte(0, 2) as usize;
            let (joint, table) = lanes[set][(b.word(w) & 0xffff) as usize].clone();
            Channel {
                joint,
                kind: set / 2,
                cubic: set % 2 == 1,
                step: byte(2, 3) == 1,
                smooth: byte(0, 3) == 1,
                value_bits: [byte(1, 0), byte(1, 1), byte(1, 2)],
                residual_bits: [byte(2, 0), byte(2, 1), byte(2, 2)],
                span_bits: byte(1, 3),
                span_base: b.word(w + 3),
                table,
            }
        });
        let channels: Vec<Channel> = channels.collect();
        at += 4 * count;
        let block_count = b.word(14) as usize;
        let frames = at + 8 * block_count;
        let stream = frames + (b.word(20) as usize).div_ceil(4);
        assert_eq!(
            stream + b.long(18).div_ceil(4) as usize,
            bytes.len() / 4,
            "the last section ends the clip"
        );
        let blocks = (0..block_count).map(|i| at + 8 * i).map(|w| Block {
            first_row: b.word(w),
            frame_bit: (frames as u64 * 4 + u64::from(b.word(w + 1))) * 8,
            stream_bit: (stream as u64 * 4 + b.long(w + 2)) * 8,
            stream_bits: b.long(w + 4),
            row_bits: b.word(w + 7) >> 24,
        });
        let blocks = blocks.collect();
        let (ticks_per_s, duration_s) = (f64::from_bits(b.long(10)), f64::from_bits(b.long(8)));
        let wide = flags & 4 != 0;
        Self { bits: b, rows, ticks, ticks_per_s, duration_s, wide, constants, channels, blocks }
    }

    fn tick(&self, row: u32) -> f64 {
        f64::from(self.ticks[row.min(self.rows - 1) as usize])
    }

    fn wrap(&self, n: i64) -> i64 {
        if self.wide { i64::from(n as i32) } else { i64::from(n as i16) }
    }

    /// The windows of a jump frame.
    fn frame(&self, block: &Block) -> Vec<Vec<Key>> {
        let mut at = block.frame_bit;
        let window = |c: &Channel| {
            let mut distance = || self.bits.unsigned(&mut at, block.row_bits);
            let left = block.first_row - distance();
            let right = left + distance();
            let rows = if c.cubic {
                let (before, after) = (distance(), distance());
                vec![left - before, left, right, right + after]
            } else {
                vec![left, right]
            };
            let key = |row: u32| Key { row, n: c.value_bits.map(|bits| self.bits.signed(&mut at, bits)) };
            rows.into_iter().map(key).collect()
        };
        self.channels.iter().map(window).collect()
    }

    fn record(&self, c: &Channel, at: &mut u64) -> (u32, [i64; 3]) {
        let span = self.bits.unsigned(at, c.span_bits) + c.span_base;
        (span, c.residual_bits.map(|bits| self.bits.signed(at, bits)))
    }

    /// Takes every record of a block that is needed up to a row; returns the bit where the stream then stands.
    fn forward(&self, block: &Block, windows: &mut [Vec<Key>], to: u32) -> u64 {
        let mut at = block.stream_bit;
        for row in block.first_row + 1..=to {
            for (c, window) in self.channels.iter().zip(windows.iter_mut()) {
                if window[window.len() / 2].row == row {
                    let (span, residual) = self.record(c, &mut at);
                    let k = |i: usize, x: usize| window[i].n[x];
                    let predicted: [i64; 3] = std::array::from_fn(|x| match (c.smooth, c.cubic) {
                        (false, _) => k(0, x),
                        (true, false) => 2 * k(1, x) - k(0, x),
                        (true, true) => 4 * k(3, x) - 6 * k(2, x) + 4 * k(1, x) - k(0, x),
                    });
                    let n = std::array::from_fn(|x| self.wrap(predicted[x] + residual[x]));
                    window.push(Key { row: window[0].row + span, n });
                    window.remove(0);
                }
            }
        }
        at
    }

    /// Undoes every record of a block, from its end.
    fn backward(&self, block: &Block, windows: &mut [Vec<Key>], from: u32) {
        let mut end = block.stream_bit + block.stream_bits;
        for row in (block.first_row + 1..=from).rev() {
            for (c, window) in self.channels.iter().zip(windows.iter_mut()).rev() {
                if window[window.len() / 2 - 1].row == row {
                    end -= u64::from(c.span_bits + c.residual_bits.iter().sum::<u32>());
                    let (span, residual) = self.record(c, &mut end.clone());
                    let k = |i: usize, x: usize| window[i].n[x];
                    let n = std::array::from_fn(|x| {
                        self.wrap(match (c.smooth, c.cubic) {
                            (false, false) => k(1, x) - residual[x],
                            (false, true) => k(3, x) - residual[x],
                            (true, false) => 2 * k(0, x) - k(1, x) + residual[x],
                            (true, true) => 4 * k(2, x) - 6 * k(1, x) + 4 * k(0, x) - k(3, x) + residual[x],
                        })
                    });
                    let newest = window.pop().unwrap();
                    window.insert(0, Key { row: newest.row - span, n });
                }
            }
        }
        assert_eq!(end, block.stream_bit, "all of the block's stream is undone");
    }

    fn value(&self, c: &Channel, key: &Key) -> Vec<f64> {
        let n = key.n.map(|n| n as f64);
        match c.kind == 1 {
            false => (0..3).map(|x| c.table[x] + n[x] * c.table[3]).collect(),
            true => {
                let m = n.map(|n| n * c.table[4]);
                let s: f64 = m.iter().map(|m| m * m).sum();
                let r = [2.0 * m[0], 2.0 * m[1], 2.0 * m[2], 1.0 - s].map(|r| r / (1.0 + s));
                let q = &c.table;
                vec![
                    q[3] * r[0] + q[0] * r[3] + q[1] * r[2] - q[2] * r[1],
                    q[3] * r[1] - q[0] * r[2] + q[1] * r[3] + q[2] * r[0],
                    q[3] * r[2] + q[0] * r[1] - q[1] * r[0] + q[2] * r[3],
                    q[3] * r[3] - q[0] * r[0] - q[1] * r[1] - q[2] * r[2],
                ]
            }
        }
    }

    fn between(&self, c: &Channel, window: &[Key], tick: f64, fraction: f64) -> Vec<f64> {
        let mut v: Vec<Vec<f64>> = window.iter().map(|k| self.value(c, k)).collect();
        let at = |i: usize| self.tick(window[i].row);
        let left = window.len() / 2 - 1;
        let span = at(left + 1) - at(left);
        let u = if c.step || span == 0.0 { 0.0 } else { (tick - at(left) + fraction) / span };
        let away =
            |a: &[f64], b: &[f64]| c.kind == 1 && a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < 0.0;
        let weights = if c.cubic {
            for (moved, by) in [(0, 1), (2, 1), (3, 2)] {
                if away(&v[moved], &v[by]) {
                    v[moved].iter_mut().for_each(|x| *x = -*x);
                }
            }
            let share = |d: f64| if d > 0.0 { span / d } else { 0.0 };
            let a = share(at(2) - at(0)) * (u * u * u - 2.0 * u * u + u);
            let b = share(at(3) - at(1)) * (u * u * u - u * u);
            let rise = 3.0 * u * u - 2.0 * u * u * u;
            vec![-a, 1.0 - rise - b, rise + a, b]
        } else {
            vec![1.0 - u, if away(&v[0], &v[1]) { -u } else { u }]
        };
        let sum = |x: usize| v.iter().zip(&weights).map(|(v, w)| v[x] * w).sum();
        let sum = (0..v[0].len()).map(sum).collect();
        if c.kind == 1 { normalised(sum) } else { sum }
    }

    fn pose(&self, skeleton: &Skeleton, time_s: f64) -> Vec<[f64; 10]> {
        let x = time_s * self.ticks_per_s;
        let whole = (x * (1.0 + libm::exp2(-51.0))).floor();
        let end = self.tick(self.rows);
        let past_end = time_s >= self.duration_s || whole >= end;
        let (tick, fraction) = if past_end { (end, 0.0) } else { (whole, larger(x - whole, 0.0)) };
        let row = self.ticks.iter().rposition(|t| f64::from(*t) <= tick).unwrap() as u32;
        let block = self.blocks.iter().rfind(|b| b.first_row <= row).unwrap();
        let mut windows = self.frame(block);
        self.forward(block, &mut windows, row);

        let rest = |j: usize| skeleton.rest(j).to_array().map(f64::from);
        let mut pose: Vec<[f64; 10]> = (0..skeleton.joint_count()).map(rest).collect();
        const PLACE: [usize; 3] = [0, 3, 7];
        for (joint, kind, v) in &self.constants {
            pose[*joint][PLACE[*kind]..][..v.len()].copy_from_slice(v);
        }
        for (c, window) in self.channels.iter().zip(&windows) {
            let v = self.between(c, window, tick, fraction);
            pose[c.joint][PLACE[c.kind]..][..v.len()].copy_from_slice(&v);
        }
        pose
    }
}

fn normalised(q: Vec<f64>) -> Vec<f64> {
    let length = q.iter().map(|q| q * q).sum::<f64>().sqrt();
    q.into_iter().map(|q| q / length).collect()
}

fn plans() -> (Skeleton, Vec<ClipPlan>) {
    let skeleton = skeleton(21);
    let even = long_plan(&mut Rng::new(79), &skeleton, 2.0, 0.5);
    // Some step channels, a cubic translation, a constant, a scale.
    let mut mixed = even.clone();
    for (i, c) in mixed.channels.iter_mut().enumerate() {
        match &mut c.keys {
            PlanKeys::Rotation(t) if i % 5 == 0 => t.curve = Curve::Step,
            PlanKeys::Rotation(t) if i % 7 == 1 => t.keys.truncate(1),
            // Smooth, so that prediction by going on as before pays.
            PlanKeys::Translation(t) if c.joint % 2 == 0 => {
                let way = |row: u32| V3::new(f64::from(row) * 0.02, f64::from(row * row) * 0.001, 0.5);
                t.curve = if c.joint % 4 == 0 { Curve::Hermite } else { Curve::Linear };
                t.keys = (0..even.times.count()).map(|row| (row, way(row))).collect();
            }
            PlanKeys::Translation(t) => c.keys = PlanKeys::Scale(t.clone()),
            _ => {}
        }
    }
    mixed.channels.sort_by_key(|c| {
        let kind = match c.keys {
            PlanKeys::Translation(_) => 0,
            PlanKeys::Rotation(_) => 1,
            PlanKeys::Scale(_) => 2,
        };
        (c.joint, kind)
    });
    let rows = mixed.times.count();
    let mut t = 0.0;
    let mut rng = Rng::new(83);
    let mut next = |row: u32| {
        t += if row == 0 { 0.0 } else { 0.01 + rng.unit_f64() * 0.05 };
        t
    };
    let listed = ClipPlan { times: TimePoints::Listed((0..rows).map(&mut next).collect()), ..mixed.clone() };
    let mut fine = mixed.clone();
    for c in &mut fine.channels {
        if let PlanKeys::Translation(PlanTrack { tolerance, .. }) = &mut c.keys {
            *tolerance = 1e-6;
        }
    }
    (skeleton, vec![even, mixed, listed, fine])
}

#[test]
fn a_decoder_written_from_the_document_finds_what_the_player_finds() {
    let (skeleton, plans) = plans();
    let mut seen = [false; 5];
    for (case, plan) in plans.iter().enumerate() {
        let bytes = encode(plan).unwrap();
        let clip = Clip::from_bytes(&bytes).unwrap();
        let decoder = Decoder::new(&bytes);
        seen[0] |= decoder.wide;
        seen[1] |= decoder.channels.iter().any(|c| c.cubic && c.smooth);
        seen[2] |= decoder.channels.iter().any(|c| c.step);
        seen[3] |= !decoder.constants.is_empty();
        seen[4] |= decoder.channels.iter().any(|c| !c.cubic && c.smooth);
        let mut rng = Rng::new(89);
        for i in 0..80 {
            let time_s = if i == 0 { decoder.duration_s } else { rng.unit_f64() * decoder.duration_s };
            let pose = decoder.pose(&skeleton, time_s);
            for (joint, expected) in pose.iter().enumerate() {
                let time = SampleTime::Clamped(time_s);
                let got: Transform = clip.view().sample_joint(&skeleton, joint, time).unwrap();
                for (got, expected) in got.to_array().into_iter().zip(expected) {
                    let off = (f64::from(got) - expected).abs();
                    assert!(
                        off <= 3e-6 + 1e-6 * expected.abs(),
                        "case {case}, joint {joint}, {time_s} s: {off}"
                    );
                }
            }
        }
    }
    assert_eq!(seen, [true; 5], "wide integers, smooth cubics, steps, constants, smooth lines");
}

#[test]
fn each_block_leads_to_the_next_jump_frame_and_back() {
    let (_, plans) = plans();
    for plan in &plans {
        let bytes = encode(plan).unwrap();
        let decoder = Decoder::new(&bytes);
        assert!(decoder.blocks.len() >= 4);
        for pair in decoder.blocks.windows(2) {
            let (here, next) = (decoder.frame(&pair[0]), decoder.frame(&pair[1]));
            let mut windows = here.clone();
            let end = decoder.forward(&pair[0], &mut windows, pair[1].first_row);
            assert_eq!(end, pair[0].stream_bit + pair[0].stream_bits);
            assert_eq!(windows, next);
            decoder.backward(&pair[0], &mut windows, pair[1].first_row);
            assert_eq!(windows, here);
        }
    }
}
