//! A mesh for files that have none.

use lissom::{archive::MeshView, math::Mat34};

/// A cloud of vertices on all joints of a skeleton.
pub struct Synthetic {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    joints: Vec<u16>,
    weights: Vec<f32>,
    inverse_binds: Vec<Mat34>,
}

impl Synthetic {
    pub fn new(vertices: usize, joints: usize) -> Self {
        // Fibonacci hashing: looks random, the same in every run.
        let unit = |i: usize, salt: u32| {
            let bits = (i as u32).wrapping_add(salt << 20).wrapping_mul(2_654_435_761);
            f32::from(bits.rotate_left(9) as u16) / 32_768.0 - 1.0
        };
        let three = |salt: u32| (0..vertices).map(|i| [0, 1, 2].map(|c| unit(i, salt + c))).collect();
        // Neighbours share joints, as in any mesh that was not shuffled.
        let joint = |v: usize, i: usize| ((v / 8 + i * 3) % joints) as u16;
        Self {
            positions: three(0),
            normals: three(3),
            tangents: (0..vertices).map(|i| [unit(i, 6), unit(i, 7), unit(i, 8), 1.0]).collect(),
            joints: (0..vertices).flat_map(|v| [0, 1, 2, 3].map(|i| joint(v, i))).collect(),
            weights: [0.4, 0.3, 0.2, 0.1].repeat(vertices),
            inverse_binds: vec![Mat34::IDENTITY; joints],
        }
    }

    pub fn view(&self) -> MeshView<'_> {
        MeshView {
            skeleton_identity: 0,
            positions: &self.positions,
            normals: &self.normals,
            tangents: &self.tangents,
            per_vertex: 4,
            joints: &self.joints,
            weights: &self.weights,
            indices: &[],
            inverse_binds: &self.inverse_binds,
            uvs: &[],
            colors: &[],
            order: &[],
            material: "",
            source: "",
            node: "",
            extras: "",
        }
    }
}
