//! [`super::turn`] in every lane: the same operations in the same order, both sides of a choice computed and one taken.

use super::turn::{CRITICAL, TINY};
use lissom_math::{
    Vec3,
    simd::{LEN, Simd, WideQuat, WideVec3, prelude::*, splat},
    soa::GROUP,
    trig,
};

/// [`super::turn::Turn`]
#[derive(Clone, Copy)]
pub(crate) struct WideTurn<S: Simd> {
    pub along: WideVec3<S>,
    pub side: WideVec3<S>,
    pub target: WideVec3<S>,
    pub pole: WideVec3<S>,
    /// Radians, in the lanes of the vector.
    pub twist: S::f32s,
}

impl<S: Simd> WideTurn<S> {
    /// [`super::turn::Turn::rotation`]
    #[inline(always)]
    pub(crate) fn rotation(&self, s: S) -> WideQuat<S> {
        let (along, target) = (self.along, self.target);
        let pole = across(self.pole, target);
        let sine = pole.length();
        let mut wanted = pole.scale(splat(s, 1.0) / sine);
        let critical = sine.simd_lt(splat(s, CRITICAL));
        if any::<S>(critical) {
            let present = across(shortest(s, along, target).rotate(self.side), target);
            let lacking = splat(s, 1.0) - sine / splat(s, CRITICAL);
            let zero = WideVec3::splat(s, Vec3::ZERO);
            let mixed = pole + present.normalize_or(s, zero).scale(splat(s, CRITICAL) * lacking * lacking);
            let (mixed, is_mixed) = direction(s, mixed);
            let (present, is_present) = direction(s, present);
            let found = WideVec3::select(is_present, present, any_across(s, target));
            let found = WideVec3::select(is_mixed, mixed, found);
            wanted = WideVec3::select(critical, found, wanted);
        }
        let (side, ok) = direction(s, across(self.side, along));
        let side = or_any_across(s, side, ok, along);
        let turn = between(s, basis(along, side), basis(target, wanted));
        let twisted = !self.twist.simd_eq(splat(s, 0.0));
        if !any::<S>(twisted) {
            return turn;
        }
        let half = self.twist * splat(s, 0.5);
        let (sin, cos) = (each(s, half, trig::sin), each(s, half, trig::cos));
        let axis = target.scale(sin);
        let about = WideQuat::<S> { x: axis.x, y: axis.y, z: axis.z, w: cos };
        WideQuat::select(twisted, (about * turn).normalize(s), turn)
    }
}

/// True if it is set in a lane.
#[inline(always)]
pub(crate) fn any<S: Simd>(mask: S::mask32s) -> bool {
    mask.to_bitmask() != 0
}

/// What has no wide twin: lane by lane.
#[inline(always)]
pub(crate) fn each<S: Simd>(s: S, v: S::f32s, f: fn(f32) -> f32) -> S::f32s {
    let mut lanes = [0.0; GROUP];
    let lanes = &mut lanes[..LEN::<S>()];
    v.store_slice(lanes);
    for lane in &mut *lanes {
        *lane = f(*lane);
    }
    S::f32s::from_slice(s, lanes)
}

/// [`super::turn::direction`], and where there is one.
#[inline(always)]
pub(crate) fn direction<S: Simd>(s: S, v: WideVec3<S>) -> (WideVec3<S>, S::mask32s) {
    let l2 = v.dot(v);
    let ok = l2.simd_gt(splat(s, TINY * TINY)) & l2.simd_lt(splat(s, f32::INFINITY));
    (v.scale(splat(s, 1.0) / l2.sqrt()), ok)
}

/// [`super::turn::across`]
#[inline(always)]
pub(crate) fn across<S: Simd>(v: WideVec3<S>, unit: WideVec3<S>) -> WideVec3<S> {
    v - unit.scale(v.dot(unit))
}

/// [`super::turn::any_across`]
#[inline(always)]
pub(crate) fn any_across<S: Simd>(s: S, unit: WideVec3<S>) -> WideVec3<S> {
    let (x, y, z) = (unit.x.abs(), unit.y.abs(), unit.z.abs());
    let by_x = x.simd_le(y) & x.simd_le(z);
    let by_y = y.simd_le(z);
    let (ax, ay) = (WideVec3::splat(s, Vec3::X), WideVec3::splat(s, Vec3::Y));
    let az = WideVec3::splat(s, Vec3::Z);
    let axis = WideVec3::select(by_x, ax, WideVec3::select(by_y, ay, az));
    across(axis, unit).normalize_or(s, axis)
}

/// A direction where there is one, else some direction at right angles to a unit vector.
#[inline(always)]
pub(crate) fn or_any_across<S: Simd>(s: S, v: WideVec3<S>, ok: S::mask32s, unit: WideVec3<S>) -> WideVec3<S> {
    if any::<S>(!ok) { WideVec3::select(ok, v, any_across(s, unit)) } else { v }
}

/// [`super::turn::unit`]
#[inline(always)]
pub(crate) fn unit<S: Simd>(s: S, v: S::f32s) -> S::f32s {
    let (zero, one) = (splat(s, 0.0), splat(s, 1.0));
    v.simd_gt(one).select(one, v.simd_gt(zero).select(v, zero))
}

/// [`super::turn::share`]
#[inline(always)]
pub(crate) fn share<S: Simd>(s: S, q: WideQuat<S>, weight: S::f32s) -> WideQuat<S> {
    WideQuat::identity(s).nlerp(s, q, weight)
}

/// [`super::turn::basis`]
#[inline(always)]
fn basis<S: Simd>(along: WideVec3<S>, side: WideVec3<S>) -> [WideVec3<S>; 3] {
    [along, side, along.cross(side)]
}

/// [`super::turn::between`]
#[inline(always)]
fn between<S: Simd>(s: S, [a, b, c]: [WideVec3<S>; 3], [to_a, to_b, to_c]: [WideVec3<S>; 3]) -> WideQuat<S> {
    let x = (to_a.scale(a.x) + to_b.scale(b.x)) + to_c.scale(c.x);
    let y = (to_a.scale(a.y) + to_b.scale(b.y)) + to_c.scale(c.y);
    let z = (to_a.scale(a.z) + to_b.scale(b.z)) + to_c.scale(c.z);
    WideQuat::from_columns(s, [x, y, z])
}

/// [`super::turn::shortest`]
#[inline(always)]
pub(crate) fn shortest<S: Simd>(s: S, a: WideVec3<S>, b: WideVec3<S>) -> WideQuat<S> {
    let c = a.cross(b);
    let w = splat(s, 1.0) + a.dot(b);
    let q = WideQuat::<S> { x: c.x, y: c.y, z: c.z, w }.normalize(s);
    let near = w.simd_gt(splat(s, 1.0e-6));
    if !any::<S>(!near) {
        return q;
    }
    let axis = any_across(s, a);
    WideQuat::select(near, q, WideQuat { x: axis.x, y: axis.y, z: axis.z, w: splat(s, 0.0) })
}
