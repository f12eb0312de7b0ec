//! What a crowd writes: matrices and palettes, a row a slot.

use super::{
    Crowd, CrowdError, Level, Member, PaletteFormat, Palettes, Space,
    error::{same_length, value},
    palette::{self, Buffer},
    played_clip::MAX_PLAYED_CLIPS,
};
use alloc::vec::Vec;
use lissom::{
    job::{Attachment, Mix},
    math::{Mat4, Mat34},
    mesh::{Aabb, JointBounds},
};

/// What a crowd writes in an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outputs {
    /// Model-space matrices. Without them less memory is written; they are written in any case where palettes are of the world,
    /// since a held pose must follow its member, or poses move ([`Outputs::between`]).
    pub models: bool,
    /// Palettes of the crowd's own; `None`: none, or those of [`Crowd::update_into`].
    pub palettes: Option<PaletteFormat>,
    /// Keeps the palettes of the frame before, for motion vectors.
    pub before: bool,
    /// What palettes are relative to.
    pub space: Space,
    /// Members that are not posed in every update move from pose to pose, in a straight line, matrix by matrix; the pose of their
    /// turn is reached with the last update before the next one. It takes as much memory as model-space matrices once more, which are then
    /// written, too.
    pub between: bool,
    /// Weights of the morph targets of the skeleton's meshes.
    pub morphs: bool,
    /// What members play, as functions of time ([`Crowd::mixes`]), for whoever poses them elsewhere. The crowd then decides and poses
    /// nobody: of the other outputs morph weights alone are written, hooks are not called, and [`Crowd::pose_of`] poses one member when it
    /// is asked.
    pub mixes: bool,
}

/// Scratch memory for [`Crowd::bounds`]; made once and used again.
#[derive(Clone, Debug, Default)]
pub struct BoundsScratch(Vec<Mat4>);

impl Default for Outputs {
    /// Matrices alone.
    fn default() -> Self {
        Self {
            models: true,
            palettes: None,
            before: false,
            space: Space::Model,
            between: false,
            morphs: false,
            mixes: false,
        }
    }
}

impl Crowd {
    /// What updates write from now on.
    pub fn set_outputs(&mut self, outputs: Outputs) {
        self.outputs = outputs;
        if outputs.mixes {
            let Outputs { morphs, mixes, .. } = outputs;
            self.outputs = Outputs { models: false, morphs, mixes, ..Outputs::default() };
        }
        (self.palettes, self.palettes_before) = (None, None);
        self.models.clear();
        self.targets.clear();
        self.morphs.clear();
        self.mixes.clear();
        self.members.cares.iter_mut().for_each(|care| care.turn.arrive());
        self.resize_outputs();
        let joints = self.rest.len();
        for row in self.models.chunks_exact_mut(joints) {
            row.copy_from_slice(&self.rest);
        }
    }

    pub(super) fn keeps_models(&self) -> bool {
        let Outputs { models, space, between, .. } = self.outputs;
        models || between || matches!(space, Space::World { .. })
    }

    /// A row a slot in every output.
    pub(super) fn resize_outputs(&mut self) {
        let len = self.members.slots() * self.rest.len();
        if self.keeps_models() {
            self.models.resize(len);
        }
        if self.outputs.between {
            self.targets.resize(len);
        }
        if self.outputs.morphs {
            let own = &self.own_morphs;
            let first = if own.is_empty() { 0 } else { self.morphs.len() / own.len() };
            (first..self.members.slots()).for_each(|_| self.morphs.extend_from_slice(own));
        }
        if self.outputs.mixes {
            let graphs = || self.casts.iter().map(|cast| &cast.graph);
            let most = graphs().map(|graph| graph.most_entries()).fold(MAX_PLAYED_CLIPS, usize::max);
            let layers = graphs().map(|graph| graph.layers.len()).fold(1, usize::max);
            self.mixes.resize(self.members.slots(), most.clamp(1, Mix::MAX_ENTRIES), layers);
        }
        let Outputs { palettes, before, .. } = self.outputs;
        let buffers =
            [(&mut self.palettes, palettes), (&mut self.palettes_before, palettes.filter(|_| before))];
        for (buffer, format) in buffers {
            if let Some(format) = format {
                buffer.get_or_insert_with(|| Buffer::new(format, 0)).resize(len);
            }
        }
    }

