//! Spoils good files: cuts, flips, splices, numbers that are always wrong.

use super::Seed;
use crate::rng::Rng;

/// Makes bad files of good ones, the same for the same seed.
#[derive(Clone, Debug)]
pub struct Mutator {
    rng: Rng,
}

/// Counts and floats that readers stumble over.
const NASTY: [u32; 12] = [
    0,
    1,
    2,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x7f80_0000, // infinity
    0x7fc0_0000, // NaN
    0xff7f_ffff, // the lowest float
];

impl Mutator {
    /// Equal seeds give equal mutants.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed) }
    }

    /// One to four changes to `bytes`; `other` is what is spliced in.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..=self.rng.below(4) {
            self.change(bytes, other);
        }
    }

    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        if bytes.is_empty() {
            bytes.push(self.rng.next_u64() as u8);
            return;
        }
        let at = self.rng.below(bytes.len());
        match self.rng.below(8) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << self.rng.below(8),
            2 => bytes[at] = self.rng.next_u64() as u8,
            // A number, in either byte order, at a multiple of 4 half of the time.
            3 => {
                let value = NASTY[self.rng.below(NASTY.len())];
                let four = if self.rng.one_in(4) { value.to_be_bytes() } else { value.to_le_bytes() };
                let at = if self.rng.one_in(2) { at } else { at / 4 * 4 };
                for (to, from) in bytes[at..].iter_mut().zip(four) {
                    *to = from;
                }
            }
            // A stretch of another file, over or between.
            4 if !other.is_empty() => {
                let from = self.rng.below(other.len());
                let length = self.rng.below(64.min(other.len() - from)) + 1;
                let over = if self.rng.one_in(2) { length } else { 0 };
                let end = (at + over).min(bytes.len());
                bytes.splice(at..end, other[from..from + length].iter().copied());
            }
            // A stretch of its own, again.
            5 => {
                let length = self.rng.below(64.min(bytes.len() - at)) + 1;
                let again = bytes[at..at + length].to_vec();
                let to = self.rng.below(bytes.len());
                bytes.splice(to..to, again);
            }
            6 => {
                let end = (at + 1 + self.rng.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            // Text: a digit or a bracket elsewhere.
            _ => bytes[at] = b"0123456789.-+eE{}[]\"=, \n"[self.rng.below(24)],
        }
    }
}

/// The seeds themselves, then `count` mutants of them. Other numbers give other mutants.
pub fn mutants(seeds: &[Seed], count: usize, number: u64, mut take: impl FnMut(&[u8])) {
    seeds.iter().for_each(|s| take(&s.bytes));
    let mut mutator = Mutator::new(0x5eed + number);
    let mut bytes = Vec::new();
    for i in 0..count {
        bytes.clear();
        bytes.extend_from_slice(&seeds[i % seeds.len()].bytes);
        let other = &seeds[(i / seeds.len()) % seeds.len()].bytes;
        mutator.mutate(&mut bytes, other);
        take(&bytes);
    }
}
