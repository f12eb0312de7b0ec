//! Affine matrices: three rows, four columns.

use crate::{Mat4, Vec3, Vec4};
use bytemuck::{Pod, Zeroable};

/// An affine matrix as four columns of three: the axes, then the translation. 48 bytes, no padding.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Mat34 {
    /// The images of x, y and z, then of the origin.
    pub columns: [[f32; 3]; 4],
}

impl Mat34 {
    /// No movement.
    pub const IDENTITY: Self =
        Self { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]] };

    /// `self` after `rhs`: the matrix of the joint `rhs` in the space that `self` is given in.
    #[inline]
    #[must_use]
    pub fn mul(&self, rhs: &Self) -> Self {
        let mut out = Self::IDENTITY;
        for (j, column) in out.columns.iter_mut().enumerate() {
            *column = if j < 3 { self.mul_vector(rhs.columns[j]) } else { self.mul_point(rhs.columns[j]) };
        }
        out
    }

    /// Moves a direction: the translation does not count. (a·x + b·y) + c·z
    #[inline]
    #[must_use]
    pub fn mul_vector(&self, v: [f32; 3]) -> [f32; 3] {
        let [a, b, c, _] = &self.columns;
        core::array::from_fn(|i| (a[i] * v[0] + b[i] * v[1]) + c[i] * v[2])
    }

    /// Moves a point. ((a·x + b·y) + c·z) + d
    #[inline]
    #[must_use]
    pub fn mul_point(&self, v: [f32; 3]) -> [f32; 3] {
        let m = self.mul_vector(v);
        core::array::from_fn(|i| m[i] + self.columns[3][i])
    }

    /// The determinant of the upper 3×3.
    #[must_use]
    pub fn determinant(&self) -> f32 {
        let [a, b, c, _] = &self.columns;
        (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]))
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    }

    /// The inverse, or `None` where the determinant is zero or not finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let [a, b, c, d] = self.columns;
        let det = self.determinant();
        let inv = 1.0 / det;
        if det == 0.0 || !det.is_finite() || !inv.is_finite() {
            return None;
        }
        // Rows of the inverse are cross products of the columns, over the determinant.
        let cross = |p: [f32; 3], q: [f32; 3]| {
            [
                (p[1] * q[2] - p[2] * q[1]) * inv,
                (p[2] * q[0] - p[0] * q[2]) * inv,
                (p[0] * q[1] - p[1] * q[0]) * inv,
            ]
        };
        let (r0, r1, r2) = (cross(b, c), cross(c, a), cross(a, b));
        let at = |r: [f32; 3]| -((r[0] * d[0] + r[1] * d[1]) + r[2] * d[2]);
        Some(Self {
            columns: [
                [r0[0], r1[0], r2[0]],
                [r0[1], r1[1], r2[1]],
                [r0[2], r1[2], r2[2]],
                [at(r0), at(r1), at(r2)],
            ],
        })
    }

    /// The translation.
    #[must_use]
    pub fn translation(&self) -> Vec3 {
        Vec3::from_array(self.columns[3])
    }

    /// True where all twelve numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        // Without a branch a number.
        self.columns.as_flattened().iter().fold(true, |all, v| all & v.is_finite())
    }

    /// As a column-major 4×4 with the last row 0 0 0 1.
    #[must_use]
    pub fn to_mat4(&self) -> Mat4 {
        let column = |c: [f32; 3], w: f32| Vec4::new(c[0], c[1], c[2], w);
        let [a, b, c, d] = self.columns;
        Mat4::from_cols(column(a, 0.0), column(b, 0.0), column(c, 0.0), column(d, 1.0))
    }

    /// From the upper three rows of a 4×4; the last row is not looked at.
    #[must_use]
    pub fn from_mat4(m: &Mat4) -> Self {
        let column = |c: Vec4| [c.x, c.y, c.z];
        Self { columns: [column(m.x_axis), column(m.y_axis), column(m.z_axis), column(m.w_axis)] }
    }
}

impl Default for Mat34 {
    fn default() -> Self {
        Self::IDENTITY
    }
}
