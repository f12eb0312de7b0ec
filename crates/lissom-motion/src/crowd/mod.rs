//! Many characters of one skeleton: what an [`Animator`](crate::Animator) does for one, done for all of them in one call.
//!
//! ```text
//!  Crowd                                       shared: skeleton, clips, graphs, masks, inverse bind matrices
//!    members, a slot each, structure of arrays   mind (a GraphState, or PlayedClips), place, care, last step: what a snapshot has
//!    outputs, a row a slot                       models, palettes, palettes of the frame before
//!        │
//!        ▼  update(dt, executor)                 the slots cut into tasks of slices that are nobody else's
//!  Task: one member after the other, in buffers that stay in the cache
//!    decide      graph.update or clips.update ─▶ Frame      (always)
//!    tell        events, root motion, place                 (always)
//!    pose        mix ─▶ pose                                (if it is seen and it is its turn)
//!    write       sixteen poses ─▶ models ─▶ palette rows    (side by side, a lane a member)
//! ```
//!
//! **A member** is decided by a graph, as an animator is, or plays a few [`PlayedClip`]s by itself. It is a few hundred bytes: no keys,
//! no pose, and what a pose remembers of a transition by inertia lies in a buffer that the crowd lends while the transition lasts. [`Member`] names it, and its [`index`](Member::index) is its place in everything that is written, for as long as it is
//! there; of a member that went only the index comes again.
//!
//! **Same bits.** What a member shows depends on nothing but what it was told and the steps: not on threads, not on how the work
//! was cut, not on who came or went. It is what an animator of the same graph, rate and level of detail shows.
//!
//! **Clips** are shared by thousands: those that are played are kept decoded, so that a member needs no cursor and any phase costs the
//! same. Their memory is bounded ([`Crowd::set_decoded_bytes`]); clips with cubic keys are played by cursors.
//!
//! A member with **pace 0** ([`Crowd::set_pace`]) costs nothing. A **hidden** member keeps its time, events and root motion; it is not posed, and its rows stay as they were. A member that is seen from far may be posed
//! every n-th update only, holding its pose or moving to it ([`Outputs::between`]), and with fewer joints; a [`Detail`] says which by size
//! on the screen.
//!
//! **Errors** leave the crowd as it was. Calls for many members check all of them first.
//!
//! ```no_run
//! use lissom::archive::Archive;
//! use lissom_motion::{Graph, GraphParts, RootStep, crowd::{Crowd, Role}, graph::{LayerParts, StateParts}};
//! use std::sync::Arc;
//!
//! let archive = Archive::open("people.lsm")?;
//! let gaits = StateParts::line("move", "speed", &[(0.0, "idle"), (1.4, "walk"), (4.0, "run")]).own_time("idle");
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
//!     println!("{} markers", crowd.events().filter(|event| event.marker().is_some()).count());
//! }
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod care;
mod decoded;
mod detail;
mod error;
mod event;
mod executor;
mod matrices;
mod members;
mod minds;
mod mixes;
mod one;
mod outputs;
mod palette;
mod played_clip;
mod records;
mod saves;
mod searches;
mod slots;
mod snapshot;
mod task;
mod update;
mod worker;

pub use detail::{Detail, DetailStep};
pub use error::CrowdError;
pub use event::CrowdEvent;
#[cfg(feature = "rayon")]
pub use executor::Rayon;
pub use executor::{Executor, Serial};
pub use members::Member;
pub use mixes::{MixHead, MixedClip, MixedLayer, Mixes, NO_MASK, TICKS_PER_S, TIME_ERROR_S, WEIGHT_ERROR};
pub use one::MemberPose;
pub use outputs::{BoundsScratch, Outputs};
pub use palette::{HalfRows, PaletteFormat, PaletteRows, Palettes, PalettesMut, Space};
pub use played_clip::{MAX_PLAYED_CLIPS, PlayedClip};
pub use saves::ClipsSave;
pub use snapshot::Snapshot;
pub use task::Task;
pub use update::PoseHook;

use crate::{
    Graph, GraphParts, GraphState, PoseMemory, RootStep, cast::Cast, decide::Decisions, recording::Recorder,
};
use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};
use care::check_place;
use decoded::Decoded;
use lissom::{
    Clip, JointLod, Skeleton,
    archive::Archive,
    job::{BatchPlan, LocalToModelJob, inverse_binds_from_rest},
    math::{Mat4, Mat34, simd::Backend},
    player::{Body, PlayError},
};
use matrices::Matrices;
use members::{Members, Mind};
use mixes::AllMixes;
use palette::Buffer;
use played_clip::PlayedClips;
use worker::Worker;

