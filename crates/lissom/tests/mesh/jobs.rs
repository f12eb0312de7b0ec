//! Palettes, morphs, bounds, attachments, and the way back to local space.
#![allow(clippy::needless_range_loop, reason = "several lists share an index")]

use crate::common::meshes::{TestMesh, palette};
use lissom::{
    job::{
        AttachJob, Attachment, DualQuatSkinJob, JobError, LocalToModelJob, ModelToLocalJob, Models, MorphJob,
        PaletteJob, SkinJob, Update, decompose, inverse_binds_from_rest, inverse_transpose,
    },
    math::{
        Mat4, Mat34, Transform, Vec3,
        scalar::{dot, length, quat_dot, quat_to_columns},
        simd::Backend,
        soa::{self, SoaTransform},
    },
    mesh::{
        DualQuat, JointBounds, MeshError, MorphTarget, MorphTargets, Strided, StridedMut, VertexOutput,
        bitangents, dual_quat_palette, exact_bounds,
    },
};
use lissom_testkit::{
    compare::{assert_same, assert_same_pose},
    generate,
    rng::Rng,
};

fn positions_only(out: &mut [[f32; 3]]) -> VertexOutput<'_> {
    VertexOutput::Separate { positions: StridedMut::packed(out), normals: None, tangents: None }
}

#[test]
fn palettes_equal_the_plain_product_on_every_backend() {
    let mut random = Rng::new(1);
    let (models, models4) = palette(&mut random, 9);
    let (binds, _) = palette(&mut random, 14);
    let joints: Vec<u16> = (0..14).map(|_| random.below(9) as u16).collect();
    let expected: Vec<Mat4> =
        (0..14).map(|i| models[usize::from(joints[i])].mul(&binds[i]).to_mat4()).collect();
    for backend in Backend::all() {
        let mut out = vec![Mat4::ZERO; 15];
        let mut vectors = vec![Mat4::ZERO; 15];
        PaletteJob {
            models: &models4,
            inverse_binds: &binds,
            joints: Some(&joints),
            palette: &mut out,
            vector_palette: Some(&mut vectors),
        }
        .run_on(backend)
        .unwrap();
        assert_same(backend.name(), &out[..14], &expected);
        assert_eq!((out[14], vectors[14]), (Mat4::ZERO, Mat4::ZERO));
        for (m, v) in expected.iter().zip(&vectors) {
            let of = inverse_transpose(&Mat34::from_mat4(m));
            assert_same(backend.name(), &[Mat34::from_mat4(v)], &[of]);
        }
    }
    let mut out = vec![Mat4::ZERO; 14];
    let mut run = |models: &[Mat4], joints: Option<&[u16]>, len: usize| {
        let mut job = PaletteJob {
            models,
            inverse_binds: &binds,
            joints,
            palette: &mut out[..len],
            vector_palette: None,
        };
        job.run().unwrap_err()
    };
    assert!(matches!(run(&models4, None, 14), JobError::TooShort { field: "models", .. }));
    assert!(matches!(run(&models4, Some(&joints[..3]), 14), JobError::TooShort { field: "joints", .. }));
    assert!(matches!(run(&models4, Some(&joints), 13), JobError::TooShort { field: "palette", .. }));
    assert!(matches!(run(&models4[..1], Some(&joints), 14), JobError::NoSuchJoint { joints: 1, .. }));
    assert_eq!(out, vec![Mat4::ZERO; 14]);
}

#[test]
fn inverse_transposes_keep_normals_across_and_survive_flat_joints() {
    let mut random = Rng::new(2);
    for _ in 0..100 {
        let m = random.mirrored_transform().to_mat34();
        let (n, t) = (random.vec3(1.0), random.vec3(1.0));
        let across = lissom::math::scalar::cross(n, t);
        let moved_n = inverse_transpose(&m).mul_vector(across.to_array());
        let moved_t = m.mul_vector(t.to_array());
        let d = dot(Vec3::from_array(moved_n), Vec3::from_array(moved_t));
        assert!(d.abs() < 1e-5, "{d}");
    }
    // Flattened along y: a normal along y still points along y.
    let flat = Transform { scale: Vec3::new(2.0, 0.0, 3.0), ..Transform::IDENTITY }.to_mat34();
    assert_eq!(inverse_transpose(&flat).mul_vector([0.0, 1.0, 0.0]), [0.0, 6.0, 0.0]);
}

