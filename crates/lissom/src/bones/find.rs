//! Which joint is which bone: by the names of well-known rigs, by words, and by what hangs on what.

use super::{Bone, BoneMap, Found, Joints, Part, Preset, Side, bare};
use alloc::{borrow::ToOwned, collections::BTreeMap, string::String, vec, vec::Vec};

/// Words for parts, without their side, of which the joint's whole name consists. Numbers after them do not count.
const WORDS: [(Part, &[&str]); 11] = [
    (Part::Hips, &["hips", "hip", "pelvis"]),
    (Part::Neck, &["neck", "necktwist", "necklower"]),
    (Part::Head, &["head"]),
    (Part::Shoulder, &["shoulder", "clavicle", "collar", "collarbone"]),
    (
        Part::UpperArm,
        &["upperarm", "uparm", "uarm", "armupper", "upperarmbend", "shldr", "shldrbend", "bicep", "humerus"],
    ),
    (
        Part::LowerArm,
        &["lowerarm", "forearm", "loarm", "larm", "armlower", "lowerarmbend", "forearmbend", "elbow"],
    ),
    (Part::Hand, &["hand", "wrist", "fist", "palm"]),
    (Part::UpperLeg, &["upperleg", "upleg", "uleg", "legupper", "thigh", "thighbend", "femur"]),
    (Part::LowerLeg, &["lowerleg", "loleg", "lleg", "leglower", "calf", "shin", "shinbend", "knee", "tibia"]),
    (Part::Foot, &["foot", "ankle"]),
    (Part::Toes, &["toes", "toe", "toebase", "ball"]),
];

/// Ends of arms or of legs.
const PAWS: [&str; 4] = ["paw", "hoof", "claw", "talon"];

/// Words that say nothing of what a joint is.
const NOISE: [&str; 24] = [
    "armature",
    "b",
    "base",
    "bind",
    "bip",
    "bip01",
    "bip001",
    "bip02",
    "biped",
    "bone",
    "c",
    "cc",
    "character",
    "character1",
    "def",
    "deform",
    "j",
    "jnt",
    "joint",
    "mixamorig",
    "org",
    "sk",
    "skeleton",
    "valve",
];

/// Words of joints that are no bones: helpers, ends, and what a hand has beside it.
const HELPERS: [&str; 29] = [
    "twist", "roll", "ik", "fk", "pole", "pt", "target", "ctrl", "control", "helper", "slot", "socket",
    "attach", "weapon", "prop", "end", "leaf", "nub", "tip", "thumb", "index", "middle", "ring", "pinky",
    "little", "finger", "fingers", "toe", "toes",
];

/// From the body outwards.
const ARM: [Part; 4] = [Part::Shoulder, Part::UpperArm, Part::LowerArm, Part::Hand];
const LEG: [Part; 4] = [Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes];
const SIDES: [Side; 2] = [Side::Left, Side::Right];

fn middle(part: Part) -> Bone {
    Bone { part, side: Side::Middle }
}

impl BoneMap {
    /// By the preset that finds most, if it finds all that is needed, and by words; what is still missing, by what hangs on what.
    #[must_use]
    pub fn guess(skeleton: &impl Joints) -> Self {
        Self::corrected(skeleton, &[])
    }

    /// The same where some bones are known: each is this joint, or none.
    #[must_use]
    pub fn corrected(skeleton: &impl Joints, known: &[(Bone, Option<usize>)]) -> Self {
        let mut best: Option<Self> = None;
        for preset in Preset::ALL {
            let map = Self::by_preset(skeleton, preset);
            let more = best.as_ref().is_none_or(|best| map.joints.len() > best.joints.len());
            if map.missing().next().is_none() && more {
                best = Some(map);
            }
        }
        let mut map = best.unwrap_or_default();
        map.find_words(skeleton);
        for (bone, joint) in known {
            map.joints.retain(|other, own| other != bone && Some(*own) != *joint);
            if let Some(joint) = joint {
                map.joints.insert(*bone, *joint);
                map.found.insert(*bone, Found::Corrected);
            }
        }
        let told = |bone: Bone| known.iter().any(|(own, _)| *own == bone);
        map.find_limbs(skeleton, &told);
        if !told(middle(Part::Hips)) {
            map.find_hips(skeleton);
        }
        if map.preset.is_none() {
            map.find_spine(skeleton, &told);
        }
        map
    }

