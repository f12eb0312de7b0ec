//! What the showing commands work on, whatever file it came from: a skeleton, its clips, its meshes.

use crate::options::Reading;
use crate::source::{Content, Source, StreamFile, Tape, archived_clip, models_of};
use anyhow::{Context, Result};
use lissom::{
    Clip, Cursor, Skeleton,
    archive::{Archive, Limits, SectionKind},
    job::{PaletteJob, SkinJob},
    math::{Mat4, Mat34, soa::SoaTransform},
    mesh::{IndexFormat, SkinMesh, SkinMeshParts, Strided, StridedMut, VertexOutput, WeightFormat},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    cook::{ClipBuilder, CookReport},
    exact::M34,
    import::{self, ImportOptions},
    mannequin::{self, Detail, Motion},
    mesh::{Influences, RawMesh},
    pipeline::ScenePrecision,
    raw::{RawAnimation, RawSkeleton},
    scene::Scene,
};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// One skeleton and what belongs to it.
pub(crate) struct Stage {
    /// The file's stem, or `mannequin`.
    pub(crate) name: String,
    pub(crate) skeleton: Skeleton,
    pub(crate) clips: Vec<StageClip>,
    /// What is shown instead of the first clip, if the file is a stream.
    pub(crate) stream: Option<(String, Arc<StreamFile>)>,
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
    pub(crate) source: Option<CookedFrom>,
}

/// What a clip was cooked from.
pub(crate) struct CookedFrom {
    pub(crate) animation: RawAnimation,
    pub(crate) report: CookReport,
}

