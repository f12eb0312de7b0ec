//! Matrix palette skinning.

use super::vertices::{Vertices, methods};
use crate::job::{JobError, error::at_least, kernel::skin::skin};
use crate::mesh::{Attributes, Inputs, SkinMesh, Strided, VertexOutput};
use lissom_math::{Mat4, simd::Backend};

/// Moves a mesh's vertices with the joints they are bound to.
///
/// | field | | |
/// |---|---|---|
/// | `mesh` | in | joints and weights of every vertex, checked when it was made |
/// | `vertex_count` | in | how many vertices to move; 0 is valid |
/// | `palette` | in | joint matrix · inverse bind, at least `mesh.joint_count()`; see [`PaletteJob`](crate::job::PaletteJob) |
/// | `vector_palette` | in | inverse transposes for normals and tangents; `None`: the palette moves them too |
/// | `positions`, `normals`, `tangents` | in | three f32 a vertex at any stride |
/// | `output` | out | the same attributes, separate or interleaved |
///
/// For each vertex, with weights w and palette matrices m: M = ((m₀·w₀ + m₁·w₁) + m₂·w₂) + …, then the
/// position is ((M₀·x + M₁·y) + M₂·z) + M₃ and vectors are (M₀·x + M₁·y) + M₂·z, Mᵢ being columns; then 0 is
/// added, so that no zero is negative and an influence of weight 0 leaves no trace (if the palette is
/// finite). Vectors are not normalised. Of a tangent, x y z are moved; handedness stays where it is.
/// Bitangents follow from both: [`bitangents`](crate::mesh::bitangents).
///
/// Inverse transposes are only needed where joints scale unevenly or shear.
///
/// # Errors
///
/// - [`JobError::Mismatch`]: `vertex_count` is above the mesh's.
/// - [`JobError::TooShort`]: a palette has fewer matrices than the mesh has joints.
/// - [`JobError::Mesh`], with the [`MeshError`](crate::mesh::MeshError):
///   - `TooShort`: a buffer has less than (`vertex_count` − 1) · stride + 12 bytes.
///   - `Stride`: a stride is less than 12.
///   - `TangentsWithoutNormals`.
///   - `Unpaired`: normals or tangents without their output, or the reverse.
///   - `Interleave`: attributes of an interleaved output overlap.
///
/// Bad joint indices and weights were found when the [`SkinMesh`] was made.
///
/// # Cost and determinism
///
/// One pass (two with a vector palette). Fastest where everything is contiguous: u16 indices, f32 weights,
/// attributes of 12 bytes, each in a buffer of its own. What is not contiguous is copied on the way, 64
/// vertices at a time. Loops are made for 1 to 4 and 8 influences with the last weight restored, and for 2 to
/// 4 with all stored; neighbours with the same single joint are faster still. Where vertices stand in the
/// order of how many joints they follow, each run of them has the loop for its count:
/// [`SkinMesh::with_runs`], and meshes of archives that were imported with `--layout skinning` without
/// further ado. Where they do not, [`partition_by_influences`](crate::mesh::partition_by_influences) sorts a
/// copy, for one job a part. The same bits on every backend, for every way of splitting the vertices
/// ([`SkinJob::split_at`], `run_parallel`), and with runs or without. No allocation.
#[derive(Debug)]
pub struct SkinJob<'a> {
    /// Joints and weights.
    pub mesh: SkinMesh<'a>,
    /// How many vertices to move.
    pub vertex_count: usize,
    /// A matrix a joint, for points (and vectors).
    pub palette: &'a [Mat4],
    /// A matrix a joint, for vectors.
    pub vector_palette: Option<&'a [Mat4]>,
    /// Positions in the bind pose.
    pub positions: Strided<'a>,
    /// Normals in the bind pose.
    pub normals: Option<Strided<'a>>,
    /// Tangents in the bind pose.
    pub tangents: Option<Strided<'a>>,
    /// Where moved vertices go.
    pub output: VertexOutput<'a>,
}

impl<'a> SkinJob<'a> {
    /// Positions of all vertices of a mesh.
    #[must_use]
    pub fn new(
        mesh: SkinMesh<'a>,
        palette: &'a [Mat4],
        positions: Strided<'a>,
        output: VertexOutput<'a>,
    ) -> Self {
        Self {
            mesh,
            vertex_count: mesh.vertex_count(),
            palette,
            vector_palette: None,
            positions,
            normals: None,
            tangents: None,
            output,
        }
    }
}

methods!(SkinJob, palette, vector_palette);

impl SkinJob<'_> {
    fn check_palettes(&self) -> Result<(), JobError> {
        let joints = self.mesh.joint_count();
        at_least("palette", "matrices", self.palette.len(), joints)?;
        match self.vector_palette {
            Some(palette) => at_least("vector_palette", "matrices", palette.len(), joints),
            None => Ok(()),
        }
    }

    fn run_valid(&mut self, backend: Backend) {
        if self.vertex_count == 0 {
            return;
        }
        let [position, normal, tangent] = self.inputs().attributes();
        let (mesh, count) = (&self.mesh, self.vertex_count);
        let out = &mut self.output.writer();
        let mut pass = |palette: &[Mat4], attributes: Attributes<'_>| {
            skin(backend, mesh, bytemuck::cast_slice(palette), &attributes, count, out);
        };
        match self.vector_palette {
            None => pass(self.palette, [position, normal, tangent]),
            Some(vectors) => {
                pass(self.palette, [position, None, None]);
                if normal.is_some() {
                    pass(vectors, [None, normal, tangent]);
                }
            }
        }
    }
}
