//! `Characters`, the system parameter that steers and reads characters.

use crate::{
    clips::{PlayingClip, Solo, set_repeat},
    components::{Character, WeightedClip},
    crowds::{CrowdOf, Crowds},
    detail::Care,
    names::{self, NameError},
    panel,
    springs::Swing,
    steps::Steps,
    systems::joint_called,
};
use bevy_ecs::{prelude::*, system::SystemParam};
use lissom::{job::JobError, math, track::Repeat};
use lissom_motion::{
    Graph, GraphState, Save, StateError,
    crowd::{ClipsSave, CrowdError, Member, PlayedClip},
    graph::{SectionKey, TriggerKey},
    state::{GoTo, Key, OneShot, ShotKey, Value},
};
use std::sync::{Arc, PoisonError};

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

/// A character, saved: all that decides its next frames. Of a graph its state and what its pose remembers; of clips where each is, and
/// how a fade goes on. Plain values, to keep and to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterSave {
    pub(crate) kept: Kept,
    pub(crate) steps: Steps,
    pub(crate) clock_s: f64,
    pub(crate) swing: Option<Swing>,
    /// How often it is posed is part of the crowd's save, and must be known here, too.
    care: Care,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kept {
    Graph(Save),
    Clips(ClipsSave, Solo),
}

impl CharacterSave {
    /// Of a character that is posed with the next update.
    #[cfg(feature = "serde")]
    pub(crate) fn new(kept: Kept, steps: Steps, clock_s: f64, swing: Option<Swing>) -> Self {
        Self { kept, steps, clock_s, swing, care: Care::FULL }
    }

    /// That of a graph, which an [`Animator`](lissom_motion::Animator) can restore, too; `None`: it plays clips.
    #[must_use]
    pub fn graph(&self) -> Option<&Save> {
        match &self.kept {
            Kept::Graph(save) => Some(save),
            Kept::Clips(..) => None,
        }
    }
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
    /// A graph plays it: that decides about clips.
    #[error("{entity} is played by a graph, which decides about its clips")]
    NoClips {
        /// Which one.
        entity: Entity,
    },
    /// A number that makes no sense.
    #[error("{what} is {value}; it must be {allowed}")]
    Value {
        /// Of what.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it can be.
        allowed: &'static str,
    },
    /// Something of this name is not there, or is there twice.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The skeleton has no such joint, or two of the name.
    #[error("{entity}: {why}")]
    NoJoint {
        /// Which one.
        entity: Entity,
        /// Why.
        why: NameError,
    },
    /// Something of the graph.
    #[error(transparent)]
    State(#[from] StateError),
    /// Something of the crowd.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// Something of a pose.
    #[error(transparent)]
    Pose(#[from] JobError),
}

impl Characters<'_, '_> {
    #[cfg(feature = "dev")]
    pub(crate) fn crowd_of(&self, character: &Character) -> Option<&CrowdOf> {
        self.crowds.get(&character.key)
    }

    pub(crate) fn find(&self, entity: Entity) -> Result<(&CrowdOf, Member), CharacterError> {
        let gone = CharacterError::NotPlaying { entity };
        let Ok(character) = self.all.get(entity) else { return Err(gone) };
        Ok((self.crowds.get(&character.key).ok_or(gone)?, character.member))
    }

    pub(crate) fn find_mut(&mut self, entity: Entity) -> Result<(&mut CrowdOf, Member), CharacterError> {
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

    /// Sets a parameter by the last part of its name, whatever its kind; a trigger by `true`. Code that does so in every frame takes
    /// [`Characters::set`].
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`], [`CharacterError::Name`]; a value of another kind, or a number that is
    /// not finite.
    pub fn set_value(
        &mut self,
        entity: Entity,
        name: &str,
        value: impl Into<Value>,
    ) -> Result<(), CharacterError> {
        let graph = self.graph(entity)?;
        let name = names::parameter(graph, name)?.name().to_owned();
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.set_value(member, &name, value)?)
    }

    /// The value of a parameter, by the last part of its name.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`], [`CharacterError::Name`].
    pub fn value(&self, entity: Entity, name: &str) -> Result<Value, CharacterError> {
        let parameter = names::parameter(self.graph(entity)?, name)?;
        Ok(self.state(entity)?.value_of(parameter).ok_or(StateError::OtherGraph)?)
    }

    /// Sets a trigger: the next transition that waits for it takes it.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::set`].
    pub fn trigger(&mut self, entity: Entity, key: TriggerKey) -> Result<(), CharacterError> {
        self.set(entity, key, true)
    }

    /// Plays a montage or a clip over a layer of its graph. The key is for [`Characters::stop_shot`] and its like.
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
        let (layer, shot) = (names::layer(graph, layer)?, names::one_shot(graph, clip)?);
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.play(member, layer, shot, how)?)
    }

