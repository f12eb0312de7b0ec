//! One character for a game: a graph decides, a body shows it.

mod foreign;

use crate::{
    Graph, GraphState, PoseMemory, RootStep, StateError,
    cast::Cast,
    decide::Decisions,
    frame::{ActiveMarker, Event, Frame, Weights},
    graph::{LoadError, PlayedGraph, SectionKey, ShotOf, StateKey, TriggerKey},
    memory::{KeepError, MemoryScratch},
    recording::{Recorder, Recording, Shown, mix_hash},
    save::{Held, Save},
    state::{GoTo, Key, OneShot, PlayingShot, ShotKey, TrajectoryPoint, Value},
    time::Ticks,
    turn::{Show, Turn, move_on},
};
use alloc::{boxed::Box, sync::Arc, vec::Vec};
use lissom::{
    JointLod,
    archive::Archive,
    job::{JobError, Mix},
    math::{
        Mat4,
        soa::{Lanes, SoaTransform},
    },
    player::{Body, PlayError},
    pose::Pose,
    track::{MarkersView, Repeat, TimeError},
};

/// One character that a graph plays. Made once; after the first frame nothing is allocated.
///
/// ```no_run
/// use lissom::archive::Archive;
/// use lissom_motion::Animator;
///
/// let archive = Archive::open("hero.lsm")?;
/// let mut hero = Animator::new(&archive, "hero")?; // a graph of the archive; one made in code does as well
/// let (speed, jump) = (hero.graph().float("speed")?, hero.graph().trigger("jump")?);
/// hero.set(speed, 1.2)?;
/// hero.trigger(jump)?;
/// hero.play("wave").on("upper_body").fade(0.2).start()?;
/// for _frame in 0..600 {
///     hero.update(1.0 / 60.0)?;
///     println!("{:?} {}", hero.root_delta().translation, hero.events().count());
///     for mesh in hero.body_mut().skin()? {
///         println!("{}: {} vertices", mesh.name, mesh.positions.len());
///     }
/// }
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Animator {
    cast: Cast,
    state: GraphState,
    frame: Frame,
    body: Body,
    rows: Vec<Lanes>,
    models_before: Vec<Mat4>,
    root: RootStep,
    memory: PoseMemory,
    memory_scratch: MemoryScratch,
    turn: Turn,
    /// If it moves from pose to pose: the matrices of the next one. Else none.
    target: Vec<Mat4>,
    foreign: foreign::ForeignScratch,
    recorder: Option<Box<Recorder>>,
    decisions: Option<Decisions>,
    /// A replay of a frame that did not go on with what it remembers of feet.
    keeps_feet_waiting: bool,
}

/// Why an animator did not do what it was told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimateError {
    /// Something of the archive, or a job.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// Something of the graph.
    #[error(transparent)]
    State(#[from] StateError),
    /// The archive's graph.
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl From<KeepError> for AnimateError {
    fn from(error: KeepError) -> Self {
        match error {
            KeepError::State(error) => error.into(),
            KeepError::Job(error) => error.into(),
        }
    }
}

impl From<JobError> for AnimateError {
    fn from(error: JobError) -> Self {
        Self::Play(error.into())
    }
}

/// A one-shot that is about to be played; made by [`Animator::play`].
#[derive(Debug)]
#[must_use = "it is played by `start`"]
pub struct Play<'a> {
    animator: &'a mut Animator,
    name: &'a str,
    section: Option<&'a str>,
    layer: Option<&'a str>,
    how: OneShot,
}

/// A state that is about to be gone to; made by [`Animator::go_to`].
#[derive(Debug)]
#[must_use = "it is gone to by `start`"]
pub struct GoToState<'a> {
    animator: &'a mut Animator,
    state: &'a str,
    layer: Option<&'a str>,
    how: GoTo,
}

