//! A clip that is not all there, at a time, as a pose.

use super::{JobError, SampleJob};
#[cfg(feature = "std")]
use crate::clip::StreamPlayer;
use crate::{
    JointLod, Skeleton,
    clip::{ClipStream, Cursor, MissingBlock, Played, SampleTime},
};
use lissom_math::soa::SoaTransform;

impl ClipStream {
    /// Samples like a [`SampleJob`]. Where the block is missing or damaged the output is left as it was.
    ///
    /// # Errors
    ///
    /// Those of [`SampleJob`], except `BlockMissing`, which is an answer here.
    pub fn sample(
        &mut self,
        skeleton: &Skeleton,
        time: SampleTime,
        lod: Option<&JointLod>,
        cursor: &mut Cursor,
        output: &mut [SoaTransform],
    ) -> Result<Played, JobError> {
        let time_s = time.seconds(self.view().duration_s());
        if time_s.is_finite() {
            self.move_to(time_s);
        }
        let view = self.view();
        match (SampleJob { skeleton, clip: view, time, lod, cursor, output }).run() {
            Ok(()) => Ok(Played::Pose),
            Err(JobError::BlockMissing { block }) => Ok(self.without(MissingBlock { block })),
            Err(other) => Err(other),
        }
    }
}

#[cfg(feature = "std")]
impl<R> StreamPlayer<R> {
    /// Samples what is there; see [`ClipStream::sample`]. Reads nothing.
    ///
    /// # Errors
    ///
    /// Those of [`SampleJob`].
    pub fn sample(
        &mut self,
        skeleton: &Skeleton,
        time: SampleTime,
        lod: Option<&JointLod>,
        cursor: &mut Cursor,
        output: &mut [SoaTransform],
    ) -> Result<Played, JobError> {
        self.stream_mut().sample(skeleton, time, lod, cursor, output)
    }
}
