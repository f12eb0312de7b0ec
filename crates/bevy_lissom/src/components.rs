//! What entities say and hear.

use crate::{
    archive::{LissomArchive, LissomClip},
    crowds::Key,
};
use bevy_asset::Handle;
use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_math::{Quat, Vec3};
use bevy_reflect::Reflect;
use bevy_transform::components::Transform;
use lissom::track::Repeat;
use lissom_motion::{GraphParts, crowd::Member};
use std::sync::Arc;

/// What a character plays. A changed one starts anew; see [`Characters`](crate::Characters) for all that happens while it plays.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(Component, from_reflect = false)]
#[require(Transform)]
pub struct Animator {
    #[reflect(ignore)]
    pub(crate) source: Source,
    #[reflect(ignore)]
    pub(crate) plays: Plays,
    /// The skeleton's name, for archives with several.
    pub skeleton: Option<String>,
}

/// Where it comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Archive(Handle<LissomArchive>),
    /// The archive that this is a label of.
    Clip(Handle<LissomClip>),
}

/// What decides.
#[derive(Clone, Debug)]
pub(crate) enum Plays {
    /// Clips side by side; none: the one of the source's label.
    Clips {
        parts: Vec<ClipPart>,
        in_step: bool,
    },
    Graph(GraphSource),
}

/// Where a graph comes from.
#[derive(Clone, Debug)]
pub(crate) enum GraphSource {
    /// The archive, by name.
    Named(Arc<str>),
    Parts(Arc<GraphParts>),
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
#[derive(Clone, Debug, PartialEq)]
pub struct ClipPart {
    /// The clip.
    pub name: String,
    /// How much of it, against the others; at least 0.
    pub weight: f32,
    /// 1 as it was made, negative backward.
    pub speed: f32,
    /// What happens at its ends.
    pub repeat: Repeat,
    /// Where it starts, in laps.
    pub laps: f64,
}

impl ClipPart {
    /// A clip from its start, over and over.
    #[must_use]
    pub fn new(name: impl Into<String>, weight: f32) -> Self {
        Self { name: name.into(), weight, speed: 1.0, repeat: Repeat::Loop, laps: 0.0 }
    }
}

impl Animator {
    fn new(source: Source, plays: Plays) -> Self {
        Self { source, plays, skeleton: None }
    }

    /// One clip, over and over.
    #[must_use]
    pub fn clip(archive: Handle<LissomArchive>, name: impl Into<String>) -> Self {
        Self::clips(archive, [ClipPart::new(name, 1.0)])
    }

    /// The clip of a label, `server.load("hero.lsm#walk")`, over and over.
    #[must_use]
    pub fn labelled(clip: Handle<LissomClip>) -> Self {
        Self::new(Source::Clip(clip), Plays::Clips { parts: Vec::new(), in_step: false })
    }

    /// Clips side by side, by weight, each at its own pace.
    #[must_use]
    pub fn clips(archive: Handle<LissomArchive>, parts: impl Into<Vec<ClipPart>>) -> Self {
        Self::new(Source::Archive(archive), Plays::Clips { parts: parts.into(), in_step: false })
    }

    /// Clips side by side that keep step, as gaits do: all at the mean of their paces, by weight.
    #[must_use]
    pub fn in_step(archive: Handle<LissomArchive>, parts: impl Into<Vec<ClipPart>>) -> Self {
        Self::new(Source::Archive(archive), Plays::Clips { parts: parts.into(), in_step: true })
    }

    /// A graph of the archive decides, by its name there.
    #[must_use]
    pub fn graph(archive: Handle<LissomArchive>, name: &str) -> Self {
        Self::new(Source::Archive(archive), Plays::Graph(GraphSource::Named(name.into())))
    }

    /// A graph that was made in code decides. Characters that share the description share all but their state.
    #[must_use]
    pub fn parts(archive: Handle<LissomArchive>, graph: Arc<GraphParts>) -> Self {
        Self::new(Source::Archive(archive), Plays::Graph(GraphSource::Parts(graph)))
    }
}

/// A character that plays: which member of which crowd. Added by the plugin when the archive is there.
#[derive(Component, Clone, Debug)]
pub struct Character {
    /// Keeps it loaded.
    pub(crate) archive: Handle<LissomArchive>,
    pub(crate) key: Key,
    pub(crate) member: Member,
}

impl Character {
    /// Its archive.
    #[must_use]
    pub fn archive(&self) -> &Handle<LissomArchive> {
        &self.archive
    }
}

/// Why an [`Animator`] does not play. It goes away when the animator or its file is mended.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, from_reflect = false)]
pub struct Problem(pub String);

/// How fast a character's time goes: 1 without it, 0 stops it, and nothing is then computed for it. At least 0.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component)]
pub struct Pace(pub f32);

/// Parameters of a character's graph by name, for inspectors and for spawning with values. Code that sets them every frame takes
/// [`Characters::set`](crate::Characters::set) with a typed key.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component)]
pub struct Parameters(pub Vec<(String, ParameterValue)>);

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
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

/// Root motion moves the entity, or is handed over. Without this component a character plays on the spot.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component)]
pub struct RootMotion {
    /// True if it moves the entity's `Transform`.
    pub applied: bool,
    /// Where the last step led, in the character's own space.
    pub translation: Vec3,
    /// How far the last step turned it.
    pub rotation: Quat,
}

impl Default for RootMotion {
    fn default() -> Self {
        Self { applied: true, translation: Vec3::ZERO, rotation: Quat::IDENTITY }
    }
}

impl RootMotion {
    /// The steps are only told: a physics engine or the game moves the entity.
    #[must_use]
    pub fn handed_over() -> Self {
        Self { applied: false, ..Self::default() }
    }
}

/// A child of a character that follows a joint: its `Transform` is the joint's, every frame.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, from_reflect = false)]
#[require(Transform)]
pub struct Socket {
    joint: String,
    /// The skeleton it was looked up in, and the joint there.
    #[reflect(ignore)]
    pub(crate) found: Option<(u64, Option<usize>)>,
}

impl Socket {
    /// At a joint.
    #[must_use]
    pub fn new(joint: impl Into<String>) -> Self {
        Self { joint: joint.into(), found: None }
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
    /// Who.
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
