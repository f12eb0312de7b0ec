//! A copy of a glTF file in which only the animations were replaced.

use lissom_build::{
    exact::V3,
    export::{write_glb, write_glb_onto},
    import::{ImportError, ImportLimits, Place, gltf},
    mannequin::{self, Detail, Motion},
    mesh::model_matrices,
    scene::{Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};
use lissom_testkit::gltf::builder::Builder;
use serde_json::{Value, json};

fn scene(motions: &[Motion], meshes: bool) -> Scene {
    let animation = |motion: &Motion| SceneAnimation {
        skeleton: Some(0),
        motion: mannequin::clip(*motion),
        ..Default::default()
    };
    let mesh = || SceneMesh {
        mesh: mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap(),
        ..Default::default()
    };
    Scene {
        skeletons: vec![SceneSkeleton { skeleton: mannequin::skeleton(), ..Default::default() }],
        animations: motions.iter().map(animation).collect(),
        meshes: if meshes { vec![mesh()] } else { Vec::new() },
        ..Default::default()
    }
}

/// The JSON and the binary chunk.
fn split(glb: &[u8]) -> (Value, Vec<u8>) {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..20 + length]).unwrap(), glb[28 + length..].to_vec())
}

fn join(json: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend((28 + text.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", text.as_slice()), (b"BIN\0", binary)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(chunk);
    }
    out
}

fn alone(uri: &str) -> Result<Vec<u8>, ImportError> {
    Err(ImportError::Format { place: Place::Path(uri.into()), reason: "nothing stands beside it".into() })
}

/// A character that walks, with things that a scene does not carry.
fn source() -> Vec<u8> {
    let (mut json, binary) = split(&write_glb(&scene(&[Motion::Walk, Motion::Idle], true)).unwrap());
    json["cameras"] = json!([{ "type": "perspective", "perspective": { "yfov": 1.0, "znear": 0.1 } }]);
    json["nodes"][2]["camera"] = json!(0);
    json["nodes"][3]["extensions"] = json!({ "VENDOR_thing": { "accessor": 1, "text": "kept" } });
    json["extensionsUsed"] = json!(["VENDOR_thing"]);
    json["materials"] = json!([{ "name": "skin", "alphaMode": "BLEND" }]);
    join(&json, &binary)
}

/// The bytes of an accessor.
fn bytes_of(json: &Value, binary: &[u8], accessor: &Value) -> Vec<u8> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let at = view["byteOffset"].as_u64().unwrap_or(0) as usize;
    binary[at..at + view["byteLength"].as_u64().unwrap() as usize].to_vec()
}

fn assert_only_animations_changed(before: &[u8], after: &[u8]) {
    let ((a, a_bytes), (b, b_bytes)) = (split(before), split(after));
    for part in ["asset", "nodes", "meshes", "skins", "materials", "cameras", "scenes", "extensionsUsed"] {
        assert_eq!(a[part], b[part], "{part}");
    }
    let primitive = &a["meshes"][0]["primitives"][0];
    let attributes = primitive["attributes"].as_object().unwrap().values();
    for accessor in attributes.chain([&primitive["indices"], &a["skins"][0]["inverseBindMatrices"]]) {
        assert_eq!(bytes_of(&a, &a_bytes, accessor), bytes_of(&b, &b_bytes, accessor));
    }
}

