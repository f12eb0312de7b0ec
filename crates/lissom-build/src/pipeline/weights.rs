//! Tracks beside the joints: how exactly they are kept.
//!
//! A vertex is off by what its joints are off and by what its morph weights are off, each times its delta. So the two
//! share the precision: the weights take a small part, together, and the joints the rest.

use crate::{
    BuiltSkeleton,
    exact::{M34, Trs, V3, larger, smaller},
    raw::RawUserTrack,
    scene::{Scene, SceneAnimation, SceneMesh},
};
use lissom::track::ROOT_TRACKS;

/// Of the precision, what all morph weights together may use, in a clip that moves some.
const WEIGHTS_SHARE: f64 = 0.1;
/// The most a weight may be off, however little its target moves: normals count too.
const MOST: f64 = 1e-3;
/// Of its range, what a track of numbers that nobody knows may be off.
const UNKNOWN: f64 = 1e-4;

/// Of the precision, what is left for the joints of an animation.
pub(super) fn joints_share(animation: &SceneAnimation) -> f64 {
    let moves_weights = animation.tracks.iter().any(|t| t.name.starts_with("morph/"));
    if moves_weights { 1.0 - WEIGHTS_SHARE } else { 1.0 }
}

/// Leaves out keys of tracks that are not needed to keep every vertex within the share of the weights, and every other
/// number within a small part of its range.
pub(super) fn reduce(scene: &mut Scene, skeletons: &[BuiltSkeleton], precision: f64) {
    let tolerances: Vec<(String, f64)> = scene
        .meshes
        .iter()
        .filter(|m| !m.morphs.is_empty())
        .map(|m| (format!("morph/{}/", m.mesh.name), tolerance(m, skeletons, precision)))
        .collect();
    let animations = scene.animations.iter_mut().flat_map(|a| &mut a.tracks);
    for track in animations.chain(&mut scene.tracks) {
        // Parts of one mesh share its name, and so their weights.
        let parts = tolerances.iter().filter(|(start, _)| track.name.starts_with(start));
        let finest = parts.map(|(_, tolerance)| *tolerance).reduce(smaller);
        // A character that walks far is not to slide for it.
        let root = ROOT_TRACKS.contains(&track.name.as_str()).then_some(precision);
        let tolerance = finest.or(root).unwrap_or_else(|| UNKNOWN * range(track));
        track.reduce(tolerance);
    }
}

/// What each weight of a mesh may be off, if all are at once.
fn tolerance(mesh: &SceneMesh, skeletons: &[BuiltSkeleton], precision: f64) -> f64 {
    let Some(built) = skeletons.get(mesh.skeleton) else { return 0.0 };
    let (skeleton, raw) = (&built.skeleton, &mesh.mesh);
    let mut models: Vec<M34> = Vec::with_capacity(skeleton.joint_count());
    for j in 0..skeleton.joint_count() {
        let local = Trs::from_f32(skeleton.rest(j)).to_m34();
        models.push(skeleton.parent(j).map_or(local, |p| models[p].mul(&local)));
    }
    // How much longer each joint makes what is in the mesh.
    let stretch = |joint: u16| {
        let joint = usize::from(joint);
        let (model, bind) = (built.joint_of_raw.get(joint), raw.inverse_binds.get(joint));
        model.zip(bind).map_or(1.0, |(model, bind)| models[*model].mul(bind).stretch())
    };
    let stretches: Vec<f64> = (0..raw.inverse_binds.len()).map(|j| stretch(j as u16)).collect();
    let length = |[x, y, z]: [f32; 3]| V3::new(x.into(), y.into(), z.into()).length();
    let mut farthest = 0.0;
    for vertex in 0..raw.positions.len() {
        let moved = mesh.morphs.iter().filter_map(|m| m.positions.get(vertex));
        let sum: f64 = moved.map(|by| length(*by)).sum();
        if sum > 0.0 {
            let joints = raw.influences.of(vertex).filter(|(_, weight)| *weight > 0.0);
            let widest = joints.fold(0.0, |most, (j, _)| {
                larger(stretches.get(usize::from(j)).copied().unwrap_or(1.0), most)
            });
            farthest = larger(sum * widest, farthest);
        }
    }
    if farthest > 0.0 { smaller(precision * WEIGHTS_SHARE / farthest, MOST) } else { MOST }
}

