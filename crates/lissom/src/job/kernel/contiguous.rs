//! The inner loop of matrix palette skinning: contiguous buffers, four vertices at a time.
//!
//! A 4×4 matrix is one register on AVX-512, two on AVX2, four elsewhere, so blending n matrices is n
//! multiplications and n − 1 additions of a register. As many vertices as a register has blocks of four lanes
//! are then moved together: the columns of their matrices are regrouped, column with column, and one product
//! moves them all.

use crate::mesh::VEC3;
use lissom_math::{
    dispatch,
    simd::{
        Backend, LEN, Simd,
        blocks::{self, FourVec3, Gather},
        f32x4, f32x8, f32x16,
        prelude::*,
        u8x32,
    },
};

/// Vertices of one step of the loop.
pub(super) const BLOCK: usize = 4;
/// Vertices whose last weights are restored together, and that are copied together: they stay in the nearest
/// cache.
pub(super) const CHUNK: usize = 64;

/// Added to what was moved, so that no zero is negative. An influence without weight adds a zero of either
/// sign to the matrix, and that can change nothing but the sign of a zero: now not even that, and it may be
/// left out.
const ZERO: f32 = 0.0;

/// Three f32 as they lie in memory.
pub(super) type Vec3Bytes = [u8; VEC3];

/// A piece of a mesh: attributes are contiguous, indices and weights stand in rows. The first `attributes`
/// slices are used.
pub(super) struct Piece<'a> {
    pub vertices: usize,
    pub influences: usize,
    /// Weights stored a vertex: as many as influences, or one less.
    pub stored: usize,
    pub indices: &'a [[u8; 2]],
    /// Indices from a vertex to the next: as many as influences, or more.
    pub index_row: usize,
    pub weights: &'a [[u8; 4]],
    /// Weights from a vertex to the next: as many as are stored, or more.
    pub weight_row: usize,
    pub from: [&'a [Vec3Bytes]; 3],
    pub to: [&'a mut [Vec3Bytes]; 3],
    pub attributes: usize,
    /// The first attribute is a point: it is moved by the fourth column too.
    pub point: bool,
}

/// Picks the loop that is made for a piece.
pub(super) fn run(backend: Backend, palette: &[[f32; 16]], mut piece: Piece<'_>) {
    let p = &mut piece;
    // The most frequent kinds have a loop for each number of attributes; in the others it is a loop of its own.
    macro_rules! by_attributes {
        ($n:literal, $k:literal, $tight:literal) => {
            match p.attributes {
                1 => dispatch!(backend, s => contiguous::<_, $n, $k, $tight, 1>(s, palette, p)),
                2 => dispatch!(backend, s => contiguous::<_, $n, $k, $tight, 2>(s, palette, p)),
                _ => dispatch!(backend, s => contiguous::<_, $n, $k, $tight, 3>(s, palette, p)),
            }
        };
    }
    let tight = p.index_row == p.influences && p.weight_row == p.stored;
    match (tight, p.influences, p.stored) {
        (true, 1, 0) => by_attributes!(1, 0, true),
        (true, 2, 1) => dispatch!(backend, s => contiguous::<_, 2, 1, true, 0>(s, palette, p)),
        (true, 3, 2) => dispatch!(backend, s => contiguous::<_, 3, 2, true, 0>(s, palette, p)),
        (true, 4, 3) => by_attributes!(4, 3, true),
        (true, 4, 4) => by_attributes!(4, 4, true),
        (true, 8, 7) => dispatch!(backend, s => contiguous::<_, 8, 7, true, 0>(s, palette, p)),
        // Runs of a mesh with more influences: the rows are as long as those of the whole mesh.
        (_, 1, 0) => dispatch!(backend, s => contiguous::<_, 1, 0, false, 0>(s, palette, p)),
        (_, 2, 2) => dispatch!(backend, s => contiguous::<_, 2, 2, false, 0>(s, palette, p)),
        (_, 3, 3) => dispatch!(backend, s => contiguous::<_, 3, 3, false, 0>(s, palette, p)),
        (_, 4, 4) => dispatch!(backend, s => contiguous::<_, 4, 4, false, 0>(s, palette, p)),
        (true, _, _) => dispatch!(backend, s => contiguous::<_, 0, 0, true, 0>(s, palette, p)),
        _ => dispatch!(backend, s => contiguous::<_, 0, 0, false, 0>(s, palette, p)),
    }
}

/// `N` influences of which `K` weights are stored; `N` is 0 where only the piece knows. `TIGHT` rows have no
/// more. `A` attributes, or 0 likewise.
#[inline(always)]
fn contiguous<S: Simd, const N: usize, const K: usize, const TIGHT: bool, const A: usize>(
    s: S,
    palette: &[[f32; 16]],
    piece: &mut Piece<'_>,
) {
    let (n, k) = if N == 0 { (piece.influences, piece.stored) } else { (N, K) };
    let (index_row, weight_row) = if TIGHT { (n, k) } else { (piece.index_row, piece.weight_row) };
    let point = piece.point;
    let how = Gather::new(s);
    let mut last = [0.0; CHUNK];
    let mut done = 0;
    while done < piece.vertices {
        // The last block starts early rather than end early: some vertices are moved twice, to the same
        // place.
        let start = done.min(piece.vertices - BLOCK);
        let vertices = CHUNK.min(piece.vertices - start) / BLOCK * BLOCK;
        let indices = rows(piece.indices, index_row, n, start, vertices);
        let weights = rows(piece.weights, weight_row, k, start, vertices);
        if k < n && k > 0 {
            restore_last::<K>(k, weight_row, weights, &mut last);
        }
        let [from_0, from_1, from_2] = &piece.from;
        let [to_0, to_1, to_2] = &mut piece.to;
        let (from_0, to_0) = (quads(from_0, start, vertices), quads_mut(to_0, start, vertices));
        let others = &mut [
            (quads(from_1, start, vertices), quads_mut(to_1, start, vertices)),
            (quads(from_2, start, vertices), quads_mut(to_2, start, vertices)),
        ];
        let others = &mut others[..if A == 0 { piece.attributes } else { A } - 1];

        for (block, (from, to)) in from_0.iter().zip(to_0).enumerate() {
            let indices = rows(indices, index_row, n, block * BLOCK, BLOCK);
            let weights = rows(weights, weight_row, k, block * BLOCK, BLOCK);
            let last: &[f32; BLOCK] = &last.as_chunks().0[block];
            let blend = |vertex: usize| Blend::<N, K> {
                indices: rows(indices, index_row, n, vertex, 1),
                weights: rows(weights, weight_row, k, vertex, 1),
                last: &last[vertex],
            };
            let blends = [blend(0), blend(1), blend(2), blend(3)];
            if LEN::<S>() == 16 {
                let columns = if N == 1 && shared(indices, index_row) {
                    let [a, b, c, d] = columns(s, &blends[0], palette);
                    let two = [f32x16::block_splat(a), f32x16::block_splat(b)];
                    Some([two[0], two[1], f32x16::block_splat(c), f32x16::block_splat(d)])
                } else {
                    let [p, q, r, t] = &blends;
                    let (p, q) = (p.matrix(s, palette), q.matrix(s, palette));
                    blocks::regroup(s, [p, q, r.matrix(s, palette), t.matrix(s, palette)])
                };
                let Some(columns) = columns else { return };
                move_four(s, how, &columns, point, from, to);
                for (from, to) in &mut *others {
                    move_four(s, how, &columns, false, &from[block], &mut to[block]);
                }
            } else if LEN::<S>() == 8 {
                let shared = N == 1 && shared(indices, index_row);
                let first = two_columns(s, &blends[0], &blends[1], shared, palette);
                let second =
                    if shared { first } else { two_columns(s, &blends[2], &blends[3], false, palette) };
                move_pairs(s, &first, &second, point, from, to);
                for (from, to) in &mut *others {
                    move_pairs(s, &first, &second, false, &from[block], &mut to[block]);
                }
            } else {
                for (vertex, blend) in blends.iter().enumerate() {
                    let columns = columns(s, blend, palette);
                    move_one(s, &columns, point, vertex, from, to);
                    for (from, to) in &mut *others {
                        move_one(s, &columns, false, vertex, &from[block], &mut to[block]);
                    }
                }
            }
        }
        done = start + vertices;
    }
}

/// Some vertices' rows, each of `row` entries of which `used` count; what does not is left out of the last.
#[inline(always)]
fn rows<T>(all: &[T], row: usize, used: usize, start: usize, vertices: usize) -> &[T] {
    if used == 0 {
        return &[];
    }
    &all[start * row..(start + vertices - 1) * row + used]
}

/// 1 minus the sum of the stored weights, for each vertex of a chunk.
#[inline(always)]
fn restore_last<const K: usize>(k: usize, row: usize, weights: &[[u8; 4]], last: &mut [f32; CHUNK]) {
    if K == 0 {
        for (last, weights) in last.iter_mut().zip(weights.chunks(row)) {
            *last = one_minus(&weights[..k]);
        }
    } else {
        for (last, weights) in last.iter_mut().zip(weights.as_chunks::<K>().0) {
            *last = one_minus(weights);
        }
    }
}

#[inline(always)]
fn one_minus(weights: &[[u8; 4]]) -> f32 {
    let mut sum = f32::from_ne_bytes(weights[0]);
    for w in &weights[1..] {
        sum += f32::from_ne_bytes(*w);
    }
    1.0 - sum
}

#[inline(always)]
fn quads(from: &[Vec3Bytes], start: usize, vertices: usize) -> &[FourVec3] {
    from.get(start..start + vertices).unwrap_or_default().as_flattened().as_chunks().0
}

#[inline(always)]
fn quads_mut(to: &mut [Vec3Bytes], start: usize, vertices: usize) -> &mut [FourVec3] {
    to.get_mut(start..start + vertices).unwrap_or_default().as_flattened_mut().as_chunks_mut().0
}

/// The influences of one vertex.
struct Blend<'a, const N: usize, const K: usize> {
    indices: &'a [[u8; 2]],
    /// The stored weights; the last one is apart if it was restored.
    weights: &'a [[u8; 4]],
    /// By reference: read where it is used, it is spread over a register by the load.
    last: &'a f32,
}

