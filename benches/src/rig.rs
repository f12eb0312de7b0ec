//! A rig of 67 joints, the size of the character the peers were measured on, and poses for it.

use lissom::{
    Skeleton, SkeletonParts,
    math::{Transform, Vec3, soa},
};
use lissom_measure::rng::Rng;

/// A joint's local transform: any rotation, a bone's length, scale 1.
pub(crate) fn bone(rng: &mut Rng) -> Transform {
    Transform { translation: rng.vec3(0.3), rotation: rng.rotation(), scale: Vec3::ONE }
}

/// Parents of a humanoid of 67 joints, depth-first: hips, a spine of four, head, two arms with five fingers
/// of four, two legs.
#[must_use]
pub fn parents() -> Vec<Option<u16>> {
    let mut parents = vec![None];
    let chain = |parents: &mut Vec<Option<u16>>, from: u16, length: usize| {
        let mut at = from;
        for _ in 0..length {
            parents.push(Some(at));
            at = parents.len() as u16 - 1;
        }
        at
    };
    for _ in 0..2 {
        chain(&mut parents, 0, 4);
    }
    let chest = chain(&mut parents, 0, 4);
    chain(&mut parents, chest, 3);
    for _ in 0..2 {
        let hand = chain(&mut parents, chest, 4);
        for _ in 0..5 {
            chain(&mut parents, hand, 4);
        }
    }
    while parents.len() < 67 {
        parents.push(Some(0));
    }
    parents
}

/// The rig.
#[must_use]
pub fn skeleton() -> Skeleton {
    let parents = parents();
    let names: Vec<_> = (0..parents.len()).map(|j| format!("j{j}")).collect();
    let mut rng = Rng::new(1);
    let rest: Vec<_> = parents.iter().map(|_| bone(&mut rng)).collect();
    Skeleton::new(SkeletonParts { parents: &parents, names: &names, rest: &rest }).expect("a fixed table")
}

/// A pose of any number of joints.
#[must_use]
pub fn pose(joints: usize, seed: u64) -> Vec<soa::SoaTransform> {
    let mut rng = Rng::new(seed);
    let joints: Vec<_> = (0..joints).map(|_| bone(&mut rng)).collect();
    soa::from_transforms(&joints)
}
