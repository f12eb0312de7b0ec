//! Blocks of four lanes: what kernels need between structures of arrays and matrices in memory.
//!
//! The portable vectors shuffle across the whole register. Where shuffles that stay inside a block are cheaper, or
//! where one instruction does the whole step, a backend has its own form here; the others use the portable one.
//! A form only moves lanes, or computes each lane in the order that the portable one does: same bits.

use super::LEN;
use core::any::Any;
use fearless_simd::{Simd, f32x4, f32x8, f32x16, prelude::*, u32x16};

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::{Avx2, Avx512};

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

/// The value as another type, if it is that type. Known when a kernel is compiled, so it costs nothing.
#[inline(always)]
pub(super) fn same<A: Copy + 'static, B: Copy + 'static>(a: A) -> Option<B> {
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
/// [`Mat34::mul`](crate::Mat34::mul). The last row comes out as 0 0 0 1 whatever `parent` holds there. `None` where four columns do not fit one
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

/// Likewise, with a matrix that is given by its columns.
#[inline(always)]
#[must_use]
pub fn mul_columns<S: Simd>(s: S, parent: &[[f32; 4]; 4], columns: &[[f32; 3]; 4]) -> Option<f32x16<S>> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(token) = same::<S, Avx512>(s) {
        let [x, y, z] = spread_avx512(token, bytemuck::cast_ref(columns));
        return same(mul_avx512(token, parent, x, y, z));
    }
    let _ = (s, parent, columns);
    None
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn mul_rows_avx512(token: Avx512, parent: &[[f32; 4]; 4], rows: &[[f32; 4]; 3]) -> f32x16<Avx512> {
        let spread = arch::_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        let x = arch::_mm512_castps128_ps512(f32x4::simd_from(token, rows[0]).into());
        let y = arch::_mm512_castps128_ps512(f32x4::simd_from(token, rows[1]).into());
        let z = arch::_mm512_castps128_ps512(f32x4::simd_from(token, rows[2]).into());
        let x = arch::_mm512_permutexvar_ps(spread, x).simd_into(token);
        let y = arch::_mm512_permutexvar_ps(spread, y).simd_into(token);
        let z = arch::_mm512_permutexvar_ps(spread, z).simd_into(token);
        mul_avx512(token, parent, x, y, z)
    }
);

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn mul_avx512(
        token: Avx512,
        parent: &[[f32; 4]; 4],
        x: f32x16<Avx512>,
        y: f32x16<Avx512>,
        z: f32x16<Avx512>,
    ) -> f32x16<Avx512> {
        let a = arch::_mm512_broadcast_f32x4(f32x4::simd_from(token, parent[0]).into());
        let b = arch::_mm512_broadcast_f32x4(f32x4::simd_from(token, parent[1]).into());
        let c = arch::_mm512_broadcast_f32x4(f32x4::simd_from(token, parent[2]).into());
        let d = f32x4::simd_from(token, parent[3]).into();
        let t = arch::_mm512_add_ps(arch::_mm512_mul_ps(a, x.into()), arch::_mm512_mul_ps(b, y.into()));
        let t = arch::_mm512_add_ps(t, arch::_mm512_mul_ps(c, z.into()));
        // Adding -0 changes no bit of the first three columns.
        let t = arch::_mm512_add_ps(t, arch::_mm512_insertf32x4::<3>(arch::_mm512_set1_ps(-0.0), d));
        let last = arch::_mm512_setr_ps(0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1.);
        let all = f32::from_bits(u32::MAX);
        let keep =
            arch::_mm512_setr_ps(all, all, all, 0., all, all, all, 0., all, all, all, 0., all, all, all, 0.);
        arch::_mm512_or_ps(arch::_mm512_and_ps(t, keep), last).simd_into(token)
    }
);

/// Columns of four 4×4 matrices, one matrix a vector: all first columns, all second ones, and so on. `None` where the
/// backend has no 16 lanes.
#[inline(always)]
#[must_use]
pub fn regroup<S: Simd>(s: S, m: [f32x16<S>; 4]) -> Option<[f32x16<S>; 4]> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let (Some(token), Some([m0, m1, m2, m3])) = (same::<S, Avx512>(s), same::<_, [f32x16<Avx512>; 4]>(m)) {
        return same(regroup_avx512(token, m0, m1, m2, m3));
    }
    let _ = (s, m);
    None
}

/// The reverse: block i of all columns is matrix i. `None` where the backend has no 16 lanes.
#[inline(always)]
#[must_use]
pub fn whole<S: Simd>(s: S, columns: [S::f32s; 4]) -> Option<[f32x16<S>; 4]> {
    regroup(s, same(columns)?)
}

/// Two pairs of columns: both first ones, then both second ones.
#[inline(always)]
#[must_use]
pub fn pair<S: Simd>(p: f32x8<S>, q: f32x8<S>) -> [f32x8<S>; 2] {
    let ((p0, p1), (q0, q1)) = (p.split(), q.split());
    [p0.combine(q0), p1.combine(q1)]
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn regroup_avx512(
        token: Avx512,
        m0: f32x16<Avx512>,
        m1: f32x16<Avx512>,
        m2: f32x16<Avx512>,
        m3: f32x16<Avx512>,
    ) -> [f32x16<Avx512>; 4] {
        let ab01 = arch::_mm512_shuffle_f32x4::<0x44>(m0.into(), m1.into());
        let cd01 = arch::_mm512_shuffle_f32x4::<0xee>(m0.into(), m1.into());
        let ab23 = arch::_mm512_shuffle_f32x4::<0x44>(m2.into(), m3.into());
        let cd23 = arch::_mm512_shuffle_f32x4::<0xee>(m2.into(), m3.into());
        [
            arch::_mm512_shuffle_f32x4::<0x88>(ab01, ab23).simd_into(token),
            arch::_mm512_shuffle_f32x4::<0xdd>(ab01, ab23).simd_into(token),
            arch::_mm512_shuffle_f32x4::<0x88>(cd01, cd23).simd_into(token),
            arch::_mm512_shuffle_f32x4::<0xdd>(cd01, cd23).simd_into(token),
        ]
    }
);