/// Many characters of one skeleton; see [the module](self).
#[derive(Clone, Debug)]
pub struct Crowd {
    body: Body,
    casts: Vec<Cast>,
    /// How a member of each graph starts.
    starts: Vec<Mind>,
    /// The clips of the body, for members without a graph.
    clips: Cast,
    decoded: Decoded,
    /// Of all joints.
    plan: Option<BatchPlan>,
    /// Level 1 first: level 0 has all joints.
    levels: Vec<Level>,
    /// Inverse bind matrices, by rows.
    binds: Box<[PaletteRows]>,
    /// Matrices of the rest pose: what a new member shows.
    rest: Box<[Mat4]>,
    members: Members,
    outputs: Outputs,
    models: Matrices,
    /// What members at a divided rate move to; none where they hold their poses.
    targets: Matrices,
    /// What members play; none where it is not written.
    mixes: AllMixes,
    /// Weights of morph targets, as many a slot as there are; none where they are not written.
    morphs: Vec<f32>,
    /// What they are when no clip says otherwise, mesh after mesh.
    own_morphs: Box<[f32]>,
    /// Where those of each mesh end.
    morph_ends: Box<[usize]>,
    palettes: Option<Buffer>,
    palettes_before: Option<Buffer>,
    /// True from a restore to the next update: held poses have changed.
    restored: bool,
    /// How many updates and restores there have been.
    updates: u64,
    /// At least one.
    workers: Vec<Worker>,
    grain: usize,
    backend: Backend,
    /// Members that search in one update, at most.
    search_budget: Option<usize>,
    /// True if somebody has no turn to search yet.
    deals_searches: bool,
    /// Who is recorded.
    recorders: Vec<(Member, Recorder)>,
    /// A slot a member, if anybody is recorded: for who is, a hash of what it is mixed from.
    recorded_mixes: Vec<Option<u32>>,
    /// A slot a member, of those whose decisions are remembered; none if nobody's are.
    decisions: Vec<Option<(Member, Decisions)>>,
}

/// A level of detail.
#[derive(Clone, Debug)]
struct Level {
    lod: JointLod,
    /// How its joints are walked for several members at once; `None` if nothing moves some of them.
    plan: Option<BatchPlan>,
    /// Whose palette entry each joint has: its own, or that of the nearest one above it.
    joints: Box<[u16]>,
    /// The inverse bind matrices of those.
    binds: Box<[PaletteRows]>,
}

impl Level {
    fn new(lod: JointLod, skeleton: &Skeleton, binds: &[PaletteRows]) -> Self {
        let joints: Box<[u16]> = (0..skeleton.joint_count())
            .map(|joint| lod.nearest(skeleton, joint).unwrap_or(joint) as u16)
            .collect();
        let binds = joints.iter().map(|joint| binds[usize::from(*joint)]).collect();
        Self { plan: BatchPlan::new(skeleton, Some(&lod)), lod, joints, binds }
    }
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
    Clips(&'a [PlayedClip]),
    /// Clips that play by themselves in step: all at the mean of their paces, by weight. Gaits keep step.
    InStep(&'a [PlayedClip]),
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
            Some(mesh) => archive.mesh(mesh).map_err(PlayError::from)?.view().inverse_binds.to_vec(),
            // A joint of no size moves nothing.
            None => inverse_binds_from_rest(skeleton)
                .unwrap_or_else(|_| vec![Mat34::IDENTITY; skeleton.joint_count()]),
        };
        let mut own_morphs = Vec::new();
        let mut morph_ends = Vec::new();
        for mesh in body.mesh_names() {
            own_morphs.extend_from_slice(body.morph_weights(mesh)?);
            morph_ends.push(own_morphs.len());
        }
        let mut rest = vec![Mat4::IDENTITY; skeleton.joint_count()];
        LocalToModelJob::new(skeleton, skeleton.rest_pose(), &mut rest).run().map_err(PlayError::from)?;
        let all = body.clip_names().fold(GraphParts::new(), |parts, name| parts.clip(name));
        let seconds = |name: &str| Some(body.clips()[body.clip(name).ok()?].view().duration_s());
        // Only too many clips can be wrong: there is nothing else in it.
        let graph = Graph::new(&all, seconds).map_err(|_| CrowdError::Full { what: "clips" })?;
        Ok(Self {
            clips: Cast::new::<CrowdError>(&body, Arc::new(graph))?,
            casts: Vec::new(),
            starts: Vec::new(),
            decoded: Decoded::new(body.clips().len()),
            plan: BatchPlan::new(skeleton, None),
            levels: Vec::new(),
            binds: binds.iter().map(palette::rows).collect(),
            rest: rest.into(),
            members: Members::default(),
            outputs: Outputs::default(),
            models: Matrices::default(),
            targets: Matrices::default(),
            mixes: AllMixes::default(),
            morphs: Vec::new(),
            own_morphs: own_morphs.into(),
            morph_ends: morph_ends.into(),
            palettes: None,
            palettes_before: None,
            restored: false,
            updates: 0,
            workers: vec![Worker::new(&body)],
            grain: 16,
            backend: Backend::best(),
            search_budget: None,
            deals_searches: false,
            recorders: Vec::new(),
            recorded_mixes: Vec::new(),
            decisions: Vec::new(),
            body,
        })
    }

