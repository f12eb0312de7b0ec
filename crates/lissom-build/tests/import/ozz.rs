//! Archives written by the test kit's small writer, in both byte orders.

use lissom_build::{
    exact::{M34, Q4, V3},
    import::{
        ImportError, Place,
        ozz::{OzzArchive, OzzMesh, read},
    },
    mesh::{RawMesh, RawMeshError},
    raw::{Channel, Key, TrackKind},
};
use lissom_testkit::ozz::{Writer, archives};

fn everything(big: bool) -> OzzArchive {
    let all = archives(big);
    let mut bytes = vec![u8::from(!big)];
    all.iter().for_each(|a| bytes.extend(&a[1..]));
    read(&bytes).unwrap()
}

#[test]
fn both_byte_orders_give_the_same_objects() {
    let (little, big) = (everything(false), everything(true));
    assert!(big.big_endian && !little.big_endian);
    assert_eq!(little.objects, big.objects);
    assert_eq!(little.objects.len(), 10);
}

#[test]
fn a_skeleton_keeps_its_order_and_its_names() {
    let archive = everything(true);
    let s = archive.skeletons().next().unwrap();
    let names: Vec<_> = s.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["hips", "leg", "", "arm", "h\u{fffd}d"]);
    let parents: Vec<_> = s.joints.iter().map(|j| j.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(0), Some(2), Some(3)]);
    let xs: Vec<_> = s.joints.iter().map(|j| j.rest.translation.x).collect();
    assert_eq!(xs, [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(s.joints[4].rest.rotation, Q4::IDENTITY);
}

#[test]
fn an_animation_comes_out_as_the_keys_it_holds() {
    let archive = everything(false);
    // The second has 16-bit timepoints.
    for (a, middle) in archive.animations().zip([1.0, 2.0 * f64::from(150.0f32 / 299.0)]) {
        assert_eq!((a.name.as_str(), a.duration_s, a.tracks.len()), ("turn", 2.0, 2));
        let key = |time_s, x| Key { time_s, value: V3::new(x, 0.0, 0.5) };
        assert_eq!(a.tracks[0].translation.keys, [key(0.0, 2.0), key(middle, 4.0), key(2.0, -6.0)]);
        assert_eq!(a.tracks[1].translation.keys, [key(0.0, 0.0), key(2.0, 0.0)]);
        assert_eq!(a.tracks[0].scale.keys.len(), 2);
        let turned = a.tracks[1].rotation.sample(1.0).unwrap().near(Q4::IDENTITY);
        // Zero is not among the 15-bit values: the nearest is 2.2e-5 away.
        assert!((turned.y.abs() - 0.5f64.sqrt()).abs() < 1e-4 && (turned.w - 0.5f64.sqrt()).abs() < 1e-4);
        let q = a.tracks[1].rotation.keys[0].value;
        assert!((q.dot(q) - 1.0).abs() < 1e-12 && q.w < 0.0);
    }
    let raw = archive.animations().nth(2).unwrap();
    assert_eq!((raw.name.as_str(), raw.duration_s, raw.tracks.len()), ("raw", 1.5, 2));
    let keys = &raw.tracks[0].translation.keys;
    assert_eq!((keys[1].time_s, keys[1].value), (1.5, V3::new(4.0, 5.0, 6.0)));
    assert_eq!(raw.tracks[0].rotation.keys[0].time_s, 0.5);
    assert_eq!(raw.tracks[1].translation, Channel::default());
}

#[test]
fn tracks_and_meshes_come_out_whole() {
    let archive = everything(true);
    let kinds: Vec<_> = archive.tracks().map(|t| t.kind).collect();
    use TrackKind as K;
    assert_eq!(kinds, [K::Float, K::Float2, K::Float3, K::Float4, K::Quat]);
    let t = archive.tracks().nth(1).unwrap();
    assert_eq!((t.name.as_str(), t.keys.len()), ("tr", 9));
    assert_eq!((t.keys[4].ratio, t.keys[4].value), (0.5, [9.0, 10.0, 0.0, 0.0]));
    let steps: Vec<_> = t.keys.iter().map(|k| k.step).collect();
    assert_eq!(steps, [false, true, false, false, false, false, false, false, true]);

    let m = archive.meshes().next().unwrap();
    assert_eq!((m.parts.len(), m.vertex_count(), m.joints.as_slice()), (2, 6, &[4, 0][..]));
    assert_eq!((m.parts[1].influences, m.parts[1].joint_weights.len()), (2, 3));
    assert_eq!(m.inverse_binds[1].columns[3], V3::new(5.0, 0.0, 0.0));
}

/// The mesh of the archive, on its skeleton.
fn raw_mesh(change: impl FnOnce(&mut OzzMesh)) -> Result<RawMesh, RawMeshError> {
    let archive = everything(false);
    let mut mesh = archive.meshes().next().unwrap().clone();
    change(&mut mesh);
    mesh.to_raw(archive.skeletons().next().unwrap())
}

#[test]
fn a_mesh_follows_the_joints_of_its_skeleton() {
    let mesh = raw_mesh(|_| {}).unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangle_count()), (6, 2));
    // Mesh joint 0 is joint 4 of the skeleton, mesh joint 1 is joint 0.
    let of = |vertex: usize| mesh.influences.of(vertex).collect::<Vec<_>>();
    assert_eq!((of(0), of(1)), (vec![(4, 1.0), (0, 0.0)], vec![(0, 1.0), (0, 0.0)]));
    assert_eq!(of(3), [(4, 0.75), (0, 0.25)]);
    assert_eq!(mesh.inverse_binds[0].columns[3], V3::new(5.0, 0.0, 0.0));
    assert_eq!(mesh.inverse_binds[4].columns[3], V3::ZERO);
    // Joints that no vertex follows: the inverse of the rest pose.
    assert_eq!(mesh.inverse_binds[1].columns[3], V3::new(-1.0, 0.0, 0.0));
    let third = (1.0f32 / 3.0).sqrt();
    assert!(mesh.tangents[0][..3].iter().all(|v| (v - third).abs() < 1e-6) && mesh.tangents[0][3] == 1.0);
}

