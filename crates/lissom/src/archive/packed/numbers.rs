//! Numbers, with chances that learn how large they are.

use super::range::{Chance, Coder};

/// The longest number, in bits.
const LONGEST: usize = 32;

/// Numbers of which nothing is known but that those before were alike: as many bits as they have, then the
/// bits.
#[derive(Clone)]
pub(super) struct Plain {
    ends: [Chance; LONGEST],
}

impl Plain {
    pub const NEW: Self = Self { ends: [Chance::of(6_500, 2); LONGEST] };

    /// A number of up to 32 bits.
    pub fn code(&mut self, coder: &mut impl Coder, value: u32) -> u32 {
        let length = u32::BITS.wrapping_sub(value.leading_zeros());
        let mut bits = 0_u32;
        while let Some(end) = self.ends.get_mut(bits as usize) {
            if coder.bit(end, bits == length) {
                break;
            }
            bits = bits.wrapping_add(1);
        }
        match bits.checked_sub(1) {
            None => 0,
            // The highest bit is set.
            Some(below) => 1_u32.wrapping_shl(below) | coder.even(below, value),
        }
    }

    /// A number of either sign.
    pub fn code_signed(&mut self, coder: &mut impl Coder, value: i32) -> i32 {
        let size = self.code(coder, value.unsigned_abs());
        let below = size != 0 && coder.even(1, u32::from(value < 0)) != 0;
        let value = size as i32;
        if below { value.wrapping_neg() } else { value }
    }
}

/// Half octaves that have chances of their own; larger scales have their low bits as they are, and share the
/// last two.
const SMALL: usize = 12;
const _: () = assert!(SMALL.is_multiple_of(2), "the lowest bit says which half of an octave");
const SCALES: usize = SMALL + 2;
/// Numbers that are counted up to one by one.
const COUNTED: usize = 12;

/// How likely a number is to be 0, 1, 2, … (of 256) if it is not less, for each half octave of its expected
/// size: what motion captured and motion made by hand have in common.
const FIRST: [[u8; COUNTED]; SCALES] = [
    [250, 209, 43, 34, 23, 20, 10, 10, 8, 8, 8, 8],
    [238, 229, 119, 38, 20, 16, 12, 10, 8, 8, 8, 8],
    [233, 236, 111, 34, 20, 16, 14, 12, 10, 10, 10, 10],
    [224, 238, 117, 50, 28, 18, 16, 14, 12, 12, 12, 12],
    [196, 215, 201, 92, 44, 24, 22, 18, 14, 14, 14, 14],
    [183, 229, 188, 100, 67, 26, 24, 20, 18, 16, 16, 16],
    [159, 220, 185, 125, 54, 31, 26, 26, 20, 18, 16, 14],
    [132, 200, 191, 154, 96, 61, 36, 34, 32, 28, 20, 18],
    [107, 167, 170, 147, 113, 77, 50, 44, 36, 26, 20, 16],
    [81, 133, 143, 140, 125, 105, 82, 63, 48, 42, 30, 26],
    [68, 104, 113, 113, 109, 98, 89, 72, 54, 48, 44, 36],
    [57, 83, 87, 89, 85, 80, 77, 69, 61, 52, 48, 40],
    [116, 109, 103, 96, 86, 75, 67, 59, 52, 46, 44, 38],
    [94, 84, 81, 77, 74, 69, 64, 58, 53, 48, 46, 41],
];
const CONFIDENCE: u8 = 8;

/// Numbers around 0 whose size is expected.
#[derive(Clone)]
pub(super) struct Scaled {
    ends: [[Chance; COUNTED]; SCALES],
    far: Plain,
    tops: [[Chance; 4]; 2],
    signs: [Chance; 3],
}

impl Scaled {
    pub fn new() -> Self {
        let first = |row: [u8; COUNTED]| row.map(|set| Chance::of(u32::from(set) << 8, CONFIDENCE));
        Self {
            ends: FIRST.map(first),
            far: Plain::NEW,
            tops: [[Chance::of(28_000, CONFIDENCE); 4]; 2],
            signs: [Chance::EVEN; 3],
        }
    }

