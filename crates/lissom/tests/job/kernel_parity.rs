//! The wide kernels against plain code: every count of joints and vertices, every tail, every backend, and numbers that
//! nobody wishes for.

use crate::common::meshes::{TestMesh, palette};
use lissom::{
    JointLod, JointMask, Skeleton,
    job::{BlendJob, BlendLayer, LocalToModelJob, Models, SkinJob, Update},
    math::{
        Mat4, Mat34, Vec4,
        simd::Backend,
        soa::{self, GROUP, SoaTransform},
    },
    mesh::{IndexFormat, Strided, StridedMut, VertexOutput, WeightFormat},
};
use lissom_testkit::{compare::assert_same, generate, oracle, rng::Rng};

/// Numbers that kernels get wrong: not finite, tiny, huge, and zero with a sign.
const NASTY: [f32; 9] =
    [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, 1.0e-45, f32::MIN_POSITIVE, f32::MAX, -1.0e30];

fn pose(random: &mut Rng, joints: usize) -> Vec<SoaTransform> {
    soa::from_transforms(&generate::pose(random, joints))
}

/// A pose where some components are nasty.
fn nasty_pose(random: &mut Rng, joints: usize) -> Vec<SoaTransform> {
    let mut pose = pose(random, joints);
    for _ in 0..1 + joints / 8 {
        let (group, lane) = (random.below(pose.len()), random.below(GROUP));
        let value = NASTY[random.below(NASTY.len())];
        let t = &mut pose[group];
        let components = [
            &mut t.translation.x,
            &mut t.translation.z,
            &mut t.rotation.x,
            &mut t.rotation.w,
            &mut t.scale.y,
            &mut t.scale.z,
        ];
        let chosen = random.below(components.len());
        for (i, component) in components.into_iter().enumerate() {
            if i == chosen {
                component.0[lane] = value;
            }
        }
    }
    pose
}

fn run_models(
    job: (&Skeleton, &[SoaTransform]),
    root: Option<&Mat34>,
    backend: Backend,
) -> (Vec<Mat4>, Vec<Mat34>) {
    let (skeleton, locals) = job;
    let joints = skeleton.joint_count();
    let (mut m4, mut m34) = (vec![Mat4::ZERO; joints], vec![Mat34::IDENTITY; joints]);
    for models in [Models::Mat4(&mut m4), Models::Mat34(&mut m34)] {
        LocalToModelJob { skeleton, locals, root, update: Update::All, lod: None, models }
            .run_on(backend)
            .unwrap();
    }
    (m4, m34)
}

#[test]
fn local_to_model_is_the_oracle_for_every_count_of_joints() {
    let mut random = Rng::new(21);
    for joints in 1..=300 {
        let skeleton = generate::skeleton(&mut random, joints);
        let pose = if joints % 3 == 0 { nasty_pose(&mut random, joints) } else { pose(&mut random, joints) };
        let root = random.transform().to_mat34();
        let root = (joints % 2 == 0).then_some(&root);
        let expected = oracle::local_to_model(&skeleton, &soa::to_transforms(&pose, joints), root);
        let expected4: Vec<_> = expected.iter().map(Mat34::to_mat4).collect();
        for backend in Backend::all() {
            let (m4, m34) = run_models((&skeleton, &pose), root, backend);
            let what = format!("{backend}, {joints} joints");
            assert_same(&what, &m4, &expected4);
            assert_same(&what, &m34, &expected);
        }
    }
}

