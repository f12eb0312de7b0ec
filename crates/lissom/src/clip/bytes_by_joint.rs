//! What each joint costs in a clip.

use super::{
    error::MissingBlock,
    joint_bytes::JointBytes,
    keys, rows,
    view::{ClipView, Form},
};
use alloc::{vec, vec::Vec};

/// What each joint costs in a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct BytesByJoint {
    /// In the skeleton's order.
    pub joints: Vec<JointBytes>,
    /// Of no joint: header, name, masks, times and the places of blocks.
    pub shared: f64,
    /// Bits that fill up bytes and words.
    pub padding: f64,
}

impl BytesByJoint {
    /// All bytes of the clip.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.joints.iter().map(JointBytes::total).sum::<f64>() + self.shared + self.padding
    }
}

impl ClipView<'_> {
    /// What each joint costs. For tools: it reads the whole clip and allocates.
    ///
    /// Every bit is counted once: [`BytesByJoint::total`] is [`ClipView::memory_bytes`]. (The blocks of a
    /// damaged clip may overlap; its padding is then less than nothing.)
    ///
    /// # Errors
    ///
    /// [`MissingBlock`] if the clip is a stream that does not have all blocks.
    pub fn bytes_by_joint(&self) -> Result<BytesByJoint, MissingBlock> {
        let mut joints = vec![JointBytes::default(); self.joint_count()];
        let shared = match self.form() {
            Form::Keys(clip) => keys::count_bytes(&clip, &mut joints)?,
            Form::Rows(clip) => rows::count_bytes(&clip, &mut joints)?,
        };
        let blocks = self.memory_bytes().saturating_sub(self.head_bytes().len()) as f64;
        let in_blocks = |j: &JointBytes| j.total() - j.tables - j.constants;
        let padding = shared.padding + (blocks - joints.iter().map(in_blocks).sum::<f64>());
        Ok(BytesByJoint { joints, shared: shared.bytes, padding })
    }
}
