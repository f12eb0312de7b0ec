//! Clips play back what was written, by every way to a time, bit for bit.

use crate::common::clips::skeleton;
use lissom::{
    Clip, Cursor, Skeleton,
    clip::ClipError,
    job::{JobError, SampleJob, SampleTime},
    math::{
        Transform,
        simd::Backend,
        soa::{self, SoaTransform},
    },
};
use lissom_build::{
    cook::{ClipPlan, Jumps, PlanChannel, PlanKeys, PlanTrack, TimePoints, encode},
    exact::{Q4, V3},
    raw::{Channel, Curve},
};
use lissom_testkit::compare::assert_same_pose;
use lissom_testkit::{generate::v3, rng::Rng};

const CURVES: [Curve; 3] = [Curve::Step, Curve::Linear, Curve::Hermite];

/// Rng rows from 0 to the last; sometimes only one, a constant.
fn random_rows(rng: &mut Rng, rows: u32) -> Vec<u32> {
    match rng.below(6) {
        0 => vec![0],
        1 => (0..rows).collect(),
        2 => vec![0, rows - 1],
        _ => {
            let mut list: Vec<u32> = (1..rows - 1).filter(|_| rng.below(4) == 0).collect();
            list.insert(0, 0);
            list.push(rows - 1);
            list
        }
    }
}

fn random_plan(rng: &mut Rng, skeleton: &Skeleton, times: TimePoints, jumps: Jumps) -> ClipPlan {
    let rows = times.count();
    let mut channels = Vec::new();
    for joint in 0..skeleton.joint_count() as u16 {
        let track = |rng: &mut Rng, base: f64, size: f64| {
            let mut v = v3(rng, size);
            PlanTrack {
                curve: CURVES[rng.below(3)],
                keys: random_rows(rng, rows)
                    .into_iter()
                    .map(|row| {
                        v = v + v3(rng, size * 0.1);
                        (row, v + V3::ONE * base)
                    })
                    .collect(),
                tolerance: 1e-4,
            }
        };
        if rng.below(3) == 0 {
            channels.push(PlanChannel { joint, keys: PlanKeys::Translation(track(rng, 0.0, 2.0)) });
        }
        if rng.below(5) != 0 {
            let curve = CURVES[rng.below(3)];
            let mut q = Q4::from_axis_angle(v3(rng, 1.0).normalize_or(V3::X), rng.signed_f64() * 3.0);
            let keys = random_rows(rng, rows).into_iter().map(|row| {
                q = (q * Q4::from_axis_angle(v3(rng, 1.0).normalize_or(V3::X), rng.signed_f64() * 0.4))
                    .normalize();
                (row, if rng.below(9) == 0 { q.scaled(-1.0) } else { q })
            });
            let track = PlanTrack { curve, keys: keys.collect(), tolerance: 2e-4 };
            channels.push(PlanChannel { joint, keys: PlanKeys::Rotation(track) });
        }
        if rng.below(6) == 0 {
            channels.push(PlanChannel { joint, keys: PlanKeys::Scale(track(rng, 1.0, 0.3)) });
        }
    }
    ClipPlan {
        name: "random".into(),
        looping: false,
        times,
        joint_count: skeleton.joint_count(),
        skeleton_identity: skeleton.identity(),
        channels,
        jumps,
    }
}

fn uneven(rng: &mut Rng, rows: u32) -> TimePoints {
    let mut t = 0.0;
    let times = (0..rows).map(|row| {
        t += if row == 0 { 0.0 } else { 0.003 + rng.unit_f64() * 0.08 };
        t
    });
    TimePoints::Listed(times.collect())
}

fn sample(skeleton: &Skeleton, clip: &Clip, cursor: &mut Cursor, time_s: f64) -> Vec<SoaTransform> {
    // Write-only: whatever was there before does not matter.
    let mut output =
        soa::from_transforms(&vec![Transform::from_array([f32::NAN; 10]); skeleton.joint_count()]);
    let time = SampleTime::Clamped(time_s);
    SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output: &mut output }.run().unwrap();
    output
}

/// The plan itself, evaluated in f64.
fn reference(plan: &ClipPlan, skeleton: &Skeleton, joint: usize, t: f64) -> ([V3; 2], Q4) {
    let rest = skeleton.rest(joint);
    let mut out = ([V3::from_f32(rest.translation), V3::from_f32(rest.scale)], Q4::from_f32(rest.rotation));
    for c in plan.channels.iter().filter(|c| usize::from(c.joint) == joint) {
        let vector = |track: &PlanTrack<V3>| {
            Channel::new(track.curve, track.keys.iter().map(|(r, v)| (plan.times.time_s(*r), *v)))
                .sample(t)
                .unwrap()
        };
        match &c.keys {
            PlanKeys::Translation(track) => out.0[0] = vector(track),
            PlanKeys::Scale(track) => out.0[1] = vector(track),
            PlanKeys::Rotation(track) => {
                let keys = track.keys.iter().map(|(r, q)| (plan.times.time_s(*r), *q));
                out.1 = Channel::new(track.curve, keys).sample(t).unwrap();
            }
        }
    }
    out
}

