//! Motions of one file on the skeleton of another: as they are if it is the same rig, else retargeted.

use super::{
    ImportOptions, MotionFit, OpenError,
    matching::{self, By},
};
use crate::{
    retarget,
    scene::{Fitted, Scene, SceneMesh, SceneSkeleton},
};
use std::path::Path;

/// Brings the motions of a file onto another skeleton.
pub(crate) fn bring_onto(
    path: &Path,
    scene: &mut Scene,
    (target, meshes): (&SceneSkeleton, &[SceneMesh]),
    options: &ImportOptions,
) -> Result<(), OpenError> {
    // The skeleton itself, from another file, stored in another order or with other roundings.
    if scene.skeletons.iter().all(|own| retarget::is_same_rig(&own.skeleton, &target.skeleton)) {
        let attached = matching::attach(scene, target.clone(), By::Name, MotionFit::Auto);
        return attached.map_err(|source| OpenError::Match { path: path.into(), source });
    }
    retarget::onto(scene, (target, meshes), &options.bones, options.goals)
        .map_err(|source| OpenError::Retarget { path: path.into(), source })?;
    scene.fitted = Some(Fitted::Retargeted);
    Ok(())
}