#[test]
fn parts_and_levels_of_detail_write_their_joints_and_no_other_on_every_backend() {
    let mut random = Rng::new(22);
    for case in 0..60 {
        let joints = 1 + random.below(120);
        let skeleton = generate::skeleton(&mut random, joints);
        let pose = pose(&mut random, joints);
        let whole = oracle::local_to_model(&skeleton, &soa::to_transforms(&pose, joints), None);
        let mut mask = JointMask::none(&skeleton);
        for j in 0..joints {
            if skeleton.parent(j).is_none_or(|p| mask.contains(p)) && random.below(5) > 0 {
                mask.insert(j);
            }
        }
        let lod = match case % 3 {
            0 => None,
            1 => Some(JointLod::prefix(random.below(joints + 20))),
            _ => Some(JointLod::from_mask(&skeleton, mask).unwrap()),
        };
        let (a, b) = (random.below(joints + 1), random.below(joints + 1));
        let updates = [
            Update::All,
            Update::Range(a.min(b)..a.max(b)),
            Update::Subtree(random.below(joints)),
            Update::Below(random.below(joints)),
        ];
        for update in updates {
            let range = update.joints(&skeleton).unwrap();
            for backend in Backend::all() {
                // Parents that are left out are read as they stand; everything else is rubbish that must stay.
                let rubbish = Mat34 { columns: [[7.5; 3]; 4] };
                let chosen = |j: usize| range.contains(&j) && lod.as_ref().is_none_or(|lod| lod.contains(j));
                let start: Vec<Mat34> =
                    (0..joints).map(|j| if chosen(j) || j % 5 == 4 { rubbish } else { whole[j] }).collect();
                let mut expected = start.clone();
                for j in (0..joints).filter(|j| chosen(*j)) {
                    let local = soa::lane(&pose, j).to_mat34();
                    expected[j] = skeleton.parent(j).map_or(local, |p| expected[p].mul(&local));
                }
                let mut m34 = start.clone();
                let mut m4: Vec<Mat4> = start.iter().map(Mat34::to_mat4).collect();
                for models in [Models::Mat4(&mut m4), Models::Mat34(&mut m34)] {
                    LocalToModelJob {
                        skeleton: &skeleton,
                        locals: &pose,
                        root: None,
                        update: update.clone(),
                        lod: lod.as_ref(),
                        models,
                    }
                    .run_on(backend)
                    .unwrap();
                }
                let expected4: Vec<_> = expected.iter().map(Mat34::to_mat4).collect();
                let what = format!("{backend}, case {case}, {update:?}");
                assert_same(&what, &m34, &expected);
                assert_same(&what, &m4, &expected4);
            }
        }
    }
}

#[test]
fn the_last_row_is_0_0_0_1_whatever_a_parent_holds() {
    let mut random = Rng::new(23);
    let skeleton = generate::skeleton(&mut random, 40);
    let pose = pose(&mut random, 40);
    let odd = Vec4::new(3.0, f32::NAN, f32::INFINITY, -5.0);
    for backend in Backend::all() {
        let mut out = vec![Mat4::from_cols(odd, odd, odd, odd); 40];
        let mut below = LocalToModelJob {
            skeleton: &skeleton,
            locals: &pose,
            root: None,
            update: Update::Below(0),
            lod: None,
            models: Models::Mat4(&mut out),
        };
        below.run_on(backend).unwrap();
        for m in &out[skeleton.subtree(0)][1..] {
            let row = m.to_cols_array_2d().map(|column| column[3]);
            assert_eq!(row, [0.0, 0.0, 0.0, 1.0], "{backend}");
        }
    }
}

#[test]
fn blending_whole_layers_is_the_oracle_for_every_count() {
    let mut random = Rng::new(24);
    for groups in 1..=20 {
        for count in 0..=6 {
            let joints = groups * GROUP;
            let poses: Vec<_> = (0..count)
                .map(|i| if i == 1 { nasty_pose(&mut random, joints) } else { pose(&mut random, joints) })
                .collect();
            let rest = pose(&mut random, joints);
            // Some layers are skipped, and sometimes all of them together are below the threshold.
            let scale = if random.below(4) == 0 { 0.01 } else { 1.0 };
            let layers: Vec<_> = poses
                .iter()
                .map(|pose| BlendLayer { weight: (random.signed() + 0.7) * scale, pose, joint_weights: None })
                .collect();
            let expected = oracle::blend(&layers, &[], 0.1, &rest, joints);
            for backend in Backend::all() {
                let mut output = rest.clone();
                BlendJob {
                    layers: &layers,
                    additive: &[],
                    threshold: 0.1,
                    rest: &rest,
                    lod: None,
                    output: &mut output,
                }
                .run_on(backend)
                .unwrap();
                let what = format!("{backend}, {count} layers, {groups} groups");
                assert_same(&what, &soa::to_transforms(&output, joints), &expected);
            }
        }
    }
}

