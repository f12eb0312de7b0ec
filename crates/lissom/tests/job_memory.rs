//! Nothing is allocated, over ten thousand frames of every job.

mod common;

use common::{
    Random,
    meshes::{TestMesh, palette},
};
use lissom::{
    job::*,
    math::{Mat4, Mat34, soa::SoaTransform},
};
use lissom_testkit::alloc::{CountingAllocator, assert_no_alloc};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn ten_thousand_frames_allocate_nothing() {
    let mut random = Random::new(1);
    let skeleton = random.skeleton(20);
    let (a, b) = (random.pose(20), random.pose(20));
    let mesh = TestMesh::fast(&mut random, 8, 4, 20);
    let checked = mesh.checked();
    let (binds, _) = palette(&mut random, 20);
    let deltas = [[0.1; 3]; 2];
    let targets = [MorphTarget { vertices: &[1, 5], positions: &deltas, normals: &[], tangents: &[] }];
    let targets = MorphTargets::new(&targets, 8).unwrap();
    let bounds = JointBounds::new(&checked, Strided::packed(&mesh.positions), Some(&targets)).unwrap();
    let attachments = [Attachment { joint: 3, offset: Mat34::IDENTITY }];

    let mut pose = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let (mut models, mut skin, mut vectors) =
        (vec![Mat4::ZERO; 20], vec![Mat4::ZERO; 20], vec![Mat4::ZERO; 20]);
    let mut dq = vec![DualQuat::IDENTITY; 20];
    let mut morphed = vec![[0.0_f32; 3]; 8];
    let (mut p, mut n) = (vec![[0.0_f32; 3]; 8], vec![[0.0_f32; 3]; 8]);
    let mut places = [Mat34::IDENTITY];
    let _ = lissom::math::simd::Backend::best();
    assert_no_alloc(|| {
        for frame in 0..10_000 {
            let t = frame as f32 / 10_000.0;
            let layers = [
                BlendLayer { weight: 1.0 - t, pose: &a, joint_weights: None },
                BlendLayer { weight: t, pose: &b, joint_weights: None },
            ];
            BlendJob {
                layers: &layers,
                additive: &layers[..1],
                threshold: 0.1,
                rest: skeleton.rest_pose(),
                lod: None,
                output: &mut pose,
            }
            .run()
            .unwrap();
            LocalToModelJob {
                skeleton: &skeleton,
                locals: &pose,
                root: None,
                update: Update::All,
                lod: None,
                models: Models::Mat4(&mut models),
            }
            .run()
            .unwrap();
            ModelToLocalJob {
                skeleton: &skeleton,
                models: &models,
                root: None,
                locals: &mut pose,
                residuals: None,
            }
            .run()
            .unwrap();
            PaletteJob {
                models: &models,
                inverse_binds: &binds,
                joints: None,
                palette: &mut skin,
                vector_palette: Some(&mut vectors),
            }
            .run()
            .unwrap();
            dual_quat_palette(&skin, &mut dq);
            MorphJob {
                targets,
                weights: &[t],
                positions: Strided::packed(&mesh.positions),
                normals: None,
                tangents: None,
                output: VertexOutput::Separate {
                    positions: StridedMut::packed(&mut morphed),
                    normals: None,
                    tangents: None,
                },
            }
            .run()
            .unwrap();
            SkinJob {
                mesh: checked,
                vertex_count: 8,
                palette: &skin,
                vector_palette: Some(&vectors),
                positions: Strided::packed(&morphed),
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
            DualQuatSkinJob {
                mesh: checked,
                vertex_count: 8,
                palette: &dq,
                positions: Strided::packed(&morphed),
                normals: None,
                tangents: None,
                output: VertexOutput::Separate {
                    positions: StridedMut::packed(&mut p),
                    normals: None,
                    tangents: None,
                },
            }
            .run()
            .unwrap();
            bounds.linear(&skin, &[t]).unwrap();
            bounds.dual_quat(&dq, &[t]).unwrap();
            AttachJob { models: &models, attachments: &attachments, world: None, output: &mut places }
                .run()
                .unwrap();
        }
    });
}
