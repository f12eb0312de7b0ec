//! Meshes, skins and morph targets.

use super::{build, refusal, warnings};
use core::num::NonZeroU8;
use lissom_build::{
    exact::{M34, V3},
    import::{ImportOptions, open},
    mesh::{RawMesh, model_matrices},
    scene::Scene,
};
use lissom_testkit::gltf::{Reference, builder::Builder};
use serde_json::{Value, json};

/// Two joints and a skinned triangle whose node stands elsewhere.
fn skinned(joints: &[u8; 12], weights: &[f32; 12], more: impl FnOnce(&mut Builder) -> Value) -> Builder {
    let mut b = Builder::default();
    b.node(json!({ "name": "hip", "children": [1], "translation": [0, 1, 0] }));
    b.node(json!({ "name": "knee", "translation": [0, -0.5, 0] }));
    let joints = b.accessor("VEC4", 5121, 12, joints, json!({}));
    let weights = b.floats("VEC4", weights);
    let mut attributes = json!({ "JOINTS_0": joints, "WEIGHTS_0": weights });
    for (key, value) in more(&mut b).as_object().unwrap() {
        attributes[key] = value.clone();
    }
    let mesh = b.triangle(attributes, json!({}));
    let columns = |y: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
    let binds = b.floats("MAT4", &[columns(-1.0), columns(-0.25)].concat());
    b.push("skins", json!({ "joints": [0, 1], "inverseBindMatrices": binds }));
    b.node(json!({ "name": "body", "mesh": mesh, "skin": 0 }));
    b
}

