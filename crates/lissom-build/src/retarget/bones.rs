//! The bones of a human, what well-known rigs call them, and which joint is which.

use crate::{exact::V3, raw::RawSkeleton, text::words::nearest};
use core::fmt;
use std::collections::BTreeMap;

/// A bone of a human.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bone {
    /// What it is.
    pub part: Part,
    /// Where; [`Side::Middle`] for what there is once.
    pub side: Side,
}

/// What a bone is. Of the spine's joints three count, of a finger's three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Part {
    Hips,
    Spine,
    Chest,
    UpperChest,
    Neck,
    Head,
    Shoulder,
    UpperArm,
    LowerArm,
    Hand,
    UpperLeg,
    LowerLeg,
    Foot,
    Toes,
    /// From the hand outwards: 1 to 3.
    Thumb(u8),
    Index(u8),
    Middle(u8),
    Ring(u8),
    Little(u8),
}

/// Left and right are the character's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Side {
    Middle,
    Left,
    Right,
}

/// A way to name the joints of humans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// Mixamo: `mixamorig:LeftUpLeg`.
    Mixamo,
    /// VRM as VRoid writes it: `J_Bip_L_UpperLeg`.
    Vrm,
    /// Unreal's mannequin: `thigh_l`, `calf_l`.
    Unreal,
    /// The BVH files of Carnegie Mellon's motions: `LowerBack`, `LeftUpLeg`.
    Cmu,
    /// What Blender's Rigify deforms with: `DEF-thigh.L`.
    Rigify,
    /// [`crate::mannequin`]: `thigh_l`, `shin_l`.
    Mannequin,
}

/// The joint of each bone that was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoneMap {
    /// Joints of the skeleton.
    pub joints: BTreeMap<Bone, usize>,
    /// The names that they were found by; `None`: by words.
    pub preset: Option<Preset>,
    /// Bones that were not found by a name.
    pub found: BTreeMap<Bone, Found>,
    /// Where bones end at rest, in model space, if no joint says it: in the middle of what they move.
    pub ends: BTreeMap<Bone, V3>,
}

