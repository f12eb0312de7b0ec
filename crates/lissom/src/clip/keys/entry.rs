//! The entries of a clip's tables, one channel or block each.

use super::format::{BLOCK_WORDS, CHANNEL_WORDS};

/// One animated channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChannelEntry {
    pub lane: u16,
    pub set: u8,
    pub predictor: u8,
    pub value_bits: [u8; 3],
    pub span_bits: u8,
    pub residual_bits: [u8; 3],
    pub step: bool,
    pub span_base: u32,
}

impl ChannelEntry {
    #[inline(always)]
    pub fn unpack(w: &[u32; CHANNEL_WORDS]) -> Self {
        let v = w[1].to_le_bytes();
        let r = w[2].to_le_bytes();
        Self {
            lane: w[0] as u16,
            set: (w[0] >> 16) as u8,
            predictor: (w[0] >> 24) as u8,
            value_bits: [v[0], v[1], v[2]],
            span_bits: v[3],
            residual_bits: [r[0], r[1], r[2]],
            step: r[3] != 0,
            span_base: w[3],
        }
    }

    /// Bits of one record.
    #[inline(always)]
    pub fn record_bits(&self) -> u64 {
        let [x, y, z] = self.residual_bits.map(u64::from);
        u64::from(self.span_bits) + (x + y + z)
    }
}

/// One block: a jump frame and the stream up to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockEntry {
    pub first_row: u32,
    pub state_byte: u32,
    pub stream_byte: u64,
    pub stream_bits: u64,
    /// Keys consumed when playing starts here.
    pub keys: u64,
    /// Bits of a row distance in the jump frame; stored in the top of `keys`.
    pub row_bits: u32,
}

impl BlockEntry {
    pub fn unpack(w: &[u32; BLOCK_WORDS]) -> Self {
        Self {
            first_row: w[0],
            state_byte: w[1],
            stream_byte: u64::from(w[2]) | u64::from(w[3]) << 32,
            stream_bits: u64::from(w[4]) | u64::from(w[5]) << 32,
            keys: u64::from(w[6]) | u64::from(w[7] & 0x00ff_ffff) << 32,
            row_bits: w[7] >> 24,
        }
    }

    pub fn stream_end(&self) -> u64 {
        self.stream_byte.saturating_add(self.stream_bits.div_ceil(8))
    }
}

/// The three lane masks (constant, linear, cubic) of a group and a kind, from two words.
pub(crate) fn unpack_masks(a: u32, b: u32) -> [u16; 3] {
    [a as u16, (a >> 16) as u16, b as u16]
}
