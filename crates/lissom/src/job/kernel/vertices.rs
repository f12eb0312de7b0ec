//! What both kinds of skinning read and write.

use super::super::JobError;
use crate::mesh::{Inputs, SkinMesh, VertexOutput};

/// The vertices of a skinning job.
pub(crate) struct Vertices<'a> {
    pub mesh: SkinMesh<'a>,
    /// How many of the mesh's to move.
    pub count: usize,
    pub inputs: Inputs<'a>,
    pub output: VertexOutput<'a>,
}

impl Vertices<'_> {
    /// Checks that the mesh has so many vertices and that the buffers hold them.
    pub fn check(
        mesh: &SkinMesh<'_>,
        count: usize,
        inputs: &Inputs<'_>,
        output: &VertexOutput<'_>,
    ) -> Result<(), JobError> {
        let found = mesh.vertex_count();
        if count > found {
            return Err(JobError::Mismatch { field: "mesh", unit: "vertices", found, expected: count });
        }
        inputs.validate(count, output)?;
        Ok(())
    }

    /// The first `vertices` vertices, and the others: disjoint bytes.
    pub fn split_at(self, vertices: usize) -> (Self, Self) {
        let at = vertices.min(self.count);
        let (first, second) = self.output.split_at(at);
        let Inputs { positions, normals, tangents } = self.inputs;
        let rest = Inputs {
            positions: positions.skip(at),
            normals: normals.map(|n| n.skip(at)),
            tangents: tangents.map(|t| t.skip(at)),
        };
        (
            Self { mesh: self.mesh.slice(0..at), count: at, inputs: self.inputs, output: first },
            Self {
                mesh: self.mesh.slice(at..self.count),
                count: self.count - at,
                inputs: rest,
                output: second,
            },
        )
    }
}
