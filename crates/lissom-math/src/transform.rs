//! Translation, rotation, scale.

use crate::{Mat34, Quat, Vec3, scalar};

/// A joint's local transform: scale first, then rotation, then translation.
///
/// Layout: `repr(C)`, translation (3 × f32), rotation (x y z w), scale (3 × f32). `glam::Quat` is 16-byte
/// aligned on most targets, so this is a value type, not a file format.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Transform {
    /// Metres (or the caller's unit), in the parent's space.
    pub translation: Vec3,
    /// Unit quaternion.
    pub rotation: Quat,
    /// Per axis; 1 is unscaled.
    pub scale: Vec3,
}

impl Transform {
    /// No movement.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Only a translation.
    #[must_use]
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Only a rotation.
    #[must_use]
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// The ten numbers: translation, rotation (x y z w), scale.
    #[must_use]
    pub fn to_array(self) -> [f32; 10] {
        let (t, r, s) = (self.translation, self.rotation, self.scale);
        [t.x, t.y, t.z, r.x, r.y, r.z, r.w, s.x, s.y, s.z]
    }

    /// From the ten numbers: translation, rotation (x y z w), scale.
    #[must_use]
    pub fn from_array(a: [f32; 10]) -> Self {
        Self {
            translation: Vec3::new(a[0], a[1], a[2]),
            rotation: Quat::from_xyzw(a[3], a[4], a[5], a[6]),
            scale: Vec3::new(a[7], a[8], a[9]),
        }
    }

    /// True where all ten numbers are finite.
    #[must_use]
    pub fn is_finite(self) -> bool {
        scalar::is_finite(self.translation)
            && scalar::quat_is_finite(self.rotation)
            && scalar::is_finite(self.scale)
    }

    /// The affine matrix: columns R·scale, then the translation.
    #[inline]
    #[must_use]
    pub fn to_mat34(self) -> Mat34 {
        let [x, y, z] = scalar::quat_to_columns(self.rotation);
        let s = self.scale;
        let t = self.translation;
        Mat34 {
            columns: [
                [x[0] * s.x, x[1] * s.x, x[2] * s.x],
                [y[0] * s.y, y[1] * s.y, y[2] * s.y],
                [z[0] * s.z, z[1] * s.z, z[2] * s.z],
                [t.x, t.y, t.z],
            ],
        }
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}
