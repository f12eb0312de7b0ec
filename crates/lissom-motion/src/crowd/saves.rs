//! One member, saved and restored.

use super::{
    Crowd, CrowdError, Member,
    members::Mind,
    played_clip::{PlayedClip, PlayedClips},
};
use crate::{Save, StateError, save::Held};
use core::ops::Range;

/// A member that plays clips by itself, saved: its clips, where each is to the bit, the rate, and at a rate above 1 what is shown until
/// the next pose.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipsSave {
    clips: PlayedClips,
    held: Held,
}

impl ClipsSave {
    /// The clips. Where they are is rounded here after many laps; [`Crowd::restore_clips`] is exact.
    pub fn clips(&self) -> impl Iterator<Item = PlayedClip> {
        self.clips.iter()
    }

    /// The same for a crowd that has these clips under other numbers; `None` if it lacks one. What is held of a pose is dropped: it may be
    /// of another skeleton.
    #[must_use]
    pub fn renumbered(&self, number: impl Fn(u16) -> Option<u16>) -> Option<Self> {
        let held = Held { turn: self.held.turn, ..Held::NOTHING };
        Some(Self { clips: self.clips.renumbered(number)?, held })
    }
}

impl Crowd {
    /// All that decides the next frames of a member that plays clips by itself; its place is not part of it.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member that a graph plays.
    pub fn save_clips(&self, member: Member) -> Result<ClipsSave, CrowdError> {
        let mut save = ClipsSave { clips: *self.clips_of(member)?, held: Held::NOTHING };
        self.hold(member.index(), &mut save.held);
        Ok(save)
    }

    /// The same into an existing save: without allocation if it was of a rate above 1 where this is.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::save_clips`].
    pub fn save_clips_to(&self, member: Member, save: &mut ClipsSave) -> Result<(), CrowdError> {
        save.clips = *self.clips_of(member)?;
        self.hold(member.index(), &mut save.held);
        Ok(())
    }

    /// Restores a member, without allocation. What is shown follows with the next update, which may be one of 0.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member that a graph plays; clips that this crowd has not; [`StateError::OtherGraph`] for a save of another
    /// skeleton. Nothing has then changed.
    pub fn restore_clips(&mut self, member: Member, save: &ClipsSave) -> Result<(), CrowdError> {
        self.clips_of(member)?;
        let (clips, skeleton) = (self.clips.graph.clips().len(), self.body.skeleton());
        if let Some(found) = save.clips.numbers().map(usize::from).find(|clip| *clip >= clips) {
            return Err(CrowdError::NoSuchClip { found, clips });
        }
        if !save.held.fits(skeleton.joint_count(), skeleton.group_count()) {
            return Err(StateError::OtherGraph.into());
        }
        let at = member.index();
        self.members.minds[at] = Mind::Clips(save.clips);
        self.restore_held(at, &save.held);
        Ok(())
    }

    pub(super) fn clips_of(&self, member: Member) -> Result<&PlayedClips, CrowdError> {
        match &self.members.minds[self.members.find(member)?] {
            Mind::Clips(clips) => Ok(clips),
            Mind::Graph { .. } => Err(CrowdError::OtherMind { member, expected: "clips of its own" }),
        }
    }

    /// All that decides the next frames of a member, the rate included; its place is not part of it. An
    /// [`Animator`](crate::Animator) of the same graph and skeleton may be restored to it. A member keeps no local pose: at a rate
    /// above 1 such an animator shows the member's matrices at once, and has its local pose with the next turn.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn save(&self, member: Member) -> Result<Save, CrowdError> {
        let mut save = Save::new(self.state(member)?.clone(), self.memory(member)?.clone());
        self.hold(member.index(), &mut save.held);
        Ok(save)
    }

    /// The same into an existing save: without allocation if it is of the same graph and was of a rate above 1 where this is.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::save`].
    pub fn save_to(&self, member: Member, save: &mut Save) -> Result<(), CrowdError> {
        let state = self.state(member)?;
        save.memory.clone_from(self.memory(member)?);
        save.state.clone_from(state);
        self.hold(member.index(), &mut save.held);
        Ok(())
    }

    /// Restores a member; without allocation if there is a spare buffer ([`Crowd::reserve_memory`]). What is shown follows with the
    /// next update, which may be one of 0.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; [`StateError::OtherGraph`], for a save of another skeleton too; a member without a graph. Nothing has
    /// then changed.
    pub fn restore_member(&mut self, member: Member, save: &Save) -> Result<(), CrowdError> {
        let at = self.members.find(member)?;
        let Mind::Graph { graph, state, memory } = &mut self.members.minds[at] else {
            return Err(CrowdError::OtherMind { member, expected: "a graph" });
        };
        let (graph, skeleton) = (&self.casts[usize::from(*graph)].graph, self.body.skeleton());
        let fits = save.held.fits(skeleton.joint_count(), skeleton.group_count());
        if !(fits && save.state.fits(graph) && save.memory.fits(graph, skeleton)) {
            return Err(StateError::OtherGraph.into());
        }
        state.clone_from(&save.state);
        memory.clone_from_into_buffer(&save.memory, &mut self.members.spares);
        self.restore_held(at, &save.held);
        Ok(())
    }

    /// At a rate above 1 what a member shows until it is posed next, where it is written.
    fn hold(&self, at: usize, held: &mut Held) {
        let turn = self.members.cares[at].turn;
        held.begin(turn);
        if turn.holds() {
            held.models.extend_from_slice(self.models.get(self.joints_of(at)).unwrap_or_default());
            held.target.extend_from_slice(self.targets.get(self.joints_of(at)).unwrap_or_default());
            held.morphs.extend_from_slice(self.morphs.get(self.morphs_of(at)).unwrap_or_default());
        }
    }

    fn restore_held(&mut self, at: usize, held: &Held) {
        let (joints, morphs) = (self.joints_of(at), self.morphs_of(at));
        self.mixes.spoil(at);
        let care = &mut self.members.cares[at];
        care.turn = held.turn;
        // Palettes of poses that are held are written again.
        self.restored = true;
        let shown = self.models.get_mut(joints.clone()).filter(|_| !held.models.is_empty());
        if let Some(shown) = shown {
            shown.copy_from_slice(&held.models);
        } else if held.turn.holds() {
            // There is no pose to hold: the next update makes one.
            care.turn.arrive();
            care.turn.refresh();
            return;
        } else {
            care.refresh();
            return;
        }
        match self.targets.get_mut(joints).filter(|_| !held.target.is_empty()) {
            Some(target) => target.copy_from_slice(&held.target),
            None => care.turn.arrive(),
        }
        if let Some(weights) = self.morphs.get_mut(morphs) {
            weights.iter_mut().zip(&held.morphs).for_each(|(weight, held)| *weight = *held);
        }
    }

    /// The rows of a slot among matrices and palettes.
    pub(super) fn joints_of(&self, at: usize) -> Range<usize> {
        at * self.rest.len()..(at + 1) * self.rest.len()
    }

    /// The weights of a slot among those of morph targets.
    pub(super) fn morphs_of(&self, at: usize) -> Range<usize> {
        at * self.own_morphs.len()..(at + 1) * self.own_morphs.len()
    }
}
