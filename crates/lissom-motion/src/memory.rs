//! What a pose remembers beside the graph's state: an inertialised transition, or a pose that was taken over, that has not died
//! away.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use crate::{
    Graph, GraphState,
    cast::Cast,
    feet::HeldFeet,
    frame::{Frame, StartPose, Weights},
    graph::PoseKey,
    kept::KeptPoses,
    reader::{FormatError, Reader},
    root::RootStep,
    state::StateError,
};
use alloc::{boxed::Box, vec, vec::Vec};
use lissom::{
    JointLod, Skeleton,
    job::{InertiaJob, InertiaStartJob, JobError, Mix, PosePair, SoaInertia},
    math::soa::{Lanes, SoaTransform, SoaVec3},
    pose::Pose,
    track::TimeError,
};

pub use crate::kept::{KeepError, MAX_POSES};

/// What one character's pose remembers. Together with its [`GraphState`] it is all of the character: a clone of
/// both is a save, `==` of both compares.
///
/// Its size is known from graph and skeleton, and is nothing for a graph without inertialised transitions that takes no poses over
/// ([`GraphParts::hand_over`](crate::GraphParts::hand_over)); `clone_from` between those of one graph and skeleton allocates nothing. A
/// [crowd](crate::crowd) lends a buffer to a member while there is something to remember.
#[derive(Debug, PartialEq)]
pub struct PoseMemory {
    /// One a group; none when nothing is left.
    inertia: InertiaBuffer,
    /// Of the skeleton; 0 if the graph remembers nothing. A crowd has many members: no number is larger than it must be.
    groups: u32,
    /// Since the last change.
    elapsed_s: f64,
    /// 0: nothing is left of it, and all is zero.
    duration_s: f32,
    /// Boxed: few graphs ask for it, and a crowd has many members.
    rare: Option<Box<Rare>>,
}

/// What few graphs remember.
#[derive(Debug, PartialEq)]
struct Rare {
    /// `None` for a graph that keeps no poses.
    kept: Option<KeptPoses>,
    /// `None` if no state of the graph holds feet.
    feet: Option<HeldFeet>,
}

impl Rare {
    fn new(graph: &Graph, groups: usize) -> Option<Box<Self>> {
        let kept = KeptPoses::new(graph, groups);
        let feet = graph.holds_feet().then(HeldFeet::default);
        (kept.is_some() || feet.is_some()).then(|| Box::new(Self { kept, feet }))
    }

    fn memory_bytes(&self) -> usize {
        let kept = self.kept.as_ref().map_or(0, KeptPoses::memory_bytes);
        size_of::<Self>().saturating_add(kept)
    }
}

impl Clone for Rare {
    fn clone(&self) -> Self {
        Self { kept: self.kept.clone(), feet: self.feet }
    }

    /// Without allocation if both are of one graph and skeleton.
    fn clone_from(&mut self, source: &Self) {
        self.kept.clone_from(&source.kept);
        self.feet = source.feet;
    }
}

/// What a memory is stored in while something is left of it.
pub(crate) type InertiaBuffer = Vec<SoaInertia>;

/// Speeds over a shorter step would be noise: they count as 0.
const SHORTEST_S: f32 = 1.0e-4;

/// Scratch memory for [`PoseMemory::follow`]: one per thread is enough.
#[derive(Clone, Debug, Default)]
pub struct MemoryScratch {
    poses: Vec<SoaTransform>,
    inertia: Vec<SoaInertia>,
}

impl MemoryScratch {
    /// Grows it for another graph, too.
    pub(crate) fn reserve(&mut self, graph: &Graph, skeleton: &Skeleton) {
        if graph.remembers() && self.inertia.is_empty() {
            *self = Self::new(graph, skeleton);
        }
    }

    /// Scratch memory for characters of this skeleton that play this graph.
    #[must_use]
    pub fn new(graph: &Graph, skeleton: &Skeleton) -> Self {
        let groups = remembered_groups(graph, skeleton);
        let poses = vec![SoaTransform::IDENTITY; groups.saturating_mul(StartPose::ALL.len())];
        Self { poses, inertia: vec![SoaInertia::ZERO; groups] }
    }
}

