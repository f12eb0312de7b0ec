//! Bevy's own material, made of what a file says; and skins without any.

use super::{
    app_with, hero,
    log::count,
    plays, until,
    whole::{cooked, scene, worn},
};
use bevy_app::{App, SubApp};
use bevy_asset::{AssetApp, AssetId, AssetServer, Assets};
use bevy_camera::visibility::{SetViewVisibility, ViewVisibility};
use bevy_color::LinearRgba;
use bevy_ecs::{change_detection::Tick, prelude::*};
use bevy_lissom::{Plays, Skin, Skins};
use bevy_material::AlphaMode;
use bevy_math::{Affine2, Vec2};
use bevy_mesh::{Mesh, Mesh3d, UvChannel};
use bevy_pbr::{MeshMaterial3d, RenderMaterialInstance, RenderMaterialInstances, StandardMaterial};
use bevy_render::{ExtractSchedule, MainWorld, RenderApp};
use lissom_build::scene::Scene;
use std::path::Path;

/// A character of two meshes whose file is this scene.
fn dressed(scene: &Scene, skins: Skins) -> (App, impl Fn(&Scene) + use<>, Entity) {
    let (mut app, files) = app_with(|app| {
        app.init_asset::<StandardMaterial>();
    });
    let write = move |scene: &Scene| files.insert_asset(Path::new("whole.lsm"), cooked(scene));
    write(scene);
    let entity = hero(&mut app, |server| Plays::clip(server.load("whole.lsm"), "idle"));
    app.world_mut().entity_mut(entity).insert(skins);
    plays(&mut app, entity);
    app.update();
    (app, write, entity)
}

fn painted(app: &App, entity: Entity) -> Option<&StandardMaterial> {
    let handle = &app.world().get::<MeshMaterial3d<StandardMaterial>>(entity)?.0;
    Some(app.world().resource::<Assets<StandardMaterial>>().get(handle).unwrap())
}

#[test]
fn a_material_of_the_file_is_bevys_own_word_by_word() {
    let (mut app, _, entity) = dressed(&scene(true), Skins::all());
    let [(_, cape), (_, hat), (_, body)] = worn(&mut app, entity).try_into().unwrap();
    let cloth = painted(&app, cape).unwrap();
    assert_eq!(cloth.base_color, LinearRgba::new(0.5, 0.25, 1.0, 0.5).into());
    assert_eq!((cloth.metallic, cloth.perceptual_roughness), (0.125, 0.5));
    assert_eq!(cloth.emissive, LinearRgba::new(1.0, 0.0, 0.0, 1.0), "four times as strong");
    assert_eq!(cloth.alpha_mode, AlphaMode::Mask(0.375));
    assert!(cloth.double_sided && cloth.cull_mode.is_none() && cloth.unlit);
    assert!(cloth.base_color_texture.is_some() && cloth.normal_map_texture.is_some());
    assert!(cloth.occlusion_texture.is_none(), "what is no picture is left out");
    assert_eq!(cloth.base_color_channel, UvChannel::Uv0);
    let expected = Affine2::from_scale_angle_translation(Vec2::new(2.0, 2.0), 0.0, Vec2::new(0.25, 0.5));
    assert_eq!(cloth.uv_transform, expected);
    let plaster = painted(&app, body).unwrap();
    assert!(plaster.cull_mode.is_some() && !plaster.unlit && plaster.alpha_mode == AlphaMode::Opaque);
    assert_eq!(painted(&app, hat).unwrap().base_color, StandardMaterial::default().base_color);
}

#[test]
fn a_normal_texture_gets_the_tangents_that_its_file_leaves_out() {
    let mut own = scene(false);
    for mesh in &mut own.meshes {
        mesh.mesh.uvs = vec![mesh.mesh.positions.iter().map(|[x, y, _]| [*x, *y]).collect()];
        mesh.mesh.tangents.clear();
    }
    let (mut app, _, entity) = dressed(&own, Skins::all());
    let [(_, cape), (_, body)] = worn(&mut app, entity).try_into().unwrap();
    let has = |mesh: Entity| {
        let mesh = app.world().resource::<Assets<Mesh>>().get(&app.world().get::<Mesh3d>(mesh).unwrap().0);
        mesh.unwrap().contains_attribute(Mesh::ATTRIBUTE_TANGENT)
    };
    assert!(has(cape) && !has(body), "the one with the texture alone");
}

