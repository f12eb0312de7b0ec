//! Reading bits, least significant first. Past the end there are zeros: a damaged clip can be wrong, never
//! out of bounds.

/// `count` bits (at most 32) at bit `at`.
#[inline(always)]
pub(crate) fn bits_at(bytes: &[u8], at: u64, count: u32) -> u32 {
    debug_assert!(count <= 32);
    let byte = (at >> 3) as usize;
    let word = match bytes.get(byte..byte.wrapping_add(8)) {
        Some(eight) => u64::from_le_bytes([
            eight[0], eight[1], eight[2], eight[3], eight[4], eight[5], eight[6], eight[7],
        ]),
        None => last_word(bytes, byte),
    };
    ((word >> (at & 7)) & ((1 << count) - 1)) as u32
}

/// Like [`bits_at`], as a two's complement number.
#[inline(always)]
pub(crate) fn signed_at(bytes: &[u8], at: u64, count: u32) -> i32 {
    let raw = bits_at(bytes, at, count);
    // A width of 0 is the number 0: shift out in two steps, since a shift by 32 is none at all.
    let up = 32 - count;
    if count == 0 { 0 } else { ((raw << up) as i32) >> up }
}

#[cold]
fn last_word(bytes: &[u8], byte: usize) -> u64 {
    let mut word = [0; 8];
    if let Some(rest) = bytes.get(byte..) {
        word.iter_mut().zip(rest).for_each(|(w, b)| *w = *b);
    }
    u64::from_le_bytes(word)
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
                assert_eq!(bits_at(&bytes, at, count), expected, "{count} bits at {at}");
                let signed = if count > 0 && expected >> (count - 1) != 0 {
                    i64::from(expected) - (1_i64 << count)
                } else {
                    i64::from(expected)
                };
                assert_eq!(i64::from(signed_at(&bytes, at, count)), signed);
            }
        }
        assert_eq!(bits_at(&bytes, 1 << 40, 32), 0);
        assert_eq!(bits_at(&bytes, u64::MAX, 32), 0);
    }
}