#[test]
fn a_mesh_bound_in_the_rest_pose_stays_in_the_rest_pose() {
    let mut random = Rng::new(3);
    let skeleton = generate::skeleton(&mut random, 30);
    let binds = inverse_binds_from_rest(&skeleton).unwrap();
    let mut models = vec![Mat4::ZERO; 30];
    LocalToModelJob {
        skeleton: &skeleton,
        locals: skeleton.rest_pose(),
        root: None,
        update: Update::All,
        lod: None,
        models: Models::Mat4(&mut models),
    }
    .run()
    .unwrap();
    let mut out = vec![Mat4::ZERO; 30];
    PaletteJob {
        models: &models,
        inverse_binds: &binds,
        joints: None,
        palette: &mut out,
        vector_palette: None,
    }
    .run()
    .unwrap();
    for m in out {
        for (a, b) in m.to_cols_array().iter().zip(Mat4::IDENTITY.to_cols_array()) {
            assert!((a - b).abs() < 1e-5);
        }
    }
}

/// Targets that move some vertices.
fn morphs(random: &mut Rng, vertices: usize, count: usize) -> Vec<(Vec<u32>, Vec<[f32; 3]>)> {
    (0..count)
        .map(|_| {
            let v: Vec<u32> = (0..vertices as u32).filter(|_| random.below(3) == 0).collect();
            let d = v.iter().map(|_| random.vec3(0.5).to_array()).collect();
            (v, d)
        })
        .collect()
}

#[test]
fn runs_of_neighbours_are_morphed_like_single_vertices_on_every_backend() {
    let mut random = Rng::new(71);
    for case in 0..60 {
        let vertices = 1 + random.below(60);
        // From every vertex to every third, so that runs of all lengths occur.
        let chosen: Vec<u32> =
            (0..vertices as u32).filter(|_| case % 5 == 0 || random.below(8) >= case % 5).collect();
        let deltas: Vec<[f32; 3]> = chosen.iter().map(|_| random.vec3(1.0).to_array()).collect();
        let base: Vec<[f32; 3]> = (0..vertices).map(|_| random.vec3(2.0).to_array()).collect();
        let (w, list) = (
            random.signed(),
            [MorphTarget { vertices: &chosen, positions: &deltas, normals: &[], tangents: &[] }],
        );
        let mut expected = base.clone();
        for (v, d) in chosen.iter().zip(&deltas) {
            let out = &mut expected[*v as usize];
            *out = [out[0] + w * d[0], out[1] + w * d[1], out[2] + w * d[2]];
        }
        for backend in Backend::all() {
            let mut out = vec![[9.0_f32; 3]; vertices];
            MorphJob {
                targets: MorphTargets::new(&list, vertices).unwrap(),
                weights: &[w],
                positions: Strided::packed(&base),
                normals: None,
                tangents: None,
                output: positions_only(&mut out),
            }
            .run_on(backend)
            .unwrap();
            assert_same(&format!("{backend}, case {case}"), &out, &expected);
        }
    }
}

