//! Rigid motions as dual quaternions.

use bytemuck::{Pod, Zeroable};
use lissom_math::{
    Mat4, Mat34, Quat,
    scalar::{length, quat_from_columns, quat_mul, scale},
};

/// A rotation and a translation as a dual quaternion: `dual` is half the translation times `real`. 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DualQuat {
    /// The rotation, x y z w, unit length.
    pub real: [f32; 4],
    /// The translation's part.
    pub dual: [f32; 4],
}

impl DualQuat {
    /// No movement.
    pub const IDENTITY: Self = Self { real: [0.0, 0.0, 0.0, 1.0], dual: [0.0; 4] };

    /// The rigid part of a matrix: its columns are normalised, and scale, shear and mirroring are lost.
    #[must_use]
    pub fn from_mat34(m: &Mat34) -> Self {
        let unit = |c: [f32; 3]| {
            let v = lissom_math::Vec3::from_array(c);
            let l = length(v);
            if l > 0.0 { scale(v, 1.0 / l).to_array() } else { [0.0; 3] }
        };
        let [x, y, z, t] = m.columns;
        let q = quat_from_columns([unit(x), unit(y), unit(z)]);
        let d = quat_mul(Quat::from_xyzw(t[0] * 0.5, t[1] * 0.5, t[2] * 0.5, 0.0), q);
        Self { real: [q.x, q.y, q.z, q.w], dual: [d.x, d.y, d.z, d.w] }
    }

    /// The matrix of this motion.
    #[must_use]
    pub fn to_mat34(&self) -> Mat34 {
        let [x, y, z, w] = self.real;
        let q = Quat::from_xyzw(x, y, z, w);
        let d = Quat::from_xyzw(self.dual[0], self.dual[1], self.dual[2], self.dual[3]);
        let t = quat_mul(d, Quat::from_xyzw(-x, -y, -z, w));
        let [a, b, c] = lissom_math::scalar::quat_to_columns(q);
        Mat34 { columns: [a, b, c, [t.x + t.x, t.y + t.y, t.z + t.z]] }
    }
}

/// Turns a palette of matrices into dual quaternions, as many as fit.
pub fn dual_quat_palette(palette: &[Mat4], out: &mut [DualQuat]) {
    for (m, out) in palette.iter().zip(out) {
        *out = DualQuat::from_mat34(&Mat34::from_mat4(m));
    }
}
