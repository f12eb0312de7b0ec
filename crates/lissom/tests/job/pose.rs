//! Blend and local-to-model: the same bits everywhere, the known facts, the edges.
#![allow(clippy::needless_range_loop, reason = "several lists share an index")]

use lissom::{
    JointLod, JointMask, Skeleton, SkeletonParts,
    job::{BlendJob, BlendLayer, JobError, LocalToModelJob, Models, Update},
    math::{
        Mat4, Mat34, Quat, Transform, Vec3,
        simd::Backend,
        soa::{self, GROUP, Lanes, SoaTransform},
    },
};
use lissom_testkit::{
    compare::{assert_same, assert_same_pose},
    generate, oracle,
    rng::Rng,
};

fn models(
    skeleton: &Skeleton,
    locals: &[SoaTransform],
    root: Option<&Mat34>,
    update: Update,
    models: &mut [Mat4],
) {
    LocalToModelJob { skeleton, locals, root, update, lod: None, models: Models::Mat4(models) }
        .run()
        .unwrap();
}

#[test]
fn local_to_model_equals_the_oracle_on_every_backend() {
    let mut random = Rng::new(1);
    for joints in [1, 2, 15, 16, 17, 67, 131, 300] {
        let skeleton = generate::skeleton(&mut random, joints);
        let mut pose = generate::mirrored_pose(&mut random, joints);
        if joints == 131 {
            pose[1].translation.y.0[3] = f32::NAN;
            pose[2].scale.x.0[0] = f32::INFINITY;
        }
        let root = random.mirrored_transform().to_mat34();
        for root in [None, Some(&root)] {
            let expected = oracle::local_to_model(&skeleton, &soa::to_transforms(&pose, joints), root);
            let expected4: Vec<_> = expected.iter().map(Mat34::to_mat4).collect();
            for backend in Backend::all() {
                let mut m4 = vec![Mat4::ZERO; joints + 1];
                let mut m34 = vec![Mat34::IDENTITY; joints + 1];
                for models in [Models::Mat4(&mut m4), Models::Mat34(&mut m34)] {
                    LocalToModelJob {
                        skeleton: &skeleton,
                        locals: &pose,
                        root,
                        update: Update::All,
                        lod: None,
                        models,
                    }
                    .run_on(backend)
                    .unwrap();
                }
                assert_same(&format!("{backend}, {joints} joints"), &m4[..joints], &expected4);
                assert_same(&format!("{backend}, {joints} joints"), &m34[..joints], &expected);
                // Nothing past the skeleton is written.
                assert_eq!(m4[joints], Mat4::ZERO);
                assert_eq!(m34[joints], Mat34::IDENTITY);
            }
        }
    }
}

#[test]
fn any_split_into_updates_gives_the_bits_of_the_whole() {
    let mut random = Rng::new(2);
    for _ in 0..50 {
        let joints = 1 + random.below(90);
        let skeleton = generate::skeleton(&mut random, joints);
        let pose = generate::mirrored_pose(&mut random, joints);
        let mut whole = vec![Mat4::ZERO; joints];
        models(&skeleton, &pose, None, Update::All, &mut whole);

        let cut = random.below(joints + 1);
        let mut parts = vec![Mat4::ZERO; joints];
        models(&skeleton, &pose, None, Update::Range(0..cut), &mut parts);
        assert!(parts[cut..].iter().all(|m| *m == Mat4::ZERO));
        models(&skeleton, &pose, None, Update::Range(cut..joints), &mut parts);
        assert_same("part by part", &parts, &whole);

        // A subtree that was spoilt comes back, and nothing beside it is touched.
        let from = random.below(joints);
        let tree = skeleton.subtree(from);
        parts[tree.clone()].fill(Mat4::ZERO);
        models(&skeleton, &pose, None, Update::Subtree(from), &mut parts);
        assert_same("part by part", &parts, &whole);
        parts[tree.start + 1..tree.end].fill(Mat4::ZERO);
        models(&skeleton, &pose, None, Update::Below(from), &mut parts);
        assert_same("part by part", &parts, &whole);
    }
}

