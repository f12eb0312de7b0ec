//! One joint, or one channel of it, without a cursor of the caller's.

use super::{JobError, SampleJob};
use crate::{
    JointLod, Skeleton,
    clip::{ClipView, Cursor, SampleTime},
};
use alloc::vec;
use lissom_math::{
    Quat, Transform, Vec3,
    soa::{self, SoaTransform, group_count},
};

/// A channel of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointChannel {
    /// Where it is.
    Translation,
    /// How it is turned.
    Rotation,
    /// How large it is.
    Scale,
}

/// What a channel holds at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChannelValue {
    /// Where it is, in its parent's space.
    Translation(Vec3),
    /// How it is turned: a unit quaternion.
    Rotation(Quat),
    /// How large it is, along each axis.
    Scale(Vec3),
}

impl ClipView<'_> {
    /// The local transform of one joint at a time: the same bits that a [`SampleJob`] writes.
    ///
    /// For tools, queries and tests. It makes a cursor and drops it: two allocations, a jump frame of all
    /// channels, and the keys from there to the time. Who asks for many joints or many times keeps a
    /// [`Cursor`].
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`], and what [`SampleJob`] refuses: a clip for another skeleton, a time that is
    /// not finite, a block that a stream does not have.
    pub fn sample_joint(
        &self,
        skeleton: &Skeleton,
        joint: usize,
        time: SampleTime,
    ) -> Result<Transform, JobError> {
        let joints = skeleton.joint_count();
        if joint >= joints {
            return Err(JobError::NoSuchJoint { field: "joint", joint, joints });
        }
        let mut output = vec![SoaTransform::IDENTITY; group_count(joints)];
        let mut cursor = Cursor::with_room_for(*self);
        // Groups after the joint's are left out; those before it are computed too.
        let lod = JointLod::prefix(joint + 1);
        let (lod, cursor) = (Some(&lod), &mut cursor);
        SampleJob { skeleton, clip: *self, time, lod, cursor, output: &mut output }.run()?;
        Ok(soa::lane(&output, joint))
    }

    /// One channel of one joint at a time: [`ClipView::sample_joint`], at its cost.
    ///
    /// # Errors
    ///
    /// Those of [`ClipView::sample_joint`].
    pub fn sample_channel(
        &self,
        skeleton: &Skeleton,
        joint: usize,
        channel: JointChannel,
        time: SampleTime,
    ) -> Result<ChannelValue, JobError> {
        let t = self.sample_joint(skeleton, joint, time)?;
        Ok(match channel {
            JointChannel::Translation => ChannelValue::Translation(t.translation),
            JointChannel::Rotation => ChannelValue::Rotation(t.rotation),
            JointChannel::Scale => ChannelValue::Scale(t.scale),
        })
    }
}
