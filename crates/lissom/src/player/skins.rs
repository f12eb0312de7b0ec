//! The meshes of a character, moved.

use super::{ClipShare, PlayError};
use crate::{
    Skeleton,
    archive::{Archive, ArchiveError, Mesh, MeshView, Morph, SectionKind},
    job::{MorphJob, PaletteJob, SkinJob, inverse_transpose},
    mesh::{Inputs, MorphTarget, MorphTargets, Strided, StridedMut, VertexOutput},
    track::Track,
};
use alloc::{boxed::Box, format, sync::Arc, vec, vec::Vec};
use core::mem;
use lissom_math::{Mat4, Mat34};

/// A mesh whose vertices have been moved. Lists have one entry a vertex unless said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinnedMesh<'a> {
    /// Its name in the archive.
    pub name: &'a str,
    /// In model space.
    pub positions: &'a [[f32; 3]],
    /// In model space; not normalised.
    pub normals: &'a [[f32; 3]],
    /// In model space, not normalised; the fourth number is the handedness. Empty if the mesh has none.
    pub tangents: &'a [[f32; 4]],
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
    /// For normals and tangents, where a joint scales unevenly.
    vector_palette: Vec<Mat4>,
    /// At a level of detail the joint that moves each; else every one itself.
    moved_by: Option<Arc<[u16]>>,
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
    /// The fourth number is the mesh's: jobs leave it alone. Empty if the mesh has none.
    tangents: Vec<[f32; 4]>,
}

/// Active targets that one job adds.
const TARGETS: usize = 16;

/// How far squared lengths and products of a matrix's columns may be off those of an even scale, as a share of the largest. A normal is
/// then off by less than a tenth of a degree, so that nothing jumps where a scale grows.
const UNEVEN: f32 = 2.0e-3;

/// True if the matrix does more to directions than turn them, mirror them and scale them all alike.
fn scales_unevenly(matrix: &Mat4) -> bool {
    let dot = |a: [f32; 4], b: [f32; 4]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let [a, b, c, _] = matrix.to_cols_array_2d();
    let [aa, bb, cc] = [dot(a, a), dot(b, b), dot(c, c)];
    let larger = |a: f32, b: f32| if a > b { a } else { b };
    let smaller = |a: f32, b: f32| if a < b { a } else { b };
    let (largest, smallest) = (larger(larger(aa, bb), cc), smaller(smaller(aa, bb), cc));
    let bound = largest * UNEVEN;
    let turned = [dot(a, b), dot(a, c), dot(b, c)].iter().all(|product| product.abs() <= bound);
    largest - smallest > bound || !turned
}

impl Vertices {
    fn of(mesh: &MeshView<'_>) -> Self {
        Self {
            positions: mesh.positions.to_vec(),
            normals: mesh.normals.to_vec(),
            tangents: mesh.tangents.to_vec(),
        }
    }

    fn inputs(&self) -> Inputs<'_> {
        inputs(&self.positions, &self.normals, &self.tangents)
    }

    fn output(&mut self) -> VertexOutput<'_> {
        VertexOutput::Separate {
            positions: StridedMut::packed(&mut self.positions),
            normals: Some(StridedMut::packed(&mut self.normals)),
            tangents: (!self.tangents.is_empty()).then(|| StridedMut::packed(&mut self.tangents)),
        }
    }
}

fn inputs<'a>(positions: &'a [[f32; 3]], normals: &'a [[f32; 3]], tangents: &'a [[f32; 4]]) -> Inputs<'a> {
    Inputs {
        positions: Strided::packed(positions),
        normals: Some(Strided::packed(normals)),
        tangents: (!tangents.is_empty()).then(|| Strided::packed(tangents)),
    }
}

/// The vertices of a mesh, or what they have become.
fn inputs_of<'a>(mesh: &MeshView<'a>, became: Option<&'a Vertices>) -> Inputs<'a> {
    became.map_or_else(|| inputs(mesh.positions, mesh.normals, mesh.tangents), Vertices::inputs)
}

/// The meshes that were made for a skeleton, with their morph targets.
pub(super) fn of(archive: &Archive, skeleton: &Skeleton) -> Result<Vec<Skin>, PlayError> {
    let mut skins: Vec<Skin> = Vec::new();
    for (name, mesh) in archive.meshes() {
        let mesh = mesh?;
        let view = mesh.view();
        if view.skeleton_identity == skeleton.identity() && view.inverse_binds.len() == skeleton.joint_count()
        {
            skins.push(Skin {
                name: name.into(),
                targets: Vec::new(),
                weights: Vec::new(),
                palette: vec![Mat4::IDENTITY; view.inverse_binds.len()],
                vector_palette: vec![Mat4::IDENTITY; view.inverse_binds.len()],
                moved_by: None,
                moved: Vertices::of(&view),
                morphed: Vertices::default(),
                spare: Vertices::default(),
                mesh,
            });
        }
    }
    for (full_name, morph) in archive.morphs() {
        let Some((mesh, its_name)) = archive.owner(SectionKind::Mesh, full_name) else { continue };
        for skin in skins.iter_mut().filter(|skin| *skin.name == *mesh) {
            skin.add_target(full_name, its_name, morph.clone()?)?;
        }
    }
    for skin in &mut skins {
        let room = |needed: bool| if needed { skin.moved.clone() } else { Vertices::default() };
        (skin.morphed, skin.spare) = (room(!skin.targets.is_empty()), room(skin.targets.len() > TARGETS));
    }
    Ok(skins)
}

