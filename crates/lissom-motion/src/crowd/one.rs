//! One member of a crowd, posed when somebody asks: for things that it carries, for IK, for a crowd that is posed elsewhere.

use super::{Crowd, CrowdError, Level, Member, PaletteRows, PalettesMut, members::Mind, worker::Worker};
use crate::{GraphState, frame::Weights, time::Ticks};
use alloc::{vec, vec::Vec};
use lissom::{
    job::{LocalToModelJob, MixJob, Models, Update},
    math::{Mat4, soa::SoaTransform},
    player::PlayError,
};

/// The pose of one member, and room to make it: see [`Crowd::pose_of`].
#[derive(Clone, Debug)]
pub struct MemberPose {
    worker: Worker,
    state: Option<GraphState>,
    locals: Vec<SoaTransform>,
    palette: Vec<PaletteRows>,
}

impl MemberPose {
    /// In the space of each joint's parent.
    #[must_use]
    pub fn locals(&self) -> &[SoaTransform] {
        &self.locals
    }

    /// In model space, one a joint.
    #[must_use]
    pub fn models(&self) -> &[Mat4] {
        &self.worker.models
    }

    /// Skinning matrices in model space, one a joint.
    #[must_use]
    pub fn palette(&self) -> &[PaletteRows] {
        &self.palette
    }
}

impl Crowd {
    /// Room for [`Crowd::pose_of`].
    #[must_use]
    pub fn member_pose(&self) -> MemberPose {
        let skeleton = self.body.skeleton();
        let mut worker = Worker::new(&self.body);
        self.casts.iter().for_each(|cast| worker.reserve(&cast.graph, skeleton));
        let locals = skeleton.rest_pose().to_vec();
        MemberPose { worker, state: None, locals, palette: vec![[[0.0; 4]; 3]; skeleton.joint_count()] }
    }

    /// Poses one member as it is after the last update, whatever the crowd writes: the bits that the crowd would show if it had posed it
    /// then. Nothing of the crowd changes. Joints outside its level of detail keep the matrices that `out` had; in the palette they move with
    /// the nearest joint above them.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; `out` of another crowd.
    pub fn pose_of(&self, member: Member, out: &mut MemberPose) -> Result<(), CrowdError> {
        let at = self.members.find(member)?;
        let MemberPose { worker, state: scratch, locals, palette } = out;
        let Worker { frame, rows, scratch: mix_scratch, models, .. } = worker;
        let skeleton = self.body.skeleton();
        let (cast, memory) = match &self.members.minds[at] {
            Mind::Graph { graph, state, memory } => {
                let cast = &self.casts[usize::from(*graph)];
                let copy = scratch.get_or_insert_with(|| state.clone());
                copy.clone_from(state);
                cast.graph.advance(copy, Ticks::ZERO, frame)?;
                (cast, Some(memory))
            }
            Mind::Clips(clips) => {
                let mut clips = *clips;
                clips.advance(&self.clips.graph, Ticks::ZERO, frame);
                (&self.clips, None)
            }
        };
        let care = &self.members.cares[at];
        let level: Option<&Level> =
            usize::from(care.level).checked_sub(1).and_then(|level| self.levels.get(level));
        let lod = level.map(|level| &level.lod);
        let masks = frame.covered(Weights::Now, &cast.masks, skeleton.group_count(), rows);
        let mix = cast.mix(frame);
        let (clips, decoded) = (self.body.clips(), self.decoded.clips());
        let output = &mut locals[..];
        MixJob { skeleton, clips, decoded, masks, mix: &mix, lod, scratch: mix_scratch, output }
            .run_on(self.backend)
            .map_err(PlayError::from)?;
        if let Some(memory) = memory {
            memory.apply_lod(locals, lod).map_err(PlayError::from)?;
        }
        LocalToModelJob {
            skeleton,
            locals,
            root: None,
            update: Update::All,
            lod,
            models: Models::Mat4(models),
        }
        .run_on(self.backend)
        .map_err(PlayError::from)?;
        let mut palettes = PalettesMut::F32(palette);
        match level {
            None => palettes.put(0, None, models.iter(), &self.binds),
            Some(level) => {
                let models = level.joints.iter().map(|joint| &models[usize::from(*joint)]);
                palettes.put(0, None, models, &level.binds);
            }
        }
        Ok(())
    }
}
