//! The inner loop of matrix palette skinning: four vertices at a time.
//!
//! A 4×4 matrix is one 16-lane vector (one register on AVX-512, two on AVX2, four elsewhere), so blending n
//! matrices is n multiplications and n − 1 additions. Then the columns of four blended matrices are
//! regrouped, column with column, and one product moves four vertices.
//!
//! Packed buffers are read and written through arrays of known size: no check is left in the loop but those of
//! the palette. Any other layout goes through the same arithmetic with checked reads.

use crate::mesh::{
    Attribute, Attributes, IndexFormat, SkinMesh, Strided, VEC3, WeightFormat, Writer, read_weight,
};
use lissom_math::simd::{LEN, Simd, f32x4, f32x8, f32x16, prelude::*, u8x64};

/// Vertices moved together.
const BLOCK: usize = 4;
/// Bytes of a packed attribute of a block.
const PACKED: usize = BLOCK * VEC3;

/// Packed u16 indices and f32 weights, `N` influences; `K` weights are stored, `N` or `N` − 1.
#[inline(always)]
pub(crate) fn packed<S: Simd, const N: usize, const K: usize>(
    s: S,
    mesh: &SkinMesh<'_>,
    palette: &[[f32; 16]],
    attributes: &Attributes<'_>,
    count: usize,
    out: &mut Writer<'_>,
) {
    let parts = mesh.parts();
    let indices: &[[u8; 2]] = parts.indices.bytes.as_chunks().0;
    let indices: &[[[u8; 2]; N]] = indices.as_chunks().0;
    let weights: &[[u8; 4]] = parts.weights.bytes.as_chunks().0;
    let weights: &[[[u8; 4]; K]] = if K == 0 { &[] } else { weights.as_chunks().0 };

    let blocks = count / BLOCK;
    let (indices, _) = indices[..blocks * BLOCK].as_chunks::<BLOCK>();
    let none = [[[0; 4]; K]; BLOCK];
    let (weights, _) =
        if K == 0 { (&[][..], &[][..]) } else { weights[..blocks * BLOCK].as_chunks::<BLOCK>() };
    for (block, indices) in indices.iter().enumerate() {
        let weights = if K == 0 { &none } else { &weights[block] };
        let columns = regroup(
            packed_matrix(s, palette, &indices[0], &weights[0]),
            packed_matrix(s, palette, &indices[1], &weights[1]),
            packed_matrix(s, palette, &indices[2], &weights[2]),
            packed_matrix(s, palette, &indices[3], &weights[3]),
        );
        move_block::<S, true>(s, &columns, attributes, block, count, out);
    }
    if blocks * BLOCK < count {
        any_block(s, mesh, palette, attributes, blocks, count, out);
    }
}

/// Any formats and strides, any number of influences.
#[inline(always)]
pub(crate) fn any<S: Simd>(
    s: S,
    mesh: &SkinMesh<'_>,
    palette: &[[f32; 16]],
    attributes: &Attributes<'_>,
    count: usize,
    out: &mut Writer<'_>,
) {
    for block in 0..count.div_ceil(BLOCK) {
        any_block(s, mesh, palette, attributes, block, count, out);
    }
}

/// Four vertices, or as many as are left; those past the last repeat it and are not written.
#[inline(always)]
fn any_block<S: Simd>(
    s: S,
    mesh: &SkinMesh<'_>,
    palette: &[[f32; 16]],
    attributes: &Attributes<'_>,
    block: usize,
    count: usize,
    out: &mut Writer<'_>,
) {
    let mut m = [f32x16::splat(s, 0.0); BLOCK];
    for (i, m) in m.iter_mut().enumerate() {
        *m = any_matrix(s, mesh, palette, (count - 1).min(block * BLOCK + i));
    }
    let [m0, m1, m2, m3] = m;
    move_block::<S, false>(s, &regroup(m0, m1, m2, m3), attributes, block, count, out);
}

