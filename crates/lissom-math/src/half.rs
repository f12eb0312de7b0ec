//! Half floats: 1 sign bit, 5 of exponent, 10 of fraction.

/// The value of a half float, exactly.
#[must_use]
pub fn to_f32(half: u16) -> f32 {
    let (sign, exponent, fraction) = (half >> 15, half >> 10 & 31, half & 1023);
    let magnitude = match (exponent, fraction) {
        // Subnormal: fraction · 2^-24.
        (0, _) => f32::from(fraction) * (1.0 / 16_777_216.0),
        (31, 0) => f32::INFINITY,
        (31, _) => f32::NAN,
        (e, _) => f32::from_bits((u32::from(e) + 112) << 23 | u32::from(fraction) << 13),
    };
    if sign != 0 { -magnitude } else { magnitude }
}

/// The nearest half float, ties to even. What is too large becomes the largest finite one, NaN too.
#[must_use]
pub fn from_f32(v: f32) -> u16 {
    let bits = v.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let a = v.abs();
    let magnitude = if a < 6.103_515_6e-5 {
        // Subnormal: a multiple of 2^-24.
        libm::rint(f64::from(a) * 16_777_216.0) as u16
    } else if a < 65504.0 {
        let rounded = (bits & 0x7fff_ffff) + 0x0fff + (bits >> 13 & 1);
        ((rounded >> 13) - (112 << 10)) as u16
    } else {
        0x7bff
    };
    sign | magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_exact() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            (0x0400, 6.103_515_6e-5),
            (0x0001, 5.960_464_5e-8),
            (0x83ff, -1023.0 / 16_777_216.0),
            (0x7c00, f32::INFINITY),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(to_f32(bits), value);
        }
        assert!(to_f32(0x7e00).is_nan() && to_f32(0x7c01).is_nan());
        assert!(to_f32(0x8000).is_sign_negative());
    }

    #[test]
    fn rounding_is_to_the_nearest_and_every_finite_half_comes_back() {
        for (v, bits) in [
            (1e9, 0x7bff),
            (f32::NAN, 0x7bff),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (0.1, 0x2e66),
        ] {
            assert_eq!(from_f32(v) & 0x7fff, bits, "{v}");
        }
        for half in (0..=u16::MAX).filter(|h| h >> 10 & 31 != 31) {
            assert_eq!(from_f32(to_f32(half)), half);
        }
    }
}
