//! Local space to model space.

use super::{
    JobError,
    error::{at_least, fits_joints},
    kernel::matrix::{Columns, MatrixSlot},
};
use crate::{JointLod, MAX_JOINTS, Skeleton};
use core::ops::Range;
use lissom_math::{
    Mat4, Mat34, dispatch,
    simd::{Backend, LEN, Simd, WideTransform},
    soa::{GROUP, SoaMat34, SoaTransform, group_count},
};

/// Computes the model-space matrix of every joint from local transforms.
///
/// | field | | |
/// |---|---|---|
/// | `skeleton` | in | parents |
/// | `locals` | in | at least `skeleton.group_count()` groups, ordered like the joints |
/// | `root` | in | the space the skeleton stands in; `None` is the identity |
/// | `update` | in | which joints to compute |
/// | `lod` | in | joints outside the level are skipped |
/// | `models` | out | at least `skeleton.joint_count()` matrices, joint order |
///
/// The matrix of a joint is parent · local, an affine product in the order of [`Mat34::mul`]; a root's is
/// root · local, or local alone without a root matrix. Shear and uneven scale come out right because nothing
/// is split into parts again. The last row of a 4×4 is 0 0 0 1, whatever the pose holds.
///
/// **In and out:** where [`Update`] leaves joints out, the matrix of a parent that is left out is read
/// from `models` as it stands. Nothing but the chosen joints is written.
///
/// # Errors
///
/// - [`JobError::TooShort`]: `locals` or `models` are smaller than the skeleton.
/// - [`JobError::NoSuchJoint`]: `update` names a joint that there is not, or a range that ends before it
///   starts.
/// - [`JobError::Mismatch`]: `lod` belongs to a skeleton of another size.
///
/// # Cost and determinism
///
/// One pass, no allocation. The same bits on every backend and for every way of splitting the skeleton into
/// updates. NaN and infinite locals reach their own joint and what is below it, nothing else.
///
/// ```
/// use lissom::{Skeleton, SkeletonParts, job::LocalToModelJob, math::*};
///
/// let up = Transform::from_translation(Vec3::new(0.0, 1.0, 0.0));
/// let skeleton = Skeleton::new(SkeletonParts {
///     parents: &[None, Some(0), Some(1)], names: &["hips", "spine", "head"], rest: &[up; 3],
/// }).unwrap();
/// let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
/// LocalToModelJob::new(&skeleton, skeleton.rest_pose(), &mut models).run()?;
/// assert_eq!(models[2].w_axis.to_array(), [0.0, 3.0, 0.0, 1.0]);
/// # Ok::<(), lissom::job::JobError>(())
/// ```
#[derive(Debug)]
pub struct LocalToModelJob<'a> {
    /// The hierarchy.
    pub skeleton: &'a Skeleton,
    /// Local transforms, in groups.
    pub locals: &'a [SoaTransform],
    /// The space the roots stand in.
    pub root: Option<&'a Mat34>,
    /// Which joints to compute.
    pub update: Update,
    /// Joints outside the level are skipped.
    pub lod: Option<&'a JointLod>,
    /// Model-space matrices, one a joint.
    pub models: Models<'a>,
}

/// Which joints [`LocalToModelJob`] computes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Update {
    /// Every joint.
    #[default]
    All,
    /// The joints of a range, for example what came after a joint that was changed. Parents before the range
    /// are read from the output.
    Range(Range<usize>),
    /// A joint and everything below it. Its parent is read from the output.
    Subtree(usize),
    /// Everything below a joint but not the joint itself, whose matrix the caller has changed in the output.
    Below(usize),
}

/// Where matrices go.
#[derive(Debug)]
#[non_exhaustive]
pub enum Models<'a> {
    /// Column-major 4×4, ready for upload.
    Mat4(&'a mut [Mat4]),
    /// 3×4 without the last row, 48 bytes each.
    Mat34(&'a mut [Mat34]),
}

impl Models<'_> {
    /// How many matrices there is room for.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Mat4(m) => m.len(),
            Self::Mat34(m) => m.len(),
        }
    }

    /// True if there is room for none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Update {
    /// The joints as a range. Depth-first order makes each case one.
    ///
    /// # Errors
    ///
    /// [`JobError::NoSuchJoint`]
    pub fn joints(&self, skeleton: &Skeleton) -> Result<Range<usize>, JobError> {
        let joints = skeleton.joint_count();
        let no = |joint| Err(JobError::NoSuchJoint { field: "update", joint, joints });
        match self {
            Self::All => Ok(0..joints),
            Self::Range(r) if r.end > joints => no(r.end),
            Self::Range(r) if r.start > r.end => no(r.start),
            Self::Range(r) => Ok(r.clone()),
            Self::Subtree(j) | Self::Below(j) if *j >= joints => no(*j),
            Self::Subtree(j) => Ok(skeleton.subtree(*j)),
            Self::Below(j) => Ok(j + 1..skeleton.subtree(*j).end),
        }
    }
}