impl Animator {
    /// A character of the archive's only skeleton, played by a graph: the archive's of this name, or one made in code.
    ///
    /// # Errors
    ///
    /// What [`Body::new`] and [`Graph::load`] say; the graph names a clip that the archive lacks, or has for another
    /// skeleton; a mask names a joint that the skeleton lacks.
    pub fn new(archive: &Archive, graph: impl PlayedGraph) -> Result<Self, AnimateError> {
        Self::of_body(Body::new(archive, Mix::MAX_ENTRIES)?, graph.of(archive)?)
    }

    /// A character of the skeleton of this name.
    ///
    /// # Errors
    ///
    /// Those of [`Animator::new`].
    pub fn of_skeleton(
        archive: &Archive,
        skeleton: &str,
        graph: impl PlayedGraph,
    ) -> Result<Self, AnimateError> {
        Self::of_body(Body::of_skeleton(archive, skeleton, Mix::MAX_ENTRIES)?, graph.of(archive)?)
    }

    fn of_body(body: Body, graph: Arc<Graph>) -> Result<Self, AnimateError> {
        let cast = Cast::new::<AnimateError>(&body, graph)?;
        let graph = &cast.graph;
        let mut animator = Self {
            state: GraphState::new(graph),
            frame: Frame::new(graph),
            rows: alloc::vec![Lanes::splat(0.0); graph.layers.len() * body.skeleton().group_count()],
            models_before: body.models().to_vec(),
            root: RootStep::IDENTITY,
            memory: PoseMemory::new(graph, body.skeleton()),
            memory_scratch: MemoryScratch::new(graph, body.skeleton()),
            turn: Turn::NEW,
            target: Vec::new(),
            foreign: foreign::ForeignScratch::default(),
            recorder: None,
            decisions: None,
            keeps_feet_waiting: false,
            cast,
            body,
        };
        animator.update(0.0)?;
        animator.models_before.copy_from_slice(animator.body.models());
        Ok(animator)
    }

    /// Sets a parameter.
    ///
    /// # Errors
    ///
    /// Those of [`GraphState::set`].
    pub fn set<K: Key>(&mut self, key: K, value: K::Value) -> Result<(), AnimateError> {
        Ok(self.state.set(key, value)?)
    }

    /// Sets a parameter by its name, for programs that do not know its kind beforehand.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`]; those of [`GraphState::set_value`].
    pub fn set_value(&mut self, name: &str, value: impl Into<Value>) -> Result<(), AnimateError> {
        let parameter = self.cast.graph.parameter(name);
        let parameter = parameter.ok_or_else(|| StateError::unknown("parameter", name))?;
        Ok(self.state.set_value(parameter, value)?)
    }

    /// Sets a trigger: the next transition that waits for it takes it.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`].
    pub fn trigger(&mut self, key: TriggerKey) -> Result<(), AnimateError> {
        self.set(key, true)
    }

    /// A one-shot of a montage or a clip, over the highest layer unless told: `play("wave").on("upper_body").fade(0.2).start()?`.
    pub fn play<'a>(&'a mut self, name: &'a str) -> Play<'a> {
        Play { animator: self, name, section: None, layer: None, how: OneShot::default() }
    }

    /// Goes to a state with the next update, whatever transitions say: `hero.go_to("hit").over(0.1).start()?`.
    pub fn go_to<'a>(&'a mut self, state: &'a str) -> GoToState<'a> {
        GoToState { animator: self, state, layer: None, how: GoTo::default() }
    }

    /// Gives a layer another mask of its graph; `None`: it moves the whole body.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`] for a layer or a mask.
    pub fn set_mask(&mut self, layer: &str, mask: Option<&str>) -> Result<(), AnimateError> {
        let Cast { graph, .. } = &self.cast;
        let (layer, mask) = (graph.layer(layer)?, mask.map(|mask| graph.mask_key(mask)).transpose()?);
        Ok(self.state.set_mask(graph, layer, mask)?)
    }