const JOINTS: [u8; 12] = [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
const WEIGHTS: [f32; 12] = [0.75, 0.25, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

fn plain(b: &mut Builder) -> Value {
    let _ = b;
    json!({})
}

/// Positions in the rest pose, in the scene.
fn drawn(scene: &Scene, mesh: usize) -> Vec<[f32; 3]> {
    let skeleton = &scene.skeletons[0].skeleton;
    let locals: Vec<_> = skeleton.joints.iter().map(|j| j.rest).collect();
    scene.meshes[mesh].mesh.skin(&model_matrices(skeleton, &locals)).0
}

#[test]
fn a_skinned_mesh_follows_its_joints_alone() {
    let mut b = skinned(&JOINTS, &WEIGHTS, plain);
    b.json["nodes"][2]["translation"] = json!([50, 0, 0]);
    let scene = build(&b);
    let mesh = &scene.meshes[0].mesh;
    assert_eq!((mesh.influences.each, mesh.influences.joints.as_slice()), (2, &[0, 1, 1, 0, 0, 0][..]));
    assert_eq!(mesh.influences.weights[..2], [0.75, 0.25]);
    assert_eq!(mesh.inverse_binds.len(), 2);
    let reference = Reference::open(&b.glb(), |_| None).unwrap();
    let corners = reference.corners(2, 0, &reference.pose(None, 0.0).unwrap()).unwrap();
    for (ours, theirs) in drawn(&scene, 0).iter().zip(corners) {
        assert_eq!(ours.map(f64::from), theirs);
    }
    // The knee rests at 0.5 and is bound at 0.25: its vertex is moved by the difference.
    assert_eq!(drawn(&scene, 0), [[0.0, 0.0625, 0.0], [1.0, 0.25, 0.0], [0.0, 1.0, 0.0]]);
    // The node does nothing but carry the mesh: it is no joint.
    let names: Vec<_> = scene.skeletons[0].skeleton.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!((names, warnings(&scene).as_str()), (vec!["hip", "knee"], ""));
    assert_eq!(scene.meshes[0].node, "body");
}

#[test]
fn a_rigid_mesh_follows_its_node() {
    let mut b = Builder::default();
    let mesh = b.triangle(json!({}), json!({}));
    b.node(json!({ "translation": [0, 0, 5], "scale": [2, 2, 2], "mesh": mesh }));
    b.node(json!({ "translation": [3, 0, 0], "mesh": mesh }));
    let scene = build(&b);
    assert_eq!(drawn(&scene, 0)[1], [2.0, 0.0, 5.0]);
    assert_eq!(drawn(&scene, 1)[1], [4.0, 0.0, 0.0]);
    assert_eq!(scene.meshes[1].mesh.inverse_binds[1], M34::IDENTITY);
    assert_eq!(scene.meshes[0].mesh.normals, [[0.0, 0.0, 1.0]; 3]);
    assert!(scene.meshes[0].mesh.tangents.is_empty(), "what is not there is not made up");
    assert_ne!(scene.meshes[0].mesh.name, scene.meshes[1].mesh.name);
}

#[test]
fn missing_inverse_binds_are_the_identity_and_too_few_are_an_error() {
    let mut b = skinned(&JOINTS, &WEIGHTS, plain);
    b.json["skins"][0]["joints"] = json!([0, 1, 2]);
    assert_eq!(refusal(&b), "skin 0: it has 3 joints, but 2 inverse bind matrices");
    let mut b = skinned(&JOINTS, &WEIGHTS, plain);
    b.json["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    let scene = build(&b);
    assert_eq!(scene.meshes[0].mesh.inverse_binds[..2], [M34::IDENTITY; 2]);
    assert!(warnings(&scene).contains("skin 0: it has no inverse bind matrices; they are the identity"));
}

#[test]
fn several_skins_on_one_joint_set_keep_their_own_binds() {
    let mut b = skinned(&JOINTS, &WEIGHTS, plain);
    let mut binds = [0.0_f32; 48];
    for (joint, bind) in binds.chunks_mut(16).enumerate() {
        // 2, 3 and 4 times the identity.
        for i in [0, 5, 10] {
            bind[i] = joint as f32 + 2.0;
        }
        bind[15] = 1.0;
    }
    let binds = b.floats("MAT4", &binds);
    b.push("skins", json!({ "joints": [1, 0, 1], "inverseBindMatrices": binds }));
    b.node(json!({ "name": "coat", "mesh": 0, "skin": 1 }));
    let scene = build(&b);
    let [body, coat] = [0, 1].map(|m| &scene.meshes[m].mesh);
    assert_eq!(body.inverse_binds[0].columns[3], V3::new(0.0, -1.0, 0.0));
    assert_eq!(coat.inverse_binds[0].columns[0], V3::X * 3.0);
    assert_eq!(coat.inverse_binds[1].columns[0], V3::X * 2.0, "of a joint's two matrices the first counts");
    // The second skin has its joints the other way round.
    let strongest = |mesh: &RawMesh| mesh.influences.of(1).next().unwrap().0;
    assert_eq!((strongest(body), strongest(coat)), (1, 0));
    assert!(warnings(&scene).contains("skin 1: a joint is listed more than once"));
}

#[test]
fn weights_are_repaired_and_counted() {
    let weights = [0.5, 0.25, 0.0, 0.0, f32::NAN, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
    let joints = [0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    let scene = build(&skinned(&joints, &weights, plain));
    let mesh = &scene.meshes[0].mesh;
    let of = |vertex: usize| mesh.influences.of(vertex).collect::<Vec<_>>();
    assert!((of(0)[0].1 - 2.0 / 3.0).abs() < 1e-6 && (of(0)[1].1 - 1.0 / 3.0).abs() < 1e-6);
    assert_eq!(of(1), [(1, 1.0), (0, 0.0)]);
    assert_eq!(of(2), [(0, 1.0), (0, 0.0)], "nothing left: the first joint");
    let text = warnings(&scene);
    assert!(text.contains("2 vertices have weights that are negative or not finite"), "{text}");
    assert!(text.contains("1 vertices have weights that do not sum to 1"), "{text}");
}

#[test]
fn joints_that_the_skin_does_not_have_are_left_out() {
    let joints = [0, 200, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0];
    let scene = build(&skinned(&joints, &WEIGHTS, plain));
    let mesh = &scene.meshes[0].mesh;
    assert_eq!((mesh.influences.each, mesh.influences.weights.as_slice()), (1, &[1.0; 3][..]));
    assert!(warnings(&scene).contains("2 vertices have a joint that the skin does not have"));
}

/// Nine joints in a row and a triangle whose first vertex follows all of them, the last most.
fn nine_influences() -> Builder {
    let mut b = Builder::default();
    for joint in 0..9 {
        b.node(json!({ "name": format!("j{joint}") }));
    }
    let mut attributes = json!({});
    for set in 0..3_u8 {
        let first: Vec<u8> = (0..4).map(|i| (set * 4 + i).min(8)).collect();
        let joints = [first.as_slice(), &[0; 8]].concat();
        let weights: Vec<f32> =
            (0..4).map(|i| if set * 4 + i < 9 { f32::from(set * 4 + i + 1) / 45.0 } else { 0.0 }).collect();
        let plain = if set == 0 { 1.0 } else { 0.0 };
        let weights = [weights.as_slice(), &[plain, 0.0, 0.0, 0.0, plain, 0.0, 0.0, 0.0]].concat();
        attributes[format!("JOINTS_{set}")] = json!(b.accessor("VEC4", 5121, 12, &joints, json!({})));
        attributes[format!("WEIGHTS_{set}")] = json!(b.floats("VEC4", &weights));
    }
    let mesh = b.triangle(attributes, json!({}));
    b.push("skins", json!({ "joints": [0, 1, 2, 3, 4, 5, 6, 7, 8] }));
    b.node(json!({ "mesh": mesh, "skin": 0 }));
    b
}

#[test]
fn all_influences_of_all_sets_stay() {
    let scene = build(&nine_influences());
    let mesh = &scene.meshes[0].mesh;
    assert_eq!((mesh.influences.each, mesh.influences.vertex_count()), (9, 3));
    for (joint, weight) in mesh.influences.of(0) {
        assert!((weight - f32::from(joint + 1) / 45.0).abs() < 1e-6, "{joint} {weight}");
    }
    assert_eq!(mesh.influences.of(0).next().unwrap().0, 8, "the strongest first");
    assert_eq!(mesh.influences.of(1).filter(|(_, w)| *w > 0.0).collect::<Vec<_>>(), [(0, 1.0)]);
}

#[test]
fn influences_are_cut_on_demand_and_the_loss_is_told() {
    let folder = std::env::temp_dir().join(format!("lissom-influences-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("nine.glb");
    std::fs::write(&path, nine_influences().glb()).unwrap();
    let options = ImportOptions { influences: NonZeroU8::new(4), ..ImportOptions::default() };
    let scene = open(&path, &options).unwrap();
    let mesh = &scene.meshes[0].mesh;
    let (joints, weights): (Vec<u16>, Vec<f32>) = mesh.influences.of(0).unzip();
    assert_eq!((mesh.influences.each, joints), (4, vec![8, 7, 6, 5]));
    assert!((weights[0] - 9.0 / 30.0).abs() < 1e-6 && (weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    // 1 + 2 + 3 + 4 + 5 of 45.
    let text = warnings(&scene);
    assert!(text.contains("1 vertices follow more than 4 joints") && text.contains("33.3 %"), "{text}");
    let plain = open(&path, &ImportOptions { no_mesh: true, ..ImportOptions::default() }).unwrap();
    assert!(plain.meshes.is_empty() && plain.skeletons[0].skeleton.joints.len() == 9);
    assert!(!warnings(&plain).contains("not carried"), "who asks knows: {}", warnings(&plain));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn strips_and_fans_become_triangles_and_lines_are_left_out() {
    let indices = |mode: u32, list: &[u8]| {
        let mut b = Builder::default();
        let positions: Vec<f32> = (0..5).flat_map(|i| [i as f32, (i % 2) as f32, 0.0]).collect();
        let positions = b.floats("VEC3", &positions);
        let list = b.accessor("SCALAR", 5121, list.len(), list, json!({}));
        let primitive = json!({ "attributes": { "POSITION": positions }, "indices": list, "mode": mode });
        b.push("meshes", json!({ "primitives": [primitive] }));
        b.node(json!({ "mesh": 0 }));
        build(&b)
    };
    let triangles = |scene: &Scene| scene.meshes[0].mesh.indices.clone();
    assert_eq!(triangles(&indices(5, &[0, 1, 2, 3, 4])), [0, 1, 2, 1, 3, 2, 2, 3, 4]);
    assert_eq!(
        triangles(&indices(5, &[0, 1, 2, 2, 3, 4])),
        [0, 1, 2, 2, 4, 3],
        "joints between pieces have no area"
    );
    assert_eq!(triangles(&indices(6, &[0, 1, 2, 3])), [1, 2, 0, 2, 3, 0]);
    for mode in [0, 1, 2, 3, 7] {
        let scene = indices(mode, &[0, 1, 2]);
        assert!(scene.meshes.is_empty() && warnings(&scene).contains(&format!("its mode is {mode}")));
    }
    let scene = indices(4, &[0, 1, 2, 0, 1, 99, 4, 2, 1]);
    assert_eq!(
        scene.meshes[0].mesh.indices,
        [0, 1, 2, 3, 2, 1],
        "vertex 3 is not used, so 4 takes its place"
    );
    assert_eq!(scene.meshes[0].mesh.positions.len(), 4);
    assert!(warnings(&scene).contains("1 triangles name vertices that do not exist"));
    assert!(warnings(&indices(4, &[7, 8, 9])).contains("it has no triangles"));
}

#[test]
fn draco_that_cannot_be_read_leaves_the_mesh_out_and_keeps_the_rest() {
    let mut b = skinned(&JOINTS, &WEIGHTS, plain);
    b.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": { "POSITION": 0 } } });
    b.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    b.channel(1, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let scene = build(&b);
    assert_eq!((scene.meshes.len(), scene.animations.len(), scene.skeletons.len()), (0, 1, 1));
    assert!(warnings(&scene).contains("Draco"), "{}", warnings(&scene));
}

#[test]
fn quantised_positions_and_bad_normals_are_read_and_repaired() {
    let mut b = Builder::default();
    let positions: Vec<u8> = [[0_i16, 0, 0, 0], [32767, 0, 0, 0], [0, -32767, 0, 0]]
        .concat()
        .into_iter()
        .flat_map(i16::to_le_bytes)
        .collect();
    let accessor = b.accessor("VEC3", 5122, 9, &positions, json!({ "normalized": true }));
    let view = b.json["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
    b.json["bufferViews"][view]["byteStride"] = json!(8);
    let normals = b.floats("VEC3", &[0.0, 0.0, -2.0, 0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0]);
    let tangents = b.floats("VEC4", &[1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 1.0]);
    let primitive = json!({ "attributes": { "POSITION": accessor, "NORMAL": normals, "TANGENT": tangents } });
    b.push("meshes", json!({ "primitives": [primitive] }));
    b.node(json!({ "mesh": 0 }));
    let scene = build(&b);
    let mesh = &scene.meshes[0].mesh;
    assert_eq!(mesh.positions, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]);
    assert_eq!(mesh.normals, [[0.0, 0.0, -1.0]; 3]);
    assert_eq!((mesh.tangents[0], mesh.tangents[2]), ([1.0, 0.0, 0.0, -1.0], [1.0, 0.0, 0.0, 1.0]));
    assert!(warnings(&scene).contains("2 normals have no direction"));

    b.bytes[0..2].copy_from_slice(&7_i16.to_le_bytes());
    let nan = b.floats("VEC3", &[0.0, f32::NAN, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    b.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(nan);
    let scene = build(&b);
    assert!(scene.meshes.is_empty() && warnings(&scene).contains("the position of vertex 0 is not finite"));
}

#[test]
fn morph_targets_are_read_for_every_vertex() {
    let mut b = Builder::default();
    let moves = b.floats("VEC3", &[0.0, 1.0, 0.0, 0.0, 2.0, 0.0, f32::NAN, 0.0, 0.0]);
    let mesh = b.triangle(json!({}), json!({ "targets": [{ "POSITION": moves, "NORMAL": moves }, {}] }));
    b.node(json!({ "mesh": mesh, "weights": [0.5] }));
    let scene = build(&b);
    let [first, second] = &scene.meshes[0].morphs[..] else { panic!("two targets") };
    assert_eq!((first.name.as_str(), first.weight, second.weight), ("target_0", 0.5, 0.0));
    assert_eq!(first.positions, [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0; 3]]);
    assert_eq!((first.normals.len(), first.tangents.len()), (3, 0));
    assert_eq!(second.positions, [[0.0; 3]; 3]);
    let text = warnings(&scene);
    assert!(
        text.contains("1 weights for 2 morph targets") && text.contains("morph targets are not finite"),
        "{text}"
    );
}

#[test]
fn compressed_views_are_decompressed() {
    // Three positions of 12 bytes: meshopt version 0, every difference of every byte position plain.
    let positions: Vec<u8> = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        .concat()
        .into_iter()
        .flat_map(f32::to_le_bytes)
        .collect();
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
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let mut b = Builder::default();
        let view = b.view(&compressed);
        let (offset, length) = (b.json["bufferViews"][view]["byteOffset"].clone(), compressed.len());
        b.json["bufferViews"][view] = json!({
            "buffer": 1, "byteLength": 36, "byteStride": 12,
            "extensions": { extension: {
                "buffer": 0, "byteOffset": offset, "byteLength": length, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES",
            } },
        });
        let accessor = b.push(
            "accessors",
            json!({ "bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3" }),
        );
        b.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": accessor } }] }));
        b.node(json!({ "mesh": 0 }));
        b.json["buffers"] = json!([{ "byteLength": b.bytes.len() }, { "byteLength": 36, "extensions": { extension: { "fallback": true } } }]);
        b.json["extensionsRequired"] = json!([extension]);
        let scene = build(&b);
        assert_eq!(scene.meshes[0].mesh.positions[1..], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(warnings(&scene), "nodes: 1 have no name and are called node_N by their index");
        b.json["bufferViews"][view]["extensions"][extension]["mode"] = json!("TRIANGLES");
        assert_eq!(
            refusal(&b),
            "bufferView 0, meshopt compression: its byteStride is 12; indices need 2 or 4"
        );
    }
}

/// A square of two triangles, compressed; its attributes as floats, bytes and normalised bytes.
#[cfg(feature = "draco")]
fn draco_square(edgebreaker: bool, bits: i32) -> Builder {
    use lissom_testkit::draco::{List, encode};
    let mut b = Builder::default();
    b.node(json!({ "name": "a" }));
    b.node(json!({ "name": "b" }));
    let positions = List::Floats(3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    let joints = List::Bytes(4, [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]].concat());
    let weights = List::Bytes(4, [[204, 51, 0, 0], [255, 0, 0, 0], [255, 0, 0, 0], [255, 0, 0, 0]].concat());
    let uvs = List::Floats(2, vec![0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]);
    let stream = encode(&[positions, joints, weights, uvs], &[[0, 1, 2], [0, 2, 3]], edgebreaker, bits);
    let view = b.view(&stream);
    let mut attributes = json!({});
    let kinds = [
        ("POSITION", 5126, "VEC3"),
        ("JOINTS_0", 5121, "VEC4"),
        ("WEIGHTS_0", 5121, "VEC4"),
        ("TEXCOORD_0", 5126, "VEC2"),
    ];
    for (name, component, kind) in kinds {
        let accessor = json!({ "componentType": component, "count": 4, "type": kind, "normalized": name == "WEIGHTS_0" });
        attributes[name] = json!(b.push("accessors", accessor));
    }
    let numbers = json!({ "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2, "TEXCOORD_0": 3 });
    let draco = json!({ "KHR_draco_mesh_compression": { "bufferView": view, "attributes": numbers } });
    b.push("meshes", json!({ "primitives": [{ "attributes": attributes, "extensions": draco }] }));
    b.push("skins", json!({ "joints": [0, 1] }));
    b.node(json!({ "name": "body", "mesh": 0, "skin": 0 }));
    b.json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    b
}

#[cfg(feature = "draco")]
#[test]
fn draco_streams_are_read_with_all_their_attributes() {
    for (edgebreaker, bits) in [(false, 0), (false, 12), (true, 0), (true, 12)] {
        let scene = build(&draco_square(edgebreaker, bits));
        let mesh = &scene.meshes[0].mesh;
        assert_eq!((mesh.positions.len(), mesh.triangle_count()), (4, 2), "{}", warnings(&scene));
        // The codec may turn vertices round: each is known by its texture coordinates, which are its place.
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let [u, v] = mesh.uvs[0][vertex];
            assert!((position[0] - u).abs() < 1e-3 && (position[1] - v).abs() < 1e-3, "{position:?} {u} {v}");
            let corner = (u.round() as u8, v.round() as u8);
            let followed: Vec<_> = mesh.influences.of(vertex).filter(|(_, w)| *w > 0.0).collect();
            match corner {
                (0, 0) => assert_eq!(followed, [(0, 0.8), (1, 0.2)]),
                (1, 1) => assert_eq!(followed, [(0, 1.0)]),
                _ => assert_eq!(followed, [(1, 1.0)]),
            }
        }
    }
}

#[cfg(feature = "draco")]
#[test]
fn draco_streams_that_are_cut_or_changed_do_no_harm() {
    let b = draco_square(true, 12);
    let view = b.json["bufferViews"][0].clone();
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    let length = view["byteLength"].as_u64().unwrap() as usize;
    for cut in 0..length {
        let mut cut_off = b.clone();
        cut_off.json["bufferViews"][0]["byteLength"] = json!(cut);
        assert!(build(&cut_off).meshes.len() <= 1);
    }
    for at in start..start + length {
        for other in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = b.clone();
            changed.bytes[at] = other;
            let _ = super::import(&changed.glb());
        }
    }
}
