//! Which joint is which bone of a human: by the names of well-known rigs, or by words.

use crate::raw::RawSkeleton;
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

/// Words for parts, without their side, of which the joint's whole name consists. Whether a leg is the upper or the lower one is told by the others.
const WORDS: [(Part, &[&str]); 11] = [
    (Part::Hips, &["hips", "hip", "pelvis"]),
    (Part::Neck, &["neck", "neck1", "neck01"]),
    (Part::Head, &["head"]),
    (Part::Shoulder, &["shoulder", "clavicle", "collar", "collarbone"]),
    (Part::UpperArm, &["upperarm", "uparm", "arm", "uarm"]),
    (Part::LowerArm, &["lowerarm", "forearm", "loarm", "elbow", "larm"]),
    (Part::Hand, &["hand", "wrist"]),
    (Part::UpperLeg, &["upperleg", "upleg", "thigh"]),
    (Part::LowerLeg, &["lowerleg", "loleg", "calf", "shin", "knee"]),
    (Part::Foot, &["foot", "ankle"]),
    (Part::Toes, &["toes", "toe", "toebase", "ball"]),
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
    pub fn by_preset(skeleton: &RawSkeleton, preset: Preset) -> Self {
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        for joint in skeleton.depth_first() {
            by_name.entry(bare(&skeleton.joints[joint].name).to_lowercase()).or_insert(joint);
        }
        let find = |bone: Bone| Some((bone, *by_name.get(&preset.name(bone)?.to_lowercase())?));
        Self { joints: Bone::all().filter_map(find).collect(), preset: Some(preset) }
    }

    /// By the preset that finds most, if it finds all that is needed; else by words.
    #[must_use]
    pub fn guess(skeleton: &RawSkeleton) -> Self {
        let mut best: Option<Self> = None;
        for preset in Preset::ALL {
            let map = Self::by_preset(skeleton, preset);
            let more = best.as_ref().is_none_or(|best| map.joints.len() > best.joints.len());
            if map.missing().next().is_none() && more {
                best = Some(map);
            }
        }
        let mut map = best.unwrap_or_else(|| Self::by_words(skeleton));
        map.settle_hips(skeleton);
        map
    }

    /// Some rigs have a joint that carries the body and is called hips, and below it the one that legs and spine hang on.
    fn settle_hips(&mut self, skeleton: &RawSkeleton) {
        let hips = Bone { part: Part::Hips, side: Side::Middle };
        let ends = [(Part::UpperLeg, Side::Left), (Part::UpperLeg, Side::Right), (Part::Head, Side::Middle)];
        let ends = ends.map(|(part, side)| self.joints.get(&Bone { part, side }).copied());
        let (Some(named), [Some(left), Some(right), Some(head)]) = (self.joints.get(&hips).copied(), ends)
        else {
            return;
        };
        let mut at = Some(left);
        while let Some(joint) = at.filter(|joint| *joint != named) {
            if skeleton.is_above(joint, right) && skeleton.is_above(joint, head) {
                self.joints.insert(hips, joint);
                // It may have been taken for the first of the spine: a joint follows one bone, so the spine starts above it.
                if self.joints.iter().any(|(bone, own)| *bone != hips && *own == joint) {
                    self.joints.retain(|bone, own| *bone == hips || *own != joint);
                    self.find_spine(skeleton);
                }
                return;
            }
            at = skeleton.joints[joint].parent;
        }
    }

    /// Heel and toes of a foot, as far as they are known.
    pub(crate) fn foot(&self, side: Side) -> Vec<usize> {
        let find = |part| self.joints.get(&Bone { part, side }).copied();
        [Part::Foot, Part::Toes].into_iter().filter_map(find).collect()
    }

    /// Needed bones that were not found.
    pub fn missing(&self) -> impl Iterator<Item = Bone> {
        Bone::all().filter(|bone| bone.is_needed() && !self.joints.contains_key(bone))
    }

    fn by_words(skeleton: &RawSkeleton) -> Self {
        let mut map = Self::default();
        let mut legs: Vec<(Side, usize)> = Vec::new();
        for joint in skeleton.depth_first() {
            let (side, word) = side_and_word(&skeleton.joints[joint].name);
            let part = WORDS.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(part, _)| *part);
            if let Some(part) = part.or_else(|| finger(&word)) {
                let once = part < Part::Shoulder;
                if once == (side == Side::Middle) {
                    map.joints.entry(Bone { part, side }).or_insert(joint);
                }
            } else if word == "leg" && side != Side::Middle {
                legs.push((side, joint));
            }
        }
        for (side, joint) in legs {
            let (upper, lower) = (Bone { part: Part::UpperLeg, side }, Bone { part: Part::LowerLeg, side });
            let free = if map.joints.contains_key(&upper) { lower } else { upper };
            map.joints.entry(free).or_insert(joint);
        }
        map.find_spine(skeleton);
        map
    }

    /// The joints between hips and neck, whatever they are called: the first, one in the middle, the last.
    fn find_spine(&mut self, skeleton: &RawSkeleton) {
        let middle = |part| Bone { part, side: Side::Middle };
        let Some(hips) = self.joints.get(&middle(Part::Hips)).copied() else { return };
        let top = self.joints.get(&middle(Part::Neck)).or_else(|| self.joints.get(&middle(Part::Head)));
        let Some(top) = top.copied() else { return };
        let mut between = Vec::new();
        let mut at = skeleton.joints[top].parent;
        while let Some(joint) = at.filter(|joint| *joint != hips) {
            between.push(joint);
            at = skeleton.joints[joint].parent;
        }
        if at.is_none() {
            return;
        }
        between.reverse();
        let found = match between.as_slice() {
            [] => vec![],
            [one] => vec![(Part::Spine, *one)],
            [one, two] => vec![(Part::Spine, *one), (Part::Chest, *two)],
            all => {
                let (first, last) = (all[0], all[all.len() - 1]);
                vec![(Part::Spine, first), (Part::Chest, all[all.len() / 2]), (Part::UpperChest, last)]
            }
        };
        self.joints.extend(found.into_iter().map(|(part, joint)| (middle(part), joint)));
    }
}

/// Without its namespace.
fn bare(name: &str) -> &str {
    name.rsplit([':', '|']).next().unwrap_or(name)
}

/// Where a joint is, by the words of its name, and the other words, small, without what stands between them.
fn side_and_word(name: &str) -> (Side, String) {
    let mut words: Vec<String> = Vec::new();
    let mut small_before = false;
    for c in bare(name).chars() {
        if !c.is_alphanumeric() {
            words.push(String::new());
            small_before = false;
            continue;
        }
        if words.is_empty() || (c.is_uppercase() && small_before) {
            words.push(String::new());
        }
        small_before = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    let mut side = Side::Middle;
    words.retain(|word| {
        let found = match word.as_str() {
            "l" | "left" => Side::Left,
            "r" | "right" => Side::Right,
            _ => return true,
        };
        side = found;
        false
    });
    (side, words.concat())
}

/// `indexfinger1`, `pinky02`.
fn finger(word: &str) -> Option<Part> {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let number: u8 = word.get(name.len()..)?.parse().ok().filter(|n| (1..=3).contains(n))?;
    Some(match name.trim_end_matches("finger") {
        "thumb" => Part::Thumb(number),
        "index" => Part::Index(number),
        "middle" => Part::Middle(number),
        "ring" => Part::Ring(number),
        "little" | "pinky" => Part::Little(number),
        _ => return None,
    })
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
}