impl<const N: usize, const K: usize> Blend<'_, N, K> {
    #[inline(always)]
    fn joint<'p>(&self, i: usize, palette: &'p [[f32; 16]]) -> &'p [f32; 16] {
        &palette[usize::from(u16::from_ne_bytes(self.indices[i]))]
    }

    #[inline(always)]
    fn weight(&self, i: usize) -> f32 {
        if i < self.weights.len() { f32::from_ne_bytes(self.weights[i]) } else { *self.last }
    }

    /// The blended matrix: ((m₀·w₀ + m₁·w₁) + m₂·w₂) + …
    #[inline(always)]
    fn matrix<S: Simd>(&self, s: S, palette: &[[f32; 16]]) -> f32x16<S> {
        let first = f32x16::from_slice(s, self.joint(0, palette));
        if N == 1 {
            // A single influence has weight 1.
            return first;
        }
        let mut sum = first * f32x16::splat(s, self.weight(0));
        let n = if N == 0 { self.indices.len() } else { N };
        let mut i = 1;
        while i < n {
            sum += f32x16::from_slice(s, self.joint(i, palette)) * f32x16::splat(s, self.weight(i));
            i += 1;
        }
        sum
    }
}

/// True if four vertices of one influence each have the same joint.
#[inline(always)]
fn shared(indices: &[[u8; 2]], row: usize) -> bool {
    if row != 1 {
        let first = indices[0];
        return indices[row] == first && indices[2 * row] == first && indices[3 * row] == first;
    }
    let first = u16::from_ne_bytes(indices[0]);
    let all = bytemuck::pod_read_unaligned::<u64>(indices[..BLOCK].as_flattened());
    all == u64::from(first) * 0x0001_0001_0001_0001
}

