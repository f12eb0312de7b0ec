//! Model space back to local space.

use super::{JobError, error::at_least};
use crate::Skeleton;
use lissom_math::{
    Mat4, Mat34, Quat, Transform, Vec3, dispatch,
    scalar::{
        add, cross as cross_of, dot as dot_of, neg, quat_from_columns, quat_to_columns, scale as scaled,
    },
    simd::{Backend, LEN, Simd, WideMat34, WideQuat, WideVec3, f64x8, prelude::*, splat, store},
    soa::{GROUP, Lanes, SoaMat34, SoaTransform, SoaVec3, group_count},
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
/// There are two ways to the rotation. Where the columns are at right angles already (the cosine between any two is below
/// 2⁻¹²), whatever their lengths, one step in f32 finds it: the matrices of physics and of
/// [`LocalToModelJob`](super::LocalToModelJob) without uneven scales. The others take twelve steps in f64.
///
/// # Errors
///
/// [`JobError::TooShort`]: `models`, `locals` or `residuals` are smaller than the skeleton.
///
/// # Cost and determinism
///
/// Joints whose columns are at right angles are found side by side, as many as the backend has lanes. The others take about ten
/// times as long: `BENCHMARKS.md`. No allocation, the same bits on every backend, whatever the joints beside are.
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
        let mut room = [SoaMat34::IDENTITY; 2];
        for group in 0..group_count(joints) {
            let start = group * GROUP;
            let count = GROUP.min(joints - start);
            let found = self.find_square(s, start, count, &mut room);
            let mut left = !found & ((1 << count) - 1);
            while left != 0 {
                left = self.find_any(s, start, left);
            }
        }
    }

    /// The joints of a group whose local columns are at right angles. Returns which these are.
    #[inline(always)]
    fn find_square<S: Simd>(&mut self, s: S, start: usize, count: usize, room: &mut [SoaMat34; 2]) -> u32 {
        let [parents, models] = room;
        let mut below = 0;
        for lane in 0..count {
            let joint = start + lane;
            match (self.skeleton.parent(joint), self.root) {
                (Some(parent), _) => put_lane(parents, lane, &self.models[parent]),
                (None, Some(root)) => parents.set_lane(lane, root),
                // Its local matrix is its own.
                (None, None) => continue,
            }
            put_lane(models, lane, &self.models[joint]);
            below |= 1 << lane;
        }
        let output = &mut self.locals[start / GROUP];
        let mut found = 0;
        let mut at = 0;
        while at < count {
            let lanes = (below >> at & ((1 << LEN::<S>()) - 1)) as u64;
            let local = local_wide(s, WideMat34::load(s, parents, at), WideMat34::load(s, models, at));
            let (rotation, scale, residual, ok) = square_wide(s, &local);
            let ok = (ok & S::mask32s::from_bitmask(s, lanes)).to_bitmask();
            if ok == (1 << LEN::<S>()) - 1 {
                local.columns[3].store(&mut output.translation, at);
                rotation.store(&mut output.rotation, at);
                scale.store(&mut output.scale, at);
            } else if ok != 0 {
                let ok = S::mask32s::from_bitmask(s, ok);
                put_where(s, ok, local.columns[3], &mut output.translation, at);
                put_where(s, ok, scale, &mut output.scale, at);
                let old = WideQuat::load(s, &output.rotation, at);
                WideQuat::select(ok, rotation, old).store(&mut output.rotation, at);
            }
            if let Some(residuals) = &mut self.residuals {
                let mut left = Lanes::splat(0.0);
                store(residual, &mut left, at);
                for lane in at..(at + LEN::<S>()).min(count) {
                    if ok >> (lane - at) & 1 != 0 {
                        residuals[start + lane] = left.0[lane];
                    }
                }
            }
            found |= (ok as u32) << at;
            at += LEN::<S>();
        }
        found
    }

    /// The first joints of `left`, as many as are turned in f64 side by side, whatever their matrices are. Returns the others.
    #[inline(always)]
    fn find_any<S: Simd>(&mut self, s: S, start: usize, mut left: u32) -> u32 {
        let mut all = [(0, Mat34::IDENTITY, false); WIDE];
        let mut axes = [[[0.0; WIDE]; 3]; 3];
        let mut count = 0;
        while left != 0 && count < WIDE {
            let joint = start + left.trailing_zeros() as usize;
            left &= left - 1;
            let (local, lost) = self.local(joint);
            // A root without a matrix above it.
            if let Some((transform, residual)) = square(&local) {
                self.put(joint, transform, residual, lost);
                continue;
            }
            all[count] = (joint, local, lost);
            for (axis, q) in axes.iter_mut().zip(directions(&local)) {
                for (lanes, v) in axis.iter_mut().zip(q) {
                    lanes[count] = v;
                }
            }
            count += 1;
        }
        if count > 0 {
            turn_wide(s, &mut axes);
        }
        for (i, (joint, local, lost)) in all[..count].iter().enumerate() {
            let (transform, residual) = fit(local, axes.map(|axis| axis.map(|lanes| lanes[i] as f32)));
            self.put(*joint, transform, residual, *lost);
        }
        left
    }

    fn put(&mut self, joint: usize, transform: Transform, residual: f32, lost: bool) {
        self.locals[joint / GROUP].set_lane(joint % GROUP, transform);
        if let Some(residuals) = &mut self.residuals {
            residuals[joint] = if lost { f32::INFINITY } else { residual };
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
    square(m).unwrap_or_else(|| {
        let mut q = directions(m);
        turn(&mut q);
        fit(m, q.map(|c| c.map(|v| v as f32)))
    })
}

/// Columns are at right angles if no cosine between two of them is as large as this. One of Newton's steps leaves half of its square, which is less than
/// half of the last place of a number near 1.
const SQUARE: f32 = 1.0 / 4096.0;
/// The squared lengths of columns of which neither squares nor products are lost.
const LENGTHS: [f32; 2] = [1.0e-12, 1.0e12];

/// The transform nearest to a matrix whose columns are at right angles; `None` if they are not.
fn square(m: &Mat34) -> Option<(Transform, f32)> {
    let columns = [0, 1, 2].map(|i| Vec3::from_array(m.columns[i]));
    let squared = columns.map(|c| dot_of(c, c));
    let in_range = |v: f32| v > LENGTHS[0] && v < LENGTHS[1];
    let mut u = columns;
    for (u, squared) in u.iter_mut().zip(squared) {
        *u = scaled(*u, 1.0 / sqrt(squared));
    }
    let apart = |a: Vec3, b: Vec3| dot_of(a, b).abs() < SQUARE;
    let ok = squared.into_iter().all(in_range) && apart(u[0], u[1]) && apart(u[1], u[2]) && apart(u[2], u[0]);
    if !ok {
        return None;
    }
    if dot_of(u[0], cross_of(u[1], u[2])) < 0.0 {
        u[0] = neg(u[0]);
    }
    let cofactors = [cross_of(u[1], u[2]), cross_of(u[2], u[0]), cross_of(u[0], u[1])];
    let inverse = 1.0 / dot_of(u[0], cofactors[0]);
    let q = [0, 1, 2].map(|i| scaled(add(u[i], scaled(cofactors[i], inverse)), 0.5).to_array());
    Some(fit(m, q))
}

/// parent⁻¹ · model. Where a parent has no inverse, the first number is none.
#[inline(always)]
fn local_wide<S: Simd>(s: S, parent: WideMat34<S>, model: WideMat34<S>) -> WideMat34<S> {
    let (inverse, there) = parent.inverse(s);
    let mut local = inverse * model;
    // Not at right angles to anything: taken the other way.
    local.columns[0].x = there.select(local.columns[0].x, splat(s, f32::NAN));
    local
}

/// [`square`] in every lane: rotation, scale, residual, and where they count.
#[inline(always)]
fn square_wide<S: Simd>(s: S, m: &WideMat34<S>) -> (WideQuat<S>, WideVec3<S>, S::f32s, S::mask32s) {
    let (zero, one, half) = (splat(s, 0.0), splat(s, 1.0), splat(s, 0.5));
    let [c0, c1, c2, _] = m.columns;
    let (s0, s1, s2) = (c0.dot(c0), c1.dot(c1), c2.dot(c2));
    let (least, most, limit) = (splat(s, LENGTHS[0]), splat(s, LENGTHS[1]), splat(s, SQUARE));
    let mut ok = s0.simd_gt(least) & s0.simd_lt(most);
    ok &= s1.simd_gt(least) & s1.simd_lt(most);
    ok &= s2.simd_gt(least) & s2.simd_lt(most);
    let (u0, u1, u2) = (c0.scale(one / s0.sqrt()), c1.scale(one / s1.sqrt()), c2.scale(one / s2.sqrt()));
    ok &= u0.dot(u1).abs().simd_lt(limit);
    ok &= u1.dot(u2).abs().simd_lt(limit);
    ok &= u2.dot(u0).abs().simd_lt(limit);
    let mirrored = u0.dot(u1.cross(u2)).simd_lt(zero);
    let u0 = WideVec3::select(mirrored, -u0, u0);
    let (k0, k1, k2) = (u1.cross(u2), u2.cross(u0), u0.cross(u1));
    let inverse = one / u0.dot(k0);
    let q0 = (u0 + k0.scale(inverse)).scale(half);
    let q1 = (u1 + k1.scale(inverse)).scale(half);
    let q2 = (u2 + k2.scale(inverse)).scale(half);
    let rotation = WideQuat::from_columns(s, [q0, q1, q2]);
    let [r0, r1, r2] = rotation.to_columns(s);
    let scale = WideVec3::<S> { x: r0.dot(c0), y: r1.dot(c1), z: r2.dot(c2) };
    let mut residual = zero;
    residual = farther(residual, r0.scale(scale.x) - c0);
    residual = farther(residual, r1.scale(scale.y) - c1);
    residual = farther(residual, r2.scale(scale.z) - c2);
    (rotation, scale, residual, ok)
}

/// The largest of a number and of a vector's, without their signs.
#[inline(always)]
fn farther<S: Simd>(most: S::f32s, v: WideVec3<S>) -> S::f32s {
    let (x, y, z) = (v.x.abs(), v.y.abs(), v.z.abs());
    let most = x.simd_gt(most).select(x, most);
    let most = y.simd_gt(most).select(y, most);
    z.simd_gt(most).select(z, most)
}

/// Writes some lanes.
#[inline(always)]
fn put_where<S: Simd>(s: S, lanes: S::mask32s, v: WideVec3<S>, to: &mut SoaVec3, at: usize) {
    WideVec3::select(lanes, v, WideVec3::load(s, to, at)).store(to, at);
}

#[inline(always)]
fn put_lane(to: &mut SoaMat34, lane: usize, m: &Mat4) {
    let [x, y, z, w] = m.to_cols_array_2d();
    for (to, [a, b, c, _]) in to.columns.iter_mut().zip([x, y, z, w]) {
        (to.x.0[lane], to.y.0[lane], to.z.0[lane]) = (a, b, c);
    }
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
fn fit(m: &Mat34, q: [[f32; 3]; 3]) -> (Transform, f32) {
    let columns = [m.columns[0], m.columns[1], m.columns[2]];
    let rotation = quat_from_columns(q);
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
