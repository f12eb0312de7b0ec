//! NumPy archives of SMPL bodies.

use lissom_build::{
    exact::{Trs, V3, smaller},
    import::{Format, ImportError, ImportLimits, npz},
    mesh::model_matrices,
    scene::Scene,
};
use lissom_testkit::npz::{Writer, array, nodding};

fn read(writer: &Writer) -> Result<Scene, ImportError> {
    npz::read(&writer.finish(), &ImportLimits::default())
}

/// Where the joints are at a time.
fn places(scene: &Scene, time_s: f64) -> Vec<V3> {
    let skeleton = &scene.skeletons[0].skeleton;
    let pose = scene.animations[0].motion.pose(skeleton, time_s);
    model_matrices(skeleton, &pose).iter().map(|m| m.mul_point(V3::ZERO)).collect()
}

fn joint(scene: &Scene, name: &str) -> usize {
    scene.skeletons[0].skeleton.joints.iter().position(|j| j.name == name).unwrap()
}

#[test]
fn amass_bodies_stand_upright_and_walk_along_z() {
    for joints in [22, 24, 52, 55] {
        let writer = nodding(joints);
        assert_eq!(Format::of_bytes(&writer.finish()), Some(Format::Npz));
        let scene = read(&writer).unwrap();
        assert_eq!(scene.skeletons[0].skeleton.joints.len(), joints);
        assert_eq!(scene.skeletons[0].skeleton.validate(), Ok(()));
        assert_eq!(scene.animations[0].motion.duration_s, 1.0);
        let rest: Vec<Trs> = scene.skeletons[0].skeleton.joints.iter().map(|j| j.rest).collect();
        let stands = model_matrices(&scene.skeletons[0].skeleton, &rest);
        let lowest = stands.iter().map(|m| m.columns[3].y).fold(f64::MAX, smaller);
        assert!(lowest.abs() < 1e-12, "at rest it stands on the ground");
        let (start, end) = (places(&scene, 0.0), places(&scene, 1.0));
        let (pelvis, head, foot) = (0, joint(&scene, "head"), joint(&scene, "left_foot"));
        // z is up in the file: 0.9 m, less what the pelvis is below the origin of the model.
        assert!((start[pelvis] - V3::new(0.0, 0.92, 0.23)).length() < 1e-9, "{:?}", start[pelvis]);
        assert!(start[head].y > start[pelvis].y + 0.5 && start[foot].y < start[pelvis].y - 0.8);
        // -1 m along y is 1 m along z.
        assert!((end[pelvis] - start[pelvis] - V3::new(0.0, 0.0, 1.0)).length() < 1e-9);
    }
}

#[test]
fn axis_and_angle_two_columns_and_a_matrix_are_the_same_rotation() {
    let (sin, cos) = (libm::sinf(0.5), libm::cosf(0.5));
    // About x by half a radian.
    let ways: [(&str, Vec<f32>, &[usize]); 3] = [
        ("poses", vec![0.5, 0.0, 0.0], &[3]),
        ("rot6d", vec![1.0, 0.0, 0.0, 0.0, cos, sin], &[6]),
        ("rotations", vec![1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos], &[3, 3]),
    ];
    let mut found = Vec::new();
    for (name, one, last) in ways {
        for flat in [false, true] {
            if flat && last.len() > 1 {
                continue;
            }
            let mut w = Writer::default();
            let shape = if flat { vec![2, 22 * one.len()] } else { [&[2, 22], last].concat() };
            w.floats(name, &shape, &one.repeat(44));
            w.floats("fps", &[], &[20.0]);
            let scene = read(&w).unwrap();
            let q = scene.animations[0].motion.tracks[5].rotation.keys[1].value;
            assert!(
                (q.x - libm::sin(0.25)).abs() < 1e-7 && (q.w - libm::cos(0.25)).abs() < 1e-7,
                "{name}: {q:?}"
            );
            assert_eq!(scene.animations[0].motion.duration_s, 1.0 / 20.0);
            found.push(places(&scene, 0.0));
        }
    }
    assert_eq!(found.len(), 5);
    // y is up: the pelvis says so.
    assert!(found.iter().flatten().zip(found[0].iter().cycle()).all(|(a, b)| (*a - *b).length() < 1e-6));
    assert!(found[0][15].y > found[0][0].y);
}

