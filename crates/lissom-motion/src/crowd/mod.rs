//! Many characters of one skeleton: what an [`Animator`](crate::Animator) does for one, done for all of them in one call.
//!
//! ```text
//!  Crowd                                       shared: skeleton, clips, graphs, masks, inverse bind matrices
//!    members, a slot each, structure of arrays   mind (a GraphState, or Parts), place, care, last step: what a snapshot has
//!    outputs, a row a slot                       models, palettes, palettes of the frame before
//!        │
//!        ▼  update(dt, executor)                 the slots cut into tasks of slices that are nobody else's
//!  Task: one member after the other, in a room that stays in the cache
//!    decide      graph.update or parts.update ─▶ Frame      (always)
//!    tell        events, root motion, place                 (always)
//!    pose        mix ─▶ pose ─▶ models ─▶ palette row       (if it is seen and it is its turn)
//! ```
//!
//! **A member** is decided by a graph, as an animator is, or plays a few [`Part`]s by itself. It is a few hundred bytes: no keys,
//! no pose. [`Member`] names it, and its [`index`](Member::index) is its place in everything that is written, for as long as it is
//! there; of a member that went only the index comes again.
//!
//! **Same bits.** What a member shows depends on nothing but what it was told and the steps: not on threads, not on how the work
//! was cut, not on who came or went. It is what an animator of the same graph shows.
//!
//! **Who is not seen** keeps its time, its events and its way; its rows stay as they were. Who is seen from far may be posed
//! every n-th update only.
//!
//! **Errors** leave the crowd as it was. Calls for many members check all of them first.
//!
//! ```no_run
//! use lissom::archive::Archive;
//! use lissom_motion::{Graph, GraphParts, LayerParts, RootStep, StateParts, crowd::{Crowd, Role}};
//! use std::sync::Arc;
//!
//! let archive = Archive::open("people.lsm")?;
//! let gaits = StateParts::line("move", "speed", &[(0.0, "idle"), (1.4, "walk"), (4.0, "run")]);
//! let parts = GraphParts::new().damped("speed", 0.0, 0.1).layer(LayerParts::new("body").state(gaits));
//! let graph = Arc::new(Graph::of_archive(&parts, &archive)?);
//! let mut crowd = Crowd::new(&archive)?;
//! let walkers = crowd.add_graph(graph.clone())?;
//! for i in 0..1000 {
//!     let place = RootStep { translation: [f64::from(i), 0.0, 0.0], ..RootStep::IDENTITY };
//!     let member = crowd.add(Role::Graph(walkers), place)?;
//!     crowd.set(member, graph.float("speed")?, 0.004 * i as f32)?;
//! }
//! for _frame in 0..600 {
//!     crowd.update(1.0 / 60.0)?;
//!     println!("{} events", crowd.events().count());
//! }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod error;
mod event;
mod executor;
mod members;
mod palette;
mod part;
mod snapshot;
mod task;

pub use error::CrowdError;
pub use event::CrowdEvent;
#[cfg(feature = "rayon")]
pub use executor::Rayon;
pub use executor::{Executor, Serial};
pub use members::Member;
pub use palette::{HalfRows, PaletteFormat, PaletteRows, Palettes, PalettesMut, Space};
pub use part::{MAX_PARTS, Part};
pub use snapshot::Snapshot;
pub use task::Task;

use crate::{
    ClipKey, Graph, GraphParts, GraphState, Key, LayerKey, OneShot, PoseMemory, RootStep, RootTracks,
    StateError, TriggerKey,
};
use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};
use error::value;
use lissom::{
    Skeleton,
    archive::Archive,
    job::{LocalToModelJob, inverse_binds_from_rest},
    math::{Mat4, Mat34, simd::Backend, soa::Lanes},
    player::{Body, PlayError},
};
use members::{Members, Mind};
use palette::Buffer;
use part::Parts;
use task::{MAX_TASKS, Shared, Slots, TASKS_EACH, Worker};

