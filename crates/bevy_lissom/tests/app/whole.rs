//! Whole characters: every mesh with its material, images, morph targets; and what lies beside a file.

use super::{app, hero, joint, plays, until};
use bevy_app::App;
use bevy_asset::{AssetServer, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_image::{Image, ImageAddressMode, ImageFilterMode, ImageSampler};
use bevy_lissom::{
    Concern, LissomArchive, LissomError, LissomMaterial, LissomSettings, Plays, Skin, SkinMaterial,
    SkinPalette, Skins,
};
use bevy_mesh::{Mesh3d, morph::MeshMorphWeights};
use lissom::archive::AlphaMode;
use lissom_build::{
    cook::ClipBuilder,
    mannequin::{self, Detail, Motion},
    mesh::material::{Image as RawImage, Material, Texture, TextureTransform, TextureUse},
    pipeline,
    scene::{Morph, Scene, SceneMesh},
};
use std::path::Path;

/// Two pixels, red and green.
fn png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(&[255, 0, 0, 0, 255, 0]).unwrap();
    bytes
}

/// A mannequin in two meshes of three materials, one with textures; the second has a morph target.
pub(super) fn scene(hat: bool) -> Scene {
    let mut scene = mannequin::game_scene(&[Motion::Idle], &Detail { body_m: 0.04, hand_m: 0.012 }).unwrap();
    let body = scene.meshes[0].mesh.clone();
    let count = body.positions.len();
    let mut second = body.clone();
    second.name = "Armature|Cape".into();
    let morph =
        Morph { name: "wide".into(), weight: 0.5, positions: vec![[0.01; 3]; count], ..Default::default() };
    scene.meshes.push(SceneMesh {
        mesh: second,
        morphs: vec![morph],
        material: Some(1),
        ..Default::default()
    });
    if hat {
        let mut third = body;
        third.name = "Hat".into();
        scene.meshes.push(SceneMesh { mesh: third, ..Default::default() });
    }
    let image = |name: &str, bytes| RawImage { name: name.into(), mime_type: "image/png".into(), bytes };
    scene.images = vec![image("weave", png()), image("torn", b"no picture".to_vec())];
    let transform = TextureTransform { offset: [0.25, 0.5], rotation: 0.0, scale: [2.0, 2.0] };
    let used = |texture, transform| Some(TextureUse { texture, uv_set: 0, transform });
    let texture =
        |image, sampler| Texture { name: String::new(), sampler, images: vec![(String::new(), image)] };
    scene.materials.push(Material {
        name: "cloth".into(),
        base_color: [0.5, 0.25, 1.0, 0.5],
        metallic: 0.125,
        roughness: 0.5,
        emissive: [0.25, 0.0, 0.0],
        alpha: AlphaMode::Mask,
        alpha_cutoff: 0.375,
        double_sided: true,
        base_color_texture: used(0, Some(transform)),
        normal_texture: used(1, None),
        occlusion_texture: used(2, None),
        extensions: vec![
            ("KHR_materials_emissive_strength".into(), r#"{"emissiveStrength": 4}"#.into()),
            ("KHR_materials_unlit".into(), "{}".into()),
        ],
        textures: vec![texture(0, [9728, 9728, 33071, 33648]), texture(0, [0; 4]), texture(1, [0; 4])],
        ..Material::default()
    });
    scene
}

pub(super) fn archive(hat: bool) -> Vec<u8> {
    cooked(&scene(hat))
}

pub(super) fn cooked(scene: &Scene) -> Vec<u8> {
    pipeline::cook_scene(scene, &ClipBuilder::default(), &pipeline::serial).unwrap().archive
}

/// The children that were spawned, by the mesh that they show.
pub(super) fn worn(app: &mut App, entity: Entity) -> Vec<(String, Entity)> {
    let children = app.world().get::<Children>(entity).map(|children| children.to_vec()).unwrap_or_default();
    let mut worn: Vec<(String, Entity)> = children
        .into_iter()
        .filter_map(|child| Some((app.world().get::<Skin>(child)?.mesh().to_owned(), child)))
        .collect();
    worn.sort();
    worn
}

fn names(app: &mut App, entity: Entity) -> Vec<String> {
    worn(app, entity).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn one_component_draws_every_mesh_with_its_material_and_follows_the_file() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("whole.lsm"), archive(false));
    let entity = hero(&mut app, |server| Plays::clip(server.load("whole.lsm"), "idle"));
    app.world_mut().entity_mut(entity).insert(Skins::all());
    plays(&mut app, entity);
    app.update();
    let all = worn(&mut app, entity);
    assert_eq!(all.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["Armature|Cape", "mannequin"]);
    for (_, child) in &all {
        assert!(
            app.world().get::<SkinPalette>(*child).is_some() && app.world().get::<Mesh3d>(*child).is_some()
        );
        let vertices = super::skin::skinned(&app, *child);
        let high = vertices.iter().map(|v| v.y).fold(0.0, f32::max);
        assert!((1.5..2.0).contains(&high), "{high}");
    }
    let cape = all[0].1;
    let Some(MeshMorphWeights::Value { weights }) = app.world().get(cape) else { panic!("no morphs") };
    assert_eq!(*weights, [0.5]);
    // The materials of the file.
    let material = |app: &App, child: Entity| {
        let handle = app.world().get::<SkinMaterial>(child).unwrap().0.clone().unwrap();
        app.world().resource::<Assets<LissomMaterial>>().get(&handle).unwrap().clone()
    };
    assert_eq!(material(&app, all[1].1).name, "plaster");
    let cloth = material(&app, cape);
    assert_eq!((cloth.base_color, cloth.metallic, cloth.roughness), ([0.5, 0.25, 1.0, 0.5], 0.125, 0.5));
    assert_eq!((cloth.alpha, cloth.alpha_cutoff, cloth.double_sided), (AlphaMode::Mask, 0.375, true));
    assert_eq!(cloth.emissive, [0.25, 0.0, 0.0]);
    let base = cloth.base_color_texture.unwrap();
    assert_eq!((base.uv_set, base.transform), (0, Some([0.25, 0.5, 0.0, 2.0, 2.0])));
    let images = app.world().resource::<Assets<Image>>();
    let (color, normal) = (images.get(&base.image).unwrap(), cloth.normal_texture.unwrap());
    let normal = images.get(&normal.image).unwrap();
    assert_eq!((color.width(), color.height()), (2, 1));
    assert_eq!(&color.data.as_ref().unwrap()[..8], [255, 0, 0, 255, 0, 255, 0, 255]);
    let srgb = |image: &Image| image.texture_descriptor.format.is_srgb();
    assert!(srgb(color) && !srgb(normal), "colours are, directions are not");
    let ImageSampler::Descriptor(sampler) = &color.sampler else { panic!() };
    assert_eq!(sampler.address_mode_u, ImageAddressMode::ClampToEdge);
    assert_eq!(sampler.address_mode_v, ImageAddressMode::MirrorRepeat);
    assert_eq!(sampler.mag_filter, ImageFilterMode::Nearest);
    assert!(cloth.occlusion_texture.is_none(), "what is no picture is left out");
    // The file gets a hat, then loses it.
    for (hat, count) in [(true, 3), (false, 2)] {
        files.insert_asset(Path::new("whole.lsm"), archive(hat));
        app.world().resource::<AssetServer>().reload("whole.lsm");
        until(&mut app, "the new meshes are worn", |world| {
            world.get::<Children>(entity).is_some_and(|children| children.len() == count)
        });
        assert_eq!(
            worn(&mut app, entity).iter().filter(|(_, child)| *child == cape).count(),
            1,
            "those stay"
        );
    }
    // Without the component nothing is left.
    app.world_mut().entity_mut(entity).remove::<Skins>();
    app.update();
    assert!(names(&mut app, entity).is_empty());
}