/// A mesh in the skeleton's own joints.
pub(crate) struct Skin {
    pub(crate) positions: Vec<[f32; 3]>,
    pub(crate) normals: Vec<[f32; 3]>,
    pub(crate) tangents: Vec<[f32; 4]>,
    /// Its joints are those of the skeleton.
    pub(crate) influences: Influences,
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
        let (name, stream) = ("mannequin".into(), None);
        Ok(Self { name, skeleton: built.skeleton, clips, stream, skins, raw: Some(raw), precision, shell })
    }

    /// Opens a file for showing. The clip asked for comes first, after it up to `count` in all of the same skeleton, in
    /// file order and round again. A file without clips has none; asking for one of them is an error.
    pub(crate) fn open(path: &Path, clip: Option<&str>, reading: &Reading, count: usize) -> Result<Self> {
        let options = reading.options()?;
        let file = Source::open(path, &options)?;
        let any = !file.clip_names()?.is_empty();
        let chosen = if any || clip.is_some() { Some(file.choose_clip(clip)?) } else { None };
        let name = import::stem(path);
        let stage = match &file.content {
            Content::Scene(scene) => Self::of_scene(name, scene, chosen, count),
            Content::Archive(bytes) => Self::of_archive(name, &file.archive(bytes)?, chosen, count),
            Content::Stream(stream) => return Self::of_stream(name, &file, stream, &options),
        };
        stage.with_context(|| path.display().to_string())
    }

    /// As [`Stage::open`], for what needs a clip that is all there.
    pub(crate) fn open_whole(
        path: &Path,
        clip: Option<&str>,
        reading: &Reading,
        count: usize,
    ) -> Result<Self> {
        let stage = Self::open(path, clip, reading, count)?;
        if stage.stream.is_some() {
            return Source::open(path, &reading.options()?)?.refuse_stream();
        }
        Ok(stage)
    }

    /// What to show: the stream, the first clip, or nothing but the rest pose.
    pub(crate) fn first(&self) -> Option<(&str, Playable<'_>)> {
        let clip = || self.clips.first().map(|c| (c.name.as_str(), Playable::Clip(&c.clip)));
        self.stream.as_ref().map(|(name, s)| (name.as_str(), Playable::Stream(s))).or_else(clip)
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

impl Stage {
    fn of_scene(name: String, scene: &Scene, chosen: Option<usize>, count: usize) -> Result<Self> {
        let place = match chosen {
            None => 0,
            Some(i) => scene.animations[i].skeleton.with_context(|| {
                let clip = &scene.animations[i].motion.name;
                format!("clip {clip:?} has no skeleton in this file; name one with --skeleton FILE")
            })?,
        };
        let raw = scene.skeletons.get(place).context("there is no skeleton in this file")?.skeleton.clone();
        let built = SkeletonBuilder::build(&raw)?;
        let all = &scene.animations;
        let from = chosen.unwrap_or(0);
        let animations = (0..all.len())
            .map(|i| &all[(from + i) % all.len()])
            .filter(|a| a.skeleton == Some(place))
            .take(count);
        let stated = ScenePrecision::new(scene.height(), false, false);
        let builder = stated.builder(&ClipBuilder::default());
        let clips = animations
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|a| {
                let joints = stated.joints(a, &built);
                cook_one(&ClipBuilder { joints, ..builder.clone() }, &built, a.motion.clone())
            })
            .collect::<Result<Vec<_>>>()?;
        // A file that asks for each joint asks for the same of most: the widest and the farthest stand for all.
        let joints = all.get(from).map(|a| stated.joints(a, &built)).unwrap_or_default();
        let widest = |v: &mut dyn Iterator<Item = f64>| v.max_by(f64::total_cmp);
        let precision = widest(&mut joints.iter().filter_map(|j| j.precision)).unwrap_or(builder.precision);
        let shell = widest(&mut joints.iter().filter_map(|j| j.shell)).unwrap_or(builder.shell);
        let skins = skins_of_scene(scene, place, &built)?;
        let stream = None;
        Ok(Self { name, skeleton: built.skeleton, clips, stream, skins, raw: Some(raw), precision, shell })
    }

    fn of_archive(name: String, archive: &Archive<'_>, chosen: Option<usize>, count: usize) -> Result<Self> {
        let skeleton = match chosen {
            Some(clip) => archived_clip(archive, clip)?.1,
            None => {
                let first = archive.sections().iter().find(|s| s.kind == SectionKind::Skeleton);
                first.context("there is no skeleton in this file")?.skeleton(&Limits::default())?
            }
        };
        let sections: Vec<_> = archive.sections().iter().filter(|s| s.kind == SectionKind::Clip).collect();
        let mut clips = Vec::new();
        for i in 0..sections.len() {
            let section = sections[(chosen.unwrap_or(0) + i) % sections.len()];
            let clip =
                Clip::from_bytes(section.payload).with_context(|| format!("clip {:?}", section.name))?;
            if clips.len() < count && clip.view().skeleton_identity() == skeleton.identity() {
                clips.push(StageClip { name: section.name.to_owned(), clip, source: None });
            }
        }
        let skins = skins_of_archive(archive, &skeleton)?;
        let ClipBuilder { precision, shell, .. } = ClipBuilder::default();
        Ok(Self { name, skeleton, clips, stream: None, skins, raw: None, precision, shell })
    }

    /// The body that `--skeleton` names, and the stream that moves it.
    fn of_stream(
        name: String,
        file: &Source,
        stream: &Arc<StreamFile>,
        options: &ImportOptions,
    ) -> Result<Self> {
        let body = file.skeleton_of_stream(stream, options)?;
        let skeleton = body.skeleton()?;
        let skins = match &body.source.content {
            Content::Archive(bytes) => skins_of_archive(&body.source.archive(bytes)?, &skeleton)?,
            Content::Scene(scene) => {
                let mut skins = Vec::new();
                for (place, own) in scene.skeletons.iter().enumerate() {
                    let built = SkeletonBuilder::build(&own.skeleton)?;
                    if built.skeleton.identity() == body.identity {
                        skins.extend(skins_of_scene(scene, place, &built)?);
                    }
                }
                skins
            }
            Content::Stream(_) => Vec::new(),
        };
        let stream = Some((stream.name(&file.path), Arc::clone(stream)));
        let ClipBuilder { precision, shell, .. } = ClipBuilder::default();
        Ok(Self { name, skeleton, clips: Vec::new(), stream, skins, raw: None, precision, shell })
    }
}

fn skins_of_scene(scene: &Scene, place: usize, built: &BuiltSkeleton) -> Result<Vec<Skin>> {
    scene.meshes.iter().filter(|m| m.skeleton == place).map(|m| Skin::new(&m.mesh, built)).collect()
}

/// The meshes on this skeleton.
fn skins_of_archive(archive: &Archive<'_>, skeleton: &Skeleton) -> Result<Vec<Skin>> {
    let mut skins = Vec::new();
    for section in archive.sections().iter().filter(|s| s.kind == SectionKind::Mesh) {
        let mesh = section.mesh().with_context(|| format!("mesh {:?}", section.name))?;
        let same = mesh.inverse_binds.len() == skeleton.joint_count();
        if same && mesh.skeleton_identity == skeleton.identity() {
            skins.push(Skin {
                positions: mesh.positions.to_vec(),
                normals: mesh.normals.to_vec(),
                tangents: any_tangents(mesh.tangents, mesh.positions.len()),
                influences: Influences {
                    each: mesh.influences,
                    joints: mesh.joints.to_vec(),
                    weights: mesh.weights.to_vec(),
                },
                indices: mesh.indices.to_vec(),
                inverse_binds: mesh.inverse_binds.to_vec(),
            });
        }
    }
    Ok(skins)
}

fn cook_one(builder: &ClipBuilder, built: &BuiltSkeleton, animation: RawAnimation) -> Result<StageClip> {
    let name = animation.name.clone();
    let cooked = builder.build(built, &animation).with_context(|| format!("cannot cook {name:?}"))?;
    let clip = Clip::from_bytes(&cooked.bytes)?;
    Ok(StageClip { name, clip, source: Some(CookedFrom { animation, report: cooked.report }) })
}

