//! Names: unique, not empty, not endless.

use super::UniqueNames;
use crate::text::quote::Quote;

/// Names longer than this are cut: one long name could stand in thousands of places.
const LONGEST: usize = 255;

/// Hands out names that nobody else has.
#[derive(Default)]
pub(super) struct Names {
    given: UniqueNames,
    /// How many were taken already and got a suffix.
    pub(super) repeated: usize,
    /// How many were missing.
    pub(super) missing: usize,
    /// How many were cut.
    pub(super) cut: usize,
}

impl Names {
    /// The wanted name, or the fallback; `_2`, `_3`... where it is taken.
    pub(super) fn unique(&mut self, wanted: Option<&str>, fallback: impl FnOnce() -> String) -> String {
        let wanted = wanted.filter(|n| !n.is_empty());
        if wanted.is_none() {
            self.missing = self.missing.saturating_add(1);
        }
        let name = match wanted.map(cut) {
            Some((name, was_cut)) => {
                self.cut = self.cut.saturating_add(was_cut.into());
                name.to_owned()
            }
            None => fallback(),
        };
        let given = self.given.give(&name);
        if wanted.is_some() && given != name {
            self.repeated = self.repeated.saturating_add(1);
        }
        given
    }
}

/// At most [`LONGEST`] bytes of a name, and whether some are missing.
fn cut(name: &str) -> (&str, bool) {
    let end = (0..=LONGEST.min(name.len())).rev().find(|i| name.is_char_boundary(*i)).unwrap_or_default();
    (name.get(..end).unwrap_or_default(), end < name.len())
}

/// `animation 2 "walk"`: where something is, for messages.
pub(super) fn place(what: &str, index: usize, name: Option<&str>) -> String {
    match name.filter(|n| !n.is_empty()) {
        Some(name) => format!("{what} {index} {}", Quote(name)),
        None => format!("{what} {index}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_given_once() {
        let mut names = Names::default();
        let wanted = [Some("a"), Some("a"), Some("a_1"), None, Some(""), Some("a"), Some("node_3")];
        let given: Vec<String> =
            wanted.iter().enumerate().map(|(i, n)| names.unique(*n, || format!("node_{i}"))).collect();
        assert_eq!(given, ["a", "a_2", "a_1", "node_3", "node_4", "a_3", "node_3_2"]);
        assert_eq!((names.repeated, names.missing, names.cut), (3, 2, 0));
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let long = "ä".repeat(200);
        let mut names = Names::default();
        let name = names.unique(Some(&long), String::new);
        assert_eq!((name.len(), names.cut), (254, 1));
        assert!(place("node", 1, Some(&long)).len() < 140);
    }
}
