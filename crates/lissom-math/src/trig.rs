//! Deterministic elementary functions.
//!
//! The platform's C library differs from machine to machine in the last bit, so nothing here calls it:
//! square roots are exact by IEEE 754, everything else comes from the `libm` crate, which is plain Rust
//! and gives the same bits everywhere.

/// Square root, correctly rounded.
#[inline(always)]
#[must_use]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(feature = "std")]
    {
        x.sqrt()
    }
    #[cfg(not(feature = "std"))]
    {
        libm::sqrtf(x)
    }
}

/// Sine of an angle in radians.
#[must_use]
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// Cosine of an angle in radians.
#[must_use]
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// Sine and cosine of an angle in radians.
#[must_use]
pub fn sin_cos(x: f32) -> (f32, f32) {
    (libm::sinf(x), libm::cosf(x))
}

/// Tangent of an angle in radians.
#[must_use]
pub fn tan(x: f32) -> f32 {
    libm::tanf(x)
}

/// Arc cosine in radians; NaN outside [-1, 1].
#[must_use]
pub fn acos(x: f32) -> f32 {
    libm::acosf(x)
}

/// Arc sine in radians; NaN outside [-1, 1].
#[must_use]
pub fn asin(x: f32) -> f32 {
    libm::asinf(x)
}

/// The angle of the point (x, y) in radians, in (-π, π].
#[must_use]
pub fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2f(y, x)
}

/// The largest integer that is not above `x`.
#[must_use]
pub fn floor(x: f32) -> f32 {
    libm::floorf(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits written down once: another machine, another `libm`, or another rounding shows here.
    #[test]
    fn bits_are_the_same_everywhere() {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut push = |v: f32| {
            for byte in v.to_bits().to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        for i in -2000..=2000_i16 {
            let x = f32::from(i) * 0.017;
            let unit = f32::from(i) / 2000.0;
            for v in [sin(x), cos(x), tan(x), acos(unit), asin(unit), atan2(unit, x), floor(x)] {
                push(v);
            }
            push(sqrt(x * x));
        }
        assert_eq!(hash, 0x5539_29ac_0c43_36cf, "trigonometry changed its bits: {hash:#018x}");
    }
}