/// The columns of one blended matrix.
#[inline(always)]
fn columns<S: Simd, const N: usize, const K: usize>(
    s: S,
    blend: &Blend<'_, N, K>,
    palette: &[[f32; 16]],
) -> [f32x4<S>; 4] {
    let (ab, cd) = blend.matrix(s, palette).split();
    let ((a, b), (c, d)) = (ab.split(), cd.split());
    [a, b, c, d]
}

/// The columns of two blended matrices, or twice of the first one.
#[inline(always)]
fn two_columns<S: Simd, const N: usize, const K: usize>(
    s: S,
    p: &Blend<'_, N, K>,
    q: &Blend<'_, N, K>,
    shared: bool,
    palette: &[[f32; 16]],
) -> [f32x8<S>; 4] {
    if shared {
        let [a, b, c, d] = columns(s, p, palette);
        return [f32x8::block_splat(a), f32x8::block_splat(b), f32x8::block_splat(c), f32x8::block_splat(d)];
    }
    let ((ab_p, cd_p), (ab_q, cd_q)) = (p.matrix(s, palette).split(), q.matrix(s, palette).split());
    let ([a, b], [c, d]) = (blocks::pair(ab_p, ab_q), blocks::pair(cd_p, cd_q));
    [a, b, c, d]
}