#[test]
fn some_meshes_are_chosen_by_name_and_a_wrong_name_is_told() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("whole.lsm"), archive(true));
    let entity = hero(&mut app, |server| Plays::clip(server.load("whole.lsm"), "idle"));
    app.world_mut().entity_mut(entity).insert(Skins::only(["hat", "cape"]));
    plays(&mut app, entity);
    app.update();
    assert_eq!(names(&mut app, entity), ["Armature|Cape", "Hat"]);
    // One without a material.
    let hat = worn(&mut app, entity)[1].1;
    assert_eq!(app.world().get::<SkinMaterial>(hat), Some(&SkinMaterial(None)));
    app.world_mut().entity_mut(entity).insert(Skins::only(["hta"]));
    app.update();
    let error = app.world().get::<LissomError>(entity).unwrap();
    assert!(
        error.about(Concern::Skin).unwrap().starts_with("there is no mesh \"hta\"; there are \""),
        "{error}"
    );
    app.world_mut().entity_mut(entity).insert(Skins::only(["mannequin"]));
    app.update();
    assert!(app.world().get::<LissomError>(entity).is_none());
    assert_eq!(names(&mut app, entity), ["mannequin"]);
}

#[test]
fn a_server_decodes_no_images() {
    let (mut app, files) = app();
    files.insert_asset(Path::new("whole.lsm"), archive(false));
    let server = app.world().resource::<AssetServer>().clone();
    let builder = server.load_builder().with_settings(|own: &mut LissomSettings| own.images = false);
    let handle: Handle<LissomArchive> = builder.load("whole.lsm");
    until(&mut app, "it is loaded", |world| world.resource::<Assets<LissomArchive>>().contains(&handle));
    assert_eq!(app.world().resource::<Assets<Image>>().iter().count(), 0);
    assert_eq!(app.world().resource::<Assets<LissomMaterial>>().iter().count(), 2);
    let entity = hero(&mut app, |_| Plays::clip(handle.clone(), "idle"));
    plays(&mut app, entity);
    joint(&mut app, entity, "head");
}
