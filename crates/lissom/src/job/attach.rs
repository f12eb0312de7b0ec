//! Things that hang on joints.

use super::{
    JobError,
    error::at_least,
    kernel::matrix::{Columns, MatrixSlot},
};
use lissom_math::{
    Mat4, Mat34, dispatch,
    simd::{Backend, Simd},
};

/// Something on a joint: a sword in a hand, a camera on a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The joint it hangs on.
    pub joint: usize,
    /// Where it is in the joint's space.
    pub offset: Mat34,
}

/// Finds where attachments are, one or many.
///
/// | field | | |
/// |---|---|---|
/// | `models` | in | model-space matrices of the joints |
/// | `attachments` | in | joints and offsets |
/// | `world` | in | where the character stands; `None` gives model space |
/// | `output` | out | at least as many as attachments, in their order |
///
/// The result is (world · model) · offset, or model · offset; products in the order of [`Mat34::mul`].
///
/// # Errors
///
/// - [`JobError::NoSuchJoint`]: an attachment's joint is not below `models`' length.
/// - [`JobError::TooShort`]: `output` is shorter than `attachments`.
///
/// # Cost and determinism
///
/// One or two products an attachment, no allocation, the same bits on every backend.
#[derive(Debug)]
pub struct AttachJob<'a> {
    /// Model-space matrices of the joints.
    pub models: &'a [Mat4],
    /// What hangs where.
    pub attachments: &'a [Attachment],
    /// Where the character stands.
    pub world: Option<&'a Mat34>,
    /// Where each attachment is.
    pub output: &'a mut [Mat34],
}

impl Attachment {
    /// Where this one is; `None` if there is no such joint.
    #[must_use]
    pub fn place(&self, models: &[Mat4], world: Option<&Mat34>) -> Option<Mat34> {
        let model = Mat34::from_mat4(models.get(self.joint)?);
        Some(match world {
            Some(world) => world.mul(&model).mul(&self.offset),
            None => model.mul(&self.offset),
        })
    }
}

impl<'a> AttachJob<'a> {
    /// In model space.
    #[must_use]
    pub fn new(models: &'a [Mat4], attachments: &'a [Attachment], output: &'a mut [Mat34]) -> Self {
        Self { models, attachments, world: None, output }
    }
}

impl AttachJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`AttachJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let joints = self.models.len();
        if let Some(a) = self.attachments.iter().find(|a| a.joint >= joints) {
            return Err(JobError::NoSuchJoint { field: "attachments", joint: a.joint, joints });
        }
        at_least("output", "matrices", self.output.len(), self.attachments.len())
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`AttachJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend.
    ///
    /// # Errors
    ///
    /// Listed at [`AttachJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        dispatch!(backend, s => kernel(s, self.models, self.attachments, self.world, self.output));
        Ok(())
    }
}

#[inline(always)]
fn kernel<S: Simd>(
    s: S,
    models: &[Mat4],
    attachments: &[Attachment],
    world: Option<&Mat34>,
    output: &mut [Mat34],
) {
    match world {
        Some(world) => {
            let world = world.load(s);
            for (attachment, out) in attachments.iter().zip(output) {
                let place = world.mul(s, &models[attachment.joint].load(s));
                out.store(s, place.mul(s, &Columns::from_mat34(s, &attachment.offset)));
            }
        }
        None => {
            for (attachment, out) in attachments.iter().zip(output) {
                let model = models[attachment.joint].load(s);
                out.store(s, model.mul(s, &Columns::from_mat34(s, &attachment.offset)));
            }
        }
    }
}
