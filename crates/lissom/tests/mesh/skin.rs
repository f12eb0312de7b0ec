//! Skinning, linear and by dual quaternions: the same bits in every layout, on every backend and thread count.
#![allow(clippy::needless_range_loop, reason = "several lists share an index")]

use crate::common::meshes::{TestMesh, palette};
use lissom::{
    job::{DualQuatSkinJob, JobError, SkinJob},
    math::{Mat4, Mat34, simd::Backend},
    mesh::{
        DualQuat, IndexFormat, MeshError, SkinMesh, Strided, StridedMut, VertexOutput, WeightFormat,
        dual_quat_palette, normalize_weights, partition_by_influences,
    },
};
use lissom_testkit::{compare::assert_same, oracle, rng::Rng};

type Out = [Vec<[f32; 3]>; 3];

/// Bytes that no job may touch.
const MARK: u8 = 0xa5;

fn job<'a>(
    mesh: &'a TestMesh,
    palette: &'a [Mat4],
    vectors: Option<&'a [Mat4]>,
    attributes: usize,
    output: VertexOutput<'a>,
) -> SkinJob<'a> {
    SkinJob {
        mesh: mesh.checked(),
        vertex_count: mesh.vertices,
        palette,
        vector_palette: vectors,
        positions: Strided::packed(&mesh.positions),
        normals: (attributes > 1).then(|| Strided::packed(&mesh.normals)),
        tangents: (attributes > 2).then(|| Strided::packed(&mesh.tangents)),
        output,
    }
}

fn separate(out: &mut Out, attributes: usize) -> VertexOutput<'_> {
    let [p, n, t] = out;
    VertexOutput::Separate {
        positions: StridedMut::packed(p),
        normals: (attributes > 1).then(|| StridedMut::packed(n)),
        tangents: (attributes > 2).then(|| StridedMut::packed(t)),
    }
}

fn blank(vertices: usize) -> Out {
    core::array::from_fn(|_| vec![[f32::from_ne_bytes([MARK; 4]); 3]; vertices])
}

fn expected(mesh: &TestMesh, palette: &[Mat34], vectors: Option<&[Mat34]>, attributes: usize) -> Out {
    let checked = mesh.checked();
    let mut out = blank(mesh.vertices);
    for v in 0..mesh.vertices {
        out[0][v] = oracle::skin_vertex(&checked, palette, v, mesh.positions[v], true);
        let vectors = vectors.unwrap_or(palette);
        if attributes > 1 {
            out[1][v] = oracle::skin_vertex(&checked, vectors, v, mesh.normals[v], false);
        }
        if attributes > 2 {
            out[2][v] = oracle::skin_vertex(&checked, vectors, v, mesh.tangents[v], false);
        }
    }
    out
}

#[track_caller]
fn assert_same_out(what: &str, out: &Out, expected: &Out) {
    for (of, (out, expected)) in ["positions", "normals", "tangents"].iter().zip(out.iter().zip(expected)) {
        assert_same(&format!("{what}, {of}"), out, expected);
    }
}

#[test]
fn skinning_equals_the_oracle_on_every_backend_and_layout() {
    let mut random = Rng::new(1);
    for case in 0..120 {
        let influences = [1, 2, 3, 4, 5, 8, 9][case % 7];
        let vertices = random.below(40) + usize::from(case % 3 == 0);
        let joints = 1 + random.below(20);
        let mesh = if case % 2 == 0 {
            TestMesh::fast(&mut random, vertices, influences, joints)
        } else {
            TestMesh::random(&mut random, vertices, influences, joints)
        };
        let (m, m4) = palette(&mut random, joints);
        let (n, n4) = palette(&mut random, joints);
        let attributes = 1 + random.below(3);
        let with_vectors = attributes > 1 && random.below(2) == 0;
        let expected = expected(&mesh, &m, with_vectors.then_some(&n[..]), attributes);
        for backend in Backend::all() {
            let mut out = blank(vertices);
            let vectors = with_vectors.then_some(&n4[..]);
            job(&mesh, &m4, vectors, attributes, separate(&mut out, attributes)).run_on(backend).unwrap();
            assert_same_out(&format!("{backend}, case {case}"), &out, &expected);
        }
    }
}