fn range(track: &RawUserTrack) -> f64 {
    let range = |c: usize| {
        let values = track.keys.iter().map(|k| k.value[c]);
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (smaller(low, v), larger(high, v)));
        if low <= high { high - low } else { 0.0 }
    };
    (0..4).map(range).fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        SkeletonBuilder,
        mesh::{Influences, RawMesh},
        raw::{RawJoint, RawSkeleton, UserKey},
        scene::Morph,
    };
    use lissom::track::TrackKind;

    /// A face of one vertex that two targets move by 2 cm and 1 cm, under an armature of this scale.
    fn face(scale: f64) -> (Scene, Vec<BuiltSkeleton>) {
        let rest = Trs { scale: V3::new(scale, scale, scale), ..Trs::IDENTITY };
        let skeleton = RawSkeleton { joints: vec![RawJoint { name: "head".into(), parent: None, rest }] };
        let built = SkeletonBuilder::build(&skeleton).unwrap();
        let morph = |name: &str, by: f32| Morph {
            name: name.into(),
            positions: vec![[0.0, by / scale as f32, 0.0]],
            ..Morph::default()
        };
        let mesh = RawMesh {
            name: "face".into(),
            positions: vec![[0.0; 3]],
            influences: Influences::from_rows(&[[0]], &[[1.0]]),
            inverse_binds: vec![M34::IDENTITY],
            ..RawMesh::default()
        };
        let value = |i: usize| libm::sin(i as f64 * 0.02) * 0.5 + 0.5;
        let keys = {
            let key =
                |i: usize| UserKey { ratio: i as f64 / 199.0, value: [value(i), 0.0, 0.0, 0.0], step: false };
            (0..200).map(key).collect::<Vec<_>>()
        };
        let track =
            |name: &str| RawUserTrack { name: name.into(), kind: TrackKind::Float, keys: keys.clone() };
        let animation = SceneAnimation {
            skeleton: Some(0),
            tracks: vec![track("morph/face/smile"), track("morph/face/blink"), track("heat")],
            ..SceneAnimation::default()
        };
        let mesh = SceneMesh {
            mesh,
            morphs: vec![morph("smile", 0.02), morph("blink", 0.01)],
            ..SceneMesh::default()
        };
        (Scene { meshes: vec![mesh], animations: vec![animation], ..Scene::default() }, vec![built])
    }

    #[test]
    fn weights_together_move_no_vertex_by_more_than_their_share_whatever_the_scale() {
        for scale in [0.01, 1.0, 100.0] {
            let (mut scene, built) = face(scale);
            let full = scene.animations[0].clone();
            assert!((joints_share(&full) - 0.9).abs() < 1e-12);
            reduce(&mut scene, &built, 1e-4);
            let few = &scene.animations[0];
            assert!(few.tracks[0].keys.len() < 150, "{} keys at {scale}", few.tracks[0].keys.len());
            let mut worst = 0.0;
            for i in 0..=1000 {
                let ratio = f64::from(i) / 1000.0;
                let off = |t: usize| (few.tracks[t].sample(ratio)[0] - full.tracks[t].sample(ratio)[0]).abs();
                worst = larger(off(0) * 0.02 + off(1) * 0.01, worst);
                assert!(off(2) <= 1.000_1 * UNKNOWN, "{}", off(2));
            }
            assert!(worst <= 1.000_1e-5 && worst > 2e-6, "{worst} at {scale}");
        }
    }
}
