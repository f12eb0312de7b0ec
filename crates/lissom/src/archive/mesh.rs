//! The mesh section, versions 3 and 4: counts, the skeleton, one list after another, each at a multiple of 64
//! in the section, then what the mesh was in its file.

use super::{
    ArchiveError, ArchiveView, Result, Section, SectionKind,
    layout::{ALIGNMENT, MESH_ORDERED_VERSION, MESH_SETS, MESH_VERSION},
    lists::Lists,
};
use crate::{
    bytes::{SharedBytes, SharedSlice},
    mesh::{IndexFormat, InfluenceRuns, MAX_INFLUENCES, SkinMesh, SkinMeshParts, Strided, WeightFormat},
};
use alloc::{format, string::String, sync::Arc, vec};
use lissom_math::Mat34;

/// A skinned mesh in place: every list is a slice of the archive's bytes. Lists have one entry a vertex
/// unless said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshView<'a> {
    /// [`Skeleton::identity`](crate::Skeleton::identity) of its skeleton.
    pub skeleton_identity: u64,
    /// In the space of the rest pose.
    pub positions: &'a [[f32; 3]],
    /// Unit length.
    pub normals: &'a [[f32; 3]],
    /// Unit length; the fourth number is the handedness. Empty if the mesh has none.
    pub tangents: &'a [[f32; 4]],
    /// Joints that a vertex follows, 1 to [`MAX_INFLUENCES`].
    pub per_vertex: usize,
    /// Joints of the skeleton, `per_vertex` of them a vertex; unused ones are 0.
    pub joints: &'a [u16],
    /// Of the joints; unused ones are 0.
    pub weights: &'a [f32],
    /// Three a triangle.
    pub indices: &'a [u32],
    /// One a joint of the skeleton: from mesh space to the joint's space in the bind pose.
    pub inverse_binds: &'a [Mat34],
    /// Texture coordinates, set after set; [`uv`](Self::uv) has one.
    pub uvs: &'a [[f32; 2]],
    /// Colours (linear red, green, blue, alpha), set after set; [`color`](Self::color) has one.
    pub colors: &'a [[f32; 4]],
    /// Which vertex of the source file each one is, if the mesh was laid out at import; empty if they stand
    /// as they did there. Every vertex occurs once.
    pub order: &'a [u32],
    /// The name of its material section; empty if it has none.
    pub material: &'a str,
    /// The mesh of the file that it is a part of: parts of one mesh share it, and their names do not.
    pub source: &'a str,
    /// The node of the file that it stood on.
    pub node: &'a str,
    /// What the file says beside, as JSON; empty if nothing.
    pub extras: &'a str,
}

/// A skinned mesh that keeps its archive's bytes alive; cheap to clone. Its influences are checked: weights
/// are not negative and sum to 1.
#[derive(Clone, Debug)]
pub struct Mesh {
    skeleton_identity: u64,
    positions: SharedSlice<[f32; 3]>,
    normals: SharedSlice<[f32; 3]>,
    tangents: SharedSlice<[f32; 4]>,
    per_vertex: usize,
    joints: SharedSlice<u16>,
    weights: SharedSlice<f32>,
    indices: SharedSlice<u32>,
    inverse_binds: SharedSlice<Mat34>,
    uvs: SharedSlice<[f32; 2]>,
    colors: SharedSlice<[f32; 4]>,
    order: SharedSlice<u32>,
    runs: Arc<InfluenceRuns>,
    /// Material, source, node, extras.
    texts: Arc<[String; 4]>,
}

