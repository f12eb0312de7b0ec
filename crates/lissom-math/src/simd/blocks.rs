//! Blocks of four lanes: what kernels need between structures of arrays and matrices in memory.
//!
//! The portable vectors shuffle across the whole register. Where shuffles that stay inside a block are cheaper, or
//! where one instruction does the whole step, a backend has its own form here; the others use the portable one.
//! A form only moves lanes, or computes each lane in the order that the portable one does: same bits.

use core::any::Any;
use fearless_simd::{Simd, f32x4, f32x8, f32x16, prelude::*};

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::{Avx2, Avx512};

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

/// The value as another type, if it is that type. Known when a kernel is compiled, so it costs nothing.
#[inline(always)]
fn same<A: Copy + 'static, B: Copy + 'static>(a: A) -> Option<B> {
    (&a as &dyn Any).downcast_ref().copied()
}

/// Transposes every 4×4 that the same block of four vectors makes: lane l of `a`, `b`, `c` and `d` becomes block l / 4
/// of vector l % 4.
#[inline(always)]
#[must_use]
pub fn transpose<S: Simd>(s: S, v: [S::f32s; 4]) -> [S::f32s; 4] {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        if let (Some([a, b, c, d]), Some(token)) = (same::<_, [f32x8<Avx2>; 4]>(v), same::<S, Avx2>(s))
            && let Some(v) = same(transpose_avx2(token, a, b, c, d))
        {
            return v;
        }
        if let (Some([a, b, c, d]), Some(token)) = (same::<_, [f32x16<Avx512>; 4]>(v), same::<S, Avx512>(s))
            && let Some(v) = same(transpose_avx512(token, a, b, c, d))
        {
            return v;
        }
    }
    let _ = s;
    let [a, b, c, d] = v;
    // One block a vector, where zipping does not leave the block.
    debug_assert_eq!(<S::f32s as SimdBase<S>>::LEN, 4);
    let (ac0, ac1) = (a.zip_low(c), a.zip_high(c));
    let (bd0, bd1) = (b.zip_low(d), b.zip_high(d));
    [ac0.zip_low(bd0), ac0.zip_high(bd0), ac1.zip_low(bd1), ac1.zip_high(bd1)]
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn transpose_avx2(
        token: Avx2,
        a: f32x8<Avx2>,
        b: f32x8<Avx2>,
        c: f32x8<Avx2>,
        d: f32x8<Avx2>,
    ) -> [f32x8<Avx2>; 4] {
        let (ab0, ab1) =
            (arch::_mm256_unpacklo_ps(a.into(), b.into()), arch::_mm256_unpackhi_ps(a.into(), b.into()));
        let (cd0, cd1) =
            (arch::_mm256_unpacklo_ps(c.into(), d.into()), arch::_mm256_unpackhi_ps(c.into(), d.into()));
        [
            arch::_mm256_shuffle_ps::<0x44>(ab0, cd0).simd_into(token),
            arch::_mm256_shuffle_ps::<0xee>(ab0, cd0).simd_into(token),
            arch::_mm256_shuffle_ps::<0x44>(ab1, cd1).simd_into(token),
            arch::_mm256_shuffle_ps::<0xee>(ab1, cd1).simd_into(token),
        ]
    }
);

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn transpose_avx512(
        token: Avx512,
        a: f32x16<Avx512>,
        b: f32x16<Avx512>,
        c: f32x16<Avx512>,
        d: f32x16<Avx512>,
    ) -> [f32x16<Avx512>; 4] {
        let (ab0, ab1) =
            (arch::_mm512_unpacklo_ps(a.into(), b.into()), arch::_mm512_unpackhi_ps(a.into(), b.into()));
        let (cd0, cd1) =
            (arch::_mm512_unpacklo_ps(c.into(), d.into()), arch::_mm512_unpackhi_ps(c.into(), d.into()));
        [
            arch::_mm512_shuffle_ps::<0x44>(ab0, cd0).simd_into(token),
            arch::_mm512_shuffle_ps::<0xee>(ab0, cd0).simd_into(token),
            arch::_mm512_shuffle_ps::<0x44>(ab1, cd1).simd_into(token),
            arch::_mm512_shuffle_ps::<0xee>(ab1, cd1).simd_into(token),
        ]
    }
);