/// Four packed vectors of three f32 as they lie in memory, at any address.
pub type FourVec3 = [u8; 48];

/// Four floats from byte `at` on.
#[inline(always)]
#[must_use]
pub fn quad<S: Simd>(s: S, v: &FourVec3, at: usize) -> f32x4<S> {
    f32x4::simd_from(s, bytemuck::pod_read_unaligned::<[f32; 4]>(&v[at..at + 16]))
}

/// Writes four floats from byte `at` on.
#[inline(always)]
pub fn put_quad<S: Simd>(v: f32x4<S>, out: &mut FourVec3, at: usize) {
    out[at..at + 16].copy_from_slice(&bytemuck::cast::<[f32; 4], [u8; 16]>(v.to_array()));
}

/// x, y and z of four packed vectors, each over the block of its vector. `None` where the backend has no 16 lanes.
#[inline(always)]
#[must_use]
pub fn spread<S: Simd>(s: S, v: &FourVec3) -> Option<[f32x16<S>; 3]> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(token) = same::<S, Avx512>(s) {
        return same(spread_avx512(token, v));
    }
    let _ = (s, v);
    None
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn spread_avx512(token: Avx512, v: &FourVec3) -> [f32x16<Avx512>; 3] {
        let low = f32x8::simd_from(token, bytemuck::pod_read_unaligned::<[f32; 8]>(&v[..32])).into();
        let high = quad(token, v, 32).into();
        let v = arch::_mm512_insertf32x4::<2>(arch::_mm512_castps256_ps512(low), high);
        let x = arch::_mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 6, 6, 6, 6, 9, 9, 9, 9);
        let y = arch::_mm512_setr_epi32(1, 1, 1, 1, 4, 4, 4, 4, 7, 7, 7, 7, 10, 10, 10, 10);
        let z = arch::_mm512_setr_epi32(2, 2, 2, 2, 5, 5, 5, 5, 8, 8, 8, 8, 11, 11, 11, 11);
        [
            arch::_mm512_permutexvar_ps(x, v).simd_into(token),
            arch::_mm512_permutexvar_ps(y, v).simd_into(token),
            arch::_mm512_permutexvar_ps(z, v).simd_into(token),
        ]
    }
);

/// How [`gather`] moves lanes. Made once before a loop.
#[derive(Clone, Copy)]
pub struct Gather<S: Simd>(u32x16<S>);

impl<S: Simd> Gather<S> {
    /// The compiler must not know the indices: it would take the one shuffle apart into three, one for each piece
    /// that is stored.
    #[inline(always)]
    #[must_use]
    pub fn new(s: S) -> Self {
        let xyz = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0];
        Self(u32x16::simd_from(s, if LEN::<S>() == 16 { core::hint::black_box(xyz) } else { xyz }))
    }
}

/// Writes the first three lanes of each block, packed: the reverse of [`spread`]. Does nothing where that is `None`.
#[inline(always)]
pub fn gather<S: Simd>(s: S, how: Gather<S>, v: f32x16<S>, out: &mut FourVec3) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let (Some(token), Some(v), Some(how)) =
        (same::<S, Avx512>(s), same::<_, f32x16<Avx512>>(v), same::<_, u32x16<Avx512>>(how.0))
    {
        let (low, high) = gather_avx512(token, how, v);
        out[..32].copy_from_slice(&bytemuck::cast::<[f32; 8], [u8; 32]>(low.to_array()));
        put_quad(high, out, 32);
    }
    let _ = (s, how, v, out);
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fearless_simd::kernel!(
    #[inline(always)]
    fn gather_avx512(
        token: Avx512,
        how: u32x16<Avx512>,
        v: f32x16<Avx512>,
    ) -> (f32x8<Avx512>, f32x4<Avx512>) {
        let v = arch::_mm512_permutexvar_ps(how.into(), v.into());
        (
            arch::_mm512_castps512_ps256(v).simd_into(token),
            arch::_mm512_extractf32x4_ps::<2>(v).simd_into(token),
        )
    }
);

/// Four quads as one vector, as many of them as it has blocks; the others are not looked at.
#[inline(always)]
#[must_use]
pub fn stack<S: Simd>(_: S, quads: [f32x4<S>; 4]) -> S::f32s {
    let [a, b, c, d] = quads;
    if let Some(v) = same(a) {
        return v;
    }
    if let Some(v) = same(a.combine(b)) {
        return v;
    }
    same(a.combine(b).combine(c.combine(d))).expect("4, 8 or 16 lanes")
}

/// The blocks of a vector, in order; where it has fewer than four, the last is repeated.
#[inline(always)]
#[must_use]
pub fn unstack<S: Simd>(v: S::f32s) -> [f32x4<S>; 4] {
    if let Some(v) = same::<_, f32x4<S>>(v) {
        return [v; 4];
    }
    if let Some(v) = same::<_, f32x8<S>>(v) {
        let (a, b) = v.split();
        return [a, b, b, b];
    }
    let (low, high) = same::<_, f32x16<S>>(v).expect("4, 8 or 16 lanes").split();
    let ((a, b), (c, d)) = (low.split(), high.split());
    [a, b, c, d]
}