#[test]
fn what_a_mesh_lacks_is_computed_and_all_influences_stay() {
    let mesh = raw_mesh(|m| {
        m.parts[0].normals.clear();
        m.parts[1].normals[1] = [0.0; 3];
        m.parts[0].tangents.clear();
        let part = &mut m.parts[1];
        part.influences = 6;
        part.joint_indices = [0, 1, 2, 3, 4, 4].repeat(3);
        part.joint_weights = [0.3, 0.05, 0.2, 0.1, 0.1].repeat(3);
        m.joints = vec![0, 1, 2, 3, 4];
        m.inverse_binds = vec![M34::IDENTITY; 5];
    })
    .unwrap();
    assert_eq!(mesh.normals, [[0.0, 0.0, 1.0]; 6]);
    assert_eq!(mesh.tangents[0], [1.0, 0.0, 0.0, 1.0]);
    // Joint 4 has 0.1 and what is missing to 1.
    let (joints, weights): (Vec<u16>, Vec<f32>) = mesh.influences.of(3).unzip();
    assert_eq!(joints, [4, 0, 2, 3, 1]);
    let expected = [0.35, 0.3, 0.2, 0.1, 0.05];
    assert!(weights.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-6));
}

#[test]
fn a_mesh_without_skin_stands_in_the_rest_pose_and_a_joint_that_is_missing_is_named() {
    let mesh = raw_mesh(|m| {
        for part in &mut m.parts {
            (part.influences, part.joint_indices, part.joint_weights) = (0, Vec::new(), Vec::new());
        }
        (m.joints, m.inverse_binds) = (Vec::new(), Vec::new());
    })
    .unwrap();
    assert_eq!(mesh.influences.of(5).collect::<Vec<_>>(), [(0, 1.0)]);
    let error = raw_mesh(|m| m.joints[1] = 5).unwrap_err();
    assert_eq!(error, RawMeshError::Joint { vertex: 0, joint: 5, joints: 5 });
    assert_eq!(raw_mesh(|m| m.triangles.clear()), Err(RawMeshError::Empty));
}

