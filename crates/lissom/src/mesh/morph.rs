//! Morph targets: sparse differences to a mesh.

use super::error::MeshError;

/// One morph target: the vertices it moves, and by how much.
#[derive(Clone, Copy, Debug)]
pub struct MorphTarget<'a> {
    /// Vertices, in rising order.
    pub vertices: &'a [u32],
    /// What is added to the position, one for each of `vertices`.
    pub positions: &'a [[f32; 3]],
    /// What is added to the normal; empty for nothing.
    pub normals: &'a [[f32; 3]],
    /// What is added to the tangent; empty for nothing.
    pub tangents: &'a [[f32; 3]],
}

/// Morph targets of a mesh, checked: vertices rise and exist, every target has its deltas.
#[derive(Clone, Copy, Debug)]
pub struct MorphTargets<'a> {
    targets: &'a [MorphTarget<'a>],
    vertex_count: usize,
}

impl<'a> MorphTargets<'a> {
    /// Checks the targets, once.
    ///
    /// # Errors
    ///
    /// - [`MeshError::TooShort`]: a target has fewer position deltas than vertices, or some normal or tangent
    ///   deltas but not one for each vertex.
    /// - [`MeshError::MorphVertex`]: a vertex does not come after the one before it, or there is no such
    ///   vertex.
    pub fn new(targets: &'a [MorphTarget<'a>], vertex_count: usize) -> Result<Self, MeshError> {
        for (target, t) in targets.iter().enumerate() {
            let needed = t.vertices.len();
            let fields = [
                ("positions", t.positions, false),
                ("normals", t.normals, true),
                ("tangents", t.tangents, true),
            ];
            for (field, deltas, optional) in fields {
                if deltas.len() < needed && !(optional && deltas.is_empty()) {
                    return Err(MeshError::TooShort { field, unit: "deltas", len: deltas.len(), needed });
                }
            }
            let mut next = 0;
            for (delta, vertex) in t.vertices.iter().enumerate() {
                let vertex = *vertex as usize;
                if vertex < next || vertex >= vertex_count {
                    return Err(MeshError::MorphVertex { target, delta, vertex, vertices: vertex_count });
                }
                next = vertex + 1;
            }
        }
        Ok(Self { targets, vertex_count })
    }

    /// From targets that were checked before and have not changed since.
    pub(crate) fn checked_before(targets: &'a [MorphTarget<'a>], vertex_count: usize) -> Self {
        Self { targets, vertex_count }
    }

    /// The targets.
    #[must_use]
    pub fn targets(&self) -> &'a [MorphTarget<'a>] {
        self.targets
    }

    /// Vertices of the mesh.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }
}
