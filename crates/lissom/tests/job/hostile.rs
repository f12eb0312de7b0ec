//! Random shapes of input, most of them wrong: nothing panics, and an error writes nothing.

use crate::common::meshes::{TestMesh, palette};
use lissom::{
    JointLod,
    job::*,
    math::{
        Mat4, Mat34,
        soa::{Lanes, SoaTransform},
    },
    mesh::*,
};
use lissom_testkit::{generate, rng::Rng};
use proptest::prelude::*;

const MARK: u8 = 0x5a;

/// Mostly near `right`, sometimes far away.
fn about(random: &mut Rng, right: usize) -> usize {
    match random.below(6) {
        0 => right.saturating_sub(1),
        1 => 0,
        2 => right + 1,
        3 => random.below(right + 5),
        _ => right,
    }
}

fn nasty(random: &mut Rng) -> f32 {
    match random.below(8) {
        0 => f32::NAN,
        1 => f32::INFINITY,
        2 => -1.0,
        3 => 0.0,
        4 => 1.0e-40,
        _ => random.signed(),
    }
}

fn nasty_pose(random: &mut Rng, groups: usize) -> Vec<SoaTransform> {
    let mut pose = generate::mirrored_pose(random, groups * 16);
    for _ in 0..random.below(5) {
        if groups > 0 {
            let group = random.below(groups);
            pose[group].rotation.x.0[random.below(16)] = nasty(random);
            pose[group].translation.z.0[random.below(16)] = nasty(random);
        }
    }
    pose
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pose_jobs_take_any_shape(seed in any::<u64>()) {
        let random = &mut Rng::new(seed);
        let joints = 1 + random.below(40);
        let skeleton = generate::skeleton(random, joints);
        let groups = skeleton.group_count();
        let poses: Vec<_> = (0..3).map(|_| { let n = about(random, groups); nasty_pose(random, n) }).collect();
        let weights: Vec<Vec<Lanes>> = (0..3).map(|_| {
            let n = about(random, groups);
            (0..n).map(|_| Lanes::splat(nasty(random))).collect()
        }).collect();
        let layers: Vec<_> = (0..random.below(4)).map(|i| BlendLayer {
            weight: nasty(random),
            pose: &poses[i],
            joint_weights: (random.below(2) == 0).then_some(&weights[i][..]),
        }).collect();
        let lod = JointLod::prefix(about(random, joints));
        let cut = random.below(layers.len() + 1);
        let n = about(random, groups);
        let before = generate::mirrored_pose(random, n * 16);
        let mut output = before.clone();
        let result = BlendJob {
            layers: &layers[..cut],
            additive: &layers[cut..],
            threshold: if random.below(3) == 0 { nasty(random) } else { 0.1 },
            rest: &skeleton.rest_pose()[..random.below(groups + 1)],
            lod: (random.below(2) == 0).then_some(&lod),
            output: &mut output,
        }.run();
        if result.is_err() {
            prop_assert_eq!(&before, &output);
        }

        let n = about(random, groups);
        let locals = nasty_pose(random, n);
        let mut models = vec![Mat4::ZERO; about(random, joints)];
        let (a, b) = (about(random, joints), about(random, joints));
        let update = match random.below(4) {
            0 => Update::Range(a..b),
            1 => Update::Subtree(a),
            2 => Update::Below(b),
            _ => Update::All,
        };
        let mut job = LocalToModelJob {
            skeleton: &skeleton, locals: &locals, root: None, update,
            lod: (random.below(2) == 0).then_some(&lod), models: Models::Mat4(&mut models),
        };
        if job.run().is_err() {
            prop_assert!(models.iter().all(|m| *m == Mat4::ZERO));
        }
        let mut back = vec![SoaTransform::IDENTITY; about(random, groups)];
        let mut job = ModelToLocalJob { skeleton: &skeleton, models: &models, root: None, locals: &mut back, residuals: None };
        if job.run().is_err() {
            prop_assert!(back.iter().all(|g| *g == SoaTransform::IDENTITY));
        }
        let attachments: Vec<_> = (0..3).map(|_| Attachment { joint: about(random, joints), offset: Mat34::IDENTITY }).collect();
        let mut places = vec![Mat34::IDENTITY; about(random, 3)];
        let _ = AttachJob { models: &models, attachments: &attachments, world: None, output: &mut places }.run();
        let binds = vec![Mat34::IDENTITY; about(random, joints)];
        let remap: Vec<u16> = (0..about(random, joints)).map(|_| about(random, joints) as u16).collect();
        let mut out = vec![Mat4::ZERO; about(random, joints)];
        let mut job = PaletteJob {
            models: &models, inverse_binds: &binds, joints: (random.below(2) == 0).then_some(&remap[..]),
            palette: &mut out, vector_palette: None,
        };
        if job.run().is_err() {
            prop_assert!(out.iter().all(|m| *m == Mat4::ZERO));
        }
    }

    #[test]
    fn mesh_jobs_take_any_shape(seed in any::<u64>()) {
        let random = &mut Rng::new(seed);
        let (vertices, influences, joints) = (random.below(20), 1 + random.below(9), 1 + random.below(12));
        let mut mesh = TestMesh::random(random, vertices, influences, joints);
        // Spoil the mesh before it is checked.
        match random.below(8) {
            0 => mesh.index_stride = about(random, mesh.index_stride),
            1 => mesh.weight_stride = about(random, mesh.weight_stride),
            2 => mesh.indices.truncate(about(random, mesh.indices.len())),
            3 => mesh.weights.truncate(about(random, mesh.weights.len())),
            4 => mesh.influences = about(random, influences),
            5 => mesh.vertices = about(random, vertices),
            6 if !mesh.indices.is_empty() => {
                let at = random.below(mesh.indices.len());
                mesh.indices[at] = random.next_u32() as u8;
            }
            _ => {}
        }
        let Ok(checked) = mesh.try_checked() else { return Ok(()) };
        let n = about(random, joints);
        let (_, mut m4) = palette(random, n);
        if let Some(m) = m4.first_mut() {
            m.x_axis.x = nasty(random);
        }
        let count = about(random, vertices);
        let bytes = vec![0x3f; about(random, vertices * 40)];
        let strided = |random: &mut Rng| Strided {
            bytes: &bytes[..about(random, bytes.len()).min(bytes.len())],
            stride: [0, 4, 11, 12, 13, 24, 40, usize::MAX / 2][random.below(8)],
        };
        let positions = strided(random);
        let normals = (random.below(2) == 0).then(|| strided(random));
        let tangents = (random.below(3) == 0).then(|| strided(random));
        let mut out = [vec![MARK; about(random, vertices * 12)], vec![MARK; vertices * 12], vec![MARK; vertices * 40]];
        for dual in [false, true] {
            let [p, n, t] = &mut out;
            let output = if random.below(2) == 0 {
                VertexOutput::Separate {
                    positions: StridedMut { bytes: p, stride: about(random, 12) },
                    normals: (normals.is_some() ^ (random.below(8) == 0)).then_some(StridedMut { bytes: n, stride: about(random, 12) }),
                    tangents: None,
                }
            } else {
                VertexOutput::Interleaved {
                    bytes: t,
                    stride: about(random, 40),
                    positions: about(random, 0),
                    normals: normals.is_some().then(|| about(random, 12)),
                    tangents: tangents.is_some().then(|| about(random, 24)),
                }
            };
            let failed = if dual {
                let mut dq = vec![DualQuat::IDENTITY; m4.len()];
                dual_quat_palette(&m4, &mut dq);
                DualQuatSkinJob { mesh: checked, vertex_count: count, palette: &dq, positions, normals, tangents, output }.run().is_err()
            } else {
                SkinJob { mesh: checked, vertex_count: count, palette: &m4, vector_palette: None, positions, normals, tangents, output }.run().is_err()
            };
            if failed && !dual {
                prop_assert!(out.iter().flatten().all(|b| *b == MARK));
            }
        }
        let vertices_of: Vec<u32> = (0..random.below(5)).map(|_| about(random, vertices) as u32).collect();
        let deltas = vec![[nasty(random); 3]; about(random, vertices_of.len())];
        let targets = [MorphTarget { vertices: &vertices_of, positions: &deltas, normals: &[], tangents: &[] }];
        if let Ok(targets) = MorphTargets::new(&targets, checked.vertex_count()) {
            let [p, ..] = &mut out;
            let _ = MorphJob {
                targets, weights: &[nasty(random)], positions, normals: None, tangents: None,
                output: VertexOutput::Separate { positions: StridedMut { bytes: p, stride: 12 }, normals: None, tangents: None },
            }.run();
            if let Ok(bounds) = JointBounds::new(&checked, positions, Some(&targets)) {
                let _ = bounds.linear(&m4, &[nasty(random)]);
            }
        }
    }
}
