//! One rule for names of joints, meshes, graphs and parameters: that of clips, [`clip_called`].

use lissom::archive::{clip_called, clip_ends_with};

/// Why a name means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// There is nothing of this name.
    #[error("there is no {what} \"{name}\"; {}", known(there))]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// By what name.
        name: String,
        /// What there is, the first of it.
        there: Vec<String>,
    },
    /// The name could mean several.
    #[error("the {what} \"{name}\" could be each of these: {}; write more of its name", quoted(several))]
    Several {
        /// What was looked for.
        what: &'static str,
        /// By what name.
        name: String,
        /// What it could mean.
        several: Vec<String>,
    },
}

/// Names that an error lists.
const LISTED: usize = 12;

fn quoted(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("\"{name}\"")).collect();
    let more = if names.len() > LISTED { ", \u{2026}" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn known(there: &[String]) -> String {
    if there.is_empty() { "there is none at all".into() } else { format!("there are {}", quoted(there)) }
}

/// The place of the one that a name means: the whole name, the name without case, its last part, or its last words.
pub(crate) fn called<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a str>,
    name: &str,
) -> Result<usize, NameError> {
    let names: Vec<&str> = names.collect();
    clip_called(names.iter().copied(), name).ok_or_else(|| {
        let ends = names.iter().filter(|own| clip_ends_with(own, name));
        let several: Vec<String> = ends.take(LISTED + 1).map(|own| (*own).to_owned()).collect();
        let name = name.to_owned();
        if several.len() > 1 {
            NameError::Several { what, name, several }
        } else {
            let there = names.iter().take(LISTED + 1).map(|own| (*own).to_owned()).collect();
            NameError::Unknown { what, name, there }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_without_case_is_enough_and_two_are_told() {
        let names = ["Rig|Walk", "rig|Run", "upper/Wave", "lower/Wave"];
        let of = |name| called("clip", names.into_iter(), name);
        assert_eq!([of("walk"), of("RIG|RUN"), of("upper/wave")], [Ok(0), Ok(1), Ok(2)]);
        let two = of("wave").unwrap_err().to_string();
        assert_eq!(
            two,
            "the clip \"wave\" could be each of these: \"upper/Wave\", \"lower/Wave\"; write more of its name"
        );
        let none = of("wlak").unwrap_err().to_string();
        assert!(none.starts_with("there is no clip \"wlak\"; there are \"Rig|Walk\", "), "{none}");
        let nothing = called("mesh", [].into_iter(), "body").unwrap_err().to_string();
        assert_eq!(nothing, "there is no mesh \"body\"; there is none at all");
    }
}
