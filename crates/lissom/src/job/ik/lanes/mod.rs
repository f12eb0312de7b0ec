//! IK of many characters side by side: as many as the backend has lanes are solved at once, with the bits of each alone.
//!
//! Every kernel here is the lane-wise twin of the plain code beside it: the same operations in the same order. Where the
//! plain code chooses, both sides are computed and one is taken.

mod aim;
mod foot;
mod two_bone;

pub use aim::{AimBatchJob, AimChain};
pub use foot::{FootBatchJob, Stance};
pub use two_bone::{TwoBoneBatchJob, TwoBoneChain};

use crate::job::JobError;
use lissom_math::{Mat34, Vec3, soa::SoaMat34, soa::SoaVec3};

/// The same error of the input with this number.
fn numbered(result: Result<(), JobError>, number: usize) -> Result<(), JobError> {
    result.map_err(|error| match error {
        JobError::Value { field, value, allowed, .. } => {
            JobError::Value { field, index: number, value, allowed }
        }
        error => error,
    })
}

#[inline(always)]
fn put_matrix(to: &mut SoaMat34, lane: usize, m: &Mat34) {
    for (to, [x, y, z]) in to.columns.iter_mut().zip(m.columns) {
        (to.x.0[lane], to.y.0[lane], to.z.0[lane]) = (x, y, z);
    }
}

#[inline(always)]
fn put_vector(to: &mut SoaVec3, lane: usize, v: Vec3) {
    (to.x.0[lane], to.y.0[lane], to.z.0[lane]) = (v.x, v.y, v.z);
}