#[test]
fn a_material_follows_its_file_and_one_that_a_game_puts_there_stays() {
    let mut own = scene(false);
    let (mut app, write, entity) = dressed(&own, Skins::all());
    let [(_, cape), (_, body)] = worn(&mut app, entity).try_into().unwrap();
    let black = StandardMaterial { base_color: LinearRgba::BLACK.into(), ..Default::default() };
    let black = app.world_mut().resource_mut::<Assets<StandardMaterial>>().add(black);
    app.world_mut().entity_mut(body).insert(MeshMaterial3d(black.clone()));
    own.materials[1].base_color = [0.0, 1.0, 0.0, 1.0];
    write(&own);
    let before = app.world().get::<MeshMaterial3d<StandardMaterial>>(cape).unwrap().clone();
    app.world().resource::<AssetServer>().reload("whole.lsm");
    let green = LinearRgba::GREEN.into();
    until(&mut app, "the cape is green", |world| {
        let materials = world.resource::<Assets<StandardMaterial>>();
        materials.get(&before.0).is_some_and(|material| material.base_color == green)
    });
    app.update();
    assert_eq!(app.world().get::<MeshMaterial3d<StandardMaterial>>(cape), Some(&before), "in place");
    assert_eq!(app.world().get::<MeshMaterial3d<StandardMaterial>>(body).unwrap().0, black);
    // A game that paints by itself.
    app.world_mut().entity_mut(entity).insert(Skins::all().bare());
    app.update();
    assert!(painted(&app, cape).is_none());
    assert_eq!(app.world().get::<MeshMaterial3d<StandardMaterial>>(body).unwrap().0, black);
    app.world_mut().entity_mut(entity).insert(Skins::all());
    app.update();
    assert!(painted(&app, cape).is_some());
}

#[test]
fn a_skin_without_a_material_is_told_once() {
    // What Bevy's renderer does before it draws, without a GPU.
    let (mut app, _) = app_with(|app| {
        let mut render = SubApp::new();
        render.init_schedule(ExtractSchedule).init_resource::<RenderMaterialInstances>();
        render.set_extract(|main, render| {
            render.init_resource::<MainWorld>();
            std::mem::swap(main, &mut render.resource_mut::<MainWorld>());
            render.run_schedule(ExtractSchedule);
            std::mem::swap(main, &mut render.resource_mut::<MainWorld>());
        });
        app.insert_sub_app(RenderApp, render);
    });
    let [bare, dressed] = ["Bare skin", "Dressed skin"].map(|name| {
        let entity = hero(&mut app, |server| Plays::clip(server.load("hero.lsm"), "walk"));
        app.world_mut().entity_mut(entity).insert((Skin::new("body"), Name::new(name)));
        plays(&mut app, entity);
        entity
    });
    // A material of any kind is one.
    let asset_id = AssetId::<Mesh>::default().untyped();
    let material = RenderMaterialInstance { asset_id, last_change_tick: Tick::new(0) };
    let render = app.sub_app_mut(RenderApp).world_mut();
    render.resource_mut::<RenderMaterialInstances>().instances.insert(dressed.into(), material);
    let mut told = || {
        (0..200).for_each(|_| app.update());
        let told = count("Bare skin");
        for entity in [bare, dressed] {
            app.world_mut().get_mut::<ViewVisibility>(entity).unwrap().set_visible();
        }
        told
    };
    assert_eq!([told(), told(), told()], [0, 1, 1], "not before it is in sight, and once");
    assert_eq!(count("Dressed skin"), 0);
}
