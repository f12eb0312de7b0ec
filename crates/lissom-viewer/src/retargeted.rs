//! Motions of other skeletons on the character: which joint is which bone, and what the user says of that.

use crate::{failure::Failure, source::Source};
use lissom_build::{
    raw::RawSkeleton,
    recipe::{FileRule, RecipeFile, quoted},
    retarget::{Bone, BoneNames, BoneTable, RetargetError},
    scene::Scene,
};
use std::collections::BTreeMap;

/// Joints by name; an empty name is no joint.
type Names = BTreeMap<Bone, String>;

/// One of the two skeletons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// What motions come from.
    Source,
    /// The character's.
    Target,
}

/// What the user says of bones: of the character once, of motions by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Corrections {
    target: Names,
    files: BTreeMap<String, Names>,
}

impl Corrections {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is said of all files.
    pub fn of_all(&self) -> BoneNames {
        BoneNames { target: self.target.clone(), ..BoneNames::default() }
    }

    /// What is said of single files.
    pub fn rules(&self) -> Vec<FileRule> {
        let rule = |(file, names): (&String, &Names)| {
            let bones = BoneNames { source: names.clone(), ..BoneNames::default() };
            let says = RecipeFile { bones: Some(bones), ..RecipeFile::default() };
            FileRule { files: file.clone(), says, line: None }
        };
        self.files.iter().map(rule).collect()
    }

    /// What is said of one file.
    fn of(&self, file: &str) -> BoneNames {
        BoneNames { source: self.files.get(file).cloned().unwrap_or_default(), ..self.of_all() }
    }

    /// What is said of a bone: a joint, or none (`""`); `None` if nothing is.
    pub fn get(&self, rig: &Rig, end: End, bone: Bone) -> Option<&str> {
        let names = match end {
            End::Source => self.files.get(rig.files.first()?)?,
            End::Target => &self.target,
        };
        names.get(&bone).map(String::as_str)
    }

    /// The same, where a bone is this joint, or none (`""`); `None`: as it is found.
    pub fn with(&self, rig: &Rig, end: End, bone: Bone, joint: Option<&str>) -> Self {
        let mut says = self.clone();
        let set = |names: &mut Names| {
            // No joint is two bones.
            names.retain(|other, own| other != &bone && (own.is_empty() || Some(own.as_str()) != joint));
            names.extend(joint.map(|joint| (bone, joint.to_owned())));
        };
        match end {
            End::Source => rig.files.iter().for_each(|file| set(says.files.entry(file.clone()).or_default())),
            End::Target => set(&mut says.target),
        }
        says.files.retain(|_, names| !names.is_empty());
        says
    }
}

/// Files whose skeletons have the same joints.
pub(crate) struct Rig {
    pub files: Vec<String>,
    pub skeleton: RawSkeleton,
    pub table: BoneTable,
}

/// Motions that were brought onto a character, or could not be.
pub(crate) struct Retargeted {
    /// The character's file, and its skeleton.
    pub onto: String,
    pub target: RawSkeleton,
    pub rigs: Vec<Rig>,
    /// What the user says; the tables are made with it.
    pub says: Corrections,
    /// What the user had said when the motions that are shown were brought over.
    shown: Corrections,
    /// The files of both, if the motions are shown without the character: none could be brought onto it.
    pub refused: Option<Vec<Source>>,
}

impl Retargeted {
    /// Of the character and the files whose motions need retargeting; `None` if there are none.
    pub fn new<'a>(
        (onto, character): (String, &Scene),
        motions: impl Iterator<Item = (&'a str, &'a Scene)>,
        says: Corrections,
    ) -> Option<Self> {
        let target = character.skeletons.first()?.skeleton.clone();
        let mut rigs: Vec<Rig> = Vec::new();
        for (file, scene) in motions {
            let moved = scene.animations.iter().find_map(|animation| animation.skeleton).unwrap_or(0);
            let Some(own) = scene.skeletons.get(moved).map(|own| &own.skeleton) else { continue };
            match rigs.iter_mut().find(|rig| has_same_joints(&rig.skeleton, own)) {
                Some(rig) => rig.files.push(file.into()),
                None => {
                    // What is said of joints that are gone stopped the motions, and was told; the table shows what there is.
                    let found = table(own, &target, &says.of(file));
                    let table = found.or_else(|_| table(own, &target, &BoneNames::default())).ok()?;
                    rigs.push(Rig { files: vec![file.into()], skeleton: own.clone(), table });
                }
            }
        }
        let shown = says.clone();
        (!rigs.is_empty()).then_some(Self { onto, target, rigs, says, shown, refused: None })
    }

    /// True if what is seen is what the user says.
    pub fn is_shown(&self) -> bool {
        self.refused.is_none() && self.says == self.shown
    }

    /// Takes up what the user says; what was said before. On an error, nothing has changed.
    pub fn correct(&mut self, says: Corrections) -> Result<Corrections, Failure> {
        let anew = |rig: &Rig| {
            let file = rig.files.first().map(String::as_str).unwrap_or_default();
            table(&rig.skeleton, &self.target, &says.of(file))
        };
        let tables: Result<Vec<BoneTable>, RetargetError> = self.rigs.iter().map(anew).collect();
        let tables = tables.map_err(|e| Failure(e.to_string()))?;
        self.rigs.iter_mut().zip(tables).for_each(|(rig, table)| rig.table = table);
        Ok(std::mem::replace(&mut self.says, says))
    }

    /// The lines of a recipe that say the same.
    pub fn to_toml(&self) -> String {
        if let [Rig { files, .. }] = &self.rigs[..]
            && let Some(file) = files.first()
        {
            return self.says.of(file).to_toml();
        }
        let mut text = self.says.of_all().to_toml();
        for rule in self.says.rules() {
            let bones = rule.says.bones.unwrap_or_default();
            text.push_str(&format!("[files.{}]\n{}", quoted(&rule.files), bones.to_toml()));
        }
        text
    }
}

