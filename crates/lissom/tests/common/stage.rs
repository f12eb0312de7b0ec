//! Every job in a row, as a frame of one character runs them.

use super::{
    clips::{long_plan, rows_clip},
    corrections::Corrections,
    meshes::{TestMesh, palette},
};
use lissom::{
    Clip, Cursor, Skeleton,
    job::*,
    math::{
        Mat4, Mat34,
        soa::{self, SoaTransform},
    },
    mesh::*,
};
use lissom_build::cook::encode;
use lissom_testkit::rng::Rng;

const JOINTS: usize = 37;
const VERTICES: usize = 50;
const DELTAS: [[f32; 3]; 2] = [[0.1; 3]; 2];
const TARGETS: [MorphTarget<'static>; 1] =
    [MorphTarget { vertices: &[1, 5], positions: &DELTAS, normals: &[], tangents: &[] }];
const ATTACHMENTS: [Attachment; 1] = [Attachment { joint: 3, offset: Mat34::IDENTITY }];

/// What all characters share.
pub struct Assets {
    skeleton: Skeleton,
    /// One in each form.
    clips: [Clip; 2],
    mesh: TestMesh,
    binds: Vec<Mat34>,
}

impl Assets {
    pub fn new(seed: u64) -> Self {
        let mut random = Rng::new(seed);
        let (built, rows) = rows_clip(JOINTS, 40, 30.0);
        let keys = encode(&long_plan(&mut Rng::new(seed), &built.skeleton, 1.0, 0.25)).unwrap();
        Self {
            skeleton: built.skeleton,
            clips: [Clip::from_bytes(&keys).unwrap(), rows],
            mesh: TestMesh::fast(&mut random, VERTICES, 4, JOINTS),
            binds: palette(&mut random, JOINTS).0,
        }
    }
}

/// One character: what its jobs write.
pub struct Character<'a> {
    assets: &'a Assets,
    mesh: SkinMesh<'a>,
    targets: MorphTargets<'static>,
    bounds: JointBounds,
    cursors: [Cursor; 2],
    sampled: [Vec<SoaTransform>; 2],
    pose: Vec<SoaTransform>,
    models: Vec<Mat4>,
    skin: Vec<Mat4>,
    vectors: Vec<Mat4>,
    dual: Vec<DualQuat>,
    morphed: Vec<[f32; 3]>,
    linear: [Vec<[f32; 3]>; 2],
    twisted: Vec<[f32; 3]>,
    places: [Mat34; 1],
    corrections: Corrections,
}

impl<'a> Character<'a> {
    pub fn new(assets: &'a Assets) -> Self {
        let mesh = assets.mesh.checked();
        let targets = MorphTargets::new(&TARGETS, VERTICES).unwrap();
        let positions = Strided::packed(&assets.mesh.positions);
        let vertices = || vec![[0.0; 3]; VERTICES];
        let matrices = || vec![Mat4::ZERO; JOINTS];
        let pose = || vec![SoaTransform::IDENTITY; assets.skeleton.group_count()];
        Self {
            assets,
            mesh,
            targets,
            bounds: JointBounds::new(&mesh, positions, Some(&targets)).unwrap(),
            cursors: assets.clips.each_ref().map(|clip| Cursor::with_room_for(clip.view())),
            sampled: [pose(), pose()],
            pose: pose(),
            models: matrices(),
            skin: matrices(),
            vectors: matrices(),
            dual: vec![DualQuat::IDENTITY; JOINTS],
            morphed: vertices(),
            linear: [vertices(), vertices()],
            twisted: vertices(),
            places: [Mat34::IDENTITY],
            corrections: Corrections::new(&assets.skeleton, &assets.clips),
        }
    }

    /// Runs every job once; `t` in [0, 1] decides what they do.
    pub fn frame(&mut self, t: f32) {
        let Assets { skeleton, clips, mesh, binds } = self.assets;
        for ((clip, cursor), output) in clips.iter().zip(&mut self.cursors).zip(&mut self.sampled) {
            let time = SampleTime::Ratio(f64::from(t));
            SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output }.run().unwrap();
        }
        let layers = [
            BlendLayer { weight: 1.0 - t, pose: &self.sampled[0], joint_weights: None },
            BlendLayer { weight: t, pose: &self.sampled[1], joint_weights: None },
        ];
        let (rest, output) = (skeleton.rest_pose(), &mut self.pose[..]);
        BlendJob { layers: &layers, additive: &layers[..1], threshold: 0.1, rest, lod: None, output }
            .run()
            .unwrap();
        let models = Models::Mat4(&mut self.models);
        LocalToModelJob { skeleton, locals: &self.pose, root: None, update: Update::All, lod: None, models }
            .run()
            .unwrap();
        let (models, locals) = (&self.models[..], &mut self.pose[..]);
        ModelToLocalJob { skeleton, models, root: None, locals, residuals: None }.run().unwrap();
        PaletteJob {
            models,
            inverse_binds: binds,
            joints: None,
            palette: &mut self.skin,
            vector_palette: Some(&mut self.vectors),
        }
        .run()
        .unwrap();
        dual_quat_palette(&self.skin, &mut self.dual);
        MorphJob {
            targets: self.targets,
            weights: &[t],
            positions: Strided::packed(&mesh.positions),
            normals: None,
            tangents: None,
            output: separate(&mut self.morphed, None),
        }
        .run()
        .unwrap();
        let [positions, normals] = &mut self.linear;
        SkinJob {
            mesh: self.mesh,
            vertex_count: VERTICES,
            palette: &self.skin,
            vector_palette: Some(&self.vectors),
            positions: Strided::packed(&self.morphed),
            normals: Some(Strided::packed(&mesh.normals)),
            tangents: None,
            output: separate(positions, Some(normals)),
        }
        .run()
        .unwrap();
        DualQuatSkinJob {
            mesh: self.mesh,
            vertex_count: VERTICES,
            palette: &self.dual,
            positions: Strided::packed(&self.morphed),
            normals: None,
            tangents: None,
            output: separate(&mut self.twisted, None),
        }
        .run()
        .unwrap();
        self.bounds.linear(&self.skin, &[t]).unwrap();
        self.bounds.dual_quat(&self.dual, &[t]).unwrap();
        AttachJob { models, attachments: &ATTACHMENTS, world: None, output: &mut self.places }.run().unwrap();
        self.corrections.frame(skeleton, clips, &self.sampled, models, t);
    }

    /// Every number that the last frame wrote, as bits.
    pub fn bits(&self) -> Vec<u32> {
        let matrices = self.models.iter().chain(&self.skin).chain(&self.vectors);
        let numbers = matrices.flat_map(|m| m.to_cols_array());
        let poses = self.sampled.iter().chain([&self.pose]);
        let locals = poses.flat_map(|p| (0..JOINTS).flat_map(|j| soa::lane(p, j).to_array()));
        let vertices = self.morphed.iter().chain(&self.linear[0]).chain(&self.linear[1]).chain(&self.twisted);
        let places = self.places[0].columns.into_iter().flatten();
        let numbers = numbers.chain(locals).chain(vertices.copied().flatten()).chain(places);
        numbers.chain(self.corrections.numbers()).map(f32::to_bits).collect()
    }
}

fn separate<'a>(positions: &'a mut [[f32; 3]], normals: Option<&'a mut Vec<[f32; 3]>>) -> VertexOutput<'a> {
    let positions = StridedMut::packed(positions);
    VertexOutput::Separate { positions, normals: normals.map(|n| StridedMut::packed(n)), tangents: None }
}
