//! Poses from elsewhere, as a ragdoll's: blended in while they last, and gone on from when they end.

use super::{AnimateError, Animator};
use crate::{
    StateError,
    frame::{Layer, cover},
};
use alloc::vec::Vec;
use lissom::{
    job::{BlendJob, BlendLayer, JobError, PosePair},
    math::{
        Mat4,
        soa::{Lanes, SoaTransform},
    },
    track::TimeError,
};

/// Buffers of [`Animator::blend_in`]; made when they are first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct ForeignScratch {
    /// The pose that a blend starts from.
    base: Vec<SoaTransform>,
    rows: Vec<Lanes>,
    /// True if this frame's pose was blended with one from elsewhere.
    blended: bool,
    /// The graph's own pose below that, and its matrices as they were shown.
    own: Vec<SoaTransform>,
    own_models: Vec<Mat4>,
}

impl ForeignScratch {
    /// The graph's own pose and matrices, if this frame's were blended with others.
    pub fn below(&self) -> Option<(&[SoaTransform], &[Mat4])> {
        self.blended.then_some((&self.own, &self.own_models))
    }

    /// What was blended in is no longer there.
    pub fn forget(&mut self) {
        self.blended = false;
    }
}

impl Animator {
    /// Blends a pose from elsewhere, such as a ragdoll's, over the pose of this frame. Weight 0 shows the graph's pose, weight 1
    /// the other one. A mask says how much of the weight each joint gets. Call it after each [`update`](Animator::update) for as
    /// long as the pose is to be seen; the graph goes on below it. The next update takes the blend away, also if the rate holds
    /// the pose, so that nothing is blended twice. Several calls after one update blend one pose over the other.
    ///
    /// # Errors
    ///
    /// [`StateError::Value`] for a weight outside [0, 1]; a pose or a mask of another skeleton. Nothing has then changed.
    pub fn blend_in(
        &mut self,
        foreign: &[SoaTransform],
        weight: f32,
        mask: Option<&[Lanes]>,
    ) -> Result<(), AnimateError> {
        if !(0.0..=1.0).contains(&weight) {
            let (field, value, allowed) = ("weight", f64::from(weight), "in [0, 1]");
            return Err(StateError::from(TimeError { field, value, allowed }).into());
        }
        let Self { body, foreign: ForeignScratch { base, rows, blended, own, own_models }, .. } = self;
        let groups = body.pose().len();
        base.clear();
        base.extend_from_slice(body.pose());
        rows.resize(groups * 2, Lanes::splat(0.0));
        let layers =
            [Layer { weight: 1.0, mask: None, additive: false }, Layer { weight, mask, additive: false }];
        if !cover(&layers, groups, rows) {
            let len = mask.map_or(0, <[Lanes]>::len);
            return Err(JobError::TooShort { field: "mask", unit: "groups", len, needed: groups }.into());
        }
        let (below, above) = rows.split_at(groups);
        let layer =
            |pose, joint_weights| BlendLayer { weight: 1.0, pose, joint_weights: Some(joint_weights) };
        let skeleton = body.skeleton().clone();
        let layers = [layer(&**base, below), layer(foreign, above)];
        BlendJob::new(&layers, skeleton.rest_pose(), body.pose_mut()).run()?;
        if !*blended {
            *blended = true;
            own.clone_from(base);
            own_models.clear();
            own_models.extend_from_slice(body.models());
        }
        Ok(body.pose_to_models()?)
    }

    /// Goes on from a pose that came from elsewhere, such as a ragdoll's that ends: `foreign` has the pose at the time of this frame
    /// and one step earlier. The next [`update`](Animator::update) shows the graph's pose, and the difference to the other pose, its
    /// speed included, fades out in `fade_s` seconds.
    ///
    /// # Errors
    ///
    /// [`StateError::NoMemory`] if the graph neither allows hand-over ([`GraphParts::hand_over`](crate::GraphParts::hand_over)) nor
    /// has an inertial transition; [`StateError::Value`] for a time, or poses that are not finite; poses of another skeleton. On an
    /// error the memory is cleared.
    pub fn take_over(&mut self, foreign: PosePair<'_>, fade_s: f32) -> Result<(), AnimateError> {
        let Self { frame, body, cast, rows, memory, memory_scratch, .. } = self;
        let groups = body.skeleton().group_count();
        memory.take_over(
            foreign,
            fade_s,
            frame,
            memory_scratch,
            |clip| cast.clips[clip],
            |mix, weights, pose| {
                let rows = frame.covered(weights, &cast.masks, groups, rows);
                Ok::<(), AnimateError>(body.pose_of(&mix, rows, pose)?)
            },
        )
    }

    /// Keeps the pose that is shown, by a name of the graph's [`poses`](crate::GraphParts::poses): with all that the game did to it. It
    /// is part of a save, and of a recording.
    ///
    /// ```no_run
    /// # use lissom_motion::{AnimateError, Animator};
    /// # fn of(hero: &mut Animator, limp: &[lissom::math::soa::SoaTransform]) -> Result<(), AnimateError> {
    /// hero.update(1.0 / 60.0)?;
    /// hero.blend_in(limp, 1.0, None)?; // a ragdoll that came to rest
    /// hero.keep_pose("fallen")?;
    /// // later: up from there
    /// hero.go_to("get_up").over(0.0).start()?;
    /// hero.blend_from("fallen", 0.5)?;
    /// hero.update(1.0 / 60.0)?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`]; those of [`PoseMemory::keep`](crate::PoseMemory::keep).
    pub fn keep_pose(&mut self, name: &str) -> Result<(), AnimateError> {
        let key = self.cast.graph.pose_key(name)?;
        Ok(self.memory.keep(key, self.body.pose())?)
    }

    /// A pose that was kept, in groups: for [`Animator::blend_in`], or to place the character. `None` if there is none.
    #[must_use]
    pub fn kept_pose(&self, name: &str) -> Option<&[SoaTransform]> {
        self.memory.kept(self.cast.graph.pose_key(name).ok()?)
    }

    /// Goes on from a pose that was kept: the next [`update`](Animator::update) shows it, standing still, and from there the motion of
    /// the graph takes over in `fade_s` seconds.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`]; those of [`PoseMemory::blend_from`](crate::PoseMemory::blend_from).
    pub fn blend_from(&mut self, name: &str, fade_s: f32) -> Result<(), AnimateError> {
        Ok(self.memory.blend_from(self.cast.graph.pose_key(name)?, fade_s)?)
    }

    /// Shows the graph's own pose again, if another was blended over it.
    pub(super) fn undo_blend(&mut self) {
        if let Some((pose, models)) = self.foreign.below() {
            self.body.pose_mut().copy_from_slice(pose);
            self.body.models_mut().copy_from_slice(models);
            self.foreign.forget();
        }
    }
}
