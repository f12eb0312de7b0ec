//! Meshes that are laid out for skinning: every vertex has the bits that it has in a mesh that is not.

use crate::common::meshes::palette;
use lissom::{
    archive::{AlignedBytes, Archive, Mesh},
    job::SkinJob,
    math::{Mat4, Mat34, simd::Backend},
    mesh::{
        IndexFormat, InfluenceRuns, MeshError, SkinMesh, SkinMeshParts, Strided, StridedMut, VertexOutput,
        WeightFormat,
    },
};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    mannequin::{self, Detail},
    mesh::VertexLayout,
    scene::SceneMesh,
};
use lissom_testkit::{compare::assert_same, oracle, rng::Rng};

/// u16 and f32 in rows, all weights stored or all but the last.
struct Rows {
    each: usize,
    explicit: bool,
    joints: Vec<u16>,
    weights: Vec<f32>,
    points: Vec<[f32; 3]>,
}

const JOINTS: usize = 6;

impl Rows {
    /// Counts of influences as they are said; a joint or a coordinate is often the same, and often 0.
    fn new(random: &mut Rng, each: usize, explicit: bool, counts: &[usize]) -> Self {
        let (mut joints, mut weights, mut points) = (Vec::new(), Vec::new(), Vec::new());
        for count in counts {
            let stored = each - usize::from(!explicit);
            for i in 0..each {
                joints.push(if i < *count { random.below(JOINTS) as u16 } else { 0 });
                if i < stored {
                    // Powers of two, so that they sum to exactly 1.
                    let last = i + 1 == *count;
                    let share = 1.0 / (1_u32 << if last { i } else { i + 1 }) as f32;
                    weights.push(if i < *count { share } else { [0.0, -0.0][random.below(2)] });
                }
            }
            points.push([0; 3].map(|_| [0.0, -0.0, 1.0, -0.5][random.below(4)]));
        }
        Self { each, explicit, joints, weights, points }
    }

    fn checked(&self) -> SkinMesh<'_> {
        let stored = self.each - usize::from(!self.explicit);
        SkinMesh::new(SkinMeshParts {
            vertex_count: self.points.len(),
            influences: self.each,
            indices: Strided { bytes: bytemuck::cast_slice(&self.joints), stride: self.each * 2 },
            index_format: IndexFormat::U16,
            weights: Strided { bytes: bytemuck::cast_slice(&self.weights), stride: stored * 4 },
            weight_format: WeightFormat::F32,
            explicit_last: self.explicit,
            joint_count: JOINTS,
        })
        .unwrap()
    }

    fn skin(&self, mesh: SkinMesh<'_>, palette: &[Mat4], backend: Backend) -> [Vec<[f32; 3]>; 2] {
        let mut out = [vec![[9.0; 3]; self.points.len()], vec![[9.0; 3]; self.points.len()]];
        let [p, n] = &mut out;
        let output = VertexOutput::Separate {
            positions: StridedMut::packed(p),
            normals: Some(StridedMut::packed(n)),
            tangents: None,
        };
        let points = Strided::packed(&self.points);
        let job = SkinJob::new(mesh, palette, points, output);
        SkinJob { normals: Some(points), ..job }.run_on(backend).unwrap();
        out
    }
}

/// Matrices with zeros of both signs in most places.
fn sparse(random: &mut Rng) -> (Vec<Mat34>, Vec<Mat4>) {
    let entry = |random: &mut Rng| [0.0, -0.0, -0.0, 1.0, -1.0, 0.3][random.below(6)];
    let one = |random: &mut Rng| Mat34 { columns: [(); 4].map(|()| [(); 3].map(|()| entry(random))) };
    let m: Vec<Mat34> = (0..JOINTS).map(|_| one(random)).collect();
    let m4 = m.iter().map(Mat34::to_mat4).collect();
    (m, m4)
}

#[test]
fn runs_change_no_bit_not_even_the_sign_of_a_zero() {
    let mut random = Rng::new(91);
    for case in 0..240 {
        let each = [1, 2, 3, 4, 5, 8][case % 6];
        let explicit = each == 1 || case % 4 < 2;
        let mut counts: Vec<usize> = (0..random.below(90)).map(|_| 1 + random.below(each)).collect();
        let in_order = case % 5 != 0;
        if in_order {
            counts.sort_unstable();
        }
        let mesh = Rows::new(&mut random, each, explicit, &counts);
        let runs = InfluenceRuns::of(&mesh.checked());
        let found: Vec<usize> =
            runs.as_slice().iter().flat_map(|r| r.vertices.clone().map(|_| r.influences)).collect();
        if in_order {
            assert_eq!(found, counts, "case {case}");
        } else {
            assert_eq!(found.len(), counts.len());
        }
        let (m, m4) = if case % 2 == 0 { sparse(&mut random) } else { palette(&mut random, JOINTS) };
        let plain = mesh.checked();
        let moved = |point: bool| -> Vec<[f32; 3]> {
            let one = |(v, p): (usize, &[f32; 3])| oracle::skin_vertex(&plain, &m, v, *p, point);
            mesh.points.iter().enumerate().map(one).collect()
        };
        let expected = [moved(true), moved(false)];
        for backend in Backend::all() {
            for (what, mesh_in) in [("plain", plain), ("runs", plain.with_runs(&runs).unwrap())] {
                let out = mesh.skin(mesh_in, &m4, backend);
                for (out, expected) in out.iter().zip(&expected) {
                    assert_same(&format!("{backend}, case {case}, {what}"), out, expected);
                }
            }
        }
    }
}