    /// A graph that members may be played by.
    ///
    /// # Errors
    ///
    /// The graph names a clip that the archive lacks, or has for another skeleton; a mask names a joint that the skeleton lacks.
    pub fn add_graph(&mut self, graph: Arc<Graph>) -> Result<GraphId, CrowdError> {
        let full = CrowdError::Full { what: "graphs" };
        let id = u16::try_from(self.casts.len()).map_err(|_| full)?;
        let cast = Cast::new::<CrowdError>(&self.body, graph)?;
        self.workers.iter_mut().for_each(|worker| worker.reserve(&cast.graph, self.body.skeleton()));
        let memory = PoseMemory::new(&cast.graph, self.body.skeleton());
        self.starts.push(Mind::Graph { graph: id, state: GraphState::new(&cast.graph), memory });
        self.casts.push(cast);
        self.resize_outputs();
        Ok(GraphId(id))
    }

    /// One more, at a place. It shows the rest pose until the next update.
    ///
    /// # Errors
    ///
    /// A graph or a clip that this crowd has not; a clip with a weight, speed or place that makes no sense; a place that is not finite.
    pub fn add(&mut self, role: Role<'_>, place: RootStep) -> Result<Member, CrowdError> {
        check_place(&place)?;
        let plain = |clips, in_step| {
            Ok::<_, CrowdError>(Mind::Clips(PlayedClips::new(clips, in_step, &self.clips.graph)?))
        };
        let member = match role {
            Role::Graph(GraphId(id)) => {
                let (found, graphs) = (usize::from(id), self.starts.len());
                let start = self.starts.get(found).ok_or(CrowdError::NoSuchGraph { found, graphs })?;
                self.members.add(start, place)?
            }
            Role::Clips(clips) => self.members.add(&plain(clips, false)?, place)?,
            Role::InStep(clips) => self.members.add(&plain(clips, true)?, place)?,
        };
        self.deals_searches |= self.search_budget.is_some();
        self.resize_outputs();
        self.mixes.spoil(member.index());
        let joints = self.rest.len();
        if let Some(row) = self.models.get_mut(member.index() * joints..(member.index() + 1) * joints) {
            row.copy_from_slice(&self.rest);
        }
        let morphs = self.own_morphs.len();
        if let Some(row) = self.morphs.get_mut(member.index() * morphs..(member.index() + 1) * morphs) {
            row.copy_from_slice(&self.own_morphs);
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

    /// The skeleton's clips, by number.
    #[must_use]
    pub fn clips(&self) -> &[Clip] {
        self.body.clips()
    }

    /// A clip's number, for [`PlayedClip`].
    ///
    /// # Errors
    ///
    /// What [`Body::clip`] says.
    pub fn clip(&self, name: &str) -> Result<u16, CrowdError> {
        // There are at most 4,096.
        Ok(self.body.clip(name)? as u16)
    }

    /// The meshes that were made for the skeleton, in the order of their numbers.
    pub fn mesh_names(&self) -> impl Iterator<Item = &str> {
        self.body.mesh_names()
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
