//! All characters: a crowd an archive and skeleton.

use crate::{
    archive::LissomArchive,
    components::{ClipPart, GraphSource, Plays},
    skin::Rig,
};
use bevy_asset::AssetId;
use bevy_ecs::prelude::*;
use lissom::archive::{Archive, SectionKind};
use lissom_motion::{
    Graph, GraphError, GraphState, LoadError, RootStep,
    crowd::{Crowd, CrowdError, GraphId, Member, Outputs, Part, Role},
};
use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    sync::Arc,
};

/// Every crowd that plays. [`Characters`](crate::Characters) is the way to one of its members.
#[derive(Resource, Default, Debug)]
pub struct Crowds {
    all: BTreeMap<Key, Troupe>,
}

/// An archive, and the name of the skeleton where one was given.
pub(crate) type Key = (AssetId<LissomArchive>, Option<String>);

/// A crowd, and who its members are.
#[derive(Debug)]
pub(crate) struct Troupe {
    pub crowd: Crowd,
    archive: Archive,
    graphs: Vec<(GraphSource, Arc<Graph>, GraphId)>,
    /// By the member's index.
    pub cast: Vec<Option<Actor>>,
    /// Names of markers, so that events need not copy them.
    pub names: HashMap<Box<str>, Arc<str>>,
    /// What skins share, by their mesh.
    pub rigs: HashMap<Box<str>, Arc<Rig>>,
    /// Names of morph targets, by the mesh, in file order.
    targets: HashMap<Box<str>, Vec<Box<str>>>,
}

/// A member's entity, and what it was told to play.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    pub entity: Entity,
    plays: Plays,
}

