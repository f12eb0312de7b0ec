//! Plain code on plain arrays: what jobs are compared with, bit for bit.
//!
//! Single steps are [`lissom_math::scalar`], [`Transform::to_mat34`] and [`Mat34::mul`], which are plain
//! code already and are checked against f64 themselves. Here are the walks over whole poses.

use lissom::Skeleton;
use lissom_math::{Mat34, Transform};

/// Model matrices from local transforms: model(j) = model(parent(j)) · matrix(local(j)).
///
/// # Panics
///
/// If there are fewer transforms than joints.
#[must_use]
pub fn local_to_model(skeleton: &Skeleton, locals: &[Transform]) -> Vec<Mat34> {
    let mut models: Vec<Mat34> = Vec::with_capacity(skeleton.joint_count());
    for (j, local) in locals.iter().enumerate().take(skeleton.joint_count()) {
        let local = local.to_mat34();
        models.push(skeleton.parent(j).map_or(local, |p| models[p].mul(&local)));
    }
    assert_eq!(models.len(), skeleton.joint_count(), "one transform a joint");
    models
}
