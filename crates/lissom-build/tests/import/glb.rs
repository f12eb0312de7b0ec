//! What a written `.glb` promises: its lengths, its references, its values.

use lissom_build::exact::{Q4, Trs, V3};
use lissom_build::export::{ExportError, write_glb};
use lissom_build::mannequin::{self, Detail, Motion};
use lissom_build::mesh::{Influences, RawMesh};
use lissom_build::raw::{
    Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, TrackKind, UserKey,
};
use lissom_build::scene::{Marker, Morph, Scene, SceneAnimation, SceneMesh, SceneSkeleton};
use serde_json::Value;

/// Splits a file into its JSON and its binary chunk, checking every length on the way.
fn open(glb: &[u8]) -> (Value, Vec<u8>) {
    let u32_at = |i: usize| u32::from_le_bytes(glb[i..i + 4].try_into().unwrap()) as usize;
    assert_eq!(&glb[..4], b"glTF");
    assert_eq!(u32_at(4), 2);
    assert_eq!(u32_at(8), glb.len());
    let json_len = u32_at(12);
    assert_eq!(&glb[16..20], b"JSON");
    assert!(json_len.is_multiple_of(4));
    let json = serde_json::from_slice(&glb[20..20 + json_len]).unwrap();
    let binary = 20 + json_len;
    assert_eq!(&glb[binary + 4..binary + 8], b"BIN\0");
    assert_eq!(binary + 8 + u32_at(binary), glb.len());
    (json, glb[binary + 8..].to_vec())
}

fn floats(json: &Value, binary: &[u8], accessor: &Value) -> Vec<f32> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    assert_eq!(accessor["componentType"], 5126);
    let bytes = |view: &Value| {
        let view = &json["bufferViews"][view.as_u64().unwrap() as usize];
        let (at, len) = (view["byteOffset"].as_u64().unwrap(), view["byteLength"].as_u64().unwrap());
        binary[at as usize..(at + len) as usize].to_vec()
    };
    let numbers = |bytes: &[u8]| -> Vec<f32> {
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    if accessor["bufferView"].is_u64() {
        return numbers(&bytes(&accessor["bufferView"]));
    }
    // Only some rows are there, the others are zero.
    assert_eq!(accessor["type"], "VEC3");
    let mut out = vec![0.0; 3 * accessor["count"].as_u64().unwrap() as usize];
    let sparse = &accessor["sparse"];
    if sparse.is_null() {
        return out;
    }
    assert_eq!(sparse["indices"]["componentType"], 5123);
    let rows = bytes(&sparse["indices"]["bufferView"]);
    let values = numbers(&bytes(&sparse["values"]["bufferView"]));
    for (row, value) in rows.chunks_exact(2).zip(values.chunks_exact(3)) {
        let at = 3 * usize::from(u16::from_le_bytes(row.try_into().unwrap()));
        out[at..at + 3].copy_from_slice(value);
    }
    out
}

fn scene(skeleton: &RawSkeleton, mesh: Option<&RawMesh>, animations: &[RawAnimation]) -> Scene {
    let animation =
        |a: &RawAnimation| SceneAnimation { skeleton: Some(0), motion: a.clone(), ..Default::default() };
    let mesh = mesh.map(|mesh| SceneMesh {
        skeleton: 0,
        mesh: mesh.clone(),
        morphs: Vec::new(),
        ..Default::default()
    });
    Scene {
        name: "s".into(),
        skeletons: vec![SceneSkeleton {
            name: String::new(),
            skeleton: skeleton.clone(),
            ..Default::default()
        }],
        animations: animations.iter().map(animation).collect(),
        meshes: mesh.into_iter().collect(),
        ..Default::default()
    }
}

