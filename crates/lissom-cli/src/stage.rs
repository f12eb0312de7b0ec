//! What the showing commands work on, whatever file it came from: a skeleton, its clips, its meshes.

use anyhow::{Context, Result};
use lissom::{
    Clip, Cursor, Skeleton,
    job::{LocalToModelJob, Models, PaletteJob, SampleJob, SampleTime, SkinJob, Update},
    math::{Mat4, Mat34, soa::SoaTransform},
    mesh::{IndexFormat, SkinMesh, SkinMeshParts, Strided, StridedMut, VertexOutput, WeightFormat},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, CookReport},
    exact::M34,
    mannequin::{self, Detail, Motion},
    mesh::RawMesh,
    raw::{RawAnimation, RawSkeleton},
};
use rayon::prelude::*;

/// One skeleton and what belongs to it.
pub(crate) struct Stage {
    /// The file's stem, or `mannequin`.
    pub(crate) name: String,
    pub(crate) skeleton: Skeleton,
    pub(crate) clips: Vec<StageClip>,
    pub(crate) skins: Vec<Skin>,
    /// What the clips were cooked from; `None` for archives.
    pub(crate) raw: Option<RawSkeleton>,
    /// How exactly they were cooked, in metres, and how far from each joint that is measured.
    pub(crate) precision: f64,
    pub(crate) shell: f64,
}

/// A clip, and what it was cooked from if that is known.
pub(crate) struct StageClip {
    pub(crate) name: String,
    pub(crate) clip: Clip,
    pub(crate) source: Option<Source>,
}

/// What a clip was cooked from.
pub(crate) struct Source {
    pub(crate) animation: RawAnimation,
    pub(crate) report: CookReport,
}

/// A mesh in the skeleton's own joints.
pub(crate) struct Skin {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) tangents: Vec<[f32; 4]>,
    pub(crate) joints: Vec<[u16; 4]>,
    pub(crate) weights: Vec<[f32; 4]>,
    pub(crate) indices: Vec<u32>,
    pub(crate) inverse_binds: Vec<Mat34>,
}

impl Stage {
    /// The mannequin with these motions, and how they are cooked; `each` is called after each of them.
    pub(crate) fn mannequin(
        motions: &[Motion],
        detail: &Detail,
        builder: &ClipBuilder,
        each: impl Fn() + Sync,
    ) -> Result<Self> {
        let raw = mannequin::skeleton();
        let built = SkeletonBuilder::build(&raw)?;
        let skins = vec![Skin::new(&mannequin::mesh(detail)?, &built)?];
        let cook = |motion: &Motion| {
            let clip = cook_one(builder, &built, mannequin::clip(*motion));
            each();
            clip
        };
        let clips = motions.par_iter().map(cook).collect::<Result<Vec<_>>>()?;
        let (precision, shell) = (builder.precision, builder.shell);
        let name = "mannequin".into();
        Ok(Self { name, skeleton: built.skeleton, clips, skins, raw: Some(raw), precision, shell })
    }

    /// Vertices of all meshes together.
    pub(crate) fn vertex_count(&self) -> usize {
        self.skins.iter().map(|s| s.positions.len()).sum()
    }

    /// A joint by name, or by its number.
    pub(crate) fn joint(&self, name: &str) -> Result<usize> {
        let by_number = || name.parse().ok().filter(|j| *j < self.skeleton.joint_count());
        self.skeleton.find(name).or_else(by_number).with_context(|| {
            let nearest: Vec<&str> = (0..self.skeleton.joint_count())
                .map(|j| self.skeleton.name(j))
                .filter(|n| n.to_lowercase().contains(&name.to_lowercase()))
                .take(5)
                .collect();
            let hint = if nearest.is_empty() {
                format!("there are {} joints; `lissom inspect` lists them", self.skeleton.joint_count())
            } else {
                format!("there is {}", nearest.join(", "))
            };
            format!("no joint is called {name:?}: {hint}")
        })
    }
}

/// Cooks all animations of a skeleton, in parallel.
pub(crate) fn cook(
    built: &BuiltSkeleton,
    animations: Vec<(ClipBuilder, RawAnimation)>,
) -> Result<Vec<StageClip>> {
    animations.into_par_iter().map(|(builder, animation)| cook_one(&builder, built, animation)).collect()
}

fn cook_one(builder: &ClipBuilder, built: &BuiltSkeleton, animation: RawAnimation) -> Result<StageClip> {
    let name = animation.name.clone();
    let cooked = builder.build(built, &animation).with_context(|| format!("cannot cook {name:?}"))?;
    let clip = Clip::from_bytes(&cooked.bytes)?;
    Ok(StageClip { name, clip, source: Some(Source { animation, report: cooked.report }) })
}

