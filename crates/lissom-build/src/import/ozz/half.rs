//! Half floats, as ozz stores vectors: 1 sign bit, 5 of exponent, 10 of fraction.

/// The value of a half float, exactly.
pub(super) fn to_f32(half: u16) -> f32 {
    let (sign, exponent, fraction) = (half >> 15, half >> 10 & 31, half & 1023);
    let magnitude = match (exponent, fraction) {
        // Subnormal: fraction · 2^-24.
        (0, _) => f32::from(fraction) * (1.0 / 16_777_216.0),
        (31, 0) => f32::INFINITY,
        (31, _) => f32::NAN,
        (e, _) => f32::from_bits(u32::from(e).wrapping_add(112) << 23 | u32::from(fraction) << 13),
    };
    if sign != 0 { -magnitude } else { magnitude }
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
}
