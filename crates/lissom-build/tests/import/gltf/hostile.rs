//! Files that are broken, or made to do harm: a typed error or a scene, never a panic, never more memory than the
//! limits give.

use super::{build, import, refusal, warnings};
use lissom_build::import::{ImportError, ImportLimits, Place, gltf};
use lissom_testkit::{gltf::builder::Builder, rng::Rng};
use proptest::prelude::*;
use serde_json::json;
use std::{fs, path::PathBuf};

/// A file with something of everything.
fn rich() -> Builder {
    let mut b = Builder::default();
    b.node(json!({ "name": "hip", "children": [1] }));
    b.node(json!({ "name": "knee", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1] }));
    let joints = b.accessor("VEC4", 5123, 12, &[0, 0, 1, 0, 0, 0, 0, 0].repeat(3), json!({}));
    let weights = b.accessor("VEC4", 5121, 12, &[200, 55, 0, 0].repeat(3), json!({ "normalized": true }));
    let (indices, values) = (b.view(&[2]), b.view(&[1.0_f32; 3].map(f32::to_le_bytes).concat()));
    let target = b.push(
        "accessors",
        json!({ "componentType": 5126, "count": 3, "type": "VEC3", "sparse": {
            "count": 1, "indices": { "bufferView": indices, "componentType": 5121 }, "values": { "bufferView": values },
        } }),
    );
    let mesh = b.triangle(
        json!({ "JOINTS_0": joints, "WEIGHTS_0": weights }),
        json!({ "targets": [{ "POSITION": target }] }),
    );
    b.json["meshes"][mesh]["extras"] = json!({ "targetNames": ["bulge"] });
    let binds = b.floats("MAT4", &[1.0; 32]);
    b.push("skins", json!({ "joints": [0, 1], "inverseBindMatrices": binds, "skeleton": 0 }));
    let body = b.node(json!({ "mesh": mesh, "skin": 0 }));
    b.push("scenes", json!({ "nodes": [0, body] }));
    b.channel(1, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    b.channel(0, "translation", "CUBICSPLINE", &[0.0, 1.0], &[0.5; 18]);
    b.channel(body, "weights", "STEP", &[0.0, 0.5], &[0.0, 1.0]);
    let mut compressed = vec![0xe1, 0xf0];
    compressed.extend([0; 16]);
    let view = b.view(&compressed);
    let offset = b.json["bufferViews"][view]["byteOffset"].clone();
    b.json["bufferViews"][view]["extensions"] = json!({ "EXT_meshopt_compression": {
        "buffer": 0, "byteOffset": offset, "byteLength": compressed.len(), "byteStride": 2, "count": 3, "mode": "TRIANGLES",
    } });
    let triangles = b.push(
        "accessors",
        json!({ "bufferView": view, "componentType": 5123, "count": 3, "type": "SCALAR" }),
    );
    b.json["meshes"][mesh]["primitives"][0]["indices"] = json!(triangles);
    b
}

#[test]
fn the_file_that_is_broken_below_is_right() {
    let scene = build(&rich());
    assert_eq!((scene.meshes.len(), scene.animations.len(), scene.animations[0].tracks.len()), (1, 1, 1));
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = rich().glb();
    for length in 0..bytes.len() {
        assert!(import(&bytes[..length]).is_err(), "{length} of {}", bytes.len());
    }
    // The header's length cut too: then only what lies in the missing bytes can tell.
    for length in 12..bytes.len() {
        let mut cut = bytes[..length].to_vec();
        cut[8..12].copy_from_slice(&(length as u32).to_le_bytes());
        let _ = import(&cut);
    }
}

#[test]
fn every_byte_of_the_json_may_be_anything() {
    let bytes = rich().glb();
    let json = 20 + u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    for at in 20..json {
        for other in *b"09-,\"[]{}e.x" {
            let mut bytes = bytes.clone();
            bytes[at] = other;
            let _ = import(&bytes);
        }
    }
}

