//! What can be wrong with a mesh.

/// Why buffers are not a mesh's, or cannot hold what is written to them.
///
/// `field` is the name of the struct field that is at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A slice is shorter than it must be.
    #[error("`{field}` holds {len} {unit}, but {needed} are needed")]
    TooShort {
        /// The slice.
        field: &'static str,
        /// What is counted: bytes, deltas, matrices, weights.
        unit: &'static str,
        /// How many it holds.
        len: usize,
        /// How many it must hold.
        needed: usize,
    },
    /// A stride that makes elements overlap.
    #[error("`{field}`: a stride of {stride} bytes is less than the {element} bytes of one element")]
    Stride {
        /// The buffer.
        field: &'static str,
        /// Its stride in bytes.
        stride: usize,
        /// The size of one element in bytes.
        element: usize,
    },
    /// An input without its output, or an output without its input.
    #[error("`{present}` is given, but `{missing}` is not")]
    Unpaired {
        /// The one that is there.
        present: &'static str,
        /// The one that must be there too.
        missing: &'static str,
    },
    /// Tangents without normals.
    #[error("tangents are given without normals: pass them as normals, they are moved the same way")]
    TangentsWithoutNormals,
    /// Two attributes of an interleaved vertex share bytes, or one reaches beyond the stride.
    #[error(
        "`{field}`: bytes {offset}..{end} of a vertex of {stride} bytes overlap another attribute or its end"
    )]
    Interleave {
        /// The attribute.
        field: &'static str,
        /// Where it starts in the vertex.
        offset: usize,
        /// Where it ends.
        end: usize,
        /// Bytes of a vertex.
        stride: usize,
    },
    /// A mesh without influences, or with more than there can be.
    #[error("{influences} influences a vertex; there can be 1 to {max}")]
    Influences {
        /// How many were asked for.
        influences: usize,
        /// The most there can be.
        max: usize,
    },
    /// A vertex names a joint that the palette does not have.
    #[error("vertex {vertex}, influence {influence}: joint {joint} is out of range, there are {joints}")]
    VertexJoint {
        /// The vertex.
        vertex: usize,
        /// Which of its influences.
        influence: usize,
        /// The joint it names.
        joint: usize,
        /// How many there are.
        joints: usize,
    },
    /// A vertex's weights are negative, not finite, or do not sum to 1.
    #[error("vertex {vertex}: its weights sum to {sum} or one is negative or not finite; they must sum to 1")]
    VertexWeights {
        /// The vertex.
        vertex: usize,
        /// What they sum to.
        sum: f32,
    },
    /// A morph delta names a vertex that the mesh does not have, or deltas are not in rising order of vertex.
    #[error(
        "morph target {target}, delta {delta}: vertex {vertex} is out of order or out of range ({vertices} vertices)"
    )]
    MorphVertex {
        /// The target.
        target: usize,
        /// Which of its deltas.
        delta: usize,
        /// The vertex it names.
        vertex: usize,
        /// How many there are.
        vertices: usize,
    },
    /// Two things that belong to different meshes.
    #[error("`{field}` is made for {found} {unit}, but there are {expected}")]
    Mismatch {
        /// The field.
        field: &'static str,
        /// What is counted.
        unit: &'static str,
        /// How many it is made for.
        found: usize,
        /// How many there are.
        expected: usize,
    },
}

/// Checks that a slice is long enough.
pub(crate) fn at_least(
    field: &'static str,
    unit: &'static str,
    len: usize,
    needed: usize,
) -> Result<(), MeshError> {
    if len < needed { Err(MeshError::TooShort { field, unit, len, needed }) } else { Ok(()) }
}