    /// A number whose size is expected to be `scale`. `lean` is 0, or 1 or 2 for where it is likelier above
    /// or below 0.
    pub fn code(&mut self, coder: &mut impl Coder, scale: f64, lean: usize, value: i32) -> i32 {
        let octaves = half_octaves(scale);
        let low = (octaves.saturating_sub(10) / 2) as u32;
        let class = if octaves < SMALL { octaves } else { SMALL | (octaves % 2) };
        let size = value.unsigned_abs();
        let mut high = 0_u32;
        // Scales have at most 60 half octaves, so `low` is at most 25.
        let size_high = size.wrapping_shr(low);
        let Some(ends) = self.ends.get_mut(class) else { return 0 };
        let mut ends = ends.iter_mut();
        loop {
            let Some(end) = ends.next() else {
                high = high.saturating_add(self.far.code(coder, size_high.wrapping_sub(high)));
                break;
            };
            if coder.bit(end, size_high == high) {
                break;
            }
            high = high.wrapping_add(1);
        }
        let mut found = high.wrapping_shl(low);
        if let Some(below) = low.checked_sub(1) {
            let tops = self.tops.get_mut(octaves % 2).and_then(|tops| tops.get_mut(high.min(3) as usize));
            let set = tops.is_some_and(|top| coder.bit(top, size.wrapping_shr(below) & 1 != 0));
            found |= u32::from(set).wrapping_shl(below) | coder.even(below, size);
        }
        let sign = self.signs.get_mut(lean);
        let below = found != 0 && sign.is_some_and(|sign| coder.bit(sign, value < 0));
        let found = found as i32;
        if below { found.wrapping_neg() } else { found }
    }
}

/// Twice the binary logarithm of 16 scales, rounded; 0 for less than that. At most 60.
fn half_octaves(scale: f64) -> usize {
    let x = scale * 16.0;
    let exponent = ((x * x * core::f64::consts::SQRT_2).to_bits() >> 52) as usize;
    exponent.saturating_sub(1023).min(60)
}

#[cfg(test)]
mod tests {
    use super::{
        super::range::{Decoder, Encoder},
        *,
    };
    use alloc::vec::Vec;

    #[test]
    fn every_number_comes_back_at_every_scale() {
        let numbers =
            [0, 1, -1, 2, 7, -12, 13, 100, -4_095, 65_536, 1 << 24, -(1 << 25), i32::MAX, i32::MIN + 1];
        let scales = [0.0, 0.01, 0.5, 1.0, 3.0, 7.9, 40.0, 1e4, 1e12, f64::INFINITY];
        let walk = |coder: &mut dyn FnMut(i32, f64, usize) -> (i32, i32)| {
            for scale in scales {
                for (at, n) in numbers.into_iter().enumerate() {
                    // What is far beyond its scale is cut, as is what is not a number of a key anyway.
                    let (scaled, plain) = coder(n, scale, at % 3);
                    assert_eq!((scaled, plain), (n, n), "{n} at {scale}");
                }
            }
        };
        let (mut scaled, mut plain, mut to) = (Scaled::new(), Plain::NEW, Encoder::new());
        walk(&mut |n, scale, lean| (scaled.code(&mut to, scale, lean, n), plain.code_signed(&mut to, n)));
        let bytes: Vec<u8> = to.finish();
        let (mut scaled, mut plain, mut from) = (Scaled::new(), Plain::NEW, Decoder::new(&bytes));
        walk(&mut |_, scale, lean| (scaled.code(&mut from, scale, lean, 0), plain.code_signed(&mut from, 0)));
    }

    #[test]
    fn octaves_are_counted_by_halves() {
        for (scale, octaves) in
            [(0.0, 0), (1.0 / 16.0, 0), (1.0, 8), (1.4, 9), (2.0, 10), (4.0, 12), (1e30, 60)]
        {
            assert_eq!(half_octaves(scale), octaves, "{scale}");
        }
        assert_eq!(half_octaves(f64::NAN), 60);
    }
}