impl<'a> LocalToModelJob<'a> {
    /// Every joint, in the skeleton's own space, as 4×4 matrices.
    #[must_use]
    pub fn new(skeleton: &'a Skeleton, locals: &'a [SoaTransform], models: &'a mut [Mat4]) -> Self {
        let models = Models::Mat4(models);
        Self { skeleton, locals, root: None, update: Update::All, lod: None, models }
    }
}

impl LocalToModelJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`LocalToModelJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        self.checked_range().map(|_| ())
    }

    fn checked_range(&self) -> Result<Range<usize>, JobError> {
        let joints = self.skeleton.joint_count();
        at_least("locals", "groups", self.locals.len(), group_count(joints))?;
        at_least("models", "matrices", self.models.len(), joints)?;
        fits_joints(self.lod, joints)?;
        self.update.joints(self.skeleton)
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`LocalToModelJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend.
    ///
    /// # Errors
    ///
    /// Listed at [`LocalToModelJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        let range = self.checked_range()?;
        let joints = self.skeleton.packed_joints();
        match &mut self.models {
            Models::Mat4(m) => {
                dispatch!(backend, s => kernel(s, joints, self.locals, self.root, range, self.lod, m));
            }
            Models::Mat34(m) => {
                dispatch!(backend, s => kernel(s, joints, self.locals, self.root, range, self.lod, m));
            }
        }
        Ok(())
    }
}

/// Parent bits of a packed joint; all set, which is no joint's index, for a root.
const PARENT: u16 = MAX_JOINTS as u16;

/// Groups converted before the first product. Reading elements back while their wide store is still
/// under way costs more than the product; four groups later it is through.
const BATCH: usize = 4;

#[inline(always)]
fn kernel<S: Simd, M: MatrixSlot>(
    s: S,
    joints: &[u16],
    locals: &[SoaTransform],
    root: Option<&Mat34>,
    range: Range<usize>,
    lod: Option<&JointLod>,
    models: &mut [M],
) {
    let has_root = root.is_some();
    let root = Columns::from_mat34(s, root.unwrap_or(&Mat34::IDENTITY));
    let mut scratch = [SoaMat34::IDENTITY; BATCH];
    let mut joint = range.start;
    while joint < range.end {
        // All local matrices of a batch, 16 side by side.
        let first = joint / GROUP;
        let end = range.end.min((first + BATCH) * GROUP);
        for (group, scratch) in (first..end.div_ceil(GROUP)).zip(&mut scratch) {
            if lod.is_some_and(|lod| !lod.contains_group(group)) {
                continue;
            }
            let mut at = 0;
            while at < GROUP {
                WideTransform::load(s, &locals[group], at).to_mat34(s).store(scratch, at);
                at += LEN::<S>();
            }
        }

        // Then joint by joint: each element of the local matrix is one broadcast from memory.
        for (group, local) in (first..end.div_ceil(GROUP)).zip(&scratch) {
            let from = joint.max(group * GROUP);
            let to = end.min((group + 1) * GROUP);
            for (j, packed) in (from..to).zip(&joints[from..to]) {
                if lod.is_some_and(|lod| !lod.contains(j)) {
                    continue;
                }
                let lane = j % GROUP;
                let parent = usize::from(packed & PARENT);
                let (before, from_here) = models.split_at_mut(j);
                let model = match (before.get(parent), has_root) {
                    (Some(parent), _) => parent.load(s).mul_lane(s, local, lane),
                    (None, true) => root.mul_lane(s, local, lane),
                    (None, false) => Columns::from_lane(s, local, lane),
                };
                from_here[0].store(s, model);
            }
        }
        joint = end;
    }
}
