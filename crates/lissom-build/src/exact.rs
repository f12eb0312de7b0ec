//! f64 arithmetic for the offline side: the reference that cooked data is measured against.
//!
//! Plain operations in a fixed order, trigonometry from the `libm` crate: the same bits on every machine,
//! so that the same input cooks to the same bytes everywhere.

use core::ops::{Add, Mul, Neg, Sub};
use lissom::math::{Mat34, Quat, Transform, Vec3};

/// Nothing that a game loads is nearer to 0 than this without being 0.
///
/// Files are full of what rounding left behind: 1e-18 where 0 was meant. It changes no picture, but products of
/// such numbers are subnormal, which processors compute a hundred times slower: a job on such a pose takes two to
/// five times as long. 1e-15 leaves room for products with small weights. So the builders round it away wherever
/// they go down to f32; errors are measured against the source as it was.
pub const SMALLEST: f32 = 1e-15;

/// `x`, or 0 where it is nearer to 0 than `least`. Zeros keep their sign.
pub(crate) fn flush(x: f32, least: f32) -> f32 {
    if x != 0.0 && x.abs() < least { 0.0 } else { x }
}

/// Rounded to f32, without what is nearer to 0 than [`SMALLEST`].
#[must_use]
pub fn narrow(x: f64) -> f32 {
    flush(x as f32, SMALLEST)
}

/// The larger; a NaN counts as larger than everything, so that it never passes as a small error.
#[must_use]
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The smaller; a NaN counts as smaller than everything.
#[must_use]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// `x`, not below `low` and not above `high`; a NaN stays one.
#[must_use]
pub fn clamp(x: f64, low: f64, high: f64) -> f64 {
    smaller(larger(x, low), high)
}

/// A vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct V3 {
    /// x
    pub x: f64,
    /// y
    pub y: f64,
    /// z
    pub z: f64,
}

/// A quaternion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Q4 {
    /// x
    pub x: f64,
    /// y
    pub y: f64,
    /// z
    pub z: f64,
    /// w, the real part
    pub w: f64,
}

/// Translation, rotation, scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// In the parent's space.
    pub translation: V3,
    /// Unit quaternion.
    pub rotation: Q4,
    /// Per axis.
    pub scale: V3,
}

/// An affine matrix as four columns: the axes, then the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct M34 {
    /// The images of x, y and z, then of the origin.
    pub columns: [V3; 4],
}

impl V3 {
    /// (0, 0, 0)
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);
    /// (1, 1, 1)
    pub const ONE: Self = Self::new(1.0, 1.0, 1.0);
    /// (1, 0, 0)
    pub const X: Self = Self::new(1.0, 0.0, 0.0);
    /// (0, 1, 0)
    pub const Y: Self = Self::new(0.0, 1.0, 0.0);
    /// (0, 0, 1)
    pub const Z: Self = Self::new(0.0, 0.0, 1.0);

    /// From its components.
    #[must_use]
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    /// Component by component.
    #[must_use]
    pub fn mul_each(self, b: Self) -> Self {
        Self::new(self.x * b.x, self.y * b.y, self.z * b.z)
    }

    /// The scalar product.
    #[must_use]
    pub fn dot(self, b: Self) -> f64 {
        (self.x * b.x + self.y * b.y) + self.z * b.z
    }

    /// The vector product.
    #[must_use]
    pub fn cross(self, b: Self) -> Self {
        Self::new(self.y * b.z - self.z * b.y, self.z * b.x - self.x * b.z, self.x * b.y - self.y * b.x)
    }

    /// The length.
    #[must_use]
    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The direction, or `fallback` where there is none.
    #[must_use]
    pub fn normalize_or(self, fallback: Self) -> Self {
        let l = self.length();
        if l > 1e-150 { self * (1.0 / l) } else { fallback }
    }

    /// How far it is to b.
    #[must_use]
    pub fn distance(self, b: Self) -> f64 {
        (self - b).length()
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, b: Self) -> Self {
        self + b
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, b: Self) -> Self {
        self - b
    }

    /// Every component times k.
    #[must_use]
    pub fn scaled(self, k: f64) -> Self {
        self * k
    }

    /// self·(1 - t) + b·t
    #[must_use]
    pub fn lerp(self, b: Self, t: f64) -> Self {
        self * (1.0 - t) + b * t
    }

    /// True where all three are finite.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// Each component by [`narrow`].
    #[must_use]
    pub fn to_f32(self) -> Vec3 {
        Vec3::new(narrow(self.x), narrow(self.y), narrow(self.z))
    }

    /// Exactly, from f32.
    #[must_use]
    pub fn from_f32(v: Vec3) -> Self {
        Self::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
    }
}

