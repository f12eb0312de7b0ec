//! One character for a game: a graph decides, a body shows it.

mod foreign;

use crate::{
    Frame, FrameEvent, Graph, GraphState, Key, LoadError, MemoryScratch, OneShot, PlayedGraph, PoseMemory,
    RootStep, RootTracks, StateError, TriggerKey,
    rate::{Rate, move_on},
};
use alloc::{sync::Arc, vec::Vec};
use lissom::{
    JointLod,
    archive::Archive,
    job::{JobError, Mix},
    math::{
        Mat4,
        soa::{Lanes, SoaTransform},
    },
    player::{Body, ClipShare, PlayError},
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
    graph: Arc<Graph>,
    state: GraphState,
    frame: Frame,
    body: Body,
    /// The body's number of each of the graph's clips.
    clips: Arc<[usize]>,
    /// Where each of them leads.
    roots: Arc<[RootTracks]>,
    /// One a layer.
    masks: Arc<[Option<Vec<Lanes>>]>,
    rows: Vec<Lanes>,
    models_before: Vec<Mat4>,
    root: RootStep,
    memory: PoseMemory,
    room: MemoryScratch,
    rate: Rate,
    /// True if its pose is old: it is posed whose turn it may be.
    fresh: bool,
    /// If it moves from pose to pose: the matrices of the next one. Else none.
    target: Vec<Mat4>,
    /// Updates in which it still moves there.
    left: u8,
    foreign: foreign::Room,
}

/// All that decides what comes of a character: plain values, to be kept, compared and put back.
#[derive(Clone, Debug, PartialEq)]
pub struct Save {
    /// Of its graph.
    pub state: GraphState,
    /// Of its pose.
    pub memory: PoseMemory,
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

impl From<JobError> for AnimateError {
    fn from(error: JobError) -> Self {
        Self::Play(error.into())
    }
}

/// The rows of joint weights that a frame's mix speaks of.
fn covered<'r>(
    frame: &Frame,
    masks: &[Option<Vec<Lanes>>],
    body: &Body,
    rows: &'r mut [Lanes],
) -> &'r [Lanes] {
    if !frame.is_layered() {
        return &[];
    }
    // There is room: the rows and the masks were made for this skeleton.
    let _ = frame.cover(masks, body.skeleton().group_count(), rows);
    rows
}

/// A one-shot that is about to be played; made by [`Animator::play`].
#[derive(Debug)]
#[must_use = "it is played by `start`"]
pub struct Play<'a> {
    animator: &'a mut Animator,
    clip: &'a str,
    layer: Option<&'a str>,
    how: OneShot,
}

impl Animator {
    /// A character of the archive's only skeleton, played by a graph: the archive's of this name, or one made in code.
    ///
    /// # Errors
    ///
    /// What [`Body::new`] and [`Graph::load`] say; a clip of the graph that the archive has not, or has for another skeleton; a
    /// mask with a joint that the skeleton has not.
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
        let clips =
            graph.clips().iter().map(|clip| body.clip(&clip.name)).collect::<Result<Arc<[_]>, _>>()?;
        let layers = graph.layer_names().count();
        let masks = (0..layers).map(|layer| graph.mask(layer, body.skeleton())).collect::<Result<_, _>>()?;
        let mut animator = Self {
            state: GraphState::new(&graph),
            frame: Frame::new(&graph),
            roots: clips.iter().map(|clip| RootTracks::of_body(&body, *clip)).collect(),
            clips,
            masks,
            rows: alloc::vec![Lanes::splat(0.0); layers * body.skeleton().group_count()],
            models_before: body.models().to_vec(),
            root: RootStep::IDENTITY,
            memory: PoseMemory::new(&graph, body.skeleton()),
            room: MemoryScratch::new(&graph, body.skeleton()),
            rate: Rate::FULL,
            fresh: true,
            target: Vec::new(),
            left: 0,
            foreign: foreign::Room::default(),
            graph,
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

    /// Sets a trigger: the next transition that waits for it takes it.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`].
    pub fn trigger(&mut self, key: TriggerKey) -> Result<(), AnimateError> {
        self.set(key, true)
    }

    /// A one-shot, over the highest layer unless told: `play("wave").on("upper_body").fade(0.2).start()?`.
    pub fn play<'a>(&'a mut self, clip: &'a str) -> Play<'a> {
        Play { animator: self, clip, layer: None, how: OneShot::default() }
    }

    /// Lets the one-shots of a layer go.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn stop(&mut self, layer: &str) -> Result<(), AnimateError> {
        Ok(self.state.stop(self.graph.layer(layer)?)?)
    }

    /// Poses it every n-th update only, first after so many that it waits; in between it holds its pose, or moves to it
    /// ([`Animator::set_between`]), while time, events and its way go on. As [`Crowd::set_rate`](crate::crowd::Crowd::set_rate): what is
    /// shown is then what the crowd's member shows.
    ///
    /// # Errors
    ///
    /// 0 updates; nothing has then changed.
    pub fn set_rate(&mut self, every: u8, wait: u8) -> Result<(), AnimateError> {
        if every == 0 {
            return Err(
                StateError::from(TimeError { field: "every", value: 0.0, allowed: "1 to 255" }).into()
            );
        }
        self.rate = Rate { every, wait };
        Ok(())
    }

    /// Whether it moves from pose to pose where it is not posed in every update. As
    /// [`Outputs::between`](crate::crowd::Outputs::between).
    pub fn set_between(&mut self, between: bool) {
        self.target.clear();
        self.target.extend_from_slice(if between { self.body.models() } else { &[] });
        self.left = 0;
    }

