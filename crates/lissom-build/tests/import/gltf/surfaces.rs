//! Materials, images, texture coordinates, colours and extras: from the file through an archive to a file again.

use super::{build, import, import_with, warnings};
use lissom::archive::{AlignedBytes, ArchiveView, Limits};
use lissom_build::{
    SkeletonBuilder,
    archive::SceneWriter,
    cook::ClipBuilder,
    export::write_glb,
    import::{ImportLimits, ReadOptions, lsm},
    mesh::material::AlphaMode,
    scene::Scene,
};
use lissom_testkit::gltf::builder::Builder;
use serde_json::{Value, json};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03";
const KTX: &[u8] = b"\xabKTX 20\xbb\r\n\x1a\n\x25\0\0\0\x01\0\0\0\x04\0\0\0\x04\0\0\0";

/// A mesh of two primitives with everything that can be carried.
fn rich() -> Builder {
    let mut b = Builder::default();
    let (png, ktx) = (b.view(PNG), b.view(KTX));
    b.push("images", json!({ "name": "skin", "mimeType": "image/png", "bufferView": png }));
    b.push("images", json!({ "name": "skin", "mimeType": "image/ktx2", "bufferView": ktx }));
    b.push("samplers", json!({ "magFilter": 9729, "wrapS": 33071 }));
    b.push("textures", json!({ "source": 0, "sampler": 0, "name": "first" }));
    b.push("textures", json!({ "extensions": { "KHR_texture_basisu": { "source": 1 } } }));
    b.push("textures", json!({ "source": 0 }));
    b.push(
        "materials",
        json!({
            "name": "cloth",
            "pbrMetallicRoughness": {
                "baseColorFactor": [0.5, 0.25, 0.1, 0.75], "metallicFactor": 0.0, "roughnessFactor": 0.3,
                "baseColorTexture": { "index": 2, "texCoord": 1, "extensions": {
                    "KHR_texture_transform": { "offset": [0.5, 0.25], "rotation": 0.1, "scale": [2, 3] } } },
                "metallicRoughnessTexture": { "index": 0 },
            },
            "normalTexture": { "index": 0, "scale": 0.5 },
            "occlusionTexture": { "index": 1, "strength": 0.7 },
            "emissiveFactor": [0.1, 0.2, 0.3],
            "emissiveTexture": { "index": 2 },
            "alphaMode": "MASK", "alphaCutoff": 0.4, "doubleSided": true,
            "extensions": {
                "KHR_materials_unlit": {},
                "KHR_materials_clearcoat": { "clearcoatFactor": 0.9, "clearcoatTexture": { "index": 1, "texCoord": 1 } },
            },
            "extras": { "shader": "toon" },
        }),
    );
    b.push("materials", json!({ "name": "cloth", "alphaMode": "BLEND" }));
    let uv = b.floats("VEC2", &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let second: Vec<u8> = [0_u16, 0, 65535, 0, 0, 65535].into_iter().flat_map(u16::to_le_bytes).collect();
    let second = b.accessor("VEC2", 5123, 6, &second, json!({ "normalized": true }));
    let three = b.floats("VEC3", &[1.0, 0.5, 0.25].repeat(3));
    let bytes = [255, 0, 51, 102].repeat(3);
    let four = b.accessor("VEC4", 5121, 12, &bytes, json!({ "normalized": true }));
    let attributes = json!({ "TEXCOORD_0": uv, "TEXCOORD_1": second, "COLOR_0": three, "COLOR_1": four });
    let mesh = b.triangle(attributes, json!({ "material": 0 }));
    let other = b.json["meshes"][mesh]["primitives"][0].clone();
    b.json["meshes"][mesh]["primitives"].as_array_mut().unwrap().push(other);
    b.json["meshes"][mesh]["primitives"][1]["material"] = json!(1);
    b.json["meshes"][mesh]["name"] = json!("Shirt");
    b.json["meshes"][mesh]["extras"] = json!({ "lod": 3 });
    b.node(json!({ "name": "torso", "mesh": mesh, "extras": [1, 2] }));
    b.channel(0, "rotation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8]);
    b.json["animations"][0]["name"] = json!("turn");
    b.json["animations"][0]["extras"] = json!({ "author": "me" });
    b.push("scenes", json!({ "name": "stage", "nodes": [0], "extras": { "sky": "blue" } }));
    b.json["asset"] =
        json!({ "version": "2.0", "copyright": "CC0 me", "generator": "hand", "extras": { "v": 7 } });
    b.json["extensionsUsed"] = json!([
        "KHR_texture_transform",
        "KHR_materials_unlit",
        "KHR_materials_clearcoat",
        "KHR_texture_basisu",
    ]);
    b
}

fn archived(scene: &Scene) -> AlignedBytes {
    let built = SkeletonBuilder::build(&scene.skeletons[0].skeleton).unwrap();
    let mut scene = scene.clone();
    lissom_build::archive::settle_names([("file", &mut scene)]);
    let cook = ClipBuilder::default();
    let clips = scene.animations.iter().map(|a| cook.build(&built, &a.motion).unwrap().bytes).collect();
    let mut writer = SceneWriter::new();
    writer.add("file", &scene, &[built], clips).unwrap();
    AlignedBytes::copy_of(&writer.finish().finish().unwrap())
}

#[test]
fn everything_is_read() {
    let scene = build(&rich());
    assert_eq!(warnings(&scene), "");
    let mesh = &scene.meshes[0];
    assert_eq!(
        (mesh.source.as_str(), mesh.node.as_str(), mesh.extras.as_str()),
        ("Shirt", "torso", "{\"lod\":3}")
    );
    assert_eq!((mesh.material, scene.meshes[1].material), (Some(0), Some(1)));
    assert_eq!(mesh.mesh.uvs, vec![vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]; 2]);
    assert_eq!(mesh.mesh.colors[0], [[1.0, 0.5, 0.25, 1.0]; 3], "no alpha is 1");
    assert_eq!(mesh.mesh.colors[1], [[1.0, 0.0, 0.2, 0.4]; 3]);
    let cloth = &scene.materials[0];
    assert_eq!((cloth.alpha, cloth.alpha_cutoff, cloth.double_sided), (AlphaMode::Mask, 0.4, true));
    let base = cloth.base_color_texture.unwrap();
    assert_eq!((base.uv_set, base.transform.unwrap().to_array()), (1, [0.5, 0.25, 0.1, 2.0, 3.0]));
    let normal = &cloth.textures[cloth.normal_texture.unwrap().texture];
    assert_eq!((normal.name.as_str(), normal.sampler), ("first", [9729, 0, 33071, 0]));
    let occlusion = &cloth.textures[cloth.occlusion_texture.unwrap().texture];
    assert_eq!(occlusion.images, [("KHR_texture_basisu".to_owned(), 1)]);
    assert_eq!(cloth.textures.len(), 3, "a texture that is used twice is there once");
    assert_eq!(cloth.extras, "{\"shader\":\"toon\"}");
    let coat: Value = serde_json::from_str(&cloth.extensions[0].1).unwrap();
    let number = coat["clearcoatTexture"]["index"].as_u64().unwrap() as usize;
    assert_eq!(cloth.textures[number].images[0].1, 1, "the material's own number");
    assert_eq!((scene.images[0].bytes.as_slice(), scene.images[1].mime_type.as_str()), (PNG, "image/ktx2"));
    assert_eq!(
        (scene.extras.as_str(), scene.animations[0].extras.as_str()),
        ("{\"sky\":\"blue\"}", "{\"author\":\"me\"}")
    );
    assert!(scene.asset.contains("CC0 me"));
}

#[test]
fn everything_comes_back_from_an_archive_and_from_an_exported_file() {
    let first = build(&rich());
    let bytes = archived(&first);
    let archive = ArchiveView::read(&bytes, &Limits::default()).unwrap();
    let view = archive.mesh("Shirt_2").unwrap();
    assert_eq!((view.material, view.source), ("cloth_2", "Shirt"));
    assert_eq!(archive.image("skin_2").unwrap().bytes, KTX);
    let nodes = archive.nodes("file").unwrap();
    assert_eq!((nodes[0].index, nodes[0].name, nodes[0].extras), (Some(0), "torso", "[1,2]"));

    let second = lsm::read(&bytes, &ImportLimits::default()).unwrap();
    assert_eq!((&second.materials, &second.images), (&first.materials, &first.images));
    assert_eq!((&second.asset, &second.extras), (&first.asset, &first.extras));
    assert_eq!(second.animations[0].extras, first.animations[0].extras);
    assert_eq!(second.skeletons[0].nodes, first.skeletons[0].nodes);
    for (a, b) in first.meshes.iter().zip(&second.meshes) {
        assert_eq!((&a.mesh.uvs, &a.mesh.colors, &a.material), (&b.mesh.uvs, &b.mesh.colors, &b.material));
    }
    let third = import(&write_glb(&second).unwrap()).unwrap();
    assert_eq!((&third.materials, &third.images), (&first.materials, &first.images));
    assert_eq!((third.extras.as_str(), third.name.as_str()), (first.extras.as_str(), ""));
    assert_eq!(third.skeletons[0].nodes[0].extras, "[1,2]");
    let asset: Value = serde_json::from_str(&third.asset).unwrap();
    assert_eq!((&asset["copyright"], &asset["extras"]["v"]), (&json!("CC0 me"), &json!(7)));
    let extras: Value = serde_json::from_str(&third.animations[0].extras).unwrap();
    assert_eq!((&extras["author"], &extras["looping"]), (&json!("me"), &json!(false)));
    assert_eq!(third.skeletons[0].skeleton.joints.len(), 1, "a rigid mesh stands on its joint again");
    for (a, b) in first.meshes.iter().zip(&third.meshes) {
        assert_eq!((&a.mesh, &a.material, &a.source, &a.node), (&b.mesh, &b.material, &b.source, &b.node));
    }
}

#[test]
fn materials_and_images_that_are_broken_are_left_out_and_refuse_nothing() {
    let mut b = rich();
    b.json["materials"][0]["alphaCutoff"] = json!("half");
    b.json["images"][0] = json!({ "uri": "nowhere.png" });
    b.json["images"][1]["mimeType"] = json!("image/png");
    b.json["textures"][1] = json!(7);
    b.json["materials"][1]["emissiveTexture"] = json!({ "index": 1 });
    let scene = build(&b);
    assert_eq!((scene.materials.len(), scene.images.len()), (1, 1));
    assert_eq!((scene.meshes[0].material, scene.meshes[1].material), (None, Some(0)));
    assert_eq!(scene.images[0].mime_type, "image/ktx2", "the bytes know better");
    let text = warnings(&scene);
    for part in [
        "material 0: invalid type",
        "the image was left out",
        "image 1 \"skin\": it is called \"image/png\", its first bytes say \"image/ktx2\"",
        "material 1 \"cloth\": 1 of its textures do not exist",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for key in ["materials", "images", "textures", "samplers", "cameras"] {
        let mut b = rich();
        b.json[key] = json!("none");
        assert_eq!(build(&b).meshes.len(), 2, "{key}");
    }
}

#[test]
fn images_are_left_out_on_demand_and_materials_stay() {
    let options = ReadOptions { images: false, ..ReadOptions::default() };
    let scene = import_with(&rich().glb(), &options).unwrap();
    assert_eq!((scene.images.len(), scene.materials.len(), scene.meshes.len()), (0, 2, 2));
    assert!(scene.materials[0].textures.iter().all(|t| t.images.is_empty()));
    // What was left out on request is no surprise.
    assert_eq!(warnings(&scene), "");
    let none = ReadOptions { meshes: false, ..ReadOptions::default() };
    let scene = import_with(&rich().glb(), &none).unwrap();
    assert_eq!((scene.materials.len(), scene.meshes.len(), scene.animations.len()), (0, 0, 1));
    assert_eq!(warnings(&scene), "");
}

#[test]
fn what_is_not_carried_is_named_in_one_line() {
    let mut b = rich();
    b.json["cameras"] = json!([{ "type": "perspective" }, {}]);
    let positions = b.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    b.json["meshes"][0]["primitives"][0]["attributes"]["_HEAT"] = positions;
    b.json["extensionsUsed"] =
        json!(["KHR_lights_punctual", "KHR_materials_unlit", "VRM", "KHR_materials_variants"]);
    let scene = build(&b);
    assert_eq!(
        warnings(&scene),
        "not carried: 2 cameras, \"_HEAT\", KHR_lights_punctual, KHR_materials_variants, VRM"
    );
}
