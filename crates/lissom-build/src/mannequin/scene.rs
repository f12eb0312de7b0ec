//! The mannequin as a scene: as it was made, and as a game has it.

use super::{Detail, DetailError, GRAPH, GRAPH_MOTIONS, Motion, clip, graph, markers, mesh, skeleton};
use crate::{
    mesh::material::Material,
    raw::{ExtractedRoot, RawEditError, RootMotionRule},
    scene::{Scene, SceneAnimation, SceneGraph, SceneMesh, SceneSkeleton},
};

/// Why there is no scene.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MannequinError {
    /// The skin cannot be made so.
    #[error(transparent)]
    Detail(#[from] DetailError),
    /// A motion cannot be taken in place: the mannequin is broken.
    #[error(transparent)]
    Edit(#[from] RawEditError),
}

/// Skeleton, skin and these motions, which go where they lead; to be edited, or exported.
///
/// # Errors
///
/// If the detail is outside its range.
pub fn scene(motions: &[Motion], detail: &Detail) -> Result<Scene, DetailError> {
    let animation = |motion: &Motion| SceneAnimation {
        skeleton: Some(0),
        motion: clip(*motion),
        markers: markers(*motion),
        ..SceneAnimation::default()
    };
    Ok(Scene {
        name: "mannequin".into(),
        skeletons: vec![SceneSkeleton {
            name: "mannequin".into(),
            skeleton: skeleton(),
            ..Default::default()
        }],
        animations: motions.iter().map(animation).collect(),
        meshes: vec![SceneMesh { mesh: mesh(detail)?, material: Some(0), ..Default::default() }],
        materials: vec![Material {
            name: "plaster".into(),
            base_color: [0.69, 0.64, 0.56, 1.0],
            metallic: 0.0,
            roughness: 0.75,
            ..Material::default()
        }],
        ..Scene::default()
    })
}

/// The same as a game has it, for [`cook_scene`](crate::pipeline::cook_scene): motions in place ([`animation`]), and the graph if all that it plays is
/// there.
///
/// # Errors
///
/// If the detail is outside its range.
pub fn game_scene(motions: &[Motion], detail: &Detail) -> Result<Scene, MannequinError> {
    let whole = GRAPH_MOTIONS.iter().all(|motion| motions.contains(motion));
    let own = || SceneGraph { name: GRAPH.into(), parts: graph() };
    Ok(Scene {
        animations: motions.iter().map(|motion| animation(*motion)).collect::<Result<_, _>>()?,
        graphs: whole.then(own).into_iter().collect(),
        ..scene(&[], detail)?
    })
}

/// A motion as a game plays it, with its markers: where it leads is taken off the root into tracks beside the clip, so that it
/// moves in place and the character goes.
///
/// # Errors
///
/// None, but for a mannequin that is broken.
pub fn animation(motion: Motion) -> Result<SceneAnimation, RawEditError> {
    let ExtractedRoot { motion: clip, tracks } =
        clip(motion).root_motion(&skeleton(), 0, &RootMotionRule::default())?;
    let markers = markers(motion);
    Ok(SceneAnimation {
        skeleton: Some(0),
        motion: clip,
        tracks: tracks.into(),
        markers,
        ..Default::default()
    })
}