/// How a bone was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// By the name of its joint.
    Name,
    /// By the bones that it hangs on, or that hang on it.
    Chain,
    /// Somebody said so.
    Corrected,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "name",
            Self::Chain => "chain",
            Self::Corrected => "corrected",
        })
    }
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Mixamo, Self::Vrm, Self::Unreal, Self::Cmu, Self::Rigify, Self::Mannequin];

    /// Words for left and right; names of the bones, where `*` is such a word; names of fingers, `#` for the phalanx, and the five.
    fn names(self) -> ([&'static str; 2], [&'static str; 14], &'static str, [&'static str; 5]) {
        let camel = ["Thumb", "Index", "Middle", "Ring", "Pinky"];
        let snake = ["thumb", "index", "middle", "ring", "pinky"];
        match self {
            Self::Mixamo => (
                ["Left", "Right"],
                [
                    "Hips",
                    "Spine",
                    "Spine1",
                    "Spine2",
                    "Neck",
                    "Head",
                    "*Shoulder",
                    "*Arm",
                    "*ForeArm",
                    "*Hand",
                    "*UpLeg",
                    "*Leg",
                    "*Foot",
                    "*ToeBase",
                ],
                "*Hand%#",
                camel,
            ),
            Self::Vrm => (
                ["L", "R"],
                [
                    "J_Bip_C_Hips",
                    "J_Bip_C_Spine",
                    "J_Bip_C_Chest",
                    "J_Bip_C_UpperChest",
                    "J_Bip_C_Neck",
                    "J_Bip_C_Head",
                    "J_Bip_*_Shoulder",
                    "J_Bip_*_UpperArm",
                    "J_Bip_*_LowerArm",
                    "J_Bip_*_Hand",
                    "J_Bip_*_UpperLeg",
                    "J_Bip_*_LowerLeg",
                    "J_Bip_*_Foot",
                    "J_Bip_*_ToeBase",
                ],
                "J_Bip_*_%#",
                ["Thumb", "Index", "Middle", "Ring", "Little"],
            ),
            Self::Unreal => (
                ["l", "r"],
                [
                    "pelvis",
                    "spine_01",
                    "spine_02",
                    "spine_03",
                    "neck_01",
                    "head",
                    "clavicle_*",
                    "upperarm_*",
                    "lowerarm_*",
                    "hand_*",
                    "thigh_*",
                    "calf_*",
                    "foot_*",
                    "ball_*",
                ],
                "%_0#_*",
                snake,
            ),
            Self::Cmu => (
                ["Left", "Right"],
                [
                    "Hips",
                    "LowerBack",
                    "Spine",
                    "Spine1",
                    "Neck",
                    "Head",
                    "*Shoulder",
                    "*Arm",
                    "*ForeArm",
                    "*Hand",
                    "*UpLeg",
                    "*Leg",
                    "*Foot",
                    "*ToeBase",
                ],
                "",
                [""; 5],
            ),
            Self::Rigify => (
                ["L", "R"],
                [
                    "DEF-spine",
                    "DEF-spine.001",
                    "DEF-spine.002",
                    "DEF-spine.003",
                    "DEF-spine.004",
                    "DEF-spine.006",
                    "DEF-shoulder.*",
                    "DEF-upper_arm.*",
                    "DEF-forearm.*",
                    "DEF-hand.*",
                    "DEF-thigh.*",
                    "DEF-shin.*",
                    "DEF-foot.*",
                    "DEF-toe.*",
                ],
                "DEF-%.0#.*",
                ["thumb", "f_index", "f_middle", "f_ring", "f_pinky"],
            ),
            Self::Mannequin => (
                ["l", "r"],
                [
                    "hips",
                    "spine_01",
                    "spine_03",
                    "chest",
                    "neck_01",
                    "head",
                    "clavicle_*",
                    "upperarm_*",
                    "forearm_*",
                    "hand_*",
                    "thigh_*",
                    "shin_*",
                    "foot_*",
                    "toes_*",
                ],
                "%_0#_*",
                snake,
            ),
        }
    }

    /// What a bone is called; `None` if these rigs have no such bone.
    #[must_use]
    pub fn name(self, bone: Bone) -> Option<String> {
        let (sides, names, finger, fingers) = self.names();
        let side = match bone.side {
            Side::Middle => "",
            Side::Left => sides[0],
            Side::Right => sides[1],
        };
        let (which, phalanx) = match bone.part {
            Part::Thumb(n) => (0, n),
            Part::Index(n) => (1, n),
            Part::Middle(n) => (2, n),
            Part::Ring(n) => (3, n),
            Part::Little(n) => (4, n),
            body => {
                let index = BODY.iter().position(|part| *part == body)?;
                return Some(names[index].replace('*', side));
            }
        };
        let name = finger.replace('%', fingers[which]).replace('#', &phalanx.to_string()).replace('*', side);
        Some(name).filter(|name| !name.is_empty())
    }
}

/// In the order of the presets' names.
const BODY: [Part; 14] = [
    Part::Hips,
    Part::Spine,
    Part::Chest,
    Part::UpperChest,
    Part::Neck,
    Part::Head,
    Part::Shoulder,
    Part::UpperArm,
    Part::LowerArm,
    Part::Hand,
    Part::UpperLeg,
    Part::LowerLeg,
    Part::Foot,
    Part::Toes,
];

impl Bone {
    /// Every bone, from the hips outwards.
    pub fn all() -> impl Iterator<Item = Self> {
        let fingers = (1..=3_u8)
            .flat_map(|n| [Part::Thumb(n), Part::Index(n), Part::Middle(n), Part::Ring(n), Part::Little(n)]);
        BODY.into_iter().chain(fingers).flat_map(|part| {
            let sides: &[Side] =
                if part < Part::Shoulder { &[Side::Middle] } else { &[Side::Left, Side::Right] };
            sides.iter().map(move |side| Self { part, side: *side })
        })
    }

    /// As it is written in recipes: `hips`, `left_hand`, `right_index_1`.
    #[must_use]
    pub fn key(self) -> String {
        self.to_string().replace(" finger", "").replace(' ', "_")
    }

    /// The bone that is written so.
    ///
    /// # Errors
    ///
    /// [`NoSuchBone`].
    pub fn from_key(key: &str) -> Result<Self, NoSuchBone> {
        Self::all().find(|bone| bone.key() == key).ok_or_else(|| {
            let known: Vec<String> = Self::all().map(Self::key).collect();
            let near = nearest(key, known.iter().map(String::as_str)).map(str::to_owned);
            NoSuchBone { key: key.to_owned(), near }
        })
    }

