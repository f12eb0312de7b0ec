//! Matrix palette skinning of any layout: what is contiguous goes to the loop as it is. What is not (indices
//! of one byte, weights of one or two, attributes at any stride, fewer vertices than a block) is copied into
//! contiguous buffers, and moved from there, 64 vertices at a time.

use super::contiguous::{BLOCK, CHUNK, Piece, Vec3Bytes, run};
use crate::mesh::{
    Attribute, Attributes, IndexFormat, MAX_INFLUENCES, SkinMesh, SkinMeshParts, Strided, VEC3, WeightFormat,
    Writer, read_weight,
};
use lissom_math::simd::Backend;

/// Indices or weights of a chunk; a chunk of vertices with very many influences is shorter.
const INFLUENCES: usize = BLOCK * MAX_INFLUENCES;

/// Moves vertices that were validated. Attributes that are not there are left out.
pub(crate) fn skin(
    backend: Backend,
    mesh: &SkinMesh<'_>,
    palette: &[[f32; 16]],
    attributes: &Attributes<'_>,
    count: usize,
    out: &mut Writer<'_>,
) {
    for (start, parts) in mesh.pieces(count) {
        let attributes = attributes.map(|a| a.map(|(name, input)| (name, input.skip(start))));
        skin_piece(backend, &parts, palette, &attributes, &mut out.skip(start));
    }
}

/// Moves vertices of which none has more influences than the piece says.
fn skin_piece(
    backend: Backend,
    parts: &SkinMeshParts<'_>,
    palette: &[[f32; 16]],
    attributes: &Attributes<'_>,
    out: &mut Writer<'_>,
) {
    let count = parts.vertex_count;
    let influences = Influences::new(parts);
    let mut from: [&[Vec3Bytes]; 3] = [&[]; 3];
    let mut names = [Attribute::Position; 3];
    let mut here = 0;
    let mut contiguous = count >= BLOCK && influences.indices.is_some() && influences.weights.is_some();
    for (name, input) in attributes.iter().flatten() {
        names[here] = *name;
        from[here] = input.bytes.as_chunks().0;
        contiguous &= input.stride == VEC3;
        here += 1;
    }
    let point = names[0] == Attribute::Position;
    if contiguous
        && let (Some(indices), Some(weights)) = (influences.indices, influences.weights)
        && let Some(to) = out.packed(&names[..here])
    {
        let piece = Piece {
            vertices: count,
            influences: parts.influences,
            stored: influences.stored,
            indices,
            index_row: influences.index_row,
            weights,
            weight_row: influences.weight_row,
            from,
            to,
            attributes: here,
            point,
        };
        run(backend, palette, piece);
        return;
    }
    Scratch::new().skin(backend, parts, &influences, palette, attributes, &names[..here], count, out);
}

/// A mesh's indices and weights where they are u16 and f32, whole numbers of them apart.
struct Influences<'a> {
    stored: usize,
    indices: Option<&'a [[u8; 2]]>,
    /// Indices from a vertex to the next.
    index_row: usize,
    weights: Option<&'a [[u8; 4]]>,
    /// Weights from a vertex to the next.
    weight_row: usize,
}

impl<'a> Influences<'a> {
    fn new(parts: &SkinMeshParts<'a>) -> Self {
        let n = parts.influences;
        let stored = if parts.explicit_last { n } else { n - 1 };
        let indices = parts.index_format == IndexFormat::U16 && parts.indices.stride.is_multiple_of(2);
        let weights = parts.weight_format == WeightFormat::F32 && parts.weights.stride.is_multiple_of(4);
        Self {
            stored,
            indices: indices.then_some(parts.indices.bytes.as_chunks().0),
            index_row: parts.indices.stride / 2,
            weight_row: if stored == 0 { 0 } else { parts.weights.stride / 4 },
            weights: if stored == 0 {
                Some(&[])
            } else {
                weights.then_some(parts.weights.bytes.as_chunks().0)
            },
        }
    }
}

/// Copies of what is not contiguous.
struct Scratch {
    indices: [[u8; 2]; INFLUENCES],
    weights: [[u8; 4]; INFLUENCES],
    from: [[Vec3Bytes; CHUNK]; 3],
    to: [[Vec3Bytes; CHUNK]; 3],
}

