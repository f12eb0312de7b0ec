//! The components of a character, and the event that it sends.

use crate::{
    archive::{LissomArchive, LissomClip},
    repeat::ReflectRepeat,
};
use bevy_asset::{AssetId, Handle};
use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_math::{Quat, Vec3};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::components::Transform;
use lissom::track::Repeat;
use lissom_motion::{GraphParts, crowd::Member, frame::What};
use std::sync::Arc;

/// What a character plays: a clip, several clips, or a graph. A changed component starts again from the beginning.
/// [`Characters`](crate::Characters) steers a character while it plays.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
pub struct Plays {
    /// The file.
    pub source: ClipSource,
    /// What of it.
    pub playable: Playable,
    /// The skeleton's name, for archives with several.
    pub skeleton: Option<String>,
}

/// Where the clips come from.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[reflect(Default, Debug, PartialEq)]
pub enum ClipSource {
    /// An archive.
    Archive(Handle<LissomArchive>),
    /// The archive that this is a label of.
    Clip(Handle<LissomClip>),
}

impl Default for ClipSource {
    fn default() -> Self {
        Self::Archive(Handle::default())
    }
}

/// Clips or a graph.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[reflect(Default, Debug, PartialEq)]
pub enum Playable {
    /// Clips that are blended by weight.
    Clips {
        /// Empty: the clip of the label that is the source.
        clips: Vec<WeightedClip>,
        /// True if they keep step.
        in_step: bool,
    },
    /// A graph.
    Graph(GraphSource),
}

impl Default for Playable {
    fn default() -> Self {
        Self::Clips { clips: Vec::new(), in_step: false }
    }
}

/// Where a graph comes from.
#[derive(Clone, Debug, Reflect)]
#[reflect(Default, Debug, PartialEq)]
pub enum GraphSource {
    /// The archive, by name.
    Named(String),
    /// Code. Scenes do not keep it.
    Parts(#[reflect(ignore)] Arc<GraphParts>),
}

impl Default for GraphSource {
    fn default() -> Self {
        Self::Named(String::new())
    }
}

impl PartialEq for GraphSource {
    /// The same one: descriptions are not compared word by word.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Named(a), Self::Named(b)) => a == b,
            (Self::Parts(a), Self::Parts(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// One of the clips that a character plays without a graph.
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, PartialEq)]
pub struct WeightedClip {
    /// The clip.
    pub name: String,
    /// How much of it, against the others; at least 0.
    pub weight: f32,
    /// 1 as it was made, negative backward.
    pub speed: f32,
    /// What happens at its ends.
    #[reflect(remote = ReflectRepeat)]
    pub repeat: Repeat,
    /// Where it starts, in laps.
    pub laps: f64,
}

impl WeightedClip {
    /// A clip from its start, over and over.
    #[must_use]
    pub fn new(name: impl Into<String>, weight: f32) -> Self {
        Self { name: name.into(), weight, speed: 1.0, repeat: Repeat::Loop, laps: 0.0 }
    }

    /// It plays once, and holds its end.
    #[must_use]
    pub fn once(self) -> Self {
        Self { repeat: Repeat::Once, ..self }
    }

    /// At this speed.
    #[must_use]
    pub fn at_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }
}

impl From<&str> for WeightedClip {
    fn from(name: &str) -> Self {
        Self::new(name, 1.0)
    }
}

impl Plays {
    fn new(source: ClipSource, playable: Playable) -> Self {
        Self { source, playable, skeleton: None }
    }

    /// One clip, over and over.
    #[must_use]
    pub fn clip(archive: Handle<LissomArchive>, name: impl Into<String>) -> Self {
        Self::clips(archive, [WeightedClip::new(name, 1.0)])
    }

    /// The clip of a label, `server.load("hero.lsm#walk")`, over and over.
    #[must_use]
    pub fn labelled(clip: Handle<LissomClip>) -> Self {
        Self::new(ClipSource::Clip(clip), Playable::Clips { clips: Vec::new(), in_step: false })
    }

    /// Clips side by side, by weight, each at its own pace.
    #[must_use]
    pub fn clips(archive: Handle<LissomArchive>, clips: impl Into<Vec<WeightedClip>>) -> Self {
        Self::new(ClipSource::Archive(archive), Playable::Clips { clips: clips.into(), in_step: false })
    }

