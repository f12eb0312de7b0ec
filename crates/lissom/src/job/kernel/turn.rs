//! What IK jobs share: the turn that brings a direction onto another and a side towards a pole.

use lissom_math::{
    Mat34, Quat, Vec3,
    scalar::{
        add, cross, dot, length, normalize_or, quat_from_columns, quat_mul, quat_normalize, quat_rotate,
        scale, sub,
    },
    trig,
};

/// Below this sine of the angle between target and pole (3 degrees), the pole's say is shared with the side
/// that the pose has already.
pub(super) const CRITICAL: f32 = 0.05;

/// What is shorter has no direction.
pub(super) const TINY: f32 = 1.0e-12;

/// What is to be turned, in any space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Where it points, of unit length.
    pub along: Vec3,
    /// Where its side is; what is not at right angles to `along` does not count.
    pub side: Vec3,
    /// Where it shall point, of unit length.
    pub target: Vec3,
    /// Where its side shall be, as near as the target allows; unit length, or 0: as near to `side` as it
    /// can.
    pub pole: Vec3,
    /// Radians about `target`, afterwards.
    pub twist: f32,
}

impl Turn {
    /// A pole that (nearly) lies on the line of the target says nothing about the side: a target that moves
    /// past it would whirl the chain round. There the present side is blended in, so that noise in the
    /// target does no more than turn what noise turned before. A place remains, within 3 degrees of the
    /// pole, where both cancel: no continuous choice of sides exists on a whole sphere.
    pub(crate) fn rotation(&self) -> Quat {
        let (along, target) = (self.along, self.target);
        let pole = across(self.pole, target);
        let sine = length(pole);
        let wanted = if sine < CRITICAL {
            // As turned the shortest way: the side that asks for no twist.
            let present = across(quat_rotate(shortest(along, target), self.side), target);
            let lacking = 1.0 - sine / CRITICAL;
            let mixed = add(pole, scale(normalize_or(present, Vec3::ZERO), CRITICAL * lacking * lacking));
            direction(mixed).or_else(|| direction(present)).unwrap_or_else(|| any_across(target))
        } else {
            scale(pole, 1.0 / sine)
        };
        let side = direction(across(self.side, along)).unwrap_or_else(|| any_across(along));
        let turn = between(basis(along, side), basis(target, wanted));
        if self.twist == 0.0 {
            return turn;
        }
        let (sin, cos) = trig::sin_cos(self.twist * 0.5);
        let axis = scale(target, sin);
        quat_normalize(quat_mul(Quat::from_xyzw(axis.x, axis.y, axis.z, cos), turn))
    }
}

/// The direction of a vector, if it has one.
pub(crate) fn direction(v: Vec3) -> Option<Vec3> {
    let l2 = dot(v, v);
    if l2 > TINY * TINY && l2.is_finite() { Some(scale(v, 1.0 / trig::sqrt(l2))) } else { None }
}

/// What of a vector is at right angles to a unit vector.
pub(crate) fn across(v: Vec3, unit: Vec3) -> Vec3 {
    sub(v, scale(unit, dot(v, unit)))
}

/// Some direction at right angles to a unit vector.
pub(crate) fn any_across(unit: Vec3) -> Vec3 {
    // Across the axis that it is least along.
    let [x, y, z] = unit.to_array().map(f32::abs);
    let axis = if x <= y && x <= z {
        Vec3::X
    } else if y <= z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    normalize_or(across(axis, unit), axis)
}

/// Into [0, 1]; NaN is 0.
pub(crate) fn unit(v: f32) -> f32 {
    if v > 1.0 {
        1.0
    } else if v > 0.0 {
        v
    } else {
        0.0
    }
}

/// A share of a rotation, in [0, 1].
pub(crate) fn share(q: Quat, weight: f32) -> Quat {
    lissom_math::scalar::quat_nlerp(Quat::IDENTITY, q, weight)
}

/// A point or, without translation, a direction.
pub(crate) fn point(m: &Mat34, v: Vec3) -> Vec3 {
    Vec3::from_array(m.mul_point(v.to_array()))
}

/// A direction.
pub(crate) fn vector(m: &Mat34, v: Vec3) -> Vec3 {
    Vec3::from_array(m.mul_vector(v.to_array()))
}

/// Two unit vectors at right angles, and the third.
pub(crate) fn basis(along: Vec3, side: Vec3) -> [Vec3; 3] {
    [along, side, cross(along, side)]
}

/// The turn from one basis to another: to · fromᵀ
pub(crate) fn between(from: [Vec3; 3], to: [Vec3; 3]) -> Quat {
    let column = |j: usize| {
        let part = |i: usize| scale(to[i], from[i].to_array()[j]);
        add(add(part(0), part(1)), part(2)).to_array()
    };
    quat_from_columns([column(0), column(1), column(2)])
}

/// From one unit vector to another; half a turn about anything where they are opposite.
pub(crate) fn shortest(a: Vec3, b: Vec3) -> Quat {
    let c = cross(a, b);
    let w = 1.0 + dot(a, b);
    if w > 1.0e-6 {
        quat_normalize(Quat::from_xyzw(c.x, c.y, c.z, w))
    } else {
        let axis = any_across(a);
        Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
    }
}