#[test]
fn every_number_may_be_absurd() {
    fn visit(value: &mut serde_json::Value, path: &mut Vec<String>, out: &mut Vec<String>) {
        match value {
            serde_json::Value::Number(_) => out.push(path.concat()),
            serde_json::Value::Array(list) => list.iter_mut().enumerate().for_each(|(i, v)| {
                path.push(format!("/{i}"));
                visit(v, path, out);
                path.pop();
            }),
            serde_json::Value::Object(map) => map.iter_mut().for_each(|(k, v)| {
                path.push(format!("/{k}"));
                visit(v, path, out);
                path.pop();
            }),
            _ => {}
        }
    }
    let mut b = rich();
    let mut places = Vec::new();
    visit(&mut b.json, &mut Vec::new(), &mut places);
    assert!(places.len() > 100, "{}", places.len());
    for place in places {
        let was = b.json.pointer(&place).unwrap().clone();
        for absurd in [
            json!(-1),
            json!(0),
            json!(2),
            json!(7),
            json!(255),
            json!(u32::MAX),
            json!(u64::MAX),
            json!(1u64 << 53),
            json!(1e300),
            json!(0.5),
        ] {
            *b.json.pointer_mut(&place).unwrap() = absurd;
            let _ = import(&b.glb());
        }
        *b.json.pointer_mut(&place).unwrap() = was;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bits_do_no_harm(seed: u64, flips in 1_usize..12) {
        let mut bytes = rich().glb();
        let mut rng = Rng::new(seed);
        for _ in 0..flips {
            let at = rng.below(bytes.len());
            bytes[at] ^= 1 << rng.below(8);
        }
        if let Ok(scene) = import(&bytes) {
            let joints = scene.skeletons.first().map_or(0, |s| s.skeleton.joints.len());
            for mesh in &scene.meshes {
                prop_assert_eq!(mesh.mesh.validate(joints), Ok(()));
            }
            for animation in &scene.animations {
                prop_assert_eq!(animation.motion.validate(joints), Ok(()));
                for track in &animation.tracks {
                    prop_assert_eq!(track.validate(), Ok(()));
                }
            }
        }
    }
}

#[test]
fn other_formats_and_versions_are_named() {
    assert!(matches!(import(b""), Err(ImportError::NotThisFormat { .. })));
    assert!(matches!(import(b"solid cube"), Err(ImportError::NotThisFormat { .. })));
    assert_eq!(
        import(b"{").unwrap_err().to_string(),
        "JSON line 1, column 1: not a glTF document: EOF while parsing an object"
    );
    assert!(import(b"{}").unwrap_err().to_string().contains("missing field `asset`"));
    let of = |version: &str| format!(r#"{{"asset":{{"version":"{version}"}}}}"#);
    assert!(matches!(import(of("1.0").as_bytes()), Err(ImportError::Version { found: 1, .. })));
    assert!(matches!(import(of("two").as_bytes()), Err(ImportError::Version { found: 0, .. })));
    let mark = [&b"\xef\xbb\xbf"[..], of("2.0").as_bytes()].concat();
    assert!(import(&mark).unwrap().skeletons.is_empty(), "a byte order mark is no error");
    let later = br#"{"asset":{"version":"2.1","minVersion":"2.1"}}"#;
    assert!(matches!(import(later), Err(ImportError::Version { .. })));
    let mut glb = rich().glb();
    glb[4] = 1;
    assert!(matches!(import(&glb), Err(ImportError::Version { found: 1, .. })));
    assert!(
        import(b"{\"asset\":{\"version\":\"2.0\"},\"x\":\"\xff\"}")
            .unwrap_err()
            .to_string()
            .contains("not UTF-8")
    );
}

#[test]
fn json_nested_without_end_is_refused_or_passed_over() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = open.repeat(1_000_000) + "1" + &close.repeat(1_000_000);
        for (key, value) in [("extras", &deep), ("nodes", &deep)] {
            let text = format!(r#"{{"asset":{{"version":"2.0"}},"{key}":{value}}}"#);
            let _ = import(text.as_bytes());
        }
        let animation = format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{{}}],"animations":[{{"channels":[],"samplers":[],"extras":{deep}}}]}}"#
        );
        let _ = import(animation.as_bytes());
    }
}

#[test]
fn deep_chains_and_cycles_are_refused_without_recursion() {
    let chain = |count: usize| {
        let nodes: Vec<String> =
            (1..count).map(|n| format!(r#"{{"children":[{n}]}}"#)).chain(["{}".to_owned()]).collect();
        format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{}]}}"#, nodes.join(","))
    };
    let error = import(chain(1_000_000).as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "node 10000: the depth of nodes is 10001, but at most 10000 is possible");
    assert_eq!(import(chain(10_000).as_bytes()).unwrap().skeletons[0].skeleton.joints.len(), 10_000);

    let mut b = Builder::default();
    for child in [1, 2, 0] {
        b.node(json!({ "children": [child] }));
    }
    assert_eq!(refusal(&b), "node 0: it is its own ancestor, or below one that is");
    b.json["nodes"][2]["children"] = json!([2]);
    assert_eq!(refusal(&b), "node 2: it is a child of both node 1 and node 2");
    b.json["nodes"][2]["children"] = json!([3]);
    assert_eq!(refusal(&b), "node 2: its child 3 does not exist; there are 3 nodes");
    let wide = vec!["{}"; 40_000].join(",");
    let error =
        import(format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{wide}]}}"#).as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "nodes: the count of joints is 40000, but at most 32767 is possible");
}