#[test]
fn only_the_animations_of_a_file_are_replaced() {
    let before = source();
    let motions = scene(&[Motion::Run, Motion::Wave], false);
    let (after, odd) = write_glb_onto(&before, &mut alone, &motions).unwrap();
    assert!(odd.is_empty(), "{odd:?}");
    assert_only_animations_changed(&before, &after);
    let read = gltf::read(&after, &mut alone, &ImportLimits::default()).unwrap();
    let names: Vec<_> = read.animations.iter().map(|a| a.motion.name.as_str()).collect();
    assert_eq!(names, ["run", "wave"]);
    let (skeleton, own) = (&read.skeletons[0].skeleton, &motions.skeletons[0].skeleton);
    for (a, b) in read.animations.iter().zip(&motions.animations) {
        for time in [0.0, 0.21, 0.5] {
            let posed = model_matrices(skeleton, &a.motion.pose(skeleton, time));
            let wanted = model_matrices(own, &b.motion.pose(own, time));
            for (j, joint) in own.joints.iter().enumerate() {
                let at = skeleton.joints.iter().position(|s| s.name == joint.name).unwrap();
                let apart = posed[at].mul_point(V3::ZERO).distance(wanted[j].mul_point(V3::ZERO));
                // Between keys the source goes straight and glTF turns evenly: nobody sees that.
                assert!(apart < 5e-5, "{} at {time} s: {apart} m", joint.name);
            }
        }
    }
    // What was there before is gone: doing it again changes nothing.
    let (again, _) = write_glb_onto(&after, &mut alone, &motions).unwrap();
    assert_eq!(again.len(), after.len());
    assert_only_animations_changed(&before, &again);
}

#[test]
fn files_beside_the_source_are_taken_in() {
    let (mut json, binary) = split(&source());
    json["buffers"][0]["uri"] = json!("hero.bin");
    json["images"] = json!([{ "uri": "missing.png" }]);
    let text = json.to_string();
    let mut files = |uri: &str| if uri == "hero.bin" { Ok(binary.clone()) } else { alone(uri) };
    let motions = scene(&[Motion::Run], false);
    let (after, odd) = write_glb_onto(text.as_bytes(), &mut files, &motions).unwrap();
    assert!(odd.len() == 1 && odd[0].place == "image 0", "{odd:?}");
    assert_only_animations_changed(&source(), &after);
    let read = gltf::read(&after, &mut alone, &ImportLimits::default()).unwrap();
    assert_eq!((read.meshes.len(), read.animations.len()), (1, 1), "it stands alone");
}

#[test]
fn a_file_of_other_nodes_is_refused() {
    let mut motions = scene(&[Motion::Run], false);
    motions.skeletons[0].skeleton.joints.iter_mut().for_each(|j| j.name.push('x'));
    let refused = write_glb_onto(&source(), &mut alone, &motions).unwrap_err();
    assert!(refused.to_string().starts_with("not one of its"), "{refused}");
}

