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
    simd::{Backend, LEN, Simd, WideTransform, blocks, f32x16, prelude::*},
    soa::{GROUP, SoaTransform, group_count},
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
        let (skeleton, locals, root, lod) = (self.skeleton, self.locals, self.root, self.lod);
        match &mut self.models {
            Models::Mat4(m) => dispatch!(backend, s => kernel(s, skeleton, locals, root, range, lod, m)),
            Models::Mat34(m) => dispatch!(backend, s => kernel(s, skeleton, locals, root, range, lod, m)),
        }
        Ok(())
    }
}

/// Parent bits of a packed joint; all set, which is no joint's index, for a root.
const PARENT: u16 = MAX_JOINTS as u16;

/// All lanes of a group.
const WHOLE: u32 = u16::MAX as u32;

/// Two passes and no memory but the output: the rows of every local matrix go where its model matrix will be,
/// then each is multiplied in place.
#[inline(always)]
fn kernel<S: Simd, M: MatrixSlot>(
    s: S,
    skeleton: &Skeleton,
    locals: &[SoaTransform],
    root: Option<&Mat34>,
    range: Range<usize>,
    lod: Option<&JointLod>,
    models: &mut [M],
) {
    let groups = range.start / GROUP..range.end.div_ceil(GROUP);
    for (group, local) in groups.clone().zip(&locals[groups]) {
        let (from, to) = (group * GROUP, (group + 1) * GROUP);
        let after = to.saturating_sub(range.end);
        let before = range.start.saturating_sub(from);
        let in_range = WHOLE >> after >> before << before;
        let chosen = in_range & lod.map_or(WHOLE, |lod| lod.lanes(group));
        match models[from..].first_chunk_mut::<GROUP>() {
            Some(models) if chosen == WHOLE => local_rows(s, local, WHOLE, models),
            _ => local_rows(s, local, chosen, &mut models[from..]),
        }
    }

    // Level by level: a product takes longer than the next one can wait for. Small parts keep joint order, so
    // that they need not look for their joints in the levels.
    let whole = range.len() == skeleton.joint_count() && lod.is_none();
    if whole || range.len() * 4 > skeleton.joint_count() {
        let chosen =
            |joint: usize| whole || (range.contains(&joint) && lod.is_none_or(|lod| lod.contains(joint)));
        let (roots, others) = skeleton.levels();
        for link in roots {
            let joint = usize::from(link.joint);
            if chosen(joint) {
                move_root(s, root, &mut models[joint]);
            }
        }
        for link in others {
            let joint = usize::from(link.joint);
            if chosen(joint) {
                let parent = models[usize::from(link.parent)];
                models[joint].move_rows(s, &parent);
            }
        }
        return;
    }
    let packed = skeleton.packed_joints();
    for joint in range.filter(|joint| lod.is_none_or(|lod| lod.contains(*joint))) {
        let (before, from_here) = models.split_at_mut(joint);
        match before.get(usize::from(packed[joint] & PARENT)) {
            Some(parent) => from_here[0].move_rows(s, parent),
            None => move_root(s, root, &mut from_here[0]),
        }
    }
}

/// Writes the rows of the local matrices of a group. Bits of `chosen` say for which lanes.
#[inline(always)]
fn local_rows<S: Simd, M: MatrixSlot>(s: S, locals: &SoaTransform, chosen: u32, models: &mut [M]) {
    let mut at = 0;
    while at < GROUP {
        if chosen >> at & ((1 << LEN::<S>()) - 1) != 0 {
            let [a, b, c, d] = WideTransform::load(s, locals, at).to_mat34(s).columns;
            let x = blocks::transpose(s, [a.x, b.x, c.x, d.x]);
            let y = blocks::transpose(s, [a.y, b.y, c.y, d.y]);
            let z = blocks::transpose(s, [a.z, b.z, c.z, d.z]);
            if LEN::<S>() == GROUP {
                put_stack(s, 0, x[0], y[0], z[0], chosen, models);
                put_stack(s, 1, x[1], y[1], z[1], chosen, models);
                put_stack(s, 2, x[2], y[2], z[2], chosen, models);
                put_stack(s, 3, x[3], y[3], z[3], chosen, models);
            } else {
                put_block(s, at, 0, &x, &y, &z, chosen, models);
                if LEN::<S>() == 8 {
                    put_block(s, at, 1, &x, &y, &z, chosen, models);
                }
            }
        }
        at += LEN::<S>();
    }
}

// No loops over lanes below: the compiler must know every lane to keep it in its register.

/// Rows of joints `lane`, `lane` + 4, `lane` + 8 and `lane` + 12, where a register holds one row of each.
#[inline(always)]
fn put_stack<S: Simd, M: MatrixSlot>(
    s: S,
    lane: usize,
    x: S::f32s,
    y: S::f32s,
    z: S::f32s,
    chosen: u32,
    models: &mut [M],
) {
    let Some([a, b, c, d]) = blocks::stack_rows(s, x, y, z) else { return };
    put_rows(lane, a, chosen, models);
    put_rows(lane + 4, b, chosen, models);
    put_rows(lane + 8, c, chosen, models);
    put_rows(lane + 12, d, chosen, models);
}

#[inline(always)]
fn put_rows<S: Simd, M: MatrixSlot>(joint: usize, rows: f32x16<S>, chosen: u32, models: &mut [M]) {
    if chosen >> joint & 1 != 0 {
        models[joint].put_rows(rows);
    }
}

/// Rows of four joints, where a register holds them for every fourth lane of a block.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "three rows, a place and where it goes")]
fn put_block<S: Simd, M: MatrixSlot>(
    s: S,
    at: usize,
    block: usize,
    x: &[S::f32s; 4],
    y: &[S::f32s; 4],
    z: &[S::f32s; 4],
    chosen: u32,
    models: &mut [M],
) {
    let first = at + block * 4;
    put_joint(s, block, first, x[0], y[0], z[0], chosen, models);
    put_joint(s, block, first + 1, x[1], y[1], z[1], chosen, models);
    put_joint(s, block, first + 2, x[2], y[2], z[2], chosen, models);
    put_joint(s, block, first + 3, x[3], y[3], z[3], chosen, models);
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "three rows, a place and where it goes")]
fn put_joint<S: Simd, M: MatrixSlot>(
    _: S,
    block: usize,
    joint: usize,
    x: S::f32s,
    y: S::f32s,
    z: S::f32s,
    chosen: u32,
    models: &mut [M],
) {
    if chosen >> joint & 1 != 0 {
        let [to_x, to_y, to_z] = models[joint].rows_mut();
        blocks::block::<S>(x, block).store_slice(to_x);
        blocks::block::<S>(y, block).store_slice(to_y);
        blocks::block::<S>(z, block).store_slice(to_z);
    }
}

/// A root's rows become its matrix.
#[inline(always)]
fn move_root<S: Simd, M: MatrixSlot>(s: S, root: Option<&Mat34>, model: &mut M) {
    let moved = match root {
        Some(root) => Columns::from_mat34(s, root).mul_rows(s, model.rows_mut()),
        None => Columns::from_rows(s, model.rows_mut()),
    };
    model.store(s, moved);
}
