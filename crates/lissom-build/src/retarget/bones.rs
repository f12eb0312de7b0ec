//! Tests of [`lissom::bones`], on the mannequin.

use super::{Bone, BoneMap, Part, Preset, Side};
use crate::{mannequin, raw::RawSkeleton};

/// The bones of the body, in the order of the names below.
fn body() -> Vec<Part> {
    let mut parts: Vec<Part> =
        Bone::all().map(|bone| bone.part).take_while(|part| *part <= Part::Toes).collect();
    parts.dedup();
    parts
}

/// The mannequin with another rig's names.
pub(super) fn renamed(preset: Preset, prefix: &str) -> RawSkeleton {
    let mut skeleton = mannequin::skeleton();
    let map = BoneMap::by_preset(&skeleton, Preset::Mannequin);
    // The mannequin has more vertebrae than count: their names are not to be another rig's bones.
    for (index, joint) in skeleton.joints.iter_mut().enumerate() {
        if !map.joints.values().any(|mapped| *mapped == index) {
            joint.name = format!("more_{}", joint.name);
        }
    }
    for (bone, joint) in &map.joints {
        let name = preset.name(*bone).unwrap_or_else(|| format!("extra{joint}"));
        skeleton.joints[*joint].name = format!("{prefix}{name}");
    }
    skeleton
}

#[test]
fn every_preset_finds_its_own_names() {
    for preset in Preset::ALL {
        let map = BoneMap::guess(&renamed(preset, "mixamorig:"));
        assert_eq!(map.preset, Some(preset));
        let wanted = Bone::all().filter(|bone| preset.name(*bone).is_some()).count();
        assert_eq!(map.joints.len(), wanted, "{preset:?}");
        let own = BoneMap::by_preset(&mannequin::skeleton(), Preset::Mannequin);
        assert!(map.joints.iter().all(|(bone, joint)| own.joints.get(bone) == Some(joint)), "{preset:?}");
    }
}

/// As in rigs of Biped's: no joint may follow two bones.
#[test]
fn legs_that_hang_on_the_first_vertebra_make_it_the_hips() {
    let mut skeleton = renamed(Preset::Mixamo, "");
    let at = |name: &str, skeleton: &RawSkeleton| {
        skeleton.joints.iter().position(|joint| joint.name == name).unwrap()
    };
    let spine = at("Spine", &skeleton);
    for leg in ["LeftUpLeg", "RightUpLeg"] {
        let leg = at(leg, &skeleton);
        skeleton.joints[leg].parent = Some(spine);
    }
    let map = BoneMap::guess(&skeleton);
    assert_eq!(map.joints[&Bone { part: Part::Hips, side: Side::Middle }], spine);
    let joints: std::collections::BTreeSet<usize> = map.joints.values().copied().collect();
    assert_eq!(joints.len(), map.joints.len(), "a joint follows two bones: {:?}", map.joints);
}

#[test]
fn names_that_nobody_has_listed_are_found_by_their_words() {
    let own = BoneMap::by_preset(&mannequin::skeleton(), Preset::Mannequin);
    let at = |part, side| own.joints[&Bone { part, side }];
    let mut skeleton = mannequin::skeleton();
    let names = [
        (Part::Hips, Side::Middle, "Hips"),
        (Part::Spine, Side::Middle, "a"),
        (Part::Chest, Side::Middle, "b"),
        (Part::UpperChest, Side::Middle, "c"),
        (Part::Neck, Side::Middle, "Neck"),
        (Part::UpperLeg, Side::Left, "Left leg"),
        (Part::LowerLeg, Side::Left, "Left knee"),
        (Part::Foot, Side::Left, "Left ankle"),
        (Part::UpperLeg, Side::Right, "Thigh.R"),
        (Part::LowerLeg, Side::Right, "RightLeg"),
        (Part::Foot, Side::Right, "r_foot"),
        (Part::UpperArm, Side::Left, "Left arm"),
        (Part::LowerArm, Side::Left, "Left elbow"),
        (Part::Hand, Side::Left, "Left wrist"),
        (Part::Index(2), Side::Left, "IndexFinger2_L"),
    ];
    for (part, side, name) in names {
        skeleton.joints[at(part, side)].name = name.into();
    }
    let map = BoneMap::guess(&skeleton);
    assert_eq!((map.preset, map.missing().count()), (None, 0));
    for (part, side, name) in names {
        assert_eq!(map.joints.get(&Bone { part, side }), Some(&at(part, side)), "{name}");
    }
    let none = BoneMap::guess(&RawSkeleton::default());
    assert_eq!(none.missing().count(), 8);
}