#[test]
fn every_way_to_a_time_gives_the_same_bits_and_the_written_values() {
    let mut rng = Rng::new(7);
    for case in 0..40 {
        let joints = [1, 5, 16, 17, 67, 100][case % 6];
        let skeleton = skeleton(joints);
        let rows = [2, 3, 8, 41, 120][case % 5];
        let times = if case % 2 == 0 {
            TimePoints::Uniform { rate: 30.0, count: rows }
        } else {
            uneven(&mut rng, rows)
        };
        let duration = times.duration_s();
        let plan = random_plan(&mut rng, &skeleton, times, Jumps::None);
        let mut poses: Vec<Vec<SoaTransform>> = Vec::new();
        for jumps in [Jumps::None, Jumps::Every(0.5), Jumps::Every(0.07), Jumps::At(vec![0.3, 9.0, 0.1])] {
            let plan = ClipPlan { jumps, ..plan.clone() };
            let clip = Clip::from_bytes(&encode(&plan).unwrap()).unwrap();
            let mut moments: Vec<f64> = (0..60).map(|i| duration * f64::from(i) / 59.0).collect();
            moments.extend((0..plan.times.count()).map(|row| plan.times.time_s(row)));
            moments.sort_by(f64::total_cmp);

            let mut forward = Cursor::new();
            let ahead: Vec<_> = moments.iter().map(|t| sample(&skeleton, &clip, &mut forward, *t)).collect();
            let mut backward = Cursor::new();
            for (t, expected) in moments.iter().zip(&ahead).rev() {
                let pose = sample(&skeleton, &clip, &mut backward, *t);
                assert_same_pose(&format!("case {case}, backward to {t}"), &pose, expected, joints);
            }
            let mut wild = Cursor::new();
            for _ in 0..moments.len() {
                let i = rng.below(moments.len());
                let pose = sample(&skeleton, &clip, &mut wild, moments[i]);
                assert_same_pose(&format!("case {case}, jump to {}", moments[i]), &pose, &ahead[i], joints);
                let fresh = sample(&skeleton, &clip, &mut Cursor::new(), moments[i]);
                assert_same_pose(&format!("case {case}, fresh at {}", moments[i]), &fresh, &ahead[i], joints);
            }
            for (t, pose) in moments.iter().zip(&ahead) {
                for j in 0..joints {
                    let got = soa::lane(pose, j);
                    let ([translation, scale], rotation) = reference(&plan, &skeleton, j, *t);
                    // A step may fall on either side of its own time by a rounding of that time.
                    let near_step =
                        plan.channels.iter().any(|c| usize::from(c.joint) == j && has_step_at(c, &plan, *t));
                    if near_step {
                        continue;
                    }
                    assert!(
                        (V3::from_f32(got.translation) - translation).length() < 4e-4,
                        "case {case} t {t} joint {j}"
                    );
                    assert!((V3::from_f32(got.scale) - scale).length() < 4e-4);
                    let got = Q4::from_f32(got.rotation);
                    assert!((got.dot(got) - 1.0).abs() < 1e-5);
                    let d = got.near(rotation).plus(rotation.scaled(-1.0));
                    assert!(d.dot(d).sqrt() < 4e-4, "case {case} t {t} joint {j}: {got:?} {rotation:?}");
                }
            }
            // Between spacings the bits are the same too: jump frames hold the same integers.
            if poses.is_empty() {
                poses = ahead;
            } else {
                for (a, b) in ahead.iter().zip(&poses) {
                    assert_same_pose("another spacing", a, b, joints);
                }
            }
        }
    }
}

fn has_step_at(c: &PlanChannel, plan: &ClipPlan, t: f64) -> bool {
    let close = |row: u32| (plan.times.time_s(row) - t).abs() < 1e-6;
    match &c.keys {
        PlanKeys::Translation(k) | PlanKeys::Scale(k) => {
            k.curve == Curve::Step && k.keys.iter().any(|k| close(k.0))
        }
        PlanKeys::Rotation(k) => k.curve == Curve::Step && k.keys.iter().any(|k| close(k.0)),
    }
}