impl Mesh {
    /// Keeps a view of these bytes, `offset` being where its section starts.
    pub(super) fn of(bytes: &SharedBytes, offset: u64, view: &MeshView<'_>) -> Result<Self> {
        let skin =
            SkinMesh::new(view.influences()).map_err(|source| ArchiveError::Mesh { offset, source })?;
        let runs = Arc::new(InfluenceRuns::of(&skin));
        let kept = || {
            Some(Self {
                skeleton_identity: view.skeleton_identity,
                positions: SharedSlice::of(bytes, view.positions)?,
                normals: SharedSlice::of(bytes, view.normals)?,
                tangents: SharedSlice::of(bytes, view.tangents)?,
                per_vertex: view.per_vertex,
                joints: SharedSlice::of(bytes, view.joints)?,
                weights: SharedSlice::of(bytes, view.weights)?,
                indices: SharedSlice::of(bytes, view.indices)?,
                inverse_binds: SharedSlice::of(bytes, view.inverse_binds)?,
                uvs: SharedSlice::of(bytes, view.uvs)?,
                colors: SharedSlice::of(bytes, view.colors)?,
                order: SharedSlice::of(bytes, view.order)?,
                runs,
                texts: Arc::new([view.material, view.source, view.node, view.extras].map(String::from)),
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
        let [material, source, node, extras] = &*self.texts;
        MeshView {
            skeleton_identity: self.skeleton_identity,
            positions: &self.positions,
            normals: &self.normals,
            tangents: &self.tangents,
            per_vertex: self.per_vertex,
            joints: &self.joints,
            weights: &self.weights,
            indices: &self.indices,
            inverse_binds: &self.inverse_binds,
            uvs: &self.uvs,
            colors: &self.colors,
            order: &self.order,
            material,
            source,
            node,
            extras,
        }
    }

    /// Joints and weights of the vertices, as a [`SkinJob`](crate::job::SkinJob) takes them, in runs; checked
    /// when the archive was opened.
    #[must_use]
    pub fn influences(&self) -> SkinMesh<'_> {
        SkinMesh::checked_before(self.view().influences()).with_checked_runs(self.runs.as_slice())
    }

    /// Vertices that follow as many joints: one run a count if the mesh was laid out for skinning.
    #[must_use]
    pub fn runs(&self) -> &InfluenceRuns {
        &self.runs
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
        let wrong = |reason| Err(ArchiveError::Format { offset: start, reason });
        if self.kind != SectionKind::Mesh {
            return wrong(format!("a {:?} section is not a mesh", self.kind));
        }
        let ordered = self.version == MESH_ORDERED_VERSION;
        if self.version != MESH_VERSION && !ordered {
            let (offset, what, found, known) = (start, "a mesh", self.version, "3 and 4");
            return Err(ArchiveError::Version { offset, what, found, known });
        }
        let mut lists = Lists::new(self, ALIGNMENT);
        let vertices = u64::from(lists.count("the count of vertices")?);
        let indices = u64::from(lists.count("the count of indices")?);
        let joints = u64::from(lists.count("the count of joints")?);
        let influences = lists.count("the count of influences")?;
        let uv_sets = lists.count("the count of sets of texture coordinates")?;
        let color_sets = lists.count("the count of sets of colours")?;
        let tangents = lists.count("whether there are tangents")?;
        let order = lists.count("whether there is an order")?;
        let skeleton_identity = lists.identity()?;
        if influences == 0 || influences as usize > MAX_INFLUENCES {
            return wrong(format!("{influences} influences a vertex; 1 to {MAX_INFLUENCES} are possible"));
        }
        if uv_sets > MESH_SETS || color_sets > MESH_SETS {
            return wrong(format!("{uv_sets} and {color_sets} sets; at most {MESH_SETS} are possible"));
        }
        if tangents > 1 || order != u32::from(ordered) {
            let must = u32::from(ordered);
            return wrong(format!("{tangents} and {order} where 0 or 1, and {must}, must stand"));
        }
        let each = |count: u32| vertices.saturating_mul(u64::from(count));
        let mesh = MeshView {
            skeleton_identity,
            positions: lists.next(vertices, "the positions")?,
            normals: lists.next(vertices, "the normals")?,
            tangents: lists.next(each(tangents), "the tangents")?,
            per_vertex: influences as usize,
            joints: lists.next(each(influences), "the joints")?,
            weights: lists.next(each(influences), "the weights")?,
            indices: lists.next(indices, "the indices")?,
            inverse_binds: lists.next(joints, "the inverse bind matrices")?,
            uvs: lists.next(each(uv_sets), "the texture coordinates")?,
            colors: lists.next(each(color_sets), "the colours")?,
            // Not even an empty list where there is none: its padding would be bytes of version 3.
            order: if ordered { lists.next(vertices, "the order")? } else { &[] },
            material: lists.text("the material's name")?,
            source: lists.text("the mesh's own name")?,
            node: lists.text("the node's name")?,
            extras: lists.text("the extras")?,
        };
        lists.end()?;
        mesh.check(start)?;
        Ok(mesh)
    }
}

impl<'a> MeshView<'a> {
    /// A set of texture coordinates, one a vertex; `None` if there are fewer sets.
    #[must_use]
    pub fn uv(&self, set: usize) -> Option<&'a [[f32; 2]]> {
        self.uvs.chunks_exact(self.positions.len().max(1)).nth(set)
    }

    /// How many sets of texture coordinates there are.
    #[must_use]
    pub fn uv_sets(&self) -> usize {
        self.uvs.len().checked_div(self.positions.len()).unwrap_or_default()
    }

    /// A set of colours, one a vertex; `None` if there are fewer sets.
    #[must_use]
    pub fn color(&self, set: usize) -> Option<&'a [[f32; 4]]> {
        self.colors.chunks_exact(self.positions.len().max(1)).nth(set)
    }

    /// How many sets of colours there are.
    #[must_use]
    pub fn color_sets(&self) -> usize {
        self.colors.len().checked_div(self.positions.len()).unwrap_or_default()
    }

    /// Joints and weights of the vertices, to be checked by [`SkinMesh::new`].
    #[must_use]
    pub fn influences(&self) -> SkinMeshParts<'a> {
        let each = self.per_vertex;
        SkinMeshParts {
            vertex_count: self.positions.len(),
            influences: each,
            indices: Strided {
                bytes: bytemuck::cast_slice(self.joints),
                stride: each.saturating_mul(size_of::<u16>()),
            },
            index_format: IndexFormat::U16,
            weights: Strided {
                bytes: bytemuck::cast_slice(self.weights),
                stride: each.saturating_mul(size_of::<f32>()),
            },
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
            ("the weights", self.weights),
            ("the inverse bind matrices", bytemuck::cast_slice(self.inverse_binds)),
            ("the texture coordinates", self.uvs.as_flattened()),
            ("the colours", self.colors.as_flattened()),
        ];
        for (what, list) in floats {
            if let Some(at) = list.iter().position(|v| !v.is_finite()) {
                return wrong(format!("number {at} of {what} is not finite"));
            }
        }
        let joints = self.inverse_binds.len();
        if let Some(joint) = self.joints.iter().find(|j| usize::from(**j) >= joints) {
            return wrong(format!("a vertex follows joint {joint} of {joints}"));
        }
        let vertices = self.positions.len();
        if let Some(index) = self.indices.iter().find(|i| **i as usize >= vertices) {
            return wrong(format!("a triangle has vertex {index} of {vertices}"));
        }
        if !self.indices.len().is_multiple_of(3) {
            return wrong(format!("{} indices are not three a triangle", self.indices.len()));
        }
        let mut seen = vec![false; self.order.len()];
        for (vertex, source) in self.order.iter().enumerate() {
            match seen.get_mut(*source as usize) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => return wrong(format!("the order has vertex {source} twice")),
                None => return wrong(format!("vertex {vertex} was vertex {source} of {vertices}")),
            }
        }
        Ok(())
    }
}