    /// How detailed it is, from the next update on, whether that is its turn or not: see [`Body::set_lod`].
    ///
    /// # Errors
    ///
    /// Those of [`Body::set_lod`].
    pub fn set_lod(&mut self, lod: Option<JointLod>) -> Result<(), AnimateError> {
        self.fresh |= self.body.lod() != lod.as_ref();
        Ok(self.body.set_lod(lod)?)
    }

    /// Goes on by so many seconds: pose, matrices, morph weights, events and root delta are then those of the new moment, where it is
    /// its turn ([`Animator::set_rate`]). A step of 0 shows it as it is, and is nobody's turn.
    ///
    /// # Errors
    ///
    /// A step that is negative, NaN or infinite; nothing has then moved.
    pub fn update(&mut self, dt_s: f64) -> Result<(), AnimateError> {
        self.graph.update(&mut self.state, dt_s, &mut self.frame)?;
        let Self { graph, frame, body, clips, roots, masks, rows, root, memory, room, .. } = self;
        *root = frame.root_step(graph, |clip| Some(roots[clip].motion()));
        self.models_before.copy_from_slice(body.models());
        let rows = covered(frame, masks, body, rows);
        let share = |(entry, weight): (&crate::Entry, f32)| ClipShare {
            clip: clips[usize::from(entry.clip)],
            ratio: entry.ratio(),
            weight,
        };
        memory.follow(frame, room, |clip| clips[clip], |mix, pose| body.pose_of(&mix, rows, pose))?;
        let moments = dt_s > 0.0;
        let turn = moments && self.rate.step();
        if turn || self.fresh || !moments {
            let (mix, seen) = (frame.mix(|clip| clips[clip]), frame.seen().map(share));
            body.show_changed(mix, rows, seen, |pose, lod| memory.apply_lod(pose, lod))?;
            let moves = moments && !self.fresh && self.rate.every > 1 && !self.target.is_empty();
            self.fresh = false;
            self.left = if moves { self.rate.every } else { 0 };
            if moves {
                self.target.copy_from_slice(body.models());
                body.models_mut().copy_from_slice(&self.models_before);
            }
        }
        if moments && self.left > 0 {
            move_on(body.models_mut(), &self.target, self.left);
            self.left -= 1;
        }
        Ok(())
    }

    /// The markers passed in the last step; see [`Frame::events`].
    pub fn events(&self) -> impl Iterator<Item = FrameEvent<'_>> {
        self.frame.events(&self.graph, |clip| -> Option<MarkersView<'_>> {
            self.body.markers(*self.clips.get(clip)?)
        })
    }

    /// The step that the character made, in the space that it stands in; see [`Frame::root_step`].
    #[must_use]
    pub fn root_delta(&self) -> RootStep {
        self.root
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
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

    /// All that decides what comes.
    #[must_use]
    pub fn save(&self) -> Save {
        Save { state: self.state.clone(), memory: self.memory.clone() }
    }

    /// The same into a save that is there: without allocation if it is of this graph.
    pub fn save_to(&self, save: &mut Save) {
        save.state.clone_from(&self.state);
        save.memory.clone_from(&self.memory);
    }

    /// Puts a save back; without allocation. What is seen follows with the next [`update`](Animator::update), which may be one of 0.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`], for a save of another skeleton too.
    pub fn restore(&mut self, save: &Save) -> Result<(), AnimateError> {
        if !(save.state.fits(&self.graph) && save.memory.fits(&self.graph, self.body.skeleton())) {
            return Err(StateError::OtherGraph.into());
        }
        self.state.clone_from(&save.state);
        self.memory.clone_from(&save.memory);
        Ok(())
    }

    /// Plays a changed graph on, where names still match; see [`GraphState::carried_over`].
    ///
    /// # Errors
    ///
    /// Those of [`Animator::new`]; it then plays the old one on.
    pub fn reload(&mut self, graph: Arc<Graph>) -> Result<(), AnimateError> {
        let state = self.state.carried_over(&self.graph, &graph);
        let mut new = Self::of_body(self.body.clone(), graph)?;
        new.state = state;
        if self.memory.fits(&new.graph, new.body.skeleton()) {
            new.memory.clone_from(&self.memory);
        }
        new.update(0.0)?;
        (new.rate, new.fresh) = (self.rate, self.fresh);
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

impl<'a> Play<'a> {
    /// Over this layer.
    pub fn on(self, layer: &'a str) -> Self {
        Self { layer: Some(layer), ..self }
    }

    /// It comes and goes in so many seconds.
    pub fn fade(self, seconds: f32) -> Self {
        Self { how: OneShot { fade_in_s: seconds, fade_out_s: seconds, ..self.how }, ..self }
    }

    /// At this speed, above 0.
    pub fn speed(self, speed: f32) -> Self {
        Self { how: OneShot { speed, ..self.how }, ..self }
    }

    /// Over and over, until [`Animator::stop`].
    pub fn looped(self) -> Self {
        Self { how: OneShot { repeat: Repeat::Loop, ..self.how }, ..self }
    }

    /// Plays it.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`] for a clip that the graph does not list, or a layer; [`StateError::Value`] for a fade or a
    /// speed.
    pub fn start(self) -> Result<(), AnimateError> {
        let Animator { graph, state, .. } = self.animator;
        let highest = || graph.layer_names().last().unwrap_or_default();
        let layer = graph.layer(self.layer.unwrap_or_else(highest))?;
        Ok(state.play(graph, layer, graph.clip(self.clip)?, self.how)?)
    }
}