/// Many characters of one skeleton; see [the module](self).
#[derive(Clone, Debug)]
pub struct Crowd {
    body: Body,
    casts: Vec<Cast>,
    /// How a member of each graph starts.
    starts: Vec<Mind>,
    /// The clips of the body, for who plays parts.
    clips: Cast,
    binds: Box<[Mat34]>,
    /// Matrices of the rest pose: what a new member shows.
    rest: Box<[Mat4]>,
    members: Members,
    outputs: Outputs,
    models: Vec<Mat4>,
    palettes: Option<Buffer>,
    palettes_before: Option<Buffer>,
    /// True after a restore: held poses are other ones.
    afresh: bool,
    /// At least one.
    workers: Vec<Worker>,
    grain: usize,
    backend: Backend,
}

/// A graph on the crowd's skeleton.
#[derive(Clone, Debug)]
struct Cast {
    graph: Arc<Graph>,
    /// The body's number of each of the graph's clips.
    clips: Box<[usize]>,
    /// Where each of them leads.
    roots: Box<[RootTracks]>,
    /// True if one of them leads anywhere.
    travels: bool,
    /// One a layer.
    masks: Box<[Option<Vec<Lanes>>]>,
}

/// A graph of a crowd; made by [`Crowd::add_graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphId(u16);

/// What a new member does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role<'a> {
    /// A graph decides.
    Graph(GraphId),
    /// Clips that play by themselves, each at its own pace.
    Parts(&'a [Part]),
    /// Clips that play by themselves in step: all at the mean of their paces, by weight. Gaits keep step.
    InStep(&'a [Part]),
}

/// What a crowd writes in an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outputs {
    /// Model-space matrices. Without them less memory is written; they are written in any case where palettes are of the world,
    /// since a held pose must follow its member.
    pub models: bool,
    /// Palettes of the crowd's own; `None`: none, or those of [`Crowd::update_into`].
    pub palettes: Option<PaletteFormat>,
    /// Keeps the palettes of the frame before, for motion vectors.
    pub before: bool,
    /// What palettes are relative to.
    pub space: Space,
}

impl Default for Outputs {
    /// Matrices alone.
    fn default() -> Self {
        Self { models: true, palettes: None, before: false, space: Space::Model }
    }
}

impl Cast {
    fn new(body: &Body, graph: Arc<Graph>) -> Result<Self, CrowdError> {
        let clips =
            graph.clips().iter().map(|clip| body.clip(&clip.name)).collect::<Result<Box<[_]>, _>>()?;
        let layers = graph.layer_names().count();
        let masks = (0..layers).map(|layer| graph.mask(layer, body.skeleton())).collect::<Result<_, _>>()?;
        let roots: Box<[_]> = clips.iter().map(|clip| RootTracks::of_body(body, *clip)).collect();
        let travels = roots.iter().any(|root| !root.is_empty());
        Ok(Self { clips, roots, travels, masks, graph })
    }
}

impl Crowd {
    /// A crowd of the archive's only skeleton, with nobody in it. Its palettes are those of the skeleton's first mesh, or
    /// without one those of the rest pose.
    ///
    /// # Errors
    ///
    /// What [`Body::new`] says; more than 4,096 clips.
    pub fn new(archive: &Archive) -> Result<Self, CrowdError> {
        Self::of_body(archive, Body::new(archive, 0)?)
    }

    /// A crowd of the skeleton of this name.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::new`].
    pub fn of_skeleton(archive: &Archive, skeleton: &str) -> Result<Self, CrowdError> {
        Self::of_body(archive, Body::of_skeleton(archive, skeleton, 0)?)
    }

