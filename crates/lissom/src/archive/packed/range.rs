//! A range coder: bits in, as many bytes out as the chances say. What is written and what is read go through
//! the same calls, so that a codec is one function for both directions.

use alloc::vec::Vec;

/// One half, as a [`Chance`] counts.
const HALF: u32 = 1 << 15;
/// No chance is nearer to 0 or 1 than this.
const LEAST: u32 = 24;
const MOST: u32 = 2 * HALF - LEAST;
/// After this number of bits a chance follows no slower.
const SLOWEST: u8 = 60;

/// How likely a bit is to be set, of 65,536, and how many bits it was learnt from.
///
/// All zeros is [`Chance::EVEN`]: a large table of them is memory that the system gives out cleared.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Zeroable)]
pub(super) struct Chance {
    /// With the highest bit turned over.
    turned: u16,
    seen: u8,
}

impl Chance {
    /// Nothing is known.
    pub const EVEN: Self = Self { turned: 0, seen: 0 };

    /// This likely (of 65,536), as if learnt from this number of bits.
    pub const fn of(set: u32, seen: u8) -> Self {
        let set = if set < LEAST {
            LEAST
        } else if set > MOST {
            MOST
        } else {
            set
        };
        Self { turned: set as u16 ^ HALF as u16, seen }
    }

    fn set(self) -> u32 {
        u32::from(self.turned ^ HALF as u16)
    }

    /// What two chances say together: the one that has seen more counts more.
    pub fn both(one: Self, two: Self) -> u32 {
        // Below 2^16 times below 2^8, twice: nothing overflows.
        let [a, b] = [one, two].map(|chance| u32::from(chance.seen).wrapping_add(1));
        let sum = one.set().wrapping_mul(a).wrapping_add(two.set().wrapping_mul(b));
        sum.checked_div(a.wrapping_add(b)).unwrap_or(HALF)
    }

    /// Takes a bit into account.
    pub fn learn(&mut self, bit: bool) {
        /// The share of what is new, of 65,536, after this number of bits.
        const SHARES: [i32; SLOWEST as usize + 1] = {
            let mut shares = [0; SLOWEST as usize + 1];
            let (mut rest, mut seen) = (shares.as_mut_slice(), 0);
            while let Some((share, others)) = rest.split_first_mut() {
                *share = 65_536 * 5 / (5 * seen + 8);
                (rest, seen) = (others, seen + 1);
            }
            shares
        };
        let share = SHARES.get(usize::from(self.seen)).copied().unwrap_or(0);
        let (goal, set) = (if bit { const { 2 * HALF as i32 } } else { 0 }, self.set() as i32);
        // The product is below 2^31: a share is at most 5/8.
        let next = set.wrapping_add(goal.wrapping_sub(set).wrapping_mul(share >> 1) >> 15);
        *self =
            Self::of(next as u32, if self.seen < SLOWEST { self.seen.wrapping_add(1) } else { self.seen });
    }
}

/// Writes or reads: each call takes what is to be written, and gives what was written or read.
pub(super) trait Coder {
    /// One bit, which is set with a chance of `set` of 65,536: neither 0 nor all.
    fn choose(&mut self, set: u32, bit: bool) -> bool;

    /// One bit, from which its chance learns.
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool {
        let bit = self.choose(chance.set(), bit);
        chance.learn(bit);
        bit
    }

    /// The low `count` bits (at most 32), each as likely set as not.
    fn even(&mut self, count: u32, bits: u32) -> u32;
}

/// Below this a range gets its next byte.
const SHORT: u32 = 1 << 24;

fn split(range: u32, set: u32) -> u32 {
    // Neither is above 2^16.
    (range >> 16).wrapping_mul(set)
}

/// Writes.
pub(super) struct Encoder {
    low: u64,
    range: u32,
    /// The last byte that a carry may still change, and how many bytes of 255 follow it.
    held: Option<u8>,
    full: usize,
    out: Vec<u8>,
}

impl Encoder {
    pub fn new() -> Self {
        Self { low: 0, range: u32::MAX, held: None, full: 0, out: Vec::new() }
    }

