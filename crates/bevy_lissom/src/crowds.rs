//! All characters: one crowd per archive and skeleton.

use crate::{
    archive::LissomArchive,
    clips::{ClipFact, Ended, Solo},
    components::{Character, CrowdKey, GraphSource, Playable, WeightedClip},
    detail::{Care, Levels},
    hands::Hands,
    matched::Matched,
    mesh::{morphs_reach, targets_of},
    names::{NameError, called},
    reach::Reach,
    rig::Rig,
    steps::{Stay, Steps},
};
use bevy_asset::{AssetId, AssetLoadError};
use bevy_camera::primitives::Aabb;
use bevy_ecs::prelude::*;
use lissom::{
    archive::{Archive, ArchiveView, CLIP_ADDITIVE, Limits, SectionKind},
    math::{Mat4, Mat34},
};
use lissom_motion::{
    Graph, GraphState, RootStep,
    crowd::{Crowd, CrowdError, GraphId, Member, Outputs, PlayedClip, Role},
    graph::{GraphError, LoadError},
};
use std::{
    collections::{BTreeMap, HashMap, btree_map::Entry},
    sync::{Arc, PoisonError},
};

/// Every crowd that plays. [`Characters`](crate::Characters) is the way to one of its members.
#[derive(Resource, Default, Debug)]
pub struct Crowds {
    all: BTreeMap<CrowdKey, CrowdOf>,
    /// Markers that last, whose characters went or were put elsewhere: their ends are still to be told.
    pub(crate) broken_off: Vec<(Entity, Stay)>,
    search_budget: Option<usize>,
}

/// The crowd of an archive and skeleton, with the entities of its members.
#[derive(Debug)]
pub(crate) struct CrowdOf {
    pub crowd: Crowd,
    archive: Archive,
    graphs: Vec<(GraphSource, Arc<Graph>, GraphId)>,
    /// By the member's index.
    pub bound: Vec<Option<Bound>>,
    /// Names of markers, so that events need not copy them.
    pub names: HashMap<Box<str>, Arc<str>>,
    /// What skins share, by their mesh.
    pub rigs: HashMap<Box<str>, Arc<Rig>>,
    /// Names of morph targets, by the mesh, in file order.
    targets: HashMap<Box<str>, Vec<Box<str>>>,
    /// What changes the poses of members.
    pub hands: Hands,
    /// The crowd's clips, by their number.
    pub clips: Vec<ClipFact>,
    /// What members have beside the crowd, by their index.
    pub own: Vec<Own>,
    pub levels: Levels,
    /// Of graphs that somebody steers: what their matched states read.
    pub matched: Vec<Matched>,
    /// Where joints can be; `None`: nobody asked yet.
    reach: Option<Reach>,
}

/// What a member has beside the crowd.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    /// The speed of its time.
    pub pace: f32,
    /// Its time: what it has played, and how long the last step was.
    pub clock_s: f64,
    pub step_s: f64,
    /// Its clips; `None`: a graph plays it.
    pub solo: Option<Solo>,
    pub steps: Steps,
    pub care: Care,
}

impl Own {
    const NEW: Self =
        Self { pace: 1.0, clock_s: 0.0, step_s: 0.0, solo: None, steps: Steps::NONE, care: Care::FULL };
}

/// The entity that a member is bound to, and what it plays.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub entity: Entity,
    pub member: Member,
    playable: Playable,
}