#[test]
fn every_truncation_is_an_error_with_a_place() {
    for big in [false, true] {
        // The last archive holds five objects: cut between them it is a shorter archive, so leave it out.
        for archive in &archives(big)[..5] {
            for length in 0..archive.len() {
                let error = read(&archive[..length]).unwrap_err();
                let Place::Byte(at) = *error.place() else { panic!("{error}") };
                assert!(at <= length as u64, "{error}");
            }
        }
        let mut one_track = archives(big).pop().unwrap();
        one_track.truncate(1 + 16 + 4 + 8 + 9 * 8 + 2 + 2);
        assert_eq!(read(&one_track).unwrap().objects.len(), 1);
        for length in 0..one_track.len() {
            read(&one_track[..length]).unwrap_err();
        }
    }
}

#[test]
fn no_single_byte_can_do_harm() {
    let mut read_fine = 0;
    for big in [false, true] {
        for mut archive in archives(big) {
            for at in 0..archive.len() {
                let was = archive[at];
                // Every value in the small archives; one bit at a time where the bytes are the same again.
                let all = !big && archive.len() < 1000;
                for other in (0..=255u8).filter(|v| if all { *v != was } else { (v ^ was).is_power_of_two() })
                {
                    archive[at] = other;
                    read_fine += usize::from(read(&archive).is_ok());
                }
                archive[at] = was;
            }
        }
    }
    // Names and values have no checksum: such archives read, with other names and values.
    assert!(read_fine > 0);
}

#[test]
fn counts_beyond_the_file_are_refused_before_anything_is_reserved() {
    for (tag, version, numbers) in [
        ("ozz-skeleton", 2, vec![u32::MAX, 0]),
        ("ozz-skeleton", 2, vec![1, u32::MAX]),
        ("ozz-animation", 7, [vec![0x3f80_0000, u32::MAX, 0, 0], vec![0; 9]].concat()),
        ("ozz-animation", 7, [vec![0x3f80_0000, 0, u32::MAX, 0], vec![0; 9]].concat()),
        ("ozz-animation", 7, [vec![0x3f80_0000, 0, 0, u32::MAX], vec![0; 9]].concat()),
        ("ozz-animation", 7, [vec![0x3f80_0000, 0, 0, 0, u32::MAX], vec![0; 8]].concat()),
        ("ozz-animation", 7, [vec![0x3f80_0000, 0, 0, 0, 0, 0, 0, u32::MAX], vec![0; 5]].concat()),
        ("ozz-raw_animation", 3, vec![0x3f80_0000, u32::MAX]),
        ("ozz-raw_animation", 3, vec![0x3f80_0000, 1, 1, u32::MAX, 1]),
        ("ozz-float_track", 1, vec![u32::MAX, 0]),
        ("ozz-quat_track", 1, vec![0, u32::MAX]),
        ("ozz-sample-Mesh", 1, vec![u32::MAX]),
        ("ozz-sample-Mesh", 1, vec![1, 1, u32::MAX]),
    ] {
        let mut w = Writer::new(false);
        w.object(tag, version);
        w.u32s(&numbers);
        let error = read(&w.bytes).unwrap_err();
        let refused = matches!(error, ImportError::Truncated { .. })
            || error.to_string().contains("0 keys are not enough for 4294967295 tracks");
        assert!(refused, "{tag} {numbers:?}: {error}");
    }
}

#[test]
fn what_is_not_known_is_named() {
    let mut w = Writer::new(false);
    w.object("ozz-skeleton", 1);
    let what = "ozz-skeleton".to_owned();
    let expected = ImportError::Version { place: Place::Byte(14), what, found: 1, known: "2" };
    assert_eq!(read(&w.bytes).unwrap_err(), expected);
    let mut w = Writer::new(true);
    w.object("ozz-spline", 1);
    assert_eq!(
        read(&w.bytes).unwrap_err().to_string(),
        "byte 1: an object with the tag \"ozz-spline\" is not known"
    );
    for not in [&b""[..], b"\x01", b"\x02ozz-skeleton\0", b"glTF\x02\0\0\0", b"\x01OZZ-"] {
        assert!(matches!(read(not), Err(ImportError::NotThisFormat { .. })));
    }
}
