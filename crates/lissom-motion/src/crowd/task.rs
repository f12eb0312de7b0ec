//! The work of a frame, cut into tasks that share nothing: decide, report, remember, pose and write member by member.

use super::{
    Level, Outputs,
    error::CrowdError,
    event,
    members::{Mind, is_live, member_at},
    mixes::{Now, Played},
    palette::{Buffer, PaletteRows, PalettesMut, Space, place_matrix},
    slots::Slots,
    update::PoseHook,
    worker::{Posed, Queue, Worker},
};
use crate::{
    RootStep,
    cast::Cast,
    frame::{Frame, Weights},
    recording::mix_hash,
    time::Ticks,
    turn::{Show, move_on},
};
use core::{fmt, mem};
use lissom::{
    clip::DecodedClip,
    job::{BatchJob, BatchPalettes, BatchPlan, JobError, LocalToModelJob, MixJob, Models, Update},
    math::{Mat4, Mat34, simd::Backend},
    player::{Body, PlayError},
    pose::Pose,
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
    pub(super) fn new(shared: &'a Shared<'a>, worker: &'a mut Worker, slots: Slots<'a>) -> Self {
        Self(Some(Work { shared, worker, slots }))
    }
}

/// What all pieces read.
pub(super) struct Shared<'a> {
    pub body: &'a Body,
    pub casts: &'a [Cast],
    /// All clips of the body, for members without a graph.
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
    /// The crowd was just restored: palettes of held poses are written again, too.
    pub restored: bool,
    pub outputs: Outputs,
    pub backend: Backend,
    pub hook: &'a PoseHook<'a>,
    /// As it was given, and as it is counted.
    pub dt_s: f64,
    pub step: Ticks,
    pub now: Now,
    /// Its number.
    pub update: u64,
}

impl Shared<'_> {
    /// The step of a member whose time goes at a pace.
    fn step_of(&self, pace: f32) -> Ticks {
        if pace == 1.0 { self.step } else { Ticks::of(self.dt_s * f64::from(pace)) }
    }

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

struct Work<'a> {
    shared: &'a Shared<'a>,
    worker: &'a mut Worker,
    slots: Slots<'a>,
}

