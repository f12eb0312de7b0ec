//! QVVS transforms: rotation, position, uniform scale, and a stretch that children do not inherit.
//!
//! Products of rotation, translation and per-axis scale leave the family (they shear). QVVS stays closed:
//! only the uniform scale is handed down, while each entity keeps its own per-axis *stretch*, which
//! moves its children's positions but does not deform them.

use crate::{Mat34, Quat, Vec3, scalar};
use bytemuck::{Pod, Zeroable};

/// A local transform in its parent's space: rotation, position, uniform scale. 32 bytes, 16-aligned.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct Qvs {
    /// Unit quaternion.
    pub rotation: Quat,
    /// In the parent's space.
    pub position: Vec3,
    /// Uniform scale.
    pub scale: f32,
}

/// A world transform: rotation, position, uniform scale, stretch and a user word. 48 bytes, 16-aligned.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct Qvvs {
    /// Unit quaternion.
    pub rotation: Quat,
    /// In the world.
    pub position: Vec3,
    /// The caller's own 32 bits; they travel with the transform and mean nothing to it.
    pub user: u32,
    /// Per axis, this entity's own: children do not inherit it.
    pub stretch: Vec3,
    /// Uniform scale, inherited.
    pub scale: f32,
}

impl Qvs {
    /// No movement.
    pub const IDENTITY: Self = Self { rotation: Quat::IDENTITY, position: Vec3::ZERO, scale: 1.0 };

    /// Only a position.
    #[must_use]
    pub const fn from_position(position: Vec3) -> Self {
        Self { position, ..Self::IDENTITY }
    }

    /// True where all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        scalar::quat_is_finite(self.rotation) && scalar::is_finite(self.position) && self.scale.is_finite()
    }
}

impl Qvvs {
    /// No movement.
    pub const IDENTITY: Self =
        Self { rotation: Quat::IDENTITY, position: Vec3::ZERO, user: 0, stretch: Vec3::ONE, scale: 1.0 };

    /// A world transform from a local one, as if the parent were the world's origin.
    #[must_use]
    pub const fn from_qvs(local: Qvs, stretch: Vec3, user: u32) -> Self {
        Self { rotation: local.rotation, position: local.position, user, stretch, scale: local.scale }
    }

    /// The child's world transform: `self` is the parent's, `local` the child's own.
    ///
    /// rotation = P·L, renormalised; position = P.position + rotate(P.rotation, L.position ⊙ P.stretch · P.scale);
    /// scale = P.scale · L.scale. `stretch` and `user` are the child's own.
    #[inline]
    #[must_use]
    pub fn mul(&self, local: &Qvs, stretch: Vec3, user: u32) -> Self {
        let reach = scalar::scale(scalar::mul(local.position, self.stretch), self.scale);
        Self {
            rotation: scalar::quat_normalize(scalar::quat_mul(self.rotation, local.rotation)),
            position: scalar::add(self.position, scalar::quat_rotate(self.rotation, reach)),
            user,
            stretch,
            scale: self.scale * local.scale,
        }
    }

    /// The local transform that [`Qvvs::mul`] of `self` turns into `world`.
    ///
    /// A parent scale or stretch of zero has no inverse: the result then holds infinities or NaN, which
    /// [`Qvs::is_finite`] tells.
    #[inline]
    #[must_use]
    pub fn inverse_mul(&self, world: &Self) -> Qvs {
        let back = scalar::quat_conjugate(self.rotation);
        let d = scalar::quat_rotate(back, scalar::sub(world.position, self.position));
        let s = self.stretch;
        Qvs {
            rotation: scalar::quat_normalize(scalar::quat_mul(back, world.rotation)),
            position: Vec3::new(d.x / (s.x * self.scale), d.y / (s.y * self.scale), d.z / (s.z * self.scale)),
            scale: world.scale / self.scale,
        }
    }

    /// The transform of the parent as seen from here: `inverse_mul` of the identity.
    #[inline]
    #[must_use]
    pub fn inverse(&self) -> Qvs {
        self.inverse_mul(&Self::IDENTITY)
    }

    /// A point of this entity's own space (stretch included), in the world.
    #[inline]
    #[must_use]
    pub fn transform_point(&self, p: Vec3) -> Vec3 {
        let p = scalar::scale(scalar::mul(p, self.stretch), self.scale);
        scalar::add(self.position, scalar::quat_rotate(self.rotation, p))
    }

    /// The affine matrix: columns R·(stretch·scale), then the position.
    #[inline]
    #[must_use]
    pub fn to_mat34(&self) -> Mat34 {
        crate::Transform {
            translation: self.position,
            rotation: self.rotation,
            scale: scalar::scale(self.stretch, self.scale),
        }
        .to_mat34()
    }

    /// True where all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        scalar::quat_is_finite(self.rotation)
            && scalar::is_finite(self.position)
            && scalar::is_finite(self.stretch)
            && self.scale.is_finite()
    }
}

impl Default for Qvs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Default for Qvvs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

const _: () = assert!(size_of::<Qvs>() == 32 && size_of::<Qvvs>() == 48);

#[cfg(test)]
mod tests {
    use super::*;

    fn parent() -> Qvvs {
        Qvvs {
            rotation: scalar::quat_from_axis_angle(Vec3::new(0.0, 0.0, 1.0), core::f32::consts::FRAC_PI_2),
            position: Vec3::new(10.0, 0.0, 0.0),
            user: 7,
            stretch: Vec3::new(2.0, 1.0, 1.0),
            scale: 3.0,
        }
    }

    #[test]
    fn stretch_moves_the_child_but_is_not_inherited() {
        let child = parent().mul(&Qvs::from_position(Vec3::new(1.0, 0.0, 0.0)), Vec3::ONE, 9);
        assert!((child.position.x - 10.0).abs() < 1e-5);
        assert!((child.position.y - 6.0).abs() < 1e-5);
        assert_eq!((child.scale, child.stretch, child.user), (3.0, Vec3::ONE, 9));
    }

    #[test]
    fn inverse_mul_undoes_mul() {
        let local = Qvs {
            rotation: scalar::quat_from_axis_angle(Vec3::new(0.0, 1.0, 0.0), 0.7),
            position: Vec3::new(0.3, -2.0, 5.0),
            scale: 0.25,
        };
        let back = parent().inverse_mul(&parent().mul(&local, Vec3::ONE, 0));
        assert!((scalar::quat_dot(back.rotation, local.rotation) - 1.0).abs() < 1e-6);
        assert!(scalar::length(scalar::sub(back.position, local.position)) < 1e-5);
        assert!((back.scale - local.scale).abs() < 1e-6);
    }

    #[test]
    fn a_parent_of_scale_zero_gives_a_local_that_says_so() {
        let flat = Qvvs { scale: 0.0, ..parent() };
        assert!(!flat.inverse_mul(&Qvvs::IDENTITY).is_finite());
    }
}
