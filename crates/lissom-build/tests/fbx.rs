//! FBX files made by the test kit, and what comes out of them.

use lissom_build::{
    exact::V3,
    import::{ImportError, ImportLimits, fbx},
    mesh::model_matrices,
    raw::Curve,
    scene::Scene,
};
use lissom_testkit::fbx::{Cluster, Driven, SECOND, Writer, figure};

fn read(bytes: &[u8]) -> Result<Scene, ImportError> {
    fbx::read(bytes, &ImportLimits::default())
}

fn near(a: V3, b: V3) -> bool {
    (a - b).length() < 1e-6
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.skeletons[0].skeleton.joints.iter().map(|j| j.name.as_str()).collect()
}

#[test]
fn axes_become_y_up_and_lengths_metres() {
    let scene = read(&figure()).unwrap();
    assert_eq!(names(&scene), ["hips", "body", "head", "hat"]);
    let skeleton = &scene.skeletons[0].skeleton;
    let rest: Vec<_> = skeleton.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(skeleton, &rest);
    assert!(near(models[0].columns[3], V3::new(0.0, 1.0, 0.0)), "{:?}", models[0]);
    assert!(near(models[2].columns[3], V3::new(0.0, 1.5, 0.0)));
    // Nothing is scaled.
    for model in &models {
        assert!(model.columns[..3].iter().all(|c| (c.length() - 1.0).abs() < 1e-9));
    }
}

#[test]
fn skins_bind_in_the_rest_pose_and_follow_their_bones() {
    let scene = read(&figure()).unwrap();
    let skeleton = &scene.skeletons[0].skeleton;
    let mesh = &scene.meshes[0].mesh;
    assert_eq!((mesh.name.as_str(), mesh.positions.len(), mesh.triangle_count()), ("body", 3, 1));
    let top = mesh.positions.iter().position(|p| p[1] > 1.2).unwrap();
    assert_eq!(mesh.influences.of(top).collect::<Vec<_>>(), [(2, 0.75), (0, 0.25)]);
    let mut locals: Vec<_> = skeleton.joints.iter().map(|j| j.rest).collect();
    let (rest, normals) = mesh.skin(&model_matrices(skeleton, &locals));
    for (a, b) in rest.iter().zip(&mesh.positions) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?} {b:?}");
    }
    // The triangle's front was towards -y, which is now +z.
    assert!(normals.iter().all(|n| n[2] > 0.999), "{normals:?}");
    locals[0].translation = locals[0].translation + V3::new(3.0, 0.0, 0.0);
    let (moved, _) = mesh.skin(&model_matrices(skeleton, &locals));
    assert!((moved[top][0] - rest[top][0] - 3.0).abs() < 1e-5);
    // A mesh without a skin follows its node.
    let hat = &scene.meshes[1].mesh;
    assert!((0..hat.positions.len()).all(|v| hat.influences.of(v).eq([(3, 1.0)])));
    assert!(hat.positions.iter().all(|p| (p[1] - 1.5).abs() < 0.06));
}

#[test]
fn stacks_start_at_0_and_end_where_they_say() {
    let scene = read(&figure()).unwrap();
    let [nod, blink] = &scene.animations[..] else { panic!("{:?}", scene.animations.len()) };
    assert_eq!((nod.motion.name.as_str(), nod.motion.duration_s), ("nod", 1.0));
    let keys = &nod.motion.tracks[0].translation.keys;
    let first = keys.first().unwrap();
    let last = keys.last().unwrap();
    assert_eq!((first.time_s, last.time_s), (0.0, 1.0));
    assert!(near(first.value, V3::new(0.5, 1.0, 0.0)) && near(last.value, V3::new(1.0, 1.0, 0.0)));
    assert!(nod.motion.tracks[2].rotation.keys.is_empty(), "what rests has no keys");

    assert_eq!((blink.motion.name.as_str(), blink.motion.duration_s), ("blink", 1.0));
    let scale = &blink.motion.tracks[2].scale;
    assert_eq!(scale.curve, Curve::Step);
    let sampled = [0.0, 0.49, 0.5, 0.75, 1.0].map(|t| scale.sample(t).unwrap().x);
    assert_eq!(sampled, [1.0, 1.0, 2.0, 2.0, 1.0]);
}

#[test]
fn blend_shapes_are_morphs_and_their_weights_tracks() {
    let scene = read(&figure()).unwrap();
    let [smile] = &scene.meshes[0].morphs[..] else { panic!() };
    assert_eq!((smile.name.as_str(), smile.weight), ("smile", 0.25));
    let moved: Vec<_> = smile.positions.iter().filter(|p| **p != [0.0; 3]).collect();
    // -20 cm along y is +20 cm along z.
    assert!(moved.len() == 1 && (moved[0][2] - 0.2).abs() < 1e-6, "{moved:?}");
    let [track] = &scene.animations[0].tracks[..] else { panic!() };
    assert_eq!(track.name, "morph/body/smile");
    assert!((track.sample(0.5)[0] - 0.5).abs() < 1e-9);
    assert!(scene.animations[1].tracks.is_empty());
}

