//! What a file is made of: nodes that stay, parts that cannot be read, pointers.

use super::{build, import_with, refusal, warnings};
use lissom_build::import::{ImportError, ReadOptions};
use lissom_testkit::gltf::builder::Builder;
use serde_json::json;

const TURN: [f32; 8] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8];

#[test]
fn sockets_ends_and_cameras_are_joints_and_carriers_of_skinned_meshes_are_not() {
    let mut b = Builder::default();
    b.node(json!({ "name": "hand", "children": [1, 2] }));
    b.node(json!({ "name": "socket_weapon", "extras": { "grip": 2 } }));
    b.node(json!({ "name": "hand_end", "camera": 0 }));
    let joints = b.accessor("VEC4", 5121, 12, &[0; 12], json!({}));
    let weights = b.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(3));
    let mesh = b.triangle(json!({ "JOINTS_0": joints, "WEIGHTS_0": weights }), json!({}));
    b.push("skins", json!({ "joints": [0] }));
    b.node(json!({ "name": "Body", "mesh": mesh, "skin": 0, "scale": [9, 9, 9] }));
    // A carrier that is an ancestor, and one that moves.
    b.node(json!({ "name": "Coat", "mesh": mesh, "skin": 0, "children": [5] }));
    b.node(json!({ "name": "button" }));
    b.node(json!({ "name": "Hat", "mesh": mesh, "skin": 0 }));
    b.channel(6, "rotation", "LINEAR", &[0.0, 1.0], &TURN);
    let scene = build(&b);
    let skeleton = &scene.skeletons[0];
    let names: Vec<_> = skeleton.skeleton.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["hand", "socket_weapon", "hand_end", "Coat", "button", "Hat"]);
    let indices: Vec<_> = skeleton.nodes.iter().map(|n| n.index.unwrap()).collect();
    assert_eq!(indices, [0, 1, 2, 4, 5, 6]);
    assert_eq!(
        (skeleton.nodes[1].name.as_str(), skeleton.nodes[1].extras.as_str()),
        ("socket_weapon", "{\"grip\":2}")
    );
    let on: Vec<_> = scene.meshes.iter().map(|m| m.node.as_str()).collect();
    assert_eq!(on, ["Body", "Coat", "Hat"]);
}

