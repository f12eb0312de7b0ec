use lissom::archive::{AlignedBytes, ArchiveError, ArchiveView, Limits, SectionKind, layout};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::{ArchiveWriteError, ArchiveWriter},
    exact::{M34, Trs, V3},
    mesh::{Influences, RawMesh, RawMeshError},
    raw::{RawJoint, RawSkeleton},
    scene::SceneMesh,
};

/// A child that stands before its parent, so that raw and built order differ.
fn built() -> BuiltSkeleton {
    let joint = |name: &str, parent| RawJoint { name: name.into(), parent, rest: Trs::IDENTITY };
    SkeletonBuilder::build(&RawSkeleton { joints: vec![joint("hand", Some(1)), joint("arm", None)] }).unwrap()
}

fn mesh() -> RawMesh {
    let moved = |x: f64| M34 { columns: [V3::X, V3::Y, V3::Z, V3::new(x, 0.0, 0.0)] };
    RawMesh {
        name: "skin".into(),
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, -0.5]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        tangents: vec![[1.0, 0.0, 0.0, -1.0]; 4],
        influences: Influences::from_rows(&[[0, 1, 0, 0, 0]; 4], &[[0.75, 0.25, 0.0, 0.0, 0.0]; 4]),
        indices: vec![0, 1, 2, 2, 1, 3],
        inverse_binds: vec![moved(10.0), moved(11.0)],
        uvs: vec![vec![[0.0, 0.5]; 4], vec![[1.0, 0.25]; 4]],
        colors: vec![vec![[1.0, 0.5, 0.25, 1.0]; 4]],
        order: Vec::new(),
    }
}

fn payload() -> Vec<u8> {
    payload_of(mesh())
}

fn payload_of(mesh: RawMesh) -> Vec<u8> {
    let (source, node, extras) = ("body".into(), "Body".into(), "{}".into());
    let mesh = SceneMesh { mesh, source, node, extras, ..SceneMesh::default() };
    super::payload(|w| w.scene_mesh(&mesh, &built(), "skin"))
}

fn file(payload: Vec<u8>) -> AlignedBytes {
    let writer =
        ArchiveWriter::new().section(SectionKind::Mesh, layout::MESH_VERSION, 0, "skin", payload).unwrap();
    AlignedBytes::copy_of(&writer.finish().unwrap())
}

fn read(bytes: &[u8]) -> Result<(), ArchiveError> {
    ArchiveView::read(bytes, &Limits::default())?.first(SectionKind::Mesh).and_then(|s| s.mesh()).map(drop)
}

#[test]
fn a_mesh_is_read_in_place_with_the_built_joints() {
    let (mesh, built) = (mesh(), built());
    let writer = ArchiveWriter::new().skeleton("body", &built.skeleton).unwrap();
    let bytes = AlignedBytes::copy_of(&writer.mesh(&mesh, &built).unwrap().finish().unwrap());
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let view = archive.mesh("skin").unwrap();
    assert_eq!((view.positions, view.normals), (mesh.positions.as_slice(), mesh.normals.as_slice()));
    assert_eq!((view.tangents, view.weights), (mesh.tangents.as_slice(), mesh.influences.weights.as_slice()));
    assert_eq!(view.indices, mesh.indices);
    // Raw joint 0 is joint 1 of the skeleton; what is not followed stays 0.
    assert_eq!((view.per_vertex, &view.joints[..5]), (5, &[1, 0, 0, 0, 0][..]));
    assert_eq!((view.uv_sets(), view.uv(1)), (2, Some(mesh.uvs[1].as_slice())));
    assert_eq!((view.color_sets(), view.color(0), view.color(1)), (1, Some(mesh.colors[0].as_slice()), None));
    assert_eq!((view.material, view.source, view.node, view.extras), ("", "", "", ""));
    assert_eq!(view.inverse_binds[0].columns[3], [11.0, 0.0, 0.0]);
    let inside = bytes.as_ptr_range();
    assert!(inside.contains(&view.weights.as_ptr().cast()));
    for list in [view.positions.as_ptr().addr(), view.joints.as_ptr().addr(), view.indices.as_ptr().addr()] {
        assert_eq!(list % 64, 0);
    }
    assert!(matches!(archive.sections()[0].mesh(), Err(ArchiveError::Format { .. })));
}

#[test]
fn bytes_that_stand_askew_are_refused_not_misread() {
    let bytes = file(payload());
    let mut askew = vec![0u8; bytes.len() + 8];
    let start = askew.as_ptr().align_offset(4) + 1;
    askew[start..start + bytes.len()].copy_from_slice(&bytes);
    let error = read(&askew[start..start + bytes.len()]).unwrap_err();
    assert!(matches!(error, ArchiveError::Alignment { needed: 4, .. }), "{error}");
}