#[test]
fn morphs_add_their_deltas_in_order_and_nothing_else() {
    let mut random = Rng::new(4);
    let mesh = TestMesh::fast(&mut random, 50, 2, 3);
    let data = morphs(&mut random, 50, 4);
    let targets: Vec<_> = data
        .iter()
        .map(|(vertices, d)| MorphTarget { vertices, positions: d, normals: d, tangents: &[] })
        .collect();
    let checked = MorphTargets::new(&targets, 50).unwrap();
    let weights = [0.5, 0.0, -1.25, 2.0];
    let (mut p, mut n) = (vec![[0.0_f32; 3]; 51], vec![[0.0_f32; 3]; 51]);
    MorphJob {
        targets: checked,
        weights: &weights,
        positions: Strided::packed(&mesh.positions),
        normals: Some(Strided::packed(&mesh.normals)),
        tangents: None,
        output: VertexOutput::Separate {
            positions: StridedMut::packed(&mut p),
            normals: Some(StridedMut::packed(&mut n)),
            tangents: None,
        },
    }
    .run()
    .unwrap();
    for (out, base) in [(&p, &mesh.positions), (&n, &mesh.normals)] {
        assert_eq!(out[50], [0.0; 3]);
        for v in 0..50 {
            let mut expected = base[v];
            for ((vertices, d), w) in data.iter().zip(weights) {
                if let Some(i) = vertices.iter().position(|x| *x as usize == v).filter(|_| w != 0.0) {
                    for k in 0..3 {
                        expected[k] += w * d[i][k];
                    }
                }
            }
            assert_eq!(out[v].map(f32::to_bits), expected.map(f32::to_bits));
        }
    }

    let target = |vertices, positions| MorphTarget { vertices, positions, normals: &[], tangents: &[] };
    let d = [[0.0; 3]; 2];
    for bad in [&[3_u32, 3][..], &[5, 2], &[1, 50]] {
        let error = MorphTargets::new(&[target(bad, &d)], 50).unwrap_err();
        assert!(matches!(error, MeshError::MorphVertex { target: 0, delta: 1, .. }));
    }
    assert!(MorphTargets::new(&[target(&[1, 2], &d[..1])], 50).is_err());
    let mut run = |weights: &[f32]| {
        MorphJob {
            targets: checked,
            weights,
            positions: Strided::packed(&mesh.positions),
            normals: None,
            tangents: None,
            output: positions_only(&mut p),
        }
        .run()
        .unwrap_err()
    };
    assert!(matches!(run(&weights[..3]), JobError::TooShort { field: "weights", .. }));
    let error = run(&[0.0, f32::NAN, 0.0, 0.0]);
    assert!(matches!(error, JobError::Value { field: "weights", index: 1, .. }));
}

#[test]
fn safe_bounds_contain_exact_bounds_for_every_kind_of_skinning() {
    let mut random = Rng::new(5);
    let mut looseness: f32 = 0.0;
    for case in 0..300 {
        let vertices = 1 + random.below(60);
        let mesh = TestMesh::random(&mut random, vertices, 1 + case % 5, 6);
        let far = random.vec3(100.0);
        let m4: Vec<Mat4> = (0..6)
            .map(|_| {
                let mut t = if case % 2 == 0 { random.mirrored_transform() } else { random.rigid() };
                t.translation = lissom::math::scalar::add(t.translation, far);
                t.to_mat34().to_mat4()
            })
            .collect();
        let data = morphs(&mut random, vertices, case % 3);
        let targets: Vec<_> = data
            .iter()
            .map(|(vertices, d)| MorphTarget { vertices, positions: d, normals: &[], tangents: &[] })
            .collect();
        let targets = MorphTargets::new(&targets, vertices).unwrap();
        let weights = [random.signed() * 2.0, random.signed()];
        let mut morphed = vec![[0.0_f32; 3]; vertices];
        MorphJob {
            targets,
            weights: &weights,
            positions: Strided::packed(&mesh.positions),
            normals: None,
            tangents: None,
            output: positions_only(&mut morphed),
        }
        .run()
        .unwrap();
        let bounds =
            JointBounds::new(&mesh.checked(), Strided::packed(&mesh.positions), Some(&targets)).unwrap();

        let mut out = vec![[0.0_f32; 3]; vertices];
        SkinJob {
            mesh: mesh.checked(),
            vertex_count: vertices,
            palette: &m4,
            vector_palette: None,
            positions: Strided::packed(&morphed),
            normals: None,
            tangents: None,
            output: positions_only(&mut out),
        }
        .run()
        .unwrap();
        let exact = exact_bounds(Strided::packed(&out), vertices).unwrap().unwrap();
        let safe = bounds.linear(&m4, &weights).unwrap().unwrap();
        assert!(safe.contains(&exact), "linear, case {case}: {safe:?} against {exact:?}");
        for backend in Backend::all() {
            assert_eq!(bounds.linear_on(backend, &m4, &weights), Ok(Some(safe)), "{}", backend.name());
        }
        let loose = (safe.max[0] - safe.min[0]) / (exact.max[0] - exact.min[0] + 0.1);
        if loose > looseness {
            looseness = loose;
        }

        let mut dq = [DualQuat::IDENTITY; 6];
        dual_quat_palette(&m4, &mut dq);
        DualQuatSkinJob {
            mesh: mesh.checked(),
            vertex_count: vertices,
            palette: &dq,
            positions: Strided::packed(&morphed),
            normals: None,
            tangents: None,
            output: positions_only(&mut out),
        }
        .run()
        .unwrap();
        let exact = exact_bounds(Strided::packed(&out), vertices).unwrap().unwrap();
        let safe = bounds.dual_quat(&dq, &weights).unwrap().unwrap();
        assert!(safe.contains(&exact), "dual quaternions, case {case}: {safe:?} against {exact:?}");
    }
    // Safe is not enough: a box that contains the world would be useless.
    assert!(looseness < 40.0, "{looseness}");
    let none: [[f32; 3]; 0] = [];
    assert_eq!(exact_bounds(Strided::packed(&none), 0), Ok(None));
}

