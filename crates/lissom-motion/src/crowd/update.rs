//! One update of everybody: the slots cut into tasks, the tasks run by an executor.

use super::{
    Crowd, CrowdError, CrowdEvent, Executor, Member, PalettesMut, Serial, Task,
    members::{Members, Mind},
    palette::Buffer,
    slots::Slots,
    task::{MAX_TASKS, Shared, TASKS_EACH},
    worker::Worker,
};
use crate::{RootStep, memory::InertiaBuffer, time::Ticks};
use alloc::vec::Vec;
use core::ops::Range;
use lissom::{job::JobError, math::simd::Backend, pose::Pose};

/// What a game does to the poses of members, on the threads of the executor: who it is, where it stands after this step, and its pose in
/// model space. It is called for each member that is posed in an update. Nothing is computed for members that it leaves alone.
///
/// ```no_run
/// use lissom::{archive::Archive, job::Ground, math::Vec3, pose::Legs};
/// use lissom_motion::crowd::{Crowd, Serial};
///
/// let archive = Archive::open("people.lsm")?;
/// let mut crowd = Crowd::new(&archive)?;
/// let legs = Legs::of(crowd.skeleton())?;
/// crowd.update_with(1.0 / 60.0, &Serial, None, &|member, place, pose| {
///     if member.index() >= 500 {
///         return Ok(()); // far away
///     }
///     let ground = Ground { place: Vec3::new(0.0, 0.1, 0.0), normal: Vec3::Y }; // of the game, at `place`
///     pose.stand(&legs, &[Some(ground); 2], 1.0)?;
///     Ok(())
/// })?;
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub type PoseHook<'a> = dyn Fn(Member, &RootStep, &mut Pose<'_>) -> Result<(), JobError> + Sync + 'a;

impl Crowd {
    /// The most bytes that decoded clips take together, 64 MiB unless told. A clip that is played is decoded once, for all who play
    /// it; who has not been played for longest goes first. A clip that does not fit is played by cursors, with the same bits.
    pub fn set_decoded_bytes(&mut self, most: usize) {
        self.decoded.set_most_bytes(most);
    }

    /// The bytes that decoded clips take now.
    #[must_use]
    pub fn decoded_bytes(&self) -> usize {
        self.decoded.bytes()
    }

    /// The SIMD backend: the bits are the same on each.
    pub fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    /// The least number of members per task, 16 by default: the cost of starting a task must be small beside them.
    pub fn set_grain(&mut self, members: usize) {
        self.grain = if members > 0 { members } else { 1 };
    }