/// The names of packs, in the order of [`body`] with the left side's; "" for what they do not have. What they call `*` is l or r
/// as written.
#[test]
fn rigs_of_packs_are_known() {
    let packs: [(&str, [&str; 14], [&str; 2]); 11] = [
        (
            "Quaternius",
            [
                "Hips",
                "Abdomen",
                "",
                "Torso",
                "Neck",
                "Head",
                "Shoulder.*",
                "UpperArm.*",
                "LowerArm.*",
                "Fist.*",
                "UpperLeg.*",
                "LowerLeg.*",
                "Foot.*",
                "",
            ],
            ["L", "R"],
        ),
        (
            "KayKit",
            [
                "hips",
                "spine",
                "",
                "chest",
                "",
                "head",
                "",
                "upperarm.*",
                "lowerarm.*",
                "wrist.*",
                "upperleg.*",
                "lowerleg.*",
                "foot.*",
                "toes.*",
            ],
            ["l", "r"],
        ),
        (
            "Biped",
            [
                "Bip001 Pelvis",
                "Bip001 Spine",
                "Bip001 Spine1",
                "Bip001 Spine2",
                "Bip001 Neck",
                "Bip001 Head",
                "Bip001 * Clavicle",
                "Bip001 * UpperArm",
                "Bip001 * Forearm",
                "Bip001 * Hand",
                "Bip001 * Thigh",
                "Bip001 * Calf",
                "Bip001 * Foot",
                "Bip001 * Toe0",
            ],
            ["L", "R"],
        ),
        (
            "Synty",
            [
                "Hips",
                "Spine_01",
                "Spine_02",
                "Spine_03",
                "Neck",
                "Head",
                "Clavicle_*",
                "Shoulder_*",
                "Elbow_*",
                "Hand_*",
                "UpperLeg_*",
                "LowerLeg_*",
                "Ankle_*",
                "Ball_*",
            ],
            ["L", "R"],
        ),
        (
            "MakeHuman",
            [
                "root",
                "spine05",
                "spine03",
                "spine01",
                "neck01",
                "head",
                "clavicle.*",
                "upperarm01.*",
                "lowerarm01.*",
                "wrist.*",
                "upperleg01.*",
                "lowerleg01.*",
                "foot.*",
                "toe1-1.*",
            ],
            ["L", "R"],
        ),
        (
            "SMPL",
            [
                "Pelvis",
                "Spine1",
                "Spine2",
                "Spine3",
                "Neck",
                "Head",
                "*_Collar",
                "*_Shoulder",
                "*_Elbow",
                "*_Wrist",
                "*_Hip",
                "*_Knee",
                "*_Ankle",
                "*_Foot",
            ],
            ["L", "R"],
        ),
        (
            "Character Creator",
            [
                "CC_Base_Hip",
                "CC_Base_Waist",
                "CC_Base_Spine01",
                "CC_Base_Spine02",
                "CC_Base_NeckTwist01",
                "CC_Base_Head",
                "CC_Base_*_Clavicle",
                "CC_Base_*_Upperarm",
                "CC_Base_*_Forearm",
                "CC_Base_*_Hand",
                "CC_Base_*_Thigh",
                "CC_Base_*_Calf",
                "CC_Base_*_Foot",
                "CC_Base_*_ToeBase",
            ],
            ["L", "R"],
        ),
        (
            "Rigify's bones",
            [
                "spine",
                "spine.001",
                "spine.002",
                "spine.003",
                "neck",
                "head",
                "shoulder.*",
                "upper_arm.*",
                "forearm.*",
                "hand.*",
                "thigh.*",
                "shin.*",
                "foot.*",
                "toe.*",
            ],
            ["L", "R"],
        ),
        (
            "a VRM with plain names",
            [
                "HipsBone",
                "SpineBone",
                "",
                "ChestBone",
                "NeckBone",
                "HeadBone",
                "*ShoulderBone",
                "*UpperArmBone",
                "*LowerArmBone",
                "*HandBone",
                "*UpperLegBone",
                "*LowerLegBone",
                "*FootBone",
                "",
            ],
            ["Left", "Right"],
        ),
        (
            "Khronos' figure",
            [
                "torso_joint_1",
                "torso_joint_2",
                "",
                "torso_joint_3",
                "neck_joint_1",
                "",
                "",
                "arm_joint_*_1",
                "arm_joint_*_2",
                "arm_joint_*_3",
                "leg_joint_*_1",
                "leg_joint_*_2",
                "leg_joint_*_3",
                "leg_joint_*_5",
            ],
            ["L", "R"],
        ),
        (
            "Daz",
            [
                "hip",
                "abdomenLower",
                "",
                "chestLower",
                "neckLower",
                "head",
                "*Collar",
                "*ShldrBend",
                "*ForearmBend",
                "*Hand",
                "*ThighBend",
                "*Shin",
                "*Foot",
                "*Toe",
            ],
            ["l", "r"],
        ),
    ];
    let own = BoneMap::by_preset(&mannequin::skeleton(), Preset::Mannequin);
    for (pack, names, sides) in packs {
        let mut skeleton = mannequin::skeleton();
        for (index, joint) in skeleton.joints.iter_mut().enumerate() {
            joint.name = format!("x{index}");
        }
        for (bone, joint) in &own.joints {
            let Some(index) = body().iter().position(|part| *part == bone.part) else { continue };
            let side = if bone.side == Side::Right { sides[1] } else { sides[0] };
            if !names[index].is_empty() {
                skeleton.joints[*joint].name = names[index].replace('*', side);
            }
        }
        let map = BoneMap::guess(&skeleton);
        for (bone, joint) in &own.joints {
            let Some(index) = body().iter().position(|part| *part == bone.part) else { continue };
            let spine = matches!(bone.part, Part::Spine | Part::Chest | Part::UpperChest);
            if !names[index].is_empty() && !spine {
                assert_eq!(map.joints.get(bone), Some(joint), "{pack}: {bone}, {:?}", names[index]);
            }
        }
        // No joint is two bones.
        let joints: std::collections::BTreeSet<usize> = map.joints.values().copied().collect();
        assert_eq!(joints.len(), map.joints.len(), "{pack}: {:?}", map.joints);
    }
}

#[test]
fn bones_have_keys() {
    let keys: Vec<String> = Bone::all().map(Bone::key).collect();
    let all: std::collections::BTreeSet<&String> = keys.iter().collect();
    assert_eq!(all.len(), keys.len());
    assert!(Bone::all().all(|bone| Bone::from_key(&bone.key()) == Some(bone)));
    assert!(keys.contains(&"left_upper_arm".into()) && keys.contains(&"right_index_1".into()), "{keys:?}");
}
