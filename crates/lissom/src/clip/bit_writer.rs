//! Writing bits, least significant first.

use alloc::vec::Vec;

/// Bits, one after the other.
#[derive(Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    bits: u64,
}

impl BitWriter {
    /// The low `count` bits of `value`.
    pub fn put(&mut self, value: u32, count: u32) {
        let value = u64::from(value) & ((1 << count) - 1);
        let at = (self.bits % 8) as u32;
        let mut rest = value << at;
        let mut left = at + count;
        if at > 0
            && let Some(last) = self.bytes.last_mut()
        {
            *last |= rest as u8;
            rest >>= 8;
            left = left.saturating_sub(8);
        }
        while left > 0 {
            self.bytes.push(rest as u8);
            rest >>= 8;
            left = left.saturating_sub(8);
        }
        self.bits += u64::from(count);
    }

    /// How many were put.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// The bytes, with zeros up to the last one's end.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bits that hold a number.
#[must_use]
pub fn unsigned_bits(v: u32) -> u32 {
    32 - v.leading_zeros()
}

/// Bits that hold a number in two's complement; 0 for 0.
#[must_use]
pub fn signed_bits(v: i32) -> u32 {
    if v == 0 { 0 } else { 33 - (if v < 0 { !v } else { v }).leading_zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_has_the_bits_in_order() {
        let mut w = BitWriter::default();
        for (v, n) in [(0b101, 3), (0, 0), (0b1, 1), (0xabcd, 16), (0xffff_ffff, 32), (0b11, 2)] {
            w.put(v, n);
        }
        assert_eq!(w.bits(), 54);
        let mut bytes = w.into_bytes();
        bytes.resize(8, 0);
        let all = u64::from_le_bytes(bytes.try_into().unwrap());
        assert_eq!(all, 0b1101 | 0xabcd << 4 | 0xffff_ffff << 20 | 0b11 << 52);
    }

    #[test]
    fn signed_widths_are_the_smallest_that_hold_the_number() {
        for (v, n) in [(0, 0), (1, 2), (-1, 1), (-2, 2), (3, 3), (-4, 3), (127, 8), (-128, 8), (i32::MIN, 32)]
        {
            assert_eq!(signed_bits(v), n, "{v}");
        }
    }
}
