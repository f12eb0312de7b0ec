//! Wide values: as many vectors, quaternions or matrices side by side as the backend has lanes.
//!
//! Every operation is the lane-wise twin of one in [`crate::scalar`], in the same order, so that both
//! give the same bits.

use super::Expansion;
use crate::{
    Vec3,
    scalar::MIN_LENGTH_SQUARED,
    soa::{GROUP, Lanes, SoaMat34, SoaQuat, SoaTransform, SoaVec3},
};
use core::ops::{Add, Mul, Neg, Sub};
use fearless_simd::{Simd, prelude::*};

/// Lanes of the backend's native f32 vector; divides [`GROUP`].
#[allow(non_snake_case, reason = "reads as the constant it is")]
#[inline(always)]
#[must_use]
pub const fn LEN<S: Simd>() -> usize {
    const { assert!(GROUP.is_multiple_of(<S::f32s as SimdBase<S>>::LEN)) };
    <S::f32s as SimdBase<S>>::LEN
}

/// Lanes `at..at + LEN` of a component.
#[inline(always)]
#[must_use]
pub fn load<S: Simd>(s: S, lanes: &Lanes, at: usize) -> S::f32s {
    S::f32s::from_slice(s, &lanes.0[at..at + LEN::<S>()])
}

/// Writes lanes `at..at + LEN` of a component.
#[inline(always)]
pub fn store<S: Simd, V: SimdFloat<S, Element = f32>>(v: V, lanes: &mut Lanes, at: usize) {
    v.store_slice(&mut lanes.0[at..at + V::LEN]);
}

/// The same value in every lane.
#[inline(always)]
#[must_use]
pub fn splat<S: Simd>(s: S, v: f32) -> S::f32s {
    S::f32s::simd_from(s, v)
}

/// `a` where the mask is set, `b` elsewhere.
#[inline(always)]
#[must_use]
pub fn select<S: Simd>(mask: S::mask32s, a: S::f32s, b: S::f32s) -> S::f32s {
    mask.select(a, b)
}

/// [`crate::scalar::inverse_sqrt_near_one`]
#[inline(always)]
#[must_use]
pub fn inverse_sqrt_near_one<S: Simd>(s: S, d: S::f32s) -> S::f32s {
    let three_halves = splat(s, 1.5);
    let mut y = splat(s, 2.252_764_5) + d * (splat(s, -2.094_35) + d * splat(s, 0.840_639_35));
    let half = d * splat(s, 0.5);
    y = y * (three_halves - half * (y * y));
    y * (three_halves - half * (y * y))
}

/// Vectors side by side.
#[derive(Clone, Copy)]
pub struct WideVec3<S: Simd> {
    /// All x.
    pub x: S::f32s,
    /// All y.
    pub y: S::f32s,
    /// All z.
    pub z: S::f32s,
}

/// Quaternions side by side.
#[derive(Clone, Copy)]
pub struct WideQuat<S: Simd> {
    /// All x.
    pub x: S::f32s,
    /// All y.
    pub y: S::f32s,
    /// All z.
    pub z: S::f32s,
    /// All w.
    pub w: S::f32s,
}

/// Local transforms side by side.
#[derive(Clone, Copy)]
pub struct WideTransform<S: Simd> {
    /// Translations.
    pub translation: WideVec3<S>,
    /// Rotations.
    pub rotation: WideQuat<S>,
    /// Scales.
    pub scale: WideVec3<S>,
}

/// Affine matrices side by side.
#[derive(Clone, Copy)]
pub struct WideMat34<S: Simd> {
    /// The images of x, y and z, then of the origin.
    pub columns: [WideVec3<S>; 4],
}

impl<S: Simd> WideVec3<S> {
    /// Lanes `at..` of a group.
    #[inline(always)]
    #[must_use]
    pub fn load(s: S, from: &SoaVec3, at: usize) -> Self {
        Self { x: load(s, &from.x, at), y: load(s, &from.y, at), z: load(s, &from.z, at) }
    }

    /// Writes lanes `at..` of a group.
    #[inline(always)]
    pub fn store(self, to: &mut SoaVec3, at: usize) {
        store(self.x, &mut to.x, at);
        store(self.y, &mut to.y, at);
        store(self.z, &mut to.z, at);
    }