#[test]
fn every_truncation_and_no_change_of_a_mesh_does_harm_even_with_fitting_checksums() {
    let payload = payload();
    assert_eq!(read(&file(payload.clone())), Ok(()));
    for at in 0..payload.len() {
        assert!(read(&file(payload[..at].to_vec())).is_err(), "{at}");
        for other in [0, 1, 0x7f, 0x80, 0xff] {
            let mut payload = payload.clone();
            payload[at] = other;
            let _ = read(&file(payload));
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let with = |at: usize, value: u32| {
        let mut payload = payload();
        payload[at..at + 4].copy_from_slice(&value.to_le_bytes());
        read(&file(payload)).unwrap_err().to_string()
    };
    // The section is at byte 128; counts, positions, normals, tangents, joints, weights, indices at multiples of 64.
    assert!(with(0, u32::MAX).contains("the positions needs 51539607540 bytes"), "{}", with(0, u32::MAX));
    assert!(with(8, 1).contains("the padding before the texture coordinates"), "{}", with(8, 1));
    assert!(with(12, 0).contains("0 influences a vertex"));
    assert!(with(12, 256).contains("256 influences a vertex; 1 to 255 are possible"));
    assert!(with(16, 256).contains("256 and 1 sets; at most 255 are possible"));
    assert!(with(24, 2).contains("2 and 0 where 0 or 1, and 0, must stand"));
    assert!(with(28, 7).contains("1 and 7 where 0 or 1, and 0, must stand"));
    assert!(with(40, 1).contains("the padding before the positions is not zero"));
    assert!(with(64, f32::NAN.to_bits()).contains("number 0 of the positions is not finite"));
    assert!(with(256, 7).contains("a vertex follows joint 7 of 2"), "{}", with(256, 7));
    assert!(with(448, 4).contains("a triangle has vertex 4 of 4"), "{}", with(448, 4));
    let mut bad = mesh();
    bad.influences.joints[10] = 9;
    let refused = ArchiveWriter::new().mesh(&bad, &built());
    assert!(matches!(refused, Err(ArchiveWriteError::Mesh(RawMeshError::Joint { vertex: 2, .. }))));
}

#[test]
fn meshes_of_versions_that_were_never_released_are_refused_by_number() {
    for version in [1, 2, 5] {
        let writer = ArchiveWriter::new().section(SectionKind::Mesh, version, 0, "skin", payload()).unwrap();
        let bytes = AlignedBytes::copy_of(&writer.finish().unwrap());
        let error = read(&bytes).unwrap_err();
        assert!(matches!(error, ArchiveError::Version { found, known: "3 and 4", .. } if found == version));
    }
}

/// The mesh with its vertices sorted, and what stands in its section.
fn ordered() -> (RawMesh, Vec<u8>) {
    let mesh = RawMesh { order: vec![2, 0, 3, 1], ..mesh() };
    let payload = payload_of(mesh.clone());
    (mesh, payload)
}

fn file_of(version: u16, payload: Vec<u8>) -> AlignedBytes {
    let writer = ArchiveWriter::new().section(SectionKind::Mesh, version, 0, "skin", payload).unwrap();
    AlignedBytes::copy_of(&writer.finish().unwrap())
}

#[test]
fn a_mesh_says_where_its_vertices_stood_and_only_if_they_moved() {
    let (mesh, _) = ordered();
    let written = |mesh: &RawMesh| {
        let writer = ArchiveWriter::new().mesh(mesh, &built()).unwrap();
        AlignedBytes::copy_of(&writer.finish().unwrap())
    };
    let bytes = written(&mesh);
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    assert_eq!(archive.sections()[0].version, layout::MESH_ORDERED_VERSION);
    let view = archive.mesh("skin").unwrap();
    assert_eq!(view.order, mesh.order);
    assert_eq!(RawMesh::from_view("skin", &view).order, mesh.order);
    let bytes = written(&self::mesh());
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    assert_eq!(archive.sections()[0].version, layout::MESH_VERSION);
    assert!(archive.mesh("skin").unwrap().order.is_empty());
    for order in [vec![0, 1, 2], vec![0, 1, 2, 4], vec![0, 1, 1, 2]] {
        let bad = RawMesh { order, ..mesh.clone() };
        let refused = ArchiveWriter::new().mesh(&bad, &built());
        assert!(matches!(
            refused,
            Err(ArchiveWriteError::Mesh(RawMeshError::Order { .. } | RawMeshError::Length { .. }))
        ));
    }
}

#[test]
fn an_order_that_is_none_is_named_and_no_change_of_it_does_harm() {
    let (_, payload) = ordered();
    let version = layout::MESH_ORDERED_VERSION;
    assert_eq!(read(&file_of(version, payload.clone())), Ok(()));
    let order = [2_u32, 0, 3, 1].map(u32::to_le_bytes);
    let at = payload.windows(16).position(|w| w == order.as_flattened()).unwrap();
    assert_eq!(at % 64, 0);
    let with = |at: usize, value: u32| {
        let mut payload = payload.clone();
        payload[at..at + 4].copy_from_slice(&value.to_le_bytes());
        read(&file_of(version, payload)).unwrap_err().to_string()
    };
    assert!(with(at + 4, 4).contains("vertex 1 was vertex 4 of 4"), "{}", with(at + 4, 4));
    assert!(with(at + 4, u32::MAX).contains("of 4"));
    assert!(with(at + 12, 2).contains("the order has vertex 2 twice"), "{}", with(at + 12, 2));
    assert!(with(28, 0).contains("0 or 1, and 1, must stand"), "{}", with(28, 0));
    assert!(with(28, 2).contains("0 or 1, and 1, must stand"));
    // Each version has its own lists.
    assert!(read(&file_of(layout::MESH_VERSION, payload.clone())).is_err());
    assert!(read(&file_of(version, self::payload())).is_err());
    for at in 0..payload.len() {
        assert!(read(&file_of(version, payload[..at].to_vec())).is_err(), "{at}");
        for other in [0, 1, 0x7f, 0x80, 0xff] {
            let mut payload = payload.clone();
            payload[at] = other;
            let _ = read(&file_of(version, payload));
        }
    }
}