    /// Plays a one-shot at another speed from now on. False if it is over.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`]; a speed that is not above 0.
    pub fn set_shot_speed(
        &mut self,
        entity: Entity,
        shot: ShotKey,
        speed: f32,
    ) -> Result<bool, CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.set_shot_speed(member, shot, speed)?)
    }

    /// Lets a one-shot that plays a montage jump to a section of it. False if it is over.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoGraph`]; a section that its montage has not; a one-shot that plays a clip.
    pub fn jump_shot(
        &mut self,
        entity: Entity,
        shot: ShotKey,
        section: &str,
    ) -> Result<bool, CharacterError> {
        let Some(section) = self.section_of(entity, shot, section)? else { return Ok(false) };
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.jump_shot(member, shot, section)?)
    }

    /// Says what comes after the section of a montage that a one-shot plays now; `None`: it ends there. False if it is over.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::jump_shot`].
    pub fn set_next_section(
        &mut self,
        entity: Entity,
        shot: ShotKey,
        next: Option<&str>,
    ) -> Result<bool, CharacterError> {
        let next = match next {
            None => None,
            Some(name) => match self.section_of(entity, shot, name)? {
                None => return Ok(false),
                section => section,
            },
        };
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.set_next_section(member, shot, next)?)
    }

    /// A section of the montage that a one-shot plays; `None` if it is over.
    fn section_of(
        &self,
        entity: Entity,
        shot: ShotKey,
        name: &str,
    ) -> Result<Option<SectionKey>, CharacterError> {
        let graph = self.graph(entity)?;
        let (crowd_of, member) = self.find(entity)?;
        let Some(playing) = crowd_of.crowd.state(member)?.shot(graph, shot) else { return Ok(None) };
        let montage = playing.montage().ok_or(StateError::OtherSection)?;
        Ok(Some(graph.section(montage, name)?))
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
        let state = names::state(self.graph(entity)?, layer, state)?;
        let (crowd_of, member) = self.find_mut(entity)?;
        Ok(crowd_of.crowd.go_to(member, state, how)?)
    }

    /// Lets the one-shots of a layer go.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::play`].
    pub fn stop(&mut self, entity: Entity, layer: &str) -> Result<(), CharacterError> {
        let layer = names::layer(self.graph(entity)?, layer)?;
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
        let layer = names::layer(graph, layer)?;
        let mask = mask.map(|mask| names::mask(graph, mask)).transpose()?;
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

    /// Fades to a clip, without a graph: `characters.fade_to(hero, "Run", 0.3)`. The last part of its name is enough, without case. If that
    /// clip leads already, it takes the speed and the repeat, and goes on; [`Characters::seek`] starts it anew. A
    /// [`WeightedClip`] tells more: `WeightedClip::new("Jump", 1.0).once()`.
    ///
    /// Up to four clips are seen at once; if a fifth comes, the lightest goes.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoClips`], [`CharacterError::Name`]; a fade or a speed that makes no sense.
    pub fn fade_to(
        &mut self,
        entity: Entity,
        clip: impl Into<WeightedClip>,
        fade_s: f32,
    ) -> Result<(), CharacterError> {
        let to = clip.into();
        self.with_clips(entity, |solo, crowd_of, member| solo.fade_to(crowd_of, member, &to, fade_s))
    }

    /// The clip that leads, of a character without a graph: its time, speed, weight, and whether it is finished.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoClips`].
    pub fn clip(&self, entity: Entity) -> Result<PlayingClip, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        let solo = crowd_of.own.get(member.index()).and_then(|own| own.solo);
        solo.and_then(|solo| solo.playing(crowd_of, member)).ok_or(CharacterError::NoClips { entity })
    }

    /// Sets the time of the leading clip, in seconds from its start. What lies between is not played: no marker is told.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::clip`]; a time that is not finite.
    pub fn seek(&mut self, entity: Entity, time_s: f64) -> Result<(), CharacterError> {
        if !time_s.is_finite() {
            return Err(CharacterError::Value {
                what: "the time",
                value: time_s,
                allowed: "a finite number",
            });
        }
        self.change_clip(entity, |clip, duration_s| {
            clip.laps = if duration_s > 0.0 { time_s / duration_s } else { 0.0 };
        })?;
        // Whatever it was in, it may be elsewhere now.
        if let Ok(character) = self.all.get(entity) {
            self.crowds.break_off(character);
        }
        Ok(())
    }

    /// Sets the speed of the leading clip: 1 as it was made, negative backward. [`PlaybackSpeed`](crate::PlaybackSpeed) is that of the
    /// whole character.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::clip`]; a speed that is not finite.
    pub fn set_speed(&mut self, entity: Entity, speed: f32) -> Result<(), CharacterError> {
        self.change_clip(entity, |clip, _| clip.speed = speed)
    }

    /// Sets what happens at the ends of the leading clip. One that is to play once ends with the lap that it is in.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::clip`].
    pub fn set_repeat(&mut self, entity: Entity, repeat: Repeat) -> Result<(), CharacterError> {
        self.change_clip(entity, |clip, _| set_repeat(clip, repeat))
    }

    fn change_clip(
        &mut self,
        entity: Entity,
        change: impl FnOnce(&mut PlayedClip, f64),
    ) -> Result<(), CharacterError> {
        self.with_clips(entity, |solo, crowd_of, member| solo.change(crowd_of, member, change))
    }

    fn with_clips(
        &mut self,
        entity: Entity,
        change: impl FnOnce(&mut Solo, &mut CrowdOf, Member) -> Result<(), CharacterError>,
    ) -> Result<(), CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        let done = crowd_of.with_clips(member, |solo, crowd_of| change(solo, crowd_of, member));
        done.unwrap_or(Err(CharacterError::NoClips { entity }))
    }

    /// All that decides what comes: its graph's state and what its pose remembers of transitions by inertia, or its clips and their fade.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn save(&self, entity: Entity) -> Result<CharacterSave, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        let own = &crowd_of.own[member.index()];
        let kept = match own.solo {
            None => Kept::Graph(crowd_of.crowd.save(member)?),
            Some(solo) => Kept::Clips(crowd_of.crowd.save_clips(member)?, solo),
        };
        let swing = Swing::of(&crowd_of.hands.swings, member.index());
        Ok(CharacterSave { kept, steps: own.steps.clone(), clock_s: own.clock_s, swing, care: own.care })
    }

    /// The same into a save that is there: without allocation if it is of the same graph.
    ///
    /// # Errors
    ///
    /// Those of [`Characters::save`].
    pub fn save_to(&self, entity: Entity, save: &mut CharacterSave) -> Result<(), CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        let own = &crowd_of.own[member.index()];
        match (&mut save.kept, own.solo) {
            (Kept::Graph(save), None) => crowd_of.crowd.save_to(member, save)?,
            (Kept::Clips(save, kept), Some(solo)) => {
                crowd_of.crowd.save_clips_to(member, save)?;
                *kept = solo;
            }
            _ => *save = self.save(entity)?,
        }
        save.steps.clone_from(&own.steps);
        (save.clock_s, save.care) = (own.clock_s, own.care);
        Swing::save_to(&crowd_of.hands.swings, member.index(), &mut save.swing);
        Ok(())
    }

    /// Puts a save back, without allocation: rollback.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`]; a save of another graph or skeleton, or of clips where this is played by a graph. Nothing has then
    /// changed.
    pub fn restore(&mut self, entity: Entity, save: &CharacterSave) -> Result<(), CharacterError> {
        let (crowd_of, member) = self.find_mut(entity)?;
        match &save.kept {
            Kept::Graph(save) => {
                let graph = crowd_of.graph_of(member);
                if !graph.is_some_and(|graph| save.state.fits(graph)) {
                    return Err(StateError::OtherGraph.into());
                }
                crowd_of.crowd.restore_member(member, save)?;
            }
            Kept::Clips(save, solo) => {
                crowd_of.crowd.restore_clips(member, save)?;
                crowd_of.own[member.index()].solo = Some(*solo);
            }
        }
        let own = &mut crowd_of.own[member.index()];
        own.steps.clone_from(&save.steps);
        own.clock_s = save.clock_s;
        own.care.restore(save.care);
        if let Some(Some(swing)) = crowd_of.hands.swings.get_mut(member.index()) {
            swing.get_mut().unwrap_or_else(PoisonError::into_inner).go_on(save.swing.as_ref());
        }
        Ok(())
    }

    /// What a character does and decides, line by line, for people: its states, clips, parameters, and why each transition that could start
    /// does not. The text is not made for programs to read, and may change.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn described(&self, entity: Entity) -> Result<Vec<String>, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(panel::lines(crowd_of, member))
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

    /// A joint in the space of the character's entity. The last part of its name is enough, without case.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`], [`CharacterError::NoJoint`].
    pub fn joint(&self, entity: Entity, joint: &str) -> Result<bevy_math::Mat4, CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        let at = joint_called(crowd_of.crowd.skeleton(), joint)
            .map_err(|why| CharacterError::NoJoint { entity, why })?;
        let model = crowd_of.model(member, at).ok_or(CharacterError::NotPlaying { entity })?;
        Ok(bevy_math::Mat4::from_cols_array(&model.to_cols_array()))
    }

    /// All joints in the space of the character's entity, in the order of its skeleton, sixteen numbers each, column by column. Those that a
    /// level of detail leaves out are where they were last; [`Characters::joint`] has them where they are.
    ///
    /// # Errors
    ///
    /// [`CharacterError::NotPlaying`].
    pub fn joints(&self, entity: Entity) -> Result<&[math::Mat4], CharacterError> {
        let (crowd_of, member) = self.find(entity)?;
        Ok(crowd_of.crowd.models(member)?.unwrap_or_default())
    }
}
