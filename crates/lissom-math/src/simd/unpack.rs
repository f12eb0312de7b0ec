//! Three numbers a lane out of a stream of bits.
//!
//! Where the CPU gathers, a lane's eight bytes are fetched by one instruction with all others'; where it does not, and
//! where eight bytes do not hold a lane's numbers or reach beyond the end, lane by lane. Integers: the same bits.
#![allow(unsafe_code, reason = "a gather takes a pointer; bit by bit it is ten times the instructions")]

use super::{LEN, blocks::same};
use fearless_simd::{Simd, prelude::*, u32x4};

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::{Avx2, Avx512, u32x8, u32x16};

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

/// Bits that are left of eight bytes when up to seven are dropped.
const ROOM: u32 = 57;

/// Bits of a width, three of which stand in a word from its lowest bit on.
const WIDTH: u32 = 5;

/// Three two's complement numbers a lane, one behind the other from bit `first` plus the lane's offset on, least
/// significant bits first. A lane's word of `widths` holds theirs, five bits each from the lowest on; its other bits are
/// not looked at. A number of no bits is 0, and so is what lies behind the end.
#[inline(always)]
#[must_use]
pub fn three_numbers<S: Simd>(
    s: S,
    bytes: &[u8],
    first: u64,
    offsets: S::u32s,
    widths: S::u32s,
) -> [S::u32s; 3] {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        let from = bytes.get((first >> 3) as usize..).unwrap_or_default();
        let first = first as u32 & 7;
        if let (Some(token), Some(offsets), Some(widths)) =
            (same::<S, Avx512>(s), same::<_, u32x16<Avx512>>(offsets), same::<_, u32x16<Avx512>>(widths))
            && let Some(v) = gather_avx512(token, from, first, offsets, widths)
            && let Some(v) = same(v)
        {
            return v;
        }
        if let (Some(token), Some(offsets), Some(widths)) =
            (same::<S, Avx2>(s), same::<_, u32x8<Avx2>>(offsets), same::<_, u32x8<Avx2>>(widths))
            && let Some(v) = gather_avx2(token, from, first, offsets, widths)
            && let Some(v) = same(v)
        {
            return v;
        }
    }
    lane_by_lane(s, bytes, first, offsets, widths)
}

/// The plain way, which every other one is compared with.
#[inline(always)]
fn lane_by_lane<S: Simd>(s: S, bytes: &[u8], first: u64, offsets: S::u32s, widths: S::u32s) -> [S::u32s; 3] {
    let (offsets, widths) = (offsets.as_slice(), widths.as_slice());
    let at = |lane: usize| one(bytes, first + u64::from(offsets[lane]), widths[lane]);
    if let (Some(_), Some(_)) = (offsets.get(3), same::<_, u32x4<S>>(S::u32s::simd_from(s, 0))) {
        // In registers: what is stored by lanes and loaded wide at once waits for the stores.
        let (a, b, c, d) = (at(0), at(1), at(2), at(3));
        let four = |i: usize| same(u32x4::<S>::simd_from(s, [a[i], b[i], c[i], d[i]]));
        if let (Some(x), Some(y), Some(z)) = (four(0), four(1), four(2)) {
            return [x, y, z];
        }
    }
    let (mut x, mut y, mut z) = ([0; 16], [0; 16], [0; 16]);
    let mut lane = 0;
    while lane < LEN::<S>() {
        [x[lane], y[lane], z[lane]] = at(lane);
        lane += 1;
    }
    [
        S::u32s::from_slice(s, &x[..LEN::<S>()]),
        S::u32s::from_slice(s, &y[..LEN::<S>()]),
        S::u32s::from_slice(s, &z[..LEN::<S>()]),
    ]
}

/// The three numbers of one lane; see [`three_numbers`].
#[inline(always)]
fn one(bytes: &[u8], bit: u64, widths: u32) -> [u32; 3] {
    let (x, y, z) = (widths & 31, widths >> WIDTH & 31, widths >> (2 * WIDTH) & 31);
    if x + y + z <= ROOM {
        let word = word_at(bytes, bit);
        return [signed(word, x), signed(word >> x, y), signed(word >> (x + y), z)];
    }
    [
        signed(word_at(bytes, bit), x),
        signed(word_at(bytes, bit + u64::from(x)), y),
        signed(word_at(bytes, bit + u64::from(x + y)), z),
    ]
}