impl Skin {
    pub(crate) fn new(mesh: &RawMesh, built: &BuiltSkeleton) -> Result<Self> {
        mesh.validate(built.joint_of_raw.len()).with_context(|| format!("mesh {:?}", mesh.name))?;
        let narrow = |m: &M34| Mat34 { columns: m.columns.map(|c| [c.x as f32, c.y as f32, c.z as f32]) };
        let joint = |raw: u16| u16::try_from(built.joint_of_raw[usize::from(raw)]);
        let mut joints = mesh.joints.clone();
        for j in joints.iter_mut().flatten() {
            *j = joint(*j)?;
        }
        Ok(Self {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            tangents: mesh.tangents.clone(),
            joints,
            weights: mesh.weights.clone(),
            indices: mesh.indices.clone(),
            inverse_binds: built.raw_of_joint.iter().map(|raw| narrow(&mesh.inverse_binds[*raw])).collect(),
        })
    }

    /// A cloud of vertices on all joints of a skeleton, for files without a mesh.
    pub(crate) fn synthetic(vertices: usize, joints: usize) -> Self {
        // Fibonacci hashing: looks random, the same in every run.
        let unit = |i: usize, salt: u32| {
            let bits = (i as u32).wrapping_add(salt << 20).wrapping_mul(2_654_435_761);
            f32::from(bits.rotate_left(9) as u16) / 32_768.0 - 1.0
        };
        let three = |salt: u32| (0..vertices).map(|i| [0, 1, 2].map(|c| unit(i, salt + c))).collect();
        // Neighbours share joints, as in any mesh that was not shuffled.
        let joint = |v: usize, i: usize| ((v / 8 + i * 3) % joints) as u16;
        Self {
            positions: three(0),
            normals: three(3),
            tangents: (0..vertices).map(|i| [unit(i, 6), unit(i, 7), unit(i, 8), 1.0]).collect(),
            joints: (0..vertices).map(|v| [0, 1, 2, 3].map(|i| joint(v, i))).collect(),
            weights: vec![[0.4, 0.3, 0.2, 0.1]; vertices],
            indices: Vec::new(),
            inverse_binds: vec![Mat34::IDENTITY; joints],
        }
    }

    /// Joints and weights, checked.
    pub(crate) fn influences(&self) -> Result<SkinMesh<'_>> {
        Ok(SkinMesh::new(SkinMeshParts {
            vertex_count: self.positions.len(),
            influences: 4,
            indices: Strided::packed(&self.joints),
            index_format: IndexFormat::U16,
            weights: Strided::packed(&self.weights),
            weight_format: WeightFormat::F32,
            explicit_last: true,
            joint_count: self.inverse_binds.len(),
        })?)
    }

    /// The matrices that move this mesh.
    pub(crate) fn palette(&self, models: &[Mat4]) -> Result<Vec<Mat4>> {
        let mut palette = vec![Mat4::IDENTITY; self.inverse_binds.len()];
        let inverse_binds = &self.inverse_binds;
        PaletteJob { models, inverse_binds, joints: None, palette: &mut palette, vector_palette: None }
            .run()?;
        Ok(palette)
    }

    /// Moved positions and normals.
    pub(crate) fn posed(&self, models: &[Mat4]) -> Result<Posed> {
        let vertices = self.positions.len();
        let (mut positions, mut normals) = (vec![[0.0_f32; 3]; vertices], vec![[0.0_f32; 3]; vertices]);
        SkinJob {
            mesh: self.influences()?,
            vertex_count: vertices,
            palette: &self.palette(models)?,
            vector_palette: None,
            positions: Strided::packed(&self.positions),
            normals: Some(Strided::packed(&self.normals)),
            tangents: None,
            output: VertexOutput::Separate {
                positions: StridedMut::packed(&mut positions),
                normals: Some(StridedMut::packed(&mut normals)),
                tangents: None,
            },
        }
        .run()?;
        Ok((positions, normals))
    }
}

/// Positions and normals.
pub(crate) type Posed = (Vec<[f32; 3]>, Vec<[f32; 3]>);

/// One clip (or the rest pose) being played.
pub(crate) struct Player<'a> {
    stage: &'a Stage,
    clip: Option<&'a Clip>,
    cursor: Cursor,
    pub(crate) pose: Vec<SoaTransform>,
    pub(crate) models: Vec<Mat4>,
}

impl<'a> Player<'a> {
    pub(crate) fn new(stage: &'a Stage, clip: Option<&'a Clip>) -> Self {
        let pose = stage.skeleton.rest_pose().to_vec();
        let models = vec![Mat4::IDENTITY; stage.skeleton.joint_count()];
        Self { stage, clip, cursor: Cursor::new(), pose, models }
    }

    /// Moves to a time; `pose` and `models` are then of that time.
    pub(crate) fn seek(&mut self, time_s: f64) -> Result<()> {
        let skeleton = &self.stage.skeleton;
        if let Some(clip) = self.clip {
            let (time, cursor) = (SampleTime::Clamped(time_s), &mut self.cursor);
            SampleJob { skeleton, clip: clip.view(), time, lod: None, cursor, output: &mut self.pose }
                .run()?;
        }
        models_of(skeleton, &self.pose, &mut self.models)
    }
}

/// Model-space matrices of a pose.
pub(crate) fn models_of(skeleton: &Skeleton, locals: &[SoaTransform], models: &mut [Mat4]) -> Result<()> {
    let models = Models::Mat4(models);
    Ok(LocalToModelJob { skeleton, locals, root: None, update: Update::All, lod: None, models }.run()?)
}