/// Moves four vectors, or points.
#[inline(always)]
fn move_four<S: Simd>(
    s: S,
    how: Gather<S>,
    columns: &[f32x16<S>; 4],
    point: bool,
    from: &FourVec3,
    to: &mut FourVec3,
) {
    let [a, b, c, d] = *columns;
    if let Some([x, y, z]) = blocks::spread(s, from) {
        let turned = (a * x + b * y) + c * z;
        let moved = if point { turned + d } else { turned };
        blocks::gather(s, how, moved + f32x16::splat(s, ZERO), to);
    }
}

/// Moves four vectors, or points, with the columns of two matrices each.
#[inline(always)]
fn move_pairs<S: Simd>(
    s: S,
    first: &[f32x8<S>; 4],
    second: &[f32x8<S>; 4],
    point: bool,
    from: &FourVec3,
    to: &mut FourVec3,
) {
    // All loads stay inside the 48 bytes: those of the second pair start one float early.
    let p = blocks::quad(s, from, 0).combine(blocks::quad(s, from, VEC3));
    let q = blocks::quad(s, from, 2 * VEC3 - 4).combine(blocks::quad(s, from, 3 * VEC3 - 4));
    let (p, q) = (turn_pair::<_, 0>(s, first, p), turn_pair::<_, 1>(s, second, q));
    let (p, q) = if point { (p + first[3], q + second[3]) } else { (p, q) };
    let zero = f32x8::splat(s, ZERO);
    let ((p0, p1), (q0, q1)) = ((p + zero).split(), (q + zero).split());
    // Each store runs into the next vector, which is written right after.
    blocks::put_quad(p0, to, 0);
    blocks::put_quad(p1, to, VEC3);
    blocks::put_quad(q0, to, 2 * VEC3);
    put_three(q1, to, 3 * VEC3);
}

/// Two vectors in lanes `AT`.. of the blocks.
#[inline(always)]
fn turn_pair<S: Simd, const AT: u8>(s: S, columns: &[f32x8<S>; 4], v: f32x8<S>) -> f32x8<S> {
    let [a, b, c, _] = *columns;
    let x = v.swizzle_dyn_within_blocks(lanes(s, AT));
    let y = v.swizzle_dyn_within_blocks(lanes(s, AT + 1));
    let z = v.swizzle_dyn_within_blocks(lanes(s, AT + 2));
    (a * x + b * y) + c * z
}

/// Byte indices of one lane, for every lane of a block.
#[inline(always)]
fn lanes<S: Simd>(s: S, lane: u8) -> u8x32<S> {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        bytes[i] = lane * 4 + (i % 4) as u8;
        i += 1;
    }
    u8x32::simd_from(s, bytes)
}

/// Moves one vector, or point, of four.
#[inline(always)]
fn move_one<S: Simd>(
    s: S,
    columns: &[f32x4<S>; 4],
    point: bool,
    vertex: usize,
    from: &FourVec3,
    to: &mut FourVec3,
) {
    let [a, b, c, d] = *columns;
    let [x, y, z] = bytemuck::pod_read_unaligned::<[f32; 3]>(&from[vertex * VEC3..(vertex + 1) * VEC3]);
    let turned = (a * f32x4::splat(s, x) + b * f32x4::splat(s, y)) + c * f32x4::splat(s, z);
    let moved = if point { turned + d } else { turned } + f32x4::splat(s, ZERO);
    if vertex + 1 < BLOCK {
        blocks::put_quad(moved, to, vertex * VEC3);
    } else {
        put_three(moved, to, vertex * VEC3);
    }
}

#[inline(always)]
fn put_three<S: Simd>(v: f32x4<S>, to: &mut FourVec3, at: usize) {
    let v: [u8; 16] = bytemuck::cast(v.to_array());
    to[at..at + VEC3].copy_from_slice(&v[..VEC3]);
}
