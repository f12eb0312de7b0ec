//! A clip at a time, as a pose.

use super::{
    JobError,
    error::{at_least, fits_joints},
};
use crate::{
    JointLod, Skeleton,
    clip::{ClipView, Cursor, SampleTime},
};
use lissom_math::{simd::Backend, soa::SoaTransform};

/// Writes the local-space pose of a clip at a time.
///
/// | field | | |
/// |---|---|---|
/// | `skeleton` | in | the skeleton that the clip was made for; its rest pose fills channels that the clip does not have |
/// | `clip` | in | the clip, whole or streamed |
/// | `time` | in | when |
/// | `lod` | in | groups without a joint of the level are skipped |
/// | `cursor` | in, out | what this character has read of the clip; any cursor will do, one that was near is faster |
/// | `output` | out | at least `skeleton.group_count()` groups: all ten components of every joint, whatever was there |
///
/// Moving a little forward or backward reads only the keys that became due; where none did, no byte of the
/// stream is read. Far moves start from the nearest jump frame.
///
/// # Errors
///
/// - [`JobError::OtherSkeleton`]: the clip was made for another skeleton.
/// - [`JobError::TooShort`]: `output` has too few groups.
/// - [`JobError::Mismatch`]: `lod` belongs to a skeleton of another size.
/// - [`JobError::Value`]: the time is NaN or infinite.
/// - [`JobError::BlockMissing`]: a stream does not have the block that the time lies in.
///
/// # Cost and determinism
///
/// A few nanoseconds a joint, more where keys are fetched: `BENCHMARKS.md`. No allocation once the cursor has
/// room for the clip ([`Cursor::with_room_for`]). The same bits on every backend, and however a time was
/// reached.
#[derive(Debug)]
pub struct SampleJob<'a> {
    /// The skeleton that the clip was made for.
    pub skeleton: &'a Skeleton,
    /// The clip.
    pub clip: ClipView<'a>,
    /// When.
    pub time: SampleTime,
    /// The joints to compute; `None` for all.
    pub lod: Option<&'a JointLod>,
    /// The state of this instance.
    pub cursor: &'a mut Cursor,
    /// Where the pose goes.
    pub output: &'a mut [SoaTransform],
}

impl<'a> SampleJob<'a> {
    /// The start of a clip, all joints; [`SampleJob::at`] says when.
    #[must_use]
    pub fn new(
        skeleton: &'a Skeleton,
        clip: ClipView<'a>,
        cursor: &'a mut Cursor,
        output: &'a mut [SoaTransform],
    ) -> Self {
        Self { skeleton, clip, time: SampleTime::Clamped(0.0), lod: None, cursor, output }
    }

    /// At this time.
    #[must_use]
    pub fn at(mut self, time: SampleTime) -> Self {
        self.time = time;
        self
    }
}

impl SampleJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`SampleJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let (found, expected) = (self.clip.skeleton_identity(), self.skeleton.identity());
        if found != expected || self.clip.joint_count() != self.skeleton.joint_count() {
            return Err(JobError::OtherSkeleton { field: "clip", found, expected });
        }
        at_least("output", "groups", self.output.len(), self.skeleton.group_count())?;
        fits_joints(self.lod, self.skeleton.joint_count())?;
        let time = self.time.value();
        if !time.is_finite() {
            let allowed = "a finite time";
            return Err(JobError::Value { field: "time", index: 0, value: time, allowed });
        }
        Ok(())
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`SampleJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend: same bits.
    ///
    /// # Errors
    ///
    /// Listed at [`SampleJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        let time_s = self.time.seconds(self.clip.duration_s());
        let output = &mut self.output[..self.skeleton.group_count()];
        self.cursor.sample(backend, &self.clip, time_s, self.skeleton.rest_pose(), self.lod, output)?;
        Ok(())
    }
}
