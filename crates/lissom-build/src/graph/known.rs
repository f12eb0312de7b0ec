//! A graph beside the clips and joints that it names: names that are short for others, and names that are none.

use super::{GraphFile, GraphFileError};
use crate::{
    SkeletonBuilder,
    pipeline::{clip_called, did_you_mean},
    scene::Scene,
    text::words::nearest,
};
use lissom::{
    Skeleton,
    archive::{Archive, SectionKind},
};
use lissom_motion::{
    Graph, GraphParts,
    graph::{ClipFacts, GraphError, Place, Problem},
    matching::{Database, MatchingLoadError},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// What a graph may name: clips and what is known of each, and joints.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// By name.
    pub clips: BTreeMap<String, ClipFacts>,
    /// Of every skeleton; empty if nobody knows them.
    pub joints: BTreeSet<String>,
    /// Databases for motion matching, by name. `None` if nobody knows them: names and tags are then not checked.
    pub databases: Option<BTreeMap<String, Arc<Database>>>,
    /// Every skeleton; empty if nobody knows them. One of them must have the legs that a state holds.
    pub skeletons: Vec<Skeleton>,
}

impl Known {
    /// What a scene has.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let mut known = Self::default();
        known.add(scene);
        known
    }

    /// What another scene has, too.
    pub fn add(&mut self, scene: &Scene) {
        self.clips.extend(scene.animations.iter().map(|a| (a.motion.name.clone(), a.facts())));
        let joints = scene.skeletons.iter().flat_map(|s| &s.skeleton.joints);
        self.joints.extend(joints.map(|joint| joint.name.clone()));
        // One that cannot be built is told by who builds it.
        let built = scene.skeletons.iter().filter_map(|s| SkeletonBuilder::build(&s.skeleton).ok());
        self.skeletons.extend(built.map(|built| built.skeleton));
    }

    /// What an archive has: a scene does not hold its databases.
    ///
    /// # Errors
    ///
    /// The first database that cannot be searched.
    pub fn of_archive(scene: &Scene, archive: &Archive) -> Result<Self, MatchingLoadError> {
        let names = archive.names(SectionKind::Matching);
        let one = |name: &str| Ok((name.to_owned(), Arc::new(Database::load(archive, name)?)));
        let databases = names.map(one).collect::<Result<_, MatchingLoadError>>()?;
        Ok(Self { databases: Some(databases), ..Self::of(scene) })
    }

    /// A graph of its clips and databases.
    fn graph(&self, parts: &GraphParts) -> Result<Graph, GraphError> {
        let facts = |clip: &str| self.clips.get(clip).cloned();
        let graph = match &self.databases {
            None => Graph::new(parts, facts),
            Some(all) => Graph::with_databases(parts, facts, |name| Ok(all.get(name).cloned())),
        }?;
        let mut legs = self.skeletons.iter().map(|skeleton| parts.check_legs(skeleton));
        match legs.next() {
            Some(Err(error)) if legs.all(|others| others.is_err()) => Err(error),
            _ => Ok(graph),
        }
    }

    fn clip_names(&self) -> Vec<String> {
        self.clips.keys().cloned().collect()
    }

    /// The same graph with whole names of clips, where it has short ones ([`clip_called`]).
    fn settled(&self, parts: &GraphParts) -> GraphParts {
        let names = self.clip_names();
        let mut parts = parts.clone();
        parts.rename_clips(|clip| clip_called(&names, clip).and_then(|found| names.get(found)).cloned());
        parts
    }

    /// The first joint of a mask that no skeleton has: the mask and the rule, by their places.
    fn lost_joint(&self, parts: &GraphParts) -> Option<(usize, usize, GraphError)> {
        if self.joints.is_empty() {
            return None;
        }
        let masks = parts.masks.iter().enumerate();
        let rules = masks
            .flat_map(|(m, mask)| mask.rules.iter().enumerate().map(move |(r, rule)| (m, mask, r, rule)));
        let lost = rules.into_iter().find(|(.., rule)| !self.joints.contains(&rule.joint));
        lost.map(|(m, mask, r, rule)| {
            let problem = Problem::Unknown { what: "joint", name: rule.joint.clone() };
            (m, r, GraphError { place: Place::Mask(m), name: format!("mask {:?}", mask.name), problem })
        })
    }

    /// Checks a graph that is no file of its own: its clips by their whole names, and the graph.
    ///
    /// # Errors
    ///
    /// In words, the first thing that is wrong.
    pub fn check(&self, parts: &GraphParts) -> Result<(GraphParts, Graph), String> {
        let parts = self.settled(parts);
        let wrong = |error: &GraphError| format!("{error}{}", hint(error, &parts, Some(self)));
        let graph = self.graph(&parts).map_err(|error| wrong(&error))?;
        match self.lost_joint(&parts) {
            Some((.., error)) => Err(wrong(&error)),
            None => Ok((parts, graph)),
        }
    }
}

impl GraphFile {
    /// Checks all of it beside what there is: its clips by their whole names, and the graph.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, at its line, and what was probably meant.
    pub fn check_with(&self, known: &Known) -> Result<(GraphParts, Graph), GraphFileError> {
        let parts = known.settled(&self.parts);
        let graph = known.graph(&parts).map_err(|error| self.place_with(&error, Some(known)))?;
        match known.lost_joint(&parts) {
            Some((mask, rule, error)) => {
                let mut wrong = self.place_with(&error, Some(known));
                if let Some(offset) = self.rules.get(&(mask, rule)) {
                    wrong = GraphFileError::at(&self.text, *offset, wrong.reason);
                }
                Err(wrong)
            }
            None => Ok((parts, graph)),
        }
    }

    pub(super) fn place_with(&self, error: &GraphError, known: Option<&Known>) -> GraphFileError {
        let offset = self.places.get(&error.place).copied().unwrap_or(0);
        let reason = format!("{error}{}", hint(error, &self.parts, known));
        GraphFileError::at(&self.text, offset, reason)
    }
}

/// What was probably meant by a name that is none: ` (did you mean "speed"?)`.
fn hint(error: &GraphError, parts: &GraphParts, known: Option<&Known>) -> String {
    let Problem::Unknown { what, name } = &error.problem else { return String::new() };
    let near = match (*what, known) {
        ("clip", Some(known)) => return did_you_mean(&known.clip_names(), name),
        ("database", Some(known)) => {
            nearest(name, known.databases.iter().flat_map(BTreeMap::keys).map(String::as_str))
        }
        ("joint", Some(known)) => nearest(name, known.joints.iter().map(String::as_str)),
        ("mask", _) => nearest(name, parts.masks.iter().map(|mask| mask.name.as_str())),
        ("section", _) => {
            nearest(name, parts.montages.iter().flat_map(|m| &m.sections).map(|s| s.name.as_str()))
        }
        ("layer", _) => nearest(name, parts.layers.iter().map(|layer| layer.name.as_str())),
        ("parameter", _) => nearest(name, parts.parameters.iter().map(|p| p.name.as_str())),
        ("state", _) => {
            nearest(name, parts.layers.iter().flat_map(|l| &l.states).map(|state| state.name.as_str()))
        }
        _ => None,
    };
    near.map_or_else(String::new, |near| format!(" (did you mean {near:?}?)"))
}