    fn of_body(archive: &Archive, body: Body) -> Result<Self, CrowdError> {
        let skeleton = body.skeleton();
        let binds = match body.mesh_names().next() {
            Some(mesh) => archive.mesh(mesh).map_err(PlayError::from)?.view().inverse_binds.into(),
            // A joint of no size moves nothing.
            None => inverse_binds_from_rest(skeleton)
                .unwrap_or_else(|_| vec![Mat34::IDENTITY; skeleton.joint_count()])
                .into(),
        };
        let mut rest = vec![Mat4::IDENTITY; skeleton.joint_count()];
        LocalToModelJob::new(skeleton, skeleton.rest_pose(), &mut rest).run().map_err(PlayError::from)?;
        let all = body.clip_names().fold(GraphParts::new(), |parts, name| parts.clip(name));
        let seconds = |name: &str| Some(body.clips()[body.clip(name).ok()?].view().duration_s());
        // Only too many clips can be wrong: there is nothing else in it.
        let graph = Graph::new(&all, seconds).map_err(|_| CrowdError::Full { what: "clips" })?;
        Ok(Self {
            clips: Cast::new(&body, Arc::new(graph))?,
            casts: Vec::new(),
            starts: Vec::new(),
            binds,
            rest: rest.into(),
            members: Members::default(),
            outputs: Outputs::default(),
            models: Vec::new(),
            palettes: None,
            palettes_before: None,
            afresh: false,
            workers: vec![Worker::new(&body)],
            grain: 16,
            backend: Backend::best(),
            body,
        })
    }

    /// A graph that members may be played by.
    ///
    /// # Errors
    ///
    /// A clip of the graph that the archive has not, or has for another skeleton; a mask with a joint that the skeleton has not.
    pub fn add_graph(&mut self, graph: Arc<Graph>) -> Result<GraphId, CrowdError> {
        let full = CrowdError::Full { what: "graphs" };
        let id = u16::try_from(self.casts.len()).map_err(|_| full)?;
        let cast = Cast::new(&self.body, graph)?;
        self.workers.iter_mut().for_each(|worker| worker.reserve(&cast.graph, self.body.skeleton()));
        let memory = PoseMemory::new(&cast.graph, self.body.skeleton());
        self.starts.push(Mind::Graph { graph: id, state: GraphState::new(&cast.graph), memory });
        self.casts.push(cast);
        Ok(GraphId(id))
    }

    /// One more, at a place. It shows the rest pose until the next update.
    ///
    /// # Errors
    ///
    /// A graph or a clip that this crowd has not; a part that makes no sense; a place that is not finite.
    pub fn add(&mut self, role: Role<'_>, place: RootStep) -> Result<Member, CrowdError> {
        check_place(&place)?;
        let plain =
            |parts, in_step| Ok::<_, CrowdError>(Mind::Parts(Parts::new(parts, in_step, &self.clips.graph)?));
        let member = match role {
            Role::Graph(GraphId(id)) => {
                let (found, graphs) = (usize::from(id), self.starts.len());
                let start = self.starts.get(found).ok_or(CrowdError::NoSuchGraph { found, graphs })?;
                self.members.add(start, place)?
            }
            Role::Parts(parts) => self.members.add(&plain(parts, false)?, place)?,
            Role::InStep(parts) => self.members.add(&plain(parts, true)?, place)?,
        };
        self.make_room();
        let joints = self.rest.len();
        if let Some(row) = self.models.get_mut(member.index() * joints..(member.index() + 1) * joints) {
            row.copy_from_slice(&self.rest);
        }
        Ok(member)
    }