#[test]
fn strides_and_interleaving_change_nothing_but_the_place() {
    let mut random = Rng::new(2);
    let mesh = TestMesh::random(&mut random, 37, 4, 9);
    let (m, m4) = palette(&mut random, 9);
    let expected = expected(&mesh, &m, None, 3);
    for stride in [36, 37, 48, 64] {
        // Input interleaved as normal, position, tangent, at an odd address.
        let mut input = vec![0u8; 1 + mesh.vertices * stride];
        for v in 0..mesh.vertices {
            for (k, data) in [&mesh.normals, &mesh.positions, &mesh.tangents].into_iter().enumerate() {
                let at = 1 + v * stride + k * 12;
                input[at..at + 12].copy_from_slice(bytemuck_bytes(&data[v]));
            }
        }
        let at = |offset: usize| Strided { bytes: &input[1 + offset..], stride };
        for backend in Backend::all() {
            // The last vertex may end with its last attribute.
            let mut bytes = vec![MARK; (mesh.vertices - 1) * stride + 36];
            SkinJob {
                mesh: mesh.checked(),
                vertex_count: mesh.vertices,
                palette: &m4,
                vector_palette: None,
                positions: at(12),
                normals: Some(at(0)),
                tangents: Some(at(24)),
                output: VertexOutput::Interleaved {
                    bytes: &mut bytes,
                    stride,
                    positions: 0,
                    normals: Some(12),
                    tangents: Some(24),
                },
            }
            .run_on(backend)
            .unwrap();
            for v in 0..mesh.vertices {
                for k in 0..3 {
                    let b = &bytes[v * stride + k * 12..][..12];
                    assert_eq!(b, bytemuck_bytes(&expected[k][v]), "{backend}, stride {stride}");
                }
                let rest = &bytes[v * stride + 36..(v * stride + stride).min(bytes.len())];
                assert!(rest.iter().all(|b| *b == MARK), "bytes between vertices were written");
            }
        }
    }
}

fn bytemuck_bytes(v: &[f32; 3]) -> &[u8] {
    // Tests hold little memory: leak nothing, copy nothing.
    bytemuck::cast_slice(v)
}

#[test]
fn nothing_past_the_vertex_count_is_written() {
    let mut random = Rng::new(3);
    for influences in [1, 4, 5] {
        let mesh = TestMesh::fast(&mut random, 30, influences, 5);
        let (m, m4) = palette(&mut random, 5);
        let expected = expected(&mesh, &m, None, 3);
        for count in 0..=30 {
            let mut out = blank(30);
            let mut job = job(&mesh, &m4, None, 3, separate(&mut out, 3));
            job.vertex_count = count;
            job.run().unwrap();
            for k in 0..3 {
                assert_same(&format!("{count} vertices"), &out[k][..count], &expected[k][..count]);
                assert!(bytemuck::cast_slice::<_, u8>(&out[k][count..]).iter().all(|b| *b == MARK));
            }
        }
    }
}

/// Runs the parts of a job on threads of their own.
fn on_threads(job: SkinJob<'_>, threads: usize, backend: Backend) {
    std::thread::scope(|scope| {
        let each = job.vertex_count.div_ceil(threads);
        let mut rest = job;
        for _ in 1..threads {
            let (mut first, second) = rest.split_at(each);
            scope.spawn(move || first.run_on(backend).unwrap());
            rest = second;
        }
        rest.run_on(backend).unwrap();
    });
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut random = Rng::new(4);
    for (case, influences) in [1, 3, 4, 6].into_iter().enumerate() {
        let mesh = TestMesh::random(&mut random, 1001, influences, 12);
        let (_, m4) = palette(&mut random, 12);
        let mut one = blank(1001);
        job(&mesh, &m4, None, 3, separate(&mut one, 3)).run().unwrap();
        for threads in [1, 2, 3, 8] {
            for backend in Backend::all() {
                let mut out = blank(1001);
                on_threads(job(&mesh, &m4, None, 3, separate(&mut out, 3)), threads, backend);
                assert_same_out(&format!("case {case}, {threads} threads, {backend}"), &out, &one);
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut apart, mut woven) = (blank(1001), vec![[[0.0_f32; 3]; 3]; 1001]);
            let interleaved = VertexOutput::Interleaved {
                bytes: bytemuck::cast_slice_mut(&mut woven),
                stride: 36,
                positions: 0,
                normals: Some(12),
                tangents: Some(24),
            };
            for output in [separate(&mut apart, 3), interleaved] {
                let mut job = job(&mesh, &m4, None, 3, output);
                // A job that has run can run again.
                for _ in 0..2 {
                    pool.install(|| job.run_parallel(Backend::best(), 64)).unwrap();
                }
            }
            assert_same_out(&format!("case {case}, {threads} pool threads"), &apart, &one);
            let woven = core::array::from_fn(|k| woven.iter().map(|vertex| vertex[k]).collect());
            assert_same_out(&format!("case {case}, {threads} pool threads, interleaved"), &woven, &one);
        }
    }
}

