//! Everything in a scene on another skeleton.

use super::{BoneNames, Goals, Retarget, RetargetError, with_meshes};
use crate::{
    raw::{RawJoint, RawSkeleton, RawUserTrack, UserKey},
    scene::{Scene, SceneMesh, SceneSkeleton},
};
use lissom::track::ROOT_TRACKS;
use std::collections::BTreeMap;

/// Keys are at most so far apart.
const RATE_HZ: f64 = 30.0;

/// Brings the motions of a scene onto a skeleton, and leaves what moved the others behind. What was not matched is told as warnings. A scene
/// that has the skeleton already is left alone. `meshes` are those that follow the skeleton in its own file: they tell where limbs end
/// that have no joint there.
///
/// # Errors
///
/// [`RetargetError`], for the first skeleton that has motions and is no human.
pub fn onto(
    scene: &mut Scene,
    (target, meshes): (&SceneSkeleton, &[SceneMesh]),
    bones: &BoneNames,
    goals: Goals,
) -> Result<(), RetargetError> {
    if scene.skeletons.iter().all(|own| own.skeleton == target.skeleton) {
        return Ok(());
    }
    let mut pairs = Vec::with_capacity(scene.skeletons.len());
    for (index, own) in scene.skeletons.iter().enumerate() {
        let moves = scene.animations.iter().any(|animation| animation.skeleton == Some(index));
        if !moves || own.skeleton == target.skeleton {
            pairs.push(None);
            continue;
        }
        let (map, target_map) = bones.maps(&own.skeleton, &target.skeleton)?;
        let map = with_meshes(map, &own.skeleton, scene.meshes.iter().filter(|mesh| mesh.skeleton == index));
        let target_map = with_meshes(target_map, &target.skeleton, meshes);
        pairs.push(Some(Retarget::new((&own.skeleton, &map), (&target.skeleton, &target_map), goals)?));
    }
    for (index, pair) in pairs.iter().enumerate() {
        let notes = pair.as_ref().map(|pair| pair.report().notes()).unwrap_or_default();
        notes.into_iter().for_each(|text| scene.warn(format!("skeleton {index}"), text));
    }
    let mut animations = core::mem::take(&mut scene.animations);
    for animation in &mut animations {
        let Some(pair) = animation.skeleton.and_then(|own| pairs.get(own)) else { continue };
        animation.skeleton = Some(0);
        let Some(pair) = pair else { continue };
        animation.motion = pair
            .clip(animation, RATE_HZ)
            .map_err(|source| RetargetError::Motion { clip: animation.motion.name.clone(), source })?;
        animation.tracks.retain(|track| !track.name.starts_with("morph/"));
        animation.tracks.iter_mut().for_each(|track| pair.root_track(track));
        // Of the other skeleton's joints.
        animation.precision.clear();
    }
    scene.animations = animations;
    // Meshes of the same skeleton stay; others have nothing to follow.
    let kept =
        |skeleton: usize| scene.skeletons.get(skeleton).is_some_and(|own| own.skeleton == target.skeleton);
    let (stay, go): (Vec<_>, Vec<_>) =
        core::mem::take(&mut scene.meshes).into_iter().partition(|mesh| kept(mesh.skeleton));
    scene.meshes = stay;
    scene.meshes.iter_mut().for_each(|mesh| mesh.skeleton = 0);
    if scene.meshes.is_empty() {
        scene.materials.clear();
        scene.images.clear();
    }
    if !go.is_empty() {
        scene.warn("", format!("{} meshes stayed behind with the skeleton that they follow", go.len()));
    }
    scene.skeletons = vec![target.clone()];
    Ok(())
}

/// True if joints of the same names hang on each other alike, and rest alike.
pub(crate) fn is_same_rig(a: &RawSkeleton, b: &RawSkeleton) -> bool {
    let by_name: BTreeMap<&str, &RawJoint> =
        b.joints.iter().map(|joint| (joint.name.as_str(), joint)).collect();
    fn parent<'a>(skeleton: &'a RawSkeleton, joint: &RawJoint) -> Option<&'a str> {
        Some(skeleton.joints.get(joint.parent?)?.name.as_str())
    }
    a.joints.len() == b.joints.len()
        && a.joints.iter().all(|joint| {
            by_name.get(joint.name.as_str()).is_some_and(|other| {
                parent(a, joint) == parent(b, other)
                    && joint.rest.translation.distance(other.rest.translation) < 1e-4
                    && joint.rest.rotation.dot(other.rest.rotation).abs() > 1.0 - 1e-6
            })
        })
}

impl Retarget {
    /// Root motion: in the target's measure, along its axes.
    fn root_track(&self, track: &mut RawUserTrack) {
        let [place, turn] = ROOT_TRACKS;
        let facing = self.facing;
        let moved = |key: &mut UserKey| {
            let [x, y, z, w] = key.value;
            let vector = facing.rotate(crate::exact::V3::new(x, y, z));
            let scale = if track.name == place { self.report.ratio } else { 1.0 };
            // The axis of a turn is turned like a place; its angle stays.
            key.value = [vector.x * scale, vector.y * scale, vector.z * scale, w];
        };
        if track.name == place || track.name == turn {
            track.keys.iter_mut().for_each(moved);
        }
    }
}
