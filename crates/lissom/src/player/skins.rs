//! The meshes of a character, moved.

use super::{PlayError, library::Library, voice::Voice};
use crate::{
    Skeleton,
    archive::{Archive, ArchiveError, Mesh, Morph, SectionKind},
    job::{MorphJob, PaletteJob, SkinJob},
    mesh::{MorphTarget, MorphTargets, Strided, StridedMut, VertexOutput},
};
use alloc::{boxed::Box, format, vec, vec::Vec};
use core::mem;
use lissom_math::Mat4;

/// A mesh whose vertices have been moved: as long as its lists are, one entry a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinnedMesh<'a> {
    /// Its name in the archive.
    pub name: &'a str,
    /// In model space.
    pub positions: &'a [[f32; 3]],
    /// In model space; not normalised.
    pub normals: &'a [[f32; 3]],
    /// Three a triangle.
    pub indices: &'a [u32],
}

/// A mesh, and room for what becomes of it.
#[derive(Clone, Debug)]
pub(super) struct Skin {
    name: Box<str>,
    mesh: Mesh,
    targets: Vec<(Box<str>, Morph)>,
    /// One a target, of the last frame.
    weights: Vec<f32>,
    palette: Vec<Mat4>,
    moved: Vertices,
    /// Before the joints: empty without targets.
    morphed: Vertices,
    /// The second half of a pair, where more targets are active than one job takes.
    spare: Vertices,
}

#[derive(Clone, Debug, Default)]
struct Vertices {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

/// Active targets that one job adds.
const TARGETS: usize = 16;

impl Vertices {
    fn new(count: usize) -> Self {
        Self { positions: vec![[0.0; 3]; count], normals: vec![[0.0; 3]; count] }
    }

    fn output(&mut self) -> VertexOutput<'_> {
        VertexOutput::Separate {
            positions: StridedMut::packed(&mut self.positions),
            normals: Some(StridedMut::packed(&mut self.normals)),
            tangents: None,
        }
    }
}

/// The meshes that were made for a skeleton, with their morph targets.
pub(super) fn of(archive: &Archive, skeleton: &Skeleton) -> Result<Vec<Skin>, PlayError> {
    let mut skins = Vec::new();
    for (name, mesh) in archive.meshes() {
        let mesh = mesh?;
        let view = mesh.view();
        if view.skeleton_identity != skeleton.identity() || view.inverse_binds.len() != skeleton.joint_count()
        {
            continue;
        }
        let vertices = view.positions.len();
        let mut targets: Vec<(Box<str>, Morph)> = Vec::new();
        for (full_name, morph) in archive.morphs() {
            let owner = archive.owner(SectionKind::Mesh, full_name);
            let Some((_, its_name)) = owner.filter(|(mesh, _)| *mesh == name) else { continue };
            let morph = morph?;
            let found = morph.view().vertex_count;
            if found != vertices {
                let reason = format!("the morph target {full_name:?} is for {found} vertices of {vertices}");
                return Err(ArchiveError::Format { offset: 0, reason }.into());
            }
            targets.push((its_name.into(), morph));
        }
        let count_of = |needed: bool| Vertices::new(if needed { vertices } else { 0 });
        skins.push(Skin {
            name: name.into(),
            weights: targets.iter().map(|(_, morph)| morph.view().weight).collect(),
            palette: vec![Mat4::IDENTITY; view.inverse_binds.len()],
            moved: Vertices::new(vertices),
            morphed: count_of(!targets.is_empty()),
            spare: count_of(targets.len() > TARGETS),
            targets,
            mesh,
        });
    }
    Ok(skins)
}

impl Skin {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn weights(&self) -> &[f32] {
        &self.weights
    }

    pub(super) fn target_names(&self) -> impl Iterator<Item = &str> {
        self.targets.iter().map(|(name, _)| &**name)
    }

    /// The weights of its targets: those of the clips that sound, by their shares. A clip without a track for a
    /// target stands for the target's own weight.
    pub(super) fn weigh(&mut self, library: &Library, mesh: usize, voices: &[Voice]) {
        for (target, (weight, (_, morph))) in self.weights.iter_mut().zip(&self.targets).enumerate() {
            let own = morph.view().weight;
            let (mut sum, mut all) = (0.0, 0.0);
            for voice in voices {
                let track = library.morph(voice.clip, mesh, target);
                let value = track.and_then(|track| track.view().sample(voice.ratio()).as_float());
                sum += voice.weight * value.unwrap_or(own);
                all += voice.weight;
            }
            *weight = if all > 0.0 { sum / all } else { own };
        }
    }

    pub(super) fn palette(&mut self, models: &[Mat4]) -> Result<&[Mat4], PlayError> {
        PaletteJob {
            models,
            inverse_binds: self.mesh.view().inverse_binds,
            joints: None,
            palette: &mut self.palette,
            vector_palette: None,
        }
        .run()?;
        Ok(&self.palette)
    }

    /// Morphs, then skins.
    pub(super) fn run(&mut self, models: &[Mat4]) -> Result<(), PlayError> {
        self.palette(models)?;
        let morphed = self.morph()?;
        let view = self.mesh.view();
        let (positions, normals) = match morphed {
            true => (&self.morphed.positions[..], &self.morphed.normals[..]),
            false => (view.positions, view.normals),
        };
        SkinJob {
            mesh: self.mesh.influences(),
            vertex_count: positions.len(),
            palette: &self.palette,
            vector_palette: None,
            positions: Strided::packed(positions),
            normals: Some(Strided::packed(normals)),
            tangents: None,
            output: self.moved.output(),
        }
        .run()?;
        Ok(())
    }

    /// Adds the active targets; false if there is none. The bits are those of one job over all targets: a target of
    /// weight 0 is left out there too, and the order is the same.
    fn morph(&mut self) -> Result<bool, PlayError> {
        let view = self.mesh.view();
        let mut active =
            self.targets.iter().zip(&self.weights).filter(|(_, weight)| **weight != 0.0).peekable();
        if active.peek().is_none() {
            return Ok(false);
        }
        let mut started = false;
        while active.peek().is_some() {
            let none = MorphTarget { vertices: &[], positions: &[], normals: &[], tangents: &[] };
            let (mut targets, mut weights) = ([none; TARGETS], [0.0; TARGETS]);
            let mut count = 0;
            for ((_, morph), weight) in active.by_ref().take(TARGETS) {
                (targets[count], weights[count]) = (morph.view().target, *weight);
                count += 1;
            }
            if started {
                mem::swap(&mut self.morphed, &mut self.spare);
            }
            let (positions, normals) = match started {
                true => (&self.spare.positions[..], &self.spare.normals[..]),
                false => (view.positions, view.normals),
            };
            MorphJob {
                targets: MorphTargets::checked_before(&targets[..count], positions.len()),
                weights: &weights[..count],
                positions: Strided::packed(positions),
                normals: Some(Strided::packed(normals)),
                tangents: None,
                output: self.morphed.output(),
            }
            .run()?;
            started = true;
        }
        Ok(true)
    }

    pub(super) fn skinned(&self) -> SkinnedMesh<'_> {
        SkinnedMesh {
            name: &self.name,
            positions: &self.moved.positions,
            normals: &self.moved.normals,
            indices: self.mesh.view().indices,
        }
    }
}
