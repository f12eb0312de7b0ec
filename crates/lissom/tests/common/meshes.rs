//! Rng meshes in every layout that skinning reads.

use lissom::{
    math::{Mat4, Mat34},
    mesh::{IndexFormat, MeshError, SkinMesh, SkinMeshParts, Strided, WeightFormat},
};
use lissom_testkit::rng::Rng;

/// Buffers of a mesh, interleaved into one or apart.
#[derive(Clone)]
pub struct TestMesh {
    pub vertices: usize,
    pub influences: usize,
    pub joints: usize,
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub tangents: Vec<[f32; 3]>,
    pub indices: Vec<u8>,
    pub index_format: IndexFormat,
    pub index_stride: usize,
    pub weights: Vec<u8>,
    pub weight_format: WeightFormat,
    pub weight_stride: usize,
    pub explicit_last: bool,
}

impl TestMesh {
    /// Everything by chance but the sizes.
    pub fn random(random: &mut Rng, vertices: usize, influences: usize, joints: usize) -> Self {
        let index_format = if random.below(3) == 0 { IndexFormat::U8 } else { IndexFormat::U16 };
        let weight_format = [WeightFormat::F32, WeightFormat::Unorm8, WeightFormat::Unorm16][random.below(3)];
        let explicit = random.below(2) == 0;
        let pad = random.below(3) * 3;
        Self::new(random, vertices, influences, joints, index_format, weight_format, explicit, pad)
    }

    /// Packed u16 and f32 with the last weight restored: the fast layout.
    pub fn fast(random: &mut Rng, vertices: usize, influences: usize, joints: usize) -> Self {
        let formats = (IndexFormat::U16, WeightFormat::F32);
        Self::new(random, vertices, influences, joints, formats.0, formats.1, false, 0)
    }

    #[allow(clippy::too_many_arguments, reason = "a test's shape, spelt out")]
    pub fn new(
        random: &mut Rng,
        vertices: usize,
        influences: usize,
        joints: usize,
        index_format: IndexFormat,
        weight_format: WeightFormat,
        explicit_last: bool,
        pad: usize,
    ) -> Self {
        let vectors = |random: &mut Rng| -> Vec<[f32; 3]> {
            (0..vertices).map(|_| random.vec3(1.0).to_array()).collect()
        };
        let (positions, normals, tangents) = (vectors(random), vectors(random), vectors(random));
        let stored = influences - usize::from(!explicit_last);
        let index_stride = influences * index_format.size() + pad;
        let weight_stride = (stored * weight_format.size()).max(1) + pad;
        let weight_stride = if pad == 0 { stored * weight_format.size() } else { weight_stride };
        let mut indices = vec![0xee; vertices * index_stride];
        let mut weights = vec![0xee; vertices * weight_stride];
        for v in 0..vertices {
            // Whole numbers that sum to the full one, whatever the format.
            let full = match weight_format {
                WeightFormat::Unorm8 => 255,
                _ => 65535_u32,
            };
            let mut left = full;
            for i in 0..influences {
                let joint = random.below(joints);
                let at = v * index_stride + i * index_format.size();
                match index_format {
                    IndexFormat::U8 => indices[at] = joint as u8,
                    IndexFormat::U16 => indices[at..at + 2].copy_from_slice(&(joint as u16).to_ne_bytes()),
                }
                let last = i + 1 == influences;
                let w = if last { left } else { random.next_u32() % (left / 2 + 1) };
                left -= w;
                if last && !explicit_last {
                    continue;
                }
                let at = v * weight_stride + i * weight_format.size();
                match weight_format {
                    WeightFormat::F32 => {
                        weights[at..at + 4].copy_from_slice(&(w as f32 / 65535.0).to_ne_bytes())
                    }
                    WeightFormat::Unorm8 => weights[at] = w as u8,
                    WeightFormat::Unorm16 => weights[at..at + 2].copy_from_slice(&(w as u16).to_ne_bytes()),
                }
            }
        }
        Self {
            vertices,
            influences,
            joints,
            positions,
            normals,
            tangents,
            indices,
            index_format,
            index_stride,
            weights,
            weight_format,
            weight_stride,
            explicit_last,
        }
    }

    pub fn parts(&self) -> SkinMeshParts<'_> {
        SkinMeshParts {
            vertex_count: self.vertices,
            influences: self.influences,
            indices: Strided { bytes: &self.indices, stride: self.index_stride },
            index_format: self.index_format,
            weights: Strided { bytes: &self.weights, stride: self.weight_stride },
            weight_format: self.weight_format,
            explicit_last: self.explicit_last,
            joint_count: self.joints,
        }
    }

    pub fn checked(&self) -> SkinMesh<'_> {
        self.try_checked().unwrap()
    }

    pub fn try_checked(&self) -> Result<SkinMesh<'_>, MeshError> {
        SkinMesh::new(self.parts())
    }
}

/// A palette with uneven scale and mirroring.
pub fn palette(random: &mut Rng, joints: usize) -> (Vec<Mat34>, Vec<Mat4>) {
    let m: Vec<Mat34> = (0..joints).map(|_| random.mirrored_transform().to_mat34()).collect();
    let m4 = m.iter().map(Mat34::to_mat4).collect();
    (m, m4)
}
