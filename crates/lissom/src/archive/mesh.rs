//! The mesh section, version 2: counts, the skeleton, then one list after another, each at a multiple of 64 in the
//! section.

use super::{
    ArchiveError, ArchiveView, Result, Section, SectionKind,
    layout::{ALIGNMENT, MESH_VERSION},
    lists::Lists,
};
use crate::{
    bytes::{SharedBytes, SharedSlice},
    mesh::{IndexFormat, SkinMesh, SkinMeshParts, Strided, WeightFormat},
};
use alloc::format;
use lissom_math::Mat34;

/// A skinned mesh in place: every list is a slice of the archive's bytes. Lists have one entry a vertex unless
/// said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshView<'a> {
    /// [`Skeleton::identity`](crate::Skeleton::identity) of its skeleton.
    pub skeleton_identity: u64,
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

/// A skinned mesh that keeps its archive's bytes alive; cheap to clone. Its influences are checked: weights are not
/// negative and sum to 1.
#[derive(Clone, Debug)]
pub struct Mesh {
    skeleton_identity: u64,
    positions: SharedSlice<[f32; 3]>,
    normals: SharedSlice<[f32; 3]>,
    tangents: SharedSlice<[f32; 4]>,
    joints: SharedSlice<[u16; 4]>,
    weights: SharedSlice<[f32; 4]>,
    indices: SharedSlice<u32>,
    inverse_binds: SharedSlice<Mat34>,
}

impl Mesh {
    /// Keeps a view of these bytes, `offset` being where its section starts.
    pub(super) fn of(bytes: &SharedBytes, offset: u64, view: &MeshView<'_>) -> Result<Self> {
        SkinMesh::new(view.influences()).map_err(|source| ArchiveError::Mesh { offset, source })?;
        let kept = || {
            Some(Self {
                skeleton_identity: view.skeleton_identity,
                positions: SharedSlice::of(bytes, view.positions)?,
                normals: SharedSlice::of(bytes, view.normals)?,
                tangents: SharedSlice::of(bytes, view.tangents)?,
                joints: SharedSlice::of(bytes, view.joints)?,
                weights: SharedSlice::of(bytes, view.weights)?,
                indices: SharedSlice::of(bytes, view.indices)?,
                inverse_binds: SharedSlice::of(bytes, view.inverse_binds)?,
            })
        };
        kept().ok_or_else(|| ArchiveError::Format {
            offset,
            reason: "the bytes moved while they were read".into(),
        })
    }

    /// The mesh as jobs take it.
    #[must_use]
    pub fn view(&self) -> MeshView<'_> {
        MeshView {
            skeleton_identity: self.skeleton_identity,
            positions: &self.positions,
            normals: &self.normals,
            tangents: &self.tangents,
            joints: &self.joints,
            weights: &self.weights,
            indices: &self.indices,
            inverse_binds: &self.inverse_binds,
        }
    }

    /// Joints and weights of the vertices, as a [`SkinJob`](crate::job::SkinJob) takes them; checked when the archive
    /// was opened.
    #[must_use]
    pub fn influences(&self) -> SkinMesh<'_> {
        SkinMesh::checked_before(self.view().influences())
    }
}

impl<'a> ArchiveView<'a> {
    /// The mesh of this name, in place.
    ///
    /// # Errors
    ///
    /// [`ArchiveError::Missing`], or what is wrong with it.
    pub fn mesh(&self, name: &str) -> Result<MeshView<'a>> {
        self.find(SectionKind::Mesh, name)?.mesh()
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
        if self.version != MESH_VERSION {
            let (offset, what, found, known) = (start, "a mesh", self.version, "2");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut lists = Lists::new(self, ALIGNMENT);
        let vertices = u64::from(lists.count("the count of vertices")?);
        let indices = u64::from(lists.count("the count of indices")?);
        let joints = u64::from(lists.count("the count of joints")?);
        let skeleton_identity = lists.identity(self.offset)?;
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

impl<'a> MeshView<'a> {
    /// Joints and weights of the vertices, to be checked by [`SkinMesh::new`].
    #[must_use]
    pub fn influences(&self) -> SkinMeshParts<'a> {
        SkinMeshParts {
            vertex_count: self.positions.len(),
            influences: 4,
            indices: Strided::packed(self.joints),
            index_format: IndexFormat::U16,
            weights: Strided::packed(self.weights),
            weight_format: WeightFormat::F32,
            explicit_last: true,
            joint_count: self.inverse_binds.len(),
        }
    }

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
