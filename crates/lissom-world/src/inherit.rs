//! What an entity takes from its parent, and the one function that composes a world transform.
//!
//! Every algorithm calls [`compose`] (or a kernel with the same bits) on the same three inputs: the
//! parent's world, the own local, the own old world. That is why they all agree.

use core::ops::BitOr;
use lissom_math::{Quat, Qvs, Qvvs, Vec3, scalar};

/// What an entity keeps instead of inheriting it. Without a parent nothing is inherited and nothing here
/// has an effect.
///
/// A kept component of the world transform stays as it was, whatever moves: parent or own local. To change
/// it, set the world transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inherit(u8);

impl Inherit {
    /// Inherit everything.
    pub const ALL: Self = Self(0);
    /// Keep the world position's x.
    pub const KEEP_X: Self = Self(1);
    /// Keep the world position's y.
    pub const KEEP_Y: Self = Self(2);
    /// Keep the world position's z.
    pub const KEEP_Z: Self = Self(4);
    /// Keep the whole world position.
    pub const KEEP_POSITION: Self = Self(7);
    /// Keep the world direction of +z; the inherited +y is followed as far as that allows.
    pub const KEEP_FORWARD: Self = Self(8);
    /// Keep the world direction of +y; the inherited +z is followed as far as that allows.
    pub const KEEP_UP: Self = Self(16);
    /// Keep the world rotation, bit for bit. Forward and up together mean the same.
    pub const KEEP_ROTATION: Self = Self(32);
    /// Keep the world scale.
    pub const KEEP_SCALE: Self = Self(64);
    /// No own local: copy the parent's whole world transform, with its stretch and user word. Setting or
    /// clearing it is a change of the entity; while it is set, the other flags mean nothing.
    pub const COPY_PARENT: Self = Self(128);