    /// Lets the one-shots of a layer go.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn stop(&mut self, layer: &str) -> Result<(), AnimateError> {
        Ok(self.state.stop(self.cast.graph.layer(layer)?)?)
    }

    /// Lets one one-shot go. False if it is over, or was stopped before.
    pub fn stop_shot(&mut self, shot: ShotKey) -> bool {
        self.state.stop_shot(shot)
    }

    /// Plays a one-shot at another speed from now on. False if it is over.
    ///
    /// # Errors
    ///
    /// [`StateError::Value`] for a speed that is not above 0.
    pub fn set_shot_speed(&mut self, shot: ShotKey, speed: f32) -> Result<bool, AnimateError> {
        Ok(self.state.set_shot_speed(shot, speed)?)
    }

    /// Lets a one-shot that plays a montage jump: at the end of the next update it is at the beginning of this section. False if it is
    /// over.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`] for a section that its montage has not; [`StateError::OtherSection`] for one that plays a clip.
    pub fn jump_shot(&mut self, shot: ShotKey, section: &str) -> Result<bool, AnimateError> {
        let Some(section) = self.section_of(shot, section)? else { return Ok(false) };
        Ok(self.state.jump_shot(&self.cast.graph, shot, section)?)
    }

    /// Says what comes after the section of a montage that a one-shot plays now; `None`: it ends there. It counts once. False if it is
    /// over.
    ///
    /// # Errors
    ///
    /// Those of [`Animator::jump_shot`].
    pub fn set_next_section(&mut self, shot: ShotKey, next: Option<&str>) -> Result<bool, AnimateError> {
        let next = match next {
            None => None,
            Some(name) => match self.section_of(shot, name)? {
                None => return Ok(false),
                section => section,
            },
        };
        Ok(self.state.set_next_section(&self.cast.graph, shot, next)?)
    }

    /// A section of the montage that a one-shot plays; `None` if it is over.
    fn section_of(&self, shot: ShotKey, name: &str) -> Result<Option<SectionKey>, AnimateError> {
        let Some(playing) = self.shot(shot) else { return Ok(None) };
        let montage = playing.montage().ok_or(StateError::OtherSection)?;
        Ok(Some(self.cast.graph.section(montage, name)?))
    }

    /// A one-shot that is played or waits: where it is. `None` if it is over.
    #[must_use]
    pub fn shot(&self, shot: ShotKey) -> Option<PlayingShot> {
        self.state.shot(&self.cast.graph, shot)
    }

    /// Poses it every n-th update only, first after `wait` updates. In between it holds its pose, or moves to it
    /// ([`Animator::set_between`]), while time, events and root motion go on. It works as
    /// [`Crowd::set_rate`](crate::crowd::Crowd::set_rate), and shows what a member of the crowd shows.
    ///
    /// # Errors
    ///
    /// `every` is 0; nothing has then changed.
    pub fn set_rate(&mut self, every: u8, wait: u8) -> Result<(), AnimateError> {
        if every == 0 {
            return Err(
                StateError::from(TimeError { field: "every", value: 0.0, allowed: "1 to 255" }).into()
            );
        }
        self.turn.set_rate(every, wait);
        Ok(())
    }

    /// Whether it moves from pose to pose where it is not posed in every update. As
    /// [`Outputs::between`](crate::crowd::Outputs::between).
    pub fn set_between(&mut self, between: bool) {
        self.target.clear();
        self.target.extend_from_slice(if between { self.body.models() } else { &[] });
        self.turn.arrive();
    }

    /// Says where it is to go, point by point, while a state plays that is played by motion matching: see [`GraphState::set_trajectory`].
    ///
    /// # Errors
    ///
    /// Those of [`GraphState::set_trajectory`].
    pub fn set_trajectory(
        &mut self,
        state: StateKey,
        points: &[TrajectoryPoint],
    ) -> Result<(), AnimateError> {
        Ok(self.state.set_trajectory(&self.cast.graph, state, points)?)
    }

    /// Makes a state that is played by motion matching search in the next update: see [`GraphState::search_now`].
    ///
    /// # Errors
    ///
    /// Those of [`GraphState::search_now`].
    pub fn search_now(&mut self, state: StateKey) -> Result<(), AnimateError> {
        Ok(self.state.search_now(&self.cast.graph, state)?)
    }

    /// Lets it search in every n-th update only: see [`GraphState::set_search_turn`].
    ///
    /// # Errors
    ///
    /// Those of [`GraphState::set_search_turn`].
    pub fn set_search_turn(&mut self, every: u16, wait: u16) -> Result<(), AnimateError> {
        Ok(self.state.set_search_turn(every, wait)?)
    }

    /// How detailed it is, from the next update on, whether that is its turn or not: see [`Body::set_lod`].
    ///
    /// # Errors
    ///
    /// Those of [`Body::set_lod`].
    pub fn set_lod(&mut self, lod: Option<JointLod>) -> Result<(), AnimateError> {
        if self.body.lod() != lod.as_ref() {
            self.turn.refresh();
        }
        Ok(self.body.set_lod(lod)?)
    }

    /// Goes on by `dt_s` seconds: events and root delta are then those of the new time, and so are pose, matrices and morph weights
    /// unless the rate holds them ([`Animator::set_rate`]). A step of 0 shows the character as it is, and counts for no rate.
    ///
    /// # Errors
    ///
    /// A step that is negative, NaN or infinite; nothing has then moved.
    pub fn update(&mut self, dt_s: f64) -> Result<(), AnimateError> {
        self.step(dt_s, |_| None::<fn(&mut Pose<'_>) -> Result<(), JobError>>)
    }

    /// The same, with the pose changed before matrices follow from it: by IK, springs, or physics. See [`lissom::pose`].
    ///
    /// ```no_run
    /// use lissom::{archive::Archive, math::Vec3, pose::Gaze};
    /// use lissom_motion::Animator;
    ///
    /// let archive = Archive::open("hero.lsm")?;
    /// let mut hero = Animator::new(&archive, "hero")?;
    /// let gaze = Gaze::of(hero.body().skeleton())?;
    /// hero.update_with(1.0 / 60.0, |pose| {
    ///     pose.look_at(&gaze, Vec3::new(0.5, 1.5, 2.0), 1.0)?;
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// Where the rate holds the pose, it is not asked: what it did to the last pose is held with it. The graph does not see what it does:
    /// decisions, events, root motion and inertia are those of the clips.
    ///
    /// # Errors
    ///
    /// Those of [`Animator::update`]. What `change` says: time has then gone on, and the pose is shown as `change` left it.
    pub fn update_with(
        &mut self,
        dt_s: f64,
        change: impl FnOnce(&mut Pose<'_>) -> Result<(), JobError>,
    ) -> Result<(), AnimateError> {
        self.step(dt_s, |_| Some(change))
    }

    /// The same, for a change that depends on this very step. `decide` sees the animator with the events, markers and root step of the
    /// new time, and the old pose. What it returns then changes the new pose.
    ///
    /// ```no_run
    /// use lissom::{archive::Archive, bones::Side, job::{FootLock, FootLockRule}, pose::Limb};
    /// use lissom_motion::{Animator, RootStep};
    ///
    /// let archive = Archive::open("hero.lsm")?;
    /// let mut hero = Animator::new(&archive, "hero")?;
    /// let leg = Limb::leg(hero.body().skeleton(), Side::Left)?;
    /// let (mut lock, rule) = (FootLock::default(), FootLockRule::default());
    /// let mut place = RootStep::IDENTITY;
    /// let held = &mut lock; // a `move` closure that named `lock` would change a copy of it
    /// hero.update_deciding(1.0 / 60.0, |hero| {
    ///     place = place.then(&hero.root_delta());
    ///     let (world, contact) = (place.to_transform().to_mat34(), hero.is_in("contact_left"));
    ///     move |pose| pose.plant(&leg, held, &rule, contact, &world, 1.0 / 60.0).map(|_| ())
    /// })?;
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Animator::update_with`].
    pub fn update_deciding<C: FnOnce(&mut Pose<'_>) -> Result<(), JobError>>(
        &mut self,
        dt_s: f64,
        decide: impl FnOnce(&Self) -> C,
    ) -> Result<(), AnimateError> {
        self.step(dt_s, |hero| Some(decide(hero)))
    }

    /// As a recording has it: in a frame whose feet wait, what is remembered of them stays as if the frame had not been shown.
    pub(crate) fn replay(&mut self, dt_s: f64, feet_wait: bool) -> Result<(), AnimateError> {
        self.keeps_feet_waiting = feet_wait;
        let done = self.update(dt_s);
        self.keeps_feet_waiting = false;
        done
    }

    fn step<C: FnOnce(&mut Pose<'_>) -> Result<(), JobError>>(
        &mut self,
        dt_s: f64,
        decide: impl FnOnce(&Self) -> Option<C>,
    ) -> Result<(), AnimateError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.begin(&self.state, &self.memory);
        }
        let ticks = Ticks::of_step(dt_s).map_err(StateError::from)?;
        self.cast.graph.advance(&mut self.state, ticks, &mut self.frame)?;
        if let Some(decisions) = &mut self.decisions {
            decisions.follow(&self.frame);
        }
        self.models_before.copy_from_slice(self.body.models());
        self.undo_blend();
        self.root = self.cast.root_step(&self.frame);
        let Self { cast, frame, body, rows, memory, memory_scratch, .. } = self;
        let groups = body.skeleton().group_count();
        let number = |clip: usize| cast.clips[clip];
        memory.follow(frame, memory_scratch, number, |mix, weights, pose| {
            body.pose_of(&mix, frame.covered(weights, &cast.masks, groups, rows), pose)
        })?;
        memory.travel(&self.root, frame);
        let feet = memory.feet().filter(|_| self.keeps_feet_waiting);
        let change = decide(self);
        let is_changed = change.is_some();
        let Self { cast, state, frame, body, rows, memory, turn, target, .. } = self;
        let rows = frame.covered(Weights::Now, &cast.masks, groups, rows);
        let mut changed = Ok(());
        let show = turn.next(ticks, true, !target.is_empty());
        if show != Show::Hold {
            if show == Show::PoseAndMove {
                target.copy_from_slice(body.models());
            }
            let inertia_and_change = |pose: &mut Pose<'_>| {
                let lod = pose.lod();
                memory.apply_lod(pose.locals_mut(), lod)?;
                memory.hold_feet(cast, state, frame, pose)?;
                change.map_or(Ok(()), |change| change(pose))
            };
            changed = body.show_changed(cast.mix(frame), rows, cast.shares(frame), inertia_and_change);
            if show == Show::PoseAndMove {
                target.swap_with_slice(body.models_mut());
            }
        }
        if let Some(left) = turn.advance(ticks) {
            move_on(body.models_mut(), target, left);
        }
        memory.put_feet(feet);
        self.record_step(dt_s, show != Show::Hold && !is_changed);
        Ok(changed?)
    }

    /// Adds the step to the recording; `shown` if its pose is the graph's own.
    fn record_step(&mut self, dt_s: f64, shown: bool) {
        let Some(mut recorder) = self.recorder.take() else { return };
        let Self { frame, body, state, memory, root, .. } = &*self;
        let (pose, joints) = (body.pose(), body.skeleton().joint_count());
        let shown = (shown && body.lod().is_none()).then_some(Shown { pose, joints });
        recorder.end(dt_s, (state, memory), mix_hash(frame), self.events(), root, shown.as_ref());
        self.recorder = Some(recorder);
    }

    /// Records what is done to it from now on: see [`recording`](crate::recording). What was recorded before is gone. A recording grows with
    /// every update, so it allocates; [`Animator::reload`] ends it.
    pub fn record(&mut self) {
        let Self { cast, state, memory, body, .. } = self;
        self.recorder = Some(Box::new(Recorder::new(body.skeleton(), &cast.graph, state, memory)));
    }

    /// What has been recorded so far; `None` if it is not recorded.
    #[must_use]
    pub fn recording(&self) -> Option<&Recording> {
        self.recorder.as_ref().map(|recorder| recorder.recording())
    }

    /// Ends the recording, and returns it; `None` if it is not recorded.
    pub fn stop_recording(&mut self) -> Option<Recording> {
        self.recorder.take().map(|recorder| recorder.into_recording())
    }

    /// Remembers its last decisions from now on, at most this many: which state was gone to, when, and what its tests saw. After this
    /// call nothing is allocated. [`Animator::reload`] forgets those that were remembered.
    ///
    /// ```no_run
    /// # let archive = lissom::archive::Archive::open("hero.lsm")?;
    /// # let mut hero = lissom_motion::Animator::new(&archive, "hero")?;
    /// hero.remember_decisions(16);
    /// // ... frames later:
    /// for one in hero.decisions().into_iter().flat_map(|all| all.iter()) {
    ///     if let Some(told) = hero.graph().decision(one) {
    ///         println!("{:.2} s: {} to {} {:?}", told.time_s, told.from, told.to, told.tests);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn remember_decisions(&mut self, most: usize) {
        self.decisions = Some(Decisions::new(most));
    }

    /// Its last decisions; `None` if they are not remembered.
    #[must_use]
    pub fn decisions(&self) -> Option<&Decisions> {
        self.decisions.as_ref()
    }

    /// What happened in the last step: markers, and what states and one-shots did; see [`Frame::events`].
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.frame.events(&self.cast.graph, |clip| -> Option<MarkersView<'_>> {
            self.body.markers(*self.cast.clips.get(clip)?)
        })
    }

    /// The markers that last which the character is in now: begun in [`Animator::events`], and not ended.
    pub fn active_markers(&self) -> impl Iterator<Item = ActiveMarker<'_>> {
        self.state.active_markers(&self.cast.graph, |clip| self.body.markers(*self.cast.clips.get(clip)?))
    }

    /// True if it is in a marker of this name that lasts: a window for a combo, a foot on the ground, a sword that cuts.
    #[must_use]
    pub fn is_in(&self, marker: &str) -> bool {
        self.active_markers().any(|active| active.marker.name == marker)
    }

    /// The step that the character made, in the space that it stands in; see [`Frame::root_step`].
    #[must_use]
    pub fn root_delta(&self) -> RootStep {
        self.root
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.cast.graph
    }

    /// The state of its graph.
    #[must_use]
    pub fn state(&self) -> &GraphState {
        &self.state
    }

    /// What its pose remembers.
    #[must_use]
    pub fn memory(&self) -> &PoseMemory {
        &self.memory
    }

    /// All that decides the next frames, the rate included.
    #[must_use]
    pub fn save(&self) -> Save {
        let mut held = Held::NOTHING;
        self.hold(&mut held);
        Save { state: self.state.clone(), memory: self.memory.clone(), held }
    }

    /// The same into an existing save: without allocation if it is of this graph and was of a rate above 1 where this is.
    pub fn save_to(&self, save: &mut Save) {
        save.state.clone_from(&self.state);
        save.memory.clone_from(&self.memory);
        self.hold(&mut save.held);
    }

    /// At a rate above 1 what is shown until the next pose, without what [`Animator::blend_in`] added.
    fn hold(&self, held: &mut Held) {
        held.begin(self.turn);
        if self.turn.holds() {
            let (pose, models) = self.foreign.below().unwrap_or((self.body.pose(), self.body.models()));
            held.pose.extend_from_slice(pose);
            held.models.extend_from_slice(models);
            held.target.extend_from_slice(&self.target);
            self.body.morphs().for_each(|weights| held.morphs.extend_from_slice(weights));
        }
    }

    /// Restores a save; without allocation. A save of a rate above 1 is shown at once; else what is shown follows with the next
    /// [`update`](Animator::update), which may be one of 0.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`], for a save of another skeleton too.
    pub fn restore(&mut self, save: &Save) -> Result<(), AnimateError> {
        let Save { state, memory, held } = save;
        let skeleton = self.body.skeleton();
        let fits = held.fits(skeleton.joint_count(), skeleton.group_count());
        if !(fits && state.fits(&self.cast.graph) && memory.fits(&self.cast.graph, skeleton)) {
            return Err(StateError::OtherGraph.into());
        }
        self.state.clone_from(state);
        self.memory.clone_from(memory);
        self.turn = held.turn;
        self.foreign.forget();
        if held.models.is_empty() {
            if held.turn.holds() {
                // There is no pose to hold: the next update makes one.
                self.turn.arrive();
                self.turn.refresh();
            }
            return Ok(());
        }
        self.body.models_mut().copy_from_slice(&held.models);
        if !held.pose.is_empty() {
            self.body.pose_mut().copy_from_slice(&held.pose);
        }
        self.target.clone_from(&held.target);
        let mut rest = &held.morphs[..];
        for weights in self.body.morphs_mut() {
            let (own, others) = rest.split_at(weights.len().min(rest.len()));
            weights[..own.len()].copy_from_slice(own);
            rest = others;
        }
        Ok(())
    }

    /// Plays a changed graph on, where names still match; see [`GraphState::carried_over`].
    ///
    /// # Errors
    ///
    /// Those of [`Animator::new`]; it then plays the old one on.
    pub fn reload(&mut self, graph: Arc<Graph>) -> Result<(), AnimateError> {
        let state = self.state.carried_over(&self.cast.graph, &graph);
        let mut new = Self::of_body(self.body.clone(), graph)?;
        new.state = state;
        let same_poses = self.cast.graph.poses == new.cast.graph.poses;
        if same_poses && self.memory.fits(&new.cast.graph, new.body.skeleton()) {
            new.memory.clone_from(&self.memory);
        }
        new.update(0.0)?;
        new.decisions = self.decisions.take();
        new.decisions.iter_mut().for_each(Decisions::clear);
        new.turn = self.turn;
        new.set_between(!self.target.is_empty());
        // What was seen last is what was shown before the change.
        new.models_before.copy_from_slice(self.body.models());
        *self = new;
        Ok(())
    }

    /// What the last step decided.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Poses, matrices, meshes.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Poses, matrices, meshes: to skin, to take palettes, or to change the pose by IK.
    pub fn body_mut(&mut self) -> &mut Body {
        &mut self.body
    }

    /// The local pose, in groups.
    #[must_use]
    pub fn pose(&self) -> &[SoaTransform] {
        self.body.pose()
    }

    /// The model-space matrices, one a joint.
    #[must_use]
    pub fn models(&self) -> &[Mat4] {
        self.body.models()
    }

    /// Those of the step before.
    #[must_use]
    pub fn models_before(&self) -> &[Mat4] {
        &self.models_before
    }

    /// The palette of a mesh, for skinning elsewhere.
    ///
    /// # Errors
    ///
    /// Those of [`Body::palette`].
    pub fn palette(&mut self, mesh: &str) -> Result<&[Mat4], AnimateError> {
        Ok(self.body.palette(mesh)?)
    }

    /// The palette of a mesh in the step before, for motion vectors. It takes the place of [`Animator::palette`].
    ///
    /// # Errors
    ///
    /// Those of [`Body::palette`].
    pub fn palette_before(&mut self, mesh: &str) -> Result<&[Mat4], AnimateError> {
        Ok(self.body.palette_of(mesh, &self.models_before)?)
    }
}