/// The blended matrix of one vertex.
#[inline(always)]
fn packed_matrix<S: Simd, const N: usize, const K: usize>(
    s: S,
    palette: &[[f32; 16]],
    indices: &[[u8; 2]; N],
    weights: &[[u8; 4]; K],
) -> f32x16<S> {
    let mut blended = f32x16::splat(s, 0.0);
    let mut sum = 0.0;
    let mut i = 0;
    while i < N {
        let m = f32x16::from_slice(s, &palette[usize::from(u16::from_ne_bytes(indices[i]))]);
        let w = if i < K { f32::from_ne_bytes(weights[i]) } else { 1.0 - sum };
        sum = if i == 0 { w } else { sum + w };
        // A single influence has weight 1.
        let m = if N == 1 && K == 0 { m } else { m * f32x16::splat(s, w) };
        blended = if i == 0 { m } else { blended + m };
        i += 1;
    }
    blended
}

#[inline(always)]
fn any_matrix<S: Simd>(s: S, mesh: &SkinMesh<'_>, palette: &[[f32; 16]], vertex: usize) -> f32x16<S> {
    let parts = mesh.parts();
    let stored = if parts.explicit_last { parts.influences } else { parts.influences - 1 };
    let size = parts.weight_format.size();
    let weights = parts.weights.bytes.get(vertex * parts.weights.stride..).unwrap_or(&[]);
    let indices = &parts.indices.bytes[vertex * parts.indices.stride..];

    // One stored weight with each index; the last index may be left without one.
    let mut blended = f32x16::splat(s, 0.0);
    let mut sum = 0.0;
    let mut at = 0;
    for i in 0..parts.influences {
        let w = if i < stored {
            let w = read_weight(parts.weight_format, &weights[at..]);
            at += size;
            w
        } else {
            1.0 - sum
        };
        sum = if i == 0 { w } else { sum + w };
        let joint = match parts.index_format {
            IndexFormat::U16 => usize::from(u16::from_ne_bytes([indices[i * 2], indices[i * 2 + 1]])),
            IndexFormat::U8 => usize::from(indices[i]),
        };
        let m = f32x16::from_slice(s, &palette[joint]) * f32x16::splat(s, w);
        blended = if i == 0 { m } else { blended + m };
    }
    blended
}

/// How many influences and stored weights [`packed`] is to be made for; zeros if it cannot read this mesh.
pub(crate) fn packed_shape(mesh: &SkinMesh<'_>) -> (usize, usize) {
    let parts = mesh.parts();
    let n = parts.influences;
    let k = if parts.explicit_last { n } else { n - 1 };
    let indices = parts.index_format == IndexFormat::U16 && parts.indices.stride == n * 2;
    let weights = parts.weight_format == WeightFormat::F32 && parts.weights.stride == k * 4;
    if indices && (weights || k == 0) { (n, k) } else { (0, 0) }
}

/// Columns of four matrices, column with column.
#[inline(always)]
fn regroup<S: Simd>(m0: f32x16<S>, m1: f32x16<S>, m2: f32x16<S>, m3: f32x16<S>) -> [f32x16<S>; 4] {
    let ((ab0, cd0), (ab1, cd1)) = (m0.split(), m1.split());
    let ((ab2, cd2), (ab3, cd3)) = (m2.split(), m3.split());
    let (a01, b01) = pairs(ab0, ab1);
    let (a23, b23) = pairs(ab2, ab3);
    let (c01, d01) = pairs(cd0, cd1);
    let (c23, d23) = pairs(cd2, cd3);
    [a01.combine(a23), b01.combine(b23), c01.combine(c23), d01.combine(d23)]
}

/// Two pairs of columns, first with first and second with second.
#[inline(always)]
fn pairs<S: Simd>(p: f32x8<S>, q: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
    let ((p0, p1), (q0, q1)) = (p.split(), q.split());
    (p0.combine(q0), p1.combine(q1))
}

/// Reads, moves and writes the attributes of four vertices. `WHOLE`: all four are there.
#[inline(always)]
fn move_block<S: Simd, const WHOLE: bool>(
    s: S,
    columns: &[f32x16<S>; 4],
    attributes: &Attributes<'_>,
    block: usize,
    count: usize,
    out: &mut Writer<'_>,
) {
    let [a, b, c, d] = *columns;
    for (attribute, from) in attributes.iter().flatten() {
        let [x, y, z] = splats::<S, WHOLE>(s, from, block, count);
        let turned = (a * x + b * y) + c * z;
        let moved = if *attribute == Attribute::Position { turned + d } else { turned };
        put::<S, WHOLE>(out, *attribute, block, count, moved);
    }
}