#[test]
fn absurd_counts_are_refused_before_anything_is_reserved() {
    let mut b = Builder::default();
    let node = b.node(json!({}));
    let zeros = |b: &mut Builder, kind: &str, count: u64| {
        b.push("accessors", json!({ "componentType": 5126, "count": count, "type": kind }))
    };
    let (input, output) = (zeros(&mut b, "SCALAR", 4_000_000_000), zeros(&mut b, "VEC3", 4_000_000_000));
    b.channel_of(node, "translation", "LINEAR", input, output);
    let error = import(&b.glb()).unwrap_err();
    assert!(matches!(error, ImportError::Limit { found, .. } if found >= 16_000_000_000), "{error}");

    let mut b = Builder::default();
    let positions = zeros(&mut b, "VEC3", u64::MAX);
    b.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": positions } }] }));
    b.node(json!({ "mesh": 0 }));
    assert!(matches!(import(&b.glb()), Err(ImportError::Limit { .. })));

    // Meshopt that claims to hold a world.
    let mut b = rich();
    let view = b.json["bufferViews"].as_array().unwrap().len() - 1;
    let compressed = &mut b.json["bufferViews"][view]["extensions"]["EXT_meshopt_compression"];
    compressed["count"] = json!(3_000_000_000_u64);
    assert!(matches!(import(&b.glb()), Err(ImportError::Limit { .. })));

    // A thousand nodes with a thousand primitives each: a million things to say nothing about.
    let mut b = Builder::default();
    b.push("meshes", json!({ "primitives": vec![json!({ "attributes": {} }); 1000] }));
    for _ in 0..1000 {
        b.node(json!({ "mesh": 0 }));
    }
    let scene = build(&b);
    assert!(scene.meshes.is_empty() && scene.warnings.len() < 50_000, "{}", scene.warnings.len());
    assert!(warnings(&scene).ends_with("this mesh and all after it were left out"));

    // Ten thousand meshes that share one list: each is small, all together are not.
    let mut b = Builder::default();
    let positions = b.floats("VEC3", &vec![0.5; 9000]);
    let primitive = json!({ "attributes": { "POSITION": positions } });
    b.push("meshes", json!({ "primitives": vec![primitive; 10_000] }));
    b.node(json!({ "mesh": 0 }));
    let scene = build(&b);
    let bytes = scene.meshes.len() * 3000 * 64;
    let allowed = ImportLimits::default().memory_for(b.glb().len() as u64);
    assert!((bytes as u64) < allowed && scene.meshes.len() > 10, "{} meshes", scene.meshes.len());
    assert!(warnings(&scene).contains("it needs more memory than a file of this size may take"));
}

#[test]
fn what_points_nowhere_is_named() {
    let broken = |pointer: &str, value: serde_json::Value| {
        let mut b = rich();
        *b.json.pointer_mut(pointer).unwrap() = value;
        refusal(&b)
    };
    assert_eq!(broken("/skins/0/joints/1", json!(9)), "skin 0: there is no node 9; there are 3 nodes");
    assert_eq!(broken("/nodes/2/skin", json!(9)), "node 2: there is no skin 9; there are 1");
    assert_eq!(broken("/nodes/2/mesh", json!(9)), "node 2: there is no mesh 9; there are 1");
    assert_eq!(
        broken("/animations/0/channels/0/target/node", json!(9)),
        "animation 0, channel 0: there is no node 9; there are 3 nodes"
    );
    assert_eq!(broken("/accessors/0/bufferView", json!(99)), "bufferView 99: there are only 13 buffer views");
    assert_eq!(broken("/skins/0/inverseBindMatrices", json!(99)), "accessor 99: there are only 12 accessors");
    assert_eq!(
        broken("/skins/0/inverseBindMatrices", json!(0)),
        "accessor 0: its type is Vec4; here it must be one of [Mat4]"
    );
    assert_eq!(broken("/accessors/0/componentType", json!(1)), "accessor 0: its componentType 1 is unknown");
    assert_eq!(
        broken("/accessors/0/count", json!(400)),
        "accessor 0: the accessor needs 3200 bytes, but only 24 are left"
    );
    assert_eq!(
        broken("/accessors/2/sparse/count", json!(3)),
        "accessor 2: the sparse accessor's indices needs 3 bytes, but only 1 are left"
    );
    assert_eq!(
        broken("/bufferViews/0/byteLength", json!(1_u64 << 40)),
        "bufferView 0: the view needs 1099511627776 bytes, but only 372 are left"
    );
    let mut b = rich();
    b.json["bufferViews"][0]["byteStride"] = json!(4);
    assert_eq!(refusal(&b), "accessor 0: its elements have 8 bytes, but the view's byteStride is 4");
}