    /// [`crate::scalar::scale`]
    #[inline(always)]
    #[must_use]
    pub fn scale(self, k: S::f32s) -> Self {
        Self { x: self.x * k, y: self.y * k, z: self.z * k }
    }

    /// `a` where the mask is set, `b` elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn select(mask: S::mask32s, a: Self, b: Self) -> Self {
        Self { x: mask.select(a.x, b.x), y: mask.select(a.y, b.y), z: mask.select(a.z, b.z) }
    }

    /// Puts the first of these, in order, into the lanes of `over` that have their bit set.
    #[inline(always)]
    #[must_use]
    pub fn expand(self, s: S, lanes: u32, over: Self) -> Self {
        let how = Expansion::new(s, lanes);
        Self { x: how.of(s, self.x, over.x), y: how.of(s, self.y, over.y), z: how.of(s, self.z, over.z) }
    }

    /// [`crate::scalar::dot`]
    #[inline(always)]
    #[must_use]
    pub fn dot(self, b: Self) -> S::f32s {
        (self.x * b.x + self.y * b.y) + self.z * b.z
    }

    /// [`crate::scalar::cross`]
    #[inline(always)]
    #[must_use]
    pub fn cross(self, b: Self) -> Self {
        Self {
            x: self.y * b.z - self.z * b.y,
            y: self.z * b.x - self.x * b.z,
            z: self.x * b.y - self.y * b.x,
        }
    }

    /// The same vector in every lane.
    #[inline(always)]
    #[must_use]
    pub fn splat(s: S, v: Vec3) -> Self {
        Self { x: splat(s, v.x), y: splat(s, v.y), z: splat(s, v.z) }
    }

    /// [`crate::scalar::length`]
    #[inline(always)]
    #[must_use]
    pub fn length(self) -> S::f32s {
        self.dot(self).sqrt()
    }

    /// [`crate::scalar::normalize_or`]
    #[inline(always)]
    #[must_use]
    pub fn normalize_or(self, s: S, fallback: Self) -> Self {
        let l2 = self.dot(self);
        let ok = l2.simd_gt(splat(s, MIN_LENGTH_SQUARED));
        Self::select(ok, self.scale(splat(s, 1.0) / l2.sqrt()), fallback)
    }

    /// [`crate::scalar::is_finite`]
    #[inline(always)]
    #[must_use]
    pub fn is_finite(self, s: S) -> S::mask32s {
        let infinity = splat(s, f32::INFINITY);
        self.x.abs().simd_lt(infinity) & self.y.abs().simd_lt(infinity) & self.z.abs().simd_lt(infinity)
    }

    /// [`crate::scalar::lerp`]
    #[inline(always)]
    #[must_use]
    pub fn lerp(self, s: S, b: Self, t: S::f32s) -> Self {
        let u = splat(s, 1.0) - t;
        Self { x: self.x * u + b.x * t, y: self.y * u + b.y * t, z: self.z * u + b.z * t }
    }
}

impl<S: Simd> WideQuat<S> {
    /// Lanes `at..` of a group.
    #[inline(always)]
    #[must_use]
    pub fn load(s: S, from: &SoaQuat, at: usize) -> Self {
        Self {
            x: load(s, &from.x, at),
            y: load(s, &from.y, at),
            z: load(s, &from.z, at),
            w: load(s, &from.w, at),
        }
    }

    /// Writes lanes `at..` of a group.
    #[inline(always)]
    pub fn store(self, to: &mut SoaQuat, at: usize) {
        store(self.x, &mut to.x, at);
        store(self.y, &mut to.y, at);
        store(self.z, &mut to.z, at);
        store(self.w, &mut to.w, at);
    }

