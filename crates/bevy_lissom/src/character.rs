//! `Characters`, the system parameter that steers and reads characters.

use crate::{
    components::Character,
    crowds::{CrowdOf, Crowds},
};
use bevy_ecs::{prelude::*, system::SystemParam};
use lissom::math;
use lissom_motion::{
    Graph, GraphState, Save, StateError,
    crowd::{CrowdError, Member},
    graph::TriggerKey,
    state::{GoTo, Key, OneShot, ShotKey},
};
use std::sync::Arc;

/// Characters, by their entities: parameters, triggers, one-shots, joints, saves.
///
/// ```no_run
/// use bevy_ecs::prelude::*;
/// use bevy_lissom::{Character, Characters};
///
/// fn hurry(mut characters: Characters, heroes: Query<Entity, With<Character>>) -> Result {
///     for hero in &heroes {
///         let speed = characters.graph(hero)?.float("speed")?;
///         characters.set(hero, speed, 2.4)?;
///     }
///     Ok(())
/// }
/// ```
#[derive(SystemParam)]
pub struct Characters<'w, 's> {
    crowds: ResMut<'w, Crowds>,
    all: Query<'w, 's, &'static Character>,
}

/// Why a call of [`Characters`] did nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CharacterError {
    /// The entity does not play: it has no [`Plays`](crate::Plays), or its archive is not loaded, or it has a [`LissomError`](crate::LissomError).
    #[error("{entity} is no character that plays")]
    NotPlaying {
        /// Which one.
        entity: Entity,
    },
    /// It plays clips, and no graph.
    #[error("{entity} is not played by a graph")]
    NoGraph {
        /// Which one.
        entity: Entity,
    },
    /// The skeleton has no such joint.
    #[error("{entity} has no joint \"{joint}\"")]
    NoJoint {
        /// Which one.
        entity: Entity,
        /// The name of the joint.
        joint: String,
    },
    /// Something of the graph.
    #[error(transparent)]
    State(#[from] StateError),
    /// Something of the crowd.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
}

impl Characters<'_, '_> {
    fn find(&self, entity: Entity) -> Result<(&CrowdOf, Member), CharacterError> {
        let gone = CharacterError::NotPlaying { entity };
        let Ok(character) = self.all.get(entity) else { return Err(gone) };
        Ok((self.crowds.get(&character.key).ok_or(gone)?, character.member))
    }

    fn find_mut(&mut self, entity: Entity) -> Result<(&mut CrowdOf, Member), CharacterError> {
        let gone = CharacterError::NotPlaying { entity };
        let Ok(character) = self.all.get(entity) else { return Err(gone) };
        Ok((self.crowds.get_mut(&character.key).ok_or(gone)?, character.member))
    }

    /// The graph that plays a character: it gives typed keys by name.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`].
    pub fn graph(&self, entity: Entity) -> Result<&Arc<Graph>, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        crowd_of.graph_of(member).ok_or(CharacterError::NoGraph { entity })
    }

    /// Sets a parameter.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`]; those of [`Crowd::set`](lissom_motion::crowd::Crowd::set).
    pub fn set<K: Key>(&mut self, entity: Entity, key: K, value: K::Value) -> Result<(), CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.set(member, key, value)?)
    }

    /// Sets a trigger: the next transition that waits for it takes it.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::set`].
    pub fn trigger(&mut self, entity: Entity, key: TriggerKey) -> Result<(), CharacterError> {
        self.set(entity, key, true)
    }

    /// Plays a clip over a layer of its graph. The key is for [`Characters::stop_shot`].
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`]; a clip or a layer that the graph has not; a fade or a speed
    /// that makes no sense.
    pub fn play(
        &mut self,
        entity: Entity,
        clip: &str,
        layer: &str,
        how: OneShot,
    ) -> Result<ShotKey, CharacterError> {
        let graph = self.graph(entity)?;
        let (layer, clip) = (graph.layer(layer)?, graph.clip(clip)?);
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.play(member, layer, clip, how)?)
    }

    /// Goes to a state of a layer with the next update, whatever transitions say.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`]; a state or a layer that the graph has not; a fade or a start
    /// that makes no sense; inertia in a graph without it.
    pub fn go_to(
        &mut self,
        entity: Entity,
        state: &str,
        layer: &str,
        how: GoTo,
    ) -> Result<(), CharacterError> {
        let graph = self.graph(entity)?;
        let state = graph.state_key(graph.layer(layer)?, state)?;
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.go_to(member, state, how)?)
    }

    /// Lets the one-shots of a layer go.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::play`].
    pub fn stop(&mut self, entity: Entity, layer: &str) -> Result<(), CharacterError> {
        let layer = self.graph(entity)?.layer(layer)?;
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.stop(member, layer)?)
    }

    /// Gives a layer another mask of its graph; `None`: it moves the whole body.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`]; a layer or a mask that the graph has not.
    pub fn set_mask(
        &mut self,
        entity: Entity,
        layer: &str,
        mask: Option<&str>,
    ) -> Result<(), CharacterError> {
        let graph = self.graph(entity)?;
        let (layer, mask) = (graph.layer(layer)?, mask.map(|mask| graph.mask_key(mask)).transpose()?);
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.set_mask(member, layer, mask)?)
    }

    /// Lets one one-shot go. False if it is over, or was stopped before. [`GraphState::shot`] tells where it is.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`]; a character that plays clips.
    pub fn stop_shot(&mut self, entity: Entity, shot: ShotKey) -> Result<bool, CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.stop_shot(member, shot)?)
    }

    /// The state of its graph, to be read.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`]; a character that plays clips.
    pub fn state(&self, entity: Entity) -> Result<&GraphState, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.state(member)?)
    }

    /// All that decides what comes: its graph's state, and what its pose remembers of transitions by inertia.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::state`].
    pub fn save(&self, entity: Entity) -> Result<Save, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.save(member)?)
    }

    /// The same into a save that is there: without allocation if it is of the same graph.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::state`].
    pub fn save_to(&self, entity: Entity, save: &mut Save) -> Result<(), CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.save_to(member, save)?)
    }

    /// Puts a save back, without allocation: rollback.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::state`]; a save of another graph. Nothing has then changed.
    pub fn restore(&mut self, entity: Entity, save: &Save) -> Result<(), CharacterError> {
        let graph = self.graph(entity)?;
        if !save.state.fits(graph) {
            return Err(StateError::OtherGraph.into());
        }
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.restore_member(member, save)?)
    }

    /// Whether a character is posed; at first it is. Who is not keeps its time, its events and its way.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn set_seen(&mut self, entity: Entity, seen: bool) -> Result<(), CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.set_seen(&[member], seen)?)
    }

    /// A joint in the space of the character's entity.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoJoint`].
    pub fn joint(&self, entity: Entity, joint: &str) -> Result<bevy_math::Mat4, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        let none = || CharacterError::NoJoint { entity, joint: joint.to_owned() };
        let at = crowd_of.crowd.skeleton().find(joint).ok_or_else(none)?;
        let models = crowd_of.crowd.models(member)?.unwrap_or_default();
        models.get(at).map(|m| bevy_math::Mat4::from_cols_array(&m.to_cols_array())).ok_or_else(none)
    }

    /// All joints in the space of the character's entity, in the order of its skeleton, sixteen numbers each, column by column.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn joints(&self, entity: Entity) -> Result<&[math::Mat4], CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.models(member)?.unwrap_or_default())
    }
}