    /// True where all of `flags` are set.
    #[must_use]
    pub const fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// The flags as bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From bits; every value is allowed.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

impl BitOr for Inherit {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// An entity's [`Inherit`] bits, and [`EXTERNAL`].
pub(crate) type Flags = u16;
/// `sync` never writes the world transform.
pub(crate) const EXTERNAL: Flags = 256;
pub(crate) const COPY: Flags = Inherit::COPY_PARENT.0 as Flags;

/// The world transform of a root.
#[inline(always)]
pub(crate) fn compose_root(local: &Qvs, old: &Qvvs) -> Qvvs {
    Qvvs::from_qvs(*local, old.stretch, old.user)
}

/// The world transform of a child.
#[inline(always)]
pub(crate) fn compose(flags: Flags, parent: &Qvvs, local: &Qvs, old: &Qvvs) -> Qvvs {
    if flags == 0 {
        parent.mul(local, old.stretch, old.user)
    } else {
        compose_kept(flags, *parent, *local, *old)
    }
}

/// By value: whoever composes down a chain can then keep the parent in registers.
#[cold]
#[inline(never)]
fn compose_kept(flags: Flags, parent: Qvvs, local: Qvs, old: Qvvs) -> Qvvs {
    if flags & COPY != 0 {
        return parent;
    }
    let keep = Inherit(flags as u8);
    let mut new = parent.mul(&local, old.stretch, old.user);
    let pick = |flag: Inherit, old: f32, new: f32| if keep.contains(flag) { old } else { new };
    new.position = Vec3::new(
        pick(Inherit::KEEP_X, old.position.x, new.position.x),
        pick(Inherit::KEEP_Y, old.position.y, new.position.y),
        pick(Inherit::KEEP_Z, old.position.z, new.position.z),
    );
    new.scale = pick(Inherit::KEEP_SCALE, old.scale, new.scale);
    new.rotation = kept_rotation(keep, old.rotation, new.rotation);
    new
}

fn kept_rotation(keep: Inherit, old: Quat, new: Quat) -> Quat {
    let (forward, up) = (keep.contains(Inherit::KEEP_FORWARD), keep.contains(Inherit::KEEP_UP));
    if keep.contains(Inherit::KEEP_ROTATION) || (forward && up) {
        return old;
    }
    if !forward && !up {
        return new;
    }
    const Y: Vec3 = Vec3::new(0.0, 1.0, 0.0);
    const Z: Vec3 = Vec3::new(0.0, 0.0, 1.0);
    let source = |kept: bool| if kept { old } else { new };
    let z = scalar::quat_rotate(source(forward), Z);
    let y = scalar::quat_rotate(source(up), Y);
    let x = scalar::cross(y, z);
    // The wished axis lies along the kept one: no direction is better than the old.
    if scalar::dot(x, x) < 1.0e-12 {
        return old;
    }
    let x = scalar::normalize_or(x, Vec3::new(1.0, 0.0, 0.0));
    let (y, z) = if forward { (scalar::cross(z, x), z) } else { (y, scalar::cross(x, y)) };
    scalar::quat_from_columns([x.to_array(), y.to_array(), z.to_array()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(axis: Vec3, angle: f32) -> Qvvs {
        Qvvs { rotation: scalar::quat_from_axis_angle(axis, angle), ..Qvvs::IDENTITY }
    }

    fn near(a: Vec3, b: Vec3) -> bool {
        scalar::length(scalar::sub(a, b)) < 1.0e-5
    }

    #[test]
    fn forward_and_up_are_kept_and_the_other_axis_follows() {
        let (y, z) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
        let parent = turned(Vec3::new(0.6, 0.0, 0.8), 0.9);
        let old = turned(Vec3::new(0.0, 0.8, 0.6), 0.4);
        let new = parent.rotation;
        for (flag, axis) in [(Inherit::KEEP_FORWARD, z), (Inherit::KEEP_UP, y)] {
            let got = compose(Flags::from(flag.bits()), &parent, &Qvs::IDENTITY, &old).rotation;
            assert!(near(scalar::quat_rotate(got, axis), scalar::quat_rotate(old.rotation, axis)));
            // The other axis is the projection of the inherited one: same half space.
            let other = if axis == z { y } else { z };
            let dot = scalar::dot(scalar::quat_rotate(got, other), scalar::quat_rotate(new, other));
            assert!(dot > 0.0, "{dot}");
        }
        let strict = Inherit::KEEP_FORWARD | Inherit::KEEP_UP;
        let got = compose(Flags::from(strict.bits()), &parent, &Qvs::IDENTITY, &old);
        assert_eq!(got.rotation, old.rotation);
    }

    #[test]
    fn an_inherited_axis_along_the_kept_one_leaves_the_old_rotation() {
        // The parent turns +y onto the kept +z.
        let parent = turned(Vec3::new(1.0, 0.0, 0.0), core::f32::consts::FRAC_PI_2);
        let flags = Flags::from(Inherit::KEEP_FORWARD.bits());
        let got = compose(flags, &parent, &Qvs::IDENTITY, &Qvvs::IDENTITY);
        assert_eq!(got.rotation, Quat::IDENTITY);
    }

    #[test]
    fn each_position_axis_and_the_scale_are_kept_alone() {
        let parent = Qvvs { position: Vec3::new(1.0, 2.0, 3.0), scale: 2.0, ..Qvvs::IDENTITY };
        let old = Qvvs { position: Vec3::new(7.0, 8.0, 9.0), scale: 5.0, ..Qvvs::IDENTITY };
        let go = |f: Inherit| compose(Flags::from(f.bits()), &parent, &Qvs::IDENTITY, &old);
        assert_eq!(go(Inherit::KEEP_X).position, Vec3::new(7.0, 2.0, 3.0));
        assert_eq!(go(Inherit::KEEP_Y).position, Vec3::new(1.0, 8.0, 3.0));
        assert_eq!(go(Inherit::KEEP_Z).position, Vec3::new(1.0, 2.0, 9.0));
        assert_eq!((go(Inherit::KEEP_SCALE).scale, go(Inherit::KEEP_POSITION).scale), (5.0, 2.0));
    }

    #[test]
    fn copying_takes_stretch_and_user_word_too() {
        let parent = Qvvs { stretch: Vec3::new(1.0, 2.0, 3.0), user: 77, ..Qvvs::IDENTITY };
        let local = Qvs::from_position(Vec3::new(1.0, 1.0, 1.0));
        assert_eq!(compose(COPY, &parent, &local, &Qvvs::IDENTITY), parent);
    }
}
