//! Scenes in metres, y up, facing z.

use lissom_build::{
    exact::{Q4, Trs, V3, larger, smaller},
    import::Axis,
    mannequin::{self, Detail, Motion},
    mesh::model_matrices,
    scene::{Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};

fn mannequin() -> Scene {
    let motion = mannequin::clip(Motion::Walk);
    let mesh = mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap();
    Scene {
        skeletons: vec![SceneSkeleton {
            name: "body".into(),
            skeleton: mannequin::skeleton(),
            ..Default::default()
        }],
        animations: vec![SceneAnimation { skeleton: Some(0), motion, ..Default::default() }],
        meshes: vec![SceneMesh { skeleton: 0, mesh, morphs: Vec::new(), ..Default::default() }],
        ..Default::default()
    }
}

/// Every vertex of the walk in the middle of a step.
fn vertices(scene: &Scene) -> Vec<[f32; 3]> {
    let skeleton = &scene.skeletons[0].skeleton;
    let pose = scene.animations[0].motion.pose(skeleton, 0.3);
    scene.meshes[0].mesh.skin(&model_matrices(skeleton, &pose)).0
}

#[test]
fn axes_become_y_up_and_z_forward() {
    let axes = [Axis::X, Axis::Y, Axis::Z, Axis::MinusX, Axis::MinusY, Axis::MinusZ];
    for up in axes {
        assert!(up.upright(up.usual_forward()).is_some());
        for forward in axes {
            match up.upright(forward) {
                None => assert!(up.direction().dot(forward.direction()) != 0.0),
                Some(q) => {
                    assert!((q.rotate(up.direction()) - V3::Y).length() < 1e-15);
                    assert!((q.rotate(forward.direction()) - V3::Z).length() < 1e-15);
                }
            }
        }
    }
    assert_eq!(Axis::Y.upright(Axis::Z), Some(Q4::IDENTITY));
}

#[test]
fn a_scene_scaled_and_turned_moves_as_the_scaled_and_turned_points_of_the_first() {
    let first = mannequin();
    let q = Axis::Z.upright(Axis::MinusY).unwrap();
    let mut second = first.clone();
    second.scale_lengths(2.5);
    second.turn(q);
    for (was, is) in vertices(&first).iter().zip(vertices(&second)) {
        let [x, y, z] = was.map(f64::from);
        let wanted = q.rotate(V3::new(x, y, z) * 2.5).to_f32().to_array();
        for (a, b) in is.into_iter().zip(wanted) {
            assert!((a - b).abs() < 2e-6, "{is:?} {wanted:?}");
        }
    }
}

#[test]
fn height_is_the_mesh_s_or_the_joints() {
    let mut scene = mannequin();
    let extent = |all: &mut dyn Iterator<Item = f64>| {
        let (low, high) = all.fold((f64::MAX, f64::MIN), |(l, h), y| (smaller(l, y), larger(h, y)));
        high - low
    };
    let of_mesh = extent(&mut scene.meshes[0].mesh.positions.iter().map(|p| f64::from(p[1])));
    assert!((scene.height().unwrap() - of_mesh).abs() < 1e-6 && (1.5..2.0).contains(&of_mesh));
    let joints = &scene.skeletons[0].skeleton;
    let rest: Vec<Trs> = joints.joints.iter().map(|j| j.rest).collect();
    let of_joints = extent(&mut model_matrices(joints, &rest).iter().map(|m| m.columns[3].y));
    scene.meshes.clear();
    assert_eq!(scene.height(), Some(of_joints));
    scene.scale_lengths(100.0);
    assert!((scene.height().unwrap() - 100.0 * of_joints).abs() < 1e-9);
    assert_eq!(Scene::default().height(), None);
}