#[test]
fn one_bad_channel_mesh_or_animation_does_not_spoil_the_rest() {
    let mut b = Builder::default();
    let node = b.node(json!({ "name": "n" }));
    b.channel(node, "rotation", "LINEAR", &[0.0, 1.0], &TURN);
    // Times that fall; they would be longer than the rest.
    b.channel(node, "scale", "LINEAR", &[9.0, 8.0], &[1.0; 6]);
    b.push("animations", json!({ "name": "empty", "channels": [], "samplers": [] }));
    b.push("animations", json!({ "name": "keyless", "channels": [], "samplers": [] }));
    b.channel(node, "rotation", "LINEAR", &[], &[]);
    let mesh = b.triangle(json!({}), json!({}));
    let broken = b.triangle(json!({ "NORMAL": 77 }), json!({}));
    b.node(json!({ "name": "good", "mesh": mesh }));
    b.node(json!({ "name": "bad", "mesh": broken }));
    b.node(json!({ "name": "worse", "mesh": 99 }));
    b.node(json!({ "name": "lost", "mesh": mesh, "skin": 5 }));
    let scene = build(&b);
    let motion = &scene.animations[0].motion;
    assert_eq!((scene.animations.len(), motion.duration_s, motion.tracks[0].scale.keys.len()), (1, 1.0, 0));
    assert_eq!(motion.tracks[0].rotation.keys.len(), 2);
    assert_eq!((scene.meshes.len(), scene.meshes[0].node.as_str()), (1, "good"));
    let text = warnings(&scene);
    for part in [
        "animation 0, channel 1: the time of key 1 is 8, after a key at 9; the channel was left out",
        "animation 1 \"empty\": it has no channels; it was left out",
        "animation 2 \"keyless\", channel 0: it has no keys; the channel was left out",
        "animation 2 \"keyless\": none of its channels moves anything; it was left out",
        "accessor 77: there are only",
        "node 2 \"bad\", mesh 1, primitive 0 was left out",
        "node 3 \"worse\": there is no mesh 99",
        "node 4 \"lost\": there is no skin 5; there are 0; its mesh was left out",
    ] {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
    assert_eq!(refusal(&b), "node 3 \"worse\": there is no mesh 99; there are 2");
}

#[test]
fn a_packed_view_that_is_broken_spoils_only_what_reads_it() {
    let mut b = Builder::default();
    let mesh = b.triangle(json!({}), json!({}));
    b.node(json!({ "mesh": mesh }));
    let view = b.view(&[0xa0; 64]);
    b.json["bufferViews"][view]["extensions"] = json!({ "EXT_meshopt_compression": {
        "buffer": 0, "byteOffset": 0, "byteLength": 64, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES",
    } });
    let accessor =
        b.push("accessors", json!({ "bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3" }));
    b.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": accessor } }] }));
    b.node(json!({ "mesh": 1 }));
    let scene = build(&b);
    assert_eq!(scene.meshes.len(), 1);
    assert!(warnings(&scene).contains("bufferView 1, meshopt compression: "), "{}", warnings(&scene));
}

#[test]
fn pointers_to_nodes_and_weights_are_read_and_others_are_counted() {
    let mut b = Builder::default();
    let moves = b.floats("VEC3", &[0.0, 1.0, 0.0].repeat(3));
    let mesh = b.triangle(json!({}), json!({ "targets": [{ "POSITION": moves }] }));
    b.node(json!({ "name": "a", "mesh": mesh }));
    b.node(json!({ "name": "b", "mesh": mesh }));
    let mut point = |path: &str, kind: &str, values: &[f32]| {
        b.channel(0, kind, "LINEAR", &[0.0, 1.0], values);
        let channels = b.json["animations"][0]["channels"].as_array_mut().unwrap();
        let target =
            json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": path } } });
        channels.last_mut().unwrap()["target"] = target;
    };
    point("/nodes/1/rotation", "rotation", &TURN);
    point("/nodes/0/translation", "translation", &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    point("/meshes/0/weights", "weights", &[0.0, 0.5]);
    point("/materials/0/pbrMetallicRoughness/baseColorFactor", "rotation", &TURN);
    point("/nodes/0/translation/0", "weights", &[0.0, 0.5]);
    point("nodes/0/scale", "scale", &[1.0; 6]);
    b.json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    let scene = build(&b);
    let animation = &scene.animations[0];
    assert_eq!(animation.motion.tracks[1].rotation.keys.len(), 2);
    assert_eq!(animation.motion.tracks[0].translation.keys[1].value.to_f32().to_array(), [1.0, 2.0, 3.0]);
    assert!(animation.motion.tracks[0].scale.keys.is_empty());
    let tracks: Vec<_> = animation.tracks.iter().map(|t| (t.name.clone(), t.keys[1].value[0])).collect();
    let name = |m: usize| format!("morph/{}/target_0", scene.meshes[m].mesh.name);
    assert_eq!(tracks, [(name(0), 0.5), (name(1), 0.5)], "on both nodes");
    let text = warnings(&scene);
    assert!(
        text.contains("3 channels move something other than nodes and morph weights (KHR_animation_pointer)"),
        "{text}"
    );
}

#[test]
fn very_many_broken_channels_take_no_more_memory_than_a_file_may() {
    let mut b = Builder::default();
    b.node(json!({ "name": "n" }));
    let time = b.floats("SCALAR", &[0.0, 1.0]);
    b.channel_of(0, "rotation", "LINEAR", time, time);
    let channel = json!({ "sampler": 9, "target": { "node": 0, "path": "scale" } });
    b.json["animations"][0]["channels"] = json!(vec![channel; 3]);
    let bytes = b.glb();
    let mut options = ReadOptions::default();
    options.limits.memory_extra = 0;
    options.limits.memory_factor = 4;
    let refused = import_with(&bytes, &options);
    assert!(matches!(refused, Err(ImportError::Limit { .. })), "{refused:?}");
}
