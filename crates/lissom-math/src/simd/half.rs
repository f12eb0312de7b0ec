//! Half floats, side by side.

use fearless_simd::{Simd, prelude::*};

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use {
    super::blocks::same,
    fearless_simd::{Avx2, Avx512, f32x8, f32x16, u32x8, u32x16},
};

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

/// The bits of the nearest half floats, ties to even; what is too large is infinite. [`crate::scalar::half`]
#[inline(always)]
#[must_use]
pub fn halves<S: Simd>(s: S, v: S::f32s) -> S::u32s {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if let (Some(token), Some(v)) = (same::<S, Avx512>(s), same::<_, f32x16<Avx512>>(v))
            && let Some(h) = same(halves_avx512(token, v))
        {
            return h;
        }
        if let (Some(token), Some(v)) = (same::<S, Avx2>(s), same::<_, f32x8<Avx2>>(v))
            && let Some(h) = same(halves_avx2(token, v))
        {
            return h;
        }
    }
    let bits: S::u32s = v.bitcast();
    let (sign, rest) = ((bits >> 16) & splat(s, 0x8000), bits & splat(s, 0x7fff_ffff));
    let odd = (rest >> 13) & splat(s, 1);
    let normal = ((rest - splat(s, 0x3800_0000)) + (splat(s, 0x0fff) + odd)) >> 13;
    // Below the least normal half the adder rounds: its last bit is then worth as much as that of a half.
    let magnitude: S::f32s = rest.bitcast();
    let small: S::u32s = (magnitude + S::f32s::simd_from(s, 0.5)).bitcast();
    let small = small - splat(s, 0.5_f32.to_bits());
    let large = rest.simd_gt(splat(s, 0x7f80_0000)).select(splat(s, 0x7e00), splat(s, 0x7c00));
    let magnitude = rest.simd_lt(splat(s, 0x3880_0000)).select(small, normal);
    sign | rest.simd_lt(splat(s, 0x4780_0000)).select(magnitude, large)
}

#[inline(always)]
fn splat<S: Simd>(s: S, v: u32) -> S::u32s {
    S::u32s::simd_from(s, v)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn halves_avx512(token: Avx512, v: f32x16<Avx512>) -> u32x16<Avx512> {
        arch::_mm512_cvtepu16_epi32(arch::_mm512_cvtps_ph::<0>(v.into())).simd_into(token)
    }
);

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn halves_avx2(token: Avx2, v: f32x8<Avx2>) -> u32x8<Avx2> {
        arch::_mm256_cvtepu16_epi32(arch::_mm256_cvtps_ph::<0>(v.into())).simd_into(token)
    }
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dispatch,
        scalar::half,
        simd::{Backend, LEN},
    };

    #[inline(always)]
    fn compare<S: Simd>(s: S, all: &[f32]) {
        for part in all.chunks_exact(LEN::<S>()) {
            for (v, found) in part.iter().zip(halves(s, S::f32s::from_slice(s, part)).as_slice()) {
                let same = *found == u32::from(half(*v));
                assert!(same || (v.is_nan() && found & 0x7fff > 0x7c00), "{v}: {found:x}");
            }
        }
    }

    #[test]
    fn halves_side_by_side_are_those_one_by_one() {
        // Around every half float, both signs, and what is none.
        let of_half = |bits: u32| f32::from_bits((bits << 13) + 0x3800_0000);
        let mut all: Vec<f32> = (0..0x7c00).map(of_half).collect();
        all.extend((0..0x400).map(|i| i as f32 * 0.25 * f32::from_bits(0x3380_0000)));
        for by in [0xfff, 0x1000, 0x1001, 1] {
            all.extend((0..0x7c00).map(|bits| f32::from_bits(of_half(bits).to_bits() + by)));
        }
        all.extend([0.0, f32::INFINITY, f32::NAN, 65_519.9, 65_520.0, 1e-8, 1e-40, 1.0e9]);
        all.extend(all.clone().iter().map(|v| -v));
        for backend in Backend::all() {
            dispatch!(backend, s => compare(s, &all));
        }
    }
}