/// Why somebody cannot play.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CastError {
    #[error("{0}")]
    Crowd(#[from] CrowdError),
    #[error("{0}")]
    Graph(#[from] GraphError),
    #[error("{0}")]
    Load(#[from] LoadError),
    #[error("no clip was named")]
    NoClip,
}

impl Crowds {
    /// The crowd of an archive and skeleton, made if there is none.
    pub(crate) fn troupe(&mut self, key: &Key, archive: &Archive) -> Result<&mut Troupe, CrowdError> {
        match self.all.entry(key.clone()) {
            Entry::Occupied(there) => Ok(there.into_mut()),
            Entry::Vacant(place) => {
                let troupe = Troupe::new(archive.clone(), place.key().1.as_deref())?;
                Ok(place.insert(troupe))
            }
        }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Troupe> {
        self.all.get(key)
    }

    pub(crate) fn get_mut(&mut self, key: &Key) -> Option<&mut Troupe> {
        self.all.get_mut(key)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Troupe> {
        self.all.values_mut()
    }

    /// Plays a changed archive on. Who cannot play any more is told, with the reason.
    pub(crate) fn reload(
        &mut self,
        id: AssetId<LissomArchive>,
        archive: &Archive,
        mut each: impl FnMut(&Key, Recast),
    ) {
        for (key, troupe) in self.all.iter_mut().filter(|(key, _)| key.0 == id) {
            match Troupe::new(archive.clone(), key.1.as_deref()) {
                Ok(mut new) => {
                    new.take_over(troupe, |recast| each(key, recast));
                    *troupe = new;
                }
                // It plays the old one on.
                Err(error) => each(key, Recast::NotAtAll(error)),
            }
        }
    }

    /// Lets go what nobody plays any more.
    pub(crate) fn forget(&mut self, id: AssetId<LissomArchive>) {
        self.all.retain(|key, troupe| key.0 != id || !troupe.crowd.is_empty());
    }

    /// How many characters play.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.values().map(|troupe| troupe.crowd.len()).sum()
    }

    /// True if none does.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What becomes of a character whose file changed.
pub(crate) enum Recast {
    Goes { entity: Entity, member: Member },
    Stops { entity: Entity, why: CastError },
    NotAtAll(CrowdError),
}

impl Troupe {
    fn new(archive: Archive, skeleton: Option<&str>) -> Result<Self, CrowdError> {
        let mut crowd = match skeleton {
            Some(name) => Crowd::of_skeleton(&archive, name)?,
            None => Crowd::new(&archive)?,
        };
        crowd.set_outputs(Outputs { morphs: true, ..Outputs::default() });
        let mut targets: HashMap<Box<str>, Vec<Box<str>>> = HashMap::new();
        for name in archive.names(SectionKind::Morph) {
            if let Some((mesh, target)) = archive.owner(SectionKind::Mesh, name) {
                targets.entry(mesh.into()).or_default().push(target.into());
            }
        }
        let (names, rigs) = (HashMap::new(), HashMap::new());
        Ok(Self { crowd, archive, graphs: Vec::new(), cast: Vec::new(), names, rigs, targets })
    }

    /// Somebody new.
    pub fn join(&mut self, entity: Entity, plays: &Plays) -> Result<Member, CastError> {
        let member = match plays {
            Plays::Graph(source) => {
                let id = self.graph(source)?;
                self.crowd.add(Role::Graph(id), RootStep::IDENTITY)?
            }
            Plays::Clips { parts, in_step } => {
                let parts = self.parts(parts)?;
                let role = if *in_step { Role::InStep(&parts) } else { Role::Parts(&parts) };
                self.crowd.add(role, RootStep::IDENTITY)?
            }
        };
        // The entity's own `Transform` is its place.
        self.crowd.set_travels(&[member], false)?;
        if self.cast.len() <= member.index() {
            self.cast.resize(member.index() + 1, None);
        }
        self.cast[member.index()] = Some(Actor { entity, plays: plays.clone() });
        Ok(member)
    }

    /// Somebody less.
    pub fn leave(&mut self, member: Member) {
        // Who is not there cannot leave.
        if self.crowd.remove(member).is_ok() {
            self.cast[member.index()] = None;
        }
    }

    /// The graph of a description, checked once.
    fn graph(&mut self, source: &GraphSource) -> Result<GraphId, CastError> {
        if let Some((.., id)) = self.graphs.iter().find(|(own, ..)| own == source) {
            return Ok(*id);
        }
        let graph = Arc::new(match source {
            GraphSource::Named(name) => Graph::load(&self.archive, name)?,
            GraphSource::Parts(parts) => Graph::of_archive(parts, &self.archive)?,
        });
        let id = self.crowd.add_graph(graph.clone())?;
        self.graphs.push((source.clone(), graph, id));
        Ok(id)
    }

    fn parts(&self, parts: &[ClipPart]) -> Result<Vec<Part>, CastError> {
        if parts.is_empty() {
            return Err(CastError::NoClip);
        }
        let part = |part: &ClipPart| {
            let &ClipPart { weight, speed, repeat, laps, .. } = part;
            Ok(Part { clip: self.crowd.clip(&part.name)?, weight, speed, repeat, laps })
        };
        parts.iter().map(part).collect()
    }

    /// The graph that plays a member.
    pub fn graph_of(&self, member: Member) -> Option<&Arc<Graph>> {
        let Plays::Graph(source) = &self.cast.get(member.index())?.as_ref()?.plays else { return None };
        self.graphs.iter().find(|(own, ..)| own == source).map(|(_, graph, _)| graph)
    }

    /// The weights of a mesh's morph targets; none for a mesh without, or of another skeleton.
    pub fn morph_weights(&self, member: Member, mesh: &str) -> Option<&[f32]> {
        let number = self.crowd.mesh_names().position(|name| name == mesh)?;
        self.crowd.morph_weights(member, number).ok().filter(|weights| !weights.is_empty())
    }

    /// Meshes with morph targets, and the names of those.
    pub fn morphed(&self) -> impl Iterator<Item = (&str, &[Box<str>])> {
        self.crowd.mesh_names().filter_map(|mesh| Some((mesh, &**self.targets.get(mesh)?)))
    }

    /// Everybody of another crowd joins, and goes on where it was.
    fn take_over(&mut self, old: &Troupe, mut each: impl FnMut(Recast)) {
        for was in old.crowd.members() {
            let Some(Actor { entity, plays }) = &old.cast[was.index()] else { continue };
            let entity = *entity;
            let moved = self.join(entity, plays).and_then(|member| {
                self.go_on(member, old, was)?;
                Ok(member)
            });
            each(match moved {
                Ok(member) => Recast::Goes { entity, member },
                Err(why) => Recast::Stops { entity, why },
            });
        }
    }

    fn go_on(&mut self, member: Member, old: &Troupe, was: Member) -> Result<(), CastError> {
        match (old.graph_of(was), self.graph_of(member)) {
            (Some(from), Some(to)) => {
                let state: GraphState = old.crowd.state(was)?.carried_over(from, to);
                self.crowd.set_state(member, &state)?;
                // What a pose remembers is of joints: a skeleton or a graph that is another has nothing to remember.
                let _ = self.crowd.set_memory(member, old.crowd.memory(was)?);
            }
            _ => {
                let heads: Vec<f64> = old.crowd.parts(was)?.map(|part| part.laps).collect();
                let parts = self.crowd.parts(member)?.zip(heads);
                let parts: Vec<Part> = parts.map(|(part, laps)| part.at(laps)).collect();
                self.crowd.set_parts(member, &parts)?;
            }
        }
        Ok(())
    }

    /// A marker's name, shared.
    pub fn name(names: &mut HashMap<Box<str>, Arc<str>>, name: &str) -> Arc<str> {
        if let Some(there) = names.get(name) {
            return there.clone();
        }
        let shared: Arc<str> = name.into();
        names.insert(name.into(), shared.clone());
        shared
    }
}