    /// Advances by `dt_s` seconds, on this thread.
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
        self.update_with(dt_s, executor, None, &|_, _, _| Ok(()))
    }

    /// The same with palettes into a buffer of the caller's, for example mapped memory of a GPU: rows as in [`Palettes`](super::Palettes), for as many
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
        self.update_with(dt_s, executor, Some(palettes), &|_, _, _| Ok(()))
    }

    /// The same, with poses changed before matrices follow from them: by IK, or whatever else; see [`PoseHook`]. `palettes` are those of
    /// [`Crowd::update_into`]; `None`: the crowd's own.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::update_into`]. The first of those that `hook` says: all members have then moved on, and those whose hook failed are
    /// shown as it left them.
    pub fn update_with(
        &mut self,
        dt_s: f64,
        executor: &dyn Executor,
        palettes: Option<PalettesMut<'_>>,
        hook: &PoseHook<'_>,
    ) -> Result<(), CrowdError> {
        let step = Ticks::of_step(dt_s)?;
        if let Some(palettes) = palettes {
            let (found, needed) = (palettes.len(), self.members.slots() * self.rest.len());
            if found < needed {
                return Err(CrowdError::Length { field: "palettes", what: "matrices", found, needed });
            }
            return self.step((dt_s, step), executor, Some(palettes), hook);
        }
        if self.outputs.before {
            core::mem::swap(&mut self.palettes, &mut self.palettes_before);
        }
        let mut palettes = self.palettes.take();
        let done = self.step((dt_s, step), executor, palettes.as_mut().map(Buffer::view_mut), hook);
        self.palettes = palettes;
        done
    }

    fn step(
        &mut self,
        (dt_s, step): (f64, Ticks),
        executor: &dyn Executor,
        palettes: Option<PalettesMut<'_>>,
        hook: &PoseHook<'_>,
    ) -> Result<(), CrowdError> {
        self.deal_searches();
        self.begin_records();
        let done = self.run((dt_s, step), executor, palettes, hook);
        self.end_records(dt_s);
        done
    }

    fn run(
        &mut self,
        (dt_s, step): (f64, Ticks),
        executor: &dyn Executor,
        palettes: Option<PalettesMut<'_>>,
        hook: &PoseHook<'_>,
    ) -> Result<(), CrowdError> {
        let slots = self.members.slots();
        let width = executor.width();
        let wanted = if width > 1 { width.saturating_mul(TASKS_EACH) } else { 1 };
        let count = wanted.min(MAX_TASKS).min(slots.div_ceil(self.grain)).max(1);
        while self.workers.len() < count {
            let mut worker = Worker::new(&self.body);
            self.levels.iter().for_each(|_| worker.add_level(self.body.skeleton()));
            self.casts.iter().for_each(|cast| worker.reserve(&cast.graph, self.body.skeleton()));
            self.workers.push(worker);
        }
        for worker in &mut self.workers {
            worker.begin();
            worker.changed.reserve(if self.outputs.mixes { slots.div_ceil(count) } else { 0 });
            self.plan.iter().for_each(|plan| worker.reserve_batch(plan));
        }
        self.updates += 1;
        self.mixes.advance(step);
        if !self.decisions.is_empty() {
            self.decisions.resize_with(slots, || None);
        }
        let shared = Shared {
            body: &self.body,
            casts: &self.casts,
            clips: &self.clips,
            decoded: self.decoded.clips(),
            plan: self.plan.as_ref(),
            levels: &self.levels,
            binds: &self.binds,
            morph_ends: &self.morph_ends,
            before: self.palettes_before.as_ref(),
            restored: core::mem::take(&mut self.restored),
            outputs: self.outputs,
            backend: self.backend,
            hook,
            dt_s,
            step,
            now: self.mixes.now,
            update: self.updates,
        };
        let Members { generations, minds, places, cares, steps, spares, .. } = &mut self.members;
        if self.casts.iter().any(|cast| cast.graph.remembers()) {
            deal(spares, minds, &mut self.workers[..count]);
        }
        let mut rest = Slots {
            first: 0,
            joints: self.rest.len(),
            generations,
            minds,
            places,
            cares,
            steps,
            models: &mut self.models,
            targets: &mut self.targets,
            morphs: &mut self.morphs,
            morphs_each: self.own_morphs.len(),
            mix_heads: &mut self.mixes.heads,
            mix_clips: &mut self.mixes.clips,
            mix_layers: &mut self.mixes.layers,
            mix_each: (self.mixes.clips_each, self.mixes.layers_each),
            palettes,
            decisions: &mut self.decisions,
            recorded_mixes: &mut self.recorded_mixes,
        };
        let mut workers = self.workers.iter_mut();
        if count == 1 {
            // There is always one.
            if let Some(worker) = workers.next() {
                Task::new(&shared, worker, rest).run();
            }
        } else {
            let mut tasks: [Task<'_>; MAX_TASKS] = core::array::from_fn(|_| Task::default());
            for (i, (task, worker)) in tasks[..count].iter_mut().zip(workers).enumerate() {
                *task = Task::new(&shared, worker, rest.cut(piece(slots, count, i).len()));
            }
            executor.run(&mut tasks[..count]);
            tasks.iter_mut().for_each(Task::run);
        }
        for worker in &mut self.workers {
            self.members.spares.append(&mut worker.spares);
        }
        let workers = &self.workers;
        let played = |clip: usize| workers.iter().any(|worker| worker.played[clip]);
        self.decoded.update(self.body.skeleton(), self.body.clips(), played);
        self.workers.iter_mut().find_map(|worker| worker.failed.take()).map_or(Ok(()), Err)
    }

    /// What happened in the last step: by member, of one member in the order of [`Frame::events`](crate::frame::Frame::events).
    pub fn events(&self) -> impl Iterator<Item = CrowdEvent<'_>> {
        self.workers.iter().flat_map(|worker| &worker.events).filter_map(|told| told.event(&self.body))
    }
}

/// The slots of one piece out of `count`.
fn piece(slots: usize, count: usize, i: usize) -> Range<usize> {
    let end = |i: usize| (slots * i).div_ceil(count);
    end(i)..end(i + 1)
}

/// Shares the spare buffers among the tasks by need; a task that runs out allocates.
fn deal(spares: &mut Vec<InertiaBuffer>, minds: &[Mind], workers: &mut [Worker]) {
    if let [worker] = workers {
        core::mem::swap(spares, &mut worker.spares);
        return;
    }
    let (all, count) = (spares.len(), workers.len());
    let mut lacking = [0; MAX_TASKS];
    for (i, lacking) in lacking[..count].iter_mut().enumerate() {
        *lacking = minds[piece(minds.len(), count, i)].iter().filter(|mind| mind.lacks_buffer()).count();
    }
    let wanted: usize = lacking.iter().sum();
    // The lists have capacity for all buffers that are returned.
    spares.reserve(minds.len() - wanted);
    for (i, (worker, lacking)) in workers.iter_mut().zip(lacking).enumerate() {
        let share = if wanted > all { all * lacking / wanted } else { lacking };
        worker.spares.reserve(piece(minds.len(), count, i).len());
        worker.spares.extend(spares.drain(spares.len() - share..));
    }
}
