//! Bit-exact comparison with a difference one can read. Any NaN equals any NaN; 0 and -0 differ.

use core::fmt;
use lissom_math::{Mat4, Mat34, Quat, Qvs, Qvvs, Transform, Vec3, soa, soa::SoaTransform};

/// A value made of f32 components with names.
pub trait Components {
    /// The components' names, in order.
    const NAMES: &'static [&'static str];
    /// Component `i`.
    fn component(&self, i: usize) -> f32;
}

/// One component that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Index of the value: usually the joint.
    pub index: usize,
    /// The component's name.
    pub component: &'static str,
    /// What came out.
    pub actual: f32,
    /// What should have.
    pub expected: f32,
}

/// Everything that differs between two slices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differences {
    /// The lengths, where they differ.
    pub lengths: Option<(usize, usize)>,
    /// In order of index, then component.
    pub list: Vec<Difference>,
}

/// How many lines a report shows.
const SHOWN: usize = 12;

/// True for the same bits, or two NaN.
#[must_use]
pub fn same_bits(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// How many floats lie between two, or `None` where one is NaN. 0 and -0 are one apart.
#[must_use]
pub fn ulps(a: f32, b: f32) -> Option<u64> {
    // Order the bit patterns like the numbers; -0 then stands just below 0.
    let rank = |v: f32| {
        let magnitude = i64::from(v.to_bits() & 0x7fff_ffff);
        if v.is_sign_negative() { -1 - magnitude } else { magnitude }
    };
    (!a.is_nan() && !b.is_nan()).then(|| rank(a).abs_diff(rank(b)))
}

impl Differences {
    /// Compares value by value.
    pub fn between<T: Components>(actual: &[T], expected: &[T]) -> Self {
        let lengths = (actual.len() != expected.len()).then_some((actual.len(), expected.len()));
        let mut list = Vec::new();
        for (index, (a, e)) in actual.iter().zip(expected).enumerate() {
            for (i, component) in T::NAMES.iter().copied().enumerate() {
                let (actual, expected) = (a.component(i), e.component(i));
                if !same_bits(actual, expected) {
                    list.push(Difference { index, component, actual, expected });
                }
            }
        }
        Self { lengths, list }
    }

    /// Compares the first `joints` joints of two poses; spare lanes are not looked at.
    ///
    /// # Panics
    ///
    /// If a pose holds fewer joints.
    #[must_use]
    pub fn between_poses(actual: &[SoaTransform], expected: &[SoaTransform], joints: usize) -> Self {
        Self::between(&soa::to_transforms(actual, joints), &soa::to_transforms(expected, joints))
    }

    /// True if nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lengths.is_none() && self.list.is_empty()
    }
}

/// Panics with a readable report if a bit differs.
#[track_caller]
pub fn assert_same<T: Components>(what: &str, actual: &[T], expected: &[T]) {
    let differences = Differences::between(actual, expected);
    assert!(differences.is_empty(), "{what}: {differences}");
}

/// Panics with a readable report if a bit of the first `joints` joints differs.
#[track_caller]
pub fn assert_same_pose(what: &str, actual: &[SoaTransform], expected: &[SoaTransform], joints: usize) {
    let differences = Differences::between_poses(actual, expected, joints);
    assert!(differences.is_empty(), "{what}: {differences}");
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((actual, expected)) = self.lengths {
            writeln!(f, "{actual} values instead of {expected}")?;
        }
        writeln!(f, "{} components differ", self.list.len())?;
        for d in self.list.iter().take(SHOWN) {
            writeln!(f, "  {d}")?;
        }
        if self.list.len() > SHOWN {
            writeln!(f, "  and {} more", self.list.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, component, actual, expected } = self;
        write!(f, "joint {index} {component}: {actual:e} ({:#010x})", actual.to_bits())?;
        write!(f, " instead of {expected:e} ({:#010x})", expected.to_bits())?;
        match ulps(*actual, *expected) {
            Some(n) => write!(f, ", {n} ulps"),
            None => write!(f, ", one is NaN"),
        }
    }
}

impl Components for f32 {
    const NAMES: &'static [&'static str] = &["value"];
    fn component(&self, _: usize) -> f32 {
        *self
    }
}

impl Components for Vec3 {
    const NAMES: &'static [&'static str] = &["x", "y", "z"];
    fn component(&self, i: usize) -> f32 {
        self.to_array()[i]
    }
}

impl Components for [f32; 3] {
    const NAMES: &'static [&'static str] = &["x", "y", "z"];
    fn component(&self, i: usize) -> f32 {
        self[i]
    }
}

