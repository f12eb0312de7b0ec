//! The work of a frame, cut into pieces that share nothing.

use super::{
    Cast, Level, Outputs,
    error::CrowdError,
    event::{self, Passed},
    members::{Care, Mind, is_live, member_at},
    palette::{Buffer, PaletteRows, PalettesMut, Space, place_matrix},
};
use crate::{MemoryScratch, RootStep, frame::Frame, graph::Graph};
use alloc::{vec, vec::Vec};
use core::{fmt, mem};
use lissom::{
    Skeleton,
    clip::DecodedClip,
    job::{JobError, LocalToModelJob, Mix, MixJob, MixScratch, Models, Update},
    math::{
        Mat4,
        simd::Backend,
        soa::{Lanes, SoaTransform},
    },
    player::{Body, PlayError},
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
    /// Level 1 first.
    pub levels: &'a [Level],
    /// By rows.
    pub binds: &'a [PaletteRows],
    pub before: Option<&'a Buffer>,
    /// True if palettes are to be written of poses that are held, too.
    pub afresh: bool,
    pub outputs: Outputs,
    pub backend: Backend,
    pub dt_s: f64,
    /// Its number.
    pub update: u64,
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
    pose: Vec<SoaTransform>,
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
            pose: skeleton.rest_pose().to_vec(),
            models: vec![Mat4::IDENTITY; joints],
            passed: Vec::new(),
            played: vec![false; body.clips().len()],
            failed: None,
        }
    }

    /// Forgets what the last update left.
    pub fn begin(&mut self) {
        self.passed.clear();
        self.played.fill(false);
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

struct Work<'a> {
    shared: &'a Shared<'a>,
    worker: &'a mut Worker,
    part: Slots<'a>,
}

impl Work<'_> {
    fn run(&mut self) {
        for i in 0..self.part.generations.len() {
            if is_live(self.part.generations[i])
                && let Err(error) = self.member(i)
            {
                self.worker.failed = Some(error);
                return;
            }
        }
    }

    /// Decides for one member, then shows it.
    fn member(&mut self, i: usize) -> Result<(), CrowdError> {
        let Self { shared, worker, part } = self;
        let care = &mut part.cares[i];
        let level = care.level.checked_sub(1).and_then(|level| shared.levels.get(usize::from(level)));
        let dt_s = shared.dt_s * f64::from(care.pace);
        // A step of 0 shows everybody, those who stand still too.
        if care.stands_still() && !(care.fresh && care.seen) && shared.dt_s > 0.0 {
            part.steps[i] = RootStep::IDENTITY;
            return Ok(self.write(i, level, false).map_err(PlayError::from)?);
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
        if care.travels && cast.travels {
            part.places[i] = part.places[i].then(&step);
        }
        // A step of 0 shows everybody as they are, and is nobody's turn.
        let due = care.wait == 0 || care.fresh || shared.dt_s == 0.0;
        if shared.dt_s > 0.0 {
            care.wait = if care.wait == 0 { care.every - 1 } else { care.wait - 1 };
        }
        let shown = care.seen && due;
        care.fresh &= !shown;
        if shown {
            care.posed_in = shared.update;
        }
        // Whoever is not seen remembers, too.
        self.remember(i, cast).map_err(PlayError::from)?;
        if shown {
            self.pose(cast, level).map_err(PlayError::from)?;
            if let Mind::Graph { memory, .. } = &self.part.minds[i] {
                let lod = level.map(|level| &level.lod);
                memory.apply_lod(&mut self.worker.pose, lod).map_err(PlayError::from)?;
            }
        }
        self.write(i, level, shown).map_err(PlayError::from)?;
        Ok(())
    }

    /// What the member's pose remembers goes along with its graph.
    fn remember(&mut self, i: usize, cast: &Cast) -> Result<(), JobError> {
        let Self { shared, worker, part } = self;
        let Mind::Graph { memory, .. } = &mut part.minds[i] else { return Ok(()) };
        let Worker { frame, rows, scratch, room, .. } = &mut **worker;
        let skeleton = shared.body.skeleton();
        let masks: &[Lanes] = if frame.inertia_s().is_some() && frame.is_layered() {
            let _ = frame.cover(&cast.masks, skeleton.group_count(), rows);
            rows
        } else {
            &[]
        };
        let (clips, decoded) = (shared.body.clips(), shared.decoded);
        memory.follow(
            frame,
            room,
            |clip| cast.clips[clip],
            |mix, output| {
                MixJob { skeleton, clips, decoded, masks, mix: &mix, lod: None, scratch, output }
                    .run_on(shared.backend)
            },
        )
    }

    /// The pose of the frame, in the worker's room.
    fn pose(&mut self, cast: &Cast, level: Option<&Level>) -> Result<(), JobError> {
        let Self { shared, worker, .. } = self;
        let Worker { frame, rows, scratch, pose, played, .. } = &mut **worker;
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
        MixJob {
            skeleton,
            clips: shared.body.clips(),
            decoded: shared.decoded,
            masks,
            mix: &mix,
            lod: level.map(|level| &level.lod),
            scratch,
            output: pose,
        }
        .run_on(shared.backend)
    }

    /// Matrices and palettes; of what was not posed anew, as far as its place moved them.
    fn write(&mut self, i: usize, level: Option<&Level>, posed: bool) -> Result<(), JobError> {
        let Self { shared, worker, part } = self;
        let joints = part.joints;
        let kept = !part.models.is_empty();
        let models = match part.models {
            [] => &mut worker.models[..],
            ref mut models => &mut models[i * joints..(i + 1) * joints],
        };
        if posed {
            LocalToModelJob {
                skeleton: shared.body.skeleton(),
                locals: &worker.pose,
                root: None,
                update: Update::All,
                lod: level.map(|level| &level.lod),
                models: Models::Mat4(models),
            }
            .run_on(shared.backend)?;
        }
        let Some(palettes) = &mut part.palettes else { return Ok(()) };
        let place = match shared.outputs.space {
            Space::Model => None,
            Space::World { origin } => Some(place_matrix(&part.places[i], origin)),
        };
        // In the world a held pose goes on with its member.
        let follows = (place.is_some() || shared.afresh) && part.cares[i].seen && kept;
        if posed || follows {
            let models = &*models;
            match level {
                None => palettes.put(i * joints, place.as_ref(), models.iter(), shared.binds),
                Some(level) => {
                    let models = level.joints.iter().map(|joint| &models[usize::from(*joint)]);
                    palettes.put(i * joints, place.as_ref(), models, &level.binds);
                }
            }
        } else if let Some(before) = shared.before {
            palettes.keep(i * joints, joints, before, (part.first + i) * joints);
        }
        Ok(())
    }
}
