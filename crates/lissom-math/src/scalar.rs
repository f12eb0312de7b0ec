//! Plain code on single values: the oracle of every kernel, and what single joints are computed with.
//!
//! The order of every sum is fixed and part of the contract: the wide kernels in [`crate::simd`] do the
//! same operations in the same order on every lane, so both give the same bits.

use crate::{Quat, Vec3, trig::sqrt};

/// Quaternions whose squared length is not above this have no direction; normalising gives the identity.
pub const MIN_LENGTH_SQUARED: f32 = 1.0e-30;

/// a + b
#[inline(always)]
#[must_use]
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x + b.x, a.y + b.y, a.z + b.z)
}

/// a - b
#[inline(always)]
#[must_use]
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x - b.x, a.y - b.y, a.z - b.z)
}

/// Component by component.
#[inline(always)]
#[must_use]
pub fn mul(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x * b.x, a.y * b.y, a.z * b.z)
}

/// a · s
#[inline(always)]
#[must_use]
pub fn scale(a: Vec3, s: f32) -> Vec3 {
    Vec3::new(a.x * s, a.y * s, a.z * s)
}

/// -a
#[inline(always)]
#[must_use]
pub fn neg(a: Vec3) -> Vec3 {
    Vec3::new(-a.x, -a.y, -a.z)
}

/// (x·x + y·y) + z·z
#[inline(always)]
#[must_use]
pub fn dot(a: Vec3, b: Vec3) -> f32 {
    (a.x * b.x + a.y * b.y) + a.z * b.z
}

/// a × b
#[inline(always)]
#[must_use]
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// The length of a vector.
#[inline(always)]
#[must_use]
pub fn length(a: Vec3) -> f32 {
    sqrt(dot(a, a))
}

/// a·(1 - t) + b·t: exact at both ends.
#[inline(always)]
#[must_use]
pub fn lerp(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    let s = 1.0 - t;
    Vec3::new(a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t)
}

/// The direction of `a`, or `fallback` where `a` has none.
#[inline]
#[must_use]
pub fn normalize_or(a: Vec3, fallback: Vec3) -> Vec3 {
    let l2 = dot(a, a);
    if l2 > MIN_LENGTH_SQUARED { scale(a, 1.0 / sqrt(l2)) } else { fallback }
}

/// (x·x + y·y) + (z·z + w·w)
#[inline(always)]
#[must_use]
pub fn quat_dot(a: Quat, b: Quat) -> f32 {
    (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w)
}

/// q · s
#[inline(always)]
#[must_use]
pub fn quat_scale(q: Quat, s: f32) -> Quat {
    Quat::from_xyzw(q.x * s, q.y * s, q.z * s, q.w * s)
}

/// `q`, or its negative where that is nearer to `other`: the same rotation.
#[inline(always)]
#[must_use]
pub fn quat_near(q: Quat, other: Quat) -> Quat {
    if quat_dot(q, other) < 0.0 { Quat::from_xyzw(-q.x, -q.y, -q.z, -q.w) } else { q }
}

/// The rotation of modified Rodrigues parameters, axis · tan(angle / 4): (2 m, 1 - m·m) / (1 + m·m). One division,
/// no square root, unit length by construction.
#[inline(always)]
#[must_use]
pub fn quat_from_rodrigues(m: Vec3) -> Quat {
    let squared = dot(m, m);
    let inverse = 1.0 / (1.0 + squared);
    let v = scale(m, inverse + inverse);
    Quat::from_xyzw(v.x, v.y, v.z, (1.0 - squared) * inverse)
}