    /// Clips side by side that keep step, as gaits do: all at the mean of their paces, by weight.
    #[must_use]
    pub fn in_step(archive: Handle<LissomArchive>, clips: impl Into<Vec<WeightedClip>>) -> Self {
        Self::new(ClipSource::Archive(archive), Playable::Clips { clips: clips.into(), in_step: true })
    }

    /// A graph of the archive decides, by its name there.
    #[must_use]
    pub fn graph(archive: Handle<LissomArchive>, name: &str) -> Self {
        Self::new(ClipSource::Archive(archive), Playable::Graph(GraphSource::Named(name.to_owned())))
    }

    /// A graph that was made in code decides. Characters that share the description share all but their state.
    #[must_use]
    pub fn parts(archive: Handle<LissomArchive>, graph: Arc<GraphParts>) -> Self {
        Self::new(ClipSource::Archive(archive), Playable::Graph(GraphSource::Parts(graph)))
    }
}

/// Which crowd: an archive, and the name of the skeleton where one was given.
pub(crate) type CrowdKey = (AssetId<LissomArchive>, Option<String>);

/// A character that plays: which member of which crowd. Added by the plugin when the archive is there.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(from_reflect = false)]
#[component(clone_behavior = Ignore)]
pub struct Character {
    /// Keeps it loaded.
    pub(crate) archive: Handle<LissomArchive>,
    #[reflect(ignore)]
    pub(crate) key: CrowdKey,
    #[reflect(ignore)]
    pub(crate) member: Member,
}

impl Character {
    /// Its archive.
    #[must_use]
    pub fn archive(&self) -> &Handle<LissomArchive> {
        &self.archive
    }
}

/// The speed of a character's time, at least 0. Without the component it is 1. At 0 the character stops and costs nothing.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct PlaybackSpeed(pub f32);

impl Default for PlaybackSpeed {
    fn default() -> Self {
        Self(1.0)
    }
}

/// Parameters of a character's graph by name, for inspectors and for spawning with values. Code that sets them every frame takes
/// [`Characters::set`](crate::Characters::set) with a typed key.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct Parameters(pub Vec<(String, ParameterValue)>);

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Debug, PartialEq)]
pub enum ParameterValue {
    /// Of a float.
    Float(f32),
    /// Of an integer.
    Int(i32),
    /// Of a bool, or of a trigger, which is set by `true`.
    Bool(bool),
}

impl Parameters {
    /// With one more.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<ParameterValue>) -> Self {
        self.set(name, value);
        self
    }

    /// Sets one.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<ParameterValue>) {
        let (name, value) = (name.into(), value.into());
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own = value,
            None => self.0.push((name, value)),
        }
    }
}

impl From<f32> for ParameterValue {
    fn from(value: f32) -> Self {
        Self::Float(value)
    }
}

impl From<i32> for ParameterValue {
    fn from(value: i32) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for ParameterValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// The root motion of a character. It moves the entity, or the game reads it and moves the entity itself. Without this component a
/// character plays on the spot.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct EntityRootMotion {
    /// True if it moves the entity's `Transform`.
    pub applied: bool,
    /// The translation of the last step, in the character's own space.
    pub translation: Vec3,
    /// The rotation of the last step.
    pub rotation: Quat,
}

impl Default for EntityRootMotion {
    fn default() -> Self {
        Self { applied: true, translation: Vec3::ZERO, rotation: Quat::IDENTITY }
    }
}

impl EntityRootMotion {
    /// Does not move the entity: a physics engine or the game reads the steps and moves it.
    #[must_use]
    pub fn handed_over() -> Self {
        Self { applied: false, ..Self::default() }
    }
}

/// A child of a character that follows a joint: its `Transform` is the joint's, every frame. The last part of the joint's name is enough,
/// without case (`head` for `mixamorig:Head`).
///
/// What it holds keeps its own size: joints of armatures that were made in centimetres have a scale of 100 or of 0.01, which the socket
/// leaves out.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
pub struct JointSocket {
    joint: String,
    scaled: bool,
    /// The skeleton it was looked up in, and the joint there.
    #[reflect(ignore)]
    pub(crate) found: Option<(u64, Option<usize>)>,
}

impl JointSocket {
    /// At a joint.
    #[must_use]
    pub fn new(joint: impl Into<String>) -> Self {
        Self { joint: joint.into(), scaled: false, found: None }
    }

