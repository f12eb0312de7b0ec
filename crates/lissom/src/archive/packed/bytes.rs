//! Bytes of any kind: those that follow a byte, and those that stand where one stood four bytes before, are
//! alike.

use super::range::{Chance, Coder};
use alloc::vec::Vec;

/// What was learnt from the bytes before.
pub(super) struct BytesModel {
    /// By place in a word and the byte four before; then one a step through the byte's bits.
    words: Vec<Chance>,
    /// By the byte before.
    pairs: Vec<Chance>,
}

impl BytesModel {
    pub fn new() -> Self {
        // Cleared, which is `Chance::EVEN`.
        Self { words: bytemuck::zeroed_vec(4 << 16), pairs: bytemuck::zeroed_vec(1 << 16) }
    }

    /// Writes the bytes, or reads them.
    pub fn code<C: Coder>(&mut self, coder: &mut C, bytes: &mut [u8]) {
        // The last four bytes, the newest one lowest.
        let mut last = 0_u32;
        for (at, byte) in bytes.iter_mut().enumerate() {
            let (four, one) = ((last >> 24) as usize, (last & 0xff) as usize);
            let places = [((at % 4) << 8 | four) << 8, one << 8];
            let mut so_far = 1;
            for bit in (0..8).rev() {
                let set = byte.wrapping_shr(bit) & 1 != 0;
                let by_word = self.words.get_mut(places[0] | so_far);
                let by_pair = self.pairs.get_mut(places[1] | so_far);
                // Both are there: eight bits, and a one before them, are below 256.
                let (Some(by_word), Some(by_pair)) = (by_word, by_pair) else { return };
                let set = coder.choose(Chance::both(*by_word, *by_pair), set);
                by_word.learn(set);
                by_pair.learn(set);
                so_far = so_far << 1 | usize::from(set);
            }
            *byte = so_far as u8;
            last = last << 8 | u32::from(*byte);
        }
    }
}