#[test]
fn every_backend_gives_the_same_bits() {
    let mut rng = Rng::new(11);
    for case in 0..6 {
        let skeleton = skeleton([3, 67, 130][case % 3]);
        let times =
            if case < 3 { TimePoints::Uniform { rate: 30.0, count: 50 } } else { uneven(&mut rng, 50) };
        let plan = random_plan(&mut rng, &skeleton, times, Jumps::Every(0.4));
        let clip = Clip::from_bytes(&encode(&plan).unwrap()).unwrap();
        let moments: Vec<f64> = (0..100).map(|_| rng.unit_f64() * clip.view().duration_s()).collect();
        let play = |backend: Backend| -> Vec<Vec<SoaTransform>> {
            let mut cursor = Cursor::new();
            let at = |t: &f64| {
                let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
                let time = SampleTime::Clamped(*t);
                let (clip, cursor, output_ref) = (clip.view(), &mut cursor, &mut output[..]);
                SampleJob { skeleton: &skeleton, clip, time, lod: None, cursor, output: output_ref }
                    .run_on(backend)
                    .unwrap();
                output
            };
            moments.iter().map(at).collect()
        };
        let expected = play(Backend::all().next().unwrap());
        for backend in Backend::all() {
            for (a, b) in play(backend).iter().zip(&expected) {
                assert_same_pose(backend.name(), a, b, skeleton.joint_count());
            }
        }
    }
}

/// The table of the document that the format grew from: 4 tracks, 17 keys, 1 s.
#[test]
fn the_walk_through_consumes_8_8_10_15_and_17_keys() {
    let skeleton = skeleton(4);
    let rows: [&[u32]; 4] = [&[0, 2, 5, 7, 10], &[0, 10], &[0, 4, 6, 8, 10], &[0, 3, 5, 8, 10]];
    let channels = rows.iter().enumerate().map(|(joint, rows)| {
        let keys = rows.iter().map(|r| (*r, V3::new(f64::from(*r), 0.0, 0.0))).collect();
        let keys = PlanKeys::Translation(PlanTrack { curve: Curve::Linear, keys, tolerance: 1e-3 });
        PlanChannel { joint: joint as u16, keys }
    });
    let plan = ClipPlan {
        name: String::new(),
        looping: false,
        times: TimePoints::Uniform { rate: 10.0, count: 11 },
        joint_count: 4,
        skeleton_identity: skeleton.identity(),
        channels: channels.collect(),
        jumps: Jumps::None,
    };
    let clip = Clip::from_bytes(&encode(&plan).unwrap()).unwrap();
    assert_eq!(clip.view().key_count(), 17);
    let mut cursor = Cursor::new();
    for (t, keys) in [(0.0, 8), (0.1, 8), (0.3, 10), (0.7, 15), (1.0, 17)] {
        sample(&skeleton, &clip, &mut cursor, t);
        assert_eq!(cursor.keys_consumed(), keys, "at {t}");
        // Each key was read once.
        assert_eq!(cursor.stats().keys_read, keys, "at {t}");
    }
    // Nothing due, nothing read.
    let before = cursor.stats();
    sample(&skeleton, &clip, &mut cursor, 0.95);
    assert_eq!(cursor.stats(), before);
}

/// More jump frames than keys: most blocks hold no record at all.
#[test]
fn empty_blocks_are_passed_over_both_ways() {
    let skeleton = skeleton(1);
    let keys = [0, 9, 10, 30, 40].map(|row| (row, V3::new(f64::from(row * row % 7), 0.0, 0.0)));
    let track = PlanTrack { curve: Curve::Linear, keys: keys.to_vec(), tolerance: 1e-3 };
    let plan = ClipPlan {
        name: String::new(),
        looping: false,
        times: TimePoints::Uniform { rate: 30.0, count: 41 },
        joint_count: 1,
        skeleton_identity: skeleton.identity(),
        channels: vec![PlanChannel { joint: 0, keys: PlanKeys::Translation(track) }],
        jumps: Jumps::Every(1.0 / 30.0),
    };
    let clip = Clip::from_bytes(&encode(&plan).unwrap()).unwrap();
    assert!(clip.view().block_count() > 30);
    let mut wild = Cursor::new();
    for i in 0..2_000 {
        let t = f64::from(i * 37 % 401) / 300.0;
        let pose = sample(&skeleton, &clip, &mut wild, t);
        let expected = reference(&plan, &skeleton, 0, t).0[0];
        assert!((V3::from_f32(soa::lane(&pose, 0).translation) - expected).length() < 2e-3, "at {t}");
        let fresh = sample(&skeleton, &clip, &mut Cursor::new(), t);
        assert_same_pose(&format!("at {t}"), &pose, &fresh, 1);
    }
}

