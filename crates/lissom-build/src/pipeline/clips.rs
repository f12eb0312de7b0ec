//! Which clip is meant.

use crate::{scene::Scene, text::words};
use lissom::archive::{self, clip_ends_with};

/// The clip that is meant: by name, by the file's stem if the file has one clip, by index, or as [`clip_called`](archive::clip_called) finds
/// it.
#[must_use]
pub fn find_clip(names: &[String], stem: &str, wanted: &str) -> Option<usize> {
    let by_name = names.iter().position(|n| n == wanted);
    let by_stem = || (wanted == stem && names.len() == 1).then_some(0);
    let by_index = || wanted.parse().ok().filter(|i| *i < names.len());
    by_name.or_else(by_stem).or_else(by_index).or_else(|| clip_called(names, wanted))
}

/// The clip that a name means in a recipe, a graph or on a command line, as at run time.
#[must_use]
pub(crate) fn clip_called(names: &[String], wanted: &str) -> Option<usize> {
    archive::clip_called(names.iter().map(String::as_str), wanted)
}

/// Names that may be meant by one that [`find_clip`] does not find, nearest first: those that end with it, and those
/// that a few letters turn into it.
#[must_use]
pub fn similar_clips<'a>(names: &'a [String], wanted: &str) -> Vec<&'a str> {
    const SHOWN: usize = 3;
    let most = words::allowed(wanted.chars().count());
    let distance = |name: &str| {
        if clip_ends_with(name, wanted) {
            return 0;
        }
        let ends = archive::clip_name_ends(name).map(|word| words::letters_between(word, wanted));
        ends.into_iter().min().unwrap_or(usize::MAX)
    };
    let mut found: Vec<(usize, &str)> = names.iter().map(|n| (distance(n), n.as_str())).collect();
    found.retain(|(distance, _)| *distance <= most && !wanted.is_empty());
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(SHOWN).map(|(_, name)| name).collect()
}

/// ` (did you mean "walk"?)`, or nothing.
#[must_use]
pub fn did_you_mean(names: &[String], wanted: &str) -> String {
    let similar = similar_clips(names, wanted);
    if similar.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = similar.iter().map(|n| format!("{n:?}")).collect();
    format!(" (did you mean {}?)", quoted.join(" or "))
}

/// Leaves only the clips asked for, all if none is; gives the names of the others.
pub(super) fn keep_clips(scene: &mut Scene, stem: &str, wanted: &[String]) -> Vec<String> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let names: Vec<String> = scene.animations.iter().map(|a| a.motion.name.clone()).collect();
    let kept: Vec<usize> = wanted.iter().filter_map(|w| find_clip(&names, stem, w)).collect();
    if kept.is_empty() && !names.is_empty() {
        scene.warn("", format!("none of the {} clips asked for is in this file", wanted.len()));
    }
    let mut index = 0;
    scene.animations.retain(|_| {
        index += 1;
        kept.contains(&(index - 1))
    });
    let left_out = names.into_iter().enumerate().filter(|(index, _)| !kept.contains(index));
    left_out.map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: &[&str]) -> Vec<String> {
        n.iter().map(|s| (*s).to_owned()).collect()
    }

    #[test]
    fn a_clip_is_found_by_name_then_by_stem_then_by_index() {
        let two = names(&["walk", "0"]);
        assert_eq!(find_clip(&two, "file", "walk"), Some(0));
        assert_eq!(find_clip(&two, "file", "0"), Some(1), "a name goes before an index");
        assert_eq!(find_clip(&two, "file", "1"), Some(1));
        assert_eq!(find_clip(&two, "file", "file"), None);
        assert_eq!(find_clip(&names(&["Take 001"]), "run", "run"), Some(0));
        assert_eq!(find_clip(&[], "file", "0"), None);
    }

    #[test]
    fn case_and_what_stands_before_may_be_left_out_if_one_clip_alone_is_meant() {
        let fox =
            names(&["AnimalArmature|Gallop", "AnimalArmature|Gallop_Jump", "AnimalArmature|Walk", "idle"]);
        for (wanted, found) in [
            ("Gallop", Some(0)),
            ("gallop", Some(0)),
            ("jump", Some(1)),
            ("IDLE", Some(3)),
            ("lop", None),
            ("", None),
        ] {
            assert_eq!(find_clip(&fox, "fox", wanted), found, "{wanted}");
        }
        assert_eq!(find_clip(&names(&["a|walk", "b|walk"]), "", "walk"), None, "two are meant");
        let both = names(&["Armature|Idle", "Armature|Jump_Idle", "Armature|Run_Back"]);
        assert_eq!(
            clip_called(&both, "idle"),
            Some(0),
            "what stands whole behind the bar goes before an ending"
        );
        assert_eq!(clip_called(&both, "jump_idle"), Some(1));
        assert_eq!(clip_called(&both, "back"), Some(2));
        assert_eq!(clip_called(&both, "1"), None, "a graph names no clip by its number");
        assert_eq!(
            clip_called(&names(&["a|idle", "b|idle", "jump_idle"]), "idle"),
            None,
            "two are called so"
        );
        assert_eq!(find_clip(&names(&["Walk", "walk"]), "", "WALK"), None, "two are meant");
    }

    #[test]
    fn who_mistypes_is_told_what_there_is() {
        let fox = names(&["Armature|Gallop", "Armature|Walk", "Armature|Walk_Slow", "Idle"]);
        assert_eq!(similar_clips(&fox, "galop"), ["Armature|Gallop"]);
        assert_eq!(similar_clips(&fox, "idel"), ["Idle"]);
        assert_eq!(
            similar_clips(&fox, "Walk_Solw"),
            ["Armature|Walk_Slow"],
            "all that stands behind the bar"
        );
        assert_eq!(similar_clips(&names(&["a|walk", "b|walk"]), "walk"), ["a|walk", "b|walk"]);
        assert_eq!(did_you_mean(&fox, "wolk"), " (did you mean \"Armature|Walk\"?)");
        assert_eq!(did_you_mean(&fox, "somersault"), "");
    }
}