#[test]
fn a_body_in_pieces_is_put_together_in_any_order_of_memory() {
    let mut w = Writer::default();
    // Frame 0 turns by 0, frame 1 by 1 about the joint's own number of axes: columns first.
    let column =
        |count: usize| (0..count).flat_map(|c| [0.0_f32, c as f32 * 0.01]).flat_map(f32::to_le_bytes);
    w.member("root_orient", array("<f4", &[2, 3], &column(3).collect::<Vec<_>>(), true), true);
    w.member("pose_body", array("<f4", &[2, 63], &column(63).collect::<Vec<_>>(), true), true);
    w.member("gender", array("|O", &[], &[], false), false);
    w.member("betas", array("<f8", &[0], &[], false), false);
    let scene = read(&w).unwrap();
    let angle = |joint: usize, frame: usize| {
        let q = scene.animations[0].motion.tracks[joint].rotation.keys[frame].value;
        2.0 * libm::acos(smaller(q.w, 1.0))
    };
    assert!(angle(7, 0) < 1e-6);
    // Joint 2 is the second of the body: columns 3, 4 and 5 of it.
    assert!((angle(2, 1) - 0.01 * (9.0_f64 + 16.0 + 25.0).sqrt()).abs() < 1e-6, "{}", angle(2, 1));
    let told: Vec<String> = scene.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains("the pelvis") && told[1].contains("30 were taken") && told[2].contains("1.7 m"));
}

#[test]
fn what_is_wrong_is_named() {
    let refused = |w: &Writer| read(w).unwrap_err().to_string();
    assert_eq!(
        npz::read(b"HIERARCHY", &ImportLimits::default()).unwrap_err().to_string(),
        "byte 0: this is not an .npz file (a ZIP archive)"
    );
    let mut w = Writer::default();
    w.floats("joints", &[2, 22, 3], &[0.0; 132]);
    assert_eq!(
        refused(&w),
        "the archive: there are no rotations of a body (poses, or root_orient and pose_body); there is joints"
    );
    let with = |name: &str, shape: &[usize], values: &[f32]| {
        let mut w = Writer::default();
        w.floats(name, shape, values);
        w
    };
    assert!(
        refused(&with("poses", &[2, 60], &[0.0; 120]))
            .starts_with("poses: its shape is [2, 60]; frames by joints")
    );
    assert_eq!(
        refused(&with("poses", &[1, 7, 3], &[0.0; 21])),
        "poses: 7 joints; a body of SMPL has 22, 24, 52 or 55"
    );
    assert!(refused(&with("poses", &[0, 66], &[])).contains("[0, 66]"));
    let mut bad = [0.0; 66];
    bad[7] = f32::NAN;
    assert_eq!(refused(&with("poses", &[1, 66], &bad)), "poses: frame 0, joint 2: this is no rotation");
    assert_eq!(
        refused(&with("rot6d", &[1, 132], &[0.0; 132])),
        "rot6d: frame 0, joint 0: this is no rotation"
    );
    let mut w = nodding(22);
    w.floats("trans", &[1, 3], &[0.0; 3]);
    // The first of two counts: a name stands there once.
    assert!(read(&w).is_ok());
    let mut w = with("poses", &[1, 66], &[0.0; 66]);
    w.floats("trans", &[2, 3], &[0.0; 6]);
    assert_eq!(refused(&w), "trans: its shape is [2, 3]; [1, 3] was expected");
    let mut w = with("poses", &[1, 66], &[0.0; 66]);
    w.floats("fps", &[], &[0.0]);
    assert_eq!(refused(&w), "fps: it must be one number from 1 to 10,000");
    let mut w = Writer::default();
    w.member("poses", array("<c8", &[1, 66], &[0; 528], false), false);
    assert_eq!(refused(&w), "poses: its numbers are of the kind \"<c8\"; floats or integers were expected");
    let mut w = Writer::default();
    w.member("poses", array("<f4", &[1 << 40, 66], &[0; 40], false), false);
    assert!(
        refused(&w).starts_with("poses: byte 128: an array needs 290271069732864 bytes"),
        "{}",
        refused(&w)
    );
}

#[test]
fn every_cut_is_an_error_and_no_byte_does_harm() {
    let good = nodding(22).finish();
    for cut in 0..good.len() {
        assert!(npz::read(&good[..cut], &ImportLimits::default()).is_err(), "{cut}");
    }
    let mut bytes = good;
    for at in (0..bytes.len()).step_by(3) {
        let was = bytes[at];
        for other in [0, 1, 0x7f, 0xff, was ^ 0x10] {
            bytes[at] = other;
            let _ = npz::read(&bytes, &ImportLimits::default());
        }
        bytes[at] = was;
    }
}
