//! Rotations that other programs turn evenly.
//!
//! A cooked rotation goes straight from key to key and is normalised; glTF's LINEAR turns at constant speed. Over an angle
//! of θ the two are at most θ³ / 249 apart, for its third power times t (1 - t) (1 - 2t) / 24 is what they differ by.
//! Where that could be seen, n - 1 keys are put in between: then they are at most θ³ / (32 n²) apart.

use crate::{
    exact::{M34, Q4, Trs, V3, larger},
    mesh::model_matrices,
    raw::{Channel, Curve, Key},
    scene::Scene,
};
use std::borrow::Cow;

/// Metres that may not be seen: the precision of cooking.
const SEEN_M: f64 = 1e-4;
/// Metres around a joint that count where no mesh does.
const SHELL_M: f64 = 0.03;
/// How far what each joint turns is away from it in the rest pose, in metres.
pub(super) fn reach(scene: &Scene, skeleton: usize) -> Vec<f64> {
    let Some(own) = scene.skeletons.get(skeleton).map(|s| &s.skeleton) else { return Vec::new() };
    let rest: Vec<Trs> = own.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(own, &rest);
    let places: Vec<V3> = models.iter().map(|m| m.mul_point(V3::ZERO)).collect();
    let mut reach = vec![SHELL_M; places.len()];
    for mesh in scene.meshes.iter().filter(|m| m.skeleton == skeleton) {
        let skin: Vec<M34> = models.iter().zip(&mesh.mesh.inverse_binds).map(|(m, b)| m.mul(b)).collect();
        for (vertex, position) in mesh.mesh.positions.iter().enumerate() {
            let [x, y, z] = position.map(f64::from);
            for (joint, _) in mesh.mesh.influences.of(vertex).filter(|(_, weight)| *weight > 0.0) {
                let joint = usize::from(joint);
                if let Some(m) = skin.get(joint) {
                    reach[joint] =
                        larger(reach[joint], m.mul_point(V3::new(x, y, z)).distance(places[joint]));
                }
            }
        }
    }
    // Children before parents.
    for joint in own.depth_first().into_iter().rev() {
        if let Some(parent) = own.joints[joint].parent {
            reach[parent] = larger(reach[parent], reach[joint] + places[joint].distance(places[parent]));
        }
    }
    reach
}

/// The rotation with as many keys as constant speed needs.
pub(super) fn turns_evenly(channel: &Channel<Q4>, reach: f64) -> Cow<'_, Channel<Q4>> {
    let pieces = |pair: &[Key<Q4>]| {
        let (a, b) = (pair[0].value.normalize(), pair[1].value.normalize());
        let turn = a.conjugate().times(b.near(a));
        let angle = 2.0 * libm::atan2(V3::new(turn.x, turn.y, turn.z).length(), turn.w);
        let cube = angle * angle * angle * larger(reach, SHELL_M);
        // The series leaves out higher powers, which count over large angles.
        let room = SEEN_M * 0.7;
        if cube <= room * 249.0 { 1.0 } else { (cube / (32.0 * room)).sqrt().ceil() }
    };
    if channel.curve != Curve::Linear || channel.keys.windows(2).all(|pair| pieces(pair) <= 1.0) {
        return Cow::Borrowed(channel);
    }
    let mut keys = Vec::with_capacity(channel.keys.len() * 2);
    for pair in channel.keys.windows(2) {
        keys.push(pair[0]);
        let count = pieces(pair);
        for piece in 1..count as usize {
            let share = piece as f64 / count;
            let time_s = pair[0].time_s + (pair[1].time_s - pair[0].time_s) * share;
            let value = pair[0].value.normalize().nlerp(pair[1].value.normalize(), share);
            keys.push(Key { time_s, value });
        }
    }
    keys.extend(channel.keys.last());
    Cow::Owned(Channel { curve: Curve::Slerp, keys, tangents: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_turns_get_keys_until_nobody_sees_the_difference() {
        let turn = |degrees: f64| Q4::from_axis_angle(V3::Z, degrees.to_radians());
        let own = Channel::new(Curve::Linear, [(0.0, turn(0.0)), (1.0, turn(9.0)), (2.0, turn(80.0))]);
        for reach in [0.0, 0.3, 1.0, 3.0] {
            let even = turns_evenly(&own, reach);
            let slerp = Channel { curve: Curve::Slerp, ..even.clone().into_owned() };
            for step in 0..400 {
                let time_s = f64::from(step) / 200.0;
                let (a, b) = (own.sample(time_s).unwrap(), slerp.sample(time_s).unwrap());
                let apart = a.rotate(V3::X * reach).distance(b.rotate(V3::X * reach));
                assert!(apart <= SEEN_M, "{reach} m away at {time_s} s: {apart}");
            }
            assert!(even.keys.len() <= 60 && (reach > 0.0 || even.keys.len() < 12), "{}", even.keys.len());
        }
        let small = Channel::new(Curve::Linear, [(0.0, turn(0.0)), (1.0, turn(9.0))]);
        assert!(matches!(turns_evenly(&small, 1.0), Cow::Borrowed(_)), "as it is");
    }
}