/// Rows x, y and z of four matrices each: block i of the vectors becomes the first three blocks of vector i, whose last
/// block is anything. `None` where the backend has no 16 lanes.
#[inline(always)]
#[must_use]
pub fn stack_rows<S: Simd>(s: S, x: S::f32s, y: S::f32s, z: S::f32s) -> Option<[f32x16<S>; 4]> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let (Some(token), Some([x, y, z])) = (same::<S, Avx512>(s), same::<_, [f32x16<Avx512>; 3]>([x, y, z]))
    {
        return same(stack_rows_avx512(token, x, y, z));
    }
    let _ = (s, x, y, z);
    None
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn stack_rows_avx512(
        token: Avx512,
        x: f32x16<Avx512>,
        y: f32x16<Avx512>,
        z: f32x16<Avx512>,
    ) -> [f32x16<Avx512>; 4] {
        let xy01 = arch::_mm512_shuffle_f32x4::<0x44>(x.into(), y.into());
        let xy23 = arch::_mm512_shuffle_f32x4::<0xee>(x.into(), y.into());
        [
            arch::_mm512_shuffle_f32x4::<0x08>(xy01, z.into()).simd_into(token),
            arch::_mm512_shuffle_f32x4::<0x5d>(xy01, z.into()).simd_into(token),
            arch::_mm512_shuffle_f32x4::<0xa8>(xy23, z.into()).simd_into(token),
            arch::_mm512_shuffle_f32x4::<0xfd>(xy23, z.into()).simd_into(token),
        ]
    }
);

/// Block `i` of a vector of at most 8 lanes, which is all that is needed beside [`stack_rows`]. Panics if there is none.
#[inline(always)]
#[must_use]
pub fn block<S: Simd>(v: S::f32s, i: usize) -> f32x4<S> {
    if let Some(v) = same::<_, f32x4<S>>(v) {
        return v;
    }
    let (low, high) = same::<_, f32x8<S>>(v).expect("4 or 8 lanes").split();
    if i == 0 { low } else { high }
}

/// An affine product in one register: columns of `parent` times a matrix that is given by its rows, in the order of
/// [`Mat34::mul`](crate::Mat34::mul). The last row comes out as 0 0 0 1. `None` where four columns do not fit one
/// register of the backend, or where that is no gain.
#[inline(always)]
#[must_use]
pub fn mul_rows<S: Simd>(s: S, parent: &[[f32; 4]; 4], rows: &[[f32; 4]; 3]) -> Option<f32x16<S>> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(token) = same::<S, Avx512>(s) {
        return same(mul_rows_avx512(token, parent, rows));
    }
    let _ = (s, parent, rows);
    None
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn mul_rows_avx512(token: Avx512, parent: &[[f32; 4]; 4], rows: &[[f32; 4]; 3]) -> f32x16<Avx512> {
        let spread = arch::_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        let [x, y, z] = [
            f32x4::simd_from(token, rows[0]).into(),
            f32x4::simd_from(token, rows[1]).into(),
            f32x4::simd_from(token, rows[2]).into(),
        ];
        let x = arch::_mm512_permutexvar_ps(spread, arch::_mm512_castps128_ps512(x));
        let y = arch::_mm512_permutexvar_ps(spread, arch::_mm512_castps128_ps512(y));
        let z = arch::_mm512_permutexvar_ps(spread, arch::_mm512_castps128_ps512(z));
        let a = arch::_mm512_broadcast_f32x4(f32x4::simd_from(token, parent[0]).into());
        let b = arch::_mm512_broadcast_f32x4(f32x4::simd_from(token, parent[1]).into());
        let c = arch::_mm512_broadcast_f32x4(f32x4::simd_from(token, parent[2]).into());
        let d = f32x4::simd_from(token, parent[3]).into();
        let t = arch::_mm512_add_ps(arch::_mm512_mul_ps(a, x), arch::_mm512_mul_ps(b, y));
        let t = arch::_mm512_add_ps(t, arch::_mm512_mul_ps(c, z));
        // Adding -0 changes no bit of the first three columns.
        let t = arch::_mm512_add_ps(t, arch::_mm512_insertf32x4::<3>(arch::_mm512_set1_ps(-0.0), d));
        let last = arch::_mm512_setr_ps(0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1.);
        let all = f32::from_bits(u32::MAX);
        let keep =
            arch::_mm512_setr_ps(all, all, all, 0., all, all, all, 0., all, all, all, 0., all, all, all, 0.);
        arch::_mm512_or_ps(arch::_mm512_and_ps(t, keep), last).simd_into(token)
    }
);