/// At least [`ROOM`] bits from a bit on; zeros behind the end.
#[inline(always)]
fn word_at(bytes: &[u8], bit: u64) -> u64 {
    let byte = (bit >> 3) as usize;
    let word = match bytes.get(byte..).and_then(|b| b.first_chunk()) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => last_word(bytes, byte),
    };
    word >> (bit & 7)
}

#[cold]
#[inline(never)]
fn last_word(bytes: &[u8], byte: usize) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(bytes.get(byte..).unwrap_or_default()).for_each(|(w, b)| *w = *b);
    u64::from_le_bytes(word)
}

/// The bits of a number of a width, and its sign.
const BITS: [[u32; 2]; 32] = {
    let mut table = [[0; 2]; 32];
    let mut width = 0;
    while width < 32 {
        table[width] = [(1 << width) - 1, (1 << width) >> 1];
        width += 1;
    }
    table
};

/// The low bits of a word as a two's complement number; no bits are 0.
#[inline(always)]
fn signed(word: u64, width: u32) -> u32 {
    // A table, since shifts by a variable are slow where there is no gather.
    let [bits, sign] = BITS[width as usize & 31];
    ((word as u32 & bits) ^ sign).wrapping_sub(sign)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn gather_avx512(
        token: Avx512,
        bytes: &[u8],
        first: u32,
        offsets: u32x16<Avx512>,
        widths: u32x16<Avx512>,
    ) -> Option<[u32x16<Avx512>; 3]> {
        let low_five = arch::_mm512_set1_epi32(31);
        let widths = widths.into();
        let x = arch::_mm512_and_epi32(widths, low_five);
        let y = arch::_mm512_and_epi32(arch::_mm512_srli_epi32::<WIDTH>(widths), low_five);
        let z = arch::_mm512_and_epi32(arch::_mm512_srli_epi32::<{ 2 * WIDTH }>(widths), low_five);
        let xy = arch::_mm512_add_epi32(x, y);
        let bits = arch::_mm512_add_epi32(offsets.into(), arch::_mm512_set1_epi32(first as i32));
        let places = arch::_mm512_srli_epi32::<3>(bits);
        // Places are below 2^29: a last one beyond that is as good as any.
        let last = i32::try_from(bytes.len().checked_sub(8)?).unwrap_or(i32::MAX);
        let beyond = arch::_mm512_cmpgt_epi32_mask(places, arch::_mm512_set1_epi32(last));
        let wide = arch::_mm512_cmpgt_epi32_mask(
            arch::_mm512_add_epi32(xy, z),
            arch::_mm512_set1_epi32(ROOM as i32),
        );
        if beyond | wide != 0 {
            return None;
        }
        let low_places = arch::_mm512_castsi512_si256(places);
        let high_places = arch::_mm512_extracti64x4_epi64::<1>(places);
        // SAFETY: no place is above `last`, so the eight bytes from each on are inside `bytes`; they are read as
        // integers, at any alignment.
        let (low, high) = unsafe {
            (
                arch::_mm512_i32gather_epi64::<1>(low_places, bytes.as_ptr().cast()),
                arch::_mm512_i32gather_epi64::<1>(high_places, bytes.as_ptr().cast()),
            )
        };
        let halves = arch::_mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let drop = arch::_mm512_and_epi32(bits, arch::_mm512_set1_epi32(7));
        let low_drop = arch::_mm512_cvtepu32_epi64(arch::_mm512_castsi512_si256(drop));
        let high_drop = arch::_mm512_cvtepu32_epi64(arch::_mm512_extracti64x4_epi64::<1>(drop));
        let (low, high) = (arch::_mm512_srlv_epi64(low, low_drop), arch::_mm512_srlv_epi64(high, high_drop));
        let low_x = arch::_mm512_cvtepu32_epi64(arch::_mm512_castsi512_si256(x));
        let high_x = arch::_mm512_cvtepu32_epi64(arch::_mm512_extracti64x4_epi64::<1>(x));
        let low_xy = arch::_mm512_cvtepu32_epi64(arch::_mm512_castsi512_si256(xy));
        let high_xy = arch::_mm512_cvtepu32_epi64(arch::_mm512_extracti64x4_epi64::<1>(xy));
        let vx = arch::_mm512_permutex2var_epi32(low, halves, high);
        let vy = arch::_mm512_permutex2var_epi32(
            arch::_mm512_srlv_epi64(low, low_x),
            halves,
            arch::_mm512_srlv_epi64(high, high_x),
        );
        let vz = arch::_mm512_permutex2var_epi32(
            arch::_mm512_srlv_epi64(low, low_xy),
            halves,
            arch::_mm512_srlv_epi64(high, high_xy),
        );
        // Shifts by 32 leave nothing, and nothing of the sign.
        let all = arch::_mm512_set1_epi32(32);
        let (x, y, z) =
            (arch::_mm512_sub_epi32(all, x), arch::_mm512_sub_epi32(all, y), arch::_mm512_sub_epi32(all, z));
        Some([
            arch::_mm512_srav_epi32(arch::_mm512_sllv_epi32(vx, x), x).simd_into(token),
            arch::_mm512_srav_epi32(arch::_mm512_sllv_epi32(vy, y), y).simd_into(token),
            arch::_mm512_srav_epi32(arch::_mm512_sllv_epi32(vz, z), z).simd_into(token),
        ])
    }
);

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn gather_avx2(
        token: Avx2,
        bytes: &[u8],
        first: u32,
        offsets: u32x8<Avx2>,
        widths: u32x8<Avx2>,
    ) -> Option<[u32x8<Avx2>; 3]> {
        let low_five = arch::_mm256_set1_epi32(31);
        let widths = widths.into();
        let x = arch::_mm256_and_si256(widths, low_five);
        let y = arch::_mm256_and_si256(arch::_mm256_srli_epi32::<{ WIDTH as i32 }>(widths), low_five);
        let z = arch::_mm256_and_si256(arch::_mm256_srli_epi32::<{ 2 * WIDTH as i32 }>(widths), low_five);
        let xy = arch::_mm256_add_epi32(x, y);
        let bits = arch::_mm256_add_epi32(offsets.into(), arch::_mm256_set1_epi32(first as i32));
        let places = arch::_mm256_srli_epi32::<3>(bits);
        // Places are below 2^29: a last one beyond that is as good as any.
        let last = i32::try_from(bytes.len().checked_sub(8)?).unwrap_or(i32::MAX);
        let beyond = arch::_mm256_cmpgt_epi32(places, arch::_mm256_set1_epi32(last));
        let wide =
            arch::_mm256_cmpgt_epi32(arch::_mm256_add_epi32(xy, z), arch::_mm256_set1_epi32(ROOM as i32));
        let odd = arch::_mm256_or_si256(beyond, wide);
        if arch::_mm256_testz_si256(odd, odd) == 0 {
            return None;
        }
        let low_places = arch::_mm256_castsi256_si128(places);
        let high_places = arch::_mm256_extracti128_si256::<1>(places);
        // SAFETY: no place is above `last`, so the eight bytes from each on are inside `bytes`; they are read as
        // integers, at any alignment.
        let (low, high) = unsafe {
            (
                arch::_mm256_i32gather_epi64::<1>(bytes.as_ptr().cast(), low_places),
                arch::_mm256_i32gather_epi64::<1>(bytes.as_ptr().cast(), high_places),
            )
        };
        let drop = arch::_mm256_and_si256(bits, arch::_mm256_set1_epi32(7));
        let low_drop = arch::_mm256_cvtepu32_epi64(arch::_mm256_castsi256_si128(drop));
        let high_drop = arch::_mm256_cvtepu32_epi64(arch::_mm256_extracti128_si256::<1>(drop));
        let (low, high) = (arch::_mm256_srlv_epi64(low, low_drop), arch::_mm256_srlv_epi64(high, high_drop));
        let low_x = arch::_mm256_cvtepu32_epi64(arch::_mm256_castsi256_si128(x));
        let high_x = arch::_mm256_cvtepu32_epi64(arch::_mm256_extracti128_si256::<1>(x));
        let low_xy = arch::_mm256_cvtepu32_epi64(arch::_mm256_castsi256_si128(xy));
        let high_xy = arch::_mm256_cvtepu32_epi64(arch::_mm256_extracti128_si256::<1>(xy));
        let vx = low_halves(token, low, high);
        let vy =
            low_halves(token, arch::_mm256_srlv_epi64(low, low_x), arch::_mm256_srlv_epi64(high, high_x));
        let vz =
            low_halves(token, arch::_mm256_srlv_epi64(low, low_xy), arch::_mm256_srlv_epi64(high, high_xy));
        // Shifts by 32 leave nothing, and nothing of the sign.
        let all = arch::_mm256_set1_epi32(32);
        let (x, y, z) =
            (arch::_mm256_sub_epi32(all, x), arch::_mm256_sub_epi32(all, y), arch::_mm256_sub_epi32(all, z));
        Some([
            arch::_mm256_srav_epi32(arch::_mm256_sllv_epi32(vx, x), x).simd_into(token),
            arch::_mm256_srav_epi32(arch::_mm256_sllv_epi32(vy, y), y).simd_into(token),
            arch::_mm256_srav_epi32(arch::_mm256_sllv_epi32(vz, z), z).simd_into(token),
        ])
    }
);

