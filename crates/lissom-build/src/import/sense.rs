//! Whether a scene can be true: numbers that overflowed, or are larger than any world, come from damage or from a
//! mistake in reading, and nobody is served by cooking them.

use super::{ImportError, Place};
use crate::{
    exact::{M34, Trs, V3},
    mesh::model_matrices,
    scene::{Scene, SceneMesh},
};

/// Metres: farther out than Neptune.
const WORLD_M: f64 = 1e13;

/// Looks at the rest pose, at every vertex in it, and at every key of a translation. Lengths are metres already.
///
/// # Errors
///
/// [`ImportError::Senseless`] for the first thing that is nowhere.
pub(super) fn check(scene: &Scene) -> Result<(), ImportError> {
    let mut models = Vec::with_capacity(scene.skeletons.len());
    for skeleton in &scene.skeletons {
        let joints = &skeleton.skeleton.joints;
        let rest: Vec<Trs> = joints.iter().map(|j| j.rest).collect();
        let own = model_matrices(&skeleton.skeleton, &rest);
        for (joint, model) in joints.iter().zip(&own) {
            near(model.mul_point(V3::ZERO), || format!("joint {:?}", joint.name))?;
        }
        models.push(own);
    }
    for mesh in &scene.meshes {
        vertices(mesh, models.get(mesh.skeleton).map_or(&[], Vec::as_slice))?;
    }
    for animation in &scene.animations {
        for (joint, track) in animation.motion.tracks.iter().enumerate() {
            for key in &track.translation.keys {
                near(key.value, || {
                    format!("clip {:?}, joint {joint}, key at {} s", animation.motion.name, key.time_s)
                })?;
            }
        }
    }
    Ok(())
}

fn vertices(mesh: &SceneMesh, models: &[M34]) -> Result<(), ImportError> {
    let raw = &mesh.mesh;
    let skin: Vec<M34> = models.iter().zip(&raw.inverse_binds).map(|(m, b)| m.mul(b)).collect();
    for (vertex, position) in raw.positions.iter().enumerate() {
        let [x, y, z] = position.map(f64::from);
        let mut posed = [0.0_f64; 3];
        for (joint, weight) in raw.influences.of(vertex).filter(|(_, w)| *w > 0.0) {
            let moved = skin.get(usize::from(joint)).map_or(V3::ZERO, |m| m.mul_point(V3::new(x, y, z)));
            for (sum, c) in posed.iter_mut().zip([moved.x, moved.y, moved.z]) {
                *sum += c * f64::from(weight);
            }
        }
        let [x, y, z] = posed;
        near(V3::new(x, y, z), || format!("mesh {:?}, vertex {vertex} in the rest pose", raw.name))?;
    }
    Ok(())
}

fn near(point: V3, place: impl FnOnce() -> String) -> Result<(), ImportError> {
    let found = point.length();
    // NaN is not below anything.
    if found < WORLD_M {
        return Ok(());
    }
    Err(ImportError::Senseless { place: Place::Path(place()), found, allowed: WORLD_M })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        mannequin::{self, Detail, Motion},
        scene::{SceneAnimation, SceneSkeleton},
    };

    #[test]
    fn what_is_beyond_any_world_is_an_error_that_names_it() {
        let motion = mannequin::clip(Motion::Walk);
        let mesh = mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap();
        let skeleton = mannequin::skeleton();
        let good = Scene {
            skeletons: vec![SceneSkeleton { skeleton, ..Default::default() }],
            animations: vec![SceneAnimation { skeleton: Some(0), motion, ..Default::default() }],
            meshes: vec![SceneMesh { mesh, ..Default::default() }],
            ..Default::default()
        };
        assert_eq!(check(&good), Ok(()));
        let refused = |change: &dyn Fn(&mut Scene)| {
            let mut scene = good.clone();
            change(&mut scene);
            let error = check(&scene).unwrap_err();
            assert!(matches!(error, ImportError::Senseless { .. }));
            error.to_string()
        };
        let far = refused(&|s| {
            let mesh = &mut s.meshes[0].mesh;
            mesh.inverse_binds[usize::from(mesh.influences.joints[0])].columns[3].y = 4.7e32;
        });
        assert!(far.contains("mesh \"mannequin\", vertex") && far.contains("1e13 m"), "{far}");
        let joint = refused(&|s| s.skeletons[0].skeleton.joints[0].rest.translation.x = f64::INFINITY);
        assert!(joint.starts_with("joint"), "{joint}");
        let key = refused(&|s| s.animations[0].motion.tracks[0].translation.keys[0].value.z = -1e20);
        assert!(key.starts_with("clip") && key.contains("key at 0 s"), "{key}");
    }
}