    /// `a` where the mask is set, `b` elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn select(mask: S::mask32s, a: Self, b: Self) -> Self {
        Self {
            x: mask.select(a.x, b.x),
            y: mask.select(a.y, b.y),
            z: mask.select(a.z, b.z),
            w: mask.select(a.w, b.w),
        }
    }

    /// Puts the first of these, in order, into the lanes of `over` that have their bit set.
    #[inline(always)]
    #[must_use]
    pub fn expand(self, s: S, lanes: u32, over: Self) -> Self {
        let how = Expansion::new(s, lanes);
        Self {
            x: how.of(s, self.x, over.x),
            y: how.of(s, self.y, over.y),
            z: how.of(s, self.z, over.z),
            w: how.of(s, self.w, over.w),
        }
    }

    /// [`crate::scalar::quat_from_rodrigues`]
    #[inline(always)]
    #[must_use]
    pub fn from_rodrigues(s: S, m: WideVec3<S>) -> Self {
        let one = splat(s, 1.0);
        let squared = m.dot(m);
        let inverse = one / (one + squared);
        let v = m.scale(inverse + inverse);
        Self { x: v.x, y: v.y, z: v.z, w: (one - squared) * inverse }
    }

    /// [`crate::scalar::quat_scale`]
    #[inline(always)]
    #[must_use]
    pub fn scale(self, k: S::f32s) -> Self {
        Self { x: self.x * k, y: self.y * k, z: self.z * k, w: self.w * k }
    }

    /// [`crate::scalar::quat_near`]
    #[inline(always)]
    #[must_use]
    pub fn near(self, s: S, other: Self) -> Self {
        let away = self.dot(other).simd_lt(splat(s, 0.0));
        Self {
            x: away.select(-self.x, self.x),
            y: away.select(-self.y, self.y),
            z: away.select(-self.z, self.z),
            w: away.select(-self.w, self.w),
        }
    }

    /// [`crate::scalar::quat_dot`]
    #[inline(always)]
    #[must_use]
    pub fn dot(self, b: Self) -> S::f32s {
        (self.x * b.x + self.y * b.y) + (self.z * b.z + self.w * b.w)
    }

    /// [`crate::scalar::quat_normalize`]
    #[inline(always)]
    #[must_use]
    pub fn normalize(self, s: S) -> Self {
        let l2 = self.dot(self);
        let (zero, one) = (splat(s, 0.0), splat(s, 1.0));
        let ok = l2.simd_gt(splat(s, MIN_LENGTH_SQUARED));
        let inv = one / l2.sqrt();
        Self {
            x: ok.select(self.x * inv, zero),
            y: ok.select(self.y * inv, zero),
            z: ok.select(self.z * inv, zero),
            w: ok.select(self.w * inv, one),
        }
    }

    /// [`crate::scalar::quat_nlerp`]
    #[inline(always)]
    #[must_use]
    pub fn nlerp(self, s: S, b: Self, t: S::f32s) -> Self {
        let u = splat(s, 1.0) - t;
        let t = self.dot(b).simd_lt(splat(s, 0.0)).select(-t, t);
        Self {
            x: self.x * u + b.x * t,
            y: self.y * u + b.y * t,
            z: self.z * u + b.z * t,
            w: self.w * u + b.w * t,
        }
        .normalize(s)
    }

    /// [`crate::scalar::quat_nlerp_near_one`]
    #[inline(always)]
    #[must_use]
    pub fn nlerp_near_one(self, s: S, b: Self, t: S::f32s) -> Self {
        let u = splat(s, 1.0) - t;
        let t = self.dot(b).simd_lt(splat(s, 0.0)).select(-t, t);
        let q = Self {
            x: self.x * u + b.x * t,
            y: self.y * u + b.y * t,
            z: self.z * u + b.z * t,
            w: self.w * u + b.w * t,
        };
        q.scale(inverse_sqrt_near_one(s, q.dot(q)))
    }

    /// The identity in every lane.
    #[inline(always)]
    #[must_use]
    pub fn identity(s: S) -> Self {
        let zero = splat(s, 0.0);
        Self { x: zero, y: zero, z: zero, w: splat(s, 1.0) }
    }

    /// [`crate::scalar::quat_is_finite`]
    #[inline(always)]
    #[must_use]
    pub fn is_finite(self, s: S) -> S::mask32s {
        let xyz = WideVec3::<S> { x: self.x, y: self.y, z: self.z };
        xyz.is_finite(s) & self.w.abs().simd_lt(splat(s, f32::INFINITY))
    }

    /// [`crate::scalar::quat_to_columns`]
    #[inline(always)]
    #[must_use]
    pub fn to_columns(self, s: S) -> [WideVec3<S>; 3] {
        let one = splat(s, 1.0);
        let (x2, y2, z2) = (self.x + self.x, self.y + self.y, self.z + self.z);
        let (xx, yy, zz) = (self.x * x2, self.y * y2, self.z * z2);
        let (xy, xz, yz) = (self.x * y2, self.x * z2, self.y * z2);
        let (wx, wy, wz) = (self.w * x2, self.w * y2, self.w * z2);
        [
            WideVec3 { x: one - (yy + zz), y: xy + wz, z: xz - wy },
            WideVec3 { x: xy - wz, y: one - (xx + zz), z: yz + wx },
            WideVec3 { x: xz + wy, y: yz - wx, z: one - (xx + yy) },
        ]
    }

    /// [`crate::scalar::quat_from_columns`]
    #[inline(always)]
    #[must_use]
    pub fn from_columns(s: S, [x, y, z]: [WideVec3<S>; 3]) -> Self {
        let (one, half) = (splat(s, 1.0), splat(s, 0.5));
        let trace = (x.x + y.y) + z.z;
        let by_w = trace.simd_gt(splat(s, 0.0));
        let by_x = x.x.simd_ge(y.y) & x.x.simd_ge(z.z);
        let by_y = y.y.simd_ge(z.z);
        // Which of the four squared components is taken.
        let of_y = by_y.select((y.y - z.z) - x.x, (z.z - x.x) - y.y);
        let r = (by_w.select(trace, by_x.select((x.x - y.y) - z.z, of_y)) + one).sqrt();
        let h = half / r;
        let large = half * r;
        let (yz, zx, xy) = ((y.z - z.y) * h, (z.x - x.z) * h, (x.y - y.x) * h);
        let (of_xy, of_xz, of_yz) = ((x.y + y.x) * h, (z.x + x.z) * h, (y.z + z.y) * h);
        Self {
            x: by_w.select(yz, by_x.select(large, by_y.select(of_xy, of_xz))),
            y: by_w.select(zx, by_x.select(of_xy, by_y.select(large, of_yz))),
            z: by_w.select(xy, by_x.select(of_xz, by_y.select(of_yz, large))),
            w: by_w.select(large, by_x.select(yz, by_y.select(zx, xy))),
        }
        .normalize(s)
    }

    /// [`crate::scalar::quat_rotate`]
    #[inline(always)]
    #[must_use]
    pub fn rotate(self, v: WideVec3<S>) -> WideVec3<S> {
        let u = WideVec3::<S> { x: self.x, y: self.y, z: self.z };
        let c = u.cross(v);
        let t = c + c;
        let d = u.cross(t);
        WideVec3 {
            x: (v.x + self.w * t.x) + d.x,
            y: (v.y + self.w * t.y) + d.y,
            z: (v.z + self.w * t.z) + d.z,
        }
    }
}