#[test]
fn dual_quaternions_equal_the_oracle_on_every_backend_and_thread_count() {
    let mut random = Rng::new(5);
    for case in 0..40 {
        let vertices = random.below(60);
        let mesh = TestMesh::random(&mut random, vertices, 1 + case % 6, 7);
        let m4: Vec<_> = (0..7).map(|_| random.rigid().to_mat34().to_mat4()).collect();
        let mut dq = vec![DualQuat::IDENTITY; 7];
        dual_quat_palette(&m4, &mut dq);
        let checked = mesh.checked();
        let mut expected = blank(vertices);
        for v in 0..vertices {
            expected[0][v] = oracle::dual_quat_vertex(&checked, &dq, v, mesh.positions[v], true);
            expected[1][v] = oracle::dual_quat_vertex(&checked, &dq, v, mesh.normals[v], false);
            expected[2][v] = oracle::dual_quat_vertex(&checked, &dq, v, mesh.tangents[v], false);
        }
        for backend in Backend::all() {
            for threads in [1, 2, 3, 8] {
                let mut out = blank(vertices);
                let mut job = DualQuatSkinJob {
                    mesh: checked,
                    vertex_count: vertices,
                    palette: &dq,
                    positions: Strided::packed(&mesh.positions),
                    normals: Some(Strided::packed(&mesh.normals)),
                    tangents: Some(Strided::packed(&mesh.tangents)),
                    output: separate(&mut out, 3),
                };
                for _ in 1..threads {
                    let (mut first, second) = job.split_at(vertices.div_ceil(threads));
                    first.run_on(backend).unwrap();
                    job = second;
                }
                job.run_on(backend).unwrap();
                assert_same_out(&format!("{backend}, case {case}"), &out, &expected);
            }
        }
    }
}

/// Skinning in f64, from the same f32 inputs.
fn exact_position(mesh: &SkinMesh<'_>, palette: &[Mat34], v: usize, p: [f32; 3]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for i in 0..mesh.influences() {
        let m = &palette[mesh.joint(v, i)];
        let w = f64::from(mesh.weight(v, i));
        for r in 0..3 {
            let mut moved = f64::from(m.columns[3][r]);
            for c in 0..3 {
                moved += f64::from(m.columns[c][r]) * f64::from(p[c]);
            }
            out[r] += w * moved;
        }
    }
    out
}