    /// True for what everybody sees if it is wrong: all but fingers, toes and what bends a little.
    pub(super) fn is_plain(self) -> bool {
        let arm = matches!(self.part, Part::UpperArm | Part::LowerArm | Part::Hand);
        arm || self.is_needed()
    }

    /// What no human is without.
    #[must_use]
    pub fn is_needed(self) -> bool {
        matches!(self.part, Part::Hips | Part::UpperLeg | Part::LowerLeg | Part::Foot | Part::Head)
    }
}

/// A word that is no bone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no bone {key:?}{}", .near.as_ref().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default())]
pub struct NoSuchBone {
    /// The word.
    pub key: String,
    /// What may have been meant.
    pub near: Option<String>,
}

impl fmt::Display for Bone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Middle => "",
            Side::Left => "left ",
            Side::Right => "right ",
        };
        let (name, phalanx) = match self.part {
            Part::Hips => ("hips", None),
            Part::Spine => ("spine", None),
            Part::Chest => ("chest", None),
            Part::UpperChest => ("upper chest", None),
            Part::Neck => ("neck", None),
            Part::Head => ("head", None),
            Part::Shoulder => ("shoulder", None),
            Part::UpperArm => ("upper arm", None),
            Part::LowerArm => ("lower arm", None),
            Part::Hand => ("hand", None),
            Part::UpperLeg => ("upper leg", None),
            Part::LowerLeg => ("lower leg", None),
            Part::Foot => ("foot", None),
            Part::Toes => ("toes", None),
            Part::Thumb(n) => ("thumb", Some(n)),
            Part::Index(n) => ("index finger", Some(n)),
            Part::Middle(n) => ("middle finger", Some(n)),
            Part::Ring(n) => ("ring finger", Some(n)),
            Part::Little(n) => ("little finger", Some(n)),
        };
        write!(f, "{side}{name}")?;
        phalanx.map_or(Ok(()), |n| write!(f, " {n}"))
    }
}

impl BoneMap {
    /// The bones that a preset's names find; what stands before a `:` or `|` does not count, nor does case.
    #[must_use]
    pub fn by_preset(skeleton: &RawSkeleton, preset: Preset) -> Self {
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        for joint in skeleton.depth_first() {
            by_name.entry(bare(&skeleton.joints[joint].name).to_lowercase()).or_insert(joint);
        }
        let find = |bone: Bone| Some((bone, *by_name.get(&preset.name(bone)?.to_lowercase())?));
        Self { joints: Bone::all().filter_map(find).collect(), preset: Some(preset), ..Self::default() }
    }

    /// Heel and toes of a foot, as far as they are known.
    pub(crate) fn foot(&self, side: Side) -> Vec<usize> {
        let find = |part| self.joints.get(&Bone { part, side }).copied();
        [Part::Foot, Part::Toes].into_iter().filter_map(find).collect()
    }

    /// How a bone was found; `None` if it was not.
    #[must_use]
    pub fn how(&self, bone: Bone) -> Option<Found> {
        self.joints.get(&bone).map(|_| self.found.get(&bone).copied().unwrap_or(Found::Name))
    }

    /// Needed bones that were not found.
    pub fn missing(&self) -> impl Iterator<Item = Bone> {
        Bone::all().filter(|bone| bone.is_needed() && !self.joints.contains_key(bone))
    }
}

/// Without its namespace.
pub(super) fn bare(name: &str) -> &str {
    name.rsplit([':', '|']).next().unwrap_or(name)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mannequin;

    /// The mannequin with another rig's names.
    pub(in crate::retarget) fn renamed(preset: Preset, prefix: &str) -> RawSkeleton {
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

    /// The names of packs, in the order of [`BODY`] with the left side's; "" for what they do not have. What they call `*` is l or r
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
                let Some(index) = BODY.iter().position(|part| *part == bone.part) else { continue };
                let side = if bone.side == Side::Right { sides[1] } else { sides[0] };
                if !names[index].is_empty() {
                    skeleton.joints[*joint].name = names[index].replace('*', side);
                }
            }
            let map = BoneMap::guess(&skeleton);
            for (bone, joint) in &own.joints {
                let Some(index) = BODY.iter().position(|part| *part == bone.part) else { continue };
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
        assert!(Bone::all().all(|bone| Bone::from_key(&bone.key()) == Ok(bone)));
        assert!(
            keys.contains(&"left_upper_arm".into()) && keys.contains(&"right_index_1".into()),
            "{keys:?}"
        );
    }
}
