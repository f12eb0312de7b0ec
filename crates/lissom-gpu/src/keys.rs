//! What the numbers of keys are.

/// How rotations of keys are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyFormat {
    /// Quaternions, 16 bytes: the fastest.
    #[default]
    F32,
    /// Modified Rodrigues parameters of 21 bits each, 8 bytes.
    Rodrigues21,
}

/// The parameters lie in [-1, 1]: quaternions have w ≥ 0.
const STEPS: f32 = ((1 << 20) - 1) as f32;
const MIDDLE: i64 = 1 << 20;

impl KeyFormat {
    /// Words of the unit that keys are counted in.
    pub(crate) const fn unit(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::Rodrigues21 => 2,
        }
    }

    /// Units of a vector.
    pub(crate) const fn of_vector(self) -> usize {
        4 / self.unit()
    }
}

/// A unit quaternion in three numbers of 21 bits: x in the lowest bits, then y, then z.
#[must_use]
pub fn pack_rotation([x, y, z, w]: [f32; 4]) -> [u32; 2] {
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let below = 1.0 + w * sign;
    let part = |v: f32| {
        let scaled = v * sign / below * STEPS;
        // Half away from zero; NaN is 0.
        let whole = if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 } as i64;
        (whole + MIDDLE).clamp(1, 2 * MIDDLE - 1) as u64
    };
    let bits = part(x) | part(y) << 21 | part(z) << 42;
    [bits as u32, (bits >> 32) as u32]
}

/// The whole numbers of a packed rotation: exact on every device.
#[must_use]
pub fn whole_numbers([low, high]: [u32; 2]) -> [i32; 3] {
    let bits = u64::from(low) | u64::from(high) << 32;
    [0, 21, 42].map(|at| ((bits >> at & 0x1f_ffff) as i64 - MIDDLE) as i32)
}

/// The quaternion of a packed rotation, as the shader computes it.
#[must_use]
pub fn unpack_rotation(packed: [u32; 2]) -> [f32; 4] {
    let [x, y, z] = whole_numbers(packed).map(|v| v as f32 * (1.0 / STEPS));
    let squared = x * x + y * y + z * z;
    let by = 1.0 / (1.0 + squared);
    [2.0 * x * by, 2.0 * y * by, 2.0 * z * by, (1.0 - squared) * by]
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "an angle is compared within a bound")]
mod tests {
    use super::*;
    use lissom_testkit::rng::Rng;

    #[test]
    fn rotations_come_back_within_their_step() {
        let mut rng = Rng::new(1);
        let mut worst = 0.0_f64;
        for i in 0..100_000 {
            let q = match i {
                0 => [0.0, 0.0, 0.0, 1.0],
                1 => [1.0, 0.0, 0.0, 0.0],
                2 => [0.0, -1.0, 0.0, -0.0],
                3 => [0.0, 0.0, 0.0, -1.0],
                _ => rng.rotation().to_array(),
            };
            let back = unpack_rotation(pack_rotation(q)).map(f64::from);
            let dot: f64 = q.iter().zip(back).map(|(a, b)| f64::from(*a) * b).sum();
            let sign = if dot < 0.0 { -1.0 } else { 1.0 };
            let square = |(a, b): (&f32, f64)| {
                let off = f64::from(*a) * sign - b;
                off * off
            };
            let off = 2.0 * q.iter().zip(back).map(square).sum::<f64>().sqrt();
            worst = if off > worst { off } else { worst };
        }
        // Half a step of each parameter, four times as much as an angle, and the rounding of f32.
        assert!(worst < 4.0e-6, "{worst} rad");
    }

    #[test]
    fn whole_numbers_are_those_that_were_packed() {
        for q in [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] {
            let wanted = q.map(|v: f32| (v * STEPS) as i32);
            assert_eq!(whole_numbers(pack_rotation(q)), [wanted[0], wanted[1], wanted[2]]);
        }
    }
}
