//! Random numbers from a seed: the same on every machine and in every version.

use lissom_math::{Quat, Qvs, Qvvs, Transform, Vec3, scalar};

/// SplitMix64: a counter and a mixer. Small, good enough for test input, and ours.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

/// Floats that break careless code.
pub const NASTY: [f32; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    f32::NAN,
    -f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    // The smallest and the largest denormal, and one between.
    f32::from_bits(1),
    f32::from_bits(0x8000_0001),
    f32::from_bits(0x007f_ffff),
    f32::from_bits(0x0001_2345),
    // Squares that overflow, squares that vanish, and the neighbours of 1.
    1.0e20,
    -3.0e38,
    1.0e-20,
    f32::from_bits(0x3f80_0001),
    f32::from_bits(0x3f7f_ffff),
];

impl Rng {
    /// A generator; equal seeds give equal numbers.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 32 random bits.
    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// A number below `n`, which must not be 0. The bias is below n / 2⁶⁴.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next_u64()) * n as u128) >> 64) as usize
    }

    /// True once in `n` on average.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// In [0, 1), 53 bits.
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// In [0, 1), 24 bits.
    pub fn unit(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 * (1.0 / 16_777_216.0)
    }

    /// Between `low` and `high`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Between `low` and `high`.
    pub fn range_f64(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit_f64()
    }

    /// In [-1, 1).
    pub fn signed(&mut self) -> f32 {
        self.range(-1.0, 1.0)
    }

    /// In [-1, 1).
    pub fn signed_f64(&mut self) -> f64 {
        self.range_f64(-1.0, 1.0)
    }

    /// Anything an f32 can be: one of [`NASTY`], random bits, or an ordinary number, a third each.
    pub fn nasty(&mut self) -> f32 {
        match self.below(3) {
            0 => NASTY[self.below(NASTY.len())],
            1 => f32::from_bits(self.next_u32()),
            _ => self.range(-2.0, 2.0),
        }
    }

    /// Components in [-`reach`, `reach`].
    pub fn vec3(&mut self, reach: f32) -> Vec3 {
        let mut next = || self.range(-reach, reach);
        Vec3::new(next(), next(), next())
    }

    /// A rotation, evenly spread over all of them.
    pub fn rotation(&mut self) -> Quat {
        loop {
            let mut next = || self.range(-1.0, 1.0);
            let q = Quat::from_xyzw(next(), next(), next(), next());
            let l2 = scalar::quat_dot(q, q);
            // Inside the ball and not too near its middle: directions are then evenly spread.
            if l2 > 0.01 && l2 <= 1.0 {
                return scalar::quat_normalize(q);
            }
        }
    }

    /// Translation within a metre, any rotation, scale in [0.5, 2).
    pub fn transform(&mut self) -> Transform {
        let translation = self.vec3(1.0);
        let rotation = self.rotation();
        let mut next = || self.range(0.5, 2.0);
        Transform { translation, rotation, scale: Vec3::new(next(), next(), next()) }
    }

    /// A transform with uneven scale around 1, mirrored once in eight.
    pub fn mirrored_transform(&mut self) -> Transform {
        let s = self.vec3(0.4);
        let flip = if self.one_in(8) { -1.0 } else { 1.0 };
        let scale = Vec3::new((1.0 + s.x) * flip, 1.0 + s.y, 1.0 + s.z);
        Transform { translation: self.vec3(0.5), rotation: self.rotation(), scale }
    }

    /// A rotation and a translation.
    pub fn rigid(&mut self) -> Transform {
        Transform { translation: self.vec3(0.5), rotation: self.rotation(), scale: Vec3::ONE }
    }

    /// A transform of the world, its scale around 1; once in 300 it is 0, once -1.
    pub fn qvs(&mut self) -> Qvs {
        let q = Quat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed());
        let scale = match self.below(300) {
            0 => 0.0,
            1 => -1.0,
            _ => 1.0 + 0.2 * self.signed(),
        };
        let position = Vec3::new(self.signed(), self.signed(), self.signed());
        Qvs { rotation: scalar::quat_normalize(q), position, scale }
    }

    /// A transform of the world with a stretch and any user word.
    pub fn qvvs(&mut self) -> Qvvs {
        let local = self.qvs();
        let stretch = Vec3::new(1.0 + 0.3 * self.signed(), 1.0, 1.0 + 0.3 * self.signed());
        Qvvs::from_qvs(local, stretch, self.next_u64() as u32)
    }

    /// Ten [`Rng::nasty`] numbers.
    pub fn nasty_transform(&mut self) -> Transform {
        Transform::from_array(core::array::from_fn(|_| self.nasty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference outputs of SplitMix64 for seed 1234567, as published with the algorithm.
    #[test]
    fn the_generator_is_splitmix64() {
        let mut rng = Rng::new(1_234_567);
        let first: [u64; 3] = core::array::from_fn(|_| rng.next_u64());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn ranges_hold_and_nasty_numbers_are_all_drawn() {
        let mut rng = Rng::new(1);
        let mut seen = [false; NASTY.len()];
        for _ in 0..20_000 {
            assert!((0.0..1.0).contains(&rng.unit()) && (0.0..1.0).contains(&rng.unit_f64()));
            assert!(rng.below(7) < 7);
            let v = rng.nasty();
            for (seen, n) in seen.iter_mut().zip(NASTY) {
                *seen |= v.to_bits() == n.to_bits();
            }
            let q = rng.rotation();
            assert!((scalar::quat_dot(q, q) - 1.0).abs() < 1e-6);
        }
        assert_eq!(seen, [true; NASTY.len()]);
    }
}