    /// Adds what was found by what hangs on what.
    fn chain(&mut self, bone: Bone, joint: usize) {
        if !self.joints.values().any(|own| *own == joint) {
            self.joints.insert(bone, joint);
            self.found.insert(bone, Found::Chain);
        }
    }

    fn at(&self, part: Part, side: Side) -> Option<usize> {
        self.joints.get(&Bone { part, side }).copied()
    }

    /// Bones that no preset found, by the words of their names. Fingers only where there is no preset: it knows them.
    fn find_words(&mut self, skeleton: &impl Joints) {
        let names = Names::new(skeleton);
        let taken: Vec<usize> = self.joints.values().copied().collect();
        let mut found: BTreeMap<Bone, Vec<usize>> = BTreeMap::new();
        let (mut rows, mut paws, mut hips) = (Vec::new(), Vec::new(), Vec::new());
        let mut fingers: BTreeMap<Bone, usize> = BTreeMap::new();
        for joint in skeleton.depth_first() {
            if taken.contains(&joint) {
                continue;
            }
            let (side, word) = names.side_and_word(joint);
            let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
            let part = WORDS.iter().find(|(_, words)| words.contains(&stem)).map(|(part, _)| *part);
            match part {
                Some(Part::Hips) if side != Side::Middle => hips.push((side, joint)),
                Some(part) if (part < Part::Shoulder) == (side == Side::Middle) => {
                    found.entry(Bone { part, side }).or_default().push(joint);
                }
                _ if side == Side::Middle => {}
                _ if stem == "leg" => rows.push((side, joint, &LEG[..])),
                _ if stem == "arm" => rows.push((side, joint, &ARM[1..])),
                _ if PAWS.contains(&stem) => paws.push((side, joint)),
                _ => {
                    if let Some(part) = finger(&word).filter(|_| self.preset.is_none()) {
                        fingers.entry(Bone { part, side }).or_insert(joint);
                    }
                }
            }
        }
        for (bone, joints) in &found {
            self.joints.entry(*bone).or_insert(joints[0]);
        }
        // Clavicle and shoulder, ankle and foot: the second of them is the next bone, unless that has a name of its own.
        for (bone, joints) in &found {
            let next = match bone.part {
                Part::Shoulder => Part::UpperArm,
                Part::Foot => Part::Toes,
                _ => continue,
            };
            if let [first, second, ..] = joints[..]
                && skeleton.is_above(first, second)
            {
                self.joints.entry(Bone { part: next, ..*bone }).or_insert(second);
            }
        }
        for (side, joint) in hips {
            self.joints.entry(Bone { part: Part::UpperLeg, side }).or_insert(joint);
        }
        // `leg`, or `leg1`, `leg2`, `leg3`: which of them is which is told by the others.
        for (side, joint, parts) in rows {
            let free = parts.iter().find(|part| !self.joints.contains_key(&Bone { part: **part, side }));
            if let Some(part) = free {
                self.joints.insert(Bone { part: *part, side }, joint);
            }
        }
        for (side, joint) in paws {
            for (above, part) in [(Part::LowerArm, Part::Hand), (Part::LowerLeg, Part::Foot)] {
                if self.at(above, side).is_some_and(|above| skeleton.is_above(above, joint)) {
                    self.joints.entry(Bone { part, side }).or_insert(joint);
                }
            }
        }
        for (bone, joint) in fingers {
            self.joints.entry(bone).or_insert(joint);
        }
    }

