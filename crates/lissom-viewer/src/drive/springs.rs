//! Joints that swing after the motion.

use lissom::{
    job::SpringBone,
    math::Mat34,
    player::{Body, PlayError},
    pose,
};

/// A joint and everything below it, swinging after the motion.
pub(crate) struct Springs {
    pub joint: usize,
    /// Of all of its bones.
    pub bone: SpringBone,
    swinging: pose::Springs,
}

impl Springs {
    pub fn new(body: &Body, joint: usize) -> Self {
        Self { joint, bone: SpringBone::default(), swinging: pose::Springs::below(body.skeleton(), joint) }
    }

    /// Changes the pose that is shown, this many seconds after the last time.
    pub fn apply(&mut self, body: &mut Body, dt_s: f32) -> Result<(), PlayError> {
        self.swinging.bone = self.bone;
        body.change(|pose| pose.swing(&mut self.swinging, &Mat34::IDENTITY, dt_s))
    }
}