fn table(source: &RawSkeleton, target: &RawSkeleton, names: &BoneNames) -> Result<BoneTable, RetargetError> {
    let (own, other) = names.maps(source, target)?;
    Ok(BoneTable::new((source, &own), (target, &other)))
}

/// True if joints of the same names hang on each other alike: what is said of one skeleton holds for the other.
fn has_same_joints(a: &RawSkeleton, b: &RawSkeleton) -> bool {
    let joint = |(a, b): (&lissom_build::raw::RawJoint, &lissom_build::raw::RawJoint)| {
        a.name == b.name && a.parent == b.parent
    };
    a.joints.len() == b.joints.len() && a.joints.iter().zip(&b.joints).all(joint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_build::{
        mannequin, recipe,
        retarget::{Part, Side},
        scene::SceneSkeleton,
    };

    const HAND: Bone = Bone { part: Part::Hand, side: Side::Left };
    const HEAD: Bone = Bone { part: Part::Head, side: Side::Middle };

    /// The mannequin, whose joints have a word before their names.
    fn scene(word: &str) -> Scene {
        let mut skeleton = mannequin::skeleton();
        skeleton.joints.iter_mut().for_each(|joint| joint.name.insert_str(0, word));
        let skeleton = SceneSkeleton { skeleton, ..SceneSkeleton::default() };
        Scene { skeletons: vec![skeleton], ..Scene::default() }
    }

    fn retargeted(says: Corrections) -> Retargeted {
        let [hero, one, other] = ["", "a:", "b:"].map(scene);
        let motions = [("one.bvh", &one), ("other.bvh", &other), ("two.bvh", &one)];
        Retargeted::new(("hero.glb".into(), &hero), motions.into_iter(), says).unwrap()
    }

    fn joint(rig: &Rig, bone: Bone) -> [Option<&str>; 2] {
        let row = rig.table.rows.iter().find(|row| row.bone == bone).unwrap();
        [&row.source, &row.target].map(|end| end.as_ref().map(|(name, _)| name.as_str()))
    }

    #[test]
    fn files_with_the_same_joints_are_corrected_together_and_others_are_not() {
        let mut all = retargeted(Corrections::default());
        assert!(all.rigs.iter().map(|rig| rig.files.len()).eq([2, 1]));
        let says = all.says.with(&all.rigs[0], End::Source, HAND, Some("a:hand_r"));
        let says = says.with(&all.rigs[0], End::Target, HEAD, Some(""));
        assert_eq!(all.correct(says.clone()), Ok(Corrections::default()));
        assert!(!all.is_shown());
        assert_eq!(joint(&all.rigs[0], HAND), [Some("a:hand_r"), Some("hand_l")]);
        assert_eq!(joint(&all.rigs[1], HAND), [Some("b:hand_l"), Some("hand_l")]);
        assert!(all.rigs.iter().all(|rig| joint(rig, HEAD)[1].is_none()), "the character is one");
        // As the pipeline takes it, and as a recipe has it.
        let recipe = recipe::read(all.to_toml().as_bytes()).unwrap();
        let own = RecipeFile { bones: Some(says.of_all()), files: says.rules(), ..RecipeFile::default() };
        for file in ["one.bvh", "two.bvh", "other.bvh"] {
            assert_eq!(recipe.bones_of(file), says.of(file), "{file}");
            assert_eq!(own.bones_of(file), says.of(file), "{file}");
        }
        // Opened again, it is the same.
        let again = retargeted(says);
        assert!(again.is_shown() && again.to_toml() == all.to_toml());
        assert!(again.rigs.iter().zip(&all.rigs).all(|(a, b)| a.table == b.table));
    }

    #[test]
    fn a_joint_that_there_is_not_changes_nothing() {
        let mut all = retargeted(Corrections::default());
        let says = all.says.with(&all.rigs[0], End::Source, HAND, Some("a:fist"));
        let Failure(why) = all.correct(says.clone()).unwrap_err();
        assert!(why.contains("a:fist") && all.says.is_empty() && all.is_shown(), "{why}");
        // A file that changed under a correction is listed as it is found.
        assert_eq!(joint(&retargeted(says).rigs[0], HAND), [Some("a:hand_l"), Some("hand_l")]);
    }

    #[test]
    fn no_joint_is_two_bones_and_nothing_is_left_of_what_is_taken_back() {
        let all = retargeted(Corrections::default());
        let rig = &all.rigs[0];
        let says = all.says.with(rig, End::Source, HAND, Some("a:chest"));
        let says = says.with(rig, End::Source, HEAD, Some("a:chest"));
        assert_eq!(
            (says.get(rig, End::Source, HAND), says.get(rig, End::Source, HEAD)),
            (None, Some("a:chest"))
        );
        assert!(says.with(rig, End::Source, HEAD, None).is_empty());
    }
}