impl Scratch {
    fn new() -> Self {
        Self {
            indices: [[0; 2]; INFLUENCES],
            weights: [[0; 4]; INFLUENCES],
            from: [[[0; VEC3]; CHUNK]; 3],
            to: [[[0; VEC3]; CHUNK]; 3],
        }
    }

    /// Copies, moves and copies back, chunk by chunk.
    #[allow(clippy::too_many_arguments, reason = "what moves, by what, from where to where")]
    fn skin(
        &mut self,
        backend: Backend,
        parts: &SkinMeshParts<'_>,
        influences: &Influences<'_>,
        palette: &[[f32; 16]],
        attributes: &Attributes<'_>,
        names: &[Attribute],
        count: usize,
        out: &mut Writer<'_>,
    ) {
        let (n, k) = (parts.influences, influences.stored);
        let most = CHUNK.min(INFLUENCES / n / BLOCK * BLOCK);
        let mut start = 0;
        while start < count {
            let here = most.min(count - start);
            // Vertices past the last repeat it, so that blocks are whole.
            let padded = here.next_multiple_of(BLOCK);
            let direct = here == padded;
            let (indices, index_row) = match influences.indices {
                Some(indices) if direct => (&indices[start * influences.index_row..], influences.index_row),
                _ => {
                    copy_indices(parts, start, here, &mut self.indices);
                    pad(&mut self.indices, n, here, padded);
                    (&self.indices[..padded * n], n)
                }
            };
            let (weights, weight_row) = match influences.weights {
                Some(weights) if direct => (&weights[start * influences.weight_row..], influences.weight_row),
                _ => {
                    copy_weights(parts, k, start, here, &mut self.weights);
                    pad(&mut self.weights, k, here, padded);
                    (&self.weights[..padded * k], k)
                }
            };
            // What is contiguous stays where it is: often only tangents are not, which have a fourth number.
            let mut from: [&[Vec3Bytes]; 3] = [&[]; 3];
            for (((_, input), copy), from) in attributes.iter().flatten().zip(&mut self.from).zip(&mut from) {
                let input = input.skip(start);
                *from = match input.bytes.as_chunks().0.get(..here) {
                    Some(packed) if direct && input.stride == VEC3 => packed,
                    _ => {
                        copy_vectors(input, &mut copy[..here]);
                        pad(copy, 1, here, padded);
                        copy
                    }
                };
            }
            let [to_0, to_1, to_2] = &mut self.to;
            let copies: [&mut [Vec3Bytes]; 3] = [to_0, to_1, to_2];
            let packed = if direct { out.packed(names) } else { None };
            let copied = packed.is_none();
            let to = packed.map_or(copies, |to| to.map(|to| to.get_mut(start..).unwrap_or_default()));
            let piece = Piece {
                vertices: padded,
                influences: n,
                stored: k,
                indices,
                index_row,
                weights,
                weight_row,
                from,
                to,
                attributes: names.len(),
                point: names[0] == Attribute::Position,
            };
            run(backend, palette, piece);
            if copied {
                for (name, copy) in names.iter().zip(&self.to) {
                    let (bytes, stride) = out.attribute(*name);
                    put_vectors(bytes.get_mut(start * stride..).unwrap_or_default(), stride, &copy[..here]);
                }
            }
            start += here;
        }
    }
}

/// Repeats the last of `here` elements of `size` entries up to `padded`.
fn pad<T: Copy>(entries: &mut [T], size: usize, here: usize, padded: usize) {
    for element in here..padded {
        entries.copy_within((here - 1) * size..here * size, element * size);
    }
}

/// Reads `N` numbers a vertex, `BYTES` bytes together, and writes each as `T`.
#[inline(always)]
fn convert<T, const N: usize, const BYTES: usize>(
    from: Strided<'_>,
    to: &mut [T],
    number: impl Fn(&[u8; BYTES], usize) -> T,
) {
    for (vertex, to) in to.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        let Some(bytes) = from.bytes.get(vertex * from.stride..).and_then(|b| b.first_chunk()) else {
            return;
        };
        let mut i = 0;
        while i < N {
            to[i] = number(bytes, i);
            i += 1;
        }
    }
}