    /// It takes the joint's scale, too: for clips that stretch joints.
    #[must_use]
    pub fn with_scale(self) -> Self {
        Self { scaled: true, ..self }
    }

    /// True if it takes the joint's scale.
    #[must_use]
    pub fn is_scaled(&self) -> bool {
        self.scaled
    }

    /// The joint's name.
    #[must_use]
    pub fn joint(&self) -> &str {
        &self.joint
    }
}

/// A character passed a marker: a message to all, and an event of its entity, observed there.
#[derive(Message, EntityEvent, Clone, Debug, PartialEq)]
pub struct MarkerPassed {
    /// The character's entity.
    pub entity: Entity,
    /// The marker's name.
    pub marker: Arc<str>,
    /// How long the marker lasts, in seconds; 0 for a moment.
    pub duration_s: f64,
    /// When in the step: 0 at its start, 1 at its end.
    pub share: f32,
    /// How much of its clip is seen.
    pub weight: f32,
    /// The layer's number in its graph; 0 without one.
    pub layer: u16,
    /// True if the clip ran backward there.
    pub backward: bool,
}

/// A character comes into a marker that lasts, as a window in which a sword cuts: a message to all, and an event of its entity, observed
/// there. What began ends: [`MarkerEnded`] follows, also if the clip is not played any more, or the character goes.
#[derive(Message, EntityEvent, Clone, Debug, PartialEq)]
pub struct MarkerBegan {
    /// The character's entity.
    pub entity: Entity,
    /// The marker's name.
    pub marker: Arc<str>,
    /// When in the step: 0 at its start, 1 at its end.
    pub share: f32,
    /// How much of its clip is seen.
    pub weight: f32,
    /// The layer's number in its graph; 0 without one.
    pub layer: u16,
}

/// A character is out of a marker that lasts.
#[derive(Message, EntityEvent, Clone, Debug, PartialEq)]
pub struct MarkerEnded {
    /// The character's entity.
    pub entity: Entity,
    /// The marker's name.
    pub marker: Arc<str>,
    /// True if the clip did not come to the marker's end: it is not played any more, or the character is gone.
    pub interrupted: bool,
    /// When in the step: 0 at its start, 1 at its end.
    pub share: f32,
    /// How much of its clip is seen.
    pub weight: f32,
    /// The layer's number in its graph; 0 without one.
    pub layer: u16,
}

/// A state or a one-shot of a character began or ended, or a clip without a graph came to its end: a message to all, and an event of its entity, observed there.
#[derive(Message, EntityEvent, Clone, Debug, PartialEq)]
pub struct StateChanged {
    /// The character's entity.
    pub entity: Entity,
    /// What happened.
    pub change: Change,
    /// The state's name; of a one-shot, or without a graph, its clip's.
    pub name: Arc<str>,
    /// When in the step: 0 at its start, 1 at its end.
    pub share: f32,
    /// How much of the state is seen; 0 for one-shots.
    pub weight: f32,
    /// The layer's number in its graph.
    pub layer: u16,
}

/// What states, one-shots and clips without a graph do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// A state begins.
    Entered,
    /// A state is not played any more.
    Left,
    /// A state, or a clip without a graph, that plays once came to its end.
    Finished,
    /// A clip without a graph begins a new lap.
    Looped,
    /// A transition to this state begins.
    TransitionStarted,
    /// The transition to this state is over.
    TransitionEnded,
    /// A one-shot begins.
    ShotBegan,
    /// A one-shot played to its end.
    ShotEnded,
    /// A one-shot was stopped, or newer ones took its place.
    ShotInterrupted,
    /// A section of a montage begins.
    SectionBegan,
}

impl Change {
    pub(crate) fn of(what: &What<'_>) -> Option<Self> {
        Some(match what {
            What::Entered(_) => Self::Entered,
            What::Left(_) => Self::Left,
            What::Finished(_) => Self::Finished,
            What::TransitionStarted(_) => Self::TransitionStarted,
            What::TransitionEnded(_) => Self::TransitionEnded,
            What::ShotBegan(_) => Self::ShotBegan,
            What::ShotEnded(_) => Self::ShotEnded,
            What::ShotInterrupted(_) => Self::ShotInterrupted,
            What::SectionBegan(_) => Self::SectionBegan,
            _ => return None,
        })
    }
}
