//! Every job, for many characters, shared out to any number of threads: the same bits.

mod common;

use common::{
    Random,
    meshes::{TestMesh, palette},
};
use lissom::{
    Skeleton,
    job::*,
    math::{Mat4, Mat34, soa::SoaTransform},
};
use std::{ops::Range, thread};

const JOINTS: usize = 37;
const VERTICES: usize = 50;
const CHARACTERS: usize = 24;

/// What all characters share.
struct Assets {
    skeleton: Skeleton,
    poses: [Vec<SoaTransform>; 2],
    mesh: TestMesh,
    binds: Vec<Mat34>,
}

/// Every number that the jobs write for some characters, as bits.
fn run(assets: &Assets, characters: Range<usize>) -> Vec<u32> {
    let Assets { skeleton, poses, mesh, binds } = assets;
    let checked = mesh.checked();
    let deltas = [[0.1; 3]; 2];
    let target = [MorphTarget { vertices: &[1, 5], positions: &deltas, normals: &[], tangents: &[] }];
    let targets = MorphTargets::new(&target, VERTICES).unwrap();
    let attachments = [Attachment { joint: 3, offset: Mat34::IDENTITY }];
    let mut pose = vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let (mut models, mut skin, mut vectors) =
        (vec![Mat4::ZERO; JOINTS], vec![Mat4::ZERO; JOINTS], vec![Mat4::ZERO; JOINTS]);
    let mut dual = vec![DualQuat::IDENTITY; JOINTS];
    let (mut morphed, mut moved, mut normals) =
        (vec![[0.0_f32; 3]; VERTICES], vec![[0.0_f32; 3]; VERTICES], vec![[0.0_f32; 3]; VERTICES]);
    let mut places = [Mat34::IDENTITY];
    let mut bits = Vec::new();
    for character in characters {
        let t = character as f32 / CHARACTERS as f32;
        let layers = [
            BlendLayer { weight: 1.0 - t, pose: &poses[0], joint_weights: None },
            BlendLayer { weight: t, pose: &poses[1], joint_weights: None },
        ];
        let rest = skeleton.rest_pose();
        BlendJob {
            layers: &layers,
            additive: &layers[..1],
            threshold: 0.1,
            rest,
            lod: None,
            output: &mut pose,
        }
        .run()
        .unwrap();
        LocalToModelJob {
            skeleton,
            locals: &pose,
            root: None,
            update: Update::All,
            lod: None,
            models: Models::Mat4(&mut models),
        }
        .run()
        .unwrap();
        bits.extend(models.iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits));
        ModelToLocalJob { skeleton, models: &models, root: None, locals: &mut pose, residuals: None }
            .run()
            .unwrap();
        bits.extend((0..JOINTS).flat_map(|j| lissom::math::soa::lane(&pose, j).to_array()).map(f32::to_bits));
        PaletteJob {
            models: &models,
            inverse_binds: binds,
            joints: None,
            palette: &mut skin,
            vector_palette: Some(&mut vectors),
        }
        .run()
        .unwrap();
        dual_quat_palette(&skin, &mut dual);
        MorphJob {
            targets,
            weights: &[t],
            positions: Strided::packed(&mesh.positions),
            normals: None,
            tangents: None,
            output: separate(&mut morphed, None),
        }
        .run()
        .unwrap();
        SkinJob {
            mesh: checked,
            vertex_count: VERTICES,
            palette: &skin,
            vector_palette: Some(&vectors),
            positions: Strided::packed(&morphed),
            normals: Some(Strided::packed(&mesh.normals)),
            tangents: None,
            output: separate(&mut moved, Some(&mut normals)),
        }
        .run()
        .unwrap();
        bits.extend(moved.iter().chain(&normals).flatten().map(|v| v.to_bits()));
        DualQuatSkinJob {
            mesh: checked,
            vertex_count: VERTICES,
            palette: &dual,
            positions: Strided::packed(&morphed),
            normals: None,
            tangents: None,
            output: separate(&mut moved, None),
        }
        .run()
        .unwrap();
        bits.extend(moved.iter().flatten().map(|v| v.to_bits()));
        AttachJob { models: &models, attachments: &attachments, world: None, output: &mut places }
            .run()
            .unwrap();
        bits.extend(places[0].columns.iter().flatten().map(|v| v.to_bits()));
    }
    bits
}

fn separate<'a>(positions: &'a mut [[f32; 3]], normals: Option<&'a mut Vec<[f32; 3]>>) -> VertexOutput<'a> {
    let positions = StridedMut::packed(positions);
    let normals = normals.map(|n| StridedMut::packed(n));
    VertexOutput::Separate { positions, normals, tangents: None }
}

#[test]
fn every_job_gives_the_same_bits_on_1_2_3_and_8_threads() {
    let mut random = Random::new(5);
    let assets = Assets {
        skeleton: random.skeleton(JOINTS),
        poses: [random.pose(JOINTS), random.pose(JOINTS)],
        mesh: TestMesh::fast(&mut random, VERTICES, 4, JOINTS),
        binds: palette(&mut random, JOINTS).0,
    };
    let expected = run(&assets, 0..CHARACTERS);
    assert!(expected.len() > CHARACTERS * (JOINTS * 26 + VERTICES * 9));
    for threads in [1, 2, 3, 8] {
        let share = CHARACTERS.div_ceil(threads);
        let parts: Vec<Vec<u32>> = thread::scope(|scope| {
            let range = |i: usize| (i * share).min(CHARACTERS)..((i + 1) * share).min(CHARACTERS);
            let start = |i: usize| {
                let assets = &assets;
                scope.spawn(move || run(assets, range(i)))
            };
            let running: Vec<_> = (0..threads).map(start).collect();
            running.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(parts.concat() == expected, "{threads} threads gave other bits");
    }
}
