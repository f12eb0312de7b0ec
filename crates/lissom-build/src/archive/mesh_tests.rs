use super::*;
use crate::{
    SkeletonBuilder,
    exact::{M34, Trs, V3},
    raw::{RawJoint, RawSkeleton},
};
use lissom::archive::{AlignedBytes, ArchiveError, ArchiveView, Limits};

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
        joints: vec![[0, 1, 0, 0]; 4],
        weights: vec![[0.75, 0.25, 0.0, 0.0]; 4],
        indices: vec![0, 1, 2, 2, 1, 3],
        inverse_binds: vec![moved(10.0), moved(11.0)],
    }
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
    assert_eq!((view.tangents, view.weights), (mesh.tangents.as_slice(), mesh.weights.as_slice()));
    assert_eq!(view.indices, mesh.indices);
    // Raw joint 0 is joint 1 of the skeleton.
    assert_eq!(view.joints[0], [1, 0, 1, 1]);
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
    let bytes = file(payload::mesh(&mesh(), &built()));
    let mut askew = vec![0u8; bytes.len() + 8];
    let start = askew.as_ptr().align_offset(4) + 1;
    askew[start..start + bytes.len()].copy_from_slice(&bytes);
    let error = read(&askew[start..start + bytes.len()]).unwrap_err();
    assert!(matches!(error, ArchiveError::Alignment { needed: 4, .. }), "{error}");
}

#[test]
fn every_truncation_and_no_change_of_a_mesh_does_harm_even_with_fitting_checksums() {
    let payload = payload::mesh(&mesh(), &built());
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
        let mut payload = payload::mesh(&mesh(), &built());
        payload[at..at + 4].copy_from_slice(&value.to_le_bytes());
        read(&file(payload)).unwrap_err().to_string()
    };
    // The section is at byte 128; counts, positions, normals, tangents, joints, weights, indices at multiples of 64.
    assert!(with(0, u32::MAX).contains("the positions needs 51539607540 bytes"), "{}", with(0, u32::MAX));
    assert!(with(8, 1).contains("end at"), "{}", with(8, 1));
    assert!(with(12, 1).contains("the padding before the skeleton's identity is not zero"));
    assert!(with(24, 1).contains("the padding before the positions is not zero"));
    assert!(with(64, f32::NAN.to_bits()).contains("number 0 of the positions is not finite"));
    assert!(with(256, 7).contains("a vertex follows joint 7 of 2"), "{}", with(256, 7));
    assert!(with(384, 4).contains("a triangle has vertex 4 of 4"), "{}", with(384, 4));
    let mut bad = mesh();
    bad.joints[2] = [9, 0, 0, 0];
    let refused = ArchiveWriter::new().mesh(&bad, &built());
    assert!(matches!(refused, Err(ArchiveWriteError::Mesh(RawMeshError::Joint { vertex: 2, .. }))));
}

#[test]
fn a_mesh_of_version_1_is_refused_by_number() {
    let payload = payload::mesh(&mesh(), &built());
    let write = |version| {
        let writer = ArchiveWriter::new().section(SectionKind::Mesh, version, 0, "skin", payload.clone());
        AlignedBytes::copy_of(&writer.unwrap().finish().unwrap())
    };
    assert!(read(&write(2)).is_ok());
    assert!(matches!(read(&write(1)), Err(ArchiveError::Version { found: 1, known: "2", .. })));
    assert!(matches!(read(&write(3)), Err(ArchiveError::Version { found: 3, .. })));
}
