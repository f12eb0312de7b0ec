//! A mesh to skin, everything packed.

use crate::rig::bone;
use lissom::{
    archive::{self, AlignedBytes, Archive},
    job::SkinJob,
    math::{Mat4, simd::Backend, soa::Lanes},
    mesh::{IndexFormat, SkinMesh, SkinMeshParts, Strided, StridedMut, VertexOutput, WeightFormat},
};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    mannequin::{self, Detail},
    mesh::VertexLayout,
    scene::SceneMesh,
};
use lissom_measure::rng::Rng;

/// A mesh with random positions, normals and tangents.
pub struct Mesh {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 3]>,
    indices: Vec<u16>,
    weights: Vec<f32>,
    influences: usize,
}

/// Positions, normals and tangents.
pub type Output = [Vec<[f32; 3]>; 3];

/// Which joints the vertices of a mesh have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Eight neighbours share them, as in a mesh that is sorted by joint.
    Neighbours,
    /// Each vertex has its own.
    Mixed,
}

impl Mesh {
    /// A mesh whose vertices have their joints in an order.
    #[must_use]
    pub fn new(vertices: usize, influences: usize, joints: usize, order: Order) -> Self {
        let mut rng = Rng::new(7);
        let mut vectors = || (0..vertices).map(|_| [rng.signed(), rng.signed(), rng.signed()]).collect();
        let (positions, normals, tangents) = (vectors(), vectors(), vectors());
        let indices = (0..vertices)
            .map(|v| if order == Order::Mixed { rng.below(joints) } else { v / 8 })
            .flat_map(|first| (0..influences).map(move |i| ((first + i * 3) % joints) as u16))
            .collect();
        let mut share = || rng.unit() * 0.8 / influences as f32;
        let weights = (0..vertices * (influences - 1)).map(|_| share()).collect();
        Self { positions, normals, tangents, indices, weights, influences }
    }

    /// The influences, checked. Panics if there are no such joints.
    #[must_use]
    pub fn checked(&self, joint_count: usize) -> SkinMesh<'_> {
        SkinMesh::new(SkinMeshParts {
            vertex_count: self.positions.len(),
            influences: self.influences,
            indices: Strided { bytes: bytemuck::cast_slice(&self.indices), stride: self.influences * 2 },
            index_format: IndexFormat::U16,
            weights: Strided {
                bytes: bytemuck::cast_slice(&self.weights),
                stride: (self.influences - 1) * 4,
            },
            weight_format: WeightFormat::F32,
            explicit_last: false,
            joint_count,
        })
        .expect("valid")
    }

    /// Where vertices are at rest.
    #[must_use]
    pub fn positions(&self) -> Strided<'_> {
        Strided::packed(&self.positions)
    }

    /// Room for the moved vertices.
    #[must_use]
    pub fn output(&self) -> Output {
        core::array::from_fn(|_| vec![[0.0; 3]; self.positions.len()])
    }

    /// A byte an index and a byte a weight, as many files have them: of each vertex all indices, then all weights.
    #[must_use]
    pub fn small_influences(&self) -> Vec<u8> {
        let (n, stored) = (self.influences, self.influences - 1);
        let mut bytes = Vec::new();
        for v in 0..self.positions.len() {
            bytes.extend(self.indices[v * n..(v + 1) * n].iter().map(|j| *j as u8));
            bytes.extend(self.weights[v * stored..(v + 1) * stored].iter().map(|w| (w * 255.0) as u8));
        }
        bytes
    }

    /// [`Mesh::small_influences`], checked. Panics if there are no such joints.
    #[must_use]
    pub fn checked_small<'a>(&self, bytes: &'a [u8], joint_count: usize) -> SkinMesh<'a> {
        let stride = 2 * self.influences - 1;
        SkinMesh::new(SkinMeshParts {
            vertex_count: self.positions.len(),
            influences: self.influences,
            indices: Strided { bytes, stride },
            index_format: IndexFormat::U8,
            weights: Strided { bytes: &bytes[self.influences..], stride },
            weight_format: WeightFormat::Unorm8,
            explicit_last: false,
            joint_count,
        })
        .expect("valid")
    }

    /// Positions and normals in one buffer.
    #[must_use]
    pub fn interleaved(&self) -> Vec<[[f32; 3]; 2]> {
        self.positions.iter().zip(&self.normals).map(|(p, n)| [*p, *n]).collect()
    }

    /// Tangents and which way round they are.
    #[must_use]
    pub fn tangents_with_handedness(&self) -> Vec<[f32; 4]> {
        self.tangents.iter().map(|[x, y, z]| [*x, *y, *z, 1.0]).collect()
    }

    /// Bytes that one job reads and writes, the palette left out.
    #[must_use]
    pub fn bytes_moved(&self, attributes: usize) -> usize {
        self.positions.len() * (attributes * 24 + self.influences * 2 + (self.influences - 1) * 4)
    }
}

