//! What else [`Characters`] tells and keeps: markers that last, one-shots, poses by name, recordings, decisions.

use crate::{
    character::{CharacterError, Characters},
    names,
};
use bevy_ecs::prelude::*;
use lissom::{job::ModelToLocalJob, math::soa::SoaTransform};
use lissom_motion::{
    decide::Decisions,
    frame::ActiveMarker,
    recording::Recording,
    state::{PlayingShot, ShotKey},
};

impl Characters<'_, '_> {
    /// True if a character is in a marker of this name that lasts: a window in which a sword cuts. [`MarkerBegan`](crate::MarkerBegan) and
    /// [`MarkerEnded`](crate::MarkerEnded) tell the same as it comes and goes, of clips without a graph too.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`]; a character that plays clips.
    pub fn is_in(&self, entity: Entity, marker: &str) -> Result<bool, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.is_in(member, marker)?)
    }

    /// The markers that last which a character is in.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::is_in`].
    pub fn active_markers(
        &self,
        entity: Entity,
    ) -> Result<impl Iterator<Item = ActiveMarker<'_>>, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.active_markers(member)?)
    }

    /// A one-shot that was started with [`Characters::play`]: where it is, or whether it waits. `None`: it is over.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`].
    pub fn shot(&self, entity: Entity, shot: ShotKey) -> Result<Option<PlayingShot>, CharacterError> {
        Ok(self.state(entity)?.shot(self.graph(entity)?, shot))
    }

    /// Keeps the pose that a character shows by a name of its graph's `poses`, with all that IK, a ragdoll or the game did to it.
    ///
    /// ```no_run
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_lissom::{Characters, GoTo, Ragdoll};
    /// fn get_up(mut commands: Commands, mut characters: Characters, limp: Query<Entity, With<Ragdoll>>) -> Result {
    ///     for hero in &limp {
    ///         characters.keep_pose(hero, "fallen")?;
    ///         commands.entity(hero).remove::<Ragdoll>();
    ///         characters.go_to(hero, "get_up", "body", GoTo::default())?;
    ///         characters.blend_from(hero, "fallen", 0.5)?;
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`], [`CharacterError::Name`]; matrices that are not finite.
    pub fn keep_pose(&mut self, entity: Entity, name: &str) -> Result<(), CharacterError> {
        let key = names::pose(self.graph(entity)?, name)?;
        let (crowd_of, member) = self.find_mut(entity)?;
        let skeleton = crowd_of.crowd.skeleton().clone();
        let mut locals = skeleton.rest_pose().to_vec();
        let models: Vec<_> =
            (0..skeleton.joint_count()).filter_map(|joint| crowd_of.model(member, joint)).collect();
        ModelToLocalJob::new(&skeleton, &models, &mut locals).run()?;
        Ok(crowd_of.crowd.keep_pose(member, key, &locals)?)
    }

    /// A pose that was kept, in groups of joints; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`], [`CharacterError::Name`].
    pub fn kept_pose(&self, entity: Entity, name: &str) -> Result<Option<&[SoaTransform]>, CharacterError> {
        let key = names::pose(self.graph(entity)?, name)?;
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.memory(member)?.kept(key))
    }

    /// Goes on from a pose that was kept: the next update shows it, standing still, and from there the motion of the graph takes over in
    /// this number of seconds.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`], [`CharacterError::Name`]; a pose that was not kept; a time that makes no
    /// sense.
    pub fn blend_from(&mut self, entity: Entity, name: &str, fade_s: f32) -> Result<(), CharacterError> {
        let key = names::pose(self.graph(entity)?, name)?;
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.blend_from(member, key, fade_s)?)
    }

    /// Records what is done to a character from now on: a bug that can be sent. `lissom replay` plays it again. A recording grows with every
    /// update.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`]; a character that plays clips.
    pub fn record(&mut self, entity: Entity) -> Result<(), CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.record(member)?)
    }

    /// What has been recorded of a character so far; `None` if it is not recorded.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn recording(&self, entity: Entity) -> Result<Option<&Recording>, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.recording(member))
    }

    /// Ends the recording of a character, and returns it; `None` if it is not recorded. [`Recording::to_bytes`] makes a file of it.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn stop_recording(&mut self, entity: Entity) -> Result<Option<Recording>, CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.stop_recording(member))
    }

    /// Remembers the last decisions of a character from now on, at most this many: [`Characters::described`] then tells them.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`]; a character that plays clips.
    pub fn remember_decisions(&mut self, entity: Entity, most: usize) -> Result<(), CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.remember_decisions(member, most)?)
    }

    /// The last decisions of a character; [`Graph::decision`](crate::Graph::decision) says one in words. `None` if they are not remembered.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn decisions(&self, entity: Entity) -> Result<Option<&Decisions>, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.decisions(member))
    }
}