    /// The model-space matrices of a member, one a joint; `None` where they are not written.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn models(&self, member: Member) -> Result<Option<&[Mat4]>, CrowdError> {
        let (at, joints) = (self.members.find(member)?, self.rest.len());
        Ok(self.models.get(at * joints..(at + 1) * joints))
    }

    /// Where a joint of a member is in the world, about the origin of palettes, for what it carries; `None` where matrices are not
    /// written or there is no such joint.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn joint(&self, member: Member, joint: usize) -> Result<Option<Mat34>, CrowdError> {
        let place = self.place_matrix(member)?;
        let model = self.models(member)?.and_then(|models| models.get(joint));
        Ok(model.map(|model| place.mul(&Mat34::from_mat4(model))))
    }

    /// Where things that members carry are, in the order of the list: [`Attachment`] as for one, in the space of [`Crowd::joint`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; matrices that are not written, or a joint that there is not; another number of places than of things.
    /// Nothing has then been written.
    pub fn attach(&self, things: &[(Member, Attachment)], places: &mut [Mat34]) -> Result<(), CrowdError> {
        same_length("places", places.len(), things.len())?;
        for (member, thing) in things {
            self.models_of(*member)?
                .get(thing.joint)
                .ok_or_else(|| value("joint", thing.joint as f64, "a joint of the skeleton"))?;
        }
        for ((member, thing), place) in things.iter().zip(places) {
            let world = self.place_matrix(*member)?;
            // Checked above.
            *place = thing.place(self.models_of(*member)?, Some(&world)).unwrap_or(world);
        }
        Ok(())
    }

    /// Boxes around members, in the space of palettes: no vertex of the mesh that `bounds` was made of is outside, if palettes are those of
    /// this mesh. Without vertices there is no box. Morph targets count by the weights of the mesh of this number, where they are written
    /// and `bounds` knows as many.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; matrices that are not written; another number of boxes than of members; bounds of another skeleton.
    pub fn bounds(
        &self,
        members: &[Member],
        mesh: usize,
        bounds: &JointBounds,
        scratch: &mut BoundsScratch,
        boxes: &mut [Option<Aabb>],
    ) -> Result<(), CrowdError> {
        same_length("boxes", boxes.len(), members.len())?;
        members.iter().try_for_each(|member| self.models_of(*member).map(|_| ()))?;
        for (member, out) in members.iter().zip(boxes) {
            let care = &self.members.cares[member.index()];
            let level = care.level.checked_sub(1).and_then(|level| self.levels.get(usize::from(level)));
            let place = match self.outputs.space {
                Space::Model => None,
                Space::World { .. } => Some(self.place_matrix(*member)?),
            };
            let (models, binds) = (self.models_of(*member)?, level.map_or(&self.binds, |level| &level.binds));
            scratch.0.clear();
            scratch.0.extend(binds.iter().enumerate().map(|(joint, bind)| {
                let from = level.map_or(joint, |level| usize::from(level.joints[joint]));
                let skin = Mat34::from_mat4(&models[from]).mul(&palette::matrix(bind));
                place.as_ref().map_or(skin, |place| place.mul(&skin)).to_mat4()
            }));
            *out = bounds.linear(&scratch.0, self.morph_weights(*member, mesh)?).map_err(CrowdError::from)?;
        }
        Ok(())
    }

    /// The weights of the morph targets of a member's mesh, in file order: none where they are not written. The mesh by its place
    /// in [`Crowd::mesh_names`]; one that is not there has no targets.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn morph_weights(&self, member: Member, mesh: usize) -> Result<&[f32], CrowdError> {
        let first = self.members.find(member)? * self.own_morphs.len();
        let Some(end) = self.morph_ends.get(mesh) else { return Ok(&[]) };
        let start = mesh.checked_sub(1).map_or(0, |before| self.morph_ends[before]);
        Ok(self.morphs.get(first + start..first + end).unwrap_or_default())
    }

    /// All of them, as many a slot as the meshes have targets, mesh after mesh.
    #[must_use]
    pub fn all_morph_weights(&self) -> &[f32] {
        &self.morphs
    }

    fn models_of(&self, member: Member) -> Result<&[Mat4], CrowdError> {
        self.models(member)?.ok_or(CrowdError::NotWritten { what: "matrices" })
    }

    fn place_matrix(&self, member: Member) -> Result<Mat34, CrowdError> {
        let origin = match self.outputs.space {
            Space::Model => [0.0; 3],
            Space::World { origin } => origin,
        };
        Ok(palette::place_matrix(self.place(member)?, origin))
    }

    /// All of them, as many a slot as there are joints; empty where they are not written.
    #[must_use]
    pub fn all_models(&self) -> &[Mat4] {
        &self.models
    }

    /// The palette of a member; `None` where the crowd has none of its own.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn palette(&self, member: Member) -> Result<Option<Palettes<'_>>, CrowdError> {
        let at = self.members.find(member)?;
        Ok(self.palettes().and_then(|all| all.row(at, self.rest.len())))
    }

    /// All palettes, ready for upload; `None` where the crowd has none of its own.
    #[must_use]
    pub fn palettes(&self) -> Option<Palettes<'_>> {
        self.palettes.as_ref().map(Buffer::view)
    }

    /// Those of the frame before, where they are kept. Of somebody new they are anything.
    #[must_use]
    pub fn palettes_before(&self) -> Option<Palettes<'_>> {
        self.palettes_before.as_ref().map(Buffer::view)
    }

    /// The matrices that palettes are made with, one a joint: those of another mesh.
    ///
    /// # Errors
    ///
    /// Another number than the skeleton has joints.
    pub fn set_inverse_binds(&mut self, binds: &[Mat34]) -> Result<(), CrowdError> {
        let (found, needed) = (binds.len(), self.rest.len());
        if found != needed {
            return Err(CrowdError::Length { field: "binds", what: "matrices", found, needed });
        }
        self.binds = binds.iter().map(palette::rows).collect();
        for level in &mut self.levels {
            *level = Level::new(level.lod.clone(), self.body.skeleton(), &self.binds);
        }
        Ok(())
    }
}
