//! The work of a frame, cut into pieces that share nothing.

use super::{
    Cast, Level, Outputs,
    error::CrowdError,
    event::{self, Passed},
    members::{Care, Mind, is_live, member_at},
    palette::{Buffer, PaletteRows, PalettesMut, Space, place_matrix},
};
use crate::{Entry, MemoryScratch, RootStep, frame::Frame, graph::Graph, memory::Room, rate::move_on};
use alloc::{vec, vec::Vec};
use core::{fmt, mem};
use lissom::{
    Skeleton,
    clip::DecodedClip,
    job::{
        BatchJob, BatchPalettes, BatchPlan, BatchScratch, JobError, LocalToModelJob, Mix, MixJob, MixScratch,
        Models, Update,
    },
    math::{
        Mat4, Mat34,
        simd::Backend,
        soa::{GROUP, Lanes, SoaTransform},
    },
    player::{Body, ClipShare, PlayError},
};

/// The most pieces of a frame.
pub(super) const MAX_TASKS: usize = 64;
/// Pieces for each that may run at once: who is done early takes another.
pub(super) const TASKS_EACH: usize = 4;

/// A piece of a frame's work; see [`Executor`](super::Executor).
#[derive(Default)]
pub struct Task<'a>(Option<Work<'a>>);

impl Task<'_> {
    /// Does it. A second call does nothing.
    pub fn run(&mut self) {
        if let Some(mut work) = self.0.take() {
            work.run();
        }
    }
}

impl fmt::Debug for Task<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("done", &self.0.is_none()).finish()
    }
}

impl<'a> Task<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, worker: &'a mut Worker, part: Slots<'a>) -> Self {
        Self(Some(Work { shared, worker, part }))
    }
}

/// What all pieces read.
pub(super) struct Shared<'a> {
    pub body: &'a Body,
    pub casts: &'a [Cast],
    /// All clips of the body, for who plays parts.
    pub clips: &'a Cast,
    pub decoded: &'a [Option<DecodedClip>],
    /// Of all joints.
    pub plan: Option<&'a BatchPlan>,
    /// Level 1 first.
    pub levels: &'a [Level],
    /// By rows.
    pub binds: &'a [PaletteRows],
    /// Where the weights of each mesh's morph targets end.
    pub morph_ends: &'a [usize],
    pub before: Option<&'a Buffer>,
    /// True if palettes are to be written of poses that are held, too.
    pub afresh: bool,
    pub outputs: Outputs,
    pub backend: Backend,
    pub dt_s: f64,
    /// Its number.
    pub update: u64,
}

impl Shared<'_> {
    /// `None`: all joints.
    fn level(&self, level: usize) -> Option<&Level> {
        self.levels.get(level.checked_sub(1)?)
    }

    /// What palettes are moved by.
    fn place(&self, place: &RootStep) -> Option<Mat34> {
        match self.outputs.space {
            Space::Model => None,
            Space::World { origin } => Some(place_matrix(place, origin)),
        }
    }

    fn put_palette(
        &self,
        palettes: &mut PalettesMut<'_>,
        first: usize,
        place: Option<&Mat34>,
        models: &[Mat4],
        level: usize,
    ) {
        match self.level(level) {
            None => palettes.put(first, place, models.iter(), self.binds),
            Some(level) => {
                let models = level.joints.iter().map(|joint| &models[usize::from(*joint)]);
                palettes.put(first, place, models, &level.binds);
            }
        }
    }
}

/// Some members: a slice of every list, all of them disjoint from those of other pieces.
pub(super) struct Slots<'a> {
    /// The index of the first.
    pub first: usize,
    pub joints: usize,
    pub generations: &'a [u32],
    pub minds: &'a mut [Mind],
    pub places: &'a mut [RootStep],
    pub cares: &'a mut [Care],
    pub steps: &'a mut [RootStep],
    /// As many a member as there are joints, or none at all.
    pub models: &'a mut [Mat4],
    /// Likewise: what members at a divided rate move to.
    pub targets: &'a mut [Mat4],
    /// Weights of morph targets: so many a member, or none at all.
    pub morphs: &'a mut [f32],
    pub morphs_each: usize,
    pub palettes: Option<PalettesMut<'a>>,
}