/// Skins a mesh and compares every attribute with the oracle.
fn check_skin(mesh: &TestMesh, m: &[Mat34], m4: &[Mat4], attributes: usize, what: &str) {
    let checked = mesh.checked();
    let inputs = [&mesh.positions, &mesh.normals, &mesh.tangents];
    let expected: Vec<Vec<[f32; 3]>> = (0..attributes)
        .map(|a| {
            (0..mesh.vertices).map(|v| oracle::skin_vertex(&checked, m, v, inputs[a][v], a == 0)).collect()
        })
        .collect();
    for backend in Backend::all() {
        let mut out: [Vec<[f32; 3]>; 3] = core::array::from_fn(|_| vec![[9.0; 3]; mesh.vertices + 1]);
        let [p, n, t] = &mut out;
        SkinJob {
            mesh: checked,
            vertex_count: mesh.vertices,
            palette: m4,
            vector_palette: None,
            positions: Strided::packed(&mesh.positions),
            normals: (attributes > 1).then(|| Strided::packed(&mesh.normals)),
            tangents: (attributes > 2).then(|| Strided::packed(&mesh.tangents)),
            output: VertexOutput::Separate {
                positions: StridedMut::packed(p),
                normals: (attributes > 1).then(|| StridedMut::packed(n)),
                tangents: (attributes > 2).then(|| StridedMut::packed(t)),
            },
        }
        .run_on(backend)
        .unwrap();
        for (a, out) in out.iter().enumerate() {
            let (here, after) = out.split_at(mesh.vertices);
            assert_eq!(after, [[9.0; 3]], "{backend}, {what}: written past the end");
            match expected.get(a) {
                Some(expected) => {
                    assert_same(&format!("{backend}, {what}, {a}"), here, expected);
                }
                None => assert!(here.iter().all(|v| *v == [9.0; 3]), "{backend}, {what}: not asked for"),
            }
        }
    }
}

#[test]
fn skinning_is_the_oracle_for_every_count_of_vertices() {
    let mut random = Rng::new(25);
    for vertices in 1..=300 {
        let influences = [1, 2, 3, 4, 8, 1, 4, 5][vertices % 8];
        // Few joints, so that neighbours often share them.
        let joints = 1 + random.below(if vertices % 2 == 0 { 3 } else { 40 });
        let mesh = if vertices % 5 == 0 {
            TestMesh::random(&mut random, vertices, influences, joints)
        } else {
            TestMesh::fast(&mut random, vertices, influences, joints)
        };
        let (m, m4) = palette(&mut random, joints);
        let what = format!("{vertices} vertices, {influences} influences, {joints} joints");
        check_skin(&mesh, &m, &m4, 1 + vertices % 3, &what);
    }
}

#[test]
fn every_format_of_influences_is_skinned_alike() {
    let mut random = Rng::new(26);
    for influences in (1..=12).chain([60, 127, 255]) {
        for explicit in [false, true] {
            for index in [IndexFormat::U8, IndexFormat::U16] {
                for weight in [WeightFormat::F32, WeightFormat::Unorm8, WeightFormat::Unorm16] {
                    for pad in [0, 4, 5] {
                        let vertices = 1 + random.below(90);
                        let mesh = TestMesh::new(
                            &mut random,
                            vertices,
                            influences,
                            30,
                            index,
                            weight,
                            explicit,
                            pad,
                        );
                        let (m, m4) = palette(&mut random, 30);
                        let what =
                            format!("{influences} influences, {index:?}, {weight:?}, {explicit}, {pad}");
                        check_skin(&mesh, &m, &m4, 1 + random.below(3), &what);
                    }
                }
            }
        }
    }
}

#[test]
fn nasty_numbers_reach_their_own_vertex_only() {
    let mut random = Rng::new(27);
    for case in 0..80 {
        let vertices = 1 + random.below(70);
        let influences = [1, 2, 3, 4, 8, 6][case % 6];
        let mut mesh = TestMesh::fast(&mut random, vertices, influences, 12);
        let (mut m, _) = palette(&mut random, 12);
        for _ in 0..3 {
            let value = NASTY[random.below(NASTY.len())];
            mesh.positions[random.below(vertices)][random.below(3)] = value;
            mesh.normals[random.below(vertices)][random.below(3)] = value;
            m[random.below(12)].columns[random.below(4)][random.below(3)] = NASTY[random.below(NASTY.len())];
        }
        let m4: Vec<_> = m.iter().map(Mat34::to_mat4).collect();
        check_skin(&mesh, &m, &m4, 3, &format!("case {case}"));
    }
}