impl Add for V3 {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl Sub for V3 {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}

impl Mul<f64> for V3 {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        Self::new(self.x * k, self.y * k, self.z * k)
    }
}

impl Neg for V3 {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl Q4 {
    /// No rotation.
    pub const IDENTITY: Self = Self::new(0.0, 0.0, 0.0, 1.0);

    /// From its components.
    #[must_use]
    pub const fn new(x: f64, y: f64, z: f64, w: f64) -> Self {
        Self { x, y, z, w }
    }

    /// Rotation by `angle` radians about a unit `axis`.
    #[must_use]
    pub fn from_axis_angle(axis: V3, angle: f64) -> Self {
        let (s, c) = libm::sincos(angle * 0.5);
        Self::new(axis.x * s, axis.y * s, axis.z * s, c)
    }

    /// The shortest rotation that turns the direction `from` into `to`.
    #[must_use]
    pub fn from_arc(from: V3, to: V3) -> Self {
        let (from, to) = (from.normalize_or(V3::X), to.normalize_or(V3::X));
        let d = from.dot(to);
        if d < -0.999_999_999 {
            // Opposite: any axis across will do.
            let across = if from.x.abs() < 0.9 { V3::X } else { V3::Y };
            let axis = from.cross(across).normalize_or(V3::Z);
            return Self::new(axis.x, axis.y, axis.z, 0.0);
        }
        let c = from.cross(to);
        Self::new(c.x, c.y, c.z, 1.0 + d).normalize()
    }

    /// The rotation that turns x, y and z into these three, which are at right angles, of unit length and
    /// right-handed.
    #[must_use]
    pub fn from_axes(x: V3, y: V3, z: V3) -> Self {
        // Four times the square of a component; the largest is the safe one to divide by.
        let w2 = 1.0 + x.x + y.y + z.z;
        let x2 = 1.0 + x.x - y.y - z.z;
        let y2 = 1.0 - x.x + y.y - z.z;
        let z2 = 1.0 - x.x - y.y + z.z;
        let q = if w2 >= x2 && w2 >= y2 && w2 >= z2 {
            Self::new(y.z - z.y, z.x - x.z, x.y - y.x, w2)
        } else if x2 >= y2 && x2 >= z2 {
            Self::new(x2, x.y + y.x, z.x + x.z, y.z - z.y)
        } else if y2 >= z2 {
            Self::new(x.y + y.x, y2, y.z + z.y, z.x - x.z)
        } else {
            Self::new(z.x + x.z, y.z + z.y, z2, x.y - y.x)
        };
        q.normalize()
    }

    /// The scalar product.
    #[must_use]
    pub fn dot(self, b: Self) -> f64 {
        (self.x * b.x + self.y * b.y) + (self.z * b.z + self.w * b.w)
    }

    /// Unit length; the identity where the length is (nearly) zero.
    #[must_use]
    pub fn normalize(self) -> Self {
        let l = self.dot(self).sqrt();
        if l > 1e-150 { self.scaled(1.0 / l) } else { Self::IDENTITY }
    }

    /// The inverse of a unit quaternion.
    #[must_use]
    pub fn conjugate(self) -> Self {
        Self::new(-self.x, -self.y, -self.z, self.w)
    }

    /// Every component times k.
    #[must_use]
    pub fn scaled(self, k: f64) -> Self {
        Self::new(self.x * k, self.y * k, self.z * k, self.w * k)
    }

    /// Component by component.
    #[must_use]
    pub fn plus(self, b: Self) -> Self {
        Self::new(self.x + b.x, self.y + b.y, self.z + b.z, self.w + b.w)
    }

    /// The Hamilton product: rotates by `b` first.
    #[must_use]
    pub fn times(self, b: Self) -> Self {
        self * b
    }

    /// `self`, or its negative where that is nearer to `other`; both are the same rotation.
    #[must_use]
    pub fn near(self, other: Self) -> Self {
        if self.dot(other) < 0.0 { self.scaled(-1.0) } else { self }
    }

    /// Normalised linear interpolation along the shorter path.
    #[must_use]
    pub fn nlerp(self, b: Self, t: f64) -> Self {
        self.scaled(1.0 - t).plus(b.near(self).scaled(t)).normalize()
    }