    /// One less: its index is free for another.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn remove(&mut self, member: Member) -> Result<(), CrowdError> {
        self.members.remove(member)
    }

    /// Several less.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]: somebody who is not there, or is listed twice. Nobody has then gone.
    pub fn remove_each(&mut self, members: &[Member]) -> Result<(), CrowdError> {
        for (i, member) in members.iter().enumerate() {
            if let Err(error) = self.members.remove(*member) {
                members[..i].iter().rev().for_each(|gone| self.members.undo_remove(*gone));
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sets a parameter of a member's graph.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::set`]; a member without a graph.
    pub fn set<K: Key>(&mut self, member: Member, key: K, value: K::Value) -> Result<(), CrowdError> {
        Ok(self.graph_state(member)?.1.set(key, value)?)
    }

    /// Sets a parameter of several, each to a value of its own.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::set`]; other numbers of members and values. Nothing has then been set.
    pub fn set_each<K: Key>(
        &mut self,
        members: &[Member],
        key: K,
        values: &[K::Value],
    ) -> Result<(), CrowdError>
    where
        K::Value: Copy,
    {
        same_length("values", values.len(), members.len())?;
        // Each is tried first, and put back.
        for (member, value) in members.iter().zip(values) {
            let state = self.graph_state(*member)?.1;
            let old = state.get(key).ok_or(StateError::OtherGraph)?;
            state.set(key, *value)?;
            state.set(key, old)?;
        }
        for (member, value) in members.iter().zip(values) {
            self.set(*member, key, *value)?;
        }
        Ok(())
    }

    /// Sets a trigger of several.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::set`]. Nothing has then been set.
    pub fn trigger_each(&mut self, members: &[Member], key: TriggerKey) -> Result<(), CrowdError> {
        for member in members {
            self.graph_state(*member)?.1.get(key).ok_or(StateError::OtherGraph)?;
        }
        members.iter().try_for_each(|member| self.set(*member, key, true))
    }

    /// Plays a clip over a layer of a member's graph; see [`GraphState::play`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::play`]; a member without a graph.
    pub fn play(
        &mut self,
        member: Member,
        layer: LayerKey,
        clip: ClipKey,
        how: OneShot,
    ) -> Result<(), CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        Ok(state.play(&graph, layer, clip, how)?)
    }

    /// Lets the one-shots of a member's layer go.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::stop`]; a member without a graph.
    pub fn stop(&mut self, member: Member, layer: LayerKey) -> Result<(), CrowdError> {
        Ok(self.graph_state(member)?.1.stop(layer)?)
    }

    /// The state of a member's graph: a clone is a save.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn state(&self, member: Member) -> Result<&GraphState, CrowdError> {
        match &self.members.minds[self.members.find(member)?] {
            Mind::Graph { state, .. } => Ok(state),
            Mind::Parts(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }

    /// Puts a save back; without allocation. What is seen follows with the next update, which may be one of 0.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; [`StateError::OtherGraph`]; a member without a graph.
    pub fn set_state(&mut self, member: Member, saved: &GraphState) -> Result<(), CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        if !saved.fits(&graph) {
            return Err(StateError::OtherGraph.into());
        }
        state.clone_from(saved);
        Ok(())
    }

    /// What a member's pose remembers of transitions by inertia: saved and put back along with its state.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn memory(&self, member: Member) -> Result<&PoseMemory, CrowdError> {
        match &self.members.minds[self.members.find(member)?] {
            Mind::Graph { memory, .. } => Ok(memory),
            Mind::Parts(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }

    /// Puts that back; without allocation.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; [`StateError::OtherGraph`]; a member without a graph.
    pub fn set_memory(&mut self, member: Member, saved: &PoseMemory) -> Result<(), CrowdError> {
        let at = self.members.find(member)?;
        let Mind::Graph { graph, memory, .. } = &mut self.members.minds[at] else {
            return Err(CrowdError::OtherMind { member, expected: "a graph" });
        };
        if !saved.fits(&self.casts[usize::from(*graph)].graph, self.body.skeleton()) {
            return Err(StateError::OtherGraph.into());
        }
        memory.clone_from(saved);
        Ok(())
    }

    /// The parts that a member plays, as they are now.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member that a graph plays.
    pub fn parts(&self, member: Member) -> Result<impl Iterator<Item = Part>, CrowdError> {
        match &self.members.minds[self.members.find(member)?] {
            Mind::Parts(parts) => Ok(parts.iter()),
            Mind::Graph { .. } => Err(CrowdError::OtherMind { member, expected: "parts" }),
        }
    }

    /// Gives a member other parts: other weights, other clips, or the same elsewhere.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`Crowd::add`]; a member that a graph plays.
    pub fn set_parts(&mut self, member: Member, parts: &[Part]) -> Result<(), CrowdError> {
        let at = self.members.find(member)?;
        let Mind::Parts(own) = &mut self.members.minds[at] else {
            return Err(CrowdError::OtherMind { member, expected: "parts" });
        };
        *own = Parts::new(parts, own.is_in_step(), &self.clips.graph)?;
        Ok(())
    }

    fn graph_state(&mut self, member: Member) -> Result<(Arc<Graph>, &mut GraphState), CrowdError> {
        let at = self.members.find(member)?;
        match &mut self.members.minds[at] {
            Mind::Graph { graph, state, .. } => Ok((self.casts[usize::from(*graph)].graph.clone(), state)),
            Mind::Parts(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }

    /// Where a member stands.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn place(&self, member: Member) -> Result<&RootStep, CrowdError> {
        Ok(&self.members.places[self.members.find(member)?])
    }

    /// Puts a member somewhere.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a place that is not finite.
    pub fn set_place(&mut self, member: Member, place: RootStep) -> Result<(), CrowdError> {
        self.set_places(&[member], &[place])
    }

    /// Puts several somewhere.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::set_place`]; other numbers of members and places. Nobody has then moved.
    pub fn set_places(&mut self, members: &[Member], places: &[RootStep]) -> Result<(), CrowdError> {
        same_length("places", places.len(), members.len())?;
        places.iter().try_for_each(check_place)?;
        self.with_each(members, |all, at, i| all.places[at] = places[i])
    }

    /// The step that a member made in the last update, in the space that it stands in.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn root_step(&self, member: Member) -> Result<&RootStep, CrowdError> {
        Ok(&self.members.steps[self.members.find(member)?])
    }

    /// Whether root motion moves a member's place; at first it does. Who steers it otherwise takes [`Crowd::root_step`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn set_travels(&mut self, members: &[Member], travels: bool) -> Result<(), CrowdError> {
        self.with_each(members, |all, at, _| all.cares[at].travels = travels)
    }

    /// Whether members are seen; at first they are. Who is not keeps its time, its events and its way, and is not posed.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; nothing has then changed.
    pub fn set_seen(&mut self, members: &[Member], seen: bool) -> Result<(), CrowdError> {
        self.with_each(members, |all, at, _| {
            let care = &mut all.cares[at];
            care.fresh |= seen && !care.seen;
            care.seen = seen;
        })
    }

    /// Poses members every n-th update only; in between they hold their pose, while time, events and their way go on. The
    /// i-th of the list has its turn i updates from now, so that they do not all have it at once.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; 0 updates. Nothing has then changed.
    pub fn set_rate(&mut self, members: &[Member], every: u8) -> Result<(), CrowdError> {
        if every == 0 {
            return Err(value("every", 0.0, "1 to 255"));
        }
        self.with_each(members, |all, at, i| {
            (all.cares[at].every, all.cares[at].wait) = (every, (i % usize::from(every)) as u8);
        })
    }

    /// Finds everybody before anything is done.
    fn with_each(
        &mut self,
        members: &[Member],
        mut each: impl FnMut(&mut Members, usize, usize),
    ) -> Result<(), CrowdError> {
        members.iter().try_for_each(|member| self.members.find(*member).map(|_| ()))?;
        for (i, member) in members.iter().enumerate() {
            each(&mut self.members, member.index(), i);
        }
        Ok(())
    }

    /// What updates write from now on.
    pub fn set_outputs(&mut self, outputs: Outputs) {
        self.outputs = outputs;
        (self.palettes, self.palettes_before) = (None, None);
        self.models.clear();
        self.make_room();
        let joints = self.rest.len();
        for row in self.models.chunks_exact_mut(joints) {
            row.copy_from_slice(&self.rest);
        }
    }

    fn keeps_models(&self) -> bool {
        self.outputs.models || matches!(self.outputs.space, Space::World { .. })
    }

    /// A row a slot in every output.
    fn make_room(&mut self) {
        let len = self.members.slots() * self.rest.len();
        if self.keeps_models() {
            self.models.resize(len, Mat4::IDENTITY);
        }
        let Outputs { palettes, before, .. } = self.outputs;
        let buffers =
            [(&mut self.palettes, palettes), (&mut self.palettes_before, palettes.filter(|_| before))];
        for (buffer, format) in buffers {
            if let Some(format) = format {
                buffer.get_or_insert_with(|| Buffer::new(format, 0)).resize(len);
            }
        }
    }

    /// The SIMD backend: the bits are the same on each.
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    /// At least so many members a task, 16 unless told: what a task of an executor costs must be little beside them.
    pub fn set_grain(&mut self, members: usize) {
        self.grain = if members > 0 { members } else { 1 };
    }

    /// Goes on by so many seconds, on this thread.
    ///
    /// # Errors
    ///
    /// A step that is negative, NaN or infinite; nothing has then moved.
    pub fn update(&mut self, dt_s: f64) -> Result<(), CrowdError> {
        self.update_on(dt_s, &Serial)
    }

    /// The same on the threads of an executor: the same bits.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::update`].
    pub fn update_on(&mut self, dt_s: f64, executor: &dyn Executor) -> Result<(), CrowdError> {
        check_dt(dt_s)?;
        if self.outputs.before {
            core::mem::swap(&mut self.palettes, &mut self.palettes_before);
        }
        let mut palettes = self.palettes.take();
        let done = self.step(dt_s, executor, palettes.as_mut().map(Buffer::view_mut));
        self.palettes = palettes;
        done
    }

    /// The same with palettes into a buffer of the caller's, for example mapped memory of a GPU: rows as in [`Palettes`], for as many
    /// members as there are [`Crowd::slots`]. Rows of members that are not posed anew are left as they are.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::update`]; a buffer that is too small.
    pub fn update_into(
        &mut self,
        dt_s: f64,
        executor: &dyn Executor,
        palettes: PalettesMut<'_>,
    ) -> Result<(), CrowdError> {
        check_dt(dt_s)?;
        let (found, needed) = (palettes.len(), self.members.slots() * self.rest.len());
        if found < needed {
            return Err(CrowdError::Length { field: "palettes", what: "matrices", found, needed });
        }
        self.step(dt_s, executor, Some(palettes))
    }

    fn step(
        &mut self,
        dt_s: f64,
        executor: &dyn Executor,
        palettes: Option<PalettesMut<'_>>,
    ) -> Result<(), CrowdError> {
        let slots = self.members.slots();
        let width = executor.width();
        let wanted = if width > 1 { width.saturating_mul(TASKS_EACH) } else { 1 };
        let count = wanted.min(MAX_TASKS).min(slots.div_ceil(self.grain)).max(1);
        while self.workers.len() < count {
            let mut worker = Worker::new(&self.body);
            self.casts.iter().for_each(|cast| worker.reserve(&cast.graph, self.body.skeleton()));
            self.workers.push(worker);
        }
        for worker in &mut self.workers {
            worker.passed.clear();
            worker.failed = None;
        }
        let shared = Shared {
            body: &self.body,
            casts: &self.casts,
            clips: &self.clips,
            binds: &self.binds,
            before: self.palettes_before.as_ref(),
            afresh: core::mem::take(&mut self.afresh),
            outputs: self.outputs,
            backend: self.backend,
            dt_s,
        };
        let Members { generations, minds, places, cares, steps, .. } = &mut self.members;
        let mut rest = Slots {
            first: 0,
            joints: self.rest.len(),
            generations,
            minds,
            places,
            cares,
            steps,
            models: &mut self.models,
            palettes,
        };
        let mut workers = self.workers.iter_mut();
        if count == 1 {
            // There is always one.
            if let Some(worker) = workers.next() {
                Task::new(&shared, worker, rest).run();
            }
        } else {
            let mut tasks: [Task<'_>; MAX_TASKS] = core::array::from_fn(|_| Task::default());
            let mut left = slots;
            for (i, (task, worker)) in tasks[..count].iter_mut().zip(workers).enumerate() {
                let here = left.div_ceil(count - i);
                left -= here;
                *task = Task::new(&shared, worker, rest.cut(here));
            }
            executor.run(&mut tasks[..count]);
            tasks.iter_mut().for_each(Task::run);
        }
        self.workers.iter_mut().find_map(|worker| worker.failed.take()).map_or(Ok(()), Err)
    }

    /// The markers passed in the last step: by member, of one member in the order of time, at one time by layer.
    pub fn events(&self) -> impl Iterator<Item = CrowdEvent<'_>> {
        self.workers.iter().flat_map(|worker| &worker.passed).filter_map(|passed| passed.event(&self.body))
    }

    /// The model-space matrices of a member, one a joint; `None` where they are not written.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn models(&self, member: Member) -> Result<Option<&[Mat4]>, CrowdError> {
        let (at, joints) = (self.members.find(member)?, self.rest.len());
        Ok(self.models.get(at * joints..(at + 1) * joints))
    }

    /// All of them, as many a slot as there are joints; empty where they are not written.
    #[must_use]
    pub fn all_models(&self) -> &[Mat4] {
        &self.models
    }

    /// The palette of a member; `None` where the crowd has none of its own.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn palette(&self, member: Member) -> Result<Option<Palettes<'_>>, CrowdError> {
        let at = self.members.find(member)?;
        Ok(self.palettes().and_then(|all| all.row(at, self.rest.len())))
    }

    /// All palettes, ready for upload; `None` where the crowd has none of its own.
    #[must_use]
    pub fn palettes(&self) -> Option<Palettes<'_>> {
        self.palettes.as_ref().map(Buffer::view)
    }

    /// Those of the frame before, where they are kept. Of somebody new they are anything.
    #[must_use]
    pub fn palettes_before(&self) -> Option<Palettes<'_>> {
        self.palettes_before.as_ref().map(Buffer::view)
    }

    /// The matrices that palettes are made with, one a joint: those of another mesh.
    ///
    /// # Errors
    ///
    /// Another number than the skeleton has joints.
    pub fn set_inverse_binds(&mut self, binds: &[Mat34]) -> Result<(), CrowdError> {
        let (found, needed) = (binds.len(), self.rest.len());
        if found != needed {
            return Err(CrowdError::Length { field: "binds", what: "matrices", found, needed });
        }
        self.binds.copy_from_slice(binds);
        Ok(())
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// True if there is nobody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of the outputs: one more than the highest index that anybody ever had.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.members.slots()
    }

    /// Everybody, by index.
    pub fn members(&self) -> impl Iterator<Item = Member> {
        self.members.iter()
    }

    /// True if it is one of them.
    #[must_use]
    pub fn contains(&self, member: Member) -> bool {
        self.members.find(member).is_ok()
    }

    /// The skeleton.
    #[must_use]
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        self.body.skeleton()
    }

    /// A clip's number, for [`Part`].
    ///
    /// # Errors
    ///
    /// What [`Body::clip`] says.
    pub fn clip(&self, name: &str) -> Result<u16, CrowdError> {
        // There are at most 4,096.
        Ok(self.body.clip(name)? as u16)
    }

    /// Bytes of a member without its outputs: its slot, and what its mind holds.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn member_bytes(&self, member: Member) -> Result<usize, CrowdError> {
        Ok(self.members.bytes(self.members.find(member)?))
    }
}

fn check_dt(dt_s: f64) -> Result<(), CrowdError> {
    if dt_s.is_finite() && dt_s >= 0.0 {
        return Ok(());
    }
    Err(value("dt_s", dt_s, "finite, at least 0; a negative speed plays backward"))
}

fn check_place(place: &RootStep) -> Result<(), CrowdError> {
    let numbers = place.translation.iter().chain(&place.rotation);
    match numbers.copied().find(|number| !number.is_finite()) {
        Some(number) => Err(value("place", number, "finite numbers")),
        None => Ok(()),
    }
}

fn same_length(field: &'static str, found: usize, needed: usize) -> Result<(), CrowdError> {
    if found == needed { Ok(()) } else { Err(CrowdError::Length { field, what: "entries", found, needed }) }
}