impl Components for Mat4 {
    const NAMES: &'static [&'static str] = &[
        "column 0 x",
        "column 0 y",
        "column 0 z",
        "column 0 w", //
        "column 1 x",
        "column 1 y",
        "column 1 z",
        "column 1 w", //
        "column 2 x",
        "column 2 y",
        "column 2 z",
        "column 2 w", //
        "column 3 x",
        "column 3 y",
        "column 3 z",
        "column 3 w",
    ];
    fn component(&self, i: usize) -> f32 {
        self.to_cols_array()[i]
    }
}

impl Components for Quat {
    const NAMES: &'static [&'static str] = &["x", "y", "z", "w"];
    fn component(&self, i: usize) -> f32 {
        self.to_array()[i]
    }
}

impl Components for Transform {
    const NAMES: &'static [&'static str] = &[
        "translation.x",
        "translation.y",
        "translation.z", //
        "rotation.x",
        "rotation.y",
        "rotation.z",
        "rotation.w", //
        "scale.x",
        "scale.y",
        "scale.z",
    ];
    fn component(&self, i: usize) -> f32 {
        self.to_array()[i]
    }
}

impl Components for Mat34 {
    const NAMES: &'static [&'static str] = &[
        "column 0 x",
        "column 0 y",
        "column 0 z",
        "column 1 x",
        "column 1 y",
        "column 1 z", //
        "column 2 x",
        "column 2 y",
        "column 2 z",
        "column 3 x",
        "column 3 y",
        "column 3 z",
    ];
    fn component(&self, i: usize) -> f32 {
        self.columns[i / 3][i % 3]
    }
}

impl Components for Qvs {
    const NAMES: &'static [&'static str] = &[
        "rotation.x",
        "rotation.y",
        "rotation.z",
        "rotation.w", //
        "position.x",
        "position.y",
        "position.z",
        "scale",
    ];
    fn component(&self, i: usize) -> f32 {
        match i {
            0..4 => self.rotation.to_array()[i],
            4..7 => self.position.to_array()[i - 4],
            _ => self.scale,
        }
    }
}

/// The `user` word is compared too, by its bits.
impl Components for Qvvs {
    const NAMES: &'static [&'static str] = &[
        "rotation.x",
        "rotation.y",
        "rotation.z",
        "rotation.w", //
        "position.x",
        "position.y",
        "position.z",
        "user (bits)", //
        "stretch.x",
        "stretch.y",
        "stretch.z",
        "scale",
    ];
    fn component(&self, i: usize) -> f32 {
        match i {
            0..4 => self.rotation.to_array()[i],
            4..7 => self.position.to_array()[i - 4],
            7 => f32::from_bits(self.user),
            8..11 => self.stretch.to_array()[i - 8],
            _ => self.scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_equals_nan_and_zero_is_not_minus_zero() {
        assert!(same_bits(f32::NAN, -f32::NAN));
        assert!(!same_bits(0.0, -0.0) && !same_bits(f32::NAN, 0.0));
        assert_eq!(ulps(0.0, -0.0), Some(1));
        assert_eq!(ulps(1.0, f32::from_bits(0x3f80_0003)), Some(3));
        assert_eq!(ulps(-f32::from_bits(1), f32::from_bits(1)), Some(3));
        assert_eq!(ulps(f32::NAN, 1.0), None);
    }

    #[test]
    fn a_difference_names_joint_component_values_bits_and_distance() {
        let expected = [Transform::IDENTITY; 20];
        let mut actual = expected;
        actual[17].scale.y = f32::from_bits(0x3f80_0002);
        let d = Differences::between(&actual, &expected);
        assert_eq!(d.list.len(), 1);
        let text = d.to_string();
        for part in ["joint 17 scale.y", "0x3f800002", "0x3f800000", "2 ulps"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let packed =
            Differences::between_poses(&soa::from_transforms(&actual), &soa::from_transforms(&expected), 20);
        assert_eq!(packed, d);
        assert!(
            Differences::between_poses(&soa::from_transforms(&actual), &soa::from_transforms(&expected), 17)
                .is_empty()
        );
        assert!(!Differences::between(&actual[..3], &expected[..2]).is_empty());
    }

    #[test]
    fn a_changed_user_word_is_a_difference() {
        let other = Qvvs { user: 1, ..Qvvs::IDENTITY };
        assert!(!Differences::between(&[other], &[Qvvs::IDENTITY]).is_empty());
    }
}
