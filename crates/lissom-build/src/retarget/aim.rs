//! Where limbs point at rest, and what brings one rig's to the other's.

use super::{Bone, BoneMap, Human, Part, Side};
use crate::{
    exact::{Q4, Trs, V3},
    raw::{RawSkeleton, models},
    scene::SceneMesh,
};
use lissom::bones::Joints;
use std::collections::BTreeMap;

/// Weights above this make a vertex a joint's own.
const OWN: f64 = 0.5;
/// Nearer than this share of the leg, an end has no direction.
const NEAR: f64 = 1e-3;

/// The turns that bring limbs of the target, at rest, to where the source's point.
pub(super) struct Aims(BTreeMap<Bone, Q4>);

impl Aims {
    pub(super) fn new(
        (source, source_map): (&Human, &BoneMap),
        (target, target_map): (&Human, &BoneMap),
        facing: Q4,
    ) -> Self {
        let mut turns = BTreeMap::new();
        for side in [Side::Left, Side::Right] {
            for limb in [&[Part::UpperArm, Part::LowerArm, Part::Hand][..], &[Part::UpperLeg, Part::LowerLeg]]
            {
                let mut above = Q4::IDENTITY;
                for part in limb {
                    let bone = Bone { part: *part, side };
                    let ways = way(target, target_map, bone).zip(way(source, source_map, bone));
                    // What has no direction goes on as the limb above it.
                    let turn = ways.map_or(above, |(is, shall)| Q4::from_arc(is, facing.rotate(shall)));
                    turns.insert(bone, turn);
                    above = turn;
                }
            }
        }
        Self(turns)
    }

    /// Of any bone: fingers go with the hand that they are on; feet and spines differ by build, and keep theirs.
    pub(super) fn turn(&self, bone: Bone) -> Q4 {
        let limb = if bone.part >= Part::Thumb(0) { Bone { part: Part::Hand, ..bone } } else { bone };
        self.0.get(&limb).copied().unwrap_or(Q4::IDENTITY)
    }
}

/// The bone that a limb points to.
pub(super) fn limb_end(bone: Bone) -> Option<Bone> {
    let part = match bone.part {
        Part::UpperArm => Part::LowerArm,
        Part::LowerArm => Part::Hand,
        Part::Hand => Part::Middle(1),
        Part::UpperLeg => Part::LowerLeg,
        Part::LowerLeg => Part::Foot,
        _ => return None,
    };
    Some(Bone { part, ..bone })
}

/// Where a limb points at rest: to the bone at its end, to what hangs on it, or to the middle of what it moves.
fn way(human: &Human, map: &BoneMap, bone: Bone) -> Option<V3> {
    let joint = *map.joints.get(&bone)?;
    let from = human.places[joint];
    let end = limb_end(bone).and_then(|end| map.joints.get(&end)).map(|end| human.places[*end]);
    let far = |place: &V3| place.distance(from) > NEAR * human.leg;
    let end = end.filter(far).or_else(|| human.below[joint].filter(far));
    let end = end.or_else(|| map.ends.get(&bone).map(|[x, y, z]| V3::new(*x, *y, *z)).filter(far))?;
    Some((end - from).normalize_or(V3::X))
}

/// The middle of what hangs on each joint at rest, if anything does.
pub(super) fn below(skeleton: &RawSkeleton, places: &[V3]) -> Vec<Option<V3>> {
    let mut sums = vec![(V3::ZERO, 0.0); places.len()];
    for (joint, place) in skeleton.joints.iter().zip(places) {
        let Some(parent) = joint.parent else { continue };
        // A twist joint lies on the limb, or nowhere, and a thumb beside it.
        let name = joint.name.to_lowercase();
        if place.distance(places[parent]) > 0.0 && !name.contains("twist") && !name.contains("thumb") {
            sums[parent] = (sums[parent].0 + *place, sums[parent].1 + 1.0);
        }
    }
    sums.into_iter().map(|(sum, count)| (count > 0.0).then(|| sum * (1.0 / count))).collect()
}

/// Looks at the meshes of a skeleton for where arms and legs end that have no joint there: in the middle of the vertices that
/// follow them.
#[must_use]
pub fn with_meshes<'a>(
    mut map: BoneMap,
    skeleton: &RawSkeleton,
    meshes: impl IntoIterator<Item = &'a SceneMesh>,
) -> BoneMap {
    let mut sums: BTreeMap<usize, (V3, f64)> = BTreeMap::new();
    let rest: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    let at = models(skeleton, &rest);
    let has_child = |joint: usize| skeleton.joints.iter().any(|other| other.parent == Some(joint));
    let open: BTreeMap<Bone, usize> = map
        .joints
        .iter()
        .filter(|(bone, joint)| limb_end(**bone).is_some() && !has_child(**joint) && **joint < at.len())
        .map(|(bone, joint)| (*bone, *joint))
        .collect();
    if open.is_empty() {
        return map;
    }
    for mesh in meshes.into_iter().map(|mesh| &mesh.mesh) {
        for (vertex, position) in mesh.positions.iter().enumerate() {
            for (joint, weight) in mesh.influences.of(vertex) {
                let joint = usize::from(joint);
                let own = f64::from(weight) > OWN && open.values().any(|open| *open == joint);
                let Some(bind) = mesh.inverse_binds.get(joint).filter(|_| own) else { continue };
                let [x, y, z] = position.map(f64::from);
                let place = at[joint].mul_point(bind.mul_point(V3::new(x, y, z)));
                let sum = sums.entry(joint).or_insert((V3::ZERO, 0.0));
                *sum = (sum.0 + place, sum.1 + 1.0);
            }
        }
    }
    for (bone, joint) in open {
        if let Some((sum, count)) = sums.get(&joint) {
            let V3 { x, y, z } = *sum * (1.0 / count);
            map.ends.insert(bone, [x, y, z]);
        }
    }
    map
}

/// Joints that are no bones, have the same name on both, hang on the same bone and have no bone below them: ears, tails, capes. Source,
/// target, and the bone that they hang on.
pub(super) fn same_names(
    (source, source_map): (&RawSkeleton, &BoneMap),
    (target, target_map): (&RawSkeleton, &BoneMap),
) -> Vec<(usize, usize, Bone)> {
    let free = |skeleton: &RawSkeleton, map: &BoneMap| -> BTreeMap<String, (usize, Bone)> {
        let mut free = BTreeMap::new();
        for joint in 0..skeleton.joints.len() {
            let has_bone = map.joints.values().any(|own| skeleton.is_above(joint, *own));
            let above =
                std::iter::successors(skeleton.joints[joint].parent, |at| skeleton.joints[*at].parent);
            let bone = above.map(|at| map.joints.iter().find(|(_, own)| **own == at).map(|(bone, _)| *bone));
            if let (false, Some(bone)) = (has_bone, bone.flatten().next()) {
                free.insert(skeleton.joints[joint].name.clone(), (joint, bone));
            }
        }
        free
    };
    let (own, other) = (free(source, source_map), free(target, target_map));
    let pairs = other.iter().filter_map(|(name, (t, bone))| {
        let (s, same) = own.get(name).filter(|(_, of)| of == bone)?;
        // `Bone.003` of two rigs have nothing to do with each other, and nobody sees what marks an end.
        let plain = name.to_lowercase().replace(|c: char| !c.is_alphabetic(), "");
        (!["", "bone", "joint", "node"].contains(&plain.as_str()) && !name.ends_with("_end"))
            .then_some((*s, *t, *same))
    });
    pairs.collect()
}