impl PoseMemory {
    /// Nothing remembered yet.
    #[must_use]
    pub fn new(graph: &Graph, skeleton: &Skeleton) -> Self {
        let groups = remembered_groups(graph, skeleton);
        let rare = Rare::new(graph, groups);
        Self { inertia: InertiaBuffer::with_capacity(groups), rare, ..Self::nothing(groups as u32) }
    }

    /// Nothing remembered, and no buffer.
    fn nothing(groups: u32) -> Self {
        Self { inertia: InertiaBuffer::new(), groups, elapsed_s: 0.0, duration_s: 0.0, rare: None }
    }

    fn poses(&self) -> Option<&KeptPoses> {
        self.rare.as_ref()?.kept.as_ref()
    }

    fn poses_mut(&mut self) -> Option<&mut KeptPoses> {
        self.rare.as_mut()?.kept.as_mut()
    }

    fn feet_mut(&mut self) -> Option<&mut HeldFeet> {
        self.rare.as_mut()?.feet.as_mut()
    }

    fn groups(&self) -> usize {
        self.groups as usize
    }

    /// A copy that takes a spare buffer, if it remembers anything.
    pub(crate) fn clone_into_buffer(&self, spares: &mut Vec<InertiaBuffer>) -> Self {
        let mut copy = Self::nothing(self.groups);
        copy.clone_from_into_buffer(self, spares);
        copy
    }

    /// The same into what was there before. Without allocation where there is a spare.
    pub(crate) fn clone_from_into_buffer(&mut self, source: &Self, spares: &mut Vec<InertiaBuffer>) {
        if source.is_running() {
            self.borrow_buffer(spares);
        }
        self.clone_from(source);
        self.return_buffer(spares);
    }

    /// Takes a spare buffer, if it has none; without a spare one it allocates later, when it needs one.
    pub(crate) fn borrow_buffer(&mut self, spares: &mut Vec<InertiaBuffer>) {
        if self.lacks_buffer()
            && let Some(buffer) = spares.pop()
        {
            self.inertia = buffer;
        }
    }

    /// Returns its buffer, if nothing is left that needs it.
    pub(crate) fn return_buffer(&mut self, spares: &mut Vec<InertiaBuffer>) {
        if self.inertia.is_empty() && self.inertia.capacity() > 0 {
            spares.push(core::mem::take(&mut self.inertia));
        }
    }

    /// True if it has a buffer.
    pub(crate) fn has_buffer(&self) -> bool {
        self.inertia.capacity() > 0
    }

    /// True if it may need a buffer, and has none.
    pub(crate) fn lacks_buffer(&self) -> bool {
        self.groups > 0 && self.inertia.capacity() == 0
    }

    /// Nothing fades out any more, and no foot is held: after a cut, or a teleport. Poses that were kept stay.
    pub fn forget(&mut self) {
        if let Some(feet) = self.feet_mut() {
            feet.forget();
        }
        if let Some(poses) = self.poses_mut() {
            poses.forget_asked();
        }
        self.calm();
    }

    /// Nothing is left of a change.
    fn calm(&mut self) {
        self.inertia.clear();
        (self.elapsed_s, self.duration_s) = (0.0, 0.0);
    }

    /// Keeps a pose by a name of [`GraphParts::poses`](crate::GraphParts::poses); what had this name is gone.
    ///
    /// # Errors
    ///
    /// A key of another graph; a pose of another skeleton, or with a number that is not finite. Nothing has then changed.
    pub fn keep(&mut self, key: PoseKey, pose: &[SoaTransform]) -> Result<(), KeepError> {
        self.poses_mut().ok_or(StateError::OtherGraph)?.keep(key, pose)
    }

    /// A pose that was kept; `None` if there is none.
    #[must_use]
    pub fn kept(&self, key: PoseKey) -> Option<&[SoaTransform]> {
        self.poses()?.kept(key)
    }

    /// Goes on from a pose that was kept: the next update shows it, standing still, and from there the motion of the graph takes over
    /// in this number of seconds. Of several calls the last one counts, and it goes before a transition by inertia of the same update.
    ///
    /// # Errors
    ///
    /// [`StateError::NothingKept`]; [`StateError::OtherGraph`]; [`StateError::Value`] for the time.
    pub fn blend_from(&mut self, key: PoseKey, fade_s: f32) -> Result<(), StateError> {
        self.poses_mut().ok_or(StateError::OtherGraph)?.blend_from(key, fade_s)
    }