/// x, y and z of four vertices, each over the four lanes of its vertex.
#[inline(always)]
fn splats<S: Simd, const WHOLE: bool>(
    s: S,
    from: &Strided<'_>,
    block: usize,
    count: usize,
) -> [f32x16<S>; 3] {
    if WHOLE
        && from.stride == VEC3
        && LEN::<S>() >= 8
        && let Some(four) = from.bytes.get(block * PACKED..).and_then(|b| b.first_chunk::<PACKED>())
    {
        // Four loads of four lanes inside the 48 bytes; the last starts one float early.
        let xyz = quad(s, four, 0).combine(quad(s, four, VEC3));
        let xyz = xyz.combine(quad(s, four, 2 * VEC3).combine(quad(s, four, 32)));
        return [
            xyz.swizzle_dyn_within_blocks(pick(s, 0)),
            xyz.swizzle_dyn_within_blocks(pick(s, 1)),
            xyz.swizzle_dyn_within_blocks(pick(s, 2)),
        ];
    }
    let (at, last) = (block * BLOCK, count - 1);
    let (p, q) = (from.vec3(at), from.vec3(last.min(at + 1)));
    let (r, t) = (from.vec3(last.min(at + 2)), from.vec3(last.min(at + 3)));
    [quads(s, p[0], q[0], r[0], t[0]), quads(s, p[1], q[1], r[1], t[1]), quads(s, p[2], q[2], r[2], t[2])]
}

/// Four floats from a byte on.
#[inline(always)]
fn quad<S: Simd>(s: S, four: &[u8; PACKED], at: usize) -> f32x4<S> {
    let mut v = [0; 16];
    v.copy_from_slice(&four[at..at + 16]);
    f32x4::from_slice(s, &bytemuck::cast::<_, [f32; 4]>(v))
}

/// Byte indices that spread component `c` over each block of four lanes; the last block starts at lane 1.
#[inline(always)]
fn pick<S: Simd>(s: S, c: u8) -> u8x64<S> {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = c * 4 + (i % 4) as u8 + if i < 48 { 0 } else { 4 };
        i += 1;
    }
    u8x64::from_slice(s, &bytes)
}

#[inline(always)]
fn quads<S: Simd>(s: S, a: f32, b: f32, c: f32, d: f32) -> f32x16<S> {
    let ab = f32x4::splat(s, a).combine(f32x4::splat(s, b));
    ab.combine(f32x4::splat(s, c).combine(f32x4::splat(s, d)))
}

/// Writes x y z of four vertices, and nothing else.
#[inline(always)]
fn put<S: Simd, const WHOLE: bool>(
    out: &mut Writer<'_>,
    attribute: Attribute,
    block: usize,
    count: usize,
    v: f32x16<S>,
) {
    let (ab, cd) = v.split();
    let ((a, b), (c, d)) = (ab.split(), cd.split());
    let (bytes, stride) = out.attribute(attribute);
    if WHOLE
        && stride == VEC3
        && let Some(four) = bytes.get_mut(block * PACKED..).and_then(|b| b.first_chunk_mut::<PACKED>())
    {
        // Each store of four lanes runs into the next vertex, which is written right after.
        put_quad(four, 0, a);
        put_quad(four, VEC3, b);
        put_quad(four, 2 * VEC3, c);
        let d: [u8; 16] = bytemuck::cast(d.to_array());
        four[3 * VEC3..].copy_from_slice(&d[..VEC3]);
        return;
    }
    let at = block * BLOCK;
    put_vec3(bytes, stride, at, count, a);
    put_vec3(bytes, stride, at + 1, count, b);
    put_vec3(bytes, stride, at + 2, count, c);
    put_vec3(bytes, stride, at + 3, count, d);
}

#[inline(always)]
fn put_quad<S: Simd>(four: &mut [u8; PACKED], at: usize, v: f32x4<S>) {
    let v: [u8; 16] = bytemuck::cast(v.to_array());
    four[at..at + 16].copy_from_slice(&v);
}

#[inline(always)]
fn put_vec3<S: Simd>(bytes: &mut [u8], stride: usize, vertex: usize, count: usize, v: f32x4<S>) {
    if vertex >= count {
        return;
    }
    let v: [u8; 16] = bytemuck::cast(v.to_array());
    if let Some(out) = bytes.get_mut(vertex * stride..).and_then(|b| b.first_chunk_mut::<VEC3>()) {
        out.copy_from_slice(&v[..VEC3]);
    }
}
