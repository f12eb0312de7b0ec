//! Bytes of any kind: those that follow a byte, and those that stand where one stood four bytes before, are alike.

use super::range::{Chance, Coder};
use alloc::{vec, vec::Vec};

/// What was learnt from the bytes before.
pub(super) struct BytesModel {
    /// By place in a word and the byte four before; then one a step through the byte's bits.
    words: Vec<Chance>,
    /// By the byte before.
    pairs: Vec<Chance>,
}

impl BytesModel {
    pub fn new() -> Self {
        Self { words: vec![Chance::EVEN; 4 << 16], pairs: vec![Chance::EVEN; 1 << 16] }
    }

    /// Writes the bytes, or reads them.
    pub fn code<C: Coder>(&mut self, coder: &mut C, bytes: &mut [u8]) {
        let mut last = [0_u8; 4];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let lane = at % 4;
            let (four, one) = (last[lane], last[(lane + 3) % 4]);
            let places = [(lane << 8 | usize::from(four)) << 8, usize::from(one) << 8];
            let mut so_far = 1;
            for bit in (0..8).rev() {
                let set = *byte >> bit & 1 != 0;
                let by_word = &mut self.words[places[0] | so_far];
                let by_pair = &mut self.pairs[places[1] | so_far];
                let set = coder.choose(Chance::both(*by_word, *by_pair), set);
                by_word.learn(set);
                by_pair.learn(set);
                so_far = so_far << 1 | usize::from(set);
            }
            *byte = so_far as u8;
            last[lane] = *byte;
        }
    }
}
