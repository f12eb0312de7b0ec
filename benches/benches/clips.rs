//! Playing the mannequin's performance (15 s, 64 joints) with criterion: `cargo bench -p lissom-bench --bench clips`.
//! `lissom-bench clips` prints the same as ratios to a peer, `lissom-bench count` as instructions.

use criterion::{Bencher, Criterion, Throughput};
use lissom::{
    Clip, Cursor, Skeleton,
    job::{SampleJob, SampleTime},
    math::soa::SoaTransform,
};
use lissom_bench::player::{Way, rows, spaced, stage};
use std::hint::black_box;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    ways(&mut criterion);
    instances(&mut criterion);
    criterion.final_summary();
}

/// Samples one time after another, round and round.
fn play(bencher: &mut Bencher<'_>, skeleton: &Skeleton, clip: &Clip, times: &[f64], cold: bool) {
    let mut cursor = Cursor::with_room_for(clip.view());
    // Two outputs in turn, so that nothing can be left out because it was written before.
    let mut outputs = [(); 2].map(|()| vec![SoaTransform::IDENTITY; skeleton.group_count()]);
    let mut i = 0;
    bencher.iter(|| {
        if cold {
            cursor.reset();
        }
        let time = SampleTime::Clamped(times[i % times.len()]);
        let output = &mut outputs[i % 2];
        i += 1;
        SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor: &mut cursor, output }
            .run()
            .expect("a valid job");
        black_box(&outputs);
    });
}

fn ways(criterion: &mut Criterion) {
    let stage = stage().expect("the mannequin cooks");
    let skeleton = &stage.skeleton.skeleton;
    let mut group = criterion.benchmark_group("sample");
    group.throughput(Throughput::Elements(skeleton.joint_count() as u64));
    let clip = rows(&stage).expect("the mannequin cooks");
    for way in [Way::Forward, Way::Backward, Way::Same] {
        let times = way.times(clip.view().duration_s());
        group.bench_function(way.name(), |b| play(b, skeleton, &clip, &times, false));
    }
    let anywhere = Way::Random.times(clip.view().duration_s());
    group.bench_function("random", |b| play(b, skeleton, &clip, &anywhere, false));
    group.bench_function("cold cursor", |b| play(b, skeleton, &clip, &anywhere, true));
    for spacing in [0.0, 2.0, 1.0, 0.5, 0.25] {
        let clip = spaced(&stage, spacing).expect("the mannequin cooks");
        let name = if spacing > 0.0 {
            format!("random, keys, jumps {spacing} s")
        } else {
            "random, keys, no jumps".into()
        };
        group.bench_function(name, |b| play(b, skeleton, &clip, &anywhere, false));
    }
    group.finish();
}

/// A thousand characters, each with a cursor and a time of its own.
fn instances(criterion: &mut Criterion) {
    const COUNT: usize = 1000;
    let stage = stage().expect("the mannequin cooks");
    let skeleton = &stage.skeleton.skeleton;
    let clip = spaced(&stage, 0.5).expect("the mannequin cooks");
    let mut crowd = vec![Cursor::with_room_for(clip.view()); COUNT];
    let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let mut frame = 0_u32;
    let mut group = criterion.benchmark_group("1,000 instances");
    group.throughput(Throughput::Elements((COUNT * skeleton.joint_count()) as u64)).sample_size(20);
    group.bench_function("forward", |b| {
        b.iter(|| {
            frame += 1;
            for (i, cursor) in crowd.iter_mut().enumerate() {
                let time = SampleTime::Wrapped(f64::from(frame) / 60.0 + i as f64 * 0.037);
                let output = &mut output;
                SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output }
                    .run()
                    .expect("a valid job");
            }
            black_box(&output);
        });
    });
    group.finish();
}
