//! Poses from elsewhere, as a ragdoll's: blended in while they last, and gone on from when they end.

use super::{AnimateError, Animator, covered};
use crate::{Layer, StateError, cover};
use alloc::vec::Vec;
use lissom::{
    job::{BlendJob, BlendLayer, JobError, PosePair},
    math::soa::{Lanes, SoaTransform},
    track::TimeError,
};

/// Made when it is first needed.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    own: Vec<SoaTransform>,
    rows: Vec<Lanes>,
}

impl Animator {
    /// Blends a pose from elsewhere over the one of this frame, as a ragdoll's on its way in: with a weight of 0 the graph's is seen, of
    /// 1 the other. A mask says how much of the weight each joint gets. To be called after each [`update`](Animator::update) for as
    /// long as it is to be seen; the graph goes on below it.
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
        let Self { body, foreign: Room { own, rows }, .. } = self;
        let groups = body.pose().len();
        own.clear();
        own.extend_from_slice(body.pose());
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
        let layers = [layer(&**own, below), layer(foreign, above)];
        BlendJob::new(&layers, skeleton.rest_pose(), body.pose_mut()).run()?;
        Ok(body.pose_to_models()?)
    }

    /// Goes on from a pose that came from elsewhere, as from a ragdoll that is over: at the time of this frame and one step of it
    /// earlier. From the next [`update`](Animator::update) on the graph's pose is seen, and what the other was off it dies away in so many
    /// seconds, its speed too.
    ///
    /// # Errors
    ///
    /// [`StateError::NoMemory`] for a graph that says not that it takes poses over ([`GraphParts::hand_over`](crate::GraphParts::hand_over)) and has
    /// no transition by inertia; [`StateError::Value`] for a time, or poses that are not finite; poses of another skeleton. Nothing is then
    /// remembered, also of what was before.
    pub fn take_over(&mut self, foreign: PosePair<'_>, fade_s: f32) -> Result<(), AnimateError> {
        let Self { frame, body, clips, masks, rows, memory, room, .. } = self;
        let rows = covered(frame, masks, body, rows);
        memory.take_over(
            foreign,
            fade_s,
            frame,
            room,
            |clip| clips[clip],
            |mix, pose| Ok::<(), AnimateError>(body.pose_of(&mix, rows, pose)?),
        )
    }
}