    /// Spherical interpolation along the shorter path.
    #[must_use]
    pub fn slerp(self, b: Self, t: f64) -> Self {
        let b = b.near(self);
        let d = self.dot(b);
        if d > 1.0 - 1e-9 {
            return self.nlerp(b, t);
        }
        let angle = libm::acos(d);
        let inv = 1.0 / libm::sin(angle);
        self.scaled(libm::sin((1.0 - t) * angle) * inv).plus(b.scaled(libm::sin(t * angle) * inv)).normalize()
    }

    /// Rotates a vector.
    #[must_use]
    pub fn rotate(self, v: V3) -> V3 {
        let u = V3::new(self.x, self.y, self.z);
        let t = u.cross(v) * 2.0;
        v + t * self.w + u.cross(t)
    }

    /// True where all four are finite.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite() && self.w.is_finite()
    }

    /// Each component by [`narrow`].
    #[must_use]
    pub fn to_f32(self) -> Quat {
        Quat::from_xyzw(narrow(self.x), narrow(self.y), narrow(self.z), narrow(self.w))
    }

    /// Exactly, from f32.
    #[must_use]
    pub fn from_f32(q: Quat) -> Self {
        Self::new(f64::from(q.x), f64::from(q.y), f64::from(q.z), f64::from(q.w))
    }
}

/// The Hamilton product: rotates by the right one first.
impl Mul for Q4 {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let a = self;
        Self::new(
            (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y),
            (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z),
            (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x),
            (a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z),
        )
    }
}

impl Default for Q4 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Trs {
    /// No movement.
    pub const IDENTITY: Self = Self { translation: V3::ZERO, rotation: Q4::IDENTITY, scale: V3::ONE };

