//! Model space back to local space.

use super::{JobError, error::at_least};
use crate::Skeleton;
use lissom_math::{
    Mat4, Mat34, Quat, Transform, Vec3, dispatch,
    scalar::{quat_from_columns, quat_to_columns},
    simd::{Backend, Simd, f64x8, prelude::*},
    soa::{GROUP, SoaTransform, group_count},
    trig::sqrt,
};

/// Finds the local transforms that give model-space matrices: the way back from physics or from edited
/// matrices.
///
/// | field | | |
/// |---|---|---|
/// | `skeleton` | in | parents |
/// | `models` | in | at least one matrix a joint |
/// | `root` | in | the space the skeleton stands in, as in [`LocalToModelJob`](super::LocalToModelJob) |
/// | `locals` | out | at least `skeleton.group_count()` groups; spare lanes are left alone |
/// | `residuals` | out | how far each local is from its matrix; at least one a joint |
///
/// A local matrix is parent⁻¹ · model. Its translation is taken as it is. Its rotation is the one nearest to
/// its columns at unit length (a polar decomposition), and its scale along each axis is the best for that
/// rotation. Without shear this is exact but for rounding; a mirrored matrix gets a negative scale on x. With
/// shear it is a fit: the residual is the largest difference of any of the nine numbers of the upper 3×3.
/// Where a parent has no inverse, the joint's model matrix is taken for its local one and the residual is
/// infinite.
///
/// # Errors
///
/// [`JobError::TooShort`]: `models`, `locals` or `residuals` are smaller than the skeleton.
///
/// # Cost and determinism
///
/// Rotations of eight joints are found side by side, and still it is the dearest job a joint: for tools and
/// hand-overs, not for every joint of a crowd. No allocation, the same bits on every backend.
#[derive(Debug)]
pub struct ModelToLocalJob<'a> {
    /// The hierarchy.
    pub skeleton: &'a Skeleton,
    /// Model-space matrices.
    pub models: &'a [Mat4],
    /// The space the roots stand in.
    pub root: Option<&'a Mat34>,
    /// Local transforms.
    pub locals: &'a mut [SoaTransform],
    /// How far each is from its matrix.
    pub residuals: Option<&'a mut [f32]>,
}

impl<'a> ModelToLocalJob<'a> {
    /// Without a root matrix and without residuals.
    #[must_use]
    pub fn new(skeleton: &'a Skeleton, models: &'a [Mat4], locals: &'a mut [SoaTransform]) -> Self {
        Self { skeleton, models, root: None, locals, residuals: None }
    }
}

impl ModelToLocalJob<'_> {
    /// Finds the first thing that is wrong.
    ///
    /// # Errors
    ///
    /// Listed at [`ModelToLocalJob`].
    pub fn validate(&self) -> Result<(), JobError> {
        let joints = self.skeleton.joint_count();
        at_least("models", "matrices", self.models.len(), joints)?;
        at_least("locals", "groups", self.locals.len(), group_count(joints))?;
        self.residuals.as_ref().map_or(Ok(()), |r| at_least("residuals", "joints", r.len(), joints))
    }

    /// Runs on the widest backend.
    ///
    /// # Errors
    ///
    /// Listed at [`ModelToLocalJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs on a chosen backend.
    ///
    /// # Errors
    ///
    /// Listed at [`ModelToLocalJob`].
    pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        dispatch!(backend, s => self.find(s));
        Ok(())
    }

    #[inline(always)]
    fn find<S: Simd>(&mut self, s: S) {
        let joints = self.skeleton.joint_count();
        for start in (0..joints).step_by(WIDE) {
            let count = WIDE.min(joints - start);
            let mut locals = [(Mat34::IDENTITY, false); WIDE];
            let mut axes = [[[0.0; WIDE]; 3]; 3];
            for (i, local) in locals.iter_mut().enumerate() {
                if i < count {
                    *local = self.local(start + i);
                }
                let q = directions(&local.0);
                for (axis, q) in axes.iter_mut().zip(q) {
                    for (lanes, v) in axis.iter_mut().zip(q) {
                        lanes[i] = v;
                    }
                }
            }
            turn_wide(s, &mut axes);
            for (i, (local, lost)) in locals[..count].iter().enumerate() {
                let j = start + i;
                let q = axes.map(|axis| axis.map(|lanes| lanes[i]));
                let (transform, residual) = fit(local, q);
                self.locals[j / GROUP].set_lane(j % GROUP, transform);
                if let Some(residuals) = &mut self.residuals {
                    residuals[j] = if *lost { f32::INFINITY } else { residual };
                }
            }
        }
    }

    /// A joint's matrix in its parent's space; or its model matrix, and true, where that has no inverse.
    #[inline(always)]
    fn local(&self, joint: usize) -> (Mat34, bool) {
        let model = Mat34::from_mat4(&self.models[joint]);
        let parent = match self.skeleton.parent(joint) {
            Some(p) => Some(Mat34::from_mat4(&self.models[p])),
            None => self.root.copied(),
        };
        match parent {
            None => (model, false),
            Some(p) => match p.inverse() {
                Some(inverse) => (inverse.mul(&model), false),
                None => (model, true),
            },
        }
    }
}