/// Runs one job: 1 attribute is P, 2 PN, 3 PNT. Panics if the parts do not belong together.
pub fn skin(
    backend: Backend,
    mesh: &Mesh,
    checked: SkinMesh<'_>,
    palette: &[Mat4],
    attributes: usize,
    out: &mut Output,
) {
    let [p, n, t] = out;
    SkinJob {
        mesh: checked,
        vertex_count: mesh.positions.len(),
        palette,
        vector_palette: None,
        positions: Strided::packed(&mesh.positions),
        normals: (attributes > 1).then(|| Strided::packed(&mesh.normals)),
        tangents: (attributes > 2).then(|| Strided::packed(&mesh.tangents)),
        output: VertexOutput::Separate {
            positions: StridedMut::packed(p),
            normals: (attributes > 1).then(|| StridedMut::packed(n)),
            tangents: (attributes > 2).then(|| StridedMut::packed(t)),
        },
    }
    .run_on(backend)
    .expect("valid");
}

/// Runs one job on everything, tangents with a fourth number, as files and archives have them. Panics if the parts do not
/// belong together.
pub fn skin_with_handedness(
    backend: Backend,
    mesh: &Mesh,
    checked: SkinMesh<'_>,
    palette: &[Mat4],
    tangents: &[[f32; 4]],
    [p, n, t]: &mut Output,
) {
    SkinJob {
        mesh: checked,
        vertex_count: mesh.positions.len(),
        palette,
        vector_palette: None,
        positions: Strided::packed(&mesh.positions),
        normals: Some(Strided::packed(&mesh.normals)),
        tangents: Some(Strided::packed(tangents)),
        output: VertexOutput::Separate {
            positions: StridedMut::packed(p),
            normals: Some(StridedMut::packed(n)),
            tangents: Some(StridedMut::packed(t)),
        },
    }
    .run_on(backend)
    .expect("valid");
}

/// Runs one job on interleaved positions and normals. Panics if the parts do not belong together.
pub fn skin_interleaved(
    backend: Backend,
    mesh: SkinMesh<'_>,
    palette: &[Mat4],
    from: &[[[f32; 3]; 2]],
    to: &mut [[[f32; 3]; 2]],
) {
    const STRIDE: usize = 24;
    let bytes: &[u8] = bytemuck::cast_slice(from);
    SkinJob {
        mesh,
        vertex_count: from.len(),
        palette,
        vector_palette: None,
        positions: Strided { bytes, stride: STRIDE },
        normals: Some(Strided { bytes: &bytes[STRIDE / 2..], stride: STRIDE }),
        tangents: None,
        output: VertexOutput::Interleaved {
            bytes: bytemuck::cast_slice_mut(to),
            stride: STRIDE,
            positions: 0,
            normals: Some(STRIDE / 2),
            tangents: None,
        },
    }
    .run_on(backend)
    .expect("valid");
}

/// The mannequin's mesh out of an archive, its vertices in an order. Panics if the archive is wrong.
#[must_use]
pub fn mannequin_mesh(layout: VertexLayout) -> archive::Mesh {
    let mesh = mannequin::mesh(&Detail::default()).expect("the usual detail");
    let mut mesh = SceneMesh { mesh, ..SceneMesh::default() };
    mesh.lay_out(layout);
    let built = SkeletonBuilder::build(&mannequin::skeleton()).expect("a skeleton");
    let writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton);
    let bytes = writer.and_then(|w| w.scene_mesh(&mesh, &built, "")).and_then(|w| w.finish());
    let archive = Archive::new(AlignedBytes::copy_of(&bytes.expect("an archive"))).expect("our own archive");
    archive.mesh("mannequin").expect("it is there")
}

/// Runs one job on positions and normals of a mesh out of an archive. Panics if the parts do not belong together.
pub fn skin_archived(backend: Backend, mesh: &archive::Mesh, palette: &[Mat4], out: &mut [Vec<[f32; 3]>; 2]) {
    let view = mesh.view();
    let [p, n] = out;
    let output = VertexOutput::Separate {
        positions: StridedMut::packed(p),
        normals: Some(StridedMut::packed(n)),
        tangents: None,
    };
    let job = SkinJob::new(mesh.influences(), palette, Strided::packed(view.positions), output);
    SkinJob { normals: Some(Strided::packed(view.normals)), ..job }.run_on(backend).expect("valid");
}

/// Matrices at 64-byte addresses: one that straddles two cache lines is read twice.
pub struct Matrices(Vec<Lanes>);

impl Matrices {
    /// Copies matrices.
    #[must_use]
    pub fn new(matrices: &[Mat4]) -> Self {
        Self(matrices.iter().map(|m| Lanes(m.to_cols_array())).collect())
    }

    /// The matrices.
    #[must_use]
    pub fn get(&self) -> &[Mat4] {
        bytemuck::cast_slice(&self.0)
    }

    /// The matrices, to be written.
    pub fn get_mut(&mut self) -> &mut [Mat4] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// Matrices that rotate and translate.
#[must_use]
pub fn palette(joints: usize) -> Matrices {
    let mut rng = Rng::new(8);
    let matrices: Vec<_> = (0..joints).map(|_| bone(&mut rng).to_mat34().to_mat4()).collect();
    Matrices::new(&matrices)
}