impl<'a> GoToState<'a> {
    /// In this layer; the lowest one if nothing is said.
    pub fn on(self, layer: &'a str) -> Self {
        Self { layer: Some(layer), ..self }
    }

    /// In this number of seconds; 0 cuts.
    pub fn over(self, fade_s: f32) -> Self {
        Self { how: GoTo { fade_s, ..self.how }, ..self }
    }

    /// By inertia: the state plays alone at once, and the difference to the old motion fades out.
    pub fn by_inertia(self) -> Self {
        Self { how: GoTo { inertial: true, ..self.how }, ..self }
    }

    /// From this share of its lap, in [0, 1].
    pub fn at(self, share: f32) -> Self {
        Self { how: GoTo { at: share, ..self.how }, ..self }
    }

    /// Goes there with the next update.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`] for a layer or a state; those of [`GraphState::go_to`].
    pub fn start(self) -> Result<(), AnimateError> {
        let Animator { cast: Cast { graph, .. }, state, .. } = self.animator;
        let lowest = || graph.layer_names().next().unwrap_or_default();
        let layer = graph.layer(self.layer.unwrap_or_else(lowest))?;
        Ok(state.go_to(graph, graph.state_key(layer, self.state)?, self.how)?)
    }
}

impl<'a> Play<'a> {
    /// Over this layer.
    pub fn on(self, layer: &'a str) -> Self {
        Self { layer: Some(layer), ..self }
    }

