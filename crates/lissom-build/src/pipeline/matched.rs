//! Databases for motion matching, and the mirrored clips that they ask for.

use super::{InputError, Plan, file::Opened, watch::Watcher};
use crate::{
    edit::EditKind,
    import::Axis,
    matching::{self, CookedMatching, MIRRORED, MatchedMotion, MatchingError},
};
use std::collections::{BTreeMap, BTreeSet};

/// A database for motion matching that is in the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchingReport {
    /// Its name.
    pub name: String,
    /// How many frames it has.
    pub frames: usize,
    /// How many of them a search may find.
    pub candidates: usize,
    /// How long they last.
    pub seconds: f64,
    /// How many features each has.
    pub features: usize,
    /// Bytes in the archive.
    pub bytes: usize,
    /// Numbers that were too far from the mean to be stored, by clip: a glitch of the motion.
    pub clamped: BTreeMap<String, usize>,
}

impl MatchingReport {
    pub(super) fn new(cooked: CookedMatching, bytes: usize) -> Self {
        Self {
            frames: cooked.frames(),
            candidates: cooked.candidates,
            seconds: cooked.seconds(),
            features: cooked.parts.features.len(),
            bytes,
            name: cooked.name,
            clamped: cooked.clamped,
        }
    }
}

/// Adds mirrored copies of clips, each once and behind the clips of its file; their names.
pub(super) fn add_mirrored(
    plan: &Plan,
    opened: &mut [Result<Opened, InputError>],
    watcher: &Watcher<'_>,
) -> BTreeSet<String> {
    let mut copies = BTreeSet::new();
    let rules = || plan.matching.iter().filter(|rule| rule.mirrored);
    if rules().next().is_none() {
        return copies;
    }
    let all = opened.iter().flatten().flat_map(|o| &o.file.scene.animations);
    let names: BTreeSet<String> = all.map(|a| a.motion.name.clone()).collect();
    for opened in opened.iter_mut().flatten() {
        let scene = &mut opened.file.scene;
        let needs = &mut opened.prepared.edited.needs;
        for at in 0..scene.animations.len() {
            let own = &scene.animations[at];
            let name = &own.motion.name;
            if name.strip_suffix(MIRRORED).is_some_and(|of| names.contains(of)) {
                // An archive that is cooked again has them already.
                copies.insert(name.clone());
                continue;
            }
            let is_new = !names.contains(&format!("{name}{MIRRORED}"));
            let is_asked = is_new && rules().any(|rule| rule.picks(name).next().is_some());
            let skeleton = own.skeleton.and_then(|s| scene.skeletons.get(s));
            let (true, Some(skeleton)) = (is_asked, skeleton) else { continue };
            // What cannot be mirrored has tracks for another skeleton: cooking says so.
            let Ok(mut copy) = own.edited(&skeleton.skeleton, &EditKind::Mirror(Some(Axis::X))) else {
                continue;
            };
            copy.motion.name.push_str(MIRRORED);
            copy.kept = None;
            copies.insert(copy.motion.name.clone());
            scene.animations.push(copy);
            if needs.len() > at {
                needs.resize(scene.animations.len() - 1, Default::default());
                needs.push(needs[at].clone());
            }
            watcher.add(1);
        }
    }
    copies
}

/// All databases, or what is wrong with each.
pub(super) fn all(
    plan: &Plan,
    opened: &[Result<Opened, InputError>],
    copies: &BTreeSet<String>,
) -> Vec<Result<CookedMatching, InputError>> {
    let mut motions = Vec::new();
    for opened in opened.iter().flatten() {
        for animation in &opened.file.scene.animations {
            let skeleton = animation.skeleton.and_then(|s| opened.file.scene.skeletons.get(s));
            let built = animation.skeleton.and_then(|s| opened.skeletons.get(s));
            let (Some(skeleton), Some(built)) = (skeleton, built) else { continue };
            motions.push(MatchedMotion {
                name: &animation.motion.name,
                mirrored: copies.contains(&animation.motion.name),
                animation,
                skeleton: &skeleton.skeleton,
                identity: built.skeleton.identity(),
            });
        }
    }
    let cook = |rule: &matching::MatchingRule| {
        // Copies are for those that ask for them.
        let own: Vec<_> = motions.iter().filter(|m| rule.mirrored || !m.mirrored).copied().collect();
        let wrong = |source: MatchingError| {
            let (name, source) = (rule.name.clone(), Box::new(source));
            InputError::Matching { name, source }
        };
        matching::cook(rule, &own).map_err(wrong)
    };
    plan.matching.iter().map(cook).collect()
}