#[test]
fn the_mannequins_file_holds_what_went_in() {
    let skeleton = mannequin::skeleton();
    let mesh = mannequin::mesh(&Detail { body_m: 0.03, hand_m: 0.01 }).unwrap();
    let animations = [mannequin::clip(Motion::Walk), mannequin::clip(Motion::Turn)];
    let scene = scene(&skeleton, Some(&mesh), &animations);
    let bytes = write_glb(&scene).unwrap();
    assert_eq!(bytes, write_glb(&scene).unwrap(), "the same bytes again");
    let (json, binary) = open(&bytes);
    assert_eq!(json["buffers"][0]["byteLength"], binary.len());

    for view in json["bufferViews"].as_array().unwrap() {
        let end = view["byteOffset"].as_u64().unwrap() + view["byteLength"].as_u64().unwrap();
        assert!(end as usize <= binary.len());
        assert!(view["byteOffset"].as_u64().unwrap().is_multiple_of(4));
    }
    let nodes = json["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), skeleton.joints.len() + 1);
    for (i, joint) in skeleton.joints.iter().enumerate() {
        assert_eq!(nodes[i]["name"], joint.name.as_str());
        if let Some(parent) = joint.parent {
            assert!(nodes[parent]["children"].as_array().unwrap().iter().any(|c| c == i));
        }
    }
    let primitive = &json["meshes"][0]["primitives"][0];
    let positions = floats(&json, &binary, &primitive["attributes"]["POSITION"]);
    assert_eq!(positions, mesh.positions.concat());
    assert_eq!(floats(&json, &binary, &primitive["attributes"]["WEIGHTS_0"]), mesh.influences.weights);
    let bounds = &json["accessors"][primitive["attributes"]["POSITION"].as_u64().unwrap() as usize];
    let lowest = positions.chunks_exact(3).map(|p| p[1]).reduce(|a, b| if b < a { b } else { a }).unwrap();
    assert_eq!(bounds["min"][1].as_f64().unwrap() as f32, lowest);
    let binds = floats(&json, &binary, &json["skins"][0]["inverseBindMatrices"]);
    let followed = mesh.influences.used(skeleton.joints.len());
    let named = json["skins"][0]["joints"].as_array().unwrap();
    assert_eq!((named.len(), binds.len()), (followed.iter().filter(|u| **u).count(), named.len() * 16));
    assert!(named.iter().all(|node| followed[node.as_u64().unwrap() as usize]), "no joint without weight");

    for (animation, raw) in json["animations"].as_array().unwrap().iter().zip(&animations) {
        assert_eq!(animation["name"], raw.name.as_str());
        assert_eq!(animation["extras"]["looping"], raw.looping);
        for channel in animation["channels"].as_array().unwrap() {
            let node = channel["target"]["node"].as_u64().unwrap() as usize;
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let (times, values) =
                (floats(&json, &binary, &sampler["input"]), floats(&json, &binary, &sampler["output"]));
            assert!(times.windows(2).all(|w| w[0] < w[1]));
            if channel["target"]["path"] == "rotation" {
                let keys = &raw.tracks[node].rotation.keys;
                assert_eq!(times.len(), keys.len());
                assert_eq!(values.len(), keys.len() * 4);
                for (q, key) in values.chunks_exact(4).zip(keys) {
                    assert!((q.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-5);
                    assert_eq!(q[3], key.value.normalize().w as f32);
                }
            }
        }
    }
}

fn two_roots() -> RawSkeleton {
    let joint = |name: &str| RawJoint { name: name.into(), parent: None, rest: Trs::IDENTITY };
    RawSkeleton { joints: vec![joint("a"), joint("b")] }
}

#[test]
fn every_curve_has_its_gltf_form() {
    let skeleton = two_roots();
    let turn = |a: f64| Q4::from_axis_angle(V3::X, a);
    let keys = [(0.0, turn(0.1)), (0.5, turn(0.6)), (1.0, turn(0.2))];
    for (curve, expected, rows) in [
        (Curve::Step, "STEP", 3),
        (Curve::Linear, "LINEAR", 3),
        (Curve::Slerp, "LINEAR", 3),
        (Curve::Hermite, "CUBICSPLINE", 9),
    ] {
        let track = RawTrack { rotation: Channel::new(curve, keys), ..RawTrack::default() };
        let clip = RawAnimation {
            name: "c".into(),
            duration_s: 1.0,
            tracks: vec![RawTrack::default(), track.clone()],
            ..RawAnimation::default()
        };
        let scene = scene(&skeleton, None, &[clip]);
        let (json, binary) = open(&write_glb(&scene).unwrap());
        assert_eq!(json["scenes"][0]["nodes"].as_array().unwrap().len(), 2, "no skin: roots stay roots");
        let sampler = &json["animations"][0]["samplers"][0];
        assert_eq!(sampler["interpolation"], expected);
        let values = floats(&json, &binary, &sampler["output"]);
        assert_eq!(values.len(), rows * 4);
        if curve == Curve::Hermite {
            // Half way through the first span, the cubic from the file is the channel's own curve.
            let row = |i: usize| &values[i * 4..i * 4 + 4];
            let x = 0.5 * (row(1)[0] + row(4)[0]) + 0.125 * 0.5 * (row(2)[0] - row(3)[0]);
            let w = 0.5 * (row(1)[3] + row(4)[3]) + 0.125 * 0.5 * (row(2)[3] - row(3)[3]);
            let expected = track.rotation.sample(0.25).unwrap();
            assert!((f64::from(x / w) - expected.x / expected.w).abs() < 1e-6);
        }
    }
}

#[test]
fn an_animation_without_keys_and_a_bare_skeleton_are_written() {
    let skeleton = two_roots();
    let still =
        RawAnimation { duration_s: 2.0, tracks: vec![RawTrack::default(); 2], ..RawAnimation::default() };
    let scene = scene(&skeleton, None, &[still]);
    let (json, _) = open(&write_glb(&scene).unwrap());
    assert_eq!(json["animations"][0]["channels"].as_array().unwrap().len(), 1);
    let bare = Scene { animations: Vec::new(), ..scene };
    let (json, binary) = open(&write_glb(&bare).unwrap());
    assert!(binary.is_empty() && json.get("buffers").is_none());
}

/// Three vertices on both of two roots.
fn triangle() -> RawMesh {
    RawMesh {
        name: "t".into(),
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        tangents: vec![[1.0, 0.0, 0.0, 1.0]; 3],
        influences: Influences::from_rows(&[[1, 0]; 3], &[[0.75, 0.25]; 3]),
        indices: vec![0, 1, 2],
        inverse_binds: vec![lissom_build::exact::M34::IDENTITY; 2],
        ..RawMesh::default()
    }
}

#[test]
fn morph_targets_weights_and_markers_are_written() {
    let still =
        RawAnimation { duration_s: 2.0, tracks: vec![RawTrack::default(); 2], ..RawAnimation::default() };
    let mut scene = scene(&two_roots(), Some(&triangle()), &[still]);
    let morph = |name: &str, weight: f64, normals: bool| Morph {
        name: name.into(),
        weight,
        positions: vec![[0.5, 0.0, 0.0]; 3],
        normals: if normals { vec![[0.0, 0.25, 0.0]; 3] } else { Vec::new() },
        tangents: Vec::new(),
    };
    scene.meshes[0].morphs =
        vec![morph("smile", 0.25, true), morph("frown", 0.5, false), morph("wink", 0.0, false)];
    // A second primitive of the same mesh, and another mesh on the same skeleton.
    scene.meshes.push(scene.meshes[0].clone());
    let mut other = scene.meshes[0].clone();
    other.mesh.name = "u".into();
    other.morphs.clear();
    scene.meshes.push(other);
    let key = |ratio: f64, v: f64, step| UserKey { ratio, value: [v, 0.0, 0.0, 0.0], step };
    let track =
        |name: &str, keys: Vec<UserKey>| RawUserTrack { name: name.into(), kind: TrackKind::Float, keys };
    scene.animations[0].tracks = vec![
        track("morph/t/wink", vec![key(0.0, 0.0, true), key(0.5, 1.0, false)]),
        track("morph/t/smile", vec![key(0.0, 0.0, false), key(1.0, 1.0, false)]),
    ];
    scene.animations[0].markers = vec![Marker { name: "now".into(), time_s: 1.5, duration_s: 0.25 }];

    let (json, binary) = open(&write_glb(&scene).unwrap());
    let of = |v: &Value| v.as_array().unwrap().len();
    assert_eq!((of(&json["meshes"]), of(&json["skins"]), of(&json["scenes"][0]["nodes"])), (2, 1, 3));
    assert_eq!(json["nodes"][2]["name"], "roots", "a skin needs one root");
    let mesh = &json["meshes"][0];
    assert_eq!(of(&mesh["primitives"]), 2);
    assert_eq!(mesh["weights"], serde_json::json!([0.25, 0.5, 0.0]));
    assert_eq!(mesh["extras"]["targetNames"], serde_json::json!(["smile", "frown", "wink"]));
    let targets = &mesh["primitives"][0]["targets"];
    assert_eq!(of(targets), 3);
    assert_eq!(floats(&json, &binary, &targets[0]["POSITION"]), [0.5, 0.0, 0.0].repeat(3));
    assert_eq!(floats(&json, &binary, &targets[1]["NORMAL"]), [0.0; 9], "what one target lacks is zero");

    let animation = &json["animations"][0];
    assert_eq!(
        animation["extras"]["markers"],
        serde_json::json!([{ "name": "now", "time_s": 1.5, "duration_s": 0.25 }])
    );
    assert_eq!(of(&animation["channels"]), 1);
    let channel = &animation["channels"][0];
    assert_eq!(json["nodes"][channel["target"]["node"].as_u64().unwrap() as usize]["mesh"], 0);
    assert_eq!(channel["target"]["path"], "weights");
    let sampler = &animation["samplers"][0];
    assert_eq!(sampler["interpolation"], "LINEAR");
    let times = floats(&json, &binary, &sampler["input"]);
    assert_eq!(times, [0.0, 1.0f32.next_down(), 1.0, 2.0], "a step is two keys beside each other");
    let weights = floats(&json, &binary, &sampler["output"]);
    let rows: Vec<&[f32]> = weights.chunks_exact(3).collect();
    assert_eq!(
        (rows[0], rows[2], rows[3]),
        (&[0.0, 0.5, 0.0][..], &[0.5, 0.5, 1.0][..], &[1.0, 0.5, 1.0][..])
    );
    assert!((rows[1][0] - 0.5).abs() < 1e-6 && rows[1][2] == 0.0);
}

#[test]
fn what_is_not_valid_is_not_written() {
    let skeleton = two_roots();
    let empty = scene(&RawSkeleton::default(), None, &[]);
    assert!(matches!(write_glb(&empty), Err(ExportError::Skeleton { index: 0, .. })));
    assert_eq!(write_glb(&Scene::default()), Err(ExportError::Empty));
    let short = [RawAnimation { name: "x".into(), duration_s: 1.0, ..RawAnimation::default() }];
    let wrong = write_glb(&scene(&skeleton, None, &short));
    assert!(matches!(wrong, Err(ExportError::Animation { index: 0, .. })));
    let mesh = mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap();
    let wrong = write_glb(&scene(&skeleton, Some(&mesh), &[]));
    assert!(matches!(wrong, Err(ExportError::Mesh { .. })));
    let mut lost = scene(&skeleton, Some(&triangle()), &[]);
    lost.meshes[0].skeleton = 1;
    assert!(matches!(write_glb(&lost), Err(ExportError::NoSkeleton { wanted: 1, .. })));
    lost.meshes[0].skeleton = 0;
    lost.meshes[0].morphs = vec![Morph { name: "m".into(), ..Default::default() }];
    assert!(matches!(write_glb(&lost), Err(ExportError::Morph { len: 0, vertices: 3, .. })));
}

#[test]
fn a_rigid_mesh_stands_on_its_joint_and_joints_without_weight_are_not_named() {
    let mut mesh = triangle();
    mesh.influences = Influences::rigid(1, 3);
    let (json, _) = open(&write_glb(&scene(&two_roots(), Some(&mesh), &[])).unwrap());
    assert_eq!(
        (json["nodes"][1]["mesh"].as_u64(), json.get("skins"), json.get("materials")),
        (Some(0), None, None)
    );
    assert_eq!(json["scenes"][0]["nodes"], serde_json::json!([0, 1]), "no skin: roots stay roots");
    // Bound elsewhere it needs a skin, which names the one joint; what is not followed is its first.
    mesh.inverse_binds[1].columns[3] = V3::X;
    mesh.influences = Influences::from_rows(&[[1, 0]; 3], &[[1.0, 0.0]; 3]);
    let (json, binary) = open(&write_glb(&scene(&two_roots(), Some(&mesh), &[])).unwrap());
    assert_eq!(json["skins"][0]["joints"], serde_json::json!([1]));
    let joints = &json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"];
    let view = &json["bufferViews"]
        [json["accessors"][joints.as_u64().unwrap() as usize]["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    assert_eq!(view["byteLength"], 12, "a byte for each");
    assert!(binary[start..start + 12].iter().all(|b| *b == 0));
}