    /// It fades in and out in this number of seconds.
    pub fn fade(self, seconds: f32) -> Self {
        Self { how: OneShot { fade_in_s: seconds, fade_out_s: seconds, ..self.how }, ..self }
    }

    /// It fades in in this number of seconds.
    pub fn fade_in(self, seconds: f32) -> Self {
        Self { how: OneShot { fade_in_s: seconds, ..self.how }, ..self }
    }

    /// It fades out in this number of seconds.
    pub fn fade_out(self, seconds: f32) -> Self {
        Self { how: OneShot { fade_out_s: seconds, ..self.how }, ..self }
    }

    /// From this share of its clip, in [0, 1].
    pub fn at(self, share: f32) -> Self {
        Self { how: OneShot { at: share, ..self.how }, ..self }
    }

    /// From the beginning of this section of its montage.
    pub fn section(self, name: &'a str) -> Self {
        Self { section: Some(name), ..self }
    }

    /// By inertia: it takes the layer at once, and gives it back at once; the difference to what was seen before fades out in the times of
    /// its fades.
    pub fn by_inertia(self) -> Self {
        Self { how: OneShot { inertial: true, ..self.how }, ..self }
    }

    /// When the one-shots of its layer fade out. One that waits there already gives way to it.
    pub fn queued(self) -> Self {
        Self { how: OneShot { queued: true, ..self.how }, ..self }
    }