#[test]
fn every_path_meets_the_exact_positions() {
    let mut random = Rng::new(6);
    for influences in [1, 2, 3, 4, 5, 8, 12] {
        for explicit in [false, true] {
            for index in [IndexFormat::U8, IndexFormat::U16] {
                for weight in [WeightFormat::F32, WeightFormat::Unorm8, WeightFormat::Unorm16] {
                    let mesh = TestMesh::new(&mut random, 50, influences, 11, index, weight, explicit, 0);
                    let (m, m4) = palette(&mut random, 11);
                    let mut out = blank(50);
                    job(&mesh, &m4, None, 1, separate(&mut out, 1)).run().unwrap();
                    for v in 0..50 {
                        let exact = exact_position(&mesh.checked(), &m, v, mesh.positions[v]);
                        for k in 0..3 {
                            // Positions are in a cube of size 2 that joints move by half a unit and scale.
                            let error = (f64::from(out[0][v][k]) - exact[k]).abs();
                            assert!(error < 1e-5, "{error} with {influences} influences");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn one_job_a_part_equals_the_whole() {
    let mut random = Rng::new(7);
    let mut mesh = TestMesh::fast(&mut random, 200, 4, 9);
    // Take influences away from some vertices.
    for v in 0..200 {
        for i in 0..3 {
            if v % 4 > i {
                mesh.weights[v * 12 + i * 4..][..4].copy_from_slice(&0.0_f32.to_ne_bytes());
            }
        }
    }
    let (_, m4) = palette(&mut random, 9);
    let mut whole = blank(200);
    job(&mesh, &m4, None, 1, separate(&mut whole, 1)).run().unwrap();
    let parts = partition_by_influences(&mesh.checked());
    assert!(parts.len() > 1 && parts.iter().map(|p| p.vertices.len()).sum::<usize>() == 200);
    for part in &parts {
        let positions: Vec<[f32; 3]> = part.vertices.iter().map(|v| mesh.positions[*v as usize]).collect();
        let mut out = vec![[0.0_f32; 3]; positions.len()];
        SkinJob {
            mesh: part.mesh().unwrap(),
            vertex_count: positions.len(),
            palette: &m4,
            vector_palette: None,
            positions: Strided::packed(&positions),
            normals: None,
            tangents: None,
            output: VertexOutput::Separate {
                positions: StridedMut::packed(&mut out),
                normals: None,
                tangents: None,
            },
        }
        .run()
        .unwrap();
        for (v, p) in part.vertices.iter().zip(&out) {
            for k in 0..3 {
                assert!((p[k] - whole[0][*v as usize][k]).abs() < 2e-6);
            }
        }
    }
}

#[test]
fn bad_meshes_are_refused_once_by_vertex() {
    let mut random = Rng::new(8);
    let good = TestMesh::fast(&mut random, 10, 4, 6);
    assert!(good.try_checked().is_ok());

    let mut bad = good.clone();
    bad.indices[3 * 8 + 2..3 * 8 + 4].copy_from_slice(&6_u16.to_ne_bytes());
    assert_eq!(
        bad.try_checked().unwrap_err(),
        MeshError::VertexJoint { vertex: 3, influence: 1, joint: 6, joints: 6 }
    );
    for weight in [f32::NAN, -0.5, f32::INFINITY, 1.5] {
        let mut bad = good.clone();
        bad.weights[12 * 7..12 * 7 + 4].copy_from_slice(&weight.to_ne_bytes());
        assert!(
            matches!(bad.try_checked().unwrap_err(), MeshError::VertexWeights { vertex: 7, .. }),
            "{weight}"
        );
    }
    let mut bad = good.clone();
    bad.influences = 0;
    assert_eq!(bad.try_checked().unwrap_err(), MeshError::Influences { influences: 0, max: 255 });
    bad.influences = 256;
    assert_eq!(bad.try_checked().unwrap_err(), MeshError::Influences { influences: 256, max: 255 });
    let mut bad = good.clone();
    bad.indices.pop();
    assert_eq!(
        bad.try_checked().unwrap_err(),
        MeshError::TooShort { field: "indices", unit: "bytes", len: 79, needed: 80 }
    );
    let mut bad = good.clone();
    bad.weight_stride = 11;
    assert_eq!(
        bad.try_checked().unwrap_err(),
        MeshError::Stride { field: "weights", stride: 11, element: 12 }
    );
    let mut bad = good.clone();
    bad.vertices = usize::MAX;
    assert!(matches!(bad.try_checked().unwrap_err(), MeshError::TooShort { field: "indices", .. }));
}

#[test]
fn weights_are_normalised_in_place() {
    let weights = [0.5_f32, 0.5, 1.0, 0.0, -1.0, f32::NAN, 0.0, 0.0, 0.0];
    let mut bytes: Vec<u8> = weights.iter().flat_map(|w| w.to_ne_bytes()).collect();
    normalize_weights(&mut bytes, 12, WeightFormat::F32, 3, 3).unwrap();
    let out: &[f32] = bytemuck::cast_slice(&bytes);
    assert_eq!(out, [0.25, 0.25, 0.5, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let mut bytes = [100, 100, 100, 7, 0, 0];
    normalize_weights(&mut bytes, 3, WeightFormat::Unorm8, 3, 2).unwrap();
    assert_eq!(bytes, [85, 85, 85, 255, 0, 0]);
    let mut bytes: Vec<u8> = [1_u16, 1, 1].iter().flat_map(|w| w.to_ne_bytes()).collect();
    normalize_weights(&mut bytes, 6, WeightFormat::Unorm16, 3, 1).unwrap();
    assert_eq!(bytemuck::cast_slice::<u8, u16>(&bytes).iter().map(|w| u32::from(*w)).sum::<u32>(), 65535);
    assert!(normalize_weights(&mut bytes, 6, WeightFormat::Unorm16, 3, 2).is_err());
    assert!(normalize_weights(&mut bytes, 6, WeightFormat::Unorm16, 0, 1).is_err());
}

/// A vertex that hangs on one joint alone goes where the joint's matrix takes it, to the last bit, whatever its
/// weights are stored as.
#[test]
fn full_unorm_weights_are_one() {
    let mut random = Rng::new(77);
    let (matrices, palette) = palette(&mut random, 5);
    for format in [WeightFormat::F32, WeightFormat::Unorm8, WeightFormat::Unorm16] {
        let mut mesh = TestMesh::new(&mut random, 40, 2, 5, IndexFormat::U16, format, true, 0);
        let (full, none): (&[u8], &[u8]) = match format {
            WeightFormat::F32 => (&1.0_f32.to_ne_bytes(), &[0; 4]),
            WeightFormat::Unorm8 => (&[255], &[0]),
            WeightFormat::Unorm16 => (&[255; 2], &[0; 2]),
        };
        mesh.weights = [full, none].concat().repeat(mesh.vertices);
        let checked = mesh.checked();
        assert!((0..mesh.vertices).all(|v| checked.weight(v, 0) == 1.0 && checked.weight(v, 1) == 0.0));
        let mut out = blank(mesh.vertices);
        job(&mesh, &palette, None, 1, separate(&mut out, 1)).run().unwrap();
        for (v, position) in mesh.positions.iter().enumerate() {
            let joint = checked.joint(v, 0);
            assert_eq!(out[0][v], matrices[joint].mul_point(*position), "{format:?}, vertex {v}");
        }
    }
}

#[test]
fn bad_jobs_are_named_and_leave_the_output_alone() {
    let mut random = Rng::new(9);
    let mesh = TestMesh::fast(&mut random, 10, 4, 6);
    let (_, m4) = palette(&mut random, 6);
    let mut out = blank(10);
    let mut fail = |change: &dyn Fn(&mut SkinJob<'_>)| {
        let mut job = job(&mesh, &m4, None, 3, separate(&mut out, 3));
        change(&mut job);
        let error = job.run().unwrap_err();
        assert!(bytemuck::cast_slice::<_, u8>(&out[0]).iter().all(|b| *b == MARK));
        error
    };
    let short = |field, unit, len, needed| JobError::TooShort { field, unit, len, needed };
    let buffer =
        |field, len, needed| JobError::Mesh(MeshError::TooShort { field, unit: "bytes", len, needed });
    assert_eq!(fail(&|j| j.palette = &j.palette[..5]), short("palette", "matrices", 5, 6));
    assert_eq!(
        fail(&|j| j.vector_palette = Some(&j.palette[..2])),
        short("vector_palette", "matrices", 2, 6)
    );
    assert_eq!(
        fail(&|j| j.vertex_count = 11),
        JobError::Mismatch { field: "mesh", unit: "vertices", found: 10, expected: 11 }
    );
    assert_eq!(fail(&|j| j.positions.bytes = &j.positions.bytes[1..]), buffer("positions", 119, 120));
    assert_eq!(
        fail(&|j| j.positions.stride = 11),
        JobError::Mesh(MeshError::Stride { field: "positions", stride: 11, element: 12 })
    );
    assert_eq!(fail(&|j| j.normals = None), JobError::Mesh(MeshError::TangentsWithoutNormals));
    assert_eq!(
        fail(&|j| j.tangents = None),
        JobError::Mesh(MeshError::Unpaired { present: "output.tangents", missing: "tangents" })
    );
    assert_eq!(
        fail(&|j| {
            if let VertexOutput::Separate { normals, .. } = &mut j.output {
                *normals = None;
            }
        }),
        JobError::Mesh(MeshError::Unpaired { present: "normals", missing: "output.normals" })
    );
    assert_eq!(
        fail(&|j| {
            if let VertexOutput::Separate { positions, .. } = &mut j.output {
                positions.stride = 13;
            }
        }),
        buffer("output.positions", 120, 9 * 13 + 12)
    );
    let mut bytes = vec![MARK; 400];
    let output = VertexOutput::Interleaved {
        bytes: &mut bytes,
        stride: 40,
        positions: 0,
        normals: Some(8),
        tangents: None,
    };
    let error = job(&mesh, &m4, None, 2, output).run().unwrap_err();
    assert_eq!(
        error,
        JobError::Mesh(MeshError::Interleave { field: "output.normals", offset: 8, end: 20, stride: 40 })
    );
    assert!(bytes.iter().all(|b| *b == MARK));
}