impl Skin {
    pub(crate) fn new(mesh: &RawMesh, built: &BuiltSkeleton) -> Result<Self> {
        mesh.validate(built.joint_of_raw.len()).with_context(|| format!("mesh {:?}", mesh.name))?;
        let narrow = |m: &M34| Mat34 { columns: m.columns.map(|c| [c.x as f32, c.y as f32, c.z as f32]) };
        let joint = |raw: u16| u16::try_from(built.joint_of_raw[usize::from(raw)]);
        let mut influences = mesh.influences.clone();
        for j in &mut influences.joints {
            *j = joint(*j)?;
        }
        Ok(Self {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            tangents: any_tangents(&mesh.tangents, mesh.positions.len()),
            influences,
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
            influences: Influences {
                each: 4,
                joints: (0..vertices).flat_map(|v| [0, 1, 2, 3].map(|i| joint(v, i))).collect(),
                weights: [0.4, 0.3, 0.2, 0.1].repeat(vertices),
            },
            indices: Vec::new(),
            inverse_binds: vec![Mat34::IDENTITY; joints],
        }
    }

    /// Joints and weights, every one of them checked: once for any number of poses.
    pub(crate) fn influences(&self) -> Result<SkinMesh<'_>> {
        Ok(SkinMesh::new(SkinMeshParts {
            vertex_count: self.positions.len(),
            influences: self.influences.each,
            indices: Strided {
                bytes: bytemuck::cast_slice(&self.influences.joints),
                stride: 2 * self.influences.each,
            },
            index_format: IndexFormat::U16,
            weights: Strided {
                bytes: bytemuck::cast_slice(&self.influences.weights),
                stride: 4 * self.influences.each,
            },
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

    /// Moved positions and normals; `mesh` are the influences.
    pub(crate) fn posed(&self, mesh: SkinMesh<'_>, models: &[Mat4]) -> Result<Posed> {
        let vertices = self.positions.len();
        let (mut positions, mut normals) = (vec![[0.0_f32; 3]; vertices], vec![[0.0_f32; 3]; vertices]);
        SkinJob {
            mesh,
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

/// The tangents, or one direction for all where a mesh has none: what skinning them costs is the same.
pub(crate) fn any_tangents(own: &[[f32; 4]], vertices: usize) -> Vec<[f32; 4]> {
    if own.is_empty() { vec![[1.0, 0.0, 0.0, 1.0]; vertices] } else { own.to_vec() }
}

/// Positions and normals.
pub(crate) type Posed = (Vec<[f32; 3]>, Vec<[f32; 3]>);

/// A clip that can be played: all there, or a stream.
#[derive(Clone, Copy)]
pub(crate) enum Playable<'a> {
    Clip(&'a Clip),
    Stream(&'a StreamFile),
}

impl Playable<'_> {
    pub(crate) fn duration_s(self) -> f64 {
        match self {
            Self::Clip(clip) => clip.view().duration_s(),
            Self::Stream(stream) => stream.opened.view().duration_s(),
        }
    }

    pub(crate) fn is_looping(self) -> bool {
        match self {
            Self::Clip(clip) => clip.view().is_looping(),
            Self::Stream(stream) => stream.opened.view().is_looping(),
        }
    }

    fn tape(self) -> Result<Tape> {
        Ok(match self {
            Self::Clip(clip) => Tape::Clip(clip.clone()),
            Self::Stream(stream) => Tape::Stream(stream.player()?),
        })
    }
}

/// One clip (or the rest pose) being played.
pub(crate) struct Player<'a> {
    stage: &'a Stage,
    tape: Option<Tape>,
    cursor: Cursor,
    pub(crate) pose: Vec<SoaTransform>,
    pub(crate) models: Vec<Mat4>,
}

impl<'a> Player<'a> {
    pub(crate) fn new(stage: &'a Stage, clip: Option<Playable<'_>>) -> Result<Self> {
        let pose = stage.skeleton.rest_pose().to_vec();
        let models = vec![Mat4::IDENTITY; stage.skeleton.joint_count()];
        let tape = clip.map(Playable::tape).transpose()?;
        Ok(Self { stage, tape, cursor: Cursor::new(), pose, models })
    }

    /// Moves to a time; `pose` and `models` are then of that time.
    pub(crate) fn seek(&mut self, time_s: f64) -> Result<()> {
        let skeleton = &self.stage.skeleton;
        if let Some(tape) = &mut self.tape {
            tape.sample(skeleton, time_s, &mut self.cursor, &mut self.pose)?;
        }
        models_of(skeleton, &self.pose, &mut self.models)
    }
}