/// Three positions compressed with meshopt, version 0: every difference of every byte position plain.
fn compressed_positions() -> Vec<u8> {
    let positions: Vec<u8> =
        [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let mut compressed = vec![0xa0];
    for position in 0..12 {
        compressed.push(3);
        let mut before = 0_u8;
        for element in 0..16 {
            let value = positions.get(12 * element + position).copied().unwrap_or(before);
            let delta = value.wrapping_sub(before) as i8;
            compressed.push(((delta << 1) ^ (delta >> 7)) as u8);
            before = value;
        }
    }
    compressed.extend([0; 32]);
    compressed
}

/// Two nodes of one name, each with a mesh of its own: the first compressed and smiling, the second with another smile.
fn faces(extension: &str) -> Builder {
    let mut b = Builder::default();
    let compressed = compressed_positions();
    let view = b.view(&compressed);
    let offset = b.json["bufferViews"][view]["byteOffset"].clone();
    b.json["bufferViews"][view] = json!({
        "buffer": 1, "byteLength": 36, "byteStride": 12,
        "extensions": { extension: {
            "buffer": 0, "byteOffset": offset, "byteLength": compressed.len(), "byteStride": 12, "count": 3, "mode": "ATTRIBUTES",
        } },
    });
    let position =
        b.push("accessors", json!({ "bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3" }));
    for _ in 0..2 {
        let smile = b.floats("VEC3", &[0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let primitive = json!({ "attributes": { "POSITION": position }, "targets": [{ "POSITION": smile }] });
        let mesh = b.push(
            "meshes",
            json!({ "name": "face", "primitives": [primitive], "extras": { "targetNames": ["smile"] } }),
        );
        let node = b.node(json!({ "name": "head", "mesh": mesh }));
        b.channel(node, "weights", "LINEAR", &[0.0, 1.0], &[0.0, 1.0]);
    }
    b.channel(0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    b.json["buffers"] = json!([
        { "byteLength": b.bytes.len() },
        { "byteLength": 36, "extensions": { extension: { "fallback": true } } },
    ]);
    b.json["extensionsUsed"] = json!([extension]);
    b.json["extensionsRequired"] = json!([extension]);
    b
}

#[test]
fn morphs_and_packed_views_of_the_file_stay_and_are_animated() {
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let before = faces(extension).glb();
        let read = |bytes: &[u8]| gltf::read(bytes, &mut alone, &ImportLimits::default()).unwrap();
        let mut motions = read(&before);
        // The second face smiles half as much, backwards.
        let weights = &mut motions.animations[0].tracks[1];
        assert_eq!(weights.name, "morph/face_2/smile");
        weights.keys[0].value[0] = 0.5;
        weights.keys[1].value[0] = 0.0;
        let (after, odd) = write_glb_onto(&before, &mut alone, &motions).unwrap();
        assert!(odd.is_empty(), "{odd:?}");
        let ((a, a_bytes), (b, b_bytes)) = (split(&before), split(&after));
        for part in ["nodes", "meshes", "extensionsUsed", "extensionsRequired"] {
            assert_eq!(a[part], b[part], "{part}");
        }
        // The compressed bytes are carried, not decompressed.
        let compressed = |json: &Value, bytes: &[u8]| {
            let view = &json["bufferViews"][0]["extensions"][extension];
            let at = view["byteOffset"].as_u64().unwrap() as usize;
            bytes[at..at + view["byteLength"].as_u64().unwrap() as usize].to_vec()
        };
        assert_eq!(compressed(&b, &b_bytes), compressed(&a, &a_bytes));
        assert_eq!(b["bufferViews"][0]["buffer"], 1);
        assert_eq!(b["buffers"][1], a["buffers"][1]);
        let again = read(&after);
        assert_eq!(again.meshes, motions.meshes);
        let animation = &again.animations[0];
        for (mesh, wanted) in [("face", [0.0, 0.5, 1.0]), ("face_2", [0.5, 0.25, 0.0])] {
            for (ratio, wanted) in [0.0, 0.5, 1.0].into_iter().zip(wanted) {
                let weight = animation.morph_weight(mesh, "smile", ratio).unwrap();
                assert!((weight - wanted).abs() < 1e-6, "{mesh} at {ratio}: {weight}");
            }
        }
    }
}

#[test]
fn a_file_that_names_the_same_bytes_a_thousand_times_becomes_no_larger() {
    let mut b = faces("EXT_meshopt_compression");
    let long = b.view(&[7; 100_000]);
    let view = b.json["bufferViews"][long].clone();
    for _ in 0..1000 {
        b.push("bufferViews", view.clone());
    }
    b.json["buffers"][0]["byteLength"] = json!(b.bytes.len());
    // And one file beside it a hundred times.
    for _ in 0..100 {
        b.push("images", json!({ "uri": "skin.png" }));
        b.push("buffers", json!({ "uri": "skin.png", "byteLength": 50_000 }));
        let buffer = b.json["buffers"].as_array().unwrap().len() - 1;
        b.push("bufferViews", json!({ "buffer": buffer, "byteOffset": 3, "byteLength": 49_000 }));
    }
    let mut files = |_: &str| Ok(vec![1; 50_000]);
    let motions = gltf::read(&b.glb(), &mut files, &ImportLimits::default()).unwrap();
    let (after, odd) = write_glb_onto(&b.glb(), &mut files, &motions).unwrap();
    assert!(odd.is_empty(), "{odd:?}");
    assert!(after.len() < b.glb().len() + 200_000, "{} bytes became {}", b.glb().len(), after.len());
    let (json, bytes) = split(&after);
    let view = json["bufferViews"].as_array().unwrap().iter().find(|v| v["byteLength"] == 49_000).unwrap();
    let at = view["byteOffset"].as_u64().unwrap() as usize;
    assert!(bytes[at..at + 49_000].iter().all(|byte| *byte == 1));
}