    /// Only a translation.
    #[must_use]
    pub const fn from_translation(translation: V3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// True where all ten numbers are finite.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }

    /// Each component by [`narrow`], the rotation normalised first.
    #[must_use]
    pub fn to_f32(self) -> Transform {
        Transform {
            translation: self.translation.to_f32(),
            rotation: self.rotation.normalize().to_f32(),
            scale: self.scale.to_f32(),
        }
    }

    /// Exactly, from f32.
    #[must_use]
    pub fn from_f32(t: Transform) -> Self {
        Self {
            translation: V3::from_f32(t.translation),
            rotation: Q4::from_f32(t.rotation),
            scale: V3::from_f32(t.scale),
        }
    }

    /// The affine matrix. The rotation is used as it is: a length other than 1 scales.
    #[must_use]
    pub fn to_m34(self) -> M34 {
        let q = self.rotation;
        M34 {
            columns: [
                q.rotate(V3::X) * self.scale.x,
                q.rotate(V3::Y) * self.scale.y,
                q.rotate(V3::Z) * self.scale.z,
                self.translation,
            ],
        }
    }
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl M34 {
    /// No movement.
    pub const IDENTITY: Self = Self { columns: [V3::X, V3::Y, V3::Z, V3::ZERO] };

    /// Exactly the same matrix.
    #[must_use]
    pub fn from_f32(m: &Mat34) -> Self {
        Self { columns: m.columns.map(|[x, y, z]| V3::new(x.into(), y.into(), z.into())) }
    }

    /// Moves a direction: the translation does not count.
    #[must_use]
    pub fn mul_vector(&self, v: V3) -> V3 {
        self.columns[0] * v.x + self.columns[1] * v.y + self.columns[2] * v.z
    }

    /// Moves a point.
    #[must_use]
    pub fn mul_point(&self, v: V3) -> V3 {
        self.mul_vector(v) + self.columns[3]
    }

    /// `self` after `rhs`.
    #[must_use]
    pub fn mul(&self, rhs: &Self) -> Self {
        let [x, y, z, t] = rhs.columns;
        Self { columns: [self.mul_vector(x), self.mul_vector(y), self.mul_vector(z), self.mul_point(t)] }
    }

    /// `self` less `other`, number by number: it takes a point to how far the two are apart there.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self { columns: [0, 1, 2, 3].map(|c| self.columns[c] - other.columns[c]) }
    }

    /// How long it makes the axis that it makes longest.
    #[must_use]
    pub fn stretch(&self) -> f64 {
        let [x, y, z, _] = self.columns.map(V3::length);
        larger(larger(x, y), z)
    }

    /// The inverse, or `None` where the determinant is zero or not finite.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let [a, b, c, d] = self.columns;
        let det = a.dot(b.cross(c));
        let inv = 1.0 / det;
        if det == 0.0 || !det.is_finite() || !inv.is_finite() {
            return None;
        }
        let rows = [b.cross(c) * inv, c.cross(a) * inv, a.cross(b) * inv];
        let column = |pick: fn(V3) -> f64| V3::new(pick(rows[0]), pick(rows[1]), pick(rows[2]));
        Some(Self {
            columns: [
                column(|r| r.x),
                column(|r| r.y),
                column(|r| r.z),
                -V3::new(rows[0].dot(d), rows[1].dot(d), rows[2].dot(d)),
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_were_meant_to_be_0_become_0_and_others_stay() {
        for tiny in [1e-18, -1e-18, 9.9e-16, 1e-42, f64::MIN_POSITIVE] {
            assert_eq!(narrow(tiny).to_bits(), 0);
        }
        for own in [0.0, -0.0, 1e-15, -2e-15, 1.0, f64::INFINITY] {
            assert_eq!(narrow(own).to_bits(), (own as f32).to_bits());
        }
        assert!(narrow(f64::NAN).is_nan());
    }

    #[test]
    fn a_nan_is_swallowed_by_neither_side_of_a_comparison() {
        for f in [larger, smaller] {
            assert!(f(f64::NAN, 1.0).is_nan() && f(1.0, f64::NAN).is_nan());
        }
        assert!(clamp(f64::NAN, 0.0, 1.0).is_nan());
        assert_eq!(
            [larger(1.0, 2.0), larger(2.0, 1.0), smaller(1.0, 2.0), smaller(2.0, 1.0)],
            [2.0, 2.0, 1.0, 1.0]
        );
        assert_eq!([clamp(-1.0, 0.0, 1.0), clamp(0.5, 0.0, 1.0), clamp(9.0, 0.0, 1.0)], [0.0, 0.5, 1.0]);
    }

    #[test]
    fn slerp_and_nlerp_agree_at_the_ends_and_in_the_middle() {
        let a = Q4::from_axis_angle(V3::Y, 0.3);
        let b = Q4::from_axis_angle(V3::Y, 1.9).scaled(-1.0);
        for t in [0.0, 0.5, 1.0] {
            let expected = Q4::from_axis_angle(V3::Y, 0.3 + 1.6 * t);
            assert!((a.slerp(b, t).near(expected).dot(expected) - 1.0).abs() < 1e-14);
            assert!((a.nlerp(b, t).near(expected).dot(expected) - 1.0).abs() < 1e-14);
        }
        let quarter = Q4::from_axis_angle(V3::Y, 0.3 + 0.4);
        assert!((a.slerp(b, 0.25).dot(quarter) - 1.0).abs() < 1e-14);
        assert!((a.nlerp(b, 0.25).dot(quarter) - 1.0).abs() > 1e-6);
    }

    #[test]
    fn an_arc_turns_one_direction_into_the_other() {
        for (from, to) in [(V3::X, V3::Y), (V3::X, -V3::X), (V3::Z, V3::Z), (V3::Y, -V3::Y)] {
            assert!((Q4::from_arc(from, to).rotate(from) - to).length() < 1e-12);
        }
    }

    #[test]
    fn axes_give_back_the_rotation_that_made_them() {
        for q in [
            Q4::new(0.1, 0.2, 0.3, 0.9),
            Q4::new(0.9, 0.2, 0.3, 0.1),
            Q4::new(0.1, 0.9, 0.3, -0.2),
            Q4::new(0.1, 0.2, -0.9, 0.0),
        ] {
            let q = q.normalize();
            let back = Q4::from_axes(q.rotate(V3::X), q.rotate(V3::Y), q.rotate(V3::Z));
            assert!((back.dot(q).abs() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn inverse_undoes_and_refuses_what_has_none() {
        let t = Trs {
            translation: V3::new(1.0, 2.0, 3.0),
            rotation: Q4::from_axis_angle(V3::Z, 0.4),
            scale: V3::new(1.0, -2.0, 0.5),
        };
        let p = V3::new(0.1, 0.2, 0.3);
        let m = t.to_m34();
        assert!((m.inverse().unwrap().mul_point(m.mul_point(p)) - p).length() < 1e-12);
        assert!(Trs { scale: V3::new(1.0, 0.0, 1.0), ..t }.to_m34().inverse().is_none());
    }
}
