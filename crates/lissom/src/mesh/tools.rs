//! What a mesh needs before its first frame: good weights, parts by influence count, bitangents.

use super::{
    error::{MeshError, at_least},
    influences::{IndexFormat, MAX_INFLUENCES, SkinMesh, SkinMeshParts, WeightFormat},
    vertices::{Strided, VEC3},
};
use alloc::vec::Vec;

/// Weights below this count as none when a mesh is partitioned: they are what is left by restoring 1 − Σ.
const NO_WEIGHT: f32 = 1.0e-6;

/// The vertices of a mesh that have the same number of influences, with their own packed buffers.
#[derive(Clone, Debug)]
pub struct InfluencePart {
    /// Joints a vertex depends on.
    pub influences: usize,
    /// Which vertices of the mesh, in rising order: sort positions, normals and tangents like this.
    pub vertices: Vec<u32>,
    /// Packed joint indices.
    pub indices: Vec<u16>,
    /// Packed weights, the last of each vertex left out.
    pub weights: Vec<f32>,
    /// Joints of the palette.
    pub joint_count: usize,
}

impl InfluencePart {
    /// The part as a mesh of its own, in the layout that skins fastest.
    ///
    /// # Errors
    ///
    /// Those of [`SkinMesh::new`], if the fields were changed.
    pub fn mesh(&self) -> Result<SkinMesh<'_>, MeshError> {
        let stride = |size: usize, n: usize| size * n;
        SkinMesh::new(SkinMeshParts {
            vertex_count: self.vertices.len(),
            influences: self.influences,
            indices: Strided {
                bytes: bytemuck::cast_slice(&self.indices),
                stride: stride(2, self.influences),
            },
            index_format: IndexFormat::U16,
            weights: Strided {
                bytes: bytemuck::cast_slice(&self.weights),
                stride: stride(4, self.influences.saturating_sub(1)),
            },
            weight_format: WeightFormat::F32,
            explicit_last: false,
            joint_count: self.joint_count,
        })
    }
}

/// Sorts a mesh's vertices by how many influences they really have; weights below a millionth count as none.
/// One job a part moves every vertex to where one job over the whole mesh moves it, within rounding.
#[must_use]
pub fn partition_by_influences(mesh: &SkinMesh<'_>) -> Vec<InfluencePart> {
    let mut parts: Vec<InfluencePart> = Vec::new();
    for influences in 1..=mesh.influences() {
        let mut part = InfluencePart {
            influences,
            vertices: Vec::new(),
            indices: Vec::new(),
            weights: Vec::new(),
            joint_count: mesh.joint_count(),
        };
        for vertex in 0..mesh.vertex_count() {
            let used = || (0..mesh.influences()).filter(|i| mesh.weight(vertex, *i) > NO_WEIGHT);
            if used().count() != influences {
                continue;
            }
            part.vertices.push(vertex as u32);
            for (n, i) in used().enumerate() {
                part.indices.push(mesh.joint(vertex, i) as u16);
                if n + 1 < influences {
                    part.weights.push(mesh.weight(vertex, i));
                }
            }
        }
        if !part.vertices.is_empty() {
            parts.push(part);
        }
    }
    parts
}

/// Scales each vertex's stored weights so that they sum to 1, in place. Negative and NaN weights become 0; a
/// vertex without any weight is given wholly to its first influence. Unorm weights sum to their full number
/// exactly: what rounding leaves goes to the largest.
///
/// # Errors
///
/// - [`MeshError::Stride`], [`MeshError::TooShort`]: the buffer does not hold the vertices.
/// - [`MeshError::Influences`]: `influences` is 0.
pub fn normalize_weights(
    bytes: &mut [u8],
    stride: usize,
    format: WeightFormat,
    influences: usize,
    vertex_count: usize,
) -> Result<(), MeshError> {
    if influences == 0 {
        return Err(MeshError::Influences { influences, max: MAX_INFLUENCES });
    }
    let size = format.size();
    Strided { bytes, stride }.validate("weights", influences * size, vertex_count)?;
    let full: f64 = match format {
        WeightFormat::F32 => 1.0,
        WeightFormat::Unorm8 => 255.0,
        WeightFormat::Unorm16 => 65535.0,
    };
    for vertex in 0..vertex_count {
        let weights = &mut bytes[vertex * stride..][..influences * size];
        let read = |b: &[u8]| -> f64 {
            let w = match format {
                WeightFormat::F32 => f64::from(f32::from_ne_bytes([b[0], b[1], b[2], b[3]])),
                WeightFormat::Unorm8 => f64::from(b[0]),
                WeightFormat::Unorm16 => f64::from(u16::from_ne_bytes([b[0], b[1]])),
            };
            if w > 0.0 && w.is_finite() { w } else { 0.0 }
        };
        let sum: f64 = weights.chunks_exact(size).map(read).sum();
        let (mut left, mut largest, mut at_largest) = (full as i64, -1.0, 0);
        for (i, b) in weights.chunks_exact_mut(size).enumerate() {
            let w = if sum > 0.0 {
                read(b) / sum * full
            } else if i == 0 {
                full
            } else {
                0.0
            };
            if w > largest {
                (largest, at_largest) = (w, i);
            }
            let whole = w as i64;
            left -= whole;
            match format {
                WeightFormat::F32 => b.copy_from_slice(&(w as f32).to_ne_bytes()),
                WeightFormat::Unorm8 => b[0] = whole as u8,
                WeightFormat::Unorm16 => b.copy_from_slice(&(whole as u16).to_ne_bytes()),
            }
        }
        let b = &mut weights[at_largest * size..][..size];
        match format {
            WeightFormat::F32 => {}
            WeightFormat::Unorm8 => b[0] = (i64::from(b[0]) + left) as u8,
            WeightFormat::Unorm16 => {
                let w = i64::from(u16::from_ne_bytes([b[0], b[1]])) + left;
                b.copy_from_slice(&(w as u16).to_ne_bytes());
            }
        }
    }
    Ok(())
}

/// Bitangents: (normal × tangent) · handedness, one a vertex. `tangents` holds x y z and the handedness, four
/// f32.
///
/// # Errors
///
/// [`MeshError::Stride`], [`MeshError::TooShort`]: a buffer does not hold the vertices.
pub fn bitangents(
    normals: Strided<'_>,
    tangents: Strided<'_>,
    vertex_count: usize,
    output: &mut [[f32; 3]],
) -> Result<(), MeshError> {
    normals.validate("normals", VEC3, vertex_count)?;
    tangents.validate("tangents", VEC3 + 4, vertex_count)?;
    at_least("output", "vertices", output.len(), vertex_count)?;
    for (v, out) in output[..vertex_count].iter_mut().enumerate() {
        let (n, t) = (normals.vec3(v), tangents.vec3(v));
        let b = &tangents.bytes[v * tangents.stride + VEC3..];
        let w = f32::from_ne_bytes([b[0], b[1], b[2], b[3]]);
        *out = [
            (n[1] * t[2] - n[2] * t[1]) * w,
            (n[2] * t[0] - n[0] * t[2]) * w,
            (n[0] * t[1] - n[1] * t[0]) * w,
        ];
    }
    Ok(())
}