#[test]
fn attachments_ride_on_their_joints() {
    let mut random = Rng::new(6);
    let (models, models4) = palette(&mut random, 4);
    let (offsets, _) = palette(&mut random, 3);
    let world = random.mirrored_transform().to_mat34();
    let attachments: Vec<_> = (0..3).map(|i| Attachment { joint: 3 - i, offset: offsets[i] }).collect();
    let mut out = vec![Mat34::IDENTITY; 4];
    for (backend, world) in Backend::all().flat_map(|b| [(b, None), (b, Some(&world))]) {
        AttachJob { models: &models4, attachments: &attachments, world, output: &mut out }
            .run_on(backend)
            .unwrap();
        for i in 0..3 {
            let model = models[3 - i];
            let expected = world.map_or(model, |w| w.mul(&model)).mul(&offsets[i]);
            assert_same(backend.name(), &[out[i]], &[expected]);
            assert_eq!(attachments[i].place(&models4, world), Some(expected));
        }
        assert_eq!(out[3], Mat34::IDENTITY);
    }
    let bad = [Attachment { joint: 4, offset: Mat34::IDENTITY }];
    let error = AttachJob { models: &models4, attachments: &bad, world: None, output: &mut out }.run();
    assert_eq!(error, Err(JobError::NoSuchJoint { field: "attachments", joint: 4, joints: 4 }));
    let mut error =
        AttachJob { models: &models4, attachments: &attachments, world: None, output: &mut out[..2] };
    assert!(matches!(error.run(), Err(JobError::TooShort { field: "output", .. })));
}

#[test]
fn model_to_local_undoes_local_to_model_and_reports_shear() {
    let mut random = Rng::new(7);
    let skeleton = generate::skeleton(&mut random, 40);
    let pose = soa::from_transforms(&(0..40).map(|_| random.rigid()).collect::<Vec<_>>());
    let root = random.rigid().to_mat34();
    let mut models = vec![Mat4::ZERO; 40];
    LocalToModelJob {
        skeleton: &skeleton,
        locals: &pose,
        root: Some(&root),
        update: Update::All,
        lod: None,
        models: Models::Mat4(&mut models),
    }
    .run()
    .unwrap();
    let mut back = vec![SoaTransform::IDENTITY; pose.len()];
    let mut residuals = vec![9.0; 40];
    ModelToLocalJob {
        skeleton: &skeleton,
        models: &models,
        root: Some(&root),
        locals: &mut back,
        residuals: Some(&mut residuals),
    }
    .run()
    .unwrap();
    for j in 0..40 {
        let (a, b) = (soa::lane(&pose, j), soa::lane(&back, j));
        assert!((quat_dot(a.rotation, b.rotation).abs() - 1.0).abs() < 1e-4, "joint {j}");
        for (x, y) in a.translation.to_array().iter().zip(b.translation.to_array()) {
            assert!((x - y).abs() < 2e-4, "joint {j}: {x} and {y}");
        }
        assert!(residuals[j] < 1e-4);
    }

    // Uneven and mirrored scale come back as the same matrix.
    for _ in 0..100 {
        let m = random.mirrored_transform().to_mat34();
        let (t, residual) = decompose(&m);
        assert!(residual < 1e-5, "{residual}");
        for (a, b) in t.to_mat34().columns.iter().flatten().zip(m.columns.iter().flatten()) {
            assert!((a - b).abs() < 1e-5);
        }
    }
    // Shear does not fit, and says so.
    let shear = Mat34 { columns: [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]] };
    let (t, residual) = decompose(&shear);
    assert!(residual > 0.05 && residual < 0.5, "{residual}");
    assert!((quat_dot(t.rotation, t.rotation) - 1.0).abs() < 1e-6);
    // A scale of zero still has a rotation.
    for scale in [Vec3::new(0.0, 1.0, 2.0), Vec3::new(0.0, 0.0, 2.0), Vec3::ZERO] {
        let m = Transform { scale, ..random.rigid() }.to_mat34();
        let (t, residual) = decompose(&m);
        assert!(t.is_finite() && residual < 1e-5, "{t:?} {residual}");
    }
    // A parent without an inverse.
    models[0] = Mat4::ZERO;
    ModelToLocalJob {
        skeleton: &skeleton,
        models: &models,
        root: None,
        locals: &mut back,
        residuals: Some(&mut residuals),
    }
    .run()
    .unwrap();
    assert!((1..40).filter(|j| skeleton.parent(*j) == Some(0)).all(|j| residuals[j] == f32::INFINITY));
}