    /// Limbs with a gap, and ends without a name that is known: by what hangs on what.
    fn find_limbs(&mut self, skeleton: &impl Joints, told: &dyn Fn(Bone) -> bool) {
        let names = Names::new(skeleton);
        for side in SIDES {
            for [above, part, below] in [
                [Part::Shoulder, Part::UpperArm, Part::LowerArm],
                [Part::UpperArm, Part::LowerArm, Part::Hand],
                [Part::UpperLeg, Part::LowerLeg, Part::Foot],
            ] {
                let bone = Bone { part, side };
                let ends = self.at(above, side).zip(self.at(below, side));
                let Some((above, below)) = ends.filter(|_| !self.joints.contains_key(&bone) && !told(bone))
                else {
                    continue;
                };
                let between = core::iter::successors(skeleton.parent(below), |at| skeleton.parent(*at))
                    .take_while(|at| *at != above)
                    .collect::<Vec<_>>();
                if let ([joint], true) = (&between[..], skeleton.is_above(above, below)) {
                    self.chain(bone, *joint);
                }
            }
            for (above, part) in [
                (Part::UpperArm, Part::LowerArm),
                (Part::LowerArm, Part::Hand),
                (Part::UpperLeg, Part::LowerLeg),
                (Part::LowerLeg, Part::Foot),
            ] {
                self.find_end(skeleton, &names, self.at(above, side), Bone { part, side }, told);
            }
        }
        self.find_end(skeleton, &names, self.at(Part::Neck, Side::Middle), middle(Part::Head), told);
    }

    /// The only child of a joint, or the one that far more hangs on than on the others. A leaf that only marks an end is a foot or a
    /// head if there is no other; nobody sees what it does, but it tells how long the leg is.
    fn find_end(
        &mut self,
        skeleton: &impl Joints,
        names: &Names,
        above: Option<usize>,
        bone: Bone,
        told: &dyn Fn(Bone) -> bool,
    ) {
        let Some(above) = above.filter(|_| !self.joints.contains_key(&bone) && !told(bone)) else { return };
        let children: Vec<usize> =
            (0..skeleton.joint_count()).filter(|joint| skeleton.parent(*joint) == Some(above)).collect();
        let below =
            |joint: usize| (0..skeleton.joint_count()).filter(|at| skeleton.is_above(joint, *at)).count();
        let mut real: Vec<(usize, usize)> = children
            .iter()
            .filter(|joint| !names.is_helper(**joint) && names.side(**joint) != Some(opposite(bone.side)))
            .map(|joint| (below(*joint), *joint))
            .collect();
        real.sort_unstable_by(|a, b| b.cmp(a));
        let found = match (&real[..], &children[..]) {
            ([(_, one)], _) => Some(*one),
            ([(most, one), (next, _), ..], _) if *most > *next => Some(*one),
            ([], [one]) if bone.is_needed() => Some(*one),
            _ => None,
        };
        if let Some(joint) = found {
            self.chain(bone, joint);
        }
    }

    /// Some rigs have a joint that carries the body and is called hips, and below it the one that legs and spine hang on; some have no
    /// joint of that name.
    fn find_hips(&mut self, skeleton: &impl Joints) {
        let legs = SIDES.map(|side| self.at(Part::UpperLeg, side));
        let top = [Part::Head, Part::Neck, Part::Chest, Part::Spine].into_iter();
        let top = top.filter_map(|part| self.at(part, Side::Middle)).next();
        let ([Some(left), Some(right)], Some(top)) = (legs, top) else { return };
        let named = self.at(Part::Hips, Side::Middle);
        let mut at = skeleton.parent(left);
        while let Some(joint) = at.filter(|joint| Some(*joint) != named) {
            if skeleton.is_above(joint, right) && skeleton.is_above(joint, top) {
                // It may have been taken for the first of the spine: a joint follows one bone, so the spine starts above it.
                let taken = self.joints.values().any(|own| *own == joint);
                self.joints.retain(|_, own| *own != joint);
                self.joints.insert(middle(Part::Hips), joint);
                self.found.insert(middle(Part::Hips), Found::Chain);
                if taken {
                    self.find_spine(skeleton, &|_| false);
                }
                return;
            }
            at = skeleton.parent(joint);
        }
    }