/// Why an entity cannot play.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BindError {
    #[error("{0}")]
    Name(#[from] NameError),
    #[error("{0}")]
    Crowd(#[from] CrowdError),
    #[error("{0}")]
    Graph(#[from] GraphError),
    #[error("{0}")]
    Load(#[from] LoadError),
    #[error("no clip was named")]
    NoClip,
    #[error("{0}")]
    File(Arc<AssetLoadError>),
}

impl Crowds {
    /// The crowd of an archive and skeleton, made if there is none.
    pub(crate) fn get_or_add(
        &mut self,
        key: &CrowdKey,
        archive: &Archive,
    ) -> Result<&mut CrowdOf, CrowdError> {
        match self.all.entry(key.clone()) {
            Entry::Occupied(there) => Ok(there.into_mut()),
            Entry::Vacant(place) => {
                let mut crowd_of = CrowdOf::new(archive.clone(), place.key().1.as_deref())?;
                crowd_of.crowd.set_search_budget(self.search_budget);
                Ok(place.insert(crowd_of))
            }
        }
    }

    pub(crate) fn get(&self, key: &CrowdKey) -> Option<&CrowdOf> {
        self.all.get(key)
    }

    pub(crate) fn get_mut(&mut self, key: &CrowdKey) -> Option<&mut CrowdOf> {
        self.all.get_mut(key)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut CrowdOf> {
        self.all.values_mut()
    }

    /// Binds all members of an archive again after its file changed. `each` hears what becomes of each of them.
    pub(crate) fn reload(
        &mut self,
        id: AssetId<LissomArchive>,
        archive: &Archive,
        mut each: impl FnMut(&CrowdKey, Rebound),
    ) {
        for (key, crowd_of) in self.all.iter_mut().filter(|(key, _)| key.0 == id) {
            match CrowdOf::new(archive.clone(), key.1.as_deref()) {
                Ok(mut new) => {
                    // The new file may have them elsewhere.
                    for at in 0..crowd_of.bound.len() {
                        self.broken_off.extend(crowd_of.leave(at));
                    }
                    new.crowd.set_search_budget(self.search_budget);
                    new.take_over(crowd_of, |rebound| each(key, rebound));
                    *crowd_of = new;
                }
                // The old archive goes on playing.
                Err(error) => each(key, Rebound::Refused(error)),
            }
        }
    }

    /// Removes a member.
    pub(crate) fn remove(&mut self, character: &Character) {
        if let Some(crowd_of) = self.all.get_mut(&character.key) {
            self.broken_off.extend(crowd_of.leave(character.member.index()));
            crowd_of.remove(character.member);
        }
    }

    /// The markers that a member is in are over for it.
    pub(crate) fn break_off(&mut self, character: &Character) {
        if let Some(crowd_of) = self.all.get_mut(&character.key) {
            self.broken_off.extend(crowd_of.leave(character.member.index()));
        }
    }

    /// Drops the crowds of an archive that have no members.
    pub(crate) fn forget(&mut self, id: AssetId<LissomArchive>) {
        self.all.retain(|key, crowd_of| key.0 != id || !crowd_of.crowd.is_empty());
    }

    /// Motion matching may make searches of this many characters of a file in an update, at most; `None`, as at first: of as many as are due.
    /// Characters take turns.
    pub fn set_search_budget(&mut self, characters: Option<usize>) {
        self.search_budget = characters;
        self.all.values_mut().for_each(|crowd_of| crowd_of.crowd.set_search_budget(characters));
    }

    /// How many characters play.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.values().map(|crowd_of| crowd_of.crowd.len()).sum()
    }

    /// True if no character plays.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What becomes of a member whose file changed.
pub(crate) enum Rebound {
    Moved { entity: Entity, member: Member },
    Failed { entity: Entity, why: BindError },
    Refused(CrowdError),
}

impl CrowdOf {
    fn new(archive: Archive, skeleton: Option<&str>) -> Result<Self, CrowdError> {
        let mut crowd = match skeleton {
            Some(name) => Crowd::of_skeleton(&archive, name)?,
            None => Crowd::new(&archive)?,
        };
        let mut targets: HashMap<Box<str>, Vec<Box<str>>> = HashMap::new();
        for name in archive.names(SectionKind::Morph) {
            if let Some((mesh, target)) = archive.owner(SectionKind::Mesh, name) {
                targets.entry(mesh.into()).or_default().push(target.into());
            }
        }
        crowd.set_outputs(Outputs { morphs: !targets.is_empty(), ..Outputs::default() });
        let (names, rigs) = (HashMap::new(), HashMap::new());
        let mut clips = Vec::new();
        for (name, clip) in archive.clips() {
            // Those of other skeletons have no number.
            let Ok(number) = crowd.clip(name).map(usize::from) else { continue };
            let duration_s = clip.map_or(0.0, |clip| clip.view().duration_s());
            clips.resize(clips.len().max(number + 1), ClipFact { name: "".into(), duration_s: 0.0 });
            clips[number] = ClipFact { name: name.into(), duration_s };
        }
        Ok(Self {
            levels: Levels::new(crowd.skeleton()),
            crowd,
            archive,
            graphs: Vec::new(),
            bound: Vec::new(),
            names,
            rigs,
            targets,
            hands: Hands::default(),
            clips,
            own: Vec::new(),
            matched: Vec::new(),
            reach: None,
        })
    }

    /// Adds a member for an entity.
    pub fn add(&mut self, entity: Entity, playable: &Playable) -> Result<Member, BindError> {
        let member = match playable {
            Playable::Graph(source) => {
                let id = self.graph(source)?;
                self.crowd.add(Role::Graph(id), RootStep::IDENTITY)?
            }
            Playable::Clips { clips, in_step } => {
                let clips = self.clips(clips)?;
                let role = if *in_step { Role::InStep(&clips) } else { Role::Clips(&clips) };
                self.crowd.add(role, RootStep::IDENTITY)?
            }
        };
        // The entity's own `Transform` is its place.
        self.crowd.set_travels(&[member], false)?;
        if self.bound.len() <= member.index() {
            self.bound.resize(member.index() + 1, None);
            self.own.resize(member.index() + 1, Own::NEW);
        }
        self.bound[member.index()] = Some(Bound { entity, member, playable: playable.clone() });
        let solo = self.crowd.played_clips(member).ok().map(Solo::new);
        self.own[member.index()] = Own { solo, ..Own::NEW };
        Ok(member)
    }

    /// The markers that a member was in.
    fn leave(&mut self, at: usize) -> impl Iterator<Item = (Entity, Stay)> + use<> {
        let bound = self.bound.get(at).and_then(Option::as_ref).map(|bound| bound.entity);
        let stays = self.own.get_mut(at).map(|own| own.steps.leave()).unwrap_or_default();
        bound.into_iter().flat_map(move |entity| stays.clone().into_iter().map(move |stay| (entity, stay)))
    }

    /// Removes a member.
    fn remove(&mut self, member: Member) {
        // A member that is already gone is no error: its entity may be despawned twice.
        if self.crowd.remove(member).is_ok() {
            self.bound[member.index()] = None;
            self.hands.forget(member.index());
        }
    }

    /// How long the last step of a member was, in its own time.
    pub fn step_s(&self, member: Member) -> f64 {
        self.own.get(member.index()).map_or(0.0, |own| own.step_s)
    }

    /// Before an update: clocks and fades go on.
    pub fn begin(&mut self, dt_s: f64) {
        for at in 0..self.bound.len() {
            let Some(Bound { member, .. }) = self.bound[at] else { continue };
            let own = &mut self.own[at];
            own.step_s = dt_s * f64::from(own.pace);
            own.clock_s += own.step_s;
            if let Some(Some(swing)) = self.hands.swings.get_mut(at) {
                swing.get_mut().unwrap_or_else(PoisonError::into_inner).wait(own.step_s);
            }
            if let (Some(mut solo), step_s) = (own.solo, own.step_s)
                && solo.fades()
            {
                // These weights are finite, and the clips are the crowd's.
                let _ = solo.step(self, member, step_s);
                self.own[at].solo = Some(solo);
            }
        }
    }

    /// After an update: what the clips of a member did at their ends.
    pub fn ended(&mut self, at: usize) -> Option<(Entity, Ended)> {
        let &Bound { entity, member, .. } = self.bound.get(at)?.as_ref()?;
        let mut solo = self.own.get(at)?.solo?;
        let ended = solo.ended(self, member);
        self.own[at].solo = Some(solo);
        Some((entity, ended?))
    }

    /// The markers that a member was in, whose clips it plays no more: what graphs tell by themselves.
    pub fn left_behind(&mut self, at: usize) -> Vec<(Entity, Stay)> {
        let (Some(Some(Bound { entity, member, .. })), Some(own)) =
            (self.bound.get(at), self.own.get_mut(at))
        else {
            return Vec::new();
        };
        if own.solo.is_none() || !own.steps.stays() {
            return Vec::new();
        }
        let plays = |clip: u16| {
            self.crowd.played_clips(*member).is_ok_and(|mut clips| clips.any(|played| played.clip == clip))
        };
        own.steps.left_behind(plays).into_iter().map(|stay| (*entity, stay)).collect()
    }

    /// Changes the clips of a member that no graph plays.
    pub fn with_clips<E>(
        &mut self,
        member: Member,
        change: impl FnOnce(&mut Solo, &mut Self) -> Result<(), E>,
    ) -> Option<Result<(), E>> {
        let mut solo = self.own.get(member.index())?.solo?;
        let done = change(&mut solo, self);
        if done.is_ok() {
            self.own[member.index()].solo = Some(solo);
        }
        Some(done)
    }

    /// The graph of a description, checked once.
    fn graph(&mut self, source: &GraphSource) -> Result<GraphId, BindError> {
        if let Some((.., id)) = self.graphs.iter().find(|(own, ..)| own == source) {
            return Ok(*id);
        }
        let graph = Arc::new(match source {
            GraphSource::Named(name) => {
                let names = || self.archive.names(SectionKind::Graph);
                let at = called("graph", names(), name)?;
                Graph::load(&self.archive, names().nth(at).unwrap_or(name))?
            }
            GraphSource::Parts(parts) => Graph::of_archive(parts, &self.archive)?,
        });
        let id = self.crowd.add_graph(graph.clone())?;
        self.graphs.push((source.clone(), graph, id));
        Ok(id)
    }

    fn clips(&self, clips: &[WeightedClip]) -> Result<Vec<PlayedClip>, BindError> {
        if clips.is_empty() {
            return Err(BindError::NoClip);
        }
        Ok(clips.iter().map(|clip| self.played(clip)).collect::<Result<_, _>>()?)
    }

    /// A clip by its number.
    pub fn played(&self, clip: &WeightedClip) -> Result<PlayedClip, NameError> {
        let &WeightedClip { weight, speed, repeat, laps, .. } = clip;
        Ok(PlayedClip { clip: self.clip(&clip.name)?, weight, speed, repeat, laps })
    }

    /// The number of a clip; the last part of its name is enough.
    pub fn clip(&self, name: &str) -> Result<u16, NameError> {
        // There are at most 4,096.
        called("clip", self.clips.iter().map(|clip| &*clip.name), name).map(|at| at as u16)
    }

    /// The graph that plays a member.
    pub fn graph_of(&self, member: Member) -> Option<&Arc<Graph>> {
        let Playable::Graph(source) = &self.bound.get(member.index())?.as_ref()?.playable else {
            return None;
        };
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

    /// Adds all members of the old crowd, each with the time or the state that it had there.
    fn take_over(&mut self, old: &CrowdOf, mut each: impl FnMut(Rebound)) {
        for was in old.crowd.members() {
            let Some(Bound { entity, playable, .. }) = &old.bound[was.index()] else { continue };
            let entity = *entity;
            let moved = self.add(entity, playable).and_then(|member| {
                self.go_on(member, old, was)?;
                Ok(member)
            });
            each(match moved {
                Ok(member) => Rebound::Moved { entity, member },
                Err(why) => Rebound::Failed { entity, why },
            });
        }
    }

    fn go_on(&mut self, member: Member, old: &CrowdOf, was: Member) -> Result<(), BindError> {
        match (old.graph_of(was), self.graph_of(member)) {
            (Some(from), Some(to)) => {
                let state: GraphState = old.crowd.state(was)?.carried_over(from, to);
                self.crowd.set_state(member, &state)?;
                // What a pose remembers is of joints: a skeleton or a graph that is another has nothing to remember.
                let _ = self.crowd.set_memory(member, old.crowd.memory(was)?);
            }
            _ => {
                let save = old.crowd.save_clips(was)?;
                let lacks = save.clips().find_map(|part| {
                    let name = &old.clips.get(usize::from(part.clip))?.name;
                    self.clip(name).err()
                });
                if let Some(why) = lacks {
                    return Err(why.into());
                }
                let number = |number: u16| self.clip(&old.clips.get(usize::from(number))?.name).ok();
                if let Some(save) = save.renumbered(number) {
                    self.crowd.restore_clips(member, &save)?;
                }
            }
        }
        let number = |number: u16| self.clip(&old.clips.get(usize::from(number))?.name).ok();
        let own = &old.own[was.index()];
        self.own[member.index()] =
            Own { steps: own.steps.renumbered(number), care: Care::FULL, ..own.clone() };
        Ok(())
    }

    /// A joint in the space of its character: of one that the level of detail leaves out, where it leans on the one above.
    pub fn model(&self, member: Member, joint: usize) -> Option<Mat4> {
        let models = self.crowd.models(member).ok()??;
        let level = self.own.get(member.index())?.care.level;
        match self.levels.leans(level, joint) {
            Some((on, by)) => Some(Mat34::from_mat4(models.get(on)?).mul(by).to_mat4()),
            None => models.get(joint).copied(),
        }
    }

    /// Whether members that are not posed in every update move from pose to pose.
    pub fn set_smooth(&mut self, between: bool) {
        let morphs = !self.targets.is_empty();
        self.crowd.set_outputs(Outputs { morphs, between, ..Outputs::default() });
        self.levels.fresh = true;
    }

    /// A box around a mesh that no pose of the clips leaves; `None` for a mesh that no skin shows, or that is empty.
    pub fn reach_of(&mut self, mesh: &str) -> Option<Aabb> {
        let rig = self.rigs.get(mesh)?;
        if let Some(known) = rig.reach.get() {
            return *known;
        }
        if self.reach.is_none() {
            // Sections that were read before are right.
            let view = ArchiveView::read(self.archive.bytes(), &Limits::default()).ok()?;
            let is_difference = |name: &str| {
                view.find(SectionKind::Clip, name).is_ok_and(|section| section.flags & CLIP_ADDITIVE != 0)
            };
            let names = self.clips.iter().map(|fact| is_difference(&fact.name));
            self.reach = Reach::new(self.crowd.skeleton(), self.crowd.clips().iter().zip(names)).ok();
        }
        let around = self.reach.as_ref().and_then(|reach| {
            let targets = targets_of(&self.archive, mesh).ok()?;
            reach.around(&self.archive.mesh(mesh).ok()?.view(), morphs_reach(&targets))
        });
        *rig.reach.get_or_init(|| around)
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