#[test]
fn a_matrix_that_the_caller_set_moves_everything_below_it() {
    let up = Transform::from_translation(Vec3::new(0.0, 1.0, 0.0));
    let parts = SkeletonParts { parents: &[None, Some(0), Some(1)], names: &["a", "b", "c"], rest: &[up; 3] };
    let skeleton = Skeleton::new(parts).unwrap();
    let mut out = vec![Mat4::IDENTITY; 3];
    models(&skeleton, skeleton.rest_pose(), None, Update::All, &mut out);
    out[1] =
        Mat34 { columns: [[2.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 1.0], [5.0, 0.0, 0.0]] }.to_mat4();
    models(&skeleton, skeleton.rest_pose(), None, Update::Below(1), &mut out);
    assert_eq!(out[2].w_axis.to_array(), [5.0, 3.0, 0.0, 1.0]);
    assert_eq!(out[2].x_axis.to_array(), [2.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_level_of_detail_leaves_the_rest_untouched() {
    let mut random = Rng::new(3);
    let skeleton = generate::skeleton(&mut random, 100);
    let pose = generate::mirrored_pose(&mut random, 100);
    let mut whole = vec![Mat4::ZERO; 100];
    models(&skeleton, &pose, None, Update::All, &mut whole);
    let mut mask = JointMask::none(&skeleton);
    for j in 0..100 {
        if skeleton.parent(j).is_none_or(|p| mask.contains(p)) && random.below(4) > 0 {
            mask.insert(j);
        }
    }
    for lod in [JointLod::prefix(37), JointLod::from_mask(&skeleton, mask).unwrap()] {
        let mut out = vec![Mat4::ZERO; 100];
        let mut job = LocalToModelJob {
            skeleton: &skeleton,
            locals: &pose,
            root: None,
            update: Update::All,
            lod: Some(&lod),
            models: Models::Mat4(&mut out),
        };
        job.run().unwrap();
        for j in 0..100 {
            assert_eq!(out[j], if lod.contains(j) { whole[j] } else { Mat4::ZERO });
        }
        let mut blended = skeleton.rest_pose().to_vec();
        let layers = [BlendLayer { weight: 1.0, pose: &pose, joint_weights: None }];
        run_blend(&layers, &[], 0.1, skeleton.rest_pose(), Some(&lod), &mut blended).unwrap();
        for group in 0..skeleton.group_count() {
            if !lod.contains_group(group) {
                assert_eq!(blended[group], skeleton.rest_pose()[group]);
            } else {
                assert_ne!(blended[group], skeleton.rest_pose()[group]);
            }
        }
    }
}

fn run_blend(
    layers: &[BlendLayer<'_>],
    additive: &[BlendLayer<'_>],
    threshold: f32,
    rest: &[SoaTransform],
    lod: Option<&JointLod>,
    output: &mut [SoaTransform],
) -> Result<(), JobError> {
    BlendJob { layers, additive, threshold, rest, lod, output }.run()
}

#[test]
fn blend_equals_the_oracle_on_every_backend() {
    let mut random = Rng::new(4);
    for case in 0..60 {
        // 257 groups and more: a peer kept its weights in a stack array of that size.
        let joints = if case == 0 { 16 * 300 } else { 1 + random.below(70) };
        let rest = generate::mirrored_pose(&mut random, joints);
        let poses: Vec<_> = (0..6).map(|_| generate::mirrored_pose(&mut random, joints)).collect();
        let joint_weights: Vec<Vec<Lanes>> = (0..6)
            .map(|_| soa::from_floats(&(0..joints).map(|_| random.signed() * 1.2).collect::<Vec<_>>()))
            .collect();
        let layer = |i: usize, random: &mut Rng| BlendLayer {
            weight: match random.below(5) {
                0 => 0.0,
                1 => -random.signed().abs(),
                2 => 1.0e-27,
                _ => random.signed().abs(),
            },
            pose: &poses[i],
            joint_weights: (random.below(2) == 0).then_some(&joint_weights[i][..]),
        };
        let layers: Vec<_> = (0..random.below(5)).map(|i| layer(i, &mut random)).collect();
        let additive: Vec<_> = (4..4 + random.below(3)).map(|i| layer(i, &mut random)).collect();
        let threshold = [0.1, 1.0, 1.0e-3][random.below(3)];
        let expected = oracle::blend(&layers, &additive, threshold, &rest, joints);
        for backend in Backend::all() {
            let mut output = vec![SoaTransform::IDENTITY; rest.len()];
            BlendJob {
                layers: &layers,
                additive: &additive,
                threshold,
                rest: &rest,
                lod: None,
                output: &mut output,
            }
            .run_on(backend)
            .unwrap();
            assert_same_pose(
                &format!("{backend}, case {case}"),
                &output,
                &soa::from_transforms(&expected),
                joints,
            );
        }
    }
}

fn one(t: Transform) -> Vec<SoaTransform> {
    soa::from_transforms(&[t; GROUP])
}

fn at(x: f32) -> Vec<SoaTransform> {
    one(Transform::from_translation(Vec3::new(x, 0.0, 0.0)))
}

fn layer(weight: f32, pose: &[SoaTransform]) -> BlendLayer<'_> {
    BlendLayer { weight, pose, joint_weights: None }
}

fn blended(
    layers: &[BlendLayer<'_>],
    additive: &[BlendLayer<'_>],
    threshold: f32,
    rest: Transform,
) -> Transform {
    let mut output = one(Transform::IDENTITY);
    run_blend(layers, additive, threshold, &one(rest), None, &mut output).unwrap();
    output[0].lane(0)
}

#[track_caller]
fn near(a: f32, b: f32) {
    assert!((a - b).abs() < 1e-6, "{a} is not {b}");
}

#[test]
fn blend_meets_the_known_facts() {
    let (two, three) = (at(2.0), at(3.0));
    let rest = Transform::from_translation(Vec3::new(10.0, 0.0, 0.0));
    // Weights .2 and .3 of 2 and 3.
    near(blended(&[layer(0.2, &two), layer(0.3, &three)], &[], 0.1, rest).translation.x, 2.6);
    // A negative joint weight counts as 0, and so does NaN.
    for nothing in [-1.0, f32::NAN, 0.0] {
        let weights = [Lanes::splat(nothing)];
        let partial = BlendLayer { weight: 1.0, pose: &three, joint_weights: Some(&weights) };
        near(blended(&[layer(0.5, &two), partial], &[], 0.1, rest).translation.x, 2.0);
        near(blended(&[partial], &[], 0.1, rest).translation.x, 10.0);
    }
    // Almost no weight: the rest pose.
    near(blended(&[layer(1.0e-27, &two)], &[], 0.1, rest).translation.x, 10.0);
    near(blended(&[], &[], 0.1, rest).translation.x, 10.0);
    // Below the threshold the rest pose fills the difference.
    near(blended(&[layer(0.25, &two)], &[], 1.0, rest).translation.x, 0.25 * 2.0 + 0.75 * 10.0);
    // Joint by joint where a layer is partial.
    let mut weights = [Lanes::splat(1.0)];
    weights[0].0[1] = 0.5;
    let mut output = one(Transform::IDENTITY);
    let partial = BlendLayer { weight: 1.0, pose: &two, joint_weights: Some(&weights) };
    run_blend(&[partial], &[], 1.0, &one(rest), None, &mut output).unwrap();
    near(output[0].lane(0).translation.x, 2.0);
    near(output[0].lane(1).translation.x, 6.0);
}

#[test]
fn blended_rotations_take_the_shorter_path() {
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let a = one(Transform::from_rotation(Quat::from_xyzw(0.0, 0.0, 0.0, -1.0)));
    let b = one(Transform::from_rotation(Quat::from_xyzw(0.0, half, 0.0, half)));
    let q = blended(&[layer(0.5, &a), layer(0.5, &b)], &[], 0.1, Transform::IDENTITY).rotation;
    let turned = lissom::math::scalar::quat_from_axis_angle(Vec3::Y, core::f32::consts::FRAC_PI_4);
    near(lissom::math::scalar::quat_dot(q, turned).abs(), 1.0);
}

#[test]
fn additive_layers_add_and_negative_ones_take_away() {
    let mut random = Rng::new(5);
    let base = random.mirrored_transform();
    let delta = Transform {
        translation: Vec3::new(1.0, 2.0, 3.0),
        rotation: random.rotation(),
        scale: Vec3::new(2.0, 0.5, 4.0),
    };
    let (base_pose, delta_pose) = (one(base), one(delta));
    let added = blended(&[layer(1.0, &base_pose)], &[layer(1.0, &delta_pose)], 0.1, Transform::IDENTITY);
    let q = lissom::math::scalar::quat_mul(delta.rotation, base.rotation);
    near(lissom::math::scalar::quat_dot(added.rotation, q).abs(), 1.0);
    near(added.translation.y, base.translation.y + 2.0);
    near(added.scale.z, base.scale.z * 4.0);

    let added_pose = one(added);
    let back = blended(&[layer(1.0, &added_pose)], &[layer(-1.0, &delta_pose)], 0.1, Transform::IDENTITY);
    near(lissom::math::scalar::quat_dot(back.rotation, base.rotation).abs(), 1.0);
    near(back.translation.z, base.translation.z);
    near(back.scale.x, base.scale.x);
    // Taking away a scale of zero has no answer: it stays.
    let flat = one(Transform { scale: Vec3::ZERO, ..Transform::IDENTITY });
    let kept = blended(&[layer(1.0, &base_pose)], &[layer(-1.0, &flat)], 0.1, Transform::IDENTITY);
    near(kept.scale.x, base.scale.x);
}

#[test]
fn bad_blends_are_named_and_leave_the_output_alone() {
    let (pose, short) = (vec![SoaTransform::IDENTITY; 3], vec![SoaTransform::IDENTITY; 2]);
    let marker = one(Transform::from_translation(Vec3::splat(7.0)))[0];
    let mut output = vec![marker; 3];
    let mut fail = |layers: &[BlendLayer<'_>], additive: &[BlendLayer<'_>], threshold: f32| {
        let result = run_blend(layers, additive, threshold, &pose, None, &mut output);
        assert!(output.iter().all(|g| *g == marker));
        result.unwrap_err()
    };
    let too_short = |field| JobError::TooShort { field, unit: "groups", len: 2, needed: 3 };
    assert_eq!(fail(&[layer(1.0, &short)], &[], 0.1), too_short("layers.pose"));
    assert_eq!(fail(&[], &[layer(1.0, &short)], 0.1), too_short("additive.pose"));
    let weights = [Lanes::splat(1.0); 2];
    let partial = BlendLayer { weight: 1.0, pose: &pose, joint_weights: Some(&weights) };
    assert_eq!(fail(&[partial], &[], 0.1), too_short("layers.joint_weights"));
    assert_eq!(fail(&[], &[partial], 0.1), too_short("additive.joint_weights"));
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1.0e-40] {
        assert!(matches!(fail(&[], &[], bad), JobError::Value { field: "threshold", .. }));
    }
    for bad in [f32::NAN, f32::INFINITY] {
        let error = fail(&[layer(1.0, &pose), layer(bad, &pose)], &[], 0.1);
        assert!(matches!(error, JobError::Value { field: "layers.weight", index: 1, .. }));
        let error = fail(&[], &[layer(bad, &pose)], 0.1);
        assert!(matches!(error, JobError::Value { field: "additive.weight", index: 0, .. }));
    }
    let mut small = vec![marker; 2];
    let error = run_blend(&[], &[], 0.1, &pose, None, &mut small).unwrap_err();
    assert_eq!(error, too_short("output"));
    // Larger buffers are fine, and what is past the rest pose stays.
    let mut large = vec![marker; 5];
    run_blend(&[layer(1.0, &pose)], &[], 0.1, &short, None, &mut large).unwrap();
    assert!(large[..2].iter().all(|g| *g != marker) && large[2..].iter().all(|g| *g == marker));
}

#[test]
fn bad_local_to_model_jobs_are_named_and_leave_the_output_alone() {
    let mut random = Rng::new(6);
    let skeleton = generate::skeleton(&mut random, 20);
    let pose = generate::mirrored_pose(&mut random, 20);
    let fail = |locals: &[SoaTransform], len: usize, update: Update, lod: Option<&JointLod>| {
        let mut out = vec![Mat4::ZERO; len];
        let models = Models::Mat4(&mut out);
        let error = LocalToModelJob { skeleton: &skeleton, locals, root: None, update, lod, models }
            .run()
            .unwrap_err();
        assert!(out.iter().all(|m| *m == Mat4::ZERO));
        error
    };
    assert_eq!(
        fail(&pose[..1], 20, Update::All, None),
        JobError::TooShort { field: "locals", unit: "groups", len: 1, needed: 2 }
    );
    assert_eq!(
        fail(&pose, 19, Update::All, None),
        JobError::TooShort { field: "models", unit: "matrices", len: 19, needed: 20 }
    );
    let no = |joint| JobError::NoSuchJoint { field: "update", joint, joints: 20 };
    assert_eq!(fail(&pose, 20, Update::Range(0..21), None), no(21));
    #[allow(clippy::reversed_empty_ranges, reason = "that is the fault under test")]
    let backwards = Update::Range(5..3);
    assert_eq!(fail(&pose, 20, backwards, None), no(5));
    assert_eq!(fail(&pose, 20, Update::Subtree(20), None), no(20));
    assert_eq!(fail(&pose, 20, Update::Below(99), None), no(99));
    let other = generate::skeleton(&mut random, 40);
    let lod = JointLod::from_mask(&other, JointMask::all(&other)).unwrap();
    assert_eq!(
        fail(&pose, 20, Update::All, Some(&lod)),
        JobError::Mismatch { field: "lod", unit: "joints", found: 40, expected: 20 }
    );
}