    /// The joints between hips and neck, whatever they are called: the first, one in the middle, the last.
    fn find_spine(&mut self, skeleton: &impl Joints, told: &dyn Fn(Bone) -> bool) {
        let Some(hips) = self.at(Part::Hips, Side::Middle) else { return };
        let top = self.at(Part::Neck, Side::Middle).or_else(|| self.at(Part::Head, Side::Middle));
        let Some(top) = top else { return };
        let mut between = Vec::new();
        let mut at = skeleton.parent(top);
        while let Some(joint) = at.filter(|joint| *joint != hips) {
            between.push(joint);
            at = skeleton.parent(joint);
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
        for (part, joint) in found {
            let told_of = self.joints.iter().any(|(bone, own)| *own == joint && told(*bone));
            if !told(middle(part)) && !told_of {
                self.joints.insert(middle(part), joint);
                self.found.insert(middle(part), Found::Chain);
            }
        }
    }
}

fn opposite(side: Side) -> Side {
    match side {
        Side::Left => Side::Right,
        Side::Right => Side::Left,
        Side::Middle => Side::Middle,
    }
}

/// The words of joints' names.
struct Names {
    words: Vec<Vec<String>>,
}

impl Names {
    fn new(skeleton: &impl Joints) -> Self {
        let mut words: Vec<Vec<String>> =
            (0..skeleton.joint_count()).map(|joint| split(skeleton.name(joint))).collect();
        // A word that most names begin with is the character's, or the program's.
        let mut firsts: BTreeMap<String, usize> = BTreeMap::new();
        words
            .iter()
            .filter_map(|words| words.first())
            .for_each(|word| *firsts.entry(word.clone()).or_default() += 1);
        let common = firsts.into_iter().find(|(_, count)| *count * 2 > words.len() && words.len() > 4);
        for words in &mut words {
            if words.len() > 1 && words.first() == common.as_ref().map(|(word, _)| word) {
                words.remove(0);
            }
            let said = |word: &String| !NOISE.contains(&word.as_str());
            if words.iter().any(|word| said(word) && side_of(word).is_none()) {
                words.retain(said);
            }
        }
        Self { words }
    }

    fn side(&self, joint: usize) -> Option<Side> {
        self.words[joint].iter().rev().find_map(|word| side_of(word))
    }

    /// Where a joint is, by the words of its name, and the other words, small, without what stands between them.
    fn side_and_word(&self, joint: usize) -> (Side, String) {
        let others = self.words[joint].iter().filter(|word| side_of(word).is_none());
        (self.side(joint).unwrap_or(Side::Middle), others.map(String::as_str).collect())
    }

    fn is_helper(&self, joint: usize) -> bool {
        let bare = |word: &String| word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        self.words[joint].iter().any(|word| HELPERS.contains(&bare(word).as_str()))
    }
}

fn side_of(word: &str) -> Option<Side> {
    match word {
        "l" | "left" => Some(Side::Left),
        "r" | "right" => Some(Side::Right),
        _ => None,
    }
}

/// `mixamorig:LeftUpLeg` is left, up, leg.
fn split(name: &str) -> Vec<String> {
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
    words.retain(|word| !word.is_empty());
    words
}

/// `indexfinger1`, `pinky02`, `thumbproximal`; of Biped `finger21`, the second joint of the middle finger.
fn finger(word: &str) -> Option<Part> {
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.get(name.len()..)?;
    if name == "finger" {
        let (which, number) = (digits.get(..1)?, digits.get(1..)?);
        let number = if number.is_empty() { 1 } else { number.parse::<u8>().ok()?.checked_add(1)? };
        return numbered(["0", "1", "2", "3", "4"].iter().position(|own| *own == which)?, number);
    }
    let (name, number) = if digits.is_empty() {
        let phalanx = [("proximal", 1), ("intermediate", 2), ("distal", 3)];
        phalanx.iter().find_map(|(end, number)| Some((name.strip_suffix(end)?, *number)))?
    } else {
        (name, digits.parse::<u8>().ok()?)
    };
    let which = match name.trim_start_matches("hand").trim_end_matches("finger") {
        "thumb" => 0,
        "index" => 1,
        "middle" => 2,
        "ring" => 3,
        "little" | "pinky" => 4,
        _ => return None,
    };
    numbered(which, number)
}

fn numbered(which: usize, number: u8) -> Option<Part> {
    let kinds: [fn(u8) -> Part; 5] = [Part::Thumb, Part::Index, Part::Middle, Part::Ring, Part::Little];
    kinds.get(which).filter(|_| (1..=3).contains(&number)).map(|kind| kind(number))
}
