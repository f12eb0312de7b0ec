//! What members are told: parameters, triggers, one-shots, clips; and what decides for them, saved and put back.

use super::{
    Crowd, CrowdError, Member, PlayedClip, error::same_length, members::Mind, played_clip::PlayedClips,
};
use crate::{
    Graph, GraphState, PoseMemory, StateError,
    decide::Decisions,
    frame::ActiveMarker,
    graph::{LayerKey, MaskKey, PoseKey, SectionKey, ShotOf, StateKey, TriggerKey},
    memory::InertiaBuffer,
    state::{GoTo, Key, OneShot, ShotKey, TrajectoryPoint, Value},
};
use alloc::sync::Arc;
use lissom::math::soa::SoaTransform;

impl Crowd {
    /// Sets a parameter of a member's graph.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::set`]; a member without a graph.
    pub fn set<K: Key>(&mut self, member: Member, key: K, value: K::Value) -> Result<(), CrowdError> {
        Ok(self.graph_state(member)?.1.set(key, value)?)
    }

    /// Sets a parameter of a member's graph by its name, for programs that do not know its kind beforehand.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; [`StateError::Unknown`]; those of [`GraphState::set_value`]; a member without a graph.
    pub fn set_value(
        &mut self,
        member: Member,
        name: &str,
        value: impl Into<Value>,
    ) -> Result<(), CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        let parameter = graph.parameter(name).ok_or_else(|| StateError::unknown("parameter", name))?;
        Ok(state.set_value(parameter, value)?)
    }

    /// Sets a parameter of several, each to a value of its own.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::set`]; other numbers of members and values. Nothing has then been set.
    pub fn set_each<K: Key>(
        &mut self,
        members: &[Member],
        key: K,
        values: &[K::Value],
    ) -> Result<(), CrowdError>
    where
        K::Value: Copy,
    {
        same_length("values", values.len(), members.len())?;
        // Each is tried first, and put back.
        for (member, value) in members.iter().zip(values) {
            let state = self.graph_state(*member)?.1;
            let old = state.get(key).ok_or(StateError::OtherGraph)?;
            state.set(key, *value)?;
            state.set(key, old)?;
        }
        for (member, value) in members.iter().zip(values) {
            self.set(*member, key, *value)?;
        }
        Ok(())
    }

    /// Sets a trigger of several.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::set`]. Nothing has then been set.
    pub fn trigger_each(&mut self, members: &[Member], key: TriggerKey) -> Result<(), CrowdError> {
        for member in members {
            self.graph_state(*member)?.1.get(key).ok_or(StateError::OtherGraph)?;
        }
        members.iter().try_for_each(|member| self.set(*member, key, true))
    }

    /// Plays a clip or a montage over a layer of a member's graph; see [`GraphState::play`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::play`]; a member without a graph.
    pub fn play(
        &mut self,
        member: Member,
        layer: LayerKey,
        shot: impl Into<ShotOf>,
        how: OneShot,
    ) -> Result<ShotKey, CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        Ok(state.play(&graph, layer, shot, how)?)
    }

    /// Plays a one-shot of a member at another speed from now on. False if it is over.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::set_shot_speed`]; a member without a graph.
    pub fn set_shot_speed(&mut self, member: Member, shot: ShotKey, speed: f32) -> Result<bool, CrowdError> {
        Ok(self.graph_state(member)?.1.set_shot_speed(shot, speed)?)
    }

    /// Lets a one-shot of a member jump to a section of its montage; see [`GraphState::jump_shot`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::jump_shot`]; a member without a graph.
    pub fn jump_shot(
        &mut self,
        member: Member,
        shot: ShotKey,
        section: SectionKey,
    ) -> Result<bool, CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        Ok(state.jump_shot(&graph, shot, section)?)
    }

    /// Says what comes after the section that a one-shot of a member plays; see [`GraphState::set_next_section`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::set_next_section`]; a member without a graph.
    pub fn set_next_section(
        &mut self,
        member: Member,
        shot: ShotKey,
        next: Option<SectionKey>,
    ) -> Result<bool, CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        Ok(state.set_next_section(&graph, shot, next)?)
    }

    /// Sends a member to a state with the next update.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::go_to`]; a member without a graph.
    pub fn go_to(&mut self, member: Member, state: StateKey, how: GoTo) -> Result<(), CrowdError> {
        let (graph, own) = self.graph_state(member)?;
        Ok(own.go_to(&graph, state, how)?)
    }

    /// Says where a member is to go, point by point: see [`GraphState::set_trajectory`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::set_trajectory`]; a member without a graph.
    pub fn set_trajectory(
        &mut self,
        member: Member,
        state: StateKey,
        points: &[TrajectoryPoint],
    ) -> Result<(), CrowdError> {
        let (graph, own) = self.graph_state(member)?;
        Ok(own.set_trajectory(&graph, state, points)?)
    }

    /// Makes a member search in the next update, or at its next turn, in a state that is played by motion matching: see
    /// [`GraphState::search_now`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::search_now`]; a member without a graph.
    pub fn search_now(&mut self, member: Member, state: StateKey) -> Result<(), CrowdError> {
        let (graph, own) = self.graph_state(member)?;
        Ok(own.search_now(&graph, state)?)
    }

    /// Gives a layer of a member another mask of its graph; `None`: it moves the whole body.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; [`StateError::OtherGraph`]; a member without a graph.
    pub fn set_mask(
        &mut self,
        member: Member,
        layer: LayerKey,
        mask: Option<MaskKey>,
    ) -> Result<(), CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        Ok(state.set_mask(&graph, layer, mask)?)
    }

    /// Lets the one-shots of a member's layer go.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::stop`]; a member without a graph.
    pub fn stop(&mut self, member: Member, layer: LayerKey) -> Result<(), CrowdError> {
        Ok(self.graph_state(member)?.1.stop(layer)?)
    }

    /// Lets one one-shot of a member go. False if it is over, or was stopped before. [`GraphState::shot`] tells where it is.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn stop_shot(&mut self, member: Member, shot: ShotKey) -> Result<bool, CrowdError> {
        Ok(self.graph_state(member)?.1.stop_shot(shot))
    }

    /// The graph that decides for a member; `None` for one that plays clips, or that is not in the crowd.
    #[must_use]
    pub fn graph(&self, member: Member) -> Option<&Arc<Graph>> {
        match self.members.minds[self.members.find(member).ok()?] {
            Mind::Graph { graph, .. } => self.casts.get(usize::from(graph)).map(|cast| &cast.graph),
            Mind::Clips(_) => None,
        }
    }

    /// The state of a member's graph: a clone is a save.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn state(&self, member: Member) -> Result<&GraphState, CrowdError> {
        match &self.members.minds[self.members.find(member)?] {
            Mind::Graph { state, .. } => Ok(state),
            Mind::Clips(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }

    /// The markers that last which a member is in now: begun in [`Crowd::events`], and not ended. Clips are numbered as in its graph.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn active_markers(
        &self,
        member: Member,
    ) -> Result<impl Iterator<Item = ActiveMarker<'_>>, CrowdError> {
        let Mind::Graph { graph, state, .. } = &self.members.minds[self.members.find(member)?] else {
            return Err(CrowdError::OtherMind { member, expected: "a graph" });
        };
        let cast = &self.casts[usize::from(*graph)];
        Ok(state.active_markers(&cast.graph, |clip| self.body.markers(*cast.clips.get(clip)?)))
    }

    /// True if a member is in a marker of this name that lasts.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::active_markers`].
    pub fn is_in(&self, member: Member, marker: &str) -> Result<bool, CrowdError> {
        Ok(self.active_markers(member)?.any(|active| active.marker.name == marker))
    }

    /// Puts a save back; without allocation. What is seen follows with the next update, which may be one of 0.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; [`StateError::OtherGraph`]; a member without a graph.
    pub fn set_state(&mut self, member: Member, saved: &GraphState) -> Result<(), CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        if !saved.fits(&graph) {
            return Err(StateError::OtherGraph.into());
        }
        state.clone_from(saved);
        self.members.cares[member.index()].refresh();
        Ok(())
    }

    /// What a member's pose remembers of transitions by inertia: saved and put back along with its state.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn memory(&self, member: Member) -> Result<&PoseMemory, CrowdError> {
        match &self.members.minds[self.members.find(member)?] {
            Mind::Graph { memory, .. } => Ok(memory),
            Mind::Clips(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }

    /// Puts that back; without allocation if there is a spare buffer ([`Crowd::reserve_memory`]).
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; [`StateError::OtherGraph`]; a member without a graph.
    pub fn set_memory(&mut self, member: Member, saved: &PoseMemory) -> Result<(), CrowdError> {
        let at = self.members.find(member)?;
        let Mind::Graph { graph, memory, .. } = &mut self.members.minds[at] else {
            return Err(CrowdError::OtherMind { member, expected: "a graph" });
        };
        if !saved.fits(&self.casts[usize::from(*graph)].graph, self.body.skeleton()) {
            return Err(StateError::OtherGraph.into());
        }
        memory.clone_from_into_buffer(saved, &mut self.members.spares);
        self.members.cares[at].refresh();
        self.mixes.spoil(at);
        Ok(())
    }

    /// Keeps a pose of a member by a name of its graph's [`poses`](crate::GraphParts::poses). A member has no local pose between two
    /// updates: take it from [`Pose::locals`](lissom::pose::Pose::locals) in [`Crowd::update_with`], or from a ragdoll.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph; those of [`PoseMemory::keep`].
    pub fn keep_pose(
        &mut self,
        member: Member,
        key: PoseKey,
        pose: &[SoaTransform],
    ) -> Result<(), CrowdError> {
        Ok(self.memory_mut(member)?.keep(key, pose)?)
    }

    /// A member goes on from a pose that was kept ([`Crowd::memory`] has it): the next update shows it, standing still, and from there
    /// the motion of the graph takes over in `fade_s` seconds. An [`Animator`](crate::Animator) shows the same.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph; those of [`PoseMemory::blend_from`].
    pub fn blend_from(&mut self, member: Member, key: PoseKey, fade_s: f32) -> Result<(), CrowdError> {
        Ok(self.memory_mut(member)?.blend_from(key, fade_s)?)
    }

    fn memory_mut(&mut self, member: Member) -> Result<&mut PoseMemory, CrowdError> {
        let at = self.members.find(member)?;
        match &mut self.members.minds[at] {
            Mind::Graph { memory, .. } => Ok(memory),
            Mind::Clips(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }

    /// Allocates buffers for the pose memories of this many members at once. Without this call a buffer is allocated when a transition
    /// by inertia first needs it. Either way the crowd keeps the buffer and uses it again.
    pub fn reserve_memory(&mut self, members: usize) {
        let memories = self.members.minds.iter().filter_map(|mind| match mind {
            Mind::Graph { memory, .. } => Some(memory),
            Mind::Clips(_) => None,
        });
        let has = memories.filter(|memory| memory.has_buffer()).count() + self.members.spares.len();
        let groups = self.body.skeleton().group_count();
        self.members.spares.extend((has..members).map(|_| InertiaBuffer::with_capacity(groups)));
    }

    /// Remembers the last decisions of a member from now on, at most this many: as
    /// [`Animator::remember_decisions`](crate::Animator::remember_decisions).
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn remember_decisions(&mut self, member: Member, most: usize) -> Result<(), CrowdError> {
        self.state(member)?;
        self.decisions.resize_with(self.members.slots(), || None);
        self.decisions[member.index()] = Some((member, Decisions::new(most)));
        Ok(())
    }

    /// The last decisions of a member; `None` if they are not remembered.
    #[must_use]
    pub fn decisions(&self, member: Member) -> Option<&Decisions> {
        let (of, decisions) = self.decisions.get(member.index())?.as_ref()?;
        (*of == member).then_some(decisions)
    }

    /// The clips that a member plays by itself, as they are now.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member that a graph plays.
    pub fn played_clips(&self, member: Member) -> Result<impl Iterator<Item = PlayedClip>, CrowdError> {
        Ok(self.clips_of(member)?.iter())
    }

    /// Gives a member other clips: other weights, other clips, or the same elsewhere.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`Crowd::add`]; a member that a graph plays.
    pub fn set_played_clips(&mut self, member: Member, clips: &[PlayedClip]) -> Result<(), CrowdError> {
        let at = self.members.find(member)?;
        let Mind::Clips(own) = &mut self.members.minds[at] else {
            return Err(CrowdError::OtherMind { member, expected: "clips of its own" });
        };
        *own = PlayedClips::new(clips, own.is_in_step(), &self.clips.graph)?;
        self.members.cares[at].refresh();
        Ok(())
    }

    fn graph_state(&mut self, member: Member) -> Result<(Arc<Graph>, &mut GraphState), CrowdError> {
        let at = self.members.find(member)?;
        match &mut self.members.minds[at] {
            Mind::Graph { graph, state, .. } => Ok((self.casts[usize::from(*graph)].graph.clone(), state)),
            Mind::Clips(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }
}
