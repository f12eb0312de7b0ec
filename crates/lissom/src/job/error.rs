//! What can be wrong with a job.

use super::kernel::turn::direction;
use crate::{JointLod, clip::MissingBlock, mesh::MeshError};
use lissom_math::{
    Mat34, Vec3,
    scalar::{is_finite, length},
    soa::group_count,
};

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
    /// A mix names a clip that there is not.
    #[error("`{field}`[{index}] is clip {clip}, but there are {clips}")]
    NoSuchClip {
        /// The field that holds the entry.
        field: &'static str,
        /// Which entry.
        index: usize,
        /// The clip it names.
        clip: usize,
        /// How many there are.
        clips: usize,
    },
    /// A number that must be finite, or within bounds, is not.
    #[error("`{field}`[{index}] is {value}; allowed: {allowed}")]
    Value {
        /// The field.
        field: &'static str,
        /// Which entry of it; 0 where there is one.
        index: usize,
        /// What it is; a number of f32 is exact here too.
        value: f64,
        /// What it may be, in words.
        allowed: &'static str,
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
    /// The buffers of a mesh are wrong.
    #[error(transparent)]
    Mesh(#[from] MeshError),
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

impl From<MissingBlock> for JobError {
    fn from(missing: MissingBlock) -> Self {
        Self::BlockMissing { block: missing.block }
    }
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

/// Checks that a level of detail was made for this many joints.
pub(crate) fn fits_joints(lod: Option<&JointLod>, joints: usize) -> Result<(), JobError> {
    match lod.and_then(JointLod::joint_count) {
        Some(found) if found != joints => {
            Err(JobError::Mismatch { field: "lod", unit: "joints", found, expected: joints })
        }
        _ => Ok(()),
    }
}

/// The same where only the number of groups is known.
pub(crate) fn fits_groups(lod: Option<&JointLod>, groups: usize) -> Result<(), JobError> {
    match lod.and_then(JointLod::joint_count).map(group_count) {
        Some(found) if found != groups => {
            Err(JobError::Mismatch { field: "lod", unit: "groups", found, expected: groups })
        }
        _ => Ok(()),
    }
}

/// Checks every number of a matrix.
pub(crate) fn finite_matrix(field: &'static str, m: &Mat34) -> Result<(), JobError> {
    if m.is_finite() {
        return Ok(());
    }
    m.columns.as_flattened().iter().try_for_each(|v| finite_number(field, *v))
}

/// Checks every number of a vector.
pub(crate) fn finite_vector(field: &'static str, v: Vec3) -> Result<(), JobError> {
    if is_finite(v) { Ok(()) } else { v.to_array().iter().try_for_each(|v| finite_number(field, *v)) }
}

/// Checks that a vector is finite and not (nearly) of length 0.
pub(crate) fn has_direction(field: &'static str, v: Vec3) -> Result<(), JobError> {
    finite_vector(field, v)?;
    if direction(v).is_some() {
        return Ok(());
    }
    let allowed = "vectors with a direction";
    Err(JobError::Value { field, index: 0, value: f64::from(length(v)), allowed })
}

/// Checks that a number is one.
pub(crate) fn finite_number(field: &'static str, value: f32) -> Result<(), JobError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(JobError::Value { field, index: 0, value: f64::from(value), allowed: "finite numbers" })
}

/// Checks that a number is finite and not below 0.
pub(crate) fn not_below_0(field: &'static str, index: usize, value: f32) -> Result<(), JobError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(JobError::Value { field, index, value: value.into(), allowed: "finite numbers, not below 0" })
}
