//! Blend and local-to-model under criterion: `cargo bench -p lissom-bench --bench pose`.
#![allow(missing_docs, reason = "criterion's macros make public items")]

use criterion::{Criterion, criterion_group, criterion_main};
use lissom::{
    job::{BlendJob, BlendLayer, LocalToModelJob, Models, Update},
    math::Mat4,
};
use lissom_bench::rig;

fn blend(c: &mut Criterion) {
    let skeleton = rig::skeleton();
    let poses: Vec<_> = (0..4).map(|i| rig::pose(skeleton.joint_count(), 10 + i)).collect();
    let layers: Vec<_> =
        poses.iter().map(|pose| BlendLayer { weight: 0.3, pose, joint_weights: None }).collect();
    let mut output = skeleton.rest_pose().to_vec();
    for n in 2..=4 {
        c.bench_function(&format!("blend/{n} layers"), |b| {
            b.iter(|| {
                let mut job = BlendJob {
                    layers: &layers[..n],
                    additive: &[],
                    threshold: BlendJob::DEFAULT_THRESHOLD,
                    rest: skeleton.rest_pose(),
                    lod: None,
                    output: &mut output,
                };
                job.run()
            });
        });
    }
}

fn local_to_model(c: &mut Criterion) {
    let skeleton = rig::skeleton();
    let pose = rig::pose(skeleton.joint_count(), 2);
    let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    c.bench_function("local to model/67 joints", |b| {
        b.iter(|| {
            let mut job = LocalToModelJob {
                skeleton: &skeleton,
                locals: &pose,
                root: None,
                update: Update::All,
                lod: None,
                models: Models::Mat4(&mut models),
            };
            job.run()
        });
    });
}

criterion_group!(benches, blend, local_to_model);
criterion_main!(benches);
