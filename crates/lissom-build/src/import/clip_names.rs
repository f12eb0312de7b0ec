//! Names that can be told apart: of clips, of joints, of what stands in an archive.

use crate::scene::Scene;
use std::collections::{BTreeMap, BTreeSet};

/// The file's name without folder and extension; `walk` for `walk.acl.sjson`.
#[must_use]
pub fn stem(path: &std::path::Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let lower = name.to_ascii_lowercase();
    if let Some(length) = lower.strip_suffix(".acl.sjson").map(str::len) {
        return name.get(..length).unwrap_or(&name).to_owned();
    }
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Names given so far. A name that is taken gets the first free suffix: `walk`, `walk_2`, `walk_3`.
#[derive(Clone, Debug, Default)]
pub struct UniqueNames {
    taken: BTreeSet<String>,
    /// The next suffix to try for a name, so that a thousand equal names cost a thousand steps.
    next: BTreeMap<String, u32>,
}

impl UniqueNames {
    /// The name itself, or with a suffix if it is taken.
    pub fn give(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let tried = format!("{name}_{next}");
            *next = next.saturating_add(1);
            if self.taken.insert(tried.clone()) {
                return tried;
            }
        }
    }
}

/// Names that programs give where nobody gave one, in lower case; digits, spaces and dots at their ends do not count.
const PLACEHOLDERS: [&str; 18] = [
    "",
    "action",
    "anim",
    "animation",
    "animstack",
    "armature",
    "armatureaction",
    "base layer",
    "baselayer",
    "clip",
    "default",
    "layer",
    "mixamo.com",
    "motion",
    "scene",
    "take",
    "unnamed",
    "untitled",
];

/// True if no part of the name says what moves: `mixamo.com`, `Take 001`, `Armature|Take 001|BaseLayer`.
fn says_nothing(name: &str) -> bool {
    let bare = |part: &str| {
        part.to_lowercase().trim_matches(|c: char| c.is_ascii_digit() || " ._-#".contains(c)).to_owned()
    };
    name.split('|').all(|part| PLACEHOLDERS.contains(&bare(part).as_str()))
}

/// Gives a file's only animation the name of the file if its own says nothing.
pub(super) fn name_after_file(scene: &mut Scene, stem: &str) {
    if let [only] = scene.animations.as_mut_slice()
        && !stem.is_empty()
        && says_nothing(&only.motion.name)
    {
        stem.clone_into(&mut only.motion.name);
    }
}

/// Names every animation: as the file does, else as the file is called if it is its only one, else by its index.
/// Names that stand twice get a suffix and a warning.
pub(super) fn name_animations(scene: &mut Scene, stem: &str) {
    let mut names = UniqueNames::default();
    let alone = scene.animations.len() == 1;
    let mut changed = Vec::new();
    for (index, animation) in scene.animations.iter_mut().enumerate() {
        let name = &mut animation.motion.name;
        if name.is_empty() {
            *name = if alone && !stem.is_empty() { stem.to_owned() } else { index.to_string() };
        }
        let given = names.give(name);
        if given != *name {
            let text = format!("an animation before it is called {name:?} too; this one is now {given:?}");
            changed.push((format!("animation {index}"), text));
            *name = given;
        }
    }
    changed.into_iter().for_each(|(place, text)| scene.warn(place, text));
}

/// Makes joint names unique; a joint without a name is called by its index.
pub(super) fn name_joints(scene: &mut Scene) {
    let mut changed = Vec::new();
    for (index, skeleton) in scene.skeletons.iter_mut().enumerate() {
        let mut names = UniqueNames::default();
        let mut repeated = 0;
        let mut first = None;
        for (joint, j) in skeleton.skeleton.joints.iter_mut().enumerate() {
            let wanted = if j.name.is_empty() { joint.to_string() } else { j.name.clone() };
            let given = names.give(&wanted);
            if given != wanted {
                repeated = usize::saturating_add(repeated, 1);
                first.get_or_insert(wanted);
            }
            j.name = given;
        }
        if let Some(first) = first {
            let text =
                format!("{repeated} joint names stood twice (the first: {first:?}); they have a suffix now");
            changed.push((format!("skeleton {index}"), text));
        }
    }
    changed.into_iter().for_each(|(place, text)| scene.warn(place, text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::{RawJoint, RawSkeleton};
    use crate::scene::{SceneAnimation, SceneSkeleton};
    use std::path::Path;

    #[test]
    fn a_stem_has_neither_folder_nor_extension() {
        for (path, name) in
            [("a/walk.bvh", "walk"), ("walk.ACL.sjson", "walk"), ("a.b.glb", "a.b"), ("x", "x"), ("", "")]
        {
            assert_eq!(stem(Path::new(path)), name);
        }
    }

    #[test]
    fn clips_are_called_as_the_file_says_else_like_the_file_else_by_index() {
        let named = |names: &[&str]| {
            let mut scene = Scene::default();
            for name in names {
                let mut a = SceneAnimation::default();
                a.motion.name = (*name).into();
                scene.animations.push(a);
            }
            name_animations(&mut scene, "file");
            let names: Vec<_> = scene.animations.into_iter().map(|a| a.motion.name).collect();
            (names.join(" "), scene.warnings.len())
        };
        assert_eq!(named(&["run"]), ("run".into(), 0));
        assert_eq!(named(&[""]), ("file".into(), 0));
        assert_eq!(named(&["", "run", ""]), ("0 run 2".into(), 0));
        assert_eq!(named(&["a", "a", "a_2", "a"]), ("a a_2 a_2_2 a_3".into(), 3));
    }

    #[test]
    fn a_name_that_says_nothing_gives_way_to_that_of_the_file() {
        let named = |names: &[&str]| {
            let mut scene = Scene::default();
            for name in names {
                let mut a = SceneAnimation::default();
                a.motion.name = (*name).into();
                scene.animations.push(a);
            }
            name_after_file(&mut scene, "Rumba Dancing");
            scene.animations.into_iter().map(|a| a.motion.name).collect::<Vec<_>>()
        };
        for nothing in [
            "mixamo.com",
            "Take 001",
            "Armature|mixamo.com|Layer0",
            "Armature|ArmatureAction.001",
            "Armature|Take 001|BaseLayer",
            "0",
        ] {
            assert_eq!(named(&[nothing]), ["Rumba Dancing"], "{nothing}");
        }
        for something in ["walk", "Armature|Walk", "mixamo", "take off"] {
            assert_eq!(named(&[something]), [something]);
        }
        assert_eq!(named(&["Take 001", "Take 002"]), ["Take 001", "Take 002"], "they are told apart");
    }

    #[test]
    fn joints_can_be_told_apart() {
        let joint = |name: &str| RawJoint { name: name.into(), ..Default::default() };
        let skeleton = RawSkeleton { joints: ["a", "", "a", "1"].map(joint).to_vec() };
        let mut scene = Scene {
            skeletons: vec![SceneSkeleton { name: String::new(), skeleton, ..Default::default() }],
            ..Default::default()
        };
        name_joints(&mut scene);
        let names: Vec<_> = scene.skeletons[0].skeleton.joints.iter().map(|j| j.name.as_str()).collect();
        assert_eq!(names, ["a", "1", "a_2", "1_2"]);
        assert_eq!(scene.warnings.len(), 1);
    }
}
