//! An ozz archive as a scene.

use super::{OzzArchive, OzzMesh, OzzObject};
use crate::{
    exact::{M34, Q4, Trs, V3},
    raw::{RawJoint, RawSkeleton},
    scene::{Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};

impl OzzArchive {
    /// Everything in the archive. Animations and meshes belong to the archive's skeleton if it has exactly one and
    /// it has as many joints as they need; else animations have none, and meshes one made of their bind pose:
    /// joints without parents, in the skeleton's order, called by their index.
    #[must_use]
    pub fn into_scene(self) -> Scene {
        let mut scene = Scene::default();
        let mut meshes = Vec::new();
        for object in self.objects {
            match object {
                OzzObject::Skeleton(skeleton) => {
                    scene.skeletons.push(SceneSkeleton {
                        name: String::new(),
                        skeleton,
                        ..Default::default()
                    });
                }
                OzzObject::Animation(motion) | OzzObject::RawAnimation(motion) => {
                    scene.animations.push(SceneAnimation { motion, ..Default::default() });
                }
                OzzObject::Track(track) => scene.tracks.push(track),
                OzzObject::Mesh(mesh) => meshes.push(mesh),
            }
        }
        let joints = match scene.skeletons.as_slice() {
            [only] => only.skeleton.joints.len(),
            _ => 0,
        };
        for animation in &mut scene.animations {
            animation.skeleton = (joints > 0 && animation.motion.tracks.len() == joints).then_some(0);
        }
        for (index, mesh) in meshes.into_iter().enumerate() {
            let place = format!("mesh {index}");
            let needed = mesh.joints.iter().map(|j| usize::from(*j).saturating_add(1)).max().unwrap_or(1);
            let skeleton = if needed <= joints {
                0
            } else {
                let made = bind_pose(&mesh, needed);
                if let Err(error) = made.validate() {
                    scene.warn(place, format!("dropped: its bind pose is no skeleton: {error}"));
                    continue;
                }
                scene.warn(
                    place.as_str(),
                    "its skeleton is not in this file; its joints are those of its bind pose",
                );
                scene.skeletons.push(SceneSkeleton {
                    name: place.clone(),
                    skeleton: made,
                    ..Default::default()
                });
                scene.skeletons.len().saturating_sub(1)
            };
            let Some(own) = scene.skeletons.get(skeleton) else { continue };
            match mesh.to_raw(&own.skeleton) {
                Ok(mesh) => {
                    scene.meshes.push(SceneMesh { skeleton, mesh, morphs: Vec::new(), ..Default::default() })
                }
                Err(error) => scene.warn(place, format!("dropped: {error}")),
            }
        }
        scene
    }
}

/// Joints that rest where the mesh was bound.
fn bind_pose(mesh: &OzzMesh, joints: usize) -> RawSkeleton {
    let joint = |name: usize| RawJoint { name: name.to_string(), parent: None, rest: Trs::IDENTITY };
    let mut skeleton = RawSkeleton { joints: (0..joints).map(joint).collect() };
    for (joint, bind) in mesh.joints.iter().zip(&mesh.inverse_binds) {
        if let Some(to) = skeleton.joints.get_mut(usize::from(*joint)) {
            to.rest = bind.inverse().map_or(Trs::IDENTITY, |m| parts(&m));
        }
    }
    skeleton
}

/// Translation, rotation and scale of a matrix that has no shear.
#[allow(clippy::arithmetic_side_effects, reason = "vectors of floats: nothing overflows")]
fn parts(m: &M34) -> Trs {
    let [x, y, z, translation] = m.columns;
    let (sx, sy) = (x.length(), y.length());
    let flip = if x.dot(y.cross(z)) < 0.0 { -1.0 } else { 1.0 };
    let sz = z.length() * flip;
    let x = x.normalize_or(V3::X);
    let y = (y - x * x.dot(y)).normalize_or(V3::Y);
    let rotation = Q4::from_axes(x, y, x.cross(y));
    Trs { translation, rotation, scale: V3::new(sx, sy, sz) }
}
