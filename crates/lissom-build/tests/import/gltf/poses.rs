//! Poses at 50 times against the evaluation by the specification.

use super::{build, warnings};
use lissom_build::{
    exact::{Trs, larger},
    mesh::model_matrices,
    scene::Scene,
};
use lissom_testkit::{
    gltf::{Reference, builder::Builder},
    rng::Rng,
};
use serde_json::json;

fn uniform(rng: &mut Rng, from: f32, to: f32) -> f32 {
    rng.range(from, to)
}

fn vector(rng: &mut Rng) -> [f32; 3] {
    std::array::from_fn(|_| uniform(rng, -2.0, 2.0))
}

fn quaternion(rng: &mut Rng) -> [f32; 4] {
    let q: [f32; 4] = std::array::from_fn(|_| uniform(rng, -1.0, 1.0));
    let length = q.iter().map(|c| c * c).sum::<f32>().sqrt();
    q.map(|c| c / length)
}

/// A tree of nodes, not parents first, with channels of every kind; keys start where they like, signs flip.
fn file(seed: u64) -> Builder {
    let mut rng = Rng::new(seed);
    let mut b = Builder::default();
    let count = 3 + rng.below(12);
    // Parents have higher indices than children; the last is the root.
    let mut children = vec![Vec::new(); count];
    for node in 0..count - 1 {
        children[node + 1 + rng.below(count - 1 - node)].push(node);
    }
    for (node, children) in children.into_iter().enumerate() {
        let mut json = json!({
            "name": format!("n{node}"), "translation": vector(&mut rng), "rotation": quaternion(&mut rng),
            "scale": [uniform(&mut rng, 0.5, 2.0), uniform(&mut rng, -2.0, -0.5), 1.0],
        });
        if !children.is_empty() {
            json["children"] = json!(children);
        }
        b.node(json);
    }
    for node in 0..count {
        for path in ["translation", "rotation", "scale"] {
            if rng.below(4) == 0 {
                continue;
            }
            let mode = ["STEP", "LINEAR", "CUBICSPLINE"][rng.below(3)];
            let keys = 1 + rng.below(9);
            let mut time = if rng.below(2) == 0 { 0.0 } else { uniform(&mut rng, 0.0, 0.5) };
            let (mut times, mut values) = (Vec::new(), Vec::new());
            for _ in 0..keys {
                times.push(time);
                time += uniform(&mut rng, 0.01, 0.7);
                for _ in 0..if mode == "CUBICSPLINE" { 3 } else { 1 } {
                    if path == "rotation" {
                        values.extend(quaternion(&mut rng));
                    } else {
                        values.extend(vector(&mut rng));
                    }
                }
            }
            b.channel(node, path, mode, &times, &values);
        }
    }
    b
}

/// The largest difference of any number of any joint's matrix.
fn worst_difference(b: &Builder, scene: &Scene) -> f64 {
    let reference = Reference::open(&b.glb(), |_| None).unwrap();
    let (skeleton, nodes) = (&scene.skeletons[0].skeleton, reference.skeleton());
    assert_eq!(nodes.len(), skeleton.joints.len());
    assert_eq!(scene.animations.len(), reference.animations());
    let mut worst = 0.0_f64;
    for (index, animation) in scene.animations.iter().enumerate() {
        let motion = &animation.motion;
        let end = reference.duration_s(index).unwrap();
        assert!(motion.duration_s == end || end == 0.0);
        for i in 0..50 {
            let time_s = motion.duration_s * f64::from(i) / 49.0;
            let world = reference.pose(Some(index), time_s).unwrap();
            let locals: Vec<Trs> =
                motion.tracks.iter().zip(&skeleton.joints).map(|(t, j)| t.sample(time_s, j.rest)).collect();
            for (model, node) in model_matrices(skeleton, &locals).iter().zip(&nodes) {
                for (column, theirs) in model.columns.iter().zip(world[*node].chunks(4)) {
                    for (a, b) in [column.x, column.y, column.z].into_iter().zip(theirs) {
                        worst = larger(worst, (a - b).abs() / larger(b.abs(), 1.0));
                    }
                }
            }
        }
    }
    worst
}

