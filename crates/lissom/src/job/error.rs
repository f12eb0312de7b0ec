//! What can be wrong with a job.

/// Why a job did not run. Its outputs are as they were.
///
/// `field` is the name of the struct field that is at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A slice is shorter than the job needs it to be.
    #[error("`{field}` holds {len} {unit}, but {needed} are needed")]
    TooShort {
        /// The slice.
        field: &'static str,
        /// What is counted: joints, groups, matrices, vertices, bytes.
        unit: &'static str,
        /// How many it holds.
        len: usize,
        /// How many it must hold.
        needed: usize,
    },
    /// A joint index that the skeleton does not have, or a range that ends before it starts.
    #[error("`{field}`: joint {joint} is out of range, there are {joints}")]
    NoSuchJoint {
        /// The field that holds the index.
        field: &'static str,
        /// The index.
        joint: usize,
        /// How many joints there are.
        joints: usize,
    },
    /// A number that must be finite, or within bounds, is not.
    #[error("`{field}`[{index}] is {value}; allowed: {allowed}")]
    Value {
        /// The field.
        field: &'static str,
        /// Which entry of it; 0 where there is one.
        index: usize,
        /// What it is.
        value: f32,
        /// What it may be, in words.
        allowed: &'static str,
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
    /// A level of detail keeps a joint but not its parent.
    #[error("the level of detail keeps joint {joint}, but not its parent {parent}")]
    LodParent {
        /// The joint.
        joint: usize,
        /// Its parent.
        parent: usize,
    },
    /// Two things that belong to different skeletons or meshes.
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
    /// A clip that was made for another skeleton.
    #[error("`{field}` was made for the skeleton {found:#018x}, not for {expected:#018x}")]
    OtherSkeleton {
        /// The field.
        field: &'static str,
        /// The identity of the skeleton it was made for.
        found: u64,
        /// The identity of the skeleton given.
        expected: u64,
    },
    /// A stream does not have a block (yet).
    #[error("block {block} of the clip is not there")]
    BlockMissing {
        /// The block.
        block: usize,
    },
    /// A skeleton's joint has no inverse in the rest pose.
    #[error("joint {joint} has a singular matrix in the rest pose: it has no inverse bind")]
    Singular {
        /// The joint.
        joint: usize,
    },
}

/// Checks that a slice is long enough.
#[inline]
pub(crate) fn at_least(
    field: &'static str,
    unit: &'static str,
    len: usize,
    needed: usize,
) -> Result<(), JobError> {
    if len < needed { too_short(field, unit, len, needed) } else { Ok(()) }
}

/// Apart, so that the way without errors only compares.
#[cold]
#[inline(never)]
fn too_short(field: &'static str, unit: &'static str, len: usize, needed: usize) -> Result<(), JobError> {
    Err(JobError::TooShort { field, unit, len, needed })
}