    /// True if the next update goes on from a pose that was kept.
    pub(crate) fn is_asked(&self) -> bool {
        self.poses().is_some_and(KeptPoses::is_asked)
    }

    /// What is remembered of a change, as an [`InertiaJob`] takes it; empty when nothing is left.
    #[must_use]
    pub fn offsets(&self) -> &[SoaInertia] {
        &self.inertia
    }

    /// Seconds since the last change, and how long it takes in all.
    #[must_use]
    pub fn times_s(&self) -> (f64, f64) {
        (self.elapsed_s, f64::from(self.duration_s))
    }

    /// True if something has not died away.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.elapsed_s < f64::from(self.duration_s)
    }

    /// True if it was made for as many joints, and for a graph that remembers as much.
    #[must_use]
    pub fn fits(&self, graph: &Graph, skeleton: &Skeleton) -> bool {
        self.groups() == remembered_groups(graph, skeleton)
            && self.poses().map_or(0, KeptPoses::count) == graph.poses.len()
            && self.feet().is_some() == graph.holds_feet()
    }

    /// Bytes beside its own.
    pub(crate) fn memory_bytes(&self) -> usize {
        let inertia = self.inertia.capacity().saturating_mul(size_of::<SoaInertia>());
        inertia.saturating_add(self.rare.as_ref().map_or(0, |rare| rare.memory_bytes()))
    }

    /// Goes along with a step of the graph: to be called after every [`Graph::update`], whether the pose is shown or not. It
    /// costs nothing unless an inertialised transition starts in this step; then `pose` is asked for a few poses, of mixes
    /// whose entries name clips by `number` and masks by the frame's rows ([`Frame::cover_by`], by the weights that it is told).
    ///
    /// What is remembered of motion depends on the frames alone: who shows every frame and who shows few of them get the same bits. Feet
    /// ([`MatchedParts::feet`](crate::graph::MatchedParts::feet)) are held where a pose is shown, by [`Animator`](crate::Animator) and
    /// [`Crowd`](crate::crowd::Crowd).
    ///
    /// # Errors
    ///
    /// What `pose` says; [`JobError::TooShort`] for a scratch of another skeleton. Nothing is then remembered.
    pub fn follow<E: From<JobError>>(
        &mut self,
        frame: &Frame,
        scratch: &mut MemoryScratch,
        number: impl Fn(usize) -> usize,
        mut pose: impl FnMut(Mix, Weights, &mut [SoaTransform]) -> Result<(), E>,
    ) -> Result<(), E> {
        let before_s = self.elapsed_s;
        self.elapsed_s += frame.step_s();
        let inertia_s = frame.inertia_s().filter(|_| self.groups > 0);
        if self.is_asked() || inertia_s.is_some() {
            self.inertia.resize(self.groups(), SoaInertia::ZERO);
            let started = match self.start_from_kept(frame, scratch, &number, &mut pose) {
                Ok(None) => self.start(frame, before_s, scratch, number, &mut pose).map(|()| inertia_s),
                kept => kept,
            };
            match started {
                Ok(duration_s) => {
                    (self.elapsed_s, self.duration_s) = (0.0, duration_s.unwrap_or(0.0));
                }
                Err(error) => {
                    self.calm();
                    return Err(error);
                }
            }
        }
        if !self.is_running() {
            // What has died away is like what never was: one value for it, to be compared.
            self.calm();
        }
        Ok(())
    }

    /// If a pose that was kept is to be gone on from: starts there, and says how long it fades.
    fn start_from_kept<E: From<JobError>>(
        &mut self,
        frame: &Frame,
        scratch: &mut MemoryScratch,
        number: impl Fn(usize) -> usize,
        pose: &mut impl FnMut(Mix, Weights, &mut [SoaTransform]) -> Result<(), E>,
    ) -> Result<Option<f32>, E> {
        let groups = self.groups();
        let Some((kept, fade_s)) = self.rare.as_mut().and_then(|rare| rare.kept.as_mut()?.take_asked())
        else {
            return Ok(None);
        };
        let MemoryScratch { poses, inertia } = scratch;
        let [_, _, new, new_next, new_before] = start_poses(poses, groups)?;
        let new_poses = [
            (StartPose::New, &mut *new),
            (StartPose::NewNext, &mut *new_next),
            (StartPose::NewBefore, &mut *new_before),
        ];
        for (which, out) in new_poses {
            pose(frame.start_mix(which, &number), which.weights(), out)?;
        }
        // It stands still.
        let old = PosePair { now: kept, before: kept };
        start_inertia(old, [new, new_next, new_before], told_step_s(frame), inertia, &mut self.inertia)?;
        Ok(Some(fade_s))
    }

    /// Goes on from a pose that came from elsewhere, at the time of this frame and one step of it earlier: what it is off the mixed
    /// pose fades out in this number of seconds. What was left of an earlier change is forgotten; a time of 0 forgets all.
    ///
    /// # Errors
    ///
    /// [`StateError::NoMemory`] if the graph remembers nothing; [`StateError::Value`] for a time, or poses that are not finite; what `pose` says;
    /// [`JobError::TooShort`] for poses or a scratch of another skeleton. Nothing is then remembered.
    pub fn take_over<E: From<JobError> + From<StateError>>(
        &mut self,
        foreign: PosePair<'_>,
        duration_s: f32,
        frame: &Frame,
        scratch: &mut MemoryScratch,
        number: impl Fn(usize) -> usize,
        mut pose: impl FnMut(Mix, Weights, &mut [SoaTransform]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.forget();
        let groups = self.groups();
        if groups == 0 {
            return Err(StateError::NoMemory.into());
        }
        if !(duration_s.is_finite() && duration_s >= 0.0) {
            let (field, value, allowed) = ("fade_s", f64::from(duration_s), "finite, at least 0");
            return Err(StateError::from(TimeError { field, value, allowed }).into());
        }
        let PosePair { now, before } = foreign;
        let (Some(now_foreign), Some(before_foreign)) = (now.get(..groups), before.get(..groups)) else {
            let len = if now.len() < before.len() { now.len() } else { before.len() };
            return Err(JobError::TooShort { field: "foreign", unit: "groups", len, needed: groups }.into());
        };
        let foreign = PosePair { now: now_foreign, before: before_foreign };
        let MemoryScratch { poses, .. } = scratch;
        let len = poses.len();
        let mut all = poses.chunks_exact_mut(groups);
        let (Some(now), Some(before)) = (all.next(), all.next()) else {
            let (field, unit, needed) = ("scratch", "groups", groups.saturating_mul(2));
            return Err(JobError::TooShort { field, unit, len, needed }.into());
        };
        for (which, out) in [(StartPose::New, &mut *now), (StartPose::OldBefore, &mut *before)] {
            pose(frame.start_mix(which, &number), which.weights(), out)?;
        }
        let own = PosePair { now, before };
        self.inertia.resize(groups, SoaInertia::ZERO);
        let started = InertiaStartJob::new(foreign, own, told_step_s(frame), &mut self.inertia).run();
        let wrong = self.inertia.iter().flat_map(numbers).find(|number| !number.is_finite());
        if started.is_err() || wrong.is_some() {
            self.forget();
        }
        started?;
        if let Some(value) = wrong {
            let (field, value, allowed) = ("foreign", f64::from(value), "poses of finite numbers");
            return Err(StateError::from(TimeError { field, value, allowed }).into());
        }
        self.duration_s = duration_s;
        if !self.is_running() {
            self.forget();
        }
        Ok(())
    }

    fn start<E: From<JobError>>(
        &mut self,
        frame: &Frame,
        before_s: f64,
        scratch: &mut MemoryScratch,
        number: impl Fn(usize) -> usize,
        pose: &mut impl FnMut(Mix, Weights, &mut [SoaTransform]) -> Result<(), E>,
    ) -> Result<(), E> {
        let MemoryScratch { poses, inertia } = scratch;
        let [old, old_before, new, new_next, new_before] = start_poses(poses, self.groups())?;
        for (which, out) in StartPose::ALL.into_iter().zip([
            &mut *old,
            &mut *old_before,
            &mut *new,
            &mut *new_next,
            &mut *new_before,
        ]) {
            pose(frame.start_mix(which, &number), which.weights(), out)?;
        }
        // What is still left of an earlier change is part of the old motion.
        let (elapsed_s, duration_s) = self.times_s();
        InertiaJob::new(&self.inertia, elapsed_s, duration_s, old).run()?;
        InertiaJob::new(&self.inertia, before_s, duration_s, old_before).run()?;
        let old = PosePair { now: old, before: old_before };
        Ok(start_inertia(old, [new, new_next, new_before], told_step_s(frame), inertia, &mut self.inertia)?)
    }

    /// Feet that are held stay where they are, while the character makes a step: once a step, before it is shown.
    pub(crate) fn travel(&mut self, step: &RootStep, frame: &Frame) {
        if let Some(feet) = self.feet_mut() {
            feet.travel(step, frame.step_s());
        }
    }

    /// Holds the feet of a pose that is shown, if a state of the graph does that.
    pub(crate) fn hold_feet(
        &mut self,
        cast: &Cast,
        state: &GraphState,
        frame: &Frame,
        pose: &mut Pose<'_>,
    ) -> Result<(), JobError> {
        let (Some(held), Some(feet)) = (self.feet_mut(), &cast.feet) else { return Ok(()) };
        let mut next = *held;
        next.hold(feet, feet.stand(&cast.graph, state, frame), pose)?;
        // A step of 0 shows the character as it is.
        if frame.step_s() > 0.0 {
            *held = next;
        }
        Ok(())
    }

    /// What it remembers of feet.
    pub(crate) fn feet(&self) -> Option<HeldFeet> {
        self.rare.as_ref()?.feet
    }

    /// Puts that back.
    pub(crate) fn put_feet(&mut self, feet: Option<HeldFeet>) {
        if let (Some(own), Some(feet)) = (self.feet_mut(), feet) {
            *own = feet;
        }
    }

    /// True if the last step held feet in a pose, as far as it was to.
    pub(crate) fn has_fresh_feet(&self) -> bool {
        self.feet().is_none_or(|feet| feet.is_fresh())
    }

    /// Adds to the mixed pose of this moment what has not died away.
    ///
    /// # Errors
    ///
    /// [`JobError::TooShort`] for a pose of another skeleton, while there is something to add.
    pub fn apply(&self, pose: &mut [SoaTransform]) -> Result<(), JobError> {
        self.apply_lod(pose, None)
    }

    /// The same for a pose that was mixed at a level of detail: groups that it left out are left as they are.
    ///
    /// # Errors
    ///
    /// Those of [`PoseMemory::apply`]; a level for another skeleton.
    pub fn apply_lod(&self, pose: &mut [SoaTransform], lod: Option<&JointLod>) -> Result<(), JobError> {
        if self.inertia.is_empty() {
            return Ok(());
        }
        let mut job = InertiaJob::new(&self.inertia, self.elapsed_s, f64::from(self.duration_s), pose);
        job.lod = lod;
        job.run()
    }

    /// Adds its bytes: little-endian, the two times, the numbers of each group, the poses that are kept, and the feet that are held.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.elapsed_s.to_le_bytes());
        bytes.extend_from_slice(&f64::from(self.duration_s).to_le_bytes());
        for number in self.inertia.iter().flat_map(numbers) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        if let Some(poses) = self.poses() {
            poses.write(bytes);
        }
        if let Some(feet) = self.feet() {
            feet.write(bytes);
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }

    /// Reads what [`PoseMemory::write`] wrote for this graph and skeleton.
    ///
    /// # Errors
    ///
    /// [`FormatError`] for anything that no step leads to.
    pub fn read(graph: &Graph, skeleton: &Skeleton, bytes: &[u8]) -> Result<Self, FormatError> {
        let mut from = Reader::new(bytes);
        let mut memory = Self::new(graph, skeleton);
        let (elapsed_s, duration_s) = (from.f64()?, from.f64()?);
        (memory.elapsed_s, memory.duration_s) = (elapsed_s, duration_s as f32);
        from.check(f64::from(memory.duration_s).to_bits() == duration_s.to_bits(), "no time of a change")?;
        let none = memory.elapsed_s == 0.0 && memory.duration_s == 0.0;
        let some = memory.elapsed_s >= 0.0 && memory.is_running() && memory.groups > 0;
        from.check(none || some, "no time of a change")?;
        if some {
            memory.inertia.resize(memory.groups(), SoaInertia::ZERO);
            for lanes in memory.inertia.iter_mut().flat_map(lanes_mut) {
                for lane in &mut lanes.0 {
                    *lane = from.f32()?;
                }
            }
        }
        if let Some(poses) = memory.poses_mut() {
            poses.read(&mut from)?;
        }
        if let Some(feet) = memory.feet_mut() {
            *feet = HeldFeet::read(&mut from)?;
        }
        from.end()?;
        Ok(memory)
    }
}