    /// At this speed, above 0.
    pub fn speed(self, speed: f32) -> Self {
        Self { how: OneShot { speed, ..self.how }, ..self }
    }

    /// Over and over, until [`Animator::stop`].
    pub fn looped(self) -> Self {
        Self { how: OneShot { repeat: Repeat::Loop, ..self.how }, ..self }
    }

    /// Plays it. The key is for [`Animator::shot`] and [`Animator::stop_shot`].
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`] for a clip that the graph does not list, a section, or a layer; [`StateError::Value`] for a fade, a speed or a
    /// start; [`StateError::OtherSection`] for a section of a clip; [`StateError::NoInertia`].
    pub fn start(self) -> Result<ShotKey, AnimateError> {
        let Animator { cast: Cast { graph, .. }, state, .. } = self.animator;
        let highest = || graph.layer_names().last().unwrap_or_default();
        let layer = graph.layer(self.layer.unwrap_or_else(highest))?;
        let (shot, mut how) = (graph.one_shot(self.name)?, self.how);
        if let Some(section) = self.section {
            let ShotOf::Montage(montage) = shot else { return Err(StateError::OtherSection.into()) };
            let section = graph.section(montage, section)?;
            how.at = graph.section_start(section).unwrap_or(how.at);
        }
        Ok(state.play(graph, layer, shot, how)?)
    }
}
