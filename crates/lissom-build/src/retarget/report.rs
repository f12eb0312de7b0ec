//! What was matched, and what was not, in words.

use super::Bone;

/// Names in a note.
const SHOWN: usize = 8;

/// What was matched, and what was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RetargetReport {
    /// Bones that move.
    pub bones: Vec<Bone>,
    /// Bones that only the source has: their motion is lost, or rather carried by those below them.
    pub only_source: Vec<Bone>,
    /// Bones that only the target has: they rest.
    pub only_target: Vec<Bone>,
    /// Head, arms or hands that neither has.
    pub nowhere: Vec<Bone>,
    /// Joints of the target that are no bones and go along with those of the same name.
    pub same_names: Vec<String>,
    /// Joints of the target that are no bones: they rest.
    pub at_rest: Vec<String>,
    /// How much longer the target's legs are.
    pub ratio: f64,
}

impl RetargetReport {
    /// What was not matched, in words. What everybody sees comes first: a hand, an arm, the head.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let names = |bones: &[Bone], plain: bool| -> Vec<String> {
            bones.iter().filter(|bone| bone.is_plain() == plain).map(ToString::to_string).collect()
        };
        let mut notes = Vec::new();
        for (bones, where_to) in [
            (&self.only_source, "in the skeleton"),
            (&self.only_target, "in this file"),
            (&self.nowhere, "in this file, nor in the skeleton"),
        ] {
            let plain: Vec<&Bone> = bones.iter().filter(|bone| bone.is_plain()).collect();
            let Some(first) = plain.first() else { continue };
            let named = names(bones, true).join(", ");
            notes.push(format!(
                "{named}: not found {where_to}; name the joint: bones = {{ {} = \"...\" }}",
                first.key()
            ));
        }
        let mut list = |what: &str, names: &[String]| {
            let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if names.len() > SHOWN { ", …" } else { "" };
            if !names.is_empty() {
                notes.push(format!("{} {what}: {shown}{more}", names.len()));
            }
        };
        list("bones are not in the skeleton", &names(&self.only_source, false));
        list("of the skeleton's bones are not in this file and rest", &names(&self.only_target, false));
        list("joints of the skeleton are no bones and rest", &self.at_rest);
        notes
    }
}
