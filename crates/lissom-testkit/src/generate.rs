//! Random skeletons, poses and clips from a seed.

use crate::rng::Rng;
use lissom::{Skeleton, SkeletonParts};
use lissom_build::{
    exact::{Q4, Trs, V3},
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack, Tangents},
};
use lissom_math::{
    Qvs, Transform,
    soa::{self, SoaTransform},
};
use lissom_world::Prefab;

/// An f64 vector, components in [-`reach`, `reach`].
pub fn v3(rng: &mut Rng, reach: f64) -> V3 {
    V3::new(rng.signed_f64() * reach, rng.signed_f64() * reach, rng.signed_f64() * reach)
}

/// Parents of a depth-first skeleton: chains, bushes and several roots, mixed.
///
/// # Panics
///
/// If `joints` is 0 or above [`lissom::MAX_JOINTS`].
pub fn parents(rng: &mut Rng, joints: usize) -> Vec<Option<u16>> {
    assert!((1..=lissom::MAX_JOINTS).contains(&joints), "{joints} joints");
    // How often a joint continues the chain; the rest go back up a random number of levels.
    let chain = [2, 4, 50][rng.below(3)];
    let mut parents: Vec<Option<u16>> = Vec::with_capacity(joints);
    for j in 0..joints {
        let mut parent = j.checked_sub(1);
        if rng.one_in(chain) {
            let levels = rng.below(6);
            for _ in 0..levels {
                parent = parent.and_then(|p| parents[p].map(usize::from));
            }
            // New roots are rare: walking up stops at the last one.
            if parent.is_none() && !rng.one_in(4) {
                parent = j.checked_sub(1);
            }
        }
        parents.push(parent.map(|p| p as u16));
    }
    parents
}

/// A skeleton of `joints` joints named `j0`, `j1`, … with a random rest pose.
///
/// # Panics
///
/// If `joints` is 0 or above [`lissom::MAX_JOINTS`].
#[must_use]
pub fn skeleton(rng: &mut Rng, joints: usize) -> Skeleton {
    let parents = parents(rng, joints);
    let names: Vec<String> = (0..joints).map(|j| format!("j{j}")).collect();
    let rest = pose(rng, joints);
    Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest })
        .expect("generated parts are depth-first, finite and of unit rotation")
}

/// A valid pose: finite numbers, unit rotations, scales in [0.5, 2).
#[must_use]
pub fn pose(rng: &mut Rng, joints: usize) -> Vec<Transform> {
    (0..joints).map(|_| rng.transform()).collect()
}

/// A pose with uneven and mirrored scales, packed.
#[must_use]
pub fn mirrored_pose(rng: &mut Rng, joints: usize) -> Vec<SoaTransform> {
    soa::from_transforms(&(0..joints).map(|_| rng.mirrored_transform()).collect::<Vec<_>>())
}

/// A prefab of up to twelve nodes.
///
/// # Panics
///
/// Never: parents stand before their children.
#[must_use]
pub fn prefab(rng: &mut Rng) -> Prefab {
    let n = 1 + rng.below(12);
    let parents: Vec<Option<usize>> = (0..n).map(|i| (i > 0).then(|| rng.below(i))).collect();
    let locals: Vec<Qvs> = (0..n).map(|_| rng.qvs()).collect();
    Prefab::new(&parents, &locals).expect("parents stand before their children")
}

/// A pose of numbers that break careless code: NaN, infinities, -0, denormals, huge ones.
#[must_use]
pub fn nasty_pose(rng: &mut Rng, joints: usize) -> Vec<Transform> {
    (0..joints).map(|_| rng.nasty_transform()).collect()
}

/// A raw skeleton in random storage order (children may stand before their parents).
///
/// # Panics
///
/// If `joints` is 0 or above [`lissom::MAX_JOINTS`].
#[must_use]
pub fn raw_skeleton(rng: &mut Rng, joints: usize) -> RawSkeleton {
    let parents = parents(rng, joints);
    let mut place: Vec<usize> = (0..joints).collect();
    for i in (1..joints).rev() {
        place.swap(i, rng.below(i + 1));
    }
    let mut raw = RawSkeleton { joints: vec![RawJoint::default(); joints] };
    for (j, parent) in parents.iter().enumerate() {
        raw.joints[place[j]] = RawJoint {
            name: format!("j{j}"),
            parent: parent.map(|p| place[usize::from(p)]),
            rest: Trs::from_f32(rng.transform()),
        };
    }
    raw
}

/// A valid raw animation: every curve, some channels without keys, some constant, keys at any times.
#[must_use]
pub fn raw_animation(rng: &mut Rng, joints: usize) -> RawAnimation {
    let duration_s = rng.range_f64(0.1, 4.0);
    let tracks = (0..joints)
        .map(|_| RawTrack {
            translation: channel(rng, duration_s, |rng| V3::from_f32(rng.vec3(1.0))),
            rotation: channel(rng, duration_s, |rng| Q4::from_f32(rng.rotation())),
            scale: channel(rng, duration_s, |rng| V3::from_f32(rng.transform().scale)),
        })
        .collect();
    RawAnimation { name: "random".into(), duration_s, looping: rng.one_in(2), additive: false, tracks }
}

fn channel<V: lissom_build::raw::Value>(
    rng: &mut Rng,
    duration_s: f64,
    mut value: impl FnMut(&mut Rng) -> V,
) -> Channel<V> {
    match rng.below(4) {
        0 => return Channel::default(),
        1 => return Channel::constant(value(rng)),
        _ => {}
    }
    let curve = [Curve::Step, Curve::Linear, Curve::Slerp, Curve::Cubic, Curve::Hermite][rng.below(5)];
    let mut times: Vec<f64> = (0..1 + rng.below(12)).map(|_| rng.range_f64(0.0, duration_s)).collect();
    if rng.one_in(2) {
        times.extend([0.0, duration_s]);
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    let keys: Vec<_> = times.into_iter().map(|t| (t, value(rng))).collect();
    let mut channel = Channel::new(curve, keys);
    if curve == Curve::Cubic {
        let tangents = channel.keys.iter().map(|_| Tangents { into: value(rng), out: value(rng) });
        channel.tangents = tangents.collect();
    }
    channel
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_build::SkeletonBuilder;

    #[test]
    fn what_is_generated_is_valid_and_varied() {
        let mut rng = Rng::new(3);
        let (mut deepest, mut most_roots) = (0, 0);
        for i in 0..200 {
            let joints = 1 + rng.below(200);
            let s = skeleton(&mut rng, joints);
            assert_eq!(s.joint_count(), joints);
            deepest = deepest.max((0..joints).map(|j| s.depth(j)).max().unwrap_or(0));
            most_roots = most_roots.max(s.roots().count());
            let raw = raw_skeleton(&mut rng, joints);
            let built = SkeletonBuilder::build(&raw).unwrap_or_else(|e| panic!("skeleton {i}: {e}"));
            assert_eq!(built.skeleton.joint_count(), joints);
            assert_eq!(raw_animation(&mut rng, joints).validate(joints), Ok(()), "animation {i}");
        }
        assert!(deepest > 50 && most_roots > 3, "depth {deepest}, roots {most_roots}");
    }

    #[test]
    fn a_seed_gives_the_same_things_again() {
        let make = || {
            let mut rng = Rng::new(11);
            (skeleton(&mut rng, 33).identity(), raw_animation(&mut rng, 33))
        };
        assert_eq!(make(), make());
    }
}