    fn shift(&mut self) {
        let (carry, byte) = ((self.low >> 32) as u8, (self.low >> 24) as u8);
        if carry != 0 || byte != 0xff {
            // Nothing comes before the first byte, so no carry reaches it.
            self.out.extend(self.held.map(|held| held.wrapping_add(carry)));
            let fill = 0xff_u8.wrapping_add(carry);
            self.out.resize(self.out.len().saturating_add(self.full), fill);
            (self.full, self.held) = (0, Some(byte));
        } else {
            self.full = self.full.saturating_add(1);
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    fn settle(&mut self) {
        while self.range < SHORT {
            self.range <<= 8;
            self.shift();
        }
    }

    /// The bytes. What a reader finds after their end are zeros, so those are left out.
    pub fn finish(mut self) -> Vec<u8> {
        // Of the numbers that mean the same, the one with the most zeros at its end.
        let last = self.low.wrapping_add(u64::from(self.range)).wrapping_sub(1);
        for zeros in (0..=32).rev() {
            let round = last.wrapping_shr(zeros).wrapping_shl(zeros);
            if round >= self.low {
                self.low = round;
                break;
            }
        }
        for _ in 0..5 {
            self.shift();
        }
        while self.out.last() == Some(&0) {
            self.out.pop();
        }
        self.out
    }
}

impl Coder for Encoder {
    fn choose(&mut self, set: u32, bit: bool) -> bool {
        let part = split(self.range, set);
        if bit {
            self.range = part;
        } else {
            self.low = self.low.wrapping_add(u64::from(part));
            self.range = self.range.wrapping_sub(part);
        }
        self.settle();
        bit
    }

    fn even(&mut self, count: u32, bits: u32) -> u32 {
        for at in (0..count).rev() {
            self.range >>= 1;
            if bits.wrapping_shr(at) & 1 != 0 {
                self.low = self.low.wrapping_add(u64::from(self.range));
            }
            self.settle();
        }
        bits & low_bits(count)
    }
}

fn low_bits(count: u32) -> u32 {
    1_u64.wrapping_shl(count).wrapping_sub(1) as u32
}

/// Reads. Past the end there are zeros.
pub(super) struct Decoder<'a> {
    code: u32,
    range: u32,
    bytes: core::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut new = Self { code: 0, range: u32::MAX, bytes: bytes.iter() };
        for _ in 0..4 {
            new.code = new.code << 8 | new.next();
        }
        new
    }

    fn next(&mut self) -> u32 {
        self.bytes.next().copied().map_or(0, u32::from)
    }

    fn settle(&mut self) {
        while self.range < SHORT {
            self.range <<= 8;
            self.code = self.code << 8 | self.next();
        }
    }
}

impl Coder for Decoder<'_> {
    fn choose(&mut self, set: u32, _: bool) -> bool {
        let part = split(self.range, set);
        let bit = self.code < part;
        if bit {
            self.range = part;
        } else {
            self.code = self.code.wrapping_sub(part);
            self.range = self.range.wrapping_sub(part);
        }
        self.settle();
        bit
    }

    fn even(&mut self, count: u32, _: u32) -> u32 {
        let mut bits = 0;
        for _ in 0..count {
            self.range >>= 1;
            let bit = self.code >= self.range;
            self.code = self.code.wrapping_sub(if bit { self.range } else { 0 });
            bits = bits << 1 | u32::from(bit);
            self.settle();
        }
        bits
    }
}

#[cfg(test)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test panics where it is wrong"
)]
mod tests {
    use super::*;

    fn next(state: &mut u64) -> u32 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as u32
    }

    /// Bits of which one in `rare` is set, mixed with numbers; written, or read and compared.
    fn walk(coder: &mut impl Coder, seed: u64, rare: u32) {
        let mut state = seed;
        let mut chances = [Chance::EVEN; 3];
        for at in 0..2_000 {
            let bit = next(&mut state).is_multiple_of(rare);
            assert_eq!(coder.bit(&mut chances[at % 3], bit), bit, "bit {at}");
            if at % 50 == 0 {
                let (count, bits) = (next(&mut state) % 33, next(&mut state) << 1);
                assert_eq!(coder.even(count, bits), bits & low_bits(count), "number {at}");
            }
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for seed in 0..300 {
            for rare in [1, 2, 7, 500] {
                let mut to = Encoder::new();
                walk(&mut to, seed, rare);
                let bytes = to.finish();
                walk(&mut Decoder::new(&bytes), seed, rare);
            }
        }
    }

    #[test]
    fn rare_bits_take_little() {
        let mut to = Encoder::new();
        let mut chance = Chance::EVEN;
        for at in 0..80_000 {
            to.bit(&mut chance, at % 4_000 == 3_999);
        }
        let bytes = to.finish().len();
        assert!(bytes < 120, "{bytes}");
        assert!(Encoder::new().finish().is_empty());
    }

    #[test]
    fn any_bytes_can_be_read() {
        let mut state = 5;
        for _ in 0..200 {
            let bytes: Vec<u8> = (0..next(&mut state) % 40).map(|_| next(&mut state) as u8).collect();
            let mut from = Decoder::new(&bytes);
            let mut chance = Chance::EVEN;
            for _ in 0..500 {
                from.bit(&mut chance, false);
                from.even(17, 0);
            }
        }
    }
}