#[test]
fn a_cursor_knows_its_clip_by_identity_and_serves_any() {
    let mut rng = Rng::new(3);
    let skeletons = [skeleton(20), skeleton(67), skeleton(20)];
    let clips: Vec<Clip> = skeletons
        .iter()
        .map(|s| {
            let plan =
                random_plan(&mut rng, s, TimePoints::Uniform { rate: 30.0, count: 40 }, Jumps::Every(0.3));
            Clip::from_bytes(&encode(&plan).unwrap()).unwrap()
        })
        .collect();
    let mut shared = Cursor::new();
    for _ in 0..200 {
        let i = rng.below(3);
        let t = rng.unit_f64() * 1.3;
        let a = sample(&skeletons[i], &clips[i], &mut shared, t);
        let b = sample(&skeletons[i], &clips[i].clone(), &mut Cursor::new(), t);
        assert_same_pose("shared cursor", &a, &b, skeletons[i].joint_count());
    }
    shared.reset();
    assert_eq!(shared.keys_consumed(), 0);
    assert_eq!(shared.stats(), Cursor::new().stats());
}

#[test]
fn bad_jobs_are_refused_and_leave_the_output_alone() {
    let mut rng = Rng::new(5);
    let (ours, other) = (skeleton(20), skeleton(21));
    let plan = random_plan(&mut rng, &ours, TimePoints::Uniform { rate: 30.0, count: 40 }, Jumps::None);
    let clip = Clip::from_bytes(&encode(&plan).unwrap()).unwrap();
    let mut cursor = Cursor::new();
    let mut output = vec![SoaTransform::IDENTITY; 2];
    let mut run = |skeleton: &Skeleton, time: f64, groups: usize| {
        let time = SampleTime::Clamped(time);
        let output = &mut output[..groups];
        SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor: &mut cursor, output }.run()
    };
    assert!(matches!(run(&other, 0.0, 2), Err(JobError::OtherSkeleton { .. })));
    assert!(matches!(run(&ours, f64::NAN, 2), Err(JobError::Value { field: "time", .. })));
    assert!(matches!(run(&ours, f64::INFINITY, 2), Err(JobError::Value { field: "time", .. })));
    assert!(matches!(run(&ours, 0.0, 1), Err(JobError::TooShort { field: "output", len: 1, needed: 2, .. })));
    assert_eq!(output, vec![SoaTransform::IDENTITY; 2]);
}

#[test]
fn every_truncation_and_every_corrupted_byte_is_an_error() {
    let mut rng = Rng::new(13);
    let skeleton = skeleton(6);
    let plan =
        random_plan(&mut rng, &skeleton, TimePoints::Uniform { rate: 30.0, count: 20 }, Jumps::Every(0.2));
    let bytes = encode(&plan).unwrap();
    assert!(Clip::from_bytes(&bytes).is_ok());
    for len in 0..bytes.len() {
        assert!(Clip::from_bytes(&bytes[..len]).is_err(), "cut to {len}");
    }
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 1 << (at % 8);
        assert!(Clip::from_bytes(&bad).is_err(), "byte {at}");
    }
    assert!(matches!(Clip::from_bytes(b"RIFF...."), Err(ClipError::Length { .. })));
}

/// A clip whose checksum is right but whose contents are not: nothing may panic, whatever it plays.
#[test]
fn hostile_clips_with_a_valid_checksum_never_panic() {
    let mut rng = Rng::new(17);
    let skeleton = skeleton(20);
    let plan = random_plan(&mut rng, &skeleton, uneven(&mut Rng::new(19), 30), Jumps::Every(0.2));
    let bytes = encode(&plan).unwrap();
    let (mut refused, mut played) = (0, 0);
    for _ in 0..3000 {
        let mut bad = bytes.clone();
        for _ in 0..=rng.below(4) {
            let at = rng.below(bad.len());
            bad[at] = rng.next_u64() as u8;
        }
        lissom_build::cook::seal(&mut bad);
        let Ok(clip) = Clip::from_bytes(&bad) else {
            refused += 1;
            continue;
        };
        played += 1;
        let mut cursor = Cursor::new();
        for _ in 0..20 {
            let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
            let time = SampleTime::Ratio(rng.unit_f64());
            let job = &mut SampleJob {
                skeleton: &skeleton,
                clip: clip.view(),
                time,
                lod: None,
                cursor: &mut cursor,
                output: &mut output,
            };
            // A clip for another skeleton is an error, everything else plays; both are fine here.
            drop(job.run());
        }
    }
    assert!(refused > 100 && played > 100, "{refused} refused, {played} played");
}