#[test]
fn model_to_local_finds_what_a_single_matrix_is_taken_apart_into_on_every_backend() {
    let mut random = Rng::new(8);
    for joints in [1, 7, 8, 9, 40] {
        let skeleton = generate::skeleton(&mut random, joints);
        // Turned, stretched, mirrored, sheared, flat, gone, beyond all numbers.
        let kinds = |random: &mut Rng, i: usize| {
            let mut m = random.mirrored_transform().to_mat34();
            match i % 8 {
                1 => m.columns[0][1] += 0.7,
                2 => m.columns[1] = [0.0; 3],
                3 => m.columns = [[0.0; 3]; 4],
                4 => m.columns[2] = m.columns[1],
                5 => m.columns[i % 3][1] = [f32::NAN, f32::INFINITY, 3e38][i % 3],
                _ => {}
            }
            m
        };
        let models: Vec<Mat34> = (0..joints).map(|i| kinds(&mut random, i + 6)).collect();
        let models4: Vec<Mat4> = models.iter().map(Mat34::to_mat4).collect();
        let root = random.mirrored_transform().to_mat34();
        let expected: Vec<(Transform, f32)> = (0..joints)
            .map(|j| {
                let parent = skeleton.parent(j).map_or(root, |p| models[p]);
                match parent.inverse() {
                    Some(inverse) => decompose(&inverse.mul(&models[j])),
                    None => (decompose(&models[j]).0, f32::INFINITY),
                }
            })
            .collect();
        let pose = soa::from_transforms(&expected.iter().map(|(t, _)| *t).collect::<Vec<_>>());
        let left: Vec<f32> = expected.iter().map(|(_, residual)| *residual).collect();
        for backend in Backend::all() {
            let mut locals = vec![SoaTransform::IDENTITY; skeleton.group_count()];
            let mut residuals = vec![9.0; joints + 1];
            ModelToLocalJob {
                skeleton: &skeleton,
                models: &models4,
                root: Some(&root),
                locals: &mut locals,
                residuals: Some(&mut residuals),
            }
            .run_on(backend)
            .unwrap();
            assert_same_pose(backend.name(), &locals, &pose, joints);
            assert_same(backend.name(), &residuals[..joints], &left);
            assert_eq!(residuals[joints], 9.0);
        }
    }
}

/// The rotation nearest to the unit columns of a matrix, in f64 to the last place; the first column is turned round where they are mirrored.
fn nearest_rotation(m: &Mat34) -> [[f64; 3]; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut q = [0, 1, 2].map(|i| {
        let c = m.columns[i].map(f64::from);
        c.map(|v| v / libm::sqrt(dot(c, c)))
    });
    if dot(q[0], cross(q[1], q[2])) < 0.0 {
        q[0] = q[0].map(|v| -v);
    }
    for _ in 0..30 {
        let cofactors = [cross(q[1], q[2]), cross(q[2], q[0]), cross(q[0], q[1])];
        let det = dot(q[0], cofactors[0]);
        q = [0, 1, 2].map(|i| [0, 1, 2].map(|k| 0.5 * (q[i][k] + cofactors[i][k] / det)));
    }
    q
}

