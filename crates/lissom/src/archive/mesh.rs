//! The mesh section, versions 1 and 2: counts, since version 2 the skeleton, then one list after another, each at a multiple of 64 in the section.

use super::{
    Archive, ArchiveError, Result, Section, SectionKind,
    layout::{ALIGNMENT, MESH_VERSION},
    lists::Lists,
};
use alloc::format;
use lissom_math::Mat34;

/// A skinned mesh in place: every list is a slice of the archive's bytes. Lists have one entry a vertex unless
/// said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshView<'a> {
    /// [`Skeleton::identity`](crate::Skeleton::identity) of its skeleton; `None` in a file of version 1, which does
    /// not say.
    pub skeleton_identity: Option<u64>,
    /// In the space of the rest pose.
    pub positions: &'a [[f32; 3]],
    /// Unit length.
    pub normals: &'a [[f32; 3]],
    /// Unit length; the fourth number is the handedness.
    pub tangents: &'a [[f32; 4]],
    /// Joints of the skeleton.
    pub joints: &'a [[u16; 4]],
    /// Of the joints.
    pub weights: &'a [[f32; 4]],
    /// Three a triangle.
    pub indices: &'a [u32],
    /// One a joint of the skeleton: from mesh space to the joint's space in the bind pose.
    pub inverse_binds: &'a [Mat34],
}

impl<'a> Archive<'a> {
    /// The mesh of this name, or the first one, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn mesh(&self, name: Option<&str>) -> Result<MeshView<'a>> {
        match name {
            Some(name) => self.find(SectionKind::Mesh, name)?.mesh(),
            None => self.first(SectionKind::Mesh)?.mesh(),
        }
    }
}

impl<'a> Section<'a> {
    /// The mesh that this section holds, checked: finite numbers, joints and vertices that exist.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Format`] if the section is of another kind; [`ArchiveError::Alignment`] if the archive
    /// does not start at a multiple of 4 in memory; otherwise what is wrong with it.
    pub fn mesh(&self) -> Result<MeshView<'a>> {
        let start = self.offset;
        if self.kind != SectionKind::Mesh {
            let reason = format!("a {:?} section is not a mesh", self.kind);
            return Err(ArchiveError::Format { offset: start, reason });
        }
        if !(1..=MESH_VERSION).contains(&self.version) {
            let (offset, what, found, known) = (start, "a mesh", self.version, "1 and 2");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut lists = Lists::new(self, ALIGNMENT);
        let vertices = u64::from(lists.count("the count of vertices")?);
        let indices = u64::from(lists.count("the count of indices")?);
        let joints = u64::from(lists.count("the count of joints")?);
        let skeleton_identity = if self.version > 1 { Some(lists.identity(self.offset)?) } else { None };
        let mesh = MeshView {
            skeleton_identity,
            positions: lists.next(vertices, "the positions")?,
            normals: lists.next(vertices, "the normals")?,
            tangents: lists.next(vertices, "the tangents")?,
            joints: lists.next(vertices, "the joints")?,
            weights: lists.next(vertices, "the weights")?,
            indices: lists.next(indices, "the indices")?,
            inverse_binds: lists.next(joints, "the inverse bind matrices")?,
        };
        lists.end()?;
        mesh.check(start)?;
        Ok(mesh)
    }
}

impl MeshView<'_> {
    fn check(&self, offset: u64) -> Result<()> {
        let wrong = |reason| Err(ArchiveError::Format { offset, reason });
        let floats = [
            ("the positions", self.positions.as_flattened()),
            ("the normals", self.normals.as_flattened()),
            ("the tangents", self.tangents.as_flattened()),
            ("the weights", self.weights.as_flattened()),
            ("the inverse bind matrices", bytemuck::cast_slice(self.inverse_binds)),
        ];
        for (what, list) in floats {
            if let Some(at) = list.iter().position(|v| !v.is_finite()) {
                return wrong(format!("number {at} of {what} is not finite"));
            }
        }
        let joints = self.inverse_binds.len();
        if let Some(joint) = self.joints.as_flattened().iter().find(|j| usize::from(**j) >= joints) {
            return wrong(format!("a vertex follows joint {joint} of {joints}"));
        }
        let vertices = self.positions.len();
        if let Some(index) = self.indices.iter().find(|i| **i as usize >= vertices) {
            return wrong(format!("a triangle has vertex {index} of {vertices}"));
        }
        if !self.indices.len().is_multiple_of(3) {
            return wrong(format!("{} indices are not three a triangle", self.indices.len()));
        }
        Ok(())
    }
}