/// The transform nearest to a matrix, and the largest difference of the upper 3×3; see [`ModelToLocalJob`].
#[must_use]
pub fn decompose(m: &Mat34) -> (Transform, f32) {
    let mut q = directions(m);
    turn(&mut q);
    fit(m, q)
}

/// Joints whose rotations are found side by side.
const WIDE: usize = 8;

/// Newton's iteration for the orthogonal polar factor, the mean of a matrix and its inverse transpose, has
/// come to rest after this many steps.
const STEPS: usize = 12;

/// Unit columns of a matrix, right-handed and independent.
#[inline(always)]
fn directions(m: &Mat34) -> [[f64; 3]; 3] {
    let mut q = [unit(m.columns[0]), unit(m.columns[1]), unit(m.columns[2])];
    if m.determinant() < 0.0 {
        q[0] = q[0].map(|v| -v);
    }
    complete(&mut q);
    q
}

/// Makes columns orthogonal: the rotation nearest to them.
fn turn(q: &mut [[f64; 3]; 3]) {
    for _ in 0..STEPS {
        let cofactors = [cross(q[1], q[2]), cross(q[2], q[0]), cross(q[0], q[1])];
        let inverse = 1.0 / dot(q[0], cofactors[0]);
        if !inverse.is_finite() {
            break;
        }
        for i in 0..3 {
            for k in 0..3 {
                q[i][k] = 0.5 * (q[i][k] + cofactors[i][k] * inverse);
            }
        }
    }
}

/// [`turn`] in every lane.
#[inline(always)]
fn turn_wide<S: Simd>(s: S, axes: &mut [[[f64; WIDE]; 3]; 3]) {
    // No closures: one that is not inlined is compiled for the baseline.
    let zero = f64x8::splat(s, 0.0);
    let mut q = [[zero; 3]; 3];
    for (q, axis) in q.iter_mut().zip(&*axes) {
        for (v, lanes) in q.iter_mut().zip(axis) {
            *v = f64x8::from_slice(s, lanes);
        }
    }
    let (half, one, infinity) = (f64x8::splat(s, 0.5), f64x8::splat(s, 1.0), f64x8::splat(s, f64::INFINITY));
    for _ in 0..STEPS {
        let cofactors = [cross_wide(q[1], q[2]), cross_wide(q[2], q[0]), cross_wide(q[0], q[1])];
        let c = cofactors[0];
        let inverse = one / ((q[0][0] * c[0] + q[0][1] * c[1]) + q[0][2] * c[2]);
        // A lane that has no inverse stays, and will have none in the next step.
        let finite = inverse.abs().simd_lt(infinity);
        for (q, c) in q.iter_mut().zip(cofactors) {
            for (v, c) in q.iter_mut().zip(c) {
                *v = finite.select(half * (*v + c * inverse), *v);
            }
        }
    }
    for (q, axis) in q.iter().zip(axes) {
        for (v, lanes) in q.iter().zip(axis) {
            v.store_slice(lanes);
        }
    }
}

#[inline(always)]
fn cross_wide<S: Simd>(a: [f64x8<S>; 3], b: [f64x8<S>; 3]) -> [f64x8<S>; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The transform of a rotation's columns that fits a matrix best, and what is left.
#[inline(always)]
fn fit(m: &Mat34, q: [[f64; 3]; 3]) -> (Transform, f32) {
    let columns = [m.columns[0], m.columns[1], m.columns[2]];
    let rotation = quat_from_columns(q.map(|c| c.map(|v| v as f32)));
    let r = quat_to_columns(rotation);
    let scale: [f32; 3] = core::array::from_fn(|i| {
        (r[i][0] * columns[i][0] + r[i][1] * columns[i][1]) + r[i][2] * columns[i][2]
    });
    let mut residual = 0.0;
    for i in 0..3 {
        for k in 0..3 {
            let d = (r[i][k] * scale[i] - columns[i][k]).abs();
            if d.is_nan() || d > residual {
                residual = d;
            }
        }
    }
    let rotation = Quat::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w);
    (Transform { translation: m.translation(), rotation, scale: Vec3::from_array(scale) }, residual)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The direction of a column; zero if it has none.
fn unit(c: [f32; 3]) -> [f64; 3] {
    let length = f64::from(sqrt((c[0] * c[0] + c[1] * c[1]) + c[2] * c[2]));
    if length > 0.0 && length.is_finite() { c.map(|v| f64::from(v) / length) } else { [0.0; 3] }
}

/// Gives axes that a scale of zero took away any direction that makes the three independent.
fn complete(q: &mut [[f64; 3]; 3]) {
    for i in 0..3 {
        if dot(q[i], q[i]) > 0.0 {
            continue;
        }
        let (a, b) = (q[(i + 1) % 3], q[(i + 2) % 3]);
        let across = cross(a, b);
        q[i] = if dot(across, across) > 1.0e-12 {
            across
        } else {
            // One other axis at most: the unit vector that is furthest from it.
            let other = if dot(a, a) > 0.0 { a } else { b };
            let least = if other[0].abs() <= other[1].abs() && other[0].abs() <= other[2].abs() {
                [1.0, 0.0, 0.0]
            } else if other[1].abs() <= other[2].abs() {
                [0.0, 1.0, 0.0]
            } else {
                [0.0, 0.0, 1.0]
            };
            if dot(other, other) > 0.0 { cross(other, least) } else { least }
        };
    }
}