impl<S: Simd> WideTransform<S> {
    /// Lanes `at..` of a group.
    #[inline(always)]
    #[must_use]
    pub fn load(s: S, from: &SoaTransform, at: usize) -> Self {
        Self {
            translation: WideVec3::load(s, &from.translation, at),
            rotation: WideQuat::load(s, &from.rotation, at),
            scale: WideVec3::load(s, &from.scale, at),
        }
    }

    /// [`crate::Transform::to_mat34`]
    #[inline(always)]
    #[must_use]
    pub fn to_mat34(self, s: S) -> WideMat34<S> {
        let one = splat(s, 1.0);
        let q = self.rotation;
        let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
        let (xx, yy, zz) = (q.x * x2, q.y * y2, q.z * z2);
        let (xy, xz, yz) = (q.x * y2, q.x * z2, q.y * z2);
        let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
        let column = |x: S::f32s, y: S::f32s, z: S::f32s| WideVec3::<S> { x, y, z };
        WideMat34 {
            columns: [
                column(one - (yy + zz), xy + wz, xz - wy).scale(self.scale.x),
                column(xy - wz, one - (xx + zz), yz + wx).scale(self.scale.y),
                column(xz + wy, yz - wx, one - (xx + yy)).scale(self.scale.z),
                self.translation,
            ],
        }
    }
}

