//! What an entity cannot do: on the entity, and in the log once.

use bevy_ecs::{prelude::*, reflect::ReflectComponent};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use std::fmt;
use tracing::error;

/// What an entity cannot do, and why: it does not play, its [`Skin`](crate::Skin) is not drawn, a parameter is not there. The plugin adds
/// it, logs each problem once with the entity's `Name`, and removes it when the component or the file is mended.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
#[component(clone_behavior = Ignore)]
pub struct LissomError {
    /// One per concern.
    pub problems: Vec<LissomProblem>,
}

/// One thing that an entity cannot do.
#[derive(Clone, Debug, PartialEq, Eq, Reflect)]
#[reflect(Debug, PartialEq)]
pub struct LissomProblem {
    /// What it cannot do.
    pub about: Concern,
    /// Why.
    pub why: String,
}

/// What a problem is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Reflect)]
#[reflect(Debug, PartialEq, Hash)]
#[non_exhaustive]
pub enum Concern {
    /// Its [`Plays`](crate::Plays): the file, the clip, the graph.
    Plays,
    /// Its [`Parameters`](crate::Parameters).
    Parameters,
    /// Its [`PlaybackSpeed`](crate::PlaybackSpeed).
    PlaybackSpeed,
    /// Its [`Skin`](crate::Skin).
    Skin,
    /// Its [`JointSocket`](crate::JointSocket).
    JointSocket,
    /// [`LookAt`](crate::LookAt), [`HandIk`](crate::HandIk) or [`FootIk`](crate::FootIk).
    Ik,
    /// Its [`JointSprings`](crate::JointSprings).
    Springs,
    /// Its [`Ragdoll`](crate::Ragdoll).
    Ragdoll,
    /// Its [`CharacterDetail`](crate::CharacterDetail).
    Detail,
    /// Its [`MatchedMotion`](crate::MatchedMotion).
    Matched,
    /// Its pose: what IK, springs or a hook of the game made of it.
    Pose,
}

impl Concern {
    /// Those of what plays, which go with it.
    pub(crate) const OF_CHARACTERS: [Self; 9] = [
        Self::Plays,
        Self::Parameters,
        Self::PlaybackSpeed,
        Self::Ik,
        Self::Springs,
        Self::Ragdoll,
        Self::Detail,
        Self::Matched,
        Self::Pose,
    ];
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plays => "does not play",
            Self::Parameters => "has a parameter that is not set",
            Self::PlaybackSpeed => "keeps its speed",
            Self::Skin => "is not drawn",
            Self::JointSocket => "follows no joint",
            Self::Ik => "has no IK",
            Self::Springs => "has joints that do not swing",
            Self::Ragdoll => "is not moved by all bodies",
            Self::Detail => "keeps its detail",
            Self::Matched => "does not go where it wants",
            Self::Pose => "has another pose than was asked for",
        })
    }
}

impl fmt::Display for LissomProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.about, self.why)
    }
}

impl fmt::Display for LissomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if at > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

impl LissomError {
    /// Why it cannot do this; `None`: it can.
    #[must_use]
    pub fn about(&self, about: Concern) -> Option<&str> {
        self.problems.iter().find(|problem| problem.about == about).map(|problem| &*problem.why)
    }
}

/// True if an entity is known not to be able to do this.
pub(crate) fn fails(error: Option<&LissomError>, about: Concern) -> bool {
    error.is_some_and(|error| error.about(about).is_some())
}

/// Problems told and mended by commands.
pub(crate) trait Problems {
    /// The entity has this problem. It is logged if it is another than the one that stands there.
    fn tell(&mut self, entity: Entity, about: Concern, why: impl ToString);

    /// The entity has no such problem any more.
    fn mend(&mut self, entity: Entity, about: Concern);
}

impl Problems for Commands<'_, '_> {
    fn tell(&mut self, entity: Entity, about: Concern, why: impl ToString) {
        let problem = LissomProblem { about, why: why.to_string() };
        self.queue(move |world: &mut World| {
            // It may have been despawned.
            let Ok(mut entity) = world.get_entity_mut(entity) else { return };
            let mut error = entity.get::<LissomError>().cloned().unwrap_or_default();
            if error.problems.contains(&problem) {
                return;
            }
            match entity.get::<Name>() {
                Some(name) => error!("\"{name}\" ({}) {problem}", entity.id()),
                None => error!("{} {problem}", entity.id()),
            }
            error.problems.retain(|known| known.about != about);
            error.problems.push(problem);
            entity.insert(error);
        });
    }

    fn mend(&mut self, entity: Entity, about: Concern) {
        self.queue(move |world: &mut World| {
            let Ok(mut entity) = world.get_entity_mut(entity) else { return };
            let Some(mut error) = entity.get_mut::<LissomError>() else { return };
            error.problems.retain(|known| known.about != about);
            if error.problems.is_empty() {
                entity.remove::<LissomError>();
            }
        });
    }
}