/// The Hamilton product: rotates by `b` first, then by `a`.
#[inline(always)]
#[must_use]
pub fn quat_mul(a: Quat, b: Quat) -> Quat {
    Quat::from_xyzw(
        (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
        (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z),
        (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x),
        (a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z),
    )
}

/// The inverse of a unit quaternion.
#[inline(always)]
#[must_use]
pub fn quat_conjugate(q: Quat) -> Quat {
    Quat::from_xyzw(-q.x, -q.y, -q.z, q.w)
}

/// Unit length; the identity where the length is (nearly) zero or not a number.
#[inline(always)]
#[must_use]
pub fn quat_normalize(q: Quat) -> Quat {
    let l2 = quat_dot(q, q);
    if l2 > MIN_LENGTH_SQUARED {
        let inv = 1.0 / sqrt(l2);
        Quat::from_xyzw(q.x * inv, q.y * inv, q.z * inv, q.w * inv)
    } else {
        Quat::from_xyzw(0.0, 0.0, 0.0, 1.0)
    }
}

/// Linear interpolation along the shorter path, then normalised.
#[inline(always)]
#[must_use]
pub fn quat_nlerp(a: Quat, b: Quat, t: f32) -> Quat {
    let s = 1.0 - t;
    let t = if quat_dot(a, b) < 0.0 { -t } else { t };
    quat_normalize(Quat::from_xyzw(
        a.x * s + b.x * t,
        a.y * s + b.y * t,
        a.z * s + b.z * t,
        a.w * s + b.w * t,
    ))
}

/// 1 / √d for d in [0.45, 1.05], to about one unit in the last place: a parabola (0.7 % off), then two Newton
/// steps. Only additions and multiplications, so the same bits everywhere, and a third of the time that an
/// exact square root and division take.
#[inline(always)]
#[must_use]
pub fn inverse_sqrt_near_one(d: f32) -> f32 {
    let mut y = 2.252_764_5 + d * (-2.094_35 + d * 0.840_639_35);
    let half = d * 0.5;
    y = y * (1.5 - half * (y * y));
    y * (1.5 - half * (y * y))
}

/// [`quat_nlerp`] between unit quaternions, whose mix on one hemisphere has a squared length in [1/2, 1].
#[inline(always)]
#[must_use]
pub fn quat_nlerp_near_one(a: Quat, b: Quat, t: f32) -> Quat {
    let s = 1.0 - t;
    let t = if quat_dot(a, b) < 0.0 { -t } else { t };
    let q = Quat::from_xyzw(a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t, a.w * s + b.w * t);
    quat_scale(q, inverse_sqrt_near_one(quat_dot(q, q)))
}

/// Rotates a vector by a unit quaternion: v + 2w(u × v) + 2u × (u × v).
#[inline(always)]
#[must_use]
pub fn quat_rotate(q: Quat, v: Vec3) -> Vec3 {
    let u = Vec3::new(q.x, q.y, q.z);
    let c = cross(u, v);
    let t = Vec3::new(c.x + c.x, c.y + c.y, c.z + c.z);
    let d = cross(u, t);
    Vec3::new((v.x + q.w * t.x) + d.x, (v.y + q.w * t.y) + d.y, (v.z + q.w * t.z) + d.z)
}

/// Rotation by `angle` radians about a unit `axis`.
#[must_use]
pub fn quat_from_axis_angle(axis: Vec3, angle: f32) -> Quat {
    let (s, c) = crate::trig::sin_cos(angle * 0.5);
    Quat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

/// The rotation matrix of a unit quaternion, as three columns.
#[inline(always)]
#[must_use]
pub fn quat_to_columns(q: Quat) -> [[f32; 3]; 3] {
    let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
    let (xx, yy, zz) = (q.x * x2, q.y * y2, q.z * z2);
    let (xy, xz, yz) = (q.x * y2, q.x * z2, q.y * z2);
    let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
    [
        [1.0 - (yy + zz), xy + wz, xz - wy],
        [xy - wz, 1.0 - (xx + zz), yz + wx],
        [xz + wy, yz - wx, 1.0 - (xx + yy)],
    ]
}

/// The rotation of an orthonormal, right-handed matrix given as columns.
#[must_use]
pub fn quat_from_columns(c: [[f32; 3]; 3]) -> Quat {
    let [[m00, m01, m02], [m10, m11, m12], [m20, m21, m22]] = c;
    // Take the largest of the four squared components, so that the division is safe.
    let trace = (m00 + m11) + m22;
    let q = if trace > 0.0 {
        let r = sqrt(trace + 1.0);
        let h = 0.5 / r;
        Quat::from_xyzw((m12 - m21) * h, (m20 - m02) * h, (m01 - m10) * h, 0.5 * r)
    } else if m00 >= m11 && m00 >= m22 {
        let r = sqrt(((m00 - m11) - m22) + 1.0);
        let h = 0.5 / r;
        Quat::from_xyzw(0.5 * r, (m01 + m10) * h, (m20 + m02) * h, (m12 - m21) * h)
    } else if m11 >= m22 {
        let r = sqrt(((m11 - m22) - m00) + 1.0);
        let h = 0.5 / r;
        Quat::from_xyzw((m01 + m10) * h, 0.5 * r, (m12 + m21) * h, (m20 - m02) * h)
    } else {
        let r = sqrt(((m22 - m00) - m11) + 1.0);
        let h = 0.5 / r;
        Quat::from_xyzw((m20 + m02) * h, (m12 + m21) * h, 0.5 * r, (m01 - m10) * h)
    };
    quat_normalize(q)
}

/// True where all three are finite.
#[inline]
#[must_use]
pub fn is_finite(v: Vec3) -> bool {
    v.x.is_finite() && v.y.is_finite() && v.z.is_finite()
}

/// True where all four are finite.
#[inline]
#[must_use]
pub fn quat_is_finite(q: Quat) -> bool {
    q.x.is_finite() && q.y.is_finite() && q.z.is_finite() && q.w.is_finite()
}

/// The bits of the nearest half float, ties to even; what is too large is infinite. All cases are computed and one is chosen, so that
/// several numbers go side by side.
#[inline]
#[must_use]
pub fn half(v: f32) -> u16 {
    let (sign, rest) = (v.to_bits() >> 16 & 0x8000, v.to_bits() & 0x7fff_ffff);
    let normal = rest.wrapping_sub(0x3800_0000).wrapping_add(0x0fff + (rest >> 13 & 1)) >> 13;
    // Below the least normal half the adder rounds: its last bit is then worth as much as that of a half.
    let small = (f32::from_bits(rest) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
    let large = if rest > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    let magnitude = if rest < 0x3880_0000 { small } else { normal };
    (sign | if rest < 0x4780_0000 { magnitude } else { large }) as u16
}

#[cfg(test)]
mod tests {
    use super::half;

    /// What a half float says.
    fn value(half: u16) -> f64 {
        let (exponent, fraction) = (i32::from(half >> 10 & 31), f64::from(half & 0x3ff));
        let magnitude = match exponent {
            0 => fraction * libm::exp2(-24.0),
            31 if fraction > 0.0 => f64::NAN,
            31 => f64::INFINITY,
            _ => (1024.0 + fraction) * libm::exp2(f64::from(exponent) - 25.0),
        };
        if half & 0x8000 == 0 { magnitude } else { -magnitude }
    }

    #[test]
    fn a_half_float_is_the_nearest_and_even_where_two_are() {
        for bits in 0..0x7c00_u16 {
            // Every half is itself; between it and the next, what is nearer; in the middle, the even one.
            let (this, next) = (value(bits), value(bits + 1));
            let next = if next.is_finite() { next } else { 65_536.0 };
            let middle = ((this + next) * 0.5) as f32;
            assert_eq!(half(this as f32), bits);
            assert_eq!(half(-this as f32), bits | 0x8000);
            assert_eq!(half(middle), bits + (bits & 1), "{middle}");
            assert_eq!(half(f32::from_bits(middle.to_bits() - 1)), bits);
            assert_eq!(half(f32::from_bits(middle.to_bits() + 1)), bits + 1);
        }
        assert_eq!([half(f32::INFINITY), half(1.0e9), half(-1.0e9)], [0x7c00, 0x7c00, 0xfc00]);
        assert!(value(half(f32::NAN)).is_nan());
    }
}
