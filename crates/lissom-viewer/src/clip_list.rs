//! The clips of a document: what is known of each, what it is called, and which is shown first.

use lissom_build::cook::CookReport;

/// A clip of the list.
pub(crate) struct ClipEntry {
    pub name: String,
    /// The name without what all clips begin with.
    pub label: String,
    pub duration_s: f64,
    pub looping: bool,
    pub bytes: usize,
    /// What cooking it gave, if it was cooked here.
    pub cooked: Option<CookedFacts>,
}

/// What cooking a clip gave.
#[derive(Clone)]
pub(crate) struct CookedFacts {
    pub raw_bytes: u64,
    pub jump_bytes: u64,
    pub stream_bytes: u64,
    /// The largest error in metres, whose it is, and when.
    pub worst_m: f64,
    pub worst_joint: String,
    pub worst_s: f64,
}

impl CookedFacts {
    pub(crate) fn new(report: &CookReport, worst_joint: &str) -> Self {
        Self {
            raw_bytes: report.raw_bytes,
            jump_bytes: report.jump_bytes,
            stream_bytes: report.stream_bytes,
            worst_m: report.error.worst(),
            worst_joint: worst_joint.into(),
            worst_s: report.error.worst_time_s,
        }
    }
}

/// What stands after a name that clips share: `Armature|Walk`, `hero/walk`, `hero:walk`.
const SEPARATORS: [char; 3] = ['|', '/', ':'];

/// Leaves out of the labels what all names begin with, up to a separator.
pub(crate) fn label(clips: &mut [ClipEntry]) {
    let [first, others @ ..] = &*clips else { return };
    if others.is_empty() {
        return;
    }
    let ends = first.name.match_indices(SEPARATORS).map(|(at, found)| at + found.len());
    let shared = |end: &usize| {
        let all = |clip: &ClipEntry| clip.name.len() > *end && clip.name.starts_with(&first.name[..*end]);
        clips.iter().all(all)
    };
    let Some(end) = ends.rev().find(shared) else { return };
    clips.iter_mut().for_each(|clip| clip.label = clip.name[end..].to_owned());
}

/// The clip to show first: one that is called idle, else walk, else one that loops, else the first. Files list their clips by
/// name, and many begin with a death.
pub(crate) fn first_shown(clips: &[ClipEntry]) -> Option<usize> {
    let rank = |clip: &ClipEntry| {
        let name = clip.name.to_lowercase();
        let last = name.rsplit(SEPARATORS).next().unwrap_or(&name);
        match () {
            () if last == "idle" => 0,
            () if last.contains("idle") => 1,
            () if last == "walk" => 2,
            () if last.contains("walk") => 3,
            () if clip.looping => 4,
            () => 5,
        }
    };
    (0..clips.len()).min_by_key(|i| rank(&clips[*i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clips(names: &[&str]) -> Vec<ClipEntry> {
        let entry = |name: &&str| ClipEntry {
            name: (*name).into(),
            label: (*name).into(),
            duration_s: 1.0,
            looping: name.ends_with("Loop"),
            bytes: 0,
            cooked: None,
        };
        names.iter().map(entry).collect()
    }

    #[test]
    fn what_all_names_begin_with_is_left_out_of_labels() {
        for (names, labels) in [
            (&["A|Death", "A|Walk"][..], &["Death", "Walk"][..]),
            (&["A|B|Death", "A|B|Walk"], &["Death", "Walk"]),
            (&["A|B|Death", "A|C|Walk"], &["B|Death", "C|Walk"]),
            (&["walk", "walk_back"], &["walk", "walk_back"]),
            (&["A|Walk"], &["A|Walk"]),
            (&["A|", "A|Walk"], &["A|", "A|Walk"]),
            (&[], &[]),
        ] {
            let mut clips = clips(names);
            label(&mut clips);
            assert!(clips.iter().map(|c| c.label.as_str()).eq(labels.iter().copied()), "{names:?}");
        }
    }

    #[test]
    fn nobody_is_greeted_by_a_death() {
        for (names, first) in [
            (&["A|Death", "A|Idle_Neutral", "A|Idle", "A|Walk"][..], Some(2)),
            (&["Death", "Gun_Idle", "Walk"], Some(1)),
            (&["Death", "Walk_Back", "Walk"], Some(2)),
            (&["Death", "Dance_Loop"], Some(1)),
            (&["Death", "Fall"], Some(0)),
            (&[], None),
        ] {
            assert_eq!(first_shown(&clips(names)), first, "{names:?}");
        }
    }
}
