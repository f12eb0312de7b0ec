//! A whole crowd, saved and restored.

use super::{
    Crowd, CrowdError, PaletteFormat,
    members::{Members, Mind},
    palette::Buffer,
};
use crate::StateError;
use alloc::vec::Vec;
use lissom::math::Mat4;

/// All that decides the next frames of a crowd: its members, what each does, where, and at what rate. For replays and rollback.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    members: Members,
    /// What was written when it was made.
    kept: Kept,
    /// A pose that is held is not made again. Of members that are not posed in every update, by index: the matrices, and those that
    /// they move to.
    held: Vec<Mat4>,
    /// The weights of their morph targets.
    morphs: Vec<f32>,
    /// Their palettes, if matrices are not written.
    palettes: Option<Buffer>,
}

/// What a crowd writes that held poses are restored from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Kept {
    models: bool,
    targets: bool,
    morphs: bool,
    /// If matrices are not written.
    palettes: Option<PaletteFormat>,
}

impl Crowd {
    /// Saves the crowd.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.snapshot_into(&mut snapshot);
        snapshot
    }

    /// The same without allocation, if the snapshot was of as many members before.
    pub fn snapshot_into(&self, snapshot: &mut Snapshot) {
        let Snapshot { members, kept, held, morphs, palettes } = snapshot;
        members.clone_from(&self.members);
        *kept = self.kept();
        held.clear();
        morphs.clear();
        let own = self.palettes.as_ref().filter(|_| kept.palettes.is_some());
        match own {
            Some(own) if palettes.as_ref().map(Buffer::format) != Some(own.format()) => {
                *palettes = Some(Buffer::new(own.format(), 0));
            }
            _ => palettes.iter_mut().for_each(|all| all.resize(0)),
        }
        for at in self.held_slots() {
            for all in [&self.models, &self.targets] {
                held.extend_from_slice(all.get(self.joints_of(at)).unwrap_or_default());
            }
            morphs.extend_from_slice(self.morphs.get(self.morphs_of(at)).unwrap_or_default());
            if let (Some(all), Some(own)) = (&mut *palettes, own) {
                all.add(own, self.joints_of(at));
            }
        }
    }

    /// Restores it: its members are there again, under the same names. What is shown follows with the next update, which may be one
    /// of 0. Without allocation if there have been as many members before. If the crowd writes other outputs now, poses that would be
    /// held are made anew.
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
                Mind::Clips(played) => {
                    let clips = self.body.clips().len();
                    if let Some(one) = played.iter().find(|one| usize::from(one.clip) >= clips) {
                        return Err(CrowdError::NoSuchClip { found: usize::from(one.clip), clips });
                    }
                }
            }
        }
        self.members.clone_from(&snapshot.members);
        self.restored = true;
        // Never a number that a caller has seen.
        self.updates += 1;
        self.resize_outputs();
        self.mixes.spoil_all();
        let kept = self.kept();
        let whole = kept == snapshot.kept && (kept.models || kept.palettes.is_some());
        for care in &mut self.members.cares {
            care.posed_in = self.updates;
            if !care.turn.holds() {
                care.refresh();
            } else if !whole {
                care.turn.arrive();
                care.turn.refresh();
            }
        }
        if whole {
            self.restore_rows(snapshot);
        }
        Ok(())
    }

    fn restore_rows(&mut self, snapshot: &Snapshot) {
        let (mut held, mut morphs) = (&snapshot.held[..], &snapshot.morphs[..]);
        let mut palettes = 0;
        for at in 0..self.members.slots() {
            if !self.is_held(at) {
                continue;
            }
            let (joints, weights) = (self.joints_of(at), self.morphs_of(at));
            for all in [&mut self.models, &mut self.targets] {
                if let Some(row) = all.get_mut(joints.clone()) {
                    let (own, rest) = held.split_at(row.len());
                    row.copy_from_slice(own);
                    held = rest;
                }
            }
            if let Some(row) = self.morphs.get_mut(weights) {
                let (own, rest) = morphs.split_at(row.len());
                row.copy_from_slice(own);
                morphs = rest;
            }
            if let (Some(all), Some(own)) = (&mut self.palettes, &snapshot.palettes)
                && snapshot.kept.palettes.is_some()
            {
                all.view_mut().keep(joints.start, joints.len(), own, palettes);
                palettes += joints.len();
            }
        }
    }

    /// The slots of members that hold poses.
    fn held_slots(&self) -> impl Iterator<Item = usize> {
        (0..self.members.slots()).filter(|at| self.is_held(*at))
    }

    fn is_held(&self, at: usize) -> bool {
        self.members.is_live(at) && self.members.cares[at].turn.holds()
    }

    fn kept(&self) -> Kept {
        let models = self.keeps_models();
        let palettes = self.outputs.palettes.filter(|_| !models);
        Kept { models, targets: self.outputs.between, morphs: self.outputs.morphs, palettes }
    }
}