impl<'a> Slots<'a> {
    /// Cuts the first `count` off.
    pub fn cut(&mut self, count: usize) -> Self {
        fn cut<'a, T>(all: &mut &'a mut [T], at: usize) -> &'a mut [T] {
            let (head, tail) = mem::take(all).split_at_mut(at);
            *all = tail;
            head
        }
        let joints = self.joints;
        let (generations, others) = self.generations.split_at(count);
        self.generations = others;
        let matrices = if self.models.is_empty() { 0 } else { count * joints };
        let targets = if self.targets.is_empty() { 0 } else { count * joints };
        let morphs = if self.morphs.is_empty() { 0 } else { count * self.morphs_each };
        let palettes = self.palettes.take().map(|palettes| {
            let (head, tail) = palettes.split_at(count * joints);
            self.palettes = Some(tail);
            head
        });
        let first = self.first;
        self.first += count;
        Self {
            first,
            joints,
            generations,
            minds: cut(&mut self.minds, count),
            places: cut(&mut self.places, count),
            cares: cut(&mut self.cares, count),
            steps: cut(&mut self.steps, count),
            models: cut(&mut self.models, matrices),
            targets: cut(&mut self.targets, targets),
            morphs: cut(&mut self.morphs, morphs),
            morphs_each: self.morphs_each,
            palettes,
        }
    }
}

/// The room that one piece works in.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    frame: Frame,
    rows: Vec<Lanes>,
    scratch: MixScratch,
    room: MemoryScratch,
    /// Room for what poses remember that nobody of this piece needs now.
    pub spares: Vec<Room>,
    /// Who waits to be written: for each level those who show their poses, and those who move to them.
    posed: Vec<Posed>,
    batch: BatchScratch,
    /// Of one member whose matrices are not kept.
    models: Vec<Mat4>,
    pub passed: Vec<Passed>,
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
            room: MemoryScratch::default(),
            spares: Vec::new(),
            posed: vec![Posed::new(skeleton); 2],
            batch: BatchScratch::default(),
            models: vec![Mat4::IDENTITY; joints],
            passed: Vec::new(),
            played: vec![false; body.clips().len()],
            failed: None,
        }
    }

    /// Room for one more level of detail.
    pub fn add_level(&mut self, skeleton: &Skeleton) {
        self.posed.extend([Posed::new(skeleton), Posed::new(skeleton)]);
    }

    /// Room for matrices side by side.
    pub fn reserve_batch(&mut self, plan: &BatchPlan) {
        self.batch.reserve(plan);
    }

    /// Forgets what the last update left.
    pub fn begin(&mut self) {
        self.passed.clear();
        self.played.fill(false);
        self.posed.iter_mut().for_each(|posed| posed.len = 0);
        self.failed = None;
    }

    /// Room for any frame of a graph.
    pub fn reserve(&mut self, graph: &Graph, skeleton: &Skeleton) {
        self.room.reserve(graph, skeleton);
        let room = |has: usize, needed: usize| needed.saturating_sub(has);
        let Frame { entries, layers, changes, .. } = &mut self.frame;
        if graph.is_inertial() {
            changes.reserve(room(changes.len(), graph.most_entries()));
        }
        entries.reserve(room(entries.len(), graph.most_entries()));
        layers.reserve(room(layers.len(), Graph::MAX_LAYERS));
    }
}

/// Members of one level of detail that were posed and are not yet written.
#[derive(Clone, Debug)]
struct Posed {
    /// One after the other.
    poses: Vec<SoaTransform>,
    members: [usize; Self::MOST],
    len: usize,
}

impl Posed {
    /// As many as the widest register has lanes.
    const MOST: usize = GROUP;

    fn new(skeleton: &Skeleton) -> Self {
        let poses = skeleton.rest_pose().repeat(Self::MOST);
        Self { poses, members: [0; Self::MOST], len: 0 }
    }

    fn is_full(&self) -> bool {
        self.len == Self::MOST
    }

    /// The room for a member's pose. There is some: who is full is written at once.
    fn add(&mut self, member: usize) -> &mut [SoaTransform] {
        let groups = self.poses.len() / Self::MOST;
        self.members[self.len] = member;
        self.len += 1;
        &mut self.poses[(self.len - 1) * groups..self.len * groups]
    }
}

struct Work<'a> {
    shared: &'a Shared<'a>,
    worker: &'a mut Worker,
    part: Slots<'a>,
}