/// Room for the poses that a change starts from.
fn start_poses(poses: &mut [SoaTransform], groups: usize) -> Result<[&mut [SoaTransform]; 5], JobError> {
    let len = poses.len();
    let mut all = poses.chunks_exact_mut(groups);
    let [Some(old), Some(old_before), Some(new), Some(new_next), Some(new_before)] =
        StartPose::ALL.map(|_| all.next())
    else {
        let (field, unit) = ("scratch", "groups");
        let needed = groups.saturating_mul(StartPose::ALL.len());
        return Err(JobError::TooShort { field, unit, len, needed });
    };
    Ok([old, old_before, new, new_next, new_before])
}

/// What an old motion is off a new one: the offset now, and its rate by the new motion's first step, since it has not moved yet.
fn start_inertia(
    old: PosePair<'_>,
    [new, new_next, new_before]: [&[SoaTransform]; 3],
    step_s: f32,
    fast: &mut [SoaInertia],
    out: &mut [SoaInertia],
) -> Result<(), JobError> {
    let pair = |now, before| PosePair { now, before };
    InertiaStartJob::new(old, pair(new_next, new_before), step_s, fast).run()?;
    InertiaStartJob::new(pair(old.now, old.now), pair(new, new), 0.0, &mut *out).run()?;
    for (own, fast) in out.iter_mut().zip(fast) {
        own.rate = fast.rate;
    }
    Ok(())
}

