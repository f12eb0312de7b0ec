//! What inputs of one archive have in common: a skeleton that one has and others need, a mesh that several bring.

use super::{Input, InputError, file::Read};
use crate::{
    import::{self, OpenError},
    scene::{SceneMesh, SceneSkeleton},
};
use std::collections::BTreeMap;

/// Motions whose file has no skeleton take the first of the other files that has as many joints.
pub(super) fn lend_skeletons(inputs: &[Input<'_>], read: &mut [Result<Read, InputError>]) {
    let has_none = |r: &Read| r.file.scene.animations.iter().any(|a| a.skeleton.is_none());
    let there = read.iter().flatten().filter(|r| !has_none(r)).flat_map(|r| r.file.lends.iter().cloned());
    let there: Vec<SceneSkeleton> = there.collect();
    let Some(first) = there.first() else { return };
    for (input, read) in inputs.iter().zip(read) {
        let Ok(lone) = read.as_mut() else { continue };
        let Some(motion) =
            lone.file.scene.animations.iter().find(|a| a.skeleton.is_none()).map(|a| &a.motion)
        else {
            continue;
        };
        let fits = there.iter().find(|s| s.skeleton.joints.len() == motion.tracks.len());
        if let Err(source) = import::lend(&mut lone.file.scene, fits.unwrap_or(first)) {
            *read = Err(OpenError::Match { path: input.name().to_owned(), source }.into());
        }
    }
}

/// A mesh that an earlier file brought for the same skeleton is left out: animation files often carry the character
/// along. Tracks of its weights belong to the one that stays.
pub(super) fn drop_copies(read: &mut [Result<Read, InputError>]) {
    let mut kept: BTreeMap<String, (SceneSkeleton, SceneMesh)> = BTreeMap::new();
    for read in read.iter_mut().flatten() {
        let scene = &mut read.file.scene;
        let skeletons = &scene.skeletons;
        let is_copy = |mesh: &SceneMesh| {
            let known = kept.get(&mesh.mesh.name).zip(skeletons.get(mesh.skeleton));
            known.is_some_and(|((skeleton, first), own)| {
                skeleton.skeleton == own.skeleton
                    && first.mesh.indices == mesh.mesh.indices
                    && first.mesh.positions.len() == mesh.mesh.positions.len()
                    && first.morphs.len() == mesh.morphs.len()
            })
        };
        let before = scene.meshes.len();
        let (copies, own): (Vec<_>, Vec<_>) =
            std::mem::take(&mut scene.meshes).into_iter().partition(is_copy);
        for mesh in &own {
            if let Some(skeleton) = skeletons.get(mesh.skeleton) {
                kept.entry(mesh.mesh.name.clone()).or_insert_with(|| (skeleton.clone(), mesh.clone()));
            }
        }
        scene.meshes = own;
        if before > 0 && copies.len() == before {
            scene.materials.clear();
            scene.images.clear();
        }
    }
}