impl Work<'_> {
    fn run(&mut self) {
        if let Err(error) = self.members() {
            self.worker.failed = Some(error);
        }
    }

    fn members(&mut self) -> Result<(), CrowdError> {
        for i in 0..self.part.generations.len() {
            if is_live(self.part.generations[i]) {
                self.member(i)?;
            }
        }
        for room in 0..self.worker.posed.len() {
            self.write_posed(room).map_err(PlayError::from)?;
        }
        Ok(())
    }

    /// Decides for one member, then poses it.
    fn member(&mut self, i: usize) -> Result<(), CrowdError> {
        let Self { shared, worker, part } = self;
        let care = &mut part.cares[i];
        let level = usize::from(care.level);
        let dt_s = shared.dt_s * f64::from(care.pace);
        // A step of 0 shows everybody, those who stand still too.
        if care.stands_still() && !(care.fresh && care.seen) && shared.dt_s > 0.0 {
            part.steps[i] = RootStep::IDENTITY;
            self.write_held(i, level);
            return Ok(());
        }
        let frame = &mut worker.frame;
        let cast = match &mut part.minds[i] {
            Mind::Graph { graph, state, .. } => {
                let cast = &shared.casts[usize::from(*graph)];
                cast.graph.update(state, dt_s, frame)?;
                cast
            }
            Mind::Parts(parts) => {
                parts.update(&shared.clips.graph, dt_s, frame);
                shared.clips
            }
        };
        if dt_s > 0.0 {
            let member = member_at(part.first + i, part.generations[i]);
            event::collect(member, frame, &cast.graph, &cast.clips, shared.body, &mut worker.passed);
        }
        let step = if cast.travels {
            frame.root_step(&cast.graph, |clip| Some(cast.roots[clip].motion()))
        } else {
            RootStep::IDENTITY
        };
        part.steps[i] = step;
        let care = &mut part.cares[i];
        // A step of 0 leads nowhere; a product with it would still round.
        if care.travels && cast.travels && shared.dt_s > 0.0 {
            part.places[i] = part.places[i].then(&step);
        }
        // A step of 0 shows everybody as they are, and is nobody's turn.
        let moments = shared.dt_s > 0.0;
        let turn = moments && care.rate.step();
        let shown = care.seen && (turn || care.fresh || !moments);
        let moves = shown && moments && !care.fresh && care.rate.every > 1 && !part.targets.is_empty();
        if shown {
            care.left = if moves { care.rate.every } else { 0 };
            (care.fresh, care.posed_in) = (false, shared.update);
        }
        // Whoever is not seen remembers, too.
        self.remember(i, cast).map_err(PlayError::from)?;
        if !shown {
            self.write_held(i, level);
            return Ok(());
        }
        let room = 2 * level + usize::from(moves);
        self.pose(i, cast, room).map_err(PlayError::from)?;
        if self.worker.posed[room].is_full() {
            self.write_posed(room).map_err(PlayError::from)?;
        }
        Ok(())
    }

    /// What the member's pose remembers goes along with its graph.
    fn remember(&mut self, i: usize, cast: &Cast) -> Result<(), JobError> {
        let Self { shared, worker, part } = self;
        let Mind::Graph { memory, .. } = &mut part.minds[i] else { return Ok(()) };
        let Worker { frame, rows, scratch, room, spares, .. } = &mut **worker;
        if frame.inertia_s().is_some() {
            memory.borrow_room(spares);
        }
        let skeleton = shared.body.skeleton();
        let masks: &[Lanes] = if frame.inertia_s().is_some() && frame.is_layered() {
            let _ = frame.cover(&cast.masks, skeleton.group_count(), rows);
            rows
        } else {
            &[]
        };
        let (clips, decoded) = (shared.body.clips(), shared.decoded);
        let followed = memory.follow(
            frame,
            room,
            |clip| cast.clips[clip],
            |mix, output| {
                MixJob { skeleton, clips, decoded, masks, mix: &mix, lod: None, scratch, output }
                    .run_on(shared.backend)
            },
        );
        memory.return_room(spares);
        followed
    }

    /// The pose of the frame, beside those of others of its level.
    fn pose(&mut self, i: usize, cast: &Cast, room: usize) -> Result<(), JobError> {
        let Self { shared, worker, part } = self;
        let Worker { frame, rows, scratch, posed, played, .. } = &mut **worker;
        let skeleton = shared.body.skeleton();
        let masks: &[Lanes] = if frame.is_layered() {
            // There is room for the most layers, and the masks were made for this skeleton.
            let _ = frame.cover(&cast.masks, skeleton.group_count(), rows);
            rows
        } else {
            &[]
        };
        let mix = frame.mix(|clip| cast.clips[clip]);
        mix.entries().iter().for_each(|entry| played[entry.clip] = true);
        if !part.morphs.is_empty() {
            let share = |(entry, weight): (&Entry, f32)| ClipShare {
                clip: cast.clips[usize::from(entry.clip)],
                ratio: entry.ratio(),
                weight,
            };
            let row = &mut part.morphs[i * part.morphs_each..(i + 1) * part.morphs_each];
            let mut start = 0;
            for (mesh, end) in shared.morph_ends.iter().enumerate() {
                shared.body.weigh_morphs(mesh, frame.seen().map(share), &mut row[start..*end]);
                start = *end;
            }
        }
        let lod = shared.level(room / 2).map(|level| &level.lod);
        if room % 2 == 1 && lod.is_some() {
            // Joints that the level has not stay where they are.
            let row = i * part.joints..(i + 1) * part.joints;
            part.targets[row.clone()].copy_from_slice(&part.models[row]);
        }
        let output = posed[room].add(i);
        let (clips, decoded) = (shared.body.clips(), shared.decoded);
        MixJob { skeleton, clips, decoded, masks, mix: &mix, lod, scratch, output: &mut *output }
            .run_on(shared.backend)?;
        match &part.minds[i] {
            Mind::Graph { memory, .. } => memory.apply_lod(output, lod),
            Mind::Parts(_) => Ok(()),
        }
    }

    /// Matrices and palettes of all that wait in a room: side by side, as far as that pays.
    fn write_posed(&mut self, room: usize) -> Result<(), JobError> {
        let Self { shared, worker, part } = self;
        let Posed { poses, members, len } = &mut worker.posed[room];
        let (members, level, moves) = (&members[..mem::take(len)], room / 2, room % 2 == 1);
        let (plan, binds) = match shared.level(level) {
            None => (shared.plan, shared.binds),
            Some(level) => (level.plan.as_ref(), &level.binds[..]),
        };
        // Who moves to its pose has its palette when it has moved.
        let mut palettes = part.palettes.as_mut().filter(|_| !moves);
        let models = if moves { &mut *part.targets } else { &mut *part.models };
        let beside = plan.map_or(0, |_| BatchPlan::worth(members.len(), shared.backend));
        if let Some(plan) = plan.filter(|_| beside > 0) {
            let mut places = [Mat34::IDENTITY; Posed::MOST];
            let places = match shared.outputs.space {
                Space::World { origin } if palettes.is_some() => {
                    for (place, i) in places.iter_mut().zip(&members[..beside]) {
                        *place = place_matrix(&part.places[*i], origin);
                    }
                    &places[..beside]
                }
                _ => &[],
            };
            BatchJob {
                plan,
                locals: poses,
                rows: &members[..beside],
                models: &mut *models,
                binds,
                places,
                palettes: palettes.as_mut().map_or(BatchPalettes::None, |palettes| palettes.batch()),
                scratch: &mut worker.batch,
            }
            .run_on(shared.backend)?;
        }
        let (joints, groups) = (part.joints, shared.body.skeleton().group_count());
        for (at, i) in members.iter().enumerate().skip(beside) {
            let models = match *models {
                [] => &mut worker.models[..],
                ref mut models => &mut models[i * joints..(i + 1) * joints],
            };
            LocalToModelJob {
                skeleton: shared.body.skeleton(),
                locals: &poses[at * groups..],
                root: None,
                update: Update::All,
                lod: shared.level(level).map(|level| &level.lod),
                models: Models::Mat4(models),
            }
            .run_on(shared.backend)?;
            if let Some(palettes) = &mut palettes {
                let place = shared.place(&part.places[*i]);
                shared.put_palette(palettes, i * joints, place.as_ref(), models, level);
            }
        }
        if moves {
            let (count, members) = (members.len(), worker.posed[room].members);
            members[..count].iter().for_each(|i| self.write_held(*i, level));
        }
        Ok(())
    }

    /// Somebody who was not posed anew, or moves to its pose: as far as that, or its place, moves it.
    fn write_held(&mut self, i: usize, level: usize) {
        let Self { shared, part, .. } = self;
        let joints = part.joints;
        let row = i * joints..(i + 1) * joints;
        let care = &mut part.cares[i];
        let moved = care.seen && care.left > 0 && shared.dt_s > 0.0;
        if moved
            && let (Some(shown), Some(pose)) =
                (part.models.get_mut(row.clone()), part.targets.get(row.clone()))
        {
            move_on(shown, pose, care.left);
            care.left -= 1;
            care.posed_in = shared.update;
        }
        let Some(palettes) = &mut part.palettes else { return };
        let place = shared.place(&part.places[i]);
        // In the world a held pose goes on with its member.
        let follows = (moved || place.is_some() || shared.afresh) && care.seen;
        if let Some(models) = part.models.get(row).filter(|_| follows) {
            shared.put_palette(palettes, i * joints, place.as_ref(), models, level);
        } else if let Some(before) = shared.before {
            palettes.keep(i * joints, joints, before, (part.first + i) * joints);
        }
    }
}