impl<S: Simd> WideMat34<S> {
    /// Lanes `at..` of a group.
    #[inline(always)]
    #[must_use]
    pub fn load(s: S, from: &SoaMat34, at: usize) -> Self {
        let [a, b, c, d] = &from.columns;
        Self {
            columns: [
                WideVec3::load(s, a, at),
                WideVec3::load(s, b, at),
                WideVec3::load(s, c, at),
                WideVec3::load(s, d, at),
            ],
        }
    }

    /// Writes lanes `at..` of a group.
    #[inline(always)]
    pub fn store(self, to: &mut SoaMat34, at: usize) {
        let [a, b, c, d] = &mut to.columns;
        self.columns[0].store(a, at);
        self.columns[1].store(b, at);
        self.columns[2].store(c, at);
        self.columns[3].store(d, at);
    }

    /// [`crate::Mat34::mul_point`]
    #[inline(always)]
    #[must_use]
    pub fn mul_point(self, v: WideVec3<S>) -> WideVec3<S> {
        self.mul_vector(v) + self.columns[3]
    }

    /// [`crate::Mat34::determinant`]
    #[inline(always)]
    #[must_use]
    pub fn determinant(self) -> S::f32s {
        let [a, b, c, _] = self.columns;
        (a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z)) + a.z * (b.x * c.y - b.y * c.x)
    }

    /// [`crate::Mat34::inverse`], and where there is one.
    #[inline(always)]
    #[must_use]
    pub fn inverse(self, s: S) -> (Self, S::mask32s) {
        let [a, b, c, d] = self.columns;
        let det = self.determinant();
        let inv = splat(s, 1.0) / det;
        let infinity = splat(s, f32::INFINITY);
        let (r0, r1, r2) = (b.cross(c).scale(inv), c.cross(a).scale(inv), a.cross(b).scale(inv));
        let inverse = Self {
            columns: [
                WideVec3 { x: r0.x, y: r1.x, z: r2.x },
                WideVec3 { x: r0.y, y: r1.y, z: r2.y },
                WideVec3 { x: r0.z, y: r1.z, z: r2.z },
                WideVec3 { x: -r0.dot(d), y: -r1.dot(d), z: -r2.dot(d) },
            ],
        };
        // One over zero is infinite.
        (inverse, det.abs().simd_lt(infinity) & inv.abs().simd_lt(infinity))
    }

    /// True where all twelve numbers are finite.
    #[inline(always)]
    #[must_use]
    pub fn is_finite(self, s: S) -> S::mask32s {
        let [a, b, c, d] = self.columns;
        a.is_finite(s) & b.is_finite(s) & c.is_finite(s) & d.is_finite(s)
    }

    /// [`crate::Mat34::mul_vector`]
    #[inline(always)]
    #[must_use]
    pub fn mul_vector(self, v: WideVec3<S>) -> WideVec3<S> {
        let [a, b, c, _] = self.columns;
        (a.scale(v.x) + b.scale(v.y)) + c.scale(v.z)
    }
}

/// [`crate::scalar::add`]
impl<S: Simd> Add for WideVec3<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

/// [`crate::scalar::sub`]
impl<S: Simd> Sub for WideVec3<S> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}

/// [`crate::scalar::neg`]
impl<S: Simd> Neg for WideVec3<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

/// [`crate::scalar::mul`]
impl<S: Simd> Mul for WideVec3<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self { x: self.x * b.x, y: self.y * b.y, z: self.z * b.z }
    }
}

/// [`crate::scalar::quat_mul`]
impl<S: Simd> Mul for WideQuat<S> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let a = self;
        Self {
            x: (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
            y: (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z),
            z: (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x),
            w: (a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z),
        }
    }
}

/// [`crate::Mat34::mul`]
impl<S: Simd> Mul for WideMat34<S> {
    type Output = Self;
    #[inline(always)]
    #[allow(clippy::suspicious_arithmetic_impl, reason = "an affine product adds the translation")]
    fn mul(self, rhs: Self) -> Self {
        let [a, b, c, d] = rhs.columns;
        Self {
            columns: [
                self.mul_vector(a),
                self.mul_vector(b),
                self.mul_vector(c),
                self.mul_vector(d) + self.columns[3],
            ],
        }
    }
}