/// Columns at right angles are taken apart in f32, others in f64: both as near to the true rotation as f32 can say, whatever the lengths of the
/// columns, and however far they lean.
#[test]
fn every_matrix_is_taken_apart_as_well_as_f32_can_say() {
    let mut random = Rng::new(36);
    for i in 0..20_000 {
        let lengths = [0.01, 1.0, 100.0].map(|k| k * random.range(0.5, 2.0));
        let scale = match i % 4 {
            0 => Vec3::ONE,
            1 => Vec3::splat(lengths[i / 4 % 3]),
            2 => Vec3::from_array(lengths),
            _ => Vec3::new(-lengths[1], lengths[0], lengths[2]),
        };
        let mut m = Transform { scale, ..random.rigid() }.to_mat34();
        // As far as a long chain of products makes it lean, and much farther.
        let off = [0.0, 1.0e-6, 1.0e-4, 2.0e-4, 3.0e-4, 1.0e-2, 0.3][i / 16 % 7];
        let (a, b) = (m.columns[0], m.columns[1]);
        let share = off * length(Vec3::from_array(b)) / length(Vec3::from_array(a));
        m.columns[1] = [0, 1, 2].map(|k| b[k] + a[k] * share);
        let (found, residual) = decompose(&m);
        let (columns, expected) = (quat_to_columns(found.rotation), nearest_rotation(&m));
        for (p, q) in columns.iter().flatten().zip(expected.iter().flatten()) {
            assert!((f64::from(*p) - q).abs() < 1.2e-6, "{i}: {p} and {q}, leaning by {off}");
        }
        let longest = if lengths[2] > 1.0 { lengths[2] } else { 1.0 };
        assert!(residual <= (off + 3.0e-6) * longest, "{i}: {residual} left of {off}");
    }
}

/// Physics and local-to-model give columns at right angles. All lanes take the short way then, or all but some.
#[test]
fn model_to_local_of_rigid_matrices_has_the_bits_of_each_alone_on_every_backend() {
    let mut random = Rng::new(37);
    for joints in [1, 3, 8, 15, 16, 17, 40, 67] {
        for round in 0..20 {
            let skeleton = generate::skeleton(&mut random, joints);
            let local = |random: &mut Rng, i: usize| {
                let uniform = Vec3::splat(random.range(0.5, 2.0));
                let mut m = Transform { scale: uniform, ..random.rigid() }.to_mat34();
                match (round % 3, i % 11) {
                    // One in the middle of others that leans, is flat, or is no number.
                    (1, 5) => m.columns[0][1] += 0.3,
                    (1, 7) => m.columns[1] = [0.0; 3],
                    (2, 9) => m.columns[2][0] = f32::NAN,
                    _ => {}
                }
                m
            };
            let mut models: Vec<Mat34> = Vec::new();
            for j in 0..joints {
                let local = local(&mut random, j);
                models.push(skeleton.parent(j).map_or(local, |p| models[p].mul(&local)));
            }
            let models4: Vec<Mat4> = models.iter().map(Mat34::to_mat4).collect();
            let root = (round % 2 == 0).then(|| random.rigid().to_mat34());
            let expected: Vec<(Transform, f32)> = (0..joints)
                .map(|j| match skeleton.parent(j).map(|p| models[p]).or(root).map(|m| m.inverse()) {
                    None => decompose(&models[j]),
                    Some(Some(inverse)) => decompose(&inverse.mul(&models[j])),
                    Some(None) => (decompose(&models[j]).0, f32::INFINITY),
                })
                .collect();
            let pose = soa::from_transforms(&expected.iter().map(|(t, _)| *t).collect::<Vec<_>>());
            let left: Vec<f32> = expected.iter().map(|(_, residual)| *residual).collect();
            for backend in Backend::all() {
                let mut locals = vec![SoaTransform::IDENTITY; skeleton.group_count()];
                let mut residuals = vec![9.0; joints + 1];
                ModelToLocalJob {
                    root: root.as_ref(),
                    residuals: Some(&mut residuals),
                    ..ModelToLocalJob::new(&skeleton, &models4, &mut locals)
                }
                .run_on(backend)
                .unwrap();
                assert_same_pose(backend.name(), &locals, &pose, joints);
                assert_same(backend.name(), &residuals[..joints], &left);
                assert_eq!(residuals[joints], 9.0);
            }
        }
    }
}

#[test]
fn bitangents_follow_handedness() {
    let normals = [[0.0_f32, 0.0, 1.0]; 2];
    let tangents = [[1.0_f32, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, -1.0]];
    let mut out = [[9.0; 3]; 3];
    bitangents(Strided::packed(&normals), Strided::packed(&tangents), 2, &mut out).unwrap();
    assert_eq!(out, [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [9.0; 3]]);
    assert!(bitangents(Strided::packed(&normals), Strided::packed(&tangents), 3, &mut out).is_err());
}