#[test]
fn poses_are_those_of_the_specification() {
    for seed in 0..60 {
        let b = file(seed);
        let scene = build(&b);
        let worst = worst_difference(&b, &scene);
        assert!(worst < 1e-9, "seed {seed}: {worst:e}");
        assert!(
            scene.skeletons[0].skeleton.joints[0].parent.is_some(),
            "children stand before their parents"
        );
    }
}

#[test]
fn integers_strides_and_sparse_values_are_read_as_the_specification_says() {
    let mut b = Builder::default();
    for _ in 0..6 {
        b.node(json!({}));
    }
    let times = [0.0_f32, 0.5, 1.5];
    let input = b.floats("SCALAR", &times);
    // Rotations as normalised integers of four kinds.
    let unit = [[0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8], [0.0, 0.0, 1.0, 0.0]];
    let all = || unit.iter().flatten();
    let i8s: Vec<u8> = all().map(|c| (c * 127.0_f64).round() as i8 as u8).collect();
    let u8s: Vec<u8> = all().map(|c| (c * 255.0_f64).round() as u8).collect();
    let i16s: Vec<u8> = all().flat_map(|c| ((c * 32767.0_f64).round() as i16).to_le_bytes()).collect();
    let u16s: Vec<u8> = all().flat_map(|c| ((c * 65535.0_f64).round() as u16).to_le_bytes()).collect();
    for (node, (code, bytes)) in
        [(5120, i8s), (5121, u8s), (5122, i16s), (5123, u16s)].into_iter().enumerate()
    {
        let output = b.accessor("VEC4", code, 12, &bytes, json!({ "normalized": true }));
        b.channel_of(node, "rotation", "LINEAR", input, output);
    }
    // Translations between other things: 12 bytes of every 20, from byte 4 on.
    let mut bytes = Vec::new();
    for key in 0..3 {
        bytes.extend([0xff; 4]);
        bytes.extend([key as f32, 2.0, -1.0].iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend([0xff; 4]);
    }
    let output = b.accessor("VEC3", 5126, 9, &bytes, json!({ "byteOffset": 4 }));
    let view = b.json["accessors"][output]["bufferView"].as_u64().unwrap() as usize;
    b.json["bufferViews"][view]["byteStride"] = json!(20);
    b.channel_of(4, "translation", "STEP", input, output);
    // Sparse over nothing: zeros but for the second.
    let (indices, values) = (b.view(&[1]), b.view(&[5.0_f32, 6.0, 7.0].map(f32::to_le_bytes).concat()));
    let sparse = b.push(
        "accessors",
        json!({ "componentType": 5126, "count": 3, "type": "VEC3", "sparse": {
            "count": 1, "indices": { "bufferView": indices, "componentType": 5121 }, "values": { "bufferView": values },
        } }),
    );
    b.channel_of(5, "translation", "LINEAR", input, sparse);
    let scene = build(&b);
    assert!(worst_difference(&b, &scene) < 1e-12);
    let tracks = &scene.animations[0].motion.tracks;
    assert_eq!(tracks[4].translation.keys[2].value.x, 2.0);
    assert_eq!(tracks[5].translation.keys.iter().map(|k| k.value.y).collect::<Vec<_>>(), [0.0, 6.0, 0.0]);
}

#[test]
fn morph_weights_are_tracks_of_the_animation() {
    let mut b = Builder::default();
    let zeros = b.floats("VEC3", &[0.0; 9]);
    let mesh = b.triangle(json!({}), json!({ "targets": [{ "POSITION": zeros }, { "POSITION": zeros }] }));
    b.json["meshes"][mesh]["name"] = json!("face");
    b.json["meshes"][mesh]["weights"] = json!([0.25, 0.5]);
    b.json["meshes"][mesh]["extras"] = json!({ "targetNames": ["smile", "smile"] });
    let node = b.node(json!({ "mesh": mesh, "weights": [0.0, 0.75] }));
    // Each key: slopes in, values, slopes out, for both targets.
    let values = [0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.5, -3.0, 0.0, 4.0, 0.0, 0.2, 0.0, 0.0, 0.0];
    b.channel(node, "weights", "CUBICSPLINE", &[0.0, 0.5, 2.0], &values);
    let scene = build(&b);
    let morphs = &scene.meshes[0].morphs;
    assert_eq!(
        morphs.iter().map(|m| (m.name.as_str(), m.weight)).collect::<Vec<_>>(),
        [("smile", 0.0), ("smile_2", 0.75)]
    );
    let animation = &scene.animations[0];
    let names: Vec<&str> = animation.tracks.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["morph/face/smile", "morph/face/smile_2"]);
    let reference = Reference::open(&b.glb(), |_| None).unwrap();
    for i in 0..50 {
        let time_s = 2.0 * f64::from(i) / 49.0;
        let weights = reference.weights(0, node, time_s).unwrap().unwrap();
        for (track, weight) in animation.tracks.iter().zip(weights) {
            assert_eq!(track.validate(), Ok(()));
            assert!((track.sample(time_s / 2.0)[0] - weight).abs() < 1e-4, "{} at {time_s}", track.name);
        }
    }
    assert!(warnings(&scene).contains("suffix"));
}

