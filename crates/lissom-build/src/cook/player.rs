//! What is made of a plan: a clip, and the poses that the player decodes from it.

use super::{builder::CookError, encode::encode, plan::ClipPlan};
use crate::BuiltSkeleton;
use lissom::{
    clip::{Clip, Cursor},
    job::{SampleJob, SampleTime},
    math::{
        Transform,
        soa::{self, SoaTransform},
    },
};

/// A clip being played.
pub(crate) struct Played<'a> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) clip: Clip,
    skeleton: &'a BuiltSkeleton,
    cursor: Cursor,
    pose: Vec<SoaTransform>,
}

impl<'a> Played<'a> {
    pub(crate) fn new(plan: &ClipPlan, skeleton: &'a BuiltSkeleton) -> Result<Self, CookError> {
        Self::of(encode(plan)?, skeleton)
    }

    pub(crate) fn of(bytes: Vec<u8>, skeleton: &'a BuiltSkeleton) -> Result<Self, CookError> {
        let clip = Clip::from_bytes(&bytes)?;
        let cursor = Cursor::with_room_for(clip.view());
        let pose = skeleton.skeleton.rest_pose().to_vec();
        Ok(Self { bytes, clip, skeleton, cursor, pose })
    }

    /// The local pose at a time, in skeleton order.
    pub(crate) fn pose(&mut self, time_s: f64, out: &mut [Transform]) -> Result<(), CookError> {
        let mut job = SampleJob {
            skeleton: &self.skeleton.skeleton,
            clip: self.clip.view(),
            time: SampleTime::Clamped(time_s),
            lod: None,
            cursor: &mut self.cursor,
            output: &mut self.pose,
        };
        job.run()?;
        for (group, out) in self.pose.iter().zip(out.chunks_mut(soa::GROUP)) {
            for (lane, to) in out.iter_mut().enumerate() {
                *to = group.lane(lane);
            }
        }
        Ok(())
    }
}
