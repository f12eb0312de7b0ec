//! Graphs that are like another, with other clips.

use super::Known;
use crate::pipeline::{clip_called, did_you_mean};
use lissom_motion::GraphParts;
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

/// The same graph with other clips: one set of states and transitions for the hero and for everybody who moves differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphRule {
    /// What it is called.
    pub name: String,
    /// The graph that it is like.
    pub of: String,
    /// For each clip that it plays instead: what that graph calls it, and the clip. What is not named here stays.
    pub clips: Vec<(String, String)>,
    /// Where it stands in a recipe.
    pub line: Option<usize>,
}

impl GraphRule {
    /// One like another, as yet with the same clips.
    #[must_use]
    pub fn new(name: &str, of: &str) -> Self {
        Self { name: name.into(), of: of.into(), ..Self::default() }
    }

    /// The same with this clip in place of that one.
    #[must_use]
    pub fn clip(mut self, of: &str, instead: &str) -> Self {
        self.clips.push((of.into(), instead.into()));
        self
    }

    /// The graph, made of those that there are, with the clips that are known.
    ///
    /// # Errors
    ///
    /// In words, the first thing that is wrong.
    pub fn apply(&self, graphs: &BTreeMap<String, GraphParts>, known: &Known) -> Result<GraphParts, String> {
        let Some(base) = graphs.get(&self.of) else {
            let names: Vec<String> = graphs.keys().cloned().collect();
            return Err(format!("there is no graph called {:?}{}", self.of, did_you_mean(&names, &self.of)));
        };
        let mut parts = base.clone();
        let played = RefCell::new(BTreeSet::new());
        parts.rename_clips(|clip| {
            played.borrow_mut().insert(clip.to_owned());
            None
        });
        let played: Vec<String> = played.into_inner().into_iter().collect();
        let mut instead = BTreeMap::new();
        for (of, clip) in &self.clips {
            let Some(of) = clip_called(&played, of).and_then(|found| played.get(found)) else {
                let hint = did_you_mean(&played, of);
                return Err(format!("the graph {:?} plays no clip called {of:?}{hint}", self.of));
            };
            if instead.insert(of.as_str(), clip).is_some() {
                return Err(format!("two clips take the place of {of:?}"));
            }
        }
        parts.rename_clips(|clip| instead.get(clip).map(|clip| (*clip).clone()));
        known.check(&parts).map(|(parts, _)| parts)
    }
}