#[test]
fn what_we_export_comes_back() {
    use lissom_build::{
        export,
        mannequin::{self, Detail, Motion},
        scene::{Marker, Scene, SceneAnimation, SceneMesh, SceneSkeleton},
    };
    let marker = |name: &str, time_s| Marker { name: name.into(), time_s, duration_s: time_s / 2.0 };
    let markers = vec![marker("left", 0.1), marker("right \"foot\"", 0.6), marker("right", 0.6)];
    let (skeleton, mesh) =
        (mannequin::skeleton(), mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap());
    let clips = [mannequin::clip(Motion::Walk)];
    let animation = SceneAnimation {
        skeleton: Some(0),
        motion: clips[0].clone(),
        markers: markers.clone(),
        ..Default::default()
    };
    let written = export::write_glb(&Scene {
        name: "there and back".into(),
        skeletons: vec![SceneSkeleton {
            name: String::new(),
            skeleton: skeleton.clone(),
            ..Default::default()
        }],
        animations: vec![animation],
        meshes: vec![SceneMesh { skeleton: 0, mesh: mesh.clone(), morphs: Vec::new(), ..Default::default() }],
        ..Default::default()
    });
    let scene = super::import(&written.unwrap()).unwrap();
    assert_eq!(scene.name, "there and back");
    let joints = &scene.skeletons[0].skeleton.joints;
    for (joint, back) in skeleton.joints.iter().zip(joints) {
        assert_eq!((&joint.name, joint.parent), (&back.name, back.parent));
    }
    assert_eq!(scene.meshes[0].mesh.positions, mesh.positions);
    assert_eq!(scene.meshes[0].mesh.indices, mesh.indices);
    assert_eq!(scene.animations[0].markers, markers);
    for (clip, back) in clips.iter().zip(&scene.animations) {
        let back = &back.motion;
        assert_eq!((&clip.name, clip.looping), (&back.name, back.looping));
        assert!((clip.duration_s - back.duration_s).abs() < 1e-6);
        let (from, to) = (&clip.tracks[3], &back.tracks[3]);
        let rest = skeleton.joints[3].rest;
        for i in 0..20 {
            let time_s = clip.duration_s * f64::from(i) / 20.0;
            let (a, b) = (from.sample(time_s, rest), to.sample(time_s, rest));
            // The exporter writes nlerp as slerp, and f32.
            assert!((a.translation - b.translation).length() < 1e-5);
            assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-4);
        }
    }
}