/// A frame's step, as long as it says something about speeds.
fn told_step_s(frame: &Frame) -> f32 {
    let step_s = frame.step_s() as f32;
    if step_s < SHORTEST_S { 0.0 } else { step_s }
}

/// Groups that a graph remembers of a skeleton: all, or none.
fn remembered_groups(graph: &Graph, skeleton: &Skeleton) -> usize {
    if graph.remembers() { skeleton.group_count() } else { 0 }
}

/// All numbers of a group, in a fixed order.
fn lanes_mut(group: &mut SoaInertia) -> impl Iterator<Item = &mut Lanes> {
    [&mut group.offset, &mut group.rate].into_iter().flat_map(|offset| {
        let all = [&mut offset.translation, &mut offset.rotation, &mut offset.scale];
        all.into_iter().flat_map(|SoaVec3 { x, y, z }| [x, y, z])
    })
}

/// The same, to be read.
fn numbers(group: &SoaInertia) -> impl Iterator<Item = f32> {
    let vectors =
        [group.offset, group.rate].into_iter().flat_map(|all| [all.translation, all.rotation, all.scale]);
    vectors.flat_map(|SoaVec3 { x, y, z }| [x, y, z]).flat_map(|lanes| lanes.0)
}

impl Clone for PoseMemory {
    /// With capacity for anything that it may remember.
    fn clone(&self) -> Self {
        let mut inertia = InertiaBuffer::with_capacity(self.groups());
        inertia.extend_from_slice(&self.inertia);
        let Self { groups, elapsed_s, duration_s, .. } = *self;
        Self { inertia, groups, elapsed_s, duration_s, rare: self.rare.clone() }
    }

    /// Without allocation if both are of one graph and skeleton.
    fn clone_from(&mut self, source: &Self) {
        self.inertia.clone_from(&source.inertia);
        self.rare.clone_from(&source.rare);
        (self.groups, self.elapsed_s, self.duration_s) = (source.groups, source.elapsed_s, source.duration_s);
    }
}
