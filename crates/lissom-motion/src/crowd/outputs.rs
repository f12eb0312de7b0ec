//! What a crowd writes: matrices and palettes, a row a slot.

use super::{
    Crowd, CrowdError, Level, Member, PaletteFormat, Palettes, Space,
    palette::{self, Buffer},
};
use lissom::math::{Mat4, Mat34};

/// What a crowd writes in an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outputs {
    /// Model-space matrices. Without them less memory is written; they are written in any case where palettes are of the world,
    /// since a held pose must follow its member.
    pub models: bool,
    /// Palettes of the crowd's own; `None`: none, or those of [`Crowd::update_into`].
    pub palettes: Option<PaletteFormat>,
    /// Keeps the palettes of the frame before, for motion vectors.
    pub before: bool,
    /// What palettes are relative to.
    pub space: Space,
}

impl Default for Outputs {
    /// Matrices alone.
    fn default() -> Self {
        Self { models: true, palettes: None, before: false, space: Space::Model }
    }
}

impl Crowd {
    /// What updates write from now on.
    pub fn set_outputs(&mut self, outputs: Outputs) {
        self.outputs = outputs;
        (self.palettes, self.palettes_before) = (None, None);
        self.models.clear();
        self.make_room();
        let joints = self.rest.len();
        for row in self.models.chunks_exact_mut(joints) {
            row.copy_from_slice(&self.rest);
        }
    }

    pub(super) fn keeps_models(&self) -> bool {
        self.outputs.models || matches!(self.outputs.space, Space::World { .. })
    }

    /// A row a slot in every output.
    pub(super) fn make_room(&mut self) {
        let len = self.members.slots() * self.rest.len();
        if self.keeps_models() {
            self.models.resize(len, Mat4::IDENTITY);
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
        let origin = match self.outputs.space {
            Space::Model => [0.0; 3],
            Space::World { origin } => origin,
        };
        let place = palette::place_matrix(self.place(member)?, origin);
        let model = self.models(member)?.and_then(|models| models.get(joint));
        Ok(model.map(|model| place.mul(&Mat34::from_mat4(model))))
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