impl Skin {
    fn add_target(&mut self, full_name: &str, name: &str, morph: Morph) -> Result<(), PlayError> {
        let (vertices, found) = (self.mesh.view().positions.len(), morph.view().vertex_count);
        if found != vertices {
            let reason = format!("the morph target {full_name:?} is for {found} vertices of {vertices}");
            return Err(ArchiveError::Format { offset: 0, reason }.into());
        }
        self.weights.push(morph.view().weight);
        self.targets.push((name.into(), morph));
        Ok(())
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn weights(&self) -> &[f32] {
        &self.weights
    }

    pub(super) fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    pub(super) fn target_names(&self) -> impl Iterator<Item = &str> {
        self.targets.iter().map(|(name, _)| &**name)
    }

    /// The weights of its targets: those of the clips, by their shares. `track_of` a clip and a target is the track that says so.
    pub(super) fn weigh<'a>(
        &mut self,
        track_of: impl Fn(usize, usize) -> Option<&'a Track>,
        shares: impl Iterator<Item = ClipShare> + Clone,
    ) {
        let mut weights = mem::take(&mut self.weights);
        self.weigh_into(track_of, shares, &mut weights);
        self.weights = weights;
    }

    /// The same into a list elsewhere. A clip without a track for a target stands for the target's own
    /// weight.
    pub(super) fn weigh_into<'a>(
        &self,
        track_of: impl Fn(usize, usize) -> Option<&'a Track>,
        shares: impl Iterator<Item = ClipShare> + Clone,
        weights: &mut [f32],
    ) {
        for (target, (weight, (_, morph))) in weights.iter_mut().zip(&self.targets).enumerate() {
            let own = morph.view().weight;
            let (mut sum, mut all) = (0.0, 0.0);
            for share in shares.clone() {
                let track = track_of(share.clip, target);
                let value = track.and_then(|track| track.view().sample(share.ratio).as_float());
                sum += share.weight * value.unwrap_or(own);
                all += share.weight;
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
        // Joints above come first.
        for (joint, by) in self.moved_by.iter().flat_map(|by| by.iter()).enumerate() {
            self.palette[joint] = self.palette[usize::from(*by)];
        }
        Ok(&self.palette)
    }

    pub(super) fn set_moved_by(&mut self, joints: Option<Arc<[u16]>>) {
        self.moved_by = joints;
    }

    /// Morphs, then skins.
    pub(super) fn run(&mut self, models: &[Mat4]) -> Result<(), PlayError> {
        self.palette(models)?;
        let morphed = self.morph()?;
        let view = self.mesh.view();
        let Inputs { positions, normals, tangents } = inputs_of(&view, morphed.then_some(&self.morphed));
        let job = SkinJob::new(self.mesh.influences(), &self.palette, positions, self.moved.output());
        let vector_palette = if self.palette.iter().any(scales_unevenly) {
            for (vector, matrix) in self.vector_palette.iter_mut().zip(&self.palette) {
                *vector = inverse_transpose(&Mat34::from_mat4(matrix)).to_mat4();
            }
            Some(&self.vector_palette[..])
        } else {
            None
        };
        SkinJob { normals, tangents, vector_palette, ..job }.run()?;
        Ok(())
    }

    /// Adds the active targets; false if there is none. The bits are those of one job over all targets: a
    /// target of weight 0 is left out there too, and the order is the same.
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
            let Inputs { positions, normals, tangents } = inputs_of(&view, started.then_some(&self.spare));
            let targets = MorphTargets::checked_before(&targets[..count], view.positions.len());
            let job = MorphJob::new(targets, &weights[..count], positions, self.morphed.output());
            MorphJob { normals, tangents, ..job }.run()?;
            started = true;
        }
        Ok(true)
    }

    pub(super) fn skinned(&self) -> SkinnedMesh<'_> {
        SkinnedMesh {
            name: &self.name,
            positions: &self.moved.positions,
            normals: &self.moved.normals,
            tangents: &self.moved.tangents,
            indices: self.mesh.view().indices,
        }
    }
}
