//! The bones of a human, what well-known rigs call them, and which joint is which.

mod find;

use crate::Skeleton;
use alloc::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

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
    /// The mannequin of `lissom-build`: `thigh_l`, `shin_l`.
    Mannequin,
}

/// What bones are found by: the joints of a skeleton, their names and what hangs on what.
pub trait Joints {
    /// How many joints there are.
    fn joint_count(&self) -> usize;
    /// The name of a joint.
    fn name(&self, joint: usize) -> &str;
    /// What a joint hangs on; `None` for a root.
    fn parent(&self, joint: usize) -> Option<usize>;
    /// All joints, each before what hangs on it, and all of that before the next beside it.
    fn depth_first(&self) -> Vec<usize>;

    /// True if a joint hangs on another, directly or not, or is it.
    fn is_above(&self, above: usize, joint: usize) -> bool {
        core::iter::successors(Some(joint), |at| self.parent(*at)).any(|at| at == above)
    }
}

impl Joints for Skeleton {
    fn joint_count(&self) -> usize {
        self.joint_count()
    }

    fn name(&self, joint: usize) -> &str {
        self.name(joint)
    }

    fn parent(&self, joint: usize) -> Option<usize> {
        self.parent(joint)
    }

    fn depth_first(&self) -> Vec<usize> {
        self.depth_first().collect()
    }
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
    pub ends: BTreeMap<Bone, [f64; 3]>,
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
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::all().find(|bone| bone.key() == key)
    }

    /// True for what everybody sees if it is wrong: all but fingers, toes and what bends a little.
    #[must_use]
    pub fn is_plain(self) -> bool {
        let arm = matches!(self.part, Part::UpperArm | Part::LowerArm | Part::Hand);
        arm || self.is_needed()
    }

    /// What no human is without.
    #[must_use]
    pub fn is_needed(self) -> bool {
        matches!(self.part, Part::Hips | Part::UpperLeg | Part::LowerLeg | Part::Foot | Part::Head)
    }
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
    pub fn by_preset(skeleton: &impl Joints, preset: Preset) -> Self {
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        for joint in skeleton.depth_first() {
            by_name.entry(bare(skeleton.name(joint)).to_lowercase()).or_insert(joint);
        }
        let find = |bone: Bone| Some((bone, *by_name.get(&preset.name(bone)?.to_lowercase())?));
        Self { joints: Bone::all().filter_map(find).collect(), preset: Some(preset), ..Self::default() }
    }

    /// Heel and toes of a foot, as far as they are known.
    #[must_use]
    pub fn foot(&self, side: Side) -> Vec<usize> {
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
fn bare(name: &str) -> &str {
    name.rsplit([':', '|']).next().unwrap_or(name)
}