/// Indices as u16. The usual numbers of influences have loops of their own.
fn copy_indices(parts: &SkinMeshParts<'_>, start: usize, here: usize, to: &mut [[u8; 2]]) {
    let n = parts.influences;
    let from = parts.indices.skip(start);
    let to = &mut to[..here * n];
    match (parts.index_format, n) {
        (IndexFormat::U8, 4) => convert::<_, 4, 4>(from, to, |b, i| u16::from(b[i]).to_ne_bytes()),
        (IndexFormat::U16, 4) => convert::<_, 4, 8>(from, to, |b, i| [b[2 * i], b[2 * i + 1]]),
        (IndexFormat::U8, 1) => convert::<_, 1, 1>(from, to, |b, i| u16::from(b[i]).to_ne_bytes()),
        (IndexFormat::U16, 1) => convert::<_, 1, 2>(from, to, |b, i| [b[2 * i], b[2 * i + 1]]),
        (IndexFormat::U8, _) => {
            for (to, from) in to.chunks_exact_mut(n).zip(from.bytes.chunks(from.stride)) {
                for (to, from) in to.iter_mut().zip(from) {
                    *to = u16::from(*from).to_ne_bytes();
                }
            }
        }
        (IndexFormat::U16, _) => {
            for (to, from) in to.chunks_exact_mut(n).zip(from.bytes.chunks(from.stride)) {
                to.copy_from_slice(&from.as_chunks().0[..n]);
            }
        }
    }
}

/// Stored weights as f32.
fn copy_weights(parts: &SkinMeshParts<'_>, k: usize, start: usize, here: usize, to: &mut [[u8; 4]]) {
    if k == 0 {
        return;
    }
    use WeightFormat::{F32, Unorm8, Unorm16};
    let from = parts.weights.skip(start);
    let to = &mut to[..here * k];
    match (parts.weight_format, k) {
        (Unorm8, 3) => convert::<_, 3, 3>(from, to, |b, i| read_weight(Unorm8, &b[i..]).to_ne_bytes()),
        (Unorm8, 4) => convert::<_, 4, 4>(from, to, |b, i| read_weight(Unorm8, &b[i..]).to_ne_bytes()),
        (Unorm16, 3) => convert::<_, 3, 6>(from, to, |b, i| read_weight(Unorm16, &b[2 * i..]).to_ne_bytes()),
        (Unorm16, 4) => convert::<_, 4, 8>(from, to, |b, i| read_weight(Unorm16, &b[2 * i..]).to_ne_bytes()),
        (F32, 3) => convert::<_, 3, 12>(from, to, |b, i| read_weight(F32, &b[4 * i..]).to_ne_bytes()),
        (F32, 4) => convert::<_, 4, 16>(from, to, |b, i| read_weight(F32, &b[4 * i..]).to_ne_bytes()),
        (format, _) => {
            for (to, from) in to.chunks_exact_mut(k).zip(from.bytes.chunks(from.stride)) {
                for (to, from) in to.iter_mut().zip(from.chunks_exact(format.size())) {
                    *to = read_weight(format, from).to_ne_bytes();
                }
            }
        }
    }
}

fn copy_vectors(from: Strided<'_>, to: &mut [Vec3Bytes]) {
    let Some((last, others)) = to.split_last_mut() else { return };
    let (whole, end) = from.bytes.split_at((others.len() * from.stride).min(from.bytes.len()));
    for (to, from) in others.iter_mut().zip(whole.chunks_exact(from.stride)) {
        if let Some(from) = from.first_chunk() {
            *to = *from;
        }
    }
    // The last one may end with the buffer.
    if let Some(from) = end.first_chunk() {
        *last = *from;
    }
}

fn put_vectors(to: &mut [u8], stride: usize, from: &[Vec3Bytes]) {
    let Some((last, others)) = from.split_last() else { return };
    let (whole, end) = to.split_at_mut((others.len() * stride).min(to.len()));
    for (to, from) in whole.chunks_exact_mut(stride).zip(others) {
        if let Some(to) = to.first_chunk_mut() {
            *to = *from;
        }
    }
    if let Some(to) = end.first_chunk_mut() {
        *to = *last;
    }
}