#[test]
fn slices_of_runs_are_slices_of_the_mesh() {
    let mut random = Rng::new(92);
    let mut counts: Vec<usize> = (0..70).map(|_| 1 + random.below(4)).collect();
    counts.sort_unstable();
    let mesh = Rows::new(&mut random, 4, true, &counts);
    let runs = InfluenceRuns::of(&mesh.checked());
    let with_runs = mesh.checked().with_runs(&runs).unwrap();
    let (_, m4) = palette(&mut random, JOINTS);
    let [whole, _] = mesh.skin(mesh.checked(), &m4, Backend::best());
    for (start, end) in [(0, 70), (1, 2), (3, 69), (17, 40), (40, 40), (66, 90)] {
        let slice = with_runs.slice(0..end).slice(start..end);
        let mut out = vec![[9.0; 3]; slice.vertex_count()];
        let output =
            VertexOutput::Separate { positions: StridedMut::packed(&mut out), normals: None, tangents: None };
        let points = Strided::packed(&mesh.points).skip(start);
        SkinJob::new(slice, &m4, points, output).run().unwrap();
        assert_same(&format!("{start}..{end}"), &out, &whole[start..end.min(70)]);
    }
    let mut out = vec![[9.0; 3]; 70];
    let output =
        VertexOutput::Separate { positions: StridedMut::packed(&mut out), normals: None, tangents: None };
    let job = SkinJob::new(with_runs, &m4, Strided::packed(&mesh.points), output);
    let (mut first, mut second) = job.split_at(23);
    second.run().unwrap();
    first.run().unwrap();
    assert_same("split", &out, &whole);
}

#[test]
fn runs_of_another_mesh_are_refused() {
    let mut random = Rng::new(93);
    let a = Rows::new(&mut random, 3, true, &[1, 1, 2, 3]);
    let b = Rows::new(&mut random, 3, true, &[1, 2, 2, 3]);
    let c = Rows::new(&mut random, 3, true, &[1, 2, 3]);
    let runs = InfluenceRuns::of(&a.checked());
    let refused = |mesh: &Rows| mesh.checked().with_runs(&runs).unwrap_err();
    let of = |unit, found, expected| MeshError::Mismatch { field: "runs", unit, found, expected };
    assert_eq!(refused(&b), of("influences", 1, 2));
    assert_eq!(refused(&c), of("vertices", 4, 3));
    // A single weight that is not quite 1 is read.
    let mut d = Rows::new(&mut random, 3, true, &[1, 1, 2, 3]);
    d.weights[0] = 0.999_99;
    assert_eq!(refused(&d), of("influences", 1, 1));
    let own = InfluenceRuns::of(&d.checked());
    assert!(!own.as_slice()[0].whole && runs.as_slice()[0].whole);
    let (_, m4) = palette(&mut random, JOINTS);
    let with_own = d.skin(d.checked().with_runs(&own).unwrap(), &m4, Backend::best());
    assert_eq!(with_own, d.skin(d.checked(), &m4, Backend::best()));
}

/// The mannequin's mesh out of an archive.
fn archived(mesh: &SceneMesh) -> Mesh {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton).unwrap();
    let bytes = writer.scene_mesh(mesh, &built, "").unwrap().finish().unwrap();
    Archive::new(AlignedBytes::copy_of(&bytes)).unwrap().mesh("mannequin").unwrap()
}

#[test]
fn a_mesh_that_was_laid_out_is_skinned_to_the_bits_of_the_source() {
    let mesh = mannequin::mesh(&Detail::default()).unwrap();
    let mut mesh = SceneMesh { mesh, ..SceneMesh::default() };
    let plain = archived(&mesh);
    mesh.lay_out(VertexLayout::Skinning);
    let laid_out = archived(&mesh);
    let (from, to) = (plain.view(), laid_out.view());
    assert!(from.order.is_empty() && to.order.len() == from.positions.len());
    assert_eq!(plain.runs().as_slice().len(), 1);
    let counts: Vec<usize> = laid_out.runs().as_slice().iter().map(|run| run.influences).collect();
    assert!(counts.len() > 1 && counts.is_sorted_by(|a, b| a < b), "{counts:?}");
    assert!(laid_out.runs().as_slice()[0].whole);
    let (_, m4) = palette(&mut Rng::new(94), from.inverse_binds.len());
    let skin = |mesh: &Mesh, backend: Backend| {
        let view = mesh.view();
        let mut out = [vec![[9.0; 3]; view.positions.len()], vec![[9.0; 3]; view.positions.len()]];
        let [p, n] = &mut out;
        let output = VertexOutput::Separate {
            positions: StridedMut::packed(p),
            normals: Some(StridedMut::packed(n)),
            tangents: None,
        };
        let job = SkinJob::new(mesh.influences(), &m4, Strided::packed(view.positions), output);
        SkinJob { normals: Some(Strided::packed(view.normals)), ..job }.run_on(backend).unwrap();
        out
    };
    for backend in Backend::all() {
        let (source, out) = (skin(&plain, backend), skin(&laid_out, backend));
        for (source, out) in source.iter().zip(&out) {
            let mut back = vec![[7.0; 3]; out.len()];
            for (vertex, was) in out.iter().zip(to.order) {
                back[*was as usize] = *vertex;
            }
            assert_same(&format!("{backend}"), &back, source);
        }
    }
}
