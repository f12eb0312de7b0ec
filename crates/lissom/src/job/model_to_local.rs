//! Model space back to local space.

use super::{JobError, error::at_least};
use crate::Skeleton;
use lissom_math::{
    Mat4, Mat34, Quat, Transform, Vec3,
    scalar::{quat_from_columns, quat_to_columns},
    simd::Backend,
    soa::{GROUP, SoaTransform, group_count},
    trig::sqrt,
};

/// Finds the local transforms that give model-space matrices: the way back from physics or from edited matrices.
///
/// | field | | |
/// |---|---|---|
/// | `skeleton` | in | parents |
/// | `models` | in | at least one matrix a joint |
/// | `root` | in | the space the skeleton stands in, as in [`LocalToModelJob`](super::LocalToModelJob) |
/// | `locals` | out | at least `skeleton.group_count()` groups; spare lanes are left alone |
/// | `residuals` | out | how far each local is from its matrix; at least one a joint |
///
/// A local matrix is parent⁻¹ · model. Its translation is taken as it is. Its rotation is the one nearest to its
/// columns at unit length (a polar decomposition), and its scale along each axis is the best for that rotation.
/// Without shear this is exact but for rounding; a mirrored matrix gets a negative scale on x. With shear it
/// is a fit: the residual is the largest difference of any of the nine numbers of the upper 3×3. Where a parent
/// has no inverse, the joint's model matrix is taken for its local one and the residual is infinite.
///
/// # Errors
///
/// [`JobError::TooShort`]: `models`, `locals` or `residuals` are smaller than the skeleton.
///
/// # Cost and determinism
///
/// Plain code, by far the dearest job a joint: for tools and hand-overs, not for every joint of a crowd. No
/// allocation, the same bits everywhere.
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

    /// Runs.
    ///
    /// # Errors
    ///
    /// Listed at [`ModelToLocalJob`].
    pub fn run(&mut self) -> Result<(), JobError> {
        self.run_on(Backend::best())
    }

    /// Runs; plain code, the same on every backend.
    ///
    /// # Errors
    ///
    /// Listed at [`ModelToLocalJob`].
    pub fn run_on(&mut self, _backend: Backend) -> Result<(), JobError> {
        self.validate()?;
        for j in 0..self.skeleton.joint_count() {
            let model = Mat34::from_mat4(&self.models[j]);
            let parent = match self.skeleton.parent(j) {
                Some(p) => Some(Mat34::from_mat4(&self.models[p])),
                None => self.root.copied(),
            };
            let (local, lost) = match parent {
                None => (model, false),
                Some(p) => match p.inverse() {
                    Some(inverse) => (inverse.mul(&model), false),
                    None => (model, true),
                },
            };
            let (transform, residual) = decompose(&local);
            self.locals[j / GROUP].set_lane(j % GROUP, transform);
            if let Some(residuals) = &mut self.residuals {
                residuals[j] = if lost { f32::INFINITY } else { residual };
            }
        }
        Ok(())
    }
}

/// The transform nearest to a matrix, and the largest difference of the upper 3×3; see [`ModelToLocalJob`].
#[must_use]
pub fn decompose(m: &Mat34) -> (Transform, f32) {
    let columns = [m.columns[0], m.columns[1], m.columns[2]];
    let mirrored = m.determinant() < 0.0;
    let mut q = columns.map(unit);
    if mirrored {
        q[0] = q[0].map(|v| -v);
    }
    complete(&mut q);
    // Newton's iteration for the orthogonal polar factor: the mean of a matrix and its inverse transpose.
    for _ in 0..12 {
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