// The low halves of eight numbers of 64 bits.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn low_halves(token: Avx2, low: arch::__m256i, high: arch::__m256i) -> arch::__m256i {
        let _ = token;
        let (low, high) = (arch::_mm256_castsi256_ps(low), arch::_mm256_castsi256_ps(high));
        let mixed = arch::_mm256_castps_si256(arch::_mm256_shuffle_ps::<0x88>(low, high));
        arch::_mm256_permute4x64_epi64::<0xd8>(mixed)
    }
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dispatch, simd::Backend};
    use lissom_testkit::rng::Rng;

    #[inline(always)]
    fn compare<S: Simd>(s: S, bytes: &[u8], first: u64, places: &[u32; 16], widths: &[u32; 16]) {
        let mut at = 0;
        while at < 16 {
            let offsets = S::u32s::from_slice(s, &places[at..at + LEN::<S>()]);
            let own = S::u32s::from_slice(s, &widths[at..at + LEN::<S>()]);
            let wide = three_numbers(s, bytes, first, offsets, own);
            for lane in 0..LEN::<S>() {
                let expected = one(bytes, first + u64::from(places[at + lane]), widths[at + lane]);
                let found = [wide[0].as_slice()[lane], wide[1].as_slice()[lane], wide[2].as_slice()[lane]];
                assert_eq!(found, expected, "{} lanes, lane {lane}, from bit {first}", LEN::<S>());
            }
            at += LEN::<S>();
        }
    }

    #[test]
    fn gathered_numbers_are_those_read_one_by_one() {
        let mut rng = Rng::new(1);
        let bytes: Vec<u8> = (0..300).map(|_| rng.next_u32() as u8).collect();
        for _ in 0..4000 {
            // Most fit eight bytes; some do not, some reach over the end, some start beyond it.
            let widest = [6, 16, 19, 20, 32][rng.below(5)];
            let reach = [500, 2300, 2800][rng.below(3)];
            let first = rng.next_u64() % 200;
            let places = core::array::from_fn(|_| rng.next_u32() % reach);
            let widths = core::array::from_fn(|_| {
                let three = rng.next_u32();
                let width = |shift: u32| (three >> shift & 255) % widest;
                width(0) | width(8) << 5 | width(16) << 10 | three & 0xffff_8000
            });
            let len = rng.below(300);
            for backend in Backend::all() {
                dispatch!(backend, s => compare(s, &bytes[..len], first, &places, &widths));
            }
        }
    }

    #[test]
    fn a_number_is_what_its_bits_say() {
        // 3 bits of -3, 0 bits, 5 bits of 11, from bit 2 on.
        let bits: u16 = 0b10 | 0b101 << 2 | 0b01011 << 5;
        assert_eq!(one(&bits.to_le_bytes(), 2, 3 | 5 << 10), [-3_i32 as u32, 0, 11]);
        assert_eq!(one(&[], 1 << 40, 31), [0; 3]);
    }
}