#[test]
fn names_are_made_unique_and_weak_influences_are_left_out_with_a_warning() {
    let mut w = Writer::default();
    for i in 0..6 {
        w.bone(100 + 10 * i, "bone", 0, [i as f64, 0.0, 0.0]);
    }
    w.model(200, "body", "Mesh", "");
    w.connect(200, 0);
    w.mesh(210, "body", 200, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], &[[0, 1, 2]]);
    let weights = [(0, 0.1), (1, 1.0)];
    let clusters: Vec<_> = (0..6)
        .map(|i| Cluster {
            bone: 100 + 10 * i,
            weights: &weights[..if i == 0 { 2 } else { 1 }],
            stood_at: [i as f64, 0.0, 0.0],
        })
        .collect();
    w.skin(300, 210, &clusters);
    let scene = read(&w.finish(false, 100.0)).unwrap();
    assert_eq!(names(&scene), ["bone", "bone_2", "bone_3", "bone_4", "bone_5", "bone_6", "body"]);
    let text: Vec<String> = scene.warnings.iter().map(ToString::to_string).collect();
    assert!(text.iter().any(|t| t.contains("5 nodes have the name of another")), "{text:?}");
    assert!(text.iter().any(|t| t.contains("1 vertices have no weights")), "{text:?}");
    let mesh = &scene.meshes[0].mesh;
    let influences = &mesh.influences;
    let of = |v: usize| influences.of(v).filter(|(_, w)| *w > 0.0).collect::<Vec<_>>();
    let sum = |v: usize| of(v).iter().map(|(_, w)| w).sum::<f32>();
    assert!((0..influences.vertex_count()).all(|v| (sum(v) - 1.0).abs() < 1e-6));
    assert_eq!(influences.each, 6, "all six bones of the one that follows most");
    // The vertex without weights follows the mesh's node.
    assert!((0..influences.vertex_count()).any(|v| of(v) == [(6, 1.0)]));
}

#[test]
fn what_is_wrong_is_named() {
    for not in [&b""[..], b"glTF\x02\0\0\0 and more of it", b"HIERARCHY\nROOT a {", &[0; 100]] {
        assert_eq!(read(not).unwrap_err().to_string(), "byte 0: this is not an FBX file");
    }
    let good = figure();
    let mut small = ImportLimits::default();
    small.max_bytes = 10;
    assert!(matches!(fbx::read(&good, &small), Err(ImportError::Limit { .. })));
    let mut small = ImportLimits::default();
    small.max_joints = 3;
    let error = fbx::read(&good, &small).unwrap_err();
    assert_eq!(error.to_string(), "the file: the count of joints is 4, but at most 3 is possible");
    let mut small = ImportLimits::default();
    (small.memory_factor, small.memory_extra) = (0, 100_000);
    let error = fbx::read(&good, &small).unwrap_err();
    assert!(error.to_string().contains("the memory that reading takes"), "{error}");
}

#[test]
fn a_chain_that_is_too_deep_and_a_cycle_are_refused_or_cut() {
    let mut w = Writer::default();
    for i in 0..2000 {
        w.bone(100 + 10 * i, "bone", if i == 0 { 0 } else { 90 + 10 * i }, [0.0, 1.0, 0.0]);
    }
    let bytes = w.finish(false, 1.0);
    assert_eq!(read(&bytes).unwrap().skeletons[0].skeleton.joints.len(), 2000);
    let mut shallow = ImportLimits::default();
    shallow.max_depth = 100;
    let error = fbx::read(&bytes, &shallow).unwrap_err();
    assert_eq!(error.to_string(), "the file: the depth of nodes is 101, but at most 100 is possible");

    let mut w = Writer::default();
    w.bone(100, "a", 110, [0.0; 3]);
    w.bone(110, "b", 100, [0.0; 3]);
    let scene = read(&w.finish(false, 1.0));
    // Not an endless loop; whatever comes out is a skeleton.
    if let Ok(scene) = scene {
        assert!(scene.skeletons.iter().all(|s| s.skeleton.validate().is_ok()));
    }
}

#[test]
fn keys_that_are_not_numbers_are_refused() {
    let mut w = Writer::default();
    w.bone(100, "hips", 0, [0.0; 3]);
    w.stack(500, "nan", 0, SECOND);
    let keys = [(0, 0.0), (SECOND / 2, f64::INFINITY), (SECOND, f64::NAN)];
    let to = Driven { object: 100, property: "Lcl Translation", component: "d|X", others: [0.0; 3] };
    w.curve(510, 501, to, 4, &keys);
    let error = read(&w.finish(false, 1.0)).unwrap_err();
    assert!(matches!(error, ImportError::Animation { .. } | ImportError::Format { .. }), "{error:?}");
}

#[test]
fn every_truncation_reads_or_is_refused() {
    let good = figure();
    let (mut whole, mut refused) = (0, 0);
    for length in (0..good.len()).step_by(7) {
        if read(&good[..length]).is_ok() { whole += 1 } else { refused += 1 }
    }
    assert!(refused > 0, "{whole} read, {refused} refused");
}
