//! One rule for names of joints, meshes, graphs and parameters: that of clips, [`clip_called`].

use crate::character::CharacterError;
use lissom::archive::{clip_called, clip_ends_with};
use lissom_motion::{
    Graph,
    graph::{LayerKey, MaskKey, Parameter, PoseKey, ShotOf, StateKey},
};

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

/// A layer of a graph.
pub(crate) fn layer(graph: &Graph, name: &str) -> Result<LayerKey, CharacterError> {
    let names = || graph.layer_names();
    let at = called("layer", names(), name)?;
    Ok(graph.layer(names().nth(at).unwrap_or(name))?)
}

/// A state of a layer, or the first of a group.
pub(crate) fn state(graph: &Graph, layer: &str, name: &str) -> Result<StateKey, CharacterError> {
    let names = || graph.layer_names();
    let number = called("layer", names(), layer)?;
    let key = graph.layer(names().nth(number).unwrap_or(layer))?;
    if let Ok(state) = graph.state_key(key, name) {
        return Ok(state);
    }
    let states = || graph.state_names(number);
    let at = called("state", states(), name)?;
    Ok(graph.state_key(key, states().nth(at).unwrap_or(name))?)
}

/// A mask of a graph.
pub(crate) fn mask(graph: &Graph, name: &str) -> Result<MaskKey, CharacterError> {
    let names = || graph.mask_names();
    let at = called("mask", names(), name)?;
    Ok(graph.mask_key(names().nth(at).unwrap_or(name))?)
}

/// What a one-shot plays: a montage of a graph, or else a clip.
pub(crate) fn one_shot(graph: &Graph, name: &str) -> Result<ShotOf, CharacterError> {
    let montages = || graph.montages().map(|(name, _)| name);
    match called("montage", montages(), name) {
        Ok(at) => return Ok(graph.montage(montages().nth(at).unwrap_or(name))?.into()),
        Err(several @ NameError::Several { .. }) => return Err(several.into()),
        Err(NameError::Unknown { .. }) => {}
    }
    let clips = || graph.clips().iter().map(|clip| &*clip.name);
    let at = called("clip", clips(), name)?;
    Ok(graph.clip(clips().nth(at).unwrap_or(name))?.into())
}

/// A pose that a graph keeps.
pub(crate) fn pose(graph: &Graph, name: &str) -> Result<PoseKey, CharacterError> {
    let names = || graph.pose_names();
    let at = called("kept pose", names(), name)?;
    Ok(graph.pose_key(names().nth(at).unwrap_or(name))?)
}

/// A parameter of a graph.
pub(crate) fn parameter<'g>(graph: &'g Graph, name: &str) -> Result<&'g Parameter, NameError> {
    let names = || graph.parameters().map(|(name, _)| name);
    let at = called("parameter", names(), name)?;
    let found = names().nth(at).and_then(|name| graph.parameter(name));
    found.ok_or(NameError::Unknown { what: "parameter", name: name.into(), there: Vec::new() })
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
