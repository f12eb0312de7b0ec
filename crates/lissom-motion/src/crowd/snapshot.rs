//! A whole crowd, saved and put back.

use super::{
    Crowd, CrowdError,
    members::{Members, Mind},
};
use crate::state::StateError;
use alloc::vec::Vec;
use lissom::math::Mat4;

/// All that decides what comes: who is there, what each does, and where. For replays and rollback.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    members: Members,
    /// A pose that is held is not made again: the matrices, where they are written, of members that are not posed in every
    /// update, by index; and those that they move to.
    held: Vec<Mat4>,
}

impl Crowd {
    /// Saves the crowd.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.snapshot_into(&mut snapshot);
        snapshot
    }

    /// The same without allocation, where a snapshot of as many has been before.
    pub fn snapshot_into(&self, snapshot: &mut Snapshot) {
        snapshot.members.clone_from(&self.members);
        snapshot.held.clear();
        let joints = self.rest.len();
        for member in self.members.iter() {
            if self.members.cares[member.index()].rate.every > 1 {
                let row = member.index() * joints..(member.index() + 1) * joints;
                for all in [&self.models, &self.targets] {
                    snapshot.held.extend_from_slice(all.get(row.clone()).unwrap_or_default());
                }
            }
        }
    }

    /// Puts it back: who was there is there again, under the same names. What is seen follows with the next update, which may
    /// be one of 0. Without allocation where so many have been before.
    ///
    /// # Errors
    ///
    /// [`CrowdError::NoSuchGraph`] or [`StateError::OtherGraph`]: it is another crowd's.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), CrowdError> {
        for mind in &snapshot.members.minds {
            match mind {
                Mind::Graph { graph, state, memory } => {
                    let (found, graphs) = (usize::from(*graph), self.casts.len());
                    let cast = self.casts.get(found).ok_or(CrowdError::NoSuchGraph { found, graphs })?;
                    if !(state.fits(&cast.graph) && memory.fits(&cast.graph, self.body.skeleton())) {
                        return Err(StateError::OtherGraph.into());
                    }
                }
                Mind::Parts(parts) => {
                    let clips = self.body.clips().len();
                    if let Some(part) = parts.iter().find(|part| usize::from(part.clip) >= clips) {
                        return Err(CrowdError::NoSuchClip { found: usize::from(part.clip), clips });
                    }
                }
            }
        }
        self.members.clone_from(&snapshot.members);
        self.afresh = true;
        // Never a number that somebody has seen.
        self.updates += 1;
        for care in &mut self.members.cares {
            care.refresh();
            care.posed_in = self.updates;
        }
        self.make_room();
        let joints = self.rest.len();
        let mut held = snapshot.held.chunks_exact(joints);
        for member in self.members.iter() {
            if self.members.cares[member.index()].rate.every > 1 {
                let row = member.index() * joints..(member.index() + 1) * joints;
                for all in [&mut self.models, &mut self.targets] {
                    if let Some(row) = all.get_mut(row.clone())
                        && let Some(held) = held.next()
                    {
                        row.copy_from_slice(held);
                    }
                }
            }
        }
        Ok(())
    }
}