impl Work<'_> {
    fn run(&mut self) {
        if let Err(error) = self.members() {
            self.worker.failed = Some(error);
        }
    }

    fn members(&mut self) -> Result<(), CrowdError> {
        for i in 0..self.slots.generations.len() {
            if is_live(self.slots.generations[i]) {
                self.member(i)?;
            } else if let Some(true) = self.slots.mix(i).map(|mut mix| mix.leave()) {
                self.worker.changed.push((self.slots.first + i) as u32);
            }
        }
        for queue in Queue::all(self.worker.posed.len()) {
            self.write_posed(queue).map_err(PlayError::from)?;
        }
        Ok(())
    }

    /// Decides for one member, then poses it.
    fn member(&mut self, i: usize) -> Result<(), CrowdError> {
        let Self { shared, worker, slots } = self;
        let care = &mut slots.cares[i];
        let level = usize::from(care.level);
        let step = shared.step_of(care.pace);
        // A step of 0 shows every member, also those of pace 0.
        if care.stands_still() && !(care.turn.is_stale() && care.seen) && shared.step > Ticks::ZERO {
            slots.steps[i] = RootStep::IDENTITY;
            if let Mind::Graph { graph, state, .. } = &mut slots.minds[i] {
                state.miss_search_turn();
                if let Some(Some(mix)) = slots.recorded_mixes.get_mut(i) {
                    // A step of 0 changes nothing.
                    shared.casts[usize::from(*graph)].graph.update(state, 0.0, &mut worker.frame)?;
                    *mix = mix_hash(&worker.frame);
                }
            }
            if let Some(mut mix) = slots.mix(i) {
                if mix.freeze(&shared.now) {
                    worker.changed.push((slots.first + i) as u32);
                }
                return Ok(());
            }
            self.write_held(i, level);
            return Ok(());
        }
        let frame = &mut worker.frame;
        let cast = match &mut slots.minds[i] {
            Mind::Graph { graph, state, .. } => {
                let cast = &shared.casts[usize::from(*graph)];
                cast.graph.advance(state, step, frame)?;
                cast
            }
            Mind::Clips(clips) => {
                clips.advance(&shared.clips.graph, step, frame);
                shared.clips
            }
        };
        if let Some(Some(mix)) = slots.recorded_mixes.get_mut(i) {
            *mix = mix_hash(frame);
        }
        let member = member_at(slots.first + i, slots.generations[i]);
        if let Some(Some((of, decisions))) = slots.decisions.get_mut(i)
            && *of == member
        {
            decisions.follow(frame);
        }
        if step > Ticks::ZERO {
            event::collect(member, frame, &cast.graph, &cast.clips, shared.body, &mut worker.events);
        }
        let way = cast.root_step(frame);
        slots.steps[i] = way;
        let care = &mut slots.cares[i];
        // A step of 0 leads nowhere; a product with it would still round.
        if care.travels && cast.travels && shared.step > Ticks::ZERO {
            slots.places[i] = slots.places[i].then(&way);
        }
        let show = care.turn.next(shared.step, care.seen, !slots.targets.is_empty());
        if show != Show::Hold {
            care.posed_in = shared.update;
        }
        // A hidden member remembers, too.
        self.remember(i, cast).map_err(PlayError::from)?;
        if self.shared.outputs.mixes {
            self.write_mix(i, cast, show);
            return Ok(());
        }
        if show == Show::Hold {
            self.write_held(i, level);
            return Ok(());
        }
        let queue = Queue { level, moves: show == Show::PoseAndMove };
        self.pose(i, cast, queue).map_err(PlayError::from)?;
        if queue.of(&mut self.worker.posed).is_full() {
            self.write_posed(queue).map_err(PlayError::from)?;
        }
        Ok(())
    }

    /// What the member plays, for whoever poses it.
    fn write_mix(&mut self, i: usize, cast: &Cast, show: Show) {
        let Self { shared, worker, slots } = self;
        let care = slots.cares[i];
        if show != Show::Hold {
            Self::weigh_morphs(shared, slots, i, cast, &worker.frame);
        }
        let graph = match &slots.minds[i] {
            Mind::Graph { graph, .. } => usize::from(*graph),
            Mind::Clips(_) => 0,
        };
        let masks = shared.casts.iter().take(graph).map(|cast| cast.masks.len()).sum::<usize>();
        // Borrowed apart: the memory lies beside what is written.
        let Some((mut mix, minds)) = slots.mix_and_minds(i) else { return };
        let memory = match &minds[i] {
            Mind::Graph { memory, .. } => Some(memory),
            Mind::Clips(_) => None,
        };
        let played = Played {
            frame: &worker.frame,
            cast,
            first_mask: masks as u16,
            memory,
            started: memory.is_some_and(|memory| memory.is_running() && memory.times_s().0 == 0.0),
            level: care.level,
            pace: care.pace,
            show,
            seen: care.seen,
            every: care.turn.every(),
            wait: care.turn.wait(),
        };
        if mix.follow(&shared.now, &played) {
            worker.changed.push((slots.first + i) as u32);
        }
    }

    /// Weights of morph targets, where they are written.
    fn weigh_morphs(shared: &Shared<'_>, slots: &mut Slots<'_>, i: usize, cast: &Cast, frame: &Frame) {
        if slots.morphs.is_empty() {
            return;
        }
        let row = &mut slots.morphs[i * slots.morphs_each..(i + 1) * slots.morphs_each];
        let mut start = 0;
        for (mesh, end) in shared.morph_ends.iter().enumerate() {
            shared.body.weigh_morphs(mesh, cast.shares(frame), &mut row[start..*end]);
            start = *end;
        }
    }

    /// What the member's pose remembers goes along with its graph.
    fn remember(&mut self, i: usize, cast: &Cast) -> Result<(), JobError> {
        let Self { shared, worker, slots } = self;
        let Mind::Graph { memory, .. } = &mut slots.minds[i] else { return Ok(()) };
        let Worker { frame, rows, scratch, memory_scratch, spares, .. } = &mut **worker;
        let skeleton = shared.body.skeleton();
        if frame.inertia_s().is_some() || memory.is_asked() {
            memory.borrow_buffer(spares);
        }
        let (clips, decoded) = (shared.body.clips(), shared.decoded);
        let followed = memory.follow(
            frame,
            memory_scratch,
            |clip| cast.clips[clip],
            |mix, weights, output| {
                let masks = frame.covered(weights, &cast.masks, skeleton.group_count(), rows);
                MixJob { skeleton, clips, decoded, masks, mix: &mix, lod: None, scratch, output }
                    .run_on(shared.backend)
            },
        );
        memory.return_buffer(spares);
        memory.travel(&slots.steps[i], frame);
        followed
    }

    /// The pose of the frame, beside those of others of its level.
    fn pose(&mut self, i: usize, cast: &Cast, queue: Queue) -> Result<(), JobError> {
        let Self { shared, worker, slots } = self;
        let Worker { frame, rows, scratch, posed, played, models, failed, .. } = &mut **worker;
        let skeleton = shared.body.skeleton();
        let masks = frame.covered(Weights::Now, &cast.masks, skeleton.group_count(), rows);
        let mix = cast.mix(frame);
        mix.entries().iter().for_each(|entry| played[entry.clip] = true);
        Self::weigh_morphs(shared, slots, i, cast, frame);
        let lod = shared.level(queue.level).map(|level| &level.lod);
        if queue.moves && lod.is_some() {
            // Joints outside the level stay where they are.
            let row = i * slots.joints..(i + 1) * slots.joints;
            slots.targets[row.clone()].copy_from_slice(&slots.models[row]);
        }
        let output = queue.of(posed).add(i);
        let (clips, decoded) = (shared.body.clips(), shared.decoded);
        MixJob { skeleton, clips, decoded, masks, mix: &mix, lod, scratch, output: &mut *output }
            .run_on(shared.backend)?;
        if let Mind::Graph { memory, .. } = &slots.minds[i] {
            memory.apply_lod(output, lod)?;
        }
        // One member's trouble does not keep others from moving.
        let member = member_at(slots.first + i, slots.generations[i]);
        let mut pose = Pose::new(skeleton, output, models, lod)?;
        if let Mind::Graph { state, memory, .. } = &mut slots.minds[i] {
            memory.hold_feet(cast, state, frame, &mut pose)?;
        }
        if let Err(error) = (shared.hook)(member, &slots.places[i], &mut pose) {
            failed.get_or_insert(PlayError::from(error).into());
        }
        Ok(())
    }

    /// Matrices and palettes of all that wait in a queue: side by side, as far as that pays.
    fn write_posed(&mut self, queue: Queue) -> Result<(), JobError> {
        let Self { shared, worker, slots } = self;
        let Posed { poses, members, len } = queue.of(&mut worker.posed);
        let (members, Queue { level, moves }) = (&members[..mem::take(len)], queue);
        let (plan, binds) = match shared.level(level) {
            None => (shared.plan, shared.binds),
            Some(level) => (level.plan.as_ref(), &level.binds[..]),
        };
        // A member that moves to its pose gets its palette after the move.
        let mut palettes = slots.palettes.as_mut().filter(|_| !moves);
        let models = if moves { &mut *slots.targets } else { &mut *slots.models };
        let beside = plan.map_or(0, |_| BatchPlan::worth(members.len(), shared.backend));
        if let Some(plan) = plan.filter(|_| beside > 0) {
            let mut places = [Mat34::IDENTITY; Posed::MOST];
            let places = match shared.outputs.space {
                Space::World { origin } if palettes.is_some() => {
                    for (place, i) in places.iter_mut().zip(&members[..beside]) {
                        *place = place_matrix(&slots.places[*i], origin);
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
        let (joints, groups) = (slots.joints, shared.body.skeleton().group_count());
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
                let place = shared.place(&slots.places[*i]);
                shared.put_palette(palettes, i * joints, place.as_ref(), models, level);
            }
        }
        if moves {
            let (count, members) = (members.len(), queue.of(&mut worker.posed).members);
            members[..count].iter().for_each(|i| self.write_held(*i, level));
        }
        Ok(())
    }

    /// A member that was not posed anew, or moves to its pose: its matrices move on, and its palette follows them and its place.
    fn write_held(&mut self, i: usize, level: usize) {
        let Self { shared, slots, .. } = self;
        let joints = slots.joints;
        let row = i * joints..(i + 1) * joints;
        let care = &mut slots.cares[i];
        let mut moved = false;
        if care.seen
            && let (Some(shown), Some(pose)) =
                (slots.models.get_mut(row.clone()), slots.targets.get(row.clone()))
            && let Some(left) = care.turn.advance(shared.step)
        {
            move_on(shown, pose, left);
            care.posed_in = shared.update;
            moved = true;
        }
        let Some(palettes) = &mut slots.palettes else { return };
        let place = shared.place(&slots.places[i]);
        // In the world a held pose goes on with its member.
        let follows = (moved || place.is_some() || shared.restored) && care.seen;
        if let Some(models) = slots.models.get(row).filter(|_| follows) {
            shared.put_palette(palettes, i * joints, place.as_ref(), models, level);
        } else if let Some(before) = shared.before {
            palettes.keep(i * joints, joints, before, (slots.first + i) * joints);
        }
    }
}
