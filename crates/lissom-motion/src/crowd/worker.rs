//! The buffers of one task, and the queues in which poses wait until sixteen are written side by side.

use super::{error::CrowdError, event::Told};
use crate::{
    Graph,
    frame::Frame,
    memory::{InertiaBuffer, MemoryScratch},
};
use alloc::{vec, vec::Vec};
use lissom::{
    Skeleton,
    job::{BatchPlan, BatchScratch, Mix, MixScratch},
    math::{
        Mat4,
        soa::{GROUP, Lanes, SoaTransform},
    },
    player::Body,
};

/// The buffers that one task works in.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub frame: Frame,
    pub rows: Vec<Lanes>,
    pub scratch: MixScratch,
    pub memory_scratch: MemoryScratch,
    /// Spare buffers for pose memories: no member of this task uses them now.
    pub spares: Vec<InertiaBuffer>,
    /// Members whose pose waits to be written: per level, those that show it at once and those that move to it.
    pub posed: Vec<[Posed; 2]>,
    pub batch: BatchScratch,
    /// Of one member whose matrices are not kept.
    pub models: Vec<Mat4>,
    pub events: Vec<Told>,
    /// Slots whose mixes were written anew.
    pub changed: Vec<u32>,
    /// For each clip, whether a pose of this update has it.
    pub played: Vec<bool>,
    pub failed: Option<CrowdError>,
}

impl Worker {
    pub fn new(body: &Body) -> Self {
        let skeleton = body.skeleton();
        let joints = skeleton.joint_count();
        Self {
            frame: Frame::default(),
            rows: vec![Lanes::splat(0.0); Graph::MAX_LAYERS * skeleton.group_count()],
            scratch: MixScratch::with_room_for(skeleton, body.clips(), Mix::MAX_ENTRIES),
            memory_scratch: MemoryScratch::default(),
            spares: Vec::new(),
            posed: vec![Posed::pair(skeleton)],
            batch: BatchScratch::default(),
            models: vec![Mat4::IDENTITY; joints],
            events: Vec::new(),
            changed: Vec::new(),
            played: vec![false; body.clips().len()],
            failed: None,
        }
    }

    /// Buffers for one more level of detail.
    pub fn add_level(&mut self, skeleton: &Skeleton) {
        self.posed.push(Posed::pair(skeleton));
    }

    /// Buffers for matrices side by side.
    pub fn reserve_batch(&mut self, plan: &BatchPlan) {
        self.batch.reserve(plan);
    }

    /// Forgets what the last update left.
    pub fn begin(&mut self) {
        self.events.clear();
        self.changed.clear();
        self.played.fill(false);
        self.posed.iter_mut().flatten().for_each(|posed| posed.len = 0);
        self.failed = None;
    }

    /// Capacity for any frame of a graph.
    pub fn reserve(&mut self, graph: &Graph, skeleton: &Skeleton) {
        self.memory_scratch.reserve(graph, skeleton);
        let missing = |has: usize, needed: usize| needed.saturating_sub(has);
        let Frame { entries, layers, changes, happened, dropped, chosen, .. } = &mut self.frame;
        chosen.reserve(missing(chosen.len(), Graph::MAX_LAYERS));
        if graph.is_inertial() {
            changes.reserve(missing(changes.len(), graph.most_entries()));
        }
        entries.reserve(missing(entries.len(), graph.most_entries()));
        layers.reserve(missing(layers.len(), Graph::MAX_LAYERS));
        happened.reserve(missing(happened.len(), graph.most_events()));
        dropped.reserve(missing(dropped.len(), graph.most_dropped()));
    }
}

/// Where the pose of a member waits to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Queue {
    /// The member's level of detail.
    pub level: usize,
    /// True if what is shown moves to the pose.
    pub moves: bool,
}

impl Queue {
    /// Its members, of a worker's.
    pub fn of(self, posed: &mut [[Posed; 2]]) -> &mut Posed {
        &mut posed[self.level][usize::from(self.moves)]
    }

    /// All queues of this many levels.
    pub fn all(levels: usize) -> impl Iterator<Item = Self> {
        (0..levels).flat_map(|level| [false, true].map(|moves| Self { level, moves }))
    }
}

/// Members of one queue that were posed and are not yet written.
#[derive(Clone, Debug)]
pub(super) struct Posed {
    /// One after the other.
    pub poses: Vec<SoaTransform>,
    pub members: [usize; Self::MOST],
    pub len: usize,
}

impl Posed {
    /// As many as the widest register has lanes.
    pub const MOST: usize = GROUP;

    fn pair(skeleton: &Skeleton) -> [Self; 2] {
        let poses = skeleton.rest_pose().repeat(Self::MOST);
        let empty = Self { poses, members: [0; Self::MOST], len: 0 };
        [empty.clone(), empty]
    }

    pub fn is_full(&self) -> bool {
        self.len == Self::MOST
    }

    /// Where a member's pose is written. There is a free one: a full queue is written out at once.
    pub fn add(&mut self, member: usize) -> &mut [SoaTransform] {
        let groups = self.poses.len() / Self::MOST;
        self.members[self.len] = member;
        self.len += 1;
        &mut self.poses[(self.len - 1) * groups..self.len * groups]
    }
}
