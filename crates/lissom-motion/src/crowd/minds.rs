//! What members are told: parameters, triggers, one-shots, parts; and what decides for them, saved and put back.

use super::{Crowd, CrowdError, Member, Part, error::same_length, members::Mind, part::Parts};
use crate::{
    ClipKey, Graph, GraphState, Key, LayerKey, OneShot, PoseMemory, StateError, TriggerKey, memory::Room,
};
use alloc::sync::Arc;

impl Crowd {
    /// Sets a parameter of a member's graph.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::set`]; a member without a graph.
    pub fn set<K: Key>(&mut self, member: Member, key: K, value: K::Value) -> Result<(), CrowdError> {
        Ok(self.graph_state(member)?.1.set(key, value)?)
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

    /// Plays a clip over a layer of a member's graph; see [`GraphState::play`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::play`]; a member without a graph.
    pub fn play(
        &mut self,
        member: Member,
        layer: LayerKey,
        clip: ClipKey,
        how: OneShot,
    ) -> Result<(), CrowdError> {
        let (graph, state) = self.graph_state(member)?;
        Ok(state.play(&graph, layer, clip, how)?)
    }

    /// Lets the one-shots of a member's layer go.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`GraphState::stop`]; a member without a graph.
    pub fn stop(&mut self, member: Member, layer: LayerKey) -> Result<(), CrowdError> {
        Ok(self.graph_state(member)?.1.stop(layer)?)
    }

    /// The state of a member's graph: a clone is a save.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn state(&self, member: Member) -> Result<&GraphState, CrowdError> {
        match &self.members.minds[self.members.find(member)?] {
            Mind::Graph { state, .. } => Ok(state),
            Mind::Parts(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
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
            Mind::Parts(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }

    /// Puts that back; without allocation where there is room ([`Crowd::reserve_memory`]).
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
        memory.clone_from_into_room(saved, &mut self.members.spares);
        self.members.cares[at].refresh();
        Ok(())
    }

    /// Room for what the poses of so many members remember at once. Without it room is made when a transition by inertia first needs it;
    /// either way it is kept, for whoever needs it next.
    pub fn reserve_memory(&mut self, members: usize) {
        let memories = self.members.minds.iter().filter_map(|mind| match mind {
            Mind::Graph { memory, .. } => Some(memory),
            Mind::Parts(_) => None,
        });
        let has = memories.filter(|memory| memory.memory_bytes() > 0).count() + self.members.spares.len();
        let groups = self.body.skeleton().group_count();
        self.members.spares.extend((has..members).map(|_| Room::with_capacity(groups)));
    }

    /// The parts that a member plays, as they are now.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member that a graph plays.
    pub fn parts(&self, member: Member) -> Result<impl Iterator<Item = Part>, CrowdError> {
        match &self.members.minds[self.members.find(member)?] {
            Mind::Parts(parts) => Ok(parts.iter()),
            Mind::Graph { .. } => Err(CrowdError::OtherMind { member, expected: "parts" }),
        }
    }

    /// Gives a member other parts: other weights, other clips, or the same elsewhere.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; those of [`Crowd::add`]; a member that a graph plays.
    pub fn set_parts(&mut self, member: Member, parts: &[Part]) -> Result<(), CrowdError> {
        let at = self.members.find(member)?;
        let Mind::Parts(own) = &mut self.members.minds[at] else {
            return Err(CrowdError::OtherMind { member, expected: "parts" });
        };
        *own = Parts::new(parts, own.is_in_step(), &self.clips.graph)?;
        self.members.cares[at].refresh();
        Ok(())
    }

    fn graph_state(&mut self, member: Member) -> Result<(Arc<Graph>, &mut GraphState), CrowdError> {
        let at = self.members.find(member)?;
        match &mut self.members.minds[at] {
            Mind::Graph { graph, state, .. } => Ok((self.casts[usize::from(*graph)].graph.clone(), state)),
            Mind::Parts(_) => Err(CrowdError::OtherMind { member, expected: "a graph" }),
        }
    }
}
