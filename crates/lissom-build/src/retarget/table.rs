//! Which joint is which bone, as a table to look at.

use super::{Bone, BoneMap, Found, Part, aim};
use crate::raw::RawSkeleton;

/// Every bone that one of two skeletons has, and what is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneTable {
    /// From the hips outwards. Fingers, toes, shoulders and vertebrae only if one of the skeletons has them.
    pub rows: Vec<BoneRow>,
    /// Joints that are no bones and go along with those of the same name.
    pub same_names: Vec<String>,
    /// Joints of the target that are no bones: they rest.
    pub at_rest: Vec<String>,
}

/// A bone, and its joint in each skeleton with how it was found; `None`: not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoneRow {
    /// The bone.
    pub bone: Bone,
    /// In the skeleton that motions come from.
    pub source: Option<(String, Found)>,
    /// In the skeleton that motions are brought onto.
    pub target: Option<(String, Found)>,
}

impl BoneRow {
    /// True if both have it: it moves.
    #[must_use]
    pub fn is_matched(&self) -> bool {
        self.source.is_some() && self.target.is_some()
    }
}

impl BoneTable {
    /// Looks at two skeletons, be they humans or not.
    #[must_use]
    pub fn new(
        (source, source_map): (&RawSkeleton, &BoneMap),
        (target, target_map): (&RawSkeleton, &BoneMap),
    ) -> Self {
        let joint = |skeleton: &RawSkeleton, map: &BoneMap, bone: Bone| {
            let name = skeleton.joints.get(*map.joints.get(&bone)?)?.name.clone();
            Some((name, map.how(bone)?))
        };
        let row = |bone| BoneRow {
            bone,
            source: joint(source, source_map, bone),
            target: joint(target, target_map, bone),
        };
        let rows: Vec<BoneRow> = Bone::all()
            .map(row)
            .filter(|row| row.bone.is_plain() || row.source.is_some() || row.target.is_some())
            .collect();
        let along = aim::same_names((source, source_map), (target, target_map));
        let goes = |joint: &usize| along.iter().any(|(_, own, _)| own == joint);
        let is_bone = |joint: &usize| target_map.joints.values().any(|own| own == joint);
        let name = |joint: usize| target.joints[joint].name.clone();
        let rests = (0..target.joints.len()).filter(|joint| !goes(joint) && !is_bone(joint));
        Self {
            rows,
            same_names: along.iter().map(|(_, joint, _)| name(*joint)).collect(),
            at_rest: rests.map(name).collect(),
        }
    }

    /// Bones that everybody sees and that were not found in one of the skeletons, or in both.
    pub fn not_found(&self) -> impl Iterator<Item = &BoneRow> {
        self.rows.iter().filter(|row| row.bone.is_plain() && !row.is_matched())
    }

    /// How many bones both have, without fingers, and of how many.
    #[must_use]
    pub fn matched(&self) -> (usize, usize) {
        let body = self.rows.iter().filter(|row| row.bone.part < Part::Thumb(0));
        (body.clone().filter(|row| row.is_matched()).count(), body.count())
    }
}
