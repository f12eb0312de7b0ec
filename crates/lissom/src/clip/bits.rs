//! Reading bits, least significant first. Past the end there are zeros: a damaged clip can be wrong, never
//! out of bounds.

/// The next bits of a stream; the first [`Bits::ROOM`] of them are there.
#[derive(Clone, Copy)]
pub(crate) struct Bits(u64);

impl Bits {
    /// What is left of eight bytes when up to seven bits are dropped.
    pub const ROOM: u64 = 57;

    /// The next `count` bits (at most 32).
    #[inline(always)]
    pub fn take(&mut self, count: u32) -> u32 {
        debug_assert!(count <= 32);
        let v = self.0 & ((1 << count) - 1);
        self.0 >>= count;
        v as u32
    }

    /// Like [`Bits::take`], as a two's complement number.
    #[inline(always)]
    pub fn take_signed(&mut self, count: u32) -> i32 {
        debug_assert!(count <= 32);
        // In two steps, since a width of 0 is the number 0 and a shift by 64 is none at all.
        let v = ((self.0 << (63 - count) << 1) as i64) >> (63 - count) >> 1;
        self.0 >>= count;
        v as i32
    }

    /// Three numbers of these widths.
    #[inline(always)]
    pub fn take_3(&mut self, widths: [u8; 3]) -> [i32; 3] {
        let [x, y, z] = widths.map(u32::from);
        [self.take_signed(x), self.take_signed(y), self.take_signed(z)]
    }
}

/// The bits at bit `at`.
#[inline(always)]
pub(crate) fn word_at(bytes: &[u8], at: u64) -> Bits {
    let byte = (at >> 3) as usize;
    let word = match bytes.get(byte..).and_then(|b| b.first_chunk()) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_word(bytes, byte),
    };
    Bits(word >> (at & 7))
}

#[cold]
fn last_word(bytes: &[u8], byte: usize) -> u64 {
    let mut word = [0; 8];
    if let Some(rest) = bytes.get(byte..) {
        word.iter_mut().zip(rest).for_each(|(w, b)| *w = *b);
    }
    u64::from_le_bytes(word)
}

/// Three signed numbers of any width.
pub(crate) fn read_3(bytes: &[u8], at: u64, widths: [u8; 3]) -> [i32; 3] {
    let [x, y, z] = widths.map(u32::from);
    [
        word_at(bytes, at).take_signed(x),
        word_at(bytes, at + u64::from(x)).take_signed(y),
        word_at(bytes, at + u64::from(x + y)).take_signed(z),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_at_every_place_reads_back() {
        let bytes: [u8; 16] = core::array::from_fn(|i| (i as u8).wrapping_mul(37) ^ 0x5a);
        let all = u128::from_le_bytes(bytes);
        for at in 0..128_u64 {
            for count in 0..=32_u32 {
                let expected = ((all >> at) as u64 & ((1_u64 << count) - 1)) as u32;
                assert_eq!(word_at(&bytes, at).take(count), expected, "{count} bits at {at}");
                let signed = if count > 0 && expected >> (count - 1) != 0 {
                    i64::from(expected) - (1_i64 << count)
                } else {
                    i64::from(expected)
                };
                assert_eq!(i64::from(word_at(&bytes, at).take_signed(count)), signed);
            }
        }
        assert_eq!(word_at(&bytes, 1 << 40).take(32), 0);
        assert_eq!(word_at(&bytes, u64::MAX).take(32), 0);
    }
}
