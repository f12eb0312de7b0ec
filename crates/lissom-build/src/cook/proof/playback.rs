//! A clip that was just written, and the poses that the real player decodes from it.

use crate::{BuiltSkeleton, cook::error::CookError};
use lissom::{
    clip::{Clip, Cursor},
    job::{SampleJob, SampleTime},
    math::{
        Transform,
        soa::{self, SoaTransform},
    },
};

/// A clip being played.
pub(crate) struct Playback<'a> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) clip: Clip,
    skeleton: &'a BuiltSkeleton,
    cursor: Cursor,
    pose: Vec<SoaTransform>,
}

impl<'a> Playback<'a> {
    pub(crate) fn new(bytes: Vec<u8>, skeleton: &'a BuiltSkeleton) -> Result<Self, CookError> {
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