/// A folder of its own under the target folder.
fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("model/parts")).unwrap();
    folder
}

#[test]
fn buffers_come_from_the_models_folder_and_nowhere_else() {
    let folder = scratch("gltf_folder");
    fs::write(folder.join("secret.bin"), [7; 64]).unwrap();
    fs::write(folder.join("model/my buffer.bin"), [1; 64]).unwrap();
    fs::write(folder.join("model/parts/b.bin"), [2; 64]).unwrap();
    let limits = ImportLimits::default();
    let inside = gltf::Folder::of(&folder.join("model/a.gltf"), &limits);
    assert_eq!(inside.read("my%20buffer.bin").unwrap(), [1; 64]);
    assert_eq!(inside.read("./parts/b.bin").unwrap(), [2; 64]);
    let absolute = folder.join("secret.bin").to_string_lossy().into_owned();
    let out = [
        "../secret.bin",
        "parts/../../secret.bin",
        "..%2fsecret.bin",
        "parts/%2e%2e/%2E%2E/secret.bin",
        &absolute,
        "file:secret.bin",
        "http://host/x.bin",
        "..\\secret.bin",
        "",
    ];
    for uri in out {
        let error = inside.read(uri).unwrap_err();
        assert!(error.to_string().contains("only a file in the model's own folder"), "{uri}: {error}");
        assert!(matches!(error.place(), Place::Path(_)));
    }
    assert!(inside.read("none.bin").unwrap_err().to_string().contains("there is no such file"));
    assert!(inside.read("parts").unwrap_err().to_string().contains("this is not a file"));
    assert!(inside.read("%zz").unwrap_err().to_string().contains("a broken % sequence"));
    let mut small = limits;
    small.max_bytes = 63;
    let error = gltf::Folder::of(&folder.join("model/a.gltf"), &small).read("my buffer.bin").unwrap_err();
    assert!(matches!(error, ImportError::Limit { found: 64, allowed: 63, .. }));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.join("secret.bin"), folder.join("model/link.bin")).unwrap();
        std::os::unix::fs::symlink("parts/b.bin", folder.join("model/near.bin")).unwrap();
        assert!(inside.read("link.bin").unwrap_err().to_string().contains("a link that leads out"));
        assert_eq!(inside.read("near.bin").unwrap(), [2; 64]);
    }
}

#[test]
fn buffers_come_from_data_uris_and_files() {
    let with = |uri: &str, files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>| {
        let text = json!({
            "asset": { "version": "2.0" }, "nodes": [{}], "buffers": [{ "byteLength": 16, "uri": uri }],
            "bufferViews": [{ "buffer": 0, "byteLength": 4 }, { "buffer": 0, "byteOffset": 4, "byteLength": 12 }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 1, "type": "SCALAR" },
                { "bufferView": 1, "componentType": 5126, "count": 1, "type": "VEC3" },
            ],
            "animations": [{ "samplers": [{ "input": 0, "output": 1 }],
                             "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }],
        });
        gltf::read(text.to_string().as_bytes(), files, &ImportLimits::default())
    };
    let mut none = |_: &str| -> Result<Vec<u8>, ImportError> { panic!("no file is needed") };
    // 2.0, then 1.0, 0.0, -1.0 in f32.
    let scene = with("data:application/octet-stream;base64,AAAAQAAAgD8AAAAAAACAvw==", &mut none).unwrap();
    let key = scene.animations[0].motion.tracks[0].translation.keys[0];
    assert_eq!((key.time_s, key.value.x, key.value.z), (2.0, 1.0, -1.0));
    let same = with("data:,%00%00%00%40%00%00%80%3f%00%00%00%00%00%00%80%bf", &mut none).unwrap();
    assert_eq!(same, scene);
    assert!(matches!(
        with("data:;base64,AAAA", &mut none),
        Err(ImportError::Truncated { needed: 16, left: 3, .. })
    ));
    assert!(with("data:;base64,A*", &mut none).unwrap_err().to_string().contains("not base64"));
    assert!(with("data:", &mut none).unwrap_err().to_string().contains("no comma"));
    let bytes: Vec<u8> = [2.0_f32, 1.0, 0.0, -1.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let mut asked = Vec::new();
    let scene_from_file = with("a%20b.bin", &mut |uri| {
        asked.push(uri.to_owned());
        Ok(bytes.clone())
    });
    assert_eq!(scene_from_file.unwrap(), scene);
    assert_eq!(asked, ["a%20b.bin"]);
}
